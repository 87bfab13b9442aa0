"""Metadata: what a tensor says about itself without looking at its elements."""
cimport cython
from cpython.object cimport PyObject
from libc.stdint cimport int64_t
from libc.string cimport memcmp

from stridecore.core.args cimport int_arg, wrap_dim
from stridecore.core.device cimport CPU
from stridecore.core.dtype cimport dtype_of
from stridecore.core.engine cimport *
from stridecore.core.memory_format cimport (CHANNELS_LAST, CHANNELS_LAST_3D, CONTIGUOUS_FORMAT, as_memory_format,
                                            contiguous_format, memory_format, strided)
from stridecore.core.size cimport size_from, tuple_from
from stridecore.core.tensor_impl cimport *


cdef extern from "Python.h":
    object PyLong_FromLongLong(long long)


cdef PyObject *dtypes[<int>SC_NUM_DTYPES]    # borrowed from the immortal dtypes


cdef void list_dtypes():
    cdef int code
    for code in range(<int>SC_NUM_DTYPES):
        found = dtype_of(<sc_dtype>code)
        dtypes[code] = <PyObject *>found


list_dtypes()


cdef TensorImpl as_tensor_arg(object value, str function, str name):
    """A tensor argument; TypeError for anything else."""
    if not isinstance(value, TensorImpl):
        raise TypeError(f"{function}: {name} must be Tensor, not {type(value).__name__}")
    return <TensorImpl>value


cdef int64_t existing_dim(object dim, TensorImpl t, str function) except -1:
    """A dim of a tensor that must have dims."""
    cdef int64_t d = int_arg(dim, function, "dim")
    if t._ss.ndim == 0:
        raise IndexError(f"{function}: Dimension specified as {d} but tensor has no dimensions")
    return wrap_dim(d, t._ss.ndim, function)


cdef bint has_format(TensorImpl t, int format) noexcept:
    """True iff the elements lie in the order of this memory format without gaps."""
    if format == CHANNELS_LAST:
        return t._ss.ndim == 4 and sc_is_channels_last(4, sizes_of(t), strides_of(t))
    if format == CHANNELS_LAST_3D:
        return t._ss.ndim == 5 and sc_is_channels_last(5, sizes_of(t), strides_of(t))
    return is_contiguous(t)


@cython.no_gc
cdef class TensorMetadata(TensorImpl):
    """Sizes, strides, dtype and the other facts about a tensor."""

    # ---- sizes and strides --------------------------------------------------------------------------------

    @property
    def shape(self):
        """The sizes, as a Size.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3).shape
        stridecore.Size([2, 3])
        """
        return size_from(self._ss.ndim, sizes_of(self))

    def size(self, dim=None):
        """All sizes as a Size, or the size of one dim as an int; IndexError for a dim that there isn't.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3).size(), sc.zeros(2, 3).size(-1)
        (stridecore.Size([2, 3]), 3)
        """
        if dim is None:
            return size_from(self._ss.ndim, sizes_of(self))
        return PyLong_FromLongLong(sizes_of(self)[existing_dim(dim, self, "size")])

    def stride(self, dim=None):
        """All strides as a tuple, or the stride of one dim as an int, in elements.

        The stride of a dim is how far apart in the storage its neighbours are.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3).stride(), sc.zeros(2, 3).t().stride(0)
        ((3, 1), 1)
        """
        if dim is None:
            return tuple_from(self._ss.ndim, strides_of(self))
        return PyLong_FromLongLong(strides_of(self)[existing_dim(dim, self, "stride")])

    @property
    def ndim(self):
        """The number of dims."""
        return PyLong_FromLongLong(self._ss.ndim)

    @cython.always_allow_keywords(False)
    def dim(self):
        """The number of dims.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3).dim()
        2
        """
        return PyLong_FromLongLong(self._ss.ndim)

    @cython.always_allow_keywords(False)
    def ndimension(self):
        """The number of dims: another name of `dim`.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3).ndimension()
        2
        """
        return PyLong_FromLongLong(self._ss.ndim)

    @cython.always_allow_keywords(False)
    def nelement(self):
        """The number of elements: another name of `numel`.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3).nelement()
        6
        """
        return PyLong_FromLongLong(self._numel)

    def is_same_size(self, other):
        """True if `other` has the same sizes.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3).is_same_size(sc.zeros(6)), sc.zeros(6).is_same_size(sc.ones(6))
        (False, True)
        """
        cdef TensorImpl t = as_tensor_arg(other, "is_same_size", "other")
        return (self._ss.ndim == t._ss.ndim
                and memcmp(sizes_of(self), sizes_of(t), self._ss.ndim * sizeof(int64_t)) == 0)

    # ---- bytes and elements -------------------------------------------------------------------------------

    @property
    def dtype(self):
        """The type of the elements.

        >>> import stridecore as sc
        >>> sc.zeros(2).dtype
        stridecore.float32
        """
        return <object>dtypes[self._dtype]

    @cython.always_allow_keywords(False)
    def element_size(self):
        """The bytes of one element.

        >>> import stridecore as sc
        >>> sc.zeros(2).element_size()
        4
        """
        return PyLong_FromLongLong(itemsize_of(self))

    @property
    def itemsize(self):
        """The bytes of one element."""
        return PyLong_FromLongLong(itemsize_of(self))

    @property
    def nbytes(self):
        """The bytes of all elements: numel * itemsize, whatever the storage has."""
        return PyLong_FromLongLong(self._numel) * itemsize_of(self)

    def is_complex(self):
        """True if the elements are complex.

        >>> import stridecore as sc
        >>> sc.zeros(2).is_complex()
        False
        """
        return sc_is_complex(<sc_dtype>self._dtype)

    def is_floating_point(self):
        """True if the elements are floats of some size.

        >>> import stridecore as sc
        >>> sc.zeros(2).is_floating_point()
        True
        """
        return sc_is_floating_point(<sc_dtype>self._dtype)

    def is_signed(self):
        """True if the elements can be negative.

        >>> import stridecore as sc
        >>> sc.zeros(2).is_signed()
        True
        """
        return sc_is_signed(<sc_dtype>self._dtype)

    def is_conj(self):
        """True if the elements stand for the conjugates of the stored ones.

        >>> import stridecore as sc
        >>> sc.zeros(2, dtype=sc.complex64).conj().is_conj()
        True
        """
        return (self._bits & SC_CONJ) != 0

    def is_neg(self):
        """True if the elements stand for the negatives of the stored ones.

        >>> import stridecore as sc
        >>> sc.zeros(2, dtype=sc.complex64).conj().imag.is_neg()
        True
        """
        return (self._bits & SC_NEG) != 0

    # ---- layout -------------------------------------------------------------------------------------------

    def is_contiguous(self, *, memory_format=contiguous_format):
        """True if the elements lie without gaps in row-major order, or in that of `memory_format`.

        >>> import stridecore as sc
        >>> x = sc.zeros(2, 3)
        >>> x.is_contiguous(), x.t().is_contiguous()
        (True, False)
        """
        if memory_format is contiguous_format:
            return is_contiguous(self)
        if memory_format is None:
            raise TypeError("is_contiguous: memory_format must be a stridecore.memory_format, not NoneType")
        return has_format(self, as_memory_format(memory_format, CONTIGUOUS_FORMAT, "is_contiguous"))

    def is_non_overlapping_and_dense(self):
        """True if the elements fill a piece of memory without gaps or overlaps, in some order of the dims.

        >>> import stridecore as sc
        >>> x = sc.zeros(2, 3)
        >>> x.t().is_non_overlapping_and_dense(), x[:, ::2].is_non_overlapping_and_dense()
        (True, False)
        """
        return sc_is_non_overlapping_and_dense(self._ss.ndim, sizes_of(self), strides_of(self))

    def dim_order(self, *, ambiguity_check=False):
        """The dims from the outermost in memory to the innermost.

        With ambiguity_check=True, RuntimeError when other orders describe the layout as well; with a list of memory
        formats, only unless exactly one of them does.

        >>> import stridecore as sc
        >>> sc.zeros(2, 3, 4).transpose(0, 2).dim_order()
        (2, 1, 0)
        """
        cdef int64_t order[SC_MAX_NDIM]
        cdef int64_t n = self._ss.ndim
        cdef int64_t *sizes = sizes_of(self)
        cdef int64_t *strides = strides_of(self)
        cdef int64_t d
        cdef bint ambiguous = False, last
        if not isinstance(ambiguity_check, bool):
            if (not isinstance(ambiguity_check, list)
                    or not all([isinstance(each, memory_format) for each in ambiguity_check])):
                raise TypeError("dim_order: ambiguity_check must be a bool or a list of memory formats")
        if ambiguity_check is not False:
            for d in range(n):
                ambiguous = ambiguous or sizes[d] == 1 or (d > 0 and strides[d] == strides[d - 1])
            if ambiguous and (ambiguity_check is True or sum(
                    [has_format(self, (<memory_format>each).code) for each in ambiguity_check]) != 1):
                raise RuntimeError(f"dim_order: the tensor of size {list(self.shape)} and stride {list(self.stride())} "
                                   "does not have unique dim order")
        last = has_format(self, CHANNELS_LAST)
        if is_contiguous(self) and not last:
            for d in range(n):
                order[d] = d
        elif last and not is_contiguous(self):
            order[0], order[1], order[2], order[3] = 0, 2, 3, 1
        else:
            sc_stride_order(n, sizes, strides, order)
            for d in range(n // 2):
                order[d], order[n - 1 - d] = order[n - 1 - d], order[d]
        return tuple_from(n, order)

    @property
    def layout(self):
        """stridecore.strided: elements lie where strides say."""
        return strided

    @property
    def device(self):
        """device("cpu")."""
        return CPU

    def get_device(self):
        """-1, the index of the CPU.

        >>> import stridecore as sc
        >>> sc.zeros(2).get_device()
        -1
        """
        return -1

    # ---- storage and views --------------------------------------------------------------------------------

    def untyped_storage(self):
        """The bytes that this tensor and its views are views of, always the same object.

        >>> import stridecore as sc
        >>> x = sc.zeros(2, 3)
        >>> x[1].untyped_storage() is x.untyped_storage()
        True
        """
        return self._storage

    def _is_view(self):
        """True if the tensor was made as a view of another one."""
        return self._root is not None

    @property
    def _base(self):
        """The tensor that this one is a view of, itself never a view; None if this is no view.

        >>> import stridecore as sc
        >>> x = sc.zeros(2, 3)
        >>> x[0][1]._base is x
        True
        """
        return self._root

    def is_set_to(self, tensor):
        """True if `tensor` has the same storage, offset, sizes and strides.

        False if one of the two has its conjugate or negative bit set: it stands for other values than the stored ones.

        >>> import stridecore as sc
        >>> x = sc.zeros(2, 3)
        >>> x.is_set_to(x.view(2, 3)), x.is_set_to(x.t())
        (True, False)
        """
        cdef TensorImpl t = as_tensor_arg(tensor, "is_set_to", "tensor")
        cdef size_t nbytes = <size_t>self._ss.ndim * sizeof(int64_t)
        return (self._storage is t._storage and not (self._bits | t._bits) and self._storage_offset == t._storage_offset
                and self._ss.ndim == t._ss.ndim and memcmp(sizes_of(self), sizes_of(t), nbytes) == 0
                and memcmp(strides_of(self), strides_of(t), nbytes) == 0)

    # ---- what a tensor without gradients, in the CPU's memory, says ---------------------------------------

    @property
    def requires_grad(self):
        """False: stridecore has no gradients. Setting it to True is a NotImplementedError."""
        return False

    @requires_grad.setter
    def requires_grad(self, value):
        if not isinstance(value, bool):
            raise RuntimeError(f"requires_grad must be a bool, not {type(value).__name__}")
        if value:
            refuse_grad("requires_grad")

    def requires_grad_(self, requires_grad=True):
        """self for False; NotImplementedError for True: stridecore has no gradients.

        >>> import stridecore as sc
        >>> sc.zeros(2).requires_grad_(False)
        tensor([0., 0.])
        """
        if not isinstance(requires_grad, bool):
            raise TypeError(f"requires_grad_: requires_grad must be bool, not {type(requires_grad).__name__}")
        if requires_grad:
            refuse_grad("requires_grad_")
        return self

    @property
    def is_leaf(self):
        """True: no tensor has a history of gradients."""
        return True

    @property
    def grad(self):
        """None: stridecore has no gradients."""
        return None

    @grad.setter
    def grad(self, value):
        if value is not None:
            refuse_grad("grad")

    @property
    def grad_fn(self):
        """None: stridecore has no gradients."""
        return None

    @property
    def retains_grad(self):
        """False: stridecore has no gradients."""
        return False

    @property
    def output_nr(self):
        """0: no tensor has a history of gradients."""
        return 0

    def is_inference(self):
        """False: there is no inference mode.

        >>> import stridecore as sc
        >>> sc.zeros(2).is_inference()
        False
        """
        return False

    @property
    def is_cpu(self):
        """True: every tensor is in the CPU's memory."""
        return True

    @property
    def is_cuda(self):
        """False: every tensor is in the CPU's memory."""
        return False

    @property
    def is_meta(self):
        """False: every tensor has memory."""
        return False

    @property
    def is_quantized(self):
        """False: there are no quantized dtypes."""
        return False

    @property
    def is_sparse(self):
        """False: the elements are strided."""
        return False

    @property
    def is_sparse_csr(self):
        """False: the elements are strided."""
        return False


cdef int refuse_grad(str function) except -1:
    raise NotImplementedError(f"{function}: stridecore has no gradients; tensors are memory only")
