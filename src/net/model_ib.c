/* model_ib.c: contention on InfiniBand (Vienne, "Prediction of communication times of MPI
 * applications on HPC clusters", PhD thesis, Grenoble 2010; Degomme et al. 2017, section 3.3): a
 * flow model in which, besides links, the number of messages at both ends slows a message down.
 *
 * For a message from s to d, with n messages leaving s:
 *   out(s)    the largest, over the messages of s, of: 1 if n = 1; else n x beta_s, and x gamma_s
 *             when more than 2 messages arrive where it goes
 *   in(s, d)  1 if it is the only one to arrive at d; else (messages from s to d) x beta_e x
 *             (different senders to d)
 *   bound     that of the flow model, divided by the larger of the two
 * Messages inside a host do not count. A message counts from the date it is sent, its latency
 * included.
 *
 * State: messages under way in lists, by sender and by receiver. What begins or ends makes its two
 * hosts stale; when all of a date has been said, the messages of all hosts joined to stale ones by
 * messages get their bounds anew, for a message changes what its receiver's other senders get.
 *
 * Compat: anew after each message, and in SimGrid's order, for what is first changed is first
 * looked at by its selective update: depth first, a host's receivers by age of their messages, then
 * its senders in the order of the platform. */
#include "base/slots.h"
#include "model_flow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { END, AWAY, BACK }; /* the lists of a host: messages leaving, arriving */

struct message {
	uint64_t user;
	struct activity_id flow;
	uint32_t host[3]; /* at AWAY the sender, at BACK the receiver: indices of hosts */
	uint32_t next[3], prev[3];
	double bound, weight, now; /* bound: without penalty; now: the one in force */
	double penalty;
	int active;
};
struct host {
	uint32_t id; /* host_id */
	uint32_t first[3], last[3], n[3];
	uint32_t stamp;       /* of the walk that has met it */
	uint32_t senders;     /* different ones, in this walk */
	uint32_t seen, count; /* by whom it was counted last, and how often */
	int stale;
	uint32_t from, at; /* descend: the host that led here; its next message away */
};

struct ib {
	void *flow; /* of the flow model */
	double beta_e, beta_s, gamma_s;
	int compat;
	double
	    same; /* bounds that differ by less are one: in compat SimGrid's surf/precision, B/s */
	struct hash64 index; /* host id -> hosts */
	struct host *hosts;
	struct slots messages; /* struct message */
	uint32_t *walk;        /* hosts to look at */
	uint32_t hosts_n, hosts_cap, walk_n, walk_cap, stamp, mark;
};

#define NONE UINT32_MAX

static struct message *message_at(const struct ib *m, uint32_t id)
{
	return slots_at(&m->messages, id, sizeof(struct message));
}

static void ib_release(void *state)
{
	struct ib *m = state;

	if (m->flow)
		flow_model_release(m->flow);
	hash64_release(&m->index);
	free(m->hosts);
	slots_release(&m->messages);
	free(m->walk);
	free(m);
}

/* "beta_e;beta_s;gamma_s" */
static int penalties_read(const struct net *n, double *to[3], struct err *err)
{
	const char *whole = config_text(n->cfg, CFG_IB_PENALTIES), *text = whole;

	for (int i = 0; i < 3; i++) {
		size_t length = strcspn(text, ";");

		if (num_parse_double(text, length, to[i]) < 0 || *to[i] <= 0 ||
		    (text[length] == ';') != (i < 2))
			return err_set(err, ERR_INPUT,
			               "setting %s: '%s' is not three positive numbers "
			               "such as 0.965;0.925;1.35",
			               config_table[CFG_IB_PENALTIES].name, whole);
		text += length + (i < 2);
	}
	return 0;
}

static int ib_settings(const struct net *n, struct err *err)
{
	double v[3];

	return penalties_read(n, (double *[3]){&v[0], &v[1], &v[2]}, err);
}

static int ib_init(struct net *n, void **state, struct err *err)
{
	struct ib *m = calloc(1, sizeof *m);

	if (!m)
		return err_nomem(err, "model IB", sizeof *m);
	hash64_init(&m->index);
	m->compat = config_compat(n->cfg);
	m->same = m->compat ? config_number(n->cfg, CFG_PRECISION_TIME) : 0;
	slots_init(&m->messages, sizeof(struct message), offsetof(struct message, next),
	           "messages of model IB");
	if (penalties_read(n, (double *[3]){&m->beta_e, &m->beta_s, &m->gamma_s}, err) < 0 ||
	    flow_model_init(n, &m->flow, err) < 0) {
		ib_release(m);
		return -1;
	}
	*state = m;
	return 0;
}

/* --- lists --- */

static uint32_t host_index(struct ib *m, struct host_id h, struct err *err)
{
	uint32_t at = hash64_find(&m->index, h.v);
	struct host *grown;

	if (at != HASH_NONE)
		return at;
	grown = vec_grow(m->hosts, &m->hosts_cap, sizeof *grown, (size_t)m->hosts_n + 1,
	                 "hosts of model IB", err);
	if (!grown)
		return NONE;
	m->hosts = grown;
	m->hosts[m->hosts_n] = (struct host){
	    .id = h.v, .first = {NONE, NONE, NONE}, .last = {NONE, NONE, NONE}, .seen = NONE};
	if (hash64_put(&m->index, h.v, m->hosts_n, err) < 0)
		return NONE;
	return m->hosts_n++;
}

static void list_enter(struct ib *m, uint32_t id, int list)
{
	struct message *s = message_at(m, id);
	struct host *h = &m->hosts[s->host[list]];

	s->prev[list] = h->last[list];
	s->next[list] = NONE;
	if (h->last[list] == NONE)
		h->first[list] = id;
	else
		message_at(m, h->last[list])->next[list] = id;
	h->last[list] = id;
	h->n[list]++;
}

static void list_leave(struct ib *m, uint32_t id, int list)
{
	struct message *s = message_at(m, id);
	struct host *h = &m->hosts[s->host[list]];

	if (s->prev[list] == NONE)
		h->first[list] = s->next[list];
	else
		message_at(m, s->prev[list])->next[list] = s->next[list];
	if (s->next[list] == NONE)
		h->last[list] = s->prev[list];
	else
		message_at(m, s->next[list])->prev[list] = s->prev[list];
	h->n[list]--;
}

static int walk_push(struct ib *m, uint32_t host, struct err *err)
{
	uint32_t *grown = vec_grow(m->walk, &m->walk_cap, sizeof *grown, (size_t)m->walk_n + 1,
	                           "hosts of model IB", err);

	if (!grown)
		return -1;
	m->walk = grown;
	m->walk[m->walk_n++] = host;
	return 0;
}

static int host_touch(struct ib *m, uint32_t host, struct err *err)
{
	if (m->hosts[host].stale)
		return 0;
	m->hosts[host].stale = 1;
	return walk_push(m, host, err);
}

/* --- penalties --- */

/* All hosts joined to those of the walk by messages, at the end of it. */
static int walk_spread(struct ib *m, struct err *err)
{
	m->stamp++;
	for (uint32_t i = 0; i < m->walk_n; i++) {
		m->hosts[m->walk[i]].stamp = m->stamp;
		m->hosts[m->walk[i]].stale = 0;
	}
	for (uint32_t i = 0; i < m->walk_n; i++) {
		for (int list = AWAY; list <= BACK; list++) {
			for (uint32_t k = m->hosts[m->walk[i]].first[list]; k != NONE;
			     k = message_at(m, k)->next[list]) {
				uint32_t other = message_at(m, k)->host[list == AWAY ? BACK : AWAY];

				if (m->hosts[other].stamp == m->stamp)
					continue;
				m->hosts[other].stamp = m->stamp;
				if (walk_push(m, other, err) < 0)
					return -1;
			}
		}
	}
	return 0;
}

/* The receiver, else the sender, of a message of this host that the walk goes on to; NONE: it is
 * done here. */
static uint32_t descend_next(const struct ib *m, struct host *h)
{
	uint32_t least = NONE;

	while (h->at != NONE) {
		const struct message *s = message_at(m, h->at);

		h->at = s->next[AWAY];
		if (m->hosts[s->host[BACK]].stamp != m->stamp)
			return s->host[BACK];
	}
	for (uint32_t k = h->first[BACK]; k != NONE; k = message_at(m, k)->next[BACK]) {
		uint32_t s = message_at(m, k)->host[AWAY];

		if (m->hosts[s].stamp != m->stamp &&
		    (least == NONE || m->hosts[s].id < m->hosts[least].id))
			least = s;
	}
	return least;
}

/* The same hosts as walk_spread, in SimGrid's order. The walk begins with one host: the sender of a
 * message. */
static int walk_descend(struct ib *m, struct err *err)
{
	uint32_t next = m->walk[0], at = NONE;

	m->stamp++;
	m->walk_n = 0;
	do {
		struct host *h;

		if (next != NONE) {
			h = &m->hosts[next];
			h->stamp = m->stamp;
			h->stale = 0;
			h->from = at;
			h->at = h->first[AWAY];
			at = next;
			if (walk_push(m, at, err) < 0)
				return -1;
		}
		h = &m->hosts[at];
		next = descend_next(m, h);
		if (next == NONE)
			at = h->from;
	} while (at != NONE);
	return 0;
}

/* How many different hosts send to d. */
static void senders_count(struct ib *m, uint32_t d)
{
	struct host *h = &m->hosts[d];

	m->mark++;
	h->senders = 0;
	for (uint32_t k = h->first[BACK]; k != NONE; k = message_at(m, k)->next[BACK]) {
		struct host *s = &m->hosts[message_at(m, k)->host[AWAY]];

		h->senders += s->seen != m->mark;
		s->seen = m->mark;
	}
}

static void bounds_set(struct net *n, struct ib *m, uint32_t s)
{
	struct host *h = &m->hosts[s];
	double out = 1;

	m->mark++;
	for (uint32_t k = h->first[AWAY]; k != NONE; k = message_at(m, k)->next[AWAY]) {
		struct host *d = &m->hosts[message_at(m, k)->host[BACK]];
		double mine = h->n[AWAY] == 1
		                  ? 1
		                  : h->n[AWAY] * m->beta_s * (d->n[BACK] > 2 ? m->gamma_s : 1);

		out = mine > out || k == h->first[AWAY] ? mine : out;
		d->count = d->seen == m->mark ? d->count + 1 : 1;
		d->seen = m->mark;
	}
	for (uint32_t k = h->first[AWAY]; k != NONE; k = message_at(m, k)->next[AWAY]) {
		struct message *t = message_at(m, k);
		struct host *d = &m->hosts[t->host[BACK]];
		double in = d->n[BACK] == 1 ? 1 : d->count * m->beta_e * d->senders;
		double bound;

		t->penalty = in > out ? in : out;
		bound = t->bound / t->penalty;
		if (t->bound > 0 && bound != t->now && fabs(bound - t->now) >= m->same) {
			t->now = bound;
			engine_change_flow(n->engine, t->flow, bound, t->weight);
		}
	}
}

static int ib_settle(struct net *n, void *state, struct err *err)
{
	struct ib *m = state;

	if (m->walk_n == 0)
		return 0;
	if ((m->compat ? walk_descend : walk_spread)(m, err) < 0)
		return -1;
	for (uint32_t i = 0; i < m->walk_n; i++)
		senders_count(m, m->walk[i]);
	for (uint32_t i = 0; i < m->walk_n; i++)
		bounds_set(n, m, m->walk[i]);
	m->walk_n = 0;
	return 0;
}

/* --- messages --- */

static int ib_message(struct net *n, void *state, const struct net_send *s, struct net_sent *out,
                      struct err *err)
{
	struct ib *m = state;
	uint32_t a, b, id;
	struct message *msg;
	struct net_send flow = *s;

	if (s->from.v == s->to.v)
		return flow_model_message(n, m->flow, s, out, err);
	a = host_index(m, s->from, err);
	b = a == NONE ? NONE : host_index(m, s->to, err);
	id = b == NONE ? NONE : slots_take(&m->messages, err);
	flow.user = NET_OWN | id;
	if (id == NONE || flow_model_message(n, m->flow, &flow, out, err) < 0)
		return -1;
	msg = message_at(m, id);
	*msg = (struct message){
	    .user = s->user, .flow = out->activity, .host = {0, a, b}, .penalty = 1};
	if (flow_model_sharing(n, m->flow, s->from, s->to, s->bytes, &msg->bound, &msg->weight,
	                       err) < 0)
		return -1;
	msg->now = msg->bound;
	list_enter(m, id, AWAY);
	list_enter(m, id, BACK);
	if (host_touch(m, a, err) < 0 || (!m->compat && host_touch(m, b, err) < 0))
		return -1;
	return m->compat ? ib_settle(n, m, err) : 0;
}

static int ib_event(struct net *n, void *state, uint32_t number, uint64_t *user, struct err *err)
{
	struct ib *m = state;
	struct message *s = message_at(m, number);

	list_leave(m, number, AWAY);
	list_leave(m, number, BACK);
	*user = s->user;
	slots_give(&m->messages, number);
	/* Quirk: SimGrid sets anew at once, and only what is still joined to the sender: who shared
	 * the receiver goes on as if there were one more. */
	if (host_touch(m, s->host[AWAY], err) < 0 ||
	    (!m->compat && host_touch(m, s->host[BACK], err) < 0))
		return -1;
	return m->compat && ib_settle(n, m, err) < 0 ? -1 : 1;
}

/* A link of its way has another bandwidth or latency: the flow model's new bound, under the penalty
 * that others have given it. Quirk: SimGrid knows the first bound of each message alone; a new
 * latency sets it without penalty until the next message begins or ends there. */
static int ib_revise(struct net *n, void *state, struct net_revision *r, struct err *err)
{
	struct ib *m = state;
	struct message *s = r->user & NET_OWN ? message_at(m, (uint32_t)r->user) : NULL;

	if (s && !m->compat)
		r->bound = s->bound;
	if (flow_model_revise(n, m->flow, r, err) < 0)
		return -1;
	if (!s)
		return 0;
	s->weight = r->weight;
	if (!m->compat) {
		s->bound = r->bound;
		r->bound /= s->penalty;
	}
	s->now = r->bound;
	return 0;
}

static uint64_t ib_whose(const void *state, uint32_t number)
{
	return message_at(state, number)->user;
}

static double ib_alone(struct net *n, void *state, struct host_id from, struct host_id to,
                       double bytes, struct err *err)
{
	return flow_model_alone(n, ((struct ib *)state)->flow, from, to, bytes, err);
}

static const char *ib_bound(struct net *n, void *state, struct host_id from, struct host_id to,
                            char *buf, size_t size)
{
	const struct ib *m = state;
	uint32_t a = hash64_find(&m->index, from.v), b = hash64_find(&m->index, to.v);

	if (!flow_model_bound(n, m->flow, from, to, buf, size))
		return NULL;
	for (uint32_t k = a == HASH_NONE ? NONE : m->hosts[a].first[AWAY]; k != NONE;
	     k = message_at(m, k)->next[AWAY]) {
		size_t used = strlen(buf);

		if (message_at(m, k)->host[BACK] != b || message_at(m, k)->penalty == 1)
			continue;
		snprintf(buf + used, size - used, ", under a penalty of %g",
		         message_at(m, k)->penalty);
		break; /* all from one host to another have the same */
	}
	return buf;
}

static void ib_explain(struct net *n, void *state, struct host_id from, struct host_id to,
                       double bytes, struct str *out)
{
	const struct ib *m = state;

	flow_model_explain(n, m->flow, from, to, bytes, out);
	str_printf(
	    out,
	    " With k others that leave the same host at most 1/(%g (k + 1)) of that; with others "
	    "that arrive, 1/%g of its part.",
	    m->beta_s, m->beta_e);
}

static const enum config_id own[] = {FLOW_MODEL_OWN, CFG_IB_PENALTIES, CFG_COUNT};

/* Factors are those of the hybrid model, as in SimGrid 3.32. */
const struct net_model net_model_ib = {
    .name = "IB",
    .aliases = "infiniband",
    .help = "hybrid, and penalties for messages that leave or reach a host together (InfiniBand)",
    .defaults = net_hybrid_defaults,
    .own = own,
    .settings = ib_settings,
    .init = ib_init,
    .release = ib_release,
    .message = ib_message,
    .event = ib_event,
    .settle = ib_settle,
    .revise = ib_revise,
    .whose = ib_whose,
    .alone = ib_alone,
    .bound = ib_bound,
    .explain = ib_explain,
};
