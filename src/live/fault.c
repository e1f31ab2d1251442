/* fault.c: where in which file a rank had a fault, found by itself, in the signal's handler: when
 * it is told of, the process is gone. It calls nothing but the kernel. Compiled into both sides. */
#include "wire.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

struct piece { /* of the process's memory, a line of /proc/self/maps */
	uintptr_t from, to;
	uint64_t offset;
	int runs; /* there is code, of a file: */
	const char *path;
};

static const char *hex_take(const char *p, uint64_t *n)
{
	*n = 0;
	for (;; p++) {
		if (*p >= '0' && *p <= '9')
			*n = *n << 4 | (uint64_t)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			*n = *n << 4 | (uint64_t)(*p - 'a' + 10);
		else
			return p;
	}
}

/* "from-to rwxp offset device inode path" */
static int piece_read(const char *line, struct piece *p)
{
	uint64_t from, to;
	const char *s = hex_take(line, &from);

	if (*s != '-')
		return 0;
	s = hex_take(s + 1, &to);
	if (strlen(s) < 6)
		return 0;
	*p = (struct piece){.from = from, .to = to, .runs = s[3] == 'x'};
	hex_take(s + 6, &p->offset);
	p->path = strchr(s, '/');
	p->runs = p->runs && p->path;
	return 1;
}

/* The functions of the C library get addresses from who calls them. */
static int is_library(const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	return strncmp(name, "libc.so", 7) == 0 || strncmp(name, "libm.so", 7) == 0;
}

static void piece_put(const struct piece *p, uintptr_t at, struct wire_code *code)
{
	code->place = at - p->from + p->offset;
	strncpy(code->path, p->path, sizeof code->path - 1);
}

struct search {
	uintptr_t at, caller, site; /* addresses: of the fault; behind the calls */
};

/* What ran is told; who called where that is nowhere, or in the C library. */
static void line_try(const char *line, const struct search *s, struct wire_fault *f)
{
	struct piece p;

	if (!piece_read(line, &p) || !p.runs)
		return;
	if (s->site > p.from && s->site <= p.to)
		piece_put(&p, s->site - 1, &f->call);
	if (s->at >= p.from && s->at < p.to && (!is_library(p.path) || !f->at.path[0])) {
		f->called = 0;
		piece_put(&p, s->at, &f->at);
	} else if (s->caller > p.from && s->caller <= p.to && !is_library(p.path) &&
	           (!f->at.path[0] || is_library(f->at.path))) {
		f->called = 1;
		piece_put(&p, s->caller - 1, &f->at);
	}
}

static void maps_read(const struct search *s, struct wire_fault *f)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	char line[1024], part[2048];
	size_t used = 0;
	ssize_t n;

	while (fd >= 0 && (n = read(fd, part, sizeof part)) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (part[i] == '\n') {
				line[used] = '\0';
				line_try(line, s, f);
				used = 0;
			} else if (used < sizeof line - 1) {
				line[used++] = part[i];
			}
		}
	}
	if (fd >= 0)
		close(fd);
}

void wire_fault_take(struct wire_fault *f, const void *context, uint64_t site)
{
	const ucontext_t *u = context;
	struct search s = {.site = site};

#if defined(__x86_64__)
	struct iovec here = {&s.caller, sizeof s.caller},
	             there = {(void *)u->uc_mcontext.gregs[REG_RSP], sizeof s.caller};

	s.at = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
	/* the stack pointer may be wild: the kernel looks */
	if (process_vm_readv(gettid(), &here, 1, &there, 1, 0) != sizeof s.caller)
		s.caller = 0;
#elif defined(__aarch64__)
	s.at = u->uc_mcontext.pc;
	s.caller = u->uc_mcontext.regs[30];
#else
	(void)u;
#endif
	f->at.path[0] = f->call.path[0] = '\0';
	if (s.at || s.caller)
		maps_read(&s, f);
}
