"""stridecore beside torch: the same tensor in both libraries, and what it means that two tensors are the same.

Conversions go by way of the storage's bytes, sizes, strides and offset, so they are exact for every dtype and layout.
"""

import ctypes
import os

# Under the address sanitizer freed memory is kept for a while, and addresses are reserved by the terabyte.
SANITIZED = "asan" in os.environ.get("LD_PRELOAD", "")


def name_of(dtype):
    """The name "float32" for stridecore.float32 and for torch.float32."""
    return str(dtype).rpartition(".")[2]


def storage_bytes(x):
    storage = x.untyped_storage()
    return ctypes.string_at(storage.data_ptr(), storage.nbytes()) if storage.nbytes() else b""


def convert(x, lib):
    """The tensor x (of either library) made in `lib`, on a storage of its own with the same bytes."""
    dtype = getattr(lib, name_of(x.dtype))
    data = storage_bytes(x)
    bytes_ = lib.frombuffer(bytearray(data), dtype=lib.uint8) if data else lib.empty(0, dtype=lib.uint8)
    made = lib.empty(0, dtype=dtype).set_(
        bytes_.untyped_storage(), x.storage_offset(), tuple(x.size()), tuple(x.stride())
    )
    if x.is_conj():
        made = made.conj()
    return made._neg_view() if x.is_neg() else made


def elements(x):
    """The values as bytes, in logical order, independent of the layout."""
    flat = x.resolve_conj().resolve_neg().contiguous()
    nbytes = flat.numel() * flat.element_size()
    return ctypes.string_at(flat.data_ptr(), nbytes) if nbytes else b""


def same(x, t, values=True):
    """Assert that two tensors have the same dtype, size, stride, offset, bits and (bit for bit) values."""
    assert name_of(x.dtype) == name_of(t.dtype)
    assert tuple(x.size()) == tuple(t.size())
    assert tuple(x.stride()) == tuple(t.stride())
    assert x.storage_offset() == t.storage_offset()
    assert (x.is_conj(), x.is_neg()) == (t.is_conj(), t.is_neg())
    assert x.is_contiguous() == t.is_contiguous()
    assert x._is_view() == t._is_view()
    if values:
        assert elements(x) == elements(t)


def outcome(function, *args, **kwargs):
    """(result, None) or (None, type of the exception)."""
    try:
        return function(*args, **kwargs), None
    except Exception as error:
        return None, type(error)


def same_outcome(mine, torchs):
    """Assert that two calls raise the same type or give the same tensors; both are functions without arguments."""
    (x, error), (t, expected) = outcome(mine), outcome(torchs)
    assert error == expected, f"raises {error}, torch {expected}"
    if error is None:
        if isinstance(t, tuple | list):
            assert type(x) is type(t) and len(x) == len(t)
            for a, b in zip(x, t, strict=True):
                same(a, b)
        else:
            same(x, t)


def both(code, torch, **makers):
    """Assert that an expression, which calls the library `lib`, has the same outcome in stridecore and torch.

    Every keyword is a name in the expression, made for each library:

        both("x.t()", torch, x=lambda lib: lib.ones(2, 3))
    """
    import numpy

    import stridecore

    def run(lib):
        names = {name: make(lib) for name, make in makers.items()}
        return eval(code, {"lib": lib, "np": numpy, **names})

    same_outcome(lambda: run(stridecore), lambda: run(torch))
