# run --resume: a run that was killed or stopped goes on to the same result; what cannot go on is refused by name.
. "$(dirname "$0")/checks.sh"

pendulum=$SOURCE/scenes/double-pendulum-hits-wall.json

# killed SIGNAL WORDS...: a run into r.h5 with a checkpoint after every step gets the signal under way
killed() {
  local signal=$1
  shift
  # shellcheck disable=SC2086 # the launcher is a list of words; no function here: the signal must reach the program
  ${LAUNCHER:-} "$ASPERITY" run --quiet --out r.h5 --checkpoint-every 0 "$@" >/dev/null 2>&1 </dev/null &
  local program=$!
  while [ ! -s r.h5.checkpoint ] && kill -0 "$program" 2>/dev/null; do sleep 0.01; done
  sleep 0.1
  kill -s "$signal" "$program" 2>/dev/null
  wait "$program" 2>/dev/null
  [ -s r.h5.checkpoint ] || complain 'ended before the signal'
}

# same_result WORDS...: r.h5, resumed, is what a run without interruption gives
same_result() {
  gives 0 run --json --quiet --resume r.h5
  sed 's/"wall_s": [^,]*, //; s/"result": "[^"]*"//' stdout >resumed.json
  gives 0 run --json --quiet --out whole.h5 "$@"
  sed 's/"wall_s": [^,]*, //; s/"result": "[^"]*"//' stdout >whole.json
  cmp -s resumed.json whole.json || complain 'another summary'
  gives 0 convert --quiet r.h5 --out resumed.csv
  gives 0 convert --quiet whole.h5 --out whole.csv
  cmp -s resumed.csv whole.csv || complain 'other states'
  [ ! -e r.h5.checkpoint ] || complain 'the checkpoint of a run that has ended is left'
}

a_killed_run_goes_on_to_the_same_result() {
  killed KILL "$pendulum" --until 8
  same_result "$pendulum" --until 8
}

a_stopped_run_goes_on_to_the_same_result() {
  killed INT "$pendulum" --until 8 --scheme event-driven
  same_result "$pendulum" --until 8 --scheme event-driven
}

# extremes since the start, accelerations as differences to the step before
probes_go_on_as_if_nothing_had_happened() {
  cat >probed.json <<'SCENE'
{"dimension": 2, "gravity": [0, -9.81], "materials": [{"pair": ["default", "default"], "friction": 0.5, "restitution": 0.5}],
 "bodies": [{"name": "ball", "position": [0, 1], "velocity": [0, 5], "mass": 1, "shapes": [{"type": "disk", "radius": 0.1}]},
            {"name": "floor", "fixed": true, "shapes": [{"type": "half-plane", "normal": [0, 1]}]}],
 "probes": [{"name": "a", "type": "point", "body": "ball", "quantity": "acceleration"}, {"name": "y", "value": "ball.y"}],
 "run": {"dt": 1e-4, "until": 2}}
SCENE
  killed KILL probed.json
  same_result probed.json
  gives 0 convert --quiet r.h5 --what probes --out resumed.csv
  gives 0 convert --quiet whole.h5 --what probes --out whole.csv
  cmp -s resumed.csv whole.csv || complain 'other probes'
}

a_run_without_checkpoint_is_refused() {
  gives 0 run --quiet --out r.h5 "$SOURCE/scenes/sphere-slides-then-rolls.json"
  gives 2 run --resume r.h5
  says stderr 'there is no r.h5.checkpoint beside it: the run has ended'
  one_line stderr
}

a_damaged_checkpoint_is_refused() {
  killed KILL "$pendulum" --until 8
  cp r.h5.checkpoint kept
  printf 'x' | dd of=r.h5.checkpoint bs=1 seek=200 conv=notrunc 2>/dev/null
  gives 2 run --resume r.h5
  says stderr 'the checkpoint is damaged: start the run again'
  head -c 100 kept >r.h5.checkpoint
  gives 2 run --resume r.h5
  says stderr 'the checkpoint is damaged'
  printf 'ASPCHECK\007' >r.h5.checkpoint
  gives 2 run --resume r.h5
  says stderr 'r.h5.checkpoint: this is not a checkpoint'
}

a_scene_that_changed_is_refused() {
  cp "$pendulum" scene.json
  killed KILL scene.json --until 8
  sed 's/"until"/ "until"/' "$pendulum" >scene.json
  gives 2 run --resume r.h5
  says stderr 'the scene has changed since the run began'
}

a_table_or_mesh_that_changed_is_refused() {
  local mesh=$SOURCE/scenes/meshes/bracket.obj
  cp "$mesh" part.obj
  printf 't,push\n0,1\n0.5,-1\n1,1\n' >push.csv
  cat >scene.json <<'END'
{ "bodies": [ { "name": "part", "mass": 1, "shapes": [ { "type": "convex", "file": "part.obj", "material": "m" } ] } ],
  "materials": [ { "pair": ["*", "*"], "friction": 0 } ],
  "tables": [ { "name": "push", "file": "push.csv", "column": "push", "outside": "repeat" } ],
  "forces": [ { "type": "force", "body": "part", "force": ["table(push, t)", 0, 0] } ],
  "run": { "dt": 0.0001, "until": 100 } }
END
  killed KILL scene.json --until 8
  gives 0 info r.h5
  says stdout 'file push.csv'
  says stdout 'file part.obj'
  printf 't,push\n0,1\n0.5,-1.5\n1,1\n' >push.csv
  gives 2 run --resume r.h5
  says stderr 'push.csv: the file, which the scene'
  says stderr 'has changed since the run began; put it back'
  printf 't,push\n0,1\n0.5,-1\n1,1\n' >push.csv
  printf ' ' >>part.obj
  gives 2 run --resume r.h5
  says stderr 'part.obj: the file, which the scene'
  rm push.csv
  gives 2 run --resume r.h5
  says stderr 'push.csv: No such file or directory'
}

other_options_are_refused_by_name() {
  killed KILL "$pendulum" --until 8
  gives 2 run --resume r.h5 --dt 0.001
  says stderr 'saved with the option dt'
  gives 2 run --resume r.h5 "$pendulum"
  says stderr '--resume goes on with the scene, the settings and the result of the run; remove'
  gives 2 run --checkpoint-every often "$pendulum"
  says stderr "--checkpoint-every: 'often' is not a number of seconds, 0 or more"
  gives 2 run
  says stderr 'expected: asperity run SCENE.json'
}

prove a_killed_run_goes_on_to_the_same_result probes_go_on_as_if_nothing_had_happened a_stopped_run_goes_on_to_the_same_result \
  a_run_without_checkpoint_is_refused a_damaged_checkpoint_is_refused a_scene_that_changed_is_refused \
  a_table_or_mesh_that_changed_is_refused \
  other_options_are_refused_by_name
