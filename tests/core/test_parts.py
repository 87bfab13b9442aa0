"""Parts of a dim: select, narrow, diagonal, unfold."""

import pytest

import stridecore as sc


def layout(x):
    return tuple(x.shape), x.stride(), x.storage_offset()


def cube():
    return sc.arange(24).view(2, 3, 4)


def test_select():
    x = cube()
    assert layout(x.select(0, 1)) == ((3, 4), (4, 1), 12)
    assert layout(x.select(1, -1)) == ((2, 4), (12, 1), 8)
    assert x.select(2, 3).tolist() == [[3, 7, 11], [15, 19, 23]]
    assert x.select(dim=-1, index=0).tolist() == [[0, 4, 8], [12, 16, 20]]
    assert x.select(1, sc.tensor(1)).storage_offset() == 4
    assert x.select(0, 0)._base is x._base


def test_select_refuses():
    with pytest.raises(IndexError, match=r"index 3 out of range for tensor of size \[2, 3, 4\] at dimension 1"):
        cube().select(1, 3)
    with pytest.raises(IndexError):
        cube().select(1, -4)
    with pytest.raises(IndexError, match="0-dim"):
        sc.tensor(1).select(0, 0)
    with pytest.raises(TypeError):
        cube().select(0, 1.0)
    with pytest.raises(IndexError):
        sc.zeros(0, 3).select(0, 0)


def test_select_of_an_empty_tensor_has_no_elements():
    assert layout(sc.zeros(3, 0, 2).select(0, 2)) == ((0, 2), (2, 1), 4)
    assert sc.zeros(3, 0, 2).select(2, 1).numel() == 0


def test_narrow():
    x = cube()
    assert layout(x.narrow(1, 1, 2)) == ((2, 2, 4), (12, 4, 1), 4)
    assert layout(x.narrow(1, -1, 1)) == ((2, 1, 4), (12, 4, 1), 8)
    assert layout(x.narrow(1, 3, 0)) == ((2, 0, 4), (12, 4, 1), 12), "the end is a start too"
    assert layout(x.narrow(dim=-1, start=sc.tensor(2), length=2)) == ((2, 3, 2), (12, 4, 1), 2)


@pytest.mark.parametrize(
    "args, error, text",
    [
        ((1, 4, 0), IndexError, r"range is \[-3, 3\]"),
        ((1, -4, 1), IndexError, r"range is \[-3, 3\]"),
        ((1, 1, 5), RuntimeError, r"start \(1\) \+ length \(5\) exceeds dimension size \(3\)"),
        ((1, 1, 2**62), RuntimeError, "exceeds"),
        ((1, 0, -1), RuntimeError, "length must be at least 0"),
        ((3, 0, 1), IndexError, "got 3"),
        ((1, 0.0, 1), TypeError, "start must be int"),
        ((1, 2**63, 1), ValueError, "64 bits"),
    ],
)
def test_narrow_refuses(args, error, text):
    with pytest.raises(error, match=text):
        cube().narrow(*args)


def test_narrow_of_a_number():
    with pytest.raises(RuntimeError, match="0-dim"):
        sc.tensor(1).narrow(0, 0, 1)


def test_diagonal():
    x = sc.arange(12).view(3, 4)
    assert layout(x.diagonal()) == ((3,), (5,), 0)
    assert x.diagonal(1).tolist() == [1, 6, 11]
    assert x.diagonal(-1).tolist() == [4, 9]
    assert x.diagonal(offset=3).tolist() == [3]
    assert layout(x.diagonal(4)) == ((0,), (5,), 0), "out of range: empty, where it was"
    assert layout(x.diagonal(-(2**40))) == ((0,), (5,), 0)
    assert layout(cube().diagonal(0, 0, 2)) == ((3, 2), (4, 13), 0), "the new dim is the last"
    assert layout(cube().diagonal(dim1=-1, dim2=0, offset=1)) == ((3, 1), (4, 13), 12)


def test_diagonal_refuses():
    with pytest.raises(RuntimeError, match="identical"):
        cube().diagonal(0, 1, -2)
    with pytest.raises(IndexError):
        sc.arange(3).diagonal()
    with pytest.raises(IndexError):
        cube().diagonal(0, 0, 3)


def test_unfold():
    x = sc.arange(7)
    assert x.unfold(0, 3, 2).tolist() == [[0, 1, 2], [2, 3, 4], [4, 5, 6]]
    assert layout(x.unfold(0, 3, 2)) == ((3, 3), (2, 1), 0)
    assert layout(cube().unfold(1, 2, 1)) == ((2, 2, 4, 2), (12, 4, 1, 4), 0)
    assert layout(x.unfold(0, 0, 1)) == ((8, 0), (1, 1), 0), "n + 1 windows of nothing"
    assert layout(sc.tensor(5).unfold(0, 1, 1)) == ((1,), (1,), 0)
    assert layout(x.unfold(dimension=-1, size=7, step=9)) == ((1, 7), (9, 1), 0)


@pytest.mark.parametrize("size, step", [(8, 1), (-1, 1), (2, 0), (2, -1), (2**62, 1)])
def test_unfold_refuses(size, step):
    with pytest.raises(RuntimeError, match="unfold"):
        sc.arange(7).unfold(0, size, step)
    with pytest.raises(RuntimeError, match="unfold"):
        sc.tensor(1).unfold(0, 2, 1)


def test_negative_strides():
    x = sc.arange(12).view(3, 4)[::-1, ::-1]  # 11 10 9 8 / 7 6 5 4 / 3 2 1 0
    assert layout(x) == ((3, 4), (-4, -1), 11)
    assert x.select(0, 2).tolist() == [3, 2, 1, 0]
    assert layout(x.narrow(1, 1, 2)) == ((3, 2), (-4, -1), 10)
    assert x.diagonal().tolist() == [11, 6, 1] and x.diagonal().stride() == (-5,)
    assert x.diagonal(-1).tolist() == [7, 2]
    assert x[0].unfold(0, 2, 1).tolist() == [[11, 10], [10, 9], [9, 8]]


def test_a_part_without_elements_stays_inside_the_storage():
    x = sc.arange(4)[::-1]
    assert layout(x.narrow(0, 4, 0)) == ((0,), (-1,), 0), "one step before the storage is not a place"
    assert layout(x.narrow(0, 2, 0)) == ((0,), (-1,), 1)


def test_strides_and_offsets_that_would_overflow():
    huge = sc.zeros(0).as_strided((0, 3), (1, 2**62))
    with pytest.raises(RuntimeError, match="overflow"):
        huge.select(1, 2)
    with pytest.raises(RuntimeError, match="overflow"):
        huge.narrow(1, 2, 1)
    with pytest.raises(RuntimeError, match="overflow"):
        huge.unfold(1, 1, 2)
    with pytest.raises(RuntimeError, match="overflow"):
        sc.zeros(0).as_strided((0, 3), (2**62, 2**62)).diagonal()
