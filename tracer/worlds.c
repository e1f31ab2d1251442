/* worlds.c: see worlds.h. */
#include "worlds.h"
#include "record.h"
#include "tracer.h"

#include "base/program.h"
#include "base/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* --- commands that load the tracer --- */

/* What the root has its processes started with, instead of what the program gave. */
struct spawning {
	int n, traced; /* traced: all of them can be */
	uint32_t number;
	char **command;
	char ***argv;
};

static char *token_of(const struct spawning *s, int i)
{
	char *out;

	return asprintf(&out, "%d.%u.%d", tracer.rank, s->number, i) < 0 ? NULL : out;
}

static void words_free(char **words)
{
	for (char **w = words; w && *w; w++)
		free(*w);
	free(words);
}

static void spawning_free(struct spawning *s)
{
	for (int i = 0; s && s->argv && i < s->n; i++)
		words_free(s->argv[i]);
	if (s) {
		free(s->argv);
		free(s->command);
	}
	free(s);
}

/* env says 127 where MPI_Comm_spawn would have said that there is no such program. */
static int is_program(const char *command)
{
	char *file = program_file(command);

	free(file);
	return file != NULL;
}

static int is_ours(const char *entry)
{
	return strncmp(entry, "LD_PRELOAD=", 11) == 0 ||
	       (strncmp(entry, "ORRERY_", 7) == 0 && strncmp(entry, "ORRERY_SPAWN=", 13) != 0 &&
	        strncmp(entry, "ORRERY_TRACE_RUN=", 17) != 0);
}

/* Adds a word that was allocated just now, if it was. */
static int word_add(char **words, size_t *n, char *word)
{
	words[*n] = word;
	*n += word != NULL;
	return word ? 0 : -1;
}

static int setting_add(char **words, size_t *n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int setting_add(char **words, size_t *n, const char *format, ...)
{
	char *word;
	va_list ap;
	int length;

	va_start(ap, format);
	length = vasprintf(&word, format, ap);
	va_end(ap);
	return word_add(words, n, length < 0 ? NULL : word);
}

static int words_fill(char **words, const char *token, const char *command, char *const *argv)
{
	size_t n = 0;

	for (char **e = environ; *e; e++)
		if (is_ours(*e) && word_add(words, &n, strdup(*e)) < 0)
			return -1;
	if (setting_add(words, &n, "ORRERY_SPAWN=%s", token) < 0 ||
	    setting_add(words, &n, "ORRERY_TRACE_RUN=%016llx", (unsigned long long)tracer.run) <
	        0 ||
	    word_add(words, &n, strdup(command)) < 0)
		return -1;
	for (char *const *a = argv; a && *a; a++)
		if (word_add(words, &n, strdup(*a)) < 0)
			return -1;
	return 0;
}

/* The words after env: settings, the command, its arguments. NULL: no memory. */
static char **words_make(const struct spawning *s, int i, const char *command, char *const *argv)
{
	size_t most = 4; /* two settings, the command, the end */
	char **out, *token = token_of(s, i);

	for (char **e = environ; *e; e++)
		most += is_ours(*e) != 0;
	for (char *const *a = argv; a && *a; a++)
		most++;
	out = calloc(most, sizeof *out);
	if (!out || !token || words_fill(out, token, command, argv) < 0) {
		words_free(out);
		out = NULL;
	}
	free(token);
	return out;
}

static struct spawning *spawning_new(int n)
{
	struct spawning *s = calloc(1, sizeof *s);

	if (!s)
		return NULL;
	s->command = calloc((size_t)n, sizeof *s->command);
	s->argv = calloc((size_t)n, sizeof *s->argv);
	if (s->command && s->argv)
		return s;
	spawning_free(s);
	return NULL;
}

/* argvs: NULL where no command has arguments. NULL: the program's own commands stay. */
static struct spawning *spawning_make(struct call *c, int n, char *const *commands, char ***argvs)
{
	static char env[] = "/usr/bin/env";
	struct spawning *s;
	int rank;

	PMPI_Comm_rank(c->comm, &rank);
	if (tracer.simulated || rank != c->root || !recording() || access(env, X_OK) < 0 ||
	    worlds_counted(tracer.ranks, 0) < 0)
		return NULL;
	for (int i = 0; i < n; i++)
		if (!is_program(commands[i]))
			return NULL;
	s = spawning_new(n);
	if (!s)
		return NULL;
	s->number = tracer.worlds.spawns++;
	for (; s->n < n; s->n++) {
		s->command[s->n] = env;
		s->argv[s->n] = words_make(s, s->n, commands[s->n], argvs ? argvs[s->n] : NULL);
		if (!s->argv[s->n]) {
			spawning_free(s);
			return NULL;
		}
	}
	return s;
}

void before_spawn(struct call *c, const char **command, char ***argv)
{
	char *one = (char *)(uintptr_t)*command;
	struct spawning *s;

	tracer_lock();
	s = spawning_make(c, 1, &one, *argv ? argv : NULL);
	tracer_unlock();
	c->extra = s;
	if (!s)
		return;
	*command = s->command[0];
	*argv = s->argv[0];
}

void before_spawn_multiple(struct call *c, int n, char ***commands, char ****argvs)
{
	struct spawning *s;

	tracer_lock();
	s = spawning_make(c, n, *commands, *argvs);
	tracer_unlock();
	c->extra = s;
	if (!s)
		return;
	*commands = s->command;
	*argvs = s->argv;
}

/* --- when they are there --- */

/* All commands' processes have begun MPI with the tracer. Their files are gone then. */
static int all_told(const struct spawning *s)
{
	char path[4096];
	int told = 1;

	for (int i = 0; s && i < s->n; i++) {
		char *token = token_of(s, i);

		told &= worlds_token_path(path, sizeof path, tracer.dir, token) &&
		        unlink(path) == 0;
		free(token);
	}
	return s && told;
}

/* The root tells the others. */
static int all_told_all(const struct call *c)
{
	int traced = all_told(c->extra);

	tracer_unlock();
	PMPI_Bcast(&traced, 1, MPI_INT, c->root, c->comm);
	tracer_lock();
	return traced;
}

/* What starting processes took is no property of a network: the root sleeps as long, the others
 * wait for it. */
static void started_put(const struct call *c)
{
	struct trace_event ev;
	int rank;

	PMPI_Comm_rank(c->comm, &rank);
	if (rank != c->root || tracer.profile || tracer.counter.counter->unit == COUNTER_MADE_UP)
		return;
	trace_event_init(&ev, TRACE_SLEEP);
	ev.volume = (double)(c->returned - c->entered) / 1e9;
	if (ev.volume >= 0) /* clocks of two processors may differ; no trace has such a sleep */
		event_put_more(&ev);
}

void record_spawn(struct call *c, enum trace_op op)
{
	uint32_t parent = comm_find(&tracer.comms, c->comm);
	int traced = 0, root = c->root;

	(void)op;
	if (parent != COMM_NONE && call_succeeded(c)) {
		traced = tracer.simulated || all_told_all(c);
		traced = traced && worlds_meet(c->comm, c->newcomm, 1, &root);
	}
	spawning_free(c->extra);
	if (!traced) {
		tracer.counts[c->id]++;
		return;
	}
	started_put(c);
	comm_met(c, tracer.comms.items[parent].id, TRACE_SPAWNS, root);
}

/* --- who is who --- */

static int both_ready(MPI_Comm own, MPI_Comm inter, int ready)
{
	int ours = 0, theirs = 0;

	PMPI_Allreduce(&ready, &ours, 1, MPI_INT, MPI_MIN, own);
	PMPI_Allreduce(&ours, &theirs, 1, MPI_INT, MPI_MIN, inter);
	return ours && theirs;
}

/* 0: one of them is not ready. */
static int ranks_ask(MPI_Comm own, MPI_Comm inter, int ready, int32_t *rank, int n, int *root)
{
	struct said {
		int rank, root;
	} ours = {tracer.rank, *root}, *theirs = malloc((size_t)n * sizeof *theirs);

	tracer_unlock();
	ready = both_ready(own, inter, ready && rank && theirs);
	if (ready && theirs)
		PMPI_Allgather(&ours, 2, MPI_INT, theirs, 2, MPI_INT, inter);
	tracer_lock();
	for (int i = 0; ready && rank && theirs && i < n; i++)
		rank[i] = theirs[i].rank;
	if (ready && theirs && *root < 0)
		*root = theirs[0].root;
	free(theirs);
	return ready;
}

int worlds_meet(MPI_Comm own, MPI_Comm inter, int ready, int *root)
{
	int32_t *rank;
	int n;

	PMPI_Comm_remote_size(inter, &n);
	rank = malloc((size_t)n * sizeof *rank);
	ready = tracer.simulated ? rank != NULL : ranks_ask(own, inter, ready, rank, n, root);
	for (int i = 0; tracer.simulated && rank && i < n; i++)
		rank[i] = tracer.simulated->remote(i);
	if (tracer.simulated && *root < 0)
		*root = tracer.simulated->spawner();
	if (ready)
		worlds_know(inter, rank, n);
	else
		free(rank);
	return ready;
}
