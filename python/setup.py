"""pip install . : builds the extension module against the installed library, which pkg-config finds, or against a build
folder of the sources, ASPERITY_BUILD=../build/release. No network is needed with --no-build-isolation."""

import os
import sys

from setuptools import setup

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from build_native import library  # noqa: E402

setup(
    version=library()["version"],
    cffi_modules=["build_native.py:installed"],
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
