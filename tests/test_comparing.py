"""comparing.py: equal and allclose as torch has them."""

from reduction_cases import COMPLEX, FLOATS, INTEGERS, agree_code, convert, layouts

import stridecore as sc


def test_as_torch(torch, rng):
    for dtype in FLOATS + COMPLEX + INTEGERS:
        for special in (False, True):
            for x, t in layouts(torch, rng, dtype, special):
                for other in (t, t.clone(), t[:1] if t.ndim else t, t.contiguous().reshape(-1), t.double()):
                    mine = convert(other.contiguous(), sc)
                    for name, kwargs in (("equal", {}), ("allclose", {}), ("allclose", {"equal_nan": True})):
                        both = ((name, x, t), (mine, other), kwargs)
                        compare(*both)


def compare(call, others, kwargs):
    name, x, t = call
    mine, other = others
    note = f"{name} {t.dtype} {tuple(t.shape)} {tuple(other.shape)}"
    try:
        expected = getattr(t, name)(other, **kwargs)
    except RuntimeError:
        expected = RuntimeError
    try:
        found = getattr(x, name)(mine, **kwargs)
    except RuntimeError:
        found = RuntimeError
    assert found == expected, note


def test_arguments_as_torch(torch, rng):
    agree_code(
        """
        lib.allclose(x, x, rtol=-1) | x.allclose(1) | x.equal(1) | lib.equal(x, x.double())
        lib.allclose(x, x.double())
        lib.allclose(x, x[0]) | lib.allclose(x, x[:, :2]) | lib.equal(x, x[0]) | lib.allclose(x, x.t(), atol=100.)
        lib.equal(lib.zeros(0), lib.zeros(0, dtype=lib.int32)) | lib.allclose(lib.zeros(0, 3), lib.zeros(1, 3))
        lib.equal(x, 'a')
        lib.allclose(lib.tensor([1., float('inf')]), lib.tensor([1., float('inf')])) | lib.allclose(input=x, other=x)
        """,
        x=torch.arange(9.0).reshape(3, 3),
    )


def test_bits():
    z = sc.tensor([1 + 2j])
    assert z.conj().equal(sc.tensor([1 - 2j]))
    assert z.conj().allclose(sc.tensor([1 - 2j]))
