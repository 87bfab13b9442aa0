"""Sums of products over named dims: einsum, tensordot, chain_matmul.

einsum reads the equation, gives every operand one dim for each subscript (of size 1 where it has none, the ellipsis
counts as several), in the order of the output and then of what is summed, and multiplies operands two by two:

    "bij,bjk->bik"    subscripts in order: b i k | j
    bij               as (b, i, 1, j)
    bjk               as (b, 1, k, j)         b stays, i and k are each in one of the two, j is summed
                      bmm((b, i, j), (b, j, k)) seen as (b, i, k)
"""

from string import ascii_letters

import numpy as np

from stridecore.operands import compute
from stridecore.products import _bmm, _matmul, _mm, of_dims, same_dtype
from stridecore.reducing import check_out, deliver, one_dim, tensor_argument
from stridecore.reductions import _sum
from stridecore.tensor import Tensor

LETTERS = ascii_letters.swapcase()  # in the order of an output that is not given

__all__ = "chain_matmul einsum tensordot".split()


# ---- the equation ---------------------------------------------------------------------------------------------


def _read_subscripts(text, what, first):
    """The subscripts of one operand or of the output as a list: letters, and ... for an ellipsis."""
    found, i = [], 0
    while i < len(text):
        if text[i] == " ":
            i += 1
        elif text[i] == ".":
            if text[i : i + 3] != "..." or ... in found:
                raise RuntimeError(
                    f"einsum(): found '.' for {what} that is not part of one ellipsis, '...', at index {first + i} in "
                    "the equation string"
                )
            found.append(...)
            i += 3
        elif text[i] in LETTERS:
            found.append(text[i])
            i += 1
        else:
            raise RuntimeError(
                f"einsum(): invalid subscript {text[i]!r} given at index {first + i} in the equation string, "
                "subscripts must be in [a-zA-Z]"
            )
    return found


def _read_equation(equation, count):
    """(subscripts of each operand, those of the output or None) of "ij,jk->ik"."""
    left, arrow, right = equation.partition("->")
    parts, first, terms = left.split(","), 0, []
    for i, part in enumerate(parts):
        terms.append(_read_subscripts(part, f"operand {i}", first))
        first += len(part) + 1
    if len(terms) != count:
        which = "more" if count > len(terms) else "fewer"
        raise RuntimeError(
            f"einsum(): {which} operands were provided than specified in the equation {equation!r}: {count} and "
            f"{len(terms)}"
        )
    return terms, _read_subscripts(right, "the output", first + 1) if arrow else None


def _read_lists(args):
    """(operands, their subscripts, the output's or None) of einsum(a, [0, 1], b, [1, 2], [0, 2])."""
    output = list(args[-1]) if len(args) % 2 else None
    pairs = args[: len(args) - len(args) % 2]
    operands, lists = pairs[::2], pairs[1::2]

    def letters(subscripts):
        for s in subscripts:
            if s is not ... and (not isinstance(s, int) or not 0 <= s < 52):
                raise ValueError(f"einsum(): subscript {s!r} is not in the range [0, 52)")
        return [s if s is ... else LETTERS[s] for s in subscripts]

    return operands, [letters(s) for s in lists], None if output is None else letters(output)


def _order(terms, output, operands):
    """(all subscripts in the order of the output and then of what is summed, how many are the output's).

    An ellipsis stands as numbers, counted from the last of its dims.
    """
    counts, covered = {}, 0
    for i, (term, x) in enumerate(zip(terms, operands, strict=True)):
        named = [s for s in term if s is not ...]
        if len(named) != len(term):
            if len(named) > x.ndim:
                raise RuntimeError(
                    f"einsum(): the number of subscripts in the equation ({len(named)}) is more than the number of "
                    f"dimensions ({x.ndim}) for operand {i}"
                )
            covered = max(covered, x.ndim - len(named))
        elif len(named) != x.ndim:
            raise RuntimeError(
                f"einsum(): the number of subscripts in the equation ({len(named)}) does not match the number of "
                f"dimensions ({x.ndim}) for operand {i} and no ellipsis was given"
            )
        for s in named:
            counts[s] = counts.get(s, 0) + 1
    ellipsis = list(range(covered, 0, -1))
    if output is None:
        order = ellipsis + [s for s in LETTERS if counts.get(s) == 1]
    else:
        order = []
        for s in output:
            if s is not ... and s not in counts:
                raise RuntimeError(
                    f"einsum(): output subscript {s} does not appear in the equation for any input operand"
                )
            if s is not ... and s in order:
                raise RuntimeError(f"einsum(): output subscript {s} appears more than once in the output")
            order += ellipsis if s is ... else [s]
    kept = len(order)
    order += [s for s in ellipsis if s not in order] + [s for s in sorted(counts) if s not in order]
    return order, kept


def _aligned(x, term, order, i):
    """x with one dim for each subscript of the order, of size 1 where it has none; a repeated one is a diagonal."""
    labels = []
    named = sum([s is not ... for s in term])
    for s in term:
        labels += list(range(x.ndim - named, 0, -1)) if s is ... else [s]
    for s in dict.fromkeys(labels):
        while labels.count(s) > 1:
            first = labels.index(s)
            second = labels.index(s, first + 1)
            if x.shape[first] != x.shape[second]:
                raise RuntimeError(
                    f"einsum(): subscript {s} is repeated for operand {i} but the sizes don't match, "
                    f"{x.shape[second]} != {x.shape[first]}"
                )
            x = x.diagonal(0, first, second).movedim(-1, first)
            del labels[second]
    x = x.permute([labels.index(s) for s in order if s in labels])
    for d, s in enumerate(order):
        if s not in labels:
            x = x.unsqueeze(d)
    return x


def _check_sizes(aligned, order):
    sizes = [1] * len(order)
    for i, x in enumerate(aligned):
        for d, n in enumerate(x.shape):
            if n != 1 and sizes[d] != 1 and n != sizes[d]:
                raise RuntimeError(
                    f"einsum(): subscript {order[d]} has size {n} for operand {i} which does not broadcast with "
                    f"previously seen size {sizes[d]}"
                )
            sizes[d] = n if n != 1 else sizes[d]


# ---- products -------------------------------------------------------------------------------------------------


def _size(x, dims):
    count = 1
    for d in dims:
        count *= x.shape[d]
    return count


def _sum_product(a, b, summed):
    """The product of two aligned tensors, summed over dims (which stay, at size 1), as one batched matrix product."""
    both, left, right, common = [], [], [], []
    for d in range(a.ndim):
        in_a, in_b = a.shape[d] != 1, b.shape[d] != 1
        if d in summed:
            if in_a and in_b:
                common.append(d)
            elif in_a:
                a = _sum(a, d, True, dtype=a.dtype)
            elif in_b:
                b = _sum(b, d, True, dtype=b.dtype)
        elif in_a and in_b:
            both.append(d)
        elif in_a:
            left.append(d)
        else:
            right.append(d)
    if left and right and right[-1] < left[0]:  # so that the result is contiguous
        a, b, left, right = b, a, right, left
    batch = [a.shape[d] for d in both]
    order = [*both, *left, *right, *summed]
    shape = [*batch, *[a.shape[d] for d in left], *[b.shape[d] for d in right], *[1] * len(summed)]
    first = a.permute([*both, *left, *common, *right, *[d for d in summed if d not in common]])
    second = b.permute([*both, *common, *right, *left, *[d for d in summed if d not in common]])
    m, k, n = _size(a, left), _size(a, common), _size(b, right)
    if both:
        result = _bmm(first.reshape(_size(a, both), m, k), second.reshape(_size(b, both), k, n)).reshape(shape)
    else:
        result = _mm(first.reshape(m, k), second.reshape(k, n)).reshape(shape)
    return result.permute([order.index(d) for d in range(a.ndim)])


def einsum(*args):
    """The sum of products that an equation describes: `einsum("ij,jk->ik", a, b)` is a matrix product.

    Every operand has a subscript, a letter, for each dim; `...` stands for the dims that have none and broadcast.
    Subscripts that the output (behind `->`) lacks are summed; without `->` the output has those that occur once, in
    alphabetical order. A subscript that is repeated in one operand means its diagonal. The other form names dims by
    numbers: `einsum(a, [0, 1], b, [1, 2], [0, 2])`. What takes no product is a view.

    >>> import stridecore as sc
    >>> a = sc.arange(4).reshape(2, 2)
    >>> sc.einsum("ij,jk->ik", a, a), sc.einsum("ii", a)
    (tensor([[ 2,  3],
            [ 6, 11]]), tensor(3))
    """
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and its "
            "subscripts list"
        )
    if isinstance(args[0], str):
        operands = args[1] if len(args) == 2 and isinstance(args[1], tuple | list) else args[1:]
        terms, output = _read_equation(args[0], len(operands))
    else:
        operands, terms, output = _read_lists(args)
    for i, x in enumerate(operands):
        if not isinstance(x, Tensor):
            raise TypeError(f"einsum(): expected Tensor as operand {i}, but got {type(x).__name__}")
    order, kept = _order(terms, output, operands)
    aligned = [_aligned(x, term, order, i) for i, (x, term) in enumerate(zip(operands, terms, strict=True))]
    _check_sizes(aligned, order)
    same_dtype("einsum", *operands)
    while len(aligned) > 1:
        a, b, *rest = aligned
        summed = [d for d in range(kept, len(order)) if all(x.shape[d] == 1 for x in rest)]
        product = _sum_product(a, b, summed) if summed else compute("einsum", np.multiply, [a, b], a.dtype)
        aligned = [*rest, product]
    result = aligned[0]
    dims = tuple(range(kept, len(order)))
    if all(result.shape[d] == 1 for d in dims):
        return result.reshape(result.shape[:kept]) if result.numel() == 0 else result.squeeze(dims) if dims else result
    return _sum(result, dims)


# ---- tensordot, chain_matmul ----------------------------------------------------------------------------------


def _contracted(dims, a, b):
    """The two lists of dims that tensordot sums over, wrapped."""
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, int) and not isinstance(dims, bool):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a.ndim, b.ndim):
            raise RuntimeError(
                f"tensordot expects dims <= the number of dims of both tensors, got {dims} for {a.ndim} and {b.ndim}"
            )
        dims = list(range(a.ndim - dims, a.ndim)), list(range(dims))
    if not isinstance(dims, tuple | list) or len(dims) != 2:
        raise RuntimeError("tensordot expects dims to be int, a pair of lists of ints or a tensor of such a pair")
    first, second = [[d] if isinstance(d, int) else list(d) for d in dims]
    if len(first) != len(second):
        raise RuntimeError(f"tensordot: both dimension lists should have same length, got {first} and {second}")
    pair = [one_dim("tensordot", d, a.ndim) for d in first], [one_dim("tensordot", d, b.ndim) for d in second]
    for wrapped in pair:
        if len(set(wrapped)) != len(wrapped):
            raise RuntimeError(f"tensordot: a dim appears multiple times in the list of dims {wrapped}")
    return pair


def tensordot(a, b, dims=2, out=None):
    """The product of two tensors, summed over pairs of dims: the last `dims` of a with the first of b, or two lists.

    The result has the other dims of a, then those of b. Contracted dims have equal sizes, or one of them is 1.

    >>> import stridecore as sc
    >>> sc.tensordot(sc.ones(2, 3), sc.ones(3, 4), dims=([1], [0])).shape
    stridecore.Size([2, 4])
    """
    tensor_argument("tensordot", a, "a", 1)
    tensor_argument("tensordot", b, "b", 2)
    first, second = _contracted(dims, a, b)
    same_dtype("tensordot", a, b)
    check_out("tensordot", out, a.dtype)
    for d, e in zip(first, second, strict=True):
        m, n = a.shape[d], b.shape[e]
        if m == n:
            continue
        if n == 1:
            a = _sum(a, d, True, dtype=a.dtype)
        elif m == 1:
            b = _sum(b, e, True, dtype=b.dtype)
        else:
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {m} in dim {d} and second has size {n} in "
                f"dim {e}"
            )
    free_a = [d for d in range(a.ndim) if d not in first]
    free_b = [d for d in range(b.ndim) if d not in second]
    k = _size(a, first)
    left = a.permute([*free_a, *first]).reshape(_size(a, free_a), k)
    right = b.permute([*second, *free_b]).reshape(k, _size(b, free_b))
    shape = [a.shape[d] for d in free_a] + [b.shape[d] for d in free_b]
    return deliver("tensordot", out, _mm(left, right).reshape(shape))


def chain_matmul(*matrices, out=None):
    """The product of several matrices, multiplied from left to right.

    >>> import stridecore as sc
    >>> sc.chain_matmul(sc.ones(1, 2), sc.ones(2, 3), sc.ones(3, 1))
    tensor([[6.]])
    """
    if len(matrices) == 1 and isinstance(matrices[0], tuple | list):
        matrices = matrices[0]
    if not matrices:
        raise RuntimeError("chain_matmul: expects at least one matrix")
    result = of_dims("chain_matmul", "matrix 0", matrices[0], 2, 1)
    for i, matrix in enumerate(matrices[1:], 1):
        result = _matmul(result, of_dims("chain_matmul", f"matrix {i}", matrix, 2, i + 1))
    return deliver("chain_matmul", out, result)
