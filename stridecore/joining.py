"""Tensors joined: cat and stack (in the core, joining.pyx) and what is built on them."""

from stridecore.broadcasting import _raised_2d, _raised_3d
from stridecore.core import joining as _joining
from stridecore.core.tensor_impl import TensorImpl

__all__ = "cat column_stack concat concatenate dstack hstack row_stack stack vstack".split()

cat = _joining.cat
concat = _joining.concat
concatenate = _joining.concatenate
stack = _joining.stack


def tensor_list(tensors, function):
    """The tensors as a list; torch's errors for anything else."""
    if not isinstance(tensors, tuple | list):
        raise TypeError(
            f"{function}(): argument 'tensors' (position 1) must be tuple of Tensors, not {type(tensors).__name__}"
        )
    for i, x in enumerate(tensors):
        if not isinstance(x, TensorImpl):
            raise TypeError(f"{function}: expected Tensor as element {i} in argument 0, but got {type(x).__name__}")
    if not tensors:
        raise RuntimeError(f"{function} expects a non-empty TensorList")
    return tensors


def hstack(tensors, *, out=None):
    """Tensors of 1 dim joined along it, tensors of more along dim 1; 0-dim ones count as size [1]. See cat.

    >>> import stridecore as sc
    >>> sc.hstack([sc.zeros(2, 1), sc.ones(2, 1)])
    tensor([[0., 1.],
            [0., 1.]])
    """
    raised = [x if x.ndim else x.reshape(1) for x in tensor_list(tensors, "hstack")]
    return cat(raised, 0 if raised[0].ndim == 1 else 1, out=out)


def vstack(tensors, *, out=None):
    """Tensors joined along dim 0; those of fewer than 2 dims are rows. See cat.

    >>> import stridecore as sc
    >>> sc.vstack([sc.arange(2), sc.zeros(2, 2)])
    tensor([[0., 1.],
            [0., 0.],
            [0., 0.]])
    """
    return cat([_raised_2d(x) for x in tensor_list(tensors, "vstack")], out=out)


def row_stack(tensors, *, out=None):
    """The same as vstack.

    >>> import stridecore as sc
    >>> sc.row_stack([sc.arange(2), sc.arange(2)])
    tensor([[0, 1],
            [0, 1]])
    """
    return cat([_raised_2d(x) for x in tensor_list(tensors, "row_stack")], out=out)


def dstack(tensors, *, out=None):
    """Tensors joined along dim 2; those of fewer dims are first seen as atleast_3d sees them. See cat.

    >>> import stridecore as sc
    >>> sc.dstack([sc.arange(2), sc.arange(2)])
    tensor([[[0, 0],
             [1, 1]]])
    """
    return cat([_raised_3d(x) for x in tensor_list(tensors, "dstack")], 2, out=out)


def column_stack(tensors, *, out=None):
    """Tensors joined along dim 1; those of fewer than 2 dims are columns. See cat.

    >>> import stridecore as sc
    >>> sc.column_stack([sc.arange(2), sc.zeros(2, 2)])
    tensor([[0., 0., 0.],
            [1., 0., 0.]])
    """
    return hstack([x.reshape(-1, 1) if x.ndim < 2 else x for x in tensor_list(tensors, "column_stack")], out=out)
