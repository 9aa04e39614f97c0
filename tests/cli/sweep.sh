# asperity sweep: studies run to their end whatever happens on the way, every point once.
. "$(dirname "$0")/checks.sh"

# a ball of radius `size` falls on the floor; sizes outside [0.01, 1] are refused by the scene
small_scene() {
  cat >ball.json <<'END'
{ "parameters": { "size": { "value": 0.1, "range": [0.01, 1], "unit": "m" }, "mu": 0.3, "v": 1, "end": 0.05 },
  "gravity": [0, 0, -9.81], "materials": [ { "pair": ["*", "*"], "friction": "mu" } ],
  "bodies": [ { "name": "floor", "fixed": true, "shapes": [ { "type": "half-space", "normal": [0, 0, 1] } ] },
              { "name": "ball", "mass": 1, "position": [0, 0, "size"], "velocity": ["v", 0, 0],
                "shapes": [ { "type": "sphere", "radius": "size" } ] } ],
  "probes": [ { "name": "centre", "type": "point", "body": "ball" } ],
  "run": { "dt": 0.001, "until": "end" } }
END
}

# 40 points, of which 2 (5 %) have a size that the scene refuses
study_of_40() {
  small_scene
  cat >study.json <<'END'
{ "scene": "ball.json",
  "parameters": { "size": { "values": [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 2] },
                  "mu": { "range": [0.1, 0.5], "count": 2 } },
  "outputs": { "x": { "value": "ball.x", "unit": "m" }, "top": "centre.z.max + size", "steps made": "run.steps" } }
END
}

# begin WORDS...: the program in the background; its process is $!, what it says in stdout and stderr
begin() {
  # shellcheck disable=SC2086 # the launcher is a list of words
  (exec ${LAUNCHER:-} "$ASPERITY" "$@" >stdout 2>stderr </dev/null) &
}

all_rows_are_there() { # all_rows_are_there FOLDER POINTS: one row for each, nothing half written
  [ "$(find "$1/rows" -name '*.json' | wc -l)" -eq "$2" ] || complain "$1 has $(find "$1/rows" -name '*.json' | wc -l) rows, expected $2"
  [ -z "$(find "$1/rows" -name '*.part')" ] || complain "$1 has half a row: $(find "$1/rows" -name '*.part')"
}

points_that_fail_are_rows_with_exit_code_and_message() {
  study_of_40
  gives 1 sweep --json study.json
  json_is points 40
  json_is done 38
  json_is failed 2
  json_is open 0
  json_is rows/0/state done
  json_is rows/0/exit_code 0
  json_is rows/38/state failed
  json_is rows/38/exit_code 2
  json rows/38/message | grep -q 'outside its range' || complain "message: $(json rows/38/message)"
  json_is rows/38/values/x null
  all_rows_are_there study.sweep 40
  [ "$(grep -c ',failed,2,' study.sweep/rows.csv)" -eq 2 ] || complain "$(cat study.sweep/rows.csv)"
  [ "$(wc -l <study.sweep/rows.csv)" -eq 41 ] || complain 'rows.csv'
  head -c 4 study.sweep/rows.h5 | grep -q HDF || complain 'rows.h5'
}

# x = v t - mu g t^2 / 2 while it slides
outputs_are_probes_states_summaries_and_parameters() {
  study_of_40
  gives 1 sweep --json study.json
  json_near rows/0/values/x 0.04877375 1e-6
  json_near rows/1/values/x 0.04386875 1e-6
  json_near rows/0/values/top 0.1 1e-9
  json_is 'rows/0/values/steps made' 50
  says study.sweep/rows.csv '"x [m]"'
}

killed_at_random_instants_and_resumed_every_point_is_run_once() {
  study_of_40
  awk 'BEGIN { srand(7); for (i = 0; i < 10; i++) print 0.02 + 0.2 * rand() }' >instants
  while read -r instant; do
    begin sweep --quiet --cores 2 study.json
    victim=$!
    sleep "$instant"
    kill -9 $victim 2>/dev/null
    wait $victim 2>/dev/null
    [ ! -f seen ] || md5sum --quiet -c seen || complain 'a row was written again'
    find study.sweep/rows -name '*.json' -exec md5sum {} + >seen 2>/dev/null
    [ -s seen ] || rm -f seen
  done <instants
  gives 1 sweep --json study.json
  [ ! -f seen ] || md5sum --quiet -c seen || complain 'a row was written again'
  json_is done 38
  json_is failed 2
  all_rows_are_there study.sweep 40
}

interrupted_it_says_so_and_goes_on() {
  small_scene
  echo '{"scene": "ball.json", "parameters": {"end": {"values": [0.01, 1e6]}, "mu": {"values": [0.1, 0.2]}}, "outputs": {"x": "ball.x"}}' >study.json
  begin sweep --cores 1 study.json
  victim=$!
  for _ in $(seq 600); do [ "$(find study.sweep/rows -name '*.json' 2>/dev/null | wc -l)" -lt 2 ] || break; sleep 0.1; done
  kill -INT $victim
  code=0
  wait $victim || code=$?
  [ $code -eq 130 ] || complain "exit code $code"
  says stderr 'stopped: 2 of 4 points'
  gives 0 sweep status --json study.json
  json_is done 2
  json_is open 2
  gives 1 sweep --json --time-limit 0.3 study.json
  json_is failed 2
  json_is rows/2/exit_code 137
  json_is rows/2/message 'took longer than 0.3 s (--time-limit)'
}

process_that_dies_is_a_row() {
  small_scene
  echo '{"scene": "ball.json", "parameters": {"end": {"values": [1e6, 0.01]}}, "outputs": {"x": "ball.x"}}' >study.json
  begin sweep --cores 1 --json study.json
  parent=$!
  for _ in $(seq 600); do
    child=$(cat /proc/$parent/task/$parent/children 2>/dev/null || true)
    [ -z "$child" ] || [ ! -f study.sweep/claims ] || break
    sleep 0.1
  done
  kill -9 ${child%% *}
  code=0
  wait $parent || code=$?
  [ $code -eq 1 ] || complain "exit code $code"
  json_is done 1
  json_is failed 1
  json_is rows/0/exit_code 137
  json rows/0/message | grep -q 'the process died' || complain "$(json rows/0/message)"
  gives 1 sweep --json --retry --time-limit 0.3 study.json
  json_is rows/0/message 'took longer than 0.3 s (--time-limit)'
}

parts_of_the_command_give_the_same_rows_as_the_whole() {
  study_of_40
  gives 1 sweep --quiet --out whole study.json
  gives 0 sweep plan --json --out parts study.json
  json_is points 40
  json_is open 40
  says parts/plan.csv "$(json rows/3/key)"
  begin sweep run --quiet --points 1..25 --out parts study.json
  gives 1 sweep run --quiet --points 15..40 --out parts study.json # at the same time
  wait
  gives 0 sweep collect --quiet --out parts study.json
  all_rows_are_there parts 40
  sed 's/,[^,]*,"[^"]*","[^"]*"$//' whole/rows.csv >a # without the seconds, which differ
  sed 's/,[^,]*,"[^"]*","[^"]*"$//' parts/rows.csv >b
  cmp a b || complain 'rows differ'
  gives 0 sweep run --json --points 3 --out parts study.json # those of the range are done
}

further_values_run_only_these() {
  study_of_40
  gives 1 sweep --quiet study.json
  find study.sweep/rows -name '*.json' -exec md5sum {} + >seen
  sed -i 's/0.95, 2\]/0.95, 0.97]/' study.json
  gives 0 sweep --json study.json
  json_is done 40
  md5sum --quiet -c seen || complain 'a row was written again'
  all_rows_are_there study.sweep 42
  sed -i 's/"until": "end"/"until": "2*end"/' ball.json # another scene: all of them again
  gives 0 sweep status --json study.json
  json_is open 40
}

# N_A = W / (1 + mu^2), N_B = mu N_A at the limit; moments about the centre give mu
bisection_finds_the_critical_friction_of_a_ladder() {
  gives 0 sweep --json "$SOURCE/studies/ladder-friction.json"
  json_is done 9
  for i in 0 4 8; do
    awk -v a="$(json rows/$i/values/lean)" 'BEGIN {
      gx = sin(a) + 0.05 * cos(a); gy = cos(a) + 0.05 * sin(a)              # floor and wall are at 0
      ax = sin(a) - 0.05 * cos(a); bx = -sin(a) - 0.05 * cos(a)             # corners that touch, about the centre
      ay = -gy; by = cos(a) - 0.05 * sin(a); low = 0; high = 3
      for (k = 0; k < 100; k++) { m = (low + high) / 2; f = ax + ay * m + bx * m * m - by * m; if (f < 0) high = m; else low = m }
      printf "%.12f\n", m }' >closed
    json_near rows/$i/values/mu "$(cat closed)" 1e-6
  done
}

bisection_finds_the_least_squeeze_of_a_gripper() {
  sed 's/"values": \[0.2, 0.4, 0.8\]/"values": [0.4]/; s/"count": 4/"count": 2/; s,\.\./scenes,'"$SOURCE"'/scenes,' "$SOURCE/studies/gripper-squeeze.json" >grip.json
  gives 0 sweep --json grip.json
  json_near rows/0/values/squeeze 3.690625 1e-6 # mass (9.81 + 2) / (2 mu)
  json_near rows/1/values/squeeze 14.7625 1e-6
}

golden_section_finds_the_extreme() {
  small_scene
  echo '{"scene": "ball.json", "parameters": {"mu": 0}, "search": {"method": "golden", "parameter": "v", "range": [0, 5], "minimize": "(ball.x - 0.1)^2", "tolerance": 1e-5}, "outputs": {"x": "ball.x"}}' >study.json
  gives 0 sweep --json study.json
  json_near rows/0/values/v 2 1e-5
  json_near rows/0/values/x 0.1 1e-6
  sed -i 's/"minimize": "(/"maximize": "-(/' study.json
  gives 0 sweep --json study.json
  json_near rows/0/values/v 2 1e-5
}

search_without_change_says_so() {
  small_scene
  echo '{"scene": "ball.json", "search": {"method": "bisection", "parameter": "v", "range": [0, 5], "when": "ball.x > 7"}, "outputs": {"x": "ball.x"}}' >study.json
  gives 1 sweep --json study.json
  json_is failed 1
  json rows/0/message | grep -q 'is false at both v = 0 and 5; widen the range' || complain "$(json rows/0/message)"
}

scripts_for_other_engines_run_the_points() {
  study_of_40
  for engine in slurm parallel mpi; do
    gives 0 sweep --$engine --chunk 7 --json study.json
    json_is open 40
    sh -n study.sweep/$engine.sh || complain "$engine.sh"
  done
  says study.sweep/slurm.sh '--array=0-5'
  SLURM_ARRAY_TASK_ID=5 sh study.sweep/slurm.sh || complain 'slurm.sh'
  sh study.sweep/task.sh 0 || complain 'task.sh'
  gives 0 sweep status --json study.json
  json_is done 10
  json_is failed 2
  gives 2 sweep --slurm --mpi study.json
}

page_has_the_table_and_reports_of_kept_results() {
  study_of_40
  sed -i 's/"scene"/"results": "all", "scene"/; s/0.05, 0.1, .*0.95, 2\]/0.05]/' study.json
  gives 0 sweep --json study.json
  json_is points 2
  result=$(json rows/0/result)
  gives 0 info "study.sweep/$result"
  [ -f "study.sweep/${result%.h5}.html" ] || says stderr 'without the viewer'
  sed -n 's/.*<script type="application\/json" id="study">//p' study.sweep/index.html >begin
  [ -s begin ] || complain 'no data in the page'
  sed -n '/id="study">/,/<\/script>/p' study.sweep/index.html | sed 's/.*id="study">//; s/<\/script>.*//' >stdout
  json_is columns/0/name size
  json_is rows/1/state done
}

mistakes_are_named() {
  small_scene
  wrong() { # wrong MESSAGE JSON: a study with these keys
    echo "$2" >wrong.json
    gives 2 sweep wrong.json
    says stderr "$1"
    gives 2 validate wrong.json
    says stderr "$1"
  }
  wrong "did you mean 'outputs'?" '{"scene": "ball.json", "output": {"x": "ball.x"}}'
  wrong '/outputs: missing' '{"scene": "ball.json"}'
  wrong 'at least one output' '{"scene": "ball.json", "outputs": {}}'
  wrong "the scene has no parameter 'sizes'; did you mean 'size'?" '{"scene": "ball.json", "parameters": {"sizes": 1}, "outputs": {"x": "ball.x"}}'
  wrong '/outputs/x' '{"scene": "ball.json", "outputs": {"x": "bal.x"}}'
  wrong "'bal.x' is not known" '{"scene": "ball.json", "outputs": {"x": "bal.x"}}'
  wrong 'give either values' '{"scene": "ball.json", "parameters": {"mu": {"count": 3}}, "outputs": {"x": "ball.x"}}'
  wrong '/sample: missing' '{"scene": "ball.json", "parameters": {"mu": {"range": [0, 1]}}, "outputs": {"x": "ball.x"}}'
  wrong 'low < high' '{"scene": "ball.json", "parameters": {"mu": {"range": [1, 1], "count": 2}}, "outputs": {"x": "ball.x"}}'
  wrong 'needs low > 0' '{"scene": "ball.json", "parameters": {"mu": {"range": [0, 1], "count": 2, "scale": "log"}}, "outputs": {"x": "ball.x"}}'
  wrong 'more than 10,000,000 points' '{"scene": "ball.json", "parameters": {"mu": {"range": [0, 1], "count": 10000}, "v": {"range": [0, 1], "count": 10000}}, "outputs": {"x": "ball.x"}}'
  wrong "the run has no option 'dx'" '{"scene": "ball.json", "parameters": {"run.dx": 1}, "outputs": {"x": "ball.x"}}'
  wrong 'another column of the table is called' '{"scene": "ball.json", "parameters": {"mu": 1}, "outputs": {"mu": "ball.x"}}'
  wrong 'minimize or maximize' '{"scene": "ball.json", "search": {"method": "golden", "parameter": "mu", "range": [0, 1]}, "outputs": {"x": "ball.x"}}'
  wrong "type 'golden' has no such key" '{"scene": "ball.json", "search": {"method": "golden", "parameter": "mu", "range": [0, 1], "when": "mu > 1"}, "outputs": {"x": "ball.x"}}'
  wrong 'remove one of them' '{"scene": "ball.json", "parameters": {"mu": 1}, "search": {"method": "bisection", "parameter": "mu", "range": [0, 1], "when": "mu > 1"}, "outputs": {"x": "ball.x"}}'
  wrong 'no-such-scene.json' '{"scene": "no-such-scene.json", "outputs": {"x": "ball.x"}}'
  echo '{"scene": "ball.json", "outputs": {"x": "ball.x"}}' >study.json
  gives 2 sweep --points 1..2 study.json
  says stderr 'both from 1 to 1'
  gives 2 sweep --cores 0 study.json
  says stderr '--cores'
  gives 2 sweep runs study.json
  says stderr 'expected plan, run, collect or status'
  gives 2 run study.json
  says stderr 'asperity sweep study.json runs it'
  touch taken
  gives 2 sweep --out taken study.json
  says stderr 'not a folder'
}

prove points_that_fail_are_rows_with_exit_code_and_message outputs_are_probes_states_summaries_and_parameters \
  killed_at_random_instants_and_resumed_every_point_is_run_once interrupted_it_says_so_and_goes_on \
  process_that_dies_is_a_row parts_of_the_command_give_the_same_rows_as_the_whole further_values_run_only_these \
  bisection_finds_the_critical_friction_of_a_ladder bisection_finds_the_least_squeeze_of_a_gripper \
  golden_section_finds_the_extreme search_without_change_says_so scripts_for_other_engines_run_the_points \
  page_has_the_table_and_reports_of_kept_results mistakes_are_named
