"""core/indexing.pyx: `x[...]` and `x[...] = value` with ints, slices, None and Ellipsis."""

import numpy as np
import pytest
from against import convert, same, storage_bytes

import stridecore as sc


def layout(x):
    return tuple(x.size()), x.stride(), x.storage_offset()


def test_ints_select():
    x = sc.arange(24).view(2, 3, 4)
    assert layout(x[1]) == ((3, 4), (4, 1), 12)
    assert layout(x[-1, 2]) == ((4,), (1,), 20)
    assert layout(x[1, 2, 3]) == ((), (), 23)
    assert x[1, 2, 3].item() == 23


def test_slices():
    x = sc.arange(24).view(2, 3, 4)
    assert layout(x[:, 1:]) == ((2, 2, 4), (12, 4, 1), 4)
    assert layout(x[..., ::2]) == ((2, 3, 2), (12, 4, 2), 0)
    assert layout(x[:, :, 3:4:100]) == ((2, 3, 1), (12, 4, 100), 3)
    assert layout(x[-1:, -100:100]) == ((1, 3, 4), (12, 4, 1), 12)
    assert layout(x[: 2**70]) == layout(x)


def test_empty_slices_move_the_offset():
    x = sc.arange(24).view(2, 3, 4)
    assert layout(x[5:2]) == ((0, 3, 4), (12, 4, 1), 24)
    assert layout(x[:, 10:20]) == ((2, 0, 4), (12, 4, 1), 12)


def test_negative_steps_are_views():
    x = sc.arange(10)
    assert layout(x[::-1]) == ((10,), (-1,), 9)
    assert x[::-1].tolist() == list(range(10))[::-1]
    assert x[8:2:-3].tolist() == [8, 5]
    assert layout(x[2:8:-1]) == ((0,), (-1,), 0)
    assert x[::-1][2].item() == 7


def test_new_axes():
    x = sc.arange(24).view(2, 3, 4)
    assert layout(x[None]) == ((1, 2, 3, 4), (24, 12, 4, 1), 0)
    assert layout(x[:, None, 1:]) == ((2, 1, 2, 4), (12, 12, 4, 1), 4)
    assert layout(x[..., None]) == ((2, 3, 4, 1), (12, 4, 1, 1), 0)
    assert layout(sc.tensor(1)[None]) == ((1,), (1,), 0)


def test_every_view_is_a_new_object():
    x = sc.arange(3)
    for key in (slice(None), ..., ()):
        assert x[key] is not x
        assert x[key]._base is x
    assert x[1:][1:]._base is x


def test_indices_that_are_tensors_or_numpy_ints():
    x = sc.arange(12).view(3, 4)
    for index in (sc.tensor(2), np.int64(2), np.array(2), sc.tensor(2, dtype=sc.int8)):
        assert layout(x[index]) == ((4,), (1,), 8)
    assert x[sc.tensor(1) :, : np.int32(2)].tolist() == [[4, 5], [8, 9]]
    assert x[sc.tensor([1]) :].tolist() == x[1:].tolist()


@pytest.mark.parametrize(
    "key, error, text",
    [
        (2, IndexError, "index 2 is out of bounds for dimension 0 with size 2"),
        (-3, IndexError, "index -3 is out of bounds for dimension 0 with size 2"),
        ((0, 5), IndexError, "index 5 is out of bounds for dimension 1 with size 3"),
        ((0, 0, 0, 0), IndexError, "too many indices for tensor of dimension 3"),
        (1.0, IndexError, "float"),
        (object(), IndexError, "object"),
        ({}, IndexError, "dict"),
        ("a", TypeError, "str"),
        (2**63, ValueError, "64 bits"),
        (slice(0, 1.5), TypeError, "slice indices"),
        (slice(None, None, 0), ValueError, "slice step cannot be zero"),
        ((..., ..., 0), IndexError, "Ellipsis"),
    ],
)
def test_bad_keys(key, error, text):
    x = sc.zeros(2, 3, 4)
    with pytest.raises(error, match=text.replace("(", r"\(")):
        x[key]
    with pytest.raises(error):
        x[key] = 1.0


def test_zero_dims():
    x = sc.tensor(1)
    with pytest.raises(IndexError, match="invalid index of a 0-dim tensor"):
        x[0]
    with pytest.raises(IndexError, match="0-dim"):
        x[:]
    with pytest.raises(TypeError, match="len"):
        len(x)
    with pytest.raises(TypeError, match="iteration over a 0-d tensor"):
        iter(x)
    assert x[()].item() == x[...].item() == 1


def test_too_many_dims():
    x = sc.zeros(1)
    with pytest.raises(ValueError, match="64"):
        x[(None,) * 64]


def test_iteration_gives_rows():
    x = sc.tensor([[0, 1], [2, 3], [4, 5]])
    assert [row.tolist() for row in x] == [[0, 1], [2, 3], [4, 5]]
    assert all(row._base is x for row in x)
    assert list(sc.zeros(0, 2)) == []


def test_writes():
    x = sc.zeros(2, 3)
    x[0, 1] = 5
    x[1] = sc.tensor([1.0, 2.0, 3.0])
    x[:, 2] = 7.5
    assert x.tolist() == [[0, 5, 7.5], [1, 2, 7.5]]
    x[...] = sc.tensor([[9.0]])
    assert x.tolist() == [[9, 9, 9], [9, 9, 9]]
    x[0] = x[1][::-1]


def test_values_lose_leading_size_1_dims():
    x = sc.zeros(2, 3)
    x[0] = sc.ones(1, 1, 3)
    x[1, 1] = sc.tensor([4.0])
    assert x.tolist() == [[1, 1, 1], [0, 4, 0]]
    with pytest.raises(RuntimeError):
        x[0] = sc.ones(2, 3)
    with pytest.raises(RuntimeError):
        x[1, 1] = sc.ones(2)


def test_values_that_do_not_fit():
    x = sc.zeros(2, dtype=sc.uint8)
    x[0] = -1
    assert x.tolist() == [255, 0]
    for value in (300, -300, 1e9, float("nan"), 1j):
        with pytest.raises(RuntimeError, match="without overflow"):
            x[0] = value
        with pytest.raises(RuntimeError, match="without overflow"):
            x[:] = value
    with pytest.raises(ValueError):
        x[0] = 2**63
    assert x.tolist() == [255, 0]


@pytest.mark.parametrize("value", [[1.0], (1.0,), np.ones(1), "a", None])
def test_values_that_are_no_numbers(value):
    x = sc.zeros(2, 1)
    for key in (0, (0, 0), slice(None)):
        with pytest.raises(TypeError, match="can't assign"):
            x[key] = value


@pytest.mark.parametrize("value", [np.float32(2.5), np.float64(2.5), np.float16(2.5)])
def test_numpy_scalars_are_numbers(value):
    x = sc.zeros(2)
    x[0] = value
    x[1:] = value
    assert x.tolist() == [2.5, 2.5]


def test_overlapping_writes_are_as_if_copied_first():
    x = sc.arange(6)
    x[1:] = x[:-1]
    assert x.tolist() == [0, 0, 1, 2, 3, 4]
    x = sc.arange(6)
    x[:-1] = x[1:]
    assert x.tolist() == [1, 2, 3, 4, 5, 5]


def test_a_destination_that_overlaps_itself_is_refused():
    x = sc.zeros(1).expand(3)
    for value in (1.0, sc.tensor(1.0), sc.ones(3)):
        with pytest.raises(RuntimeError, match="single memory location"):
            x[:] = value
    x[1] = 2.0
    assert x.tolist() == [2, 2, 2]


def test_a_write_into_a_conjugated_view_stores_the_conjugate():
    x = sc.zeros(2, dtype=sc.complex64)
    x.conj()[0] = 1 + 2j
    assert x.tolist() == [1 - 2j, 0]


class Meddler:
    """An int that changes the tensor while it is read."""

    def __init__(self, change, value=0):
        self.change, self.value = change, value

    def __index__(self):
        self.change()
        return self.value


def test_indices_that_change_the_tensor():
    x = sc.arange(64).view(2, 2, 2, 2, 2, 2)
    meddle = Meddler(lambda: x.resize_(1), 1)
    assert x[meddle, 1, :, 1:meddle].size() == (2, 0, 2, 2)
    x = sc.zeros(4, 4)
    storage = x.untyped_storage()
    with pytest.raises(RuntimeError, match="resized"):
        x[:, Meddler(lambda: storage.resize_(4))] = 5.0
    assert storage.nbytes() == 4


def random_key(rng, shape):
    parts = []
    for size in shape:
        kind = rng.randrange(8)
        if kind == 0 and size:
            parts.append(rng.randrange(-size, size))
        elif kind == 1:
            parts.append(slice(None))
        elif kind == 2:
            parts += [None, slice(None)]
        else:
            bounds = [rng.choice([None, rng.randrange(-size - 2, size + 3)]) for _ in range(2)]
            parts.append(slice(*bounds, rng.choice([None, 1, 1, 2, 3, 7])))
    if rng.random() < 0.3:
        start = rng.randrange(len(parts) + 1)
        parts[start : start + rng.randrange(3)] = [...]
    if rng.random() < 0.05:
        parts.append(0)
    if rng.random() < 0.2 and parts:
        parts = parts[: rng.randrange(len(parts))]
    return tuple(parts) if len(parts) != 1 or rng.random() < 0.5 else parts[0]


def test_random_keys_as_torch(torch, rng):
    for _ in range(3000):
        ndim = rng.randrange(5)
        shape = [rng.choice([0, 1, 2, 3, 5]) for _ in range(ndim)]
        t = torch.arange(max(1, int(np.prod(shape)))).float()[: int(np.prod(shape))].view(shape)
        if ndim > 1:
            t = t.transpose(rng.randrange(ndim), rng.randrange(ndim))
        x = convert(t, sc)
        key = random_key(rng, t.shape)
        try:
            expected = t[key]
        except Exception as error:
            with pytest.raises(type(error)):
                x[key]
            continue
        got = x[key]
        same(got, expected)
        value = torch.arange(expected.shape[-1] if expected.dim() else 1) + 100.0
        x[key] = convert(value, sc)
        t[key] = value
        assert storage_bytes(x) == storage_bytes(t), key
