/* describe.c: requests in words, for errors and reports. */
#include "report.h"

#include <math.h>
#include <stdio.h>

static const char *peer_text(const struct req *q, char *buf, size_t n)
{
	if (q->peer == ANY_PEER)
		return "any rank";
	snprintf(buf, n, "rank %u", q->peer);
	return buf;
}

/* Tag, size, communicator. */
static void envelope_text(const struct req *q, char *buf, size_t n)
{
	char tag[32] = "any tag", comm[40] = "", size[40] = "any size";

	if (q->ctx & CTX_COLL)
		snprintf(tag, sizeof tag, "collective %u", (uint32_t)q->tag + 1);
	else if (q->tag != MP_ANY)
		snprintf(tag, sizeof tag, "tag %d", q->tag);
	if (q->ctx & CTX_SLOT)
		snprintf(comm, sizeof comm, ", communicator %u", q->ctx & CTX_SLOT);
	if (!isinf(q->bytes))
		snprintf(size, sizeof size, "%.0f bytes", q->bytes);
	snprintf(buf, n, "%s, %s%s", tag, size, comm);
}

const char *req_describe(struct mp *mp, uint32_t r, char *buf, size_t n)
{
	const struct req *q = &mp->reqs[r];
	char peer[32], envelope[120], where[WHERE_MAX];

	where_text(mp, q->rank, q->op, where, sizeof where);
	if (q->kind == REQ_COLL || q->kind == REQ_PERSISTENT || q->kind == REQ_HANDLE) {
		snprintf(buf, n, "%s of rank %u (its %s)", mp_call_name(q->call), q->rank, where);
		return buf;
	}
	envelope_text(q, envelope, sizeof envelope);
	snprintf(buf, n, "%s of rank %u %s %s (%s; posted at %.9g s by its %s)",
	         mp_call_name(q->call), q->rank, q->kind == REQ_SEND ? "to" : "from",
	         peer_text(q, peer, sizeof peer), envelope, q->posted, where);
	return buf;
}
