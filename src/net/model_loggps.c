/* model_loggps.c: LogGPS and LogGOPS: no topology; a message costs its two ends processor time and
 * keeps their interfaces busy.
 *
 *   L latency; o processor time per message and O per byte beyond the first, at each end; g, G: the
 *   same of the interface, sending and receiving; S: longer messages are synchronous
 *   alone, k bytes take   o + L + o + max(O, G) (k - 1)   from the beginning of the send to the end
 *                         of the receive
 *   the sender is busy    o + O (k - 1)
 *   noise, a factor of a message, stretches what is the network's: L, g and G
 *
 * LogP: Culler et al., PPoPP 1993; G: Alexandrov et al., "LogGP", SPAA 1995; S: Ino, Fujimoto,
 * Hagihara, "LogGPS", PPoPP 2001; O, and who is charged what and when: Hoefler, Schneider,
 * Lumsdaine, "LogGOPSim", HPDC 2010. Who waits for whom is in loggps_port.c. */
#include "loggps_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct parameter {
	const char *key;
	enum config_id id;
	enum unit_kind kind;
	size_t at;
} parameters[] = {
    {"L", CFG_LOGGPS_L, UNIT_TIME, offsetof(struct loggps, L)},
    {"o", CFG_LOGGPS_OVERHEAD, UNIT_TIME, offsetof(struct loggps, o)},
    {"g", CFG_LOGGPS_GAP, UNIT_TIME, offsetof(struct loggps, g)},
    {"G", CFG_LOGGPS_G, UNIT_TIME, offsetof(struct loggps, G)},
    {"O", CFG_LOGGPS_O, UNIT_TIME, offsetof(struct loggps, O)},
    {"S", CFG_LOGGPS_S, UNIT_SIZE, offsetof(struct loggps, S)},
};

enum { PARAMETERS = sizeof parameters / sizeof parameters[0], FIELD_MAX = 64 };

static double *parameter_of(struct loggps *p, int i)
{
	return (double *)(void *)((char *)p + parameters[i].at);
}

/* One "key=value" of the model's name. */
static int argument_set(struct loggps *p, const char *field, struct err *err)
{
	const char *equals = strchr(field, '=');
	size_t n = equals ? (size_t)(equals - field) : 0;
	struct err why;
	double v;

	for (int i = 0; equals && i < PARAMETERS; i++) {
		if (strlen(parameters[i].key) != n || strncmp(parameters[i].key, field, n) != 0)
			continue;
		if (units_parse(equals + 1, parameters[i].kind, &v, &why) < 0 || v < 0)
			return err_set(err, ERR_INPUT,
			               "setting network/model: \"%s\" is no %s of 0 or more", field,
			               parameters[i].kind == UNIT_TIME ? "time" : "size");
		*parameter_of(p, i) = v;
		return 0;
	}
	return err_set(err, ERR_INPUT, "setting network/model: \"%s\" is not one of %s", field,
	               net_model_loggps.arguments);
}

/* "L=2us,o=1us,…" */
static int arguments_read(struct loggps *p, const char *s, struct err *err)
{
	char field[FIELD_MAX];
	size_t n;

	for (; *s; s += n + (s[n] != '\0')) {
		n = strcspn(s, ",;");
		if (n == 0)
			continue;
		if (n >= sizeof field)
			return err_set(err, ERR_INPUT,
			               "setting network/model: \"%.*s\" is not KEY=VALUE", (int)n,
			               s);
		memcpy(field, s, n);
		field[n] = '\0';
		if (argument_set(p, field, err) < 0)
			return -1;
	}
	return 0;
}

static int loggps_init(struct net *n, void **state, struct err *err)
{
	struct loggps_model *m = calloc(1, sizeof *m);

	if (!m)
		return err_nomem(err, "LogGPS model", sizeof *m);
	for (int i = 0; i < PARAMETERS; i++)
		*parameter_of(&m->p, i) = config_number(n->cfg, parameters[i].id);
	m->touched.first = NOBODY;
	m->p.handshake = config_bool(n->cfg, CFG_LOGGPS_HANDSHAKE);
	if (arguments_read(&m->p, n->arguments, err) < 0) {
		free(m);
		return -1;
	}
	*state = m;
	return 0;
}

static void loggps_release(void *state)
{
	struct loggps_model *m = state;

	free(m->ports);
	free(m->msgs);
	free(m->stretch);
	free(m);
}

static double loggps_eager(void *state)
{
	const struct loggps_model *m = state;

	return m->p.S;
}

/* A message alone, whose ends have nothing else to do. */
static double seconds_alone(const struct loggps_model *m, double bytes, double stretch)
{
	return 2 * m->p.o + m->p.L * stretch +
	       fmax(m->p.O, m->p.G * stretch) * (bytes > 1 ? bytes - 1 : 0);
}

static double loggps_alone(struct net *n, void *state, struct host_id from, struct host_id to,
                           double bytes, struct err *err)
{
	(void)n, (void)from, (void)to, (void)err;
	return seconds_alone(state, bytes, 1);
}

static int loggps_message(struct net *n, void *state, const struct net_send *s,
                          struct net_sent *out, struct err *err)
{
	return engine_timer(n->engine, seconds_alone(state, s->bytes, s->stretch), s->user,
	                    &out->activity, err);
}

static void loggps_explain(struct net *n, void *state, struct host_id from, struct host_id to,
                           double bytes, struct str *out)
{
	const struct loggps_model *m = state;
	double more = bytes > 1 ? bytes - 1 : 0;

	str_printf(
	    out,
	    "alone it takes %g s: overhead %g s at each end, latency %g s, %g s for its other "
	    "bytes (the greater of O and G); the sender's processor is busy for %g s, its "
	    "interface for %g s.",
	    loggps_alone(n, state, from, to, bytes, NULL), m->p.o, m->p.L,
	    fmax(m->p.O, m->p.G) * more, m->p.o + m->p.O * more, m->p.g + m->p.G * more);
}

int net_loggps(const struct net *n, struct net_loggps *out)
{
	const struct loggps_model *m = n->state;

	if (n->model != &net_model_loggps || m->p.handshake || n->changes || n->crossings ||
	    n->processors > 0 || memory_shared(&n->memory))
		return 0;
	*out = (struct net_loggps){
	    .L = m->p.L, .o = m->p.o, .g = m->p.g, .G = m->p.G, .O = m->p.O, .S = m->p.S};
	return 1;
}

static const struct net_ports loggps_ports = {
    .eager = loggps_eager,
    .add = loggps_ports_add,
    .send = loggps_send,
    .received = loggps_received,
    .matched = loggps_matched,
    .compute = loggps_compute,
};

static const enum config_id own[] = {
    CFG_LOGGPS_L, CFG_LOGGPS_OVERHEAD, CFG_LOGGPS_GAP,       CFG_LOGGPS_G,
    CFG_LOGGPS_O, CFG_LOGGPS_S,        CFG_LOGGPS_HANDSHAKE, CFG_COUNT};

const struct net_model net_model_loggps = {
    .name = "loggps",
    .aliases = "loggops loggp logp",
    .help = "LogGPS and LogGOPS: L, o, g, G, O, S, and no topology",
    .arguments = "L=,o=,g=,G=,O=,S=",
    .init = loggps_init,
    .release = loggps_release,
    .message = loggps_message,
    .own = own,
    .bare = 1,
    .ports = &loggps_ports,
    .event = loggps_event,
    .settle = loggps_settle,
    .alone = loggps_alone,
    .links = LINKS_UNKNOWN,
    .explain = loggps_explain,
};
