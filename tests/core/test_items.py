"""core/items.pyx: elements as Python numbers."""

import operator

import pytest
from against import convert

import stridecore as sc


def test_item():
    assert sc.tensor([[2.5]]).item() == 2.5
    assert type(sc.tensor(True).item()) is bool
    assert type(sc.tensor(3).item()) is int
    assert sc.tensor(1 + 2j).conj().item() == 1 - 2j
    with pytest.raises(RuntimeError, match="a Tensor with 2 elements cannot be converted to Scalar"):
        sc.zeros(2).item()
    with pytest.raises(RuntimeError):
        sc.zeros(0).item()


def test_tolist():
    x = sc.arange(6).view(2, 3)
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert x.t().tolist() == [[0, 3], [1, 4], [2, 5]]
    assert x[:, ::-1].tolist() == [[2, 1, 0], [5, 4, 3]]
    assert sc.zeros(2, 0).tolist() == [[], []]
    assert sc.zeros(0, 2).tolist() == []
    assert sc.tensor(7).tolist() == 7
    assert sc.zeros(1).expand(2, 3).tolist() == [[0, 0, 0], [0, 0, 0]]


def test_numbers():
    assert float(sc.tensor([1.5])) == 1.5
    assert int(sc.tensor(2.7)) == 2
    assert complex(sc.tensor(2)) == 2 + 0j
    assert operator.index(sc.tensor([[3]])) == 3
    assert operator.index(sc.tensor(True)) == 1
    assert float(sc.tensor(1 + 0j)) == 1.0


@pytest.mark.parametrize(
    "convert, x, error",
    [
        (float, [1.0, 2.0], ValueError),
        (int, [], ValueError),
        (complex, [1.0, 2.0], ValueError),
        (float, 1 + 2j, RuntimeError),
        (int, 1 + 2j, RuntimeError),
        (int, float("nan"), ValueError),
        (operator.index, 1.0, TypeError),
        (operator.index, [1, 2], TypeError),
        (bool, [1.0, 2.0], RuntimeError),
        (bool, [], RuntimeError),
    ],
)
def test_numbers_that_there_are_none_of(convert, x, error):
    with pytest.raises(error):
        convert(sc.tensor(x))


def test_truth():
    assert bool(sc.tensor([[1]])) and not bool(sc.tensor(0.0)) and bool(sc.tensor(2j))


def test_a_storage_that_shrank():
    x = sc.arange(4)
    last = x[3]
    x.untyped_storage().resize_(8)
    for read in (last.item, last.tolist, x.tolist, lambda: int(last), lambda: bool(last)):
        with pytest.raises(RuntimeError, match="resized"):
            read()


def test_every_dtype_reads_as_torchs(torch, rng):
    for name in ("bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 "
                 "complex32 complex64 complex128 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz "
                 "float8_e8m0fnu").split():
        dtype = getattr(torch, name)
        data = bytes(rng.choice([0, 1]) if name == "bool" else rng.randrange(256) for _ in range(16 * 64))
        t = torch.frombuffer(bytearray(data), dtype=dtype)[::3]
        assert repr(convert(t, sc).tolist()) == repr(t.tolist()), name
