"""Tensor(...), FloatTensor(...) and its kin, x.new(...), x.type(...), and subclasses."""

import numpy as np
import pytest
from against import both, name_of, outcome

import stridecore as sc


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


# ---- literal --------------------------------------------------------------------------------------------------


def test_sizes_or_values():
    assert sc.Tensor(2, 3).shape == (2, 3) and sc.Tensor(sc.Size([2, 3])).shape == (2, 3)
    assert sc.Tensor([2, 3]).tolist() == [2.0, 3.0] and sc.Tensor().shape == (0,)
    assert sc.LongTensor([1.7, 2]).tolist() == [1, 2] and sc.LongTensor(2, 3).dtype is sc.int64
    assert sc.HalfTensor([1]).dtype is sc.float16


def test_other_tensors_and_storages_share_memory():
    x = sc.tensor([1.0, 2.0])
    y = sc.Tensor(x)
    assert y is not x and y.data_ptr() == x.data_ptr() and y._is_view()
    z = sc.FloatTensor(x.untyped_storage())
    z[0] = 5
    assert x.tolist() == [5.0, 2.0]
    with pytest.raises(TypeError, match=r"expected a tensor of .*int64, got .*float32"):
        sc.LongTensor(x)


def test_types_are_classes_of_tensors():
    x = sc.zeros(2)
    assert isinstance(x, sc.FloatTensor) and not isinstance(x, sc.LongTensor) and isinstance(x, sc.Tensor)
    assert not isinstance(3, sc.FloatTensor)
    assert sc.FloatTensor.dtype is sc.float32 and sc.FloatTensor.layout is sc.strided
    assert repr(sc.FloatTensor) == "<class 'stridecore.FloatTensor'>" and isinstance(sc.FloatTensor, type)
    assert type(sc.FloatTensor([1.0])) is sc.Tensor


def test_type():
    x = sc.zeros(2)
    assert x.type() == "stridecore.FloatTensor" and sc.zeros(2).double().type() == "stridecore.DoubleTensor"
    for wanted in (sc.int64, sc.LongTensor, "stridecore.LongTensor", "torch.LongTensor"):
        assert x.type(wanted).dtype is sc.int64
    assert x.type(sc.float32) is x and x.type("torch.FloatTensor") is x


def test_subclasses():
    class Mine(sc.Tensor):
        def twice(self):
            return self.numel() * 2

    x = sc.zeros(2)
    for made in (Mine([1.0, 2.0]), Mine(2), Mine(x), x.as_subclass(Mine), Mine(2).new(2), Mine(2).type(sc.int32)):
        assert type(made) is Mine and made.twice() == 4
    assert x.as_subclass(Mine).data_ptr() == x.data_ptr() and x.as_subclass(Mine)._base is x
    assert isinstance(Mine(2), sc.FloatTensor)
    for wrong in (int, 3, sc.FloatTensor):
        with pytest.raises(TypeError):
            x.as_subclass(wrong)


def test_a_subclass_may_have_a_constructor_of_its_own():
    class Named(sc.Tensor):
        def __new__(cls, data, name):
            made = super().__new__(cls, data)
            made.name = name
            return made

        def __init__(self, data, name):
            assert self.name == name

    assert Named([1.0], "a").name == "a"


# ---- against torch --------------------------------------------------------------------------------------------

CALLS = """
    lib.Tensor()
    lib.Tensor(0, 3)
    lib.Tensor(2, 2).fill_(1)
    lib.Tensor([2, 3])
    lib.Tensor((2, 3))
    lib.Tensor(2.5)
    lib.Tensor(True)
    lib.Tensor([[1, 2], [3, 4]])
    lib.Tensor([[1, 2], [3]])
    lib.Tensor(f)
    lib.Tensor(i)
    lib.Tensor(f.untyped_storage())
    lib.Tensor(i.untyped_storage())
    lib.Tensor(i.storage())
    lib.Tensor(f.storage())
    lib.Tensor(storage=f.untyped_storage())
    lib.Tensor(other=f)
    lib.Tensor(np.arange(3))
    lib.Tensor(np.arange(3.0, dtype=np.float32))
    lib.Tensor(np.array(3.5))
    lib.Tensor(np.array(3)).fill_(1)
    lib.Tensor(np.float32(3))
    lib.Tensor(np.int64(3)).fill_(1)
    lib.Tensor(2, dtype=lib.int32)
    lib.Tensor([1], device='cpu')
    lib.Tensor(device='cpu')
    lib.Tensor([1], device='cuda')
    lib.Tensor('a')
    lib.Tensor(None)
    lib.Tensor(-1)
    lib.Tensor(2**70)
    lib.Tensor(size=(2, 3)).fill_(1)
    lib.Tensor(size=2)
    lib.Tensor(data=[1])
    lib.Tensor(foo=3)
    lib.Tensor(2, size=(3,))
    lib.Tensor([1], data=[2])
    lib.Tensor([1, 2], [3])
    lib.Tensor(lib.Size([2]), 3)
    lib.Tensor((2,), 3)
    lib.Tensor(range(3))
    lib.Tensor(bytearray(b'ab'))
    lib.Tensor([])
    lib.Tensor(())
    lib.Tensor([1, 'a'])
    lib.Tensor(2, 2.5)
    lib.Tensor({1})
    lib.Tensor({1: 2})
    lib.Tensor(lib.tensor(3))
    lib.Tensor(lib.tensor(3), 2).fill_(1)
    lib.Tensor(x)
    lib.FloatTensor([1, 2])
    lib.FloatTensor(2).fill_(1)
    lib.FloatTensor(f.double())
    lib.FloatTensor(size=(2,)).fill_(1)
    lib.LongTensor([1.7, 2])
    lib.LongTensor(f)
    lib.LongTensor(f.long())
    lib.IntTensor(np.arange(3, dtype=np.int32))
    lib.IntTensor(np.arange(3))
    lib.IntTensor(i.untyped_storage())
    lib.IntTensor(f.storage())
    lib.ByteTensor([1, 300])
    lib.ByteTensor([1, 255])
    lib.BoolTensor([1, 0])
    lib.HalfTensor([1])
    lib.BFloat16Tensor([1])
    lib.DoubleTensor([1])
    lib.CharTensor([1])
    lib.ShortTensor([1])
    i.new(2, 3).fill_(1)
    i.new([1.5])
    i.new()
    i.new(x)
    i.new(i)
    i.new(size=(2,)).fill_(1)
    i.new(i.untyped_storage())
    x.new(2.5)
    x.type(lib.int32)
    x.type(dtype=lib.int32)
    x.type(int)
    x.type('torch.UInt16Tensor')
    x.type('torch.ComplexFloatTensor')
    x.type('torch.Float8_e5m2Tensor')
    x.type('torch.float32')
    x.type('LongTensor')
    x.type('torch.FooTensor')
    x.type('torch.Tensor')
    x.type(lib.Tensor)
    x.type(lib.LongTensor)
    x.type(3)
    x.type(lib.int32, True)
    x.type(lib.int32, non_blocking=False)
"""

DTYPES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex32 complex64 "
    "complex128 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu"
).split()


@pytest.mark.parametrize("code", lines(CALLS))
def test_as_torch(torch, code, quiet):
    both(code, torch, f=lambda lib: lib.ones(2), x=lambda lib: lib.ones(2, 3).t(),
         i=lambda lib: lib.ones(2, dtype=lib.int32))


@pytest.mark.parametrize("name", DTYPES)
def test_names_of_types(torch, name, quiet):
    x, t = sc.zeros(1, dtype=getattr(sc, name)), torch.zeros(1, dtype=getattr(torch, name))
    assert x.type().replace("stridecore.", "torch.") == t.type()
    assert sc.zeros(1).type(t.type()).dtype is x.dtype
    assert sc.zeros(1).type(x.type()).dtype is x.dtype


def test_the_constructors_are_torchs(torch):
    names = [name for name in dir(torch) if name.endswith("Tensor")]
    assert [name for name in dir(sc) if name.endswith("Tensor")] == names
    for name in names[:-1]:
        if name != "Tensor":
            assert name_of(getattr(sc, name).dtype) == name_of(getattr(torch, name).dtype)


def test_types_as_torch(torch):
    for lib in (sc, torch):
        class Mine(lib.Tensor):
            pass

        x = Mine([1.0, 2.0])
        kinds = [x.new_zeros(2), x.new(2), lib.zeros_like(x), x.type(lib.int32), lib.as_tensor(x), lib.rand_like(x)]
        assert {type(made) for made in kinds} == {Mine}
        assert {type(made) for made in (lib.asarray(x, copy=True), lib.FloatTensor([1.0]))} == {lib.Tensor}


def test_huge_sizes_fail_cleanly():
    assert outcome(sc.Tensor, 2**62, 4)[1] is RuntimeError
    assert outcome(sc.LongTensor, np.zeros((2, 3)), 3)[1] is TypeError
