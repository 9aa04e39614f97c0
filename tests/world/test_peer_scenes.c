/* The scenes on which engines were measured (scenes/peers): every number that is asked for is reached, every step
 * certified. */
#include "peer_judge.h"
#include "testing.h"

static void check(void *user, const PeerMeasure *measure) {
  int *missed = user;
  bool good = measure->value <= measure->asked; // NaN: an uncertified step
  print_message("%-16s %-36s %10.2e of %8.1e %s%s\n", measure->scene, measure->quantity, measure->value, measure->asked,
                measure->unit, good ? "" : "   MISSED");
  *missed += !good;
}

static void every_measure_is_as_asked(void **state) {
  (void)state;
  AspContext *context = asp_context_create(NULL);
  int missed = 0;
  assert_ok(context, peer_judge(context, ASP_SOURCE_DIR "/scenes/peers", &peer_asperity, check, &missed));
  assert_int_equal(missed, 0);
  assert_int_equal(asp_context_memory_in_use(context), 0);
  asp_context_destroy(context);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_measure_is_as_asked)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
