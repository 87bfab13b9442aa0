"""copying.py: stridecore.copy from and to arrays, buffers and tensors."""

import array
import subprocess
import sys

import numpy as np
import pytest

import stridecore as sc


def test_a_new_array():
    image = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    chw = sc.copy(image.transpose(2, 0, 1))
    assert isinstance(chw, np.ndarray) and chw.flags.c_contiguous and chw.flags.writeable
    assert np.array_equal(chw, image.transpose(2, 0, 1))
    assert not np.shares_memory(chw, image)


def test_into_an_array_with_conversion_and_broadcast():
    out = np.zeros((2, 3), np.float64).T
    assert sc.copy(np.array([[1], [2], [3]], np.int16), out=out) is out
    assert out.tolist() == [[1, 1], [2, 2], [3, 3]]


def test_buffers():
    numbers = array.array("d", [1, 2, 3, 4])
    out = array.array("f", [0] * 2)
    sc.copy(memoryview(numbers)[::2], out=out)
    assert out.tolist() == [1, 3]
    assert sc.copy(memoryview(numbers)[::-1]).tolist() == [4, 3, 2, 1]


def test_tensors():
    x = sc.arange(6).view(2, 3)
    y = sc.copy(x.t())
    assert isinstance(y, sc.Tensor) and y.stride() == (2, 1) and y.tolist() == x.t().tolist()
    assert sc.copy(x) is not x


def test_overlap():
    a = np.arange(9).reshape(3, 3)
    sc.copy(a.T, out=a)
    assert a.tolist() == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]


def test_errors():
    fixed = np.zeros(3)
    fixed.flags.writeable = False
    with pytest.raises(RuntimeError, match="read-only"):
        sc.copy(np.ones(3), out=fixed)
    with pytest.raises(RuntimeError):
        sc.copy(np.ones(3), out=np.zeros(2))
    with pytest.raises(RuntimeError, match="single memory location"):
        sc.copy(np.ones(3), out=sc.zeros(1).expand(3))
    for wrong in ([1, 2], 3, None, "a"):
        with pytest.raises(TypeError):
            sc.copy(wrong)


def test_random_views(rng):
    for _ in range(300):
        shape = [rng.randrange(1, 7) for _ in range(rng.randrange(1, 5))]
        dtype = rng.choice("bBhHiIlLefdFD?")
        order = rng.sample(range(len(shape)), len(shape))
        a = np.arange(int(np.prod(shape))).astype(dtype).reshape(shape).transpose(order)
        a = a[tuple(slice(None, None, rng.choice([1, 1, 2, -1])) for _ in shape)]
        b = sc.copy(a)
        assert b.dtype == a.dtype and b.flags.c_contiguous and np.array_equal(a, b)


def test_no_data_is_moved_by_numpy():
    """All copies work where NumPy can't be imported."""
    code = """
import sys
sys.modules["numpy"] = None
import array, stridecore as sc
x = sc.arange(12).view(3, 4)
assert x.t().contiguous().tolist() == [[0, 4, 8], [1, 5, 9], [2, 6, 10], [3, 7, 11]]
y = sc.zeros(4, 3)
y.copy_(x.t())
assert y.tolist()[1] == [1, 5, 9]
y[1:] = y[:-1].clone()
out = array.array("q", [0] * 6)
sc.copy(array.array("q", range(12))[::2], out=out)
assert out.tolist() == [0, 2, 4, 6, 8, 10]
assert sc.copy(x.t()).stride() == (3, 1)
assert sc.cat([x, x.flip(0)]).tolist()[3] == [8, 9, 10, 11]
assert sc.stack([x, x]).shape == (2, 3, 4)
assert x.repeat(2, 1).shape == (6, 4) and x.roll(1, 0)[0].tolist() == [8, 9, 10, 11]
print("ok")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "ok", done.stderr
