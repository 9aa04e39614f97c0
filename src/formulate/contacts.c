/* Contacts as blocks: u = velocity of B relative to A at the contact's point, rows normal, t1, t2 (2D: normal, t).
 * Position level: w_N = gap / dt. Velocity level: w = (e_N u_N-, e_T u_T-) for impacts, contacts that are met in the
 * step (MATH section 0, refined below). Resistance to rolling and spinning as blocks of their own, loaded by the
 * contact's normal force through carriers (carriers.c). */
#include "base/parallel.h"
#include "formulate/blocks.h"
#include "linalg/vec3.h"

#include <math.h>
#include <stdatomic.h>

const char *asp_pair_law_beyond_coulomb(const AspPairLaw *law, bool constant) {
  if (!law)
    return NULL;
  if (law->static_friction > law->friction)
    return law->stribeck_speed > 0 ? "stribeck_speed" : "static_friction";
  if (law->contact_radius > 0)
    return "contact_radius";
  if (constant)
    return NULL;
  return law->friction_across > 0 ? "friction_across"
         : law->rolling > 0       ? "rolling"
         : law->spinning > 0      ? "spinning"
                                  : NULL;
}

const char *asp_pair_law_beyond_friction(const AspPairLaw *law) {
  return !law                      ? NULL
         : law->rolling > 0        ? "rolling"
         : law->spinning > 0       ? "spinning"
         : law->contact_radius > 0 ? "contact_radius"
                                   : NULL;
}

bool asp_pair_law_is_patch(const AspPairLaw *law) { return law->contact_radius > 0 && law->friction > 0; }

bool asp_pair_law_varies(const AspPairLaw *law) {
  return law->static_friction > law->friction || asp_pair_law_is_patch(law);
}

AspVec3 asp_contact_point(AspVec3 point_a, AspVec3 point_b, bool free_a, bool free_b) {
  if (!free_a)
    return point_b;
  if (!free_b)
    return point_a;
  return scale3(0.5, add3(point_a, point_b));
}

void asp_contact_frame_place(int dimension, AspVec3 normal, AspVec3 point, AspVec3 centre_a, AspVec3 centre_b,
                             AspContactFrame *frame) {
  memset(frame, 0, sizeof *frame);
  frame->point = point;
  frame->normal = normal;
  frame->arm_a = sub3(point, centre_a);
  frame->arm_b = sub3(point, centre_b);
  frame->depth = INFINITY;
  frame->stretch[0] = frame->stretch[1] = 1;
  if (dimension == 3) {
    tangents3(normal, &frame->t1, &frame->t2);
  } else {
    frame->t1 = vec3(normal.y, -normal.x, 0);
    frame->t2 = vec3(0, 0, 1);
  }
}

AspContactFrame asp_contact_frame(int dimension, AspVec3 normal, AspVec3 point, AspVec3 centre_a, AspVec3 centre_b) {
  AspContactFrame frame;
  asp_contact_frame_place(dimension, normal, point, centre_a, centre_b, &frame);
  return frame;
}

#define FLAT                                                                                                           \
  1e-6 /* sine of the angle to the normal below which a direction says nothing about the plane of contact              \
        */

void asp_contact_frame_align(AspContactFrame *frame, AspVec3 direction) {
  AspVec3 along = axpy3(direction, -dot3(direction, frame->normal), frame->normal);
  if (norm3(along) < FLAT)
    return;
  frame->t1 = unit3(along);
  frame->t2 = cross3(frame->normal, frame->t1);
  double across = frame->law->friction_across / frame->law->friction, larger = fmax(1, across);
  frame->mu *= larger;
  frame->stretch[0] = 1 / larger;
  frame->stretch[1] = across / larger;
}

void asp_contact_frame_apply_law(const AspModel *model, const AspState *state, int shape_a, AspContactFrame *frame) {
  const AspPairLaw *law = frame->law;
  if (!law)
    return;
  frame->mu = law->friction;
  frame->restitution = law->restitution;
  frame->tangential_restitution = law->tangential_restitution;
  if (!(law->friction_across > 0))
    return;
  bool in_a = asp_model_shape(model, shape_a, NULL)->material == law->direction_material;
  AspPose pose = asp_state_pose(model, state, in_a ? frame->body_a : frame->body_b);
  asp_contact_frame_align(frame, quat_rotate(pose.orientation, law->direction));
}

double asp_friction_coefficient(const AspPairLaw *law, double slip) {
  double extra = law->static_friction - law->friction;
  if (!(extra > 0))
    return law->friction;
  if (!(law->stribeck_speed > 0))
    return slip > 0 ? law->friction : law->static_friction;
  double exponent = law->stribeck_exponent > 0 ? law->stribeck_exponent : 1;
  return law->friction + extra * exp(-pow(slip / law->stribeck_speed, exponent));
}

double asp_patch_lever(const AspPairLaw *law) { return 2.0 / 3 * law->contact_radius; }

double asp_spinning_length(const AspPairLaw *law) { return law->spinning + law->friction * asp_patch_lever(law); }

/* The part of one body in space: velocity of its point at the arm, along a direction of any length. */
static inline void direction_part(AspVec3 direction, AspVec3 arm, double *j) {
  AspVec3 turn = cross3(arm, direction);
  // number by number into its place: copied from elsewhere they would wait for their own stores
  j[0] = direction.x;
  j[1] = direction.y;
  j[2] = direction.z;
  j[3] = turn.x;
  j[4] = turn.y;
  j[5] = turn.z;
}

static inline void direction_part_in_plane(AspVec3 direction, AspVec3 arm, double *j) {
  j[0] = direction.x;
  j[1] = direction.y;
  j[2] = cross3(arm, direction).z;
  j[3] = j[4] = j[5] = 0;
}

static void direction_row(int dimension, const AspContactFrame *frame, AspVec3 direction, AspRow *row) {
  row->body_a = frame->body_a;
  row->body_b = frame->body_b;
  row->value = row->rate = row->bias = 0;
  if (dimension == 3) {
    direction_part(neg3(direction), frame->arm_a, row->ja);
    direction_part(direction, frame->arm_b, row->jb);
  } else {
    direction_part_in_plane(neg3(direction), frame->arm_a, row->ja);
    direction_part_in_plane(direction, frame->arm_b, row->jb);
  }
}

void asp_contact_rows(int dimension, const AspContactFrame *frame, AspRow rows[3]) {
  direction_row(dimension, frame, frame->normal, &rows[0]);
  direction_row(dimension, frame, frame->t1, &rows[1]);
  if (dimension == 3)
    direction_row(dimension, frame, frame->t2, &rows[2]);
}

/* J a along the normal: how fast forces alone change the approach, m/s^2; negative: they press. */
static double normal_acceleration(const AspFormulation *formulation, const AspRow *normal) {
  int n = asp_model_dimension(formulation->model) == 3 ? 6 : 3;
  return asp_row_dot(n, normal->ja, formulation->acceleration + (size_t)n * normal->body_a) +
         asp_row_dot(n, normal->jb, formulation->acceleration + (size_t)n * normal->body_b);
}

/* Speed that one step of pressing forces, or of gravity, gives an approach: slower is rest, not an impact. */
static double rest_speed(const AspFormulation *formulation, const AspRow *normal, double dt) {
  double pressing = fmax(-normal_acceleration(formulation, normal), norm3(asp_model_gravity(formulation->model)));
  return 1.0001 * dt * pressing;
}

/* Nothing for a gap that counts as closed, else what is missing to the middle between touching and the largest such
 * gap: led to that edge, every error of the solver would open the contact again; led to touching, it would overlap
 * here and there, and contacts of overlaps come and go. */
static double open_gap(const AspContactFrame *frame, const AspStepTerms *terms) {
  double closed = terms->gap_tolerance;
  return fabs(frame->gap) <= closed ? 0 : frame->gap - 0.5 * closed;
}

/* Impact: the contact acts in the step in which it is met, gap + (1 + e)/2 dt u- <= 0. For e = 0 that is Moreau's
 * midpoint, which leaves no gap behind; towards e = 1 it takes the bias out of the instant of impact (at the midpoint
 * every bounce would come 1.1 dt late). Newton's law holds at the instant of impact, on average the middle of the step:
 * (u+ - a dt/2) = -e (u- + a dt/2), and u+ >= 0. */
static bool impact_shift(const AspFormulation *formulation, const AspContactFrame *frame, const AspRow *normal,
                         double approach, const AspStepTerms *terms, double *shift) {
  double e = frame->restitution, pressing = fmax(-normal_acceleration(formulation, normal), 0);
  *shift = fmin(e * approach + (1 - e) * 0.5 * terms->dt * pressing, 0);
  return frame->gap + 0.5 * (1 + e) * terms->dt * approach <= terms->slop;
}

/* Rest: the contact acts when the pressing forces can close it within the step; a gap that is left (rounding, tolerance
 * of the solver) closes in a few steps instead of letting the body fall through one. Bounces that accumulate come to
 * their end here instead of going on for ever at g dt. */
static bool rest_shift(const AspContactFrame *frame, double approach, double rest, const AspStepTerms *terms,
                       double *shift) {
  *shift = fmax(open_gap(frame, terms), 0) / (2 * terms->dt);
  return frame->gap + terms->dt * (approach - 0.5 * rest) <= terms->slop;
}

static void tangential_shift(const AspModel *model, const AspContactFrame *frame, const AspRow rows[3],
                             const AspState *state, double shift[3]) {
  for (int k = 1; frame->tangential_restitution > 0 && k < asp_model_dimension(model); k++)
    shift[k] = frame->tangential_restitution * row_rate(model, state, &rows[k]);
}

/* What the scheme adds to the rows; false when the contact stays open for this step. */
static bool contact_shift(const AspFormulation *formulation, const AspContactFrame *frame, const AspRow rows[3],
                          const AspState *state, const AspStepTerms *terms, double shift[3]) {
  const AspModel *model = formulation->model;
  shift[0] = open_gap(frame, terms) / terms->dt;
  shift[1] = shift[2] = 0;
  if (terms->level == ASP_LEVEL_POSITION) {
    if (terms->separation > 0)
      shift[0] = fmax(shift[0], -terms->separation);
    return true;
  }
  if (terms->phase == ASP_PHASE_END) {
    shift[0] = frame->restitution * fmin(frame->before[0], 0);
    shift[1] = frame->tangential_restitution * frame->before[1];
    shift[2] = frame->tangential_restitution * frame->before[2];
    return true;
  }
  bool whole = terms->phase == ASP_PHASE_COMPRESSION || terms->phase == ASP_PHASE_EXPANSION;
  if (whole || (terms->phase == ASP_PHASE_AFTER && frame->hit)) {
    shift[0] = 0;
    return frame->closed;
  }
  double approach = row_rate(model, state, &rows[0]), rest = rest_speed(formulation, &rows[0], terms->dt);
  if (terms->phase == ASP_PHASE_SINGLE) {
    shift[0] = frame->restitution * approach;
    tangential_shift(model, frame, rows, state, shift);
    return frame->chosen;
  }
  if (frame->barrier) {
    shift[0] = asp_barrier_shift(formulation, frame, approach, terms->dt);
    return true;
  }
  bool met;
  if (approach < -rest) {
    tangential_shift(model, frame, rows, state, shift);
    met = impact_shift(formulation, frame, &rows[0], approach, terms, &shift[0]);
  } else {
    met = rest_shift(frame, approach, rest, terms, &shift[0]);
  }
  return met || asp_contact_is_urgent(frame, approach, terms->dt);
}

double asp_contact_approach(const AspModel *model, const AspContactFrame *frame, const AspState *state) {
  AspRow row;
  direction_row(asp_model_dimension(model), frame, frame->normal, &row);
  return row_rate(model, state, &row);
}

double asp_contact_rest_speed(const AspFormulation *formulation, const AspContactFrame *frame, double dt) {
  AspRow row;
  direction_row(asp_model_dimension(formulation->model), frame, frame->normal, &row);
  return rest_speed(formulation, &row, dt);
}

bool asp_contacts_meet(const AspFormulation *formulation, AspContactFrame *frames, int count, const AspState *state,
                       const AspStepTerms *terms) {
  bool any = false;
  for (int i = 0; i < count; i++) {
    AspRow rows[3];
    double shift[3], rest = asp_contact_rest_speed(formulation, &frames[i], terms->dt);
    asp_contact_rows(asp_model_dimension(formulation->model), &frames[i], rows);
    frames[i].closed = contact_shift(formulation, &frames[i], rows, state, terms, shift);
    frames[i].hit = frames[i].closed && asp_contact_approach(formulation->model, &frames[i], state) < -rest;
    any = any || frames[i].hit;
  }
  return any;
}

static AspLaw friction_law(const AspFrictionModel *friction, double mu) {
  return (AspLaw){.kind = ASP_LAW_COULOMB,
                  .mu = mu,
                  .cone = friction->cone,
                  .directions = friction->directions,
                  .angle = friction->angle};
}

static bool has_friction(const AspContactFrame *frame) {
  return frame->mu > 0 || (frame->law && frame->law->static_friction > 0);
}

/* The contact gives back an impulse of its compression: r_N = e compression + what the problem adds. */
static bool expands(const AspContactFrame *frame, const AspStepTerms *terms) {
  return terms->phase == ASP_PHASE_EXPANSION && frame->restitution * frame->compression > 0;
}

/* What becomes of a contact in the problem. */
typedef struct ContactPlan {
  double shift[3]; /* what the scheme adds to its rows */
  int rows;        /* 0: it stays open */
  int block, row;  /* where it goes */
} ContactPlan;

static void plan_contact(const AspFormulation *formulation, const AspContactFrame *frame, const AspState *state,
                         const AspStepTerms *terms, ContactPlan *plan) {
  int dimension = asp_model_dimension(formulation->model);
  AspRow rows[3];
  if (terms->level == ASP_LEVEL_VELOCITY)
    asp_contact_rows(dimension, frame, rows);
  bool acts = contact_shift(formulation, frame, rows, state, terms, plan->shift);
  // friction of a contact that expands has a block of its own
  plan->rows = !acts ? 0 : has_friction(frame) && !expands(frame, terms) ? dimension : 1;
}

/* Row k of a contact's block. With r = S r', u' = S u the law of largest dissipation over |S^-1 r_T| <= mu r_N is
 * Coulomb's in r' and u'. */
static void stretched_row(int dimension, const AspContactFrame *frame, int k, AspRow *row) {
  double stretch = k > 0 ? frame->stretch[k - 1] : 1;
  direction_row(dimension, frame, k == 0 ? frame->normal : k == 1 ? frame->t1 : frame->t2, row);
  if (stretch != 1)
    scale_row(row, stretch);
}

const AspRow *asp_block_rows(const AspFormulation *formulation, int block, AspRow room[3]) {
  const AspBlockTag *tag = &formulation->tag[block];
  int first = formulation->offset[block], rows = formulation->offset[block + 1] - first;
  if (tag->role != ASP_ROLE_CONTACT || !formulation->frames)
    return &formulation->row[first];
  for (int k = 0; k < rows; k++)
    stretched_row(asp_model_dimension(formulation->model), &formulation->frames[tag->index], k, &room[k]);
  return room;
}

/* One body's part of a column in space. */
static inline void write_part(AspVec3 direction, double stretch, AspVec3 arm, int first, int *dof, double *value) {
  for (int i = 0; i < 6; i++)
    dof[i] = first + i;
  direction_part(direction, arm, value);
  for (int i = 0; stretch != 1 && i < 6; i++)
    value[i] *= stretch;
}

void asp_contact_columns(const AspFormulation *formulation, int block, const int *start, int *dof, double *value) {
  int rows = formulation->offset[block + 1] - formulation->offset[block], a, b;
  const AspContactFrame *frame = &formulation->frames[formulation->tag[block].index];
  if (!asp_plain_bodies(formulation, frame->body_a, frame->body_b, &a, &b)) {
    AspRow room[3];
    asp_block_rows(formulation, block, room);
    for (int k = 0; k < rows; k++)
      asp_row_scatter(formulation, &room[k], dof + start[k], value + start[k]);
    return;
  }
  // the body with the lower dofs first; one that has none is left out
  int part_a = a < 0 ? 0 : 6, part_b = b < 0 ? 0 : 6, at_a = b < a ? part_b : 0, at_b = b < a ? 0 : part_a;
  for (int k = 0; k < rows; k++) {
    AspVec3 direction = k == 0 ? frame->normal : k == 1 ? frame->t1 : frame->t2;
    double stretch = k == 0 ? 1 : frame->stretch[k - 1];
    if (part_a)
      write_part(neg3(direction), stretch, frame->arm_a, a, dof + start[k] + at_a, value + start[k] + at_a);
    if (part_b)
      write_part(direction, stretch, frame->arm_b, b, dof + start[k] + at_b, value + start[k] + at_b);
  }
}

void asp_formulation_keep_rows(AspFormulation *formulation) {
  for (int b = 0; b < formulation->blocks; b++) {
    AspRow room[3];
    int first = formulation->offset[b];
    if (asp_block_rows(formulation, b, room) == room)
      memcpy(&formulation->row[first], room, (size_t)(formulation->offset[b + 1] - first) * sizeof *room);
  }
  formulation->frames = NULL;
}

/* The contact's block. */
static void write_contact(AspFormulation *formulation, const AspContactFrame *frame, int index, const ContactPlan *plan,
                          const AspFrictionModel *friction, const AspStepTerms *terms) {
  const AspModel *model = formulation->model;
  AspLaw law = plan->rows > 1 ? friction_law(friction, frame->mu) : (AspLaw){.kind = ASP_LAW_UNILATERAL};
  set_block(formulation, plan->block, plan->row, law,
            (AspBlockTag){ASP_ROLE_CONTACT, index, frame->body_a, frame->body_b});
  bool driven = asp_model_has_kinematic(model);
  for (int k = 0; k < plan->rows; k++) {
    double stretch = k > 0 ? frame->stretch[k - 1] : 1;
    AspRow row;
    formulation->known[plan->row + k] = 0;
    formulation->shift[plan->row + k] = stretch * plan->shift[k];
    if (!driven)
      continue;
    stretched_row(asp_model_dimension(model), frame, k, &row);
    set_terms(formulation, plan->row + k, &row, 0, stretch * plan->shift[k], terms);
  }
}

/* length (w_B - w_A) . axis, a speed */
static AspRow turn_row(int dimension, const AspContactFrame *frame, AspVec3 axis, double length) {
  AspRow row = {.body_a = frame->body_a, .body_b = frame->body_b};
  double turn[3] = {length * axis.x, length * axis.y, length * axis.z};
  for (int i = 0; i < 3 && dimension == 3; i++) {
    row.ja[3 + i] = -turn[i];
    row.jb[3 + i] = turn[i];
  }
  if (dimension == 2) {
    row.ja[2] = -turn[2];
    row.jb[2] = turn[2];
  }
  return row;
}

/* Distance of the contact from the centre of mass, but no less than the body's radius of gyration: the centre may lie
 * in the contact. Of a beam, about what moves with a cross-section. */
static double lever_of(const AspModel *model, int body, AspVec3 arm) {
  int beam = asp_model_station_beam(model, body, NULL);
  if (beam >= 0)
    return fmax(norm3(arm), 0.1 * asp_model_beam_def(model, beam)->length);
  if (asp_model_body_dof(model, body) < 0)
    return 0;
  AspMat3 inertia = asp_model_body_inertia(model, body);
  double turning = asp_model_dimension(model) == 3 ? (inertia.m[0] + inertia.m[4] + inertia.m[8]) / 3 : inertia.m[8];
  return fmax(norm3(arm), sqrt(turning / asp_model_body_mass(model, body)));
}

double asp_contact_lever(const AspModel *model, const AspContactFrame *frame) {
  double lever = fmax(lever_of(model, frame->body_a, frame->arm_a), lever_of(model, frame->body_b, frame->arm_b));
  return lever > 0 ? lever : 1;
}

void asp_contact_add_impulse(const AspModel *model, const AspContactFrame *frame, AspBlockRole role, int rows,
                             const double *r, double impulse[3], double moment[3]) {
  bool resists = role == ASP_ROLE_SPINNING || role == ASP_ROLE_ROLLING;
  double lever = resists ? asp_contact_lever(model, frame) : 0;
  if (role == ASP_ROLE_CONTACT)
    impulse[0] += r[0];
  if (role == ASP_ROLE_SPINNING)
    moment[0] += lever * r[1];
  for (int k = 1; k < rows && role == ASP_ROLE_ROLLING; k++)
    moment[k] += lever * r[k];
  for (int k = 1; k < rows && (role == ASP_ROLE_CONTACT || role == ASP_ROLE_EXPANSION); k++)
    impulse[k] += frame->stretch[k - 1] * r[k];
}

/* The first row of a block carries the whole normal impulse of a contact, the part that an expansion gives back
 * included. */
static void carry_normal(AspFormulation *formulation, const AspContactFrame *frame, int normal_row, int first,
                         double mass, const AspStepTerms *terms) {
  double back = expands(frame, terms) ? frame->restitution * frame->compression : 0;
  int carrier = asp_carrier_add(formulation, ASP_CARRIER_WEIGHT * mass, back);
  asp_carrier_couple(formulation, normal_row, carrier, -1);
  asp_carrier_couple(formulation, first, carrier, 1);
}

/* Friction of a contact that expands. */
static void formulate_expansion(AspFormulation *formulation, const AspContactFrame *frame, int index, int normal_row,
                                const AspFrictionModel *friction, const AspStepTerms *terms) {
  const AspModel *model = formulation->model;
  int dimension = asp_model_dimension(model), first = formulation->rows;
  AspRow rows[3], none = {.body_a = frame->body_a, .body_b = frame->body_b};
  asp_contact_rows(dimension, frame, rows);
  open_block(formulation, asp_carrier_law(friction, frame->mu, false), ASP_ROLE_EXPANSION, index);
  add_row(formulation, &none, 0, 0, terms);
  for (int k = 1; k < dimension; k++) {
    scale_row(&rows[k], frame->stretch[k - 1]);
    add_row(formulation, &rows[k], 0, 0, terms);
  }
  carry_normal(formulation, frame, normal_row, first, asp_reduced_mass(model, frame->body_a, frame->body_b), terms);
}

double asp_resistance_length(const AspContactFrame *frame, AspBlockRole role) {
  if (!frame->law)
    return 0;
  return role == ASP_ROLE_ROLLING ? frame->law->rolling : asp_spinning_length(frame->law);
}

void asp_resistance_rows(const AspModel *model, const AspContactFrame *frame, AspBlockRole role, AspRow tangent[2]) {
  int dimension = asp_model_dimension(model);
  double lever = asp_contact_lever(model, frame);
  AspRow none = {.body_a = frame->body_a, .body_b = frame->body_b};
  bool spins = role == ASP_ROLE_SPINNING;
  tangent[0] = turn_row(dimension, frame, spins ? frame->normal : dimension == 2 ? frame->t2 : frame->t1, lever);
  tangent[1] = spins ? none : turn_row(dimension, frame, frame->t2, lever);
}

/* Its rows are speeds at the contact's lever, so that the coefficient is length / lever and the block has the scale of
 * the contact. */
void asp_formulate_resistance(AspFormulation *formulation, const AspContactFrame *frame, int index, int normal_row,
                              AspBlockRole role, const AspResistance *resistance, const AspFrictionModel *friction,
                              const AspStepTerms *terms) {
  const AspModel *model = formulation->model;
  int dimension = asp_model_dimension(model), first = formulation->rows;
  double lever = asp_contact_lever(model, frame), mass = asp_reduced_mass(model, frame->body_a, frame->body_b);
  double length = asp_resistance_length(frame, role);
  AspLaw law = asp_carrier_law(friction, length / lever, role == ASP_ROLE_SPINNING);
  AspRow none = {.body_a = frame->body_a, .body_b = frame->body_b}, tangent[2];
  asp_resistance_rows(model, frame, role, tangent);
  if (resistance->turns) {
    law.kind = ASP_LAW_SLIDING;
    law.direction[0] = resistance->direction[0];
    law.direction[1] = resistance->direction[1];
  }
  open_block(formulation, law, role, index);
  add_row(formulation, &none, 0, 0, terms);
  for (int k = 1; k < dimension; k++)
    add_row(formulation, &tangent[k - 1], 0, resistance->bias[k - 1], terms);
  carry_normal(formulation, frame, normal_row, first, mass, terms);
  if (role == ASP_ROLE_SPINNING)
    asp_carrier_couple(formulation, first + 2, asp_carrier_add(formulation, mass, 0), 1);
}

#define GRAIN 128 /* contacts worth a thread */

/* Contacts on their way into the problem. */
typedef struct Contacts {
  AspFormulation *formulation;
  const AspContactFrame *frames;
  const AspFrictionModel *friction;
  const AspState *state;
  const AspStepTerms *terms;
  ContactPlan *plan;
} Contacts;

static void plan_contacts(void *data, int from, int end) {
  const Contacts *contacts = data;
  for (int i = from; i < end; i++)
    plan_contact(contacts->formulation, &contacts->frames[i], contacts->state, contacts->terms, &contacts->plan[i]);
}

static void write_contacts(void *data, int from, int end) {
  const Contacts *contacts = data;
  for (int i = from; i < end; i++)
    if (contacts->plan[i].rows > 0)
      write_contact(contacts->formulation, &contacts->frames[i], i, &contacts->plan[i], contacts->friction,
                    contacts->terms);
}

/* Contacts that all act with all their rows: planned and written at once. */
typedef struct AllContacts {
  const Contacts *contacts;
  int block, row;    /* where the first one goes */
  atomic_bool fewer; /* one has fewer rows, or stays open */
} AllContacts;

static void write_at_once(void *data, int from, int end) {
  AllContacts *all = data;
  const Contacts *contacts = all->contacts;
  int dimension = asp_model_dimension(contacts->formulation->model);
  for (int i = from; i < end; i++) {
    ContactPlan plan = {.block = all->block + i, .row = all->row + dimension * i};
    plan_contact(contacts->formulation, &contacts->frames[i], contacts->state, contacts->terms, &plan);
    if (plan.rows != dimension) {
      atomic_store_explicit(&all->fewer, true, memory_order_relaxed);
      return;
    }
    write_contact(contacts->formulation, &contacts->frames[i], i, &plan, contacts->friction, contacts->terms);
  }
}

/* True when that was so; at position level, where all contacts act, it mostly is. */
static bool add_all_contacts(const Contacts *contacts, int count) {
  AspFormulation *formulation = contacts->formulation;
  AllContacts all = {.contacts = contacts, .block = formulation->blocks, .row = formulation->rows};
  asp_parallel_for(formulation->arena->context, count, GRAIN, write_at_once, &all);
  if (all.fewer)
    return false;
  formulation->blocks += count;
  formulation->rows += asp_model_dimension(formulation->model) * count;
  formulation->offset[formulation->blocks] = formulation->rows;
  return true;
}

/* The blocks of the contacts that act, one after the other. */
static void add_contacts(Contacts *contacts, int count) {
  AspFormulation *formulation = contacts->formulation;
  ContactPlan *plan = contacts->plan;
  asp_parallel_for(formulation->arena->context, count, GRAIN, plan_contacts, contacts);
  for (int i = 0; i < count; i++) {
    plan[i].block = formulation->blocks;
    plan[i].row = formulation->rows;
    formulation->blocks += plan[i].rows > 0;
    formulation->rows += plan[i].rows;
  }
  assert(formulation->blocks <= formulation->block_capacity && formulation->rows <= formulation->row_capacity);
  asp_parallel_for(formulation->arena->context, count, GRAIN, write_contacts, contacts);
  formulation->offset[formulation->blocks] = formulation->rows;
}

AspError asp_formulate_contacts(AspFormulation *formulation, const AspContactFrame *frames, int count,
                                const AspFrictionModel *friction, const AspState *state, const AspStepTerms *terms) {
  Contacts contacts = {formulation, frames, friction, state, terms, NULL};
  bool resisted = formulation->carrier_capacity > 0;
  formulation->frames = frames;
  if (terms->level == ASP_LEVEL_POSITION && !resisted && add_all_contacts(&contacts, count))
    return ASP_OK;
  ContactPlan *plan = ASP_TAKE_UNCLEARED(formulation->arena, ContactPlan, count);
  if (!plan)
    return ASP_ERROR_MEMORY;
  contacts.plan = plan;
  if (terms->level == ASP_LEVEL_VELOCITY && terms->phase != ASP_PHASE_END)
    asp_find_meetings(formulation, frames, count, state, terms->dt);
  add_contacts(&contacts, count);
  // by role, then by contact: the order in which a warm start finds them
  for (AspBlockRole role = ASP_ROLE_ROLLING; role <= ASP_ROLE_SPINNING; role++)
    for (int i = 0; resisted && i < count; i++)
      if (plan[i].rows > 0 && asp_resistance_length(&frames[i], role) > 0)
        asp_formulate_resistance(formulation, &frames[i], i, plan[i].row, role, &(AspResistance){0}, friction, terms);
  for (int i = 0; terms->phase == ASP_PHASE_EXPANSION && i < count; i++)
    if (plan[i].rows > 0 && has_friction(&frames[i]) && expands(&frames[i], terms))
      formulate_expansion(formulation, &frames[i], i, plan[i].row, friction, terms);
  return ASP_OK;
}
