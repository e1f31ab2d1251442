/* sim.h: a whole prediction in a test: a trace and a platform as texts, settings, and the simulated
 * time. */
#ifndef ORRERY_TESTS_SIM_H
#define ORRERY_TESTS_SIM_H

#include "replay/replay.h"
#include "tmp.h"

struct sim {
	double time; /* date of the end */
	uint64_t actions;
	uint32_t remarks;  /* lines of mp_report */
	char report[4096]; /* mp_report and the replay's notices */
	struct err err;
};

/* xml: a platform; trace: a merged trace; settings: as --cfg, "" for none; hosts: hostfile text or
 * NULL. Returns 0 or -1 with s->err. */
static inline int sim_run_with(struct sim *s, const char *xml, const char *trace_text, uint32_t np,
                               const char *settings, const char *hosts, struct replay_options o)
{
	struct tmp t;
	struct config cfg;
	struct str report;
	struct platform *p = NULL;
	struct trace *tr = NULL;
	struct placement pl = {0};
	struct net *net = NULL;
	struct mp *mp = NULL;
	struct replay *re = NULL;
	struct mp_program program;
	struct mp_stats st;
	int r = -1;

	memset(s, 0, sizeof *s);
	str_init(&report);
	tmp_init(&t);
	if (config_init(&cfg, &s->err) < 0 ||
	    config_set_all(&cfg, settings, CFG_FROM_USER, &s->err) < 0)
		goto out;
	if (!(p = platform_read(tmp_write(&t, "platform.xml", xml), &cfg, &s->err)))
		goto out;
	if (!(tr = trace_open(tmp_write(&t, "program.tit", trace_text), np, &s->err)))
		goto out;
	if (placement_make(p, hosts ? tmp_write(&t, "hosts", hosts) : NULL, np, config_compat(&cfg),
	                   1, &pl, &cfg, &s->err) < 0)
		goto out;
	if (!(net = net_new(p, &cfg, &s->err)) || !(mp = mp_new(net, &cfg, pl.host, np, &s->err)))
		goto out;
	if (!(re = replay_new(tr, np, &cfg, &o, &s->err)))
		goto out;
	program = replay_program(re);
	r = mp_run(mp, &program, NULL, &s->err);
	mp_stats(mp, &st);
	s->time = st.end;
	s->actions = replay_actions(re);
	s->remarks = mp_report(mp, &report);
	replay_notices(re, &report);
	snprintf(s->report, sizeof s->report, "%s", report.s ? report.s : "");
out:
	replay_free(re);
	mp_free(mp);
	net_free(net);
	placement_release(&pl);
	trace_close(tr);
	platform_free(p);
	config_release(&cfg);
	str_release(&report);
	tmp_release(&t);
	return r;
}

static inline int sim_run(struct sim *s, const char *xml, const char *trace_text, uint32_t np,
                          const char *settings, const char *hosts)
{
	return sim_run_with(s, xml, trace_text, np, settings, hosts,
	                    (struct replay_options){.scale = 1});
}

/* The time of a simulation that must succeed. */
static inline double sim_time(const char *xml, const char *trace_text, uint32_t np,
                              const char *settings)
{
	struct sim s;

	assert_ok(sim_run(&s, xml, trace_text, np, settings, NULL), s.err);
	return s.time;
}

/* A flat cluster of hosts h0…h15, 1 Gf, 125 MB/s, 15 us links; ATTRS: further attributes. */
#define SIM_CLUSTER(ATTRS) \
	"<platform version=\"4.1\"><zone id=\"w\" routing=\"Full\">" \
	"<cluster id=\"c\" prefix=\"h\" suffix=\"\" radical=\"0-15\" " \
	"speed=\"1Gf\" bw=\"125MBps\" lat=\"15us\" " ATTRS "/></zone></platform>"

#endif
