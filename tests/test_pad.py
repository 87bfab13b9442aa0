"""nn.functional.pad, unfold and fold: by eye and beside torch."""

import doctest
import subprocess
import sys

import pytest
from against import convert, outcome, same

import stridecore as sc

F = sc.nn.functional


def test_the_package_shows_nn():
    checks = "'nn' in dir(sc) and 'stridecore.nn' not in sys.modules and sc.nn.functional.pad"
    program = f"import sys, stridecore as sc\nassert {checks}"
    subprocess.run([sys.executable, "-c", program], check=True)


# ---- by eye ---------------------------------------------------------------------------------------------------


def test_borders_of_a_vector():
    x = sc.arange(3).view(1, 3)
    assert F.pad(x, (2, 1)).tolist() == [[0, 0, 0, 1, 2, 0]]
    assert F.pad(x, (1, 1), value=7).tolist() == [[7, 0, 1, 2, 7]]
    assert F.pad(x, (2, 2), "reflect").tolist() == [[2, 1, 0, 1, 2, 1, 0]]
    assert F.pad(x, (2, 2), "replicate").tolist() == [[0, 0, 0, 1, 2, 2, 2]]
    assert F.pad(x, (2, 2), "circular").tolist() == [[1, 2, 0, 1, 2, 0, 1]]
    assert F.pad(x, (-1, 2), "reflect").tolist() == [[1, 2, 1, 0]] and F.pad(x, (-1, -1)).tolist() == [[1]]
    assert F.pad(x[:, ::-1], (1, 1)).tolist() == [[0, 2, 1, 0, 0]]


def test_the_first_pair_is_the_last_dim():
    assert F.pad(sc.ones(1, 1), (1, 0, 0, 2)).tolist() == [[0, 1], [0, 0], [0, 0]]
    assert sc.constant_pad_nd(sc.ones(1, 1), (1, 0), 5).tolist() == [[5, 1]]
    x = sc.ones(2)
    assert F.pad(x, ()) is not x and F.pad(x, (0, 0)).tolist() == [1, 1]


def test_unfold_and_fold():
    x = sc.arange(6).view(1, 2, 3)
    assert F.unfold(x, 2).tolist() == [[0, 1], [1, 2], [3, 4], [4, 5]]
    assert F.unfold(x, (1, 3), padding=(0, 1)).tolist() == [[0, 0, 1, 0, 3, 4], [0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 0]]
    assert F.fold(F.unfold(x, 1), (2, 3), 1).tolist() == x.tolist()
    assert F.fold(sc.ones(4, 2, dtype=sc.bfloat16), (2, 3), 2).tolist() == [[[1, 2, 1], [1, 2, 1]]]


@pytest.mark.parametrize("name", ["pad", "unfold", "fold"])
def test_examples(name):
    test = doctest.DocTestParser().get_doctest(getattr(F, name).__doc__, {}, name, None, None)
    assert test.examples and doctest.DocTestRunner().run(test).failed == 0


# ---- beside torch ---------------------------------------------------------------------------------------------

EXPRESSIONS = """
F.pad(a, (1, 1))
F.pad(a, [1, 1])
F.pad(a, 1)
F.pad(a, (1,))
F.pad(a, (1, 1) * 4)
F.pad(a, ())
F.pad(a, (0, 0))
F.pad(a, (1., 1))
F.pad(a, (True, 1))
F.pad(a, (1, 1), 'foo')
F.pad(a, (1, 1), 'constant', 2)
F.pad(a.long(), (1, 1), value=2.5)
F.pad(a.bool(), (1, 1), value=2)
F.pad(a.byte(), (1, 1), value=300)
F.pad(a.byte(), (1, 1), value=-1)
F.pad(a, (1, 1), value=1j)
F.pad(a, (1, 1), value=lib.tensor(2.))
F.pad(a, (1, 1), value=True)
F.pad(a, (-1, 1))
F.pad(a, (-2, -2))
F.pad(a, (-3, -2))
F.pad(a, (-5, 6))
F.pad(cl, (1, 1))
F.pad(cl, (1, 1, 2, -1))
F.pad(cl3, (1, 1))
F.pad(a.permute(2, 0, 1), (1, 1))
F.pad(lib.zeros(()), ())
F.pad(lib.zeros(0, 3), (1, 1))
F.pad(lib.zeros(0, 3), (1, 1, 1, 1))
F.pad(a, (1, 1, 0, 0, 2, 0))
F.pad(lib.zeros(2), (1, 1), m)
F.pad(lib.zeros(2, 3), (1, 1), m)
F.pad(lib.zeros(2, 3), (4, 1), m)
F.pad(lib.zeros(2, 3), (3, 3), m)
F.pad(lib.zeros(2, 3), (2, 2, 1, 1), m)
F.pad(a, (2, 2), m)
F.pad(a, (2, 2, 1, 1), m)
F.pad(a, (2, 2, 1, 1, 1, 1), m)
F.pad(b, (1, 1), m)
F.pad(b, (1, 1, 1, 1), m)
F.pad(b, (1, 0, 1, 2, 1, 1), m)
F.pad(cl, (1, 1, 1, 1), m)
F.pad(cl, (1, 1, 1, 1, 1, 1), m)
F.pad(cl3, (1, 1, 1, 1, 1, 1), m)
F.pad(cl3, (1, 1, 1, 1), m)
F.pad(b, (-1, 1, 1, 1), m)
F.pad(v, (-2, 1), m)
F.pad(v, (-1, 2), m)
F.pad(v, (2, -2), m)
F.pad(v, (2, -1), m)
F.pad(v, (-1, -1), m)
F.pad(v, (-2, -1), m)
F.pad(v, (-3, -1), m)
F.pad(v, (1, 1), m, 0)
F.pad(v, (1, 1), m, 1)
F.pad(lib.zeros(2, 0), (1, 1), m)
F.pad(lib.zeros(0, 3), (1, 1), m)
F.pad(lib.zeros(0, 2, 3), (1, 1), m)
F.pad(lib.zeros(2, 0, 3), (1, 1), m)
F.pad(a.permute(1, 0, 2), (1, 1), m)
F.pad(a.transpose(1, 2), (1, 1), m)
F.pad(a.long(), (1, 1), m)
F.pad(a.half(), (1, 1), m)
F.pad(a.cfloat().conj(), (1, 1), m)
F.pad(a, (0, 0), m)
F.pad(a, (), m)
F.pad(5, (1, 1), m)
lib.constant_pad_nd(a, (1, 1), 3)
lib.constant_pad_nd(a, (1, 1))
F.unfold(b, 2)
F.unfold(b, (2, 3))
F.unfold(b, 2, 2, 1, 2)
F.unfold(b, (1, 2), (2, 1), (0, 4), (3, 1))
F.unfold(b[0], 2)
F.unfold(a, 2)
F.unfold(lib.zeros(3, 3), 2)
F.unfold(b, (2,))
F.unfold(b, (2, 2, 2))
F.unfold(b, 0)
F.unfold(b, 9)
F.unfold(b, 2, 0)
F.unfold(b, 2, 1, -1)
F.unfold(b, 2, 1, 0, 0)
F.unfold(b.half(), 2)
F.unfold(b.bool(), 2)
F.unfold(cl, 2)
F.unfold(lib.zeros(0, 3, 4, 5), 2)
F.unfold(lib.zeros(2, 0, 4, 5), 2)
F.unfold(lib.zeros(2, 3, 0, 5), 2)
F.unfold(b, 2.)
F.unfold(b.permute(1, 0, 3, 2), 2, padding=3)
F.fold(b.reshape(2, 12, 5)[..., :4], 3, 2)
F.fold(b.reshape(2, 12, 5), (6, 2), 2)
F.fold(b.reshape(2, 12, 5)[0], (6, 2), 2)
F.fold(b.reshape(2, 12, 5), (6, 3), 2)
F.fold(b.reshape(2, 10, 6), (6, 2), 2)
F.fold(lib.zeros(2, 12, 4), (4, 4), 2, stride=2)
F.fold(b.reshape(2, 12, 5), (3, 8), (2, 3), 2, 1, (5, 1))
F.fold(lib.zeros(0, 12, 5), (6, 2), 2)
F.fold(b, (6, 2), 2)
"""


def with_modes():
    for code in EXPRESSIONS.strip().split("\n"):
        modes = ("reflect", "replicate", "circular") if ", m" in code else ("",)
        yield from [code.replace(", m", f", {mode!r}") if mode else code for mode in modes]


@pytest.mark.parametrize("code", list(with_modes()))
def test_as_torch_does_it(torch, quiet, code):
    def run(lib):
        names = {"lib": lib, "F": lib.nn.functional, "a": lib.arange(24.0).reshape(2, 3, 4)}
        names["b"] = b = lib.arange(120.0).reshape(2, 3, 4, 5)
        names["cl"] = b.contiguous(memory_format=lib.channels_last)
        names["cl3"] = lib.arange(240.0).reshape(2, 3, 2, 4, 5).contiguous(memory_format=lib.channels_last_3d)
        names["v"] = lib.arange(3.0).reshape(1, 3)
        return eval(code, names)

    (mine, error), (theirs, expected) = outcome(run, sc), outcome(run, torch)
    assert error == expected
    if error is None:
        same(mine, theirs)


@pytest.mark.parametrize("mode", ["constant", "reflect", "replicate", "circular"])
def test_random_pads(torch, quiet, rng, mode):
    for _ in range(120):
        dims = rng.randrange(1, 4)
        ndim = dims + rng.choice((1, 2))
        shape = [rng.randrange(1, 6) for _ in range(ndim)]
        order = rng.sample(range(ndim), ndim)
        t = torch.arange(torch.Size(shape).numel()).view([shape[d] for d in order])
        t = t.permute([order.index(d) for d in range(ndim)]).to(rng.choice((torch.float32, torch.int64, torch.float16)))
        pad = []
        for d in range(dims):
            size = shape[ndim - 1 - d]
            limit = size - 1 if mode == "reflect" else size
            pad += [rng.randrange(limit + 1) if rng.random() < 0.9 else -rng.randrange(min(size, 2)) for _ in range(2)]
        left = [shape[ndim - 1 - d] + min(pad[2 * d], 0) + min(pad[2 * d + 1], 0) for d in range(dims)]
        if mode == "circular" and any(max(pad[2 * d : 2 * d + 2]) > left[d] for d in range(dims)):
            continue    # torch wraps what it has taken away, or copies before it has written
        value = rng.choice((None, 3)) if mode == "constant" else None
        (theirs, expected) = outcome(torch.nn.functional.pad, t, pad, mode, value)
        (mine, error) = outcome(F.pad, convert(t, sc), pad, mode, value)
        assert error == expected, (shape, pad)
        if error is None:
            same(mine, theirs)


def test_a_large_border(torch):
    t = torch.arange(300 * 200).view(300, 200)
    for pad in ((0, 0, 5, 7), (3, 0, 5, 7), (0, 0, -5, 7)):
        same(F.pad(convert(t, sc), pad, value=9), torch.nn.functional.pad(t, pad, value=9))


def test_random_windows(torch, quiet, rng):
    for _ in range(150):
        shape = [rng.randrange(1, 3) for _ in range(rng.choice((1, 2)))] + [rng.randrange(1, 9) for _ in range(2)]
        t = torch.arange(float(torch.Size(shape).numel())).view(shape)
        if rng.random() < 0.5:
            t = t.transpose(-1, -2).contiguous().transpose(-1, -2)
        kernel, dilation, stride = [[rng.randrange(1, 4) for _ in range(2)] for _ in range(3)]
        padding = [rng.randrange(3) for _ in range(2)] if rng.random() < 0.6 else 0
        arguments = kernel, dilation, padding, stride
        (theirs, expected), (mine, error) = (
            outcome(torch.nn.functional.unfold, t, *arguments), outcome(F.unfold, convert(t, sc), *arguments)
        )
        assert error == expected
        if error is None:
            same(mine, theirs)
            same(F.fold(mine, shape[-2:], *arguments), torch.nn.functional.fold(theirs, shape[-2:], *arguments))
