"""counting.py: bincount, histc, histogram and isin as torch has them."""

import pytest
from reduction_cases import FLOATS, INTEGERS, agree_call, agree_code, layouts, random_tensor

import stridecore as sc


def test_bincount_as_torch(torch):
    agree_code(
        """
        x.bincount() | x.int().bincount() | x.byte().bincount(minlength=20) | x[::2].bincount() | x.bincount(w)
        x.bincount(w.double()) | x.bincount(w.half()) | x.bincount(w.long(), 20) | x.bincount(minlength=-1)
        (x[0]).bincount()
        x.float().bincount() | x.reshape(2, 5).bincount() | x[:0].bincount() | x[:0].bincount(minlength=3)
        x[:0].bincount(w[:0])
        x.bincount(w[1:]) | lib.bincount(lib.tensor([1, -1])) | lib.bincount(x, weights=w, minlength=1) | x.bincount(1)
        """,
        x=torch.tensor([1, 3, 1, 0, 7, 2, 2, 2, 7, 7]),
        w=torch.tensor([0.5, 1, 2, -1, 0, 3, 4, 5.5, 6, 1]),
    )


def test_histograms_as_torch(torch, rng):
    for dtype in FLOATS:
        for x, t in layouts(torch, rng, dtype):
            for args in [(4,), (3, -1, 2), (5, 0, 0), (1, -3, 3), (10, 5, 6)]:
                agree_call("histc", x, t, args)
            if dtype in ("float32", "float64"):
                agree_call("histogram", x, t, (4,), strides=False)
                agree_call("histogram", x, t, (4,), {"range": (-1.0, 2.0), "density": True})
    agree_code(
        """
        x.histc() | x.histc(0) | x.histc(-1) | x.histc(4, 5, 1) | x.histc(4, 5, 5) | x.histc(bins=4, min=0, max=3.5)
        x.histc(2.5) | x.int().histc(4) | lib.histc(x, 4, out=lib.zeros(0)) | lib.histc(x, 4, out=lib.zeros(0).double())
        lib.tensor([1., float('nan')]).histc(4) | lib.tensor([1., float('nan')]).histc(4, 0, 2) | lib.zeros(0).histc(4)
        lib.tensor([1., 1.]).histc(4) | x.histc(3, float('nan'), 2) | lib.histogram(x, lib.tensor([0., 3, 30]))
        lib.histogram(x, lib.tensor([0., 3, 30]), weight=x * 0 + 2) | lib.histogram(x, 4, weight=x * 0 + 2)
        lib.histogram(x, 3, range=(1., 0.)) | x.histogram(lib.tensor([-1., 0, 1]), density=True)
        lib.histogram(x, 3, weight=lib.ones(2)) | lib.histogram(x, lib.tensor([0, 1])) | x.histogram(0)
        """.replace("x * 0 + 2", "lib.full((2, 3, 4), 2.)"),
        1e-5,
        x=random_tensor(torch, rng, "float32", (2, 3, 4)),
    )


def test_isin_as_torch(torch, rng):
    for dtype in FLOATS + INTEGERS:
        for x, t in layouts(torch, rng, dtype, dtype in FLOATS):
            tests = random_tensor(torch, rng, dtype, (2, 2))
            agree_code("lib.isin(x, y) | lib.isin(x, y, invert=True)", x=t, y=tests)
            for number in (1, 2.0):
                agree_call("isin", x, t, (number,), {"invert": True}, function=True)
    agree_code(
        """
        lib.isin(2, x) | lib.isin(2, 3) | lib.isin(x, [1]) | lib.isin(x, lib.tensor([]))
        lib.isin(x, x, assume_unique=True)
        lib.isin(x, x, out=lib.zeros(0, dtype=lib.bool)) | lib.isin(elements=x, test_elements=lib.tensor([2.5, 2]))
        lib.isin(lib.zeros(0, 3), x) | lib.isin(x, 2.5)
        """,
        x=torch.tensor([[1, 2], [3, 4]]),
    )


def test_many_bins():
    counts = sc.tensor([1 << 25, 3, 3]).bincount()
    assert counts.shape == (2**25 + 1,)
    assert (counts[3].item(), counts[-1].item(), counts.sum().item()) == (2, 1, 3)
    with pytest.raises(RuntimeError):
        sc.tensor([2**62]).bincount()


def test_values():
    assert sc.tensor([1, 3, 1]).bincount().tolist() == [0, 2, 0, 1]
    assert sc.tensor([0.0, 1.0, 2.0]).histc(2, 0, 2).tolist() == [1, 2]
    assert sc.isin(sc.tensor([float("nan")]), sc.tensor([float("nan")])).tolist() == [False]
