"""Other sizes for the same elements: view, expand, squeeze, unsqueeze, unflatten, as_strided."""

import pytest

import stridecore as sc


def layout(x):
    return tuple(x.shape), x.stride(), x.storage_offset()


# ---- view -------------------------------------------------------------------------------------------------------


def test_view():
    x = sc.arange(24)
    for y in (x.view(2, 12), x.view((2, 12)), x.view([2, -1]), x.view(sc.Size([2, 12])), x.view(size=(-1, 12))):
        assert layout(y) == ((2, 12), (12, 1), 0)
    assert x.view(24) is not x and x.view(24)._base is x
    assert layout(sc.tensor(5).view(())) == ((), (), 0)
    assert layout(sc.tensor(5).view(1, 1)) == ((1, 1), (1, 1), 0)
    assert layout(x.view_as(sc.zeros(4, 6))) == ((4, 6), (6, 1), 0)


def test_view_splits_and_merges_dims_that_lie_together():
    x = sc.arange(24).view(2, 3, 4)
    assert layout(x[:, 1:].view(2, 8)) == ((2, 8), (12, 1), 4)
    assert layout(x.transpose(0, 1).view(3, 2, 2, 2)) == ((3, 2, 2, 2), (4, 12, 2, 1), 0)
    assert layout(sc.zeros(3).expand(4, 3).view(2, 2, 3)) == ((2, 2, 3), (0, 0, 1), 0)


def test_strides_of_size_1_dims():
    f = sc.arange(6).view(2, 3).t()
    assert f.view(3, 1, 2).stride() == (1, 6, 3)
    assert f.view(1, 3, 2).stride() == (3, 1, 3)
    assert f.view(3, 2, 1).stride() == (1, 3, 3)


def test_view_of_nothing():
    x = sc.zeros(2, 0)
    assert layout(x.view(-1)) == ((0,), (1,), 0)
    assert layout(sc.zeros(0, 3).view(3, 0)) == ((3, 0), (1, 1), 0)
    assert layout(sc.zeros(4, 0, 3).transpose(0, 2).view(3, 0, 4)) == ((3, 0, 4), (1, 3, 3), 0), "same sizes: as it was"
    with pytest.raises(RuntimeError, match="ambiguous"):
        x.view(-1, 0)


@pytest.mark.parametrize(
    "size, text",
    [
        ((5, -1), r"shape '\[5, -1\]' is invalid for input of size 24"),
        ((25,), r"shape '\[25\]' is invalid"),
        ((), r"shape '\[\]' is invalid"),
        ((-1, -1), "only one dimension can be inferred"),
        ((-2, -12), r"invalid shape dimension -2 at index 0 of shape \[-2, -12\]"),
        ((-1, 0), "invalid for input of size 24"),
        ((2**40, 2**40), "invalid"),
        ((2**32, 2**32, 24), "invalid"),
        ((-1, 2**40, 2**40), "invalid"),
    ],
)
def test_sizes_that_hold_another_number(size, text):
    with pytest.raises(RuntimeError, match=text):
        sc.arange(24).view(size)


def test_a_view_that_only_a_copy_could_give_says_which_dims():
    x = sc.arange(24).view(2, 3, 4).transpose(1, 2)  # sizes (2, 4, 3), strides (12, 1, 4)
    with pytest.raises(RuntimeError) as told:
        x.view(2, 12)
    assert str(told.value) == (
        "view: view size (2, 12) is not compatible with size (2, 4, 3) and stride (12, 1, 4): dims 1 and 2 can't be "
        "merged (stride[1] is 1, needs 12). Use .reshape(2, 12) to copy"
    )


def test_view_takes_sizes_or_a_dtype():
    x = sc.arange(4)
    for arguments in ((), (None,), (2.0, 2), ("a",), ((2, None),), (True,), (x.view,)):
        with pytest.raises(TypeError):
            x.view(*arguments)
    with pytest.raises(TypeError):
        x.view((4,), size=(4,))
    with pytest.raises(TypeError):
        x.view(4, dtype=sc.int32)


# ---- expand -----------------------------------------------------------------------------------------------------


def test_expand():
    x = sc.tensor([[1], [2]])
    assert x.expand(2, 3).tolist() == [[1, 1, 1], [2, 2, 2]]
    assert layout(x.expand(2, 3)) == ((2, 3), (1, 0), 0)
    assert layout(x.expand(4, -1, 3)) == ((4, 2, 3), (0, 1, 0), 0)
    assert layout(x.expand(2, 1)) == ((2, 1), (1, 1), 0)
    assert layout(x.expand(1, 2, 1)) == ((1, 2, 1), (2, 1, 1), 0), "a new dim of size 1 as unsqueeze makes it"
    assert layout(x.expand(2, 0)) == ((2, 0), (1, 0), 0)
    assert layout(sc.tensor(5).expand(2, 1)) == ((2, 1), (0, 0), 0)
    assert layout(sc.tensor(5).expand(())) == ((), (), 0)
    for y in (x.expand((2, 3)), x.expand(size=[2, 3]), x.expand_as(sc.zeros(2, 3)), x.broadcast_to((2, 3))):
        assert layout(y) == ((2, 3), (1, 0), 0) and y._base is x


def test_expand_refuses():
    x = sc.zeros(2, 1)
    with pytest.raises(RuntimeError, match=r"\(3\) must match the existing size \(2\) at non-singleton dimension 0"):
        x.expand(3, 3)
    with pytest.raises(RuntimeError, match="non-existing dimension 0"):
        x.expand(-1, 2, 3)
    with pytest.raises(RuntimeError, match=r"number of sizes provided \(1\)"):
        x.expand(2)
    with pytest.raises(RuntimeError, match="-2"):
        x.expand(2, -2)
    with pytest.raises(RuntimeError, match="-2"):
        sc.zeros(0).expand(-2, 1, 0)
    with pytest.raises(TypeError):
        x.expand()


def test_expand_beyond_64_bits():
    one = sc.zeros(1)
    assert one.expand(2**31, 2**31).numel() == 2**62
    with pytest.raises(RuntimeError, match="overflow"):
        one.expand(2**40, 2**40)
    with pytest.raises(RuntimeError, match="overflow"):
        one.expand(2**31, 2**31, 2)
    assert one.expand(2**62, 0, 2**62).numel() == 0


# ---- dims of size 1 -----------------------------------------------------------------------------------------------


def test_unsqueeze():
    x = sc.zeros(2, 4, 3).as_strided((2, 4, 3), (12, 1, 4))
    assert layout(x.unsqueeze(0)) == ((1, 2, 4, 3), (24, 12, 1, 4), 0)
    assert layout(x.unsqueeze(1)) == ((2, 1, 4, 3), (12, 4, 1, 4), 0)
    assert layout(x.unsqueeze(-1)) == ((2, 4, 3, 1), (12, 1, 4, 1), 0)
    assert layout(sc.zeros(0, 3).unsqueeze(0)) == ((1, 0, 3), (0, 3, 1), 0)
    assert layout(sc.tensor(5).unsqueeze(0)) == layout(sc.tensor(5).unsqueeze(-1)) == ((1,), (1,), 0)
    with pytest.raises(IndexError, match=r"range of \[-4, 3\], but got 4"):
        x.unsqueeze(4)
    with pytest.raises(TypeError):
        x.unsqueeze(True)


def test_squeeze():
    x = sc.zeros(1, 2, 1, 3)
    assert layout(x.squeeze()) == ((2, 3), (3, 1), 0)
    assert x.squeeze(0).shape == x.squeeze(-4).shape == (2, 1, 3)
    assert x.squeeze((0, 2)).shape == x.squeeze(0, 2).shape == x.squeeze(dim=[0, 1, 2]).shape == (2, 3)
    assert x.squeeze(1).shape == x.squeeze(()).shape == (1, 2, 1, 3)
    assert x.squeeze(1) is not x and x.squeeze(1)._base is x
    assert sc.tensor(5).squeeze().shape == sc.tensor(5).squeeze(0).shape == sc.tensor(5).squeeze((-1,)).shape == ()
    with pytest.raises(RuntimeError, match="multiple times"):
        x.squeeze((0, -4))
    with pytest.raises(IndexError):
        x.squeeze(4)
    for wrong in (None, 0.0, "a", True):
        with pytest.raises(TypeError):
            x.squeeze(wrong)


def test_the_most_dims():
    x = sc.zeros(1).view((1,) * 64)
    assert x.ndim == 64 and x.squeeze().shape == () and x.T.ndim == 64
    for more in (
        lambda: x.unsqueeze(0),
        lambda: x.unfold(0, 1, 1),
        lambda: x.view((1,) * 65),
        lambda: x.expand(1, *x.shape),
    ):
        with pytest.raises(ValueError, match="at most 64"):
            more()


# ---- unflatten ------------------------------------------------------------------------------------------------------


def test_unflatten():
    x = sc.zeros(2, 12)
    assert layout(x.unflatten(1, (3, 4))) == layout(x.unflatten(-1, [-1, 4])) == ((2, 3, 4), (12, 4, 1), 0)
    assert layout(x.t().unflatten(0, (3, 4))) == ((3, 4, 2), (4, 1, 12), 0)
    assert layout(sc.zeros(0, 3).unflatten(0, (-1, 5))) == ((0, 5, 3), (15, 3, 1), 0)


@pytest.mark.parametrize(
    "dim, sizes, error, text",
    [
        (1, (5, 2), RuntimeError, "multiply up to the size of dim 1"),
        (1, (5, -1), RuntimeError, "multiply up"),
        (1, (2**32, 2**32, 12), RuntimeError, "multiply up"),
        (1, (), RuntimeError, "non-empty"),
        (1, (-1, -1), RuntimeError, "only one dimension"),
        (1, (-3, -4), RuntimeError, "invalid shape dimension -3"),
        (2, (12,), IndexError, "got 2"),
        (1, 12, TypeError, "tuple or list"),
        (1.0, (12,), TypeError, "dim must be int"),
    ],
)
def test_unflatten_refuses(dim, sizes, error, text):
    with pytest.raises(error, match=text):
        sc.zeros(2, 12).unflatten(dim, sizes)
    with pytest.raises(RuntimeError, match="no dims"):
        sc.tensor(1).unflatten(0, (1, 1))


# ---- as_strided -----------------------------------------------------------------------------------------------------


def test_as_strided():
    x = sc.arange(10)
    assert x.as_strided((2, 3), (3, 1)).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert x.as_strided((3, 3), (1, 1), 2).tolist() == [[2, 3, 4], [3, 4, 5], [4, 5, 6]]
    assert x.as_strided((3,), (-2,), 9).tolist() == [9, 7, 5]
    assert x.as_strided(size=(), stride=(), storage_offset=sc.tensor(4)).item() == 4
    assert x[3:].as_strided((2,), (1,)).tolist() == [3, 4], "the offset is kept"
    assert x[3:].as_strided((2,), (1,), 0).tolist() == [0, 1], "the storage is the limit, not the view"
    assert x[3:].as_strided((2,), (1,), 0)._base is x
    assert layout(x.as_strided((0, 5), (1, 2**62), 1000)) == ((0, 5), (1, 2**62), 1000), "no element, no bounds"


@pytest.mark.parametrize(
    "size, stride, offset, text",
    [
        ((11,), (1,), 0, "require 88 bytes: out of bounds for storage of size 80"),
        ((2,), (10,), 0, "out of bounds"),
        ((1,), (1,), 10, "out of bounds"),
        ((2,), (-1,), 0, "reach element -1, before the storage's start"),
        ((3, 3), (-4, 1), 5, "before the storage's start"),
        ((2,), (1,), -1, "storage_offset must be at least 0"),
        ((-1,), (1,), 0, "negative"),
        ((2, 2), (1,), 0, "mismatch in length"),
        ((2,), (2**62,), 0, "out of bounds|overflow"),
        ((2,), (2**63 - 1,), 2**62, "overflow"),
        ((2**62, 2**62), (0, 0), 0, "overflow"),
        ((3,), (-(2**62),), 0, "overflow|before"),
        ((2**62,), (2**62,), 0, "overflow"),
        ((1,), (1,), 2**63 - 1, "overflow|out of bounds"),
        ((2, 2), (2**62, -(2**62)), 0, "overflow|before"),
    ],
)
def test_as_strided_refuses(size, stride, offset, text):
    with pytest.raises(RuntimeError, match=text):
        sc.arange(10).as_strided(size, stride, offset)


def test_as_strided_types():
    x = sc.arange(10)
    for arguments in ((2, 1), ((2,), 1), ((2.0,), (1,)), ((2,), (1,), 0.0), ((2,), (1,), True), ((2,),)):
        with pytest.raises(TypeError):
            x.as_strided(*arguments)


# ---- new objects ----------------------------------------------------------------------------------------------------


def test_every_view_is_a_new_object():
    x = sc.zeros(2, 3)
    for y in (x.alias(), x.detach(), x.view(2, 3), x.expand(2, 3), x.squeeze(), x.permute(0, 1), x.narrow(0, 0, 2)):
        assert y is not x and y.is_set_to(x)


def test_views_of_a_subclass_are_of_the_subclass():
    class Mine(sc.Tensor):
        pass

    x = Mine(2, 3)
    views = (x.t(), x.T, x[0], x.view(6), x.expand(4, 2, 3), x.unbind()[1], x.split(1)[0], x.detach(), x.reshape(3, 2))
    assert {type(y) for y in (*views, x.t().reshape(6), x.view(sc.int32), x.conj())} == {Mine}


# ---- arguments that run code ----------------------------------------------------------------------------------------


class Sly:
    """An int whose reading does something else first."""

    def __init__(self, value, act):
        self.value, self.act = value, act

    def __index__(self):
        self.act()
        return self.value


def test_an_argument_can_not_change_the_tensor_under_the_operation():
    calls = [
        lambda x, sly: x.transpose(5, sly(0)),
        lambda x, sly: x.select(5, sly(0)),
        lambda x, sly: x.narrow(5, sly(0), 1),
        lambda x, sly: x.diagonal(0, 5, sly(0)),
        lambda x, sly: x.unfold(5, sly(1), 1),
        lambda x, sly: x.flatten(4, sly(5)),
        lambda x, sly: x.unflatten(5, (sly(1), 1)),
        lambda x, sly: x.chunk(sly(1), 5),
        lambda x, sly: x.split(1, sly(5)),
        lambda x, sly: x.transpose_(5, sly(4)),
        lambda x, sly: x.permute(0, 1, 2, 3, 4, sly(5)),
        lambda x, sly: x.squeeze(5, sly(4)),
        lambda x, sly: x.movedim((5, 4), (0, sly(1))),
    ]
    for call in calls:
        x = sc.zeros(2, 2, 2, 2, 2, 2)
        with pytest.raises((IndexError, RuntimeError, TypeError)):
            call(x, lambda value, x=x: Sly(value, lambda: x.resize_(1)))


def test_a_list_that_grows_while_it_is_read():
    sizes = []
    sizes += [Sly(1, lambda: sizes.extend([1] * 100))] * 2
    assert sc.zeros(1).view(sizes).shape == (1, 1)


def test_a_tuple_that_lies_about_its_items():
    class Liar(tuple):
        def __len__(self):
            return 1

        def __iter__(self):
            return iter([1] * 1000)

    assert sc.zeros(6).view(Liar((2, 3))).shape == (2, 3)
