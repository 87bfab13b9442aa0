"""Who keeps whom alive: owners are released exactly once, nothing grows, pooled objects are as good as new."""

import array
import contextlib
import gc
import mmap
import random
import sys
import threading
import tracemalloc
import weakref

import numpy as np
import pytest
from against import SANITIZED

import stridecore as sc


def owned():
    """(tensor over a NumPy array, weak reference to the array)."""
    a = np.arange(12.0).reshape(3, 4)
    return sc.from_numpy(a), weakref.ref(a)


# --- owners


def test_an_array_lives_as_long_as_its_tensor():
    x, owner = owned()
    assert owner() is not None
    assert x[2, 3].item() == 11.0
    del x
    assert owner() is None


def test_a_view_keeps_the_owner():
    x, owner = owned()
    row = x.t()[1:][0]
    del x
    assert row.tolist() == [1.0, 5.0, 9.0]
    del row
    assert owner() is None


KEEPERS = ["untyped_storage", "storage", "numpy", "memoryview", "detach", "data", "view_as_real"]


@pytest.mark.parametrize("keeper", KEEPERS)
def test_whatever_holds_the_memory_holds_the_owner(keeper, quiet):
    x, owner = owned()
    if keeper == "memoryview":
        kept = memoryview(x)
    elif keeper == "view_as_real":
        kept = sc.view_as_real(x.view(sc.complex128))
    else:
        kept = getattr(x, keeper)
        kept = kept() if callable(kept) else kept
    del x
    assert owner() is not None
    del kept
    assert owner() is None


def test_every_order_of_letting_go(quiet):
    """A tensor, its storage, its typed storage, a view: the last one to go releases the owner, whichever it is."""
    from itertools import permutations

    for order in permutations(range(4)):
        x, owner = owned()
        held = [x, x.untyped_storage(), x.storage(), x[1]]
        del x
        for n, i in enumerate(order):
            assert owner() is not None
            held[i] = None
            assert (owner() is None) == (n == 3), order


def test_a_typed_storage_comes_back_after_it_was_let_go(quiet):
    x, owner = owned()
    for _ in range(3):
        face = x.storage()
        assert face[5] == 5.0
        assert x[1:].storage() is face
        del face
    del x
    assert owner() is None


def test_references_are_given_back_once():
    a = np.zeros(6)
    before = sys.getrefcount(a)
    tensors = [sc.from_numpy(a) for _ in range(10)]
    views = [x[1:] for x in tensors]
    assert sys.getrefcount(a) > before
    del tensors, views
    assert sys.getrefcount(a) == before


def test_a_map_can_be_closed_when_the_last_view_is_gone():
    memory = mmap.mmap(-1, 4096)
    x = sc.frombuffer(memory, dtype=sc.int32, count=8)[2:]
    x[0] = 7
    with pytest.raises(BufferError):
        memory.close()
    del x
    assert memory[8:12] == (7).to_bytes(4, sys.byteorder)
    memory.close()


def test_a_bytearray_can_grow_again_when_the_last_view_is_gone():
    data = bytearray(16)
    x = sc.frombuffer(data, dtype=sc.uint8)
    y = x.view(4, 4).t()
    del x
    with pytest.raises(BufferError):
        data.append(1)
    del y
    data.append(1)


def test_an_owner_that_takes_back_its_buffer_once():
    """The buffer of an exporter is released exactly once."""
    numbers = array.array("i", range(10))
    for _ in range(3):
        x = sc.frombuffer(numbers, dtype=sc.int32)
        del x
    numbers.append(10)


def test_a_failed_import_keeps_nothing():
    data = bytearray(10)
    with pytest.raises(ValueError):
        sc.frombuffer(data, dtype=sc.float32, offset=9)
    data.append(1)


def test_memory_shows_in_tracemalloc_and_goes():
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        x = sc.zeros(1000, 1000)
        assert tracemalloc.get_traced_memory()[0] - before >= 4_000_000
        y = x[10:].t()
        del x
        assert tracemalloc.get_traced_memory()[0] - before >= 4_000_000
        del y
        assert tracemalloc.get_traced_memory()[0] - before < 100_000
    finally:
        tracemalloc.stop()


def test_a_resized_storage_frees_what_it_had():
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        x = sc.zeros(1000)
        for n in (10_000, 100_000, 1_000_000):
            x.resize_(n)
        assert tracemalloc.get_traced_memory()[0] - before < 4_200_000
    finally:
        tracemalloc.stop()


# --- _base


def test_a_view_holds_its_root_and_nothing_between():
    class Tensor(sc.Tensor):
        pass

    assert Tensor(4)._base is None
    a = Tensor(4, 4)
    b = a[1:]
    c = b[1:]
    between = weakref.ref(b)
    assert c._base is a
    del b
    assert between() is None
    root = weakref.ref(a)
    del a
    assert root() is not None
    del c
    assert root() is None


# --- nothing grows

VIEWS = """
x[1] x[1:,1:] x[...,None] x[None] x[True] x[:,::2] x[::-1] x.T x.t() x.mT x.H x.transpose(0,1) x.permute(1,0)
x.view(4,3) x.view(sc.int32) x.reshape(2,6) x.reshape(-1) x.expand(2,3,4) x.as_strided((2,2),(1,2))
x.narrow(1,1,2) x.unsqueeze(0)
x.squeeze() x.diagonal() x.flatten() x.unbind() x.split(2) x.chunk(2) x.tensor_split(2) list(x) x.unfold(1,2,1)
x.view_as(x) x.detach() x.data x.untyped_storage() x.select(0,1) x.movedim(0,1) x.swapaxes(0,1) x.conj() x.real
c.imag c.conj() sc.view_as_real(c) x.unflatten(1,(2,2)) x.broadcast_to((2,3,4)) x.size() x.shape x.stride()
x.is_contiguous() x.tolist() x[1,2].item() float(x[1,2]) x.view(1,1,1,3,2,1,2) x._base x[1]._base
""".split()
COPIES = """
x.clone() x.contiguous() x.t().contiguous() x.to(sc.float64) x.copy_(x.clone()) x.fill_(1) x.zero_()
x.__setitem__(1,2.0) x.__setitem__((slice(1),),x[:1]) sc.zeros(2,3) sc.empty(3) sc.arange(5)
sc.tensor([[1,2],[3,4]]) sc.full((2,),3)
sc.ones_like(x) x.new_zeros(2) x.numpy() sc.from_numpy(a) memoryview(x) sc.frombuffer(b,dtype=sc.uint8) repr(x)
sc.empty(0).set_(x) u.resize_(7) u.resize_(2,3) x.untyped_storage().clone() x.storage()
""".split()
FAILURES = """
x[3] x[0,0,0] x['a'] x[1.0] x[::0] x[2**63] x.view(5) x.view(-1,-1) x.view() x.expand(2) x.expand(5,4) x.permute(0)
x.permute(0,0) x.transpose(0,2) x.transpose(0.5,1) x.narrow(0,2,2) x.select(0,9) x.as_strided((9,9),(9,9))
x.as_strided((2,),(1,1)) x.unfold(0,9,1) x.unflatten(0,(2,2)) x.split(-1) x.chunk(0) x.squeeze(5) x.unsqueeze(9)
x.copy_(sc.zeros(5)) x.copy_(3,4,5) x.fill_('a') x.__setitem__(0,sc.zeros(9)) x.__setitem__(9,0) x.item() x.view_as(3)
sc.view_as_complex(x[:,:3]) sc.view_as_real(x) x.imag x.reshape(7) sc.zeros(-1) sc.empty(2**62,4) sc.tensor([[1],[1,2]])
sc.tensor('a') sc.arange(0,1,0) x.no_such_name x.transpose(dim=1) sc.from_numpy(3) sc.frombuffer(b'') sc.full((2,))
x.to('cuda') x[:,1:].view(sc.complex128) x[1:].resize_(-1) f.resize_(99) len(x[0,0]) x.diagonal(0,1,1)
x.as_strided((2,),(-9,))
""".split()


def names():
    x = sc.arange(12, dtype=sc.float32).view(3, 4)
    return {
        "sc": sc,
        "x": x,
        "c": sc.view_as_complex(x.view(3, 2, 2)),
        "u": sc.zeros(2, 3),
        "a": np.zeros((2, 3)),
        "b": bytearray(16),
        "f": sc.frombuffer(bytearray(16), dtype=sc.uint8),
    }


def resident():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * mmap.PAGESIZE


def repeat(code, scope, times):
    for _ in range(times):
        with contextlib.suppress(Exception):
            eval(code, scope)


def growth(text, times):
    """(blocks of Python's allocator, bytes of the process) that `times` runs leave behind."""
    scope, code = names(), compile(text, text, "eval")
    repeat(code, scope, 2000)
    gc.collect()
    blocks, size = sys.getallocatedblocks(), resident()
    repeat(code, scope, times)
    gc.collect()
    return sys.getallocatedblocks() - blocks, resident() - size


def is_fast(text):
    return text in VIEWS and not any(slow in text for slow in ("tolist", "list(", "split", "chunk", "unbind"))


@pytest.mark.parametrize("text", VIEWS + COPIES + FAILURES)
def test_nothing_grows(text, quiet):
    times = (100_000 if is_fast(text) else 20_000) // (20 if SANITIZED else 1)
    blocks, size = growth(text, times)
    assert blocks < 200
    assert size < 1_500_000 or SANITIZED


@pytest.mark.parametrize("text", FAILURES)
def test_the_failures_fail(text, quiet):
    with pytest.raises((RuntimeError, IndexError, TypeError, ValueError, AttributeError, OverflowError)):
        eval(text, names())


@pytest.mark.parametrize("text", VIEWS)
def test_the_views_do_not_fail(text, quiet):
    eval(text, names())


def test_references_of_arguments_are_balanced(quiet):
    """No operation keeps or drops a reference to what it was given."""
    scope = names()
    watched = [scope["x"], scope["c"], scope["a"], scope["x"].untyped_storage(), sc.float32, sc.Tensor, sc.Size]
    codes = [compile(text, text, "eval") for text in VIEWS + COPIES + FAILURES]
    for code in codes:
        repeat(code, scope, 3)
    gc.collect()
    for code in codes:
        before = [sys.getrefcount(thing) for thing in watched]
        repeat(code, scope, 50)
        after = [sys.getrefcount(thing) for thing in watched]
        assert max(abs(b - a) for a, b in zip(before, after, strict=True)) < 10, code.co_filename


# --- what a view costs


def test_a_view_takes_at_most_200_bytes():
    x = sc.zeros(3, 4, 5)
    view = x[1:].t() if x.dim() == 2 else x[1:]
    assert sys.getsizeof(view) <= 200
    x[1:], x.permute(2, 1, 0)
    views = [None] * 100_000
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for i in range(len(views)):
            views[i] = x[1:]
        cost = (tracemalloc.get_traced_memory()[0] - before) / len(views)
    finally:
        tracemalloc.stop()
    assert cost <= 200


# --- weak references


def test_weak_references():
    x = sc.zeros(3)
    gone = []
    ref = weakref.ref(x, gone.append)
    assert ref() is x
    assert gone == []
    del x
    assert ref() is None
    assert gone == [ref]


def test_a_weak_reference_does_not_see_the_next_tensor():
    """Freed tensors are used again; an old weak reference stays dead."""
    dead = [weakref.ref(sc.zeros(1)) for _ in range(1000)]
    alive = [sc.zeros(1) for _ in range(1000)]
    assert all(ref() is None for ref in dead)
    refs = [weakref.ref(x) for x in alive]
    assert all(ref() is x for ref, x in zip(refs, alive, strict=True))
    assert weakref.getweakrefcount(alive[0]) == 1


def test_weak_keys():
    table = weakref.WeakValueDictionary()
    x = sc.zeros(3)
    table["x"] = x
    assert table["x"] is x
    del x
    assert len(table) == 0


def test_a_weak_reference_to_a_storage():
    x = sc.zeros(3)
    try:
        ref = weakref.ref(x.untyped_storage())
    except TypeError:
        pytest.skip("storages have no weak references")
    assert ref() is x.untyped_storage()
    del x
    assert ref() is None


# --- subclasses


class Named(sc.Tensor):
    """A subclass with attributes, that counts its ends."""

    ended = 0

    def __del__(self):
        Named.ended += 1


class Slotted(sc.Tensor):
    __slots__ = ("note",)


class Bare(sc.Tensor):
    __slots__ = ()


@pytest.mark.parametrize("cls", [Named, Slotted, Bare])
def test_views_of_a_subclass_are_of_the_subclass(cls):
    x = sc.zeros(3, 4).as_subclass(cls)
    assert type(x) is cls
    for view in (x[1], x[1, 2], x.t(), x.view(-1), x[:, 1:], x.expand(2, 3, 4), *x.unbind(), *x.split(2), *x):
        assert type(view) is cls


def test_a_subclass_with_attributes_and_an_end():
    Named.ended = 0
    x = Named(3)
    x.note = ["kept"]
    assert x.note == ["kept"]
    view = x[1:]
    assert not hasattr(view, "note")
    assert view._base is x
    del x
    assert Named.ended == 0
    assert view._base.note == ["kept"]
    del view
    gc.collect()
    assert Named.ended == 2


def test_slots_of_a_subclass_are_released():
    class Thing:
        pass

    thing = Thing()
    ref = weakref.ref(thing)
    x = sc.zeros(3).as_subclass(Slotted)
    x.note = thing
    del thing
    assert ref() is not None
    del x
    assert ref() is None


def test_a_subclass_that_comes_back_to_life():
    kept = []

    class Phoenix(sc.Tensor):
        def __del__(self):
            kept.append(self)

    x = sc.arange(3).as_subclass(Phoenix)
    del x
    gc.collect()
    assert len(kept) == 1
    assert kept[0].tolist() == [0, 1, 2]
    assert kept.pop()[1:].tolist() == [1, 2]


def test_cycles_through_attributes_are_collected():
    class Node(sc.Tensor):
        pass

    a, b = sc.zeros(3).as_subclass(Node), sc.zeros(3).as_subclass(Node)
    a.other, b.other = b, a
    a.me = a
    refs = [weakref.ref(a), weakref.ref(b)]
    del a, b
    gc.collect()
    assert [ref() for ref in refs] == [None, None]


def test_many_subclass_objects_come_and_go():
    Named.ended = 0
    for _ in range(1000):
        x = sc.zeros(2).as_subclass(Named)
        x.note = x[1:]
        x.note = None
    del x
    gc.collect()
    assert Named.ended == 2000


def test_a_subclass_can_go_before_its_class_does():
    """Instances hold their class, and give it back."""

    def make():
        class Local(sc.Tensor):
            pass

        return sc.zeros(2).as_subclass(Local), weakref.ref(Local)

    x, cls = make()
    gc.collect()
    assert cls() is type(x)
    del x
    gc.collect()
    assert cls() is None


# --- the pool


def test_freed_tensors_come_back_clean(rng):
    """Tensors of all kinds freed in random order: the next ones know nothing of them."""
    alive = {}
    for n in range(20_000):
        if alive and rng.random() < 0.5:
            key = rng.choice(list(alive)) if len(alive) < 50 else next(iter(alive))
            x, size, first = alive.pop(key)
            assert x.shape == size
            assert x.numel() == 0 or x.flatten()[0].item() == first
            continue
        size = [rng.randint(1, 3) for _ in range(rng.choice([0, 1, 2, 3, 5, 6, 8]))]
        x = sc.full(size, n % 100, dtype=rng.choice([sc.int32, sc.float64, sc.complex64]))
        assert (x._base, x.storage_offset(), x.is_conj(), x.is_neg()) == (None, 0, False, False)
        view = rng.choice([x, x.conj(), x.unsqueeze(0)[0], x.view(-1).view(size)])
        alive[n] = (view, x.shape, n % 100)


def test_tensors_made_and_freed_in_threads():
    errors = []

    def work(number):
        try:
            rng = random.Random(number)
            x = sc.full((8, 8), number)
            kept = [x]
            for _ in range(20_000):
                view = rng.choice(kept)
                kept.append(view.t() if rng.random() < 0.5 else view[...])
                if len(kept) > 300:
                    del kept[1:]
            assert all(v[3, 4].item() == number for v in kept)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert errors == []


def test_tensors_freed_by_another_thread():
    made = [[sc.full((3,), n)[1:] for n in range(2000)]]
    thread = threading.Thread(target=made.clear)
    thread.start()
    thread.join()
    assert [x.tolist() for x in [sc.full((2,), n) for n in range(3)]] == [[0, 0], [1, 1], [2, 2]]
