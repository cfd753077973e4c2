"""The cases of testdata/cases.json, which the command, C and R run too."""

import json
import os
import unittest
import warnings

import numpy as np

import orthant

TESTDATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "testdata")
ERRORS = {"memory": MemoryError}


def read():
    with open(os.path.join(TESTDATA, "cases.json"), encoding="utf-8") as f:
        return json.load(f)


def matrix(given):
    if isinstance(given, str):
        return np.loadtxt(os.path.join(TESTDATA, given), delimiter=",", skiprows=1)
    return np.array(given, dtype=float)  # null is NaN


def run(case, inputs, labels):
    """Returns the arrays of a case, its report and its warnings."""
    given = {name: matrix(inputs[case[name]]) for name in ("x", "distances", "new", "embedding", "w", "h", "targets", "weights") if name in case}
    given.update((name, np.array(labels[case[name]])) for name in ("labels", "predicted") if name in case)
    method = [case["method"]] if "method" in case else []
    count = [case["count"]] if "count" in case else []
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        if case["task"] == "evaluate":
            found = orthant.evaluate(*method, **given, **case.get("parameters", {}))
            return {}, found.report, seen
        new = given.pop("new", None)
        model = {} if new is None else {"model": True}
        found = getattr(orthant, case["task"])(given.pop("x", None), *method, *count, **given, **case.get("parameters", {}), **model)
        if case["task"] == "neighbors":
            return dict(zip(("indices", "distances"), found)), {}, seen
        arrays = {} if new is None else {"new": found.model().transform(new)}
    arrays.update((name, found.array(name)) for name in case.get("arrays", {}) if name != "new")
    return arrays, found.report, seen


@unittest.skipUnless(os.path.exists(os.path.join(TESTDATA, "cases.json")), "the cases are those of a checkout")
class Cases(unittest.TestCase):
    def test_cases(self):
        of = read()
        for case in of["cases"]:
            with self.subTest(case["name"]):
                if "refused" in case:
                    with self.assertRaises(ERRORS.get(case.get("status"), ValueError)) as raised:
                        run(case, of["inputs"], of["labels"])
                    self.assertIn(case["refused"], str(raised.exception))
                    continue
                arrays, report, seen = run(case, of["inputs"], of["labels"])
                for name, want in case.get("arrays", {}).items():
                    got = arrays[name].reshape(len(arrays[name]), -1)
                    self.assertEqual((list(got.shape), got.dtype), (want["shape"], np.int64 if name in ("labels", "indices") or (case["task"], name) == ("cluster", "new") else np.float64))
                    for i, j, value in want["entries"]:
                        self.assertAlmostEqual(abs(got[i, j]), value, delta=1e-6 * max(1, value))
                for key, want in case.get("report", {}).items():
                    low, high = want if isinstance(want, list) else (want, want)
                    self.assertTrue(low - 1e-6 <= report[key] <= high + 1e-6, (key, report[key]))
                if "warning" in case:
                    self.assertTrue(any(case["warning"] in str(w.message) for w in seen), [str(w.message) for w in seen])


if __name__ == "__main__":
    unittest.main()
