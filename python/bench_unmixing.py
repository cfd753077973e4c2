"""The spectra of a mixed image, recovered by orthant's nmf and by scikit-learn's NMF, each at its defaults.

    make python && PYTHONPATH=python python3 python/bench_unmixing.py

An image of 40 × 40 pixels with 100 bands is mixed from 4 known smooth spectra, by abundances that sum to 1, with noise. Printed for
each image: ‖X − WH‖/‖X‖, and the mean angle in degrees between the true spectra and the rows of H, in the order that fits best.
"""

import warnings
from itertools import permutations

import numpy as np
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

import orthant

KINDS, SIDE, BANDS, NOISE = 4, 40, 100, 0.005


def image(seed):
    r, t = np.random.RandomState(seed), np.linspace(0, 1, BANDS)
    spectra = np.full((KINDS, BANDS), 0.1)
    for k in range(KINDS):
        for _ in range(4):
            spectra[k] += r.uniform(0.2, 0.8) * np.exp(-((t - r.uniform(0, 1)) ** 2) / 2 / r.uniform(0.03, 0.12) ** 2)
    abundances = r.dirichlet(np.full(KINDS, 0.3), SIDE * SIDE)
    return np.maximum(0, abundances @ spectra + NOISE * r.randn(SIDE * SIDE, BANDS)), spectra


def unit(m):
    return m / np.linalg.norm(m, axis=1, keepdims=True)


def judged(x, w, h, spectra):
    angles = np.degrees(np.arccos(np.clip(unit(h) @ unit(spectra).T, -1, 1)))
    best = min(np.mean([angles[p[k], k] for k in range(KINDS)]) for p in permutations(range(KINDS)))
    return f"error {np.linalg.norm(x - w @ h) / np.linalg.norm(x):.6f}, angle {best:6.3f}"


warnings.simplefilter("ignore", ConvergenceWarning)
for seed in 1, 2, 3:
    x, spectra = image(seed)
    theirs = NMF(KINDS, random_state=seed)
    w = theirs.fit_transform(x)
    ours = orthant.factorize(x, "nmf", KINDS, seed=seed)
    print(f"image {seed}: scikit-learn {judged(x, w, theirs.components_, spectra)}; orthant {judged(x, ours.w, ours.h, spectra)}")
