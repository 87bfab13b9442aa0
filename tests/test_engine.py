"""The engine's own tests: C programs built with the system compiler, plain and under sanitizers."""

import ctypes
import platform
import random
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAMS = sorted(path.stem for path in (ROOT / "tests/c").glob("test_*.c"))
WARNINGS = ["-std=gnu11", "-Wall", "-Wextra", "-Werror"]
MODES = {
    "plain": ["-O2"],
    "sanitized": ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
}


def compile_c(output, sources, flags, compiler=None):
    compiler = compiler or shutil.which("gcc") or shutil.which("cc")
    assert compiler, "the tests of the engine need a C compiler"
    command = [compiler, *WARNINGS, *flags, "-I", ROOT / "src", "-I", ROOT / "tests/c", "-o", output, *sources,
               "-pthread", "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="session", params=MODES)
def engine(request, tmp_path_factory):
    """(mode, archive) of the whole engine compiled in that mode."""
    build = tmp_path_factory.mktemp(f"engine-{request.param}")
    sources = sorted((ROOT / "src").rglob("*.c"))
    objects = [build / f"{source.parent.name}-{source.stem}.o" for source in sources]
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda o, source: compile_c(o, ["-c", source], MODES[request.param]), objects, sources))
    return request.param, objects


@pytest.mark.parametrize("program", PROGRAMS)
def test_c(program, engine, tmp_path):
    mode, objects = engine
    compile_c(tmp_path / program, [ROOT / "tests/c" / f"{program}.c", *objects], MODES[mode])
    done = subprocess.run([tmp_path / program], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


# ---- kernels elsewhere: other CPUs under emulators, threads under the thread sanitizer ----------


def run_kernels_test(tmp_path, flags, compiler=None, runner=(), rounds=40):
    """What test_kernels prints: one line for each CPU level, path and number of threads that it has forced."""
    sources = [ROOT / "tests/c/test_kernels.c", *sorted((ROOT / "src").rglob("*.c"))]
    compile_c(tmp_path / "kernels", sources, flags, compiler)
    done = subprocess.run([*runner, tmp_path / "kernels", str(rounds)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_kernels_under_thread_sanitizer(tmp_path):
    assert "plain streamed, 3 threads" in run_kernels_test(tmp_path, ["-O1", "-g", "-fsanitize=thread"], rounds=20)


AARCH64 = shutil.which("aarch64-linux-gnu-gcc"), shutil.which("qemu-aarch64-static")
X86_64 = shutil.which("qemu-x86_64-static")

if all(AARCH64):

    def test_kernels_of_neon(tmp_path):
        printed = run_kernels_test(tmp_path, ["-O2", "-static"], AARCH64[0], [AARCH64[1]])
        assert "neon streamed, 3 threads" in printed and "avx2" not in printed


if X86_64 and platform.machine() == "x86_64":

    def test_kernels_on_a_cpu_without_avx2(tmp_path):
        printed = run_kernels_test(tmp_path, ["-O2", "-static"], runner=[X86_64, "-cpu", "Nehalem"])
        assert "sse2 streamed, 3 threads" in printed and "avx2" not in printed


# ---- layout.h against torch ------------------------------------------------------------------


def dims(values):
    return (ctypes.c_int64 * max(len(values), 1))(*values)


def random_layout(rng):
    """Sizes and strides of a random view: permuted, gapped, expanded, with size-0 and size-1 dims."""
    ndim = rng.choice([0, 1, 2, 3, 4, 4, 5, 5, 6])
    plain, odd = [1, 2, 3, 4], [0, 1, 1, 2, 2, 3, 4, 6]
    sizes = [rng.choice(odd) if rng.random() < 0.3 else rng.choice(plain) for _ in range(ndim)]
    order = rng.sample(range(ndim), ndim) if rng.random() < 0.6 else list(range(ndim))[::-1]
    if ndim in (4, 5) and rng.random() < 0.3:
        order = [1, *range(2, ndim)][:1] + list(range(2, ndim))[::-1] + [0]
    strides, product = [0] * ndim, 1
    for dim in order:
        kind = rng.random()
        strides[dim] = 0 if kind < 0.08 else rng.randrange(1, 9) if kind < 0.14 else product
        product *= sizes[dim] if rng.random() < 0.9 else max(sizes[dim], 1) * 2
    return sizes, strides


def random_factors(rng, numel):
    factors = []
    while numel > 1:
        factors.append(rng.choice([f for f in range(2, numel + 1) if numel % f == 0]))
        numel //= factors[-1]
    for _ in range(rng.choice([0, 0, 1, 2])):
        factors.insert(rng.randrange(len(factors) + 1), 1)
    return factors


def test_layout_agrees_with_torch(tmp_path):
    torch = pytest.importorskip("torch")
    compile_c(tmp_path / "probe.so", [ROOT / "tests/c/layout_probe.c"], ["-O1", "-shared", "-fPIC"])
    probe = ctypes.CDLL(str(tmp_path / "probe.so"))
    for name in ("is_contiguous", "is_channels_last", "is_dense", "channels_last_strides", "preserve", "view"):
        getattr(probe, f"probe_{name}").restype = ctypes.c_bool
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    rng = random.Random(20)
    for _ in range(5000):
        sizes, strides = random_layout(rng)
        ndim, c_sizes, c_strides, out = len(sizes), dims(sizes), dims(strides), dims([0] * 16)
        layout = ctypes.c_int64(ndim), c_sizes, c_strides
        t = torch.empty_strided(sizes, strides)
        assert probe.probe_is_contiguous(*layout) == t.is_contiguous(), (sizes, strides)
        if ndim in formats:
            expected = t.is_contiguous(memory_format=formats[ndim])
            assert probe.probe_is_channels_last(*layout) == expected, (sizes, strides)
            fresh = torch.empty(sizes, memory_format=formats[ndim])
            assert probe.probe_channels_last_strides(ctypes.c_int64(ndim), c_sizes, out)
            assert tuple(out[:ndim]) == fresh.stride(), sizes
        assert probe.probe_is_dense(*layout) == torch.ops.aten.is_non_overlapping_and_dense(t), (sizes, strides)
        assert probe.probe_preserve(*layout, out)
        assert tuple(out[:ndim]) == torch.empty_like(t).stride(), (sizes, strides)

        new = random_factors(rng, t.numel()) if t.numel() else rng.choice([sizes, [0], [3, 0, 2], [0, 1]])
        try:
            expected = t.view(new).stride()
        except RuntimeError:
            expected = None
        compatible = probe.probe_view(*layout, ctypes.c_int64(len(new)), dims(new), out)
        assert (tuple(out[: len(new)]) if compatible else None) == expected, (sizes, strides, new)
