"""How often the exact signed-rank test, looked at several times, accuses an arm that is like base.

    /tmp/oracle/bin/python looks.py

The levels come from answers.json (group-sequential boundaries for normal statistics). The rate printed is that of a
single comparison; it must not exceed alpha / family. Two million simulated comparisons a plan; the error is one standard error.
"""

import json
import pathlib
from fractions import Fraction

import numpy as np

COMPARISONS = 2_000_000
CHUNK = 20_000


def critical(n, level):
    counts = [1]
    for rank in range(1, n + 1):
        counts = [
            (counts[t] if t < len(counts) else 0) + (counts[t - rank] if t >= rank else 0)
            for t in range(len(counts) + rank)
        ]
    total = 0
    for t, count in enumerate(counts):
        total += count
        if Fraction(2 * total, 2**n) > Fraction(level):
            return t - 1


def statistic(x):
    ranks = np.argsort(np.argsort(np.abs(x), axis=1), axis=1) + 1
    return (ranks * (x > 0)).sum(axis=1)


def rate(rng, looks, levels):
    bounds = [(n, critical(n, level)) for n, level in zip(looks, levels)]
    alarms = 0
    for _ in range(COMPARISONS // CHUNK):
        x = rng.normal(size=(CHUNK, looks[-1]))
        alarm = np.zeros(CHUNK, dtype=bool)
        for n, c in bounds:
            t = statistic(x[:, :n])
            alarm |= (t <= c) | (t >= n * (n + 1) // 2 - c)
        alarms += np.count_nonzero(alarm)
    return alarms / COMPARISONS


def main():
    answers = json.loads((pathlib.Path(__file__).parent / "answers.json").read_text())
    rng = np.random.default_rng(1969)
    for plan in answers["plans"]:
        if any(2.0 ** (1 - n) > level for n, level in zip(plan["looks"], plan["levels"])):
            continue  # refused by check_plan
        measured = rate(rng, plan["looks"], plan["levels"])
        allowed = plan["alpha"] / plan["family"]
        error = (allowed / COMPARISONS) ** 0.5
        print(f"{plan['looks']}, family {plan['family']}: {measured:.5f} ± {error:.5f}, allowed {allowed:.5f}", flush=True)


if __name__ == "__main__":
    main()
