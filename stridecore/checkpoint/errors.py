"""The one exception of the readers."""

import pickle

__all__ = ["CheckpointError"]


class CheckpointError(pickle.UnpicklingError):
    """A file that can't be read: damaged, truncated, hostile, or of a kind that isn't known.

    The message names the file, the record and what is wrong with it.
    """

    __module__ = "stridecore.checkpoint"
