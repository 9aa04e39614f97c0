/* What the package adds to the library in C, seen by C and by cffi (build_native.py), so: declarations alone. */
int aspy_version(void); /* of the headers that the package was built with */

/* A guard ends long calls: by `cancel`, or because Python says so when it is asked (every 50 ms of wall clock: signals).
 */
typedef struct AspyGuard {
  int cancel;           /* the call is to end */
  const int *cancelled; /* the same for many guards at once; may be NULL */
  double asked;         /* s: when Python was asked last */
} AspyGuard;
/* The context's long calls end when the guard says so; also forgets an earlier interruption. */
void aspy_guard_watch(AspyGuard *guard, AspContext *context);

/* A world with the memory that numpy sees. q, v, input and time are copies of the world's, refreshed after every call
 * that changes it. What a program writes into them reaches the world with the next call, as asp_world_set_state and
 * asp_world_set_input take it: checked, and otherwise refused by name and written over. */
typedef struct AspyWorld {
  AspWorld *world;
  AspContext *context;
  AspyGuard guard;
  int q_size, v_size, inputs, bodies, joints;
  double time, *q, *v, *input;                 /* s; q_size; v_size; inputs */
  double time_was, *q_was, *v_was, *input_was; /* as the world has them */
  double *angle;                               /* joints: for asp_world_set_state */
  AspInput *set;                               /* inputs: the same */
  int *control, controls;                      /* the inputs that do not follow the state, and their number */
  AspStepInfo info;                            /* of the last step */
  bool has_before, has_after;                  /* Python's functions around a step */
  void *handle;                                /* cffi's handle of the Python object */
  char message[256];                           /* refused here, not by the library: not empty */
} AspyWorld;

AspError aspy_world_attach(AspyWorld *self, AspWorld *world, AspContext *context);
void aspy_world_release(AspyWorld *self);
void aspy_world_pull(AspyWorld *self);     /* world to numpy */
AspError aspy_world_push(AspyWorld *self); /* numpy to world, what was changed */
AspError aspy_world_step(AspyWorld *self);

/* Steps until a time or a number of steps, whichever is first, or until the world is to stop. Counts go on from what
 * `run` holds: asp_run_summary_start comes first. With a writer every step is appended. */
typedef struct AspyRun {
  AspRunSummary summary;
  int64_t steps; /* of this run; summary.steps counts from the world's start */
  bool stopped;  /* asp_world_stop_reason says why */
} AspyRun;
AspError aspy_world_run(AspyWorld *self, double until, int64_t steps, AspResultWriter *writer, AspyRun *run);

/* A run under controls: `steps` steps, before step k input[control[i]] = table[k * controls + i] (NULL: inputs stay).
 * Rows of 1 + q_size + v_size numbers (time, q, v) after every step go to states, certificates to certified and residual; each
 * may be NULL. *done steps were made. */
AspError aspy_world_rollout(AspyWorld *self, int64_t steps, const double *table, double *states, bool *certified,
                            double *residual, int64_t *done);
