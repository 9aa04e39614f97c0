/* A mesh file: the first byte says which format. Its hull, and its convex pieces where it is small. */
#include "fuzz.h"

#define SMALL 4000 /* bytes: of meshes that are decomposed, too */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  static const char *const names[] = {"mesh.stl", "mesh.obj", "mesh.dae", "mesh.msh"};
  if (size < 1)
    return 0;
  AspContext *context = fuzz_context(200);
  const char *path = fuzz_file(names[bytes[0] % 4], bytes + 1, size - 1);
  AspHull *hull = NULL;
  double filled = 0;
  AspError error = asp_hull_read_mesh(context, path, bytes[0] & 4 ? "part" : NULL, 0.5, &hull, &filled);
  fuzz_check_error(context, error);
  if (error == ASP_OK)
    asp_hull_destroy(context, hull);
  if (error == ASP_OK && size < SMALL) {
    AspDecomposition pieces;
    error = asp_mesh_file_decompose(context, path, NULL, 1, 0.1, &pieces);
    fuzz_check_error(context, error);
    if (error == ASP_OK)
      asp_decomposition_destroy(context, &pieces);
  }
  fuzz_context_end(context);
  return 0;
}
