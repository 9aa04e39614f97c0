/* Forces, torques and springs for the viewer: which there are, and what they are in every kept frame. Results of
 * earlier versions have none.
 */
#include "io/view/data.h"

static bool add_forces(const ViewPacker *packer) {
  const ResultModel *model = packer->model;
  cJSON *forces = cJSON_AddArrayToObject(packer->header, "forces");
  for (int i = 0; forces && i < model->force_count; i++) {
    const ResultForce *force = &model->force[i];
    const int bodies[] = {force->body_a, force->body_b};
    cJSON *entry = cJSON_CreateObject();
    if (!entry || !cJSON_AddItemToArray(forces, entry) ||
        !cJSON_AddStringToObject(entry, "name", asp_result_text_at(&model->forces, i)) ||
        !cJSON_AddStringToObject(entry, "kind", asp_force_kind_name(force->kind)) ||
        !cJSON_AddItemToObject(entry, "bodies", cJSON_CreateIntArray(bodies, 2)))
      return false;
    cJSON *points = cJSON_AddArrayToObject(entry, "points");
    for (int side = 0; side < 2; side++) {
      const double at[] = {force->point[side].x, force->point[side].y, force->point[side].z};
      if (!points || !cJSON_AddItemToArray(points, cJSON_CreateDoubleArray(at, 3)))
        return false;
    }
  }
  return forces != NULL;
}

AspError asp_view_pack_forces(ViewPacker *packer, AspArena *scratch) {
  size_t width = 3 * (size_t)packer->model->force_count;
  if (!add_forces(packer))
    return asp_fail(packer->result->file.context, ASP_ERROR_MEMORY, "out of memory");
  return width ? asp_view_pack_vectors(packer, scratch, RESULT_FORCES "/value", "elementForce", width, false) : ASP_OK;
}
