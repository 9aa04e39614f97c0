# Progress and colours: on a terminal only. script(1) lends the program a terminal.
. "$(dirname "$0")/checks.sh"

sphere=$SOURCE/scenes/sphere-slides-then-rolls.json
escape=$(printf '\033')

# on_terminal WORDS...: what the program writes to a terminal, in the file screen
on_terminal() {
  script -qec "${LAUNCHER:-} '$ASPERITY' $*" screen </dev/null >/dev/null || complain "asperity $* failed on a terminal"
}

progress_is_shown_on_a_terminal() {
  TERM=xterm on_terminal run --dt 5e-5 --out r.h5 "'$sphere'"
  says screen ' left'
  says screen 'certified'
}

no_progress_without_a_terminal() {
  gives 0 run --dt 5e-5 --out r.h5 "$sphere"
  is_empty stderr
  says_not stdout "$escape"
}

quiet_shows_no_progress() {
  TERM=xterm on_terminal run --quiet --dt 5e-5 --out r.h5 "'$sphere'"
  says_not screen ' left'
}

colours_respect_no_color() {
  TERM=xterm on_terminal validate "'$sphere'"
  says screen "${escape}[32m"
  NO_COLOR=1 TERM=xterm on_terminal validate "'$sphere'"
  says_not screen "${escape}["
  TERM=dumb on_terminal validate "'$sphere'"
  says_not screen "${escape}["
}

if ! command -v script >/dev/null; then
  echo 'skipped: script(1) is not here'
  exit 77
fi
prove progress_is_shown_on_a_terminal no_progress_without_a_terminal quiet_shows_no_progress colours_respect_no_color
