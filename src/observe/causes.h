/* causes.h: what time is put down to by an explanation (docs/explain.md). */
#ifndef ORRERY_OBSERVE_CAUSES_H
#define ORRERY_OBSERVE_CAUSES_H

enum cause {
	CAUSE_COMPUTE, /* computations, operators of collectives, polling */
	CAUSE_SLEEP,
	CAUSE_LATE, /* what was waited for had not begun to move: a peer was late. which: the peer,
	               or NOBODY */
	CAUSE_LATENCY,  /* it was in its latency */
	CAUSE_RESOURCE, /* it moved at the rate of a link that others share, or its own
	                   acknowledgements. which: the resource */
	CAUSE_BOUND,    /* it moved as fast as alone. which: an index of bounds: TCP window, slowest
	                   link */
	CAUSE_TRANSFER, /* it moved, in a model without rates. which: a part that the model names
	                   (index of bounds), or NOBODY */
	CAUSE_WHOLE,    /* a collective that the model decides as a whole */
	CAUSE_ROUNDS,   /* rounds of a ring that are not simulated (mp/period.c) */
	CAUSE_FILES,    /* calls on files: what is not talking to others */
	CAUSE_OVERHEAD, /* the rest: overheads of sending, receiving and testing; the model's ports
	                 */
	CAUSES
};
const char *cause_name(enum cause c); /* "latency" */
const char *cause_key(enum cause c);

#endif
