"""Files written by torch, read here and by torch: the same objects, tensors, layouts and sharing."""

import io
import struct
from collections import Counter, OrderedDict

import crafted as c
import loaded
import pytest

import stridecore as sc

DTYPES = [name for name in sc.dtypes.names() if str(getattr(sc, name)) == f"stridecore.{name}"]
FORMATS = ["zip", "legacy"]


def saved(torch, value, kind="zip", **options):
    f = io.BytesIO()
    torch.save(value, f, _use_new_zipfile_serialization=kind == "zip", **options)
    f.seek(0)
    return f


def check(torch, value, kind="zip", tmp_path=None):
    """Save with torch, load with both, compare; also by path and mapped."""
    f = saved(torch, value, kind)
    try:
        theirs = torch.load(io.BytesIO(f.getvalue()), weights_only=False)
    except AttributeError:  # torch's own legacy reader doesn't know the dtypes that came after it
        theirs = value
    count = loaded.same_objects(sc.load(f, unknown="error"), theirs, torch)
    if tmp_path is not None:
        path = tmp_path / "any.name"
        path.write_bytes(f.getvalue())
        loaded.same_objects(sc.load(path, mmap=True), theirs, torch)
    return count


def values(torch, dtype, *shape):
    """A tensor of random bytes: every bit pattern may occur, but in bool."""
    made = torch.randint(0, 256, (*shape[:-1], shape[-1] * getattr(torch, dtype).itemsize), dtype=torch.uint8)
    return (made % 2).bool() if dtype == "bool" else made.view(getattr(torch, dtype))


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype(torch, tmp_path, dtype, kind):
    x = values(torch, dtype, 3, 4)
    check(torch, {"x": x, "t": x.t(), "part": x[1:, ::2], "one": x[1, 2]}, kind, tmp_path)


@pytest.mark.parametrize("kind", FORMATS)
def test_layouts_and_sharing(torch, tmp_path, kind):
    x = torch.arange(24.0).view(2, 3, 4)
    z, w = torch.randn(2, 3, 2, dtype=torch.complex64).unbind()
    w = w.clone()
    value = OrderedDict(
        whole=x,
        again=x,
        permuted=x.permute(2, 0, 1),
        sliced=x[:, 1:, ::3],
        expanded=x[:1].expand(5, 3, 4),
        overlapping=x.as_strided((3, 3), (1, 1), 2),
        scalar=torch.tensor(3.5),
        empty=torch.empty(0, 3),
        end_of=x[2:],
        channels=torch.zeros(2, 3, 4, 5).contiguous(memory_format=torch.channels_last),
        conj=z.conj(),
        neg=w.conj().imag,
        both=z.conj()[1:],
        nested=[x[0], (x[1], {"deep": x.t() if x.dim() == 2 else x[0].t()})],
    )
    assert check(torch, value, kind, tmp_path) == 15  # two names are one tensor


@pytest.mark.parametrize("kind", FORMATS)
def test_values_that_are_no_tensors(torch, kind):
    value = {
        "numbers": [0, 1, -1, 255, 256, 65536, -(2**31), 2**31, 2**63, -(2**200), 1.5, float("inf"), 1 + 2j],
        "words": ["", "a", "ä€😀", "x" * 300, b"", b"bytes\xff", bytearray(b"more")],
        "others": [None, True, False, (), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4), [], {}, {1, 2}],
        "counts": Counter("hello"),
        "torch": [torch.Size([2, 3]), torch.float16, torch.device("cpu"), torch.bfloat16],
        1: "an int key",
        (2, "b"): "a tuple key",
        None: "a None key",
    }
    value["itself"] = value["numbers"]
    check(torch, value, kind)


def test_state_dict_of_a_module(torch, tmp_path):
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4), torch.nn.Linear(2, 2))
    optimizer = torch.optim.Adam(net.parameters())
    net(torch.zeros(1, 3, 4, 4)).sum().backward()
    optimizer.step()
    value = {"model": net.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}
    check(torch, value, "zip", tmp_path)
    assert sc.load(saved(torch, value))["model"]._metadata[""] == {"version": 1}
    parameter = sc.load(saved(torch, net[2].weight))
    assert type(parameter) is sc.Tensor and parameter.tolist() == net[2].weight.tolist()


def crafted_files():
    shared = c.tuple_(c.tensor(), c.tensor((2, 2), (1, 3), 1))
    view = c.tuple_(c.text("v"), c.number(2), c.number(3))
    part = c.tensor((3,), (1,), of=c.legacy_storage(view=view))
    return {
        "zip": c.container(shared),
        "deflated": c.container(shared, deflated=True),
        "big-endian": c.container(shared, {"0": struct.pack(">6f", *range(6))}, order=b"big"),
        "legacy": c.legacy(c.tuple_(c.tensor(of=c.legacy_storage()), part)),
        "tar": c.tar_file(),
    }


@pytest.mark.filterwarnings("ignore:TypedStorage")
@pytest.mark.parametrize("name", ["zip", "deflated", "big-endian", "legacy", "tar"])
def test_torch_reads_the_crafted_files_alike(torch, tmp_path, name):
    path = tmp_path / name
    path.write_bytes(crafted_files()[name])
    theirs = torch.load(path, weights_only=False)
    mine = sc.load(path, unknown="error")
    if name == "tar":
        assert mine.pop("s").tolist() == theirs.pop("s").tolist()
    assert loaded.same_objects(mine, theirs, torch) == 2
