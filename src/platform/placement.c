/* placement.c: which host each rank runs on: a hostfile, or all hosts in order, used round
 * robin. */
#include "platform/platform_int.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MAX = 1 << 26 };

struct entry {
	struct host_id host;
	uint32_t slots;
};
struct hostfile {
	struct entry *entries;
	uint32_t n, cap;
	uint64_t slots; /* in all */
};

/* A slice of the line being read. */
struct word {
	char *s;
	size_t n;
};

static int is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct word word_next(char **at)
{
	while (is_blank(**at))
		(*at)++;
	struct word w = {*at, 0};
	while (w.s[w.n] && !is_blank(w.s[w.n]))
		w.n++;
	*at = w.s + w.n;
	return w;
}

static int slots_parse(const char *s, size_t n, uint32_t *out)
{
	int64_t v;
	if (num_parse_i64(s, n, &v) < 0 || v < 1 || v > SLOTS_MAX)
		return -1;
	*out = (uint32_t)v;
	return 0;
}

/* "name" or "name:count"; a host whose own name holds a colon is taken as it is. The word is cut at
 * the colon. *count: what should be one behind the name of a host, and is none; or NULL. */
static int host_parse(const struct platform *p, struct word w, struct entry *e, char **count)
{
	w.s[w.n] = 0;
	e->slots = 1;
	*count = NULL;
	if (platform_host_find(p, w.s, &e->host) == 0)
		return 0;
	char *colon = strrchr(w.s, ':');
	if (!colon)
		return -1;
	int counted = slots_parse(colon + 1, strlen(colon + 1), &e->slots) == 0;
	*colon = 0;
	int known = platform_host_find(p, w.s, &e->host) == 0;
	if (known && !counted)
		*count = colon + 1;
	if (!counted)
		*colon = ':';
	return known && counted ? 0 : -1;
}

static int count_refuse(const struct input *in, long column, struct err *err)
{
	return err_at(err, input_name(in), input_lineno(in), column,
	              "expected a count from 1 to %d", SLOTS_MAX);
}

/* What follows the host: nothing, or "slots=count" as Open MPI writes it; its max_slots is allowed
 * and has no effect. */
static int options_parse(const struct input *in, char *at, const char *line, struct entry *e,
                         struct err *err)
{
	for (struct word w = word_next(&at); w.n; w = word_next(&at)) {
		long column = (long)(w.s - line) + 1;
		int is_slots = strncmp(w.s, "slots=", 6) == 0,
		    is_max = !strncmp(w.s, "max_slots=", 10) || !strncmp(w.s, "max-slots=", 10);
		uint32_t ignored;
		if (!is_slots && !is_max)
			return err_at(err, input_name(in), input_lineno(in), column,
			              "expected 'slots=count' after the host, found '%.*s'",
			              (int)(w.n < 100 ? w.n : 100), w.s);
		size_t skip = is_slots ? 6 : 10;
		if (slots_parse(w.s + skip, w.n - skip, is_slots ? &e->slots : &ignored) < 0)
			return count_refuse(in, column + (long)skip, err);
	}
	return 0;
}

static int refuse_host(const struct platform *p, const struct input *in, const char *line,
                       const char *name, struct err *err)
{
	char first[256];
	if (!strcmp(name, "rank"))
		return err_at(err, input_name(in), input_lineno(in), (long)(name - line) + 1,
		              "this is a rankfile; a hostfile is wanted: the host of each rank, "
		              "in their order, a line each");
	platform_host_name(p, (struct host_id){0}, first, sizeof first);
	err_at(err, input_name(in), input_lineno(in), (long)(name - line) + 1,
	       "platform '%s' has no host '%.200s' (its first host is '%s')", platform_name(p),
	       name, first);
	if (strpbrk(name, "[,")) /* Slurm's lists, LSF's */
		err_append(err, ": one host a line is wanted; of a list of Slurm's 'scontrol show "
		                "hostnames' makes that");
	return -1;
}

static int line_read(const struct platform *p, const struct input *in, char *line,
                     struct hostfile *h, struct err *err)
{
	struct entry e;
	char *at = line, *comment = strchr(line, '#'), *count;
	if (comment)
		*comment = 0;
	struct word w = word_next(&at);
	if (!w.n)
		return 0;
	char *rest = w.s[w.n] ? w.s + w.n + 1 : w.s + w.n;
	if (host_parse(p, w, &e, &count) < 0)
		return count ? count_refuse(in, (long)(count - line) + 1, err)
		             : refuse_host(p, in, line, w.s, err);
	if (options_parse(in, rest, line, &e, err) < 0)
		return -1;
	struct entry *grown = vec_grow(h->entries, &h->cap, sizeof *grown, (size_t)h->n + 1,
	                               "hostfile entries", err);
	if (!grown)
		return -1;
	h->entries = grown;
	h->entries[h->n++] = e;
	h->slots += e.slots;
	return 0;
}

static int hostfile_read(const struct platform *p, const char *path, struct hostfile *h,
                         struct err *err)
{
	char *line;
	size_t n;
	int got;
	struct input *in;
	if (!*path)
		return err_set(err, ERR_INPUT, "the name of the hostfile is empty");
	in = input_open(path, 0, err);
	if (!in)
		return -1;
	while ((got = input_line(in, &line, &n, err)) > 0) {
		if (line_read(p, in, line, h, err) < 0) {
			got = -1;
			break;
		}
	}
	if (got == 0 && !h->n)
		got = err_at(err, input_name(in), 0, 0, "the hostfile names no host");
	input_close(in);
	return got;
}

/* One list entry per host that computes, in the default order. */
static int hosts_list(const struct platform *p, int compat, struct hostfile *h, struct err *err)
{
	uint32_t n = platform_host_count(p);
	struct host_id *order = malloc(n * sizeof *order);
	h->entries = vec_grow(NULL, &h->cap, sizeof *h->entries, n, "hosts in order", err);
	if (!order || !h->entries) {
		free(order);
		return err_nomem(err, "hosts in order", n * sizeof *order);
	}
	platform_host_order(p, compat, order);
	for (uint32_t i = 0; i < n; i++)
		if (platform_computes(p, order[i]))
			h->entries[h->n++] = (struct entry){order[i], 1};
	h->slots = h->n;
	free(order);
	return 0;
}

static int overcommit_check(const struct platform *p, const struct hostfile *h,
                            const char *hostfile, uint32_t np, int allowed, struct config *cfg,
                            struct err *err)
{
	if (np <= h->slots)
		return 0;
	const char *where = hostfile ? hostfile : platform_name(p);
	if (!allowed)
		return err_set(
		    err, ERR_INPUT,
		    "%u rank%s, but %s has %llu place%s: %s, or allow several ranks per "
		    "place (--oversubscribe)",
		    np, plural(np), where, (unsigned long long)h->slots, plural(h->slots),
		    hostfile ? "give a hostfile with more"
		             : "say how many ranks a host takes (--ppn), give a hostfile");
	str_printf(&cfg->notices, "%u ranks share the %llu place%s of %s, in turn\n", np,
	           (unsigned long long)h->slots, plural(h->slots), where);
	return cfg->notices.failed ? err_nomem(err, "a notice", 0) : 0;
}

static int placement_fill(const struct hostfile *h, uint32_t np, struct placement *out,
                          struct err *err)
{
	struct host_id *host = malloc((np ? np : 1) * sizeof *host);
	if (!host)
		return err_nomem(err, "the placement of ranks", np * sizeof *host);
	uint32_t rank = 0;
	while (rank < np)
		for (uint32_t i = 0; i < h->n && rank < np; i++)
			for (uint32_t s = 0; s < h->entries[i].slots && rank < np; s++)
				host[rank++] = h->entries[i].host;
	out->host = host;
	out->n = np;
	return 0;
}

/* The hosts of h, each once, or all hosts (NULL), have so many cores: 1, 0, -1. */
static int cores_suffice(const struct platform *p, const struct hostfile *h, uint32_t np,
                         struct err *err)
{
	uint32_t hosts = platform_host_count(p);
	uint8_t *seen = calloc((size_t)hosts + 1, 1);
	uint64_t cores = 0;
	if (!seen)
		return err_nomem(err, "the hosts of a placement", (size_t)hosts + 1);
	for (uint32_t i = 0; i < (h ? h->n : hosts); i++) {
		struct host_id id = h ? h->entries[i].host : (struct host_id){i};
		struct host_info info;
		platform_host(p, id, &info);
		cores += seen[id.v] || info.speed <= 0 ? 0 : info.cores;
		seen[id.v] = 1;
	}
	free(seen);
	return cores >= np;
}

int placement_make(const struct platform *p, const char *hostfile, uint32_t np, int compat,
                   enum placement_overcommit overcommit, struct placement *out, struct config *cfg,
                   struct err *err)
{
	struct hostfile h = {0};
	int mapped = !hostfile && p->map.known, got = 0, allowed = overcommit == PLACEMENT_ANY;
	if (!mapped)
		got = hostfile ? hostfile_read(p, hostfile, &h, err)
		               : hosts_list(p, compat, &h, err);
	if (got == 0 && overcommit == PLACEMENT_CORES) {
		allowed = cores_suffice(p, mapped ? NULL : &h, np, err);
		got = allowed < 0 ? -1 : 0;
	}
	if (mapped)
		return got < 0 ? -1 : task_map_place(p, np, allowed, out, cfg, err);
	if (got == 0)
		got = overcommit_check(p, &h, hostfile, np, allowed, cfg, err);
	if (got == 0)
		got = placement_fill(&h, np, out, err);
	free(h.entries);
	return got;
}

void placement_release(struct placement *pl)
{
	free(pl->host);
	*pl = (struct placement){0};
}

int platform_has_map(const struct platform *p)
{
	return p->map.known;
}
