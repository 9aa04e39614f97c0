/* Asperity formulate: what the blocks of a contact problem mean that was made from a model.
 *
 * Threads and ownership: base.h.
 */
#ifndef ASPERITY_FORMULATE_H
#define ASPERITY_FORMULATE_H

#include "asperity/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* role, name: those of joints first, those of contacts last */
#define ASP_BLOCK_ROLE_LIST(X)                                                                                         \
  X(ASP_ROLE_JOINT, "joint")           /* EQUALITY: the joint's constraint rows */                                     \
  X(ASP_ROLE_MOTION, "motion")         /* EQUALITY: prescribed coordinate */                                           \
  X(ASP_ROLE_MOTOR, "motor")           /* BOX with the effort, or EQUALITY when the effort is unlimited */             \
  X(ASP_ROLE_FRICTION, "friction")     /* BOX with the dry limit */                                                    \
  X(ASP_ROLE_BEARING, "bearing")       /* COULOMB on a load coupling: friction in proportion to the bearings' load */  \
  X(ASP_ROLE_LIMIT_LOW, "low limit")   /* UNILATERAL */                                                                \
  X(ASP_ROLE_LIMIT_HIGH, "high limit") /* UNILATERAL, row with the opposite sign of the coordinate */                  \
  X(ASP_ROLE_ARMATURE, "armature")     /* EQUALITY on a load coupling: inertia on a joint's coordinate */              \
  X(ASP_ROLE_STRETCH, "stretch")       /* EQUALITY: one condition on the length of an inextensible beam */             \
  X(ASP_ROLE_CONTACT, "contact")       /* COULOMB, or UNILATERAL where mu = 0 */                                       \
  X(ASP_ROLE_ROLLING, "rolling")       /* COULOMB on a load coupling: torque across the contact's normal */            \
  X(ASP_ROLE_SPINNING, "spinning")     /* COULOMB on a load coupling: torque along the contact's normal */             \
  X(ASP_ROLE_EXPANSION, "expansion")   /* COULOMB on a load coupling: friction in the expansion of Poisson's law */

/* What a block stands for. */
typedef enum AspBlockRole {
#define ASP_BLOCK_ROLE_ENUM(role, name) role,
  ASP_BLOCK_ROLE_LIST(ASP_BLOCK_ROLE_ENUM)
#undef ASP_BLOCK_ROLE_ENUM
} AspBlockRole;
ASP_API const char *asp_block_role_name(AspBlockRole role); /* [any thread, lent] */

#ifdef __cplusplus
}
#endif
#endif
