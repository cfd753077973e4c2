"""Builds the wheel and the source distribution, installs each in a fresh environment without a network, and uses it there.

    make test-wheel

The wheel for aarch64 is built and its library run under qemu where a compiler for it and qemu-user are installed.
Checks that cannot run are reported as skipped. NumPy is the system's.
"""

import glob
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile

import build_library
import build_sdist
import build_wheel

USE = """
import importlib.metadata, importlib.util, os, sys, numpy, orthant
assert os.path.dirname(orthant.__file__).startswith(os.environ["ENVIRONMENT"]), orthant.__file__
assert importlib.metadata.version("orthant-engine") == orthant.__version__
x = numpy.random.default_rng(1).normal(size=(300, 3))
y = orthant.embed(x, "lle", neighbors=10).embedding
assert y.shape == (300, 2) and numpy.isfinite(y).all()
want = numpy.linalg.svd(x - x.mean(axis=0))[1][:2] ** 2 / 299
assert numpy.allclose(orthant.embed(x, "pca").eigenvalues, want)
assert os.path.exists(os.path.join(os.path.dirname(orthant.__file__), "__init__.pyi"))
if importlib.util.find_spec("sklearn"):
    assert numpy.allclose(orthant.PCA().fit(x).eigenvalues_, want)
print("  imported from", os.path.dirname(orthant.__file__))
"""


def run(*command, **variables):
    done = subprocess.run(command, env={**os.environ, **variables}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tempfile.gettempdir())
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}")
    return done.stdout


def installed(what, given, folder, **variables):
    """Installs with pip in an environment of its own, and uses the package there."""
    print(f"{what}: {os.path.basename(given)}", flush=True)
    environment = os.path.join(folder, "environment of " + what.replace(" ", "-"))
    run(sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", environment)
    python = os.path.join(environment, "bin", "python")
    run(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--no-warn-script-location", given, **variables)
    clean = {"PYTHONPATH": "", "ENVIRONMENT": environment}
    print(run(python, "-W", "ignore", "-c", USE, **clean), end="", flush=True)
    command = os.path.join(environment, "bin", "orthant")
    if os.path.exists(command):
        said = run(command, "version")
        print("  " + said.strip(), flush=True)
        for other in ([os.path.join(environment, "bin", "orthant-engine")], [python, "-m", "orthant_engine"]):
            if run(*other, "version", **clean) != said:
                sys.exit(f"{other} is not the command")
    elif what == "wheel":
        sys.exit("the wheel holds no command")


def foreign(folder):
    """Builds the wheel for aarch64 and runs its library."""
    compiler, emulator = build_library.CROSS["aarch64"], shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
    if platform.machine() == "aarch64" or shutil.which(compiler) is None:
        print(f"LEFT OUT: the wheel for aarch64 ({compiler} is not there; Debian: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross)")
        return
    wheel = build_wheel.build(folder, arch="aarch64")
    print(f"wheel for aarch64: {os.path.basename(wheel)}", flush=True)
    if emulator is None:
        print("LEFT OUT: its library is not run (qemu-user is not installed)")
        return
    with zipfile.ZipFile(wheel) as z:
        z.extract("orthant/liborthant.so", folder)
    library, program = os.path.join(folder, "orthant"), os.path.join(folder, "embed")
    shutil.copy(os.path.join(library, "liborthant.so"), os.path.join(library, "liborthant.so.1")) # its soname
    example = os.path.join(build_library.ROOT, "examples", "c", "embed.c")
    run(compiler, "-I", build_library.SOURCE, "-o", program, example, os.path.join(library, "liborthant.so"), "-lm", f"-Wl,-rpath,{library}")
    root = run(compiler, "-print-sysroot").strip().rstrip("/")
    for root in (root, "/usr/aarch64-linux-gnu"):
        if root and glob.glob(os.path.join(root, "lib", "ld-linux-aarch64*")):
            break
    print("  " + run(emulator, "-L", root, "-E", f"LD_LIBRARY_PATH={library}", program, os.path.join(folder, "model")).strip().splitlines()[-1])


def windows(folder):
    """Builds the wheel for Windows, which no Python here can load, and sees that its library exports all functions that are called."""
    compiler = build_library.CROSS["win_amd64"]
    if shutil.which(compiler) is None:
        print(f"LEFT OUT: the wheel for Windows ({compiler} is not there; Debian: {build_library.PACKAGES['win_amd64']})")
        return
    wheel = build_wheel.build(folder, arch="win_amd64")
    with zipfile.ZipFile(wheel) as z:
        names = z.namelist()
        library = z.extract("orthant/orthant.dll", folder)
    exported = set(re.findall(r"\] (?:\+base\[ *\d+\] +[0-9a-f]+ )?(orthant_\w+)$", run("x86_64-w64-mingw32-objdump", "-p", library), re.MULTILINE))
    with open(os.path.join(build_library.HERE, "orthant", "_library.py"), encoding="utf-8") as f:
        called = set(re.findall(r'"(orthant_\w+)": ', f.read()))
    missing = called - exported
    if missing or not called or not any(name.endswith("/scripts/orthant.exe") for name in names):
        sys.exit(f"the wheel for Windows lacks {sorted(missing) or 'its command'}")
    print(f"wheel for Windows: {os.path.basename(wheel)}\n  not run: no Python for Windows (make test-windows runs the library by programs in C)", flush=True)


def commands(folder):
    """Builds the wheels that hold the command alone, and sees that it is of the right kind: without a dynamic loader on Linux, and for the right processor on macOS."""
    for arch in build_library.COMMANDS:
        wheel = build_wheel.build(folder, arch=arch)
        with zipfile.ZipFile(wheel) as z:
            libraries = [name for name in z.namelist() if name.endswith((".so", ".dll", ".dylib"))]
            (script,) = [name for name in z.namelist() if "/scripts/" in name]
            path = z.extract(script, folder)
        with open(path, "rb") as f:
            data = f.read()
        if arch.startswith("macosx"):
            sound = data[:4] == b"\xcf\xfa\xed\xfe" and struct.unpack_from("<I", data, 4)[0] == {"macosx_x86_64": 0x1000007, "macosx_arm64": 0x100000C}[arch]
        else:  # the type of each segment, of which 3 names a loader, and 2 what it loads
            first, (size, number) = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<HH", data, 54)
            sound = data[:4] == b"\x7fELF" and not {2, 3} & {struct.unpack_from("<I", data, first + i * size)[0] for i in range(number)}
        if libraries or not sound:
            sys.exit(f"{os.path.basename(wheel)} holds {libraries or 'a command of another kind'}")
        print(f"wheel with the command alone: {os.path.basename(wheel)}", flush=True)
        if arch == f"musllinux_{platform.machine()}":
            os.chmod(path, 0o755)
            print("  " + run(path, "version").strip(), flush=True)


def main():
    if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode != 0:
        print("LEFT OUT: the packages (no pip; Debian: python3-pip)")
        return
    with tempfile.TemporaryDirectory() as folder:
        wheel = build_wheel.build(folder)
        installed("wheel", wheel, folder)
        if platform.machine() in build_library.ARCHITECTURES and "manylinux_2_17_" not in os.path.basename(wheel):
            sys.exit("the wheel needs more than glibc 2.17")
        installed("source distribution", build_sdist.build(folder), folder, GOPROXY="off", GOFLAGS="-mod=vendor")
        installed("source tree", build_library.HERE, folder)
        foreign(folder)
        windows(folder)
        commands(folder)
    print("packages are sound")


if __name__ == "__main__":
    main()
