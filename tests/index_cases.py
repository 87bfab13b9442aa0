"""Random torch tensors for the tests of gather and scatter: small values in any layout, and indices into a dim."""

import numpy as np
from against import convert, same_outcome

import stridecore


def made_in(lib, values):
    """The values with every tensor among them made in `lib`, on a storage of its own."""
    return [convert(v, lib) if hasattr(v, "stride") else v for v in values]


def same_function(lib, name, *args):
    """Assert that the function `name` has the same outcome in stridecore and in lib, which is torch."""
    same_outcome(
        lambda: getattr(stridecore, name)(*made_in(stridecore, args)), lambda: getattr(lib, name)(*made_in(lib, args))
    )


def same_method(lib, name, *args):
    """Assert that the method `name` of the first argument has the same outcome in stridecore and in lib."""

    def call(lib):
        first, *rest = made_in(lib, args)
        return getattr(first, name)(*rest)

    same_outcome(lambda: call(stridecore), lambda: call(lib))


def random_tensor(rng, torch, shape, dtype=None):
    dtype = dtype or rng.choice([torch.float32, torch.int64, torch.int16, torch.uint8, torch.bool, torch.complex128])
    order = rng.sample(range(len(shape)), len(shape)) if rng.random() < 0.6 else list(range(len(shape)))
    numel = int(np.prod(shape))
    t = torch.tensor([rng.randrange(0, 3) for _ in range(numel)], dtype=torch.int64).to(dtype)
    t = t.view([shape[d] for d in order]).permute([order.index(d) for d in range(len(shape))])
    if t.dim() and rng.random() < 0.2:
        t = torch.cat([t, t]).contiguous()[::2][: shape[0]] if shape[0] else t
    return t


def random_shape(rng, least=0):
    return [rng.choice([0, 1, 1, 1, 2, 2, 2, 3, 3, 4]) for _ in range(rng.randrange(least, 5))]


def random_indices(rng, torch, shape, size, wraps=False):
    low, high = (-size if wraps else 0), size
    if rng.random() < 0.05:
        low, high = low - 1, high + 1
    values = [rng.randrange(low, high) if high > low else 0 for _ in range(int(np.prod(shape)))]
    t = torch.tensor(values, dtype=torch.int64).view(shape)
    if t.dim() > 1 and rng.random() < 0.3:
        t = t.transpose(0, 1).contiguous().transpose(0, 1)
    return t.int() if rng.random() < 0.2 else t
