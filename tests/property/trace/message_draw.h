/* message_draw.h: random programs of computations, messages and what completes them, as lines of
 * our form, one rank for itself; and beside them what these come to in a format that has
 * computations, messages and waits only, by the words of docs/foreign-traces.md: tests that found
 * something are waits, persistent requests the messages that they start, a sendrecv is a posted
 * receive, a send and a wait; probes, tests that found nothing and messages with MPI_PROC_NULL are
 * nothing. */
#ifndef ORRERY_TESTS_MESSAGE_DRAW_H
#define ORRERY_TESTS_MESSAGE_DRAW_H

#include "test.h"

#include "base/base.h"
#include "base/rng.h"

enum { DID_RANKS = 4, DID_MOST = 60, DID_OPEN = 60, DID_PERSISTENT = 3 };
enum did_kind { DID_COMPUTE, DID_SEND, DID_RECV, DID_WAIT };

struct did {
	enum did_kind kind;
	int posted, sync;
	int peer, tag, comm; /* comm: 0 world, 1 the one of did_program */
	int64_t size;        /* bytes, ns: no two of a rank are the same */
	int of;              /* DID_WAIT: for this one */
	int pair;            /* part of a sendrecv */
};
struct did_open {        /* requests, oldest first */
	int number, did; /* did: -1: with nobody */
	int send, peer, tag, persistent;
};
struct did_rank {
	struct str lines;
	struct did did[DID_MOST];
	int n, numbers;
	struct did_open open[DID_OPEN];
	int n_open;
};
struct did_program {
	int ranks, member[DID_RANKS], members; /* of communicator 0.0 or its like */
	int no_keys;                           /* waits name their requests by numbers */
	int no_times;                          /* no measured ones beside volumes */
	int no_wild;                           /* receives say from whom */
	struct did_rank rank[DID_RANKS];
};

static inline int did_draw(struct rng *r, int n)
{
	return (int)rng_below(r, (uint64_t)n);
}

static inline int did_is_member(const struct did_program *p, int rank)
{
	for (int i = 0; i < p->members; i++)
		if (p->member[i] == rank)
			return 1;
	return 0;
}

static inline int did_add(struct did_rank *k, struct did did)
{
	assert_true(k->n < DID_MOST);
	k->did[k->n] = did;
	return k->n++;
}

static inline struct did did_message(struct rng *r, const struct did_program *p, int rank, int send)
{
	static const int64_t base[] = {0, 0, (int64_t)1 << 31, ((int64_t)1 << 40) + 4};
	struct did d = {.kind = send ? DID_SEND : DID_RECV};

	d.comm = did_is_member(p, rank) && did_draw(r, 3) == 0;
	d.peer = d.comm ? p->member[did_draw(r, p->members)] : did_draw(r, p->ranks);
	d.peer = did_draw(r, 8) ? d.peer : -2;
	d.tag = did_draw(r, 3) * (did_draw(r, 4) ? 1 : 20000000);
	if (!send && !p->no_wild && did_draw(r, 4) == 0) {
		d.peer = d.peer < 0 ? d.peer : -1;
		d.tag = did_draw(r, 2) ? -1 : d.tag;
	}
	d.size = base[did_draw(r, 4)] + 4 * (p->rank[rank].n + 1);
	return d;
}

static inline void did_line(struct did_program *p, int rank, const char *word, const struct did *d,
                            int ints)
{
	struct did_rank *k = &p->rank[rank];

	str_printf(&k->lines, "%d %s %d %d %lld %d%s", rank, word, d->peer, d->tag,
	           (long long)(ints ? d->size / 4 : d->size), ints ? 1 : 6,
	           d->comm ? " comm=" : "");
	if (d->comm)
		str_printf(&k->lines, "%d.0", p->member[0]);
}

static inline void did_compute(struct rng *r, struct did_program *p, int rank)
{
	struct did_rank *k = &p->rank[rank];
	int64_t ns = 4 * (k->n + 1) + 1 + (did_draw(r, 4) ? 0 : (int64_t)1 << 38);

	if (did_draw(r, 2))
		str_printf(&k->lines, "%d compute %lld\n", rank, (long long)ns);
	else if (!p->no_times && did_draw(r, 2))
		str_printf(&k->lines, "%d compute 77 t=%llde-9\n", rank, (long long)ns);
	else
		str_printf(&k->lines, "%d sleep %llde-9\n", rank, (long long)ns);
	did_add(k, (struct did){.kind = DID_COMPUTE, .size = ns});
}

static inline void did_blocking(struct rng *r, struct did_program *p, int rank)
{
	static const char *const sends[] = {"send", "ssend", "rsend", "bsend"};
	struct did_rank *k = &p->rank[rank];
	int send = did_draw(r, 2), form = did_draw(r, 4);
	struct did d = did_message(r, p, rank, send);

	d.sync = send && form == 1;
	did_line(p, rank, send ? sends[form] : "recv", &d, did_draw(r, 2));
	str_puts(&k->lines, "\n");
	if (d.peer != -2)
		did_add(k, d);
}

static inline void did_opened(struct did_rank *k, int number, int did, const struct did *d,
                              int persistent)
{
	assert_true(k->n_open < DID_OPEN);
	k->open[k->n_open++] = (struct did_open){.number = number,
	                                         .did = did,
	                                         .send = d->kind == DID_SEND,
	                                         .peer = d->peer,
	                                         .tag = d->tag,
	                                         .persistent = persistent};
}

static inline void did_post(struct rng *r, struct did_program *p, int rank)
{
	static const char *const sends[] = {"isend", "issend", "irsend", "ibsend"};
	struct did_rank *k = &p->rank[rank];
	int send = did_draw(r, 2), form = did_draw(r, 4), number = k->numbers++;
	struct did d = did_message(r, p, rank, send);

	d.posted = 1;
	d.sync = send && form == 1;
	did_line(p, rank, send ? sends[form] : "irecv", &d, did_draw(r, 2));
	str_printf(&k->lines, " req=%d\n", number);
	did_opened(k, number, d.peer == -2 ? -1 : did_add(k, d), &d, 0);
}

static inline void did_sendrecv(struct rng *r, struct did_program *p, int rank)
{
	struct did_rank *k = &p->rank[rank];
	struct did s = did_message(r, p, rank, 1), v = did_message(r, p, rank, 0);
	int got = -1;

	s.comm = v.comm = 0;
	s.pair = v.pair = 1;
	v.posted = 1;
	v.size += 2; /* no other has such a one */
	str_printf(&k->lines, "%d sendRecv %lld %d %lld %d 6 6 tags=%d,%d\n", rank,
	           (long long)s.size, s.peer, (long long)v.size, v.peer, s.tag, v.tag);
	if (v.peer != -2)
		got = did_add(k, v);
	if (s.peer != -2)
		did_add(k, s);
	if (got >= 0)
		did_add(k, (struct did){.kind = DID_WAIT, .of = got, .pair = 1});
}

/* The i-th of what is open is complete. */
static inline void did_end(struct did_rank *k, int i)
{
	if (k->open[i].did >= 0)
		did_add(k, (struct did){.kind = DID_WAIT, .of = k->open[i].did});
	memmove(&k->open[i], &k->open[i + 1], (size_t)(--k->n_open - i) * sizeof *k->open);
}

/* As SimGrid names it: the oldest with this source, destination and tag. */
static inline void did_wait_by_key(struct did_rank *k, int rank, int at)
{
	const struct did_open *o = &k->open[at];
	int i = 0;

	str_printf(&k->lines, "%d wait %d %d %d\n", rank, o->send ? rank : o->peer,
	           o->send ? o->peer : rank, o->tag);
	while (k->open[i].send != o->send || k->open[i].peer != o->peer || k->open[i].tag != o->tag)
		i++;
	did_end(k, i);
}

static inline void did_wait(struct rng *r, struct did_program *p, int rank)
{
	struct did_rank *k = &p->rank[rank];
	int at, number;

	if (k->n_open == 0)
		return;
	at = did_draw(r, k->n_open);
	number = k->open[at].number;
	switch (did_draw(r, 6)) {
	case 0:
		str_printf(&k->lines, "%d test req=%d done=%d\n", rank, number, number);
		break;
	case 1:
		str_printf(&k->lines, "%d test req=%d done=\n", rank, number);
		return;
	case 2:
		str_printf(&k->lines, "%d waitany 2 reqs=9999,%d done=%d\n", rank, number, number);
		break;
	case 3:
		str_printf(&k->lines, "%d testsome 1 reqs=%d\n", rank, number); /* not told */
		return;
	case 4:
		/* A message to itself: its key is that of both ends. */
		if (p->no_keys || k->open[at].peer == rank)
			return;
		did_wait_by_key(k, rank, at);
		return;
	default:
		str_printf(&k->lines, "%d wait req=%d\n", rank, number);
		break;
	}
	did_end(k, at);
}

/* Some or all of what is open: by its list, or as all that is outstanding. */
static inline void did_waitall(struct rng *r, struct did_program *p, int rank)
{
	struct did_rank *k = &p->rank[rank];
	int n = k->n_open ? 1 + did_draw(r, k->n_open) : 0;

	if (did_draw(r, 4) == 0) {
		str_printf(&k->lines, "%d waitall\n", rank);
		while (k->n_open > 0)
			did_end(k, 0);
		return;
	}
	if (n == 0)
		return;
	str_printf(&k->lines, "%d waitall %d reqs=", rank, n);
	for (int i = 0; i < n; i++) {
		int at = did_draw(r, k->n_open);

		str_printf(&k->lines, "%s%d", i ? "," : "", k->open[at].number);
		did_end(k, at);
	}
	str_puts(&k->lines, "\n");
}

/* Made, started and waited for some times, given back. */
static inline void did_persistent(struct rng *r, struct did_program *p, int rank)
{
	struct did_rank *k = &p->rank[rank];
	int send = did_draw(r, 2), number = k->numbers++, times = did_draw(r, DID_PERSISTENT);
	struct did d = did_message(r, p, rank, send);

	d.posted = 1;
	did_line(p, rank, send ? "send_init" : "recv_init", &d, 0);
	str_printf(&k->lines, " req=%d\n", number);
	for (int i = 0; i < times; i++) {
		str_printf(&k->lines, "%d start 1 reqs=%d\n%d wait req=%d\n", rank, number, rank,
		           number);
		if (d.peer != -2)
			did_add(k, (struct did){.kind = DID_WAIT, .of = did_add(k, d)});
	}
	str_printf(&k->lines, "%d request_free req=%d\n", rank, number);
}

static inline void did_nothing(struct rng *r, struct did_program *p, int rank)
{
	struct did_rank *k = &p->rank[rank];
	static const char *const lines[] = {"probe -1 5",     "iprobe 0 3 found=1",
	                                    "location a.c 7", "compute 0",
	                                    "comm_size 4",    "iprobe -1 -1 found=0"};

	str_printf(&k->lines, "%d %s\n", rank, lines[did_draw(r, 6)]);
}

/* persistent: with persistent requests, of which one that is started twice is two of a size. */
static inline void did_rank_draw(struct rng *r, struct did_program *p, int rank, int persistent)
{
	struct did_rank *k = &p->rank[rank];
	int events = did_draw(r, 24);

	*k = (struct did_rank){.n = 0};
	str_puts(&k->lines, "");
	if (did_is_member(p, rank)) {
		str_printf(&k->lines, "%d comm_split comm=%d.0 members=", rank, p->member[0]);
		for (int i = 0; i < p->members; i++)
			str_printf(&k->lines, "%s%d", i ? "," : "", p->member[i]);
		str_puts(&k->lines, "\n");
	}
	while (events-- > 0 && k->n + k->n_open + 8 < DID_MOST) {
		switch (did_draw(r, 10)) {
		case 0:
		case 1:
			did_compute(r, p, rank);
			break;
		case 2:
			did_blocking(r, p, rank);
			break;
		case 3:
		case 4:
		case 5:
			did_post(r, p, rank);
			break;
		case 6:
			did_wait(r, p, rank);
			break;
		case 7:
			did_waitall(r, p, rank);
			break;
		case 8:
			did_sendrecv(r, p, rank);
			break;
		default:
			if (persistent && did_draw(r, 2))
				did_persistent(r, p, rank);
			else
				did_nothing(r, p, rank);
			break;
		}
	}
}

static inline void did_program_draw(struct rng *r, struct did_program *p, int persistent)
{
	p->ranks = 1 + did_draw(r, DID_RANKS);
	p->members = 0;
	for (int i = p->ranks - 1; i >= 0; i--)
		if (did_draw(r, 3))
			p->member[p->members++] = i;
	for (int i = 0; i < p->ranks; i++)
		did_rank_draw(r, p, i, persistent);
}

static inline struct str did_lines(const struct did_program *p)
{
	struct str all = {0};

	str_puts(&all, "");
	for (int i = 0; i < p->ranks; i++)
		str_puts(&all, p->rank[i].lines.s);
	return all;
}

static inline void did_release(struct did_program *p)
{
	for (int i = 0; i < p->ranks; i++)
		str_release(&p->rank[i].lines);
}

#endif
