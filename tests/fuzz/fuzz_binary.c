/* fuzz_binary.c: any bytes as a program's or library's file: what it needs, wants and has are names
 * that end within it, or it is no ELF file, or an error. */
#include "launch/binary.h"

#include "fuzz/content.h"
#include "fuzz/fuzz.h"
#include "launch/elf.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void names_check(const struct binary *b, const char *const *name, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (*name[i] && /* else: it was nowhere */
		    (name[i] < (const char *)b->map ||
		     name[i] + strlen(name[i]) >= (const char *)b->map + b->size))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("binary", MFD_CLOEXEC);
	struct err err = {0};
	struct binary b;
	char path[64];

	if (fd < 0)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	content_set(path, data, size);
	if (mpi_family_of_program(path) > MPI_MPICH)
		abort();
	if (binary_open(path, &b, &err) == 0) {
		names_check(&b, b.needed, b.n_needed);
		names_check(&b, b.wanted, b.n_wanted);
		names_check(&b, b.owned, b.n_owned);
		binary_names(&b, "main");
		binary_release(&b);
	}
	close(fd);
	return 0;
}
