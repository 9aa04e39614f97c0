/* Incremental convex polyhedron: remove the faces that see the new point, close the hole with a fan from the point to
 * the horizon. */
#include "shape/polyhedron.h"

static bool set_plane(const Polyhedron *p, PolyFace *face) {
  AspVec3 a = p->points[face->v[0]], b = p->points[face->v[1]], c = p->points[face->v[2]];
  AspVec3 n = cross3(sub3(b, a), sub3(c, a));
  double length = norm3(n);
  face->n = length > 0 ? scale3(1 / length, n) : n;
  face->offset = (dot3(face->n, a) + dot3(face->n, b) + dot3(face->n, c)) / 3;
  return length > 0;
}

bool asp_polyhedron_start(Polyhedron *p, const int t[4]) {
  AspVec3 a = p->points[t[0]], b = p->points[t[1]], c = p->points[t[2]], d = p->points[t[3]];
  double volume = dot3(cross3(sub3(b, a), sub3(c, a)), sub3(d, a));
  // face i leaves out vertex i; turned so that the normals point outward
  static const int left_out[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
  p->face_count = 4;
  p->free_count = p->made_count = p->removed_count = p->insertion = 0;
  for (int f = 0; f < 4; f++) {
    PolyFace *face = &p->faces[f];
    *face = (PolyFace){.alive = true};
    for (int i = 0; i < 3; i++)
      face->v[i] = t[left_out[f][volume > 0 ? 2 - i : i]];
    if (!set_plane(p, face))
      return false;
  }
  for (int f = 0; f < 4; f++)
    for (int i = 0; i < 3; i++)
      for (int g = 0; g < 4; g++)
        for (int j = 0; j < 3; j++)
          if (p->faces[g].v[j] == p->faces[f].v[(i + 1) % 3] && p->faces[g].v[(j + 1) % 3] == p->faces[f].v[i])
            p->faces[f].beside[i] = g;
  return volume != 0;
}

/* Faces that see x, connected to the first one: list[face_capacity ..). */
static int collect_visible(Polyhedron *p, int first, AspVec3 x) {
  int *seen = p->list + p->face_capacity, count = 1;
  seen[0] = first;
  p->faces[first].visited_at = p->insertion;
  for (int k = 0; k < count; k++)
    for (int i = 0; i < 3; i++) {
      int g = p->faces[seen[k]].beside[i];
      if (p->faces[g].visited_at != p->insertion && asp_poly_height(&p->faces[g], x) > p->tolerance) {
        p->faces[g].visited_at = p->insertion;
        seen[count++] = g;
      }
    }
  return count;
}

/* Take back the faces made so far. */
static bool give_up(Polyhedron *p, int made) {
  for (int k = 0; k < made; k++) {
    p->faces[p->list[k]].alive = false;
    p->free_slots[p->free_count++] = p->list[k];
  }
  p->made_count = p->removed_count = 0;
  return false;
}

/* One triangle from every horizon edge to the point; false when a triangle is degenerate or no slot is left. */
static bool make_fan(Polyhedron *p, int seen_count, int point, int *made) {
  const int *seen = p->list + p->face_capacity;
  for (int k = 0; k < seen_count; k++)
    for (int i = 0; i < 3; i++) {
      const PolyFace *old = &p->faces[seen[k]];
      int outer = old->beside[i];
      if (p->faces[outer].visited_at == p->insertion)
        continue; // both sides are seen
      if (p->free_count == 0 && p->face_count == p->face_capacity)
        return false;
      int slot = p->free_count > 0 ? p->free_slots[--p->free_count] : p->face_count++;
      PolyFace *face = &p->faces[slot];
      *face = (PolyFace){.v = {old->v[i], old->v[(i + 1) % 3], point}, .beside = {outer, -1, -1}, .alive = true};
      p->list[(*made)++] = slot;
      p->spoke[face->v[0]] = slot;
      if (!set_plane(p, face))
        return false;
    }
  return true;
}

/* Join neighbours within the fan; every horizon vertex must have one edge in and one out. */
static bool join_fan(Polyhedron *p, int made) {
  for (int k = 0; k < made; k++) {
    PolyFace *face = &p->faces[p->list[k]];
    int next = p->spoke[face->v[1]];
    if (next < 0 || next >= p->face_count || !p->faces[next].alive || p->faces[next].v[0] != face->v[1] ||
        p->faces[next].v[2] != face->v[2] || p->faces[next].beside[2] != -1)
      return false;
    face->beside[1] = next;
    p->faces[next].beside[2] = p->list[k];
  }
  return made >= 3;
}

bool asp_polyhedron_add(Polyhedron *p, int face, int point) {
  p->insertion++;
  int made = 0, seen_count = collect_visible(p, face, p->points[point]);
  if (!make_fan(p, seen_count, point, &made) || !join_fan(p, made))
    return give_up(p, made);
  for (int k = 0; k < made; k++) {
    int slot = p->list[k], outer = p->faces[slot].beside[0];
    for (int i = 0; i < 3; i++)
      if (p->faces[outer].v[i] == p->faces[slot].v[1] && p->faces[outer].v[(i + 1) % 3] == p->faces[slot].v[0])
        p->faces[outer].beside[i] = slot;
  }
  for (int k = 0; k < seen_count; k++) {
    int slot = p->list[p->face_capacity + k];
    p->faces[slot].alive = false;
    p->free_slots[p->free_count++] = slot;
  }
  p->made_count = made;
  p->removed_count = seen_count;
  return true;
}
