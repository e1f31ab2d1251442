/* tracer.c: see tracer.h. The environment says what to do (set by `orrery trace`): ORRERY_TRACE_DIR
 * where to write; ORRERY_COUNTER, ORRERY_RATE, ORRERY_BUFFER, ORRERY_SITES, ORRERY_FORM,
 * ORRERY_MEMORY, ORRERY_TREE how; ORRERY_TRACE_MPI: in a simulation, the library it is said to be.
 */
#include "tracer.h"
#include "beside.h"
#include "gather.h"
#include "layer.h"
#include "operators.h"
#include "record.h"

#include "base/processor.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* --- signals, and processes that end without MPI_Finalize --- */

/* Whoever is killed leaves what it has put, which is in its file (mapped.h); where files cannot be
 * mapped, this writes it: mpirun sends SIGTERM to the others when one rank fails. */
static void signal_rescue(int sig)
{
	writer_rescue(&tracer.out);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void signals_watch(void)
{
	static const int watched[] = {SIGTERM, SIGINT, SIGHUP};
	struct sigaction action, old;

	for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
		if (sigaction(watched[i], NULL, &old) < 0 || (old.sa_flags & SA_SIGINFO) ||
		    old.sa_handler != SIG_DFL)
			continue; /* the application's, or the library's: theirs to decide */
		memset(&action, 0, sizeof action);
		action.sa_handler = signal_rescue;
		action.sa_flags = SA_NODEFER;
		sigaction(watched[i], &action, NULL);
	}
}

static void signals_forget(void)
{
	static const int watched[] = {SIGTERM, SIGINT, SIGHUP};
	struct sigaction old;

	for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
		if (sigaction(watched[i], NULL, &old) == 0 && old.sa_handler == signal_rescue)
			signal(watched[i], SIG_DFL);
}

__attribute__((destructor)) static void exit_rescue(void)
{
	if (recording())
		writer_rescue(&tracer.out);
}

/* --- starting --- */

static double number_setting(const char *name, double initial)
{
	const char *text = getenv(name);
	double v = 0;

	return text && num_parse_double(text, strlen(text), &v) == 0 && v > 0 ? v : initial;
}

/* A whole number, within what is possible: a program must not end of what its user wrote. */
static int64_t whole_setting(const char *name, int64_t initial, int64_t least, int64_t most)
{
	double v = number_setting(name, (double)initial);

	return v < (double)least ? least : v > (double)most ? most : (int64_t)v;
}

static int tables_init(struct err *err)
{
	requests_init(&tracer.requests);
	requests_init(&tracer.messages);
	requests_init(&tracer.windows);
	requests_init(&tracer.files);
	if (comms_init(&tracer.comms, tracer.rank - tracer.first, tracer.ranks, err) < 0)
		return -1;
	return types_init(&tracer.types, err);
}

/* In a simulation: what volumes are, which `orrery run` knows. */
static const char *counter_name(void)
{
	const char *told = tracer.simulated ? getenv("ORRERY_COUNTER") : NULL;

	return told ? told : tracer.counter.counter->name;
}

/* In a simulation that of the library which the program was linked with, if the simulator knows it:
 * the replay then chooses the algorithms that the run did. */
static void library_name(char *out, size_t size)
{
	const char *simulated = tracer.simulated ? getenv("ORRERY_TRACE_MPI") : NULL;
	char library[MPI_MAX_LIBRARY_VERSION_STRING] = "?";
	int n;

	PMPI_Get_library_version(library, &n);
	library[strcspn(library, "\n")] = '\0';
	if (simulated && *simulated)
		snprintf(out, size, "%s, simulated by Orrery", simulated);
	else
		snprintf(out, size, "%s", library);
}

static int notes_put(uint64_t run, struct err *err)
{
	struct writer *w = &tracer.out;
	char host[256] = "?", library[MPI_MAX_LIBRARY_VERSION_STRING], processor[256];

	gethostname(host, sizeof host - 1);
	processor_name(processor, sizeof processor);
	library_name(library, sizeof library);
	if (writer_note(w, err, "orrery-trace 1") < 0 ||
	    writer_note(w, err, "run %016llx", (unsigned long long)run) < 0 ||
	    writer_note(w, err, "ranks %d", tracer.first + tracer.ranks) < 0 ||
	    (tracer.first > 0 && writer_note(w, err, "spawned %d", tracer.first) < 0) ||
	    writer_note(w, err, "host %s", host) < 0 ||
	    writer_note(w, err, "mpi %s", library) < 0 ||
	    writer_note(w, err, "processor %s", processor) < 0 ||
	    writer_note(w, err, "counter %s", counter_name()) < 0 || layer_put(err) < 0)
		return -1;
	if (tracer.simulated && number_setting("ORRERY_RATE", 0) > 0)
		return writer_note(w, err, "rate %.17g", number_setting("ORRERY_RATE", 0));
	if (!tracer.simulated &&
	    writer_note(w, err, "clock %s", counter_clock_name(&tracer.counter, &thread.counter)) <
	        0)
		return -1;
	if (tracer.counter.rate > 0 && writer_note(w, err, "rate %.17g", tracer.counter.rate) < 0)
		return -1;
	return 0;
}

static int wants_profile(void)
{
	return getenv("ORRERY_PROFILE") && !tracer.simulated;
}

/* Frames of a call site: as asked for; else one, but none with the counter for tests, under which
 * two builds of a program give one trace. */
static int sites_depth(void)
{
	const char *text = getenv("ORRERY_SITES");
	int64_t depth;

	if (text && num_parse_i64(text, strlen(text), &depth) == 0 && depth >= 0 &&
	    depth <= SITES_DEPTH_MAX)
		return (int)depth;
	return tracer.simulated ||
	       (!wants_profile() && tracer.counter.counter->unit != COUNTER_MADE_UP);
}

/* What tells this run from others, in every file of it. */
static uint64_t run_agree(void)
{
	struct timespec now;
	uint64_t run;

	clock_gettime(CLOCK_REALTIME, &now);
	run = ((uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec) ^
	      (uint64_t)getpid() * 0x9e3779b97f4a7c15u;
	PMPI_Bcast(&run, (int)sizeof run, MPI_BYTE, 0, tracer.world);
	return run;
}

/* As agreed by whoever started all ranks. */
static uint64_t told_run(void)
{
	const char *text = getenv("ORRERY_TRACE_RUN");
	uint64_t run = 0;

	if (text)
		num_take_hex(text, &run);
	return run;
}

/* Each rank for itself: whose file is not there, the simulator finds out. */
static int simulated_ready(int ready, const struct err *err)
{
	if (!ready)
		fprintf(stderr, "orrery: no tracing: %s (rank %d)\n", err->text, tracer.rank);
	return ready;
}

/* The program may look at request req again, but what a test found of it is on its way. */
static void request_pass_over(int64_t req)
{
	struct request *q = &tracer.requests.slots[req];

	if (!(q->flags & REQUEST_SEEN))
		return;
	if (q->flags & REQUEST_PERSISTENT)
		q->flags &= (uint16_t)~REQUEST_SEEN;
	else
		request_forget(&tracer.requests, (uint32_t)req);
}

/* Not in a simulated run, which is joined from what is compressed only (src/trace/join.c). */
static int wants_text(void)
{
	const char *form = getenv("ORRERY_FORM");

	return !tracer.simulated && form && strcmp(form, "text") == 0;
}

/* Another program was traced into this folder. */
static int other_is_there(const char *dir, const char *name, struct err *err)
{
	char path[4096];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	if (access(path, F_OK) < 0)
		return 0;
	err_sys(err, EEXIST, "%s", path);
	return 1;
}

static int profile_begin(struct err *err)
{
	tracer.out.is_text = 1;
	tracer.out.owner = getpid();
	tracer.profile = calloc(1, sizeof *tracer.profile);
	return tracer.profile ? 0 : err_nomem(err, "a profile", sizeof *tracer.profile);
}

/* As 'orrery trace' takes them (src/cli/verb_trace.c); not everybody is started by it. */
enum { BYTES_MOST = INT32_MAX, TREE_LEAST = 2, TREE_MOST = 1024 };

static int output_open_as_wanted(const char *dir, struct err *err)
{
	size_t buffer = (size_t)whole_setting("ORRERY_BUFFER", WRITER_BUFFER, 1, BYTES_MOST),
	       memory = (size_t)whole_setting("ORRERY_MEMORY", WRITER_MEMORY, 1, BYTES_MOST);

	snprintf(tracer.dir, sizeof tracer.dir, "%s", dir);
	if (wants_profile())
		return tracer.first == 0 && other_is_there(dir, "profile", err)
		           ? -1
		           : profile_begin(err);
	snprintf(tracer.path, sizeof tracer.path, "%s/rank-%d.tit", dir, tracer.rank);
	tracer.tree = (int)whole_setting("ORRERY_TREE", GATHER_TREE, TREE_LEAST, TREE_MOST);
	if (other_is_there(dir, TRACE_EVENTS_FILE, err))
		return -1;
	if (wants_text())
		return writer_open(&tracer.out, tracer.path, buffer, err);
	return writer_open_compressed(&tracer.out, dir, (uint32_t)tracer.rank,
	                              (uint32_t)(tracer.first + tracer.ranks), buffer, memory,
	                              request_pass_over, err);
}

/* The folder of a command that runs several programs, one after the other, holds the first. */
static int output_begin(const char *dir, struct err *err)
{
	int r = output_open_as_wanted(dir, err);

	if (r < 0 && err->number == EEXIST)
		err_append(err,
		           ": a folder holds one program, and another was traced there before; "
		           "trace this one by itself");
	return r;
}

/* All that may fail before the first event. */
static int prepare(const char *dir, uint64_t run, struct err *err)
{
	if (tracer.simulated)
		tracer.counter.counter = &counter_simulated;
	else if (counter_choose(&tracer.counter, &thread.counter, getenv("ORRERY_COUNTER"),
	                        number_setting("ORRERY_RATE", 0), err) < 0)
		return -1;
	thread.opened = tracer.threads = 1;
	tracer.starter = &thread;
	tracer.starter_tid = (int)syscall(SYS_gettid);
	sites_init(&tracer.sites, sites_depth());
	if (tables_init(err) < 0 || output_begin(dir, err) < 0)
		return -1;
	return tracer.profile ? 0 : notes_put(run, err);
}

/* All processes trace or none does: a trace of some ranks is no trace. The lowest rank that cannot
 * says why. */
static int all_ready(int ready, const struct err *err)
{
	int mine = ready ? INT_MAX : tracer.rank, first = 0, failed = !ready, n = 0;

	PMPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, tracer.world);
	PMPI_Allreduce(&failed, &n, 1, MPI_INT, MPI_SUM, tracer.world);
	if (first == tracer.rank) {
		fprintf(stderr,
		        "orrery: no tracing: %s (rank %d%s). The application runs untraced.\n",
		        err->text, tracer.rank, n > 1 ? ", and others" : "");
		/* Whoever started us knows by that that there is no trace. */
		(void)tracer_speaks_first(err);
	}
	return n == 0;
}

static void init_event(int64_t entered, int64_t returned)
{
	struct call c = {.entered = entered, .returned = returned};
	struct trace_event ev;

	trace_event_init(&ev, TRACE_INIT);
	event_put(&c, &ev);
}

/* The file is mapped in a forked child too, and is its parent's. */
static void child_begin(void)
{
	tracer.state = TRACER_OFF;
	others_stop(&tracer.others);
}

/* The ranks of a spawned world are further ones of the trace. */
static void ranks_move(void)
{
	tracer.first = tracer.simulated   ? tracer.simulated->first()
	               : tracer.rank == 0 ? (int)worlds_claim(tracer.ranks)
	                                  : 0;
	if (!tracer.simulated)
		PMPI_Bcast(&tracer.first, 1, MPI_INT, 0, tracer.world);
	if (tracer.first > 0)
		tracer.rank += tracer.first;
}

/* A spawned world begins: what its MPI_COMM_WORLD is, and the intercommunicator with those that
 * have spawned it, who wait for it in MPI_Comm_spawn. */
static void parents_meet(MPI_Comm parent)
{
	struct call c = {.newcomm = parent, .comm = tracer.world};
	const struct comm *world = &tracer.comms.items[COMM_WORLD];
	int root = -1;

	tracer_lock();
	if (worlds_meet(tracer.world, parent, recording(), &root)) {
		comm_own_world(world);
		comm_met(&c, world->id, TRACE_SPAWNED, root);
	}
	tracer_unlock();
}

/* What stands beside windows and persistent collectives that the program did not free. (Not beside
 * an MPI_Comm_idup that it did not wait for: the library may still write there.) */
static void extras_free(void)
{
	for (uint32_t i = 0; i < tracer.windows.n; i++)
		free(tracer.windows.slots[i].extra);
	for (uint32_t i = 0; i < tracer.requests.n; i++)
		if (tracer.requests.slots[i].flags & REQUEST_COLL)
			free(tracer.requests.slots[i].extra);
}

static void tables_release(void)
{
	extras_free();
	requests_release(&tracer.requests);
	requests_release(&tracer.messages);
	requests_release(&tracer.windows);
	requests_release(&tracer.files);
	posix_forget();
	comms_release(&tracer.comms);
	worlds_release(&tracer.worlds);
	types_release(&tracer.types);
	operators_release();
	sites_release(&tracer.sites);
	tracer_thread_end(&thread);
}

void tracer_start(int64_t entered, int64_t returned)
{
	const char *told = getenv("ORRERY_TRACE_DIR"), *dir = told && *told ? told : NULL;
	MPI_Comm parent = MPI_COMM_NULL;
	struct err err;
	int ready;

	if (!tracer.in_session)
		PMPI_Comm_get_parent(&parent);
	PMPI_Comm_rank(tracer.world, &tracer.rank);
	PMPI_Comm_size(tracer.world, &tracer.ranks);
	/* Spawned by someone who does not know of us: its trace has no place for us. */
	if (parent != MPI_COMM_NULL && !tracer.simulated && !getenv("ORRERY_SPAWN"))
		return;
	if (parent != MPI_COMM_NULL)
		ranks_move();
	if (!dir)
		err_set(&err, ERR_INPUT,
		        "ORRERY_TRACE_DIR is not set: start the program with `orrery trace`");
	else if (tracer.first < 0)
		err_set(&err, ERR_LIMIT, "the ranks of %s cannot be counted", dir);
	tracer.run = tracer.simulated || tracer.first ? told_run() : run_agree();
	ready = dir && tracer.first >= 0 && prepare(dir, tracer.run, &err) == 0;
	if (!(tracer.simulated ? simulated_ready(ready, &err) : all_ready(ready, &err))) {
		if (ready && !tracer.profile)
			writer_undo(&tracer.out, tracer.path);
		writer_drop(&tracer.out);
		free(tracer.profile);
		tracer.profile = NULL;
		if (parent != MPI_COMM_NULL && !tracer.simulated)
			worlds_meet(tracer.world, parent, 0, &(int){-1});
		tables_release();
		return;
	}
	pthread_mutex_init(&tracer.lock, NULL);
	tracer.ends_known = pthread_key_create(&tracer.ends, tracer_thread_end) == 0;
	pthread_atfork(NULL, NULL, child_begin);
	tracer.state = TRACER_ON;
	if (tracer.simulated)
		simulated_start();
	else
		tracer_calibrate();
	others_start(&tracer.others, &tracer.counter);
	signals_watch();
	beside_begin();
	init_event(entered, returned);
	if (parent != MPI_COMM_NULL)
		parents_meet(parent);
}

/* --- stopping --- */

static const char *const call_names[CALLS] = {
#define X(name, is) #name,
    CALLS_EACH(X)
#undef X
};

enum { CALL_IS_OTHER, CALL_IS_LOCAL };
static const uint8_t call_is[] = {
#define X(name, is) is,
    CALLS_EACH(X)
#undef X
};
static_assert(sizeof call_is == CALLS, "one entry per function");

/* Lines "# untraced 12 MPI_Put" and "# local 3 MPI_Comm_rank". */
static int counts_put(struct err *err)
{
	for (int i = 0; i < CALLS; i++)
		if (tracer.counts[i] > 0 &&
		    writer_note(&tracer.out, err, "%s %llu %s",
		                call_is[i] == CALL_IS_LOCAL ? "local" : "untraced",
		                (unsigned long long)tracer.counts[i], call_names[i]) < 0)
			return -1;
	if (operators_put(err) < 0 || beside_put(err) < 0)
		return -1;
	return writer_end(&tracer.out, err);
}

/* The traces of all ranks become one; also with a rank that has stopped tracing, as others wait for
 * it. */
static void merge(int ok)
{
	struct err err;

	if (!gather_run(tracer.world, tracer.out.sink, tracer.dir, tracer.tree, ok, &err) &&
	    err.kind != ERR_NONE && tracer_speaks_first(&err))
		fprintf(stderr, "orrery: the traces of the ranks cannot be merged (rank %d): %s\n",
		        tracer.rank, err.text);
	free(tracer.out.sink);
	tracer.out.sink = NULL;
}

/* The ranks of a simulated run are merged by the simulator (src/trace/join.c): messages of ours
 * would take simulated time. */
static void leave(void)
{
	struct err err;

	if (recording() && writer_leave(&tracer.out, &err) < 0)
		tracer_mute(&err);
}

static void profile_end(void)
{
	char heading[512];
	struct err err;

	snprintf(heading, sizeof heading, "counter %s (%s)", tracer.counter.counter->name,
	         counter_clock_name(&tracer.counter, &thread.counter));
	if (profile_write(tracer.profile, tracer.dir, heading, &err) < 0 &&
	    tracer_speaks_first(&err))
		fprintf(stderr, "orrery: no profile: %s\n", err.text);
	free(tracer.profile);
	tracer.profile = NULL;
}

/* What was put becomes a trace. */
static void output_end(void)
{
	struct err err;

	if (recording() && counts_put(&err) < 0)
		tracer_mute(&err);
	if (tracer.simulated && !tracer.out.is_text)
		leave();
	else if (!tracer.out.is_text)
		merge(recording() && !tracer.worlds.met);
	else if (recording() && writer_close(&tracer.out, &err) < 0)
		tracer_mute(&err);
}

void tracer_stop(void)
{

	if (tracer.state == TRACER_OFF)
		return;
	if (tracer.simulated)
		simulated_stop();
	if (tracer.profile)
		profile_end();
	else
		output_end();
	tracer.state = TRACER_OFF;
	tracer.ended = 1;
	others_stop(&tracer.others);
	if (tracer.ends_known)
		pthread_key_delete(tracer.ends);
	tracer.ends_known = 0;
	signals_forget();
	tables_release();
}
