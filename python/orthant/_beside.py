"""fit with a neighbour graph, affinities or distances in addition to the samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import TransformerMixin

from ._types import T


class Graphed(TransformerMixin): # it wraps fit_transform of these classes for set_output
    """Mixin of embeddings that take a neighbour graph in addition to the samples."""

    def fit(self: T, X: Any, y: Any = None, *, graph: Any = None, distances: Any = None) -> T:
        """Finds the coordinates of the samples X, which are then in embedding_.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)
        y : classes of the samples, for supervised methods; otherwise ignored
        graph : sparse n × n matrix, or (indices, distances), both n × k
            The neighbours of every sample with their distances, instead of a search, such as ``KNeighborsTransformer(mode="distance")`` makes.
        distances : n × n array
            Distances from which the nearest samples are found, instead of the distances of X.

        Returns
        -------
        self : the estimator
        """
        return self._fit(X, y, graph=graph, distances=distances)

    def fit_transform(self, X: Any, y: Any = None, *, graph: Any = None, distances: Any = None) -> Any:
        """Fits, and returns the coordinates.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)
        y : classes of the samples, for supervised methods; otherwise ignored
        graph : sparse n × n matrix, or (indices, distances), both n × k
            The neighbours of every sample with their distances, instead of a search, such as ``KNeighborsTransformer(mode="distance")`` makes.
        distances : n × n array
            Distances from which the nearest samples are found, instead of the distances of X.

        Returns
        -------
        Y : ndarray of shape (n_samples, n_components), or what set_output asks for
        """
        return self._fit_transform(X, y, graph=graph, distances=distances)


class Edged(TransformerMixin):
    """Mixin of methods that take a neighbour graph or affinities in addition to the samples."""

    def fit(self: T, X: Any, y: Any = None, *, graph: Any = None, affinities: Any = None, distances: Any = None) -> T:
        """Finds the coordinates of the samples X, or the components of a factorisation.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)
        y : classes of the samples, for supervised methods; otherwise ignored
        graph : sparse n × n matrix, or (indices, distances), both n × k
            The neighbours of every sample with their distances, instead of a search, such as ``KNeighborsTransformer(mode="distance")`` makes.
        affinities : sparse symmetric n × n matrix
            The weights of edges, instead of a search and of the method's own weights.
        distances : n × n array
            Distances from which the nearest samples are found, instead of the distances of X.

        Returns
        -------
        self : the estimator
        """
        return self._fit(X, y, graph=graph, affinities=affinities, distances=distances)

    def fit_transform(self, X: Any, y: Any = None, *, graph: Any = None, affinities: Any = None, distances: Any = None) -> Any:
        """Fits, and returns the coordinates.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)
        y : classes of the samples, for supervised methods; otherwise ignored
        graph : sparse n × n matrix, or (indices, distances), both n × k
            The neighbours of every sample with their distances, instead of a search, such as ``KNeighborsTransformer(mode="distance")`` makes.
        affinities : sparse symmetric n × n matrix
            The weights of edges, instead of a search and of the method's own weights.
        distances : n × n array
            Distances from which the nearest samples are found, instead of the distances of X.

        Returns
        -------
        Y : ndarray of shape (n_samples, n_components), or what set_output asks for
        """
        return self._fit_transform(X, y, graph=graph, affinities=affinities, distances=distances)


class EdgedClustering:
    """Mixin of clusterings that take a neighbour graph or affinities in addition to the samples."""

    def fit(self: T, X: Any, y: Any = None, *, graph: Any = None, affinities: Any = None, distances: Any = None) -> T:
        """Finds the clusters of the samples X, which are then in labels_.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)
        y : ignored
        graph : sparse n × n matrix, or (indices, distances), both n × k
            The neighbours of every sample with their distances, instead of a search, such as ``KNeighborsTransformer(mode="distance")`` makes.
        affinities : sparse symmetric n × n matrix
            The weights of edges, instead of a search and of the method's own weights.
        distances : n × n array
            Distances from which the nearest samples are found, instead of the distances of X.

        Returns
        -------
        self : the estimator
        """
        return self._fit(X, y, graph=graph, affinities=affinities, distances=distances)

    def fit_predict(self, X: Any, y: Any = None, *, graph: Any = None, affinities: Any = None, distances: Any = None) -> np.ndarray:
        """Fits, and returns the labels.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)
        y : ignored
        graph : sparse n × n matrix, or (indices, distances), both n × k
            The neighbours of every sample with their distances, instead of a search, such as ``KNeighborsTransformer(mode="distance")`` makes.
        affinities : sparse symmetric n × n matrix
            The weights of edges, instead of a search and of the method's own weights.
        distances : n × n array
            Distances from which the nearest samples are found, instead of the distances of X.

        Returns
        -------
        labels : int64 array of shape (n_samples,)
        """
        return self.fit(X, y, graph=graph, affinities=affinities, distances=distances).labels_


class GraphedClustering:
    """Mixin of clusterings that take a neighbour graph in addition to the samples."""

    def fit(self: T, X: Any, y: Any = None, *, graph: Any = None, distances: Any = None) -> T:
        """Finds the clusters of the samples X, which are then in labels_.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)
        y : ignored
        graph : sparse n × n matrix, or (indices, distances), both n × k
            The neighbours of every sample with their distances, instead of a search, such as ``KNeighborsTransformer(mode="distance")`` makes.
        distances : n × n array
            Distances of the samples, instead of the distances of X.

        Returns
        -------
        self : the estimator
        """
        return self._fit(X, y, graph=graph, distances=distances)

    def fit_predict(self, X: Any, y: Any = None, *, graph: Any = None, distances: Any = None) -> np.ndarray:
        """Fits, and returns the labels.

        Parameters
        ----------
        X : array, frame, table or sparse matrix of shape (n_samples, n_features)
        y : ignored
        graph : sparse n × n matrix, or (indices, distances), both n × k
            The neighbours of every sample with their distances, instead of a search, such as ``KNeighborsTransformer(mode="distance")`` makes.
        distances : n × n array
            Distances of the samples, instead of the distances of X.

        Returns
        -------
        labels : int64 array of shape (n_samples,)
        """
        return self.fit(X, y, graph=graph, distances=distances).labels_
