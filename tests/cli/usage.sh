# Help, version, flags and mistakes on the command line.
. "$(dirname "$0")/checks.sh"

commands='run validate info import convert solve analyze compare converge reproduce'

every_command_explains_itself_with_an_example() {
  gives 0 --help
  for command in $commands; do
    says stdout "$command"
  done
  for command in $commands; do
    gives 0 "$command" --help
    says stdout "usage: asperity $command"
    says stdout examples:
    says stdout "  asperity $command"
    says stdout --json
    says stdout --quiet
    is_empty stderr
    mv stdout by_flag
    gives 0 help "$command"
    cmp -s stdout by_flag || complain "help $command differs from $command --help"
  done
}

examples_of_the_help_work_when_typed() {
  cp -r "$SOURCE/scenes" "$SOURCE/studies" .
  cp scenes/sphere-slides-then-rolls.json my-scene.json
  "$MAKE_LCP" solvable problem.hdf5 || complain 'make_lcp'
  for command in $commands; do
    gives 0 "$command" --help
    sed -n '/^examples:/,$s/^  asperity //p' stdout | sed 's/   .*//' >lines
    [ -s lines ] || complain "$command has no examples"
    while read -r line; do
      case $line in *.png* | *.mp4*) continue ;; esac # need a browser, films ffmpeg, too: web/pictures, web/films
      # shellcheck disable=SC2086 # words, and scenes/*.json must unfold
      gives 0 $line
    done <lines
  done
}

version_is_one_line() {
  gives 0 --version
  one_line stdout
  says stdout 'asperity '
}

no_command_is_a_mistake() {
  gives 2
  is_empty stdout
  says stderr 'usage: asperity COMMAND'
}

mistyped_command_gets_a_suggestion() {
  gives 2 validte scene.json
  says stderr "did you mean 'validate'?"
  gives 2 frobnicate
  says stderr 'asperity --help'
}

mistyped_flag_gets_a_suggestion() {
  gives 2 run --untl 3 scene.json
  says stderr 'there is no flag --untl; did you mean --until?'
  gives 2 run --solver_log x scene.json
  says stderr '--solver-log?'
  gives 2 run --frobnicate scene.json
  says stderr 'asperity run --help'
  gives 2 run -x scene.json
  says stderr 'there is no flag -x'
  one_line stderr
}

flag_without_its_value_is_a_mistake() {
  gives 2 run scene.json --out
  says stderr '--out needs a value: --out FILE'
  gives 2 run --dt --json scene.json
  says stderr '--dt needs a value'
  gives 2 run --json=yes scene.json
  says stderr '--json takes no value'
}

wrong_number_of_words_is_a_mistake() {
  gives 2 run
  says stderr 'expected: asperity run SCENE.json'
  gives 2 run a.json b.json
  says stderr "'b.json' is one word too many"
  gives 2 validate
}

mistakes_are_json_too_when_asked() {
  gives 2 run --frobnicate --json
  json error >message
  says message '--frobnicate'
  for words in 'frobnicate --json' '--json frobnicate'; do
    # shellcheck disable=SC2086 # two words
    gives 2 $words
    json error >message
    says message 'no command'
  done
  gives 2 --json
  json error >/dev/null
}

help_and_version_are_json_too_when_asked() {
  gives 0 --version --json
  json version >/dev/null
  gives 0 --json --help
  json_is commands/0/name run
  gives 0 run --help --json
  json_is command run
  json_is flags/0/name out
  gives 0 help --json run
  json_is command run
}

two_dashes_end_the_flags() {
  gives 2 info -- --json
  says stderr '--json'
  is_empty stdout
}

prove every_command_explains_itself_with_an_example examples_of_the_help_work_when_typed version_is_one_line \
  no_command_is_a_mistake mistyped_command_gets_a_suggestion mistyped_flag_gets_a_suggestion \
  flag_without_its_value_is_a_mistake wrong_number_of_words_is_a_mistake mistakes_are_json_too_when_asked help_and_version_are_json_too_when_asked \
  two_dashes_end_the_flags
