/* where.c: which line of the program an address of a rank is: the file that is mapped there, by the
 * kernel's list of the process's memory, and its debugging information. Only for messages. */
#include "launch/debug.h"
#include "launch/demangle.h"
#include "live_int.h"

#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mapped { /* where an address is in a file, as its own headers have it */
	char path[1024];
	uint64_t address;
};
struct mapping { /* a piece of a file, in memory */
	struct mapped file;
	uint64_t from, to, offset;
};

static long process_of(const struct lrank *r)
{
	long pid = (long)atomic_load(&r->c->pid);

	return pid ? pid : (long)getpid();
}

/* NULL: there is none, or nothing in it. */
static FILE *filled_open(const char *name)
{
	FILE *f = fopen(name, "re");
	int c = f ? fgetc(f) : EOF;

	if (c != EOF && ungetc(c, f) != EOF)
		return f;
	if (f)
		fclose(f);
	return NULL;
}

/* Where its first thread has ended (pthread_exit), the others have the process's memory. */
static FILE *maps_open(const struct lrank *r)
{
	const struct dirent *e;
	char name[320];
	DIR *threads;
	FILE *f;

	if (r->maps)
		return fmemopen(r->maps, strlen(r->maps), "r");
	snprintf(name, sizeof name, "/proc/%ld/maps", process_of(r));
	f = filled_open(name);
	if (f)
		return f;
	snprintf(name, sizeof name, "/proc/%ld/task", process_of(r));
	threads = opendir(name);
	while (threads && !f && (e = readdir(threads))) {
		snprintf(name, sizeof name, "/proc/%ld/task/%.200s/maps", process_of(r), e->d_name);
		f = e->d_name[0] == '.' ? NULL : filled_open(name);
	}
	if (threads)
		closedir(threads);
	return f;
}

/* The path at the end of a line. A copy of a file's text in memory (coro/image_patch.c) has the
 * file's path for its name, which the kernel shows as "/memfd:PATH (deleted)". */
static void path_take(const char *path, struct mapped *m)
{
	static const char copy[] = "/memfd:/", gone[] = " (deleted)";
	size_t n;

	if (strncmp(path, copy, sizeof copy - 1) == 0)
		path += sizeof copy - 2;
	n = strcspn(path, "\n");
	if (n >= sizeof gone && strncmp(path + n - (sizeof gone - 1), gone, sizeof gone - 1) == 0)
		n -= sizeof gone - 1;
	snprintf(m->path, sizeof m->path, "%.*s", (int)n, path);
}

/* "from-to rights offset device inode path", of a file: 1. */
static int mapping_read(const char *line, struct mapping *m)
{
	const char *offset = strchr(line, ' '), *path = strchr(line, '/');

	offset = offset ? strchr(offset + 1, ' ') : NULL;
	if (!offset || !path || num_take_hex(line, &m->from) == 0 ||
	    num_take_hex(line + strcspn(line, "-") + 1, &m->to) == 0 ||
	    num_take_hex(offset + 1, &m->offset) == 0)
		return 0;
	path_take(path, &m->file);
	return 1;
}

/* The address as in the file's own headers: of the segment that holds this place of the file. */
static unsigned long long address_in_file(const char *path, unsigned long long place)
{
	unsigned long long found = place;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Ehdr e;
	Elf64_Phdr p;

	if (fd < 0)
		return place;
	if (pread(fd, &e, sizeof e, 0) == (ssize_t)sizeof e &&
	    memcmp(e.e_ident, ELFMAG, SELFMAG) == 0 && e.e_phentsize == sizeof p)
		for (int i = 0; i < e.e_phnum; i++)
			if (pread(fd, &p, sizeof p, (off_t)(e.e_phoff + i * sizeof p)) ==
			        (ssize_t)sizeof p &&
			    p.p_type == PT_LOAD && place >= p.p_offset &&
			    place < p.p_offset + p.p_filesz)
				found = place - p.p_offset + p.p_vaddr;
	close(fd);
	return found;
}

static int process_find(const struct lrank *r, uint64_t address, struct mapped *out)
{
	FILE *f = maps_open(r);
	struct mapping m;
	char line[1400];
	int found = 0;

	while (f && !found && fgets(line, sizeof line, f))
		found = mapping_read(line, &m) && address >= m.from && address < m.to;
	if (f)
		fclose(f);
	if (!found)
		return 0;
	*out = m.file;
	out->address = address_in_file(m.file.path, address - m.from + m.offset);
	return 1;
}

/* 1: found. Of coroutines, which may be thousands, without the list of all that is mapped. */
static int mapped_find(const struct live *l, uint32_t rank, uint64_t address, struct mapped *m)
{
	const char *path;

	if (!l->coros)
		return process_find(&l->rank[rank], address, m);
	if (!coros_file(l->coros, address, &path, &m->address))
		return 0;
	snprintf(m->path, sizeof m->path, "%s", path);
	return 1;
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What ends the part of a stack that is the program's. */
static int is_first(const char *function)
{
	return function && (strcmp(function, "main") == 0 || strcmp(function, "MAIN__") == 0);
}

/* Without debugging information: where in the file. 1: nobody of the program called this. */
static int place_write(const struct mapped *m, char *buf, size_t n)
{
	unsigned long long place = m->address;
	struct debug *d = debug_open(m->path);
	struct debug_place at = {0};
	char name[200];
	int first;

	if (d && debug_find(d, place, &at) && at.function &&
	    demangle(at.function, name, sizeof name))
		at.function = name;
	if (at.file)
		snprintf(buf, n, "%s:%d%s%s%s", base(at.file), at.line, at.function ? " (" : "",
		         at.function ? at.function : "", at.function ? ")" : "");
	else
		snprintf(buf, n, "%s%s%s+0x%llx", at.function ? at.function : "",
		         at.function ? " in " : "", base(m->path), place);
	first = is_first(at.function);
	if (d)
		debug_close(d);
	return first;
}

const struct wire_op *live_op(const struct live *l, uint32_t rank)
{
	return l->coros ? coros_op(l->coros, rank) : wire_op_next(l->rank[rank].c);
}

int site_find(struct live *l, uint32_t rank, uint64_t site, struct call_site *out)
{
	struct mapped m;

	out->path[0] = '\0';
	out->address = 0;
	if (!site || !mapped_find(l, rank, site - 1, &m))
		return 0;
	snprintf(out->path, sizeof out->path, "%s", m.path);
	out->address = m.address + 1;
	return 1;
}

/* As src/launch/sites.c. */
void site_name(const struct call_site *s, char *buf, size_t n)
{
	struct debug *d = s->path[0] ? debug_open(s->path) : NULL;
	struct debug_place at = {0};
	char name[256];

	if (d && debug_find(d, s->address - 1, &at) && at.file)
		snprintf(buf, n, "%s:%d", base(at.file), at.line);
	else if (s->path[0])
		snprintf(buf, n, "%s%s%s+0x%llx",
		         at.function ? demangle_site(at.function, name, sizeof name) : "",
		         at.function ? "@" : "", base(s->path), s->address);
	else
		snprintf(buf, n, "?");
	if (d)
		debug_close(d);
}

/* Who called, as long as there is room for all of a name, and it is the program. */
static void callers_write(const struct live *l, uint32_t rank, const struct lstack *s, char *buf,
                          size_t n)
{
	struct mapped m;
	char one[256];
	int first = 0;

	for (uint32_t i = 1; i < s->n && !first; i++) {
		size_t used = strlen(buf);

		if (!s->frame[i] || !mapped_find(l, rank, s->frame[i] - 1, &m) ||
		    strncmp(base(m.path), "libc.so", 7) == 0)
			return;
		first = place_write(&m, one, sizeof one);
		if (used + strlen(one) + 10 > n)
			return;
		snprintf(buf + used, n - used, " < %s", one);
	}
}

const char *live_site_where(struct live *l, uint32_t rank, uint64_t site, uint32_t stack, char *buf,
                            size_t n)
{
	const struct lrank *r = &l->rank[rank];
	struct mapped m;
	int first = 0;

	buf[0] = '\0';
	/* a return address: the call is before it */
	if (site && mapped_find(l, rank, site - 1, &m))
		first = place_write(&m, buf, n);
	if (*buf && !first && stack && stack <= r->n_stack)
		callers_write(l, rank, &r->stack[stack - 1], buf, n);
	return buf;
}

const char *live_where(struct live *l, uint32_t rank, char *buf, size_t n)
{
	const struct lrank *r = &l->rank[rank];
	const struct wire_op *op = r->over || !l->mp ? NULL : live_op(l, rank);

	return live_site_where(l, rank, op ? op->site : 0, op ? op->stack : 0, buf, n);
}

const char *live_call(const struct live *l, uint32_t rank, char *buf, size_t n)
{
	const struct wire_op *op = l->rank[rank].over || !l->mp ? NULL : live_op(l, rank);
	char name[WIRE_CALL_NAME];
	size_t i = 0;

	if (op && op->named && op->size >= sizeof *op + sizeof name) {
		memcpy(name, (const char *)op + op->size - sizeof name, sizeof name);
		while (i + 1 < sizeof name && i + 1 < n &&
		       (letter_is(name[i]) || isdigit((unsigned char)name[i]) || name[i] == '_')) {
			buf[i] = name[i];
			i++;
		}
	}
	buf[i] = '\0';
	return buf;
}

/* In the MPI library, or in what it has called in the process that coroutines share. */
static int is_mpi(const struct live *l, const struct wire_fault *f, const char *path)
{
	size_t n = strlen(l->o.library);

	return f->in_mpi || (strncmp(path, l->o.library, n) == 0 && path[n] == '/');
}

/* "": not known. */
static void code_write(const struct wire_code *c, struct mapped *m, char *buf, size_t n)
{
	char path[WIRE_FAULT_PATH];

	buf[0] = m->path[0] = '\0';
	snprintf(path, sizeof path, "%s", c->path);
	if (!*path)
		return;
	path_take(path, m);
	m->address = address_in_file(m->path, c->place);
	place_write(m, buf, n);
}

const char *fault_where(const struct live *l, uint32_t rank, int number, char *buf, size_t n)
{
	const struct wire_channel *c = l->coros ? wire_channel(l->head, 0) : l->rank[rank].c;
	const struct wire_fault *f = &c->fault;
	char place[256], call[256];
	struct mapped m;

	buf[0] = '\0';
	if (!f->at.path[0] || f->rank != rank || f->signal != (uint32_t)number)
		return buf;
	code_write(&f->call, &m, call, sizeof call);
	code_write(&f->at, &m, place, sizeof place);
	if (is_mpi(l, f, m.path))
		snprintf(buf, n,
		         " in the call of MPI%s%s, which was probably given an address that is no "
		         "memory of the program,",
		         *call ? " at " : "", call);
	else
		snprintf(buf, n, f->called ? " in what %s called" : " at %s", place);
	return buf;
}

/* --- calls that are over --- */

/* The files whose code is mapped: as the process is gone when the report is written. */
static int maps_keep(struct lrank *r, struct err *err)
{
	FILE *f = maps_open(r);
	char line[1400];
	struct str s;

	str_init(&s);
	while (f && fgets(line, sizeof line, f))
		if (strstr(line, " r-xp ") && strchr(line, '/'))
			str_puts(&s, line);
	if (f)
		fclose(f);
	r->maps = s.s;
	return s.failed ? err_nomem(err, "what is mapped where", s.n) : 0;
}

int stack_keep(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct lrank *r = &l->rank[rank];
	const uint64_t *frame = live_list(l, op, 0, op->n, sizeof *frame);
	struct lstack *p;

	if (!frame || op->a != r->n_stack + 1)
		return live_error(l, rank, err, "it wrote a stack that is none");
	p = vec_grow(r->stack, &r->cap_stack, sizeof *p, (size_t)op->a, "stacks of calls", err);
	if (!p)
		return -1;
	r->stack = p;
	p += r->n_stack;
	p->n = op->n;
	p->frame = malloc(op->n * sizeof *frame + 1);
	if (!p->frame)
		return err_nomem(err, "stacks of calls", op->n);
	memcpy(p->frame, frame, op->n * sizeof *frame);
	r->n_stack++;
	return 0;
}

void stacks_release(struct lrank *r)
{
	for (uint32_t i = 0; i < r->n_stack; i++)
		free(r->stack[i].frame);
	free(r->stack);
	r->stack = NULL;
	r->n_stack = r->cap_stack = 0;
}

int where_keep(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct lrank *r = &l->rank[rank];
	struct lcall *p;

	if (!l->o.checks)
		return 0;
	p = vec_grow(r->call, &r->cap_call, sizeof *p, (size_t)r->calls + 1, "call sites", err);
	if (!p)
		return -1;
	r->call = p;
	p[r->calls] = (struct lcall){op->site, op->stack};
	return op->kind == WIRE_FINALIZE && !r->maps && !l->coros ? maps_keep(r, err) : 0;
}

const char *where_was(void *live, uint32_t rank, uint32_t call, char *buf, size_t n)
{
	struct live *l = live;
	const struct lrank *r = &l->rank[rank];
	struct lcall c = {0};

	if (call < r->cap_call && call <= r->calls)
		c = r->call[call];
	return live_site_where(l, rank, c.site, c.stack, buf, n);
}
