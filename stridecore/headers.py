"""Where the C headers are, for Cython code that cimports the core."""

__all__ = ["get_include"]


def get_include() -> str:
    """The folder of the engine's headers, for the include_dirs of an extension that cimports `stridecore.core`.

    >>> import os, stridecore as sc
    >>> os.path.exists(os.path.join(sc.get_include(), "stridecore.h"))
    True
    """
    from pathlib import Path

    package = Path(__file__).resolve().parent
    installed = package / "include"
    return str(installed if installed.is_dir() else package.parent / "src")
