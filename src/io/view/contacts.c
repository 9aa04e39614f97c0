/* Contacts for the viewer: where, how strong, in which mode. Of every frame at most `limit` contacts are kept, the
 * strongest, with the largest limit that keeps the whole below what the options allow; counts by mode are of all.
 *
 *   force on B = (r_N n + r_T1 t1 + r_T2 t2) / dt,   t2 = n x t1
 *
 * Forces, speeds of slip and gaps are half floats relative to the largest of the run (relative error 2^-11), points are
 * integers of 16 position steps relative to body B, normals are bytes (error below 0.5 degrees).
 */
#include "base/elementary.h"
#include "io/view/data.h"
#include "linalg/vec3.h"

#include <math.h>
#include <stdlib.h>

#define POINT_STEPS 16 /* in position steps */
#define HALF_TOP    32768.0
#define REFERENCE   0.95

typedef struct ViewContact {
  int32_t body[2], point[3];
  double force[3], normal[3], slip, gap, mu; /* N, 1, m/s, m, 1 */
  uint8_t mode;
} ViewContact;

typedef struct ContactPacker {
  ViewPacker *packer;
  AspArena scratch;
  int32_t limit;    /* per frame */
  int32_t *count;   /* frames: contacts of the file */
  int32_t *kept;    /* frames: of them kept */
  int32_t *modes;   /* frames x 3 */
  ViewContact *all; /* kept ones, frame after frame */
  size_t all_count;
  double *row[8]; /* scratch for one frame's columns */
  double *q;      /* scratch for one frame's poses */
} ContactPacker;

typedef enum Column { BODY, POINT, NORMAL, T1, GAP, SLIP, IMPULSE, MU } Column;
static const struct {
  const char *path;
  size_t width;
} columns[8] = {
    [BODY] = {"/contacts/body", 2},       [POINT] = {"/contacts/point", 3}, [NORMAL] = {"/contacts/normal", 3},
    [T1] = {"/contacts/t1", 3},           [GAP] = {"/contacts/gap", 1},     [SLIP] = {"/contacts/slip", 3},
    [IMPULSE] = {"/contacts/impulse", 3}, [MU] = {"/contacts/mu", 1}};

/* ---- how many are kept ---- */

static int64_t total_with_limit(const ContactPacker *contacts, int64_t limit) {
  int64_t total = 0;
  for (int64_t k = 0; k < contacts->packer->frames; k++)
    total += contacts->count[k] < limit ? contacts->count[k] : limit;
  return total;
}

static AspError find_limit(ContactPacker *contacts) {
  const ViewPacker *packer = contacts->packer;
  const ResultFile *result = packer->result;
  int64_t rows = result->committed.rows[TABLE_CONTACTS];
  int32_t most = 0;
  for (int64_t k = 0; k < packer->frames; k++) {
    double start = 0, count = 0;
    ASP_TRY(asp_result_rows(result, "/contacts/start", asp_view_frame_row(packer, k), 1, 1, &start));
    ASP_TRY(asp_result_rows(result, "/contacts/count", asp_view_frame_row(packer, k), 1, 1, &count));
    if (!(start >= 0 && count >= 0 && start + count <= (double)rows))
      return asp_fail(result->file.context, ASP_ERROR_INPUT, "%s: /contacts/count: frame %lld reaches beyond the table",
                      result->file.path, (long long)k);
    contacts->count[k] = (int32_t)count;
    most = contacts->count[k] > most ? contacts->count[k] : most;
  }
  int32_t low = 0, high = most; // the largest limit within the allowed total, by halving
  while (low < high) {
    int32_t middle = high - (high - low) / 2;
    if (total_with_limit(contacts, middle) <= packer->options->contacts_max)
      low = middle;
    else
      high = middle - 1;
  }
  contacts->limit = low;
  return ASP_OK;
}

/* ---- one frame ---- */

static int stronger_first(const void *left, const void *right) {
  const ViewContact *a = left, *b = right;
  double fa = fabs(a->force[0]) + fabs(a->force[1]) + fabs(a->force[2]),
         fb = fabs(b->force[0]) + fabs(b->force[1]) + fabs(b->force[2]);
  return (fa < fb) - (fa > fb);
}

static double finite_or_zero(double value) { return isfinite(value) ? value : 0; }

static ViewContact contact_at(const ContactPacker *contacts, size_t i, double mode, double dt) {
  const ViewPacker *packer = contacts->packer;
  double *const *row = contacts->row;
  int dimension = packer->result->dimension, width = asp_result_q_width(packer->result);
  AspVec3 n = {row[NORMAL][3 * i], row[NORMAL][3 * i + 1], row[NORMAL][3 * i + 2]},
          t1 = {row[T1][3 * i], row[T1][3 * i + 1], row[T1][3 * i + 2]}, t2 = cross3(n, t1);
  const double *r = row[IMPULSE] + 3 * i, *u = row[SLIP] + 3 * i;
  ViewContact contact = {.body = {(int32_t)row[BODY][2 * i], (int32_t)row[BODY][2 * i + 1]},
                         .slip = finite_or_zero(asp_hypot(u[1], u[2])),
                         .gap = finite_or_zero(row[GAP][i]),
                         .mu = finite_or_zero(row[MU][i]),
                         .mode = (uint8_t)(mode >= 0 && mode <= ASP_MODE_SLIDE ? mode : ASP_MODE_OPEN)};
  int bodies = packer->result->bodies;
  for (int k = 0; k < 2; k++)
    contact.body[k] = contact.body[k] < 0 || contact.body[k] >= bodies ? 0 : contact.body[k];
  AspPose pose = asp_result_pose(dimension, contacts->q + (size_t)contact.body[1] * (size_t)width);
  for (int k = 0; k < 3; k++) {
    double from_b = row[POINT][3 * i + (size_t)k] - get3(pose.position, k);
    contact.point[k] =
        (int32_t)fmax(-1e9, fmin(1e9, finite_or_zero(nearbyint(from_b / (POINT_STEPS * packer->position_step)))));
    contact.normal[k] = finite_or_zero(get3(n, k));
    contact.force[k] = dt > 0 ? finite_or_zero((r[0] * get3(n, k) + r[1] * get3(t1, k) + r[2] * get3(t2, k)) / dt) : 0;
  }
  return contact;
}

static AspError read_frame(ContactPacker *contacts, int64_t k) {
  const ViewPacker *packer = contacts->packer;
  const ResultFile *result = packer->result;
  int64_t at = asp_view_frame_row(packer, k), count = contacts->count[k];
  double start = 0;
  if (count == 0)
    return ASP_OK;
  AspArenaMark mark = asp_arena_mark(&contacts->scratch);
  ViewContact *frame = ASP_TAKE(&contacts->scratch, ViewContact, count);
  double *mode = ASP_TAKE(&contacts->scratch, double, count);
  if (!frame || !mode)
    return ASP_ERROR_MEMORY;
  ASP_TRY(asp_result_rows(result, "/contacts/start", at, 1, 1, &start));
  ASP_TRY(asp_result_rows(result, "/contacts/mode", (int64_t)start, count, 1, mode));
  ASP_TRY(asp_result_rows(result, "/frames/q", at, 1, (size_t)result->bodies * (size_t)asp_result_q_width(result),
                          contacts->q));
  for (int c = 0; c < 8; c++) {
    contacts->row[c] = ASP_TAKE(&contacts->scratch, double, (size_t)count *columns[c].width);
    if (!contacts->row[c])
      return ASP_ERROR_MEMORY;
    ASP_TRY(asp_result_rows(result, columns[c].path, (int64_t)start, count, columns[c].width, contacts->row[c]));
  }
  for (int64_t i = 0; i < count; i++) {
    frame[i] = contact_at(contacts, (size_t)i, mode[i], packer->dt[k]);
    contacts->modes[3 * k + frame[i].mode]++;
  }
  if (count > contacts->limit)
    qsort(frame, (size_t)count, sizeof *frame, stronger_first);
  contacts->kept[k] = contacts->limit < count ? contacts->limit : (int32_t)count;
  memcpy(contacts->all + contacts->all_count, frame, (size_t)contacts->kept[k] * sizeof *frame);
  contacts->all_count += (size_t)contacts->kept[k];
  asp_arena_rewind(&contacts->scratch, mark);
  return ASP_OK;
}

/* ---- columns ---- */

typedef struct Scales {
  double force, slip, gap; /* largest of the run */
} Scales;

static Scales find_scales(const ContactPacker *contacts) {
  Scales scales = {0};
  for (size_t i = 0; i < contacts->all_count; i++) {
    const ViewContact *contact = &contacts->all[i];
    for (int k = 0; k < 3; k++)
      scales.force = fmax(scales.force, fabs(contact->force[k]));
    scales.slip = fmax(scales.slip, contact->slip);
    scales.gap = fmax(scales.gap, fabs(contact->gap));
  }
  scales.force = scales.force > 0 ? scales.force / HALF_TOP : 1;
  scales.slip = scales.slip > 0 ? scales.slip / HALF_TOP : 1;
  scales.gap = scales.gap > 0 ? scales.gap / HALF_TOP : 1;
  return scales;
}

/* A section with `width` numbers of every kept contact, in parts of as many frames as all others. */
static AspError add_rows(const ContactPacker *contacts, const char *name, ViewType type, size_t width, int order,
                         double scale, const void *values) {
  ViewPacker *packer = contacts->packer;
  size_t first = 0;
  for (int64_t k = 0, end; k < packer->frames; k = end) {
    size_t rows = 0;
    end = asp_view_part_end(packer, k);
    for (int64_t i = k; i < end; i++)
      rows += (size_t)contacts->kept[i];
    ASP_TRY(asp_view_add_part(&packer->stream, name, type, first, rows, width, order, scale, values));
    first += rows;
  }
  return ASP_OK;
}

static int compare_reals(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* A share of REFERENCE of the contacts that carry load carry less than this, N: what the length of an arrow is
 * measured by. 1 where none carries any. */
static AspError find_reference(ContactPacker *contacts, double *reference) {
  double *size = ASP_TAKE(&contacts->scratch, double, contacts->all_count + 1);
  size_t count = 0;
  if (!size)
    return ASP_ERROR_MEMORY;
  for (size_t i = 0; i < contacts->all_count; i++) {
    const double *force = contacts->all[i].force;
    size[count] = norm3((AspVec3){force[0], force[1], force[2]});
    count += size[count] > 0;
  }
  qsort(size, count, sizeof *size, compare_reals);
  *reference = count ? size[(size_t)(REFERENCE * (double)(count - 1))] : 1;
  return ASP_OK;
}

static AspError write_columns(ContactPacker *contacts) {
  ViewPacker *packer = contacts->packer;
  ViewStream *stream = &packer->stream;
  size_t n = contacts->all_count, frames = (size_t)packer->frames;
  Scales scale = find_scales(contacts);
  int32_t *whole = ASP_TAKE(&contacts->scratch, int32_t, 3 * n + 1);
  uint16_t *half = ASP_TAKE(&contacts->scratch, uint16_t, 3 * n + 1);
  uint8_t *byte = ASP_TAKE(&contacts->scratch, uint8_t, 3 * n + 1);
  if (!whole || !half || !byte)
    return ASP_ERROR_MEMORY;
  const ViewContact *all = contacts->all;
  double reference = 1;
  ASP_TRY(find_reference(contacts, &reference));
  ASP_TRY(asp_view_add(stream, "contactCount", VIEW_INT, frames, 1, 1, 1, contacts->kept));
  ASP_TRY(asp_view_add(stream, "contactModes", VIEW_INT, frames, 3, 1, 1, contacts->modes));
  for (size_t i = 0; i < 2 * n; i++)
    whole[i] = all[i / 2].body[i % 2];
  ASP_TRY(add_rows(contacts, "contactBodies", VIEW_INT, 2, 1, 1, whole));
  for (size_t i = 0; i < 3 * n; i++)
    whole[i] = all[i / 3].point[i % 3];
  ASP_TRY(add_rows(contacts, "contactPoint", VIEW_INT, 3, 0, POINT_STEPS * packer->position_step, whole));
  for (size_t i = 0; i < 3 * n; i++)
    byte[i] = (uint8_t)(128 + nearbyint(127 * all[i / 3].normal[i % 3]));
  ASP_TRY(add_rows(contacts, "contactNormal", VIEW_BYTE, 3, 0, 1.0 / 127, byte));
  for (size_t i = 0; i < 3 * n; i++)
    half[i] = asp_view_half(all[i / 3].force[i % 3] / scale.force);
  ASP_TRY(add_rows(contacts, "contactForce", VIEW_HALF, 3, 0, scale.force, half));
  for (size_t i = 0; i < 3 * n; i++) {
    const ViewContact *contact = &all[i / 3];
    half[i] = asp_view_half(i % 3 == 0   ? contact->slip / scale.slip
                            : i % 3 == 1 ? contact->gap / scale.gap
                                         : contact->mu);
  }
  ASP_TRY(add_rows(contacts, "contactSlipGapMu", VIEW_HALF, 3, 0, 1, half));
  for (size_t i = 0; i < n; i++)
    byte[i] = all[i].mode;
  ASP_TRY(add_rows(contacts, "contactMode", VIEW_BYTE, 1, 0, 1, byte));
  cJSON *about = cJSON_AddObjectToObject(packer->header, "contacts");
  int64_t total = total_with_limit(contacts, INT32_MAX);
  bool good =
      about && cJSON_AddNumberToObject(about, "total", (double)total) &&
      cJSON_AddNumberToObject(about, "kept", (double)n) && cJSON_AddNumberToObject(about, "limit", contacts->limit) &&
      cJSON_AddNumberToObject(about, "slipScale", scale.slip) &&
      cJSON_AddNumberToObject(about, "gapScale", scale.gap) && cJSON_AddNumberToObject(about, "reference", reference);
  return good ? ASP_OK : asp_fail(stream->context, ASP_ERROR_MEMORY, "out of memory");
}

static AspError pack(ContactPacker *contacts) {
  const ViewPacker *packer = contacts->packer;
  AspArena *scratch = &contacts->scratch;
  size_t frames = (size_t)packer->frames;
  contacts->count = ASP_TAKE(scratch, int32_t, frames);
  contacts->kept = ASP_TAKE(scratch, int32_t, frames);
  contacts->modes = ASP_TAKE(scratch, int32_t, 3 * frames);
  contacts->q =
      ASP_TAKE(scratch, double, (size_t)packer->result->bodies *(size_t)asp_result_q_width(packer->result) + 1);
  if (!contacts->count || !contacts->kept || !contacts->modes || !contacts->q)
    return ASP_ERROR_MEMORY;
  ASP_TRY(find_limit(contacts));
  contacts->all = ASP_TAKE(scratch, ViewContact, total_with_limit(contacts, contacts->limit) + 1);
  if (!contacts->all)
    return ASP_ERROR_MEMORY;
  for (int64_t k = 0; k < packer->frames; k++)
    ASP_TRY(read_frame(contacts, k));
  return write_columns(contacts);
}

AspError asp_view_pack_contacts(ViewPacker *packer) {
  ContactPacker contacts = {.packer = packer};
  asp_arena_init(&contacts.scratch, packer->result->file.context);
  AspError error = pack(&contacts);
  asp_arena_free(&contacts.scratch);
  return error;
}
