"""Embeds one file by scikit-learn, as a program of its own: job.py IN OUT."""
import sys

import numpy as np
from sklearn.manifold import LocallyLinearEmbedding

y = LocallyLinearEmbedding(n_neighbors=10, n_components=2, random_state=0).fit_transform(np.load(sys.argv[1]))
np.save(sys.argv[2], y)
