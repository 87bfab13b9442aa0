"""Dims in another order: transpose, permute, T and its family, movedim."""

import warnings

import pytest

import stridecore as sc


def layout(x):
    return tuple(x.shape), x.stride(), x.storage_offset()


def test_a_transpose_swaps_sizes_and_strides():
    x = sc.arange(6).view(2, 3)
    for y in (x.t(), x.T, x.mT, x.transpose(0, 1), x.transpose(-1, 0), x.swapaxes(0, 1), x.swapdims(1, 0), x.H, x.mH):
        assert layout(y) == ((3, 2), (1, 3), 0)
        assert y.tolist() == [[0, 3], [1, 4], [2, 5]]
        assert y._base is x._base


def test_transpose_of_higher_dims():
    x = sc.ones(3, 4, 5)
    assert layout(x.transpose(0, 2)) == ((5, 4, 3), (1, 5, 20), 0)
    assert layout(x.transpose(1, 1)) == ((3, 4, 5), (20, 5, 1), 0)
    assert x.transpose(1, 1) is not x
    assert layout(x.mT) == ((3, 5, 4), (20, 1, 5), 0)
    assert layout(x[:, 1:, ::2].transpose(dim0=0, dim1=1)) == ((3, 3, 3), (5, 20, 2), 5)


def test_few_dims(quiet):
    s, v = sc.tensor(7), sc.arange(3)
    assert layout(s.t()) == layout(s.transpose(0, -1)) == layout(s.swapaxes(-1, -1)) == ((), (), 0)
    assert s.t() is not s and s.t()._base is s
    assert layout(v.t()) == layout(v.T) == ((3,), (1,), 0)
    with pytest.raises(RuntimeError, match="1 dim"):
        v.mT  # noqa: B018
    with pytest.raises(RuntimeError, match="1 dim"):
        v.adjoint()
    with pytest.raises(RuntimeError, match="2-D"):
        v.H  # noqa: B018


@pytest.mark.parametrize("name", "mT mH H adjoint".split())
def test_a_number_is_its_own_transpose(name, quiet):
    s = sc.tensor(7)
    y = getattr(s, name)
    assert (y() if callable(y) else y) is s


def test_t_is_for_matrices_and_T_reverses_all_dims(quiet):
    x = sc.zeros(2, 3, 4)
    with pytest.raises(RuntimeError, match="<= 2 dimensions, but self is 3D"):
        x.t()
    with pytest.raises(RuntimeError, match="2-D"):
        x.H  # noqa: B018
    assert layout(x.T) == ((4, 3, 2), (1, 4, 12), 0)


def test_T_of_other_than_matrices_warns_once():
    code = (
        "import warnings, stridecore as sc\n"
        "with warnings.catch_warnings(record=True) as seen:\n"
        "    warnings.simplefilter('always')\n"
        "    sc.zeros(2, 3, 4).T; sc.zeros(2).T; sc.zeros(2, 2).T\n"
        "print(len(seen), seen[0].category.__name__, seen[0].filename)\n"
    )
    import subprocess
    import sys

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "UserWarning", "<string>"]


def test_warnings_can_be_errors():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sc.zeros(2, 3).T.shape == (3, 2)


def test_permute():
    x = sc.arange(24).view(2, 3, 4)
    for y in (x.permute(2, 0, 1), x.permute((2, 0, 1)), x.permute([-1, 0, 1]), x.permute(dims=(2, 0, 1))):
        assert layout(y) == ((4, 2, 3), (1, 12, 4), 0)
        assert y[3, 1, 2].item() == x[1, 2, 3].item() == 23
    assert layout(sc.tensor(1).permute(())) == ((), (), 0)


@pytest.mark.parametrize(
    "dims, error, text",
    [
        ((0, 1), RuntimeError, "has 3 dims, but the order"),
        ((0, 1, 2, 3), RuntimeError, "has 3 dims, but the order"),
        ((0, 1, 1), RuntimeError, "duplicate dims"),
        ((0, 1, -2), RuntimeError, "duplicate dims"),
        ((0, 1, 3), IndexError, "got 3"),
        ((0, 1, 2.0), TypeError, "must be int, not float"),
        ("a", TypeError, "not str"),
        (None, TypeError, "None"),
        ((2**63, 0, 1), TypeError, "64 bits"),
    ],
)
def test_permute_refuses(dims, error, text):
    with pytest.raises(error, match=text):
        sc.zeros(2, 3, 4).permute(dims)


def test_permute_needs_dims():
    with pytest.raises(TypeError):
        sc.zeros(2).permute()
    with pytest.raises(TypeError):
        sc.zeros(2, 3).permute((0, 1), dims=(0, 1))


def test_movedim():
    x = sc.zeros(2, 3, 4, 5)
    assert x.movedim(0, 2).shape == (3, 4, 2, 5)
    assert x.movedim(-1, 0).shape == (5, 2, 3, 4)
    assert x.moveaxis((0, 1), (-1, 0)).shape == (3, 4, 5, 2)
    assert x.movedim([3, 2], [0, 1]).stride() == (1, 5, 60, 20)
    assert x.movedim((), ()).shape == (2, 3, 4, 5)
    assert sc.tensor(1).movedim(0, -1).shape == ()


def test_movedim_refuses():
    x = sc.zeros(2, 3, 4)
    with pytest.raises(RuntimeError, match="repeated dim in `source`"):
        x.movedim((0, 0), (1, 2))
    with pytest.raises(RuntimeError, match="repeated dim in `destination`"):
        x.movedim((0, 1), (1, -2))
    with pytest.raises(RuntimeError, match="same number"):
        x.movedim((0, 1), (1,))
    with pytest.raises(IndexError):
        x.movedim(3, 0)


@pytest.mark.parametrize("args", [(0.0, 1), (True, 0), ("a", 0), (None, 0), ((0,), 1), (0,), (0, 1, 2)])
def test_transpose_takes_two_ints(args):
    with pytest.raises(TypeError):
        sc.zeros(2, 3).transpose(*args)


def test_dims_out_of_range():
    with pytest.raises(IndexError, match=r"range of \[-2, 1\], but got 2"):
        sc.zeros(2, 3).transpose(0, 2)
    with pytest.raises(IndexError, match=r"range of \[-1, 0\], but got 1"):
        sc.tensor(1).transpose(0, 1)
    with pytest.raises(ValueError, match="64 bits"):
        sc.zeros(2, 3).transpose(2**63, 0)


def test_conjugate_transposes_are_lazy():
    x = sc.tensor([[1 + 2j, 3j]])
    for y in (x.H, x.mH, x.adjoint()):
        assert y.is_conj() and y.data_ptr() == x.data_ptr()
        assert y.tolist() == [[1 - 2j], [-3j]]
        assert not y.H.is_conj()


def test_negative_strides_move_along():
    x = sc.arange(6).view(2, 3)[:, ::-1]
    assert layout(x.t()) == ((3, 2), (-1, 3), 2)
    assert x.t().tolist() == [[2, 5], [1, 4], [0, 3]]
