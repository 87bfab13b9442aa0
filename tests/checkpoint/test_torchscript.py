"""TorchScript archives written by torch: tensors and attributes by name, and the constants of the code."""

import io
import warnings
import zipfile

import against
import crafted as c
import pytest

import stridecore as sc
from stridecore import checkpoint


@pytest.fixture
def model(torch):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.linear = torch.nn.Linear(2, 3)
            self.table = torch.tensor([1.0, 2.0])
            self.count = 3

        def forward(self, x):
            return self.linear(x) + self.count + torch.tensor([5.0, 6.0, 7.0])

    return Model().eval()


def archive(torch, path, made):
    torch.jit.save(made, path)
    return path


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch calls its own compiler deprecated
        yield


def test_scripted(torch, model, tmp_path):
    v = sc.load(archive(torch, tmp_path / "scripted.pt", torch.jit.script(model)), unknown="error")
    against.same(v["linear.weight"], model.linear.weight.detach())
    assert v["table"].tolist() == [1.0, 2.0] and v["count"] == 3


def test_constants_of_a_traced_module(torch, model, tmp_path):
    path = archive(torch, tmp_path / "traced.pt", torch.jit.trace(model, torch.ones(1, 2)))
    for mmap in (False, True):
        v = sc.load(path, mmap=mmap, unknown="error")
        against.same(v["linear.bias"], model.linear.bias.detach())
        constants = [v[name].tolist() for name in v if name.startswith("CONSTANTS.c")]
        assert [5.0, 6.0, 7.0] in constants


def test_frozen_weights_are_constants(torch, model, tmp_path):
    path = archive(torch, tmp_path / "frozen.pt", torch.jit.freeze(torch.jit.script(model)))
    v = sc.load(path, unknown="error")
    assert set(v) == {"CONSTANTS.c0", "CONSTANTS.c1", "CONSTANTS.c2"}
    against.same(v["CONSTANTS.c0"], model.linear.weight.detach())
    with checkpoint.open(path) as opened:
        assert list(opened) == list(v) and opened["CONSTANTS.c0"].shape == (3, 2)


def test_constants_that_are_no_tuple(tmp_path):
    """Whatever constants.pkl holds, the module's attributes are there."""
    module = c.name("__torch__.m", "M") + b")\x81" + c.dict_((c.text("w"), c.tensor())) + b"b"
    f = io.BytesIO(c.container(module))
    with zipfile.ZipFile(f, "a") as archive:
        archive.writestr("a/constants.pkl", c.pickled(c.number(3)))
    f.seek(0)
    assert list(sc.load(f)) == ["w"]
