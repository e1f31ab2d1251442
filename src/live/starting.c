/* starting.c: what a rank's process is started with: its words (perhaps a debugger's before the
 * program's), its environment, its streams.
 *
 * A rank finds in its environment what launchers of MPI put there: scripts look at it, and some
 * programs ask for it before MPI_Init.
 *
 * Output, if it is wanted apart: a file for each rank, or a process of ours that puts the rank's
 * number before each line; it ends when all ranks have closed their ends. */
#include "starting.h"
#include "launched.h"
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- environment --- */

enum { FIXED = 4, TEXT = 64, KERNELS = 1 };
enum { RANK, WORLD, OWN };

struct starting {
	const struct live_options *o;
	uint32_t ranks;
	struct launched *launched;
	char *fixed[FIXED];
	char own[OWN][TEXT], told[LAUNCHED][LAUNCHED_TEXT];
	char *kernels; /* models of the rank's host */
	char *variable[FIXED + OWN + LAUNCHED + KERNELS + 1];
	char **words;   /* of a rank that is wrapped */
	int (*pipe)[2]; /* of each rank, for reading: output, errors */
	pid_t pump;
};

static char *join(const char *name, const char *value, const char *old, char between)
{
	size_t n = strlen(name) + strlen(value) + (old ? strlen(old) : 0) + 3;
	char *s = malloc(n);

	if (s && old && *old)
		snprintf(s, n, "%s=%s%c%s", name, value, between, old);
	else if (s)
		snprintf(s, n, "%s=%s", name, value);
	return s;
}

static int fixed_make(struct starting *s, const char *segment, struct err *err)
{
	const char *dir = s->o->library;
	char preload[4096], paths[4 * 4096];
	int n = 0, is_split = strchr(dir, ' ') != NULL; /* as a name of LD_PRELOAD */

	if (strpbrk(dir, ":;"))
		return err_set(
		    err, ERR_INPUT,
		    "run: the loader looks for no library in a folder with a colon or a "
		    "semicolon in its path: %s. ORRERY_MPI_DIR names another folder, such as a "
		    "symbolic link to this one",
		    dir);
	snprintf(preload, sizeof preload, "%s/liborrery_time.so", dir);
	snprintf(paths, sizeof paths, "%s/mpich:%s/openmpi:%s/abi%s%s", dir, dir, dir,
	         is_split ? ":" : "", is_split ? dir : "");
	s->fixed[n++] = join("LD_LIBRARY_PATH", paths, getenv("LD_LIBRARY_PATH"), ':');
	s->fixed[n++] = join(WIRE_ENV_SEGMENT, segment, NULL, 0);
	if (access(preload, R_OK) == 0)
		s->fixed[n++] = join("LD_PRELOAD", is_split ? strrchr(preload, '/') + 1 : preload,
		                     getenv("LD_PRELOAD"), ' ');
	/* A program with AddressSanitizer ends itself where anything is preloaded. */
	s->fixed[n++] = join("ASAN_OPTIONS", "verify_asan_link_order=0", getenv("ASAN_OPTIONS"),
	                     ':');
	for (int i = 0; i < n; i++) {
		if (!s->fixed[i])
			return err_nomem(err, "environment of the ranks", sizeof paths);
		s->variable[i] = s->fixed[i];
	}
	for (int i = 0; i < OWN; i++)
		s->variable[n++] = s->own[i];
	for (int i = 0; i < LAUNCHED; i++)
		s->variable[n++] = s->told[i];
	return 0;
}

/* Behind the others, if there are some. */
static int kernels_set(struct starting *s, uint32_t rank, struct err *err)
{
	char host[WIRE_NAME] = "";
	char **at = s->variable;
	struct str text;

	if (!s->o->kernels)
		return 0;
	while (*at && *at != s->kernels)
		at++;
	if (s->o->host_name)
		s->o->host_name(s->o->self, rank, host, sizeof host);
	str_init(&text);
	str_puts(&text, "ORRERY_KERNELS=");
	live_kernels_text(s->o->kernels, host, s->o->seed, &text);
	free(s->kernels);
	*at = s->kernels = text.s;
	return text.failed || !text.s ? err_nomem(err, "environment of the ranks", text.n) : 0;
}

static void own_set(struct starting *s, uint32_t rank)
{
	snprintf(s->own[RANK], TEXT, "%s=%u", WIRE_ENV_RANK, rank);
	snprintf(s->own[WORLD], TEXT, "%s=", WIRE_ENV_WORLD);
	launched_write(s->launched, rank, s->told);
}

/* --- words --- */

/* Does "3,5-7:command" name the rank? *command: behind the colon. */
static int names_rank(const char *spec, uint32_t rank, const char **command)
{
	const char *p = spec;
	int found = 0;

	while (*p && *p != ':') {
		int64_t from, to;
		size_t digits = num_take_digits(p, &from);
		const char *end = p + digits;

		to = from;
		if (digits && *end == '-') {
			digits = num_take_digits(end + 1, &to);
			end += 1 + digits;
		}
		if (!digits || to < from || (*end != ',' && *end != ':'))
			return -1;
		found |= from <= rank && rank <= to;
		p = *end == ',' ? end + 1 : end;
	}
	*command = *p ? p + 1 : p;
	return p == spec || !**command ? -1 : found;
}

int live_wrap_check(const char *spec)
{
	const char *command;

	return names_rank(spec, 0, &command) < 0 ? -1 : 0;
}

int live_wrap_names(const char *spec, uint32_t n)
{
	const char *command;
	int found = 0;

	for (uint32_t i = 0; i < n && !found; i++)
		found = names_rank(spec, i, &command) > 0;
	return found;
}

static void words_free(char **words)
{
	for (char **w = words; w && *w; w++)
		free(*w);
	free(words);
}

/* One more word: 0, or -1: no memory. */
static int word_put(char **words, size_t *n, const char *word)
{
	words[*n] = strdup(word);
	return words[*n] ? (++*n, 0) : -1;
}

/* The command's words, then the program's; gdb is told that these are one program's. NULL: no
 * memory. */
static char **words_join(const char *command, char *const *program)
{
	size_t n = 0, most = strlen(command) + 3;
	char **words, *copy = strdup(command), *rest = NULL;
	int bad;

	for (char *const *p = program; *p; p++)
		most++;
	words = calloc(most, sizeof *words);
	bad = !copy || !words;
	for (char *w = bad ? NULL : strtok_r(copy, " \t", &rest); w && !bad;
	     w = strtok_r(NULL, " \t", &rest))
		bad = word_put(words, &n, w) < 0;
	if (!bad && n == 1 && strcmp(words[0], "gdb") == 0)
		bad = word_put(words, &n, "--args") < 0;
	for (char *const *p = program; !bad && *p; p++)
		bad = word_put(words, &n, *p) < 0;
	free(copy);
	if (!bad)
		return words;
	words_free(words);
	return NULL;
}

/* Of the last that names the rank. NULL: no memory. */
static char *const *words_of(struct starting *s, uint32_t rank, struct err *err)
{
	const char *command, *wraps = NULL;

	words_free(s->words);
	s->words = NULL;
	for (uint32_t i = 0; i < s->o->n_wrap; i++)
		if (names_rank(s->o->wrap[i], rank, &command) > 0)
			wraps = command;
	if (!wraps)
		return s->o->command;
	s->words = words_join(wraps, s->o->command);
	if (!s->words)
		err_nomem(err, "the words of a rank's command", strlen(wraps));
	return s->words;
}

static int is_wrapped(const struct starting *s, uint32_t rank)
{
	const char *command;

	for (uint32_t i = 0; i < s->o->n_wrap; i++)
		if (names_rank(s->o->wrap[i], rank, &command) > 0)
			return 1;
	return 0;
}

/* Who reads what we are given: the first rank, or the first one under a debugger. */
static uint32_t reader(const struct starting *s)
{
	for (uint32_t i = 0; i < s->ranks; i++)
		if (is_wrapped(s, i))
			return i;
	return 0;
}

/* --- output with the rank before each line --- */

/* One stream has something: 0 at its end. */
static int stream_read(const struct pollfd *f, uint32_t rank, int to, struct line *l)
{
	char got[LINE_PIECE];
	ssize_t n = read(f->fd, got, sizeof got);

	if (n > 0) {
		line_take(l, rank, to, got, (size_t)n);
		return 1;
	}
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 1;
	line_end(l, rank, to);
	return 0;
}

static int pump(void *self)
{
	struct starting *s = self;
	uint32_t n = 2 * s->ranks, open = n;
	struct pollfd *f = calloc(n, sizeof *f);
	struct line *l = calloc(n, sizeof *l);

	for (uint32_t i = 0; f && i < n; i++)
		f[i] = (struct pollfd){.fd = s->pipe[i / 2][i % 2], .events = POLLIN};
	while (f && l && open > 0) {
		if (poll(f, n, -1) < 0 && errno != EINTR)
			break;
		for (uint32_t i = 0; i < n; i++) {
			if (f[i].fd < 0 || !f[i].revents ||
			    stream_read(&f[i], i / 2, STDOUT_FILENO + (int)(i % 2), &l[i]))
				continue;
			f[i].fd = -1;
			open--;
		}
	}
	free(f);
	free(l);
	return 0;
}

/* --- streams --- */

static int pipe_open(struct starting *s, uint32_t rank, int which, struct err *err)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC) < 0)
		return err_sys(err, errno, "the output of rank %u", rank);
	s->pipe[rank][which] = p[0];
	return p[1];
}

/* The ends that a rank writes to. */
static int streams_open(struct starting *s, uint32_t rank, int fd[2], struct err *err)
{
	fd[0] = fd[1] = -1;
	for (int i = 0; i < 2 && s->o->output; i++) {
		fd[i] = s->pipe ? pipe_open(s, rank, i, err)
		                : streams_file(s->o->output, rank, i + 1, O_CREAT | O_TRUNC, err);
		if (fd[i] < 0)
			return -1;
	}
	return 0;
}

static void streams_close(const int fd[2])
{
	for (int i = 0; i < 2; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

/* --- starting --- */

struct starting *starting_new(const struct live_options *o, uint32_t ranks, uint32_t universe,
                              const uint32_t *host, const char *segment, struct err *err)
{
	struct starting *s = calloc(1, sizeof *s);

	if (!s) {
		err_nomem(err, "starting the ranks", sizeof *s);
		return NULL;
	}
	*s = (struct starting){.o = o, .ranks = ranks};
	s->launched = launched_new(host, universe, ranks, err);
	if (!s->launched) {
		starting_free(s);
		return NULL;
	}
	if (o->output && strcmp(o->output, LIVE_PREFIX) == 0) {
		s->pipe = calloc(ranks, sizeof *s->pipe);
		if (!s->pipe)
			err_nomem(err, "output of the ranks", ranks * sizeof *s->pipe);
	} else if (o->output && streams_folder(o->output, err) < 0) {
		starting_free(s);
		return NULL;
	}
	if ((o->output && strcmp(o->output, LIVE_PREFIX) == 0 && !s->pipe) ||
	    fixed_make(s, segment, err) < 0) {
		starting_free(s);
		return NULL;
	}
	return s;
}

void starting_free(struct starting *s)
{
	if (!s)
		return;
	for (int i = 0; i < FIXED; i++)
		free(s->fixed[i]);
	launched_free(s->launched);
	words_free(s->words);
	free(s->pipe);
	free(s->kernels);
	free(s);
}

/* Its streams, if they could be opened (0), are closed here. */
static pid_t child_start(struct launch_command *c, int opened, const int fd[2], struct err *err)
{
	pid_t child = -1;

	if (opened == 0) {
		c->out = fd[0] >= 0 ? fd[0] + 1 : 0;
		c->err = fd[1] >= 0 ? fd[1] + 1 : 0;
		child = launch_start(c, err);
	}
	streams_close(fd);
	return child;
}

pid_t starting_rank(struct starting *s, uint32_t rank, struct err *err)
{
	struct launch_command c = {
	    .environment = (const char *const *)(const void *)s->variable,
	    .in = rank == reader(s) ? 0 : LAUNCH_NULL,
	};
	int fd[2];

	own_set(s, rank);
	if (kernels_set(s, rank, err) < 0)
		return -1;
	c.words = (const char *const *)(const void *)words_of(s, rank, err);
	if (!c.words)
		return -1;
	return child_start(&c, streams_open(s, rank, fd, err), fd, err);
}

pid_t starting_spawned(struct starting *s, uint32_t rank, const struct spawned *p, struct err *err)
{
	struct launch_command c = {
	    .words = p->words,
	    .environment = (const char *const *)(const void *)s->variable,
	    .folder = p->folder,
	    .in = LAUNCH_NULL,
	};
	int fd[2] = {-1, -1}, r;

	own_set(s, rank);
	snprintf(s->own[WORLD], TEXT, "%s=%llu:%u", WIRE_ENV_WORLD, (unsigned long long)p->world,
	         p->appnum);
	if (kernels_set(s, rank, err) < 0)
		return -1;
	r = s->pipe ? 0 : streams_open(s, rank, fd, err);
	return child_start(&c, r, fd, err);
}

int starting_done(struct starting *s, struct err *err)
{
	if (!s->pipe)
		return 0;
	s->pump = launch_body(pump, s, err);
	for (uint32_t i = 0; i < s->ranks; i++)
		streams_close(s->pipe[i]);
	return s->pump < 0 ? -1 : 0;
}

pid_t starting_pump(const struct starting *s)
{
	return s->pump;
}

void starting_end(struct starting *s)
{
	if (s && s->pump > 0)
		launch_wait(s->pump);
	if (s)
		s->pump = 0;
}

int live_output_check(const char *output, struct err *err)
{
	return output && strcmp(output, LIVE_PREFIX) != 0 ? streams_room(output, err) : 0;
}
