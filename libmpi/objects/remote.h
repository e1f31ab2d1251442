/* remote.h: what windows and files need of those who communicate (libmpi/core/rma.c, file.c).
 * Operations are those of src/mp/mp.h; targets are processes, -1: all or none. All return error
 * codes of MPI.
 *
 * Each operation asks the simulator, which lets this process go on at the operation's date: data
 * that are moved right after it are moved in the order of simulated time.
 */
#ifndef ORRERY_LIBMPI_REMOTE_H
#define ORRERY_LIBMPI_REMOTE_H

#include <sys/uio.h>

#include "comm.h"

/* Between these, what this process does is no computation of the program's. They nest. */
void orr_core_enter(void);
void orr_core_leave(void);

/* --- windows: kinds of mp_rma and mp_win_sync, in their order --- */
enum orr_rma_kind { RMA_PUT, RMA_GET, RMA_ACCUMULATE, RMA_FETCH };
enum orr_win_sync {
	WIN_FENCE,
	WIN_COMPLETE,
	WIN_WAIT,
	WIN_LOCK,
	WIN_LOCK_EXCLUSIVE,
	WIN_LOCK_UNCHECKED,
	WIN_UNLOCK,
	WIN_FLUSH,
	WIN_FLUSH_LOCAL,
	WIN_FREE
};
int orr_core_win_make(struct orr_comm *c, uint32_t *win);
/* request: NULL, or what the request form returns. ordered: waits for the operation's date;
 * otherwise it is only queued. */
int orr_core_rma(uint32_t win, enum orr_rma_kind kind, int process, int64_t bytes, int ordered,
                 MPI_Request *request);
/* With --checks: what an operation without a request has for its target, what it reads here, what
 * it writes here: elements of a type at an address; type NULL: nothing. */
struct orr_touch {
	uint64_t address;
	MPI_Count count;
	struct orr_type *type;
};
int orr_core_watches(void);
/* After orr_core_rma. t: three of them, in this order. */
void orr_core_touches(uint32_t win, enum orr_rma_kind kind, int process, const struct orr_touch *t);
int orr_core_win_sync(uint32_t win, enum orr_win_sync what, int process);
int orr_core_win_group(uint32_t win, int post, const struct orr_group *g);
/* Lets the others go on: for loops that look at memory. */
int orr_core_poll(void);

/* --- memory --- */
/* Memory that all processes of the run can address: a place, the same for all; 0: there is none. */
uint64_t orr_core_shared_new(int64_t bytes);
void orr_core_shared_free(uint64_t place);
void *orr_core_shared_at(uint64_t place);
/* Whether all of a communicator are on one simulated host. */
int orr_core_one_host(const struct orr_comm *c);
/* From this process's memory into another's, or the other way: pieces of equal total length. 0, or
 * -1: it is not there; ends the program if the system forbids it. */
int orr_core_peer_copy(int process, int write, const struct iovec *mine, size_t n_mine,
                       const struct iovec *its, size_t n_its);
/* This process's memory may be reached by the others. */
void orr_core_peer_allow(void);

/* --- files: ways of mp_file_access, in their order --- */
enum orr_file_way { FILE_ALONE, FILE_SHARED, FILE_ORDERED, FILE_ALL, FILE_HOLES };
int orr_core_file_open(struct orr_comm *c, const char *name, uint32_t *file);
/* ordered: waits for the operation's date, as what others have written by then is to be seen (the
 * shared pointer, atomic mode, blocking calls of all); otherwise it is only queued: MPI lets nobody
 * see data of others but behind calls that synchronise, which wait (MPI 4.0, 14.6.1). */
int orr_core_file_access(uint32_t file, enum orr_file_way way, int write, int64_t bytes,
                         int ordered, MPI_Request *request);
/* The status of what a request of a file or window is about: to be told when it is complete. */
void orr_core_request_bytes(MPI_Request request, int64_t bytes);
int orr_core_file_sync(uint32_t file);
int orr_core_file_close(uint32_t file);
int orr_core_file_unlink(const char *name);

#endif
