/* Every registered algorithm performs its collective: barriers and broadcasts on several ranks a
 * host. One half of the algorithms; the other: prop_bcast_placed_more.c. */
#define HALF 0
#include "prove_placed.h"
