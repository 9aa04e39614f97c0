# enums_have_names.sh SOURCE BUILD WORK: every public enum AspThing has asp_thing_name(AspThing), and no parameter or
# field that one of them describes is a plain int.
set -euo pipefail
headers=("$1"/include/asperity/*.h)
bad=0
for enum in $(grep -ohE 'typedef enum Asp[A-Za-z0-9]+' "${headers[@]}" | sed 's/typedef enum //' | sort -u); do
  name=$(sed -E 's/^Asp//; s/([a-z0-9])([A-Z])/\1_\2/g' <<<"$enum" | tr 'A-Z' 'a-z')
  grep -qE "^ASP_API const char \*asp_${name}_name\($enum [a-z]+\);" "${headers[@]}" ||
    { echo "$enum has no asp_${name}_name($enum)"; bad=1; }
done
# the method of a profile is one of its own list
if grep -nE '\bint (scheme|method|kind|cone|level|mode|impact|selection|status|error)\b[,;)]' "${headers[@]}" | grep -v asp_profile_value; then
  echo "an int that has an enum"
  bad=1
fi
exit $bad
