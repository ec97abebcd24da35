// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// All headers of abut except openmp.h and mpi.h, which belong to small libraries of their own. See
// docs/concepts.md for the words, README.md for a first program.
#ifndef ABUT_ABUT_H
#define ABUT_ABUT_H

#include "base.h"
#include "blend.h"
#include "body.h"
#include "cast.h"
#include "changes.h"
#include "closest.h"
#include "collide.h"
#include "contains.h"
#include "contour.h"
#include "depth.h"
#include "exact.h"
#include "flight.h"
#include "intervals.h"
#include "mesh.h"
#include "mls.h"
#include "modal.h"
#include "nearest.h"
#include "proxies.h"
#include "query.h"
#include "save.h"
#include "scene.h"
#include "select.h"
#include "shape.h"
#include "sweep.h"
#include "types.h"
#include "within.h"

#endif
