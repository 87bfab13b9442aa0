"""Every public name of views and metadata is there, says what it does, and its example runs."""

import doctest
import inspect

import pytest

import stridecore as sc

METHODS = """
    H T adjoint alias as_strided as_strided_ broadcast_to chunk conj conj_physical conj_physical_ data detach detach_
    device diagonal dim dim_order dsplit dtype element_size expand expand_as flatten get_device grad grad_fn hsplit imag
    is_complex is_conj is_contiguous is_cpu is_cuda is_floating_point is_inference is_leaf is_meta is_neg is_nonzero
    is_non_overlapping_and_dense is_quantized is_same_size is_set_to is_signed is_sparse is_sparse_csr itemsize layout
    mH mT moveaxis movedim narrow narrow_copy nbytes ndim ndimension nelement numel offset_of output_nr permute ravel
    real requires_grad requires_grad_ reshape reshape_as resize_ resize_as_ resolve_conj resolve_neg retains_grad select
    set_ shape size split split_with_sizes squeeze squeeze_ storage_offset stride swapaxes swapaxes_ swapdims swapdims_
    t t_ tensor_split transpose transpose_ unbind unflatten unfold unsafe_chunk unsafe_split unsafe_split_with_sizes
    unsqueeze unsqueeze_ untyped_storage view view_as view_as_complex view_as_real vsplit
""".split()
FUNCTIONS = """
    adjoint alias alias_copy as_strided as_strided_ as_strided_copy atleast_1d atleast_2d atleast_3d broadcast_shapes
    broadcast_tensors broadcast_to chunk clone conj conj_physical conj_physical_ detach detach_ detach_copy diagonal
    diagonal_copy dsplit expand_copy fill_ flatten get_device hsplit imag is_complex is_conj is_floating_point
    is_inference is_neg is_non_overlapping_and_dense is_nonzero is_same_size is_signed is_storage
    is_tensor moveaxis movedim narrow
    narrow_copy numel permute permute_copy ravel real reshape resize_as_ resolve_conj resolve_neg select select_copy
    shares_memory slice_copy split split_copy split_with_sizes split_with_sizes_copy squeeze squeeze_copy swapaxes
    swapdims t t_copy tensor_split transpose transpose_copy unbind unbind_copy unflatten unfold_copy unsafe_chunk
    unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_copy view_as_complex view_as_complex_copy view_as_real
    view_as_real_copy view_copy vsplit zero_
""".split()
CLASSES = "Size device dtype layout memory_format".split()
PLAIN = """
    data_ptr device grad grad_fn is_cpu is_cuda is_leaf is_meta is_quantized is_sparse is_sparse_csr itemsize layout
    nbytes ndim output_nr requires_grad retains_grad
""".split()  # properties whose sentence needs no example


def runs(name, doc):
    """Run the examples of a docstring; returns how many there are."""
    test = doctest.DocTestParser().get_doctest(inspect.cleandoc(doc), {}, name, None, 0)
    told = []
    runner = doctest.DocTestRunner()
    runner.run(test, out=told.append)
    assert not runner.failures, "".join(told)
    return runner.tries


@pytest.mark.parametrize("name", METHODS)
def test_methods(name, quiet):
    doc = getattr(sc.Tensor, name).__doc__
    assert doc, f"Tensor.{name} has no docstring"
    assert runs(f"Tensor.{name}", doc) or name in PLAIN, f"Tensor.{name} has no example"


@pytest.mark.parametrize("name", FUNCTIONS + CLASSES)
def test_functions(name, quiet):
    thing = getattr(sc, name)
    assert thing.__doc__, f"stridecore.{name} has no docstring"
    assert runs(f"stridecore.{name}", thing.__doc__), f"stridecore.{name} has no example"
    assert name == thing.__name__
