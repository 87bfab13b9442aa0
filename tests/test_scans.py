"""scans.py: running sums, products and extrema, and differences."""

import pytest
from reduction_cases import (
    COMPLEX,
    FLOATS,
    INTEGERS,
    agree_call,
    agree_code,
    agree_everywhere,
    agree_out,
    random_tensor,
)

import stridecore as sc

DIMS = [((0,), {}), ((-1,), {}), ((2,), {}), ((), {"dim": 1})]
TYPED = [((0,), {"dtype": "float64"}), ((-1,), {"dtype": "int32"}), ((0,), {"dtype": "float16"})]


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_sums_as_torch(torch, rng, name):
    agree_everywhere(torch, rng, name, DIMS + TYPED, FLOATS + COMPLEX + INTEGERS, (False,), digits=1e-5)
    agree_everywhere(torch, rng, name, DIMS, FLOATS + INTEGERS, (True,))


def test_logcumsumexp_as_torch(torch, rng):
    agree_everywhere(torch, rng, "logcumsumexp", DIMS, FLOATS + INTEGERS, digits=1e-5)
    agree_everywhere(torch, rng, "logcumsumexp", DIMS, COMPLEX, (False,), digits=1e-5)


@pytest.mark.parametrize("name", ["cummax", "cummin"])
def test_extrema_as_torch(torch, rng, name):
    agree_everywhere(torch, rng, name, [((0,), {}), ((), {"dim": -1})], FLOATS + INTEGERS)


def test_diff_as_torch(torch, rng):
    cases = [((), {}), ((2,), {}), ((1, 0), {}), ((), {"n": 9, "dim": 0}), ((0,), {}), ((-1,), {}), ((1, 5), {})]
    agree_everywhere(torch, rng, "diff", cases, FLOATS + COMPLEX + INTEGERS)


def test_arguments_as_torch(torch, rng):
    agree_code(
        """
        x.cumsum() | x.cumsum(3) | x.cumsum(1.0) | x.cumsum((0, 1)) | x.cumsum(axis=0)
        lib.cumsum(x, dim=0, dtype=lib.int64)
        x.cumsum(None) | x.int().cumsum_(0) | x.int().cumsum_(0, dtype=lib.int64) | x.cumprod_(1) | x.cumsum(True)
        lib.cumsum(x, 0, dtype=lib.float64, out=lib.zeros(0))
        lib.cumsum(x.int(), 0, out=lib.zeros(0, dtype=lib.int32))
        lib.cummax(x, 0, out=(lib.zeros(0), lib.zeros(0, dtype=lib.int64)))
        lib.cummax(x, 0, out=(lib.zeros(0), lib.zeros(0)))
        lib.cummax(x, 3) | lib.cummin(x, 0, out=lib.zeros(0)) | lib.tensor(3.).cummax(0) | lib.tensor(3).cumsum(0)
        lib.tensor(3.).cumsum(1) | lib.tensor(True).cumprod(-1) | lib.tensor(3.).logcumsumexp(0)
        lib.zeros(0, 3).cummax(0)
        lib.diff(x, prepend=x[:, :, :1]) | lib.diff(x, append=x[:, :, :1], dim=2, n=2)
        lib.diff(x, prepend=lib.ones(2, 1))
        lib.diff(x, 1, 0, lib.ones(1, 3, 4, dtype=lib.float64)) | lib.diff(x, prepend=lib.ones(2, 2, 1))
        lib.diff(lib.tensor(1))
        lib.diff(x, out=lib.zeros(0)) | lib.diff(x, n=0) | lib.diff(x.bool()) | lib.diff(x, 1, 0, x[:1], x[1:])
        lib.diff(x.int(), prepend=lib.ones(2, 3, 1, dtype=lib.uint8)) | lib.diff(x, prepend=1)
        """,
        1e-5,
        x=random_tensor(torch, rng, "float32", (2, 3, 4)),
    )


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "logcumsumexp"])
def test_out(torch, rng, name):
    t = random_tensor(torch, rng, "float32", (3, 4))
    x = sc.from_numpy(t.numpy())
    dtypes = "float32 float64 int64 bool" if name != "logcumsumexp" else "float32 int64 bool"
    agree_out(name, x, t, (0,), dtypes, [(3, 4), (0,), (2, 3)], 1e-5)


def test_running_sums_keep_their_digits():
    x = sc.full((100_000,), 0.1)
    assert x.cumsum(0)[-1].item() == pytest.approx(10_000, rel=1e-6)


def test_long_scans_as_torch(torch, rng):
    for shape in ((70_000,), (3, 40_000), (300, 200), (7, 100, 90)):
        t = torch.rand(shape)
        for dim in range(len(shape)):
            agree_call("cumsum", sc.from_numpy(t.numpy()), t, (dim,))
            agree_call("cumprod", sc.from_numpy(t.numpy()), t, (dim,))
            agree_call("cummax", sc.from_numpy(t.numpy()), t, (dim,))


def test_in_place():
    x = sc.tensor([[1, 2], [3, 4]], dtype=sc.int8)
    assert x.cumsum_(0) is x
    assert x.tolist() == [[1, 2], [4, 6]]
    y = sc.arange(1.0, 5.0)
    y[::-1].cumprod_(0)
    assert y.tolist() == [24, 24, 12, 4]
    with pytest.raises(RuntimeError, match="single memory location"):
        sc.ones(1).expand(3).cumsum_(0)
