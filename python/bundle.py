"""bundle.py WHEEL OUT: a wheel that brings the libraries it needs, for systems that do not have them.

Every shared library that the module needs, and that is not part of every Linux system (`SYSTEM`), is copied into asperity.libs/
with a part of its hash in the name, so that it meets no other copy in one process; names and search paths ($ORIGIN) are
rewritten by patchelf. The tag manylinux_2_N of the result is the newest version of glibc's symbols that any of the files
needs. Ends with an error where a needed library is not found, and prints what was bundled."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

# libraries of glibc and gcc's support library, which every Linux system with a Python has
SYSTEM = re.compile(r"^(ld-linux.*|lib(c|m|dl|rt|pthread|util|resolv|gcc_s))\.so(\.\d+)*$")


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"bundle.py: {' '.join(words)} failed:\n{done.stderr}")
    return done.stdout


def needed(path):
    """The names that the file asks the loader for."""
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-dW", path))


def found(path):
    """name -> path of all libraries below the file, as the loader finds them here."""
    lines = run("ldd", path)
    missing = re.findall(r"(\S+) => not found", lines)
    if missing:
        raise SystemExit(f"bundle.py: {path} needs {', '.join(missing)}, not found here")
    return dict(re.findall(r"(\S+) => (/\S+)", lines))


def newest_glibc(paths):
    versions = [(0, 0)]
    for path in paths:
        versions += [tuple(map(int, v.split("."))) for v in re.findall(r"GLIBC_(\d+\.\d+)", run("objdump", "-T", path))]
    return max(versions)


def copy_libraries(module, folder):
    """Copies of all libraries that the module needs, under names of their own; returns old name -> new name."""
    os.makedirs(folder)
    names = {}
    for name, path in found(module).items():
        if SYSTEM.match(name):
            continue
        with open(path, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()[:8]
        stem, rest = name.split(".so", 1)
        names[name] = f"{stem}-{digest}.so{rest}"
        shutil.copyfile(path, os.path.join(folder, names[name]))
        os.chmod(os.path.join(folder, names[name]), 0o755)
    return names


def rename(path, names, search):
    for name in needed(path):  # one change a call: patchelf may lose some of several
        if name in names:
            run("patchelf", "--replace-needed", name, names[name], path)
    run("patchelf", "--force-rpath", "--set-rpath", search, path)


def set_tag(root, tag):
    """The tag in WHEEL, from which `wheel pack` makes the file's name."""
    (info,) = [name for name in os.listdir(root) if name.endswith(".dist-info")]
    path = os.path.join(root, info, "WHEEL")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(re.sub(r"linux_(\w+)", rf"{tag}_\1", text))


def main(wheel, out):
    with tempfile.TemporaryDirectory() as root:
        zipfile.ZipFile(wheel).extractall(root)
        module = os.path.join(root, "asperity", "_native.abi3.so")
        folder = os.path.join(root, "asperity.libs")
        names = copy_libraries(module, folder)
        rename(module, names, "$ORIGIN/../asperity.libs")
        bundled = [os.path.join(folder, name) for name in names.values()]
        for old, new in names.items():
            path = os.path.join(folder, new)
            rename(path, names, "$ORIGIN")
            run("patchelf", "--set-soname", new, path)
        for path in [module, *bundled]:
            strange = [name for name in needed(path) if not SYSTEM.match(name) and name not in names.values()]
            if strange:
                raise SystemExit(f"bundle.py: {os.path.basename(path)} still needs {', '.join(strange)}")
        major, minor = newest_glibc([module, *bundled])
        set_tag(root, f"manylinux_{major}_{minor}")
        run(sys.executable, "-m", "wheel", "pack", "--dest-dir", out, root)
        print(f"bundled {len(bundled)} libraries; newest symbols: GLIBC_{major}.{minor}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
