"""cat and stack: tensors joined along a dim, each written by one engine copy into its part of the result.

    cat      (2, 3) and (4, 3) along dim 0   ->  (6, 3): rows 0-1 are the first, rows 2-5 the second
    stack    (2, 3) and (2, 3) along dim 1   ->  (2, 2, 3): cat along dim 1, (2, 6), seen as (2, 2, 3)

A piece is copied from whatever layout and dtype it has; no piece is made contiguous or converted first. Everything is
checked before the first byte is written, and again, piece by piece, where other threads may have run in between.
"""
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.stdint cimport int64_t

from stridecore.core cimport engine
from stridecore.core.args cimport as_int, wrap_dim
from stridecore.core.copy cimport raise_status, warn_complex
from stridecore.core.dtype cimport dtype_of
from stridecore.core.engine cimport *
from stridecore.core.index_loop cimport refuse_self_overlap
from stridecore.core.options cimport as_out, fit_out, has_to_shrink_or_grow
from stridecore.core.options import warn_of_resize
from stridecore.core.promotion cimport promote
from stridecore.core.tensor_impl cimport *

# Below this many elements a copy costs less than letting go of the GIL and taking it again.
cdef enum:
    GIL_NUMEL = 4096
    LINE_BYTES = 64
    PART_BYTES = 128 << 10


# ---- arguments ------------------------------------------------------------------------------------------------

cdef tuple tensors_arg(object tensors, str function):
    """The tensors as a tuple of their own, so that nobody can change it; TypeError for anything else."""
    cdef tuple pieces
    if not isinstance(tensors, (tuple, list)):
        raise TypeError(f"{function}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
                        f"{type(tensors).__name__}")
    pieces = tuple(tensors)
    for i in range(PyTuple_GET_SIZE(pieces)):
        if not isinstance(<object>PyTuple_GET_ITEM(pieces, i), TensorImpl):
            raise TypeError(f"{function}: expected Tensor as element {i} in argument 0, but got "
                            f"{type(pieces[i]).__name__}")
    return pieces


cdef inline bint is_skipped(TensorImpl t) noexcept:
    """True for a tensor of size (0,), which cat takes along with tensors of any size."""
    return t._ss.ndim == 1 and sizes_of(t)[0] == 0


cdef inline object dim_arg(object dim, object axis, str function):
    if axis is None:
        return dim
    if type(dim) is not int or dim != 0:
        raise TypeError(f"{function}: got both dim and axis, which are the same argument")
    return axis


# ---- the result's dtype and layout ----------------------------------------------------------------------------

cdef bint prefers_channels_last(TensorImpl t) noexcept:
    """True iff the strides say channels_last (4 dims) or channels_last_3d (5): going N <- (D) <- H <- W <- C inwards no
    stride is smaller than the extent of the dims inside it. Layouts that row-major order explains too do not count."""
    cdef int64_t *sizes = sizes_of(t)
    cdef int64_t *strides = strides_of(t)
    cdef int64_t ndim = t._ss.ndim, extent = 0, d, i
    if ndim != 4 and ndim != 5 or strides[1] == 0:
        return False
    for i in range(ndim):
        d = 1 if i == 0 else 0 if i == ndim - 1 else ndim - i    # C, W, H, (D,) N
        if sizes[d] == 0 or strides[d] < extent or d == 0 and extent == strides[1]:
            return False
        extent = strides[d]
        if sizes[d] > 1 and not sc_mul(extent, sizes[d], &extent):
            return False
    return True


cdef sc_dtype promoted(tuple pieces) except *:
    cdef Py_ssize_t i
    cdef sc_dtype dtype = <sc_dtype>(<TensorImpl>PyTuple_GET_ITEM(pieces, 0))._dtype
    for i in range(1, PyTuple_GET_SIZE(pieces)):
        if (<TensorImpl>PyTuple_GET_ITEM(pieces, i))._dtype != dtype:
            dtype = promote(dtype, <sc_dtype>(<TensorImpl>PyTuple_GET_ITEM(pieces, i))._dtype)
    return dtype


cdef int category(sc_dtype d) noexcept:
    return 3 if sc_is_complex(d) else 2 if sc_is_floating_point(d) else 1 if sc_is_integral(d) else 0


cdef struct Joint:
    int64_t ndim
    int64_t dim
    int64_t sizes[SC_MAX_NDIM]
    bint channels_last


cdef int measure(tuple pieces, int64_t dim, Joint *joint, str function) except -1:
    """The result's sizes and layout; every piece is compared with the first that counts."""
    cdef Py_ssize_t i, first = -1
    cdef int64_t d
    cdef int64_t *sizes
    cdef TensorImpl t
    joint.channels_last = True
    for i in range(PyTuple_GET_SIZE(pieces)):
        t = <TensorImpl>PyTuple_GET_ITEM(pieces, i)
        joint.channels_last = joint.channels_last and prefers_channels_last(t)
        if t._ss.ndim == 0:
            raise RuntimeError(f"{function}: zero-dimensional tensor (at position {i}) cannot be concatenated; stack "
                               "joins along a new dim")
        if is_skipped(t):
            continue
        sizes = sizes_of(t)
        if first < 0:
            first = i
            joint.ndim, joint.dim = t._ss.ndim, wrap_dim(dim, t._ss.ndim, function)
            for d in range(t._ss.ndim):
                joint.sizes[d] = sizes[d]
            continue
        if t._ss.ndim != joint.ndim:
            raise RuntimeError(f"{function}: Tensors must have same number of dimensions: got {joint.ndim} and "
                               f"{t._ss.ndim} ({list((<TensorImpl>pieces[first]).sizes())} at position {first}, "
                               f"{list(t.sizes())} at position {i})")
        for d in range(joint.ndim):
            if d == joint.dim:
                if not sc_add(joint.sizes[d], sizes[d], &joint.sizes[d]):
                    raise RuntimeError(f"{function}: the sizes of dim {d} add up to more than 64 bits hold")
            elif sizes[d] != joint.sizes[d]:
                raise RuntimeError(f"{function}: Sizes of tensors must match except in dimension {joint.dim}. Expected "
                                   f"size {joint.sizes[d]} but got size {sizes[d]} for tensor number {i} in the list: "
                                   f"{list((<TensorImpl>pieces[first]).sizes())} and {list(t.sizes())}")
    if first < 0:    # only tensors of size (0,)
        joint.ndim, joint.dim, joint.sizes[0] = 1, 0, 0
    return 0


# ---- out= -----------------------------------------------------------------------------------------------------

cdef int refuse_overlap(tuple pieces, TensorImpl out, int64_t ndim, const int64_t *sizes, const int64_t *strides,
                        str function) except -1:
    """RuntimeError if out, with the layout that it is to have, would reach memory of a piece."""
    cdef int64_t to_strides[SC_MAX_NDIM]
    cdef int64_t from_strides[SC_MAX_NDIM]
    cdef int64_t d, numel = 0, itemsize = itemsize_of(out)
    cdef Py_ssize_t i
    cdef TensorImpl t
    if not sc_numel(ndim, sizes, &numel) or numel == 0:
        return 0    # too large is fit_out's to say
    for d in range(ndim):
        if not sc_mul(strides[d] if sizes[d] > 1 else 0, itemsize, &to_strides[d]):
            return 0
    for i in range(PyTuple_GET_SIZE(pieces)):
        t = <TensorImpl>PyTuple_GET_ITEM(pieces, i)
        if t._numel == 0:
            continue
        byte_strides_of(t, from_strides)
        if engine.overlaps(data_of(out), ndim, sizes, to_strides, itemsize, data_of(t), t._ss.ndim, sizes_of(t),
                           from_strides, itemsize_of(t)):
            raise RuntimeError(f"{function}: unsupported operation: some elements of the input tensor at position {i} "
                               "and the written-to tensor refer to a single memory location. Please clone() the "
                               "tensor before performing the operation")
    return 0


cdef TensorImpl prepared_out(tuple pieces, object out_, sc_dtype dtype, Joint *joint, str function):
    """The out= tensor, checked and with the result's sizes."""
    cdef int64_t strides[SC_MAX_NDIM]
    cdef int64_t d
    cdef TensorImpl out = as_out(out_, None, function)
    cdef bint fits = out._ss.ndim == joint.ndim
    if category(dtype) > category(<sc_dtype>out._dtype):
        raise TypeError(f"{function}: input types can't be cast to the desired output type "
                        f"{dtype_of(<sc_dtype>out._dtype)!r}: they promote to {dtype_of(dtype)!r}")
    for d in range(joint.ndim):
        fits = fits and sizes_of(out)[d] == joint.sizes[d]
    if fits:
        refuse_self_overlap(out, function)
        refuse_overlap(pieces, out, joint.ndim, joint.sizes, strides_of(out), function)
    else:
        if not (sc_channels_last_strides(joint.ndim, joint.sizes, strides) if joint.channels_last
                else sc_contiguous_strides(joint.ndim, joint.sizes, strides)):
            raise RuntimeError(f"{function}: Stride calculation overflowed")
        refuse_overlap(pieces, out, joint.ndim, joint.sizes, strides, function)
        fit_out(out, joint.ndim, joint.sizes, function)
        if joint.channels_last:
            set_layout(out, out._storage_offset, joint.ndim, joint.sizes, strides, function)
    check_writable(out, function)
    return out


# ---- the copies -----------------------------------------------------------------------------------------------

# A part of the result: `count` indices of each dim from `start` on, but along the joined dim, where it is complete.
cdef struct Part:
    int64_t ndim
    int64_t dim
    int64_t sizes[SC_MAX_NDIM]      # the result's
    int64_t strides[SC_MAX_NDIM]    # the result's, in bytes
    int64_t start[SC_MAX_NDIM]
    int64_t count[SC_MAX_NDIM]


cdef int write_part(tuple pieces, TensorImpl result, char *data, Part *part, str function) except -1:
    """Copy what each piece has of a part of the result, whose memory is at `data` and held by the caller."""
    cdef int64_t sizes[SC_MAX_NDIM]
    cdef int64_t from_strides[SC_MAX_NDIM]
    cdef int64_t d, numel, ndim = part.ndim, dim = part.dim, rest = part.sizes[part.dim]
    cdef sc_operand to, source
    cdef sc_block *from_block
    cdef sc_status status = SC_OK
    cdef TensorImpl t
    cdef Py_ssize_t i
    to.data, to.byte_strides, to.dtype, to.bits = data, part.strides, <sc_dtype>result._dtype, result._bits
    source.byte_strides = from_strides
    for d in range(ndim):
        sizes[d] = part.count[d]
        to.data += part.start[d] * part.strides[d]
    for i in range(PyTuple_GET_SIZE(pieces)):
        t = <TensorImpl>PyTuple_GET_ITEM(pieces, i)
        if t._numel == 0:
            continue
        for d in range(ndim):
            if t._ss.ndim != ndim or (sizes_of(t)[d] > rest if d == dim else sizes_of(t)[d] != part.sizes[d]):
                raise RuntimeError(f"{function}: the tensor at position {i} changed its size meanwhile")
        check_reach(t, function)
        byte_strides_of(t, from_strides)
        source.data, source.dtype, source.bits = data_of(t), <sc_dtype>t._dtype, t._bits
        if sc_is_complex(source.dtype) and not sc_is_complex(to.dtype) and to.dtype != SC_BOOL:
            warn_complex()
        sizes[dim] = sizes_of(t)[dim]
        numel = 1
        for d in range(ndim):
            source.data += part.start[d] * from_strides[d]
            numel *= sizes[d]
        if numel < GIL_NUMEL:
            status = engine.copy(ndim, sizes, &to, &source)
        else:
            from_block = t._storage.block
            engine.block_retain(from_block)
            with nogil:
                status = engine.copy(ndim, sizes, &to, &source)
            engine.block_release(from_block)
        if status != SC_OK:
            raise_status(status, result, function)
        to.data += sizes[dim] * part.strides[dim]
        rest -= sizes[dim]
    return 0


cdef int64_t cut_dim(TensorImpl result, int64_t dim, Py_ssize_t n, int64_t *bytes_an_index) noexcept:
    """The dim along which the result is cut into parts that stay in the cache, or -1 to write it as a whole.

    Pieces that lie interleaved at less than a cache line touch every line of the result once each. (2000, 500, 4)
    stacked from four (2000, 500) float32 along dim 2: a line has four elements of each piece, an index of dim 0 is
    8000 bytes, so parts of 16 such indices are written, all pieces of one before the next.
    """
    cdef int64_t d, c = dim - 1, nbytes = itemsize_of(result)
    cdef int64_t *sizes = sizes_of(result)
    if dim == 0 or result._numel * nbytes < 2 * PART_BYTES or not is_contiguous(result):
        return -1
    for d in range(dim, result._ss.ndim):
        nbytes *= sizes[d]
    if n < 2 or nbytes // n >= LINE_BYTES:
        return -1
    while c > 0 and nbytes * sizes[c] <= PART_BYTES:
        nbytes *= sizes[c]
        c -= 1
    bytes_an_index[0] = nbytes
    return c


cdef int write_pieces(tuple pieces, TensorImpl result, int64_t dim, str function) except -1:
    """Copy each piece to its place along dim. The result's layout is read once and its block held."""
    cdef Part part
    cdef int64_t d, c, step, nbytes = 0
    cdef sc_block *block = result._storage.block
    cdef char *data
    cdef Py_ssize_t i
    if result._numel == 0:
        return 0
    for i in range(PyTuple_GET_SIZE(pieces)):
        check_reach(<TensorImpl>PyTuple_GET_ITEM(pieces, i), function)
    part.ndim, part.dim = result._ss.ndim, dim
    byte_strides_of(result, part.strides)
    for d in range(part.ndim):
        part.start[d], part.sizes[d] = 0, sizes_of(result)[d]
        part.count[d] = part.sizes[d]
    data = data_of(result)
    c = cut_dim(result, dim, PyTuple_GET_SIZE(pieces), &nbytes)
    engine.block_retain(block)
    try:
        if c < 0:
            return write_part(pieces, result, data, &part, function)
        step = max(PART_BYTES // nbytes, 1)
        for d in range(c):
            part.count[d] = 1
        while True:
            part.count[c] = min(step, part.sizes[c] - part.start[c])
            write_part(pieces, result, data, &part, function)
            part.start[c] += step
            d = c
            while part.start[d] >= part.sizes[d]:    # the odometer's carry
                part.start[d] = 0
                d -= 1
                if d < 0:
                    return 0
                part.start[d] += 1
    finally:
        engine.block_release(block)


# ---- cat and stack --------------------------------------------------------------------------------------------

cdef TensorImpl joined_along(tuple pieces, int64_t dim, object out, str function):
    cdef int64_t strides[SC_MAX_NDIM]
    cdef Joint joint
    cdef TensorImpl result
    cdef sc_dtype dtype = promoted(pieces)
    measure(pieces, dim, &joint, function)
    cdef bint resized = has_to_shrink_or_grow(out, joint.ndim, joint.sizes)
    if out is not None:
        result = prepared_out(pieces, out, dtype, &joint, function)
    elif joint.channels_last and sc_channels_last_strides(joint.ndim, joint.sizes, strides):
        result = tensor_new_strided(dtype, joint.ndim, joint.sizes, strides)
    else:
        result = tensor_new(dtype, joint.ndim, joint.sizes, False)
    write_pieces(pieces, result, joint.dim, function)
    if resized:
        warn_of_resize(function, result.sizes())
    return result if out is not None else typed_as(result, <TensorImpl>PyTuple_GET_ITEM(pieces, 0))


cdef TensorImpl joined(tuple pieces, object dim, object out, str function):
    if not pieces:
        raise ValueError(f"{function}: expected a non-empty list of Tensors")
    return joined_along(pieces, as_int(dim, function, "dim"), out, function)


cdef int check_equal(tuple pieces, str function) except -1:
    """RuntimeError unless all tensors have one size."""
    cdef TensorImpl t, first = <TensorImpl>PyTuple_GET_ITEM(pieces, 0)
    cdef Py_ssize_t i
    cdef int64_t d
    cdef bint equal
    for i in range(1, PyTuple_GET_SIZE(pieces)):
        t = <TensorImpl>PyTuple_GET_ITEM(pieces, i)
        equal = t._ss.ndim == first._ss.ndim
        for d in range(first._ss.ndim if equal else 0):
            equal = equal and sizes_of(t)[d] == sizes_of(first)[d]
        if not equal:
            raise RuntimeError(f"{function} expects each tensor to be equal size, but got {list(first.sizes())} at "
                               f"entry 0 and {list(t.sizes())} at entry {i}")
    return 0


cdef TensorImpl with_new_dim(TensorImpl t, int64_t dim):
    """A view with a new dim of size 1."""
    cdef TensorImpl view = view_of(t, t._ss.ndim + 1)
    cdef int64_t d, at
    for d in range(t._ss.ndim):
        at = d if d < dim else d + 1
        sizes_of(view)[at], strides_of(view)[at] = sizes_of(t)[d], strides_of(t)[d]
    sizes_of(view)[dim] = 1
    if dim == t._ss.ndim or not sc_mul(sizes_of(t)[dim], strides_of(t)[dim], strides_of(view) + dim):
        strides_of(view)[dim] = 1    # of a dim of size 1, whatever it is
    view._numel = t._numel
    return view


cdef TensorImpl parted(TensorImpl whole, int64_t dim, int64_t n):
    """`whole`, which nobody else has seen, with its dim of size n * k as dims of sizes n and k."""
    cdef int64_t sizes[SC_MAX_NDIM + 1]
    cdef int64_t strides[SC_MAX_NDIM + 1]
    cdef int64_t d, ndim = whole._ss.ndim + 1
    for d in range(ndim - 1):
        sizes[d + (d > dim)], strides[d + (d > dim)] = sizes_of(whole)[d], strides_of(whole)[d]
    sizes[dim + 1] = sizes[dim] // n
    strides[dim + 1] = strides[dim]
    sizes[dim] = n
    if whole._numel:
        strides[dim] = strides[dim] * sizes[dim + 1]
    elif not sc_contiguous_strides(ndim, sizes, strides):
        raise RuntimeError("stack: Stride calculation overflowed")
    set_layout(whole, whole._storage_offset, ndim, sizes, strides, "stack")
    return whole


cdef TensorImpl stacked(tuple pieces, object dim_, object out, str function):
    cdef int64_t dim
    cdef TensorImpl first
    if not pieces:
        raise RuntimeError(f"{function} expects a non-empty TensorList")
    first = <TensorImpl>PyTuple_GET_ITEM(pieces, 0)
    dim = wrap_dim(as_int(dim_, function, "dim"), first._ss.ndim + 1, function)
    check_equal(pieces, function)
    if out is None and dim < first._ss.ndim:
        return parted(joined_along(pieces, dim, None, function), dim, len(pieces))
    return joined_along(tuple([with_new_dim(<TensorImpl>t, dim) for t in pieces]), dim, out, function)


def cat(tensors, dim=0, *, axis=None, out=None):
    """The tensors of a tuple or list one after the other along dim `dim` (or `axis`), as a new tensor or in `out`.

    They need the same sizes but for that dim; tensors of size [0] may be among them. Their dtypes promote to the
    result's; the result is channels_last if they all are. Each tensor is copied once, whatever its layout. An `out` of
    another size is resized. ValueError for no tensors; RuntimeError for sizes that don't match, for 0-dim tensors and
    for an `out` that overlaps one of them; TypeError for an `out` whose dtype can't take the result.

    >>> import stridecore as sc
    >>> sc.cat([sc.zeros(2, 1), sc.ones(2, 2)], 1)
    tensor([[0., 1., 1.],
            [0., 1., 1.]])
    """
    return joined(tensors_arg(tensors, "cat"), dim if axis is None else dim_arg(dim, axis, "cat"), out, "cat")


def concat(tensors, dim=0, *, axis=None, out=None):
    """The same as cat.

    >>> import stridecore as sc
    >>> sc.concat((sc.arange(2), sc.arange(2)))
    tensor([0, 1, 0, 1])
    """
    return joined(tensors_arg(tensors, "concat"), dim if axis is None else dim_arg(dim, axis, "concat"), out, "concat")


def concatenate(tensors, dim=0, *, axis=None, out=None):
    """The same as cat.

    >>> import stridecore as sc
    >>> sc.concatenate((sc.arange(2), sc.arange(2)), axis=0)
    tensor([0, 1, 0, 1])
    """
    return joined(tensors_arg(tensors, "concatenate"), dim if axis is None else dim_arg(dim, axis, "concatenate"), out,
                  "concatenate")


def stack(tensors, dim=0, *, axis=None, out=None):
    """Tensors of equal size joined along a new dim, at place `dim` of the result, as a new tensor or in `out`.

    dtypes, layout and `out` as for cat. RuntimeError for no tensors and for sizes that differ.

    >>> import stridecore as sc
    >>> sc.stack([sc.arange(2), sc.arange(2)], 1)
    tensor([[0, 0],
            [1, 1]])
    """
    return stacked(tensors_arg(tensors, "stack"), dim if axis is None else dim_arg(dim, axis, "stack"), out, "stack")


def has_channels_last(TensorImpl x not None):
    """True if cat would take x as channels_last (or channels_last_3d)."""
    return prefers_channels_last(x)
