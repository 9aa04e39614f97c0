# check.sh WORK [BUILD]: uses the installed libraries as a stranger would, in the folder WORK: by find_package and by pkg-config,
# shared and static, all of it and the solver alone, from C and from C++. Each program must print what NAME.out holds. With
# BUILD the libraries of that folder are installed below WORK first; without, they are those of the system.
set -euo pipefail
work=$1 build=${2:-}
examples=$(cd "$(dirname "$0")/.." && pwd)
rm -rf "$work"
mkdir -p "$work"
cd "$work"

library_path=
if [ -n "$build" ]; then
  cmake --install "$build" --prefix "$work/prefix" >install.log
  PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name asperity.pc)")
  library_path=$(dirname "$(find "$work/prefix" -name libasperity.so)")
  CMAKE_PREFIX_PATH=$work/prefix
  PATH=$work/prefix/bin:$PATH
  export PKG_CONFIG_PATH CMAKE_PREFIX_PATH
fi

by_cmake() { # example, language, target, components
  local folder=cmake-$1-$2-${3#*::}
  cp "$examples/$1.c" "$folder.$2"
  cmake -G Ninja -S "$examples/consumer" -B "$folder" -DSOURCE="$work/$folder.$2" -DLIBRARY="$3" -DCOMPONENTS="${4:-}" \
    -DCMAKE_C_FLAGS='-Wall -Wextra -Wpedantic -Werror' \
    -DCMAKE_CXX_FLAGS='-Wall -Wextra -Wpedantic -Werror' >cmake.log
  cmake --build "$folder" >>cmake.log
  "$folder/consumer" | diff "$examples/$1.out" -
  echo "find_package, $3, $2: as expected"
}
by_cmake getting-started c asperity::asperity
by_cmake getting-started cpp asperity::asperity
by_cmake getting-started c asperity::asperity_static static
by_cmake embed-the-solver c asperity::solver
by_cmake embed-the-solver c asperity::solver_static static

by_pkg_config() { # example, language and its compiler, package, more flags of pkg-config
  local program=pc-$1-$2-$4${5:-} flags compile
  cp "$examples/$1.c" "$program.$2"
  # shellcheck disable=SC2086 # a flag or none
  flags=$(pkg-config --cflags --libs ${5:-} "$4")
  # with the archives in place of the shared libraries, which have the same names
  [ -z "${5:-}" ] || flags=$(sed -E 's/-l(asperity[a-z-]*)/-l:lib\1.a/g' <<<"$flags")
  read -ra compile <<<"$3 -Wall -Wextra -Wpedantic -Werror $program.$2 $flags -lm"
  "${compile[@]}" -o "$program"
  LD_LIBRARY_PATH=$library_path "./$program" | diff "$examples/$1.out" -
  echo "pkg-config ${5:-}, $4, $2: as expected"
}
by_pkg_config getting-started c 'gcc -std=c17' asperity
by_pkg_config getting-started cpp 'g++ -std=c++17' asperity
by_pkg_config getting-started c 'gcc -std=c17' asperity --static
by_pkg_config embed-the-solver c 'gcc -std=c17' asperity-solver
by_pkg_config embed-the-solver c 'gcc -std=c17' asperity-solver --static
[ -z "$build" ] || asperity --version
