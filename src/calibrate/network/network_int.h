/* network_int.h: what the steps of the fit of a network share (network_fit.c). Each step is a
 * function of the measurements and of what steps before it have found, and adds its part to the
 * fit. */
#ifndef ORRERY_CALIBRATE_NETWORK_INT_H
#define ORRERY_CALIBRATE_NETWORK_INT_H

#include "network.h"

enum { CONTROL = 64 }; /* bytes of a request or reply of the rendezvous, as in mp/stream.c */

struct fitting {
	const struct net_raw *raw;
	/* all rows, those of one operation together, in their order */
	const struct net_row **by_op;
	uint32_t first[NET_OPS + 1]; /* of each operation in by_op */
	double bandwidth;            /* given by the user; 0: not */
	struct net_fit *f;
	struct fit_segments round_trip; /* half of it, all sizes, without regard to protocols */
	struct arena arena;             /* of the present step */
	int lost;                       /* memory lacked: what the step found is not believed */
};

/* network_rows.c */
int rows_index(struct fitting *w, struct err *err);
static inline size_t rows_of(const struct fitting *w, enum net_op op)
{
	return w->first[op + 1] - w->first[op];
}
static inline const struct net_row *row_of(const struct fitting *w, enum net_op op, size_t i)
{
	return w->by_op[w->first[op] + i];
}
/* As net_raw_take; sizes and durations live until the step ends. */
size_t rows_take(struct fitting *w, enum net_op op, int local, int far, double lo, double hi,
                 double **x, double **y);
double rows_quantile(struct fitting *w, enum net_op op, int far, int pairs, double q, double *size);
/* Room for count + 1 until the step ends; NULL: w->lost. */
void *step_alloc(struct fitting *w, size_t count, size_t size);
/* fit_segments_find; that memory lacked is noted. */
int lines_find(struct fitting *w, const double *x, const double *y, size_t n,
               const struct fit_options *o, struct fit_segments *out, struct err *err);

/* network_model.c */
void net_warn(struct net_fit *f, const char *text);
double net_wire(const struct net_fit *f, double size); /* s that a message occupies its links */
/* The size from which on a request and a reply go before a message, the sender's wait for it or not
 * (mp/stream.c): `eager`, or `detached` if that was not measured; INFINITY: none is asked for. */
double net_asked_from(const struct net_fit *f);
/* Puts sizes between the two that a threshold lies between, measured messages of either protocol,
 * behind the others. Returned: how many these are. Where the two are far apart, all are. */
size_t net_decided(const struct net_fit *f, double *x, double *y, size_t n);
int net_is_decided(const struct net_fit *f, double size);

/* network_tables.c */
/* Lines through the durations of an operation of sizes from lo on; too few different sizes: no
 * overhead of this kind. */
void overhead_lines(struct fitting *w, struct net_table *t, const double *x, const double *y,
                    size_t n, double lo);
/* An overhead, at most what a message leaves that takes `room`; a receive's: beside its send's. */
double overhead_most(enum net_op op, double room, const struct net_table *os, double size,
                     double seconds);

/* The steps: 0, or -1 with *err set. What they need and give: network_fit.c. */
int round_trip_fit(struct fitting *w, struct err *err);
int thresholds_fit(struct fitting *w, struct err *err);
int order_fit(struct fitting *w, struct err *err);
int wire_fit(struct fitting *w, struct err *err);
int tables_fit(struct fitting *w, struct err *err);
int latency_fit(struct fitting *w, struct err *err);
int header_fit(struct fitting *w, struct err *err);
int buffer_fit(struct fitting *w, struct err *err);
int setup_fit(struct fitting *w, struct err *err);
int exchange_fit(struct fitting *w, struct err *err);
int ring_fit(struct fitting *w, struct err *err);
int flows_fit(struct fitting *w, struct err *err);
int spread_fit(struct fitting *w, struct err *err);
int uplink_fit(struct fitting *w, struct err *err);
int local_fit(struct fitting *w, struct err *err);
int virtual_fit(struct fitting *w, struct err *err);
int apart_look(struct fitting *w, struct err *err);

/* The table of steps, for tests: any order that the declared inputs allow gives the same fit. */
struct fit_step {
	const char *name;
	int (*fit)(struct fitting *w, struct err *err);
	unsigned needs, gives; /* bits of parts of the model */
};
extern const struct fit_step net_fit_steps[];
extern const int net_fit_steps_n;
/* net_fit_make with the steps in this order. */
int net_fit_ordered(const struct net_raw *raw, double bandwidth, const int *order,
                    struct net_fit *f, struct err *err);

#endif
