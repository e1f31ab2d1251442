/* chapters.c: see chapters.h. */
#include "chapters.h"
#include "trace/trace_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- the file --- */

/* The file, which for a folder is one in it, opened: 1; 0: there is none; -1. */
static int file_open(const char *path, int *fd, struct err *err)
{
	char inside[4096];
	int is = there_is_folder(path, err);

	if (is > 0 && (size_t)snprintf(inside, sizeof inside, "%s/%s", path, TRACE_EVENTS_FILE) <
	                  sizeof inside)
		path = inside;
	if (is >= 0)
		is = there_is_file(path, err);
	if (is <= 0)
		return is;
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return *fd < 0 ? err_sys(err, errno, "cannot open the trace %s", path) : 1;
}

int chapters_probe(const char *path, struct err *err)
{
	uint8_t head[HEAD_BYTES];
	uint32_t ranks;
	ssize_t n;
	int fd, is = file_open(path, &fd, err);

	if (is <= 0)
		return is;
	n = file_head(fd, path, head, sizeof head, err);
	close(fd);
	return n <= 0 ? (int)n : head_get(head, (size_t)n, path, &ranks, err);
}

int chapters_map(struct chapters *f, const char *path, struct err *err)
{
	int fd, error, is = file_open(path, &fd, err);
	struct stat st;
	void *map = MAP_FAILED;

	if (is <= 0)
		return is < 0 ? -1 : err_sys(err, ENOENT, "cannot open the trace %s", path);
	if (fstat(fd, &st) == 0)
		map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	error = errno;
	close(fd);
	if (map == MAP_FAILED)
		return err_sys(err, error, "cannot read the trace %s", path);
	f->map = map;
	f->size = (size_t)st.st_size;
	return 0;
}

/* --- blocks --- */

/* What a block has, unpacked; in *own if that takes memory. NULL: damaged, or *err is set. */
static const uint8_t *block_open(const struct block *b, const uint8_t *stored, uint8_t **own,
                                 const char *path, struct err *err)
{
	int s;

	*own = NULL;
	if (block_checksum(stored, b->stored) != b->checksum || b->packing >= BLOCK_PACKINGS)
		return NULL;
	if (b->packing == BLOCK_PLAIN)
		return b->stored == b->raw ? stored : NULL;
	/* No packing makes a thousand times less of what is worth reading. */
	if (b->raw / 4096 > b->stored + 1)
		return NULL;
	*own = malloc(b->raw + 1);
	if (!*own) {
		err_nomem(err, "a block of a trace", b->raw);
		return NULL;
	}
	s = block_unpack(b->packing, stored, b->stored, *own, b->raw);
	if (s == 0)
		return *own;
	if (s == 2)
		err_nomem(err, "a block of a trace", b->raw);
	else if (s > 0)
		err_set(err, ERR_LIMIT,
		        "%s is packed with zstd, which this program was built without "
		        "(Debian: libzstd-dev, and build again)",
		        path);
	free(*own);
	*own = NULL;
	return NULL;
}

static int part_add(struct chapters *f, const struct block *b, const uint8_t *stored,
                    const char *path, uint32_t ranks, struct err *err)
{
	struct part *p = vec_grow(f->part, &f->cap, sizeof *p, (size_t)f->n + 1,
	                          "chapters of a trace", err);
	const uint8_t *bytes;

	if (!p)
		return -1;
	f->part = p;
	p = &p[f->n];
	memset(p, 0, sizeof *p);
	bytes = block_open(b, stored, &p->raw, path, err);
	if (!bytes)
		return -1;
	p->chapter = chapter_read(bytes, b->raw, ranks, path, err);
	if (!p->chapter) {
		free(p->raw);
		return -1;
	}
	f->n++;
	for (uint32_t i = 0; i < p->chapter->classes; i++)
		if (p->chapter->cls[i].depth >= f->depth)
			f->depth = p->chapter->cls[i].depth + 1;
	return 0;
}

static int shared_add(struct chapters *f, const struct block *b, const uint8_t *stored,
                      const char *path, struct err *err)
{
	struct part *p = f->n ? &f->part[f->n - 1] : NULL;
	const uint8_t *bytes;

	if (!p || p->whole)
		return 0;
	bytes = block_open(b, stored, &p->shared, path, err);
	if (!bytes || chapter_read_costs(p->chapter, bytes, b->raw, path, err) < 0)
		return -1;
	p->whole = 1;
	return 0;
}

static int costs_add(struct chapters *f, const struct block *b, const uint8_t *stored,
                     struct err *err)
{
	struct part *p;
	struct costs *c;

	if (f->n == 0)
		return 0;
	p = &f->part[f->n - 1];
	c = vec_grow(p->costs, &p->cap, sizeof *c, (size_t)p->n + 1, "costs of a trace", err);
	if (!c)
		return -1;
	p->costs = c;
	c[p->n++] = (struct costs){.block = *b, .stored = stored};
	return 0;
}

int chapters_scan(struct chapters *f, const char *path, uint32_t ranks, struct err *err)
{
	size_t at = HEAD_BYTES;

	err->kind = ERR_NONE;
	for (;;) {
		struct block b;
		const uint8_t *stored = f->map + at + BLOCK_BYTES;
		int s = 0;

		f->damage = at;
		f->cut = at + BLOCK_BYTES > f->size;
		if (f->cut || block_get(f->map + at, f->size - at, &b) < 0)
			return 0;
		if (b.kind == BLOCK_END) /* nothing comes after it: one in the middle was made so */
			return b.stored == 0 && at + BLOCK_BYTES == f->size;
		f->cut = b.stored > f->size - at - BLOCK_BYTES;
		if (f->cut)
			return 0;
		if (b.kind == BLOCK_STRUCTURE)
			s = part_add(f, &b, stored, path, ranks, err);
		else if (b.kind == BLOCK_SHARED)
			s = shared_add(f, &b, stored, path, err);
		else if (b.kind == BLOCK_COSTS)
			s = costs_add(f, &b, stored, err);
		else if (b.kind == BLOCK_TEXT && block_checksum(stored, b.stored) != b.checksum)
			s = -1; /* without its unit and library the same calls take another time */
		if (s < 0)
			return err->kind == ERR_NONE ? 0 : -1;
		at += BLOCK_BYTES + b.stored;
	}
}

/* --- what it has --- */

int part_costs(struct part *p, uint32_t rank, const char *path, struct costs **out,
               const uint8_t **own, size_t *n, struct err *err)
{
	for (uint32_t i = 0; i < p->n; i++) {
		struct costs *c = &p->costs[i];
		const uint8_t *raw, *end;

		if (rank < c->block.first || rank > c->block.last)
			continue;
		*out = c;
		if (!c->raw && !c->checked) {
			c->bad = !block_open(&c->block, c->stored, &c->raw, path, err);
			c->checked = c->block.packing == BLOCK_PLAIN;
		}
		if (c->bad)
			return -1;
		raw = c->raw ? c->raw : c->stored;
		for (end = raw + c->block.raw; end - raw >= 8; raw += *n) {
			uint32_t head[2];

			memcpy(head, raw, sizeof head);
			raw += 8;
			*n = head[1];
			if (*n > (size_t)(end - raw))
				return -1;
			if (head[0] != rank)
				continue;
			*own = raw;
			return 1;
		}
	}
	*out = NULL;
	return 0;
}

int compressed_block(const char *path, enum block_kind kind, struct str *text, struct err *err)
{
	struct chapters f = {0};
	struct block b;
	uint8_t *own = NULL;
	const uint8_t *bytes = NULL;
	int r = chapters_probe(path, err);

	if (r <= 0)
		return r;
	if (chapters_map(&f, path, err) < 0)
		return -1;
	for (size_t at = HEAD_BYTES; !bytes && r > 0; at += BLOCK_BYTES + b.stored) {
		if (at > f.size || block_get(f.map + at, f.size - at, &b) < 0 ||
		    b.stored > f.size - at - BLOCK_BYTES)
			break;
		if (b.kind == kind) {
			err->kind = ERR_NONE;
			bytes = block_open(&b, f.map + at + BLOCK_BYTES, &own, path, err);
			/* one that is damaged is passed over here: chapters_scan tells that */
			r = bytes || err->kind == ERR_NONE ? 1 : -1;
		}
	}
	if (bytes)
		str_putn(text, (const char *)bytes, b.raw);
	free(own);
	munmap((void *)(uintptr_t)f.map, f.size);
	if (text->failed)
		return err_nomem(err, "a manifest", b.raw);
	return r < 0 ? -1 : text->n > 0;
}

uint64_t chapters_costs_at(const struct chapters *f, const struct costs *c)
{
	return (uint64_t)(c->stored - f->map) - BLOCK_BYTES;
}

void chapters_release(struct chapters *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		for (uint32_t k = 0; k < f->part[i].n; k++)
			free(f->part[i].costs[k].raw);
		free(f->part[i].costs);
		chapter_free(f->part[i].chapter);
		free(f->part[i].raw);
		free(f->part[i].shared);
	}
	free(f->part);
	if (f->map)
		munmap((void *)(uintptr_t)f->map, f->size);
}
