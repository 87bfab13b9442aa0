"""Every limit on what a file may ask for, in one place.

They are read when they are needed, so a program that trusts its files more, or less, may assign to them:
`stridecore.checkpoint.limits.OPCODES = 10**8`. Past a limit a file is refused with a CheckpointError; no limit cuts
anything off silently. The bytes of tensors are bounded by the file itself: a stored record can't be longer than the
file, and a deflated one must inflate to exactly what its storage needs.
"""

# ---- archives ----
ARCHIVE_ENTRIES = 1_000_000  # records of a zip archive
DIRECTORY_BYTES = 256 << 20  # its central directory
NAME_BYTES = 4096  # the name of a record
SMALL_RECORD_BYTES = 4096  # records that say one word: version, byteorder, …
INFLATE_RATIO = 1100  # a deflated record to its compressed bytes: the format can't exceed 1032

# ---- pickles ----
PICKLE_BYTES = 512 << 20  # one pickle, inflated
OPCODES = 20_000_000  # in one file; a million takes a fraction of a second
MEMO = 10_000_000  # remembered objects
DEPTH = 1000  # containers in containers
INTEGER_BYTES = 1024  # one integer; its decimal form has a limit of 4096 digits
GLOBAL_BYTES = 1024  # a module or class name
KEY_NODES = 1000  # parts of one dict key or set element
COLLIDING_KEYS = 10_000  # integer keys of 61 bits and more, which a file could choose to collide
COPIED_BYTES = 1 << 30  # what opcodes that cost more than a constant may copy: strings encoded, lists made sets, …
PART_BYTES = 100  # one element or part of a key counts as so many bytes of that

# ---- tensors ----
DIMS = 64
TENSORS = 5_000_000  # rebuilt in one file

# ---- safetensors ----
SAFETENSORS_HEADER_BYTES = 100_000_000  # as the format says
