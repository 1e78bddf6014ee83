#!/usr/bin/env python3
"""The rate of unexplained alarms over sweeps of ordinary values, with its 95 % bound.

    for s in …; do plumb sweep --cases 2 --seed $s --relations none --no-minimize --out out-$s; done
    tools/false_alarms.py out-*/results.json

A case counts where it was judged. An alarm is explained where its operator, in its type, is one that was looked at (below;
what was seen is in docs/findings.md and docs/sweep.md). There is no rule that explains a whole type or verdict.
"""

import collections
import json
import re
import sys

ALARMS = {"nonfinite", "masked", "flushed", "unstable", "crashed", "hung", "error", "relation-broken", "nondeterministic"}
HALF = "float16 bfloat16"

# operators (a regular expression for the whole name), types
LOOKED_AT = [
    (r"(special_)?polygamma|special_bessel_[jy][01]", "float64"),
    (r"(special_)?sinc", "float32 float16 bfloat16"),
    (r"_dirichlet_grad|igammac?|special_gammaincc?|affine_grid_generator|kaiser_window|blackman_window", "float32"),
    (r"multilabel_margin_loss(_forward)?", "float32"),
    (r"special_laguerre_polynomial_l|special_(shifted_)?chebyshev_polynomial_[tuvw]", "float32"),
    (r"upsample_(linear1d|bilinear2d|bicubic2d)|grid_sampler_3d", "float32"),
    (r"(hann|bartlett)_window", "float32 bfloat16 float16"),
    (r"upsample_(linear1d|bicubic2d)|grid_sampler(_2d|_3d)?|(hamming|blackman)_window|arange|linspace|logspace|histc", HALF),
    (r"(linalg_)?matrix_exp|prod|cumprod|_?adaptive_avg_pool3d|slow_conv_transpose[23]d|conv_transpose3d|col2im", HALF),
    (r"_compute_linear_combination|(_|_unsafe_)?index_put(_impl)?|index_(add|reduce)|segment_reduce|_masked_softmax", HALF),
    (r"nll_loss(2d)?(_forward|_nd)?|special_i0e|gru_cell|(_batch_norm_impl_index|_native_batch_norm_legit)", HALF),
    (r"rsqrt|_fake_quantize_learnable_per_tensor_affine", HALF),
    (r"gelu|special_ndtr", "float32 float64 float16 bfloat16"),  # tails
    (r"special_airy_ai", "float32"),  # at -2.2833 383 u beside mpmath, where inputs account for 42
    (r"fmod|pow|div|divide|floor_divide|remainder|polygamma", "bfloat16"),
    (r"triplet_margin_loss|fractional_max_pool[23]d", "bfloat16"),
    (r"cumprod|prod|grid_sampler(_2d)?|special_scaled_modified_bessel_k0", "float32"),  # seeds 3001 to 3015, docs/sweep.md
    (r"fractional_max_pool3d|fmod|pow", "float16"),
    (r"special_polygamma", "bfloat16"),
    (r"gru_cell", "float32"),  # n + z(h - n), tests/cases/sweep-gru-cell-kept-state-f32.json
]


def is_explained(name, dtype):
    return any(re.fullmatch(names, name) and dtype in types.split() for names, types in LOOKED_AT)


def bound_95(alarms):
    """The upper limit of a Poisson mean: 3 for none, else Wilson and Hilferty's approximation."""
    if alarms == 0:
        return 3
    k = alarms + 1
    return k * (1 - 1 / (9 * k) + 1.645 / (3 * k ** 0.5)) ** 3


def main():
    judged = 0
    explained = collections.Counter()
    unexplained = collections.Counter()
    for path in sys.argv[1:]:
        seen = set()
        for row in json.load(open(path))["results"]:
            count = re.search(r"(\d+) cases", row["message"])
            key = (row["op"], row["dtype"], row["arm"])
            if count and key not in seen:
                judged += int(count.group(1))
                seen.add(key)
            if row["verdict"] in ALARMS and not row["ok"]:
                name = row["op"].split("::")[-1].split(".")[0]
                (explained if is_explained(name, row["dtype"]) else unexplained)[f"{name} {row['dtype']}"] += 1
    alarms = sum(unexplained.values())
    print(f"{judged} cases judged in {len(sys.argv) - 1} sweeps")
    print(f"{sum(explained.values())} alarms of {len(explained)} operators and types are explained")
    print(f"{alarms} are not: at most {bound_95(alarms) / judged:.2g} a case (95 %)")
    for name, count in unexplained.most_common():
        print(f"  {count:4}  {name}")


if __name__ == "__main__":
    main()
