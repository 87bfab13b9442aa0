"""core/binary.pyx: the engine's rows beside NumPy's values: all operations, long rows past the cache, in place, NaN."""

import numpy as np
import pytest

import stridecore as sc

LONG = (4 << 20) + 4096 + 52    # bytes of a result that goes past the cache, and no multiple of a line
DTYPES = {"float32": 4, "float64": 8, "int32": 4, "int64": 8, "uint8": 1}
OPERATIONS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "maximum": np.maximum, "minimum": np.minimum, "eq": np.equal,
    "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
}


def values(dtype, n, seed):
    rng = np.random.default_rng(seed)
    array = rng.integers(0, 100, n).astype(dtype)
    if dtype.startswith("float"):
        array[::97] = np.nan
        array[1::89] = -np.inf
        array[2::83] = -0.0
    return array


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", OPERATIONS)
def test_long_rows(dtype, name):
    n = LONG // (1 if name in ("eq", "ne", "lt", "le", "gt", "ge") else DTYPES[dtype])
    a, b = values(dtype, n, 1), values(dtype, n, 2)
    x, y = sc.from_numpy(a), sc.from_numpy(b)
    with np.errstate(invalid="ignore"):
        expected = OPERATIONS[name](a, b)
    function = getattr(sc, name)
    assert np.array_equal(function(x, y).numpy(), expected, equal_nan=dtype.startswith("float"))
    for start in (1, 3):    # results that begin in the midst of a line
        room = sc.zeros(n + 8, dtype=sc.bool if expected.dtype == bool else x.dtype)
        out = room[start:start + n]
        assert function(x, y, out=out) is out
        assert np.array_equal(out.numpy(), expected, equal_nan=dtype.startswith("float"))
        assert not room[:start].any() and not room[start + n:].any()


@pytest.mark.parametrize("dtype", DTYPES)
def test_long_rows_with_a_number_and_in_place(dtype):
    a = values(dtype, LONG // DTYPES[dtype], 3)
    x = sc.from_numpy(a.copy())
    same = {"equal_nan": dtype.startswith("float")}
    assert np.array_equal((x + 3).numpy(), a + a.dtype.type(3), **same)
    assert np.array_equal((3 - x).numpy(), a.dtype.type(3) - a, **same)
    assert np.array_equal(x.abs().numpy(), np.abs(a), **same)
    x += 3
    x.mul_(x)
    assert np.array_equal(x.numpy(), np.square(a + a.dtype.type(3)), **same)


def test_long_results_of_broadcast_rows():
    a, row = values("float32", 1100 * 1001, 4).reshape(1100, 1001), values("float32", 1001, 5)
    x, r = sc.from_numpy(a), sc.from_numpy(row)
    assert np.array_equal((x + r).numpy(), a + row, equal_nan=True)
    assert np.array_equal((x - r.new_tensor(row[:1].tolist())).numpy(), a - row[:1], equal_nan=True)
    column = sc.from_numpy(np.ascontiguousarray(a[:, :1]))
    with np.errstate(invalid="ignore"):
        expected = a[:, :1] * row
    assert np.array_equal((column * r).numpy(), expected, equal_nan=True)


def test_a_shifted_out_sees_the_operand_as_it_was():
    a = np.arange(LONG // 4 + 16, dtype=np.float32)
    x = sc.from_numpy(a.copy())
    sc.add(x[:-16], 1, out=x[16:])
    assert np.array_equal(x.numpy()[16:], a[:-16] + 1) and np.array_equal(x.numpy()[:16], a[:16])


def test_absolute_values_and_roots():
    assert sc.tensor([-2, 3, -(2**63)]).abs().tolist() == [2, 3, -(2**63)]
    assert sc.tensor([-128, 127], dtype=sc.int8).abs().tolist() == [-128, 127]
    assert sc.tensor([[-0.0, float("-inf")], [float("nan"), -1.5]]).abs().signbit().tolist()[0] == [False, False]
    root = sc.tensor([4.0, -1.0, -0.0, float("inf")]).sqrt()
    assert root[0] == 2 and root[1].isnan() and root[2].signbit() and root[3].isinf()
    x = sc.arange(12.0).view(3, 4)
    assert x.t().sqrt().stride() == (1, 4) and x[:, ::2].abs().tolist() == [[0, 2], [4, 6], [8, 10]]
    assert x.flip(0)[::-1].sqrt_().square().allclose(x)
    assert sc.zeros(0).abs().shape == (0,) and sc.tensor(9.0).sqrt() == 3
    with pytest.raises(RuntimeError, match="read-only"):
        sc.from_numpy(np.broadcast_to(np.float32(1), 3)).abs_()


def test_extremes_pass_nan_on():
    nan = float("nan")
    x, y = sc.tensor([1.0, nan, 2.0, nan]), sc.tensor([nan, 1.0, 3.0, nan])
    assert sc.maximum(x, y).isnan().tolist() == sc.minimum(y, x).isnan().tolist() == [True, True, False, True]
    assert sc.maximum(x, sc.tensor(nan)).isnan().all() and x.clamp_min(1.5)[1].isnan() and x.relu()[1].isnan()
    assert sc.maximum(sc.tensor([True, False]), sc.tensor([False, False])).tolist() == [True, False]
    assert sc.tensor([-3, 3], dtype=sc.int8).clamp(min=-1).tolist() == [-1, 3]
