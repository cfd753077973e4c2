"""Packs the package with its library into a wheel, with the standard library and Go alone.

    make wheel                                                    # python/dist
    python3 python/build_wheel.py [--arch aarch64] [--library FILE] [--command FILE] [DIRECTORY]
    python3 python/build_wheel.py --arch all [DIRECTORY]

It holds the command, too, which pip puts where programs are found: "orthant". "orthant-engine", which is the name of the distribution, starts it. The library is called by ctypes, so that one
wheel serves every Python 3. Its tag names the oldest C library that it can be linked with, by the symbol versions that it needs. Wheels for musl, which cannot load libraries of Go, and for macOS
hold the command alone, and the package works by it.
"""

import argparse
import base64
import hashlib
import os
import platform
import re
import struct
import sys
import tempfile
import zipfile

import build_estimators
import build_library

HERE = os.path.dirname(os.path.abspath(__file__))

# The name "orthant" belongs to another project on the package index; the imported module is orthant all the same.
DISTRIBUTION = "orthant-engine"

METADATA = """\
Metadata-Version: 2.1
Name: {name}
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
(orthant.LLE, NEML, LaplacianEigenmaps, GNMF ...) over one compiled library. It is imported as "orthant".
"""


def version():
    """Returns the version of the package."""
    with open(os.path.join(HERE, "orthant", "_version.py"), encoding="utf-8") as f:
        return re.search('"(.*)"', f.read()).group(1)


def metadata():
    """Returns the METADATA of a wheel, which is the PKG-INFO of a source distribution."""
    return METADATA.format(name=DISTRIBUTION, version=version()).encode()


def glibc(library):
    """Returns the oldest version of glibc that a library (its bytes) can be linked with, None where it asks for none."""
    versions = {(int(a), int(b)) for a, b in re.findall(rb"GLIBC_(\d+)\.(\d+)", library)}
    return max(versions) if versions else None


def macos(command):
    """Returns the oldest macOS for which a command (its bytes) was linked, as its load command LC_BUILD_VERSION says."""
    commands, at = struct.unpack_from("<I", command, 16)[0], 32
    for _ in range(commands):
        kind, size, _, oldest = struct.unpack_from("<4I", command, at)
        if kind == 0x32:
            return oldest >> 16, oldest >> 8 & 255
        at += size
    raise ValueError("the command for macOS does not say which version it needs")


def platform_tag(library, arch, command=None):
    """Returns the platforms of a library, such as manylinux_2_34_x86_64, or of a command alone; 2.17 has two names, of which older pips know the second alone."""
    if arch.startswith("win"):
        return arch
    system, _, machine = arch.partition("_")
    if system == "musllinux":
        return f"musllinux_1_1_{machine}"  # the oldest that there is: a static command needs none
    if system == "macosx":
        return "macosx_{}_{}_{}".format(*macos(command), machine)
    if not sys.platform.startswith("linux"):
        raise SystemExit("wheels are built on Linux alone")
    oldest = glibc(library)
    if oldest is None:
        return f"linux_{arch}"
    if oldest <= (2, 17):
        return f"manylinux_2_17_{arch}.manylinux2014_{arch}"
    return f"manylinux_{oldest[0]}_{oldest[1]}_{arch}"


def contents(library, made, arch, command=None):
    """Returns the files of the wheel, {name: bytes}, but for the record of them, and the names of its folder and of itself. The library or the command may be None."""
    package = os.path.join(HERE, "orthant")
    files = {}
    for folder in ("", "accel"):
        for name in sorted(os.listdir(os.path.join(package, folder))):
            if name.endswith((".py", ".typed")) and name not in build_estimators.FILES:
                with open(os.path.join(package, folder, name), "rb") as f:
                    files["/".join(filter(None, ("orthant", folder, name)))] = f.read()
    files.update((f"orthant/{name}", text.encode()) for name, text in made.items())
    windows = arch.startswith("win")
    if library is not None:
        files["orthant/orthant.dll" if windows else "orthant/liborthant.so"] = library
    name = f"{DISTRIBUTION.replace('-', '_')}-{version()}"
    info = f"{name}.dist-info/"
    if command is not None:  # it is made of more modules than the library
        files[info + "third-party-licences.txt"] = read(os.path.join(build_library.ROOT, "docs", "third-party-licences.txt"))
        files[f"{name}.data/scripts/orthant{'.exe' if windows else ''}"] = command
        files["orthant_engine.py"] = read(os.path.join(HERE, "orthant_engine.py"))
        files[info + "entry_points.txt"] = b"[console_scripts]\northant-engine = orthant_engine:main\n"
    with open(os.path.join(build_library.ROOT, "LICENSE"), "rb") as f:
        files[info + "LICENSE"] = f.read()
    platforms = platform_tag(library, arch, command)
    tags = "".join(f"Tag: py3-none-{one}\n" for one in platforms.split("."))
    files[info + "METADATA"] = metadata()
    files[info + "WHEEL"] = f"Wheel-Version: 1.0\nGenerator: orthant\nRoot-Is-Purelib: false\n{tags}".encode()
    return files, info, f"{name}-py3-none-{platforms}.whl"


def read(path):
    """Returns the bytes of a file; None of none."""
    if path is None:
        return None
    with open(path, "rb") as f:
        return f.read()


def build(directory, library=None, arch=None, command=None, here=None):
    """Writes the wheel, the same bytes for the same files, and returns its path.

    The library and the command are built, or read from files; a wheel of a given library has no other command than a given one. here is a library for this machine, if one is there.
    """
    arch = arch or platform.machine()
    if library is not None and not os.path.exists(library):
        raise SystemExit(f"there is no {library}: run 'make python' first, or leave --library out")
    with tempfile.TemporaryDirectory() as folder:
        number = os.environ.get("VERSION") or version()
        if library is None:
            if arch not in build_library.COMMANDS:
                library = os.path.join(folder, "liborthant.so")
                build_library.build(library, arch, number)
            if command is None and os.path.isdir(os.path.join(build_library.ROOT, "cmd", "orthant")):  # not of a source distribution
                command = os.path.join(folder, "orthant")
                build_library.build_command(command, arch, number)
        files, info, name = contents(read(library), build_estimators.made(here or runnable(folder, library, arch)), arch, read(command))
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
            # A regular file (0o100000): pip makes no script of another kind executable.
            entry.external_attr = (0o100755 if file.endswith((".so", ".dll")) or "/scripts/" in file else 0o100644) << 16
            z.writestr(entry, data)
    os.replace(path + ".part", path)
    return path


def runnable(folder, library, arch):
    """Returns a library of this machine, which is asked for the methods; CC may compile for another."""
    if arch == platform.machine():
        return os.path.abspath(library)
    path = os.path.join(folder, "here.so")
    build_library.build(path, None, os.environ.get("VERSION") or version(), {name: value for name, value in os.environ.items() if name != "CC"})
    return path


def main():
    parser = argparse.ArgumentParser(description="Packs a wheel.")
    parser.add_argument("directory", nargs="?", default=os.path.join(HERE, "dist"))
    every = [*build_library.ARCHITECTURES, *build_library.COMMANDS]
    parser.add_argument("--arch", choices=[*every, "all"], help="the platform (this machine's)")
    parser.add_argument("--library", help="a library that is there, in place of one that is built")
    parser.add_argument("--command", help="a command that is there, in place of one that is built")
    given = parser.parse_args()
    if given.arch != "all":
        print(build(given.directory, given.library, given.arch, given.command))
        return
    with tempfile.TemporaryDirectory() as folder:
        here = runnable(folder, None, None)
        for arch in every:
            try:
                print(build(given.directory, arch=arch, here=here), flush=True)
            except SystemExit as why:  # a compiler is not there
                print(f"LEFT OUT: the wheel for {arch} ({why})", flush=True)


if __name__ == "__main__":
    main()
