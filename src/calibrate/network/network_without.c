/* network_without.c: measurements without those of some hosts.
 *
 * Most rows are of two hosts, and go if one of them does. Two kinds are of many at once, and what
 * is left of one would be taken for all of it:
 *
 *   loads     others shared links with a host that is left out: its flows stay, and are marked
 *   programs  those that it had a part in waited for it, too: all of such a program goes */
#include "network.h"

#include "base/hash.h"

#include <string.h>

static int is_program(const struct net_row *r)
{
	return r->op == NET_MESH || r->op == NET_PAUSE;
}

static uint64_t program_of(const struct net_row *r)
{
	return (uint64_t)r->file << 32 | (uint64_t)(uint32_t)(r->pairs / NET_ROUNDS);
}

/* Whose programs the host had a part in; *all: how many there are. */
static int programs_find(const struct net_raw *raw, int host, struct hash64 *with, uint32_t *all,
                         struct err *err)
{
	struct hash64 seen;
	int r = 0;

	*all = 0;
	hash64_init(&seen);
	for (uint32_t i = 0; i < raw->n && r == 0; i++) {
		const struct net_row *q = &raw->rows[i];

		if (!is_program(q))
			continue;
		if (hash64_find(&seen, program_of(q)) == HASH_NONE) {
			r = hash64_put(&seen, program_of(q), 0, err);
			(*all)++;
		}
		if (r == 0 &&
		    (net_host_of(raw, q->src) == host || net_host_of(raw, q->dst) == host))
			r = hash64_put(with, program_of(q), 0, err);
	}
	hash64_release(&seen);
	return r;
}

/* What is left, in its order. */
static void rows_leave(struct net_raw *raw, int host, const struct hash64 *programs)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < raw->n; i++) {
		struct net_row q = raw->rows[i];
		int from = net_host_of(raw, q.src) == host, to = net_host_of(raw, q.dst) == host;

		if (is_program(&q) ? hash64_find(programs, program_of(&q)) != HASH_NONE
		                   : (from || to) && q.op != NET_LOAD)
			continue;
		if (q.op == NET_LOAD)
			q.left_out |= (uint8_t)((from ? NET_SENDER_OUT : 0) |
			                        (to ? NET_RECEIVER_OUT : 0));
		raw->rows[left++] = q;
	}
	raw->n = left;
}

static int host_leaves(struct net_raw *raw, int host, const char *name, int n, struct err *err)
{
	uint32_t before = raw->n, all;
	struct hash64 programs;
	int r;

	hash64_init(&programs);
	r = programs_find(raw, host, &programs, &all, err);
	if (r == 0) {
		rows_leave(raw, host, &programs);
		str_printf(&raw->notes,
		           "%.*s: %u measurements with this host are left out, as asked\n", n, name,
		           before - raw->n);
		if (programs.n > 0 && programs.n == all)
			str_printf(
			    &raw->notes,
			    "%.*s: it had a part in all programs that say how far a whole "
			    "run may be off: noise/run-network has what the fit is off only, "
			    "and intervals of --runs are too narrow; measure without it\n",
			    n, name);
	}
	hash64_release(&programs);
	return r;
}

int net_raw_without(struct net_raw *raw, const char *names, struct err *err)
{
	for (const char *p = names; *p; p += strcspn(p, ","), p += *p == ',') {
		size_t n = strcspn(p, ",");
		int host = -1;

		for (int i = 0; i < raw->n_hosts; i++)
			if (strlen(raw->hosts[i]) == n && memcmp(raw->hosts[i], p, n) == 0)
				host = net_host_of(raw, i);
		if (host < 0)
			return err_set(err, ERR_INPUT, "--without: no host has the name '%.*s'%s",
			               n < 80 ? (int)n : 80, p,
			               raw->n_hosts
			                   ? ""
			                   : ": the measurements name none (a line '# hosts: "
			                     "a,b,…' before the header)");
		if (host_leaves(raw, host, p, n < 80 ? (int)n : 80, err) < 0)
			return -1;
	}
	return raw->notes.failed ? err_nomem(err, "notes", raw->notes.n) : 0;
}
