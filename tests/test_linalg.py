"""products.py, scaled_products.py and contractions.py: products of vectors and matrices as torch has them."""

import numpy as np
import pytest
from reduction_cases import COMPLEX, FLOATS, INTEGERS, agree_code, random_tensor

import stridecore as sc

ALL = FLOATS + COMPLEX + INTEGERS
LOOSE = {"float16": 1e-2, "bfloat16": 6e-2}


def made(torch, rng, dtype, layout, *shape):
    """A tensor of this size: contiguous, transposed in its last dims, of every second element, or in reverse order."""
    if layout == "transposed" and len(shape) > 1:
        return random_tensor(torch, rng, dtype, (*shape[:-2], shape[-1], shape[-2])).transpose(-1, -2)
    if layout == "stepped":
        return random_tensor(torch, rng, dtype, [2 * n for n in shape])[tuple([slice(None, None, 2)] * len(shape))]
    return random_tensor(torch, rng, dtype, shape)


MATMUL = [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 4)), ((2, 3), (3, 4)), ((2, 3), (5, 3, 4)), ((5, 2, 3), (3, 4))]
MATMUL += [((5, 2, 3), (3,)), ((3,), (5, 3, 4)), ((5, 2, 3), (5, 3, 4)), ((5, 1, 2, 3), (6, 3, 4)), ((0, 3), (3, 2))]
MATMUL += [((6, 5, 2, 3), (3, 4)), ((2, 3), (6, 5, 3, 4)), ((2, 0), (0, 3)), ((4, 2, 0), (4, 0, 3)), ((0,), (0,))]
MATMUL += [((1, 3), (3, 1)), ((5, 2, 3), (1, 3, 4)), ((0, 2, 3), (3, 4)), ((3,), (4,)), ((2, 3), (2, 3))]
MATMUL += [((5, 2, 3), (6, 3, 4)), ((), (3,)), ((3,), ()), ((2, 3), (3, 4, 5)), ((2, 1, 2, 3), (4, 3, 2))]


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "stepped"])
def test_matmul_as_torch(torch, rng, layout):
    for dtype in ALL:
        for first, second in MATMUL:
            a, b = made(torch, rng, dtype, layout, *first), made(torch, rng, dtype, layout, *second)
            agree_code("a @ b | lib.matmul(a, b) | a.matmul(b)", LOOSE.get(dtype, 1e-5), a=a, b=b)


def test_reversed_factors(torch, rng):
    a, b = random_tensor(torch, rng, "float32", (4, 3)), random_tensor(torch, rng, "float32", (3, 5))
    mine = sc.from_numpy(a.numpy())[::-1, ::-1] @ sc.from_numpy(b.numpy())[::-1, ::-2]
    assert np.allclose(mine.numpy(), a.flip(0, 1).matmul(b.flip(0, 1)[:, ::2]).numpy(), atol=1e-5)


def test_products_as_torch(torch, rng):
    for dtype in ALL:
        agree_code(
            """
            v.dot(w) | v.vdot(w) | v.inner(w) | v.outer(w) | v.ger(w) | m.mv(w) | m.mm(n) | b.bmm(c) | m.inner(w)
            m.inner(m)
            b.inner(m) | v.inner(lib.ones((), dtype=v.dtype)) | m.kron(n.contiguous()) | v.kron(m) | m.kron(b)
            m.kron(w)
            v.cross(w)
            m.cross(m.t().contiguous().t()) | q.cross(q, 0) | q.cross(q, dim=-1) | b.mT.cross(c[:, :, :2]) | q.trace()
            m.trace() | m.t().trace() | m[:, :0].mm(n[:0]) | lib.chain_matmul(m, n, n.t()) | m[:0].mm(n) | m[:0].trace()
            lib.tensordot(b, c, dims=([0, 2], [0, 1])) | lib.tensordot(m, n, 1) | lib.tensordot(b, c, 0)
            lib.tensordot(b, b, 3)
            lib.tensordot(b, m, ([2], [1])) | lib.tensordot(m[:, :1], n, ([1], [0]))
            lib.tensordot(m, n[:1], ([1], [0]))
            """,
            LOOSE.get(dtype, 1e-5),
            v=random_tensor(torch, rng, dtype, (3,)),
            w=random_tensor(torch, rng, dtype, (6,))[::2],
            m=random_tensor(torch, rng, dtype, (2, 3)),
            n=random_tensor(torch, rng, dtype, (4, 3)).t(),
            q=random_tensor(torch, rng, dtype, (3, 3)),
            b=random_tensor(torch, rng, dtype, (5, 2, 3)),
            c=random_tensor(torch, rng, dtype, (5, 3, 4)),
        )


def test_scaled_products_as_torch(torch, rng):
    for dtype in FLOATS + COMPLEX + INTEGERS[1:]:
        agree_code(
            """
            m.addmm(a, b) | v.addmm(a, b) | one.addmm(a, b, beta=2, alpha=3) | m.addmm(a, b, beta=0)
            m.addmm(a, b, alpha=0)
            m.clone().addmm_(a, b) | m.addmm(a[:, :0], b[:0]) | v.addmm(a, b, beta=.5, alpha=1.5)
            m.t().addmm(b.t(), a.t())
            u.addmv(a, w) | one.addmv(a, w) | u.addmv(a, w, beta=2, alpha=-1) | u.clone().addmv_(a, w)
            m.addr(u, v) | v.addr(u, v, beta=2, alpha=3) | m.clone().addr_(u, v) | m.addr(u, v, beta=.5)
            m.addr(u, v, alpha=1.5)
            m.addbmm(p, q) | v.addbmm(p, q, beta=2, alpha=3) | m.clone().addbmm_(p, q) | m.addbmm(p[:0], q[:0])
            m.baddbmm(p, q) | v.baddbmm(p, q, beta=2) | r.baddbmm(p, q, alpha=2) | r.clone().baddbmm_(p, q)
            """,
            LOOSE.get(dtype, 2e-5),
            a=random_tensor(torch, rng, dtype, (2, 3)),
            b=random_tensor(torch, rng, dtype, (3, 4)),
            m=random_tensor(torch, rng, dtype, (2, 4)),
            v=random_tensor(torch, rng, dtype, (4,)),
            u=random_tensor(torch, rng, dtype, (2,)),
            w=random_tensor(torch, rng, dtype, (3,)),
            p=random_tensor(torch, rng, dtype, (5, 2, 3)),
            q=random_tensor(torch, rng, dtype, (5, 3, 4)),
            r=random_tensor(torch, rng, dtype, (5, 2, 4)),
            one=random_tensor(torch, rng, dtype, (1,)),
        )


def test_errors_as_torch(torch, rng):
    agree_code(
        """
        m @ 2 | 2 @ m | m @ m | m @ n.double() | m.mm(v) | m.mm(m) | m.mm(n.double()) | m.mv(n) | m.mv(v[:2])
        m.mv(v.double())
        lib.bmm(b, b) | lib.bmm(b, m) | lib.bmm(m, b) | lib.bmm(b, c[:4]) | v.dot(v[:2]) | v.dot(m) | v.dot(v.double())
        v.vdot(v[:2]) | v.inner(v[:2]) | m.inner(v[:2]) | m.outer(v) | v.outer(m) | v.outer(v.double())
        v.outer(v.long())
        m.trace(1) | v.trace() | b.trace() | m.kron(n.double()) | m.kron(2) | m.cross(v) | v[:2].cross(v[:2])
        m.cross(m, 0)
        m.cross(m.double()) | m.cross(m[:1]) | m.cross(c[0], 1) | v.cross(v, 1) | m.addmm(v, n) | m.addmm(m, m)
        v.addmm(m, n)
        lib.ones(5).addmm(m, n) | lib.ones(4).double().addmm(m, n) | lib.ones(4).addmm_(m, n)
        lib.ones(4).addmm(m, n, beta='a')
        lib.ones(3).addmv(m, v) | lib.ones(2).addmv(v, v) | lib.ones(2).double().addmv(m, v) | lib.ones(5).addr(v, v)
        lib.ones(3, 3).double().addr(v, v) | lib.ones(3, 3).addr_(v.double(), v) | lib.ones(4).baddbmm_(b, c)
        lib.ones(5).addbmm(b, c) | lib.ones(4).baddbmm(b, c[:4]) | lib.matmul(m) | m.mm()
        lib.mm(m, n, out=lib.zeros(0)) | lib.mm(m, n, out=lib.zeros(0).double()) | lib.mm(m, n, out=lib.zeros(3))
        m.mm(n, out=1)
        lib.matmul(b, n, out=lib.zeros(0)) | lib.mv(m, v, out=lib.zeros(0)) | lib.dot(v, v, out=lib.zeros(()))
        lib.addmm(lib.ones(4), m, n, out=lib.zeros(0)) | lib.outer(v, v, out=lib.zeros(0))
        lib.kron(m, n, out=lib.zeros(0))
        lib.tensordot(b, c, 2) | lib.tensordot(m, n, -1) | lib.tensordot(m, n, ([1], [0, 1]))
        lib.tensordot(m, n, ([1], [5]))
        lib.tensordot(m, n, 1, out=lib.zeros(0)) | lib.tensordot(m, n.double(), 1)
        lib.tensordot(m, n, lib.tensor([[1], [0]]))
        lib.tensordot(m, n, ([1, 1], [0, 0])) | lib.chain_matmul(m) | lib.chain_matmul(m, m) | lib.chain_matmul(m, v)
        lib.mm(input=m, mat2=n) | m.matmul(other=n) | m.mm(mat2=n) | lib.addmm(lib.ones(4), mat1=m, mat2=n)
        v.dot(tensor=v)
        lib.cross(m, m, out=lib.zeros(0)) | m.__matmul__(n) | m.__rmatmul__(m.t()) | v.outer(vec2=v)
        """,
        1e-5,
        v=random_tensor(torch, rng, "float32", (3,)),
        m=random_tensor(torch, rng, "float32", (2, 3)),
        n=random_tensor(torch, rng, "float32", (3, 4)),
        b=random_tensor(torch, rng, "float32", (5, 2, 3)),
        c=random_tensor(torch, rng, "float32", (5, 3, 4)),
    )


EINSUMS = """
    ij,jk->ik | ij,jk | ij,jk->ki | bij,bjk->bik | ...ij,...jk->...ik | ij,kj->ik | ij,j->i | i,i-> | i,j->ij | i,j->ji
    ii | ii->i | ij->ji | ij-> | ij | ba | ...->... | i...->... | ...i->... | abc->cb | abc->cab | iij->j
    ij,ij->ij | ij,ij->
    ij,ji->ij | ij,jk,kl->il | ij,jk,kl->li | bn,anm,bm->ba | abc,cd->abd | abc,dc->dab | ij,kl->ikjl | ijk,jil->kl
    Ij,jA->IA | ij , jk -> ik | abc,abd->abcd | aab,bc->ac | ...a,a->... | a...,...->a... | ij,k-> | i,i->i
    ,ij->ij | ,-> | ->
    ij,jk->iz | ij,jk->ii | i2 | ij->i->j | .... | ij,j,->i | ijk,ik->kj | ab,cb,db->acd
""".replace("\n", "|").split("|")


@pytest.mark.parametrize("dtype", ["float32", "int64", "bfloat16", "complex64"])
def test_einsum_as_torch(torch, rng, dtype):
    sizes = dict(zip("abcdijklmnAI", (2, 3, 4, 5, 3, 2, 4, 3, 2, 4, 3, 2), strict=True))
    for equation in filter(None, map(str.strip, EINSUMS)):
        tensors = {}
        for n, term in enumerate(equation.partition("->")[0].split(",")):
            shape = [sizes.get(c, 2) for c in term.replace("...", "k").strip() if c.isalpha()]
            tensors["xyz"[n]] = random_tensor(torch, rng, dtype, tuple(shape))
        code = f"lib.einsum({equation!r}, {', '.join(tensors)})"
        agree_code(code, LOOSE.get(dtype, 1e-5), len(tensors) < 3, **tensors)


def test_einsum_arguments_as_torch(torch, rng):
    agree_code(
        """
        lib.einsum('ij,jk->ik', m) | lib.einsum('ij', m, n) | lib.einsum('ijk', m) | lib.einsum('i', m)
        lib.einsum('ij,jk', m, m)
        lib.einsum('ij,jk->ik', m[:, :1], n) | lib.einsum('ij,jk->ik', [m, n])
        lib.einsum(m, [0, 1], n, [1, 2], [0, 2])
        lib.einsum(m, [0, 1], n, [1, 2]) | lib.einsum(m, [..., 1], [1, ...]) | lib.einsum('ij,jk->ik', m, n.double())
        lib.einsum('') | lib.einsum(m) | lib.einsum('ij', 2) | lib.einsum(m, [0, 99]) | lib.einsum('ii', m)
        lib.einsum('ijk...', m)
        lib.einsum('ij,jk->ik', m[:0], n) | lib.einsum('ij,jk->ik', m[:, :0], n[:0]) | lib.einsum('ij->i', m[:, :0])
        lib.einsum('ij,jk->ik', m[::2], n[:, ::2]) | lib.einsum('ij->j', m[:0]) | lib.einsum('ij,ij->i', m, m[:, :1])
        lib.einsum(m, [30, 1], n, [1, 2]) | lib.einsum('ji', m.t()) | lib.einsum('i...j->...', m)
        lib.einsum('..ij', m)
        """,
        1e-5,
        m=random_tensor(torch, rng, "float32", (2, 3)),
        n=random_tensor(torch, rng, "float32", (3, 4)),
    )


def test_einsum_gives_views_where_nothing_is_multiplied():
    x = sc.arange(6).reshape(2, 3)
    assert sc.einsum("ij->ji", x).data_ptr() == x.data_ptr()
    assert sc.einsum("ii->i", x[:, :2]).data_ptr() == x.data_ptr()


def test_values():
    assert (sc.tensor([[1, 2], [3, 4]]) @ sc.tensor([1, 1])).tolist() == [3, 7]
    assert sc.tensor([2**62, 1]).dot(sc.tensor([2, 1])).item() == -(2**63) + 1  # wraps around
    assert sc.addmm(sc.full((1,), float("nan")), sc.ones(1, 2), sc.ones(2, 1), beta=0).item() == 2
    z = sc.tensor([[1 + 2j, 3j]])
    assert (z @ z.mH).item() == 14
    assert sc.full((1, 4096), 1.0, dtype=sc.float16).mm(sc.ones(4096, 1, dtype=sc.float16)).item() == 4096


def test_numpy_arrays_are_factors():
    a, x = np.arange(4.0).reshape(2, 2), sc.ones(2, 2, dtype=sc.float64)
    for product in (x @ a, a @ x):
        assert type(product) is sc.Tensor
    assert (a @ x).tolist() == [[1, 1], [5, 5]]


def test_the_output_may_be_a_factor():
    x = sc.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert sc.mm(x, x, out=x) is x
    assert x.tolist() == [[7, 10], [15, 22]]
    y = sc.ones(2, 2)
    assert y.addmm_(y, y).tolist() == [[3, 3], [3, 3]]
    out = sc.zeros(2, 6)[:, ::3]
    sc.matmul(sc.ones(2, 3), sc.ones(3, 2), out=out)
    assert out.tolist() == [[3, 3], [3, 3]]
