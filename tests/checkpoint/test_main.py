"""`python -m stridecore.checkpoint FILE`."""

import json
import subprocess
import sys
from pathlib import Path

import crafted as c
import pytest

from stridecore.checkpoint.__main__ import main

FILES = Path(__file__).with_name("files")


def test_the_table(capsys):
    assert main([str(FILES / "zip.pt")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["name", "dtype", "shape", "stride", "storage", "offset", "bytes"]
    assert lines[1].split() == ["x", "float32", "3x4", "zip/data/0", "0", "48"]
    assert lines[2].split() == ["t", "float32", "4x3", "1,4", "zip/data/0", "0", "48"]
    assert lines[5].split()[:2] == ["conj", "complex64*"]
    assert lines[-1] == "8 tensors of 37 elements on 5 storages of 76 bytes, torch zip"


def test_json(capsys):
    assert main([str(FILES / "zip.pt"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["format"], found["numel"], found["storage_nbytes"]) == ("torch zip", 37, 76)
    assert found["tensors"][2] == {
        "name": "part",
        "dtype": "float32",
        "shape": [2, 2],
        "stride": [4, 2],
        "storage_offset": 4,
        "conj": False,
        "neg": False,
        "nbytes": 16,
        "storage": "zip/data/0",
        "storage_nbytes": 48,
        "location": "cpu",
    }


@pytest.mark.parametrize("name", ["legacy.pt", "others.pt", "script.pt"])
def test_every_format(name, capsys):
    assert main([str(FILES / name)]) == 0
    assert "tensors of" in capsys.readouterr().out


def test_what_can_not_be_read(capsys, tmp_path):
    (tmp_path / "bad").write_bytes(b"nonsense")
    assert main([str(tmp_path / "bad")]) == 1
    assert main([str(tmp_path / "missing")]) == 1
    printed = capsys.readouterr()
    assert printed.out == "" and "no checkpoint that is known" in printed.err and "No such file" in printed.err


def test_names_can_not_command_the_terminal(capsys, tmp_path):
    (tmp_path / "x").write_bytes(c.container(c.dict_((c.text("a\x1b[31m\r\n"), c.tensor()))))
    assert main([str(tmp_path / "x")]) == 0
    assert capsys.readouterr().out.splitlines()[1].startswith("a\\x1b[31m\\r\\n ")


def test_as_a_program():
    done = subprocess.run(
        [sys.executable, "-m", "stridecore.checkpoint", str(FILES / "zip.pt")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("name") and not done.stderr
