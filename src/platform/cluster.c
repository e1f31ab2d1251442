/* cluster.c: see cluster.h. */
#include "platform/cluster.h"

#include <stdio.h>
#include <string.h>

static const char *blanks_skip(const char *s)
{
	return s + strspn(s, " \t\n\r");
}

int numbers_parse(const char **at, char sep, char end, uint32_t *out, int max, struct err *err)
{
	const char *s = *at;
	for (int n = 0; n < max; n++) {
		uint64_t v = 0;
		s = blanks_skip(s);
		const char *digits = s;
		for (; *s >= '0' && *s <= '9' && v < HOSTS_MAX; s++)
			v = v * 10 + (uint64_t)(*s - '0');
		if (s == digits || !v || v >= HOSTS_MAX)
			return err_set(err, ERR_INPUT, "expected a positive number at '%.20s'",
			               digits);
		out[n] = (uint32_t)v;
		s = blanks_skip(s);
		if (*s == sep) {
			s++;
			continue;
		}
		if (*s && *s != end)
			return end ? err_set(err, ERR_INPUT, "expected '%c' or '%c' at '%.20s'",
			                     sep, end, s)
			           : err_set(err, ERR_INPUT, "expected '%c' at '%.20s'", sep, s);
		*at = *s ? s + 1 : s;
		return n + 1;
	}
	return err_set(err, ERR_INPUT, "more than %d numbers", max);
}

struct leaf leaf_layout(const struct cluster_spec *s)
{
	struct leaf f = {0, NONE32, NONE32};
	if (s->loopback_bw > 0)
		f.loopback = f.n++;
	if (s->limiter > 0)
		f.limiter = f.n++;
	return f;
}

void leaf_link(const struct cluster_spec *s, const struct leaf *f, uint32_t role,
               struct link_info *out)
{
	if (role == f->loopback)
		*out = (struct link_info){s->loopback_bw, s->loopback_lat, LINK_FATPIPE};
	else
		*out = (struct link_info){s->limiter, 0, LINK_SHARED};
}

/* SimGrid numbers loopbacks by radical and limiters by rank. */
void leaf_link_name(const struct platform *p, const struct zone *z, const struct leaf *f,
                    uint32_t host, uint32_t role, char *buf, size_t n)
{
	if (role == f->loopback)
		snprintf(buf, n, "%s_link_%u_loopback", z->id,
		         radical_number(&host_block_of(p, z->first_host)->radical, host));
	else
		snprintf(buf, n, "%s_link_%u_limiter", z->id, host);
}

int64_t number_after_link(const char *name, const char *id)
{
	size_t n = strlen(id);
	if (strncmp(name, id, n) != 0 || strncmp(name + n, "_link_", 6) != 0)
		return -1;
	size_t digits = strspn(name + n + 6, "0123456789");
	int64_t v;
	return digits && digits <= 10 && num_parse_i64(name + n + 6, digits, &v) == 0 ? v : -1;
}

uint32_t cluster_host_numbered(const struct platform *p, const struct zone *z, int64_t number)
{
	const struct host_block *k = host_block_of(p, z->first_host);
	char name[2 * NAME_MAX_LEN + 32];
	struct host_id h;
	snprintf(name, sizeof name, "%s%lld%s", k->prefix, (long long)number, k->suffix);
	if (platform_host_find(p, name, &h) < 0 || h.v < k->first || h.v - k->first >= k->n)
		return NONE32;
	return h.v - k->first;
}

uint32_t leaf_link_find(const struct platform *p, const struct zone *z, const struct leaf *f,
                        uint32_t stride, const char *name)
{
	int64_t number = number_after_link(name, z->id);
	if (number < 0)
		return NONE32;
	uint32_t host = f->loopback == NONE32 ? NONE32 : cluster_host_numbered(p, z, number);
	uint32_t found = host == NONE32
	                     ? NONE32
	                     : link_named(p, z, (uint64_t)host * stride + f->loopback, name, 0);
	if (found != NONE32 || f->limiter == NONE32 || number >= host_block_of(p, z->first_host)->n)
		return found;
	return link_named(p, z, (uint64_t)number * stride + f->limiter, name, 0);
}

void cable_link(const struct cluster_spec *s, struct link_info *out)
{
	*out = (struct link_info){s->bw, s->lat, s->split ? LINK_SHARED : s->policy};
}

const char *cable_suffix(const struct cluster_spec *s, uint32_t way)
{
	if (!s->split)
		return "";
	return way ? "_DOWN" : "_UP";
}

int64_t name_last_number(const char *name)
{
	size_t n = strlen(name);
	if (n > 3 && strcmp(name + n - 3, "_UP") == 0)
		n -= 3;
	else if (n > 5 && strcmp(name + n - 5, "_DOWN") == 0)
		n -= 5;
	size_t end = n;
	int64_t v;
	while (n && name[n - 1] >= '0' && name[n - 1] <= '9')
		n--;
	return end - n <= 10 && num_parse_i64(name + n, end - n, &v) == 0 ? v : -1;
}

const char *cluster_quirk(const struct cluster_spec *s)
{
	return s->fatpipe ? "its private links are FATPIPE; SimGrid makes them SHARED" : NULL;
}
