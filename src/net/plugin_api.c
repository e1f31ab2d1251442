/* plugin_api.c: what communication models in shared objects call (include/orrery/model.h), on top
 * of this room's functions. What they give is checked: a fault of theirs is told, and is none here.
 */
#include "plugin_int.h"

#include "change.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct plugin *plugin_of(struct orrery_net *face)
{
	return (struct plugin *)(void *)face;
}

static int api_fail(struct orrery_net *face, const char *text)
{
	struct plugin *p = plugin_of(face);

	snprintf(p->reason, sizeof p->reason, "%s", text);
	return -1;
}

static int api_error(struct orrery_net *face, const struct err *err)
{
	return api_fail(face, err->text);
}

/* Where the value of a key is in "key=value,key=value"; NULL: not there. */
static const char *value_find(const char *s, const char *key)
{
	size_t key_length = strlen(key), n;

	for (; *s; s += n + (s[n] != '\0')) {
		n = strcspn(s, ",;");
		if (n <= key_length || s[key_length] != '=' || strncmp(s, key, key_length) != 0)
			continue;
		return s + key_length + 1;
	}
	return NULL;
}

static const char *api_setting(struct orrery_net *face, const char *key)
{
	struct plugin *p = plugin_of(face);
	const char *from[] = {p->net->arguments, config_text(p->net->cfg, CFG_NET_PLUGIN)};

	str_printf(&p->asked, "%s ", key); /* failed: told when it has started */
	for (int i = 0; i < 2; i++) {
		const char *value = value_find(from[i], key);

		if (value)
			return p->values[i] + (value - from[i]);
	}
	return NULL;
}

int plugin_values_cut(struct plugin *p, struct err *err)
{
	const char *from[] = {p->net->arguments, config_text(p->net->cfg, CFG_NET_PLUGIN)};

	for (int i = 0; i < 2; i++) {
		p->values[i] = strdup(from[i]);
		if (!p->values[i])
			return err_nomem(err, "settings of a model", strlen(from[i]));
		for (char *s = p->values[i]; *s; s++)
			if (*s == ',' || *s == ';')
				*s = '\0';
	}
	return 0;
}

static int api_number(struct orrery_net *face, const char *key, enum orrery_unit unit,
                      double otherwise, double *out)
{
	static const enum unit_kind kinds[] = {UNIT_TIME, UNIT_TIME, UNIT_SIZE, UNIT_BANDWIDTH};
	const char *text = api_setting(face, key);
	char reason[REASON_MAX];
	struct err why;
	double v = otherwise;
	int bad;

	if (text && unit == ORRERY_UNIT_NONE)
		bad = num_parse_double(text, strlen(text), &v) < 0;
	else
		bad = text && ((unsigned)unit > ORRERY_UNIT_BANDWIDTH ||
		               units_parse(text, kinds[unit], &v, &why) < 0);
	if (bad || !(v >= 0) || isinf(v)) {
		snprintf(reason, sizeof reason,
		         "%s=%.64s is not a number of 0 or more in this unit", key,
		         text ? text : "");
		return api_fail(face, reason);
	}
	*out = v;
	return 0;
}

static double api_now(struct orrery_net *face)
{
	return engine_now(plugin_of(face)->net->engine);
}

static uint32_t api_hosts(struct orrery_net *face)
{
	return platform_host_count(plugin_of(face)->net->platform);
}

static const char *api_host_name(struct orrery_net *face, uint32_t host, char *buf, size_t n)
{
	if (host < api_hosts(face))
		return platform_host_name(plugin_of(face)->net->platform, (struct host_id){host},
		                          buf, n);
	snprintf(buf, n, "no host %u", host);
	return buf;
}

double plugin_link_now(const struct net *n, struct link_id l, struct link_info *info)
{
	double described;

	platform_link(n->platform, l, info);
	described = info->latency;
	if (n->changes)
		change_link(n, l, info);
	return info->latency - described;
}

static int api_route_find(struct orrery_net *face, uint32_t from, uint32_t to,
                          struct orrery_route *out)
{
	struct plugin *p = plugin_of(face);
	struct orrery_route r = {0};
	struct link_info info;
	struct err err;
	uint32_t *links;

	if (from >= api_hosts(face) || to >= api_hosts(face))
		return api_fail(face, "asks for the route of a host that does not exist");
	if (route_find(p->net->platform, (struct host_id){from}, (struct host_id){to}, &p->route,
	               &err) < 0)
		return api_error(face, &err);
	links = vec_grow(p->links, &p->links_cap, sizeof *links, (size_t)p->route.n + 1,
	                 "links of a route", &err);
	if (!links)
		return api_error(face, &err);
	p->links = links;
	for (uint32_t i = 0; i < p->route.n; i++) {
		links[i] = p->route.links[i].v;
		r.latency += plugin_link_now(p->net, p->route.links[i], &info);
		if (i == 0 || info.bandwidth < r.bandwidth)
			r.bandwidth = info.bandwidth;
	}
	r.latency += p->route.latency;
	r.links = links;
	r.n_links = p->route.n;
	*out = r;
	return 0;
}

static int link_check(struct orrery_net *face, uint32_t link)
{
	return link < platform_link_count(plugin_of(face)->net->platform)
	           ? 0
	           : api_fail(face, "asks for a link that does not exist");
}

static int api_link_get(struct orrery_net *face, uint32_t link, struct orrery_link *out)
{
	struct link_info info;

	if (link_check(face, link) < 0)
		return -1;
	plugin_link_now(plugin_of(face)->net, (struct link_id){link}, &info);
	*out = (struct orrery_link){info.latency, info.bandwidth,
	                            info.policy == LINK_FATPIPE ? ORRERY_FATPIPE : ORRERY_SHARED};
	return 0;
}

static const char *api_link_name(struct orrery_net *face, uint32_t link, char *buf, size_t n)
{
	if (link < platform_link_count(plugin_of(face)->net->platform))
		return platform_link_name(plugin_of(face)->net->platform, (struct link_id){link},
		                          buf, n);
	snprintf(buf, n, "no link %u", link);
	return buf;
}

static int api_resource_of_link(struct orrery_net *face, uint32_t link, uint32_t *out)
{
	struct resource_id r;
	struct err err;

	if (link_check(face, link) < 0)
		return -1;
	if (resource_of_link(plugin_of(face)->net, (struct link_id){link}, &r, &err) < 0)
		return api_error(face, &err);
	*out = r.v;
	return 0;
}

static int api_resource_new(struct orrery_net *face, double capacity, enum orrery_sharing sharing,
                            uint32_t *out)
{
	struct resource_id r;
	struct err err;

	if (!(capacity > 0) || isinf(capacity))
		return api_fail(face, "makes a resource whose capacity is not positive and finite");
	if (engine_add_resource(plugin_of(face)->net->engine, capacity,
	                        sharing == ORRERY_FATPIPE ? RESOURCE_FATPIPE : RESOURCE_SHARED, &r,
	                        &err) < 0)
		return api_error(face, &err);
	*out = r.v;
	return 0;
}

/* A message ends once, and only one that is under way: else another one would end in its place. */
int plugin_ticket_check(struct plugin *p, uint64_t ticket)
{
	if (hash64_find(&p->open, ticket) != HASH_NONE)
		return 0;
	return api_fail(&p->face, "ends a message that is not under way, or one that ends already");
}

/* Of a timer or flow: it may also be an event of the model's. */
static int done_check(struct orrery_net *face, uint64_t done)
{
	return done & NET_OWN ? 0 : plugin_ticket_check(plugin_of(face), done);
}

void plugin_ticket_take(struct plugin *p, uint64_t done)
{
	uint32_t n = hash64_find(&p->open, done);
	struct err err;

	if (n == 1)
		hash64_remove(&p->open, done);
	else if (n != HASH_NONE)
		hash64_put(&p->open, done, n - 1, &err); /* it is there: nothing can fail */
}

int plugin_ticket_give(struct plugin *p, uint64_t ticket, struct err *err)
{
	uint32_t n = hash64_find(&p->open, ticket);

	return hash64_put(&p->open, ticket, n == HASH_NONE ? 1 : n + 1, err);
}

static int api_timer(struct orrery_net *face, double delay, uint64_t done)
{
	struct activity_id a;
	struct err err;

	if (!(delay >= 0) || isinf(delay))
		return api_fail(face, "starts a timer whose delay is not 0 or more");
	if (done_check(face, done) < 0)
		return -1;
	if (engine_timer(plugin_of(face)->net->engine, delay, done, &a, &err) < 0)
		return api_error(face, &err);
	plugin_ticket_take(plugin_of(face), done);
	return 0;
}

static int flow_check(struct orrery_net *face, const struct orrery_flow *f)
{
	if (!f || (f->n_resources > 0 && !f->resources))
		return api_fail(face, f ? "starts a flow of resources whose list is NULL"
		                        : "starts a flow that is NULL");
	if (!(f->amount >= 0) || isinf(f->amount) || !(f->latency >= 0) || isinf(f->latency) ||
	    !(f->weight > 0) || isinf(f->weight) || isnan(f->bound))
		return api_fail(
		    face, "starts a flow whose amount, latency, weight or bound is no amount");
	if (f->n_resources == 0 && f->amount > 0 && !(f->bound > 0))
		return api_fail(face, "starts a flow without resources and without bound");
	for (uint32_t i = 0; i < f->n_resources; i++) {
		for (uint32_t k = 0; k < i; k++) {
			if (f->resources[i] == f->resources[k])
				return api_fail(face, "starts a flow that names a resource twice");
		}
	}
	return 0;
}

static int api_flow(struct orrery_net *face, const struct orrery_flow *f, uint64_t done)
{
	struct plugin *p = plugin_of(face);
	struct flow_spec spec;
	struct activity_id a;
	struct flow_use *uses;
	struct err err;

	if (flow_check(face, f) < 0 || done_check(face, done) < 0)
		return -1;
	spec = (struct flow_spec){.amount = f->amount,
	                          .latency = f->latency,
	                          .bound = f->bound,
	                          .weight = f->weight,
	                          .user = done};
	uses = vec_grow(p->uses, &p->uses_cap, sizeof *uses, (size_t)f->n_resources + 1,
	                "resources of a flow", &err);
	if (!uses)
		return api_error(face, &err);
	p->uses = uses;
	for (uint32_t i = 0; i < f->n_resources; i++)
		uses[i] = (struct flow_use){.resource = {f->resources[i]}, .coef = 1};
	spec.uses = f->n_resources ? uses : NULL;
	spec.n_uses = f->n_resources;
	if (engine_flow(p->net->engine, &spec, &a, &err) < 0 ||
	    (p->net->changes &&
	     change_message_started(p->net, a, (struct host_id){0}, (struct host_id){0},
	                            &(struct path){0}, &err) < 0))
		return api_error(face, &err);
	plugin_ticket_take(p, done);
	return 0;
}

static void api_part(struct orrery_net *face, uint64_t ticket, double from, const char *name)
{
	part_tell(plugin_of(face)->net, ticket, from, name);
}

static double api_noise(struct orrery_net *face)
{
	return plugin_of(face)->noise;
}

const struct orrery_api plugin_api = {
    ORRERY_MODEL_ABI, sizeof plugin_api, api_fail,      api_setting,
    api_number,       api_now,           api_hosts,     api_host_name,
    api_route_find,   api_link_get,      api_link_name, api_resource_of_link,
    api_resource_new, api_timer,         api_flow,      api_noise,
    api_part,
};
