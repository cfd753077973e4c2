"""The part of umap-learn that orthant.accel provides where umap-learn is not installed: parameters, their checks, and their errors."""

import warnings

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator

from ._dispatch import missing
from ._metrics import engine_metric

_FARTHEST = {"correlation": 2, "cosine": 2, "hellinger": 1, "jaccard": 1, "dice": 1}


class UMAP(BaseEstimator):
    """Uniform manifold approximation and projection, with umap-learn's parameters; on this engine."""

    def __init__(
        self, n_neighbors=15, n_components=2, metric="euclidean", metric_kwds=None, output_metric="euclidean", output_metric_kwds=None, n_epochs=None,
        learning_rate=1.0, init="spectral", min_dist=0.1, spread=1.0, low_memory=True, n_jobs=-1, set_op_mix_ratio=1.0, local_connectivity=1.0,
        repulsion_strength=1.0, negative_sample_rate=5, transform_queue_size=4.0, a=None, b=None, random_state=None, angular_rp_forest=False,
        target_n_neighbors=-1, target_metric="categorical", target_metric_kwds=None, target_weight=0.5, transform_seed=42, transform_mode="embedding",
        force_approximation_algorithm=False, verbose=False, tqdm_kwds=None, unique=False, densmap=False, dens_lambda=2.0, dens_frac=0.3,
        dens_var_shift=0.1, output_dens=False, disconnection_distance=None, precomputed_knn=(None, None, None),
    ):  # fmt: skip
        given = locals()
        for name in self._get_param_names():
            setattr(self, name, given[name])

    fit = transform = inverse_transform = update = __mul__ = __add__ = __sub__ = missing

    def _validate_parameters(self):
        for wrong, text in (
            (not 0.0 <= self.set_op_mix_ratio <= 1.0, "set_op_mix_ratio must be between 0.0 and 1.0"),
            (self.repulsion_strength < 0.0, "repulsion_strength cannot be negative"),
            (self.min_dist > self.spread, "min_dist must be less than or equal to spread"),
            (self.min_dist < 0.0, "min_dist cannot be negative"),
            (not isinstance(self.init, (str, np.ndarray)), "init must be a string or ndarray"),
            (isinstance(self.init, str) and self.init not in ("spectral", "pca", "random"), 'string init values must be one of: "pca", "spectral", "random"'),
            (isinstance(self.init, np.ndarray) and self.init.shape[-1] != self.n_components, "init ndarray must match n_components value"),
            (not isinstance(self.metric, str) and not callable(self.metric), "metric must be string or callable"),
            (self.negative_sample_rate < 0, "negative sample rate must be positive"),
            (self.learning_rate < 0.0, "learning_rate must be positive"),
            (self.n_neighbors < 2, "n_neighbors must be greater than 1"),
            (self.target_n_neighbors < 2 and self.target_n_neighbors != -1, "target_n_neighbors must be greater than 1"),
            (isinstance(self.n_components, str), "n_components must be an int"),
        ):
            if wrong:
                raise ValueError(text)
        if self.n_components % 1 != 0:
            raise ValueError("n_components must be a whole number")
        self.n_components = int(self.n_components)
        if self.n_components < 1:
            raise ValueError("n_components must be greater than 0")
        if self.n_epochs is not None and not (isinstance(self.n_epochs, int) and self.n_epochs >= 0):
            raise ValueError("n_epochs must be a nonnegative integer")
        if self.n_jobs < -1 or self.n_jobs == 0:
            raise ValueError("n_jobs must be a postive integer, or -1 (for all cores)")
        self._metric_kwds = self.metric_kwds or {}
        self._sparse_data = issparse(self._raw_data)
        if self.metric == "precomputed":
            if self.unique:
                raise ValueError("unique is poorly defined on a precomputed metric")
        elif isinstance(self.metric, str) and engine_metric(self.metric, {}) is None and self.metric != "hellinger":
            raise ValueError("metric is neither callable nor a recognised string")
        distance = self.disconnection_distance
        if distance is None:
            distance = _FARTHEST.get(self.metric, np.inf) if isinstance(self.metric, str) else np.inf
        elif not isinstance(distance, (int, float)):
            raise ValueError("disconnection_distance must either be None or a numeric.")
        self._disconnection_distance = distance
        if self.knn_dists is not None:
            if self.unique:
                raise ValueError("unique is not currently available for precomputed_knn.")
            if self.knn_dists.shape != self.knn_indices.shape:
                raise ValueError("precomputed_knn[0] and precomputed_knn[1] must be numpy arrays of the same size.")
            if self.knn_dists.shape[1] < self.n_neighbors or self.knn_dists.shape[0] != self._raw_data.shape[0]:
                warnings.warn("precomputed_knn has too few neighbors or another number of samples. precomputed_knn will be ignored and the k-nn will be computed normally.", stacklevel=2)
                self.knn_indices = self.knn_dists = self.knn_search_index = None


nearest_neighbors = fuzzy_simplicial_set = simplicial_set_embedding = missing
