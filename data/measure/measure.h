/* measure.h: what the files of the measuring program share (measure.c). */
#ifndef MEASURE_H
#define MEASURE_H

#include <mpi.h>

/* What a line of the plan asks for, and the other kinds of rows: op_names has their names. Up to
 * STREAM of two ranks alone; from FLOW on of many at once. */
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
extern const char *const op_names[];
enum { ROUNDS = 1000 }; /* pairs of a line, or round of a program, is what this leaves of `pairs` */
enum { TAG = 7, TAG_CONTROL = 8, TAG_TOKEN = 9, TAG_SMALL = 10 };

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

/* Ends all ranks. */
void measure_fail(const char *text);
/* Keeps a value: start, a date of MPI_Wtime; duration, s. Both go to the file by rows_write. */
void row_add(struct job *j, int op, const struct line *l, double start, double duration);
void measure_pause(double seconds);

/* pair.c: experiments of two ranks, called by both. */
/* Both know that the other is here; *value goes from a to b. */
void pair_meet(const struct job *j, const struct line *l, double *value);
/* One round trip; its duration at the sender, which is 0 at the other one. keep: adds its rows. */
double pair_pingpong(struct job *j, const struct line *l, int keep);
/* Lines first..last of two ranks, within the seconds that a block has. */
void pair_block(struct job *j, long first, long last);

/* many.c: experiments of many ranks at once, called by all. */
void flow_block(struct job *j, long first, long last);
void mesh_block(struct job *j, long first, long last);
void react_block(struct job *j, long first, long last);
void crowd_block(struct job *j, long first, long last);

/* rows.c: the file. Of this rank's kernel: s of processors in use by anybody since it started
 * (/proc/stat; < 0: not told); of this rank: s of processor time; s since the start of the
 * measurements. */
struct usage {
	double anybody, own, wall;
};
struct usage usage_now(void);
/* Of all ranks, by rank 0, which writes them; called by all. start: when measuring began. */
void rows_write(const struct job *j, const char *path, const struct usage *start);

#endif
