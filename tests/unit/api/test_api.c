/* include/orrery/orrery.h: what is described is what runs; own reader, model, observer; errors
 * stay; structures of other sizes. Dates by hand: two hosts, 1 us and 1 GB/s, CM02 without factors:
 * a message of n bytes, with an envelope of 16, takes 1e-6 + (n + 16) / 1e9. */
#include "api/api.h"

#include <orrery/model.h> /* before cmocka, whose fail() is a macro */

#include "test.h"
#include "tmp.h"

#include <errno.h>
#include <math.h>

#define PAIR \
	"<platform version='4.1'><zone id='z' routing='Full'>" \
	"<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>" \
	"<link id='wire' bandwidth='1GBps' latency='1us' sharing_policy='SPLITDUPLEX'/>" \
	"<route src='a' dst='b'><link_ctn id='wire' direction='UP'/></route></zone></platform>"
#define PLAIN "network/model:CM02 network/crosstraffic:no network/TCP-gamma:0 smpi/os:0 smpi/or:0"
#define TIME(n) (1e-6 + ((n) + 16) / 1e9)

struct files {
	struct tmp tmp;
	char machine[256], trace[256];
};

static void files_init(struct files *f)
{
	tmp_init(&f->tmp);
	snprintf(f->machine, sizeof f->machine, "%s", tmp_write(&f->tmp, "p.xml", PAIR));
	snprintf(f->trace, sizeof f->trace, "%s",
	         tmp_write(&f->tmp, "t.tit",
	                   "0 compute 2e9\n0 send 1 7 1000 6\n1 recv 0 7 1000 6\n1 compute 1e9\n"));
}

static struct orrery_sim *described(const struct files *f)
{
	struct orrery_sim *s = orrery_sim_new(ORRERY_API);

	assert_non_null(s);
	assert_int_equal(orrery_sim_machine(s, f->machine), 0);
	assert_int_equal(orrery_sim_setting(s, NULL, PLAIN), 0);
	return s;
}

static void runs(struct orrery_sim *s)
{
	if (orrery_sim_run(s) != 0)
		fail_msg("%s", orrery_sim_error(s));
}

static void times_of_a_trace(void **state)
{
	struct files f;
	struct orrery_totals t = {.size = sizeof t};
	double ends[2], classes[2][ORRERY_CLASSES], at = 2 + TIME(1000);
	char host[16];
	struct orrery_sim *s;

	(void)state;
	files_init(&f);
	s = described(&f);
	assert_int_equal(orrery_sim_trace(s, f.trace), 0);
	assert_true(isnan(orrery_sim_time(s)));
	runs(s);
	assert_close(orrery_sim_time(s), at + 1, 1e-12);
	assert_int_equal(orrery_sim_totals(s, &t), 0);
	assert_int_equal(t.ranks, 2);
	assert_int_equal(t.actions, 4);
	assert_int_equal(t.messages, 1);
	assert_double_is(t.bytes, 1000);
	assert_int_equal(orrery_sim_ends(s, ends), 0);
	assert_close(ends[1], at + 1, 1e-12);
	assert_true(ends[0] >= 2 && ends[0] <= at + 1e-9);
	assert_int_equal(orrery_sim_classes(s, classes[0]), 0);
	assert_close(classes[0][ORRERY_COMPUTE], 2, 1e-12);
	assert_close(classes[1][ORRERY_COMPUTE], 1, 1e-12);
	assert_close(classes[1][ORRERY_WAIT], 2, 1e-12); /* until the send began */
	assert_close(classes[1][ORRERY_P2P], TIME(1000), 1e-9);
	assert_string_equal(orrery_sim_host(s, 1, host, sizeof host), "b");
	assert_string_equal(orrery_sim_host(s, 2, host, sizeof host), "");
	assert_string_equal(orrery_sim_error(s), "");
	orrery_sim_free(s);
	tmp_release(&f.tmp);
}

/* --- a reader --- */

struct lines {
	const char *const *rank[2];
	uint32_t at[2];
	int begun, fail_at;
};

static int lines_begin(void *self)
{
	struct lines *l = self;

	l->begun++;
	l->at[0] = l->at[1] = 0;
	return 0;
}

static int lines_next(void *self, uint32_t rank, const char **line, size_t *n)
{
	struct lines *l = self;

	if (l->fail_at && (int)l->at[rank] == l->fail_at)
		return -1;
	*line = l->rank[rank][l->at[rank]];
	if (!*line)
		return 0;
	*n = strlen(*line);
	l->at[rank]++;
	return 1;
}

static struct orrery_reader reader_of(struct lines *l)
{
	return (struct orrery_reader){.size = sizeof(struct orrery_reader),
	                              .ranks = 2,
	                              .self = l,
	                              .name = "lines",
	                              .begin = lines_begin,
	                              .next = lines_next};
}

static const char *const sends[] = {"# a comment", "compute 1e9", "", "send 1 7 5000 6", NULL};
static const char *const receives[] = {"recv 0 7 5000 6", NULL};

struct seen {
	int calls, messages, begun;
	double received;
};

static void see_leave(void *self, uint32_t rank, int call, double date, int32_t partner,
                      double bytes, double waiting)
{
	struct seen *seen = self;

	(void)rank, (void)date, (void)partner, (void)bytes, (void)waiting;
	seen->calls += !strcmp(orrery_call_name(call), "computation") ||
	               !strcmp(orrery_call_name(call), "MPI_Send") ||
	               !strcmp(orrery_call_name(call), "MPI_Recv");
}

static void see_message(void *self, const struct orrery_message *m)
{
	struct seen *seen = self;

	seen->messages++;
	seen->received = m->received;
	assert_int_equal(m->tag, 7);
}

static void a_reader_and_an_observer(void **state)
{
	struct files f;
	struct lines l = {.rank = {sends, receives}};
	struct orrery_reader r = reader_of(&l);
	struct seen seen = {0};
	struct orrery_observer o = {
	    .size = sizeof o, .self = &seen, .leave = see_leave, .message = see_message};
	struct orrery_sim *s;

	(void)state;
	files_init(&f);
	s = described(&f);
	assert_int_equal(orrery_sim_reader(s, &r), 0);
	assert_int_equal(orrery_sim_observer(s, &o), 0);
	runs(s);
	assert_close(orrery_sim_time(s), 1 + TIME(5000), 1e-12);
	assert_int_equal(l.begun, 1);
	assert_int_equal(seen.calls, 3);
	assert_int_equal(seen.messages, 1);
	assert_close(seen.received, 1 + TIME(5000), 1e-12);
	orrery_sim_free(s);
	tmp_release(&f.tmp);
}

/* The name is copied, as all texts that are given: this one is gone when it is wanted. */
static void a_reader_is_named(void **state)
{
	static const char *const wrong[] = {"compute x", NULL};
	struct lines l = {.rank = {wrong, receives}};
	struct orrery_reader r = reader_of(&l);
	char *name = strdup("a name that is freed");
	struct files f;
	struct orrery_sim *s;

	(void)state;
	files_init(&f);
	s = described(&f);
	r.name = name;
	assert_int_equal(orrery_sim_reader(s, &r), 0);
	memset(name, 'x', strlen(name));
	free(name);
	assert_int_equal(orrery_sim_run(s), ORRERY_BAD_INPUT);
	assert_non_null(strstr(orrery_sim_error(s), "a name that is freed, rank 0"));
	orrery_sim_free(s);
	tmp_release(&f.tmp);
}

static void see_begin(void *self)
{
	*(struct seen *)self = (struct seen){.begun = ((struct seen *)self)->begun + 1};
}

static void count_message(void *self, const struct orrery_message *m)
{
	(void)m;
	((struct seen *)self)->messages++;
}

/* Rank 0 hears of rank 1, which computes, before rank 1 has heard of it: as it was recorded. In the
 * simulated network rank 2's comes first, and rank 2 wants to hear of rank 1: no end. */
static void an_observer_of_a_run_made_twice(void **state)
{
	struct files f;
	struct seen seen = {0};
	struct orrery_observer o = {
	    .size = sizeof o, .self = &seen, .message = count_message, .begin = see_begin};
	struct orrery_totals t = {.size = sizeof t};
	struct orrery_sim *s = orrery_sim_new(ORRERY_API);

	(void)state;
	files_init(&f);
	orrery_sim_machine(s, tmp_write(&f.tmp, "three.xml",
	                                "<platform version='4.1'><zone id='z' routing='Full'>"
	                                "<cluster id='c' prefix='h' suffix='' radical='0-2' "
	                                "speed='1Gf' bw='1MBps' lat='500us'/></zone></platform>"));
	orrery_sim_setting(s, NULL, PLAIN);
	orrery_sim_trace(s, tmp_write(&f.tmp, "w.tit",
	                              "# orrery-trace 1\n0 recv 1 0 8 6 any=source\n"
	                              "0 send 1 1 100000 6\n0 recv 2 0 8 6 any=source\n"
	                              "0 send 2 1 100000 6\n1 compute 1e9\n1 send 0 0 8 6\n"
	                              "1 recv 0 1 100000 6\n1 send 2 2 8 6\n2 send 0 0 8 6\n"
	                              "2 recv 1 2 8 6\n2 recv 0 1 100000 6\n"));
	orrery_sim_observer(s, &o);
	runs(s);
	assert_non_null(strstr(orrery_sim_notices(s), "keep the order of the traced run"));
	assert_int_equal(seen.begun, 2);
	assert_int_equal(seen.messages, 5); /* five sends */
	assert_int_equal(orrery_sim_totals(s, &t), 0);
	assert_int_equal(t.messages, 5);
	orrery_sim_free(s);
	tmp_release(&f.tmp);
}

/* --- a model --- */

static int two_seconds(struct orrery_net *net, void *model, uint32_t from, uint32_t to,
                       double bytes, uint64_t ticket)
{
	(void)model;
	assert_int_equal(from, 0);
	assert_int_equal(to, 1);
	assert_double_is(bytes, 1000); /* no envelope: the model has not asked for it */
	return orrery_start_timer(net, 2, ticket);
}

/* It starts nothing, so that nothing ends. */
static int never(struct orrery_net *net, void *own, uint32_t from, uint32_t to, double bytes,
                 uint64_t ticket)
{
	(void)net, (void)own, (void)from, (void)to, (void)bytes, (void)ticket;
	return 0;
}

static void a_model_that_ends_no_message(void **state)
{
	static const struct orrery_model model = {
	    .abi = ORRERY_MODEL_ABI, .size = sizeof model, .name = "idle", .message = never};
	struct files f;
	struct orrery_sim *s;

	(void)state;
	files_init(&f);
	s = described(&f);
	orrery_sim_trace(s, f.trace);
	assert_int_equal(orrery_sim_model(s, &model), 0);
	assert_int_equal(orrery_sim_run(s), ORRERY_PROGRAM_FAILED);
	if (!strstr(orrery_sim_error(s), "the communication model idle never ends it"))
		fail_msg("%s", orrery_sim_error(s));
	orrery_sim_free(s);
	tmp_release(&f.tmp);
}

static void a_disk_that_is_full(void **state)
{
	struct files f;
	struct orrery_sim *s;

	(void)state;
	files_init(&f);
	s = described(&f);
	orrery_sim_trace(s, f.trace);
	orrery_sim_record(s, "/dev/full");
	assert_int_equal(orrery_sim_run(s), ORRERY_LIMIT);
	assert_int_equal(orrery_sim_errno(s), ENOSPC);
	orrery_sim_free(s);
	tmp_release(&f.tmp);
}

static void a_model(void **state)
{
	static const struct orrery_model model = {
	    .abi = ORRERY_MODEL_ABI, .size = sizeof model, .name = "two", .message = two_seconds};
	static const struct orrery_model old = {.abi = 99, .size = sizeof old, .name = "old"};
	struct files f;
	struct orrery_sim *s;

	(void)state;
	files_init(&f);
	s = described(&f);
	orrery_sim_trace(s, f.trace);
	assert_int_equal(orrery_sim_model(s, &model), 0);
	runs(s);
	assert_close(orrery_sim_time(s), 2 + 2 + 1, 1e-12);
	orrery_sim_free(s);

	s = described(&f);
	orrery_sim_trace(s, f.trace);
	orrery_sim_model(s, &old);
	assert_int_equal(orrery_sim_run(s), ORRERY_BAD_INPUT);
	assert_non_null(strstr(orrery_sim_error(s), "version 99"));
	orrery_sim_free(s);
	tmp_release(&f.tmp);
}

/* Another machine and other places, as the command line has them: host a half as fast, twice the
 * latency; both ranks on a host of two cores, or round two such. And how far it may be off. */
static void other_machines_and_places(void **state)
{
	static const char *const cores = "<platform version='4.1'><cluster id='c' prefix='h' "
	                                 "suffix='' radical='0-1' speed='1Gf' core='2' bw='1GBps' "
	                                 "lat='1us'/></platform>";
	static const struct {
		const char *by;
		uint32_t ppn;
		const char *second;
	} maps[] = {{"slot", 0, "h0"}, {"node", 0, "h1"}, {NULL, 1, "h1"}, {NULL, 2, "h0"}};
	struct files f;
	char host[16];
	struct orrery_sim *s;

	(void)state;
	files_init(&f);
	s = described(&f);
	orrery_sim_trace(s, f.trace);
	assert_string_equal(orrery_sim_trust(s), "");
	assert_int_equal(orrery_sim_what_if(s, "host:a.speed=0.5x,latency=2x"), 0);
	runs(s);
	assert_close(orrery_sim_time(s), 4 + TIME(1000) + 1e-6 + 1, 1e-12);
	assert_non_null(strstr(orrery_sim_trust(s), "\"items\":[{\"what\":\"computation\""));
	orrery_sim_free(s);

	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
		s = described(&f);
		orrery_sim_machine(s, tmp_write(&f.tmp, "cores.xml", cores));
		orrery_sim_trace(s, f.trace);
		assert_int_equal(orrery_sim_map(s, maps[i].by, maps[i].ppn), 0);
		runs(s);
		assert_string_equal(orrery_sim_host(s, 1, host, sizeof host), maps[i].second);
		orrery_sim_free(s);
	}

	s = described(&f);
	assert_int_equal(orrery_sim_map(s, "colour", 0), ORRERY_BAD_INPUT);
	assert_non_null(strstr(orrery_sim_error(s), "not 'colour'"));
	orrery_sim_free(s);

	s = described(&f);
	orrery_sim_trace(s, f.trace);
	orrery_sim_map(s, "node", 0);
	orrery_sim_hostfile(s, f.machine);
	assert_int_equal(orrery_sim_run(s), ORRERY_BAD_INPUT);
	assert_non_null(strstr(orrery_sim_error(s), "without orrery_sim_map"));
	orrery_sim_free(s);
	tmp_release(&f.tmp);
}

/* --- errors --- */

static void the_first_error_stays(void **state)
{
	struct files f;
	struct orrery_sim *s;

	(void)state;
	files_init(&f);
	s = described(&f);
	assert_int_equal(orrery_sim_computation(s, "fast"), ORRERY_BAD_INPUT);
	assert_int_equal(orrery_sim_trace(s, f.trace), ORRERY_BAD_INPUT);
	assert_int_equal(orrery_sim_run(s), ORRERY_BAD_INPUT);
	assert_non_null(strstr(orrery_sim_error(s), "'fast'"));
	assert_int_equal(orrery_sim_ranks(s), 0);
	orrery_sim_free(s);

	s = orrery_sim_new(ORRERY_API);
	assert_int_equal(orrery_sim_run(s), ORRERY_BAD_INPUT);
	assert_non_null(strstr(orrery_sim_error(s), "no machine"));
	orrery_sim_free(s);

	s = described(&f);
	assert_int_equal(orrery_sim_run(s), ORRERY_BAD_INPUT);
	assert_non_null(strstr(orrery_sim_error(s), "no trace"));
	orrery_sim_free(s);
	tmp_release(&f.tmp);
}

static void once_is_all(void **state)
{
	struct files f;
	struct orrery_sim *s;

	(void)state;
	files_init(&f);
	s = described(&f);
	orrery_sim_trace(s, f.trace);
	orrery_sim_explain(s, "critical-path");
	runs(s);
	assert_int_equal(orrery_sim_run(s), ORRERY_BAD_INPUT);
	assert_non_null(strstr(orrery_sim_error(s), "has run: a simulation runs once"));
	assert_true(orrery_sim_time(s) > 3); /* what came of it is still there */
	assert_non_null(strstr(orrery_sim_explanation(s), "\"messages\":1,"));
	assert_non_null(strstr(orrery_sim_trust(s), "\"items\":["));
	orrery_sim_free(s);

	s = described(&f);
	orrery_sim_trace(s, f.trace);
	runs(s);
	assert_int_equal(orrery_sim_hostfile(s, f.machine), ORRERY_BAD_INPUT);
	assert_non_null(strstr(orrery_sim_error(s), "has run: describe another one"));
	assert_true(orrery_sim_time(s) > 3);
	orrery_sim_free(s);
	tmp_release(&f.tmp);
}

/* NULL where something is to be taken or put is told, not followed. */
static void nothing_there(void **state)
{
	static const char nowhere[] = "there is no place for the answer: NULL";
	struct files f;
	struct orrery_sim *s;

	(void)state;
	files_init(&f);
	s = described(&f);
	assert_int_equal(orrery_sim_reader(s, NULL), ORRERY_BAD_INPUT);
	assert_string_equal(orrery_sim_error(s), "a reader: NULL");
	orrery_sim_free(s);
	s = described(&f);
	assert_int_equal(orrery_sim_observer(s, NULL), ORRERY_BAD_INPUT);
	assert_string_equal(orrery_sim_error(s), "an observer: NULL");
	orrery_sim_free(s);
	assert_int_equal(orrery_sim_reader(NULL, NULL), ORRERY_LIMIT);
	assert_int_equal(orrery_sim_totals(NULL, NULL), ORRERY_LIMIT);
	for (int i = 0; i < 3; i++) {
		s = described(&f);
		orrery_sim_trace(s, f.trace);
		runs(s);
		assert_int_equal(i == 0   ? orrery_sim_totals(s, NULL)
		                 : i == 1 ? orrery_sim_ends(s, NULL)
		                          : orrery_sim_classes(s, NULL),
		                 ORRERY_BAD_INPUT);
		assert_string_equal(orrery_sim_error(s), nowhere);
		orrery_sim_free(s);
	}
	tmp_release(&f.tmp);
}

/* A recording that cannot be opened: nothing ran, so there are no times, not even 0. */
static void a_run_that_did_not_begin(void **state)
{
	struct files f;
	struct orrery_totals t = {.size = sizeof t};
	struct orrery_sim *s;
	double ends[2];

	(void)state;
	files_init(&f);
	s = described(&f);
	orrery_sim_trace(s, f.trace);
	orrery_sim_record(s, tmp_path(&f.tmp, "no/folder"));
	assert_int_equal(orrery_sim_run(s), ORRERY_BAD_INPUT);
	assert_true(isnan(orrery_sim_time(s)));
	assert_int_equal(orrery_sim_ranks(s), 0);
	assert_int_equal(orrery_sim_totals(s, &t), ORRERY_BAD_INPUT);
	assert_int_equal(orrery_sim_ends(s, ends), ORRERY_BAD_INPUT);
	orrery_sim_free(s);
	tmp_release(&f.tmp);
}

static void a_program_that_fails(void **state)
{
	static const char *const waits[] = {"recv 1 1 10 6", NULL};
	struct files f;
	struct lines l = {.rank = {waits, receives}};
	struct orrery_reader r = reader_of(&l);
	double ends[2];
	struct orrery_sim *s;

	(void)state;
	files_init(&f);
	s = described(&f);
	orrery_sim_reader(s, &r);
	assert_int_equal(orrery_sim_run(s), ORRERY_PROGRAM_FAILED);
	assert_non_null(strstr(orrery_sim_error(s), "deadlock"));
	assert_int_equal(orrery_sim_ends(s, ends), 0);
	orrery_sim_free(s);
	tmp_release(&f.tmp);
}

static void lines_that_cannot_be_read(void **state)
{
	static const char *const bad[] = {"compute 1", "snd 1 7 1000 6", NULL},
	                         *const two[] = {"compute 1\n0 compute 2", NULL};
	struct files f;
	struct lines l = {.rank = {bad, receives}};
	struct orrery_reader r = reader_of(&l);
	struct orrery_sim *s;

	(void)state;
	files_init(&f);
	s = described(&f);
	orrery_sim_reader(s, &r);
	assert_int_equal(orrery_sim_run(s), ORRERY_BAD_INPUT);
	assert_non_null(strstr(orrery_sim_error(s), "lines, rank 0:2:"));
	orrery_sim_free(s);

	l.rank[0] = two;
	s = described(&f);
	orrery_sim_reader(s, &r);
	assert_int_equal(orrery_sim_run(s), ORRERY_BAD_INPUT);
	orrery_sim_free(s);

	l.rank[0] = sends;
	l.fail_at = 2;
	s = described(&f);
	orrery_sim_reader(s, &r);
	assert_int_equal(orrery_sim_run(s), ORRERY_BAD_INPUT);
	assert_non_null(strstr(orrery_sim_error(s), "lines, rank 0, cannot be read"));
	orrery_sim_free(s);
	tmp_release(&f.tmp);
}

/* What is explained is what the command line prints as JSON: here the critical path, 2 s of rank 0,
 * a message, 1 s of rank 1. */
static void an_explanation(void **state)
{
	struct files f;
	struct orrery_sim *s;
	const char *text;

	(void)state;
	files_init(&f);
	s = described(&f);
	orrery_sim_trace(s, f.trace);
	assert_string_equal(orrery_sim_explanation(s), "");
	assert_int_equal(orrery_sim_explain(s, "critical-path"), 0);
	runs(s);
	text = orrery_sim_explanation(s);
	assert_non_null(strstr(text, "{\"cause\":\"computation\",\"seconds\":3}"));
	assert_non_null(strstr(text, "\"messages\":1,"));
	assert_ptr_equal(text, orrery_sim_explanation(s));
	orrery_sim_free(s);

	s = described(&f);
	orrery_sim_trace(s, f.trace);
	runs(s);
	assert_string_equal(orrery_sim_explanation(s), "");
	orrery_sim_free(s);

	s = described(&f);
	orrery_sim_trace(s, f.trace);
	orrery_sim_explain(s, "rank:2");
	assert_int_equal(orrery_sim_run(s), ORRERY_BAD_INPUT);
	assert_string_equal(orrery_sim_explanation(s), "");
	orrery_sim_free(s);
	assert_string_equal(orrery_sim_explanation(NULL), "");
	tmp_release(&f.tmp);
}

/* Who was built against an older header says a smaller size; nothing beyond it is touched. */
struct ticks {
	int n, stop_at;
	double date;
};

static int ticks_count(void *self, uint64_t actions, double date)
{
	struct ticks *t = self;

	assert_true(actions > 0 && date >= t->date);
	t->date = date;
	return ++t->n == t->stop_at;
}

/* 100,000 computations of a nanosecond; it may be stopped on the way. */
static void a_run_that_is_stopped(void **state)
{
	for (int stop = 0; stop < 2; stop++) {
		struct files f;
		struct ticks t = {.stop_at = stop ? 2 : -1};
		struct orrery_sim *s;
		static char lines[100000 * (sizeof "0 compute 1\n" - 1) + 1];

		(void)state;
		files_init(&f);
		for (size_t i = 0; i + 1 < sizeof lines; i += strlen("0 compute 1\n"))
			memcpy(lines + i, "0 compute 1\n", strlen("0 compute 1\n"));
		s = described(&f);
		orrery_sim_trace(s, tmp_write(&f.tmp, "long.tit", lines));
		assert_int_equal(orrery_sim_progress(s, ticks_count, &t), 0);
		if (!stop) {
			runs(s);
			assert_close(orrery_sim_time(s), 1e-4, 1e-9);
			assert_true(t.n > 2);
		} else {
			assert_int_equal(orrery_sim_run(s), ORRERY_LIMIT);
			assert_string_equal(orrery_sim_error(s), "the run was stopped");
			assert_int_equal(t.n, 2);
			assert_true(orrery_sim_time(s) < 1e-4);
		}
		orrery_sim_free(s);
		tmp_release(&f.tmp);
	}
}

static void other_sizes(void **state)
{
	struct files f;
	struct orrery_totals t[2];
	struct orrery_reader none = {.size = 0};
	struct orrery_sim *s;

	(void)state;
	files_init(&f);
	assert_null(orrery_sim_new(ORRERY_API + 1));
	assert_null(orrery_sim_new(ORRERY_API - 1));
	s = described(&f);
	orrery_sim_trace(s, f.trace);
	runs(s);
	memset(t, 0x5a, sizeof t);
	t[0].size = offsetof(struct orrery_totals, actions);
	assert_int_equal(orrery_sim_totals(s, &t[0]), 0);
	assert_close(t[0].time, 3 + TIME(1000), 1e-12);
	assert_int_equal(t[0].actions, 0x5a5a5a5a5a5a5a5a);
	t[0].size = sizeof t; /* a later header's: what this library does not know is 0 */
	assert_int_equal(orrery_sim_totals(s, &t[0]), 0);
	assert_int_equal(t[0].actions, 4);
	assert_double_is(t[1].bytes, 0);
	t[0].size = 0;
	assert_int_equal(orrery_sim_totals(s, &t[0]), ORRERY_BAD_INPUT);
	assert_non_null(strstr(orrery_sim_error(s), "size"));
	orrery_sim_free(s);
	s = described(&f);
	assert_int_equal(orrery_sim_setting(s, "smpi/os", NULL), ORRERY_BAD_INPUT);
	orrery_sim_free(s);
	s = described(&f);
	assert_int_equal(orrery_sim_computation(s, NULL), ORRERY_BAD_INPUT);
	orrery_sim_free(s);
	s = described(&f);
	assert_int_equal(orrery_sim_reader(s, &none), ORRERY_BAD_INPUT);
	orrery_sim_free(s);
	assert_int_equal(orrery_sim_machine(NULL, "x"), ORRERY_LIMIT);
	assert_int_equal(orrery_sim_run(NULL), ORRERY_LIMIT);
	tmp_release(&f.tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(times_of_a_trace),
	    cmocka_unit_test(a_reader_and_an_observer),
	    cmocka_unit_test(a_reader_is_named),
	    cmocka_unit_test(an_observer_of_a_run_made_twice),
	    cmocka_unit_test(a_model),
	    cmocka_unit_test(other_machines_and_places),
	    cmocka_unit_test(a_model_that_ends_no_message),
	    cmocka_unit_test(a_disk_that_is_full),
	    cmocka_unit_test(the_first_error_stays),
	    cmocka_unit_test(once_is_all),
	    cmocka_unit_test(a_run_that_did_not_begin),
	    cmocka_unit_test(a_program_that_fails),
	    cmocka_unit_test(lines_that_cannot_be_read),
	    cmocka_unit_test(an_explanation),
	    cmocka_unit_test(nothing_there),
	    cmocka_unit_test(a_run_that_is_stopped),
	    cmocka_unit_test(other_sizes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
