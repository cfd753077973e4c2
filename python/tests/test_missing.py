"""Factorisations of samples of which entries are missing. NumPy and scikit-learn."""

import pickle
import unittest

import numpy as np

try:
    import sklearn
except ImportError:
    sklearn = None

import orthant


def holes(n=60, m=30, rank=3, seed=1):
    """Returns samples of a low rank, and the same with NaN in a fifth of the entries."""
    draw = np.random.default_rng(seed)
    whole = draw.random((n, rank)) @ draw.random((rank, m))
    lacking = whole.copy()
    lacking[draw.random((n, m)) < 0.2] = np.nan
    return whole, lacking


@unittest.skipIf(sklearn is None, "scikit-learn is not installed")
class TestMissing(unittest.TestCase):
    def test_entries_that_are_nan_are_missing(self):
        whole, lacking = holes()
        for name in ("NMF", "NMFKL", "L21NMF"):
            with self.subTest(name):
                model = getattr(orthant, name)(3, missing="weight", max_iter=400)
                w = model.fit_transform(lacking)
                gaps = np.isnan(lacking)
                off = np.linalg.norm((model.inverse_transform(w) - whole)[gaps]) / np.linalg.norm(whole[gaps])
                self.assertLess(off, 0.05)
                self.assertAlmostEqual(model.report_["details"]["missing_share"], gaps.mean(), 12)
                again = pickle.loads(pickle.dumps(model)).transform(lacking)
                self.assertTrue(np.array_equal(again, model.transform(lacking)))
                self.assertLess(np.linalg.norm(again @ model.components_ - whole) / np.linalg.norm(whole), 0.05)

    def test_without_it_nan_is_refused(self):
        whole, lacking = holes()
        with self.assertRaisesRegex(ValueError, "NaN"):
            orthant.NMF(3).fit(lacking)
        with self.assertRaisesRegex(ValueError, "NaN"):
            orthant.NMF(3).fit(whole).transform(lacking)
        lacking[4, 5] = -1
        with self.assertRaisesRegex(ValueError, "Negative values"):
            orthant.NMF(3, missing="weight").fit(lacking)
        lacking[4, 5] = np.inf
        with self.assertRaises(ValueError):
            orthant.NMF(3, missing="weight").fit(lacking)
        lacking[4] = np.nan
        with self.assertRaisesRegex(ValueError, r"row 5 \(counting from 1\) has no entry that is known"):
            orthant.NMF(3, missing="weight").fit(lacking)

    def test_the_function_takes_nan(self):
        whole, lacking = holes()
        r = orthant.factorize(lacking, "nmf", 3, missing="weight")
        gaps = np.isnan(lacking)
        self.assertLess(np.abs(r.array("w") @ r.array("h") - whole)[gaps].max(), 0.1)
        with self.assertRaisesRegex(ValueError, 'missing="weight"'):
            orthant.factorize(lacking, "nmf", 3)

    def test_a_rank_is_found_by_held_out_entries(self):
        draw = np.random.default_rng(3)
        w, h = (draw.uniform(size=shape) * (draw.uniform(size=shape) < 0.5) for shape in ((80, 3), (3, 40)))
        x = w @ h * draw.uniform(0.75, 1.25, size=(80, 40))
        r = orthant.factorize(x, "nmf", "auto", most_rank=10, masks=4, iterations=60)
        found = r.report["held_out"]
        self.assertEqual((r.w.shape, r.report["rank"], found["sparing_rank"], found["masks"]), ((80, 3), 3, 3, 4))
        self.assertEqual([o["behind"] for o in found["ranks"] if o["rank"] == found["best_rank"]], [0])
        match = orthant.evaluate("component-match", h=r.h, truth=h)
        self.assertEqual(sorted(match.details["reference"]), [1, 2, 3])
        self.assertGreater(match, 0.95)
        with self.assertRaisesRegex(ValueError, "the rank is found for nmf"):
            orthant.factorize(x, "gnmf", "auto")

    def test_a_rank_is_chosen_by_held_out_entries(self):
        draw = np.random.default_rng(3)
        x, _ = holes(100, 60, 3)
        x *= 1 + 0.4 * draw.uniform(-1, 1, x.shape)
        r = orthant.factorize_runs(x, range(1, 6), 3, iterations=60, held_out=0.1)
        self.assertEqual((r.held_out_losses.shape, r.held_out_errors.shape), ((5, 3), (5, 3)))
        chosen = r.report["held_out"]
        self.assertEqual((chosen["sparing_rank"], chosen["share"], [o["rank"] for o in chosen["ranks"]]), (3, 0.1, [1, 2, 3, 4, 5]))
        np.testing.assert_allclose([o["loss"] for o in chosen["ranks"]], r.held_out_losses.mean(axis=1))
        self.assertNotIn("held_out_losses", orthant.factorize_runs(x, 2, 1, iterations=5))
        for share in (1.5, -1):
            with self.assertRaisesRegex(ValueError, "give a number between 0 and 1"):
                orthant.factorize_runs(x, 2, 1, held_out=share)


if __name__ == "__main__":
    unittest.main()
