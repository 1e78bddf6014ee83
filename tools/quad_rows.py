"""Rows of tests/oracles/quad_reference.json; see quad_reference.py."""

import math
import random

import mpmath as mp
from mpmath import mpf

mp.mp.prec = 1500
random.seed(20240)
INF = math.inf
ROWS = []


def text(value):
    value = mpf(value)
    if mp.isnan(value):
        return "nan"
    # Beyond the range of double the answer is infinite.
    if abs(value) >= mpf(2) ** 1024 * (1 - mpf(2) ** -54):
        return "inf" if value > 0 else "-inf"
    return mp.nstr(value, 40)


def number(x):
    return x if not isinstance(x, float) or math.isfinite(x) else str(x)


def tensor(shape, flat):
    def nested(shape, flat):
        if not shape:
            return number(flat[0])
        step = len(flat) // shape[0]
        return [nested(shape[1:], flat[i * step:(i + 1) * step]) for i in range(shape[0])]
    return {"dtype": "float64", "data": nested(shape, list(flat))}


def row(op, args, *outputs):
    ROWS.append({"op": "aten::" + op, "args": args,
                 "values": [[text(v) for v in output] for output in outputs]})


def points(op, f, xs, argument="self", **others):
    xs = [float(x) for x in xs]
    row(op, {argument: tensor([len(xs)], xs)} | others, [f(mpf(x)) for x in xs])


def pairs(op, f, xys, names=("self", "other"), **others):
    columns = [[float(v) for v in column] for column in zip(*xys)]
    row(op, {n: tensor([len(c)], c) for n, c in zip(names, columns)} | others,
        [f(*map(mpf, xy)) for xy in zip(*columns)])


def around(*centres):
    """The doubles next to each, and some farther off."""
    return [v for c in centres for v in (math.nextafter(c, -INF), c, math.nextafter(c, INF),
                                         c * (1 + 2.0 ** -20), c * (1 - 2.0 ** -33))]
