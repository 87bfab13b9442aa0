"""Every public name of torch.Tensor, and every function and class of torch that stridecore is about.

A name is "done: <room>" or "excluded: <reason>". Names that only stridecore has are "own: <what for>". The rooms are
core, copies, gather, math and files. test_surface.py compares the table with both libraries: a name that stands in no
class, a name that is done but missing, and a public name of stridecore that is not in the table are failures.
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
        "done: core": """
    __array__ __bool__ __complex__ __deepcopy__ __delitem__ __float__ __getitem__ __index__ __int__ __iter__ __len__
    __module__ __setitem__ _base _conj _is_view _neg_view _typed_storage adjoint as_strided as_strided_ as_subclass
    backward bernoulli bernoulli_ bfloat16 bool broadcast_to byte cauchy_ cdouble cfloat chalf char chunk clone conj
    contiguous copy_ cpu data data_ptr detach detach_ device diagonal dim dim_order double dsplit dtype element_size
    expand expand_as exponential_ fill_ flatten float geometric_ get_device grad grad_fn H half hsplit imag int
    is_complex is_conj is_contiguous is_cpu is_cuda is_floating_point is_inference is_leaf is_meta is_neg is_nonzero
    is_pinned is_quantized is_same_size is_set_to is_shared is_signed is_sparse is_sparse_csr item itemsize layout
    log_normal_ long mH moveaxis movedim mT narrow narrow_copy nbytes ndim ndimension nelement new new_empty
    new_empty_strided new_full new_ones new_tensor new_zeros normal_ numel numpy output_nr permute random_ ravel
    real requires_grad requires_grad_ reshape reshape_as resize_ resize_as_ resolve_conj resolve_neg retains_grad
    select set_ shape short size split split_with_sizes squeeze squeeze_ storage storage_offset storage_type stride
    swapaxes swapaxes_ swapdims swapdims_ T t t_ tensor_split to tolist transpose transpose_ type type_as unbind
    unflatten unfold uniform_ unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_ untyped_storage
    view view_as vsplit zero_
    """,
        "done: gather": """
    argwhere as_strided_scatter diagonal_scatter fill_diagonal_ gather index_add index_add_ index_copy index_copy_
    index_fill index_fill_ index_put index_put_ index_reduce index_reduce_ index_select masked_fill masked_fill_
    masked_scatter masked_scatter_ masked_select nonzero nonzero_static put put_ scatter scatter_ scatter_add
    scatter_add_ scatter_reduce scatter_reduce_ select_scatter slice_scatter take take_along_dim where
    """,
        "done: math": """
    __abs__ __add__ __and__ __array_priority__ __array_wrap__ __contains__ __floordiv__ __iadd__ __iand__
    __ifloordiv__ __ilshift__ __imod__ __imul__ __invert__ __ior__ __ipow__ __irshift__ __isub__ __itruediv__
    __ixor__ __lshift__ __matmul__ __mod__ __mul__ __neg__ __or__ __pos__ __pow__ __radd__ __rand__ __rfloordiv__
    __rlshift__ __rmatmul__ __rmod__ __rmul__ __ror__ __rpow__ __rrshift__ __rshift__ __rsub__ __rtruediv__ __rxor__
    __reversed__
    __sub__ __truediv__ __xor__ _coalesced_ _dimI _dimV _indices _is_all_true _is_any_true _nnz _to_dense _to_sparse
    _values abs abs_ absolute absolute_ acos acos_ acosh acosh_ add add_ addbmm addbmm_ addcdiv addcdiv_ addcmul
    addcmul_ addmm addmm_ addmv addmv_ addr addr_ all allclose amax amin aminmax angle any arccos arccos_ arccosh
    arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 arctan2_ arctan_ arctanh arctanh_ argmax argmin argsort
    asin asin_ asinh asinh_ atan atan2 atan2_ atan_ atanh atanh_ baddbmm baddbmm_ bincount bitwise_and bitwise_and_
    bitwise_left_shift bitwise_left_shift_ bitwise_not bitwise_not_ bitwise_or bitwise_or_ bitwise_right_shift
    bitwise_right_shift_ bitwise_xor bitwise_xor_ bmm ceil ceil_ clamp clamp_ clamp_max clamp_max_ clamp_min
    clamp_min_ clip clip_ coalesce conj_physical conj_physical_ copysign copysign_ corrcoef cos cos_ cosh cosh_
    count_nonzero cov cross cummax cummin cumprod cumprod_ cumsum cumsum_ deg2rad deg2rad_ dense_dim diag diag_embed
    diagflat diff dist div div_ divide divide_ dot eq eq_ equal erf erf_ erfc erfc_ exp exp2 exp2_ exp_ expm1 expm1_
    fix fix_ flip fliplr flipud float_power float_power_ floor floor_ floor_divide floor_divide_ fmax fmin fmod
    fmod_ frac frac_ frexp gcd gcd_ ge ge_ ger greater greater_ greater_equal greater_equal_ gt gt_ heaviside
    heaviside_ histc histogram hypot hypot_ indices inner is_coalesced isclose isfinite isinf isnan isneginf
    isposinf isreal kron kthvalue lcm lcm_ ldexp ldexp_ le le_ lerp lerp_ less less_ less_equal less_equal_ lgamma
    lgamma_ log log10 log10_ log1p log1p_ log2 log2_ log_ log_softmax logaddexp logaddexp2 logcumsumexp logical_and
    logical_and_ logical_not logical_not_ logical_or logical_or_ logical_xor logical_xor_ logit logit_ logsumexp lt
    lt_ matmul max maximum mean median min minimum mm mode msort mul mul_ multiply multiply_ mv nan_to_num
    nan_to_num_ nanmean nanmedian nanquantile nansum ne ne_ neg neg_ negative negative_ nextafter nextafter_ norm
    not_equal not_equal_ outer positive pow pow_ prod quantile rad2deg rad2deg_ reciprocal reciprocal_ relu relu_
    remainder remainder_ renorm renorm_ repeat repeat_interleave roll rot90 round round_ rsqrt rsqrt_ sgn sgn_
    sigmoid sigmoid_ sign sign_ signbit sin sin_ sinc sinc_ sinh sinh_ softmax sort sparse_dim sparse_mask sqrt
    sqrt_ square square_ std sub sub_ subtract subtract_ sum sum_to_size tan tan_ tanh tanh_ tile to_dense to_sparse
    to_sparse_coo topk trace tril tril_ triu triu_ true_divide true_divide_ trunc trunc_ unique unique_consecutive
    values var vdot xlogy xlogy_
    """,
        "done: files": "__dlpack__ __dlpack_device__",
        "done: copies": "share_memory_",
        "excluded: x[indices] says it": "index",
        "excluded: Python 2's names": "__div__ __idiv__ __long__ __nonzero__ __rdiv__",
        "excluded: a call of Python for each element": "apply_ map2_ map_",
        "excluded: layers of neural networks": "hardshrink prelu",
        "excluded: draws by weight, which numpy.random has": "multinomial",
        "excluded: no autograd": """
    _backward_hooks _grad _grad_fn _post_accumulate_grad_hooks _rev_view_func_unsafe _version _view_func
    _view_func_unsafe grad_dtype register_hook register_post_accumulate_grad_hook reinforce retain_grad volatile
    """,
        "excluded: CPU only": """
    __cuda_array_interface__ cuda ipu is_ipu is_maia is_mkldnn is_mps is_mtia is_vulkan is_xla is_xpu mtia
    pin_memory record_stream to_mkldnn xpu
    """,
        "excluded: part of how torch works inside": """
    _conj_physical __annotations__ __dict__ __dlpack_c_exchange_api__ __torch_dispatch__ __torch_function__ __weakref__
    _addmm_activation _autocast_to_full_precision _autocast_to_reduced_precision _cdata
    _clear_non_serializable_cached_data _dtensor__new__ _fix_weakref _has_symbolic_sizes_strides _is_zerotensor
    _lazy_clone _make_subclass _make_wrapper_subclass _philox_normal_ _philox_uniform_ _python_dispatch
    _reduce_ex_internal _sparse_mask_projection _use_count const_data_ptr hash_tensor module_load slice_inverse
    """,
        "excluded: tensors are unpickled by a function": "__setstate__",
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
    dequantize int_repr q_per_channel_axis q_per_channel_scales q_per_channel_zero_points q_scale q_zero_point
    qscheme
    """,
        "excluded: decompositions and transforms, which NumPy and SciPy have": """
    cholesky cholesky_inverse cholesky_solve det eig geqrf inverse istft logdet lstsq lu lu_solve matrix_exp
    matrix_power orgqr ormqr pinverse qr slogdet solve stft svd symeig triangular_solve
    """,
        "excluded: special functions, which SciPy has": """
    digamma digamma_ erfinv erfinv_ i0 i0_ igamma igamma_ igammac igammac_ mvlgamma mvlgamma_
    polygamma polygamma_
    """,
        "excluded: deprecated in torch": "resize resize_as",
        "own: where an element is, in elements from the storage's start": "offset_of",
        "own: the answers that c10's TensorImpl gives": "sizes strides",
        "own: Python": "__array_interface__ __slots__",
        "own: functions of torch that are methods here as well": "view_as_complex view_as_real",
        "own: alias and layout questions that torch keeps in torch.ops": "alias is_non_overlapping_and_dense",
    }
)

FUNCTIONS = _table(
    {
        "done: core": """
    acos_ acosh_ adjoint alias_copy arange as_strided as_strided_ as_strided_copy as_tensor asarray asin_ asinh_
    atan_ atanh_ atleast_1d atleast_2d atleast_3d bernoulli bfloat16 BFloat16Storage BFloat16Tensor bool BoolStorage
    BoolTensor broadcast_shapes broadcast_tensors broadcast_to ByteStorage ByteTensor cdouble cfloat chalf
    channels_last channels_last_3d CharStorage CharTensor chunk clone complex complex128 complex32 complex64
    ComplexDoubleStorage ComplexFloatStorage conj conj_physical_ contiguous_format cos_ cosh_ default_generator
    detach detach_ detach_copy device diagonal diagonal_copy double DoubleStorage DoubleTensor dsplit dtype e empty
    empty_like empty_permuted empty_strided exp2_ exp_ expand_copy expm1_ eye fill_ finfo flatten float float16
    float32 float64 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu FloatStorage
    FloatTensor from_numpy frombuffer full full_like Generator get_default_dtype get_device get_rng_state half
    HalfStorage HalfTensor hsplit iinfo imag inf initial_seed int int16 int32 int64 int8 IntStorage IntTensor
    is_complex is_conj is_floating_point is_inference is_neg is_nonzero is_same_size is_signed is_storage is_tensor
    layout linspace log10_ log1p_ log2_ log_ logspace long LongStorage LongTensor manual_seed memory_format moveaxis
    movedim nan narrow narrow_copy newaxis normal numel ones ones_like permute permute_copy pi polar preserve_format
    rand rand_like randint randint_like randn randn_like randperm ravel real reshape resize_as_ resolve_conj
    resolve_neg scalar_tensor seed select select_copy set_default_dtype set_printoptions set_rng_state short
    ShortStorage ShortTensor sin_ sinh_ Size slice_copy sparse_coo split split_copy split_with_sizes
    split_with_sizes_copy sqrt_ squeeze squeeze_copy Storage strided swapaxes swapdims t t_copy tan_ tanh_ Tensor
    tensor tensor_split transpose transpose_copy TypedStorage uint16 uint32 uint64 uint8 unbind unbind_copy
    unflatten unfold_copy unsafe_chunk unsafe_split unsafe_split_with_sizes unsqueeze unsqueeze_copy UntypedStorage
    view_as_complex view_as_complex_copy view_as_real view_as_real_copy view_copy vsplit zero_ zeros zeros_like
    """,
        "done: copies": "get_num_threads set_num_threads",
        "done: gather": """
    argwhere as_strided_scatter diagonal_scatter gather index_add index_copy index_fill index_put index_put_
    index_reduce index_select masked_fill masked_scatter masked_select nonzero nonzero_static put scatter
    scatter_add scatter_reduce select_scatter slice_scatter take take_along_dim unravel_index where
    """,
        "done: math": """
    abs abs_ absolute acos acosh add addbmm addcdiv addcmul addmm addmv addr all allclose amax amin aminmax angle
    any arccos arccos_ arccosh arccosh_ arcsin arcsin_ arcsinh arcsinh_ arctan arctan2 arctan_ arctanh arctanh_
    argmax argmin argsort asin asinh atan atan2 atanh baddbmm bincount bitwise_and bitwise_left_shift bitwise_not
    bitwise_or bitwise_right_shift bitwise_xor block_diag bmm bucketize can_cast cartesian_prod cat ceil ceil_
    chain_matmul clamp clamp_ clamp_max clamp_max_ clamp_min clamp_min_ clip clip_ column_stack combinations concat
    concatenate conj_physical constant_pad_nd copysign corrcoef cos cosh count_nonzero cov cross cummax cummin
    cumprod cumsum deg2rad deg2rad_ diag diag_embed diagflat diff dist div divide dot dstack einsum eq equal erf
    erf_ erfc erfc_ exp exp2 expm1 fill fix fix_ flip fliplr flipud float_power floor floor_ floor_divide fmax fmin
    fmod frac frac_ frexp gcd gcd_ ge ger greater greater_equal gt heaviside histc histogram hstack hypot inner
    isclose isfinite isin isinf isnan isneginf isposinf isreal kron kthvalue lcm lcm_ ldexp ldexp_ le lerp less
    less_equal lgamma log log10 log1p log2 log_softmax logaddexp logaddexp2 logcumsumexp logical_and logical_not
    logical_or logical_xor logit logit_ logsumexp lt matmul max maximum mean median meshgrid min minimum mm mode
    msort mul multiply mv nan_to_num nan_to_num_ nanmean nanmedian nanquantile nansum ne neg neg_ negative negative_
    nextafter norm not_equal outer positive pow prod promote_types quantile rad2deg rad2deg_ reciprocal reciprocal_
    relu relu_ remainder renorm repeat_interleave result_type roll rot90 round round_ row_stack rsqrt rsqrt_ rsub
    searchsorted sgn sigmoid sigmoid_ sign signbit sin sinc sinc_ sinh softmax sort sparse_coo_tensor sqrt square
    square_ stack std std_mean sub subtract sum tan tanh tensordot tile topk trace tril tril_indices triu
    triu_indices true_divide trunc trunc_ unique unique_consecutive var var_mean vdot vstack xlogy xlogy_
    """,
        "done: files": "from_dlpack from_file load save to_dlpack",
        "excluded: draws by weight, which numpy.random has": "multinomial",
        "excluded: deprecated in torch": "range",
        "own: one copy of any array, buffer or tensor, at the speed of memory": "copy",
        "own: the engine's settings and memory": "empty_cache memory_stats show_config",
        "own: printing, which torch keeps in torch._tensor_str": "get_printoptions printoptions",
        "own: do two tensors share an element": "shares_memory",
        "own: where the headers for Cython and C are": "get_include",
        "own: alias and layout questions that torch keeps in torch.ops": "alias is_non_overlapping_and_dense",
    }
)
