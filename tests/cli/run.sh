# asperity run: results, summary, JSON, exit codes, interruption.
. "$(dirname "$0")/checks.sh"

sphere=$SOURCE/scenes/sphere-slides-then-rolls.json

json_has_every_key_and_the_known_answer() {
  gives 0 run --json "$sphere"
  is_empty stderr
  json_is steps 5
  json_near time 0.6 1e-12
  json_is steps_uncertified 0
  json_is steps_unresolved 0
  json_is resolution/turn/applies false
  json_near resolution/energy/worst 0 1e-12
  for key in wall_s residual_max residual_exact_max residual_contact_max penetration_max joint_drift_max; do
    json_not_negative "$key"
  done
  json_near residual_max 0 1e-8
  json_near energy_initial 11.81 1e-12 # m g z + m v^2/2
  # rolling with 5/7 of the speed: m g z + 7/10 m v^2
  json_near energy_final 11.238571428571428 1e-9
  json_is contacts_max 1
  json_is final/bodies/1/name ball
  json_near final/bodies/1/velocity/0 1.4285714285714286 1e-12
  json_near final/bodies/1/angular_velocity/1 1.4285714285714286 1e-12
  json_near final/bodies/1/position/2 1 1e-12
  json final/bodies/1/orientation/3 >/dev/null
  json_is warnings '[]'
}

names_of_any_kind_survive_as_json() {
  sed 's/"ball"/"a \\"ball\\" \\\\ \\u0009 é %s"/' "$sphere" >odd.json
  gives 0 run --json odd.json
  json_is final/bodies/1/name "a \"ball\" \\ $(printf '\t') é %s"
  gives 0 run odd.json
}

result_lies_beside_under_the_name_of_the_scene() {
  gives 0 run "$sphere"
  [ -s sphere-slides-then-rolls.h5 ] || complain 'no result file'
  says stdout sphere-slides-then-rolls.h5
  says stdout certified
  is_empty stderr
}

same_run_gives_equal_bytes() {
  for scene in "$sphere" "$SOURCE/scenes/four-bar.json"; do
    gives 0 run --until 0.5 --out first.h5 "$scene"
    sleep 1.1 # a time stamp would show
    gives 0 run --until 0.5 --out second.h5 "$scene"
    cmp first.h5 second.h5 || complain "$scene: result files differ"
  done
}

flags_override_the_scene() {
  gives 0 run --json --dt 0.01 --until=0.05 "$sphere"
  json_is steps 5
  json_near time 0.05 1e-12
  gives 0 run --json --dt 0.1 --until 1 "$sphere"
  json_is steps 10 # the sum of ten steps falls short of 1 by rounding
}

quiet_says_nothing() {
  gives 0 run --quiet "$sphere"
  is_empty stdout
  is_empty stderr
}

bad_value_names_flag_and_range() {
  gives 2 run --dt -1 "$sphere"
  says stderr '--dt: -1 is outside'
  gives 2 run --dt nan "$sphere"
  says stderr '--dt'
  gives 2 run --friction round "$sphere"
  says stderr "'round' is not one of exact, inscribed"
  gives 2 run --directions 4.5 "$sphere"
  says stderr 'not a whole number'
}

missing_or_broken_scene_is_a_mistake() {
  gives 2 run nothing.json
  says stderr nothing.json
  one_line stderr
  printf '{"bodies": [{"name": "a", "mass": -1}, {"nam": "b"}]}' >broken.json
  gives 2 run broken.json
  says stderr broken.json
  one_line stderr
  gives 2 run --json broken.json
  json error >/dev/null
}

result_never_replaces_the_scene() {
  cp "$sphere" scene.h5
  gives 2 run scene.h5
  says stderr 'would replace the scene'
  cmp -s "$sphere" scene.h5 || complain 'the scene was touched'
}

unwritable_output_is_named() {
  gives 2 run --out nowhere/r.h5 "$sphere"
  says stderr nowhere/r.h5
  mkdir folder
  gives 2 run --out folder "$sphere"
  says stderr folder
  gives 2 run --solver-log nowhere/log.csv "$sphere"
  says stderr nowhere/log.csv
  [ ! -e sphere-slides-then-rolls.h5 ] || complain 'a result was left behind'
}

full_disk_is_reported() {
  code=0
  asperity run "$sphere" >/dev/full 2>stderr || code=$?
  [ "$code" -eq 3 ] || complain "standard output on a full disk: exit code $code, expected 3"
  says stderr 'No space left'
  gives 3 run --solver-log /dev/full --dt 1e-4 "$sphere"
  says stderr /dev/full
  code=0
  # a limit of the file size, in KiB, stands for the disk
  (ulimit -f 500; asperity run --dt 1e-4 --out large.h5 "$sphere" >stdout 2>stderr) || code=$?
  [ "$code" -eq 3 ] || complain "result on a full disk: exit code $code, expected 3"
  says stderr large.h5
}

reader_that_leaves_is_no_failure() {
  asperity run --json "$sphere" 2>stderr | head -c 1 >/dev/null
  [ "${PIPESTATUS[0]}" -eq 0 ] || complain "exit code ${PIPESTATUS[0]}"
  is_empty stderr
}

# start_long_run WORDS...: an endless run into long.h5 in the background, its process in $program; returns when a copy of
# the file can be read and holds steps
start_long_run() {
  # shellcheck disable=SC2086 # the launcher is a list of words; no function here: the signal must reach the program
  ${LAUNCHER:-} "$ASPERITY" run --dt 1e-5 --until 1e5 --out long.h5 "$@" "$sphere" >stdout 2>stderr &
  program=$!
  for _ in $(seq 600); do
    sleep 0.2
    cp long.h5 copy.h5 2>/dev/null && asperity convert copy.h5 -o copy.csv >/dev/null 2>&1 &&
      [ "$(wc -l <copy.csv)" -gt 2 ] && return
  done
  kill -s KILL "$program"
  complain 'no step reached the file in time'
}

result_holds_steps() {
  gives 0 info long.h5
  gives 0 convert long.h5 -o long.csv
  [ "$(wc -l <long.csv)" -gt 2 ] || complain 'the result holds no steps'
}

# interrupted SIGNAL CODE: a long run ends cleanly, its file holds what was computed
interrupted() {
  start_long_run --json --output-every 100
  kill -s "$1" "$program"
  code=0
  wait "$program" || code=$?
  [ "$code" -eq "$2" ] || complain "exit code $code after $1, expected $2"
  json_is interrupted true
  [ "$(json steps)" -gt 0 ] || complain 'no step was made'
  gives 0 info --json long.h5
  json_is properties/complete false
  json_is properties/end 'not reached: the run was stopped'
  result_holds_steps
}
ctrl_c_ends_cleanly() { interrupted INT 130; }
termination_ends_cleanly() { interrupted TERM 143; }

result_survives_a_kill() {
  start_long_run --output-every 10
  kill -s KILL "$program"
  wait "$program" 2>/dev/null
  result_holds_steps
}

solver_log_has_a_line_per_iteration() {
  gives 0 run --solver-log log.csv "$sphere"
  [ "$(head -n 1 log.csv)" = step,iteration,method,residual ] || complain 'header'
  awk -F, 'NR > 1 { if (NF != 4 || $1 < last || $1 > 5) exit 1; last = $1 } END { exit !(NR > 3) }' log.csv ||
    complain "solver log: $(head -n 8 log.csv)"
}

missed_tolerance_ends_with_1_and_leaves_the_problem() {
  gives 1 run --json --solver pgs --retry false --tol 1e-15 --until 0.05 "$SOURCE/scenes/pyramid-of-balls.json"
  [ "$(json steps_uncertified)" -gt 0 ] || complain 'no step was missed'
  [ "$(json steps_retried)" -eq 0 ] || complain 'a step was retried'
  says stderr 'missed the tolerance'
  problem=$(json problems/0)
  says stderr "$problem"
  gives 0 info --json "$problem"
  json_is properties/kind 'contact problem (FCLIB)'
  json_is properties/guesses 1
}

weak_solver_is_helped_out() {
  gives 0 run --json --solver nsgs --max-iterations 3 --until 0.05 "$SOURCE/scenes/peers/stack_heavy_top.json"
  json_is steps_uncertified 0
  [ "$(json steps_retried)" -gt 0 ] || complain 'no step was retried'
  gives 1 run --solver nsgs --max-iterations 3 --retry false --until 0.05 "$SOURCE/scenes/peers/stack_heavy_top.json"
  says stdout 'steps missed'
}

problem_of_a_step_is_written_on_demand() {
  gives 0 run --json --dump-problem 2 --out here.h5 "$sphere"
  json_is problems/0 here-step2.hdf5
  gives 0 info --json here-step2.hdf5
  json_is properties/solution true
  gives 0 run --dump-problem 9 "$sphere"
  says stderr 'step 9 was not reached'
  gives 2 run --dump-problem zero "$sphere"
  says stderr "'zero' is not the number of a step"
}

end_before_the_first_step_is_one_short_step() {
  gives 0 run --json --until 0.01 "$sphere"
  json_is steps 1
  json_near time 0.01 1e-15
  # judged as a step of its length, too: parts were measured by dt, and a pendulum's 5 % vouched for
  echo '{"dimension": 2, "gravity": [0, -9.81], "bodies": [{"name": "a", "mass": 1, "inertia": 1, "position": [0, 0], "velocity": [1, 0]}],
    "joints": [{"type": "revolute", "bodies": ["world", "a"], "point": [0, 1]}], "run": {"until": 0.5}}' >pendulum.json
  gives 0 run --json --dt 10 pendulum.json
  json_near final/bodies/0/position/0 0.2007 5e-4
}

motion_that_is_not_finite_ends_with_3() {
  cat >rocket.json <<'SCENE'
{"bodies": [{"name": "rocket", "mass": 1, "inertia": [1, 1, 1]}], "run": {"dt": 0.01, "until": 1},
 "forces": [{"type": "force", "body": "rocket", "force": ["1/(0.5 - t)^400", 0, 0]}]}
SCENE
  gives 3 run rocket.json
  says stderr rocket
  gives 0 info --json rocket.h5
  json_is properties/complete false
}

energy_is_accounted_for() {
  gives 0 run --json "$sphere"
  json_near energy_flow/friction 0.5714285714285714 1e-9
  json_near energy_flow/remainder 0 1e-9
  gives 0 convert sphere-slides-then-rolls.h5 -o out.csv
  # the last column but four is what friction took so far
  head -n 1 out.csv | grep -qF 'energy.friction [J]' || complain 'no energies in the table'
  tail -n 1 out.csv | awk -F, '{ d = $(NF - 4) - 0.5714285714285714; exit !(d < 1e-9 && d > -1e-9) }' ||
    complain 'energy.friction of the last frame'
}

scenes_in_the_plane_are_summed_up_in_the_plane() {
  gives 0 run --until 0.01 "$SOURCE/scenes/hammer-hits-box.json"
  says stdout 'box at (0.25, 0.15) m, angle 0 rad, velocity (0, 0) m/s'
}

numbers_that_cannot_be_solved_with_end_with_3_and_name_the_time() { # the scene itself is in order
  cat >stiff.json <<'SCENE'
{"dimension": 2, "bodies": [{"name": "ground", "fixed": true}],
 "beams": [{"name": "blade", "length": 1, "mass_per_length": 1, "bending_stiffness": 1e15, "axial_stiffness": 1e20}],
 "joints": [{"type": "fixed", "bodies": ["ground", "blade.start"]}], "run": {"dt": 0.02, "until": 0.2}}
SCENE
  gives 0 validate stiff.json
  gives 3 run stiff.json
  says stderr 'step 1, from t = 0 s'
  says stderr 'must not be so far apart'
}

expression_without_a_value_stays_a_mistake_of_the_scene() {
  cat >root.json <<'SCENE'
{"dimension": 2, "bodies": [{"name": "m", "mass": 1, "inertia": 1}],
 "joints": [{"type": "prismatic", "name": "slide", "bodies": ["world", "m"], "axis": [1, 0], "displacement": "sqrt(0.05 - t)"}],
 "run": {"dt": 0.01, "until": 0.1}}
SCENE
  gives 2 run root.json
  says stderr 'joint slide: its prescribed motion'
}

selection_is_what_the_scheme_does() {
  gives 0 run --friction exact --json --until 0.05 --scheme generalized-alpha "$sphere"
  json_is selection solver
  gives 0 run --friction exact --json --until 0.05 --scheme moreau-jean "$sphere"
  json_is selection painleve
  gives 2 run --scheme generalized-alpha --select painleve "$sphere"
  says stderr '--select: the scheme generalized-alpha keeps the solution of its solver'
  gives 2 run --scheme compliant --select energy "$sphere"
  gives 0 run --friction exact --until 0.05 --scheme generalized-alpha --select solver "$sphere"
}

restitution_of_a_limit_is_missed_aloud() {
  cat >limit.json <<'SCENE'
{"dimension": 2, "gravity": [0, -9.81], "bodies": [{"name": "m", "mass": 1, "inertia": 1, "position": [0, 1]}],
 "joints": [{"type": "prismatic", "name": "slide", "bodies": ["world", "m"], "axis": [0, 1], "limits": [-1, null],
             "limit_restitution": 0.8}],
 "run": {"scheme": "compliant", "dt": 0.01, "until": 0.05, "select": "energy"}}
SCENE
  gives 0 run limit.json
  says stdout 'joint slide: the scheme compliant ignores limit_restitution 0.8'
  says stdout 'the rule energy is for moreau-jean'
}

impossible_drive_ends_with_1_and_keeps_the_steps_before() {
  cat >press.json <<'SCENE'
{"dimension": 2, "gravity": [0, 0], "materials": [{"pair": ["*", "*"], "friction": 0.3}],
 "bodies": [{"name": "wall", "fixed": true, "position": [0.7, 0], "shapes": [{"type": "box", "size": [0.2, 1]}]},
            {"name": "press", "motion": {"position": ["0.5*t-0.4", 0]}, "shapes": [{"type": "box", "size": [0.2, 1]}]},
            {"name": "block", "mass": 1, "shapes": [{"type": "box", "size": [0.4, 0.4]}]}],
 "run": {"dt": 0.01, "until": 2}}
SCENE
  gives 1 run --json press.json
  json_is end_reason 'impossible drive'
  json_is steps_uncertified 0
  json_near time 1 0.021
  says stderr 'body press meets what cannot give way (wall, block): the overlap would grow by 0.5 m/s'
  gives 0 info --json press.h5
  json_is properties/complete false
  gives 1 run press.json
  says stdout 'then ended by an impossible drive'
  gives 0 run --json --until 0.9 press.json
  json_is end_reason until
}

# two balls that start in each other: solved, and not to be trusted
overlapping_balls() {
  cat >balls.json <<SCENE
{"materials": [{"pair": ["*", "*"], "friction": 0.5}],
 "bodies": [{"name": "one", "mass": 1, "shapes": [{"type": "sphere", "radius": 0.5}]},
            {"name": "two", "mass": 1, "position": [0.9, 0, 0], "shapes": [{"type": "sphere", "radius": 0.5}]}],
 "run": {"dt": 0.01, "until": 0.03${1:-}}}
SCENE
}

unresolved_run_ends_with_1_and_names_measure_place_and_remedy() {
  overlapping_balls
  gives 1 run --json balls.json
  json_is steps_uncertified 0
  json_is resolution/penetration/where 'one and two'
  json_is resolution/penetration/threshold 0.02
  json_near resolution/penetration/worst 0.2 1e-9
  json_is resolution/joint_drift/applies false
  [ "$(json steps_unresolved)" -ge 1 ] || complain 'no unresolved steps'
  says stderr 'not resolved: penetration'
  gives 1 run balls.json
  says stdout 'steps are not'
  says stdout 'not resolved from t = 0.01 s (step 1): penetration = 0.2, threshold 0.02, one and two'
  gives 0 info balls.h5
  says stdout 'steps unresolved: 1'
  says stdout 'resolution penetration max: 0.2'
  gives 0 run --most-penetration 0.3 balls.json
  overlapping_balls ', "resolution": {"penetration": 0.3}'
  gives 0 run balls.json
  says stdout 'resolved     all steps'
}

broken_thresholds_are_refused_by_name() {
  overlapping_balls ', "resolution": {"penetration": -1}'
  gives 2 run balls.json
  says stderr 'run/resolution/penetration'
  overlapping_balls ', "resolution": {"penetration": "NaN"}'
  gives 2 run balls.json
  says stderr 'run/resolution/penetration'
  overlapping_balls ', "resolution": {"penetrations": 0.1}'
  gives 2 run balls.json
  says stderr 'penetrations'
  overlapping_balls ', "resolution": 0.1'
  gives 2 run balls.json
  says stderr 'run/resolution'
  overlapping_balls
  gives 2 run --most-penetration nan balls.json
  says stderr 'most-penetration'
  gives 2 run --most-penetration -1 balls.json
  says stderr 'most-penetration'
}

prove json_has_every_key_and_the_known_answer names_of_any_kind_survive_as_json result_lies_beside_under_the_name_of_the_scene \
  same_run_gives_equal_bytes flags_override_the_scene quiet_says_nothing bad_value_names_flag_and_range \
  missing_or_broken_scene_is_a_mistake result_never_replaces_the_scene unwritable_output_is_named \
  full_disk_is_reported reader_that_leaves_is_no_failure ctrl_c_ends_cleanly termination_ends_cleanly \
  result_survives_a_kill solver_log_has_a_line_per_iteration \
  missed_tolerance_ends_with_1_and_leaves_the_problem weak_solver_is_helped_out problem_of_a_step_is_written_on_demand \
  end_before_the_first_step_is_one_short_step motion_that_is_not_finite_ends_with_3 energy_is_accounted_for \
  scenes_in_the_plane_are_summed_up_in_the_plane numbers_that_cannot_be_solved_with_end_with_3_and_name_the_time \
  expression_without_a_value_stays_a_mistake_of_the_scene selection_is_what_the_scheme_does \
  restitution_of_a_limit_is_missed_aloud impossible_drive_ends_with_1_and_keeps_the_steps_before \
  unresolved_run_ends_with_1_and_names_measure_place_and_remedy broken_thresholds_are_refused_by_name
