/* published_mvapich2.h: tables of MVAPICH2 1.9 for one rank a host, as SimGrid has them
 * (smpi_mvapich2_selector_stampede.hpp), read there table by table; bounds there are inclusive.
 * Form: published.h. */
#ifndef ORRERY_TESTS_COLL_PUBLISHED_MVAPICH2_H
#define ORRERY_TESTS_COLL_PUBLISHED_MVAPICH2_H

#include "published.h"

/* clang-format off */
static const struct published published_mvapich2[] = {
	{COLL_ALLTOALL, COMMUTES, 0,
	 "pair mvapich2_scatter_dest rdb bruck",
	 {{2, "else:1"},
	 {4, "<262145:2 else:1"},
	 {8, "<9:3 else:2"},
	 {16, "<65:3 <513:4 else:2"},
	 {32, "<33:3 <2049:4 else:2"},
	 {MANY, "<9:3 <1025:4 else:2"}}},
	{COLL_ALLGATHER, COMMUTES, 0,
	 "ring rdb",
	 {{2, "else:1"},
	 {4, "<262145:2 else:1"},
	 {8, "<131073:2 else:1"},
	 {16, "<131073:2 else:1"},
	 {32, "<65537:2 else:1"},
	 {MANY, "<32769:2 else:1"}}},
	{COLL_ALLGATHERV, COMMUTES, 0,
	 "mpich_rdb mpich_ring",
	 {{16, "<513:1 else:2"},
	 {32, "<513:1 else:2"},
	 {64, "<257:1 else:2"},
	 {128, "<257:1 else:2"},
	 {256, "<257:1 else:2"},
	 {MANY, "<257:1 else:2"}}},
	{COLL_REDUCE_SCATTER, COMMUTES, 0,
	 "default ompi_basic_recursivehalving mpich_pair",
	 {{16, "<65:1 <65537:2 else:3"},
	 {32, "<65:1 <131073:2 else:3"},
	 {64, "<1025:1 <262145:2 else:3"},
	 {128, "<129:1 else:2"},
	 {256, "<129:1 else:2"},
	 {MANY, "<257:1 else:2"}}},
	{COLL_SCATTER, COMMUTES, 0,
	 "ompi_binomial ompi_basic_linear",
	 {{2, "else:1"},
	 {4, "else:2"},
	 {8, "else:2"},
	 {16, "else:2"},
	 {32, "else:2"},
	 {MANY, "<33:1 else:2"}}},
};
/* clang-format on */

#endif
