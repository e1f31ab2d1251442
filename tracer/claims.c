/* claims.c: the requests that a call names, by position (record.h). */
#include "record.h"
#include "tracer.h"

/* Looks the handles of a call up. */
static int64_t *claims_make(const struct call *c, uint16_t mark)
{
	int64_t *claims = thread_numbers(0, c->n_handles);

	requests_pass(&tracer.requests);
	for (int64_t i = 0; claims && i < c->n_handles; i++) {
		uint32_t k = request_claim(&tracer.requests, request_key(c->handles[i]));

		claims[i] = k != REQUEST_NONE ? (int64_t)k : -1;
		if (claims[i] >= 0)
			tracer.requests.slots[k].flags |= mark;
	}
	return claims;
}

void claims_hold(struct call *c)
{
	if (!concurrent())
		return;
	tracer_lock();
	c->claims = claims_make(c, REQUEST_HELD);
	tracer_unlock();
}

int64_t *claims_take(struct call *c)
{
	int64_t *claims = c->claims;

	if (!claims)
		return claims_make(c, 0);
	for (int64_t i = 0; i < c->n_handles; i++)
		if (claims[i] >= 0)
			tracer.requests.slots[claims[i]].flags &= (uint16_t)~REQUEST_HELD;
	c->claims = NULL;
	return claims;
}

/* The request of a call with one; REQUEST_NONE if it is not in the trace. */
uint32_t request_of(struct call *c)
{
	const int64_t *claims = claims_take(c);

	return claims && c->n_handles == 1 && claims[0] >= 0 ? (uint32_t)claims[0] : REQUEST_NONE;
}
