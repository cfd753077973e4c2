"""The part of openTSNE that orthant.accel provides where openTSNE is not installed: its parameters, and embeddings that are arrays."""

import numpy as np
from sklearn.base import BaseEstimator

from ._dispatch import missing


class TSNE(BaseEstimator):
    """t-distributed stochastic neighbour embedding, with openTSNE's parameters; on this engine."""

    def __init__(
        self, n_components=2, perplexity=30, learning_rate="auto", early_exaggeration_iter=250, early_exaggeration="auto", n_iter=500, exaggeration=None, dof=1,
        theta=0.5, n_interpolation_points=3, min_num_intervals=50, ints_in_interval=1, initialization="pca", metric="euclidean", metric_params=None,
        initial_momentum=0.8, final_momentum=0.8, max_grad_norm=None, max_step_norm=5, n_jobs=1, neighbors="auto", knn_kwargs=None,
        negative_gradient_method="auto", callbacks=None, callbacks_every_iters=50, random_state=None, verbose=False,
    ):  # fmt: skip
        given = locals()
        for name in TSNE._get_param_names():
            setattr(self, name, given[name])
        if early_exaggeration == "auto":
            self.early_exaggeration = 12 if exaggeration is None else max(12, exaggeration)

    fit = prepare_initial = missing


class TSNEEmbedding(np.ndarray):
    """Coordinates of samples, from which new samples are placed."""

    optimize = transform = prepare_partial = missing


class Affinities:
    """The probabilities of pairs."""

    def __init__(self, verbose=False):
        self.P, self.knn_index, self.verbose = None, None, verbose
