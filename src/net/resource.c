/* resource.c: a link or a host becomes a resource of the engine when it is first used. */
#include "change.h"

int resource_of_link(struct net *n, struct link_id l, struct resource_id *out, struct err *err)
{
	struct link_info info;
	struct resource_id r;

	if (n->link_resource[l.v] == 0) {
		platform_link(n->platform, l, &info);
		if (engine_add_resource(n->engine, info.bandwidth,
		                        info.policy == LINK_FATPIPE ? RESOURCE_FATPIPE
		                                                    : RESOURCE_SHARED,
		                        &r, err) < 0)
			return -1;
		n->link_resource[l.v] = r.v + 1;
		if (n->changes)
			engine_set_capacity(n->engine, r, change_capacity(n, l, info.bandwidth));
	}
	*out = (struct resource_id){n->link_resource[l.v] - 1};
	return 0;
}

int resource_of_host(struct net *n, struct host_id h, struct resource_id *out, struct err *err)
{
	struct host_info info;
	struct resource_id r;

	if (n->host_resource[h.v] == 0) {
		platform_host(n->platform, h, &info);
		if (engine_add_resource(n->engine, info.speed * info.cores, RESOURCE_SHARED, &r,
		                        err) < 0)
			return -1;
		n->host_resource[h.v] = r.v + 1;
		if (n->changes)
			engine_set_capacity(n->engine, r,
			                    info.speed * info.cores * change_speed(n, h));
	}
	*out = (struct resource_id){n->host_resource[h.v] - 1};
	return 0;
}
