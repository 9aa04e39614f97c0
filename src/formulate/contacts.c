/* Contacts as blocks of the problem. For each contact: does it act in this step, and what is added to its rows
 * (contact_activation.c); then its block, with friction where the pair has any; then the blocks that its normal force
 * loads (contact_resistance.c). Rows are made from the frames (contact_columns.c). Planned and written by several
 * threads; the order of blocks is that of the frames. */
#include "base/parallel.h"
#include "formulate/contact_parts.h"
#include "formulate/tuning/formulate.h"

#include <stdatomic.h>

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
  bool acts = asp_contact_shift(formulation, frame, rows, state, terms, plan->shift);
  // friction of a contact that expands has a block of its own
  plan->rows = !acts ? 0 : has_friction(frame) && !asp_contact_expands(frame, terms) ? dimension : 1;
}

/* The contact's block. */
static void write_contact(AspFormulation *formulation, const AspContactFrame *frame, int index, const ContactPlan *plan,
                          const AspFrictionModel *friction, const AspStepTerms *terms) {
  const AspModel *model = formulation->model;
  AspLaw law = plan->rows > 1 ? friction_law(friction, frame->mu) : (AspLaw){.kind = ASP_LAW_UNILATERAL};
  set_block(formulation, plan->block, plan->row, law,
            (AspBlockTag){ASP_ROLE_CONTACT, index, frame->body_a, frame->body_b, 0, false});
  bool driven = asp_model_has_kinematic(model) || asp_model_has_surfaces(model);
  for (int k = 0; k < plan->rows; k++) {
    double stretch = k > 0 ? frame->stretch[k - 1] : 1;
    AspRow row;
    formulation->known[plan->row + k] = 0;
    formulation->shift[plan->row + k] = stretch * plan->shift[k];
    if (!driven)
      continue;
    asp_contact_stretched_row(asp_model_dimension(model), frame, k, &row);
    set_terms(formulation, plan->row + k, &row, row.rate, stretch * plan->shift[k], terms);
  }
}

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
  asp_parallel_for(formulation->arena->context, count, CONTACTS_GRAIN, write_at_once, &all);
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
  asp_parallel_for(formulation->arena->context, count, CONTACTS_GRAIN, plan_contacts, contacts);
  for (int i = 0; i < count; i++) {
    plan[i].block = formulation->blocks;
    plan[i].row = formulation->rows;
    formulation->blocks += plan[i].rows > 0;
    formulation->rows += plan[i].rows;
  }
  assert(formulation->blocks <= formulation->block_capacity && formulation->rows <= formulation->row_capacity);
  asp_parallel_for(formulation->arena->context, count, CONTACTS_GRAIN, write_contacts, contacts);
  formulation->offset[formulation->blocks] = formulation->rows;
}

AspError asp_formulate_contacts(AspFormulation *formulation, const AspContactFrame *frames, int count,
                                const AspFrictionModel *friction, const AspState *state, const AspStepTerms *terms) {
  Contacts contacts = {formulation, frames, friction, state, terms, NULL};
  bool resisted = formulation->coupling_capacity > 0;
  formulation->frames = frames;
  set_overlap_rate(formulation, terms);
  if (terms->level == ASP_LEVEL_POSITION && !resisted && add_all_contacts(&contacts, count))
    return ASP_OK;
  ContactPlan *plan = ASP_TAKE_UNCLEARED(formulation->arena, ContactPlan, count);
  if (!plan)
    return ASP_ERROR_MEMORY;
  contacts.plan = plan;
  add_contacts(&contacts, count);
  // by role, then by contact: the order in which a warm start finds them
  for (AspBlockRole role = ASP_ROLE_ROLLING; role <= ASP_ROLE_SPINNING; role++)
    for (int i = 0; resisted && i < count; i++)
      if (plan[i].rows > 0 && asp_resistance_length(&frames[i], role) > 0)
        asp_formulate_resistance(formulation, &frames[i], i, plan[i].row, role, &(AspResistance){0}, friction, terms);
  for (int i = 0; terms->phase == ASP_PHASE_EXPANSION && i < count; i++)
    if (plan[i].rows > 0 && has_friction(&frames[i]) && asp_contact_expands(&frames[i], terms))
      asp_formulate_expansion(formulation, &frames[i], i, plan[i].row, friction, terms);
  return ASP_OK;
}
