"""The one exception of the readers."""

import pickle

__all__ = ["CheckpointError"]


class CheckpointError(pickle.UnpicklingError):
    """A file that can't be read: damaged, truncated, hostile, or of a kind that isn't known.

    The message names the file, the record and what is wrong; `file` and `record` are names too, or None.

    >>> from stridecore.checkpoint import CheckpointError
    >>> str(CheckpointError("it has 3 bytes", "a.pt", "a/data/0"))
    "a.pt: record 'a/data/0': it has 3 bytes"
    """

    __module__ = "stridecore.checkpoint"

    def __init__(self, message, file=None, record=None):
        super().__init__(message)
        self.message = message
        self.file = file
        self.record = record

    def __str__(self):
        where = "" if self.file is None else f"{self.file}: "
        if self.record is not None:
            where += f"record {self.record!r}: "
        return where + str(self.message)

    def __reduce__(self):
        return CheckpointError, (self.message, self.file, self.record)
