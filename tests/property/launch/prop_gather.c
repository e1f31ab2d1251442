/* prop_gather.c: random folders as 'orrery gather' sends them from host to host: packed and
 * unpacked, every file has its bytes, and nothing else is there; a stream that is cut anywhere, or
 * damaged in any byte, is told as that, in words. */
#include "property/prop.h"
#include "tmp.h"

#include "launch/gather.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILES = 6, BYTES = 1 << 18, LARGE = (1 << 20) + 17 };

struct file {
	char name[64];
	size_t n;
	unsigned char *bytes;
};

static void file_draw(struct file *f, struct rng *r, int i)
{
	static const char *const names[FILES] = {"rank-0.tit", "manifest", "a b",
	                                         "x'y\"z",     "-rf",      "é"};
	int text = prop_once_in(r, 2);

	snprintf(f->name, sizeof f->name, "%s", names[i]);
	f->n = prop_once_in(r, 12) ? LARGE : prop_once_in(r, 5) ? 0 : prop_from(r, 1, 5000);
	f->bytes = malloc(f->n + 1);
	assert_non_null(f->bytes);
	for (size_t k = 0; k < f->n; k++)
		f->bytes[k] = (unsigned char)(text ? 'a' + k % 7 : rng_u64(r));
}

static int folder_open(const struct tmp *t)
{
	int dir = open(t->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_true(dir >= 0);
	return dir;
}

/* The stream of a folder, as a file without name. */
static int packed(const char *folder)
{
	const char *const sources[] = {folder};
	const struct gather g = {.sources = sources, .n = 1, .fanout = 2, .shell = "false"};
	int out = memfd_create("stream", MFD_CLOEXEC);
	struct err err = {0};

	assert_true(out >= 0);
	assert_ok(gather_pack(&g, out, &err), err);
	return out;
}

static int unpack(int stream, const struct tmp *to, struct err *err)
{
	int dir = folder_open(to), r;

	*err = (struct err){.kind = ERR_NONE};
	assert_int_equal(lseek(stream, 0, SEEK_SET), 0);
	r = gather_unpack(stream, dir, err);
	close(dir);
	return r;
}

static void folder_compare(const struct tmp *t, const struct file *f, int n)
{
	struct tmp copy = *t;
	DIR *d = opendir(t->dir);
	int entries = 0;

	assert_non_null(d);
	while (readdir(d))
		entries++;
	closedir(d);
	assert_int_equal(entries, n + 2);
	for (int i = 0; i < n; i++) {
		size_t got;
		struct err err;
		char *bytes = input_read_all(tmp_path(&copy, f[i].name), &got, &err);

		assert_non_null(bytes);
		assert_int_equal(got, f[i].n);
		assert_memory_equal(bytes, f[i].bytes, got);
		free(bytes);
	}
}

static void test_random_folders(void **state)
{
	struct prop_run cases = prop_begin(40);

	(void)state;
	for (uint64_t i = 0; i < cases.cases; i++) {
		struct file f[FILES];
		struct tmp from, to;
		struct err err;
		struct rng r;
		int n, stream;

		rng_init(&r, cases.seed, "gathered", i);
		n = (int)prop_from(&r, 1, FILES); /* one of nothing is refused */
		tmp_init(&from);
		tmp_init(&to);
		for (int k = 0; k < n; k++) {
			file_draw(&f[k], &r, k);
			tmp_write_n(&from, f[k].name, f[k].bytes, f[k].n);
		}
		stream = packed(from.dir);
		assert_ok(unpack(stream, &to, &err), err);
		folder_compare(&to, f, n);
		for (int k = 0; k < n; k++)
			free(f[k].bytes);
		close(stream);
		tmp_release(&from);
		tmp_release(&to);
	}
}

/* It must fail, and say why. */
static void is_told(int stream, const char *what, long at)
{
	struct err err;
	struct tmp to;

	tmp_init(&to);
	if (unpack(stream, &to, &err) >= 0)
		fail_msg("%s at %ld: taken for whole", what, at);
	if (err.kind == ERR_NONE || !err.text[0])
		fail_msg("%s at %ld: an error without a word", what, at);
	tmp_release(&to);
}

static void test_cut_and_damaged(void **state)
{
	static char bytes[BYTES];
	struct tmp from;
	int stream, part = memfd_create("part", MFD_CLOEXEC);
	ssize_t n;

	(void)state;
	tmp_init(&from);
	tmp_write(&from, "rank-0.tit", "0 init\n0 compute 12345\n0 finalize\n");
	tmp_write(&from, "manifest", "complete: yes\n");
	stream = packed(from.dir);
	assert_int_equal(lseek(stream, 0, SEEK_SET), 0);
	n = read(stream, bytes, sizeof bytes);
	assert_true(n > 0 && n < BYTES);
	for (long at = 0; at < n; at++) {
		assert_int_equal(ftruncate(part, 0), 0);
		assert_int_equal(pwrite(part, bytes, (size_t)at, 0), at);
		is_told(part, "cut", at);
		bytes[at] ^= 0x55;
		assert_int_equal(pwrite(part, bytes, (size_t)n, 0), n);
		is_told(part, "damaged", at);
		bytes[at] ^= 0x55;
	}
	close(part);
	close(stream);
	tmp_release(&from);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_folders),
	    cmocka_unit_test(test_cut_and_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
