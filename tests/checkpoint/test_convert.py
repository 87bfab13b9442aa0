"""--convert: every format into the three that are written, from the command line."""

import io

import pytest

import stridecore as sc
from stridecore.checkpoint import safetensors
from stridecore.checkpoint.__main__ import main
from stridecore.checkpoint.convert import Progress

pytestmark = pytest.mark.filterwarnings("ignore:TypedStorage is dep", "ignore:ComplexHalf")


def source(tmp_path, obj):
    path = tmp_path / "in.pt"
    sc.save(obj, path)
    return str(path)


def convert(capsys, path, out, status=0):
    assert main([path, "--convert", str(out)]) == status
    captured = capsys.readouterr()
    return captured.err if status else captured.out


def values():
    x = sc.arange(6.0).view(2, 3)
    return {"a": x, "b": {"t": x.t(), "c": [sc.tensor([1 + 2j]).conj(), 5]}, "h": sc.ones(2, dtype=sc.bfloat16)}


def test_to_safetensors(tmp_path, capsys):
    line = convert(capsys, source(tmp_path, values()), tmp_path / "out.safetensors")
    assert "4 tensors of 60 bytes; 1 shared storages with others" in line
    made = safetensors.load_file(tmp_path / "out.safetensors")
    assert list(made) == ["a", "b.t", "b.c.0", "h"]
    assert made["b.t"].tolist() == values()["b"]["t"].tolist()
    assert made["b.c.0"].tolist() == [1 - 2j]


def test_to_npz(tmp_path, capsys):
    np = pytest.importorskip("numpy")
    line = convert(capsys, source(tmp_path, values()), tmp_path / "out.npz")
    assert "1 in dtypes that NumPy has not are float32" in line
    with np.load(tmp_path / "out.npz") as made:
        assert made.files == ["a", "b.t", "b.c.0", "h"]
        assert made["b.t"].tolist() == values()["b"]["t"].tolist()
        assert made["h"].dtype == np.float32 and made["b.c.0"].tolist() == [1 - 2j]


def test_to_pytorch_keeps_the_object(tmp_path, capsys, torch):
    old = tmp_path / "old.pth"
    x = torch.arange(6.0)
    torch.save({"a": x, "b": [x[1:], 7]}, old, _use_new_zipfile_serialization=False)
    convert(capsys, str(old), tmp_path / "new.pt")
    made = torch.load(tmp_path / "new.pt", weights_only=True)
    assert made["b"][1] == 7 and made["b"][0].tolist() == [1, 2, 3, 4, 5]
    assert made["a"].untyped_storage().data_ptr() == made["b"][0].untyped_storage().data_ptr()
    assert (tmp_path / "new.pt").read_bytes()[:2] == b"PK"


def test_modules_become_dicts_of_tensors(tmp_path, capsys, torch):
    torch.save(torch.nn.Linear(2, 3), tmp_path / "module.pt")
    assert "by name" in convert(capsys, str(tmp_path / "module.pt"), tmp_path / "new.pt")
    assert torch.load(tmp_path / "new.pt", weights_only=True).keys() == {"weight", "bias"}


def test_from_safetensors_with_metadata(tmp_path, capsys, torch):
    safetensors.save_file({"x": sc.arange(3)}, tmp_path / "in.safetensors", {"k": "v"})
    convert(capsys, str(tmp_path / "in.safetensors"), tmp_path / "out.safetensors")
    assert (tmp_path / "out.safetensors").read_bytes() == (tmp_path / "in.safetensors").read_bytes()
    convert(capsys, str(tmp_path / "in.safetensors"), tmp_path / "out.pt")
    assert torch.load(tmp_path / "out.pt")["x"].tolist() == [0, 1, 2]


def test_a_file_onto_itself(tmp_path, capsys):
    path = source(tmp_path, values())
    before = sc.load(path)["a"].tolist()
    convert(capsys, path, path)
    assert sc.load(path)["a"].tolist() == before


def test_what_cannot_be_converted_is_one_line(tmp_path, capsys):
    path = source(tmp_path, {"x": sc.ones(1, dtype=sc.complex128)})
    assert "complex128" in convert(capsys, path, tmp_path / "out.safetensors", 1)
    assert "none of .safetensors" in convert(capsys, path, tmp_path / "out.h5", 1)
    assert convert(capsys, str(tmp_path / "absent"), tmp_path / "out.pt", 1)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["in.pt"]


def test_the_bar():
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream = Terminal()
    bar = Progress(4 << 20, stream)
    bar.add(1 << 20)
    bar.add(3 << 20)
    bar.close()
    assert stream.getvalue().split("\r")[1].startswith("[#######.......................]  25%  1.0/4.0 MiB")
    assert stream.getvalue().endswith("100%  4.0/4.0 MiB\n")
    silent = io.StringIO()
    Progress(1, silent).add(1)
    assert silent.getvalue() == ""


@pytest.mark.parametrize("name", ["a\0b", "n" * 70_000])
def test_names_that_no_npz_can_have(name, tmp_path, capsys):
    sc.save({name: sc.ones(2)}, tmp_path / "x.pt")
    assert main([str(tmp_path / "x.pt"), "--convert", str(tmp_path / "x.npz")]) == 1
    assert "an .npz file can't have the name" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["x.pt"]
