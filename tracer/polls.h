/* polls.h: what is between two looks that found nothing: a loop that waits, or work.
 *
 * A program that waits by looking again and again does something in each turn (a scheduler asks its
 * queues); how often it does is the wait's affair, and no computation. A program that works in
 * pieces looks between them, and what it does is computation. Both are told apart by call site:
 *
 *  - The turns of a loop that waits take as long as each other, and little (POLLS_NS).
 *  - It ends when its look finds something. Work ends when there is none left: the program goes on
 *    to other calls though it found nothing. A site that was left so once is work from then on.
 *
 * So pieces that are alike are held back until that is known of their row: where its site's look
 * finds something they were waiting, else computation. Knows no MPI. */
#ifndef ORRERY_TRACER_POLLS_H
#define ORRERY_TRACER_POLLS_H

#include <stdint.h>

enum {
	POLLS_SITES = 64,
	POLLS_NS = 10000, /* who looks less often than that does not wait */
	POLLS_SEEN = 8,   /* of fewer turns nothing is known */
	POLLS_VOTES = 100,
	POLLS_MANY = 1 << 16
};

struct poll_piece {
	int64_t units, ns; /* of the counter; of the clock */
};
struct polls {
	/* POLLS_SITES, from the first look on; NULL. Not here: what a thread has for itself of a
	 * library that is loaded is a kilobyte or so for all of them (static TLS). */
	struct poll_site {
		const void *site;
		struct poll_piece most; /* what most of its pieces take */
		uint32_t n, alike;      /* pieces; of them those within 1.5 times of that */
		uint8_t votes;          /* for it */
		uint8_t left;           /* it found nothing, and something else came */
	} * site;
	const void *last; /* the site of the last look, if that found nothing */
	const void *row;  /* whose pieces are held: */
	struct poll_piece held, newest;
};

/* Nothing is known of any site then. */
void polls_release(struct polls *p);
/* A look at `site` comes after a piece of computation. Is the piece held? None is where
 * memory lacks. */
int polls_take(struct polls *p, const void *site, struct poll_piece piece);
/* Is the row of this site, and waits, as far as is known? */
int polls_waits(struct polls *p, const void *site);
/* There is a row, which ends with a call that is written: by a look at `site` that found something,
 * or (NULL) by something else. Returns what of it is computation; *rest: what is still computed
 * afterwards, as what a loop waits for comes in the middle of a turn. */
struct poll_piece polls_end(struct polls *p, const void *site, struct poll_piece *rest);

#endif
