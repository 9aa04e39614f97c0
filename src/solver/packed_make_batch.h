/* Fills one batch of packed.h from the rows of its contacts: see packed_kernels_body.h.
 *
 *   A := A L_p^-T, B := B L_q^-T, W_i = (1/m_p + 1/m_q) D D^T + A A^T + B B^T, w_T the largest eigenvalue of W_TT
 *
 * Spheres: A_k = a n x D_k up to rounding, a by the first tangent; the same for B; W_NT = 0. */

INLINE WIDE KERNEL(product)(const WIDE x[3], const WIDE y[3]) { return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]; }

INLINE WIDE KERNEL(size)(WIDE x) { return MAX(x, -x); }

/* One, where x is at most `limit`, else (and where it is not a number) zero. */
INLINE WIDE KERNEL(is_within)(WIDE x, WIDE limit) {
  return SELECT(MORE(limit + SPREAD(TINY), x), SPREAD(1), SPREAD(0));
}

/* Rows times L^-T. */
INLINE void KERNEL(turn_rows)(const REAL (*rows)[ASP_LANES], const REAL (*L)[ASP_LANES], int lane, WIDE turned[3][3]) {
  for (int k = 0; k < 3; k++) {
    WIDE x = LOAD(rows[3 * k] + lane), y = LOAD(rows[3 * k + 1] + lane), z = LOAD(rows[3 * k + 2] + lane);
    turned[k][0] = LOAD(L[0] + lane) * x;
    turned[k][1] = LOAD(L[1] + lane) * x + LOAD(L[2] + lane) * y;
    turned[k][2] = LOAD(L[3] + lane) * x + LOAD(L[4] + lane) * y + LOAD(L[5] + lane) * z;
  }
}

typedef struct KERNEL(Contact) {
  WIDE D[3][3], A[3][3], B[3][3];
  WIDE coupling[2], normal; // W_N1, W_N2, W_NN
} KERNEL(Contact);

INLINE void KERNEL(make_local)(AspBatch *batch, const AspPackedRows *rows, int lane, KERNEL(Contact) * contact) {
  const WIDE zero = SPREAD(0), one = SPREAD(1);
  WIDE W[3][3], masses = LOAD(rows->inverse_masses + lane);
  for (int e = 0; e < 9; e++)
    contact->D[e / 3][e % 3] = LOAD(batch->D[e] + lane);
  KERNEL(turn_rows)(rows->A, rows->Lp, lane, contact->A);
  KERNEL(turn_rows)(rows->B, rows->Lq, lane, contact->B);
  for (int k = 0; k < 3; k++)
    for (int l = k; l < 3; l++)
      W[k][l] = masses * KERNEL(product)(contact->D[k], contact->D[l]) + KERNEL(product)(contact->A[k], contact->A[l]) +
                KERNEL(product)(contact->B[k], contact->B[l]);
  WIDE apart = W[1][1] - W[2][2];
  WIDE largest = SPREAD(0.5) * (W[1][1] + W[2][2]) + SQRT(SPREAD(0.25) * apart * apart + W[1][2] * W[1][2]);
  WIDE stick = SELECT(MORE(largest, zero), one / MAX(largest, SPREAD(TINY)), zero);
  STORE(batch->inverse_N + lane, SELECT(MORE(W[0][0], zero), one / MAX(W[0][0], SPREAD(TINY)), zero));
  STORE(batch->inverse_T + lane, SELECT(MORE(LOAD(batch->mu + lane), zero), stick, zero));
  contact->normal = W[0][0];
  contact->coupling[0] = W[0][1];
  contact->coupling[1] = W[0][2];
}

TARGET static bool KERNEL(general_make_batch)(AspBatch *first, const AspPackedRows *rows) {
  AspGeneralBatch *batch = (AspGeneralBatch *)first;
  for (int lane = 0; lane < ASP_LANES; lane += WIDTH) {
    KERNEL(Contact) contact;
    KERNEL(make_local)(first, rows, lane, &contact);
    for (int e = 0; e < 9; e++) {
      STORE(batch->A[e] + lane, contact.A[e / 3][e % 3]);
      STORE(batch->B[e] + lane, contact.B[e / 3][e % 3]);
    }
    STORE(batch->W[0] + lane, contact.coupling[0]);
    STORE(batch->W[1] + lane, contact.coupling[1]);
  }
  return true;
}

/* The arm a of rows that are a times `turned`; *even becomes zero where they are not. */
INLINE WIDE KERNEL(read_arm)(WIDE turned[3][3], WIDE angular[3][3], WIDE *even) {
  WIDE square = KERNEL(product)(turned[1], turned[1]);
  WIDE arm =
      SELECT(MORE(square, SPREAD(0)), KERNEL(product)(angular[1], turned[1]) / MAX(square, SPREAD(TINY)), SPREAD(0));
  WIDE limit = SPREAD(ASP_ROUNDING) * KERNEL(size)(arm);
  for (int k = 0; k < 3; k++)
    for (int j = 0; j < 3; j++)
      *even = *even * KERNEL(is_within)(KERNEL(size)(angular[k][j] - arm * turned[k][j]), limit);
  return arm;
}

TARGET static bool KERNEL(sphere_make_batch)(AspBatch *first, const AspPackedRows *rows) {
  AspSphereBatch *batch = (AspSphereBatch *)first;
  double even_lanes[ASP_LANES] __attribute__((aligned(64)));
  for (int lane = 0; lane < ASP_LANES; lane += WIDTH) {
    KERNEL(Contact) contact;
    WIDE turned[3][3], even = SPREAD(1);
    KERNEL(make_local)(first, rows, lane, &contact);
    for (int k = 0; k < 3; k++)
      for (int j = 0; j < 3; j++)
        turned[k][j] = contact.D[0][(j + 1) % 3] * contact.D[k][(j + 2) % 3] -
                       contact.D[0][(j + 2) % 3] * contact.D[k][(j + 1) % 3];
    for (int k = 0; k < 2; k++)
      even = even * KERNEL(is_within)(KERNEL(size)(contact.coupling[k]), SPREAD(ASP_ROUNDING) * contact.normal);
    STORE(batch->arm[0] + lane, KERNEL(read_arm)(turned, contact.A, &even));
    STORE(batch->arm[1] + lane, KERNEL(read_arm)(turned, contact.B, &even));
    STORE(even_lanes + lane, even);
  }
  return sum_lanes(even_lanes) == ASP_LANES;
}
