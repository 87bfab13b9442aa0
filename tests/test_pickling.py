"""pickle, copy and deepcopy: what is kept, what is shared, and how many buffers travel."""

import copy
import pickle
import random

import pytest

import stridecore as sc

PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)

pytestmark = pytest.mark.filterwarnings("ignore:PyTorch has deprecated TypedStorage")


class Sub(sc.Tensor):
    pass


class Slotted(sc.Tensor):
    __slots__ = ("note",)


class SubStorage(sc.UntypedStorage):
    pass


def through(protocol):
    return lambda obj: pickle.loads(pickle.dumps(obj, protocol))


WAYS = {f"protocol {p}": through(p) for p in PROTOCOLS} | {"deepcopy": copy.deepcopy}


@pytest.fixture(params=WAYS)
def duplicate(request):
    return WAYS[request.param]


def same(a, b):
    assert (type(a), a.dtype, a.shape, a.stride()) == (type(b), b.dtype, b.shape, b.stride())
    assert a.storage_offset() == b.storage_offset()
    assert a.tolist() == b.tolist()
    assert bytes(a.untyped_storage()) == bytes(b.untyped_storage())


def test_layout_and_the_whole_storage_are_kept(duplicate):
    x = sc.arange(12, dtype=sc.int16).view(3, 4)
    for view in (x, x.t(), x[1:, ::2], x[:, ::-1], x[1, 1], x[:0], x[0].expand(5, 4), x.as_strided((1, 3), (50, 1), 2)):
        made = duplicate(view)
        same(made, view)
        assert made.data_ptr() != view.data_ptr() or view.numel() == 0
        assert made._base is None
        made.resize_(100)
    assert x.tolist() == sc.arange(12).view(3, 4).tolist()


@pytest.mark.parametrize("name", sorted({d.name for d in sc.dtypes.names().values()}))
def test_every_dtype(name):
    x = sc.arange(4).to(getattr(sc, name))
    for duplicate in WAYS.values():
        same(duplicate(x), x)


def test_sharing_inside_one_object_is_kept(duplicate):
    x = sc.arange(6)
    a, b, c, d, e = duplicate([x, x[2:], x.view(2, 3).t(), x.untyped_storage(), x.storage()])
    assert a.untyped_storage() is b.untyped_storage() is c.untyped_storage() is d
    assert a.storage() is e
    b[0] = 50
    assert (a[2].item(), e[2], x[2].item()) == (50, 50, 2)
    first, second = duplicate([x, x])
    assert first is second


def test_storages(duplicate):
    untyped = sc.UntypedStorage([1, 2, 3])
    assert duplicate(untyped).tolist() == [1, 2, 3]
    assert duplicate(sc.UntypedStorage()).tolist() == []
    typed = duplicate(sc.DoubleStorage([1, 2.5]))
    assert (type(typed), typed.dtype, typed.tolist()) == (sc.TypedStorage, sc.float64, [1.0, 2.5])
    mine = SubStorage([1, 2])
    mine.note = [3]
    made = duplicate(mine)
    assert (type(made), made.note, made.tolist()) == (SubStorage, [3], [1, 2])
    assert made.note is not mine.note


def test_subclasses_and_their_attributes(duplicate):
    x = sc.ones(2).as_subclass(Sub)
    x.note, x.me = [1], x
    made = duplicate(x)
    assert (type(made), made.note, made.me is made, made.tolist()) == (Sub, [1], True, [1.0, 1.0])
    y = sc.ones(2).as_subclass(Slotted)
    y.note = [2]
    made = duplicate(y)
    assert (type(made), made.note, made.note is not y.note) == (Slotted, [2], True)
    assert duplicate(sc.ones(2).as_subclass(Slotted)).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_lazy_bits_are_pickled(protocol):
    x = sc.tensor([1 + 2j, 3 - 1j])
    for view in (x.conj(), x._neg_view(), x.conj()._neg_view(), x.conj().imag):
        made = through(protocol)(view)
        assert (made.is_conj(), made.is_neg()) == (view.is_conj(), view.is_neg())
        assert made.tolist() == view.tolist()
        assert made.untyped_storage().tolist() == x.untyped_storage().tolist()


def test_deepcopy_resolves_lazy_bits_as_torch(torch):
    for lib in (sc, torch):
        x = lib.tensor([1 + 2j, 3 - 1j])
        for view in (x.conj(), x._neg_view(), x.conj().imag):
            made = copy.deepcopy(view)
            assert (made.is_conj(), made.is_neg(), made.tolist()) == (False, False, view.tolist())


# ---- copy.copy -----------------------------------------------------------------------------------------------


def test_copy_shares_the_storage_of_a_tensor_and_copies_a_storage():
    x = sc.arange(6)
    y = copy.copy(x[1:])
    assert (y.untyped_storage() is x.untyped_storage(), y.storage_offset(), y._base, y is x) == (True, 1, None, False)
    s = x.untyped_storage()
    assert copy.copy(s).tolist() == s.tolist()
    assert copy.copy(s) is not s
    assert copy.copy(x.storage()).tolist() == [0, 1, 2, 3, 4, 5]
    z = sc.ones(2).as_subclass(Sub)
    z.note = [1]
    assert (type(copy.copy(z)), copy.copy(z).note is z.note) == (Sub, True)


# ---- protocol 5 ----------------------------------------------------------------------------------------------


def test_one_out_of_band_buffer_a_storage():
    x, y = sc.arange(1000), sc.zeros(100)
    buffers = []
    data = pickle.dumps(
        [x, x[1:], x.view(10, 100).t(), x.untyped_storage(), x.storage(), y], 5, buffer_callback=buffers.append
    )
    assert len(buffers) == 2
    assert len(data) < 1000
    with pytest.raises(RuntimeError, match="exported"):
        x.resize_(2000)  # while the buffers are out
    a, b, c, *_ = pickle.loads(data, buffers=buffers)
    assert (a.data_ptr(), b.untyped_storage() is c.untyped_storage()) == (x.data_ptr(), True)
    assert c.tolist() == x.view(10, 100).t().tolist()


def test_out_of_band_memory_is_used_as_it_is():
    x = sc.arange(4)
    buffers = []
    data = pickle.dumps(x, 5, buffer_callback=buffers.append)
    memory = bytearray(buffers[0].raw())
    y = pickle.loads(data, buffers=[memory])
    y[0] = 9
    assert memory[0] == 9
    z = pickle.loads(data, buffers=[bytes(memory)])
    assert z.untyped_storage().readonly
    with pytest.raises(RuntimeError):
        z[0] = 1
    with pytest.raises(RuntimeError):  # geometry is checked
        pickle.loads(data, buffers=[bytearray(31)])


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_was_read_only_can_be_written_after_loading(protocol):
    x = sc.frombuffer(b"1234", dtype=sc.uint8)
    y = through(protocol)(x)
    y.fill_(1)
    y.resize_(10)
    assert copy.deepcopy(x).fill_(2).tolist() == [2, 2, 2, 2]


@pytest.mark.parametrize(
    "state",
    [
        (sc.UntypedStorage(8), sc.int64, 0, (2,), (1,), 0),
        (sc.UntypedStorage(8), sc.int64, -1, (1,), (1,), 0),
        (sc.UntypedStorage(8), sc.int64, 0, (1,), (1, 1), 0),
        (sc.UntypedStorage(8), sc.int64, 0, (-1,), (1,), 0),
        (sc.UntypedStorage(8), sc.int64, 0, (2**62, 2**62), (0, 0), 0),
        (sc.UntypedStorage(8), sc.int64, 0, (2,), (2**62,), 0),
        (sc.UntypedStorage(8), sc.int64, 0, (1,), (1,), 1),
        (sc.UntypedStorage(8), sc.complex64, 0, (1,), (1,), 4),
        (None, sc.int64, 0, (0,), (1,), 0),
        (sc.UntypedStorage(8), "int64", 0, (0,), (1,), 0),
        (sc.UntypedStorage(8), sc.int64, 0.5, (0,), (1,), 0),
    ],
)
def test_states_that_lie(state):
    from stridecore.pickling import rebuild_subclass, rebuild_tensor

    with pytest.raises((RuntimeError, TypeError)):
        rebuild_tensor(*state)
    with pytest.raises((RuntimeError, TypeError)):
        rebuild_subclass(Sub, *state)
    with pytest.raises(TypeError):
        rebuild_subclass(int, sc.UntypedStorage(8), sc.int64, 0, (1,), (1,), 0)


def test_random_views_as_torch(torch, rng: random.Random):
    for _ in range(200):
        sizes = rng.choice([(2, 3, 4), (24,), (4, 6), (1, 24), (0, 3)])
        steps = [(rng.randrange(3), rng.choice([1, 2, 3])) for _ in sizes]
        order = rng.sample(range(len(sizes)), len(sizes))
        made = []
        for lib in (sc, torch):
            x = lib.arange(24 if 0 not in sizes else 0).view(sizes)
            x = x[tuple(slice(start, None, step) for start, step in steps)].permute(order)
            for y in (copy.deepcopy(x), copy.copy(x), pickle.loads(pickle.dumps(x))):
                made.append((y.tolist(), tuple(y.shape), y.stride(), y.storage_offset(), y.untyped_storage().nbytes()))
        assert made[:3] == made[3:]
