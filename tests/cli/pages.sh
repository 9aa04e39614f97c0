# Man pages and completions say what the program's help says. PAGES: where the build made them.
. "$(dirname "$0")/checks.sh"

flags_of() { asperity "$1" --help | grep -oE '^  (-[a-z], |    )--[a-z-]+' | grep -oE -- '--[a-z-]+'; }
commands_of() { asperity --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'; }

every_command_has_a_man_page_with_all_its_flags() {
  local command flag
  for command in $(commands_of); do
    sed 's/\\-/-/g' "$PAGES/man/asperity-$command.1" >page || complain "no page of $command"
    says "$PAGES/man/asperity.1" "asperity\\-$command (1)"
    for flag in $(flags_of "$command"); do
      grep -qE -- "^\.B (-[a-z], )?$flag( |\$)" page || complain "asperity-$command.1 has no $flag"
    done
  done
}

man_pages_have_no_mistakes() {
  command -v groff >/dev/null || return 0
  local page
  for page in "$PAGES"/man/*.1; do
    groff -man -Tutf8 -ww -z "$page" >stdout 2>stderr || complain "$page"
    is_empty stderr
  done
}

# complete WORD...: what bash offers for the last word
complete_words() {
  bash --norc -c '. "$PAGES/bash/asperity"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _asperity; printf "%s\n" "${COMPREPLY[@]}"' - "$@"
}
offers() { # expected, words...
  local expected=$1
  shift
  [ "$(complete_words "$@" | tr '\n' ' ')" = "$expected " ] || complain "$*: $(complete_words "$@" | tr '\n' ' '), expected $expected"
}

bash_completes_commands_flags_and_values() {
  export PAGES
  local command
  offers validate asperity vali
  offers --scheme asperity run --sch
  offers '--from --friction' asperity run --fr
  offers moreau-jean asperity run --scheme mor
  offers event-driven asperity run --scheme = event
  offers 'true false' asperity run --retry ''
  offers '' asperity run scene
  for command in $(commands_of); do
    complete_words asperity "$command" -- | grep -E '^--' | sort >offered
    flags_of "$command" | sort | diff - offered >&2 || complain "$command: completion and help differ"
  done
}

other_shells_can_read_theirs() {
  if command -v zsh >/dev/null; then zsh -n "$PAGES/zsh/_asperity" 2>stderr || complain zsh; fi
  if command -v fish >/dev/null; then
    fish -n "$PAGES/fish/asperity.fish" 2>stderr || complain fish
    HOME=$PWD fish -c "source $PAGES/fish/asperity.fish; complete -C'asperity run --scheme mor'" >stdout 2>stderr || complain fish
    says stdout moreau-jean
  fi
}

prove every_command_has_a_man_page_with_all_its_flags man_pages_have_no_mistakes bash_completes_commands_flags_and_values \
  other_shells_can_read_theirs
