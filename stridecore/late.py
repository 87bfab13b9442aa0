"""Rooms that are loaded when they are first used, so that `import stridecore` stays a few milliseconds and megabytes.

A room here is a module whose functions and methods run on NumPy or are rarely needed. `FUNCTIONS` and `METHODS` say
which names each room brings: `stridecore.NAME` imports the room by the package's `__getattr__`, `Tensor.NAME` by a
descriptor that the room replaces with the method itself (`setattr(Tensor, name, method)`) as it is loaded. A test
compares the tables with what the rooms define.
"""

from importlib import import_module

from stridecore.tensor import Tensor

# room: the functions in its __all__
FUNCTIONS = {
    "stridecore.mapping": "from_file",
    "stridecore.saving": "save",
    "stridecore.joining": "cat column_stack concat concatenate dstack hstack row_stack stack vstack",
    "stridecore.repeating": "repeat_interleave tile",
    "stridecore.flipping": "flip fliplr flipud roll rot90",
    "stridecore.triangles": "tril tril_indices triu triu_indices",
    "stridecore.diagonals": "block_diag diag diag_embed diagflat",
    "stridecore.grids": "cartesian_prod combinations meshgrid",
    "stridecore.padding": "constant_pad_nd",
    "stridecore.sparse": "sparse_coo_tensor",
    "stridecore.pointwise": (
        "acos acos_ acosh acosh_ asin asin_ asinh asinh_ atan atan_ atanh atanh_ cos cos_ cosh cosh_ exp exp2 "
        "exp2_ exp_ expm1 expm1_ log log10 log10_ log1p log1p_ log2 log2_ log_ sin sin_ sinh sinh_ sqrt sqrt_ "
        "tan tan_ tanh tanh_"
    ),
    "stridecore.reductions": "all any count_nonzero logsumexp mean nanmean nansum prod sum",
    "stridecore.moments": "dist norm std std_mean var var_mean",
    "stridecore.extrema": "amax amin aminmax argmax argmin max min",
    "stridecore.quantiles": "kthvalue median mode nanmedian nanquantile quantile",
    "stridecore.scans": "cummax cummin cumprod cumsum diff logcumsumexp",
    "stridecore.sorting": "argsort msort sort topk",
    "stridecore.uniques": "unique unique_consecutive",
    "stridecore.counting": "bincount histc histogram isin",
    "stridecore.searching": "bucketize searchsorted",
    "stridecore.comparing": "allclose equal",
    "stridecore.products": "bmm cross dot ger inner kron matmul mm mv outer trace vdot",
    "stridecore.scaled_products": "addbmm addmm addmv addr baddbmm",
    "stridecore.contractions": "chain_matmul einsum tensordot",
}

# room: what it sets on Tensor
METHODS = {
    "stridecore.repeating": "repeat repeat_interleave tile",
    "stridecore.flipping": "flip fliplr flipud roll rot90",
    "stridecore.triangles": "tril tril_ triu triu_",
    "stridecore.diagonals": "diag diag_embed diagflat",
    "stridecore.grids": "combinations",
    "stridecore.sparse": (
        "_indices _nnz _values coalesce dense_dim indices is_coalesced sparse_dim to_dense to_sparse to_sparse_coo "
        "values"
    ),
    "stridecore.pointwise": (
        "acos acos_ acosh acosh_ asin asin_ asinh asinh_ atan atan_ atanh atanh_ cos cos_ cosh cosh_ exp exp2 "
        "exp2_ exp_ expm1 expm1_ log log10 log10_ log1p log1p_ log2 log2_ log_ sin sin_ sinh sinh_ sqrt sqrt_ "
        "tan tan_ tanh tanh_"
    ),
    "stridecore.reductions": "all any count_nonzero logsumexp mean nanmean nansum prod sum",
    "stridecore.moments": "dist norm std var",
    "stridecore.extrema": "amax amin aminmax argmax argmin max min",
    "stridecore.quantiles": "kthvalue median mode nanmedian nanquantile quantile",
    "stridecore.scans": "cummax cummin cumprod cumprod_ cumsum cumsum_ diff logcumsumexp",
    "stridecore.sorting": "argsort msort sort topk",
    "stridecore.uniques": "unique unique_consecutive",
    "stridecore.counting": "bincount histc histogram",
    "stridecore.comparing": "allclose equal",
    "stridecore.products": "__matmul__ __rmatmul__ bmm cross dot ger inner kron matmul mm mv outer trace vdot",
    "stridecore.scaled_products": "addbmm addbmm_ addmm addmm_ addmv addmv_ addr addr_ baddbmm baddbmm_",
}

# packages of the package, by the name under which it shows them
MODULES = {"nn": "stridecore.nn"}

_room_of = {name: room for room, names in FUNCTIONS.items() for name in names.split()}


class LateMethod:
    """Stands for a method of Tensor until its room is loaded."""

    __slots__ = ("name", "room")

    def __init__(self, name, room):
        self.name = name
        self.room = room

    def __get__(self, instance, owner=None):
        import_module(self.room)
        method = Tensor.__dict__[self.name]
        if method is self:
            raise AttributeError(f"{self.room} does not define Tensor.{self.name}")
        return method.__get__(instance, owner) if hasattr(method, "__get__") else method


def late_function(name):
    """The function of this name from its room; AttributeError where no room has it."""
    room = _room_of.get(name)
    if name in MODULES:
        return import_module(MODULES[name])
    if room is None:
        raise AttributeError(f"module 'stridecore' has no attribute {name!r}")
    return getattr(import_module(room), name)


def late_names():
    """The names of all functions that rooms bring."""
    return list(_room_of)


for _room, _names in METHODS.items():
    for _name in _names.split():
        setattr(Tensor, _name, LateMethod(_name, _room))
