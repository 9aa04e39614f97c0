# run --accuracy: what is printed, written and refused.
. "$(dirname "$0")/checks.sh"

ball=$SOURCE/scenes/peers/bouncing_ball.json

accuracy_is_reported_and_frames_stay_on_the_grid() {
  gives 0 run --json --quiet --accuracy 1e-3 --dt 0.05 --until 1 --out r.h5 "$ball"
  is_empty stderr
  json_is accuracy/asked 0.001
  json_is accuracy/lost_at null
  json_not_negative accuracy/steps_rejected
  json accuracy/share | awk '{ exit !($1 > 0 && $1 <= 1) }' || complain 'share of what is asked'
  json_is accuracy/steps_accepted "$(json steps)"
  # v = g t, then 0.8 of it back: 0.1 + 0.8 sqrt(2 g) (t - s) - g (t - s)^2 / 2, s = sqrt(2 / g)
  json_near final/bodies/1/position/2 0.5680 0.002
  gives 0 convert --quiet r.h5 --out r.csv
  [ "$(wc -l <r.csv)" -eq 22 ] || complain 'frames besides those of the grid'
  gives 0 run --accuracy 1e-3 --dt 0.05 --until 1 --out r.h5 "$ball"
  says stdout 'kept, estimated error'
}

run_without_the_option_says_null() {
  gives 0 run --json --quiet --until 0.1 --out r.h5 "$ball"
  json_is accuracy null
}

scene_may_ask_for_it() {
  sed 's/"run": {/"run": {"accuracy": 1e-3, "accuracy_relative": 1e-3, "accuracy_velocity": 0.1, /' "$ball" >scene.json
  gives 0 run --json --quiet --until 0.6 --out r.h5 scene.json
  json_is accuracy/asked_relative 0.001
  json_near accuracy/asked_velocity 0.1 1e-15
}

mistakes_are_named() {
  gives 2 run --accuracy -1 "$ball"
  says stderr '--accuracy'
  gives 2 run --accuracy fine "$ball"
  says stderr '--accuracy'
  gives 2 run --accuracy 1e-3 --scheme event-driven "$ball"
  says stderr 'accuracy: steps of varying length is not possible with the scheme event-driven'
  says stderr 'moreau-jean or generalized-alpha'
  gives 2 run --accuracy-velocity 1e-3 "$ball"
  says stderr 'add accuracy (m)'
  sed 's/"run": {/"run": {"accuracy": "fine", /' "$ball" >scene.json
  gives 2 run scene.json
  says stderr accuracy
}

prove accuracy_is_reported_and_frames_stay_on_the_grid run_without_the_option_says_null scene_may_ask_for_it \
  mistakes_are_named
