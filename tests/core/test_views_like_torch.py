"""Every view on random layouts and arguments, one call at a time, beside torch: layout, base, or type of exception.

Sizes 0 and 1, strides 0, overlapping and gapped layouts are as likely as plain ones; about every fifth argument is out
of range. (Sequences of calls are compared in tests/random_programs.)
"""

import math

import pytest

import stridecore as sc

CASES = 200
DTYPES = "int8 int16 float16 int32 float32 int64 float64 complex64 complex128 uint8".split()
NUMEL = 2**14  # of the storages; no layout below reaches further


def layouts(rng):
    """Random (size, stride, storage_offset) with few elements."""
    ndim = rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 6])
    size = [rng.choice([0, 1, 1, 2, 2, 3, 3, 4, 6]) for _ in range(ndim)]
    while math.prod(size) > 100:
        size[size.index(max(size))] = 1
    kind = rng.random()
    if kind < 0.6:  # a permutation of a contiguous layout, at times with gaps
        order, stride, step = rng.sample(range(ndim), ndim), [0] * ndim, rng.choice([1, 1, 1, 2, 3])
        for d in order:
            stride[d] = step
            step *= max(size[d], 1) * rng.choice([1, 1, 1, 1, 2])
    else:
        stride = [rng.choice([0, 0, 1, 1, 2, 3, 4, 6, 12, 50]) for _ in range(ndim)]
    return size, stride, rng.choice([0, 0, 0, 1, 2, 5])


def dim(rng, x, extra=0):
    n = max(x.dim() + extra, 1)
    return rng.randint(-n, n - 1) if rng.random() < 0.85 else rng.choice([n, -n - 1, 2**40])


def index(rng, n):
    return rng.randint(-n, n) if rng.random() < 0.9 else rng.choice([n + 1, -n - 1, 2**62])


def extent(x, d):
    return x.size(d) if x.dim() and -x.dim() <= d < x.dim() else 1


def factors(rng, n):
    """A shape of n elements, at times with a -1, at times wrong."""
    shape = []
    while n > 1 and rng.random() < 0.7:
        f = rng.choice([k for k in range(1, n + 1) if n % k == 0])
        shape.append(f)
        n //= f
    shape.append(n)
    shape += [1] * rng.choice([0, 0, 0, 1, 2])
    rng.shuffle(shape)
    if rng.random() < 0.3:
        shape[rng.randrange(len(shape))] = -1
    if rng.random() < 0.1:
        shape[rng.randrange(len(shape))] = rng.choice([0, -1, -2, 5, 2**40])
    return shape


def regrouped(rng, x):
    """The sizes of x with neighbours merged or split: likely to be a view."""
    shape = []
    for n in x.shape:
        if shape and rng.random() < 0.4:
            shape[-1] *= n
        elif n > 1 and rng.random() < 0.3:
            shape += factors(rng, n)
        else:
            shape.append(n)
    return shape


def shape(rng, x):
    return (regrouped(rng, x) if rng.random() < 0.6 else factors(rng, x.numel()),)


def one_dim(rng, x):
    return (dim(rng, x),)


def two_dims(rng, x):
    return dim(rng, x), dim(rng, x)


def permutation(rng, x):
    order = [d - rng.choice([0, x.dim()]) for d in rng.sample(range(x.dim()), x.dim())]
    if order and rng.random() < 0.15:
        order[0] = rng.choice([*order, 7, -8])
    return (order[: rng.choice([99, 99, 99, 99, 1])],)


def several(rng, x):
    n = rng.randint(0, x.dim())
    dims = [d - rng.choice([0, x.dim()]) for d in rng.sample(range(x.dim()), n)]
    return dims + dims[:1] * (rng.random() < 0.1)


def moves(rng, x):
    if rng.random() < 0.4:
        return two_dims(rng, x)
    return several(rng, x), several(rng, x)


def selection(rng, x):
    d = dim(rng, x)
    return d, index(rng, extent(x, d))


def window(rng, x):
    d = dim(rng, x)
    start = index(rng, extent(x, d))
    return d, start, index(rng, max(extent(x, d) - max(start, 0), 0))


def folding(rng, x):
    d = dim(rng, x)
    return d, rng.randint(-1, extent(x, d) + 1), rng.choice([0, 1, 1, 2, 3, 2**40])


def diagonals(rng, x):
    return rng.randint(-5, 5), dim(rng, x), dim(rng, x)


def squeezing(rng, x):
    return rng.choice([(), one_dim(rng, x), (several(rng, x),)])


def expansion(rng, x):
    size = [n if n != 1 else rng.choice([1, 2, 3, 0]) for n in x.shape]
    size = [-1 if rng.random() < 0.2 else n for n in size]
    if size and rng.random() < 0.1:
        size[rng.randrange(len(size))] = rng.choice([5, 0])
    lead = [rng.choice([0, 1, 1, 2, 3]) for _ in range(rng.choice([0, 0, 1, 1, 2]))]
    return (lead + size[rng.choice([0, 0, 0, 0, 0, 1]) :],)


def striding(rng, x):
    size, stride, offset = layouts(rng)
    if rng.random() < 0.1 and 0 not in size:
        size, offset = [n * 2**20 for n in size], rng.choice([-1, 2**50])
    if rng.random() < 0.05:
        stride = stride[1:]
    return (size, stride) if rng.random() < 0.3 else (size, stride, offset)


def unflattening(rng, x):
    d = dim(rng, x)
    return d, factors(rng, extent(x, d)) if rng.random() < 0.95 else []


def flattening(rng, x):
    return rng.choice([(), one_dim(rng, x), two_dims(rng, x)])


def parts(rng, n):
    """Sizes that add up to n, most of the time."""
    sizes = []
    while n > 0 and len(sizes) < 5:
        sizes.append(rng.randint(0, n))
        n -= sizes[-1]
    return [*sizes, n] if rng.random() < 0.9 else [*sizes, n + 1]


def splitting(rng, x):
    d = dim(rng, x)
    return rng.choice([rng.randint(-1, 5), rng.randint(1, 5), parts(rng, extent(x, d))]), d


def sizing(rng, x):
    d = dim(rng, x)
    return parts(rng, extent(x, d)), d


def counting(rng, x):
    return rng.randint(0, 7), dim(rng, x)


def cutting(rng, x):
    return rng.choice([rng.randint(-1, 6), [rng.randint(-7, 7) for _ in range(rng.randint(0, 3))]]), dim(rng, x)


def even_cutting(rng, x):
    return (cutting(rng, x)[0],)


def nothing(rng, x):
    return ()


OPERATIONS = {
    "T": None, "mT": None, "H": None, "mH": None, "real": None, "imag": None, "data": None, "adjoint": nothing,
    "t": nothing, "t_": nothing, "transpose": two_dims, "transpose_": two_dims, "swapaxes": two_dims,
    "swapdims": two_dims, "swapaxes_": two_dims, "swapdims_": two_dims, "permute": permutation, "movedim": moves,
    "moveaxis": moves, "select": selection, "narrow": window, "narrow_copy": window, "unfold": folding,
    "diagonal": diagonals, "squeeze": squeezing, "squeeze_": squeezing, "unsqueeze": one_dim, "unsqueeze_": one_dim,
    "expand": expansion, "broadcast_to": expansion, "view": shape, "reshape": shape, "unflatten": unflattening,
    "flatten": flattening, "ravel": nothing, "as_strided": striding, "as_strided_": striding, "unbind": one_dim,
    "split": splitting, "split_with_sizes": sizing, "chunk": counting, "tensor_split": cutting, "hsplit": even_cutting,
    "vsplit": even_cutting, "dsplit": even_cutting, "conj": nothing, "detach": nothing, "resolve_conj": nothing,
    "resolve_neg": nothing, "dim_order": nothing, "size": one_dim, "stride": one_dim,
}  # fmt: skip


def roots_of(torch, dtypes):
    """{dtype: (stridecore's root, torch's)} of equal values; views of them are never written to."""
    return {
        dtype: tuple(lib.arange(NUMEL, dtype=lib.float64).to(getattr(lib, dtype)) for lib in (sc, torch))
        for dtype in dtypes.split()
    }


def call(x, name, make):
    arguments = make[0] if make else None
    attribute = getattr(x, name)
    return attribute if arguments is None else attribute(*arguments)


def told(result, x, root):
    """What is compared of a result."""
    if isinstance(result, tuple) and result and hasattr(result[0], "storage_offset"):
        return type(result), [told(each, x, root) for each in result]
    if not hasattr(result, "storage_offset"):
        return result
    return {
        "size": tuple(result.size()), "stride": result.stride(), "offset": result.storage_offset(),
        "dtype": str(result.dtype).rpartition(".")[2], "conj": result.is_conj(), "neg": result.is_neg(),
        "contiguous": result.is_contiguous(), "view": result._is_view(), "base": result._base is root,
        "self": result is x, "storage": result.untyped_storage() is root.untyped_storage(),
        "values": result.tolist() if max(result.numel(), *result.shape, 0) <= 24 else None,
    }  # fmt: skip


@pytest.mark.parametrize("name", OPERATIONS)
def test_as_torch_does(name, torch, rng, quiet):
    raised, made = 0, roots_of(torch, "float32 int16 complex64")
    for case in range(CASES):
        layout = layouts(rng)
        dtype = rng.choice(["float32", "float32", "int16", "complex64"])
        roots = made[dtype]
        mine, its = [root.as_strided(*layout) for root in roots]
        if dtype == "complex64" and name != "squeeze_" and rng.random() < 0.5:  # torch's squeeze_ copies conjugates
            mine, its = mine.conj(), its.conj()
        make = (OPERATIONS[name](rng, its),) if OPERATIONS[name] else None
        text = f"case {case}: {dtype} as_strided{layout}, conj {its.is_conj()}: {name} {make}"
        results = []
        for x, root in ((mine, roots[0]), (its, roots[1])):
            try:
                results.append(told(call(x, name, make), x, root))
            except Exception as error:
                results.append(type(error).__name__)
                raised += x is its
        assert results[0] == results[1], text
        assert told(mine, mine, roots[0]) == told(its, its, roots[1]), f"afterwards, {text}"
    assert raised < CASES * 0.9


@pytest.mark.parametrize("name", ["view_as_complex", "view_as_real"])
def test_pairs_as_torch_does(name, torch, rng):
    made = roots_of(torch, "float32 complex64")
    for case in range(4 * CASES):
        size, stride, offset = layouts(rng)
        dtype = "complex64" if name == "view_as_real" else "float32"
        if rng.random() < 0.8 and dtype == "float32":
            size, stride = [*size, 2], [*[2 * s if rng.random() < 0.9 else s for s in stride], 1]
        seen = []
        for lib, root in zip((sc, torch), made[dtype], strict=True):
            try:
                seen.append(told(getattr(lib, name)(root.as_strided(size, stride, offset)), root, root))
            except Exception as error:
                seen.append(type(error))
        assert seen[0] == seen[1], f"case {case}: {size} {stride} {offset}"


def test_other_dtypes_as_torch_does(torch, rng, quiet):
    """Where torch refuses a stride of a dim of size 1 or 0, or of an empty tensor, there is a result here."""
    made = roots_of(torch, "float32 int16 complex64 int8")
    for case in range(4 * CASES):
        size, stride, offset = layouts(rng)
        dtype, to = rng.choice(list(made)), rng.choice(DTYPES)
        roots = made[dtype]
        mine, its = [root.as_strided(size, stride, offset) for root in roots]
        text = f"case {case}: {dtype} as_strided{(size, stride, offset)} viewed as {to}"
        try:
            expected = told(its.view(getattr(torch, to)), its, roots[1])
        except RuntimeError:
            if its.dim() == 0 or (its.numel() and 1 not in size):
                with pytest.raises(RuntimeError):
                    mine.view(getattr(sc, to))
            continue
        result = told(mine.view(getattr(sc, to)), mine, roots[0])
        assert repr(result) == repr(expected), text


def test_resize_as_torch_does(torch, rng):
    for case in range(CASES):
        layout, size = layouts(rng), [rng.choice([0, 1, 2, 3, 5]) for _ in range(rng.randint(0, 5))]
        formats = [None, None, None, "contiguous_format", "channels_last", "channels_last_3d", "preserve_format"]
        memory_format = rng.choice(formats)
        seen = []
        for lib in (sc, torch):
            x = lib.arange(64).as_strided(*layout) if fits(layout) else lib.arange(64)
            options = {"memory_format": getattr(lib, memory_format)} if memory_format else {}
            try:
                same = x.resize_(size, **options) is x
                seen.append((same, tuple(x.shape), x.stride(), x.storage_offset(), x.untyped_storage().nbytes()))
            except Exception as error:
                seen.append(type(error))
        assert seen[0] == seen[1], f"case {case}: {layout} {size} {memory_format}"


def fits(layout):
    size, stride, offset = layout
    return 0 in size or offset + sum((n - 1) * s for n, s in zip(size, stride, strict=True)) < 64


def test_resize_as_and_set_as_torch_does(torch, rng):
    ways = ["resize_as_", "resize_as_ preserve", "set_ tensor", "set_ storage", "set_ layout", "set_ size"]
    for case in range(CASES):
        layout, other, how = layouts(rng), layouts(rng), rng.choice(ways)
        seen = []
        for lib in (sc, torch):
            x, y = lib.arange(NUMEL).as_strided(*layout), lib.arange(NUMEL).as_strided(*other)
            if how == "resize_as_":
                x.resize_as_(y)
            elif how == "resize_as_ preserve":
                x.resize_as_(y, memory_format=lib.preserve_format)
            elif how == "set_ tensor":
                x.set_(y)
            elif how == "set_ storage":
                x.set_(y.untyped_storage())
            elif how == "set_ layout":
                x.set_(y.untyped_storage(), other[2], other[0], other[1])
            else:
                x.set_(y.untyped_storage(), other[2], other[0])
            storage = x.untyped_storage()
            shared = storage is y.untyped_storage()
            seen.append((tuple(x.shape), x.stride(), x.storage_offset(), storage.nbytes(), shared))
        assert seen[0] == seen[1], f"case {case}: {how} {layout} {other}"


def test_broadcasting_as_torch_does(torch, rng):
    for case in range(CASES):
        shapes = [[rng.choice([1, 1, 2, 3, 3, 0]) for _ in range(rng.randint(0, 4))] for _ in range(rng.randint(1, 3))]
        seen = []
        for lib in (sc, torch):
            tensors = [lib.zeros(shape) for shape in shapes]
            try:
                made = lib.broadcast_tensors(*tensors)
                seen.append([(tuple(x.shape), x.stride(), x is t) for x, t in zip(made, tensors, strict=True)])
            except Exception as error:
                seen.append(type(error))
        assert seen[0] == seen[1], f"case {case}: {shapes}"


def test_atleast_as_torch_does(torch, rng):
    for _ in range(CASES):
        layout = layouts(rng)
        for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
            pairs = []
            for lib in (sc, torch):
                x = lib.arange(NUMEL).as_strided(*layout)
                y = getattr(lib, name)(x)
                pairs.append((tuple(y.shape), y.stride(), y.storage_offset(), y is x))
            assert pairs[0] == pairs[1], f"{name} {layout}"
