"""Tensors that are more than one strided tensor: quantised, sparse, nested, and those without data.

Stridecore computes with strided tensors; of the others a file's parts are kept under torch's names, to be looked at and
computed from. `parts()` gives the strided tensors inside, by name.
"""

__all__ = ["MetaTensor", "NestedTensor", "QuantizedTensor", "SparseTensor"]


class QuantizedTensor:
    """Integers that stand for numbers: value = (integer - zero_point) * scale.

    `int_repr()` gives the integers, `qscheme` the scheme's name. Per tensor, `q_scale()` and `q_zero_point()` are
    numbers; per channel, `q_per_channel_scales()` and `q_per_channel_zero_points()` are tensors along the dim
    `q_per_channel_axis()`. `dtype` is torch's name, such as "quint8".
    """

    __slots__ = ("_axis", "_data", "_scale", "_zero_point", "dtype", "qscheme")
    is_quantized = True

    def __init__(self, data, dtype, qscheme, scale, zero_point, axis=None):
        self._data = data
        self.dtype = dtype
        self.qscheme = qscheme
        self._scale = scale
        self._zero_point = zero_point
        self._axis = axis

    @property
    def shape(self):
        """The sizes; of dtypes with several values a byte, those of the values."""
        return self._data.shape

    def int_repr(self):
        """The integers, as they are stored."""
        return self._data

    def _per(self, what, channel, value):
        if (self._axis is not None) != channel:
            raise RuntimeError(f"{what}: the tensor is quantised {self.qscheme}")
        return value

    def q_scale(self):
        """The scale of all elements; RuntimeError if it is per channel."""
        return self._per("q_scale", False, self._scale)

    def q_zero_point(self):
        """The zero point of all elements; RuntimeError if it is per channel."""
        return self._per("q_zero_point", False, self._zero_point)

    def q_per_channel_scales(self):
        """A tensor of the scales; RuntimeError if there is one for all."""
        return self._per("q_per_channel_scales", True, self._scale)

    def q_per_channel_zero_points(self):
        """A tensor of the zero points; RuntimeError if there is one for all."""
        return self._per("q_per_channel_zero_points", True, self._zero_point)

    def q_per_channel_axis(self):
        """The dim that scales and zero points belong to; RuntimeError if there is one for all."""
        return self._per("q_per_channel_axis", True, self._axis)

    def parts(self):
        """The strided tensors inside."""
        if self._axis is None:
            return {"int_repr": self._data}
        return {"int_repr": self._data, "scales": self._scale, "zero_points": self._zero_point}

    def __repr__(self):
        return f"QuantizedTensor(shape={tuple(self.shape)}, dtype={self.dtype}, {self.qscheme})"


class SparseTensor:
    """The parts of a sparse tensor: `layout`, `shape`, `is_coalesced`, and tensors by torch's names for them.

    Of the layout sparse_coo there are `indices` and `values`; of the compressed ones `values` and two of
    `crow_indices`, `col_indices`, `ccol_indices`, `row_indices`. Indices are as the file has them, not checked against
    the shape.
    """

    __slots__ = ("_parts", "is_coalesced", "layout", "shape")
    is_sparse = True

    def __init__(self, layout, shape, parts, is_coalesced=None):
        self.layout = layout
        self.shape = shape
        self.is_coalesced = is_coalesced
        self._parts = parts

    def __getattr__(self, name):
        if name != "_parts" and name in self._parts:
            return self._parts[name]
        raise AttributeError(f"a tensor of layout {self.layout} has no {name!r}")

    def parts(self):
        """The strided tensors inside."""
        return dict(self._parts)

    def __repr__(self):
        return f"SparseTensor(shape={tuple(self.shape)}, layout={self.layout})"


class NestedTensor:
    """The parts of a nested tensor: `values`, and `sizes`, `strides`, `storage_offsets` of the tensors in it."""

    __slots__ = ("sizes", "storage_offsets", "strides", "values")
    is_nested = True

    def __init__(self, values, sizes, strides, storage_offsets):
        self.values = values
        self.sizes = sizes
        self.strides = strides
        self.storage_offsets = storage_offsets

    def parts(self):
        """The strided tensors inside."""
        return {
            "values": self.values,
            "sizes": self.sizes,
            "strides": self.strides,
            "storage_offsets": self.storage_offsets,
        }

    def unbind(self):
        """The tensors in it: views of `values`. RuntimeError if they would reach outside it."""
        values = self.values
        offsets = self.storage_offsets.tolist()
        if values.dim() != 1 or not values.is_contiguous():
            raise RuntimeError("unbind: the values of a nested tensor are one contiguous dim")
        made = []
        for size, stride, offset in zip(self.sizes.tolist(), self.strides.tolist(), offsets, strict=True):
            reach = offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True))
            if offset < 0 or min([0, *size, *stride]) < 0 or (0 not in size and reach >= values.numel()):
                raise RuntimeError(
                    f"unbind: size {size}, stride {stride} and offset {offset} reach outside {values.numel()} values"
                )
            made.append(values.as_strided(size, stride, values.storage_offset() + offset))
        return tuple(made)

    def __repr__(self):
        return f"NestedTensor({self.sizes.shape[0]} tensors of {self.sizes.shape[-1]} dims)"


class MetaTensor:
    """A tensor that was saved without data: `dtype`, `shape`, `stride()`."""

    __slots__ = ("_stride", "dtype", "shape")
    is_meta = True

    def __init__(self, dtype, shape, stride):
        self.dtype = dtype
        self.shape = shape
        self._stride = stride

    def stride(self, dim=None):
        """The strides in elements, or that of one dim."""
        return self._stride if dim is None else self._stride[dim]

    def parts(self):
        """There are no strided tensors inside."""
        return {}

    def __repr__(self):
        return f"MetaTensor(shape={tuple(self.shape)}, dtype={self.dtype})"
