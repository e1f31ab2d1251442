/* polls.c: see polls.h. */
#include "polls.h"

#include "base/hash.h"

#include <stddef.h>
#include <stdlib.h>

/* NULL: no memory, which cannot be where there is a row. */
static struct poll_site *site_of(struct polls *p, const void *site)
{
	struct poll_site *s;

	if (!p->site && !(p->site = calloc(POLLS_SITES, sizeof *p->site)))
		return NULL;
	s = &p->site[hash_mix((uint64_t)(uintptr_t)site) % POLLS_SITES];
	if (s->site != site)
		*s = (struct poll_site){.site = site};
	return s;
}

/* Not much longer than the site's are. */
static int is_short(const struct poll_site *s, struct poll_piece piece)
{
	return 2 * piece.units <= 3 * s->most.units;
}

static int is_alike(const struct poll_site *s, struct poll_piece piece)
{
	return is_short(s, piece) && 3 * piece.units >= 2 * s->most.units;
}

/* The majority vote of Boyer and Moore ("MJRTY", 1981): one that was measured badly, or did work,
 * does not stand for the others. */
static void piece_note(struct poll_site *s, struct poll_piece piece)
{
	const int alike = s->votes > 0 && is_alike(s, piece);

	if (s->votes == 0) {
		*s = (struct poll_site){.site = s->site, .most = piece, .left = s->left};
		s->n = s->alike = s->votes = 1;
		return;
	}
	if (alike && piece.ns < s->most.ns)
		s->most.ns = piece.ns;
	s->votes = alike ? s->votes + (s->votes < POLLS_VOTES) : s->votes - 1;
	s->alike += alike != 0;
	if (++s->n == POLLS_MANY) {
		s->n /= 2;
		s->alike /= 2;
	}
}

/* One piece in four may be otherwise. */
static int is_waiting(const struct poll_site *s)
{
	return !s->left && s->n >= POLLS_SEEN && s->most.ns < POLLS_NS &&
	       4 * (uint64_t)s->alike >= 3 * (uint64_t)s->n;
}

int polls_waits(struct polls *p, const void *site)
{
	return p->row == site && is_waiting(site_of(p, site));
}

int polls_take(struct polls *p, const void *site, struct poll_piece piece)
{
	const int again = p->last == site;
	struct poll_site *s = site_of(p, site);

	p->last = site;
	if (!again || !s)
		return 0;
	piece_note(s, piece);
	if (p->row && p->row != site)
		site_of(p, p->row)->left = 1; /* another loop has begun */
	if (s->left || s->most.ns >= POLLS_NS || !is_short(s, piece) || (p->row && p->row != site))
		return 0;
	p->row = site;
	p->held.units += piece.units;
	p->held.ns += piece.ns;
	p->newest = piece;
	return 1;
}

struct poll_piece polls_end(struct polls *p, const void *site, struct poll_piece *rest)
{
	struct poll_piece held = p->held;
	struct poll_site *s = site_of(p, p->row);

	*rest = (struct poll_piece){0, 0};
	if (!site)
		s->left = 1;
	if (site == p->row && is_waiting(s)) {
		*rest = (struct poll_piece){p->newest.units / 2, p->newest.ns / 2};
		held = (struct poll_piece){0, 0};
	}
	p->row = NULL;
	p->held = (struct poll_piece){0, 0};
	return held;
}

void polls_release(struct polls *p)
{
	free(p->site);
	*p = (struct polls){0};
}
