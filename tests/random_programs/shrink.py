"""Makes a failing program small and prints it as one that can be run."""

import re

from .worlds import Line, check


def _same(a, b):
    return a is not None and a.what == b.what


def _fails(lines, difference, libraries):
    """The difference that a shorter program shows, if it is the same kind of difference."""
    try:
        found = check(lines, *libraries)
    except Exception:
        return None
    return found if _same(found, difference) and found.at == len(lines) - 1 else None


def shrink(lines, difference, reference, subject):
    """The shortest program found that still shows the difference, and that difference."""
    libraries = (reference, subject)
    lines = lines[: difference.at + 1]
    changed = True
    while changed:
        changed = False
        for i in reversed(range(len(lines) - 1)):
            shorter = _without(lines, i)
            found = shorter and _fails(shorter, difference, libraries)
            if found:
                lines, difference, changed = shorter, found, True
                break
    return _smaller_numbers(lines, difference, libraries)


def _without(lines, i):
    """The program without line i, if no later line uses its name."""
    name = lines[i].name
    rest = lines[i + 1 :]
    if name and any(re.search(rf"\b{name}\b", line.text) for line in rest):
        return None
    return lines[:i] + rest


def _smaller_numbers(lines, difference, libraries):
    """Replace numbers by 0, 1, 2 where the difference stays."""
    for i, line in enumerate(lines):
        for match in reversed(list(re.finditer(r"(?<![\w.])\d+(?![\w.*])", line.text))):
            for smaller in "012":
                if line.torch_text or int(match[0]) <= int(smaller):
                    break
                text = line.text[: match.start()] + smaller + line.text[match.end() :]
                attempt = [*lines[:i], Line(text, line.op, None, line.grows), *lines[i + 1 :]]
                found = _fails(attempt, difference, libraries)
                if found:
                    lines, difference, line = attempt, found, attempt[i]
                    break
    return lines, difference


def literal(lines, difference):
    """The program as text."""
    shown = ["import numpy as np, pickle", "import stridecore as lib  # or: import torch as lib"]
    for i, line in enumerate(lines):
        if difference.at == i:
            shown.append(f"# {difference.what}:")
            shown += [f"#   {text}" for text in difference.detail.splitlines()]
        shown.append(line.text)
        if line.torch_text:
            shown.append(f"# in torch: {line.torch_text}")
    return "\n".join(shown)
