# check.sh BUILD WORK: installs the library of the folder BUILD below WORK and uses it as a stranger would: by find_package
# and by pkg-config, from C and from C++. Each program must print what getting-started.out holds.
set -euo pipefail
build=$1 work=$2
examples=$(cd "$(dirname "$0")/.." && pwd)
rm -rf "$work"
mkdir -p "$work"
cd "$work"

cmake --install "$build" --prefix "$work/prefix" >install.log
cp "$examples/getting-started.c" from-c.c
cp "$examples/getting-started.c" from-cpp.cpp
pkg_config_path=$(dirname "$(find "$work/prefix" -name asperity.pc)")
library_path=$(dirname "$(find "$work/prefix" -name libasperity.so)")

for source in from-c.c from-cpp.cpp; do
  cmake -G Ninja -S "$examples/consumer" -B "by-cmake-$source" -DSOURCE="$work/$source" -DCMAKE_PREFIX_PATH="$work/prefix" \
    -DCMAKE_C_FLAGS='-Wall -Wextra -Wpedantic -Werror' -DCMAKE_CXX_FLAGS='-Wall -Wextra -Wpedantic -Werror' >cmake.log
  cmake --build "by-cmake-$source" >>cmake.log
  "by-cmake-$source/consumer" | diff "$examples/getting-started.out" -
  echo "find_package, $source: as expected"
done

flags=$(PKG_CONFIG_PATH=$pkg_config_path pkg-config --cflags --libs asperity)
# shellcheck disable=SC2086 # a list of flags
{
  gcc -std=c17 -Wall -Wextra -Wpedantic -Werror from-c.c $flags -o by-pkg-config-c
  g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror from-cpp.cpp $flags -o by-pkg-config-cpp
}
for program in by-pkg-config-c by-pkg-config-cpp; do
  LD_LIBRARY_PATH=$library_path "./$program" | diff "$examples/getting-started.out" -
  echo "$program: as expected"
done
"$work/prefix/bin/asperity" --version
