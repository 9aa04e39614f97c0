/* Names of one kind (bodies, joints, forces, materials): numbered in the order of adding, each once, found by an open
 * hash table with linear probing that is at most half full. Depends on base.
 */
#include "model/model.h"
#include "model/tuning/model.h"

static size_t slot_of(const NameList *names, const char *name) {
  size_t slot = (size_t)asp_hash_bytes(ASP_HASH_START, name, strlen(name)) & (names->slots - 1);
  while (names->slot[slot] && strcmp(names->name[names->slot[slot] - 1], name) != 0)
    slot = (slot + 1) & (names->slots - 1);
  return slot;
}

int asp_names_find(const NameList *names, const char *name) {
  return names->slots && name ? names->slot[slot_of(names, name)] - 1 : -1;
}

/* A table of twice the size, all names entered again. */
static AspError grow_slots(AspContext *context, NameList *names) {
  size_t slots = names->slots ? 2 * names->slots : NAMES_FIRST_SLOTS;
  int *slot = asp_allocate(context, slots, sizeof *slot);
  if (!slot)
    return ASP_ERROR_MEMORY;
  asp_release(context, names->slot);
  names->slot = slot;
  names->slots = slots;
  for (int i = 0; i < names->count; i++)
    names->slot[slot_of(names, names->name[i])] = i + 1;
  return ASP_OK;
}

AspError asp_names_add(AspContext *context, NameList *names, const char *name) {
  int found = asp_names_find(names, name);
  if (found >= 0)
    return asp_fail(context, ASP_ERROR_INPUT, "the name is already taken by number %d; names must be unique", found);
  for (const char *c = name; *c; c++)
    if (asp_is_control(c) && *c != '\t')
      return asp_fail(context, ASP_ERROR_INPUT,
                      "a control character stands in the name at byte %d; names are printable", (int)(c - name));
  if (2 * ((size_t)names->count + 1) > names->slots)
    ASP_TRY(grow_slots(context, names));
  ASP_TRY(ASP_GROW(context, names->name, names->capacity, names->count + 1));
  char *copy = asp_copy_text(context, name);
  if (!copy)
    return ASP_ERROR_MEMORY;
  names->slot[slot_of(names, copy)] = names->count + 1;
  names->name[names->count++] = copy;
  return ASP_OK;
}

void asp_names_release(AspContext *context, NameList *names) {
  for (int i = 0; i < names->count; i++)
    asp_release(context, names->name[i]);
  asp_release(context, names->name);
  asp_release(context, names->slot);
}
