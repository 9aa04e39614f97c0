/* Trinkle's time stepping on scenes with closed forms. Numbers: docs/reference/cases.md (exact solutions of the
 * motion, or of the scheme where the scheme's own error is known in closed form). Every scene goes the
 * way of `asperity run`. */
#include "linalg/vec3.h"
#include "world/scene_runner.h"

static void sphere_slides_then_rolls_as_computed_in_closed_form(void **state) {
  (void)state;
  SceneRun run;
  scene_open(&run, "sphere-slides-then-rolls", 0);
  const double vx[] = {1.76456, 1.52912, 10.0 / 7, 10.0 / 7, 10.0 / 7};
  const double wy[] = {0.5886, 1.1772, 10.0 / 7, 10.0 / 7, 10.0 / 7};
  const double fx[] = {-1.962, -1.962, -0.8379047619047619, 0, 0};
  for (int i = 0; i < 5; i++) {
    assert_true(scene_step(&run));
    assert_near(scene_velocity(&run, "ball").x, vx[i], 1e-10);
    assert_near(scene_angular_velocity(&run, "ball").y, wy[i], 1e-10);
    assert_int_equal(asp_world_contact_count(run.world), 1);
    const AspContactRecord *contact = &asp_world_contacts(run.world)[0];
    AspVec3 force = scale3(1 / run.info.dt,
                           add3(scale3(contact->impulse[1], contact->t1), scale3(contact->impulse[2], contact->t2)));
    if (contact->body_b != scene_body(&run, "ball"))
      force = neg3(force);
    assert_near(force.x, fx[i], 1e-9);
    assert_near(contact->impulse[0] / run.info.dt, 9.81, 1e-9);
    assert_int_equal(contact->mode, i < 2 ? ASP_MODE_SLIDE : ASP_MODE_STICK);
  }
  assert_false(scene_step(&run));
  assert_near(scene_position(&run, "ball").x, 0.9095273142857143, 1e-10);
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
}

static void rotor_with_dry_friction_stops_on_time_and_stays(void **state) {
  (void)state;
  SceneRun run;
  scene_open(&run, "rotor-with-dry-friction", 0);
  double stopped = -1;
  while (scene_step(&run)) {
    const AspJointRecord *hinge = scene_joint(&run, "hinge");
    if (stopped < 0 && fabs(hinge->rate) < 1e-9)
      stopped = run.info.t;
    assert_at_most(fabs(hinge->friction), 0.2 + 1e-12);
  }
  assert_near(stopped, 7.5, 0.0101);
  assert_near(scene_joint(&run, "hinge")->coordinate, 11.235, 1e-9);
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
}

static void dry_friction_oscillator_loses_a_quarter_radian_per_half_swing(void **state) {
  (void)state;
  SceneRun run;
  scene_open(&run, "dry-friction-oscillator", 0);
  const double extrema[] = {-0.75, 0.5, -0.25};
  int found = 0;
  double last_rate = 0, last = 1;
  while (scene_step(&run)) {
    const AspJointRecord *hinge = scene_joint(&run, "hinge");
    if (hinge->rate * last_rate < 0 || (hinge->rate == 0 && last_rate != 0)) {
      if (found < 3) {
        assert_near(last, extrema[found], 0.005);
        assert_near(run.info.t, (found + 1) * 1.5707963267948966, 0.005);
      }
      found++;
    }
    last_rate = hinge->rate;
    last = hinge->coordinate;
  }
  assert_true(found >= 3);
  assert_near(scene_joint(&run, "hinge")->coordinate, 0, 0.005);
  assert_near(scene_joint(&run, "hinge")->rate, 0, 1e-12);
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
}

static void slider_on_incline_gains_the_speed_that_friction_leaves(void **state) {
  (void)state;
  SceneRun run;
  scene_open(&run, "slider-on-incline", 0);
  while (scene_step(&run)) {
  }
  assert_near(scene_joint(&run, "rail")->rate, 2.7031645337072314, 1e-9);
  assert_near(scene_joint(&run, "rail")->coordinate, 1.3650980895221518, 1e-9);
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
}

static void block_on_slope_sticks_iff_tan_angle_below_mu(void **state) {
  (void)state;
  SceneRun run;
  scene_open(&run, "block-on-slope-26", 0);
  while (scene_step(&run))
    assert_at_most(norm3(scene_velocity(&run, "block")), 1e-9);
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);

  scene_open(&run, "block-on-slope-27", 0);
  while (scene_step(&run))
    assert_near(norm3(scene_velocity(&run, "block")), 0.08325980130100907 * run.info.t, 1e-9);
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
}

/* Largest drift over the run and over its second half, for a step size. */
static void drift_of(const char *name, double dt, double *whole, double *late, char *warnings, size_t size) {
  SceneRun run;
  scene_open(&run, name, dt);
  *late = 0;
  while (scene_step(&run))
    if (run.info.t > run.scene.run.until / 2)
      *late = fmax(*late, run.info.joint_drift);
  *whole = run.drift_max;
  assert_int_equal(run.uncertified, 0);
  warnings[0] = 0;
  for (int i = 0; i < asp_world_warning_count(run.world); i++)
    snprintf(warnings + strlen(warnings), size - strlen(warnings), "%s\n", asp_world_warning(run.world, i));
  scene_close(&run);
}

static void closed_loop_drift_falls_with_the_square_of_the_step_and_does_not_grow(void **state) {
  (void)state;
  const char *names[] = {"four-bar", "four-bar-in-space"};
  for (int i = 0; i < 2; i++) {
    double coarse, fine, late_coarse, late_fine;
    char warnings[2048];
    drift_of(names[i], 0.01, &coarse, &late_coarse, warnings, sizeof warnings);
    drift_of(names[i], 0.005, &fine, &late_fine, warnings, sizeof warnings);
    assert_near(log2(coarse / fine), 2, 0.2);
    assert_at_most(late_fine, 1.05 * fine);
    // the planar linkage has none, the spatial one names its last joint
    if (i == 0)
      assert_string_equal(warnings, "");
    else
      assert_non_null(strstr(warnings, "joint rocker bearing is redundant"));
  }
}

static void motor_with_effort_limit_stalls_where_the_spring_balances_it(void **state) {
  (void)state;
  SceneRun run;
  scene_open(&run, "motor-stalls", 0);
  assert_true(scene_step(&run));
  bool tracked = false;
  while (scene_step(&run)) {
    assert_at_most(fabs(scene_joint(&run, "drive")->motor), 5 + 1e-9);
    tracked = tracked || fabs(scene_joint(&run, "drive")->rate - 2) < 1e-9;
  }
  assert_true(tracked); // until spring and damper ask for more than the effort
  assert_near(scene_joint(&run, "drive")->coordinate, 0.5, 1e-6);
  assert_near(scene_joint(&run, "drive")->motor, 5, 1e-9);
  assert_near(scene_joint(&run, "drive")->rate, 0, 1e-6);
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
}

/* Largest error of the slider's position against the closed form. */
static double slider_error(double dt) {
  SceneRun run;
  scene_open(&run, "slider-crank", dt);
  double worst = 0;
  while (scene_step(&run)) {
    double a = 6.283185307179586 * run.info.t, r = 0.1, L = 0.3;
    double x = r * cos(a) + sqrt(L * L - r * r * sin(a) * sin(a));
    worst = fmax(worst, fabs(scene_position(&run, "slider").x - x));
    assert_near(scene_joint(&run, "crank bearing")->coordinate, a, 1e-9);
  }
  assert_int_equal(run.uncertified, 0);
  scene_close(&run);
  return worst;
}

static void prescribed_crank_drives_the_slider_along_its_closed_form(void **state) {
  (void)state;
  double coarse = slider_error(0.002), fine = slider_error(0.001);
  assert_at_most(fine, 1e-4);
  assert_near(log2(coarse / fine), 2, 0.2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sphere_slides_then_rolls_as_computed_in_closed_form),
      cmocka_unit_test(rotor_with_dry_friction_stops_on_time_and_stays),
      cmocka_unit_test(dry_friction_oscillator_loses_a_quarter_radian_per_half_swing),
      cmocka_unit_test(slider_on_incline_gains_the_speed_that_friction_leaves),
      cmocka_unit_test(block_on_slope_sticks_iff_tan_angle_below_mu),
      cmocka_unit_test(closed_loop_drift_falls_with_the_square_of_the_step_and_does_not_grow),
      cmocka_unit_test(motor_with_effort_limit_stalls_where_the_spring_balances_it),
      cmocka_unit_test(prescribed_crank_drives_the_slider_along_its_closed_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
