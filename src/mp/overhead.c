/* overhead.c: the tables os, or and ois: seconds that a rank spends on a message beside its transfer. One set for all, and one for each host
 * that has properties smpi/os, smpi/or or smpi/ois of its own. */
#include "mp_int.h"

#include <stdlib.h>
#include <string.h>

static int table_set(struct factor_table *t, const char *text, const char *name, const char *host, struct err *err)
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

/* text: os, or, ois; kept, not copied. host: NULL for the common set. */
static int overheads_add(struct mp *mp, const char *const text[3], const char *host, struct err *err)
{
	struct overheads *sets = vec_grow(mp->overheads, &mp->overheads_cap, sizeof *sets, (size_t)mp->n_overheads + 1, "overheads",
	                                  err);
	struct overheads *o;

	if (!sets)
		return -1;
	mp->overheads = sets;
	o = &sets[mp->n_overheads++];
	*o = (struct overheads){.text = {text[0], text[1], text[2]}};
	if (table_set(&o->os, text[0], "smpi/os", host, err) < 0 || table_set(&o->or_, text[1], "smpi/or", host, err) < 0 ||
	    table_set(&o->ois, text[2], "smpi/ois", host, err) < 0)
		return -1;
	o->none = table_is_zero(&o->os) && table_is_zero(&o->or_) && table_is_zero(&o->ois);
	return 0;
}

static int overheads_find(const struct mp *mp, const char *const text[3], uint8_t *out)
{
	uint32_t i, k;

	for (i = 0; i < mp->n_overheads; i++) {
		for (k = 0; k < 3 && strcmp(mp->overheads[i].text[k], text[k]) == 0; k++)
			;
		*out = (uint8_t)i;
		if (k == 3)
			return 1;
	}
	return 0;
}

/* The set of a host: hosts with the same texts share one. */
static int overheads_of_host(struct mp *mp, struct host_id h, uint8_t *out, struct err *err)
{
	const struct platform *p = net_platform(mp->net);
	const char *own[3] = {platform_host_prop(p, h, "smpi/os"), platform_host_prop(p, h, "smpi/or"),
	                      platform_host_prop(p, h, "smpi/ois")};
	char name[128];
	int i;

	*out = 0;
	if (!own[0] && !own[1] && !own[2])
		return 0;
	for (i = 0; i < 3; i++)
		own[i] = own[i] ? own[i] : mp->overheads[0].text[i];
	if (overheads_find(mp, own, out))
		return 0;
	if (mp->n_overheads > UINT8_MAX)
		return err_set(err, ERR_LIMIT, "more than %d different overheads of hosts (properties smpi/os, smpi/or, smpi/ois)",
		               UINT8_MAX);
	*out = (uint8_t)mp->n_overheads;
	return overheads_add(mp, own, platform_host_name(p, h, name, sizeof name), err);
}

int overheads_init(struct mp *mp, struct err *err)
{
	const char *common[3] = {config_text(mp->cfg, CFG_SMPI_OS), config_text(mp->cfg, CFG_SMPI_OR),
	                         config_text(mp->cfg, CFG_SMPI_OIS)};
	static const char *const none[3] = {"0", "0", "0"};
	uint32_t i;

	if (overheads_add(mp, mp->ports ? none : common, NULL, err) < 0)
		return -1;
	for (i = 0; i < mp->n_ranks; i++) {
		if (mp->ports)
			mp->ranks[i].overheads = 0;
		else if (i > 0 && mp->ranks[i].host.v == mp->ranks[i - 1].host.v)
			mp->ranks[i].overheads = mp->ranks[i - 1].overheads;
		else if (overheads_of_host(mp, mp->ranks[i].host, &mp->ranks[i].overheads, err) < 0)
			return -1;
	}
	return 0;
}

void overheads_release(struct mp *mp)
{
	uint32_t i;

	for (i = 0; i < mp->n_overheads; i++) {
		factor_table_release(&mp->overheads[i].os);
		factor_table_release(&mp->overheads[i].or_);
		factor_table_release(&mp->overheads[i].ois);
	}
	free(mp->overheads);
}
