"""The metrics of umap-learn and pynndescent by the engine's names."""

_NAMES = {
    "euclidean": "euclidean", "l2": "euclidean", "manhattan": "manhattan", "taxicab": "manhattan", "cityblock": "manhattan", "l1": "manhattan",
    "chebyshev": "chebyshev", "linfinity": "chebyshev", "linfty": "chebyshev", "linf": "chebyshev", "canberra": "canberra", "braycurtis": "bray-curtis",
    "cosine": "cosine", "correlation": "correlation", "haversine": "haversine", "hamming": "hamming", "jaccard": "jaccard", "dice": "dice",
    "kulsinski": "kulsinski", "rogerstanimoto": "rogers-tanimoto", "russellrao": "russell-rao", "sokalsneath": "sokal-sneath",
    "sokalmichener": "sokal-michener", "yule": "yule",
}


def engine_metric(metric, keywords):
    """Returns the engine's name of a metric with its keywords, or None."""
    if not isinstance(metric, str):
        return None
    if metric == "minkowski":
        return f"minkowski={keywords.get('p', 2)}" if set(keywords) <= {"p"} else None
    return None if keywords else _NAMES.get(metric)
