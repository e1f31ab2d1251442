/* main.c: orrery-player-<family> TRACE [computation [rate]]: see player.h. Rank 0 prints the time:
 * "real time: SECONDS s" from the first call after MPI_Init to the last before MPI_Finalize, of the
 * rank that took longest. Exit code: 0; 1 a call failed; 2 the trace does not fit. */
#include "player.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int usage(void)
{
	fputs("usage: orrery-player TRACE [spin|sleep|none [volume units per second]]\n"
	      "Started by 'orrery replay TRACE --on LAUNCHER'.\n",
	      stderr);
	return 2;
}

static int computation_find(const char *word)
{
	static const char *const words[] = {"spin", "sleep", "none"};

	for (int i = 0; i < 3; i++)
		if (!strcmp(word, words[i]))
			return i;
	return -1;
}

static int fail(struct player *p, const char *text)
{
	char place[256] = "";

	if (p->trace && p->rank < p->ranks)
		trace_place(p->trace, (uint32_t)p->rank, place, sizeof place);
	fprintf(stderr, "orrery: rank %d%s%s: %s\n", p->rank, *place ? ", " : "", place, text);
	MPI_Abort(MPI_COMM_WORLD, 2);
	return 2;
}

/* Time is counted in volumes of so many a second, unless the user says how many. */
static void rate_set(struct player *p)
{
	struct trace_manifest m;
	struct err none;

	if (p->rate > 0 || trace_manifest_get(p->trace, &m, &none) < 0)
		return;
	if (m.nominal_rate > 0)
		p->rate = m.nominal_rate;
	trace_manifest_release(&m);
}

static int events_issue(struct player *p, struct err *err)
{
	struct trace_event ev;
	int more, r = 0;

	while (r == 0 && (more = trace_next(p->trace, (uint32_t)p->rank, &ev, err)) != 0) {
		if (more < 0)
			return -1;
		r = player_issue(p, &ev, err);
	}
	if (r > 0) {
		char text[MPI_MAX_ERROR_STRING];
		int n;

		MPI_Error_string(r, text, &n);
		err_set(err, ERR_PROGRAM, "%s", text);
	}
	return r == 0 ? 0 : -1;
}

static void report(const struct player *p, double seconds)
{
	double most = seconds;
	unsigned long long counts[2] = {p->calls, p->left_out}, sums[2] = {0, 0};

	MPI_Reduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	MPI_Reduce(counts, sums, 2, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (p->rank != 0)
		return;
	printf("%d ranks, %llu actions on a real MPI\n", p->ranks, sums[0]);
	if (sums[1])
		printf("%llu calls were left out, such as %s\n", sums[1],
		       p->first_left_out ? p->first_left_out : "those of other ranks");
	printf("real time: %.9f s\n", most);
}

#ifdef __SANITIZE_ADDRESS__
/* What an MPI library has not freed at its end is no leak of ours. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return 1;
}
#endif

int main(int argc, char **argv)
{
	struct player p = {.noncommutative = MPI_OP_NULL};
	struct err err = {.kind = ERR_NONE};
	int computation = argc > 2 ? computation_find(argv[2]) : PLAYER_SPIN;
	double start;

	if (argc < 2 || computation < 0 ||
	    (argc > 3 && num_parse_double(argv[3], strlen(argv[3]), &p.rate) < 0))
		return usage();
	p.computation = (enum player_computation)computation;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &p.ranks);
	p.trace = trace_open(argv[1], 0, &err);
	if (!p.trace)
		return fail(&p, err.text);
	if (trace_ranks(p.trace) != (uint32_t)p.ranks) {
		err_set(&err, ERR_INPUT, "%s has %u ranks, and %d were started", argv[1],
		        trace_ranks(p.trace), p.ranks);
		return fail(&p, err.text);
	}
	trace_only(p.trace, (uint32_t)p.rank);
	rate_set(&p);
	MPI_Barrier(MPI_COMM_WORLD);
	start = MPI_Wtime();
	if (events_issue(&p, &err) < 0)
		return fail(&p, err.text);
	report(&p, MPI_Wtime() - start);
	player_release(&p);
	MPI_Finalize();
	return 0;
}
