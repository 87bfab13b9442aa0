"""Checkpoints put together by hand, byte by byte: sound ones, and ones that no writer would write.

Pickles are built from the functions below, each the opcodes of one value; `container` puts them into a zip archive.

>>> tuple_(number(1), text("a"))
b'(K\\x01X\\x01\\x00\\x00\\x00at'
"""

import io
import struct
import tarfile
import zipfile

STOP = b"."
NONE = b"N"
EMPTY_DICT = b"}"


def number(n):
    if 0 <= n < 256:
        return b"K" + bytes([n])
    digits = n.to_bytes(n.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(digits)]) + digits if len(digits) < 256 else b"\x8b" + struct.pack(
        "<i", len(digits)
    ) + digits


def text(s):
    data = s.encode()
    return b"X" + struct.pack("<I", len(data)) + data


def real(x):
    return b"G" + struct.pack(">d", x)


def name(module, name):
    return b"c" + module.encode() + b"\n" + name.encode() + b"\n"


def tuple_(*values):
    return b"(" + b"".join(values) + b"t"


def list_(*values):
    return b"](" + b"".join(values) + b"e"


def dict_(*pairs):
    return b"}(" + b"".join(key + value for key, value in pairs) + b"u"


def call(function, *args):
    return function + tuple_(*args) + b"R"


def ints(values):
    return tuple_(*map(number, values))


def pickled(value):
    return b"\x80\x02" + value + STOP


def storage(key="0", numel=6, kind="FloatStorage"):
    """A storage by its persistent id."""
    where = "torch.storage" if kind == "UntypedStorage" else "torch"
    return tuple_(text("storage"), name(where, kind), text(key), text("cpu"), number(numel)) + b"Q"


def tensor(size=(2, 3), stride=(3, 1), offset=0, of=None, metadata=None):
    """torch._utils._rebuild_tensor_v2."""
    args = [of or storage(), number(offset), ints(size), ints(stride), b"\x89", ordered_dict()]
    return call(name("torch._utils", "_rebuild_tensor_v2"), *args, *([metadata] if metadata else []))


def tensor_without_class(dtype, numel, nbytes):
    """A 1-dim tensor of a dtype that has no storage class of its own: an untyped storage, and the dtype by name."""
    of = storage("0", nbytes, "UntypedStorage")
    rebuild = name("torch._utils", "_rebuild_tensor_v3")
    return call(rebuild, of, number(0), ints([numel]), ints([1]), b"\x89", ordered_dict(), name("torch", dtype))


def ordered_dict():
    return name("collections", "OrderedDict") + b")R"


def container(value, records=None, root="a", deflated=False, order=None):
    """The bytes of a zip archive with the pickle of these opcodes and the storages' records."""
    content = pickled(value)
    records = {"0": struct.pack("<6f", *range(6))} if records is None else records
    f = io.BytesIO()
    with zipfile.ZipFile(f, "w", zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED) as archive:
        archive.writestr(f"{root}/data.pkl", content)
        if order:
            archive.writestr(f"{root}/byteorder", order)
        for key, data in records.items():
            archive.writestr(f"{root}/data/{key}", data)
        archive.writestr(f"{root}/version", "3\n")
    return f.getvalue()


MAGIC = 0x1950A86A20F9469CFC6C


def legacy_storage(key="0", numel=6, kind="FloatStorage", view=NONE):
    return tuple_(text("storage"), name("torch", kind), text(key), text("cpu"), number(numel), view) + b"Q"


def legacy(value, storages=None):
    """The bytes of a file of protocol 1001; `storages` are (key, count, bytes)."""
    storages = [("0", 6, struct.pack("<6f", *range(6)))] if storages is None else storages
    about = dict_((text("little_endian"), b"\x88"))
    parts = [pickled(number(MAGIC)), pickled(number(1001)), pickled(about), pickled(value)]
    parts.append(pickled(list_(*(text(key) for key, _, _ in storages))))
    parts += [struct.pack("<q", count) + data for _, count, data in storages]
    return b"".join(parts)


def tar(members):
    """The bytes of a tar archive."""
    f = io.BytesIO()
    with tarfile.open(fileobj=f, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return f.getvalue()


def tar_file(offset=1):
    """A file of the oldest format: a tensor on a storage, another on a view of it from `offset` on, and the view."""
    described = tuple_(number(11), text("cpu"), name("torch", "FloatStorage"))
    view = tuple_(number(12), number(11), number(2), number(4))
    storages = pickled(number(1)) + pickled(described) + struct.pack("<q6f", 6, *range(6))
    storages += pickled(list_(view))
    tensors = pickled(number(2))
    for key, on, at in ((21, 11, 0), (22, 12, offset)):
        tensors += pickled(tuple_(number(key), number(on), name("torch", "FloatTensor")))
        tensors += struct.pack("<i4x2q2qq", 2, 1, 3, 3, 1, at)
    value = dict_((text("x"), number(21) + b"Q"), (text("y"), b"P22\n"), (text("s"), number(12) + b"Q"))
    about = pickled(EMPTY_DICT)
    return tar({"sys_info": about, "pickle": pickled(value), "storages": storages, "tensors": tensors})
