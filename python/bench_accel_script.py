"""A script of five calls of scikit-learn, as it is and under ``python -m orthant.accel``: seconds, memory and results.

    PYTHONPATH=python python3 python/bench_accel_script.py DATA/usps.X.npy [SAMPLES]

The script knows nothing of orthant. Both runs are processes of their own; the time of importing is not counted.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np


def script(path, samples, out):
    """The five calls, which a user would write without the clocks."""
    from sklearn.cluster import KMeans
    from sklearn.decomposition import NMF
    from sklearn.manifold import Isomap, LocallyLinearEmbedding, SpectralEmbedding

    warnings.simplefilter("ignore")
    x = np.load(path).astype(float)[:samples]
    told, arrays = {}, {}

    def clocked(name, call):
        wall, cpu = time.perf_counter(), time.process_time()
        result = call()
        told[name] = {"seconds": time.perf_counter() - wall, "processor": time.process_time() - cpu}
        return result

    arrays["lle"] = clocked("lle", lambda: LocallyLinearEmbedding(n_neighbors=12, n_components=2, random_state=0).fit_transform(x))
    arrays["isomap"] = clocked("isomap", lambda: Isomap(n_neighbors=12, n_components=2).fit_transform(x))
    arrays["spectral"] = clocked("spectral", lambda: SpectralEmbedding(n_neighbors=12, n_components=2, random_state=0).fit_transform(x))
    nmf = clocked("nmf", lambda: NMF(16, init="nndsvda", random_state=0, max_iter=200).fit(x))
    kmeans = clocked("kmeans", lambda: KMeans(10, n_init=10, random_state=0).fit(x))
    told["nmf"]["objective"], told["kmeans"]["objective"] = float(nmf.reconstruction_err_), float(kmeans.inertia_)
    told["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    np.savez(out + ".npz", **arrays)
    with open(out + ".json", "w", encoding="utf-8") as f:
        json.dump(told, f)


def angle(a, b):
    """The sine of the largest angle between two spaces of centred coordinates."""
    a, b = (np.linalg.qr(y - y.mean(0))[0] for y in (a, b))
    return np.linalg.norm(b - a @ (a.T @ b), 2)


def main(path, samples):
    with tempfile.TemporaryDirectory() as folder:
        told, arrays = {}, {}
        for name, command in (("scikit-learn", [sys.executable]), ("orthant.accel", [sys.executable, "-m", "orthant.accel"])):
            out = os.path.join(folder, name)
            subprocess.run([*command, os.path.abspath(__file__), "--script", path, str(samples), out], check=True)
            with open(out + ".json", encoding="utf-8") as f:
                told[name] = json.load(f)
            arrays[name] = np.load(out + ".npz")
        a, b = told["scikit-learn"], told["orthant.accel"]
        print("| call | scikit-learn, s | orthant.accel, s | ratio | ratio of processor time | result |")
        print("|---|---|---|---|---|---|")
        ratios = []
        for name in ("lle", "isomap", "spectral", "nmf", "kmeans"):
            ratios.append(a[name]["seconds"] / b[name]["seconds"])
            if name in arrays["scikit-learn"].files:
                result = f"angle {angle(arrays['scikit-learn'][name], arrays['orthant.accel'][name]):.1e}"
            else:
                result = f"objective {a[name]['objective']:.9g}, {b[name]['objective']:.9g}"
            print(f"| {name} | {a[name]['seconds']:.3g} | {b[name]['seconds']:.3g} | {ratios[-1]:.3g} | {a[name]['processor'] / b[name]['processor']:.3g} | {result} |")
        print(f"\ngeometric mean of the ratios {np.exp(np.mean(np.log(ratios))):.3g}, least {min(ratios):.3g}; peak {a['peak']:.0f} and {b['peak']:.0f} MiB")


if __name__ == "__main__":
    if sys.argv[1] == "--script":
        script(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    else:
        main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3000)
