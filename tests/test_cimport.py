"""Other people's Cython code can cimport the core: an extension is built against the package as it is installed."""

import importlib.util
import os
import subprocess
import sys
import sysconfig

import numpy as np

import stridecore as sc

SOURCE = """
# cython: language_level=3
from libc.stdint cimport int64_t
from stridecore.core.tensor_impl cimport (
    TensorImpl, check_reach, data_of, itemsize_of, ndim_of, numel_of, offset_of, storage_offset_of, strides_of,
)

def geometry(TensorImpl x):
    cdef int64_t d
    return [strides_of(x)[d] for d in range(ndim_of(x))], storage_offset_of(x), numel_of(x), itemsize_of(x)

def position(TensorImpl x, int64_t i, int64_t j):
    cdef int64_t[2] index = [i, j]
    cdef int64_t offset
    cdef bint found
    with nogil:
        found = offset_of(x, index, &offset)
    return offset if found else None

def read(TensorImpl x, int64_t i, int64_t j):
    check_reach(x, "read")
    return (<float *>data_of(x))[i * strides_of(x)[0] + j * strides_of(x)[1]]
"""

BUILD = """
import os
from Cython.Build import cythonize
from setuptools import Extension, setup
import stridecore

setup(name="guest", script_args=["build_ext", "--inplace"], ext_modules=cythonize(
    [Extension("guest", ["guest.pyx"], include_dirs=[stridecore.get_include()])],
    include_path=[os.path.dirname(os.path.dirname(stridecore.__file__))]))
"""


def test_an_extension_built_elsewhere_uses_the_core(tmp_path):
    (tmp_path / "guest.pyx").write_text(SOURCE)
    (tmp_path / "build.py").write_text(BUILD)
    home = os.path.dirname(os.path.dirname(sc.__file__))
    done = subprocess.run([sys.executable, "build.py"], cwd=tmp_path, env=os.environ | {"PYTHONPATH": home},
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    path = tmp_path / f"guest{sysconfig.get_config_var('EXT_SUFFIX')}"
    spec = importlib.util.spec_from_file_location("guest", path)
    guest = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(guest)

    x = sc.from_numpy(np.arange(12, dtype=np.float32)).view(3, 4)[1:, ::2]
    assert guest.geometry(x) == ([4, 2], 4, 4, 4)
    assert guest.position(x, 1, 1) == 4 + 1 * 4 + 1 * 2
    assert guest.position(x, 2, 0) is None
    assert guest.read(x, 1, 1) == 10.0
