"""Inputs for reductions, scans, sorts and products, made in both libraries, and what it means that results agree."""

import math
import warnings

from against import convert, name_of

import stridecore as sc

FLOATS = "float32 float64 float16 bfloat16".split()
COMPLEX = "complex64 complex128".split()
INTEGERS = "bool uint8 int8 int16 int32 int64".split()
DIGITS = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 3e-6, "complex64": 3e-6}
SPECIAL = [0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, math.nan, 3.0, 3.0, 2.0]


def random_tensor(torch, rng, dtype, shape, special=False):
    """A contiguous torch tensor: small numbers with ties, and nan, inf and -0.0 among the special ones."""
    count = math.prod(shape)
    if special and dtype in FLOATS:
        values = [rng.choice(SPECIAL) for _ in range(count)]
    elif dtype in FLOATS:
        values = [rng.choice([rng.uniform(-3, 3), float(rng.randint(-2, 2))]) for _ in range(count)]
    elif dtype in COMPLEX:
        values = [complex(rng.uniform(-2, 2), rng.uniform(-2, 2)) for _ in range(count)]
    elif special and dtype != "bool":
        info = torch.iinfo(getattr(torch, dtype))
        values = [rng.choice([info.min, info.max, 0, 1]) for _ in range(count)]
    else:
        low, high = (0, 1) if dtype == "bool" else (0, 9) if dtype == "uint8" else (-4, 4)
        values = [rng.randint(low, high) for _ in range(count)]
    return torch.tensor(values, dtype=getattr(torch, dtype)).reshape(shape)


def layouts(torch, rng, dtype, special=False):
    """(stridecore's tensor, torch's tensor) of one content in many layouts; negative strides are torch's flips."""

    def new(*shape):
        return random_tensor(torch, rng, dtype, shape, special)

    images = new(2, 3, 2, 2).contiguous(memory_format=torch.channels_last)
    plain = [new(2, 3, 4), new(3, 4, 2).permute(2, 0, 1), new(4, 6, 2)[::2, 1::2], new(), new(0, 3), new(2, 0, 3)]
    plain += [new(1, 3, 1), new(7), images, new(3, 1).expand(3, 4)]
    pairs = [(convert(t, sc), t) for t in plain]
    turned = new(3, 5)
    return [*pairs, (convert(turned, sc)[::-1, ::-2], turned.flip(0, 1)[:, ::2])]


def alike(x, t, digits=None, strides=True):
    """The same dtype, size, stride and, but for the last digits, values; of tuples all items, and their names."""
    if isinstance(t, tuple):
        assert len(x) == len(t)
        if type(t) is not tuple:
            assert repr(type(x)).replace("stridecore", "torch") == repr(type(t)).replace("_out'", "'")
        for a, b in zip(x, t, strict=True):
            alike(a, b, digits, strides)
        return
    if not hasattr(t, "dtype"):
        assert type(x) is type(t)
        assert x == t
        return
    assert name_of(x.dtype) == name_of(t.dtype)
    assert tuple(x.shape) == tuple(t.shape), (x.shape, t.shape)
    assert not strides or x.stride() == t.stride(), (x.stride(), t.stride())
    mine = convert(x, __import__("torch"))
    if t.dtype.is_floating_point or t.dtype.is_complex:
        digits = digits or DIGITS.get(name_of(t.dtype), 1e-12)
        wide = __import__("torch").complex128 if t.dtype.is_complex else __import__("torch").float64
        close = mine.to(wide).isclose(t.to(wide), rtol=digits, atol=digits, equal_nan=True)
        assert close.all(), (x, t)
    else:
        assert mine.equal(t), (x, t)


def agree(mine, torchs, note=None, digits=None, strides=True):
    """Two calls give the same result or raise the same type; what torch does not implement may give anything."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            t = torchs()
        except Exception as error:
            expected = error
        else:
            try:
                x = mine()
            except Exception as error:
                raise AssertionError(f"{note}: raises {error!r}, torch gives {t}") from error
            try:
                alike(x, t, digits, strides)
            except AssertionError as error:
                raise AssertionError(f"{note}: {error}") from error
            return
        if "not implemented" in str(expected) or "support" in str(expected):
            return
        try:
            x = mine()
        except Exception as error:
            assert type(error) is type(expected), f"{note}: raises {error!r}, torch {expected!r}"
            return
        raise AssertionError(f"{note}: gives {x}, torch raises {expected!r}")


def agree_call(name, x, t, args=(), kwargs=None, *, digits=None, strides=True, function=False):
    """agree() on the method `name` of x and of torch's t, or on the function; dtypes are named in kwargs."""
    torch = __import__("torch")

    def call(lib, tensor):
        named = {k: getattr(lib, v) if k == "dtype" else v for k, v in (kwargs or {}).items()}
        return getattr(lib, name)(tensor, *args, **named) if function else getattr(tensor, name)(*args, **named)

    note = f"{name}({name_of(t.dtype)} {tuple(t.shape)} {tuple(t.stride())}, {args}, {kwargs})"
    agree(lambda: call(sc, x), lambda: call(torch, t), note, digits, strides)


def agree_code(codes, digits=None, strides=True, **tensors):
    """agree() on each expression, between | or line ends; `lib` is the library, the tensors are torch's."""
    torch = __import__("torch")

    def evaluate(code, lib):
        names = {k: convert(t, lib) if hasattr(t, "stride") else t for k, t in tensors.items()}
        return eval(code, {"lib": lib, **names})

    def check(code):
        agree(lambda: evaluate(code, sc), lambda: evaluate(code, torch), code, digits, strides)

    for code in codes.replace("\n", "|").split("|"):
        if code.strip():
            check(code.strip())


def agree_out(name, x, t, args, dtypes, shapes, digits=None):
    """agree() on the function `name` writing to an `out` of each dtype and shape."""
    torch = __import__("torch")

    def call(lib, tensor, dtype, shape):
        out = lib.ones(shape, dtype=getattr(lib, dtype))
        assert getattr(lib, name)(tensor, *args, out=out) is out
        return out

    def check(dtype, shape):
        mine, torchs = lambda: call(sc, x, dtype, shape), lambda: call(torch, t, dtype, shape)
        agree(mine, torchs, f"{name}(out={dtype} {shape})", digits)

    for dtype in dtypes.split():
        for shape in shapes:
            check(dtype, shape)


def agree_everywhere(torch, rng, name, cases, dtypes, special=(False, True), digits=None):
    """agree_call() for tensors of each dtype in every layout, with ordinary and special values, and all cases.

    A case is (args, kwargs). Half types get their own digits.
    """
    for dtype in dtypes:
        loose = {"float16": 2e-2, "bfloat16": 1e-1}.get(dtype, digits)
        for kind in special:
            for x, t in layouts(torch, rng, dtype, kind):
                for args, kwargs in cases:
                    agree_call(name, x, t, args, kwargs, digits=loose)
