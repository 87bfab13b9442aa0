"""Tuples of views that share a dim: unbind, split, chunk, tensor_split and their kin."""

import pytest

import stridecore as sc


def values(pieces):
    assert type(pieces) is tuple
    return [piece.tolist() for piece in pieces]


def sizes(pieces, dim=0):
    return [piece.size(dim) for piece in pieces]


def test_unbind():
    x = sc.arange(6).view(2, 3)
    assert values(x.unbind()) == [[0, 1, 2], [3, 4, 5]]
    assert values(x.unbind(1)) == values(x.unbind(dim=-1)) == [[0, 3], [1, 4], [2, 5]]
    assert x.unbind(1)[2].stride() == (3,) and x.unbind(1)[2].storage_offset() == 2
    assert all(piece._base is x._base for piece in x.unbind())
    assert sc.zeros(0, 3).unbind() == ()
    with pytest.raises(IndexError, match="no dimensions"):
        sc.tensor(1).unbind()


def test_split():
    x = sc.arange(7)
    assert values(x.split(3)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert values(x.split([1, 0, 6])) == [[0], [], [1, 2, 3, 4, 5, 6]]
    assert values(x.split(100)) == [[0, 1, 2, 3, 4, 5, 6]]
    assert sizes(x.view(1, 7).split(split_size=4, dim=1), 1) == [4, 3]
    assert len(sc.zeros(0).split(0)) == len(sc.zeros(0).split(5)) == 1
    assert sizes(x.split(2**62)) == [7]
    assert values(x.split_with_sizes((3, 4))) == values(x.split((3, 4)))
    assert sc.zeros(0).split([]) == ()


def test_split_refuses():
    x = sc.arange(7)
    with pytest.raises(RuntimeError, match="can only be 0"):
        x.split(0)
    with pytest.raises(RuntimeError, match="at least 0"):
        x.split(-1)
    with pytest.raises(RuntimeError, match="sum exactly to 7"):
        x.split([3, 3])
    with pytest.raises(RuntimeError, match="sum exactly to 7"):
        x.split([2**62, 2**62, 2**62, 2**62])
    with pytest.raises(RuntimeError, match="at least 0"):
        x.split([8, -1])
    with pytest.raises(RuntimeError, match="at least 1 dim"):
        sc.tensor(1).split(1)
    with pytest.raises(IndexError):
        x.split(1, 1)
    for wrong in (1.0, True, "a", None, [1.0]):
        with pytest.raises(TypeError):
            x.split(wrong)


@pytest.mark.parametrize("n, chunks, expected", [(7, 3, [3, 3, 1]), (7, 4, [2, 2, 2, 1]), (7, 5, [2, 2, 2, 1]),
                                                 (7, 1, [7]), (7, 99, [1] * 7), (0, 3, [0, 0, 0])])  # fmt: skip
def test_chunk_may_give_fewer(n, chunks, expected):
    assert sizes(sc.arange(n).chunk(chunks)) == expected


def test_chunk_refuses():
    with pytest.raises(RuntimeError, match="greater than 0"):
        sc.arange(7).chunk(0)
    with pytest.raises(RuntimeError, match="at least 1 dim"):
        sc.tensor(1).chunk(1)
    with pytest.raises(RuntimeError, match="allocate"):
        sc.zeros(0).chunk(2**60)


def test_tensor_split_gives_exactly_so_many():
    x = sc.arange(7)
    assert sizes(x.tensor_split(3)) == sizes(x.tensor_split(sections=3)) == [3, 2, 2]
    assert sizes(x.tensor_split(9)) == [1] * 7 + [0, 0]
    assert sizes(x.tensor_split(sc.tensor(3))) == [3, 2, 2]


def test_tensor_split_at_indices():
    x = sc.arange(7)
    assert values(x.tensor_split((2, 5))) == [[0, 1], [2, 3, 4], [5, 6]]
    assert values(x.tensor_split(indices=[-1])) == [[0, 1, 2, 3, 4, 5], [6]]
    assert values(x.tensor_split((5, 2))) == [[0, 1, 2, 3, 4], [], [2, 3, 4, 5, 6]], "descending: an empty piece"
    assert values(x.tensor_split((-99, 99))) == [[], [0, 1, 2, 3, 4, 5, 6], []]
    assert values(x.tensor_split(sc.tensor([2, 5]))) == [[0, 1], [2, 3, 4], [5, 6]]
    assert values(x.tensor_split(())) == [[0, 1, 2, 3, 4, 5, 6]]
    assert sizes(x.view(1, 7).tensor_split((3,), dim=1), 1) == [3, 4]


def test_tensor_split_refuses():
    x = sc.arange(7)
    with pytest.raises(RuntimeError, match="larger than 0"):
        x.tensor_split(0)
    with pytest.raises(RuntimeError, match="int64"):
        x.tensor_split(sc.tensor([1, 2], dtype=sc.int32))
    with pytest.raises(RuntimeError, match="0 or 1 dims"):
        x.tensor_split(sc.tensor([[1, 2]]))
    for arguments in ({"indices_or_sections": 2}, {"sections": 2, "indices": (1,)}, {"sections": (1,)}, {"indices": 1}):
        with pytest.raises(TypeError):
            x.tensor_split(**arguments)
    with pytest.raises(TypeError):
        x.tensor_split()


def test_hsplit_vsplit_dsplit():
    x = sc.arange(24).view(2, 3, 4)
    assert sizes(x.hsplit(3), 1) == [1, 1, 1]
    assert sizes(x.vsplit(2), 0) == [1, 1]
    assert sizes(x.dsplit((1,)), 2) == [1, 3]
    assert values(sc.arange(4).hsplit(2)) == [[0, 1], [2, 3]], "one dim: along it"
    assert sizes(x.dsplit(indices=(1, 2)), 2) == [1, 1, 2]
    with pytest.raises(RuntimeError, match="not divisible"):
        x.hsplit(2)
    with pytest.raises(RuntimeError, match="not divisible"):
        x.hsplit(0)
    with pytest.raises(RuntimeError, match="at least 2 dim"):
        sc.arange(4).vsplit(2)
    with pytest.raises(RuntimeError, match="at least 3 dim"):
        sc.zeros(2, 2).dsplit(2)
    with pytest.raises(RuntimeError, match="at least 1 dim"):
        sc.tensor(1).hsplit(1)


def test_unsafe_pieces_have_no_base():
    x = sc.arange(4)
    for pieces in (x.unsafe_split(2), x.unsafe_chunk(2), x.unsafe_split_with_sizes((2, 2))):
        assert values(pieces) == [[0, 1], [2, 3]]
        assert all(piece._base is None and piece.untyped_storage() is x.untyped_storage() for piece in pieces)


def test_pieces_of_reversed_tensors():
    x = sc.arange(5)[::-1]
    assert values(x.split(2)) == [[4, 3], [2, 1], [0]]
    assert values(x.tensor_split((1, 1))) == [[4], [], [3, 2, 1, 0]]
    assert sc.arange(5)[::-1].unbind()[4].item() == 0
    assert x.tensor_split((5,))[1].storage_offset() == 0, "not one step before the storage"
