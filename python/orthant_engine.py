"""Starts the command of this distribution: "orthant-engine", which "uvx orthant-engine" and "pipx run orthant-engine" call, is "orthant".

It needs neither NumPy nor the library.
"""

import os
import signal
import subprocess
import sys
import sysconfig


def find():
    """Returns the path of the command, which pip puts where it puts programs."""
    name = "orthant.exe" if os.name == "nt" else "orthant"
    folders = [os.path.dirname(os.path.realpath(sys.argv[0])), sysconfig.get_path("scripts")]  # that of this program, if it is one
    if os.name + "_user" in sysconfig.get_scheme_names():
        folders.append(sysconfig.get_path("scripts", os.name + "_user"))
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    raise SystemExit(f"orthant-engine: {name} is in none of {', '.join(folders)}. Install the package again: pip install --force-reinstall orthant-engine")


def main():
    command = [find(), *sys.argv[1:]]
    if os.name != "nt":
        os.execv(command[0], command)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the command gets it, too, and ends as it must
    sys.exit(subprocess.run(command).returncode)


if __name__ == "__main__":
    main()
