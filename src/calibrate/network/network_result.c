/* network_result.c: the fit with its warnings, the platform with what other calibrations found, and
 * whether it is to be used. */
#include "network_result.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CORES_MOST = 100000 }; /* of a host: more is a mistake in a file */

/* --- what other calibrations wrote --- */

void net_extras_init(struct net_extras *x)
{
	*x = (struct net_extras){0};
	str_init(&x->header);
	str_init(&x->settings);
}

void net_extras_release(struct net_extras *x)
{
	str_release(&x->header);
	str_release(&x->settings);
}

/* "cores: 32" */
static int cores_take(struct net_extras *x, const char *line, struct err *err)
{
	const char *number = strchr(line, ':') + 1;

	number += strspn(number, " ");
	if (num_parse_i64(number, strlen(number), &x->cores) < 0 || x->cores < 1 ||
	    x->cores > CORES_MOST)
		return err_set(err, ERR_INPUT, "cores: a number, not '%s'", line);
	return 0;
}

/* A setting, or a line of the machine's header. cores is neither. */
static int extras_line(struct net_extras *x, struct config *check, const char *line, size_t n,
                       struct err *err)
{
	static const char *const keys[] = {
	    "processor:", "speed:", "rate-instructions:", "rate-flops:"};

	if (n == 0 || *line == '#')
		return 0;
	if (strncmp(line, "cores:", 6) == 0)
		return cores_take(x, line, err);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (strncmp(line, keys[i], strlen(keys[i])) == 0) {
			str_printf(&x->header, "%s\n", line);
			return 0;
		}
	str_printf(&x->settings, "%s\n", line);
	if (strcspn(line, ":") >= n)
		return err_set(err, ERR_INPUT, "'%s' is no setting NAME:VALUE", line);
	return config_set_all(check, line, CFG_FROM_USER, err);
}

static int extras_file(struct net_extras *x, struct config *check, const char *path,
                       struct err *err)
{
	struct input *in = input_open(path, 0, err);
	struct err why;
	char *line;
	size_t n;
	int r;

	if (!in)
		return -1;
	while ((r = input_line(in, &line, &n, err)) > 0)
		if (extras_line(x, check, line, n, &why) < 0) {
			r = err_placed(err, path, input_lineno(in), 1, &why);
			break;
		}
	input_close(in);
	return r;
}

int net_extras_read(struct net_extras *x, const char *const *path, int n, struct err *err)
{
	struct config check;
	int r = config_init(&check, err);

	if (r < 0)
		return -1;
	for (int i = 0; r == 0 && i < n; i++)
		r = extras_file(x, &check, path[i], err);
	config_release(&check);
	if (r == 0 && (x->header.failed || x->settings.failed))
		r = err_nomem(err, "what other calibrations wrote", x->header.n + x->settings.n);
	return r;
}

int64_t net_extras_cores(const struct net_extras *x)
{
	return x->cores > 1 ? x->cores : 0;
}

/* --- the fit --- */

int net_result_fit(const struct net_raw *raw, double bandwidth, const struct str *doubts,
                   struct net_fit *f, struct err *err)
{
	if (net_fit_make(raw, bandwidth, f, err) < 0)
		return -1;
	if (doubts->n)
		str_puts(&f->warnings, doubts->s);
	net_verdict_busy(raw, &f->warnings);
	return 0;
}

void net_result_tell(const struct net_raw *raw, const struct net_fit *f, struct str *out)
{
	str_printf(
	    out,
	    "%u measurement%s; latency %.4g s, bandwidth %.4g B/s, %d segment%s; eager below "
	    "%.0f, detached below %.0f bytes\n",
	    raw->n, plural(raw->n), f->latency, f->bandwidth, f->transfer.n,
	    plural((uint64_t)f->transfer.n), fmin(f->eager, f->detached), f->detached);
	if (raw->one_host)
		str_puts(out, "all ranks are on one host: the platform is this host, with messages "
		              "between its ranks; no network was measured (for one: ranks on two "
		              "or more hosts)\n");
	if (raw->cabinets.n > 1 && !(f->uplink > 0))
		str_printf(out,
		           "%d cabinets, and nothing was measured between them: the platform has "
		           "no links for them\n",
		           raw->cabinets.n);
	else if (raw->cabinets.n > 1)
		str_printf(out, "%d cabinets, links of %.4g B/s each way between them\n",
		           raw->cabinets.n, f->uplink);
	if (raw->notes.n)
		str_puts(out, raw->notes.s);
	if (f->warnings.n)
		str_puts(out, f->warnings.s);
}

/* --- the platform --- */

/* The model beside programs that had no part in it: on the platform as it would be written, in a
 * file without a name: no folder has to be there and have room when all has been measured. */
static int trials_look(const struct net_raw *raw, struct net_fit *f, const struct net_platform *p,
                       struct err *err)
{
	int fd = memfd_create("platform", MFD_CLOEXEC), r;
	char path[64];
	struct str out;

	if (fd < 0)
		return err_sys(err, errno, "a file for the platform, in memory");
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	str_init(&out);
	net_platform_write(raw, f, p, &out);
	r = out.failed                         ? err_nomem(err, "a platform", out.n)
	    : output_put(fd, out.s, out.n) < 0 ? err_sys(err, errno, "the platform, in memory")
	                                       : net_trials(raw, path, f, err);
	str_release(&out);
	close(fd);
	return r;
}

/* A platform of one host is for runs inside it: with all its processors, as the measuring program
 * tells them, at least as many as ranks measured. */
static int cores_of(const struct net_raw *raw, const struct net_wanted *w)
{
	static const char key[] = "processors of a host: ";
	const char *at = raw->meta.s ? strstr(raw->meta.s, key) : NULL;
	int64_t told = 0;

	if (w->cores)
		return (int)w->cores;
	if (!raw->one_host)
		return 1;
	if (at && !num_take_digits(at + sizeof key - 1, &told))
		told = 0;
	return told > raw->n_hosts && told <= CORES_MOST ? (int)told : raw->n_hosts;
}

const char *net_wanted_name(const struct net_wanted *w)
{
	return w->name ? w->name : "calibrated";
}

int net_result_write(const struct net_raw *raw, struct net_fit *f, const struct net_wanted *w,
                     struct str *platform, struct str *unusable, struct err *err)
{
	struct net_platform p = {.id = net_wanted_name(w),
	                         .speed = w->speed ? w->speed : "1Gf",
	                         .speed_given = w->speed != NULL,
	                         .hosts = net_host_count(raw),
	                         .header = w->extras->header.s,
	                         .settings = w->extras->settings.s,
	                         .cores = cores_of(raw, w)};

	if (trials_look(raw, f, &p, err) < 0)
		return -1;
	if (net_verdict(raw, f, unusable) < 0)
		p.unusable = unusable->s;
	net_platform_write(raw, f, &p, platform);
	return platform->failed ? err_nomem(err, "a platform", platform->n) : 0;
}

int net_unusable(const struct str *unusable, const char *path, struct err *err)
{
	int is_file = path && strcmp(path, "-") != 0;

	return err_set(err, ERR_PROGRAM,
	               "calibrate network: the result is written%s%s, and not to be used:\n%s"
	               "measure again on a machine that does nothing else, or for longer "
	               "(--samples, --time)",
	               is_file ? " to " : "", is_file ? path : "", unusable->s);
}
