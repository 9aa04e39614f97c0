#!/usr/bin/env bash
# No struct of the world has more than 25 fields: one that grows beyond holds several things.
# SOURCE: the repository; further arguments: MOST FOLDER... in place of the ones below
set -euo pipefail
[ $# -gt 0 ] || set -- 25 "$SOURCE/src/world"
most=$1
shift
files=$(find "$@" -name '*.[ch]' | sort)
# shellcheck disable=SC2086
awk -v most="$most" '
# one declaration of a struct at depth 1: its declarators
function count(text,   n) {
  gsub(/\([^()]*\)/, "", text) # arguments of function pointers
  gsub(/\[[^][]*\]/, "", text) # lengths of arrays
  gsub(/\{[^{}]*\}/, "", text) # a struct within
  if (text !~ /[A-Za-z_]/) return 0
  return gsub(/,/, "", text) + 1
}
FNR == 1 { comment = 0; depth = 0; name = ""; text = "" }
{
  line = $0
  gsub(/"([^"\\]|\\.)*"/, "", line)
  while (1) { # comments
    if (comment) {
      if (!(at = index(line, "*/"))) { line = ""; break }
      line = substr(line, at + 2); comment = 0
    }
    at = index(line, "/*")
    slashes = index(line, "//")
    if (slashes && (!at || slashes < at)) { line = substr(line, 1, slashes - 1); break }
    if (!at) break
    if ((end = index(substr(line, at + 2), "*/"))) line = substr(line, 1, at - 1) " " substr(line, at + 2 + end + 1)
    else { line = substr(line, 1, at - 1); comment = 1; break }
  }
  if (line ~ /^[ \t]*#/) next
  if (name == "" && match(line, /^(typedef )?struct [A-Za-z_]+ \{/)) {
    split(substr(line, 1, RLENGTH), words, " ")
    name = words[1] == "typedef" ? words[3] : words[2]
    line = substr(line, RLENGTH + 1)
    depth = 1; fields = 0; text = ""
  }
  if (name == "") next
  for (i = 1; i <= length(line); i++) {
    c = substr(line, i, 1)
    if (c == "{") depth++
    if (c == "}" && --depth == 0) {
      print fields, name, FILENAME
      name = ""
      break
    }
    if (c == ";" && depth == 1) { fields += count(text); text = "" }
    else text = text c
  }
}' $files | sort -k1,1nr -k2,2 | awk -v most="$most" '
NR <= 3 || $1 > most { print }
$1 > most { bad++ }
END {
  if (NR == 0) { print "no structs found"; exit 1 }
  if (bad) { print bad " with more than " most " fields: give their parts structs of their own"; exit 1 }
}'
