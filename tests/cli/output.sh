# Results of large scenes: every n-th step, chosen bodies, single precision; other commands read them as ever.
. "$(dirname "$0")/checks.sh"

three_balls() {
  cat >balls.json <<'END'
{ "gravity": [0, 0, -9.81], "materials": [ { "pair": ["*", "*"], "friction": 0.3 } ],
  "bodies": [ { "name": "floor", "fixed": true, "shapes": [ { "type": "half-space", "normal": [0, 0, 1] } ] },
              { "name": "ball1", "mass": 1, "position": [0, 0, 0.1], "velocity": [1, 0, 0], "shapes": [ { "type": "sphere", "radius": 0.1 } ] },
              { "name": "ball2", "mass": 1, "position": [0, 1, 0.1], "velocity": [2, 0, 0], "shapes": [ { "type": "sphere", "radius": 0.1 } ] },
              { "name": "other", "mass": 1, "position": [0, 2, 0.1], "velocity": [3, 0, 0], "shapes": [ { "type": "sphere", "radius": 0.1 } ] } ],
  "run": { "dt": 0.001, "until": 0.2 } }
END
}
column() { awk -F, -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if (index($i, name) == 1 || index($i, "\"" name) == 1) c = i } END { print $c }' "$2"; }
same() { awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(d <= t) }' || complain "$1 and $2 differ by more than $3"; }

chosen_bodies_are_kept_and_others_stay_where_they_began() {
  three_balls
  gives 0 run --quiet --out all.h5 balls.json
  gives 0 run --quiet --out some.h5 --output-bodies 'ball*' balls.json
  gives 0 convert all.h5 -o all.csv
  gives 0 convert some.h5 -o some.csv
  for name in ball1.x ball2.x ball2.vx; do
    [ "$(column $name all.csv)" = "$(column $name some.csv)" ] || complain "$name: $(column $name all.csv) and $(column $name some.csv)"
  done
  same "$(column other.x some.csv)" 0 0
  same "$(column other.x all.csv)" 0.54114 1e-3
  gives 0 convert --what contacts all.h5 -o all_contacts.csv
  gives 0 convert --what contacts some.h5 -o some_contacts.csv
  says all_contacts.csv other
  says_not some_contacts.csv other
  says some_contacts.csv ball2
  [ "$(wc -c <some.h5)" -lt "$(wc -c <all.h5)" ] || complain 'not smaller'
}

single_precision_halves_the_frames_and_keeps_seven_digits() {
  three_balls
  gives 0 run --quiet --out all.h5 balls.json
  gives 0 run --quiet --out single.h5 --output-single balls.json
  gives 0 convert all.h5 -o all.csv
  gives 0 convert single.h5 -o single.csv
  same "$(column ball1.x all.csv)" "$(column ball1.x single.csv)" 1e-7
  [ "$(column ball1.x all.csv)" != "$(column ball1.x single.csv)" ] || complain 'not in single precision'
  [ "$(column 'time' all.csv)" = "$(column 'time' single.csv)" ] || complain 'time lost digits'
  [ "$(($(wc -c <single.h5) * 10))" -lt "$(($(wc -c <all.h5) * 8))" ] || complain 'not smaller'
}

pages_and_exports_show_the_chosen_bodies() {
  three_balls
  gives 0 run --quiet --out some.h5 --output-bodies ball1 --output-single --output-every 10 balls.json
  gives 0 report some.h5 -o some.html
  gives 0 convert some.h5 -o some.glb
  gives 0 convert some.h5 -o some.pvd
  gives 0 info --json some.h5
  json_is properties/frames 21
}

scene_key_names_them_and_a_stopped_run_goes_on() {
  three_balls
  sed -i 's/"run":/"output_bodies": ["ball2"], "run":/' balls.json
  gives 0 run --quiet --out key.h5 balls.json
  gives 0 convert key.h5 -o key.csv
  same "$(column ball1.x key.csv)" 0 0
  sed -i 's/"until": 0.2/"until": 20/; s/"output_bodies": \["ball2"\], //' balls.json
  (exec ${LAUNCHER:-} "$ASPERITY" run --quiet --out stopped.h5 --output-bodies other --checkpoint-every 0 balls.json >stdout 2>stderr </dev/null) &
  victim=$!
  for _ in $(seq 600); do [ ! -f stopped.h5.checkpoint ] || break; sleep 0.1; done
  sleep 0.2
  kill -9 $victim
  wait $victim 2>/dev/null
  gives 0 run --quiet --until 20 --resume stopped.h5
  gives 0 convert stopped.h5 -o stopped.csv
  same "$(column ball1.x stopped.csv)" 0 0
  awk -v x="$(column other.x stopped.csv)" 'BEGIN { exit !(x > 1) }' || complain 'the chosen one is not there'
}

state_of_a_filtered_result_leaves_other_bodies_as_they_are() {
  three_balls
  gives 0 run --quiet --out some.h5 --output-bodies ball1 balls.json
  gives 0 run --json --quiet --from some.h5 --until 0.201 --out none balls.json
  json_near final/bodies/2/position/0 0.002 1e-4
  json_near final/bodies/1/position/0 0.142 2e-2
}

mistakes_are_named() {
  three_balls
  gives 2 run --output-bodies ball3 balls.json
  says stderr "no body is called 'ball3'; did you mean 'ball"
  sed -i 's/"run":/"output_bodies": ["sphere*"], "run":/' balls.json
  gives 2 validate balls.json
  says stderr "/output_bodies: no body is called 'sphere*'"
  gives 2 run --resume x.h5 --output-bodies ball1
  says stderr 'remove'
}

prove chosen_bodies_are_kept_and_others_stay_where_they_began single_precision_halves_the_frames_and_keeps_seven_digits \
  pages_and_exports_show_the_chosen_bodies scene_key_names_them_and_a_stopped_run_goes_on \
  state_of_a_filtered_result_leaves_other_bodies_as_they_are mistakes_are_named
