/* Adding blocks to a formulation; shared by joints and contacts, not seen outside this layer. */
#ifndef ASP_FORMULATE_BLOCKS_H
#define ASP_FORMULATE_BLOCKS_H

#include "formulate/formulate.h"

#include <assert.h>

/* Open a block; rows are added with add_row until the next block. */
static inline void open_block(AspFormulation *formulation, AspLaw law, AspBlockRole role, int index) {
  assert(formulation->blocks < formulation->block_capacity);
  int block = formulation->blocks++;
  formulation->law[block] = law;
  formulation->tag[block] = (AspBlockTag){role, index};
  formulation->offset[block + 1] = formulation->rows;
}

/* u_k = J x + known + stabilisation; the part of J that belongs to kinematic bodies goes into known. */
static inline void add_row(AspFormulation *formulation, const AspRow *row, double known, double stabilisation,
                           const double *known_velocity) {
  assert(formulation->rows < formulation->row_capacity);
  int n = asp_model_dimension(formulation->model) == 3 ? 6 : 3;
  int k = formulation->rows++;
  formulation->row[k] = *row;
  formulation->known[k] = known + asp_row_dot(n, row->ja, known_velocity + (size_t)n * row->body_a) +
                          asp_row_dot(n, row->jb, known_velocity + (size_t)n * row->body_b);
  formulation->stabilisation[k] = stabilisation;
  formulation->offset[formulation->blocks] = formulation->rows;
}

#endif
