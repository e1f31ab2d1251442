/* same_trace.h: two traces say the same, event by event, whatever numbers their requests and
 * communicators have. */
#ifndef ORRERY_TESTS_SAME_TRACE_H
#define ORRERY_TESTS_SAME_TRACE_H

#include "unit/trace/trace_test.h"

enum { NAMES_MOST = 512, NAMED_REQS = 256 };

/* Numbers of requests and communicators are the reader's own: here they are those of their first
 * appearance in a rank. */
struct names {
	uint64_t of[NAMES_MOST];
	int n;
};

static inline int64_t name_of(struct names *all, uint64_t one)
{
	int i = 0;

	while (i < all->n && all->of[i] != one)
		i++;
	if (i == all->n) {
		assert_true(all->n < NAMES_MOST);
		all->of[all->n++] = one;
	}
	return i;
}

static inline void list_name(struct names *all, const int64_t *from, int64_t n, int64_t *to)
{
	for (int64_t i = 0; i < n; i++)
		to[i] = name_of(all, (uint64_t)from[i]);
}

static inline void event_text(struct str *s, uint32_t rank, struct trace_event ev,
                              struct names names[2])
{
	int64_t reqs[NAMED_REQS], done[NAMED_REQS];

	assert_true(ev.n_reqs <= NAMED_REQS && ev.n_done <= NAMED_REQS);
	ev.duration = -1;
	ev.parent = 0;
	if (ev.comm > 1)
		ev.comm = 2 + (uint64_t)name_of(&names[0], ev.comm);
	if (ev.req >= 0)
		ev.req = name_of(&names[1], (uint64_t)ev.req);
	list_name(&names[1], ev.reqs, ev.n_reqs, reqs);
	list_name(&names[1], ev.done, ev.n_done, done);
	ev.reqs = reqs;
	ev.done = done;
	trace_event_format(s, rank, &ev);
}

static inline struct str rank_text(struct trace *t, uint32_t rank)
{
	struct names names[2] = {{.n = 0}, {.n = 0}};
	struct str s = {0};
	struct trace_event ev;
	struct err err;
	int more;

	while ((more = trace_next(t, rank, &ev, &err)) > 0)
		event_text(&s, rank, ev, names);
	if (more < 0)
		fail_msg("%s", err.text);
	return s;
}

static inline void same_lines(const char *got, const char *want)
{
	while (*got && *want) {
		size_t n = strcspn(got, "\n"), m = strcspn(want, "\n");

		if (n != m || memcmp(got, want, n) != 0)
			fail_msg("%.*s, not %.*s", (int)n, got, (int)m, want);
		got += n + 1;
		want += m + 1;
	}
	assert_string_equal(got, want);
}

static inline void same_events(const char *path, const char *lines)
{
	struct err err;
	struct trace *a = trace_open(path, 0, &err), *b;

	if (!a)
		fail_msg("%s", err.text);
	b = trace_open(lines, 0, &err);
	if (!b)
		fail_msg("%s", err.text);
	assert_int_equal(trace_ranks(a), trace_ranks(b));
	for (uint32_t i = 0; i < trace_ranks(b); i++) {
		struct str got = rank_text(a, i), want = rank_text(b, i);

		same_lines(got.s, want.s);
		str_release(&got);
		str_release(&want);
	}
	trace_close(a);
	trace_close(b);
}

#endif
