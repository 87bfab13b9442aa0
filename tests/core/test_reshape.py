"""Reshapes, a view or a copy; the parts of complex numbers assigned; lazy bits resolved."""

import pytest

import stridecore as sc


def layout(x):
    return tuple(x.shape), x.stride(), x.storage_offset()


# ---- reshape, flatten, ravel ------------------------------------------------------------------------------------


def test_reshape_is_a_view_where_strides_can_say_it():
    f = sc.arange(6).view(2, 3).t()  # sizes (3, 2), strides (1, 3)
    y = f.reshape(3, 1, 2)
    assert layout(y) == ((3, 1, 2), (1, 6, 3), 0) and y._base is f._base
    assert f.reshape(3, 2) is not f and f.reshape(3, 2).is_set_to(f)


def test_reshape_is_a_contiguous_copy_otherwise():
    f = sc.arange(6).view(2, 3).t()
    for y in (f.reshape(6), f.reshape((-1,)), f.reshape([6]), f.reshape(shape=(6,)), f.reshape_as(sc.zeros(6))):
        assert y.tolist() == [0, 3, 1, 4, 2, 5]
        assert layout(y) == ((6,), (1,), 0)
        assert y._base is None and y.untyped_storage() is not f.untyped_storage()
    assert f.reshape(2, 3).tolist() == [[0, 3, 1], [4, 2, 5]]


def test_reshape_of_lazy_and_reversed_tensors():
    x = sc.tensor([[1j, 2j], [3j, 4j]]).conj().t()
    assert x.reshape(4).tolist() == [-1j, -3j, -2j, -4j] and not x.reshape(4).is_conj()
    assert x.reshape(2, 1, 2).is_conj(), "a view keeps the bit"
    assert sc.arange(4)[::-1].reshape(2, 2).tolist() == [[3, 2], [1, 0]]
    assert layout(sc.arange(4)[::-1].reshape(2, 2)) == ((2, 2), (-2, -1), 3), "the dims merge: a view"
    assert sc.arange(4).view(2, 2)[:, ::-1].reshape(4).tolist() == [1, 0, 3, 2]


def test_reshape_refuses():
    x = sc.zeros(2, 3)
    with pytest.raises(RuntimeError, match=r"shape '\[4, -1\]' is invalid for input of size 6"):
        x.t().reshape(4, -1)
    with pytest.raises(TypeError):
        x.reshape()
    with pytest.raises(TypeError):
        x.reshape(sc.int32)


def test_flatten():
    x = sc.arange(24).view(2, 3, 4)
    assert layout(x.flatten()) == ((24,), (1,), 0) and x.flatten()._base is x._base
    assert layout(x.flatten(1)) == layout(x.flatten(start_dim=1, end_dim=-1)) == ((2, 12), (12, 1), 0)
    assert layout(x.flatten(0, 1)) == ((6, 4), (4, 1), 0)
    assert x.transpose(0, 1).flatten(0, 1)._base is None
    assert x.flatten(1, 1) is x
    v = sc.arange(3)
    assert v.flatten() is v
    assert layout(sc.tensor(5).flatten()) == ((1,), (1,), 0)
    huge = sc.zeros(0).as_strided((0, 2**40, 2**40), (1, 1, 1))
    assert huge.flatten().shape == (0,)
    with pytest.raises(RuntimeError, match="cannot come after"):
        x.flatten(2, 1)
    with pytest.raises(IndexError):
        x.flatten(0, 3)
    with pytest.raises(RuntimeError, match="overflow"):
        huge.flatten(1)


def test_ravel():
    x = sc.arange(4).view(2, 2)
    assert x.ravel()._base is x._base and layout(x.ravel()) == ((4,), (1,), 0)
    assert x.t().ravel().tolist() == [0, 2, 1, 3]
    assert x.t().ravel().untyped_storage() is not x.untyped_storage()
    assert layout(sc.tensor(5).ravel()) == ((1,), (1,), 0)


def test_narrow_copy():
    x = sc.arange(6).view(2, 3)
    y = x.narrow_copy(1, 1, 2)
    assert y.tolist() == [[1, 2], [4, 5]] and layout(y) == ((2, 2), (2, 1), 0) and y._base is None
    with pytest.raises(RuntimeError):
        sc.tensor(1).narrow_copy(0, 0, 1)
    with pytest.raises(RuntimeError):
        x.narrow_copy(2, 0, 1)
    with pytest.raises(IndexError):
        x.narrow_copy(-3, 0, 1)


# ---- lazy bits ----------------------------------------------------------------------------------------------------


def test_resolving():
    x = sc.tensor([1 + 2j])
    assert x.resolve_conj() is x and x.resolve_neg() is x
    y = x.conj().resolve_conj()
    assert not y.is_conj() and y.tolist() == [1 - 2j] and y.view_as_real().tolist() == [[1, -2]]
    z = x.conj().imag.resolve_neg()
    assert not z.is_neg() and z.tolist() == [-2]
    both = x.conj()._neg_view()
    assert both.is_conj() and both.is_neg() and both.resolve_conj().tolist() == both.resolve_neg().tolist() == [-1 + 2j]


def test_conj_physical():
    x = sc.tensor([1 + 2j])
    assert x.conj_physical().tolist() == [1 - 2j] and not x.conj_physical().is_conj()
    assert x.conj().conj_physical().tolist() == [1 + 2j]
    assert x.conj_physical_() is x and x.tolist() == [1 - 2j]
    real = sc.zeros(2)
    assert real.conj_physical() is real and real.conj_physical_() is real


# ---- real and imag, assigned ----------------------------------------------------------------------------------------


def test_assigning_parts():
    x = sc.tensor([1 + 2j, 3 + 4j])
    x.real = 9
    x.imag = sc.tensor([5.0, 6.0])
    assert x.tolist() == [9 + 5j, 9 + 6j]
    x.conj().imag = 1
    assert x.tolist() == [9 - 1j, 9 - 1j], "through the conjugate"
    x.real = x.imag
    assert x.tolist() == [-1 - 1j, -1 - 1j]
    y = sc.zeros(3)
    y.real = 2.5
    assert y.tolist() == [2.5, 2.5, 2.5]
    y.real = y
    y[:] = sc.arange(3)
    y.real = y[:1]
    assert y.tolist() == [0, 0, 0]


def test_assigning_parts_refuses():
    x = sc.zeros(2, dtype=sc.complex64)
    for wrong in ("a", None, [1, 2]):
        with pytest.raises(TypeError):
            x.real = wrong
    with pytest.raises(RuntimeError):
        x.imag = 2j
    with pytest.raises(RuntimeError):
        x.real = sc.zeros(1, 1, 2)
    with pytest.raises(RuntimeError, match="imaginary"):
        sc.zeros(2).imag = 1
    with pytest.raises(RuntimeError, match="single memory location"):
        sc.zeros(1, dtype=sc.complex64).expand(3).real = 1
