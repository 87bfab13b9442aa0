"""Rooms that are loaded when they are first used, so that `import stridecore` stays a few milliseconds and megabytes.

A room here is a module whose functions and methods run on NumPy or are rarely needed. `FUNCTIONS` and `METHODS` say
which names each room brings: `stridecore.NAME` imports the room by the package's `__getattr__`, `Tensor.NAME` by a
descriptor that the room replaces with the method itself (`setattr(Tensor, name, method)`) as it is loaded. A test
compares the tables with what the rooms define.
"""

from importlib import import_module

from stridecore.core import operators
from stridecore.tensor import Tensor

# room: the functions in its __all__
FUNCTIONS = {
    "stridecore.gathering": (
        "argwhere as_strided_scatter diagonal_scatter gather index_add index_copy index_fill index_put "
        "index_put_ index_reduce index_select masked_fill masked_scatter masked_select nonzero nonzero_static "
        "put scatter scatter_add scatter_reduce select_scatter slice_scatter take take_along_dim "
        "unravel_index where"
    ),
    "stridecore.mapping": "from_file",
    "stridecore.random": (
        "Generator bernoulli default_generator get_rng_state initial_seed manual_seed normal rand rand_like "
        "randint randint_like randn randn_like randperm seed set_rng_state"
    ),
    "stridecore.copied_views": (
        "alias_copy as_strided_copy detach_copy diagonal_copy expand_copy narrow_copy permute_copy "
        "select_copy slice_copy split_copy split_with_sizes_copy squeeze_copy t_copy transpose_copy "
        "unbind_copy unfold_copy unsqueeze_copy view_as_complex_copy view_as_real_copy view_copy"
    ),
    "stridecore.printing": "get_printoptions printoptions set_printoptions",
    "stridecore.limits": "finfo iinfo",
    "stridecore.loading": "load",
    "stridecore.saving": "save",
    "stridecore.joining": "cat column_stack concat concatenate dstack hstack row_stack stack vstack",
    "stridecore.repeating": "repeat_interleave tile",
    "stridecore.flipping": "flip fliplr flipud roll rot90",
    "stridecore.triangles": "tril tril_indices triu triu_indices",
    "stridecore.diagonals": "block_diag diag diag_embed diagflat",
    "stridecore.grids": "cartesian_prod combinations meshgrid",
    "stridecore.padding": "constant_pad_nd",
    "stridecore.sparse": "sparse_coo_tensor",
    "stridecore.unary": (
        "abs abs_ absolute angle ceil ceil_ fix fix_ floor floor_ frac frac_ frexp isfinite isinf isnan isneginf "
        "isposinf isreal neg neg_ negative negative_ positive reciprocal reciprocal_ round round_ rsqrt rsqrt_ sgn "
        "sign signbit square square_ trunc trunc_"
    ),
    "stridecore.bitwise": (
        "bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor gcd gcd_ lcm lcm_ "
        "logical_and logical_not logical_or logical_xor"
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
    "stridecore.pointwise": (
        "acos acos_ acosh acosh_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan_ "
        "arctanh arctanh_ asin asin_ asinh asinh_ atan atan_ atanh atanh_ cos cos_ cosh cosh_ exp exp2 exp2_ exp_ "
        "expm1 expm1_ log log10 log10_ log1p log1p_ log2 log2_ log_ sin sin_ sinh sinh_ sqrt sqrt_ tan tan_ tanh "
        "tanh_"
    ),
    "stridecore.clamping": (
        "addcdiv addcmul clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ lerp nan_to_num "
        "nan_to_num_"
    ),
    "stridecore.comparisons": (
        "eq ge greater greater_equal gt isclose le less less_equal lt ne not_equal"
    ),
    "stridecore.arithmetic": (
        "add div divide float_power floor_divide fmax fmin fmod maximum minimum mul multiply pow remainder rsub sub "
        "subtract true_divide"
    ),
    "stridecore.special_functions": (
        "arctan2 atan2 copysign deg2rad deg2rad_ erf erf_ erfc erfc_ heaviside hypot ldexp ldexp_ lgamma "
        "log_softmax logaddexp logaddexp2 logit logit_ nextafter rad2deg rad2deg_ relu relu_ sigmoid sigmoid_ sinc "
        "sinc_ softmax xlogy xlogy_"
    ),
    "stridecore.statistics": "corrcoef cov renorm",
}

# room: what it sets on Tensor
METHODS = {
    "stridecore.gathering": (
        "argwhere as_strided_scatter diagonal_scatter fill_diagonal_ gather index_add index_add_ index_copy "
        "index_copy_ index_fill index_fill_ index_put index_put_ index_reduce index_reduce_ index_select "
        "masked_fill masked_fill_ masked_scatter masked_scatter_ masked_select nonzero nonzero_static put "
        "put_ scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_ select_scatter "
        "slice_scatter take take_along_dim where"
    ),
    "stridecore.repeating": "repeat repeat_interleave tile",
    "stridecore.flipping": "__reversed__ flip fliplr flipud roll rot90",
    "stridecore.triangles": "tril tril_ triu triu_",
    "stridecore.diagonals": "diag diag_embed diagflat",
    "stridecore.sampling": "uniform_ normal_ log_normal_ exponential_ cauchy_ geometric_ bernoulli_ bernoulli random_",
    "stridecore.sparse": (
        "_coalesced_ _dimI _dimV _indices _nnz _to_dense _to_sparse _values coalesce dense_dim indices is_coalesced "
        "sparse_dim sparse_mask to_dense to_sparse to_sparse_coo values"
    ),
    "stridecore.unary": (
        "abs abs_ absolute absolute_ angle ceil ceil_ fix fix_ floor floor_ frac frac_ frexp isfinite isinf isnan "
        "isneginf isposinf isreal neg neg_ negative negative_ positive reciprocal reciprocal_ round round_ rsqrt "
        "rsqrt_ sgn sgn_ sign sign_ signbit square square_ trunc trunc_"
    ),
    "stridecore.bitwise": (
        "bitwise_and bitwise_and_ bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_not_ bitwise_or "
        "bitwise_or_ bitwise_right_shift bitwise_right_shift_ bitwise_xor bitwise_xor_ gcd gcd_ lcm lcm_ "
        "logical_and logical_and_ logical_not logical_not_ logical_or logical_or_ logical_xor logical_xor_"
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
    "stridecore.pointwise": (
        "acos acos_ acosh acosh_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan_ "
        "arctanh arctanh_ asin asin_ asinh asinh_ atan atan_ atanh atanh_ cos cos_ cosh cosh_ exp exp2 exp2_ exp_ "
        "expm1 expm1_ log log10 log10_ log1p log1p_ log2 log2_ log_ sin sin_ sinh sinh_ sqrt sqrt_ tan tan_ tanh "
        "tanh_"
    ),
    "stridecore.clamping": (
        "addcdiv addcdiv_ addcmul addcmul_ clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ lerp "
        "lerp_ nan_to_num nan_to_num_"
    ),
    "stridecore.comparisons": (
        "eq eq_ ge ge_ greater greater_ greater_equal greater_equal_ gt gt_ isclose le le_ less less_ less_equal "
        "less_equal_ lt lt_ ne ne_ not_equal not_equal_"
    ),
    "stridecore.arithmetic": (
        "add add_ div div_ divide divide_ float_power float_power_ floor_divide floor_divide_ fmax fmin fmod fmod_ "
        "maximum minimum mul mul_ multiply multiply_ pow pow_ remainder remainder_ sub sub_ subtract subtract_ "
        "true_divide true_divide_"
    ),
    "stridecore.special_functions": (
        "arctan2 arctan2_ atan2 atan2_ copysign copysign_ deg2rad deg2rad_ erf erf_ erfc erfc_ heaviside heaviside_ "
        "hypot hypot_ ldexp ldexp_ lgamma lgamma_ log_softmax logaddexp logaddexp2 logit logit_ nextafter "
        "nextafter_ rad2deg rad2deg_ relu relu_ sigmoid sigmoid_ sinc sinc_ softmax xlogy xlogy_"
    ),
    "stridecore.statistics": "_is_all_true _is_any_true corrcoef cov renorm renorm_ sum_to_size",
}

# modules of the package, by the name under which it shows them
MODULES = {"nn": "stridecore.nn", "random": "stridecore.random", "return_types": "stridecore.return_types"}

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
    """The function or module of this name; AttributeError where no room has it."""
    if name in MODULES:
        return import_module(MODULES[name])
    room = _room_of.get(name)
    if room is None:
        raise AttributeError(f"module 'stridecore' has no attribute {name!r}")
    return getattr(import_module(room), name)


def late_names():
    """The names of all functions that rooms bring, and of the modules."""
    return [*_room_of, *MODULES]


for _room, _names in METHODS.items():
    for _name in _names.split():
        setattr(Tensor, _name, LateMethod(_name, _room))


def _operation(name):
    """The function behind an operator."""
    if name == "contains":
        return import_module("stridecore.comparisons").contains
    return late_function(name)


operators.register(_operation)
