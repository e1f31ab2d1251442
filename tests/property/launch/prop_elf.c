/* prop_elf.c: ELF programs drawn at random (elf(5)): segments in any order and place, a dynamic
 * section whose entries come in any order, with others between them, what is behind its end being
 * garbage, and a table of strings. Both readers of the room find the libraries that were drawn, in
 * order; the family is that of the first one that is an MPI's. */
#include "property/prop.h"
#include "unit/launch/elf_image.h"

#include "launch/binary.h"
#include "launch/elf.h"

static const struct {
	const char *name;
	enum mpi_family family;
} libraries[] = {
    {"libc.so.6", MPI_UNKNOWN},         {"libm.so.6", MPI_UNKNOWN},
    {"libmpi.so.40", MPI_OPENMPI},      {"libmpi.so.12", MPI_MPICH},
    {"libmpich.so.12", MPI_MPICH},      {"libmpi_mpifh.so.40", MPI_OPENMPI},
    {"libmpichfort.so.12", MPI_MPICH},  {"libmpifort.so.12", MPI_MPICH},
    {"libmpi_cxx.so.40", MPI_OPENMPI},  {"libmpi_usempif08.so.40", MPI_OPENMPI},
    {"libmpiwrapper.so", MPI_UNKNOWN},  {"mylibmpi.so.40", MPI_UNKNOWN},
    {"libmp.so", MPI_UNKNOWN},          {"", MPI_UNKNOWN},
    {"libopen-rte.so.40", MPI_UNKNOWN}, {"libmpicxx.so.12", MPI_MPICH},
};
enum { LIBRARIES = sizeof libraries / sizeof *libraries };

/* The file and what is in it. */
struct drawn {
	struct elf_image e;
	int n, library[ELF_IMAGE_NEEDED]; /* needed, in order */
	const char *rpath, *runpath;
};

static void draw(struct drawn *d, struct rng *r)
{
	memset(d, 0, sizeof *d);
	elf_image_begin(&d->e);
	d->n = (int)prop_from(r, 0, 5);
	for (int i = 0; i < d->n; i++)
		d->library[i] = (int)prop_from(r, 0, LIBRARIES - 1);
	for (int i = 0; i < d->n; i++) {
		while (prop_once_in(r, 3)) /* what nobody here asks for */
			elf_image_put(&d->e, DT_DEBUG, rng_u64(r));
		elf_image_string(&d->e, DT_NEEDED, libraries[d->library[i]].name);
	}
	if (prop_once_in(r, 3))
		elf_image_string(&d->e, DT_RPATH, d->rpath = "/opt/mpi/lib");
	if (prop_once_in(r, 3))
		elf_image_string(&d->e, DT_RUNPATH, d->runpath = "$ORIGIN/../lib");
	elf_image_put(&d->e, DT_NULL, 0);
	/* the section is larger than what is in it, as linkers make it */
	for (int i = (int)prop_from(r, 0, 3); i > 0; i--)
		elf_image_string(&d->e, DT_NEEDED, "libmpich.so.12");
	elf_image_end(&d->e, r);
}

static enum mpi_family family_drawn(const struct drawn *d)
{
	for (int i = 0; i < d->n; i++)
		if (libraries[d->library[i]].family != MPI_UNKNOWN)
			return libraries[d->library[i]].family;
	return MPI_UNKNOWN;
}

static void same_text(const char *found, const char *wanted)
{
	if (!wanted)
		assert_null(found);
	else
		assert_string_equal(found, wanted);
}

static void compare(const struct drawn *d, const char *path)
{
	struct binary b;
	struct err err;

	if (mpi_family_of_program(path) != family_drawn(d))
		fail_msg("family %d, not %d", (int)mpi_family_of_program(path),
		         (int)family_drawn(d));
	assert_int_equal(binary_open(path, &b, &err), 0);
	assert_int_equal(b.n_needed, d->n);
	for (int i = 0; i < d->n; i++)
		assert_string_equal(b.needed[i], libraries[d->library[i]].name);
	same_text(b.rpath, d->rpath);
	same_text(b.runpath, d->runpath);
	assert_int_equal(b.is_program, d->e.has_interpreter);
	binary_release(&b);
}

static void test_random_programs(void **state)
{
	struct prop_run run = prop_begin(150);
	struct tmp t;

	(void)state;
	tmp_init(&t);
	for (uint64_t i = 0; i < run.cases; i++) {
		struct drawn d;
		struct rng r;

		rng_init(&r, run.seed, "elf", i);
		draw(&d, &r);
		compare(&d, tmp_write_n(&t, "program", d.e.byte, d.e.size));
	}
	tmp_release(&t);
}

/* Cut or changed anywhere, neither reader says more than what a library may be called, nor reads
 * beyond the file (under sanitizers). */
static void test_damaged_programs(void **state)
{
	struct prop_run run = prop_begin(200);
	struct tmp t;

	(void)state;
	tmp_init(&t);
	for (uint64_t i = 0; i < run.cases; i++) {
		struct drawn d;
		struct binary b;
		struct err err;
		struct rng r;
		const char *path;

		rng_init(&r, run.seed, "damaged", i);
		draw(&d, &r);
		for (int k = (int)prop_from(&r, 0, 6); k > 0; k--)
			d.e.byte[rng_below(&r, d.e.size)] = (unsigned char)rng_u64(&r);
		if (prop_once_in(&r, 2))
			d.e.size = rng_below(&r, d.e.size + 1);
		path = tmp_write_n(&t, "program", d.e.byte, d.e.size);
		assert_true(mpi_family_of_program(path) <= MPI_MPICH);
		if (binary_open(path, &b, &err) != 0)
			continue;
		for (uint32_t k = 0; k < b.n_needed; k++)
			assert_true(strlen(b.needed[k]) < d.e.size);
		binary_release(&b);
	}
	tmp_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_programs),
	    cmocka_unit_test(test_damaged_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
