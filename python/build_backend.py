"""What pip asks of a source tree (PEP 517): a wheel, or a source distribution. Nothing is needed but Go and a C compiler."""

import os

import build_sdist as sdist
import build_wheel as wheel


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return os.path.basename(wheel.build(wheel_directory))


def build_sdist(sdist_directory, config_settings=None):
    return os.path.basename(sdist.build(sdist_directory))
