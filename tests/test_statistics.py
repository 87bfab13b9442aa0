"""statistics.py: covariances, renorm and sums to a size as torch has them."""

from reduction_cases import COMPLEX, FLOATS, INTEGERS, agree_code, agree_everywhere, random_tensor

import stridecore as sc


def test_covariances_as_torch(torch, rng):
    for dtype in ["float32", "float64", "float16", *COMPLEX, "int64"]:
        agree_code(
            """
            x.cov() | x.cov(correction=0) | x[0].cov() | x[:, 1].cov() | x.t().cov() | x[0, 0].cov() | x[:, :0].cov()
            x.cov(fweights=f) | x.cov(aweights=a) | x.cov(fweights=f, aweights=a) | x.corrcoef() | x[0].corrcoef()
            x.cov(fweights=a) | x.cov(aweights=f) | x.cov(fweights=-f) | x.cov(fweights=f[1:])
            x.reshape(3, 5, 1).cov()
            x.cov(correction=1.5) | x.cov(correction=3)
            """,
            1e-2 if dtype == "float16" else 1e-4,
            x=random_tensor(torch, rng, dtype, (3, 5)),
            f=torch.tensor([1, 2, 1, 3, 1]),
            a=torch.tensor([1, 0.5, 2, 1, 1]),
        )


def test_renorm_as_torch(torch, rng):
    cases = [((2, 0, 1.0), {}), ((1, -1, 2), {}), ((float("inf"), 1, 0.5), {}), ((2, 0, -1.0), {}), ((0, 0, 1.0), {})]
    agree_everywhere(torch, rng, "renorm", cases, [*FLOATS, "int64"], (False,), 1e-5)
    x = sc.tensor([[3.0, 4.0], [0.0, 0.5]])
    assert x.renorm_(2, 0, 1) is x
    assert sc.renorm(x, 2, 0, 0.1)[1, 1].item() < 0.11


def test_sums_to_a_size_as_torch(torch, rng):
    for dtype in ("float32", *INTEGERS):
        agree_code(
            """
            x.sum_to_size(3, 1) | x.sum_to_size((4,)) | x.sum_to_size(()) | x.sum_to_size(2, 3, 4) | x.sum_to_size(5)
            x.sum_to_size(1, 2, 3, 4) | x.sum_to_size([2, 1, 4]) | x.sum_to_size(1) | x.sum_to_size(1, 1, 1)
            (x.bool())._is_all_true() | (x.bool())._is_any_true()
            """,
            1e-5,
            x=random_tensor(torch, rng, dtype, (2, 3, 4)),
        )
