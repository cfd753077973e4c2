"""AnnData in and out: inputs and results are in the slots where single-cell programs look for them.

    import orthant.anndata
    orthant.anndata.embed(adata, "neml", use_rep="X_pca", neighbors=15)             # writes obsm["X_neml"]
    orthant.anndata.factorize(adata, "nmf", 20, layer="counts")                     # writes obsm["X_nmf"] and varm["nmf"]
    orthant.anndata.cluster(adata, "spectral", 8, affinities="connectivities")      # writes obs["spectral"]

The samples are the rows of ``X``, of a ``layer``, or of ``obsm[use_rep]``. ``graph`` and ``affinities`` name a matrix in ``obsp``:
distances to neighbours (an entry that is not stored is not a neighbour), or weights of edges, such as scanpy's "distances" and
"connectivities". If a method needs no samples in addition to them, it gets none. The parameters are written to ``uns``. The package
anndata itself is not needed.
"""

from __future__ import annotations

from typing import Any

from . import _calls
from ._results import Result
from ._types import Progress

__all__ = ["cluster", "embed", "factorize", "neighbors"]


def embed(
    adata: Any, method: str, *, layer: str | None = None, use_rep: str | None = None, graph: str | None = None, affinities: str | None = None,
    key_added: str | None = None, labels: str | None = None, progress: Progress = None, **parameters: Any
) -> Result:
    """Embeds the observations, and writes the coordinates to ``obsm``.

    Parameters
    ----------
    adata : AnnData
        Changed in place.
    method : str
    layer : str
        The samples are ``layers[layer]``.
    use_rep : str
        The samples are ``obsm[use_rep]``. If neither layer nor use_rep is given, they are ``X``.
    graph, affinities : str
        Matrices of ``obsp``: distances to neighbours, or weights of edges.
    key_added : str
        Key in ``obsm``; None: "X_" and the name of the method.
    labels : str
        A column of ``obs`` with the classes, for supervised methods.
    progress, **parameters
        As in :func:`orthant.embed`.

    Returns
    -------
    orthant.Result

    Examples
    --------
    >>> import numpy, orthant.anndata
    >>> from types import SimpleNamespace  # stands here for an anndata.AnnData
    >>> x = numpy.random.default_rng(1).uniform(size=(60, 5))
    >>> adata = SimpleNamespace(X=x, layers={}, obsm={"X_few": x[:, :3]}, obsp={}, varm={}, obs={}, uns={})
    >>> _ = orthant.anndata.embed(adata, "pca", use_rep="X_few")
    >>> adata.obsm["X_pca"].shape
    (60, 2)
    """
    x, near = _given(adata, method, "embed", layer, use_rep, graph, affinities)
    classes = None if labels is None else _from(adata.obs, labels, "obs")
    result = _calls.embed(x, method, labels=classes, progress=progress, **near, **parameters)
    key = key_added or "X_" + method
    adata.obsm[key] = result.embedding
    _note(adata, key, result, layer, use_rep, graph, affinities)
    return result


def factorize(
    adata: Any, method: str, rank: int, *, layer: str | None = None, use_rep: str | None = None, graph: str | None = None, affinities: str | None = None,
    key_added: str | None = None, progress: Progress = None, **parameters: Any
) -> Result:
    """Factorises the observations, X ≈ W H: W goes to ``obsm``, Hᵀ to ``varm``.

    With use_rep, whose columns are not variables, H goes to ``uns``.

    Parameters
    ----------
    adata : AnnData
        Changed in place.
    method : str
    rank : int
    layer : str
        The samples are ``layers[layer]``.
    use_rep : str
        The samples are ``obsm[use_rep]``. If neither layer nor use_rep is given, they are ``X``.
    graph, affinities : str
        Matrices of ``obsp``: distances to neighbours, or weights of edges.
    key_added : str
        Key in ``varm``, and with the prefix "X_" in ``obsm``; None: the name of the method.
    progress, **parameters
        As in :func:`orthant.factorize`.

    Returns
    -------
    orthant.Result

    Examples
    --------
    >>> import numpy, orthant.anndata
    >>> from types import SimpleNamespace  # stands here for an anndata.AnnData
    >>> x = numpy.random.default_rng(1).uniform(size=(60, 5))
    >>> adata = SimpleNamespace(X=x, layers={}, obsm={"X_few": x[:, :3]}, obsp={}, varm={}, obs={}, uns={})
    >>> _ = orthant.anndata.factorize(adata, "nmf", 2)
    >>> adata.obsm["X_nmf"].shape, adata.varm["nmf"].shape
    ((60, 2), (5, 2))
    """
    x, near = _given(adata, method, "factorize", layer, use_rep, graph, affinities)
    result = _calls.factorize(x, method, rank, progress=progress, **near, **parameters)
    key = key_added or method
    adata.obsm["X_" + key] = result.w
    _note(adata, "X_" + key, result, layer, use_rep, graph, affinities)
    if use_rep is None:
        adata.varm[key] = result.h.T
    else:
        adata.uns["X_" + key]["components"] = result.h
    return result


def cluster(
    adata: Any, method: str, clusters: int = 0, *, layer: str | None = None, use_rep: str | None = None, graph: str | None = None, affinities: str | None = None,
    key_added: str | None = None, progress: Progress = None, **parameters: Any
) -> Result:
    """Clusters the observations, and writes the labels as text to ``obs``, as categories if ``obs`` is a frame.

    Parameters
    ----------
    adata : AnnData
        Changed in place.
    method : str
    clusters : int
        Not for the methods that find the number.
    layer : str
        The samples are ``layers[layer]``.
    use_rep : str
        The samples are ``obsm[use_rep]``. If neither layer nor use_rep is given, they are ``X``.
    graph, affinities : str
        Matrices of ``obsp``: distances to neighbours, or weights of edges.
    key_added : str
        The column of ``obs``; None: the name of the method.
    progress, **parameters
        As in :func:`orthant.cluster`.

    Returns
    -------
    orthant.Result

    Examples
    --------
    >>> import numpy, orthant.anndata
    >>> from types import SimpleNamespace  # stands here for an anndata.AnnData
    >>> x = numpy.random.default_rng(1).uniform(size=(60, 5))
    >>> adata = SimpleNamespace(X=x, layers={}, obsm={"X_few": x[:, :3]}, obsp={}, varm={}, obs={}, uns={})
    >>> _ = orthant.anndata.cluster(adata, "kmeans", 2)
    >>> sorted(set(adata.obs["kmeans"]))
    ['0', '1']
    """
    x, near = _given(adata, method, "cluster", layer, use_rep, graph, affinities)
    result = _calls.cluster(x, method, clusters, progress=progress, **near, **parameters)
    key = key_added or method
    adata.obs[key] = [str(label) for label in result.labels]
    if hasattr(adata.obs[key], "astype"):
        adata.obs[key] = adata.obs[key].astype("category")
    _note(adata, key, result, layer, use_rep, graph, affinities)
    return result


def neighbors(adata: Any, k: int, *, layer: str | None = None, use_rep: str | None = None, key_added: str = "distances", progress: Progress = None, **parameters: Any) -> Any:
    """Finds the k nearest neighbours of every observation, and writes their distances to ``obsp``.

    :func:`embed` and :func:`cluster` take them as ``graph=key_added``.

    Parameters
    ----------
    adata : AnnData
        Changed in place.
    k : int
    layer : str
        The samples are ``layers[layer]``.
    use_rep : str
        The samples are ``obsm[use_rep]``. If neither layer nor use_rep is given, they are ``X``.
    key_added : str
        Key in ``obsp``.
    progress, **parameters
        As in :func:`orthant.neighbors`.

    Returns
    -------
    csr_matrix of shape (n_obs, n_obs)

    Examples
    --------
    >>> import numpy, orthant.anndata
    >>> from types import SimpleNamespace  # stands here for an anndata.AnnData
    >>> x = numpy.random.default_rng(1).uniform(size=(60, 5))
    >>> adata = SimpleNamespace(X=x, layers={}, obsm={"X_few": x[:, :3]}, obsp={}, varm={}, obs={}, uns={})
    >>> orthant.anndata.neighbors(adata, 5, use_rep="X_few").nnz
    300
    """
    import numpy as np
    from scipy.sparse import csr_matrix

    indices, distances = _calls.neighbors(_samples(adata, layer, use_rep), k, progress=progress, **parameters)
    n = len(indices)
    found = csr_matrix((distances.reshape(-1), indices.reshape(-1), np.arange(n + 1) * indices.shape[1]), shape=(n, n))
    adata.obsp[key_added] = found
    return found


def _samples(adata, layer, use_rep):
    if layer is not None and use_rep is not None:
        raise ValueError(f"layer is {layer!r} and use_rep {use_rep!r}; give one of them")
    if use_rep is not None:
        return _from(adata.obsm, use_rep, "obsm")
    if layer is not None:
        return _from(adata.layers, layer, "layers")
    return adata.X


def _given(adata, method, task, layer, use_rep, graph, affinities):
    """Returns the samples and the matrix that replaces a search; no samples if the method needs none and none are named."""
    near = {name: _from(adata.obsp, key, "obsp") for name, key in (("graph", graph), ("affinities", affinities)) if key is not None}
    if near and layer is None and use_rep is None:
        about = next((m for m in _calls.methods() if m["name"] == method), None)
        if about is not None and task in about["tasks"] and set(near) <= set(about["instead_of_samples"]):
            return None, near
    return _samples(adata, layer, use_rep), near


def _from(group, key, what):
    try:
        return group[key]
    except KeyError:
        raise ValueError(f"{what} has no {key!r}; there are: {', '.join(map(repr, group.keys())) or 'none'}") from None


def _note(adata, key, result, layer, use_rep, graph, affinities):
    """Writes to uns how a result was made, in types that an .h5ad file can hold."""
    given = {"layer": layer, "use_rep": use_rep, "graph": graph, "affinities": affinities}
    params = {name: value for name, value in result.report.get("params", {}).items() if isinstance(value, (bool, int, float, str))}
    adata.uns[key] = {"method": result.report["method"], "params": params, "of": {name: value for name, value in given.items() if value is not None}}
