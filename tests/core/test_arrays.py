"""tensor(data) of NumPy's arrays and scalars, alone and among the items of lists."""

import subprocess
import sys

import numpy as np
import pytest
from against import both, elements, outcome

import stridecore as sc

ml_dtypes = pytest.importorskip("ml_dtypes")


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


ARRAYS = """
    np.float32(1.5)
    np.float64(1.5)
    np.float16(1.5)
    np.int8(1)
    np.uint16(1)
    np.bool_(1)
    np.complex64(1)
    np.complex128(1)
    np.longdouble(1)
    [np.float32(1.5)]
    [np.float64(1.5)]
    [np.float16(1.5)]
    [np.int8(1)]
    [np.int8(1), 2]
    [np.int8(1), np.int16(2)]
    [np.float32(1), 1.5]
    [np.float64(1), np.float32(2)]
    [np.int64(1), np.float32(2)]
    [np.uint16(1)]
    [np.bool_(1), np.bool_(0)]
    [np.bool_(1), 2.0]
    [np.bool_(1), 2]
    [np.complex64(1)]
    [np.uint8(1), np.int8(1)]
    [np.str_('a')]
    np.str_('a')
    np.array(3)
    [np.array(3)]
    [np.array([3])]
    [np.array([1, 2]), np.array([3, 4])]
    [np.array([1, 2.0]), np.array([3, 4])]
    [np.array([1, 2]), [3, 4.0]]
    [[1, 2], np.array([3, 4.0])]
    [np.array([1, 2]), np.array([3])]
    [np.array([True])]
    [np.array([1, 2], dtype=np.uint16)]
    [np.array([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]])]
    [np.array(['a'])]
    np.array(['a'])
    np.array([1, 2], dtype=object)
    np.array([1, 2]).astype('>i4')
    np.arange(6).reshape(2, 3).T
    np.arange(24).reshape(2, 3, 4).transpose(2, 0, 1)
    np.arange(10)[::3]
    np.broadcast_to(np.arange(3), (2, 3))
    np.zeros((2, 0, 3))
    np.zeros((2, 1, 3))[:, :, ::2]
    np.zeros((3, 1))
    np.datetime64('2020')
    np.zeros(2, dtype='f4,i4')
"""

CONVERTED = """
    lib.tensor(np.array([1, 2.5]), dtype=lib.int8)
    lib.tensor(np.arange(300), dtype=lib.uint8)
    lib.tensor(np.array([1.5, -2.5, np.nan]), dtype=lib.bool)
    lib.tensor([np.bool_(1)], dtype=lib.int64)
    lib.tensor([np.bool_(1)], dtype=lib.float32)
    lib.tensor([np.float32(1.5)], dtype=lib.bool)
    lib.tensor([np.float16(1.5)], dtype=lib.int8)
    lib.tensor([np.float64(1.5)], dtype=lib.int8)
    lib.tensor([np.complex64(1.5)], dtype=lib.complex64)
    lib.tensor([np.complex64(1.5)], dtype=lib.float32)
    lib.tensor([np.int64(5)], dtype=lib.bool)
    lib.tensor([np.array([1, 2], dtype=np.float32)], dtype=lib.int8)
"""


@pytest.mark.parametrize("code", lines(ARRAYS))
def test_as_torch(torch, code, quiet):
    both(f"lib.tensor({code})", torch)


@pytest.mark.parametrize("code", lines(CONVERTED))
def test_converted_as_torch(torch, code, quiet):
    both(code, torch)


def test_an_array_is_copied_with_its_layout():
    a = np.arange(6.0, dtype=np.float32).reshape(2, 3).T
    x = sc.tensor(a)
    assert x.tolist() == [[0.0, 3.0], [1.0, 4.0], [2.0, 5.0]] and x.stride() == (1, 3)
    a[0, 0] = 9
    assert x[0, 0].item() == 0.0


def test_negative_strides_unaligned_and_read_only_arrays():
    assert sc.tensor(np.arange(4)[::-1]).tolist() == [3, 2, 1, 0]
    assert sc.tensor(np.arange(6).reshape(2, 3)[::-1, ::-2]).tolist() == [[5, 3], [2, 0]]
    packed = np.zeros(3, dtype=np.dtype([("a", "i1"), ("b", "f8")]))
    packed["b"] = [1, 2, 3]
    with pytest.raises(ValueError, match="not a multiple of the element byte size"):
        sc.tensor(packed["b"])  # strides of 9 bytes
    assert sc.tensor(packed["b"].copy()).tolist() == [1.0, 2.0, 3.0]
    assert sc.tensor(np.frombuffer(b"\1\2", dtype=np.uint8)).tolist() == [1, 2]


def test_every_dtype_of_numpy_and_ml_dtypes():
    for name in ("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128 "
                 "bfloat16 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu").split():
        dtype = np.dtype(getattr(ml_dtypes, name, name))
        a = np.array([0.5, 1, 2, 1], dtype=dtype).reshape(2, 2).T
        x = sc.tensor(a)
        assert x.dtype is getattr(sc, name) and x.stride() == (1, 2)
        assert elements(x) == np.ascontiguousarray(a).tobytes()
        assert sc.tensor(a[0, 0]).dtype is getattr(sc, name)
        assert sc.tensor([a[0, 0], a[0, 1]]).dtype is getattr(sc, name)
    assert outcome(sc.tensor, np.zeros(2, dtype=ml_dtypes.int4))[1] is TypeError


def test_uint64_scalars():
    assert sc.tensor([np.uint64(2**63)]).tolist() == [2**63]


def test_big_arrays(torch, rng):
    a = np.random.default_rng(0).normal(size=(300, 400)).T
    assert elements(sc.tensor(a)) == np.ascontiguousarray(a).tobytes()
    assert elements(sc.tensor(a, dtype=sc.float16)) == elements(torch.tensor(a, dtype=torch.float16))


def test_numpy_is_not_loaded():
    code = (
        "import sys, stridecore as sc\n"
        "sc.tensor([1, 2.5]); sc.tensor([sc.tensor(1)]); sc.tensor(range(3)); sc.arange(3); sc.eye(2)\n"
        "assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
