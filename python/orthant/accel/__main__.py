"""Runs a program with the classes of scikit-learn, umap-learn, openTSNE, PaCMAP, pynndescent and hdbscan on this engine.

    python -m orthant.accel [--provide] script.py [argument ...]
    python -m orthant.accel [--provide] -m module [argument ...]

--provide also gives the program a module umap, openTSNE, pacmap, pynndescent or hdbscan if that library is not installed.
"""

import os
import runpy
import sys

from . import patch


def main(arguments):
    """Runs the script or module that the arguments name, as python itself does."""
    provide = arguments[:1] == ["--provide"]
    arguments = arguments[1:] if provide else arguments
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if arguments else 2
    os.environ.setdefault("ORTHANT_ACCEL", "1")  # so that processes it starts are patched as soon as they import orthant
    patch(provide=provide)
    if arguments[0] == "-m":
        if len(arguments) < 2:
            print("orthant.accel: -m needs the name of a module", file=sys.stderr)
            return 2
        sys.argv = arguments[1:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
        runpy.run_path(arguments[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
