"""The checks of scikit-learn's check_estimator that are expected to fail, with the reasons.

Until scikit-learn 1.5 check_estimator leaves them out itself; from 1.6 on use
check_estimator(estimator, expected_failed_checks=expected_failures(estimator)).
"""

_RE_ENCODED = (
    "fit_transform returns the W of the factorisation, with its graph term and after as many iterations as were asked for; "
    "transform encodes every sample alone, and to the end, under the final components: the two are equal where the fit converged too and has no graph"
)
_NEGATIVE = "the check gives negative samples whatever the tags say, and the method takes nonnegative ones"

_NEAR = (
    "the rule for new samples is an approximation: a sample of the fit that comes again is its own nearest neighbour and lands "
    "near its place, not on it (docs/methods tells how the method maps new samples)"
)

# By the kind of method.
_CONSISTENCY = ("check_transformer_general", "check_transformer_data_not_an_array")
_FACTORIZATION = dict.fromkeys(_CONSISTENCY, _RE_ENCODED)
_POSITIVE_CLUSTERING = {"check_clustering": _NEGATIVE}

# By the method.
_APPROXIMATE = dict.fromkeys(_CONSISTENCY, _NEAR)
_METHODS = {
    "dsmf": {"check_clustering": "the check asks for three clusters of samples of two columns; the method starts from singular vectors, one a cluster"},
}

_FEW_SAMPLES = (
    "the check asks for eight clusters of few samples, whose graph is nearly complete: some eigenvalues are zero, and new samples have no coordinates there"
)
_FEW_DIFFERENT = "the check asks for eight clusters of samples of which four are different, which is an error: an empty cluster has no centre"
_LABELS = {
    "kmeans": dict.fromkeys(("check_sample_weights_shape", "check_sample_weights_not_overwritten", "check_sample_weights_invariance"), _FEW_DIFFERENT),
    "spectral": dict.fromkeys(
        ("check_estimators_pickle", "check_estimator_sparse_data", "check_estimator_sparse_matrix", "check_estimator_sparse_array"), _FEW_SAMPLES
    ),
}

# The embeddings whose rule for new samples returns the coordinates of the fit for the samples of the fit, to the
# hundredth that the checks allow. For other methods the rule counts as an approximation, so that a new method needs no
# line here; python/tests says how far off it may be.
_EXACT = {
    "lle", "mlle", "lnp", "smce", "isomap", "mds", "pca", "lda", "npp", "onpp", "lpp", "olpp", "olpp-cai", "nle", "nlle", "nmms", "npca", "nonpp", "nolpp",
    "umap", "tsne", "pacmap",
}


def expected_failures(estimator):
    """Returns {check: reason} for an estimator of this package."""
    method = estimator._orthant_method
    failures = dict(_METHODS.get(method, {}))
    if hasattr(estimator, "predict"):
        failures.update(_LABELS.get(method, {}))
    if hasattr(estimator, "transform"):
        if not hasattr(estimator, "predict") and not hasattr(estimator, "_took_embedding"):  # a factorisation
            failures.update(_FACTORIZATION)
        elif method not in _METHODS and method not in _EXACT and not hasattr(estimator, "predict"):
            failures.update(_APPROXIMATE)
    if hasattr(estimator, "fit_predict") and estimator._positive():
        failures.update(_POSITIVE_CLUSTERING)
    return failures
