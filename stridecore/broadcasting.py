"""Several tensors brought to sizes that fit: views with new dims of size 1 or with dims repeated by a stride of 0."""

from stridecore.core.size import Size
from stridecore.core.tensor_impl import TensorImpl

__all__ = ["atleast_1d", "atleast_2d", "atleast_3d", "broadcast_shapes", "broadcast_tensors"]


def _tensor(value, function, name):
    if not isinstance(value, TensorImpl):
        raise TypeError(f"{function}: {name} must be Tensor, not {type(value).__name__}")
    return value


def _atleast(tensors, function, raised):
    """`raised` of one tensor, or of each of several, given one by one or in a tuple or list."""
    if len(tensors) == 1 and not isinstance(tensors[0], tuple | list):
        return raised(_tensor(tensors[0], function, "input"))
    if len(tensors) == 1:
        tensors = tensors[0]
    return tuple([raised(_tensor(x, function, f"tensor {i}")) for i, x in enumerate(tensors)])


def atleast_1d(*tensors):
    """Each tensor with at least 1 dim: a 0-dim one as a view of size [1], any other itself.

    Takes tensors, or one tuple or list of them; gives a tensor for one tensor and otherwise a tuple.

    >>> import stridecore as sc
    >>> sc.atleast_1d(sc.tensor(5))
    tensor([5])
    """
    return _atleast(tensors, "atleast_1d", lambda x: x.reshape(1) if x.ndim == 0 else x)


def atleast_2d(*tensors):
    """Each tensor with at least 2 dims: one of fewer dims as a view with new leading dims of size 1.

    Takes tensors, or one tuple or list of them; gives a tensor for one tensor and otherwise a tuple.

    >>> import stridecore as sc
    >>> sc.atleast_2d(sc.arange(3))
    tensor([[0, 1, 2]])
    """
    return _atleast(tensors, "atleast_2d", _raised_2d)


def _raised_2d(x):
    return x.reshape(1, 1) if x.ndim == 0 else x.unsqueeze(0) if x.ndim == 1 else x


def atleast_3d(*tensors):
    """Each tensor with at least 3 dims: (n,) as a view of size (1, n, 1), (m, n) as one of size (m, n, 1).

    Takes tensors, or one tuple or list of them; gives a tensor for one tensor and otherwise a tuple.

    >>> import stridecore as sc
    >>> sc.atleast_3d(sc.zeros(2, 3)).shape
    stridecore.Size([2, 3, 1])
    """
    return _atleast(tensors, "atleast_3d", _raised_3d)


def _raised_3d(x):
    if x.ndim == 0:
        return x.reshape(1, 1, 1)
    return x.unsqueeze(0).unsqueeze(-1) if x.ndim == 1 else x.unsqueeze(-1) if x.ndim == 2 else x


def broadcast_shapes(*shapes):
    """The Size to which all of these sizes (tuples, lists or ints) broadcast; RuntimeError if there is none.

    >>> import stridecore as sc
    >>> sc.broadcast_shapes((2, 1), (3,), 1)
    stridecore.Size([2, 3])
    """
    shapes = [Size([s] if isinstance(s, int) else s) for s in shapes]
    result = [1] * max([len(s) for s in shapes], default=0)
    for i, shape in enumerate(shapes):
        for dim in range(-len(shape), 0):
            n = shape[dim]
            if n < 0:
                raise ValueError(f"broadcast_shapes: size {n} in {tuple(shape)} is negative")
            if n != 1 and result[dim] != 1 and n != result[dim]:
                raise RuntimeError(
                    f"broadcast_shapes: size {n} of dim {dim} of argument {i}, {tuple(shape)}, does not match "
                    f"{result[dim]}; sizes broadcast if they are equal or one of them is 1"
                )
            if n != 1:
                result[dim] = n
    return Size(result)


def broadcast_tensors(*tensors):
    """All tensors expanded to the size to which they broadcast, as a tuple of views; RuntimeError if there is none.

    >>> import stridecore as sc
    >>> a, b = sc.broadcast_tensors(sc.zeros(2, 1), sc.zeros(3))
    >>> a.stride(), b.stride()
    ((1, 0), (0, 1))
    """
    size = broadcast_shapes(*[_tensor(x, "broadcast_tensors", f"tensor {i}").shape for i, x in enumerate(tensors)])
    return tuple([x if x.shape == size else x.expand(size) for x in tensors])
