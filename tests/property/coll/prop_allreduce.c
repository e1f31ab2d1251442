/* Every registered algorithm performs its collective: allreduce. */
#include "prove.h"

static const enum coll_kind kinds[] = {PROVEN_WITH_ALLREDUCE};

#include "prove_main.h"
