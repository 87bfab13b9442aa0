"""Draws programs, running them in torch as they grow so that arguments fit what is there.

Where stridecore differs from torch on purpose a line is left out or torch is given another one. All of these
exceptions are here, in draw.py (no negative steps, no sizes below -1 in expand) and in writes.py (overlap, conversion):

- torch knows the operation but not for this dtype ("not implemented for"): left out, it is computed here.
- view(dtype) of another item size that fails in torch and has dims of size 1 or 0: left out, those don't matter here.
- an assertion inside torch fails: left out.
- layouts changed in place under a conjugate or negative bit: torch writes a clone back. Left out.
- a failed resize_ leaves a corrupt tensor in torch: the program ends there.
- a pickle or deepcopy that torch can't do is left out.
"""

from collections import Counter

from . import roots
from .draw import Draw, Undrawn
from .operations import VIEWS, call
from .worlds import Line, World
from .writes import COPIES, WRITES, write

OPERATIONS = [*VIEWS, *COPIES, *WRITES]
MOST = 1500  # elements of a tensor that later lines may use


def _fits(want, x):
    """Does a tensor meet the wish of an operation (see Operation.want)?"""
    if want == "complex":
        return x.is_complex()
    if want == "pairs":
        pairs = x.dim() > 0 and x.shape[-1] == 2 and x.stride(-1) == 1
        return pairs and str(x.dtype)[6:] in ("float16", "float32", "float64")
    if want == "matrix":
        return x.dim() in (0, 2)
    if want == "channels_last":
        return x.dim() in (4, 5)
    if want == "resizable":
        return x.untyped_storage().resizable() and not x.is_conj() and not x.is_neg()
    if isinstance(want, int):
        return x.dim() >= want
    return True


class Generator:
    """Draws programs one after the other; the least drawn operations come first."""

    def __init__(self, torch, seed):
        self.torch, self.seed = torch, seed
        self.drawn, self.succeeded = Counter(), Counter()

    def program(self, number, length=8):
        """(lines, the record of torch after each)."""
        draw = Draw(f"{self.seed}:{number}")
        world = draw.world = World(self.torch)
        draw.evaluate = world.evaluate
        lines, records = [], []
        steps = 0
        self._add(draw, Line(f"t0 = {roots.root(draw)}", "root"), lines, records)
        while steps < length:
            op = self._next(draw)
            want = op.want
            good = [p for p in draw.pool if _fits(want, p[1])]
            if not good and not draw.wild():
                self._add(draw, Line(f"t{len(lines)} = {roots.root(draw, want)}", "root"), lines, records)
                continue
            name, x = draw.pick(good or draw.pool)
            steps += 1
            draw.junk = 0
            try:
                line = self._line(draw, op, name, x, len(lines))
            except Undrawn:
                continue
            if not self._add(draw, line, lines, records, x):
                continue
            self.drawn[op.key] += 1
            self.succeeded[op.key] += world.error is None
            if line.grows and world.error is not None:
                break
            if line.grows:
                self._add(draw, Line(f"{name}.untyped_storage().fill_(1)", "root"), lines, records)
        return lines, records

    def _next(self, draw):
        if draw.chance(0.15):
            return draw.pick(WRITES)
        some = [draw.pick(OPERATIONS) for _ in range(4)]
        return min(some, key=lambda op: self.drawn[op.key])

    def _line(self, draw, op, name, x, number):
        if op.kind == "write":
            line = write(draw, op, name, x)
            return Line(line.text, op.key, line.torch_text)
        text = call(draw, op, name, x)
        instead = text.replace(f"lib.{op.name}", op.torch) if op.torch else None
        grows = op.name in ("set_", "resize_", "resize_as_")
        if op.form == "inplace" and (x.is_conj() or x.is_neg()):
            raise Undrawn
        head = f"t{number} = "
        return Line(head + text, op.key, instead and head + instead, grows)

    def _add(self, draw, line, lines, records, receiver=None):
        world = draw.world
        record = world.run(line)
        error = world.error
        if error is not None and self._excused(line, error, receiver):
            return False
        lines.append(line)
        records.append(record)
        if error is None and line.name:
            self._collect(draw, line.name, world.env[line.name])
        draw.pool = [p for p in draw.pool if max((p[1].numel(), *p[1].shape)) <= MOST and p[1].dim() <= 7]
        return True

    def _collect(self, draw, name, result):
        if isinstance(result, self.torch.Tensor):
            draw.pool.append((name, result))
        elif isinstance(result, tuple | list):
            tensors = [(f"{name}[{i}]", t) for i, t in enumerate(result) if isinstance(t, self.torch.Tensor)]
            draw.pool += draw.rng.sample(tensors, min(len(tensors), 2))

    def _excused(self, line, error, receiver):
        message = str(error)
        if "not implemented for '" in message or isinstance(error, NotImplementedError):
            return True
        if "error message be improved" in message:  # an assertion inside torch
            return True
        if line.op == "x.duplicate":
            return isinstance(error, AttributeError)
        if "different element sizes" in message:
            return receiver.dim() == 0 or any(n <= 1 for n in receiver.shape)
        return False
