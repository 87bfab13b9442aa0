"""Rooms loaded at first use: what the tables promise is what the rooms define."""

import subprocess
import sys
from importlib import import_module

import pytest

import stridecore as sc
from stridecore import late


def test_functions_are_what_the_rooms_list():
    for room, names in late.FUNCTIONS.items():
        assert sorted(names.split()) == sorted(import_module(room).__all__), room
        for name in names.split():
            assert getattr(sc, name) is getattr(import_module(room), name)


def test_methods_are_what_the_rooms_set():
    for room, names in late.METHODS.items():
        import_module(room)
        for name in names.split():
            assert not isinstance(vars(sc.Tensor)[name], late.LateMethod), (room, name)


def test_no_name_has_two_rooms():
    for table in (late.FUNCTIONS, late.METHODS):
        names = [name for names in table.values() for name in names.split()]
        assert len(names) == len(set(names)), [name for name in names if names.count(name) > 1]


def run(program):
    return subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize(
    "use",
    [
        "sc.sqrt(sc.ones(2))",
        "sc.ones(2).sqrt()",
        "sc.Tensor.sqrt(sc.ones(2))",
        "type('Mine', (sc.Tensor,), {'sqrt': lambda self: super(type(self), self).sqrt()})(2).fill_(1).sqrt()",
    ],
)
def test_each_way_in_loads_the_room(use):
    program = f"import sys, stridecore as sc\nassert 'numpy' not in sys.modules\nprint({use}.tolist())"
    assert run(program) == "[1.0, 1.0]\n"


def test_names_are_listed_before_their_room_is_loaded():
    program = (
        "import sys, stridecore as sc\n"
        "print('sqrt' in dir(sc), 'sqrt' in sc.__all__, 'sqrt' in dir(sc.Tensor), 'numpy' in sys.modules)"
    )
    assert run(program) == "True True True False\n"
    assert run("from stridecore import *\nprint(sqrt(ones(1)).tolist())") == "[1.0]\n"


def test_unknown_names_are_attribute_errors():
    with pytest.raises(AttributeError, match="module 'stridecore' has no attribute 'no_such_name'"):
        sc.no_such_name  # noqa: B018
