/* traced_folder.c: see traced.h: what the ranks of a run left in the folder becomes a trace: its
 * manifest, its call sites, what is told of it. Of a run elsewhere, what was gathered. */
#include "traced_int.h"

#include "collect.h"
#include "debug.h"
#include "launch.h"
#include "sites.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Now, or what SOURCE_DATE_EPOCH says (reproducible-builds.org): two runs of one command then make
 * the same files. */
static void date_format(char *out, size_t n)
{
	const char *fixed = getenv("SOURCE_DATE_EPOCH");
	time_t now = time(NULL);
	struct tm utc;
	int64_t at;

	if (fixed && num_parse_i64(fixed, strlen(fixed), &at) == 0 && at >= 0 && at <= INT32_MAX)
		now = (time_t)at;
	gmtime_r(&now, &utc);
	strftime(out, n, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

/* The words after the program; where it is not known, after the launcher, which stands for it. */
static void arguments_format(const struct command *c, struct str *out)
{
	int first = c->program < 0 ? 1 : c->program + 1;

	for (int i = first; i < c->argc; i++)
		str_printf(out, "%s%s", i > first ? " " : "", c->argv[i]);
}

static int is_complete(const struct collection *c)
{
	return c->ranks > 0 && c->ended == c->ranks && (!c->stopped || c->stopped == STOPPED_NEXT);
}

static int manifest_put(const struct traced *t, const struct collection *c, struct err *err)
{
	char date[32], run[sizeof c->run];
	const char *program = t->command.argv[t->command.program < 0 ? 0 : t->command.program];
	char version[] = "orrery " ORRERY_VERSION, unknown[] = "?";
	char unit[32];
	struct str arguments, untraced;
	struct trace_manifest m = {.program = (char *)(uintptr_t)program, /* written, not freed */
	                           .hosts = c->hosts.s,
	                           .date = date,
	                           .tracer = version,
	                           .run = run,
	                           .ranks = c->ranks,
	                           .nominal_rate = c->rate,
	                           .threads = (double)c->threads / 1e3,
	                           .beside = (double)c->beside / 1e3,
	                           .complete = is_complete(c),
	                           .mpi = c->mpi ? c->mpi : unknown,
	                           .processor = c->processor,
	                           .counter = c->counter ? c->counter : unknown};
	int result = -1;

	str_init(&arguments);
	str_init(&untraced);
	date_format(date, sizeof date);
	memcpy(run, c->run, sizeof run);
	arguments_format(&t->command, &arguments);
	call_counts_text(&c->untraced, &untraced);
	m.arguments = arguments.s;
	m.untraced = untraced.s;
	snprintf(unit, sizeof unit, "%s", volume_unit_word(trace_manifest_unit(&m)));
	m.unit = unit;
	if (arguments.failed || untraced.failed)
		err_nomem(err, "a manifest", arguments.n + untraced.n);
	else
		result = trace_manifest_write(t->folder, &m, err);
	str_release(&arguments);
	str_release(&untraced);
	return result;
}

static void counts_notice(const struct call_counts *c, const char *before, const char *after,
                          struct str *out)
{
	if (c->n == 0)
		return;
	str_puts(out, before);
	call_counts_text(c, out);
	str_puts(out, after);
}

static void next_notice(enum stopped stopped, const char *what, struct str *out)
{
	if (stopped == STOPPED_NEXT)
		str_printf(out,
		           "the %s is that of the first program which the command ran: others are "
		           "to be traced by themselves\n",
		           what);
}

static void incomplete_notice(const struct collection *c, struct str *out)
{
	if (c->stopped == STOPPED_AGAIN)
		str_puts(out, "the trace is incomplete: the program began MPI again\n");
	next_notice(c->stopped, "trace", out);
	if ((!c->stopped || c->stopped == STOPPED_NEXT) && c->ended < c->ranks)
		str_printf(out,
		           "the trace is incomplete: no end of rank %s (killed, aborted, or no "
		           "MPI_Finalize)\n",
		           c->missing.s);
}

static void beside_notice(const struct collection *c, struct str *out)
{
	if (c->threads)
		str_printf(
		    out,
		    "threads that called no MPI computed %.3g s: a computation is "
		    "that of the busiest thread of its rank, and what one spins that waits is "
		    "in it (OpenMP's sleep with OMP_WAIT_POLICY=passive): docs/tracing.md, "
		    "Threads\n",
		    (double)c->threads / 1e3);
	if (c->beside)
		str_printf(out,
		           "threads that called no MPI computed %.3g s beside, which is not in the "
		           "trace; of a thread that waits for them, what it spins is "
		           "(OpenMP's sleep with OMP_WAIT_POLICY=passive): docs/tracing.md, "
		           "Threads\n",
		           (double)c->beside / 1e3);
}

/* The folder as it will be called. */
static const char *place_name(const struct traced *t)
{
	return t->place.is_beside ? t->place.beside.path : t->folder;
}

static void summary(const struct traced *t, const struct collection *c, struct str *out)
{
	char bytes[32];

	fmt_si(bytes, sizeof bytes, (double)c->bytes, "B");
	str_printf(out, "%s: %u rank%s, %llu event%s, %s, %s, counter %s", place_name(t), c->ranks,
	           plural(c->ranks), (unsigned long long)c->events, plural(c->events), bytes,
	           c->mpi ? c->mpi : "?", c->counter ? c->counter : "?");
	if (c->rate > 0)
		str_printf(out, " at %g/s", c->rate);
	if (c->clock)
		str_printf(out, " (%s)", c->clock);
	str_putc(out, '\n');
	incomplete_notice(c, out);
	if (!debug_supported())
		str_puts(out, "call sites have no source lines: orrery was built without libdw "
		              "(Debian: libdw-dev)\n");
	beside_notice(c, out);
	if (c->layer)
		str_printf(
		    out,
		    "%s has functions of MPI of its own (a profiler?): calls that are traced "
		    "pass it by, and it tells and sends nothing: docs/tracing.md, What is "
		    "recorded\n",
		    c->layer);
	counts_notice(&c->untraced, "calls that were not traced: ",
	              ": a prediction lacks their time and their messages (docs/mpi-coverage.md: "
	              "what is traced)\n",
	              out);
	counts_notice(&c->local, "calls passed over, local to a process: ", "\n", out);
}

/* A rank could not trace, or not go on, and said why: what there is, is not all. what: a trace or a
 * profile. */
static int stopped_check(const struct traced *t, enum stopped stopped, const char *what, int found,
                         struct err *err)
{
	if (stopped != STOPPED_ROOM && stopped != STOPPED_OTHER)
		return 0;
	return err_set(
	    err, ERR_LIMIT,
	    "%s: %s %s%s: a rank stopped tracing before its end, or did not begin to, "
	    "as it said%s",
	    place_name(t), found ? "the" : "there is no", what, found ? " is incomplete" : "",
	    stopped == STOPPED_ROOM ? ": make room there, or choose another folder" : "");
}

/* Has it been said to Open MPI's launcher, in any of the ways of its versions, that ranks may be
 * more than cores? */
static int may_want_slots(const struct command *c)
{
	if (c->way != LAUNCH_OPENMPI || getenv("OMPI_MCA_rmaps_base_oversubscribe") ||
	    getenv("PRTE_MCA_rmaps_default_mapping_policy"))
		return 0;
	for (int i = 0; i < c->argc; i++)
		if (strcasestr(c->argv[i], "oversubscribe"))
			return 0;
	return 1;
}

/* Where it is we who run the ranks, why the run ended is told beside this. */
static void nothing_notice(const struct traced *t, int code, struct str *out)
{
	str_printf(out, "no rank wrote a trace to %s: ", place_name(t));
	if (t->ours && code != 0) {
		str_printf(out, "none came to MPI_Init before the run ended\n");
		return;
	}
	if (code != 0)
		str_printf(out, "the command ended with exit code %d before MPI_Init%s; or ", code,
		           may_want_slots(&t->command)
		               ? " (Open MPI's mpirun refuses more ranks than there are cores, "
		                 "unless it has the option --oversubscribe)"
		               : "");
	str_printf(out,
	           "the program made no MPI_Init of %s, is linked with it statically, has it in a "
	           "library that it loads with RTLD_DEEPBIND (as MPItrampoline does: "
	           "docs/tracing.md), or runs where this folder cannot be seen\n",
	           mpi_family_title(t->command.family));
}

/* Resolves wildcards, and names the call sites of regions by their source lines where these are
 * known here. */
static int folder_complete(const char *dir, struct collection *c, struct err *err)
{
	int r = c->merged ? 0 : trace_folder_complete(dir, c->ranks, NULL, NULL, &c->sites, err),
	    found = r == 0 ? sites_resolve(&c->sites, err) : 0;

	if (found > 0)
		r = trace_sites_write(dir, &c->sites, err);
	return found < 0 ? -1 : r;
}

/* Appends the file's lines. */
static int page_read(const char *dir, const char *name, struct str *out, struct err *err)
{
	struct input *in;
	char *path, *line;
	size_t n;
	int more;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return err_nomem(err, "a file name", strlen(dir));
	more = there_is(path, err);
	if (more == 0)
		err_set(err, ERR_INPUT,
		        "no profile: the program did not come to MPI_Finalize on all ranks");
	in = more > 0 ? input_open(path, 0, err) : NULL;
	free(path);
	if (!in)
		return -1;
	while ((more = input_line(in, &line, &n, err)) > 0)
		str_printf(out, "%s\n", line);
	input_close(in);
	return more;
}

static int is_of_spawned(const struct dirent *e)
{
	return strncmp(e->d_name, "profile-", 8) == 0;
}

/* The page that the ranks left, then those of spawned worlds; whoever was killed left none. */
static int profile_read(const char *dir, struct str *out, struct err *err)
{
	struct dirent **spawned;
	int n = scandir(dir, &spawned, is_of_spawned, versionsort),
	    r = n < 0 ? err_sys(err, errno, "%s", dir) : page_read(dir, "profile", out, err);

	for (int i = 0; i < n; i++) {
		if (r == 0) {
			str_putn(out, "\n", 1);
			r = page_read(dir, spawned[i]->d_name, out, err);
		}
		free(spawned[i]);
	}
	if (n >= 0)
		free(spawned);
	return r;
}

/* A program that came to no end, or to no MPI, has no profile: that is told, and is no error. */
static int profile_finish(struct traced *t, struct str *notices, struct err *err)
{
	enum stopped stopped = STOPPED_NOT; /* also where that cannot be known */
	struct str page = {0};
	struct err none;
	int unread, r;

	place_room(&t->place);
	r = collection_stopped(t->folder, &stopped, err);
	unread = profile_read(t->folder, &page, &none) < 0;
	if (r == 0)
		r = stopped_check(t, stopped, "profile", !unread, err);
	if (unread && r == 0 && none.kind == ERR_LIMIT) { /* there may be one */
		*err = none;
		r = -1;
	} else if (unread && r == 0) {
		str_printf(notices, "%s\n", none.text);
	}
	if (page.failed && r == 0)
		r = err_nomem(err, "the profile", page.n);
	str_putn(notices, page.s ? page.s : "", page.n);
	next_notice(stopped, "profile", notices);
	if (place_finish(&t->place, page.n > 0, &none) < 0 && r == 0) {
		*err = none;
		r = -1;
	}
	str_release(&page);
	return r;
}

/* What one of the folders says of the run is kept. */
static int manifest_keep(const struct traced *t, const struct collection *c, struct err *err)
{
	char path[PATH_MAX + sizeof "/manifest"];
	int there;

	snprintf(path, sizeof path, "%s/manifest", t->folder);
	there = there_is(path, err);
	return there == 0 ? manifest_put(t, c, err) : there < 0 ? -1 : 0;
}

/* Is anything of the run there? Files without a line, as a full disk leaves them, are nothing. */
static int is_begun(const struct collection *c)
{
	return c->found > 0 && (c->run[0] || c->events > 0);
}

static int trace_finish(struct traced *t, uint32_t ranks, int code, struct str *notices,
                        struct err *err)
{
	struct collection c;
	struct err placed;
	int r;

	place_room(&t->place);
	r = collection_read(&c, t->folder, ranks, err);
	if (r < 0)
		place_keep(&t->place, err);
	if (r == 0 && c.ranks > 0) {
		r = manifest_put(t, &c, err) < 0 || folder_complete(t->folder, &c, err) < 0 ? -1
		                                                                            : 0;
		if (r == 0)
			summary(t, &c, notices);
	} else if (r == 0 && !c.stopped) {
		t->nothing = 1;
		nothing_notice(t, code, notices);
	}
	if (stopped_check(t, c.stopped, "trace", c.ranks > 0, err) < 0)
		r = -1; /* which is why what comes after it fails, too */
	if (place_finish(&t->place, is_begun(&c), &placed) < 0) {
		if (r == 0)
			*err = placed;
		else
			err_append(err, "; %s", placed.text);
		r = -1;
	}
	collection_release(&c);
	return r;
}

/* A trace holds paths and arguments: its files are their owner's, also in a folder that others may
 * read. */
int traced_folder_finish(struct traced *t, uint32_t ranks, int code, struct str *notices,
                         struct err *err)
{
	mode_t before = umask(077);
	int r = t->profile ? profile_finish(t, notices, err)
	                   : trace_finish(t, ranks, code, notices, err);

	umask(before);
	return r;
}

int traced_gather_begin(struct traced *t, const char *folder, int overwrite, struct err *err)
{
	static const char *const unknown[] = {"?", NULL};

	*t = (struct traced){.command = {.argv = unknown, .argc = 1}, .untraced.kind = ERR_NONE};
	if (place_prepare(&t->place, folder, overwrite, err) < 0) {
		place_release(&t->place);
		return -1;
	}
	t->folder = t->place.path;
	return 0;
}

/* A host may have been left out. kept: what there is was written. Returns 1, or -1. */
static int ranks_absent(const struct traced *t, const struct collection *c, int kept,
                        struct err *err)
{
	err_set(
	    err, ERR_INPUT,
	    "%s: no file of rank %s is in the folders that were given: give its host's, too. %s",
	    place_name(t), c->absent.s,
	    kept ? "The trace of the others was written, and can be replayed up to where they "
	           "need it"
	         : "What was there before is as it was: for a trace of the others choose "
	           "another folder with -o");
	return kept ? 1 : -1;
}

int traced_gather_end(struct traced *t, int found, struct str *notices, struct err *err)
{
	struct collection c;
	int r = 0, keep;

	place_room(&t->place);
	if (!found)
		return place_finish(&t->place, 0, err);
	if (collection_read(&c, t->folder, 0, err) < 0) {
		collection_release(&c);
		return -1;
	}
	if (c.ranks == 0) {
		str_puts(notices, "no rank's notes are in the files: they are kept as they came\n");
	} else {
		r = manifest_keep(t, &c, err) < 0 || folder_complete(t->folder, &c, err) < 0 ? -1
		                                                                             : 0;
		if (r == 0)
			summary(t, &c, notices);
	}
	keep = r == 0 && (c.found == c.ranks || !t->place.is_beside);
	if (place_finish(&t->place, keep, err) < 0)
		r = -1;
	if (r == 0 && c.found < c.ranks)
		r = ranks_absent(t, &c, keep, err);
	collection_release(&c);
	return r;
}
