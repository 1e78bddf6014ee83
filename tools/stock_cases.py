#!/usr/bin/env python3
"""Writes ordinary cases of 60 common operators, to see what the rule says of stock kernels:

    python3 tools/stock_cases.py FOLDER && plumb check FOLDER --quiet

Each operator in float32, bfloat16 and float16, six seeds, forward alone and with gradients.
docs/verdict.md holds what came of it."""

import json
import pathlib
import sys

SMOOTH = ("exp sigmoid tanh erf gelu silu mish softplus log_sigmoid hardswish elu selu celu relu6"
          " sin cos atan asinh expm1 square abs sinh").split()


def normal(*shape, std=1):
    return {"shape": shape, "fill": "normal", "params": {"std": std}}


def uniform(*shape, low, high):
    return {"shape": shape, "fill": "uniform", "params": {"low": low, "high": high}}


def pointwise():
    for name in SMOOTH:
        yield name, name, {"self": normal(64, 128)}
    for name in ("rsqrt", "log1p", "reciprocal"):
        yield name, name, {"self": uniform(64, 128, low=0.1, high=3)}
    y = uniform(64, 128, low=0.5, high=3)
    yield "div", "div.Tensor", {"self": normal(64, 128), "other": y}
    yield "atan2", "atan2", {"self": normal(64, 128), "other": normal(64, 128)}


def reductions():
    for std in (1, 10):
        x = normal(64, 128, std=std)
        yield f"softmax-{std}", "softmax.int", {"self": x, "dim": 1}
        yield f"log_softmax-{std}", "log_softmax.int", {"self": x, "dim": 1}
        yield f"logsumexp-{std}", "logsumexp", {"self": x, "dim": [1]}
    for name in ("sum", "mean", "var", "std", "norm.Scalar"):
        yield name.split(".")[0], name, {"self": normal(64, 16)}
    yield "prod", "prod", {"self": uniform(64, low=0.5, high=1.5)}
    yield "std-dim", "std.dim", {"self": normal(64, 128), "dim": [1]}
    yield "cumsum", "cumsum", {"self": normal(64, 128), "dim": 1}


def products():
    yield "mm", "mm", {"self": normal(64, 256), "mat2": normal(256, 32)}
    yield "bmm", "bmm", {"self": normal(4, 64, 32), "mat2": normal(4, 32, 16)}
    x, weight = normal(64, 256), normal(32, 256)
    yield "linear", "linear", {"input": x, "weight": weight, "bias": normal(32)}
    yield "conv1d", "conv1d", {"input": normal(2, 8, 64), "weight": normal(4, 8, 3)}
    yield "conv2d", "conv2d", {"input": normal(2, 8, 16, 16), "weight": normal(4, 8, 3, 3)}
    heads = (1, 4, 64, 32)
    qkv = {"query": normal(*heads), "key": normal(*heads), "value": normal(*heads)}
    yield "attention", "scaled_dot_product_attention", qkv


def norms():
    x = {"input": normal(64, 128), "normalized_shape": [128]}
    yield "layer_norm", "layer_norm", x
    yield "layer_norm-affine", "layer_norm", x | {"weight": normal(128), "bias": normal(128)}
    yield "rms_norm", "rms_norm", x
    yield "group_norm", "group_norm", {"input": normal(8, 32, 16), "num_groups": 4}
    absent = dict.fromkeys(["weight", "bias", "running_mean", "running_var"])
    yield "batch_norm", "batch_norm", {"input": normal(64, 128), **absent, "training": True,
                                       "momentum": 0.1, "eps": 1e-5, "cudnn_enabled": False}


def losses():
    logits, share = normal(64, 128), uniform(64, 128, low=0, high=1)
    yield "mse_loss", "mse_loss", {"self": logits, "target": normal(64, 128)}
    yield "smooth_l1_loss", "smooth_l1_loss", {"self": logits, "target": normal(64, 128)}
    yield "bce_with_logits", "binary_cross_entropy_with_logits", {"self": logits, "target": share}
    inside = uniform(64, 128, low=0.01, high=0.99)
    yield "bce", "binary_cross_entropy", {"self": inside, "target": share}
    classes = {"dtype": "int64", "data": list(range(16))}
    yield "cross_entropy", "cross_entropy_loss", {"self": normal(16, 32), "target": classes}


def images():
    x = normal(1, 3, 16, 16)
    yield "avg_pool2d", "avg_pool2d", {"self": x, "kernel_size": [2, 2]}
    yield "max_pool2d", "max_pool2d", {"self": x, "kernel_size": [2, 2]}
    yield "upsample", "upsample_bilinear2d", {"self": x, "output_size": [32, 32],
                                              "align_corners": False}


def differentiable(arguments):
    """Tensors of floating numbers but targets, whose gradients few losses define."""
    return [name for name, value in arguments.items()
            if isinstance(value, dict) and value.get("dtype") != "int64" and name != "target"]


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for family in (pointwise, reductions, products, norms, losses, images):
        for name, op, arguments in family():
            for dtype in ("float32", "bfloat16", "float16"):
                for seed in range(6):
                    for grad in ([], differentiable(arguments)):
                        title = f"{name} {'gradient ' if grad else ''}{dtype} {seed}"
                        case = {"schema": "plumb.case/1", "name": title, "op": "aten::" + op,
                                "args": arguments, "dtype": dtype, "seed": seed}
                        if grad:
                            case["grad"] = grad
                        file = folder / (title.replace(" ", "-") + ".json")
                        file.write_text(json.dumps(case))


if __name__ == "__main__":
    main()
