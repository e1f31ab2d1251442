/* tune_mpich.c: MPICH's JSON tuning file (coll/rules/mpich.c tells the format). MPICH takes the
 * file for all that it runs, so that what is not tuned, other kinds of communicators and
 * non-blocking operations are in it too, as MPICH itself decides them (untuned.c). */
#include "tune_int.h"

#include "untuned.h"

#include "coll/rules/numbers.h"

#include <stdio.h>
#include <string.h>

/* Names that came between 4.0 and 4.3, and one that went. */
static int name_fits(const char *name, int new_names)
{
	static const char *const later[] = {"k_brucks",
	                                    "recexch",
	                                    "k_reduce_scatter",
	                                    "recursive_multiplying",
	                                    "Allreduce_intra_ring",
	                                    "_tree",
	                                    "k_dissemination"};
	if (strcmp(name, "Barrier_intra_dissemination") == 0)
		return !new_names;
	for (size_t i = 0; i < sizeof later / sizeof *later; i++)
		if (strstr(name, later[i]))
			return new_names;
	return 1;
}

static int is_vector(enum coll_kind k)
{
	return k == COLL_GATHERV || k == COLL_SCATTERV || k == COLL_ALLTOALLV ||
	       k == COLL_ALLTOALLW;
}

uint32_t candidates_mpich(enum coll_kind k, int new_names, struct coll_choice *out)
{
	static const uint32_t radices[] = {2, 4, 8};
	enum coll_kind of = k == COLL_REDUCE_SCATTER_BLOCK ? COLL_REDUCE_SCATTER : k;
	const char *name, *par;
	uint32_t n = 0;
	for (const struct coll_alg *const *alg = coll_algs;
	     *alg && k <= COLL_EXSCAN && !is_vector(k); alg++) {
		/* Those of two levels choose their parts by the same file, for communicators inside
		 * and between hosts. */
		if ((*alg)->kind != of || !(name = coll_mpich_name(*alg, &par)) ||
		    !name_fits(name, new_names))
			continue;
		int has_k = *par != '\0';
		for (uint32_t i = 0; i < (has_k ? 3 : 1) && n < CANDIDATES_MAX; i++)
			out[n++] = (struct coll_choice){.alg = *alg,
			                                .fanout = has_k ? radices[i] : 0};
	}
	return n;
}

/* --- what is not tuned: an operation's element of data/selectors/mpich-untuned.json --- */

static const char *untuned_intra(const struct untuned *u, int new_names)
{
	return new_names && u->intra_4_3 ? u->intra_4_3 : u->intra;
}

/* --- what is --- */

/* Does MPICH know the bytes of one rank for it (avg_msg_size), or of all (total_msg_size)? */
static const char *size_question(enum coll_kind k)
{
	return k == COLL_BCAST || k == COLL_REDUCE || k == COLL_ALLREDUCE || k == COLL_ALLTOALL
	           ? "avg_msg_size"
	           : "total_msg_size";
}

static long long mpich_size(enum coll_kind k, int64_t bytes, int64_t ranks)
{
	return k == COLL_GATHER || k == COLL_SCATTER || k == COLL_ALLGATHER || k == COLL_ALLGATHERV
	           ? bytes * ranks
	           : bytes;
}

static int has_sizes(enum coll_kind k)
{
	return k != COLL_BARRIER && k != COLL_SCAN && k != COLL_EXSCAN;
}

/* It runs on communicators that span hosts only, and has those within and between hosts do the same
 * operation by this file. */
int is_of_two_levels_mpich(const struct coll_choice *c)
{
	static const char end[] = "_smp";
	const char *par, *name = coll_mpich_name(c->alg, &par);
	size_t n = name ? strlen(name) : 0;

	return n > sizeof end && strcmp(name + n - (sizeof end - 1), end) == 0;
}

static void algorithm_write(const struct tuned *t, const struct coll_choice *c, struct str *out)
{
	const char *par, *name = coll_mpich_name(c->alg, &par);
	const char *rest = strstr(name, "Reduce_scatter_intra_");

	if (t->kind == COLL_REDUCE_SCATTER_BLOCK && rest)
		str_printf(out, "{\"algorithm=MPIR_Reduce_scatter_block_intra_%s\":",
		           rest + strlen("Reduce_scatter_intra_"));
	else
		str_printf(out, "{\"algorithm=MPIR_%s\":", name);
	if (c->fanout && strncmp(par, "tree_type", 9) == 0)
		str_printf(out, "{\"%s\":{},\"k=%u\":{}}}", par, c->fanout);
	else if (c->fanout)
		str_printf(out, "{\"k=%u\":{}}}", c->fanout);
	else
		str_puts(out, "{}}");
}

static void choice_write(const struct tuned *t, const struct coll_choice *c,
                         const struct coll_choice *of_any, struct str *out)
{
	if (!is_of_two_levels_mpich(c)) {
		algorithm_write(t, c, out);
		return;
	}
	str_puts(out, "{\"comm_hierarchy=parent\":");
	algorithm_write(t, c, out);
	str_puts(out, ",\"comm_hierarchy=any\":");
	algorithm_write(t, of_any, out);
	str_putc(out, '}');
}

/* Is cell b written as b + 1 is? */
static int is_as_next(const struct tuned *t, uint32_t r, uint32_t b)
{
	const struct coll_choice *c = tuned_at(t, r, b);

	return choice_equal(c, tuned_at(t, r, b + 1)) &&
	       (!c->alg || !is_of_two_levels_mpich(c) ||
	        choice_equal(tuned_of_any(t, r, b), tuned_of_any(t, r, b + 1)));
}

/* untuned: what stands for calls that were not measured. */
static void ranks_write(const struct tuned *t, uint32_t r, const char *untuned, struct str *out)
{
	uint32_t n = t->bytes->n, first = has_sizes(t->kind) ? 0 : n - 1;
	str_putc(out, '{');
	for (uint32_t b = first; b < n; b++) {
		const struct coll_choice *c = tuned_at(t, r, b);
		if (b + 1 < n && is_as_next(t, r, b))
			continue;
		if (!has_sizes(t->kind))
			str_puts(out, "\"comm_size=any\":");
		else if (b + 1 < n)
			str_printf(out, "\"%s<%lld\":", size_question(t->kind),
			           mpich_size(t->kind, t->bytes->v[b + 1], t->ranks->v[r]));
		else
			str_printf(out, "\"%s=any\":", size_question(t->kind));
		if (c->alg)
			choice_write(t, c, tuned_of_any(t, r, b), out);
		else
			str_puts(out, untuned);
		if (b + 1 < n)
			str_putc(out, ',');
	}
	str_putc(out, '}');
}

static void tuned_write(const struct tuned *t, const char *untuned, struct str *out)
{
	for (uint32_t r = 0; r < t->ranks->n; r++) {
		if (r + 1 < t->ranks->n)
			str_printf(out, "%s\n   \"comm_size<%lld\":", r ? "," : "{",
			           (long long)t->ranks->v[r + 1]);
		else
			str_printf(out, "%s\n   \"comm_size=any\":", r ? "," : "{");
		ranks_write(t, r, untuned, out);
	}
	str_putc(out, '}');
}

static void intra_write(const struct untuned *u, const struct tuned *t, int new_names,
                        struct str *out)
{
	const char *untuned = untuned_intra(u, new_names);

	if (!t) {
		str_puts(out, untuned);
	} else if (t->kind == COLL_ALLTOALL) {
		str_puts(out, "{\n  "
		              "\"is_sendbuf_inplace=yes\":{\"algorithm=MPIR_Alltoall_intra_"
		              "pairwise_sendrecv_replace\":{}},"
		              "\n  \"is_sendbuf_inplace=no\":");
		tuned_write(t, untuned, out);
		str_putc(out, '}');
	} else if (tune_is_reduction(
	               t->kind)) { /* the fastest may need an operator that commutes */
		str_printf(out,
		           "{\n  \"is_commutative=no\":%s,\n  \"is_commutative=yes\":", untuned);
		tuned_write(t, untuned, out);
		str_putc(out, '}');
	} else {
		tuned_write(t, untuned, out);
	}
}

struct writing {
	const struct tuned *tuned;
	uint32_t n, written;
	int new_names;
	struct str *out;
};

static void operation_write(void *self, const struct untuned *u)
{
	struct writing *w = self;
	const struct tuned *mine = NULL;

	for (uint32_t k = 0; k < w->n; k++)
		if (strcmp(coll_kind_name(w->tuned[k].kind), u->collective) == 0)
			mine = &w->tuned[k];
	str_printf(w->out, "%s\n \"collective=%s\":", w->written++ ? "," : "{", u->collective);
	if (u->inter)
		str_puts(w->out, "{\"comm_type=intra\":");
	intra_write(u, mine, w->new_names, w->out);
	if (u->inter)
		str_printf(w->out, ",\"comm_type=inter\":%s}", u->inter);
}

int tune_write_mpich(const struct tuned *t, uint32_t n, int new_names, struct str *out,
                     struct err *err)
{
	struct writing w = {.tuned = t, .n = n, .new_names = new_names, .out = out};

	if (untuned_each(operation_write, &w, err) < 0)
		return -1;
	str_puts(out, "\n}\n");
	return 0;
}
