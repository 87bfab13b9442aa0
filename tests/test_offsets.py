"""Where an element is: storage bytes at offset_of(index) * itemsize are the element, for every index of any view."""

import ctypes
import itertools

import pytest
from random_programs import roots
from random_programs.draw import Draw
from random_programs.operations import VIEWS, call
from random_programs.worlds import World

import stridecore as sc

READABLE = 150


def views(seed, steps=6):
    """Tensors of a random program of views, run in stridecore alone."""
    draw = Draw(seed)
    world = draw.world = World(sc)
    draw.evaluate = world.evaluate
    kinds = [op for op in VIEWS if op.form in ("method", "property") and not op.name.endswith("_")]
    pool = draw.pool
    pool.append(("t0", world.env.setdefault("t0", world.evaluate(roots.root(draw)))))
    for i in range(1, steps):
        name, x = draw.pick(pool)
        try:
            result = world.evaluate(call(draw, draw.pick(kinds), name, x))
        except Exception:
            continue
        found = result if isinstance(result, tuple | list) else [result]
        for j, t in enumerate(found):
            if isinstance(t, sc.Tensor) and t.numel() <= READABLE and max((0, *t.shape)) <= READABLE:
                world.env[f"t{i}_{j}"] = t
                pool.append((f"t{i}_{j}", t))
    return [x for _, x in pool if x.numel() <= READABLE]


def element(x):
    """The bytes of a 0-dim tensor without conjugate or negative bit."""
    return ctypes.string_at(x.data_ptr(), x.element_size())


def test_offset_of_finds_every_element(seed, quiet):
    looked = 0
    for number in range(300):
        for x in views(f"{seed}:{number}"):
            storage = x.untyped_storage()
            size = x.element_size()
            whole = ctypes.string_at(storage.data_ptr(), storage.nbytes()) if storage.nbytes() else b""
            for index in itertools.product(*map(range, x.shape)):
                at = x.offset_of(*index)
                assert at == x.storage_offset() + sum(i * s for i, s in zip(index, x.stride(), strict=True))
                assert whole[at * size : (at + 1) * size] == element(x[index])
                looked += 1
    assert looked > 10_000


def test_bytes_of_the_untyped_storage():
    x = sc.arange(24, dtype=sc.int32).view(2, 3, 4).permute(2, 0, 1)[1:, :, ::2]
    storage = x.untyped_storage()
    for index in itertools.product(*map(range, x.shape)):
        at = x.offset_of(*index) * x.itemsize
        assert int.from_bytes(bytes(storage[at + i] for i in range(4)), "little") == x[index].item()


def test_negative_steps():
    x = sc.arange(12).view(3, 4)[::-1, ::-2]
    assert x.offset_of(0, 0) == 11
    assert x.offset_of(2, 1) == 1
    assert x.storage_offset() == 11


@pytest.mark.parametrize("index", [(), (0,), (0, 0, 0), (3, 0), (0, 4), (-1, 0), (2**62, 0)])
def test_indices_out_of_range(index):
    with pytest.raises(IndexError):
        sc.zeros(3, 4).offset_of(*index)


def test_an_index_must_be_an_int():
    with pytest.raises(TypeError):
        sc.zeros(3, 4).offset_of(0, 1.0)


def test_a_zero_dim_tensor():
    assert sc.arange(5)[3].offset_of() == 3
