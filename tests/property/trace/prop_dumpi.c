/* prop_dumpi.c: random programs as files of DUMPI (dumpi_draw.h), of several versions, with and
 * without statuses, clocks, counters and threads, and what each rank's calls must become. Then
 * files cut and changed. The seed is printed. */
#include "../prop.h"

#include "dumpi_draw.h"
#include "same_trace.h"

#include <sys/stat.h>

enum { PROGRAMS = 250, CALLS = 40, CHANGED = 25, CHANGES = 30 };

/* --- other calls --- */

static void sendrecv_call(struct dumpi_world *w, struct dumpi_rank *k)
{
	struct dumpi_rank *me = k;
	int told = pick(w, 2) && w->mask & M_STATUS, source, tag;
	struct envelope s, v;
	char comm[32];

	envelope_draw(w, k, 0, &s);
	do
		envelope_draw(w, k, 1, &v);
	while (v.comm != s.comm);
	call(w, k, DF_SENDRECV);
	for (int i = 0; i < 2; i++) {
		const struct envelope *e = i ? &v : &s;

		int_put(&k->b, e->count);
		blob_put(&k->b, (uint64_t)drawn_types[e->type].dumpi, 2);
		int_put(&k->b, e->peer);
		int_put(&k->b, e->tag);
	}
	blob_put(&k->b, (uint64_t)s.comm, 2);
	statuses_head(w, &k->b, told ? 1 : -1);
	if (told)
		status_put(w, &k->b, v.source, v.got);
	source = told && v.peer == -1;
	tag = told && v.tag == -1 && since(w, 3);
	say(k, "sendRecv %d %d %d %d %d %d%s%s tags=%d,%d%s%s", s.count,
	    world_rank(w, me, s.comm, s.peer), v.count,
	    world_rank(w, me, s.comm, source ? v.source : v.peer), drawn_types[s.type].ours,
	    drawn_types[v.type].ours, drawn_types[s.type].size, drawn_types[v.type].size2, s.tag,
	    tag ? v.got : v.tag,
	    source && tag ? " any=both"
	    : source      ? " any=source"
	    : tag         ? " any=tag"
	                  : "",
	    comm_key(w, me, s.comm, comm));
}

static void probe_call(struct dumpi_world *w, struct dumpi_rank *k)
{
	int blocks = pick(w, 2), found = blocks || pick(w, 2), told = pick(w, 2), source, tag;
	struct envelope e;
	char comm[32];

	envelope_draw(w, k, 1, &e);
	call(w, k, blocks ? DF_PROBE : DF_IPROBE);
	int_put(&k->b, e.peer);
	int_put(&k->b, e.tag);
	blob_put(&k->b, (uint64_t)e.comm, 2);
	if (!blocks)
		int_put(&k->b, found);
	statuses_head(w, &k->b, told ? 1 : -1);
	if (told)
		status_put(w, &k->b, e.source, e.got);
	told &= found && w->mask & M_STATUS;
	source = told && e.peer == -1;
	tag = told && e.tag == -1 && since(w, 3);
	say(k, "%s %d %d%s%s%s", blocks ? "probe" : "iprobe",
	    world_rank(w, k, e.comm, source ? e.source : e.peer), tag ? e.got : e.tag,
	    blocks  ? ""
	    : found ? " found=1"
	            : " found=0",
	    source && tag ? " any=both"
	    : source      ? " any=source"
	    : tag         ? " any=tag"
	                  : "",
	    comm_key(w, k, e.comm, comm));
}

/* Those persistent ones that are there; MPI_Startall of none is a call, too. */
static void start_call(struct dumpi_world *w, struct dumpi_rank *k)
{
	int number[DUMPI_LIVE], n = 0, one = pick(w, 2);
	char *p;

	for (int i = 0; i < k->n_live; i++)
		if (k->live[i].persistent && pick(w, 2))
			number[n++] = i;
	if (one && n == 0)
		return;
	n = one ? 1 : n;
	call(w, k, one ? DF_START : DF_STARTALL);
	p = line_new(k);
	snprintf(p, DUMPI_LINE, "start %d reqs=", n);
	for (int i = 0; i < n; i++) {
		text_add(p, DUMPI_LINE, "%s%d", i ? "," : "", k->live[number[i]].ours);
		number[i] = k->live[number[i]].number;
	}
	if (!one)
		int_put(&k->b, n);
	if (one)
		int_put(&k->b, number[0]);
	else
		list_put(&k->b, n, number);
}

static void free_call(struct dumpi_world *w, struct dumpi_rank *k)
{
	int none[DUMPI_LIVE] = {0};
	int i = k->n_live ? live_find(k, k->live[pick(w, k->n_live)].number, none) : -1;

	if (i < 0)
		return;
	call(w, k, DF_REQUEST_FREE);
	int_put(&k->b, k->live[i].number);
	say(k, "request_free req=%d", k->live[i].ours);
	live_end(k, i);
}

/* --- collectives: each rank for itself --- */

struct coll {
	int comm, n, me, root, at_root, type, type2, count, count2, op;
	int counts[2][DUMPI_RANKS];
	char key[32], types[64], both[64];
};

static void coll_draw(struct dumpi_world *w, struct dumpi_rank *k, struct coll *c)
{
	c->comm = comm_draw(w);
	c->n = comm_size(w, k, c->comm);
	c->me = rank_in(w, k, c->comm);
	c->root = pick(w, c->n);
	c->at_root = c->root == c->me;
	c->type = pick(w, 4);
	c->type2 = pick(w, 4);
	c->count = pick(w, 100000);
	c->count2 = pick(w, 100000);
	c->op = pick(w, 20);
	for (int i = 0; i < c->n; i++) {
		c->counts[0][i] = pick(w, 1000);
		c->counts[1][i] = pick(w, 1000);
	}
	comm_key(w, k, c->comm, c->key);
	snprintf(c->types, sizeof c->types, "%d%s", drawn_types[c->type].ours,
	         drawn_types[c->type].size);
	snprintf(c->both, sizeof c->both, "%d %d%s%s", drawn_types[c->type].ours,
	         drawn_types[c->type2].ours, drawn_types[c->type].size,
	         drawn_types[c->type2].size2);
}

static void block_put(struct blob *b, int count, int type)
{
	int_put(b, count);
	blob_put(b, (uint64_t)drawn_types[type].dumpi, 2);
}

static const char *unknown(const struct coll *c)
{
	return c->op >= 15 ? " op=unknown" : ""; /* the program's own operator */
}

static void reduction_call(struct dumpi_world *w, struct dumpi_rank *k, struct coll *c)
{
	static const struct {
		int function;
		const char *word;
	} all[] = {{DF_REDUCE, "reduce"},
	           {DF_ALLREDUCE, "allreduce"},
	           {DF_SCAN, "scan"},
	           {DF_EXSCAN, "exscan"}};
	int i = pick(w, 4);
	char root[16] = "";

	call(w, k, all[i].function);
	block_put(&k->b, c->count, c->type);
	blob_put(&k->b, (uint64_t)c->op, 1);
	if (i == 0) {
		int_put(&k->b, c->root);
		snprintf(root, sizeof root, " %d", c->root);
	}
	blob_put(&k->b, (uint64_t)c->comm, 2);
	say(k, "%s %d 0%s %s%s%s", all[i].word, c->count, root, c->types, unknown(c), c->key);
}

/* What the other side is, is there at the root only. */
static void gather_call(struct dumpi_world *w, struct dumpi_rank *k, struct coll *c)
{
	int gather = pick(w, 2);

	call(w, k, gather ? DF_GATHER : DF_SCATTER);
	int_put(&k->b, c->me);
	block_put(&k->b, c->count, c->type);
	int_put(&k->b, c->root);
	blob_put(&k->b, (uint64_t)c->comm, 2);
	if (c->at_root)
		block_put(&k->b, c->count2, c->type2);
	if (!c->at_root)
		say(k, "%s %d %d %d %d %d%s%s%s", gather ? "gather" : "scatter", c->count, c->count,
		    c->root, drawn_types[c->type].ours, drawn_types[c->type].ours,
		    drawn_types[c->type].size, drawn_types[c->type].size2, c->key);
	else if (gather)
		say(k, "gather %d %d %d %s%s", c->count, c->count2, c->root, c->both, c->key);
	else
		say(k, "scatter %d %d %d %d %d%s%s%s", c->count2, c->count, c->root,
		    drawn_types[c->type2].ours, drawn_types[c->type].ours,
		    drawn_types[c->type2].size, drawn_types[c->type].size2, c->key);
}

static void all_of_all_call(struct dumpi_world *w, struct dumpi_rank *k, struct coll *c)
{
	int gather = pick(w, 2);

	call(w, k, gather ? DF_ALLGATHER : DF_ALLTOALL);
	block_put(&k->b, c->count, c->type);
	block_put(&k->b, c->count2, c->type2);
	blob_put(&k->b, (uint64_t)c->comm, 2);
	say(k, "%s %d %d %s%s", gather ? "allgather" : "alltoall", c->count, c->count2, c->both,
	    c->key);
}

static const char *counts_text(const struct coll *c, int which, char buf[64])
{
	*buf = '\0';
	for (int i = 0; i < c->n; i++)
		text_add(buf, 64, " %d", c->counts[which][i]);
	return buf;
}

/* Places are there, and say nothing. */
static void places_put(struct blob *b, const struct coll *c, int which)
{
	static const int places[DUMPI_RANKS] = {9, 8, 7, 6};

	list_put(b, c->n, c->counts[which]);
	list_put(b, c->n, places);
}

static void vector_call(struct dumpi_world *w, struct dumpi_rank *k, struct coll *c)
{
	char one[64], other[64];

	switch (pick(w, 3)) {
	case 0:
		call(w, k, DF_ALLGATHERV);
		int_put(&k->b, c->n);
		block_put(&k->b, c->count, c->type);
		places_put(&k->b, c, 1);
		blob_put(&k->b, (uint64_t)drawn_types[c->type2].dumpi, 2);
		say(k, "allgatherv %d%s %s%s", c->count, counts_text(c, 1, one), c->both, c->key);
		break;
	case 1:
		call(w, k, DF_ALLTOALLV);
		int_put(&k->b, c->n);
		places_put(&k->b, c, 0);
		blob_put(&k->b, (uint64_t)drawn_types[c->type].dumpi, 2);
		places_put(&k->b, c, 1);
		blob_put(&k->b, (uint64_t)drawn_types[c->type2].dumpi, 2);
		say(k, "alltoallv 0%s 0%s %s%s", counts_text(c, 0, one), counts_text(c, 1, other),
		    c->both, c->key);
		break;
	default:
		call(w, k, DF_REDUCE_SCATTER);
		int_put(&k->b, c->n);
		list_put(&k->b, c->n, c->counts[0]);
		blob_put(&k->b, (uint64_t)drawn_types[c->type].dumpi, 2);
		blob_put(&k->b, (uint64_t)c->op, 1);
		say(k, "reducescatter%s 0 %s%s%s", counts_text(c, 0, one), c->types, unknown(c),
		    c->key);
		break;
	}
	blob_put(&k->b, (uint64_t)c->comm, 2);
}

static void collective_call(struct dumpi_world *w, struct dumpi_rank *k)
{
	struct coll c;

	coll_draw(w, k, &c);
	switch (pick(w, 6)) {
	case 0:
		call(w, k, DF_BARRIER);
		blob_put(&k->b, (uint64_t)c.comm, 2);
		say(k, "barrier%s", c.key);
		break;
	case 1:
		call(w, k, DF_BCAST);
		block_put(&k->b, c.count, c.type);
		int_put(&k->b, c.root);
		blob_put(&k->b, (uint64_t)c.comm, 2);
		say(k, "bcast %d %d %s%s", c.count, c.root, c.types, c.key);
		break;
	case 2:
		reduction_call(w, k, &c);
		break;
	case 3:
		gather_call(w, k, &c);
		break;
	case 4:
		all_of_all_call(w, k, &c);
		break;
	default:
		vector_call(w, k, &c);
		break;
	}
}

/* --- programs --- */

static const char *members_text(const struct dumpi_world *w, int rank, char buf[64])
{
	*buf = '\0';
	for (int i = 0; i < w->half_n[rank]; i++)
		text_add(buf, 64, "%s%d", i ? "," : "", w->half[rank][i]);
	return buf;
}

static void rank_begins(struct dumpi_world *w, struct dumpi_rank *k, const int *colour,
                        const int *key)
{
	char members[64], all[64] = "0";
	struct blob *b = &k->b;

	for (int i = 1; i < w->ranks; i++)
		snprintf(all + strlen(all), sizeof all - strlen(all), ",%d", i);
	*b = (struct blob){.big = 1};
	blob_put(b, 0xffaadd44554d5049u, 8);
	blob_put(b, 0, 8);
	call(w, k, DF_INIT);
	if (!since(w, 2)) { /* the length twice */
		int_put(b, 1);
		int_put(b, 1);
	} else
		int_put(b, 1);
	int_put(b, 3);
	for (int i = 0; i < 3; i++)
		blob_put(b, (uint64_t) "ab"[i], 1);
	say(k, "init");
	call(w, k, DF_TYPE_CONTIGUOUS);
	int_put(b, 3);
	blob_put(b, T_INT, 2);
	blob_put(b, T_USER, 2);
	call(w, k, DF_COMM_SPLIT);
	blob_put(b, C_WORLD, 2);
	int_put(b, colour[k->me]);
	int_put(b, key[k->me]);
	blob_put(b, C_HALF, 2);
	say(k, "comm_split comm=%d.1 members=%s", w->half[k->me][0],
	    members_text(w, k->me, members));
	call(w, k, DF_COMM_DUP);
	blob_put(b, C_WORLD, 2);
	blob_put(b, C_DUP, 2);
	say(k, "comm_dup comm=0.2 members=%s", all);
}

static void rank_calls(struct dumpi_world *w, struct dumpi_rank *k)
{
	for (int i = 0; i < CALLS && k->lines < DUMPI_LINES - 8; i++)
		switch (pick(w, 12)) {
		case 0:
			blocking_call(w, k);
			break;
		case 1:
		case 2:
		case 3:
			post_call(w, k);
			break;
		case 4:
			one_call(w, k);
			break;
		case 5:
			any_call(w, k);
			break;
		case 6:
			all_call(w, k);
			break;
		case 7:
			some_call(w, k);
			break;
		case 8:
			sendrecv_call(w, k);
			break;
		case 9:
			probe_call(w, k);
			break;
		case 10:
			if (pick(w, 2))
				start_call(w, k);
			else
				free_call(w, k);
			break;
		default:
			collective_call(w, k);
			break;
		}
}

/* The names of the counters, header, index: before 0.6.6 without types' sizes and addresses. */
static void rank_ends(struct dumpi_world *w, struct dumpi_rank *k)
{
	static const char *const names[] = {"PAPI_TOT_CYC", "PAPI_TOT_INS"};
	int instructions = w->counters < 0 ? 0 : w->counters;
	size_t header, labels;
	struct blob *b = &k->b;

	call(w, k, DF_FINALIZE);
	say(k, "finalize");
	blob_put(b, DF_END, 2);
	header = b->n;
	for (int i = 0; i < 3; i++)
		blob_put(b, (uint64_t)w->version[i], 1);
	blob_put(b, 0, 16);
	labels = b->n;
	int_put(b, 2);
	for (int i = 0; i < 2; i++) {
		blob_put(b, 12, 2);
		for (int c = 0; c < 12; c++)
			blob_put(b, (uint64_t)names[i == instructions][c], 1);
	}
	blob_put(b, 0xffaadd44554d5049u, 8);
	if (since(w, 6))
		blob_put(b, 0, 16);
	blob_put(b, w->counters < 0 ? 0 : labels, 8);
	blob_put(b, header, 8);
	blob_put(b, 8, 8);
	blob_put(b, 0, 8);
	blob_put(b, 0, 8);
}

/* Who has one colour, by key and then by rank. */
static void halves_find(struct dumpi_world *w, const int *colour, const int *key)
{
	for (int rank = 0; rank < w->ranks; rank++) {
		w->half_n[rank] = 0;
		for (int i = 0; i < w->ranks; i++) {
			int at = w->half_n[rank];

			if (colour[i] != colour[rank])
				continue;
			for (; at > 0 && key[w->half[rank][at - 1]] > key[i]; at--)
				w->half[rank][at] = w->half[rank][at - 1];
			w->half[rank][at] = i;
			w->half_n[rank]++;
		}
	}
}

static void world_draw(struct dumpi_world *w, struct rng *r)
{
	static const int versions[][3] = {{0, 6, 1}, {0, 6, 2},  {0, 6, 3},
	                                  {0, 6, 9}, {0, 11, 0}, {1, 2, 0}};
	int colour[DUMPI_RANKS], key[DUMPI_RANKS];

	w->r = r;
	w->ranks = 1 + pick(w, DUMPI_RANKS);
	memcpy(w->version, versions[pick(w, 6)], sizeof w->version);
	w->mask = (pick(w, 4) ? M_STATUS : 0) | (pick(w, 2) ? M_THREAD : 0);
	w->mask |= pick(w, 3) == 0 ? M_CPU | M_WALL : pick(w, 2) ? M_CPU : M_WALL;
	w->counters = pick(w, 3) ? -1 : pick(w, 2);
	w->mask |= w->counters >= 0 ? M_COUNTERS : 0;
	for (int i = 0; i < w->ranks; i++) {
		colour[i] = pick(w, 2);
		key[i] = pick(w, 3) - 1;
	}
	halves_find(w, colour, key);
	for (int i = 0; i < w->ranks; i++) {
		struct dumpi_rank *k = &w->rank[i];

		k->lines = k->ours = k->next = k->n_live = 0;
		k->me = i;
		k->left = -1;
		k->counter = k->counted = 1 + pick(w, 1000);
		k->now = (int64_t)pick(w, 65536) * 1000000000 + pick(w, 1000000000);
		rank_begins(w, k, colour, key);
		rank_calls(w, k);
		rank_ends(w, k);
	}
}

static void world_write(const struct dumpi_world *w, const char *dir)
{
	char path[320];

	for (int i = 0; i < w->ranks; i++) {
		FILE *f;

		snprintf(path, sizeof path, "%s/a-b-%04d.bin", dir, i);
		f = fopen(path, "wb");
		assert_non_null(f);
		assert_int_equal(fwrite(w->rank[i].b.at, 1, w->rank[i].b.n, f), w->rank[i].b.n);
		assert_int_equal(fclose(f), 0);
	}
}

static void lines_write(const struct dumpi_world *w, const char *path)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fprintf(f, "# orrery-trace 1 ranks=%d\n", w->ranks);
	for (int i = 0; i < w->ranks; i++)
		for (int k = 0; k < w->rank[i].lines; k++)
			if (w->rank[i].line[k][0] != '?')
				fprintf(f, "%d %s\n", i, w->rank[i].line[k]);
	fclose(f);
}

static void calls_become_events(void **state)
{
	static struct dumpi_world w;

	(void)state;
	for (uint64_t seed = prop_seed(0); seed < prop_seed(PROGRAMS); seed++) {
		char lines[320];
		struct tmp tmp;
		struct rng r;

		print_message("seed %llu\n", (unsigned long long)seed);
		rng_init(&r, seed, "dumpi", 0);
		tmp_init(&tmp);
		mkdir(tmp_path(&tmp, "d"), 0700);
		world_draw(&w, &r);
		world_write(&w, tmp.path);
		snprintf(lines, sizeof lines, "%s/lines", tmp.dir);
		lines_write(&w, lines);
		same_events(tmp_path(&tmp, "d"), lines);
		tmp_release(&tmp);
	}
}

/* --- cut, changed --- */

/* It is read to its end, or an error of input is worded. */
static void does_no_harm(const char *path)
{
	struct err err = {0};
	struct trace *t = trace_open(path, 0, &err);
	struct trace_event ev;
	int more = t ? 0 : -1;

	for (uint32_t i = 0; t && i < trace_ranks(t) && more == 0; i++)
		while ((more = trace_next(t, i, &ev, &err)) > 0)
			;
	if (more < 0)
		assert_true(err.kind == ERR_INPUT || err.kind == ERR_LIMIT);
	trace_close(t);
}

static void damage_does_no_harm(void **state)
{
	static struct dumpi_world w;
	struct tmp tmp;
	struct rng r;

	(void)state;
	tmp_init(&tmp);
	for (uint64_t seed = prop_seed(0); seed < prop_seed(CHANGED); seed++) {
		struct blob *b = &w.rank[0].b;

		rng_init(&r, seed, "damaged dumpi", 0);
		world_draw(&w, &r);
		for (int i = 0; i < CHANGES; i++) {
			size_t at = 8 + rng_below(&r, b->n - 8);
			unsigned char was = b->at[at];

			b->at[at] = (unsigned char)rng_below(&r, 256);
			does_no_harm(fresh_write_n(&tmp, "x-0000.bin", b->at, b->n));
			b->at[at] = was;
			does_no_harm(fresh_write_n(&tmp, "x-0000.bin", b->at, at));
		}
	}
	tmp_release(&tmp);
}

/* One number may stand for as many sends as a program likes. */
static void many_of_one_number(void **state)
{
	enum { MANY = 150000 };
	static const unsigned char head[16] = {0xff, 0xaa, 0xdd, 0x44, 0x55, 0x4d, 0x50, 0x49};
	struct tmp tmp;
	struct trace_event ev;
	struct trace *t;
	struct err err;
	static struct blob b;
	FILE *f;

	(void)state;
	tmp_init(&tmp);
	f = fopen(tmp_path(&tmp, "m-0000.bin"), "wb");
	assert_non_null(f);
	fwrite(head, 1, sizeof head, f);
	for (int i = 0; i < 2 * MANY; i++) {
		b.big = 1;
		b.n = 0;
		blob_put(&b, i < MANY ? DF_ISEND : DF_WAIT, 2);
		blob_put(&b, 0, 1);
		if (i < MANY) {
			int_put(&b, i);
			blob_put(&b, T_BYTE, 2);
			int_put(&b, 0);
			int_put(&b, 7);
			blob_put(&b, C_WORLD, 2);
		}
		int_put(&b, 99);
		fwrite(b.at, 1, b.n, f);
	}
	fputc(DF_END >> 8, f);
	fputc(DF_END & 255, f);
	fwrite(head, 1, 8, f); /* an index that says nothing */
	for (int i = 0; i < 32; i++)
		fputc(0, f);
	assert_int_equal(fclose(f), 0);
	t = trace_open(tmp.path, 0, &err);
	if (!t)
		fail_msg("%s", err.text);
	for (int i = -1; i < 2 * MANY; i++) {
		assert_int_equal(trace_next(t, 0, &ev, &err), 1);
		if (i >= MANY) /* the oldest first */
			assert_int_equal(ev.req, i - MANY);
	}
	trace_close(t);
	tmp_release(&tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(calls_become_events),
	    cmocka_unit_test(damage_does_no_harm),
	    cmocka_unit_test(many_of_one_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
