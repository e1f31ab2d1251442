/* Every registered algorithm performs its collective: reductions to one rank. */
#include "prove.h"

static const enum coll_kind kinds[] = {PROVEN_WITH_REDUCE};

#include "prove_main.h"
