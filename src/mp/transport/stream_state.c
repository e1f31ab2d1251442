/* stream_state.c: what connections (stream.c) keep, from the settings. */
#include "net/ports.h"
#include "stream_int.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEVIATION_MOST = 10 }; /* of logarithms: beyond, no time is left out */

static int notice_read(struct mp *mp, struct streams *s, struct err *err)
{
	struct factor_table t;
	struct err why;

	if (factor_table_parse(&t, config_text(mp->cfg, CFG_SMPI_NOTICE), &why) < 0)
		return err_set(err, why.kind, "setting smpi/notice: %s", why.text);
	for (uint32_t i = 0; i < t.n && t.rows[i].threshold <= mp->n_ranks; i++) {
		s->notice = t.rows[i].value[0];
		s->notice_deviation = t.rows[i].value[1];
	}
	factor_table_release(&t);
	if (s->notice < 0 || !(s->notice_deviation >= 0 && s->notice_deviation <= DEVIATION_MOST))
		return err_set(
		    err, ERR_INPUT,
		    "setting smpi/notice: times are not negative, and deviations of logarithms "
		    "from 0 to %d, not as in \"%s\"",
		    DEVIATION_MOST, config_text(mp->cfg, CFG_SMPI_NOTICE));
	return 0;
}

static int reactions_init(struct mp *mp, struct streams *s, struct err *err)
{
	uint64_t seed = (uint64_t)config_number(mp->cfg, CFG_NOISE_SEED);

	if (notice_read(mp, s, err) < 0)
		return -1;
	if (mp->rules.no_notice || !mp->progress.in_calls)
		s->notice = 0;
	if (s->notice == 0)
		return 0;
	s->reacts = calloc(mp->n_ranks, sizeof *s->reacts);
	if (!s->reacts)
		return err_nomem(err, "reactions of ranks", mp->n_ranks * sizeof *s->reacts);
	if (s->notice_deviation == 0)
		return 0;
	s->delays = malloc(mp->n_ranks * sizeof *s->delays);
	if (!s->delays)
		return err_nomem(err, "reactions of ranks", mp->n_ranks * sizeof *s->delays);
	for (uint32_t i = 0; i < mp->n_ranks; i++)
		rng_init(&s->delays[i], seed, "smpi/notice", i);
	return 0;
}
static int contacts_init(const struct mp *mp, struct streams *s, struct err *err)
{
	uint64_t seed = (uint64_t)config_number(mp->cfg, CFG_NOISE_SEED);
	struct rng r;

	s->period = config_number(mp->cfg, CFG_SMPI_FIRST_CONTACT);
	s->contact = malloc(mp->n_ranks * sizeof *s->contact);
	if (!s->contact)
		return err_nomem(err, "connections of ranks", mp->n_ranks * sizeof *s->contact);
	for (uint32_t i = 0; i < mp->n_ranks; i++) {
		s->contact[i] = (struct first_contact){.looked = -INFINITY, .held = NONE};
		if (seed == 0 || !(s->period > 0))
			continue;
		rng_init(&r, seed, "smpi/first-contact", i);
		s->contact[i].met = rng_unit(&r) < FIRST_CONTACT_AT_ONCE;
	}
	return 0;
}

int streams_init(struct mp *mp, const struct host_id *host, struct err *err)
{
	const char *text = config_text(mp->cfg, CFG_SMPI_CONNECTIONS);
	struct streams *s;

	(void)host;
	if (strcmp(text, "none") == 0)
		return 0;
	if (strcmp(text, "ordered") != 0)
		return err_set(err, ERR_INPUT,
		               "setting smpi/connections takes none or ordered, not \"%s\"", text);
	if (net_ports(mp->net) || !net_takes_parts(mp->net))
		return 0;
	mp->transport_state = s = calloc(1, sizeof *s);
	if (!s)
		return err_nomem(err, "connections", sizeof *s);
	slots_init(&s->pieces, sizeof(struct piece), offsetof(struct piece, next),
	           "messages on connections");
	s->buffer = config_number(mp->cfg, CFG_SMPI_SEND_BUFFER);
	s->work = net_shares_processors(mp->net) ? config_number(mp->cfg, CFG_VIRTUAL_MESSAGE_WORK)
	                                         : 0;
	if (contacts_init(mp, s, err) < 0)
		return -1;
	s->setup = config_number(mp->cfg, CFG_SMPI_CONNECTION_SETUP);
	hash64_init(&s->by_pair);
	s->unpolled = malloc(mp->n_ranks * sizeof *s->unpolled);
	if (!s->unpolled)
		return err_nomem(err, "connections of ranks", mp->n_ranks * sizeof *s->unpolled);
	memset(s->unpolled, 0xff, mp->n_ranks * sizeof *s->unpolled);
	return reactions_init(mp, s, err) < 0 ? -1 : 1;
}

void streams_release(struct mp *mp)
{
	struct streams *s = streams_of(mp);

	if (!s)
		return;
	hash64_release(&s->by_pair);
	free(s->stream);
	slots_release(&s->pieces);
	free(s->unpolled);
	free(s->contact);
	free(s->reacts);
	free(s->delays);
	free(s);
}
