/* search.c: see search.h. In the loader's order: DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, what
 * ldconfig knows, the folders of the system. Debian's folders of Open MPI, BLAS and LAPACK come
 * last: the programs that need them are told by other ways. */
#include "search.h"

#include "base/there.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A text that goes on in the next piece; what has no room is cut. */
static size_t put(char *out, size_t at, const char *text, size_t n)
{
	n = at + n < PATH_MAX ? n : PATH_MAX - 1 - at;
	memcpy(out + at, text, n);
	out[at + n] = '\0';
	return at + n;
}

static size_t put_folder_of(char *out, size_t at, const char *file)
{
	const char *slash = strrchr(file, '/');

	return slash ? put(out, at, file, (size_t)(slash - file)) : put(out, at, ".", 1);
}

/* 1, 0: it is not there, or not for us; -1. */
static int can_read(const char *path, struct err *err)
{
	if (access(path, R_OK) == 0)
		return 1;
	return there_is_none(errno) || errno == EACCES || errno == ENAMETOOLONG || errno == ELOOP
	           ? 0
	           : err_sys(err, errno, "cannot look at %s", path);
}

/* What a path says with $ORIGIN or ${ORIGIN} in it, n bytes of it; and the name. */
static int try_folder(const char *folder, size_t n, const char *file, const char *name, char *out,
                      struct err *err)
{
	static const char *const origin[] = {"$ORIGIN", "${ORIGIN}"};
	size_t at = 0;

	out[0] = '\0';
	for (size_t i = 0; i < n;) {
		size_t is = 0;

		for (int k = 0; k < 2; k++)
			if (strncmp(folder + i, origin[k], strlen(origin[k])) == 0)
				is = strlen(origin[k]);
		at = is ? put_folder_of(out, at, file) : put(out, at, folder + i, 1);
		i += is ? is : 1;
	}
	if (n == 0) /* where it is started */
		at = put(out, at, ".", 1);
	at = put(out, at, "/", 1);
	put(out, at, name, strlen(name));
	return can_read(out, err);
}

static int try_path(const char *path, const char *file, const char *name, char *out,
                    struct err *err)
{
	int is = 0;

	while (path && *path && is == 0) {
		size_t n = strcspn(path, ":");

		is = try_folder(path, n, file, name, out, err);
		path += n + (path[n] == ':');
	}
	return is;
}

/* --- what ldconfig knows: glibc's cache of this form since 2.2 --- */

#define CACHE "/etc/ld.so.cache"
#define CACHE_MAGIC "glibc-ld.so.cache1.1"
#if defined __x86_64__
enum { CACHE_KIND = 0x0303 };
#define TRIPLET "x86_64-linux-gnu" /* Debian's folders */
#elif defined __aarch64__
enum { CACHE_KIND = 0x0a03 };
#define TRIPLET "aarch64-linux-gnu"
#else
enum { CACHE_KIND = -1 };
#define TRIPLET "lib"
#endif
struct cache_head {
	char magic[20];
	uint32_t n, strings, unused[5];
};
struct cache_entry {
	int32_t kind;
	uint32_t name, path, version;
	uint64_t hardware;
};

static const char *cache_text(const char *cache, size_t size, uint32_t at)
{
	return at < size && memchr(cache + at, '\0', size - at) ? cache + at : "";
}

static int cache_look(const char *cache, size_t size, const char *name, char *out, struct err *err)
{
	const struct cache_head *h = (const void *)cache;
	const struct cache_entry *e = (const void *)(h + 1);
	int is = 0;

	if (size < sizeof *h || memcmp(h->magic, CACHE_MAGIC, sizeof h->magic) != 0 ||
	    h->n > (size - sizeof *h) / sizeof *e)
		return 0;
	for (uint32_t i = 0; i < h->n && is == 0; i++)
		if (e[i].kind == CACHE_KIND &&
		    strcmp(cache_text(cache, size, e[i].name), name) == 0) {
			const char *path = cache_text(cache, size, e[i].path);

			put(out, 0, path, strlen(path));
			is = can_read(out, err);
		}
	return is;
}

static int try_cache(const char *name, char *out, struct err *err)
{
	int fd = open(CACHE, O_RDONLY | O_CLOEXEC), found = 0;
	struct stat st;
	char *p;

	if (fd < 0)
		return there_is_none(errno) ? 0 : err_sys(err, errno, "cannot open " CACHE);
	if (fstat(fd, &st) < 0)
		found = err_sys(err, errno, "cannot look at " CACHE);
	if (found == 0 && st.st_size > 0) {
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p != MAP_FAILED) {
			found = cache_look(p, (size_t)st.st_size, name, out, err);
			munmap(p, (size_t)st.st_size);
		} else {
			found = err_sys(err, errno, "cannot read " CACHE);
		}
	}
	close(fd);
	return found;
}

int search_library(const struct search *s, const char *name, char *out, struct err *err)
{
	static const char standard[] = "/usr/local/lib:/usr/local/lib/" TRIPLET ":/lib/" TRIPLET
	                               ":/usr/lib/" TRIPLET
	                               ":/lib64:/usr/lib64:/lib:/usr/lib:/usr/lib/" TRIPLET
	                               "/openmpi/lib:"
	                               "/usr/lib/" TRIPLET "/blas:/usr/lib/" TRIPLET "/lapack";

	int is = 0;

	if (strchr(name, '/')) {
		out[0] = '\0';
		put(out, 0, name, strlen(name));
		return can_read(out, err);
	}
	if (!s->runpath)
		is = try_path(s->rpath, s->file, name, out, err);
	if (!s->runpath && is == 0)
		is = try_path(s->program_rpath, s->program, name, out, err);
	if (is == 0)
		is = try_path(getenv("LD_LIBRARY_PATH"), s->file, name, out, err);
	if (is == 0)
		is = try_path(s->runpath, s->file, name, out, err);
	if (is == 0)
		is = try_cache(name, out, err);
	return is ? is : try_path(standard, s->file, name, out, err);
}
