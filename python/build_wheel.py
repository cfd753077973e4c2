"""Packs the package with its library into a wheel, with the standard library alone.

    make wheel                                   # builds the library first
    python3 python/build_wheel.py [DIRECTORY]    # python/dist

The library is called by ctypes, so that one wheel serves every Python 3. Its tag tells the
oldest C library that it can be linked with, by the symbol versions that it asks for; musl is none, since it cannot
load libraries of Go.
"""

import base64
import hashlib
import os
import platform
import re
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))

METADATA = """\
Metadata-Version: 2.1
Name: orthant
Version: {version}
Summary: Manifold learning, nonnegative factorisation and clustering
Home-page: https://github.com/orthant-go/orthant
License: Apache-2.0
Requires-Python: >=3.8
Requires-Dist: numpy
Provides-Extra: sklearn
Requires-Dist: scikit-learn>=1.2; extra == "sklearn"
Description-Content-Type: text/plain

Functions on NumPy arrays (orthant.embed, factorize, cluster, neighbors) and scikit-learn estimators
(orthant.LLE, NEML, LaplacianEigenmaps, GNMF ...) over one compiled library.
"""


def platform_tag(library):
    """Returns the platform of the library, such as manylinux_2_34_x86_64."""
    machine = platform.machine()
    if not sys.platform.startswith("linux"):
        raise SystemExit("wheels are built on Linux alone")
    with open(library, "rb") as f:
        versions = {(int(a), int(b)) for a, b in re.findall(rb"GLIBC_(\d+)\.(\d+)", f.read())}
    if not versions:
        return f"linux_{machine}"
    major, minor = max(max(versions), (2, 17))
    return f"manylinux_{major}_{minor}_{machine}"


def contents():
    """Returns the files of the wheel, {name: bytes}, but for the record of them."""
    package = os.path.join(HERE, "orthant")
    library = os.path.join(package, "liborthant.so")
    if not os.path.exists(library):
        raise SystemExit("there is no python/orthant/liborthant.so: run 'make python' first")
    files = {}
    for folder in ("", "accel"):
        for name in sorted(os.listdir(os.path.join(package, folder))):
            if name.endswith(".py") or name == "liborthant.so":
                with open(os.path.join(package, folder, name), "rb") as f:
                    files["/".join(filter(None, ("orthant", folder, name)))] = f.read()
    version = re.search(rb'"(.*)"', files["orthant/_version.py"]).group(1).decode()
    info = f"orthant-{version}.dist-info/"
    with open(os.path.join(HERE, "..", "LICENSE"), "rb") as f:
        files[info + "LICENSE"] = f.read()
    tag = "py3-none-" + platform_tag(library)
    files[info + "METADATA"] = METADATA.format(version=version).encode()
    files[info + "WHEEL"] = f"Wheel-Version: 1.0\nGenerator: orthant\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    return files, info, f"orthant-{version}-{tag}.whl"


def build(directory):
    """Writes the wheel, the same bytes for the same files, and returns its path."""
    files, info, name = contents()
    record = ""
    for file, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{file},sha256={digest},{len(data)}\n"
    files[info + "RECORD"] = (record + f"{info}RECORD,,\n").encode()
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, name)
    with zipfile.ZipFile(path + ".part", "w", zipfile.ZIP_DEFLATED) as z:
        for file, data in files.items():
            entry = zipfile.ZipInfo(file, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if file.endswith(".so") else 0o644) << 16
            z.writestr(entry, data)
    os.replace(path + ".part", path)
    return path


if __name__ == "__main__":
    print(build(sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "dist")))
