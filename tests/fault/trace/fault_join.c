/* fault_join.c: the ranks of a simulated run become one file while each allocation, read, write or
 * open fails in turn: either it is there, as it would have been, or what it is made of still is.
 * Then what ranks noted of it is read in the same way. */
#include "fault/fault.h"

#include "property/trace/program.h"
#include "tmp.h"
#include "trace/compressed/block_out.h"
#include "trace/compressed/log.h"
#include "trace/compressed/pack.h"

enum { JOINED = RANKS, FEWER = EVENTS_MOST - 25 };

struct left_rank {
	struct str part, log;
};
struct joining_test {
	char dir[128], events[160];
	struct left_rank rank[JOINED];
	struct program program;
	struct nest nest;
	char *whole; /* what is read of the file */
};

static void nest_take(void *self, uint32_t rank, const struct trace_event *ev)
{
	struct joining_test *j = self;
	struct err err;

	(void)rank;
	assert_ok(nest_put(&j->nest, ev, &err), err);
}

static int part_write(void *self, const void *bytes, size_t n, struct err *err)
{
	(void)err;
	str_putn(self, bytes, n);
	return 0;
}

/* A chapter of all that a rank did; a log of notes. */
static void rank_make(struct joining_test *j, uint32_t rank)
{
	struct run x = {
	    .p = &j->program, .rank = rank, .put = nest_take, .self = j, .fewer = FEWER};
	struct left_rank *l = &j->rank[rank];
	struct block_out out = {.write = part_write, .self = &l->part, .plain = 1};
	struct str packed = {0};
	struct bundle b;
	struct err err;
	char note[64];

	nest_init(&j->nest);
	rng_init(&x.rng, 3, "runs", rank);
	part_run(&x, 0);
	assert_ok(nest_close(&j->nest, &err), err);
	bundle_init(&b, 100);
	assert_ok(bundle_add(&b, rank, &j->nest, &err), err);
	bundle_pack(&b, 1, &packed);
	assert_ok(block_out_put(&out, BLOCK_BUNDLE, packed.s, packed.n, &err), err);
	block_out_release(&out);
	bundle_release(&b);
	str_release(&packed);
	str_release(&x.text);
	str_puts(&l->log, LOG_MAGIC);
	log_note_put(&l->log, "orrery-trace 1");
	log_note_put(&l->log, "ranks 12");
	log_note_put(&l->log, "chapters 1");
	snprintf(note, sizeof note, "host node%u", rank);
	log_note_put(&l->log, note);
	log_note_put(&l->log, "untraced 2 MPI_Put");
	snprintf(note, sizeof note, "end %llu", (unsigned long long)j->nest.events);
	log_note_put(&l->log, note);
	nest_release(&j->nest);
}

static void file_put(const char *dir, uint32_t rank, const char *suffix, const struct str *s)
{
	char path[192];
	FILE *f;

	snprintf(path, sizeof path, "%s/rank-%u.%s", dir, rank, suffix);
	if (access(path, F_OK) == 0) /* it is only ever removed */
		return;
	f = fopen(path, "wb");
	assert_non_null(f);
	assert_int_equal(fwrite(s->s, 1, s->n, f), s->n);
	assert_int_equal(fclose(f), 0);
}

static void ranks_put(const struct joining_test *j)
{
	remove(j->events);
	for (uint32_t rank = 0; rank < JOINED; rank++) {
		file_put(j->dir, rank, "part", &j->rank[rank].part);
		file_put(j->dir, rank, "log", &j->rank[rank].log);
	}
}

static void nothing_is_lost(const struct joining_test *j)
{
	if (access(j->events, F_OK) == 0) {
		struct err err;
		char *now = trace_text(j->events, 0, &err);

		if (!now)
			fail_msg("%s", err.text);
		assert_string_equal(now, j->whole);
		free(now);
		return;
	}
	for (uint32_t rank = 0; rank < JOINED; rank++) {
		char part[192], log[192];

		snprintf(part, sizeof part, "%s/rank-%u.part", j->dir, rank);
		snprintf(log, sizeof log, "%s/rank-%u.log", j->dir, rank);
		assert_int_equal(access(part, F_OK), 0);
		assert_int_equal(access(log, F_OK), 0);
	}
}

static int join(void *arg, struct err *err)
{
	const struct joining_test *j = arg;
	int r;

	fault_hold(1);
	ranks_put(j);
	fault_hold(0);
	r = trace_folder_join(j->dir, JOINED, err);
	fault_hold(1);
	nothing_is_lost(j);
	if (r >= 0)
		assert_int_equal(r, 1);
	fault_hold(0);
	return r < 0 ? -1 : 0;
}

/* Chapters of another rank: the file is named. */
static void misplaced(struct joining_test *j)
{
	char path[192];
	struct err err;

	ranks_put(j);
	snprintf(path, sizeof path, "%s/rank-3.part", j->dir);
	remove(path);
	file_put(j->dir, 3, "part", &j->rank[2].part);
	assert_int_equal(trace_folder_join(j->dir, JOINED, &err), -1);
	assert_non_null(strstr(err.text, "/rank-3.part: a chapter of rank 2 among those of rank "
	                                 "3"));
	remove(path);
}

static int notes(void *arg, struct err *err)
{
	const struct joining_test *j = arg;
	struct str notes = {0};
	uint64_t events;
	int r = trace_folder_merged(j->dir, &notes, &events, NULL, err);

	if (r >= 0) {
		assert_int_equal(r, 1);
		fault_told(notes.s, notes.n);
		fault_told(&events, sizeof events);
	}
	str_release(&notes);
	return r < 0 ? -1 : 0;
}

static void joined(void **state)
{
	static struct joining_test j;
	struct str text = {0};
	struct rng r;
	struct tmp tmp;
	struct err err;
	uint64_t events;

	(void)state;
	tmp_init(&tmp);
	snprintf(j.dir, sizeof j.dir, "%s", tmp.dir);
	snprintf(j.events, sizeof j.events, "%s/%s", tmp.dir, TRACE_EVENTS_FILE);
	rng_init(&r, 9, "programs", 0);
	part_make(&j.program, &r, 0);
	for (uint32_t rank = 0; rank < JOINED; rank++)
		rank_make(&j, rank);
	ranks_put(&j);
	assert_int_equal(trace_folder_join(j.dir, JOINED, &err), 1);
	j.whole = trace_text(j.events, 0, &err);
	if (!j.whole)
		fail_msg("%s", err.text);
	fault_sweep(FAULT_ALLOC, join, &j);
	fault_sweep(FAULT_WRITE, join, &j);
	fault_sweep(FAULT_OPEN, join, &j);
	/* Hosts one behind the other, counts added up, by hand. */
	assert_int_equal(trace_folder_merged(j.dir, &text, &events, NULL, &err), 1);
	assert_non_null(strstr(text.s, "host node0,node1,node2,node3,"));
	assert_non_null(strstr(text.s, "untraced 24 MPI_Put\n"));
	fault_sweep(FAULT_ALLOC, notes, &j);
	misplaced(&j);
	str_release(&text);
	for (uint32_t rank = 0; rank < JOINED; rank++) {
		str_release(&j.rank[rank].part);
		str_release(&j.rank[rank].log);
	}
	free(j.whole);
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(joined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
