/* measure.c: the measuring program of `orrery calibrate network`: plain MPI, any library. It knows
 * nothing of what its figures are for: it performs the experiments of a plan, in the order of the
 * plan, and writes every single value.
 *
 *   mpicc -O2 -o measure measure.c pair.c many.c rows.c
 *   mpirun … measure PLAN OUT SECONDS
 *
 * A line of the plan: operation, sender, receiver, bytes, pairs. A block of lines with the same two
 * ranks has them to itself: the other ranks sleep, so that they take no processor from the two.
 * SECONDS bounds each block: while it is late, of messages that take more than their share only one
 * in eight is sent; what does not fit then is left out, and as sizes come in random order, what is
 * left out is a random part.
 *
 * Two ranks alone (pair.c):
 *
 *   pingpong a b s
 *       a sends, b returns it. Rows: pingpong (round trip, at a), send (duration of a's MPI_Send,
 *       b being ready)
 *   isend a b s
 *       duration of MPI_Isend at a, b being ready
 *   recv a b s
 *       the message has arrived long before b calls MPI_Recv: its duration at b
 *   late a b s
 *       b receives late: durations late_send at a (does MPI_Send wait for the receiver?) and
 *       late_recv at b (had the data moved?)
 *   exchange a b s
 *       MPI_Sendrecv of both at once: duration at a
 *   self a b s
 *       a sends to itself: duration of MPI_Sendrecv
 *   stream a b s
 *       many messages of s bytes one after the other: the time from one to the next at a
 *       (stream_send) and at b (stream)
 *   train a b s
 *       round trips with no pause in between, the first ones not counted: their mean. For links
 *       that send more after a pause
 *   order a b s
 *       while a message of s bytes is under way a sends one of 1 byte: when it is at b, since both
 *       began. Are messages of a pair in order?
 *
 * Many ranks at once (many.c), by consecutive lines:
 *
 *   flow a b s n
 *       n lines: all n pairs send at once, three messages each; the time of one of them at b
 *   ring a b s n
 *       the same, where the n lines make a ring: each rank sends and receives at once
 *   load a b s n
 *       n % 1000 lines with the same n: all at once, as flow; a row for each message, when it is
 *       at b
 *   mesh a b s n
 *       a message of round n % 1000 of the program n / 1000, whose lines follow each other, by
 *       rounds: in each round all messages go at once, and a rank goes on when those from and to
 *       it are over. Row, at b: since the program began. a = b: a pauses for s us before its
 *       messages of the round; row pause: how long it was
 *   react a b s n
 *       n % 1000 lines with the same n, all at once: b waits; a sends it one byte, and n / 1000
 *       tenths of a microsecond later both exchange s bytes (MPI_Sendrecv). Rows at a: gap (how
 *       much later it was) and react (duration of the exchange)
 *   crowd a b s n
 *       n % 1000 lines with the same n: all these pairs do round trips at the same time, the
 *       others sleep. Row at a: the mean of some, while all did them
 *
 * Not of the plan, before all else: `first`, the first round trip of 1 byte of each pair of the
 * first ranks, which makes the connections.
 *
 * OUT has "# key: value" lines, then op,src,dst,pairs,size,start,duration: s since the start. */
#include "measure.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char *const op_names[] = {
    "pingpong",  "isend",     "recv",  "late",  "exchange",    "order", "self",  "train",
    "stream",    "flow",      "ring",  "mesh",  "load",        "react", "crowd", "send",
    "late_send", "late_recv", "first", "pause", "stream_send", "gap"};

void measure_fail(const char *text)
{
	fprintf(stderr, "measure: %s\n", text);
	MPI_Abort(MPI_COMM_WORLD, 2);
	exit(2);
}

void row_add(struct job *j, int op, const struct line *l, double start, double duration)
{
	if (j->n_rows == j->cap) {
		j->cap = j->cap ? 2 * j->cap : 4096;
		j->rows = realloc(j->rows, (size_t)j->cap * sizeof *j->rows);
		if (!j->rows)
			measure_fail("out of memory");
	}
	j->rows[j->n_rows++] = (struct row){op,      l->src,          l->dst,  l->pairs,
	                                    l->size, start - j->zero, duration};
}

/* Of the block that begins with it, if the line says so; else 1. */
static long block_lines(const struct line *l)
{
	if (l->op == FLOW || l->op == RING)
		return l->pairs;
	return l->op == LOAD || l->op == REACT || l->op == CROWD ? l->pairs % ROUNDS : 1;
}

static void plan_read(struct job *j, const char *path)
{
	FILE *f = fopen(path, "r");
	char name[32];
	struct line l;
	long cap = 0;

	if (!f)
		measure_fail("the plan cannot be read");
	while (fscanf(f, "%31s %d %d %ld %d", name, &l.src, &l.dst, &l.size, &l.pairs) == 5) {
		for (l.op = 0; l.op < OPS && strcmp(op_names[l.op], name) != 0; l.op++)
			;
		if (l.op == OPS || l.src < 0 || l.dst < 0 || l.src >= j->size || l.dst >= j->size ||
		    (l.src == l.dst && l.op != MESH) || l.size < 0 || l.size > INT_MAX ||
		    l.pairs < 0 || block_lines(&l) < 1)
			measure_fail("a line of the plan is wrong");
		if (j->lines == cap) {
			cap = cap ? 2 * cap : 1024;
			j->plan = realloc(j->plan, (size_t)cap * sizeof *j->plan);
			if (!j->plan)
				measure_fail("out of memory");
		}
		j->plan[j->lines++] = l;
	}
	fclose(f);
}

static void plan_share(struct job *j)
{
	long largest = 0;

	MPI_Bcast(&j->lines, 1, MPI_LONG, 0, MPI_COMM_WORLD);
	if (j->rank != 0)
		j->plan = malloc((size_t)(j->lines ? j->lines : 1) * sizeof *j->plan);
	if (!j->plan)
		measure_fail("out of memory, or an empty plan");
	MPI_Bcast(j->plan, (int)(j->lines * (long)sizeof *j->plan), MPI_BYTE, 0, MPI_COMM_WORLD);
	for (long i = 0; i < j->lines; i++)
		largest = j->plan[i].size > largest ? j->plan[i].size : largest;
	j->out_buffer = malloc((size_t)largest + 1);
	j->in_buffer = malloc((size_t)largest + 1);
	if (!j->out_buffer || !j->in_buffer)
		measure_fail("out of memory");
	for (long i = 0; i <= largest; i++)
		j->out_buffer[i] = j->in_buffer[i] =
		    (char)(i * 7919 >> 3); /* touched: no page faults while measuring */
}

void measure_pause(double seconds)
{
	struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};

	nanosleep(&t, NULL);
}

/* A rank that has nothing to do looks for its token every millisecond. */
static void token_wait(int from)
{
	int there = 0, nothing;

	while (!there) {
		MPI_Iprobe(from, TAG_TOKEN, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
		if (!there)
			measure_pause(1e-3);
	}
	MPI_Recv(&nothing, 1, MPI_INT, from, TAG_TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Two ranks have the processors to themselves; when they are through, the first wakes the others.
 */
static void alone_block(struct job *j, long first, long last)
{
	const struct line *l = &j->plan[first];
	int nothing = 0;

	MPI_Barrier(MPI_COMM_WORLD);
	if (j->rank == l->src || j->rank == l->dst) {
		measure_pause(2e-3); /* the others are asleep now */
		pair_block(j, first, last);
	}
	if (j->rank == l->src) {
		for (int r = 0; r < j->size; r++)
			if (r != l->src && r != l->dst)
				MPI_Send(&nothing, 1, MPI_INT, r, TAG_TOKEN, MPI_COMM_WORLD);
	} else if (j->rank != l->dst) {
		token_wait(l->src);
	}
}

static void block_run(struct job *j, long first, long last)
{
	const struct line *l = &j->plan[first];

	switch (l->op) {
	case FLOW:
	case RING:
	case LOAD:
		flow_block(j, first, last);
		break;
	case MESH:
		mesh_block(j, first, last);
		break;
	case REACT:
		react_block(j, first, last);
		break;
	case CROWD:
		crowd_block(j, first, last);
		break;
	default:
		alone_block(j, first, last);
		break;
	}
}

/* With whom rank i plays in round r of a tournament of m (even): everybody meets everybody in m - 1
 * rounds. */
static int opponent(int i, int r, int m)
{
	int j = ((r - i) % (m - 1) + m - 1) % (m - 1);

	if (i == m - 1)
		return r * (m / 2) % (m - 1);
	return j == i ? m - 1 : j;
}

/* Before any other message of ours: libraries make connections when they are first used. The one
 * who sends waits a while, so that the other one is there. */
static void first_messages(struct job *j)
{
	enum { MOST = 8 };
	int n = j->size < MOST ? j->size : MOST, m = n + n % 2;
	char byte = 0;

	for (int r = 0; j->rank < n && r < m - 1; r++) {
		struct line l = {FIRST, j->rank, opponent(j->rank, r, m), 1, 1};
		double t0;

		if (l.dst >= n)
			continue;
		if (l.src > l.dst) {
			MPI_Recv(&byte, 1, MPI_BYTE, l.dst, TAG_CONTROL, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
			MPI_Send(&byte, 1, MPI_BYTE, l.dst, TAG_CONTROL, MPI_COMM_WORLD);
			continue;
		}
		measure_pause(20e-3);
		t0 = MPI_Wtime();
		MPI_Send(&byte, 1, MPI_BYTE, l.dst, TAG_CONTROL, MPI_COMM_WORLD);
		MPI_Recv(&byte, 1, MPI_BYTE, l.dst, TAG_CONTROL, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		row_add(j, FIRST, &l, t0, MPI_Wtime() - t0);
	}
}

static long block_end(const struct job *j, long first)
{
	const struct line *l = &j->plan[first];
	long i = first + 1;

	if (l->op == FLOW || l->op == RING || l->op == LOAD || l->op == REACT || l->op == CROWD)
		return first + block_lines(l) <= j->lines ? first + block_lines(l) : j->lines;
	while (l->op == MESH && i < j->lines && j->plan[i].op == MESH &&
	       j->plan[i].pairs / ROUNDS == l->pairs / ROUNDS)
		i++;
	while (l->op != MESH && i < j->lines && j->plan[i].op < FLOW && j->plan[i].src == l->src &&
	       j->plan[i].dst == l->dst)
		i++;
	return i;
}

int main(int argc, char **argv)
{
	struct job j = {0};
	struct usage start;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &j.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &j.size);
	if (argc != 4)
		measure_fail("usage: measure PLAN OUT SECONDS");
	if (sscanf(argv[3], "%lf", &j.budget) != 1)
		measure_fail("SECONDS is a number");
	if (j.size < 2)
		measure_fail(
		    "one process: two or more are wanted, on two or more hosts (mpirun -np 2 ...)");
	j.zero = MPI_Wtime();
	start = usage_now();
	first_messages(&j);
	if (j.rank == 0)
		plan_read(&j, argv[1]);
	plan_share(&j);
	MPI_Barrier(MPI_COMM_WORLD);
	for (long i = 0, next; i < j.lines; i = next) {
		next = block_end(&j, i);
		block_run(&j, i, next - 1);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	rows_write(&j, argv[2], &start);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
