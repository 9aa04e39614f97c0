# Equal input gives equal bits, whatever the processor can do: kernels of every instruction set, a C library without AVX2
# and FMA, several threads. bench/bits/everywhere.py does the same with more scenes, compilers and systems.
. "$(dirname "$0")/checks.sh"

# summary FILE WORDS...: what a run prints, with all digits, but for the time it took
summary() {
  local file=$1
  shift
  gives_any run --json --quiet --out none "$@"
  sed 's/"wall_s": [^,]*, //' stdout >"$file"
}

# short runs may miss a measure of resolution: exit code 1 is none of this test's business
gives_any() {
  local code=0
  # shellcheck disable=SC2086 # the launcher is a list of words
  ${LAUNCHER:-} "$ASPERITY" "$@" >stdout 2>stderr </dev/null || code=$?
  [ "$code" -le 1 ] || complain "$* gives $code: $(head -n 1 stderr)"
}

# the_same WORDS...: a run as it is, and under everything that chooses code by processor
the_same() {
  summary plain.json "$@"
  ASPERITY_KERNELS=portable summary portable.json "$@"
  GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX2,-AVX,-FMA,-FMA4 summary libm.json "$@"
  summary threads.json --threads 2 "$@"
  for other in portable libm threads; do
    cmp -s plain.json $other.json || complain "other bits with $other: $*"
  done
}

bodies_joints_and_friction() {
  the_same --until 0.05 "$SOURCE/scenes/pyramid-of-balls.json"
  the_same --until 0.05 --friction exact "$SOURCE/scenes/pyramid-of-balls.json"
  the_same --until 0.1 "$SOURCE/scenes/gallery/card-house.json"
  the_same --until 0.1 "$SOURCE/scenes/gallery/kapla-tower.json"
  the_same --until 0.1 "$SOURCE/scenes/four-bar-in-space.json"
}

flexible_bodies_and_expressions() {
  the_same --until 0.002 "$SOURCE/scenes/gallery/diving-board.json"
  the_same --until 0.05 "$SOURCE/scenes/gallery/parts-feeder.json"
  the_same --until 0.1 "$SOURCE/scenes/gallery/tippe-top.json"
}

prove bodies_joints_and_friction flexible_bodies_and_expressions
