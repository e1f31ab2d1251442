/* fold.c: folded memory. A block of anonymous shared memory is mapped over the addresses again and
 * again. It is 1 MiB, or more where there would be too many mappings, of which a process may have
 * 65,530 (vm.max_map_count): half of these are for folded memory, in equal parts for all ranks of
 * the process. Ranks of one process share one block, and smaller blocks are its beginning.
 * Allocations are told apart by a table in the order of their addresses: a process has few, as they
 * are large, but thousands of ranks may share one.
 *
 * The last allocations that were given back are kept, and taken again by who wants one about as
 * large: programs that make buffers in each step (HPL's panels) would have the kernel map and clear
 * the same pages again and again. What takes much memory is not kept. */
#include "fold.h"

#include "base/num.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc's own: this file stands behind the names without __libc. */
extern void *__libc_malloc(size_t size);
extern void __libc_free(void *p);

enum { FOLDS = 1 << 16, HUGE = 2 << 20 };
/* Of one allocation, at most; how many large ones a rank may have. */
enum { MAPPINGS = 4096, LARGE_ONES = 4 };

static struct fold {
	void *p;
	size_t size;   /* that the program asked for; */
	size_t used;   /* whole pages; */
	size_t mapped; /* what there is: a kept one may be larger than what it was taken for */
	size_t *part;  /* what of it is folded, [part[2i], part[2i+1]), pages; NULL: all */
	int n_parts;
	size_t mappings;
	uint8_t bare;      /* nothing of it is */
	uint8_t kept;      /* given back, and may be taken again; */
	size_t kept_pages; /* so many are in memory */
} folds[FOLDS];
static size_t n_folds;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static size_t folded; /* bytes */

static uint32_t ranks = 1;
static size_t mappings; /* of all allocations */

static int one_block; /* all allocations of the process share it, */
static int common = -1;
static size_t common_size;

void fold_share(uint32_t n)
{
	one_block = 1;
	ranks = n > 0 ? n : 1;
}

static int huge;

void fold_huge(void)
{
	huge = 1;
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* A file of the kernel. The program, or who holds it, may stand before the C library's functions.
 */
static const char *proc_text(const char *path, char *text, size_t size)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : syscall(SYS_read, fd, text, size - 1);

	if (fd >= 0)
		syscall(SYS_close, fd);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static uint64_t number(const char *text)
{
	int64_t n = 0;

	num_take_digits(text + strspn(text, " \t"), &n);
	return (uint64_t)n;
}

static size_t max_map_count(void)
{
	char text[64];
	size_t n = number(proc_text("/proc/sys/vm/max_map_count", text, sizeof text));

	return n > 0 ? n : 65530;
}

static int block_open(size_t size, size_t page)
{
	int fd = memfd_create("orrery-fold", MFD_CLOEXEC | (page == HUGE ? MFD_HUGETLB : 0));

	if (fd >= 0 && ftruncate(fd, (off_t)size) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

static int block_take(size_t size, size_t page)
{
	if (!one_block)
		return block_open(size, page);
	if (common < 0) {
		common = block_open(size, page);
		common_size = size;
	}
	if (common >= 0 && size > common_size) {
		if (ftruncate(common, (off_t)size) < 0)
			return -1;
		common_size = size;
	}
	return common;
}

/* The block over [from, to), both at pages. Huge pages are reserved: one that is not there would be
 * the program's death when it is touched. */
static int block_repeat(int fd, char *from, const char *to, size_t block, size_t page)
{
	int flags = MAP_SHARED | MAP_FIXED | (page == HUGE ? 0 : MAP_NORESERVE);

	while (from < to) {
		size_t n = (size_t)(to - from) < block ? (size_t)(to - from) : block;

		if (mmap(from, n, PROT_READ | PROT_WRITE, flags, fd, 0) == MAP_FAILED)
			return -1;
		from += n;
	}
	return 0;
}

/* For all allocations. */
static size_t mappings_most(void)
{
	static size_t most;

	return most = most ? most : max_map_count() / 2;
}

/* How many mappings an allocation may have. */
static size_t mappings_allowed(void)
{
	size_t most = mappings_most(), left, each;

	left = most > mappings ? most - mappings : 1;
	each = most / ranks / LARGE_ONES;
	each = each > 1 ? each : 1;
	each = each < MAPPINGS ? each : MAPPINGS;
	return each < left ? each : left;
}

static int parts_fold(struct fold *f, size_t page)
{
	size_t block = FOLD_BLOCK > page ? FOLD_BLOCK : page, allowed = mappings_allowed();
	const size_t whole[2] = {0, f->mapped}, *part = f->part ? f->part : whole;
	int fd, rc = 0, n = f->part ? f->n_parts : 1;
	char *p = f->p;

	while (f->mapped / block > allowed)
		block *= 2;
	fd = block_take(block < f->mapped ? block : f->mapped, page);
	if (fd < 0)
		return -1;
	for (int i = 0; i < n && rc == 0; i++) {
		rc = block_repeat(fd, p + part[2 * i], p + part[2 * i + 1], block, page);
		f->mappings += (part[2 * i + 1] - part[2 * i] + block - 1) / block;
	}
	if (fd != common)
		close(fd);
	return rc;
}

/* Place of the first one that begins behind p; that before it may have p in it. The table is
 * locked, here and in what follows. */
static size_t behind(const void *p)
{
	size_t low = 0, high = n_folds;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if ((uintptr_t)folds[middle].p <= (uintptr_t)p)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void put(const struct fold *f)
{
	size_t i = behind(f->p);

	memmove(&folds[i + 1], &folds[i], (n_folds++ - i) * sizeof *folds);
	folds[i] = *f;
}

static void take(size_t i)
{
	memmove(&folds[i], &folds[i + 1], (--n_folds - i) * sizeof *folds);
}

/* That which begins at p, or NULL. */
static struct fold *begins_at(const void *p)
{
	size_t i = behind(p);

	return i > 0 && folds[i - 1].p == p ? &folds[i - 1] : NULL;
}

/* The same, if the program has it. */
static struct fold *found_at(const void *p)
{
	struct fold *f = begins_at(p);

	return f && !f->kept ? f : NULL;
}

static int remember(struct fold *f)
{
	int rc = -1;

	f->used = f->mapped;
	pthread_mutex_lock(&mutex);
	if (n_folds < FOLDS) {
		put(f);
		folded += f->bare ? 0 : f->mapped;
		mappings += f->mappings;
		rc = 0;
	}
	pthread_mutex_unlock(&mutex);
	return rc;
}

/* So many bytes of addresses, in whole pages, at such a page. */
static void *addresses(size_t size, size_t page, size_t *mapped)
{
	size_t more = page > page_size() ? page : 0, before;
	char *p;

	*mapped = (size + page - 1) / page * page;
	if (size == 0 || *mapped < size || *mapped + more < *mapped) {
		errno = ENOMEM;
		return NULL;
	}
	p = mmap(NULL, *mapped + more, PROT_READ | PROT_WRITE,
	         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		return NULL;
	before = more ? (page - (uintptr_t)p % page) % page : 0;
	if (before)
		munmap(p, before);
	if (more > before)
		munmap(p + before + *mapped, more - before);
	return p + before;
}

/* The parts that the program gave, in whole pages: those of none are left out, those that adjoin
 * are one, so that no edge is where nothing changes. */
static int parts_keep(struct fold *f, const size_t *offsets, int n, size_t page)
{
	if (n == 0)
		return 0;
	f->part = __libc_malloc(2 * (size_t)n * sizeof *f->part);
	if (!f->part)
		return -1;
	for (int i = 0; i < n; i++) {
		size_t from = (offsets[2 * i] + page - 1) / page * page;
		size_t to = offsets[2 * i + 1] / page * page;
		size_t *last = f->part + 2 * f->n_parts;

		to = to < f->mapped ? to : f->mapped;
		if (from >= to)
			continue;
		if (f->n_parts > 0 && last[-1] == from) {
			last[-1] = to;
			continue;
		}
		last[0] = from;
		last[1] = to;
		f->n_parts++;
	}
	return 0;
}

/* --- what the kernel counts again and again --- */

enum { NOTE_EVERY = 64 };                   /* allocations that are given back */
static size_t folded_most;                  /* bytes, when it was noted last */
static uint64_t shared_before, shared_most; /* KiB, without any and at most */

/* KiB of shared memory that this process has: of a block, as often as it is mapped. */
static uint64_t shared_now(void)
{
	char text[4096];
	const char *line = strstr(proc_text("/proc/self/status", text, sizeof text), "RssShmem:");

	return line ? number(line + 9) : 0;
}

static void shared_note(void)
{
	uint64_t now = shared_now();

	folded_most = folded;
	shared_most = now > shared_most ? now : shared_most;
}

/* Before some of it is given back, or a rank ends. */
static void shared_look(void)
{
	static unsigned n;

	if (folded > folded_most || n++ % NOTE_EVERY == 0)
		shared_note();
}

uint64_t fold_counted_again(void)
{
	uint64_t once = shared_before + ((one_block ? common_size : FOLD_BLOCK) >> 10);

	if (folded_most == 0 && folded == 0)
		return 0;
	shared_look();
	return shared_most > once ? shared_most - once : 0;
}

/* --- what was given back --- */

enum { KEPT = 64, KEPT_PAGES = 2048, KEPT_PART = 4 /* of the mappings */ };
static void *kept[KEPT];                         /* where they begin, the oldest first */
static size_t n_kept, kept_pages, kept_mappings; /* in memory, of all of them; and mappings */

static void leave(size_t i)
{
	memmove(&kept[i], &kept[i + 1], (--n_kept - i) * sizeof *kept);
}

/* How many pages of it are in memory, about: of folded memory none but the block's. */
static size_t pages_in(const struct fold *f)
{
	size_t pages = f->mapped / page_size(), in = 0;
	unsigned char *there = f->bare ? __libc_malloc(pages) : NULL;

	if (!f->bare)
		return 0;
	if (!there || mincore(f->p, f->mapped, there) < 0)
		in = pages;
	for (size_t i = 0; i < pages && in < pages; i++)
		in += there[i] & 1;
	__libc_free(there);
	return in;
}

/* It is no longer kept. */
static void uncount(struct fold *f)
{
	if (!f->kept)
		return;
	kept_pages -= f->kept_pages;
	kept_mappings -= f->mappings;
	f->kept = 0;
}

/* The memory of a table's entry goes. */
static void drop(struct fold *f)
{
	uncount(f);
	munmap(f->p, f->mapped);
	__libc_free(f->part);
	folded -= f->bare ? 0 : f->mapped;
	mappings -= f->mappings;
	take((size_t)(f - folds));
}

static void oldest_drop(void)
{
	drop(begins_at(kept[0]));
	leave(0);
}

static void give_back(struct fold *f)
{
	size_t in = f->part || huge ? SIZE_MAX : pages_in(f), most = mappings_most() / KEPT_PART;
	void *p = f->p;

	if (!f->bare)
		shared_look();
	if (in > KEPT_PAGES || f->mappings > most) {
		drop(f);
		return;
	}
	f->kept = 1;
	f->kept_pages = in;
	kept_pages += in;
	kept_mappings += f->mappings;
	while (n_kept == KEPT || kept_pages > KEPT_PAGES || kept_mappings > most)
		oldest_drop();
	kept[n_kept++] = p;
}

/* The latest that is large enough and not much larger, or NULL. */
static void *kept_take(size_t size, int bare)
{
	void *p = NULL;

	pthread_mutex_lock(&mutex);
	for (size_t i = n_kept; i-- > 0 && !p;) {
		struct fold *f = begins_at(kept[i]);

		if (f->bare != bare || f->mapped < size || f->mapped - size > f->mapped / 4)
			continue;
		p = f->p;
		f->size = size;
		f->used = (size + page_size() - 1) / page_size() * page_size();
		uncount(f);
		leave(i);
	}
	pthread_mutex_unlock(&mutex);
	return p;
}

/* --- allocations --- */

static void *fold_try(size_t size, const size_t *offsets, int n, size_t page)
{
	struct fold f = {.size = size};

	f.p = addresses(size, page, &f.mapped);
	if (!f.p)
		return NULL;
	if (folded_most == 0 && folded == 0)
		shared_before = shared_now();
	if (parts_keep(&f, offsets, n, page) == 0 && parts_fold(&f, page) == 0 && remember(&f) == 0)
		return f.p;
	munmap(f.p, f.mapped);
	__libc_free(f.part);
	errno = ENOMEM;
	return NULL;
}

/* Huge pages may be gone, to others. */
void *fold_new(size_t size, const size_t *offsets, int n)
{
	void *p = huge && size >= HUGE ? fold_try(size, offsets, n, HUGE)
	          : n == 0             ? kept_take(size, 0)
	                               : NULL;

	return p ? p : fold_try(size, offsets, n, page_size());
}

void *fold_bare(size_t size)
{
	void *p = kept_take(size, 1);

	return p ? p : fold_zero(size);
}

void *fold_zero(size_t size)
{
	struct fold f = {.size = size, .bare = 1};

	f.p = addresses(size, page_size(), &f.mapped);
	if (!f.p)
		return NULL;
	madvise(f.p, f.mapped, MADV_NOHUGEPAGE);
	if (remember(&f) == 0)
		return f.p;
	munmap(f.p, f.mapped);
	errno = ENOMEM;
	return NULL;
}

void *fold_bare_resize(void *p, size_t size)
{
	size_t page = page_size(), mapped = (size + page - 1) / page * page;
	void *moved = MAP_FAILED;
	struct fold *found, f;

	pthread_mutex_lock(&mutex);
	found = size > 0 && mapped >= size ? found_at(p) : NULL;
	if (found)
		moved = mremap(p, found->mapped, mapped, MREMAP_MAYMOVE);
	if (moved != MAP_FAILED) {
		f = *found;
		take((size_t)(found - folds));
		f.p = moved;
		f.size = size;
		f.mapped = f.used = mapped;
		put(&f);
	}
	pthread_mutex_unlock(&mutex);
	return moved == MAP_FAILED ? NULL : moved;
}

int fold_free(void *p)
{
	struct fold *found;

	if (n_folds == 0 || (uintptr_t)p % 4096 != 0)
		return 0;
	pthread_mutex_lock(&mutex);
	found = found_at(p);
	if (found)
		give_back(found);
	pthread_mutex_unlock(&mutex);
	return found != NULL;
}

/* The first byte at or after `at` where a part begins or ends; whether `at` is in one. */
static size_t part_end(const struct fold *f, size_t at, int *in)
{
	size_t end = f->used;

	*in = f->part == NULL;
	for (int i = 0; i < f->n_parts; i++)
		for (int k = 0; k < 2; k++) {
			size_t edge = f->part[2 * i + k];

			if (edge > at && edge < end)
				end = edge;
			*in |= k == 0 && edge <= at && f->part[2 * i + 1] > at;
		}
	return end;
}

enum fold_kind fold_at(const void *p, size_t n, size_t *same)
{
	uintptr_t at = (uintptr_t)p, end = at + n < at ? UINTPTR_MAX : at + n, from, part;
	enum fold_kind kind = FOLD_NOT;
	const struct fold *f;
	size_t i;
	int in;

	pthread_mutex_lock(&mutex);
	i = behind(p);
	if (i < n_folds && (uintptr_t)folds[i].p < end)
		end = (uintptr_t)folds[i].p;
	f = i > 0 ? &folds[i - 1] : NULL;
	from = f ? (uintptr_t)f->p : 0;
	if (f && !f->kept && at - from < f->used) {
		part = from + part_end(f, at - from, &in);
		end = part < end ? part : end;
		kind = f->bare ? FOLD_BARE : in ? FOLD_FOLDED : FOLD_NOT;
	}
	pthread_mutex_unlock(&mutex);
	*same = end - at;
	return kind;
}

int fold_holds(const void *p, size_t n)
{
	size_t same;

	return fold_at(p, n, &same) == FOLD_FOLDED && same == n;
}

size_t fold_size(const void *p)
{
	const struct fold *found;
	size_t size;

	if (n_folds == 0 || (uintptr_t)p % 4096 != 0)
		return 0;
	pthread_mutex_lock(&mutex);
	found = found_at(p);
	size = found ? found->size : 0;
	pthread_mutex_unlock(&mutex);
	return size;
}
