"""Errors and warnings speak Python: they name arguments, never flags, commands or fields of Go."""

import re
import unittest
import warnings

import numpy as np

import orthant

FOREIGN = re.compile(r"--[a-z]|\borthant (embed|factorize|cluster|select|transform|evaluate)\b|[‹›]|\b[A-Z][a-z]+: \"|Options\.")


class Wording(unittest.TestCase):
    def heard(self, call):
        """The text of the error of a call, or of its warnings."""
        with warnings.catch_warnings(record=True) as texts:
            warnings.simplefilter("always")
            try:
                call()
            except (ValueError, MemoryError, TypeError) as error:
                return str(error)
        return "\n".join(str(w.message) for w in texts)

    def test_arguments_are_named(self):
        x = np.random.default_rng(1).normal(size=(60, 4))
        far = np.vstack([x, x + 100])
        holes = np.abs(x)
        holes[3, 1] = np.nan
        y = np.abs(x)
        for says, call in [
            ('shift="columns"', lambda: orthant.factorize(x, "nmf", 2)),
            ('missing="weight"', lambda: orthant.factorize(holes, "nmf", 2)),
            ('components="each"', lambda: orthant.embed(far, "lle", neighbors=5, components="error")),
            ("each is embedded on its own", lambda: orthant.embed(far, "lle", neighbors=5)),
            ("it is a method of embed", lambda: orthant.factorize(y, "pca", 2)),
            ('solver="hals"', lambda: orthant.factorize(y, "nmf", 2, solver="mu", extrapolate=True)),
            ('init="random"', lambda: orthant.factorize(y, "nmf", 9, init="nndsvda")),
            ("dim is 0", lambda: orthant.embed(x, "lle", dim=0)),
            ("labels", lambda: orthant.embed(x, "lda")),
            ("landmarks", lambda: orthant.embed(x, "isomap", memory=1 << 20)),
            ('fixed="h"', lambda: orthant.factorize(y, "nmf", 2, fixed="h")),
            ('standardize="log1p"', lambda: orthant.embed(x - 5, "pca", standardize="log1p")),
            ('duplicates="merge"', lambda: orthant.embed(np.vstack([x, x[:3]]), "lle")),
        ]:
            with self.subTest(says):
                text = self.heard(call)
                self.assertIn(says, text)
                self.assertIsNone(FOREIGN.search(text), text)

    def test_estimators_have_their_own_names(self):
        try:
            from orthant import LLE, Isomap
        except ImportError:
            self.skipTest("scikit-learn is not there")
        x = np.random.default_rng(1).normal(size=(60, 4))
        self.assertIn("n_components is 0", self.heard(lambda: LLE(n_components=0).fit(x)))
        warned = self.heard(lambda: Isomap(n_neighbors=5).fit(np.random.default_rng(1).normal(size=(1500, 3))))
        self.assertRegex(warned, "n_neighbors=5")
        self.assertNotRegex(warned, "(?<!n_)neighbors=")

    def test_every_parameter_refuses_in_python(self):
        x = np.abs(np.random.default_rng(1).normal(size=(30, 4)))
        heard = 0
        for about in orthant.methods():
            method = about["name"]
            task = {"embed": lambda **o: orthant.embed(x, method, **o), "factorize": lambda **o: orthant.factorize(x, method, 2, **o),
                    "cluster": lambda **o: orthant.cluster(x, method, 2, **o), "select": lambda **o: orthant.select(x, method, 2, **o)}[about["tasks"][0]]
            for parameter in about["parameters"]:
                text = self.heard(lambda: task(**{parameter["key"]: "nonsense"}))
                heard += bool(text)
                self.assertIsNone(FOREIGN.search(text), f"{method}: {text}")
        self.assertGreater(heard, 100)


if __name__ == "__main__":
    unittest.main()
