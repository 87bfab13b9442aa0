"""What the tests of elementwise math share: tensors of every dtype and layout, and what agreeing with torch means."""

import math
import warnings

from against import convert, name_of

BOOL = ["bool"]
INTS = "uint8 int8 int16 int32 int64".split()
FLOATS = "float16 bfloat16 float32 float64".split()
COMPLEX = "complex64 complex128".split()
DTYPES = BOOL + INTS + FLOATS + COMPLEX

# how far apart two results may be, relative to the larger: a few units in the last place
NEAR = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-6, "complex64": 4e-6, "complex32": 4e-3}

SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -3.0, math.inf, -math.inf, math.nan, 1e-30, 1e30]


def numbers(rng, dtype, n, low=-4, high=4):
    """n numbers that the dtype holds, small ones."""
    if dtype == "bool":
        return [rng.random() < 0.5 for _ in range(n)]
    if dtype == "uint8":
        return [rng.randrange(0, 2 * high) for _ in range(n)]
    if dtype.startswith(("int", "uint")):
        return [rng.randrange(low, high + 1) for _ in range(n)]
    if dtype.startswith("complex"):
        return [complex(rng.uniform(low, high), rng.uniform(low, high)) for _ in range(n)]
    return [rng.choice([rng.uniform(low, high), float(rng.randrange(low, high))]) for _ in range(n)]


def make(torch, rng, dtype, shape, low=-4, high=4):
    """A contiguous tensor of torch's."""
    values = numbers(rng, dtype, math.prod(shape), low, high)
    return torch.tensor(values, dtype=getattr(torch, dtype)).reshape(shape)


def layouts(t):
    """Views of a (4, 6) tensor, and what they are."""
    return {
        "contiguous": t,
        "transposed": t.t(),
        "every second row": t[::2],
        "every second column": t[:, ::2],
        "a row": t[1],
        "a column": t[:, 1],
        "one element": t[1:2, 1:2],
        "0-d": t[2, 3],
        "empty": t[:0],
        "expanded": t[0].expand(3, 6),
        "4 dims": t.view(2, 2, 3, 2),
        "channels last": t.view(2, 2, 3, 2).contiguous(memory_format=__import__("torch").channels_last),
    }


def quietly(function, *args, **kwargs):
    """(result, None) or (None, the exception), without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*args, **kwargs), None
        except Exception as error:
            return None, error


def near(a, b, digits):
    """a == b but for that part of the larger; where digits are few, of the operands' size, which is about 4."""
    least = 4 if digits >= 1e-2 else 1e-3
    if isinstance(a, complex) or isinstance(b, complex):
        a, b = complex(a), complex(b)
        if all(map(math.isfinite, (a.real, a.imag, b.real, b.imag))):
            return math.hypot((a - b).real, (a - b).imag) <= digits * max(math.hypot(b.real, b.imag), 0.1)
        return near(a.real, b.real, digits) and near(a.imag, b.imag, digits)
    if a != a or b != b:
        return a != a and b != b
    return a == b or (not math.isinf(b) and abs(a - b) <= digits * max(abs(a), abs(b), least))


def agree(mine, torchs, context="", times=1, digits=None, loose=False):
    """Assert that two outcomes of `quietly` are the same: error type, or dtype, size, stride and values.

    Where torch says "not implemented" there is nothing to agree on. `times` more digits may differ, or `digits` says
    how far values may be apart; `loose` does not look at the strides of size-1 dims.
    """
    (x, error), (t, expected) = mine, torchs
    if isinstance(expected, NotImplementedError):
        return
    refused = isinstance(error, NotImplementedError) and isinstance(expected, RuntimeError)
    assert refused or type(error) is type(expected), f"{context}: raises {error!r}, torch {expected!r}; {x} beside {t}"
    if error is not None:
        return
    if not hasattr(t, "stride"):
        assert x == t, f"{context}: {x}, torch {t}"
        return
    assert name_of(x.dtype) == name_of(t.dtype), f"{context}: {x.dtype}, torch {t.dtype}"
    assert tuple(x.shape) == tuple(t.shape), f"{context}: {x.shape}, torch {t.shape}"
    strides = [(a, b) for a, b, size in zip(x.stride(), t.stride(), t.shape, strict=True) if size != 1 or not loose]
    assert all(a == b for a, b in strides), f"{context}: stride {x.stride()}, torch {t.stride()}"
    digits = digits or times * NEAR.get(name_of(t.dtype), 1e-12)
    for a, b in zip(x.flatten().tolist(), t.flatten().tolist(), strict=True):
        assert near(a, b, digits), f"{context}: {a}, torch {b}"


def ours(value):
    """The same operand for stridecore."""
    import stridecore as sc

    return convert(value, sc) if hasattr(value, "stride") else value
