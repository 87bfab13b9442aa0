"""cat, stack and their kin: results, layouts, dtypes, out= and errors, by eye and beside torch."""

import threading
from functools import partial

import pytest
from against import both, convert, name_of, same, same_outcome

import stridecore as sc

DTYPES = "float32 float64 int64 int32 uint8 bool float16 bfloat16 complex64".split()


# ---- by eye ---------------------------------------------------------------------------------------------------


def test_cat_along_each_dim():
    x, y = sc.arange(2).view(1, 2), sc.tensor([[7, 8], [9, 10]])
    assert sc.cat([x, y]).tolist() == [[0, 1], [7, 8], [9, 10]]
    assert sc.cat((x.t(), y), 1).tolist() == [[0, 7, 8], [1, 9, 10]]
    assert sc.cat((x.t(), y), dim=-1).tolist() == sc.concat((x.t(), y), axis=1).tolist()
    assert sc.concatenate([x, x], axis=0).tolist() == [[0, 1], [0, 1]]


def test_stack_along_each_dim():
    x, y = sc.arange(2), sc.tensor([5, 6])
    assert sc.stack([x, y]).tolist() == [[0, 1], [5, 6]]
    assert sc.stack([x, y], 1).tolist() == sc.stack([x, y], dim=-1).tolist() == [[0, 5], [1, 6]]
    assert sc.stack([sc.tensor(1), sc.tensor(2)]).tolist() == [1, 2]


def test_dtypes_promote():
    assert sc.cat([sc.zeros(1, dtype=sc.int32), sc.zeros(1, dtype=sc.float16)]).dtype is sc.float16
    assert sc.stack([sc.zeros(1, dtype=sc.uint8), sc.zeros(1, dtype=sc.int8)]).dtype is sc.int16
    assert sc.cat([sc.zeros(0, dtype=sc.float64), sc.zeros(1)]).dtype is sc.float64


def test_pieces_keep_their_values_from_any_layout():
    x = sc.arange(6).view(2, 3)
    z = sc.tensor([1 + 2j])
    assert sc.cat([x[:, ::-1], x[:, ::-1]]).tolist()[0] == [2, 1, 0]
    assert sc.cat([z.conj(), z, z.conj()._neg_view()]).tolist() == [1 - 2j, 1 + 2j, -1 + 2j]
    assert not sc.cat([z.conj()]).is_conj()
    assert sc.cat([sc.arange(2).expand(3, 2), x[:1, :2]]).tolist() == [[0, 1]] * 4


def test_the_result_is_no_view():
    for result in (sc.cat([sc.zeros(2)]), sc.stack([sc.zeros(2)] * 2)):
        assert not result._is_view() and result._base is None


def test_the_stacks():
    x, y = sc.arange(2), sc.tensor([5, 6])
    assert sc.hstack([x, y]).tolist() == [0, 1, 5, 6]
    assert sc.vstack([x, y]).tolist() == sc.row_stack([x, y]).tolist() == [[0, 1], [5, 6]]
    assert sc.column_stack([x, y]).tolist() == [[0, 5], [1, 6]]
    assert sc.dstack([x, y]).tolist() == [[[0, 5], [1, 6]]]


def test_out():
    x, out = sc.arange(2), sc.zeros(0)
    assert sc.cat([x, x], out=out) is out and out.tolist() == [0, 1, 0, 1] and out.dtype is sc.float32
    assert sc.stack([x, x], 1, out=out) is out and out.tolist() == [[0, 0], [1, 1]]
    kept = sc.zeros(2, 2).t()
    sc.stack([x, x], out=kept)
    assert kept.stride() == (1, 2) and kept.tolist() == [[0, 1], [0, 1]]


def test_out_that_overlaps_a_piece_is_refused_and_nothing_changes():
    x = sc.arange(6)
    empty = x[:0]
    for pieces, out in (([x[:2], x[2:4]], x[:4]), ([x[::2], x[::2]], x), ([x[:2], x[2:4]], empty)):
        with pytest.raises(RuntimeError, match="single memory location"):
            sc.cat(pieces, out=out)
    assert x.tolist() == [0, 1, 2, 3, 4, 5] and empty.shape == (0,)
    y = sc.zeros(8)
    assert sc.cat([y[0::2], y[0::2]], out=y[1::2].new_zeros(8)).shape == (8,)
    assert sc.cat([sc.ones(2), y[0:4:2]], out=y[1::2]).tolist() == [1, 1, 0, 0]
    with pytest.raises(RuntimeError, match="more than one element"):
        sc.cat([sc.zeros(1, 3)] * 2, out=sc.zeros(3).expand(2, 3))


def test_errors_tell_the_sizes():
    for call, error, words in (
        (lambda: sc.cat([]), ValueError, "non-empty"),
        (lambda: sc.stack([]), RuntimeError, "non-empty"),
        (lambda: sc.cat([sc.zeros(2, 3), sc.zeros(2, 4)]), RuntimeError, r"\[2, 3\] and \[2, 4\]"),
        (lambda: sc.cat([sc.zeros(2, 3), sc.zeros(2)]), RuntimeError, "got 2 and 1"),
        (lambda: sc.cat([sc.zeros(()), sc.zeros(2)]), RuntimeError, "zero-dimensional"),
        (lambda: sc.stack([sc.zeros(2), sc.zeros(3)]), RuntimeError, r"\[2\] at entry 0 and \[3\] at entry 1"),
        (lambda: sc.cat([sc.zeros(2), 5]), TypeError, "element 1"),
        (lambda: sc.cat(sc.zeros(3, 2)), TypeError, "tuple of Tensors"),
        (lambda: sc.cat([sc.zeros(2)], out=sc.zeros(2, dtype=sc.int64)), TypeError, "float32"),
        (lambda: sc.cat([sc.zeros(2)], 1, axis=0), TypeError, "dim and axis"),
        (lambda: sc.cat([sc.zeros(2)], 1), IndexError, "got 1"),
    ):
        with pytest.raises(error, match=words):
            call()


def test_a_storage_that_shrank_is_an_error():
    x = sc.zeros(4)
    x.untyped_storage().resize_(8)
    with pytest.raises(RuntimeError):
        sc.cat([sc.zeros(2), x])


def test_subclasses_stay():
    class Mine(sc.Tensor):
        __slots__ = ()

    x = sc.zeros(2).as_subclass(Mine)
    assert type(sc.cat([x, x])) is type(sc.stack([x, x])) is Mine


def test_sizes_that_do_not_fit_are_errors():
    huge = sc.zeros(1).expand(2**40, 2**10)
    for call, error in (
        (lambda: sc.cat([huge, huge]), RuntimeError),
        (lambda: sc.stack([huge, huge], 1), RuntimeError),
        (lambda: sc.cat([sc.zeros(0, 2**62)] * 2, 1), RuntimeError),
        (lambda: sc.stack([sc.zeros((1,) * 64)] * 2), ValueError),
        (lambda: sc.stack([sc.zeros((1,) * 64)] * 2, -1), ValueError),
    ):
        with pytest.raises(error):
            call()
    assert sc.cat([sc.zeros((1,) * 64)] * 2, 63).numel() == 2


def test_pieces_that_other_threads_resize_are_an_error_at_worst():
    pieces, stop = [sc.zeros(200, 300) for _ in range(4)], threading.Event()

    def resize():
        while not stop.is_set():
            for x in pieces:
                x.resize_(200, 10)
                x.resize_(200, 300)

    threads = [threading.Thread(target=resize) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for i in range(400):
            for function in (sc.cat, sc.stack):
                try:
                    assert function(pieces, i % 2).shape[0] in (2, 4, 200, 800)
                except RuntimeError as error:
                    assert "size" in str(error)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


# ---- beside torch ---------------------------------------------------------------------------------------------

EXPRESSIONS = """
lib.cat([a]) | lib.cat([a, a]) | lib.cat([a, a], 1) | lib.cat([a, a], -3) | lib.cat([a, a], 3) | lib.cat([a, a], -4)
lib.stack([a, a]) | lib.stack([a, a], 1) | lib.stack([a, a], 3) | lib.stack([a, a], -1) | lib.stack([a, a], 4)
lib.cat([c, c]) | lib.cat([c, c], 1) | lib.cat([c, c], 3) | lib.cat([c, c.contiguous()]) | lib.cat([c, e])
lib.stack([c, c]) | lib.stack([c, c], 1) | lib.stack([c, c], 2) | lib.stack([c, c], 4) | lib.cat([e, c])
lib.cat([v, v]) | lib.cat([v, v], 4) | lib.stack([v, v]) | lib.stack([v, v], 5) | lib.stack([a, a], 0).contiguous()
lib.cat([e, a]) | lib.cat([a, e], 2) | lib.cat([e, e]) | lib.cat([e, e], 5) | lib.stack([e, e]) | lib.stack([e, e], 1)
lib.cat([z, z]) | lib.cat([z, z], 1) | lib.stack([z, z], 1) | lib.cat([z, a]) | lib.cat([s, s]) | lib.stack([s, s])
lib.stack([s, s], 1) | lib.stack([s, a]) | lib.cat([a[:1], a[1:]]) | lib.cat([a.permute(2, 0, 1)] * 2, 1)
lib.stack([a.permute(2, 0, 1)] * 2, 1) | lib.cat([a, a.double()]) | lib.cat([a.int(), a]) | lib.cat([a.bool(), a])
lib.stack([a.permute(1, 2, 0)] * 2, 3) | lib.cat([c[:, :1], c[:, :1]]) | lib.cat([c[:, :1], c[:, 1:]], 1)
lib.cat([c[:, :, :1, :1]] * 2) | lib.cat([lib.zeros(2, 1, 4, 5)] * 2) | lib.cat([c[:1], c[:1]])
lib.cat([c[..., ::2]] * 2) | lib.hstack([a, a]) | lib.hstack([a[0, 0], a[0, 1]]) | lib.hstack([s, s])
lib.vstack([s, s]) | lib.vstack([a[0, 0]] * 2) | lib.dstack([a, a]) | lib.dstack([a[0], a[0]]) | lib.dstack([s, s])
lib.dstack([a[0, 0]] * 2) | lib.row_stack([a, a]) | lib.column_stack([a[0, 0], a[0, 1]]) | lib.column_stack([s, s])
lib.column_stack([a, a[0]]) | lib.hstack([]) | lib.vstack([]) | lib.dstack([]) | lib.column_stack([])
lib.hstack([a[0, 0], a]) | lib.hstack([a, s]) | lib.hstack(a) | lib.cat([a, a], 1.0) | lib.cat([a, a], 'x')
lib.cat([a, a], True) | lib.cat([a], None) | lib.cat([[1.0]]) | lib.cat(a, 0) | lib.cat([a, None])
lib.cat((x for x in [a])) | lib.cat([a, a], dim=0, out=5) | lib.cat(tensors=[a, a], dim=1)
lib.stack(tensors=[a, a], dim=1) | lib.cat([a.half(), a.bfloat16()]) | lib.cat([a.to(lib.uint16), a.int()])
lib.cat([a.to(lib.float8_e5m2)] * 2) | lib.cat([a.to(lib.float8_e5m2), a]) | lib.cat([a.cfloat().conj(), a])
lib.cat([])
"""


@pytest.mark.parametrize("code", [code.strip() for line in EXPRESSIONS.strip().split("\n") for code in line.split("|")])
def test_layouts_and_errors_are_torchs(torch, quiet, code):
    both(
        code,
        torch,
        a=lambda lib: lib.arange(24, dtype=lib.float32).reshape(2, 3, 4),
        c=lambda lib: lib.arange(120.0).reshape(2, 3, 4, 5).contiguous(memory_format=lib.channels_last),
        v=lambda lib: lib.zeros(2, 3, 2, 2, 2).contiguous(memory_format=lib.channels_last_3d),
        e=lambda lib: lib.zeros(0),
        z=lambda lib: lib.zeros(2, 0, 4),
        s=lambda lib: lib.tensor(5.0),
    )


@pytest.mark.parametrize("out", ["float32", "float64", "int64", "complex64", "bool", "float16"])
@pytest.mark.parametrize("shape", [(0,), (4, 3), (3, 4), (2, 6), (1,)])
def test_out_is_torchs(torch, quiet, out, shape):
    for code in (
        "lib.cat([a, a], out=out)",
        "lib.cat([a, a], 1, out=out.t())",
        "lib.stack([a, a], 1, out=out)",
        "lib.hstack([a, a], out=out)",
        "lib.vstack([a, a[0]], out=out)",
        "lib.column_stack([a, a], out=out)",
        "lib.dstack([a, a], out=out)",
        "lib.cat([c, c], out=out)",
    ):
        both(
            code,
            torch,
            a=lambda lib: lib.arange(6, dtype=lib.float32).view(2, 3),
            c=lambda lib: lib.zeros(2, 3, 2, 2).contiguous(memory_format=lib.channels_last),
            out=lambda lib: lib.zeros(shape, dtype=getattr(lib, out)),
        )


def random_layout(rng, torch, shape, dtype):
    """A tensor of this shape and random values, laid out in a random way."""
    ndim = len(shape)
    order = rng.sample(range(ndim), ndim)
    steps = [rng.choice((1, 1, 2)) for _ in shape]
    made = [shape[d] * steps[d] for d in order]
    x = torch.arange(max(1, torch.Size(made).numel())).sub(5)[: torch.Size(made).numel()].view(made)
    x = x.to(getattr(torch, dtype))
    x = x.permute([order.index(d) for d in range(ndim)])
    for d in range(ndim):
        x = x[(slice(None),) * d + (slice(None, None, steps[d]),)]
    if ndim and rng.random() < 0.2:
        d = rng.randrange(ndim)
        if shape[d]:
            x = x.narrow(d, 0, 1).expand(shape)
    if rng.random() < 0.2 and ndim in (4, 5):
        x = x.contiguous(memory_format=torch.channels_last if ndim == 4 else torch.channels_last_3d)
    return x


def test_random_pieces_are_joined_as_torch_joins_them(torch, quiet, rng, report):
    counts = {}
    for _ in range(500):
        ndim = rng.randrange(1, 6)
        shape = [rng.choice((0, 1, 2, 3, 3, 4)) for _ in range(ndim)]
        dim = rng.randrange(-ndim, ndim)
        function = rng.choice(("cat", "stack"))
        mixed = rng.random() < 0.3
        dtype = rng.choice(DTYPES)
        pieces = []
        for _ in range(rng.randrange(1, 5)):
            sizes = list(shape)
            if function == "cat":
                sizes[dim] = rng.choice((0, 1, 2, 5))
            pieces.append(random_layout(rng, torch, sizes, rng.choice(DTYPES) if mixed else dtype))
        if function == "cat" and rng.random() < 0.1:
            pieces.insert(rng.randrange(len(pieces) + 1), torch.zeros(0))
        mine = [convert(t, sc) for t in pieces]
        same_outcome(partial(getattr(sc, function), mine, dim), partial(getattr(torch, function), pieces, dim))
        counts[function] = counts.get(function, 0) + 1
    report("joined at random", [f"{name}: {n}" for name, n in counts.items()])


def test_large_pieces(torch, rng):
    for dim in (0, 1, 2):
        first = torch.randint(0, 99, (40, 50, 60)).permute(rng.sample(range(3), 3))
        pieces = [first, first.clone().int(), first.double()]
        mine = [convert(t, sc) for t in pieces]
        same(sc.cat(mine, dim), torch.cat(pieces, dim))
        same(sc.stack(mine, dim), torch.stack(pieces, dim))


def test_negative_strides():
    x = sc.arange(24).view(2, 3, 4)
    y = x[:, ::-1, ::-2]
    assert sc.cat([y, y], 1).tolist() == sc.cat([y.clone(), y.clone()], 1).tolist()
    assert sc.stack([y, y], -1).tolist() == sc.stack([y.clone(), y.clone()], -1).tolist()


def test_every_dtype_joins(torch):
    for name in "float8_e4m3fn float8_e8m0fnu uint16 uint32 uint64 complex32 complex128 int8 int16".split():
        x = sc.arange(4).to(sc.float32).to(getattr(sc, name))
        assert name_of(sc.cat([x, x]).dtype) == name and sc.cat([x, x])[4:].tolist() == x.tolist()
