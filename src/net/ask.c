/* ask.c: what others ask of a net: what it is made of, its settings, whose an event is, names. */
#include "net_int.h"

#include <stdio.h>
#include <string.h>

struct engine *net_engine(struct net *n)
{
	return n->engine;
}

const struct platform *net_platform(const struct net *n)
{
	return n->platform;
}

const struct net_ports *net_ports(const struct net *n)
{
	return n->model->ports;
}

void *net_state(struct net *n)
{
	return n->state;
}

const char *net_setting(const struct net *n, enum config_id id)
{
	const struct net_model_default *d = n->model->defaults;

	if (config_from(n->cfg, id) <= CFG_FROM_MODEL) {
		for (; d && d->text; d++) {
			if (d->id == id)
				return d->text;
		}
	}
	return config_text(n->cfg, id);
}

int net_setting_number(const struct net *n, enum config_id id, double *out, struct err *err)
{
	const char *text = net_setting(n, id);
	double v;

	/* What config has parsed has its units read; a model's default is a plain number. */
	if (text == config_text(n->cfg, id))
		v = config_number(n->cfg, id);
	else
		BUG_ON(num_parse_double(text, strlen(text), &v) < 0);
	if (v < 0)
		return err_set(err, ERR_INPUT, "setting %s is %g: it cannot be negative",
		               config_table[id].name, v);
	*out = v;
	return 0;
}

double net_host_speed(struct net *n, struct host_id h)
{
	struct host_info info;

	platform_host(n->platform, h, &info);
	return info.speed;
}

uint64_t net_user(const struct net *n, uint64_t user)
{
	return user & NET_OWN && n->model->whose ? n->model->whose(n->state, (uint32_t)user) : user;
}

int net_flow_is(const struct net *n, struct activity_id a, uint64_t user)
{
	uint64_t of;

	return flow_user(n->engine, a, &of) && net_user(n, of) == user;
}

int net_link_use(const struct net *n, struct link_id l, struct net_link_use *out)
{
	struct resource_id r = {n->link_resource[l.v] - 1};
	struct engine_metered m;

	if (n->link_resource[l.v] == 0)
		return 0;
	engine_metered(n->engine, r, &m);
	*out = (struct net_link_use){m.moved, engine_capacity(n->engine, r), m.held};
	return 1;
}

const char *net_resource_name(struct net *n, struct resource_id r, char *buf, size_t size)
{
	uint32_t links = platform_link_count(n->platform), hosts = platform_host_count(n->platform);
	char name[128];

	snprintf(buf, size, "resource %u of the model", r.v);
	if (n->shared.v == r.v + 1)
		snprintf(buf, size, "processors that all hosts share");
	if (memory_name(n, r, buf, size))
		return buf;
	for (uint32_t l = 0; l < links; l++) {
		if (n->link_resource[l] == r.v + 1)
			snprintf(buf, size, "link %s",
			         platform_link_name(n->platform, (struct link_id){l}, name,
			                            sizeof name));
	}
	for (uint32_t h = 0; h < hosts; h++) {
		if (n->host_resource[h] == r.v + 1)
			snprintf(buf, size, "cores of %s",
			         platform_host_name(n->platform, (struct host_id){h}, name,
			                            sizeof name));
	}
	return buf;
}

static int is_any(const uint32_t *made, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (made[i])
			return 1;
	return 0;
}

/* Links and hosts are resources from their first use on. */
int net_crossed(const struct net *n, const struct link_id *link)
{
	if (n->links != LINKS_FLOWS)
		return -1;
	return link ? n->link_resource[link->v] != 0
	            : is_any(n->link_resource, platform_link_count(n->platform));
}

int net_computed(const struct net *n, const struct host_id *host)
{
	if (net_ports(n))
		return -1;
	return host ? n->host_resource[host->v] != 0
	            : is_any(n->host_resource, platform_host_count(n->platform));
}
