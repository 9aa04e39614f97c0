/* Mathematical constants, each once. */
#ifndef CLI_CONSTANTS_H
#define CLI_CONSTANTS_H

#define PI 3.14159265358979323846

#endif
