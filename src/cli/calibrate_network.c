/* calibrate_network.c: `orrery calibrate network`: measures with data/measure/measure.c, or takes
 * measurements, fits, writes platform and report. */
#include "calibrate/calibrate.h"
#include "calibrate_kinds.h"
#include "launch/launch.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct work {
	const struct args *args;
	struct net_raw raw;
	struct net_fit fit;
	struct net_plan plan;
	int64_t cabinets, per_cabinet, cores, seconds;
	double bandwidth;
	char folder[PATH_MAX], program[PATH_MAX + 16], plan_path[PATH_MAX + 16], seconds_text[32];
	int has_folder;
	int one;                     /* all ranks are on one host */
	int *host_rank;              /* the first rank on each host */
	struct net_cabinets given;   /* --cabinets; n 0: not given */
	struct str doubts;           /* about cabinets */
	struct str unusable;         /* why the result is not to be used */
	struct str header, settings; /* of --with */
};

static int cabinets_read(struct work *w, struct err *err)
{
	const char *text = args_get(w->args, OPT_CABINETS);
	const char *x = text ? strchr(text, 'x') : NULL;

	if (!text)
		return 0;
	if (!x || num_parse_i64(text, (size_t)(x - text), &w->cabinets) < 0 ||
	    num_parse_i64(x + 1, strlen(x + 1), &w->per_cabinet) < 0 || w->cabinets < 2 ||
	    w->per_cabinet < 1)
		return err_set(err, ERR_INPUT,
		               "calibrate: --cabinets is CABINETSxHOSTS, such as 2x4, not '%s'",
		               text);
	return 0;
}

static int number_option(const struct args *a, int id, const char *name, enum unit_kind kind,
                         double *out, struct err *err)
{
	const char *text = args_get(a, id);
	struct err why;

	if (text && (units_parse(text, kind, out, &why) < 0 || *out <= 0))
		return err_set(err, ERR_INPUT, "calibrate: --%s takes a positive number, not '%s'",
		               name, text);
	return 0;
}

/* What only measuring needs, and was given with --from. */
static int measuring_refused(const struct args *a, struct err *err)
{
	static const struct {
		int id;
		const char *name;
	} measuring[] = {{OPT_RAW, "--raw"},         {OPT_LARGEST, "--largest"},
	                 {OPT_SAMPLES, "--samples"}, {OPT_TIME, "--time"},
	                 {OPT_MPICC, "--mpicc"},     {OPT_SEED, "--seed"}};

	if (args_has(a, OPT_FROM) && a->rest && a->n_rest > 0)
		return err_set(
		    err, ERR_INPUT,
		    "calibrate network: either '-- %s ...' to measure, or --from measurements",
		    a->rest[0]);
	for (size_t i = 0; i < sizeof measuring / sizeof *measuring; i++)
		if (args_has(a, OPT_FROM) && args_has(a, measuring[i].id))
			return err_set(
			    err, ERR_INPUT,
			    "calibrate network: %s is of measuring, and has no effect with --from",
			    measuring[i].name);
	return 0;
}

/* What goes into the platform as it is. */
static int words_check(const struct args *a, struct err *err)
{
	const char *name = args_get(a, OPT_NAME), *speed = args_get(a, OPT_SPEED);
	struct err why;
	double v;

	if (name && (!name[0] || strpbrk(name, "<>&\"'\n") || strstr(name, "--")))
		return err_set(
		    err, ERR_INPUT,
		    "calibrate: --name takes a word without quotes, <, >, & or --, not '%s'", name);
	if (speed &&
	    (strpbrk(speed, "<>&\"") || units_parse(speed, UNIT_SPEED, &v, &why) < 0 || !(v > 0)))
		return err_set(err, ERR_INPUT,
		               "calibrate: --speed takes a speed such as 2.5Gf, not '%s'", speed);
	return 0;
}

/* Found out now, not when all is measured. */
static int outputs_check(const struct args *a, struct err *err)
{
	static const int outputs[] = {OPT_OUT, OPT_RAW, OPT_REPORT};

	for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++) {
		const char *path = args_get(a, outputs[i]),
		           *slash = path ? strrchr(path, '/') : NULL;
		char folder[PATH_MAX];

		if (!path || !strcmp(path, "-"))
			continue;
		snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash + 1 - path) : 1,
		         slash ? path : ".");
		if (access(path, F_OK) == 0 ? access(path, W_OK) < 0 : access(folder, W_OK) < 0)
			return err_sys(err, errno, "cannot create %s", path);
	}
	return 0;
}

/* A line of --with: a setting, or one of the machine's header. cores is neither. */
static int with_line(struct work *w, struct config *check, const char *line, size_t n,
                     struct err *err)
{
	static const char *const keys[] = {
	    "processor:", "speed:", "rate-instructions:", "rate-flops:"};
	size_t name = strcspn(line, ":");

	if (n == 0 || *line == '#')
		return 0;
	if (strncmp(line, "cores:", 6) == 0)
		return num_parse_i64(line + 7, n - 7, &w->cores) < 0 || w->cores < 1 ||
		               w->cores > 100000
		           ? err_set(err, ERR_INPUT, "cores: a number, not '%s'", line)
		           : 0;
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strncmp(line, keys[i], strlen(keys[i])) == 0) {
			str_printf(&w->header, "%s\n", line);
			return 0;
		}
	str_printf(&w->settings, "%s\n", line);
	if (name >= n)
		return err_set(err, ERR_INPUT, "'%s' is no setting NAME:VALUE", line);
	return config_set_all(check, line, CFG_FROM_USER, err);
}

static int with_file(struct work *w, struct config *check, const char *path, struct err *err)
{
	struct input *in = input_open(path, 0, err);
	struct err why;
	char *line;
	size_t n;
	int r;

	if (!in)
		return -1;
	while ((r = input_line(in, &line, &n, err)) > 0)
		if (with_line(w, check, line, n, &why) < 0) {
			r = err_at(err, path, input_lineno(in), 1, "%s", why.text);
			break;
		}
	input_close(in);
	return r;
}

static int with_read(struct work *w, struct err *err)
{
	struct config check;
	int r = config_init(&check, err);

	if (r < 0)
		return -1;
	for (int i = 0; r == 0 && i < w->args->n_given; i++)
		if (w->args->given[i].id == OPT_WITH)
			r = with_file(w, &check, w->args->given[i].value, err);
	config_release(&check);
	return r;
}

static int options_read(struct work *w, struct err *err)
{
	const struct args *a = w->args;
	int64_t samples = 500, seed = 1;

	if (measuring_refused(a, err) < 0 || words_check(a, err) < 0 || outputs_check(a, err) < 0)
		return -1;

	w->plan.max_size = 2097152;
	w->cores = 1;
	w->seconds = 60;
	if (with_read(w, err) < 0 || cabinets_read(w, err) < 0 ||
	    number_option(a, OPT_LARGEST, "largest", UNIT_SIZE, &w->plan.max_size, err) < 0 ||
	    number_option(a, OPT_BANDWIDTH, "bandwidth", UNIT_BANDWIDTH, &w->bandwidth, err) < 0 ||
	    args_int(a, &verb_calibrate, OPT_SAMPLES, 50, 100000, &samples, err) < 0 ||
	    args_int(a, &verb_calibrate, OPT_SEED, 0, INT64_MAX, &seed, err) < 0 ||
	    args_int(a, &verb_calibrate, OPT_CORES, 1, 100000, &w->cores, err) < 0 ||
	    args_int(a, &verb_calibrate, OPT_TIME, 1, 86400, &w->seconds, err) < 0)
		return -1;
	if (w->plan.max_size > INT_MAX)
		return err_set(err, ERR_INPUT,
		               "calibrate network: --largest is at most %d bytes: what MPI counts",
		               INT_MAX);
	w->plan.samples = (int)samples;
	w->plan.seed = (uint64_t)seed;
	return 0;
}

/* --- measuring --- */

/* mpirun.openmpi, /opt/x/bin/mpiexec.mpich: its compiler beside it; else mpicc. */
static void mpicc_guess(const char *launcher, char *out, size_t n)
{
	const char *slash = strrchr(launcher, '/'), *base = slash ? slash + 1 : launcher,
	           *dot = strchr(base, '.');

	snprintf(out, n, "%.*smpicc%s", slash ? (int)(slash + 1 - launcher) : 0, launcher,
	         dot ? dot : "");
	if (slash && access(out, X_OK) != 0)
		snprintf(out, n, "mpicc%s", dot ? dot : "");
	if (strncmp(base, "mpi", 3) != 0)
		snprintf(out, n, "mpicc");
}

static int program_build(struct work *w, struct err *err)
{
	char source[PATH_MAX], compiler[PATH_MAX];
	const char *given = args_get(w->args, OPT_MPICC);

	snprintf(w->folder, sizeof w->folder, "%s",
	         "orrery-calibrate-XXXXXX"); /* here: all hosts see the user's folder, not each
	                                        other's /tmp */
	if (!mkdtemp(w->folder))
		return err_sys(err, errno, "making a folder %s", w->folder);
	w->has_folder = 1;
	if (given)
		snprintf(compiler, sizeof compiler, "%s", given);
	else
		mpicc_guess(w->args->rest[0], compiler, sizeof compiler);
	if (data_find("measure/measure.c", source, sizeof source, err) < 0)
		return -1;
	char absolute[PATH_MAX];
	if (!realpath(w->folder, absolute))
		return err_sys(err, errno, "%s", w->folder);
	snprintf(w->folder, sizeof w->folder, "%s", absolute);
	snprintf(w->program, sizeof w->program, "%s/measure", w->folder);
	snprintf(w->plan_path, sizeof w->plan_path, "%s/plan", w->folder);
	struct launch_command c = {
	    .words = (const char *const[]){compiler, "-O2", "-o", w->program, source, NULL}};
	return launch_must(&c, err);
}

static int measure(struct work *w, const struct str *plan, const char *out, struct err *err)
{
	const char **command = calloc((size_t)w->args->n_rest + 5, sizeof *command);
	struct launch_command c = {.words = command};
	int r;

	if (!command)
		return err_nomem(err, "a command", sizeof *command);
	for (int i = 0; i < w->args->n_rest; i++)
		command[i] = w->args->rest[i];
	snprintf(w->seconds_text, sizeof w->seconds_text, "%lld", (long long)w->seconds);
	command[w->args->n_rest] = w->program;
	command[w->args->n_rest + 1] = w->plan_path;
	command[w->args->n_rest + 2] = out;
	command[w->args->n_rest + 3] = w->seconds_text;
	r = print_file(w->plan_path, plan, err) < 0 ? -1 : launch_must(&c, err);
	if (r == 0 && access(out, F_OK) != 0)
		r = err_set(
		    err, ERR_INPUT,
		    "calibrate network: '%s' ended well, but nothing was measured: does it start a program, given after its own "
		    "arguments, and does the host of its first rank see the folder %s?",
		    w->args->rest[0], w->folder);
	if (r == 0)
		r = net_raw_read(&w->raw, out, err);
	if (r == 0 && w->one)
		net_raw_one_host(&w->raw);
	free(command);
	return r;
}

static int host_ranks_find(struct work *w, struct err *err)
{
	int n = w->raw.n_hosts;

	w->host_rank = malloc(((size_t)n + 1) * sizeof *w->host_rank);
	if (!w->host_rank)
		return err_nomem(err, "hosts", ((size_t)n + 1) * sizeof *w->host_rank);
	for (int i = 0; i < n; i++) {
		int k = 0;

		while (k < i && strcmp(w->raw.hosts[i], w->raw.hosts[k]) != 0)
			k++;
		if (k == i)
			w->host_rank[w->plan.hosts++] = i;
	}
	w->plan.host_rank = w->host_rank;
	return 0;
}

/* The ranks: which one is on another host than rank 0, which on the same. A run of an empty plan
 * tells. */
static int ranks_find(struct work *w, struct err *err)
{
	char path[PATH_MAX + 16];
	struct str plan;
	int r;

	str_init(&plan);
	str_puts(&plan, "pingpong 0 1 1 1\n");
	snprintf(path, sizeof path, "%s/hosts.csv", w->folder);
	r = measure(w, &plan, path, err);
	str_release(&plan);
	if (r < 0 || host_ranks_find(w, err) < 0)
		return -1;
	w->plan.ranks = w->raw.n_hosts;
	w->plan.local = w->plan.far = -1;
	for (int i = w->raw.n_hosts - 1; i > 0; i--)
		if (!strcmp(w->raw.hosts[i], w->raw.hosts[0]))
			w->plan.local = i;
	net_raw_release(&w->raw);
	net_raw_init(&w->raw);
	if (w->plan.ranks < 2)
		return err_set(
		    err, ERR_INPUT,
		    "calibrate network: one process only: two or more are wanted, on two or more hosts ('-- mpirun -np 2 ...')");
	w->one = w->plan.hosts < 2;
	return 0;
}

/* --cabinets CxN: hosts in order. */
static int cabinets_given(struct work *w, struct err *err)
{
	int hosts = args_has(w->args, OPT_FROM) ? net_host_count(&w->raw) : w->plan.hosts;

	if (w->per_cabinet == 0)
		return 0;
	if (hosts > NET_HOSTS)
		return err_set(err, ERR_LIMIT,
		               "calibrate: cabinets of more than %d hosts altogether", NET_HOSTS);
	if (w->per_cabinet >= hosts || w->cabinets * w->per_cabinet < hosts)
		return err_set(err, ERR_INPUT, "calibrate: --cabinets %lldx%lld, and %d hosts",
		               (long long)w->cabinets, (long long)w->per_cabinet, hosts);
	w->given.hosts = hosts;
	for (int h = 0; h < hosts; h++) {
		w->given.of[h] = h / (int)w->per_cabinet;
		w->given.n = w->given.of[h] + 1;
	}
	return 0;
}

/* Which hosts share a link: from what there is by now. */
static int cabinets_look(struct work *w, struct err *err)
{
	struct net_cabinets c;

	str_clear(&w->doubts);
	if (net_cabinets_find(&w->raw, w->given.n ? &w->given : NULL, &c, &w->doubts, err) < 0)
		return -1;
	net_raw_cabinets(&w->raw, &c);
	return 0;
}

/* Before anything else is measured: cabinets decide who is near and who is far. */
static int loads_measure(struct work *w, struct err *err)
{
	char path[PATH_MAX + 16];
	struct str plan;
	int r = 0;

	if (w->one) { /* two of its ranks are all there is to measure */
		w->plan.other = w->plan.local;
		w->plan.local = w->plan.far = -1;
		w->plan.ranks = 2;
		return cabinets_look(w, err);
	}
	str_init(&plan);
	net_plan_loads(&w->plan, &plan);
	snprintf(path, sizeof path, "%s/loads.csv", w->folder);
	if (plan.n)
		r = measure(w, &plan, path, err);
	str_release(&plan);
	if (r < 0 || cabinets_look(w, err) < 0)
		return -1;
	w->plan.cabinets = &w->raw.cabinets;
	w->plan.other = w->plan.far = -1;
	for (int h = w->plan.hosts - 1; h > 0; h--) {
		const struct net_cabinets *c = &w->raw.cabinets;

		if (c->n > 1 && h < c->hosts && c->of[h] != c->of[0])
			w->plan.far = w->host_rank[h];
		else
			w->plan.other = w->host_rank[h];
	}
	if (w->plan.other < 0)
		return err_set(
		    err, ERR_INPUT,
		    "calibrate: the first host is alone in its cabinet: begin with another one, or give --cabinets");
	return 0;
}

/* The thresholds are known to lie between two sizes measured; three short runs close in on them, to
 * a few bytes: programs love powers of two, and libraries count their headers. */
static int refine(struct work *w, struct err *err)
{
	char path[PATH_MAX + 32];
	struct str plan;
	int r = 0;

	for (int round = 0; round < 3 && r == 0; round++) {
		struct net_fit f;

		if (net_fit_make(&w->raw, 0, &f, err) < 0)
			return -1;
		str_init(&plan);
		if (f.detached_low > 0 && f.detached < 2 * f.largest)
			net_plan_between(&w->plan, f.detached_low, f.detached, &plan);
		if (f.eager_low > 0 && f.eager < f.detached)
			net_plan_between(&w->plan, f.eager_low, f.eager, &plan);
		if (round == 0)
			net_plan_trials(&w->plan, &f, &plan);
		if (round == 0 && !w->one)
			net_plan_concurrent(&w->plan, &f, &plan);
		if (round == 2)
			net_plan_notice(&w->plan, &f, &plan);
		net_fit_release(&f);
		snprintf(path, sizeof path, "%s/late%d.csv", w->folder, round);
		if (plan.n)
			r = measure(w, &plan, path, err);
		str_release(&plan);
	}
	return r;
}

static int raw_write(const struct work *w, const char *path, struct err *err)
{
	struct str out;
	int r;

	str_init(&out);
	for (const char *p = w->raw.meta.s ? w->raw.meta.s : ""; *p;) {
		size_t n = strcspn(p, "\n");

		str_printf(&out, "# %.*s\n", (int)n, p);
		p += n + (p[n] == '\n');
	}
	str_puts(&out, "op,src,dst,pairs,size,start,duration\n");
	for (uint32_t i = 0; i < w->raw.n; i++) {
		const struct net_row *q = &w->raw.rows[i];

		str_printf(&out, "%s,%d,%d,%d,%.0f,%.9f,%.9g\n", net_op_name((enum net_op)q->op),
		           q->src, q->dst, q->pairs, q->size, q->start, q->duration);
	}
	r = print_file(path, &out, err);
	str_release(&out);
	return r;
}

static int pairs_measure(struct work *w, struct err *err)
{
	char path[PATH_MAX + 16];
	struct str plan;
	int r;

	str_init(&plan);
	net_plan_write(&w->plan, &plan);
	snprintf(path, sizeof path, "%s/raw.csv", w->folder);
	r = plan.failed ? err_nomem(err, "the plan", plan.n) : measure(w, &plan, path, err);
	str_release(&plan);
	if (r < 0)
		return -1;
	net_raw_cabinets(&w->raw, &w->raw.cabinets);
	return refine(w, err) < 0 ? -1 : cabinets_look(w, err);
}

/* What was measured is kept, even if something fails later. */
static int measure_all(struct work *w, struct err *err)
{
	struct err lost;
	int r;

	if (program_build(w, err) < 0 || ranks_find(w, err) < 0 || cabinets_given(w, err) < 0)
		return -1;
	r = loads_measure(w, err) < 0 ? -1 : pairs_measure(w, err);
	if (args_has(w->args, OPT_RAW) && (r == 0 || w->raw.n > 0) &&
	    raw_write(w, args_get(w->args, OPT_RAW), r == 0 ? err : &lost) < 0)
		r = -1;
	return r;
}

static void folder_remove(struct work *w)
{
	static const char *const files[] = {"measure",   "plan",      "hosts.csv", "raw.csv",
	                                    "late0.csv", "late1.csv", "late2.csv", "loads.csv"};
	char path[PATH_MAX + 32];

	if (!w->has_folder)
		return;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		snprintf(path, sizeof path, "%s/%s", w->folder, files[i]);
		unlink(path);
	}
	rmdir(w->folder);
}

static int read_given(struct work *w, struct err *err)
{
	for (int i = 0; i < w->args->n_given; i++)
		if (w->args->given[i].id == OPT_FROM &&
		    net_raw_read(&w->raw, w->args->given[i].value, err) < 0)
			return -1;
	w->one = net_raw_one_host(&w->raw);
	return cabinets_given(w, err) < 0 ? -1 : cabinets_look(w, err);
}

/* --- results --- */

/* The model beside programs that had no part in it: on the platform as it would be written, in a
 * file of its own. */
static int trials_look(struct work *w, const struct net_platform *p, struct err *err)
{
	const char *folder = getenv("TMPDIR");
	char path[PATH_MAX];
	struct str out;
	int fd, r;

	snprintf(path, sizeof path, "%s/orrery-calibrate-XXXXXX",
	         folder && *folder ? folder : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		return err_sys(err, errno, "making a file %s", path);
	close(fd);
	str_init(&out);
	net_platform_write(&w->raw, &w->fit, p, &out);
	r = print_file(path, &out, err);
	str_release(&out);
	if (r == 0)
		r = net_trials(&w->raw, path, &w->fit, err);
	unlink(path);
	return r;
}

/* A platform of one host is for runs inside it: with all its processors, as the measuring program
 * tells them, at least as many as ranks measured. */
static int cores_of(const struct work *w)
{
	static const char key[] = "processors of a host: ";
	const char *at = w->one && w->raw.meta.s ? strstr(w->raw.meta.s, key) : NULL;
	long told = at ? strtol(at + sizeof key - 1, NULL, 10) : 0;

	if (!w->one || w->cores > 1 || args_has(w->args, OPT_CORES))
		return (int)w->cores;
	return told > w->raw.n_hosts && told <= 100000 ? (int)told : w->raw.n_hosts;
}

static int results_write(struct work *w, struct err *err)
{
	const struct args *a = w->args;
	const char *name = args_get(a, OPT_NAME), *speed = args_get(a, OPT_SPEED),
	           *path = args_get(a, OPT_OUT), *report = args_get(a, OPT_REPORT);
	struct net_platform p = {.id = name ? name : "calibrated",
	                         .speed = speed ? speed : "1Gf",
	                         .speed_given = speed != NULL,
	                         .hosts = net_host_count(&w->raw),
	                         .header = w->header.s,
	                         .settings = w->settings.s,
	                         .cores = cores_of(w)};
	struct str out;
	int r;

	if (trials_look(w, &p, err) < 0)
		return -1;
	if (net_verdict(&w->raw, &w->fit, &w->unusable) < 0)
		p.unusable = w->unusable.s;
	str_init(&out);
	net_platform_write(&w->raw, &w->fit, &p, &out);
	r = print_file(path ? path : "-", &out, err);
	str_clear(&out);
	if (r == 0 && report) {
		net_report_write(&w->raw, &w->fit, p.id, &out);
		r = print_file(report, &out, err);
	}
	str_release(&out);
	return r;
}

static void tell(const struct work *w)
{
	const struct net_fit *f = &w->fit;
	struct str s;

	str_init(&s);
	str_printf(
	    &s,
	    "%u measurements; latency %.4g s, bandwidth %.4g B/s, %d segments; eager below %.0f, detached below %.0f bytes\n",
	    w->raw.n, f->latency, f->bandwidth, f->transfer.n, fmin(f->eager, f->detached),
	    f->detached);
	if (w->one)
		str_puts(
		    &s,
		    "all ranks are on one host: the platform is this host, with messages between its ranks; no network "
		    "was measured "
		    "(for one: ranks on two or more hosts)\n");
	if (w->raw.cabinets.n > 1)
		str_printf(&s, "%d cabinets, links of %.4g B/s each way between them\n",
		           w->raw.cabinets.n, f->uplink);
	if (w->raw.notes.n)
		str_puts(&s, w->raw.notes.s);
	if (f->warnings.n)
		str_puts(&s, f->warnings.s);
	print_notice(w->args, s.s);
	str_release(&s);
}

int calibrate_network(const struct args *a, struct err *err)
{
	struct work w = {.args = a};
	int r = -1;

	net_raw_init(&w.raw);
	str_init(&w.doubts);
	str_init(&w.unusable);
	str_init(&w.header);
	str_init(&w.settings);
	if (!args_has(a, OPT_FROM) && (!a->rest || a->n_rest == 0))
		return err_set(
		    err, ERR_INPUT,
		    "calibrate network: how are programs started on the machine? Give '-- mpirun -np 8 …', or "
		    "measurements with --from FILE");
	if (options_read(&w, err) == 0 &&
	    (args_has(a, OPT_FROM) ? read_given(&w, err) : measure_all(&w, err)) == 0 &&
	    net_fit_make(&w.raw, w.bandwidth, &w.fit, err) == 0) {
		if (w.doubts.n)
			str_puts(&w.fit.warnings, w.doubts.s);
		net_verdict_busy(&w.raw, &w.fit.warnings);
		tell(&w);
		r = results_write(&w, err);
		if (r == 0 && w.unusable.n)
			r = err_set(
			    err, ERR_PROGRAM,
			    "calibrate network: the result is written, and not to be used:\n%s"
			    "measure again on a machine that does nothing else, or for longer "
			    "(--samples, --time)",
			    w.unusable.s);
		net_fit_release(&w.fit);
	}
	folder_remove(&w);
	net_raw_release(&w.raw);
	free(w.host_rank);
	str_release(&w.doubts);
	str_release(&w.unusable);
	str_release(&w.header);
	str_release(&w.settings);
	return r;
}
