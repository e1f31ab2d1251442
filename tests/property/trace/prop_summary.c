/* prop_summary.c: what random traces come to (summary.h), against plain sums over their lines; and
 * what their compressed form comes to, where a line is looked at once for all its repetitions.
 * Volumes, bytes and durations are whole multiples of 1/8, so that sums are exact in any order. */
#include "../prop.h"

#include "unit/trace/trace_test.h"

#include "base/rng.h"
#include "trace/summary.h"

enum { RANKS = 4, LINES_MOST = 120, TIMES_MOST = 4, KINDS = 6 };

static const enum trace_op ops[KINDS] = {TRACE_COMPUTE, TRACE_SEND,    TRACE_SSEND,
                                         TRACE_RECV,    TRACE_IO_READ, TRACE_IO_WRITE};

struct plain {
	struct trace_of_op op[KINDS];
	struct trace_of_rank rank[RANKS];
	uint64_t size[TRACE_SIZES], messages, sent[RANKS][RANKS];
	double bytes[RANKS][RANKS], sent_in_all;
	struct trace_io io;
	uint64_t in_world; /* calls */
	uint32_t ranks;
};

static void compute_add(struct plain *p, struct rng *r, uint32_t rank, struct str *text)
{
	double volume = (double)rng_below(r, 1000), seconds = (double)rng_below(r, 80) / 8;

	str_printf(text, "%u compute %g t=%g\n", rank, volume, seconds);
	p->op[0].events++;
	p->op[0].volume += volume;
	p->op[0].seconds += seconds;
	p->rank[rank].volume += volume;
	p->rank[rank].computation += seconds;
}

/* Sizes of all magnitudes; [0] has those of none, too. */
static void sent_add(struct plain *p, uint32_t rank, uint32_t to, uint64_t bytes)
{
	int k = 0;

	while (k < TRACE_SIZES - 1 && bytes >> (k + 1))
		k++;
	p->size[k]++;
	p->messages++;
	p->sent[rank][to]++;
	p->bytes[rank][to] += (double)bytes;
	p->rank[rank].bytes += (double)bytes;
	p->sent_in_all += (double)bytes;
}

static void io_add(struct plain *p, struct rng *r, uint32_t rank, int kind, struct str *text)
{
	uint64_t bytes = rng_below(r, 1 << 20);
	double seconds = (double)rng_below(r, 80) / 8;

	str_printf(text, "%u %s %llu file=3 t=%g\n", rank, kind == 4 ? "read" : "write",
	           (unsigned long long)bytes, seconds);
	p->op[kind].events++;
	p->op[kind].seconds += seconds;
	p->rank[rank].calls++;
	p->rank[rank].communication += seconds;
	p->io.calls++;
	p->io.seconds += seconds;
	*(kind == 4 ? &p->io.read : &p->io.written) += (double)bytes;
}

static void message_add(struct plain *p, struct rng *r, uint32_t rank, int kind, struct str *text)
{
	static const char *const words[] = {NULL, "send", "ssend", "recv"};
	uint32_t peer = (uint32_t)rng_below(r, p->ranks);
	uint64_t bytes = rng_below(r, UINT64_C(1) << rng_below(r, 40));
	double seconds = (double)rng_below(r, 80) / 8;

	str_printf(text, "%u %s %u 7 %llu 6 t=%g\n", rank, words[kind], peer,
	           (unsigned long long)bytes, seconds);
	p->op[kind].events++;
	p->op[kind].seconds += seconds;
	p->rank[rank].calls++;
	p->rank[rank].communication += seconds;
	p->in_world++;
	if (kind == 3)
		return;
	p->op[kind].bytes += (double)bytes;
	sent_add(p, rank, peer, bytes);
}

/* The same lines some times: loops. */
static void rank_draw(struct plain *p, struct rng *r, uint32_t rank, struct str *text)
{
	uint64_t lines = 1 + rng_below(r, LINES_MOST), times = 1 + rng_below(r, TIMES_MOST);
	struct rng begin = *r;

	for (uint64_t k = 0; k < times; k++) {
		*r = begin;
		for (uint64_t n = lines; n > 0; n--) {
			int kind = (int)rng_below(r, KINDS);

			if (kind == 0)
				compute_add(p, r, rank, text);
			else if (kind < 4)
				message_add(p, r, rank, kind, text);
			else
				io_add(p, r, rank, kind, text);
		}
	}
}

static void trace_draw(struct plain *p, struct rng *r, const char *dir)
{
	*p = (struct plain){.ranks = 1 + (uint32_t)rng_below(r, RANKS)};
	for (uint32_t rank = 0; rank < p->ranks; rank++) {
		struct str text = {0};
		char name[32], path[256];

		str_puts(&text, "# orrery-trace 1\n");
		rank_draw(p, r, rank, &text);
		snprintf(name, sizeof name, "rank-%u.tit", rank);
		file_make(path, dir, name, text.s);
		str_release(&text);
	}
}

static void cells_agree(const struct trace_summary *s, const struct plain *p)
{
	uint64_t messages = 0;

	for (uint32_t i = 0; i < s->cells; i++) {
		const struct trace_cell *c = &s->cell[i];

		assert_true(c->from < p->ranks && c->to < p->ranks);
		assert_true(i == 0 || c[-1].from < c->from ||
		            (c[-1].from == c->from && c[-1].to < c->to));
		assert_int_equal(c->messages, p->sent[c->from][c->to]);
		assert_double_is(c->bytes, p->bytes[c->from][c->to]);
		messages += c->messages;
	}
	assert_int_equal(messages, p->messages);
}

static void spread_agrees(const struct trace_summary *s, const struct plain *p)
{
	struct trace_spread got = trace_summary_spread(s, TRACE_BYTES_SENT);
	uint32_t least = 0, most = 0;
	double sum = 0;

	for (uint32_t i = 0; i < p->ranks; i++) {
		least = p->rank[i].bytes < p->rank[least].bytes ? i : least;
		most = p->rank[i].bytes > p->rank[most].bytes ? i : most;
		sum += p->rank[i].bytes;
	}
	assert_int_equal(got.least_rank, least);
	assert_int_equal(got.most_rank, most);
	assert_double_is(got.least, p->rank[least].bytes);
	assert_double_is(got.most, p->rank[most].bytes);
	assert_close(got.mean, sum / p->ranks, 1e-12);
}

static void summary_agrees(const struct trace_summary *s, const struct plain *p)
{
	assert_int_equal(s->ranks, p->ranks);
	for (int k = 0; k < KINDS; k++) {
		assert_int_equal(s->op[ops[k]][0].events, p->op[k].events);
		assert_double_is(s->op[ops[k]][0].bytes, p->op[k].bytes);
		assert_double_is(s->op[ops[k]][0].volume, p->op[k].volume);
		assert_double_is(s->op[ops[k]][0].seconds, p->op[k].seconds);
	}
	for (uint32_t i = 0; i < p->ranks; i++) {
		assert_int_equal(s->rank[i].calls, p->rank[i].calls);
		assert_double_is(s->rank[i].computation, p->rank[i].computation);
		assert_double_is(s->rank[i].communication, p->rank[i].communication);
		assert_double_is(s->rank[i].volume, p->rank[i].volume);
		assert_double_is(s->rank[i].bytes, p->rank[i].bytes);
	}
	assert_int_equal(s->comms, p->in_world > 0);
	assert_int_equal(s->comms ? s->comm[0].calls : 0, p->in_world);
	assert_double_is(s->comms ? s->comm[0].bytes : 0, p->sent_in_all);
	assert_int_equal(s->system_io.calls, p->io.calls);
	assert_double_is(s->system_io.read, p->io.read);
	assert_double_is(s->system_io.written, p->io.written);
	assert_double_is(s->system_io.seconds, p->io.seconds);
	assert_int_equal(s->mpi_io.calls, 0);
	assert_int_equal(s->messages, p->messages);
	for (int k = 0; k < TRACE_SIZES; k++)
		assert_int_equal(s->size[k], p->size[k]);
	cells_agree(s, p);
	spread_agrees(s, p);
}

static void trace_comes_to(const char *path, const struct plain *p)
{
	struct trace_summary s;
	struct err err = {0};
	struct trace *trace = trace_open(path, 0, &err);

	if (!trace)
		fail_msg("%s", err.text);
	assert_ok(trace_summary_read(&s, trace, &err), err);
	summary_agrees(&s, p);
	trace_summary_release(&s);
	trace_close(trace);
}

static void compress(const char *from, const char *to)
{
	struct err err = {0};
	struct trace *t = trace_open(from, 0, &err);
	struct trace_writer *w = t ? trace_writer_open(to, TRACE_WRITE_COMPRESSED, trace_ranks(t),
	                                               &err)
	                           : NULL;
	struct trace_event ev;

	if (!w)
		fail_msg("%s", err.text);
	for (uint32_t rank = 0; rank < trace_ranks(t); rank++)
		while (trace_next(t, rank, &ev, &err) > 0)
			assert_ok(trace_writer_put(w, rank, &ev, &err), err);
	assert_ok(trace_writer_commit(w, NULL, NULL, &err), err);
	trace_close(t);
}

static void summaries_are_sums(void **state)
{
	struct rng r;

	(void)state;
	for (uint64_t seed = prop_seed(0); seed < prop_seed(60); seed++) {
		char dir[64], out[64], compressed[96];
		struct plain p;

		rng_init(&r, seed, "summary", 0);
		folder_make(dir);
		folder_make(out);
		snprintf(compressed, sizeof compressed, "%s/c", out);
		trace_draw(&p, &r, dir);
		trace_comes_to(dir, &p);
		compress(dir, compressed);
		trace_comes_to(compressed, &p);
		folder_remove(dir);
		folder_remove(out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(summaries_are_sums),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
