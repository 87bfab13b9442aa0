"""pointwise.py and core/elementwise.pyx: elementwise math as torch has it."""

import math
import warnings

import pytest
from against import convert, name_of

import stridecore as sc
from stridecore.pointwise import _FLOAT_UNARY

FLOATS = "float16 bfloat16 float32 float64 complex64 complex128".split()
OTHERS = "bool uint8 int8 int16 int32 int64".split()


def close(x, t):
    """The same dtype, layout and, but for the last digit or two, values."""
    assert name_of(x.dtype) == name_of(t.dtype)
    assert (tuple(x.shape), x.stride()) == (tuple(t.shape), t.stride())
    digits = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 1e-6, "complex64": 2e-6}.get(name_of(t.dtype), 1e-12)

    def equal(a, b):
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        return a == b or abs(a - b) <= digits * max(abs(a), abs(b), 1e-3)

    for a, b in zip(x.flatten().tolist(), t.flatten().tolist(), strict=True):
        if isinstance(b, complex):
            near = abs(a - b) <= 5 * digits * max(abs(b), 0.1)
            assert near or (equal(a.real, b.real) and equal(a.imag, b.imag)), (a, b)
        else:
            assert equal(a, b), (a, b)


def test_values():
    x = sc.tensor([[4.0, 5.0], [7.0, 8.0]])
    assert repr(x.cos()) == "tensor([[-0.6536,  0.2837],\n        [ 0.7539, -0.1455]])"
    assert x.sqrt()[0].tolist() == [2.0, pytest.approx(5**0.5)]
    assert x.exp_() is x


def test_layouts():
    assert sc.zeros(2, 3).t().cos().stride() == (1, 3)
    assert sc.zeros(200).as_strided((3, 1), (1, 50)).cos().stride() == (1, 1)
    assert sc.zeros(4, 5)[:, ::2].cos().stride() == (3, 1)
    assert sc.zeros(2, 3, 4, 5).contiguous(memory_format=sc.channels_last).cos().stride() == (60, 1, 15, 3)
    assert sc.arange(3.0).expand(2, 3).t().sin().tolist()[1] == [pytest.approx(math.sin(1))] * 2
    assert sc.arange(4.0)[::-1].exp()[3].item() == 1


def test_in_place():
    for dtype in (sc.int64, sc.bool):
        x = sc.ones(2, dtype=dtype)
        with pytest.raises(RuntimeError, match="can't be cast"):
            x.cos_()
        assert x.tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="single memory location"):
        sc.zeros(1).expand(3).cos_()
    with pytest.raises(RuntimeError, match="read-only"):
        sc.frombuffer(b"\0" * 4, dtype=sc.float32).cos_()
    x = sc.tensor([1.0, 2.0, 3.0, 4.0], dtype=sc.bfloat16)
    x[::2].sqrt_()
    assert x.tolist() == [1.0, 2.0, 1.734375, 4.0]


def test_out():
    out = sc.empty(0)
    assert sc.cos(sc.zeros(3), out=out) is out
    assert out.tolist() == [1, 1, 1]
    with pytest.warns(UserWarning, match="resized"):
        sc.cos(sc.zeros(2), out=out)
    with pytest.raises(RuntimeError, match="can't be cast"):
        sc.cos(sc.zeros(2), out=sc.zeros(2, dtype=sc.int32))
    assert sc.cos(sc.zeros(2), out=sc.zeros(2, dtype=sc.complex64)).tolist() == [1, 1]
    with pytest.raises(TypeError):
        sc.cos([1.0])


def test_a_storage_can_be_resized_afterwards():
    x = sc.zeros(4)
    x.cos_()
    x.untyped_storage().resize_(32)
    assert x.untyped_storage().nbytes() == 32


def test_lazy_bits():
    z = sc.tensor([1 + 2j])
    close_to = z.conj().resolve_conj().exp().item()
    assert z.conj().exp().item() == close_to
    z.conj().exp_()
    assert z.item() == close_to.conjugate()


@pytest.mark.parametrize("name", sorted(_FLOAT_UNARY))
def test_as_torch(torch, rng, name):
    function = getattr(torch, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dtype in FLOATS + OTHERS:
            t = torch.tensor([[rng.uniform(-2, 2) for _ in range(3)] for _ in range(4)]).to(getattr(torch, dtype))
            for view in (t, t.t(), t[::2], t[:, 1], t[:0], t[1, 1]):
                try:
                    expected = function(view)
                except RuntimeError:
                    continue    # not implemented in torch for this dtype
                close(getattr(sc, name)(convert(view, sc)), expected)
                close(getattr(convert(view, sc), name)(), expected)
        special = torch.tensor([0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 1e-30, 1e30])
        if name not in ("sin", "cos", "tan"):
            close(getattr(sc, name)(convert(special, sc)), function(special))
