/* schedule.h: the face of the room that simulates a GOAL schedule as the graph that it is: in the
 * LogGOPS model, or with messages that share the links of a machine.
 *
 * An operation starts when what it waits for is over and its processor (cpu) is free; in LogGOPS a
 * message also when the interface (nic) is. A rank may do several things at a time. */
#ifndef ORRERY_SCHEDULE_SCHEDULE_H
#define ORRERY_SCHEDULE_SCHEDULE_H

#include "net/factor.h"
#include "net/net.h"
#include "trace/schedule.h"
#include "trail.h"

/* Seconds; O, G: per byte; S: bytes. See docs/models.md. */
struct schedule_model {
	double L, o, g, G, O, S;
};

struct schedule_result {
	double end; /* of the last operation, s */
	uint64_t messages;
	double bytes; /* of all messages */
	/* s, of all ranks: in which a processor computes; in which none does, and one works on a
	 * message, or a message moves that the rank waits for: one to it, or one that it sends and
	 * that is not over before; after its end. Of ranks of one processor in LogGOPS: what their
	 * processors do, 0. */
	double computing, sending, idle;
	double path;                      /* s of the critical path in which a rank computes */
	uint64_t longer;                  /* messages that are longer than their receives: */
	uint32_t long_send, long_receive; /* one of them */
};

/* Simulates s, which it uses up: it is to be released and not run again; kinds, ranks and sizes of
 * sends stay, for whoever walks along the trail. unit: of each rank, the seconds that a nanosecond
 * of computation takes. trail: NULL, or of s (schedule_trail_init). 1: *out is the result; 0: it
 * does not end so that all is done (operations wait for each other, a message is never received,
 * dates beyond 50 days): who makes a sequence of it can say what is the matter; -1: memory. */
int schedule_run(struct trace_schedule *s, const struct schedule_model *m, const double *unit,
                 struct schedule_trail *trail, struct schedule_result *out, struct err *err);

/* A machine whose messages are flows, by MPI's protocols. */
struct schedule_machine {
	struct net *net;
	const struct host_id *host; /* of each rank */
	/* Bytes: shorter ones leave before their receive is posted; shorter ones are over for the
	 * sender when they are posted. */
	double eager, detached;
	/* s that a send takes its processor before it is posted, and a message that was over for
	 * its sender the receive's after it has arrived; the same between ranks of one host, empty:
	 * as others. */
	const struct factor_table *ois, *or_, *ois_local, *or_local;
};
/* As schedule_run. Processors (cpu) of a rank compute side by side, whatever cores its host has;
 * interfaces are those of the host. */
int schedule_run_on(struct trace_schedule *s, const struct schedule_machine *m, const double *unit,
                    struct schedule_trail *trail, struct schedule_result *out, struct err *err);

#endif
