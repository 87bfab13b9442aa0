"""Random arguments as source text.

`Draw` turns a seed into pieces of Python source: dims, sizes, slices, dtypes. Most are valid for the tensor
they are drawn for, about one in eight is not: the wrong length, out of range, or of a wrong type. A program is
text from the start, so a failing one can be printed as it is and read as a literal test.
"""

import math
import random

DTYPES = (
    "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 bfloat16 float32 float64 complex32 complex64 "
    "complex128 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu"
).split()
FORMATS = ["lib.contiguous_format", "lib.channels_last", "lib.channels_last_3d", "lib.preserve_format"]
JUNK = ["0.0", "True", "'a'", "None", "2**63", "-2**63 - 1", "1j", "[0]", "lib.float32"]


class Undrawn(Exception):
    """This operation has no agreed result here: draw another."""


class Arg:
    """One argument: its keyword, its text, and (for sizes) the text when it is spread: `view(2, 3)`."""

    def __init__(self, keyword, text, spread=None):
        self.keyword, self.text, self.spread = keyword, text, spread


class Draw:
    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.pool = []  # (expression, tensor of the reference library)
        self.junk = 0  # wrong arguments of the line so far: 1 out of range, 2 of a wrong type

    # --- choices

    def chance(self, p):
        return self.rng.random() < p

    def wild(self):
        """Now and then: an argument out of range. Which of two kinds of wrong arguments in one call is named first is
        of no interest, so there is none of those beside an argument of a wrong type."""
        wild = self.junk < 2 and self.chance(0.06)
        self.junk = max(self.junk, int(wild))
        return wild

    def wrong_type(self, p):
        """Now and then, but not beside another wrong argument: an argument of a wrong type."""
        wrong = self.junk == 0 and self.chance(p)
        self.junk = 2 if wrong else self.junk
        return wrong

    def pick(self, items):
        return self.rng.choice(list(items))

    def integer(self, low, high):
        return self.rng.randint(low, high)

    # --- integers

    def number(self, value):
        """The text of an int, at times in another type that torch takes for an int."""
        if self.chance(0.02):
            return self.pick([f"lib.tensor({value})", f"np.int64({value})", f"np.int32({value})"])
        if self.wrong_type(0.01):
            return self.pick(JUNK)
        return repr(value)

    def dim(self, x, extra=0):
        n = max(x.dim() + extra, 1)
        value = self.pick([n, -n - 1, 7, -9, 2**40]) if self.wild() else self.integer(-n, n - 1)
        return self.number(value)

    def index(self, n):
        value = self.pick([n, -n - 1, 2**40]) if self.wild() or n == 0 else self.integer(-n, n - 1)
        return self.number(value)

    # --- sizes

    def sizes(self, keyword, values, spread=True):
        """A list of ints, written as a tuple, a list, a Size or (where allowed) spread over the arguments."""
        values = list(values)
        if self.wrong_type(0.01):
            return Arg(keyword, self.pick([*JUNK, "()", "(1.5,)", "('a',)", "[None]"]))
        inner = ", ".join(map(repr, values))
        comma = "," if len(values) == 1 else ""
        text = self.pick([f"({inner}{comma})", f"[{inner}]", f"({inner}{comma})", f"lib.Size([{inner}])"])
        return Arg(keyword, text, inner if spread and values else None)

    def shape(self, limit=4, most=4):
        """A small shape. Zeros and ones are common enough to matter."""
        return [self.pick([0, 1, 1, 2, 2, 3, 3, limit]) for _ in range(self.integer(0, most))]

    def factors(self, n):
        """A shape with n elements, ones and (at times) a -1 put in."""
        if n == 0:
            shape = self.shape() or [0]
            shape[self.integer(0, len(shape) - 1)] = 0
        else:
            shape, rest = [], n
            while rest > 1:
                f = self.pick([f for f in range(2, rest + 1) if rest % f == 0])
                shape.append(f)
                rest //= f
            for _ in range(self.pick([0, 0, 1, 2])):
                shape.insert(self.integer(0, len(shape)), 1)
        if shape and self.chance(0.3):
            shape[self.integer(0, len(shape) - 1)] = -1
        if shape and self.wild():
            shape[self.integer(0, len(shape) - 1)] = self.pick([-1, -2, 5, 0, 2**40])
        if self.wild():
            shape.insert(self.integer(0, len(shape)), self.pick([-1, 2]))
        return shape

    def regroup(self, x):
        """A new shape that splits and merges neighbouring dims, so that many are views."""
        shape = list(x.shape)
        for _ in range(self.integer(1, 3)):
            if len(shape) >= 2 and self.chance(0.5):
                i = self.integer(0, len(shape) - 2)
                shape[i : i + 2] = [shape[i] * shape[i + 1]]
            elif shape:
                i = self.integer(0, len(shape) - 1)
                divisors = [f for f in range(1, shape[i] + 1) if shape[i] % f == 0] or [1]
                f = self.pick(divisors)
                shape[i : i + 1] = [f, shape[i] // f]
        if len(shape) > 6:
            return self.factors(math.prod(shape))
        if shape and self.chance(0.2):
            shape[self.integer(0, len(shape) - 1)] = -1
        return shape

    def expanded(self, x):
        """Sizes to which x can be expanded."""
        shape = [self.pick([n, n, -1]) if n != 1 else self.pick([1, 2, 3, -1, 0]) for n in x.shape]
        shape = [self.pick([1, 2, 3, 0]) for _ in range(self.pick([0, 0, 1, 2]))] + shape
        if self.wild() and shape:
            shape[self.integer(0, len(shape) - 1)] = self.pick([-1, 5, 0])
        if self.wild() and shape:
            shape.pop(0)
        # Beside a 0 torch takes sizes below -1, and a -1 for a new dim, as they are: negative sizes. Left out.
        lead = len(shape) - x.dim()
        return [1 if n == -1 and i < lead and 0 in shape else n for i, n in enumerate(shape)]

    def permutation(self, x):
        n = x.dim()
        dims = [d - n if self.chance(0.3) else d for d in self.rng.sample(range(n), n)]
        if self.wild() and dims:
            dims[0] = self.pick([dims[-1], n, -n - 1])
        if self.wild():
            dims.append(self.integer(0, n))
        return dims

    def dims(self, x, count):
        n = max(x.dim(), 1)
        dims = [d - n if self.chance(0.3) else d for d in self.rng.sample(range(n), min(count, n))]
        if self.wild() and dims:
            dims[0] = self.pick([dims[-1], n, -n - 1])
        return dims

    def parts(self, total):
        """A list of sizes with the given sum."""
        parts = []
        while total > 0 and len(parts) < 5:
            parts.append(self.integer(0, total))
            total -= parts[-1]
        parts.append(total)
        if self.wild():
            parts[0] += self.pick([1, -1])
        return parts

    def placed(self, x):
        """(size, stride, offset) that fits (mostly) the storage of x."""
        count = x.untyped_storage().nbytes() // x.element_size()
        size, stride, room = [], [], count - 1
        for _ in range(self.integer(0, 4)):
            step = self.pick([0, 1, 1, 2, 3, 4, 6, 12])
            n = self.pick([0, 1, 2, 2, 3, 4])
            if step * (n - 1) > room and not self.wild():
                n = 1
            size.append(n)
            stride.append(step)
            room -= step * max(n - 1, 0)
        offset = self.pick([0, max(room, 0), self.integer(0, max(room, 0))])
        if self.wild():
            offset = self.pick([-1, count, 2**40])
        if self.wild():
            stride = self.pick([stride[1:], [*stride, 1], [2**40 for _ in stride]])
        return size, stride, offset

    # --- indices

    def slice_text(self, n):
        def bound():
            if self.chance(0.3):
                return ""
            if self.wrong_type(0.02):
                return self.pick(["1.5", "''"])
            return self.pick(["2**70", "-2**70"]) if self.chance(0.04) else str(self.integer(-n - 2, n + 2))

        text = f"{bound()}:{bound()}"
        if self.chance(0.4):
            # Negative steps are views here and errors in torch: they have tests of their own, with NumPy as witness.
            text += f":{self.pick(['', 1, 2, 2, 3, 100, 0 if self.wild() else 2])}"
        return text

    def subscript(self, x):
        """What stands between the brackets of x[...]: basic indexing only."""
        entries, left = [], list(x.shape)
        while left and self.chance(0.75):
            n = left.pop(0)
            kind = self.rng.random()
            if kind < 0.4:
                index = self.index(n) if not self.wrong_type(0.01) else "1.0"
                entries.append(index if index != "[0]" else "0")
            else:
                entries.append(self.slice_text(n))
            if self.chance(0.15):
                entries.append("None")
        if self.chance(0.2):
            entries.insert(self.integer(0, len(entries)), "...")
        if self.chance(0.1):
            entries.insert(self.integer(0, len(entries)), self.pick(["None", "True", "False", "..."]))
        if self.wild():
            entries += ["0"] * (len(left) + 1)
        if not entries:
            entries = [self.pick(["...", ":", "None", "()"])]
            if entries == [":"] and x.dim() == 0:
                entries = ["..."]
        return ", ".join(entries)

    # --- tensors

    def other(self, wanted=None):
        """(expression, tensor) of a tensor of the program, the wanted ones first."""
        good = [p for p in self.pool if wanted and wanted(p[1])]
        return self.pick(good or self.pool)

    def like(self, shape, dtype="float32"):
        return f"lib.zeros({tuple(shape)!r}, dtype=lib.{dtype})"
