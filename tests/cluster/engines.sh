# cluster/engines: a study through GNU parallel and as a task farm under mpirun, where these are installed; every point once.
set -u
rm -rf "$WORK"
mkdir -p "$WORK"
cd "$WORK" || exit 1
cat >ball.json <<'END'
{ "parameters": { "v": { "value": 1, "range": [0, 95] } },
  "bodies": [ { "name": "ball", "mass": 1, "velocity": ["v", 0, 0], "shapes": [ { "type": "sphere", "radius": 0.1 } ] } ],
  "run": { "dt": 0.01, "until": 0.1 } }
END
echo '{"scene": "ball.json", "parameters": {"v": {"range": [0, 100], "count": 41}}, "outputs": {"x": "ball.x"}}' >study.json
tried=0
try() { # try TOOL FLAG WORDS...
  local tool=$1 flag=$2
  shift 2
  command -v "$tool" >/dev/null || { echo "left out: $tool is not installed"; return; }
  tried=1
  rm -rf study.sweep
  "$ASPERITY" sweep --quiet "$flag" --chunk 5 study.json || exit 1
  sh "study.sweep/${flag#--}.sh" "$@" >out 2>&1 || { echo "$tool failed"; cat out; exit 1; }
  "$ASPERITY" sweep status --json study.json >status
  [ "$("$JSON_QUERY" done <status)" = 39 ] && [ "$("$JSON_QUERY" failed <status)" = 2 ] || { cut -c1-300 status; cat out; exit 1; }
  echo "$tool: 41 points, each once: 39 done, 2 failed and kept"
}
try parallel --parallel -j 2
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
try mpirun --mpi -n 2
[ $tried -eq 1 ] || { echo 'skipped: neither GNU parallel nor mpirun is installed'; exit 77; }
