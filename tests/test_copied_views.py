"""Views, copied."""

import pytest

import stridecore as sc


def fresh(y, x):
    """y is contiguous and on memory of its own."""
    return y.is_contiguous() and y._base is None and y.untyped_storage() is not x.untyped_storage()


@pytest.mark.parametrize(
    "name, arguments",
    [
        ("alias", ()),
        ("detach", ()),
        ("transpose", (0, 1)),
        ("permute", ((2, 0, 1),)),
        ("select", (1, 2)),
        ("narrow", (1, 0, 2)),
        ("squeeze", ()),
        ("squeeze", (0,)),
        ("squeeze", ((0, 1),)),
        ("unsqueeze", (0,)),
        ("expand", ((2, 2, 3, 4),)),
        ("diagonal", (1, 0, 2)),
        ("unfold", (2, 2, 1)),
        ("as_strided", ((2, 2), (1, 3), 2)),
        ("split", (2, 1)),
        ("split_with_sizes", ((1, 2), 1)),
        ("unbind", (2,)),
    ],
)
def test_the_elements_of_the_view_on_new_memory(name, arguments):
    for x in (sc.arange(24).view(2, 3, 4), sc.arange(24).view(4, 3, 2).transpose(0, 2)):
        copied, view = getattr(sc, name + "_copy")(x, *arguments), getattr(x, name)(*arguments)
        if not isinstance(view, tuple):
            copied, view = (copied,), (view,)
        assert type(copied) is tuple
        assert [y.tolist() for y in copied] == [y.tolist() for y in view]
        assert all(fresh(y, x) for y in copied)


def test_t_slice_and_complex():
    x = sc.arange(6).view(2, 3)
    assert sc.t_copy(x).tolist() == [[0, 3], [1, 4], [2, 5]]
    assert sc.slice_copy(x, 1, 0, 3, 2).tolist() == [[0, 2], [3, 5]] and sc.slice_copy(x).tolist() == x.tolist()
    assert sc.slice_copy(x, dim=-1, start=-1).tolist() == [[2], [5]]
    z = sc.tensor([1 + 2j]).conj()
    assert sc.view_as_real_copy(z).tolist() == [[1, -2]]
    assert sc.view_as_complex_copy(sc.tensor([[1.0, 2.0]])).tolist() == [1 + 2j]
    assert not sc.alias_copy(z).is_conj() and sc.alias_copy(z).tolist() == [1 - 2j]


def test_view_copy_needs_no_strides():
    x = sc.arange(6).view(2, 3).t()
    assert sc.view_copy(x, (6,)).tolist() == sc.view_copy(x, size=[-1]).tolist() == [0, 3, 1, 4, 2, 5]
    assert sc.view_copy(x, sc.float64).dtype is sc.view_copy(x, dtype=sc.float64).dtype is sc.float64
    for wrong in ((6,), ((2, 3), sc.int32), ()):
        with pytest.raises(TypeError):
            sc.view_copy(x, *wrong) if wrong != (6,) else sc.view_copy(x, 6)


def test_out():
    x, out = sc.arange(6).view(2, 3), sc.zeros(0, dtype=sc.int64)
    assert sc.transpose_copy(x, 0, 1, out=out) is out and out.tolist() == x.t().tolist()
    with pytest.raises(RuntimeError, match="dtype"):
        sc.transpose_copy(x, 0, 1, out=sc.zeros(3, 2))
    with pytest.raises(TypeError):
        sc.transpose_copy(x, 0, 1, out=3)
    outs = [sc.zeros(3, dtype=sc.int64) for _ in range(2)]
    assert sc.unbind_copy(x, out=outs) is None and [y.tolist() for y in outs] == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(RuntimeError, match="expected 2 tensors"):
        sc.unbind_copy(x, out=outs[:1])


def test_input_by_name_and_errors():
    x = sc.zeros(2, 3)
    assert sc.transpose_copy(input=x, dim0=0, dim1=1).shape == (3, 2)
    with pytest.raises(TypeError):
        sc.transpose_copy([[1]], 0, 1)
    with pytest.raises(IndexError):
        sc.slice_copy(sc.tensor(1))
    with pytest.raises(RuntimeError, match="positive"):
        sc.slice_copy(x, 0, 0, 2, 0)
    for call in (lambda: sc.permute_copy(x, 1, 0), lambda: sc.expand_copy(x, 2, 3), lambda: sc.split_copy(x, [1, 1])):
        with pytest.raises(TypeError):
            call()
