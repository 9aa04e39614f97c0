# headers_stand_alone.sh SOURCE BUILD WORK: every public header compiles alone, as C17 and as C++17, without a warning.
set -euo pipefail
source=$1 work=$3
rm -rf "$work"
mkdir -p "$work"
cd "$work"
for header in "$source"/include/asperity/*.h; do
  printf '#include <asperity/%s>\n' "$(basename "$header")" | tee alone.c >alone.cpp
  printf 'typedef int nothing;\n' >>alone.c
  "$CC" -std=c17 -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Werror -I"$source/include" -fsyntax-only alone.c
  g++ -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Werror -I"$source/include" -fsyntax-only alone.cpp
done
echo "$(find "$source/include/asperity" -name '*.h' | wc -l) headers stand alone"
