"""Functions of whole tensors; see quad_reference.py."""

import random

import mpmath as mp
from mpmath import mpf

from quad_rows import INF, number, row, tensor


def normal(n, scale=1.0, offset=0.0):
    return [random.gauss(0, 1) * scale + offset for _ in range(n)]


def wide(n, bits=60):
    return [random.choice((-1, 1)) * 2.0 ** random.uniform(-bits, bits) for _ in range(n)]


def cancelling(n):
    half = wide(n // 2, 30)
    return half + [-v * (1 + random.choice((0, 2.0 ** -50))) for v in half] + [1.0] * (n % 2)


def mean(xs):
    return mp.fsum(xs) / len(xs)


def var(xs, correction=1):
    return mp.fsum([(x - mean(xs)) ** 2 for x in xs]) / (len(xs) - correction)


def lse(xs):
    return mp.log(mp.fsum(map(mp.exp, xs)))


def norm(xs, p):
    xs = [abs(x) for x in xs]
    if p == INF:
        return max(xs)
    return mp.fsum([x ** mpf(p) for x in xs]) ** (1 / mpf(p))


def dot(xs, ys):
    return mp.fsum([x * y for x, y in zip(xs, ys)])


def product(xs):
    result = mpf(1)
    for x in xs:
        result *= x
    return result


def reductions():
    """A (3, 12) tensor over its last and its first dimension, and whole."""
    for flat in (normal(36), normal(36, 1e-3, 1e6), wide(36), cancelling(12) * 3, wide(36, 900)):
        exact = list(map(mpf, flat))
        last = [exact[i * 12:(i + 1) * 12] for i in range(3)]
        first = [exact[i::12] for i in range(12)]
        x = {"self": tensor([3, 12], flat)}

        def over(op, f, schema="dim", **others):
            row(op, x | {"dim": [1] if schema == "dim" else 1} | others, [f(r) for r in last])
            row(op, x | {"dim": [0] if schema == "dim" else 0, "keepdim": True} | others,
                [f(r) for r in first])
        over("sum.dim_IntList", mp.fsum)
        over("mean.dim", mean)
        over("nansum", mp.fsum)
        over("prod.dim_int", product, "int")
        over("var.correction", lambda r: var(r, 0), correction=0)
        over("std.dim", lambda r: mp.sqrt(var(r)))
        over("amax", max)
        over("amin", min)
        for p in (1, 2, 3, INF):
            over("linalg_vector_norm", lambda r: norm(r, p), ord=number(float(p)))
            over("norm.ScalarOpt_dim", lambda r: norm(r, p), p=number(float(p)))
        row("sum", x, [mp.fsum(exact)])
        row("mean", x, [mean(exact)])
        row("prod", x, [product(exact)])
        row("var", x, [var(exact)])
        row("std", x | {"unbiased": False}, [mp.sqrt(var(exact, 0))])
        row("var_mean.correction", x | {"dim": [1]}, [var(r) for r in last], [mean(r) for r in last])
        row("std_mean.dim", x | {"dim": [1]}, [mp.sqrt(var(r)) for r in last], [mean(r) for r in last])
        row("trace", x, [exact[0] + exact[13] + exact[26]])
    row("prod", {"self": tensor([40], [1e300] * 20 + [1e-300] * 20)},
        [product(map(mpf, [1e300] * 20 + [1e-300] * 20))])


def softmaxes():
    for flat in (normal(24), normal(24, 50.0), normal(24, 1e-3, 1e7), normal(24, 300.0, -1e3),
                 [0.0, -200.0, 1e-9] * 8):
        exact = list(map(mpf, flat))
        lines = [exact[i * 8:(i + 1) * 8] for i in range(3)]
        x = {"self": tensor([3, 8], flat)}
        totals = [lse(r) for r in lines]
        logs = [v - t for r, t in zip(lines, totals) for v in r]
        row("logsumexp", x | {"dim": [1]}, totals)
        row("softmax.int", x | {"dim": 1}, map(mp.exp, logs))
        row("_softmax", x | {"dim": -1, "half_to_float": False}, map(mp.exp, logs))
        row("log_softmax.int", x | {"dim": -1}, logs)
        row("logcumsumexp", x | {"dim": 1}, [lse(r[:i + 1]) for r in lines for i in range(8)])
        row("cumsum", x | {"dim": 1}, [mp.fsum(r[:i + 1]) for r in lines for i in range(8)])
        row("cumprod", x | {"dim": 1}, [product(r[:i + 1]) for r in lines for i in range(8)])
        columns = [exact[i::8] for i in range(8)]
        row("softmax.int", x | {"dim": 0},
            [mp.exp(columns[j][i] - lse(columns[j])) for i in range(3) for j in range(8)])
        targets = {"target": {"dtype": "int64", "data": [3, 0, 7]}}
        each = [t - r[k] for t, r, k in zip(totals, lines, (3, 0, 7))]
        row("cross_entropy_loss", x | targets, [mean(each)])
        row("cross_entropy_loss", x | targets | {"reduction": 0, "ignore_index": 0},
            [each[0], 0, each[2]])
        weight = wide(8, 3)
        weights = {"weight": tensor([8], map(abs, weight))}
        picked = [mpf(abs(weight[k])) for k in (3, 0, 7)]
        row("cross_entropy_loss", x | targets | weights, [dot(each, picked) / mp.fsum(picked)])
        row("nll_loss", x | targets | weights | {"reduction": 2},
            [-dot([r[k] for r, k in zip(lines, (3, 0, 7))], picked)])


def normalizations():
    for flat in (normal(24), normal(24, 1e-3, 1e4), normal(24, 1e20), wide(24)):
        exact = list(map(mpf, flat))
        w, b = normal(6), normal(6)
        eps = mpf(1e-5)

        def normalised(groups):
            return [(x - mean(g)) / mp.sqrt(var(g, 0) + eps) for g in groups for x in g]

        def affine(values, channel):
            return [v * mpf(w[channel(i)]) + mpf(b[channel(i)]) for i, v in enumerate(values)]
        rows = [exact[i * 6:(i + 1) * 6] for i in range(4)]
        x = {"input": tensor([4, 6], flat)}
        wb = {"weight": tensor([6], w), "bias": tensor([6], b)}
        row("layer_norm", x | {"normalized_shape": [6]} | wb, affine(normalised(rows), lambda i: i % 6))
        row("native_layer_norm", x | {"normalized_shape": [6], "eps": 1e-5} | wb,
            affine(normalised(rows), lambda i: i % 6), [mean(r) for r in rows],
            [1 / mp.sqrt(var(r, 0) + eps) for r in rows])
        row("rms_norm", x | {"normalized_shape": [6], "weight": wb["weight"], "eps": 1e-6},
            [v / mp.sqrt(dot(r, r) / 6 + mpf(1e-6)) * mpf(c) for r in rows for v, c in zip(r, w)])
        x = {"input": tensor([2, 6, 2], flat)}
        groups = [exact[i * 4:(i + 1) * 4] for i in range(6)]
        row("group_norm", x | {"num_groups": 3} | wb,
            affine(normalised(groups), lambda i: i // 2 % 6))
        settings = {"running_mean": None, "running_var": None, "momentum": 0.1, "eps": 1e-5,
                    "cudnn_enabled": False}
        pairs_ = [exact[i * 2:(i + 1) * 2] for i in range(12)]
        row("instance_norm", x | wb | settings | {"use_input_stats": True},
            affine(normalised(pairs_), lambda i: i // 2 % 6))
        channels = [pairs_[c] + pairs_[c + 6] for c in range(6)]
        by_channel = normalised(channels)  # (channel, n, 2)
        batch = [by_channel[c * 4 + n * 2 + k] for n in range(2) for c in range(6) for k in range(2)]
        row("batch_norm", x | wb | settings | {"training": True}, affine(batch, lambda i: i // 2 % 6))
        m, v = normal(6), [abs(u) for u in normal(6)]
        row("batch_norm", x | wb | settings
            | {"training": False, "running_mean": tensor([6], m), "running_var": tensor([6], v)},
            affine([(u - mpf(m[i // 2 % 6])) / mp.sqrt(mpf(v[i // 2 % 6]) + eps)
                    for i, u in enumerate(exact)], lambda i: i // 2 % 6))


def matrices():
    def rows_of(flat, length):
        return [list(map(mpf, flat[i:i + length])) for i in range(0, len(flat), length)]
    for fill in (normal, wide, lambda n: wide(n, 500), cancelling):
        a, b, c = fill(12), fill(20), fill(15)
        ra, cb = rows_of(a, 4), [list(map(mpf, b[j::5])) for j in range(5)]
        flat = [dot(r, q) for r in ra for q in cb]
        A, B, C = tensor([3, 4], a), tensor([4, 5], b), tensor([3, 5], c)
        row("mm", {"self": A, "mat2": B}, flat)
        row("matmul", {"self": A, "other": B}, flat)
        row("bmm", {"self": tensor([1, 3, 4], a), "mat2": tensor([1, 4, 5], b)}, flat)
        row("addmm", {"self": C, "mat1": A, "mat2": B, "beta": 0.5, "alpha": 2},
            [mpf(0.5) * mpf(x) + 2 * v for x, v in zip(c, flat)])
        row("baddbmm", {"self": tensor([1, 3, 5], c), "batch1": tensor([1, 3, 4], a),
                        "batch2": tensor([1, 4, 5], b)}, [mpf(x) + v for x, v in zip(c, flat)])
        row("mv", {"self": A, "vec": tensor([4], b[:4])},
            [dot(r, map(mpf, b[:4])) for r in ra])
        row("addmv", {"self": tensor([3], c[:3]), "mat": A, "vec": tensor([4], b[:4])},
            [mpf(x) + dot(r, map(mpf, b[:4])) for x, r in zip(c, ra)])
        row("dot", {"self": tensor([12], a), "tensor": tensor([12], b[:12])},
            [dot(map(mpf, a), map(mpf, b[:12]))])
        weight = rows_of(b, 4)
        row("linear", {"input": A, "weight": tensor([5, 4], b), "bias": tensor([5], c[:5])},
            [dot(r, w) + mpf(v) for r in ra for w, v in zip(weight, c)])
        row("inner", {"self": A, "other": tensor([5, 4], b)}, [dot(r, w) for r in ra for w in weight])
        row("addbmm", {"self": C, "batch1": tensor([2, 3, 2], a), "batch2": tensor([2, 2, 5], b)},
            [mpf(c[i * 5 + j]) + dot([mpf(a[n * 6 + i * 2 + k]) for n in (0, 1) for k in (0, 1)],
                                     [mpf(b[n * 10 + k * 5 + j]) for n in (0, 1) for k in (0, 1)])
             for i in range(3) for j in range(5)])
        row("addr", {"self": C, "vec1": tensor([3], a[:3]), "vec2": tensor([5], b[:5])},
            [mpf(c[i * 5 + j]) + mpf(a[i]) * mpf(b[j]) for i in range(3) for j in range(5)])
        row("cdist", {"x1": A, "x2": tensor([5, 4], b)},
            [norm([x - y for x, y in zip(r, w)], 2) for r in ra for w in weight])
        row("pairwise_distance", {"x1": A, "x2": tensor([3, 4], b[:12])},
            [norm([x - y + mpf(1e-6) for x, y in zip(r, w)], 2) for r, w in zip(ra, weight)])
        row("cosine_similarity", {"x1": A, "x2": tensor([3, 4], b[:12])},
            [dot(r, w) / (norm(r, 2) * norm(w, 2)) for r, w in zip(ra, weight)])
        row("dist", {"self": A, "other": tensor([3, 4], b[:12]), "p": 3},
            [norm([mpf(x) - mpf(y) for x, y in zip(a, b)], 3)])
        row("linalg_vecdot", {"x": A, "y": tensor([3, 4], b[:12])},
            [dot(r, w) for r, w in zip(ra, weight)])


def attentions():
    for scale, masked in ((1.0, False), (8.0, True)):
        q, k, v = ([list(map(mpf, normal(4, scale))) for _ in range(5)] for _ in range(3))
        probabilities = []
        for i, row_q in enumerate(q):
            scores = [dot(row_q, row_k) / 2 for row_k in (k[:i + 1] if masked else k)]
            probabilities.append([mp.exp(s - lse(scores)) for s in scores])
        args = {n: tensor([1, 5, 4], [float(x) for r in m for x in r])
                for n, m in (("query", q), ("key", k), ("value", v))}
        row("scaled_dot_product_attention", args | {"is_causal": masked},
            [dot(p, [r[c] for r in v]) for p in probabilities for c in range(4)])


FAMILIES = (reductions, softmaxes, normalizations, matrices, attentions)
