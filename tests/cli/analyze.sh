# asperity analyze and reproduce preclik as a user meets them: keys that others rely on, mistakes, exit codes.
. "$(dirname "$0")/checks.sh"

no_solution_is_a_result() {
  gives 0 analyze --level acceleration --json "$SOURCE/scenes/painleve-no-solution.json"
  json_is exists false
  json_is complete true
  json_is certificate/witnesses_cover_all_modes true
  gives 0 analyze --level acceleration "$SOURCE/scenes/painleve-no-solution.json"
  says stdout 'no solution exists'
}

three_solutions_come_with_modes_and_reactions() {
  gives 0 analyze --level step --dt 0.01 --json "$SOURCE/scenes/painleve-three-solutions.json"
  json_is unique false
  json_is solutions/0/modes/0 open
  json_is solutions/1/modes/0 stick
  json_near solutions/2/r/0/0 0.07554499728030613 1e-12
  json solutions/2/energy >/dev/null
  json solutions/2/residual >/dev/null
  json solutions/2/x/2 >/dev/null
}

ladder_falls_and_says_how_much_friction_it_needs() {
  gives 0 analyze --static --json "$SOURCE/scenes/peers/ladder_falls.json"
  json_is stands false
  json_near smallest_friction 0.244867 1e-6
}

statics_refuses_beams() { # whose elastic forces it does not know
  cat >beam.json <<'SCENE'
{"dimension": 2, "bodies": [{"name": "ground", "fixed": true}],
 "beams": [{"name": "blade", "length": 1, "mass_per_length": 1, "bending_stiffness": 10, "axial_stiffness": 1e5}],
 "joints": [{"type": "fixed", "bodies": ["ground", "blade.start"]}]}
SCENE
  gives 2 analyze --static beam.json
  says stderr 'beam blade: statics balances rigid bodies'
  says stderr 'asperity run until it rests'
}

stiff_limit_tends_to_the_impulse() {
  gives 0 analyze --stiffness 1e4:1e6 --damping 1 --until 0.002 --json "$SOURCE/scenes/painleve-no-solution.json"
  json_near rows/2/contacts/0/impulse/0 0.3248 0.002
  json_near rows/2/contacts/0/impulse/1 0.4375 0.001
  gives 2 analyze --stiffness hard "$SOURCE/scenes/painleve-no-solution.json"
  says stderr "'hard' is not a number of N/m"
  gives 2 analyze --stiffness 1e6 "$SOURCE/scenes/gallery/tippe-top.json"
  says stderr '"contact_radius", which is not supported'
  gives 2 analyze --stiffness 1e15 "$SOURCE/scenes/block-on-slope-26.json"
  says stderr 'is lost in the rounding of positions'
  gives 1 analyze --stiffness 1e6 --max-time 0.01 "$SOURCE/scenes/gallery/card-house.json" # would take minutes
  says stderr 'time limit reached; raise it with --max-time'
}

mistakes_are_named() {
  scene=$SOURCE/scenes/painleve-no-solution.json
  gives 2 analyze "$scene"
  says stderr '--level acceleration'
  gives 2 analyze --level force "$scene"
  says stderr "there is no level 'force'"
  gives 2 analyze --level step --static "$scene"
  gives 2 analyze --level step --max-time soon "$scene"
  says stderr "'soon' is not a number of seconds"
  gives 2 analyze --static --load wind "$scene"
  says stderr "no force or torque named 'wind'"
  gives 2 analyze --level step --load wind "$scene"
  gives 2 analyze --level step missing.json
}

preclik_agrees_and_draws() {
  mkdir -p figures
  gives 0 reproduce preclik --figures figures
  says stdout 'quantities agree'
  for name in step-three impulse reaction-100 convergence A-over-phi A-over-mu approach; do
    grep -q '</svg>' "figures/preclik-$name.svg" || complain "figures/preclik-$name.svg is not whole"
  done
  gives 2 reproduce preclik --figures no-such-folder/figures
  says stderr 'no-such-folder'
}

laws_that_it_does_not_know_are_refused() {
  sed 's/"friction": [0-9.][0-9.]*/&, "static_friction": 9/' "$SOURCE/scenes/block-on-slope-26.json" >static.json
  gives 2 analyze --level acceleration static.json
  says stderr static_friction
  gives 2 analyze --level impulse static.json
  says stderr static_friction
  sed 's/"friction": [0-9.][0-9.]*/&, "contact_radius": 0.1/' "$SOURCE/scenes/block-on-slope-26.json" >patch.json
  gives 2 analyze --static patch.json
  says stderr contact_radius
}

static_friction_holds_in_a_balance() {
  sed 's/"friction": [0-9.][0-9.]*/"friction": 0.3, "static_friction": 0.5/' "$SOURCE/scenes/block-on-slope-26.json" >static.json
  gives 0 analyze --static static.json
  says stdout "can balance the loads"
}

prove no_solution_is_a_result three_solutions_come_with_modes_and_reactions \
  ladder_falls_and_says_how_much_friction_it_needs statics_refuses_beams stiff_limit_tends_to_the_impulse mistakes_are_named preclik_agrees_and_draws \
  laws_that_it_does_not_know_are_refused static_friction_holds_in_a_balance
