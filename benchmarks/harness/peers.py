"""The contenders: ways to do `out[...] = x` on two NumPy arrays, one thread unless told otherwise.

stridecore, NumPy and torch take every layout that they can express. OpenCV and OpenBLAS take those for which they
have a call: 2-d transposes, one image at a time for batches, splitting, merging and flipping. An absent package is
an absent contender.
"""

import ctypes
from functools import cache, partial
from importlib import import_module
from pathlib import Path

import numpy as np

from .timing import Contender

ONE = np.ones(1, np.complex128)
CV_TYPES = (np.uint8, np.int16, np.float32, np.float64)


@cache
def package(name: str):
    """An optional package, or None."""
    try:
        return import_module(name)
    except ImportError:
        return None


def set_threads(count: int) -> None:
    """Give every contender that has threads `count` of them."""
    for name, setter in (("stridecore", "set_num_threads"), ("torch", "set_num_threads"), ("cv2", "setNumThreads")):
        module = package(name)
        if module:
            getattr(module, setter)(count)


def contenders(x: np.ndarray, out: np.ndarray) -> list[Contender]:
    """Everyone who can do the job, stridecore first."""
    makers = (by_stridecore, by_numpy, by_torch, by_opencv, by_openblas)
    return [contender for make in makers if (contender := make(x, out))]


def by_stridecore(x, out):
    sc = package("stridecore")
    if sc:
        return Contender("stridecore", partial(sc.from_numpy(out).copy_, sc.from_numpy(x)))


def by_numpy(x, out):
    return Contender("numpy", partial(np.copyto, out, x, casting="unsafe"))


def by_torch(x, out):
    torch = package("torch")
    if torch and all(stride >= 0 for stride in x.strides + out.strides):
        return Contender("torch", partial(torch.from_numpy(out).copy_, torch.from_numpy(x)))


def each(calls):
    """One call that makes all of `calls`."""
    if len(calls) == 1:
        return calls[0]

    def run():
        for call in calls:
            call()

    return run


def matrices(x: np.ndarray, out: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]] | None:
    """The job as 2-d transposes of contiguous matrices, [(source, destination)], or None if it isn't that.

    A batch of images counts: (n, c, h, w) to (n, h, w, c) is n transposes of (c, h * w).
    """
    if x.dtype != out.dtype or x.size == 0:
        return None
    if x.ndim == 2:
        if x.flags.f_contiguous and out.flags.c_contiguous:
            return [(x.T, out)]
        if x.flags.c_contiguous and out.flags.f_contiguous:
            return [(x, out.T)]
    if x.ndim == 4 and out.flags.c_contiguous:
        n = len(x)
        if x.transpose(0, 3, 1, 2).flags.c_contiguous:  # was (n, c, h, w)
            c = x.shape[3]
            pairs = zip(x.transpose(0, 3, 1, 2).reshape(n, c, -1), out.reshape(n, -1, c), strict=True)
        elif x.transpose(0, 2, 3, 1).flags.c_contiguous:  # was (n, h, w, c)
            c = x.shape[1]
            pairs = zip(x.transpose(0, 2, 3, 1).reshape(n, -1, c), out.reshape(n, c, -1), strict=True)
        else:
            return None
        return list(pairs)
    return None


def by_opencv(x, out):
    cv2 = package("cv2")
    if not cv2 or x.dtype != out.dtype:
        return None
    if x.dtype in CV_TYPES and x.ndim == 2 and min(x.strides) < 0 and x[::-1, ::-1].flags.c_contiguous:
        return Contender("opencv", partial(cv2.flip, x[::-1, ::-1], -1, out))
    pairs = matrices(x, out)
    if not pairs or max(max(a.shape) for a, _ in pairs) >= 1 << 24:
        return None
    if x.dtype in CV_TYPES and x.ndim == 4 and len(pairs[0][0]) in (3, 4):
        return Contender("opencv", each([_merge(cv2, a, b, x.shape[1:3]) for a, b in pairs]))
    if x.dtype in CV_TYPES and x.ndim == 4 and len(pairs[0][1]) in (3, 4):
        return Contender("opencv", each([_split(cv2, a, b, x.shape[2:4]) for a, b in pairs]))
    if x.dtype == np.complex128:
        pairs = [(a.view(np.float64).reshape(*a.shape, 2), b.view(np.float64).reshape(*b.shape, 2)) for a, b in pairs]
    return Contender("opencv", each([partial(cv2.transpose, a, b) for a, b in pairs]))


def _merge(cv2, planes, pixels, shape):
    return partial(cv2.merge, list(planes.reshape(-1, *shape)), pixels.reshape(*shape, -1))


def _split(cv2, pixels, planes, shape):
    return partial(cv2.split, pixels.reshape(*shape, -1), list(planes.reshape(-1, *shape)))


@cache
def _omatcopy():
    """OpenBLAS's out-of-place transpose by dtype, from scipy-openblas64."""
    openblas = package("scipy_openblas64")
    if not openblas:
        return {}
    library = ctypes.CDLL(str(next(Path(openblas.get_lib_dir()).glob("libscipy_openblas64_*.so"))))
    index, pointer = ctypes.c_int64, ctypes.c_void_p
    functions = {}
    for dtype, letter, alpha in ((np.float32, "s", ctypes.c_float), (np.float64, "d", ctypes.c_double),
                                 (np.complex128, "z", pointer)):
        function = getattr(library, f"scipy_cblas_{letter}omatcopy64_")
        function.argtypes = [ctypes.c_int, ctypes.c_int, index, index, alpha, pointer, index, pointer, index]
        function.restype = None
        functions[np.dtype(dtype)] = function
    return functions


def by_openblas(x, out):
    function = _omatcopy().get(x.dtype)
    pairs = function and matrices(x, out)
    if not pairs:
        return None
    row_major, transposed = 101, 112
    alpha = ONE.ctypes.data if x.dtype == np.complex128 else 1.0
    calls = [
        partial(function, row_major, transposed, *a.shape, alpha, a.ctypes.data, a.shape[1], b.ctypes.data, b.shape[1])
        for a, b in pairs
    ]
    return Contender("openblas", each(calls))
