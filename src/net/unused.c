/* unused.c: settings of the user that have no effect, which is told: those of another communication
 * model (net_model.own), and those that something else has to be set for. */
#include "net_int.h"

#include <string.h>

static int is_own(const struct net_model *m, enum config_id id)
{
	for (const enum config_id *own = m->own; own && *own != CFG_COUNT; own++)
		if (*own == id)
			return 1;
	return 0;
}

/* "LV08, CM02": the models that a setting is for; none: it is for all. */
static void models_of(enum config_id id, struct str *out)
{
	for (const struct net_model *const *m = net_models; *m; m++)
		if (is_own(*m, id))
			str_printf(out, "%s%s", out->n ? ", " : "", (*m)->name);
}

/* The parameters of sharing that reproduce SimGrid's are not there to be set without compat. A row
 * with a number holds while that setting is not above 0, one with a text while it has that. */
static const struct need {
	enum config_id id, needs;
	const char *lacks; /* NULL: a number */
	const char *what;
} needs[] = {
    {CFG_NET_OPTIM, CFG_COMPAT, "", "--cfg compat:simgrid-3.32"},
    {CFG_NET_SELECTIVE, CFG_COMPAT, "", "--cfg compat:simgrid-3.32"},
    {CFG_PRECISION_TIME, CFG_COMPAT, "", "--cfg compat:simgrid-3.32"},
    {CFG_PRECISION_SHARE, CFG_COMPAT, "", "--cfg compat:simgrid-3.32"},
    {CFG_NET_QUEUE, CFG_SMPI_CONNECTIONS, "none", "smpi/connections:ordered"},
    {CFG_SMPI_SEND_BUFFER, CFG_SMPI_CONNECTIONS, "none", "smpi/connections:ordered"},
    {CFG_SMPI_CONNECTION_SETUP, CFG_SMPI_CONNECTIONS, "none", "smpi/connections:ordered"},
    {CFG_SMPI_FIRST_CONTACT, CFG_SMPI_CONNECTIONS, "none", "smpi/connections:ordered"},
    {CFG_SMPI_NOTICE, CFG_SMPI_CONNECTIONS, "none", "smpi/connections:ordered"},
    {CFG_NET_BURST_HEADER, CFG_NET_BURST, NULL, "network/burst"},
    {CFG_MEMORY_BANDWIDTH, CFG_MEMORY_TRAFFIC, NULL, "computation/memory-traffic"},
    {CFG_MEMORY_TRAFFIC, CFG_MEMORY_BANDWIDTH, NULL, "memory/bandwidth"},
};

static int is_lacking(const struct net *n, const struct need *need)
{
	if (need->needs == CFG_COMPAT)
		return !config_compat(n->cfg);
	return need->lacks ? strcmp(config_text(n->cfg, need->needs), need->lacks) == 0
	                   : config_number(n->cfg, need->needs) <= 0;
}

void unused_notices(const struct net *n, struct str *out)
{
	struct str models;

	str_init(&models);
	for (int i = 0; i < CFG_COUNT; i++) {
		enum config_id id = (enum config_id)i;

		str_clear(&models);
		if (config_from(n->cfg, id) == CFG_FROM_USER && !is_own(n->model, id))
			models_of(id, &models);
		if (models.n)
			str_printf(out, "setting %s has no effect under model %s: it is for %s\n",
			           config_table[i].name, n->model->name, str_of(out, &models));
	}
	str_release(&models);
	for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
		if (config_from(n->cfg, needs[i].id) == CFG_FROM_USER && is_lacking(n, &needs[i]))
			str_printf(out, "setting %s has no effect without %s\n",
			           config_table[needs[i].id].name, needs[i].what);
}
