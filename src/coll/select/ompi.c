/* ompi.c: Open MPI's "fixed decisions" (coll/tuned), as SimGrid's selector "ompi" has them: those
 * of 4.1.2. Where Open MPI's algorithm is missing in SimGrid, SimGrid's replacement is kept; pair
 * works for every p here, as in Open MPI. "ompi-4" has the same tables and Open MPI's own
 * algorithms, "ompi-5" han's where they act. */
#include "ompi.h"

#include "coll/rules/numbers.h"

static const struct coll_alg *ompi_choose(const struct coll_args *a)
{
	int64_t bytes;
	const struct decision *d = ompi_table_of(a, &bytes);
	return d ? decision_choose(d, a->size, bytes) : coll_choose_default(a);
}

/* --- the same decisions with Open MPI's own algorithms, instead of SimGrid's replacements, and
 * those that SimGrid does not have. Fixed decisions ask for no segments and one chain --- */

static uint32_t ompi_4_number(const struct coll_args *a)
{
	int64_t bytes;
	if (a->kind == COLL_REDUCE_SCATTER_BLOCK) /* here the size is that of a block */
		return commutes(a)
		           ? decision_number(ompi_block_table, a->size, a->count * a->type_size)
		           : 1;
	if (a->kind == COLL_SCAN || a->kind == COLL_EXSCAN)
		return 1; /* coll/basic's, along the line */
	const struct decision *d = ompi_table_of(a, &bytes);
	return d ? decision_number(d, a->size, bytes) : 0;
}

static void ompi_4_decide(const struct coll_args *a, struct coll_choice *out)
{
	uint32_t number = ompi_4_number(a);
	out->alg = coll_ompi_alg(a->kind, number);
	if (!out->alg) {
		out->alg = coll_choose_default(a);
		return;
	}
	out->segment = a->kind == COLL_BCAST || a->kind == COLL_REDUCE || a->kind == COLL_ALLREDUCE
	                   ? COLL_WHOLE
	                   : 0;
	out->fanout = number == 2 && (a->kind == COLL_BCAST || a->kind == COLL_REDUCE) ? 1 : 0;
}

static const struct coll_alg *ompi_4_choose(const struct coll_args *a)
{
	struct coll_choice c = {0};
	ompi_4_decide(a, &c);
	return c.alg;
}

const struct coll_selector coll_selector_ompi_4 = {
    .name = "ompi-4",
    .help = "Open MPI 4.1 and 5.0 (tuned): their fixed decisions, and their own algorithms",
    .choose = ompi_4_choose,
    .decide = ompi_4_decide,
    .skips_empty = 1};

/* --- Open MPI 5: han acts where it can, on whole communicators; it leaves the other operations to
 * tuned --- */

static const struct coll_alg *han_of(enum coll_kind k)
{
	return k == COLL_BARRIER     ? &coll_barrier_ompi_han
	       : k == COLL_BCAST     ? &coll_bcast_ompi_han
	       : k == COLL_REDUCE    ? &coll_reduce_ompi_han
	       : k == COLL_ALLREDUCE ? &coll_allreduce_ompi_han
	       : k == COLL_GATHER    ? &coll_gather_ompi_han
	       : k == COLL_SCATTER   ? &coll_scatter_ompi_han
	       : k == COLL_ALLGATHER ? &coll_allgather_ompi_han
	                             : NULL;
}

static void ompi_5_decide(const struct coll_args *a, struct coll_choice *out)
{
	const struct coll_alg *han = han_of(a->kind);
	if (han && coll_per_node(a) > 1 && (!han->needs_commutative || commutes(a)) &&
	    !han->refuses(a))
		out->alg = han;
	else
		ompi_4_decide(a, out);
}

static const struct coll_alg *ompi_5_choose(const struct coll_args *a)
{
	struct coll_choice c = {0};
	ompi_5_decide(a, &c);
	return c.alg;
}

const struct coll_selector coll_selector_ompi_5 = {
    .name = "ompi-5",
    .help = "Open MPI 5.0: in two levels (han) where hosts have several ranks; else as ompi-4",
    .choose = ompi_5_choose,
    .decide = ompi_5_decide,
    .skips_empty = 1};

const struct coll_selector coll_selector_ompi = {
    .name = "ompi",
    .help = "Open MPI 4.1.2's fixed decisions (SimGrid 3.31 and later)",
    .choose = ompi_choose,
    .skips_empty = 1};
