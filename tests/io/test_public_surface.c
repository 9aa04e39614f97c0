/* One form of destroy for all that the library makes: NULL and empty data are no work. */
#include "asperity/asperity.h"
#include "testing.h"

static void every_destroy_takes_null(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  asp_context_destroy(NULL);
  asp_judge_destroy(NULL);
  asp_solver_destroy(NULL);
  asp_collision_destroy(NULL);
  asp_model_destroy(NULL);
  asp_world_destroy(NULL);
  asp_compliant_destroy(NULL);
  for (int i = 0; i < 2; i++) { // without a context, too
    AspContext *owner = i ? context : NULL;
    asp_problem_destroy(owner, NULL);
    asp_lcp_destroy(owner, NULL);
    asp_mixed_lcp_destroy(owner, NULL);
    asp_hull_destroy(owner, NULL);
    asp_height_field_destroy(owner, NULL);
    asp_expression_destroy(owner, NULL);
    asp_analysis_destroy(owner, NULL);
    asp_statics_destroy(owner, NULL);
    asp_level_problem_destroy(owner, NULL);
    asp_scene_destroy(owner, NULL);
    asp_mistakes_destroy(owner, NULL);
    asp_text_destroy(owner, NULL);
    asp_view_data_destroy(owner, NULL);
    asp_fclib_extra_destroy(owner, NULL);
  }
  asp_state_destroy(NULL, NULL);
  asp_context_destroy(context);
}

static void every_destroy_takes_what_is_empty(void **state) {
  (void)state;
  AspContactProblem problem = {0};
  AspLcp lcp = {0};
  AspMixedLcp mixed = {0};
  AspAnalysis analysis = {0};
  AspStatics statics = {0};
  AspLevelProblem level = {0};
  AspScene scene = {0};
  AspMistakes mistakes = {0};
  AspFclibExtra extra = {0};
  AspState motion = {0};
  asp_problem_destroy(NULL, &problem);
  asp_lcp_destroy(NULL, &lcp);
  asp_mixed_lcp_destroy(NULL, &mixed);
  asp_analysis_destroy(NULL, &analysis);
  asp_statics_destroy(NULL, &statics);
  asp_level_problem_destroy(NULL, &level);
  asp_scene_destroy(NULL, &scene);
  asp_mistakes_destroy(NULL, &mistakes);
  asp_fclib_extra_destroy(NULL, &extra);
  asp_state_destroy(NULL, &motion);
}

/* A value that an enum does not have, and a value that it has, have a name each. */
static void names_are_never_null(void **state) {
  (void)state;
  const char *names[] = {
      asp_log_level_name((AspLogLevel)99),
      asp_error_name((AspError)99),
      asp_field_type_name((AspFieldType)99),
      asp_law_kind_name((AspLawKind)99),
      asp_cone_kind_name((AspConeKind)99),
      asp_status_name((AspStatus)99),
      asp_method_name((AspMethod)99),
      asp_shape_kind_name((AspShapeKind)99),
      asp_joint_kind_name((AspJointKind)99),
      asp_force_kind_name((AspForceKind)99),
      asp_body_kind_name((AspBodyKind)99),
      asp_axial_strain_name((AspAxialStrain)99),
      asp_impact_law_name((AspImpactLaw)99),
      asp_block_mode_name((AspBlockMode)99),
      asp_scheme_name((AspScheme)99),
      asp_selection_name((AspSelection)99),
      asp_scheme_feature_name((AspSchemeFeature)99),
      asp_event_kind_name((AspEventKind)99),
      asp_problem_level_name((AspProblemLevel)99),
      asp_contact_mode_name((AspContactMode)99),
      asp_fact_kind_name((AspFactKind)99),
      asp_triplet_order_name((AspTripletOrder)99),
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    assert_true(names[i] && strncmp(names[i], "unknown", 7) == 0);
  assert_string_equal(asp_scheme_name(ASP_SCHEME_COMPLIANT), "compliant");
  assert_string_equal(asp_cone_kind_name(ASP_CONE_RELAXED), "relaxed");
  assert_string_equal(asp_impact_law_name(ASP_IMPACT_SEQUENTIAL), "sequential");
  assert_string_equal(asp_selection_name(ASP_SELECT_STIFF), "stiff");
  assert_string_equal(asp_problem_level_name(ASP_PROBLEM_STATIC), "static");
  assert_string_equal(asp_body_kind_name(ASP_BODY_STATION), "station");
  assert_string_equal(asp_block_mode_name(ASP_BLOCK_ANY), "any");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_destroy_takes_null),
      cmocka_unit_test(every_destroy_takes_what_is_empty),
      cmocka_unit_test(names_are_never_null),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
