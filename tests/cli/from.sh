# run --from: a new run from a state of an old one. And one run at a time writes a result.
. "$(dirname "$0")/checks.sh"

sphere=$SOURCE/scenes/sphere-slides-then-rolls.json
pendulum=$SOURCE/scenes/double-pendulum-hits-wall.json

# The sphere without warm start or scheme memory: the same numbers.
a_run_from_a_state_in_between_ends_where_the_whole_run_ends() {
  gives 0 run --quiet --out whole.h5 "$sphere"
  gives 0 run --json --quiet --out none "$sphere"
  sed 's/.*"final"/"final"/; s/"warnings".*//' stdout >whole.json
  gives 0 run --json --quiet --from whole.h5 --at 0.3 --out part.h5 "$sphere"
  json_is from 'whole.h5 at t = 0.24 s'
  json_is steps 3
  sed 's/.*"final"/"final"/; s/"warnings".*//' stdout >part.json
  cmp -s whole.json part.json || complain 'another end'
  gives 0 info part.h5
  says stdout 'time start: 0.24 s'
  says stdout 'from: whole.h5 at t = 0.24 s'
}

# Joints with more than one turn, and bodies that the old run did not have.
another_scene_takes_the_bodies_of_the_same_names() {
  cat >turns.json <<'END'
{ "bodies": [ { "name": "base", "fixed": true }, { "name": "wheel", "mass": 1, "inertia": [1, 1, 1], "angular_velocity": [0, 0, 10] } ],
  "joints": [ { "name": "axle", "type": "revolute", "bodies": ["base", "wheel"], "point": [0, 0, 0], "axis": [0, 0, 1] } ],
  "probes": [ { "name": "angle", "value": "axle.coordinate" } ], "run": { "dt": 0.01, "until": 2 } }
END
  sed 's/"joints"/"forces": [ { "type": "torque", "body": "wheel", "torque": [0, 0, -10] } ], "joints"/; s/"run"/"description": "brakes", "run"/; s/0, 10\] } \],$/0, 10] }, { "name": "new", "mass": 1, "inertia": [1, 1, 1], "velocity": [0, 0, 1] } ],/' turns.json >brakes.json
  gives 0 run --quiet --out turns.h5 turns.json
  gives 0 run --json --from turns.h5 --until 3 --out none brakes.json
  says stderr '1 of 2 free bodies are not in turns.h5 and start as the scene says'
  json_near probes/angle/final 25 1e-6
  json_near final/bodies/1/angular_velocity/2 0 1e-9
  json_near final/bodies/2/position/2 1 1e-9
}

# A crate is grabbed at 0.2 s, carried up with 1 m/s and dropped at 0.7 s: from 0.5 s on as in the whole run.
inputs_events_and_switched_joints_go_on_where_they_were() {
  cat >crane.json <<'END'
{ "gravity": [0, 0, -10], "materials": [ { "pair": ["*", "*"], "friction": 0.5 } ], "inputs": [ { "name": "speed" }, { "name": "untouched", "value": 3 } ],
  "bodies": [ { "name": "ground", "fixed": true, "shapes": [ { "type": "half-space" } ] }, { "name": "hook", "mass": 1, "inertia": [1, 1, 1], "position": [0, 0, 1] },
    { "name": "crate", "mass": 2, "position": [0, 0, 0.1], "shapes": [ { "type": "box", "size": [0.2, 0.2, 0.2] } ] } ],
  "joints": [ { "name": "lift", "type": "prismatic", "bodies": ["ground", "hook"], "axis": [0, 0, 1], "motor": { "velocity": "speed", "effort": 1000 } },
    { "name": "weld", "type": "fixed", "bodies": ["hook", "crate"], "point": [0, 0, 0.2], "active": false } ],
  "events": [ { "name": "grab", "when": "t >= 0.2", "activate": "weld", "set": { "speed": 1 } }, { "name": "drop", "when": "t >= 0.7", "release": "weld", "once": true } ],
  "probes": [ { "name": "z", "value": "crate.z" }, { "name": "w", "value": "untouched" } ], "run": { "dt": 0.01, "until": 0.8 } }
END
  gives 0 run --json --quiet --out crane.h5 crane.json
  whole=$(json final/bodies/2/position/2)
  json_near probes/z/final 0.647 5e-2
  for at in 0.1 0.5 0.75; do
    sed 's/"value": 3/"value": 4/' crane.json >other.json
    gives 0 run --json --quiet --from crane.h5 --at $at --out part.h5 other.json
    json_is event_actions/grab 1
    json_is event_actions/drop 1
    json_is probes/w/final 4
    json_near final/bodies/2/position/2 "$whole" 1e-9
  done
}

what_cannot_be_taken_is_refused_by_name() {
  gives 0 run --quiet --out a.h5 "$sphere"
  gives 2 run --from a.h5 --out b.h5 "$sphere"
  says stderr 'the state is of t = 0.6 s, and the run ends at 0.6 s; use a later --until'
  gives 2 run --from a.h5 --at 9 --out b.h5 "$sphere"
  says stderr 'a.h5: there is no state at t = 9 s; it has 0 to 0.6 s'
  gives 2 run --from a.h5 --at soon --out b.h5 "$sphere"
  says stderr "--at: 'soon' is not a time in seconds"
  gives 2 run --at 0.1 --out b.h5 "$sphere"
  says stderr 'add --from RESULT.h5'
  gives 2 run --from a.h5 --out b.h5 "$pendulum"
  says stderr 'a.h5: it has 3 dimensions, the scene 2'
  gives 2 run --from a.h5 --until 9 --out b.h5 "$SOURCE/scenes/dry-friction-oscillator.json"
  says stderr 'a.h5: '
  sed 's/"ball"/"sphere"/' "$sphere" >other.json
  gives 2 run --from a.h5 --until 2 --out b.h5 other.json
  says stderr "no free body of the scene has the name of one of its bodies ('ground', ...)"
  gives 2 run --from "$sphere" --out b.h5 "$sphere"
  says stderr 'this is a scene, not a result'
  gives 2 run --from nowhere.h5 --out b.h5 "$sphere"
  says stderr 'nowhere.h5'
  gives 2 run --from a.h5 --until 2 --out a.h5 "$sphere"
  says stderr 'a.h5: the result would replace the one of --from; choose another --out'
  gives 2 run --resume a.h5 --from a.h5
  says stderr 'remove --from'
  [ ! -e b.h5 ] || complain 'a refused run has written a result'
  [ ! -e b.h5.lock ] || complain 'a refused run has left its lock'
}

info_names_the_stop_condition() {
  gives 0 run --quiet --out r.h5 "$SOURCE/scenes/sorter-events.json"
  gives 0 info r.h5
  says stdout 'end: a stop condition ended the run: the block has come to rest'
}

# The lock is the system's: it ends with the program, also by a kill.
a_second_run_onto_the_same_result_is_refused() {
  # shellcheck disable=SC2086 # the launcher is a list of words; no function here: the signal must reach the program
  ${LAUNCHER:-} "$ASPERITY" run --quiet --out r.h5 --checkpoint-every 0 --until 1000 "$pendulum" >/dev/null 2>&1 </dev/null &
  local program=$!
  while [ ! -s r.h5.checkpoint ]; do sleep 0.01; done
  gives 2 run --quiet --out r.h5 "$sphere"
  says stderr "r.h5: another run, process $program, is writing it"
  one_line stderr
  gives 2 run --resume r.h5
  says stderr 'another run'
  gives 0 run --quiet --out other.h5 "$sphere"
  [ ! -e other.h5.lock ] || complain 'the lock of a run that has ended is left'
  kill -s KILL "$program"
  wait "$program" 2>/dev/null
  gives 0 run --quiet --out r.h5 "$sphere"
  gives 0 info r.h5
  says stdout 'sphere slides, then rolls'
}

a_folder_that_cannot_be_written_is_named() {
  mkdir closed
  chmod 555 closed
  [ "$(id -u)" -eq 0 ] || {
    gives 2 run --quiet --out closed/r.h5 "$sphere"
    says stderr 'closed/r.h5'
  }
  gives 2 run --quiet --out missing/r.h5 "$sphere"
  says stderr 'missing/r.h5'
}

prove a_run_from_a_state_in_between_ends_where_the_whole_run_ends another_scene_takes_the_bodies_of_the_same_names \
  inputs_events_and_switched_joints_go_on_where_they_were what_cannot_be_taken_is_refused_by_name info_names_the_stop_condition a_second_run_onto_the_same_result_is_refused \
  a_folder_that_cannot_be_written_is_named
