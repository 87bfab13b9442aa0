"""searching.py: searchsorted and bucketize as torch has them."""

from reduction_cases import FLOATS, INTEGERS, agree_code, convert, layouts, random_tensor

import stridecore as sc


def test_as_torch(torch, rng):
    for dtype in FLOATS + INTEGERS[1:]:
        edges = random_tensor(torch, rng, dtype, (6,)).sort().values
        for _, t in layouts(torch, rng, dtype, True):
            agree_code(
                """
                lib.searchsorted(e, x) | lib.searchsorted(e, x, right=True, out_int32=True) | lib.bucketize(x, e)
                lib.bucketize(x, e, right=True) | lib.searchsorted(e, x, side='right')
                """,
                x=t,
                e=edges,
            )


def test_rows_as_torch(torch, rng):
    for dtype in ("float32", "int64", "bfloat16"):
        edges = random_tensor(torch, rng, dtype, (2, 3, 5))
        ordered, order = edges.sort()
        values = random_tensor(torch, rng, dtype, (4, 3, 2)).transpose(0, 2)
        agree_code(
            """
            lib.searchsorted(a, v) | lib.searchsorted(a, v, right=True) | lib.searchsorted(e, v, sorter=o)
            lib.searchsorted(a, v[0]) | lib.searchsorted(a, 1) | lib.searchsorted(a.transpose(0, 1).sort().values, v)
            """,
            a=ordered,
            e=edges,
            o=order,
            v=values,
        )


def test_arguments_as_torch(torch):
    agree_code(
        """
        lib.searchsorted(e, 3) | lib.searchsorted(e, 3.5) | lib.searchsorted(e, 3, right=True, out_int32=True)
        lib.searchsorted(e, v, side='left', right=True) | lib.searchsorted(e, v, side='top')
        lib.searchsorted(e, lib.tensor(2.5))
        lib.searchsorted(e, v, sorter=lib.tensor([2, 1, 9])) | lib.searchsorted(e, v, sorter=lib.tensor([2, 1]))
        lib.searchsorted(e, v, sorter=lib.tensor([2, 1, 0]).int()) | lib.searchsorted(lib.tensor(1), v)
        lib.searchsorted(e, 'a')
        lib.searchsorted(e, v, sorter=lib.tensor([2, 1, -1]))
        lib.searchsorted(e, v, out=lib.zeros(0, dtype=lib.int64))
        lib.searchsorted(e, v, out=lib.zeros(0, dtype=lib.int32)) | lib.bucketize(2, e)
        lib.bucketize(v, e.reshape(1, 3))
        lib.searchsorted(lib.tensor([]), lib.tensor([3.])) | lib.searchsorted(e, lib.zeros(0, 2, dtype=lib.int64))
        lib.searchsorted(sorted_sequence=e, input=v) | lib.bucketize(v, boundaries=e, right=True, out_int32=True)
        lib.searchsorted(e, lib.tensor([float('nan'), 9])) | lib.searchsorted([1], v) | lib.bucketize([1], e)
        """,
        e=torch.tensor([1, 3, 5]),
        v=torch.tensor([[3, 6], [1, 0]]),
    )


def test_values(torch):
    assert sc.searchsorted(sc.tensor([1, 3, 5]), sc.tensor([3, 6])).tolist() == [1, 3]
    assert sc.bucketize(sc.tensor([1, 3, 4]), sc.tensor([1, 3]), right=True).tolist() == [1, 2, 2]
    assert convert(sc.searchsorted(sc.tensor([1, 3]), 2), torch).item() == 1
