/* dumpi.c: traces of DUMPI (sst-dumpi): a file per rank, <prefix>-<rank>.bin. Given is the folder,
 * the .meta file, or any of the files. Records: dumpi_record.c; communicators: dumpi_comms.c; what
 * a call becomes: dumpi_put.c. */
#include "base/entries.h"
#include "dumpi_int.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { WORLD = 2 }; /* DUMPI's number of MPI_COMM_WORLD; the next is MPI_COMM_SELF's */

/* --- finding the files --- */

static int has_end(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);

	return n > k && !strcmp(name + n - k, end);
}

/* The prefix of "<prefix>-0007.bin": its length, or 0. */
static size_t prefix_of(const char *name)
{
	size_t n = strlen(name);

	if (!has_end(name, ".bin"))
		return 0;
	n -= 4;
	while (n > 0 && name[n - 1] >= '0' && name[n - 1] <= '9')
		n--;
	return n > 1 && name[n - 1] == '-' && name[n] != '.' ? n - 1 : 0;
}

/* The first name in a folder that ends so: 1, with *best malloc'd; 0: there is none, or no such
 * folder; -1: *best may be set all the same. */
static int folder_find(const char *path, const char *end, char **best, struct err *err)
{
	DIR *dir;
	const struct dirent *e;
	int r = there_open_folder(path, &dir, err);

	*best = NULL;
	while (dir && r >= 0 && (r = entry_next(dir, path, &e, err)) > 0) {
		int fits = has_end(e->d_name, end) &&
		           (strcmp(end, ".bin") != 0 || prefix_of(e->d_name));

		if (!fits || (*best && strcmp(e->d_name, *best) >= 0))
			continue;
		free(*best);
		*best = strdup(e->d_name);
		r = *best ? 0 : err_nomem(err, "a file name", strlen(e->d_name));
	}
	if (dir)
		closedir(dir);
	return r < 0 ? -1 : *best != NULL;
}

static int is_dumpi_head(const unsigned char *head, size_t n)
{
	static const unsigned char magic[8] = {0xff, 0xaa, 0xdd, 0x44, 0x55, 0x4d, 0x50, 0x49};

	return n >= sizeof magic && !memcmp(head, magic, sizeof magic);
}

/* A .meta file has lines "fileprefix=" and "numprocs=". */
static int is_meta(const char *path, const unsigned char *head, size_t n)
{
	return has_end(path, ".meta") && memmem(head, n, "fileprefix=", 11) != NULL;
}

static int dumpi_probe(const char *path, const unsigned char *head, size_t n, struct err *err)
{
	char *name;
	int is;

	if (n > 0)
		return is_dumpi_head(head, n) || is_meta(path, head, n);
	is = folder_find(path, ".bin", &name, err); /* nothing could be read: a folder */
	free(name);
	return is;
}

/* The file of a rank: the digits of its number may have zeros before them. 1, with *out malloc'd;
 * 0: it is not there; -1. */
static int rank_path(const char *prefix, uint32_t rank, char **out, struct err *err)
{
	*out = NULL;
	for (int digits = 4; digits <= 10; digits++) {
		struct str s;
		int there;

		str_init(&s);
		str_printf(&s, "%s-%0*u.bin", prefix, digits, rank);
		there = s.failed ? err_nomem(err, "a file name", strlen(prefix))
		                 : there_is(s.s, err);
		if (there > 0)
			*out = s.s;
		else
			str_release(&s);
		if (there != 0)
			return there;
	}
	return 0;
}

/* "<folder>/<prefix>" of what was given; malloc'd, or NULL with *err set. */
static char *prefix_find(const char *path, struct err *err)
{
	struct str s;
	char *name = NULL;

	if (!has_end(path, ".bin") && !has_end(path, ".meta") &&
	    folder_find(path, ".bin", &name, err) < 0) {
		free(name);
		return NULL;
	}
	str_init(&s);
	if (name) {
		str_printf(&s, "%s/%.*s", path, (int)prefix_of(name), name);
	} else if (has_end(path, ".meta")) {
		str_putn(&s, path, strlen(path) - 5);
	} else if (prefix_of(path) > 0)
		str_putn(&s, path, prefix_of(path));
	free(name);
	if (s.failed) {
		err_nomem(err, "a file name", strlen(path));
		str_release(&s);
		return NULL;
	}
	if (!s.s) {
		err_set(err, ERR_INPUT,
		        "%s: DUMPI's files are called <prefix>-<rank>.bin: give one that is, or "
		        "their folder",
		        path);
		return NULL;
	}
	return s.s;
}

static int files_count(struct dumpi *d, const char *prefix, struct err *err)
{
	uint32_t n = 0;
	char *path;
	int is;

	while ((is = rank_path(prefix, n, &path, err)) > 0) {
		free(path);
		n++;
	}
	if (is < 0)
		return -1;
	if (n == 0)
		return err_set(err, ERR_INPUT, "%s: there is no file %s-0000.bin", d->f->path,
		               prefix);
	return foreign_ranks(d->f, n, err);
}

/* No file between the first and the last is missing. */
static int gaps_check(const struct dumpi *d, const char *prefix, struct err *err)
{
	const char *slash = strrchr(prefix, '/'), *name = slash ? slash + 1 : prefix;
	char *folder = slash ? strndup(prefix, (size_t)(slash - prefix) + 1) : strdup(".");
	struct str before;
	int r;

	str_init(&before);
	str_printf(&before, "%s-", name);
	r = folder && !before.failed ? foreign_numbered_check(d->f, folder, before.s, ".bin", err)
	                             : err_nomem(err, "a file name", strlen(prefix));
	str_release(&before);
	free(folder);
	return r;
}

/* A call of the rank's says which it is, and of how many: other than its file's name, and than
 * there are files, where a file is missing or is another run's. */
static int rank_check(const struct dumpi *d, uint32_t rank, const struct dumpi_call *c,
                      struct err *err)
{
	if (c->v[0] != WORLD)
		return 0;
	if (!strcmp(c->name, "Comm_rank") && c->v[1] != rank)
		return err_set(
		    err, ERR_INPUT,
		    "%s: by its name this is the file of rank %u, by its call of "
		    "MPI_Comm_rank that of rank %lld: it was copied, or is another run's",
		    d->file.path, rank, (long long)c->v[1]);
	if (!strcmp(c->name, "Comm_size") && c->v[1] != d->f->ranks)
		return err_set(
		    err, ERR_INPUT,
		    "%s: by its call of MPI_Comm_size its run had %lld rank%s, and there "
		    "are files of %u: some are missing, or are another run's",
		    d->file.path, (long long)c->v[1], plural((uint64_t)c->v[1]), d->f->ranks);
	return 0;
}

static int file_open(struct dumpi *d, uint32_t rank, struct err *err)
{
	char *path;
	int r = rank_path(d->prefix, rank, &path, err);

	if (r < 0)
		return -1;
	if (r == 0)
		return err_set(err, ERR_INPUT, "%s: the file of rank %u is not there any more",
		               d->f->path, rank);
	r = dumpi_file_open(&d->file, path, err);
	free(path);
	return r;
}

/* --- passes --- */

/* What all ranks make, before anything is translated. */
static int objects_note(struct dumpi *d, uint32_t rank, struct err *err)
{
	struct dumpi_call c;
	int more;

	if (file_open(d, rank, err) < 0)
		return -1;
	while ((more = dumpi_next(&d->file, &c, err)) > 0) {
		if (c.cpu[0] >= 0 && !d->f->counter)
			d->f->counter = "cputime";
		if (rank_check(d, rank, &c, err) < 0 ||
		    (dumpi_makes_objects(c.name) && dumpi_comms_note(d->comms, rank, &c, err) < 0))
			return -1;
	}
	if (d->file.counter >= 0)
		d->f->counter = "papi";
	dumpi_file_close(&d->file);
	return more;
}

static int dumpi_open(struct foreign *f, struct err *err)
{
	struct dumpi *d = f->impl = calloc(1, sizeof *d);

	if (!d)
		return err_nomem(err, "a DUMPI trace", sizeof *d);
	d->f = f;
	d->prefix = prefix_find(f->path, err);
	if (!d->prefix || files_count(d, d->prefix, err) < 0 || gaps_check(d, d->prefix, err) < 0)
		return -1;
	d->comms = dumpi_comms_new(f, err);
	d->outcome = calloc(f->ranks, sizeof *d->outcome);
	if (!d->comms || !d->outcome)
		return d->comms ? err_nomem(err, "ranks", f->ranks * sizeof *d->outcome) : -1;
	for (uint32_t i = 0; i < f->ranks; i++)
		if (objects_note(d, i, err) < 0)
			return -1;
	if (dumpi_comms_resolve(d->comms, err) < 0)
		return -1;
	f->comms_given = 1;
	return 0;
}

static int rank_begin(struct dumpi *d, uint32_t rank, struct err *err)
{
	d->rank = rank;
	d->left = d->wall = -1;
	d->date = 0;
	d->posted = 0;
	d->requests = 0;
	d->ended = 0;
	hash64_init(&d->comm_of);
	hash64_init(&d->type_of);
	hash64_init(&d->win_comm);
	hash64_init(&d->file_comm);
	d->n_lives = 0;
	d->free_lives = HASH_NONE;
	hash64_init(&d->live);
	if (file_open(d, rank, err) < 0 || dumpi_types_begin(d, err) < 0)
		return -1;
	return hash64_put(&d->comm_of, WORLD, 0, err) < 0 ||
	               hash64_put(&d->comm_of, WORLD + 1, 1, err) < 0
	           ? -1
	           : 0;
}

static void rank_end(struct dumpi *d)
{
	hash64_release(&d->comm_of);
	hash64_release(&d->type_of);
	hash64_release(&d->win_comm);
	hash64_release(&d->file_comm);
	hash64_release(&d->live);
	free(d->type);
	d->type = NULL;
	d->n_types = d->cap_types = 0;
	dumpi_file_close(&d->file);
}

static int rank_read(struct dumpi *d, uint32_t rank, struct err *err)
{
	struct dumpi_call c;
	int more = rank_begin(d, rank, err);

	while (more >= 0) {
		const unsigned char *at = d->file.b.at;

		more = dumpi_next(&d->file, &c, err);
		if (more <= 0)
			break;
		if (dumpi_call_put(d, &c, err) < 0)
			more = foreign_at(d->f, d->file.path, err, "at byte %td: MPI_%s",
			                  at - (unsigned char *)d->file.data, c.name);
	}
	if (more == 0 && d->file.threads)
		more = foreign_note(
		    d->f, err, "calls of several threads of a rank are put one after the other");
	if (more == 0 && !d->ended)
		foreign_cut(d->f, rank);
	rank_end(d);
	return more;
}

static int dumpi_read(struct foreign *f, struct err *err)
{
	struct dumpi *d = f->impl;

	dumpi_comms_rewind(d->comms);
	for (uint32_t i = 0; i < f->ranks; i++)
		if (rank_read(d, i, err) < 0)
			return -1;
	return 0;
}

static void dumpi_close(struct foreign *f)
{
	struct dumpi *d = f->impl;

	if (!d)
		return;
	rank_end(d);
	dumpi_comms_free(d->comms);
	for (uint32_t i = 0; d->outcome && i < f->ranks; i++)
		free(d->outcome[i].item);
	free(d->outcome);
	free(d->scratch);
	free(d->lives);
	free(d->prefix);
	free(d);
}

const struct foreign_format foreign_dumpi = {
    .name = "DUMPI",
    .probe = dumpi_probe,
    .open = dumpi_open,
    .read = dumpi_read,
    .close = dumpi_close,
    .passes = 2,
    .beside = ".bin .meta",
};
