"""Builds the library of a package that is to run elsewhere: on x86-64 and aarch64 with glibc 2.17 or later.

Needs Go and a C compiler; for aarch64 on another machine aarch64-linux-gnu-gcc (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross).
"""

import os
import platform
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
SOURCE = os.path.join(ROOT, "cmd", "liborthant")

# The architectures as Go calls them, and the compilers for them on another machine.
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
CROSS = {"x86_64": "x86_64-linux-gnu-gcc", "aarch64": "aarch64-linux-gnu-gcc"}


def command(name, remedy):
    """Returns the path of a program, or exits with the way to install it."""
    found = shutil.which(name)
    if found is None:
        raise SystemExit(f"{name} was not found: {remedy}")
    return found


def build(path, arch=None, version="unknown", environment=os.environ):
    """Builds the library for an architecture (None: this machine's) into a file."""
    if not sys.platform.startswith("linux"):
        raise SystemExit("packages are built on Linux alone")
    here = platform.machine()
    arch = arch or here
    go = command(os.environ.get("GO", "go"), "install Go 1.26 or later, or name it by the environment variable GO")
    env = {**environment, "CGO_ENABLED": "1"}
    if arch in ARCHITECTURES:
        env["GOARCH"], env["GOOS"] = ARCHITECTURES[arch], "linux"
    if arch != here and "CC" not in environment:
        if arch not in CROSS:
            raise SystemExit(f"there is no compiler for {arch} known; name one by the environment variable CC")
        env["CC"] = command(CROSS[arch], f"install a compiler for {arch} (Debian: gcc-{arch.replace('_', '-')}-linux-gnu), or name one by CC")
    with plainly_named(SOURCE, ["glibc_2_17.h", "liborthant.map"]) as folder:
        header, symbols = (os.path.join(folder, name) for name in ("glibc_2_17.h", "liborthant.map"))
        env["CGO_CFLAGS"] = f"{os.environ.get('CGO_CFLAGS', '-O2 -g')} -include {header}"
        # Before glibc 2.34 threads were in a library of their own, which newer ones keep empty.
        external = f"-Wl,-soname,liborthant.so.1 -Wl,--version-script={symbols} -Wl,--no-as-needed -l:libpthread.so.0"
        # No build ID: Go makes it of the flags, and so of the folder that is in them.
        flags = f"-s -w -buildid= -X main.version={version} -extldflags '{external}'"
        subprocess.run(
            [go, "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags", flags, "-o", path, "./cmd/liborthant"],
            check=True, cwd=ROOT, env=env, stdout=sys.stderr,
        )
    os.remove(os.path.splitext(path)[0] + ".h")  # Go's header, which orthant.h replaces


class plainly_named:
    """The folder itself, or a copy of some of its files where its path has characters that end a compiler's flag."""

    def __init__(self, folder, names):
        self.folder, self.names, self.copy = folder, names, None

    def __enter__(self):
        if any(c in self.folder for c in " '\",\t"):
            self.copy = tempfile.mkdtemp(prefix="orthant")
            for name in self.names:
                shutil.copy(os.path.join(self.folder, name), self.copy)
        return self.copy or self.folder

    def __exit__(self, *_):
        if self.copy:
            shutil.rmtree(self.copy)
