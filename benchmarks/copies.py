"""The grid: every kind of strided copy by item size, 64 MiB into ready memory, as multiples of memcpy.

Beside the grid: single cases (frames of video, conversions, diagonals), fresh results, copies that fit the cache, the
same shapes at 1 GiB, and power-of-two shapes against their neighbours. The floors stand in bounds.json.
"""

from functools import partial

from . import layouts, scaling, special
from .harness import bounds, picture, reference
from .harness.duel import Arena, alone, best_peer, duel, mean_ratio, ratio, to_best_peer
from .harness.peers import contenders, package, set_threads
from .harness.report import Progress, geometric_mean, machine, table, times, write_json
from .harness.timing import QUICK, USUAL, Contender, Effort, measure

NBYTES = 64 << 20
QUICK_NBYTES = 8 << 20
THREADED = "stridecore, threads"


def run(options) -> dict:
    """Measure, print, write copies.json and copies.png; returns the results."""
    set_threads(1)
    nbytes = QUICK_NBYTES if options.quick else NBYTES
    effort = QUICK if options.quick else USUAL
    arena = Arena(3 * nbytes, nbytes + nbytes // 16)
    grid = measure_grid(arena, nbytes, effort, options)
    set_threads(1)
    results = {"nbytes": nbytes, "limits": limits(arena, nbytes), "grid": grid}
    results |= special.run(arena, nbytes, effort, options)
    if not options.only:
        results |= scaling.run(arena, nbytes, effort, options.quick)
    print(render(results))
    print(f"\nwritten: {write_json(options.output, 'copies', results)}")
    if grid:
        print(f"written: {picture.bars(_rows(grid, 4), options.output / 'copies.png', _title(nbytes))}")
    return results


def measure_grid(arena: Arena, nbytes: int, effort: Effort, options) -> dict:
    """{layout: {itemsize: result}}, the median of options.passes passes over all cells."""
    chosen = [layout for layout in layouts.GRID if options.only in layout.name]
    sizes = (1, 4) if options.quick else layouts.ITEM_SIZES
    enter = alone if options.alone else contenders
    if options.threads > 1:
        enter = partial(with_threads, options.threads, enter)
    progress = Progress("copies", options.passes * len(chosen) * len(sizes))
    passes = []
    for _ in range(options.passes):
        grid = {layout.name: {} for layout in chosen}
        for layout in chosen:
            for itemsize in sizes:
                progress.step(f"{layout.name}, {itemsize} B")
                build = partial(layout.arrays, itemsize=itemsize, nbytes=nbytes)
                grid[layout.name][itemsize] = duel(arena, layout.name, build, effort, enter)
        passes.append(grid)
    progress.close()
    return middle(passes)


def middle(passes: list[dict]) -> dict:
    """Of several passes over the grid, each cell from the pass in which stridecore's ratio was the median."""
    def median(cells):
        return sorted(cells, key=lambda cell: ratio(cell, "stridecore"))[len(cells) // 2]

    return {
        name: {itemsize: median([grid[name][itemsize] for grid in passes]) for itemsize in cells}
        for name, cells in passes[0].items()
    }


def with_threads(count, enter, x, out) -> list[Contender]:
    """The usual contenders on one thread, and stridecore once more on `count` of them."""
    usual = enter(x, out)
    set_num_threads = package("stridecore").set_num_threads
    ours = usual[0]
    ours.prepare = partial(set_num_threads, 1)
    return [*usual, Contender(THREADED, ours.call, prepare=partial(set_num_threads, count))]


def limits(arena: Arena, nbytes: int) -> dict:
    """GB/s of memcpy, a streaming copy, and its loads and stores alone."""
    loops = [
        reference.memcpy(arena.output, arena.source, nbytes), reference.stream(arena.output, arena.source, nbytes),
        reference.load(arena.source, nbytes), reference.store(arena.output, nbytes),
    ]
    moved = {"memcpy": 2 * nbytes, "stream": 2 * nbytes, "load": nbytes, "store": nbytes}
    timings = measure([loop for loop in loops if loop], USUAL)
    return {name: round(moved[name] / timing.median, 2) for name, timing in timings.items()}


def _title(nbytes) -> str:
    return f"{nbytes >> 20} MiB into ready memory, one thread"


def _rows(grid, itemsize) -> dict:
    return {
        name: {who: c["times_memcpy"] for who, c in cells[itemsize]["contenders"].items() if who != "memcpy"}
        for name, cells in grid.items() if itemsize in cells
    }


def floor(name: str, itemsize: int) -> float:
    return bounds.load()["copies"]["floors"][layouts.by_name(name).row][str(itemsize)]


def means(grid: dict) -> dict:
    """The geometric means over all cells that the bounds speak of."""
    cells = [cell for by_size in grid.values() for cell in by_size.values()]
    return {
        "to_memcpy": mean_ratio(cells, "stridecore"),
        "to_best_of_numpy_and_torch": geometric_mean(
            to_best_peer(cell, ("numpy", "torch")) for cell in cells
        ),
        "two_threads_to_one": geometric_mean(
            both / ratio(cell, "stridecore") for cell in cells if (both := ratio(cell, THREADED))
        ),
    }


def render(results: dict) -> str:
    facts, grid = machine(), results["grid"]
    sizes = sorted({itemsize for cells in grid.values() for itemsize in cells})
    rows = []
    for name, cells in grid.items():
        ours = [times(ratio(cells[i], "stridecore")) for i in sizes]
        floors = [f"{floor(name, i):.2f}" for i in sizes]
        peers = [f"{times(peer[1])} {peer[0]}" for peer in (best_peer(cells[i]) for i in sizes)]
        row = [name]
        for k in range(len(sizes)):
            row += [ours[k], floors[k], peers[k]]
        rows.append(row)
    headings = ["case"]
    for itemsize in sizes:
        headings += [f"{itemsize} B", "floor", "best peer"]
    gb = ", ".join(f"{name} {value:.1f}" for name, value in results["limits"].items())
    parts = [
        f"{_title(results['nbytes'])}: multiples of memcpy's speed on the same bytes (read + written).\n"
        f"{facts['cpu']}, {facts['cores']} cores, {facts['libc']}. GB/s: {gb}.\n",
    ]
    if grid:
        parts.append(table(headings, rows))
        parts.append("\ngeometric means over the grid: " + ", ".join(
            f"{name.replace('_', ' ')} {value:.2f}" for name, value in means(grid).items() if value
        ))
    parts += [special.render(results), scaling.render(results)]
    return "\n".join(parts)


def check(results: dict) -> list[str]:
    """What misses its bound."""
    verdict, bound = bounds.Verdict(), bounds.load()["copies"]
    for name, cells in results["grid"].items():
        for itemsize, cell in cells.items():
            what = f"{name}, {itemsize} B"
            verdict.at_least(f"{what}, to memcpy", ratio(cell, "stridecore"), floor(name, itemsize))
            verdict.at_least(f"{what}, to {best_peer(cell)[0]}", to_best_peer(cell), bound["each_to_best_peer"])
    mean = means(results["grid"])
    verdict.at_least("grid, geometric mean to memcpy", mean["to_memcpy"], bound["mean_to_memcpy"])
    verdict.at_least("grid, geometric mean to the best of NumPy and torch", mean["to_best_of_numpy_and_torch"],
                     bound["mean_to_best_of_numpy_and_torch"])
    verdict.at_least("grid, two threads to one", mean["two_threads_to_one"], bound["two_threads_mean_to_one"])
    special.check(results, verdict, bound)
    scaling.check(results, verdict, bound)
    return verdict.missed
