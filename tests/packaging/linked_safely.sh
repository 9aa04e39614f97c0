# linked_safely.sh SOURCE BUILD WORK: program and libraries, as built and as installed, name no folder to load libraries
# from, so that a library planted in the current folder is not loaded; they are linked with the hardening that
# cmake/Hardening.cmake promises.
set -euo pipefail
build=$2 work=$3
rm -rf "$work"
mkdir -p "$work/here"
cd "$work"
cmake --install "$build" --prefix "$work/prefix" >install.log

mapfile -t files < <(
  find "$build/cli" -maxdepth 1 -name asperity -type f
  find "$build" -maxdepth 1 -name 'libasperity*.so.*' -type f
  find "$work/prefix" -type f \( -path '*/bin/*' -o -name '*.so.*' \)
)
[ ${#files[@]} -ge 4 ] || { echo "found only: ${files[*]}"; exit 1; }
for file in "${files[@]}"; do
  dynamic=$(readelf --dynamic --wide "$file")
  if grep -E 'RPATH|RUNPATH' <<<"$dynamic"; then
    echo "$file names folders to load libraries from"
    exit 1
  fi
  [ "$HARDENING" = ON ] || continue
  grep -q 'BIND_NOW' <<<"$dynamic" || { echo "$file: not bound at start (BIND_NOW)"; exit 1; }
  headers=$(readelf --program-headers --wide "$file")
  grep -q GNU_RELRO <<<"$headers" || { echo "$file: tables of the linker stay writable (RELRO)"; exit 1; }
  grep -q '^Elf file type is DYN' <<<"$headers" || { echo "$file: not position independent"; exit 1; }
  symbols=$(readelf --dyn-syms --wide "$file")
  grep -q __stack_chk_fail <<<"$symbols" || { echo "$file: no stack protector"; exit 1; }
  echo "$file: no path, hardened"
done

# a library of the name of one that the program needs, in the current folder
cat >plant.c <<'C'
#include <stdio.h>
__attribute__((constructor)) static void plant(void) {
  FILE *file = fopen("planted-library-ran", "w");
  if (file)
    fclose(file);
}
C
"$CC" -shared -fPIC plant.c -o here/libcjson.so.1
cd here
LD_PRELOAD=./libcjson.so.1 env true # the plant works
rm planted-library-ran
for program in "$build/cli/asperity" "$work/prefix/bin/asperity"; do
  env -u LD_LIBRARY_PATH "$program" --version
  [ ! -e planted-library-ran ] || { echo "$program loaded ./libcjson.so.1"; exit 1; }
done
