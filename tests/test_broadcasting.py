"""Several tensors brought to sizes that fit."""

import pytest

import stridecore as sc


def test_broadcast_shapes():
    assert sc.broadcast_shapes((2, 1), (3,)) == (2, 3)
    assert sc.broadcast_shapes((2, 1), 3, [1], sc.Size([4, 1, 1])) == (4, 2, 3)
    assert sc.broadcast_shapes((0,), (1,)) == (0,)
    assert sc.broadcast_shapes() == () and type(sc.broadcast_shapes((2,))) is sc.Size
    with pytest.raises(RuntimeError, match="does not match 2"):
        sc.broadcast_shapes((2,), (3,))
    with pytest.raises(ValueError, match="negative"):
        sc.broadcast_shapes((-2,), (3,))
    with pytest.raises(TypeError):
        sc.broadcast_shapes((1.5,))


def test_broadcast_tensors():
    x, y, s = sc.zeros(2, 1), sc.zeros(3), sc.tensor(5)
    a, b, c = sc.broadcast_tensors(x, y, s)
    assert a.shape == b.shape == c.shape == (2, 3)
    assert (a.stride(), b.stride(), c.stride()) == ((1, 0), (0, 1), (0, 0))
    assert a._base is x and b._base is y and c.dtype is sc.int64
    assert sc.broadcast_tensors(x)[0] is x and sc.broadcast_tensors() == ()
    with pytest.raises(RuntimeError, match="does not match"):
        sc.broadcast_tensors(sc.zeros(2), y)
    with pytest.raises(TypeError):
        sc.broadcast_tensors(x, 3)
    with pytest.raises(TypeError):
        sc.broadcast_tensors([x, y])


def test_atleast():
    s, v, m = sc.tensor(5), sc.arange(6), sc.zeros(2, 3).t()
    assert sc.atleast_1d(s).shape == (1,) and sc.atleast_1d(v) is v
    assert sc.atleast_2d(s).shape == (1, 1) and sc.atleast_2d(v).stride() == (6, 1) and sc.atleast_2d(m) is m
    assert sc.atleast_3d(s).shape == (1, 1, 1)
    assert sc.atleast_3d(v).shape == (1, 6, 1) and sc.atleast_3d(v).stride() == (6, 1, 1)
    assert sc.atleast_3d(m).shape == (3, 2, 1) and sc.atleast_3d(m).stride() == (1, 3, 1)
    assert sc.atleast_1d(s)._base is s


def test_atleast_of_several():
    s, v = sc.tensor(5), sc.arange(6)
    for pieces in (sc.atleast_1d(s, v), sc.atleast_1d((s, v)), sc.atleast_1d([s, v])):
        assert type(pieces) is tuple and pieces[0].shape == (1,) and pieces[1] is v
    assert sc.atleast_1d() == ()
    with pytest.raises(TypeError):
        sc.atleast_1d(3)
    with pytest.raises(TypeError):
        sc.atleast_2d(s, 3)
