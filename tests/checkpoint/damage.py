"""Run by test_damage.py in a process with little memory: damaged files are loaded, and the outcomes counted.

python damage.py KIND SEED COUNT: KIND is the name of a file made by `small_files`; every byte of it is changed in turn
(COUNT 0), or COUNT random damages are done. Prints the numbers of files refused and loaded; anything else than a
CheckpointError ends the process.
"""

import io
import os
import random
import struct
import sys
import traceback
import warnings

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import crafted as c

import stridecore as sc
from stridecore import checkpoint
from stridecore.checkpoint import CheckpointError

MEMORY = 1 << 30


def value(storage):
    affine = c.tuple_(c.name("torch", "per_tensor_affine"), c.real(0.5), c.number(1))
    rest = [b"\x89", c.ordered_dict()]
    args = [storage("q", 4, "QInt8Storage"), c.number(0), c.ints([2, 2]), c.ints([2, 1]), affine, *rest]
    array = c.call(
        c.name("numpy.core.multiarray", "_reconstruct"), c.name("numpy", "ndarray"), c.ints([0]), c.text("b")
    )
    kind = c.call(c.name("numpy", "dtype"), c.text("i2"), b"\x89", b"\x88")
    state = c.tuple_(c.number(1), c.ints([2]), kind, b"\x89", b"C\x04abcd")
    return c.dict_(
        (c.text("w"), c.tensor((2, 2), (1, 3), 1, storage()) + b"q\x07"),
        (c.text("again"), b"h\x07"),
        (c.text("q"), c.call(c.name("torch._utils", "_rebuild_qtensor"), *args)),
        (c.text("n"), c.list_(c.number(300), c.real(1.5), c.number(2**70), c.NONE, b"\x88")),
        (c.tuple_(c.number(1), c.text("k")), array + state + b"b"),
        (c.text("net"), c.name("m", "Net") + b")\x81" + c.dict_((c.text("lr"), c.number(1))) + b"b"),
        (c.text("set"), c.call(c.name("builtins", "set"), c.list_(c.number(1), c.text("x")))),
        (c.text("size"), c.call(c.name("torch", "Size"), c.ints([1, 2]))),
    )


def small_files():
    floats = struct.pack("<6f", *range(6))
    script = c.name("__torch__.m", "M") + b")\x81" + c.dict_((c.text("w"), c.tensor()), (c.text("n"), c.NONE)) + b"b"
    f = io.BytesIO(c.container(script))
    import zipfile

    with zipfile.ZipFile(f, "a") as archive:
        archive.writestr("a/constants.pkl", c.pickled(b")"))
    return {
        "zip": c.container(value(c.storage), {"0": floats, "q": b"abcd"}, order=b"little"),
        "deflated": c.container(value(c.storage), {"0": floats, "q": b"abcd"}, deflated=True, order=b"big"),
        "legacy": c.legacy(value(c.legacy_storage), [("0", 6, floats), ("q", 4, b"abcd")]),
        "script": f.getvalue(),
        "tar": c.tar_file().rstrip(b"\0") + b"\0" * 16,
    }


def try_to_load(data):
    """1 if the file is loaded, as sound objects; 0 if it is refused."""
    try:
        found = sc.load(io.BytesIO(data))
        use(found, set())
        opened = checkpoint.open(io.BytesIO(data))
        for tensor in opened.load().values():
            if tensor.numel() < 1 << 24:  # strides of 0 make a large one of a few bytes
                tensor.sum(dtype=sc.float64) if not tensor.is_complex() else tensor.clone()
        return 1
    except CheckpointError:
        return 0


def use(found, seen):
    """Touch every element of every tensor."""
    if id(found) in seen:
        return
    seen.add(id(found))
    if isinstance(found, sc.Tensor):
        if found.numel() < 1 << 24:
            found.clone()
    elif isinstance(found, dict):
        for part in found.values():
            use(part, seen)
    elif isinstance(found, list | tuple):
        for part in found:
            use(part, seen)
    repr(found)


def damaged(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(data))
        kind = rng.randrange(6)
        if kind == 0:
            data[at] = rng.randrange(256)
        elif kind == 1:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 2:
            data[at : at + rng.randrange(1, 9)] = b""
        elif kind == 3:
            data[at:at] = rng.randbytes(rng.randrange(1, 9))
        elif kind == 4:
            data[at : at + 4] = rng.choice((b"\xff" * 4, b"\0" * 4, b"\xff\xff\xff\x7f", b"\0\0\0\x80"))
        else:
            other = rng.randrange(len(data))
            data[at : at + 16] = data[other : other + 16]
        if not data:
            break
    return bytes(data)


def limit_memory():
    if "libasan" in os.environ.get("LD_PRELOAD", ""):
        return  # it reserves terabytes of addresses
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, ValueError, OSError):
        pass


def main(kind, seed, count):
    import numpy  # noqa: F401 its threads want memory of their own

    limit_memory()
    warnings.simplefilter("ignore")
    data = small_files()[kind]
    assert try_to_load(data) == 1, "the undamaged file"
    rng = random.Random(f"{kind}:{seed}")
    if count:
        files = (damaged(data, rng) for _ in range(count))
    else:
        files = (
            data[:at] + bytes([byte]) + data[at + 1 :]
            for at in range(len(data))
            for byte in {data[at] ^ 0xFF, data[at] ^ 1, rng.randrange(256)} - {data[at]}
        )
    outcomes = [0, 0]
    for file in files:
        try:
            outcomes[try_to_load(file)] += 1
        except BaseException:
            traceback.print_exc()
            print("the file:", file.hex(), file=sys.stderr)
            return 1
    print(*outcomes)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3])))
