"""Data on a common scale: as scikit-learn's scalers before the method, in functions and estimators."""

import pickle
import unittest
import warnings

import numpy as np
import scipy.sparse as sp

try:
    from sklearn.base import clone
    from sklearn.decomposition import PCA
    from sklearn.preprocessing import FunctionTransformer, MinMaxScaler, Normalizer, RobustScaler, StandardScaler
except ImportError:
    raise unittest.SkipTest("scikit-learn is not installed") from None

import orthant

SCALERS = {
    "standard": StandardScaler,
    "minmax": MinMaxScaler,
    "robust": RobustScaler,
    "unit": Normalizer,
    "log1p": lambda: FunctionTransformer(np.log1p),
}


def samples(n=90, seed=2):
    draw = np.random.default_rng(seed)
    return draw.uniform(size=(n, 4)) * [0.01, 1, 30, 1000] + (np.arange(n) % 3)[:, None] * [0, 2, 0, 700]


class Standardize(unittest.TestCase):
    def test_it_is_the_scaler_before_the_method(self):
        x = samples()
        for how, scaler in SCALERS.items():
            with self.subTest(how):
                scaled = scaler().fit(x[:60])
                for kind in (orthant.PCA, orthant.LLE, orthant.Isomap):
                    found = kind(standardize=how).fit(x[:60])
                    plain = kind(standardize="none").fit(np.ascontiguousarray(scaled.transform(x[:60])))
                    np.testing.assert_allclose(found.embedding_, plain.embedding_, rtol=1e-6, atol=1e-9)
                    again = pickle.loads(pickle.dumps(found))
                    np.testing.assert_allclose(again.transform(x[60:]), plain.transform(np.ascontiguousarray(scaled.transform(x[60:]))), rtol=1e-6, atol=1e-9)
                y = orthant.embed(x, "pca", standardize=how).embedding
                np.testing.assert_array_equal(y, orthant.PCA(standardize=how).fit_transform(x))

    def test_principal_components_are_those_of_the_scaled_samples(self):
        x = samples()
        for how, scaler in SCALERS.items():
            with self.subTest(how):
                scaled = scaler().fit_transform(x)
                ours, theirs = orthant.PCA(n_components=2, standardize=how).fit(x), PCA(n_components=2).fit(scaled)
                np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-9)
                np.testing.assert_allclose(ours.mean_, theirs.mean_, rtol=1e-9, atol=1e-12)
                np.testing.assert_allclose(ours.score(x), theirs.score(scaled), rtol=1e-6)
                if how == "unit":
                    with self.assertRaisesRegex(ValueError, "no way back"):
                        ours.inverse_transform(ours.embedding_)
                else:
                    whole = orthant.PCA(n_components=4, standardize=how).fit(x)
                    np.testing.assert_allclose(whole.inverse_transform(whole.embedding_), x, rtol=1e-8, atol=1e-8)

    def test_factors_and_clusters(self):
        x = samples()
        found = orthant.NMF(n_components=3, standardize="minmax").fit(x)
        scaled = MinMaxScaler().fit_transform(x)
        np.testing.assert_allclose(found.components_, orthant.NMF(n_components=3).fit(scaled).components_, rtol=1e-6, atol=1e-8)
        back = found.inverse_transform(found.transform(x))
        self.assertLess(np.linalg.norm((back - x) / np.ptp(x, axis=0)), 0.3 * np.linalg.norm(scaled))
        for kind in (orthant.NMF, orthant.GNMF):
            with self.assertRaisesRegex(ValueError, "makes negative entries.*minmax"):
                kind(n_components=2, standardize="standard").fit(x)
        groups = orthant.KMeans(n_clusters=3, standardize="standard").fit(x)
        plain = orthant.KMeans(n_clusters=3, standardize="none").fit(StandardScaler().fit_transform(x))
        np.testing.assert_array_equal(groups.labels_, plain.labels_)
        np.testing.assert_array_equal(groups.predict(x), groups.labels_)
        np.testing.assert_allclose(-groups.score(x), groups.inertia_, rtol=1e-6)
        for how in ("standard", "unit"):
            chosen = orthant.select(x, "ipm", 4, standardize=how)
            np.testing.assert_array_equal(chosen, orthant.select(SCALERS[how]().fit_transform(x), "ipm", 4, standardize="none"))

    def test_negative_data_become_nonnegative(self):
        x = samples() - 500
        self.assertEqual(orthant.NMF(n_components=2, standardize="minmax").fit_transform(x).shape, (90, 2))
        with self.assertRaisesRegex(ValueError, "Negative values"):
            orthant.NMF(n_components=2).fit(x)

    def test_sparse_samples(self):
        x = sp.random(60, 30, 0.2, format="csr", random_state=1)
        before = x.copy()
        for how in ("unit", "log1p"):
            found, dense = orthant.embed(x, "pca", standardize=how), orthant.embed(x.toarray(), "pca", standardize=how)
            self.assertTrue(found.report["sparse"])
            np.testing.assert_allclose(found.embedding, dense.embedding, rtol=1e-5, atol=1e-8)
        self.assertEqual((x != before).nnz, 0)
        for how in ("standard", "minmax", "robust"):
            with self.assertRaisesRegex(ValueError, "take unit, log1p or counts"):
                orthant.embed(x, "pca", standardize=how)

    def test_float32_is_left_as_it_was(self):
        x = samples().astype(np.float32)
        kept = x.copy()
        found = orthant.NMF(n_components=2, standardize="minmax").fit(x)
        np.testing.assert_array_equal(x, kept)
        np.testing.assert_allclose(found.components_, orthant.NMF(n_components=2, standardize="minmax").fit(x.astype(float)).components_, atol=1e-3)

    def test_unequal_columns_are_told_once_and_not_where_it_was_asked(self):
        x = samples()
        with self.assertWarnsRegex(UserWarning, 'standardize="standard"'):
            orthant.PCA().fit(x)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for how in ("none", "standard", "minmax"):
                clone(orthant.PCA(standardize=how)).fit(x)
            orthant.PCA().fit(x[:, 1:3])

    def test_what_is_unknown_is_refused(self):
        with self.assertRaisesRegex(ValueError, "none, standard, minmax, unit, robust, log1p"):
            orthant.PCA(standardize="zscore").fit(samples())
        with self.assertRaisesRegex(ValueError, "row 4, column 2.*log1p"):
            x = samples()
            x[3, 1] = -2
            orthant.embed(x, "pca", standardize="log1p")


if __name__ == "__main__":
    unittest.main()
