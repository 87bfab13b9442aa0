"""Tensors from sizes: empty, zeros, ones, full, the *_like functions and the new_* methods."""

import itertools
import sys

import numpy as np
import pytest
from against import both, name_of, same

import stridecore as sc

DTYPES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex32 complex64 "
    "complex128 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu"
).split()


# ---- literal --------------------------------------------------------------------------------------------------


def test_sizes_come_one_by_one_or_together():
    for made in (sc.zeros(2, 3), sc.zeros((2, 3)), sc.zeros([2, 3]), sc.zeros(sc.Size([2, 3])), sc.zeros(size=(2, 3))):
        assert made.tolist() == [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
        assert made.dtype is sc.float32 and made.stride() == (3, 1) and made.storage_offset() == 0
    assert sc.zeros(()).tolist() == 0.0
    assert sc.zeros(2, 0, 3).stride() == (3, 3, 1)


def test_values():
    assert sc.ones(2, dtype=sc.int8).tolist() == [1, 1]
    assert sc.full((2,), 7).tolist() == [7, 7] and sc.full((2,), 7).dtype is sc.int64
    assert sc.full((2,), True).dtype is sc.bool
    assert sc.full((2,), 0.5).dtype is sc.float32
    assert sc.full((2,), 1j).dtype is sc.complex64
    assert sc.full((2,), sc.tensor(3)).tolist() == [3, 3]


def test_like_keeps_dtype_and_layout():
    x = sc.zeros(2, 3, dtype=sc.int16).t()
    for made in (sc.empty_like(x), sc.zeros_like(x), sc.ones_like(x), sc.full_like(x, 3)):
        assert made.dtype is sc.int16 and made.shape == (3, 2) and made.stride() == (1, 3) and not made._is_view()
    assert sc.full_like(x, 3).tolist() == [[3, 3]] * 3
    assert sc.zeros_like(x, memory_format=sc.contiguous_format).stride() == (2, 1)
    assert sc.zeros_like(sc.zeros(2, 1).expand(2, 3)).stride() == (3, 1)


def test_new_methods_take_the_dtype_from_the_tensor():
    x = sc.zeros(2, dtype=sc.int32)
    assert x.new_zeros(2, 3).dtype is sc.int32
    assert x.new_ones((2,)).tolist() == [1, 1]
    assert x.new_full((2,), 3.9).tolist() == [3, 3]
    assert x.new_tensor([1.5, 2.5]).tolist() == [1, 2]
    assert x.new_empty(2, dtype=sc.float64).dtype is sc.float64
    assert x.new_empty_strided((2, 3), (1, 2)).stride() == (1, 2)


def test_out_is_filled_and_given_the_size():
    out = sc.ones(4)[::2]
    assert sc.zeros(2, out=out) is out and out.tolist() == [0.0, 0.0] and out.stride() == (2,)
    out = sc.ones(2)
    assert sc.zeros(2, 3, out=out) is out and out.shape == (2, 3) and out.tolist() == [[0.0] * 3] * 2
    out = sc.ones(4)[1:2]
    assert sc.zeros(3, out=out).storage_offset() == 1 and out.shape == (3,)
    assert sc.full((2,), 1.5, out=sc.empty(2, dtype=sc.int64)).tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="does not match dtype of out"):
        sc.zeros(2, out=sc.zeros(2, dtype=sc.int32), dtype=sc.float32)


def test_a_failed_out_is_as_it_was():
    out = sc.ones(2)
    for sizes in ((-1,), (2**62, 4), (2**40, 2**40)):
        with pytest.raises(RuntimeError):
            sc.zeros(sizes, out=out)
    with pytest.raises(RuntimeError, match="can't allocate"):
        sc.zeros(2**55, out=out)
    assert out.tolist() == [1.0, 1.0] and out.untyped_storage().nbytes() == 8


def test_out_on_read_only_memory_is_refused():
    out = sc.frombuffer(b"abcd", dtype=sc.uint8)
    for make in (
        lambda: sc.zeros(4, out=out),
        lambda: sc.ones(4, out=out),
        lambda: sc.empty(2, out=out),
        lambda: sc.full((4,), 1, out=out),
        lambda: sc.arange(4, out=out),
        lambda: sc.linspace(0, 3, 4, out=out),
        lambda: sc.eye(2, out=out),
    ):
        with pytest.raises(RuntimeError, match="read-only"):
            make()
    assert out.tolist() == list(b"abcd")


def test_out_that_cannot_be_resized_is_as_it_was():
    data = bytearray(b"abcd")
    out = sc.frombuffer(data, dtype=sc.uint8)
    with pytest.raises(RuntimeError, match="not resizable"):
        sc.zeros(5, out=out)
    assert out.shape == (4,) and data == b"abcd"
    assert sc.zeros(2, out=out).shape == (2,) and data == b"\0\0cd"


def test_messages_say_what_was_given_and_what_is_allowed():
    with pytest.raises(RuntimeError, match=r"negative dimension -3: \[2, -3\]"):
        sc.zeros(2, -3)
    with pytest.raises(TypeError, match="zeros: size must be int, not float"):
        sc.zeros(1.5)
    with pytest.raises(TypeError, match="got multiple values for argument 'size'"):
        sc.zeros(2, size=(3,))
    with pytest.raises(NotImplementedError, match="no autograd"):
        sc.zeros(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="use 'cpu'"):
        sc.zeros(2, device="cuda")
    with pytest.raises(ValueError, match="at most 64 dims"):
        sc.zeros([1] * 65)


def test_sizes_that_change_while_they_are_read():
    class Shrinks:
        def __index__(self):
            sizes.clear()
            return 2

    sizes = [Shrinks(), 3, 4]
    assert sc.zeros(sizes).shape == (2, 3, 4)


def test_hot_functions_enter_no_python_frame():
    x = sc.zeros(2, 3)
    calls = [
        lambda: sc.empty(2, 3),
        lambda: sc.zeros((2, 3), dtype=sc.int64),
        lambda: sc.ones(2),
        lambda: sc.full((2,), 1.5),
        lambda: sc.arange(5),
        lambda: sc.arange(0.0, 1.0, 0.25),
        lambda: sc.tensor([[1.0, 2.0], [3.0, 4.0]]),
        lambda: sc.tensor(5),
        lambda: sc.zeros_like(x),
        lambda: x.new_zeros(2),
    ]
    frames = []
    for call in calls:
        call()
        sys.setprofile(lambda frame, event, arg: frames.append(frame.f_code) if event == "call" else None)
        call()
        sys.setprofile(None)
    assert frames == [call.__code__ for call in calls]


def test_a_subclass_is_kept_by_like_and_new():
    class Mine(sc.Tensor):
        pass

    x = Mine([1.0, 2.0])
    for made in (x, sc.zeros_like(x), x.new_zeros(2), x.new_tensor([1]), x.new_full((2,), 1), x[1:]):
        assert type(made) is Mine
    assert type(sc.zeros(2)) is sc.Tensor


# ---- against torch --------------------------------------------------------------------------------------------

SIZES = """
    lib.zeros()
    lib.zeros(1.5)
    lib.zeros('a')
    lib.zeros(2, 3, size=(2,))
    lib.zeros(size=2)
    lib.zeros((2,), 3)
    lib.zeros(np.int64(2))
    lib.zeros(np.int32(2), 3)
    lib.zeros(lib.tensor(2))
    lib.zeros(lib.tensor([2, 3]))
    lib.zeros((lib.tensor(2), 3))
    lib.zeros(True)
    lib.zeros((True, 2))
    lib.zeros(-1)
    lib.zeros(2, -3)
    lib.zeros(2**62, 4)
    lib.zeros(0, 2**62, 2**62)
    lib.zeros(2**70)
    lib.zeros(range(3))
    lib.zeros(np.array([2, 3]))
    lib.zeros([])
    lib.zeros(None)
    lib.zeros(2, None)
    lib.zeros(*[1] * 64)
    lib.ones(3, 0)
    lib.full(2, 1)
    lib.full([2], fill_value=2)
    lib.full(size=(2,), fill_value=2)
    lib.full()
    lib.full((2,))
    lib.full((2,), 2, 3)
    lib.empty_strided((2, 3), (1, 2)).zero_()
    lib.empty_strided((2, 3), (1,))
    lib.empty_strided((2, 3), (-1, 2))
    lib.empty_strided((2, -3), (1, 2))
    lib.empty_strided((2, 2), (2**62, 2**62))
    lib.empty_strided((2, 3), (0, 0)).zero_()
    lib.empty_strided(2, 1)
    lib.empty_strided((0, 3), (5, 7))
    lib.empty_strided((2,), (3,), dtype=lib.int8, out=None)
    lib.empty_permuted((2, 3), (1, 0)).zero_()
    lib.empty_permuted((2, 3, 4, 5), (0, 2, 3, 1)).zero_()
    lib.empty_permuted((2, 3), (1, 1))
    lib.empty_permuted((2, 3), (1, 2))
    lib.empty_permuted((2, 3), (1,))
"""

OPTIONS = """
    lib.zeros(2, dtype=float)
    lib.zeros(2, dtype=int)
    lib.zeros(2, dtype=bool)
    lib.zeros(2, dtype=complex)
    lib.zeros(2, dtype='float32')
    lib.zeros(2, dtype=np.float32)
    lib.zeros(2, device='cpu')
    lib.zeros(2, device='cpu:0')
    lib.zeros(2, device='foo')
    lib.zeros(2, device=0)
    lib.zeros(2, device=True)
    lib.zeros(2, device=lib.device('cpu'))
    lib.zeros(2, device=1.5)
    lib.zeros(2, layout=lib.strided)
    lib.zeros(2, layout=None)
    lib.zeros(2, layout='strided')
    lib.zeros(2, pin_memory=True)
    lib.zeros(2, pin_memory=None)
    lib.zeros(2, requires_grad=None)
    lib.zeros(2, requires_grad=0)
    lib.zeros(2, foo=1)
    lib.zeros(2, memory_format=lib.contiguous_format)
    lib.empty(2, 3, 4, 5, memory_format=lib.channels_last).zero_()
    lib.empty(2, 3, 4, 5, 6, memory_format=lib.channels_last_3d).zero_()
    lib.empty(2, 3, memory_format=lib.channels_last)
    lib.empty(2, 3, memory_format=lib.preserve_format)
    lib.empty(2, 3, memory_format=None).zero_()
    lib.zeros(2, out=lib.ones(2, dtype=lib.int32))
    lib.zeros(2, out=None)
    lib.zeros(2, out=3)
    lib.zeros(2, 3, out=lib.ones(3, 2).t())
    lib.zeros(2, out=lib.empty(0))
"""

NUMBERS = """
    lib.full((2,), 1.5, dtype=lib.int32)
    lib.full((2,), 300, dtype=lib.uint8)
    lib.full((2,), -1, dtype=lib.uint8)
    lib.full((2,), 1j, dtype=lib.float32)
    lib.full((2,), lib.tensor(2))
    lib.full((2,), lib.tensor(2.5, dtype=lib.float64))
    lib.full((2,), lib.tensor([2.5]))
    lib.full((2,), np.float32(2))
    lib.full((2,), np.int32(2))
    lib.full((2,), np.float64(2))
    lib.full((2,), 'a')
    lib.full((2,), None)
    lib.full((2,), 2**63)
    lib.full((2,), 2**64)
    lib.full((2,), 2**63 - 1)
    lib.full((2,), 1e300)
    lib.full((2,), float('nan'), dtype=lib.int32)
    lib.full((2,), 0.5, dtype=lib.bool)
    lib.full((2,), 255.5, dtype=lib.uint8)
    lib.full((2,), -128.5, dtype=lib.int8)
    lib.full((2,), 127.0, dtype=lib.int8)
    lib.scalar_tensor(1)
    lib.scalar_tensor(True)
    lib.scalar_tensor(1j)
    lib.scalar_tensor(1.5, dtype=lib.int32)
    lib.scalar_tensor(300, dtype=lib.uint8)
    lib.scalar_tensor(lib.tensor(1))
    lib.scalar_tensor(s=1)
    lib.scalar_tensor('a')
    lib.scalar_tensor([1])
    lib.scalar_tensor(np.float32(1))
    lib.scalar_tensor(2**63)
"""

LIKE = """
    lib.zeros_like(3)
    lib.zeros_like()
    lib.zeros_like(input=x)
    lib.zeros_like(x, lib.int32)
    lib.zeros_like(x, dtype=lib.int32)
    lib.zeros_like(x, device='cpu', layout=lib.strided, requires_grad=False, pin_memory=False)
    lib.zeros_like(x, out=x)
    lib.zeros_like(x, memory_format=lib.channels_last)
    lib.zeros_like(x, memory_format=None)
    lib.zeros_like(lib.ones(1, 2, 3, 4), memory_format=lib.channels_last)
    lib.full_like(x, 2)
    lib.full_like(i, 2.5)
    lib.full_like(x, fill_value=2)
    lib.full_like(x, 1j)
    lib.full_like(x)
    lib.full_like(x, lib.tensor(2))
    lib.full_like(x, True, dtype=lib.bool)
    lib.ones_like(i)
    lib.empty_like(lib.ones(2, dtype=lib.complex64).conj()).zero_()
    x.new_zeros()
    x.new_zeros(2, 3)
    x.new_zeros([2])
    x.new_zeros(size=(2,))
    x.new_zeros(2, dtype=lib.int8)
    x.new_zeros(2, out=x)
    x.new_empty(()).zero_()
    i.new_ones(3)
    i.new_full((2,), 2.5)
    i.new_full((2,), 2.5, dtype=lib.float32)
    i.new_full(2, 2.5)
    i.new_full(size=(2,), fill_value=3)
    i.new_tensor([1.5, 2])
    i.new_tensor(3)
    i.new_tensor(data=[1], dtype=lib.float32)
    i.new_tensor(x)
    i.new_tensor([1], lib.float32)
    i.new_tensor(np.arange(3.0))
    i.new_empty_strided((2, 3), (1, 2)).zero_()
"""


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


@pytest.mark.parametrize("code", lines(SIZES) + lines(OPTIONS) + lines(NUMBERS))
def test_as_torch(torch, code, quiet):
    both(code, torch)


@pytest.mark.parametrize("code", lines(LIKE))
def test_like_as_torch(torch, code, quiet):
    both(code, torch, x=lambda lib: lib.ones(2, 3).t(), i=lambda lib: lib.ones(2, dtype=lib.int32))


@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype(torch, name, quiet):
    for code in ("lib.zeros(2, 3, dtype=d)", "lib.ones(2, 3, dtype=d)", "lib.ones(100, dtype=d)",
                 "lib.zeros_like(lib.ones(3, dtype=d))", "lib.full((2,), 3, dtype=d)"):
        if name == "bool" and code.startswith("lib.full"):
            code = "lib.full((2,), True, dtype=d)"
        both(code, torch, d=lambda lib: getattr(lib, name))


def random_view(rng):
    """A function that makes one random view in any library: permuted, stepped, expanded, with sizes 0 and 1."""
    ndim = rng.randrange(6)
    sizes = [rng.choice((0, 1, 2, 3, 4)) for _ in range(ndim)]
    order = rng.sample(range(ndim), ndim)
    steps = tuple(slice(None, None, rng.choice((1, 1, 1, 2))) for _ in range(ndim))
    grown = rng.randrange(ndim) if ndim and rng.random() < 0.2 else None

    def make(lib):
        x = lib.zeros(sizes, dtype=lib.int8)[steps].permute(order)
        if grown is not None and x.shape[grown]:
            x = x.narrow(grown, 0, 1).expand([-1 if d != grown else 3 for d in range(ndim)])
        return x

    return make


def test_random_layouts_of_like(torch, rng):
    for _ in range(500):
        fmt = rng.choice(["preserve_format", "contiguous_format", "channels_last", "channels_last_3d"])
        both(f"lib.zeros_like(source, memory_format=lib.{fmt})", torch, source=random_view(rng))


def test_options_of_every_function_are_checked():
    x = sc.zeros(2)
    calls = {
        "empty": lambda **k: sc.empty(2, **k),
        "zeros": lambda **k: sc.zeros(2, **k),
        "ones": lambda **k: sc.ones(2, **k),
        "full": lambda **k: sc.full((2,), 1.0, **k),
        "empty_strided": lambda **k: sc.empty_strided((2,), (1,), **k),
        "empty_permuted": lambda **k: sc.empty_permuted((2,), (0,), **k),
        "arange": lambda **k: sc.arange(2.0, **k),
        "linspace": lambda **k: sc.linspace(0, 1, 2, **k),
        "logspace": lambda **k: sc.logspace(0, 1, 2, **k),
        "eye": lambda **k: sc.eye(2, **k),
        "scalar_tensor": lambda **k: sc.scalar_tensor(2, **k),
        "zeros_like": lambda **k: sc.zeros_like(x, **k),
        "ones_like": lambda **k: sc.ones_like(x, **k),
        "empty_like": lambda **k: sc.empty_like(x, **k),
        "full_like": lambda **k: sc.full_like(x, 1, **k),
        "new_zeros": lambda **k: x.new_zeros(2, **k),
        "new_ones": lambda **k: x.new_ones(2, **k),
        "new_empty": lambda **k: x.new_empty(2, **k),
        "new_full": lambda **k: x.new_full((2,), 1, **k),
        "new_tensor": lambda **k: x.new_tensor([1.0, 2.0], **k),
        "new_empty_strided": lambda **k: x.new_empty_strided((2,), (1,), **k),
    }
    wrong = [
        ({"device": "cuda"}, RuntimeError),
        ({"device": 1.5}, TypeError),
        ({"layout": "strided"}, TypeError),
        ({"layout": sc.sparse_coo}, NotImplementedError),
        ({"pin_memory": True}, RuntimeError),
        ({"pin_memory": 1}, TypeError),
        ({"requires_grad": True}, NotImplementedError),
        ({"dtype": "float32"}, TypeError),
        ({"dtype": np.float32}, TypeError),
    ]
    right = {"device": "cpu", "layout": sc.strided, "pin_memory": False, "requires_grad": False, "dtype": sc.float64}
    for (name, call), (options, error) in itertools.product(calls.items(), wrong):
        with pytest.raises(error):
            call(**options)
            pytest.fail(f"{name} took {options}")
    for call in calls.values():
        assert call(**right).dtype is sc.float64


def test_promotion_is_torchs(torch):
    for a, b in itertools.product(DTYPES, repeat=2):
        try:
            expected = name_of(torch.promote_types(getattr(torch, a), getattr(torch, b)))
        except RuntimeError:
            with pytest.raises(RuntimeError):
                sc.promote_types(getattr(sc, a), getattr(sc, b))
        else:
            assert name_of(sc.promote_types(getattr(sc, a), getattr(sc, b))) == expected, (a, b)


def test_big_tensors_that_share_no_memory_with_each_other(torch):
    x, y = sc.ones(1_000_000), sc.zeros(1_000_000)
    assert x.data_ptr() != y.data_ptr()
    x.fill_(2)
    same(y, torch.zeros(1_000_000))


def test_ones_into_out_writes_what_the_tensor_reads():
    x = sc.zeros(1, dtype=sc.complex64)
    negated = x.conj().imag
    assert sc.ones(1, out=negated).tolist() == [1] and x.tolist() == [-1j]
    short = sc.empty(60)
    short.untyped_storage().resize_(0)
    with pytest.raises(RuntimeError):
        sc.ones(60, out=short)
