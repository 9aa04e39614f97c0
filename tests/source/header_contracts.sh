# header_contracts: every function of the public headers says its threads and its ownership, and what it says fits its
# declaration; a header without a mark, or with a wrong one, is found out.
set -euo pipefail
check=$SOURCE/tests/source/header_contracts.py
python3 "$check" "$SOURCE"

rm -rf "$WORK"
mkdir -p "$WORK/include"
spoil() { # spoil MESSAGE SED: the check names what SED breaks in a copy of the headers
  rm -rf "$WORK/include/asperity"
  cp -r "$SOURCE/include/asperity" "$WORK/include/asperity"
  sed -i "$2" "$WORK"/include/asperity/world.h
  if python3 "$check" "$WORK" >"$WORK/out"; then echo "not found out: $2"; exit 1; fi
  grep -q "$1" "$WORK/out" || { echo "no message '$1' for $2:"; cat "$WORK/out"; exit 1; }
}
spoil 'asp_world_step: write one mark' '/half the length/,/asp_world_step/s/\[one thread\]//'
spoil 'asp_world_step: \[any thread\] must be' '/half the length/,/asp_world_step/s/\[one thread\]/[any thread]/'
spoil "owns \[\], its declaration says \['yours'\]" 's/, yours: asp_world_destroy//'
spoil "named by 'yours', not declared" 's/yours: asp_world_destroy/yours: asp_world_end/'
