/* storage.c: where files are and what it takes to read and write them (docs/machines.md, decision
 * 13).
 *
 * A *store* is a mount point and one or more *servers*. A server is a disk: three resources, for
 * what is read, what is written, and both together (at most the larger of the two bandwidths), as
 * SimGrid's disks. It may be on a host: then data cross the network between the client's host and
 * it, at the same time as they come from the disk or go to it, over the platform's links and beside
 * the messages there. A server without host has a way of its own.
 *
 *   access of n bytes   n / stripe servers, at most `stripes`, the next ones in turn; each gets its
 *                       part at once: a flow through its disk, the links, and the client's own
 *                       bandwidth (`client`, of a host) if it has one. It is over when all parts
 *                       are.
 *   ask                 a round trip: `latency`, and there and back on the network; of opens,
 *                       closes and removals only so many per second where the file system says so
 *                       (`metadata`)
 *
 * What is not here: caches, seeks, locks on ranges of a file, the sizes of files. */
#include "net_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct server {
	struct host_id host;
	int on_host;
	struct resource_id read, write, both;
	int used; /* the resources are made */
};

struct store {
	char *mount;
	size_t length;
	double read, write, latency, client, metadata, stripe; /* client, metadata 0: no limit */
	uint32_t first, n, stripes;                            /* servers */
	uint32_t turn; /* the next access begins with this one */
	uint32_t next; /* disks: of the same host, + 1 */
	struct resource_id asks;
	int asks_made;
	double weight; /* 0: not known yet */
};

struct storage {
	struct store *stores; /* disks first, in the platform's order; then file systems */
	struct server *servers;
	uint32_t n, cap, n_servers, servers_cap, disks;
	struct hash64 of_host; /* host -> first of its disks */
	struct hash64 clients; /* store << 32 | host -> resource */
};

#define STRIPE_BYTES (1 << 20)
/* All flows of a store weigh alike, so that they share its disks alike: as a message between its
 * first server and the first client from elsewhere, so that they share links with messages as these
 * do. Where there is no such way, anything. */
#define WEIGHT_HERE 1e4

/* Slashes behind a folder's name are none of it. */
static size_t mount_length(const char *mount, size_t length)
{
	while (length > 1 && mount[length - 1] == '/')
		length--;
	return length;
}

static struct store *store_add(struct storage *s, const char *mount, size_t length, struct err *err)
{
	struct store *grown = vec_grow(s->stores, &s->cap, sizeof *grown, (size_t)s->n + 1,
	                               "file systems", err);
	struct store *st;

	if (!grown)
		return NULL;
	s->stores = grown;
	st = &grown[s->n];
	*st = (struct store){.first = s->n_servers, .stripe = STRIPE_BYTES};
	length = mount_length(mount, length);
	st->mount = strndup(mount, length);
	if (!st->mount) {
		err_nomem(err, "file systems", length);
		return NULL;
	}
	st->length = length;
	s->n++;
	return st;
}

static int server_add(struct storage *s, struct store *st, const struct host_id *host,
                      struct err *err)
{
	struct server *grown = vec_grow(s->servers, &s->servers_cap, sizeof *grown,
	                                (size_t)s->n_servers + 1, "file servers", err);

	if (!grown)
		return -1;
	s->servers = grown;
	grown[s->n_servers++] = (struct server){.host = host ? *host : (struct host_id){0},
	                                        .on_host = host != NULL};
	st->n++;
	return 0;
}

static int disks_add(struct net *n, struct storage *s, struct err *err)
{
	const struct disk_info *disks;
	uint32_t count = platform_disks(n->platform, &disks), i, before;
	struct store *st;

	for (i = 0; i < count; i++) {
		st = store_add(s, disks[i].mount, strlen(disks[i].mount), err);
		if (!st || server_add(s, st, &disks[i].host, err) < 0)
			return -1;
		st->read = disks[i].read;
		st->write = disks[i].write;
		st->stripes = 1;
		before = hash64_find(&s->of_host, disks[i].host.v);
		st->next = before == HASH_NONE ? 0 : before + 1;
		if (hash64_put(&s->of_host, disks[i].host.v, i, err) < 0)
			return -1;
	}
	s->disks = count;
	return 0;
}

/* --- the setting --- */

static int refuse(struct err *err, const char *text, size_t n, const char *why)
{
	return err_set(err, ERR_INPUT, "setting storage/file-systems: \"%.*s\": %s",
	               (int)(n < 100 ? n : 100), text, why);
}

static int servers_parse(struct net *n, struct storage *s, struct store *st, const char *value,
                         struct err *err)
{
	double count;
	struct host_id h;
	size_t length;
	char name[256];

	if (num_parse_double(value, strlen(value), &count) == 0) {
		if (!(count >= 1) || count > 1 << 20 || count != floor(count))
			return refuse(
			    err, value, strlen(value),
			    "servers are a number from 1 to 1048576, or hosts joined by +");
		for (uint32_t i = 0; i < (uint32_t)count; i++)
			if (server_add(s, st, NULL, err) < 0)
				return -1;
		return 0;
	}
	for (; *value; value += length + (value[length] == '+')) {
		length = strcspn(value, "+");
		if (length >= sizeof name)
			return refuse(err, value, length, "is too long for the name of a host");
		memcpy(name, value, length);
		name[length] = '\0';
		if (platform_host_find(n->platform, name, &h) < 0)
			return refuse(err, value, length, "this platform has no such host");
		if (server_add(s, st, &h, err) < 0)
			return -1;
	}
	return 0;
}

static int number_parse(const char *text, enum unit_kind kind, double *out, struct err *err)
{
	struct err why;

	if (units_parse(text, kind, out, &why) < 0)
		return refuse(err, text, strlen(text), why.text);
	return *out >= 0 ? 0 : refuse(err, text, strlen(text), "cannot be negative");
}

static int key_read(struct net *n, struct storage *s, struct store *st, const char *key,
                    const char *value, double *stripes, struct err *err)
{
	if (strcmp(key, "read") == 0)
		return number_parse(value, UNIT_BANDWIDTH, &st->read, err);
	if (strcmp(key, "write") == 0)
		return number_parse(value, UNIT_BANDWIDTH, &st->write, err);
	if (strcmp(key, "client") == 0)
		return number_parse(value, UNIT_BANDWIDTH, &st->client, err);
	if (strcmp(key, "latency") == 0)
		return number_parse(value, UNIT_TIME, &st->latency, err);
	if (strcmp(key, "stripe") == 0)
		return number_parse(value, UNIT_SIZE, &st->stripe, err);
	if (strcmp(key, "servers") == 0)
		return st->n ? refuse(err, key, strlen(key), "given twice")
		             : servers_parse(n, s, st, value, err);
	if (strcmp(key, "metadata") == 0)
		return num_parse_double(value, strlen(value), &st->metadata) == 0 &&
		               st->metadata >= 0 && isfinite(st->metadata)
		           ? 0
		           : refuse(err, value, strlen(value), "a number per second, or 0");
	if (strcmp(key, "stripes") == 0)
		return num_parse_double(value, strlen(value), stripes) == 0 && *stripes >= 1 &&
		               *stripes == floor(*stripes)
		           ? 0
		           : refuse(err, value, strlen(value), "a number of servers, 1 or more");
	return refuse(err, key, strlen(key),
	              "there are read, write, latency, servers, stripes, stripe, client, metadata");
}

/* "MOUNT:key=value:key=value". text is cut. */
static int store_parse(struct net *n, struct storage *s, char *text, struct err *err)
{
	char *rest = text + strcspn(text, ":"), *key, *value;
	struct store *st;
	double stripes = 0;

	if (*rest)
		*rest++ = '\0';
	if (*text != '/')
		return refuse(err, text, strlen(text),
		              "a file system begins with where it is mounted, such as /scratch");
	st = store_add(s, text, strlen(text), err);
	if (!st)
		return -1;
	while (*rest) {
		key = rest;
		rest += strcspn(rest, ":");
		if (*rest)
			*rest++ = '\0';
		value = strchr(key, '=');
		if (!value)
			return refuse(err, key, strlen(key), "expected key=value");
		*value++ = '\0';
		if (key_read(n, s, st, key, value, &stripes, err) < 0)
			return -1;
	}
	if (!(st->read > 0) || !(st->write > 0))
		return refuse(err, text, strlen(text),
		              "needs read= and write=, the bandwidths of one server");
	if (!(st->stripe >= 1))
		return refuse(err, text, strlen(text), "stripe= is at least one byte");
	if (st->n == 0 && server_add(s, st, NULL, err) < 0)
		return -1;
	st->stripes = stripes > 0 && stripes < st->n ? (uint32_t)stripes : st->n;
	return 0;
}

static int file_systems_add(struct net *n, struct storage *s, struct err *err)
{
	char *text = strdup(config_text(n->cfg, CFG_STORAGE_FILE_SYSTEMS)), *at, *end;
	int r = 0;

	if (!text)
		return err_nomem(err, "file systems", 0);
	for (at = text; r == 0 && *at; at = end) {
		end = at + strcspn(at, ";");
		if (*end)
			*end++ = '\0';
		if (*at)
			r = store_parse(n, s, at, err);
	}
	free(text);
	return r;
}

int storage_init(struct net *n, struct err *err)
{
	const struct disk_info *disks;
	struct storage *s;

	if (platform_disks(n->platform, &disks) == 0 &&
	    !*config_text(n->cfg, CFG_STORAGE_FILE_SYSTEMS))
		return 0;
	s = n->storage = calloc(1, sizeof *s);
	if (!s)
		return err_nomem(err, "storage", sizeof *s);
	hash64_init(&s->of_host);
	hash64_init(&s->clients);
	return disks_add(n, s, err) < 0 || file_systems_add(n, s, err) < 0 ? -1 : 0;
}

void storage_free(struct storage *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n; i++)
		free(s->stores[i].mount);
	free(s->stores);
	free(s->servers);
	hash64_release(&s->of_host);
	hash64_release(&s->clients);
	free(s);
}

/* --- which one --- */

/* Whether a mount point begins a file's name, as whole folders. */
static int holds(const char *mount, size_t length, const char *file)
{
	if (*file != '/')
		return length == 1;
	return strncmp(mount, file, length) == 0 &&
	       (length == 1 || file[length] == '/' || file[length] == '\0');
}

/* SimGrid's property of a host "remote_disk": "mount:disk:host". */
static int remote_find(struct net *n, struct host_id h, const char *file, struct store_id *out,
                       size_t *best, struct err *err)
{
	const char *text = platform_host_prop(n->platform, h, "remote_disk"), *disk, *host;
	struct storage *s = n->storage;
	const struct disk_info *disks;
	struct host_id there;
	size_t mount;
	uint32_t i;

	if (!text)
		return 0;
	disk = strchr(text, ':');
	host = disk ? strchr(disk + 1, ':') : NULL;
	if (!host || platform_host_find(n->platform, host + 1, &there) < 0)
		return err_set(err, ERR_INPUT,
		               "property remote_disk is \"%.100s\": expected MOUNT:DISK:HOST, "
		               "with a host of the platform",
		               text);
	mount = mount_length(text, (size_t)(disk - text));
	if (!holds(text, mount, file) || mount <= *best)
		return 0;
	platform_disks(n->platform, &disks);
	for (i = hash64_find(&s->of_host, there.v) + 1; i != 0; i = s->stores[i - 1].next) {
		size_t length = (size_t)(host - disk - 1);

		if (strlen(disks[i - 1].name) != length ||
		    strncmp(disks[i - 1].name, disk + 1, length) != 0)
			continue;
		out->v = i - 1;
		*best = mount;
		return 0;
	}
	return err_set(err, ERR_INPUT,
	               "property remote_disk is \"%.100s\": that host has no such disk", text);
}

int net_store_find(struct net *n, struct host_id h, const char *file, struct store_id *out,
                   struct err *err)
{
	struct storage *s = n->storage;
	size_t best = 0;
	uint32_t i;

	*out = STORE_NONE;
	if (!s)
		return 0;
	for (i = hash64_find(&s->of_host, h.v) + 1; i != 0; i = s->stores[i - 1].next) {
		if (!holds(s->stores[i - 1].mount, s->stores[i - 1].length, file) ||
		    s->stores[i - 1].length < best)
			continue;
		best = s->stores[i - 1]
		           .length; /* of equal ones the first: the chain goes from the last */
		out->v = i - 1;
	}
	if (s->disks && remote_find(n, h, file, out, &best, err) < 0)
		return -1;
	for (i = s->disks; i < s->n; i++) {
		if (!holds(s->stores[i].mount, s->stores[i].length, file) ||
		    s->stores[i].length <= best)
			continue;
		best = s->stores[i].length;
		out->v = i;
	}
	return 0;
}

/* --- accesses --- */

static int server_ready(struct net *n, const struct store *st, struct server *v, struct err *err)
{
	struct engine *e = n->engine;

	if (v->used)
		return 0;
	v->used = 1;
	if (engine_add_resource(e, st->read, RESOURCE_SHARED, &v->read, err) < 0 ||
	    engine_add_resource(e, st->write, RESOURCE_SHARED, &v->write, err) < 0)
		return -1;
	return engine_add_resource(e, fmax(st->read, st->write), RESOURCE_SHARED, &v->both, err);
}

/* A host's own limit of what it moves to and from a file system. */
static int client_resource(struct net *n, uint32_t store, struct host_id h, struct resource_id *out,
                           struct err *err)
{
	uint64_t key = (uint64_t)store << 32 | h.v;
	uint32_t known = hash64_find(&n->storage->clients, key);

	out->v = known;
	if (known != HASH_NONE)
		return 0;
	if (engine_add_resource(n->engine, n->storage->stores[store].client, RESOURCE_SHARED, out,
	                        err) < 0)
		return -1;
	return hash64_put(&n->storage->clients, key, out->v, err);
}

enum { OWN_USES = 3, USES_MAX = 256 };

/* The links between a server and a client, behind the uses that are there; latency: there and
 * back. */
static int way_add(struct net *n, const struct server *v, const struct store_access *a,
                   struct flow_spec *spec, struct flow_use *uses, struct err *err)
{
	struct host_id from = a->op == STORE_READ ? v->host : a->client,
	               to = a->op == STORE_READ ? a->client : v->host;
	int crosstraffic = n->model->sharing && config_bool(n->cfg, CFG_NET_CROSSTRAFFIC);
	const struct path *p = path_get(n, to, from, crosstraffic, err);

	if (!p)
		return -1;
	spec->latency += p->latency * (a->asks ? a->asks : 1);
	p = path_get(n, from, to, crosstraffic, err);
	if (!p)
		return -1;
	spec->latency += p->latency * (a->asks ? a->asks : 1);
	if (p->n_uses > USES_MAX - spec->n_uses)
		return err_set(err, ERR_LIMIT, "a route to a file server of more than %d links",
		               USES_MAX - OWN_USES);
	if (p->n_uses)
		memcpy(uses + spec->n_uses, n->cache.uses + p->uses, p->n_uses * sizeof *uses);
	spec->n_uses += p->n_uses;
	return n->model->sharing ? n->model->sharing(n, n->state, from, to, a->bytes, &spec->bound,
	                                             &spec->weight, err)
	                         : 0;
}

static void weight_find(struct net *n, struct store *st, const struct server *v,
                        struct host_id client)
{
	struct host_id other = {client.v != v->host.v ? client.v : v->host.v == 0};
	double bound;

	st->weight = WEIGHT_HERE;
	if (!v->on_host || !n->model->sharing || platform_host_count(n->platform) < 2)
		return;
	if (n->model->sharing(n, n->state, v->host, other, 1, &bound, &st->weight, NULL) < 0)
		st->weight = WEIGHT_HERE;
}

static int part_start(struct net *n, struct store *st, struct server *v,
                      const struct store_access *a, double bytes, struct err *err)
{
	struct flow_use uses[USES_MAX];
	struct flow_spec spec = {.amount = bytes,
	                         .latency = a->asks * st->latency,
	                         .uses = uses,
	                         .n_uses = 2,
	                         .user = a->user};
	struct activity_id id;

	if (server_ready(n, st, v, err) < 0)
		return -1;
	uses[0] = (struct flow_use){a->op == STORE_READ ? v->read : v->write, 1};
	uses[1] = (struct flow_use){v->both, 1};
	if (st->client > 0) {
		uses[2].coef = 1;
		if (client_resource(n, a->store.v, a->client, &uses[2].resource, err) < 0)
			return -1;
		spec.n_uses++;
	}
	if (v->on_host && v->host.v != a->client.v && way_add(n, v, a, &spec, uses, err) < 0)
		return -1;
	if (st->weight <= 0)
		weight_find(n, st, v, a->client);
	spec.weight = st->weight;
	return engine_flow(n->engine, &spec, &id, err);
}

/* No data: a latency, and a turn at the metadata server. */
static int ask_start(struct net *n, struct store *st, const struct store_access *a, struct err *err)
{
	const struct server *v = &n->storage->servers[st->first];
	struct flow_use uses[USES_MAX];
	struct flow_spec way = {.latency = a->asks * st->latency},
	                 spec = {.weight = 1, .user = a->user, .uses = uses};
	struct activity_id id;

	if (v->on_host && v->host.v != a->client.v && way_add(n, v, a, &way, uses, err) < 0)
		return -1;
	spec.latency = way.latency;
	if (st->metadata > 0) {
		if (!st->asks_made && engine_add_resource(n->engine, st->metadata, RESOURCE_SHARED,
		                                          &st->asks, err) < 0)
			return -1;
		st->asks_made = 1;
		uses[0] = (struct flow_use){st->asks, 1};
		spec.n_uses = 1;
		spec.amount = a->asks;
	}
	return engine_flow(n->engine, &spec, &id, err);
}

int net_store_start(struct net *n, const struct store_access *a, uint32_t *parts, struct err *err)
{
	struct storage *s = n->storage;
	struct store *st = &s->stores[a->store.v];
	double most = ceil(a->bytes / st->stripe);
	uint32_t i;

	*parts = 1;
	if (a->op == STORE_ASK || a->bytes <= 0)
		return ask_start(n, st, a, err);
	*parts = most < st->stripes ? (uint32_t)fmax(most, 1) : st->stripes;
	for (i = 0; i < *parts; i++) {
		if (part_start(n, st, &s->servers[st->first + (st->turn + i) % st->n], a,
		               a->bytes / *parts, err) < 0)
			return -1;
	}
	st->turn = (st->turn + *parts) % st->n;
	return 0;
}
