/* Every registered algorithm performs its collective: gather, scatter and their forms. */
#include "prove.h"

static const enum coll_kind kinds[] = {PROVEN_WITH_GATHER};

#include "prove_main.h"
