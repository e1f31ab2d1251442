/* group.c: groups and their algebra (MPI 4.0, 7.3). */
#include "group.h"

#include <stdlib.h>
#include <string.h>

#include "core.h"
#include "local.h"
#include "orr_mpi.h"

enum { FEW = 16 }; /* members behind the group, which are looked through one by one */

struct orr_group *orr_group_new(int32_t n, const int32_t *members)
{
	size_t bytes = (size_t)n * sizeof *members;
	struct orr_group *g = orr_object_new(ORR_GROUP, sizeof *g + (n <= FEW ? bytes : 0));
	if (!g)
		return NULL;
	g->n = n;
	if (n > FEW)
		g->own = malloc(bytes);
	g->member = n > FEW ? g->own : (int32_t *)(g + 1);
	if (!g->member) {
		orr_group_drop(g);
		return NULL;
	}
	if (members && n)
		memcpy(g->member, members, bytes);
	if (members || n == 0)
		orr_group_ready(g);
	return g;
}

struct orr_group *orr_group_lent(int32_t n, const int32_t *members)
{
	struct orr_group *g = orr_object_new(ORR_GROUP, sizeof *g);
	if (!g)
		return NULL;
	g->n = n;
	g->member = (int32_t *)(uintptr_t)members;
	g->rank = orr_core_process();
	g->identity = 1;
	return g;
}

static int is_identity(const struct orr_group *g)
{
	int32_t i = 0;
	while (i < g->n && g->member[i] == i)
		i++;
	return i == g->n;
}

static void list_set(struct orr_group *g, const struct orr_list *l)
{
	g->list = l;
	g->n = l->n;
	g->member = (int32_t *)(uintptr_t)l->member;
	g->identity = l->identity;
}

void orr_group_ready(struct orr_group *g)
{
	const struct orr_list *l = g->own ? orr_list_keep(g->n, g->own) : NULL;
	if (l) {
		free(g->own);
		g->own = NULL;
		list_set(g, l);
	} else {
		g->identity = is_identity(g);
	}
	g->rank = orr_group_find(g, orr_core_process());
}

uint64_t orr_group_hash(const struct orr_group *g)
{
	if (g->identity) /* known without looking at them */
		return (uint64_t)g->n;
	return g->list ? g->list->hash : orr_list_hash(g->n, g->member);
}

struct orr_group *orr_group_named(uint64_t name)
{
	const struct orr_list *l = orr_list_keep_named(name);
	struct orr_group *g = l ? orr_object_new(ORR_GROUP, sizeof *g) : NULL;
	if (!g) {
		orr_list_drop(l);
		return NULL;
	}
	list_set(g, l);
	g->rank = orr_group_find(g, orr_core_process());
	return g;
}

void orr_group_name(const struct orr_group *g, uint64_t name)
{
	if (g->list)
		orr_list_name(g->list, name);
}

void orr_group_drop(struct orr_group *g)
{
	if (!orr_object_drop(g))
		return;
	orr_list_drop(g->list);
	free(g->own);
	orr_object_end(g);
}

static int32_t find_slowly(const struct orr_group *g, int32_t process)
{
	for (int32_t i = 0; i < g->n; i++)
		if (g->member[i] == process)
			return i;
	return -1;
}

int32_t orr_group_find(const struct orr_group *g, int32_t process)
{
	if (g->identity)
		return process >= 0 && process < g->n ? process : MPI_UNDEFINED;
	int32_t at = g->list ? orr_list_find(g->list, process) : find_slowly(g, process);
	return at >= 0 ? at : MPI_UNDEFINED;
}

int orr_groups_start(void)
{
	struct orr_group *g = orr_group_new(0, NULL);
	if (!g)
		return MPI_ERR_NO_MEM;
	orr_predefine((uint32_t)(uintptr_t)MPI_GROUP_EMPTY, g);
	return MPI_SUCCESS;
}

/* What a function that makes a group returns: no members make MPI_GROUP_EMPTY. */
static int group_give(struct orr_group *g, MPI_Group *newgroup)
{
	if (!g)
		return MPI_ERR_NO_MEM;
	if (g->n == 0) {
		orr_group_drop(g);
		*newgroup = MPI_GROUP_EMPTY;
		return MPI_SUCCESS;
	}
	orr_group_ready(g);
	*newgroup = orr_handle(g);
	return MPI_SUCCESS;
}

/* Those of a that are (not) in b, after the n that g has already. */
static void add_if(struct orr_group *g, const struct orr_group *a, const struct orr_group *b,
                   int in)
{
	for (int32_t i = 0; i < a->n; i++)
		if ((orr_group_find(b, a->member[i]) != MPI_UNDEFINED) == in)
			g->member[g->n++] = a->member[i];
}

enum set { UNION, INTERSECTION, DIFFERENCE };

static int set_operation(enum set what, MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
	struct orr_group *a = orr_group_of(group1), *b = orr_group_of(group2);
	if (!a || !b)
		return MPI_ERR_GROUP;
	if (!newgroup)
		return MPI_ERR_ARG;
	struct orr_group *g = orr_group_new(a->n + b->n, NULL);
	if (!g)
		return MPI_ERR_NO_MEM;
	g->n = 0;
	if (what == UNION) {
		g->n = a->n;
		memcpy(g->member, a->member, (size_t)a->n * sizeof a->member[0]);
		add_if(g, b, a, 0);
	} else {
		add_if(g, a, b, what == INTERSECTION);
	}
	return group_give(g, newgroup);
}

int orr_Group_union(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
	return set_operation(UNION, group1, group2, newgroup);
}

int orr_Group_intersection(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
	return set_operation(INTERSECTION, group1, group2, newgroup);
}

int orr_Group_difference(MPI_Group group1, MPI_Group group2, MPI_Group *newgroup)
{
	return set_operation(DIFFERENCE, group1, group2, newgroup);
}

/* --- parts --- */

/* Marks ranks; a rank out of range or named twice is an error. */
static int mark(char *marked, int32_t n, int64_t rank)
{
	if (rank < 0 || rank >= n || marked[rank])
		return MPI_ERR_RANK;
	marked[rank] = 1;
	return MPI_SUCCESS;
}

static int range_count(const int range[3], int64_t *count)
{
	int64_t first = range[0], last = range[1], stride = range[2];
	*count = 0;
	if (stride == 0)
		return MPI_ERR_ARG;
	if ((stride > 0 && first <= last) || (stride < 0 && first >= last))
		*count = (last - first) / stride + 1;
	return MPI_SUCCESS;
}

/* The members named by ranges, in their order, into g (or only marked: g NULL). */
static int take_ranges(const struct orr_group *from, int n, int ranges[][3], char *marked,
                       struct orr_group *g)
{
	for (int i = 0; i < n; i++) {
		int64_t count;
		int code = range_count(ranges[i], &count);
		for (int64_t k = 0; !code && k < count; k++) {
			int64_t rank = ranges[i][0] + k * ranges[i][2];
			code = mark(marked, from->n, rank);
			if (!code && g)
				g->member[g->n++] = from->member[rank];
		}
		if (code)
			return code;
	}
	return MPI_SUCCESS;
}

static int part(MPI_Group group, int n, int ranges[][3], int include, MPI_Group *newgroup)
{
	struct orr_group *from = orr_group_of(group);
	if (!from)
		return MPI_ERR_GROUP;
	if (n < 0 || (n > 0 && !ranges) || !newgroup)
		return MPI_ERR_ARG;
	char *marked = calloc((size_t)from->n + 1, 1);
	struct orr_group *g = marked ? orr_group_new(from->n, NULL) : NULL;
	if (!g) {
		free(marked);
		return MPI_ERR_NO_MEM;
	}
	g->n = 0;
	int code = take_ranges(from, n, ranges, marked, include ? g : NULL);
	for (int32_t i = 0; !code && !include && i < from->n; i++)
		if (!marked[i])
			g->member[g->n++] = from->member[i];
	free(marked);
	if (!code)
		return group_give(g, newgroup);
	orr_group_drop(g);
	return code;
}

int orr_Group_range_incl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
	return part(group, n, ranges, 1, newgroup);
}

int orr_Group_range_excl(MPI_Group group, int n, int ranges[][3], MPI_Group *newgroup)
{
	return part(group, n, ranges, 0, newgroup);
}

static int part_of_ranks(MPI_Group group, int n, const int *ranks, int include, MPI_Group *newgroup)
{
	if (n < 0 || (n > 0 && !ranks))
		return orr_group_of(group) ? MPI_ERR_ARG : MPI_ERR_GROUP;
	int(*ranges)[3] = malloc(((size_t)n + 1) * sizeof *ranges);
	if (!ranges)
		return MPI_ERR_NO_MEM;
	for (int i = 0; i < n; i++) {
		ranges[i][0] = ranges[i][1] = ranks[i];
		ranges[i][2] = 1;
	}
	int code = part(group, n, ranges, include, newgroup);
	free(ranges);
	return code;
}

int orr_Group_incl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
	return part_of_ranks(group, n, ranks, 1, newgroup);
}

int orr_Group_excl(MPI_Group group, int n, const int ranks[], MPI_Group *newgroup)
{
	return part_of_ranks(group, n, ranks, 0, newgroup);
}

/* --- questions --- */

int orr_Group_size(MPI_Group group, int *size)
{
	const struct orr_group *g = orr_group_of(group);
	if (!g)
		return MPI_ERR_GROUP;
	*size = g->n;
	return MPI_SUCCESS;
}

int orr_Group_rank(MPI_Group group, int *rank)
{
	const struct orr_group *g = orr_group_of(group);
	if (!g)
		return MPI_ERR_GROUP;
	*rank = g->rank;
	return MPI_SUCCESS;
}

int orr_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
                              int ranks2[])
{
	const struct orr_group *a = orr_group_of(group1);
	struct orr_group *b = orr_group_of(group2);
	if (!a || !b)
		return MPI_ERR_GROUP;
	if (n < 0 || (n > 0 && (!ranks1 || !ranks2)))
		return MPI_ERR_ARG;
	for (int i = 0; i < n; i++) {
		if (ranks1[i] == MPI_PROC_NULL)
			ranks2[i] = MPI_PROC_NULL;
		else if (ranks1[i] < 0 || ranks1[i] >= a->n)
			return MPI_ERR_RANK;
		else
			ranks2[i] = orr_group_find(b, a->member[ranks1[i]]);
	}
	return MPI_SUCCESS;
}

int orr_group_compare(const struct orr_group *a, const struct orr_group *b)
{
	if (a->n != b->n)
		return MPI_UNEQUAL;
	if (a->member == b->member ||
	    memcmp(a->member, b->member, (size_t)a->n * sizeof a->member[0]) == 0)
		return MPI_IDENT;
	for (int32_t i = 0; i < a->n; i++)
		if (orr_group_find(b, a->member[i]) == MPI_UNDEFINED)
			return MPI_UNEQUAL;
	return MPI_SIMILAR;
}

int orr_Group_compare(MPI_Group group1, MPI_Group group2, int *result)
{
	const struct orr_group *a = orr_group_of(group1);
	struct orr_group *b = orr_group_of(group2);
	if (!a || !b)
		return MPI_ERR_GROUP;
	*result = orr_group_compare(a, b);
	return MPI_SUCCESS;
}

int orr_Group_free(MPI_Group *group)
{
	struct orr_group *g = group ? orr_group_of(*group) : NULL;
	if (!g)
		return group ? MPI_ERR_GROUP : MPI_ERR_ARG;
	if (!orr_is_predefined(&g->o)) { /* MPI_GROUP_EMPTY may be freed, and stays */
		orr_handle_hide(g);
		orr_group_drop(g);
	}
	*group = MPI_GROUP_NULL;
	return MPI_SUCCESS;
}
