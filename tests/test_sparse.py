"""Sparse COO tensors: by eye and beside torch."""

import copy
import pickle

import numpy as np
import pytest
from against import convert, name_of, outcome, same

import stridecore as sc

DTYPES = "float32 float64 int64 int32 uint8 bool float16 bfloat16 complex64".split()


@pytest.fixture
def x():
    """[[0, 0, 3], [4, 0, 5]], whose first element is given in two parts."""
    return sc.sparse_coo_tensor([[0, 1, 0, 1], [2, 2, 2, 0]], [1.0, 5.0, 2.0, 4.0], (2, 3))


# ---- by eye ---------------------------------------------------------------------------------------------------


def test_parts_and_facts(x):
    assert isinstance(x, sc.Tensor) and sc.is_tensor(x)
    assert x.shape == (2, 3) and x.dtype is sc.float32 and x.layout is sc.sparse_coo and x.is_sparse
    assert (x.dim(), x.sparse_dim(), x.dense_dim(), x._nnz(), x.numel(), len(x)) == (2, 2, 0, 4, 6, 2)
    assert not x.is_coalesced() and x.stride() == (0, 0) and not x.is_contiguous()
    assert x._indices().tolist() == [[0, 1, 0, 1], [2, 2, 2, 0]] and x._values().tolist() == [1, 5, 2, 4]


def test_coalesce_sorts_and_adds(x):
    y = x.coalesce()
    assert y.is_coalesced() and y.coalesce() is y and x._nnz() == 4
    assert y.indices().tolist() == [[0, 1, 1], [2, 0, 2]] and y.values().tolist() == [3, 4, 5]


def test_to_dense(x):
    assert x.to_dense().tolist() == x.coalesce().to_dense().tolist() == [[0, 0, 3], [4, 0, 5]]
    assert x.to_dense(sc.int64).dtype is sc.int64
    d = sc.zeros(2)
    assert d.to_dense() is d and d.to_dense(sc.int8).dtype is sc.int8


def test_to_sparse():
    y = sc.tensor([[0, 0, 3], [4, 0, 5]]).to_sparse()
    assert y.is_coalesced() and y.indices().tolist() == [[0, 1, 1], [2, 0, 2]] and y.values().tolist() == [3, 4, 5]
    assert y.to_sparse() is y and y.to_sparse(2) is y
    assert y.to_sparse(layout=sc.strided).tolist() == [[0, 0, 3], [4, 0, 5]]
    rows = sc.tensor([[0, 0], [4, 5]]).to_sparse(1)
    assert rows.indices().tolist() == [[1]] and rows.values().tolist() == [[4, 5]]
    assert (rows.sparse_dim(), rows.dense_dim(), rows._nnz()) == (1, 1, 1)


def test_indices_and_values_are_views_that_share_memory(x):
    y = x.coalesce()
    assert y.values().data_ptr() == y._values().data_ptr() and y.values()._is_view()
    assert y.indices().data_ptr() == y._indices().data_ptr()
    y.values().fill_(7)
    assert y.to_dense().tolist() == [[0, 0, 7], [7, 0, 7]]
    values = sc.ones(2)
    made = sc.sparse_coo_tensor(sc.tensor([[0, 1]]), values)
    values.fill_(2)
    assert made.to_dense().tolist() == [2, 2]


def test_printing(x):
    assert repr(x) == (
        "tensor(indices=tensor([[0, 1, 0, 1],\n                       [2, 2, 2, 0]]),\n"
        "       values=tensor([1., 5., 2., 4.]),\n"
        "       size=(2, 3), nnz=4, layout=stridecore.sparse_coo)"
    )
    assert repr(sc.sparse_coo_tensor((2, 3))) == (
        "tensor(indices=tensor([], size=(2, 0)),\n       values=tensor([], size=(0,)),\n"
        "       size=(2, 3), nnz=0, layout=stridecore.sparse_coo)"
    )


def test_errors_of_uncoalesced_and_strided(x):
    for name in ("indices", "values"):
        with pytest.raises(RuntimeError, match="uncoalesced"):
            getattr(x, name)()
    for name in ("indices", "values", "coalesce", "is_coalesced"):
        with pytest.raises(RuntimeError, match="expected sparse coordinate tensor layout but got Strided"):
            getattr(sc.zeros(2), name)()
    for name in ("_indices", "_values", "_nnz"):
        with pytest.raises(NotImplementedError):
            getattr(sc.zeros(2), name)()


def test_what_needs_strides_is_refused(x):
    for call, error in (
        (lambda: x.storage(), NotImplementedError),
        (lambda: x.untyped_storage(), NotImplementedError),
        (lambda: x.view(6), NotImplementedError),
        (lambda: x.reshape(6), RuntimeError),
        (lambda: sc.reshape(x, (6,)), RuntimeError),
        (lambda: x.data_ptr(), RuntimeError),
        (lambda: x.numpy(), TypeError),
        (lambda: np.asarray(x), TypeError),
        (lambda: memoryview(x), Exception),
        (lambda: x.__dlpack__(), BufferError),
        (lambda: x.as_strided((2,), (1,)), NotImplementedError),
        (lambda: x[0:1], NotImplementedError),
        (lambda: x.fill_(0), NotImplementedError),
        (lambda: x.tolist(), RuntimeError),
        (lambda: x.nbytes, RuntimeError),
        (lambda: sc.zeros(2, 3).copy_(x), RuntimeError),
        (lambda: sc.cat([x, x]), NotImplementedError),
        (lambda: sc.sqrt(x), NotImplementedError),
        (lambda: sc.zeros(2, 3) + x, NotImplementedError),
        (lambda: bool(x), RuntimeError),
        (lambda: x.item(), RuntimeError),
        (lambda: sc.Tensor.reshape(x, 6).to_dense(), NotImplementedError),
        (lambda: x.no_such_name, AttributeError),
    ):
        with pytest.raises(error):
            call()
    assert x.to_dense().tolist() == [[0, 0, 3], [4, 0, 5]]


def test_indices_outside_the_size_are_an_error_when_used():
    for bad in (5, -1):
        y = sc.sparse_coo_tensor([[0, 1], [1, bad]], [1.0, 2.0], (2, 3))
        for use in (y.to_dense, y.coalesce):
            with pytest.raises(RuntimeError, match="index"):
                use()
        with pytest.raises(RuntimeError, match="index"):
            sc.sparse_coo_tensor([[0, 1], [1, bad]], [1.0, 2.0], (2, 3), check_invariants=True)


def test_copies_and_pickles(x):
    for y in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x)), x.clone(), x.detach()):
        assert y is not x and y.is_sparse and y.to_dense().tolist() == [[0, 0, 3], [4, 0, 5]] and y._nnz() == 4
    shared = copy.deepcopy([x, x])
    assert shared[0] is shared[1]
    assert x.detach()._values().data_ptr() == x._values().data_ptr() != x.clone()._values().data_ptr()
    assert x.requires_grad is False and hash(x) == hash(x) and x in [x]
    with pytest.raises(NotImplementedError):
        sc.sparse_coo_tensor([[0]], [1.0], requires_grad=True)


def test_one_element():
    y = sc.sparse_coo_tensor([[0]], [5.0])
    assert y.item() == float(y) == 5.0 and int(y) == 5 and bool(y) and y.is_coalesced()


def test_many_sizes_do_not_overflow():
    y = sc.sparse_coo_tensor([[2**40, 2**40], [7, 7], [0, 0]], [1, 2], (2**41, 9, 1)).coalesce()
    assert y.indices().tolist() == [[2**40], [7], [0]] and y.values().tolist() == [3]
    with pytest.raises(RuntimeError):
        sc.sparse_coo_tensor([[0], [0]], [1], (2**40, 2**40))


# ---- beside torch ---------------------------------------------------------------------------------------------

EXPRESSIONS = """
S([[0, 1], [1, 0]], [1, 2])
S([[0, 1], [1, 0]], [1., 2], (2, 3))
S([[0, 1], [1, 0]], [1., 2, 3], (2, 3))
S([[0, 1], [1, 5]], [1., 2], (2, 3), check_invariants=False)
S([[0, 1], [1, -1]], [1., 2])
S([[0, 1], [1, 0]], [1., 2], (2,))
S([[0, 1], [1, 0]], [1., 2], (2, 3, 4))
S([[0, 1], [1, 0]], [1., 2], (-2, 3))
S([0, 1], [1., 2], (2, 3))
S([0, 1], [1., 2])
S([[0., 1]], [1., 2])
S(lib.tensor([[0, 1]], dtype=lib.int32), [1., 2])
S(lib.tensor([[True, False]]), [1., 2])
S((2, 3))
S([2, 3])
S(size=(2, 3), dtype=lib.float64)
S(lib.zeros(2, 0), [], (2, 3))
S(lib.zeros(2, 0), lib.zeros(0))
S(lib.zeros(1, 0), lib.zeros(0, 2))
S([[0, 1]], [1, 2], dtype=lib.float16)
S([[0, 1]], [1, 2], is_coalesced=True)
S([[1, 0]], [1, 2], is_coalesced=True, check_invariants=True)
S([[1, 0]], [1, 2], is_coalesced=True)
S([[0, 1]], [1, 2], device='cpu')
S([[0, 1]], lib.tensor([[1., 2], [3, 4]]), (3, 2))
S([[0, 1]], lib.tensor([[1., 2], [3, 4]]), (3, 3))
S([[0, 1]], 5)
S([[0]], 5)
S(lib.zeros(0, 1), [5.], ())
S(lib.zeros(0, 2), [5., 3], ())
S(lib.zeros(0, 2), [5., 3], ()).coalesce()
S(lib.zeros(0, 2), [5., 3], ()).to_dense()
S(lib.zeros(0, 2), [5., 3], ()).__len__()
lib.zeros(()).to_sparse()
lib.tensor(3.).to_sparse()
lib.zeros(0, 3).to_sparse()
lib.zeros(2, 0).to_sparse()
S([[0, 0]], [True, True]).coalesce()
S([[0, 0]], lib.tensor([200, 100], dtype=lib.uint8)).coalesce()
S([[0, 0]], lib.tensor([1, 2j])).to_dense()
S(np.array([[0, 1]]), np.array([1., 2]))
S(None, [1.])
S()
S([[0, 1]], [1., 2], 2)
S([[0, 1]], [1., 2], (2,), lib.float64)
S([[0, 1]], [1., 2], (2,), dtype=float)
S(indices=[[0, 1]], values=[1., 2])
d.to_sparse(1)
d.to_sparse(0)
d.to_sparse(4)
d.to_sparse(-1)
d.to_sparse(1.5)
d.to_sparse(sparse_dim=2)
d.to_sparse(2).to_dense()
d.to_sparse(2).coalesce().values()
d.to_sparse(2).transpose(0, 1)
d.to_sparse(2).transpose(0, 2)
d.to_sparse(2).transpose(0, 5)
d.to_sparse(2).transpose(1, 1)
d.to_sparse(2).t()
d.to_sparse().t()
d[0].to_sparse().t()
d[0].to_sparse().T
d[0, 0].to_sparse().t()
d.to_sparse_coo()
d.to_sparse().double()
d.to_sparse().to(lib.int32)
d.to_sparse().to('cpu')
d.to_sparse().to(d.double())
d.bool().to_sparse()
d.cfloat().conj().to_sparse()
d.transpose(0, 2).to_sparse(2)
lib.tensor([float('nan'), -0.0, 0]).to_sparse()
d.to_sparse().detach()
d.to_sparse().clone()
d.to_sparse().indices()
d.to_sparse().stride()
d.to_sparse().stride(1)
d.to_sparse().storage_offset()
d.to_sparse().size()
d.to_sparse().element_size()
d.to_sparse().is_contiguous()
d.to_sparse().data_ptr()
d.to_sparse().numpy()
d.to_sparse().tolist()
d.to_sparse().item()
d.to_sparse().view(-1)
d.to_sparse().reshape(-1)
d.to_sparse().contiguous()
d.to_sparse().expand(2, 2, 3, 4)
d.to_sparse().storage()
d.to_sparse().resize_(2)
d.to_sparse().dim()
d.sparse_mask(d.to_sparse())
d.sparse_mask(d.to_sparse(1))
d.sparse_mask(d)
d.sparse_mask(d[0].to_sparse())
d.double().sparse_mask(S([[0, 0], [1, 1], [0, 2]], [7., 8]))
d[:, :1].sparse_mask(S([[0, 0], [0, 0], [0, 2]], [7., 8], (2, 1, 3)))
d.to_sparse().sparse_mask(S([[0, 1, 1, 1], [0, 1, 1, 0], [2, 1, 1, 2]], [7., 8, 9, 6]))
S([[0, 1, 0], [0, 0, 0], [2, 2, 2]], [7., 8, 9], (2, 2, 3)).sparse_mask(d.to_sparse())
lib.tensor(5.).sparse_mask(lib.tensor(3.).to_sparse())
d.to_sparse(2)._dimI()
d.to_sparse(2)._dimV()
d._dimI()
d._to_dense()
d._coalesced_(True)
d._to_sparse(1)
d.to_sparse()._to_dense()
d.to_sparse()._coalesced_(False).coalesce()
"""


def told(x):
    """What a result says: for a sparse tensor the parts and their facts."""
    if getattr(x, "is_sparse", False):
        return (
            name_of(x.dtype), tuple(x.shape), x.is_coalesced(), x._nnz(), x.sparse_dim(), x.dense_dim(),
            str(x._indices().tolist()), str(x._values().tolist()), repr(x).replace("stridecore.", "torch."),
        )
    if hasattr(x, "tolist"):
        return name_of(x.dtype), tuple(x.shape), tuple(x.stride()), str(x.tolist())
    return x


@pytest.mark.parametrize("code", EXPRESSIONS.strip().split("\n"))
def test_as_torch_tells_it(torch, quiet, code):
    def run(lib):
        names = {"lib": lib, "np": np, "S": lib.sparse_coo_tensor}
        names["d"] = lib.tensor([[[0.0, 1, 0], [0, 0, 0]], [[2, 0, 3], [0, 4, 0]]])
        return told(eval(code, names))

    (mine, error), (theirs, expected) = outcome(run, sc), outcome(run, torch)
    assert error == expected and mine == theirs


@pytest.mark.parametrize("dtype", DTYPES)
def test_random_sparse_tensors(torch, rng, dtype):
    for _ in range(25):
        sparse_dim, dense_dim, nnz = rng.randrange(1, 4), rng.randrange(3), rng.choice((0, 1, 2, 7, 40))
        size = [rng.randrange(1, 5) for _ in range(sparse_dim)] + [rng.randrange(1, 4) for _ in range(dense_dim)]
        indices = torch.tensor([[rng.randrange(n) for _ in range(nnz)] for n in size[:sparse_dim]])
        indices = indices.reshape(sparse_dim, nnz).long()
        values = torch.tensor([rng.randrange(-3, 4) for _ in range(nnz)], dtype=torch.float32)
        values = values.view([nnz] + [1] * dense_dim).expand([nnz, *size[sparse_dim:]]).to(getattr(torch, dtype))
        t = torch.sparse_coo_tensor(indices, values, size)
        x = sc.sparse_coo_tensor(convert(indices, sc), convert(values, sc), size)
        assert told(x) == told(t)
        assert told(x.coalesce()) == told(t.coalesce())
        same(x.to_dense(), t.to_dense())
        for k in range(1, len(size) + 1):
            assert told(x.to_dense().to_sparse(k)) == told(t.to_dense().to_sparse(k))


def test_long_ones_print_as_torchs(torch):
    for shape in ((1200,), (1200, 2), (3, 50)):
        values = torch.arange(float(torch.Size(shape).numel())).div(7).view(shape)
        indices = torch.arange(2 * shape[0]).view(2, -1) % 9
        t = torch.sparse_coo_tensor(indices, values)
        x = sc.sparse_coo_tensor(convert(indices, sc), convert(values, sc))
        assert repr(x) == repr(t).replace("torch.", "stridecore.")


def test_methods_of_strided_tensors(torch):
    for name in ("sparse_dim", "dense_dim", "to_dense", "indices", "values", "coalesce", "is_coalesced", "_nnz"):
        mine, theirs = outcome(getattr(sc.ones(2, 3), name)), outcome(getattr(torch.ones(2, 3), name))
        assert mine[1] == theirs[1] and (name == "to_dense" or mine[0] == theirs[0])
