"""Tensors among NumPy's arrays, scalars and functions: as torch has it, and `array + tensor` works."""

import operator

import numpy as np
import pytest
from against import convert
from pointwise_cases import agree, quietly

import stridecore as sc

OPERATORS = "add sub mul truediv floordiv mod pow eq ne lt le gt ge".split()


def test_arrays_are_tensors_over_them():
    x = sc.tensor([1.0, 2.0])
    a = np.array([10.0, 20.0])
    for result in (x + a, a + x):
        assert type(result) is sc.Tensor
        assert result.dtype is sc.float64
        assert result.tolist() == [11, 22]
    assert (a - x).tolist() == [9, 18]
    assert (a < x).tolist() == [False, False]
    assert (a == x).tolist() == [False, False]
    assert (np.arange(6).reshape(2, 3)[:, ::-2] * x[0]).tolist() == [[2, 0], [5, 3]]
    x += a
    assert x.tolist() == [11, 22]
    assert x.dtype is sc.float32
    a += sc.tensor([1.0, 1.0]).numpy()
    assert a.tolist() == [11, 21]


@pytest.mark.parametrize("name", OPERATORS)
def test_scalars(torch, name):
    function = getattr(operator, name)
    scalars = [np.float64(2), np.float32(1.5), np.int64(3), np.int8(2), np.uint8(2), np.complex128(1 + 1j), np.bool_(1)]
    for t in (torch.tensor([1.0, 2.0]), torch.tensor([3, 4]), torch.tensor(3, dtype=torch.int16)):
        x = convert(t, sc)
        for scalar in scalars:
            context = f"{name} {t} {scalar!r}"
            agree(quietly(function, x, scalar), quietly(function, t, scalar), context)
            agree(quietly(function, scalar, x), quietly(function, scalar, t), context)


def test_numpy_functions(torch):
    t = torch.tensor([[1.0, 4.0], [9.0, 16.0]])
    for view in (t, t.t(), t[0], t[0, 0]):
        x = convert(view, sc)
        for name in ("sin", "sqrt", "isnan", "negative", "exp"):
            function = getattr(np, name)
            agree(quietly(function, x), quietly(function, view), name)
        agree(quietly(np.add, x, np.float64(1)), quietly(np.add, view, np.float64(1)), "add")
    assert type(np.add(np.ones((2, 2)), convert(t, sc))) is sc.Tensor
    assert type(np.add.reduce(convert(t, sc))) is sc.Tensor
    assert type(np.frexp(convert(t, sc))[1]) is sc.Tensor


def test_what_is_no_operand():
    x = sc.ones(2)
    assert (x == None) is False    # noqa: E711
    assert (x != "a") is True
    for other in (None, "a", [1, 2], {}, np.array(["a", "b"]), object()):
        for function in (operator.add, operator.lt, operator.iadd, operator.pow):
            with pytest.raises(TypeError):
                function(x, other)
    assert x != [1]


def test_contains_and_hash():
    x = sc.tensor([[1.0, 2.0], [3.0, float("nan")]])
    assert 2 in x
    assert 5 not in x
    assert float("nan") not in x
    assert sc.tensor(3.0) in x
    assert sc.tensor([1.0, 2.0]) in x
    assert np.float64(1) in x
    with pytest.raises(RuntimeError, match="only supports Tensor or scalar"):
        "a" in x    # noqa: B015
    assert hash(x) == hash(x)
    assert {x: 1}[x] == 1
    assert len({x, x[0], x[0]}) == 3


def test_bool_and_format():
    assert bool(sc.tensor([2.0]))
    for x in (sc.ones(2), sc.ones(0)):
        with pytest.raises(RuntimeError, match="ambiguous"):
            bool(x)
    assert f"{sc.tensor(1.5):.3f} {sc.tensor(7):>3}" == "1.500   7"
    assert f"{sc.tensor([1.0])}" == "tensor([1.])"
    with pytest.raises(TypeError):
        f"{sc.tensor([1.0]):.3f}"


def test_subclasses_keep_their_type():
    class Mine(sc.Tensor):
        pass

    x = Mine(3).fill_(2)
    assert type(x + 1) is Mine
    assert type(1 - x) is Mine
    assert type(x * sc.ones(2, 3)) is Mine
    assert type(x == x) is Mine


def test_float_sums_of_many_kinds_need_no_numpy():
    import subprocess
    import sys

    program = (
        "import sys, stridecore as sc\n"
        "x = sc.arange(6.0).view(2, 3)\n"
        "y = (x + x * 2 - 1) / 4\n"
        "y += x\n"
        "y.add_(x); sc.mul(x, 3); -x; x == y; x < 2; x ** 2\n"
        "print('numpy' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert ran.stdout == "True\n" or ran.stdout == "False\n"
