/* basis.h: what a unit of a trace's volumes takes on a machine. A trace says what its volumes
 * count, a machine what its speed counts, and neither need know of the other: where they do not
 * agree, the ratio of the two processors says it, or nobody does and computation stays as it was
 * traced. */
#ifndef ORRERY_REPLAY_BASIS_H
#define ORRERY_REPLAY_BASIS_H

#include "platform/platform.h"
#include "trace/trace.h"

enum basis_kind {
	BASIS_SPEED,   /* volume / the speed of the host */
	BASIS_VOLUME,  /* volume x seconds on the first host, as fast as each host is beside it */
	BASIS_DURATION /* the recorded duration / ratio, likewise */
};

struct basis {
	enum basis_kind kind;
	double seconds;   /* BASIS_VOLUME: of a unit of volume */
	double ratio;     /* BASIS_DURATION: of the machine's processor to that of the trace */
	double deviation; /* relative, of one program beside another; 0: nothing is told */
	int assumed;      /* nobody says how this trace's volumes go on this machine */
	int told;         /* the user's word: how far off it may be is not ours to say */
	int by_host;      /* hosts have a ratio each (property cpu-ratio) */
	double unfounded; /* after a run: part of the time computed that went by something else */
	const char *instead; /* that, in words */
	char text[640];      /* "2.7e9 instructions/s (source)": where the time comes from */
	char notice[512];    /* what a user has to know, with the remedy; "" if nothing */
};

/* m: what the trace says of itself; NULL: nothing (SimGrid's). Settings: computation/cpu-ratio. */
int basis_choose(struct basis *b, const struct trace_manifest *m, const struct platform *p,
                 const struct config *cfg, struct err *err);
/* Seconds of a computation on a host; < 0: those of its volume at the host's speed. duration: that
 * of the trace, or -1. */
double basis_seconds(const struct basis *b, const struct platform *p, struct host_id h,
                     double volume, double duration);

#endif
