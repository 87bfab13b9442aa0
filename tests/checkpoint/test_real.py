"""Checkpoints that other people published, fetched with pip, and compared tensor by tensor with torch's reading."""

import json
import subprocess
import sys
import warnings
import zipfile

import against
import loaded
import pytest

import stridecore as sc
from stridecore import checkpoint

pytestmark = pytest.mark.network


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """wheel("lpips==0.1.4"): a folder with the contents of the wheel; skips where it can't be had."""
    folders = {}

    def fetch(requirement):
        if requirement not in folders:
            folder = tmp_path_factory.mktemp("wheel")
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
            command += ["--retries", "1", "--timeout", "10", "-d", str(folder), requirement]
            try:
                subprocess.run(command, check=True, capture_output=True, timeout=60)
            except (subprocess.SubprocessError, OSError) as error:
                pytest.skip(f"pip could not download {requirement}: {type(error).__name__}")
            with zipfile.ZipFile(next(folder.glob("*.whl"))) as archive:
                archive.extractall(folder)
            folders[requirement] = folder
        return folders[requirement]

    return fetch


def test_lpips(wheel, torch):
    files = sorted((wheel("lpips==0.1.4") / "lpips" / "weights").glob("*/*.pth"))
    assert len(files) == 6
    for file in files:
        theirs = torch.load(file, map_location="cpu")
        assert loaded.same_objects(sc.load(file, unknown="error"), theirs, torch) in (5, 7)
        loaded.same_objects(sc.load(file, mmap=True), theirs, torch)
        with checkpoint.open(file) as opened:
            assert opened.format == "torch legacy" and list(opened) == list(theirs)
            for name, tensor in opened.load().items():
                against.same(tensor, theirs[name])


def test_silero_vad(wheel, torch):
    data = wheel("silero-vad==6.2.3") / "silero_vad" / "data"
    script = data / "silero_vad.jit"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = torch.jit.load(script).state_dict()
    for mine in (sc.load(script, unknown="error"), sc.load(script, mmap=True)):
        for name, tensor in theirs.items():
            against.same(mine[name], tensor.detach())
        assert mine["sample_rates"] == [8000, 16000]
    with checkpoint.open(script) as opened:
        assert opened.format == "TorchScript" and set(theirs) <= set(opened)


def test_silero_vad_safetensors(wheel):
    """Compared with what the file's own header says of its bytes, and with the other file of the model."""
    data = wheel("silero-vad==6.2.3") / "silero_vad" / "data"
    file = data / "silero_vad_16k.safetensors"
    content = file.read_bytes()
    start = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:start])
    tensors = sc.load(file, mmap=True)
    with checkpoint.open(file) as opened:
        assert opened.format == "safetensors" and len(opened) == 15 and list(opened) == list(tensors)
    for name, tensor in tensors.items():
        first, end = header[name]["data_offsets"]
        assert list(tensor.shape) == header[name]["shape"] and tensor.dtype is sc.float32
        assert against.storage_bytes(tensor) == content[start + first : start + end]
    script = sc.load(data / "silero_vad.jit", mmap=True)
    assert tensors["stft_conv.weight"].tolist() == script["_model.stft.forward_basis_buffer"].tolist()
