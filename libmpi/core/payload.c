/* payload.c: what a message carries: all of its data or, where memory is folded, those that matter.
 * The pieces of a message that lie in folded memory have no values, and are not moved; a page that
 * the program has never written is zero, and is not read (that would give it memory). All else
 * arrives as it was sent: the pivots of a panel, say, beside a panel that nobody has computed.
 *
 * Whether a page was written is what /proc/thread-self/pagemap says of it (/proc/self has none when
 * the first thread has ended); only of memory that the library of folded memory has made, as a page
 * of a file is not zero when it was never looked at. */
#include "p2p.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/fold.h"

enum { WINDOW = 512 };
enum { HOLE_LEAST = 4096 };     /* less is moved: a piece costs more */
enum { LOOK_LEAST = 32 << 10 }; /* of messages of less the pages are not looked at */

enum kind { MATTERS, ZERO, NOTHING };

/* The kernel's: of AArch64's some have pages of 16 or 64 KiB. */
static uintptr_t page_bytes(void)
{
	static uintptr_t bytes;

	bytes = bytes ? bytes : (uintptr_t)sysconf(_SC_PAGESIZE);
	return bytes;
}

/* --- what memory is --- */

struct look {
	link_memory_kind *memory;
	const char *buf;
	uintptr_t from, to; /* memory of one kind: */
	int region;         /* enum fold_kind */
	int blind;          /* pages are not looked at */
	int fd;             /* of the page map; -1: not open, -2: cannot be */
	uintptr_t window;   /* first page of: */
	uint64_t entry[WINDOW];
	int n_entries;
	/* what was found of a message, in order */
	struct part {
		enum kind kind;
		uint64_t bytes;
	} * part;
	size_t n_parts, cap_parts;
};

/* The page map of this process. Where it is that of all ranks it stays open; whoever closes what he
 * has not opened may have another file under its number since. */
static struct page_map {
	int fd;
	dev_t dev;
	ino_t ino;
} page_map = {.fd = -1};

static int page_map_open(void)
{
	struct stat st;
	int fd;

	if (page_map.fd >= 0 && fstat(page_map.fd, &st) == 0 && st.st_dev == page_map.dev &&
	    st.st_ino == page_map.ino)
		return page_map.fd;
	page_map.fd = -1;
	fd = open("/proc/thread-self/pagemap", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && link_now->hold && fstat(fd, &st) == 0)
		page_map = (struct page_map){fd, st.st_dev, st.st_ino};
	return fd;
}

static void look_end(struct look *k)
{
	if (k->fd >= 0 && k->fd != page_map.fd)
		close(k->fd);
	free(k->part);
}

/* From a page to that before `end`, or as many as there is room for. */
static int window_read(struct look *k, uintptr_t page, uintptr_t end)
{
	size_t wanted = end - page < WINDOW ? end - page : WINDOW;
	ssize_t n;

	if (k->fd == -1)
		k->fd = page_map_open();
	if (k->fd < 0) {
		k->fd = -2;
		return -1;
	}
	n = pread(k->fd, k->entry, wanted * sizeof *k->entry, (off_t)(page * sizeof *k->entry));
	k->window = page;
	k->n_entries = n > 0 ? (int)((size_t)n / sizeof *k->entry) : 0;
	return k->n_entries > 0 ? 0 : -1;
}

/* One that is neither in memory nor swapped out was never written. What is in one that is tells
 * itself: the kernel's page of zeros, if it was read and never written, or zeros that were
 * written. */
static int is_written(uint64_t entry, uintptr_t page)
{
	const uint64_t in_memory = (uint64_t)1 << 63, swapped = (uint64_t)1 << 62;
	const char *p = (const char *)(page * page_bytes()); // NOLINT(performance-no-int-to-ptr)

	if ((entry & (in_memory | swapped)) == 0)
		return 0;
	return *p != 0 || memcmp(p, p + 1, page_bytes() - 1) != 0;
}

/* [at, end) is memory whose pages may be looked at. */
static enum kind page_kind(struct look *k, uintptr_t at, uintptr_t end, size_t *same)
{
	const uintptr_t bytes = page_bytes();
	uintptr_t page = at / bytes, i;
	int there;

	if ((k->n_entries == 0 || page < k->window || page >= k->window + (unsigned)k->n_entries) &&
	    window_read(k, page, (end + bytes - 1) / bytes) < 0) {
		*same = end - at;
		return MATTERS;
	}
	i = page - k->window;
	there = is_written(k->entry[i], page);
	while (i < (unsigned)k->n_entries && (k->window + i) * bytes < end &&
	       is_written(k->entry[i], k->window + i) == there)
		i++;
	if ((k->window + i) * bytes < end)
		end = (k->window + i) * bytes;
	*same = end - at;
	return there ? MATTERS : ZERO;
}

static enum kind kind_at(struct look *k, const char *p, size_t n, size_t *same)
{
	uintptr_t at = (uintptr_t)p, end = at + n;
	size_t region;

	if (at < k->from || at >= k->to) {
		region = n;
		k->region = k->memory ? k->memory(p, (size_t)1 << 46, &region) : FOLD_NOT;
		k->from = at;
		k->to = at + region;
	}
	if (k->to < end)
		end = k->to;
	if (k->region == FOLD_BARE && !k->blind)
		return page_kind(k, at, end, same);
	*same = end - at;
	return k->region == FOLD_FOLDED ? NOTHING : MATTERS;
}

/* --- sending --- */

static int part_add(struct look *k, enum kind kind, uint64_t bytes)
{
	struct part *grown;

	if (k->n_parts && k->part[k->n_parts - 1].kind == kind) {
		k->part[k->n_parts - 1].bytes += bytes;
		return 0;
	}
	if (k->n_parts == k->cap_parts) {
		k->cap_parts = k->cap_parts ? 2 * k->cap_parts : 64;
		grown = realloc(k->part, k->cap_parts * sizeof *grown);
		if (!grown)
			return -1;
		k->part = grown;
	}
	k->part[k->n_parts++] = (struct part){kind, bytes};
	return 0;
}

static int run_look(void *self, int64_t disp, int64_t bytes)
{
	struct look *k = self;
	const char *p = k->buf + disp;

	for (size_t n = (size_t)bytes, same; n > 0; p += same, n -= same) {
		enum kind kind = kind_at(k, p, n, &same);

		if (part_add(k, kind, same) < 0)
			return 1;
	}
	return 0;
}

/* Small holes are moved; what is left: the bytes that matter, the pieces that are told. */
static uint64_t parts_join(struct look *k, size_t *pieces)
{
	size_t n = k->n_parts;
	uint64_t matter = 0;

	k->n_parts = 0;
	for (size_t i = 0; i < n; i++) {
		struct part p = k->part[i];

		part_add(k, p.bytes < HOLE_LEAST ? MATTERS : p.kind, p.bytes);
	}
	*pieces = 0;
	for (size_t i = 0; i < k->n_parts; i++) {
		*pieces += k->part[i].kind != NOTHING;
		matter += k->part[i].kind == MATTERS ? k->part[i].bytes : 0;
	}
	return matter;
}

static uint64_t dense_block(const void *buf, MPI_Count count, struct orr_type *type, uint64_t bytes)
{
	uint64_t block = link_block(bytes);
	int64_t disp;

	if (orr_is_contiguous(type, count, &disp))
		memcpy(link_at(block), (const char *)buf + disp, bytes);
	else
		orr_pack(buf, count, type, 0, (int64_t)bytes, link_at(block));
	return block;
}

static uint64_t sparse_block(const struct look *k, size_t pieces, uint64_t matter, MPI_Count count,
                             struct orr_type *type)
{
	size_t head = sizeof(struct wire_pieces) + pieces * sizeof(struct wire_piece);
	uint64_t block = link_block(head + matter), at = 0;
	struct wire_pieces *w = link_at(block);
	char *to = (char *)w + head;

	wire_block(link_state()->head, block)->sparse = 1;
	w->n = 0;
	for (size_t i = 0; i < k->n_parts; at += k->part[i++].bytes) {
		const struct part *p = &k->part[i];

		if (p->kind == NOTHING)
			continue;
		w->piece[w->n++] = (struct wire_piece){at, p->bytes, p->kind == ZERO};
		if (p->kind == MATTERS)
			to += orr_pack(k->buf, count, type, (int64_t)at, (int64_t)(at + p->bytes),
			               to);
	}
	return block;
}

static uint64_t folded_block(const void *buf, MPI_Count count, struct orr_type *type,
                             uint64_t bytes)
{
	struct look k = {
	    .memory = link_memory(), .buf = buf, .blind = bytes < LOOK_LEAST, .fd = -1};
	uint64_t matter = bytes, block = 0;
	size_t pieces = 1;

	if (orr_walk(type, count, 0, (int64_t)bytes, run_look, &k) == 0)
		matter = parts_join(&k, &pieces);
	if (matter > bytes - bytes / 8)
		block = dense_block(buf, count, type, bytes);
	else if (pieces > 0)
		block = sparse_block(&k, pieces, matter, count, type);
	look_end(&k);
	return block;
}

uint64_t pack_block(const void *buf, MPI_Count count, struct orr_type *type, uint64_t bytes)
{
	if (bytes == 0)
		return 0;
	if (bytes >= HOLE_LEAST && link_memory())
		return folded_block(buf, count, type, bytes);
	return data_is_folded(buf, count, type) ? 0 : dense_block(buf, count, type, bytes);
}

/* --- receiving --- */

static int run_clear(void *self, int64_t disp, int64_t bytes)
{
	struct look *k = self;
	char *p = (char *)(uintptr_t)k->buf + disp;

	for (size_t n = (size_t)bytes, same; n > 0; p += same, n -= same)
		if (kind_at(k, p, n, &same) == MATTERS)
			memset(p, 0, same);
	return 0;
}

static void sparse_unpack(void *buf, MPI_Count count, struct orr_type *type, uint64_t n,
                          const struct wire_pieces *w)
{
	const char *from = (const char *)&w->piece[w->n];
	struct look k = {.memory = link_memory(), .buf = buf, .fd = -1};

	for (uint64_t i = 0; i < w->n && w->piece[i].at < n; i++) {
		int64_t at = (int64_t)w->piece[i].at;
		int64_t end = (int64_t)(w->piece[i].at + w->piece[i].bytes);

		end = end < (int64_t)n ? end : (int64_t)n;
		if (w->piece[i].zero)
			orr_walk(type, count, at, end, run_clear, &k);
		else
			from += orr_unpack(buf, count, type, at, end, from);
	}
	look_end(&k);
}

void unpack_block(void *buf, MPI_Count count, struct orr_type *type, uint64_t n, uint64_t block)
{
	int64_t disp;

	if (wire_block(link_state()->head, block)->sparse)
		sparse_unpack(buf, count, type, n, link_at(block));
	else if (orr_is_contiguous(type, count, &disp))
		memcpy((char *)buf + disp, link_at(block), n);
	else
		orr_unpack(buf, count, type, 0, (int64_t)n, link_at(block));
}
