"""beta * input + alpha * (a product): addmm, addmv, addr, addbmm, baddbmm and their in-place forms.

The input broadcasts to the product. It is not looked at where beta is 0. Integers take beta and alpha as integers.
"""

import numpy as np

from stridecore.dtypes import bool as bool_
from stridecore.operands import common_dtype, computed_dtype, is_float, number, number_array
from stridecore.products import check_bmm, multiplicable, multiply, of_dims, same_dtype
from stridecore.reducing import check_out, emit, plain, public, tensor_argument

__all__ = "addbmm addmm addmv addr baddbmm".split()


def _scale(name, argument, value, dtype):
    """(is it 0, is it 1, beta or alpha as an array of the dtype that is computed in): integers are cut and wrap."""
    read = number(value)
    if read is None:
        raise TypeError(f"{name}(): argument '{argument}' must be Number, not {type(value).__name__}")
    if dtype is bool_:
        read = bool(read)
    elif not is_float(dtype):
        read = int(read)
    return read == 0, read == 1, number_array(read, computed_dtype(dtype))


def _add(name, x, a, b, shape, product, beta, alpha, dtype, out):
    """beta * x + alpha * product(a, b), of `shape`, in `out` or new. `product` is of arrays, with a target."""
    no_input, whole_input, beta = _scale(name, "beta", beta, dtype)
    _, whole_product, alpha = _scale(name, "alpha", alpha, dtype)
    ndim = len(shape)
    sizes = (1,) * (ndim - x.ndim) + tuple(x.shape)
    if x.ndim > ndim or not all(m in (1, n) for m, n in zip(sizes, shape, strict=True)):
        raise RuntimeError(
            f"{name}: the input, of size {list(x.shape)}, does not broadcast to the product, of size {list(shape)}"
        )
    check_out(name, out, dtype)
    inputs = [plain(t.to(dtype)) for t in (x, a, b)]

    def compute(added, left, right, target):
        product(left, right, target)
        if not whole_product:
            np.multiply(target, alpha, out=target)
        if not no_input:
            np.add(target, added if whole_input else np.multiply(added, beta), out=target)

    return emit(name, compute, inputs, shape, dtype, out)


def _addmm_of(name, x, mat1, mat2, beta, alpha, out):
    of_dims(name, "mat1", mat1, 2, 2)
    of_dims(name, "mat2", mat2, 2, 3)
    same_dtype(name, x, mat1, mat2)
    multiplicable(name, mat1, mat2)
    shape = (mat1.shape[0], mat2.shape[1])
    return _add(name, x, mat1, mat2, shape, multiply, beta, alpha, x.dtype, out)


def _addmv_of(name, x, mat, vec, beta, alpha, out):
    of_dims(name, "mat", mat, 2, 2)
    of_dims(name, "vec", vec, 1, 3)
    same_dtype(name, x, mat, vec)
    multiplicable(name, mat, vec)
    return _add(name, x, mat, vec, (mat.shape[0],), multiply, beta, alpha, x.dtype, out)


def _addr_of(name, x, vec1, vec2, beta, alpha, out):
    of_dims(name, "vec1", vec1, 1, 2)
    of_dims(name, "vec2", vec2, 1, 3)
    dtype = common_dtype(x, vec1, vec2)
    if not is_float(dtype):
        for argument, value in (("beta", beta), ("alpha", alpha)):
            if isinstance(value, float):
                raise RuntimeError(f"{name}: For integral input tensors, {argument} must not be a float, got {value}")

    def product(a, b, target):
        np.multiply.outer(a, b, out=target)

    return _add(name, x, vec1, vec2, (vec1.shape[0], vec2.shape[0]), product, beta, alpha, dtype, out)


def _multiply_and_sum(a, b, target):
    """The sum of the products of the matrices, as one product of the matrices side by side."""
    np.matmul(a.transpose(1, 0, 2).reshape(a.shape[1], -1), b.reshape(-1, b.shape[2]), out=target)


def _addbmm_of(name, x, batch1, batch2, beta, alpha, out):
    for argument, batch in (("batch1", batch1), ("batch2", batch2)):
        tensor_argument(name, batch, argument, 2)
    check_bmm(name, batch1, batch2)
    same_dtype(name, x, batch1, batch2)
    shape = (batch1.shape[1], batch2.shape[2])
    product = _multiply_and_sum if batch1.numel() and batch2.numel() else lambda a, b, target: target.fill(0)
    return _add(name, x, batch1, batch2, shape, product, beta, alpha, x.dtype, out)


def _baddbmm_of(name, x, batch1, batch2, beta, alpha, out):
    for argument, batch in (("batch1", batch1), ("batch2", batch2)):
        tensor_argument(name, batch, argument, 2)
    check_bmm(name, batch1, batch2)
    same_dtype(name, x, batch1, batch2)
    shape = (*batch1.shape[:2], batch2.shape[2])
    return _add(name, x, batch1, batch2, shape, multiply, beta, alpha, x.dtype, out)


def _in_place(name, body, x, a, b, beta, alpha):
    """The body's result, written over x: RuntimeError if x has another size."""
    result = body(name, x, a, b, beta, alpha, None)
    if result.shape != x.shape:
        raise RuntimeError(
            f"{name}: Bad in-place call: input tensor size {list(x.shape)} and output tensor size "
            f"{list(result.shape)} should match"
        )
    check_out(name, x, result.dtype, exact=False)
    return x.copy_(result)


@public("addmm", globals())
def _addmm(x, mat1, mat2, *, beta=1, alpha=1, out=None):
    """beta * input + alpha * mat1 @ mat2, of sizes (n, k) and (k, m). The input broadcasts.

    >>> import stridecore as sc
    >>> sc.addmm(sc.ones(1, 1), sc.ones(1, 3), sc.ones(3, 1))
    tensor([[4.]])
    """
    return _addmm_of("addmm", x, mat1, mat2, beta, alpha, out)


@public("addmm_", globals(), function=False)
def _addmm_(x, mat1, mat2, *, beta=1, alpha=1):
    """beta * self + alpha * mat1 @ mat2, written over the tensor, which has the result's size.

    >>> import stridecore as sc
    >>> sc.ones(1, 1).addmm_(sc.ones(1, 3), sc.ones(3, 1))
    tensor([[4.]])
    """
    return _in_place("addmm_", _addmm_of, x, mat1, mat2, beta, alpha)


@public("addmv", globals())
def _addmv(x, mat, vec, *, beta=1, alpha=1, out=None):
    """beta * input + alpha * mat @ vec, of sizes (n, k) and (k). The input broadcasts.

    >>> import stridecore as sc
    >>> sc.addmv(sc.ones(1), sc.ones(1, 3), sc.ones(3))
    tensor([4.])
    """
    return _addmv_of("addmv", x, mat, vec, beta, alpha, out)


@public("addmv_", globals(), function=False)
def _addmv_(x, mat, vec, *, beta=1, alpha=1):
    """beta * self + alpha * mat @ vec, written over the tensor, which has the result's size.

    >>> import stridecore as sc
    >>> sc.ones(1).addmv_(sc.ones(1, 3), sc.ones(3))
    tensor([4.])
    """
    return _in_place("addmv_", _addmv_of, x, mat, vec, beta, alpha)


@public("addr", globals())
def _addr(x, vec1, vec2, *, beta=1, alpha=1, out=None):
    """beta * input + alpha * outer(vec1, vec2), of sizes (n) and (m). The input broadcasts.

    >>> import stridecore as sc
    >>> sc.addr(sc.ones(1, 1), sc.tensor([1.0]), sc.tensor([3.0]))
    tensor([[4.]])
    """
    return _addr_of("addr", x, vec1, vec2, beta, alpha, out)


@public("addr_", globals(), function=False)
def _addr_(x, vec1, vec2, *, beta=1, alpha=1):
    """beta * self + alpha * outer(vec1, vec2), written over the tensor, which has the result's size.

    >>> import stridecore as sc
    >>> sc.ones(1, 1).addr_(sc.tensor([1.0]), sc.tensor([3.0]))
    tensor([[4.]])
    """
    return _in_place("addr_", _addr_of, x, vec1, vec2, beta, alpha)


@public("addbmm", globals())
def _addbmm(x, batch1, batch2, *, beta=1, alpha=1, out=None):
    """beta * input + alpha * bmm(batch1, batch2).sum(0), of sizes (b, n, k) and (b, k, m). The input broadcasts.

    >>> import stridecore as sc
    >>> sc.addbmm(sc.ones(1, 1), sc.ones(3, 1, 1), sc.ones(3, 1, 1))
    tensor([[4.]])
    """
    return _addbmm_of("addbmm", x, batch1, batch2, beta, alpha, out)


@public("addbmm_", globals(), function=False)
def _addbmm_(x, batch1, batch2, *, beta=1, alpha=1):
    """beta * self + alpha * bmm(batch1, batch2).sum(0), written over the tensor, which has the result's size.

    >>> import stridecore as sc
    >>> sc.ones(1, 1).addbmm_(sc.ones(3, 1, 1), sc.ones(3, 1, 1))
    tensor([[4.]])
    """
    return _in_place("addbmm_", _addbmm_of, x, batch1, batch2, beta, alpha)


@public("baddbmm", globals())
def _baddbmm(x, batch1, batch2, *, beta=1, alpha=1, out=None):
    """beta * input + alpha * bmm(batch1, batch2), of sizes (b, n, k) and (b, k, m). The input broadcasts.

    >>> import stridecore as sc
    >>> sc.baddbmm(sc.ones(1, 1, 1), sc.ones(1, 1, 3), sc.ones(1, 3, 1))
    tensor([[[4.]]])
    """
    return _baddbmm_of("baddbmm", x, batch1, batch2, beta, alpha, out)


@public("baddbmm_", globals(), function=False)
def _baddbmm_(x, batch1, batch2, *, beta=1, alpha=1):
    """beta * self + alpha * bmm(batch1, batch2), written over the tensor, which has the result's size.

    >>> import stridecore as sc
    >>> sc.ones(1, 1, 1).baddbmm_(sc.ones(1, 1, 3), sc.ones(1, 3, 1))
    tensor([[[4.]]])
    """
    return _in_place("baddbmm_", _baddbmm_of, x, batch1, batch2, beta, alpha)
