/* file.h: files of MPI. Data are in real files, which each process opens and reads and writes
 * itself; what that costs in the simulation is the simulator's answer to the same call (remote.h).
 * Data move after the answer, so that whoever is told afterwards, by a message or a barrier, finds
 * them.
 *
 * Opening, closing, views and sizes end for nobody before all have begun them, as the simulator
 * ends them with a barrier. So what members tell each other then they give before the call and take
 * behind it, which takes no time, and nobody waits for more than its replay does; and what is to be
 * done once for all is done by whoever comes first behind the call (orr_file_once).
 *
 * A view turns positions, which count bytes of the view's data, into places of the file: by walking
 * over the filetype (type.h), again and again. The shared pointer lies in memory that all share.
 */
#ifndef ORRERY_LIBMPI_FILE_H
#define ORRERY_LIBMPI_FILE_H

#include <stdatomic.h>

#include "comm.h"
#include "type.h"

struct orr_datarep { /* of the program */
	struct orr_datarep *next;
	char *name;
	void *read, *write, *extent, *extra; /* tokens of the front; 0: as in memory */
};
enum orr_representation { DATA_NATIVE, DATA_EXTERNAL32, DATA_USER };
struct orr_view {
	MPI_Offset disp;
	struct orr_type *etype, *filetype;
	int64_t unit; /* bytes of an etype in the file */
	uint8_t representation;
	uint8_t plain; /* the filetype has no holes: a place is a position */
	int64_t piece; /* bytes in one piece from where the filetype begins; INT64_MAX: all */
	const struct orr_datarep *user;
	char name[MPI_MAX_DATAREP_STRING];
};
struct orr_file_shared { /* by all who have opened it */
	_Atomic uint32_t lock;
	_Atomic uint32_t left;    /* how many have closed it */
	_Atomic int64_t position; /* in etypes */
	int64_t begin;            /* where it stood when it was opened, */
	int64_t ordered;          /* and before the last access in the order of ranks */
	_Atomic uint32_t changing;
	uint32_t changes; /* so far, and errno of the last */
	int error;
	int made; /* a member has opened it, and made it if it was not there */
};
enum orr_split {
	SPLIT_NONE,
	SPLIT_READ_ALL,
	SPLIT_READ_AT,
	SPLIT_READ_ORDERED,
	SPLIT_WRITE_ALL,
	SPLIT_WRITE_AT,
	SPLIT_WRITE_ORDERED
};
struct orr_file {
	struct orr_object o;
	struct orr_comm *comm;
	int fd, amode, atomic;
	uint32_t number; /* the simulator's */
	char *path;
	struct orr_view view;
	int64_t position; /* in etypes */
	uint64_t place;   /* of what is shared */
	uint32_t changes; /* that this member has passed */
	struct orr_file_shared *shared;
	enum orr_split split; /* a collective that has begun, and not ended */
	MPI_Request pending;
	struct orr_later *later; /* of one in the order of ranks: what it will move */
};

static inline struct orr_file *orr_file_of(MPI_File fh)
{
	return orr_object(ORR_FILE, fh);
}
int orr_errno_class(int error); /* an error class for errno */
/* Behind a call of all: makes a change, if nobody has yet; its errno, to all. */
int orr_file_once(struct orr_file *f, int (*change)(struct orr_file *f, int64_t to), int64_t to);

/* --- views (file_view.c) --- */
int orr_view_default(struct orr_view *v);
void orr_view_end(struct orr_view *v);
/* The data of the view from position on, to or from memory; returns how many bytes were moved
 * (reading ends at the end of the file), -1 with errno. */
int64_t orr_view_move(const struct orr_file *f, int write, int64_t position, char *data,
                      int64_t bytes);

#endif
