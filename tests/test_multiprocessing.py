"""Tensors in other processes: copies without share_memory_, the same memory with it; fork and spawn."""

import gc
import multiprocessing
import os
import subprocess
import sys
import weakref

import pytest
from multiprocessing_work import add_one, answer, double_received, echo, try_to_write

import stridecore as sc

pytestmark = pytest.mark.skipif(os.name != "posix", reason="shared memory is shared through POSIX descriptors")

METHODS = [m for m in ("fork", "spawn") if m in multiprocessing.get_all_start_methods()]


@pytest.fixture(params=METHODS)
def context(request):
    return multiprocessing.get_context(request.param)


def finish(process):
    process.join(30)
    assert process.exitcode == 0


# ---- share_memory_ ------------------------------------------------------------------------------------------


def test_every_tensor_on_the_storage_follows():
    x = sc.arange(6)
    row = x.view(2, 3)[1]
    address = x.data_ptr()
    assert row.share_memory_() is row
    assert (x.is_shared(), row.is_shared(), x.untyped_storage().is_shared()) == (True, True, True)
    assert x.data_ptr() != address and row.data_ptr() == x.data_ptr() + 24
    assert x.tolist() == [0, 1, 2, 3, 4, 5]
    row[0] = 50
    assert x[3].item() == 50
    assert x.untyped_storage().filename is None
    again = x.data_ptr()
    assert x.share_memory_().data_ptr() == again
    with pytest.raises(RuntimeError, match="not resizable"):
        x.resize_(100)
    assert x[:2].resize_(3).tolist() == [0, 1, 2]
    assert not x.clone().is_shared()


def test_nothing_and_read_only_memory_can_be_shared():
    assert sc.empty(0).share_memory_().is_shared()
    x = sc.frombuffer(b"abcd", dtype=sc.uint8).share_memory_()
    assert x.tolist() == [97, 98, 99, 100]
    with pytest.raises(RuntimeError, match="read-only"):
        x[0] = 1


def test_what_was_handed_out_keeps_the_old_memory():
    x = sc.arange(100_000)
    array, buffer, interface = x.numpy(), memoryview(x), x.__array_interface__
    x.share_memory_().fill_(-1)
    assert (array[-1], buffer[99_999]) == (99_999, 99_999)
    assert x.numpy()[0] == -1
    buffer.release()
    gc.collect()
    assert interface["data"][0] == array.__array_interface__["data"][0]
    del x
    gc.collect()
    assert array.sum() == 99_999 * 50_000


def test_shared_storages_go_with_their_tensors():
    x = sc.ones(1000).share_memory_()
    gone = weakref.ref(x.untyped_storage())
    del x
    gc.collect()
    assert gone() is None


def test_typed_storages(quiet):
    s = sc.arange(3.0).storage()
    assert s.share_memory_() is s and s.is_shared() and s.tolist() == [0, 1, 2]


# ---- other processes ----------------------------------------------------------------------------------------


def test_an_argument_in_shared_memory(context):
    x = sc.arange(6).view(2, 3).share_memory_()
    process = context.Process(target=add_one, args=(x.t()[1:],))
    process.start()
    finish(process)
    assert x.tolist() == [[0, 2, 3], [3, 5, 6]]


def test_an_argument_that_is_not_shared_is_a_copy(context):
    x = sc.arange(3)
    process = context.Process(target=add_one, args=(x,))
    process.start()
    finish(process)
    assert x.tolist() == [0, 1, 2]


def test_through_a_pipe_both_ways(context):
    here, there = context.Pipe()
    process = context.Process(target=answer, args=(there,))
    process.start()
    x = sc.zeros(4).share_memory_()
    here.send([x, x[1:], sc.arange(3)[::-1]])
    back, backwards = here.recv()
    assert x.tolist() == [0, 1, 1, 1]
    assert back.untyped_storage() is x.untyped_storage()
    assert (backwards.tolist(), backwards.is_shared()) == ([2, 1, 0], False)
    here.send(None)
    finish(process)


def test_read_only_memory_stays_so(context):
    here, there = context.Pipe()
    process = context.Process(target=try_to_write, args=(there,))
    process.start()
    x = sc.frombuffer(b"abcd", dtype=sc.uint8).share_memory_()
    here.send(x)
    assert "read-only" in here.recv()
    finish(process)
    assert x.tolist() == [97, 98, 99, 100]


def test_through_queues(context):
    to, back = context.Queue(), context.Queue()
    process = context.Process(target=double_received, args=(to, back))
    process.start()
    plain, shared = sc.ones(3), sc.ones(3).share_memory_()
    to.put(plain)
    to.put(shared)
    to.put(None)
    assert back.get(timeout=30).tolist() == [2, 2, 2]
    assert back.get(timeout=30).tolist() == [2, 2, 2]
    assert (plain.tolist(), shared.tolist()) == ([1, 1, 1], [2, 2, 2])
    to.put(None)
    finish(process)


def test_memory_made_in_the_other_process(context):
    here, there = context.Pipe()
    process = context.Process(target=echo, args=(there,))
    process.start()
    made = here.recv()
    assert (made.tolist(), made.is_shared()) == ([[5, 5], [5, 5]], True)
    made.fill_(6)
    here.send("look")
    assert here.recv() == [[6, 6], [6, 6]]
    finish(process)


def test_a_pool(context):
    with context.Pool(1) as pool:
        assert [x.tolist() for x in pool.map(sc.clone, [sc.ones(2), sc.ones(3)])] == [[1, 1], [1, 1, 1]]


def test_files_travel_by_descriptor(context, tmp_path):
    x = sc.from_file(tmp_path / "numbers", shared=True, size=3)
    (tmp_path / "numbers").unlink()
    process = context.Process(target=add_one, args=(x,))
    process.start()
    finish(process)
    assert x.tolist() == [1, 1, 1]


def test_multiprocessing_is_loaded_when_something_is_shared():
    code = (
        "import sys, stridecore as sc\n"
        "x = sc.ones(2)\n"
        "assert not x.is_shared() and 'multiprocessing' not in sys.modules and 'mmap' not in sys.modules\n"
        "x.share_memory_()\n"
        "assert 'multiprocessing' in sys.modules\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
