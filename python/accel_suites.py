"""Runs scikit-learn's own tests on the classes of orthant.accel, with falling back and without (strict).

    make test-accel                          # or: PYTHONPATH=python python3 python/accel_suites.py [MODULE ...]

Tests that may fail are listed here with the reason; any other failure, and a listed test that passes, ends the run with status 1.
"""

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree
from collections import Counter

# The module of tests, and the least share that passes without falling back.
SUITES = {
    "sklearn.manifold.tests.test_locally_linear": 1.0,
    "sklearn.decomposition.tests.test_pca": 0.98,
    "sklearn.manifold.tests.test_isomap": 0.90,
    "sklearn.manifold.tests.test_spectral_embedding": 0.75,
    "sklearn.manifold.tests.test_t_sne": 0.9,
    "sklearn.manifold.tests.test_classical_mds": 1.0,  # from 1.8 on
    "sklearn.cluster.tests.test_k_means": 0.85,
    "sklearn.cluster.tests.test_spectral": 0.75,
    "sklearn.cluster.tests.test_hdbscan": 0.95,  # from 1.3 on
    "sklearn.decomposition.tests.test_nmf": 0.85,
    "sklearn.decomposition.tests.test_truncated_svd": 0.85,
    "sklearn.neighbors.tests.test_neighbors": 0.75,
    "sklearn.neighbors.tests.test_graph": 1.0,
    "sklearn.neighbors.tests.test_neighbors_pipeline": 0.75,
}

# Metrics that the engine has not.
_OTHERS = (
    "braycurtis|canberra|dice|hamming|haversine|jaccard|kulsinski|mahalanobis|matching|minkowski|nan_euclidean|rogerstanimoto|russellrao|seuclidean|"
    "sokalmichener|sokalsneath|sqeuclidean|yule"
)

# What may fail, by the version of scikit-learn and the whole name of the test, a regular expression: why. What fails with another version is
# printed, and decides nothing.
FALLBACK = {
    "1.2": {},
    "1.9": {},
}
STRICT = {
    "1.2": {
        r"test_different_metric\[float(32|64)-<lambda>-2-False\]": "Isomap by a metric that is a Python function, which the engine does not call",
        r"test_neighbors_metrics\[float(32|64)-(braycurtis|canberra|haversine|mahalanobis|minkowski|seuclidean)\]": "metrics that the engine has not",
        rf"test_(kneighbors|radius_neighbors)_brute_backend\[(float(32|64)-)?({_OTHERS})\]": "metrics that the engine has not",
        rf"test_valid_brute_metric_for_auto_algorithm\[float(32|64)-({_OTHERS}|cityblock|l1|manhattan)\]": "metrics that the engine has not, or has of full samples alone",
        r"test_unsupervised_radius_neighbors\[float(32|64)\]": "Minkowski distances of order 3 and 4, which the engine has not",
        r"test_unsupervised_inputs\[float(32|64)-NearestNeighbors\]": "a tree or a fitted search in the place of samples",
        r"test_(callable_metric|sparse_metric_callable)": "a metric that is a Python function, which the engine does not call",
        r"test_pairwise_boolean_distance": "metrics that the engine has not",
        r"test_auto_algorithm\[X4-seuclidean-metric_params4-ball_tree\]": "metrics that the engine has not",
        r"test_tsne": "a metric that the engine has not (sqeuclidean)",
        r"test_(verbose|n_iter_without_progress|min_grad_norm|accessible_kl_divergence)": "the progress that scikit-learn prints, or a descent that ends early",
        r"test_tsne_with_mahalanobis_distance": "three components, for which scikit-learn's kernel has two degrees of freedom",
    },
    "1.9": {
        r"test_hdbscan_(algorithms\[mahalanobis-ball_tree\]|callable_metric)": "a metric that the engine has not, or that is a Python function",
        r"test_hdbscan_usable_inputs\[kwargs[01]-X[01]\]": "infinite distances, and distances of samples to themselves",
        r"test_different_metric\[float(32|64)-<lambda>-2-False\]": "Isomap by a metric that is a Python function, which the engine does not call",
        r"test_neighbors_metrics\[\d+-float(32|64)-(DM_euclidean|braycurtis|canberra|haversine|mahalanobis|minkowski|seuclidean)\]": "metrics that the engine has not, or that are objects",
        rf"test_(kneighbors|radius_neighbors)_brute_backend\[\d+-float(32|64)-({_OTHERS})\]": "metrics that the engine has not",
        rf"test_valid_brute_metric_for_auto_algorithm\[float(32|64)-csr_(array|matrix)-({_OTHERS}|DM_euclidean|cityblock|l1|manhattan)\]": "metrics that the engine has not, or has of full samples alone",
        r"test_unsupervised_kneighbors\[float64-DM_euclidean-.*\]": "a metric that is an object",
        r"test_unsupervised_radius_neighbors\[float(32|64)\]": "Minkowski distances of order 3 and 4, which the engine has not",
        r"test_unsupervised_inputs\[float(32|64)-NearestNeighbors\]": "a tree or a fitted search in the place of samples",
        r"test_(callable_metric|sparse_metric_callable\[csr_(array|matrix)\])": "a metric that is a Python function, which the engine does not call",
        r"test_pairwise_boolean_distance": "metrics that the engine has not",
        r"test_nan_euclidean_support\[(KNeighborsTransformer-params4|RadiusNeighborsTransformer-params5)\]": "a metric that the engine has not",
        r"test_nearest_neighbours_works_with_p_less_than_1": "a Minkowski distance of order 1/2, which the engine has not",
        r"test_auto_algorithm\[X4-seuclidean-metric_params4-ball_tree\]": "metrics that the engine has not",
        r"test_tsne": "a metric that the engine has not (sqeuclidean)",
        r"test_(verbose|n_iter_without_progress|min_grad_norm|accessible_kl_divergence)": "the progress that scikit-learn prints, or a descent that ends early",
        r"test_tsne_with_mahalanobis_distance": "three components, for which scikit-learn's kernel has two degrees of freedom",
    },
}


def listed(name, known):
    """Reports whether a test may fail."""
    return any(re.fullmatch(pattern, name) for pattern in known)


def run(suite, strict):
    """Returns the tests of a suite that passed, failed and were skipped, as three lists of names."""
    with tempfile.TemporaryDirectory() as directory:
        report = os.path.join(directory, "report.xml")
        environment = {**os.environ, "ORTHANT_ACCEL": "strict" if strict else "1", "SKLEARN_RUN_FLOAT32_TESTS": "1", "PYTHONPATH": os.path.abspath(os.path.dirname(__file__))}
        command = [sys.executable, "-m", "orthant.accel", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=line", "--junit-xml", report, "--pyargs", suite]
        done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True)
        if not os.path.exists(report):
            raise SystemExit(f"{suite}: pytest did not run: {done.stdout}{done.stderr}")
        passed, failed, skipped = [], [], []
        for case in tree.parse(report).iter("testcase"):
            kinds = {part.tag for part in case}
            (failed if kinds & {"failure", "error"} else skipped if "skipped" in kinds else passed).append(case.get("name"))
    return passed, failed, skipped


def main():
    try:
        import pytest  # noqa: F401
        import sklearn
    except ImportError as error:
        print(f"LEFT OUT: scikit-learn's tests on orthant.accel ({error}; Debian: python3-pytest, python3-sklearn)")
        return 0
    version = ".".join(sklearn.__version__.split(".")[:2])
    judged = version in STRICT
    wrong = []
    for suite, least in SUITES.items():
        if importlib.util.find_spec(suite) is None or sys.argv[1:] and suite not in sys.argv[1:]:
            continue
        for strict, known in ((False, FALLBACK.get(version, {})), (True, STRICT.get(version, {}))):
            passed, failed, skipped = run(suite, strict)
            mode, of = "strict" if strict else "with fallback", len(passed) + len(failed)
            print(f"{suite}, {mode}: {len(passed)} of {of} pass, {len(skipped)} skipped")
            if of == 0:
                wrong.append(f"{suite}, {mode}: no test ran")
            if judged:
                wrong += [f"{suite}, {mode}: {name} fails" for name in failed if not listed(name, known)]
            else:
                functions = Counter(name.partition("[")[0] for name in failed)
                wrong += [f"{suite}, {mode}: {name} fails for {count} parameters" for name, count in functions.items()]
            wrong += [f"{suite}, {mode}: {name} passes, and is listed as failing" for name in passed if listed(name, known)]
            if strict and len(passed) < least * of:
                wrong.append(f"{suite}, strict: {len(passed)} of {of} are fewer than {least:.0%}")
    for line in wrong:
        print("FAIL", line)
    if not judged:
        print(f"scikit-learn {sklearn.__version__}: nothing is known of it, so what fails decides nothing")
    return 1 if wrong and judged else 0


if __name__ == "__main__":
    sys.exit(main())
