"""The words for layouts and places: memory formats, layouts, devices."""

import copy
import pickle

import pytest

import stridecore as sc

FORMATS = "preserve_format contiguous_format channels_last channels_last_3d".split()
LAYOUTS = "strided sparse_coo".split()


@pytest.mark.parametrize("name", FORMATS + LAYOUTS)
def test_one_object_each(name):
    word = getattr(sc, name)
    assert repr(word) == str(word) == f"stridecore.{name}"
    assert isinstance(word, sc.memory_format if name in FORMATS else sc.layout)
    assert pickle.loads(pickle.dumps(word)) is copy.copy(word) is copy.deepcopy(word) is word


@pytest.mark.parametrize("cls", [sc.memory_format, sc.layout])
def test_no_new_ones(cls):
    with pytest.raises(TypeError, match="can't make new ones"):
        cls()
    assert repr(cls) == f"<class 'stridecore.{cls.__name__}'>"


def test_devices():
    cpu = sc.device("cpu")
    assert (repr(cpu), str(cpu), cpu.type, cpu.index) == ("device(type='cpu')", "cpu", "cpu", None)
    first = sc.device("cpu:0")
    assert (repr(first), str(first), first.index) == ("device(type='cpu', index=0)", "cpu:0", 0)
    assert first == sc.device("cpu", 0) == sc.device(type="cpu", index=0) == sc.device(first) != cpu
    assert cpu == sc.device("cpu") == sc.zeros(1).device and hash(cpu) == hash(sc.device("cpu"))
    assert cpu != "cpu"
    assert pickle.loads(pickle.dumps(first)) == first == copy.deepcopy(first)
    with pytest.raises(AttributeError):
        cpu.type = "gpu"


@pytest.mark.parametrize(
    "arguments, error",
    [
        (("cuda",), RuntimeError),
        (("cpu:x",), RuntimeError),
        (("cpu:-1",), RuntimeError),
        (("cpu:01",), RuntimeError),
        (("cpu:0", 0), RuntimeError),
        (("cpu", -1), RuntimeError),
        (("",), RuntimeError),
        ((0,), RuntimeError),
        ((None,), TypeError),
        (("cpu", "cpu"), TypeError),
        ((), TypeError),
    ],
)
def test_devices_that_there_are_not(arguments, error):
    with pytest.raises(error):
        sc.device(*arguments)
