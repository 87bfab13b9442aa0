"""The main job: strided gather and contiguous copies of a real photograph and of batches, 16 KiB to 64 MiB.

A photograph is stored pixel by pixel (height, width, channels) and wanted plane by plane, and back; batches change
between channels first and last; matrices are transposed, sliced and cut into windows. Smaller sizes crop the
photograph, larger ones are a batch of frames of it.
"""

from functools import partial
from pathlib import Path

import numpy as np

from . import layouts
from .harness import picture
from .harness.duel import Arena, duel, mean_ratio, ratio, to_best_peer
from .harness.peers import set_threads
from .harness.report import Progress, machine, size, table, times, write_json
from .harness.timing import QUICK, USUAL

SIZES = (16 << 10, 128 << 10, 1 << 20, 8 << 20, 64 << 20)
QUICK_SIZES = (16 << 10, 1 << 20, 8 << 20)
COLUMNS = ("stream", "stridecore", "numpy", "torch", "opencv", "openblas")


def load_photo(path: str | None) -> np.ndarray:
    """A photograph as uint8 (height, width, 3); Matplotlib's own without a path."""
    from matplotlib import cbook, image

    with cbook.get_sample_data("grace_hopper.jpg") if path is None else open(path, "rb") as file:
        pixels = image.imread(file, format=Path(path).suffix[1:] if path else "jpg")
    if pixels.dtype.kind == "f":
        pixels = np.round(pixels * 255).astype(np.uint8)
    if pixels.ndim == 2:
        pixels = pixels[..., None].repeat(3, axis=2)
    return np.ascontiguousarray(pixels[..., :3])


def frames(photo: np.ndarray, nbytes: int) -> np.ndarray:
    """The photograph at about `nbytes`: a crop with its proportions, or a batch of whole frames."""
    if nbytes >= photo.nbytes:
        return np.broadcast_to(photo, (nbytes // photo.nbytes, *photo.shape))
    scale = (nbytes / photo.nbytes) ** 0.5
    height, width = (max(8, int(n * scale)) for n in photo.shape[:2])
    return photo[None, :height, :width]


def to_planes(photo, nbytes, source, output, dtype=np.uint8):
    pixels = frames(photo, nbytes)
    x = source.array(pixels.shape, np.uint8)
    np.copyto(x, pixels)
    x = x.transpose(0, 3, 1, 2)
    return x, output.array(x.shape, dtype)


def to_pixels(photo, nbytes, source, output):
    planes = frames(photo, nbytes).transpose(0, 3, 1, 2)
    x = source.array(planes.shape, np.uint8)
    np.copyto(x, planes)
    x = x.transpose(0, 2, 3, 1)
    return x, output.array(x.shape, np.uint8)


def jobs(photo: np.ndarray) -> dict:
    """Name -> build(nbytes, source, output)."""
    float32 = np.dtype(np.float32)

    def of_floats(build):
        return lambda nbytes, source, output: build(source, output, float32, nbytes // 4)

    return {
        "photo HWC to CHW, uint8": partial(to_planes, photo),
        "photo CHW to HWC, uint8": partial(to_pixels, photo),
        "photo HWC uint8 to CHW float32": lambda n, s, o: to_planes(photo, n // 4, s, o, np.float32),
        "batch NCHW to NHWC, C = 64": of_floats(layouts.to_channels_last(64, 128)),
        "batch NHWC to NCHW, C = 64": of_floats(layouts.to_channels_first(64, 128)),
        "transpose, float32": of_floats(layouts.transpose),
        "slice [..., ::2], float32": of_floats(layouts.steps(2)),
        "window [:, 100:900], float32": of_floats(layouts.window),
        "contiguous, float32": of_floats(layouts.contiguous),
    }


def run(options) -> dict:
    """Measure, print, write photo.json and photo.png; returns the results."""
    photo = load_photo(options.image)
    set_threads(1)
    sizes = QUICK_SIZES if options.quick else SIZES
    effort = QUICK if options.quick else USUAL
    arena = Arena(2 * max(sizes) + (1 << 20), max(sizes) + (1 << 20))
    chosen = {name: build for name, build in jobs(photo).items() if options.only in name}
    progress = Progress("photo", len(chosen) * len(sizes))
    results = {name: {} for name in chosen}
    for nbytes in sizes:
        for name, build in chosen.items():
            progress.step(f"{name}, {size(nbytes)}")
            results[name][nbytes] = duel(arena, name, partial(build, nbytes), effort)
    progress.close()
    print(render(results, photo))
    output = {"photo": list(photo.shape), "results": results}
    print(f"\nwritten: {write_json(options.output, 'photo', output)}")
    print(f"written: {picture.by_size(results, options.output / 'photo.png')}")
    return output


def render(results: dict, photo: np.ndarray) -> str:
    facts = machine()
    everything = [r for by_size in results.values() for r in by_size.values()]
    columns = [c for c in COLUMNS if any(ratio(r, c) for r in everything)]
    rows = []
    for name, by_size in results.items():
        rows.append([name])
        for nbytes, result in by_size.items():
            rows.append([
                f"  {size(nbytes)}",
                f"{result['memcpy_gb_per_s']:.1f}",
                *(times(ratio(result, c)) for c in columns),
                f"{result['contenders']['stridecore']['spread'] / 2:.0%}",
                times(to_best_peer(result)),
            ])
    rows.append(["geometric mean"])
    rows.append(["", "", *(times(mean_ratio(everything, c)) for c in columns), "", ""])
    headings = ["job, size of the result", "memcpy GB/s", *columns, "±", "to best"]
    title = (
        f"Copies into ready memory as multiples of memcpy's speed on the same bytes (read + written); one thread.\n"
        f"Photograph {photo.shape[0]} x {photo.shape[1]}; {facts['cpu']}, {facts['cores']} cores, {facts['libc']}. "
        f"stream: a plain loop with\nnon-temporal stores. ±: half the distance between quartiles. "
        f"to best: stridecore to the fastest of the others.\n"
    )
    return f"{title}\n{table(headings, rows)}"
