"""The estimators, one for every method. Written by _generate.py from the library's methods: do not edit."""

from __future__ import annotations

from typing import Any

from ._base import Factorization, FactorizationOnly, Mapping, Supervised
from ._beside import Edged, EdgedClustering, Graphed
from ._clustering import Centred, Clustering, Labelling
from ._learning import Learning
from ._linear import Principal, Projection

__all__ = [
    "AMRMF",
    "AMRMFClustering",
    "APMF",
    "APMFClustering",
    "CIMGNMF",
    "CIMGNMFClustering",
    "CIMNMF",
    "CIMNMFClustering",
    "ClassicalMDS",
    "CurvatureLTSA",
    "DS3",
    "DSMF",
    "DSMFClustering",
    "DiffusionMaps",
    "ESCFFS",
    "FSMRMF",
    "FSMRMFClustering",
    "GNMF",
    "GNMFClustering",
    "GSGNMF",
    "GSGNMFClustering",
    "HLLE",
    "Isomap",
    "KMeans",
    "L21NMF",
    "L21NMFClustering",
    "LDA",
    "LLE",
    "LNP",
    "LNPClustering",
    "LPP",
    "LPRNA",
    "LPRNAClustering",
    "LTSA",
    "LaplacianEigenmaps",
    "MLLE",
    "NDLA",
    "NEML",
    "NLE",
    "NLLE",
    "NMF",
    "NMFBeta",
    "NMFBetaClustering",
    "NMFClustering",
    "NMFKL",
    "NMFKLClustering",
    "NMMS",
    "NOLPP",
    "NONPP",
    "NPAF",
    "NPAFClustering",
    "NPCA",
    "NPP",
    "OLPP",
    "OLPPCai",
    "ONPP",
    "PCA",
    "RMNMF",
    "RMNMFClustering",
    "SMCE",
    "SMCEClustering",
    "SMRMF",
    "SMRMFClustering",
    "SMRMFEuc",
    "SMRMFEucClustering",
    "SMRMFNS",
    "SMRMFNSClustering",
    "SPRNA",
    "SpectralClustering",
]


class PCA(Principal):
    """Principal component analysis.

    The linear projection of largest variance.
    Source: Pearson 1901; Hotelling 1933.

    Parameters
    ----------
    n_components : int, "auto" or None, default=2
        d, the columns of the embedding, at most those of the data and fewer than the samples (≥ 1). None: as
        many as there can be, the lesser of n_samples - 1 and n_features. "auto": the intrinsic dimension of
        the samples, estimated from them.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.
    components_ : ndarray of shape (n_components, n_features)
        The projection, one axis a row; not there where X is no samples.
    mean_ : ndarray of shape (n_features,)
        The mean of the samples.
    explained_variance_, explained_variance_ratio_, singular_values_ : ndarray of shape (n_components,)
        Of the samples along the axes: the variance, its share of all, and the singular value of the centred
        samples.
    noise_variance_ : float
        The mean variance along the directions that are left out, of score.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.PCA(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "pca"
    _orthant_keys = {
        "n_components": "dim",
        "duplicates": "duplicates",
        "denoise": "denoise",
        "stability": "stability",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_whole = True
    _orthant_sparse = True

    def __init__(
        self,
        n_components: str | int | None = 2,
        *,
        duplicates: str = "keep",
        denoise: str | int | None = None,
        stability: str = "off",
        standardize: str | None = None,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_components = n_components
        self.duplicates = duplicates
        self.denoise = denoise
        self.stability = stability
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class LLE(Graphed, Mapping):
    """Locally linear embedding.

    Keeps the weights that reconstruct each sample from its neighbours.
    Source: Roweis, Saul, Science 290, 2000.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        k, the nearest neighbours of each sample (≥ 1). "auto": the default number, or fewer if neighbourhoods
        would reach other sheets.
    n_components : int or "auto", default=2
        d, the columns of the embedding (≥ 1). "auto": the intrinsic dimension of the samples, estimated from
        them.
    gamma : float or "auto", default="auto"
        γ, regularisation of the weights, times the trace of the local Gram matrix; auto: 0.001, but 0 along a
        clear tangent plane (> 0).
    components : {"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"
        If the neighbour graph has several components: "joint": solve the problem as it stands, with a
        warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning;
        "error": refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each
        on its own, side by side; "bridge": link the components by their shortest edges.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    certified : bool, default=False
        Counts the eigenvalues below a number behind those of the embedding by one factorisation more, and
        searches for any that was missed: certificate_ has the count.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    certificate_ : dict or None
        With certified=True what the count proves: "below" eigenvalues are below "shift", of which "known"
        were found (docs/solvers.md).
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.LLE(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "lle"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "gamma": "gamma",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "certified": "certified",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)
    _orthant_sparse = True

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        gamma: str | float = "auto",
        components: str = "joint",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        certified: bool = False,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.gamma = gamma
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.certified = certified
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class MLLE(Graphed, Mapping):
    """Modified locally linear embedding.

    Several weight vectors for each sample, mixed without regard to their residual.
    Source: Zhang, Wang, NIPS 2006.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        k, the nearest neighbours of each sample, at least d + 1 (≥ 1). "auto": the default number, or fewer
        if neighbourhoods would reach other sheets.
    n_components : int or "auto", default=2
        d, the columns of the embedding (≥ 1). "auto": the intrinsic dimension of the samples, estimated from
        them.
    gamma : float or "auto", default="auto"
        γ, regularisation of the weights, times the trace of the local Gram matrix; auto: 0.001, but 0 along a
        clear tangent plane, and no more than the median gap of the local spectra (> 0).
    eta : float or "auto", default="auto"
        η, the share of a neighbourhood's variance that its weight vectors may ignore; auto: the median over
        the samples (≥ 0).
    components : {"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"
        If the neighbour graph has several components: "joint": solve the problem as it stands, with a
        warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning;
        "error": refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each
        on its own, side by side; "bridge": link the components by their shortest edges.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    certified : bool, default=False
        Counts the eigenvalues below a number behind those of the embedding by one factorisation more, and
        searches for any that was missed: certificate_ has the count.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    certificate_ : dict or None
        With certified=True what the count proves: "below" eigenvalues are below "shift", of which "known"
        were found (docs/solvers.md).
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.MLLE(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "mlle"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "gamma": "gamma",
        "eta": "eta",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "certified": "certified",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)
    _orthant_sparse = True

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        gamma: str | float = "auto",
        eta: str | float = "auto",
        components: str = "joint",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        certified: bool = False,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.gamma = gamma
        self.eta = eta
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.certified = certified
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class LTSA(Graphed, Mapping):
    """Local tangent space alignment.

    Aligns the local coordinates in each neighbourhood's tangent space.
    Source: Zhang, Zha, SIAM J. Sci. Comput. 26, 2004.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        k, the nearest neighbours of each sample, at least d + 1 (≥ 1). "auto": the default number, or fewer
        if neighbourhoods would reach other sheets.
    n_components : int or "auto", default=2
        d, the columns of the embedding (≥ 1). "auto": the intrinsic dimension of the samples, estimated from
        them.
    exclude_self : bool, default=False
        Leave the sample itself out of its neighbourhood, as scikit-learn does.
    components : {"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"
        If the neighbour graph has several components: "joint": solve the problem as it stands, with a
        warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning;
        "error": refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each
        on its own, side by side; "bridge": link the components by their shortest edges.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    certified : bool, default=False
        Counts the eigenvalues below a number behind those of the embedding by one factorisation more, and
        searches for any that was missed: certificate_ has the count.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    certificate_ : dict or None
        With certified=True what the count proves: "below" eigenvalues are below "shift", of which "known"
        were found (docs/solvers.md).
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.LTSA(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "ltsa"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "exclude_self": "exclude_self",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "certified": "certified",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)
    _orthant_sparse = True

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        exclude_self: bool = False,
        components: str = "joint",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        certified: bool = False,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.exclude_self = exclude_self
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.certified = certified
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class CurvatureLTSA(Graphed, Mapping):
    """Curvature-weighted LTSA.

    LTSA with less weight where the data bends off the tangent space.
    Source: Zhang, Wang, Zha, IEEE PAMI 34, 2012.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        k, the nearest neighbours of each sample, at least d + 1 (≥ 1). "auto": the default number, or fewer
        if neighbourhoods would reach other sheets.
    n_components : int or "auto", default=2
        d, the columns of the embedding (≥ 1). "auto": the intrinsic dimension of the samples, estimated from
        them.
    delta : float, default=0.01
        δ, the error that is expected of a sample without curvature; large values give plain LTSA (> 0).
    exclude_self : bool, default=False
        Leave the sample itself out of its neighbourhood.
    components : {"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"
        If the neighbour graph has several components: "joint": solve the problem as it stands, with a
        warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning;
        "error": refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each
        on its own, side by side; "bridge": link the components by their shortest edges.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    certified : bool, default=False
        Counts the eigenvalues below a number behind those of the embedding by one factorisation more, and
        searches for any that was missed: certificate_ has the count.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    certificate_ : dict or None
        With certified=True what the count proves: "below" eigenvalues are below "shift", of which "known"
        were found (docs/solvers.md).
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.CurvatureLTSA(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "ltsa-curvature"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "delta": "delta",
        "exclude_self": "exclude_self",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "certified": "certified",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        delta: float = 0.01,
        exclude_self: bool = False,
        components: str = "joint",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        certified: bool = False,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.delta = delta
        self.exclude_self = exclude_self
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.certified = certified
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class HLLE(Graphed, Mapping):
    """Hessian locally linear embedding.

    Looks for the functions whose Hessian in the tangent coordinates vanishes.
    Source: Donoho, Grimes, PNAS 100, 2003.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        k, the nearest neighbours of each sample; at least 1 + d + d(d+1)/2 (≥ 1). "auto": the default number,
        or fewer if neighbourhoods would reach other sheets.
    n_components : int or "auto", default=2
        d, the columns of the embedding (≥ 1). "auto": the intrinsic dimension of the samples, estimated from
        them.
    exclude_self : bool, default=False
        Leave the sample itself out of its neighbourhood, as Donoho and Grimes do.
    components : {"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"
        If the neighbour graph has several components: "joint": solve the problem as it stands, with a
        warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning;
        "error": refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each
        on its own, side by side; "bridge": link the components by their shortest edges.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    certified : bool, default=False
        Counts the eigenvalues below a number behind those of the embedding by one factorisation more, and
        searches for any that was missed: certificate_ has the count.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    certificate_ : dict or None
        With certified=True what the count proves: "below" eigenvalues are below "shift", of which "known"
        were found (docs/solvers.md).
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.HLLE(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "hlle"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "exclude_self": "exclude_self",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "certified": "certified",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)
    _orthant_sparse = True

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        exclude_self: bool = False,
        components: str = "joint",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        certified: bool = False,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.exclude_self = exclude_self
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.certified = certified
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class NEML(Graphed, Mapping):
    """Nonlinear embedding preserving multiple local-linearities.

    Keeps several nearly optimal weight vectors a sample.
    Source: Wang, Zhang, Pattern Recognition 43, 2010.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        k, the nearest neighbours of each sample, at least d + 1 (≥ 1). "auto": the default number, or fewer
        if neighbourhoods would reach other sheets.
    n_components : int or "auto", default=2
        d, the columns of the embedding (≥ 1). "auto": the intrinsic dimension of the samples, estimated from
        them.
    gamma : float or "auto", default="auto"
        γ, regularisation of the weights, times the trace of the local Gram matrix; auto: 0.001, but 0 along a
        clear tangent plane, and no more than the median gap of the local spectra (> 0).
    eta : float or "auto", default="auto"
        η, the share of a neighbourhood's variance that its weight vectors may ignore; auto: the median over
        the samples (≥ 0).
    mixing : float or "alpha", default="alpha"
        How the weight vectors are mixed: alpha (NEML), 0 (modified LLE), 1 (orthogonal columns).
    components : {"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"
        If the neighbour graph has several components: "joint": solve the problem as it stands, with a
        warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning;
        "error": refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each
        on its own, side by side; "bridge": link the components by their shortest edges.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    certified : bool, default=False
        Counts the eigenvalues below a number behind those of the embedding by one factorisation more, and
        searches for any that was missed: certificate_ has the count.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    certificate_ : dict or None
        With certified=True what the count proves: "below" eigenvalues are below "shift", of which "known"
        were found (docs/solvers.md).
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.NEML(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "neml"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "gamma": "gamma",
        "eta": "eta",
        "mixing": "mixing",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "certified": "certified",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)
    _orthant_sparse = True
    _orthant_former = {
        "lam": "mixing",
    }

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        gamma: str | float = "auto",
        eta: str | float = "auto",
        mixing: str | float = "alpha",
        components: str = "joint",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        certified: bool = False,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.gamma = gamma
        self.eta = eta
        self.mixing = mixing
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.certified = certified
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class LaplacianEigenmaps(Edged, Mapping):
    """Laplacian eigenmaps.

    Keeps neighbours close, by the weighted graph Laplacian.
    Source: Belkin, Niyogi, Neural Computation 15, 2003.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        k, the nearest neighbours of each sample (≥ 1). "auto": the default number, or fewer if neighbourhoods
        would reach other sheets.
    n_components : int or "auto", default=2
        d, the columns of the embedding (≥ 1). "auto": the intrinsic dimension of the samples, estimated from
        them.
    graph : {"union", "mutual", "average"}, default="union"
        Samples are joined if either lists the other, if both do, or by the mean of the two lists.
    weights : {"binary", "heat", "heat_norm", "cosine"}, default="binary"
        The weight of an edge: 1, exp(−d²/t), exp(−d/t), or the cosine (0 if negative).
    t : float or "auto", default="auto"
        t of the heat kernel; auto: the mean squared (heat_norm: mean) distance to a neighbour (> 0).
    components : {"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"
        If the neighbour graph has several components: "joint": solve the problem as it stands, with a
        warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning;
        "error": refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each
        on its own, side by side; "bridge": link the components by their shortest edges.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        "precomputed": X is no samples but the distances between them: a sparse n × n matrix of those of each
        sample to its neighbours, such as KNeighborsTransformer(mode="distance") makes (stored zeros are
        distances of zero, unstored entries no neighbours, the sample itself does not count; all stored
        neighbours are taken, or the n_neighbors nearest where that is not at its default), or a full array,
        in which the n_neighbors nearest are searched. There is then no rule for new samples.
    affinity : {"nearest_neighbors", "precomputed"}, default="nearest_neighbors"
        "precomputed": X is no samples but a symmetric n × n matrix of the weights of the edges between them,
        sparse or full; n_neighbors does nothing, and parameters that make weights are errors. There is then
        no rule for new samples.
    certified : bool, default=False
        Counts the eigenvalues below a number behind those of the embedding by one factorisation more, and
        searches for any that was missed: certificate_ has the count.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    certificate_ : dict or None
        With certified=True what the count proves: "below" eigenvalues are below "shift", of which "known"
        were found (docs/solvers.md).
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.LaplacianEigenmaps(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "le"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "graph": "graph",
        "weights": "weights",
        "t": "t",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "certified": "certified",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)
    _orthant_sparse = True
    _orthant_instead = ("graph", "affinities", "distances")

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        graph: str = "union",
        weights: str = "binary",
        t: str | float = "auto",
        components: str = "joint",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        metric: str = "euclidean",
        affinity: str = "nearest_neighbors",
        certified: bool = False,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.graph = graph
        self.weights = weights
        self.t = t
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.metric = metric
        self.affinity = affinity
        self.certified = certified
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class DiffusionMaps(Graphed, Mapping):
    """Diffusion maps.

    Keeps the distances between random walks from the samples, with or without their density.
    Source: Coifman, Lafon, Appl. Comput. Harmon. Anal. 21, 2006.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        k, the nearest neighbours of each sample (≥ 1). "auto": the default number, or fewer if neighbourhoods
        would reach other sheets.
    n_components : int or "auto", default=2
        d, the columns of the embedding (≥ 1). "auto": the intrinsic dimension of the samples, estimated from
        them.
    alpha : float, default=1.0
        α, the power of the density by which the kernel is divided: 1 removes the influence of the density,
        0.5 halves it (Fokker–Planck), 0 keeps it (≥ 0).
    time : int, default=1
        t, the steps of the random walk: each column is multiplied by its eigenvalue to this power; 0: not
        multiplied (≥ 0).
    epsilon : float or "auto", default="auto"
        ε of the kernel exp(−d²/ε); auto: the mean squared distance to a neighbour (> 0).
    graph : {"union", "mutual", "average"}, default="union"
        Samples are joined if either lists the other, if both do, or by the mean of the two lists.
    components : {"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"
        If the neighbour graph has several components: "joint": solve the problem as it stands, with a
        warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning;
        "error": refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each
        on its own, side by side; "bridge": link the components by their shortest edges.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        "precomputed": X is no samples but the distances between them: a sparse n × n matrix of those of each
        sample to its neighbours, such as KNeighborsTransformer(mode="distance") makes (stored zeros are
        distances of zero, unstored entries no neighbours, the sample itself does not count; all stored
        neighbours are taken, or the n_neighbors nearest where that is not at its default), or a full array,
        in which the n_neighbors nearest are searched. There is then no rule for new samples.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.DiffusionMaps(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "diffusion-maps"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "alpha": "alpha",
        "time": "time",
        "epsilon": "epsilon",
        "graph": "graph",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)
    _orthant_sparse = True
    _orthant_instead = ("graph", "distances")

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        alpha: float = 1.0,
        time: int = 1,
        epsilon: str | float = "auto",
        graph: str = "union",
        components: str = "joint",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        metric: str = "euclidean",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.alpha = alpha
        self.time = time
        self.epsilon = epsilon
        self.graph = graph
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.metric = metric
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class NPP(Graphed, Projection):
    """Neighbourhood preserving projections.

    The linear form of locally linear embedding.
    Source: He, Cai, Yan, Zhang, ICCV 2005.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        k, the nearest neighbours of each sample (≥ 1). "auto": the default number, or fewer if neighbourhoods
        would reach other sheets.
    n_components : int or "auto", default=2
        d, the columns of the embedding, at most the rank of the data (≥ 1). "auto": the intrinsic dimension
        of the samples, estimated from them.
    gamma : float or "auto", default="auto"
        γ, regularisation of the weights, times the trace of the local Gram matrix; auto: 0.001, but 0 along a
        clear tangent plane (> 0).
    skip : int, default=0
        Leading directions to leave out (≥ 0).
    components : {"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"
        If the neighbour graph has several components: "joint": solve the problem as it stands, with a
        warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning;
        "error": refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each
        on its own, side by side; "bridge": link the components by their shortest edges.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.
    components_ : ndarray of shape (n_components, n_features)
        The projection, one axis a row; not there where X is no samples.
    mean_ : ndarray of shape (n_features,)
        The mean of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.NPP(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "npp"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "gamma": "gamma",
        "skip": "skip",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        gamma: str | float = "auto",
        skip: int = 0,
        components: str = "joint",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.gamma = gamma
        self.skip = skip
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class ONPP(Graphed, Projection):
    """Orthogonal neighbourhood preserving projections.

    NPP with orthonormal directions.
    Source: Kokiopoulou, Saad, IEEE TPAMI 29, 2007.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        k, the nearest neighbours of each sample (≥ 1). "auto": the default number, or fewer if neighbourhoods
        would reach other sheets.
    n_components : int or "auto", default=2
        d, the columns of the embedding, at most the rank of the centred data (≥ 1). "auto": the intrinsic
        dimension of the samples, estimated from them.
    gamma : float or "auto", default="auto"
        γ, regularisation of the weights, times the trace of the local Gram matrix; auto: 0.001, but 0 along a
        clear tangent plane (> 0).
    skip : int, default=0
        Leading directions to leave out (≥ 0).
    components : {"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"
        If the neighbour graph has several components: "joint": solve the problem as it stands, with a
        warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning;
        "error": refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each
        on its own, side by side; "bridge": link the components by their shortest edges.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.
    components_ : ndarray of shape (n_components, n_features)
        The projection, one axis a row; not there where X is no samples.
    mean_ : ndarray of shape (n_features,)
        The mean of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.ONPP(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "onpp"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "gamma": "gamma",
        "skip": "skip",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        gamma: str | float = "auto",
        skip: int = 0,
        components: str = "joint",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.gamma = gamma
        self.skip = skip
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class LPP(Edged, Projection):
    """Locality preserving projections.

    The linear form of Laplacian eigenmaps.
    Source: He, Niyogi, NIPS 2003.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        k, the nearest neighbours of each sample (≥ 1). "auto": the default number, or fewer if neighbourhoods
        would reach other sheets.
    n_components : int or "auto", default=2
        d, the columns of the embedding, at most the rank of the data (≥ 1). "auto": the intrinsic dimension
        of the samples, estimated from them.
    graph : {"union", "mutual", "average"}, default="union"
        Samples are joined if either lists the other, if both do, or by the mean of the two lists.
    weights : {"binary", "heat", "heat_norm", "cosine"}, default="heat"
        The weight of an edge: 1, exp(−d²/t), exp(−d/t), or the cosine (0 if negative).
    t : float or "auto", default="auto"
        t of the heat kernel; auto: the mean squared (heat_norm: mean) length of the edges, each counted once
        (> 0).
    skip : int, default=0
        Leading directions to leave out (≥ 0).
    components : {"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"
        If the neighbour graph has several components: "joint": solve the problem as it stands, with a
        warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning;
        "error": refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each
        on its own, side by side; "bridge": link the components by their shortest edges.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.
    components_ : ndarray of shape (n_components, n_features)
        The projection, one axis a row; not there where X is no samples.
    mean_ : ndarray of shape (n_features,)
        The mean of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.LPP(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "lpp"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "graph": "graph",
        "weights": "weights",
        "t": "t",
        "skip": "skip",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        graph: str = "union",
        weights: str = "heat",
        t: str | float = "auto",
        skip: int = 0,
        components: str = "joint",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.graph = graph
        self.weights = weights
        self.t = t
        self.skip = skip
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class OLPP(Edged, Projection):
    """Orthogonal locality preserving projections.

    LPP with orthonormal directions.
    Source: Kokiopoulou, Saad, IEEE TPAMI 29, 2007.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        k, the nearest neighbours of each sample (≥ 1). "auto": the default number, or fewer if neighbourhoods
        would reach other sheets.
    n_components : int or "auto", default=2
        d, the columns of the embedding, at most the rank of the centred data (≥ 1). "auto": the intrinsic
        dimension of the samples, estimated from them.
    graph : {"union", "mutual", "average"}, default="union"
        Samples are joined if either lists the other, if both do, or by the mean of the two lists.
    weights : {"binary", "heat", "heat_norm", "cosine"}, default="heat"
        The weight of an edge: 1, exp(−d²/t), exp(−d/t), or the cosine (0 if negative).
    t : float or "auto", default="auto"
        t of the heat kernel; auto: the mean squared (heat_norm: mean) length of the edges, each counted once
        (> 0).
    skip : int, default=0
        Leading directions to leave out (≥ 0).
    components : {"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"
        If the neighbour graph has several components: "joint": solve the problem as it stands, with a
        warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning;
        "error": refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each
        on its own, side by side; "bridge": link the components by their shortest edges.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.
    components_ : ndarray of shape (n_components, n_features)
        The projection, one axis a row; not there where X is no samples.
    mean_ : ndarray of shape (n_features,)
        The mean of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.OLPP(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "olpp"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "graph": "graph",
        "weights": "weights",
        "t": "t",
        "skip": "skip",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        graph: str = "union",
        weights: str = "heat",
        t: str | float = "auto",
        skip: int = 0,
        components: str = "joint",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.graph = graph
        self.weights = weights
        self.t = t
        self.skip = skip
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class OLPPCai(Edged, Projection):
    """Orthogonal Laplacianfaces.

    LPP directions one after the other, each orthogonal to those before.
    Source: Cai, He, Han, Zhang, IEEE TIP 15, 2006.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        k, the nearest neighbours of each sample (≥ 1). "auto": the default number, or fewer if neighbourhoods
        would reach other sheets.
    n_components : int or "auto", default=2
        d, the columns of the embedding, at most the rank of the data (≥ 1). "auto": the intrinsic dimension
        of the samples, estimated from them.
    graph : {"union", "mutual", "average"}, default="union"
        Samples are joined if either lists the other, if both do, or by the mean of the two lists.
    weights : {"binary", "heat", "heat_norm", "cosine"}, default="heat"
        The weight of an edge: 1, exp(−d²/t), exp(−d/t), or the cosine (0 if negative).
    t : float or "auto", default="auto"
        t of the heat kernel; auto: the mean squared (heat_norm: mean) length of the edges, each counted once
        (> 0).
    skip : int, default=0
        Leading directions to leave out; the others stay orthogonal to them (≥ 0).
    components : {"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"
        If the neighbour graph has several components: "joint": solve the problem as it stands, with a
        warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning;
        "error": refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each
        on its own, side by side; "bridge": link the components by their shortest edges.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.
    components_ : ndarray of shape (n_components, n_features)
        The projection, one axis a row; not there where X is no samples.
    mean_ : ndarray of shape (n_features,)
        The mean of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.OLPPCai(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "olpp-cai"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "graph": "graph",
        "weights": "weights",
        "t": "t",
        "skip": "skip",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        graph: str = "union",
        weights: str = "heat",
        t: str | float = "auto",
        skip: int = 0,
        components: str = "joint",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.graph = graph
        self.weights = weights
        self.t = t
        self.skip = skip
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class LDA(Supervised, Projection):
    """Linear discriminant analysis.

    The linear projection that best separates labelled classes.
    Source: Fisher 1936; Belhumeur, Hespanha, Kriegman, IEEE TPAMI 19, 1997.

    It learns from the classes of the samples, which fit takes as y.

    Parameters
    ----------
    n_components : int, "auto" or None, default=None
        D, the columns of the embedding. None: one fewer than the classes, at most the columns of the samples.
        "auto": the intrinsic dimension of the samples, estimated from them.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.
    components_ : ndarray of shape (n_components, n_features)
        The projection, one axis a row; not there where X is no samples.
    mean_ : ndarray of shape (n_features,)
        The mean of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.LDA(n_components=2).fit_transform(x, numpy.arange(120) % 3).shape
    (120, 2)
    """

    _orthant_method = "lda"
    _orthant_keys = {
        "n_components": "dim",
        "duplicates": "duplicates",
        "denoise": "denoise",
        "stability": "stability",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }

    def __init__(
        self,
        n_components: str | int | None = None,
        *,
        duplicates: str = "keep",
        denoise: str | int | None = None,
        stability: str = "off",
        standardize: str | None = None,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_components = n_components
        self.duplicates = duplicates
        self.denoise = denoise
        self.stability = stability
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class Isomap(Graphed, Mapping):
    """Isometric feature mapping.

    Keeps the lengths of shortest paths through the neighbour graph.
    Source: Tenenbaum, de Silva, Langford, Science 290, 2000.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        k, the nearest neighbours of each sample; samples are joined if either lists the other (≥ 1). "auto":
        the default number, or fewer if neighbourhoods would reach other sheets.
    n_components : int or "auto", default=2
        d, the columns of the embedding (≥ 1). "auto": the intrinsic dimension of the samples, estimated from
        them.
    components : {"bridge", "auto", "error", "largest", "each"}, default="bridge"
        If the neighbour graph has several components: "bridge": link them by their shortest edges, with a
        warning; "auto": "bridge", or "each" where there are no samples; "error": refuse; "largest": embed the
        largest component (the other rows are NaN); "each": embed each on its own, side by side (there is then
        no rule for new samples).
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        "precomputed": X is no samples but the distances between them: a sparse n × n matrix of those of each
        sample to its neighbours, such as KNeighborsTransformer(mode="distance") makes (stored zeros are
        distances of zero, unstored entries no neighbours, the sample itself does not count; all stored
        neighbours are taken, or the n_neighbors nearest where that is not at its default), or a full array,
        in which the n_neighbors nearest are searched. There is then no rule for new samples.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.Isomap(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "isomap"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)
    _orthant_sparse = True
    _orthant_instead = ("graph", "distances")

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        components: str = "bridge",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        metric: str = "euclidean",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.metric = metric
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class ClassicalMDS(Projection):
    """Classical multidimensional scaling.

    Keeps the distances between the samples as well as d coordinates can.
    Source: Torgerson, Psychometrika 17, 1952.

    Parameters
    ----------
    n_components : int or "auto", default=2
        d, the columns of the embedding, at most those of the data (≥ 1). "auto": the intrinsic dimension of
        the samples, estimated from them.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        "precomputed": X is a full array of distances, n × n.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.
    components_ : ndarray of shape (n_components, n_features)
        The projection, one axis a row; not there where X is no samples.
    mean_ : ndarray of shape (n_features,)
        The mean of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.ClassicalMDS(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "mds"
    _orthant_keys = {
        "n_components": "dim",
        "duplicates": "duplicates",
        "denoise": "denoise",
        "stability": "stability",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True
    _orthant_instead = ("distances",)

    def __init__(
        self,
        n_components: str | int = 2,
        *,
        duplicates: str = "keep",
        denoise: str | int | None = None,
        stability: str = "off",
        standardize: str | None = None,
        metric: str = "euclidean",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_components = n_components
        self.duplicates = duplicates
        self.denoise = denoise
        self.stability = stability
        self.standardize = standardize
        self.metric = metric
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class LNP(Mapping):
    """Local non-negative pursuit.

    Keeps the few non-negative weights of a convex hull around each sample; for curves and clustering.
    Source: Chen, Lv, Yi, AAAI 2014.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        K, the number of nearest neighbours among which a sample chooses its own (≥ 1). "auto": the default
        number, or fewer if neighbourhoods would reach other sheets.
    n_components : int or "auto", default=2
        d, the columns of the embedding (≥ 1). "auto": the intrinsic dimension of the samples, estimated from
        them.
    cap : int or "auto", default="auto"
        The most neighbours that a sample chooses; auto: the estimated dimension plus one; none: any number,
        as in the paper (≥ 0).
    coincident : bool, default=False
        Samples at the same place may be each other's neighbours; then they have no others.
    components : {"bridge", "auto", "error", "largest", "each", "joint"}, default="bridge"
        If the neighbour graph has several components: "bridge": embed each on its own and lay them out along
        the shortest edges between them, with a warning; "auto": "each" or "bridge", whichever suits the
        method and the components, with a warning; "error": refuse; "largest": embed the largest component
        (the other rows are NaN); "each": embed each on its own, side by side; "joint": solve the problem as
        it stands.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    certified : bool, default=False
        Counts the eigenvalues below a number behind those of the embedding by one factorisation more, and
        searches for any that was missed: certificate_ has the count.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    certificate_ : dict or None
        With certified=True what the count proves: "below" eigenvalues are below "shift", of which "known"
        were found (docs/solvers.md).
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.LNP(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "lnp"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "cap": "cap",
        "coincident": "coincident",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "certified": "certified",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)
    _orthant_sparse = True

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        cap: str | int = "auto",
        coincident: bool = False,
        components: str = "bridge",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        certified: bool = False,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.cap = cap
        self.coincident = coincident
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.certified = certified
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class LNPClustering(Labelling):
    """Local non-negative pursuit, as a clustering.

    Keeps the few non-negative weights of a convex hull around each sample; for curves and clustering.
    Source: Chen, Lv, Yi, AAAI 2014.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    n_neighbors : int, default=12
        K, the number of nearest neighbours among which a sample chooses its own (≥ 1).
    cap : int or "auto", default="auto"
        The most neighbours that a sample chooses; auto: the estimated dimension plus one; none: any number,
        as in the paper (≥ 0).
    coincident : bool, default=False
        Samples at the same place may be each other's neighbours; then they have no others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    affinity_matrix_ : sparse matrix of shape (n_samples, n_samples)
        The weights between samples.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.LNPClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "lnp"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "cap": "cap",
        "coincident": "coincident",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_affinities = True
    _orthant_sparse = True

    def __init__(
        self,
        n_clusters: int = 8,
        n_neighbors: int = 12,
        *,
        cap: str | int = "auto",
        coincident: bool = False,
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.cap = cap
        self.coincident = coincident
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class SMCE(Mapping):
    """Sparse manifold clustering and embedding.

    Joins each sample to the neighbours of a sparse affine combination.
    Source: Elhamifar, Vidal, NIPS 2011.

    Parameters
    ----------
    n_neighbors : int or "auto", default=50
        K, the number of nearest neighbours among which a sample chooses its own (≥ 1). "auto": the default
        number, or fewer if neighbourhoods would reach other sheets.
    n_components : int or "auto", default=2
        d, the columns of the embedding (≥ 1). "auto": the intrinsic dimension of the samples, estimated from
        them.
    distance_cost : float, default=10.0
        λ, the cost of distance against misfit (> 0).
    keep : float, default=0.95
        At most 1: of a sample's weights the largest are kept, as many as make up this share of their sum (>
        0).
    solver : {"active-set", "admm"}, default="active-set"
        How the sparse codes are computed: exactly, or by the published iteration, whose result is then made
        exact.
    components : {"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"
        If the neighbour graph has several components: "joint": solve the problem as it stands, with a
        warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning;
        "error": refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each
        on its own, side by side; "bridge": link the components by their shortest edges.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    certified : bool, default=False
        Counts the eigenvalues below a number behind those of the embedding by one factorisation more, and
        searches for any that was missed: certificate_ has the count.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    certificate_ : dict or None
        With certified=True what the count proves: "below" eigenvalues are below "shift", of which "known"
        were found (docs/solvers.md).
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.SMCE(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "smce"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "distance_cost": "distance_cost",
        "keep": "keep",
        "solver": "solver",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "certified": "certified",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)
    _orthant_sparse = True
    _orthant_former = {
        "lam": "distance_cost",
    }

    def __init__(
        self,
        n_neighbors: str | int = 50,
        n_components: str | int = 2,
        *,
        distance_cost: float = 10.0,
        keep: float = 0.95,
        solver: str = "active-set",
        components: str = "joint",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        certified: bool = False,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.distance_cost = distance_cost
        self.keep = keep
        self.solver = solver
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.certified = certified
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class SMCEClustering(Labelling):
    """Sparse manifold clustering and embedding, as a clustering.

    Joins each sample to the neighbours of a sparse affine combination.
    Source: Elhamifar, Vidal, NIPS 2011.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    n_neighbors : int, default=50
        K, the number of nearest neighbours among which a sample chooses its own (≥ 1).
    distance_cost : float, default=10.0
        λ, the cost of distance against misfit (> 0).
    keep : float, default=0.95
        At most 1: of a sample's weights the largest are kept, as many as make up this share of their sum (>
        0).
    solver : {"active-set", "admm"}, default="active-set"
        How the sparse codes are computed: exactly, or by the published iteration, whose result is then made
        exact.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    affinity_matrix_ : sparse matrix of shape (n_samples, n_samples)
        The weights between samples.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.SMCEClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "smce"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "distance_cost": "distance_cost",
        "keep": "keep",
        "solver": "solver",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_affinities = True
    _orthant_sparse = True
    _orthant_former = {
        "lam": "distance_cost",
    }

    def __init__(
        self,
        n_clusters: int = 8,
        n_neighbors: int = 50,
        *,
        distance_cost: float = 10.0,
        keep: float = 0.95,
        solver: str = "active-set",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.distance_cost = distance_cost
        self.keep = keep
        self.solver = solver
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class SpectralClustering(EdgedClustering, Labelling):
    """Spectral clustering.

    K-means in the leading eigenvectors of the neighbour graph.
    Source: Ng, Jordan, Weiss, NIPS 2001.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    n_neighbors : int, default=12
        k, the nearest neighbours of each sample (≥ 1).
    graph : {"union", "mutual", "average"}, default="union"
        Samples are joined if either lists the other, if both do, or by the mean of the two lists.
    weights : {"binary", "heat", "heat_norm", "cosine"}, default="binary"
        The weight of an edge: 1, exp(−d²/t), exp(−d/t), or the cosine (0 if negative).
    t : float or "auto", default="auto"
        t of the heat kernel; auto: the mean squared (heat_norm: mean) distance to a neighbour (> 0).
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        "precomputed": X is no samples but the distances between them: a sparse n × n matrix of those of each
        sample to its neighbours, such as KNeighborsTransformer(mode="distance") makes (stored zeros are
        distances of zero, unstored entries no neighbours, the sample itself does not count; all stored
        neighbours are taken, or the n_neighbors nearest where that is not at its default), or a full array,
        in which the n_neighbors nearest are searched. There is then no rule for new samples.
    affinity : {"nearest_neighbors", "precomputed"}, default="nearest_neighbors"
        "precomputed": X is no samples but a symmetric n × n matrix of the weights of the edges between them,
        sparse or full; n_neighbors does nothing, and parameters that make weights are errors. There is then
        no rule for new samples.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    affinity_matrix_ : sparse matrix of shape (n_samples, n_samples)
        The weights between samples.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.SpectralClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "spectral"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "graph": "graph",
        "weights": "weights",
        "t": "t",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_affinities = True
    _orthant_sparse = True
    _orthant_instead = ("graph", "affinities", "distances")

    def __init__(
        self,
        n_clusters: int = 8,
        n_neighbors: int = 12,
        *,
        graph: str = "union",
        weights: str = "binary",
        t: str | float = "auto",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        metric: str = "euclidean",
        affinity: str = "nearest_neighbors",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.graph = graph
        self.weights = weights
        self.t = t
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.metric = metric
        self.affinity = affinity
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class KMeans(Centred):
    """k-means clustering.

    Centres with the least sum of squared distances to their samples.
    Source: Lloyd 1957/1982; Arthur, Vassilvitskii, SODA 2007.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    n_init : int, default=10
        The number of starts; the result of least cost is kept (≥ 1).
    max_iter : int, default=300
        The most iterations of each start (≥ 1).
    tol : float, default=1e-06
        a start ends when no sample changes its cluster, or when no centre moves by more than this share of
        the data's root mean square radius; 0: only when no sample changes its cluster (≥ 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The mean of each cluster's samples.
    inertia_ : float
        The sum of the squared distances of the samples to their centres.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.KMeans(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "kmeans"
    _orthant_keys = {
        "n_init": "restarts",
        "max_iter": "iterations",
        "tol": "tolerance",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-06,
        standardize: str | None = None,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class NMMS(Mapping):
    """Nonnegative multidimensional scaling.

    Nonnegative coordinates whose products are those of the centred samples.
    Source: Zafeiriou, Laskaris, ICPR 2010.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        k, the nearest neighbours of each sample, for the graph of distances=geodesic and for new samples (≥
        1). "auto": the default number, or fewer if neighbourhoods would reach other sheets.
    n_components : int or "auto", default=2
        P, the columns of the embedding (≥ 1). "auto": the intrinsic dimension of the samples, estimated from
        them.
    distances : {"euclidean", "geodesic"}, default="euclidean"
        The distances: between samples, or along their neighbour graph, which has to be connected.
    update : {"gradient", "paper", "penalty"}, default="gradient"
        The rule. gradient: projected gradients of an objective with a penalty on overlap; the others are
        multiplicative: the paper's rule for a maximisation (paper), or a majoriser of the penalised objective
        (penalty).
    overlap_penalty : float or "auto", default="auto"
        Weight of the penalty (update=gradient and penalty); auto: 0.1 times the square of the largest
        eigenvalue of the Gram matrix K, in all iterations (> 0).
    init : {"random", "spectral"}, default="random"
        The start: uniform numbers in (0.1, 1) by the seed, with columns of unit length, or the positive parts
        of the leading eigenvectors.
    max_iter : int or "auto", default="auto"
        The most iterations; auto: 20000 for update=gradient, else 500 (≥ 1).
    tol : float or "auto", default="auto"
        Update=gradient: stop when the KKT residual and the relative fall of the objective over ten iterations
        are less (auto: 0.001); else stop (update=penalty: end the stage) when a step changes the factor by
        less, relative to it (auto: 1e-06); 0: never (≥ 0).
    round : bool, default=False
        Make the result exactly feasible: one nonzero coordinate in each row, and orthonormal columns.
    components : {"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"
        If the neighbour graph has several components: "joint": solve the problem as it stands, with a
        warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning;
        "error": refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each
        on its own, side by side; "bridge": link the components by their shortest edges.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        "precomputed": X is a full array of distances, n × n.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.NMMS(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "nmms"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "distances": "distances",
        "update": "update",
        "overlap_penalty": "overlap_penalty",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "round": "round",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)
    _orthant_instead = ("distances",)
    _orthant_former = {
        "alpha": "overlap_penalty",
        "normalise": None,
    }

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        distances: str = "euclidean",
        update: str = "gradient",
        overlap_penalty: str | float = "auto",
        init: str = "random",
        max_iter: str | int = "auto",
        tol: str | float = "auto",
        round: bool = False,
        components: str = "joint",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        metric: str = "euclidean",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.distances = distances
        self.update = update
        self.overlap_penalty = overlap_penalty
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.round = round
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.metric = metric
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class NLLE(Graphed, Mapping):
    """Nonnegative locally linear embedding.

    Locally linear embedding with nonnegative coordinates.
    Source: Zafeiriou, Laskaris, ICPR 2010.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        k, the nearest neighbours of each sample (≥ 1). "auto": the default number, or fewer if neighbourhoods
        would reach other sheets.
    n_components : int or "auto", default=2
        P, the columns of the embedding (≥ 1). "auto": the intrinsic dimension of the samples, estimated from
        them.
    gamma : float or "auto", default="auto"
        γ, regularisation of the weights, times the trace of the local Gram matrix; auto: 0.001, but 0 along a
        clear tangent plane (> 0).
    update : {"gradient", "paper", "penalty"}, default="gradient"
        The rule. gradient: projected gradients of an objective with a penalty on overlap; the others are
        multiplicative: the paper's rule for a maximisation (paper), or a majoriser of the penalised objective
        (penalty).
    sigma : float or "auto", default="auto"
        σ of σI − M of a multiplicative rule; auto: the largest eigenvalue of M (≥ 0).
    overlap_penalty : float or "auto", default="auto"
        Weight of the penalty; auto: with update=gradient 1/128 of the norm of M, doubled while ‖UᵀU − I‖ >
        √P/64, to at most 64 norms; with update=penalty the norm of the matrix C times 1, 2, 4, … 64, each for
        a seventh of the iterations (> 0).
    init : {"random", "spectral"}, default="random"
        The start: uniform numbers in (0.1, 1) by the seed, with columns of unit length, or the positive parts
        of the leading eigenvectors.
    max_iter : int or "auto", default="auto"
        The most iterations; auto: 20000 for update=gradient, else 500 (≥ 1).
    tol : float or "auto", default="auto"
        Update=gradient: stop when the KKT residual and the relative fall of the objective over ten iterations
        are less (auto: 0.001); else stop (update=penalty: end the stage) when a step changes the factor by
        less, relative to it (auto: 1e-06); 0: never (≥ 0).
    round : bool, default=False
        Make the result exactly feasible: one nonzero coordinate in each row, and orthonormal columns.
    components : {"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"
        If the neighbour graph has several components: "joint": solve the problem as it stands, with a
        warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning;
        "error": refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each
        on its own, side by side; "bridge": link the components by their shortest edges.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.NLLE(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "nlle"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "gamma": "gamma",
        "update": "update",
        "sigma": "sigma",
        "overlap_penalty": "overlap_penalty",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "round": "round",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)
    _orthant_sparse = True
    _orthant_former = {
        "alpha": "overlap_penalty",
        "normalise": None,
    }

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        gamma: str | float = "auto",
        update: str = "gradient",
        sigma: str | float = "auto",
        overlap_penalty: str | float = "auto",
        init: str = "random",
        max_iter: str | int = "auto",
        tol: str | float = "auto",
        round: bool = False,
        components: str = "joint",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.gamma = gamma
        self.update = update
        self.sigma = sigma
        self.overlap_penalty = overlap_penalty
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.round = round
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class NLE(Edged, Mapping):
    """Nonnegative Laplacian embedding.

    Laplacian eigenmaps with nonnegative coordinates.
    Source: Zafeiriou, Laskaris, ICPR 2010.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        k, the nearest neighbours of each sample (≥ 1). "auto": the default number, or fewer if neighbourhoods
        would reach other sheets.
    n_components : int or "auto", default=2
        P, the columns of the embedding (≥ 1). "auto": the intrinsic dimension of the samples, estimated from
        them.
    graph : {"union", "mutual", "average"}, default="union"
        Samples are joined if either lists the other, if both do, or by the mean of the two lists.
    weights : {"adaptive", "binary", "heat", "heat_norm", "cosine"}, default="adaptive"
        The weight of an edge: a Gaussian whose width is the mean, over both ends, of the distance to the k-th
        neighbour; or 1, exp(−d²/t), exp(−d/t), or the cosine (0 if negative).
    t : float or "auto", default="auto"
        t of the heat kernel; auto: the mean squared (heat_norm: mean) length of the edges, each counted once
        (> 0).
    update : {"gradient", "paper", "penalty"}, default="gradient"
        The rule. gradient: projected gradients of an objective with a penalty on overlap; the others are
        multiplicative: the paper's rule for a maximisation (paper), or a majoriser of the penalised objective
        (penalty).
    sigma : float or "auto", default="auto"
        σ of σI − L of a multiplicative rule; auto: 1 (≥ 0).
    overlap_penalty : float or "auto", default="auto"
        Weight of the penalty; auto: with update=gradient 1/128 of the norm of L, doubled while ‖UᵀU − I‖ >
        √P/64, to at most 64 norms; with update=penalty the norm of the matrix C times 1, 2, 4, … 64, each for
        a seventh of the iterations (> 0).
    init : {"random", "spectral"}, default="random"
        The start: uniform numbers in (0.1, 1) by the seed, with columns of unit length, or the positive parts
        of the leading eigenvectors.
    max_iter : int or "auto", default="auto"
        The most iterations; auto: 20000 for update=gradient, else 500 (≥ 1).
    tol : float or "auto", default="auto"
        Update=gradient: stop when the KKT residual and the relative fall of the objective over ten iterations
        are less (auto: 0.001); else stop (update=penalty: end the stage) when a step changes the factor by
        less, relative to it (auto: 1e-06); 0: never (≥ 0).
    round : bool, default=False
        Make the result exactly feasible: one nonzero coordinate in each row, and orthonormal columns.
    components : {"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"
        If the neighbour graph has several components: "joint": solve the problem as it stands, with a
        warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning;
        "error": refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each
        on its own, side by side; "bridge": link the components by their shortest edges.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    metric : {"euclidean", "precomputed"}, default="euclidean"
        "precomputed": X is no samples but the distances between them: a sparse n × n matrix of those of each
        sample to its neighbours, such as KNeighborsTransformer(mode="distance") makes (stored zeros are
        distances of zero, unstored entries no neighbours, the sample itself does not count; all stored
        neighbours are taken, or the n_neighbors nearest where that is not at its default), or a full array,
        in which the n_neighbors nearest are searched. There is then no rule for new samples.
    affinity : {"nearest_neighbors", "precomputed"}, default="nearest_neighbors"
        "precomputed": X is no samples but a symmetric n × n matrix of the weights of the edges between them,
        sparse or full; n_neighbors does nothing, and parameters that make weights are errors. There is then
        no rule for new samples.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.NLE(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "nle"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "graph": "graph",
        "weights": "weights",
        "t": "t",
        "update": "update",
        "sigma": "sigma",
        "overlap_penalty": "overlap_penalty",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "round": "round",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)
    _orthant_sparse = True
    _orthant_instead = ("graph", "affinities", "distances")
    _orthant_former = {
        "alpha": "overlap_penalty",
        "normalise": None,
    }

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        graph: str = "union",
        weights: str = "adaptive",
        t: str | float = "auto",
        update: str = "gradient",
        sigma: str | float = "auto",
        overlap_penalty: str | float = "auto",
        init: str = "random",
        max_iter: str | int = "auto",
        tol: str | float = "auto",
        round: bool = False,
        components: str = "joint",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        metric: str = "euclidean",
        affinity: str = "nearest_neighbors",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.graph = graph
        self.weights = weights
        self.t = t
        self.update = update
        self.sigma = sigma
        self.overlap_penalty = overlap_penalty
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.round = round
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.metric = metric
        self.affinity = affinity
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class NPCA(Projection):
    """Nonnegative principal component analysis.

    Nonnegative directions of largest variance.
    Source: Zafeiriou, Laskaris, ICPR 2010.

    Parameters
    ----------
    n_components : int or "auto", default=2
        P, the columns of the embedding, at most those of the data (≥ 1). "auto": the intrinsic dimension of
        the samples, estimated from them.
    update : {"gradient", "paper", "penalty"}, default="gradient"
        The rule. gradient: projected gradients of an objective with a penalty on overlap; the others are
        multiplicative: the paper's rule for a maximisation (paper), or a majoriser of the penalised objective
        (penalty).
    sigma : float or "auto", default="auto"
        σ of C + σI in a multiplicative rule; a larger σ favours disjoint directions; auto: 0 (≥ 0).
    overlap_penalty : float or "auto", default="auto"
        Weight of the penalty; auto: with update=gradient the norm of the matrix C, doubled while ‖UᵀU − I‖ >
        √P/64, at most 64 times; with update=penalty that norm times 1, 2, 4, … 64, each for a seventh of the
        iterations (> 0).
    init : {"random", "spectral"}, default="random"
        The start: uniform numbers in (0.1, 1) by the seed, with columns of unit length, or the positive parts
        of the leading eigenvectors.
    max_iter : int or "auto", default="auto"
        The most iterations; auto: 20000 for update=gradient, else 500 (≥ 1).
    tol : float or "auto", default="auto"
        Update=gradient: stop when the KKT residual and the relative fall of the objective over ten iterations
        are less (auto: 0.001); else stop (update=penalty: end the stage) when a step changes the factor by
        less, relative to it (auto: 1e-06); 0: never (≥ 0).
    round : bool, default=False
        Make the result exactly feasible: one nonzero coordinate in each row, and orthonormal columns.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.
    components_ : ndarray of shape (n_components, n_features)
        The projection, one axis a row; not there where X is no samples.
    mean_ : ndarray of shape (n_features,)
        The mean of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.NPCA(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "npca"
    _orthant_keys = {
        "n_components": "dim",
        "update": "update",
        "sigma": "sigma",
        "overlap_penalty": "overlap_penalty",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "round": "round",
        "duplicates": "duplicates",
        "denoise": "denoise",
        "stability": "stability",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_former = {
        "alpha": "overlap_penalty",
        "normalise": None,
    }

    def __init__(
        self,
        n_components: str | int = 2,
        *,
        update: str = "gradient",
        sigma: str | float = "auto",
        overlap_penalty: str | float = "auto",
        init: str = "random",
        max_iter: str | int = "auto",
        tol: str | float = "auto",
        round: bool = False,
        duplicates: str = "keep",
        denoise: str | int | None = None,
        stability: str = "off",
        standardize: str | None = None,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_components = n_components
        self.update = update
        self.sigma = sigma
        self.overlap_penalty = overlap_penalty
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.round = round
        self.duplicates = duplicates
        self.denoise = denoise
        self.stability = stability
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class NONPP(Graphed, Projection):
    """Nonnegative orthogonal neighbourhood preserving projections.

    ONPP with nonnegative directions.
    Source: Zafeiriou, Laskaris, ICPR 2010.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        k, the nearest neighbours of each sample (≥ 1). "auto": the default number, or fewer if neighbourhoods
        would reach other sheets.
    n_components : int or "auto", default=2
        P, the columns of the embedding, at most those of the data (≥ 1). "auto": the intrinsic dimension of
        the samples, estimated from them.
    gamma : float or "auto", default="auto"
        γ, regularisation of the weights, times the trace of the local Gram matrix; auto: 0.001, but 0 along a
        clear tangent plane (> 0).
    update : {"gradient", "paper", "penalty"}, default="gradient"
        The rule. gradient: projected gradients of an objective with a penalty on overlap; the others are
        multiplicative: the paper's rule for a maximisation (paper), or a majoriser of the penalised objective
        (penalty).
    sigma : float or "auto", default="auto"
        σ of σI − Q of a multiplicative rule; auto: 1.5 times the largest eigenvalue of Q (≥ 0).
    overlap_penalty : float or "auto", default="auto"
        Weight of the penalty; auto: with update=gradient 1/128 of the norm of Q, doubled while ‖UᵀU − I‖ >
        √P/64, to at most 64 norms; with update=penalty the norm of the matrix C times 1, 2, 4, … 64, each for
        a seventh of the iterations (> 0).
    init : {"random", "spectral"}, default="random"
        The start: uniform numbers in (0.1, 1) by the seed, with columns of unit length, or the positive parts
        of the leading eigenvectors.
    max_iter : int or "auto", default="auto"
        The most iterations; auto: 20000 for update=gradient, else 500 (≥ 1).
    tol : float or "auto", default="auto"
        Update=gradient: stop when the KKT residual and the relative fall of the objective over ten iterations
        are less (auto: 0.001); else stop (update=penalty: end the stage) when a step changes the factor by
        less, relative to it (auto: 1e-06); 0: never (≥ 0).
    round : bool, default=False
        Make the result exactly feasible: one nonzero coordinate in each row, and orthonormal columns.
    components : {"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"
        If the neighbour graph has several components: "joint": solve the problem as it stands, with a
        warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning;
        "error": refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each
        on its own, side by side; "bridge": link the components by their shortest edges.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.
    components_ : ndarray of shape (n_components, n_features)
        The projection, one axis a row; not there where X is no samples.
    mean_ : ndarray of shape (n_features,)
        The mean of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.NONPP(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "nonpp"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "gamma": "gamma",
        "update": "update",
        "sigma": "sigma",
        "overlap_penalty": "overlap_penalty",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "round": "round",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)
    _orthant_former = {
        "alpha": "overlap_penalty",
        "normalise": None,
    }

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        gamma: str | float = "auto",
        update: str = "gradient",
        sigma: str | float = "auto",
        overlap_penalty: str | float = "auto",
        init: str = "random",
        max_iter: str | int = "auto",
        tol: str | float = "auto",
        round: bool = False,
        components: str = "joint",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.gamma = gamma
        self.update = update
        self.sigma = sigma
        self.overlap_penalty = overlap_penalty
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.round = round
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class NOLPP(Edged, Projection):
    """Nonnegative orthogonal locality preserving projections.

    OLPP with nonnegative directions.
    Source: Zafeiriou, Laskaris, ICPR 2010.

    Parameters
    ----------
    n_neighbors : int or "auto", default=12
        k, the nearest neighbours of each sample (≥ 1). "auto": the default number, or fewer if neighbourhoods
        would reach other sheets.
    n_components : int or "auto", default=2
        P, the columns of the embedding, at most those of the data (≥ 1). "auto": the intrinsic dimension of
        the samples, estimated from them.
    graph : {"union", "mutual", "average"}, default="union"
        Samples are joined if either lists the other, if both do, or by the mean of the two lists.
    weights : {"binary", "heat", "heat_norm", "cosine"}, default="heat"
        The weight of an edge: 1, exp(−d²/t), exp(−d/t), or the cosine (0 if negative).
    t : float or "auto", default="auto"
        t of the heat kernel; auto: the mean squared (heat_norm: mean) length of the edges, each counted once
        (> 0).
    update : {"gradient", "paper", "penalty"}, default="gradient"
        The rule. gradient: projected gradients of an objective with a penalty on overlap; the others are
        multiplicative: the paper's rule for a maximisation (paper), or a majoriser of the penalised objective
        (penalty).
    sigma : float or "auto", default="auto"
        σ of σI − Q of a multiplicative rule; auto: 1.5 times the largest eigenvalue of Q (≥ 0).
    overlap_penalty : float or "auto", default="auto"
        Weight of the penalty; auto: with update=gradient 1/128 of the norm of Q, doubled while ‖UᵀU − I‖ >
        √P/64, to at most 64 norms; with update=penalty the norm of the matrix C times 1, 2, 4, … 64, each for
        a seventh of the iterations (> 0).
    init : {"random", "spectral"}, default="random"
        The start: uniform numbers in (0.1, 1) by the seed, with columns of unit length, or the positive parts
        of the leading eigenvectors.
    max_iter : int or "auto", default="auto"
        The most iterations; auto: 20000 for update=gradient, else 500 (≥ 1).
    tol : float or "auto", default="auto"
        Update=gradient: stop when the KKT residual and the relative fall of the objective over ten iterations
        are less (auto: 0.001); else stop (update=penalty: end the stage) when a step changes the factor by
        less, relative to it (auto: 1e-06); 0: never (≥ 0).
    round : bool, default=False
        Make the result exactly feasible: one nonzero coordinate in each row, and orthonormal columns.
    components : {"joint", "auto", "error", "largest", "each", "bridge"}, default="joint"
        If the neighbour graph has several components: "joint": solve the problem as it stands, with a
        warning; "auto": "each" or "bridge", whichever suits the method and the components, with a warning;
        "error": refuse; "largest": embed the largest component (the other rows are NaN); "each": embed each
        on its own, side by side; "bridge": link the components by their shortest edges.
    duplicates : {"keep", "merge"}, default="keep"
        Keep: equal samples stay separate samples; merge: one of them is embedded, and the others get the same
        coordinates.
    landmarks : int, default=0
        Embed only this many samples, the landmarks. The others get coordinates from their nearest landmarks
        by barycentric weights (isomap: from their distances to the landmarks along the graph of all samples);
        0: embed all (≥ 0).
    landmark_choice : {"auto", "farthest", "random"}, default="auto"
        How landmarks are chosen: each is the sample farthest from those before it, or at random. auto: at
        random for isomap, except with components=each; farthest for the others.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    denoise : {"auto", "off"}, int or None, default=None
        Samples are moved first onto planes of n_components dimensions among so many of their nearest, which
        takes off the noise across the surface that they lie near ("auto": where that is certain to help, with
        as many as the data show). None: "auto" with n_neighbors="auto" or a radius, else "off".
    stability : {"off", "subset"}, default="off"
        Subset: also embed every eighth sample alone, in an eighth of the time; quality then tells how far the
        coordinates of the two embeddings are from an affine map of each other.
    radius : {"none", "auto", float}, default="none"
        Take as neighbours the samples within a distance of R, but at least the 6 or dim + 2 nearest and at
        most 64. auto: the R within which half of the samples have as many neighbours as neighbors says; none:
        take as many as neighbors says.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components)
        The coordinates of the samples.
    eigenvalues_ : ndarray
        Of the coordinates, where the method finds eigenvectors.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.
    components_ : ndarray of shape (n_components, n_features)
        The projection, one axis a row; not there where X is no samples.
    mean_ : ndarray of shape (n_features,)
        The mean of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.NOLPP(n_components=2).fit_transform(x).shape
    (120, 2)
    """

    _orthant_method = "nolpp"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "n_components": "dim",
        "graph": "graph",
        "weights": "weights",
        "t": "t",
        "update": "update",
        "sigma": "sigma",
        "overlap_penalty": "overlap_penalty",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "round": "round",
        "components": "components",
        "duplicates": "duplicates",
        "landmarks": "landmarks",
        "landmark_choice": "landmark_choice",
        "recall": "recall",
        "denoise": "denoise",
        "stability": "stability",
        "radius": "radius",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_always = ("components",)
    _orthant_former = {
        "alpha": "overlap_penalty",
        "normalise": None,
    }

    def __init__(
        self,
        n_neighbors: str | int = 12,
        n_components: str | int = 2,
        *,
        graph: str = "union",
        weights: str = "heat",
        t: str | float = "auto",
        update: str = "gradient",
        sigma: str | float = "auto",
        overlap_penalty: str | float = "auto",
        init: str = "random",
        max_iter: str | int = "auto",
        tol: str | float = "auto",
        round: bool = False,
        components: str = "joint",
        duplicates: str = "keep",
        landmarks: int = 0,
        landmark_choice: str = "auto",
        recall: float = 0.99,
        denoise: str | int | None = None,
        stability: str = "off",
        radius: str | float = "none",
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.n_components = n_components
        self.graph = graph
        self.weights = weights
        self.t = t
        self.update = update
        self.sigma = sigma
        self.overlap_penalty = overlap_penalty
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.round = round
        self.components = components
        self.duplicates = duplicates
        self.landmarks = landmarks
        self.landmark_choice = landmark_choice
        self.recall = recall
        self.denoise = denoise
        self.stability = stability
        self.radius = radius
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class NMF(Learning, Factorization):
    """Nonnegative matrix factorisation.

    Nonnegative parts whose sums are the samples, least squares.
    Source: Lee, Seung, NIPS 2001; Cichocki, Phan 2009.

    With solver="minibatch" it learns batch by batch, and partial_fit from samples that come little by little.

    Parameters
    ----------
    n_components : int or None, default=2
        R, the components to find. None: n_features.
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    solver : {"auto", "mu", "hals", "minibatch"}, default="auto"
        Mu: multiplicative updates; hals: coordinate descent (hierarchical alternating least squares), which
        reaches the same error in fewer iterations; minibatch: hals batch by batch, for data larger than
        memory, where an iteration is a pass over the data (default 20); auto: hals if the other parameters
        allow it, else mu.
    sweeps : int, default=0
        For solver=hals: the sweeps over a factor for each product with the data; 0: as many as save time, 1:
        plain HALS (≥ 0).
    batch : int, default=1024
        For solver=minibatch: the samples of one batch, after which H is updated; two batches are held in
        memory (≥ 1).
    forget : float, default=0.01
        For solver=minibatch, at most 1: the share of the past that remains after one pass over the samples; a
        larger share is steadier and slower (> 0).
    patience : int, default=10
        For solver=minibatch: stop after this many batches without a new minimum of the smoothed error; 0:
        never (≥ 0).
    order : {"auto", "basis-first", "codes-first", "w-first"}, default="auto"
        Which factor is updated first. basis-first: H, then W with the new H; codes-first (solver=mu only): W
        first, from components of unit length, for at most 500 iterations, until the objective changes by less
        than tolerance (1e-5); w-first: W first, as in scikit-learn (solver=hals: with one sweep), and the
        factors are not rescaled; auto: codes-first in a clustering, else basis-first.
    extrapolate : bool, default=False
        For solver=hals: momentum with restarts (Ang and Gillis 2019).
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvd (for solver=hals):
        parts of the leading singular vectors; nndsvda, nndsvdar: the same with zeros replaced by the mean of
        the data, or by small random numbers.
    max_iter : int, default=200
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when the quantity that stop names falls below this; 0: never (≥ 0).
    normalise : {"auto", "end", "each", "none"}, default="auto"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never; auto: at the end, but never with a penalty, because penalties
        depend on the lengths.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    stop : {"change", "relative-decrease", "violation"}, default="change"
        The quantity that must fall below the tolerance: the relative change of WH; or, by scikit-learn's
        rules, the decrease of the error in 10 iterations divided by the error of the start, or (solver=hals)
        the violation of the conditions of the minimum divided by that of the first iteration.
    alpha_w : float, default=0.0
        α_W, the penalty on the entries of W, multiplied by the number of columns of the data; 0: none (≥ 0).
    alpha_h : float or "same", default="same"
        α_H, the penalty on the entries of H, multiplied by the number of samples; same: alpha_w (≥ 0).
    l1_ratio : float, default=0.0
        The kind of penalty of alpha_w and alpha_h: 1 penalises the sum of the entries, which makes entries
        zero; 0 penalises half the sum of their squares; a number between mixes both (from 0 to 1).
    missing : {"error", "weight"}, default="error"
        In a factorisation: an entry NaN is an error, or is missing and has the weight 0.
    unstored : {"zero", "missing"}, default="zero"
        In a factorisation of sparse data with missing=weight: an entry that is not stored is 0, or is
        missing.
    fixed : {"none", "w", "h"}, default="none"
        The factor that keeps the values of the given start while the other is learned; the factors are then
        not rescaled.
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.NMF(n_components=3).fit(x).components_.shape
    (3, 5)
    """

    _orthant_method = "nmf"
    _orthant_keys = {
        "protocol": "protocol",
        "solver": "solver",
        "sweeps": "sweeps",
        "batch": "batch",
        "forget": "forget",
        "patience": "patience",
        "order": "order",
        "extrapolate": "extrapolate",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "stop": "stop",
        "alpha_w": "alpha_w",
        "alpha_h": "alpha_h",
        "l1_ratio": "l1_ratio",
        "missing": "missing",
        "unstored": "unstored",
        "fixed": "fixed",
        "rows": "rows",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_whole = True
    _orthant_sparse = True

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        protocol: str = "general",
        solver: str = "auto",
        sweeps: int = 0,
        batch: int = 1024,
        forget: float = 0.01,
        patience: int = 10,
        order: str = "auto",
        extrapolate: bool = False,
        init: str = "random",
        max_iter: int = 200,
        tol: float = 0.0,
        normalise: str = "auto",
        shift: str = "none",
        stop: str = "change",
        alpha_w: float = 0.0,
        alpha_h: str | float = "same",
        l1_ratio: float = 0.0,
        missing: str = "error",
        unstored: str = "zero",
        fixed: str = "none",
        rows: str = "auto",
        standardize: str | None = None,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_components = n_components
        self.protocol = protocol
        self.solver = solver
        self.sweeps = sweeps
        self.batch = batch
        self.forget = forget
        self.patience = patience
        self.order = order
        self.extrapolate = extrapolate
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.stop = stop
        self.alpha_w = alpha_w
        self.alpha_h = alpha_h
        self.l1_ratio = l1_ratio
        self.missing = missing
        self.unstored = unstored
        self.fixed = fixed
        self.rows = rows
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class NMFClustering(Clustering):
    """Nonnegative matrix factorisation, as a clustering.

    Nonnegative parts whose sums are the samples, least squares.
    Source: Lee, Seung, NIPS 2001; Cichocki, Phan 2009.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    solver : {"auto", "mu", "hals", "minibatch"}, default="auto"
        Mu: multiplicative updates; hals: coordinate descent (hierarchical alternating least squares), which
        reaches the same error in fewer iterations; minibatch: hals batch by batch, for data larger than
        memory, where an iteration is a pass over the data (default 20); auto: hals if the other parameters
        allow it, else mu.
    sweeps : int, default=0
        For solver=hals: the sweeps over a factor for each product with the data; 0: as many as save time, 1:
        plain HALS (≥ 0).
    batch : int, default=1024
        For solver=minibatch: the samples of one batch, after which H is updated; two batches are held in
        memory (≥ 1).
    forget : float, default=0.01
        For solver=minibatch, at most 1: the share of the past that remains after one pass over the samples; a
        larger share is steadier and slower (> 0).
    patience : int, default=10
        For solver=minibatch: stop after this many batches without a new minimum of the smoothed error; 0:
        never (≥ 0).
    order : {"auto", "basis-first", "codes-first", "w-first"}, default="auto"
        Which factor is updated first. basis-first: H, then W with the new H; codes-first (solver=mu only): W
        first, from components of unit length, for at most 500 iterations, until the objective changes by less
        than tolerance (1e-5); w-first: W first, as in scikit-learn (solver=hals: with one sweep), and the
        factors are not rescaled; auto: codes-first in a clustering, else basis-first.
    extrapolate : bool, default=False
        For solver=hals: momentum with restarts (Ang and Gillis 2019).
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvd (for solver=hals):
        parts of the leading singular vectors; nndsvda, nndsvdar: the same with zeros replaced by the mean of
        the data, or by small random numbers.
    max_iter : int, default=200
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when the quantity that stop names falls below this; 0: never (≥ 0).
    normalise : {"auto", "end", "each", "none"}, default="auto"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never; auto: at the end, but never with a penalty, because penalties
        depend on the lengths.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    stop : {"change", "relative-decrease", "violation"}, default="change"
        The quantity that must fall below the tolerance: the relative change of WH; or, by scikit-learn's
        rules, the decrease of the error in 10 iterations divided by the error of the start, or (solver=hals)
        the violation of the conditions of the minimum divided by that of the first iteration.
    alpha_w : float, default=0.0
        α_W, the penalty on the entries of W, multiplied by the number of columns of the data; 0: none (≥ 0).
    alpha_h : float or "same", default="same"
        α_H, the penalty on the entries of H, multiplied by the number of samples; same: alpha_w (≥ 0).
    l1_ratio : float, default=0.0
        The kind of penalty of alpha_w and alpha_h: 1 penalises the sum of the entries, which makes entries
        zero; 0 penalises half the sum of their squares; a number between mixes both (from 0 to 1).
    missing : {"error", "weight"}, default="error"
        In a factorisation: an entry NaN is an error, or is missing and has the weight 0.
    unstored : {"zero", "missing"}, default="zero"
        In a factorisation of sparse data with missing=weight: an entry that is not stored is 0, or is
        missing.
    fixed : {"none", "w", "h"}, default="none"
        The factor that keeps the values of the given start while the other is learned; the factors are then
        not rescaled.
    labels : {"spectral", "kmeans", "argmax"}, default="spectral"
        How a clustering gets labels: by spectral clustering of the graph of the 7 nearest rows, by k-means
        among the rows (10 starts), or by each sample's largest coordinate.
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.NMFClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "nmf"
    _orthant_keys = {
        "protocol": "protocol",
        "solver": "solver",
        "sweeps": "sweeps",
        "batch": "batch",
        "forget": "forget",
        "patience": "patience",
        "order": "order",
        "extrapolate": "extrapolate",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "stop": "stop",
        "alpha_w": "alpha_w",
        "alpha_h": "alpha_h",
        "l1_ratio": "l1_ratio",
        "missing": "missing",
        "unstored": "unstored",
        "fixed": "fixed",
        "labels": "labels",
        "rows": "rows",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        protocol: str = "general",
        solver: str = "auto",
        sweeps: int = 0,
        batch: int = 1024,
        forget: float = 0.01,
        patience: int = 10,
        order: str = "auto",
        extrapolate: bool = False,
        init: str = "random",
        max_iter: int = 200,
        tol: float = 0.0,
        normalise: str = "auto",
        shift: str = "none",
        stop: str = "change",
        alpha_w: float = 0.0,
        alpha_h: str | float = "same",
        l1_ratio: float = 0.0,
        missing: str = "error",
        unstored: str = "zero",
        fixed: str = "none",
        labels: str = "spectral",
        rows: str = "auto",
        standardize: str | None = None,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.protocol = protocol
        self.solver = solver
        self.sweeps = sweeps
        self.batch = batch
        self.forget = forget
        self.patience = patience
        self.order = order
        self.extrapolate = extrapolate
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.stop = stop
        self.alpha_w = alpha_w
        self.alpha_h = alpha_h
        self.l1_ratio = l1_ratio
        self.missing = missing
        self.unstored = unstored
        self.fixed = fixed
        self.labels = labels
        self.rows = rows
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class NMFKL(Learning, Factorization):
    """Nonnegative matrix factorisation, Kullback–Leibler.

    Nonnegative parts of counts, by the divergence of Poisson noise.
    Source: Lee, Seung, NIPS 2001.

    With solver="minibatch" it learns batch by batch, and partial_fit from samples that come little by little.

    Parameters
    ----------
    n_components : int or None, default=2
        R, the components to find. None: n_features.
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    order : {"basis-first", "w-first"}, default="basis-first"
        Which factor is updated first. basis-first: H, then W with the new H; w-first: W first, as in
        scikit-learn, and the factors are not rescaled.
    solver : {"mu", "minibatch"}, default="mu"
        Mu: multiplicative updates over all samples; minibatch: batch by batch, for data larger than memory,
        where an iteration is a pass over the data (default 20).
    batch : int, default=1024
        For solver=minibatch: the samples of one batch, after which H is updated; two batches are held in
        memory (≥ 1).
    forget : float, default=0.01
        For solver=minibatch, at most 1: the share of the past that remains after one pass over the samples; a
        larger share is steadier and slower (> 0).
    patience : int, default=10
        For solver=minibatch: stop after this many batches without a new minimum of the smoothed error; 0:
        never (≥ 0).
    init : {"random", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvda, nndsvdar: parts of
        the leading singular vectors, with zeros replaced by the mean of the data, or by small random numbers.
    max_iter : int, default=500
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when the quantity that stop names falls below this; 0: never (≥ 0).
    normalise : {"auto", "end", "each", "none"}, default="auto"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never; auto: at the end, but never with a penalty, because penalties
        depend on the lengths.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    stop : {"change", "relative-decrease"}, default="change"
        The quantity that must fall below the tolerance: the relative change of WH; or, by scikit-learn's
        rule, the decrease of the error (the root of the loss) in 10 iterations divided by the error of the
        start.
    alpha_w : float, default=0.0
        α_W, the penalty on the entries of W, multiplied by the number of columns of the data; 0: none (≥ 0).
    alpha_h : float or "same", default="same"
        α_H, the penalty on the entries of H, multiplied by the number of samples; same: alpha_w (≥ 0).
    l1_ratio : float, default=0.0
        The kind of penalty of alpha_w and alpha_h: 1 penalises the sum of the entries, which makes entries
        zero; 0 penalises half the sum of their squares; a number between mixes both (from 0 to 1).
    missing : {"error", "weight"}, default="error"
        In a factorisation: an entry NaN is an error, or is missing and has the weight 0.
    unstored : {"zero", "missing"}, default="zero"
        In a factorisation of sparse data with missing=weight: an entry that is not stored is 0, or is
        missing.
    fixed : {"none", "w", "h"}, default="none"
        The factor that keeps the values of the given start while the other is learned; the factors are then
        not rescaled.
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.NMFKL(n_components=3).fit(x).components_.shape
    (3, 5)
    """

    _orthant_method = "nmf-kl"
    _orthant_keys = {
        "protocol": "protocol",
        "order": "order",
        "solver": "solver",
        "batch": "batch",
        "forget": "forget",
        "patience": "patience",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "stop": "stop",
        "alpha_w": "alpha_w",
        "alpha_h": "alpha_h",
        "l1_ratio": "l1_ratio",
        "missing": "missing",
        "unstored": "unstored",
        "fixed": "fixed",
        "rows": "rows",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_whole = True
    _orthant_sparse = True

    def __init__(
        self,
        n_components: int | None = 2,
        *,
        protocol: str = "general",
        order: str = "basis-first",
        solver: str = "mu",
        batch: int = 1024,
        forget: float = 0.01,
        patience: int = 10,
        init: str = "random",
        max_iter: int = 500,
        tol: float = 0.0,
        normalise: str = "auto",
        shift: str = "none",
        stop: str = "change",
        alpha_w: float = 0.0,
        alpha_h: str | float = "same",
        l1_ratio: float = 0.0,
        missing: str = "error",
        unstored: str = "zero",
        fixed: str = "none",
        rows: str = "auto",
        standardize: str | None = None,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_components = n_components
        self.protocol = protocol
        self.order = order
        self.solver = solver
        self.batch = batch
        self.forget = forget
        self.patience = patience
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.stop = stop
        self.alpha_w = alpha_w
        self.alpha_h = alpha_h
        self.l1_ratio = l1_ratio
        self.missing = missing
        self.unstored = unstored
        self.fixed = fixed
        self.rows = rows
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class NMFKLClustering(Clustering):
    """Nonnegative matrix factorisation, Kullback–Leibler, as a clustering.

    Nonnegative parts of counts, by the divergence of Poisson noise.
    Source: Lee, Seung, NIPS 2001.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    order : {"basis-first", "w-first"}, default="basis-first"
        Which factor is updated first. basis-first: H, then W with the new H; w-first: W first, as in
        scikit-learn, and the factors are not rescaled.
    solver : {"mu", "minibatch"}, default="mu"
        Mu: multiplicative updates over all samples; minibatch: batch by batch, for data larger than memory,
        where an iteration is a pass over the data (default 20).
    batch : int, default=1024
        For solver=minibatch: the samples of one batch, after which H is updated; two batches are held in
        memory (≥ 1).
    forget : float, default=0.01
        For solver=minibatch, at most 1: the share of the past that remains after one pass over the samples; a
        larger share is steadier and slower (> 0).
    patience : int, default=10
        For solver=minibatch: stop after this many batches without a new minimum of the smoothed error; 0:
        never (≥ 0).
    init : {"random", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvda, nndsvdar: parts of
        the leading singular vectors, with zeros replaced by the mean of the data, or by small random numbers.
    max_iter : int, default=500
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when the quantity that stop names falls below this; 0: never (≥ 0).
    normalise : {"auto", "end", "each", "none"}, default="auto"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never; auto: at the end, but never with a penalty, because penalties
        depend on the lengths.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    stop : {"change", "relative-decrease"}, default="change"
        The quantity that must fall below the tolerance: the relative change of WH; or, by scikit-learn's
        rule, the decrease of the error (the root of the loss) in 10 iterations divided by the error of the
        start.
    alpha_w : float, default=0.0
        α_W, the penalty on the entries of W, multiplied by the number of columns of the data; 0: none (≥ 0).
    alpha_h : float or "same", default="same"
        α_H, the penalty on the entries of H, multiplied by the number of samples; same: alpha_w (≥ 0).
    l1_ratio : float, default=0.0
        The kind of penalty of alpha_w and alpha_h: 1 penalises the sum of the entries, which makes entries
        zero; 0 penalises half the sum of their squares; a number between mixes both (from 0 to 1).
    missing : {"error", "weight"}, default="error"
        In a factorisation: an entry NaN is an error, or is missing and has the weight 0.
    unstored : {"zero", "missing"}, default="zero"
        In a factorisation of sparse data with missing=weight: an entry that is not stored is 0, or is
        missing.
    fixed : {"none", "w", "h"}, default="none"
        The factor that keeps the values of the given start while the other is learned; the factors are then
        not rescaled.
    labels : {"spectral", "kmeans", "argmax"}, default="spectral"
        How a clustering gets labels: by spectral clustering of the graph of the 7 nearest rows, by k-means
        among the rows (10 starts), or by each sample's largest coordinate.
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.NMFKLClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "nmf-kl"
    _orthant_keys = {
        "protocol": "protocol",
        "order": "order",
        "solver": "solver",
        "batch": "batch",
        "forget": "forget",
        "patience": "patience",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "stop": "stop",
        "alpha_w": "alpha_w",
        "alpha_h": "alpha_h",
        "l1_ratio": "l1_ratio",
        "missing": "missing",
        "unstored": "unstored",
        "fixed": "fixed",
        "labels": "labels",
        "rows": "rows",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        protocol: str = "general",
        order: str = "basis-first",
        solver: str = "mu",
        batch: int = 1024,
        forget: float = 0.01,
        patience: int = 10,
        init: str = "random",
        max_iter: int = 500,
        tol: float = 0.0,
        normalise: str = "auto",
        shift: str = "none",
        stop: str = "change",
        alpha_w: float = 0.0,
        alpha_h: str | float = "same",
        l1_ratio: float = 0.0,
        missing: str = "error",
        unstored: str = "zero",
        fixed: str = "none",
        labels: str = "spectral",
        rows: str = "auto",
        standardize: str | None = None,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.protocol = protocol
        self.order = order
        self.solver = solver
        self.batch = batch
        self.forget = forget
        self.patience = patience
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.stop = stop
        self.alpha_w = alpha_w
        self.alpha_h = alpha_h
        self.l1_ratio = l1_ratio
        self.missing = missing
        self.unstored = unstored
        self.fixed = fixed
        self.labels = labels
        self.rows = rows
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class NMFBeta(Factorization):
    """Nonnegative matrix factorisation, β-divergences.

    Nonnegative parts by any β-divergence, from squares to spectra.
    Source: Févotte, Idier, Neural Computation 23, 2011.

    Parameters
    ----------
    n_components : int, default=2
        R, the components to find.
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    beta : float, default=1.5
        β of the divergence: 2 is the squared error, 1 Kullback–Leibler, 0 Itakura–Saito. With a smaller β
        small entries count more; with β ≤ 0 no entry may be zero.
    order : {"basis-first", "w-first"}, default="basis-first"
        Which factor is updated first. basis-first: H, then W with the new H; w-first: W first, as in
        scikit-learn, and the factors are not rescaled.
    init : {"random", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvda, nndsvdar: parts of
        the leading singular vectors, with zeros replaced by the mean of the data, or by small random numbers.
    max_iter : int, default=500
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when the quantity that stop names falls below this; 0: never (≥ 0).
    normalise : {"auto", "end", "each", "none"}, default="auto"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never; auto: at the end, but never with a penalty, because penalties
        depend on the lengths.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    stop : {"change", "relative-decrease"}, default="change"
        The quantity that must fall below the tolerance: the relative change of WH; or, by scikit-learn's
        rule, the decrease of the error (the root of the loss) in 10 iterations divided by the error of the
        start.
    alpha_w : float, default=0.0
        α_W, the penalty on the entries of W, multiplied by the number of columns of the data; 0: none (≥ 0).
    alpha_h : float or "same", default="same"
        α_H, the penalty on the entries of H, multiplied by the number of samples; same: alpha_w (≥ 0).
    l1_ratio : float, default=0.0
        The kind of penalty of alpha_w and alpha_h: 1 penalises the sum of the entries, which makes entries
        zero; 0 penalises half the sum of their squares; a number between mixes both (from 0 to 1).
    fixed : {"none", "w", "h"}, default="none"
        The factor that keeps the values of the given start while the other is learned; the factors are then
        not rescaled.
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.NMFBeta(n_components=3).fit(x).components_.shape
    (3, 5)
    """

    _orthant_method = "nmf-beta"
    _orthant_keys = {
        "protocol": "protocol",
        "beta": "beta",
        "order": "order",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "stop": "stop",
        "alpha_w": "alpha_w",
        "alpha_h": "alpha_h",
        "l1_ratio": "l1_ratio",
        "fixed": "fixed",
        "rows": "rows",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True

    def __init__(
        self,
        n_components: int = 2,
        *,
        protocol: str = "general",
        beta: float = 1.5,
        order: str = "basis-first",
        init: str = "random",
        max_iter: int = 500,
        tol: float = 0.0,
        normalise: str = "auto",
        shift: str = "none",
        stop: str = "change",
        alpha_w: float = 0.0,
        alpha_h: str | float = "same",
        l1_ratio: float = 0.0,
        fixed: str = "none",
        rows: str = "auto",
        standardize: str | None = None,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_components = n_components
        self.protocol = protocol
        self.beta = beta
        self.order = order
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.stop = stop
        self.alpha_w = alpha_w
        self.alpha_h = alpha_h
        self.l1_ratio = l1_ratio
        self.fixed = fixed
        self.rows = rows
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class NMFBetaClustering(Clustering):
    """Nonnegative matrix factorisation, β-divergences, as a clustering.

    Nonnegative parts by any β-divergence, from squares to spectra.
    Source: Févotte, Idier, Neural Computation 23, 2011.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    beta : float, default=1.5
        β of the divergence: 2 is the squared error, 1 Kullback–Leibler, 0 Itakura–Saito. With a smaller β
        small entries count more; with β ≤ 0 no entry may be zero.
    order : {"basis-first", "w-first"}, default="basis-first"
        Which factor is updated first. basis-first: H, then W with the new H; w-first: W first, as in
        scikit-learn, and the factors are not rescaled.
    init : {"random", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvda, nndsvdar: parts of
        the leading singular vectors, with zeros replaced by the mean of the data, or by small random numbers.
    max_iter : int, default=500
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when the quantity that stop names falls below this; 0: never (≥ 0).
    normalise : {"auto", "end", "each", "none"}, default="auto"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never; auto: at the end, but never with a penalty, because penalties
        depend on the lengths.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    stop : {"change", "relative-decrease"}, default="change"
        The quantity that must fall below the tolerance: the relative change of WH; or, by scikit-learn's
        rule, the decrease of the error (the root of the loss) in 10 iterations divided by the error of the
        start.
    alpha_w : float, default=0.0
        α_W, the penalty on the entries of W, multiplied by the number of columns of the data; 0: none (≥ 0).
    alpha_h : float or "same", default="same"
        α_H, the penalty on the entries of H, multiplied by the number of samples; same: alpha_w (≥ 0).
    l1_ratio : float, default=0.0
        The kind of penalty of alpha_w and alpha_h: 1 penalises the sum of the entries, which makes entries
        zero; 0 penalises half the sum of their squares; a number between mixes both (from 0 to 1).
    fixed : {"none", "w", "h"}, default="none"
        The factor that keeps the values of the given start while the other is learned; the factors are then
        not rescaled.
    labels : {"spectral", "kmeans", "argmax"}, default="spectral"
        How a clustering gets labels: by spectral clustering of the graph of the 7 nearest rows, by k-means
        among the rows (10 starts), or by each sample's largest coordinate.
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.NMFBetaClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "nmf-beta"
    _orthant_keys = {
        "protocol": "protocol",
        "beta": "beta",
        "order": "order",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "stop": "stop",
        "alpha_w": "alpha_w",
        "alpha_h": "alpha_h",
        "l1_ratio": "l1_ratio",
        "fixed": "fixed",
        "labels": "labels",
        "rows": "rows",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        protocol: str = "general",
        beta: float = 1.5,
        order: str = "basis-first",
        init: str = "random",
        max_iter: int = 500,
        tol: float = 0.0,
        normalise: str = "auto",
        shift: str = "none",
        stop: str = "change",
        alpha_w: float = 0.0,
        alpha_h: str | float = "same",
        l1_ratio: float = 0.0,
        fixed: str = "none",
        labels: str = "spectral",
        rows: str = "auto",
        standardize: str | None = None,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.protocol = protocol
        self.beta = beta
        self.order = order
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.stop = stop
        self.alpha_w = alpha_w
        self.alpha_h = alpha_h
        self.l1_ratio = l1_ratio
        self.fixed = fixed
        self.labels = labels
        self.rows = rows
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class GNMF(Edged, Factorization):
    """Graph-regularised NMF.

    NMF with neighbours' coordinates kept together.
    Source: Cai, He, Han, Huang, IEEE TPAMI 33, 2011.

    Parameters
    ----------
    n_components : int, default=2
        R, the components to find.
    n_neighbors : int, default=5
        k, the nearest neighbours of each sample; samples are joined if either lists the other, with weight 1
        (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    lam : float, default=0.3
        λ, the weight of the graph term; 0: none, and no graph is built (≥ 0).
    solver : {"auto", "mu", "hals"}, default="auto"
        Mu: multiplicative updates; hals: coordinate descent (hierarchical alternating least squares), which
        reaches the same error in fewer iterations; auto: hals if the other parameters allow it, else mu.
    sweeps : int, default=0
        For solver=hals: the sweeps over a factor for each product with the data; 0: as many as save time, 1:
        plain HALS (≥ 0).
    order : {"auto", "basis-first", "codes-first"}, default="auto"
        For solver=mu, which factor is updated first: H, then W with the new H; or W first, from components of
        unit length, for at most 500 iterations, until the objective changes by less than tolerance (1e-5);
        auto: W first in a clustering, else H first.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvd (for solver=hals):
        parts of the leading singular vectors; nndsvda, nndsvdar: the same with zeros replaced by the mean of
        the data, or by small random numbers.
    max_iter : int, default=200
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when an iteration changes WH by less than this, relative to WH; 0: never (≥ 0).
    normalise : {"end", "each", "none"}, default="end"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.GNMF(n_components=3).fit(x).components_.shape
    (3, 5)
    """

    _orthant_method = "gnmf"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "lam": "lambda",
        "solver": "solver",
        "sweeps": "sweeps",
        "order": "order",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "rows": "rows",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True
    _orthant_former = {
        "term": None,
    }

    def __init__(
        self,
        n_components: int = 2,
        n_neighbors: int = 5,
        *,
        protocol: str = "general",
        lam: float = 0.3,
        solver: str = "auto",
        sweeps: int = 0,
        order: str = "auto",
        init: str = "random",
        max_iter: int = 200,
        tol: float = 0.0,
        normalise: str = "end",
        shift: str = "none",
        rows: str = "auto",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.lam = lam
        self.solver = solver
        self.sweeps = sweeps
        self.order = order
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.rows = rows
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class GNMFClustering(EdgedClustering, Clustering):
    """Graph-regularised NMF, as a clustering.

    NMF with neighbours' coordinates kept together.
    Source: Cai, He, Han, Huang, IEEE TPAMI 33, 2011.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    n_neighbors : int, default=5
        k, the nearest neighbours of each sample; samples are joined if either lists the other, with weight 1
        (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    lam : float, default=0.3
        λ, the weight of the graph term; 0: none, and no graph is built (≥ 0).
    solver : {"auto", "mu", "hals"}, default="auto"
        Mu: multiplicative updates; hals: coordinate descent (hierarchical alternating least squares), which
        reaches the same error in fewer iterations; auto: hals if the other parameters allow it, else mu.
    sweeps : int, default=0
        For solver=hals: the sweeps over a factor for each product with the data; 0: as many as save time, 1:
        plain HALS (≥ 0).
    order : {"auto", "basis-first", "codes-first"}, default="auto"
        For solver=mu, which factor is updated first: H, then W with the new H; or W first, from components of
        unit length, for at most 500 iterations, until the objective changes by less than tolerance (1e-5);
        auto: W first in a clustering, else H first.
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvd (for solver=hals):
        parts of the leading singular vectors; nndsvda, nndsvdar: the same with zeros replaced by the mean of
        the data, or by small random numbers.
    max_iter : int, default=200
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when an iteration changes WH by less than this, relative to WH; 0: never (≥ 0).
    normalise : {"end", "each", "none"}, default="end"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    labels : {"spectral", "kmeans", "argmax"}, default="spectral"
        How a clustering gets labels: by spectral clustering of the graph of the 7 nearest rows, by k-means
        among the rows (10 starts), or by each sample's largest coordinate.
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.GNMFClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "gnmf"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "lam": "lambda",
        "solver": "solver",
        "sweeps": "sweeps",
        "order": "order",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "labels": "labels",
        "rows": "rows",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True
    _orthant_former = {
        "term": None,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        n_neighbors: int = 5,
        *,
        protocol: str = "general",
        lam: float = 0.3,
        solver: str = "auto",
        sweeps: int = 0,
        order: str = "auto",
        init: str = "random",
        max_iter: int = 200,
        tol: float = 0.0,
        normalise: str = "end",
        shift: str = "none",
        labels: str = "spectral",
        rows: str = "auto",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.lam = lam
        self.solver = solver
        self.sweeps = sweeps
        self.order = order
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.labels = labels
        self.rows = rows
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class L21NMF(Factorization):
    """NMF with the L2,1 norm.

    NMF in which samples with large residuals count less.
    Source: Kong, Ding, Huang, CIKM 2011.

    Parameters
    ----------
    n_components : int, default=2
        R, the components to find.
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    init : {"random", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvda, nndsvdar: parts of
        the leading singular vectors, with zeros replaced by the mean of the data, or by small random numbers.
    max_iter : int, default=500
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when an iteration changes WH by less than this, relative to WH; 0: never (≥ 0).
    normalise : {"end", "each", "none"}, default="end"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    missing : {"error", "weight"}, default="error"
        In a factorisation: an entry NaN is an error, or is missing and has the weight 0.
    unstored : {"zero", "missing"}, default="zero"
        In a factorisation of sparse data with missing=weight: an entry that is not stored is 0, or is
        missing.
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.L21NMF(n_components=3).fit(x).components_.shape
    (3, 5)
    """

    _orthant_method = "l21-nmf"
    _orthant_keys = {
        "protocol": "protocol",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "missing": "missing",
        "unstored": "unstored",
        "rows": "rows",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True
    _orthant_former = {
        "warm": None,
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        protocol: str = "general",
        init: str = "random",
        max_iter: int = 500,
        tol: float = 0.0,
        normalise: str = "end",
        shift: str = "none",
        missing: str = "error",
        unstored: str = "zero",
        rows: str = "auto",
        standardize: str | None = None,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_components = n_components
        self.protocol = protocol
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.missing = missing
        self.unstored = unstored
        self.rows = rows
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class L21NMFClustering(Clustering):
    """NMF with the L2,1 norm, as a clustering.

    NMF in which samples with large residuals count less.
    Source: Kong, Ding, Huang, CIKM 2011.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    init : {"random", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvda, nndsvdar: parts of
        the leading singular vectors, with zeros replaced by the mean of the data, or by small random numbers.
    max_iter : int, default=500
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when an iteration changes WH by less than this, relative to WH; 0: never (≥ 0).
    normalise : {"end", "each", "none"}, default="end"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    missing : {"error", "weight"}, default="error"
        In a factorisation: an entry NaN is an error, or is missing and has the weight 0.
    unstored : {"zero", "missing"}, default="zero"
        In a factorisation of sparse data with missing=weight: an entry that is not stored is 0, or is
        missing.
    labels : {"spectral", "kmeans", "argmax"}, default="spectral"
        How a clustering gets labels: by spectral clustering of the graph of the 7 nearest rows, by k-means
        among the rows (10 starts), or by each sample's largest coordinate.
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.L21NMFClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "l21-nmf"
    _orthant_keys = {
        "protocol": "protocol",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "missing": "missing",
        "unstored": "unstored",
        "labels": "labels",
        "rows": "rows",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True
    _orthant_former = {
        "warm": None,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        protocol: str = "general",
        init: str = "random",
        max_iter: int = 500,
        tol: float = 0.0,
        normalise: str = "end",
        shift: str = "none",
        missing: str = "error",
        unstored: str = "zero",
        labels: str = "spectral",
        rows: str = "auto",
        standardize: str | None = None,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.protocol = protocol
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.missing = missing
        self.unstored = unstored
        self.labels = labels
        self.rows = rows
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class CIMNMF(Factorization):
    """NMF with the correntropy-induced metric.

    NMF in which entries with large residuals count less.
    Source: Du, Li, Shen, ICDM 2012.

    Parameters
    ----------
    n_components : int, default=2
        R, the components to find.
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    init : {"random", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvda, nndsvdar: parts of
        the leading singular vectors, with zeros replaced by the mean of the data, or by small random numbers.
    max_iter : int, default=500
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when an iteration changes WH by less than this, relative to WH; 0: never (≥ 0).
    normalise : {"end", "each", "none"}, default="end"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    residual_scale : {"median", "mean"}, default="median"
        The scale of the residuals E = X − WH, by which σ² is set. median: 1.4826 times the median of |E| with
        the entries of the data as weights, so that it is measured where the data are; σ² then never rises.
        mean: √mean(E²) over all entries, zeros included.
    theta : float, default=4.5
        θ of σ² = θ·scale², the scale of the entries' weights exp(−e²/2σ²); a larger one is nearer to least
        squares. With 4.5 and normal residuals little is lost against least squares (the usual constant of
        Welsch's loss) (> 0).
    sigma2 : float or "auto", default="auto"
        σ² itself, for all iterations; auto: by θ and the scale (> 0).
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.CIMNMF(n_components=3).fit(x).components_.shape
    (3, 5)
    """

    _orthant_method = "cim-nmf"
    _orthant_keys = {
        "protocol": "protocol",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "residual_scale": "residual_scale",
        "theta": "theta",
        "sigma2": "sigma2",
        "rows": "rows",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True
    _orthant_former = {
        "freeze_sigma_after": None,
        "schedule": None,
        "warm": None,
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        protocol: str = "general",
        init: str = "random",
        max_iter: int = 500,
        tol: float = 0.0,
        normalise: str = "end",
        shift: str = "none",
        residual_scale: str = "median",
        theta: float = 4.5,
        sigma2: str | float = "auto",
        rows: str = "auto",
        standardize: str | None = None,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_components = n_components
        self.protocol = protocol
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.residual_scale = residual_scale
        self.theta = theta
        self.sigma2 = sigma2
        self.rows = rows
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class CIMNMFClustering(Clustering):
    """NMF with the correntropy-induced metric, as a clustering.

    NMF in which entries with large residuals count less.
    Source: Du, Li, Shen, ICDM 2012.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    init : {"random", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvda, nndsvdar: parts of
        the leading singular vectors, with zeros replaced by the mean of the data, or by small random numbers.
    max_iter : int, default=500
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when an iteration changes WH by less than this, relative to WH; 0: never (≥ 0).
    normalise : {"end", "each", "none"}, default="end"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    residual_scale : {"median", "mean"}, default="median"
        The scale of the residuals E = X − WH, by which σ² is set. median: 1.4826 times the median of |E| with
        the entries of the data as weights, so that it is measured where the data are; σ² then never rises.
        mean: √mean(E²) over all entries, zeros included.
    theta : float, default=4.5
        θ of σ² = θ·scale², the scale of the entries' weights exp(−e²/2σ²); a larger one is nearer to least
        squares. With 4.5 and normal residuals little is lost against least squares (the usual constant of
        Welsch's loss) (> 0).
    sigma2 : float or "auto", default="auto"
        σ² itself, for all iterations; auto: by θ and the scale (> 0).
    labels : {"spectral", "kmeans", "argmax"}, default="spectral"
        How a clustering gets labels: by spectral clustering of the graph of the 7 nearest rows, by k-means
        among the rows (10 starts), or by each sample's largest coordinate.
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.CIMNMFClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "cim-nmf"
    _orthant_keys = {
        "protocol": "protocol",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "residual_scale": "residual_scale",
        "theta": "theta",
        "sigma2": "sigma2",
        "labels": "labels",
        "rows": "rows",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True
    _orthant_former = {
        "freeze_sigma_after": None,
        "schedule": None,
        "warm": None,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        protocol: str = "general",
        init: str = "random",
        max_iter: int = 500,
        tol: float = 0.0,
        normalise: str = "end",
        shift: str = "none",
        residual_scale: str = "median",
        theta: float = 4.5,
        sigma2: str | float = "auto",
        labels: str = "spectral",
        rows: str = "auto",
        standardize: str | None = None,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.protocol = protocol
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.residual_scale = residual_scale
        self.theta = theta
        self.sigma2 = sigma2
        self.labels = labels
        self.rows = rows
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class CIMGNMF(Edged, Factorization):
    """Graph-regularised NMF with the correntropy-induced metric.

    CIM-NMF with neighbours' coordinates kept together.
    Source: You et al., IEEE TNNLS 26, 2015.

    Parameters
    ----------
    n_components : int, default=2
        R, the components to find.
    n_neighbors : int, default=5
        k, the nearest neighbours of each sample; samples are joined if either lists the other, with weight 1
        (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    lam : float, default=0.3
        λ, the weight of the graph term; 0: none, and no graph is built (≥ 0).
    init : {"random", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvda, nndsvdar: parts of
        the leading singular vectors, with zeros replaced by the mean of the data, or by small random numbers.
    max_iter : int, default=500
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when an iteration changes WH by less than this, relative to WH; 0: never (≥ 0).
    normalise : {"end", "each", "none"}, default="end"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    residual_scale : {"median", "mean"}, default="median"
        The scale of the residuals E = X − WH, by which σ² is set. median: 1.4826 times the median of |E| with
        the entries of the data as weights, so that it is measured where the data are; σ² then never rises.
        mean: √mean(E²) over all entries, zeros included.
    theta : float, default=4.5
        θ of σ² = θ·scale², the scale of the entries' weights exp(−e²/2σ²); a larger one is nearer to least
        squares. With 4.5 and normal residuals little is lost against least squares (the usual constant of
        Welsch's loss) (> 0).
    sigma2 : float or "auto", default="auto"
        σ² itself, for all iterations; auto: by θ and the scale (> 0).
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.CIMGNMF(n_components=3).fit(x).components_.shape
    (3, 5)
    """

    _orthant_method = "cim-gnmf"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "lam": "lambda",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "residual_scale": "residual_scale",
        "theta": "theta",
        "sigma2": "sigma2",
        "rows": "rows",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True
    _orthant_former = {
        "freeze_sigma_after": None,
        "kernel_constant": None,
        "schedule": None,
        "term": None,
        "warm": None,
    }

    def __init__(
        self,
        n_components: int = 2,
        n_neighbors: int = 5,
        *,
        protocol: str = "general",
        lam: float = 0.3,
        init: str = "random",
        max_iter: int = 500,
        tol: float = 0.0,
        normalise: str = "end",
        shift: str = "none",
        residual_scale: str = "median",
        theta: float = 4.5,
        sigma2: str | float = "auto",
        rows: str = "auto",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.lam = lam
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.residual_scale = residual_scale
        self.theta = theta
        self.sigma2 = sigma2
        self.rows = rows
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class CIMGNMFClustering(EdgedClustering, Clustering):
    """Graph-regularised NMF with the correntropy-induced metric, as a clustering.

    CIM-NMF with neighbours' coordinates kept together.
    Source: You et al., IEEE TNNLS 26, 2015.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    n_neighbors : int, default=5
        k, the nearest neighbours of each sample; samples are joined if either lists the other, with weight 1
        (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    lam : float, default=0.3
        λ, the weight of the graph term; 0: none, and no graph is built (≥ 0).
    init : {"random", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvda, nndsvdar: parts of
        the leading singular vectors, with zeros replaced by the mean of the data, or by small random numbers.
    max_iter : int, default=500
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when an iteration changes WH by less than this, relative to WH; 0: never (≥ 0).
    normalise : {"end", "each", "none"}, default="end"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    residual_scale : {"median", "mean"}, default="median"
        The scale of the residuals E = X − WH, by which σ² is set. median: 1.4826 times the median of |E| with
        the entries of the data as weights, so that it is measured where the data are; σ² then never rises.
        mean: √mean(E²) over all entries, zeros included.
    theta : float, default=4.5
        θ of σ² = θ·scale², the scale of the entries' weights exp(−e²/2σ²); a larger one is nearer to least
        squares. With 4.5 and normal residuals little is lost against least squares (the usual constant of
        Welsch's loss) (> 0).
    sigma2 : float or "auto", default="auto"
        σ² itself, for all iterations; auto: by θ and the scale (> 0).
    labels : {"spectral", "kmeans", "argmax"}, default="spectral"
        How a clustering gets labels: by spectral clustering of the graph of the 7 nearest rows, by k-means
        among the rows (10 starts), or by each sample's largest coordinate.
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.CIMGNMFClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "cim-gnmf"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "lam": "lambda",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "residual_scale": "residual_scale",
        "theta": "theta",
        "sigma2": "sigma2",
        "labels": "labels",
        "rows": "rows",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True
    _orthant_former = {
        "freeze_sigma_after": None,
        "kernel_constant": None,
        "schedule": None,
        "term": None,
        "warm": None,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        n_neighbors: int = 5,
        *,
        protocol: str = "general",
        lam: float = 0.3,
        init: str = "random",
        max_iter: int = 500,
        tol: float = 0.0,
        normalise: str = "end",
        shift: str = "none",
        residual_scale: str = "median",
        theta: float = 4.5,
        sigma2: str | float = "auto",
        labels: str = "spectral",
        rows: str = "auto",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.lam = lam
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.residual_scale = residual_scale
        self.theta = theta
        self.sigma2 = sigma2
        self.labels = labels
        self.rows = rows
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class GSGNMF(Factorization):
    """Group-sparse graph NMF (elastic-net stand-in).

    GNMF on a graph from an elastic net, which writes each sample as a sum of few others.
    Source: after Fang, Wang, Dai, ICDM 2012.

    Parameters
    ----------
    n_components : int, default=2
        R, the components to find.
    n_neighbors : int, default=100
        k: a sample is written as a sum of its k nearest samples; all, or 0: of all others (≥ 0).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    l1 : float, default=0.0001
        ℓ1, the weight of Σ|a| in the code of a sample of unit length (> 0).
    l2 : float, default=0.001
        ℓ2, the weight of Σa² (> 0).
    lam : float, default=0.3
        λ, the weight of the graph term; 0: none, and no graph is built (≥ 0).
    solver : {"auto", "mu", "hals"}, default="auto"
        Mu: multiplicative updates; hals: coordinate descent (hierarchical alternating least squares), which
        reaches the same error in fewer iterations; auto: hals if the other parameters allow it, else mu.
    sweeps : int, default=0
        For solver=hals: the sweeps over a factor for each product with the data; 0: as many as save time, 1:
        plain HALS (≥ 0).
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvd (for solver=hals):
        parts of the leading singular vectors; nndsvda, nndsvdar: the same with zeros replaced by the mean of
        the data, or by small random numbers.
    max_iter : int, default=200
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when an iteration changes WH by less than this, relative to WH; 0: never (≥ 0).
    normalise : {"end", "each", "none"}, default="end"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.GSGNMF(n_components=3).fit(x).components_.shape
    (3, 5)
    """

    _orthant_method = "gs-gnmf"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "l1": "l1",
        "l2": "l2",
        "lam": "lambda",
        "solver": "solver",
        "sweeps": "sweeps",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "rows": "rows",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True
    _orthant_former = {
        "term": None,
    }

    def __init__(
        self,
        n_components: int = 2,
        n_neighbors: int = 100,
        *,
        protocol: str = "general",
        l1: float = 0.0001,
        l2: float = 0.001,
        lam: float = 0.3,
        solver: str = "auto",
        sweeps: int = 0,
        init: str = "random",
        max_iter: int = 200,
        tol: float = 0.0,
        normalise: str = "end",
        shift: str = "none",
        rows: str = "auto",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.l1 = l1
        self.l2 = l2
        self.lam = lam
        self.solver = solver
        self.sweeps = sweeps
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.rows = rows
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class GSGNMFClustering(Clustering):
    """Group-sparse graph NMF (elastic-net stand-in), as a clustering.

    GNMF on a graph from an elastic net, which writes each sample as a sum of few others.
    Source: after Fang, Wang, Dai, ICDM 2012.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    n_neighbors : int, default=100
        k: a sample is written as a sum of its k nearest samples; all, or 0: of all others (≥ 0).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    l1 : float, default=0.0001
        ℓ1, the weight of Σ|a| in the code of a sample of unit length (> 0).
    l2 : float, default=0.001
        ℓ2, the weight of Σa² (> 0).
    lam : float, default=0.3
        λ, the weight of the graph term; 0: none, and no graph is built (≥ 0).
    solver : {"auto", "mu", "hals"}, default="auto"
        Mu: multiplicative updates; hals: coordinate descent (hierarchical alternating least squares), which
        reaches the same error in fewer iterations; auto: hals if the other parameters allow it, else mu.
    sweeps : int, default=0
        For solver=hals: the sweeps over a factor for each product with the data; 0: as many as save time, 1:
        plain HALS (≥ 0).
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvd (for solver=hals):
        parts of the leading singular vectors; nndsvda, nndsvdar: the same with zeros replaced by the mean of
        the data, or by small random numbers.
    max_iter : int, default=200
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when an iteration changes WH by less than this, relative to WH; 0: never (≥ 0).
    normalise : {"end", "each", "none"}, default="end"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    labels : {"spectral", "kmeans", "argmax"}, default="spectral"
        How a clustering gets labels: by spectral clustering of the graph of the 7 nearest rows, by k-means
        among the rows (10 starts), or by each sample's largest coordinate.
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.GSGNMFClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "gs-gnmf"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "l1": "l1",
        "l2": "l2",
        "lam": "lambda",
        "solver": "solver",
        "sweeps": "sweeps",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "labels": "labels",
        "rows": "rows",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True
    _orthant_former = {
        "term": None,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        n_neighbors: int = 100,
        *,
        protocol: str = "general",
        l1: float = 0.0001,
        l2: float = 0.001,
        lam: float = 0.3,
        solver: str = "auto",
        sweeps: int = 0,
        init: str = "random",
        max_iter: int = 200,
        tol: float = 0.0,
        normalise: str = "end",
        shift: str = "none",
        labels: str = "spectral",
        rows: str = "auto",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.l1 = l1
        self.l2 = l2
        self.lam = lam
        self.solver = solver
        self.sweeps = sweeps
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.labels = labels
        self.rows = rows
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class DSMF(FactorizationOnly):
    """Deep semi-NMF.

    Nonnegative codes of unit samples, trained in layers; the components have any sign.
    Source: Trigeorgis, Bousmalis, Zafeiriou, Schuller, ICML 2014.

    Parameters
    ----------
    n_components : int, default=2
        R, the components to find.
    layers : {""}, default="auto"
        The ranks of the layers, such as 40,20: each at most the one before and the smaller side of the data,
        the last equal to the rank R; auto: 2R,R, where 2R is at most the rank of the data.
    max_iter : int, default=500
        The most iterations of the training of each layer, and of the fine-tuning (≥ 1).
    tol : float, default=1e-05
        Stop when the error ‖X − WH‖ of samples of unit length changes by less than this times max(1, error);
        0: never (≥ 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.DSMF(n_components=3).fit(x).components_.shape
    (3, 5)
    """

    _orthant_method = "dsmf"
    _orthant_keys = {
        "layers": "layers",
        "max_iter": "iterations",
        "tol": "tolerance",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True

    def __init__(
        self,
        n_components: int = 2,
        *,
        layers: str = "auto",
        max_iter: int = 500,
        tol: float = 1e-05,
        standardize: str | None = None,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_components = n_components
        self.layers = layers
        self.max_iter = max_iter
        self.tol = tol
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class DSMFClustering(Clustering):
    """Deep semi-NMF, as a clustering.

    Nonnegative codes of unit samples, trained in layers; the components have any sign.
    Source: Trigeorgis, Bousmalis, Zafeiriou, Schuller, ICML 2014.

    Parameters
    ----------
    n_clusters : int, default=2
        The clusters to find, at most the columns of the samples.
    layers : {""}, default="auto"
        The ranks of the layers, such as 40,20: each at most the one before and the smaller side of the data,
        the last equal to the rank R; auto: 2R,R, where 2R is at most the rank of the data.
    max_iter : int, default=500
        The most iterations of the training of each layer, and of the fine-tuning (≥ 1).
    tol : float, default=1e-05
        Stop when the error ‖X − WH‖ of samples of unit length changes by less than this times max(1, error);
        0: never (≥ 0).
    labels : {"kmeans", "argmax"}, default="kmeans"
        How a clustering gets labels: by k-means among the codes of samples of unit length (20 starts), or by
        each sample's largest code, which may mean nothing, because components have any sign.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.DSMFClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "dsmf"
    _orthant_keys = {
        "layers": "layers",
        "max_iter": "iterations",
        "tol": "tolerance",
        "labels": "labels",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True

    def __init__(
        self,
        n_clusters: int = 2,
        *,
        layers: str = "auto",
        max_iter: int = 500,
        tol: float = 1e-05,
        labels: str = "kmeans",
        standardize: str | None = None,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.layers = layers
        self.max_iter = max_iter
        self.tol = tol
        self.labels = labels
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class NPAF(Edged, Factorization):
    """Nonnegative patch alignment.

    NMF, by squared error or divergence, with the alignment of the neighbour graph.
    Source: Guan, Tao, Luo, Yuan, IEEE TNN 22, 2011.

    Parameters
    ----------
    n_components : int, default=2
        R, the components to find.
    n_neighbors : int, default=5
        k, the nearest neighbours of each sample; samples are joined if either lists the other, with weight 1
        (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    loss : {"frobenius", "kl"}, default="frobenius"
        D, the squared error or the Kullback–Leibler divergence (solver=mu only).
    lam : float, default=0.3
        λ, the weight of the graph term; 0: none, and no graph is built (≥ 0).
    solver : {"auto", "mu", "hals"}, default="auto"
        Mu: multiplicative updates; hals: coordinate descent (hierarchical alternating least squares), which
        reaches the same error in fewer iterations; auto: hals if the other parameters allow it, else mu.
    sweeps : int, default=0
        For solver=hals: the sweeps over a factor for each product with the data; 0: as many as save time, 1:
        plain HALS (≥ 0).
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvd (for solver=hals):
        parts of the leading singular vectors; nndsvda, nndsvdar: the same with zeros replaced by the mean of
        the data, or by small random numbers.
    max_iter : int, default=200
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when an iteration changes WH by less than this, relative to WH; 0: never (≥ 0).
    normalise : {"end", "each", "none"}, default="end"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.NPAF(n_components=3).fit(x).components_.shape
    (3, 5)
    """

    _orthant_method = "npaf"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "loss": "loss",
        "lam": "lambda",
        "solver": "solver",
        "sweeps": "sweeps",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "rows": "rows",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True
    _orthant_former = {
        "term": None,
    }

    def __init__(
        self,
        n_components: int = 2,
        n_neighbors: int = 5,
        *,
        protocol: str = "general",
        loss: str = "frobenius",
        lam: float = 0.3,
        solver: str = "auto",
        sweeps: int = 0,
        init: str = "random",
        max_iter: int = 200,
        tol: float = 0.0,
        normalise: str = "end",
        shift: str = "none",
        rows: str = "auto",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.loss = loss
        self.lam = lam
        self.solver = solver
        self.sweeps = sweeps
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.rows = rows
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class NPAFClustering(EdgedClustering, Clustering):
    """Nonnegative patch alignment, as a clustering.

    NMF, by squared error or divergence, with the alignment of the neighbour graph.
    Source: Guan, Tao, Luo, Yuan, IEEE TNN 22, 2011.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    n_neighbors : int, default=5
        k, the nearest neighbours of each sample; samples are joined if either lists the other, with weight 1
        (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    loss : {"frobenius", "kl"}, default="frobenius"
        D, the squared error or the Kullback–Leibler divergence (solver=mu only).
    lam : float, default=0.3
        λ, the weight of the graph term; 0: none, and no graph is built (≥ 0).
    solver : {"auto", "mu", "hals"}, default="auto"
        Mu: multiplicative updates; hals: coordinate descent (hierarchical alternating least squares), which
        reaches the same error in fewer iterations; auto: hals if the other parameters allow it, else mu.
    sweeps : int, default=0
        For solver=hals: the sweeps over a factor for each product with the data; 0: as many as save time, 1:
        plain HALS (≥ 0).
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvd (for solver=hals):
        parts of the leading singular vectors; nndsvda, nndsvdar: the same with zeros replaced by the mean of
        the data, or by small random numbers.
    max_iter : int, default=200
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when an iteration changes WH by less than this, relative to WH; 0: never (≥ 0).
    normalise : {"end", "each", "none"}, default="end"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    labels : {"spectral", "kmeans", "argmax"}, default="spectral"
        How a clustering gets labels: by spectral clustering of the graph of the 7 nearest rows, by k-means
        among the rows (10 starts), or by each sample's largest coordinate.
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.NPAFClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "npaf"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "loss": "loss",
        "lam": "lambda",
        "solver": "solver",
        "sweeps": "sweeps",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "labels": "labels",
        "rows": "rows",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True
    _orthant_former = {
        "term": None,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        n_neighbors: int = 5,
        *,
        protocol: str = "general",
        loss: str = "frobenius",
        lam: float = 0.3,
        solver: str = "auto",
        sweeps: int = 0,
        init: str = "random",
        max_iter: int = 200,
        tol: float = 0.0,
        normalise: str = "end",
        shift: str = "none",
        labels: str = "spectral",
        rows: str = "auto",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.loss = loss
        self.lam = lam
        self.solver = solver
        self.sweeps = sweeps
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.labels = labels
        self.rows = rows
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class NDLA(Supervised, Factorization):
    """Nonnegative discriminative locality alignment.

    NMF that keeps samples of a class together and classes apart.
    Source: Guan, Tao, Luo, Yuan, IEEE TNN 22, 2011.

    It learns from the classes of the samples, which fit takes as y.

    Parameters
    ----------
    n_components : int, default=2
        R, the components to find.
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    k1 : int, default=6
        k1, the nearest samples of the same class; fewer in a small class (≥ 1).
    k2 : int, default=20
        k2, the nearest samples of other classes (≥ 1).
    combine : {"pinv", "ridge"}, default="pinv"
        How L^b is inverted, which has a null vector for each component of its graph: without its eigenvalues
        below 1e-6 of the largest, or with this amount added to all eigenvalues.
    allow_indefinite : bool, default=False
        Accept a Φ that is not positive semidefinite because of rounding; false: it is an error.
    lam : float, default=1.0
        λ, the weight of the graph term; 0: none, and no graph is built (≥ 0).
    solver : {"auto", "mu", "hals"}, default="auto"
        Mu: multiplicative updates; hals: coordinate descent (hierarchical alternating least squares), which
        reaches the same error in fewer iterations; auto: hals if the other parameters allow it, else mu.
    sweeps : int, default=0
        For solver=hals: the sweeps over a factor for each product with the data; 0: as many as save time, 1:
        plain HALS (≥ 0).
    init : {"random", "nndsvd", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvd (for solver=hals):
        parts of the leading singular vectors; nndsvda, nndsvdar: the same with zeros replaced by the mean of
        the data, or by small random numbers.
    max_iter : int, default=200
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when an iteration changes WH by less than this, relative to WH; 0: never (≥ 0).
    normalise : {"end", "each", "none"}, default="end"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.NDLA(n_components=3).fit(x, numpy.arange(120) % 3).components_.shape
    (3, 5)
    """

    _orthant_method = "ndla"
    _orthant_keys = {
        "protocol": "protocol",
        "k1": "k1",
        "k2": "k2",
        "combine": "combine",
        "allow_indefinite": "allow_indefinite",
        "lam": "lambda",
        "solver": "solver",
        "sweeps": "sweeps",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True
    _orthant_former = {
        "term": None,
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        protocol: str = "general",
        k1: int = 6,
        k2: int = 20,
        combine: str = "pinv",
        allow_indefinite: bool = False,
        lam: float = 1.0,
        solver: str = "auto",
        sweeps: int = 0,
        init: str = "random",
        max_iter: int = 200,
        tol: float = 0.0,
        normalise: str = "end",
        shift: str = "none",
        standardize: str | None = None,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_components = n_components
        self.protocol = protocol
        self.k1 = k1
        self.k2 = k2
        self.combine = combine
        self.allow_indefinite = allow_indefinite
        self.lam = lam
        self.solver = solver
        self.sweeps = sweeps
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class LPRNA(Factorization):
    """Locality-preserving robust nonnegative patch alignment.

    CIM-NMF on a locally sparse graph that forgives occlusions.
    Source: You et al., IEEE TNNLS 26, 2015.

    Parameters
    ----------
    n_components : int, default=2
        R, the components to find.
    n_neighbors : int, default=100
        p: a sample is written as a sum of its p nearest samples, at most n − 1 (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    xi1 : float, default=0.01
        ξ1, the weight of the differences of the codes of adjacent neighbours (≥ 0).
    xi2 : float, default=0.01
        ξ2, the weight of Σ|a| + Σ|e| (> 0).
    tau : float, default=0.001
        τ: smaller codes are left out of the graph (≥ 0).
    lam : float, default=0.1
        λ, the weight of the graph term; 0: none, and no graph is built (≥ 0).
    init : {"random", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvda, nndsvdar: parts of
        the leading singular vectors, with zeros replaced by the mean of the data, or by small random numbers.
    max_iter : int, default=500
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when an iteration changes WH by less than this, relative to WH; 0: never (≥ 0).
    normalise : {"end", "each", "none"}, default="end"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    residual_scale : {"median", "mean"}, default="median"
        The scale of the residuals E = X − WH, by which σ² is set. median: 1.4826 times the median of |E| with
        the entries of the data as weights, so that it is measured where the data are; σ² then never rises.
        mean: √mean(E²) over all entries, zeros included.
    theta : float, default=4.5
        θ of σ² = θ·scale², the scale of the entries' weights exp(−e²/2σ²); a larger one is nearer to least
        squares. With 4.5 and normal residuals little is lost against least squares (the usual constant of
        Welsch's loss) (> 0).
    sigma2 : float or "auto", default="auto"
        σ² itself, for all iterations; auto: by θ and the scale (> 0).
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.LPRNA(n_components=3).fit(x).components_.shape
    (3, 5)
    """

    _orthant_method = "lp-rna"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "xi1": "xi1",
        "xi2": "xi2",
        "tau": "tau",
        "lam": "lambda",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "residual_scale": "residual_scale",
        "theta": "theta",
        "sigma2": "sigma2",
        "rows": "rows",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True
    _orthant_former = {
        "freeze_sigma_after": None,
        "kernel_constant": None,
        "p": "n_neighbors",
        "schedule": None,
        "term": None,
        "warm": None,
    }

    def __init__(
        self,
        n_components: int = 2,
        n_neighbors: int = 100,
        *,
        protocol: str = "general",
        xi1: float = 0.01,
        xi2: float = 0.01,
        tau: float = 0.001,
        lam: float = 0.1,
        init: str = "random",
        max_iter: int = 500,
        tol: float = 0.0,
        normalise: str = "end",
        shift: str = "none",
        residual_scale: str = "median",
        theta: float = 4.5,
        sigma2: str | float = "auto",
        rows: str = "auto",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.xi1 = xi1
        self.xi2 = xi2
        self.tau = tau
        self.lam = lam
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.residual_scale = residual_scale
        self.theta = theta
        self.sigma2 = sigma2
        self.rows = rows
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class LPRNAClustering(Clustering):
    """Locality-preserving robust nonnegative patch alignment, as a clustering.

    CIM-NMF on a locally sparse graph that forgives occlusions.
    Source: You et al., IEEE TNNLS 26, 2015.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    n_neighbors : int, default=100
        p: a sample is written as a sum of its p nearest samples, at most n − 1 (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    xi1 : float, default=0.01
        ξ1, the weight of the differences of the codes of adjacent neighbours (≥ 0).
    xi2 : float, default=0.01
        ξ2, the weight of Σ|a| + Σ|e| (> 0).
    tau : float, default=0.001
        τ: smaller codes are left out of the graph (≥ 0).
    lam : float, default=0.1
        λ, the weight of the graph term; 0: none, and no graph is built (≥ 0).
    init : {"random", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvda, nndsvdar: parts of
        the leading singular vectors, with zeros replaced by the mean of the data, or by small random numbers.
    max_iter : int, default=500
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when an iteration changes WH by less than this, relative to WH; 0: never (≥ 0).
    normalise : {"end", "each", "none"}, default="end"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    residual_scale : {"median", "mean"}, default="median"
        The scale of the residuals E = X − WH, by which σ² is set. median: 1.4826 times the median of |E| with
        the entries of the data as weights, so that it is measured where the data are; σ² then never rises.
        mean: √mean(E²) over all entries, zeros included.
    theta : float, default=4.5
        θ of σ² = θ·scale², the scale of the entries' weights exp(−e²/2σ²); a larger one is nearer to least
        squares. With 4.5 and normal residuals little is lost against least squares (the usual constant of
        Welsch's loss) (> 0).
    sigma2 : float or "auto", default="auto"
        σ² itself, for all iterations; auto: by θ and the scale (> 0).
    labels : {"spectral", "kmeans", "argmax"}, default="spectral"
        How a clustering gets labels: by spectral clustering of the graph of the 7 nearest rows, by k-means
        among the rows (10 starts), or by each sample's largest coordinate.
    rows : {"auto", "codes", "unit", "model", "unit-model"}, default="auto"
        The rows that are clustered: those of W (codes), those of W scaled to unit length (unit), those of WH
        (model), or those of WH scaled to unit length (unit-model); auto: codes for labels=spectral, unit for
        kmeans.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.LPRNAClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "lp-rna"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "xi1": "xi1",
        "xi2": "xi2",
        "tau": "tau",
        "lam": "lambda",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "residual_scale": "residual_scale",
        "theta": "theta",
        "sigma2": "sigma2",
        "labels": "labels",
        "rows": "rows",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True
    _orthant_former = {
        "freeze_sigma_after": None,
        "kernel_constant": None,
        "p": "n_neighbors",
        "schedule": None,
        "term": None,
        "warm": None,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        n_neighbors: int = 100,
        *,
        protocol: str = "general",
        xi1: float = 0.01,
        xi2: float = 0.01,
        tau: float = 0.001,
        lam: float = 0.1,
        init: str = "random",
        max_iter: int = 500,
        tol: float = 0.0,
        normalise: str = "end",
        shift: str = "none",
        residual_scale: str = "median",
        theta: float = 4.5,
        sigma2: str | float = "auto",
        labels: str = "spectral",
        rows: str = "auto",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.xi1 = xi1
        self.xi2 = xi2
        self.tau = tau
        self.lam = lam
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.residual_scale = residual_scale
        self.theta = theta
        self.sigma2 = sigma2
        self.labels = labels
        self.rows = rows
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class SPRNA(Supervised, Factorization):
    """Supervised robust nonnegative patch alignment.

    CIM-NMF with sparse codes within classes, weighed against codes between classes.
    Source: You et al., IEEE TNNLS 26, 2015.

    It learns from the classes of the samples, which fit takes as y.

    Parameters
    ----------
    n_components : int, default=2
        R, the components to find.
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    k1 : int, default=6
        k1, the nearest samples of the same class; fewer in a small class (≥ 1).
    k2 : int, default=20
        k2, the nearest samples of other classes (≥ 1).
    combine : {"pinv", "ridge"}, default="pinv"
        How L^b is inverted, which has a null vector for each component of its graph: without its eigenvalues
        below 1e-6 of the largest, or with this amount added to all eigenvalues.
    allow_indefinite : bool, default=False
        Accept a Φ that is not positive semidefinite because of rounding; false: it is an error.
    lam : float, default=1.0
        λ, the weight of the graph term; 0: none, and no graph is built (≥ 0).
    init : {"random", "nndsvda", "nndsvdar"}, default="random"
        The start. random: uniform numbers by the seed, with the mean of the data; nndsvda, nndsvdar: parts of
        the leading singular vectors, with zeros replaced by the mean of the data, or by small random numbers.
    max_iter : int, default=500
        The most iterations (≥ 1).
    tol : float, default=0.0
        Stop when an iteration changes WH by less than this, relative to WH; 0: never (≥ 0).
    normalise : {"end", "each", "none"}, default="end"
        When components are scaled to unit length, and W by the inverse: at the end, after each iteration (the
        objective may then rise), or never.
    shift : {"none", "columns", "global"}, default="none"
        For data with negative entries: subtract from each column its least entry if that is negative, or
        subtract the least entry of all from every entry.
    residual_scale : {"median", "mean"}, default="median"
        The scale of the residuals E = X − WH, by which σ² is set. median: 1.4826 times the median of |E| with
        the entries of the data as weights, so that it is measured where the data are; σ² then never rises.
        mean: √mean(E²) over all entries, zeros included.
    theta : float, default=4.5
        θ of σ² = θ·scale², the scale of the entries' weights exp(−e²/2σ²); a larger one is nearer to least
        squares. With 4.5 and normal residuals little is lost against least squares (the usual constant of
        Welsch's loss) (> 0).
    sigma2 : float or "auto", default="auto"
        σ² itself, for all iterations; auto: by θ and the scale (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.SPRNA(n_components=3).fit(x, numpy.arange(120) % 3).components_.shape
    (3, 5)
    """

    _orthant_method = "sp-rna"
    _orthant_keys = {
        "protocol": "protocol",
        "k1": "k1",
        "k2": "k2",
        "combine": "combine",
        "allow_indefinite": "allow_indefinite",
        "lam": "lambda",
        "init": "init",
        "max_iter": "iterations",
        "tol": "tolerance",
        "normalise": "normalise",
        "shift": "shift",
        "residual_scale": "residual_scale",
        "theta": "theta",
        "sigma2": "sigma2",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_sparse = True
    _orthant_former = {
        "freeze_sigma_after": None,
        "kernel_constant": None,
        "schedule": None,
        "term": None,
        "warm": None,
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        protocol: str = "general",
        k1: int = 6,
        k2: int = 20,
        combine: str = "pinv",
        allow_indefinite: bool = False,
        lam: float = 1.0,
        init: str = "random",
        max_iter: int = 500,
        tol: float = 0.0,
        normalise: str = "end",
        shift: str = "none",
        residual_scale: str = "median",
        theta: float = 4.5,
        sigma2: str | float = "auto",
        standardize: str | None = None,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_components = n_components
        self.protocol = protocol
        self.k1 = k1
        self.k2 = k2
        self.combine = combine
        self.allow_indefinite = allow_indefinite
        self.lam = lam
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.normalise = normalise
        self.shift = shift
        self.residual_scale = residual_scale
        self.theta = theta
        self.sigma2 = sigma2
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class RMNMF(FactorizationOnly):
    """Robust manifold NMF.

    Orthonormal indicators of clusters under the L2,1 norm, with neighbours kept together.
    Source: Huang, Nie, Huang, Ding, ACM TKDD 8, 2014.

    Parameters
    ----------
    n_components : int, default=2
        R, the components to find.
    n_neighbors : int or "auto", default="auto"
        k, the nearest neighbours of each sample; samples are joined if either lists the other; auto: ⌊√n⌋, at
        most 7 (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    weights : {"adaptive", "binary"}, default="adaptive"
        The weight of an edge: a Gaussian whose width is the mean, over both ends, of the distance to the k-th
        neighbour; or 1.
    select : {"none", "dpp", "dpp-exact", "ipm", "ds3", "esc-ffs"}, default="none"
        Use only the part of the graph that is the neighbourhoods of exemplars, which this method chooses with
        its defaults (dpp-exact: dpp with sample=exact, drawn by the seed); none: use the whole graph.
    exemplars : int or "auto", default="auto"
        τ, the exemplars that select chooses; auto: a tenth of the samples (≥ 1).
    lam : float or "auto", default="auto"
        λ, the weight of the graph term; auto: the λ with which the term of a partition that cuts all edges is
        half the loss without components; 0: none, and no graph is built (≥ 0).
    scale : {"minmax", "shift", "none"}, default="minmax"
        How the features are scaled: to [0, 1] (constant ones to 0), shifted to a least value of 0, or not at
        all.
    offset : {"mean", "none"}, default="mean"
        What is first subtracted from the scaled samples, and added to the result, X ≈ offset + WH: their
        mean, or nothing.
    init : {"spectral", "kmeans", "nndsvd"}, default="spectral"
        The start: spectral clusters of the neighbour graph (those of k-means if a sample has no neighbour in
        the graph), the clusters of k-means, or parts of the leading singular vectors.
    mu : float or "auto", default="auto"
        μ, the penalty of the first iteration; auto: 0.1 divided by the median residual of the start, or 2λ
        times the largest degree if that is larger (> 0).
    hold : int, default=10
        Iterations before the penalty begins to grow (≥ 0).
    rho : float, default=1.1
        ρ, the factor by which the penalty grows in each iteration, up to 10¹⁰ (≥ 1).
    max_iter : int, default=150
        The most iterations (≥ 1).
    tol : float, default=1e-05
        Stop when all residuals of the splittings are at most this; 0: never (≥ 0).
    harden : int, default=20
        Every this many iterations, make a partition by the largest entries of G; return the best one, with
        the factors that fit it. The partition of the start counts, too; if it is the best, it is first
        improved by moving single samples. 0: return the factors of the last iteration (≥ 0).
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.RMNMF(n_components=3).fit(x).components_.shape
    (3, 5)
    """

    _orthant_method = "rmnmf"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "weights": "weights",
        "select": "select",
        "exemplars": "exemplars",
        "lam": "lambda",
        "scale": "scale",
        "offset": "offset",
        "init": "init",
        "mu": "mu",
        "hold": "hold",
        "rho": "rho",
        "max_iter": "iterations",
        "tol": "tolerance",
        "harden": "harden",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }

    def __init__(
        self,
        n_components: int = 2,
        n_neighbors: str | int = "auto",
        *,
        protocol: str = "general",
        weights: str = "adaptive",
        select: str = "none",
        exemplars: str | int = "auto",
        lam: str | float = "auto",
        scale: str = "minmax",
        offset: str = "mean",
        init: str = "spectral",
        mu: str | float = "auto",
        hold: int = 10,
        rho: float = 1.1,
        max_iter: int = 150,
        tol: float = 1e-05,
        harden: int = 20,
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.weights = weights
        self.select = select
        self.exemplars = exemplars
        self.lam = lam
        self.scale = scale
        self.offset = offset
        self.init = init
        self.mu = mu
        self.hold = hold
        self.rho = rho
        self.max_iter = max_iter
        self.tol = tol
        self.harden = harden
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class RMNMFClustering(Clustering):
    """Robust manifold NMF, as a clustering.

    Orthonormal indicators of clusters under the L2,1 norm, with neighbours kept together.
    Source: Huang, Nie, Huang, Ding, ACM TKDD 8, 2014.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    n_neighbors : int or "auto", default="auto"
        k, the nearest neighbours of each sample; samples are joined if either lists the other; auto: ⌊√n⌋, at
        most 7 (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    weights : {"adaptive", "binary"}, default="adaptive"
        The weight of an edge: a Gaussian whose width is the mean, over both ends, of the distance to the k-th
        neighbour; or 1.
    select : {"none", "dpp", "dpp-exact", "ipm", "ds3", "esc-ffs"}, default="none"
        Use only the part of the graph that is the neighbourhoods of exemplars, which this method chooses with
        its defaults (dpp-exact: dpp with sample=exact, drawn by the seed); none: use the whole graph.
    exemplars : int or "auto", default="auto"
        τ, the exemplars that select chooses; auto: a tenth of the samples (≥ 1).
    lam : float or "auto", default="auto"
        λ, the weight of the graph term; auto: the λ with which the term of a partition that cuts all edges is
        half the loss without components; 0: none, and no graph is built (≥ 0).
    scale : {"minmax", "shift", "none"}, default="minmax"
        How the features are scaled: to [0, 1] (constant ones to 0), shifted to a least value of 0, or not at
        all.
    offset : {"mean", "none"}, default="mean"
        What is first subtracted from the scaled samples, and added to the result, X ≈ offset + WH: their
        mean, or nothing.
    init : {"spectral", "kmeans", "nndsvd"}, default="spectral"
        The start: spectral clusters of the neighbour graph (those of k-means if a sample has no neighbour in
        the graph), the clusters of k-means, or parts of the leading singular vectors.
    mu : float or "auto", default="auto"
        μ, the penalty of the first iteration; auto: 0.1 divided by the median residual of the start, or 2λ
        times the largest degree if that is larger (> 0).
    hold : int, default=10
        Iterations before the penalty begins to grow (≥ 0).
    rho : float, default=1.1
        ρ, the factor by which the penalty grows in each iteration, up to 10¹⁰ (≥ 1).
    max_iter : int, default=150
        The most iterations (≥ 1).
    tol : float, default=1e-05
        Stop when all residuals of the splittings are at most this; 0: never (≥ 0).
    harden : int, default=20
        Every this many iterations, make a partition by the largest entries of G; return the best one, with
        the factors that fit it. The partition of the start counts, too; if it is the best, it is first
        improved by moving single samples. 0: return the factors of the last iteration (≥ 0).
    labels : {"argmax", "kmeans"}, default="argmax"
        How a clustering gets labels: by each sample's largest entry of G (the first of equal ones; clusters
        can stay empty), or by k-means among the rows of G.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.RMNMFClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "rmnmf"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "weights": "weights",
        "select": "select",
        "exemplars": "exemplars",
        "lam": "lambda",
        "scale": "scale",
        "offset": "offset",
        "init": "init",
        "mu": "mu",
        "hold": "hold",
        "rho": "rho",
        "max_iter": "iterations",
        "tol": "tolerance",
        "harden": "harden",
        "labels": "labels",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }

    def __init__(
        self,
        n_clusters: int = 8,
        n_neighbors: str | int = "auto",
        *,
        protocol: str = "general",
        weights: str = "adaptive",
        select: str = "none",
        exemplars: str | int = "auto",
        lam: str | float = "auto",
        scale: str = "minmax",
        offset: str = "mean",
        init: str = "spectral",
        mu: str | float = "auto",
        hold: int = 10,
        rho: float = 1.1,
        max_iter: int = 150,
        tol: float = 1e-05,
        harden: int = 20,
        labels: str = "argmax",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.weights = weights
        self.select = select
        self.exemplars = exemplars
        self.lam = lam
        self.scale = scale
        self.offset = offset
        self.init = init
        self.mu = mu
        self.hold = hold
        self.rho = rho
        self.max_iter = max_iter
        self.tol = tol
        self.harden = harden
        self.labels = labels
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class AMRMF(FactorizationOnly):
    """Adaptive manifold regularised matrix factorisation.

    RMNMF with a graph that is learned with the indicators.
    Source: Zhang, Zhang, Du, You, Tao, IJCAI 2017.

    Parameters
    ----------
    n_components : int, default=2
        R, the components to find.
    n_neighbors : int or "auto", default="auto"
        k, the neighbours of each sample, at most n − 2; auto: ⌊√n⌋, at most 7 (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    lam : float or "auto", default="auto"
        λ, the weight of the graph term, also of the indicators in the choice of neighbours; auto: the λ with
        which the term of a partition that cuts all edges is a quarter of the loss without components; 0: no
        graph (≥ 0).
    scale : {"minmax", "shift", "none"}, default="minmax"
        How the features are scaled: to [0, 1] (constant ones to 0), shifted to a least value of 0, or not at
        all.
    offset : {"mean", "none"}, default="mean"
        What is first subtracted from the scaled samples, and added to the result, X ≈ offset + WH: their
        mean, or nothing.
    init : {"spectral", "kmeans", "nndsvd"}, default="spectral"
        The start: spectral clusters of the neighbour graph (those of k-means if a sample has no neighbour in
        the graph), the clusters of k-means, or parts of the leading singular vectors.
    mu : float or "auto", default="auto"
        μ, the penalty of the first iteration; auto: 0.1 divided by the median residual of the start, or 2λ
        times the largest degree if that is larger (> 0).
    hold : int, default=10
        Iterations before the penalty begins to grow (≥ 0).
    rho : float, default=1.1
        ρ, the factor by which the penalty grows in each iteration, up to 10¹⁰ (≥ 1).
    max_iter : int, default=150
        The most iterations (≥ 1).
    tol : float, default=1e-05
        Stop when all residuals of the splittings are at most this; 0: never (≥ 0).
    harden : int, default=20
        Every this many iterations, make a partition by the largest entries of G; return the best one, with
        the factors that fit it. The partition of the start counts, too; if it is the best, it is first
        improved by moving single samples. 0: return the factors of the last iteration (≥ 0).
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.AMRMF(n_components=3).fit(x).components_.shape
    (3, 5)
    """

    _orthant_method = "amrmf"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "lam": "lambda",
        "scale": "scale",
        "offset": "offset",
        "init": "init",
        "mu": "mu",
        "hold": "hold",
        "rho": "rho",
        "max_iter": "iterations",
        "tol": "tolerance",
        "harden": "harden",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }

    def __init__(
        self,
        n_components: int = 2,
        n_neighbors: str | int = "auto",
        *,
        protocol: str = "general",
        lam: str | float = "auto",
        scale: str = "minmax",
        offset: str = "mean",
        init: str = "spectral",
        mu: str | float = "auto",
        hold: int = 10,
        rho: float = 1.1,
        max_iter: int = 150,
        tol: float = 1e-05,
        harden: int = 20,
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.lam = lam
        self.scale = scale
        self.offset = offset
        self.init = init
        self.mu = mu
        self.hold = hold
        self.rho = rho
        self.max_iter = max_iter
        self.tol = tol
        self.harden = harden
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class AMRMFClustering(Clustering):
    """Adaptive manifold regularised matrix factorisation, as a clustering.

    RMNMF with a graph that is learned with the indicators.
    Source: Zhang, Zhang, Du, You, Tao, IJCAI 2017.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    n_neighbors : int or "auto", default="auto"
        k, the neighbours of each sample, at most n − 2; auto: ⌊√n⌋, at most 7 (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    lam : float or "auto", default="auto"
        λ, the weight of the graph term, also of the indicators in the choice of neighbours; auto: the λ with
        which the term of a partition that cuts all edges is a quarter of the loss without components; 0: no
        graph (≥ 0).
    scale : {"minmax", "shift", "none"}, default="minmax"
        How the features are scaled: to [0, 1] (constant ones to 0), shifted to a least value of 0, or not at
        all.
    offset : {"mean", "none"}, default="mean"
        What is first subtracted from the scaled samples, and added to the result, X ≈ offset + WH: their
        mean, or nothing.
    init : {"spectral", "kmeans", "nndsvd"}, default="spectral"
        The start: spectral clusters of the neighbour graph (those of k-means if a sample has no neighbour in
        the graph), the clusters of k-means, or parts of the leading singular vectors.
    mu : float or "auto", default="auto"
        μ, the penalty of the first iteration; auto: 0.1 divided by the median residual of the start, or 2λ
        times the largest degree if that is larger (> 0).
    hold : int, default=10
        Iterations before the penalty begins to grow (≥ 0).
    rho : float, default=1.1
        ρ, the factor by which the penalty grows in each iteration, up to 10¹⁰ (≥ 1).
    max_iter : int, default=150
        The most iterations (≥ 1).
    tol : float, default=1e-05
        Stop when all residuals of the splittings are at most this; 0: never (≥ 0).
    harden : int, default=20
        Every this many iterations, make a partition by the largest entries of G; return the best one, with
        the factors that fit it. The partition of the start counts, too; if it is the best, it is first
        improved by moving single samples. 0: return the factors of the last iteration (≥ 0).
    labels : {"argmax", "kmeans"}, default="argmax"
        How a clustering gets labels: by each sample's largest entry of G (the first of equal ones; clusters
        can stay empty), or by k-means among the rows of G.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.AMRMFClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "amrmf"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "lam": "lambda",
        "scale": "scale",
        "offset": "offset",
        "init": "init",
        "mu": "mu",
        "hold": "hold",
        "rho": "rho",
        "max_iter": "iterations",
        "tol": "tolerance",
        "harden": "harden",
        "labels": "labels",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }

    def __init__(
        self,
        n_clusters: int = 8,
        n_neighbors: str | int = "auto",
        *,
        protocol: str = "general",
        lam: str | float = "auto",
        scale: str = "minmax",
        offset: str = "mean",
        init: str = "spectral",
        mu: str | float = "auto",
        hold: int = 10,
        rho: float = 1.1,
        max_iter: int = 150,
        tol: float = 1e-05,
        harden: int = 20,
        labels: str = "argmax",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.lam = lam
        self.scale = scale
        self.offset = offset
        self.init = init
        self.mu = mu
        self.hold = hold
        self.rho = rho
        self.max_iter = max_iter
        self.tol = tol
        self.harden = harden
        self.labels = labels
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class APMF(FactorizationOnly):
    """Adaptive projected matrix factorisation.

    AMRMF in a subspace that is learned with the rest.
    Source: Chen, Wang, Li, Neurocomputing, 2018.

    Parameters
    ----------
    n_components : int, default=2
        R, the components to find.
    n_neighbors : int or "auto", default="auto"
        k, the neighbours of each sample, at most n − 2; auto: ⌊√n⌋, at most 7 (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    subspace : int or "auto", default="auto"
        d, the dimensions of the subspace, at most the smaller side of the data; auto: as many as clusters, at
        least 2 (≥ 1).
    lam : float or "auto", default="auto"
        λ, the weight of the graph term, also of the indicators in the choice of neighbours; auto: the λ with
        which the term of a partition that cuts all edges is a quarter of the loss without components; 0: no
        graph (≥ 0).
    scale : {"minmax", "shift", "none"}, default="minmax"
        How the features are scaled: to [0, 1] (constant ones to 0), shifted to a least value of 0, or not at
        all.
    offset : {"mean", "none"}, default="mean"
        What is first subtracted from the scaled samples, and added to the result, X ≈ offset + WH: their
        mean, or nothing.
    init : {"spectral", "kmeans", "nndsvd"}, default="spectral"
        The start: spectral clusters of the neighbour graph (those of k-means if a sample has no neighbour in
        the graph), the clusters of k-means, or parts of the leading singular vectors.
    mu : float or "auto", default="auto"
        μ, the penalty of the first iteration; auto: 0.1 divided by the median residual of the start, or 2λ
        times the largest degree if that is larger (> 0).
    hold : int, default=10
        Iterations before the penalty begins to grow (≥ 0).
    rho : float, default=1.1
        ρ, the factor by which the penalty grows in each iteration, up to 10¹⁰ (≥ 1).
    max_iter : int, default=150
        The most iterations (≥ 1).
    tol : float, default=1e-05
        Stop when all residuals of the splittings are at most this; 0: never (≥ 0).
    harden : int, default=20
        Every this many iterations, make a partition by the largest entries of G; return the best one, with
        the factors that fit it. The partition of the start counts, too; if it is the best, it is first
        improved by moving single samples. 0: return the factors of the last iteration (≥ 0).
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.APMF(n_components=3).fit(x).components_.shape
    (3, 5)
    """

    _orthant_method = "apmf"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "subspace": "subspace",
        "lam": "lambda",
        "scale": "scale",
        "offset": "offset",
        "init": "init",
        "mu": "mu",
        "hold": "hold",
        "rho": "rho",
        "max_iter": "iterations",
        "tol": "tolerance",
        "harden": "harden",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }

    def __init__(
        self,
        n_components: int = 2,
        n_neighbors: str | int = "auto",
        *,
        protocol: str = "general",
        subspace: str | int = "auto",
        lam: str | float = "auto",
        scale: str = "minmax",
        offset: str = "mean",
        init: str = "spectral",
        mu: str | float = "auto",
        hold: int = 10,
        rho: float = 1.1,
        max_iter: int = 150,
        tol: float = 1e-05,
        harden: int = 20,
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.subspace = subspace
        self.lam = lam
        self.scale = scale
        self.offset = offset
        self.init = init
        self.mu = mu
        self.hold = hold
        self.rho = rho
        self.max_iter = max_iter
        self.tol = tol
        self.harden = harden
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class APMFClustering(Clustering):
    """Adaptive projected matrix factorisation, as a clustering.

    AMRMF in a subspace that is learned with the rest.
    Source: Chen, Wang, Li, Neurocomputing, 2018.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    n_neighbors : int or "auto", default="auto"
        k, the neighbours of each sample, at most n − 2; auto: ⌊√n⌋, at most 7 (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    subspace : int or "auto", default="auto"
        d, the dimensions of the subspace, at most the smaller side of the data; auto: as many as clusters, at
        least 2 (≥ 1).
    lam : float or "auto", default="auto"
        λ, the weight of the graph term, also of the indicators in the choice of neighbours; auto: the λ with
        which the term of a partition that cuts all edges is a quarter of the loss without components; 0: no
        graph (≥ 0).
    scale : {"minmax", "shift", "none"}, default="minmax"
        How the features are scaled: to [0, 1] (constant ones to 0), shifted to a least value of 0, or not at
        all.
    offset : {"mean", "none"}, default="mean"
        What is first subtracted from the scaled samples, and added to the result, X ≈ offset + WH: their
        mean, or nothing.
    init : {"spectral", "kmeans", "nndsvd"}, default="spectral"
        The start: spectral clusters of the neighbour graph (those of k-means if a sample has no neighbour in
        the graph), the clusters of k-means, or parts of the leading singular vectors.
    mu : float or "auto", default="auto"
        μ, the penalty of the first iteration; auto: 0.1 divided by the median residual of the start, or 2λ
        times the largest degree if that is larger (> 0).
    hold : int, default=10
        Iterations before the penalty begins to grow (≥ 0).
    rho : float, default=1.1
        ρ, the factor by which the penalty grows in each iteration, up to 10¹⁰ (≥ 1).
    max_iter : int, default=150
        The most iterations (≥ 1).
    tol : float, default=1e-05
        Stop when all residuals of the splittings are at most this; 0: never (≥ 0).
    harden : int, default=20
        Every this many iterations, make a partition by the largest entries of G; return the best one, with
        the factors that fit it. The partition of the start counts, too; if it is the best, it is first
        improved by moving single samples. 0: return the factors of the last iteration (≥ 0).
    labels : {"argmax", "kmeans"}, default="argmax"
        How a clustering gets labels: by each sample's largest entry of G (the first of equal ones; clusters
        can stay empty), or by k-means among the rows of G.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.APMFClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "apmf"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "subspace": "subspace",
        "lam": "lambda",
        "scale": "scale",
        "offset": "offset",
        "init": "init",
        "mu": "mu",
        "hold": "hold",
        "rho": "rho",
        "max_iter": "iterations",
        "tol": "tolerance",
        "harden": "harden",
        "labels": "labels",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }

    def __init__(
        self,
        n_clusters: int = 8,
        n_neighbors: str | int = "auto",
        *,
        protocol: str = "general",
        subspace: str | int = "auto",
        lam: str | float = "auto",
        scale: str = "minmax",
        offset: str = "mean",
        init: str = "spectral",
        mu: str | float = "auto",
        hold: int = 10,
        rho: float = 1.1,
        max_iter: int = 150,
        tol: float = 1e-05,
        harden: int = 20,
        labels: str = "argmax",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.subspace = subspace
        self.lam = lam
        self.scale = scale
        self.offset = offset
        self.init = init
        self.mu = mu
        self.hold = hold
        self.rho = rho
        self.max_iter = max_iter
        self.tol = tol
        self.harden = harden
        self.labels = labels
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress


class SMRMF(FactorizationOnly):
    """Selective manifold regularised matrix factorisation.

    RMNMF on a graph of few exemplars, learned with the clusters.
    Source: Mani, Domeniconi, Griva, 2020.

    Parameters
    ----------
    n_components : int, default=2
        R, the components to find.
    n_neighbors : int or "auto", default="auto"
        k, the neighbours of each exemplar, at most n − 1; the distance to the k-th nearest sample is the
        bandwidth; auto: ⌊√n⌋ (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    exemplars : int, default=0
        τ, the samples whose neighbourhoods regularise the factors, and the bound on the sum of the norms of
        Z's rows; 0: a tenth of all samples, at least 1 (≥ 0).
    lam : float or "auto", default="auto"
        λ, the weight of the graph term, also in the encoding; auto: the λ with which the term of a partition
        that cuts all of Z is a quarter of (f-smrmf: twice) the loss without components (≥ 0).
    dissimilarity_weight : float or "auto", default="auto"
        β, the weight of the samples' dissimilarities in the encoding; auto: λ, or 1 if λ is 0 (> 0).
    p : {"inf", "2"}, default="inf"
        The norm of the rows of Z; the sum of these norms is at most τ; with p=2, τ has to be at least √n.
    mode : {"learned", "input"}, default="learned"
        Which neighbours of an exemplar count: the k with the largest entries in Z, or the k nearest samples;
        their weights are their entries in Z in both cases.
    diag : {"keep", "rank", "drop"}, default="keep"
        a sample may represent itself. keep: that counts in the choice of exemplars; rank: it does not count;
        drop: no sample represents itself.
    start_steps : int, default=500
        The most steps of A2DM2, which finds the first encoding; a step costs a fraction of an iteration (≥
        1).
    scale : {"minmax", "shift", "none"}, default="minmax"
        How the features are scaled: to [0, 1] (constant ones to 0), shifted to a least value of 0, or not at
        all.
    offset : {"mean", "none"}, default="mean"
        What is first subtracted from the scaled samples, and added to the result, X ≈ offset + WH: their
        mean, or nothing.
    init : {"spectral", "kmeans", "nndsvd"}, default="spectral"
        The start: spectral clusters of the neighbour graph (those of k-means if a sample has no neighbour in
        the graph), the clusters of k-means, or parts of the leading singular vectors.
    mu : float or "auto", default="auto"
        μ, the penalty of the first iteration; auto: 0.1 divided by the median residual of the start, or 2λ
        times the largest degree if that is larger (> 0).
    hold : int, default=10
        Iterations before the penalty begins to grow (≥ 0).
    rho : float, default=1.1
        ρ, the factor by which the penalty grows in each iteration, up to 10¹⁰ (≥ 1).
    max_iter : int, default=150
        The most iterations (≥ 1).
    tol : float, default=1e-05
        Stop when all residuals of the splittings are at most this; 0: never (≥ 0).
    harden : int, default=20
        Every this many iterations, make a partition by the largest entries of G; return the best one, with
        the factors that fit it. The partition of the start counts, too; if it is the best, it is first
        improved by moving single samples. 0: return the factors of the last iteration (≥ 0).
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.SMRMF(n_components=3).fit(x).components_.shape
    (3, 5)
    """

    _orthant_method = "smrmf"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "exemplars": "exemplars",
        "lam": "lambda",
        "dissimilarity_weight": "dissimilarity_weight",
        "p": "p",
        "mode": "mode",
        "diag": "diag",
        "start_steps": "start_steps",
        "scale": "scale",
        "offset": "offset",
        "init": "init",
        "mu": "mu",
        "hold": "hold",
        "rho": "rho",
        "max_iter": "iterations",
        "tol": "tolerance",
        "harden": "harden",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_former = {
        "beta": "dissimilarity_weight",
    }

    def __init__(
        self,
        n_components: int = 2,
        n_neighbors: str | int = "auto",
        *,
        protocol: str = "general",
        exemplars: int = 0,
        lam: str | float = "auto",
        dissimilarity_weight: str | float = "auto",
        p: str = "inf",
        mode: str = "learned",
        diag: str = "keep",
        start_steps: int = 500,
        scale: str = "minmax",
        offset: str = "mean",
        init: str = "spectral",
        mu: str | float = "auto",
        hold: int = 10,
        rho: float = 1.1,
        max_iter: int = 150,
        tol: float = 1e-05,
        harden: int = 20,
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.exemplars = exemplars
        self.lam = lam
        self.dissimilarity_weight = dissimilarity_weight
        self.p = p
        self.mode = mode
        self.diag = diag
        self.start_steps = start_steps
        self.scale = scale
        self.offset = offset
        self.init = init
        self.mu = mu
        self.hold = hold
        self.rho = rho
        self.max_iter = max_iter
        self.tol = tol
        self.harden = harden
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class SMRMFClustering(Clustering):
    """Selective manifold regularised matrix factorisation, as a clustering.

    RMNMF on a graph of few exemplars, learned with the clusters.
    Source: Mani, Domeniconi, Griva, 2020.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    n_neighbors : int or "auto", default="auto"
        k, the neighbours of each exemplar, at most n − 1; the distance to the k-th nearest sample is the
        bandwidth; auto: ⌊√n⌋ (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    exemplars : int, default=0
        τ, the samples whose neighbourhoods regularise the factors, and the bound on the sum of the norms of
        Z's rows; 0: a tenth of all samples, at least 1 (≥ 0).
    lam : float or "auto", default="auto"
        λ, the weight of the graph term, also in the encoding; auto: the λ with which the term of a partition
        that cuts all of Z is a quarter of (f-smrmf: twice) the loss without components (≥ 0).
    dissimilarity_weight : float or "auto", default="auto"
        β, the weight of the samples' dissimilarities in the encoding; auto: λ, or 1 if λ is 0 (> 0).
    p : {"inf", "2"}, default="inf"
        The norm of the rows of Z; the sum of these norms is at most τ; with p=2, τ has to be at least √n.
    mode : {"learned", "input"}, default="learned"
        Which neighbours of an exemplar count: the k with the largest entries in Z, or the k nearest samples;
        their weights are their entries in Z in both cases.
    diag : {"keep", "rank", "drop"}, default="keep"
        a sample may represent itself. keep: that counts in the choice of exemplars; rank: it does not count;
        drop: no sample represents itself.
    start_steps : int, default=500
        The most steps of A2DM2, which finds the first encoding; a step costs a fraction of an iteration (≥
        1).
    scale : {"minmax", "shift", "none"}, default="minmax"
        How the features are scaled: to [0, 1] (constant ones to 0), shifted to a least value of 0, or not at
        all.
    offset : {"mean", "none"}, default="mean"
        What is first subtracted from the scaled samples, and added to the result, X ≈ offset + WH: their
        mean, or nothing.
    init : {"spectral", "kmeans", "nndsvd"}, default="spectral"
        The start: spectral clusters of the neighbour graph (those of k-means if a sample has no neighbour in
        the graph), the clusters of k-means, or parts of the leading singular vectors.
    mu : float or "auto", default="auto"
        μ, the penalty of the first iteration; auto: 0.1 divided by the median residual of the start, or 2λ
        times the largest degree if that is larger (> 0).
    hold : int, default=10
        Iterations before the penalty begins to grow (≥ 0).
    rho : float, default=1.1
        ρ, the factor by which the penalty grows in each iteration, up to 10¹⁰ (≥ 1).
    max_iter : int, default=150
        The most iterations (≥ 1).
    tol : float, default=1e-05
        Stop when all residuals of the splittings are at most this; 0: never (≥ 0).
    harden : int, default=20
        Every this many iterations, make a partition by the largest entries of G; return the best one, with
        the factors that fit it. The partition of the start counts, too; if it is the best, it is first
        improved by moving single samples. 0: return the factors of the last iteration (≥ 0).
    labels : {"argmax", "kmeans"}, default="argmax"
        How a clustering gets labels: by each sample's largest entry of G (the first of equal ones; clusters
        can stay empty), or by k-means among the rows of G.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    exemplars_ : ndarray
        The samples whose neighbourhoods regularise the factors, ascending.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.SMRMFClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "smrmf"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "exemplars": "exemplars",
        "lam": "lambda",
        "dissimilarity_weight": "dissimilarity_weight",
        "p": "p",
        "mode": "mode",
        "diag": "diag",
        "start_steps": "start_steps",
        "scale": "scale",
        "offset": "offset",
        "init": "init",
        "mu": "mu",
        "hold": "hold",
        "rho": "rho",
        "max_iter": "iterations",
        "tol": "tolerance",
        "harden": "harden",
        "labels": "labels",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_former = {
        "beta": "dissimilarity_weight",
    }

    def __init__(
        self,
        n_clusters: int = 8,
        n_neighbors: str | int = "auto",
        *,
        protocol: str = "general",
        exemplars: int = 0,
        lam: str | float = "auto",
        dissimilarity_weight: str | float = "auto",
        p: str = "inf",
        mode: str = "learned",
        diag: str = "keep",
        start_steps: int = 500,
        scale: str = "minmax",
        offset: str = "mean",
        init: str = "spectral",
        mu: str | float = "auto",
        hold: int = 10,
        rho: float = 1.1,
        max_iter: int = 150,
        tol: float = 1e-05,
        harden: int = 20,
        labels: str = "argmax",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.exemplars = exemplars
        self.lam = lam
        self.dissimilarity_weight = dissimilarity_weight
        self.p = p
        self.mode = mode
        self.diag = diag
        self.start_steps = start_steps
        self.scale = scale
        self.offset = offset
        self.init = init
        self.mu = mu
        self.hold = hold
        self.rho = rho
        self.max_iter = max_iter
        self.tol = tol
        self.harden = harden
        self.labels = labels
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class SMRMFEuc(FactorizationOnly):
    """SMRMF by Euclidean distances.

    SMRMF with distances in place of the kernel.
    Source: Mani, Domeniconi, Griva, 2020.

    Parameters
    ----------
    n_components : int, default=2
        R, the components to find.
    n_neighbors : int or "auto", default="auto"
        k, the neighbours of each exemplar, at most n − 1; auto: ⌊√n⌋ (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    exemplars : int, default=0
        τ, the samples whose neighbourhoods regularise the factors, and the bound on the sum of the norms of
        Z's rows; 0: a tenth of all samples, at least 1 (≥ 0).
    lam : float or "auto", default="auto"
        λ, the weight of the graph term, also in the encoding; auto: the λ with which the term of a partition
        that cuts all of Z is a quarter of (f-smrmf: twice) the loss without components (≥ 0).
    dissimilarity_weight : float or "auto", default="auto"
        β, the weight of the samples' dissimilarities in the encoding; auto: λ, or 1 if λ is 0 (> 0).
    p : {"inf", "2"}, default="inf"
        The norm of the rows of Z; the sum of these norms is at most τ; with p=2, τ has to be at least √n.
    mode : {"learned", "input"}, default="learned"
        Which neighbours of an exemplar count: the k with the largest entries in Z, or the k nearest samples;
        their weights are their entries in Z in both cases.
    diag : {"keep", "rank", "drop"}, default="keep"
        a sample may represent itself. keep: that counts in the choice of exemplars; rank: it does not count;
        drop: no sample represents itself.
    start_steps : int, default=500
        The most steps of A2DM2, which finds the first encoding; a step costs a fraction of an iteration (≥
        1).
    scale : {"minmax", "shift", "none"}, default="minmax"
        How the features are scaled: to [0, 1] (constant ones to 0), shifted to a least value of 0, or not at
        all.
    offset : {"mean", "none"}, default="mean"
        What is first subtracted from the scaled samples, and added to the result, X ≈ offset + WH: their
        mean, or nothing.
    init : {"spectral", "kmeans", "nndsvd"}, default="spectral"
        The start: spectral clusters of the neighbour graph (those of k-means if a sample has no neighbour in
        the graph), the clusters of k-means, or parts of the leading singular vectors.
    mu : float or "auto", default="auto"
        μ, the penalty of the first iteration; auto: 0.1 divided by the median residual of the start, or 2λ
        times the largest degree if that is larger (> 0).
    hold : int, default=10
        Iterations before the penalty begins to grow (≥ 0).
    rho : float, default=1.1
        ρ, the factor by which the penalty grows in each iteration, up to 10¹⁰ (≥ 1).
    max_iter : int, default=150
        The most iterations (≥ 1).
    tol : float, default=1e-05
        Stop when all residuals of the splittings are at most this; 0: never (≥ 0).
    harden : int, default=20
        Every this many iterations, make a partition by the largest entries of G; return the best one, with
        the factors that fit it. The partition of the start counts, too; if it is the best, it is first
        improved by moving single samples. 0: return the factors of the last iteration (≥ 0).
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.SMRMFEuc(n_components=3).fit(x).components_.shape
    (3, 5)
    """

    _orthant_method = "smrmf-euc"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "exemplars": "exemplars",
        "lam": "lambda",
        "dissimilarity_weight": "dissimilarity_weight",
        "p": "p",
        "mode": "mode",
        "diag": "diag",
        "start_steps": "start_steps",
        "scale": "scale",
        "offset": "offset",
        "init": "init",
        "mu": "mu",
        "hold": "hold",
        "rho": "rho",
        "max_iter": "iterations",
        "tol": "tolerance",
        "harden": "harden",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_former = {
        "beta": "dissimilarity_weight",
    }

    def __init__(
        self,
        n_components: int = 2,
        n_neighbors: str | int = "auto",
        *,
        protocol: str = "general",
        exemplars: int = 0,
        lam: str | float = "auto",
        dissimilarity_weight: str | float = "auto",
        p: str = "inf",
        mode: str = "learned",
        diag: str = "keep",
        start_steps: int = 500,
        scale: str = "minmax",
        offset: str = "mean",
        init: str = "spectral",
        mu: str | float = "auto",
        hold: int = 10,
        rho: float = 1.1,
        max_iter: int = 150,
        tol: float = 1e-05,
        harden: int = 20,
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.exemplars = exemplars
        self.lam = lam
        self.dissimilarity_weight = dissimilarity_weight
        self.p = p
        self.mode = mode
        self.diag = diag
        self.start_steps = start_steps
        self.scale = scale
        self.offset = offset
        self.init = init
        self.mu = mu
        self.hold = hold
        self.rho = rho
        self.max_iter = max_iter
        self.tol = tol
        self.harden = harden
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class SMRMFEucClustering(Clustering):
    """SMRMF by Euclidean distances, as a clustering.

    SMRMF with distances in place of the kernel.
    Source: Mani, Domeniconi, Griva, 2020.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    n_neighbors : int or "auto", default="auto"
        k, the neighbours of each exemplar, at most n − 1; auto: ⌊√n⌋ (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    exemplars : int, default=0
        τ, the samples whose neighbourhoods regularise the factors, and the bound on the sum of the norms of
        Z's rows; 0: a tenth of all samples, at least 1 (≥ 0).
    lam : float or "auto", default="auto"
        λ, the weight of the graph term, also in the encoding; auto: the λ with which the term of a partition
        that cuts all of Z is a quarter of (f-smrmf: twice) the loss without components (≥ 0).
    dissimilarity_weight : float or "auto", default="auto"
        β, the weight of the samples' dissimilarities in the encoding; auto: λ, or 1 if λ is 0 (> 0).
    p : {"inf", "2"}, default="inf"
        The norm of the rows of Z; the sum of these norms is at most τ; with p=2, τ has to be at least √n.
    mode : {"learned", "input"}, default="learned"
        Which neighbours of an exemplar count: the k with the largest entries in Z, or the k nearest samples;
        their weights are their entries in Z in both cases.
    diag : {"keep", "rank", "drop"}, default="keep"
        a sample may represent itself. keep: that counts in the choice of exemplars; rank: it does not count;
        drop: no sample represents itself.
    start_steps : int, default=500
        The most steps of A2DM2, which finds the first encoding; a step costs a fraction of an iteration (≥
        1).
    scale : {"minmax", "shift", "none"}, default="minmax"
        How the features are scaled: to [0, 1] (constant ones to 0), shifted to a least value of 0, or not at
        all.
    offset : {"mean", "none"}, default="mean"
        What is first subtracted from the scaled samples, and added to the result, X ≈ offset + WH: their
        mean, or nothing.
    init : {"spectral", "kmeans", "nndsvd"}, default="spectral"
        The start: spectral clusters of the neighbour graph (those of k-means if a sample has no neighbour in
        the graph), the clusters of k-means, or parts of the leading singular vectors.
    mu : float or "auto", default="auto"
        μ, the penalty of the first iteration; auto: 0.1 divided by the median residual of the start, or 2λ
        times the largest degree if that is larger (> 0).
    hold : int, default=10
        Iterations before the penalty begins to grow (≥ 0).
    rho : float, default=1.1
        ρ, the factor by which the penalty grows in each iteration, up to 10¹⁰ (≥ 1).
    max_iter : int, default=150
        The most iterations (≥ 1).
    tol : float, default=1e-05
        Stop when all residuals of the splittings are at most this; 0: never (≥ 0).
    harden : int, default=20
        Every this many iterations, make a partition by the largest entries of G; return the best one, with
        the factors that fit it. The partition of the start counts, too; if it is the best, it is first
        improved by moving single samples. 0: return the factors of the last iteration (≥ 0).
    labels : {"argmax", "kmeans"}, default="argmax"
        How a clustering gets labels: by each sample's largest entry of G (the first of equal ones; clusters
        can stay empty), or by k-means among the rows of G.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    exemplars_ : ndarray
        The samples whose neighbourhoods regularise the factors, ascending.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.SMRMFEucClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "smrmf-euc"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "exemplars": "exemplars",
        "lam": "lambda",
        "dissimilarity_weight": "dissimilarity_weight",
        "p": "p",
        "mode": "mode",
        "diag": "diag",
        "start_steps": "start_steps",
        "scale": "scale",
        "offset": "offset",
        "init": "init",
        "mu": "mu",
        "hold": "hold",
        "rho": "rho",
        "max_iter": "iterations",
        "tol": "tolerance",
        "harden": "harden",
        "labels": "labels",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_former = {
        "beta": "dissimilarity_weight",
    }

    def __init__(
        self,
        n_clusters: int = 8,
        n_neighbors: str | int = "auto",
        *,
        protocol: str = "general",
        exemplars: int = 0,
        lam: str | float = "auto",
        dissimilarity_weight: str | float = "auto",
        p: str = "inf",
        mode: str = "learned",
        diag: str = "keep",
        start_steps: int = 500,
        scale: str = "minmax",
        offset: str = "mean",
        init: str = "spectral",
        mu: str | float = "auto",
        hold: int = 10,
        rho: float = 1.1,
        max_iter: int = 150,
        tol: float = 1e-05,
        harden: int = 20,
        labels: str = "argmax",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.exemplars = exemplars
        self.lam = lam
        self.dissimilarity_weight = dissimilarity_weight
        self.p = p
        self.mode = mode
        self.diag = diag
        self.start_steps = start_steps
        self.scale = scale
        self.offset = offset
        self.init = init
        self.mu = mu
        self.hold = hold
        self.rho = rho
        self.max_iter = max_iter
        self.tol = tol
        self.harden = harden
        self.labels = labels
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class FSMRMF(FactorizationOnly):
    """Fast selective manifold regularised matrix factorisation.

    SMRMF with squares in place of the bound on exemplars, and no search for a start.
    Source: Mani, Domeniconi, Griva, 2020.

    Parameters
    ----------
    n_components : int, default=2
        R, the components to find.
    n_neighbors : int or "auto", default="auto"
        k, the neighbours of each exemplar, at most n − 1; the distance to the k-th nearest sample is the
        bandwidth; auto: ⌊√n⌋ (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    exemplars : int, default=0
        τ, the samples whose neighbourhoods regularise the factors; 0: a tenth of all, at least 1 (≥ 0).
    lam : float or "auto", default="auto"
        λ, the weight of the graph term, also in the encoding; auto: the λ with which the term of a partition
        that cuts all of Z is a quarter of (f-smrmf: twice) the loss without components (≥ 0).
    dissimilarity_weight : float or "auto", default="auto"
        β, the weight of the samples' dissimilarities in the encoding; auto: λ, or 1 if λ is 0 (> 0).
    square_weight : float, default=0.0
        δ, the weight of the squares of Z: with a larger δ more samples represent each sample; 0: the mean,
        over the samples, of the δ with which k samples would represent it by the dissimilarities alone (≥ 0).
    mode : {"learned", "input"}, default="learned"
        Which neighbours of an exemplar count: the k with the largest entries in Z, or the k nearest samples;
        their weights are their entries in Z in both cases.
    diag : {"keep", "rank", "drop"}, default="rank"
        a sample may represent itself. keep: that counts in the choice of exemplars; rank: it does not count;
        drop: no sample represents itself.
    scale : {"minmax", "shift", "none"}, default="minmax"
        How the features are scaled: to [0, 1] (constant ones to 0), shifted to a least value of 0, or not at
        all.
    offset : {"mean", "none"}, default="mean"
        What is first subtracted from the scaled samples, and added to the result, X ≈ offset + WH: their
        mean, or nothing.
    init : {"spectral", "kmeans", "nndsvd"}, default="spectral"
        The start: spectral clusters of the neighbour graph (those of k-means if a sample has no neighbour in
        the graph), the clusters of k-means, or parts of the leading singular vectors.
    mu : float or "auto", default="auto"
        μ, the penalty of the first iteration; auto: 0.1 divided by the median residual of the start, or 2λ
        times the largest degree if that is larger (> 0).
    hold : int, default=10
        Iterations before the penalty begins to grow (≥ 0).
    rho : float, default=1.1
        ρ, the factor by which the penalty grows in each iteration, up to 10¹⁰ (≥ 1).
    max_iter : int, default=150
        The most iterations (≥ 1).
    tol : float, default=1e-05
        Stop when all residuals of the splittings are at most this; 0: never (≥ 0).
    harden : int, default=20
        Every this many iterations, make a partition by the largest entries of G; return the best one, with
        the factors that fit it. The partition of the start counts, too; if it is the best, it is first
        improved by moving single samples. 0: return the factors of the last iteration (≥ 0).
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.FSMRMF(n_components=3).fit(x).components_.shape
    (3, 5)
    """

    _orthant_method = "f-smrmf"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "exemplars": "exemplars",
        "lam": "lambda",
        "dissimilarity_weight": "dissimilarity_weight",
        "square_weight": "square_weight",
        "mode": "mode",
        "diag": "diag",
        "scale": "scale",
        "offset": "offset",
        "init": "init",
        "mu": "mu",
        "hold": "hold",
        "rho": "rho",
        "max_iter": "iterations",
        "tol": "tolerance",
        "harden": "harden",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_former = {
        "beta": "dissimilarity_weight",
        "delta": "square_weight",
    }

    def __init__(
        self,
        n_components: int = 2,
        n_neighbors: str | int = "auto",
        *,
        protocol: str = "general",
        exemplars: int = 0,
        lam: str | float = "auto",
        dissimilarity_weight: str | float = "auto",
        square_weight: float = 0.0,
        mode: str = "learned",
        diag: str = "rank",
        scale: str = "minmax",
        offset: str = "mean",
        init: str = "spectral",
        mu: str | float = "auto",
        hold: int = 10,
        rho: float = 1.1,
        max_iter: int = 150,
        tol: float = 1e-05,
        harden: int = 20,
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.exemplars = exemplars
        self.lam = lam
        self.dissimilarity_weight = dissimilarity_weight
        self.square_weight = square_weight
        self.mode = mode
        self.diag = diag
        self.scale = scale
        self.offset = offset
        self.init = init
        self.mu = mu
        self.hold = hold
        self.rho = rho
        self.max_iter = max_iter
        self.tol = tol
        self.harden = harden
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class FSMRMFClustering(Clustering):
    """Fast selective manifold regularised matrix factorisation, as a clustering.

    SMRMF with squares in place of the bound on exemplars, and no search for a start.
    Source: Mani, Domeniconi, Griva, 2020.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    n_neighbors : int or "auto", default="auto"
        k, the neighbours of each exemplar, at most n − 1; the distance to the k-th nearest sample is the
        bandwidth; auto: ⌊√n⌋ (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    exemplars : int, default=0
        τ, the samples whose neighbourhoods regularise the factors; 0: a tenth of all, at least 1 (≥ 0).
    lam : float or "auto", default="auto"
        λ, the weight of the graph term, also in the encoding; auto: the λ with which the term of a partition
        that cuts all of Z is a quarter of (f-smrmf: twice) the loss without components (≥ 0).
    dissimilarity_weight : float or "auto", default="auto"
        β, the weight of the samples' dissimilarities in the encoding; auto: λ, or 1 if λ is 0 (> 0).
    square_weight : float, default=0.0
        δ, the weight of the squares of Z: with a larger δ more samples represent each sample; 0: the mean,
        over the samples, of the δ with which k samples would represent it by the dissimilarities alone (≥ 0).
    mode : {"learned", "input"}, default="learned"
        Which neighbours of an exemplar count: the k with the largest entries in Z, or the k nearest samples;
        their weights are their entries in Z in both cases.
    diag : {"keep", "rank", "drop"}, default="rank"
        a sample may represent itself. keep: that counts in the choice of exemplars; rank: it does not count;
        drop: no sample represents itself.
    scale : {"minmax", "shift", "none"}, default="minmax"
        How the features are scaled: to [0, 1] (constant ones to 0), shifted to a least value of 0, or not at
        all.
    offset : {"mean", "none"}, default="mean"
        What is first subtracted from the scaled samples, and added to the result, X ≈ offset + WH: their
        mean, or nothing.
    init : {"spectral", "kmeans", "nndsvd"}, default="spectral"
        The start: spectral clusters of the neighbour graph (those of k-means if a sample has no neighbour in
        the graph), the clusters of k-means, or parts of the leading singular vectors.
    mu : float or "auto", default="auto"
        μ, the penalty of the first iteration; auto: 0.1 divided by the median residual of the start, or 2λ
        times the largest degree if that is larger (> 0).
    hold : int, default=10
        Iterations before the penalty begins to grow (≥ 0).
    rho : float, default=1.1
        ρ, the factor by which the penalty grows in each iteration, up to 10¹⁰ (≥ 1).
    max_iter : int, default=150
        The most iterations (≥ 1).
    tol : float, default=1e-05
        Stop when all residuals of the splittings are at most this; 0: never (≥ 0).
    harden : int, default=20
        Every this many iterations, make a partition by the largest entries of G; return the best one, with
        the factors that fit it. The partition of the start counts, too; if it is the best, it is first
        improved by moving single samples. 0: return the factors of the last iteration (≥ 0).
    labels : {"argmax", "kmeans"}, default="argmax"
        How a clustering gets labels: by each sample's largest entry of G (the first of equal ones; clusters
        can stay empty), or by k-means among the rows of G.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    exemplars_ : ndarray
        The samples whose neighbourhoods regularise the factors, ascending.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.FSMRMFClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "f-smrmf"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "exemplars": "exemplars",
        "lam": "lambda",
        "dissimilarity_weight": "dissimilarity_weight",
        "square_weight": "square_weight",
        "mode": "mode",
        "diag": "diag",
        "scale": "scale",
        "offset": "offset",
        "init": "init",
        "mu": "mu",
        "hold": "hold",
        "rho": "rho",
        "max_iter": "iterations",
        "tol": "tolerance",
        "harden": "harden",
        "labels": "labels",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_former = {
        "beta": "dissimilarity_weight",
        "delta": "square_weight",
    }

    def __init__(
        self,
        n_clusters: int = 8,
        n_neighbors: str | int = "auto",
        *,
        protocol: str = "general",
        exemplars: int = 0,
        lam: str | float = "auto",
        dissimilarity_weight: str | float = "auto",
        square_weight: float = 0.0,
        mode: str = "learned",
        diag: str = "rank",
        scale: str = "minmax",
        offset: str = "mean",
        init: str = "spectral",
        mu: str | float = "auto",
        hold: int = 10,
        rho: float = 1.1,
        max_iter: int = 150,
        tol: float = 1e-05,
        harden: int = 20,
        labels: str = "argmax",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.exemplars = exemplars
        self.lam = lam
        self.dissimilarity_weight = dissimilarity_weight
        self.square_weight = square_weight
        self.mode = mode
        self.diag = diag
        self.scale = scale
        self.offset = offset
        self.init = init
        self.mu = mu
        self.hold = hold
        self.rho = rho
        self.max_iter = max_iter
        self.tol = tol
        self.harden = harden
        self.labels = labels
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class SMRMFNS(FactorizationOnly):
    """SMRMF without selection.

    F-SMRMF on the neighbourhoods of all samples.
    Source: Mani, Domeniconi, Griva, 2020.

    Parameters
    ----------
    n_components : int, default=2
        R, the components to find.
    n_neighbors : int or "auto", default="auto"
        k, the neighbours of each sample, at most n − 1; the distance to the k-th nearest sample is the
        bandwidth; auto: ⌊√n⌋ (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    lam : float or "auto", default="auto"
        λ, the weight of the graph term, also in the encoding; auto: the λ with which the term of a partition
        that cuts all of Z is a quarter of (f-smrmf: twice) the loss without components (≥ 0).
    dissimilarity_weight : float or "auto", default="auto"
        β, the weight of the samples' dissimilarities in the encoding; auto: λ, or 1 if λ is 0 (> 0).
    square_weight : float, default=0.0
        δ, the weight of the squares of Z: with a larger δ more samples represent each sample; 0: the mean,
        over the samples, of the δ with which k samples would represent it by the dissimilarities alone (≥ 0).
    mode : {"learned", "input"}, default="learned"
        Which neighbours of a sample count: the k with the largest entries in Z, or the k nearest samples;
        their weights are their entries in Z in both cases.
    scale : {"minmax", "shift", "none"}, default="minmax"
        How the features are scaled: to [0, 1] (constant ones to 0), shifted to a least value of 0, or not at
        all.
    offset : {"mean", "none"}, default="mean"
        What is first subtracted from the scaled samples, and added to the result, X ≈ offset + WH: their
        mean, or nothing.
    init : {"spectral", "kmeans", "nndsvd"}, default="spectral"
        The start: spectral clusters of the neighbour graph (those of k-means if a sample has no neighbour in
        the graph), the clusters of k-means, or parts of the leading singular vectors.
    mu : float or "auto", default="auto"
        μ, the penalty of the first iteration; auto: 0.1 divided by the median residual of the start, or 2λ
        times the largest degree if that is larger (> 0).
    hold : int, default=10
        Iterations before the penalty begins to grow (≥ 0).
    rho : float, default=1.1
        ρ, the factor by which the penalty grows in each iteration, up to 10¹⁰ (≥ 1).
    max_iter : int, default=150
        The most iterations (≥ 1).
    tol : float, default=1e-05
        Stop when all residuals of the splittings are at most this; 0: never (≥ 0).
    harden : int, default=20
        Every this many iterations, make a partition by the largest entries of G; return the best one, with
        the factors that fit it. The partition of the start counts, too; if it is the best, it is first
        improved by moving single samples. 0: return the factors of the last iteration (≥ 0).
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        H, one component a row.
    offset_ : ndarray of shape (n_features,)
        What scaling, centring or a shift took off the features, X ≈ W H + offset_; else zeros.
    reconstruction_err_ : float
        The relative error, ‖X − offset − WH‖ / ‖X − offset‖.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.SMRMFNS(n_components=3).fit(x).components_.shape
    (3, 5)
    """

    _orthant_method = "smrmf-ns"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "lam": "lambda",
        "dissimilarity_weight": "dissimilarity_weight",
        "square_weight": "square_weight",
        "mode": "mode",
        "scale": "scale",
        "offset": "offset",
        "init": "init",
        "mu": "mu",
        "hold": "hold",
        "rho": "rho",
        "max_iter": "iterations",
        "tol": "tolerance",
        "harden": "harden",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_former = {
        "beta": "dissimilarity_weight",
        "delta": "square_weight",
    }

    def __init__(
        self,
        n_components: int = 2,
        n_neighbors: str | int = "auto",
        *,
        protocol: str = "general",
        lam: str | float = "auto",
        dissimilarity_weight: str | float = "auto",
        square_weight: float = 0.0,
        mode: str = "learned",
        scale: str = "minmax",
        offset: str = "mean",
        init: str = "spectral",
        mu: str | float = "auto",
        hold: int = 10,
        rho: float = 1.1,
        max_iter: int = 150,
        tol: float = 1e-05,
        harden: int = 20,
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.lam = lam
        self.dissimilarity_weight = dissimilarity_weight
        self.square_weight = square_weight
        self.mode = mode
        self.scale = scale
        self.offset = offset
        self.init = init
        self.mu = mu
        self.hold = hold
        self.rho = rho
        self.max_iter = max_iter
        self.tol = tol
        self.harden = harden
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class SMRMFNSClustering(Clustering):
    """SMRMF without selection, as a clustering.

    F-SMRMF on the neighbourhoods of all samples.
    Source: Mani, Domeniconi, Griva, 2020.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    n_neighbors : int or "auto", default="auto"
        k, the neighbours of each sample, at most n − 1; the distance to the k-th nearest sample is the
        bandwidth; auto: ⌊√n⌋ (≥ 1).
    protocol : {"general", "paper"}, default="general"
        The defaults of all other parameters: general, for data of any kind, or those of the method's paper.
    lam : float or "auto", default="auto"
        λ, the weight of the graph term, also in the encoding; auto: the λ with which the term of a partition
        that cuts all of Z is a quarter of (f-smrmf: twice) the loss without components (≥ 0).
    dissimilarity_weight : float or "auto", default="auto"
        β, the weight of the samples' dissimilarities in the encoding; auto: λ, or 1 if λ is 0 (> 0).
    square_weight : float, default=0.0
        δ, the weight of the squares of Z: with a larger δ more samples represent each sample; 0: the mean,
        over the samples, of the δ with which k samples would represent it by the dissimilarities alone (≥ 0).
    mode : {"learned", "input"}, default="learned"
        Which neighbours of a sample count: the k with the largest entries in Z, or the k nearest samples;
        their weights are their entries in Z in both cases.
    scale : {"minmax", "shift", "none"}, default="minmax"
        How the features are scaled: to [0, 1] (constant ones to 0), shifted to a least value of 0, or not at
        all.
    offset : {"mean", "none"}, default="mean"
        What is first subtracted from the scaled samples, and added to the result, X ≈ offset + WH: their
        mean, or nothing.
    init : {"spectral", "kmeans", "nndsvd"}, default="spectral"
        The start: spectral clusters of the neighbour graph (those of k-means if a sample has no neighbour in
        the graph), the clusters of k-means, or parts of the leading singular vectors.
    mu : float or "auto", default="auto"
        μ, the penalty of the first iteration; auto: 0.1 divided by the median residual of the start, or 2λ
        times the largest degree if that is larger (> 0).
    hold : int, default=10
        Iterations before the penalty begins to grow (≥ 0).
    rho : float, default=1.1
        ρ, the factor by which the penalty grows in each iteration, up to 10¹⁰ (≥ 1).
    max_iter : int, default=150
        The most iterations (≥ 1).
    tol : float, default=1e-05
        Stop when all residuals of the splittings are at most this; 0: never (≥ 0).
    harden : int, default=20
        Every this many iterations, make a partition by the largest entries of G; return the best one, with
        the factors that fit it. The partition of the start counts, too; if it is the best, it is first
        improved by moving single samples. 0: return the factors of the last iteration (≥ 0).
    labels : {"argmax", "kmeans"}, default="argmax"
        How a clustering gets labels: by each sample's largest entry of G (the first of equal ones; clusters
        can stay empty), or by k-means among the rows of G.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    exemplars_ : ndarray
        The samples whose neighbourhoods regularise the factors, ascending.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.SMRMFNSClustering(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "smrmf-ns"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "protocol": "protocol",
        "lam": "lambda",
        "dissimilarity_weight": "dissimilarity_weight",
        "square_weight": "square_weight",
        "mode": "mode",
        "scale": "scale",
        "offset": "offset",
        "init": "init",
        "mu": "mu",
        "hold": "hold",
        "rho": "rho",
        "max_iter": "iterations",
        "tol": "tolerance",
        "harden": "harden",
        "labels": "labels",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_former = {
        "beta": "dissimilarity_weight",
        "delta": "square_weight",
    }

    def __init__(
        self,
        n_clusters: int = 8,
        n_neighbors: str | int = "auto",
        *,
        protocol: str = "general",
        lam: str | float = "auto",
        dissimilarity_weight: str | float = "auto",
        square_weight: float = 0.0,
        mode: str = "learned",
        scale: str = "minmax",
        offset: str = "mean",
        init: str = "spectral",
        mu: str | float = "auto",
        hold: int = 10,
        rho: float = 1.1,
        max_iter: int = 150,
        tol: float = 1e-05,
        harden: int = 20,
        labels: str = "argmax",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.protocol = protocol
        self.lam = lam
        self.dissimilarity_weight = dissimilarity_weight
        self.square_weight = square_weight
        self.mode = mode
        self.scale = scale
        self.offset = offset
        self.init = init
        self.mu = mu
        self.hold = hold
        self.rho = rho
        self.max_iter = max_iter
        self.tol = tol
        self.harden = harden
        self.labels = labels
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class DS3(Labelling):
    """Dissimilarity-based sparse subset selection.

    Representatives of all samples with the least total dissimilarity.
    Source: Elhamifar, Sapiro, Sastry, IEEE TPAMI 38, 2016.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    n_neighbors : int or "auto", default="auto"
        k: the distance to the k-th nearest sample is the width of the kernel; auto: ⌊√n⌋ (≥ 1).
    form : {"constrained", "regularised"}, default="constrained"
        How few exemplars are enforced: the sum of the norms of Z's rows is bounded (constrained), or is a
        term of the objective (regularised).
    p : {"inf", "2"}, default="inf"
        The norm of a row of Z: its largest entry, or its length.
    norm_weight : float, default=0.1
        α, for form=regularised: the weight of the term, as a share of the weight ρ_max at which a single
        representative is left; a smaller α gives more exemplars (> 0).
    mu : float, default=0.1
        μ, the penalty of the alternating directions; it changes the number of iterations, not the solution (>
        0).
    max_iter : int, default=3000
        The most iterations (≥ 1).
    tol : float, default=1e-07
        Stop when the mean difference of the two copies of Z, and the mean change of one of them, are at most
        this; 0: never (≥ 0).
    dissimilarities : {"euclidean", "kernel"}, default="euclidean"
        The dissimilarities of the samples: distances, or 1 minus the similarities of dpp.
    scale : {"minmax", "shift", "none"}, default="minmax"
        How the features are scaled: to [0, 1] (constant ones to 0), shifted to a least value of 0, or not at
        all.
    recall : float, default=0.99
        The share of true neighbours that an approximate search must find, at most 1 (> 0).
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    neighbors_method : {"exact", "approximate"}, default="exact"
        How the nearest samples are found.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    exemplars_ : ndarray
        The sample that stands for each cluster that has some.
    n_iter_ : int
        The iterations that it took.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.DS3(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "ds3"
    _orthant_keys = {
        "n_neighbors": "neighbors",
        "form": "form",
        "p": "p",
        "norm_weight": "norm_weight",
        "mu": "mu",
        "max_iter": "iterations",
        "tol": "tolerance",
        "dissimilarities": "dissimilarities",
        "scale": "scale",
        "recall": "recall",
        "standardize": "standardize",
        "neighbors_method": "neighbors_method",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_former = {
        "alpha": "norm_weight",
    }

    def __init__(
        self,
        n_clusters: int = 8,
        n_neighbors: str | int = "auto",
        *,
        form: str = "constrained",
        p: str = "inf",
        norm_weight: float = 0.1,
        mu: float = 0.1,
        max_iter: int = 3000,
        tol: float = 1e-07,
        dissimilarities: str = "euclidean",
        scale: str = "minmax",
        recall: float = 0.99,
        standardize: str | None = None,
        neighbors_method: str = "exact",
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.form = form
        self.p = p
        self.norm_weight = norm_weight
        self.mu = mu
        self.max_iter = max_iter
        self.tol = tol
        self.dissimilarities = dissimilarities
        self.scale = scale
        self.recall = recall
        self.standardize = standardize
        self.neighbors_method = neighbors_method
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)


class ESCFFS(Labelling):
    """Exemplar-based subspace clustering.

    Repeatedly takes the sample that a sparse code of the exemplars so far fits worst.
    Source: You, Li, Robinson, Vidal, ECCV 2018.

    Parameters
    ----------
    n_clusters : int, default=8
        The clusters to find.
    misfit_cost : float, default=10.0
        γ, the cost of misfit against the size of a code; above 1, because all codes are 0 for γ ≤ 1 (> 1).
    first : int or "random", default="random"
        The row of the first exemplar, counted from 0; random: drawn by the seed among the rows that are not
        all zeros (≥ 0).
    exemplars : int or "auto", default="auto"
        In a clustering: the number of exemplars; auto: a tenth of the samples, and at least two for each
        cluster (≥ 1).
    joined : int, default=3
        In a clustering: the number of samples that each sample is joined to (≥ 1).
    scale : {"minmax", "shift", "none"}, default="none"
        How the features are scaled: to [0, 1] (constant ones to 0), shifted to a least value of 0, or not at
        all.
    standardize : {"none", "standard", "minmax", "unit", "robust", "log1p"} or None, default=None
        First brings the data to a common scale: each column minus its mean, divided by its standard deviation
        ("standard"), to [0, 1] ("minmax"), or minus its median, divided by the distance of its quartiles
        ("robust"); each row to length 1 ("unit"); or log(1 + v) of each entry ("log1p"). New samples are
        scaled in the same way. None: "none", with a warning where the columns differ much.
    random_state : int, RandomState or None, default=None
        The seed of whatever is random. None is the seed 1: the same fit gives the same result.
    n_jobs : int or None, default=None
        Workers; the result is the same for any number. None: all allowed cores, and one within a worker of
        joblib, Dask or a pool of processes; -1: all, -2: all but one.
    backend : str or None, default=None
        Of the linear algebra; None: $ORTHANT_BLAS, else the best one.
    memory_limit : int or None, default=None
        Bytes beyond which work is refused by MemoryError before it begins; None: what the machine has
        available.
    progress : bool or callable, default=False
        True: a bar of tqdm shows how far a fit is, or a line of text without tqdm. A function is called with
        the phase and its share.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample, from 0 in the order of their first samples.
    exemplars_ : ndarray
        The samples that all are coded by, in the order of choice.
    affinity_matrix_ : sparse matrix of shape (n_samples, n_samples)
        The weights between samples.
    report_ : dict
        All that is known of the fit: "params", "seconds", "warnings" ... as in the command's --json.
    n_features_in_ : int
        The columns of the samples.

    Examples
    --------
    >>> import numpy, orthant
    >>> x = numpy.random.default_rng(1).uniform(size=(120, 5))
    >>> orthant.ESCFFS(n_clusters=2).fit_predict(x).shape
    (120,)
    """

    _orthant_method = "esc-ffs"
    _orthant_keys = {
        "misfit_cost": "misfit_cost",
        "first": "first",
        "exemplars": "exemplars",
        "joined": "joined",
        "scale": "scale",
        "standardize": "standardize",
        "backend": "backend",
        "memory_limit": "memory",
    }
    _orthant_affinities = True
    _orthant_former = {
        "gamma": "misfit_cost",
        "t": "joined",
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        misfit_cost: float = 10.0,
        first: str | int = "random",
        exemplars: str | int = "auto",
        joined: int = 3,
        scale: str = "none",
        standardize: str | None = None,
        random_state: int | Any | None = None,
        n_jobs: int | None = None,
        backend: str | None = None,
        memory_limit: int | None = None,
        progress: bool = False,
        **former: Any,
    ) -> None:
        self.n_clusters = n_clusters
        self.misfit_cost = misfit_cost
        self.first = first
        self.exemplars = exemplars
        self.joined = joined
        self.scale = scale
        self.standardize = standardize
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.backend = backend
        self.memory_limit = memory_limit
        self.progress = progress
        self._take_former(former)
