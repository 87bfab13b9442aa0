"""The benchmarks' pictures: speed over size for the main job, one bar a case for the grid."""

from pathlib import Path

COLOURS = {
    "stridecore": "#c1272d", "stream": "#8c8c8c", "numpy": "#4d77cf", "torch": "#ee8434", "opencv": "#3a9a5b",
    "openblas": "#8e6bbf",
}


def _figure(*size):
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained", dpi=110)


def by_size(results: dict, path: Path) -> Path:
    """A panel a job: multiples of memcpy (log scale) over the size of the result."""
    columns = 3
    rows = -(-len(results) // columns)
    figure = _figure(12, 3 * rows + 0.5)
    panels = figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True)
    for panel in panels.flat[len(results):]:
        panel.axis("off")
    seen = {}
    for panel, (name, sizes) in zip(panels.flat, results.items(), strict=False):
        panel.axhline(1, color="black", linewidth=0.8, linestyle=":")
        for who, colour in COLOURS.items():
            points = [(n / 2**20, r["contenders"][who]["times_memcpy"]) for n, r in sizes.items()
                      if who in r["contenders"]]
            if points:
                style = "--" if who == "stream" else "-"
                (seen[who],) = panel.plot(*zip(*points, strict=True), style, color=colour, marker="o", markersize=3)
        panel.set(title=name, xscale="log", yscale="log")
        panel.set_xticks([2**-6, 2**-3, 1, 8, 64], ["16K", "128K", "1M", "8M", "64M"])
        panel.set_yticks([0.01, 0.03, 0.1, 0.3, 1, 2], ["0.01", "0.03", "0.1", "0.3", "1", "2"])
        panel.minorticks_off()
        panel.grid(alpha=0.3)
        panel.title.set_fontsize(10)
    figure.legend(seen.values(), seen.keys(), loc="outside upper center", ncols=len(seen), frameon=False)
    figure.supylabel("speed, multiples of memcpy")
    figure.supxlabel("size of the result, bytes")
    return _save(figure, path)


def bars(cells: dict[str, dict[str, float]], path: Path, title: str) -> Path:
    """A row a case, a bar a contender, lines at memcpy and streaming: {case: {contender: multiple of memcpy}}."""
    figure = _figure(9, 0.42 * len(cells) + 1.2)
    axes = figure.subplots()
    streaming = sorted(values["stream"] for values in cells.values() if "stream" in values)
    names = [who for who in COLOURS if who != "stream" and any(who in values for values in cells.values())]
    height = 0.8 / len(names)
    for index, who in enumerate(names):
        at = [row + (index - (len(names) - 1) / 2) * height for row in range(len(cells))]
        axes.barh(at, [values.get(who) or 0 for values in cells.values()], height, color=COLOURS[who], label=who)
    axes.axvline(1, color="black", linewidth=0.8, linestyle=":", label="memcpy")
    if streaming:
        axes.axvline(streaming[len(streaming) // 2], color=COLOURS["stream"], linestyle="--", label="streaming copy")
    axes.set_yticks(range(len(cells)), list(cells), fontsize=8)
    axes.invert_yaxis()
    axes.set(xlabel="speed, multiples of memcpy", title=title)
    axes.legend(frameon=False, fontsize=8)
    axes.margins(y=0.01)
    return _save(figure, path)


def _save(figure, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path)
    return path
