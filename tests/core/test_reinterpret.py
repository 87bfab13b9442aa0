"""The same bytes read in another way: view(dtype), complex numbers and their parts, lazy bits."""

import pytest

import stridecore as sc


def layout(x):
    return tuple(x.shape), x.stride(), x.storage_offset()


# ---- view(dtype) ------------------------------------------------------------------------------------------------


def test_a_dtype_of_the_same_size_keeps_any_layout():
    x = sc.tensor([[1.0, -2.0], [0.5, 0.0]])
    assert x.view(sc.int32).tolist() == [[0x3F800000, -0x40000000], [0x3F000000, 0]]
    assert layout(x.t()[1:].view(dtype=sc.int32)) == ((1, 2), (1, 2), 1)
    assert sc.tensor(1.0).view(sc.int32).item() == 0x3F800000
    assert x.view(float).dtype is sc.float64, "Python's types name dtypes"


def test_a_smaller_dtype_makes_the_last_dim_longer():
    x = sc.tensor([[1, 2, 3], [4, 5, 6]], dtype=sc.int32)
    assert x[:, 1:].view(sc.int16).tolist() == [[2, 0, 3, 0], [5, 0, 6, 0]]
    assert layout(x[:, 1:].view(sc.int16)) == ((2, 4), (6, 1), 2)


def test_a_larger_dtype_makes_the_last_dim_shorter():
    x = sc.arange(12, dtype=sc.int16).view(2, 6)
    assert x[:, 2:].view(sc.int32).tolist() == [[2 + 3 * 65536, 4 + 5 * 65536], [8 + 9 * 65536, 10 + 11 * 65536]]
    assert layout(x[:, 2:].view(sc.int32)) == ((2, 2), (3, 1), 1)


def test_it_is_no_view_of_another_tensor():
    x = sc.zeros(4)
    for y in (x.view(sc.int32), x.view(sc.float64), x.view(sc.float32)):
        assert y._base is None and y.untyped_storage() is x.untyped_storage()


@pytest.mark.parametrize(
    "make, dtype, text",
    [
        (lambda: sc.zeros(4, 4).t(), sc.int16, r"stride\(-1\) must be 1"),
        (lambda: sc.zeros(4, 4).t(), sc.int64, r"stride\(-1\) must be 1"),
        (lambda: sc.zeros(4, 3), sc.int64, r"size\(-1\) must be divisible by 2"),
        (lambda: sc.zeros(4)[1:3], sc.int64, r"storage_offset\(\) must be divisible by 2"),
        (lambda: sc.zeros(4, 3)[:, :2], sc.int64, r"stride\(0\) must be divisible by 2"),
        (lambda: sc.tensor(1.0), sc.int8, r"dim\(\) cannot be 0"),
        (lambda: sc.tensor(1.0), sc.int64, r"dim\(\) cannot be 0"),
    ],
)
def test_what_bytes_can_not_be_read_as(make, dtype, text):
    with pytest.raises(RuntimeError, match=text):
        make().view(dtype)


def test_strides_that_do_not_matter_are_no_obstacle():
    x = sc.zeros(20).as_strided((1, 2), (3, 1))
    assert layout(x.view(sc.int64)) == ((1, 1), (1, 1), 0)
    assert layout(sc.zeros(20).as_strided((2, 1), (3, 7)).view(sc.int16)) == ((2, 2), (6, 1), 0)


def test_lazy_bits_stand_in_the_way():
    for x in (sc.tensor([1j]).conj(), sc.tensor([1j]).conj().imag):
        for dtype in (sc.int16, x.dtype):
            with pytest.raises(RuntimeError, match="resolve_"):
                x.view(dtype)


def test_negative_strides_of_outer_dims():
    x = sc.arange(8, dtype=sc.int16).view(2, 4)[::-1]
    assert x.view(sc.int32).tolist() == [[4 + 5 * 65536, 6 + 7 * 65536], [65536, 2 + 3 * 65536]]
    assert layout(x.view(sc.int32)) == ((2, 2), (-2, 1), 2)
    assert layout(x.view(sc.int8)) == ((2, 8), (-8, 1), 8)


# ---- complex numbers ----------------------------------------------------------------------------------------------


def test_view_as_real():
    x = sc.tensor([1 + 2j, 3 + 4j])
    assert x.view_as_real().tolist() == [[1, 2], [3, 4]]
    assert layout(x[1:].view_as_real()) == ((1, 2), (2, 1), 2)
    assert x.view_as_real().dtype is sc.float32 and x.view_as_real()._base is x
    assert layout(sc.zeros(2, 3, dtype=sc.complex128).t().view_as_real()) == ((3, 2, 2), (2, 6, 1), 0)
    with pytest.raises(RuntimeError, match="only complex"):
        sc.zeros(2).view_as_real()
    with pytest.raises(RuntimeError, match="resolve_conj"):
        x.conj().view_as_real()


def test_view_as_complex():
    x = sc.arange(12.0).view(2, 3, 2)
    assert x.view_as_complex().tolist() == [[1j, 2 + 3j, 4 + 5j], [6 + 7j, 8 + 9j, 10 + 11j]]
    assert layout(x[1:].transpose(0, 1).view_as_complex()) == ((3, 1), (1, 3), 3)
    assert layout(x[::-1].view_as_complex()) == ((2, 3), (-3, 1), 3)
    for dtype, to in ((sc.float16, sc.complex32), (sc.float32, sc.complex64), (sc.float64, sc.complex128)):
        assert sc.zeros(3, 2, dtype=dtype).view_as_complex().dtype is to


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: sc.zeros(3, 2, dtype=sc.int32), "float16, float32 and float64"),
        (lambda: sc.tensor(1.0), "one or more dimensions"),
        (lambda: sc.zeros(3, 3), "size 2"),
        (lambda: sc.zeros(2, 3).t(), "stride 1"),
        (lambda: sc.zeros(3, 3)[:, :2], "stride divisible by 2"),
        (lambda: sc.zeros(4)[1:3], "storage_offset divisible by 2"),
    ],
)
def test_view_as_complex_refuses(make, text):
    with pytest.raises(RuntimeError, match=text):
        make().view_as_complex()


def test_real_and_imag_are_views():
    x = sc.tensor([[1 + 2j, 3 + 4j]])
    assert x.real.tolist() == [[1, 3]] and x.imag.tolist() == [[2, 4]]
    assert layout(x.real) == ((1, 2), (4, 2), 0) and layout(x.imag) == ((1, 2), (4, 2), 1)
    x.imag.fill_(7)
    assert x.tolist() == [[1 + 7j, 3 + 7j]]
    assert x.real._base is x
    y = sc.zeros(2)
    assert y.real is y
    with pytest.raises(RuntimeError, match="no imaginary part"):
        y.imag  # noqa: B018


def test_conj_is_lazy():
    x = sc.tensor([1 + 2j])
    y = x.conj()
    assert y.is_conj() and y.tolist() == [1 - 2j] and y.data_ptr() == x.data_ptr()
    assert not y.conj().is_conj() and y.conj().tolist() == [1 + 2j]
    x.fill_(3j)
    assert y.tolist() == [-3j]
    real = sc.zeros(2)
    assert real.conj() is real


def test_parts_of_a_conjugate():
    x = sc.tensor([1 + 2j]).conj()
    assert x.real.tolist() == [1] and not x.real.is_neg() and not x.real.is_conj()
    assert x.imag.tolist() == [-2] and x.imag.is_neg()
    assert x.imag._neg_view().tolist() == [2]


def test_negatives_of_complex_numbers():
    x = sc.tensor([1 + 2j])._neg_view()
    assert x.tolist() == [-1 - 2j]
    assert x.real.is_neg() and x.imag.is_neg() and x.view_as_real().is_neg()
    assert x.view_as_real().tolist() == [[-1, -2]]
    assert x.conj().imag.tolist() == [2] and not x.conj().imag.is_neg()
    assert sc.tensor([[1.0, 2.0]])._neg_view().view_as_complex().tolist() == [-1 - 2j]


def test_offsets_that_would_overflow():
    x = sc.zeros(0, dtype=sc.complex64).as_strided((0,), (1,), 2**62)
    with pytest.raises(RuntimeError, match="overflow"):
        x.view_as_real()
    with pytest.raises(RuntimeError, match="overflow"):
        x.imag  # noqa: B018
    with pytest.raises(RuntimeError, match="overflow"):
        sc.zeros(0).as_strided((0, 2), (2**62, 1)).view(sc.int8)
