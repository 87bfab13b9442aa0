"""`Tensor`: what Python users see. Thin: whatever is hot lives in the core's chain of classes below it."""

from stridecore.core import tensor_impl
from stridecore.core.exchange import StorageAttribute
from stridecore.core.tensor_base import TensorBase
from stridecore.storage import class_of

__all__ = ["Tensor"]


class Tensor(TensorBase):
    """A view of a storage: sizes, strides and an offset over one-dimensional memory."""

    __slots__ = ()
    __module__ = "stridecore"
    __array_priority__ = 1000  # NumPy leaves operators with a tensor on the right to the tensor

    def __repr__(self):
        from stridecore.printing import tensor_str

        return tensor_str(self, "tensor" if type(self) is Tensor else type(self).__name__)

    def __format__(self, spec):
        if type(self) is Tensor and self.dim() == 0:
            return format(self.item(), spec)
        return object.__format__(self, spec)

    def __array_wrap__(self, array, context=None, return_scalar=False):
        """What NumPy's functions make of a tensor: a tensor, as in torch (bools come as uint8)."""
        from stridecore.core.ndarray import from_numpy

        if not hasattr(array, "__array_interface__"):
            return array
        if array.dtype == bool:
            array = array.astype("uint8")
        if not getattr(array, "shape", ()):
            import numpy

            array = numpy.array(array)
        return from_numpy(array)

    storage = StorageAttribute()

    def storage_type(self):
        """The storage class for the dtype, such as stridecore.FloatStorage; None for dtypes that have none."""
        return class_of(self.dtype)

    def is_shared(self):
        """Whether other processes can see the memory: after share_memory_() and from_file(shared=True).

        >>> import stridecore as sc
        >>> sc.zeros(2).is_shared()
        False
        """
        return self.untyped_storage().is_shared()

    def share_memory_(self):
        """Move the tensor's whole storage into memory that other processes can see; returns the tensor.

        Every tensor on the storage follows, which can't be resized any more. Sent through multiprocessing it is the
        same memory on the other side. NumPy arrays that were taken before keep the old memory.

        >>> import stridecore as sc
        >>> x = sc.arange(3)
        >>> x[1:].share_memory_()
        tensor([1, 2])
        >>> x.is_shared()
        True
        """
        self.untyped_storage().share_memory_()
        return self

    def is_pinned(self, device=None):
        """False: pinned memory is for accelerators.

        >>> import stridecore as sc
        >>> sc.zeros(2).is_pinned()
        False
        """
        return False

    def backward(self, gradient=None, retain_graph=None, create_graph=False, inputs=None):
        """NotImplementedError: stridecore has no autograd.

        >>> import stridecore as sc
        >>> sc.zeros(2).backward()
        Traceback (most recent call last):
            ...
        NotImplementedError: backward: stridecore has no autograd
        """
        raise NotImplementedError("backward: stridecore has no autograd")

    def __reduce_ex__(self, protocol):
        from stridecore.pickling import reduce_tensor

        return reduce_tensor(self, protocol)

    def __deepcopy__(self, memo):
        from stridecore.pickling import deepcopy_tensor

        return deepcopy_tensor(self, memo)


tensor_impl.register(Tensor)
