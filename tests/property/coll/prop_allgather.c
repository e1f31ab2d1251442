/* Every registered algorithm performs its collective: allgather. */
#include "prove.h"

static const enum coll_kind kinds[] = {PROVEN_WITH_ALLGATHER};

#include "prove_main.h"
