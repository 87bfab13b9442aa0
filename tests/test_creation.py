"""eye, complex, polar, as_tensor, asarray: the creation functions written in Python."""

import array
import math

import numpy as np
import pytest
from against import both, outcome

import stridecore as sc


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


# ---- literal --------------------------------------------------------------------------------------------------


def test_eye():
    assert sc.eye(2, 3).tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    assert sc.eye(2, dtype=sc.bool).tolist() == [[True, False], [False, True]]
    out = sc.full((2, 2), 7.0).t()
    assert sc.eye(2, out=out) is out and out.tolist() == [[1.0, 0.0], [0.0, 1.0]] and out.stride() == (1, 2)


def test_complex_and_polar():
    assert sc.complex(sc.tensor([1.0, 2.0]), sc.tensor([3.0, 4.0])).tolist() == [1 + 3j, 2 + 4j]
    x = sc.polar(sc.tensor([1.0, 2.0]), sc.tensor([0.0, math.pi]))
    assert x[0].item() == 1 and abs(x[1].item() + 2) < 1e-6
    out = sc.zeros(2, dtype=sc.complex64)
    assert sc.complex(out.imag, sc.ones(2), out=out) is out and out.tolist() == [1j, 1j]
    assert sc.complex(sc.ones(2), out.real, out=out).tolist() == [1 + 0j, 1 + 0j]


def test_as_tensor_shares_where_it_can():
    x = sc.zeros(2)
    assert sc.as_tensor(x) is x and sc.as_tensor(x, dtype=sc.float32) is x
    assert sc.as_tensor(x, dtype=sc.int64).dtype is sc.int64
    a = np.zeros(3)
    sc.as_tensor(a)[0] = 5
    assert a[0] == 5.0
    assert sc.as_tensor([1, 2]).tolist() == [1, 2]


def test_asarray_copies_as_told():
    x, a = sc.zeros(2), np.zeros(2)
    assert sc.asarray(x) is x and sc.asarray(x, copy=False) is x and sc.asarray(x, copy=True) is not x
    sc.asarray(a)[0] = 1
    sc.asarray(a, copy=True)[1] = 1
    assert a.tolist() == [1.0, 0.0]
    data = bytearray(b"abcd")
    sc.asarray(data, dtype=sc.uint8)[0] = 65
    assert data == b"Abcd"
    for wrong in ([1, 2], 3, 1.5):
        with pytest.raises(ValueError, match="alias"):
            sc.asarray(wrong, copy=False)
    with pytest.raises(ValueError, match="alias"):
        sc.asarray(a, dtype=sc.float32, copy=False)


def test_asarray_of_read_only_bytes_is_read_only():
    x = sc.asarray(b"abcd", dtype=sc.uint8)
    with pytest.raises(RuntimeError, match="read-only"):
        x[0] = 1
    sc.asarray(b"abcd", dtype=sc.uint8, copy=True)[0] = 1


# ---- against torch --------------------------------------------------------------------------------------------

CALLS = """
    lib.eye(3)
    lib.eye(0)
    lib.eye(-1)
    lib.eye(2, -1)
    lib.eye(2, 0)
    lib.eye(2, m=3)
    lib.eye(n=2)
    lib.eye(2, dtype=lib.complex64)
    lib.eye(3, 2, dtype=lib.float16)
    lib.eye(2.0)
    lib.eye(True)
    lib.eye(np.int64(2))
    lib.eye(2, out=lib.empty(0))
    lib.eye(2, out=lib.ones(3))
    lib.eye(2, out=lib.empty(2, 2, dtype=lib.int8))
    lib.eye(2, 3, 4)
    lib.eye((2,))
    lib.eye()
    lib.complex(f, f)
    lib.complex(f, f.double())
    lib.complex(f.int(), f.int())
    lib.complex(f.bfloat16(), f.bfloat16())
    lib.complex(f.half(), f.half())
    lib.complex(f, lib.ones(3, 1))
    lib.complex(1.0, 2.0)
    lib.complex(f, 1.0)
    lib.complex(lib.ones(3), f)
    lib.complex(f, f, out=lib.empty(2))
    lib.complex(f, f, out=lib.empty(0, dtype=lib.complex64))
    lib.complex(f, f, out=3)
    lib.complex(x, lib.ones(3, 2))
    lib.complex(lib.ones(3, 2), x)
    lib.complex(lib.ones(2), x)
    lib.complex(x, lib.ones(2))
    lib.complex(real=f, imag=f)
    lib.complex(lib.tensor(float('inf')), lib.tensor(float('nan')))
    lib.complex(lib.ones(2, 3)[:, ::2], lib.ones(2, 2))
    lib.polar(f, f.double())
    lib.polar(f.int(), f.int())
    lib.polar(abs=f, angle=lib.zeros(2))
    lib.polar(lib.ones(2, 1), lib.zeros(3))
    lib.polar(x, lib.zeros(3, 2))
    lib.as_tensor([1, 2])
    lib.as_tensor(1.5)
    lib.as_tensor(f, dtype=lib.int8)
    lib.as_tensor([1], lib.float64)
    lib.as_tensor(data=[1], dtype=None, device=None)
    lib.as_tensor(np.arange(3))
    lib.as_tensor(np.arange(3), dtype=lib.float32)
    lib.as_tensor([1], requires_grad=True)
    lib.as_tensor(None)
    lib.as_tensor('a')
    lib.as_tensor(np.float32(3))
    lib.as_tensor([1], device='foo')
    lib.asarray([1, 2], dtype=lib.float32)
    lib.asarray([1, 2], copy=True)
    lib.asarray(np.arange(3), copy=False)
    lib.asarray(bytearray(b'abcdefgh'))
    lib.asarray(bytearray(b'abcdefgh'), dtype=lib.int32)
    lib.asarray(bytearray(b'abcdefghi'), dtype=lib.int32)
    lib.asarray(bytearray(b'abcdefgh'), dtype=lib.float32, copy=True)
    lib.asarray(array.array('i', [1, 2]), dtype=lib.int32)
    lib.asarray(array.array('i', [1, 2]), dtype=lib.int64)
    lib.asarray(array.array('d', [1, 2]))
    lib.asarray(memoryview(bytearray(b'abcd')))
    lib.asarray(1)
    lib.asarray(np.float32(1.5))
    lib.asarray(np.float64(1.5))
    lib.asarray('a')
    lib.asarray(None)
    lib.asarray([[1, 2], [3]])
    lib.asarray(obj=[1])
    lib.asarray([1], device='cpu', requires_grad=False)
    lib.asarray([1], foo=1)
    lib.asarray([1], lib.float32)
    lib.asarray([lib.tensor(1), lib.tensor(2)])
    lib.asarray(range(3))
    lib.asarray(x, copy=True)
    lib.asarray(f, dtype=lib.int32)
    lib.asarray(f, dtype=lib.int32, copy=False)
    lib.asarray(np.array(['a']))
"""


@pytest.mark.parametrize("code", lines(CALLS))
def test_as_torch(torch, code, quiet):
    both(code, torch, f=lambda lib: lib.ones(2), x=lambda lib: lib.ones(2, 3).t(), array=lambda lib: array)


def test_polar_is_close_to_torchs(torch, rng):
    for name, tolerance in (("float32", 2e-7), ("float64", 4e-16)):
        lengths = [rng.uniform(0, 100) for _ in range(500)] + [0.0, math.inf, math.nan]
        angles = [rng.uniform(-100, 100) for _ in range(500)] + [0.0, 1.0, 2.0]
        x, t = (lib.polar(*(lib.tensor(values, dtype=getattr(lib, name)) for values in (lengths, angles))).tolist()
                for lib in (sc, torch))
        for a, b in zip(x, t, strict=True):
            for p, q in ((a.real, b.real), (a.imag, b.imag)):
                assert p == q or (p != p and q != q) or abs(p - q) <= tolerance * abs(b)


def test_polar_of_half():
    assert sc.polar(sc.ones(2).half(), sc.zeros(2).half()).tolist() == [1 + 0j, 1 + 0j]


def test_errors_that_name_the_way_out():
    with pytest.raises(RuntimeError, match="n must be greater or equal to 0, got -1"):
        sc.eye(-1)
    with pytest.raises(NotImplementedError, match="no autograd"):
        sc.asarray([1.0], requires_grad=True)
    assert outcome(sc.eye, 2**40)[1] is RuntimeError
