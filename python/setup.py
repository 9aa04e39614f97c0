"""pip install . : builds the extension module against the installed library, which pkg-config finds, or against a build
folder of the sources, ASPERITY_BUILD=../build/release. No network is needed with --no-build-isolation."""

import os
import shutil
import sys

from setuptools import setup

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from build_native import HERE, library  # noqa: E402

page = library()["page"]
if os.path.exists(page):  # of Result.page()
    shutil.copyfile(page, os.path.join(HERE, "asperity", "viewer.html"))

setup(
    version=library()["version"],
    cffi_modules=["build_native.py:installed"],
    options={"bdist_wheel": {"py_limited_api": "cp39"}},
)
