/* measure.c: the measuring program of `orrery calibrate network`: plain MPI, any library. It knows
 * nothing of what its figures are for: it performs the experiments of a plan, in the order of the
 * plan, and writes every single value.
 *
 *   mpirun … measure PLAN OUT SECONDS
 *
 * A line of the plan: operation, sender, receiver, bytes, pairs. A block of lines with the same two
 * ranks has them to itself: the other ranks sleep, so that they take no processor from the two.
 * SECONDS bounds each block: while it is late, of messages that take more than their share only one
 * in eight is sent; what does not fit then is left out, and as sizes come in random order, what is
 * left out is a random part.
 *
 *   pingpong a b s   a sends, b returns it. Rows: pingpong (round trip, at a), send (duration of
 *                    a's MPI_Send, b being ready)
 *   isend a b s      duration of MPI_Isend at a, b being ready
 *   recv a b s       the message has arrived long before b calls MPI_Recv: its duration at b
 *   late a b s       b receives late: durations late_send at a (does MPI_Send wait for the
 *                    receiver?), late_recv at b (had the data moved?)
 *   exchange a b s   MPI_Sendrecv of both at once: duration at a
 *   self a b s      a sends to itself: duration of MPI_Sendrecv
 *   stream a b s    many messages of s bytes one after the other: the time from one to the next at
 *                   a (stream_send) and at b (stream)
 *   train a b s     round trips with no pause in between, the first ones not counted: their mean.
 *                   For links that send more after a pause
 *   order a b s      while a message of s bytes is under way a sends one of 1 byte: when it is at
 *                    b, since both began. Are messages of a pair in order?
 *   flow a b s n     one of n consecutive lines: all n pairs send at once, three messages each; the
 *   time of one of them at b ring a b s n     the same, where the n lines make a ring: each rank
 *   sends and receives at once load a b s n     one of n % 1000 consecutive lines with the same n:
 *   all at once, as flow; a row for each message, when it is at b mesh a b s n     one message of
 *   round n % 1000 of the program n / 1000, whose lines follow each other, by rounds: in each round
 *   all messages go at
 *                    once, and a rank goes on when those from and to it are over. Row, at b: since
 *                    the program began. a = b: a pauses for s us before its messages of the round;
 *                    row pause: how long it was
 *   react a b s n    the first of n % 1000 consecutive lines with the same n, all at once: b waits;
 *   a sends it one byte and n / 1000 tenths of a microsecond
 *                    later both exchange s bytes (MPI_Sendrecv). Rows at a: gap (how much later it
 *                    was) and react (duration of the exchange)
 *   crowd a b s n    one of n % 1000 consecutive lines with the same n: all these pairs do round
 *   trips at the same time, the others sleep. Row at a: the
 *                    mean of some, while all did them
 *   first            not of the plan: before all else, the first round trip of 1 byte of each pair
 *                    of the first ranks: connections are made
 * OUT has "# key: value" lines, then op,src,dst,pairs,size,start,duration. Seconds since the
 * start. */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

enum {
	PINGPONG,
	ISEND,
	RECV,
	LATE,
	EXCHANGE,
	ORDER,
	SELF,
	TRAIN,
	STREAM,
	FLOW,
	RING,
	MESH,
	LOAD,
	REACT,
	CROWD,
	OPS,
	SEND_ROW = OPS,
	LATE_SEND,
	LATE_RECV,
	FIRST,
	PAUSE,
	STREAM_SEND,
	GAP
};
static const char *const op_names[] = {
    "pingpong",  "isend",     "recv",  "late",  "exchange",    "order", "self",  "train",
    "stream",    "flow",      "ring",  "mesh",  "load",        "react", "crowd", "send",
    "late_send", "late_recv", "first", "pause", "stream_send", "gap"};
enum { ROUNDS = 1000 };
enum { TAG = 7, TAG_CONTROL = 8, TAG_TOKEN = 9, TAG_SMALL = 10, MESSAGES = 3 };

struct line {
	int op, src, dst, pairs;
	long size;
};
struct row {
	int op, src, dst, pairs;
	long size;
	double start, duration;
};
struct job {
	int rank, size;
	struct line *plan;
	long lines;
	struct row *rows;
	long n_rows, cap;
	char *out_buffer, *in_buffer;
	double zero, budget;
};

static void fail(const char *text)
{
	fprintf(stderr, "measure: %s\n", text);
	MPI_Abort(MPI_COMM_WORLD, 2);
	exit(2);
}

static void row_add(struct job *j, int op, const struct line *l, double start, double duration)
{
	if (j->n_rows == j->cap) {
		j->cap = j->cap ? 2 * j->cap : 4096;
		j->rows = realloc(j->rows, (size_t)j->cap * sizeof *j->rows);
		if (!j->rows)
			fail("out of memory");
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
		fail("the plan cannot be read");
	while (fscanf(f, "%31s %d %d %ld %d", name, &l.src, &l.dst, &l.size, &l.pairs) == 5) {
		for (l.op = 0; l.op < OPS && strcmp(op_names[l.op], name) != 0; l.op++)
			;
		if (l.op == OPS || l.src < 0 || l.dst < 0 || l.src >= j->size || l.dst >= j->size ||
		    (l.src == l.dst && l.op != MESH) || l.size < 0 || l.size > INT_MAX ||
		    l.pairs < 0 || block_lines(&l) < 1)
			fail("a line of the plan is wrong");
		if (j->lines == cap) {
			cap = cap ? 2 * cap : 1024;
			j->plan = realloc(j->plan, (size_t)cap * sizeof *j->plan);
			if (!j->plan)
				fail("out of memory");
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
		fail("out of memory, or an empty plan");
	MPI_Bcast(j->plan, (int)(j->lines * (long)sizeof *j->plan), MPI_BYTE, 0, MPI_COMM_WORLD);
	for (long i = 0; i < j->lines; i++)
		largest = j->plan[i].size > largest ? j->plan[i].size : largest;
	j->out_buffer = malloc((size_t)largest + 1);
	j->in_buffer = malloc((size_t)largest + 1);
	if (!j->out_buffer || !j->in_buffer)
		fail("out of memory");
	for (long i = 0; i <= largest; i++)
		j->out_buffer[i] = j->in_buffer[i] =
		    (char)(i * 7919 >> 3); /* touched: no page faults while measuring */
}

static void pause_for(double seconds)
{
	struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};

	nanosleep(&t, NULL);
}

static void put(struct job *j, int to, long n)
{
	MPI_Send(j->out_buffer, (int)n, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
}

static void get(struct job *j, int from, long n)
{
	MPI_Recv(j->in_buffer, (int)n, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Both know that the other is here; *value goes from a to b. */
static void meet(const struct job *j, const struct line *l, double *value)
{
	double echo = 0;

	if (j->rank == l->src) {
		MPI_Send(value, 1, MPI_DOUBLE, l->dst, TAG_CONTROL, MPI_COMM_WORLD);
		MPI_Recv(&echo, 1, MPI_DOUBLE, l->dst, TAG_CONTROL, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(value, 1, MPI_DOUBLE, l->src, TAG_CONTROL, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
		MPI_Send(&echo, 1, MPI_DOUBLE, l->src, TAG_CONTROL, MPI_COMM_WORLD);
	}
}

/* One round trip; its duration at the sender, which both are told. */
static double pingpong(struct job *j, const struct line *l, int keep)
{
	double t0 = MPI_Wtime(), t1, t2 = t0;

	if (j->rank == l->src) {
		put(j, l->dst, l->size);
		t1 = MPI_Wtime();
		get(j, l->dst, l->size);
		t2 = MPI_Wtime();
		if (keep) {
			row_add(j, PINGPONG, l, t0, t2 - t0);
			row_add(j, SEND_ROW, l, t0, t1 - t0);
		}
	} else {
		get(j, l->src, l->size);
		put(j, l->src, l->size);
	}
	return t2 - t0;
}

static void isend(struct job *j, const struct line *l)
{
	MPI_Request r;
	double t0, t1;

	if (j->rank == l->src) {
		t0 = MPI_Wtime();
		MPI_Isend(j->out_buffer, (int)l->size, MPI_BYTE, l->dst, TAG, MPI_COMM_WORLD, &r);
		t1 = MPI_Wtime();
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		row_add(j, ISEND, l, t0, t1 - t0);
	} else {
		get(j, l->src, l->size);
	}
}

/* The receiver sleeps until the message must have come; what its library did not take from the
 * network before, it takes in MPI_Recv. */
static void receive_late(struct job *j, const struct line *l, int send_op, int recv_op)
{
	double wait = pingpong(j, l, 1), t0;

	wait = 2 * wait + 2e-3;
	meet(j, l, &wait);
	t0 = MPI_Wtime();
	if (j->rank == l->src) {
		put(j, l->dst, l->size);
		if (send_op >= 0)
			row_add(j, send_op, l, t0, MPI_Wtime() - t0);
	} else {
		pause_for(wait);
		t0 = MPI_Wtime();
		get(j, l->src, l->size);
		row_add(j, recv_op, l, t0, MPI_Wtime() - t0);
	}
}

static void exchange(struct job *j, const struct line *l)
{
	int other = j->rank == l->src ? l->dst : l->src;
	double t0 = MPI_Wtime();

	MPI_Sendrecv(j->out_buffer, (int)l->size, MPI_BYTE, other, TAG, j->in_buffer, (int)l->size,
	             MPI_BYTE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (j->rank == l->src)
		row_add(j, EXCHANGE, l, t0, MPI_Wtime() - t0);
}

/* The small message leaves when half of the large one should have passed. */
static void order(struct job *j, const struct line *l)
{
	MPI_Request r[2];
	double half = pingpong(j, l, 1) / 2, t0;
	int done = 0;

	meet(j, l, &half);
	t0 = MPI_Wtime();
	if (j->rank == l->src) {
		MPI_Isend(j->out_buffer, (int)l->size, MPI_BYTE, l->dst, TAG, MPI_COMM_WORLD,
		          &r[0]);
		while (MPI_Wtime() - t0 < half / 2)
			MPI_Test(&r[0], &done, MPI_STATUS_IGNORE);
		MPI_Send(j->out_buffer, 1, MPI_BYTE, l->dst, TAG_SMALL, MPI_COMM_WORLD);
		MPI_Wait(&r[0], MPI_STATUS_IGNORE);
		return;
	}
	MPI_Irecv(j->in_buffer, (int)l->size, MPI_BYTE, l->src, TAG, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(&done, 1, MPI_BYTE, l->src, TAG_SMALL, MPI_COMM_WORLD, &r[1]);
	MPI_Wait(&r[1], MPI_STATUS_IGNORE);
	row_add(j, ORDER, l, t0, MPI_Wtime() - t0);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
}

static void self(struct job *j, const struct line *l)
{
	double t0 = 0;

	for (int i = 0; i < 2 && j->rank == l->src; i++) { /* the first one warms the caches */
		t0 = MPI_Wtime();
		MPI_Sendrecv(j->out_buffer, (int)l->size, MPI_BYTE, j->rank, TAG, j->in_buffer,
		             (int)l->size, MPI_BYTE, j->rank, TAG, MPI_COMM_WORLD,
		             MPI_STATUS_IGNORE);
	}
	if (j->rank == l->src)
		row_add(j, SELF, l, t0, MPI_Wtime() - t0);
}

static void train(struct job *j, const struct line *l)
{
	enum { BEFORE = 15, TRIPS = 25 };
	double t0 = 0;

	for (int i = 0; i < BEFORE + TRIPS; i++) {
		if (i == BEFORE)
			t0 = MPI_Wtime();
		pingpong(j, l, 0);
	}
	if (j->rank == l->src)
		row_add(j, TRAIN, l, t0, (MPI_Wtime() - t0) / TRIPS);
}

/* The receiver's processor is at nothing else: it reads as fast as it can, several messages at a
 * time if they are there. */
static void stream(struct job *j, const struct line *l)
{
	enum { BEFORE = 10, COUNT = 60 };
	double t0 = 0;

	for (int i = 0; i < BEFORE + COUNT; i++) {
		if (i == BEFORE)
			t0 = MPI_Wtime();
		if (j->rank == l->src)
			put(j, l->dst, l->size);
		else
			get(j, l->src, l->size);
	}
	row_add(j, j->rank == l->src ? STREAM_SEND : STREAM, l, t0, (MPI_Wtime() - t0) / COUNT);
}

/* Processors may be shared with others, whom a long wait must not disturb: the most of it is
 * sleep. */
static void wait_until(double t)
{
	const double inexact = 100e-6;

	if (t - MPI_Wtime() > 2 * inexact)
		pause_for(t - MPI_Wtime() - inexact);
	while (MPI_Wtime() < t)
		;
}

/* Has b, let go by the small message, asked a for its large one before it sees that a asks for its
 * own? */
static void react(struct job *j, const struct line *l)
{
	const double asleep = 5e-4; /* b is, by then */
	int other = j->rank == l->src ? l->dst : l->src;
	double zero = 0, sent, begun;

	meet(j, l, &zero);
	if (j->rank == l->src) {
		pause_for(asleep);
		MPI_Send(j->out_buffer, 1, MPI_BYTE, other, TAG_SMALL, MPI_COMM_WORLD);
		sent = MPI_Wtime();
		if (l->pairs / ROUNDS > 0)
			wait_until(sent + 1e-7 * (l->pairs / ROUNDS));
	} else {
		MPI_Recv(j->in_buffer, 1, MPI_BYTE, other, TAG_SMALL, MPI_COMM_WORLD,
		         MPI_STATUS_IGNORE);
		sent = 0;
	}
	begun = MPI_Wtime();
	MPI_Sendrecv(j->out_buffer, (int)l->size, MPI_BYTE, other, TAG, j->in_buffer, (int)l->size,
	             MPI_BYTE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (j->rank == l->src) {
		row_add(j, GAP, l, sent, begun - sent);
		row_add(j, REACT, l, begun, MPI_Wtime() - begun);
	}
}

static void pair_line(struct job *j, const struct line *l)
{
	switch (l->op) {
	case PINGPONG:
		pingpong(j, l, 1);
		break;
	case ISEND:
		isend(j, l);
		break;
	case RECV:
		receive_late(j, l, -1, RECV);
		break;
	case LATE:
		receive_late(j, l, LATE_SEND, LATE_RECV);
		break;
	case ORDER:
		order(j, l);
		break;
	case SELF:
		self(j, l);
		break;
	case TRAIN:
		train(j, l);
		break;
	case STREAM:
		stream(j, l);
		break;
	default:
		exchange(j, l);
		break;
	}
}

enum { STOP, GO, SKIP };

/* Lines first..last of two ranks. The sender's clock decides what there is time for: large messages
 * take most of it and are no more telling than small ones. */
static void pair_block(struct job *j, long first, long last)
{
	double begin = MPI_Wtime(), share = j->budget / (double)(last - first + 1), per_byte = 0,
	       go, t;

	for (long i = first, dear = 0; i <= last; i++) {
		const struct line *l = &j->plan[i];

		t = MPI_Wtime();
		go = t < begin + j->budget ? GO : STOP;
		if (go == GO && per_byte * (double)l->size > share / 2 &&
		    t - begin > share * (double)(i - first) && dear++ % 8)
			go = SKIP;
		if (j->rank == l->src &&
		    go != SKIP) /* a shaper's bucket fills again: each measurement finds the network
		                   at rest, processes awake */
			pause_for(3e-3);
		meet(j, l, &go);
		if (go == STOP)
			return;
		if (go == SKIP)
			continue;
		t = MPI_Wtime();
		pair_line(j, l);
		if (l->size > 10000)
			per_byte = (MPI_Wtime() - t) / (double)l->size;
	}
}

struct flows {
	MPI_Request *in, *out;
	long *line_in; /* of a receive whose end is a row, else -1 */
	int n_in, n_out;
};

/* However many hosts of one cabinet send to one of another. */
static void flows_new(struct flows *f, long lines)
{
	size_t n = (size_t)lines * MESSAGES;

	*f = (struct flows){malloc(n * sizeof *f->in), malloc(n * sizeof *f->out),
	                    malloc(n * sizeof *f->line_in), 0, 0};
	if (!f->in || !f->out || !f->line_in)
		fail("out of memory");
}

static void flows_free(struct flows *f)
{
	free(f->in);
	free(f->out);
	free(f->line_in);
}

/* Consecutive lines: a rank may send in one and receive in others. */
static void flow_block(struct job *j, long first, long last)
{
	const int op = j->plan[first].op;
	struct flows f;
	double t0;
	int which;

	flows_new(&f, last - first + 1);
	MPI_Barrier(MPI_COMM_WORLD);
	t0 = MPI_Wtime();
	for (long i = first; i <= last; i++) {
		const struct line *l = &j->plan[i];

		for (int m = 0; m < MESSAGES; m++) {
			if (l->dst == j->rank) {
				MPI_Irecv(j->in_buffer, (int)l->size, MPI_BYTE, l->src, TAG,
				          MPI_COMM_WORLD, &f.in[f.n_in]);
				f.line_in[f.n_in++] = m == MESSAGES - 1 || op == LOAD ? i : -1;
			}
			if (l->src == j->rank)
				MPI_Isend(j->out_buffer, (int)l->size, MPI_BYTE, l->dst, TAG,
				          MPI_COMM_WORLD, &f.out[f.n_out++]);
		}
	}
	for (int left = f.n_in; left > 0; left--) {
		MPI_Waitany(f.n_in, f.in, &which, MPI_STATUS_IGNORE);
		if (f.line_in[which] >= 0)
			row_add(j, op, &j->plan[f.line_in[which]], t0,
			        (MPI_Wtime() - t0) / (op == LOAD ? 1 : MESSAGES));
	}
	for (int i = 0; i < f.n_out; i++)
		MPI_Wait(&f.out[i], MPI_STATUS_IGNORE);
	flows_free(&f);
}

static void crowd(struct job *j, const struct line *l)
{
	enum { BEFORE = 15, TRIPS = 40, AFTER = 15 };
	double t0 = 0, t = 0;

	for (int i = 0; i < BEFORE + TRIPS + AFTER; i++) {
		if (i == BEFORE)
			t0 = MPI_Wtime();
		if (i == BEFORE + TRIPS)
			t = MPI_Wtime() - t0;
		pingpong(j, l, 0);
	}
	if (j->rank == l->src)
		row_add(j, CROWD, l, t0, t / TRIPS);
}

/* Pairs at once; the others wait for them at the next barrier. */
static void pairs_block(struct job *j, long first, long last,
                        void (*experiment)(struct job *, const struct line *))
{
	MPI_Barrier(MPI_COMM_WORLD);
	for (long i = first; i <= last; i++)
		if (j->plan[i].src == j->rank || j->plan[i].dst == j->rank) {
			pause_for(3e-3);
			experiment(j, &j->plan[i]);
			return;
		}
}

/* Lines first..last are one round: the pauses, then the messages. */
static void mesh_round(struct job *j, long first, long last, double t0)
{
	enum { PER_RANK = 64 };
	MPI_Request r[2 * PER_RANK];
	long line_in[PER_RANK];
	int n = 0, n_in = 0;
	double begin;

	for (long i = first; i <= last; i++)
		if (j->plan[i].src == j->rank && j->plan[i].dst == j->rank) {
			begin = MPI_Wtime();
			pause_for(1e-6 * (double)j->plan[i].size);
			row_add(j, PAUSE, &j->plan[i], begin, MPI_Wtime() - begin);
		}
	for (long i = first; i <= last; i++)
		if (j->plan[i].dst == j->rank && j->plan[i].src != j->rank && n_in < PER_RANK) {
			MPI_Irecv(j->in_buffer, (int)j->plan[i].size, MPI_BYTE, j->plan[i].src, TAG,
			          MPI_COMM_WORLD, &r[n++]);
			line_in[n_in++] = i;
		}
	for (long i = first; i <= last; i++)
		if (j->plan[i].src == j->rank && j->plan[i].dst != j->rank && n < 2 * PER_RANK)
			MPI_Isend(j->out_buffer, (int)j->plan[i].size, MPI_BYTE, j->plan[i].dst,
			          TAG, MPI_COMM_WORLD, &r[n++]);
	for (int i = 0; i < n; i++)
		MPI_Wait(&r[i], MPI_STATUS_IGNORE);
	begin = MPI_Wtime() - t0;
	for (int i = 0; i < n_in; i++)
		row_add(j, MESH, &j->plan[line_in[i]], t0, begin);
}

static void mesh_block(struct job *j, long first, long last)
{
	double t0;

	MPI_Barrier(MPI_COMM_WORLD);
	pause_for(3e-3);
	MPI_Barrier(MPI_COMM_WORLD);
	t0 = MPI_Wtime();
	for (long i = first, next; i <= last; i = next) {
		for (next = i; next <= last && j->plan[next].pairs == j->plan[i].pairs; next++)
			;
		mesh_round(j, i, next - 1, t0);
	}
}

/* A rank that has nothing to do looks for its token every millisecond. */
static void token_wait(int from)
{
	int there = 0, nothing;

	while (!there) {
		MPI_Iprobe(from, TAG_TOKEN, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
		if (!there)
			pause_for(1e-3);
	}
	MPI_Recv(&nothing, 1, MPI_INT, from, TAG_TOKEN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void block_run(struct job *j, long first, long last)
{
	const struct line *l = &j->plan[first];
	int nothing = 0;

	if (l->op == FLOW || l->op == RING || l->op == LOAD) {
		flow_block(j, first, last);
		return;
	}
	if (l->op == MESH) {
		mesh_block(j, first, last);
		return;
	}
	if (l->op == REACT || l->op == CROWD) {
		pairs_block(j, first, last, l->op == REACT ? react : crowd);
		return;
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (j->rank == l->src || j->rank == l->dst) {
		pause_for(2e-3); /* the others are asleep now */
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
		pause_for(20e-3);
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

/* --- what the figures were measured on --- */

static void head_file(FILE *f, const char *key, const char *path, const char *field)
{
	char line[512], *value;
	FILE *in = fopen(path, "r");

	while (in && fgets(line, sizeof line, in)) {
		if (strncmp(line, field, strlen(field)) != 0)
			continue;
		value = strchr(line, ':');
		value = field[0] && value ? value + 1 + strspn(value + 1, " \t") : line;
		fprintf(f, "# %s: %.*s\n", key, (int)strcspn(value, "\n"), value);
		break;
	}
	if (in)
		fclose(in);
}

enum { BOOT = 40 };

/* Namespaces, containers: hosts of different names that one kernel runs. boots: what each rank's
 * kernel calls its start. */
static int one_computer(const struct job *j, const char *names, const char *boots)
{
	int other_host = 0;

	for (int r = 1; r < j->size; r++) {
		if (boots[0] == '\0' || strncmp(boots, boots + (size_t)r * BOOT, BOOT) != 0)
			return 0;
		other_host |= strcmp(names, names + (size_t)r * MPI_MAX_PROCESSOR_NAME) != 0;
	}
	return other_host;
}

static void boot_read(char boot[BOOT])
{
	FILE *in = fopen("/proc/sys/kernel/random/boot_id", "r");

	memset(boot, 0, BOOT);
	if (!in)
		return;
	if (!fgets(boot, BOOT, in))
		boot[0] = '\0';
	fclose(in);
}

/* --- who else used the processors --- */

/* Of this rank's kernel: s of processors in use by anybody since it started (/proc/stat; < 0: not
 * told); of this rank: s of processor time; s since the start of the measurements. */
struct usage {
	double anybody, own, wall;
};

static struct usage usage_now(void)
{
	double user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
	struct usage u = {-1, 0, MPI_Wtime()};
	struct timespec own;
	FILE *in = fopen("/proc/stat", "r");

	if (in && fscanf(in, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &user, &nice, &system, &idle,
	                 &wait, &irq, &soft, &steal) == 8)
		u.anybody = (user + nice + system + irq + soft + steal) /
		            (double)sysconf(_SC_CLK_TCK);
	if (in)
		fclose(in);
	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own) == 0)
		u.own = (double)own.tv_sec + 1e-9 * (double)own.tv_nsec;
	return u;
}

static struct usage usage_since(const struct usage *before)
{
	struct usage u = usage_now();

	u.anybody = u.anybody < 0 || before->anybody < 0 ? -1 : u.anybody - before->anybody;
	u.own -= before->own;
	u.wall -= before->wall;
	return u;
}

/* The busiest kernel's processors in use by others than its ranks, as a part of all of them. */
static double others_share(const struct job *j, const struct usage *use, const char *boots,
                           const long *processors)
{
	double most = -1;

	for (int r = 0; r < j->size; r++) {
		double own = 0, share;

		for (int k = 0; k < j->size; k++)
			if (strncmp(boots + (size_t)r * BOOT, boots + (size_t)k * BOOT, BOOT) == 0)
				own += use[k].own;
		if (boots[(size_t)r * BOOT] == '\0' || use[r].anybody < 0 || use[r].wall <= 0)
			continue;
		share = (use[r].anybody - own) / (use[r].wall * (double)processors[r]);
		most = share > most ? share : most;
	}
	return most < -0.5 ? -1 : most < 0 ? 0 : most;
}

static void head(FILE *f, const struct job *j, const char *names, const char *boots, double others)
{
	char library[MPI_MAX_LIBRARY_VERSION_STRING], date[64];
	int n;
	struct utsname u;
	time_t now = time(NULL);
	double t0 = MPI_Wtime();

	for (int i = 0; i < 1000; i++)
		(void)MPI_Wtime();
	t0 = (MPI_Wtime() - t0) / 1000;
	MPI_Get_library_version(library, &n);
	for (char *p = library; *p; p++)
		if (*p == '\n' || *p == '\r')
			*p = ' ';
	uname(&u);
	strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S %z", localtime(&now));
	fprintf(
	    f,
	    "# orrery measure: 1\n# date: %s\n# mpi: %.200s\n# kernel: %s %s %s\n# ranks: %d\n# processors of a host: %ld\n# "
	    "clock cost: %g\n",
	    date, library, u.sysname, u.release, u.machine, j->size, sysconf(_SC_NPROCESSORS_ONLN),
	    t0);
	if (one_computer(j, names, boots))
		fprintf(f, "# hosts are virtual, processors of their computer: %ld\n",
		        sysconf(_SC_NPROCESSORS_ONLN));
	if (others >= 0)
		fprintf(f, "# processors in use by others: %.4f of all, for %.3f s\n", others,
		        MPI_Wtime() - j->zero);
	head_file(f, "processor", "/proc/cpuinfo", "model name");
	head_file(f, "frequency MHz", "/proc/cpuinfo", "cpu MHz");
	head_file(f, "governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "");
	head_file(f, "load", "/proc/loadavg", "");
	fprintf(f, "# hosts: ");
	for (int r = 0; r < j->size; r++)
		fprintf(f, "%s%s", r ? "," : "", names + (size_t)r * MPI_MAX_PROCESSOR_NAME);
	fprintf(f, "\nop,src,dst,pairs,size,start,duration\n");
}

static void rows_write(const struct job *j, const char *path, const struct usage *start)
{
	struct usage use = usage_since(start), *uses = calloc((size_t)j->size, sizeof *uses);
	long processors = sysconf(_SC_NPROCESSORS_ONLN),
	     *all_processors = calloc((size_t)j->size, sizeof *all_processors);
	char *names = calloc((size_t)j->size, MPI_MAX_PROCESSOR_NAME),
	     name[MPI_MAX_PROCESSOR_NAME] = "";
	char *boots = calloc((size_t)j->size, BOOT), boot[BOOT];
	int n, bytes = (int)(j->n_rows * (long)sizeof *j->rows);
	FILE *f = NULL;

	boot_read(boot);
	MPI_Get_processor_name(name, &n);
	MPI_Gather(name, sizeof name, MPI_CHAR, names, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Gather(boot, BOOT, MPI_CHAR, boots, BOOT, MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Gather(&use, 3, MPI_DOUBLE, uses, 3, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	MPI_Gather(&processors, 1, MPI_LONG, all_processors, 1, MPI_LONG, 0, MPI_COMM_WORLD);
	if (j->rank != 0) {
		MPI_Send(&bytes, 1, MPI_INT, 0, TAG_CONTROL, MPI_COMM_WORLD);
		MPI_Send(j->rows, bytes, MPI_BYTE, 0, TAG_CONTROL, MPI_COMM_WORLD);
		free(all_processors);
		free(uses);
		free(names);
		free(boots);
		return;
	}
	f = fopen(path, "w");
	if (!f)
		fail("the output file cannot be written");
	head(f, j, names, boots, others_share(j, uses, boots, all_processors));
	for (int r = 0; r < j->size; r++) {
		struct row *rows = j->rows;

		if (r > 0) {
			MPI_Recv(&bytes, 1, MPI_INT, r, TAG_CONTROL, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
			rows = malloc((size_t)bytes + 1);
			if (!rows)
				fail("out of memory");
			MPI_Recv(rows, bytes, MPI_BYTE, r, TAG_CONTROL, MPI_COMM_WORLD,
			         MPI_STATUS_IGNORE);
		}
		for (size_t i = 0; i < (size_t)bytes / sizeof *rows; i++)
			fprintf(f, "%s,%d,%d,%d,%ld,%.9f,%.9g\n", op_names[rows[i].op], rows[i].src,
			        rows[i].dst, rows[i].pairs, rows[i].size, rows[i].start,
			        rows[i].duration);
		if (r > 0)
			free(rows);
	}
	if (fclose(f) != 0)
		fail("the output file cannot be written");
	free(boots);
	free(names);
	free(uses);
	free(all_processors);
}

int main(int argc, char **argv)
{
	struct job j = {0};
	struct usage start;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &j.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &j.size);
	if (argc != 4)
		fail("usage: measure PLAN OUT SECONDS");
	if (sscanf(argv[3], "%lf", &j.budget) != 1)
		fail("SECONDS is a number");
	if (j.size < 2)
		fail(
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
