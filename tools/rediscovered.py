#!/usr/bin/env python3
"""Which publicly known failures a sweep came upon by itself.

    tools/rediscovered.py OUT/results.json [OPS.json]

The first table is the rows marked live in the project's notes on fuzzing (section 4), by their
numbers there; what is no single operator of ATen (log of softmax, normalize, Adam, tanhshrink …)
cannot be met by a sweep of operators and is left out, as is what is ill-conditioned (cov, 62). With OPS.json (shared/cases/ops.json) every entry that is live on
torch 2.15 and a defect counts as met where the sweep alarms on that operator, in that direction,
in one of its types, with a verdict of that kind.
"""

import json
import re
import sys

RANGE = {"nonfinite", "masked", "overflow"}
ERROR = {"unstable", "flushed"}
PATH = {"relation-broken", "nondeterministic"}

# number, operator, verdicts, where, what
LIVE = [
    (7, "softplus", RANGE | ERROR, "output", "softplus with a huge beta is inf"),
    (10, "linalg_vector_norm|linalg_norm|norm", RANGE, "output", "norm of 1e20 is inf"),
    (15, "cosine_similarity", RANGE | ERROR, "output", "cosine of huge vectors is 0"),
    (22, "layer_norm|native_layer_norm", RANGE | ERROR, "output", "layer_norm of 1e18 is NaN"),
    (23, "group_norm|native_group_norm", RANGE | {"flushed"}, "output", "group_norm of 1e20 is NaN"),
    (24, "batch_norm|native_batch_norm", RANGE | ERROR, "output", "batch_norm of 1e18 is 0"),
    (25, "rms_norm|_fused_rms_norm", RANGE | ERROR, "output", "rms_norm of 3e18 is 0"),
    (29, "lerp|quantile", RANGE, "output", "lerp between ±3e38 is inf"),
    (31, "binary_cross_entropy", ERROR, "output", "BCE clamps the logarithm at -100"),
    (35, "sinh|cosh", RANGE, "output", "sinh and cosh overflow early (bf16, f64)"),
    (39, "fmod", RANGE | PATH, "output", "fmod by a tiny number is NaN in a vector"),
    (46, "cdist|_euclidean_dist", RANGE | ERROR, "output", "cdist by the product formula cancels"),
    (47, "gelu", ERROR, "output", "gelu's lower tail"),
    (48, "special_ndtr", ERROR, "output", "ndtr's lower tail"),
    (59, "polygamma|special_polygamma", {"masked"}, "output", "polygamma(1, -1)"),
    (66, "logsumexp|special_logsumexp", RANGE, "grad", "gradient of logsumexp of -inf"),
    (72, "scaled_dot_product_attention", RANGE, "output", "NaN in a masked key leaks"),
    (76, "gelu", RANGE | PATH, "output", "gelu: vector and strided differ near overflow"),
]

KINDS = {
    "nan": {"nonfinite"} | PATH,
    "inf": {"nonfinite"} | PATH,
    "masked": {"masked"} | PATH,
    "large-error": ERROR,
    "wrong-sign": ERROR,
    "path-dependent": PATH,
    "nondeterministic": PATH,
    "crash": {"crashed", "hung"},
}


def base(op):
    return re.sub("_backward$", "", op.split("::")[-1].split(".")[0])


def alarms(results):
    return [row for row in results if row["verdict"] in RANGE | ERROR | PATH | {"crashed", "hung"}
            and row["verdict"] != "overflow"]


def met(rows, names, verdicts, where, dtypes=None):
    for row in rows:
        if not re.fullmatch(names, base(row["op"])) or row["verdict"] not in verdicts:
            continue
        if dtypes and row["dtype"] not in dtypes:
            continue
        if (row["where"] or "").startswith("grad") == (where == "grad"):
            return row
    return None


def show(title, entries):
    found = [e for e in entries if e[2]]
    print(f"{title}: {len(found)} of {len(entries)}")
    for number, what, row in entries:
        mark = f"{row['verdict']}, {row['dtype']}" if row else "-"
        print(f"  {number:>8}  {what[:70]:70}  {mark}")
    print()


def main():
    rows = alarms(json.load(open(sys.argv[1]))["results"])
    show("live rows of section 4",
         [(str(n), what, met(rows, names, kinds, where)) for n, names, kinds, where, what in LIVE])
    if len(sys.argv) < 3:
        return
    entries = []
    for entry in json.load(open(sys.argv[2]))["entries"]:
        names = "|".join(base(op) for op in entry["ops"] if op.startswith("aten::"))
        defect = entry["triage"] == "defect" and entry["live_on_2_15"] and entry["device"] == "cpu"
        if not defect or not names or "compile" in entry["title"]:
            continue
        where = "grad" if entry["scope"] == "backward" else "output"
        row = met(rows, names, KINDS.get(entry["kind"], RANGE | ERROR | PATH), where,
                  entry["dtypes"])
        entries.append((entry["id"], entry["title"], row))
    show("live defects of the public cases", entries)


if __name__ == "__main__":
    main()
