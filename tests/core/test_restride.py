"""Sizes, strides, offset and storage changed in place."""

import numpy as np
import pytest

import stridecore as sc


def layout(x):
    return tuple(x.shape), x.stride(), x.storage_offset()


def unchanged(x):
    """A function that asserts that x is as it was."""
    was = layout(x), x.untyped_storage(), x.untyped_storage().nbytes(), x.dtype, x.is_conj()

    def check():
        assert was == (layout(x), x.untyped_storage(), x.untyped_storage().nbytes(), x.dtype, x.is_conj())

    return check


def test_only_the_tensor_itself_changes():
    x = sc.arange(6).view(2, 3)
    other = x.alias()
    assert x.t_() is x and layout(x) == ((3, 2), (1, 3), 0)
    assert layout(other) == ((2, 3), (3, 1), 0)
    assert x.transpose_(0, 1) is x and layout(x) == ((2, 3), (3, 1), 0)
    assert x.unsqueeze_(1) is x and layout(x) == ((2, 1, 3), (3, 3, 1), 0)
    assert x.squeeze_() is x and layout(x) == ((2, 3), (3, 1), 0)
    assert x.swapaxes_(0, 1) is x and x.swapdims_(0, 1) is x and layout(x) == ((2, 3), (3, 1), 0)
    assert x.as_strided_((2, 2), (1, 1), 2) is x and x.tolist() == [[2, 3], [3, 4]]
    assert x._base is other._base


def test_squeeze_some():
    assert sc.zeros(1, 2, 1).squeeze_(0).shape == (2, 1)
    assert sc.zeros(1, 2, 1).squeeze_((0, 2)).shape == sc.zeros(1, 2, 1).squeeze_(0, 2).shape == (2,)


def test_from_few_dims_to_many_and_back():
    x = sc.arange(2)
    for _ in range(10):
        x.unsqueeze_(0)
    assert x.shape == (1,) * 10 + (2,) and x.tolist() == [[[[[[[[[[[0, 1]]]]]]]]]]]
    assert layout(x.squeeze_()) == ((2,), (1,), 0)


def test_failures_change_nothing():
    x = sc.zeros(2, 3, 4)
    check = unchanged(x)
    for call, error in [
        (lambda: x.t_(), RuntimeError),
        (lambda: x.transpose_(0, 3), IndexError),
        (lambda: x.unsqueeze_(4), IndexError),
        (lambda: x.squeeze_(5), IndexError),
        (lambda: x.as_strided_((25,), (1,)), RuntimeError),
        (lambda: x.resize_(-1), RuntimeError),
        (lambda: x.resize_(2**40, 2**40), RuntimeError),
        (lambda: x.resize_(2**60), RuntimeError),
        (lambda: x.resize_(2, 3, memory_format=sc.channels_last), RuntimeError),
        (lambda: x.resize_(2, 3, memory_format=sc.preserve_format), RuntimeError),
        (lambda: x.resize_("a"), TypeError),
        (lambda: x.set_(sc.zeros(2, dtype=sc.int32)), RuntimeError),
        (lambda: x.set_(x.untyped_storage(), -1, (2,)), RuntimeError),
        (lambda: x.set_(x.untyped_storage(), 0, (2,), (-1,)), RuntimeError),
        (lambda: x.set_(x.untyped_storage(), 0, (2**40, 2**40)), RuntimeError),
        (lambda: x.set_(x.untyped_storage(), 2**62, (2,)), RuntimeError),
        (lambda: x.set_(x.untyped_storage(), 0, (2,), (1, 1)), RuntimeError),
        (lambda: x.set_(x.untyped_storage(), 0), TypeError),
        (lambda: x.set_(3), TypeError),
        (lambda: setattr(x, "data", 3), TypeError),
    ]:
        with pytest.raises(error):
            call()
        check()


# ---- resize_ ------------------------------------------------------------------------------------------------------


def test_resize_keeps_the_elements_and_grows_the_storage():
    x = sc.arange(4)
    assert x.resize_(2, 3) is x and layout(x) == ((2, 3), (3, 1), 0)
    assert x.untyped_storage().nbytes() == 48 and x.view(6).tolist()[:4] == [0, 1, 2, 3]
    x.resize_((2,))
    assert x.tolist() == [0, 1] and x.untyped_storage().nbytes() == 48, "it never shrinks"
    assert x.resize_(()).item() == 0 and x.resize_([0]).numel() == 0


def test_resize_keeps_the_offset():
    x = sc.arange(6)
    y = x[2:]
    y.resize_(5)
    assert y.storage_offset() == 2 and y.tolist()[:4] == [2, 3, 4, 5]
    assert x.untyped_storage().nbytes() == 56 and x.tolist() == [0, 1, 2, 3, 4, 5]


def test_resize_to_the_same_sizes_keeps_the_strides():
    x = sc.zeros(2, 3).t()
    assert x.resize_(3, 2).stride() == (1, 3)
    assert x.resize_(3, 2, memory_format=sc.contiguous_format).stride() == (2, 1)
    assert sc.zeros(0).resize_(2, 3, 4, 5, memory_format=sc.channels_last).stride() == (60, 1, 15, 3)


def test_resize_as():
    x = sc.arange(6).resize_as_(sc.zeros(3, 1).t())
    assert layout(x) == ((1, 3), (3, 1), 0)
    last = sc.zeros(2, 3, 4, 5).permute(0, 3, 1, 2)
    assert x.resize_as_(last).stride() == (60, 12, 4, 1)
    assert x.resize_as_(last, memory_format=sc.preserve_format).stride() == last.stride()
    spread = sc.zeros(200).as_strided((2, 3, 2, 2), (0, 0, 1, 1))  # channels that share memory suggest no order
    assert x.resize_as_(spread, memory_format=sc.preserve_format).stride() == (12, 4, 2, 1)
    assert x.resize_as_(the_template=sc.zeros(2)).shape == (2,)


def test_borrowed_memory_does_not_grow():
    x = sc.from_numpy(np.arange(3.0))
    check = unchanged(x)
    with pytest.raises(RuntimeError, match="not resizable"):
        x.resize_(4)
    with pytest.raises(RuntimeError, match="not resizable"):
        x.set_(x.untyped_storage(), 1, (3,))
    check()
    assert x.resize_(2).tolist() == [0, 1]


# ---- set_ and data --------------------------------------------------------------------------------------------------


def test_set_to_a_tensor():
    x, y = sc.zeros(2), sc.arange(6.0).view(2, 3)[1:].t()
    assert x.set_(y) is x and x.is_set_to(y)
    x.fill_(9)
    assert y.tolist() == [[9], [9], [9]]
    assert x.set_(x) is x
    assert layout(x.set_()) == ((0,), (1,), 0) and x.untyped_storage().nbytes() == 0


def test_set_to_a_storage():
    storage = sc.arange(6).untyped_storage()
    x = sc.zeros(0, dtype=sc.int64)
    assert x.set_(storage).tolist() == [0, 1, 2, 3, 4, 5]
    assert x.set_(storage, 1, (2, 2)).tolist() == [[1, 2], [3, 4]]
    assert x.set_(storage, 1, (2, 2), (1, 2)).tolist() == [[1, 3], [2, 4]]
    assert x.set_(source=storage, storage_offset=5, size=(3,), stride=(-2,)).tolist() == [5, 3, 1]
    assert x.set_(storage, 4, (2, 2)).storage_offset() == 4 and storage.nbytes() == 64, "it grew"
    assert sc.zeros(0, dtype=sc.int32).set_(sc.zeros(3, dtype=sc.int8).untyped_storage()).shape == (0,)


def test_set_to_a_typed_storage_of_the_same_dtype():
    x = sc.arange(3)
    assert sc.zeros(0, dtype=sc.int64).set_(x.storage()).tolist() == [0, 1, 2]
    with pytest.raises(RuntimeError, match=r"Expected a Storage of type stridecore\.float32"):
        sc.zeros(0).set_(x.storage())


def test_data():
    x = sc.zeros(2)
    y = x.data
    assert y is not x and y._base is None and y.is_set_to(x)
    x.data = sc.arange(3)
    assert x.tolist() == [0, 1, 2] and x.dtype is sc.int64
    view = x[1:]
    view.data = sc.tensor([1j]).conj()
    assert view.is_conj() and view.tolist() == [-1j] and view._base is x
    x.data = x
    assert x.tolist() == [0, 1, 2]


def test_detach_in_place():
    x = sc.zeros(2)
    assert x.detach_() is x
    with pytest.raises(RuntimeError, match="views"):
        x[:1].detach_()


def test_a_storage_that_shrank_is_an_error_not_a_crash():
    x = sc.arange(6).view(2, 3)
    x.untyped_storage().resize_(8)
    assert x.t().shape == (3, 2), "views need no memory"
    for use in (lambda: x.t().reshape(6), lambda: x.select(0, 1).tolist(), lambda: x.clone(), lambda: x.fill_(1)):
        with pytest.raises(RuntimeError):
            use()
