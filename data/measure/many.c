/* many.c: experiments of many ranks at once (measure.c says what each is). */
#include "measure.h"

#include <stdlib.h>

enum { MESSAGES = 3 }; /* of each line of flow, ring and load */

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
		measure_fail("out of memory");
}

static void flows_free(struct flows *f)
{
	free(f->in);
	free(f->out);
	free(f->line_in);
}

/* Consecutive lines: a rank may send in one and receive in others. */
void flow_block(struct job *j, long first, long last)
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

/* Processors may be shared with others, whom a long wait must not disturb: the most of it is
 * sleep. */
static void wait_until(double t)
{
	const double inexact = 100e-6;

	if (t - MPI_Wtime() > 2 * inexact)
		measure_pause(t - MPI_Wtime() - inexact);
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

	pair_meet(j, l, &zero);
	if (j->rank == l->src) {
		measure_pause(asleep);
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

static void crowd(struct job *j, const struct line *l)
{
	enum { BEFORE = 15, TRIPS = 40, AFTER = 15 };
	double t0 = 0, t = 0;

	for (int i = 0; i < BEFORE + TRIPS + AFTER; i++) {
		if (i == BEFORE)
			t0 = MPI_Wtime();
		if (i == BEFORE + TRIPS)
			t = MPI_Wtime() - t0;
		pair_pingpong(j, l, 0);
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
			measure_pause(3e-3);
			experiment(j, &j->plan[i]);
			return;
		}
}

void react_block(struct job *j, long first, long last)
{
	pairs_block(j, first, last, react);
}

void crowd_block(struct job *j, long first, long last)
{
	pairs_block(j, first, last, crowd);
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
			measure_pause(1e-6 * (double)j->plan[i].size);
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

void mesh_block(struct job *j, long first, long last)
{
	double t0;

	MPI_Barrier(MPI_COMM_WORLD);
	measure_pause(3e-3);
	MPI_Barrier(MPI_COMM_WORLD);
	t0 = MPI_Wtime();
	for (long i = first, next; i <= last; i = next) {
		for (next = i; next <= last && j->plan[next].pairs == j->plan[i].pairs; next++)
			;
		mesh_round(j, i, next - 1, t0);
	}
}
