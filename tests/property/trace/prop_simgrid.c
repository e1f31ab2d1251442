/* prop_simgrid.c: random programs (message_draw.h) in SimGrid's plain form, taken as SimGrid's
 * replayer takes it (smpi_replay.cpp, v3.32): a wait is for the oldest request with its source,
 * destination and tag, which must be there; a waitall for all that are outstanding; nothing of ours
 * is on a line. What each rank does is what it did. The seed is printed. */
#include "../prop.h"

#include "message_draw.h"

#include "unit/trace/write_text.h"

#include <stdlib.h>

enum { PROGRAMS = 150, WORDS = 8, FIRST_TAG = 1 << 30, KEYS = DID_RANKS * DID_MOST };

struct plain_line {
	char action[16];
	long long v[WORDS];
	int n;
};
struct plain {
	char *text, *next;
	int rank;
	/* Outstanding requests, oldest first: numbers of what the rank did. */
	int open[DID_MOST], n_open;
};
/* Tags that stand for those of communicators, of all ranks. */
struct tags {
	struct {
		int tag, is;
	} seen[KEYS];
	int n;
};

static int line_next(struct plain *p, struct plain_line *l)
{
	char *end = strchr(p->next, '\n'), *at;
	int rank, used;

	if (!end)
		return 0;
	*end = '\0';
	assert_int_equal(sscanf(p->next, "%d %15s%n", &rank, l->action, &used), 2);
	assert_int_equal(rank, p->rank);
	l->n = 0;
	for (char *s = p->next + used; *s; s = at) {
		assert_true(*s == ' ' && l->n < WORDS);
		l->v[l->n++] = strtoll(s + 1, &at, 10);
		assert_true(at > s + 1 || l->action[0] == 'l' || l->action[0] == 's' ||
		            l->action[0] == 'c');
		while (*at && *at != ' ')
			at++;
	}
	p->next = end + 1;
	return 1;
}

/* The next line that says a message or a wait. */
static int message_next(struct plain *p, struct plain_line *l)
{
	static const char *const others[] = {"init", "finalize", "location"};

	while (line_next(p, l)) {
		int other = 0;

		for (size_t i = 0; i < sizeof others / sizeof *others; i++)
			other |= strcmp(l->action, others[i]) == 0;
		/* of no instructions */
		other |= strcmp(l->action, "compute") == 0 && l->n == 1 && l->v[0] == 0;
		if (!other)
			return 1;
	}
	return 0;
}

static int64_t type_bytes(long long type)
{
	return type == 0 ? 8 : type == 1 ? 4 : type == 3 ? 2 : type == 6 ? 1 : -1;
}

static void tag_is(struct tags *t, const struct did *d, long long tag)
{
	if (d->tag < 0) {
		assert_int_equal(tag, -444);
		return;
	}
	if (d->comm == 0) {
		assert_int_equal(tag, d->tag);
		return;
	}
	assert_true(tag >= FIRST_TAG && tag <= INT32_MAX);
	for (int i = 0; i < t->n; i++)
		assert_int_equal(t->seen[i].tag == d->tag, t->seen[i].is == tag);
	assert_true(t->n < KEYS);
	t->seen[t->n].tag = d->tag;
	t->seen[t->n++].is = (int)tag;
}

static void message_is(struct tags *t, const struct did *d, const struct plain_line *l)
{
	assert_int_equal(l->n, 4);
	assert_int_equal(l->v[0], d->peer == -1 ? -555 : d->peer);
	tag_is(t, d, l->v[1]);
	assert_int_equal(l->v[2] * type_bytes(l->v[3]), d->size);
}

/* A wait for a request that is there, the oldest of its key. */
static void wait_is(struct plain *p, struct tags *t, const struct did_rank *k, int of,
                    const struct plain_line *l)
{
	const struct did *d = &k->did[of];
	int send = d->kind == DID_SEND, at = 0;

	assert_string_equal(l->action, "wait");
	assert_int_equal(l->n, 3);
	assert_int_equal(l->v[0], send ? p->rank : d->peer == -1 ? -556 : d->peer);
	assert_int_equal(l->v[1], send ? d->peer : p->rank);
	tag_is(t, d, l->v[2]);
	while (at < p->n_open && p->open[at] != of)
		at++;
	assert_true(at < p->n_open);
	p->n_open--;
	memmove(&p->open[at], &p->open[at + 1], (size_t)(p->n_open - at) * sizeof *p->open);
}

/* All that is outstanding: as many waits follow, for nothing else. */
static void waitall_is(struct plain *p, const struct did_rank *k, int *at,
                       const struct plain_line *l)
{
	assert_int_equal(l->n, 1);
	assert_int_equal(l->v[0], p->n_open);
	for (; p->n_open > 0; ++*at) {
		int i = 0;

		assert_true(*at < k->n && k->did[*at].kind == DID_WAIT);
		while (i < p->n_open && p->open[i] != k->did[*at].of)
			i++;
		assert_true(i < p->n_open);
		p->open[i] = p->open[--p->n_open];
	}
}

/* A sendrecv: in one line without tags; else posted, both waited for. */
static void pair_is(struct plain *p, struct tags *t, const struct did_rank *k, int *at,
                    struct plain_line *l)
{
	const struct did *part[2] = {NULL, NULL}; /* send, receive */

	for (; *at < k->n && k->did[*at].pair; ++*at) {
		const struct did *d = &k->did[*at];

		if (d->kind == DID_WAIT) {
			++*at;
			break;
		}
		if (part[d->kind == DID_RECV] || (part[0] && d->kind == DID_RECV))
			break; /* of the next one */
		part[d->kind == DID_RECV] = d;
	}
	if (strcmp(l->action, "sendRecv") == 0) {
		assert_true(l->n == 6 && part[0] && part[1] && !part[0]->tag && !part[1]->tag);
		assert_int_equal(l->v[0] * type_bytes(l->v[4]), part[0]->size);
		assert_int_equal(l->v[1], part[0]->peer);
		assert_int_equal(l->v[2] * type_bytes(l->v[5]), part[1]->size);
		assert_int_equal(l->v[3], part[1]->peer);
		return;
	}
	for (int wait = 0, first = 1; wait < 2; wait++)
		for (int i = 0; i < 2; i++) {
			if (!part[i])
				continue;
			if (!first)
				assert_true(message_next(p, l));
			first = 0;
			if (wait) {
				p->open[p->n_open++] = (int)(part[i] - k->did);
				wait_is(p, t, k, (int)(part[i] - k->did), l);
			} else {
				assert_string_equal(l->action, i ? "irecv" : "isend");
				message_is(t, part[i], l);
			}
		}
}

static void did_is(struct plain *p, struct tags *t, const struct did_rank *k, int *at,
                   struct plain_line *l)
{
	static const char *const words[2][2] = {{"send", "isend"}, {"recv", "irecv"}};
	const struct did *d = &k->did[*at];

	if (d->pair) {
		pair_is(p, t, k, at, l);
		return;
	}
	if (d->kind == DID_COMPUTE) {
		assert_true(strcmp(l->action, "compute") == 0 || strcmp(l->action, "sleep") == 0);
	} else if (d->kind == DID_WAIT) {
		wait_is(p, t, k, d->of, l);
	} else {
		assert_string_equal(l->action, words[d->kind == DID_RECV][d->posted]);
		message_is(t, d, l);
		if (d->posted)
			p->open[p->n_open++] = *at;
	}
	++*at;
}

static void rank_is(const char *path, struct tags *t, const struct did_program *program, int rank)
{
	const struct did_rank *k = &program->rank[rank];
	struct plain p = {.rank = rank};
	struct plain_line l;
	int at = 0;

	p.text = p.next = file_text(path);
	while (message_next(&p, &l)) {
		if (strcmp(l.action, "waitall") == 0) {
			waitall_is(&p, k, &at, &l);
			continue;
		}
		assert_true(at < k->n);
		did_is(&p, t, k, &at, &l);
	}
	assert_int_equal(at, k->n);
	free(p.text);
}

static void the_replayer_does_what_was_done(void **state)
{
	static struct did_program p;
	char dir[64], list[96], path[300], name[160], *text, *line;

	(void)state;
	folder_make(dir);
	for (uint64_t seed = prop_seed(0); seed < prop_seed(PROGRAMS); seed++) {
		struct tags t = {.n = 0};
		struct str lines;
		struct err err;
		struct rng r;

		print_message("seed %llu\n", (unsigned long long)seed);
		rng_init(&r, seed, "messages to SimGrid", 0);
		p.no_keys = 1;
		did_program_draw(&r, &p, 1);
		lines = did_lines(&p);
		snprintf(list, sizeof list, "%s/%llu", dir, (unsigned long long)seed);
		assert_ok(
		    lines_write(lines.s, (uint32_t)p.ranks, TRACE_WRITE_SIMGRID, list, NULL, &err),
		    err);
		text = line = file_text(list);
		for (int rank = 0; rank < p.ranks; rank++) { /* the list has them in order */
			snprintf(name, sizeof name, "%llu_files/rank-%d.txt\n",
			         (unsigned long long)seed, rank);
			line = strstr(line, name);
			assert_non_null(line);
			name[strlen(name) - 1] = '\0';
			snprintf(path, sizeof path, "%s/%s", dir, name);
			rank_is(path, &t, &p, rank);
		}
		free(text);
		str_release(&lines);
		did_release(&p);
	}
	folder_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(the_replayer_does_what_was_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
