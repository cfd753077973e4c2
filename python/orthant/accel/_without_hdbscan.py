"""The part of hdbscan that orthant.accel provides where hdbscan is not installed: parameters, clusters and scores; no plots of trees."""

from sklearn.base import BaseEstimator, ClusterMixin

from ._dispatch import missing


class HDBSCAN(BaseEstimator, ClusterMixin):
    """Hierarchical density-based clustering, with hdbscan's parameters; on this engine."""

    def __init__(
        self, min_cluster_size=5, min_samples=None, cluster_selection_epsilon=0.0, max_cluster_size=0, metric="euclidean", alpha=1.0, p=None, algorithm="best",
        leaf_size=40, memory=None, approx_min_span_tree=True, gen_min_span_tree=False, core_dist_n_jobs=4, cluster_selection_method="eom",
        allow_single_cluster=False, prediction_data=False, branch_detection_data=False, match_reference_implementation=False,
        cluster_selection_epsilon_max=float("inf"), **kwargs,
    ):  # fmt: skip
        given = locals()
        for name in HDBSCAN._get_param_names():
            setattr(self, name, given[name])
        self._metric_kwargs = kwargs

    fit = generate_prediction_data = generate_branch_detection_data = dbscan_clustering = missing

    def fit_predict(self, X, y=None):
        return self.fit(X).labels_

    @property
    def outlier_scores_(self):
        return self._outlier_scores


approximate_predict = missing
