"""Checkpoints: read, looked at and written without torch, and without running anything that a file says.

`load` gives what was saved, `open` a mapping of names to tensors that are read when they are asked for. The rooms,
each importing only from those before it:

    limits, errors      what a file may ask for; how a refusal looks
    source              bytes of a file by offset: read or mapped
    archive             zip: records by name
    stubs, composites   inert stand-ins for classes; tensors of several parts
    lazy                tensors that are known and not read
    rebuild             storages and tensors; the one check of a geometry against its storage
    operands, nesting, unpickle             the pickle interpreter
    known, numpy_values                     the closed table of names that it knows
    container, legacy, torchscript, tar     the formats of torch
    reading, opening, table                 which format a file has; load, open, and what the command line shows
"""

from stridecore.checkpoint.errors import CheckpointError
from stridecore.checkpoint.opening import Checkpoint, open
from stridecore.checkpoint.reading import load

__all__ = ["Checkpoint", "CheckpointError", "load", "open"]
