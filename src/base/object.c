/* object.c: is a shared object whole enough to be loaded? The dynamic loader maps what an object's
 * program headers tell and touches it: an object that was cut short ends the process with a signal,
 * without a word. What is inside the segments is native code, and trusted as a program is. */
#include "object.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int segments_check(int fd, const Elf64_Ehdr *e, uint64_t size, const char *called,
                          struct err *err)
{
	Elf64_Phdr p;

	if (e->e_phentsize != sizeof p)
		return err_set(err, ERR_INPUT, "%s: it is no shared object of this machine",
		               called);
	for (uint32_t i = 0; i < e->e_phnum; i++) {
		if (e->e_phoff > size ||
		    pread(fd, &p, sizeof p, (off_t)(e->e_phoff + i * sizeof p)) !=
		        (ssize_t)sizeof p)
			return err_set(
			    err, ERR_INPUT,
			    "%s: it was cut short: its program headers are beyond its end", called);
		if (p.p_type != PT_NULL && (p.p_offset > size || p.p_filesz > size - p.p_offset))
			return err_set(err, ERR_INPUT,
			               "%s: it was cut short: it has %llu bytes, "
			               "and says that there are %llu at %llu",
			               called, (unsigned long long)size,
			               (unsigned long long)p.p_filesz,
			               (unsigned long long)p.p_offset);
	}
	return 0;
}

int object_check(const char *file, const char *called, struct err *err)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK), result = 0;
	struct stat st;
	Elf64_Ehdr e;

	if (fd < 0)
		return 0; /* the loader says it better; so with what is no ELF file */
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    pread(fd, &e, sizeof e, 0) == (ssize_t)sizeof e &&
	    memcmp(e.e_ident, ELFMAG, SELFMAG) == 0 && e.e_ident[EI_CLASS] == ELFCLASS64)
		result = segments_check(fd, &e, (uint64_t)st.st_size, called, err);
	close(fd);
	return result;
}
