"""scikit-learn's searches for neighbours on the engine."""

from sklearn.neighbors import KNeighborsTransformer as _KBase
from sklearn.neighbors import NearestNeighbors as _Base
from sklearn.neighbors import RadiusNeighborsTransformer as _RadiusBase
from sklearn.neighbors import kneighbors_graph as _own_graph
from sklearn.neighbors import radius_neighbors_graph as _own_radius_graph
from sklearn.neighbors._base import NeighborsBase

from ._accelerated import Accelerated
from ._searching import ByNumber, ByRadius


class NearestNeighbors(ByNumber, ByRadius, Accelerated, _Base):
    pass


class KNeighborsTransformer(ByNumber, Accelerated, _KBase):
    pass


class RadiusNeighborsTransformer(ByRadius, Accelerated, _RadiusBase):
    pass


ByNumber.kneighbors.__doc__, ByRadius.radius_neighbors.__doc__ = _Base.kneighbors.__doc__, _Base.radius_neighbors.__doc__


def kneighbors_graph(X, n_neighbors, *, mode="connectivity", metric="minkowski", p=2, metric_params=None, include_self=False, n_jobs=None):
    if isinstance(X, NeighborsBase):
        return _own_graph(X, n_neighbors, mode=mode, metric=metric, p=p, metric_params=metric_params, include_self=include_self, n_jobs=n_jobs)
    found = NearestNeighbors(n_neighbors=n_neighbors, metric=metric, p=p, metric_params=metric_params, n_jobs=n_jobs).fit(X)
    return found.kneighbors_graph(_queries(found, mode, include_self), n_neighbors, mode)


def radius_neighbors_graph(X, radius, *, mode="connectivity", metric="minkowski", p=2, metric_params=None, include_self=False, n_jobs=None):
    if isinstance(X, NeighborsBase):
        return _own_radius_graph(X, radius, mode=mode, metric=metric, p=p, metric_params=metric_params, include_self=include_self, n_jobs=n_jobs)
    found = NearestNeighbors(radius=radius, metric=metric, p=p, metric_params=metric_params, n_jobs=n_jobs).fit(X)
    return found.radius_neighbors_graph(_queries(found, mode, include_self), radius, mode)


def _queries(found, mode, include_self):
    return found._fit_X if include_self is True or include_self == "auto" and mode == "connectivity" else None


kneighbors_graph.__doc__, radius_neighbors_graph.__doc__ = _own_graph.__doc__, _own_radius_graph.__doc__
