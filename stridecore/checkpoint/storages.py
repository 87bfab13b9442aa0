"""What a file keeps of the storages: which bytes go into which record, and how a tensor is told from there.

A first pass over the object meets every tensor and storage. If nothing special turns up, what it wrote is the file;
otherwise `plan` decides and a second pass writes it:

    storage   |..AAAA....BBBB..CC.........|        A and B share memory, C is by itself
    as it is  one record with all of it
    compact   record 0: AAAABBBB's stretch, record 1: CC

A storage whose tensors have several dtypes, or whose length isn't a whole number of elements, is saved as bytes.
"""

import warnings

from stridecore import TypedStorage, contiguous_format, empty, preserve_format
from stridecore.checkpoint.pickler import Call, Global, Persistent
from stridecore.storage import class_of

DRAG_RATIO = 10  # a storage this many times what its tensors reach …
DRAG_NBYTES = 1 << 20  # … and larger than this is worth a warning

REBUILD_V2 = Global("torch._utils", "_rebuild_tensor_v2")
REBUILD_V3 = Global("torch._utils", "_rebuild_tensor_v3")
REBUILD_SPARSE = Global("torch._utils", "_rebuild_sparse_tensor")
NO_HOOKS = Call(Global("collections", "OrderedDict"))
BYTES = Global("torch.storage", "UntypedStorage")
LEGACY_BYTES = Global("torch", "ByteStorage")  # the older format has no untyped storages


class Record:
    """Bytes of a storage that become one record: key (a str, once it is written), storage, first byte, number of bytes,
    and `dtype`, that of all tensors on it, or None if it is written as bytes."""

    __slots__ = ("dtype", "first", "key", "nbytes", "storage")

    def __init__(self, storage, first, nbytes, dtype):
        self.storage, self.first, self.nbytes, self.dtype = storage, first, nbytes, dtype
        self.key = None

    def is_typed(self):
        """Whether files have a storage class for it; otherwise it is written as bytes."""
        return self.dtype is not None and class_of(self.dtype) is not None

    def memory(self):
        return memoryview(self.storage)[self.first : self.first + self.nbytes]


class Seen:
    """What the first pass saw of one storage: {(dtype, first byte, end, layout)}, and whether it is saved itself."""

    __slots__ = ("storage", "stretches", "whole")

    def __init__(self, storage):
        self.storage = storage
        self.stretches = {}
        self.whole = False


def stretch(tensor):
    """(first byte, end) of what a tensor reaches in its storage; RuntimeError if that goes beyond it."""
    itemsize = tensor.element_size()
    low = high = tensor.storage_offset()
    if tensor.numel() == 0:
        return low * itemsize, low * itemsize
    for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
        if stride < 0:
            low += (size - 1) * stride
        else:
            high += (size - 1) * stride
    nbytes = tensor.untyped_storage().nbytes()
    if low < 0 or (high + 1) * itemsize > nbytes:
        raise RuntimeError(
            f"save: a tensor of size {tuple(tensor.shape)} and stride {tensor.stride()} reaches byte "
            f"{(high + 1) * itemsize} of a storage of {nbytes} bytes, which was made smaller"
        )
    return low * itemsize, (high + 1) * itemsize


def merged(stretches):
    """Disjoint [first, end] pairs, in order, of stretches that may overlap."""
    found = []
    for first, end in sorted(stretches):
        if found and first < found[-1][1]:
            found[-1][1] = max(end, found[-1][1])
        else:
            found.append([first, end])
    return found


def plain(tensor):
    """The tensor without its conjugate and negative bits, over the same memory."""
    if tensor.is_conj():
        tensor = tensor.conj()
    return tensor._neg_view() if tensor.is_neg() else tensor


def with_bits(dense, tensor):
    """`dense`, a plain tensor, with the conjugate and negative bits of `tensor`."""
    dense = dense._neg_view() if tensor.is_neg() else dense
    return dense.conj() if tensor.is_conj() else dense


class Storages:
    """Both passes' answer to "what to write for this tensor or storage"; `legacy` for the older format."""

    def __init__(self, legacy=False):
        self.legacy = legacy
        self.seen = {}  # storage's _cdata → Seen
        self.placed = {}  # storage's _cdata → its Records, disjoint and in order
        self.records = []  # in the order in which they are first written
        self.copies = {}  # id of a tensor that can't be saved as it is → (that tensor, one that can)
        self.reversed = 0
        self.globals = {}  # torch's storage classes by name
        self.stripped = set()  # ids of instances of subclasses that have attributes
        self.aliases = {}  # (storage's _cdata, name of a quantised storage class) → that storage under another _cdata
        self.kinds = {}  # the aliases' _cdata → that name
        self.gaps = {}  # (storage's _cdata, layout) of what is alone on its stretch → a copy without gaps

    def begin(self):
        """Forget what was written, not what was seen: a pass begins."""
        self.records = []
        for records in self.placed.values():
            for record in records:
                record.key = None

    # ---- asked by the pickler -------------------------------------------------------------------------------

    def tensor(self, tensor):
        if tensor.is_sparse:
            return self.sparse(tensor)
        if getattr(tensor, "__dict__", None):
            self.stripped.add(id(tensor))
        if min(tensor.stride(), default=0) < 0:
            tensor = self.copied(tensor)
        storage, dtype = tensor.untyped_storage(), tensor.dtype
        first, end = stretch(tensor)
        layout = (dtype, first, end, tuple(tensor.shape), tensor.stride())
        if (storage._cdata, layout) in self.gaps:
            tensor = with_bits(self.gaps[storage._cdata, layout], tensor)
            storage = tensor.untyped_storage()
            first, end = stretch(tensor)
            layout = (dtype, first, end, tuple(tensor.shape), tensor.stride())
        seen = self.look(storage)
        seen.stretches.setdefault(layout, tensor)
        record = self.find(seen, first, end, dtype)
        metadata = {}
        if tensor.is_conj():
            metadata["conj"] = True
        if tensor.is_neg():
            metadata["neg"] = True
        start = tensor.storage_offset() - record.first // dtype.itemsize
        args = [self.reference(record), start if end > first else max(start, 0), tuple(tensor.shape), tensor.stride()]
        args += [False, NO_HOOKS]
        if not record.is_typed():
            args.append(dtype)
        if metadata:
            args.append(metadata)
        return Call(REBUILD_V2 if record.is_typed() else REBUILD_V3, *args)

    def composite(self, obj):
        from stridecore.checkpoint.composing import written

        return written(self, obj)

    def sparse(self, tensor):
        return Call(
            REBUILD_SPARSE,
            tensor.layout,
            (tensor._indices(), tensor._values(), tensor.size(), tensor.is_coalesced()),
        )

    def quantized(self, tensor, kind):
        """The arguments that rebuild the integers of a quantised tensor; `kind` is torch's name of their storage class.

        Such tensors share storages with one another, not with plain tensors.
        """
        storage = tensor.untyped_storage()
        view = self.aliases.get((storage._cdata, kind))
        if view is None:
            view = self.aliases[storage._cdata, kind] = storage[:]
            self.kinds[view._cdata] = kind
        same = empty(0, dtype=tensor.dtype).set_(view, tensor.storage_offset(), tensor.size(), tensor.stride())
        return self.tensor(same).args

    def storage(self, storage):
        untyped = storage.untyped()
        seen = self.look(untyped)
        seen.whole = True
        if isinstance(storage, TypedStorage):
            if class_of(storage.dtype) is None:
                raise TypeError(
                    f"save: files know no storage of {storage.dtype}; save .untyped() or a tensor on it instead"
                )
            seen.stretches.setdefault((storage.dtype, 0, untyped.nbytes(), None, None), None)
            record = self.find(seen, 0, untyped.nbytes(), storage.dtype)
            if record.dtype is None:
                raise RuntimeError(
                    "save: cannot save multiple tensors or storages that view the same data as different types, if one "
                    "of them is a TypedStorage; save its .untyped() instead"
                )
        else:
            seen.stretches.setdefault((None, 0, untyped.nbytes(), None, None), None)
            record = self.find(seen, 0, untyped.nbytes(), None)
        return self.reference(record)

    def reference(self, record):
        if record.key is None:
            record.key = str(len(self.records))
            self.records.append(record)
        if not record.is_typed():
            kind, numel = LEGACY_BYTES if self.legacy else BYTES, record.nbytes
        else:
            name = self.kinds.get(record.storage._cdata) or class_of(record.dtype).__name__
            kind = self.globals.get(name)
            if kind is None:
                kind = self.globals[name] = Global("torch", name)
            numel = record.nbytes // record.dtype.itemsize
        fields = ("storage", kind, record.key, "cpu", numel)
        return Persistent(*fields, None) if self.legacy else Persistent(*fields)

    # ---- bookkeeping ----------------------------------------------------------------------------------------

    def copied(self, tensor):
        """A contiguous copy of a tensor with negative strides, which torch can't rebuild."""
        found = self.copies.get(id(tensor))
        if found is None:
            self.reversed += 1
            found = self.copies[id(tensor)] = (tensor, tensor.clone(memory_format=contiguous_format))
        return found[1]

    def look(self, storage):
        seen = self.seen.get(storage._cdata)
        if seen is None:
            seen = self.seen[storage._cdata] = Seen(storage)
        return seen

    def find(self, seen, first, end, dtype):
        """The record that has these bytes; the first pass takes the whole storage for it."""
        records = self.placed.get(seen.storage._cdata)
        if records is None:
            records = self.placed[seen.storage._cdata] = [Record(seen.storage, 0, seen.storage.nbytes(), dtype)]
        for record in records:
            if first == end and record.dtype in (None, dtype):
                return record
            if first < end and record.first <= first and end <= record.first + record.nbytes:
                return record
        if first == end:  # no bytes, and a dtype that only tensors without elements have
            records.append(Record(seen.storage, 0, 0, dtype))
            return records[-1]
        raise RuntimeError("save: the object gave other tensors when it was read a second time")

    # ---- between the passes ---------------------------------------------------------------------------------

    def plan(self, compact):
        """Decide which bytes are kept and how; True if that differs from what the first pass wrote."""
        changed = False
        for cdata, seen in list(self.seen.items()):
            if compact and not seen.whole:
                records = self.compact_records(seen)
            else:
                dtypes = {layout[0] for layout in seen.stretches}
                records = [Record(seen.storage, 0, seen.storage.nbytes(), agreed(dtypes, seen.storage.nbytes()))]
            before = self.placed[cdata]
            if [(r.first, r.nbytes, r.dtype) for r in records] != [(r.first, r.nbytes, r.dtype) for r in before]:
                self.placed[cdata] = records
                changed = True
        return changed or bool(self.gaps)

    def compact_records(self, seen):
        records = []
        layouts = [layout for layout in seen.stretches if layout[2] > layout[1]]
        for first, end in merged((layout[1], layout[2]) for layout in layouts):
            inside = [layout for layout in layouts if first <= layout[1] < end]
            largest = max(layout[0].itemsize for layout in inside)
            first -= first % largest  # offsets stay whole numbers of elements
            tensor = seen.stretches[inside[0]]
            if len(inside) == 1 and tensor.numel() * largest < end - first:
                self.gaps[seen.storage._cdata, inside[0]] = plain(tensor).clone(memory_format=preserve_format)
            records.append(Record(seen.storage, first, end - first, agreed({i[0] for i in inside}, end - first)))
        if not records:
            records.append(Record(seen.storage, 0, 0, agreed({layout[0] for layout in seen.stretches}, 0)))
        return records

    def warn(self, compact):
        """The warnings of one save: at most one of each kind."""
        if self.reversed:
            warnings.warn(
                f"save: tensors with negative strides ({self.reversed} of them), which torch can't rebuild, are saved "
                "as contiguous copies with storages of their own",
                UserWarning,
                stacklevel=4,
            )
        if self.stripped:
            warnings.warn(
                f"save: instances of subclasses ({len(self.stripped)} of them) are saved as plain tensors, without "
                "their attributes",
                UserWarning,
                stacklevel=4,
            )
        if compact:
            return
        dragged = []
        for seen in self.seen.values():
            nbytes = seen.storage.nbytes()
            if nbytes > DRAG_NBYTES and not seen.whole:
                reached = sum(end - first for first, end in merged((i[1], i[2]) for i in seen.stretches))
                if reached * DRAG_RATIO <= nbytes:
                    dragged.append((nbytes, reached))
        if dragged:
            nbytes, reached = max(dragged)
            warnings.warn(
                f"save: storages much larger than what the saved tensors reach of them ({len(dragged)}; one has "
                f"{nbytes} bytes for {reached}) are saved whole; compact=True leaves out the rest, as .clone() does",
                UserWarning,
                stacklevel=4,
            )


def agreed(dtypes, nbytes):
    """The dtype that a record is written as: the tensors' if they agree and fill it with whole elements, or None."""
    if len(dtypes) != 1:
        return None
    (dtype,) = dtypes
    return dtype if dtype is not None and nbytes % dtype.itemsize == 0 else None
