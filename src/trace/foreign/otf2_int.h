/* otf2_int.h: what the files that read OTF2 share. */
#ifndef ORRERY_TRACE_OTF2_INT_H
#define ORRERY_TRACE_OTF2_INT_H

#include "foreign.h"

#include <otf2/otf2.h>

/* What a region is, once: an MPI function, or none. */
struct otf2_region {
	uint64_t id, name; /* name: a string's id */
	int mpi;
	int op;      /* foreign_op */
	int started; /* foreign_op_started */
};
struct otf2_group {
	uint64_t id;
	OTF2_GroupType type;
	int mpi, global;
	uint64_t *members;
	uint32_t n;
};
struct otf2_comm {
	uint64_t id, group, other; /* other: of an intercommunicator, else UINT64_MAX */
	int index;                 /* foreign communicator, or -1: not one that can be replayed */
};
struct otf2_location {
	uint64_t id, group, events; /* events: as its definition says */
	uint32_t rank;              /* HASH_NONE: of no rank, or a further thread of one */
};

/* One request: who is at the other end is told when it completes. */
struct otf2_request {
	uint32_t peer, comm, tag;
	uint64_t bytes;
	uint8_t known, receive, cancelled;
	uint8_t completes; /* somewhere, by the first pass */
	struct foreign_coll coll;
};
struct otf2_message {
	uint32_t peer, comm, tag;
	uint64_t bytes;
};
struct otf2_rank {
	struct otf2_request *request;
	uint32_t n, cap, next; /* next: of the second pass */
	struct hash64 open;    /* request id -> index */
	uint32_t lost;         /* of these, in the second pass: never complete in the archive */
	uint64_t left;         /* date at which the last MPI call was left */
	uint64_t off;          /* since when nothing is measured; 0: it is */
	uint64_t unmeasured;   /* how long that was before, in the second pass */
	int64_t count, count_left;
	/* Messages sent to this rank; receives that say from whom, and that never say it. */
	uint64_t incoming, taken, unknown;
	uint64_t unknown_now; /* of these, so far in the second pass */
	uint32_t depth;
	int region; /* index, of the MPI call that it is in */
	struct otf2_message sent, received;
	uint8_t has_sent, has_received, has_coll, begun, ended;
	uint8_t told; /* it has a record of a collective */
	struct foreign_coll coll;
	int64_t *done; /* requests that the call completed */
	uint32_t n_done, cap_done;
};

struct otf2 {
	OTF2_Reader *reader;
	char *anchor; /* or NULL: it is the path that was given */
	char **string;
	uint32_t n_strings, cap_strings;
	struct hash64 strings, regions, comms, groups, locations;
	struct otf2_region *region;
	uint32_t n_regions, cap_regions;
	struct otf2_group *group;
	uint32_t n_groups, cap_groups;
	struct otf2_comm *comm;
	uint32_t n_comms, cap_comms;
	struct otf2_location *location;
	uint32_t n_locations, cap_locations;
	double frequency;         /* ticks per second */
	uint32_t type, type_size; /* attributes of our own writer (write_otf2_defs.c) */
	int typed;
	uint64_t counter_name; /* id of the string PAPI_TOT_INS, and of the member called so */
	uint64_t counter_member;
	uint64_t counter_class; /* of the class that has it, at this place */
	int counter_at;         /* -1: none */
	int scorep;             /* sizes of collectives are sums, as Score-P writes them */
	struct otf2_rank *rank;
	struct foreign *f;
	struct err *err; /* of the read under way */
};

struct otf2_place { /* of one callback */
	struct otf2 *o;
	struct otf2_rank *r; /* NULL: not a rank's */
	uint32_t rank;
};

static inline struct otf2_place otf2_place_of(void *user, OTF2_LocationRef location)
{
	struct otf2 *o = user;
	uint32_t at = hash64_find(&o->locations, location);
	struct otf2_place p = {.o = o};

	if (at != HASH_NONE && o->location[at].rank != HASH_NONE) {
		p.rank = o->location[at].rank;
		p.r = &o->rank[p.rank];
	}
	return p;
}

static inline OTF2_CallbackCode otf2_result(int r)
{
	return r < 0 ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

/* otf2_messages.c: the foreign communicator, or -1 with o->err set. */
int otf2_comm_index(struct otf2 *o, uint32_t id);
/* The next request of the rank: made in the first pass, found again in the second. */
struct otf2_request *otf2_request_next(struct otf2_place p, uint64_t id, uint32_t *index);
/* The request with this id completes in the call under way; NULL: it is not known. */
struct otf2_request *otf2_request_done(struct otf2_place p, uint64_t id);
/* What a blocking call has sent and received. */
int otf2_messages_put(struct otf2_place p, int op);
void otf2_messages_register(OTF2_EvtReaderCallbacks *c);

/* otf2_coll.c */
void otf2_colls_register(OTF2_EvtReaderCallbacks *c);

/* otf2_events.c */
int otf2_events_read(struct foreign *f, struct err *err);

#endif
