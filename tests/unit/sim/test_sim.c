/* A simulation put together: from a trace and from a program in C, with the caller's placement and
 * observers, a second attempt, and errors that leave nothing open. */
#include "sim/sim.h"

#include "test.h"
#include "tmp.h"

#include <math.h>

/* Four hosts, 100 MB/s and 10 us a link, full duplex; CM02 without factors: a message of n bytes
 * takes 2 x 10 us + (n + 16) / 100e6, its envelope having 16. */
#define FLAT \
	"<platform version='4.1'>" \
	"<cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf' core='2' bw='100MBps' " \
	"lat='10us' loopback_bw='1GBps' loopback_lat='1us'/></platform>"
#define PLAIN "network/model:CM02 network/crosstraffic:no network/TCP-gamma:0"
#define FLAT_TIME(n) (20e-6 + ((n) + 16) / 100e6)
#define TRACE \
	"0 init\n1 init\n0 compute 1e9\n0 send 1 7 1000 6\n1 recv 0 7 1000 6\n0 finalize\n" \
	"1 finalize\n"

struct files {
	struct tmp tmp;
	char machine[4096];
};

static void files_init(struct files *f)
{
	tmp_init(&f->tmp);
	snprintf(f->machine, sizeof f->machine, "%s", tmp_write(&f->tmp, "p.xml", FLAT));
}

static const struct sim_setting plain[] = {{NULL, PLAIN}, {"smpi/os", "0"}, {"smpi/or", "0"}};

static struct sim_options options(const struct files *f)
{
	return (struct sim_options){.machine = f->machine, .setting = plain, .n_settings = 3};
}

static double run_to_end(struct sim *s)
{
	struct err err = {0};
	struct mp_stats st;

	assert_ok(sim_run(s, &err), err);
	sim_stats(s, &st);
	return st.end;
}

struct heard {
	double inside[2], computed[2], waited[2]; /* s, of each rank */
	double since[2], last[2];
	int in[2];
	struct mp_arrival message;
	uint32_t messages, sends;
};

static void hear_enter(void *self, uint32_t rank, enum mp_call call, double date)
{
	struct heard *h = self;

	assert_int_equal(h->in[rank], -1);
	assert_true(date >= h->last[rank]);
	h->in[rank] = (int)call;
	h->since[rank] = h->last[rank] = date;
}

static void hear_leave(void *self, uint32_t rank, enum mp_call call, double date, int32_t partner,
                       double bytes, double wait)
{
	struct heard *h = self;

	assert_int_equal(h->in[rank], (int)call);
	assert_true(date >= h->last[rank]);
	h->in[rank] = -1;
	h->last[rank] = date;
	h->inside[rank] += date - h->since[rank];
	h->waited[rank] += wait;
	if (call == CALL_COMPUTE)
		h->computed[rank] += date - h->since[rank];
	if (call == CALL_ISEND || call == CALL_IRECV) {
		h->sends += call == CALL_ISEND;
		assert_int_equal(partner, 1 - (int32_t)rank);
		assert_double_is(bytes, 1000);
	}
}

static void hear_message(void *self, const struct mp_arrival *m)
{
	struct heard *h = self;

	h->message = *m;
	h->messages++;
}

/* Rank 0 computes 5 ms, and beside that sends and computes 2; rank 1 computes 6 ms when it has the
 * message. */
static void a_graph_is_observed(void **state)
{
	struct files f;
	struct heard h = {.in = {-1, -1}};
	struct mp_observer o = {
	    .self = &h, .enter = hear_enter, .leave = hear_leave, .message = hear_message};
	struct sim_replay r = {0};
	struct sim_source source = sim_replay_source(&r);
	struct sim_options with;
	struct profile_shares sh;
	struct err err = {0};
	struct sim *s;
	double all = 2 * (6e-3 + FLAT_TIME(1000));

	(void)state;
	files_init(&f);
	r.path = tmp_write(
	    &f.tmp, "s.goal",
	    "num_ranks 2\nrank 0 {\na: calc 5000000\ns: send 1000b to 1 tag 3 cpu 1\n"
	    "b: calc 2000000 cpu 1\nb requires s\n}\nrank 1 {\n"
	    "r: recv 1000b from 0 tag 3\nc: calc 6000000\nc requires r\n}\n");
	with = options(&f);
	with.observer = &o;
	with.n_observers = 1;
	with.profile = SIM_PROFILE_SHARES;
	assert_non_null(s = sim_new(&with, &source, &err));
	assert_close(run_to_end(s), 6e-3 + FLAT_TIME(1000), 1e-15);
	assert_true(sim_is_graph(s));
	assert_close(h.inside[0], 5e-3, 1e-15);
	assert_close(h.computed[0], 5e-3, 1e-15);
	assert_close(h.inside[1], 6e-3 + FLAT_TIME(1000), 1e-15);
	assert_close(h.computed[1], 6e-3, 1e-15);
	assert_double_is(h.waited[0] + h.waited[1], 0);
	assert_int_equal(h.messages, 1);
	assert_int_equal(h.sends, 1);
	assert_int_equal(h.message.from, 0);
	assert_int_equal(h.message.to, 1);
	assert_int_equal(h.message.tag, 3);
	assert_double_is(h.message.bytes, 1000);
	assert_double_is(h.message.sent, 0);
	assert_double_is(h.message.moved, 0);
	assert_close(h.message.received, FLAT_TIME(1000), 1e-15);
	sim_shares(s, &sh);
	assert_close(sh.share[TIME_COMPUTE], 11e-3 / all, 1e-12);
	assert_close(sh.share[TIME_P2P], FLAT_TIME(1000) / all, 1e-12);
	assert_close(sh.share[TIME_IDLE], (1e-3 + FLAT_TIME(1000)) / all, 1e-12);
	sim_free(s);
	tmp_release(&f.tmp);
}

static void a_trace_is_replayed(void **state)
{
	struct files f;
	struct sim_replay r = {0};
	struct sim_source source = sim_replay_source(&r);
	struct sim_options o;
	struct err err = {0};
	struct sim *s;
	struct profile_shares sh;
	double sum = 0;

	(void)state;
	files_init(&f);
	r.path = tmp_write(&f.tmp, "t.tit", TRACE);
	o = options(&f);
	o.profile = 1;
	assert_non_null(s = sim_new(&o, &source, &err));
	assert_int_equal(sim_ranks(s), 2);
	assert_close(run_to_end(s), 1 + FLAT_TIME(1000), 1e-12);
	assert_int_equal(sim_actions(s), 7);
	profile_shares(sim_profile(s), &sh);
	for (int c = 0; c < TIME_CLASSES; c++)
		sum += sh.share[c];
	assert_close(sum, 1, 1e-12);
	assert_string_equal(sim_notices(s), "");
	assert_int_equal(sim_lost(s)->kind, ERR_NONE);
	assert_true(sim_has_noise(s)); /* noise/model */
	sim_free(s);
	tmp_release(&f.tmp);
}

/* What the user is told of this trace on this machine. */
static void notice_of(const char *cluster, const char *trace, const char *setting,
                      const char *hostfile, const char *part)
{
	struct files f;
	struct sim_replay r = {0};
	struct sim_source source = sim_replay_source(&r);
	struct sim_setting more = {NULL, setting};
	struct sim_options o;
	struct err err = {0};
	struct sim *s;
	char text[512], path[512], hosts[512];

	files_init(&f);
	snprintf(path, sizeof path, "%s", tmp_write(&f.tmp, "t.tit", trace));
	r.path = path;
	snprintf(text, sizeof text,
	         "<platform version='4.1'><cluster id='c' prefix='n' suffix='' speed='1Gf' "
	         "bw='100MBps' lat='10us' loopback_bw='1GBps' loopback_lat='1us' %s/></platform>",
	         cluster);
	snprintf(f.machine, sizeof f.machine, "%s", tmp_write(&f.tmp, "q.xml", text));
	o = (struct sim_options){
	    .machine = f.machine, .setting = &more, .n_settings = setting ? 1 : 0};
	if (hostfile) {
		snprintf(hosts, sizeof hosts, "%s", tmp_write(&f.tmp, "hosts", hostfile));
		o.hostfile = hosts;
	}
	s = sim_new(&o, &source, &err);
	assert_ok(s ? 0 : -1, err);
	run_to_end(s);
	if (!part)
		assert_string_equal(sim_notices(s), "");
	else if (!strstr(sim_notices(s), part))
		fail_msg("%s is not in: %s", part, sim_notices(s));
	sim_free(s);
	tmp_release(&f.tmp);
}

/* docs/compat.md: private links of policy FATPIPE, and the order of hosts, n10 before n2, which
 * changes nothing where all are alike. */
static void a_simgrid_trace_is_told_where_simgrid_differs(void **state)
{
#define FATPIPE "radical='0-3' sharing_policy='FATPIPE'"
#define TORUS "radical='0-11' topology='TORUS' topo_parameters='12'"
	(void)state;
	notice_of("radical='0-3'", TRACE, NULL, NULL, NULL);
	notice_of("radical='0-11'", TRACE, NULL, NULL, NULL);
	notice_of(FATPIPE, TRACE, NULL, NULL, "(1 remark); --cfg compat:simgrid-3.32 does as");
	notice_of(FATPIPE, TRACE, "compat:simgrid-3.32", NULL, NULL);
	notice_of(FATPIPE, TRACE, "network/model:loggps:L=1e-6", NULL, NULL);
	notice_of(TORUS, TRACE, NULL, NULL, "'orrery platform check' tells why (1 remark)");
	notice_of(TORUS, TRACE, NULL, "n0\nn2\n", NULL);
}

/* --- a program in C: rank 0 sends to rank 1, or each waits for the other --- */

struct program {
	uint32_t ranks;
	int at[2], stuck;            /* stuck: nobody sends */
	int opened, closed, started; /* how often */
};

static int program_open(void *self, uint32_t np, struct sim_about *about, struct str *notices,
                        struct err *err)
{
	struct program *p = self;

	(void)np, (void)err;
	p->opened++;
	about->ranks = p->ranks;
	about->program = "two ranks";
	about->trace = "";
	str_puts(notices, "opened\n");
	return 0;
}

static int program_resume(void *self, struct mp *mp, uint32_t rank, struct err *err)
{
	struct program *p = self;
	struct mp_message m = {.comm = MP_COMM_WORLD, .peer = !rank, .tag = 1, .bytes = 5000};
	int r;

	if (p->at[rank]++)
		return 1;
	r = rank == 0 && !p->stuck ? mp_send(mp, rank, &m, MP_STANDARD, err)
	                           : mp_recv(mp, rank, &m, err);
	return r == MP_ERROR ? -1 : r == MP_DONE;
}

static const char *program_place(void *self, uint32_t rank, char *buf, size_t n)
{
	(void)self;
	snprintf(buf, n, "rank %u", rank);
	return buf;
}

static int program_start(void *self, struct mp *mp, const struct config *cfg,
                         struct progress *progress, struct mp_program *out, struct err *err)
{
	struct program *p = self;

	(void)mp, (void)cfg, (void)progress, (void)err;
	p->started++;
	p->at[0] = p->at[1] = 0;
	*out = (struct mp_program){.self = p, .resume = program_resume, .place = program_place};
	return 0;
}

static int program_retry(void *self, struct config *cfg, struct str *notices, struct err *err)
{
	struct program *p = self;

	(void)cfg, (void)err;
	if (!p->stuck || p->ranks == 3)
		return 0;
	p->stuck = 0;
	str_puts(notices, "otherwise\n");
	return 1;
}

static uint64_t program_actions(void *self)
{
	struct program *p = self;

	return (uint64_t)p->at[0] + (uint64_t)p->at[1];
}

static void program_close(void *self)
{
	((struct program *)self)->closed++;
}

static struct sim_source source_of(struct program *p)
{
	return (struct sim_source){.self = p,
	                           .open = program_open,
	                           .start = program_start,
	                           .retry = program_retry,
	                           .actions = program_actions,
	                           .close = program_close};
}

/* Both on one host: over the loopback, 1 us and 1 GB/s. */
static int together(void *self, const struct platform *p, uint32_t ranks, struct host_id *host,
                    struct err *err)
{
	(void)self, (void)p, (void)err;
	for (uint32_t i = 0; i < ranks; i++)
		host[i] = (struct host_id){3};
	return 0;
}

struct seen {
	uint32_t messages;
	double bytes, received;
};

static void see_message(void *self, const struct mp_arrival *m)
{
	struct seen *seen = self;

	seen->messages++;
	seen->bytes = m->bytes;
	seen->received = m->received;
}

static void a_program_in_c_with_placement_and_observer(void **state)
{
	struct files f;
	struct program p = {.ranks = 2};
	struct sim_source source = source_of(&p);
	struct seen seen = {0};
	struct mp_observer observer = {.self = &seen, .message = see_message};
	struct sim_options o;
	struct err err = {0};
	struct sim *s;

	(void)state;
	files_init(&f);
	o = options(&f);
	o.place = together;
	o.observer = &observer;
	o.n_observers = 1;
	assert_non_null(s = sim_new(&o, &source, &err));
	assert_close(run_to_end(s), 1e-6 + 5016 / 1e9, 1e-12);
	assert_int_equal(seen.messages, 1);
	assert_true(seen.bytes == 5000);
	assert_close(seen.received, 1e-6 + 5016 / 1e9, 1e-12);
	assert_null(sim_profile(s));
	sim_free(s);
	assert_int_equal(p.opened, 1);
	assert_int_equal(p.closed, 1);
	tmp_release(&f.tmp);
}

static void a_second_attempt_where_the_source_knows_another_way(void **state)
{
	struct files f;
	struct program p = {.ranks = 2, .stuck = 1};
	struct sim_source source = source_of(&p);
	struct sim_options o;
	struct err err = {0};
	struct sim *s;

	(void)state;
	files_init(&f);
	o = options(&f);
	o.profile = 1;
	assert_non_null(s = sim_new(&o, &source, &err));
	assert_close(run_to_end(s), FLAT_TIME(5000), 1e-12);
	assert_int_equal(p.started, 2);
	assert_non_null(strstr(sim_notices(s), "otherwise\n"));
	sim_free(s);
	assert_int_equal(p.opened, 2);
	assert_int_equal(p.closed, 2);
	tmp_release(&f.tmp);
}

static void a_program_that_fails_leaves_its_profile(void **state)
{
	struct files f;
	struct program p = {.ranks = 3, .stuck = 1};
	struct sim_source source = source_of(&p);
	struct sim_options o;
	struct err err = {0};
	struct sim *s;

	(void)state;
	files_init(&f);
	p.ranks = 2;
	source.retry = NULL;
	o = options(&f);
	o.profile = 1;
	assert_non_null(s = sim_new(&o, &source, &err));
	assert_int_equal(sim_run(s, &err), -1);
	assert_int_equal(err.kind, ERR_PROGRAM);
	assert_non_null(strstr(err.text, "rank 1"));
	assert_non_null(sim_profile(s));
	assert_string_equal(sim_notices(s), "opened\n");
	sim_free(s);
	assert_int_equal(p.closed, 1);
	tmp_release(&f.tmp);
}

static void errors_leave_nothing_open(void **state)
{
	struct files f;
	struct program p = {.ranks = 2};
	struct sim_source source = source_of(&p);
	struct sim_replay r = {.path = "/nonexistent/trace"};
	struct sim_source missing = sim_replay_source(&r);
	static const struct sim_setting wrong[] = {{"smpi/os", "fast"}};
	struct sim_options o;
	struct err err = {0};

	(void)state;
	files_init(&f);
	o = options(&f);
	o.machine = "nowhere.xml";
	assert_null(sim_new(&o, &source, &err));
	assert_int_equal(err.kind, ERR_INPUT);
	assert_int_equal(p.opened, 0);
	o = options(&f);
	o.setting = wrong;
	o.n_settings = 1;
	assert_null(sim_new(&o, &source, &err));
	assert_non_null(strstr(err.text, "smpi/os"));
	o = options(&f);
	assert_null(sim_new(&o, &missing, &err));
	p.ranks = 9; /* on eight cores */
	assert_null(sim_new(&o, &source, &err));
	assert_int_equal(p.opened, p.closed);
	o.oversubscribe = 1;
	struct sim *s = sim_new(&o, &source, &err);
	assert_non_null(s);
	sim_free(s);
	assert_int_equal(p.opened, p.closed);
	tmp_release(&f.tmp);
}

static void a_run_is_recorded_with_its_settings(void **state)
{
	struct files f;
	char path[4096];
	struct program p = {.ranks = 2};
	struct sim_source source = source_of(&p);
	struct sim_options o;
	struct err err = {0};
	struct recording *rec;
	struct sim *s;

	(void)state;
	files_init(&f);
	snprintf(path, sizeof path, "%s", tmp_write(&f.tmp, "r.orec", ""));
	o = options(&f);
	o.record = path;
	assert_non_null(s = sim_new(&o, &source, &err));
	run_to_end(s);
	sim_free(s);
	assert_non_null(rec = recording_open(path, &err));
	assert_string_equal(recording_info(rec)->program, "two ranks");
	assert_string_equal(recording_info(rec)->model, "CM02");
	assert_non_null(strstr(recording_info(rec)->settings, "network/crosstraffic:no"));
	assert_string_equal(recording_host(rec, 1), "n1");
	recording_close(rec);
	tmp_release(&f.tmp);
}

static void noise_is_known(void **state)
{
	static const struct sim_setting noisy[] = {{"noise/run-compute", "0.02"}};
	struct files f;
	struct program p = {.ranks = 2};
	struct sim_source source = source_of(&p);
	struct sim_options o;
	struct err err = {0};
	struct sim *s;

	(void)state;
	files_init(&f);
	o = options(&f);
	o.setting = noisy;
	o.n_settings = 1;
	assert_non_null(s = sim_new(&o, &source, &err));
	assert_true(sim_has_noise(s));
	sim_free(s);
	tmp_release(&f.tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_trace_is_replayed),
	    cmocka_unit_test(a_graph_is_observed),
	    cmocka_unit_test(a_simgrid_trace_is_told_where_simgrid_differs),
	    cmocka_unit_test(a_program_in_c_with_placement_and_observer),
	    cmocka_unit_test(a_second_attempt_where_the_source_knows_another_way),
	    cmocka_unit_test(a_program_that_fails_leaves_its_profile),
	    cmocka_unit_test(errors_leave_nothing_open),
	    cmocka_unit_test(a_run_is_recorded_with_its_settings),
	    cmocka_unit_test(noise_is_known),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
