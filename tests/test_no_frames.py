"""Hot operations enter no Python frame: they are C from the first instruction to the last."""

import sys

import pytest

import stridecore as sc

READS = """
x[1,2] float(x[1,2]) x[1,2].item() z.item() x[1] x[1:,1:] x[:,::2] x[...,None] x.T x.t() x.transpose(0,1) x.permute(1,0)
x.view(4,3) x.reshape(4,3) x.expand(2,3,4) x.as_strided((2,2),(4,1)) x.narrow(1,1,2) x.unsqueeze(0) x.squeeze()
x.diagonal() x.flatten() x.unbind() x.split(2) list(x) x.shape x.stride() x.is_contiguous() len(x) sc.empty(2,3)
sc.zeros(2,3) sc.arange(5) sc.tensor([[1.0,2.0],[3.0,4.0]]) x.clone() x.copy_(y) x.contiguous() x.t().contiguous()
x.tolist() x.size() x.dim() x.ndim x.numel() x.storage_offset() x.dtype x.data_ptr() bool(z) int(z)
sc.cat([x,y]) sc.cat((x,y),1) sc.stack([x,y],1)
""".split()
WRITES = ["x[1, 2] = 5.0", "x[1:, 1:] = 0", "x[0] = x[1]", "x[:] = y", "x[1] = z"]


def frames(text, mode):
    """The names of the Python functions entered while the text runs."""
    scope = {"sc": sc, "x": sc.zeros(3, 4), "y": sc.ones(3, 4), "z": sc.zeros(())}
    code = compile(text, "<operation>", mode)
    entered = []

    def watch(frame, event, argument):
        if event == "call" and frame.f_code is not code:
            entered.append(frame.f_code.co_qualname if hasattr(frame.f_code, "co_qualname") else frame.f_code.co_name)

    exec(code, scope)
    sys.setprofile(watch)
    try:
        exec(code, scope)
    finally:
        sys.setprofile(None)
    return entered


@pytest.mark.parametrize("text", READS)
def test_reads_and_views(text):
    assert frames(text, "eval") == []


@pytest.mark.parametrize("text", WRITES)
def test_writes(text):
    assert frames(text, "exec") == []


def test_iteration():
    assert frames("for row in x:\n    for number in row:\n        pass", "exec") == []


def test_a_frame_is_seen():
    """The test can fail: a Python function is noticed."""
    scope = "(lambda: None)()"
    assert frames(scope, "eval") == ["<lambda>"]
