# windows_compiles SOURCE BINARY WORK: every file of the solver library (base, linalg, problem, solver) compiles for Windows, so that nothing in
# it needs POSIX. Checked by MinGW where it is installed (gcc-mingw-w64-x86-64-posix); the headers of AMD are the host's.
set -euo pipefail
source=$1 binary=$2 work=$3
cc=x86_64-w64-mingw32-gcc-posix
if ! command -v $cc >/dev/null; then
  echo "skipped: no $cc (Debian: gcc-mingw-w64-x86-64-posix)"
  exit 77
fi
rm -rf "$work"
mkdir -p "$work"
# the host's headers of the libraries alone: its C library must not be seen
for name in amd.h SuiteSparse_config.h; do
  file=$(find /usr/include -name "$name" | sort | head -n 1)
  [ -z "$file" ] || cp "$file" "$work/$name"
done
bad=0
for layer in base linalg problem solver; do
  for file in "$source/src/$layer"/*.c; do
    $cc -std=c17 -fsyntax-only -fopenmp -mavx2 -I"$binary/visible/$layer" -I"$work" "$file" >"$work/log" 2>&1 || {
      echo "$file does not compile for Windows:"
      head -n 5 "$work/log"
      bad=1
    }
  done
done
exit $bad
