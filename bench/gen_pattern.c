/* gen_pattern.c: the compressed trace of a program made by rule (patterns.h), and what it took:
 * bytes of the file, events, seconds of the processor for compressing and merging all ranks.
 *   gen_pattern PATTERN RANKS STEPS FILE [PRECISION]   (without it: no noise, structure only) */
#include "patterns.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

struct sink {
	struct trace_writer *w;
	uint64_t events;
};

static void fail(const struct err *err)
{
	fprintf(stderr, "%s\n", err->text);
	exit(1);
}

static void sink_put(void *self, uint32_t rank, const struct trace_event *ev)
{
	struct sink *s = self;
	struct err err;

	s->events++;
	if (trace_writer_put(s->w, rank, ev, &err) < 0)
		fail(&err);
}

static int64_t number(const char *text)
{
	int64_t v = 0;

	if (num_parse_i64(text, strlen(text), &v) < 0 || v < 0 || v > 1 << 24) {
		fprintf(stderr, "gen_pattern: '%s' is no number\n", text);
		exit(2);
	}
	return v;
}

int main(int argc, char **argv)
{
	struct sink sink = {0};
	struct pattern_run p = {.put = sink_put, .self = &sink};
	int kind = 0;
	clock_t begin = clock();
	struct stat st;
	struct err err;

	while (argc > 1 && kind < PATTERNS && strcmp(argv[1], pattern_names[kind]) != 0)
		kind++;
	if (argc < 5 || argc > 6 || kind == PATTERNS) {
		fprintf(stderr, "usage: gen_pattern stencil|torus|lu|mg|bt|irregular|strided RANKS "
		                "STEPS FILE [PRECISION]\n");
		return 2;
	}
	p.ranks = (int)number(argv[2]);
	p.steps = (int)number(argv[3]);
	p.noise = argc == 6;
	sink.w = trace_writer_open(argv[4], TRACE_WRITE_COMPRESSED, (uint32_t)p.ranks, &err);
	if (!sink.w)
		fail(&err);
	if (argc == 6)
		trace_writer_precision(sink.w, (int)number(argv[5]));
	for (int rank = 0; rank < p.ranks; rank++) {
		pattern_rank(&p, (enum pattern)kind, rank);
		if (trace_writer_rank_done(sink.w, (uint32_t)rank, &err) < 0)
			fail(&err);
	}
	if (trace_writer_commit(sink.w, NULL, NULL, &err) < 0)
		fail(&err);
	if (stat(argv[4], &st) < 0)
		return 1;
	printf("%s: %d ranks, %llu events, %lld bytes, %.2f s\n", argv[1], p.ranks,
	       (unsigned long long)sink.events, (long long)st.st_size,
	       (double)(clock() - begin) / CLOCKS_PER_SEC);
	return 0;
}
