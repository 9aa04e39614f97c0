# The layers that CONTRIBUTING.md and docs/architecture.md describe are those that CMake builds.
. "$(dirname "$0")/../cli/checks.sh"

# "layer: layer layer ..." of every folder of src/, from its CMakeLists.txt, in the order of the names
layers_of_cmake() {
  local file layer
  for file in "$SOURCE"/src/*/CMakeLists.txt; do
    layer=$(basename "$(dirname "$file")")
    tr '\n' ' ' <"$file" | sed -E 's/[()]/ & /g' | awk -v layer="$layer" '{
      for (i = 1; i <= NF; i++) {
        if ($i == "asp_layer") found = ($(i + 2) == layer)
        if ($i == "USES") reading = 1
        else if ($i ~ /^(LINK|SOURCES|HEADERS|PUBLIC_ONLY|\))$/) reading = 0
        else if (reading) list = list " " $i
      }
      print layer ":" list
      exit !found
    }' || complain "$file has no asp_layer($layer ...)"
  done
}

# the same from the table of CONTRIBUTING.md
layers_of_contributing() {
  sed -nE 's/^\| `src\/([a-z]+)\/` \|.*\| ([^|]+) \|$/\1: \2/p' "$SOURCE/CONTRIBUTING.md" |
    sed -E 's/: (nothing|public headers of )?/: /; s/,//g; s/ +$//' | sort
}

contributing_lists_the_layers_as_cmake_has_them() {
  layers_of_cmake >cmake
  layers_of_contributing >contributing
  [ -s cmake ] || complain 'no layers found in src/'
  diff contributing cmake >&2 || complain 'the table of CONTRIBUTING.md (<) and the USES lists of src/*/CMakeLists.txt (>) differ'
}

every_layer_has_its_room_in_the_picture() {
  command -v python3 >/dev/null || return 0
  python3 "$SOURCE/docs/images/draw-architecture.py" --check >&2 || complain 'docs/images/architecture.svg is not up to date'
}

plots_of_the_validation_page_show_the_kept_results() {
  command -v python3 >/dev/null || return 0
  python3 "$SOURCE/docs/images/draw-validation.py" --check >&2 || complain 'docs/images: plots are not up to date'
}

files_and_folders_that_the_pages_name_are_there() {
  local page path
  for page in "$SOURCE"/CONTRIBUTING.md "$SOURCE"/docs/architecture.md "$SOURCE"/docs/howto/add-a-*.md; do
    grep -oE '`(src|include|tests|cli|web|docs|bench|scenes|schema|examples)/[A-Za-z0-9_./-]*`' "$page" | tr -d '`' | sort -u >paths
    while IFS= read -r path; do
      case $path in *LAYER* | *NAME*) continue ;; esac
      [ -e "$SOURCE/$path" ] || complain "$page: there is no $path"
    done <paths
  done
}

prove contributing_lists_the_layers_as_cmake_has_them every_layer_has_its_room_in_the_picture plots_of_the_validation_page_show_the_kept_results \
  files_and_folders_that_the_pages_name_are_there
