"""fit with a neighbour graph, or with affinities or distances, beside the samples."""

from sklearn.base import TransformerMixin


class Graphed(TransformerMixin):  # which wraps the fit_transform of these classes for set_output
    """Mixed into embeddings that take a neighbour graph beside the samples."""

    def fit(self, X, y=None, *, graph=None, distances=None):
        """Finds the coordinates of the samples X.

        graph : the neighbours of every sample in place of a search: a sparse n × n matrix of distances, such as
            ``KNeighborsTransformer(mode="distance")`` makes, or (indices, distances), both n × k.
        distances : n × n, by which the nearest samples are searched in place of those of X.
        """
        return self._fit(X, y, graph=graph, distances=distances)

    def fit_transform(self, X, y=None, *, graph=None, distances=None):
        """Is fit, and returns the coordinates."""
        return self._fit_transform(X, y, graph=graph, distances=distances)


class Edged(TransformerMixin):
    """Mixed into methods that take a neighbour graph or affinities beside the samples."""

    def fit(self, X, y=None, *, graph=None, affinities=None, distances=None):
        """Finds the coordinates of the samples X, or the components of a factorisation.

        graph : the neighbours of every sample in place of a search: a sparse n × n matrix of distances, such as
            ``KNeighborsTransformer(mode="distance")`` makes, or (indices, distances), both n × k.
        affinities : the weights of edges, a sparse symmetric n × n matrix, in place of a search and of the method's own weights.
        distances : n × n, by which the nearest samples are searched in place of those of X.
        """
        return self._fit(X, y, graph=graph, affinities=affinities, distances=distances)

    def fit_transform(self, X, y=None, *, graph=None, affinities=None, distances=None):
        """Is fit, and returns the coordinates."""
        return self._fit_transform(X, y, graph=graph, affinities=affinities, distances=distances)


class EdgedClustering:
    """Mixed into clusterings that take a neighbour graph or affinities beside the samples."""

    def fit(self, X, y=None, *, graph=None, affinities=None, distances=None):
        """Finds the clusters of the samples X, which are then in labels_. y is not used.

        graph : the neighbours of every sample in place of a search: a sparse n × n matrix of distances, such as
            ``KNeighborsTransformer(mode="distance")`` makes, or (indices, distances), both n × k.
        affinities : the weights of edges, a sparse symmetric n × n matrix, in place of a search and of the method's own weights.
        distances : n × n, by which the nearest samples are searched in place of those of X.
        """
        return self._fit(X, y, graph=graph, affinities=affinities, distances=distances)

    def fit_predict(self, X, y=None, *, graph=None, affinities=None, distances=None):
        """Is fit, and returns the labels."""
        return self.fit(X, y, graph=graph, affinities=affinities, distances=distances).labels_
