#!/usr/bin/env python3
"""Sorts the alarms of `plumb sweep` into the classes of docs/findings.md: tools/triage.py OUT|failures-I-J [--ops] [--class C].

A group is an operator without overload, a verdict and forward, grad or the relation. The first rule that matches decides."""
import collections
import json
import os
import re
import sys

# class, pattern over "operator verdict where dtypes"
RULES = [
    ('1 crash', r' crashed |^_stack '),
    ('2 memory', r'^(nan)?median '),
    ('3 negative view', r'^max_pool1d |^(nan)?quantile (relation|unstable|flushed)'),
    ('4 out', r' relation-broken out '),
    ('5 internal, strides', r'^(thnn_conv2d|_slow_conv2d_forward) (relation-broken layout|unstable grad)|^_embedding_bag|^_weight_norm_interface (relation|unstable|flushed|masked|nonfinite fwd)|'
                            r'^_masked_softmax relation'),
    ('6 vector and tail', r'^(relu6|hardtanh|hardswish|elu|celu|selu|hardshrink|logit|special_logit|softshrink|fmod|remainder|rsqrt|special_i0e|add|sub|gelu|lerp) relation|'
                          r'^(special_)?logit nonfinite grad|^(fmod|remainder) nonfinite|^(add|sub|rsqrt|special_i0e) unstable fwd|^(special_)?erf '),
    ('7 sign of zero', r'^(max|min|maximum|minimum|clamp|clip) relation'),
    ('17 half-type accumulation', r'^(prod|index_reduce|huber_loss) unstable|^batch_norm relation'),
    ('8 order of a sum near overflow', r' relation-broken (scale|shift) |^(prod|sum|var|stft|fft_ihfft2|_fft_c2c|det|linalg_det|slogdet|linalg_slogdet) relation|^_(native_)?batch_norm\w*_functional relation'),
    ('20 mean folded into the shift', r'batch_norm\w* relation-broken layout (bfloat16|.*float16)'),
    ('18 whole-number quotient', r'^(div|divide|floor_divide|fmod|remainder|round) unstable'),
    ('9 tails', r'^(gelu|glu|glu_jvp|silu|sigmoid|special_expit|special_ndtr|special_log_ndtr|log_softmax|_log_softmax|mish|softplus|hardswish|soft_margin_loss|logaddexp2?|'
                r'binary_cross_entropy_with_logits|logit|special_erfcx|i0|special_i[01]e?|special_modified_bessel_i[01]|exp2|special_exp2|cosh) '),
    ('14 complex', r'^(abs|sgn|angle|reciprocal|log|log2|log10|log1p|rsqrt|square|mul|div|addcmul|addcdiv|acos|asin|atan|asinh|atanh|exp2|kron|outer|polar) (nonfinite|flushed|unstable) (fwd|grad) (float32)$'),
    ('10 squares', r'norm|cdist|pdist|euclidean|^dist |pairwise_distance|cosine_|^(std|var|cov|corrcoef|renorm|embedding_renorm|triplet_margin_loss|std_mean|var_mean)'),
    ('11 formula overflows', r'^(arc)?(cosh?|sinh?|tanh?|tan2) |^(acosh?|asinh?|atanh?|atan2|arccosh|arcsinh|arctanh|hypot|addcdiv|log10|pow|div|reciprocal|prod|cumprod|index_reduce|logcumsumexp|'
                             r'kl_div|margin_ranking_loss|polar|log|log2|log1p|rsqrt|ctc_loss|_ctc_loss|trapz|cumulative_trapezoid|huber_loss|norm_except_dim|angle|float_power) |^gru_cell unstable fwd (float16,)?float32$'),
    ('12 special functions', r'^(special_|polygamma|digamma|igamma|igammac|mvlgamma|_dirichlet_grad|sinc)'),
    ('13 linear algebra', r'^(linalg_(?!vecdot|matmul|cross)|cholesky|lu_solve|inverse|det |slogdet|pinverse|matrix_exp|orgqr|ormqr|triangular_solve|matrix_power|_linalg)'),
    ('15 small bf16 products flushed', r'^(conv|_conv|_slow_conv|slow_conv|thnn_conv|chain_matmul|_addmm_activation).* (flushed|unstable) (fwd|grad) bfloat16$'),
    ('16 positions and windows', r'^(_?upsample|grid_sampler|affine_grid|.*_window|hist|_hist|linspace|logspace|arange|gradient|fractional_max_pool[23]d)'),
    ('17 half-type accumulation', r' (unstable|flushed|masked) (fwd|grad) (bfloat16,float16|bfloat16|float16)$|^(multilabel_margin_loss_forward|corrcoef) unstable'),
    ('19 partial result overflows', r' nonfinite |^_transformer_encoder_layer_fwd '),
]


def kind(row):
    where = row['where'] or ''
    if row['verdict'] in ('relation-broken', 'nondeterministic'):
        return where.split(', ')[-1]
    return 'grad' if where.startswith('grad') else 'fwd'


def rows_of(path):
    if path.endswith('.json') or not os.path.isfile(path):
        path = path if path.endswith('.json') else path + '/results.json'
        return [r for r in json.load(open(path))['results'] if not r['ok']]
    rows = {}  # a line each of failures-*, the last of which may be torn
    for line in open(path):
        try:
            row = json.loads(line)['row']
        except json.JSONDecodeError:
            continue
        rows.setdefault(tuple(str(row[k]) for k in ('op', 'dtype', 'verdict', 'where', 'path_hash')), row)
    return list(rows.values())


def main():
    rows = rows_of(sys.argv[1])
    groups = collections.OrderedDict()
    for row in rows:
        name = row['op'].split('::', 1)[1].split('.')[0]
        groups.setdefault((name, row['verdict'], kind(row)), []).append(row)
    by = collections.defaultdict(list)
    for key, members in groups.items():
        dtypes = ','.join(sorted({m['dtype'] for m in members}))
        text = ' '.join(key) + ' ' + dtypes
        if key[1] == 'relation-broken':
            text = f'{key[0]} {key[1]} {key[2]} {dtypes}'
        by[next((c for c, p in RULES if re.search(p, text)), 'U unexplained')].append((key, members, dtypes))
    order = [c for c, _ in RULES]
    for c in sorted(by, key=lambda c: (order.index(c) if c in order else 99)):
        print(f'{c} | {len(by[c])} groups | {sum(len(m) for _, m, _ in by[c])} rows')
        if '--ops' in sys.argv:
            for key, members, dtypes in sorted(by[c], key=lambda g: g[0]):
                worst = max((m['r'] for m in members if isinstance(m['r'], (int, float))), default=None)
                print('   ', *key, dtypes, worst and f'r {worst:.2g}', '|', members[0]['message'].split(' (1')[0][:150])
    print(f'{len(rows)} rows, {len(groups)} groups')


if __name__ == '__main__':
    main()
