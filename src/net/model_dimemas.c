/* model_dimemas.c: the model of Dimemas (S. Girona, J. Labarta, R. M. Badia, "Validation of Dimemas
 * communication model for MPI collective operations", EuroPVM/MPI 2000; tools.bsc.es/dimemas; its
 * configuration in version 5.5).
 *
 * A message of s bytes takes its latency, during which it uses nothing; then it waits until a link
 * out of the sender's node, a bus, and a link into the receiver's node are free at once, and holds
 * the three for s / bandwidth. Inside a node the same with the node's own figures and limits. The
 * oldest message that can start does. With half-duplex links those in and those out of a node are
 * the same.
 *
 * A collective is a fan-in and a fan-out, between nodes and inside them (dimemas_coll.c). */
#include "dimemas.h"

#include <stdlib.h>
#include <string.h>

enum {
	PART_BUS = 0,
	PART_OUT = 1,
	PART_IN,
	PART_LOCAL_BUS,
	PART_LOCAL_OUT,
	PART_LOCAL_IN,
	NODE_PARTS = 5
};

static int count_read(const struct net *n, enum config_id id, uint32_t *out, struct err *err)
{
	double v = config_number(n->cfg, id);

	if (v > UINT32_MAX)
		return err_set(err, ERR_INPUT, "setting %s is %g: at most %u",
		               config_table[id].name, v, UINT32_MAX);
	*out = (uint32_t)v;
	return 0;
}

static int duplex_read(struct dimemas *d, const struct net *n, struct err *err)
{
	const char *text = config_text(n->cfg, CFG_DIMEMAS_DUPLEX);

	d->half = text_same(text, "half");
	if (d->half || text_same(text, "full"))
		return 0;
	return err_set(err, ERR_INPUT, "setting dimemas/duplex is full or half, not \"%s\"", text);
}

static int dimemas_settings(const struct net *n, struct err *err)
{
	struct dimemas unused = {0};

	return duplex_read(&unused, n, err) < 0 ? -1 : dimemas_fans_read(&unused, n, err);
}

static void dimemas_release(void *state)
{
	struct dimemas *d = state;

	bus_release(&d->machine);
	bus_queue_release(&d->queue);
	free(d);
}

static int dimemas_init(struct net *n, void **state, struct err *err)
{
	struct dimemas *d = calloc(1, sizeof *d);

	if (!d)
		return err_nomem(err, "Dimemas model", sizeof *d);
	bus_queue_init(&d->queue);
	if (bus_init(&d->machine, n, err) < 0 ||
	    count_read(n, CFG_DIMEMAS_LOCAL_BUSES, &d->local_busses, err) < 0 ||
	    count_read(n, CFG_DIMEMAS_LOCAL_IN, &d->local_in, err) < 0 ||
	    count_read(n, CFG_DIMEMAS_LOCAL_OUT, &d->local_out, err) < 0 ||
	    duplex_read(d, n, err) < 0 || dimemas_fans_read(d, n, err) < 0 ||
	    bus_queue_grow(&d->queue, 1, err) < 0) {
		dimemas_release(d);
		return -1;
	}
	d->queue.parts[PART_BUS].limit = d->machine.busses;
	*state = d;
	return 0;
}

/* --- messages --- */

static uint32_t greater(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

/* The parts of all nodes seen so far. */
static int parts_make(struct dimemas *d, struct err *err)
{
	uint32_t node = (d->queue.n_parts - 1) / NODE_PARTS;

	if (bus_queue_grow(&d->queue, 1 + d->machine.n * NODE_PARTS, err) < 0)
		return -1;
	for (; node < d->machine.n; node++) {
		const struct bus_node *b = &d->machine.nodes[node];
		struct bus_part *p = &d->queue.parts[node * NODE_PARTS];

		p[PART_OUT].limit = d->half && b->in && b->out ? greater(b->in, b->out) : b->out;
		p[PART_IN].limit = b->in;
		p[PART_LOCAL_BUS].limit = d->local_busses;
		p[PART_LOCAL_OUT].limit = d->local_out;
		p[PART_LOCAL_IN].limit = d->local_in;
	}
	return 0;
}

/* The part, if it has a limit. */
static uint32_t limited(const struct dimemas *d, uint32_t part)
{
	return d->queue.parts[part].limit ? part : BUS_NONE;
}

static uint32_t link_in(const struct dimemas *d, uint32_t node)
{
	const struct bus_node *b = &d->machine.nodes[node];

	return limited(d, node * NODE_PARTS + (d->half && b->in && b->out ? PART_OUT : PART_IN));
}

static int dimemas_message(struct net *n, void *state, const struct net_send *s,
                           struct net_sent *out, struct err *err)
{
	struct dimemas *d = state;
	struct bus_message m = {.user = s->user};
	struct bus_way w;

	if (bus_way(&d->machine, n, s->from, s->to, &w, err) < 0 || parts_make(d, err) < 0)
		return -1;
	bus_stretch(&w, s->stretch);
	m.seconds = bus_body(&w, s->bytes);
	if (w.from == w.to) {
		m.part[0] = limited(d, w.from * NODE_PARTS + PART_LOCAL_OUT);
		m.part[1] = limited(d, w.from * NODE_PARTS + PART_LOCAL_IN);
		m.part[2] = limited(d, w.from * NODE_PARTS + PART_LOCAL_BUS);
	} else {
		m.part[0] = limited(d, w.from * NODE_PARTS + PART_OUT);
		m.part[1] = link_in(d, w.to);
		m.part[2] = limited(d, PART_BUS);
	}
	if (m.part[0] == BUS_NONE && m.part[1] == BUS_NONE && m.part[2] == BUS_NONE) {
		part_tell(n, s->user, engine_now(n->engine), "latency");
		part_tell(n, s->user, engine_now(n->engine) + w.latency, "its bytes / bandwidth");
		return engine_timer(n->engine, w.latency + m.seconds, s->user, &out->activity, err);
	}
	return bus_queue_send(&d->queue, n, &m, w.latency, &out->activity, err);
}

static int dimemas_event(struct net *n, void *state, uint32_t number, uint64_t *user,
                         struct err *err)
{
	struct dimemas *d = state;

	return bus_queue_event(&d->queue, n, number, user, err);
}

static void dimemas_explain(struct net *n, void *state, struct host_id from, struct host_id to,
                            double bytes, struct str *out)
{
	struct dimemas *d = state;

	bus_describe(&d->machine, n, from, to, bytes, out);
	str_printf(
	    out,
	    "; in between it waits for a link out, a link in and one of %u busses (0: no limit).",
	    d->machine.busses);
}

static const enum config_id own[] = {BUS_OWN,
                                     CFG_BUS_BUSSES,
                                     CFG_BUS_IN_LINKS,
                                     CFG_BUS_OUT_LINKS,
                                     CFG_DIMEMAS_COLLECTIVES,
                                     CFG_DIMEMAS_DUPLEX,
                                     CFG_DIMEMAS_LOCAL_BUSES,
                                     CFG_DIMEMAS_LOCAL_IN,
                                     CFG_DIMEMAS_LOCAL_OUT,
                                     CFG_COUNT};

const struct net_model net_model_dimemas = {
    .name = "dimemas",
    .aliases = "",
    .help = "Dimemas: latency, then bytes / bandwidth on a link out, a bus and a link in; "
            "collectives by fan-in and fan-out",
    .own = own,
    .bare = 1,
    .whole = 1,
    .settings = dimemas_settings,
    .init = dimemas_init,
    .release = dimemas_release,
    .message = dimemas_message,
    .event = dimemas_event,
    .collective = dimemas_collective,
    .links = LINKS_AT_START,
    .explain = dimemas_explain,
};
