# install.sh PYTHON SOURCE BUILD WORK: pip builds the package against the installed library, without network, and it works from
# where it was installed. Skipped where pip, setuptools or wheel are missing.
set -euo pipefail
python=$1 source=$2 build=$3 work=$4
"$python" -c 'import setuptools, wheel, pip' 2>/dev/null || { echo 'python3-pip, python3-setuptools or python3-wheel is missing'; exit 77; }
rm -rf "$work"
mkdir -p "$work"
cmake --install "$build" --prefix "$work/prefix" >/dev/null
cp -r "$source/python" "$work/sources" # pip writes beside what it builds
cd "$work"
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name asperity.pc)") PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore \
  "$python" -m pip install --quiet --no-build-isolation --no-index --no-deps --target "$work/site" ./sources
ls site/asperity/_native.abi3.so site/asperity/py.typed
PYTHONPATH=$work/site "$python" - "$source/scenes/sphere-slides-then-rolls.json" <<'END'
import sys

import asperity

assert "/install/site/" in asperity.__file__, asperity.__file__
world = asperity.World(asperity.Model.from_file(sys.argv[1]))
print(asperity.__version__, world.run())
END
