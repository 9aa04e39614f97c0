/* Asperity: multibody dynamics with unilateral contact and exact Coulomb friction. Includes every layer's header. */
#ifndef ASPERITY_H
#define ASPERITY_H

#include "asperity/analyze.h"
#include "asperity/base.h"
#include "asperity/batch.h"
#include "asperity/collide.h"
#include "asperity/compare.h"
#include "asperity/compliant.h"
#include "asperity/formulate.h"
#include "asperity/io.h"
#include "asperity/linalg.h"
#include "asperity/model.h"
#include "asperity/options.h"
#include "asperity/partition.h"
#include "asperity/problem.h"
#include "asperity/scheme.h"
#include "asperity/shape.h"
#include "asperity/solver.h"
#include "asperity/study.h"
#include "asperity/world.h"

#endif
