"""Random number generators: NumPy's PCG64 behind torch's `Generator`, and the one that functions use by default.

A generator that was seeded with n draws the stream of `numpy.random.default_rng(n)`. NumPy is loaded by the first
draw. The state is 48 bytes, as a uint8 tensor:

    seed (8) | PCG64's state (16) | its increment (16) | whether half a draw is left over (4) | that half (4)
"""

import os

from stridecore.core.creation import tensor
from stridecore.core.device import device as Device
from stridecore.dtypes import uint8
from stridecore.tensor import Tensor

__all__ = ["Generator", "default_generator", "get_rng_state", "initial_seed", "manual_seed", "seed", "set_rng_state"]

# The seed of a new Generator, torch's.
DEFAULT_SEED = 67280421310721
STATE_NBYTES = 48


def _as_seed(value, function):
    """A seed in [0, 2**64); negative ones count from the end, as in torch."""
    if not -(2**63) <= value < 2**64:
        raise ValueError(f"{function}: Overflow when unpacking long long: seed must be in [-2**63, 2**64), got {value}")
    return value % 2**64


class Generator:
    """Generator(device="cpu"): a source of random numbers, for the `generator=` of the functions that draw them.

    >>> import stridecore as sc
    >>> g = sc.Generator().manual_seed(3)
    >>> a = sc.rand(2, generator=g)
    >>> a.tolist() == sc.rand(2, generator=g.manual_seed(3)).tolist()
    True
    """

    __slots__ = ("__weakref__", "_numpy", "_seed")
    __module__ = "stridecore"

    def __init__(self, device="cpu"):
        Device(device)
        self._seed = DEFAULT_SEED
        self._numpy = None  # the numpy.random.Generator, made by the first draw

    def numpy(self):
        """The numpy.random.Generator that draws the numbers; what it draws moves this generator on."""
        if self._numpy is None:
            import numpy

            if self._seed is None:
                self._seed = _entropy()
            self._numpy = numpy.random.Generator(numpy.random.PCG64(self._seed))
        return self._numpy

    @property
    def device(self):
        """The device of the generator: the CPU."""
        return Device("cpu")

    def manual_seed(self, seed):
        """Start the stream of this seed, an int in [-2**63, 2**64); returns the generator."""
        if not hasattr(seed, "__index__") or isinstance(seed, bool):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        self._seed = _as_seed(seed.__index__(), "manual_seed")
        self._numpy = None
        return self

    def seed(self):
        """Start a stream that nobody can foresee; returns its seed."""
        self.manual_seed(_entropy())
        return self._seed

    def initial_seed(self):
        """The seed that the stream started from."""
        if self._seed is None:
            self._seed = _entropy()
        return self._seed

    def get_state(self):
        """The state as a uint8 tensor of 48 elements, for set_state."""
        return tensor(list(self._state()), dtype=uint8)

    def _state(self):
        state = self.numpy().bit_generator.state
        words = state["state"]
        return b"".join(
            [
                self._seed.to_bytes(8, "little"),
                words["state"].to_bytes(16, "little"),
                words["inc"].to_bytes(16, "little"),
                state["has_uint32"].to_bytes(4, "little"),
                state["uinteger"].to_bytes(4, "little"),
            ]
        )

    def set_state(self, new_state):
        """Go on from a state that get_state gave; returns the generator.

        TypeError unless it is a uint8 tensor, RuntimeError unless it is a state of this kind of generator.
        """
        if not isinstance(new_state, Tensor):
            raise TypeError(f"set_state: expected a uint8 tensor, but got {type(new_state).__name__}")
        if new_state.dtype is not uint8:
            raise TypeError(f"set_state: RNG state must be a uint8 tensor, got {new_state.dtype}")
        if new_state.numel() != STATE_NBYTES:
            raise RuntimeError(
                f"set_state: Expected a state of size {STATE_NBYTES} but found the input RNG state size to be "
                f"{new_state.numel()}"
            )
        return self._restore(bytes(new_state.flatten().tolist()))

    def _restore(self, data):
        words = [int.from_bytes(data[a:b], "little") for a, b in ((0, 8), (8, 24), (24, 40), (40, 44), (44, 48))]
        if words[3] > 1 or words[2] % 2 == 0:
            raise RuntimeError("set_state: the tensor is not the state of a generator")
        self.manual_seed(words[0])
        self.numpy().bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": words[1], "inc": words[2]},
            "has_uint32": words[3],
            "uinteger": words[4],
        }
        return self

    def clone_state(self):
        """A new generator in the same state."""
        return type(self)()._restore(self._state())

    graphsafe_get_state = clone_state

    def graphsafe_set_state(self, state):
        """Go on from the state of another generator; returns this one."""
        if not isinstance(state, Generator):
            raise TypeError(f"graphsafe_set_state: expected a Generator, but got {type(state).__name__}")
        return self._restore(state._state())

    def get_offset(self):
        """RuntimeError: streams on the CPU have no offset."""
        raise RuntimeError("get_offset: a CPU generator has no offset; use get_state")

    def set_offset(self, offset):
        """RuntimeError: streams on the CPU have no offset."""
        raise RuntimeError("set_offset: a CPU generator has no offset; use set_state")

    def __repr__(self):
        return f"<stridecore.Generator object at {id(self):#x}>"

    def __reduce__(self):
        return _restored, (self._state(),)

    def __deepcopy__(self, memo):
        return self.clone_state()

    __copy__ = clone_state


def _restored(state):
    return Generator()._restore(state)


def _entropy():
    return int.from_bytes(os.urandom(8), "little")


# Seeded by the first draw, or by manual_seed.
default_generator = Generator()
default_generator._seed = None


# ---- the default generator --------------------------------------------------------------------------------------


def manual_seed(seed):
    """Seed the default generator, and return it: the draws that follow are those of this seed.

    ValueError for a seed outside [-2**63, 2**64).

    >>> import stridecore as sc
    >>> _ = sc.manual_seed(0)
    >>> a = sc.randn(3)
    >>> _ = sc.manual_seed(0)
    >>> a.tolist() == sc.randn(3).tolist()
    True
    """
    return default_generator.manual_seed(_as_seed(int(seed), "manual_seed"))


def seed():
    """Seed the default generator from the system's entropy; returns the seed."""
    return default_generator.seed()


def initial_seed():
    """The seed of the default generator.

    >>> import stridecore as sc
    >>> _ = sc.manual_seed(7)
    >>> sc.initial_seed()
    7
    """
    return default_generator.initial_seed()


def get_rng_state():
    """The state of the default generator as a uint8 tensor."""
    return default_generator.get_state()


def set_rng_state(new_state):
    """Go on from a state that get_rng_state gave.

    >>> import stridecore as sc
    >>> state = sc.get_rng_state()
    >>> a = sc.rand(3)
    >>> sc.set_rng_state(state)
    >>> a.tolist() == sc.rand(3).tolist()
    True
    """
    default_generator.set_state(new_state)


class fork_rng:
    """`with fork_rng():` draws inside do not move the default generator; its state is restored at the end.

    `devices` and `device_type` are accepted as torch does; `enabled=False` makes it do nothing.
    """

    def __init__(self, devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type="cpu"):
        self.enabled = enabled

    def __enter__(self):
        self.state = default_generator._state() if self.enabled else None

    def __exit__(self, *error):
        if self.enabled:
            default_generator._restore(self.state)
