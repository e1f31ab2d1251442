/* plugin.c: communication models in shared objects: include/orrery/model.h's functions on top of
 * this room's. A model whose name in network/model is a path is one; what follows ':' are its own
 * settings, like those of network/plugin; one that the model does not ask for when it starts is
 * refused. */
#include "plugin.h"
#include "base/input.h"
#include "base/object.h"
#include "change.h"

#include <dlfcn.h>
#include <math.h>
#include <orrery/model.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SIZE_FIRST: of struct orrery_model as it was first; what an object has not got is 0. */
enum { REASON_MAX = 512, SIZE_FIRST = offsetof(struct orrery_model, follows) };

struct plugin {
	struct orrery_net face; /* first: what the model gets is a pointer to it */
	struct net *net;
	struct net_model model;           /* as this room sees it */
	const struct orrery_model *entry; /* in the object */
	struct orrery_model theirs;       /* what it fills of it */
	struct str asked;                 /* "key key ": settings */
	void *handle, *state;
	char *values[2];         /* what settings are given in, cut where each value ends */
	struct hash64 open;      /* tickets of messages whose end is not known yet -> how many */
	char reason[REASON_MAX]; /* why it failed */
	struct route route;
	uint32_t *links, links_cap;
	struct flow_use *uses;
	uint32_t uses_cap;
	uint32_t *hosts, hosts_cap;
	double noise; /* of the message that it is asked for; else 1 */
};

static struct plugin *plugin_of(struct orrery_net *face)
{
	return (struct plugin *)(void *)face;
}

/* --- what models call --- */

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

static int values_cut(struct plugin *p, struct err *err)
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

/* A link as it is now; by how much its latency is more than the platform says, s. */
static double link_now(const struct net *n, struct link_id l, struct link_info *info)
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
		r.latency += link_now(p->net, p->route.links[i], &info);
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
	link_now(plugin_of(face)->net, (struct link_id){link}, &info);
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
static int ticket_check(struct plugin *p, uint64_t ticket)
{
	if (hash64_find(&p->open, ticket) != HASH_NONE)
		return 0;
	return api_fail(&p->face, "ends a message that is not under way, or one that ends already");
}

/* Of a timer or flow: it may also be an event of the model's. */
static int done_check(struct orrery_net *face, uint64_t done)
{
	return done & NET_OWN ? 0 : ticket_check(plugin_of(face), done);
}

static void ticket_take(struct plugin *p, uint64_t done)
{
	uint32_t n = hash64_find(&p->open, done);
	struct err err;

	if (n == 1)
		hash64_remove(&p->open, done);
	else if (n != HASH_NONE)
		hash64_put(&p->open, done, n - 1, &err); /* it is there: nothing can fail */
}

static int ticket_give(struct plugin *p, uint64_t ticket, struct err *err)
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
	ticket_take(plugin_of(face), done);
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
	ticket_take(p, done);
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

static const struct orrery_api api = {
    ORRERY_MODEL_ABI, sizeof api,   api_fail,      api_setting,
    api_number,       api_now,      api_hosts,     api_host_name,
    api_route_find,   api_link_get, api_link_name, api_resource_of_link,
    api_resource_new, api_timer,    api_flow,      api_noise,
    api_part,
};

/* --- what this room calls --- */

static int plugin_error(struct plugin *p, const char *doing, struct err *err)
{
	err_set(err, ERR_INPUT, "model %s: %s: %s", p->model.name, doing,
	        p->reason[0] ? p->reason : "it failed and gave no reason");
	p->reason[0] = '\0';
	return -1;
}

/* Whether the model has asked for each key of "key=value,key=value". */
static int settings_check(struct plugin *p, const char *s, enum config_id id, struct err *err)
{
	size_t n, key;

	for (; *s; s += n + (s[n] != '\0')) {
		const char *at = p->asked.s;

		n = strcspn(s, ",;");
		key = strcspn(s, "=,;");
		if (n == 0)
			continue;
		while (at && *at && (strncmp(at, s, key) != 0 || at[key] != ' '))
			at += strcspn(at, " ") + 1;
		if (key < n && at && *at)
			continue;
		return err_set(err, ERR_INPUT,
		               "setting %s: model %s knows no \"%.*s\"; it has asked for: %s",
		               config_table[id].name, p->model.name, (int)n, s,
		               p->asked.s && *p->asked.s ? p->asked.s : "nothing");
	}
	return p->asked.failed ? err_nomem(err, "settings of a model", 0) : 0;
}

static int plugin_init(struct net *n, void **state, struct err *err)
{
	struct plugin *p = n->state;

	*state = p;
	n->links = p->theirs.follows & ORRERY_FOLLOWS_LINKS ? LINKS_OWN : LINKS_UNSAID;
	n->noise_unsaid = !(p->theirs.follows & ORRERY_FOLLOWS_NOISE);
	if (values_cut(p, err) < 0)
		return -1;
	if (p->theirs.init && p->theirs.init(&p->face, &p->state) < 0)
		return plugin_error(p, "start", err);
	return settings_check(p, n->arguments, CFG_NET_MODEL, err) < 0 ||
	               settings_check(p, config_text(n->cfg, CFG_NET_PLUGIN), CFG_NET_PLUGIN, err) <
	                   0
	           ? -1
	           : 0;
}

static void plugin_release(void *state)
{
	struct plugin *p = state;

	if (p->theirs.release && p->state)
		p->theirs.release(p->state);
	str_release(&p->asked);
	free(p->values[0]);
	free(p->values[1]);
	hash64_release(&p->open);
	route_release(&p->route);
	free(p->links);
	free(p->uses);
	free(p->hosts);
	if (p->handle)
		dlclose(p->handle);
	free(p);
}

static int plugin_message(struct net *n, void *state, const struct net_send *s,
                          struct net_sent *out, struct err *err)
{
	struct plugin *p = state;

	int r;

	(void)n;
	out->activity = ACTIVITY_NONE;
	if (ticket_give(p, s->user, err) < 0)
		return -1;
	p->noise = s->stretch;
	r = p->theirs.message(&p->face, p->state, s->from.v, s->to.v, s->bytes, s->user);
	p->noise = 1;
	return r < 0 ? plugin_error(p, "message", err) : 0;
}

static int plugin_event(struct net *n, void *state, uint32_t number, uint64_t *user,
                        struct err *err)
{
	struct plugin *p = state;
	int r;

	(void)n;
	if (!p->theirs.event) {
		snprintf(p->reason, sizeof p->reason,
		         "it has no function for event %u, which it started", number);
		return plugin_error(p, "event", err);
	}
	r = p->theirs.event(&p->face, p->state, number, user);
	if (r > 0 && ticket_check(p, *user) < 0)
		r = -1;
	if (r < 0)
		return plugin_error(p, "event", err);
	if (r > 0)
		ticket_take(p, *user);
	return r;
}

/* A link of a flow has changed. */
static int plugin_revise(struct net *n, void *state, struct net_revision *r, struct err *err)
{
	struct plugin *p = state;
	struct orrery_revision theirs = {
	    .done = r->user, .link = r->link.v, .bound = r->bound, .weight = r->weight};
	struct link_info info;

	link_now(n, r->link, &info);
	theirs.bandwidth = info.bandwidth;
	theirs.latency = info.latency;
	if (p->theirs.revise(&p->face, p->state, &theirs) < 0)
		return plugin_error(p, "revise", err);
	if (!(theirs.weight > 0) || isinf(theirs.weight) || isnan(theirs.bound)) {
		snprintf(p->reason, sizeof p->reason, "the weight or the bound is no amount");
		return plugin_error(p, "revise", err);
	}
	r->bound = theirs.bound;
	r->weight = theirs.weight;
	r->penalty = 0;
	return 0;
}

static int plugin_collective(struct net *n, void *state, const struct net_collective *c,
                             double *seconds, struct err *err)
{
	struct plugin *p = state;
	struct orrery_collective theirs = {.operation = net_coll_name(c->kind),
	                                   .members = c->n,
	                                   .root = c->root,
	                                   .sent = c->sent,
	                                   .received = c->received};
	uint32_t *hosts = vec_grow(p->hosts, &p->hosts_cap, sizeof *hosts, c->n,
	                           "members of a collective", err);

	(void)n;
	if (!hosts)
		return -1;
	p->hosts = hosts;
	for (uint32_t i = 0; i < c->n; i++)
		hosts[i] = c->host[i].v;
	theirs.hosts = hosts;
	if (p->theirs.collective(&p->face, p->state, &theirs, seconds) < 0)
		return plugin_error(p, "collective", err);
	if (*seconds >= 0 && !isinf(*seconds))
		return 0;
	snprintf(p->reason, sizeof p->reason, "its duration is %g s", *seconds);
	return plugin_error(p, "collective", err);
}

static void plugin_explain(struct net *n, void *state, struct host_id from, struct host_id to,
                           double bytes, struct str *out)
{
	struct plugin *p = state;
	char text[1024] = "";

	(void)n;
	if (p->theirs.explain)
		p->theirs.explain(&p->face, p->state, from.v, to.v, bytes, text, sizeof text);
	str_puts(out, text[0] ? text : "the model does not explain itself.");
}

/* --- loading --- */

int plugin_is(const char *name)
{
	size_t n = strlen(name);

	return strchr(name, '/') != NULL || (n > 3 && !strcmp(name + n - 3, ".so"));
}

static int symbol_check(const struct orrery_model *m, const char *path, struct err *err)
{
	if (!m)
		return err_set(
		    err, ERR_INPUT,
		    "model %s: it defines no \"orrery_model_entry\" (see orrery/model.h)", path);
	if (m->abi != ORRERY_MODEL_ABI)
		return err_set(
		    err, ERR_INPUT,
		    "model %s: it was built for version %u of orrery/model.h, and this is "
		    "version %u: build it again",
		    path, m->abi, ORRERY_MODEL_ABI);
	if (m->size < SIZE_FIRST)
		return err_set(
		    err, ERR_INPUT,
		    "model %s: its struct orrery_model has %u bytes, not %zu: its `size` is wrong",
		    path, m->size, sizeof *m);
	if (!m->name || !m->message)
		return err_set(err, ERR_INPUT, "model %s: it has no %s", path,
		               m->name ? "function message" : "name");
	return 0;
}

static void plugin_describe(struct plugin *p)
{
	const struct orrery_model *m = &p->theirs;

	p->model = (struct net_model){
	    .name = m->name,
	    .aliases = "",
	    .help = m->help,
	    .init = plugin_init,
	    .release = plugin_release,
	    .message = plugin_message,
	    .event = plugin_event,
	    .bare = !m->envelope,
	    .whole = m->whole_collectives && m->collective,
	    .collective = m->collective ? plugin_collective : NULL,
	    .arguments = "its own settings",
	    .revise = m->revise ? plugin_revise : NULL,
	    .explain = plugin_explain,
	};
}

static struct plugin *plugin_new(struct net *n, struct err *err)
{
	struct plugin *p = calloc(1, sizeof *p);

	if (!p) {
		err_nomem(err, "model", sizeof *p);
		return NULL;
	}
	p->face.api = &api;
	p->net = n;
	route_init(&p->route);
	str_init(&p->asked);
	hash64_init(&p->open);
	return p;
}

/* The plugin is n's, or gone. */
static const struct net_model *entry_take(struct net *n, struct plugin *p, const char *name,
                                          struct err *err)
{
	if (symbol_check(p->entry, name, err) < 0) {
		plugin_release(p);
		return NULL;
	}
	memcpy(&p->theirs, p->entry,
	       p->entry->size < sizeof p->theirs ? p->entry->size : sizeof p->theirs);
	plugin_describe(p);
	n->state = p;
	return &p->model;
}

const struct net_model *plugin_take(struct net *n, const struct orrery_model *entry,
                                    struct err *err)
{
	struct plugin *p = plugin_new(n, err);

	if (!p)
		return NULL;
	p->entry = entry;
	return entry_take(n, p, "of the program", err);
}

/* Where an object is loaded from: what was said in full, or the installed folder; never the current
 * one, which may be somebody else's. */
static int object_find(const char *path, char *file, size_t n, struct err *err)
{
	char name[4096];

	if (path[0] == '/') {
		snprintf(file, n, "%s", path);
		return 0;
	}
	if (strchr(path, '/'))
		return err_set(
		    err, ERR_INPUT,
		    "model %s: shared objects are loaded by their absolute path "
		    "(/…/name.so), or by a bare name from the installed folder of models",
		    path);
	snprintf(name, sizeof name, "models/%s", path);
	if (data_find(name, file, n, err) == 0)
		return 0;
	if (err->kind != ERR_INPUT)
		return -1;
	err_append(err,
	           ". Shared objects are loaded from the installed folder of models, or by "
	           "their absolute path (/…/%s)",
	           path);
	return -1;
}

const struct net_model *plugin_load(struct net *n, const char *path, struct err *err)
{
	struct plugin *p = plugin_new(n, err);
	char file[4096], called[4096];

	if (!p)
		return NULL;
	snprintf(called, sizeof called, "model %s", path);
	if (object_find(path, file, sizeof file, err) < 0 ||
	    input_regular(file, err) < 0 || /* a pipe would be waited for */
	    object_check(file, called, err) < 0) {
		plugin_release(p);
		return NULL;
	}
	p->handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	if (!p->handle) {
		err_set(err, ERR_INPUT, "model %s: %s", path, dlerror());
		plugin_release(p);
		return NULL;
	}
	p->entry = dlsym(p->handle, "orrery_model_entry");
	return entry_take(n, p, path, err);
}
