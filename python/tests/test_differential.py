"""200 random shapes and parameters of the methods that scikit-learn has as well: its figures are ours."""

import unittest
import warnings

import numpy as np

try:
    import sklearn  # noqa: F401
except ImportError:
    raise unittest.SkipTest("scikit-learn is not there") from None

from sklearn import cluster, decomposition, discriminant_analysis, manifold, metrics, neighbors

import orthant

DRAWS = 200


def up_to_signs(ours, own):
    """The largest difference of entries, relative to the largest one of a column, where columns may be negated."""
    ours = ours * np.where((ours * own).sum(axis=0) < 0, -1, 1)
    return np.max(np.abs(ours - own) / np.abs(own).max(axis=0))


def blob(rng, n, m):
    """Samples around a curved piece of 3 dimensions, whose columns have unequal scales."""
    z = rng.uniform(-1, 1, size=(n, 3))
    z = np.column_stack([z, z[:, :1] ** 2, np.sin(2 * z[:, 1:2])])
    return z @ rng.normal(size=(5, m)) * rng.uniform(0.3, 3, size=m) + 0.02 * rng.normal(size=(n, m)) + rng.normal(size=m)


def parts(rng, n, m):
    """Data ≥ 0 of few parts with some zeros, and a start for as many components."""
    r = int(rng.integers(1, min(n, m, 6) + 1))
    x = np.maximum(rng.uniform(size=(n, r + 1)) @ rng.uniform(size=(r + 1, m)) - 0.3, 0) + 0.01 * (rng.uniform(size=(n, m)) > 0.5)
    return x, rng.uniform(0.1, 1, size=(n, r)), rng.uniform(0.1, 1, size=(r, m))


class Differential(unittest.TestCase):
    """Each case draws a problem and returns the difference of the figures relative to the tolerance."""

    def pca(self, rng, n, m):
        d = int(rng.integers(1, min(n - 1, m) + 1))
        x = blob(rng, n, m)
        r = orthant.embed(x, "pca", dim=d)
        own = decomposition.PCA(d, svd_solver="full").fit(x)
        values = own.explained_variance_
        keep = values > 1e-8 * values[0]
        apart = np.max(np.abs(r.report["eigenvalues"] - values)[keep] / values[0]) / 1e-12
        # A column is as well determined as its value is apart from the others.
        every = np.linalg.eigvalsh(np.cov(x, rowvar=False).reshape(m, m))[::-1]
        gap = [np.min(np.abs(np.delete(every, j) - every[j])) if m > 1 else every[0] for j in range(d)]
        sure = np.array([g > 1e-4 * every[0] for g in gap])
        if sure.any():
            apart = max(apart, up_to_signs(r.embedding[:, sure], own.transform(x)[:, sure]) / 1e-8)
        return apart

    def neighbours(self, rng, n, m):
        k = int(rng.integers(1, n))
        x = blob(rng, n, m)
        metric = ["euclidean", "cosine", "manhattan", "chebyshev"][rng.integers(4)]
        _, ours = orthant.neighbors(x, k, metric=metric)
        own, _ = neighbors.NearestNeighbors(n_neighbors=k, metric=metric, algorithm="brute").fit(x).kneighbors()
        return np.max(np.abs(ours - own)) / (1e-7 if metric == "euclidean" else 1e-12) / max(np.abs(own).max(), 1)

    def lle(self, rng, n, m):
        return self.local(rng, n, m, "standard", "lle", gamma=1e-3)

    def ltsa(self, rng, n, m):
        return self.local(rng, n, m, "ltsa", "ltsa", exclude_self=True)

    def local(self, rng, n, m, name, method, **settings):
        d = int(rng.integers(1, 3))
        k = int(rng.integers(max(6, d + 3), min(n - 1, 15)))
        x = blob(rng, n, m)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            own = manifold.LocallyLinearEmbedding(n_neighbors=k, n_components=d, method=name, eigen_solver="dense").fit(x)
            try:
                r = orthant.embed(x, method, neighbors=k, dim=d, components="joint", **settings)
            except ValueError as e:
                self.assertIn("nobody lists them", str(e))
                return None  # scikit-learn lets such samples take any place
        error, values = own.reconstruction_error_, r.report["eigenvalues"]
        if r.report["components"] > 1:  # where several vectors have the eigenvalue 0
            return (abs(error - sum(values))) / 1e-9
        values = np.array([*values, r.report["next_eigenvalue"]])
        apart = abs(error - values[:d].sum()) / (1e-7 * values[d] + 1e-12)
        if np.min(np.diff(values)) > 1e-3 * values[d] and values[d] > 1e-6:
            apart = max(apart, up_to_signs(r.embedding, own.embedding_) / 1e-5)
        return apart

    def isomap(self, rng, n, m):
        d = int(rng.integers(1, 3))
        k = int(rng.integers(8, min(n - 1, 16)))
        x = blob(rng, n, m)
        try:
            r = orthant.embed(x, "isomap", neighbors=k, dim=d)
        except ValueError as e:
            self.assertIn("components", str(e))
            return None  # scikit-learn joins them in its own way
        own = manifold.Isomap(n_neighbors=k, n_components=d, eigen_solver="dense").fit(x)
        values = np.array(r.report["eigenvalues"])
        apart = np.max(np.abs(values - (own.embedding_**2).sum(axis=0)) / values[0]) / 1e-10
        every = np.append(values, r.report["next_eigenvalue"])
        if np.min(-np.diff(every)) > 1e-3 * values[0]:
            apart = max(apart, up_to_signs(r.embedding, own.embedding_) / 1e-7)
        return apart

    def laplacian(self, rng, n, m):
        d = int(rng.integers(1, 3))
        k = int(rng.integers(8, min(n - 1, 16)))
        x = blob(rng, n, m)
        near = neighbors.kneighbors_graph(x, k).toarray()
        w = np.maximum(near, near.T)
        try:
            r = orthant.embed(x, "le", neighbors=k, dim=d)
        except ValueError as e:
            self.assertIn("components", str(e))
            return None
        values = np.array([*r.report["eigenvalues"], r.report["next_eigenvalue"]])
        if np.min(np.diff(values)) < 1e-3:
            return None  # no vectors to compare
        own = manifold.spectral_embedding(w, n_components=d, eigen_solver="arpack", random_state=0)
        # YᵀDY = I of ours; scikit-learn's columns have another length.
        return up_to_signs(r.embedding / np.linalg.norm(r.embedding, axis=0), own / np.linalg.norm(own, axis=0)) / 1e-9

    def nmf(self, rng, n, m):
        return self.factors(rng, n, m, "nmf", "mu", "frobenius", solver="mu")

    def nmf_by_descent(self, rng, n, m):
        return self.factors(rng, n, m, "nmf", "cd", "frobenius", solver="hals", sweeps=1)

    def nmf_kl(self, rng, n, m):
        return self.factors(rng, n, m, "nmf-kl", "mu", "kullback-leibler")

    def nmf_beta(self, rng, n, m):
        beta = float([0.5, 1.5, 1.75, 2.5, 3][rng.integers(5)])
        return self.factors(rng, n, m, "nmf-beta", "mu", beta, beta=beta)

    def factors(self, rng, n, m, method, theirs, loss, **settings):
        x, w, h = parts(rng, n, m)
        x += 0.005 * (loss not in ("frobenius", "kullback-leibler"))
        steps = int(rng.integers(1, 25))
        r = orthant.factorize(x, method, len(h), start_w=w, start_h=h, order="w-first", normalise="none", iterations=steps, tolerance=0, **settings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = decomposition.NMF(len(h), init="custom", solver=theirs, beta_loss=loss, max_iter=steps, tol=0, shuffle=False)
            own = model.fit_transform(x, W=w.copy(), H=h.copy())
        return max(np.max(np.abs(r.w - own)) / own.max(), np.max(np.abs(r.h - model.components_)) / model.components_.max()) / 1e-10

    def kmeans(self, rng, n, m):
        clusters = int(rng.integers(1, min(n, 8)))
        x = blob(rng, n, m)
        start = x[rng.choice(n, clusters, replace=False)]
        r = orthant.lloyd(x, start, iterations=100)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            own = cluster.KMeans(clusters, init=start, n_init=1, max_iter=100, tol=0, algorithm="lloyd").fit(x)
        self.assertEqual(list(r.labels), list(own.labels_))
        return abs(r.number("inertia") - own.inertia_) / max(own.inertia_, 1e-300) / 1e-12

    def lda(self, rng, n, m):
        classes = int(rng.integers(2, 5))
        n = max(n, 4 * m + 4 * classes)
        labels = np.arange(n) % classes
        x = rng.normal(size=(n, m)) @ rng.normal(size=(m, m)) + 2 * rng.normal(size=(classes, m))[labels]
        d = int(rng.integers(1, min(classes - 1, m) + 1))
        r = orthant.embed(x, "lda", dim=d, labels=labels)
        own = discriminant_analysis.LinearDiscriminantAnalysis(solver="eigen", n_components=d).fit(x, labels).transform(x)
        ours = r.embedding - r.embedding.mean(axis=0)
        own = own - own.mean(axis=0)
        # The directions are the same; scikit-learn's have another length.
        return up_to_signs(ours / np.linalg.norm(ours, axis=0), own / np.linalg.norm(own, axis=0)) / 1e-9

    def scores(self, rng, n, m):
        x, y = blob(rng, n, m), blob(rng, n, 2)
        a, b = rng.integers(0, 5, size=n), rng.integers(0, 4, size=n)
        k = int(rng.integers(1, max(2, n // 2 - 1)))
        two = (np.arange(n) % 2).astype(int)
        auc = metrics.roc_auc_score(two, y[:, 0])
        return max(
            abs(orthant.evaluate("trustworthiness", x, y, neighbors=k) - manifold.trustworthiness(x, y, n_neighbors=k)),
            abs(orthant.evaluate("continuity", x, y, neighbors=k) - manifold.trustworthiness(y, x, n_neighbors=k)),
            abs(orthant.evaluate("nmi", labels=a, predicted=b, normalise="arithmetic") - metrics.normalized_mutual_info_score(a, b)),
            abs(orthant.evaluate("roc-auc", embedding=y[:, :1], labels=two) - max(auc, 1 - auc)),
        ) / 1e-12

    def test_figures_are_those_of_scikit_learn(self):
        cases = [self.pca, self.neighbours, self.lle, self.ltsa, self.isomap, self.laplacian, self.nmf, self.nmf_by_descent, self.nmf_kl, self.nmf_beta,
                 self.kmeans, self.lda, self.scores]
        compared = dict.fromkeys((c.__name__ for c in cases), 0)
        for draw in range(DRAWS):
            rng = np.random.default_rng([27, draw])
            case = cases[draw % len(cases)]
            n, m = int(rng.integers(20, 121)), int(rng.integers(2, 13))
            with self.subTest(case=case.__name__, draw=draw, samples=n, columns=m):
                apart = case(rng, n, m)
                if apart is not None:
                    compared[case.__name__] += 1
                    self.assertLessEqual(apart, 1)
        for name, count in compared.items():
            self.assertGreaterEqual(count, 6, f"{name}: so few of the draws could be compared")


if __name__ == "__main__":
    unittest.main()
