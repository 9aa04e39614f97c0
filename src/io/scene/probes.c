/* What probes measure at a state of a world: one or more numbers each, side by side in columns.
 *
 *   point         position c + R p, velocity v + w x (R p), or acceleration: the change of that velocity over the last
 *                 step, divided by its length
 *   distance      between a point on A and one on B
 *   angle         between an axis of A and one of B, 0 .. pi; in the plane from the first to the second, -pi .. pi
 *   contact       mean force over the last step on a body by all contacts, or by those with another body, and its
 *                 torque about the body's centre of mass
 *   expression    anything that expressions know
 */
#include "asperity/io.h"
#include "base/archive.h"
#include "base/elementary.h"
#include "linalg/vec3.h"

#include <math.h>
#include <stdio.h>

typedef struct ProbeColumn {
  char name[128];
  const char *unit;
} ProbeColumn;

struct AspProbes {
  AspContext *context;
  const AspModel *model;
  const AspProbe *probe; /* the scene's */
  int count, columns;
  AspExpression **expression; /* count; NULL: of another kind */
  AspVec3 *before;            /* count: velocity of the point at the last update */
  double t;                   /* of the last update */
  bool moved;                 /* there was one before */
  ProbeColumn *column;
  int *first; /* count: of its columns */
  double *value, *low, *high;
};

const char *asp_probe_kind_name(AspProbeKind kind) {
  static const char *const names[] = {"expression", "point", "distance", "angle", "contact"};
  return ASP_NAME_OF(names, kind);
}
const char *asp_probe_quantity_name(AspProbeQuantity quantity) {
  static const char *const names[] = {"position", "velocity", "acceleration"};
  return ASP_NAME_OF(names, quantity);
}

/* ---- columns ---- */

static const char *const axes[] = {".x", ".y", ".z"};

static void add_column(AspProbes *probes, const char *name, const char *ending, const char *unit) {
  ProbeColumn *column = &probes->column[probes->columns++];
  snprintf(column->name, sizeof column->name, "%.100s%s", name, ending);
  column->unit = unit;
}

static void name_columns(AspProbes *probes) {
  static const char *const force[] = {".fx", ".fy", ".fz"}, *const torque[] = {".tx", ".ty", ".tz"};
  int dimension = asp_model_dimension(probes->model);
  for (int i = 0; i < probes->count; i++) {
    const AspProbe *probe = &probes->probe[i];
    probes->first[i] = probes->columns;
    if (probe->kind == ASP_PROBE_CONTACT) {
      for (int k = 0; k < dimension; k++)
        add_column(probes, probe->name, force[k], "N");
      for (int k = dimension == 2 ? 2 : 0; k < 3; k++)
        add_column(probes, probe->name, torque[k], "N m");
    } else if (probe->kind == ASP_PROBE_POINT) {
      for (int k = 0; k < dimension; k++)
        add_column(probes, probe->name, axes[k], probe->unit);
    } else {
      add_column(probes, probe->name, "", probe->unit);
    }
  }
}

/* ---- values ---- */

static AspVec3 point_velocity(const AspModel *model, const AspState *state, int body, AspVec3 arm) {
  return add3(asp_state_velocity(model, state, body), cross3(asp_state_angular_velocity(model, state, body), arm));
}

static AspVec3 measure_point(AspProbes *probes, int i, const AspState *state) {
  const AspProbe *probe = &probes->probe[i];
  AspPose pose = asp_state_pose(probes->model, state, probe->body_a);
  AspVec3 arm = quat_rotate(pose.orientation, probe->point_a);
  if (probe->quantity == ASP_PROBE_POSITION)
    return add3(pose.position, arm);
  AspVec3 v = point_velocity(probes->model, state, probe->body_a, arm);
  if (probe->quantity == ASP_PROBE_VELOCITY)
    return v;
  double dt = state->t - probes->t;
  AspVec3 a = probes->moved && dt > 0 ? scale3(1 / dt, sub3(v, probes->before[i])) : vec3(0, 0, 0);
  probes->before[i] = v;
  return a;
}

static double measure_distance(const AspProbes *probes, const AspProbe *probe, const AspState *state) {
  AspPose a = asp_state_pose(probes->model, state, probe->body_a),
          b = asp_state_pose(probes->model, state, probe->body_b);
  AspVec3 p = add3(a.position, quat_rotate(a.orientation, probe->point_a)),
          q = add3(b.position, quat_rotate(b.orientation, probe->point_b));
  return norm3(sub3(q, p));
}

static double measure_angle(const AspProbes *probes, const AspProbe *probe, const AspState *state) {
  AspVec3 a = quat_rotate(asp_state_pose(probes->model, state, probe->body_a).orientation, probe->point_a),
          b = quat_rotate(asp_state_pose(probes->model, state, probe->body_b).orientation, probe->point_b);
  AspVec3 across = cross3(a, b);
  return asp_atan2(asp_model_dimension(probes->model) == 2 ? across.z : norm3(across), dot3(a, b));
}

static AspWrench measure_contact(const AspProbe *probe, const AspWorld *world) {
  if (probe->body_b < 0)
    return asp_world_contact_totals(world)[probe->body_a];
  AspWrench sum = {vec3(0, 0, 0), vec3(0, 0, 0)};
  const AspContactRecord *records = asp_world_contacts(world);
  for (int i = 0; i < asp_world_contact_count(world); i++) {
    const AspContactRecord *record = &records[i];
    bool on_b = record->body_b == probe->body_a && record->body_a == probe->body_b;
    if (!on_b && !(record->body_a == probe->body_a && record->body_b == probe->body_b))
      continue;
    sum.force = axpy3(sum.force, on_b ? 1 : -1, record->force);
    sum.torque = add3(sum.torque, on_b ? record->torque_b : record->torque_a);
  }
  return sum;
}

static void measure(AspProbes *probes, int i, const AspWorld *world) {
  const AspProbe *probe = &probes->probe[i];
  const AspState *state = asp_world_state(world);
  double *value = &probes->value[probes->first[i]];
  int dimension = asp_model_dimension(probes->model);
  if (probe->kind == ASP_PROBE_EXPRESSION) {
    *value = asp_expression_evaluate_with(probes->expression[i], state->t, state->input).value;
  } else if (probe->kind == ASP_PROBE_POINT) {
    AspVec3 x = measure_point(probes, i, state);
    for (int k = 0; k < dimension; k++)
      value[k] = get3(x, k);
  } else if (probe->kind == ASP_PROBE_CONTACT) {
    AspWrench wrench = measure_contact(probe, world);
    for (int k = 0; k < dimension; k++)
      *value++ = get3(wrench.force, k);
    for (int k = dimension == 2 ? 2 : 0; k < 3; k++)
      *value++ = get3(wrench.torque, k);
  } else {
    *value = probe->kind == ASP_PROBE_DISTANCE ? measure_distance(probes, probe, state)
                                               : measure_angle(probes, probe, state);
  }
}

void asp_probes_update(AspProbes *probes, const AspWorld *world) {
  for (int i = 0; i < probes->count; i++)
    measure(probes, i, world);
  for (int c = 0; c < probes->columns; c++) {
    probes->low[c] = fmin(probes->low[c], probes->value[c]);
    probes->high[c] = fmax(probes->high[c], probes->value[c]);
  }
  probes->t = asp_world_state(world)->t;
  probes->moved = true;
}

/* ---- life ---- */

static AspError prepare(AspProbes *probes) {
  AspContext *context = probes->context;
  size_t count = (size_t)probes->count, most = 6 * count;
  probes->expression = asp_allocate(context, count, sizeof *probes->expression);
  probes->before = asp_allocate(context, count, sizeof *probes->before);
  probes->first = asp_allocate(context, count, sizeof *probes->first);
  probes->column = asp_allocate(context, most, sizeof *probes->column);
  probes->value = asp_allocate(context, 3 * most, sizeof *probes->value);
  if (!probes->expression || !probes->before || !probes->first || !probes->column || !probes->value)
    return ASP_ERROR_MEMORY;
  probes->low = probes->value + most;
  probes->high = probes->low + most;
  AspVariables variables = asp_model_variables(probes->model);
  for (int i = 0; i < probes->count; i++)
    if (probes->probe[i].kind == ASP_PROBE_EXPRESSION)
      ASP_TRY(asp_expression_parse_with(context, probes->probe[i].value, &variables, &probes->expression[i]));
  name_columns(probes);
  for (int c = 0; c < probes->columns; c++) {
    probes->low[c] = INFINITY;
    probes->high[c] = -INFINITY;
  }
  return ASP_OK;
}

AspError asp_probes_create(AspContext *context, const AspScene *scene, const AspWorld *world, AspProbes **out) {
  *out = NULL;
  AspProbes *probes = asp_allocate(context, 1, sizeof *probes);
  if (!probes)
    return ASP_ERROR_MEMORY;
  *probes = (AspProbes){.context = context,
                        .model = asp_world_model(world),
                        .probe = scene ? scene->probe : NULL,
                        .count = scene ? scene->probe_count : 0};
  AspError error = prepare(probes);
  if (error != ASP_OK) {
    asp_probes_destroy(probes);
    return error;
  }
  asp_probes_update(probes, world);
  *out = probes;
  return ASP_OK;
}

void asp_probes_destroy(AspProbes *probes) {
  if (!probes)
    return;
  AspContext *context = probes->context;
  for (int i = 0; probes->expression && i < probes->count; i++)
    asp_expression_destroy(context, probes->expression[i]);
  asp_release(context, probes->expression);
  asp_release(context, probes->before);
  asp_release(context, probes->first);
  asp_release(context, probes->column);
  asp_release(context, probes->value);
  asp_release(context, probes);
}

/* ---- saving ---- */

static void archive_probes(AspArchive *archive, AspProbes *probes) {
  int count = probes->count, columns = probes->columns;
  ASP_ARCHIVE(archive, count);
  ASP_ARCHIVE(archive, columns);
  if (archive->error == ASP_OK && (count != probes->count || columns != probes->columns))
    asp_archive_note(archive, asp_fail(archive->context, ASP_ERROR_INPUT, "saved probes are of another scene"));
  if (archive->error != ASP_OK)
    return;
  ASP_ARCHIVE_ARRAY(archive, probes->before, count);
  ASP_ARCHIVE(archive, probes->t);
  ASP_ARCHIVE(archive, probes->moved);
  ASP_ARCHIVE_ARRAY(archive, probes->value, columns);
  ASP_ARCHIVE_ARRAY(archive, probes->low, columns);
  ASP_ARCHIVE_ARRAY(archive, probes->high, columns);
}

AspError asp_probes_save(AspProbes *probes, void *bytes, size_t room, size_t *size) {
  AspArchive archive = {.context = probes->context, .bytes = bytes, .size = bytes ? room : 0};
  archive_probes(&archive, probes);
  *size = archive.at;
  if (archive.error == ASP_OK && bytes && archive.at > room)
    return asp_fail(probes->context, ASP_ERROR_INPUT, "saving probes takes %zu bytes, there is room for %zu",
                    archive.at, room);
  return archive.error;
}

AspError asp_probes_restore(AspProbes *probes, const void *bytes, size_t size) {
  size_t needed = 0;
  ASP_TRY(asp_probes_save(probes, NULL, 0, &needed));
  if (size != needed)
    return asp_fail(probes->context, ASP_ERROR_INPUT, "saved probes are of another scene: %zu bytes, %zu expected",
                    size, needed);
  AspArchive archive = {.context = probes->context, .reading = true, .bytes = (unsigned char *)bytes, .size = size};
  archive_probes(&archive, probes);
  return archive.error;
}

int asp_probes_count(const AspProbes *probes) { return probes->columns; }
const char *asp_probes_name(const AspProbes *probes, int column) { return probes->column[column].name; }
const char *asp_probes_unit(const AspProbes *probes, int column) { return probes->column[column].unit; }
double asp_probes_value(const AspProbes *probes, int column) { return probes->value[column]; }
double asp_probes_low(const AspProbes *probes, int column) { return probes->low[column]; }
double asp_probes_high(const AspProbes *probes, int column) { return probes->high[column]; }

double asp_probes_every(const AspProbes *probes, int column) {
  int i = probes->count - 1;
  while (i > 0 && probes->first[i] > column)
    i--;
  return probes->count ? probes->probe[i].every : 0;
}
