"""Products of vectors and matrices, by np.matmul and np.dot over the tensors' memory.

float16 and bfloat16 are multiplied in float32 and rounded once; integers wrap. Both factors have one dtype. Results are
contiguous.
"""

import numpy as np

from stridecore.core.promotion import promote_types
from stridecore.exchange import from_numpy
from stridecore.operands import can_hold, common_dtype, compute, refuse_cast
from stridecore.reducing import check_out, deliver, emit, one_dim, plain, public, tensor_argument
from stridecore.reductions import _sum
from stridecore.tensor import Tensor

__all__ = "bmm cross dot ger inner kron matmul mm mv outer trace vdot".split()


# ---- checks ---------------------------------------------------------------------------------------------------


def same_dtype(name, *tensors):
    """RuntimeError unless all factors have one dtype."""
    for x in tensors[1:]:
        if x.dtype is not tensors[0].dtype:
            raise RuntimeError(
                f"{name}: expected all tensors to have the same dtype, but got {tensors[0].dtype.name} and "
                f"{x.dtype.name}. Convert with .to(...)"
            )


def of_dims(name, argument, x, ndim, position=2):
    """`x`, a tensor of so many dims: TypeError, RuntimeError otherwise."""
    tensor_argument(name, x, argument, position)
    if x.ndim != ndim:
        what = {1: "a vector", 2: "a matrix", 3: "a 3D tensor"}[ndim]
        raise RuntimeError(f"{name}: {argument} must be {what}, got {x.ndim}-D, of size {list(x.shape)}")
    return x


def multiplicable(name, a, b):
    """RuntimeError unless the last dim of a is as long as the rows of b."""
    rows = b.shape[-2] if b.ndim > 1 else b.shape[0]
    if a.shape[-1] != rows:
        raise RuntimeError(
            f"{name}: mat1 and mat2 shapes cannot be multiplied ({'x'.join(map(str, a.shape))} and "
            f"{'x'.join(map(str, b.shape))}): {a.shape[-1]} columns and {rows} rows"
        )


def check_bmm(name, a, b):
    of_dims(name, "batch1", a, 3, 1)
    of_dims(name, "batch2", b, 3, 2)
    if b.shape[:2] != (a.shape[0], a.shape[2]):
        raise RuntimeError(
            f"{name}: Expected size for first two dimensions of batch2 tensor to be: {[a.shape[0], a.shape[2]]} but "
            f"got: {list(b.shape[:2])}."
        )


def _product(name, a, b, shape, out):
    same_dtype(name, a, b)
    check_out(name, out, a.dtype)
    return emit(name, multiply, [plain(a), plain(b)], shape, a.dtype, out)


def multiply(a, b, target):
    """The matrix product: many matrices by one as one product of a tall matrix, a column as a vector."""
    if b.ndim == 2 and b.shape[1] == 1:
        b, target = b[:, 0], target[..., 0]
    if a.ndim > 2 and b.ndim <= 2 and target.flags.c_contiguous and a.size and target.size:
        a = a.reshape(-1, a.shape[-1])
        target = target.reshape(a.shape[0], *b.shape[1:])
    np.matmul(a, b, out=target)


# ---- matmul ---------------------------------------------------------------------------------------------------


def _batch_shape(name, a, b):
    """The broadcast sizes of the dims before the matrices."""
    first, second = a.shape[:-2], b.shape[:-2]
    shape = []
    for d in range(-max(len(first), len(second)), 0):
        m = first[d] if -d <= len(first) else 1
        n = second[d] if -d <= len(second) else 1
        if m != n and m != 1 and n != 1:
            raise RuntimeError(
                f"{name}: The size of tensor a ({m}) must match the size of tensor b ({n}) at non-singleton dimension "
                f"{d}: the batch dims of {list(a.shape)} and {list(b.shape)} do not broadcast"
            )
        shape.append(n if m == 1 else m)
    return shape


@public("matmul", globals())
def _matmul(x, other, *, out=None):
    """The matrix product, also `x @ other`: of two vectors their dot product, of a matrix and a vector a vector, of
    more dims the products of the matrices in the last two, whose other dims broadcast.

    RuntimeError for 0-dim tensors, different dtypes and sizes that don't fit.

    >>> import stridecore as sc
    >>> sc.matmul(sc.tensor([[1, 2], [3, 4]]), sc.tensor([1, 1]))
    tensor([3, 7])
    """
    tensor_argument("matmul", other, "other", 2)
    if x.ndim == 0 or other.ndim == 0:
        raise RuntimeError(
            f"matmul: both arguments need to be at least 1D, but they are {x.ndim}D and {other.ndim}D. Use x * y"
        )
    multiplicable("matmul", x, other)
    shape = _batch_shape("matmul", x, other)
    if x.ndim > 1:
        shape.append(x.shape[-2])
    if other.ndim > 1:
        shape.append(other.shape[-1])
    return _product("matmul", x, other, tuple(shape), out)


def __matmul__(self, other):
    """x @ y, which is matmul(x, y).

    >>> import stridecore as sc
    >>> sc.tensor([1, 2]) @ sc.tensor([3, 4])
    tensor(11)
    """
    factors = _factors(self, other)
    return NotImplemented if factors is None else _matmul(*factors)


def __rmatmul__(self, other):
    """y @ x where y does not know how, a NumPy array for example: matmul(y, x).

    >>> import numpy as np, stridecore as sc
    >>> np.array([1, 2]) @ sc.tensor([3, 4])
    tensor(11)
    """
    factors = _factors(self, other)
    return NotImplemented if factors is None else _matmul(factors[1], factors[0])


def _factors(x, other):
    """Both operands of @ as tensors, where one is an array in their common dtype; None for what is neither."""
    if isinstance(other, np.ndarray):
        other = from_numpy(other)
        dtype = common_dtype(x, other)
        return x.to(dtype), other.to(dtype)
    return (x, other) if isinstance(other, Tensor) else None


Tensor.__matmul__ = __matmul__
Tensor.__rmatmul__ = __rmatmul__


@public("mm", globals())
def _mm(x, mat2, *, out=None):
    """The product of two matrices, (n, k) and (k, m).

    >>> import stridecore as sc
    >>> sc.mm(sc.tensor([[1, 2]]), sc.tensor([[3], [4]]))
    tensor([[11]])
    """
    of_dims("mm", "self", x, 2)
    of_dims("mm", "mat2", mat2, 2)
    multiplicable("mm", x, mat2)
    return _product("mm", x, mat2, (x.shape[0], mat2.shape[1]), out)


@public("mv", globals())
def _mv(x, vec, *, out=None):
    """The product of a matrix (n, k) and a vector (k).

    >>> import stridecore as sc
    >>> sc.mv(sc.tensor([[1, 2], [3, 4]]), sc.tensor([1, 1]))
    tensor([3, 7])
    """
    of_dims("mv", "self", x, 2)
    of_dims("mv", "vec", vec, 1)
    multiplicable("mv", x, vec)
    return _product("mv", x, vec, (x.shape[0],), out)


@public("bmm", globals())
def _bmm(x, mat2, *, out=None):
    """The products of b matrices each: (b, n, k) and (b, k, m).

    >>> import stridecore as sc
    >>> sc.bmm(sc.ones(2, 1, 3), sc.ones(2, 3, 1)).flatten()
    tensor([3., 3.])
    """
    tensor_argument("bmm", mat2, "mat2", 2)
    check_bmm("bmm", x, mat2)
    return _product("bmm", x, mat2, (*x.shape[:2], mat2.shape[2]), out)


# ---- vectors --------------------------------------------------------------------------------------------------


def _dot_product(name, x, other, out, function):
    tensor_argument(name, other, "tensor", 2)
    if x.ndim != 1 or other.ndim != 1:
        raise RuntimeError(f"{name}: 1D tensors expected, but got {x.ndim}D and {other.ndim}D tensors")
    same_dtype(name, x, other)
    if x.shape != other.shape:
        raise RuntimeError(
            f"{name}: inconsistent tensor size, expected both to have the same number of elements, but got "
            f"{x.numel()} and {other.numel()} elements respectively"
        )
    check_out(name, out, x.dtype)

    def compute(a, b, target):
        target[...] = function(a, b)

    return emit(name, compute, [plain(x), plain(other)], (), x.dtype, out)


@public("dot", globals())
def _dot(x, tensor, *, out=None):
    """The sum of products of two vectors of one size; no complex conjugate is taken.

    >>> import stridecore as sc
    >>> sc.dot(sc.tensor([1, 2]), sc.tensor([3, 4]))
    tensor(11)
    """
    return _dot_product("dot", x, tensor, out, np.dot)


@public("vdot", globals())
def _vdot(x, other, *, out=None):
    """The sum of products of two vectors, of the first one's complex conjugate.

    >>> import stridecore as sc
    >>> sc.vdot(sc.tensor([1j]), sc.tensor([1j]))
    tensor(1.+0.j)
    """
    return _dot_product("vdot", x, other, out, np.vdot)


@public("inner", globals())
def _inner(x, other, *, out=None):
    """The dot products of all vectors along the last dims: sizes (..., k) and (***, k) give (..., ***).

    With a 0-dim tensor it is the product.

    >>> import stridecore as sc
    >>> sc.inner(sc.tensor([[1, 2], [3, 4]]), sc.tensor([1, 1]))
    tensor([3, 7])
    """
    tensor_argument("inner", other, "other", 2)
    if x.ndim == 0 or other.ndim == 0:
        return deliver("inner", out, compute("inner", np.multiply, [x, other], common_dtype(x, other)))
    if x.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            f"inner() the last dimension must match on both input tensors but got shapes {list(x.shape)} and "
            f"{list(other.shape)}"
        )
    left, right = x.reshape(-1, x.shape[-1]) if x.numel() else x, other
    shape = (*x.shape[:-1], *other.shape[:-1])
    if x.numel() == 0 or other.numel() == 0:
        same_dtype("inner", x, other)
        return deliver("inner", out, x.new_zeros(shape))
    right = other.reshape(-1, other.shape[-1]).t()
    result = _product("inner", left, right, (left.shape[0], right.shape[1]), None)
    return deliver("inner", out, result.reshape(shape))


def _outer_product(name, x, vec2, out):
    for argument, vector in (("self", x), ("vec2", tensor_argument(name, vec2, "vec2", 2))):
        if vector.ndim != 1:
            raise RuntimeError(f"{name}: Expected 1-D argument {argument}, but got {vector.ndim}-D")
    return compute(name, np.multiply, [x.unsqueeze(1), vec2.unsqueeze(0)], common_dtype(x, vec2), out=out)


@public("outer", globals())
def _outer(x, vec2, *, out=None):
    """The matrix of the products of each element of one vector with each of another.

    >>> import stridecore as sc
    >>> sc.outer(sc.tensor([1, 2]), sc.tensor([3, 4]))
    tensor([[3, 4],
            [6, 8]])
    """
    return _outer_product("outer", x, vec2, out)


@public("ger", globals())
def _ger(x, vec2, *, out=None):
    """Another name of `outer`.

    >>> import stridecore as sc
    >>> sc.ger(sc.tensor([1, 2]), sc.tensor([3, 4])).shape
    stridecore.Size([2, 2])
    """
    return _outer_product("ger", x, vec2, out)


# ---- trace, kron, cross ---------------------------------------------------------------------------------------


@public("trace", globals())
def _trace(x):
    """The sum of the diagonal of a matrix; int64 for integers.

    >>> import stridecore as sc
    >>> sc.trace(sc.tensor([[1, 2], [3, 4]]))
    tensor(5)
    """
    if x.ndim != 2:
        raise RuntimeError(f"trace: expected a matrix, but got tensor with dim {x.ndim}")
    return _sum(x.diagonal())


@public("kron", globals())
def _kron(x, other, *, out=None):
    """The Kronecker product: each element of the first tensor times the whole second one, laid out as blocks.

    >>> import stridecore as sc
    >>> sc.kron(sc.tensor([1, 10]), sc.tensor([[1, 2]]))
    tensor([[ 1,  2, 10, 20]])
    """
    tensor_argument("kron", other, "other", 2)
    dtype = promote_types(x.dtype, other.dtype)    # 0-dim factors count as much as others
    if out is not None and not can_hold(out.dtype, dtype):
        refuse_cast("kron", dtype, out.dtype)
    ndim = max(x.ndim, other.ndim)
    a = (1,) * (ndim - x.ndim) + tuple(x.shape)
    b = (1,) * (ndim - other.ndim) + tuple(other.shape)

    def multiply_blocks(left, right, target):
        left = left.reshape([n for size in a for n in (size, 1)])
        right = right.reshape([n for size in b for n in (1, size)])
        blocks = [n for pair in zip(a, b, strict=True) for n in pair]
        np.multiply(left, right, out=target.reshape(blocks))

    shape = tuple([m * n for m, n in zip(a, b, strict=True)])
    result = emit("kron", multiply_blocks, [plain(x.to(dtype)), plain(other.to(dtype))], shape, dtype)
    return deliver("kron", out, result)


@public("cross", globals())
def _cross(x, other, dim=None, *, out=None):
    """The vector product along a dim of size 3, by default the first such dim; all other dims broadcast.

    >>> import stridecore as sc
    >>> sc.cross(sc.tensor([1, 0, 0]), sc.tensor([0, 1, 0]))
    tensor([0, 0, 1])
    """
    tensor_argument("cross", other, "other", 2)
    if x.ndim != other.ndim:
        raise RuntimeError(
            f"cross: inputs must have the same number of dimensions, got {list(x.shape)} and {list(other.shape)}"
        )
    if dim is None:
        if 3 not in x.shape:
            raise RuntimeError(f"cross: no dimension of size 3 in input, of size {list(x.shape)}")
        dim = tuple(x.shape).index(3)
    dim = one_dim("cross", dim, x.ndim)
    if x.ndim == 0 or x.shape[dim] != 3 or other.shape[dim] != 3:
        raise RuntimeError(
            f"cross: inputs dimension {dim} must have length 3, got sizes {list(x.shape)} and {list(other.shape)}"
        )
    same_dtype("cross", x, other)
    check_out("cross", out, x.dtype)
    shape = []
    for d, (m, n) in enumerate(zip(x.shape, other.shape, strict=True)):
        if m != n and m != 1 and n != 1:
            raise RuntimeError(
                f"cross: The size of tensor a ({m}) must match the size of tensor b ({n}) at non-singleton dimension "
                f"{d}: {list(x.shape)} and {list(other.shape)}"
            )
        shape.append(n if m == 1 else m)

    def compute(a, b, target):
        target[...] = np.cross(a, b, axis=dim)

    return emit("cross", compute, [plain(x), plain(other)], tuple(shape), x.dtype, out)
