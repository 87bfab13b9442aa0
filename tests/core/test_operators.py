"""core/operators.pyx, core/binary.pyx and src/binary.c: operators computed by the engine's rows."""

import itertools

import pytest
from against import convert, same

import stridecore as sc
from stridecore.core import binary, engine

DTYPES = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64".split()
OPERATIONS = {
    "ADD": "add", "SUB": "sub", "MUL": "mul", "DIV": "div", "AND": "bitwise_and", "OR": "bitwise_or",
    "XOR": "bitwise_xor", "EQ": "eq", "NE": "ne", "LT": "lt", "LE": "le", "GT": "gt", "GE": "ge",
}


@pytest.fixture(params=engine.cpu_levels())
def level(request):
    before = engine.cpu_level()
    engine.set_cpu_level(request.param)
    yield request.param
    engine.set_cpu_level(before)


def tensors(torch, dtype, shape):
    n = 1
    for size in shape:
        n *= size
    return (torch.arange(n) % 11 - (0 if dtype in ("uint8", "bool") else 5)).to(getattr(torch, dtype)).reshape(shape)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_level_gives_torchs_bytes(torch, level, operation):
    code, function = getattr(binary, operation), getattr(torch, OPERATIONS[operation])
    ran = 0
    for dtype in DTYPES:
        t = tensors(torch, dtype, (7, 37))
        u = tensors(torch, dtype, (37,)) + (0 if dtype == "bool" else 1)
        pairs = [(t, t.flip(0)), (t, u), (u, t), (t, t[2, 3]), (t.t(), t.t().flip(0)), (t[:, ::2], t[:, 1:2])]
        for a, b in pairs:
            mine = binary.straight(code, convert(a, sc), convert(b, sc))
            if mine is None:
                continue
            expected = function(a, b)
            ran += 1
            if operation == "DIV" or expected.dtype.is_floating_point:
                same(mine, expected, values=False)
                assert str(mine.tolist()) == str(expected.tolist())
            else:
                same(mine, expected)
    assert ran >= (6 if operation in ("DIV", "AND", "OR", "XOR") else 40)


def test_what_is_left_to_numpy():
    x = sc.ones(2, 3)
    for left, right in (
        (x.to(sc.complex64), x), (x, 1j), (1, 2), (x, None), (x, "a"), (x.int(), 2**70), (x[:, :0].bool(), x.bool())
    ):
        assert binary.straight(binary.SUB, left, right) is None
    assert binary.straight(binary.ADD, x, x, "out") is None
    assert binary.straight(99, x, x) is None


@pytest.mark.parametrize("size", [5, 100_000])
def test_overlapping_operands_are_as_if_copied_first(size):
    for make in (lambda: sc.arange(float(size)), lambda: sc.arange(size)):
        for to, source in itertools.product((slice(1, None), slice(None, -1)), repeat=2):
            x, y = make(), make()
            x[to] += y[source]
            y[to] += y[source]
            assert (x == y).all()
    x, y = sc.arange(9.0).view(3, 3), sc.arange(9.0).view(3, 3)
    x += x.t()
    assert (x == y + y.t()).all()
    x, y = sc.arange(1.0, 10.0).view(3, 3), sc.arange(1.0, 10.0).view(3, 3)
    x *= x[0]
    assert (x == y * y[0]).all()
    x = sc.arange(4.0)
    x /= x[1:2] + 1
    assert x.tolist() == [0, 0.5, 1, 1.5]
    x -= x[3]
    assert x.tolist() == [-1.5, -1, -0.5, 0]
    x = sc.arange(6)[::2]
    x += x.flip(0)
    assert x.tolist() == [4, 4, 4]


def test_refused_destinations():
    for x in (sc.ones(1).expand(3), sc.frombuffer(b"\0" * 12, dtype=sc.float32)):
        before = x.tolist()
        for other in (1, sc.ones(3), sc.ones(1)):
            with pytest.raises(RuntimeError, match=r"single memory location|read-only"):
                x += other
        assert x.tolist() == before
    x = sc.ones(3)
    with pytest.raises(RuntimeError, match=r"\[3\].*\[2, 3\]"):
        x += sc.ones(2, 3)
    with pytest.raises(RuntimeError, match=r"\[3\].*\[2\]"):
        x + sc.ones(2)
    with pytest.raises(RuntimeError, match="can't be cast"):
        sc.ones(3).int().__iadd__(1.5)
    x.untyped_storage().resize_(4)
    with pytest.raises(RuntimeError, match="resized"):
        x + x


def test_misaligned_memory():
    x = sc.frombuffer(bytearray(41), dtype=sc.uint8)[1:]
    memory = memoryview(bytearray(41))[1:]
    y = sc.frombuffer(memory, dtype=sc.float32)
    y += 1
    assert (y + y).tolist() == [2] * 10
    assert (x + 1).tolist() == [1] * 40


def test_numbers():
    assert (sc.tensor([1, 2], dtype=sc.uint8) + 300).tolist() == [45, 46]
    assert (2**40 * sc.ones(1, dtype=sc.int32)).tolist() == [0]
    assert (7 - sc.tensor([1, 2])).tolist() == [6, 5]
    assert (1 / sc.tensor([2, 4])).tolist() == [0.5, 0.25]
    assert (sc.tensor([0.0, -0.0]).neg().signbit()).tolist() == [True, False]
    assert (-sc.tensor([0.0, -0.0])).signbit().tolist() == [True, False]
    assert (sc.tensor([True]) * 2.5).dtype is sc.float32
    assert (sc.ones(2, dtype=sc.bfloat16) + 1e-3).tolist() == [1, 1]


def test_the_usual_arithmetic_needs_no_numpy():
    import subprocess
    import sys

    program = (
        "import sys, stridecore as sc\n"
        "x = sc.arange(6.0).view(2, 3)\n"
        "y = (x + x[0] * 2 - 1) / sc.tensor([1, 2, 4])\n"
        "y += x; -x; x == y.t().t(); x < 2; x ** 2; x.half() + x; x.int() & 1\n"
        "print('numpy' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert ran.stdout == "False\n"


def test_no_python_frame_is_entered():
    import sys

    x, y, row = sc.ones(3, 4), sc.ones(3, 4), sc.ones(4)
    entered = []
    for operation in (
        lambda: x + y, lambda: x * 2.0, lambda: 2 - x, lambda: x == y, lambda: x < 1, lambda: x + row, lambda: x**2,
        lambda: -x, lambda: x.__iadd__(y),
    ):
        operation()
        sys.setprofile(lambda frame, event, argument: entered.append(frame.f_code.co_name) if event == "call" else None)
        try:
            operation()
        finally:
            sys.setprofile(None)
    assert [name for name in entered if name != "<lambda>"] == []
