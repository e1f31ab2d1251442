/* dumpi_draw.h: random programs as files of DUMPI, written from sst-dumpi's description of its
 * records, and the lines of our form that each rank's file must become. One function of MPI after
 * the other is called, with whatever the format may leave out left out now and then. */
#ifndef ORRERY_TESTS_DUMPI_DRAW_H
#define ORRERY_TESTS_DUMPI_DRAW_H

#include "unit/trace/foreign_text.h"

#include "base/rng.h"

enum { DUMPI_RANKS = 4, DUMPI_LINES = 256, DUMPI_LIVE = 64, DUMPI_LINE = 256 };
/* Numbers of functions, types, communicators (dumpi/common/funcs.h, constants.h). */
enum {
	DF_SEND = 0,
	DF_RECV = 1,
	DF_BSEND = 3,
	DF_SSEND = 4,
	DF_RSEND = 5,
	DF_ISEND = 8,
	DF_IBSEND = 9,
	DF_ISSEND = 10,
	DF_IRSEND = 11,
	DF_IRECV = 12,
	DF_WAIT = 13,
	DF_TEST = 14,
	DF_REQUEST_FREE = 15,
	DF_WAITANY = 16,
	DF_TESTANY = 17,
	DF_WAITALL = 18,
	DF_TESTALL = 19,
	DF_WAITSOME = 20,
	DF_TESTSOME = 21,
	DF_IPROBE = 22,
	DF_PROBE = 23,
	DF_SEND_INIT = 26,
	DF_RECV_INIT = 30,
	DF_START = 31,
	DF_STARTALL = 32,
	DF_SENDRECV = 33,
	DF_TYPE_CONTIGUOUS = 35,
	DF_BARRIER = 52,
	DF_BCAST = 53,
	DF_GATHER = 54,
	DF_SCATTER = 56,
	DF_ALLGATHER = 58,
	DF_ALLGATHERV = 59,
	DF_ALLTOALL = 60,
	DF_ALLTOALLV = 61,
	DF_REDUCE = 62,
	DF_ALLREDUCE = 65,
	DF_REDUCE_SCATTER = 66,
	DF_SCAN = 67,
	DF_COMM_DUP = 84,
	DF_COMM_SPLIT = 86,
	DF_INIT = 124,
	DF_FINALIZE = 125,
	DF_EXSCAN = 156,
	DF_END = 293
};
enum { T_BYTE = 5, T_INT = 9, T_DOUBLE = 14, T_USER = 28, C_WORLD = 2, C_HALF = 4, C_DUP = 5 };
enum { M_STATUS = 3, M_CPU = 4, M_WALL = 8, M_THREAD = 64, M_COUNTERS = 128 };

struct dumpi_request {
	int number, ours, line; /* line: of a receive whose sender is told when it completes */
	int source, tag, comm;  /* of the message that comes, its source in the communicator */
	int persistent;
};
struct dumpi_rank {
	struct blob b;
	char line[DUMPI_LINES][DUMPI_LINE];
	int lines, me, ours, next;
	struct dumpi_request live[DUMPI_LIVE]; /* oldest first */
	int n_live;
	int64_t now, counter, left, counted; /* ns, instructions; left, counted: of the last call */
};
struct dumpi_world {
	int ranks, version[3], mask, counters;
	int half[DUMPI_RANKS][DUMPI_RANKS], half_n[DUMPI_RANKS]; /* members of each rank's half */
	struct rng *r;
	struct dumpi_rank rank[DUMPI_RANKS];
};

static inline int pick(struct dumpi_world *w, int n)
{
	return (int)rng_below(w->r, (uint64_t)n);
}

static inline int since(const struct dumpi_world *w, int patch)
{
	return w->version[0] > 0 || w->version[1] > 6 || w->version[2] >= patch;
}

static inline char *line_new(struct dumpi_rank *k)
{
	assert_true(k->lines < DUMPI_LINES);
	return k->line[k->lines++];
}

/* Behind what is in a text of so much room. */
__attribute__((format(printf, 3, 4))) static inline void text_add(char *text, size_t room,
                                                                  const char *format, ...)
{
	size_t n = strlen(text);
	va_list ap;
	int more;

	va_start(ap, format);
	more = vsnprintf(text + n, room - n, format, ap);
	va_end(ap);
	assert_true(more >= 0 && (size_t)more < room - n);
}

#define say(k, ...) snprintf(line_new(k), DUMPI_LINE, __VA_ARGS__)

/* --- the beginning of a record --- */

static inline void clock_put(struct blob *b, int64_t ns)
{
	blob_put(b, (uint64_t)(ns / 1000000000) & 0xffff, 2);
	blob_put(b, (uint64_t)(ns % 1000000000), 4);
}

static inline void computed(struct dumpi_world *w, struct dumpi_rank *k)
{
	int64_t ns = k->now - k->left, counted = k->counter - k->counted;

	if (k->left < 0 || (ns < 1 && (w->counters < 0 || counted <= 0)))
		return;
	say(k, "compute %lld", (long long)(w->counters >= 0 ? counted : ns));
}

static inline void call(struct dumpi_world *w, struct dumpi_rank *k, int function)
{
	struct blob *b = &k->b;
	int64_t took = pick(w, 2) ? pick(w, 2000) : 0;

	k->now += pick(w, 3) ? pick(w, 5000) : 0;
	k->now += pick(w, 8) ? 0 : (int64_t)pick(w, 20000) * 1000000000;
	k->counter += pick(w, 2) ? pick(w, 100000) : 0;
	computed(w, k);
	blob_put(b, (uint64_t)function, 2);
	blob_put(b, (uint64_t)w->mask, 1);
	if (w->mask & M_THREAD)
		blob_put(b, 0, 2);
	if (w->mask & M_CPU) {
		clock_put(b, k->now);
		clock_put(b, k->now + took);
	}
	if (w->mask & M_WALL) { /* beside the processor's it says nothing */
		clock_put(b, w->mask & M_CPU ? 7 : k->now);
		clock_put(b, w->mask & M_CPU ? 7 : k->now + took);
	}
	if (w->mask & M_COUNTERS) {
		blob_put(b, 2, 1);
		for (int i = 0; i < 4; i++)
			blob_put(b, i / 2 == w->counters ? (uint64_t)(k->counter + i % 2) : 3, 8);
	}
	k->now += took;
	k->left = k->now;
	k->counted = ++k->counter;
}

static inline void int_put(struct blob *b, int v)
{
	blob_put(b, (uint64_t)(int64_t)v, 4);
}

static inline void list_put(struct blob *b, int n, const int *v)
{
	int_put(b, n);
	for (int i = 0; i < n; i++)
		int_put(b, v[i]);
}

/* n < 0: the program did not ask for it (MPI_STATUS_IGNORE). */
static inline void statuses_head(struct dumpi_world *w, struct blob *b, int n)
{
	if (w->mask & M_STATUS)
		int_put(b, n < 0 ? 0 : n);
}

static inline void status_put(struct dumpi_world *w, struct blob *b, int source, int tag)
{
	if (!(w->mask & M_STATUS))
		return;
	int_put(b, 4);
	int_put(b, source);
	blob_put(b, 0, 2);
	if (since(w, 3))
		int_put(b, tag);
}

/* --- communicators, types --- */

static inline int comm_draw(struct dumpi_world *w)
{
	static const int all[] = {C_WORLD, C_WORLD, C_HALF, C_DUP};

	return all[pick(w, 4)];
}

static inline int comm_size(const struct dumpi_world *w, const struct dumpi_rank *k, int comm)
{
	return comm == C_HALF ? w->half_n[k->me] : w->ranks;
}

static inline int world_rank(const struct dumpi_world *w, const struct dumpi_rank *k, int comm,
                             int rank)
{
	return comm == C_HALF && rank >= 0 ? w->half[k->me][rank] : rank;
}

static inline int rank_in(const struct dumpi_world *w, const struct dumpi_rank *k, int comm)
{
	for (int i = 0; comm == C_HALF; i++)
		if (w->half[k->me][i] == k->me)
			return i;
	return k->me;
}

/* " comm=", as the lines that make them say. */
static inline const char *comm_key(const struct dumpi_world *w, const struct dumpi_rank *k,
                                   int comm, char buf[32])
{
	*buf = '\0';
	if (comm != C_WORLD)
		snprintf(buf, 32, " comm=%d.%d", comm == C_HALF ? w->half[k->me][0] : 0,
		         comm == C_HALF ? 1 : 2);
	return buf;
}

static const struct {
	int dumpi, ours;
	const char *size, *size2; /* keys of derived ones */
} drawn_types[] = {{T_BYTE, 6, "", ""},
                   {T_INT, 1, "", ""},
                   {T_DOUBLE, 0, "", ""},
                   {T_USER, -1, " dtsize=12", " dtsize2=12"}};

/* --- messages --- */

struct envelope {
	int count, type, peer, tag, comm; /* peer: in the communicator */
	int source, got;                  /* of the message that comes */
};

static inline void envelope_draw(struct dumpi_world *w, const struct dumpi_rank *k, int receives,
                                 struct envelope *e)
{
	int n;

	e->comm = comm_draw(w);
	n = comm_size(w, k, e->comm);
	e->count = pick(w, 5) ? pick(w, 100000) : 0x7fffffff;
	e->type = pick(w, 4);
	e->source = pick(w, n);
	e->peer = pick(w, 6) ? e->source : -2;
	e->tag = e->got = pick(w, 3) ? pick(w, 3) : 0x7ffffff0 + pick(w, 15);
	if (receives && pick(w, 3) == 0)
		e->peer = -1;
	if (receives && pick(w, 3) == 0)
		e->tag = -1;
}

static inline void envelope_put(struct blob *b, const struct envelope *e)
{
	int_put(b, e->count);
	blob_put(b, (uint64_t)drawn_types[e->type].dumpi, 2);
	int_put(b, e->peer);
	int_put(b, e->tag);
	blob_put(b, (uint64_t)e->comm, 2);
}

/* told: the status says which message came; before 0.6.3 it has no tag. */
static inline void envelope_say(struct dumpi_world *w, const struct dumpi_rank *k, char *line,
                                const char *word, const struct envelope *e, int told, int req)
{
	int source = told && e->peer == -1, tag = told && e->tag == -1 && since(w, 3);
	char comm[32], number[32] = "";

	if (req >= 0)
		snprintf(number, sizeof number, " req=%d", req);
	snprintf(line, DUMPI_LINE, "%s %d %d %d %d%s%s%s%s", word,
	         world_rank(w, k, e->comm, source ? e->source : e->peer), tag ? e->got : e->tag,
	         e->count, drawn_types[e->type].ours, drawn_types[e->type].size,
	         comm_key(w, k, e->comm, comm), number,
	         source && tag ? " any=both"
	         : source      ? " any=source"
	         : tag         ? " any=tag"
	                       : "");
}

static inline void blocking_call(struct dumpi_world *w, struct dumpi_rank *k)
{
	static const struct {
		int function;
		const char *word;
	} sends[] = {
	    {DF_SEND, "send"}, {DF_SSEND, "ssend"}, {DF_BSEND, "bsend"}, {DF_RSEND, "rsend"}};
	int receives = pick(w, 2), i = pick(w, 4), told = receives && pick(w, 2);
	struct envelope e;

	envelope_draw(w, k, receives, &e);
	call(w, k, receives ? DF_RECV : sends[i].function);
	envelope_put(&k->b, &e);
	if (receives) {
		statuses_head(w, &k->b, told ? 1 : -1);
		if (told)
			status_put(w, &k->b, e.source, e.got);
	}
	envelope_say(w, k, line_new(k), receives ? "recv" : sends[i].word, &e,
	             told && w->mask & M_STATUS, -1);
}

/* Requests that are complete when they are made may all have one number. */
static inline void live_new(struct dumpi_world *w, struct dumpi_rank *k, const struct envelope *e,
                            int line, int persistent)
{
	int shared = line < 0 && !persistent && pick(w, 2);

	assert_true(k->n_live < DUMPI_LIVE);
	k->live[k->n_live++] = (struct dumpi_request){.number = shared ? 99 : 100 + k->next++,
	                                              .ours = k->ours++,
	                                              .line = line,
	                                              .source = e->source,
	                                              .tag = e->got,
	                                              .comm = e->comm,
	                                              .persistent = persistent};
}

static inline void post_call(struct dumpi_world *w, struct dumpi_rank *k)
{
	static const struct {
		int function;
		const char *word;
	} posts[] = {{DF_ISEND, "isend"},         {DF_IBSEND, "ibsend"},
	             {DF_ISSEND, "issend"},       {DF_IRSEND, "irsend"},
	             {DF_SEND_INIT, "send_init"}, {DF_RECV_INIT, "recv_init"}};
	int receives = pick(w, 2), i = pick(w, 6), persistent, wild;
	struct envelope e;

	receives |= i == 5;
	persistent = i >= 4;
	envelope_draw(w, k, receives, &e);
	call(w, k,
	     persistent ? posts[receives ? 5 : 4].function
	     : receives ? DF_IRECV
	                : posts[i].function);
	envelope_put(&k->b, &e);
	if (e.peer == -2 && !persistent) { /* it puts nothing */
		int_put(&k->b, 98);
		return;
	}
	wild = receives && !persistent && (e.peer == -1 || e.tag == -1);
	live_new(w, k, &e, wild ? k->lines : -1, persistent);
	int_put(&k->b, k->live[k->n_live - 1].number);
	envelope_say(w, k, line_new(k),
	             persistent ? posts[receives ? 5 : 4].word
	             : receives ? "irecv"
	                        : posts[i].word,
	             &e, 0, k->live[k->n_live - 1].ours);
	if (wild) { /* what it was, behind what it is: the first or the second is told in the end */
		char *told = line_new(k);

		envelope_say(w, k, told, "irecv", &e, 1, k->live[k->n_live - 1].ours);
		memmove(told + 1, told, strlen(told) + 1);
		*told = '?';
	}
}

/* --- completion --- */

/* The receive's status was told: its second line is the one. */
static inline void outcome_say(struct dumpi_rank *k, const struct dumpi_request *q)
{
	if (q->line < 0)
		return;
	memmove(k->line[q->line], k->line[q->line + 1] + 1, DUMPI_LINE - 1);
}

/* Those of a call: by number, oldest first; marks say which are taken already. */
static inline int live_find(const struct dumpi_rank *k, int number, const int *taken)
{
	for (int i = 0; i < k->n_live; i++)
		if (k->live[i].number == number && !taken[i])
			return i;
	return -1;
}

static inline void live_end(struct dumpi_rank *k, int i)
{
	k->n_live--;
	memmove(&k->live[i], &k->live[i + 1], (size_t)(k->n_live - i) * sizeof *k->live);
}

static inline void one_call(struct dumpi_world *w, struct dumpi_rank *k)
{
	int none[DUMPI_LIVE] = {0}, test = pick(w, 2), done = !test || pick(w, 2),
	    told = pick(w, 2);
	int i = k->n_live ? live_find(k, k->live[pick(w, k->n_live)].number, none) : -1;

	if (i < 0)
		return;
	call(w, k, test ? DF_TEST : DF_WAIT);
	int_put(&k->b, k->live[i].number);
	if (test)
		int_put(&k->b, done);
	statuses_head(w, &k->b, told ? 1 : -1);
	if (told)
		status_put(w, &k->b, k->live[i].source, k->live[i].tag);
	if (test && done)
		say(k, "test req=%d done=%d", k->live[i].ours, k->live[i].ours);
	else
		say(k, "%s req=%d%s", test ? "test" : "wait", k->live[i].ours,
		    test ? " done=" : "");
	if (done && told && w->mask & M_STATUS)
		outcome_say(k, &k->live[i]);
	if (done && !k->live[i].persistent)
		live_end(k, i);
}

struct several { /* requests of one call: places among the live ones, -1: nobody's */
	int at[DUMPI_LIVE], done[DUMPI_LIVE], n;
};

static inline void several_draw(struct dumpi_world *w, struct dumpi_rank *k, struct several *s)
{
	int taken[DUMPI_LIVE] = {0}, wanted = 1 + pick(w, 6);

	s->n = 0;
	for (int i = 0; i < wanted; i++) {
		int at = k->n_live && pick(w, 6)
		             ? live_find(k, k->live[pick(w, k->n_live)].number, taken)
		             : -1;

		if (at >= 0)
			taken[at] = 1;
		s->done[s->n] = 0;
		s->at[s->n++] = at;
	}
}

static inline void several_put(struct dumpi_rank *k, const struct several *s)
{
	int number[DUMPI_LIVE];

	for (int i = 0; i < s->n; i++)
		number[i] = s->at[i] < 0 ? 1 : k->live[s->at[i]].number; /* 1: MPI_REQUEST_NULL */
	int_put(&k->b, s->n);
	list_put(&k->b, s->n, number);
}

static inline void several_say(struct dumpi_rank *k, const struct several *s, const char *word,
                               int all)
{
	char *p;
	int any = 0, first = 1;

	for (int i = 0; i < s->n; i++)
		any += s->at[i] >= 0;
	if (!any)
		return;
	p = line_new(k);
	snprintf(p, DUMPI_LINE, "%s %d reqs=", word, any);
	for (int i = 0; i < s->n; i++, first &= s->at[i - 1] < 0)
		if (s->at[i] >= 0)
			text_add(p, DUMPI_LINE, "%s%d", first ? "" : ",", k->live[s->at[i]].ours);
	if (all)
		return;
	text_add(p, DUMPI_LINE, " done=");
	first = 1;
	for (int i = 0; i < s->n; i++)
		if (s->at[i] >= 0 && s->done[i]) {
			text_add(p, DUMPI_LINE, "%s%d", first ? "" : ",", k->live[s->at[i]].ours);
			first = 0;
		}
}

/* What is complete is live no more. */
static inline void several_end(struct dumpi_world *w, struct dumpi_rank *k, const struct several *s,
                               int told)
{
	int gone[DUMPI_LIVE] = {0};

	for (int i = 0; i < s->n; i++) {
		if (s->at[i] < 0 || !s->done[i])
			continue;
		if (told && w->mask & M_STATUS)
			outcome_say(k, &k->live[s->at[i]]);
		gone[s->at[i]] = !k->live[s->at[i]].persistent;
	}
	for (int i = k->n_live - 1; i >= 0; i--)
		if (gone[i])
			live_end(k, i);
}

static inline void status_of(struct dumpi_world *w, struct dumpi_rank *k, const struct several *s,
                             int i)
{
	const struct dumpi_request *q = s->at[i] < 0 ? NULL : &k->live[s->at[i]];

	status_put(w, &k->b, q ? q->source : -1, q ? q->tag : -1);
}

static inline void any_call(struct dumpi_world *w, struct dumpi_rank *k)
{
	int test = pick(w, 2), flag = !test || pick(w, 2), told = pick(w, 2), at;
	struct several s;

	several_draw(w, k, &s);
	at = pick(w, s.n);
	if (s.at[at] < 0) /* it cannot have chosen this one */
		return;
	call(w, k, test ? DF_TESTANY : DF_WAITANY);
	several_put(k, &s);
	int_put(&k->b, at);
	if (test)
		int_put(&k->b, flag);
	s.done[at] = flag;
	statuses_head(w, &k->b, told ? 1 : -1);
	if (told)
		status_of(w, k, &s, at);
	several_say(k, &s, test ? "testany" : "waitany", 0);
	several_end(w, k, &s, told);
}

static inline void all_call(struct dumpi_world *w, struct dumpi_rank *k)
{
	int test = pick(w, 2), flag = !test || pick(w, 2), told = pick(w, 2);
	struct several s;

	several_draw(w, k, &s);
	call(w, k, test ? DF_TESTALL : DF_WAITALL);
	several_put(k, &s);
	if (test)
		int_put(&k->b, flag);
	statuses_head(w, &k->b, told ? s.n : -1);
	for (int i = 0; i < s.n; i++) {
		s.done[i] = flag;
		if (told)
			status_of(w, k, &s, i);
	}
	several_say(k, &s, test ? "testall" : "waitall", !test);
	several_end(w, k, &s, told);
}

static inline void some_call(struct dumpi_world *w, struct dumpi_rank *k)
{
	int test = pick(w, 2), told = pick(w, 2), index[DUMPI_LIVE], n = 0;
	struct several s;

	several_draw(w, k, &s);
	for (int i = 0; i < s.n; i++)
		if (s.at[i] >= 0 && pick(w, 2)) {
			s.done[i] = 1;
			index[n++] = i;
		}
	if (!test && n == 0)
		return;
	call(w, k, test ? DF_TESTSOME : DF_WAITSOME);
	several_put(k, &s);
	int_put(&k->b, n);
	list_put(&k->b, n, index);
	statuses_head(w, &k->b, told ? n : -1);
	for (int i = 0; told && i < n; i++)
		status_of(w, k, &s, index[i]);
	several_say(k, &s, test ? "testsome" : "waitsome", 0);
	several_end(w, k, &s, told);
}

#endif
