#include "asperity/solver.h"
const char *asp_status_text(AspStatus status) {
  static const char *const texts[ASP_STATUS_COUNT] = {
#define ASP_STATUS_TEXT(code, text) text,
      ASP_STATUS_LIST(ASP_STATUS_TEXT)
#undef ASP_STATUS_TEXT
  };
  return status >= 0 && status < ASP_STATUS_COUNT ? texts[status] : "unknown status";
}
