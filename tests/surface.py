"""Every public name of torch.Tensor, and every function and class of torch that stridecore is about.

A name is "done", "later: <room>" (planned, not there yet), or "excluded: <reason>". Names that only stridecore has
are "own: <what for>". test_surface.py compares the table with both libraries: a name that stands in no class, a name
that is done but missing, and a public name of stridecore that is not in the table are failures.
"""


def _table(blocks):
    table = {}
    for status, names in blocks.items():
        for name in names.split():
            assert name not in table, f"{name} stands twice in the table"
            table[name] = status
    return table


TENSOR = _table(
    {
        "there: with tests of their own; their keywords are not compared with torch yet": """
    is_inference new output_nr retains_grad
    __array_priority__ __dlpack__ __dlpack_device__ __or__ __ror__ acos acos_ acosh acosh_ argwhere
    as_strided_scatter asin asin_ asinh asinh_ atan atan_ atanh atanh_ bernoulli bernoulli_ cauchy_ conj_physical
    conj_physical_ cos cos_ cosh cosh_ diagonal_scatter exp exp2 exp2_ exp_ expm1 expm1_ exponential_ fill_diagonal_
    gather geometric_ index_add index_add_ index_copy index_copy_ index_fill index_fill_ index_put index_put_
    index_reduce index_reduce_ index_select log log10 log10_ log1p log1p_ log2 log2_ log_ log_normal_ masked_fill
    masked_fill_ masked_scatter masked_scatter_ masked_select nonzero nonzero_static normal_ put put_ random_
    scatter scatter_ scatter_add scatter_add_ scatter_reduce scatter_reduce_ select_scatter sin sin_ sinh sinh_
    slice_scatter sqrt sqrt_ take take_along_dim tan tan_ tanh tanh_ uniform_ where
    """,
        "done": """
    __array__ __bool__ __complex__ __deepcopy__ __delitem__ __float__ __getitem__ __index__ __int__ __iter__ __len__
    __setitem__ _base _is_view
    T H mT mH adjoint as_strided as_strided_ as_subclass bfloat16 bool broadcast_to byte cdouble cfloat chalf char
    chunk clone conj contiguous copy_ cpu data data_ptr detach detach_ device diagonal dim dim_order double dsplit
    dtype element_size expand expand_as fill_ flatten float get_device half hsplit imag int is_complex is_conj
    is_contiguous is_cpu is_floating_point is_leaf is_meta is_neg is_nonzero is_pinned is_quantized is_same_size
    is_set_to is_shared is_signed is_sparse is_sparse_csr is_cuda item itemsize layout long moveaxis movedim narrow
    narrow_copy nbytes ndim ndimension nelement new_empty new_empty_strided new_full new_ones new_tensor new_zeros
    numel numpy permute ravel real requires_grad requires_grad_ backward grad grad_fn reshape reshape_as resize_
    resize_as_ resolve_conj resolve_neg select set_ shape short size split split_with_sizes squeeze squeeze_ storage
    storage_offset storage_type stride swapaxes swapaxes_ swapdims swapdims_ t t_ tensor_split to tolist transpose
    transpose_ type type_as unbind unflatten unfold unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze
    unsqueeze_ untyped_storage view view_as vsplit zero_ _conj _neg_view _typed_storage
    """,
        "later: copies": "share_memory_",
        "later: gather": """
    index
    """,
        "later: math": """
    __abs__ __add__ __and__ __array_wrap__ __contains__ __div__ __floordiv__ __iadd__ __iand__ __idiv__
    __ifloordiv__ __ilshift__ __imod__ __imul__ __invert__ __ior__ __ipow__ __irshift__ __isub__ __itruediv__
    __ixor__ __long__ __lshift__ __matmul__ __mod__ __mul__ __neg__ __nonzero__ __pos__ __pow__ __radd__ __rand__
    __rdiv__ __reversed__ __rfloordiv__ __rlshift__ __rmatmul__ __rmod__ __rmul__ __rpow__ __rrshift__ __rshift__
    __rsub__ __rtruediv__ __rxor__ __sub__ __truediv__ __xor__ _conj_physical _coalesced_ _dimI _dimV _indices
    _is_all_true _is_any_true _nnz _to_dense _to_sparse _values abs abs_ absolute absolute_ add add_ addbmm addbmm_
    addcdiv addcdiv_ addcmul addcmul_ addmm addmm_ addmv addmv_ addr addr_ all allclose amax amin aminmax angle any
    apply_ arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 arctan2_ arctan_ arctanh
    arctanh_ argmax argmin argsort atan2 atan2_ baddbmm baddbmm_ bincount bitwise_and bitwise_and_
    bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_not_ bitwise_or bitwise_or_ bitwise_right_shift
    bitwise_right_shift_ bitwise_xor bitwise_xor_ bmm ceil ceil_ clamp clamp_ clamp_max clamp_max_ clamp_min
    clamp_min_ clip clip_ coalesce copysign copysign_ corrcoef count_nonzero cov cross cummax cummin cumprod
    cumprod_ cumsum cumsum_ deg2rad deg2rad_ dense_dim diag diag_embed diagflat diff dist div div_ divide divide_
    dot eq eq_ equal erf erf_ erfc erfc_ fix fix_ flip fliplr flipud float_power float_power_ floor floor_
    floor_divide floor_divide_ fmax fmin fmod fmod_ frac frac_ frexp gcd gcd_ ge ge_ ger greater greater_
    greater_equal greater_equal_ gt gt_ hardshrink heaviside heaviside_ histc histogram hypot hypot_ indices inner
    is_coalesced isclose isfinite isinf isnan isneginf isposinf isreal kron kthvalue lcm lcm_ ldexp ldexp_ le le_
    lerp lerp_ less less_ less_equal less_equal_ log_softmax logaddexp logaddexp2 logcumsumexp logical_and
    logical_and_ logical_not logical_not_ logical_or logical_or_ logical_xor logical_xor_ logit logit_ logsumexp lt
    lt_ map2_ map_ matmul max maximum mean median min minimum mm mode msort mul mul_ multinomial multiply multiply_
    mv nan_to_num nan_to_num_ nanmean nanmedian nanquantile nansum ne ne_ neg neg_ negative negative_ nextafter
    nextafter_ norm not_equal not_equal_ outer positive pow pow_ prelu prod quantile rad2deg rad2deg_ reciprocal
    reciprocal_ relu relu_ remainder remainder_ renorm renorm_ repeat repeat_interleave roll rot90 round round_
    rsqrt rsqrt_ sgn sgn_ sigmoid sigmoid_ sign sign_ signbit sinc sinc_ softmax sort sparse_dim sparse_mask square
    square_ std sub sub_ subtract subtract_ sum sum_to_size tile to_dense to_sparse to_sparse_coo topk trace tril
    tril_ triu triu_ true_divide true_divide_ trunc trunc_ unique unique_consecutive values var vdot xlogy xlogy_
    """,
        "excluded: no autograd": """
    _backward_hooks _grad _grad_fn _post_accumulate_grad_hooks _version _view_func _view_func_unsafe
    _rev_view_func_unsafe grad_dtype register_hook register_post_accumulate_grad_hook
    reinforce retain_grad volatile
    """,
        "excluded: CPU only": """
    __cuda_array_interface__ cuda ipu is_ipu is_maia is_mps is_mtia is_vulkan is_xla is_xpu is_mkldnn mtia
    pin_memory record_stream to_mkldnn xpu
    """,
        "excluded: part of how torch works inside": """
    __annotations__ __dict__ __dlpack_c_exchange_api__ __torch_dispatch__ __torch_function__ __weakref__
    _addmm_activation _autocast_to_full_precision _autocast_to_reduced_precision _cdata
    _clear_non_serializable_cached_data _dtensor__new__ _fix_weakref _has_symbolic_sizes_strides _is_zerotensor
    _lazy_clone _make_subclass _make_wrapper_subclass _philox_normal_ _philox_uniform_ _python_dispatch
    _reduce_ex_internal _sparse_mask_projection _use_count const_data_ptr hash_tensor module_load slice_inverse
    """,
        "excluded: nested, named and distributed tensors": """
    _nested_tensor_size _nested_tensor_storage_offsets _nested_tensor_strides is_distributed is_nested name
    to_padded_tensor
    """,
        "excluded: sparse layouts other than COO": """
    _to_sparse_bsc _to_sparse_bsr _to_sparse_csc _to_sparse_csr ccol_indices col_indices crow_indices
    resize_as_sparse_ row_indices smm sparse_resize_ sparse_resize_and_clear_ sspaddmm to_sparse_bsc to_sparse_bsr
    to_sparse_csc to_sparse_csr
    """,
        "excluded: quantised arithmetic": """
    dequantize int_repr q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point qscheme
    """,
        "excluded: decompositions and transforms, which NumPy and SciPy have": """
    cholesky cholesky_inverse cholesky_solve det eig geqrf inverse istft logdet lstsq lu lu_solve matrix_exp
    matrix_power orgqr ormqr pinverse qr slogdet solve stft svd symeig triangular_solve
    """,
        "excluded: special functions, which SciPy has": """
    digamma digamma_ erfinv erfinv_ i0 i0_ igamma igamma_ igammac igammac_ lgamma lgamma_ mvlgamma mvlgamma_
    polygamma polygamma_
    """,
        "excluded: deprecated in torch": " resize resize_as",
        "own: where an element is, in elements from the storage's start": "offset_of",
        "own: the answers that c10's TensorImpl gives": "sizes strides",
        "own: Python": "__array_interface__ __slots__ alias is_non_overlapping_and_dense view_as_complex view_as_real",
        "excluded: pickling goes by __reduce_ex__": "__setstate__",
    }
)

FUNCTIONS = _table(
    {
        "there: with tests of their own; their keywords are not compared with torch yet": """
    Storage acos_ acosh_ asin_ asinh_ atan_ atanh_ conj_physical_ cos_ cosh_ exp2_ exp_ expm1_ is_inference
    log10_ log1p_ log2_ log_ sin_ sinh_ sqrt_ tan_ tanh_
    acos acosh argwhere as_strided_scatter asin asinh atan atanh bernoulli conj_physical cos cosh diagonal_scatter
    exp exp2 expm1 from_dlpack gather get_num_threads index_add index_copy index_fill index_put index_put_
    index_reduce index_select log log10 log1p log2 masked_fill masked_scatter masked_select nonzero nonzero_static
    normal promote_types put scatter scatter_add scatter_reduce select_scatter set_num_threads sin sinh
    slice_scatter sqrt take take_along_dim tan tanh to_dlpack unravel_index where
    """,
        "done": """
    Size Tensor device dtype finfo get_default_dtype iinfo layout memory_format set_default_dtype set_printoptions
    bool uint8 uint16 uint32 uint64 int8 int16 short int32 int int64 long float16 half bfloat16 float32 float float64
    double complex32 chalf complex64 cfloat complex128 cdouble float8_e4m3fn float8_e4m3fnuz float8_e5m2
    float8_e5m2fnuz float8_e8m0fnu channels_last channels_last_3d contiguous_format preserve_format strided sparse_coo
    e inf nan newaxis pi
    TypedStorage UntypedStorage BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage
    ComplexFloatStorage DoubleStorage FloatStorage HalfStorage IntStorage LongStorage ShortStorage
    BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor
    ShortTensor
    Generator arange as_tensor asarray complex default_generator empty empty_like empty_permuted empty_strided eye
    from_numpy frombuffer full full_like get_rng_state initial_seed linspace logspace manual_seed ones ones_like polar
    rand rand_like randint randint_like randn randn_like randperm scalar_tensor seed set_rng_state tensor zeros
    zeros_like
    is_complex is_conj is_floating_point is_neg is_nonzero is_same_size is_signed is_storage is_tensor numel
    adjoint as_strided as_strided_ atleast_1d atleast_2d atleast_3d broadcast_shapes broadcast_tensors broadcast_to
    chunk clone conj detach detach_ diagonal dsplit fill fill_ flatten hsplit imag moveaxis movedim narrow permute
    ravel real reshape resize_as_ resolve_conj resolve_neg select split split_with_sizes squeeze swapaxes swapdims t
    tensor_split transpose unbind unflatten unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze
    view_as_complex view_as_real vsplit zero_ get_device
    alias_copy as_strided_copy detach_copy diagonal_copy expand_copy narrow_copy permute_copy select_copy slice_copy
    split_copy split_with_sizes_copy squeeze_copy t_copy transpose_copy unbind_copy unfold_copy unsqueeze_copy
    view_as_complex_copy view_as_real_copy view_copy
    """,
        "later: files": "from_file load save",
        "later: math": """
    can_cast result_type abs absolute add addcdiv addcmul angle arccos arccosh arcsin arcsinh arctan arctan2 arctanh
    atan2 bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor ceil clamp clamp_max
    clamp_min clip copysign deg2rad div divide eq erf erfc fix float_power floor floor_divide fmax fmin fmod frac
    frexp gcd ge greater greater_equal gt heaviside hypot isclose isfinite isinf isnan isneginf isposinf isreal lcm
    ldexp le lerp less less_equal log_softmax logaddexp logaddexp2 logical_and logical_not logical_or logical_xor
    logit lt maximum minimum mul multiply nan_to_num ne neg negative nextafter not_equal positive pow rad2deg
    reciprocal relu remainder round rsqrt rsub sgn sigmoid sign signbit sinc softmax square sub subtract true_divide
    trunc xlogy all allclose amax amin aminmax any argmax argmin argsort bincount bucketize count_nonzero cummax
    cummin cumprod cumsum diff equal histc isin kthvalue logcumsumexp logsumexp max mean median min msort nanmean
    nanmedian nanquantile nansum norm prod quantile searchsorted sort std std_mean sum topk unique
    unique_consecutive var var_mean addmm baddbmm bmm cross dot einsum inner kron matmul mm mv outer tensordot trace
    vdot block_diag cartesian_prod cat column_stack combinations concat concatenate diag diag_embed diagflat dstack
    flip fliplr flipud hstack meshgrid repeat_interleave roll rot90 row_stack stack tile tril tril_indices triu
    triu_indices vstack multinomial sparse_coo_tensor
    """,
        "excluded: deprecated in torch": "range",
        "own: one copy of any array, buffer or tensor, at the speed of memory": "",
        "own: Python": """
    copy empty_cache get_include get_printoptions memory_stats printoptions shares_memory show_config
    """,
        "own: alias and layout questions that torch keeps in torch.ops": "alias is_non_overlapping_and_dense",
    }
)
