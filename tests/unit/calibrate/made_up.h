/* made_up.h: a network whose truth is known, measured with noise and outliers. */
#ifndef ORRERY_TESTS_MADE_UP_H
#define ORRERY_TESTS_MADE_UP_H

#include "test.h"

#include "base/rng.h"
#include "calibrate/network/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MEASUREMENTS = 600 };

/* The truth: overheads, latency and bandwidth below and above a protocol threshold; sizes without
 * envelope. */
struct truth {
	double threshold, eager, os, os_byte, or_, latency, bandwidth, rendezvous_latency, exchange,
	    pairs_efficiency, noise, drift, second_mode;
	int processors; /* > 0: virtual hosts */
	double crowd;   /* what two pairs at once take longer than one, s of half a round trip */
	double buffer, setup, contact, ring; /* ring > 0: connections in order */
	int clean;                           /* no outliers */
	double burst, header, self,
	    gap; /* bytes, bytes, bytes/s; s from one message of many to the next */
};
static const struct truth usual = {.threshold = 65536,
                                   .eager = 65536,
                                   .os = 3e-6,
                                   .os_byte = 2e-10,
                                   .or_ = 2e-6,
                                   .latency = 40e-6,
                                   .bandwidth = 1e8,
                                   .rendezvous_latency = 120e-6,
                                   .exchange = 1,
                                   .pairs_efficiency = 1,
                                   .noise = 0.02};

static inline double truth_half(const struct truth *t, double s)
{
	double moved = fmax(0, s - t->burst) / t->bandwidth;

	return s < t->threshold ? t->os + t->os_byte * s + t->or_ + t->latency + moved
	                        : t->rendezvous_latency + moved;
}

struct lab {
	struct str text;
	struct rng r;
	double now;
};

static inline void put(struct lab *l, const char *op, int src, int dst, int pairs, double size,
                       double duration)
{
	str_printf(&l->text, "%s,%d,%d,%d,%.0f,%.6f,%.9g\n", op, src, dst, pairs, size, l->now,
	           duration);
	l->now += duration + 1e-3;
}

static inline double noisy(struct lab *l, const struct truth *t, double v)
{
	v *= 1 + t->noise * rng_normal(&l->r) + t->drift * l->now;
	if (rng_unit(&l->r) < t->second_mode)
		v *= 1.5;
	return rng_unit(&l->r) < 0.02 && !t->clean ? v * 8 : v;
}

static inline void measurements_of_many(struct lab *l, const struct truth *t)
{
	for (int i = 0; i < 3; i++) {
		put(l, "flow", 0, 1, 1, 500000, 500000 / t->bandwidth);
		put(l, "flow", 0, 1, 2, 500000, 500000 / t->bandwidth / t->pairs_efficiency);
		put(l, "flow", 2, 3, 2, 500000, 500000 / t->bandwidth / t->pairs_efficiency);
	}
	for (int i = 0; i < 4; i++) {
		double s = 300000, half = truth_half(t, s);

		/* sent when half of it has passed */
		put(l, "order", 0, 1, 1, s,
		    noisy(l, t, t->ring > 0 ? half : half / 2 + truth_half(t, 1)));
		for (int k = 0; k < 4 && t->ring > 0; k++)
			put(l, "ring", k, (k + 1) % 4, 4, 500000, 500000 / t->bandwidth * t->ring);
	}
	for (int i = 0; i < 12 && t->gap > 0; i++) {
		put(l, "stream_send", 0, 1, 1, 4 << i % 4, noisy(l, t, t->gap));
		put(l, "stream", 0, 1, 1, 4 << i % 4, noisy(l, t, t->gap));
	}
	for (int i = 0; i < 16 && t->self > 0; i++)
		put(l, "self", 0, 1, 1, pow(2, i + 1), 1e-6 + pow(2, i + 1) / t->self);
	for (int i = 0; i < 8 && t->header > 0; i++)
		put(l, "train", 0, 1, 1, 0.1 * (i + 1) * t->burst,
		    fmax(2 * t->latency + 2e-6,
		         (0.1 * (i + 1) * t->burst + t->header) / t->bandwidth));
}

static inline void measurements_first(struct lab *l, const struct truth *t)
{
	if (t->setup > 0) {
		str_printf(&l->text,
		           "first,0,3,1,1,0.020,%.9g\nfirst,0,1,1,1,0.042,%.9g\nfirst,0,2,1,1,0."
		           "063,%.9g\n",
		           2 * truth_half(t, 1) + t->setup + t->contact,
		           2 * truth_half(t, 1) + t->setup, 2 * truth_half(t, 1) + t->setup);
		str_printf(&l->text,
		           "first,1,2,1,1,0.020,%.9g\nfirst,1,3,1,1,0.063,%.9g\nfirst,2,3,1,1,0."
		           "042,%.9g\n",
		           2 * truth_half(t, 1) + t->setup + t->contact,
		           2 * truth_half(t, 1) + t->setup, 2 * truth_half(t, 1) + t->setup);
	}
}

static inline void measurements(struct lab *l, const struct truth *t, int n)
{
	if (t->processors)
		str_printf(&l->text, "# hosts are virtual, processors of their computer: %d\n",
		           t->processors);
	str_puts(&l->text, "# mpi: made up\n# hosts: "
	                   "node-3,node-4,node-5,node-6\nop,src,dst,pairs,size,start,duration\n");
	for (int i = 0; i < 6 && t->crowd > 0; i++) {
		put(l, "crowd", 0, 1, 1 + 1000 * i, 8, 2 * truth_half(t, 8));
		for (int k = 0; k < 2; k++)
			put(l, "crowd", 2 * k, 2 * k + 1, 2 + 1000 * i, 8,
			    2 * (truth_half(t, 8) + t->crowd));
	}
	for (int i = 0; i < n; i++) {
		double s = floor(pow(10, 6.3 * rng_unit(&l->r))), half = truth_half(t, s);

		put(l, "pingpong", 0, 1, 1, s, 2 * noisy(l, t, half));
		put(l, "send", 0, 1, 1, s,
		    noisy(l, t,
		          s < t->threshold ? t->os + t->os_byte * s
		                           : fmax(half - t->buffer / t->bandwidth, t->os)));
		if (i % 2)
			put(l, "isend", 0, 1, 1, s, noisy(l, t, t->os));
		else
			put(l, "recv", 0, 1, 1, s, noisy(l, t, s < t->threshold ? t->or_ : half));
		if (i % 4 == 0) {
			put(l, "late_send", 0, 1, 1, s,
			    s < t->threshold ? t->os + t->os_byte * s : 5 * half + 2e-3);
			put(l, "late_recv", 0, 1, 1, s, s < t->eager ? t->or_ : half);
			put(l, "exchange", 0, 1, 1, s, noisy(l, t, half * t->exchange));
		}
	}
	measurements_of_many(l, t);
	measurements_first(l, t);
}

/* n round trips and what belongs to them, as the measuring program would write them. */
static inline void measured(const struct truth *t, uint64_t seed, int n, struct net_raw *raw)
{
	char path[] = "/tmp/orrery-test-XXXXXX";
	int fd = mkstemp(path);
	struct lab l = {0};
	struct err err;

	assert_true(fd >= 0);
	str_init(&l.text);
	rng_init(&l.r, seed, "network", 0);
	measurements(&l, t, n);
	assert_int_equal(write(fd, l.text.s, l.text.n), l.text.n);
	close(fd);
	str_release(&l.text);
	net_raw_init(raw);
	assert_ok(net_raw_read(raw, path, &err), err);
	unlink(path);
	net_raw_cabinets(raw, &(struct net_cabinets){.n = 1});
}

static inline void truth_fitted(const struct truth *t, uint64_t seed, struct net_raw *raw,
                                struct net_fit *f)
{
	struct err err;

	measured(t, seed, MEASUREMENTS, raw);
	assert_ok(net_fit_make(raw, 0, f, &err), err);
}

static inline void made_row(struct net_raw *raw, struct net_row row)
{
	if (raw->n == raw->cap) {
		raw->cap = 2 * raw->cap + 16;
		raw->rows = realloc(raw->rows, raw->cap * sizeof *raw->rows);
		assert_non_null(raw->rows);
	}
	raw->rows[raw->n++] = row;
}

static inline int is_near(double a, double b, double tolerance)
{
	return fabs(a - b) <= tolerance * b;
}

static inline void truth_refitted(const struct net_raw *raw, struct net_fit *f)
{
	struct err err;

	net_fit_release(f);
	assert_ok(net_fit_make(raw, 0, f, &err), err);
}

#endif
