"""Build the engine (src/, plain C11) and the Cython core (stridecore/core/).

Everything else about the package stands in pyproject.toml. STRIDECORE_SANITIZE=address,undefined
builds both under those sanitizers. The engine's headers go into the package as stridecore/include,
so that other Cython code can cimport the core (see stridecore/headers.py).
"""

import os
import sys
from glob import glob

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_py import build_py

MSVC = sys.platform == "win32"
SANITIZE = os.environ.get("STRIDECORE_SANITIZE", "")

if MSVC:
    COMPILE, LINK = ["/O2", "/std:c11", "/experimental:c11atomics"], []
elif SANITIZE:
    COMPILE = ["-std=gnu11", "-O1", "-g", "-fno-omit-frame-pointer", "-ffp-contract=off", f"-fsanitize={SANITIZE}",
               "-fno-sanitize-recover=all", "-fvisibility=hidden"]
    LINK = [f"-fsanitize={SANITIZE}"]
else:
    COMPILE = ["-std=gnu11", "-O3", "-g0", "-fno-math-errno", "-ffp-contract=off", "-fvisibility=hidden",
               "-fno-asynchronous-unwind-tables"]
    LINK = [] if sys.platform == "darwin" else ["-Wl,-s", "-Wl,-z,noseparate-code", "-pthread", "-lm"]

# What an import maps is counted as the process's memory: only the engine has loops that -O3 makes faster, and modules
# off the hot paths are built for size.
COLD = set("""
args arrays buffers device dlpack dtype exchange function gather index_writes masks memory_format ndarray nested
options overlap promotion ranges reduce reinterpret scatter scatter_loop storage storage_bytes storage_faces
tensor_base where
""".split())

HEADERS = sorted(glob("src/**/*.h", recursive=True))


def extension(path):
    """The extension module of one .pyx; only `engine` links the C sources."""
    name = os.path.splitext(path)[0].replace(os.sep, ".").replace("/", ".")
    module = name.split(".")[-1]
    sources = [path] + (sorted(glob("src/**/*.c", recursive=True)) if module == "engine" else [])
    level = "-O3" if module == "engine" else "-Os" if module in COLD else "-O2"
    flags = [level if flag == "-O3" else flag for flag in COMPILE]
    return Extension(name, sources, include_dirs=["src"], depends=HEADERS,
                     extra_compile_args=flags, extra_link_args=LINK)


class build_py_and_headers(build_py):
    """Modules and package data, and the engine's headers beside them; an editable install finds those in src/."""

    def run(self):
        super().run()
        if not self.editable_mode:
            for header in self.headers():
                self.mkpath(os.path.dirname(header))
                self.copy_file(os.path.join("src", os.path.basename(header)), header)

    def headers(self):
        return [os.path.join(self.build_lib, "stridecore", "include", os.path.basename(header))
                for header in sorted(glob("src/*.h"))]

    def get_outputs(self, include_bytecode=True):
        return super().get_outputs(include_bytecode) + ([] if self.editable_mode else self.headers())


setup(
    cmdclass={"build_py": build_py_and_headers},
    options={"build_ext": {"parallel": os.cpu_count()}},
    ext_modules=cythonize(
        [extension(path) for path in sorted(glob("stridecore/core/*.pyx"))],
        compiler_directives={
            "language_level": 3,
            "boundscheck": False,
            "wraparound": False,
            "cdivision": True,
            "initializedcheck": False,
            "auto_pickle": False,
            "binding": False,
            "embedsignature": True,
            "embedsignature.format": "clinic",
        },
    )
)
