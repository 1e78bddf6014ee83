// The table of shapes: what a schema does not tell about the arguments of an operator. One entry an
// operator, for every overload of the name or (name.overload) for one; long ones go on in lines
// that are indented. "*" begins another setting: the first row, or the last guess from the schema,
// with these arguments changed. "+" begins another row. A word is argument=…:
// clang-format off
//   b,c,n         a floating tensor, letters are sizes (plan.hpp), () a scalar tensor
//   f:15  z:n     a tensor whose shape is a number; a complex one
//   n@0..1        numbers in that range, ends included; n@-1/1: one of these
//   n@finite      neither infinities nor NaN
//   m,m@definite  symmetric, positive definite
//   i:b,n<c       integers in [0, c)
//   p:m<m         int32 in [1, m], as pivots are
//   m:b,n         a mask
//   l:[n,1]       these integers
//   t:b,n|b,n     a list of tensors
//   j:n<c         a list of indices
//   complex       all floating tensors complex
//   [n] 2 true    a value; letters in lists are sizes; "$dtype" is the dtype of the case
// clang-format on
// A weight is finite where there is padding: whether a zero of padding times NaN or infinity counts
// is said nowhere, and paths differ (oneDNN leaves those terms out). Products have an output of 16
// columns too, which int4 kernels ask for. mvlgamma is undefined below (p-1)/2. An entry outweighs
// the words in names that targets.cpp goes by.

#include <map>

#include "harness/text.hpp"
#include "sweep/plan.hpp"

namespace plumb {
namespace {

constexpr std::string_view kTable = R"(
_batch_norm_no_update input=b,c,n weight=c bias=c running_mean=c running_var=c@0.1..4 momentum=0.1
    eps=1e-5
_batch_norm_with_update_functional input=d,c,n weight=c bias=c running_mean=c running_var=c@0.1..4
    momentum=0.1 eps=1e-5
_compute_linear_combination input=m,n coefficients=r,m
_convolution input=b,c,n weight=o,c,1 bias=o stride=[1] padding=[0] dilation=[1] transposed=false
    output_padding=[0] groups=1 benchmark=false deterministic=false cudnn_enabled=false
    allow_tf32=false
_convolution_mode input=b,c,n weight=o,c,1 bias=o stride=[1] padding="same" dilation=[1] groups=1
_ctc_loss log_probs=n,b,c targets=i:b,1<c input_lengths=[n,n] target_lengths=[1,1]
_dirichlet_grad x=r,n@0.01..0.99 alpha=r,n@0.1..10 total=r,n@10..20
_embedding_bag weight=m,n indices=i:d<m offsets=l:[0,3] scale_grad_by_freq=false mode=2
_embedding_bag_forward_only weight=m,n indices=i:d<m offsets=l:[0,3] scale_grad_by_freq=false mode=2
_fake_quantize_learnable_per_channel_affine self=r,n scale=r@0.01..1 zero_point=r@0..3 axis=0
    quant_min=-128 quant_max=127
_fake_quantize_learnable_per_tensor_affine self=r,n scale=1@0.01..1 zero_point=1@0..3 quant_min=-128
    quant_max=127
_fft_c2c self=z:r,n dim=[1] normalization=0 forward=true * dim=[0,1] normalization=1 forward=false
_fft_c2r self=z:n,5 dim=[1] normalization=0 last_dim_size=8 * dim=[1] last_dim_size=9
    normalization=1
_fft_r2c self=n dim=[0] normalization=0 onesided=true
_fused_rms_norm input=r,n normalized_shape=[n] weight=n eps=1e-5
_grid_sampler_2d_cpu_fallback input=b,c,h,w grid=b,n,m,2 interpolation_mode=0 padding_mode=0
    align_corners=false
_histogramdd_bin_edges self=n,2 bins=[3,4]
_histogramdd_from_bin_cts self=n,2 bins=[3,4]
_index_put_impl self=r,n indices=j:m<r values=m,n * accumulate=true
_is_all_true self=m:r,n
_is_any_true self=m:r,n
_linalg_det A=m,m@definite
_linalg_slogdet A=m,m@definite
_linalg_solve_ex A=m,m@definite B=m,n
_log_softmax * dim=0
_lu_with_info self=m,m@definite
_native_batch_norm_legit_functional input=d,c,n weight=c bias=c running_mean=c running_var=c@0.1..4
    training=true momentum=0.1 eps=1e-5
_native_batch_norm_legit_no_training input=b,c,n weight=c bias=c running_mean=c running_var=c@0.1..4
    momentum=0.1 eps=1e-5
_native_multi_head_attention query=b,n,d key=b,n,d value=b,n,d embed_dim=8 num_head=2
    qkv_weight=24,d qkv_bias=f:24 proj_weight=d,d proj_bias=d need_weights=false
_pack_padded_sequence input=n,2,c lengths=l:[n,1] batch_first=false
_slow_conv2d_forward self=b,c,h,n weight=o,c,3,1 kernel_size=[3,1] bias=o stride=[1,1] padding=[0,0]
_softmax * dim=0
_to_copy self=n dtype="float16" * self=r,n dtype="bfloat16" * self=r,n@-464..464
    dtype="float8_e4m3fn" * dtype="float8_e5m2" * dtype="float8_e4m3fnuz" * dtype="float8_e5m2fnuz"
    * dtype="float32" * dtype="float64" * self=r,n@-100..100 dtype="int32" * self=r,n@-100..100
    dtype="int8"
_transformer_encoder_layer_fwd src=b,n,d embed_dim=8 num_heads=2 qkv_weight=24,d qkv_bias=f:24
    proj_weight=d,d proj_bias=d use_gelu=true norm_first=false eps=1e-5 norm_weight_1=d
    norm_bias_1=d norm_weight_2=d norm_bias_2=d ffn_weight_1=h,d ffn_bias_1=h ffn_weight_2=d,h
    ffn_bias_2=d
_trilinear i1=r,n i2=r,n i3=r,n expand1=[] expand2=[] expand3=[] sumdim=[1]
_unsafe_index self=r,n indices=j:m<r
_unsafe_index_put self=r,n indices=j:m<r values=m,n * accumulate=true
_unsafe_masked_index self=n mask=m:m indices=j:m<n fill=0
_unsafe_masked_index_put_accumulate self=n mask=m:m indices=j:m<n values=m
_unsafe_view self=r,n size=[n,3]
_weight_norm v=r,n g=r,1
_weight_norm_interface v=r,n g=r,1
abs * complex
acos * complex
acosh * complex
adaptive_avg_pool1d self=b,c,n output_size=[1]
adaptive_avg_pool2d self=b,c,h,n output_size=[2,1]
adaptive_max_pool1d self=b,c,n output_size=[1]
adaptive_max_pool2d self=b,c,h,n output_size=[2,1]
add.Tensor * alpha=0.1 * complex
addbmm self=r,m batch1=b,r,n batch2=b,n,m
addcdiv self=r,n tensor1=r,n tensor2=r,n * value=0.1 * complex
addcmul self=r,n tensor1=r,n tensor2=r,n * value=0.1 * complex
addmm self=r,m mat1=r,n mat2=n,m * self=r,16 mat2=n,16 * beta=0.3 alpha=2 * beta=0 * complex
addmv self=r mat=r,n vec=n * beta=0.3 alpha=2
addr self=r,n vec1=r vec2=n * beta=0.3 alpha=2
affine_grid_generator theta=b,2,3 size=[2,4,n,7] align_corners=false
amax * dim=[0,1] keepdim=true
amin * dim=[0,1] keepdim=true
angle * complex
arange end=7.7 dtype="$dtype" * end=300
arange.start_step start=0.1 end=30 step=0.1 dtype="$dtype"
as_strided_scatter self=r,n src=r size=[r] stride=[n]
asin * complex
asinh * complex
atan * complex
atanh * complex
avg_pool1d self=b,c,n kernel_size=[1] * kernel_size=[3] padding=[1] * kernel_size=[3] padding=[1]
    stride=[2] ceil_mode=true count_include_pad=false
avg_pool2d self=b,c,h,n kernel_size=[2,1] * kernel_size=[3,3] padding=[1,1] divisor_override=7
avg_pool3d self=b,c,r,h,n kernel_size=[2,2,1]
baddbmm self=b,r,m batch1=b,r,n batch2=b,n,m * beta=0.3 alpha=2 * beta=0
bartlett_window window_length=33 dtype="$dtype"
batch_norm input=d,c,n weight=c bias=c running_mean=null running_var=null training=true momentum=0.1
    eps=1e-5 cudnn_enabled=false * training=false running_mean=c running_var=c@0.1..4 * eps=1e-12
bilinear input1=r,n input2=r,m weight=o,n,m bias=o
binary_cross_entropy self=r,n@0..1 target=r,n@0..1 * reduction=0 weight=r,n
binary_cross_entropy_with_logits self=r,n target=r,n@0..1 * reduction=0 pos_weight=n
blackman_window window_length=33 dtype="$dtype"
bmm self=b,r,n mat2=b,n,m * complex
bucketize self=r,n boundaries=m
cdist x1=r,n x2=m,n * p=1 * p=0 * p="inf" * p=3 * compute_mode=1 * compute_mode=2 * x1=30,n x2=30,n
celu * alpha=0.1 * alpha=10
channel_shuffle self=b,c,h,n groups=2
cholesky self=m,m@definite
cholesky_inverse self=m,m@definite
cholesky_solve self=m,n input2=m,m@definite
clamp self=r,n min=-1 max=1 + self=r,n min=r,n max=r,n * max=null
clip self=r,n min=-1 max=1 + self=r,n min=r,n max=r,n
col2im self=b,8,9 output_size=[4,4] kernel_size=[2,2] dilation=[1,1] padding=[0,0] stride=[1,1]
conv1d input=b,c,n weight=o,c,1 bias=o * weight=o,c,3@finite padding=[1] * weight=o,2,1 input=b,c,n
    groups=2 weight=2,2,1 bias=null
conv2d input=b,c,h,n weight=o,c,3,1 bias=o * weight=o,c,3,3@finite padding=[1,1]
    * weight=4,1,3,3@finite padding=[1,1] groups=4 bias=c * weight=o,c,2,3@finite padding=[2,2] dilation=[2,2] stride=[2,1]
conv3d input=b,c,r,h,n weight=o,c,2,2,1 bias=o * weight=o,c,2,2,3@finite padding=[1,1,1]
conv_tbc self=n,b,c weight=1,c,o bias=o
conv_transpose1d input=b,c,n weight=c,o,2 bias=o * stride=[2] * input=b,c,n@finite
    weight=c,o,2@finite padding=[1]
conv_transpose2d input=b,c,h,n weight=c,o,2,2 bias=o * stride=[2,2] output_padding=[1,1]
conv_transpose3d input=b,c,r,h,n weight=c,o,2,2,2 bias=o
convolution input=b,c,n weight=o,c,1 bias=o stride=[1] padding=[0] dilation=[1] transposed=false
    output_padding=[0] groups=1
cos * complex
cosh * complex * complex
cosine_embedding_loss input1=r,n input2=r,n target=r@-1/1 * margin=0.3 reduction=0
cov * correction=0
cross self=n,3 other=n,3 dim=1 * complex
cross_entropy_loss self=r,n target=i:r<n * label_smoothing=0.1 * weight=n@0..2 * reduction=0
    * target=r,n@0..1
ctc_loss log_probs=n,b,c targets=i:b,1<c input_lengths=[n,n] target_lengths=[1,1]
cummax * dim=0
cumprod * dim=0 * complex
cumsum * dim=0 * complex
diag_embed self=r,n
diagonal_scatter self=n,n src=n
diff * n=2 * dim=0
dist * p=1 * p=0 * p="inf" * p=3
div.Scalar_mode * rounding_mode="trunc" other=0.1
div.Tensor * complex
div.Tensor_mode * rounding_mode="trunc" * rounding_mode=null
dot * complex
einsum equation="ij,jk->ik" tensors=t:r,n|n,m
elu * alpha=2 * alpha=0.5 scale=3 input_scale=0.1
embedding weight=m,n indices=i:r<m * padding_idx=0 scale_grad_by_freq=true
embedding_bag weight=m,n indices=i:d<m offsets=l:[0,3] mode=2 * mode=0 * mode=1
exp * complex
exp2 * complex
expm1 * complex
fake_quantize_per_channel_affine self=r,n scale=r@0.01..1 zero_point=i:r<m axis=0 quant_min=-128
    quant_max=127
fake_quantize_per_channel_affine_cachemask self=r,n scale=r@0.01..1 zero_point=i:r<m axis=0
    quant_min=-128 quant_max=127
fake_quantize_per_tensor_affine self=r,n scale=0.1 zero_point=3 quant_min=-128 quant_max=127
    * scale=0.013 zero_point=0 quant_min=0 quant_max=255
fake_quantize_per_tensor_affine_cachemask self=r,n scale=0.1 zero_point=3 quant_min=-128
    quant_max=127
fft_fft * norm="ortho" dim=0 * n=12 * complex
fft_fftfreq n=33 d=0.1 dtype="$dtype"
fft_ifft * norm="forward" * complex
fft_irfft * n=12
fft_rfft * norm="ortho" * n=12
fft_rfftfreq n=33 d=0.1 dtype="$dtype"
float_power.Tensor_Scalar * exponent=0.5 * exponent=-2 * complex
fmod.Scalar * other=3 * other=0.1
fold self=b,8,9 output_size=[4,4] kernel_size=[2,2] dilation=[1,1] padding=[0,0] stride=[1,1]
fractional_max_pool2d self=b,c,h,n kernel_size=[2,1] output_size=[3,1] random_samples=b,c,2@0..0.99
fractional_max_pool3d self=b,c,h,h,n kernel_size=[2,2,1] output_size=[3,2,1]
    random_samples=b,c,3@0..0.99
frobenius_norm * complex
gather self=r,n dim=1 index=i:r,m<n
gaussian_nll_loss input=r,n target=r,n var=r,n@1e-4..4 * full=true reduction=0
gelu * approximate="tanh"
ger self=r vec2=n
glu self=n,8
glu_jvp glu=n,c x=n,d dx=n,d dim=1
grid_sampler input=b,c,h,w grid=b,n,m,2 interpolation_mode=0 padding_mode=0 align_corners=false
    * interpolation_mode=1 * interpolation_mode=2 padding_mode=2 * padding_mode=1 align_corners=true
grid_sampler_2d input=b,c,h,w grid=b,n,m,2 interpolation_mode=0 padding_mode=0 align_corners=false
    * interpolation_mode=1 * interpolation_mode=2 padding_mode=2 * padding_mode=1 align_corners=true
grid_sampler_3d input=b,c,r,h,w grid=b,n,2,2,3 interpolation_mode=0 padding_mode=0
    align_corners=false * interpolation_mode=1 * padding_mode=2 align_corners=true
group_norm input=b,c,n num_groups=2 weight=c bias=c * weight=null bias=null eps=1e-12
gru_cell input=r,n hx=r,m w_ih=15,n w_hh=15,m b_ih=f:15 b_hh=f:15
hamming_window window_length=33 dtype="$dtype"
hann_window window_length=33 dtype="$dtype"
hardtanh * min_val=-0.3 max_val=0.7
hinge_embedding_loss self=r,n target=r,n@-1/1 * margin=0.3 reduction=0
histc * bins=10 min=-3 max=3
huber_loss * delta=0.1 reduction=0 * delta=10
im2col self=b,c,h,n kernel_size=[2,1] dilation=[1,1] padding=[0,0] stride=[1,1]
index self=r,n indices=j:m<r
index_add self=r,n dim=0 index=i:m<r source=m,n * alpha=0.3
index_copy self=r,n dim=1 index=i:1<n source=r,1
index_put self=r,n indices=j:m<r values=m,n * accumulate=true
index_reduce self=r,n dim=0 index=i:m<r source=m,n reduce="prod" * reduce="mean" * reduce="amax"
    * reduce="amin" include_self=false
index_select self=r,n dim=1 index=i:m<n
inner self=r,n other=m,n
instance_norm input=b,c,n weight=c bias=c running_mean=null running_var=null use_input_stats=true
    momentum=0.1 eps=1e-5 cudnn_enabled=false
istft self=z:9,n n_fft=16
kaiser_window window_length=33 dtype="$dtype"
kaiser_window.beta window_length=33 periodic=false beta=30 dtype="$dtype"
kl_div self=r,n target=r,n@0..1 * log_target=true target=r,n * reduction=0 * reduction=2
kron self=r,n other=b,m * complex
l1_loss * reduction=0
layer_norm input=r,n normalized_shape=[n] weight=n bias=n * eps=0 * weight=null bias=null eps=1e-12
leaky_relu * negative_slope=-0.3
lerp self=r,n end=r,n weight=r,n
lerp.Scalar * weight=0.9 * weight=1e-3
lerp.Tensor * complex
linalg_cholesky self=m,m@definite
linalg_cholesky_ex self=m,m@definite
linalg_cond self=m,m@definite
linalg_cross self=n,3 other=n,3
linalg_det * complex
linalg_householder_product input=d,m tau=m
linalg_inv * complex
linalg_inv_ex A=m,m@definite
linalg_ldl_factor self=m,m@definite
linalg_ldl_factor_ex self=m,m@definite
linalg_ldl_solve LD=m,m@definite pivots=p:m<m B=m,n
linalg_lstsq self=d,m b=d,r rcond=1e-3
linalg_lu A=m,m@definite
linalg_lu_factor A=m,m@definite
linalg_lu_factor_ex A=m,m@definite
linalg_lu_solve LU=m,m@definite pivots=p:m<m B=m,n
linalg_matrix_norm * ord=1 * ord="inf" * ord="-inf"
linalg_matrix_power * n=3 * n=-1
linalg_matrix_rank self=r,n tol=0.01 + self=r,n rtol=0.01 + input=r,n rtol=()@0.01..0.02
linalg_norm * ord=1 * ord="inf" * ord="-inf" * ord=-1
linalg_pinv self=r,n rcond=1e-3 + self=r,n rtol=1e-3 + self=r,n rtol=()@0.01..0.02
linalg_slogdet A=m,m@definite
linalg_solve A=m,m B=m,n * complex
linalg_solve_ex A=m,m B=m,n
linalg_tensorinv self=h,3,2 ind=1
linalg_vander x=n
linalg_vector_norm * ord=1 * ord=0 * ord="inf" * ord="-inf" * ord=3 * ord=0.5 dim=[0] keepdim=true
    * ord=-1 * complex
linear input=r,n weight=m,n bias=m * weight=16,n bias=null
linspace start=-1 end=0.7 steps=33 dtype="$dtype" * start=0 end=8198 steps=4100 * start=-3e38
    end=3e38 steps=7 * start=1 end=1.0001 steps=100
log * complex
log10 * complex
log1p * complex
log2 * complex
log_sigmoid * complex
log_softmax.int * dim=0
logcumsumexp * dim=0 * complex
logdet self=m,m@definite
logit * eps=1e-3 * eps=1e-8
logspace start=-1 end=0.7 steps=33 dtype="$dtype" * start=-37 end=37 steps=65 * base=2
logsumexp * dim=[0,1] keepdim=true * dim=[0] * complex
lstm_cell input=r,n hx=t:r,m|r,m w_ih=20,n w_hh=20,m b_ih=f:20 b_hh=f:20
lu_solve self=m,n LU_data=m,m@definite LU_pivots=p:m<m
lu_unpack LU_data=m,m LU_pivots=p:m<m
margin_ranking_loss input1=n input2=n target=n@-1/1 * margin=0.3 reduction=0
matmul self=r,n other=n,m * other=n,16 * complex
matrix_power * n=3 * n=-1
max_pool1d self=b,c,n kernel_size=[1]
max_pool1d_with_indices self=b,c,n kernel_size=[1]
max_pool2d self=b,c,h,n kernel_size=[2,1]
max_pool2d_with_indices self=b,c,h,n kernel_size=[2,1]
max_pool3d self=b,c,r,h,n kernel_size=[2,2,1]
mean * complex
mean.dim * dim=null * dim=[0] keepdim=true
mm self=r,n mat2=n,m * mat2=n,16 * complex
mse_loss * reduction=0 * reduction=2
mul.Tensor * complex
multi_margin_loss self=r,n target=i:r<n * p=2 * reduction=0
multilabel_margin_loss self=r,n target=i:r,n<n
multilabel_soft_margin_loss * reduction=0
mv self=r,n vec=n
mvlgamma self=r,n@0.01..100 p=1 * self=r,n@1.01..30 p=3 * self=r,n@2.02..9 p=5 * self=r,n@2.02..5e4
    p=5
nan_to_num self=r,n nan=2 posinf=7 neginf=-3
nanmean * dim=null * dim=[0]
nanquantile self=r,n q=m@0..1 dim=1
nanquantile.scalar * q=0.1 interpolation="lower" * q=0.9 interpolation="nearest"
nansum * dim=null * dim=[0] keepdim=true * complex
native_batch_norm input=d,c,n weight=c bias=c running_mean=null running_var=null training=true
    momentum=0.1 eps=1e-5 * training=false running_mean=c running_var=c@0.1..4
native_group_norm input=b,c,6 weight=c bias=c N=2 C=4 HxW=6 group=2 eps=1e-5
native_layer_norm input=r,n normalized_shape=[n] weight=n bias=n eps=1e-5 * eps=1e-12 weight=null
    bias=null
new_full self=n size=[n] fill_value=2
new_ones self=n size=[n]
new_zeros self=n size=[n]
nll_loss self=r,n target=i:r<n * weight=n@0..2 * reduction=0
nll_loss2d self=b,c,h,n target=i:b,h,n<c * weight=c@0..2
nll_loss2d_forward self=b,c,h,n target=i:b,h,n<c weight=null reduction=1 ignore_index=-100
nll_loss_forward self=r,n target=i:r<n weight=null reduction=1 ignore_index=-100
nll_loss_nd self=r,n target=i:r<n
norm.Scalar * p=1 * p="inf" * p=3 * complex
norm.ScalarOpt_dim * p=1 * p=0 * p="inf" * p="-inf" * p=0.5 * p=null
orgqr self=d,m input2=m
ormqr self=m,m input2=m input3=m,n
outer self=r vec2=n * complex
pairwise_distance x1=r,n x2=r,n * p=1 keepdim=true * p="inf" * p=0.5 * eps=0
pdist self=m,n * p=1 * p=0 * p="inf" * p=3
pixel_shuffle self=b,c,h,n upscale_factor=2
pixel_unshuffle self=b,c,h,8 downscale_factor=2
poisson_nll_loss self=r,n target=r,n@0..20 log_input=true full=false eps=1e-8 reduction=1
    * log_input=false full=true * full=true reduction=0 * input=r,n target=r,n@0..20
polygamma * n=0 * n=1 * n=2 * n=3
pow.Tensor_Scalar * exponent=0.5 * exponent=3 * exponent=-1 * exponent=-0.5 * exponent=2
    * exponent=1e-3 * exponent=-2 * complex
pow.Tensor_Tensor * complex
prelu self=b,c,n weight=c
prod * complex
prod.dim_int * dim=0 keepdim=true
quantile self=r,n q=m@0..1 dim=1
quantile.scalar * q=0.1 interpolation="lower" * q=0.9 interpolation="nearest" * q=0 dim=0 * q=1
    interpolation="midpoint"
range.step start=0.1 end=3 step=0.1 dtype="$dtype"
reciprocal * complex
reflection_pad1d self=c,d padding=[1,1]
remainder.Scalar * other=3 * other=0.1 * other=-7.5
renorm * p=1 * p="inf" maxnorm=0.1 * dim=0
replication_pad1d self=c,n padding=[1,1]
replication_pad2d self=c,h,n padding=[1,1,1,1]
rms_norm input=r,n normalized_shape=[n] weight=n eps=1e-5 * eps=null * weight=null eps=1e-8
rnn_relu_cell input=r,n hx=r,m w_ih=m,n w_hh=m,m b_ih=m b_hh=m
rnn_tanh_cell input=r,n hx=r,m w_ih=m,n w_hh=m,m b_ih=m b_hh=m
round.decimals * decimals=2 * decimals=-2 * decimals=7
rsqrt * complex
rsub.Tensor * alpha=0.3
scaled_dot_product_attention query=b,r,n,d key=b,r,n,d value=b,r,n,d * is_causal=true
    * attn_mask=m:r,r query=b,o,r,d key=b,o,r,d value=b,o,r,d * attn_mask=b,o,n,n query=b,o,n,d
    key=b,o,n,d value=b,o,n,d scale=0.1 * query=b,o,n,d key=b,o,n,d value=b,o,n,d
scatter_add self=r,n dim=1 index=i:r,m<n src=r,m
searchsorted sorted_sequence=m self=r,n
segment_reduce data=n,2 reduce="sum" lengths=l:[n] unsafe=true * reduce="mean" * reduce="prod"
    * reduce="max" * reduce="min"
select_scatter self=r,n src=r dim=1 index=0
sgn * complex
sigmoid * complex
silu * complex
sin * complex
sinc * complex
sinh * complex
slogdet self=m,m@definite
slow_conv_dilated2d self=b,c,h,n weight=o,c,3,1 kernel_size=[3,1]
slow_conv_dilated3d self=b,c,r,h,n weight=o,c,2,2,1 kernel_size=[2,2,1]
slow_conv_transpose2d self=b,c,h,n weight=c,o,2,2 kernel_size=[2,2]
slow_conv_transpose3d self=b,c,r,h,n weight=c,o,2,2,2 kernel_size=[2,2,2]
smooth_l1_loss * beta=0.1 reduction=0 * beta=0
soft_margin_loss self=r,n target=r,n@-1/1 * reduction=0
softmax.int * dim=0
softplus * beta=1e30 threshold=1e30 * beta=2 threshold=10 * beta=0.1
special_chebyshev_polynomial_t x=r,n n=r,n@0..8 + x=0.3 n=r,n@0..8
special_chebyshev_polynomial_t.n_scalar * n=5 * n=20
special_chebyshev_polynomial_u x=r,n n=r,n@0..8 + x=0.3 n=r,n@0..8
special_chebyshev_polynomial_u.n_scalar * n=5 * n=20
special_chebyshev_polynomial_v x=r,n n=r,n@0..8 + x=0.3 n=r,n@0..8
special_chebyshev_polynomial_v.n_scalar * n=5 * n=20
special_chebyshev_polynomial_w x=r,n n=r,n@0..8 + x=0.3 n=r,n@0..8
special_chebyshev_polynomial_w.n_scalar * n=5 * n=20
special_hermite_polynomial_h x=r,n n=r,n@0..8 + x=0.3 n=r,n@0..8
special_hermite_polynomial_h.n_scalar * n=5 * n=20
special_hermite_polynomial_he x=r,n n=r,n@0..8 + x=0.3 n=r,n@0..8
special_hermite_polynomial_he.n_scalar * n=5 * n=20
special_laguerre_polynomial_l x=r,n n=r,n@0..8 + x=0.3 n=r,n@0..8
special_laguerre_polynomial_l.n_scalar * n=5 * n=20
special_legendre_polynomial_p x=r,n n=r,n@0..8 + x=0.3 n=r,n@0..8
special_legendre_polynomial_p.n_scalar * n=5 * n=20
special_multigammaln self=r,n@0.01..100 p=1 * self=r,n@1.01..30 p=3 * self=r,n@2.02..5e4 p=5
special_shifted_chebyshev_polynomial_t x=r,n n=r,n@0..8 + x=0.3 n=r,n@0..8
special_shifted_chebyshev_polynomial_t.n_scalar * n=5
special_shifted_chebyshev_polynomial_u x=r,n n=r,n@0..8 + x=0.3 n=r,n@0..8
special_shifted_chebyshev_polynomial_u.n_scalar * n=5
special_shifted_chebyshev_polynomial_v x=r,n n=r,n@0..8 + x=0.3 n=r,n@0..8
special_shifted_chebyshev_polynomial_w x=r,n n=r,n@0..8 + x=0.3 n=r,n@0..8
special_sinc * complex
special_zeta.other_scalar * other=2
special_zeta.self_scalar * self=3
sqrt * complex
square * complex
std * unbiased=false
std.correction * correction=0 * correction=2 dim=[0] keepdim=true
std_mean.correction * correction=0 * dim=[0] keepdim=true
stft self=f:257 n_fft=16 normalized=false onesided=true return_complex=true * normalized=true
    n_fft=32
sub.Tensor * alpha=3 * complex
sum * complex
sum.dim_IntList * dim=null * dim=[0] keepdim=true
sum_to_size self=r,n size=[1,n]
take self=r,n index=i:m<n
take_along_dim self=r,n indices=i:r,m<n dim=1
tan * complex
tanh * complex
tensordot self=r,n other=n,m dims_self=[1] dims_other=[0]
thnn_conv2d self=b,c,h,n weight=o,c,3,1 kernel_size=[3,1]
threshold self=r,n threshold=0.1 value=20
tile self=r,n dims=[2,1]
trapezoid.x * dim=0
triangular_solve self=m,n A=m,m * upper=false transpose=true
triplet_margin_loss anchor=r,n positive=r,n negative=r,n * p=1 swap=true * eps=0
unflatten_dense_tensors flat=d tensors=t:c|c
unfold self=n dimension=0 size=1 step=1
unsafe_split_with_sizes self=n,3 split_sizes=[n]
upsample_bicubic2d self=b,c,h,n output_size=[9,9] align_corners=false * align_corners=true
    * output_size=[3,33]
upsample_bilinear2d self=b,c,h,n output_size=[9,9] align_corners=false * align_corners=true
    * output_size=[3,33]
upsample_linear1d self=b,c,n output_size=[9] align_corners=false * align_corners=true
    * output_size=[33]
upsample_nearest1d self=b,c,n output_size=[9] * output_size=[33]
upsample_nearest2d self=b,c,h,n output_size=[9,9] * output_size=[3,33]
var * unbiased=false
var.correction * correction=0 * correction=2 dim=[0] keepdim=true * complex
var_mean.correction * correction=0 * dim=[0] keepdim=true
vdot self=n other=n * complex
view_as_real * complex
where condition=m:r,n self=r,n other=r,n
)";

using Rows = std::map<std::string, std::vector<std::string>, std::less<>>;

/// The words after a name, cut where another row or setting begins.
void add_words(std::string_view text, std::vector<std::string>& rows) {
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    if (word == "*" || word == "+" || rows.empty()) rows.emplace_back();
    if (word == "+") continue;
    std::string& row = rows.back();
    row += (row.empty() ? "" : " ") + word;
  }
}

Rows parsed() {
  Rows all;
  std::vector<std::string>* rows = nullptr;
  for (const std::string& line : split(kTable, '\n')) {
    if (line.empty()) continue;
    const std::size_t space = line.find(' ');
    if (space != 0) rows = &all["aten::" + line.substr(0, space)];
    if (rows != nullptr && space != std::string::npos) {
      add_words(std::string_view(line).substr(space), *rows);
    }
  }
  return all;
}

}  // namespace

std::vector<std::string_view> rows_of_shapes(std::string_view name) {
  static const Rows all = parsed();
  const auto found = all.find(name);
  if (found == all.end()) return {};
  return {found->second.begin(), found->second.end()};
}

}  // namespace plumb
