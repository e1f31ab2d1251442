/* base.h: the face of the bottom room: what every other room stands on. Knows no machine and no
 * MPI. */
#ifndef ORRERY_BASE_H
#define ORRERY_BASE_H

#include "arena.h"
#include "config.h"
#include "data.h"
#include "err.h"
#include "hash.h"
#include "heap.h"
#include "input.h"
#include "json.h"
#include "letters.h"
#include "markup.h"
#include "memory.h"
#include "nearest.h"
#include "num.h"
#include "output.h"
#include "processor.h"
#include "progress.h"
#include "rng.h"
#include "shown.h"
#include "str.h"
#include "there.h"
#include "units.h"
#include "vec.h"

#endif
