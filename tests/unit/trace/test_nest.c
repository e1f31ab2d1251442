/* test_nest.c: the loops that are found are those of the program; the structure's size does not
 * follow the number of iterations, nor that of ranks; copies of a cursor are on their own; a file
 * that was cut off is read up to there. */
#include "unit/trace/trace_test.h"

#include "trace/compressed/block.h"
#include "trace/compressed/chapter.h"

#include <malloc.h>

struct grid {
	int side, iterations, periodic;
};

static void put(struct nest *n, enum trace_op op, int32_t peer, int64_t count, int64_t req)
{
	struct trace_event ev;
	struct err err;

	trace_event_init(&ev, op);
	if (op == TRACE_COMPUTE)
		ev.volume = (double)count;
	else
		ev.count = count;
	ev.peer = peer;
	ev.type = op == TRACE_COMPUTE || op == TRACE_WAIT ? 0 : TYPE_BYTE;
	ev.type_size = op == TRACE_COMPUTE || op == TRACE_WAIT ? 0 : 1;
	ev.req = req;
	assert_ok(nest_put(n, &ev, &err), err);
}

static int32_t grid_at(const struct grid *g, int x, int y)
{
	if (g->periodic)
		return (y + g->side) % g->side * g->side + (x + g->side) % g->side;
	return x < 0 || y < 0 || x >= g->side || y >= g->side ? TRACE_PROC_NULL : y * g->side + x;
}

/* A stencil with four neighbours, whose every tenth iteration ends in an allreduce. */
static void stencil(struct nest *n, const struct grid *g, int rank)
{
	static const int dx[] = {-1, 1, 0, 0}, dy[] = {0, 0, -1, 1};
	int x = rank % g->side, y = rank / g->side;

	put(n, TRACE_INIT, 0, 0, -1);
	for (int i = 0; i < g->iterations; i++) {
		put(n, TRACE_COMPUTE, 0, 1000000, -1);
		for (int k = 0; k < 4; k++)
			put(n, TRACE_IRECV, grid_at(g, x + dx[k], y + dy[k]), 512, k);
		for (int k = 0; k < 4; k++)
			put(n, TRACE_ISEND, grid_at(g, x - dx[k], y - dy[k]), 512, 4 + k);
		for (int k = 0; k < 8; k++)
			put(n, TRACE_WAIT, 0, 0, k);
		if (i % 10 == 9)
			put(n, TRACE_ALLREDUCE, 0, 1, -1);
	}
	put(n, TRACE_FINALIZE, 0, 0, -1);
}

/* Bytes of the structure and the shared costs of a stencil. */
static size_t stencil_bytes(struct grid g, struct str *structure, struct str *shared)
{
	struct bundle b = {.precision = 100};
	struct err err;
	size_t bytes;

	for (int rank = 0; rank < g.side * g.side; rank++) {
		struct nest n;

		nest_init(&n);
		stencil(&n, &g, rank);
		assert_ok(nest_close(&n, &err), err);
		assert_ok(bundle_add(&b, (uint32_t)rank, &n, &err), err);
		nest_release(&n);
	}
	bundle_write(&b, (uint32_t)(g.side * g.side), structure, shared);
	assert_int_equal(b.bytes, 0);
	bytes = structure->n;
	bundle_release(&b);
	return bytes;
}

static size_t stencil_size(int side, int iterations, int periodic)
{
	struct str structure = {0}, shared = {0};
	size_t n = stencil_bytes((struct grid){side, iterations, periodic}, &structure, &shared);

	str_release(&structure);
	str_release(&shared);
	return n;
}

static void loops_found(void **state)
{
	struct grid g = {.side = 4, .iterations = 100};
	struct nest n;
	struct err err;
	const struct node *outer, *inner;

	(void)state;
	nest_init(&n);
	stencil(&n, &g, 5);
	assert_ok(nest_close(&n, &err), err);
	/* init, the first ten iterations but for what is alike, …: one loop in a loop. */
	for (uint32_t i = 0; i < n.n; i++)
		if (n.node[n.list[i]].depth == 2)
			break;
		else
			assert_true(i + 1 < n.n);
	assert_true(n.n < 40);
	assert_int_equal(n.events, 100 * 17 + 10 + 2);
	outer = NULL;
	for (uint32_t i = 0; i < n.n; i++)
		if (n.node[n.list[i]].depth == 2)
			outer = &n.node[n.list[i]];
	assert_non_null(outer);
	inner = NULL;
	for (uint32_t k = 0; k < outer->kids; k++)
		if (n.node[outer->kid[k]].kids)
			inner = &n.node[outer->kid[k]];
	assert_non_null(inner);
	assert_int_equal(inner->kids, 17);
	nest_release(&n);
}

static void size_is_of_the_structure(void **state)
{
	(void)state;
	for (int periodic = 0; periodic < 2; periodic++) {
		/* A longer number of runs is a byte more in each class. */
		size_t few = stencil_size(8, 100, periodic);
		assert_in_range(stencil_size(8, 1000, periodic), few, few + 16);
		assert_in_range(stencil_size(32, 100, periodic), few - 64, few + 64);
	}
}

/* Reads all of a rank, a copy of the cursor taken at each of some events. */
static void copies(void **state)
{
	struct grid g = {.side = 3, .iterations = 30};
	struct str structure = {0}, shared = {0};
	struct walk_frame frame[8], other[8];
	struct walk w, copy;
	struct trace_event ev, again;
	struct chapter *c;
	struct err err;
	int n = 0;

	(void)state;
	stencil_bytes(g, &structure, &shared);
	c = chapter_read((const uint8_t *)structure.s, structure.n, 9, "test", &err);
	assert_non_null(c);
	assert_ok(chapter_read_costs(c, (const uint8_t *)shared.s, shared.n, "test", &err), err);
	assert_ok(chapter_costs_check(c, 4, NULL, 0, &err), err);
	walk_begin_at(&w, c, 4, NULL, frame);
	while (walk_next(&w, &ev)) {
		struct walk whole = w;
		int left = 0, left_again = 0;

		if (n++ % 50)
			continue;
		memcpy(other, frame, sizeof frame);
		copy = w;
		copy.frame = other;
		while (walk_next(&copy, &again))
			left++;
		memcpy(other, frame, sizeof frame);
		whole.frame = other;
		while (walk_next(&whole, &again))
			left_again++;
		assert_int_equal(left, left_again);
		assert_int_equal(n + left, 30 * 17 + 3 + 2);
	}
	chapter_free(c);
	str_release(&structure);
	str_release(&shared);
}

/* A file of 3 ranks with costs of their own; m: or NULL. */
static void file_write_of(const char *path, const struct trace_manifest *m)
{
	struct trace_writer *w;
	struct trace_event ev;
	struct err err;

	w = trace_writer_open(path, TRACE_WRITE_COMPRESSED, 3, &err);
	assert_non_null(w);
	for (uint32_t rank = 0; rank < 3; rank++) {
		for (int i = 0; i < 100; i++) {
			trace_event_init(&ev, TRACE_COMPUTE);
			ev.volume = i * i % 97 + (int)rank;
			assert_ok(trace_writer_put(w, rank, &ev, &err), err);
		}
		trace_event_init(&ev, TRACE_FINALIZE);
		assert_ok(trace_writer_put(w, rank, &ev, &err), err);
	}
	assert_ok(trace_writer_commit(w, m, NULL, &err), err);
}

static void file_write(const char *path)
{
	file_write_of(path, NULL);
}

/* What is read of a file is right; an error, which says these words and what to do, or a whole rank
 * ends it. Events read. */
static int cut_read(const char *path, const char *said)
{
	struct trace_event ev;
	struct err err;
	struct trace *t = trace_open(path, 0, &err);
	int n = 0, s;

	if (!t) {
		assert_int_equal(err.kind, ERR_INPUT);
		assert_non_null(strstr(err.text, said));
		assert_non_null(strstr(err.text, "copy it again"));
		return -1;
	}
	for (uint32_t rank = 0; rank < 3; rank++) {
		for (int i = 0; (s = trace_next(t, rank, &ev, &err)) > 0; i++, n++)
			if (i < 100)
				assert_true(ev.volume == i * i % 97 + (int)rank);
		if (s < 0) {
			assert_non_null(strstr(err.text, said));
			assert_non_null(strstr(err.text, "copy it again"));
		}
	}
	trace_close(t);
	return n;
}

/* Where the block of that kind has its bytes, and how many; 0: there is none. */
static size_t block_find(const uint8_t *bytes, size_t n, int kind, size_t *stored)
{
	struct block b;

	for (size_t at = HEAD_BYTES; at < n && block_get(bytes + at, n - at, &b) == 0;
	     at += BLOCK_BYTES + b.stored) {
		*stored = b.stored;
		if (b.kind == kind)
			return at + BLOCK_BYTES;
	}
	return 0;
}

static void damage(void **state)
{
	char dir[64], path[256], cut[256];
	char bytes[4096], said[80];
	size_t n, costs, stored = 0;
	int most = -1;
	FILE *f;

	(void)state;
	folder_make(dir);
	snprintf(path, sizeof path, "%s/whole", dir);
	snprintf(cut, sizeof cut, "%s/cut", dir);
	file_write(path);
	assert_int_equal(cut_read(path, "nothing is wrong"), 303);
	f = fopen(path, "rb");
	n = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	assert_true(n < sizeof bytes);
	for (size_t k = 1; k < n; k++) {
		int read;

		f = fopen(cut, "wb");
		fwrite(bytes, 1, k, f);
		fclose(f);
		snprintf(said, sizeof said, "was cut at byte %zu, in", k);
		read = cut_read(cut, said);
		assert_true(read >= most);
		most = read;
	}
	assert_int_equal(most, 303); /* all but the end mark: each rank has its finalize */
	costs = block_find((const uint8_t *)bytes, n, BLOCK_COSTS, &stored);
	for (size_t k = 40; k < n; k += 7) { /* a byte that is another */
		int in_costs = k >= costs && k < costs + stored;

		f = fopen(cut, "wb");
		bytes[k] ^= 0x10;
		fwrite(bytes, 1, n, f);
		bytes[k] ^= 0x10;
		fclose(f);
		snprintf(said, sizeof said, "damaged at byte ");
		if (in_costs)
			snprintf(said, sizeof said, "damaged at byte %zu or", costs - BLOCK_BYTES);
		assert_true(cut_read(cut, said) <= 303);
	}
	folder_remove(dir);
}

static size_t file_bytes(const char *path, uint8_t *bytes, size_t room)
{
	FILE *f = fopen(path, "rb");
	size_t n = fread(bytes, 1, room, f);

	fclose(f);
	assert_true(n < room);
	return n;
}

/* What says that nothing is missing is the end of the file: with more after it, it is damage. */
static void end_in_the_middle(void **state)
{
	char dir[64], path[256];
	uint8_t bytes[4096], end[BLOCK_BYTES];
	struct trace_event ev;
	struct trace *t;
	struct err err;
	size_t n;
	FILE *f;

	(void)state;
	folder_make(dir);
	snprintf(path, sizeof path, "%s/t", dir);
	file_write(path);
	n = file_bytes(path, bytes, sizeof bytes);
	memcpy(end, bytes + n - BLOCK_BYTES, BLOCK_BYTES);
	f = fopen(path, "wb");
	fwrite(bytes, 1, HEAD_BYTES, f);
	fwrite(end, 1, BLOCK_BYTES, f);
	fwrite(bytes + HEAD_BYTES, 1, n - HEAD_BYTES, f);
	fclose(f);
	t = trace_open(path, 0, &err);
	if (t) {
		assert_int_equal(trace_next(t, 0, &ev, &err), -1);
		trace_close(t);
	}
	assert_int_equal(err.kind, ERR_INPUT);
	assert_non_null(strstr(err.text, "damaged at byte"));
	folder_remove(dir);
}

/* The same calls without their unit and library would take another time: what the file says of the
 * run is whole, or the trace is refused. */
static void damaged_manifest(void **state)
{
	static char program[] = "prog", mpi[] = "Open MPI v4.1.4";
	const struct trace_manifest m = {
	    .ranks = 3, .program = program, .mpi = mpi, .nominal_rate = 1e9, .complete = 1};
	char dir[64], path[256];
	uint8_t bytes[4096];
	size_t n, at, stored = 0;

	(void)state;
	folder_make(dir);
	snprintf(path, sizeof path, "%s/whole", dir);
	file_write_of(path, &m);
	n = file_bytes(path, bytes, sizeof bytes);
	at = block_find(bytes, n, BLOCK_TEXT, &stored);
	assert_true(at > 0 && stored > 0);
	for (size_t k = at; k < at + stored; k++) {
		struct trace_event ev;
		struct trace *t;
		struct err err;
		FILE *f = fopen(path, "wb");
		int s;

		bytes[k] ^= 0x10;
		fwrite(bytes, 1, n, f);
		bytes[k] ^= 0x10;
		fclose(f);
		t = trace_open(path, 0, &err);
		assert_non_null(t);
		while ((s = trace_next(t, 0, &ev, &err)) > 0)
			;
		assert_int_equal(s, -1);
		assert_non_null(strstr(err.text, "what it says of the run (counter, hosts"));
		trace_close(t);
	}
	folder_remove(dir);
}

static size_t memory_taken(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

enum { MANY = 1 << 26 };

/* The head of the file at path: it claims MANY ranks. */
static void many_claim(const char *path)
{
	uint8_t head[HEAD_BYTES];
	FILE *f = fopen(path, "r+b");

	assert_int_equal(fread(head, 1, sizeof head, f), sizeof head);
	memcpy(head + 20, &(uint32_t){MANY}, 4);
	memcpy(head + 28, &(uint32_t){block_checksum(head, 28)}, 4);
	rewind(f);
	assert_int_equal(fwrite(head, 1, sizeof head, f), sizeof head);
	fclose(f);
}

/* The head's word for the number of ranks is a claim: of the many that are not there, nothing is
 * kept, and what is there is read. */
static void many_claimed(void **state)
{
	char dir[64], path[256];
	struct trace_event ev;
	struct err err;
	struct trace *t;
	size_t before;

	(void)state;
	folder_make(dir);
	snprintf(path, sizeof path, "%s/claims", dir);
	file_write(path);
	many_claim(path);
	before = memory_taken();
	t = trace_open(path, 0, &err);
	if (!t)
		fail_msg("%s", err.text);
	assert_int_equal(trace_ranks(t), MANY);
	assert_int_equal(trace_next(t, 2, &ev, &err), 1);
	assert_true(ev.volume == 2);
	assert_int_equal(trace_next(t, MANY - 1, &ev, &err), 0);
	assert_in_range(memory_taken(), 0, before + MANY / 4);
	trace_close(t);
	folder_remove(dir);
}

/* Where messages are drawn, all ranks are there at once: so many are refused. */
static void many_drawn(void **state)
{
	char dir[64], path[256];
	struct trace_event ev;
	struct trace_writer *w;
	struct trace *t;
	struct err err;

	(void)state;
	folder_make(dir);
	snprintf(path, sizeof path, "%s/drawn", dir);
	w = trace_writer_open(path, TRACE_WRITE_COMPRESSED, 2, &err);
	assert_non_null(w);
	trace_writer_precision(w, 20);
	for (uint32_t rank = 0; rank < 2; rank++)
		for (int i = 0; i < 100; i++) {
			trace_event_init(&ev, rank ? TRACE_RECV : TRACE_SEND);
			ev.peer = !rank;
			ev.count = 1000 + (i + (int)rank) * (i + 5) * 7919 % 1009;
			ev.type = TYPE_BYTE;
			ev.type_size = 1;
			assert_ok(trace_writer_put(w, rank, &ev, &err), err);
		}
	assert_ok(trace_writer_commit(w, NULL, NULL, &err), err);
	t = trace_open(path, 0, &err);
	if (!t)
		fail_msg("%s", err.text);
	trace_close(t);
	many_claim(path);
	t = trace_open(path, 0, &err);
	assert_null(t);
	assert_non_null(strstr(err.text, "claims 67108864 ranks"));
	folder_remove(dir);
}

/* The first k bytes of what the file has: 1 if its structure can be told, 0 if that is refused. */
static int cut_outlined(const char *file, const char *bytes, size_t k)
{
	FILE *f = fopen(file, "wb");
	struct err err;
	struct trace *t;
	struct str out;
	int r;

	fwrite(bytes, 1, k, f);
	fclose(f);
	t = trace_open(file, 0, &err);
	if (!t)
		return 0;
	str_init(&out);
	r = trace_outline(t, &out, &err);
	if (r < 0)
		assert_non_null(strstr(err.text, "was cut at byte"));
	else
		assert_non_null(strstr(out.s, "unlink out.{rank}"));
	str_release(&out);
	trace_close(t);
	return r == 0;
}

/* A structure whose costs are missing has slots without columns: it is refused, and not read. */
static void cut_structure(void **state)
{
	char dir[64], path[256], bytes[4096];
	size_t n, told = 0;
	struct trace_writer *w;
	struct trace_event ev;
	struct err err;
	FILE *f;

	(void)state;
	folder_make(dir);
	snprintf(path, sizeof path, "%s/names", dir);
	w = trace_writer_open(path, TRACE_WRITE_COMPRESSED, 3, &err);
	assert_non_null(w);
	for (uint32_t rank = 0; rank < 3; rank++) {
		char name[16];

		snprintf(name, sizeof name, "out.%u", rank * rank + 5);
		trace_event_init(&ev, TRACE_IO_UNLINK);
		ev.text = name;
		assert_ok(trace_writer_put(w, rank, &ev, &err), err);
	}
	assert_ok(trace_writer_commit(w, NULL, NULL, &err), err);
	f = fopen(path, "rb");
	n = fread(bytes, 1, sizeof bytes, f);
	fclose(f);
	for (size_t k = 1; k <= n; k++)
		told += (size_t)cut_outlined(path, bytes, k);
	assert_true(told >= 1 && told < n / 2);
	folder_remove(dir);
}

/* A run that did not come to its end: ranks without their finalize are counted, and are no error.
 */
static void partial(void **state)
{
	struct trace_manifest m = {.ranks = 2};
	struct trace_writer *w;
	struct trace_event ev;
	struct err err;
	struct trace *t;
	char dir[64], path[256];

	(void)state;
	folder_make(dir);
	snprintf(path, sizeof path, "%s/partial", dir);
	w = trace_writer_open(path, TRACE_WRITE_COMPRESSED, 2, &err);
	assert_non_null(w);
	trace_event_init(&ev, TRACE_INIT);
	assert_ok(trace_writer_put(w, 0, &ev, &err), err);
	assert_ok(trace_writer_put(w, 1, &ev, &err), err);
	trace_event_init(&ev, TRACE_FINALIZE);
	assert_ok(trace_writer_put(w, 1, &ev, &err), err);
	assert_ok(trace_writer_commit(w, &m, NULL, &err), err);
	t = trace_open(path, 0, &err);
	if (!t)
		fail_msg("%s", err.text);
	for (uint32_t rank = 0; rank < 2; rank++)
		for (int i = 0; i < 3; i++)
			assert_int_equal(trace_next(t, rank, &ev, &err), i < 1 + (int)rank);
	assert_int_equal(trace_partial(t), 1);
	trace_close(t);
	folder_remove(dir);
}

/* Which ranks of 40 the record of is cut, told in short. */
static void partial_ranks(void **state)
{
	static const struct {
		const char *cut, *told;
	} cases[] = {
	    {"0", " (rank 0)"},
	    {"39", " (rank 39)"},
	    {"3,4,5,9,38,39", " (ranks 3-5, 9, 38-39)"},
	    {"0,2,4,6,8,10,12,14", " (ranks 0, 2, 4, 6, 8, 10, 12, 14)"},
	    {"0,2,4,6,8,10,12,14,15,18", " (ranks 0, 2, 4, 6, 8, 10, 12, 14-15, …)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct trace_manifest m = {.ranks = 40};
		struct trace_event ev;
		struct str told = {0};
		struct err err;
		struct trace *t;
		struct trace_writer *w;
		char dir[64], path[256], cut[40] = {0};

		for (const char *s = cases[i].cut; *s; s += strspn(s, ",")) {
			size_t n = strcspn(s, ",");
			int64_t rank;

			assert_int_equal(num_parse_i64(s, n, &rank), 0);
			cut[rank] = 1;
			s += n;
		}
		folder_make(dir);
		snprintf(path, sizeof path, "%s/partial", dir);
		w = trace_writer_open(path, TRACE_WRITE_COMPRESSED, 40, &err);
		assert_non_null(w);
		for (uint32_t rank = 0; rank < 40; rank++) {
			trace_event_init(&ev, cut[rank] ? TRACE_INIT : TRACE_FINALIZE);
			assert_ok(trace_writer_put(w, rank, &ev, &err), err);
		}
		assert_ok(trace_writer_commit(w, &m, NULL, &err), err);
		t = trace_open(path, 0, &err);
		assert_non_null(t);
		trace_partial_which(t, &told);
		assert_string_equal(told.n ? told.s : "", "");
		for (uint32_t rank = 0; rank < 40; rank++)
			while (trace_next(t, rank, &ev, &err) > 0)
				;
		trace_partial_which(t, &told);
		assert_string_equal(told.s, cases[i].told);
		str_release(&told);
		trace_close(t);
		folder_remove(dir);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(loops_found),      cmocka_unit_test(size_is_of_the_structure),
	    cmocka_unit_test(copies),           cmocka_unit_test(damage),
	    cmocka_unit_test(damaged_manifest), cmocka_unit_test(end_in_the_middle),
	    cmocka_unit_test(cut_structure),    cmocka_unit_test(partial),
	    cmocka_unit_test(partial_ranks),    cmocka_unit_test(many_claimed),
	    cmocka_unit_test(many_drawn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
