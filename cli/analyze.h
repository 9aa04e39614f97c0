/* What the files of `asperity analyze` share. */
#ifndef CLI_ANALYZE_H
#define CLI_ANALYZE_H

#include "command.h"

#include "asperity/asperity.h"

/* "ground/rod at (0, 0, 0)", "joint hinge", "motor of joint hinge" */
void analyze_block_name(const AspModel *model, const AspProblemBlock *block, char *text, size_t size);

#endif
