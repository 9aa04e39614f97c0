/* The names of what blocks stand for (asperity/formulate.h). */
#include "formulate/formulate.h"

const char *asp_block_role_name(AspBlockRole role) {
  static const char *const names[] = {
#define ASP_BLOCK_ROLE_TEXT(role, name) name,
      ASP_BLOCK_ROLE_LIST(ASP_BLOCK_ROLE_TEXT)
#undef ASP_BLOCK_ROLE_TEXT
  };
  return ASP_NAME_OF(names, role);
}
