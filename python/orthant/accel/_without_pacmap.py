"""The part of PaCMAP that orthant.accel provides where pacmap is not installed: parameters, their checks, and their errors."""

import math

from sklearn.base import BaseEstimator

from ._dispatch import missing

_SNAPSHOTS = [0, 10, 30, 60, 100, 120, 140, 170, 200, 250, 300, 350, 450]


class PaCMAP(BaseEstimator):
    """Pairwise controlled manifold approximation, with pacmap's parameters; on this engine."""

    def __init__(
        self, n_components=2, n_neighbors=10, MN_ratio=0.5, FP_ratio=2.0, pair_neighbors=None, pair_MN=None, pair_FP=None, distance="euclidean", lr=1.0,
        num_iters=(100, 100, 250), verbose=False, apply_pca=True, intermediate=False, intermediate_snapshots=_SNAPSHOTS, random_state=None, save_tree=False,
        knn_backend="faiss",
    ):  # fmt: skip
        given = locals()
        for name in PaCMAP._get_param_names():
            setattr(self, name, given[name])
        self.num_iters = num_iters if hasattr(num_iters, "__len__") else (100, 100, num_iters)
        self.random_state = 0 if random_state is None else random_state
        if distance not in ("angular", "euclidean", "manhattan", "hamming", "dot"):
            raise NotImplementedError("`distance` must be one of angular, euclidean, manhattan, hamming, dot")
        if n_components < 1:
            raise ValueError("The number of projection dimensions must be at least 1.")
        if lr <= 0:
            raise ValueError("The learning rate must be larger than 0.")

    def decide_num_pairs(self, n):
        if self.n_neighbors is None:
            self.n_neighbors = 10 if n <= 10000 else int(round(10 + 15 * (math.log10(n) - 4)))
        self.n_MN, self.n_FP = int(round(self.n_neighbors * self.MN_ratio)), int(round(self.n_neighbors * self.FP_ratio))
        self.n_neighbors = min(self.n_neighbors, n - 1)
        self.n_FP, self.n_MN = min(self.n_FP, n - 1 - self.n_neighbors), min(self.n_MN, n - 1)
        if self.n_neighbors + self.n_MN + self.n_FP >= n:
            self.n_neighbors = int(n / (1 + self.MN_ratio + self.FP_ratio))
            self.n_MN, self.n_FP = int(self.n_neighbors * self.MN_ratio), int(self.n_neighbors * self.FP_ratio)
        if self.n_neighbors < 1:
            raise ValueError("The number of nearest neighbors can't be less than 1")
        if self.n_FP < 1:
            raise ValueError("The number of further points can't be less than 1")

    def del_pairs(self):
        self.pair_neighbors = self.pair_MN = self.pair_FP = None
        return self

    fit = fit_transform = transform = missing


class LocalMAP(PaCMAP):
    """LocalMAP, with pacmap's parameters; on this engine."""

    def __init__(
        self, n_components=2, n_neighbors=10, MN_ratio=0.5, FP_ratio=2.0, pair_neighbors=None, pair_MN=None, pair_FP=None, distance="euclidean", lr=1.0,
        num_iters=(100, 100, 250), verbose=False, apply_pca=True, intermediate=False, intermediate_snapshots=_SNAPSHOTS, random_state=None, save_tree=False,
        low_dist_thres=10, knn_backend="faiss",
    ):  # fmt: skip
        super().__init__(
            n_components, n_neighbors, MN_ratio, FP_ratio, pair_neighbors, pair_MN, pair_FP, distance, lr, num_iters, verbose, apply_pca, intermediate,
            intermediate_snapshots, random_state, save_tree, knn_backend,
        )  # fmt: skip
        self.low_dist_thres = low_dist_thres
