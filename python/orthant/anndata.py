"""AnnData in and out: what a method reads and makes goes to where single-cell programs look for it.

    >>> import orthant.anndata                                         # doctest: +SKIP
    >>> orthant.anndata.embed(adata, "neml", use_rep="X_pca", neighbors=15)     # writes obsm["X_neml"]
    >>> orthant.anndata.factorize(adata, "nmf", 20, layer="counts")             # writes obsm["X_nmf"] and varm["nmf"]
    >>> orthant.anndata.cluster(adata, "spectral", 8, affinities="connectivities")   # writes obs["spectral"]

Samples are the rows of ``X``, of a ``layer``, or of ``obsm[use_rep]``. ``graph`` and ``affinities`` name a matrix in ``obsp``: distances
to neighbours (zeros that are not stored are no neighbours), or weights of edges, such as scanpy's "distances" and "connectivities".
A method that needs no samples beside them gets none. How it was made is written to ``uns``. The package anndata itself is not needed.
"""

from . import _calls

__all__ = ["cluster", "embed", "factorize", "neighbors"]


def embed(adata, method, *, layer=None, use_rep=None, graph=None, affinities=None, key_added=None, labels=None, progress=None, **parameters):
    """Embeds the observations, and writes the coordinates to ``obsm[key_added]``, "X_" and the method by default.

    labels names a column of ``obs`` with the classes, for supervised methods. The rest is as in :func:`orthant.embed`. Returns the
    :class:`orthant.Result`.
    """
    x, near = _given(adata, method, "embed", layer, use_rep, graph, affinities)
    classes = None
    if labels is not None:
        import numpy as np

        _, classes = np.unique(np.asarray(_from(adata.obs, labels, "obs")).astype(str), return_inverse=True)
    result = _calls.embed(x, method, labels=classes, progress=progress, **near, **parameters)
    key = key_added or "X_" + method
    adata.obsm[key] = result.embedding
    _note(adata, key, result, layer, use_rep, graph, affinities)
    return result


def factorize(adata, method, rank, *, layer=None, use_rep=None, graph=None, affinities=None, key_added=None, progress=None, **parameters):
    """Factorises the observations, X ≈ W H: W goes to ``obsm["X_" + key_added]``, Hᵀ to ``varm[key_added]``, the method by default.

    With use_rep, whose columns are no variables, H goes to ``uns``. The rest is as in :func:`orthant.factorize`. Returns the :class:`orthant.Result`.
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


def cluster(adata, method, clusters, *, layer=None, use_rep=None, graph=None, affinities=None, key_added=None, progress=None, **parameters):
    """Clusters the observations, and writes the labels as text to ``obs[key_added]``, the method by default, as categories where pandas makes them.

    The rest is as in :func:`orthant.cluster`. Returns the :class:`orthant.Result`.
    """
    x, near = _given(adata, method, "cluster", layer, use_rep, graph, affinities)
    result = _calls.cluster(x, method, clusters, progress=progress, **near, **parameters)
    key = key_added or method
    adata.obs[key] = [str(label) for label in result.labels]
    if hasattr(adata.obs[key], "astype"):
        adata.obs[key] = adata.obs[key].astype("category")
    _note(adata, key, result, layer, use_rep, graph, affinities)
    return result


def neighbors(adata, k, *, layer=None, use_rep=None, key_added="distances", progress=None, **parameters):
    """Finds the k nearest neighbours of every observation, and writes their distances to ``obsp[key_added]``, sparse.

    The rest is as in :func:`orthant.neighbors`. :func:`embed` and :func:`cluster` take it as ``graph=key_added``. Returns that matrix.
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
    """Returns the samples and what takes the place of a search; no samples where the method needs none and none are named."""
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
    """Writes to uns how something was made, of kinds that an .h5ad file holds."""
    given = {"layer": layer, "use_rep": use_rep, "graph": graph, "affinities": affinities}
    params = {name: value for name, value in result.report.get("params", {}).items() if isinstance(value, (bool, int, float, str))}
    adata.uns[key] = {"method": result.report["method"], "params": params, "of": {name: value for name, value in given.items() if value is not None}}
