/* net.c: the seam between machine and engine: messages, computations, and the choice of the
 * communication model. */
#include "change.h"
#include "plugin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct net_model *const net_models[] = {&net_model_hybrid,
                                              &net_model_lv08,
                                              &net_model_cm02,
                                              &net_model_constant,
                                              &net_model_psins_simple,
                                              &net_model_psins_bus,
                                              &net_model_psins_in,
                                              &net_model_psins_out,
                                              &net_model_psins_pmac,
                                              &net_model_dimemas,
                                              &net_model_loggps,
                                              &net_model_ib,
                                              NULL};

/* One blank-separated word of `words`, whatever the case. */
static int word_in(const char *words, const char *word)
{
	size_t n = strlen(word), length;

	for (; *words; words += length + strspn(words + length, " ")) {
		length = strcspn(words, " ");
		if (length == n && text_same_n(words, word, n))
			return 1;
	}
	return 0;
}

const struct net_model *net_model_named(const char *text)
{
	size_t length = strcspn(text, ":");
	char name[64];

	if (length >= sizeof name)
		return NULL;
	memcpy(name, text, length);
	name[length] = '\0';
	for (int i = 0; net_models[i]; i++) {
		if (text_same(net_models[i]->name, name) || word_in(net_models[i]->aliases, name))
			return net_models[i];
	}
	return NULL;
}

/* "name" or "name:arguments". */
static const struct net_model *model_find(struct net *n, const char *text, struct err *err)
{
	size_t length = strcspn(text, ":");
	const struct net_model *m;
	struct nearest near;
	struct str known;
	char name[4096];

	n->arguments = text[length] ? text + length + 1 : "";
	snprintf(name, sizeof name, "%.*s", (int)length, text);
	if (plugin_is(name)) {
		if (config_from(n->cfg, CFG_NET_MODEL) == CFG_FROM_USER)
			return plugin_load(n, name, err);
		err_set(err, ERR_INPUT,
		        "setting network/model: the machine's file asks for the shared object %s: "
		        "what a file says is never loaded. If you trust it, say --model and its "
		        "absolute path",
		        name);
		return NULL;
	}
	m = net_model_named(text);
	if (m)
		return m;
	str_init(&known);
	nearest_init(&near, name);
	for (int i = 0; net_models[i]; i++) {
		str_printf(&known, "%s%s", i ? ", " : "", net_models[i]->name);
		nearest_offer(&near, net_models[i]->name);
	}
	err_set(err, ERR_INPUT,
	        "setting network/model: no model \"%s\"; %s%s%sthere are %s, "
	        "and shared objects by their path",
	        name, near.best ? "did you mean " : "", near.best ? near.best : "",
	        near.best ? "; " : "", known.s ? known.s : "");
	str_release(&known);
	return NULL;
}

static int net_alloc(struct net *n, struct err *err)
{
	enum { MANY_LINKS = 1 << 14 };
	uint32_t links = platform_link_count(n->platform), hosts = platform_host_count(n->platform);

	n->many = links >= MANY_LINKS;
	n->link_resource = calloc((size_t)links + 1, sizeof *n->link_resource);
	n->host_resource = calloc((size_t)hosts + 1, sizeof *n->host_resource);
	if (!n->link_resource || !n->host_resource)
		return err_nomem(err, "links and hosts in use",
		                 ((unsigned long long)links + hosts) * sizeof *n->link_resource);
	n->engine = engine_new(err);
	if (!n->engine)
		return -1;
	return 0;
}

/* SimGrid's tolerances. */
static int precision_set(struct net *n, struct err *err)
{
	static const enum config_id ids[2] = {CFG_PRECISION_TIME, CFG_PRECISION_SHARE};

	for (int i = 0; i < 2; i++)
		if (!(config_number(n->cfg, ids[i]) >= 0 &&
		      config_number(n->cfg, ids[i]) < INFINITY))
			return err_set(err, ERR_INPUT,
			               "setting %s must be finite and not negative, not %g",
			               config_table[ids[i]].name, config_number(n->cfg, ids[i]));
	engine_compat_precision(n->engine, config_number(n->cfg, ids[0]),
	                        config_number(n->cfg, ids[1]));
	return 0;
}

#define SHARING_ERROR_MOST 0.1

static int sharing_set(struct net *n, struct err *err)
{
	const char *optim = config_text(n->cfg, CFG_NET_OPTIM);
	int full = strcmp(optim, "Full") == 0;
	double error = config_number(n->cfg, CFG_NET_SHARING_ERROR);

	if (!full && strcmp(optim, "Lazy") != 0)
		return err_set(err, ERR_INPUT,
		               "setting network/optim takes Lazy or Full, not \"%s\"", optim);
	if (!(error >= 0 && error <= SHARING_ERROR_MOST))
		return err_set(err, ERR_INPUT,
		               "setting network/sharing-error takes 0 to %g, not %g",
		               SHARING_ERROR_MOST, error);
	engine_set_ripples(n->engine, error, 0);
	if (!config_compat(n->cfg))
		return 0;
	if (engine_set_compat(n->engine, err))
		return -1;
	if (full && !config_bool(n->cfg, CFG_NET_SELECTIVE))
		engine_compat_whole(n->engine);
	return precision_set(n, err);
}

static int settings_check(const struct net *n, struct err *err)
{
	for (int i = 0; net_models[i]; i++)
		if (net_models[i]->settings && net_models[i]->settings(n, err) < 0)
			return -1;
	return 0;
}

enum { PROCESSORS_MOST = 1000000 };

struct net *net_new(const struct platform *p, const struct config *cfg, struct err *err)
{
	return net_new_with(p, cfg, NULL, err);
}

/* Numbers that are read once. */
static int numbers_read(struct net *n, struct err *err)
{
	n->queue = config_number(n->cfg, CFG_NET_QUEUE);
	n->processors = config_number(n->cfg, CFG_VIRTUAL_PROCESSORS);
	n->crosstraffic = (float)config_number(n->cfg, CFG_NET_CROSSTRAFFIC_SHARE);
	if (n->processors > PROCESSORS_MOST)
		return err_set(
		    err, ERR_INPUT,
		    "setting virtual-hosts/processors is %g: of one computer, at most %d, or 0",
		    n->processors, PROCESSORS_MOST);
	if (!(n->crosstraffic > 0 && n->crosstraffic < 1))
		return err_set(
		    err, ERR_INPUT,
		    "setting network/crosstraffic-share is %g; it is a part: above 0, below 1",
		    (double)n->crosstraffic);
	return 0;
}

static int model_choose(struct net *n, const struct orrery_model *entry, struct err *err)
{
	n->arguments = "";
	n->model = entry ? plugin_take(n, entry, err)
	                 : model_find(n, config_text(n->cfg, CFG_NET_MODEL), err);
	if (!n->model)
		return -1;
	if (n->arguments[0] && !n->model->arguments)
		return err_set(err, ERR_INPUT,
		               "setting network/model: model %s takes no arguments, but got \"%s\"",
		               n->model->name, n->arguments);
	if (config_from(n->cfg, CFG_NET_PLUGIN) == CFG_FROM_USER &&
	    !n->state) /* a plugin has one by now */
		return err_set(err, ERR_INPUT,
		               "setting network/plugin: model %s is no shared object",
		               n->model->name);
	n->links = n->model->links;
	return settings_check(n, err);
}

const char *net_model_name(const struct net *n)
{
	const char *text = config_text(n->cfg, CFG_NET_MODEL);

	return net_plugin_name(n) && plugin_is(text) ? text : n->model->name;
}

const char *net_plugin_name(const struct net *n)
{
	int is_plugin = n->links == LINKS_OWN || n->links == LINKS_UNSAID;

	return is_plugin ? n->model->name : NULL;
}

static int model_start(struct net *n, struct err *err)
{
	return n->model->init ? n->model->init(n, &n->state, err) : 0;
}

struct net *net_new_with(const struct platform *p, const struct config *cfg,
                         const struct orrery_model *entry, struct err *err)
{
	struct net *n = calloc(1, sizeof *n);

	if (!n) {
		err_nomem(err, "network model", sizeof *n);
		return NULL;
	}
	n->platform = p;
	n->cfg = cfg;
	path_cache_init(&n->cache, PATH_CACHE_BYTES);
	if (net_alloc(n, err) == 0 && sharing_set(n, err) == 0 && numbers_read(n, err) == 0 &&
	    memory_init(n, err) == 0 && buckets_init(n, err) == 0 && storage_init(n, err) == 0 &&
	    model_choose(n, entry, err) == 0 && model_start(n, err) == 0 &&
	    changes_init(n, err) == 0 && crossings_init(n, err) == 0)
		return n;
	net_free(n);
	return NULL;
}

void net_free(struct net *n)
{
	if (!n)
		return;
	if (n->model && n->model->release && n->state)
		n->model->release(n->state);
	buckets_free(n->buckets);
	storage_free(n->storage);
	load_free(n->load);
	path_cache_release(&n->cache);
	changes_free(n->changes);
	crossings_free(n->crossings);
	engine_free(n->engine);
	free(n->link_resource);
	memory_release(&n->memory);
	free(n->host_resource);
	free(n);
}

int net_message(struct net *n, const struct net_send *s, struct net_sent *out, struct err *err)
{
	if (n->crossings && !n->model->ports && crossing_begin(n, s->from, s->to, s->user, err) < 0)
		return -1;
	return n->model->message(n, n->state, s, out, err);
}

/* Only where a message is its flow, and nothing else is known of it. */
int net_message_again(struct net *n, struct activity_id a, uint64_t user)
{
	return n->model->parts && !n->changes && !n->crossings && !n->buckets &&
	       a.v != ACTIVITY_NONE.v && engine_flow_again(n->engine, a, user);
}

int net_is_plain(const struct net *n)
{
	return n->model->parts && !n->changes && !n->crossings && n->processors == 0 &&
	       !memory_shared(&n->memory);
}

int net_takes_parts(const struct net *n)
{
	return n->model->parts;
}

double net_envelope(const struct net *n)
{
	return n->model->bare ? 0 : ENVELOPE_BYTES;
}

/* The model's event *c. What it says: 1 to pass *c on, 0 to go on, -1. */
static int model_event(struct net *n, struct completion *c, struct err *err)
{
	return n->model->event(n, n->state, (uint32_t)c->user, &c->user, err);
}

/* What the caller gets: 1, and the end of a message's way if that is it. */
static int completion_pass(struct net *n, const struct completion *c)
{
	if (n->crossings && !n->model->ports)
		crossing_end(n, c->user);
	return 1;
}

int net_next(struct net *n, struct completion *out, struct err *err)
{
	int r;

	for (;;) {
		if (n->model->settle && n->model->settle(n, n->state, err) < 0)
			return -1;
		r = engine_next(n->engine, out, err);
		if (r <= 0)
			return r;
		if (!(out->user & NET_OWN))
			return completion_pass(n, out);
		r = model_event(n, out, err);
		if (r > 0)
			return completion_pass(n, out);
		if (r == 0)
			r = net_more(n, out, err);
		if (r != 0)
			return r;
	}
}

int net_more(struct net *n, struct completion *out, struct err *err)
{
	int r, own;

	while ((r = engine_more(n->engine, out)) > 0 && out->user & NET_OWN) {
		own = model_event(n, out, err);
		if (own)
			return own < 0 ? own : completion_pass(n, out);
	}
	return r > 0 ? completion_pass(n, out) : r;
}

/* The processors that virtual hosts share, in units of the first one's speed: coefficients of
 * equal hosts are exact. */
static double shared_unit(struct net *n)
{
	return net_host_speed(n, platform_first_computing(n->platform));
}

static int shared_find(struct net *n, struct resource_id *out, struct err *err)
{
	if (n->shared.v == 0 && engine_add_resource(n->engine, n->processors * shared_unit(n),
	                                            RESOURCE_SHARED, &n->shared, err) == 0)
		n->shared.v++; /* as of links and hosts: 0 is none */
	*out = (struct resource_id){n->shared.v - 1};
	return n->shared.v == 0 ? -1 : 0;
}

int net_compute(struct net *n, struct host_id h, uint32_t socket, double volume, uint64_t user,
                struct activity_id *out, struct err *err)
{
	double speed = net_host_speed(n, h);
	struct flow_use use[3] = {{.coef = 1}, {.coef = 1}};
	struct flow_spec spec = {
	    .amount = volume, .bound = speed, .weight = 1, .uses = use, .n_uses = 1, .user = user};

	if (resource_of_host(n, h, &use[0].resource, err) < 0)
		return -1;
	if (n->processors > 0 && !n->apart) {
		use[1].coef = (float)(shared_unit(n) / speed);
		spec.n_uses = 2;
		spec.weight = speed; /* equal parts of the processors, whatever the units */
		if (shared_find(n, &use[1].resource, err) < 0)
			return -1;
	}
	if (memory_shared(&n->memory) && !n->apart && socket != NET_NO_SOCKET &&
	    memory_use(n, h, socket, speed, &use[spec.n_uses++], err) < 0)
		return -1;
	if (n->changes && change_speed(n, h) > 0)
		spec.bound *= change_speed(n, h);
	return engine_flow(n->engine, &spec, out, err);
}

int net_compat_mark(struct net *n, struct host_id h, struct err *err)
{
	struct resource_id r;

	if (resource_of_host(n, h, &r, err) < 0)
		return -1;
	engine_compat_mark(n->engine, r);
	return 0;
}

void net_compute_apart(struct net *n)
{
	n->apart = 1;
}

int net_shares_processors(const struct net *n)
{
	return n->processors > 0;
}

int net_work(struct net *n, double seconds, uint64_t user, struct err *err)
{
	struct flow_use use = {.coef = 1};
	double unit = shared_unit(n);
	struct flow_spec spec = {.amount = seconds * unit,
	                         .bound = unit,
	                         .weight = unit,
	                         .uses = &use,
	                         .n_uses = 1,
	                         .user = user};
	struct activity_id a;

	return shared_find(n, &use.resource, err) < 0 ? -1 : engine_flow(n->engine, &spec, &a, err);
}

void net_explain(struct net *n, struct host_id from, struct host_id to, double bytes,
                 struct str *out)
{
	if (n->model->explain)
		n->model->explain(n, n->state, from, to, bytes, out);
}

void net_set_parts(struct net *n, const struct net_parts *p)
{
	n->parts = p ? *p : (struct net_parts){0};
}

const char *net_bound(struct net *n, struct host_id from, struct host_id to, char *buf, size_t size)
{
	snprintf(buf, size, "its own bound");
	return n->model->bound ? n->model->bound(n, n->state, from, to, buf, size) : buf;
}
