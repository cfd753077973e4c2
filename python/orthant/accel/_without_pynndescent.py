"""The part of pynndescent that orthant.accel provides where pynndescent is not installed: its parameters."""

from ._dispatch import missing


class NNDescent:
    """An index for searches of nearest neighbours, with pynndescent's parameters; on this engine."""

    def __init__(
        self, data, metric="euclidean", metric_kwds=None, n_neighbors=30, n_trees=None, leaf_size=None, pruning_degree_multiplier=1.5, diversify_prob=1.0,
        n_search_trees=1, tree_init=True, init_graph=None, init_dist=None, random_state=None, low_memory=True, max_candidates=None, max_rptree_depth=200,
        n_iters=None, delta=0.001, n_jobs=None, compressed=False, parallel_batch_queries=False, verbose=False,
    ):  # fmt: skip
        missing()

    query = update = missing
