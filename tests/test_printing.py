"""Printing. Each literal case is built with stridecore and, where torch is installed, with torch: one text for both."""

import math
import struct

import pytest
from against import convert, name_of

import stridecore as sc
from stridecore.printing import tensor_str

inf, nan = math.inf, math.nan


@pytest.fixture(autouse=True)
def default_options():
    """Every test starts from, and leaves behind, the default options and dtype."""
    yield
    sc.set_printoptions(profile="default")
    sc.set_default_dtype(sc.float32)


@pytest.fixture
def fresh_torch(torch, quiet):
    """torch with default options, before and after."""

    def reset():
        torch.set_printoptions(profile="default")
        torch.set_default_dtype(torch.float32)

    reset()
    yield torch
    reset()


def as_ours(text):
    return text.replace("torch.", "stridecore.")


# name: (what is printed, with which options, the text). `m` is stridecore or torch.
CASES = {
    "0-dim": (lambda m: m.tensor(3), {}, "tensor(3)"),
    "0-dim float": (lambda m: m.tensor(3.14), {}, "tensor(3.1400)"),
    "0-dim whole float": (lambda m: m.tensor(-2.0), {}, "tensor(-2.)"),
    "0-dim large": (lambda m: m.tensor(1e9), {}, "tensor(1.0000e+09)"),
    "0-dim bool": (lambda m: m.tensor(True), {}, "tensor(True)"),
    "0-dim complex": (lambda m: m.tensor(1 - 2j), {}, "tensor(1.-2.j)"),
    "0-dim nan": (lambda m: m.tensor(nan), {}, "tensor(nan)"),
    "whole floats": (lambda m: m.tensor([1.0, -20.0, 0.0]), {}, "tensor([  1., -20.,   0.])"),
    "floats": (lambda m: m.tensor([1.5, -20.0, 0.0]), {}, "tensor([  1.5000, -20.0000,   0.0000])"),
    "rounding": (lambda m: m.tensor([0.00005, 99.99995]), {"sci_mode": False}, "tensor([ 0.0000, 99.9999])"),
    "minus zero": (lambda m: m.tensor([-0.0, 1.0]), {}, "tensor([-0., 1.])"),
    "bools": (lambda m: m.tensor([True, False]), {}, "tensor([ True, False])"),
    "ints": (lambda m: m.tensor([[1, -2], [300, 4]]), {}, "tensor([[  1,  -2],\n        [300,   4]])"),
    "far apart": (lambda m: m.tensor([1.0, 1000.5]), {}, "tensor([1.0000e+00, 1.0005e+03])"),
    "a factor of 1000": (lambda m: m.tensor([1.0, 1000.0]), {}, "tensor([   1., 1000.])"),
    "1e8 is not large": (lambda m: m.tensor([1e8]), {}, "tensor([100000000.])"),
    "small": (lambda m: m.tensor([0.00009, 0.0]), {}, "tensor([9.0000e-05, 0.0000e+00])"),
    "1e-4 is not small": (lambda m: m.tensor(1e-4, dtype=m.float64), {}, "tensor(0.0001, dtype=stridecore.float64)"),
    "inf and nan": (lambda m: m.tensor([1.0, inf, -inf, nan]), {}, "tensor([1., inf, -inf, nan])"),
    "inf among fractions": (lambda m: m.tensor([0.5, -inf, nan]), {}, "tensor([0.5000,   -inf,    nan])"),
    "inf in scientific": (lambda m: m.tensor([1e-9, inf]), {}, "tensor([1.0000e-09,        inf])"),
    "only nan": (lambda m: m.tensor([nan, nan]), {}, "tensor([nan, nan])"),
    "complex": (lambda m: m.tensor([1 + 2j, 10 - 20j]), {}, "tensor([ 1.+2.j, 10.-20.j])"),
    "complex parts choose apart": (lambda m: m.tensor([1 + 0.5j, 2e9j]), {},
                                   "tensor([1.+5.0000e-01j, 0.+2.0000e+09j])"),
    "conjugate": (lambda m: m.tensor([1 + 2j, 3 + 0j]).conj(), {}, "tensor([1.-2.j, 3.-0.j])"),
    "negative": (lambda m: m.tensor([1 + 2j, 3 + 0j]).conj().imag, {}, "tensor([-2., -0.])"),
    "conjugate 0-dim": (lambda m: m.tensor([1 + 2j, 3 + 0j]).conj()[0], {}, "tensor(1.-2.j)"),
    "dtype shown": (lambda m: m.tensor([1, 2], dtype=m.int32), {}, "tensor([1, 2], dtype=stridecore.int32)"),
    "uint64": (lambda m: m.tensor([2**64 - 1], dtype=m.uint64), {},
               "tensor([18446744073709551615], dtype=stridecore.uint64)"),
    "float64": (lambda m: m.tensor(0.1, dtype=m.float64), {}, "tensor(0.1000, dtype=stridecore.float64)"),
    "float16": (lambda m: m.tensor([65504.0, 0.5], dtype=m.float16), {},
                "tensor([6.5504e+04, 5.0000e-01], dtype=stridecore.float16)"),
    "bfloat16": (lambda m: m.tensor([1.1], dtype=m.bfloat16), {}, "tensor([1.1016], dtype=stridecore.bfloat16)"),
    "float8": (lambda m: m.tensor([1.1, nan]).to(m.float8_e4m3fn), {},
               "tensor([1.1250,    nan], dtype=stridecore.float8_e4m3fn)"),
    "float8_e8m0fnu": (lambda m: m.tensor([0.5, 4.0]).to(m.float8_e8m0fnu), {},
                       "tensor([0.5000, 4.0000], dtype=stridecore.float8_e8m0fnu)"),
    "complex32": (lambda m: m.tensor([1.5 - 2j]).to(m.complex32), {},
                  "tensor([1.5000-2.j], dtype=stridecore.complex32)"),
    "complex128": (lambda m: m.tensor([1j], dtype=m.complex128), {}, "tensor([0.+1.j], dtype=stridecore.complex128)"),
    "empty": (lambda m: m.tensor([]), {}, "tensor([])"),
    "empty with a shape": (lambda m: m.empty(0, 3), {}, "tensor([], size=(0, 3))"),
    "empty ints": (lambda m: m.empty(2, 0, dtype=m.int64), {}, "tensor([], size=(2, 0), dtype=stridecore.int64)"),
    "empty bools": (lambda m: m.empty(0, dtype=m.bool), {}, "tensor([], dtype=stridecore.bool)"),
    "blank lines": (lambda m: m.arange(4).reshape(2, 1, 2), {}, "tensor([[[0, 1]],\n\n        [[2, 3]]])"),
    "two blank lines": (lambda m: m.arange(2).reshape(2, 1, 1, 1), {}, "tensor([[[[0]]],\n\n\n        [[[1]]]])"),
    "long row": (lambda m: m.arange(21), {},
                 "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17,\n"
                 "        18, 19, 20])"),
    "suffix on a new line": (lambda m: m.arange(18, dtype=m.int16), {},
                             "tensor([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16, 17],\n"
                             "       dtype=stridecore.int16)"),
    # The line is 37 columns long in torch, where "dtype=torch.int16" just fits.
    "longer name in the same line": (lambda m: m.tensor([1, 2, 3], dtype=m.int16), {"linewidth": 37},
                                     "tensor([1, 2, 3], dtype=stridecore.int16)"),
    "no room for the suffix": (lambda m: m.tensor([1, 2, 3], dtype=m.int16), {"linewidth": 36},
                               "tensor([1, 2, 3],\n       dtype=stridecore.int16)"),
    "narrow lines": (lambda m: m.arange(3), {"linewidth": 0}, "tensor([0,\n        1,\n        2])"),
    "summary": (lambda m: m.arange(1001), {}, "tensor([   0,    1,    2,  ...,  998,  999, 1000])"),
    "no summary yet": (lambda m: m.arange(6), {"threshold": 6, "edgeitems": 1}, "tensor([0, 1, 2, 3, 4, 5])"),
    "summary of rows": (lambda m: m.arange(12).reshape(4, 3), {"threshold": 5, "edgeitems": 1},
                        "tensor([[ 0,  ...,  2],\n        ...,\n        [ 9,  ..., 11]])"),
    "summary of what is long": (lambda m: m.arange(12).reshape(2, 6), {"threshold": 5, "edgeitems": 2},
                                "tensor([[ 0,  1,  ...,  4,  5],\n        [ 6,  7,  ..., 10, 11]])"),
    "hidden values don't count": (lambda m: m.tensor([1.0, 2.5e9, 3.0]), {"threshold": 2, "edgeitems": 1},
                                  "tensor([1.,  ..., 3.])"),
    "summary without edges": (lambda m: m.arange(3), {"threshold": 2, "edgeitems": 0}, "tensor([...], size=(3,))"),
    "precision": (lambda m: m.tensor([1.23456, 2.0]), {"precision": 2}, "tensor([1.23, 2.00])"),
    "sci_mode on": (lambda m: m.tensor([1.0, 2.0]), {"sci_mode": True}, "tensor([1.0000e+00, 2.0000e+00])"),
    "sci_mode off": (lambda m: m.tensor([1e-6, 2e6]), {"sci_mode": False}, "tensor([      0.0000, 2000000.0000])"),
    "transposed": (lambda m: m.arange(6).reshape(2, 3).t(), {}, "tensor([[0, 3],\n        [1, 4],\n        [2, 5]])"),
    "expanded": (lambda m: m.tensor([7]).expand(2, 3), {}, "tensor([[7, 7, 7],\n        [7, 7, 7]])"),
}


@pytest.mark.parametrize("make, options, expected", CASES.values(), ids=CASES.keys())
def test_text(make, options, expected):
    with sc.printoptions(**options):
        assert repr(make(sc)) == expected
        assert str(make(sc)) == expected


@pytest.mark.parametrize("make, options, expected", CASES.values(), ids=CASES.keys())
def test_text_is_that_of_torch(make, options, expected, fresh_torch):
    fresh_torch.set_printoptions(**options)
    assert as_ours(repr(make(fresh_torch))) == expected


def test_suffix_follows_the_default_dtype():
    sc.set_default_dtype(sc.float64)
    assert repr(sc.tensor([0.5])) == "tensor([0.5000])"
    assert repr(sc.tensor([0.5], dtype=sc.float32)) == "tensor([0.5000], dtype=stridecore.float32)"
    assert repr(sc.tensor([1j])) == "tensor([0.+1.j])"
    assert repr(sc.tensor([1j], dtype=sc.complex64)) == "tensor([0.+1.j], dtype=stridecore.complex64)"
    assert repr(sc.empty(0)) == "tensor([])"
    assert repr(sc.empty(0, dtype=sc.float32)) == "tensor([], dtype=stridecore.float32)"


def test_only_what_is_shown_is_read():
    seven = sc.tensor([7])
    assert repr(seven.expand(2**40)) == "tensor([7, 7, 7,  ..., 7, 7, 7])"
    assert repr(seven.expand(2**20, 2**20)[:, 5:]).count("7") == 36
    assert repr(seven.expand(1, 2**40, 1)).count("7") == 6


def test_subclass_prints_its_name():
    class Points(sc.Tensor):
        pass

    points = sc.ones(2, 2).as_subclass(Points)
    assert repr(points) == "Points([[1., 1.],\n        [1., 1.]])"


def test_format():
    assert f"{sc.tensor(2.5)}" == "2.5"
    assert f"{sc.tensor(2.5):8.3f}|" == "   2.500|"
    assert f"{sc.tensor(7):04d}" == "0007"
    assert f"{sc.tensor(2.5).item():.3f}" == "2.500"
    assert f"{sc.tensor([2.5, 1.0])}" == "tensor([2.5000, 1.0000])"
    with pytest.raises(TypeError):
        f"{sc.tensor([2.5]):.3f}"
    with pytest.raises(ValueError):
        f"{sc.tensor(2.5):d}"


def test_typed_storage(quiet):
    assert repr(sc.tensor([1.0, 0.5]).storage()) == (
        " 1.0\n 0.5\n[stridecore.storage.TypedStorage(dtype=stridecore.float32, device=cpu) of size 2]"
    )
    assert str(sc.tensor([True]).storage()) == (
        " True\n[stridecore.storage.TypedStorage(dtype=stridecore.bool, device=cpu) of size 1]"
    )
    assert repr(sc.empty(0).storage()) == (
        " \n[stridecore.storage.TypedStorage(dtype=stridecore.float32, device=cpu) of size 0]"
    )


def test_untyped_storage():
    storage = sc.tensor([1, -2], dtype=sc.int16).untyped_storage()
    assert repr(storage) == " 1\n 0\n 254\n 255\n[stridecore.storage.UntypedStorage(device=cpu) of size 4]"


class Coordinates:
    """What printing asks of a sparse COO tensor, taken from one of torch."""

    is_sparse = True
    layout = sc.sparse_coo

    def __init__(self, t):
        self.shape, self.dtype, self._nnz = t.shape, getattr(sc, name_of(t.dtype)), t._nnz
        self._indices = lambda: convert(t._indices(), sc)
        self._values = lambda: convert(t._values(), sc)


def test_sparse(fresh_torch, rng):
    torch = fresh_torch
    for _ in range(100):
        options = random_options(rng)
        for m in torch, sc:
            m.set_printoptions(profile="default")
            m.set_printoptions(**options)
        size = [rng.randint(1, 4) for _ in range(rng.randint(1, 4))]
        sparse_dim, nnz = rng.randint(1, len(size)), rng.randint(0, 5)
        indices = torch.tensor([[rng.randrange(n) for _ in range(nnz)] for n in size[:sparse_dim]], dtype=torch.int64)
        dtype = rng.choice([torch.float32, torch.float64, torch.int64, torch.bool, torch.complex64])
        values = random_elements(rng, torch, dtype, [nnz, *size[sparse_dim:]])
        t = torch.sparse_coo_tensor(indices.reshape(sparse_dim, nnz), values, size)
        assert tensor_str(Coordinates(t)) == as_ours(repr(t))


DEFAULTS = {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80, "sci_mode": None}


def test_options_are_kept_but_for_sci_mode():
    assert sc.get_printoptions() == DEFAULTS
    sc.set_printoptions(precision=2, sci_mode=True)
    assert sc.get_printoptions() == {**DEFAULTS, "precision": 2, "sci_mode": True}
    sc.set_printoptions(linewidth=50)
    assert sc.get_printoptions() == {**DEFAULTS, "precision": 2, "linewidth": 50}
    sc.get_printoptions()["precision"] = 9
    assert sc.get_printoptions()["precision"] == 2


def test_profiles():
    sc.set_printoptions(profile="short")
    assert sc.get_printoptions() == {**DEFAULTS, "precision": 2, "edgeitems": 2}
    sc.set_printoptions(profile="full", precision=6)
    assert sc.get_printoptions() == {**DEFAULTS, "threshold": inf, "precision": 6}
    sc.set_printoptions(profile="default")
    assert sc.get_printoptions() == DEFAULTS


def test_printoptions_restores_whatever_happens():
    sc.set_printoptions(sci_mode=False)
    with pytest.raises(ZeroDivisionError), sc.printoptions(precision=1):
        assert sc.get_printoptions() == {**DEFAULTS, "precision": 1}
        with sc.printoptions(profile="short"):
            assert sc.get_printoptions()["edgeitems"] == 2
        raise ZeroDivisionError
    assert sc.get_printoptions() == {**DEFAULTS, "sci_mode": False}
    with pytest.raises(TypeError), sc.printoptions(digits=1):
        pass


def test_printoptions_decorates():
    @sc.printoptions(precision=1)
    def text(x):
        return repr(x)

    assert text(sc.tensor([0.25])) == "tensor([0.2])"
    assert text.__name__ == "text"
    assert sc.get_printoptions() == DEFAULTS


# --- random tensors, layouts and options, against torch

DTYPES = [
    *["bool", "uint8", "int8", "int16", "int32", "int64", "uint16", "uint32", "uint64"],
    *["float16", "bfloat16", "float32", "float64", "complex32", "complex64", "complex128"],
    *["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"],
]
EDGES = [1.0, 2.0, -3.0, 1000.0, 1001.0, 0.001, 1e8, 1e8 + 1, 1e-4, 9.9999e-5, 0.5, 99.99995]
FLOATS = {
    "unit": lambda r: r.uniform(-1, 1),
    "whole": lambda r: float(r.randint(-(10 ** r.randint(0, 9)), 10 ** r.randint(0, 9))),
    "half": lambda r: r.randint(-50, 50) / 2,
    "tiny": lambda r: r.uniform(-1, 1) * 10.0 ** r.randint(-300, -3),
    "huge": lambda r: r.uniform(-1, 1) * 10.0 ** r.randint(5, 308),
    "spread": lambda r: r.uniform(-1, 1) * 10.0 ** r.randint(-5, 8),
    "edge": lambda r: r.choice(EDGES),
    "special": lambda r: r.choice([0.0, -0.0, inf, -inf, nan, 1.0, 2.5]),
    "bits": lambda r: struct.unpack("<f", r.randbytes(4))[0],
}


def random_shape(r):
    shape = [r.choice([1, 1, 2, 2, 3, 4, 5, 7, 9]) for _ in range(r.choice([0, 1, 1, 2, 2, 3, 3, 4, 5]))]
    if len(shape) == 1 and r.random() < 0.5:
        shape = [r.choice([20, 50, 1000, 1001])]
    elif shape and r.random() < 0.05:
        shape[r.randrange(len(shape))] = 0
    while math.prod(shape) > 1500:
        shape.pop()
    return shape


def random_elements(r, torch, dtype, shape):
    """Elements of one kind of value or, one time in three, of all kinds."""
    count = math.prod(shape)
    kinds = list(FLOATS.values()) if r.random() < 0.33 else [r.choice(list(FLOATS.values()))]
    numbers = torch.tensor([r.choice(kinds)(r) for _ in range(2 * count)], dtype=torch.float64)
    if dtype == torch.bool:
        x = torch.tensor([r.random() < 0.5 for _ in range(count)], dtype=dtype)
    elif dtype.is_complex:
        x = torch.view_as_complex(numbers.reshape(count, 2)).to(dtype)
    elif dtype.is_floating_point and r.random() < 0.7:
        x = numbers[:count].float().to(dtype) if dtype.itemsize == 1 else numbers[:count].to(dtype)
    else:  # integers of up to so many bits, any bits of floats
        bits = r.randint(1, 8 * dtype.itemsize)
        values = [r.getrandbits(bits) * r.choice([1, -1]) % 256**dtype.itemsize for _ in range(count)]
        data = b"".join(value.to_bytes(dtype.itemsize, "little") for value in values)
        x = torch.tensor(list(data), dtype=torch.uint8).view(dtype)
    return x.reshape(shape)


def random_view(r, x):
    """x, or a view of it, conjugate and negative ones included."""
    if x.dim() >= 2 and r.random() < 0.3:
        x = x.transpose(0, r.randrange(x.dim()))
    if x.dim() >= 1 and r.random() < 0.2:
        x = x[:: r.randint(2, 3)]
    if r.random() < 0.1:
        x = x.unsqueeze(0).expand(4, *x.shape)
    if x.is_complex() and r.random() < 0.5:
        x = x.conj()
    if x.is_complex() and r.random() < 0.3:
        x = x.imag
    return x


def random_options(r):
    choices = {
        "precision": [0, 1, 2, 6, 17],
        "threshold": [0, 1, 5, 10, 100, inf],
        "edgeitems": [0, 1, 2, 4],
        "linewidth": [0, 20, 40, 60, 77, 100, 120, 200],
        "sci_mode": [True, False],
        "profile": ["default", "short", "full"],
    }
    if r.random() < 0.4:
        return {}
    return {name: r.choice(values) for name, values in choices.items() if r.random() < 0.3}


@pytest.mark.parametrize("name", DTYPES)
def test_random_tensors_print_as_in_torch(name, fresh_torch, rng):
    torch = fresh_torch
    dtype = getattr(torch, name)
    for case in range(150):
        default = rng.choice([torch.float32, torch.float32, torch.float64, torch.float16, torch.bfloat16])
        shape, options = random_shape(rng), random_options(rng)
        t = random_view(rng, random_elements(rng, torch, dtype, shape))
        x = convert(t, sc)
        torch.set_default_dtype(default)
        sc.set_default_dtype(getattr(sc, name_of(default)))
        for m in torch, sc:
            m.set_printoptions(profile="default")
            m.set_printoptions(**options)
        assert repr(x) == as_ours(repr(t)), f"case {case}: {name}, shape {shape}, default dtype {default}, {options}"
