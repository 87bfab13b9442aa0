"""Writes where memory overlaps: as if the source were copied first; refused where the target overlaps itself."""

import pytest

import stridecore as sc

N = 40


def layout(rng, most=3):
    """(size, stride, offset) within N elements; gaps, broadcasts and overlaps are all common."""
    size, stride, low, high = [], [], 0, 0
    for _ in range(rng.randint(0, most)):
        n, s = (
            rng.choice([1, 2, 3, 4, 0 if rng.random() < 0.1 else 2]),
            rng.choice([0, 1, 1, 2, 3, 4, 5, 8, -1, -2, -4]),
        )
        reach = s * (n - 1) if n else 0
        if high + max(reach, 0) - low - min(reach, 0) >= N:
            continue
        size.append(n)
        stride.append(s)
        low, high = low + min(reach, 0), high + max(reach, 0)
    return size, stride, rng.randint(-low, N - 1 - high)


def places(x):
    """The storage offset of every element, in logical order."""
    found = [x.storage_offset()]
    for n, s in zip(x.shape, x.stride(), strict=True):
        found = [p + i * s for p in found for i in range(n)]
    return found


def test_copies_within_one_storage(rng):
    """Against a model: a Python list as memory, the source read before the first element is written."""
    outcomes = {"copied": 0, "refused": 0, "overlapping": 0}
    for _ in range(6000):
        memory = list(range(N))
        x = sc.tensor(memory, dtype=rng.choice([sc.int8, sc.int16, sc.int32, sc.int64, sc.float64, sc.complex128]))
        size, stride, offset = layout(rng)
        target = x.as_strided(size, stride, offset)
        other = [s if rng.random() < 0.6 else rng.choice([0, 1, 2, -1, 3]) for s in stride]
        low = sum(min(s * (n - 1), 0) for n, s in zip(size, other, strict=True) if n)
        high = sum(max(s * (n - 1), 0) for n, s in zip(size, other, strict=True) if n)
        if high - low >= N:
            continue
        source = x.as_strided(size, other, rng.randint(-low, N - 1 - high))
        to, from_ = places(target), places(source)
        same_view = target.stride() == source.stride() and to == from_
        if len(set(to)) < len(to) and not same_view:
            with pytest.raises(RuntimeError):
                target.copy_(source)
            outcomes["refused"] += 1
        elif len(set(to)) == len(to):
            values = [memory[p] for p in from_]
            for p, v in zip(to, values, strict=True):
                memory[p] = v
            if rng.random() < 0.5:
                target.copy_(source)
            else:
                target[...] = source
            outcomes["copied"] += 1
            outcomes["overlapping"] += bool(set(to) & set(from_))
        assert x.tolist() == memory
    assert min(outcomes.values()) > 300, outcomes


def test_fills_of_targets_that_overlap_themselves(rng):
    for _ in range(1000):
        memory = list(range(N))
        x = sc.tensor(memory)
        target = x.as_strided(*layout(rng))
        target.fill_(-1)
        for p in places(target):
            memory[p] = -1
        assert x.tolist() == memory


def test_a_copy_of_another_dtype_over_the_same_bytes(rng):
    """Source and target are of different item sizes: still as if copied first."""
    for _ in range(500):
        x = sc.tensor([rng.randint(0, 100) for _ in range(16)], dtype=sc.int32)
        narrow = x.view(sc.int16)
        source = x[rng.randint(0, 8) :][:8]
        target = narrow[rng.randint(0, 24) :][:8]
        expected = source.tolist()
        target.copy_(source)
        assert target.tolist() == expected


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        ("x[1:] = x[:-1]", [0, 0, 1, 2, 3, 4, 5, 6]),
        ("x[:-1] = x[1:]", [1, 2, 3, 4, 5, 6, 7, 7]),
        ("x[2::2] = x[:-2:2]", [0, 1, 0, 3, 2, 5, 4, 7]),
        ("x[:] = x[::-1]", [7, 6, 5, 4, 3, 2, 1, 0]),
        ("x.view(2, 4)[:, 1:] = x.view(2, 4)[:, :-1]", [0, 0, 1, 2, 4, 4, 5, 6]),
        ("x[:4].view(2, 2).copy_(x[:4].view(2, 2).t())", [0, 2, 1, 3, 4, 5, 6, 7]),
        ("x[1:4] = x[0]", [0, 0, 0, 0, 4, 5, 6, 7]),
        ("x[:4] = x[2]", [2, 2, 2, 2, 4, 5, 6, 7]),
        ("x[:] = x[3:4]", [3, 3, 3, 3, 3, 3, 3, 3]),
        ("x.copy_(x)", [0, 1, 2, 3, 4, 5, 6, 7]),
    ],
)
def test_literal(write, expected):
    x = sc.arange(8)
    exec(write, {"x": x})
    assert x.tolist() == expected


def test_conjugates_in_place():
    x = sc.tensor([1 + 2j, 3 + 4j])
    x.copy_(x.conj())
    assert x.tolist() == [1 - 2j, 3 - 4j]
    x.conj()[0] = 5 + 6j
    assert x.tolist() == [5 - 6j, 3 - 4j]


@pytest.mark.parametrize(
    "target",
    ["x.expand(3, 4)", "x.as_strided((3, 2), (1, 1))", "x.unfold(0, 3, 1)", "x.as_strided((2, 2), (0, 1))"],
)
def test_refused_and_nothing_changed(target):
    x = sc.arange(4)
    y = eval(target, {"x": x})
    with pytest.raises(RuntimeError):
        y.copy_(sc.ones(y.shape, dtype=sc.int64))
    with pytest.raises(RuntimeError):
        y[...] = sc.ones(y.shape, dtype=sc.int64)
    assert x.tolist() == [0, 1, 2, 3]


def test_interleaved_dims_do_not_overlap():
    """Strides 2 and 3 over sizes 2 and 2 meet nowhere: allowed, although no simple bound says so."""
    x = sc.zeros(6, dtype=sc.int64)
    x.as_strided((2, 2), (2, 3)).copy_(sc.tensor([[1, 2], [3, 4]]))
    assert x.tolist() == [1, 0, 3, 2, 0, 4]
