/* message.c: what an event of a trace sends or receives, as mp has it. */
#include "replay_int.h"

#include <math.h>

/* Integers, reals, complex numbers; bytes and characters may stand for anything. */
uint8_t types_of(int32_t type)
{
	enum {
		DOUBLE,
		INT,
		CHAR,
		SHORT,
		LONG,
		FLOAT,
		BYTE,
		LONG_LONG,
		UNSIGNED_SHORT = 10,
		UNSIGNED_LONG_LONG = 13,
		LONG_DOUBLE
	};

	if (type == DOUBLE || type == FLOAT || type == LONG_DOUBLE || (type >= 38 && type <= 41))
		return TYPES_REAL;
	if (type == INT || type == SHORT || type == LONG || type == LONG_LONG ||
	    (type >= UNSIGNED_SHORT && type <= UNSIGNED_LONG_LONG) || (type >= 17 && type <= 24) ||
	    (type >= 45 && type <= 49))
		return TYPES_INTEGER;
	return (type >= 25 && type <= 27) || (type >= 42 && type <= 44) ||
	               (type >= 52 && type <= 54)
	           ? TYPES_COMPLEX
	           : TYPES_UNKNOWN;
}

int event_peer_check(struct replay *r, uint32_t rank, int32_t peer, const char *what,
                     struct err *err)
{
	if (peer >= 0 && (uint32_t)peer >= r->ranks)
		return replay_error(r, rank, err, "%s rank %d, but there %s only %u rank%s", what,
		                    peer, r->ranks == 1 ? "is" : "are", r->ranks, plural(r->ranks));
	return 0;
}

double message_bytes(int64_t count, int64_t size)
{
	return count < 0 ? HUGE_VAL : (double)count * (double)size;
}

void message_fields(const struct trace_event *ev, struct mp_message *m)
{
	m->peer = ev->peer;
	m->tag = ev->tag;
	m->bytes = message_bytes(ev->count, ev->type_size);
	m->types = types_of(ev->type);
	m->packed = ev->type < 0; /* of a derived type no more is known: it is taken to have gaps */
}

int event_message(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                  int receive, struct mp_message *m, struct err *err)
{
	if (event_peer_check(r, rank, ev->peer, receive ? "receives from" : "sends to", err) < 0)
		return -1;
	message_fields(ev, m);
	m->comm = MP_COMM_WORLD;
	return ev->comm == 0 ? 0 : comm_find(r, mp, rank, ev->comm, &m->comm, err);
}
