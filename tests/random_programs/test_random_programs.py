"""Random programs of views and writes: after every line stridecore and torch agree on everything that can be seen."""

import types
import warnings

import pytest

from random_programs.generate import OPERATIONS, Generator
from random_programs.operations import VIEWS
from random_programs.shrink import literal, shrink
from random_programs.worlds import World, check, compare

try:
    import stridecore
except ImportError:
    stridecore = None
SHOWN = 8  # failures printed; more of the same kind are only counted
LEAST = 200  # times that every operation on views is drawn


def failures(torch, subject, seed, count):
    """({(operation, what differs): (how often, program, difference)}, the generator with its counts)."""
    generator = Generator(torch, seed)
    found = {}
    for number in range(count):
        lines, records = generator.program(number)
        world = World(subject)
        for i, (line, expected) in enumerate(zip(lines, records, strict=True)):
            difference = compare(i, line, expected, world.run(line))
            if difference:
                kind = (line.op, difference.what)
                times, *first = found.get(kind, (0, lines, difference))
                found[kind] = (times + 1, *first)
                break
    return found, generator


def counts(generator):
    """A line for every four operations: name, times drawn, times without an exception."""
    cells = [f"{op.key} {generator.drawn[op.key]} ({generator.succeeded[op.key]})" for op in OPERATIONS]
    return ["".join(f"{cell:36}" for cell in cells[i : i + 4]).rstrip() for i in range(0, len(cells), 4)]


def told(found, torch, subject):
    kinds = sorted(found.items(), key=lambda item: -item[1][0])
    text = []
    for (op, what), (times, lines, difference) in kinds[:SHOWN]:
        text.append(f"--- {op}: {what} ({times} times)\n{literal(*shrink(lines, difference, torch, subject))}\n")
    for (op, what), (times, _, _) in kinds[SHOWN:]:
        text.append(f"--- also {op}: {what} ({times} times)")
    return "\n".join(text)


def test_programs_give_what_torch_gives(torch, seed, pytestconfig, report, quiet):
    programs = pytestconfig.getoption("--programs")
    found, generator = failures(torch, stridecore, seed, programs)
    report(f"{programs} random programs: operation, times drawn (without an exception)", counts(generator))
    if found:
        pytest.fail(told(found, torch, stridecore), pytrace=False)
    if programs >= 5000:
        rare = {op.key: generator.drawn[op.key] for op in VIEWS if generator.drawn[op.key] < LEAST}
        assert not rare
        hopeless = {op.key for op in VIEWS if generator.succeeded[op.key] < LEAST // 3}
        assert not hopeless


def test_torch_agrees_with_itself(torch, quiet):
    found, _ = failures(torch, torch, 7, 60)
    assert not found


def test_a_fault_is_found_and_shrunk(torch, quiet):
    """A library whose movedim copies: the harness sees it and cuts the program to the lines that matter."""
    faulty = types.SimpleNamespace(**{name: getattr(torch, name) for name in dir(torch)})
    faulty.movedim = lambda *args, **kwargs: torch.movedim(*args, **kwargs).clone()
    found, _ = failures(torch, faulty, 7, 200)
    assert {op for op, _ in found} == {"lib.movedim"}
    _, lines, difference = next(iter(found.values()))
    lines, difference = shrink(lines, difference, torch, faulty)
    assert len(lines) <= 3
    assert "movedim" in lines[-1].text
    assert "# is_view:" in literal(lines, difference) or "# base" in literal(lines, difference)


def test_programs_are_the_same_for_the_same_seed(torch, quiet):
    a, b = Generator(torch, 3), Generator(torch, 3)
    assert [a.program(i)[0] for i in range(20)] == [b.program(i)[0] for i in range(20)]


def test_a_world_tells_a_write_through_a_view(torch):
    """The record of a line, spelled out."""
    from random_programs.worlds import Line

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        world = World(torch)
        world.run(Line("t0 = lib.zeros((2, 2), dtype=lib.uint8)"))
        outcome, (tensors, storages), values = world.run(Line("t1 = t0[:, 1]"))
        assert outcome == ("gives", ("tensor", 1))
        assert tensors[1][:4] == ("uint8", (2,), (2,), 1)
        assert values == [("[0, 0]", None)]
        _, (_, storages), _ = world.run(Line("t1[0] = 7"))
        assert storages == [(4, b"\x00\x07\x00\x00")]
    assert check([Line("t0 = lib.zeros(3)")], torch, torch) is None
