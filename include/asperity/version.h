/* Asperity version: of the headers, at compile time. These three numbers are the only place where the version stands;
 * CMake reads them. The shared libraries carry major and minor in their names (libasperity.so.0.1): before 1.0 a minor
 * version may break programs, a patch does not.
 */
#ifndef ASPERITY_VERSION_H
#define ASPERITY_VERSION_H

#define ASP_VERSION_MAJOR 0
#define ASP_VERSION_MINOR 1
#define ASP_VERSION_PATCH 0

/* One number to compare: 0.1.0 is 100. */
#define ASP_VERSION_NUMBER (ASP_VERSION_MAJOR * 10000 + ASP_VERSION_MINOR * 100 + ASP_VERSION_PATCH)

#endif
