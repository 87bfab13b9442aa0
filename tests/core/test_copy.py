"""core/copy.pyx: contiguous, clone, to, copy_, fill_, zero_."""

import pytest
from against import convert, same, storage_bytes

import stridecore as sc

NAMES = ("bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex32 complex64 "
         "complex128 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu").split()


def test_contiguous():
    x = sc.arange(6).view(2, 3)
    assert x.contiguous() is x
    y = x.t().contiguous()
    assert y.tolist() == [[0, 3], [1, 4], [2, 5]]
    assert (y.stride(), y.storage_offset(), y._base) == ((2, 1), 0, None)
    assert x[:, :1].contiguous().stride() == (1, 1)


def test_contiguous_keeps_odd_strides_that_do_not_matter():
    x = sc.zeros(200).as_strided((3, 1), (1, 50))
    assert x.contiguous() is x
    assert x.clone().stride() == (1, 50)


def test_channels_last():
    x = sc.arange(120).view(2, 3, 4, 5)
    y = x.contiguous(memory_format=sc.channels_last)
    assert y.stride() == (60, 1, 15, 3)
    assert y.tolist() == x.tolist()
    assert y.contiguous(memory_format=sc.channels_last) is y
    assert sc.zeros(1, 2, 2, 2, 2).contiguous(memory_format=sc.channels_last_3d).stride() == (16, 1, 8, 4, 2)
    with pytest.raises(RuntimeError, match="required rank 4 tensor to use channels_last format"):
        sc.zeros(2, 3).contiguous(memory_format=sc.channels_last)


def test_clone_keeps_dense_strides():
    f = sc.arange(6).view(2, 3)
    assert f.t().clone().stride() == (1, 3)
    assert f.t().expand(4, 3, 2).clone().stride() == (6, 1, 3)
    assert sc.zeros(4, 5)[:, ::2].clone().stride() == (3, 1)
    assert f.t().clone(memory_format=sc.contiguous_format).stride() == (2, 1)
    assert f[:, ::-1].clone().tolist() == [[2, 1, 0], [5, 4, 3]]


def test_to():
    x = sc.tensor([1.5, -2.5])
    assert x.to(sc.int64).tolist() == [1, -2]
    assert x.to(sc.float32) is x and x.to("cpu") is x and x.to(x) is x and x.to() is x
    assert x.to(sc.float32, copy=True) is not x
    assert x.to(dtype=sc.int8).dtype is x.to("cpu", sc.int8).dtype is x.to(sc.zeros(1, dtype=sc.int8)).dtype is sc.int8
    assert x.to(float).dtype is sc.float64 and x.to(int).dtype is sc.int64
    with pytest.raises(RuntimeError):
        x.to("cuda")
    with pytest.raises(TypeError):
        x.to(sc.int8, sc.int8)


def test_conversions_wrap_as_torch():
    assert sc.tensor([300.0]).to(sc.uint8).item() == 44
    assert sc.tensor([-1.7]).to(sc.uint8).item() == 255
    assert sc.tensor([float("nan")]).to(sc.int32).item() == -(2**31)
    assert sc.tensor([float("nan")]).to(sc.bool).item() is True
    assert sc.tensor([2j]).to(sc.bool).item() is True


def test_one_method_a_dtype():
    x = sc.zeros(2, dtype=sc.int16)
    for method, name in {"double": "float64", "float": "float32", "half": "float16", "bfloat16": "bfloat16",
                         "long": "int64", "int": "int32", "char": "int8", "byte": "uint8", "bool": "bool",
                         "chalf": "complex32", "cfloat": "complex64", "cdouble": "complex128"}.items():
        assert getattr(x, method)().dtype is getattr(sc, name)
    assert x.short() is x


def test_copy_broadcasts():
    x = sc.zeros(2, 3)
    assert x.copy_(sc.arange(3)) is x
    assert x.tolist() == [[0, 1, 2], [0, 1, 2]]
    x.copy_(sc.tensor([[7], [8]]))
    assert x.tolist() == [[7, 7, 7], [8, 8, 8]]
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        sc.zeros(3).copy_(sc.zeros(1, 1, 3))
    with pytest.raises(RuntimeError, match="must match the size"):
        sc.zeros(3).copy_(sc.zeros(2))
    with pytest.raises(TypeError):
        sc.zeros(3).copy_([1, 2, 3])


def test_overlapping_copies_are_as_if_copied_first():
    x = sc.arange(9).view(3, 3).clone()
    x.copy_(x.t())
    assert x.tolist() == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]
    y = sc.arange(10)
    y[2::2] = y[:-2:2]
    assert y.tolist() == [0, 1, 0, 3, 2, 5, 4, 7, 6, 9]


def test_a_destination_that_overlaps_itself():
    x = sc.zeros(1).expand(3)
    with pytest.raises(RuntimeError, match="single memory location"):
        x.copy_(sc.ones(3))
    assert x.fill_(2).tolist() == [2, 2, 2]
    assert x.zero_().tolist() == [0, 0, 0]
    with pytest.raises(RuntimeError):
        x.fill_(sc.tensor(1.0))


def test_fill():
    x = sc.zeros(2, 3)[:, ::2]
    assert x.fill_(2.5) is x
    assert x.tolist() == [[2.5, 2.5], [2.5, 2.5]]
    assert x.fill_(sc.tensor(3)).tolist() == [[3, 3], [3, 3]]
    with pytest.raises(RuntimeError, match="0-dimension"):
        x.fill_(sc.tensor([3]))
    with pytest.raises(TypeError):
        x.fill_("a")


def test_a_number_that_does_not_fit_changes_nothing(torch):
    for name in NAMES:
        for value in (-1, 300, 2**31, 2**63, 2**64, 1.5, -0.5, -1.5, 1e300, 7e4, float("inf"), float("nan"), 1j,
                      1 + 0j):
            if name == "float8_e8m0fnu" and isinstance(value, complex):
                continue
            t = torch.ones(2, dtype=getattr(torch, name))
            x = convert(t, sc)
            try:
                t.fill_(value)
            except Exception as error:
                with pytest.raises(type(error)):
                    x.fill_(value)
            else:
                x.fill_(value)
            assert storage_bytes(x) == storage_bytes(t), (name, value)
            try:
                t[0] = value
            except Exception as error:
                with pytest.raises(type(error)):
                    x[0] = value
            else:
                x[0] = value
            assert storage_bytes(x) == storage_bytes(t), (name, value)


def test_lazy_bits():
    z = sc.tensor([1 + 2j, 3 - 4j])
    assert z.conj().clone().tolist() == [1 - 2j, 3 + 4j]
    assert not z.conj().clone().is_conj()
    assert z.conj().contiguous().is_conj()
    assert not z.conj().to(sc.complex128).is_conj()
    z.conj().copy_(sc.tensor([5j, 6j]))
    assert z.tolist() == [-5j, -6j]


def test_read_only_memory_is_not_written():
    x = sc.frombuffer(b"\0" * 8, dtype=sc.float32)
    for write in (lambda: x.copy_(sc.ones(2)), lambda: x.fill_(1), lambda: x.zero_(), lambda: x.__setitem__(0, 1.0),
                  lambda: x.__setitem__(slice(None), 1.0), lambda: x[:0].fill_(1)):
        with pytest.raises(RuntimeError, match="read-only"):
            write()
    assert x.tolist() == [0, 0]


def test_a_storage_that_shrank():
    x = sc.zeros(8)
    x.untyped_storage().resize_(4)
    for door in (x.clone, x.double, lambda: x.fill_(1), lambda: x.copy_(sc.zeros(8)), lambda: sc.zeros(8).copy_(x)):
        with pytest.raises(RuntimeError, match="resized"):
            door()


def test_conversions_as_torch(torch, rng, quiet):
    for source in NAMES:
        data = bytes(rng.choice([0, 1]) if source == "bool" else rng.randrange(256) for _ in range(16 * 24))
        t = torch.frombuffer(bytearray(data), dtype=getattr(torch, source))[:24].view(4, 6).t().detach()
        if t.dtype.is_floating_point or t.dtype.is_complex:
            t = torch.where(torch.isfinite(t.to(torch.complex128).abs()), t.to(torch.complex128), 1).to(t.dtype)
        x = convert(t, sc)
        for target in NAMES:
            if "uint32" in target or ("uint64" in target and not source.startswith(("int", "uint", "bool"))):
                continue    # torch's own result depends on the code path
            same(x.to(getattr(sc, target)), t.to(getattr(torch, target)))


def test_layouts_as_torch(torch, rng):
    for _ in range(500):
        ndim = rng.randrange(1, 6)
        t = torch.arange(1000.0)[: 3**ndim].view([3] * ndim).permute(rng.sample(range(ndim), ndim))
        for d in range(ndim):
            t = t.narrow(d, rng.randrange(3), 1) if rng.random() < 0.2 else t
        if rng.random() < 0.3:
            t = t.expand(rng.randrange(1, 3), *t.shape)
        t = t.detach()
        x = convert(t, sc)
        same(x.clone(), t.clone())
        same(x.to(sc.float64), t.to(torch.float64))
        same(x.contiguous(), t.contiguous())
        if t.dim() == 4:
            same(x.contiguous(memory_format=sc.channels_last), t.contiguous(memory_format=torch.channels_last))


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32", "float64", "complex128", "float16"])
def test_items_are_repeated_along_short_and_long_rows(dtype, rng):
    """Rows of the destination that take one item each, of every length around the widths of stores."""
    for n in (*range(1, 40), 63, 64, 65, 127, 1000, 5000):
        rows = rng.randrange(1, 5)
        x = sc.arange(2 * rows).to(getattr(sc, dtype))[:: rng.choice((1, 2, -2))][:rows]
        out = sc.zeros(len(x), n + rng.randrange(3)).to(getattr(sc, dtype))
        out[:, :n].copy_(x.unsqueeze(1))
        assert out.tolist() == [[value] * n + [0] * (out.shape[1] - n) for value in x.tolist()]
    x = sc.arange(12).to(getattr(sc, dtype)).view(2, 3, 2)
    assert x.unsqueeze(2).expand(2, 3, 4, 2).contiguous().tolist() == [[[row] * 4 for row in m] for m in x.tolist()]
    y = sc.zeros(3, 2, 4).to(getattr(sc, dtype)).transpose(0, 1)
    y.copy_(x[:, :, :1])
    assert y.tolist() == [[[row[0]] * 4 for row in m] for m in x.tolist()]
