"""How often the mean of a contrast, looked at several times with Student's t, accuses a factor that does nothing.

    /tmp/oracle/bin/python means.py

Two ways to set the levels of looks are compared: those of the group-sequential recursion for normal statistics (as in
answers.json, right for many blocks), and what each look spends (whose sum bounds the error for any number of blocks).
The rate printed is that of a single comparison over alpha / family, with one standard error.
"""

import json
import pathlib

import numpy as np
from scipy.stats import norm, t

COMPARISONS = 1_000_000
CHUNK = 50_000


def spent(fraction, alpha):
    return alpha if fraction == 1 else 4 * norm.sf(norm.isf(alpha / 4) / np.sqrt(fraction))


def increments(looks, alpha, family):
    total = [spent(look / looks[-1], alpha) / family for look in looks]
    return [after - before for before, after in zip([0.0] + total, total)]


def rate(rng, looks, levels):
    alarms = 0
    for _ in range(COMPARISONS // CHUNK):
        x = rng.normal(size=(CHUNK, looks[-1]))
        alarm = np.zeros(CHUNK, dtype=bool)
        for n, level in zip(looks, levels):
            y = x[:, :n]
            alarm |= np.abs(y.mean(1)) >= t.isf(level / 2, n - 1) * y.std(1, ddof=1) / np.sqrt(n)
        alarms += np.count_nonzero(alarm)
    return alarms / COMPARISONS


def main():
    plans = json.loads((pathlib.Path(__file__).parent / "answers.json").read_text())["plans"]
    rng = np.random.default_rng(1908)
    for plan in plans:
        looks, alpha, family = plan["looks"], plan["alpha"], plan["family"]
        allowed = alpha / family
        ways = {"recursion": plan["levels"], "increments": increments(looks, alpha, family)}
        rates = {way: rate(rng, looks, levels) / allowed for way, levels in ways.items()}
        error = (1 / allowed / COMPARISONS) ** 0.5
        said = ", ".join(f"{way} {share:.3f}" for way, share in rates.items())
        print(f"{looks}, family {family}: {said} ± {error:.3f} of what is allowed", flush=True)


main()
