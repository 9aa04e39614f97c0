/* Meshes that are not convex, drawn by program: prisms over polygons, a cup, a frame. Closed, turned outward. */
#ifndef ASP_TESTS_SHAPE_MESH_MAKERS_H
#define ASP_TESTS_SHAPE_MESH_MAKERS_H

#include "linalg/vec3.h"
#include "testing.h"

#include <math.h>
#include <string.h>

#define TEST_MESH_MOST 2048
typedef struct TestMesh {
  AspVec3 point[TEST_MESH_MOST];
  int triangle[TEST_MESH_MOST][3];
  int points, triangles;
} TestMesh;

static inline int mesh_point(TestMesh *mesh, double x, double y, double z) {
  assert_true(mesh->points < TEST_MESH_MOST);
  mesh->point[mesh->points] = vec3(x, y, z);
  return mesh->points++;
}

static inline void mesh_triangle(TestMesh *mesh, int a, int b, int c) {
  assert_true(mesh->triangles < TEST_MESH_MOST);
  int *t = mesh->triangle[mesh->triangles++];
  t[0] = a;
  t[1] = b;
  t[2] = c;
}

static inline void mesh_quad(TestMesh *mesh, int a, int b, int c, int d) {
  mesh_triangle(mesh, a, b, c);
  mesh_triangle(mesh, a, c, d);
}

static inline double corner_turn(const double (*p)[2], int a, int b, int c) {
  return (p[b][0] - p[a][0]) * (p[c][1] - p[a][1]) - (p[b][1] - p[a][1]) * (p[c][0] - p[a][0]);
}

static inline bool in_ear(const double (*p)[2], int a, int b, int c, int x) {
  return x != a && x != b && x != c && corner_turn(p, a, b, x) >= 0 && corner_turn(p, b, c, x) >= 0 &&
         corner_turn(p, c, a, x) >= 0;
}

/* Prism over a counterclockwise polygon, from z = low to high; caps by cutting ears. */
static inline void mesh_prism(TestMesh *mesh, const double (*p)[2], int count, double low, double high) {
  int base = mesh->points, left[256], n = count;
  for (int i = 0; i < count; i++) {
    mesh_point(mesh, p[i][0], p[i][1], low);
    mesh_point(mesh, p[i][0], p[i][1], high);
    left[i] = i;
  }
  for (int i = 0; i < count; i++) {
    int a = base + 2 * i, b = base + 2 * ((i + 1) % count);
    mesh_quad(mesh, a, b, b + 1, a + 1);
  }
  while (n > 2) {
    bool found = false;
    for (int i = 0; i < n && !found; i++) {
      int a = left[(i + n - 1) % n], b = left[i], c = left[(i + 1) % n];
      bool ear = corner_turn(p, a, b, c) > 0;
      for (int k = 0; k < n && ear; k++)
        ear = !in_ear(p, a, b, c, left[k]);
      if (!ear)
        continue;
      mesh_triangle(mesh, base + 2 * a, base + 2 * c, base + 2 * b);
      mesh_triangle(mesh, base + 2 * a + 1, base + 2 * b + 1, base + 2 * c + 1);
      memmove(&left[i], &left[i + 1], (size_t)(n - i - 1) * sizeof *left);
      n--;
      found = true;
    }
    assert_true(found);
  }
}

/* A wheel with teeth of half the pitch. */
static inline int wheel_polygon(int teeth, double root, double tip, double (*p)[2]) {
  for (int i = 0; i < 4 * teeth; i++) {
    double turn = 2 * acos(-1) * (i + 0.5) / (4 * teeth), r = i % 4 < 2 ? tip : root;
    p[i][0] = r * cos(turn);
    p[i][1] = r * sin(turn);
  }
  return 4 * teeth;
}

/* A cup with walls of regular polygons: outer and inner circumradius, height, thickness of the bottom; inner radius at
 * the bottom equal: a straight wall. With bottom = 0 it is a tube. */
static inline void mesh_cup(TestMesh *mesh, int sides, double outer, double inner, double height, double bottom) {
  int base = mesh->points;
  for (int i = 0; i < sides; i++) {
    double turn = 2 * acos(-1) * (i + 0.5) / sides, c = cos(turn), s = sin(turn);
    mesh_point(mesh, outer * c, outer * s, 0);
    mesh_point(mesh, outer * c, outer * s, height);
    mesh_point(mesh, inner * c, inner * s, bottom);
    mesh_point(mesh, inner * c, inner * s, height);
  }
  int centre = mesh_point(mesh, 0, 0, 0), floor = mesh_point(mesh, 0, 0, bottom);
  for (int i = 0; i < sides; i++) {
    int a = base + 4 * i, b = base + 4 * ((i + 1) % sides);
    mesh_quad(mesh, a, b, b + 1, a + 1);         // outside
    mesh_quad(mesh, b + 2, a + 2, a + 3, b + 3); // inside
    mesh_quad(mesh, a + 1, b + 1, b + 3, a + 3); // rim
    if (bottom > 0) {
      mesh_triangle(mesh, centre, b, a);
      mesh_triangle(mesh, floor, a + 2, b + 2);
    } else {
      mesh_quad(mesh, b, a, a + 2, b + 2);
    }
  }
}

#endif
