"""What a tensor says about itself: sizes, strides, dtype, layout, views."""

import pytest

import stridecore as sc


def test_sizes_and_strides():
    x = sc.zeros(2, 3, 4)
    assert x.shape == x.size() == x.sizes() == (2, 3, 4)
    assert type(x.shape) is sc.Size and type(x.stride()) is tuple
    assert x.stride() == x.strides() == (12, 4, 1)
    assert (x.size(1), x.size(-1), x.size(dim=0)) == (3, 4, 2)
    assert (x.stride(1), x.stride(-1), x.stride(dim=0)) == (4, 1, 12)
    assert x.ndim == x.dim() == x.ndimension() == 3
    assert x.numel() == x.nelement() == 24
    assert x[1, 2:].storage_offset() == 20


def test_bytes():
    x = sc.zeros(2, 3, dtype=sc.float64)
    assert x.itemsize == x.element_size() == 8
    assert x.nbytes == 48
    assert x.expand(10, 2, 3).nbytes == 480, "of the elements, not of the storage"
    assert sc.zeros(1).expand(2**31, 2**31).nbytes == 2**64, "as Python's int"


def test_dims_that_there_are_not():
    x = sc.zeros(2, 3)
    for method in (x.size, x.stride):
        with pytest.raises(IndexError, match=r"range of \[-2, 1\], but got 2"):
            method(2)
        with pytest.raises(IndexError):
            method(-3)
        with pytest.raises(TypeError):
            method(0.0)
        with pytest.raises(TypeError):
            method(True)
    with pytest.raises(IndexError, match="has no dimensions"):
        sc.tensor(1.0).size(0)


def test_an_int_tensor_is_an_int():
    assert sc.zeros(2, 3).size(sc.tensor(1)) == 3


def test_is_contiguous():
    assert sc.zeros(2, 3).is_contiguous()
    assert not sc.zeros(2, 3).t().is_contiguous()
    assert sc.zeros(2, 0, 3).transpose(0, 2).is_contiguous(), "no elements"
    assert sc.zeros(9).as_strided((3, 1), (1, 50)).is_contiguous(), "the stride of a size-1 dim says nothing"
    assert sc.tensor(1.0).is_contiguous()
    assert not sc.zeros(4)[::2].is_contiguous()
    assert not sc.zeros(4)[::-1].is_contiguous()


def test_is_contiguous_in_a_memory_format():
    x = sc.zeros(2, 3, 4, 5)
    last = x.permute(0, 3, 1, 2)  # (2, 5, 3, 4) with the channels last
    assert not x.is_contiguous(memory_format=sc.channels_last)
    assert last.is_contiguous(memory_format=sc.channels_last)
    assert not last.is_contiguous(memory_format=sc.channels_last_3d)
    assert not sc.zeros(2, 3).is_contiguous(memory_format=sc.channels_last), "never without 4 dims"
    assert sc.zeros(1, 2, 3, 4, 5).permute(0, 4, 1, 2, 3).is_contiguous(memory_format=sc.channels_last_3d)
    with pytest.raises(TypeError):
        x.is_contiguous(sc.channels_last)
    with pytest.raises(TypeError):
        x.is_contiguous(memory_format=None)


def test_is_non_overlapping_and_dense():
    x = sc.zeros(2, 3, 4)
    assert x.permute(2, 0, 1).is_non_overlapping_and_dense()
    assert not x[:, ::2].is_non_overlapping_and_dense()
    assert not sc.zeros(3).expand(2, 3).is_non_overlapping_and_dense()


def test_dim_order():
    x = sc.zeros(2, 3, 4, 5)
    assert x.dim_order() == (0, 1, 2, 3)
    assert x.permute(3, 1, 0, 2).dim_order() == (2, 1, 3, 0)
    assert x.permute(0, 3, 1, 2).dim_order() == (0, 2, 3, 1)
    assert sc.tensor(1.0).dim_order() == ()
    assert x[:, :, ::2, ::-1].dim_order() == (0, 1, 2, 3), "by the size of the stride, whatever its sign"


def test_dim_order_can_be_ambiguous():
    x = sc.zeros(2, 1)
    assert x.dim_order() == (0, 1)
    with pytest.raises(RuntimeError, match="unique"):
        x.dim_order(ambiguity_check=True)
    with pytest.raises(RuntimeError, match="unique"):
        x.dim_order(ambiguity_check=[])
    assert x.dim_order(ambiguity_check=[sc.contiguous_format]) == (0, 1)
    with pytest.raises(TypeError):
        x.dim_order(ambiguity_check=[3])


def test_views_know_their_root():
    x = sc.zeros(2, 3)
    view = x[0][1:].view(2, 1).t()
    assert view._is_view() and view._base is x
    assert not x._is_view() and x._base is None
    assert x.detach()._base is None and not x.detach()._is_view()
    assert view.untyped_storage() is x.untyped_storage()


def test_is_set_to():
    x = sc.zeros(2, 3)
    assert x.is_set_to(x) and x.is_set_to(x.view(2, 3)) and x.is_set_to(x.view(sc.int32))
    assert not x.is_set_to(x.t()) and not x.is_set_to(x[0]) and not x.is_set_to(sc.zeros(2, 3))
    with pytest.raises(TypeError):
        x.is_set_to(3)


def test_is_same_size():
    assert sc.zeros(2, 3).is_same_size(sc.ones(2, 3, dtype=sc.int8))
    assert not sc.zeros(2, 3).is_same_size(sc.zeros(3, 2))


def test_kinds_of_dtypes():
    x = sc.zeros(1, dtype=sc.complex64)
    assert x.is_complex() and not x.is_floating_point() and x.is_signed()
    assert sc.zeros(1, dtype=sc.bfloat16).is_floating_point()
    assert not sc.zeros(1, dtype=sc.uint8).is_signed()


def test_one_device_no_gradients():
    x = sc.zeros(2)
    assert x.device == sc.device("cpu") and x.layout is sc.strided and x.is_cpu and x.get_device() == -1
    assert (x.is_cuda, x.is_meta, x.is_sparse, x.is_quantized, x.requires_grad) == (False,) * 5
    assert x.is_leaf and x.grad is None and x.grad_fn is None and x.output_nr == 0
    x.requires_grad = False
    assert x.requires_grad_(False) is x
    with pytest.raises(NotImplementedError):
        x.requires_grad_()
    with pytest.raises(NotImplementedError):
        x.requires_grad = True
    with pytest.raises(RuntimeError):
        x.requires_grad = 1


@pytest.mark.parametrize("name", "shape device dtype layout ndim is_leaf T grad_fn".split())
def test_what_can_not_be_set(name):
    with pytest.raises(AttributeError):
        setattr(sc.zeros(2, 2), name, None)


def test_no_instance_dict():
    with pytest.raises(AttributeError):
        sc.zeros(2).colour = "red"
