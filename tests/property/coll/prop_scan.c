/* Every registered algorithm performs its collective: reduce_scatter, scan, exscan. */
#include "prove.h"

static const enum coll_kind kinds[] = {PROVEN_WITH_SCAN};

#include "prove_main.h"
