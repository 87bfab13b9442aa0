"""core/scatter.pyx and gathering.py: writes by an index tensor along a dim, and copies with a view replaced."""

import numpy as np
import pytest
from against import convert, elements, outcome, same, same_outcome
from index_cases import made_in, random_indices, random_shape, random_tensor

import stridecore as sc


def index(*values):
    return sc.tensor(values, dtype=sc.int64)


# ---- one index for a slice ------------------------------------------------------------------------


def test_index_add():
    x = sc.zeros(2, 3)
    source = sc.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])
    assert x.index_add_(0, index(0, 1, 0), source) is x
    assert x.tolist() == [[8, 10, 12], [4, 5, 6]]
    assert sc.index_add(sc.zeros(3), 0, index(2, 2), sc.tensor([1.0, 2.0]), alpha=10).tolist() == [0, 0, 30]
    assert sc.tensor([True, False]).index_add(0, index(1), sc.tensor([True])).tolist() == [True, True]
    for bad in (-1, 2):
        with pytest.raises(RuntimeError, match=f"index {bad} is out of bounds for dimension 0 with size 2"):
            x.index_add_(0, index(0, 0, bad), source)
    assert x.tolist() == [[8, 10, 12], [4, 5, 6]]


def test_index_copy():
    x = sc.zeros(3)
    assert x.index_copy_(0, index(2, 0, 2), sc.tensor([1.0, 2.0, 3.0])).tolist() == [2, 0, 3]
    with pytest.raises(IndexError, match="index 3 is out of bounds"):
        x.index_copy_(0, index(0, 3), sc.tensor([8.0, 9.0]))
    assert x.tolist() == [2, 0, 3]


def test_index_fill():
    x = sc.zeros(2, 3)
    assert x.index_fill_(1, index(0, -1), 5).tolist() == [[5, 0, 5]] * 2
    assert x.index_fill(0, sc.tensor(1), sc.tensor(7)).tolist() == [[5, 0, 5], [7, 7, 7]]
    for bad in (3, -4):
        with pytest.raises(IndexError, match=f"index {bad} is out of bounds"):
            x.index_fill_(1, index(0, bad), 9)
    assert x.tolist() == [[5, 0, 5]] * 2


def test_index_reduce(quiet):
    x, i, source = sc.tensor([1.0, 5.0]), index(0, 0), sc.tensor([2.0, 6.0])
    assert x.index_reduce(0, i, source, "prod").tolist() == [12, 5]
    assert x.index_reduce(0, i, source, "mean").tolist() == [3, 5]
    assert x.index_reduce(0, i, source, "mean", include_self=False).tolist() == [4, 5]
    assert x.index_reduce(0, i, source, "amax").tolist() == [6, 5]
    assert x.index_reduce(0, i, source, "amin", include_self=False).tolist() == [2, 5]
    with pytest.raises(RuntimeError, match="reduce"):
        x.index_reduce(0, i, source, "sum")


# ---- one index for an element ---------------------------------------------------------------------


def test_scatter(quiet):
    x = sc.zeros(2, 3, dtype=sc.int64)
    assert x.scatter_(0, sc.tensor([[0, 1, 0]]), sc.tensor([[5, 6, 7], [8, 9, 9]])).tolist() == [[5, 0, 7], [0, 6, 0]]
    assert x.scatter(1, sc.tensor([[2], [0]], dtype=sc.int32), 1).tolist() == [[5, 0, 1], [1, 6, 0]]
    assert x.scatter(1, sc.tensor([[0, 0]]), 2, reduce="multiply").tolist() == [[20, 0, 7], [0, 6, 0]]
    assert x.scatter(0, sc.tensor([[1, 1, 1]]), value=3, reduce="add").tolist() == [[5, 0, 7], [3, 9, 3]]
    assert sc.scatter(sc.zeros(2), 0, index(1, 1), sc.tensor([5.0, 6.0])).tolist() == [0, 6]
    for bad in (-1, 2):
        with pytest.raises(RuntimeError, match=f"index {bad} is out of bounds for dimension 0 with size 2"):
            x.scatter_(0, sc.tensor([[0, bad]]), 9)
    assert x.tolist() == [[5, 0, 7], [0, 6, 0]]
    with pytest.raises(TypeError):
        x.scatter_(0, sc.tensor([[0]]))
    with pytest.raises(RuntimeError, match="dtype"):
        x.scatter_(0, sc.tensor([[0]]), sc.ones(1, 1))


def test_scatter_add():
    x = sc.zeros(2, 2)
    x.scatter_add_(1, sc.tensor([[0, 0], [1, 0]]), sc.tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert x.tolist() == [[3, 0], [4, 3]]


def test_scatter_reduce():
    x, i, src = sc.tensor([4, 9]), index(0, 0), sc.tensor([2, 3])
    results = {"sum": (9, 5), "prod": (24, 6), "mean": (3, 2), "amax": (4, 3), "amin": (2, 2)}
    for name, (with_self, without) in results.items():
        assert x.scatter_reduce(0, i, src, name).tolist() == [with_self, 9]
        assert x.scatter_reduce(0, i, src, name, include_self=False).tolist() == [without, 9]
    assert sc.tensor([-1]).scatter_reduce(0, index(0), sc.tensor([-2]), "mean").tolist() == [-2]
    nan = float("nan")
    assert str(sc.zeros(1).scatter_reduce(0, index(0, 0), sc.tensor([nan, 1.0]), "amax").item()) == "nan"
    with pytest.raises(NotImplementedError, match="order"):
        sc.tensor([1j]).scatter_reduce(0, index(0), sc.tensor([1j]), "amax")


def test_put():
    x = sc.zeros(2, 3)
    assert x.put_(index(0, -1), sc.tensor([5.0, 7.0])).tolist() == [[5, 0, 0], [0, 0, 7]]
    assert x.t().put_(index(1, 1), sc.tensor([1.0, 2.0]), accumulate=True).tolist() == [[5, 3], [0, 0], [0, 7]]
    assert x.tolist() == [[5, 0, 0], [3, 0, 7]]
    with pytest.raises(IndexError, match="index 6 is out of bounds"):
        x.put_(index(0, 6), sc.tensor([1.0, 1.0]))
    assert x.tolist() == [[5, 0, 0], [3, 0, 7]]


def test_sources_and_indices_that_share_memory_are_copied_first():
    x = sc.tensor([[1, 2], [3, 4]])
    assert x.index_copy_(0, index(1, 0), x).tolist() == [[3, 4], [1, 2]]
    assert x.index_add_(0, index(1, 0), x).tolist() == [[4, 6], [4, 6]]
    x = index(0, 2, 1)
    assert x.scatter_(0, x, sc.tensor([7, 8, 9])).tolist() == [7, 9, 8]
    x = index(2, 1, 0)
    assert x.put_(x, x).tolist() == [0, 1, 2]
    assert x.scatter_add_(0, index(0, 0, 0), x).tolist() == [3, 1, 2]


@pytest.mark.parametrize(
    "write",
    [
        lambda x, i: x.index_add_(0, i, sc.ones(1)),
        lambda x, i: x.index_copy_(0, i, sc.ones(1)),
        lambda x, i: x.index_reduce_(0, i, sc.ones(1), "amax"),
        lambda x, i: x.scatter_(0, i, 1.0),
        lambda x, i: x.scatter_add_(0, i, sc.ones(1)),
        lambda x, i: x.scatter_reduce_(0, i, sc.ones(1), "sum"),
        lambda x, i: x.put_(i, sc.ones(1)),
        lambda x, i: x.masked_scatter_(sc.tensor([True, False, False]), sc.ones(1)),
    ],
)
def test_destinations_that_can_not_be_written(write):
    with pytest.raises(RuntimeError, match="single memory location"):
        write(sc.zeros(1).expand(3), index(0))
    array = np.zeros(3, dtype=np.float32)
    array.flags.writeable = False
    x = sc.from_numpy(array)
    with pytest.raises(RuntimeError, match="read-only"):
        write(x, index(0))
    x = sc.zeros(3)
    x.untyped_storage().resize_(4)
    with pytest.raises(RuntimeError, match="resized"):
        write(x, index(0))


def test_lazy_bits():
    z = sc.tensor([1 + 1j, 2 + 2j])
    z.conj().index_add_(0, index(0), sc.tensor([10j]))
    assert z.tolist() == [1 - 9j, 2 + 2j]
    z.conj().scatter_(0, index(1), sc.tensor([5 + 6j]).conj())
    assert z.tolist() == [1 - 9j, 5 + 6j]
    z = sc.tensor([1 + 1j, 2 + 2j])
    z.conj().imag.scatter_reduce_(0, index(0, 1), sc.tensor([3.0, -5.0]), "amax")  # the imaginary parts are -1, -2
    assert z.tolist() == [1 - 3j, 2 + 2j]
    assert z.conj().index_fill(0, index(0), 1j).tolist() == [1j, 2 - 2j]


def test_out():
    x, out = sc.zeros(2), sc.empty(0)
    assert sc.scatter_add(x, 0, index(0, 0), sc.ones(2), out=out) is out
    assert out.tolist() == [2, 0] and x.tolist() == [0, 0]
    assert sc.index_add(out, 0, index(1), sc.ones(1), out=out).tolist() == [2, 1]
    with pytest.raises(RuntimeError):
        sc.index_add(out, 0, index(2), sc.ones(1), out=out)
    with pytest.raises(RuntimeError, match="dtype"):
        sc.scatter(x, 0, index(0), 1.0, out=sc.empty(0, dtype=sc.int64))
    assert out.tolist() == [2, 1]


# ---- a view replaced -------------------------------------------------------------------------------


def test_view_scatter():
    x = sc.zeros(2, 3)
    assert x.select_scatter(sc.ones(3), 0, 1).tolist() == [[0, 0, 0], [1, 1, 1]]
    assert x.slice_scatter(sc.ones(2, 2), 1, 0, 3, 2).tolist() == [[1, 0, 1]] * 2
    assert x.diagonal_scatter(sc.ones(2), 1).tolist() == [[0, 1, 0], [0, 0, 1]]
    assert x.as_strided_scatter(sc.ones(2), (2,), (2,), 1).tolist() == [[0, 1, 0], [1, 0, 0]]
    assert x.tolist() == [[0] * 3] * 2
    assert x.t().select_scatter(sc.ones(2), 0, 1).stride() == (1, 3)
    with pytest.raises(RuntimeError, match="equal to the slice"):
        x.select_scatter(sc.ones(1), 0, 1)


def test_fill_diagonal():
    assert sc.zeros(3, 2).fill_diagonal_(1).tolist() == [[1, 0], [0, 1], [0, 0]]
    assert sc.zeros(5, 2).fill_diagonal_(1, wrap=True).tolist() == [[1, 0], [0, 1], [0, 0], [1, 0], [0, 1]]
    x = sc.zeros(2, 2, 2).fill_diagonal_(1)
    assert x.flatten().tolist() == [1, 0, 0, 0, 0, 0, 0, 1]


def test_view_scatter_as_torch(torch):
    for lib_call in (
        lambda lib, x: x.permute(2, 0, 1).select_scatter(lib.ones(2, 3), 0, 1),
        lambda lib, x: x[1:, :, ::2].select_scatter(lib.ones(1, 2), 1, 1),
        lambda lib, x: x[:1].expand(2, 3, 4).select_scatter(lib.ones(3, 4), 0, 1),
        lambda lib, x: x.slice_scatter(lib.ones(2, 3, 2), 2, 0, 4, 2),
        lambda lib, x: x.slice_scatter(lib.ones(2, 1, 4), 1, -1),
        lambda lib, x: x.slice_scatter(lib.ones(2, 3, 4), 0, 0, 2, -1),
        lambda lib, x: x.diagonal_scatter(lib.ones(2, 3), 0, 1, 2),
        lambda lib, x: x.as_strided_scatter(lib.ones(2), (2,), (3,), 5),
        lambda lib, x: x.as_strided_scatter(lib.ones(3), (2,), (3,)),
        lambda lib, x: x.select_scatter(lib.ones(3, 4, dtype=lib.int64), 0, 2),
        lambda lib, x: x.select_scatter(lib.ones(3, 4, dtype=lib.int64), 0, -1),
        lambda lib, x: x[0].fill_diagonal_(7.0),
        lambda lib, x: x.fill_diagonal_(7.0),
    ):
        same_outcome(
            lambda call=lib_call: call(sc, sc.arange(24.0).view(2, 3, 4).clone()),
            lambda call=lib_call: call(torch, torch.arange(24.0).view(2, 3, 4).clone()),
        )


# ---- against torch ----------------------------------------------------------------------------------


def compare(x, t, name, args, kwargs, exact):
    """Assert that a method does the same to x and to torch's t; to the last bit if `exact`."""
    x_before = elements(x)
    a, error = outcome(getattr(x, name), *made_in(sc, args), **kwargs)
    b, expected = outcome(getattr(t, name), *args, **kwargs)
    if expected is NotImplementedError:
        return  # computed here
    if expected is IndexError and name.startswith("index_add"):
        expected = RuntimeError  # torch raises the one or the other by its kernels
    assert error == expected, (name, error, expected, tuple(t.shape), args)
    if error:
        assert elements(x) == x_before
        return
    if exact:
        same(a, b)
    else:
        assert (a.shape, a.stride()) == (tuple(b.shape), b.stride())
        assert np.allclose(a.numpy(), b.numpy(), equal_nan=True)


def test_random_slices_as_torch(torch, rng, quiet):
    for _ in range(4000):
        shape = random_shape(rng)
        name = rng.choice(["index_add", "index_copy", "index_fill", "index_reduce"])
        t = random_tensor(rng, torch, shape)
        dim = rng.randrange(-len(shape), len(shape)) if shape else 0
        size = shape[dim] if shape else 1
        n = rng.randrange(4) if shape else 1
        i = random_indices(rng, torch, [n] if shape and rng.random() < 0.95 else [], size, wraps=name == "index_fill")
        source_shape = list(shape)
        if shape:
            source_shape[dim] = i.numel()
            if rng.random() < 0.05:
                source_shape[rng.randrange(len(shape))] += 1
        source = random_tensor(rng, torch, source_shape, None if rng.random() < 0.05 else t.dtype)
        if 0 in source_shape or 0 in shape:
            continue  # checks that torch leaves out
        if name == "index_copy" and i.numel() != i.unique().numel():
            continue
        kwargs = {}
        if name == "index_fill":
            i = i.long() if rng.random() < 0.95 else i
            args = (dim, i, 1)
        elif name == "index_reduce":
            reduce = rng.choice(["prod", "mean", "amax", "amin"])
            if t.dtype in (torch.bool, torch.complex128) and reduce != "prod":
                continue
            kwargs["include_self"] = rng.random() < 0.5
            args = (dim, i, source, reduce)
        else:
            if name == "index_add" and rng.random() < 0.3:
                kwargs["alpha"] = 2
            args = (dim, i, source)
        x = convert(t, sc)
        exact = not (name == "index_reduce" and t.is_floating_point())
        compare(x, t, name, args, kwargs, exact)
        compare(x, convert(x, torch), name + "_", args, kwargs, exact)


def test_random_elements_as_torch(torch, rng, quiet):
    for _ in range(4000):
        shape = random_shape(rng)
        name = rng.choice(["scatter", "scatter", "scatter_add", "scatter_reduce"])
        t = random_tensor(rng, torch, shape)
        dim = rng.randrange(-len(shape), len(shape)) if shape else 0
        size = shape[dim] if shape else 1
        i_shape = [rng.randrange(n + 1) if rng.random() < 0.3 else n for n in shape]
        if shape:
            i_shape[dim] = rng.randrange(5)
            if rng.random() < 0.03:
                i_shape[rng.randrange(len(shape))] += 1
        i = random_indices(rng, torch, i_shape, size)
        source_shape = [n + rng.randrange(2) if rng.random() < 0.3 else n for n in i_shape]
        if shape and rng.random() < 0.03:
            source_shape[rng.randrange(len(shape))] += -1 if min(source_shape) > 0 else 1
        source = random_tensor(rng, torch, source_shape, None if rng.random() < 0.05 else t.dtype)
        kwargs, extra = {}, ()
        if name == "scatter_reduce":
            extra = (rng.choice(["sum", "prod", "mean", "amax", "amin"]),)
            if t.dtype in (torch.bool, torch.complex128) and extra[0] not in ("sum", "prod"):
                continue
            kwargs["include_self"] = rng.random() < 0.5
        elif name == "scatter":
            if rng.random() < 0.3:
                kwargs["reduce"] = rng.choice(["add", "multiply"])
            elif rng.random() < 0.7:
                source = source.flatten()[0].expand(source_shape) if source.numel() else source  # no order to decide
        number = name == "scatter" and rng.random() < 0.3
        if name == "scatter" and not kwargs and not number and source.stride() != (0,) * source.dim():
            places = torch.arange(max(t.numel(), 1))[: t.numel()].view(shape)
            reached = outcome(places.gather, dim, i)[0]
            if reached is None or reached.unique().numel() != reached.numel():
                continue
        args = (dim, i, 2 if number else source, *extra)
        x = convert(t, sc)
        exact = not (extra and t.is_floating_point())
        compare(x, t, name, args, kwargs, exact)
        compare(x, convert(x, torch), name + "_", args, kwargs, exact)


def test_random_puts_as_torch(torch, rng, quiet):
    for _ in range(1000):
        shape = random_shape(rng)
        t = random_tensor(rng, torch, shape)
        i_shape = random_shape(rng)
        i = random_indices(rng, torch, i_shape, t.numel(), wraps=True)
        accumulate = rng.random() < 0.5
        if not accumulate and (i % max(t.numel(), 1)).unique().numel() != i.numel():
            continue
        source = random_tensor(rng, torch, i_shape, None if rng.random() < 0.05 else t.dtype)
        args = (i, source, accumulate)
        x = convert(t, sc)
        compare(x, t, "put", args, {}, True)
        compare(x, convert(x, torch), "put_", args, {}, True)


@pytest.mark.parametrize("name", "float16 bfloat16 complex64 uint16 uint32 uint64 int8 float64".split())
def test_sums_of_every_type(name):
    x = sc.zeros(3, dtype=getattr(sc, name))
    ones = sc.ones(2000, dtype=getattr(sc, name))
    i = sc.tensor([k % 3 for k in range(2000)])
    x.index_add_(0, i[:300], ones[:300])
    assert [complex(v).real for v in x.tolist()] == [100, 100, 100]
    x.scatter_add_(0, i[:30], ones[:30])
    assert [complex(v).real for v in x.tolist()] == [110, 110, 110]


class Meddler:
    """An int that changes something while it is read."""

    def __init__(self, change):
        self.change = change

    def __index__(self):
        self.change()
        return 0


@pytest.mark.parametrize(
    "write",
    [
        lambda x, dim: x.index_add_(dim, index(3), sc.ones(1)),
        lambda x, dim: x.index_copy_(dim, index(3), sc.ones(1)),
        lambda x, dim: x.index_fill_(dim, index(3), 1.0),
        lambda x, dim: x.scatter_(dim, index(3), 1.0),
        lambda x, dim: x.scatter_add_(dim, index(3), sc.ones(1)),
    ],
)
def test_arguments_that_shrink_the_tensor(write):
    x = sc.zeros(4)
    with pytest.raises(RuntimeError, match="resized"):
        write(x, Meddler(lambda: x.untyped_storage().resize_(4)))
    x = sc.zeros(4)
    before = x.tolist()
    write(x, Meddler(lambda: x.resize_(2)))  # the write sees the tensor as it was
    assert x.tolist() == before[:2]
