"""scikit-learn's searches for neighbours on the engine."""

from sklearn.neighbors import KNeighborsTransformer as _KBase
from sklearn.neighbors import NearestNeighbors as _Base
from sklearn.neighbors import RadiusNeighborsTransformer as _RadiusBase

from ._accelerated import Accelerated
from ._searching import ByNumber, ByRadius


class NearestNeighbors(ByNumber, ByRadius, Accelerated, _Base):
    pass


class KNeighborsTransformer(ByNumber, Accelerated, _KBase):
    pass


class RadiusNeighborsTransformer(ByRadius, Accelerated, _RadiusBase):
    pass


ByNumber.kneighbors.__doc__, ByRadius.radius_neighbors.__doc__ = _Base.kneighbors.__doc__, _Base.radius_neighbors.__doc__
