"""Packs a source distribution: the sources of the package and its library, with the Go modules that they need.

    make sdist                                                    # python/dist
    python3 python/build_sdist.py [DIRECTORY]

It is built by "pip install", which needs Go and a C compiler then, and no network.
"""

import gzip
import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile

import build_estimators
import build_library
import build_wheel

ROOT = build_library.ROOT

FILES = ("go.mod", "go.sum", "LICENSE", "README.md")

PYPROJECT = """\
[build-system]
requires = []
build-backend = "build_backend"
backend-path = ["python"]
"""


def go(folder, *arguments, **variables):
    """Runs Go in a folder and returns its output."""
    found = build_library.command(os.environ.get("GO", "go"), "install Go 1.26 or later, or name it by the environment variable GO")
    env = {**os.environ, "GOFLAGS": "", "GOWORK": "off", **variables}
    return subprocess.run([found, *arguments], check=True, cwd=folder, env=env, stdout=subprocess.PIPE, text=True).stdout


def sources():
    """Returns the folders of the packages that the library is made of, on each architecture, with OpenBLAS and without."""
    folders, of_module = set(), "{{with .Module}}{{if .Main}}{{$.Dir}}{{end}}{{end}}"
    for arch in build_library.ARCHITECTURES.values():
        for tags in ("", "openblas"):
            listed = go(ROOT, "list", "-deps", "-tags", tags, "-f", of_module, "./cmd/liborthant", CGO_ENABLED="1", GOARCH=arch)
            folders.update(listed.splitlines())
    return sorted(os.path.relpath(folder, ROOT) for folder in folders if folder)


def copy(folder, at, names):
    to = os.path.join(folder, at)
    os.makedirs(to, exist_ok=True)
    for name in names:
        shutil.copy(os.path.join(ROOT, at, name), to)


def stage(folder):
    """Copies the sources: the library, and the Python files that build and test the package."""
    copy(folder, "", FILES)
    for at in sources():
        names = os.listdir(os.path.join(ROOT, at))
        copy(folder, at, (n for n in names if not n.endswith("_test.go") and os.path.isfile(os.path.join(ROOT, at, n))))
    for at in ("", "orthant", os.path.join("orthant", "accel"), "tests"):
        at = os.path.join("python", at)
        copy(folder, at, (n for n in os.listdir(os.path.join(ROOT, at)) if n.endswith((".py", ".toml")) and n not in build_estimators.FILES))
    if os.path.exists(os.path.join(ROOT, "vendor", "modules.txt")): # of a source distribution itself
        shutil.copytree(os.path.join(ROOT, "vendor"), os.path.join(folder, "vendor"))
    else:
        for tool in go(folder, "list", "-f", "{{.ImportPath}}", "tool", GOFLAGS="-mod=mod").split(): # of development: the linter
            go(folder, "mod", "edit", "-droptool", tool)
        go(folder, "mod", "vendor")
    with open(os.path.join(folder, "pyproject.toml"), "w", encoding="utf-8") as f:
        f.write(PYPROJECT)
    with open(os.path.join(folder, "PKG-INFO"), "wb") as f:
        f.write(build_wheel.metadata())


def build(directory):
    """Writes the archive, the same bytes for the same files, and returns its path."""
    name = f"{build_wheel.DISTRIBUTION.replace('-', '_')}-{build_wheel.version()}"
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, name + ".tar.gz")
    with tempfile.TemporaryDirectory() as folder:
        stage(folder)
        with open(path + ".part", "wb") as f, gzip.GzipFile("", "wb", mtime=0, fileobj=f) as z, tarfile.open(fileobj=z, mode="w") as archive:
            for at, folders, names in os.walk(folder):
                folders.sort()
                for file in sorted(names):
                    full = os.path.join(at, file)
                    entry = tarfile.TarInfo(f"{name}/{os.path.relpath(full, folder)}")
                    entry.mode = 0o644
                    with open(full, "rb") as source:
                        data = source.read()
                    entry.size = len(data)
                    archive.addfile(entry, io.BytesIO(data))
    os.replace(path + ".part", path)
    return path


if __name__ == "__main__":
    print(build(sys.argv[1] if len(sys.argv) > 1 else os.path.join(build_library.HERE, "dist")))
