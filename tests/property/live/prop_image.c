/* prop_image.c: a program that is a coroutine is read from its file by src/live/coro/image*.c: a
 * file of which some bytes are others is read, or refused with a reason that names it; nobody is
 * killed by it. Each case is a process of its own: a library that a changed file names may do
 * anything (the C library's loader opens it), but not here. */
#include "live/coro/coro_int.h"

#include "base/rng.h"
#include "tmp.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CASES = 150, SIZE_MOST = 4 << 20, SKIPPED = 77 };
enum verdict { READ = 10, REFUSED, UNNAMED };

static unsigned char *file;
static size_t size;

/* A small program of the system's: position-independent, linked to the C library. */
static int file_find(void)
{
	static const char *const programs[] = {"/bin/true", "/usr/bin/true", "/bin/echo"};

	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		int fd = open(programs[i], O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? -1 : read(fd, file, SIZE_MOST);

		if (fd >= 0)
			close(fd);
		if (n < (ssize_t)sizeof(Elf64_Ehdr) || memcmp(file, ELFMAG, SELFMAG) != 0)
			continue;
		size = (size_t)n;
		return ((const Elf64_Ehdr *)(void *)file)->e_type == ET_DYN;
	}
	return 0;
}

/* --- a change: mostly of headers and of the tables that are read --- */

/* Where the bytes of a section lie, by its type; 0: nowhere. */
static uint64_t section(uint32_t type, uint64_t *bytes)
{
	const Elf64_Ehdr *e = (const void *)file;
	const Elf64_Shdr *s = (const void *)(file + e->e_shoff);

	if (e->e_shoff + (uint64_t)e->e_shnum * sizeof *s > size)
		return 0;
	for (int i = 0; i < e->e_shnum; i++)
		if (s[i].sh_type == type && s[i].sh_offset + s[i].sh_size <= size) {
			*bytes = s[i].sh_size;
			return s[i].sh_offset;
		}
	return 0;
}

static uint64_t place_draw(struct rng *r)
{
	static const uint32_t types[] = {SHT_DYNAMIC,   SHT_DYNSYM,     SHT_RELA,
	                                 SHT_GNU_HASH,  SHT_GNU_versym, SHT_GNU_verneed,
	                                 SHT_INIT_ARRAY};
	const Elf64_Ehdr *e = (const void *)file;
	uint64_t bytes = 0, from = 0;

	switch (rng_below(r, 4)) {
	case 0:
		return rng_below(r, sizeof *e);
	case 1: /* program headers */
		from = e->e_phoff;
		bytes = (uint64_t)e->e_phnum * sizeof(Elf64_Phdr);
		break;
	case 2:
		from = section(types[rng_below(r, sizeof types / sizeof *types)], &bytes);
		break;
	default:
		bytes = size;
	}
	return bytes && from + bytes <= size ? from + rng_below(r, bytes) : rng_below(r, size);
}

static void change(struct rng *r, unsigned char *copy)
{
	static const uint64_t odd[] = {
	    0, 1, 7, 255, 4096, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX, (uint64_t)1 << 40};

	for (uint64_t n = 1 + rng_below(r, 3); n > 0; n--) {
		uint64_t width = (uint64_t)1 << rng_below(r, 4), at = place_draw(r) / width * width,
		         x = rng_below(r, 2) ? odd[rng_below(r, sizeof odd / sizeof *odd)]
		                             : rng_u64(r);

		if (at + width <= size)
			memcpy(copy + at, &x, width);
	}
}

/* --- reading it --- */

static enum verdict child_read(const char *path)
{
	static const struct image_own none[1];
	struct image im = {.n = 0};
	struct err err = {.kind = 0};
	int r;

	r = image_read(
	    &im, &(struct image_words){.program = path, .library = "/nowhere", .own = none}, &err);
	if (r == 0)
		r = image_slots(&im, 2, 1 << 16, &err);
	for (uint32_t i = 0; r == 0 && i < im.n_fix; i++)
		if (im.fix[i].kind == FIX_CALL) /* the program's own code runs */
			return READ;
	if (r == 0)
		r = slot_lay(&im, 0, &err);
	if (r == 0)
		return READ;
	return err.text[0] ? REFUSED : UNNAMED;
}

static int verdict_of(const char *path)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGILL};

		for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
			signal(fatal[i], SIG_DFL); /* cmocka's go on with the test */
		alarm(5);
		_exit(child_read(path));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void changed_files(void **state)
{
	const char *one = getenv("PROP_SEED"), *cases = getenv("PROP_CASES");
	uint64_t from = one ? strtoull(one, NULL, 10) : 1, to = one     ? from
	                                                        : cases ? strtoull(cases, NULL, 10)
	                                                                : CASES;
	unsigned char *copy = malloc(size);
	int wrong = 0, refused = 0;
	struct tmp t;

	(void)state;
	assert_non_null(copy);
	tmp_init(&t);
	tmp_write_n(&t, "program", file, size);
	assert_int_equal(verdict_of(t.path), READ); /* as it is */
	for (uint64_t seed = from; seed <= to; seed++) {
		struct rng r;
		int v;

		rng_init(&r, seed, "images", 0);
		memcpy(copy, file, size);
		change(&r, copy);
		if (rng_below(&r, 20) == 0)
			tmp_write_n(&t, "program", copy, rng_below(&r, size));
		else
			tmp_write_n(&t, "program", copy, size);
		v = verdict_of(t.path);
		refused += v == REFUSED;
		if (v == READ || v == REFUSED)
			continue;
		print_error("seed %llu: %d\n", (unsigned long long)seed, v);
		wrong++;
	}
	tmp_release(&t);
	free(copy);
	assert_int_equal(wrong, 0);
	assert_true(one || refused > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(changed_files)};
	int failed;

	file = malloc(SIZE_MOST);
	if (!file || !file_find()) {
		puts("no small program of this system is position-independent");
		return SKIPPED;
	}
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	free(file);
	return failed;
}
