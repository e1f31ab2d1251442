/* elf.c: reads the names of needed libraries (DT_NEEDED) of a 64-bit ELF file. Anything
 * unexpected in the file means "unknown": the launcher has another way to find out. Source:
 * elf(5). */
#include "elf.h"

#include "base/base.h"

#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { SEGMENTS_MAX = 64, DYNAMIC_MAX = 1024 };

struct elf {
	int fd;
	Elf64_Phdr segments[SEGMENTS_MAX];
	int n_segments;
	Elf64_Dyn dynamic[DYNAMIC_MAX];
	int n_dynamic;
};

enum mpi_family mpi_family_of_library(const char *soname)
{
	static const struct {
		const char *start;
		enum mpi_family family;
	} names[] = {
	    {"libmpich", MPI_MPICH},
	    {"libmpifort", MPI_MPICH},
	    {"libmpicxx", MPI_MPICH},
	    {"libmpi.so.12", MPI_MPICH}, /* the MPICH ABI: also Intel's, MVAPICH's, Cray's */
	    {"libmpi.so", MPI_OPENMPI},
	    {"libmpi_mpifh.so", MPI_OPENMPI},
	    {"libmpi_usempi", MPI_OPENMPI},
	    {"libmpi_cxx.so", MPI_OPENMPI},
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strncmp(soname, names[i].start, strlen(names[i].start)) == 0)
			return names[i].family;
	return MPI_UNKNOWN;
}

/* The numbers behind "NAME.so.": 1 if there are three and nothing else. */
static int numbers_of(const char *file, const char *name, int64_t n[3])
{
	const char *s = file + strlen(name);

	if (strncmp(file, name, strlen(name)) != 0)
		return 0;
	for (int i = 0; i < 3; i++) {
		size_t digits = num_take_digits(s, &n[i]);

		if (digits == 0 || s[digits] != (i < 2 ? '.' : '\0'))
			return 0;
		s += digits + 1;
	}
	return 1;
}

void mpi_version_of_file(const char *path, char *out, size_t size)
{
	const char *name = strrchr(path, '/');
	int64_t n[3];

	out[0] = '\0';
	name = name ? name + 1 : path;
	if (numbers_of(name, "libmpi.so.", n) && n[0] == 40) {
		const char *first = n[1] == 20   ? "4.0"
		                    : n[1] == 30 ? "4.1"
		                    : n[1] == 40 ? "5.0"
		                                 : NULL;

		if (first && n[2] < 100)
			snprintf(out, size, "%s.%d", first, (int)n[2]);
	} else if (numbers_of(name, "libmpich.so.", n) && n[0] == 12 && n[1] >= 2 && n[1] < 100 &&
	           n[2] < 100) {
		snprintf(out, size, "4.%d.%d", (int)n[1] - 2, (int)n[2]);
	}
}

static int read_at(int fd, void *out, size_t n, uint64_t at)
{
	return at < INT64_MAX && pread(fd, out, n, (off_t)at) == (ssize_t)n;
}

static int header_read(struct elf *e)
{
	Elf64_Ehdr h;

	if (!read_at(e->fd, &h, sizeof h, 0) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 ||
	    h.e_ident[EI_CLASS] != ELFCLASS64)
		return 0;
	if (h.e_phentsize != sizeof *e->segments || h.e_phnum > SEGMENTS_MAX)
		return 0;
	e->n_segments = h.e_phnum;
	return read_at(e->fd, e->segments, sizeof *e->segments * h.e_phnum, h.e_phoff);
}

static int dynamic_read(struct elf *e)
{
	for (int i = 0; i < e->n_segments; i++) {
		const Elf64_Phdr *p = &e->segments[i];
		size_t n = p->p_filesz / sizeof *e->dynamic;

		if (p->p_type != PT_DYNAMIC)
			continue;
		n = n < DYNAMIC_MAX ? n : DYNAMIC_MAX;
		if (!read_at(e->fd, e->dynamic, n * sizeof *e->dynamic, p->p_offset))
			return 0;
		while (e->n_dynamic < (int)n && e->dynamic[e->n_dynamic].d_tag != DT_NULL)
			e->n_dynamic++; /* what is behind its end says nothing */
		return 1;
	}
	return 0;
}

/* Where in the file an address of the program is; 0 if nowhere. */
static uint64_t offset_of(const struct elf *e, uint64_t address)
{
	for (int i = 0; i < e->n_segments; i++) {
		const Elf64_Phdr *p = &e->segments[i];

		if (p->p_type == PT_LOAD && address >= p->p_vaddr &&
		    address - p->p_vaddr < p->p_filesz)
			return address - p->p_vaddr + p->p_offset;
	}
	return 0;
}

static uint64_t strings_offset(const struct elf *e)
{
	for (int i = 0; i < e->n_dynamic; i++)
		if (e->dynamic[i].d_tag == DT_STRTAB)
			return offset_of(e, e->dynamic[i].d_un.d_ptr);
	return 0;
}

static int standard_library(const char *soname)
{
	static const char start[] = "libmpi_abi.so";

	return strncmp(soname, start, sizeof start - 1) == 0;
}

/* What `of` makes of the first library needed of which it makes something, or 0. */
static int needed_find(const struct elf *e, int (*of)(const char *soname))
{
	uint64_t strings = strings_offset(e);

	for (int i = 0; strings && i < e->n_dynamic; i++) {
		char name[64] = "";
		ssize_t n;
		int found;

		if (e->dynamic[i].d_tag != DT_NEEDED)
			continue;
		n = pread(e->fd, name, sizeof name - 1,
		          (off_t)(strings + e->dynamic[i].d_un.d_val));
		found = n > 0 ? of(name) : 0;
		if (found)
			return found;
	}
	return 0;
}

static int program_find(const char *path, int (*of)(const char *soname))
{
	struct elf e = {.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
	int found = 0;

	if (e.fd < 0)
		return 0;
	if (header_read(&e) && dynamic_read(&e))
		found = needed_find(&e, of);
	close(e.fd);
	return found;
}

static int family_of(const char *soname)
{
	return (int)mpi_family_of_library(soname);
}

enum mpi_family mpi_family_of_program(const char *path)
{
	return (enum mpi_family)program_find(path, family_of);
}

int mpi_program_is_standard(const char *path)
{
	return program_find(path, standard_library);
}

const char *mpi_family_title(enum mpi_family f)
{
	return f == MPI_OPENMPI ? "Open MPI" : f == MPI_MPICH ? "MPICH" : "an unknown MPI";
}

const char *mpi_family_word(enum mpi_family f)
{
	return f == MPI_OPENMPI ? "openmpi" : f == MPI_MPICH ? "mpich" : "unknown";
}
