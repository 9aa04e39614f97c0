# What the pages link is there: places, files, tests; the README's scene is the file. What they print: docs.sh.
# shellcheck disable=SC2016 # backquotes here are the fences of code blocks
. "$(dirname "$0")/checks.sh"

# first_json FILE: its first ```json block
first_json() { sed -n '/^```json$/,/^```$/p' "$1" | sed '/^```$/q' | grep -v '^```'; }

readme_explains_the_scene_as_it_is() {
  first_json "$SOURCE/README.md" | diff - "$SOURCE/scenes/sphere-slides-then-rolls.json" >&2 ||
    complain 'the scene in the README differs from the file'
}

# places_of FILE: the names that links to its headings have
places_of() { sed -n 's/^#\{1,4\} //p' "$1" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9\n_-'; }

twenty_questions_lead_to_places_that_are_there() {
  local page=$SOURCE/docs/questions.md target place
  says "$SOURCE/docs/README.md" '](questions.md)'
  [ "$(grep -cE '^\| [0-9]+ \| .*\]\(' "$page")" -ge 20 ] || complain 'fewer than twenty questions with an answer'
  grep -oE '\]\([^)]+\)' "$page" | sed 's/^](//; s/)$//' >targets
  while IFS='#' read -r target place; do
    [ -e "$SOURCE/docs/$target" ] || complain "there is no $target"
    [ -z "$place" ] || places_of "$SOURCE/docs/$target" | grep -qxF -- "$place" || complain "$target has no #$place"
  done <targets
}

links_of_the_pages_lead_somewhere() {
  find "$SOURCE" -name '*.md' -not -path '*/build/*' -not -path '*/node_modules/*' >pages
  while IFS= read -r page; do
    grep -oE '\]\([^)#]+' "$page" | sed 's/^](//' | grep -v '^[a-z]*:' >targets
    while IFS= read -r target; do
      [ -e "$(dirname "$page")/$target" ] || complain "$page: there is no $target"
    done <targets
  done <pages
}

every_page_is_in_the_index() {
  find "$SOURCE/docs" -name '*.md' -not -path "$SOURCE/docs/README.md" >pages
  while IFS= read -r page; do
    grep -qF "(${page#"$SOURCE/docs/"})" "$SOURCE/docs/README.md" ||
      complain "docs/README.md does not list ${page#"$SOURCE/docs/"}"
  done <pages
}

every_test_that_the_cases_name_is_there() {
  grep -oE '`[a-z][a-z0-9_]+`' "$SOURCE/docs/reference/cases.md" | tr -d '`' | grep -E '_.*_.*_' >names
  [ -s names ] || complain 'docs/reference/cases.md names no tests'
  while IFS= read -r name; do
    grep -rqw --include='test_*.c' "cmocka_unit_test($name)" "$SOURCE/tests" || complain "docs/reference/cases.md: there is no test $name"
  done <names
}

prove readme_explains_the_scene_as_it_is twenty_questions_lead_to_places_that_are_there links_of_the_pages_lead_somewhere every_page_is_in_the_index \
  every_test_that_the_cases_name_is_there
