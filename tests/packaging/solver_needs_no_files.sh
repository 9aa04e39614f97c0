# solver_needs_no_files.sh SOURCE BUILD WORK: a program against asperity-solver loads no library for files or ordinary
# differential equations: of its own the solver needs AMD, OpenMP's runtime and the C library alone.
set -euo pipefail
source=$1 build=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$work"
cmake --install "$build" --prefix "$work/prefix" >install.log
library=$(find "$work/prefix" -name libasperity-solver.so)
PKG_CONFIG_PATH=$(dirname "$library")/pkgconfig
LD_LIBRARY_PATH=$(dirname "$library")
export PKG_CONFIG_PATH LD_LIBRARY_PATH

# shellcheck disable=SC2046 # a list of flags
"$CC" -std=c17 "$source/examples/embed-the-solver.c" $(pkg-config --cflags --libs asperity-solver) -lm -o embedder
./embedder | diff "$source/examples/embed-the-solver.out" -

for needed in $(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p'); do
  case $needed in
  libamd.so.* | libgomp.so.* | libomp*.so* | libm.so.* | libc.so.* | ld-linux*) ;;
  *) echo "libasperity-solver.so needs $needed"; exit 1 ;;
  esac
done
ldd embedder | tee loaded.txt
if grep -iE 'hdf5|cjson|expat|sundials|cvode|libz\.|mpi|libasperity\.so' loaded.txt; then
  echo "the embedder loads more than the solver needs"
  exit 1
fi
