/* gen_wavefront.c: a trace of any number of ranks in the compressed form, for benchmarks: LU's
 * wavefronts over a 2-D grid of ranks (messages from the north and west to the south and east, and
 * back, plane by plane), a reduction every fifth step. Prints what merging the ranks took.
 * usage: gen_wavefront RANKS STEPS PLANES FILE */
#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct wave {
	struct trace_writer *w;
	int rows, cols, planes;
	uint64_t events;
};

static void put(struct wave *g, int rank, enum trace_op op, int peer, int64_t count, double volume)
{
	struct trace_event ev;
	struct err err;

	trace_event_init(&ev, op);
	if (op == TRACE_SEND || op == TRACE_RECV || op == TRACE_ALLREDUCE) {
		ev.count = count;
		ev.type_size = trace_type_size(ev.type);
	}
	ev.peer = peer;
	ev.volume = volume;
	g->events++;
	if (trace_writer_put(g->w, (uint32_t)rank, &ev, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
}

static void sweep(struct wave *g, int rank, int d)
{
	int i = rank / g->cols, j = rank % g->cols;

	for (int k = 0; k < g->planes; k++) {
		if (i - d >= 0 && i - d < g->rows)
			put(g, rank, TRACE_RECV, rank - d * g->cols, 510, 0);
		if (j - d >= 0 && j - d < g->cols)
			put(g, rank, TRACE_RECV, rank - d, 510, 0);
		put(g, rank, TRACE_COMPUTE, 0, 0, 90000 + 100 * (rank % 7));
		if (i + d >= 0 && i + d < g->rows)
			put(g, rank, TRACE_SEND, rank + d * g->cols, 510, 0);
		if (j + d >= 0 && j + d < g->cols)
			put(g, rank, TRACE_SEND, rank + d, 510, 0);
	}
}

static void rank_write(struct wave *g, int rank, int steps)
{
	struct err err;

	put(g, rank, TRACE_INIT, 0, 0, 0);
	for (int s = 0; s < steps; s++) {
		sweep(g, rank, 1);
		sweep(g, rank, -1);
		if (s % 5 == 4)
			put(g, rank, TRACE_ALLREDUCE, 0, 5, 0);
	}
	put(g, rank, TRACE_FINALIZE, 0, 0, 0);
	if (trace_writer_rank_done(g->w, (uint32_t)rank, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		exit(1);
	}
}

static int number(int argc, char **argv, int i)
{
	int64_t v = 0;

	if (argc != 5 || num_parse_i64(argv[i], strlen(argv[i]), &v) < 0 || v < 1 || v > 1 << 24) {
		fprintf(stderr, "usage: gen_wavefront RANKS STEPS PLANES FILE\n");
		exit(2);
	}
	return (int)v;
}

int main(int argc, char **argv)
{
	int ranks = number(argc, argv, 1), steps = number(argc, argv, 2);
	struct wave g = {.rows = 1, .planes = number(argc, argv, 3)};
	struct err err;
	clock_t begin = clock();

	for (int r = 1; r * r <= ranks; r++)
		if (ranks % r == 0)
			g.rows = r;
	g.cols = ranks / g.rows;
	g.w = trace_writer_open(argv[4], TRACE_WRITE_COMPRESSED, (uint32_t)ranks, &err);
	for (int rank = 0; g.w && rank < ranks; rank++)
		rank_write(&g, rank, steps);
	if (!g.w || trace_writer_commit(g.w, NULL, NULL, &err) < 0) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	printf("%d ranks, %llu events, %.2f s\n", ranks, (unsigned long long)g.events,
	       (double)(clock() - begin) / CLOCKS_PER_SEC);
	return 0;
}
