/* environment.c: what the program's processes find in their environment, which is ours: how the
 * loader comes to our MPI library, the library that is loaded before all others (libmpi/guest), the
 * tracer. */
#include "run_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int put(const char *name, const char *value, struct err *err)
{
	return setenv(name, value, 1) < 0
	           ? err_nomem(err, "environment of the ranks", strlen(name) + strlen(value))
	           : 0;
}

/* Where the program names its MPI library, and no path of its own for it, LD_LIBRARY_PATH leads to
 * ours; else an auditor of the loader does. */
static int auditor_put(const struct running *r, struct err *err)
{
	const char *old = getenv("LD_AUDIT");
	char audit[2 * 4096];

	if (r->found)
		return 0;
	snprintf(audit, sizeof audit, "%s/liborrery_find.so%s%s", r->library,
	         old && *old ? ":" : "", old ? old : "");
	return put("LD_AUDIT", audit, err);
}

/* --- the trace --- */

/* A number that tells the run from others. */
static int run_put(struct err *err)
{
	struct timespec now;
	char run[24];

	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(run, sizeof run, "%016llx",
	         (unsigned long long)now.tv_sec * 1000000000 ^ (unsigned long long)now.tv_nsec ^
	             (unsigned long long)getpid() << 40);
	return put("ORRERY_TRACE_RUN", run, err);
}

/* After it is known which library the program needs. */
static int tracer_put(struct running *r, struct err *err)
{
	const struct run_plan *plan = r->plan;
	const struct traced_options o = {.words = (const char *const *)plan->command,
	                                 .n_words = plan->n_words,
	                                 .folder = plan->trace,
	                                 .overwrite = plan->overwrite};

	if (!o.folder)
		return 0;
	if (traced_begin(&r->traced, &o, r->family, err) < 0)
		return -1;
	r->traces = 1;
	for (int i = 0; i < r->traced.n_settings; i++)
		if (put(r->traced.settings[i].name, r->traced.settings[i].value, err) < 0)
			return -1;
	snprintf(r->tracer, sizeof r->tracer, "%s", r->traced.preload.path);
	r->options.tracer = r->tracer;
	return run_put(err) < 0 || put("ORRERY_TRACE_MPI", r->mpi_name, err) < 0 ||
	               (plan->sites && put("ORRERY_SITES", plan->sites, err) < 0)
	           ? -1
	           : 0;
}

int environment_volumes(const struct running *r, struct err *err)
{
	if (!r->traces)
		return 0;
	return put("ORRERY_COUNTER", r->options.taken ? "cputime" : "machine", err) < 0 ||
	               (r->options.taken && put("ORRERY_RATE", "1e9", err) < 0)
	           ? -1
	           : 0;
}

/* --- what is loaded before all others --- */

static int kernels_read(struct running *r, struct err *err)
{
	for (uint32_t i = 0; i < r->plan->n_kernels; i++)
		if (live_kernels_add(&r->kernels, r->plan->kernel[i], err) < 0)
			return -1;
	r->options.kernels = r->kernels;
	return 0;
}

static int folds_put(const struct run_plan *plan, struct err *err)
{
	struct str functions;
	uint64_t from;
	char text[32];
	int rc;

	str_init(&functions);
	rc = folds_read(plan, &from, &functions, err);
	snprintf(text, sizeof text, "%llu", (unsigned long long)from);
	if (rc == 0 && plan->huge_pages)
		rc = put("ORRERY_FOLD_HUGE", "1", err);
	if (rc == 0 && from)
		rc = put("ORRERY_FOLD", text, err);
	if (rc == 0 && functions.n)
		rc = put("ORRERY_FOLD_AT", functions.s, err);
	str_release(&functions);
	return rc;
}

/* Before what the user, or the tracer, has there. A blank would end the name: without its folder
 * the loader finds it where starting.c lets it look. */
static int guest_put(const struct running *r, struct err *err)
{
	const char *old = getenv("LD_PRELOAD");
	struct str path;
	int rc;

	str_init(&path);
	if (r->plan->n_folds || r->plan->n_kernels || r->folds_itself)
		str_printf(&path, "%s%sliborrery_guest.so",
		           strchr(r->library, ' ') ? "" : r->library,
		           strchr(r->library, ' ') ? "" : "/");
	str_printf(&path, "%s%s", path.n && old && *old ? " " : "", old ? old : "");
	rc = path.failed ? err_nomem(err, "environment of the ranks", path.n)
	                 : put("LD_PRELOAD", path.n ? path.s : "", err);
	str_release(&path);
	return rc;
}

/* Lines that a Fortran program prints are there however a rank ends, as those of C are, of which
 * our MPI library takes care (libmpi/core/lines.c). */
static int lines_put(struct err *err)
{
	static const char name[] = "GFORTRAN_UNBUFFERED_PRECONNECTED";

	return getenv(name) ? 0 : put(name, "y", err);
}

/* Threads of OpenMP that wait for others sleep, unless the user says how they wait. All ranks share
 * the processors here, most by turns: what spins takes them from another rank, and from the threads
 * that it waits for, and its spinning is measured as computation. */
static int waits_put(struct err *err)
{
	static const char policy[] = "OMP_WAIT_POLICY"; /* of the standard; the others: GCC, LLVM */

	return getenv(policy) || getenv("GOMP_SPINCOUNT") || getenv("KMP_BLOCKTIME")
	           ? 0
	           : put(policy, "passive", err);
}

int environment_make(struct running *r, struct err *err)
{
	return lines_put(err) < 0 || waits_put(err) < 0 || auditor_put(r, err) < 0 ||
	               kernels_read(r, err) < 0 || folds_put(r->plan, err) < 0 ||
	               tracer_put(r, err) < 0 || guest_put(r, err) < 0
	           ? -1
	           : 0;
}
