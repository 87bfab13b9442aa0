"""New tensors of random values: rand, randn, randint, randperm, normal, bernoulli.

Beside them stands what torch keeps in its module of this name: the generators and their seeds.
"""

from stridecore.broadcasting import broadcast_shapes
from stridecore.core.creation import empty, empty_like, tensor
from stridecore.dtypes import float64, int64
from stridecore.generator import (
    Generator,
    default_generator,
    fork_rng,  # noqa: F401 (stridecore.random.fork_rng)
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from stridecore.sampling import (
    DIGITS,
    as_integer,
    as_number,
    check_float,
    check_integer_range,
    fill_integers,
    source_of,
)
from stridecore.tensor import Tensor

__all__ = [
    "Generator",
    "bernoulli",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "normal",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "seed",
    "set_rng_state",
]


# ---- floats ---------------------------------------------------------------------------------------------------


def rand(*size, generator=None, out=None, dtype=None, **options):
    """rand(2, 3) or rand((2, 3)): random numbers, uniform in [0, 1), of a float or complex dtype.

    Further keywords as for zeros. NotImplementedError for integer dtypes.

    >>> import stridecore as sc
    >>> x = sc.rand(2, 3)
    >>> x.shape, 0 <= min(x[0].tolist()) and max(x[0].tolist()) < 1
    (stridecore.Size([2, 3]), True)
    """
    return _sized("rand", size, out, dtype, options).uniform_(generator=generator)


def randn(*size, generator=None, out=None, dtype=None, **options):
    """randn(2, 3) or randn((2, 3)): random numbers of the normal distribution with mean 0 and variance 1.

    Further keywords as for zeros. NotImplementedError for integer dtypes.

    >>> import stridecore as sc
    >>> sc.randn(2, 3, dtype=sc.float64).dtype
    stridecore.float64
    """
    return _sized("randn", size, out, dtype, options).normal_(generator=generator)


def _sized(function, size, out, dtype, options):
    if "memory_format" in options:
        raise TypeError(f"{function}() got an unexpected keyword argument 'memory_format'")
    return empty(*size, out=out, dtype=dtype, **options)


def rand_like(input, *, generator=None, **options):
    """Random numbers, uniform in [0, 1), of the size, dtype and layout of `input`. Keywords as for zeros_like.

    >>> import stridecore as sc
    >>> sc.rand_like(sc.zeros(2, 3).t()).stride()
    (1, 3)
    """
    return empty_like(input, **options).uniform_(generator=generator)


def randn_like(input, *, generator=None, **options):
    """Random numbers of the normal distribution, of the size, dtype and layout of `input`. Keywords as for zeros_like.

    >>> import stridecore as sc
    >>> sc.randn_like(sc.zeros(2), dtype=sc.float64).dtype
    stridecore.float64
    """
    return empty_like(input, **options).normal_(generator=generator)


# ---- integers -------------------------------------------------------------------------------------------------


def randint(*args, generator=None, out=None, dtype=None, **options):
    """randint(high, size) or randint(low, high, size): random integers in [low, high), int64 unless `dtype` is given.

    low is 0 by default; size is a tuple. RuntimeError unless low < high and the dtype can hold both.

    >>> import stridecore as sc
    >>> x = sc.randint(3, 10, (100,))
    >>> x.dtype, 3 <= min(x.tolist()) <= max(x.tolist()) < 10
    (stridecore.int64, True)
    """
    low, high, size = _randint_arguments("randint", args, options, "size")
    if not isinstance(size, tuple | list):
        raise TypeError(f"randint: size must be a tuple of ints, not {type(size).__name__}")
    source = source_of(generator, "randint")
    made_dtype = (int64 if out is None or not isinstance(out, Tensor) else out.dtype) if dtype is None else dtype
    low, high = _check_integers("randint", low, high, empty(0, dtype=made_dtype).dtype)
    return fill_integers(_sized("randint", (size,), out, dtype if out is not None else made_dtype, options), low, high,
                         source)


def randint_like(input, *args, generator=None, dtype=None, **options):
    """randint_like(input, high) or randint_like(input, low, high): random integers in [low, high), of the size, dtype
    and layout of `input`. Further keywords as for zeros_like.

    >>> import stridecore as sc
    >>> sc.randint_like(sc.zeros(3), 4, 5)
    tensor([4., 4., 4.])
    """
    low, high, _ = _randint_arguments("randint_like", (*args, ()), options, None)
    source = source_of(generator, "randint_like")
    made = empty_like(input, dtype=dtype, **options)
    low, high = _check_integers("randint_like", low, high, made.dtype)
    return fill_integers(made, low, high, source)


def _randint_arguments(function, args, options, last):
    """(low, high, size) of positional arguments (high, size) or (low, high, size), and of keywords."""
    given = {name: options.pop(name) for name in ("low", "high", last) if name in options}
    rest = [name for name in ("high", last) if name not in given]
    if len(args) == len(rest) + 1 and "low" not in given:
        rest.insert(0, "low")
    if len(args) != len(rest):
        raise TypeError(
            f"{function}: got {len(args)} positional arguments and keywords {sorted(given)}; allowed are high, size "
            "and low, high, size"
        )
    given.update(zip(rest, args, strict=True))
    return given.get("low", 0), given["high"], given[last]


def _check_integers(function, low, high, dtype):
    low, high = as_integer(low, function, "low"), as_integer(high, function, "high")
    check_integer_range(dtype, low, high, "random_")
    return low, high


def randperm(n, *, generator=None, out=None, dtype=None, **options):
    """The integers from 0 to n - 1 in random order, int64 unless `dtype` is given.

    RuntimeError for negative n, and where the dtype can't hold n - 1.

    >>> import stridecore as sc
    >>> sorted(sc.randperm(5).tolist())
    [0, 1, 2, 3, 4]
    """
    n = as_integer(n, "randperm", "n")
    made = _sized("randperm", (n,), out, int64 if out is None and dtype is None else dtype, options)
    if made.dtype in DIGITS:
        if n > 2 ** DIGITS[made.dtype] + 1:
            raise RuntimeError(f"randperm: n cannot be greater than {2 ** DIGITS[made.dtype] + 1} for {made.dtype}")
    elif n > 1:
        check_integer_range(made.dtype, 0, n, "randperm")
    return made.copy_(tensor(source_of(generator, "randperm").permutation(n)))


# ---- of given parameters --------------------------------------------------------------------------------------


def normal(mean=0.0, std=1.0, size=None, *, generator=None, out=None, dtype=None, **options):
    """Random numbers of normal distributions: normal(mean, std, size) of numbers, or of tensors, which broadcast.

    With tensors, the result has the dtype of `mean`, or of `std` where mean is a number. RuntimeError if a std is
    negative.

    >>> import stridecore as sc
    >>> sc.normal(3.0, 0.0, (2,)), sc.normal(sc.tensor([1.0, 2.0]), 0.0)
    (tensor([3., 3.]), tensor([1., 2.]))
    """
    if size is not None:
        mean, std = as_number(mean, "normal", "mean"), as_number(std, "normal", "std")
        if not std >= 0:
            raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
        return _sized("normal", (size,), out, dtype, options).normal_(mean, std, generator=generator)
    parameters = [value for value in (mean, std) if isinstance(value, Tensor)]
    if not parameters or dtype is not None or options:
        raise TypeError("normal: takes (mean, std, size), or tensors mean or std without size, dtype and layout")
    if isinstance(std, Tensor):
        if std.dtype.is_complex:
            raise RuntimeError("normal expects standard deviation to be non-complex")
        if any(not value >= 0 for value in std.flatten().tolist()):
            raise RuntimeError("normal expects all elements of std >= 0.0")
    elif not as_number(std, "normal", "std") >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    made = parameters[0].new_empty(broadcast_shapes(*[value.shape for value in parameters]))
    if not made.dtype.is_complex:
        check_float(made.dtype, "normal")
    made.normal_(generator=generator)
    made = _scaled(made, mean, std)
    return made if out is None else empty(made.shape, out=out).copy_(made)


def _scaled(x, mean, std):
    """mean + std * x, computed in double and rounded to x's dtype."""
    import numpy

    def array(value):
        if not isinstance(value, Tensor):
            return value
        return numpy.asarray((value if value.dtype.is_complex else value.to(float64)).resolve_conj().contiguous())

    return x.copy_(tensor(numpy.asarray(array(mean) + array(std) * array(x))))


def bernoulli(input, p=None, *, generator=None, out=None):
    """1 with the probability that the element of `input` says, or with probability p, otherwise 0.

    RuntimeError for probabilities outside [0, 1].

    >>> import stridecore as sc
    >>> sc.bernoulli(sc.tensor([1.0, 0.0]))
    tensor([1., 0.])
    """
    if not isinstance(input, Tensor):
        raise TypeError(f"bernoulli: argument 'input' must be Tensor, not {type(input).__name__}")
    made = input.bernoulli(p, generator=generator)
    return made if out is None else empty(made.shape, out=out).copy_(made)
