/* memory.c: see memory.h. A rank that computes moves `traffic` bytes each second at full speed,
 * less as it is slowed down; those of one socket share its bandwidth max-min fairly, as flows share
 * a link. So k ranks compute at full speed up to k = bandwidth / traffic, and at bandwidth / (k
 * traffic) of it beyond: the saturation of STREAM with cores, and the roofline of a rank (Williams,
 * Waterman, Patterson, CACM 2009) with one intensity for all its computations. */
#include "memory.h"

#include "net_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SOCKETS_MOST = 64 };

int memory_init(struct net *n, struct err *err)
{
	struct net_memory *m = &n->memory;
	double sockets = config_number(n->cfg, CFG_MEMORY_SOCKETS);
	const char *how = config_text(n->cfg, CFG_MEMORY_PLACEMENT);

	m->bandwidth = config_number(n->cfg, CFG_MEMORY_BANDWIDTH);
	m->traffic = config_number(n->cfg, CFG_MEMORY_TRAFFIC);
	m->fill = strcmp(how, "fill") == 0;
	if (!(sockets >= 1 && sockets <= SOCKETS_MOST) || sockets != (int)sockets)
		return err_set(err, ERR_INPUT, "setting memory/sockets is %g: of a host, 1 to %d",
		               sockets, SOCKETS_MOST);
	if (m->bandwidth < 0 || m->traffic < 0)
		return err_set(err, ERR_INPUT,
		               "settings memory/bandwidth and computation/memory-traffic are bytes "
		               "per second, or 0");
	if (!m->fill && strcmp(how, "round") != 0)
		return err_set(err, ERR_INPUT, "setting memory/placement is '%s': round or fill",
		               how);
	m->sockets = (uint32_t)sockets;
	if (!memory_shared(m))
		return 0;
	m->resource = calloc((size_t)platform_host_count(n->platform) * m->sockets + 1,
	                     sizeof *m->resource);
	return m->resource ? 0
	                   : err_nomem(err, "sockets of hosts",
	                               (unsigned long long)platform_host_count(n->platform) *
	                                   m->sockets * sizeof *m->resource);
}

void memory_release(struct net_memory *m)
{
	free(m->resource);
	m->resource = NULL;
}

int memory_shared(const struct net_memory *m)
{
	return m->bandwidth > 0 && m->traffic > 0;
}

int memory_use(struct net *n, struct host_id h, uint32_t socket, double speed, struct flow_use *out,
               struct err *err)
{
	struct net_memory *m = &n->memory;
	uint32_t *r = &m->resource[(size_t)h.v * m->sockets + socket % m->sockets];

	if (*r == 0) {
		struct resource_id made;

		if (engine_add_resource(n->engine, m->bandwidth, RESOURCE_SHARED, &made, err) < 0)
			return -1;
		*r = made.v + 1;
	}
	*out = (struct flow_use){.resource = {*r - 1}, .coef = (float)(m->traffic / speed)};
	return 0;
}

int memory_name(const struct net *n, struct resource_id r, char *buf, size_t size)
{
	const struct net_memory *m = &n->memory;
	uint64_t all = m->resource ? (uint64_t)platform_host_count(n->platform) * m->sockets : 0;
	char host[256];

	for (uint64_t i = 0; i < all; i++) {
		if (m->resource[i] != r.v + 1)
			continue;
		platform_host_name(n->platform, (struct host_id){(uint32_t)(i / m->sockets)}, host,
		                   sizeof host);
		snprintf(buf, size, "memory of %s, socket %u", host, (unsigned)(i % m->sockets));
		return 1;
	}
	return 0;
}

uint32_t net_socket(const struct net *n, struct host_id h, uint32_t index)
{
	const struct net_memory *m = &n->memory;
	struct host_info info;
	uint32_t cores;

	if (m->sockets < 2)
		return 0;
	if (!m->fill)
		return index % m->sockets;
	platform_host(n->platform, h, &info);
	cores = (info.cores + m->sockets - 1) / m->sockets;
	return index / (cores ? cores : 1) % m->sockets;
}

int net_shares_memory(const struct net *n)
{
	return memory_shared(&n->memory);
}
