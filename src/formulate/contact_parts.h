/* What the files of contacts share; not seen outside this layer. */
#ifndef ASP_FORMULATE_CONTACT_PARTS_H
#define ASP_FORMULATE_CONTACT_PARTS_H

#include "formulate/blocks.h"

/* ---- rows (contact_columns.c) ---- */

/* Relative velocity of the frame's bodies at its point along a direction (world, of any length). */
void asp_contact_row_along(int dimension, const AspContactFrame *frame, AspVec3 direction, AspRow *row);
/* Row k of a contact's block. With r = S r', u' = S u the law of largest dissipation over |S^-1 r_T| <= mu r_N is
 * Coulomb's in r' and u'. */
void asp_contact_stretched_row(int dimension, const AspContactFrame *frame, int k, AspRow *row);

/* ---- which contacts act (contact_activation.c) ---- */

/* What the scheme adds to the rows; false when the contact stays open for this step. */
bool asp_contact_shift(const AspFormulation *formulation, const AspContactFrame *frame, const AspRow rows[3],
                       const AspState *state, const AspStepTerms *terms, double shift[3]);
/* The contact gives back an impulse of its compression: r_N = e compression + what the problem adds. */
bool asp_contact_expands(const AspContactFrame *frame, const AspStepTerms *terms);

/* ---- blocks that the normal force loads (contact_resistance.c) ---- */

/* Friction of a contact that expands; normal_row: of its contact. */
void asp_formulate_expansion(AspFormulation *formulation, const AspContactFrame *frame, int index, int normal_row,
                             const AspFrictionModel *friction, const AspStepTerms *terms);

#endif
