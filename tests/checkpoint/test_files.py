"""Files that torch 2.13 wrote, kept in the folder `files`: what they hold is said here, so no torch is needed."""

from pathlib import Path

import pytest

import stridecore as sc
from stridecore import checkpoint

FILES = Path(__file__).with_name("files")


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("name", ["zip.pt", "legacy.pt"])
def test_tensors(name, mmap):
    v = sc.load(FILES / name, mmap=mmap, unknown="error")
    assert v["x"].tolist() == [[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0]]
    assert v["t"].stride() == (1, 4) and v["t"][3].tolist() == [3.0, 7.0, 11.0]
    assert (v["part"].stride(), v["part"].storage_offset()) == ((4, 2), 4)
    assert v["part"].tolist() == [[4.0, 6.0], [8.0, 10.0]]
    for view in ("t", "part", "row"):
        assert v[view].untyped_storage() is v["x"].untyped_storage()
    assert v["conj"].is_conj() and v["conj"].tolist() == [1 - 2j, 3 + 4j]
    assert v["half"].dtype is sc.bfloat16 and v["half"].tolist() == [1.5, -2.0]
    assert v["state"] == {"step": 7, "betas": (0.9, 0.999), "name": "adäm", "none": None}
    v["row"][0] = 100
    assert v["x"][2, 0].item() == 100


def test_what_the_newer_format_has_besides():
    v = sc.load(FILES / "zip.pt")
    assert v["wide"].dtype is sc.uint64 and v["wide"].tolist() == [2**63 + 1]
    assert tuple(v["empty"].shape) == (0, 3)


def test_others():
    v = sc.load(FILES / "others.pt")
    assert v["quantised"].int_repr().tolist() == [3, 4, 5]
    assert (v["quantised"].q_scale(), v["quantised"].q_zero_point()) == (0.5, 3)
    assert v["sparse"].to_dense().tolist() == [[0.0, 0.0, 3.0], [4.0, 0.0, 0.0]]
    assert v["module"].name == "Linear" and v["module"]["in_features"] == 2
    assert v["module"]["_parameters"]["weight"].shape == (1, 2)
    assert v["parameter"].tolist() == [1.0, 1.0]
    with pytest.raises(checkpoint.CheckpointError, match=r"torch\.nn\.modules\.linear\.Linear"):
        sc.load(FILES / "others.pt", unknown="error")


def test_torchscript():
    v = sc.load(FILES / "script.pt", unknown="error")
    assert v["inner.scale"].tolist() == [1.5, -2.0]
    assert v["inner.table"].tolist() == [[0, 3], [1, 4], [2, 5]] and v["inner.table"].stride() == (1, 3)
    assert v["twice.1.weight"].tolist() == [[0.25, 0.25]]
    assert v["inner.names"] == ["a", "b"] and v["training"] is True
