"""Quantised, sparse, nested and meta tensors, generators and NumPy's values, as torch writes them."""

import io
import warnings

import against
import crafted as c
import numpy as np
import pytest

import stridecore as sc
import stridecore.checkpoint
from stridecore.checkpoint import CheckpointError
from stridecore.checkpoint.stubs import Stub

pytestmark = [
    pytest.mark.filterwarnings("ignore:torch.quantize"),
    pytest.mark.filterwarnings("ignore:Sparse"),
]


@pytest.fixture
def through(torch):
    """through(value): what stridecore loads of what torch saves."""

    def save_and_load(value, **options):
        f = io.BytesIO()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.save(value, f)
        f.seek(0)
        return sc.load(f, **({"unknown": "error"} | options))

    return save_and_load


def test_quantised_per_tensor(torch, through):
    for dtype in (torch.quint8, torch.qint8, torch.qint32):
        q = torch.quantize_per_tensor(torch.arange(6.0).view(2, 3).t(), 0.1, 5, dtype)
        x = through(q)
        against.same(x.int_repr(), q.int_repr())
        assert (x.q_scale(), x.q_zero_point(), x.qscheme) == (0.1, 5, "per_tensor_affine")
        assert f"torch.{x.dtype}" == str(dtype) and tuple(x.shape) == (3, 2)
        with pytest.raises(RuntimeError, match="per_tensor_affine"):
            x.q_per_channel_axis()


def test_quantised_per_channel(torch, through):
    scales, zeros = torch.tensor([0.1, 0.2, 0.3]), torch.tensor([1, 2, 3])
    q = torch.quantize_per_channel(torch.ones(3, 2), scales, zeros, 0, torch.qint8)
    x = through(q)
    against.same(x.int_repr(), q.int_repr())
    against.same(x.q_per_channel_scales(), q.q_per_channel_scales())
    against.same(x.q_per_channel_zero_points(), q.q_per_channel_zero_points())
    assert x.q_per_channel_axis() == 0


def test_several_quantised_values_a_byte(torch, through):
    scales, zeros = torch.tensor([0.5, 0.5, 0.5]), torch.zeros(3)
    q = torch.quantize_per_channel(torch.ones(3, 4), scales, zeros, 0, torch.quint4x2)
    x = through(q)
    assert x.dtype == "quint4x2" and x.int_repr().numel() == 6
    assert against.storage_bytes(x.int_repr()) == against.storage_bytes(q)


def test_sparse_coo(torch, through):
    for t in (
        torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 0]], [3.0, 4.0, 5.0], (2, 3)),
        torch.eye(4, dtype=torch.float64).to_sparse(),
        torch.sparse_coo_tensor(torch.tensor([[1, 0]]), torch.ones(2, 2), (3, 2)),
        torch.zeros(2, 3).to_sparse(),
    ):
        x = through({"s": t})["s"]
        assert x.layout is sc.sparse_coo and x.is_coalesced() == t.is_coalesced() and tuple(x.shape) == tuple(t.shape)
        against.same(x._indices(), t._indices().detach().clone())
        against.same(x._values(), t._values().detach().clone())


def test_compressed_sparse(torch, through):
    dense = torch.tensor([[0.0, 1, 0, 2], [3, 0, 0, 0]])
    for name, first, second in (("csr", "crow_indices", "col_indices"), ("csc", "ccol_indices", "row_indices")):
        t = getattr(dense, f"to_sparse_{name}")()
        x = through(t)
        assert x.layout == f"sparse_{name}" and tuple(x.shape) == (2, 4)
        for part in (first, second, "values"):
            assert getattr(x, part).tolist() == getattr(t, part)().tolist()
        with pytest.raises(AttributeError, match="no 'indices'"):
            x.indices  # noqa: B018


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested")
def test_nested(torch, through):
    t = torch.nested.nested_tensor([torch.arange(6.0).view(2, 3), torch.ones(1, 2)])
    x = through(t)
    for mine, theirs in zip(x.unbind(), t.unbind(), strict=True):
        assert mine.tolist() == theirs.tolist() and tuple(mine.stride()) == tuple(theirs.stride())
    x.storage_offsets[1] = 1000
    with pytest.raises(RuntimeError, match="outside 8 values"):
        x.unbind()


def test_meta(torch, through):
    x = through(torch.zeros(2, 3, dtype=torch.float16, device="meta").t())
    assert (x.dtype, tuple(x.shape), x.stride()) == (sc.float16, (3, 2), (1, 3))


def test_generators_keep_their_state_readable(torch, through):
    g = torch.Generator().manual_seed(7)
    x = through({"g": g, "state": g.get_state()})
    against.same(x["state"], g.get_state())
    assert type(x["g"]) is Stub and x["g"].state[0] == 7
    against.same(x["g"].state[2], g.get_state())


def test_layouts_and_devices(torch, through):
    x = through([torch.strided, torch.sparse_coo, torch.device("cuda", 1), torch.per_tensor_affine])
    assert x[:2] == [sc.strided, sc.sparse_coo]
    assert x[2].args == ("cuda", 1) and str(x[3]) == "torch.per_tensor_affine"


def test_parameters_and_buffers(torch, through):
    p = torch.nn.Parameter(torch.ones(2))
    p.note = "kept by torch"
    assert through([p, torch.nn.Buffer(torch.zeros(1))])[0].tolist() == [1.0, 1.0]


def test_subclasses_of_tensor_are_stubs_around_one():
    args = c.tuple_(c.storage(), c.number(0), c.ints([6]), c.ints([1]), b"\x89", c.ordered_dict())
    rebuild, cls = c.name("torch._utils", "_rebuild_tensor_v2"), c.name("my", "Labelled")
    made = c.call(c.name("torch._tensor", "_rebuild_from_type_v2"), rebuild, cls, args, c.dict_((c.text("a"), c.NONE)))
    x = sc.load(io.BytesIO(c.container(made)))
    assert x.name == "Labelled" and x.args[0].sum().item() == 15 and x["a"] is None


def test_a_whole_module_opens(torch, through):
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    f = io.BytesIO()
    torch.save(net, f)
    x = sc.load(io.BytesIO(f.getvalue()))
    assert str(x.cls) == "torch.nn.modules.container.Sequential"
    assert x["_modules"]["0"]["_parameters"]["weight"].tolist() == net[0].weight.tolist()
    with sc.checkpoint.open(io.BytesIO(f.getvalue())) as opened:
        state = net.state_dict()
        assert list(opened) == list(state)
        for name, tensor in opened.load().items():
            against.same(tensor, state[name].detach())


ARRAYS = [
    np.arange(6, dtype="int16").reshape(2, 3),
    np.arange(6.0).reshape(2, 3).T,
    np.array(["a", "bcd"]),
    np.array([b"x", b"yz"]),
    np.array([True, False]),
    np.array([1 + 2j], dtype="complex64"),
    np.array(["2020-01-02", "NaT"], dtype="datetime64[D]"),
    np.array([3, 4], dtype="timedelta64[25s]"),
    np.arange(3, dtype=">f4"),
    np.zeros((0, 3)),
    np.array(2.5),
    np.float16([1, 2]),
]


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_numpy_arrays_and_scalars(protocol):
    import pickle

    for array in ARRAYS:
        scalar = array.flat[0] if array.size else np.float32(1)
        shared = [array, array, scalar, array.dtype, array[::2] if array.ndim else array]
        x = sc.load(io.BytesIO(c.container(pickle.dumps(shared, protocol)[2:-1], {})), unknown="error")
        for mine, theirs in zip(x, shared, strict=True):
            assert type(mine) is type(theirs)
            if isinstance(theirs, np.ndarray):
                assert (mine.dtype, mine.shape) == (theirs.dtype, theirs.shape)
                assert mine.tobytes() == theirs.tobytes() and mine.flags.writeable
            else:
                assert mine == theirs or mine != mine or str(mine) == "NaT"
        assert x[0] is x[1]


def test_numpy_objects_and_structs_are_stubs():
    import pickle

    for array in (np.array([None, "x"], dtype=object), np.zeros(2, dtype=[("a", "i4"), ("b", "f8")])):
        x = sc.load(io.BytesIO(c.container(pickle.dumps([array, array], 2)[2:-1], {})))
        assert type(x[0]) is Stub and x[0] is x[1] and x[0].name == "ndarray"


@pytest.mark.parametrize(
    ("shape", "data"), [((2,), b"\0" * 7), ((2**62, 4), b"\0" * 8), ((-1,), b""), ((0,) * 40, b""), ((2**70,), b"")]
)
def test_lying_numpy_arrays(shape, data):
    made = c.call(c.name("numpy.core.multiarray", "_reconstruct"), c.name("numpy", "ndarray"), c.ints([0]), c.text("b"))
    kind = c.call(c.name("numpy", "dtype"), c.text("f4"), b"\x89", b"\x88")
    content = b"C" + bytes([len(data)]) + data
    state = c.tuple_(c.number(1), c.ints(shape), kind, b"\x89", content)
    with pytest.raises(CheckpointError, match="array"):
        sc.load(io.BytesIO(c.container(made + state + b"b", {})))
