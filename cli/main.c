#include "asperity/base.h"

#include <stdio.h>

int main(void) {
  printf("asperity %s\n", asp_version());
  return 0;
}
