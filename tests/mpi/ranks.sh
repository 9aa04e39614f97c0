#!/usr/bin/env bash
# Answer, certificate and hash have equal bits on 1, 2, 3, 5, 8 ranks; one exchange per sweep and one reduction per look, counted by
# MPI's profiling interface (mpi_parts ends with 1 otherwise); at most 26 messages an exchange.
set -euo pipefail
. "$(dirname "$0")/launch.sh"
first=
for ranks in 1 2 3 5 8; do
  line=$(launch "$ranks" "$MPI_PARTS" 2000 40 120) || { echo "on $ranks ranks: other calls than one exchange per sweep"; exit 1; }
  echo "$line"
  answer=${line%%|*} messages=$(sed 's/.*messages \([0-9]*\).*/\1/' <<<"$line")
  [ -n "$first" ] || first=$answer
  [ "$answer" = "$first" ] || { echo "on $ranks ranks the answer is another one"; exit 1; }
  [ "$messages" -le 26 ] && [ "$messages" -lt "$ranks" ] || { echo "$messages messages an exchange"; exit 1; }
done
