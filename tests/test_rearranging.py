"""repeat, flip, roll, triangles, diagonals and grids: by eye, and results, layouts and errors beside torch."""

import pytest
from against import both, convert, same

import stridecore as sc

# ---- by eye ---------------------------------------------------------------------------------------------------

M = [[1, 2, 3], [4, 5, 6]]


@pytest.fixture
def m():
    return sc.tensor(M)


def test_repeat_and_tile(m):
    assert m.repeat(1, 2).tolist() == [[1, 2, 3, 1, 2, 3], [4, 5, 6, 4, 5, 6]]
    assert m.repeat((2, 1)).tolist() == m.repeat(repeats=[2, 1]).tolist() == M + M
    assert m.repeat(2, 1, 1).tolist() == [M, M] and m.repeat(0, 1).shape == (0, 3)
    assert m.tile(2).tolist() == sc.tile(m, (2,)).tolist() == m.repeat(1, 2).tolist()
    assert m.t().repeat(1, 1).stride() == (2, 1) and m.repeat(1, 1) is not m
    assert sc.zeros(()).repeat(3).tolist() == [0, 0, 0]


def test_repeat_interleave(m):
    assert m.repeat_interleave(2).tolist() == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    assert m.repeat_interleave(2, 0).tolist() == [M[0], M[0], M[1], M[1]]
    assert sc.repeat_interleave(m, sc.tensor([2, 0, 1]), dim=1).tolist() == [[1, 1, 3], [4, 4, 6]]
    assert sc.repeat_interleave(sc.tensor([0, 2, 1])).tolist() == [1, 1, 2]


def test_flip(m):
    assert m.flip(0).tolist() == m.flipud().tolist() == sc.flipud(m).tolist() == [[4, 5, 6], [1, 2, 3]]
    assert m.flip(0, 1).tolist() == sc.flip(m, (-1, 0)).tolist() == [[6, 5, 4], [3, 2, 1]]
    assert m.fliplr().tolist() == m[:, ::-1].tolist() == [[3, 2, 1], [6, 5, 4]]
    assert m[:, ::-1].flip(1).tolist() == M and m[:, ::-1].flip(1).stride() == (3, 1)


def test_roll_and_rot90(m):
    assert m.roll(1).tolist() == [[6, 1, 2], [3, 4, 5]]
    assert m.roll(1, 1).tolist() == m.roll(-2, 1).tolist() == sc.roll(m, (4,), (1,)).tolist() == [[3, 1, 2], [6, 4, 5]]
    assert m.roll((1, -1), (0, 1)).tolist() == [[5, 6, 4], [2, 3, 1]]
    assert m.rot90().tolist() == [[3, 6], [2, 5], [1, 4]] and m.rot90(-1).tolist() == [[4, 1], [5, 2], [6, 3]]
    assert m.rot90(2).tolist() == [[6, 5, 4], [3, 2, 1]] and m.rot90(4).tolist() == M


def test_triangles(m):
    assert m.tril().tolist() == [[1, 0, 0], [4, 5, 0]] and m.triu().tolist() == [[1, 2, 3], [0, 5, 6]]
    assert m.tril(1).tolist() == [[1, 2, 0], [4, 5, 6]] and m.triu(-1).tolist() == M
    assert m.triu(9).tolist() == [[0] * 3] * 2
    assert m.t().tril().tolist() == [[1, 0], [2, 5], [3, 6]] and m.tril(-2**70).tolist() == [[0] * 3] * 2
    assert m[:, ::-1].triu().tolist() == [[3, 2, 1], [0, 5, 4]]
    assert m.tril_() is m and m.tolist() == [[1, 0, 0], [4, 5, 0]]
    assert sc.tril(m, out=m) is m and m.triu_(1).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert sc.tril_indices(2, 3).tolist() == [[0, 1, 1], [0, 0, 1]]
    assert sc.triu_indices(2, 3, 1, dtype=sc.int32).tolist() == [[0, 0, 1], [1, 2, 2]]


def test_a_triangle_of_what_overlaps_itself_or_is_read_only_is_refused():
    import numpy as np

    with pytest.raises(RuntimeError, match="more than one element"):
        sc.ones(3).expand(3, 3).tril_()
    array = np.ones((2, 2))
    array.flags.writeable = False
    with pytest.raises(RuntimeError, match="read-only"):
        sc.from_numpy(array).triu_()


def test_triangles_of_conjugates():
    x = sc.tensor([[1 + 2j, 3j], [4j, 5 - 1j]])
    assert x.conj().tril().tolist() == [[1 - 2j, 0], [-4j, 5 + 1j]]
    assert x.conj().triu_().tolist() == [[1 - 2j, -3j], [0, 5 + 1j]] and x.tolist()[1] == [0, 5 - 1j]


def test_diagonals(m):
    assert sc.diag(sc.tensor([1, 2]), -1).tolist() == [[0, 0, 0], [1, 0, 0], [0, 2, 0]]
    assert m.diag(1).tolist() == [2, 6] and m.diag()._base is None and sc.diagflat(m).shape == (6, 6)
    assert sc.diag_embed(m).tolist()[1] == [[4, 0, 0], [0, 5, 0], [0, 0, 6]]
    assert sc.block_diag(m, sc.tensor(7), sc.tensor([8, 9])).tolist() == [
        [1, 2, 3, 0, 0, 0], [4, 5, 6, 0, 0, 0], [0, 0, 0, 7, 0, 0], [0, 0, 0, 0, 8, 9],
    ]
    x = sc.tensor([1, 2])
    with pytest.raises(RuntimeError, match="clone"):
        sc.diag(x, out=x)
    assert x.tolist() == [1, 2]


def test_grids():
    a, b = sc.tensor([1, 2]), sc.tensor([5, 6, 7])
    x, y = sc.meshgrid(a, b, indexing="xy")
    assert x.tolist() == [[1, 2]] * 3 and y.tolist() == [[5, 5], [6, 6], [7, 7]] and x._base is a
    assert sc.cartesian_prod(a, b).tolist() == [[1, 5], [1, 6], [1, 7], [2, 5], [2, 6], [2, 7]]
    assert sc.combinations(b).tolist() == [[5, 6], [5, 7], [6, 7]]
    assert sc.combinations(a, 2, with_replacement=True).tolist() == [[1, 1], [1, 2], [2, 2]]
    with pytest.warns(UserWarning, match="indexing"):
        sc.meshgrid(a, b)


# ---- beside torch ---------------------------------------------------------------------------------------------

EXPRESSIONS = """
lib.tril(cl)
lib.triu(a.permute(2, 1, 0))
lib.tril(a[0].t())
lib.tril(lib.zeros(3))
lib.tril(lib.zeros(()))
lib.tril(a, 1.0)
lib.tril(a, True)
a[0].expand(3, 4).tril_()
lib.tril(a, diagonal=lib.tensor(1))
lib.tril(a, out=lib.zeros(0))
lib.tril(a, out=lib.zeros(0, dtype=lib.float64))
lib.tril(a, out=lib.zeros(4, 3, 2).permute(2, 1, 0))
lib.tril_indices(3, 4)
lib.tril_indices(3, 4, 1)
lib.tril_indices(-3, 4)
lib.tril_indices(3, -4)
lib.tril_indices(0, 4)
lib.tril_indices(3, 4, dtype=lib.int32)
lib.tril_indices(3., 4)
lib.triu_indices(3, 4, -1)
lib.diag(lib.zeros(3))
lib.diag(a[0].t(), 1)
lib.diag(a)
lib.diag(lib.zeros(()))
lib.diag(lib.zeros(3), 1, out=lib.zeros(0))
lib.diag(a[0], -5)
lib.diag(a[0], out=lib.zeros(0, dtype=lib.float64))
lib.diag(lib.zeros(3), out=lib.zeros(0, dtype=lib.int64))
lib.diag_embed(a)
lib.diag_embed(a, 1, 0, 2)
lib.diag_embed(a, 1, 0, 0)
lib.diag_embed(lib.zeros(()))
lib.diag_embed(a, 1, 5, 2)
lib.diagflat(a, 1)
lib.diagflat(lib.zeros(()))
lib.block_diag()
lib.block_diag(lib.zeros(2, 3), lib.zeros(2), lib.zeros(()), lib.tensor(1, dtype=lib.float64))
lib.block_diag(lib.zeros(2, 3), lib.zeros(2, dtype=lib.int64))
lib.block_diag(lib.zeros(2, 3, 4))
lib.block_diag([lib.zeros(2)])
lib.block_diag(lib.zeros(2, 3), 5)
lib.block_diag(lib.zeros(0), lib.zeros(2))
lib.meshgrid(lib.zeros(2), lib.zeros(3))
lib.meshgrid(lib.zeros(2), lib.zeros(3), indexing='ij')[0]
lib.meshgrid(lib.zeros(2), lib.zeros(3), indexing='xy')[0]
lib.meshgrid([lib.zeros(2), lib.zeros(3)], indexing='xy')[1]
lib.meshgrid(lib.zeros(2), lib.zeros(3), lib.zeros(4), indexing='xy')[2]
lib.meshgrid(lib.zeros(2), indexing='xy')[0]
lib.meshgrid(lib.zeros(()), lib.zeros(2), indexing='xy')[0]
lib.meshgrid(lib.zeros(2), lib.zeros(3), indexing='ab')
lib.meshgrid()
lib.meshgrid(lib.zeros(2, 2))
lib.meshgrid(lib.zeros(2), lib.zeros(2, dtype=lib.int64))
lib.meshgrid(lib.zeros(2), 5)
lib.cartesian_prod()
lib.cartesian_prod(lib.zeros(2))
lib.cartesian_prod(lib.zeros(2), lib.zeros(3))
lib.cartesian_prod(lib.zeros(2, 2))
lib.cartesian_prod(lib.zeros(2), lib.zeros(2, 2))
lib.cartesian_prod(lib.zeros(2), lib.zeros(2, dtype=lib.int64))
lib.cartesian_prod([lib.zeros(2), lib.zeros(2)])
lib.cartesian_prod(lib.zeros(0), lib.zeros(2))
lib.combinations(lib.zeros(3))
lib.combinations(lib.zeros(3), 0)
lib.combinations(lib.zeros(3), 1)
lib.combinations(lib.zeros(3), 4)
lib.combinations(lib.zeros(3), -1)
lib.combinations(lib.zeros(3), 2, True)
lib.combinations(lib.zeros(3, 2))
lib.combinations(lib.zeros(()))
lib.combinations(lib.zeros(3), 2.)
lib.zeros(2).repeat()
lib.zeros(()).repeat()
lib.zeros(()).repeat(())
lib.zeros(2, 3).repeat(2)
lib.zeros(2, 3).repeat(2, 2, 2)
lib.zeros(2, 3).repeat(-1, 2)
lib.zeros(2, 3).repeat(0, 2)
lib.zeros(2, 3).repeat((2, 1))
lib.zeros(2, 3).repeat([2, 1])
lib.zeros(2, 3).repeat(repeats=(2, 1))
lib.zeros(2, 3).repeat(1., 2)
lib.zeros(2, 3).repeat(lib.tensor(1), 2)
cl.repeat(1, 1, 1, 1)
lib.zeros(3, 2).t().repeat(1, 2)
lib.zeros(2, 3).tile(2)
lib.zeros(2, 3).tile()
lib.tile(lib.zeros(2, 3), ())
lib.tile(lib.zeros(2, 3), 2)
lib.tile(lib.zeros(2, 3), (2, ))
lib.tile(lib.zeros(2, 3), dims=(2, ))
lib.zeros(2).expand(3, 2).tile(2, 2)
a.repeat_interleave(2)
a.repeat_interleave(2, 1)
a.permute(2, 0, 1).repeat_interleave(2, 1)
cl.repeat_interleave(2, 1)
cl.repeat_interleave(lib.tensor(2), 1)
cl.repeat_interleave(lib.tensor([2]), 1)
cl.repeat_interleave(lib.tensor([1, 2, 0]), 1)
cl.repeat_interleave(lib.tensor([1, 2, 0, 1]), 1)
cl.repeat_interleave(lib.tensor([1, 2, 0.]), 1)
cl.repeat_interleave(lib.tensor([1, -2, 0]), 1)
cl.repeat_interleave(-1, 1)
cl.repeat_interleave(1.0, 1)
cl.repeat_interleave(True, 1)
cl.repeat_interleave([1, 2, 0], 1)
cl.repeat_interleave(2, 7)
lib.repeat_interleave(lib.tensor([1, 2, 0]))
lib.repeat_interleave(lib.tensor([1, 2, 0], dtype=lib.int32))
lib.repeat_interleave(lib.tensor([[1, 2, 0]]))
lib.repeat_interleave(lib.tensor(3))
lib.repeat_interleave(lib.tensor([1, 2, 0]), output_size=3)
lib.repeat_interleave(lib.tensor([1, 2, 0]), output_size=4)
lib.repeat_interleave(lib.tensor([1, 2, 0]), output_size=2)
lib.repeat_interleave(lib.tensor([1., 2, 0]))
lib.repeat_interleave(lib.tensor([True, False]))
lib.repeat_interleave(lib.tensor([1, 2], dtype=lib.uint8))
lib.repeat_interleave(a, 2, output_size=48)
lib.repeat_interleave(a, 2, output_size=47)
lib.repeat_interleave(a, lib.tensor([1, 2]), 0, output_size=3)
lib.repeat_interleave(a, lib.tensor([1, 2]), 0, output_size=4)
lib.repeat_interleave(a, lib.tensor([1, 2], dtype=lib.int32), dim=0)
lib.repeat_interleave(lib.zeros(()), 3)
lib.repeat_interleave(lib.zeros(()), 3, 0)
lib.repeat_interleave(lib.zeros(()), lib.tensor(3), 0)
lib.repeat_interleave(input=a, repeats=2, dim=0)
lib.repeat_interleave(repeats=lib.tensor([1, 2]))
lib.repeat_interleave(lib.zeros(2, 0), 2, 1)
lib.flip(a, (0, ))
lib.flip(a, 0)
lib.flip(a, ())
lib.flip(a, (0, 0))
lib.flip(a, (0, -3))
lib.flip(a, (5, ))
a.flip(0, 1)
a.flip()
a.flip([0, 1])
a.flip(dims=(0, ))
a.flip(0.)
cl.flip(1)
a.permute(2, 0, 1).flip(0)
a[:, ::2].flip(0)
lib.zeros(3).expand(2, 3).flip(0)
lib.zeros(()).flip(0)
lib.zeros(()).flip(())
a.fliplr()
lib.zeros(3).fliplr()
lib.zeros(()).flipud()
a.flipud()
lib.roll(a, 1)
lib.roll(a, 1, 0)
lib.roll(a, (1, ), (0, ))
lib.roll(a, (1, 2), (0, 1))
lib.roll(a, (1, 2), (0, ))
lib.roll(a, 1, (0, 1))
lib.roll(a, (1, 2), 0)
lib.roll(a, (1, 2))
lib.roll(a, ())
lib.roll(a, (), ())
lib.roll(cl, 1, 1)
lib.roll(cl, 0, 1)
lib.roll(cl, 1, 0)
lib.roll(cl, (1, 1), (2, 3))
lib.roll(cl, (1, 0), (2, 3))
lib.roll(a.permute(2, 0, 1), 1, 0)
lib.roll(a.permute(2, 0, 1), 1)
lib.roll(a, 1, 5)
lib.roll(a, 1., 0)
lib.roll(lib.zeros(()), 1)
lib.roll(lib.zeros(()), 1, 0)
lib.roll(lib.zeros(2, 0), 1, 0)
lib.roll(lib.zeros(2, 0), 1)
lib.roll(lib.zeros(0, 2).t(), 1, 0)
a.roll(shifts=1, dims=0)
lib.roll(a, 1, (0, 0))
lib.roll(a, (1, 1), (0, 0))
lib.roll(a, 2**62, 0)
lib.rot90(a)
lib.rot90(a, 2)
lib.rot90(a, 3)
lib.rot90(a, 4)
lib.rot90(a, -1, (1, 2))
lib.rot90(a.permute(2, 0, 1), 4)
lib.rot90(a, 1, (0, ))
lib.rot90(a, 1, (0, 0))
lib.rot90(a, 1, (0, -3))
lib.rot90(a, 1, (0, 5))
lib.rot90(lib.zeros(3))
lib.rot90(a, 1.)
lib.rot90(a, dims=[1, 2])
"""


@pytest.mark.parametrize("code", EXPRESSIONS.strip().split("\n"))
def test_as_torch_does_it(torch, quiet, code):
    both(
        code,
        torch,
        a=lambda lib: lib.arange(24.0).reshape(2, 3, 4),
        cl=lambda lib: lib.arange(120.0).reshape(2, 3, 4, 5).contiguous(memory_format=lib.channels_last),
    )


DTYPES = "float32 float64 int64 int8 uint8 bool float16 bfloat16 complex64".split()
SHAPES = [(), (1,), (5,), (0,), (3, 4), (4, 1), (0, 3), (2, 3, 4), (2, 1, 3), (2, 3, 2, 4), (2, 0, 3, 1)]
SHAPES += [(2, 2, 3, 2, 2)]


def laid_out(rng, torch, shape, dtype):
    """A tensor of this shape, permuted, stepped, expanded or channels_last at random."""
    kind = rng.choice(("plain", "permuted", "stepped", "expanded", "last"))
    x = torch.arange(torch.Size(shape).numel()).sub(3).view(shape).to(getattr(torch, dtype))
    if kind == "permuted" and len(shape) > 1:
        order = rng.sample(range(len(shape)), len(shape))
        x = x.permute(order).contiguous().permute([order.index(d) for d in range(len(shape))])
    if kind == "stepped" and len(shape):
        x = x.repeat_interleave(2, -1)[..., ::2]
    if kind == "expanded" and len(shape) and shape[0] > 0:
        x = x[:1].expand(shape)
    if kind == "last" and len(shape) in (4, 5):
        x = x.contiguous(memory_format=torch.channels_last if len(shape) == 4 else torch.channels_last_3d)
    return x


@pytest.mark.parametrize("dtype", DTYPES)
def test_random_layouts(torch, quiet, rng, dtype):
    for shape in SHAPES * 2:
        t = laid_out(rng, torch, shape, dtype)
        x, ndim = convert(t, sc), len(shape)
        times = [rng.randrange(3) for _ in range(ndim + rng.randrange(2))]
        if times:
            same(x.repeat(times), t.repeat(times))
            same(x.tile(*times[:2]), t.tile(*times[:2]))
        dims = rng.sample(range(ndim), rng.randrange(ndim + 1))
        same(x.flip(dims), t.flip(dims))
        shift = rng.randrange(-5, 6)
        same(x.roll(shift), t.roll(shift))
        if ndim:
            dim = rng.randrange(ndim)
            same(x.roll(shift, dim), t.roll(shift, dim))
            shifts = [rng.randrange(-5, 6) for _ in dims]
            if dims:
                same(x.roll(shifts, dims), t.roll(shifts, dims))
            same(x.repeat_interleave(2, dim), t.repeat_interleave(2, dim))
            counts = torch.tensor([rng.randrange(3) for _ in range(shape[dim])], dtype=torch.int64)
            same(x.repeat_interleave(convert(counts, sc), dim), t.repeat_interleave(counts, dim))
            same(sc.diag_embed(x, shift), torch.diag_embed(t, shift))
        same(x.repeat_interleave(3), t.repeat_interleave(3))
        same(x.diagflat(shift), t.diagflat(shift))
        if ndim >= 2:
            same(x.tril(shift), t.tril(shift))
            same(x.triu(shift), t.triu(shift))
            a, b = rng.sample(range(ndim), 2)
            same(x.rot90(shift, (a, b)), t.rot90(shift, (a, b)))
        if ndim in (1, 2):
            same(x.diag(shift), t.diag(shift))
            others = [laid_out(rng, torch, s, rng.choice(DTYPES)) for s in ((2, 3), (2,), ())]
            same(sc.block_diag(x, *[convert(o, sc) for o in others]), torch.block_diag(t, *others))


def test_index_triangles(torch, rng):
    for _ in range(100):
        arguments = rng.randrange(6), rng.randrange(6), rng.randrange(-8, 9)
        same(sc.tril_indices(*arguments), torch.tril_indices(*arguments))
        same(sc.triu_indices(*arguments), torch.triu_indices(*arguments))


def test_random_grids(torch, rng):
    for _ in range(40):
        vectors = [torch.arange(rng.randrange(5))[:: rng.choice((1, 2))] for _ in range(rng.randrange(1, 4))]
        mine = [convert(v, sc) for v in vectors]
        for indexing in ("ij", "xy"):
            grids = torch.meshgrid(vectors, indexing=indexing)
            for x, t in zip(sc.meshgrid(*mine, indexing=indexing), grids, strict=True):
                same(x, t)
        if len(vectors) > 1:
            same(sc.cartesian_prod(*mine), torch.cartesian_prod(*vectors))
        for r in range(4):
            for repeats in (False, True):
                same(sc.combinations(mine[0], r, repeats), torch.combinations(vectors[0], r, repeats))


def test_reversed(torch):
    for x, t in ((sc.arange(6).view(2, 3), torch.arange(6).view(2, 3)), (sc.tensor(7), torch.tensor(7))):
        assert reversed(x).tolist() == reversed(t).tolist()
        assert reversed(x).stride() == reversed(t).stride()
    assert reversed(sc.arange(3)).tolist() == [2, 1, 0]
