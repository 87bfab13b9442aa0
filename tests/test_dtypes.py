"""dtypes: names, attributes, limits, the default dtype."""

import copy
import pickle

import pytest
from against import name_of

import stridecore as sc

NAMES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex32 complex64 "
    "complex128 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu"
).split()
ALIASES = "half float double short int long chalf cfloat cdouble".split()


@pytest.mark.parametrize("name", NAMES + ALIASES)
def test_attributes_are_torchs(torch, name):
    mine, torchs = getattr(sc, name), getattr(torch, name)
    assert name_of(mine) == name_of(torchs)
    for attribute in ("itemsize", "is_floating_point", "is_complex", "is_signed"):
        assert getattr(mine, attribute) == getattr(torchs, attribute), attribute
    assert name_of(mine.to_real()) == name_of(torchs.to_real())
    try:
        expected = name_of(torchs.to_complex())
    except RuntimeError:
        with pytest.raises(RuntimeError):
            mine.to_complex()
    else:
        assert name_of(mine.to_complex()) == expected


def test_there_is_one_object_for_each():
    assert sc.float is sc.float32 and sc.long is sc.int64
    assert len({getattr(sc, name) for name in NAMES}) == len(NAMES)
    for name in NAMES:
        d = getattr(sc, name)
        assert copy.copy(d) is d and copy.deepcopy(d) is d and pickle.loads(pickle.dumps(d)) is d
        assert repr(d) == f"stridecore.{name}"
    with pytest.raises(TypeError):
        sc.dtype()


# ---- the default dtype ----------------------------------------------------------------------------------------


@pytest.fixture
def restored():
    yield
    sc.set_default_dtype(sc.float32)


@pytest.mark.parametrize("name", ["float16", "bfloat16", "float32", "float64"])
def test_default_dtype_decides(restored, torch, name):
    made = [
        "tensor(1.5)", "tensor([1, 2.5])", "tensor([])", "zeros(2)", "ones(2)", "empty(2)", "full((2,), 1.5)",
        "arange(2.0)", "linspace(0, 1, 3)", "logspace(0, 1, 3)", "eye(2)", "scalar_tensor(1)", "Tensor(2)",
        "Tensor([1.0])", "rand(2)", "randn(2)", "normal(0.0, 1.0, (2,))", "FloatTensor([1])",
        "tensor([1])", "arange(2)", "as_tensor(1.5)", "asarray([1.5])", "empty_strided((2,), (1,))", "finfo()",
    ]  # fmt: skip
    if name != "bfloat16":
        made += ["tensor(1j)", "full((2,), 1j)"]
    torch.set_default_dtype(getattr(torch, name))
    sc.set_default_dtype(getattr(sc, name))
    try:
        assert sc.get_default_dtype() is getattr(sc, name)
        for code in made:
            torchs = eval(f"torch.{code}.dtype", {"torch": torch})
            assert name_of(eval(f"sc.{code}.dtype", {"sc": sc})) == name_of(torchs), code
        assert sc.tensor(1j).dtype is {"float16": sc.complex32, "float64": sc.complex128}.get(name, sc.complex64)
    finally:
        torch.set_default_dtype(torch.float32)


def test_default_dtype_is_a_float(restored):
    for wrong in (sc.int32, sc.bool, sc.complex64, sc.float8_e5m2, float, "float32", None):
        with pytest.raises(TypeError):
            sc.set_default_dtype(wrong)
    assert sc.get_default_dtype() is sc.float32


@pytest.mark.parametrize("kind", [sc.dtype, sc.memory_format, sc.layout, sc.device])
def test_there_are_no_others_and_none_changes(kind):
    with pytest.raises(TypeError):
        kind.__new__(kind)
    cpu = sc.zeros(1).device
    cpu.__init__("cpu", 5)
    assert str(cpu) == str(sc.zeros(1).device) == "cpu"
