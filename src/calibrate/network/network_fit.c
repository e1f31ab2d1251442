/* network_fit.c: measurements of messages to the parameters of the hybrid model (docs/models.md):
 * the steps, what each needs, and what it gives.
 *
 *   round trips   all sizes, as lines, without regard to protocols
 *   thresholds    a late receiver tells the protocols apart: below `detached` MPI_Send returns
 *                 without it, below `eager` its data had moved. What has a size between the two
 *                 that a threshold lies between is of no line, nor of noise
 *   order         a small message sent while a large one is under way comes after it: then all of
 *                 a pair go in order (docs/models.md, "Connections")
 *   wire          large messages give the bandwidth and, if the line through them passes below the
 *                 time of the smallest, the burst that a link sends at once. A message occupies
 *                 its links for at least (size - burst) / bandwidth: what it takes when it is
 *                 alone must not become a rate that no link has when there are several
 *   tables        overheads: lines through the durations of MPI_Send, MPI_Isend, and of MPI_Recv
 *                 for a message that is there, below the threshold. Transfer: what is left of half
 *                 a round trip when the overheads are taken off, above the threshold all of it
 *                 (less a request and a reply, where messages go in order); beside the wire, lines
 *                 whose latency and inverse bandwidth are not negative, their number found
 *                 (fit.h), errors relative to the half round trip
 *   then          what only concurrent messages show, what happens inside a host, noise
 *
 * Overheads and transfer add up to what was measured, by construction. The table below is checked
 * when it runs: a step whose needs nobody gives is a bug; and a test runs the steps in other orders
 * that the needs allow, which must give the same fit. */
#include "network_int.h"

#include <stdlib.h>
#include <string.h>

enum part {
	ROUND_TRIP = 1 << 0,
	THRESHOLDS = 1 << 1,
	ORDER = 1 << 2,
	WIRE = 1 << 3,
	TABLES = 1 << 4,
	LATENCY = 1 << 5,
	NOISE = 1 << 6,
	HEADER = 1 << 7,
	BUFFER = 1 << 8,
	SETUP = 1 << 9,
	EXCHANGE = 1 << 10, /* exchange_ratio, crosstraffic, limiter */
	RING = 1 << 11,     /* ring_ratio; replaces crosstraffic and limiter */
	FLOWS = 1 << 12,    /* max_pairs, efficiency, backbone */
	SPREAD = 1 << 13,
	UPLINK = 1 << 14,
	INSIDE = 1 << 15,
	VIRTUAL = 1 << 16,
	NOTICE = 1 << 17,
	PAIRS = 1 << 18,
	/* what net_fit_pingpong adds up */
	MODEL = THRESHOLDS | ORDER | WIRE | TABLES
};

static int noise_step(struct fitting *w, struct err *err)
{
	return net_noise_fit(w->raw, w->f, err);
}

static int notice_step(struct fitting *w, struct err *err)
{
	return net_notice_fit(w->raw, w->f, err);
}

const struct fit_step net_fit_steps[] = {
    {"round trips", round_trip_fit, 0, ROUND_TRIP},
    {"thresholds", thresholds_fit, ROUND_TRIP, THRESHOLDS},
    {"order", order_fit, ROUND_TRIP, ORDER},
    {"wire", wire_fit, ROUND_TRIP | THRESHOLDS | ORDER, WIRE},
    {"tables", tables_fit, ROUND_TRIP | THRESHOLDS | ORDER | WIRE, TABLES},
    {"latency", latency_fit, TABLES, LATENCY},
    {"noise", noise_step, MODEL | LATENCY, NOISE},
    {"header", header_fit, MODEL, HEADER},
    {"buffer", buffer_fit, MODEL, BUFFER},
    {"setup", setup_fit, MODEL, SETUP},
    {"exchange", exchange_fit, ROUND_TRIP | MODEL, EXCHANGE},
    {"ring", ring_fit, WIRE | EXCHANGE, RING},
    {"flows", flows_fit, MODEL | RING, FLOWS},
    {"spread", spread_fit, MODEL | FLOWS, SPREAD},
    {"uplink", uplink_fit, MODEL, UPLINK},
    {"inside a host", local_fit, ROUND_TRIP | MODEL | LATENCY, INSIDE},
    {"virtual hosts", virtual_fit, LATENCY, VIRTUAL},
    {"notice", notice_step, MODEL | FLOWS, NOTICE},
    {"pairs apart", apart_look, MODEL, PAIRS},
};
enum { STEPS = sizeof net_fit_steps / sizeof *net_fit_steps };
const int net_fit_steps_n = STEPS;

static int steps_run(struct fitting *w, const int *order, struct err *err)
{
	unsigned given = 0;

	for (int i = 0; i < STEPS; i++) {
		const struct fit_step *s = &net_fit_steps[order ? order[i] : i];
		int r;

		BUG_ON(s->needs & ~given);
		arena_init(&w->arena);
		r = s->fit(w, err);
		arena_release(&w->arena);
		if (r == 0 && w->lost)
			return err_set(err, ERR_LIMIT, "out of memory while fitting: %s", s->name);
		if (r < 0)
			return -1;
		given |= s->gives;
	}
	return 0;
}

int net_fit_ordered(const struct net_raw *raw, double bandwidth, const int *order,
                    struct net_fit *f, struct err *err)
{
	struct fitting w = {.raw = raw, .bandwidth = bandwidth, .f = f};
	int r;

	memset(f, 0, sizeof *f);
	str_init(&f->warnings);
	r = rows_index(&w, err) < 0 ? -1 : steps_run(&w, order, err);
	if (r == 0 && f->warnings.failed)
		r = err_nomem(err, "warnings", f->warnings.n);
	fit_segments_release(&w.round_trip);
	free(w.by_op);
	if (r < 0)
		net_fit_release(f);
	return r;
}

int net_fit_make(const struct net_raw *raw, double bandwidth, struct net_fit *f, struct err *err)
{
	return net_fit_ordered(raw, bandwidth, NULL, f, err);
}

void net_fit_release(struct net_fit *f)
{
	str_release(&f->warnings);
	memset(f, 0, sizeof *f);
}
