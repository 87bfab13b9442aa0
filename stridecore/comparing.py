"""Whether two tensors hold the same: equal and allclose."""

import numpy as np

from stridecore.operands import number
from stridecore.reducing import is_true, lend, plain, public, tensor_argument

__all__ = "allclose equal".split()


@public("equal", globals())
def _equal(x, other):
    """True if both tensors have one size and equal elements, whatever their dtypes. nan is equal to nothing.

    >>> import stridecore as sc
    >>> sc.equal(sc.tensor([1, 2]), sc.tensor([1, 2])), sc.equal(sc.tensor([1, 2]), sc.tensor([[1, 2]]))
    (True, False)
    """
    tensor_argument("equal", other, "other", 2)
    return x.shape == other.shape and bool(lend("equal", np.array_equal, (plain(x), plain(other))))


@public("allclose", globals())
def _allclose(x, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """True if abs(x - other) <= atol + rtol * abs(other) for all elements, which broadcast.

    Equal infinities are close; nan is close to nan if `equal_nan`. RuntimeError for different dtypes and for sizes
    that do not broadcast.

    >>> import stridecore as sc
    >>> sc.allclose(sc.tensor([1.0, 2.0]), sc.tensor([1.0, 2.0 + 1e-7]))
    True
    """
    tensor_argument("allclose", other, "other", 2)
    is_true("allclose", "equal_nan", equal_nan)
    for name, value in (("rtol", rtol), ("atol", atol)):
        if number(value) is None:
            raise TypeError(f"allclose(): argument '{name}' must be float, not {type(value).__name__}")
        if value < 0:
            raise RuntimeError(f"allclose: {name} must be greater than or equal to zero, but got {value}")
    if x.dtype is not other.dtype:
        raise RuntimeError(f"allclose: {x.dtype.name} did not match {other.dtype.name}. Convert one with .to(...)")
    for d in range(-min(x.ndim, other.ndim), 0):
        a, b = x.shape[d], other.shape[d]
        if a != b and a != 1 and b != 1:
            raise RuntimeError(
                f"allclose: The size of tensor a ({a}) must match the size of tensor b ({b}) at non-singleton "
                f"dimension {d}: {list(x.shape)} and {list(other.shape)}"
            )

    def compare(a, b):
        return np.isclose(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan).all()

    return bool(lend("allclose", compare, (plain(x), plain(other))))
