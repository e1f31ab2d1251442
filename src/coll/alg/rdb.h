/* rdb.h: recursive doubling on any number of ranks (MPICH; Thakur, Rabenseifner and Gropp,
 * IJHPCA 19(1), 2005, section 4).
 *
 * In step i, ranks that differ in bit i exchange what their groups of mask = 2^i ranks have. Where
 * p is not a power of two a group's partners may be fewer than its members; those who got the
 * partners' data then pass it on inside the group by halving, so that after each step all members
 * of a group have the same. */
#ifndef ORRERY_COLL_RDB_H
#define ORRERY_COLL_RDB_H

#include <stdint.h>

enum rdb_role { RDB_NOTHING, RDB_EXCHANGE, RDB_PASS_ON, RDB_GET };
struct rdb_move {
	enum rdb_role role;
	uint32_t peer;
	uint32_t group, other; /* first rank of the own and of the partners' group */
};

/* What rank v of p does in the sub-th part of step mask: 0 is the exchange, 1 … log2 mask pass on.
 * PASS_ON sends, GET receives, the data of the other group. */
static inline struct rdb_move rdb_move(uint32_t p, uint32_t v, uint32_t mask, uint32_t sub)
{
	struct rdb_move m = {.group = v & -mask};
	m.other = m.group ^ mask;
	if (sub == 0) {
		m.peer = v ^ mask;
		m.role = m.peer < p ? RDB_EXCHANGE : RDB_NOTHING;
		return m;
	}
	uint32_t half = sub < 32 ? mask >> sub : 0;
	if (half == 0 || m.other >= p || p - m.other >= mask)
		return m;
	/* In each subtree of 2*half ranks, those below `without` have the data. */
	uint32_t without = (v & -(2 * half)) + (p - m.other);
	m.peer = v ^ half;
	if (m.peer > v && v < without && m.peer >= without)
		m.role = RDB_PASS_ON;
	else if (m.peer < v && m.peer < without && v >= without)
		m.role = RDB_GET;
	return m;
}

#endif
