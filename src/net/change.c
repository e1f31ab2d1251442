/* change.c: availability profiles at work. The platform says what changes and when, the engine when
 * it is time (engine_add_source); here a change becomes a capacity, and new bounds and weights of
 * the messages under way.
 *
 *   speed       the capacity of a host's CPU, and the bound of each computation on it
 *   bandwidth   the capacity of the link; messages over it get the bound and weight that a new
 *               message would get
 *   latency     the same bounds (TCP windows) and weights; a latency phase that has begun keeps its
 *               end
 *   state       off: what is lost is told to the watch, who ends the simulation; messages that want
 *               to cross the link later find it off
 *
 * Nothing here is asked when the platform has no profile. Routes in the cache hold bandwidths and
 * latencies: a change empties it. */
#include "change.h"

#include <math.h>
#include <stdlib.h>

struct link_now {
	double bandwidth; /* the last positive one */
	double capacity, latency;
	const struct profile *off; /* or NULL: on */
};

struct host_now {
	double speed;
	const struct profile *off;
};

struct change_source {
	struct net *net;
	struct profile_use use;
	struct profile_cursor cursor;
	double date, value; /* of the next change */
};

/* A message under way, by activity. */
struct flight {
	struct host_id from, to;
	double bandwidth,
	    latency; /* of its way when it began; compat: latency follows the changes */
};

struct changes {
	struct change_source *sources;
	uint32_t n_sources;
	struct hash64 link_index, host_index;
	struct link_now *links;
	struct host_now *hosts;
	uint32_t n_links, links_cap, n_hosts, hosts_cap;
	struct flight *flights;
	uint32_t flights_cap;
	struct net_watch watch;
	uint64_t seen; /* changes of links */
};

static void changes_release(struct changes *c)
{
	hash64_release(&c->link_index);
	hash64_release(&c->host_index);
	free(c->sources);
	free(c->links);
	free(c->hosts);
	free(c->flights);
}

void changes_free(struct changes *c)
{
	if (!c)
		return;
	changes_release(c);
	free(c);
}

/* --- what is now --- */

static struct link_now *link_now(const struct net *n, struct link_id l)
{
	uint32_t i = hash64_find(&n->changes->link_index, l.v);

	return i == HASH_NONE ? NULL : &n->changes->links[i];
}

static struct host_now *host_now(const struct net *n, struct host_id h)
{
	uint32_t i = hash64_find(&n->changes->host_index, h.v);

	return i == HASH_NONE ? NULL : &n->changes->hosts[i];
}

void change_link(const struct net *n, struct link_id l, struct link_info *info)
{
	const struct link_now *now = link_now(n, l);

	if (!now)
		return;
	info->bandwidth = now->bandwidth;
	info->latency = now->latency;
}

double change_capacity(const struct net *n, struct link_id l, double bandwidth)
{
	const struct link_now *now = link_now(n, l);

	return now ? now->capacity : bandwidth;
}

double change_speed(const struct net *n, struct host_id h)
{
	const struct host_now *now = host_now(n, h);

	return now ? now->speed : 1;
}

int change_link_on(const struct net *n, struct link_id l, struct err *err)
{
	const struct link_now *now = link_now(n, l);
	char name[256];

	if (!now || !now->off)
		return 0;
	return err_set(err, ERR_PROGRAM, "link '%s' is off (%s)",
	               platform_link_name(n->platform, l, name, sizeof name),
	               profile_name(now->off));
}

uint64_t changes_seen(const struct net *n)
{
	return n->changes ? n->changes->seen : 0;
}

int change_message_started(struct net *n, struct activity_id a, struct host_id from,
                           struct host_id to, const struct path *p, struct err *err)
{
	struct changes *c = n->changes;
	struct flight *f = vec_grow(c->flights, &c->flights_cap, sizeof *f, (size_t)a.v + 1,
	                            "messages under way", err);

	if (!f)
		return -1;
	c->flights = f;
	f[a.v] = (struct flight){from, to, p->bandwidth, p->latency};
	return 0;
}

/* --- changes --- */

struct revision {
	struct net *net;
	struct link_id link;
	double latency, inverse; /* by how much its latency (s) and 1 / bandwidth (s/byte) rise */
};

static int message_revise(void *self, const struct engine_flow_state *s, struct err *err)
{
	const struct revision *v = self;
	struct net *n = v->net;
	struct flight *f = &n->changes->flights[s->id.v];
	struct net_revision r = {
	    .from = f->from,
	    .to = f->to,
	    .bandwidth = f->bandwidth,
	    .latency = f->latency,
	    .more_latency = v->latency,
	    .more_inverse = v->inverse,
	    .bound = s->bound,
	    .weight = s->weight,
	    .penalty = s->penalty,
	    .user = s->user,
	    .link = v->link,
	};

	if (n->model->revise(n, n->state, &r, err) < 0)
		return -1;
	f->latency = r.latency;
	if (r.penalty > 0)
		engine_compat_change_flow(n->engine, s->id, r.bound, r.penalty);
	else
		engine_change_flow(n->engine, s->id, r.bound, r.weight);
	return 0;
}

/* The link has become other than it was. */
static int link_revise(struct net *n, struct link_id l, const struct link_now *was, struct err *err)
{
	const struct link_now *now = link_now(n, l);
	struct revision v = {n, l, now->latency - was->latency,
	                     1 / now->bandwidth - 1 / was->bandwidth};
	struct resource_id r;

	path_cache_empty(&n->cache);
	n->changes->seen++;
	if (n->link_resource[l.v] == 0)
		return 0;
	r.v = n->link_resource[l.v] - 1;
	buckets_settle(n, r);
	engine_set_capacity(n->engine, r, now->capacity);
	return n->model && n->model->revise ? engine_flows_on(n->engine, r, message_revise, &v, err)
	                                    : 0;
}

static int computation_revise(void *self, const struct engine_flow_state *s, struct err *err)
{
	const struct change_source *c = self;
	struct host_info info;

	(void)err;
	platform_host(c->net->platform, (struct host_id){c->use.target}, &info);
	engine_change_flow(c->net->engine, s->id, info.speed * c->value, s->weight);
	return 0;
}

static int speed_change(struct change_source *s, struct err *err)
{
	struct net *n = s->net;
	struct host_id h = {s->use.target};
	struct host_info info;
	struct resource_id r;

	host_now(n, h)->speed = s->value;
	if (n->host_resource[h.v] == 0)
		return 0;
	r.v = n->host_resource[h.v] - 1;
	platform_host(n->platform, h, &info);
	engine_set_capacity(n->engine, r, info.speed * info.cores * s->value);
	/* at speed 0 the capacity stops them, whatever their bound */
	return s->value > 0 ? engine_flows_on(n->engine, r, computation_revise, s, err) : 0;
}

static int host_change(struct change_source *s, struct err *err)
{
	struct host_now *now = host_now(s->net, (struct host_id){s->use.target});
	const struct net_watch *w = &s->net->changes->watch;
	int was_on = !now->off;

	now->off = s->value > 0 ? NULL : s->use.profile;
	return was_on && now->off && w->host_off
	           ? w->host_off(w->self, (struct host_id){s->use.target}, profile_name(now->off),
	                         err)
	           : 0;
}

int message_stopped(struct net *n, uint64_t user, const char *why, struct err *err)
{
	const struct net_watch *w = &n->changes->watch;

	user = net_user(n, user);
	if (w->message_lost && !(user & NET_OWN))
		return w->message_lost(w->self, user, why, err);
	return err_set(err, ERR_PROGRAM, "at %.9g s: %s while a message crosses it",
	               engine_now(n->engine), why);
}

static int message_lost(void *self, const struct engine_flow_state *f, struct err *err)
{
	const struct change_source *s = self;
	struct err why;

	change_link_on(s->net, (struct link_id){s->use.target}, &why);
	return message_stopped(s->net, f->user, why.text, err);
}

static int link_off(struct change_source *s, struct err *err)
{
	struct net *n = s->net;
	struct link_id l = {s->use.target};
	struct engine_flow_state f = {0};

	if (n->crossings) {
		int crosses = crossing_find(n, l, &f.user, err);

		return crosses > 0 ? message_lost(s, &f, err) : crosses;
	}
	if (n->link_resource[l.v] == 0)
		return 0;
	return engine_flows_on(n->engine, (struct resource_id){n->link_resource[l.v] - 1},
	                       message_lost, s, err);
}

static int link_change(struct change_source *s, struct err *err)
{
	struct net *n = s->net;
	struct link_now *now = link_now(n, (struct link_id){s->use.target});
	int was_on = !now->off;

	now->off = s->value > 0 ? NULL : s->use.profile;
	path_cache_empty(&n->cache);
	return was_on && now->off ? link_off(s, err) : 0;
}

static int bandwidth_change(struct change_source *s, struct err *err)
{
	struct link_id l = {s->use.target};
	struct link_now *now = link_now(s->net, l), was = *now;

	now->capacity = s->value;
	if (s->value > 0)
		now->bandwidth = s->value;
	return link_revise(s->net, l, &was, err);
}

static int latency_change(struct change_source *s, struct err *err)
{
	struct link_id l = {s->use.target};
	struct link_now *now = link_now(s->net, l), was = *now;

	now->latency = s->value;
	return link_revise(s->net, l, &was, err);
}

static double source_next(void *self)
{
	return ((const struct change_source *)self)->date;
}

static void source_advance(struct change_source *s)
{
	if (!profile_next(&s->cursor, &s->date, &s->value))
		s->date = INFINITY;
}

static int source_change(void *self, struct err *err)
{
	static int (*const change[PROFILE_KINDS])(struct change_source *, struct err *) = {
	    [PROFILE_SPEED] = speed_change,         [PROFILE_HOST] = host_change,
	    [PROFILE_BANDWIDTH] = bandwidth_change, [PROFILE_LATENCY] = latency_change,
	    [PROFILE_LINK] = link_change,
	};
	struct change_source *s = self;

	if (change[s->use.kind](s, err) < 0)
		return -1;
	source_advance(s);
	return 0;
}

/* --- made --- */

static int host_know(struct net *n, struct host_id h, struct err *err)
{
	struct changes *c = n->changes;
	struct host_now *grown;

	if (host_now(n, h))
		return 0;
	grown = vec_grow(c->hosts, &c->hosts_cap, sizeof *grown, (size_t)c->n_hosts + 1,
	                 "hosts that change", err);
	if (!grown)
		return -1;
	c->hosts = grown;
	c->hosts[c->n_hosts] = (struct host_now){.speed = 1};
	return hash64_put(&c->host_index, h.v, c->n_hosts++, err);
}

static int link_know(struct net *n, struct link_id l, struct err *err)
{
	struct changes *c = n->changes;
	struct link_info info;
	struct link_now *grown;

	if (link_now(n, l))
		return 0;
	grown = vec_grow(c->links, &c->links_cap, sizeof *grown, (size_t)c->n_links + 1,
	                 "links that change", err);
	if (!grown)
		return -1;
	c->links = grown;
	platform_link(n->platform, l, &info);
	c->links[c->n_links] = (struct link_now){info.bandwidth, info.bandwidth, info.latency,
	                                         NULL};
	return hash64_put(&c->link_index, l.v, c->n_links++, err);
}

static int source_start(struct net *n, uint32_t i, const struct profile_use *use, struct err *err)
{
	struct change_source *s = &n->changes->sources[i];

	*s = (struct change_source){.net = n, .use = *use};
	if ((use->kind <= PROFILE_HOST ? host_know(n, (struct host_id){use->target}, err)
	                               : link_know(n, (struct link_id){use->target}, err)) < 0)
		return -1;
	profile_start(use->profile, "profile", i, &s->cursor);
	source_advance(s);
	return engine_add_source(n->engine, &(struct engine_source){s, source_next, source_change},
	                         err);
}

int changes_init(struct net *n, struct err *err)
{
	const struct profile_use *uses;
	uint32_t count = platform_profiles(n->platform, &uses);
	struct changes *c;

	if (count == 0)
		return 0;
	c = n->changes = calloc(1, sizeof *c);
	if (!c)
		return err_nomem(err, "profiles", sizeof *c);
	hash64_init(&c->link_index);
	hash64_init(&c->host_index);
	c->n_sources = count;
	c->sources = calloc(count, sizeof *c->sources);
	if (!c->sources)
		return err_nomem(err, "profiles", (unsigned long long)count * sizeof *c->sources);
	for (uint32_t i = 0; i < count; i++) {
		if (source_start(n, i, &uses[i], err) < 0)
			return -1;
	}
	return 0;
}

int net_watch(struct net *n, const struct net_watch *w, struct err *err)
{
	struct changes *c = n->changes;

	if (!c)
		return 0;
	c->watch = *w;
	for (uint32_t i = 0; i < c->n_sources; i++) {
		const struct change_source *s = &c->sources[i];
		struct host_id h = {s->use.target};

		if (s->use.kind == PROFILE_HOST && host_now(n, h)->off &&
		    w->host_off(w->self, h, profile_name(host_now(n, h)->off), err) < 0)
			return -1;
	}
	return 0;
}
