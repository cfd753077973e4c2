"""Builds the library and the command of a package that is to run elsewhere: on x86-64 and aarch64 with glibc 2.17 or later, and on Windows on x86-64;
the command alone for musl and macOS.

Needs Go and a C compiler; for aarch64 on another machine aarch64-linux-gnu-gcc (Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross),
for Windows x86_64-w64-mingw32-gcc (Debian: gcc-mingw-w64-x86-64).
"""

import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
SOURCE = os.path.join(ROOT, "cmd", "liborthant")

# The architectures that there is a library for as Go calls them, and the compilers for them on another machine.
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "win_amd64": "amd64"}
CROSS = {"x86_64": "x86_64-linux-gnu-gcc", "aarch64": "aarch64-linux-gnu-gcc", "win_amd64": "x86_64-w64-mingw32-gcc"}
PACKAGES = {"win_amd64": "gcc-mingw-w64-x86-64"}  # of Debian

# The others, whose command does the work: musl loads no library of Go, and for macOS there is no compiler of C here.
COMMANDS = {"musllinux_x86_64": ("linux", "amd64"), "musllinux_aarch64": ("linux", "arm64"), "macosx_x86_64": ("darwin", "amd64"), "macosx_arm64": ("darwin", "arm64")}


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
    go = compiler()
    env = {**environment, "CGO_ENABLED": "1", **target(arch)}
    if arch != here and "CC" not in environment:
        if arch not in CROSS:
            raise SystemExit(f"there is no compiler for {arch} known; name one by the environment variable CC")
        env["CC"] = command(CROSS[arch], f"install a compiler for {arch} (Debian: {PACKAGES.get(arch) or 'gcc-' + arch.replace('_', '-') + '-linux-gnu'}), or name one by CC")
    if arch.startswith("win"):
        with tempfile.TemporaryDirectory() as folder:
            shared(go, path, env, version, f"-static -Wl,--no-insert-timestamp {definition(folder)}")
        return
    with plainly_named(SOURCE, ["glibc_2_17.h", "liborthant.map"]) as folder:
        header, symbols = (os.path.join(folder, name) for name in ("glibc_2_17.h", "liborthant.map"))
        env["CGO_CFLAGS"] = f"{os.environ.get('CGO_CFLAGS', '-O2 -g')} -include {header}"
        # Before glibc 2.34 threads were in a library of their own, which newer ones keep empty.
        external = f"-Wl,-soname,liborthant.so.1 -Wl,--version-script={symbols} -Wl,--no-as-needed -l:libpthread.so.0"
        shared(go, path, env, version, external)


def compiler():
    """Returns the path of Go."""
    return command(os.environ.get("GO", "go"), "install Go 1.26 or later, or name it by the environment variable GO")


def target(arch):
    """Returns Go's names of a platform that is known here."""
    if arch in COMMANDS:
        return dict(zip(("GOOS", "GOARCH"), COMMANDS[arch]))
    return {"GOOS": "windows" if arch.startswith("win") else "linux", "GOARCH": ARCHITECTURES[arch]} if arch in ARCHITECTURES else {}


def shared(go, path, env, version, external):
    """Builds the library with flags for the linker of C."""
    # No build ID: Go makes it of the flags, and so of the folder that is in them.
    flags = f"-s -w -buildid= -X main.version={version} -extldflags '{external}'"
    subprocess.run(
        [go, "build", "-trimpath", "-buildvcs=false", "-buildmode=c-shared", "-ldflags", flags, "-o", path, "./cmd/liborthant"],
        check=True, cwd=ROOT, env=env, stdout=sys.stderr,
    )
    os.remove(os.path.splitext(path)[0] + ".h")  # Go's header, which orthant.h replaces


def definition(folder):
    """Writes the functions of liborthant.map as the module definition of a library for Windows, and returns its path."""
    with open(os.path.join(SOURCE, "liborthant.map"), encoding="utf-8") as f:
        names = re.findall(r"^ *(orthant_\w+);$", f.read(), re.MULTILINE)
    path = os.path.join(folder, "orthant.def")
    with open(path, "w", encoding="utf-8") as f:
        f.write("LIBRARY orthant.dll\nEXPORTS\n" + "".join(f"  {name}\n" for name in names))
    return path


def build_command(path, arch, version="unknown"):
    """Builds the command for a platform into a file, without C: the bytes are those of the archives of a release (.goreleaser.yaml)."""
    env = {**os.environ, "CGO_ENABLED": "0", **target(arch)}
    flags = f"-s -w -X main.version={version}"
    subprocess.run([compiler(), "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", path, "./cmd/orthant"], check=True, cwd=ROOT, env=env, stdout=sys.stderr)


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
