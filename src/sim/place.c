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
		n += ppn ? ppn : info.cores;
	}
	return n;
}

static void ranks_put(const struct platform *p, const struct host_id *order, enum sim_map map,
                      uint32_t ppn, uint64_t places, struct placement *out)
{
	uint32_t hosts = platform_host_count(p), rank = 0;

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
	uint32_t n = platform_host_count(p);
	struct host_id *order;

	if (ranks > places && !oversubscribe)
		return err_set(err, ERR_INPUT,
		               "%u ranks, but %s has %llu %s: allow several ranks per core "
		               "(--oversubscribe)",
		               ranks, platform_name(p), (unsigned long long)places,
		               ppn ? "places" : "cores");
	if (ranks > places)
		str_printf(notices, "%u ranks share the %llu places of %s, in turn\n", ranks,
		           (unsigned long long)places, platform_name(p));
	order = malloc(n * sizeof *order);
	out->host = malloc(ranks * sizeof *out->host);
	out->n = ranks;
	if (!order || !out->host) {
		free(order);
		return err_nomem(err, "a placement", (unsigned long long)ranks * sizeof *order);
	}
	platform_host_order(p, 0, order);
	ranks_put(p, order, map, ppn, places, out);
	free(order);
	return ppn ? sharing_tell(p, out, ppn, notices, err) : 0;
}
