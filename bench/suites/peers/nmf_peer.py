"""Times scikit-learn's non_negative_factorization from a given start.

usage: nmf_peer.py FOLDER N M R SOLVER LOSS SWEEPS...
FOLDER holds x, y and c: the data, the coordinates and the components of the start as float64 numbers, row by row.
Prints, for each number of sweeps, the least processor seconds of three calls and the squared error at the end.
"""
import os
import sys
import time
import warnings

import numpy as np
from sklearn.decomposition import non_negative_factorization

warnings.filterwarnings("ignore")  # the limit of iterations is meant to be reached


def main():
    folder = sys.argv[1]
    n, m, r = map(int, sys.argv[2:5])
    solver, loss = sys.argv[5:7]
    x, y, c = (np.fromfile(os.path.join(folder, name)).reshape(shape) for name, shape in (("x", (n, m)), ("y", (n, r)), ("c", (r, m))))
    for sweeps in map(int, sys.argv[7:]):
        least = float("inf")
        for _ in range(3):
            start = time.process_time()
            w, h, _ = non_negative_factorization(x, W=y.copy(), H=c.copy(), n_components=r, init="custom", solver=solver, beta_loss=loss, tol=0, max_iter=sweeps)
            least = min(least, time.process_time() - start)
        print(least, np.linalg.norm(x - w @ h) ** 2)


main()
