/* gather.c: see gather.h: packing, and passing on what others packed. The stream: of each folder a
 * block without bytes, then of each file one of its name and blocks of what is in it; an end.
 * Blocks of several streams follow each other in the order of the sources; only the last end is
 * kept. */
#include "gather_int.h"

#include "base/entries.h"
#include "base/program.h"

#include "launch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- blocks --- */

static int bytes_write(int fd, const void *p, size_t n, struct err *err)
{
	return n == 0 || output_put(fd, p, n) == 0
	           ? 0
	           : err_sys(err, errno, "cannot pass on what was gathered");
}

/* room: as long as p. */
static int block_send(int fd, int kind, const void *p, size_t n, void *room, struct err *err)
{
	struct block b = {.kind = (uint8_t)kind, .raw = n, .stored = n};
	enum block_packing packing = BLOCK_PLAIN;
	uint8_t head[BLOCK_BYTES];
	size_t packed = n ? block_pack(p, n, room, &packing) : 0;
	const void *stored = packed ? room : p;

	b.packing = packed ? (uint8_t)packing : BLOCK_PLAIN;
	b.stored = packed ? packed : n;
	b.checksum = block_checksum(stored, b.stored);
	block_put(head, &b);
	return bytes_write(fd, head, sizeof head, err) < 0 ? -1
	                                                   : bytes_write(fd, stored, b.stored, err);
}

static int cut_off(struct err *err)
{
	return err_set(err, ERR_LIMIT, "a host was lost: what it gathered is cut off");
}

/* All n bytes: 1, 0 if the stream ends before the first, -1. */
static int bytes_read(int fd, void *p, size_t n, struct err *err)
{
	size_t got = 0;

	while (got < n) {
		ssize_t k = read(fd, (char *)p + got, n - got);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return err_sys(err, errno, "cannot read what was gathered");
		if (k == 0)
			return got == 0 ? 0 : cut_off(err);
		got += (size_t)k;
	}
	return 1;
}

/* The next block with its stored bytes, in room of GATHER_BLOCK: 1, or -1. */
static int block_take(int fd, struct block *b, uint8_t head[BLOCK_BYTES], void *stored,
                      struct err *err)
{
	int more = bytes_read(fd, head, BLOCK_BYTES, err);

	if (more <= 0)
		return more < 0 ? -1
		                : err_set(err, ERR_LIMIT,
		                          "a host was lost, or runs another program than 'orrery "
		                          "gather --pack'");
	if (block_get(head, BLOCK_BYTES, b) < 0 || b->stored > GATHER_BLOCK ||
	    b->raw > GATHER_BLOCK || (b->packing == BLOCK_PLAIN && b->raw != b->stored))
		return err_set(err, ERR_INPUT,
		               "what comes from a host is not what 'orrery gather --pack' writes");
	if (b->stored > 0 && (more = bytes_read(fd, stored, b->stored, err)) <= 0)
		return more < 0 ? -1 : cut_off(err);
	return block_checksum(stored, b->stored) == b->checksum
	           ? 1
	           : err_set(err, ERR_INPUT, "what comes from a host is damaged");
}

/* --- one folder --- */

static int file_pack(int dir, const char *path, const char *name, int out, char *room,
                     struct err *err)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), r;
	struct stat st;
	ssize_t n = 0;

	if (fd < 0)
		return err_sys(err, errno, "cannot open %s/%s", path, name);
	r = fstat(fd, &st) < 0 ? err_sys(err, errno, "cannot look at %s/%s", path, name) : 0;
	if (r < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return r;
	}
	r = block_send(out, FILE_NAME, name, strlen(name), room + GATHER_BLOCK, err);
	while (r == 0 && ((n = read(fd, room, GATHER_BLOCK)) > 0 || (n < 0 && errno == EINTR)))
		if (n > 0)
			r = block_send(out, FILE_BYTES, room, (size_t)n, room + GATHER_BLOCK, err);
	if (r == 0 && n < 0)
		r = err_sys(err, errno, "cannot read %s/%s", path, name);
	close(fd);
	return r;
}

static int folder_pack(const char *path, int out, char *room, struct err *err)
{
	DIR *d = opendir(path);
	const struct dirent *e;
	int r = 0;

	if (!d)
		return err_sys(err, errno, "cannot read the folder %s", path);
	r = block_send(out, FOLDER, room, 0, room + GATHER_BLOCK, err);
	while (r >= 0 && (r = entry_next(d, path, &e, err)) > 0)
		if (e->d_name[0] != '.')
			r = file_pack(dirfd(d), path, e->d_name, out, room, err);
	closedir(d);
	return r;
}

/* --- the tree --- */

/* 'n bytes of a word' for a shell. */
static void bytes_quote(struct str *s, const char *word, size_t n)
{
	str_putc(s, '\'');
	for (size_t i = 0; i < n; i++)
		if (word[i] == '\'')
			str_puts(s, "'\\''");
		else
			str_putc(s, word[i]);
	str_putc(s, '\'');
}

static void word_quote(struct str *s, const char *word)
{
	bytes_quote(s, word, strlen(word));
}

static void packer_put(const struct gather *g, int is_here, struct str *s)
{
	char self[PATH_MAX];
	struct err ignored;

	if (g->orrery || !is_here || program_self(self, sizeof self, &ignored) < 0)
		str_puts(s, g->orrery ? g->orrery : "orrery");
	else
		word_quote(s, self);
}

/* What packs a group: through the remote shell, or here. */
static void group_command(const struct gather *g, int from, int n, struct str *s)
{
	const char *source = g->sources[from], *colon = strchr(source, ':');
	struct str there = {0};

	packer_put(g, !colon, &there);
	str_printf(&there, " gather --pack --fanout %d --shell ", g->fanout);
	word_quote(&there, g->shell);
	if (g->orrery) {
		str_puts(&there, " --orrery ");
		word_quote(&there, g->orrery);
	}
	str_putc(&there, ' ');
	word_quote(&there, colon ? colon + 1 : source);
	for (int i = 1; i < n; i++) {
		str_putc(&there, ' ');
		word_quote(&there, g->sources[from + i]);
	}
	if (colon) {
		str_printf(s, "exec %s ", g->shell);
		bytes_quote(s, source, (size_t)(colon - source));
		str_putc(s, ' ');
		word_quote(s, there.s ? there.s : "");
	} else {
		str_puts(s, "exec ");
		str_puts(s, there.s ? there.s : "");
	}
	s->failed |= there.failed;
	str_release(&there);
}

struct child {
	pid_t pid;
	int fd;
	const char *source;
};

static int child_start(const struct gather *g, int from, int n, struct child *c, struct err *err)
{
	struct str s = {0};
	int pipes[2];
	const char *words[] = {"sh", "-c", NULL, NULL};
	struct launch_command cmd = {.words = words, .in = LAUNCH_NULL, .kept = 1};

	*c = (struct child){.pid = -1, .fd = -1, .source = g->sources[from]};
	if (pipe2(pipes, O_CLOEXEC) < 0)
		return err_sys(err, errno, "cannot make a pipe");
	group_command(g, from, n, &s);
	words[2] = s.s;
	cmd.out = pipes[1] + 1;
	c->pid = s.failed ? err_nomem(err, "a command", s.n) : launch_start(&cmd, err);
	c->fd = pipes[0];
	close(pipes[1]);
	str_release(&s);
	return c->pid < 0 ? -1 : 0;
}

static int child_end(struct child *c, int r, struct err *err)
{
	int code;

	if (c->fd >= 0)
		close(c->fd);
	if (c->pid < 0)
		return r;
	if (r < 0)
		launch_kill(c->pid, SIGTERM);
	code = launch_wait(c->pid);
	if (r < 0 && code == (int)ERR_INPUT && err->kind == ERR_LIMIT) /* it ended, and said why */
		return err_set(err, ERR_INPUT, "%s: nothing is gathered, for the reason above",
		               c->source);
	return r == 0 && code != 0
	           ? err_set(err, ERR_LIMIT, "%s: gathering there ended with exit code %d",
	                     c->source, code)
	           : r;
}

int gather_stream_take(int fd, block_taker *take, void *self, char *room, struct err *err)
{
	uint8_t head[BLOCK_BYTES];
	struct block b;
	int r;

	do {
		r = block_take(fd, &b, head, room, err);
		if (r > 0 && b.kind != BLOCK_END)
			r = take(self, &b, head, room, err) < 0 ? -1 : 1;
	} while (r > 0 && b.kind != BLOCK_END);
	return r < 0 ? -1 : 0;
}

int gather_groups_take(const struct gather *g, int first, block_taker *take, void *self, char *room,
                       struct err *err)
{
	int left = g->n - first, groups = left < g->fanout ? left : g->fanout, r = 0;
	struct child *child = calloc((size_t)groups + 1, sizeof *child);

	if (!child)
		return err_nomem(err, "hosts", (size_t)groups * sizeof *child);
	for (int i = 0; i < groups; i++)
		child[i] = (struct child){.pid = -1, .fd = -1};
	for (int i = 0; r == 0 && i < groups; i++) {
		int from = first + (int)((int64_t)left * i / groups);
		int to = first + (int)((int64_t)left * (i + 1) / groups);

		r = child_start(g, from, to - from, &child[i], err);
	}
	for (int i = 0; i < groups; i++) {
		if (r == 0)
			r = gather_stream_take(child[i].fd, take, self, room, err);
		r = child_end(&child[i], r, err);
	}
	free(child);
	return r;
}

static int pass_on(void *self, const struct block *b, const uint8_t *head, const void *stored,
                   struct err *err)
{
	const int *out = self;

	return bytes_write(*out, head, BLOCK_BYTES, err) < 0
	           ? -1
	           : bytes_write(*out, stored, b->stored, err);
}

/* A remote shell would take it for an option, which may start a command here. */
static int hosts_check(const struct gather *g, struct err *err)
{
	for (int i = 0; i < g->n; i++)
		if (strchr(":-", g->sources[i][0]) && strchr(g->sources[i], ':'))
			return err_set(err, ERR_INPUT,
			               "%s: that is no name of a host (a folder here: ./%s)",
			               g->sources[i], g->sources[i]);
	return 0;
}

/* The shell that starts it could say less of what is missing. Words that mean more to a shell than
 * the name of a command are left to it. */
static int remote_shell_check(const struct gather *g, struct err *err)
{
	size_t n = strcspn(g->shell, " \t\n");
	char *word, *file;
	int r, remote = 0;

	for (int i = 0; i < g->n; i++)
		remote |= strchr(g->sources[i], ':') != NULL;
	if (!remote || strcspn(g->shell, "'\"\\$`*?[]~;&|<>(){}=#!") < n)
		return 0;
	word = strndup(g->shell, n);
	if (!word)
		return err_nomem(err, "a command", n + 1);
	file = program_file(word);
	r = file || errno != ENOENT || strchr(word, '/') ? 0 : launch_not_there(word, err);
	free(file);
	free(word);
	return r;
}

int gather_sources_check(const struct gather *g, struct err *err)
{
	return hosts_check(g, err) < 0 ? -1 : remote_shell_check(g, err);
}

int gather_pack(const struct gather *g, int out, struct err *err)
{
	char *room = malloc(2 * (size_t)GATHER_BLOCK);
	int r;

	if (!room)
		return err_nomem(err, "files", 2 * (size_t)GATHER_BLOCK);
	r = gather_sources_check(g, err) < 0 ? -1 : folder_pack(g->sources[0], out, room, err);
	if (r == 0)
		r = gather_groups_take(g, 1, pass_on, &out, room, err);
	if (r == 0)
		r = block_send(out, BLOCK_END, room, 0, room + GATHER_BLOCK, err);
	free(room);
	return r;
}
