# uninstall.sh SOURCE BUILD WORK: what is installed is whole (licence, schema, scenes and docs, too), and the target
# `uninstall` leaves nothing of it.
set -euo pipefail
source=$1 build=$2 work=$3
rm -rf "$work"
mkdir -p "$work/prefix/share" "$work/build"
cd "$work"
touch prefix/share/of-another
cmake --install "$build" --prefix "$work/prefix" >install.log
for file in bin/asperity share/man/man1/asperity-run.1 share/bash-completion/completions/asperity include/asperity/version.h share/asperity/schema/scene.schema.json \
  share/asperity/scenes/block-on-slope-26.json share/doc/asperity/LICENSE share/doc/asperity/docs/README.md; do
  [ -e "prefix/$file" ] || { echo "$file is not installed"; exit 1; }
done
prefix/bin/asperity validate --quiet prefix/share/asperity/scenes/block-on-slope-26.json
# the manifest of this installation: tests may install at the same time
find "$work/prefix" ! -type d ! -name of-another >manifest.txt
cmake -DMANIFEST=manifest.txt -P "$source/cmake/Uninstall.cmake"
left=$(find prefix ! -type d)
[ "$left" = prefix/share/of-another ] || { printf 'left: %s\n' "$left"; exit 1; }
left=$(find prefix -type d -name asperity)
[ -z "$left" ] || { printf 'left: %s\n' "$left"; exit 1; }
