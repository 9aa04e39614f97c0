/* Smooth motion by CVODE: see smooth.h. */
#include "scheme/smooth.h"

#include "base/effort.h"
#include "linalg/dimension.h"
#include "linalg/vec3.h"
#include "model/own_state.h"
#include "model/sensor.h"
#include "model/timed.h"
#include "scheme/tuning/scheme.h"

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

/* SUNDIALS 7 has a type of its own for "no communicator", and a logger in place of CVodeSetErrFile. */
#if SUNDIALS_VERSION_MAJOR >= 7
#define NO_COMMUNICATOR SUN_COMM_NULL
#else
#define NO_COMMUNICATOR NULL
#endif

struct AspSmoothMotion {
  AspSmooth given;
  const AspSmooth *smooth; /* &given */
  AspState origin;         /* where it began, */
  double *origin_further;  /* with these further unknowns, */
  double *target;          /* and the times that it was asked for so far, all reached */
  size_t target_capacity;
  int targets;
  AspState base; /* where it is: fixed bodies, angles */
  AspState trial;
  double *acceleration; /* dofs */
  int moving, unknowns; /* those of bodies, all */
  int64_t evaluations;
  bool exhausted;
  bool sudden;    /* functions of time change at once */
  AspError error; /* of an evaluation */
  SUNContext context;
  void *cvode;
  N_Vector y, tolerance;
  SUNMatrix A;
  SUNLinearSolver linear;
  SUNNonlinearSolver fixed_point;
};

static int coordinates(const AspModel *model) { return asp_body_positions(asp_model_dimension(model)); }
static int velocities(const AspModel *model) { return asp_body_velocities(asp_model_dimension(model)); }

/* ---- unknowns and states ---- */

static void read_unknowns(const AspSmoothMotion *run, double t, const double *y, AspState *state) {
  const AspModel *model = run->smooth->model;
  int n = velocities(model), nq = coordinates(model);
  asp_state_copy(model, &run->base, state);
  state->t = t;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    if (asp_model_body_dof(model, body) < 0)
      continue;
    double *q = state->q + (size_t)nq * body;
    memcpy(q, y, (size_t)nq * sizeof *y);
    memcpy(state->v + (size_t)n * body, y + nq, (size_t)n * sizeof *y);
    y += nq + n;
    if (nq == 7) {
      AspQuat unit = quat_normalize((AspQuat){q[3], q[4], q[5], q[6]});
      double four[4] = {unit.w, unit.x, unit.y, unit.z};
      memcpy(q + 3, four, sizeof four);
    }
  }
  asp_state_advance(model, state, state->v, 0); // kinematic bodies to t, angles along
  asp_state_sense(model, state, state->v);
}

static void write_unknowns(const AspSmoothMotion *run, const double *further, double *y) {
  const AspModel *model = run->smooth->model;
  int n = velocities(model), nq = coordinates(model);
  for (int body = 0; body < asp_model_body_count(model); body++) {
    if (asp_model_body_dof(model, body) < 0)
      continue;
    memcpy(y, run->base.q + (size_t)nq * body, (size_t)nq * sizeof *y);
    memcpy(y + nq, run->base.v + (size_t)n * body, (size_t)n * sizeof *y);
    y += nq + n;
  }
  if (run->smooth->further > 0)
    memcpy(y, further, (size_t)run->smooth->further * sizeof *y);
}

/* ---- what CVODE asks for ---- */

/* May the evaluation go on? */
static bool may_go_on(AspSmoothMotion *run) {
  const AspSmooth *smooth = run->smooth;
  AspEffort *effort = asp_effort(smooth->context);
  if (smooth->evaluations > 0) { // a motion that may be left unfinished
    asp_effort_add(effort, SMOOTH_EFFORT * (double)run->moving);
    run->exhausted = ++run->evaluations > smooth->evaluations || asp_effort_is_low(effort);
  }
  if (!run->exhausted && asp_is_late(smooth->context, smooth->deadline))
    run->error = asp_fail(smooth->context, ASP_ERROR_INTERRUPTED, "stopped at t = %.9g s", run->trial.t);
  return !run->exhausted && run->error == ASP_OK;
}

static int evaluate(sunrealtype t, N_Vector in, N_Vector out, void *user) {
  AspSmoothMotion *run = user;
  const AspModel *model = run->smooth->model;
  int n = velocities(model), nq = coordinates(model);
  double *rate = N_VGetArrayPointer(out);
  bool fits = true;
  read_unknowns(run, t, N_VGetArrayPointer(in), &run->trial);
  if (!may_go_on(run))
    return -1;
  run->error = run->smooth->rates(run->smooth->user, &run->trial, run->acceleration, rate + run->moving, &fits);
  if (run->error != ASP_OK)
    return -1;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    int dof = asp_model_body_dof(model, body);
    if (dof < 0)
      continue;
    const double *v = run->trial.v + (size_t)n * body, *q = run->trial.q + (size_t)nq * body;
    memcpy(rate, v, 3 * sizeof *rate); // in the plane the angle is the third
    if (n == 6) {
      AspQuat turn = quat_multiply((AspQuat){0, v[3], v[4], v[5]}, (AspQuat){q[3], q[4], q[5], q[6]});
      double four[4] = {0.5 * turn.w, 0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z};
      memcpy(rate + 3, four, sizeof four);
    }
    memcpy(rate + nq, run->acceleration + dof, (size_t)n * sizeof *rate);
    for (int i = 0; i < nq + n; i++)
      fits = fits && fabs(rate[i]) <= SMOOTH_MOST_RATE; // beyond, the integrator's errors are no numbers
    rate += nq + n;
  }
  return fits ? 0 : 1; // a shorter step may succeed
}

static int root_values(sunrealtype t, N_Vector in, sunrealtype *value, void *user) {
  AspSmoothMotion *run = user;
  read_unknowns(run, t, N_VGetArrayPointer(in), &run->trial);
  if (!may_go_on(run))
    return -1;
  run->error = run->smooth->roots(run->smooth->user, &run->trial, value);
  return run->error == ASP_OK ? 0 : -1;
}

/* By differences; what is carried along does not act back and has no columns. */
static int jacobian(sunrealtype t, N_Vector in, N_Vector rate, SUNMatrix J, void *user, N_Vector moved, N_Vector there,
                    N_Vector unused) {
  (void)unused;
  AspSmoothMotion *run = user;
  const double *y = N_VGetArrayPointer(in), *f = N_VGetArrayPointer(rate);
  double *x = N_VGetArrayPointer(moved), *g = N_VGetArrayPointer(there);
  memcpy(x, y, (size_t)run->unknowns * sizeof *x);
  SUNMatZero(J);
  for (int j = 0; j < run->moving; j++) {
    double step = SMOOTH_DIFFERENCE * fmax(fabs(y[j]), SMOOTH_DIFFERENCE_LEAST * run->smooth->size);
    x[j] = y[j] + step;
    step = x[j] - y[j];
    int flag = evaluate(t, moved, there, run);
    if (flag != 0)
      return flag;
    x[j] = y[j];
    double *column = SUNDenseMatrix_Column(J, j);
    for (int i = 0; i < run->unknowns; i++)
      column[i] = (g[i] - f[i]) / step;
  }
  return 0;
}

/* ---- life cycle ---- */

void asp_smooth_close(AspSmoothMotion *run) {
  if (!run)
    return;
  AspContext *context = run->given.context;
  CVodeFree(&run->cvode);
  if (run->fixed_point)
    SUNNonlinSolFree(run->fixed_point);
  if (run->linear)
    SUNLinSolFree(run->linear);
  if (run->A)
    SUNMatDestroy(run->A);
  if (run->y)
    N_VDestroy(run->y);
  if (run->tolerance)
    N_VDestroy(run->tolerance);
  SUNContext_Free(&run->context);
  asp_release(context, run->acceleration);
  asp_state_destroy_on(context, &run->trial);
  asp_state_destroy_on(context, &run->base);
  asp_state_destroy_on(context, &run->origin);
  asp_release(context, run->origin_further);
  asp_release(context, run->target);
  asp_release(context, run);
}

static bool choose_solver(AspSmoothMotion *run) {
  if (!run->smooth->stiff) {
    run->fixed_point = SUNNonlinSol_FixedPoint(run->y, 0, run->context);
    return run->fixed_point && CVodeSetNonlinearSolver(run->cvode, run->fixed_point) == CV_SUCCESS;
  }
  run->A = SUNDenseMatrix(run->unknowns, run->unknowns, run->context);
  run->linear = run->A ? SUNLinSol_Dense(run->y, run->A, run->context) : NULL;
  return run->linear && CVodeSetLinearSolver(run->cvode, run->linear, run->A) == CV_SUCCESS &&
         CVodeSetJacFn(run->cvode, jacobian) == CV_SUCCESS;
}

/* The library prints nothing: failures come back as flags. */
static bool silence(AspSmoothMotion *run) {
#if SUNDIALS_VERSION_MAJOR >= 7
  SUNLogger logger = NULL;
  return SUNContext_ClearErrHandlers(run->context) == SUN_SUCCESS &&
         SUNContext_GetLogger(run->context, &logger) == SUN_SUCCESS &&
         SUNLogger_SetErrorFilename(logger, "") == SUN_SUCCESS &&
         SUNLogger_SetWarningFilename(logger, "") == SUN_SUCCESS;
#else
  return CVodeSetErrFile(run->cvode, NULL) == CV_SUCCESS;
#endif
}

static bool open_integrator(AspSmoothMotion *run, const double *further) {
  const AspSmooth *smooth = run->smooth;
  if (SUNContext_Create(NO_COMMUNICATOR, &run->context) != 0)
    return false;
  run->y = N_VNew_Serial(run->unknowns, run->context);
  run->tolerance = N_VNew_Serial(run->unknowns, run->context);
  run->cvode = CVodeCreate(smooth->stiff ? CV_BDF : CV_ADAMS, run->context);
  if (!run->y || !run->tolerance || !run->cvode)
    return false;
  write_unknowns(run, further, N_VGetArrayPointer(run->y));
  double *tolerance = N_VGetArrayPointer(run->tolerance);
  int nq = coordinates(smooth->model), each = nq + velocities(smooth->model);
  for (int i = 0; i < run->unknowns; i++)
    tolerance[i] =
        i >= run->moving ? smooth->allowed : smooth->tolerance * (i % each < nq ? smooth->size : smooth->speed);
  bool ready = silence(run) && CVodeInit(run->cvode, evaluate, run->base.t, run->y) == CV_SUCCESS &&
               CVodeSVtolerances(run->cvode, smooth->tolerance, run->tolerance) == CV_SUCCESS &&
               CVodeSetUserData(run->cvode, run) == CV_SUCCESS && choose_solver(run) &&
               CVodeSetMaxNumSteps(run->cvode, SMOOTH_MOST_STEPS) == CV_SUCCESS &&
               (!(smooth->longest > 0) || CVodeSetMaxStep(run->cvode, smooth->longest) == CV_SUCCESS);
  if (ready && smooth->root_count > 0)
    ready = CVodeRootInit(run->cvode, smooth->root_count, root_values) == CV_SUCCESS &&
            CVodeSetRootDirection(run->cvode, (int *)smooth->direction) == CV_SUCCESS &&
            CVodeSetNoInactiveRootWarn(run->cvode) == CV_SUCCESS;
  return ready;
}

AspError asp_smooth_open(const AspSmooth *smooth, const AspState *state, const double *further, AspSmoothMotion **out) {
  const AspModel *model = smooth->model;
  int dofs = asp_model_dof_count(model), n = velocities(model);
  AspError error;
  *out = NULL;
  AspSmoothMotion *run = asp_allocate(smooth->context, 1, sizeof *run);
  if (!run)
    return ASP_ERROR_MEMORY;
  run->given = *smooth;
  run->smooth = &run->given;
  run->moving = dofs / n * (n + coordinates(model));
  run->unknowns = run->moving + smooth->further;
  run->sudden = asp_model_is_sudden(model);
  ASP_CHECK(asp_state_create_on(smooth->context, model, &run->base));
  ASP_CHECK(asp_state_create_on(smooth->context, model, &run->trial));
  ASP_CHECK(asp_state_create_on(smooth->context, model, &run->origin));
  asp_state_copy(model, state, &run->base);
  asp_state_copy(model, state, &run->origin);
  run->origin_further = asp_allocate(smooth->context, (size_t)smooth->further, sizeof *run->origin_further);
  if (!run->origin_further)
    ASP_CHECK(ASP_ERROR_MEMORY);
  if (smooth->further > 0)
    memcpy(run->origin_further, further, (size_t)smooth->further * sizeof *further);
  run->acceleration = asp_allocate(smooth->context, (size_t)dofs, sizeof *run->acceleration);
  if (!run->acceleration || (run->unknowns > 0 && !open_integrator(run, further)))
    error =
        asp_fail(smooth->context, ASP_ERROR_MEMORY, "out of memory for %d unknowns of the integrator", run->unknowns);
done:
  if (error != ASP_OK)
    asp_smooth_close(run);
  else
    *out = run;
  return error;
}

AspError asp_smooth_advance(AspSmoothMotion *run, double t, AspState *state, double *further, int *fired,
                            AspSmoothEnd *end, int *flag) {
  const AspSmooth *smooth = run->smooth;
  double reached = run->base.t;
  ASP_TRY(ASP_GROW(smooth->context, run->target, run->target_capacity, run->targets + 1));
  run->target[run->targets++] = t;
  *end = ASP_SMOOTH_REACHED;
  if (run->unknowns == 0) { // nothing moves by itself
    asp_state_advance(smooth->model, state, state->v, t - state->t);
    return ASP_OK;
  }
  run->evaluations = 0;
  if (run->sudden) // what comes behind t may be another motion, and steps over it would not see a pulse
    CVodeSetStopTime(run->cvode, t);
  *flag = CVode(run->cvode, t, run->y, &reached, CV_NORMAL);
  if (run->error != ASP_OK)
    return run->error;
  *end = *flag < 0 ? ASP_SMOOTH_STUCK : *flag == CV_ROOT_RETURN ? ASP_SMOOTH_ROOT : ASP_SMOOTH_REACHED;
  if (*end == ASP_SMOOTH_ROOT && fired)
    CVodeGetRootInfo(run->cvode, fired);
  const double *y = N_VGetArrayPointer(run->y); // where it gave up: of the last step that was accepted
  read_unknowns(run, *end == ASP_SMOOTH_REACHED ? t : reached, y, &run->trial);
  asp_state_copy(smooth->model, &run->trial, state);
  asp_state_copy(smooth->model, &run->trial, &run->base);
  if (smooth->further > 0)
    memcpy(further, y + run->moving, (size_t)smooth->further * sizeof *further);
  return ASP_OK;
}

/* The motion once more, through all times that it was asked for. */
static AspError make_again(const AspSmooth *smooth, const AspState *origin, const double *further, const double *target,
                           int targets, AspSmoothMotion **motion) {
  AspState state = {0};
  double *reached = asp_allocate(smooth->context, (size_t)smooth->further, sizeof *reached);
  AspSmoothEnd end = ASP_SMOOTH_REACHED;
  AspError error = reached ? ASP_OK : ASP_ERROR_MEMORY;
  int flag = 0;
  if (error == ASP_OK)
    error = asp_state_create_on(smooth->context, smooth->model, &state);
  if (error == ASP_OK) {
    asp_state_copy(smooth->model, origin, &state);
    error = asp_smooth_open(smooth, origin, further, motion);
  }
  for (int i = 0; i < targets && error == ASP_OK && end == ASP_SMOOTH_REACHED; i++)
    error = asp_smooth_advance(*motion, target[i], &state, reached, NULL, &end, &flag);
  if (error == ASP_OK && end != ASP_SMOOTH_REACHED)
    error = asp_fail(smooth->context, ASP_ERROR_INPUT,
                     "the saved smooth motion does not go to t = %.9g s as it did: saved by another build of the "
                     "integrator",
                     target[targets - 1]);
  asp_state_destroy_on(smooth->context, &state);
  asp_release(smooth->context, reached);
  return error;
}

/* The numbers of a motion. */
static void archive_numbers(AspArchive *archive, AspSmooth *smooth) {
  ASP_ARCHIVE(archive, smooth->further);
  ASP_ARCHIVE(archive, smooth->root_count);
  ASP_ARCHIVE(archive, smooth->stiff);
  ASP_ARCHIVE(archive, smooth->tolerance);
  ASP_ARCHIVE(archive, smooth->size);
  ASP_ARCHIVE(archive, smooth->speed);
  ASP_ARCHIVE(archive, smooth->allowed);
  ASP_ARCHIVE(archive, smooth->longest);
  ASP_ARCHIVE(archive, smooth->evaluations);
}

static AspError read_motion(AspArchive *archive, const AspSmooth *calls, AspSmoothMotion **motion) {
  AspSmooth smooth = *calls;
  AspState origin;
  double *further = NULL, *target = NULL;
  size_t further_capacity = 0, target_capacity = 0;
  int targets = 0;
  archive_numbers(archive, &smooth);
  ASP_TRY(archive->error);
  AspError error = asp_state_create_on(calls->context, calls->model, &origin);
  int unknowns = smooth.further;
  if (error == ASP_OK) {
    asp_state_archive(archive, calls->model, &origin);
    ASP_ARCHIVE_LIST(archive, further, further_capacity, unknowns);
    ASP_ARCHIVE_LIST(archive, target, target_capacity, targets);
    error = archive->error;
  }
  if (error == ASP_OK)
    error = make_again(&smooth, &origin, further, target, targets, motion);
  asp_state_destroy_on(calls->context, &origin);
  asp_release(calls->context, further);
  asp_release(calls->context, target);
  return error;
}

AspError asp_smooth_archive(AspArchive *archive, const AspSmooth *smooth, AspSmoothMotion **motion) {
  bool under_way = *motion != NULL;
  ASP_ARCHIVE(archive, under_way);
  if (archive->reading) {
    asp_smooth_close(*motion);
    *motion = NULL;
    if (archive->error == ASP_OK && under_way)
      asp_archive_note(archive, read_motion(archive, smooth, motion));
  } else if (under_way) {
    AspSmoothMotion *run = *motion;
    size_t room = (size_t)run->given.further;
    archive_numbers(archive, &run->given);
    asp_state_archive(archive, run->given.model, &run->origin);
    int unknowns = run->given.further;
    ASP_ARCHIVE_LIST(archive, run->origin_further, room, unknowns);
    ASP_ARCHIVE_LIST(archive, run->target, run->target_capacity, run->targets);
  }
  return archive->error;
}

double asp_smooth_error(const AspSmoothMotion *run) {
  if (run->unknowns == 0)
    return 0;
  N_Vector error = N_VClone(run->y), weight = N_VClone(run->y);
  double size = 1; // nothing better is known
  if (error && weight && CVodeGetEstLocalErrors(run->cvode, error) == CV_SUCCESS &&
      CVodeGetErrWeights(run->cvode, weight) == CV_SUCCESS)
    size = N_VWrmsNorm(error, weight);
  if (error)
    N_VDestroy(error);
  if (weight)
    N_VDestroy(weight);
  return size;
}
