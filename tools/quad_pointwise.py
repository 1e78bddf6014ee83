"""Functions of single elements; see quad_reference.py."""

import math

import mpmath as mp
from mpmath import mpf

from quad_rows import INF, around, pairs, points, row, tensor

SMALL = [1e-300, -3e-160, 1e-30, -1e-17, 1.5e-8, -1e-5, 1e-3]
MODERATE = [0.1, -0.3, 0.5, -0.9, 1.0, 1.7, -2.5, 3.0, -4.2]
LARGE = [10.0, -20.0, 40.5]
HUGE = [1e10, -355.0, 1e22, 1e30, -1e300]
REAL = SMALL + MODERATE + LARGE


def ndtr(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def softplus(x):
    return mp.log1p(mp.exp(x)) if x < 0 else x + mp.log1p(mp.exp(-x))


def lgamma(x):
    return mp.log(abs(mp.gamma(x)))


def elementary():
    near_one = around(1.0) + [1e-300, 0.1, 0.5, 2.0, 3e5, 1e300, 1 + 1e-9]
    points("exp", mp.exp, REAL + [700.5, -700.25, -745.0, 709.78, 710.0])
    points("exp2", lambda x: mpf(2) ** x, REAL + [1000.5, -1060.25, 1023.99])
    points("expm1", lambda x: mp.exp(x) - 1, REAL + [-50.0, 700.5])
    points("log", mp.log, near_one)
    points("log2", lambda x: mp.log(x) / mp.log(2), near_one)
    points("log10", mp.log10, near_one)
    points("log1p", lambda x: mp.log(1 + x), SMALL + [0.5, -0.5, 1.0, -0.999999, 1e10, 1e300])
    points("sqrt", mp.sqrt, near_one)
    points("rsqrt", lambda x: 1 / mp.sqrt(x), near_one)
    points("reciprocal", lambda x: 1 / x, SMALL + MODERATE + HUGE)
    points("square", lambda x: x * x, REAL + HUGE)
    periodic = REAL + HUGE + around(math.pi, 22 * math.pi)
    points("sin", mp.sin, periodic)
    points("cos", mp.cos, periodic + around(math.pi / 2))
    points("tan", mp.tan, periodic + around(math.pi / 2))
    unit = SMALL + [0.1, -0.3, 0.5, -0.9, 1 - 2.0 ** -53, -1 + 2.0 ** -40, 0.999]
    points("asin", mp.asin, unit)
    points("acos", mp.acos, unit)
    points("atan", mp.atan, REAL + HUGE)
    points("atanh", mp.atanh, unit)
    points("sinh", mp.sinh, REAL + [709.0, -710.4, 711.0])
    points("cosh", mp.cosh, REAL + [709.0, -710.4, 711.0])
    points("tanh", mp.tanh, REAL)
    points("asinh", mp.asinh, REAL + HUGE)
    points("acosh", mp.acosh, [1 + 2.0 ** -52, 1 + 1e-9, 1.001, 1.5, 2, 3, 10, 1e5, 1e22, 1e200])
    points("sinc", lambda x: mp.sinpi(x) / (mp.pi * x), REAL + around(3.0) + [1e10 + 0.5])
    points("deg2rad", lambda x: x * mp.pi / 180, REAL)
    points("rad2deg", lambda x: x * 180 / mp.pi, REAL)
    points("special_entr", lambda x: -x * mp.log(x), near_one)
    xy = [(1.5, 2.0), (1e200, -1e200), (3.0, 1e-300), (-2.0, -1e-17), (1e-8, 1.0), (0.3, -7.0),
          (-1e10, 1e-10), (1.0, 1 + 2.0 ** -52), (5e-324, 1.0), (1.7, 1.7), (-40.0, 1e3)]
    pairs("atan2", mp.atan2, xy)
    pairs("hypot", mp.hypot, xy)
    pairs("xlogy", lambda x, y: x * mp.log(y), [(x, abs(y)) for x, y in xy])
    pairs("special_xlog1py", lambda x, y: x * mp.log(1 + y), [(x, abs(y)) for x, y in xy])
    pairs("logaddexp", lambda x, y: mp.log(mp.exp(x) + mp.exp(y)),
          [(0.0, 0.0), (1e3, 999.5), (-1e3, -1e3), (-1e-3, -900.0), (50.0, -50.0), (1e-20, 1.0)])
    pairs("logaddexp2", lambda x, y: mp.log(mpf(2) ** x + mpf(2) ** y) / mp.log(2),
          [(0.0, 0.0), (1e3, 999.5), (-1e3, -1e3), (-1e-3, -900.0), (50.0, -50.0), (1e-20, 1.0)])
    powers = [(2.0, 0.5), (1 + 2.0 ** -52, 1e15), (1.1, -7000.0), (1e-300, 0.01), (3.0, 1e-30),
              (0.7, 1900.0), (-3.0, 5.0), (10.0, 308.0), (1e10, -30.5), (1.5, 1.5)]
    pairs("pow.Tensor_Tensor", mp.power, powers, ("self", "exponent"))
    pairs("float_power.Tensor_Tensor", mp.power, powers, ("self", "exponent"))


def special():
    points("erf", mp.erf, REAL)
    points("erfc", mp.erfc, REAL + [5.9, 15.7, 26.0, 27.2, -6.0])
    points("erfinv", mp.erfinv, SMALL + [0.1, -0.3, 0.5, 0.59, 0.61, -0.9, 0.999, 1 - 2.0 ** -53])
    points("special_erfcx", lambda x: mp.exp(x * x) * mp.erfc(x),
           SMALL + MODERATE + [10.0, 11.9, 12.0, 40.5, 1e5, -20.0])
    points("special_ndtr", ndtr, REAL + [-9.0, -6.0, -16.5, -30.0, -37.5, 8.0])
    points("special_log_ndtr", lambda x: mp.log(ndtr(x)),
           REAL + [-9.0, -19.9, -20.1, -37.5, -1e3, -1e8, 8.0, 30.0])
    points("special_ndtri", lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1),
           [1e-30, 1e-10, 0.01, 0.2, 0.25, 0.4, 0.5 - 1e-12, 0.5 + 1e-12, 0.6,
            0.75, 0.9, 0.999, 1 - 2.0 ** -53])
    points("lgamma", lgamma, [1e-300, 1e-8, 0.3, 1 - 2.0 ** -53, 1 + 2.0 ** -52, 1.5, 2 - 2.0 ** -52,
                              2 + 2.0 ** -51, 3.0, 30.5, 1e5, 1e100, -0.5, -1e-8, -10.3, -100.5]
           + around(-2.4570247382208006, -2.7476826467274127, -3.955294284858598,
                    -5.991663700084297, -10.000000275573168))
    points("digamma", mp.digamma, [-0.46, -0.4616321449, 1e-300, 1e-8, 0.3, 0.5, 1.0, 2.0, 30.5, 1e5, 1e100, -0.5, -1e-8,
                                   -10.3, -1.99999994] + around(1.4616321449683623,
                                                                -0.504083008264455, -7.68788832503163))
    for n in (1, 2, 3):
        points("polygamma", lambda x: mp.polygamma(n, x),
               [1e-8, 0.3, 0.5, 1.0, 2.0, 30.5, 1e5, -0.5, -10.3, -1.99999994], n=n)
    points("special_i0", lambda x: mp.besseli(0, x), REAL + [49.9, 50.1, 700.0, 713.0])
    points("special_i1", lambda x: mp.besseli(1, x), REAL + [49.9, 50.1, 700.0, 713.0])
    points("special_i0e", lambda x: mp.besseli(0, x) * mp.exp(-abs(x)), REAL + [49.9, 50.1, 700.0])
    points("special_i1e", lambda x: mp.besseli(1, x) * mp.exp(-abs(x)), REAL + [49.9, 50.1, 700.0])
    points("special_bessel_j0", lambda x: mp.besselj(0, x),
           REAL + around(2.4048255576957727, 55.76551075501998) + [1e3])
    points("special_bessel_j1", lambda x: mp.besselj(1, x),
           REAL + around(3.8317059702075125, -7.015586669815619) + [1e3])
    points("special_bessel_y0", lambda x: mp.bessely(0, x),
           [1e-300, 1e-5, 0.3, 1, 2, 10, 1e3] + around(0.8935769662791675, 54.19477093))
    points("special_bessel_y1", lambda x: mp.bessely(1, x),
           [1e-300, 1e-5, 0.3, 1, 2, 10, 1e3] + around(2.197141326031017))
    for order in (0, 1):
        points(f"special_modified_bessel_k{order}", lambda x: mp.besselk(order, x),
               [1e-5, 0.1, 0.5, 1, 1.9, 2.1, 3, 10, 100, 700])
    points("special_spherical_bessel_j0", lambda x: mp.sin(x) / x, REAL + around(math.pi),
           argument="x")
    points("logit", lambda x: mp.log(x / (1 - x)),
           [1e-300, 1e-5, 0.2, 0.25, 0.4, 0.6, 0.75, 0.9, 1 - 2.0 ** -53] + around(0.5))
    points("logit", lambda x: mp.log(mpf(0.1) / (1 - mpf(0.1))), [0.0, 0.05, 0.1], eps=0.1)


def activations():
    wide = REAL + [-89.0, -700.0, 100.0]
    points("sigmoid", lambda x: 1 / (1 + mp.exp(-x)), wide)
    points("log_sigmoid", lambda x: -softplus(-x), wide)
    points("silu", lambda x: x / (1 + mp.exp(-x)), wide)
    points("gelu", lambda x: x * ndtr(x), REAL + [-6.0, -9.0, -5.5, -38.0])
    c, k = mp.sqrt(2 / mp.pi), mpf("0.044715")
    points("gelu", lambda x: x / (1 + mp.exp(-2 * c * (x + k * x ** 3))),
           REAL + [-6.0, -9.0, -5.5, -21.0], approximate="tanh")
    points("softplus", softplus, [x for x in wide if x <= 20])
    points("softplus", lambda x: softplus(x * 3) / 3 if x * 3 <= 50 else x,
           [x for x in wide], beta=3.0, threshold=50.0)
    points("mish", lambda x: x * mp.tanh(softplus(x)), wide)
    points("elu", lambda x: mpf(1.5) * (x if x > 0 else mpf(0.7) * (mp.exp(2 * x) - 1)), wide,
           alpha=0.7, scale=1.5, input_scale=2)
    points("celu", lambda x: x if x > 0 else mpf(0.7) * (mp.exp(x / mpf(0.7)) - 1), wide, alpha=0.7)
    alpha, scale = mpf(1.6732632423543772848), mpf(1.0507009873554804934)
    points("selu", lambda x: scale * (x if x > 0 else alpha * (mp.exp(x) - 1)), wide)
    points("hardswish", lambda x: x * min(max(x + 3, mpf(0)), mpf(6)) / 6, wide)
    points("hardsigmoid", lambda x: min(max(x + 3, mpf(0)), mpf(6)) / 6, wide)
    points("leaky_relu", lambda x: x if x > 0 else x * mpf(0.2), wide, negative_slope=0.2)


def arithmetic():
    xy = [(1.5, 2.0), (1e300, -1e300), (3.0, 1e-300), (-2.0, -1e-17), (1e-8, 1.0), (0.3, -7.0),
          (-1e10, 1e-10), (1.0, 1 + 2.0 ** -52), (8.0, 2e-38), (1e9, math.pi), (-1e22, 0.7)]
    pairs("add.Tensor", lambda x, y: x + mpf(0.1) * y, xy, alpha=0.1)
    pairs("sub.Tensor", lambda x, y: x - mpf(0.1) * y, xy, alpha=0.1)
    pairs("rsub.Tensor", lambda x, y: y - x, xy)
    pairs("mul.Tensor", lambda x, y: x * y, xy)
    pairs("div.Tensor", lambda x, y: x / y, xy)
    pairs("div.Tensor_mode", lambda x, y: mp.floor(x / y), xy[3:8], rounding_mode="floor")
    pairs("div.Tensor_mode", lambda x, y: mp.sign(x / y) * mp.floor(abs(x / y)), xy[3:8],
          rounding_mode="trunc")
    pairs("remainder.Tensor", lambda x, y: x - y * mp.floor(x / y), [v for v in xy if v[1] != 1e-300])
    pairs("fmod.Tensor", lambda x, y: x - y * mp.sign(x / y) * mp.floor(abs(x / y)),
          [v for v in xy if v[1] != 1e-300])
    points("mul.Scalar", lambda x: x * mpf(0.1), REAL, other=0.1)
    points("pow.Tensor_Scalar", lambda x: x ** 3, REAL, exponent=3)
    points("pow.Scalar", lambda x: mpf(0.3) ** x, REAL, argument="exponent", self=0.3)
    xyz = [(x, y, z) for (x, y), z in zip(xy, [2.0, 1e5, -1.0, 3.0, 0.25, 7.0, 1e-9, -1.0, 5.0, 1, 9])]
    names = ("self", "tensor1", "tensor2")
    pairs("addcmul", lambda x, y, z: x + mpf(0.3) * y * z, xyz, names, value=0.3)
    pairs("addcdiv", lambda x, y, z: x + mpf(0.3) * y / z, xyz, names, value=0.3)
    pairs("lerp.Tensor", lambda x, y, w: x + w * (y - x),
          [(x, y, w) for (x, y), w in zip(xy, [0.5, 0.5, 0.1, 0.9, 1, 0, 0.3, 0.7, 0.2, 0.6, 0.4])],
          ("self", "end", "weight"))
    pairs("ldexp.Tensor", lambda x, n: x * mpf(2) ** n, [(1.5, 3.0), (1e-300, 900.0), (0.3, -1000.0)])


def losses():
    x = [0.3, 1.7, -2.5, 1e-8, 40.0, -700.0, 1e5, 0.5]
    t = [1.0, 0.0, 0.25, 1e-3, 0.9, 1.0, 0.0, 0.5]
    xt = list(zip(x, t))
    names = ("self", "target")
    def three(op, f, xys, names=names, **others):
        for reduction in (0, 1, 2):
            columns = [[float(v) for v in column] for column in zip(*xys)]
            each = [f(*map(mpf, v)) for v in zip(*columns)]
            total = mp.fsum(each)
            row(op, {n: tensor([len(c)], c) for n, c in zip(names, columns)}
                | {"reduction": reduction} | others,
                each if reduction == 0 else [total / len(each) if reduction == 1 else total])
    three("mse_loss", lambda x, t: (x - t) ** 2, xt)
    three("l1_loss", lambda x, t: abs(x - t), xt)
    three("smooth_l1_loss", lambda x, t: (x - t) ** 2 / 4 if abs(x - t) < 2 else abs(x - t) - 1, xt,
          beta=2.0)
    three("huber_loss", lambda x, t: (x - t) ** 2 / 2 if abs(x - t) < 2 else 2 * (abs(x - t) - 1), xt,
          delta=2.0)
    probabilities = [0.3, 1e-300, 1 - 2.0 ** -53, 1e-8, 0.9, 1e-45, 0.999, 0.5]
    three("binary_cross_entropy", lambda p, t: -(t * max(mp.log(p), mpf(-100))
                                                 + (1 - t) * max(mp.log(1 - p), mpf(-100))),
          list(zip(probabilities, t)))
    three("binary_cross_entropy_with_logits",
          lambda x, t: t * softplus(-x) + (1 - t) * softplus(x), xt)
    three("kl_div", lambda x, t: t * (mp.log(t) - x) if t > 0 else mpf(0), xt)
    three("kl_div", lambda x, t: mp.exp(t) * (t - x), xt, log_target=True)
    three("soft_margin_loss", lambda x, t: softplus(-x * t), xt)
    three("poisson_nll_loss", lambda x, t: mp.exp(x) - t * x
          + (t * mp.log(t) - t + mp.log(2 * mp.pi * t) / 2 if t > 1 else 0),
          [(0.3, 2.0), (-2.0, 3.0), (1.0, 0.5), (5.0, 100.0)], ("input", "target"),
          log_input=True, full=True, eps=1e-8)


FAMILIES = (elementary, special, activations, arithmetic, losses)
