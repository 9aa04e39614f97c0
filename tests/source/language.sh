#!/usr/bin/env bash
# shellcheck disable=SC2016 # awk programs
# The language of the sources: plain words, equations that keep their lines, references that exist, functions that fit a
# screen. Deterministic: reads the files of the source folder and nothing else.
here=$(cd "$(dirname "$0")" && pwd)
cd "$SOURCE" || exit 1
failures=0
shopt -s lastpipe # `found` counts in this shell
complain() {
  printf '%s\n' "$@" >&2
  failures=$((failures + 1))
}
# found DESCRIPTION: fails with what stands on stdin, if anything
found() {
  local lines
  lines=$(cat)
  [ -z "$lines" ] || complain "== $1" "$lines"
}

code() { find src include cli -name '*.[ch]' | LC_ALL=C sort; }
docs() { find docs README.md CONTRIBUTING.md -name '*.md' | LC_ALL=C sort; }
others() { find tests bench examples -name '*.[ch]' | LC_ALL=C sort; }
# comments FILE: its comments alone, each line with file and number
comments() {
  awk '{ text = ""; line = $0
    while (line != "") {
      if (inside) {
        at = index(line, "*/"); part = at ? substr(line, 1, at - 1) : line
        text = text " " part; line = at ? substr(line, at + 2) : ""; inside = !at
      } else if (match(line, /"([^"\\]|\\.)*"|\/\*|\/\//)) {
        token = substr(line, RSTART, 2); rest = substr(line, RSTART + RLENGTH)
        if (token == "/*") inside = 1
        if (token == "//") { text = text " " rest; rest = "" }
        line = rest
      } else line = ""
    }
    if (text != "") print FILENAME ":" FNR ":" text }' "$@"
}

# ---- equations keep their lines ----
grep -q '^ReflowComments: false$' .clang-format || complain 'the formatter must not reflow comments (.clang-format)'
code | xargs awk 'FNR == 1 { open = 0 }
  /\/\*/ && !/\*\// { open = FNR; text = $0 }
  /^ *\*\/$/ && open == FNR - 1 && text !~ /^\/\*$/ { print FILENAME ":" FNR ": end of a comment alone on its line" }' |
  found 'comments that end alone after one line'
code | grep -v /tuning/ | xargs grep -nE "^.{121,}" | grep -E "/\*|//|: \*" | found "comments above 120 characters"

# ---- plain words ----
while IFS=$'\t' read -r pattern advice; do
  case $pattern in '' | '#'*) continue ;; esac
  { code; docs; others; } | xargs grep -nE -- "$pattern" | found "write instead: $advice"
done <"$here/plain-words.txt"

# ---- references exist ----
code | xargs awk '{ while (match($0, /docs\/[a-zA-Z0-9\/_-]+\.md/)) { print FILENAME, substr($0, RSTART, RLENGTH); $0 = substr($0, RSTART + RLENGTH) } }' |
  while read -r file page; do [ -e "$page" ] || echo "$file: $page"; done | found 'pages that do not exist'
docs | while read -r page; do
  grep -oE '\]\([^)#: ]+' "$page" | cut -c3- | while read -r target; do
    [ -e "$(dirname "$page")/$target" ] || echo "$page: $target"
  done
done | found 'links to files that do not exist'
docs | xargs grep -noE '`(src|tests|include|cli|bench|docs|scenes|examples|schema)/[A-Za-z0-9_./-]+`' | tr -d '`' |
  while IFS=: read -r page line path; do
    case $path in *NAME* | *LAYER*) ;; *) [ -e "$path" ] || echo "$page:$line: $path" ;; esac
  done | found 'paths in pages that do not exist'
# file names in comments: foo.c, layer/foo.h
{
  find . -name '*.[ch]' -not -path './build*' -not -path './web/node_modules/*' | sed 's#.*/#have #'
  code | xargs bash -c "$(declare -f comments)"'; comments "$@"' -
} | awk '$1 == "have" { have[$2] = 1; next }
  { file = $1; sub(/:[^:]*$/, "", file)
    while (match($0, /[^a-zA-Z0-9_.<-][a-z][a-z0-9_]+\.[ch]([^a-zA-Z0-9_]|$)/)) {
      name = substr($0, RSTART + 1, RLENGTH - 1); sub(/[^a-z0-9_]$/, "", name)
      if (!(name in have)) print file ": " name
      $0 = substr($0, RSTART + RLENGTH - 1)
    } }' | found 'files named in comments that do not exist'

# ---- functions fit a screen ----
code | xargs awk 'FNR == 1 { start = 0 }
  /^[A-Za-z_].*[^;]$/ && !/^(typedef|struct|enum|union)/ && !/; *\/\*.*\*\/$/ { start = /= \{$/ ? 0 : FNR; open = 0 }
  /\{$/ { open = 1 }
  start && !open && /;$/ { start = 0 } # a declaration of several lines
  /^}/ { if (start && FNR - start - 1 > 60) print FILENAME ":" start ": " FNR - start - 1 " lines"; start = 0 }' |
  found 'functions above 60 lines'

[ "$failures" -eq 0 ] || { echo "$failures checks failed" >&2; exit 1; }
echo 'language: all checks passed'
