/* Speed of the collision layer: ns per pair for every pair of shapes, growth of the broad phase from 1,000 to 100,000
 * bodies, and piles of 8,000 spheres and 1,000 boxes beside Bullet's collision stage in the same run. Times are
 * processor time. Writes CSV files into the folder given as the first argument (default: the current one); a second
 * argument (pairs, broad, piles) runs one part alone. */
#define _POSIX_C_SOURCE 200809L
#include "collide/broad.h"
#include "collide/scenes.h"

#include <time.h>

#ifdef ASP_BENCH_BULLET
#include "bullet_peer.h"
#endif

enum { POSES = 1200, REPEATS = 9 };

/* Processor time of this process, which other load does not disturb; everything here is one thread. */
static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int by_value(const void *left, const void *right) {
  const double *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, by_value);
  return count % 2 ? values[count / 2] : 0.5 * (values[count / 2 - 1] + values[count / 2]);
}

static FILE *open_csv(const char *folder, const char *name, const char *head) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  if (!file) {
    fprintf(stderr, "%s cannot be written\n", path);
    exit(2);
  }
  fprintf(file, "%s\n", head);
  return file;
}

/* ---- every pair of shapes ---- */

typedef struct Prepared {
  AspShape a, b;
  AspCollider ca, cb;
} Prepared;

/* ns per pair, the median of repeats. */
static double time_prepared(const Prepared *pairs, int dimension, double *points) {
  double times[REPEATS];
  long found = 0;
  for (int r = 0; r < REPEATS; r++) {
    double start = seconds();
    for (int i = 0; i < POSES; i++) {
      AspContact contacts[ASP_MANIFOLD_MAX];
      found += asp_collide_pair(dimension, &pairs[i].ca, &pairs[i].cb, 0.02, contacts);
    }
    times[r] = (seconds() - start) / POSES;
  }
  *points = (double)found / REPEATS / POSES;
  return 1e9 * median(times, REPEATS);
}

static double time_pair(AspRandom *random, const Hulls *hulls, int dimension, AspShapeKind ka, AspShapeKind kb,
                        Difficulty difficulty, double *points) {
  static Prepared pairs[POSES];
  for (int i = 0; i < POSES; i++)
    random_pair(random, hulls, dimension, ka, kb, difficulty, &pairs[i].a, &pairs[i].b, &pairs[i].ca, &pairs[i].cb);
  return time_prepared(pairs, dimension, points);
}

static void bench_pairs(const Hulls *hulls, int dimension, const AspShapeKind *kinds, int count, FILE *csv) {
  AspRandom random = {5};
  printf("\n%dD pairs, ns (touching: gap within 1 %% of the size / deep)\n", dimension);
  for (int i = 0; i < count - 1; i++)
    for (int j = i; j < count; j++) {
      double points, deep_points,
          touching = time_pair(&random, hulls, dimension, kinds[i], kinds[j], TOUCHING, &points);
      double deep = time_pair(&random, hulls, dimension, kinds[i], kinds[j], DEEP, &deep_points);
      printf("  %-10s %-12s %8.0f %8.0f   %.1f points\n", asp_shape_kind_name(kinds[i]), asp_shape_kind_name(kinds[j]),
             touching, deep, deep_points);
      fprintf(csv, "%d,%s,%s,%.1f,%.1f,%.2f,%.2f\n", dimension, asp_shape_kind_name(kinds[i]),
              asp_shape_kind_name(kinds[j]), touching, deep, points, deep_points);
    }
}

/* A shape of about 0.5 m with its lowest point `depth` of its size below the middle of rolling ground,
 * cells of 0.25 m. */
static double time_on_field(AspRandom *random, const Hulls *hulls, AspShapeKind kind, const AspHeightField *field,
                            double depth, double *points) {
  static Prepared pairs[POSES];
  for (int i = 0; i < POSES; i++) {
    Prepared *p = &pairs[i];
    p->a = random_shape(random, hulls, kind, 0.3);
    p->b = (AspShape){.kind = ASP_SHAPE_HEIGHT_FIELD, .field = field};
    p->ca = (AspCollider){.shape = &p->a, .pose = {vec3(4, 4, 0), random_turn(random, 3)}, .group = 1, .mask = 1};
    p->cb = (AspCollider){.shape = &p->b, .pose = pose_identity(), .owner = 1, .group = 1, .mask = 1};
    double bottom = -oracle_top(&p->a, &p->ca.pose, vec3(0, 0, -1), 3);
    p->ca.pose.position.z = field->heights[16 * 33 + 16] - bottom - depth * shape_size(&p->a, 3);
  }
  return time_prepared(pairs, 3, points);
}

static void bench_fields(AspContext *context, const Hulls *hulls, FILE *csv) {
  AspRandom random = {6};
  double heights[33 * 33];
  for (int i = 0; i < 33 * 33; i++)
    heights[i] = 0.05 * asp_random_uniform(&random, -1, 1);
  AspHeightField *field;
  assert_ok(context, asp_height_field_create(context, 33, 33, 0.25, 0.25, heights, &field));
  for (int i = 0; i < KINDS_3D - 1; i++) {
    double points, deep_points, touching = time_on_field(&random, hulls, kinds_3d[i], field, 0.01, &points);
    double deep = time_on_field(&random, hulls, kinds_3d[i], field, 0.3, &deep_points);
    printf("  %-10s %-12s %8.0f %8.0f   %.1f points\n", asp_shape_kind_name(kinds_3d[i]), "height-field", touching,
           deep, deep_points);
    fprintf(csv, "3,%s,height-field,%.1f,%.1f,%.2f,%.2f\n", asp_shape_kind_name(kinds_3d[i]), touching, deep, points,
            deep_points);
  }
  asp_height_field_destroy(context, field);
}

/* ---- broad phase ---- */

typedef struct Swarm {
  Bound *bounds;
  int count;
} Swarm;

/* Boxes of side 1 with three neighbours each on average. */
static void make_swarm(Swarm *swarm, AspRandom *random, int count) {
  double side = cbrt(2.6 * count);
  swarm->count = count;
  for (int i = 0; i < count; i++) {
    swarm->bounds[i] = (Bound){.owner = i, .group = 1, .mask = 1};
    for (int k = 0; k < 3; k++) {
      swarm->bounds[i].low[k] = asp_random_uniform(random, 0, side);
      swarm->bounds[i].high[k] = swarm->bounds[i].low[k] + 1;
    }
  }
}

static void stir_swarm(Swarm *swarm, AspRandom *random) {
  for (int i = 0; i < swarm->count; i++)
    for (int k = 0; k < 3; k++) {
      double step = asp_random_uniform(random, -0.01, 0.01);
      swarm->bounds[i].low[k] += step;
      swarm->bounds[i].high[k] += step;
    }
}

/* Least-squares slope of log time over log count. */
static double growth(const double *counts, const double *times, int n) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < n; i++) {
    double x = log(counts[i]), y = log(times[i]);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

static void bench_broad(AspContext *context, FILE *csv) {
  static const int counts[] = {1000, 3000, 10000, 30000, 100000};
  enum { SIZES = 5, STEPS = 30, ROUNDS = 5 };
  double n[SIZES], first[SIZES], step[SIZES];
  Swarm swarm = {.bounds = malloc(100000 * sizeof *swarm.bounds)};
  if (!swarm.bounds)
    exit(3);
  printf("\nbroad phase, ms (first call / one step of a moving scene)\n");
  for (int s = 0; s < SIZES; s++) {
    AspRandom random = {9};
    double firsts[ROUNDS], steps[ROUNDS];
    size_t pairs = 0;
    for (int r = 0; r < ROUNDS; r++) {
      Broad broad = {.context = context};
      make_swarm(&swarm, &random, counts[s]);
      double start = seconds(), spent = 0;
      assert_ok(context, asp_broad_update(&broad, swarm.bounds, swarm.count));
      firsts[r] = seconds() - start;
      for (int k = 0; k < STEPS; k++) {
        stir_swarm(&swarm, &random);
        start = seconds();
        assert_ok(context, asp_broad_update(&broad, swarm.bounds, swarm.count));
        spent += seconds() - start;
      }
      steps[r] = spent / STEPS;
      pairs = broad.pair_count;
      asp_broad_free(&broad);
    }
    n[s] = counts[s];
    first[s] = median(firsts, ROUNDS);
    step[s] = median(steps, ROUNDS);
    printf("  %7d bodies %8zu pairs %9.3f %9.3f\n", counts[s], pairs, 1e3 * first[s], 1e3 * step[s]);
    fprintf(csv, "%d,%zu,%.6f,%.6f\n", counts[s], pairs, 1e3 * first[s], 1e3 * step[s]);
  }
  printf("  growth exponent: first call %.3f, step %.3f\n", growth(n, first, SIZES), growth(n, step, SIZES));
  free(swarm.bounds);
}

/* ---- piles ---- */

/* A block of touching bodies on the ground, a little disordered. */
static int make_pile(AspCollider *colliders, const AspShape *body, const AspShape *ground, int across, int high,
                     AspRandom *random) {
  int count = 0;
  colliders[count++] = (AspCollider){.shape = ground, .pose = pose_identity(), .immobile = true, .group = 1, .mask = 1};
  for (int z = 0; z < high; z++)
    for (int y = 0; y < across; y++)
      for (int x = 0; x < across; x++, count++) {
        AspVec3 jitter = scale3(0.005, random_vector(random, 3));
        colliders[count] = (AspCollider){.shape = body, .owner = count, .group = 1, .mask = 1};
        colliders[count].pose.position = add3(vec3(0.99 * x, 0.99 * y, 0.495 + 0.99 * z), jitter);
        colliders[count].pose.orientation = quat_from_vector(scale3(0.01, random_vector(random, 3)));
      }
  return count;
}

static void stir_pile(AspCollider *colliders, int count, AspRandom *random) {
  for (int i = 1; i < count; i++)
    colliders[i].pose.position = axpy3(colliders[i].pose.position, 0.0005, random_vector(random, 3));
}

static void bench_pile(AspContext *context, const char *name, const AspShape *body, int across, int high, double margin,
                       FILE *csv) {
  enum { STEPS = 41 };
  AspRandom random = {3};
  AspShape ground = {.kind = ASP_SHAPE_HALF_SPACE};
  AspCollider *colliders = malloc((size_t)(across * across * high + 1) * sizeof *colliders);
  if (!colliders)
    exit(3);
  int count = make_pile(colliders, body, &ground, across, high, &random), found = 0;
  AspCollision *collision;
  assert_ok(context, asp_collision_create(context, 3, &collision));
  double ours[STEPS];
  const AspContact *contacts;
  assert_ok(context, asp_collision_find(collision, colliders, count, margin, &contacts, &found));
#ifdef ASP_BENCH_BULLET
  BulletPeer *peer = bullet_peer_create(colliders, count, margin);
  double theirs[STEPS];
  int their_points = bullet_peer_detect(peer);
#endif
  for (int k = 0; k < STEPS; k++) {
    stir_pile(colliders, count, &random);
    double start = seconds();
    assert_ok(context, asp_collision_find(collision, colliders, count, margin, &contacts, &found));
    ours[k] = 1e3 * (seconds() - start);
#ifdef ASP_BENCH_BULLET
    bullet_peer_move(peer, colliders, count);
    start = seconds();
    their_points = bullet_peer_detect(peer);
    theirs[k] = 1e3 * (seconds() - start);
#endif
  }
  double mine = median(ours, STEPS);
  printf("  %d %s, margin %g m: %.3f ms per step, %d contacts", count - 1, name, margin, mine, found);
#ifdef ASP_BENCH_BULLET
  double other = median(theirs, STEPS);
  printf("; Bullet %s: %.3f ms, %d contacts; ours / Bullet = %.2f\n", bullet_peer_version(), other, their_points,
         mine / other);
  fprintf(csv, "%s,%d,%g,%.4f,%d,%.4f,%d,%.3f\n", name, count - 1, margin, mine, found, other, their_points,
          mine / other);
  bullet_peer_destroy(peer);
#else
  printf("; Bullet is not installed (libbullet-dev)\n");
  fprintf(csv, "%s,%d,%g,%.4f,%d,,,\n", name, count - 1, margin, mine, found);
#endif
  asp_collision_destroy(collision);
  free(colliders);
}

static void bench_piles(AspContext *context, const char *folder) {
  AspShape sphere = {.kind = ASP_SHAPE_SPHERE, .radius = 0.5},
           box = {.kind = ASP_SHAPE_BOX, .half_extents = {0.5, 0.5, 0.5}};
  FILE *csv =
      open_csv(folder, "collide_piles.csv", "pile,bodies,margin_m,ours_ms,contacts,bullet_ms,bullet_contacts,ratio");
  printf("\npiles, one moving step, medians of interleaved repeats\n");
  bench_pile(context, "spheres", &sphere, 20, 20, 0.02, csv);
  bench_pile(context, "boxes", &box, 10, 10, 0.02, csv);
  // Bullet has no contacts of boxes that are apart: the same work is that with no margin
  bench_pile(context, "boxes", &box, 10, 10, 0, csv);
  fclose(csv);
}

int main(int argc, char **argv) {
  const char *folder = argc > 1 ? argv[1] : ".", *part = argc > 2 ? argv[2] : "";
  bool all = part[0] == '\0';
  AspContext *context = asp_context_create(NULL);
  if (all || strcmp(part, "pairs") == 0) {
    Hulls hulls = make_hulls(context);
    FILE *csv = open_csv(folder, "collide_pairs.csv", "dimension,a,b,touching_ns,deep_ns,touching_points,deep_points");
    bench_pairs(&hulls, 2, kinds_2d, KINDS_2D, csv);
    bench_pairs(&hulls, 3, kinds_3d, KINDS_3D, csv);
    bench_fields(context, &hulls, csv);
    fclose(csv);
    free_hulls(context, &hulls);
  }
  if (all || strcmp(part, "broad") == 0) {
    FILE *csv = open_csv(folder, "collide_broad.csv", "bodies,pairs,first_ms,step_ms");
    bench_broad(context, csv);
    fclose(csv);
  }
  if (all || strcmp(part, "piles") == 0)
    bench_piles(context, folder);
  asp_context_destroy(context);
  return 0;
}
