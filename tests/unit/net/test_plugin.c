/* test_plugin.c: a communication model of one's own, given as an entry (net_new_with): what it may
 * ask for and gets, what its messages take by hand, and what it does wrong, which is told with its
 * name and its reason and never trusted.
 *
 * The model: a flow over the links of the way, without latency; then, `after` seconds later, the
 * message has arrived. Two hosts, 1 us and 1 GB/s apart; c is 3 us further, over two links. */
#include <orrery/model.h> /* first: cmocka has a macro "fail" */

#include "fixture.h"

#include <math.h>

#define HOSTS3 \
	"<platform version='4.1'><zone id='z' routing='Full'><host id='a' speed='1Gf'/>" \
	"<host id='b' speed='1Gf'/><host id='c' speed='1Gf'/>" \
	"<link id='ab' bandwidth='1GBps' latency='1us'/>" \
	"<link id='fat' bandwidth='250MBps' latency='3us' sharing_policy='FATPIPE'/>" \
	"<route src='a' dst='b'><link_ctn id='ab'/></route>" \
	"<route src='a' dst='c'><link_ctn id='ab'/><link_ctn id='fat'/></route>" \
	"<route src='b' dst='c'><link_ctn id='fat'/></route>%s</zone></platform>"

/* What the model is to do; it has no other state. */
static struct behaviour {
	double after, bound;
	int wrong; /* in message: enum wrong */
	uint64_t ticket[8];
	uint32_t n;
	double noise;    /* seen by the last message */
	double factor;   /* of the bound, when a link changes */
	uint32_t change; /* the link that did */
} now;
enum wrong {
	FINE,
	SAYS_WHY,
	SAYS_NOTHING,
	NEGATIVE_TIMER,
	TWICE,
	NO_RESOURCE,
	NO_WEIGHT,
	NO_BOUND,
	NO_LIST,
	NO_FLOW,
	NO_HOST,
	NO_LINK,
	NO_CAPACITY
};

static int wrong_do(struct orrery_net *net, struct orrery_flow *f, uint64_t ticket)
{
	static uint32_t many[2];
	uint32_t out;
	struct orrery_route route;
	struct orrery_link link;

	f->resources = many;
	switch (now.wrong) {
	case SAYS_WHY:
		return orrery_fail(net, "it does not like this message");
	case NEGATIVE_TIMER:
		return orrery_start_timer(net, -1, ticket);
	case TWICE:
		if (orrery_resource_new(net, 1, ORRERY_SHARED, &many[0]) < 0)
			return -1;
		many[1] = many[0];
		f->n_resources = 2;
		return orrery_start_flow(net, f, ticket);
	case NO_RESOURCE:
		many[0] = 4711;
		f->n_resources = 1;
		return orrery_start_flow(net, f, ticket);
	case NO_WEIGHT:
		f->weight = 0;
		return orrery_start_flow(net, f, ticket);
	case NO_BOUND:
		f->bound = 0;
		return orrery_start_flow(net, f, ticket);
	case NO_LIST:
		f->resources = NULL;
		f->n_resources = 2;
		return orrery_start_flow(net, f, ticket);
	case NO_FLOW:
		return orrery_start_flow(net, NULL, ticket);
	case NO_HOST:
		return orrery_route_find(net, 0, 3, &route);
	case NO_LINK:
		return orrery_link_get(net, 99, &link);
	case NO_CAPACITY:
		return orrery_resource_new(net, 0, ORRERY_SHARED, &out);
	default:
		return -1;
	}
}

static int message(struct orrery_net *net, void *state, uint32_t from, uint32_t to, double bytes,
                   uint64_t ticket)
{
	struct orrery_flow f = {.amount = bytes, .bound = 1, .weight = 1};
	uint32_t resources[4];
	struct orrery_route route;

	(void)state;
	now.noise = orrery_noise(net);
	if (now.wrong)
		return wrong_do(net, &f, ticket);
	if (orrery_route_find(net, from, to, &route) < 0)
		return -1;
	for (uint32_t i = 0; i < route.n_links; i++)
		if (orrery_resource_of_link(net, route.links[i], &resources[i]) < 0)
			return -1;
	f.amount *= orrery_noise(net);
	f.bound = now.bound;
	f.resources = resources;
	f.n_resources = route.n_links;
	now.ticket[now.n] = ticket;
	return orrery_start_flow(net, &f, orrery_event(now.n++));
}

/* Of a flow, number k: a timer, number 100 + k; of a timer: it has arrived. */
static int event(struct orrery_net *net, void *state, uint32_t number, uint64_t *ticket)
{
	(void)state;
	if (number < 100)
		return orrery_start_timer(net, now.after, orrery_event(100 + number));
	*ticket = now.ticket[number - 100];
	return 1;
}

static int revise(struct orrery_net *net, void *state, struct orrery_revision *r)
{
	(void)net, (void)state;
	now.change = r->link;
	r->bound *= now.factor;
	r->weight = now.wrong == NO_WEIGHT ? 0 : r->weight;
	return 0;
}

static const struct orrery_model good = {.abi = ORRERY_MODEL_ABI,
                                         .size = sizeof good,
                                         .name = "mine",
                                         .message = message,
                                         .event = event,
                                         .follows = ORRERY_FOLLOWS_NOISE | ORRERY_FOLLOWS_LINKS,
                                         .revise = revise};

/* The machine with this model; f->net is NULL if it was refused. */
static void begin(struct fixture *f, const struct orrery_model *m, const char *settings,
                  const char *profile)
{
	char machine[2048];

	now = (struct behaviour){.after = 1, .factor = 1};
	snprintf(machine, sizeof machine, HOSTS3, profile);
	fixture_init(f, machine, settings);
	net_free(f->net);
	f->net = net_new_with(f->platform, &f->cfg, m, &f->err);
}

/* The date of the next arrival, which is that of `user`. */
static double arrives(struct fixture *f, uint64_t user)
{
	struct completion c;

	assert_int_equal(net_next(f->net, &c, &f->err), 1);
	assert_int_equal(c.user, user);
	return engine_now(net_engine(f->net));
}

/* 'ab' is shared: of 1000 and 2000 bytes the first takes 2 us at 500 MB/s, the other one has 1000
 * left then: 3 us. 'fat' gives each its 250 MB/s: to c 4 us, which leaves 750 to b: 1.333 us. And a
 * second. */
static void messages_by_hand(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, &good, "", "");
	send(&f, "a", "b", 1000, 7);
	send(&f, "a", "b", 2000, 8);
	assert_close(arrives(&f, 7), 1 + 2e-6, 1e-12);
	assert_close(arrives(&f, 8), 1 + 3e-6, 1e-12);
	fixture_release(&f);
	begin(&f, &good, "", "");
	send(&f, "a", "c", 1000, 7);
	send(&f, "a", "b", 1000, 8);
	assert_close(arrives(&f, 8), 1 + 1000 / 750e6, 1e-12);
	assert_close(arrives(&f, 7), 1 + 4e-6, 1e-12);
	f.stretch = 1.5; /* noise: the model hears of it, and takes it into account */
	send(&f, "b", "c", 1000, 9);
	assert_double_is(now.noise, 1.5);
	assert_close(arrives(&f, 9), 2 + 4e-6 + 6e-6, 1e-12);
	fixture_release(&f);
}

#define SLOWER \
	"<trace id='t' periodicity='0'>4e-6 500000000\n</trace>" \
	"<trace_connect kind='BANDWIDTH' trace='t' element='ab'/>"

/* 10,000 bytes at 1 GB/s; after 4 us 500 MB/s for the 6,000 that are left: 12 us. With a bound of
 * 800 MB/s that becomes an eighth: 3,200, then 100 MB/s for 6,800: 68 us. */
static void a_link_that_changes(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, &good, "", SLOWER);
	send(&f, "a", "b", 10000, 7);
	assert_close(arrives(&f, 7), 1 + 4e-6 + 12e-6, 1e-12);
	fixture_release(&f);
	begin(&f, &good, "", SLOWER);
	now.bound = 800e6;
	now.factor = 0.125;
	send(&f, "a", "b", 10000, 7);
	assert_close(arrives(&f, 7), 1 + 4e-6 + 68e-6, 1e-12);
	fixture_release(&f);
	begin(&f, &good, "", SLOWER);
	send(&f, "a", "b", 10000, 7);
	now.wrong = NO_WEIGHT;
	struct completion c;
	assert_fails(net_next(f.net, &c, &f.err), f.err, ERR_INPUT,
	             "model mine: revise: the weight or the bound is no amount");
	fixture_release(&f);
}

/* --- what it asks for --- */

static struct {
	uint32_t hosts, links;
	char host[32], none[32], link[32];
	struct orrery_route route;
	struct orrery_link fat;
	double given, otherwise, date;
	char text[600];
} asked;

static int init_asks(struct orrery_net *net, void **state)
{
	const char *text;

	(void)state;
	memset(&asked, 0, sizeof asked);
	asked.hosts = orrery_hosts(net);
	orrery_host_name(net, 2, asked.host, sizeof asked.host);
	orrery_host_name(net, 3, asked.none, sizeof asked.none);
	if (orrery_route_find(net, 0, 2, &asked.route) < 0 ||
	    orrery_link_get(net, asked.route.links[1], &asked.fat) < 0 ||
	    orrery_number(net, "given", ORRERY_UNIT_TIME, 5, &asked.given) < 0 ||
	    orrery_number(net, "other", ORRERY_UNIT_NONE, 5, &asked.otherwise) < 0)
		return -1;
	orrery_link_name(net, asked.route.links[0], asked.link, sizeof asked.link);
	asked.date = orrery_now(net);
	text = orrery_setting(net, "text");
	snprintf(asked.text, sizeof asked.text, "%s", text ? text : "none");
	return 0;
}

static struct orrery_model asking(void)
{
	struct orrery_model m = good;

	m.init = init_asks;
	return m;
}

static void figures_of_the_machine(void **state)
{
	struct orrery_model m = asking();
	struct fixture f;

	(void)state;
	begin(&f, &m, "network/plugin:given=3us", "");
	if (!f.net)
		fail_msg("%s", f.err.text);
	assert_int_equal(asked.hosts, 3);
	assert_string_equal(asked.host, "c");
	assert_string_equal(asked.none, "no host 3");
	assert_int_equal(asked.route.n_links, 2);
	assert_close(asked.route.latency, 4e-6, 1e-12);
	assert_double_is(asked.route.bandwidth, 250e6);
	assert_string_equal(asked.link, "ab");
	assert_double_is(asked.fat.bandwidth, 250e6);
	assert_double_is(asked.fat.latency, 3e-6);
	assert_int_equal(asked.fat.sharing, ORRERY_FATPIPE);
	assert_double_is(asked.given, 3e-6);
	assert_double_is(asked.otherwise, 5);
	assert_double_is(asked.date, 0);
	assert_string_equal(asked.text, "none");
	fixture_release(&f);
}

/* A value is given whole, however long. */
static void a_long_value(void **state)
{
	struct orrery_model m = asking();
	char settings[600] = "network/plugin:text=";
	struct fixture f;

	(void)state;
	for (size_t n = strlen(settings); n < 500; n = strlen(settings))
		snprintf(settings + n, sizeof settings - n, "/a/long/folder");
	begin(&f, &m, settings, "");
	if (!f.net)
		fail_msg("%s", f.err.text);
	assert_string_equal(asked.text, settings + strlen("network/plugin:text="));
	fixture_release(&f);
}

static void settings_that_are_none(void **state)
{
	static const struct {
		const char *setting, *words;
	} wrong[] = {
	    {"given=soon", "given=soon is not a number of 0 or more in this unit"},
	    {"given=-1us", "given=-1us is not a number"},
	    {"other=1us", "other=1us is not a number"},
	    {"other=inf", "other=inf is not a number"},
	    {"givne=1us", "model mine knows no \"givne=1us\"; it has asked for: given other text"},
	    {"give=1us", "knows no \"give=1us\""},
	    {"given", "knows no \"given\""}};
	struct orrery_model m = asking();

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		char settings[128];
		struct fixture f;

		snprintf(settings, sizeof settings, "network/plugin:%s", wrong[i].setting);
		begin(&f, &m, settings, "");
		assert_null(f.net);
		if (f.err.kind != ERR_INPUT || !strstr(f.err.text, wrong[i].words))
			fail_msg("%s: %s", settings, f.err.text);
		fixture_release(&f);
	}
}

/* --- what it does wrong --- */

static void messages_gone_wrong(void **state)
{
	static const struct {
		enum wrong what;
		const char *words;
	} wrong[] = {{SAYS_WHY, "it does not like this message"},
	             {SAYS_NOTHING, "it failed and gave no reason"},
	             {NEGATIVE_TIMER, "a timer whose delay is not 0 or more"},
	             {TWICE, "names a resource twice"},
	             {NO_RESOURCE, "use 0 of a flow: resource 4711"},
	             {NO_WEIGHT, "weight or bound is no amount"},
	             {NO_BOUND, "without resources and without bound"},
	             {NO_LIST, "starts a flow of resources whose list is NULL"},
	             {NO_FLOW, "starts a flow that is NULL"},
	             {NO_HOST, "the route of a host that does not exist"},
	             {NO_LINK, "asks for a link that does not exist"},
	             {NO_CAPACITY, "capacity is not positive"}};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct fixture f;
		struct net_send s = {.bytes = 1, .stretch = 1, .user = 1};
		struct net_sent sent;

		begin(&f, &good, "", "");
		now.wrong = wrong[i].what;
		s.to = host(&f, "b");
		assert_int_equal(net_message(f.net, &s, &sent, &f.err), -1);
		if (!strstr(f.err.text, "model mine: message: ") ||
		    !strstr(f.err.text, wrong[i].words))
			fail_msg("%d: %s", wrong[i].what, f.err.text);
		fixture_release(&f);
	}
}

static int collective(struct orrery_net *net, void *state, const struct orrery_collective *c,
                      double *seconds)
{
	(void)net, (void)state;
	*seconds = c->sent < 0 ? NAN : c->sent * c->members - c->received + c->hosts[1];
	return 0;
}

static void collectives(void **state)
{
	struct orrery_model m = good;
	struct host_id hosts[2] = {{0}, {2}};
	void *memo = NULL;
	struct net_collective c = {
	    .kind = NET_ALLREDUCE, .n = 2, .host = hosts, .sent = 10, .received = 3, .memo = &memo};
	struct fixture f;
	double seconds;

	(void)state;
	m.collective = collective;
	m.whole_collectives = 1;
	begin(&f, &m, "", "");
	assert_int_equal(net_collectives_whole(f.net, &f.err), 1);
	assert_ok(net_collective(f.net, &c, &seconds, &f.err), f.err);
	assert_double_is(seconds, 10 * 2 - 3 + 2);
	c.received = 30;
	assert_fails(net_collective(f.net, &c, &seconds, &f.err), f.err, ERR_INPUT,
	             "model mine: collective: its duration is -8 s");
	c.sent = -1;
	assert_fails(net_collective(f.net, &c, &seconds, &f.err), f.err, ERR_INPUT,
	             "its duration is");
	fixture_release(&f);
}

static void events_nobody_hears(void **state)
{
	struct orrery_model m = good;
	struct completion c;
	struct fixture f;

	(void)state;
	m.event = NULL;
	begin(&f, &m, "", "");
	send(&f, "a", "b", 1, 1);
	assert_fails(net_next(f.net, &c, &f.err), f.err, ERR_INPUT,
	             "it has no function for event 0");
	fixture_release(&f);
}

/* Entries that are none; one of an older header, which ends before `follows`, runs as it did. */
static void entries(void **state)
{
	struct orrery_model m = good;
	struct fixture f;

	(void)state;
	m.abi = 2;
	begin(&f, &m, "", "");
	assert_null(f.net);
	assert_non_null(strstr(f.err.text, "was built for version 2"));
	fixture_release(&f);
	m = good;
	m.size = 8;
	begin(&f, &m, "", "");
	assert_null(f.net);
	assert_non_null(strstr(f.err.text, "its `size` is wrong"));
	fixture_release(&f);
	m = good;
	m.message = NULL;
	begin(&f, &m, "", "");
	assert_null(f.net);
	assert_non_null(strstr(f.err.text, "has no function message"));
	fixture_release(&f);
	m = good;
	m.size = offsetof(struct orrery_model, follows);
	begin(&f, &m, "", SLOWER);
	assert_non_null(f.net);
	now.factor = 0.125; /* of a function that is beyond its end */
	now.bound = 800e6;
	send(&f, "a", "b", 10000, 7);
	/* 3,200 bytes at 800 MB/s, then 6,800 at 500 */
	assert_close(arrives(&f, 7), 1 + 4e-6 + 13.6e-6, 1e-12);
	fixture_release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(messages_by_hand),
	    cmocka_unit_test(a_link_that_changes),
	    cmocka_unit_test(figures_of_the_machine),
	    cmocka_unit_test(a_long_value),
	    cmocka_unit_test(settings_that_are_none),
	    cmocka_unit_test(messages_gone_wrong),
	    cmocka_unit_test(collectives),
	    cmocka_unit_test(events_nobody_hears),
	    cmocka_unit_test(entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
