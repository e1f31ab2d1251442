/* loggps_port.c: who has a rank's processor and network interface, and when, in the LogGPS models.
 *
 * A port is a rank's processor, which does one thing at a time without interruption, and its
 * interface, which sends and receives independently. Three things want the processor: the rank's
 * sends, its computations, and messages that have arrived (whether or not a receive is posted: the
 * library takes them in). A send also needs the interface's sending side, an arrived message its
 * receiving side. Whenever the processor is free, what can begin does; of several, what came first
 * into being: a message with its departure, an operation of the rank with the beginning of the one
 * before it (so a rank that has just ended something does not let all that arrived meanwhile pass
 * first). These are LogGOPSim's rules (Hoefler, Schneider, Lumsdaine, "LogGOPSim: simulating
 * large-scale applications in the LogGOPS model", HPDC 2010), found with queues here, where it
 * tries again and again.
 *
 *   port:   free --send_begin, message_begin, computation_begin--> busy --EVENT_FREE--> free
 *   eager:  DATA   wanted --send_begin--> travels --EVENT_ARRIVE--> arrived --message_begin-->
 *           handled --EVENT_FREE--> its `arrived`
 *   synchronous with a handshake: REQUEST the same; when handled and matched, ACK from the receiver
 *   the same; when handled, DATA the same
 *
 * Invariants
 *  1. Whatever changes at a date (the processor is free, something wants it) only touches the port;
 *     who is next is decided by loggps_settle, when all that happens at that date is known. Zero
 *     overheads begin and end within a date.
 *  2. When the clock moves, a port that is busy has an EVENT_FREE under way; one that is free has
 *     nothing waiting, or an EVENT_LOOK under way.
 *  3. Both queues are in the order of `order`. */
#include "change.h"
#include "loggps_int.h"

#include <math.h>
#include <stdlib.h>

/* EVENT_HANDLED is never in the engine: it is what EVENT_FREE finds in port.done after a control
 * message. */
enum { EVENT_FREE = 1, EVENT_ARRIVE, EVENT_LOOK, EVENT_HANDLED };

static uint64_t event_make(uint64_t kind, uint32_t id)
{
	return NET_OWN | kind << 32 | id;
}

/* Dates that are sums of the same terms in another order differ by some ulps. */
static int reached(double now, double date)
{
	return date <= now * (1 + 0x1p-47);
}

static int timer(struct net *n, double delay, uint64_t user, struct err *err)
{
	struct activity_id a;

	return engine_timer(n->engine, delay, user, &a, err);
}

int loggps_ports_add(struct net *n, void *state, const struct host_id *host, uint32_t count,
                     struct err *err)
{
	struct loggps_model *m = state;

	(void)n;
	m->ports = malloc((size_t)count * sizeof *m->ports);
	if (!m->ports)
		return err_nomem(err, "ports of ranks",
		                 (unsigned long long)count * sizeof *m->ports);
	m->n_ports = count;
	for (uint32_t i = 0; i < count; i++)
		m->ports[i] = (struct port){.look = INFINITY,
		                            .arrived = {NOBODY, NOBODY},
		                            .wanted = {NOBODY, NOBODY},
		                            .host = host[i]};
	return 0;
}

/* --- queues --- */

static void queue_push(struct loggps_model *m, struct queue_ends *q, uint32_t slot)
{
	m->msgs[slot].next = NOBODY;
	if (q->first == NOBODY)
		q->first = slot;
	else
		m->msgs[q->last].next = slot;
	q->last = slot;
}

/* Messages arrive in the order in which they left, up to the rounding of dates. */
static void queue_insert(struct loggps_model *m, struct queue_ends *q, uint32_t slot)
{
	uint64_t order = m->msgs[slot].order;
	uint32_t *at = &q->first;

	if (q->first == NOBODY || m->msgs[q->last].order < order) {
		queue_push(m, q, slot);
		return;
	}
	while (m->msgs[*at].order < order)
		at = &m->msgs[*at].next;
	m->msgs[slot].next = *at;
	*at = slot;
}

static uint32_t queue_pop(struct loggps_model *m, struct queue_ends *q)
{
	uint32_t slot = q->first;

	q->first = m->msgs[slot].next;
	return slot;
}

/* --- the processor begins --- */

/* Control messages are one byte. */
static double bytes_beyond_first(const struct port_msg *s)
{
	return s->phase == PHASE_DATA && s->bytes > 1 ? s->bytes - 1 : 0;
}

/* Noise: by how much the network takes longer for this message. */
static double msg_stretch(const struct loggps_model *m, uint32_t slot)
{
	return m->stretch ? m->stretch[slot] : 1;
}

/* Its way begins: over a link that is off it does not. */
static int way_begin(struct net *n, struct loggps_model *m, const struct port_msg *s,
                     struct err *err)
{
	int ack = s->phase == PHASE_ACK;
	struct host_id from = m->ports[ack ? s->to : s->from].host,
	               to = m->ports[ack ? s->from : s->to].host;
	struct err why;

	if (crossing_begin(n, from, to, s->arrived, &why) == 0)
		return 0;
	if (why.kind == ERR_PROGRAM)
		return message_stopped(n, s->arrived, why.text, err);
	*err = why;
	return -1;
}

static int port_busy(struct net *n, struct port *p, uint32_t id, double seconds, uint64_t done,
                     struct err *err)
{
	p->busy = 1;
	p->until = engine_now(n->engine) + seconds;
	p->done = done;
	return timer(n, seconds, event_make(EVENT_FREE, id), err);
}

/* Parts of a message, for who asks. The interface was free from `out` on. */
static void send_tell(const struct net *n, const struct loggps_model *m, const struct port_msg *s,
                      double out, double stretch)
{
	double now = engine_now(n->engine);

	if (s->phase != PHASE_DATA) {
		part_tell(n, s->arrived, now,
		          s->phase == PHASE_REQUEST ? "request of the handshake"
		                                    : "acknowledgement of the handshake");
		return;
	}
	part_tell(n, s->arrived, out, "waits for the sender's processor");
	part_tell(n, s->arrived, now, "o of the sender");
	part_tell(n, s->arrived, now + m->p.o, stretch != 1 ? "L, with its noise" : "L");
}

static void receive_tell(const struct net *n, const struct loggps_model *m,
                         const struct port_msg *s, double in, int by_interface)
{
	double now = engine_now(n->engine);

	part_tell(n, s->arrived, in, "waits for the receiver's processor");
	part_tell(n, s->arrived, now, "o of the receiver");
	part_tell(n, s->arrived, now + m->p.o,
	          by_interface ? "G (k - 1)" : "O (k - 1) of the receiver");
}

static int send_begin(struct net *n, struct loggps_model *m, uint32_t id, struct err *err)
{
	struct port *p = &m->ports[id];
	uint32_t slot = queue_pop(m, &p->wanted);
	struct port_msg *s = &m->msgs[slot];
	double more = bytes_beyond_first(s), stretch = msg_stretch(m, slot);
	uint64_t done = s->sent;

	if (s->phase == PHASE_DATA && m->p.handshake && s->complete) {
		done = s->complete; /* the call that sends went on after the request */
		s->complete = 0;
	} else if (done) {
		p->order = s->batch ? s->order : m->order + 2; /* what a non-blocking call begins,
		                                                  the next one goes on with */
	}
	s->sent = 0;
	s->order = m->order + 1;
	m->order += 2;
	send_tell(n, m, s, p->out, stretch);
	p->out = engine_now(n->engine) + (m->p.g + m->p.G * more) * stretch;
	if (n->crossings && way_begin(n, m, s, err) < 0)
		return -1;
	if (port_busy(n, p, id, m->p.o + m->p.O * more, done, err) < 0)
		return -1;
	return timer(n, m->p.o + m->p.L * stretch, event_make(EVENT_ARRIVE, slot), err);
}

static int computation_begin(struct net *n, struct loggps_model *m, uint32_t id, struct err *err)
{
	struct port *p = &m->ports[id];
	struct activity_id a;

	p->computes = 0;
	p->busy = 1;
	p->done = p->user;
	p->order = ++m->order;
	return net_compute(n, p->host, NET_NO_SOCKET, p->volume, event_make(EVENT_FREE, id), &a,
	                   err);
}

/* The sender of a synchronous message may go on, as soon as its processor does. */
static int sender_complete(struct net *n, struct loggps_model *m, struct port_msg *s,
                           struct err *err)
{
	struct port *p = &m->ports[s->from];
	uint64_t user = s->complete;
	double now = engine_now(n->engine);

	if (!user)
		return 0;
	s->complete = 0;
	p->order = ++m->order;
	return timer(n, p->until > now ? p->until - now : 0, user, err);
}

static int message_begin(struct net *n, struct loggps_model *m, uint32_t id, struct err *err)
{
	struct port *p = &m->ports[id];
	uint32_t slot = queue_pop(m, &p->arrived);
	struct port_msg *s = &m->msgs[slot];
	double more = bytes_beyond_first(s), stretch = msg_stretch(m, slot);
	int data = s->phase == PHASE_DATA;

	if (data)
		receive_tell(n, m, s, p->in, fmax(m->p.O, m->p.G * stretch) > m->p.O);
	p->in = engine_now(n->engine) + (m->p.g + m->p.G * more) * stretch;
	p->order = ++m->order;
	if (port_busy(n, p, id, m->p.o + fmax(m->p.O, m->p.G * stretch) * more,
	              data ? s->arrived : event_make(EVENT_HANDLED, slot), err) < 0)
		return -1;
	s->here = (uint8_t)(data != 0);
	return data && s->matched ? sender_complete(n, m, s, err) : 0;
}

/* --- who is next --- */

static int look_at(struct net *n, struct port *p, uint32_t id, double date, struct err *err)
{
	double now = engine_now(n->engine);

	if (p->look <= date)
		return 0;
	p->look = date;
	return timer(n, date > now ? date - now : 0, event_make(EVENT_LOOK, id), err);
}

/* Nothing can begin: when could something? */
static int port_wait(struct net *n, struct port *p, uint32_t id, struct err *err)
{
	double date = INFINITY;

	if (p->arrived.first != NOBODY)
		date = p->in;
	if (p->wanted.first != NOBODY && p->out < date)
		date = p->out;
	return date < INFINITY ? look_at(n, p, id, date, err) : 0;
}

enum claim { CLAIM_NONE, CLAIM_MESSAGE, CLAIM_SEND, CLAIM_COMPUTATION };

/* The first to have come into being of what can begin now. */
static enum claim port_claim(const struct loggps_model *m, const struct port *p, double now)
{
	uint64_t first = UINT64_MAX;
	enum claim claim = CLAIM_NONE;

	if (p->arrived.first != NOBODY && reached(now, p->in)) {
		first = m->msgs[p->arrived.first].order;
		claim = CLAIM_MESSAGE;
	}
	if (p->wanted.first != NOBODY && reached(now, p->out) &&
	    m->msgs[p->wanted.first].order < first) {
		first = m->msgs[p->wanted.first].order;
		claim = CLAIM_SEND;
	}
	return p->computes && p->volume_order < first ? CLAIM_COMPUTATION : claim;
}

/* Something about the port has changed: who is next is decided when all that happens at this date
 * is known. */
static void port_touch(struct loggps_model *m, uint32_t id)
{
	struct port *p = &m->ports[id];

	if (p->touched)
		return;
	p->touched = 1;
	p->next = NOBODY;
	if (m->touched.first == NOBODY)
		m->touched.first = id;
	else
		m->ports[m->touched.last].next = id;
	m->touched.last = id;
}

/* Gives a free processor to what is next. */
static int port_go(struct net *n, struct loggps_model *m, uint32_t id, struct err *err)
{
	struct port *p = &m->ports[id];
	double now = engine_now(n->engine);

	if (p->busy)
		return 0;
	switch (port_claim(m, p, now)) {
	case CLAIM_MESSAGE:
		return message_begin(n, m, id, err);
	case CLAIM_SEND:
		return send_begin(n, m, id, err);
	case CLAIM_COMPUTATION:
		return computation_begin(n, m, id, err);
	case CLAIM_NONE:
		break;
	}
	return port_wait(n, p, id, err);
}

/* --- what the ranks ask --- */

static int message_room(struct loggps_model *m, uint32_t slot, struct err *err)
{
	struct port_msg *msgs = vec_grow(m->msgs, &m->msgs_cap, sizeof *msgs, (size_t)slot + 1,
	                                 "messages under way", err);

	if (!msgs)
		return -1;
	m->msgs = msgs;
	m->n_msgs = slot + 1;
	return 0;
}

/* Noise is rare: only then messages have a factor each. */
static int stretch_note(struct loggps_model *m, uint32_t slot, double factor, struct err *err)
{
	uint32_t had = m->stretch_cap;
	double *stretch = vec_grow(m->stretch, &m->stretch_cap, sizeof *stretch, (size_t)slot + 1,
	                           "messages under way", err);

	if (!stretch)
		return -1;
	m->stretch = stretch;
	for (uint32_t i = had; i < m->stretch_cap; i++)
		stretch[i] = 1;
	stretch[slot] = factor;
	return 0;
}

int loggps_send(struct net *n, void *state, const struct port_send *s, struct err *err)
{
	struct loggps_model *m = state;

	if (s->slot >= m->n_msgs && message_room(m, s->slot, err) < 0)
		return -1;
	if ((m->stretch || s->stretch != 1) && stretch_note(m, s->slot, s->stretch, err) < 0)
		return -1;
	m->msgs[s->slot] = (struct port_msg){
	    .bytes = s->bytes,
	    .order = m->ports[s->from].order,
	    .sent = s->sent,
	    .arrived = s->arrived,
	    .complete = s->complete,
	    .from = s->from,
	    .to = s->to,
	    .phase = s->complete && m->p.handshake ? PHASE_REQUEST : PHASE_DATA,
	    .batch = (uint8_t)(s->batch != 0),
	};
	part_tell(n, s->arrived, engine_now(n->engine), "waits for the sender's interface (g, G)");
	queue_push(m, &m->ports[s->from].wanted, s->slot);
	port_touch(m, s->from);
	return 0;
}

int loggps_compute(struct net *n, void *state, uint32_t port, double volume, uint64_t user,
                   struct err *err)
{
	struct loggps_model *m = state;
	struct port *p = &m->ports[port];

	(void)n;
	(void)err;
	p->volume = volume;
	p->user = user;
	p->volume_order = p->order;
	p->computes = 1;
	port_touch(m, port);
	return 0;
}

/* The acknowledgement of a request, or the data after it. */
static void phase_begin(struct loggps_model *m, uint32_t slot, enum phase phase)
{
	struct port_msg *s = &m->msgs[slot];
	uint32_t port = phase == PHASE_ACK ? s->to : s->from;

	s->phase = (uint8_t)phase;
	s->order = ++m->order;
	queue_push(m, &m->ports[port].wanted, slot);
	port_touch(m, port);
}

void loggps_received(void *state, uint32_t port)
{
	struct loggps_model *m = state;

	m->ports[port].order = ++m->order;
}

int loggps_matched(struct net *n, void *state, uint32_t slot, struct err *err)
{
	struct loggps_model *m = state;
	struct port_msg *s = &m->msgs[slot];

	s->matched = 1;
	if (s->here && s->phase == PHASE_DATA)
		return sender_complete(n, m, s, err);
	if (s->here)
		phase_begin(m, slot, PHASE_ACK);
	return s->here;
}

/* --- events --- */

/* A control message has been handled. */
static void control_handled(const struct net *n, struct loggps_model *m, uint32_t slot)
{
	struct port_msg *s = &m->msgs[slot];

	if (s->phase == PHASE_ACK) {
		phase_begin(m, slot, PHASE_DATA);
		return;
	}
	s->here = 1;
	if (s->matched)
		phase_begin(m, slot, PHASE_ACK);
	else
		part_tell(n, s->arrived, engine_now(n->engine), "waits for its receive");
}

/* 1: *user is the caller's completion. */
static int processor_free(const struct net *n, struct loggps_model *m, uint32_t id, uint64_t *user)
{
	struct port *p = &m->ports[id];
	uint64_t done = p->done;

	p->busy = 0;
	port_touch(m, id);
	if (done & NET_OWN) {
		control_handled(n, m, (uint32_t)done);
		return 0;
	}
	*user = done;
	return done != 0;
}

static void message_arrives(const struct net *n, struct loggps_model *m, uint32_t slot)
{
	uint32_t id = m->msgs[slot].phase == PHASE_ACK ? m->msgs[slot].from : m->msgs[slot].to;

	if (m->msgs[slot].phase == PHASE_DATA)
		part_tell(n, m->msgs[slot].arrived, engine_now(n->engine),
		          "waits for the receiver's interface (g, G)");
	queue_insert(m, &m->ports[id].arrived, slot);
	port_touch(m, id);
}

int loggps_event(struct net *n, void *state, uint32_t id, uint64_t *user, struct err *err)
{
	struct loggps_model *m = state;

	(void)err;
	switch (*user >> 32 & 0xff) {
	case EVENT_FREE:
		return processor_free(n, m, id, user);
	case EVENT_ARRIVE:
		if (n->crossings)
			crossing_end(n, m->msgs[id].arrived);
		message_arrives(n, m, id);
		return 0;
	default:
		m->ports[id].look = INFINITY;
		port_touch(m, id);
		return 0;
	}
}

int loggps_settle(struct net *n, void *state, struct err *err)
{
	struct loggps_model *m = state;
	uint32_t id;

	while (m->touched.first != NOBODY) {
		id = m->touched.first;
		m->touched.first = m->ports[id].next;
		m->ports[id].touched = 0;
		if (port_go(n, m, id, err) < 0)
			return -1;
	}
	return 0;
}
