"""Estimators that partition samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.utils.validation import check_is_fitted

from . import _calls
from ._base import _Method, _Transforming
from ._types import T


class Clustering(ClusterMixin, _Method):
    """A method that partitions samples."""

    _orthant_affinities = False  # whether it makes a similarity graph
    _orthant_wants_model = False
    _orthant_finds_clusters = False  # whether it finds their number

    def fit(self: T, X: Any, y: Any = None) -> T:
        """Finds the clusters of the samples X, which are then in labels_.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self : the estimator
        """
        return self._fit(X, y)

    def _fit(self, X, y, **near):
        X, _, near = self._learned(X, None, near)
        count = 0 if self._orthant_finds_clusters else self.n_clusters
        if count is None:
            raise self._no_meaning("n_clusters")
        parameters = {"model": "try"} if self._orthant_wants_model else {}
        if self._orthant_affinities:
            parameters["keep_affinities"] = True
        result = self._call(_calls.cluster, X, near, count, **parameters)
        self.labels_ = result.array("labels")
        if "centers" in result:
            self.cluster_centers_ = result.array("centers", X.dtype)
            self.inertia_ = result.number("inertia")
        if "probabilities" in result:
            self.probabilities_ = result.array("probabilities")[:, 0]
            self.outlier_scores_ = result.array("outliers")[:, 0]
        if "tree" in result:
            table, kinds = result.array("tree"), {"parent": np.int64, "child": np.int64, "lambda_val": np.float64, "child_size": np.int64}
            self.condensed_tree_ = np.empty(len(table), list(kinds.items()))
            for name, column in zip(kinds, table.T):
                self.condensed_tree_[name] = column
        if "memberships" in result:
            self.memberships_ = result.array("memberships")
        if "layers" in result:
            self.layers_ = result.array("layers")
            self.layer_sizes_ = result.array("layer_sizes")
            self.layer_persistences_ = result.array("layer_persistences")
        if "exemplars" in result:
            self.exemplars_ = result.array("exemplars")
        if self._orthant_affinities:
            self.affinity_matrix_ = result.affinities()
        self._took(result)
        if self._orthant_wants_model:
            self._keep_model(result)
        return self


class Labelling(Clustering):
    """A clustering with a rule for the labels of new samples."""

    _orthant_wants_model = True

    def predict(self, X: Any) -> np.ndarray:
        """Returns the clusters of new samples. Each is assigned independently of the others.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        labels : int64 array of shape (n_samples,)
        """
        check_is_fitted(self)
        X = self._samples(X, reset=False)
        if self._orthant_finds_clusters and not (self.labels_ >= 0).any():
            return np.full(len(X) if not hasattr(X, "shape") else X.shape[0], -1, np.int64)  # noise, as the samples were
        return self._model().predict(X, threads=self._parameters().get("threads"), backend=self.backend, memory=self.memory_limit, progress=self.progress)


class Centred(_Transforming, Labelling):
    """A clustering by centres. Like scikit-learn's, it maps samples to their distances from the centres."""

    def fit(self: T, X: Any, y: Any = None, sample_weight: Any = None) -> T:
        """Finds the clusters of the samples X, which are then in labels_.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array of shape (n_samples,), ≥ 0; None: 1 each

        Returns
        -------
        self : the estimator
        """
        return self._fit(X, y, weights=sample_weight)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Finds the clusters of the samples X, and returns the distances of each sample from the centres.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)
        y : ignored
        sample_weight : array of shape (n_samples,), ≥ 0; None: 1 each

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters), or what set_output asks for
        """
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def transform(self, X: Any) -> Any:
        """Returns the distances of each sample from the centres, one column a cluster.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        distances : ndarray of shape (n_samples, n_clusters), or what set_output asks for
        """
        check_is_fitted(self)
        return euclidean_distances(self._orthant_scale.done(self._samples(X, reset=False)), self.cluster_centers_)

    def score(self, X: Any, y: Any = None) -> float:
        """Returns the sum of the squared distances of samples from their nearest centres, negated, so that larger is better.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        score : float
        """
        return -float((self.transform(X).min(axis=1) ** 2).sum())

    @property
    def _n_features_out(self):
        return self.cluster_centers_.shape[0]
