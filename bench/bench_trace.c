/* bench_trace.c: what it costs to write and to read a trace: events per second of CPU time and
 * bytes per event.
 *   format   events to text, as the tracer does between two MPI calls
 *   write    to a folder, to one merged file
 *   read     from these, ranks asked in turn, as a replay does
 * The mix is that of a ring with computations and a reduction: compute, isend, recv, wait,
 * allreduce; compute and recv with durations. Usage: bench_trace [ranks [rounds]]. For instruction
 * counts run it under valgrind --tool=callgrind. */
#include "bench.h"

#include "trace/trace.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KINDS = 5 };

/* Event i of a rank. */
static void event_make(struct trace_event *ev, uint32_t ranks, uint32_t rank, uint32_t i)
{
	static const enum trace_op ops[KINDS] = {TRACE_COMPUTE, TRACE_ISEND, TRACE_RECV, TRACE_WAIT,
	                                         TRACE_ALLREDUCE};

	trace_event_init(ev, ops[i % KINDS]);
	ev->type_size = 8;
	switch (ev->op) {
	case TRACE_COMPUTE:
		ev->volume = 10000 + i * 977 % 10000000;
		ev->duration = (1000 + i * 7) / 1e9;
		break;
	case TRACE_RECV:
		ev->duration = (500 + i * 3) / 1e9;
		ev->peer = (int32_t)((rank + ranks - 1) % ranks);
		ev->count = 1000 + i % 100000;
		break;
	case TRACE_ALLREDUCE:
		ev->count = 1;
		break;
	default:
		ev->peer = (int32_t)((rank + 1) % ranks);
		ev->count = 1000 + i % 100000;
		ev->req = i / KINDS % 16;
	}
}

static void tell(const char *what, double events, double t, double bytes)
{
	printf("%-16s %8.2f million events/s", what, events / t / 1e6);
	if (bytes > 0)
		printf(" %8.1f bytes/event", bytes / events);
	printf("\n");
}

static void bench_format(uint32_t ranks, uint32_t n)
{
	struct trace_event ev;
	struct str s;
	double start, bytes = 0;

	str_init(&s);
	start = seconds();
	for (uint32_t i = 0; i < n; i++) {
		event_make(&ev, ranks, 1, i);
		trace_event_format(&s, 1, &ev);
		if (s.n > 60000) {
			bytes += (double)s.n;
			str_clear(&s);
		}
	}
	tell("format", n, seconds() - start, bytes);
	str_release(&s);
}

static void bench_write(const char *path, enum trace_write_form form, const char *what,
                        uint32_t ranks, uint32_t rounds)
{
	struct err err;
	struct trace_event ev;
	double start = seconds();
	struct trace_writer *w = trace_writer_open(path, form, ranks, &err);

	if (!w)
		die(&err);
	for (uint32_t i = 0; i < rounds * KINDS; i++)
		for (uint32_t r = 0; r < ranks; r++) {
			event_make(&ev, ranks, r, i);
			if (trace_writer_put(w, r, &ev, &err) < 0)
				die(&err);
		}
	if (trace_writer_commit(w, NULL, NULL, &err) < 0)
		die(&err);
	tell(what, (double)rounds * KINDS * ranks, seconds() - start, 0);
}

static void bench_read(const char *path, const char *what, uint32_t ranks)
{
	struct err err;
	struct trace_event ev;
	double start = seconds(), events = 0;
	struct trace *t = trace_open(path, ranks, &err);
	int more = 1, k;

	if (!t)
		die(&err);
	while (more) {
		more = 0;
		for (uint32_t r = 0; r < ranks; r++) {
			k = trace_next(t, r, &ev, &err);
			if (k < 0)
				die(&err);
			events += k;
			more |= k;
		}
	}
	tell(what, events, seconds() - start, 0);
	trace_close(t);
}

static void bench_clean(const char *dir, uint32_t ranks)
{
	char path[128];

	for (uint32_t r = 0; r < ranks; r++) {
		snprintf(path, sizeof path, "%s/folder/rank-%u.tit", dir, r);
		unlink(path);
	}
	snprintf(path, sizeof path, "%s/folder/manifest", dir);
	unlink(path);
	snprintf(path, sizeof path, "%s/folder", dir);
	rmdir(path);
	snprintf(path, sizeof path, "%s/merged", dir);
	unlink(path);
	rmdir(dir);
}

static uint32_t argument(int argc, char **argv, int i, uint32_t otherwise)
{
	int64_t v = otherwise;

	if (argc > i &&
	    (num_parse_i64(argv[i], strlen(argv[i]), &v) < 0 || v < 0 || v > UINT32_MAX))
		return 0;
	return (uint32_t)v;
}

int main(int argc, char **argv)
{
	uint32_t ranks = argument(argc, argv, 1, 16), rounds = argument(argc, argv, 2, 20000);
	char dir[] = "/tmp/orrery-bench-XXXXXX", folder[64], merged[64];

	if (ranks == 0 || rounds == 0 || !mkdtemp(dir)) {
		fprintf(stderr, "usage: bench_trace [ranks [rounds]]\n");
		return 2;
	}
	snprintf(folder, sizeof folder, "%s/folder", dir);
	snprintf(merged, sizeof merged, "%s/merged", dir);
	printf("%u ranks, %u rounds of %d events\n", ranks, rounds, KINDS);
	bench_format(ranks, rounds * KINDS * 10);
	bench_write(folder, TRACE_WRITE_FOLDER, "write folder", ranks, rounds);
	bench_write(merged, TRACE_WRITE_MERGED, "write merged", ranks, rounds);
	bench_read(folder, "read folder", ranks);
	bench_read(merged, "read merged", ranks);
	bench_clean(dir, ranks);
	return 0;
}
