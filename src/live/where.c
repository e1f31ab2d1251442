/* where.c: which line of the program an address of a rank is: the file that is mapped there, by the
 * kernel's list of the process's memory, and its debugging information. Only for messages. */
#include "launch/debug.h"
#include "live_int.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mapped { /* the piece of a file that an address lies in */
	char path[1024];
	unsigned long long from, offset;
};

/* 1: found. */
static int mapping_find(long pid, unsigned long long address, struct mapped *m)
{
	char name[64], line[1400];
	FILE *f;
	int found = 0;

	snprintf(name, sizeof name, "/proc/%ld/maps", pid);
	f = fopen(name, "re");
	while (f && !found && fgets(line, sizeof line, f)) {
		unsigned long long to;

		m->path[0] = '\0';
		found = sscanf(line, "%llx-%llx %*s %llx %*s %*s %1023[^\n]", &m->from, &to,
		               &m->offset, m->path) == 4 &&
		        address >= m->from && address < to && m->path[0] == '/';
	}
	if (f)
		fclose(f);
	return found;
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

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Without debugging information: where in the file. */
static void place_write(const struct mapped *m, unsigned long long address, char *buf, size_t n)
{
	unsigned long long place = address_in_file(m->path, address - m->from + m->offset);
	struct debug *d = debug_open(m->path);
	struct debug_place at = {0};

	if (d && debug_find(d, place, &at) && at.file)
		snprintf(buf, n, "%s:%d%s%s%s", base(at.file), at.line, at.function ? " (" : "",
		         at.function ? at.function : "", at.function ? ")" : "");
	else
		snprintf(buf, n, "%s%s%s+0x%llx", at.function ? at.function : "",
		         at.function ? " in " : "", base(m->path), place);
	if (d)
		debug_close(d);
}

const char *live_where(struct live *l, uint32_t rank, char *buf, size_t n)
{
	const struct lrank *r = &l->rank[rank];
	const struct wire_op *op = r->over || !l->mp ? NULL : live_op(l, rank);
	long pid = r->c ? (long)atomic_load(&r->c->pid) : 0;
	struct mapped m;

	buf[0] = '\0';
	/* a return address: the call is before it */
	if (op && op->site && mapping_find(pid ? pid : (long)getpid(), op->site - 1, &m))
		place_write(&m, op->site - 1, buf, n);
	return buf;
}
