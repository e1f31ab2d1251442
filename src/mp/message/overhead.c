/* overhead.c: seconds that a rank spends on a message beside its transfer: the tables os, or and
 * ois, those of messages inside a host if there are any, and the rates of copies and reductions.
 * One set for all, and one for each host that has properties of these names (smpi/os, …) of its
 * own. */
#include "message.h"
#include "mp/noise/noise.h"
#include "mp/transport_int.h"

#include <stdlib.h>
#include <string.h>

static int table_set(struct factor_table *t, const char *text, const char *name, const char *host,
                     struct err *err)
{
	struct err why = {0};

	if (factor_table_parse(t, text, &why) == 0)
		return 0;
	return host ? err_set(err, why.kind, "host %s: property %s: %s", host, name, why.text)
	            : err_set(err, why.kind, "setting %s: %s", name, why.text);
}

static int table_is_zero(const struct factor_table *t)
{
	uint32_t i;

	for (i = 0; i < t->n; i++) {
		if (t->rows[i].value[0] != 0 || t->rows[i].value[1] != 0)
			return 0;
	}
	return 1;
}

/* One rate, or rates by size ("0:9e9;65536:4e9"): from above a threshold on. 0 or more; one of 0 is
 * no table. */
static int rate_set(struct factor_table *t, const char *text, const char *name, const char *host,
                    struct err *err)
{
	struct err why = {0};
	double rate;
	int ok = strchr(text, ':') || strchr(text, ';');

	if (ok && factor_table_parse(t, text, &why) == 0) {
		for (uint32_t i = 0; i < t->n; i++)
			ok &= t->rows[i].value[0] > 0;
		if (ok)
			return 0;
	} else if (!ok && units_parse(text, UNIT_BANDWIDTH, &rate, &why) == 0 && rate >= 0) {
		t->rows = NULL;
		t->n = 0;
		if (rate == 0)
			return 0;
		t->rows = malloc(sizeof *t->rows);
		if (!t->rows)
			return err_nomem(err, name, sizeof *t->rows);
		*t->rows = (struct factor_row){.value = {rate}};
		t->n = 1;
		return 0;
	}
	return host ? err_set(err, ERR_INPUT, "host %s: property %s: \"%s\" is no rate", host, name,
	                      text)
	            : err_set(err, ERR_INPUT, "setting %s: \"%s\" is no rate", name, text);
}

static const char *const names[OVERHEADS] = {"smpi/os",        "smpi/or",          "smpi/ois",
                                             "smpi/copy-rate", "smpi/reduce-rate", "smpi/os-local",
                                             "smpi/or-local",  "smpi/ois-local"};

/* text: in the order of the names; kept, not copied. host: NULL for the common set. */
static int overheads_add(struct mp *mp, const char *const text[OVERHEADS], const char *host,
                         struct err *err)
{
	struct overheads *sets = vec_grow(mp->overheads.at, &mp->overheads.cap, sizeof *sets,
	                                  (size_t)mp->overheads.n + 1, "overheads", err);
	struct overheads *o;

	if (!sets)
		return -1;
	mp->overheads.at = sets;
	o = &sets[mp->overheads.n++];
	*o = (struct overheads){0};
	memcpy(o->text, text, sizeof o->text);
	if (table_set(&o->os, text[0], names[0], host, err) < 0 ||
	    table_set(&o->or_, text[1], names[1], host, err) < 0 ||
	    table_set(&o->ois, text[2], names[2], host, err) < 0 ||
	    rate_set(&o->copy_rate, text[3], names[3], host, err) < 0 ||
	    rate_set(&o->reduce_rate, text[4], names[4], host, err) < 0)
		return -1;
	if ((text[5][0] && table_set(&o->os_local, text[5], names[5], host, err) < 0) ||
	    (text[6][0] && table_set(&o->or_local, text[6], names[6], host, err) < 0) ||
	    (text[7][0] && table_set(&o->ois_local, text[7], names[7], host, err) < 0))
		return -1;
	mp->overheads.local |= o->copy_rate.n > 0 || o->reduce_rate.n > 0;
	o->none = table_is_zero(&o->os) && table_is_zero(&o->or_) && table_is_zero(&o->ois) &&
	          o->copy_rate.n == 0 && table_is_zero(&o->os_local) &&
	          table_is_zero(&o->or_local) && table_is_zero(&o->ois_local);
	return 0;
}

static int overheads_find(const struct mp *mp, const char *const text[OVERHEADS], uint8_t *out)
{
	uint32_t i, k;

	for (i = 0; i < mp->overheads.n; i++) {
		for (k = 0; k < OVERHEADS && strcmp(mp->overheads.at[i].text[k], text[k]) == 0; k++)
			;
		*out = (uint8_t)i;
		if (k == OVERHEADS)
			return 1;
	}
	return 0;
}

/* The set of a host: hosts with the same texts share one. */
static int overheads_of_host(struct mp *mp, struct host_id h, uint8_t *out, struct err *err)
{
	const struct platform *p = net_platform(mp->net);
	const char *own[OVERHEADS];
	char name[128];
	int i, any = 0;

	*out = 0;
	for (i = 0; i < OVERHEADS; i++) {
		own[i] = i >= OVERHEADS_SIMGRID && mp->rules.few_overheads
		             ? NULL
		             : platform_host_prop(p, h, names[i]);
		any |= own[i] != NULL;
		own[i] = own[i] ? own[i] : mp->overheads.at[0].text[i];
	}
	if (!any || overheads_find(mp, own, out))
		return 0;
	if (mp->overheads.n > UINT8_MAX)
		return err_set(
		    err, ERR_LIMIT,
		    "more than %d different overheads of hosts (properties smpi/os, smpi/or, …)",
		    UINT8_MAX);
	*out = (uint8_t)mp->overheads.n;
	return overheads_add(mp, own, platform_host_name(p, h, name, sizeof name), err);
}

int overheads_init(struct mp *mp, struct err *err)
{
	static const enum config_id ids[OVERHEADS] = {
	    CFG_SMPI_OS,          CFG_SMPI_OR,       CFG_SMPI_OIS,      CFG_SMPI_COPY_RATE,
	    CFG_SMPI_REDUCE_RATE, CFG_SMPI_OS_LOCAL, CFG_SMPI_OR_LOCAL, CFG_SMPI_OIS_LOCAL};
	const char *common[OVERHEADS];
	uint32_t i;

	for (i = 0; i < OVERHEADS; i++) {
		int without = mp->transport->own_overheads ||
		              (i >= OVERHEADS_SIMGRID && mp->rules.few_overheads &&
		               config_from(mp->cfg, ids[i]) < CFG_FROM_USER);

		common[i] = !without ? config_text(mp->cfg, ids[i]) : i > 4 ? "" : "0";
	}
	if (overheads_add(mp, common, NULL, err) < 0)
		return -1;
	for (i = 0; i < mp->n_ranks; i++) {
		if (mp->transport->own_overheads)
			mp->ranks[i].overheads = 0;
		else if (i > 0 && mp->ranks[i].host.v == mp->ranks[i - 1].host.v)
			mp->ranks[i].overheads = mp->ranks[i - 1].overheads;
		else if (overheads_of_host(mp, mp->ranks[i].host, &mp->ranks[i].overheads, err) < 0)
			return -1;
	}
	return 0;
}

static double cost(const struct factor_table *rates, double amount)
{
	return rates->n > 0 ? amount / factor_lookup(rates, amount, rates->rows[0].value[0]) : 0;
}

double copy_cost(const struct mp *mp, uint32_t rank, double bytes)
{
	return cost(&mp->overheads.at[mp->ranks[rank].overheads].copy_rate, bytes);
}

double reduce_cost(const struct mp *mp, uint32_t rank, double elements)
{
	return cost(&mp->overheads.at[mp->ranks[rank].overheads].reduce_rate, elements);
}

/* --- of a message --- */

/* To oneself a library copies and leaves the network alone: no overheads of it (0.4 us for 4 KiB
 * where MPI_Send to another host takes 20). */
static int to_oneself(const struct mp *mp, const struct req *q)
{
	return q->rank == q->peer && !mp->rules.self_pays;
}

static const struct factor_table *table_for(const struct mp *mp, const struct req *q,
                                            const struct factor_table *between,
                                            const struct factor_table *inside)
{
	return inside->n > 0 && q->peer < mp->n_ranks &&
	               mp->ranks[q->rank].host.v == mp->ranks[q->peer].host.v
	           ? inside
	           : between;
}

double send_overhead(const struct mp *mp, uint32_t r)
{
	const struct req *q = &mp->reqs[r];
	const struct overheads *o = &mp->overheads.at[mp->ranks[q->rank].overheads];
	double packing;

	if (o->none)
		return 0;
	packing = q->data == DATA_COPIED ? copy_cost(mp, q->rank, q->bytes) : 0;
	if (to_oneself(mp, q) || !(q->flags & (REQ_DETACHED | REQ_ISEND | REQ_SYNC)))
		return packing;
	return packing + noise_run(mp, q->bytes) *
	                     overhead_lookup(q->flags & REQ_ISEND
	                                         ? table_for(mp, q, &o->ois, &o->ois_local)
	                                         : table_for(mp, q, &o->os, &o->os_local),
	                                     q->bytes, mp->rules.first_section);
}

double isend_overhead(const struct mp *mp, uint32_t rank, double bytes)
{
	const struct overheads *o = &mp->overheads.at[mp->ranks[rank].overheads];

	return o->none ? 0
	               : noise_run(mp, bytes) *
	                     overhead_lookup(&o->ois, bytes, mp->rules.first_section);
}

double answer_overhead(const struct mp *mp, uint32_t rank, double got, double bytes)
{
	const struct overheads *o = &mp->overheads.at[mp->ranks[rank].overheads];

	return o->none
	           ? 0
	           : noise_run(mp, got) * overhead_lookup(&o->or_, got, mp->rules.first_section) +
	                 noise_run(mp, bytes) *
	                     overhead_lookup(&o->os, bytes, mp->rules.first_section);
}

/* Of a receive, where anything takes time. */
static __attribute__((noinline)) double receive_cost(const struct mp *mp, const struct req *q)
{
	const struct overheads *o = &mp->overheads.at[mp->ranks[q->rank].overheads];
	double copy = q->data == DATA_COPIED ? copy_cost(mp, q->rank, q->bytes) : 0;

	return q->flags & REQ_PAYS_OR && !to_oneself(mp, q)
	           ? copy + noise_run(mp, q->bytes) *
	                        overhead_lookup(table_for(mp, q, &o->or_, &o->or_local), q->bytes,
	                                        mp->rules.first_section)
	           : copy;
}

/* Several are paid in a row: in SimGrid each is a sleep, and none shorter than shortest_sleep. */
double recv_overhead(const struct mp *mp, uint32_t r)
{
	const struct req *q = &mp->reqs[r];

	if (q->kind != REQ_RECV || q->stage == REQ_SETTLED || overheads_none(mp, q->rank))
		return 0;
	double seconds = receive_cost(mp, q);
	double least = mp->rules.shortest_sleep;
	return seconds > 0 && seconds < least ? least : seconds;
}

void overheads_release(struct mp *mp)
{
	uint32_t i;

	for (i = 0; i < mp->overheads.n; i++) {
		factor_table_release(&mp->overheads.at[i].os);
		factor_table_release(&mp->overheads.at[i].or_);
		factor_table_release(&mp->overheads.at[i].ois);
		factor_table_release(&mp->overheads.at[i].os_local);
		factor_table_release(&mp->overheads.at[i].or_local);
		factor_table_release(&mp->overheads.at[i].ois_local);
		factor_table_release(&mp->overheads.at[i].copy_rate);
		factor_table_release(&mp->overheads.at[i].reduce_rate);
	}
	free(mp->overheads.at);
}
