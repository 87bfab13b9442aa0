"""The pickles that save writes, read by Python's own unpickler: nothing in them needs torch unless tensors do."""

import collections
import datetime
import decimal
import enum
import fractions
import pickle
import pickletools

import pytest

from stridecore.checkpoint.pickler import Pickler

PROTOCOLS = (2, 3, 4, 5)


class Colour(enum.Enum):
    RED = 1


class Slots:
    __slots__ = ("a", "b")


class Custom:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return type(other) is Custom and other.value == self.value

    __hash__ = None


class Keywords:
    def __new__(cls, *, value):
        made = super().__new__(cls)
        made.value = value
        return made

    def __getnewargs_ex__(self):
        return (), {"value": self.value}


class ListWithName(list):
    pass


class Inner:
    class Nested:
        pass


def through(obj, protocol=2):
    data = Pickler(None, protocol).dumps(obj)
    pickletools.dis(data, out=open("/dev/null", "w"))  # noqa: SIM115 - checks the stack and the memo
    return pickle.loads(data)


def draw(rng, made, depth=0):
    """A random object; with `made`, sometimes one that was drawn before."""
    kind = rng.randrange(14 if depth < 4 else 8)
    if kind == 0 and made:
        return rng.choice(made)
    if kind < 8:
        return rng.choice([None, True, False, rng.randrange(-(2**40), 2**40), rng.random(), -1, 255, 256, 2**31, "",
                           "word", "word" * 100, "é\ud800", b"", b"\xff\x00" * rng.randrange(200), 1 - 2j])  # fmt: skip
    parts = [draw(rng, made, depth + 1) for _ in range(rng.randrange(6))]
    if kind < 10:
        obj = parts
    elif kind == 10:
        obj = tuple(parts)
    elif kind == 11:
        obj = {i if rng.random() < 0.5 else f"key{i}": part for i, part in enumerate(parts)}
    elif kind == 12:
        obj = collections.OrderedDict((str(i), part) for i, part in enumerate(parts))
    else:
        obj = {rng.randrange(5) for _ in parts}
    made.append(obj)
    return obj


def shape(obj, seen=None):
    """A value that tells content and sharing of mutable objects: the order in which each is met first."""
    seen = {} if seen is None else seen
    if isinstance(obj, list | dict | set):
        if id(obj) in seen:
            return ("again", seen[id(obj)])
        seen[id(obj)] = len(seen)
    if isinstance(obj, list | tuple):
        return (type(obj).__name__, [shape(part, seen) for part in obj])
    if isinstance(obj, dict):
        return (type(obj).__name__, [(key, shape(value, seen)) for key, value in obj.items()])
    return (type(obj).__name__, sorted(obj) if isinstance(obj, set) else obj)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_random_objects_come_back_with_their_sharing(rng, protocol):
    for _ in range(150):
        obj = draw(rng, [])
        assert shape(through(obj, protocol)) == shape(obj)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_objects_of_classes(protocol):
    slots = Slots()
    slots.a = [1]
    named = ListWithName([1, 2])
    named.name = "x"
    objects = [
        Colour.RED, Custom([1]), fractions.Fraction(1, 3), decimal.Decimal("1.5"), datetime.date(2020, 1, 2),
        collections.Counter("aab"), collections.deque([1], 3), frozenset({1, 2}), bytearray(b"xy"), range(3),
        slice(1, 2), Custom, Inner.Nested, len, collections.OrderedDict, int, type(None), type(...),
        NotImplemented, ...,
    ]  # fmt: skip
    for obj, made in zip(objects, through(objects, protocol), strict=True):
        assert made == obj and type(made) is type(obj)
    assert through("ab".upper, protocol)() == "AB"
    assert through(slots, protocol).a == [1]
    made = through(named, protocol)
    assert (type(made), made, made.name) == (ListWithName, [1, 2], "x")
    assert through(Keywords(value=5), protocol).value == 5


def test_rings():
    ring = Custom(None)
    ring.value = [ring]
    made = through(ring)
    assert made.value[0] is made
    table = {}
    table["self"] = (table, [table])
    made = through(table)
    assert made["self"][0] is made["self"][1][0] is made


def test_equal_strings_are_written_once():
    first, second = "".join(["wo", "rd"]), "".join(["wor", "d"])
    data = Pickler(None).dumps([first, second])
    assert data.count(b"word") == 1
    assert data == Pickler(None).dumps([first, first])


def test_what_no_pickle_takes():
    for obj in (lambda: 0, type("Hidden", (), {}), (i for i in ())):
        with pytest.raises((pickle.PicklingError, TypeError)):
            Pickler(None).dumps(obj)
