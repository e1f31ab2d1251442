/* call_draw.h: random programs as what a tool sees of them: when functions of MPI are entered and
 * left, which messages go out and come in meanwhile; and the lines of our form that this means, by
 * the words of docs/foreign-traces.md: a message that comes in belongs to the oldest receive
 * without one; a waitall leaves nothing outstanding, receives that got nothing were from
 * MPI_PROC_NULL; a wait in which nothing came in is for the oldest send. Rounds of the program end
 * everywhere before the next begins. */
#ifndef ORRERY_TESTS_CALL_DRAW_H
#define ORRERY_TESTS_CALL_DRAW_H

#include "test.h"

#include "base/base.h"
#include "base/rng.h"

enum { SEEN_RANKS = 5, SEEN_CALLS = 400, SEEN_IN_CALL = 8, SEEN_MESSAGES = 600, SEEN_OPEN = 64 };
enum { SEEN_ROUND = 400 }; /* microseconds of each half of a round */
enum seen_op {
	SEEN_INIT,
	SEEN_FINALIZE,
	SEEN_SEND,
	SEEN_SSEND,
	SEEN_RECV,
	SEEN_ISEND,
	SEEN_IRECV,
	SEEN_SENDRECV,
	SEEN_WAIT,
	SEEN_WAITALL,
	SEEN_WAITSOME,
	SEEN_BARRIER,
	SEEN_BCAST,
	SEEN_REDUCE,
	SEEN_ALLREDUCE,
	SEEN_ALLTOALL,
	SEEN_GATHER,
	SEEN_IALLREDUCE, /* the last: it gives a request */
	SEEN_OPS
};
static const char *const seen_names[SEEN_OPS] = {
    "MPI_Init",  "MPI_Finalize", "MPI_Send",      "MPI_Ssend",    "MPI_Recv",     "MPI_Isend",
    "MPI_Irecv", "MPI_Sendrecv", "MPI_Wait",      "MPI_Waitall",  "MPI_Waitsome", "MPI_Barrier",
    "MPI_Bcast", "MPI_Reduce",   "MPI_Allreduce", "MPI_Alltoall", "MPI_Gather",   "MPI_Iallreduce"};

struct seen_message {
	int from, to, tag, done; /* done: it came */
	int64_t bytes, sent, came;
};
struct seen_call {
	enum seen_op op;
	int64_t enter, leave, flush; /* flush: of the time before, so much is the tool's own */
	int out[SEEN_IN_CALL], in[SEEN_IN_CALL], n_out, n_in;
	int64_t bytes; /* of a collective: a block */
	int root, sub; /* root: in the communicator; sub: it is not the world */
};
struct seen_rank {
	struct seen_call call[SEEN_CALLS];
	int calls;
	int64_t now;
	struct str lines;
	int post[SEEN_OPEN], posts;          /* receives without a message: places in `irecv` */
	int irecv[SEEN_MESSAGES], irecvs;    /* which message each got, -1: none */
	int send[SEEN_OPEN], sends, numbers; /* requests of sends, oldest first */
};
struct seen_program {
	int ranks, wait_each; /* completions one by one, and no receives from nobody */
	struct seen_message message[SEEN_MESSAGES];
	int messages, first; /* first: of the round */
	struct seen_rank rank[SEEN_RANKS];
	int knows_root, no_flushes;
	int member[SEEN_RANKS], members; /* of a communicator, where the tool tells of such */
	struct rng *r;
};

static inline int seen(struct seen_program *p, int n)
{
	return (int)rng_below(p->r, (uint64_t)n);
}

/* A call after some computation; later: not before the second half of the round. */
static inline struct seen_call *seen_enter(struct seen_program *p, int rank, enum seen_op op,
                                           int64_t not_before)
{
	struct seen_rank *k = &p->rank[rank];
	struct seen_call *c = &k->call[k->calls++];
	int64_t left = k->now;

	assert_true(k->calls < SEEN_CALLS);
	*c = (struct seen_call){.op = op};
	k->now += seen(p, 3) ? seen(p, 8) : 0;
	if (k->now < not_before)
		k->now = not_before;
	c->enter = k->now;
	if (!p->no_flushes && c->enter - left > 2 && seen(p, 3) == 0)
		c->flush = 1 + seen(p, (int)(c->enter - left - 1));
	if (op != SEEN_INIT && c->enter - left - c->flush > 0)
		str_printf(&k->lines, "%d compute %lld\n", rank,
		           (long long)(c->enter - left - c->flush) * 1000);
	return c;
}

static inline void seen_leave(struct seen_program *p, int rank, struct seen_call *c)
{
	struct seen_rank *k = &p->rank[rank];

	k->now += 1 + seen(p, 4);
	c->leave = k->now;
}

static inline void seen_out(struct seen_program *p, struct seen_call *c, int m)
{
	p->message[m].sent = c->enter;
	c->out[c->n_out++] = m;
}

/* One microsecond after the other. */
static inline void seen_in(struct seen_program *p, int rank, struct seen_call *c, int m)
{
	p->message[m].came = ++p->rank[rank].now;
	p->message[m].done = 1;
	c->in[c->n_in++] = m;
}

/* --- what it means --- */

static inline void seen_say(struct seen_program *p, int rank, const char *word, int peer, int m,
                            const char *end)
{
	str_printf(&p->rank[rank].lines, "%d %s %d %d %lld 6%s", rank, word, peer,
	           p->message[m].tag, (long long)p->message[m].bytes, end);
}

/* Which it got is known later: a mark in the lines, until then. */
static inline void seen_posted(struct seen_program *p, int rank)
{
	struct seen_rank *k = &p->rank[rank];

	k->irecv[k->irecvs] = -1;
	str_printf(&k->lines, "@%d\n", k->irecvs);
	k->post[k->posts++] = k->irecvs++;
}

static inline void seen_completes(struct seen_program *p, int rank, const struct seen_call *c)
{
	struct seen_rank *k = &p->rank[rank];
	int sends = c->op == SEEN_WAITALL || c->op == SEEN_FINALIZE  ? k->sends
	            : c->op == SEEN_WAIT && c->n_in == 0 && k->sends ? 1
	                                                             : 0;
	int n = c->n_in + sends;

	if (n == 1)
		str_printf(&k->lines, "%d wait req=", rank);
	else if (n > 1)
		str_printf(&k->lines, "%d waitall %d reqs=", rank, n);
	for (int i = 0; i < n; i++) {
		int req = i < c->n_in ? 1000 + k->post[i] : k->send[i - c->n_in];

		if (i < c->n_in)
			k->irecv[k->post[i]] = c->in[i];
		str_printf(&k->lines, "%s%d", i ? "," : "", req);
	}
	if (n > 0)
		str_puts(&k->lines, "\n");
	k->posts -= c->n_in;
	memmove(k->post, k->post + c->n_in, (size_t)k->posts * sizeof *k->post);
	k->sends -= sends;
	memmove(k->send, k->send + sends, (size_t)k->sends * sizeof *k->send);
	if (c->op == SEEN_WAITALL)
		k->posts = 0;
}

/* --- rounds --- */

static inline int seen_draw_message(struct seen_program *p, int from, int to)
{
	static const int64_t base[] = {0, 0, 1 << 20, ((int64_t)1 << 26) + 3, (int64_t)1 << 34};
	struct seen_message *m = &p->message[p->messages];

	assert_true(p->messages < SEEN_MESSAGES);
	*m = (struct seen_message){.from = from, .to = to, .tag = seen(p, 3) * 30000};
	m->bytes = base[seen(p, 5)] + seen(p, 5000);
	return p->messages++;
}

static inline void seen_isend(struct seen_program *p, int rank, int m)
{
	struct seen_rank *k = &p->rank[rank];
	struct seen_call *c = seen_enter(p, rank, SEEN_ISEND, 0);
	char req[32];

	seen_out(p, c, m);
	snprintf(req, sizeof req, " req=%d\n", k->numbers);
	seen_say(p, rank, "isend", p->message[m].to, m, req);
	k->send[k->sends++] = k->numbers++;
	seen_leave(p, rank, c);
}

static inline void seen_irecv(struct seen_program *p, int rank)
{
	struct seen_call *c = seen_enter(p, rank, SEEN_IRECV, 0);

	seen_posted(p, rank);
	seen_leave(p, rank, c);
}

/* Messages to a rank that have not come, in random order. */
static inline int seen_coming(struct seen_program *p, int rank, int m[SEEN_IN_CALL], int most)
{
	int n = 0;

	for (int i = p->first; i < p->messages && n < most; i++)
		if (p->message[i].to == rank && !p->message[i].done) {
			int at = seen(p, n + 1);

			memmove(&m[at + 1], &m[at], (size_t)(n - at) * sizeof *m);
			m[at] = i;
			n++;
		}
	return n;
}

static inline void seen_complete(struct seen_program *p, int rank, enum seen_op op, int most,
                                 int64_t from)
{
	int m[SEEN_IN_CALL], n = most ? seen_coming(p, rank, m, most) : 0;
	struct seen_call *c = seen_enter(p, rank, op, from);

	for (int i = 0; i < n; i++)
		seen_in(p, rank, c, m[i]);
	seen_completes(p, rank, c);
	seen_leave(p, rank, c);
}

/* Everybody sends to some, then waits for what comes. */
static inline void seen_halo(struct seen_program *p, int64_t begin)
{
	int coming[SEEN_RANKS] = {0};

	for (int n = 1 + seen(p, 2 * p->ranks); n > 0; n--) {
		int to = seen(p, p->ranks);

		if (++coming[to] < SEEN_IN_CALL) /* what one call can end */
			seen_draw_message(p, seen(p, p->ranks), to);
	}
	for (int rank = 0; rank < p->ranks; rank++) {
		int posts = p->wait_each ? 0 : seen(p, 2);

		for (int i = p->first; i < p->messages; i++)
			posts += p->message[i].to == rank;
		while (posts-- > 0)
			seen_irecv(p, rank);
		for (int i = p->first; i < p->messages; i++)
			if (p->message[i].from == rank)
				seen_isend(p, rank, i);
	}
	for (int rank = 0; rank < p->ranks; rank++) {
		int64_t half = begin + SEEN_ROUND;
		int m[SEEN_IN_CALL], left;

		if (!p->wait_each) {
			seen_complete(p, rank, SEEN_WAITALL, SEEN_IN_CALL - 1, half);
			continue;
		}
		while ((left = seen_coming(p, rank, m, SEEN_IN_CALL - 1)) > 0)
			seen_complete(p, rank, left > 1 && seen(p, 2) ? SEEN_WAITSOME : SEEN_WAIT,
			              left > 1 ? 1 + seen(p, left) : 1, half);
		for (int i = seen(p, 3); i > 0; i--) /* for sends, perhaps not for all */
			seen_complete(p, rank, SEEN_WAIT, 0, half);
	}
}

/* Pairs: one sends, the other receives; now and then with nobody. */
static inline void seen_pairs(struct seen_program *p, int64_t begin)
{
	int by = 1 + seen(p, p->ranks);

	for (int rank = 0; rank < p->ranks; rank++) {
		int to = (rank + by) % p->ranks, sync = seen(p, 2), m;
		struct seen_call *c;

		if (to == rank || rank % 2) /* even ones send */
			continue;
		c = seen_enter(p, rank, sync ? SEEN_SSEND : SEEN_SEND, 0);
		m = seen_draw_message(p, rank, to);
		seen_out(p, c, m);
		seen_say(p, rank, sync ? "ssend" : "send", to, m, "\n");
		seen_leave(p, rank, c);
	}
	for (int i = p->first; i < p->messages; i++) {
		int to = p->message[i].to;
		struct seen_call *c = seen_enter(p, to, SEEN_RECV, begin + SEEN_ROUND);

		seen_in(p, to, c, i);
		seen_say(p, to, "recv", p->message[i].from, i, "\n");
		seen_leave(p, to, c);
	}
	/* With MPI_PROC_NULL; to it, only where messages are told in the call, not by dates. */
	if (seen(p, 4) == 0)
		seen_leave(
		    p, 0,
		    seen_enter(p, 0, !p->knows_root && seen(p, 2) ? SEEN_SEND : SEEN_RECV, 0));
}

static inline void seen_shift(struct seen_program *p, int64_t begin)
{
	int by = 1 + seen(p, p->ranks);

	for (int rank = 0; rank < p->ranks; rank++)
		seen_draw_message(p, rank, (rank + by) % p->ranks);
	for (int rank = 0; rank < p->ranks; rank++) {
		int in = p->first + (rank + p->ranks - by % p->ranks) % p->ranks,
		    out = p->first + rank;
		struct seen_call *c = seen_enter(p, rank, SEEN_SENDRECV, begin);

		seen_out(p, c, out);
		p->rank[rank].now += SEEN_ROUND;
		seen_in(p, rank, c, in);
		str_printf(&p->rank[rank].lines, "%d sendRecv %lld %d %lld %d 6 6 tags=%d,%d\n",
		           rank, (long long)p->message[out].bytes, p->message[out].to,
		           (long long)p->message[in].bytes, p->message[in].from,
		           p->message[out].tag, p->message[in].tag);
		seen_leave(p, rank, c);
	}
}

/* Its place in the communicator, or -1. */
static inline int seen_place(const struct seen_program *p, int sub, int rank)
{
	for (int i = 0; sub && i < p->members; i++)
		if (p->member[i] == rank)
			return i;
	return sub ? -1 : rank;
}

static inline void seen_collective_say(struct seen_program *p, int rank, const struct seen_call *c,
                                       int told)
{
	static const char *const words[] = {
	    [SEEN_BARRIER] = "barrier",      [SEEN_BCAST] = "bcast",       [SEEN_REDUCE] = "reduce",
	    [SEEN_ALLREDUCE] = "allreduce",  [SEEN_ALLTOALL] = "alltoall", [SEEN_GATHER] = "gather",
	    [SEEN_IALLREDUCE] = "iallreduce"};
	struct seen_rank *k = &p->rank[rank];
	long long b = (long long)c->bytes;

	str_printf(&k->lines, "%d %s", rank, words[c->op]);
	if (c->op == SEEN_BCAST)
		str_printf(&k->lines, " %lld %d 6", b, told);
	else if (c->op == SEEN_REDUCE)
		str_printf(&k->lines, " %lld 0 %d 6", b, told);
	else if (c->op == SEEN_ALLTOALL)
		str_printf(&k->lines, " %lld %lld 6 6", b, b);
	else if (c->op == SEEN_GATHER)
		str_printf(&k->lines, " %lld %lld %d 6 6", b, b, told);
	else if (c->op != SEEN_BARRIER)
		str_printf(&k->lines, " %lld 0 6", b);
	if (c->sub)
		str_printf(&k->lines, " comm=%d.7", p->member[0]);
	if (c->op == SEEN_IALLREDUCE) {
		str_printf(&k->lines, " req=%d", k->numbers);
		k->send[k->sends++] = k->numbers++;
	}
	str_puts(&k->lines, "\n");
}

static inline void seen_collective(struct seen_program *p)
{
	enum seen_op op = (enum seen_op)(SEEN_BARRIER + seen(p, SEEN_OPS - SEEN_BARRIER));
	int64_t bytes = 1 + seen(p, 100000);
	int sub = p->members > 1 && seen(p, 2), n = sub ? p->members : p->ranks;
	int root = seen(p, n), told = p->knows_root || op == SEEN_GATHER ? root : 0;

	for (int rank = 0; rank < p->ranks; rank++) {
		struct seen_call *c;

		if (seen_place(p, sub, rank) < 0)
			continue;
		c = seen_enter(p, rank, op, 0);
		c->bytes = bytes;
		c->root = root;
		c->sub = sub;
		seen_collective_say(p, rank, c, told);
		seen_leave(p, rank, c);
	}
}

/* What exists from the beginning is made behind MPI_Init, at no cost. */
static inline void seen_comm_say(struct seen_program *p, int rank)
{
	struct str *s = &p->rank[rank].lines;

	str_printf(s, "%d comm_create_group comm=%d.7 members=", rank, p->member[0]);
	for (int i = 0; i < p->members; i++)
		str_printf(s, "%s%d", i ? "," : "", p->member[i]);
	str_puts(s, " agreed=1\n");
}

static inline void seen_single(struct seen_program *p, enum seen_op op, const char *word)
{
	for (int rank = 0; rank < p->ranks; rank++) {
		struct seen_call *c = seen_enter(p, rank, op, 0);

		seen_completes(p, rank, c);
		str_printf(&p->rank[rank].lines, "%d %s\n", rank, word);
		if (op == SEEN_INIT && p->members > 1 && seen_place(p, 1, rank) >= 0)
			seen_comm_say(p, rank);
		seen_leave(p, rank, c);
	}
}

/* knows_root: the tool tells who the root is, and in which communicator. */
static inline void seen_program_draw(struct seen_program *p, struct rng *r, int knows_root)
{
	int rounds = seen((p->r = r, p), 10);

	p->ranks = 1 + seen(p, SEEN_RANKS);
	p->wait_each = seen(p, 2);
	p->members = 0;
	for (int i = 0; knows_root && i < p->ranks; i++)
		if (seen(p, 2)) { /* in any order */
			int at = seen(p, p->members + 1);

			memmove(&p->member[at + 1], &p->member[at],
			        (size_t)(p->members++ - at) * sizeof *p->member);
			p->member[at] = i;
		}
	p->messages = 0;
	p->knows_root = knows_root;
	for (int i = 0; i < p->ranks; i++) {
		struct seen_rank *k = &p->rank[i];

		k->calls = k->posts = k->irecvs = k->sends = k->numbers = 0;
		k->lines = (struct str){0};
		k->now = 1000;
	}
	seen_single(p, SEEN_INIT, "init");
	for (int i = 0; i < rounds; i++) {
		int64_t begin = 0;

		p->first = p->messages;
		for (int k = 0; k < p->ranks; k++)
			begin = p->rank[k].now > begin ? p->rank[k].now : begin;
		switch (seen(p, 5)) {
		case 0:
		case 1:
			seen_halo(p, begin);
			break;
		case 2:
			seen_pairs(p, begin);
			break;
		case 3:
			seen_shift(p, begin);
			break;
		default:
			seen_collective(p);
			break;
		}
	}
	seen_single(p, SEEN_FINALIZE, "finalize");
}

/* All lines, with what each receive got where it was posted. */
static inline void seen_lines(const struct seen_program *p, struct str *all)
{
	str_printf(all, "# orrery-trace 1 ranks=%d\n", p->ranks);
	for (int rank = 0; rank < p->ranks; rank++) {
		const struct seen_rank *k = &p->rank[rank];

		for (const char *line = k->lines.s; *line; line += strcspn(line, "\n") + 1) {
			const struct seen_message *m;
			int i;

			if (*line != '@') {
				str_putn(all, line, strcspn(line, "\n") + 1);
				continue;
			}
			i = (int)strtol(line + 1, NULL, 10);
			if (k->irecv[i] < 0)
				continue;
			m = &p->message[k->irecv[i]];
			str_printf(all, "%d irecv %d %d %lld 6 req=%d\n", rank, m->from, m->tag,
			           (long long)m->bytes, 1000 + i);
		}
	}
}

static inline void seen_release(struct seen_program *p)
{
	for (int i = 0; i < p->ranks; i++)
		str_release(&p->rank[i].lines);
}

#endif
