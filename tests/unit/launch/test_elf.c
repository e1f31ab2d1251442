/* test_elf.c: which MPI a program was linked with, from a file made by hand; whatever is damaged in
 * it, or missing, is "unknown", never more. */
#include "elf_file.h"

#include "base/rng.h"
#include "launch/binary.h"
#include "launch/elf.h"

#include <sys/resource.h>
#include <unistd.h>

static const char *const openmpi[] = {"libm.so.6", "libmpi.so.40", "libc.so.6"};
static const char *const mpich[] = {"libmpichfort.so.12", "libmpich.so.12", "libc.so.6"};
static const char *const none[] = {"libm.so.6", "libmpiwhatever.so", "libc.so.6"};

static enum mpi_family family(const struct elf_file *e, size_t bytes)
{
	enum mpi_family f;
	struct tmp t;

	tmp_init(&t);
	f = mpi_family_of_program(elf_write(&t, "program", e, bytes));
	tmp_release(&t);
	return f;
}

static void needed(void **state)
{
	static const struct {
		const char *const *libraries;
		int n;
		enum mpi_family family;
	} programs[] = {{openmpi, 3, MPI_OPENMPI}, {mpich, 3, MPI_MPICH},
	                {none, 3, MPI_UNKNOWN},    {openmpi, 1, MPI_UNKNOWN},
	                {openmpi, 2, MPI_OPENMPI}, {none, 0, MPI_UNKNOWN}};
	struct elf_file e;

	(void)state;
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		elf_make(&e, programs[i].libraries, programs[i].n);
		assert_int_equal(family(&e, ELF_SIZE), programs[i].family);
	}
}

/* Strings are found where the file is loaded, not where it lies: loaded from an offset, and at
 * another address. */
static void loaded_elsewhere(void **state)
{
	struct elf_file e;

	(void)state;
	elf_make(&e, mpich, 3);
	e.u.part.segment[0].p_offset = ELF_STRINGS;
	e.u.part.segment[0].p_filesz = ELF_SIZE - ELF_STRINGS;
	e.u.part.segment[0].p_vaddr = 0x7000;
	e.u.part.dynamic[0].d_un.d_ptr = 0x7000;
	assert_int_equal(family(&e, ELF_SIZE), MPI_MPICH);
	e.u.part.dynamic[0].d_un.d_ptr = 0x6fff; /* outside of all that is loaded */
	assert_int_equal(family(&e, ELF_SIZE), MPI_UNKNOWN);
}

static void other_files(void **state)
{
	struct elf_file e;
	struct tmp t;

	(void)state;
	elf_make(&e, mpich, 3);
	e.u.part.header.e_ident[EI_CLASS] = ELFCLASS32;
	assert_int_equal(family(&e, ELF_SIZE), MPI_UNKNOWN);
	elf_make(&e, mpich, 3);
	e.u.part.header.e_phentsize++;
	assert_int_equal(family(&e, ELF_SIZE), MPI_UNKNOWN);
	elf_make(&e, mpich, 3);
	e.u.part.header.e_phnum = 65;
	assert_int_equal(family(&e, ELF_SIZE), MPI_UNKNOWN);
	tmp_init(&t);
	assert_int_equal(
	    mpi_family_of_program(tmp_write(&t, "script", "#!/bin/sh\nlibmpich.so.12\n")),
	    MPI_UNKNOWN);
	assert_int_equal(mpi_family_of_program(tmp_write(&t, "empty", "")), MPI_UNKNOWN);
	assert_int_equal(mpi_family_of_program(tmp_path(&t, "nothing")), MPI_UNKNOWN);
	assert_int_equal(mpi_family_of_program(t.dir), MPI_UNKNOWN);
	assert_int_equal(mpi_family_of_program("/dev/null"), MPI_UNKNOWN);
	tmp_release(&t);
}

/* Cut anywhere before the name ends, it is not known; bytes that are changed at random make it
 * known, another one or unknown, and nothing else happens. */
static void damaged(void **state)
{
	struct elf_file e;
	struct rng r;
	size_t end;

	(void)state;
	elf_make(&e, openmpi, 2);
	end = ELF_STRINGS + 1 + sizeof "libm.so.6" + strlen("libmpi.so") - 1;
	for (size_t bytes = 0; bytes <= end; bytes += 7)
		assert_int_equal(family(&e, bytes), MPI_UNKNOWN);
	rng_init(&r, 1, "elf", 0);
	for (int i = 0; i < 2000; i++) {
		elf_make(&e, openmpi, 2);
		for (uint64_t k = 1 + rng_below(&r, 4); k > 0; k--)
			e.u.byte[rng_below(&r, ELF_STRINGS / 2)] = (unsigned char)rng_u64(&r);
		assert_true(family(&e, ELF_SIZE) <= MPI_MPICH);
	}
}

/* A file that there are no addresses for is not told to be no program. */
static void too_large(void **state)
{
	struct rlimit all, few;
	struct binary b;
	struct tmp t;
	struct err err;
	const char *path;
	int r;

	(void)state;
	tmp_init(&t);
	path = tmp_write(&t, "large", "x");
	assert_int_equal(truncate(path, (off_t)1 << 36), 0); /* a hole */
	assert_int_equal(getrlimit(RLIMIT_AS, &all), 0);
	few = all;
	few.rlim_cur = (rlim_t)1 << 35;
	assert_int_equal(setrlimit(RLIMIT_AS, &few), 0);
	r = binary_open(path, &b, &err);
	assert_int_equal(setrlimit(RLIMIT_AS, &all), 0);
	assert_int_equal(r, -1);
	assert_int_equal(err.kind, ERR_LIMIT);
	tmp_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(needed), cmocka_unit_test(loaded_elsewhere),
	    cmocka_unit_test(other_files), cmocka_unit_test(damaged), cmocka_unit_test(too_large)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
