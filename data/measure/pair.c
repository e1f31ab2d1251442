/* pair.c: experiments of two ranks, which have the network and their processors to themselves
 * (measure.c says what each is). */
#include "measure.h"

static void put(struct job *j, int to, long n)
{
	MPI_Send(j->out_buffer, (int)n, MPI_BYTE, to, TAG, MPI_COMM_WORLD);
}

static void get(struct job *j, int from, long n)
{
	MPI_Recv(j->in_buffer, (int)n, MPI_BYTE, from, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Both know that the other is here; *value goes from a to b. */
void pair_meet(const struct job *j, const struct line *l, double *value)
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
double pair_pingpong(struct job *j, const struct line *l, int keep)
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
	double wait = pair_pingpong(j, l, 1), t0;

	wait = 2 * wait + 2e-3;
	pair_meet(j, l, &wait);
	t0 = MPI_Wtime();
	if (j->rank == l->src) {
		put(j, l->dst, l->size);
		if (send_op >= 0)
			row_add(j, send_op, l, t0, MPI_Wtime() - t0);
	} else {
		measure_pause(wait);
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
	double half = pair_pingpong(j, l, 1) / 2, t0;
	int done = 0;

	pair_meet(j, l, &half);
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
		pair_pingpong(j, l, 0);
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

static void pair_line(struct job *j, const struct line *l)
{
	switch (l->op) {
	case PINGPONG:
		pair_pingpong(j, l, 1);
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
void pair_block(struct job *j, long first, long last)
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
		/* A shaper's bucket fills again: each measurement finds the network at rest. */
		if (j->rank == l->src && go != SKIP)
			measure_pause(3e-3);
		pair_meet(j, l, &go);
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
