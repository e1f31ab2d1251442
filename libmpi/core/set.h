/* set.h: the requests of one call, and those that the program completes: what the files of
 * requests share. */
#ifndef ORRERY_LIBMPI_SET_H
#define ORRERY_LIBMPI_SET_H

#include "front.h"
#include "link.h"
#include "request.h"

struct grequest {
	struct front_general call;
	void *extra;
	int complete;
};

/* general.c: the program's functions are called, and the status set. */
int general_complete(struct orr_request *r, MPI_Status *status);
/* Whether it is complete; the program is asked first. */
int general_ready(const struct orr_request *r);
/* MPI_Request_free. */
int general_free(struct orr_request *r);

/* request.c: what a completion says of a request, into its buffer and status: an error code. */
int request_complete(struct orr_request *r, const struct wire_done *d, MPI_Status *status);

struct set { /* the requests of one call */
	int n;
	MPI_Request *handle;
	MPI_Status *status; /* NULL: not wanted */
	int quiet, active;  /* all need no answer; how many are active */
	int general;        /* of these: how many the program completes, */
	int halves;         /* how many are a receive whose send is not complete */
	int failed;
};

int set_make(struct set *s, int n, MPI_Request *handle, MPI_Status *status);
/* The i-th is null or inactive: its status. */
void set_empty(struct set *s, int i);
/* WIRE_WAIT or WIRE_TEST of those that the simulator completes. */
struct wire_op *set_op(const struct set *s, enum wire_kind kind, int mode);
enum { TEST_ONE, TEST_ALL, TEST_ANY, TEST_SOME }; /* modes: enum mp_test_kind */

/* What an answer says of the request at `index`: it is complete, its status at `at`. */
int set_complete(struct set *s, int index, const struct wire_done *d, int at);
/* An answer for all of them: each status at the place of its request. */
void set_all(struct set *s, const struct wire_answer *a);
/* Of a call for n requests. */
int set_code(const struct set *s, int n);
/* Of a call for one: the error itself, and MPI_ERROR of the status is not touched. */
static inline int set_one_code(const struct set *s)
{
	return s->failed;
}

/* Those that the program completes: whether the i-th is complete, how many are. */
int set_general_done(const struct set *s, int i);
int set_generals_done(const struct set *s);
/* Until the program has completed them all; they are active until they are told of. */
void set_generals_await(const struct set *s);
/* All of them, waited for. */
void set_generals_wait(struct set *s);
/* Time passes, and other threads may call MPI. */
void set_pass(void);

/* Those that are a send and a receive, the send of which is asked for first.
 * The i-th is complete as it was asked for; 1: that was its send. */
int set_half_done(struct set *s, int i);
/* Nobody needs to know when the sends are complete: what waits next does so after them. */
void set_halves_wait(struct set *s);
/* Looks whether they are; 1: there is none that is not. */
int set_halves_test(struct set *s);

/* With several threads: tests until one tells that it is complete. */
typedef int look_fn(int count, MPI_Request *requests, int *n, int *indices, MPI_Status *statuses);
int set_looks(look_fn *look, int count, MPI_Request *requests, int *n, int *indices,
              MPI_Status *statuses);

static inline const struct wire_done *dones_of(const struct wire_answer *a)
{
	return a->list ? link_at(a->list) : a->done;
}

#endif
