"""tensor(data): numbers, nested sequences of them, tensors among them; hostile data in test_hostile_*."""

import array
import decimal
import fractions
import math
import warnings

import numpy as np
import pytest
from against import both, elements, name_of, outcome

import stridecore as sc


class Sequence:
    """A sequence that is neither list nor tuple."""

    def __init__(self, *items):
        self.items = items

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]

    def __repr__(self):
        return f"Sequence{self.items!r}"


class Index:
    def __index__(self):
        return 3


class Float:
    def __float__(self):
        return 3.5


class SubInt(int):
    pass


class SubFloat(float):
    pass


# ---- literal --------------------------------------------------------------------------------------------------


def test_the_values_decide_the_dtype():
    assert sc.tensor([1, 2]).dtype is sc.int64
    assert sc.tensor([True, False]).dtype is sc.bool
    assert sc.tensor([1.0, 2.0]).dtype is sc.float32
    assert sc.tensor([1j]).dtype is sc.complex64
    assert sc.tensor([True, 2]).tolist() == [1, 2]
    assert sc.tensor([1, 2.5]).tolist() == [1.0, 2.5]
    assert sc.tensor([1, 2j]).tolist() == [1 + 0j, 2j]
    assert sc.tensor([]).dtype is sc.float32


def test_the_first_items_decide_the_size():
    assert sc.tensor([[1, 2, 3], [4, 5, 6]]).shape == (2, 3)
    assert sc.tensor([[[1]], [[2]]]).shape == (2, 1, 1)
    assert sc.tensor([[], []]).shape == (2, 0)
    assert sc.tensor(5).shape == ()
    assert sc.tensor(([1, 2], (3, 4))).tolist() == [[1, 2], [3, 4]]


def test_ragged():
    with pytest.raises(ValueError, match=r"expected sequence of length 2 at dim 1 \(got 1\)"):
        sc.tensor([[1, 2], [3]])
    with pytest.raises(ValueError, match=r"expected sequence of length 2 at dim 2 \(got 3\)"):
        sc.tensor([[[1, 2], [3, 4]], [[1, 2], [3, 4, 5]]])


def test_what_is_no_number():
    with pytest.raises(TypeError, match="invalid data type 'str'"):
        sc.tensor([1, "a"])
    with pytest.raises(RuntimeError, match="Could not infer dtype of NoneType"):
        sc.tensor([None])
    with pytest.raises(ValueError, match="does not fit in 64 bits"):
        sc.tensor([2**63])
    with pytest.raises(RuntimeError, match="300 cannot be converted to type uint8"):
        sc.tensor([300], dtype=sc.uint8)


def test_copies():
    x = sc.zeros(2)
    with pytest.warns(UserWarning, match="clone"):
        y = sc.tensor(x)
    y[0] = 1
    assert x.tolist() == [0.0, 0.0]


def test_default_dtype():
    for dtype, complex_dtype in ((sc.float64, sc.complex128), (sc.float16, sc.complex32), (sc.float32, sc.complex64)):
        sc.set_default_dtype(dtype)
        try:
            assert sc.tensor(1.5).dtype is dtype and sc.tensor([1, 2.5]).dtype is dtype and sc.tensor([]).dtype is dtype
            assert sc.tensor(1j).dtype is complex_dtype
            assert sc.tensor([1, 2]).dtype is sc.int64
        finally:
            sc.set_default_dtype(sc.float32)


# ---- hostile --------------------------------------------------------------------------------------------------


class Trap:
    """A number that runs `action` while it is converted."""

    def __init__(self, action):
        self.action = action

    def __index__(self):
        self.action()
        return 1

    def __float__(self):
        self.action()
        return 1.0


@pytest.mark.parametrize("dtype", [sc.float32, sc.int64, sc.uint8, sc.bool, sc.complex64, sc.float16, sc.uint64])
@pytest.mark.parametrize("action", ["clear", "grow", "shrink", "replace", "rows"])
def test_hostile_items_change_the_list_while_it_is_read(dtype, action):
    row = []
    data = [row, [5] * 100]

    def act():
        if action == "clear":
            row.clear()
        elif action == "grow":
            row.extend([9] * 10_000)
        elif action == "shrink":
            del row[50:]
        elif action == "replace":
            row[:] = [7] * 100
        else:
            data.clear()

    row.extend([5] * 50 + [Trap(act)] + [5] * 49)
    made, error = outcome(sc.tensor, data, dtype=dtype)
    if action == "replace":
        assert made.shape == (2, 100) and elements(made[0, 51:]) == elements(sc.full((49,), 7).to(dtype=dtype))
    elif error is None:
        pytest.fail("a list that changed its length was taken")
    else:
        assert error is ValueError or (error is TypeError and dtype is sc.complex64)


def test_hostile_sequences_that_lie_about_their_length():
    class Liar(Sequence):
        def __len__(self):
            return 5

    assert outcome(sc.tensor, [Liar(1, 2), Liar(1, 2)])[1] is ValueError
    assert outcome(sc.tensor, Liar(1, 2))[1] is ValueError

    class Negative(Sequence):
        def __len__(self):
            return -1

    assert outcome(sc.tensor, Negative(1))[1] is ValueError

    class Broken(Sequence):
        def __getitem__(self, i):
            raise KeyError(i)

    assert outcome(sc.tensor, Broken(1))[1] is KeyError


def test_hostile_recursion():
    own = []
    own.append(own)
    assert outcome(sc.tensor, own)[1] is ValueError
    assert outcome(sc.tensor, own, dtype=sc.float32)[1] is ValueError
    later = [1]
    later += [later, later]
    assert outcome(sc.tensor, later)[1] is TypeError
    assert outcome(sc.tensor, later, dtype=sc.int64)[1] is TypeError
    deep = 1
    for _ in range(64):
        deep = [deep]
    assert sc.tensor(deep).dim() == 64
    assert outcome(sc.tensor, [deep])[1] is ValueError
    for _ in range(100_000):
        deep = [deep]
    assert outcome(sc.tensor, deep)[1] is ValueError
    assert outcome(sc.tensor, [1, deep])[1] is TypeError
    while isinstance(deep, list):  # taken apart here, for a chain of deallocations is not what is tested
        deep = deep[0]


def test_hostile_widths():
    wide = 1
    for _ in range(60):
        wide = [wide] * 16
    assert outcome(sc.tensor, wide)[1] is RuntimeError  # 2**240 elements
    assert outcome(sc.tensor, wide, dtype=sc.bool)[1] is RuntimeError


# ---- against torch --------------------------------------------------------------------------------------------

SEQUENCES = """
    [[]]
    [[], [1]]
    [[1], []]
    [1, [2]]
    [[2], 1]
    [[1], [2, 3]]
    [[[1, 2], [3, 4]], [[1, 2], [3]]]
    (1, (2,))
    {1: 2}
    {1, 2}
    [{1, 2}]
    (x for x in [1])
    range(3)
    bytearray(b'ab')
    memoryview(b'ab')
    array.array('f', [1, 2])
    array.array('i', [1, 2])
    Sequence(1, 2)
    Sequence(Sequence(1, 2), Sequence(3, 4))
    [Sequence(1, 2), [3, 4]]
    lib.Size([1, 2])
    [lib.Size([1, 2])]
    ''
    'ab'
    ['']
    ['a']
    [['a']]
    b'ab'
    [b'ab']
    [[1, 'a']]
    None
    [None]
    [1, None]
    [[1, None]]
    int
    ...
    lib.float32
    slice(3)
    Index()
    [Index()]
    Float()
    [Float()]
    decimal.Decimal(1)
    fractions.Fraction(1, 2)
    [SubInt(3), SubInt(4)]
    [SubFloat(3.5)]
    [SubInt(3), 2.5]
    SubInt(3)
    SubFloat(2.5)
    2**63
    [2**63]
    [2**64]
    [-2**63]
    [-2**63 - 1]
    [1j, 2**64]
    1e300
    [1e300]
    True
    1j
    [1, 2.5, True, 1j]
    [[1, 2], [3, 4.5]]
    [True, 2.5]
    [[True], [2]]
"""

# Each with every dtype.
CONVERTED = """
    [1, None]
    ['a']
    'ab'
    2**63
    [2**63]
    [2**64 - 1]
    [2**64]
    [2**70]
    [2**2000]
    [-1]
    [-255]
    [-256]
    [256]
    [-65535]
    [-65536]
    [65535]
    [65536]
    [2**32]
    [2**32 - 1]
    [-2**32]
    [127]
    [128]
    [-128]
    [-129]
    [32767, 32768]
    [-32768]
    [-32769]
    [2**31 - 1]
    [2**31]
    [-2**31]
    [-2**31 - 1]
    [1.7]
    [-1.7]
    [-0.5]
    [1e10]
    [1e20]
    [float('nan')]
    [float('inf')]
    [-float('inf')]
    [300.5]
    [255.9]
    [127.5]
    [-128.5]
    [32767.5]
    [2147483647.5]
    [-2147483648.5]
    [1e300]
    [70000.0]
    [70000]
    [1e39]
    [1j]
    [0j, 0.0, 2, -0.0]
    [1 + 2j]
    [1, 2.5, True]
    [True, False]
    [1e300 + 1j]
    [Index()]
    [Float()]
    [decimal.Decimal(1)]
    [fractions.Fraction(1, 2)]
    [SubInt(3)]
    [SubFloat(3.5)]
    [[1], [2, 3]]
    [[], [1]]
    [1, [2]]
    range(3)
"""

TENSORS = """
    lib.tensor(1)
    lib.ones(2, 3).t()
    [lib.tensor(1), lib.tensor(2)]
    [lib.tensor(1), lib.tensor(2.5)]
    [lib.tensor(1, dtype=lib.int8), 2]
    [lib.tensor(1, dtype=lib.int8)]
    [lib.tensor(1.5, dtype=lib.float64), 1.5]
    [lib.ones(1)]
    [lib.ones(1, 1)]
    [1, lib.ones(1)]
    [lib.ones(2), lib.ones(2)]
    [lib.ones(2), [1, 2]]
    [[1, 2], lib.ones(2)]
    [[1, 2], lib.ones(3)]
    [lib.ones(0)]
    [lib.tensor(1.5, dtype=lib.bfloat16)]
    [lib.tensor(True), lib.tensor(2)]
    [lib.tensor(1j).conj(), 1.0]
    [lib.tensor(1j).conj().imag]
    [lib.zeros(3)[1], lib.ones(3)[2]]
    [[lib.tensor(1), 2], [3, lib.tensor(4.5)]]
    [lib.tensor(1, dtype=lib.uint16), 1.5]
    [lib.tensor(1, dtype=lib.uint16), 1]
    [lib.tensor(1.0, dtype=lib.float8_e5m2)]
"""

ARGUMENTS = """
    lib.tensor(1, 2)
    lib.tensor()
    lib.tensor(data=[1])
    lib.tensor([1], lib.float32)
    lib.tensor([1], dtype='float')
    lib.tensor([1], dtype=float)
    lib.tensor([1], device='cpu', pin_memory=False, requires_grad=False)
    lib.tensor([1], layout=lib.strided)
    lib.tensor([1], foo=1)
    lib.tensor([1], device='foo')
    lib.tensor(lib.ones(2), dtype=lib.int8)
    lib.tensor([lib.tensor(1.5)], dtype=lib.int64)
    lib.tensor([lib.tensor(1j)], dtype=lib.int64)
    lib.tensor([lib.tensor(1.5)], dtype=lib.bool)
    lib.tensor([lib.tensor(True)], dtype=lib.int8)
    lib.tensor([lib.tensor(2)], dtype=lib.bool)
    lib.tensor([lib.tensor(300)], dtype=lib.uint8)
    lib.tensor([lib.tensor(1.5)], dtype=lib.complex64)
"""

DTYPES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex32 complex64 "
    "complex128 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu"
).split()


def lines(text):
    return [line.strip() for line in text.strip().splitlines()]


NAMES = {
    "array": lambda lib: array,
    "decimal": lambda lib: decimal,
    "fractions": lambda lib: fractions,
    "Sequence": lambda lib: Sequence,
    "Index": lambda lib: Index,
    "Float": lambda lib: Float,
    "SubInt": lambda lib: SubInt,
    "SubFloat": lambda lib: SubFloat,
}


@pytest.mark.parametrize("code", lines(SEQUENCES) + lines(TENSORS))
def test_as_torch(torch, code, quiet):
    both(f"lib.tensor({code})", torch, **NAMES)


@pytest.mark.parametrize("code", lines(ARGUMENTS))
def test_arguments_as_torch(torch, code, quiet):
    both(code, torch)


@pytest.mark.parametrize("name", DTYPES)
def test_every_dtype_as_torch(torch, name, quiet):
    for code in lines(CONVERTED):
        if name == "uint64" and ("." in code or "float" in code or "e" in code):
            continue  # torch takes no floats for uint64; here they are truncated, as for the other integers
        try:
            both(f"lib.tensor({code}, dtype=lib.{name})", torch, **NAMES)
        except AssertionError as error:
            raise AssertionError(f"tensor({code}, dtype={name})") from error


def test_uint64_takes_floats():
    assert sc.tensor([1.5, 2.0**63], dtype=sc.uint64).tolist() == [1, 2**63]
    for wrong in (-1.5, 2.0**64, math.nan, math.inf):
        assert outcome(sc.tensor, [wrong], dtype=sc.uint64)[1] is RuntimeError


def test_random_data_as_torch(torch, rng, quiet):
    """Random trees of numbers of several types, now and then ragged or with something that is no number."""

    def number(kinds):
        kind = rng.choice(kinds)
        if kind == "int":
            return rng.choice((0, 1, -1, rng.randrange(-300, 300), rng.randrange(-(2**64), 2**64)))
        if kind == "small":
            return rng.randrange(-100, 100)
        if kind == "float":
            return rng.choice((0.0, -0.0, rng.uniform(-10, 10), rng.gauss(0, 1) * 10.0 ** rng.randrange(-50, 50)))
        if kind == "bool":
            return rng.random() < 0.5
        if kind == "complex":
            return complex(rng.uniform(-5, 5), rng.uniform(-5, 5))
        return rng.choice((None, "a", Index(), SubInt(4), SubFloat(1.5), np.float32(1.5), np.int8(3), np.float64(2)))

    def tree(sizes, kinds):
        if not sizes:
            return number(kinds)
        size = sizes[0] if rng.random() > 0.01 else rng.randrange(4)
        items = [tree(sizes[1:], kinds) for _ in range(size)]
        return rng.choice((list, list, list, tuple, Sequence))(items) if rng.random() < 0.99 else number(kinds)

    mixes = [["small"], ["float"], ["bool"], ["float", "small"], ["bool", "small"], ["int"], ["complex", "float"],
             ["small", "float", "bool", "complex"], ["small", "float", "other"], ["small", "small", "small", "other"]]
    taken = refused = 0
    for _ in range(4000):
        sizes = [rng.choice((0, 1, 1, 2, 2, 3, 5)) for _ in range(rng.randrange(4))]
        data = tree(sizes, rng.choice(mixes))
        name = rng.choice([None, None, *DTYPES])
        if name == "uint64":
            continue
        x, error = outcome(sc.tensor, data, dtype=name and getattr(sc, name))
        t, expected = outcome(torch.tensor, data, dtype=name and getattr(torch, name))
        assert error == expected, (data, name)
        refused += error is not None
        taken += error is None
        if error is None:
            assert name_of(x.dtype) == name_of(t.dtype) and tuple(x.shape) == tuple(t.shape), (data, name)
            assert elements(x) == elements(t), (data, name)
    assert taken > 1500 and refused > 200


def test_long_lists_as_torch(torch, rng):
    floats = [rng.gauss(0, 1) for _ in range(20_000)]
    ints = [rng.randrange(-(2**63), 2**63) for _ in range(20_000)]
    bools = [rng.random() < 0.5 for _ in range(20_000)]
    for data in (floats, ints, bools, [*ints, 0.5], [*bools, 3], [*floats, 1j], [ints, ints[::-1]], [floats[:50]] * 30):
        x, t = sc.tensor(data), torch.tensor(data)
        assert name_of(x.dtype) == name_of(t.dtype) and elements(x) == elements(t)


def test_no_warning_but_torchs(no_warnings):
    sc.tensor([[1, 2], [3, 4]])
    sc.tensor([np.arange(2), np.arange(2)])
    sc.tensor([sc.tensor(1), sc.tensor(2)])
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        sc.tensor(sc.ones(2))
    assert [w.category for w in seen] == [UserWarning] and seen[0].filename == __file__
