"""Writes the files beside it with torch 2.13: `python make.py`. They are kept for tests without torch."""

import warnings
from collections import OrderedDict
from pathlib import Path

import torch

HERE = Path(__file__).parent


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.tensor([1.5, -2.0]))
        self.register_buffer("table", torch.arange(6, dtype=torch.int16).view(2, 3).t())
        self.names = torch.jit.Attribute(["a", "b"], list[str])

    def forward(self, x):
        return x * self.scale


class Outer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Scaled()
        self.twice = torch.nn.Sequential(Scaled(), torch.nn.Linear(2, 1, bias=False))
        torch.nn.init.constant_(self.twice[1].weight, 0.25)

    def forward(self, x):
        return self.twice(self.inner(x))


def main():
    warnings.simplefilter("ignore")
    x = torch.arange(12.0).view(3, 4)
    z = torch.tensor([1 + 2j, 3 - 4j])
    value = OrderedDict(
        x=x,
        t=x.t(),
        part=x[1:, ::2],
        row=x[2],
        conj=z.conj(),
        half=torch.tensor([1.5, -2.0], dtype=torch.bfloat16),
        wide=torch.tensor([2**63 + 1], dtype=torch.uint64),
        empty=torch.empty(0, 3),
        state={"step": 7, "betas": (0.9, 0.999), "name": "adäm", "none": None},
    )
    torch.save(value, HERE / "zip.pt")
    legacy = OrderedDict((name, value[name]) for name in ("x", "t", "part", "row", "conj", "half", "state"))
    torch.save(legacy, HERE / "legacy.pt", _use_new_zipfile_serialization=False)
    others = {
        "quantised": torch.quantize_per_tensor(torch.tensor([0.0, 0.5, 1.0]), 0.5, 3, torch.quint8),
        "sparse": torch.sparse_coo_tensor([[0, 1], [2, 0]], [3.0, 4.0], (2, 3)).coalesce(),
        "module": torch.nn.Linear(2, 1),
        "parameter": torch.nn.Parameter(torch.ones(2)),
    }
    torch.save(others, HERE / "others.pt")
    torch.save(torch.nn.Linear(2, 1), HERE / "module.pt")
    torch.jit.script(Outer()).save(HERE / "script.pt")


if __name__ == "__main__":
    main()
