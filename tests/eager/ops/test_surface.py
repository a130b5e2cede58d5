"""Every name of PyTorch's surface that programs may use exists, and is callable where it is so."""

import pytest

import srcgrad.eager as torch

FUNCTIONS = """
abs absolute acos acosh add addcdiv addcmul addmm addmv addr allclose amax amin aminmax arange
argmax argsort argwhere as_strided as_tensor asarray asin asinh atan atan2 atanh atleast_1d
atleast_2d atleast_3d baddbmm bernoulli bincount bitwise_and bitwise_or bitwise_xor block_diag bmm
broadcast_shapes broadcast_tensors broadcast_to bucketize can_cast cartesian_prod cat cdist ceil
cholesky_solve clamp clamp_min clip column_stack combinations complex concat copysign corrcoef cos
cosh cosine_similarity count_nonzero cov cross cummax cumprod cumsum cumulative_trapezoid deg2rad
det diag diag_embed diagonal diff digamma dist div dot dstack einsum empty empty_like enable_grad
eq equal erf erfc erfinv exp exp2 expm1 eye fix flatten flip fliplr flipud float_power floor fmax
fmin fmod frac from_numpy full full_like gather ge get_default_dtype get_num_threads get_rng_state
gt hann_window heaviside histc hstack hypot i0 igamma igammac index_select inference_mode
initial_seed inner is_anomaly_enabled is_grad_enabled is_inference_mode_enabled is_tensor isclose
isfinite isin isinf isnan isneginf isposinf kron kthvalue ldexp le lerp lgamma linspace load log
log10 log1p log2 log_softmax logaddexp logaddexp2 logcumsumexp logdet logical_and logical_or
logical_xor logit logspace logsumexp lt manual_seed matmul max maximum mean meshgrid min minimum
mm mode movedim msort mul multinomial mvlgamma nan_to_num nanmean nanmedian nansum ne neg negative
nextafter no_grad nonzero norm normal numel ones ones_like outer polar polygamma positive pow prod
promote_types quantile rad2deg rand rand_like randint randn randn_like randperm reciprocal relu
relu_ remainder renorm repeat_interleave result_type roll rot90 round rsqrt save scalar_tensor
searchsorted select_scatter set_default_dtype set_grad_enabled set_printoptions set_rng_state sgn
sigmoid sign signbit sin sinc sinh slice_scatter softmax sort split sqrt square stack std std_mean
sub sum swapaxes take take_along_dim tan tanh tensor tensor_split tensordot tile topk trace
trapezoid tril tril_indices triu triu_indices true_divide trunc unique unique_consecutive vander
var var_mean view_as_complex view_as_real vmap vstack where xlogy zeros zeros_like Generator
FloatTensor LongTensor Size Tensor device finfo iinfo
""".split()
VALUES = """
__version__ bfloat16 bool complex128 complex64 double e float float16 float32 float64 inf int16
int32 int64 int8 long nan pi uint8
""".split()
METHODS = """
abs add add_ addcdiv addcmul addmm addmv addr all allclose amax aminmax angle any argmax argmin
argsort argwhere as_strided atan2 backward baddbmm bernoulli bfloat16 bincount bmm bool
broadcast_to cholesky cholesky_solve chunk clamp clamp_min clip clone conj contiguous copy_
copysign corrcoef cos count_nonzero cov cpu cross cuda cummax cummin cumprod cumsum data_ptr det
detach detach_ diag diag_embed diagonal diff dim dist div div_ dot double element_size eq equal erf
exp exp_ expand expand_as exponential_ fill_ flatten flip fliplr flipud float float_power floor
floor_divide fmod gather half heaviside histc hypot igamma igammac index index_add index_copy
index_fill index_put index_select indices inner int inverse is_complex is_contiguous
is_floating_point is_inference is_nonzero is_same_size isclose isfinite isinf isnan isneginf
isposinf item kron kthvalue ldexp lerp lgamma log log2 log_ log_softmax logcumsumexp logdet logit
logsumexp long lstsq masked_fill masked_fill_ masked_scatter masked_select matmul matrix_exp
matrix_power max maximum mean median min mm mode movedim msort mul_ multinomial mv mvlgamma
nan_to_num nanmean nanmedian nansum narrow ndimension neg nelement new_empty new_full new_ones
new_tensor new_zeros nextafter nonzero norm normal_ numel numpy outer permute polygamma pow prelu
prod put_ qr quantile ravel register_hook register_post_accumulate_grad_hook relu relu_ remainder
renorm repeat repeat_interleave requires_grad_ reshape resolve_conj resolve_neg retain_grad roll
rot90 round rsqrt scatter scatter_add scatter_reduce select select_scatter sgn short sigmoid sign
signbit sin sin_ sinc sinh size slice_scatter slogdet softmax solve sort split sqrt squeeze std
storage_offset stride sub sub_ sum svd swapaxes t t_ take take_along_dim tanh tensor_split tile to
tolist topk trace transpose tril triu true_divide type type_as unbind unflatten unfold uniform_
unique unique_consecutive unsqueeze values var view view_as where xlogy zero_
""".split()
ATTRIBUTES = """
T _base _version data device dtype grad grad_fn imag is_cuda is_leaf itemsize layout mT name nbytes
ndim output_nr real requires_grad retains_grad shape
""".split()
NAMESPACES = {
    "linalg": """cholesky cond cross det eigh eigvalsh inv lstsq matrix_exp matrix_norm
        matrix_power matrix_rank multi_dot norm pinv qr slogdet solve solve_triangular svd svdvals
        tensorsolve vector_norm""".split(),
    "special": """bessel_j0 bessel_j1 entr erf erfcx exp2 expit expm1 gammaln i0e i1 i1e log1p
        log_ndtr logit ndtr ndtri polygamma psi sinc xlog1py zeta""".split(),
    "fft": "fft fft2 fftfreq fftshift ifft irfft rfft rfftfreq".split(),
    "random": "fork_rng get_rng_state initial_seed manual_seed set_rng_state".split(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_of_torch(name):
    assert callable(getattr(torch, name))


@pytest.mark.parametrize("name", VALUES)
def test_value_of_torch(name):
    assert hasattr(torch, name)


@pytest.mark.parametrize("name", METHODS)
def test_method_of_tensor(name):
    assert callable(getattr(torch.tensor([[1.0, 2.0]]), name))


@pytest.mark.parametrize("name", ATTRIBUTES)
def test_attribute_of_tensor(name):
    t = torch.tensor([[1 + 2j]]) if name == "imag" else torch.tensor([[1.0, 2.0]])
    getattr(t, name)


@pytest.mark.parametrize("place, name", [(p, n) for p, names in NAMESPACES.items() for n in names])
def test_function_of_namespace(place, name):
    assert callable(getattr(getattr(torch, place), name))
