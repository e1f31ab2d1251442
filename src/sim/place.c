/* place.c: where ranks run, in mpirun's words. slot, core and socket fill one host after the other;
 * node goes round them. Which socket of its host a rank is on matters
 * where sockets have memory of their own (setting memory/bandwidth): slot and core fill one after
 * the other, all else goes round them. */
#include "sim_int.h"

#include <stdlib.h>
#include <string.h>

enum sim_map sim_map_find(const char *word)
{
	static const struct {
		const char *word;
		enum sim_map map;
	} words[] = {{"slot", SIM_MAP_FILL},
	             {"core", SIM_MAP_FILL},
	             {"socket", SIM_MAP_SOCKET},
	             {"numa", SIM_MAP_SOCKET},
	             {"node", SIM_MAP_ROUND}};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(word, words[i].word))
			return words[i].map;
	return SIM_MAP_DEFAULT;
}

/* Ranks that a host takes in one turn. */
static uint32_t turn_of(const struct platform *p, struct host_id h, enum sim_map map, uint32_t ppn)
{
	struct host_info info;

	platform_host(p, h, &info);
	return map == SIM_MAP_ROUND ? 1 : ppn ? ppn : info.cores;
}

/* Has it a core for one more, `before` ranks having gone to each host, or has no host? As mpirun
 * has it, who goes round passes over those that are full. */
static int has_room(const struct platform *p, struct host_id h, uint32_t before, int all_full)
{
	struct host_info info;

	platform_host(p, h, &info);
	return before < info.cores || all_full;
}

static uint64_t places_count(const struct platform *p, uint32_t ppn)
{
	uint64_t n = 0;
	struct host_info info;

	for (uint32_t i = 0; i < platform_host_count(p); i++) {
		platform_host(p, (struct host_id){i}, &info);
		n += info.speed <= 0 ? 0 : ppn ? ppn : info.cores;
	}
	return n;
}

static void ranks_put(const struct platform *p, const struct host_id *order, uint32_t hosts,
                      enum sim_map map, uint32_t ppn, uint64_t places, struct placement *out)
{
	uint32_t rank = 0;

	if (map == SIM_MAP_ROUND && ppn) { /* so many hosts that each has ppn */
		hosts = (out->n + ppn - 1) / ppn < hosts ? (out->n + ppn - 1) / ppn : hosts;
	}
	for (uint32_t turn = 0; rank < out->n; turn++)
		for (uint32_t i = 0; i < hosts && rank < out->n; i++) {
			if (map == SIM_MAP_ROUND && !ppn &&
			    !has_room(p, order[i], turn, rank >= places))
				continue;
			for (uint32_t k = turn_of(p, order[i], map, ppn); k > 0 && rank < out->n;
			     k--)
				out->host[rank++] = order[i];
		}
}

/* --ppn may say more than a host has cores, which many descriptions of machines leave at one: the
 * ranks take turns, and computation takes longer than anybody meant. */
static int sharing_tell(const struct platform *p, const struct placement *made, uint32_t ppn,
                        struct str *notices, struct err *err)
{
	uint32_t *on = calloc(platform_host_count(p), sizeof *on);
	struct host_info info;

	if (!on)
		return err_nomem(err, "a placement", platform_host_count(p) * sizeof *on);
	for (uint32_t i = 0; i < made->n; i++) {
		platform_host(p, made->host[i], &info);
		if (++on[made->host[i].v] <= info.cores)
			continue;
		str_printf(
		    notices,
		    "%u ranks on each host, and a host of %s has %u core%s: ranks take turns, "
		    "and compute that much longer\n",
		    ppn < made->n ? ppn : made->n, platform_name(p), info.cores,
		    info.cores == 1 ? "" : "s");
		break;
	}
	free(on);
	return 0;
}

int place_by_words(const struct platform *p, enum sim_map map, uint32_t ppn, uint32_t ranks,
                   int oversubscribe, struct placement *out, struct str *notices, struct err *err)
{
	uint64_t places = places_count(p, ppn);
	uint32_t n = platform_host_count(p), computing = 0;
	struct host_id *order;

	if (ranks > places && !oversubscribe)
		return err_set(err, ERR_INPUT,
		               "%u ranks, but %s has %llu %s%s: allow several ranks per core "
		               "(--oversubscribe)",
		               ranks, platform_name(p), (unsigned long long)places,
		               ppn ? "place" : "core", plural(places));
	if (ranks > places)
		str_printf(notices, "%u ranks share the %llu place%s of %s, in turn\n", ranks,
		           (unsigned long long)places, plural(places), platform_name(p));
	order = malloc(n * sizeof *order);
	out->host = malloc(ranks * sizeof *out->host);
	out->n = ranks;
	if (!order || !out->host) {
		free(order);
		return err_nomem(err, "a placement", (unsigned long long)ranks * sizeof *order);
	}
	platform_host_order(p, 0, order);
	for (uint32_t i = 0; i < n; i++)
		if (platform_computes(p, order[i]))
			order[computing++] = order[i];
	ranks_put(p, order, computing, map, ppn, places, out);
	free(order);
	return ppn ? sharing_tell(p, out, ppn, notices, err) : 0;
}

/* --- of a simulation --- */

static int place_by_caller(struct sim *s, struct err *err)
{
	uint32_t n = s->about.ranks;

	s->placement.host = malloc(n * sizeof *s->placement.host);
	if (!s->placement.host)
		return err_nomem(err, "a placement",
		                 (unsigned long long)n * sizeof *s->placement.host);
	s->placement.n = n;
	return s->o.place(s->o.place_self, s->platform, n, s->placement.host, err);
}

/* Open MPI and MPICH's launchers fill the cores that a scheduler gives them, host by host; where it
 * is not known which library it is, and in compat, ranks go round the hosts as SimGrid's do. */
static enum sim_map map_of(struct sim *s)
{
	double eager;
	int known = s->about.mpi && !config_compat(&s->cfg) &&
	            library_selector(s->about.mpi, &eager) != NULL;

	if (s->o.hostfile || s->o.place) {
		s->placement_why = "as asked for";
		return SIM_MAP_DEFAULT;
	}
	if (s->o.map != SIM_MAP_DEFAULT || s->o.ppn) {
		s->placement_why = s->o.map == SIM_MAP_ROUND ? "round the hosts, as asked for"
		                                             : "filling hosts, as asked for";
		return s->o.map == SIM_MAP_ROUND ? SIM_MAP_ROUND : SIM_MAP_FILL;
	}
	s->placement_why = !known          ? "round the hosts"
	                   : s->about.live ? "filling hosts, as the program's MPI library does"
	                                   : "filling hosts, as the trace's MPI library does";
	return known && !platform_has_map(s->platform) ? SIM_MAP_FILL : SIM_MAP_DEFAULT;
}

/* Ranks that begin later go where further ranks would be, sharing cores where there are no more:
 * the hosts of these are behind those of the program's. */
static int place_spare(struct sim *s, enum sim_map map, struct err *err)
{
	struct placement all = {0};
	struct str notices;
	uint32_t n = s->about.ranks, more = s->about.spare;
	struct host_id *host = realloc(s->placement.host, (n + more) * sizeof *host);
	int rc = 0;

	if (!host)
		return err_nomem(err, "a placement", (unsigned long long)(n + more) * sizeof *host);
	s->placement.host = host;
	str_init(&notices);
	if (s->o.place)
		rc = s->o.place(s->o.place_self, s->platform, n + more, host, err);
	else if (map != SIM_MAP_DEFAULT)
		rc = place_by_words(s->platform, map, s->o.ppn, n + more, 1, &all, &notices, err);
	else
		rc = placement_make(s->platform, s->o.hostfile, n + more, 0, PLACEMENT_ANY, &all,
		                    &s->cfg, err);
	for (uint32_t i = n; rc == 0 && all.host && i < n + more; i++)
		host[i] = all.host[i];
	placement_release(&all);
	str_release(&notices);
	return rc;
}

/* A hostfile, or a caller, may name any host. */
static int idle_refuse(const struct sim *s, struct err *err)
{
	char name[256];
	uint32_t last = UINT32_MAX;

	for (uint32_t i = 0; i < s->placement.n; i++) {
		const struct host_id h = s->placement.host[i];

		if (h.v != last && !platform_computes(s->platform, h))
			return err_set(err, ERR_INPUT,
			               "rank %u is placed on host '%s', whose speed is 0: nothing "
			               "is ever computed there; name another host",
			               i, platform_host_name(s->platform, h, name, sizeof name));
		last = h.v;
	}
	return 0;
}

/* A hostfile may give a host more ranks than cores, which many descriptions leave at one. */
static void turns_tell(struct sim *s, const uint32_t *on)
{
	char name[256];
	struct host_info info;

	for (uint32_t i = 0; i < s->placement.n; i++) {
		struct host_id h = s->placement.host[i];

		if (on[h.v] < 2)
			continue;
		platform_host(s->platform, h, &info);
		if (on[h.v] <= info.cores)
			continue;
		str_printf(&s->told,
		           "%u ranks on host %s, which has %u core%s: ranks take turns, and "
		           "compute that much longer\n",
		           on[h.v], platform_host_name(s->platform, h, name, sizeof name),
		           info.cores, plural(info.cores));
		return;
	}
}

/* Ranks of a host need not follow each other. */
static int sharing_find(struct sim *s, struct err *err)
{
	uint32_t hosts = platform_host_count(s->platform);
	uint32_t *on = calloc((size_t)hosts + 1, sizeof *on);

	if (!on)
		return err_nomem(err, "hosts that ranks share",
		                 ((unsigned long long)hosts + 1) * sizeof *on);
	for (uint32_t i = 0; i < s->placement.n; i++)
		if (++on[s->placement.host[i].v] > 1)
			s->hosts_shared = 1;
	if (s->o.hostfile && !config_compat(&s->cfg))
		turns_tell(s, on);
	free(on);
	return 0;
}

/* More ranks than entries go round the hosts again while these have cores; beyond that only if
 * asked to, as with Open MPI's mpirun (MPICH's mpiexec and SimGrid go round for ever). */
int sim_place(struct sim *s, struct err *err)
{
	int compat = config_compat(&s->cfg);
	enum placement_overcommit wrap = compat || s->o.oversubscribe ? PLACEMENT_ANY
	                                                              : PLACEMENT_CORES;
	enum sim_map map = map_of(s);
	int rc;

	if (s->o.map == SIM_MAP_FILL &&
	    config_set(&s->cfg, "memory/placement", "fill", CFG_FROM_MODEL, err) < 0)
		return -1;
	if (s->o.place)
		rc = place_by_caller(s, err);
	else if (map != SIM_MAP_DEFAULT)
		rc = place_by_words(s->platform, map, s->o.ppn, s->about.ranks,
		                    compat || s->o.oversubscribe, &s->placement, &s->told, err);
	else
		rc = placement_make(s->platform, s->o.hostfile, s->about.ranks, compat, wrap,
		                    &s->placement, &s->cfg, err);
	if (rc < 0 || idle_refuse(s, err) < 0 || sharing_find(s, err) < 0)
		return -1;
	return s->about.spare == 0 ? 0 : place_spare(s, map, err);
}
