# asperity converge: orders, extrapolated values, and saying so where there is no limit.
. "$(dirname "$0")/checks.sh"

sphere=$SOURCE/scenes/sphere-slides-then-rolls.json

# x = v0 ts - mu g ts^2 / 2 + 5/7 v0 (t - ts), ts = 2 v0 / (7 mu g): the ball slides, then rolls
first_order_scheme_converges_with_order_one_to_the_closed_form() {
  gives 0 converge --json --levels 5 --output ball.position.x --scheme stewart-trinkle --dt 0.03 "$sphere"
  is_empty stderr
  json_is rows/0/quantity ball.position.x
  json_is converged true
  json_is reason null
  json_near rows/0/order 1 0.3
  json_near rows/0/extrapolated 0.940355 0.002
  error=$(json rows/0/error)
  json_near rows/0/extrapolated 0.940355 "$error"
  json_is levels/4/steps 320
}

body_at_rest_is_settled_with_an_error_bar() {
  gives 0 converge --json "$SOURCE/scenes/block-on-slope-26.json"
  json_is rows/0/state settled
  json_near rows/0/error 0 1e-9
  json_is rows/0/order null
}

# no finite forces exist from about 0.8145 s on: what follows depends on the step
motion_beyond_a_jam_has_no_limit_and_exit_code_1() {
  gives 1 converge --levels 5 --dt 0.0005 "$SOURCE/scenes/painleve-slides-into-paradox.json"
  says stdout 'do not converge'
  says stdout 'positions converge up to about t = 0.8'
  says stdout 'there is no limit'
  gives 1 converge --json --levels 5 --dt 0.0005 "$SOURCE/scenes/painleve-slides-into-paradox.json"
  json_is converged false
  json_is rows/0/extrapolated null
  json_near converges_until 0.8145 0.03
}

quantities_are_chosen_by_body_joint_and_kind() {
  scene=$SOURCE/scenes/double-pendulum-hits-wall.json
  gives 0 converge --json --until 0.1 --output lower.velocity,energy.total,joints "$scene"
  json_is rows/0/quantity lower.velocity.x
  json_is rows/1/quantity lower.velocity.y
  says stdout '"energy.total"'
  says stdout '"first.force.x"'
  says_not stdout 'upper.'
}

plot_is_an_svg_with_every_line_named() {
  gives 0 converge --quiet --output ball.position --svg orders.svg "$sphere"
  gives 0 converge --quiet --output bodies.position "$sphere"
  is_empty stdout
  says orders.svg '<svg'
  says orders.svg 'ball.position.x'
  says orders.svg 'order 2'
}

mistakes_are_named() {
  gives 2 converge --levels 2 "$sphere"
  says stderr 'expected a number from 3 to 12'
  gives 2 converge --levels many "$sphere"
  says stderr '--levels many'
  gives 2 converge --output bal "$sphere"
  says stderr "did you mean 'ball'?"
  gives 2 converge --output , "$sphere"
  says stderr "no quantity ''"
  gives 2 converge --output elephants.trunk "$sphere"
  says stderr 'no quantity'
  gives 2 converge --svg no/such/folder.svg "$sphere"
  says stderr '--svg no/such/folder.svg'
  gives 2 converge --until 0 "$sphere"
  says stderr 'leaves no steps'
  gives 2 converge --dt 0 "$sphere"
  says stderr '--dt'
  echo '{"bodies": [{"name": "a"}], "run": {"dt": "x"}}' >broken.json
  gives 2 converge broken.json
  says stderr broken.json
  gives 2 converge no-such-scene.json
  one_line stderr
}

prove first_order_scheme_converges_with_order_one_to_the_closed_form body_at_rest_is_settled_with_an_error_bar \
  motion_beyond_a_jam_has_no_limit_and_exit_code_1 quantities_are_chosen_by_body_joint_and_kind \
  plot_is_an_svg_with_every_line_named mistakes_are_named
