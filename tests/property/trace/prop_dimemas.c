/* prop_dimemas.c: random programs (message_draw.h, coll_draw.h) as Dimemas's traces: the records of
 * each rank, read by the description of the format in docs/foreign-traces.md, are what the rank
 * did; what is read back from them is the same but for the completion of sends, which is in no
 * record. The seed is printed. */
#include "../prop.h"

#include "coll_draw.h"
#include "message_draw.h"

#include "unit/trace/foreign_text.h"
#include "unit/trace/write_text.h"

#include <math.h>

enum { PROGRAMS = 150, GROUPS = 150, COMMS = 8, FIELDS = 16 };

/* --- the file, by its description --- */

struct dim_comm {
	int n, member[GROUP_RANKS];
};
struct dim_file {
	char *text, *next;
	int ranks;
	struct dim_comm comm[COMMS];
};

/* The numbers of a line between its colons. */
static int fields_split(char *line, double field[FIELDS])
{
	int n = 0;

	for (char *p = line, *end; p; p = *end == ':' ? end + 1 : NULL) {
		assert_true(n < FIELDS);
		field[n++] = strtod(p, &end);
		assert_true(end > p && (*end == ':' || *end == '\0'));
	}
	return n;
}

static char *line_next(struct dim_file *f)
{
	char *line = f->next, *end = strchr(line, '\n');

	if (!end)
		return NULL;
	*end = '\0';
	f->next = end + 1;
	return line;
}

static void comm_take(struct dim_file *f, char *line)
{
	double v[FIELDS];
	int n = fields_split(line + 2, v), number = (int)v[1];

	assert_true(v[0] == 1 && number > 0 && number < COMMS && n == 3 + (int)v[2]);
	f->comm[number].n = (int)v[2];
	for (int i = 0; i < f->comm[number].n; i++)
		f->comm[number].member[i] = (int)v[3 + i];
}

static void file_open(struct dim_file *f, const char *path)
{
	int comms, used = 0;
	char *line;

	memset(f, 0, sizeof *f);
	f->text = f->next = file_text(path);
	line = line_next(f);
	assert_int_equal(sscanf(line, "#DIMEMAS:\"%*[^\"]\":1,0:%d(%n", &f->ranks, &used), 1);
	line += used;
	for (int i = 0; i < f->ranks; i++, line += 2) /* a thread each */
		assert_true(line[0] == '1' && line[1] == (i + 1 < f->ranks ? ',' : ')'));
	assert_int_equal(sscanf(line, ",%d,0,0", &comms), 1);
	for (int i = 0; i < comms; i++) {
		line = line_next(f);
		assert_true(line[0] == 'd' && line[1] == ':');
		comm_take(f, line);
	}
}

/* The number of the communicator of these members: of two, the world is the first. */
static int comm_find(const struct dim_file *f, const int *member, int n, int world)
{
	for (int c = world ? 1 : COMMS - 1; c > 0 && c < COMMS; c += world ? 1 : -1)
		if (f->comm[c].n == n &&
		    memcmp(f->comm[c].member, member, (size_t)n * sizeof *member) == 0)
			return c;
	fail_msg("a communicator of %d members is not there", n);
	return 0;
}

static void lines_to(const char *path, struct str *lines, int ranks)
{
	struct err err;

	remove(path);
	assert_ok(lines_write(lines->s, (uint32_t)ranks, TRACE_WRITE_DIMEMAS, path, NULL, &err),
	          err);
}

/* --- messages --- */

static int world_of(const struct dim_file *f)
{
	int all[DID_RANKS];

	for (int i = 0; i < f->ranks; i++)
		all[i] = i;
	return comm_find(f, all, f->ranks, 1);
}

static void message_is(const double *v, int n, const struct did *d, int comm, int how)
{
	assert_int_equal(n, 9);
	assert_true(v[0] == (d->kind == DID_SEND ? 2 : 3) && v[2] == 0 && v[4] == -1);
	assert_int_equal(v[3], d->peer);
	assert_int_equal((int64_t)v[5], d->size);
	assert_int_equal(v[6], d->tag);
	assert_int_equal(v[7], comm);
	assert_int_equal(v[8], how);
}

static void record_is(const struct dim_file *f, const struct did_program *p,
                      const struct did_rank *k, const struct did *d, const double *v, int n)
{
	const struct did *m = d->kind == DID_WAIT ? &k->did[d->of] : d;
	int comm = m->comm ? comm_find(f, p->member, p->members, 0) : world_of(f);

	if (d->kind == DID_COMPUTE) {
		assert_true(n == 4 && v[0] == 1 && v[2] == 0);
		assert_int_equal(llround(v[3] * 1e9), d->size);
	} else {
		message_is(v, n, m, comm,
		           d->kind == DID_WAIT   ? 2
		           : d->kind == DID_SEND ? d->sync + 2 * d->posted
		                                 : d->posted);
	}
}

/* The next thing that a rank did and that has a record; NULL. */
static const struct did *recorded(const struct did_rank *k, int *at)
{
	for (; *at < k->n; ++*at)
		if (k->did[*at].kind != DID_WAIT || k->did[k->did[*at].of].kind == DID_RECV)
			return &k->did[(*at)++];
	return NULL;
}

static void records_are(const char *path, const struct did_program *p)
{
	int at[DID_RANKS] = {0};
	struct dim_file f;
	char *line;

	file_open(&f, path);
	assert_int_equal(f.ranks, p->ranks);
	while ((line = line_next(&f))) {
		double v[FIELDS];
		int n = fields_split(line, v), rank = (int)v[1];
		const struct did *d;

		assert_true(rank >= 0 && rank < p->ranks);
		if (v[0] == 1 && v[3] == 0) /* a computation of no time */
			continue;
		d = recorded(&p->rank[rank], &at[rank]);
		assert_non_null(d);
		record_is(&f, p, &p->rank[rank], d, v, n);
	}
	for (int i = 0; i < p->ranks; i++)
		assert_null(recorded(&p->rank[i], &at[i]));
	free(f.text);
}

/* --- read back --- */

struct back { /* receives that are posted, oldest first */
	int64_t req[DID_MOST];
	int did[DID_MOST], n;
};

static int same_message(const struct did *a, const struct did *b)
{
	return a->peer == b->peer && a->tag == b->tag && a->comm == b->comm;
}

static void wait_is(struct back *b, const struct did_rank *k, const struct did *d,
                    const struct trace_event *ev)
{
	int i = 0;

	while (!same_message(&k->did[b->did[i]], &k->did[d->of]))
		i++;
	assert_int_equal(ev->op, TRACE_WAIT);
	assert_int_equal(ev->req, b->req[i]);
	b->n--;
	memmove(&b->req[i], &b->req[i + 1], (size_t)(b->n - i) * sizeof *b->req);
	memmove(&b->did[i], &b->did[i + 1], (size_t)(b->n - i) * sizeof *b->did);
}

/* comm: the other one than the world. */
static void event_is(struct trace *t, uint32_t rank, struct back *b, const struct did_program *p,
                     const struct did *d, uint64_t comm)
{
	static const enum trace_op sends[] = {TRACE_SEND, TRACE_SSEND, TRACE_ISEND, TRACE_ISSEND};
	const struct did_rank *k = &p->rank[rank];
	struct trace_event ev;
	struct err err;

	assert_int_equal(trace_next(t, rank, &ev, &err), 1);
	if (d->kind == DID_WAIT) {
		wait_is(b, k, d, &ev);
		return;
	}
	if (d->kind == DID_COMPUTE) {
		assert_int_equal(ev.op, TRACE_COMPUTE);
		assert_close(ev.volume, (double)d->size, 1e-9);
		return;
	}
	assert_int_equal(ev.op, d->kind == DID_SEND ? sends[d->sync + 2 * d->posted]
	                        : d->posted         ? TRACE_IRECV
	                                            : TRACE_RECV);
	assert_true(ev.comm == (d->comm ? comm : 0));
	assert_int_equal(ev.peer, d->peer);
	assert_int_equal(ev.tag, d->tag);
	assert_int_equal(ev.count * ev.type_size, d->size);
	if (d->kind == DID_RECV && d->posted) {
		b->req[b->n] = ev.req;
		b->did[b->n++] = (int)(d - k->did);
	}
	if (d->kind == DID_SEND && d->posted) {
		int64_t req = ev.req;

		assert_int_equal(trace_next(t, rank, &ev, &err), 1);
		assert_int_equal(ev.op, TRACE_REQUEST_FREE);
		assert_int_equal(ev.req, req);
	}
}

static void comes_back(const char *path, const struct did_program *p)
{
	struct err err;
	struct trace *t = trace_open(path, 0, &err);
	struct trace_event ev;

	if (!t)
		fail_msg("%s", err.text);
	for (int rank = 0; rank < p->ranks; rank++) {
		struct back b = {.n = 0};
		uint64_t comm = 1;
		const struct did *d;
		int at = 0;

		assert_int_equal(trace_next(t, (uint32_t)rank, &ev, &err), 1);
		assert_int_equal(ev.op, TRACE_INIT);
		if (did_is_member(p, rank) && p->members > 1) {
			assert_int_equal(trace_next(t, (uint32_t)rank, &ev, &err), 1);
			assert_int_equal(ev.op, TRACE_COMM_CREATE_GROUP);
			comm = ev.comm;
		}
		while ((d = recorded(&p->rank[rank], &at)))
			event_is(t, (uint32_t)rank, &b, p, d, comm);
		assert_int_equal(trace_next(t, (uint32_t)rank, &ev, &err), 1);
		assert_int_equal(ev.op, TRACE_FINALIZE);
	}
	trace_close(t);
}

static void messages_are_records_and_come_back(void **state)
{
	static struct did_program p;
	struct tmp tmp;

	(void)state;
	tmp_init(&tmp);
	for (uint64_t seed = prop_seed(0); seed < prop_seed(PROGRAMS); seed++) {
		struct str lines;
		struct rng r;

		print_message("seed %llu\n", (unsigned long long)seed);
		rng_init(&r, seed, "messages to Dimemas", 0);
		did_program_draw(&r, &p, 1);
		lines = did_lines(&p);
		lines_to(tmp_path(&tmp, "p.dim"), &lines, p.ranks);
		records_are(tmp.path, &p);
		comes_back(tmp.path, &p);
		str_release(&lines);
		did_release(&p);
	}
	tmp_release(&tmp);
}

/* --- collectives --- */

static const enum trace_op ops[COLLS] = {
    TRACE_BARRIER,   TRACE_BCAST,          TRACE_REDUCE,
    TRACE_ALLREDUCE, TRACE_GATHER,         TRACE_SCATTER,
    TRACE_ALLGATHER, TRACE_ALLTOALL,       TRACE_GATHERV,
    TRACE_SCATTERV,  TRACE_ALLGATHERV,     TRACE_ALLTOALLV,
    TRACE_SCAN,      TRACE_REDUCE_SCATTER, TRACE_REDUCE_SCATTER_BLOCK};

static void counts_are(const int64_t *got, int64_t n, const int *count, int wanted)
{
	assert_int_equal(n, wanted);
	for (int i = 0; i < wanted; i++)
		assert_int_equal(got[i], count[i]);
}

/* As even as it goes: what is left over goes to the first. */
static void counts_are_even(const int64_t *got, int64_t n, const int *sent, int wanted)
{
	int sum = 0;

	for (int i = 0; i < wanted; i++)
		sum += sent[i];
	assert_int_equal(n, wanted);
	for (int i = 0; i < wanted; i++)
		assert_int_equal(got[i], sum / wanted + (i < sum % wanted));
}

static int has_one(enum coll c)
{
	return c != BARRIER && c != GATHERV && c != SCATTERV && c != ALLGATHERV && c != ALLTOALLV &&
	       c != REDUCESCATTER;
}

static void coll_is(const struct trace_event *ev, const struct group *g, const struct drawn_coll *d,
                    int me)
{
	assert_int_equal(ev->op, ops[d->c]);
	assert_int_equal(ev->type_size, d->c == BARRIER ? 0 : 1);
	if (trace_op_has(ops[d->c], TRACE_ROOTED))
		assert_int_equal(ev->root, d->root);
	if (has_one(d->c))
		assert_int_equal(ev->count, d->one);
	if (d->c == GATHERV || d->c == ALLGATHERV || d->c == REDUCESCATTER)
		counts_are(ev->counts2, ev->n_counts2, d->count, g->n);
	if (d->c == GATHERV || d->c == ALLGATHERV)
		assert_int_equal(ev->count, d->count[me]);
	if (d->c == SCATTERV) {
		counts_are(ev->counts, ev->n_counts, d->count, g->n);
		assert_int_equal(ev->count2, d->count[me]);
	}
	if (d->c == ALLTOALLV)
		counts_are_even(ev->counts, ev->n_counts, d->count + me * g->n, g->n);
}

static void session_comes_back(const char *path, const struct session *s)
{
	const struct trace_open_options o = {.even_split = 1};
	struct err err;
	struct trace *t = trace_open_with(path, 0, &o, &err);
	struct trace_event ev;

	if (!t)
		fail_msg("%s", err.text);
	for (int rank = 0; rank < s->ranks; rank++) {
		do
			assert_int_equal(trace_next(t, (uint32_t)rank, &ev, &err), 1);
		while (ev.op == TRACE_INIT);
		if (ev.op == TRACE_COMM_CREATE_GROUP)
			assert_int_equal(trace_next(t, (uint32_t)rank, &ev, &err), 1);
		for (int c = 0; c < s->calls; c++) {
			const struct group *g = &s->group[s->call[c].group];
			int me = -1;

			for (int i = 0; i < g->n; i++)
				me = g->member[i] == rank ? i : me;
			if (me < 0 || (g->n == 1 && s->call[c].group))
				continue; /* alone, nothing is sent */
			coll_is(&ev, g, &s->call[c].d, me);
			assert_int_equal(ev.comm == 0, s->call[c].group == 0);
			assert_int_equal(trace_next(t, (uint32_t)rank, &ev, &err), 1);
		}
		assert_int_equal(ev.op, TRACE_FINALIZE);
	}
	trace_close(t);
}

static void collectives_come_back(void **state)
{
	struct tmp tmp;

	(void)state;
	tmp_init(&tmp);
	for (uint64_t seed = prop_seed(0); seed < prop_seed(GROUPS); seed++) {
		static struct session s;
		struct str lines;
		struct rng r;

		print_message("group seed %llu\n", (unsigned long long)seed);
		rng_init(&r, seed, "collectives to Dimemas", 0);
		session_draw(&r, &s);
		lines = session_lines(&s);
		lines_to(tmp_path(&tmp, "c.dim"), &lines, s.ranks);
		session_comes_back(tmp.path, &s);
		str_release(&lines);
	}
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(messages_are_records_and_come_back),
	    cmocka_unit_test(collectives_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
