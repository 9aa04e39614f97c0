# README and every page of docs/ followed to the letter, in a fresh folder each:
#
#   ```console   commands behind `$ ` are run, their output is compared
#   ```sh        run as a script, must end with 0. Not where the line above the block says <!-- not run: REASON -->; where it says
#                <!-- needs the packages -->, only with FOLLOW_PACKAGES=yes (tools/test-docs: a clean system with the Debian packages)
#   ```json      saved where the text above says so: Save this as `NAME.json`
#   ```c         compiled inside a function, behind what the line above the block gives: <!-- given: AspContext *context; -->
#   ```python    python/tests/test_pages.py
#
# Wall times and what is at the level of rounding (zero, or below 1e-8: "at most 2.3e-17") are masked; larger residuals, penetrations and
# drifts must be as shown. Other numbers below 1e-8 count as zero. ASPERITY_UPDATE=1 writes what is printed into the pages; FOLLOW=REGEX takes
# the pages whose path it matches.
# shellcheck disable=SC2016 # backquotes here are the fences of code blocks
. "$(dirname "$0")/checks.sh"

mask() { sed -E 's/ in [0-9.e+-]+ s$/ in TIME s/; s/(at most|unaccounted) (0|-?[0-9.]+e-(09|[1-9][0-9]+)) ?/\1 TINY /g; s/-?[0-9.]+e-(09|[1-9][0-9]+)/0/g'; }

# end_block KIND NOTE NAME: what a block was collected for, in the file block
end_block() {
  case $1 in
  sh)
    case $2 in
    'not run: '*) return ;;
    'needs the packages') [ "${FOLLOW_PACKAGES:-}" = yes ] || return 0 ;;
    esac
    ( # not behind ||, which would switch -e off inside
      set -e
      . ./block
    ) >script.out 2>&1 </dev/null
    [ $? -eq 0 ] || complain "this block fails: $(cat block script.out)"
    ;;
  json) [ -z "$3" ] || cp block "$3" ;;
  c)
    { printf '#include <asperity/asperity.h>\n#include <stdlib.h>\nvoid block(void);\nvoid block(void) {\n%s\n' "${2#given: }" && cat block && echo '}'; } >block.c
    "${CC:-cc}" -std=c17 -Wall -Wextra -Werror -Wno-unused -Wno-uninitialized -Wno-maybe-uninitialized "${INCLUDE[@]}" -fsyntax-only block.c >c.out 2>&1 ||
      complain "this block does not compile: $(cat block c.out)"
    ;;
  esac
}

# follow PAGE: writes the page as it would be printed now to the file now
follow() {
  local line fence='' note='' name='' command
  ln -sfn "$scenes" scenes
  : >now
  while IFS= read -r line <&5; do
    if [ "$fence" = console ] && [ "$line" != '```' ]; then
      case $line in
      '$ '*)
        printf '%s\n' "$line" >>now
        command=${line#"$ "}
        eval "$command" >>now 2>&1 </dev/null 5<&-
        ;;
      esac
      continue
    fi
    printf '%s\n' "$line" >>now
    if [ -z "$fence" ]; then
      case $line in
      '```'*) 
        fence=${line#'```'}
        fence=${fence:-plain}
        : >block
        ;;
      '<!-- not run: '* | '<!-- given: '* | '<!-- needs the packages -->') note=$(sed 's/^<!-- //; s/ -->$//' <<<"$line") ;;
      *'ave this as `'*) name=$(sed 's/.*ave this as `\([^`]*\)`.*/\1/' <<<"$line") ;;
      esac
    elif [ "$line" = '```' ]; then
      end_block "$fence" "$note" "$name"
      fence='' note='' name=''
    else
      printf '%s\n' "$line" >>block
    fi
  done 5<"$1"
  if [ -n "${ASPERITY_UPDATE:-}" ]; then
    cp now "$1"
  else
    diff <(mask <"$1") <(mask <now) >&2 || complain "$1 shows other output than the program prints"
  fi
}

scenes=$SOURCE/scenes INCLUDE=(-I "$SOURCE/include")
if [ "${FOLLOW_PACKAGES:-}" = yes ]; then scenes=/usr/share/asperity/scenes INCLUDE=(); fi

# pages of lists, which lead to others (cli/readme checks the links), and pages that tests write whole; decisions need none
UNTESTED='docs/README.md docs/questions.md docs/reference/python.md docs/reference/study.md docs/reference/tuning.md'

no_page_is_without_a_tested_block() {
  find "$SOURCE/docs" -name '*.md' -not -path '*/site/*' -not -path '*/decisions/*' | sed "s|^$SOURCE/||" | sort >pages
  while IFS= read -r page; do
    case " $UNTESTED " in *" $page "*) continue ;; esac
    awk '/^<!-- not run: /{ skip = NR } /^```(console|python)$/ || (/^```sh$/ && skip != NR - 1) { found = 1 } END { exit !found }' "$SOURCE/$page" ||
      complain "$page has no block that a test runs"
  done <pages
}

every_theory_page_names_its_sources() {
  for page in "$SOURCE"/docs/theory/*.md; do
    grep -qE '^(## Sources$|Sources: )' "$page" || complain "$page names no sources"
  done
}

properties=(no_page_is_without_a_tested_block every_theory_page_names_its_sources)
while IFS= read -r page; do
  [[ $page =~ ${FOLLOW:-.} ]] || continue
  name=${page#"$SOURCE/"}
  name=$(tr -c 'a-z0-9\n' _ <<<"${name%.md}")_shows_what_is_printed
  eval "$name() { follow '$page'; }"
  properties+=("$name")
done < <({ echo "$SOURCE/README.md"; find "$SOURCE/docs" -name '*.md'; } | xargs grep -lE '^```(console|sh|c)$' | sort)
prove "${properties[@]}"
