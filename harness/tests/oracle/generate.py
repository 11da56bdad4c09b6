"""Answers that the Rust statistics must reproduce, computed by other means.

    python3 -m venv /tmp/oracle && /tmp/oracle/bin/pip install -r requirements.txt
    /tmp/oracle/bin/python generate.py > answers.json

Sources of the answers:
  p            signed-rank: scipy.stats.wilcoxon(method="exact") where there is neither a tie nor a zero, else all
               2^n signings of the mid-ranks (n <= 12), zeros ranked and their ranks dropped (Pratt)
  estimate     median of all sorted Walsh averages, numpy
  low, high    sorted Walsh averages at the critical value, which comes from Python's exact integers
  interval_p   the smallest level whose interval excludes zero, from the same integers
  bh           statsmodels.stats.multitest.multipletests(method="fdr_bh")
  levels       group-sequential recursion by Gauss-Legendre quadrature and scipy's brentq
"""

import json
from fractions import Fraction

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm, rankdata, wilcoxon
from statsmodels.stats.multitest import multipletests

SEED = 19630598  # Hodges and Lehmann, 1963, page 598
LEVELS = [0.2, 0.05, 0.01, 0.001, 0.0001]


def has_ties_or_zeros(x):
    sizes = np.abs(x)
    return len(np.unique(sizes)) < len(sizes) or np.any(sizes == 0)


def p_by_signings(x):
    """Exact conditional two-sided p-value: the share of signings at least as far from the middle, twice one tail."""
    ranks = rankdata(np.abs(x))
    keep = x != 0
    ranks, signs = ranks[keep], x[keep] > 0
    n = len(ranks)
    observed = ranks[signs].sum()
    bits = (np.arange(2**n)[:, None] >> np.arange(n)) & 1
    sums = bits @ ranks
    low = np.count_nonzero(sums <= observed + 1e-9)
    high = np.count_nonzero(sums >= observed - 1e-9)
    return float(min(Fraction(1), Fraction(2 * min(low, high), 2**n)))


def exact_p(x):
    if has_ties_or_zeros(x):
        return p_by_signings(x)
    return float(wilcoxon(x, method="exact").pvalue)


def cumulative_counts(n):
    """Number of the 2^n signings with a sum of positive ranks of at most t, for every t, as Python integers."""
    counts = [1]
    for rank in range(1, n + 1):
        counts = [
            (counts[t] if t < len(counts) else 0) + (counts[t - rank] if t >= rank else 0)
            for t in range(len(counts) + rank)
        ]
    total, out = 0, []
    for count in counts:
        total += count
        out.append(total)
    return out


def walsh(x):
    i, j = np.triu_indices(len(x))
    return np.sort((x[i] + x[j]) / 2)


def intervals(x):
    n, averages = len(x), walsh(x)
    counts = cumulative_counts(n)
    out = []
    for level in LEVELS:
        rejected = [t for t, count in enumerate(counts) if Fraction(2 * count, 2**n) <= Fraction(level)]
        if rejected:
            c = max(rejected)
            out.append([float(averages[c]), float(averages[len(averages) - 1 - c])])
        else:
            out.append(None)
    against = min(int(np.count_nonzero(averages <= 0)), int(np.count_nonzero(averages >= 0)))
    interval_p = min(Fraction(1), Fraction(2 * counts[against], 2**n))
    return out, float(interval_p)


def data_set(x):
    x = np.asarray(x, dtype=float)
    bounds, interval_p = intervals(x)
    return {
        "x": x.tolist(),
        "p": exact_p(x),
        "estimate": float(np.median(walsh(x))),
        "bounds": bounds,
        "interval_p": interval_p,
    }


def data_sets(rng):
    yield from (data_set([value]) for value in (-1.0, 0.0, 2.5))
    for n in range(2, 42):  # neither ties nor zeros, three shifts each
        for shift in (0.0, 0.4, -1.0):
            x = np.round(rng.normal(shift, 1.0, n), 4)
            if not has_ties_or_zeros(x):
                yield data_set(x)
    for n in range(2, 13):  # few distinct values: ties and zeros
        for spread in (1, 2, 4, 8):
            for shift in (0, 1):
                yield data_set(rng.integers(-spread, spread + 1, n) + shift)
    for n in (6, 9, 12):  # all alike
        yield data_set(np.full(n, -0.25))
        yield data_set(np.zeros(n))
    yield data_set(np.round(rng.standard_t(2, 60) + 0.3, 5))


def adjusted(rng):
    for m in (1, 2, 3, 5, 8, 13, 21, 40):
        for power in (1, 3):
            p = np.round(rng.uniform(size=m) ** power, 5)
            yield {"p": p.tolist(), "bh": multipletests(p, method="fdr_bh")[1].tolist()}
    tied = [0.01, 0.01, 0.03, 0.03, 0.03, 1.0, 1.0]
    yield {"p": tied, "bh": multipletests(tied, method="fdr_bh")[1].tolist()}


def spent(t, alpha):
    return 4 * norm.sf(norm.isf(alpha / 4) / np.sqrt(t))


def levels(fractions, alpha, family):
    """Two-sided levels; the density of the undecided scores is kept at Gauss-Legendre nodes between the bounds."""
    nodes, weights = np.polynomial.legendre.leggauss(400)
    used, before, out = 0.0, None, []
    for k, t in enumerate(fractions):
        total = (alpha if t == 1 else spent(t, alpha)) / family
        if before is None:
            bound = norm.isf((total - used) / 2) * np.sqrt(t)
            density = lambda b, t=t: norm.pdf(b, scale=np.sqrt(t))
        else:
            at, mass, last = before
            sd = np.sqrt(t - last)
            crossing = lambda b: 2 * float(np.sum(mass * norm.sf((b - at) / sd)))
            bound = brentq(lambda b: crossing(b) - (total - used), 0, 20, xtol=1e-14, rtol=1e-14)
            density = lambda b, at=at, mass=mass, sd=sd: norm.pdf(b[:, None], at, sd) @ mass
        out.append(float(2 * norm.sf(bound / np.sqrt(t))))
        at = bound * nodes
        before, used = (at, bound * weights * density(at), t), total
    return out


def plans():
    for looks, alpha, family in [
        ([16], 0.05, 1),
        ([16], 0.05, 12),
        ([8, 16], 0.05, 1),
        ([16, 24, 32], 0.05, 1),
        ([16, 24, 32], 0.05, 12),
        ([16, 24, 32], 0.01, 5),
        ([10, 20, 30, 40, 50], 0.05, 1),
        ([12, 13, 14, 40], 0.1, 3),
        ([20, 22, 36, 60, 61], 0.05, 2),
        ([4, 6, 8], 0.05, 5),
        ([4, 5, 6, 7, 8], 0.05, 3),
        ([4, 8, 12], 0.05, 5),
    ]:
        yield {
            "looks": looks,
            "alpha": alpha,
            "family": family,
            "levels": levels([look / looks[-1] for look in looks], alpha, family),
        }


def main():
    rng = np.random.default_rng(SEED)
    print("{")
    print(f'"levels": {json.dumps(LEVELS)},')
    for name, rows in (("data_sets", data_sets(rng)), ("adjusted", adjusted(rng)), ("plans", plans())):
        body = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
        print(f'"{name}": [\n{body}\n]' + ("," if name != "plans" else ""))
    print("}")


main()
