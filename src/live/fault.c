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

static void piece_put(const struct piece *p, uintptr_t at, uint32_t called, struct wire_fault *f)
{
	f->place = at - p->from + p->offset;
	f->called = called;
	strncpy(f->path, p->path, sizeof f->path - 1);
}

/* What ran is told; who called where that is nowhere, or in the C library. */
static void line_try(const char *line, uintptr_t at, uintptr_t caller, struct wire_fault *f)
{
	struct piece p;

	if (!piece_read(line, &p) || !p.runs)
		return;
	if (at >= p.from && at < p.to && (!is_library(p.path) || !f->path[0]))
		piece_put(&p, at, 0, f);
	else if (caller > p.from && caller <= p.to && !is_library(p.path) &&
	         (!f->path[0] || is_library(f->path)))
		piece_put(&p, caller - 1, 1, f);
}

static void maps_read(uintptr_t at, uintptr_t caller, struct wire_fault *f)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	char line[1024], part[2048];
	size_t used = 0;
	ssize_t n;

	while (fd >= 0 && (n = read(fd, part, sizeof part)) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (part[i] == '\n') {
				line[used] = '\0';
				line_try(line, at, caller, f);
				used = 0;
			} else if (used < sizeof line - 1) {
				line[used++] = part[i];
			}
		}
	}
	if (fd >= 0)
		close(fd);
}

void wire_fault_take(struct wire_fault *f, const void *context)
{
	const ucontext_t *u = context;
	uintptr_t at = 0, caller = 0;

#if defined(__x86_64__)
	struct iovec here = {&caller, sizeof caller},
	             there = {(void *)u->uc_mcontext.gregs[REG_RSP], sizeof caller};

	at = (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
	/* the stack pointer may be wild: the kernel looks */
	if (process_vm_readv(getpid(), &here, 1, &there, 1, 0) != sizeof caller)
		caller = 0;
#elif defined(__aarch64__)
	at = u->uc_mcontext.pc;
	caller = u->uc_mcontext.regs[30];
#else
	(void)u;
#endif
	f->path[0] = '\0';
	if (at || caller)
		maps_read(at, caller, f);
}
