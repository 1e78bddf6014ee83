// The table of shapes: what a schema does not tell about the arguments of an operator. One line an
// operator; every overload of the name uses it. A word is argument=…:
//   b,c,n        a floating tensor, letters are sizes (plan.hpp), () a scalar tensor
//   i:b,n<c      integers in [0, c)      m:b,n  a mask      t:b,n|b,n  a list of tensors
//   [n] 2 true   a value; letters in lists are sizes

#include <algorithm>
#include <array>

#include "sweep/plan.hpp"

namespace plumb {
namespace {

struct Row {
  std::string_view name;
  std::string_view shapes;
};

constexpr std::array kRows = {
    Row{"aten::adaptive_avg_pool1d", "self=b,c,n output_size=[1]"},
    Row{"aten::adaptive_avg_pool2d", "self=b,c,h,n output_size=[2,1]"},
    Row{"aten::adaptive_max_pool1d", "self=b,c,n output_size=[1]"},
    Row{"aten::adaptive_max_pool2d", "self=b,c,h,n output_size=[2,1]"},
    Row{"aten::addbmm", "self=r,m batch1=b,r,n batch2=b,n,m"},
    Row{"aten::addcdiv", "self=r,n tensor1=r,n tensor2=r,n"},
    Row{"aten::addcmul", "self=r,n tensor1=r,n tensor2=r,n"},
    Row{"aten::addmm", "self=r,m mat1=r,n mat2=n,m"},
    Row{"aten::addmv", "self=r mat=r,n vec=n"},
    Row{"aten::addr", "self=r,n vec1=r vec2=n"},
    Row{"aten::avg_pool1d", "self=b,c,n kernel_size=[1]"},
    Row{"aten::avg_pool2d", "self=b,c,h,n kernel_size=[2,1]"},
    Row{"aten::avg_pool3d", "self=b,c,r,h,n kernel_size=[2,2,1]"},
    Row{"aten::baddbmm", "self=b,r,m batch1=b,r,n batch2=b,n,m"},
    Row{"aten::batch_norm",
        "input=d,c,n weight=c bias=c running_mean=null running_var=null training=true momentum=0.1 "
        "eps=1e-5 cudnn_enabled=false"},
    Row{"aten::bilinear", "input1=r,n input2=r,m weight=o,n,m bias=o"},
    Row{"aten::binary_cross_entropy_with_logits", "self=r,n target=r,n"},
    Row{"aten::bmm", "self=b,r,n mat2=b,n,m"},
    Row{"aten::bucketize", "self=r,n boundaries=m"},
    Row{"aten::cdist", "x1=r,n x2=m,n"},
    Row{"aten::channel_shuffle", "self=b,c,h,n groups=2"},
    Row{"aten::conv1d", "input=b,c,n weight=o,c,1 bias=o"},
    Row{"aten::conv2d", "input=b,c,h,n weight=o,c,3,1 bias=o"},
    Row{"aten::conv3d", "input=b,c,r,h,n weight=o,c,2,2,1 bias=o"},
    Row{"aten::conv_transpose1d", "input=b,c,n weight=c,o,2 bias=o"},
    Row{"aten::conv_transpose2d", "input=b,c,h,n weight=c,o,2,2 bias=o"},
    Row{"aten::convolution",
        "input=b,c,n weight=o,c,1 bias=o stride=[1] padding=[0] dilation=[1] transposed=false "
        "output_padding=[0] groups=1"},
    Row{"aten::cosine_embedding_loss", "input1=r,n input2=r,n target=r"},
    Row{"aten::cross", "self=n,3 other=n,3 dim=1"},
    Row{"aten::linalg_cross", "self=n,3 other=n,3"},
    Row{"aten::cross_entropy_loss", "self=r,n target=i:r<n"},
    Row{"aten::diag_embed", "self=r,n"},
    Row{"aten::embedding", "weight=m,n indices=i:r<m"},
    Row{"aten::embedding_bag", "weight=m,n indices=i:d<m offsets=i:1<1"},
    Row{"aten::fold",
        "self=b,8,9 output_size=[4,4] kernel_size=[2,2] dilation=[1,1] padding=[0,0] "
        "stride=[1,1]"},
    Row{"aten::gather", "self=r,n dim=1 index=i:r,m<n"},
    Row{"aten::gaussian_nll_loss", "input=r,n target=r,n var=r,n"},
    Row{"aten::glu", "self=n,8"},
    Row{"aten::grid_sampler",
        "input=b,c,h,w grid=b,n,m,2 interpolation_mode=0 padding_mode=0 "
        "align_corners=false"},
    Row{"aten::grid_sampler_2d",
        "input=b,c,h,w grid=b,n,m,2 interpolation_mode=0 padding_mode=0 "
        "align_corners=false"},
    Row{"aten::group_norm", "input=b,c,n num_groups=2 weight=c bias=c"},
    Row{"aten::native_group_norm", "input=b,c,6 weight=c bias=c N=2 C=4 HxW=6 group=2 eps=1e-5"},
    Row{"aten::gru_cell", "input=r,n hx=r,m w_ih=15,n w_hh=15,m b_ih=f:15 b_hh=f:15"},
    Row{"aten::hinge_embedding_loss", "self=r,n target=r,n"},
    Row{"aten::im2col", "self=b,c,h,n kernel_size=[2,1] dilation=[1,1] padding=[0,0] stride=[1,1]"},
    Row{"aten::index_add", "self=r,n dim=0 index=i:m<r source=m,n"},
    Row{"aten::index_reduce", "self=r,n dim=0 index=i:m<r source=m,n reduce=\"prod\""},
    Row{"aten::index_select", "self=r,n dim=1 index=i:m<n"},
    Row{"aten::inner", "self=r,n other=m,n"},
    Row{"aten::instance_norm",
        "input=b,c,n weight=c bias=c running_mean=null running_var=null use_input_stats=true "
        "momentum=0.1 eps=1e-5 cudnn_enabled=false"},
    Row{"aten::kron", "self=r,n other=b,m"},
    Row{"aten::layer_norm", "input=r,n normalized_shape=[n] weight=n bias=n"},
    Row{"aten::native_layer_norm", "input=r,n normalized_shape=[n] weight=n bias=n eps=1e-5"},
    Row{"aten::lerp", "self=r,n end=r,n weight=r,n"},
    Row{"aten::linalg_lstsq", "self=d,m b=d,r"},
    Row{"aten::linalg_solve", "A=m,m B=m,n"},
    Row{"aten::linalg_solve_ex", "A=m,m B=m,n"},
    Row{"aten::linalg_vander", "x=n"},
    Row{"aten::linear", "input=r,n weight=m,n bias=m"},
    Row{"aten::lstm_cell", "input=r,n hx=t:r,m|r,m w_ih=20,n w_hh=20,m b_ih=f:20 b_hh=f:20"},
    Row{"aten::margin_ranking_loss", "input1=n input2=n target=n"},
    Row{"aten::matmul", "self=r,n other=n,m"},
    Row{"aten::max_pool1d", "self=b,c,n kernel_size=[1]"},
    Row{"aten::max_pool2d", "self=b,c,h,n kernel_size=[2,1]"},
    Row{"aten::max_pool3d", "self=b,c,r,h,n kernel_size=[2,2,1]"},
    Row{"aten::max_pool1d_with_indices", "self=b,c,n kernel_size=[1]"},
    Row{"aten::max_pool2d_with_indices", "self=b,c,h,n kernel_size=[2,1]"},
    Row{"aten::mm", "self=r,n mat2=n,m"},
    Row{"aten::multi_margin_loss", "self=r,n target=i:r<n"},
    Row{"aten::multilabel_margin_loss", "self=r,n target=i:r,n<n"},
    Row{"aten::mv", "self=r,n vec=n"},
    Row{"aten::nll_loss", "self=r,n target=i:r<n"},
    Row{"aten::nll_loss_nd", "self=r,n target=i:r<n"},
    Row{"aten::outer", "self=r vec2=n"},
    Row{"aten::ger", "self=r vec2=n"},
    Row{"aten::pairwise_distance", "x1=r,n x2=r,n"},
    Row{"aten::pdist", "self=m,n"},
    Row{"aten::pixel_shuffle", "self=b,c,h,n upscale_factor=2"},
    Row{"aten::pixel_unshuffle", "self=b,c,h,8 downscale_factor=2"},
    Row{"aten::prelu", "self=b,c,n weight=c"},
    Row{"aten::reflection_pad1d", "self=c,d padding=[1,1]"},
    Row{"aten::replication_pad1d", "self=c,n padding=[1,1]"},
    Row{"aten::replication_pad2d", "self=c,h,n padding=[1,1,1,1]"},
    Row{"aten::rms_norm", "input=r,n normalized_shape=[n] weight=n eps=1e-5"},
    Row{"aten::rnn_relu_cell", "input=r,n hx=r,m w_ih=m,n w_hh=m,m b_ih=m b_hh=m"},
    Row{"aten::rnn_tanh_cell", "input=r,n hx=r,m w_ih=m,n w_hh=m,m b_ih=m b_hh=m"},
    Row{"aten::scaled_dot_product_attention", "query=b,r,n,d key=b,r,n,d value=b,r,n,d"},
    Row{"aten::scatter_add", "self=r,n dim=1 index=i:r,m<n src=r,m"},
    Row{"aten::searchsorted", "sorted_sequence=m self=r,n"},
    Row{"aten::soft_margin_loss", "self=r,n target=r,n"},
    Row{"aten::take", "self=r,n index=i:m<n"},
    Row{"aten::take_along_dim", "self=r,n indices=i:r,m<n dim=1"},
    Row{"aten::tensordot", "self=r,n other=n,m dims_self=[1] dims_other=[0]"},
    Row{"aten::triangular_solve", "self=m,n A=m,m"},
    Row{"aten::triplet_margin_loss", "anchor=r,n positive=r,n negative=r,n"},
    Row{"aten::unfold", "self=n dimension=0 size=1 step=1"},
    Row{"aten::upsample_bicubic2d", "self=b,c,h,n output_size=[9,9] align_corners=false"},
    Row{"aten::upsample_bilinear2d", "self=b,c,h,n output_size=[9,9] align_corners=false"},
    Row{"aten::upsample_linear1d", "self=b,c,n output_size=[9] align_corners=false"},
    Row{"aten::upsample_nearest1d", "self=b,c,n output_size=[9]"},
    Row{"aten::upsample_nearest2d", "self=b,c,h,n output_size=[9,9]"},
    Row{"aten::vdot", "self=n other=n"},
    Row{"aten::where", "condition=m:r,n self=r,n other=r,n"},
};

}  // namespace

std::string_view row_of_shapes(std::string_view base) {
  const auto* found =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) { return row.name == base; });
  return found == kRows.end() ? std::string_view() : found->shapes;
}

}  // namespace plumb
