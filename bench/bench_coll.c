/* bench_coll.c: allreduce, bcast and alltoall of many ranks under each selector: messages per
 * second of this computer, and bytes per rank while the call is under way. One call on a flat
 * cluster of as many hosts; the constant model leaves out the sharing of the network, "hybrid" has
 * it.
 *
 * Bytes per rank: the memory of its own that the process has after the call, when nothing has been
 * given back yet, less what it had when all ranks were made: so the most that calls, messages and
 * their sharing took at a time; not the platform, and not idle ranks (36 bytes each). The goal is
 * 512. At 4,096 ranks:
 *   bcast                     300 to 350
 *   allreduce                 460 to 600; nccl 790 (two trees: four messages at a time)
 *   alltoall                  505 to 555; nccl 1.1 million: each rank sends to all others at once,
 *                             260 bytes a message
 * A rank in a call has its operation, which holds its collective (160 bytes), and for each message
 * that it sends or awaits a request (88); a message under way an activity (64) and places in the
 * queue of events and among those that wait for each other (about 30). A send and a receive at a
 * time are 430 bytes; what is over 512 has three requests a rank at a time.
 * Usage: bench_coll [ranks [bytes [model]]]; default 4096 ranks, 1024 bytes (alltoall: 8),
 * constant. Each case runs in a process of its own. */
#include "bench.h"

#include "mp/contest/coll_measure.h"
#include "mp/mp.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Memory of its own that the process has in use now, not its code: counted page by page (ru_maxrss
 * may be off by a quarter of a MiB). */
static double kib(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[256];
	double n = 0;

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "Anonymous: %lf", &n) == 1)
			break;
	if (f)
		fclose(f);
	return n;
}

static struct platform *cluster(uint32_t hosts, struct config *cfg, struct err *err)
{
	char path[] = "/tmp/orrery-bench-XXXXXX";
	int fd = mkstemp(path);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		exit(1);
	fprintf(f,
	        "<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">"
	        "<cluster id=\"c\" prefix=\"h\" suffix=\"\" radical=\"0-%u\" speed=\"1Gf\" "
	        "bw=\"1.25GBps\" lat=\"5us\" bb_bw=\"100GBps\" bb_lat=\"1us\"/></zone></platform>",
	        hosts - 1);
	fclose(f);
	struct platform *p = platform_read(path, cfg, err);
	unlink(path);
	return p;
}

/* The program: one call. */
struct call {
	const struct coll_args *args;
	uint8_t *done;
};

static int resume(void *self, struct mp *mp, uint32_t rank, struct err *err)
{
	struct call *c = self;
	if (c->done[rank]++)
		return 1;
	int status = mp_collective(mp, rank, MP_COMM_WORLD, c->args, 0, err);
	return status == MP_ERROR ? -1 : status == MP_DONE;
}

static const char *place(void *self, uint32_t rank, char *buf, size_t n)
{
	(void)self, (void)rank, (void)n;
	buf[0] = '\0';
	return buf;
}

static void run(enum coll_kind k, const char *selector, uint32_t ranks, int64_t bytes,
                const char *model)
{
	struct err err;
	struct config cfg;
	struct placement hosts;
	if (config_init(&cfg, &err) < 0 ||
	    config_set(&cfg, "network/model", model, CFG_FROM_USER, &err) < 0 ||
	    config_set(&cfg, "smpi/coll-selector", selector, CFG_FROM_USER, &err) < 0)
		die(&err);
	struct platform *p = cluster(ranks, &cfg, &err);
	if (!p || placement_make(p, NULL, ranks, 0, 0, &hosts, &cfg, &err) < 0)
		die(&err);
	struct net *net = net_new(p, &cfg, &err);
	struct mp *mp = net ? mp_new(net, &cfg, hosts.host, ranks, &err) : NULL;
	if (!mp)
		die(&err);
	struct coll_bench b = {p, &cfg, hosts.host, ranks, NULL, NULL, NULL};
	int64_t *counts = calloc(ranks, sizeof *counts);
	struct coll_args a;
	coll_measure_args(k, &b, bytes, counts, &a);
	struct call call = {&a, calloc(ranks, 1)};
	struct mp_program program = {.self = &call, .resume = resume, .place = place};
	double before = kib(), start = seconds();
	if (mp_run(mp, &program, NULL, &err) < 0)
		die(&err);
	struct mp_stats st;
	mp_stats(mp, &st);
	double took = seconds() - start;
	printf("%-10s %-10s %5u ranks %8lld bytes: %9llu messages in %7.3f s, %10.0f messages/s, "
	       "%8.0f bytes/rank, simulated %.6f s\n",
	       coll_kind_name(k), selector, ranks, (long long)bytes,
	       (unsigned long long)st.messages, took,
	       (double)st.messages / (took > 0 ? took : 1e-9), (kib() - before) * 1024 / ranks,
	       st.end);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	int64_t ranks = 4096, bytes = 1024;
	if ((argc > 1 && num_parse_i64(argv[1], strlen(argv[1]), &ranks) < 0) ||
	    (argc > 2 && num_parse_i64(argv[2], strlen(argv[2]), &bytes) < 0) || ranks < 1 ||
	    ranks > UINT32_MAX) {
		fprintf(stderr, "bench_coll [RANKS [BYTES [MODEL]]]\n");
		return 2;
	}
	const char *model = argc > 3 ? argv[3] : "constant";
	static const enum coll_kind kinds[] = {COLL_ALLREDUCE, COLL_BCAST, COLL_ALLTOALL};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		for (const struct coll_selector *const *s = coll_selectors; *s; s++) {
			if (!(*s)->choose || strcmp((*s)->name, "automatic") == 0)
				continue;
			pid_t child = fork();
			if (child == 0) {
				run(kinds[i], (*s)->name, (uint32_t)ranks,
				    kinds[i] == COLL_ALLTOALL && argc < 3 ? 8 : bytes, model);
				_exit(0);
			}
			waitpid(child, NULL, 0);
		}
	return 0;
}
