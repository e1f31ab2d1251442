/* storage.h: disks of hosts, and file systems that all hosts see (setting
 * storage/file-systems): who holds a file, and what an access takes. */
#ifndef ORRERY_NET_STORAGE_H
#define ORRERY_NET_STORAGE_H

#include "net.h"

struct store_id {
	uint32_t v;
};
#define STORE_NONE ((struct store_id){0xffffffffu})
/* Where the file of this name is, as a host sees it: the longest mount point that begins its name;
 * a disk of the host's own before a shared file system. STORE_NONE: nobody has it. A name that is
 * not absolute is taken to begin with "/". */
int net_store_find(struct net *n, struct host_id h, const char *file, struct store_id *out,
                   struct err *err);
enum store_op {
	STORE_READ,
	STORE_WRITE,
	STORE_ASK /* a file is opened, closed, removed, synchronised: no data */
};
struct store_access {
	struct store_id store;
	struct host_id client;
	enum store_op op;
	uint32_t asks; /* round trips before the data move, each one latency */
	double bytes;
	uint64_t user;
};
/* Starts it now: *parts activities, each of which ends with a completion that carries user; at
 * least one. */
int net_store_start(struct net *n, const struct store_access *a, uint32_t *parts, struct err *err);

#endif
