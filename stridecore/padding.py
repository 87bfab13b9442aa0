"""Padding: a tensor amid a border of a constant, or of its own elements reflected, repeated or wrapped around.

    pad [0 1 2] by (2, 2)     reflect  2 1 [0 1 2] 1 0      replicate  0 0 [0 1 2] 2 2      circular  1 2 [0 1 2] 0 1

The tensor is copied into the middle of the result; the borders of one dim after the other are then copied from what is
there, each by one engine copy: the reflected ones from a view with a negative stride, the replicated ones from one with
a stride of 0.
"""

from stridecore.arguments import checked_sizes, int_arg, ints_arg, tensor_arg
from stridecore.core.joining import has_channels_last
from stridecore.core.memory_format import names
from stridecore.creation import empty, tensor
from stridecore.dtypes import int64

__all__ = ["constant_pad_nd"]

SMALL = 1 << 14    # elements; below, one fill costs less than several
BACKWARDS = slice(None, None, -1)


def _new(x, shape, keeps_format):
    """A new tensor for the result, channels_last if x is (and keeps_format)."""
    if keeps_format and has_channels_last(x):
        format = names()["channels_last" if x.ndim == 4 else "channels_last_3d"]
        return empty(tuple(checked_sizes("pad", shape)), dtype=x.dtype, memory_format=format)
    return x.new_empty(checked_sizes("pad", shape))


def _read_pads(name, pad, ndim):
    """[(dim, before, after)] from torch's list, which begins with the last dim."""
    if len(pad) % 2:
        raise RuntimeError(f"{name}: Padding length must be divisible by 2, got {len(pad)}")
    if len(pad) > 2 * ndim:
        raise RuntimeError(
            f"{name}: Padding length should be less than or equal to two times the input dimension but got padding "
            f"length {len(pad)} and input of dimension {ndim}"
        )
    return [(ndim - 1 - i, pad[2 * i], pad[2 * i + 1]) for i in range(len(pad) // 2)]


def _cropped(name, x, pads):
    """A view of x without what negative pads take away."""
    for dim, before, after in pads:
        low, high = max(-before, 0), max(-after, 0)
        if low or high:
            if low + high > x.shape[dim]:
                raise RuntimeError(
                    f"{name}: narrow(): length must be non-negative: padding ({before}, {after}) takes more than the "
                    f"size {x.shape[dim]} of dim {dim}"
                )
            x = x.narrow(dim, low, x.shape[dim] - low - high)
    return x


def _padded_shape(name, x, pads):
    shape = list(x.shape)
    for dim, before, after in pads:
        shape[dim] += before + after
        if shape[dim] < 0:
            raise RuntimeError(
                f"{name}: The input size {x.shape[dim]}, plus negative padding {before} and {after} resulted in a "
                "negative output size, which is invalid"
            )
    return shape


# ---- a constant -----------------------------------------------------------------------------------------------


def constant_pad_nd(input, pad, value=0):
    """The tensor with a border of `value`, always a new one. `pad` has two ints a dim, beginning with the last one: how
    many places come before and after; negative ones take places away. channels_last is kept.

    RuntimeError for an odd number of ints, for too many, for sizes below 0 and for a value beyond the dtype's range.

    >>> import stridecore as sc
    >>> sc.constant_pad_nd(sc.ones(1, 2), (0, 1, 1, 0), 5)
    tensor([[5., 5., 5.],
            [1., 1., 5.]])
    """
    name = "constant_pad_nd"
    return _constant(name, tensor_arg(name, input), ints_arg(name, pad, "pad"), value)


def _constant(name, x, pad, value):
    pads = _read_pads(name, pad, x.ndim)
    shape = _padded_shape(name, x, pads)
    source = _cropped(name, x, pads)
    borders = [(dim, max(before, 0), max(after, 0)) for dim, before, after in pads if before > 0 or after > 0]
    if not borders:
        return source.clone()
    result = _new(x, shape, True)
    middle = result
    # The border of a last dim that is short is a large share, in small pieces: filling everything once is cheaper.
    short = shape[-1] * x.element_size() < 256 and any(dim == x.ndim - 1 for dim, *_ in borders)
    fills_all = short or result.numel() < SMALL
    if fills_all:
        result.fill_(value)
    for dim, before, after in reversed(borders):
        size = middle.shape[dim]
        if not fills_all:
            middle.narrow(dim, 0, before).fill_(value)
            middle.narrow(dim, size - after, after).fill_(value)
        middle = middle.narrow(dim, before, size - before - after)
    middle.copy_(source)
    return result


# ---- the tensor's own elements --------------------------------------------------------------------------------


def _reflected(view, dim, size, before, after):
    if before:
        view.narrow(dim, 0, before).copy_(_backwards(view.narrow(dim, before + 1, before), dim))
    if after:
        inner = view.narrow(dim, before + size - 1 - after, after)
        view.narrow(dim, before + size, after).copy_(_backwards(inner, dim))


def _backwards(x, dim):
    return x[(slice(None),) * dim + (BACKWARDS,)]


def _replicated(view, dim, size, before, after):
    if before:
        view.narrow(dim, 0, before).copy_(view.narrow(dim, before, 1))
    if after:
        view.narrow(dim, before + size, after).copy_(view.narrow(dim, before + size - 1, 1))


def _wrapped(view, dim, size, before, after):
    if before:
        view.narrow(dim, 0, before).copy_(view.narrow(dim, size, before))
    if after:
        view.narrow(dim, before + size, after).copy_(view.narrow(dim, before, after))


BORDERS = {"reflect": _reflected, "replicate": _replicated, "circular": _wrapped}


def _check_own(mode, x, pads):
    """The rules for borders of a tensor's own elements."""
    name = "pad"
    if mode != "circular":
        checked = x.shape[1:] if x.ndim == len(pads) + 2 else x.shape
        if 0 in checked:
            raise RuntimeError(
                f"{name}: Expected {len(pads) + 1}D or {len(pads) + 2}D (batch mode) tensor with possibly 0 batch size "
                f"and other non-zero dimensions for input, but got: {list(x.shape)}"
            )
        if all(x.shape[dim] + before + after < 1 for dim, before, after in pads):
            raise RuntimeError(f"{name}: input of size {list(x.shape)} is too small for the padding {pads}")
    for dim, before, after in pads:
        size = x.shape[dim]
        if mode == "reflect" and (before >= size or after >= size):
            raise RuntimeError(
                f"{name}: Padding size should be less than the corresponding input dimension, but got: padding "
                f"({before}, {after}) at dimension {dim} of input {list(x.shape)}"
            )
        if mode == "circular":
            left = size + min(before, 0) + min(after, 0)
            if size + before + after < 0:
                raise RuntimeError(f"{name}: Negative padding value is resulting in an empty dimension: dim {dim}")
            if max(before, after) > max(left, 0):
                raise RuntimeError(
                    f"{name}: Padding value causes wrapping around more than once: ({before}, {after}) for a size of "
                    f"{left} at dim {dim}"
                )


def _by_index(mode, x, dim, before, after):
    """Dim `dim` of x padded where a pad is negative: by the indices of the places, for reflections may reach into what
    is taken away."""
    size, places = x.shape[dim], []
    for at in range(-before, size + after):
        if mode == "replicate":
            at = min(max(at, 0), size - 1)
        elif at < 0:
            at = -at
        elif at >= size:
            at = 2 * (size - 1) - at
        places.append(at)
    return x.index_select(dim, tensor(places, dtype=int64))


def _own(mode, x, pad):
    pads = _read_pads("pad", pad, x.ndim)
    if not 1 <= len(pads) <= 3 or x.ndim not in (len(pads) + 1, len(pads) + 2):
        raise NotImplementedError(
            f"pad: Padding size {len(pad)} is not supported for {x.ndim}D input tensor: mode {mode!r} pads the last 1, "
            "2 or 3 dims of a tensor of 1 or 2 dims more"
        )
    _check_own(mode, x, pads)
    keeps_format = mode != "circular" and len(pads) > 1
    result = _new(x, _padded_shape("pad", x, pads), keeps_format)
    if mode == "circular":
        x = _cropped("pad", x, pads)
    else:
        for dim, before, after in pads:
            if before < 0 or after < 0:
                x = _by_index(mode, x, dim, before, after)
        pads = [(dim, before, after) for dim, before, after in pads if before >= 0 and after >= 0]
    pads = [(dim, max(before, 0), max(after, 0)) for dim, before, after in pads]
    middles = [result]    # narrowed to the tensor's place in one dim more each
    for dim, before, _ in pads:
        middles.append(middles[-1].narrow(dim, before, x.shape[dim]))
    middles.pop().copy_(x)
    for dim, before, after in reversed(pads):
        BORDERS[mode](middles.pop(), dim, x.shape[dim], before, after)
    return result


def pad(input, pad, mode="constant", value=None):
    """The tensor with a border. `pad` has two ints a dim, beginning with the last one: how many places come before and
    after; negative ones take places away. Always a new tensor; channels_last is kept, but for circular borders.

    Modes: "constant" (of `value`, 0 by default, for any number of dims); "reflect", "replicate" and "circular" repeat
    the tensor's own elements, in the last 1, 2 or 3 dims of a tensor of 1 or 2 dims more.

    RuntimeError for pads that don't fit, NotImplementedError for unknown modes and numbers of dims.

    >>> import stridecore as sc
    >>> x = sc.arange(3).view(1, 3)
    >>> sc.nn.functional.pad(x, (1, 2)), sc.nn.functional.pad(x, (1, 2), "reflect")
    (tensor([[0, 0, 1, 2, 0, 0]]), tensor([[1, 0, 1, 2, 1, 0]]))
    """
    x, pad = tensor_arg("pad", input), ints_arg("pad", pad, "pad")
    if isinstance(value, complex):
        raise TypeError("pad: argument 'value' must be float, not complex")
    if mode == "constant":
        if isinstance(value, int) and abs(value) < 2**53:
            value = float(value)    # as torch reads it: -1 is out of range for uint8
        return _constant("pad", x, pad, 0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'pad: Padding mode "{mode}" doesn\'t take in value argument')
    _read_pads("pad", pad, x.ndim)
    if mode not in BORDERS:
        raise NotImplementedError(f"pad: Unrecognised padding mode {mode!r}; known are constant, {', '.join(BORDERS)}")
    return _own(mode, x, pad)


def pair(name, value, argument):
    """Two ints, given as one or as a pair."""
    if not isinstance(value, tuple | list):
        return [int_arg(name, value, argument)] * 2
    value = ints_arg(name, value, argument)
    if len(value) != 2:
        raise RuntimeError(f"{name}: It is expected {argument} equals to 2, but got size {len(value)}")
    return value
