/* Every registered algorithm performs its collective: alltoall and its forms. */
#include "prove.h"

static const enum coll_kind kinds[] = {PROVEN_WITH_ALLTOALL};

#include "prove_main.h"
