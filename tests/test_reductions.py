"""reductions.py, moments.py and reducing.py: sums, means, truth, variances and norms as torch has them."""

import inspect
import math

import numpy as np
import pytest
from reduction_cases import COMPLEX, FLOATS, INTEGERS, agree_call, agree_code, agree_out, layouts, random_tensor

import stridecore as sc

ALL = FLOATS + COMPLEX + INTEGERS
DIMS = [{}, {"dim": 0}, {"dim": -1, "keepdim": True}, {"dim": (0, 1)}, {"dim": (-1, 0), "keepdim": True}, {"dim": ()}]
ONE_DIM = [{}, {"dim": 0}, {"dim": -1, "keepdim": True}, {"dim": 2}]
COUNTED = [{}, {"dim": 0}, {"dim": (0, 1)}]
NEEDS_DIM = [d for d in DIMS[1:] if d["dim"] != ()]
VARIANCES = [
    *DIMS,
    {"unbiased": False},
    {"dim": 0, "correction": 0},
    {"dim": 1, "correction": 5},
    {"correction": 0.5},
]
NORMS = [{"dim": 0}, {"p": 1}, {"p": 0, "dim": -1}, {"p": math.inf, "dim": 0, "keepdim": True}, {"p": -math.inf}]
NORMS += [{}, {"p": 3.5}, {"p": -2, "dim": 0}, {"p": "nuc", "dim": (1, 0)}, {"dim": (0, 1)}, {"dim": (0, 1, 2)}]

# name: the arguments to try
CASES = {
    "sum": [*DIMS, {"dtype": "float64"}, {"dim": 0, "dtype": "int32"}, {"dim": 0, "dtype": "float16"}],
    "nansum": DIMS,
    "mean": [*DIMS, {"dtype": "float64"}, {"dim": 0, "dtype": "int32"}],
    "nanmean": DIMS,
    "prod": [*ONE_DIM, {"dtype": "float64"}, {"dim": 0, "dtype": "int32"}],
    "any": DIMS,
    "all": DIMS,
    "count_nonzero": COUNTED,
    "logsumexp": NEEDS_DIM,
    "var": VARIANCES,
    "std": VARIANCES,
    "norm": NORMS,
}


@pytest.mark.parametrize("name", CASES)
def test_as_torch(torch, rng, name):
    for dtype in ALL:
        for special in (False,) if name in ("var", "std") else (False, True):
            for x, t in layouts(torch, rng, dtype, special):
                for kwargs in CASES[name]:
                    # nan is no int, great ints round in the order they come, matrices with nan have no singular values
                    if not (special and ("dtype" in kwargs or kwargs.get("p") == "nuc")):
                        loose = {"float16": 2e-2, "bfloat16": 1e-1}.get(kwargs.get("dtype", dtype), 3e-5)
                        agree_call(name, x, t, (), kwargs, digits=loose)


@pytest.mark.parametrize("name", ["var_mean", "std_mean"])
def test_pairs_as_torch(torch, rng, name):
    for dtype in FLOATS + COMPLEX + ["int32"]:
        for x, t in layouts(torch, rng, dtype):
            for kwargs in VARIANCES:
                agree_call(name, x, t, (), kwargs, digits=2e-2, function=True)


@pytest.mark.parametrize("name", CASES)
def test_out(torch, rng, name):
    t = random_tensor(torch, rng, "float32", (3, 4))
    x = sc.from_numpy(t.numpy())
    args = (2, 0) if name == "norm" else (0,)
    agree_out(name, x, t, args, "float32 float64 int64 bool complex64", [(4,), (0,), (2, 3)], 1e-5)


def test_positions(torch, rng):
    t = random_tensor(torch, rng, "float32", (2, 3, 4))
    agree_code(
        """
        x.sum(0, True) | x.sum([0, 2])
        x.sum(axis=1, keepdims=True) | lib.sum(x, axis=0) | lib.sum(input=x, dim=1)
        x.sum(keepdim=True) | x.mean(keepdim=True) | x.prod(keepdim=True) | x.any(keepdim=True) | x.nansum(keepdim=True)
        x.sum(True) | x.sum(1.0) | x.sum('a') | x.sum(3)
        x.sum((0, 0)) | x.sum(0, 1) | x.sum(0, True, 3) | x.sum((0, 3))
        x.sum(lib.tensor(1)) | x.sum(None, True) | x.prod((0, 1))
        x.mean((0, -1), True) | x.any(0, True) | x.all((0, 1))
        x.std(0, False) | x.std(0, False, True) | x.std(False) | x.std(unbiased=True, correction=1) | x.std(0, 1)
        x.var((0, 2), True, True) | lib.var(x, [1], correction=2) | x.var(False, 0) | x.var(keepdim=True)
        lib.var_mean(x, 1, False) | lib.std_mean(x, False) | lib.std_mean(x, dim=None, keepdim=True)
        x.norm(2, 0) | x.norm(2, (0, 1), True) | x.norm('nuc')
        x.norm('other') | x.norm(p=None) | lib.norm(x, 'fro', 0)
        x.norm(dtype=lib.float64) | x.logsumexp()
        x.logsumexp((0, 1)) | lib.logsumexp(x, 0, True) | x.count_nonzero((0, 1))
        x.sum(0, out=x) | lib.sum(1) | lib.sum([1.0]) | lib.sum() | x.sum(dim=0, axis=0) | x.count_nonzero(0, True)
        x.mean(dtype=lib.int32) | x.sum(dtype=int)
        x.sum(dtype=float) | x.sum(dtype='float32') | lib.tensor(3.).sum(0)
        lib.tensor(3.).sum(1) | lib.tensor(3.).sum((0, -1)) | lib.tensor(3.).mean(0, True) | lib.tensor(3.).std()
        lib.zeros(0, 3).mean() | lib.zeros(0, 3).mean(0)
        lib.zeros(0, 3).prod(0) | lib.zeros(0, 3).all() | lib.zeros(0).any()
        lib.zeros(0, 3).norm(float('inf')) | lib.zeros(0, 3).norm(-1, 1) | lib.zeros(0, 3).norm(float('inf'), 1)
        lib.ones(2, dtype=lib.int64).mean()
        lib.ones(2, dtype=lib.bool).std() | lib.ones(2, dtype=lib.int64).norm()
        lib.sum(x, 0, dtype=lib.float32, out=lib.zeros(3, 4, dtype=lib.float64))
        """,
        1e-5,
        x=t,
    )


def test_values():
    x = sc.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert x.sum().item() == 10
    assert x.mean(0).tolist() == [2, 3]
    assert sc.tensor([1, 2, 4], dtype=sc.uint8).sum().dtype is sc.int64
    assert sc.tensor([100, 100], dtype=sc.int8).prod().item() == 10000
    assert sc.tensor([2**62, 2**62]).sum().item() == -(2**63)  # wraps around
    assert x.std(unbiased=False).item() == pytest.approx(math.sqrt(1.25))
    assert sc.tensor([3 + 4j]).norm().item() == 5


def test_half_types_add_up_in_float32():
    for dtype in (sc.float16, sc.bfloat16):
        x = sc.full((4096,), 1.0, dtype=dtype)
        assert x.sum().item() == 4096
        assert x.mean().item() == 1
        assert x.reshape(2048, 2).sum(0).tolist() == [2048, 2048]


def test_long_sums_across_memory_keep_their_digits():
    x = sc.full((1 << 14, 3), 0.1)
    assert x.sum(0).tolist() == pytest.approx([1638.4] * 3, rel=1e-6)
    assert x.mean(0).tolist() == pytest.approx([0.1] * 3, rel=1e-6)


def test_variances_and_norms_of_extreme_numbers():
    for scale in (1e25, 1e-25):
        x = sc.tensor([[1 * scale, 2 * scale], [3 * scale, 4 * scale]])
        assert x.std().item() == pytest.approx(1.2909944 * scale, rel=1e-5)
        assert x.norm().item() == pytest.approx(30**0.5 * scale, rel=1e-5)
        assert x.norm(dim=0)[1].item() == pytest.approx(20**0.5 * scale, rel=1e-5)
    x = sc.from_numpy(np.float32([10000.01, 10000.02, 10000.03]))
    assert x.var().item() == pytest.approx(np.var(x.numpy().astype(float), ddof=1), rel=1e-5)
    assert sc.full((1000,), 0.1).std().item() == 0


def test_no_warnings_of_numpy(no_warnings):
    big = sc.tensor([3e38, 3e38])
    assert big.sum().item() == math.inf
    assert big.prod().item() == math.inf
    assert math.isnan(sc.tensor([math.inf, -math.inf]).sum().item())
    assert math.isnan(sc.zeros(0).mean().item())


def test_lazy_bits():
    z = sc.tensor([1 + 2j, 3 - 1j])
    assert z.conj().sum().item() == 4 - 1j
    assert z.conj().imag.sum().item() == -1
    out = sc.zeros(1, dtype=sc.complex64).conj()
    sc.sum(z, 0, keepdim=True, out=out)
    assert out.tolist() == [4 + 1j]


def test_the_output_may_be_the_input():
    x = sc.arange(6.0).reshape(2, 3)
    sc.sum(x, 0, keepdim=True, out=x[:1])
    assert x.tolist() == [[3, 5, 7], [3, 4, 5]]


def test_outputs_that_cannot_be_written():
    x = sc.ones(2, 3)
    with pytest.raises(RuntimeError, match="single memory location"):
        sc.sum(x, 0, out=sc.zeros(1).expand(3))
    with pytest.raises(RuntimeError, match="read-only"):
        sc.sum(x, 0, out=sc.frombuffer(b"\0" * 12, dtype=sc.float32))
    with pytest.raises(TypeError, match="out"):
        sc.sum(x, 0, out=[1])


def test_storages_can_be_resized_afterwards():
    x = sc.ones(2, 3)
    total = x.sum(0)
    x.untyped_storage().resize_(64)
    total.untyped_storage().resize_(64)
    for result in sc.var_mean(x.double()):
        result.resize_(20)


def test_subclasses_stay():
    class Mine(sc.Tensor):
        pass

    assert type(Mine(2, 3).fill_(1).sum(0)) is Mine


def test_signatures_can_be_read():
    assert list(inspect.signature(sc.sum).parameters)[1:] == ["dim", "keepdim", "dtype", "out"]
    assert sc.Tensor.sum.__qualname__ == "Tensor.sum"
