"""What Hypothesis finds of the planted bugs, for reference beside bench/search.

with_hypothesis.py LIBRARY.so TABLE.json [BUGS] [SEEDS] [SECONDS]: for each of BUGS (a shell pattern, *_1 by default)
and seed the examples until the faulty kernel differs from its healthy twin, or none within so many
seconds of CPU. Its oracle is the twin, which no search of ours has: that is in its favour. Needs torch and
hypothesis 6.170.17 (PyPI).

Strategies are what a careful engineer would write: the type, the lengths, a layout, and floats of the type with
NaN and infinities allowed, element by element, as Hypothesis draws them.
"""

import fnmatch
import json
import os
import sys
import time

import hypothesis
import torch
from hypothesis import strategies as st

sys.path.append(os.path.join(os.path.dirname(__file__), "../../fuzz/planted"))
from rates import POINTWISE, differs  # noqa: E402

WIDTHS = {torch.float32: 32, torch.bfloat16: 32, torch.float16: 16}


class Found(Exception):
    pass


class Spent(Exception):
    pass


@st.composite
def tensors(draw, dtype, *shape):
    count = torch.Size(shape).numel()
    floats = st.floats(width=WIDTHS[dtype], allow_subnormal=True)
    x = torch.tensor(draw(st.lists(floats, min_size=count, max_size=count)), dtype=dtype)
    x = x.reshape(shape)
    how = draw(st.sampled_from(["plain", "transposed", "every second", "offset"]))
    if how == "transposed" and x.dim() > 1:
        return x.transpose(-1, -2).contiguous().transpose(-1, -2)
    if how == "every second":
        return torch.stack([x, x], -1).flatten(-2)[..., ::2]
    if how == "offset":
        return torch.cat([x.new_zeros(1), x.flatten()])[1:].view(x.shape)
    return x


@st.composite
def arguments(draw, reference):
    dtype = draw(st.sampled_from(list(WIDTHS)))
    r, n = draw(st.integers(1, 17)), draw(st.integers(1, 130))
    if reference == "aten::mm":
        m = draw(st.integers(1, 6))
        return (draw(tensors(dtype, r, n)), draw(tensors(dtype, n, m)))
    if reference in ("aten::layer_norm", "aten::rms_norm"):
        return (draw(tensors(dtype, r, n)), [n])
    if reference == "aten::group_norm":
        return (draw(tensors(dtype, r, 4, draw(st.integers(1, 16)))), 2)
    if reference in POINTWISE or reference == "aten::tril":
        return (draw(tensors(dtype, r, n)),)
    dim = draw(st.integers(0, 1))
    return (draw(tensors(dtype, r, n)), dim)


def examples_until_found(wrong, right, reference, seed, seconds):
    executions = 0
    start = time.process_time()

    def law(given):
        nonlocal executions
        executions += 1
        if differs(wrong(*given), right(*given)):
            raise Found
        if time.process_time() - start > seconds:
            raise Spent

    checks = list(hypothesis.HealthCheck)
    settings = hypothesis.settings(
        max_examples=10**7, deadline=None, database=None, suppress_health_check=checks,
        phases=[hypothesis.Phase.generate], report_multiple_bugs=False, print_blob=False,
    )
    try:
        hypothesis.seed(seed)(settings(hypothesis.given(arguments(reference))(law)))()
    except Found:
        return executions, time.process_time() - start
    except Spent:
        pass
    return None, time.process_time() - start


def main():
    library, table = sys.argv[1:3]
    pattern, seeds, seconds = (sys.argv[3:] + ["*_1", "5", "20"][len(sys.argv) - 3 :])[:3]
    torch.ops.load_library(library)
    torch.set_num_threads(1)
    for bug in json.load(open(table)):
        operators = [bug[key].removeprefix("planted::") for key in ("name", "healthy")]
        if not fnmatch.fnmatch(operators[0], pattern):
            continue
        wrong, right = [getattr(torch.ops.planted, operator) for operator in operators]
        hits = [
            examples_until_found(wrong, right, bug["reference"], seed, float(seconds))
            for seed in range(int(seeds))
        ]
        found = sorted(count for count, _ in hits if count is not None)
        middle = (found + [None] * len(hits))[len(hits) // 2]
        spent = sum(cpu for _, cpu in hits) / len(hits)
        print(f"| `{operators[0]}` | {middle or 'none'} ({len(found)}) | {spent:.1f} |", flush=True)


main()
