"""Measurements of stridecore beside libc memcpy, NumPy and torch: `python -m benchmarks`.

Run from the repository. Python puts that folder first on the path, where the source folder stridecore/ hides an
installed stridecore; when the sources hold no built extension modules, the folder is taken off the path again.
"""

import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def sources_are_built() -> bool:
    """True iff the stridecore/ beside this package can be imported as it is."""
    return any((ROOT / "stridecore" / "core" / f"engine{suffix}").exists() for suffix in EXTENSION_SUFFIXES)


if not sources_are_built():
    sys.path[:] = [entry for entry in sys.path if Path(entry or ".").resolve() != ROOT]
