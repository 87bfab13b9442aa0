"""Methods as functions of the package."""

import pickle
import sys

import pytest

import stridecore as sc


def test_the_tensor_comes_first_or_as_input():
    x = sc.zeros(2, 3)
    for y in (sc.transpose(x, 0, 1), sc.transpose(x, dim0=0, dim1=1), sc.transpose(input=x, dim0=0, dim1=1),
              sc.transpose(dim1=1, input=x, dim0=0), sc.transpose(x, 0, dim1=1), sc.t(x), sc.t(input=x)):  # fmt: skip
        assert y.is_set_to(x.t())
    assert sc.numel(x) == 6


@pytest.mark.parametrize(
    "call",
    [
        lambda x: sc.transpose(),
        lambda x: sc.transpose(x),
        lambda x: sc.transpose(x, 0, 1, 2),
        lambda x: sc.transpose(x, 0, 1, input=x),
        lambda x: sc.transpose(x, 0, dim9=1),
        lambda x: sc.transpose([[1]], 0, 1),
        lambda x: sc.transpose(input=3, dim0=0, dim1=1),
        lambda x: sc.reshape(x, 6),
        lambda x: sc.reshape(x, 2, 3),
        lambda x: sc.permute(x, 1, 0),
        lambda x: sc.broadcast_to(x, 2, 3),
        lambda x: sc.real(3),
        lambda x: sc.split(input=x, split_size_or_sections=1),
        lambda x: sc.split([1], 1),
    ],
)
def test_wrong_calls(call):
    with pytest.raises(TypeError):
        call(sc.zeros(2, 3))


def test_sizes_are_a_tuple():
    x = sc.zeros(2, 3)
    assert sc.reshape(x, (3, 2)).shape == sc.reshape(x, shape=[3, 2]).shape == sc.reshape(input=x, shape=(3, 2)).shape
    assert sc.permute(x, (1, 0)).stride() == (1, 3)
    assert sc.broadcast_to(x, (4, 2, 3)).stride() == (0, 3, 1)


def test_properties_as_functions():
    x = sc.tensor([1 + 2j])
    assert sc.real(x).tolist() == [1] and sc.imag(input=x).tolist() == [2]
    with pytest.raises(RuntimeError):
        sc.imag(sc.zeros(2))


def test_split_names_its_tensor_tensor():
    pieces = sc.split(tensor=sc.arange(5), split_size_or_sections=2, dim=0)
    assert [p.tolist() for p in pieces] == [[0, 1], [2, 3], [4]]


def test_no_python_frame():
    x = sc.zeros(2, 3)
    frames = []
    sys.setprofile(lambda frame, event, arg: frames.append(event) if event == "call" else None)
    try:
        sc.transpose(x, 0, 1)
        sc.reshape(x, (6,))
        sc.t(input=x)
    finally:
        sys.setprofile(None)
    assert frames == []


def test_what_a_function_says_of_itself():
    f = sc.transpose
    assert repr(f) == "<function stridecore.transpose>"
    assert (f.__name__, f.__qualname__, f.__module__) == ("transpose", "transpose", "stridecore")
    assert f.__doc__ == sc.Tensor.transpose.__doc__ and f.__wrapped__ is sc.Tensor.transpose
    assert pickle.loads(pickle.dumps(f)) is f


def test_is_tensor_and_is_storage():
    x = sc.zeros(2)
    assert sc.is_tensor(x) and not sc.is_tensor(x.untyped_storage()) and not sc.is_tensor(3)
    assert sc.is_storage(x.untyped_storage()) and sc.is_storage(x.storage()) and not sc.is_storage(x)


def test_the_class_owns_the_methods_of_the_chain():
    """Descriptors of the class itself spare the interpreter a walk along the bases at every call."""
    assert sc.Tensor.transpose.__objclass__ is sc.Tensor
    assert sc.Tensor.__dict__["shape"].__objclass__ is sc.Tensor

    class Mine(sc.Tensor):
        def t(self):
            return "mine"

    x = Mine(2, 3)
    assert x.t() == "mine" and super(Mine, x).t().shape == (3, 2) and sc.t(x).shape == (3, 2)
