"""umap-learn's curve 1/(1 + a·x^(2b)) for min_dist and spread, and the way back."""

import functools

import numpy as np
from scipy.optimize import brentq, curve_fit

from ._dispatch import Refused


def find_ab_params(spread, min_dist):
    """Fits a and b: the curve is close to 1 up to min_dist, and to exp(−(x − min_dist)/spread) from there."""

    def curve(x, a, b):
        return 1.0 / (1.0 + a * x ** (2 * b))

    x = np.linspace(0, spread * 3, 300)
    y = np.where(x < min_dist, 1.0, np.exp(-(x - min_dist) / spread))
    found, _ = curve_fit(curve, x, y)
    return found[0], found[1]


@functools.lru_cache(maxsize=64)
def min_dist_and_spread(a, b):
    """Returns the (min_dist, spread) whose curve has a and b. The ratio of both has b, since the spread only scales x."""
    if find_ab_params(1.0, 0.1) == (a, b):
        return 0.1, 1.0

    def off(ratio):
        return find_ab_params(1.0, ratio)[1] - b

    least, most = 0.0, 0.999
    if off(least) > 0 or off(most) < 0:
        raise Refused(f"no min_dist has the curve of a = {a:.4g} and b = {b:.4g}")
    ratio = brentq(off, least, most, xtol=1e-9)
    spread = (find_ab_params(1.0, ratio)[0] / a) ** (1 / (2 * b))
    return round(ratio * spread, 6), round(spread, 6)
