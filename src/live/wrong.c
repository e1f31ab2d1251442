/* wrong.c: with --checks: what the library in a rank has found wrong with the program
 * (libmpi/core/intact.c, enter.c): told once for the two lines that it is about. */
#include "live_int.h"

#include "coll/coll.h"

#include <stdio.h>

static const char *level_name(uint32_t level)
{
	return level == WIRE_SINGLE     ? "MPI_THREAD_SINGLE"
	       : level == WIRE_FUNNELED ? "MPI_THREAD_FUNNELED"
	                                : "MPI_THREAD_SERIALIZED";
}

static void text_make(struct live *l, uint32_t rank, const struct wire_wrong *w, char *text,
                      size_t n)
{
	char begun[1024], what[80] = "the send";

	live_site_where(l, rank, w->site, w->stack, begun, sizeof begun);
	if (w->kind == WIRE_WRONG_RECV)
		snprintf(what, sizeof what, "the receive");
	if (w->kind == WIRE_WRONG_RMA)
		snprintf(what, sizeof what, "the one-sided operation");
	if (w->kind == WIRE_WRONG_COLL)
		snprintf(what, sizeof what, "the collective %s",
		         mp_call_name((enum mp_call)(CALL_COLL + w->of)));
	if (w->kind == WIRE_WRONG_STRAY)
		snprintf(text, n,
		         "calls MPI from another thread than the one that called MPI_Init, which "
		         "%s does not allow: MPI_Init_thread asks for more",
		         level_name(w->of));
	else if (w->kind == WIRE_WRONG_AT_ONCE)
		snprintf(text, n,
		         "calls MPI while another thread of the rank is in MPI, which %s does not "
		         "allow: MPI_Init_thread asks for MPI_THREAD_MULTIPLE",
		         level_name(w->of));
	else
		snprintf(text, n,
		         "a buffer of %s that began at %s has changed before it was complete: the "
		         "program, or another operation, has written there",
		         what, *begun ? begun : "an unknown place");
}

int wrong_is_new(struct live *l, uint32_t rank, uint64_t site, uint32_t other_rank,
                 uint64_t other_site, uint32_t kind, struct err *err)
{
	int64_t here = site_place(l, rank, site, err),
	        there = here < 0 ? -1 : site_place(l, other_rank, other_site, err);
	uint64_t key = (uint64_t)here << 32 | (uint64_t)there << 4 | kind;

	if (there < 0)
		return -1;
	if (hash64_find(&l->wrong_told, key) != HASH_NONE)
		return 0;
	return hash64_put(&l->wrong_told, key, 1, err) < 0 ? -1 : 1;
}

int wrong_tell(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_wrong *w = (const void *)(op + 1);
	char here[1024], text[1536];
	int new;

	if (op->size < sizeof *op + sizeof *w || w->kind == 0 || w->kind >= WIRE_WRONG_KINDS ||
	    (w->kind == WIRE_WRONG_COLL && w->of >= COLL_KINDS))
		return live_broken(l, rank, err, "a mistake that is none");
	new = wrong_is_new(l, rank, op->site, rank, w->site, w->kind, err);
	if (new <= 0)
		return new;
	live_site_where(l, rank, op->site, op->stack, here, sizeof here);
	text_make(l, rank, w, text, sizeof text);
	mp_report_add(l->mp, rank, here, text);
	return 0;
}
