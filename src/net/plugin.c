/* plugin.c: communication models in shared objects, as this room sees them: found, loaded, asked.
 * What they call is in plugin_api.c. A model whose name in network/model is a path is one; what
 * follows ':' are its own settings, like those of network/plugin; one that the model does not ask
 * for when it starts is refused. */
#include "base/object.h"
#include "plugin_int.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SIZE_FIRST: of struct orrery_model as it was first; what an object has not got is 0. */
enum { SIZE_FIRST = offsetof(struct orrery_model, follows) };

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
	if (plugin_values_cut(p, err) < 0)
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
	if (plugin_ticket_give(p, s->user, err) < 0)
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
	if (r > 0 && plugin_ticket_check(p, *user) < 0)
		r = -1;
	if (r < 0)
		return plugin_error(p, "event", err);
	if (r > 0)
		plugin_ticket_take(p, *user);
	return r;
}

/* A link of a flow has changed. */
static int plugin_revise(struct net *n, void *state, struct net_revision *r, struct err *err)
{
	struct plugin *p = state;
	struct orrery_revision theirs = {
	    .done = r->user, .link = r->link.v, .bound = r->bound, .weight = r->weight};
	struct link_info info;

	plugin_link_now(n, r->link, &info);
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
	p->face.api = &plugin_api;
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
