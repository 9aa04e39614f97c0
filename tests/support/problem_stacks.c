/* Families of blocks on blocks: towers, walls, arches, wedges, grippers, chains, jointed rods. Contacts of two faces
 * are the corners of the polygon in which they overlap. */
#include "problem_stacks.h"
#include "base/constants.h"

#include <math.h>

/* A rectangle in a horizontal plane. */
typedef struct Rectangle {
  double x, y, half_x, half_y, yaw;
} Rectangle;

typedef struct Polygon {
  int count;
  double x[16], y[16];
} Polygon;

static Polygon corners(const Rectangle *r) {
  Polygon p = {.count = 4};
  for (int k = 0; k < 4; k++) {
    double a = (k == 0 || k == 3 ? -1 : 1) * r->half_x, b = (k < 2 ? -1 : 1) * r->half_y;
    p.x[k] = r->x + cos(r->yaw) * a - sin(r->yaw) * b;
    p.y[k] = r->y + sin(r->yaw) * a + cos(r->yaw) * b;
  }
  return p;
}

/* Keep what lies left of the line from (x0, y0) to (x1, y1). */
static Polygon cut(const Polygon *p, double x0, double y0, double x1, double y1) {
  Polygon out = {0};
  for (int k = 0; k < p->count; k++) {
    int next = (k + 1) % p->count;
    double a = (x1 - x0) * (p->y[k] - y0) - (y1 - y0) * (p->x[k] - x0);
    double b = (x1 - x0) * (p->y[next] - y0) - (y1 - y0) * (p->x[next] - x0);
    if (a >= 0) {
      out.x[out.count] = p->x[k];
      out.y[out.count++] = p->y[k];
    }
    if ((a > 0 && b < 0) || (a < 0 && b > 0)) {
      double t = a / (a - b);
      out.x[out.count] = p->x[k] + t * (p->x[next] - p->x[k]);
      out.y[out.count++] = p->y[k] + t * (p->y[next] - p->y[k]);
    }
  }
  return out;
}

/* The corners of the overlap of two rectangles, up to eight. */
static Polygon overlap(const Rectangle *a, const Rectangle *b) {
  Polygon result = corners(a), frame = corners(b);
  for (int k = 0; k < 4 && result.count; k++)
    result = cut(&result, frame.x[k], frame.y[k], frame.x[(k + 1) % 4], frame.y[(k + 1) % 4]);
  return result;
}

static void add_face(ProblemBuilder *builder, int below, int above, const Rectangle *a, const Rectangle *b, double z,
                     double gap, double mu) {
  Polygon p = overlap(a, b);
  for (int k = 0; k < p.count; k++)
    builder_add_contact(builder, below, above, vec3(p.x[k], p.y[k], z), vec3(0, 0, 1), gap, mu);
}

void stack_tower(ProblemBuilder *builder, AspRandom *random, int size, double mass_decades) {
  double mu = asp_random_uniform(random, 0.2, 0.8), height = 0;
  Rectangle below = {.half_x = 10, .half_y = 10};
  for (int level = 0; builder->blocks < size && builder->error == ASP_OK; level++) {
    Rectangle face = {.x = asp_random_uniform(random, -0.05, 0.05),
                      .y = asp_random_uniform(random, -0.05, 0.05),
                      .half_x = asp_random_uniform(random, 0.25, 0.4),
                      .half_y = asp_random_uniform(random, 0.25, 0.4),
                      .yaw = asp_random_uniform(random, 0, 2 * ASP_PI)};
    double half_z = asp_random_uniform(random, 0.1, 0.2);
    double mass = 10 * pow(10, asp_random_uniform(random, -0.5, 0.5) * mass_decades);
    int body = builder_add_box(builder, mass, vec3(face.half_x, face.half_y, half_z),
                               vec3(face.x, face.y, height + half_z), quat_from_axis_angle(vec3(0, 0, 1), face.yaw));
    add_face(builder, level ? body - 1 : BUILDER_GROUND, body, &below, &face, height, 0, mu);
    below = face;
    height += 2 * half_z;
  }
  builder_shake(builder, random, asp_random_uniform(random, 0, 0.02), 0.3);
}

void stack_wall(ProblemBuilder *builder, AspRandom *random, int size) {
  int across = 2 + (int)sqrt(size / 9.0), first_below = 0, count_below = 0;
  double mu = asp_random_uniform(random, 0.4, 0.8);
  AspVec3 half = {0.1, 0.05, 0.03};
  for (int level = 0; builder->blocks < size && builder->error == ASP_OK; level++) {
    bool odd = level % 2 == 1;
    int count = odd ? across - 1 : across, first = builder->bodies;
    double shift = odd ? half.x : 0, z = 2 * half.z * level;
    for (int k = 0; k < count && builder->error == ASP_OK; k++) {
      Rectangle face = {.x = shift + 2 * half.x * k, .half_x = half.x, .half_y = half.y};
      int body = builder_add_box(builder, 2.4, half, vec3(face.x, 0, z + half.z), quat_identity());
      Rectangle ground = {.half_x = 1e3, .half_y = 1e3};
      if (level == 0)
        add_face(builder, BUILDER_GROUND, body, &ground, &face, z, 0, mu);
      for (int below = 0; level && below < count_below; below++) {
        Rectangle other = {.x = (odd ? 0 : half.x) + 2 * half.x * below, .half_x = half.x, .half_y = half.y};
        if (fabs(other.x - face.x) < 1.5 * half.x)
          add_face(builder, first_below + below, body, &other, &face, z, 0, mu);
      }
    }
    first_below = first;
    count_below = count;
  }
  // a blow on one brick
  if (builder->error == ASP_OK)
    builder->body[builder->bodies / 2].velocity.y = asp_random_uniform(random, 0, 2);
}

void stack_arch(ProblemBuilder *builder, AspRandom *random, int size) {
  int stones = size / 4 - 1 > 1 ? size / 4 - 1 : 2;
  double inner = 1, outer = asp_random_uniform(random, 1.2, 1.3), depth = 0.2,
         mu = asp_random_uniform(random, 0.5, 0.9);
  double middle = 0.5 * (inner + outer), share = ASP_PI / stones;
  for (int k = 0; k <= stones && builder->error == ASP_OK; k++) {
    double angle = k * share;
    AspVec3 along = vec3(-sin(angle), 0, cos(angle)); // from stone k - 1 to stone k
    if (k < stones) {
      double mid = angle + 0.5 * share, half_long = middle * sin(0.5 * share);
      // box axes: x radial, z along the arch
      AspQuat turn = quat_from_axis_angle(vec3(0, 1, 0), -mid);
      builder_add_box(builder, 2000 * share * middle * (outer - inner) * 2 * depth,
                      vec3(0.5 * (outer - inner), depth, half_long), vec3(middle * cos(mid), 0, middle * sin(mid)),
                      turn);
    }
    int before = k == 0 ? BUILDER_GROUND : k - 1, after = k == stones ? BUILDER_GROUND : k;
    for (int corner = 0; corner < 4; corner++) {
      double radius = corner & 1 ? outer : inner, y = corner & 2 ? depth : -depth;
      builder_add_contact(builder, before, after, vec3(radius * cos(angle), y, radius * sin(angle)), along, 0, mu);
    }
  }
  if (builder->error == ASP_OK)
    builder->body[stones / 3].force = vec3(0, 0, -asp_random_uniform(random, 0, 3) * 9.81 * builder->body[0].mass);
}

void stack_wedge(ProblemBuilder *builder, AspRandom *random, int size) {
  double slope = asp_random_uniform(random, 0.05, 0.3); // half angle of the groove
  double mu = tan(slope) * asp_random_uniform(random, 0.8, 4), push = asp_random_uniform(random, 0, 1e3);
  double half_z = 0.1, half_y = 0.2, width = 0.2;
  for (int level = 0; builder->blocks < size && builder->error == ASP_OK; level++) {
    double z = 2 * half_z * level, half_x = width + (z + half_z) * tan(slope);
    int body = builder_add_box(builder, 5, vec3(half_x, half_y, half_z), vec3(0, 0, z + half_z), quat_identity());
    for (int corner = 0; corner < 8; corner++) {
      double side = corner & 1 ? 1 : -1, y = corner & 2 ? half_y : -half_y, at = corner & 4 ? z : z + 2 * half_z;
      builder_add_contact(builder, BUILDER_GROUND, body, vec3(side * (width + at * tan(slope)), y, at),
                          vec3(-side * cos(slope), 0, sin(slope)), 0, mu);
    }
    for (int corner = 0; level && corner < 4; corner++) {
      double x = (corner & 1 ? 1 : -1) * (width + z * tan(slope)), y = corner & 2 ? half_y : -half_y;
      builder_add_contact(builder, body - 1, body, vec3(x, y, z), vec3(0, 0, 1), 0, mu);
    }
  }
  if (builder->error == ASP_OK)
    builder->body[builder->bodies - 1].force = vec3(0, 0, -push);
  builder_shake(builder, random, asp_random_uniform(random, 0, 0.5), 0.2);
}

void stack_gripper(ProblemBuilder *builder, AspRandom *random, int size) {
  int blocks = size / 4 - 1 > 1 ? size / 4 - 1 : 1;
  double mu = asp_random_uniform(random, 0.3, 1.2), mass = 0.5, half = 0.05;
  double margin = pow(10, asp_random_uniform(random, -0.3, 1.5)); // above 1 the fingers press hard enough
  double force = margin * blocks * mass * 9.81 / (2 * mu);
  for (int k = 0; k < blocks + 2 && builder->error == ASP_OK; k++) {
    bool finger = k == 0 || k == blocks + 1;
    int body =
        builder_add_box(builder, finger ? 3 : mass, vec3(half, half, half), vec3(2 * half * k, 0, 0), quat_identity());
    if (finger && builder->error == ASP_OK) // carried by the arm, pressed inwards
      builder->body[body].force = vec3(k == 0 ? force : -force, 0, 3 * 9.81);
    for (int corner = 0; k && corner < 4; corner++)
      builder_add_contact(builder, body - 1, body,
                          vec3(2 * half * k - half, (corner & 1 ? 1 : -1) * half, (corner & 2 ? 1 : -1) * half),
                          vec3(1, 0, 0), 0, mu);
  }
  builder_shake(builder, random, asp_random_uniform(random, 0, 0.01), half);
}

/* Two contacts by which link `held` hangs in link `holder`, pulled back against `along`. */
static void add_hook(ProblemBuilder *builder, int holder, int held, AspVec3 point, AspVec3 along, double mu) {
  for (int side = -1; side <= 1; side += 2)
    builder_add_contact(builder, holder, held, add3(point, vec3(0, 0.01 * side, 0)),
                        add3(neg3(along), vec3(0, 0.6 * side, 0.2)), 0, mu);
}

void stack_chain(ProblemBuilder *builder, AspRandom *random, int size) {
  int links = size / 2 - 1 > 1 ? size / 2 - 1 : 1;
  double mu = asp_random_uniform(random, 0, 0.6), length = 0.1, tilt = 1.2;
  bool bridge = asp_random_uniform(random, 0, 1) < 0.5; // hung at both ends, or hanging free
  AspVec3 end = {0, 0, 0};
  for (int k = 0; k < links && builder->error == ASP_OK; k++) {
    // the steepness falls from +tilt to -tilt along a bridge; a free chain hangs down
    double pitch = bridge ? tilt * (1 - 2 * (k + 0.5) / links) : 0.5 * ASP_PI,
           yaw = asp_random_uniform(random, -0.05, 0.05);
    AspVec3 along = vec3(cos(pitch) * cos(yaw), cos(pitch) * sin(yaw), -sin(pitch));
    AspQuat turn = quat_multiply(quat_from_axis_angle(vec3(0, 0, 1), yaw), quat_from_axis_angle(vec3(0, 1, 0), pitch));
    builder_add_box(builder, 0.2, vec3(0.5 * length, 0.02, 0.02), axpy3(end, 0.5 * length, along), turn);
    add_hook(builder, k == 0 ? BUILDER_GROUND : k - 1, k, end, along, mu);
    end = axpy3(end, length, along);
  }
  if (bridge)
    add_hook(builder, links - 1, BUILDER_GROUND, end, vec3(cos(tilt), 0, sin(tilt)), mu);
  builder_shake(builder, random, asp_random_uniform(random, 0, 0.2), length);
}

void stack_jointed(ProblemBuilder *builder, AspRandom *random, int size) {
  double mu = asp_random_uniform(random, 0.2, 0.8), half = 0.2, radius = 0.02;
  AspVec3 end = {0, 0, radius};
  for (int k = 0; builder->blocks < size && builder->error == ASP_OK; k++) {
    double yaw = asp_random_uniform(random, -1, 1);
    AspVec3 along = vec3(cos(yaw), sin(yaw), 0), centre = axpy3(end, half, along);
    int body =
        builder_add_box(builder, 1, vec3(half, radius, radius), centre, quat_from_axis_angle(vec3(0, 0, 1), yaw));
    if (k)
      builder_add_socket(builder, body - 1, body, end);
    for (int side = -1; side <= 1; side += 2) {
      AspVec3 point = axpy3(centre, 0.8 * half * side, along);
      builder_add_contact(builder, BUILDER_GROUND, body, vec3(point.x, point.y, 0), vec3(0, 0, 1), 0, mu);
    }
    end = axpy3(end, 2 * half, along);
  }
  builder_shake(builder, random, asp_random_uniform(random, 0, 1), half);
}

void stack_laws(ProblemBuilder *builder, AspRandom *random, int size) {
  stack_tower(builder, random, size, 1);
  int contacts = builder->blocks;
  for (int b = 0; b < contacts && builder->error == ASP_OK; b++) {
    AspLaw *law = &builder->block[b].law;
    double draw = asp_random_uniform(random, 0, 1), angle = asp_random_uniform(random, 0, 2 * ASP_PI);
    if (draw < 0.2) {
      *law = (AspLaw){.kind = ASP_LAW_UNILATERAL};
      builder->block[b].rows = 1;
    } else if (draw < 0.35) {
      *law = (AspLaw){.kind = ASP_LAW_SLIDING, .mu = 0.1 * law->mu, .direction = {cos(angle), sin(angle)}};
    }
  }
  // dry joint friction about the vertical between neighbours, and a hinge row on the lowest box
  for (int body = 0; body < builder->bodies && builder->error == ASP_OK; body++) {
    bool hinge = body == 0;
    BuilderBlock block = {.law = {.kind = hinge ? ASP_LAW_EQUALITY : ASP_LAW_BOX,
                                  .limit = hinge ? 0 : asp_random_uniform(random, 0, 1e-2)},
                          .body_a = body - 1,
                          .body_b = body,
                          .rows = 1,
                          .axis = {{0, 0, 1}},
                          .angular = {true}};
    builder_add_block(builder, &block);
  }
}
