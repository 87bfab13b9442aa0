"""finfo and iinfo."""

import copy

import pytest

import stridecore as sc

NAMES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex32 complex64 "
    "complex128 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu"
).split()


def test_limits():
    assert sc.finfo(sc.float32).max == 3.4028234663852886e38
    assert sc.finfo(sc.float16).eps == 2**-10
    assert sc.iinfo(sc.int8).min == -128 and sc.iinfo(sc.uint64).max == 2**64 - 1
    assert repr(sc.iinfo(sc.int8)) == "iinfo(min=-128, max=127, dtype=int8)"


@pytest.mark.parametrize("name", [*NAMES, "", "float", "complex", "bool_", "int_"])
def test_limits_are_torchs(torch, name):
    for info in ("finfo", "iinfo"):
        builtin = {"float": float, "complex": complex, "bool_": bool, "int_": int}.get(name)

        def make(lib, info=info, builtin=builtin):
            return getattr(lib, info)(*([builtin or getattr(lib, name)] if name else []))

        try:
            torchs = make(torch)
        except TypeError:
            with pytest.raises(TypeError):
                make(sc)
            continue
        mine = make(sc)
        assert repr(mine) == repr(torchs) and str(mine) == str(torchs)
        public = [attribute for attribute in dir(torchs) if attribute[0] != "_"]
        assert [attribute for attribute in dir(mine) if attribute[0] != "_"] == public
        for attribute in public:
            a, b = getattr(mine, attribute), getattr(torchs, attribute)
            assert a == b and type(a) is type(b), attribute


def test_limits_are_values():
    assert sc.finfo(sc.float32) == sc.finfo(sc.complex64) != sc.finfo(sc.float64)
    assert sc.iinfo(sc.int8) == sc.iinfo(sc.int8) != sc.iinfo(sc.uint8)
    assert sc.finfo(sc.float32) != "float32"
    for refused in (
        lambda: hash(sc.finfo(sc.float32)),
        lambda: copy.copy(sc.iinfo(sc.int8)),
        lambda: sc.finfo(None),
        lambda: sc.finfo("float32"),
        lambda: sc.iinfo(),
        lambda: sc.finfo(sc.float32, 3),
        lambda: sc.finfo(sc.float32) < sc.finfo(sc.float64),
    ):
        with pytest.raises(TypeError):
            refused()
    with pytest.raises(AttributeError):
        sc.finfo(sc.float32).max = 3
    with pytest.raises(AttributeError):
        _ = sc.iinfo(sc.int8).eps
