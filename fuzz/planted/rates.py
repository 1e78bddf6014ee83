"""How often random inputs show each planted bug: an estimate, made without the fuzzer.

rates.py LIBRARY.so TABLE.json [SAMPLES]: for each bug the number of inputs whose result differs
from the healthy twin's by more than 16 units of roundoff (2 in half types), or in class. It is not
the judge's rule. Inputs: three types; 1 to 4 lines (tril: 24) of 1 to 64 elements, multiples of 16
and a few beyond 64; normal numbers of many scales, offsets, whole numbers, constants, outliers, wide exponents,
padding; contiguous or transposed, every second element, or one element further on.
"""

import json
import random
import sys

import torch

POINTWISE = ["aten::" + op for op in "exp silu rsqrt round sigmoid softplus sqrt".split()]
TYPES = [torch.float32, torch.bfloat16, torch.float16]


def length():
    return random.choice(
        [
            random.randint(1, 64),
            random.randint(1, 32),
            16 * random.randint(1, 6),
            random.randint(65, 130),
        ]
    )


def values(shape):
    exponents = [0, 0, 0, random.uniform(-3, 3), random.uniform(-40, 38)]
    scale = 10 ** random.choice(exponents)
    x = torch.randn(shape)
    kind = random.randrange(9)
    if kind == 0:
        x += random.choice([-1, 1]) * 10 ** random.uniform(0, 3)
    elif kind == 1:
        return torch.randint(-8, 9, shape).float() / random.choice([1, 2])
    elif kind == 2:
        x = torch.full(shape, random.gauss(0, 3))
    elif kind == 3:
        x[torch.rand(shape) < 0.1] *= 1000
    elif kind == 4:
        x *= 2.0 ** (torch.rand(shape) * 40 - 20)
    elif kind == 5 and len(shape) > 1:
        x[..., : random.randrange(shape[-1] + 1)] = -torch.inf
    elif kind == 6:
        x = x.abs()
    return x * scale


def placed(x):
    how = random.randrange(8)
    if how == 0 and x.dim() > 1:
        return x.transpose(-1, -2).contiguous().transpose(-1, -2)
    if how == 1:
        wide = torch.empty([*x.shape[:-1], 2 * x.shape[-1]], dtype=x.dtype)
        wide[..., ::2] = x
        return wide[..., ::2]
    if how == 2:
        memory = torch.full([x.numel() + 1], 0.5, dtype=x.dtype)
        memory[1:] = x.flatten()
        return memory[1:].view(x.shape)
    return x


def tensor(dtype, *shape):
    return placed(values(list(shape)).to(dtype))


def arguments(reference, dtype):
    r, n = random.randint(1, 4), length()
    if reference == "aten::mm":
        return (tensor(dtype, r, n), tensor(dtype, n, random.randint(1, 6)))
    if reference == "aten::tril":
        return (tensor(dtype, random.randint(1, 24), n),)
    if reference in ("aten::layer_norm", "aten::rms_norm"):
        return (tensor(dtype, r, n), [n])
    if reference == "aten::group_norm":
        return (tensor(dtype, r, 4, random.randint(1, 16)), 2)
    if reference in POINTWISE:
        return (tensor(dtype, r, n),)
    return (tensor(dtype, r, n), 1) if random.random() < 0.7 else (tensor(dtype, n, r), 0)


def differs(bad, good):
    slack = torch.finfo(good.dtype).eps * (8 if good.dtype == torch.float32 else 1)
    bad, good = bad.double(), good.double()
    same = (bad == good) | (bad.isnan() & good.isnan())
    near = (bad - good).abs() <= slack * good.abs() + 1e-45
    return not bool((same | (near & good.isfinite())).all())


def main():
    library, table, samples = sys.argv[1], sys.argv[2], int((sys.argv[3:] or ["2000"])[0])
    torch.ops.load_library(library)
    torch.set_num_threads(1)
    for bug in json.load(open(table)):
        random.seed(1)
        torch.manual_seed(1)
        operators = [bug[key].removeprefix("planted::") for key in ("name", "healthy")]
        wrong, right = [getattr(torch.ops.planted, operator) for operator in operators]
        hits = 0
        for _ in range(samples):
            given = arguments(bug["reference"], random.choice(TYPES))
            hits += differs(wrong(*given), right(*given))
        print(f"| `{operators[0]}` | {hits} |", flush=True)


if __name__ == "__main__":
    main()
