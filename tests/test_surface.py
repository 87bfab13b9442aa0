"""The table of names (surface.py) beside torch and stridecore."""

import ast
import re

import pytest
from keyword_calls import CALLS, NO_KEYWORDS, NO_LINES, NOT_IN_PYTHON, START
from random_programs.worlds import Line, check
from surface import FUNCTIONS, TENSOR

import stridecore as sc

# beside what every object has: a note that pickling leaves on classes, and what later Pythons add to them
PLAIN = {
    *dir(object),
    *"__slotnames__ __buffer__ __release_buffer__ __static_attributes__ __firstlineno__".split(),
}
TABLES = {"Tensor": (TENSOR, sc.Tensor), "functions": (FUNCTIONS, sc)}


def done(table, room=""):
    return sorted(name for name, status in table.items() if status.startswith(f"done: {room}"))


@pytest.mark.parametrize("which", TABLES)
def test_every_status_is_known(which):
    table, _ = TABLES[which]
    for name, status in table.items():
        assert re.fullmatch(r"done: (core|copies|gather|math|files)|excluded: .+|own: .+", status), (name, status)


def test_every_name_of_a_torch_tensor_is_in_the_table(torch):
    missing = [name for name in dir(torch.Tensor) if name not in TENSOR and name not in PLAIN]
    assert not missing


def test_nothing_is_in_the_table_that_torch_lacks(torch):
    for which, theirs in (("Tensor", torch.Tensor), ("functions", torch)):
        table, _ = TABLES[which]
        extra = [n for n, status in table.items() if not status.startswith("own") and not hasattr(theirs, n)]
        assert not extra, which


@pytest.mark.parametrize("which", TABLES)
def test_what_is_done_is_there(which):
    table, mine = TABLES[which]
    own = [name for name, status in table.items() if status.startswith("own")]
    missing = [name for name in [*done(table), *own] if name not in dir(mine)]
    assert not missing


@pytest.mark.parametrize("which", TABLES)
def test_what_is_there_is_in_the_table(which):
    table, mine = TABLES[which]
    names = [n for n in dir(mine) if not n.startswith("_") or (which == "Tensor" and n not in PLAIN)]
    modules = {n for n in names if type(getattr(mine, n)).__name__ == "module"}
    strays = [n for n in names if n not in modules and n not in table and not n.startswith("__pyx")]
    assert not strays
    assert not [n for n in names if n not in modules and table.get(n, "").startswith("excluded")]


# --- keywords


def _uses(line):
    """(name, keywords) of every method and function of torch that a line calls."""
    for node in ast.walk(ast.parse(line)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            yield node.func.attr, {k.arg for k in node.keywords}


def test_torchs_keywords(torch, quiet):
    wrong = []
    for call in CALLS:
        difference = check([Line(text) for text in START] + [Line(f"result = {call}")], torch, sc)
        if difference:
            wrong.append(f"{call}: {difference.detail}")
    assert not wrong, "\n".join(wrong)


def test_every_keyword_has_a_line(torch):
    used = {}
    for line in CALLS:
        for name, keywords in _uses(line):
            used.setdefault(name, set()).update(keywords)
    without = {}
    for name in {*done(TENSOR, "core"), *done(FUNCTIONS, "core")} - set(NO_LINES):
        keywords = {
            a.name for schema in torch._C._jit_get_schemas_for_operator(f"aten::{name}") for a in schema.arguments
        } - {"self", "input", *NO_KEYWORDS, *NOT_IN_PYTHON.get(name, ())}
        if keywords - used.get(name, set()):
            without[name] = keywords - used.get(name, set())
    assert not without


def test_unknown_keywords_are_refused(torch, quiet):
    """A misspelt keyword is a TypeError, not ignored."""
    taken = []
    for call in CALLS:
        misspelt = re.sub(r"(\w+)=", r"\1x=", call, count=1)
        difference = check([Line(text) for text in START] + [Line(f"result = {misspelt}")], torch, sc)
        if difference:
            taken.append(f"{misspelt}: {difference.detail}")
    assert not taken, "\n".join(taken)
