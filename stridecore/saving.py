"""`save`: the door to stridecore.checkpoint.write, which is loaded at the first call."""

__all__ = ["save"]


def save(obj, f, pickle_module=None, pickle_protocol=2, _use_new_zipfile_serialization=True, *, compact=False):
    """Save tensors, storages and what holds them to a file that torch.load(weights_only=True) and stridecore.load open.

    `obj` may contain dicts, OrderedDicts, lists, tuples, sets, numbers, strings, bytes, None, sizes, dtypes and
    devices, and whatever else pickle can take (which torch.load then opens with weights_only=False). Sizes, strides,
    offsets, lazy bits and shared storages are kept, and whole storages are written, as in torch; tensors on one
    storage may differ in dtype. `f` is a path or an object with `write`. A file is complete or not there: a temporary
    one in the same folder takes its name at the end. The same object gives the same bytes. Large storages are written
    from where they are, without a copy; don't change them meanwhile.

    With `compact=True` only what the tensors reach of their storages is saved, and a tensor that has its part of memory
    for itself without the gaps in it. Warnings tell of tensors with negative strides (which are saved as contiguous
    copies: torch can't rebuild them) and of small views that drag large storages along. Instances of subclasses are
    saved as plain tensors. `_use_new_zipfile_serialization=False` writes the older format. `pickle_module` can only be
    pickle.

    RuntimeError for a tensor whose storage was made too small for it; pickle.PicklingError or TypeError for objects
    that can't be pickled; then nothing is written.

    >>> import io, stridecore as sc
    >>> f = io.BytesIO()
    >>> sc.save({"weight": sc.ones(2, 3), "step": 7}, f)
    >>> f.getvalue()[:2]
    b'PK'
    """
    from stridecore.checkpoint.write import save

    save(obj, f, pickle_module, pickle_protocol, _use_new_zipfile_serialization, compact)
