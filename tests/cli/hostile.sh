# Input of unknown origin: names that would command a terminal or a spreadsheet, values at the edge of numbers, too
# little memory, a signal while nothing asks for it.
. "$(dirname "$0")/checks.sh"

escape=$(printf '\033')

# scene NAME_OF_SCENE NAME_OF_BALL FRICTION: a ball that slides, in scene.json
scene() {
  cat >scene.json <<END
{"name": "$1", "gravity": [0, 0, -9.81], "materials": [{"pair": ["a", "a"], "friction": $3}],
 "bodies": [{"name": "ground", "fixed": true, "shapes": [{"type": "half-space", "material": "a"}]},
  {"name": "$2", "mass": 1, "position": [0, 0, 0.1], "velocity": [1, 0, 0],
   "shapes": [{"type": "sphere", "radius": 0.1, "material": "a"}]}],
 "run": {"dt": 0.01, "until": 0.1}}
END
}

# control characters of a scene are refused, and not shown as such
controls_in_texts_are_refused() {
  local text
  for text in '\u001b[31m' '\u009b31m' '\b' '\u007f' "$escape[31m"; do
    scene "evil$text" ball 0.3
    gives 2 run --out none scene.json
    says stderr 'line 1, column'
    says stderr 'control character'
    says_not stderr "$escape"
  done
  scene plain 'ball\nofthunder' 0.3
  gives 2 validate scene.json
  says stderr 'control character'
}

# paths and words of the command line
controls_in_paths_are_not_shown() {
  gives 2 run "no${escape}[31mfile.json"
  says stderr 'no?[31mfile.json'
  says_not stderr "$escape"
}

# a spreadsheet takes texts that begin with these as formulas
formulas_in_tables_are_disarmed() {
  local first
  for first in = + - @; do
    scene plain "${first}SUM(A1:A9)" 0.3
    gives 0 run --out r.h5 scene.json
    gives 0 convert r.h5 -o r.csv
    says r.csv "\"'${first}SUM(A1:A9).x [m]\""
    rm r.h5 r.csv
  done
}

# 1/mu^2 overflows below 1e-154: such friction is none
tiny_friction_is_none() {
  local mu
  for mu in 1e-99 1e-101 1e-160 5e-324; do
    scene plain ball "$mu"
    gives 0 run --json --out none scene.json
    json_is steps_uncertified 0
    json_near final/bodies/1/velocity/0 1 1e-12
  done
}

# no waiting for ever inside a library
too_little_memory_ends_with_a_message() {
  local limit code
  scene plain ball 0.3
  for limit in 25000 30000 40000 60000 120000 350000; do
    code=0
    (ulimit -v "$limit" && exec timeout -s KILL 60 "$ASPERITY" run --out none scene.json) >stdout 2>stderr </dev/null || code=$?
    case $code in
    0) ;; # enough after all
    3) says stderr 'memory' ;;
    127) ;; # not even the loader
    *) complain "ulimit -v $limit: exit code $code" ;;
    esac
  done
}

properties='controls_in_texts_are_refused controls_in_paths_are_not_shown formulas_in_tables_are_disarmed tiny_friction_is_none'
# the sanitizers and valgrind need address space of their own
if [ -z "${LAUNCHER:-}" ] && ! grep -qa __asan_init "$ASPERITY"; then
  properties+=' too_little_memory_ends_with_a_message'
fi
# shellcheck disable=SC2086 # a list of names
prove $properties
