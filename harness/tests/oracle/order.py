"""How often one arm that is like base is accused, by how blocks are ordered and how long noise lasts.

    /tmp/oracle/bin/python order.py

Base, its twin and the arm in 24 blocks, looked at after 12 and 24, judged by the exact signed-rank test. First the correlation of a block with its mirror image by the formula of
docs/METHODOLOGY.md, then 400,000 simulated runs a figure; the error is one standard error.
"""

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from looks import critical, statistic

RUNS = 400_000
CHUNK = 20_000
UNITS, BLOCKS, LOOKS, ALPHA = 3, 24, (12, 24), 0.05


def correlation(between, units, rho):
    """Of the log-ratios of a block and its mirror image, averaged over the places of two arms."""
    places = [(p, q) for p in range(units) for q in range(units) if p != q]
    shared = sum(rho ** ((between + 2) * units - 1) * (rho**-p - rho**-q) ** 2 for p, q in places)
    return shared / sum(2 * (1 - rho ** abs(p - q)) for p, q in places)


def levels():
    """What two looks at half and all of the blocks may spend, by O'Brien and Fleming's function and the recursion."""
    first = 4 * norm.sf(norm.isf(ALPHA / 4) / np.sqrt(0.5))
    bound = norm.isf(first / 2)
    z = np.linspace(-bound, bound, 4001)
    root = np.sqrt(0.5)

    def beyond(second):
        tails = norm.sf((second - root * z) / root) + norm.cdf((-second - root * z) / root)
        return np.trapezoid(norm.pdf(z) * tails, z)

    return first, 2 * norm.sf(brentq(lambda second: beyond(second) - (ALPHA - first), 1, 4))


def places(rng, drawn):
    """The place of each unit in each block; `drawn` orders and then the same reversed, or all anew."""
    places = np.argsort(rng.random((CHUNK, BLOCKS, UNITS)), axis=2)
    for block in range(BLOCKS if drawn else 0):
        if block // drawn % 2 == 1:
            places[:, block] = UNITS - 1 - places[:, block - drawn]
    return places


def noise(rng, rho, drift):
    new = rng.normal(size=(CHUNK, BLOCKS * UNITS))
    values = new.copy()
    for at in range(1, BLOCKS * UNITS):
        values[:, at] = rho * values[:, at - 1] + np.sqrt(1 - rho**2) * new[:, at]
    return (values + drift * np.arange(BLOCKS * UNITS) / UNITS).reshape(CHUNK, BLOCKS, UNITS)


def alarms(rng, bounds, drawn, rho, drift):
    values = np.take_along_axis(noise(rng, rho, drift), places(rng, drawn), 2)
    ratios = values[:, :, 2] - values[:, :, 0]
    alarm = np.zeros(CHUNK, dtype=bool)
    for blocks, bound in bounds:
        t = statistic(ratios[:, :blocks])
        alarm |= (t <= bound) | (t >= blocks * (blocks + 1) // 2 - bound)
    return np.count_nonzero(alarm)


def main():
    memory = np.linspace(0.02, 0.998, 400)
    for between in (0, 1, 3):
        largest = max(correlation(between, 8, rho) for rho in memory)
        some = [f"{correlation(between, units, 0.7):.4f}" for units in (3, 5, 8)]
        rate = 2 * norm.sf(norm.isf(0.025) / np.sqrt(1 + largest))
        print(f"{between} blocks between: at most {largest:.4f}, so {rate:.4f}; at 0.7 {', '.join(some)}")
    rng = np.random.default_rng(5)
    bounds = [(blocks, critical(blocks, level)) for blocks, level in zip(LOOKS, levels())]
    for rho, drift in ((0, 0), (0.5, 0), (0.7, 0), (0.9, 0), (0, 0.5)):
        for name, drawn in (("fours", 2), ("eights", 4), ("drawn anew", 0)):
            rate = sum(alarms(rng, bounds, drawn, rho, drift) for _ in range(RUNS // CHUNK)) / RUNS
            error = (rate * (1 - rate) / RUNS) ** 0.5
            print(f"kept {rho}, drift {drift}, {name}: {100 * rate:.2f} ± {100 * error:.2f}%", flush=True)


main()
