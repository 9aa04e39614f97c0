/* Adding blocks to a formulation; shared by joints and contacts, not seen outside this layer. */
#ifndef ASP_FORMULATE_BLOCKS_H
#define ASP_FORMULATE_BLOCKS_H

#include "formulate/formulate.h"
#include "model/joint_friction.h"

#include <assert.h>
#include <math.h>

/* Block `block` begins at row `first`. */
static inline void set_block(AspFormulation *formulation, int block, int first, AspLaw law, AspBlockTag tag) {
  formulation->law[block] = law;
  formulation->tag[block] = tag;
  formulation->offset[block] = first;
}

/* What row k adds to J x: u_k = J x + known + shift; the part of J that belongs to kinematic bodies goes into known. */
static inline void set_terms(AspFormulation *formulation, int k, const AspRow *row, double known, double shift,
                             const AspStepTerms *terms) {
  int n = asp_body_velocities(asp_model_dimension(formulation->model));
  for (const AspRow *part = row; part; part = part->more) {
    if (asp_model_body_kind(formulation->model, part->body_a) == ASP_BODY_KINEMATIC)
      known += asp_row_dot(n, part->ja, terms->known_velocity + (size_t)n * part->body_a);
    if (asp_model_body_kind(formulation->model, part->body_b) == ASP_BODY_KINEMATIC)
      known += asp_row_dot(n, part->jb, terms->known_velocity + (size_t)n * part->body_b);
  }
  formulation->known[k] = known;
  formulation->shift[k] = shift;
}

/* Overlaps up to the slop count as none. */
static inline void set_overlap_rate(AspFormulation *formulation, const AspStepTerms *terms) {
  formulation->overlap_rate = terms->dt > 0 ? terms->slop / fmax(terms->dt, terms->whole) : 0;
}

/* Open a block; rows are added with add_row until the next block. */
static inline void open_block(AspFormulation *formulation, AspLaw law, AspBlockRole role, int index) {
  assert(formulation->blocks < formulation->block_capacity);
  set_block(formulation, formulation->blocks++, formulation->rows, law, (AspBlockTag){role, index, -1, -1, 0, false});
  formulation->offset[formulation->blocks] = formulation->rows;
}

/* The block of dry friction along a joint's free rows: a force, or an impulse over `time`, of at most its limit. */
static inline void open_friction(AspFormulation *formulation, int joint, const AspJointFriction *friction,
                                 double time) {
  AspLaw law = {.kind = friction->rows == 1 ? ASP_LAW_BOX : ASP_LAW_BALL, .limit = time * friction->limit};
  open_block(formulation, law, ASP_ROLE_FRICTION, joint);
  formulation->tag[formulation->blocks - 1].part = friction->first;
}

/* The block of a joint's constraint rows, `count` of them; a coupling that is not held has none. */
static inline void open_joint(AspFormulation *formulation, int joint, int count) {
  if (count > 0)
    open_block(formulation, (AspLaw){.kind = ASP_LAW_EQUALITY}, ASP_ROLE_JOINT, joint);
}

/* The row into *to, its other parts behind those that the formulation has. */
static inline void keep_row(AspFormulation *formulation, const AspRow *row, AspRow *to) {
  for (;; row = row->more) {
    *to = *row;
    if (!row->more)
      return;
    to->more = &formulation->part[formulation->parts];
    to = &formulation->part[formulation->parts++];
  }
}

static inline void add_row(AspFormulation *formulation, const AspRow *row, double known, double shift,
                           const AspStepTerms *terms) {
  assert(formulation->rows < formulation->row_capacity);
  int k = formulation->rows++;
  keep_row(formulation, row, &formulation->row[k]);
  set_terms(formulation, k, row, known, shift, terms);
  formulation->offset[formulation->blocks] = formulation->rows;
}

/* The row and its parts. */
static inline void copy_row(const AspRow *row, AspRow copy[ASP_ROW_PARTS]) {
  for (;; row = row->more, copy++) {
    *copy = *row;
    if (!row->more)
      return;
    copy->more = copy + 1;
  }
}

/* All parts but the first follow it in its array, which is the caller's. */
static inline void scale_row(AspRow *row, double factor) {
  for (;; row++) {
    for (int i = 0; i < 6; i++) {
      row->ja[i] *= factor;
      row->jb[i] *= factor;
    }
    row->rate *= factor;
    if (!row->more)
      return;
  }
}

/* Rate of a row at a state: J v over both bodies, kinematic ones included, and its own. */
static inline double row_rate(const AspModel *model, const AspState *state, const AspRow *row) {
  return asp_row_along(asp_body_velocities(asp_model_dimension(model)), row, state->v) + row->rate;
}

/* The row of minus the coordinate, whose value is left as it is. */
static inline void opposite_row(const AspRow *row, AspRow opposite[ASP_ROW_PARTS]) {
  for (;; row = row->more, opposite++) {
    *opposite = *row;
    for (int i = 0; i < 6; i++) {
      opposite->ja[i] = -row->ja[i];
      opposite->jb[i] = -row->jb[i];
    }
    opposite->bias = -row->bias;
    if (!row->more)
      return;
    opposite->more = opposite + 1;
  }
}

/* ---- unilateral conditions at velocity level (unilateral.c) ---- */

/* How a step finds a gap or the distance to a limit. */
typedef struct AspApproach {
  double distance; /* m, rad */
  double rate;     /* at the start of the step, m/s, rad/s; negative: approach */
  double rest;     /* slower is no impact */
  double pressing; /* acceleration that closes it, negative: opens, m/s^2, rad/s^2 */
  double instant;  /* part of the step at which its impact is met; negative: it is not */
  double slop;     /* nearer is closed */
  double restitution;
  bool bounces; /* an impact gives something back: normal or tangential restitution */
} AspApproach;

/* J a of a row, a over all bodies (v_size). */
double asp_row_acceleration(const AspFormulation *formulation, const AspRow *row, const double *acceleration);
/* Speed that one step gives an approach without impact: by the known forces, by `least` (acceleration), or by what the
 * bodies did in the last step. */
double asp_row_rest_speed(const AspFormulation *formulation, const AspRow *row, double least,
                          const AspStepTerms *terms);
/* What closes it: as in the last step, or by the known forces. */
double asp_row_pressing(const AspFormulation *formulation, const AspRow *row, const AspStepTerms *terms);
/* Faster than rest, where it is met if it is. */
bool asp_approach_is_impact(const AspApproach *approach, double dt);
/* What is added to the rate of the row. */
double asp_approach_shift(const AspApproach *approach, const AspStepTerms *terms);

/* The part of the step at which two bodies, one of them free, meet something; -1: they do not. */
double asp_time_of_bodies(const AspFormulation *formulation, int body_a, int body_b);
/* Its bodies meet something in the step, or it gives a part of its approach back by Newton's law. What a contact's rows
 * change by in the step does not count. */
static inline bool asp_block_is_of_impact(const AspFormulation *formulation, int block) {
  const AspBlockTag *tag = &formulation->tag[block];
  int first = formulation->offset[block];
  bool contact = tag->role == ASP_ROLE_CONTACT;
  if ((!contact && tag->role != ASP_ROLE_LIMIT_LOW && tag->role != ASP_ROLE_LIMIT_HIGH) ||
      first == formulation->offset[block + 1])
    return false;
  AspRow room[3];
  const AspRow *row = asp_block_rows(formulation, block, room);
  if (asp_time_of_bodies(formulation, row->body_a, row->body_b) >= 0)
    return true;
  return asp_block_gives_back(formulation, block);
}

/* ---- when bodies meet something (time_of_impact.c) ---- */

/* How near is closed, of the limits of a joint that slides or turns. */
static inline double asp_limit_slop(const AspModel *model, int joint, double slop, double slop_turn) {
  return asp_joint_turns(model, joint) ? slop_turn : slop;
}

/* How a step finds the distance to a limit, along a row of the joint's coordinate; rate: at the start. */
AspApproach asp_limit_approach(const AspFormulation *formulation, int joint, const AspRow *row, double distance,
                               double rate, const AspStepTerms *terms);
/* It is reached within the step, faster than at rest. */
bool asp_limit_is_met(const AspApproach *limit, const AspStepTerms *terms);
/* The same for a joint's lower or upper limit, by the state at the start of the step. */
bool asp_limit_meets(const AspFormulation *formulation, const AspState *state, int joint, bool high,
                     const AspStepTerms *terms);
/* One of its bodies is part of a beam. */
bool asp_contact_is_of_beam(const AspModel *model, const AspContactFrame *frame);
/* To wait for the next step would be too late: the bodies would be through each other, or too deep to come out on the
 * side they came from. */
bool asp_contact_is_urgent(const AspContactFrame *frame, double approach, double dt);
/* What a barrier adds to the normal velocity. */
double asp_barrier_shift(const AspFormulation *formulation, const AspContactFrame *frame, double approach, double dt);

#endif
