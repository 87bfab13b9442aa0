"""extrema.py and return_types.py: the greatest and the smallest as torch finds them."""

import copy
import pickle
import subprocess
import sys

import pytest
from reduction_cases import FLOATS, INTEGERS, agree_code, agree_everywhere, agree_out, random_tensor

import stridecore as sc

ONE_DIM = [((), {}), ((0,), {}), ((-1, True), {}), ((), {"dim": 1, "keepdim": True}), ((2,), {}), ((-3,), {})]
DIMS = [((), {"dim": d, "keepdim": k}) for d in (0, -1, (0, 1), (-1, 0), ()) for k in (False, True)]


@pytest.mark.parametrize("name", ["max", "min", "argmax", "argmin"])
def test_one_dim_as_torch(torch, rng, name):
    agree_everywhere(torch, rng, name, ONE_DIM, FLOATS + INTEGERS + ["complex64"])


@pytest.mark.parametrize("name", ["amax", "amin"])
def test_dims_as_torch(torch, rng, name):
    agree_everywhere(torch, rng, name, [((), {}), *DIMS], FLOATS + INTEGERS)


def test_aminmax_as_torch(torch, rng):
    cases = [((), {}), ((), {"dim": 0}), ((), {"dim": -1, "keepdim": True}), ((), {"keepdim": True}), ((0,), {})]
    agree_everywhere(torch, rng, "aminmax", cases, FLOATS + INTEGERS)


def test_arguments_as_torch(torch, rng):
    agree_code(
        """
        x.max(1.0) | x.max(dim=(0, 1)) | x.max(keepdim=True) | x.max(3) | x.max('a') | x.max(None) | x.max(True)
        x.max(axis=0, keepdims=True) | lib.max(x, 0, True) | lib.max(input=x, dim=1) | lib.max(x, dim=1) | lib.max(3)
        x.max(0, out=None) | x.argmax('a') | x.argmax((0, 1)) | x.argmax(None, True) | x.argmax(keepdim=True)
        x.argmax(axis=1) | x.amax(None) | x.amax((0, 0)) | x.amax([0, 1], True) | x.amax(axis=0) | x.min(0, 1)
        lib.zeros(0, 3).max() | lib.zeros(0, 3).max(0) | lib.zeros(0, 3).max(1) | lib.zeros(0, 3).amax()
        lib.zeros(0, 3).amax(0) | lib.zeros(0, 3).argmax() | lib.zeros(0, 3).argmax(0) | lib.zeros(0, 3).aminmax()
        lib.zeros(0, 3).aminmax(dim=0) | lib.zeros(0, 3).amax(1) | lib.zeros(0, 3).amax((0, 1)) | lib.tensor(3.).max(0)
        lib.tensor(3.).argmax(0, True) | lib.tensor(3.).argmin() | lib.tensor(3.).max(1) | lib.tensor(3.).amax(0)
        lib.max(x, 0, out=(lib.zeros(0), lib.zeros(0, dtype=lib.int64)))
        lib.max(x, 0, True, out=(lib.zeros(1, 3, 4), lib.zeros(1, 3, 4, dtype=lib.int64)))
        lib.max(x, 0, out=(lib.zeros(0, dtype=lib.float64), lib.zeros(0, dtype=lib.int64)))
        lib.max(x, 0, out=(lib.zeros(0), lib.zeros(0))) | lib.max(x, 0, out=lib.zeros(0)) | lib.max(x, 0, out=())
        lib.max(x, out=lib.zeros(())) | lib.max(x, out=lib.zeros(2))
        lib.aminmax(x, out=(lib.zeros(()), lib.zeros(())))
        x.max(x[0]) | lib.max(x, other=x[:1]) | lib.min(x, x[0], out=lib.zeros(0)) | x.min(x[:, :2]) | x.max(x, True)
        lib.argmax(x, 0, out=lib.zeros(0, dtype=lib.int64)) | lib.argmax(x, 0, out=lib.zeros(0, dtype=lib.int32))
        """,
        x=random_tensor(torch, rng, "float32", (2, 3, 4)),
    )


@pytest.mark.parametrize("name", ["amax", "amin", "argmax"])
def test_out(torch, rng, name):
    t = random_tensor(torch, rng, "float32", (3, 4))
    agree_out(name, sc.from_numpy(t.numpy()), t, (0,), "float32 float64 int64 bool", [(4,), (0,), (2, 3)])


def test_values():
    x = sc.tensor([[1.0, 5.0], [float("nan"), 3.0]])
    assert x.max(1).indices.tolist() == [1, 0]
    assert x.min(0).indices.tolist() == [1, 1]
    assert x[0].max().item() == 5
    assert sc.tensor([2, 7, 7, 1]).argmax().item() == 1
    assert sc.tensor([-(2**63), 2**63 - 1]).aminmax().max.item() == 2**63 - 1


def test_return_types_are_there_before_they_are_used():
    program = "import stridecore as sc; print(sc.return_types.max.__name__)"
    assert subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout == "max\n"


def test_named_tuples_print_pickle_and_copy():
    pair = sc.tensor([3, 5, 4]).max(0)
    assert repr(pair) == "stridecore.return_types.max(\nvalues=tensor(5),\nindices=tensor(1))"
    values, indices = pair
    assert values is pair.values
    assert indices is pair[1]
    for again in (pickle.loads(pickle.dumps(pair)), copy.copy(pair), copy.deepcopy(pair)):
        assert type(again) is type(pair)
        assert again.values.item() == 5
    with pytest.raises(TypeError):
        type(pair)((values,))
    with pytest.raises(AttributeError):
        pair.values = values
