"""Random values in place: `x.uniform_()`, `x.normal_()`, `x.random_()` and their kin, drawn by NumPy.

Contiguous float32 and float64 tensors are drawn into directly. For others the values are drawn in the tensor's logical
order and copied, so the values that a seed gives don't depend on the layout.
"""

from stridecore.core.creation import empty, empty_like, tensor
from stridecore.core.elementwise import apply
from stridecore.dtypes import bfloat16, float16, float32, float64, int16, int32, int64
from stridecore.formats import contiguous_format
from stridecore.functions import view_as_real
from stridecore.generator import Generator, default_generator
from stridecore.limits import finfo, iinfo
from stridecore.tensor import Tensor

__all__ = []

# How many leading bits a float type keeps: the integers up to 2**digits are exact.
DIGITS = {float16: 11, bfloat16: 8, float32: 24, float64: 53}
LARGEST = {dtype: finfo(dtype).max for dtype in DIGITS}


# ---- what all share -------------------------------------------------------------------------------------------


def source_of(generator, function):
    """The NumPy generator behind a `generator=` argument."""
    if generator is None:
        generator = default_generator
    elif not isinstance(generator, Generator):
        raise TypeError(f"{function}: generator must be a stridecore.Generator, not {type(generator).__name__}")
    return generator.numpy()


def check_float(dtype, function):
    """NotImplementedError unless random floats of this dtype can be drawn."""
    if dtype not in DIGITS:
        raise NotImplementedError(
            f"{function}: not implemented for {dtype}; float16, bfloat16, float32, float64 and for most functions "
            "complex types are allowed"
        )


def as_number(value, function, name):
    """A float argument: Python's or NumPy's number, or a 0-dim tensor."""
    if value.dim() == 0 if isinstance(value, Tensor) else hasattr(value, "item"):
        value = value.item()
    if not isinstance(value, int | float):
        raise TypeError(f"{function}: {name} must be float, not {type(value).__name__}")
    return float(value)


def numbers(args, kwargs, function, **defaults):
    """The values of positional and keyword arguments with these names and defaults, as floats."""
    if not args and not kwargs:
        return list(defaults.values())
    names = list(defaults)
    if len(args) > len(names):
        raise TypeError(f"{function}() takes at most {len(names)} positional arguments ({', '.join(names)})")
    given = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            raise TypeError(f"{function}() got an unexpected keyword argument {name!r}")
        if name in given:
            raise TypeError(f"{function}() got multiple values for argument {name!r}")
        given[name] = value
    return [as_number(given.get(name, default), function, name) for name, default in defaults.items()]


def fill(x, function, draw):
    """x = draw(size, dtype, out): an array of floats of this size and, if `out` is not None, in that array."""
    check_float(x.dtype, function)
    itemsize = x.itemsize
    kind = "f8" if itemsize == 8 else "f4"
    if itemsize > 2 and x.dim() and x.is_contiguous() and not x.is_neg() and x.data_ptr() % itemsize == 0:
        apply(function, lambda out, casting: draw(None, kind, out), (), x)
    else:
        x.copy_(tensor(draw(tuple(x.shape), kind, None)))
    return x


def fill_parts(x, draw):
    """x = complex numbers whose parts, seen as a real tensor, draw(parts) fills."""
    fresh = empty(x.shape, dtype=x.dtype)
    draw(view_as_real(fresh))
    return x.copy_(fresh)


# ---- uniform_ -------------------------------------------------------------------------------------------------


def _below(value, dtype):
    """The largest number of a float dtype that is less than `value`."""
    near = tensor([value], dtype=dtype)
    if near.item() >= value:
        bits = near.view({2: int16, 4: int32, 8: int64}[dtype.itemsize])
        if near.item() > 0:
            bits[0] = bits.item() - 1
        elif near.item() < 0:
            bits[0] = bits.item() + 1
        else:
            near[0] = -finfo(dtype).smallest_normal
    return near.item()


def _check_bounds(low, high, dtype):
    limit = LARGEST[dtype]
    for name, value in (("from", low), ("to", high)):
        if not -limit <= value <= limit:
            raise RuntimeError(f"uniform_: {name} is out of bounds for {dtype}: {value}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low} > to={high}")
    if high - low > limit:
        raise RuntimeError(
            f"uniform_ expects to - from <= {limit}, but found to={high} and from={low}, which exceed the limit"
        )


def _uniform_between(x, low, high, source):
    """Computed in float64 and rounded; what rounds up to `high` becomes the number below it."""
    x.copy_(tensor(low + (high - low) * source.random(tuple(x.shape))))
    if low < high:
        import numpy

        values = numpy.asarray(x.to(float64, copy=True))
        rounded_up = values >= high
        if rounded_up.any():
            values[rounded_up] = max(_below(high, x.dtype), low)
            x.copy_(tensor(values))
    return x


def _uniform(x, low, high, source):
    if low != 0 or high != 1:
        check_float(x.dtype, "uniform_")
        _check_bounds(low, high, x.dtype)
        return _uniform_between(x, low, high, source)
    if x.dtype is float16 or x.dtype is bfloat16:  # as many bits as the type has, for rounding could give 1
        digits = DIGITS[x.dtype]
        return x.copy_(tensor(source.integers(2**digits, size=tuple(x.shape)) * 2.0**-digits))
    return fill(x, "uniform_", lambda size, dtype, out: source.random(size, dtype=dtype, out=out))


# ---- random_ --------------------------------------------------------------------------------------------------


def _limits(dtype, function):
    """(the least, the largest) integer that random_ draws by default, and that a dtype holds at all."""
    if dtype.name == "bool":
        return (0, 1), (0, 1)
    if dtype.is_complex:
        raise RuntimeError(f"{function}: handles only integral, floating-point and boolean types, got {dtype}")
    if dtype.is_floating_point:
        check_float(dtype, function)
        largest = int(LARGEST[dtype])
        return (0, 2 ** DIGITS[dtype]), (-largest, largest)
    limits = _INTEGERS.get(dtype)
    if limits is None:
        info = iinfo(dtype)
        limits = _INTEGERS[dtype] = (0, info.max), (info.min, info.max)
    return limits


_INTEGERS = {}


def check_integer_range(dtype, low, high, function="random_"):
    """For integers in [low, high) of this dtype: RuntimeError if there are none, or the dtype can't hold them."""
    if low >= high:
        raise RuntimeError(f"{function} expects 'from' to be less than 'to', but got from={low} >= to={high}")
    _, (least, largest) = _limits(dtype, function)
    for name, value in (("from", low), ("to - 1", high - 1)):
        if not least <= value <= largest:
            raise RuntimeError(f"{function}: {name} is out of bounds for {dtype}: {value}")
        if dtype in DIGITS and abs(value) > 2 ** DIGITS[dtype]:
            import warnings

            warnings.warn(
                f"{name} is out of bounds [-(2^{DIGITS[dtype]}), 2^{DIGITS[dtype]}]: {dtype} can't hold all integers "
                "beyond, so the distribution is not uniform",
                UserWarning,
                stacklevel=4,
            )


def fill_integers(x, low, high, source):
    """x = integers in [low, high), which the caller has checked."""
    kind = "i8" if high <= 2**63 else "u8"
    return x.copy_(tensor(source.integers(low, high, size=tuple(x.shape), dtype=kind)))


def as_integer(value, function, name):
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{function}: {name} must be int, not {type(value).__name__}")
    value = value.__index__()
    if not -(2**63) <= value < 2**63:
        raise ValueError(f"{function}: {name}: Overflow when unpacking long long: {value} does not fit in 64 bits")
    return value


# ---- the methods ------------------------------------------------------------------------------------------------


def _probabilities(p, shape, function):
    """A tensor of probabilities as a NumPy array of this shape."""
    import numpy

    check_float(p.dtype, function)
    values = numpy.asarray(p.expand(shape).to(float64, copy=True).contiguous())
    if not ((values >= 0) & (values <= 1)).all():
        raise RuntimeError(f"{function}: expects all probabilities to be in [0, 1]")
    return values


class _Methods:
    def uniform_(self, *args, generator=None, **kwargs):
        """x.uniform_(from=0, to=1): random numbers, uniform in [from, to); returns x.

        For float and complex dtypes; of complex numbers both parts are drawn. RuntimeError unless from <= to.

        >>> import stridecore as sc
        >>> x = sc.empty(100).uniform_(2, 3)
        >>> 2 <= min(x.tolist()) <= max(x.tolist()) < 3
        True
        """
        low, high = numbers(args, kwargs, "uniform_", **{"from": 0.0, "to": 1.0})
        source = source_of(generator, "uniform_")
        if self.dtype.is_complex:
            return fill_parts(self, lambda parts: _uniform(parts, low, high, source))
        return _uniform(self, low, high, source)

    def normal_(self, *args, generator=None, **kwargs):
        """x.normal_(mean=0, std=1): random numbers of the normal distribution; returns x.

        For float and complex dtypes; complex numbers have half the variance in each part. RuntimeError if std < 0.

        >>> import stridecore as sc
        >>> sc.zeros(3).normal_(5, 0)
        tensor([5., 5., 5.])
        """
        mean, std = numbers(args, kwargs, "normal_", mean=0.0, std=1.0)
        if not std >= 0:
            raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
        source = source_of(generator, "normal_")

        def draw(size, dtype, out):
            values = source.standard_normal(size, dtype=dtype, out=out)
            if std != 1:
                values *= std
            if mean != 0:
                values += mean
            return values

        if self.dtype.is_complex:
            std *= 0.5**0.5
            return fill_parts(self, lambda parts: fill(parts, "normal_", draw))
        return fill(self, "normal_", draw)

    def log_normal_(self, *args, generator=None, **kwargs):
        """x.log_normal_(mean=1, std=2): exp of random numbers of the normal distribution; returns x.

        For float dtypes. RuntimeError unless std > 0.

        >>> import stridecore as sc
        >>> min(sc.empty(100).log_normal_().tolist()) > 0
        True
        """
        mean, std = numbers(args, kwargs, "log_normal_", mean=1.0, std=2.0)
        if not std > 0:
            raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std}")
        check_float(self.dtype, "log_normal_")
        source = source_of(generator, "log_normal_")
        return self.copy_(tensor(source.lognormal(mean, std, tuple(self.shape))))

    def exponential_(self, *args, generator=None, **kwargs):
        """x.exponential_(lambd=1): random numbers of the exponential distribution; returns x.

        RuntimeError unless lambd > 0 and the dtype is a float.

        >>> import stridecore as sc
        >>> min(sc.empty(100).exponential_(2).tolist()) >= 0
        True
        """
        (rate,) = numbers(args, kwargs, "exponential_", lambd=1.0)
        if not rate > 0:
            raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={rate}")
        _continuous(self.dtype, "exponential_")
        source = source_of(generator, "exponential_")

        def draw(size, dtype, out):
            values = source.standard_exponential(size, dtype=dtype, out=out)
            values /= rate
            return values

        return fill(self, "exponential_", draw)

    def cauchy_(self, *args, generator=None, **kwargs):
        """x.cauchy_(median=0, sigma=1): random numbers of the Cauchy distribution; returns x.

        RuntimeError unless sigma > 0 and the dtype is a float.

        >>> import stridecore as sc
        >>> sc.empty(3).cauchy_().shape
        stridecore.Size([3])
        """
        median, sigma = numbers(args, kwargs, "cauchy_", median=0.0, sigma=1.0)
        if not sigma > 0:
            raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma}")
        _continuous(self.dtype, "cauchy_")
        source = source_of(generator, "cauchy_")
        return self.copy_(tensor(median + sigma * source.standard_cauchy(tuple(self.shape))))

    def geometric_(self, p, *, generator=None):
        """How many draws it takes until one of probability p succeeds, 1 or more; returns x.

        RuntimeError unless 0 < p < 1.

        >>> import stridecore as sc
        >>> min(sc.empty(100).geometric_(0.5).tolist())
        1.0
        """
        p = as_number(p, "geometric_", "p")
        if not 0 < p < 1:
            raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p}")
        if self.dtype.is_complex or self.dtype.name == "bool":
            raise NotImplementedError(f"geometric_: not implemented for {self.dtype}; integers and floats are allowed")
        source = source_of(generator, "geometric_")
        return self.copy_(tensor(source.geometric(p, tuple(self.shape))))

    def bernoulli_(self, p=0.5, *, generator=None):
        """1 with probability p, otherwise 0; p is a number or a float tensor that broadcasts to x. Returns x.

        RuntimeError for probabilities outside [0, 1].

        >>> import stridecore as sc
        >>> sc.empty(4).bernoulli_(sc.tensor([1.0, 1.0, 0.0, 0.0]))
        tensor([1., 1., 0., 0.])
        """
        if isinstance(p, Tensor) and p.dim():
            chance = _probabilities(p, self.shape, "bernoulli_")
        else:
            chance = as_number(p, "bernoulli_", "p")
            if not 0 <= chance <= 1:
                raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={chance}")
        source = source_of(generator, "bernoulli_")
        return self.copy_(tensor(source.random(tuple(self.shape)) < chance))

    def bernoulli(self, p=None, *, generator=None):
        """A new tensor with 1 where a draw succeeds and 0 elsewhere: with probability p, or without p that of each
        element of x, a float tensor.

        >>> import stridecore as sc
        >>> sc.tensor([1.0, 0.0]).bernoulli()
        tensor([1., 0.])
        """
        made = empty_like(self, memory_format=contiguous_format)
        if p is not None:
            return made.bernoulli_(p, generator=generator)
        check_float(self.dtype, "bernoulli")
        return made.bernoulli_(self, generator=generator)

    def random_(self, *args, generator=None, **kwargs):
        """x.random_(), x.random_(to) or x.random_(from, to): random integers in [from, to); returns x.

        from is 0 and to, if it is not given, beyond the largest integer that the dtype holds exactly. RuntimeError
        unless from < to and the dtype can hold both.

        >>> import stridecore as sc
        >>> sc.zeros(3).random_(4, 5)
        tensor([4., 4., 4.])
        """
        if len(args) + len(kwargs) > 2 or not kwargs.keys() <= {"from", "to"}:
            raise TypeError(f"random_: takes from and to, got {len(args)} arguments and keywords {sorted(kwargs)}")
        low, high = 0, None
        if len(args) == 2:
            low, high = args
        elif args and "to" in kwargs:
            low = args[0]
        elif args:
            high = args[0]
        low, high = kwargs.get("from", low), kwargs.get("to", high)
        source = source_of(generator, "random_")
        (_, largest), _ = _limits(self.dtype, "random_")
        low = as_integer(low, "random_", "from")
        if high is None:
            high = largest + 1
            if low >= high:
                raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
        else:
            high = as_integer(high, "random_", "to")
        if args or kwargs:
            check_integer_range(self.dtype, low, high)
        return fill_integers(self, low, high, source)


def _continuous(dtype, function):
    if not dtype.is_floating_point:
        raise RuntimeError(f"{function}: a continuous distribution needs a floating-point dtype, got {dtype}")


for _name, _method in list(vars(_Methods).items()):
    if not _name.startswith("__"):
        _method.__qualname__ = f"Tensor.{_name}"
        setattr(Tensor, _name, _method)
