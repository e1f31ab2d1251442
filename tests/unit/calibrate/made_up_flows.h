/* made_up_flows.h: hosts that share links, made up; flows of a plan's loads between them simulated
 * step by step, with max-min rates or, as TCP's are, with shares that chance gives; messages that
 * arrive one by one or, as libraries move them, all of a flow together. */
#ifndef ORRERY_TESTS_MADE_UP_FLOWS_H
#define ORRERY_TESTS_MADE_UP_FLOWS_H

#include "test.h"

#include "base/rng.h"
#include "calibrate/network/network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, MESSAGES = 3 };
#define RATE 1e7

struct truth {
	int hosts, of[MOST];
	double uplink;   /* of a cabinet, each way, in rates of a host; 0: none */
	double backbone; /* of all flows together; 0: none */
	double noise, setup;
	double out,
	    in; /* rate of the last host but one, sending and receiving; 0: like the others' */
	double unfair; /* deviation of the logarithms of flows' shares; 0: equal */
	double both;   /* a cabinet that sends and receives at once loses up to this part of its
	                  link, more or less by chance */
	double busy;   /* so does the link of each host that does */
	int together;  /* a flow's messages arrive when all of it has */
};

struct way {
	int a, b, arrived;
	double done, rate; /* messages */
	double weight;
};

/* Of a link of a cabinet, or of a host: what of it is lost as long as it carries both ways. */
struct losses {
	double out[MOST], in[MOST], from[MOST], to[MOST];
};

static inline void losses_draw(const struct truth *t, const struct way *w, int n, struct rng *r,
                               struct losses *lost)
{
	int out[MOST] = {0}, in[MOST] = {0}, from[MOST] = {0}, to[MOST] = {0};

	for (int i = 0; i < n; i++) {
		from[w[i].a]++;
		to[w[i].b]++;
		if (t->of[w[i].a] != t->of[w[i].b]) {
			out[t->of[w[i].a]]++;
			in[t->of[w[i].b]]++;
		}
	}
	for (int c = 0; c < MOST; c++) {
		int both = t->both > 0 && out[c] && in[c], busy = t->busy > 0 && from[c] && to[c];

		lost->out[c] = both ? t->both * rng_unit(r) : 0;
		lost->in[c] = both ? t->both * rng_unit(r) : 0;
		lost->from[c] = busy ? t->busy * rng_unit(r) : 0;
		lost->to[c] = busy ? t->busy * rng_unit(r) : 0;
	}
}

/* Rates grow together, by their weights and by small steps, until a link on the way is full: slow,
 * and nothing to go wrong. */
static inline void fill(const struct truth *t, struct way *w, int n, double size,
                        const struct losses *lost)
{
	double out[MOST] = {0}, in[MOST] = {0}, all = 0, from[MOST] = {0}, to[MOST] = {0};
	int grown = 1;

	for (int i = 0; i < n; i++)
		w[i].rate = 0;
	while (grown) {
		grown = 0;
		for (int i = 0; i < n; i++) {
			int ca = t->of[w[i].a], cb = t->of[w[i].b],
			    apart = ca != cb && t->uplink > 0, slow = t->hosts - 2;
			double step = RATE / 2000 * w[i].weight;
			double most_out = w[i].a == slow && t->out > 0 ? t->out * RATE : RATE,
			       most_in = w[i].b == slow && t->in > 0 ? t->in * RATE : RATE;

			if (w[i].done >= MESSAGES ||
			    from[w[i].a] + step > most_out * (1 - lost->from[w[i].a]) ||
			    to[w[i].b] + step > most_in * (1 - lost->to[w[i].b]) ||
			    (apart && (out[ca] + step > t->uplink * RATE * (1 - lost->out[ca]) ||
			               in[cb] + step > t->uplink * RATE * (1 - lost->in[cb]))) ||
			    (t->backbone > 0 && all + step > t->backbone * RATE))
				continue;
			w[i].rate += step;
			from[w[i].a] += step;
			to[w[i].b] += step;
			all += step;
			if (apart) {
				out[ca] += step;
				in[cb] += step;
			}
			grown = 1;
		}
	}
	for (int i = 0; i < n; i++)
		w[i].rate /= size;
}

static inline void flow_row_add(struct net_raw *raw, struct net_row row)
{
	if (raw->n == raw->cap) {
		raw->cap = raw->cap ? 2 * raw->cap : 256;
		raw->rows = realloc(raw->rows, raw->cap * sizeof *raw->rows);
		assert_non_null(raw->rows);
	}
	raw->rows[raw->n++] = row;
}

static inline void arrivals_add(const struct truth *t, struct way *w, int number, double size,
                                double now, struct rng *r, struct net_raw *raw)
{
	int messages = t->together ? MESSAGES : 1;

	for (int m = 0; m < messages; m++)
		flow_row_add(raw,
		             (struct net_row){.op = NET_LOAD,
		                              .src = w->a,
		                              .dst = w->b,
		                              .pairs = number,
		                              .size = size,
		                              .duration = now * (1 + t->noise * rng_normal(r))});
}

/* From arrival to arrival, with the rates of the flows that are under way. */
static inline void block_run(const struct truth *t, struct way *w, int n, int number, double size,
                             struct rng *r, struct net_raw *raw)
{
	double now = t->setup;
	struct losses lost;

	losses_draw(t, w, n, r, &lost);
	for (int i = 0; i < n; i++)
		w[i].weight = t->unfair > 0 ? exp(t->unfair * rng_normal(r)) : 1;
	for (;;) {
		double next = INFINITY;

		fill(t, w, n, size, &lost);
		for (int i = 0; i < n; i++)
			if (w[i].done < MESSAGES)
				next = fmin(next, (w[i].arrived + 1 - w[i].done) / w[i].rate);
		if (isinf(next))
			return;
		now += next;
		for (int i = 0; i < n; i++) {
			if (w[i].done >= MESSAGES)
				continue;
			w[i].done += w[i].rate * next;
			if (w[i].done < w[i].arrived + 1 - 1e-9)
				continue;
			w[i].done = ++w[i].arrived;
			if (!t->together || w[i].arrived == MESSAGES)
				arrivals_add(t, &w[i], number, size, now, r, raw);
		}
	}
}

/* Runs the lines "load" of a plan; of others, nothing. */
static inline void loads_run(const struct truth *t, const char *text, struct rng *r,
                             struct net_raw *raw)
{
	int n = 0, number = 0, a, b, pairs;
	double size = 0, bytes;
	struct way w[MOST];

	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		if (strncmp(line, "load ", 5) != 0)
			continue;
		assert_int_equal(sscanf(line, "load %d %d %lf %d", &a, &b, &bytes, &pairs), 4);
		if (pairs != number && n)
			block_run(t, w, n, number, size, r, raw);
		n = pairs != number ? 0 : n;
		number = pairs;
		size = bytes;
		w[n++] = (struct way){.a = a, .b = b};
	}
	if (n)
		block_run(t, w, n, number, size, r, raw);
}

/* What a campaign measures to find cabinets; with these ones, not NULL: the rest of its loads. */
static inline void loads_measured(const struct truth *t, const struct net_cabinets *known,
                                  uint64_t seed, struct net_raw *raw)
{
	int ranks[MOST];
	struct net_plan p = {.ranks = t->hosts,
	                     .max_size = 1 << 20,
	                     .seed = seed,
	                     .host_rank = ranks,
	                     .other = 1,
	                     .local = -1,
	                     .far = -1,
	                     .hosts = t->hosts,
	                     .cabinets = known};
	struct str plan;
	struct rng r;

	for (int i = 0; i < MOST; i++)
		ranks[i] = i;
	rng_init(&r, seed, known ? "uplinks" : "cabinets", 0);
	str_init(&plan);
	if (known)
		net_plan_write(&p, &plan);
	else
		net_plan_loads(&p, &plan);
	loads_run(t, plan.s, &r, raw);
	str_release(&plan);
}

static inline int same_partition(const struct truth *t, const struct net_cabinets *c)
{
	for (int i = 0; i < t->hosts; i++)
		for (int k = 0; k < i; k++)
			if ((t->of[i] == t->of[k]) != (c->of[i] == c->of[k]))
				return 0;
	return 1;
}

#endif
