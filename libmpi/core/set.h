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
/* Looks whether the sends of those that are two are complete; 1: there is none that is not. */
int halves_test(struct set *s);
/* WIRE_WAIT or WIRE_TEST of those that the simulator completes. */
struct wire_op *set_op(const struct set *s, enum wire_kind kind, int mode);
static inline const struct wire_done *dones_of(const struct wire_answer *a)
{
	return a->list ? link_at(a->list) : a->done;
}

#endif
