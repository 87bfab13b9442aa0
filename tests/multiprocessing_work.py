"""What test_multiprocessing.py runs in other processes: importable there by name."""

import stridecore as sc


def plus_one(values):
    return [plus_one(value) for value in values] if isinstance(values, list) else values + 1


def add_one(x):
    x.copy_(sc.tensor(plus_one(x.tolist())))


def answer(pipe):
    """[x, x's part, something] → fills the part, sends x and something back."""
    while (received := pipe.recv()) is not None:
        x, part, other = received
        assert x.untyped_storage() is part.untyped_storage()
        part.fill_(1)
        pipe.send((x, other))


def double_received(to, back):
    while (x := to.get()) is not None:
        x.copy_(sc.tensor([2 * v for v in x.tolist()]))
        back.put(x)
    to.get()  # what was sent back is served by this process until the other one has it


def echo(pipe):
    x = sc.full((2, 2), 5).share_memory_()
    pipe.send(x)
    pipe.recv()
    pipe.send(x.tolist())


def try_to_write(pipe):
    x = pipe.recv()
    try:
        x.fill_(0)
        pipe.send(x.tolist())
    except RuntimeError as error:
        pipe.send(str(error))
