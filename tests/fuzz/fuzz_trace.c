/* fuzz_trace.c: any bytes as a trace file. What is read as an event must be written in our form and
 * read back as the same, and must go through the writer of SimGrid's form; nothing may crash, leak,
 * or take memory out of proportion. */
#include "fuzz/fuzz.h"
#include "trace/write/simgrid_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RANKS_MOST = 16, EVENTS_MOST = 2000 };

/* The line of ev, read as one of ours and written again, is the same. */
static void check_round_trip(const struct grammar *ours, uint32_t rank,
                             const struct trace_event *ev)
{
	struct lists lists = {0};
	struct err err;
	struct parse ps = {.grammar = ours, .lists = &lists, .err = &err};
	struct trace_event back;
	struct str once = {0}, twice = {0};
	uint32_t read_rank;
	const char *p;

	trace_event_format(&once, rank, ev);
	str_putn(&once, "\0\0\0\0\0\0\0\0", 8);
	p = rank_parse(&ps, once.s, &read_rank);
	p = p ? event_parse(&ps, p, &back) : NULL;
	if (!p) {
		fprintf(stderr, "%s%s\n", once.s, ps.text);
		abort();
	}
	trace_event_format(&twice, rank, &back);
	if (strcmp(once.s, twice.s) != 0) {
		fprintf(stderr, "%s%s", once.s, twice.s);
		abort();
	}
	str_release(&once);
	str_release(&twice);
	lists_release(&lists);
}

/* Events into the plain form, in memory. */
static void plain_init(struct simgrid *sg, uint32_t ranks)
{
	*sg = (struct simgrid){.ranks = ranks};
	sg->outs.out = calloc(ranks, sizeof *sg->outs.out);
	sg->pending = calloc(ranks, sizeof *sg->pending);
	if (!sg->outs.out || !sg->pending)
		abort();
	for (uint32_t i = 0; i < ranks; i++)
		pending_init(&sg->pending[i]);
}

static void plain_release(struct simgrid *sg)
{
	for (uint32_t i = 0; i < sg->ranks; i++) {
		pending_release(&sg->pending[i]);
		str_release(&sg->outs.out[i].text);
	}
	free(sg->pending);
	free(sg->outs.out);
	simgrid_comms_release(&sg->comms);
}

static void read_all(struct trace *t)
{
	struct grammar ours;
	struct simgrid sg;
	struct trace_event ev;
	struct err err;
	uint32_t ranks = trace_ranks(t) < RANKS_MOST ? trace_ranks(t) : RANKS_MOST;
	int events = 0;

	grammar_init(&ours, &trace_dialects[DIALECT_OURS]);
	ours.ranks = t->grammar.ranks;
	ours.peers = t->grammar.peers;
	plain_init(&sg, trace_ranks(t) < 4096 ? trace_ranks(t) : 4096);
	for (uint32_t rank = ranks; rank-- > 0;)
		while (trace_next(t, rank, &ev, &err) > 0 && events++ < EVENTS_MOST) {
			check_round_trip(&ours, rank, &ev);
			simgrid_put(&sg, rank, &ev, &err);
		}
	plain_release(&sg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	char path[64];
	struct err err;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	for (uint32_t np = 0; np < 4; np += 3) {
		struct trace *t = trace_open(path, np, &err);

		if (t)
			read_all(t);
		trace_close(t);
	}
	close(fd);
	return 0;
}
