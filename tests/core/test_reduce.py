"""core/reduce.pyx: the usual forms of reductions beside the face's, and what must not slip through."""

import itertools
import threading
import warnings

import numpy as np
import pytest

import stridecore as sc

NAMES = "sum mean prod any all amax amin max min argmax argmin".split()


@pytest.mark.parametrize("name", NAMES)
def test_like_torch(torch, name):
    base = np.arange(24.0).reshape(2, 3, 4) % 7 - 3
    for dtype, make in itertools.product(
        ("float32", "float64", "int8", "int64", "uint8", "bool"),
        (lambda a: a, lambda a: a.transpose(2, 0, 1), lambda a: a[:, ::2], lambda a: a[0, 0], lambda a: a[:0]),
    ):
        if name == "mean" and not dtype.startswith("float"):
            continue
        a = make(np.abs(base).astype(dtype) if dtype == "uint8" else base.astype(dtype))
        x, t = sc.from_numpy(a), torch.from_numpy(a)
        for arguments in ((), (0,), (-1,), (-1, True), ((0,),), (None,), (9,)):
            results = []
            for value in (x, t):
                try:
                    result = getattr(value, name)(*arguments)
                    parts = result if isinstance(result, tuple) else (result,)
                    results.append([(p.tolist(), tuple(p.shape), p.stride(), str(p.dtype).split(".")[1])
                                    for p in parts])
                except Exception as error:
                    results.append(isinstance(error, (TypeError, RuntimeError, IndexError)))
            if results[1] is not True and results[0] is not True:
                assert results[0] == results[1] or "nan" in str(results), (name, dtype, arguments)


def test_special_values_and_no_warnings():
    nan, huge = float("nan"), 3e38
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sc.tensor([huge, huge]).sum().isinf() and sc.tensor([[huge, huge]]).sum(1).isinf().all()
        assert sc.tensor([1000.0]).exp().isinf() and sc.tensor([-1.0]).log().isnan()
    assert sc.tensor([[1, nan], [nan, 2]]).max(1).indices.tolist() == [1, 0]
    assert sc.tensor([1, -(2**63)]).min().item() == -(2**63)
    read_only = sc.from_numpy(np.broadcast_to(np.float32(2), (3, 2)))
    assert read_only.sum(0).tolist() == [6, 6] and read_only.max(1).values.tolist() == [2, 2, 2]
    with pytest.raises(RuntimeError):
        read_only.exp_()


def test_lazy_bits_sparse_and_subclasses():
    z = sc.tensor([1 + 2j, 3 - 1j]).conj()
    assert z.sum().item() == 4 - 1j and z.imag.sum().item() == -1
    for name in ("sum", "exp"):
        with pytest.raises(NotImplementedError):
            getattr(sc.eye(2).to_sparse(), name)()

    class Mine(sc.Tensor):
        pass

    x = sc.ones(2, 2).as_subclass(Mine)
    assert all(type(r) is Mine for r in (x.sum(), x.sum(0), x.max(0).values, x.exp()))


def test_threads_at_once():
    x, sums = sc.ones(1000, 1000), []
    threads = [threading.Thread(target=lambda: sums.extend(x.sum(1).sum().item() for _ in range(20))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sums == [1e6] * 80


def test_max_of_a_tensor_whose_strides_another_thread_changes():
    """Either the result of one of the shapes, or a RuntimeError; nothing is read by indices of other sizes."""
    x, stop = sc.arange(60_000.0).view(600, 100), threading.Event()

    def change():
        while not stop.is_set():
            x.as_strided_((2, 3), (1, 1))
            x.as_strided_((600, 100), (100, 1))

    changing = threading.Thread(target=change)
    changing.start()
    try:
        for _ in range(500):
            try:
                values, indices = x.max(1)
            except RuntimeError:
                continue
            assert values.shape == indices.shape and values.max().item() in (3.0, 59_999.0)
    finally:
        stop.set()
        changing.join()
