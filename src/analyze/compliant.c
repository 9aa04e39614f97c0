/* Compliant contact by CVODE: see compliant.h. The unknowns of the integrator are q and v of the dynamic bodies and the
 * impulse of every contact that is near when an advance begins; contacts come from the collision layer at every
 * evaluation. Depends on model, collide, formulate (contact rows). */
#include "asperity/compliant.h"

#include "formulate/formulate.h"
#include "linalg/small.h"
#include "linalg/vec3.h"

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#define COOKIE     UINT32_C(0x434d504c)
#define MOST_STEPS 2000000
#define NEAR       0.05 /* of the largest body: contacts this near get an impulse of their own */

struct AspCompliant {
  AspContext *context;
  const AspModel *model;
  AspCompliantOptions options;
  AspState state, trial; /* at the end of the last advance; where the integrator looks */
  AspCollision *collision;
  AspCollider *colliders; /* one per shape */
  double size;            /* of the largest body, m */
  AspCompliantContact *contact;
  AspContactFrame *frame; /* contacts: at the start of the run, for `frozen` */
  int contacts, followed; /* known; those with unknowns in this advance */
  size_t contact_capacity, frame_capacity;
  double *h; /* dofs */
  bool until_open;
  AspError error; /* of an evaluation */
};

AspCompliantOptions asp_compliant_default_options(void) {
  return (AspCompliantOptions){
      .cookie = COOKIE, .stiffness = 1e6, .damping = 1e3, .slip_damping = 1e3, .tolerance = 1e-9};
}

/* ---- contacts of a state ---- */

static AspError find(AspCompliant *it, const AspState *state, double margin, const AspContact **found, int *count) {
  int shapes = asp_model_shape_count(it->model);
  for (int i = 0; i < shapes; i++) {
    int body;
    const AspShapeAttachment *attachment = asp_model_shape(it->model, i, &body);
    AspPose pose = asp_state_pose(it->model, state, body);
    it->colliders[i].pose = pose_multiply(&pose, &attachment->pose);
  }
  return asp_collision_find(it->collision, it->colliders, shapes, margin, found, count);
}

static AspContactFrame frame_of(const AspCompliant *it, const AspState *state, const AspContact *contact) {
  int a = it->colliders[contact->collider_a].owner, b = it->colliders[contact->collider_b].owner;
  AspContactFrame frame =
      asp_contact_frame(asp_model_dimension(it->model), contact->normal,
                        asp_contact_point(it->model, contact->point_a, contact->point_b, a, b),
                        asp_state_pose(it->model, state, a).position, asp_state_pose(it->model, state, b).position);
  const AspPairLaw *law = asp_model_pair(it->model, asp_model_shape(it->model, contact->collider_a, NULL)->material,
                                         asp_model_shape(it->model, contact->collider_b, NULL)->material);
  frame.body_a = a;
  frame.body_b = b;
  frame.gap = contact->gap;
  frame.mu = law ? law->friction : 0;
  return frame;
}

/* Index among the known contacts; -1: not known. */
static int known(const AspCompliant *it, const AspContact *contact) {
  for (int i = 0; i < it->contacts; i++)
    if (it->contact[i].shape_a == contact->collider_a && it->contact[i].shape_b == contact->collider_b &&
        it->contact[i].feature == contact->feature)
      return i;
  return -1;
}

static double relative_velocity(const AspModel *model, const AspState *state, const AspRow *row) {
  int n = asp_model_dimension(model) == 3 ? 6 : 3;
  return asp_row_dot(n, row->ja, state->v + (size_t)n * row->body_a) +
         asp_row_dot(n, row->jb, state->v + (size_t)n * row->body_b);
}

/* Spring and damper. */
static void contact_force(const AspCompliant *it, const AspState *state, const AspContactFrame *frame, AspRow rows[3],
                          double force[3]) {
  int dimension = asp_model_dimension(it->model);
  double u[3] = {0, 0, 0};
  asp_contact_rows(dimension, frame, rows);
  for (int k = 0; k < dimension; k++)
    u[k] = relative_velocity(it->model, state, &rows[k]);
  force[0] = frame->gap > 0 ? 0 : -it->options.stiffness * frame->gap - it->options.damping * fmin(u[0], 0);
  double speed = hypot(u[1], u[2]), limit = frame->mu * force[0], damper = it->options.slip_damping * speed;
  double share = damper > limit ? limit / speed : it->options.slip_damping;
  force[1] = -share * u[1];
  force[2] = -share * u[2];
}

/* ---- the equation ---- */

static void read_unknowns(const AspCompliant *it, double t, const double *y, AspState *state) {
  const AspModel *model = it->model;
  int n = asp_model_dimension(model) == 3 ? 6 : 3, nq = asp_model_dimension(model) == 3 ? 7 : 3;
  asp_state_copy(model, &it->state, state);
  state->t = t;
  asp_state_advance(model, state, state->v, 0); // kinematic bodies to t
  for (int body = 0; body < asp_model_body_count(model); body++) {
    if (asp_model_body_dof(model, body) < 0)
      continue;
    memcpy(state->q + (size_t)nq * body, y, (size_t)nq * sizeof *y);
    memcpy(state->v + (size_t)n * body, y + nq, (size_t)n * sizeof *y);
    y += nq + n;
    double *q = state->q + (size_t)nq * body;
    if (nq == 7) {
      AspQuat unit = quat_normalize((AspQuat){q[3], q[4], q[5], q[6]});
      double four[4] = {unit.w, unit.x, unit.y, unit.z};
      memcpy(q + 3, four, sizeof four);
    }
  }
}

static void write_unknowns(const AspCompliant *it, double *y) {
  const AspModel *model = it->model;
  int n = asp_model_dimension(model) == 3 ? 6 : 3, nq = asp_model_dimension(model) == 3 ? 7 : 3;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    if (asp_model_body_dof(model, body) < 0)
      continue;
    memcpy(y, it->state.q + (size_t)nq * body, (size_t)nq * sizeof *y);
    memcpy(y + nq, it->state.v + (size_t)n * body, (size_t)n * sizeof *y);
    y += nq + n;
  }
  for (int i = 0; i < it->followed; i++, y += 3)
    memcpy(y, it->contact[i].impulse, 3 * sizeof *y);
}

/* h += J^T r for all contacts; their forces into rates (3 per followed contact). */
static AspError push_contacts(AspCompliant *it, const AspState *state, double *rates) {
  const AspContact *found;
  int count, n = asp_model_dimension(it->model) == 3 ? 6 : 3;
  ASP_TRY(find(it, state, 0, &found, &count));
  for (int i = 0; i < count; i++) {
    AspContactFrame frame = frame_of(it, state, &found[i]);
    AspRow rows[3];
    double force[3];
    int index = known(it, &found[i]);
    if (it->options.frozen && index >= 0) {
      double gap = frame.gap;
      frame = it->frame[index];
      frame.gap = gap;
    }
    contact_force(it, state, &frame, rows, force);
    for (int k = 0; k < asp_model_dimension(it->model); k++)
      for (int side = 0; side < 2; side++) {
        int dof = asp_model_body_dof(it->model, side ? frame.body_b : frame.body_a);
        for (int j = 0; dof >= 0 && j < n; j++)
          it->h[dof + j] += force[k] * (side ? rows[k].jb[j] : rows[k].ja[j]);
      }
    if (rates && index >= 0 && index < it->followed)
      memcpy(rates + 3 * (size_t)index, force, sizeof force);
  }
  return ASP_OK;
}

static int evaluate(realtype t, N_Vector in, N_Vector out, void *user) {
  AspCompliant *it = user;
  const AspModel *model = it->model;
  int n = asp_model_dimension(model) == 3 ? 6 : 3, nq = asp_model_dimension(model) == 3 ? 7 : 3;
  int dofs = asp_model_dof_count(model);
  double *rate = N_VGetArrayPointer(out), *impulses = rate + (size_t)(dofs / n) * (size_t)(n + nq);
  memset(impulses, 0, 3 * (size_t)it->followed * sizeof *impulses);
  read_unknowns(it, t, N_VGetArrayPointer(in), &it->trial);
  asp_model_forces(model, &it->trial, it->h);
  it->error = push_contacts(it, &it->trial, impulses);
  if (it->error != ASP_OK)
    return -1;
  for (int body = 0; body < asp_model_body_count(model); body++) {
    int dof = asp_model_body_dof(model, body);
    if (dof < 0)
      continue;
    const double *v = it->trial.v + (size_t)n * body, *q = it->trial.q + (size_t)nq * body;
    memcpy(rate, v, 3 * sizeof *rate); // 2D: the angle is the third
    if (n == 6) {
      AspQuat turn = quat_multiply((AspQuat){0, v[3], v[4], v[5]}, (AspQuat){q[3], q[4], q[5], q[6]});
      double four[4] = {0.5 * turn.w, 0.5 * turn.x, 0.5 * turn.y, 0.5 * turn.z};
      memcpy(rate + 3, four, sizeof four);
    }
    double M[36];
    asp_body_mass_matrix(model, &it->trial, body, M);
    memcpy(rate + nq, it->h + dof, (size_t)n * sizeof *rate);
    if (!asp_small_cholesky(n, M))
      return -1;
    asp_small_cholesky_solve(n, M, rate + nq);
    for (int i = 0; i < n; i++)
      if (!isfinite(rate[nq + i]))
        return 1; // a shorter step may do
    rate += nq + n;
  }
  return 0;
}

/* The smallest gap. */
static int event_value(realtype t, N_Vector in, realtype *value, void *user) {
  AspCompliant *it = user;
  const AspContact *found;
  int count;
  read_unknowns(it, t, N_VGetArrayPointer(in), &it->trial);
  it->error = find(it, &it->trial, NEAR * it->size, &found, &count);
  if (it->error != ASP_OK)
    return -1;
  *value = NEAR * it->size;
  for (int i = 0; i < count; i++)
    *value = fmin(*value, found[i].gap);
  return 0;
}

/* ---- the integrator ---- */

typedef struct Integrator {
  SUNContext context;
  void *cvode;
  N_Vector y, tolerance;
  SUNMatrix A;
  SUNLinearSolver solver;
} Integrator;

static void close_integrator(Integrator *run) {
  CVodeFree(&run->cvode);
  SUNLinSolFree(run->solver);
  SUNMatDestroy(run->A);
  N_VDestroy(run->y);
  N_VDestroy(run->tolerance);
  SUNContext_Free(&run->context);
}

/* Lengths are held to the tolerance of the contact's own deflections, the rest to that of its size. */
static void set_tolerances(const AspCompliant *it, double *tolerance, int unknowns) {
  for (int i = 0; i < unknowns; i++)
    tolerance[i] = 1e-3 * it->options.tolerance * fmin(it->size, 1);
}

static bool open_integrator(AspCompliant *it, int unknowns, Integrator *run) {
  *run = (Integrator){0};
  if (SUNContext_Create(NULL, &run->context) != 0)
    return false;
  run->y = N_VNew_Serial(unknowns, run->context);
  run->tolerance = N_VNew_Serial(unknowns, run->context);
  run->A = SUNDenseMatrix(unknowns, unknowns, run->context);
  run->cvode = CVodeCreate(CV_BDF, run->context);
  if (!run->y || !run->tolerance || !run->A || !run->cvode)
    return false;
  run->solver = SUNLinSol_Dense(run->y, run->A, run->context);
  write_unknowns(it, N_VGetArrayPointer(run->y));
  set_tolerances(it, N_VGetArrayPointer(run->tolerance), unknowns);
  bool ready = run->solver && CVodeInit(run->cvode, evaluate, it->state.t, run->y) == CV_SUCCESS &&
               CVodeSVtolerances(run->cvode, it->options.tolerance, run->tolerance) == CV_SUCCESS &&
               CVodeSetUserData(run->cvode, it) == CV_SUCCESS &&
               CVodeSetLinearSolver(run->cvode, run->solver, run->A) == CV_SUCCESS &&
               CVodeSetMaxNumSteps(run->cvode, MOST_STEPS) == CV_SUCCESS &&
               CVodeSetErrFile(run->cvode, NULL) == CV_SUCCESS;
  if (ready && it->until_open) {
    int direction = 1;
    ready = CVodeRootInit(run->cvode, 1, event_value) == CV_SUCCESS &&
            CVodeSetRootDirection(run->cvode, &direction) == CV_SUCCESS;
  }
  return ready;
}

/* ---- life cycle ---- */

static AspError check(AspContext *context, const AspModel *model, const AspCompliantOptions *options) {
  if (options->cookie != COOKIE)
    return asp_fail(context, ASP_ERROR_ARGUMENT, "compliant options must come from asp_compliant_default_options()");
  const struct {
    const char *name;
    double value;
  } fields[] = {{"stiffness", options->stiffness}, {"tolerance", options->tolerance}};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (!(fields[i].value > 0 && isfinite(fields[i].value)))
      return asp_fail(context, ASP_ERROR_ARGUMENT, "compliant contact: %s %g must be > 0", fields[i].name,
                      fields[i].value);
  if (!(options->damping >= 0 && options->slip_damping >= 0 && isfinite(options->damping + options->slip_damping)))
    return asp_fail(context, ASP_ERROR_ARGUMENT, "compliant contact: damping %g and slip_damping %g must be >= 0",
                    options->damping, options->slip_damping);
  if (asp_model_joint_count(model) > 0)
    return asp_fail(context, ASP_ERROR_UNSUPPORTED,
                    "compliant contact: the model has %d joints; only models without joints can be integrated",
                    asp_model_joint_count(model));
  for (int a = 0; a < asp_model_material_count(model); a++)
    for (int b = 0; b <= a; b++) {
      const char *key = asp_pair_law_beyond_coulomb(asp_model_pair(model, a, b), false);
      if (key)
        return asp_fail(context, ASP_ERROR_UNSUPPORTED,
                        "compliant contact: the pair of %s and %s has \"%s\", which springs do not know",
                        asp_model_material_name(model, a), asp_model_material_name(model, b), key);
    }
  return ASP_OK;
}

static AspError make_colliders(AspCompliant *it) {
  int shapes = asp_model_shape_count(it->model);
  it->colliders = asp_allocate(it->context, (size_t)shapes, sizeof *it->colliders);
  if (shapes && !it->colliders)
    return ASP_ERROR_MEMORY;
  for (int i = 0; i < shapes; i++) {
    int body;
    const AspShapeAttachment *attachment = asp_model_shape(it->model, i, &body);
    it->colliders[i] = (AspCollider){.shape = &attachment->shape,
                                     .owner = body,
                                     .immobile = asp_model_body_kind(it->model, body) != ASP_BODY_DYNAMIC,
                                     .group = attachment->group,
                                     .mask = attachment->mask};
    double reach = asp_shape_reach(&attachment->shape) + norm3(attachment->pose.position);
    if (isfinite(reach))
      it->size = fmax(it->size, reach);
  }
  it->size = it->size > 0 ? it->size : 1;
  return ASP_OK;
}

AspError asp_compliant_create(AspContext *context, const AspModel *model, const AspCompliantOptions *options,
                              AspCompliant **out) {
  *out = NULL;
  ASP_TRY(check(context, model, options));
  if (asp_model_beam_count(model) > 0)
    return asp_fail(context, ASP_ERROR_UNSUPPORTED,
                    "beam %s: compliant contact knows rigid bodies only; simulate with asperity run",
                    asp_model_beam_name(model, 0));
  AspCompliant *it = asp_allocate(context, 1, sizeof *it);
  if (!it)
    return ASP_ERROR_MEMORY;
  it->context = context;
  it->model = model;
  it->options = *options;
  AspError error;
  ASP_CHECK(asp_state_create(model, &it->state));
  ASP_CHECK(asp_state_create(model, &it->trial));
  ASP_CHECK(asp_collision_create(context, asp_model_dimension(model), &it->collision));
  ASP_CHECK(make_colliders(it));
  it->h = asp_allocate(context, (size_t)asp_model_dof_count(model), sizeof *it->h);
  error = it->h ? ASP_OK : ASP_ERROR_MEMORY;
done:
  if (error != ASP_OK) {
    asp_compliant_destroy(it);
    return error;
  }
  *out = it;
  return ASP_OK;
}

void asp_compliant_destroy(AspCompliant *it) {
  if (!it)
    return;
  AspContext *context = it->context;
  asp_state_destroy(it->model, &it->state);
  asp_state_destroy(it->model, &it->trial);
  asp_collision_destroy(it->collision);
  asp_release(context, it->colliders);
  asp_release(context, it->contact);
  asp_release(context, it->frame);
  asp_release(context, it->h);
  asp_release(context, it);
}

/* Contacts near the present state that are not known yet. */
static AspError follow(AspCompliant *it) {
  const AspContact *found;
  int count;
  ASP_TRY(find(it, &it->state, NEAR * it->size, &found, &count));
  for (int i = 0; i < count; i++) {
    if (known(it, &found[i]) >= 0)
      continue;
    size_t needed = (size_t)it->contacts + 1;
    void *contact = it->contact, *frame = it->frame;
    AspError error = asp_grow(it->context, &contact, &it->contact_capacity, needed, sizeof *it->contact);
    it->contact = contact;
    if (error == ASP_OK)
      error = asp_grow(it->context, &frame, &it->frame_capacity, needed, sizeof *it->frame);
    it->frame = frame;
    ASP_TRY(error);
    it->frame[it->contacts] = frame_of(it, &it->state, &found[i]);
    it->contact[it->contacts++] = (AspCompliantContact){.body_a = it->colliders[found[i].collider_a].owner,
                                                        .body_b = it->colliders[found[i].collider_b].owner,
                                                        .shape_a = found[i].collider_a,
                                                        .shape_b = found[i].collider_b,
                                                        .feature = found[i].feature};
  }
  it->followed = it->contacts;
  return ASP_OK;
}

/* Gaps and forces at the state reached. */
static AspError refresh(AspCompliant *it) {
  const AspContact *found;
  int count;
  ASP_TRY(find(it, &it->state, NEAR * it->size, &found, &count));
  for (int i = 0; i < it->contacts; i++) {
    it->contact[i].gap = HUGE_VAL;
    memset(it->contact[i].force, 0, sizeof it->contact[i].force);
  }
  for (int i = 0; i < count; i++) {
    int index = known(it, &found[i]);
    AspContactFrame frame = frame_of(it, &it->state, &found[i]);
    AspRow rows[3];
    if (index < 0)
      continue;
    it->contact[index].gap = frame.gap;
    contact_force(it, &it->state, &frame, rows, it->contact[index].force);
  }
  return ASP_OK;
}

static AspError integrate(AspCompliant *it, Integrator *run, double t, bool *opened) {
  double reached = it->state.t;
  CVodeSetStopTime(run->cvode, t);
  int flag = CVode(run->cvode, t, run->y, &reached, CV_NORMAL);
  if (it->error != ASP_OK)
    return it->error;
  if (flag < 0)
    return asp_fail(
        it->context, ASP_ERROR_INTERNAL,
        "compliant contact: the integrator stopped at t = %g s (CVODE says %d); a larger tolerance or softer "
        "contacts may help",
        reached, flag);
  *opened = flag == CV_ROOT_RETURN;
  const double *y = N_VGetArrayPointer(run->y);
  read_unknowns(it, reached, y, &it->trial);
  asp_state_copy(it->model, &it->trial, &it->state);
  int n = asp_model_dimension(it->model) == 3 ? 13 : 6;
  y += (size_t)n * (size_t)(asp_model_dof_count(it->model) / (n == 13 ? 6 : 3));
  for (int i = 0; i < it->followed; i++)
    memcpy(it->contact[i].impulse, y + 3 * (size_t)i, sizeof it->contact[i].impulse);
  return refresh(it);
}

AspError asp_compliant_advance(AspCompliant *it, double t, bool until_open, bool *opened) {
  *opened = false;
  if (!(t > it->state.t))
    return asp_fail(it->context, ASP_ERROR_ARGUMENT, "compliant contact: t = %g s is not after %g s", t, it->state.t);
  it->until_open = until_open;
  it->error = ASP_OK;
  ASP_TRY(follow(it));
  int each = asp_model_dimension(it->model) == 3 ? 13 : 6, dofs = asp_model_dimension(it->model) == 3 ? 6 : 3;
  int unknowns = asp_model_dof_count(it->model) / dofs * each + 3 * it->followed;
  if (unknowns == 0)
    return asp_fail(it->context, ASP_ERROR_ARGUMENT, "compliant contact: the model has no dynamic body");
  Integrator run;
  AspError error = ASP_ERROR_MEMORY;
  if (open_integrator(it, unknowns, &run))
    error = integrate(it, &run, t, opened);
  close_integrator(&run);
  return error;
}

const AspState *asp_compliant_state(const AspCompliant *it) { return &it->state; }

int asp_compliant_contacts(const AspCompliant *it, const AspCompliantContact **contacts) {
  *contacts = it->contact;
  return it->contacts;
}
