"""Images as columns of their windows and back: unfold (im2col) and fold (col2im).

    unfold   (n, c, h, w)  ->  (n, c * kh * kw, windows)     the result seen as (n, c, kh, kw, rows, columns)

Place (i, j) of all windows is one strided slice of the image: rows i * dilation, i * dilation + stride, ... Without
padding all places together are one view of the image, and the result is one engine copy of it.
"""

from stridecore.arguments import checked_sizes, tensor_arg
from stridecore.padding import pair


class Windows:
    """The geometry, checked: kernel, dilation, padding, stride, image size and the number of windows per dim."""

    def __init__(self, name, image, kernel_size, dilation, padding, stride):
        self.image = image
        self.kernel = pair(name, kernel_size, "kernel_size")
        self.dilation = pair(name, dilation, "dilation")
        self.padding = pair(name, padding, "padding")
        self.stride = pair(name, stride, "stride")
        for what, values, least in (
            ("kernel size", self.kernel, 1), ("dilation", self.dilation, 1), ("padding", self.padding, 0),
            ("stride", self.stride, 1),
        ):
            if min(values) < least:
                raise RuntimeError(f"{name}: {what} should be at least {least}, but got {tuple(values)}")
        self.counts = [
            (size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1
            for size, kernel, dilation, padding, stride in zip(
                image, self.kernel, self.dilation, self.padding, self.stride, strict=True
            )
        ]
        if min(self.counts) < 1:
            raise RuntimeError(
                f"{name}: Given input with spatial size {tuple(image)}, {self}, calculated shape of the array of "
                f"sliding blocks as {tuple(self.counts)}, but its components must be at least one."
            )

    def __str__(self):
        return (
            f"kernel_size={tuple(self.kernel)}, dilation={tuple(self.dilation)}, padding={tuple(self.padding)}, "
            f"stride={tuple(self.stride)}"
        )

    def places(self):
        """For each place of the kernel: (i, j), the windows that have it inside the image, and the image's slices."""
        for i in range(self.kernel[0]):
            rows = self._slices(0, i)
            for j in range(self.kernel[1]):
                columns = self._slices(1, j)
                if rows and columns:
                    yield i, j, (rows[0], columns[0]), (rows[1], columns[1])

    def _slices(self, dim, place):
        """Windows first to last have the place inside the image; the slices of windows and of the image, or None."""
        step, start = self.stride[dim], place * self.dilation[dim] - self.padding[dim]
        first = max(0, -(start // step))
        last = min(self.counts[dim] - 1, (self.image[dim] - 1 - start) // step)
        if first > last:
            return None
        return slice(first, last + 1), slice(start + first * step, start + last * step + 1, step)


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """The windows of images (n, c, h, w) or of one (c, h, w) as columns: (n, c * kh * kw, windows). Each argument is an
    int or a pair; windows beyond the image, by `padding`, have zeros there.

    RuntimeError for values out of range and for images that no window fits.

    >>> import stridecore as sc
    >>> sc.nn.functional.unfold(sc.arange(6).view(1, 2, 3), 2)
    tensor([[0, 1],
            [1, 2],
            [3, 4],
            [4, 5]])
    """
    name = "unfold"
    x = tensor_arg(name, input)
    if x.ndim < 3:
        raise IndexError(f"{name}: expected an image of 3 dims or a batch of 4, got {x.ndim} dims")
    if x.ndim > 4 or 0 in x.shape[-3:]:
        raise RuntimeError(
            f"{name}: Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions "
            f"for input, but got: {list(x.shape)}"
        )
    windows = Windows(name, x.shape[-2:], kernel_size, dilation, padding, stride)
    *batch, channels = x.shape[:-2]
    (kh, kw), (rows, columns) = windows.kernel, windows.counts
    result = x.new_empty(checked_sizes(name, [*batch, channels * kh * kw, rows * columns]))
    seen = result.view([*batch, channels, kh, kw, rows, columns])
    if not any(windows.padding):
        (dh, dw), (sh, sw) = windows.dilation, windows.stride
        view = x.unfold(-2, (kh - 1) * dh + 1, sh).unfold(-2, (kw - 1) * dw + 1, sw)[..., ::dh, ::dw]
        seen.copy_(view.movedim((-2, -1), (-4, -3)))
        return result
    seen.zero_()
    for i, j, at, source in windows.places():
        seen[..., i, j, at[0], at[1]].copy_(x[..., source[0], source[1]])
    return result


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """The inverse of unfold: columns (n, c * kh * kw, windows), or those of one image, added up where windows overlap,
    as images (n, c, h, w) of size `output_size`.

    Sums of float16, bfloat16 and float8 are rounded once. RuntimeError for values out of range and sizes that don't
    fit.

    >>> import stridecore as sc
    >>> sc.nn.functional.fold(sc.ones(4, 2), (2, 3), 2)
    tensor([[[1., 2., 1.],
             [1., 2., 1.]]])
    """
    name = "fold"
    x = tensor_arg(name, input)
    size = pair(name, output_size, "output_size")
    if x.ndim not in (2, 3) or 0 in x.shape[-2:] or min(size) < 1:
        raise RuntimeError(
            f"{name}: Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
            f"dimensions, but got: {list(x.shape)} for output_size {tuple(size)}"
        )
    windows = Windows(name, size, kernel_size, dilation, padding, stride)
    *batch, height, n = x.shape
    (kh, kw), (rows, columns) = windows.kernel, windows.counts
    if height % (kh * kw):
        raise RuntimeError(
            f"{name}: Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size({x.ndim - 2})={height} and kernel_size={tuple(windows.kernel)}."
        )
    if n != rows * columns:
        raise RuntimeError(
            f"{name}: Given output_size={tuple(size)}, {windows}, expected size of input's dimension {x.ndim - 1} to "
            f"match the calculated number of sliding blocks {rows} * {columns} = {rows * columns}, but got "
            f"input.size({x.ndim - 1})={n}."
        )
    from stridecore.operands import computed_dtype, plain

    computed = computed_dtype(x.dtype)
    result = x.new_zeros([*batch, height // (kh * kw), *size], dtype=computed)
    seen = plain(x, computed).reshape([*batch, height // (kh * kw), kh, kw, rows, columns]).numpy()
    image = result.numpy()
    for i, j, at, to in windows.places():
        image[..., to[0], to[1]] += seen[..., i, j, at[0], at[1]]
    return result.to(x.dtype)
