/* tune_ompi.c: Open MPI's dynamic rules, version 1, which 4.1 and 5.0 read (mp/coll_rules_ompi.c
 * tells the format). */
#include "tune_int.h"

#include "coll/rules/numbers.h"

/* Some make the library stop. The last algorithms of allgather and allgatherv came with 5.0, and
 * 4.1 does not know their numbers. Those of two ranks only (two_proc) are an error for more, and a
 * rule for two holds up to the next number of ranks in the file; what they send, others do. */
static int can_be_told(enum coll_kind k, uint32_t number)
{
	switch (k) {
	case COLL_ALLGATHER:
		return number < 6;
	case COLL_ALLGATHERV:
	case COLL_ALLTOALL:
		return number < 5;
	case COLL_BARRIER:
		return number != 5;
	default:
		return 1;
	}
}

static int has_segments(enum coll_kind k, uint32_t number)
{
	return (k == COLL_BCAST && number >= 2 && number <= 7) ||
	       (k == COLL_REDUCE && number >= 2 && number <= 6) ||
	       (k == COLL_ALLREDUCE && number == 5);
}

static uint32_t fanout_of(enum coll_kind k, uint32_t number)
{
	return (k == COLL_BCAST && (number == 2 || number == 7)) ||
	               (k == COLL_REDUCE && number == 2)
	           ? 4
	           : 0;
}

uint32_t candidates_ompi(enum coll_kind k, struct coll_choice *out)
{
	static const int64_t segments[] = {COLL_WHOLE, 8 << 10, 64 << 10, 1 << 20};
	uint32_t n = 0;
	for (uint32_t i = 1; k <= COLL_EXSCAN && i <= OMPI_NUMBER_MAX; i++) {
		const struct coll_alg *alg = coll_ompi_alg(k, i);
		if (!alg || !can_be_told(k, i))
			continue;
		for (uint32_t s = 0; s < (has_segments(k, i) ? 4 : 1); s++)
			out[n++] = (struct coll_choice){
			    .alg = alg, .segment = segments[s], .fanout = fanout_of(k, i)};
	}
	return n;
}

/* What Open MPI compares with a rule's size for a call of `bytes`. */
static long long ompi_size(enum coll_kind k, int64_t bytes, int64_t ranks)
{
	switch (k) {
	case COLL_GATHER:
	case COLL_SCATTER:
	case COLL_ALLGATHER:
	case COLL_ALLTOALL:
		return bytes * ranks;
	case COLL_BARRIER:
	case COLL_ALLTOALLV:
	case COLL_SCAN: /* its count does not count */
	case COLL_EXSCAN:
		return 0;
	default:
		return bytes;
	}
}

/* Algorithm 0: Open MPI decides. */
static void rule_write(const struct tuned *t, const struct coll_choice *c, long long size,
                       struct str *out)
{
	if (c->alg)
		str_printf(out, "%lld %u %u %lld # %s\n", size,
		           coll_ompi_alg_number(t->kind, c->alg), c->fanout,
		           c->segment == COLL_WHOLE ? 0LL : (long long)c->segment, c->alg->name);
	else
		str_printf(out, "%lld 0 0 0 # not measured\n", size);
}

static void ranks_write(const struct tuned *t, uint32_t r, struct str *out)
{
	/* The largest of those whose size Open MPI does not see speaks for all. */
	uint32_t first = ompi_size(t->kind, 1, 1) ? 0 : t->bytes->n - 1, rules = 0;
	const struct coll_choice *before = NULL;
	for (int write = 0; write <= 1; write++, before = NULL) {
		if (write)
			str_printf(
			    out,
			    "%lld %u # ranks from here on, rules: bytes, algorithm, k, segment\n",
			    (long long)t->ranks->v[r], rules);
		for (uint32_t b = first; b < t->bytes->n; b++) {
			const struct coll_choice *c = tuned_at(t, r, b);
			if (before && choice_equal(before, c))
				continue;
			if (write)
				rule_write(
				    t, c,
				    before ? ompi_size(t->kind, t->bytes->v[b], t->ranks->v[r]) : 0,
				    out);
			else
				rules++;
			before = c;
		}
	}
}

void tune_write_ompi(const struct tuned *t, uint32_t n, const char *head,
                     const struct tune_extent *extent, struct str *out)
{
	int reductions = 0;

	for (uint32_t i = 0; i < n; i++)
		reductions |= tune_is_reduction(t[i].kind);
	if (extent->means_little)
		str_puts(out,
		         "# These rules mean little: the overheads of messages on this machine are "
		         "not known\n# ('orrery calibrate network' measures them).\n");
	str_puts(out, "# Open MPI dynamic rules, from simulations of ");
	for (; *head; head++) /* a comment ends with its line, which a name may hold an end of */
		str_putc(out, (unsigned char)*head < ' ' ? ' ' : *head);
	str_puts(out, " (orrery tune). To be used with\n");
	str_puts(out, "# --mca coll_tuned_use_dynamic_rules 1 --mca "
	              "coll_tuned_dynamic_rules_filename THIS_FILE\n");
	if (reductions)
		str_puts(out, "# Not for programs whose operators do not commute (MPI_Op_create "
		              "with commute 0): Open MPI\n# takes rules of reductions for these "
		              "too, and their results are wrong.\n");
	if (extent->measured < extent->cells)
		str_printf(out,
		           "# Interrupted: %u of %u combinations of operation, ranks and bytes "
		           "were measured; Open MPI\n# decides the others (algorithm 0).\n",
		           extent->measured, extent->cells);
	str_printf(out, "%u # operations\n", n);
	for (uint32_t i = 0; i < n; i++) {
		str_printf(out, "%d # %s\n%u # numbers of ranks\n",
		           coll_ompi_kind_number(t[i].kind), coll_kind_name(t[i].kind),
		           t[i].ranks->n);
		for (uint32_t r = 0; r < t[i].ranks->n; r++)
			ranks_write(&t[i], r, out);
	}
}
