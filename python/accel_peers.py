"""Runs the tests of umap-learn, pynndescent, openTSNE, PaCMAP and hdbscan on the classes of orthant.accel, with falling back and without (strict).

    make test-accel-peers ACCEL_PEERS=FOLDER      # or: PYTHONPATH=python python3 python/accel_peers.py FOLDER [LIBRARY ...]

The folder has copies of their repositories: umap and pynndescent (at the tag of the installed version), PaCMAP, and openTSNE and hdbscan, built in place. What is not there
is left out.
A test counts if it calls an accelerated class or function, and passes with the library alone. Tests that may fail are listed here with the reason; any
other failure, and a listed test that passes, ends the run with status 1.
"""

import importlib.util
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree

from accel_suites import listed

# By library: its tests in the folder, the folder that is imported if the library is not installed, and the least share of the tests that passes strictly.
LIBRARIES = {
    "umap": ("umap/umap/tests", None, 0.85),
    "pynndescent": ("pynndescent/pynndescent/tests", None, 0.9),
    "openTSNE": ("openTSNE/tests", "openTSNE", 0.15),
    "pacmap": ("PaCMAP/test", "PaCMAP/source", 0.85),
    "hdbscan": ("hdbscan/hdbscan/tests", "hdbscan", 0.85),
}

# Modules of tests that call nothing accelerated, and take long.
LEFT_OUT = {"umap": ["test_aligned_umap.py", "test_chunked_parallel_spatial_metric.py", "test_parametric_umap.py", "test_plot.py", "test_umap_grads.py", "test_umap_metrics.py"]}

# By library and the whole name of the test, a regular expression: why it may fail.
_HDBSCAN = {
    r"test_flat\.test_(flat_base_(default|epsilon)|switch_to_leaf)": "clusters have another order than those of hdbscan's functions, and edges of one length are removed at once",
    r"test_hdbscan\.test_hdbscan_approximate_predict": "clusters have another order",
}
_OPENTSNE = {r"test_tsne\.TestTSNEParameterFlow\.test_constructor": "it counts the calls of openTSNE's own descent"}
FALLBACK = {"hdbscan": _HDBSCAN, "openTSNE": _OPENTSNE}
STRICT = {
    "hdbscan": {
        **_HDBSCAN,
        r"test_hdbscan\.test_hdbscan_callable_metric": "a metric that is a Python function, which the engine does not call",
        r"test_hdbscan\.test_hdbscan_(cluster_selection_epsilon_max|parameters_do_not_trigger_errors)": "cluster_selection_epsilon_max, which the engine has not",
    },
    "umap": {
        r".*test_umap_(trustworthiness_on_sphere_iris|haversine_embed_to_highd)": "a map on a sphere",
        r".*test_precomputed_(sparse_)?transform_on_iris": "new samples by precomputed distances",
        r".*test_umap_inverse_transform_on_iris": "the way back from a map",
        r".*test_umap_custom_distance_w_grad": "a metric that is a Python function, which the engine does not call",
        r".*test_densmap_trustworthiness": "output_dens",
        r".*test_nn_bad_metric_sparse_data": "an error about a metric that the engine has not, which is umap-learn's",
    },
    "pynndescent": {
        r".*test_(transformer_)?output_when_verbose_is_true": "what pynndescent prints",
        r".*test_transformer_output_when_verbose_is_false": "a metric that the engine has not",
    },
    "openTSNE": {
        **_OPENTSNE,
        r".*\.test_(basic_flow|iris_(bh|fft)_transform_(correctness|equivalency_with_one_by_one))": "parameters of transform, or dof",
        r".*\.test_(embedding_transform|mismatching_embedding_dimensions_simple_api|same_(bh|fft)_optimized_median_initializations_for_transform)": "parameters of transform",
        r".*\.test_(partial_embedding_optimize|inplace_partial_embedding_optimization_doesnt_change_.*|same_unoptimized_initializations_for_transform)": "partial embeddings",
        r".*\.test_same_partial_embedding_on_fixed_random_state": "partial embeddings",
        r".*\.test_bh_with_n_components_gt_3": "four components",
        r"test_different_usages\.TestUsage(Simple|WithCustomAffinity(AndCustomNeighbors)?|ExplicitOptimizeCalls)\.test_(?!multiple_).*": "few iterations, and several perplexities",
        r"test_sklearn_wrapper\..*\.test_(fit|fit_transform|transform)": "few iterations",
        r".*\.TestTSNECorrectnessUsingPrecomputedDistanceMatrix\.test_iris": "no iterations",
        r".*\.TestAlternativeFitUsageWithAffinityAndInitialization\.test_(parameter_init|pca_init_with_only|precomputed_(affinity|initialization)|string_init).*": "no iterations",
        r".*\.TestPrecomputedDistanceMatrices\.test_precomputed_dist_matrix_(doesnt_override|via_).*": "no iterations",
        r"test_tsne\..*\.test_(knn_kwargs|can_pass_callbacks_to_tsne_object)": "parameters of openTSNE's searches, and callbacks",
        r".*\.test_pickling_with_transform": "new samples by an embedding from a pickle",
    },
    "pacmap": {
        r".*test_localmap_small_n_reorganization\[.*\]": "fewer samples than pairs of one sample",
        r".*test_localmap_low_dist_thres\[.*\]": "low_dist_thres",
    },
}


def run(library, folder, mode):
    """Returns {test: (outcome, where its accelerated calls ran)}. mode: None (the library alone), "1" or "strict"."""
    tests, source, _ = LIBRARIES[library]
    here = os.path.abspath(os.path.dirname(__file__))
    with tempfile.TemporaryDirectory() as directory:
        report = os.path.join(directory, "report.xml")
        paths = [here] + ([os.path.join(folder, source)] if source else [])
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1"}
        environment.update(ORTHANT_ACCEL=mode or "", ORTHANT_ACCEL_LOG="", ACCEL_LIBRARY=library if mode else "")
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "accel_touched", "--tb=line", "--junit-xml", report, os.path.join(folder, tests)]
        command += ["--import-mode=importlib"] if source is None else []  # which does not import the library of the copy
        command += [f"--ignore={os.path.join(folder, tests, module)}" for module in LEFT_OUT.get(library, [])]
        done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True)
        if not os.path.exists(report):
            raise SystemExit(f"{library}: pytest did not run: {done.stdout}{done.stderr}")
        found = {}
        for case in tree.parse(report).iter("testcase"):
            kinds = {part.tag for part in case}
            outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
            places = [p.get("value") for p in case.iter("property") if p.get("name") == "accel"]
            part = case.find("failure") if case.find("failure") is not None else case.find("error")
            reason = "" if part is None else (part.get("message") or "").splitlines()[0][:200]
            found[f"{case.get('classname').rpartition('tests.')[2]}.{case.get('name')}"] = outcome, places[0] if places else "none", reason
    passed = sum(outcome == "passed" for outcome, *_ in found.values())
    print(f"{library}, {'alone' if mode is None else 'with fallback' if mode == '1' else mode}: {len(found)} tests ran, {passed} passed", flush=True)
    return found


def judge(library, folder):
    """Runs the tests of a library, prints the counts, and returns what is wrong."""
    alone, fallback, strict = (run(library, folder, mode) for mode in (None, "1", "strict"))
    sound = [name for name, (outcome, *_) in alone.items() if outcome == "passed"]
    touched = [name for name in sound if fallback.get(name, ("", "none"))[1] != "none" or strict.get(name, ("", "none"))[1] != "none" or fallback[name][0] != strict[name][0]]
    wrong = []
    print(f"{library}: {len(alone)} tests, {sum(o == 'failed' for o, *_ in alone.values())} fail with {library} alone, {sum(o == 'skipped' for o, *_ in alone.values())} skipped, {len(touched)} call accelerated code")
    for mode, found, known in (("with fallback", fallback, FALLBACK.get(library, {})), ("strict", strict, STRICT.get(library, {}))):
        names = sound if mode == "with fallback" else touched
        passed = [name for name in names if found[name][0] == "passed"]
        failed = [name for name in names if found[name][0] == "failed"]
        print(f"{library}, {mode}: {len(passed)} of {len(names)} pass")
        wrong += [f"{library}, {mode}: {name} fails ({found[name][2]})" for name in failed if not listed(name, known)]
        wrong += [f"{library}, {mode}: {name} passes, and is listed as failing" for name in passed if listed(name, known)]
        if mode == "strict" and len(passed) < LIBRARIES[library][2] * len(names):
            wrong.append(f"{library}, strict: {len(passed)} of {len(names)} are fewer than {LIBRARIES[library][2]:.0%}")
    return wrong


def main():
    if importlib.util.find_spec("pytest") is None:
        print("LEFT OUT: the tests of other libraries on orthant.accel (no pytest; Debian: python3-pytest)")
        return 0
    folder = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else ""
    wrong = []
    for library, (tests, source, _) in LIBRARIES.items():
        if sys.argv[2:] and library not in sys.argv[2:]:
            continue
        if not folder or not os.path.isdir(os.path.join(folder, tests)):
            print(f"LEFT OUT: {library}'s tests on orthant.accel (no {tests} in ACCEL_PEERS)")
        elif source is None and importlib.util.find_spec(library) is None:
            print(f"LEFT OUT: {library}'s tests on orthant.accel ({library} is not installed)")
        else:
            wrong += judge(library, folder)
    for line in wrong:
        print("FAIL", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
