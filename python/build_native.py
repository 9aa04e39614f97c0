"""Makes the source of the extension module asperity._native with cffi.

The declarations are those of the library's public headers, read by the C preprocessor: there is no second list to keep.
Called by CMake (python3 build_native.py INCLUDE OUT.c [CC]) and by setup.py (the function `installed`)."""

import os
import re
import shlex
import subprocess
import sys
import tempfile

import cffi

HERE = os.path.dirname(os.path.abspath(__file__))
CALLBACKS = """
extern "Python" int aspy_python_poll(void);
extern "Python" AspError aspy_python_before(void *handle);
extern "Python" AspError aspy_python_after(void *handle);
extern "Python" void aspy_python_progress(void *handle, int iteration, const char *method, double residual);
extern "Python" void aspy_python_share(void *handle, double done, const char *text);
extern "Python" void aspy_python_fact(void *handle, const AspFact *fact);
"""


def declarations(include, compiler):
    """The public headers after the preprocessor, without those of the C library and without attributes."""
    with tempfile.TemporaryDirectory() as empty:
        for name in ("stdarg", "stdbool", "stddef", "stdint"):
            open(os.path.join(empty, name + ".h"), "w").close()
        command = shlex.split(compiler) + ["-E", "-P", "-U__GNUC__", "-nostdinc", "-I", empty, "-I", include, "-x", "c", "-"]
        done = subprocess.run(command, input='#include "asperity/asperity.h"\n', capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"build_native.py: {' '.join(command)} failed:\n{done.stderr}")
    return re.sub(r"const (\w+) ?\(\*", r"\1 (*", done.stdout)  # cffi writes pointers to const arrays wrongly


def read(name):
    with open(os.path.join(HERE, "asperity", name), encoding="utf-8") as file:
        return file.read()


def builder(include, compiler="cc", **keywords):
    ffi = cffi.FFI()
    ffi.cdef(declarations(include, compiler) + read("native.h") + CALLBACKS)
    source = '#include "asperity/asperity.h"\n' + read("native.h") + read("native.c")
    ffi.set_source("asperity._native", source, **keywords)
    return ffi


def ask(*arguments):
    done = subprocess.run(["pkg-config", *arguments, "asperity"], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(
            "asperity: the C library is not installed where pkg-config looks.\nInstall it (cmake --install build/release), "
            "set PKG_CONFIG_PATH, or build against a build folder: ASPERITY_BUILD=../build/release pip install ...\n" + done.stderr
        )
    return done.stdout.strip()


def library():
    """Where the library is: version, include folder, the viewer's page, keywords for the compiler."""
    build = os.environ.get("ASPERITY_BUILD")
    if build:
        build = os.path.abspath(build)
        page = os.path.join(build, "web", "page", "index.html")
        include, folders = os.path.join(os.path.dirname(HERE), "include"), [build]
        with open(os.path.join(include, "asperity", "version.h"), encoding="utf-8") as file:
            version = ".".join(re.findall(r"ASP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", file.read()))
    else:
        include = ask("--variable=includedir")
        version = ask("--modversion")
        folders = [ask("--variable=libdir")]
        page = os.path.join(ask("--variable=prefix"), "share", "asperity", "viewer.html")
    # where the module looks for the libraries at run time; "" leaves it to the system, $ORIGIN is the module's folder
    foreign = [folder for folder in folders if not folder.startswith(("/usr/lib", "/lib"))]
    if "ASPERITY_RPATH" in os.environ:
        foreign = [folder for folder in os.environ["ASPERITY_RPATH"].split(":") if folder]
    return {
        "version": version,
        "include": include,
        "page": page,
        "keywords": {
            "include_dirs": [include],
            "library_dirs": folders,
            "libraries": ["asperity", "asperity-solver"],
            "runtime_library_dirs": foreign,
            "define_macros": [("_GNU_SOURCE", None)],
            "extra_compile_args": ["-O1", "-fno-strict-aliasing", "-w", "-Wno-incompatible-pointer-types"],
            "py_limited_api": True,
        },
    }


def installed():
    """What setup.py compiles."""
    found = library()
    return builder(found["include"], os.environ.get("CC", "cc"), **found["keywords"])


if __name__ == "__main__":
    builder(sys.argv[1], *sys.argv[3:4]).emit_c_code(sys.argv[2])
