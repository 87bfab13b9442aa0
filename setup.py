"""Build the engine (src/, plain C11) and the Cython core (stridecore/core/).

Everything else about the package stands in pyproject.toml. STRIDECORE_SANITIZE=address,undefined
builds both under those sanitizers.
"""

import os
import sys
from glob import glob

from Cython.Build import cythonize
from setuptools import Extension, setup

MSVC = sys.platform == "win32"
SANITIZE = os.environ.get("STRIDECORE_SANITIZE", "")

if MSVC:
    COMPILE, LINK = ["/O2", "/std:c11", "/experimental:c11atomics"], []
elif SANITIZE:
    COMPILE = ["-std=gnu11", "-O1", "-g", "-fno-omit-frame-pointer", f"-fsanitize={SANITIZE}",
               "-fno-sanitize-recover=all", "-fvisibility=hidden"]
    LINK = [f"-fsanitize={SANITIZE}"]
else:
    COMPILE = ["-std=gnu11", "-O3", "-g0", "-fno-math-errno", "-fvisibility=hidden"]
    LINK = [] if sys.platform == "darwin" else ["-Wl,-s", "-pthread"]

HEADERS = sorted(glob("src/**/*.h", recursive=True))


def extension(path):
    """The extension module of one .pyx; only `engine` links the C sources."""
    name = os.path.splitext(path)[0].replace(os.sep, ".").replace("/", ".")
    sources = [path] + (sorted(glob("src/**/*.c", recursive=True)) if name.endswith(".engine") else [])
    return Extension(name, sources, include_dirs=["src"], depends=HEADERS,
                     extra_compile_args=COMPILE, extra_link_args=LINK)


setup(
    ext_modules=cythonize(
        [extension(path) for path in sorted(glob("stridecore/core/*.pyx"))],
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "binding": False,
            "embedsignature": True,
            "embedsignature.format": "clinic",
        },
    )
)
