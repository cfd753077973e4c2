"""Measures: compared with plain formulas, and refusals."""

import doctest
import pickle
import unittest
import warnings

import numpy as np

import orthant
from orthant import _evaluate


def _ranks(x):
    d = ((x[:, None] - x[None]) ** 2).sum(axis=2)
    np.fill_diagonal(d, -1)
    return d.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable")  # 0: itself


class Evaluate(unittest.TestCase):
    def setUp(self):
        rng = np.random.default_rng(3)
        self.x = rng.normal(size=(50, 4))
        self.y = self.x[:, :2] + 0.3 * rng.normal(size=(50, 2))
        self.labels = (self.x[:, 0] > 0).astype(int)

    def test_others(self):
        y, t = self.y, self.x
        basis = np.linalg.qr(np.column_stack([np.ones(50), y]))[0]
        left = t - basis @ (basis.T @ t)
        self.assertAlmostEqual(orthant.evaluate("dev", embedding=y, truth=t), np.linalg.norm(left, 2) / np.linalg.norm(t, 2), places=10)
        positive, negative = y[self.labels == 1, 0], y[self.labels == 0, 0]
        auc = (positive[:, None] > negative[None]).mean()
        self.assertAlmostEqual(orthant.evaluate("roc-auc", embedding=y[:, 0], labels=self.labels), max(auc, 1 - auc), places=12)
        near = np.where(_ranks(self.x) == 1)[1]
        self.assertAlmostEqual(orthant.evaluate("bad-neighbors", self.x, labels=self.labels, neighbors=1), (self.labels != self.labels[near]).mean())

    def test_maps(self):
        x, y = self.x, self.y
        rows = np.arange(50)
        apart = [np.linalg.norm(z[:, None] - z[None], axis=2) for z in (x, y)]
        kept = [np.sign(d[:, :, None] - d[:, None, :]) for d in apart]
        some = (rows[:, None, None] != rows[:, None]) & (rows[:, None, None] != rows) & (rows[:, None] < rows)  # all of up to 59 samples
        self.assertAlmostEqual(orthant.evaluate("random-triplet", x, y, seed=3), (kept[0] == kept[1])[some].mean(), places=12)
        ranks = [np.argsort(np.argsort(d[np.triu_indices(50, 1)])) for d in apart]
        self.assertAlmostEqual(orthant.evaluate("distance-correlation", x, y), np.corrcoef(*ranks)[0, 1], places=12)
        centered = [z - z.mean(axis=0) for z in (x, y)]
        fit = np.linalg.svd(centered[0].T @ centered[1], compute_uv=False).sum() ** 2 / np.prod([(z**2).sum() for z in centered])
        self.assertAlmostEqual(orthant.evaluate("procrustes", embedding=y, truth=x), 1 - fit, places=12)
        score = orthant.evaluate("kl-divergence", x, y)
        self.assertAlmostEqual(score.report["settings"]["perplexity"], 49 / 3)
        self.assertEqual(score, orthant.evaluate("kl-divergence", x, y, perplexity=49 / 3, threads=1))
        self.assertEqual(orthant.evaluate("centroid-triplet", x, x[:, ::-1], labels=rows % 5), 1)
        kept = [_ranks(z) for z in (x, y)]
        common = ((kept[0] > 0) & (kept[0] <= 15) & (kept[1] > 0) & (kept[1] <= 15)).sum() / (50 * 15)
        self.assertAlmostEqual(orthant.evaluate("soft-nalac", x, y, neighbors=15), common, places=12)  # neighbor preservation

    def test_rates(self):
        score = orthant.evaluate("nn-error", embedding=self.y, labels=self.labels, splits=7, train=0.4)
        self.assertIsInstance(score, float)
        self.assertEqual(score.rates.shape, (7,))
        self.assertAlmostEqual(score, score.rates.mean(), places=12)
        self.assertEqual(score.report["settings"]["splits"], 7)
        self.assertEqual(score, orthant.evaluate("nn-error", embedding=self.y, labels=self.labels, splits=7, train=0.4, threads=1))
        self.assertNotEqual(score.rates.tolist(), orthant.evaluate("nn-error", embedding=self.y, labels=self.labels, splits=7, train=0.4, seed=2).rates.tolist())
        separate = orthant.evaluate("nn-error", self.x, labels=self.labels, projection="separate", method="pca", dim=1, splits=2)
        self.assertEqual(separate.report["settings"]["method"], "pca")
        self.assertLess(separate, 0.9)
        again = pickle.loads(pickle.dumps(score))
        self.assertEqual((again, again.report), (score, score.report))

    def test_details(self):
        score = orthant.evaluate("bad-neighbors", self.x, labels=self.labels)
        self.assertEqual(score.report["settings"]["neighbors"], 7)  # ⌊√50⌋
        self.assertEqual(score.details["bad_neighbors"], float(score))
        self.assertEqual(orthant.evaluate("intrinsic-dimension", self.x, neighbors=10), int(orthant.evaluate("intrinsic-dimension", self.x, neighbors=10)))

    def test_reads_in_place(self):
        wide = np.zeros((50, 9))
        wide[:, :4] = self.x
        want = orthant.evaluate("lcmc", self.x, self.y)
        self.assertEqual(orthant.evaluate("lcmc", wide[:, :4], np.asfortranarray(self.y)), want)

    def test_refuses(self):
        for phrase, arguments, more in (
            ("trustworthiness needs x", ("trustworthiness",), {"embedding": self.y}),
            ("has 50 rows where x has 9", ("trustworthiness", self.x[:9], self.y), {}),
            ("no setting", ("trustworthiness", self.x, self.y), {"neighbours": 3}),
            ("side is", ("mrre", self.x, self.y), {"side": "both"}),
            ("predicted are of type float64", ("acc",), {"labels": self.labels, "predicted": [0.5] * 50}),
            ("give a str", (5,), {}),
            ("3 dimensions", ("lcmc", self.x, np.zeros((50, 2, 2))), {}),
            ("NaN", ("lcmc", np.where(self.x == self.x[3, 1], np.nan, self.x), self.y), {}),
        ):
            with self.subTest(phrase), self.assertRaisesRegex(ValueError, phrase):
                orthant.evaluate(*arguments, **more)

    def test_examples(self):
        self.assertEqual(doctest.testmod(_evaluate).failed, 0)

    def test_warns_of_what_it_does_not_use(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            orthant.evaluate("acc", self.x, labels=self.labels, predicted=self.labels, neighbors=3)
        self.assertEqual([str(w.message) for w in caught], ["acc does not use neighbors", "acc does not use x"])


if __name__ == "__main__":
    unittest.main()
