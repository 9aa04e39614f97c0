/* Shapes of a result as triangles (see shape_mesh.h). Round shapes are bodies of revolution: a profile of (radius,
 * height) pairs turned about z in SECTORS steps; a radius of 0 is a pole. */
#include "io/export/shape_mesh.h"
#include "base/constants.h"
#include "base/elementary.h"
#include "linalg/vec3.h"

#include <math.h>

#define SECTORS     24
#define RINGS       12 /* of a whole sphere */
#define PROFILE_MAX (2 * RINGS + 4)

typedef struct Builder {
  AspContext *context;
  ShapeMesh *mesh;
  AspPose pose;   /* of the shape in its body */
  int32_t offset; /* first point of this shape */
  AspError error;
  AspVec3 stretch; /* of the points before they are placed */
} Builder;

static void add_point(Builder *builder, AspVec3 local) {
  ShapeMesh *mesh = builder->mesh;
  if (builder->error != ASP_OK)
    return;
  builder->error = ASP_GROW(builder->context, mesh->point, mesh->point_capacity, mesh->point_count + 1);
  if (builder->error == ASP_OK)
    mesh->point[mesh->point_count++] = pose_point(
        &builder->pose, vec3(builder->stretch.x * local.x, builder->stretch.y * local.y, builder->stretch.z * local.z));
}

static void add_triangle(Builder *builder, int a, int b, int c) {
  ShapeMesh *mesh = builder->mesh;
  if (builder->error != ASP_OK)
    return;
  builder->error = ASP_GROW(builder->context, mesh->corner, mesh->corner_capacity, mesh->corner_count + 3);
  if (builder->error != ASP_OK)
    return;
  const int index[] = {a, b, c};
  for (int i = 0; i < 3; i++)
    mesh->corner[mesh->corner_count++] = builder->offset + index[i];
}

/* Outline counterclockwise -> a fan of triangles. */
static void add_fan(Builder *builder, int first, int count) {
  for (int i = 1; i + 1 < count; i++)
    add_triangle(builder, first, first + i, first + i + 1);
}

/* ---- bodies of revolution ---- */

typedef struct Profile {
  int count;
  double radius[PROFILE_MAX], height[PROFILE_MAX]; /* from the lowest to the highest */
} Profile;

static void add_to_profile(Profile *profile, double radius, double height) {
  profile->radius[profile->count] = radius;
  profile->height[profile->count++] = height;
}

static void revolve(Builder *builder, const Profile *profile) {
  for (int i = 0; i < profile->count; i++)
    for (int k = 0; k < SECTORS; k++) {
      double angle = 2 * ASP_PI * k / SECTORS;
      add_point(builder,
                vec3(profile->radius[i] * asp_cos(angle), profile->radius[i] * asp_sin(angle), profile->height[i]));
    }
  for (int i = 0; i + 1 < profile->count; i++)
    for (int k = 0; k < SECTORS; k++) {
      int a = i * SECTORS + k, b = i * SECTORS + (k + 1) % SECTORS;
      if (profile->radius[i] > 0)
        add_triangle(builder, a, b, b + SECTORS);
      if (profile->radius[i + 1] > 0)
        add_triangle(builder, a, b + SECTORS, a + SECTORS);
    }
}

/* Half a sphere at `centre`, below (side -1) or above (side 1), in order of height. */
static void add_dome(Profile *profile, double radius, double centre, int side) {
  for (int i = 0; i <= RINGS / 2; i++) {
    double angle = 0.5 * ASP_PI * (side < 0 ? RINGS / 2 - i : i) / (RINGS / 2);
    bool pole = side < 0 ? i == 0 : i == RINGS / 2;
    add_to_profile(profile, pole ? 0 : radius * asp_cos(angle), centre + side * radius * asp_sin(angle));
  }
}

/* A stretched sphere. */
static void add_ellipsoid(Builder *builder, AspVec3 radii) {
  Profile profile = {0};
  add_dome(&profile, 1, 0, -1);
  add_dome(&profile, 1, 0, 1);
  builder->stretch = radii;
  revolve(builder, &profile);
}

static void add_round(Builder *builder, const ResultShape *shape) {
  Profile profile = {0};
  double r = shape->radius, h = shape->half_length;
  switch (shape->kind) {
  case ASP_SHAPE_CYLINDER:
    add_to_profile(&profile, 0, -h);
    add_to_profile(&profile, r, -h);
    add_to_profile(&profile, r, h);
    add_to_profile(&profile, 0, h);
    break;
  case ASP_SHAPE_CONE:
    add_to_profile(&profile, 0, -h);
    add_to_profile(&profile, r, -h);
    add_to_profile(&profile, 0, h);
    break;
  default: // sphere: a capsule without length
    add_dome(&profile, r, shape->kind == ASP_SHAPE_CAPSULE ? -h : 0, -1);
    add_dome(&profile, r, shape->kind == ASP_SHAPE_CAPSULE ? h : 0, 1);
  }
  revolve(builder, &profile);
}

/* ---- the others ---- */

static void add_box(Builder *builder, AspVec3 half) {
  static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
  for (int i = 0; i < 8; i++)
    add_point(builder, vec3(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z));
  for (int f = 0; f < 6; f++) {
    add_triangle(builder, faces[f][0], faces[f][1], faces[f][2]);
    add_triangle(builder, faces[f][0], faces[f][2], faces[f][3]);
  }
}

static void add_convex(Builder *builder, const AspVec3 *vertices, int count) {
  AspHull *hull = NULL;
  if (builder->error == ASP_OK)
    builder->error = asp_hull_create(builder->context, 3, vertices, count, &hull);
  if (builder->error != ASP_OK)
    return;
  for (int i = 0; i < hull->vertex_count; i++)
    add_point(builder, hull->vertices[i]);
  for (int f = 0; f < hull->face_count; f++)
    for (int i = hull->face_start[f] + 1; i + 1 < hull->face_start[f + 1]; i++)
      add_triangle(builder, hull->face_vertex[hull->face_start[f]], hull->face_vertex[i], hull->face_vertex[i + 1]);
  asp_hull_destroy(builder->context, hull);
}

static void add_triangles(Builder *builder, const AspVec3 *vertices, int count) {
  for (int i = 0; i < count; i++)
    add_point(builder, vertices[i]);
  for (int i = 0; i + 2 < count; i += 3)
    add_triangle(builder, i, i + 1, i + 2);
}

static void add_field(Builder *builder, const ResultShape *shape, const AspVec3 *vertices) {
  for (int i = 0; i < shape->vertex_count; i++)
    add_point(builder, vertices[i]);
  for (int row = 0; row + 1 < shape->rows; row++)
    for (int column = 0; column + 1 < shape->columns; column++) {
      int a = row * shape->columns + column, b = a + shape->columns;
      add_triangle(builder, a, a + 1, b + 1);
      add_triangle(builder, a, b + 1, b);
    }
}

/* In the plane: the outline, counterclockwise, filled. */
static void add_flat(Builder *builder, const ResultShape *shape, const AspVec3 *vertices) {
  int count = 0;
  if (shape->kind == ASP_SHAPE_BOX) {
    for (; count < 4; count++)
      add_point(builder, vec3(count == 1 || count == 2 ? shape->half_extents.x : -shape->half_extents.x,
                              count >= 2 ? shape->half_extents.y : -shape->half_extents.y, 0));
  } else if (shape->kind == ASP_SHAPE_POLYGON) {
    for (; count < shape->vertex_count; count++)
      add_point(builder, vertices[count]);
  } else { // disk, or capsule along x
    double half = shape->kind == ASP_SHAPE_CAPSULE ? shape->half_length : 0;
    for (; count < 2 * SECTORS; count++) {
      double angle = 2 * ASP_PI * count / (2 * SECTORS) - 0.5 * ASP_PI;
      add_point(builder, vec3((count < SECTORS ? half : -half) + shape->radius * asp_cos(angle),
                              shape->radius * asp_sin(angle), 0));
    }
  }
  add_fan(builder, 0, count);
}

AspError asp_shape_mesh_add(AspContext *context, const ResultModel *model, const ResultShape *shape, int dimension,
                            ShapeMesh *mesh) {
  Builder builder = {context, mesh, shape->pose, (int32_t)mesh->point_count, ASP_OK, vec3(1, 1, 1)};
  const AspVec3 *vertices = model->vertices + shape->vertex_start;
  switch (shape->kind) {
  case ASP_SHAPE_POINT:
  case ASP_SHAPE_HALF_SPACE:
  case ASP_SHAPE_HALF_PLANE:
    break;
  case ASP_SHAPE_HEIGHT_FIELD:
    add_field(&builder, shape, vertices);
    break;
  case ASP_SHAPE_CONVEX:
    if (shape->drawn)
      add_triangles(&builder, vertices, shape->vertex_count);
    else
      add_convex(&builder, vertices, shape->vertex_count);
    break;
  default:
    if (dimension == 2)
      add_flat(&builder, shape, vertices);
    else if (shape->kind == ASP_SHAPE_BOX)
      add_box(&builder, shape->half_extents);
    else if (shape->kind == ASP_SHAPE_ELLIPSOID)
      add_ellipsoid(&builder, shape->half_extents);
    else
      add_round(&builder, shape);
  }
  return builder.error;
}

void asp_shape_mesh_free(AspContext *context, ShapeMesh *mesh) {
  asp_release(context, mesh->point);
  asp_release(context, mesh->corner);
  *mesh = (ShapeMesh){0};
}
