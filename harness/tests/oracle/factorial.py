"""Answers about designs and contrasts that the Rust side must reproduce, computed by other means.

    /tmp/oracle/bin/python factorial.py > factorial.json

Sources of the answers:
  main, interaction   for each block a least-squares fit by statsmodels' formulas, and of its predictions over the whole
                      grid the differences; over blocks statsmodels' DescrStatsW: mean, t interval, t test
  slope               scipy.stats.linregress, its interval by scipy.stats.t
  student             scipy.stats.t: sf and isf
  fractions           pydoe: the generators that fracfact_opt finds, the aliases that fracfact_aliasing finds
"""

import itertools
import json
import string
import warnings

import numpy as np
import pandas as pd
import pydoe
import statsmodels.formula.api as smf
from scipy.stats import linregress, t
from statsmodels.stats.weightstats import DescrStatsW

SEED = 19351  # Yates' Complex experiments, 1935, page 181 and on
LEVELS = [0.05, 0.002]


def grid(levels):
    """All cells, the first factor fastest."""
    return [cell[::-1] for cell in itertools.product(*[range(n) for n in reversed(levels)])]


def frame(cells):
    return pd.DataFrame(cells, columns=[f"x{factor}" for factor in range(len(cells[0]))])


def formula(factors, without=()):
    pairs = [f"C(x{a}):C(x{b})" for a, b in itertools.combinations(range(factors), 2) if (a, b) not in without]
    return "y ~ " + " + ".join([f"C(x{factor})" for factor in range(factors)] + pairs)


def effects(levels, prediction):
    """Main effects and interactions of a table of predictions over the whole grid."""
    table = prediction.reshape(levels, order="F")
    out = {}
    for f, n in enumerate(levels):
        for a in range(1, n):
            out[f"{f}:{a}"] = float((table.take(a, f) - table.take(0, f)).mean())
    for f, g in itertools.combinations(range(len(levels)), 2):
        for a, b in itertools.product(range(1, levels[f]), range(1, levels[g])):
            at = lambda i, j: table.take([i], f).take([j], g)
            out[f"{f}:{a},{g}:{b}"] = float((at(a, b) - at(a, 0) - at(0, b) + at(0, 0)).mean())
    return out


def design(rng, kind):
    """Levels, cells, and the interactions that a model of these cells must go without."""
    if kind == "full":
        levels = [[2, 2], [2, 2, 2], [2, 2, 2, 2], [3, 2], [3, 2, 2], [4, 3]][rng.integers(6)]
        return levels, grid(levels), ()
    if kind == "half of five":
        return [2] * 5, [cell for cell in grid([2] * 5) if sum(cell) % 2 == 0], ()
    if kind == "half of four":
        return [2] * 4, [cell for cell in grid([2] * 4) if sum(cell) % 2 == 0], ((2, 3), (1, 3), (1, 2))
    if kind == "requires":
        levels = [[2, 2, 2], [2, 2, 2, 2]][rng.integers(2)]
        return levels, [cell for cell in grid(levels) if cell[0] or not cell[1]], ((0, 1),)
    factors = int(rng.integers(4, 7))  # add and leave
    few = [cell for cell in grid([2] * factors) if sum(cell) <= 1 or sum(cell) >= factors - 1]
    return [2] * factors, few, None


def contrast(values):
    stats = DescrStatsW(values)
    out = {"estimate": float(stats.mean), "p": float(stats.ttest_mean(0)[1])}
    out["bounds"] = [[float(end) for end in stats.tconfint_mean(level)] for level in LEVELS]
    return out


def data_set(rng, kind):
    levels, cells, without = design(rng, kind)
    blocks = int(rng.integers(2, 8))
    table, whole = frame(cells), frame(grid(levels))
    truth = rng.normal(0, 0.1, len(cells))
    y = np.round(truth + rng.normal(0, 0.05, (blocks, len(cells))), 4)
    by_block = []
    for row in y:
        table["y"] = row
        fit = smf.ols(formula(len(levels), without or ()), table).fit()
        by_block.append(effects(levels, np.asarray(fit.predict(whole))))
    # Add-and-leave has too few arms for its interactions; main effects are the same for every solution.
    names = [name for name in by_block[0] if without is not None or "," not in name]
    if without:
        gone = {f"{a}:1,{b}:1" for a, b in without}
        names = [name for name in names if name not in gone]
    return {
        "levels": levels,
        "cells": cells,
        "y": y.tolist(),
        "effects": {name: contrast(np.array([effect[name] for effect in by_block])) for name in names},
    }


def data_sets(rng):
    for kind, count in (("full", 90), ("half of five", 25), ("half of four", 30), ("requires", 30), ("add-and-leave", 40)):
        for _ in range(count):
            yield data_set(rng, kind)


def slopes(rng):
    for n in (3, 4, 5, 8, 13, 40):
        y = np.round(rng.normal(0, 1, n) + 0.1 * np.arange(n), 4)
        fit = linregress(np.arange(n), y)
        half = t.isf(0.025, n - 2) * fit.stderr
        yield {"y": y.tolist(), "slope": fit.slope, "low": fit.slope - half, "high": fit.slope + half, "p": fit.pvalue}


def student():
    for degrees in (1, 2, 3, 5, 8, 15, 40, 999):
        for level in (0.2, 0.05, 0.01, 1e-4, 1e-6):
            yield {"degrees": degrees, "level": level, "t": float(t.isf(level / 2, degrees))}


def word_sets(alias_map):
    """Each line of an alias map such as 'a = bcd' as a sorted list of sorted words."""
    return sorted(sorted(word.strip().lower() for word in line.split("=")) for line in alias_map)


def fractions():
    for factors, erased in [(3, 1), (4, 1), (5, 1), (6, 1), (7, 1), (8, 1), (5, 2), (6, 2), (7, 2), (8, 2)]:
        generators, _, _ = pydoe.fracfact_opt(factors, erased, 0)
        yield {"factors": factors, "erased": erased, "generators": generators}


def aliases():
    """Alias classes of the fractions that the Rust side is expected to choose, from their columns."""
    for factors, generators in [(3, "ab"), (4, "abc"), (5, "abcd"), (5, "ab ac"), (6, "abc bcd"), (7, "abc abde")]:
        free = string.ascii_lowercase[: factors - len(generators.split())]
        generator = " ".join(list(free) + generators.split())
        alias_map, _ = pydoe.fracfact_aliasing(pydoe.fracfact(generator))
        yield {"generator": generator, "classes": word_sets(alias_map)}


def main():
    # Add-and-leave has fewer arms than its formula has terms, on purpose.
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(SEED)
    tables = [
        ("data_sets", data_sets(rng)),
        ("slopes", slopes(rng)),
        ("student", student()),
        ("fractions", fractions()),
        ("aliases", aliases()),
    ]
    print("{")
    print(f'"levels": {json.dumps(LEVELS)},')
    for name, rows in tables:
        body = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
        print(f'"{name}": [\n{body}\n]' + ("," if name != tables[-1][0] else ""))
    print("}")


main()
