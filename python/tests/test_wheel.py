"""The wheel: its record, and that it works where it is unpacked."""

import base64
import hashlib
import os
import re
import stat
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
from unittest import mock

import orthant
from orthant import _library

PYTHON = os.path.dirname(os.path.dirname(os.path.abspath(orthant.__file__)))


@unittest.skipUnless(os.path.exists(os.path.join(PYTHON, "build_wheel.py")), "an installed package builds no wheel")
@unittest.skipIf(os.environ.get("ORTHANT_WORKER") == "1", "the library is not loaded")
@unittest.skipUnless(sys.platform.startswith("linux"), "wheels are built on Linux alone")
class Wheel(unittest.TestCase):
    def test_wheel(self):
        with tempfile.TemporaryDirectory() as folder:
            build = [sys.executable, os.path.join(PYTHON, "build_wheel.py"), "--library", _library.library()._name, folder]
            path = subprocess.run(build, check=True, capture_output=True, text=True).stdout.strip()
            self.assertRegex(os.path.basename(path), r"^orthant_engine-[0-9.]+-py3-none-(many)?linux[0-9a-z_.]+\.whl$")
            with open(path, "rb") as f:
                first = f.read()
            subprocess.run(build, check=True, capture_output=True)
            with open(path, "rb") as f:
                self.assertEqual(f.read(), first, "another build has other bytes")
            with zipfile.ZipFile(path) as z:
                self.assertIsNone(z.testzip())
                about = z.read(next(n for n in z.namelist() if n.endswith("METADATA"))).decode()
                self.assertIn("\nName: orthant-engine\n", about)
                tags = re.findall("^Tag: (.*)$", z.read(next(n for n in z.namelist() if n.endswith("/WHEEL"))).decode(), re.M)
                names = os.path.basename(path)[: -len(".whl")].split("-", 2)[2].split("-")
                self.assertEqual(tags, ["-".join([*names[:2], one]) for one in names[2].split(".")])
                record = next(n for n in z.namelist() if n.endswith("RECORD"))
                listed = [line.rsplit(",", 2) for line in z.read(record).decode().splitlines()]
                self.assertEqual([name for name, _, _ in listed], z.namelist())
                for name, digest, size in listed[:-1]:
                    data = z.read(name)
                    want = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                    self.assertEqual((digest, int(size)), ("sha256=" + want, len(data)), name)
                for name in ("estimators.py", "__init__.pyi"):
                    with open(os.path.join(PYTHON, "orthant", name), "rb") as f:
                        self.assertEqual(z.read(f"orthant/{name}"), f.read())
                z.extractall(os.path.join(folder, "site"))
            script = "import orthant, numpy; print(orthant.__file__, orthant.embed(numpy.eye(6), 'pca').embedding.shape)"
            env = {**os.environ, "PYTHONPATH": os.path.join(folder, "site")}
            out = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True, env=env, cwd=folder).stdout
            self.assertTrue(out.startswith(os.path.join(folder, "site")) and out.endswith("(6, 2)\n"), out)

    def test_command(self):
        """pip makes the command executable, and orthant-engine starts it."""
        with tempfile.TemporaryDirectory() as folder:
            command, programs = os.path.join(folder, "command"), os.path.join(folder, "bin")
            with open(command, "w", encoding="utf-8") as f:
                f.write('#!/bin/sh\necho "$# $2"\nexit 3\n')
            build = [sys.executable, os.path.join(PYTHON, "build_wheel.py"), "--library", _library.library()._name, "--command", command, folder]
            path = subprocess.run(build, check=True, capture_output=True, text=True).stdout.strip()
            with zipfile.ZipFile(path) as z:
                (script,) = [one for one in z.infolist() if one.filename.endswith(".data/scripts/orthant")]
                self.assertTrue(stat.S_ISREG(script.external_attr >> 16) and script.external_attr >> 16 & 0o111 == 0o111, oct(script.external_attr >> 16))
                entry = z.read(next(n for n in z.namelist() if n.endswith("/entry_points.txt"))).decode()
                self.assertEqual(entry, "[console_scripts]\northant-engine = orthant_engine:main\n")
                z.extract("orthant_engine.py", folder)
            os.mkdir(programs)
            engine = os.path.join(programs, "orthant-engine")
            with open(engine, "w", encoding="utf-8") as f:
                f.write("from orthant_engine import main\nmain()\n")
            run = [sys.executable, engine, "version", "a file"]
            env = {**os.environ, "PYTHONPATH": folder, "PATH": ""}
            done = subprocess.run(run, capture_output=True, text=True, env=env, cwd=folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn("pip install --force-reinstall orthant-engine", done.stderr)
            os.chmod(command, 0o755)
            os.rename(command, os.path.join(programs, "orthant"))
            done = subprocess.run(run, capture_output=True, text=True, env=env, cwd=folder)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "2 a file\n", ""))

    def test_tag_is_the_oldest_system(self):
        with mock.patch.object(sys, "path", [PYTHON, *sys.path]):
            import build_wheel
        self.assertEqual(build_wheel.platform_tag(b"GLIBC_2.2.5 GLIBC_2.34 GLIBC_2.9", "x86_64"), "manylinux_2_34_x86_64")
        self.assertEqual(build_wheel.platform_tag(b"GLIBC_2.2.5 GLIBC_2.14", "x86_64"), "manylinux_2_17_x86_64.manylinux2014_x86_64")
        self.assertEqual(build_wheel.platform_tag(b"GLIBC_2.17", "aarch64"), "manylinux_2_17_aarch64.manylinux2014_aarch64")
        self.assertEqual(build_wheel.platform_tag(b"", "x86_64"), "linux_x86_64")
        self.assertEqual(build_wheel.platform_tag(b"", "win_amd64"), "win_amd64")
        self.assertEqual(build_wheel.platform_tag(None, "musllinux_aarch64", b"ELF"), "musllinux_1_1_aarch64")
        other, oldest = struct.pack("<2I16x", 0x19, 24), struct.pack("<6I", 0x32, 24, 1, 12 << 16 | 3 << 8, 0, 0)
        header = struct.pack("<5I12x", 0xFEEDFACF, 0x100000C, 0, 2, 2)
        self.assertEqual(build_wheel.platform_tag(None, "macosx_arm64", header + other + oldest), "macosx_12_3_arm64")


if __name__ == "__main__":
    unittest.main()
