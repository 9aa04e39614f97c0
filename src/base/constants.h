/* Mathematical constants, each once. */
#ifndef ASP_BASE_CONSTANTS_H
#define ASP_BASE_CONSTANTS_H

// exact: pi
#define ASP_PI 3.14159265358979323846

#endif
