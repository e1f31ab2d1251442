/* Every registered algorithm performs its collective: the vector form of allgather. */
#include "prove.h"

static const enum coll_kind kinds[] = {PROVEN_WITH_ALLGATHERV};

#include "prove_main.h"
