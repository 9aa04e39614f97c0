# exported_names.sh SOURCE BUILD WORK: what the shared libraries export is what the public headers declare, both ways:
# base to solver in libasperity-solver.so, the rest in libasperity.so, no name in both. Soname: major.minor.
set -euo pipefail
source=$1 build=$2 work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$work"

# names HEADER...: functions and tables that the headers declare (comments and macros are gone after the preprocessor)
names() {
  local header
  for header in "$@"; do printf '#include "asperity/%s"\n' "$header"; done >headers.c
  "$CC" -E -P -I"$source/include" headers.c | grep -oE '\basp_[a-z0-9_]+' | sort -u
}
exported() { nm -D --defined-only "$1" | awk '{ print $3 }' | sort -u; }

names solver.h options.h >solver.declared
names asperity.h | comm -23 - solver.declared >asperity.declared
exported "$build/libasperity-solver.so" >solver.exported
exported "$build/libasperity.so" >asperity.exported
for library in solver asperity; do
  diff "$library.declared" "$library.exported" || { echo "$library: < is declared only, > is exported only"; exit 1; }
  echo "$library: $(wc -l <"$library.exported") names exported, all declared"
done
version=$(sed -n 's/^#define ASP_VERSION_M[A-Z]* //p' "$source/include/asperity/version.h" | paste -sd .)
for library in libasperity libasperity-solver; do
  grep -q "SONAME.*\[$library.so.$version\]" <<<"$(readelf -d "$build/$library.so")" || { echo "$library: soname"; exit 1; }
done
