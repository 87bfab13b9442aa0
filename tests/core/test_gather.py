"""core/gather.pyx and core/masks.pyx: reads by an index tensor along a dim, and by masks."""

from contextlib import suppress

import numpy as np
import pytest
from against import both, convert, elements, outcome, same
from index_cases import made_in, random_indices, random_shape, random_tensor, same_function, same_method

import stridecore as sc

LONG = sc.int64


def x23():
    return sc.tensor([[1, 2, 3], [4, 5, 6]])


# ---- along a dim --------------------------------------------------------------------------------


def test_index_select():
    x = x23()
    assert x.index_select(1, sc.tensor([2, 0, 2])).tolist() == [[3, 1, 3], [6, 4, 6]]
    assert sc.index_select(x, -2, sc.tensor([1], dtype=sc.int32)).tolist() == [[4, 5, 6]]
    assert sc.index_select(input=x, dim=0, index=sc.tensor(1)).tolist() == [[4, 5, 6]]
    assert sc.tensor(5).index_select(0, sc.tensor([0])).tolist() == 5
    assert x.index_select(0, sc.tensor([], dtype=LONG)).shape == (0, 3)
    for index in (-1, 2):
        with pytest.raises(IndexError, match=f"index {index} is out of bounds for dimension 0 with size 2"):
            x.index_select(0, sc.tensor([index]))


def test_gather():
    x = x23()
    assert x.gather(1, sc.tensor([[0, 0], [2, 1]])).tolist() == [[1, 1], [6, 5]]
    assert sc.gather(x, 0, sc.tensor([[1, 0, 1]], dtype=sc.int32)).tolist() == [[4, 2, 6]]
    assert x.gather(0, sc.zeros(0, dtype=LONG)).shape == (0,)
    for index in (-1, 3):
        with pytest.raises(RuntimeError, match=f"index {index} is out of bounds for dimension 1 with size 3"):
            x.gather(1, sc.tensor([[index]]))
    with pytest.raises(RuntimeError, match="apart from dimension 1"):
        x.gather(1, sc.zeros(3, 1, dtype=LONG))


def test_take():
    x = x23()
    assert x.take(sc.tensor([[0, -1], [3, 3]])).tolist() == [[1, 6], [4, 4]]
    assert x.t().take(sc.tensor([1])).tolist() == [4]
    for index in (6, -7):
        with pytest.raises(IndexError, match=f"index {index} is out of bounds"):
            x.take(sc.tensor([index]))


def test_take_along_dim():
    x = x23()
    assert sc.take_along_dim(x, sc.tensor([[2]]), 1).tolist() == [[3], [6]]
    assert x.take_along_dim(sc.tensor([5, 0])).tolist() == [6, 1]
    for index in (-1, 3):  # garbage in torch
        with pytest.raises(IndexError, match=f"index {index} is out of bounds"):
            x.take_along_dim(sc.tensor([[index]]), 1)


def test_unravel_index():
    i, j = sc.unravel_index(sc.tensor([[0, 5]]), (2, 3))
    assert (i.tolist(), j.tolist()) == ([[0, 1]], [[0, 2]])
    for index in (6, -1):  # garbage in torch
        with pytest.raises(IndexError, match=f"index {index} is out of bounds"):
            sc.unravel_index(sc.tensor(index), (2, 3))


def test_out():
    x, out = x23(), sc.zeros(3, 1, dtype=LONG)
    assert sc.index_select(x, 0, sc.tensor([1, 0]), out=out) is out
    assert out.tolist() == [[4, 5, 6], [1, 2, 3]]
    before = out.tolist()
    with pytest.raises(IndexError):
        sc.index_select(x, 0, sc.tensor([0, 2]), out=out)
    assert out.tolist() == before
    with pytest.raises(RuntimeError, match="dtype"):
        sc.gather(x, 0, sc.zeros(1, 3, dtype=LONG), out=sc.empty(0))
    with pytest.raises(RuntimeError, match="single memory location"):
        sc.gather(x, 0, sc.zeros(1, 3, dtype=LONG), out=sc.zeros(1, dtype=LONG).expand(1, 3))
    sc.index_select(x, 1, sc.tensor([2, 1, 0]), out=x)
    assert x.tolist() == [[3, 2, 1], [6, 5, 4]]
    z = sc.zeros(1, dtype=sc.complex64)
    sc.take(sc.tensor([1 + 2j]), sc.tensor([0]), out=z.conj())
    assert z.tolist() == [1 - 2j]


# ---- masks --------------------------------------------------------------------------------------


def test_masked_select():
    x = x23()
    mask = sc.tensor([True, False, True])
    assert x.masked_select(mask).tolist() == [1, 3, 4, 6]
    assert sc.masked_select(sc.tensor([1, 2]), sc.tensor([[True, False], [True, True]])).tolist() == [1, 1, 2]
    assert x.t().masked_select(x.t().bool()).tolist() == [1, 4, 2, 5, 3, 6]
    with pytest.raises(RuntimeError, match="boolean masks"):
        x.masked_select(sc.tensor([1, 0, 1]))


def test_nonzero():
    x = sc.tensor([[0, 3], [5, 0]])
    assert x.nonzero().tolist() == x.argwhere().tolist() == [[0, 1], [1, 0]]
    assert x.nonzero().stride() == (1, 2)
    assert [i.tolist() for i in sc.nonzero(x, as_tuple=True)] == [[0, 1], [1, 0]]
    assert [i.tolist() for i in sc.where(x)] == [[0, 1], [1, 0]]
    assert x[x.nonzero(as_tuple=True)].tolist() == [3, 5]
    assert x.nonzero_static(size=3, fill_value=-7).tolist() == [[0, 1], [1, 0], [-7, -7]]
    assert x.nonzero_static(size=1).tolist() == [[0, 1]]
    assert sc.tensor(7).nonzero().shape == (1, 0)
    assert sc.tensor([0.0, -0.0, float("nan"), 1e-40]).nonzero().tolist() == [[2], [3]]
    assert sc.tensor([0j, 1j]).nonzero().tolist() == [[1]]


OUTS = ["plain", "gapped", "transposed", "is condition's memory", "is input", "overlaps input", "too small", "negated"]


def where_out(lib, kind, n):
    """A condition, two operands and an out of one of the OUTS."""
    x, y = lib.arange(n * n).reshape(n, n) * 3, lib.arange(n * n).reshape(n, n).t() - 7
    condition = x % 2 == 0
    outs = {
        "plain": lambda: lib.zeros(n, n, dtype=lib.int64),
        "gapped": lambda: lib.zeros(n, 2 * n, dtype=lib.int64)[:, ::2],
        "transposed": lambda: lib.zeros(n, n, dtype=lib.int64).t(),
        "is condition's memory": lambda: lib.zeros(n, n, dtype=lib.int64),
        "is input": lambda: x,
        "overlaps input": lambda: x.flatten().as_strided((n, n), (n, 1)),
        "too small": lambda: lib.zeros(0, dtype=lib.int64),
        "negated": lambda: lib.zeros(n, n, dtype=lib.complex64).conj().imag,
    }
    out = outs[kind]()
    if kind == "is condition's memory":
        condition = out.view(lib.uint8)[:, :n].view(lib.bool)
        condition[0, ::2] = True
    if kind == "negated":
        x, y = x.float(), y.float()
    return condition, x, y, out


@pytest.mark.parametrize("kind", OUTS)
@pytest.mark.parametrize("n", [1, 3, 150])
def test_where_writes_out(torch, kind, n):
    """Straight to it where it fits and shares memory with nothing, by way of a copy elsewhere."""
    condition, x, y, out = where_out(sc, kind, n)
    expected = sc.where(condition, x, y).tolist()
    assert sc.where(condition, x, y, out=out) is out
    assert out.tolist() == expected
    if torch is not None and kind in ("plain", "gapped", "transposed", "negated", "too small"):
        condition, x, y, theirs = where_out(torch, kind, n)
        torch.where(condition, x, y, out=theirs)
        assert out.tolist() == theirs.tolist() and out.stride() == theirs.stride()


def test_where_refuses_outs():
    """Before anything is written."""
    condition, x = sc.tensor([True, False]), sc.tensor([1, 2])
    for out, error in [(sc.zeros(2), RuntimeError), (sc.zeros(1, dtype=sc.int64).expand(2), RuntimeError),
                       ([0, 0], TypeError)]:
        with pytest.raises(error):
            sc.where(condition, x, 7, out=out)
    locked = np.zeros(2, np.int64)
    locked.flags.writeable = False
    with pytest.raises(RuntimeError, match="read-only"):
        sc.where(condition, x, 7, out=sc.from_numpy(locked))
    assert locked.tolist() == [0, 0]


def test_where():
    mask = sc.tensor([True, False])
    assert sc.where(mask, sc.tensor([1, 2]), sc.tensor([3, 4])).tolist() == [1, 4]
    assert sc.where(mask, 1.5, sc.tensor([3, 4])).tolist() == [1.5, 4.0]
    assert sc.where(mask, 1, 2).dtype is sc.int64
    assert sc.tensor([1j, 2j]).conj().where(mask, 0).tolist() == [-1j, 0]
    with pytest.raises(TypeError):
        sc.where(mask, 1)
    with pytest.raises(RuntimeError, match="boolean"):
        sc.where(sc.tensor([1, 0]), 1, 2)


def test_masked_fill():
    x = sc.zeros(2, 3)
    assert x.masked_fill_(sc.tensor([True, False, True]), 5) is x
    assert x.tolist() == [[5, 0, 5]] * 2
    assert x.masked_fill(x.bool(), sc.tensor(1)).tolist() == [[1, 0, 1]] * 2
    assert sc.zeros(2).masked_fill(sc.tensor([[True, False], [False, True]]), 1).tolist() == [[1, 0], [0, 1]]
    for value in (sc.tensor([1.0]), 1j):
        with pytest.raises(RuntimeError):
            x.masked_fill_(x.bool(), value)
    b = sc.tensor([True, False])
    assert b.masked_fill_(b, False).tolist() == [False, False]


def test_masked_scatter():
    x = sc.zeros(2, 2)
    x.masked_scatter_(sc.tensor([[True, False], [True, True]]), sc.tensor([[1.0, 2.0], [3.0, 4.0]]).t())
    assert x.tolist() == [[1, 0], [3, 2]]
    x = sc.arange(4)
    x.masked_scatter_(sc.tensor([False, True, True, True]), x)
    assert x.tolist() == [0, 0, 1, 2]
    with pytest.raises(RuntimeError, match="at least as many elements"):
        x.masked_scatter_(sc.ones(4, dtype=sc.bool), x[:3])
    assert x.tolist() == [0, 0, 1, 2]


# ---- against torch ------------------------------------------------------------------------------


def test_random_reads_along_a_dim_as_torch(torch, rng, quiet):
    for _ in range(3000):
        shape = random_shape(rng)
        t = random_tensor(rng, torch, shape)
        dim = rng.randrange(-len(shape), len(shape)) if shape else rng.choice([0, -1])
        size = shape[dim] if shape else 1
        kind = rng.choice(["index_select", "gather", "take", "take_along_dim"])
        if kind == "index_select":
            i = random_indices(rng, torch, [rng.randrange(4)] if rng.random() < 0.9 else [], size)
            args = (dim, i)
        elif kind == "gather":
            i = random_indices(rng, torch, [rng.randrange(n + 1) if rng.random() < 0.3 else n for n in shape], size)
            args = (dim, i)
        elif kind == "take":
            i = random_indices(rng, torch, random_shape(rng), t.numel(), wraps=True)
            args = (i,)
        else:
            i = random_indices(rng, torch, [1 if rng.random() < 0.3 else n for n in shape], size)
            i = i.clamp(0, max(size - 1, 0))
            args = (i, dim)
            if size == 0:
                continue
        if kind == "index_select" and t.numel() == 0:
            continue  # torch checks nothing, or everything, depending on the kernel
        if kind == "index_select" and shape and i.numel() and not 0 <= i.min() <= i.max() < size:
            with pytest.raises(IndexError):  # in torch a RuntimeError by some of its kernels
                convert(t, sc).index_select(*made_in(sc, args))
            continue
        same_method(torch, kind, t, *args)


def test_random_masks_as_torch(torch, rng, quiet):
    for _ in range(2000):
        shape = random_shape(rng)
        t = random_tensor(rng, torch, shape)
        tail = shape[rng.randrange(len(shape) + 1) :]
        mask = random_tensor(rng, torch, [1 if rng.random() < 0.2 else n for n in tail], torch.bool)
        other = random_tensor(rng, torch, [1 if rng.random() < 0.2 else n for n in shape])
        for name, args in {
            "masked_select": (mask,),
            "masked_scatter": (mask, other),
            "nonzero": (),
            "argwhere": (),
        }.items():
            same_method(torch, name, t, *args)
        for value in (2, other):
            same_method(torch, "masked_fill", t, mask, value)
        for x, y in ((t, other), (t, 1.5), (2, other), (1j, t)):
            same_function(torch, "where", mask, x, y)
        same_function(torch, "where", t)
        a, m, o = made_in(sc, (t, mask, other))
        b = convert(t, torch)
        a.masked_fill_(m, 1)
        b.masked_fill_(mask, 1)
        same(a, b)
        before, error = elements(b), outcome(a.masked_scatter_, m, o)[1]
        assert error == outcome(b.masked_scatter_, mask, other)[1]
        assert elements(a) == (before if error else elements(b))  # torch writes what there is


def test_random_types_of_where_as_torch(torch, quiet):
    names = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex64 complex128".split()
    for a in names:
        for b in names:
            for left, right in (((2,), (2,)), ((), (2,)), ((2,), ()), ((), ())):
                both(
                    "lib.where(m, x, y).dtype == lib.where(m, y, x).dtype and lib.where(m, x, y)",
                    torch,
                    m=lambda lib: lib.tensor([True, False]),
                    x=lambda lib, a=a, s=left: lib.ones(s, dtype=getattr(lib, a)),
                    y=lambda lib, b=b, s=right: lib.zeros(s, dtype=getattr(lib, b)),
                )


@pytest.mark.parametrize("itemsize", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("n", [0, 1, 7, 511, 512, 513, 5000])
def test_long_rows_and_masks(itemsize, n):
    """Longer than the blocks in which offsets are computed, and than what runs under the GIL."""
    dtype = {1: np.uint8, 2: np.int16, 4: np.int32, 8: np.int64, 16: np.complex128}[itemsize]
    random = np.random.default_rng(n)
    a = random.integers(0, 255, (n + 1, 3)).astype(dtype)
    x, i = sc.tensor(a), random.integers(-n - 1, n + 1, n)
    assert elements(x[sc.tensor(i)]) == a[i].tobytes()
    assert elements(x[:, 1][sc.tensor(i)]) == a[:, 1][i].tobytes()
    assert elements(x.t()[:, sc.tensor(i)]) == np.ascontiguousarray(a.T[:, i]).tobytes()
    wide = np.resize(a, (7, n + 1))  # indices that many passes share
    assert elements(sc.tensor(wide)[:, sc.tensor(i)]) == np.ascontiguousarray(wide[:, i]).tobytes()
    assert elements(sc.tensor(wide)[:, sc.tensor(i).int()]) == np.ascontiguousarray(wide[:, i]).tobytes()
    with pytest.raises(IndexError, match="out of bounds for dimension 1"):
        sc.tensor(wide)[:, sc.tensor(np.append(i, n + 1))]
    mask = a[:, 0].real > 99
    assert elements(x[sc.tensor(mask)]) == a[mask].tobytes()
    assert elements(x[sc.tensor(a.real > 99)]) == a[a.real > 99].tobytes()


def test_threads_that_change_an_index_while_it_is_read():
    import threading

    x, i = sc.zeros(100, 3), sc.zeros(200000, dtype=LONG)
    stop = threading.Event()

    def meddle():
        while not stop.is_set():
            i.fill_(10**12)
            i.fill_(0)

    thread = threading.Thread(target=meddle)
    thread.start()
    try:
        for _ in range(50):
            for act in (lambda: x[i], lambda: x.__setitem__(i, 1.0), lambda: x.index_select(0, i)):
                with suppress(IndexError):
                    act()
    finally:
        stop.set()
        thread.join()
