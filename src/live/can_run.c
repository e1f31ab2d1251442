/* can_run.c: a program and the libraries that it needs are read, not run. The functions of MPI that
 * any of them names are looked up in our library of the same ABI.
 *
 * Of an MPI library itself nothing is read: ours takes its place. Those on top of it (Fortran, C++)
 * that ours leaves in place give names, too.
 */
#include "can_run.h"

#include "coro/coro.h"
#include "launch/launch.h"
#include "search.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

struct walk {
	struct can_run *out;
	struct hash_str seen; /* names of libraries */
	const char *program;
	char *rpath; /* the program's, if it has no other path; NULL: none */
	char **queue;
	uint32_t n, cap, done, n_files;
};

static int is_mpi_name(const char *s)
{
	static const char *const starts[] = {"MPI_",  "PMPI_", "MPIX_", "PMPIX_", "mpi_",
	                                     "pmpi_", "MPIR_", "MPII_", "ompi_",  "OMPI_"};

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (strncmp(s, starts[i], strlen(starts[i])) == 0)
			return 1;
	return 0;
}

/* ---- the walk ---- */

static enum can_run_kind kind_of_library(const char *name)
{
	if (strncmp(name, "libmpi_abi.so", 13) == 0)
		return CAN_RUN_ABI;
	switch (mpi_family_of_library(name)) {
	case MPI_OPENMPI:
		return CAN_RUN_OPENMPI;
	case MPI_MPICH:
		return CAN_RUN_MPICH;
	default:
		return CAN_RUN_NO_MPI;
	}
}

/* Of the library that would be loaded if ours did not take its place. Those on top of it (Fortran,
 * C++) have other numbers: it is beside them. */
static int version_find(const struct search *where, const char *name, char *out, size_t size,
                        struct err *err)
{
	char path[PATH_MAX], *real;
	int found;

	if (strncmp(name, "libmpi.so", 9) != 0 && strncmp(name, "libmpich.so", 11) != 0)
		name = mpi_family_of_library(name) == MPI_MPICH ? "libmpich.so.12" : "libmpi.so.40";
	found = search_library(where, name, path, err);
	if (found <= 0)
		return found;
	real = realpath(path, NULL);
	if (real)
		mpi_version_of_file(real, out, size);
	free(real);
	return 0;
}

static int queue_add(struct walk *w, const char *path, struct err *err)
{
	char **more = vec_grow(w->queue, &w->cap, sizeof *more, w->n + 1, "libraries of a program",
	                       err);

	if (!more)
		return -1;
	w->queue = more;
	more[w->n] = strdup(path);
	if (!more[w->n])
		return err_nomem(err, "libraries of a program", strlen(path) + 1);
	w->n++;
	return 0;
}

static int library_take(struct walk *w, const struct binary *b, const char *file, const char *name,
                        struct err *err)
{
	const struct search where = {file, b->rpath, b->runpath, w->program, w->rpath};
	enum can_run_kind kind = kind_of_library(name);
	char path[PATH_MAX];
	int found;

	if (kind != CAN_RUN_NO_MPI) {
		if (w->out->kind == CAN_RUN_NO_MPI) {
			w->out->kind = kind;
			if (kind != CAN_RUN_ABI && version_find(&where, name, w->out->version,
			                                        sizeof w->out->version, err) < 0)
				return -1;
			str_printf(&w->out->library, "%s, needed by %s", name, file);
		} else if (kind != w->out->kind && w->out->another.n == 0) {
			str_printf(&w->out->another, "%s, needed by %s", name, file);
		}
		if (b->rpath && !b->runpath && w->out->rpath.n == 0)
			str_printf(&w->out->rpath, "%s in %s", b->rpath, file);
		return 0;
	}
	if (hash_str_find(&w->seen, name) != HASH_NONE)
		return 0;
	if (hash_str_put(&w->seen, name, 0, err) < 0)
		return -1;
	found = search_library(&where, name, path, err);
	if (found < 0)
		return -1;
	if (found)
		return queue_add(w, path, err);
	str_printf(&w->out->lost, "%s\n", name);
	return 0;
}

/* What a rank that shares a process cannot do (coro/own.c), as far as names tell: of the program
 * itself, as libraries name much that they seldom call. */
static int is_alone(const char *name)
{
	static const char *const names[] = {"thrd_create", "fork",   "vfork",   "clone",
	                                    "execv",       "execve", "execvp",  "execl",
	                                    "execlp",      "execle", "execvpe", "fexecve",
	                                    "_Fork",       "daemon", "dlmopen", "timer_create"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return 1;
	return 0;
}

/* The program, or a library that calls MPI, makes threads: as image_has_threads. */
static int makes_threads(const struct binary *b, int is_program)
{
	int mpi = is_program, threads = 0;

	for (uint32_t i = 0; i < b->n_wanted; i++) {
		mpi |= is_mpi_name(b->wanted[i]);
		threads |= coro_makes_thread(b->wanted[i]);
	}
	return mpi && threads;
}

static int file_take(struct walk *w, const char *path, struct err *err)
{
	struct binary b;
	int rc = binary_open(path, &b, err);

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	str_printf(&w->out->files, "%s\n", path);
	for (uint32_t i = 0; rc == 0 && i < b.n_needed; i++)
		rc = library_take(w, &b, path, b.needed[i], err);
	for (uint32_t i = 0; w->done == 0 && w->n_files == 0 && i < b.n_wanted; i++)
		if (is_alone(b.wanted[i]))
			str_printf(&w->out->alone, "%s\n", b.wanted[i]);
	w->out->has_threads |= makes_threads(&b, w->n_files == 0);
	w->n_files++;
	for (uint32_t i = 0; rc == 0 && i < b.n_wanted; i++)
		if (is_mpi_name(b.wanted[i]))
			rc = hash_str_put(&w->out->functions, b.wanted[i], 0, err);
	/* what one of its own files has, a layer of profiling say, is not missing */
	for (uint32_t i = 0; rc == 0 && i < b.n_owned; i++)
		if (is_mpi_name(b.owned[i]))
			rc = hash_str_put(&w->seen, b.owned[i], 1, err);
	binary_release(&b);
	return rc;
}

/* ---- what our libraries have ---- */

static int names_add(struct hash_str *names, const char *path, struct err *err)
{
	struct binary b;
	int rc = binary_open(path, &b, err);

	if (rc != 0)
		return rc;
	for (uint32_t i = 0; rc == 0 && i < b.n_owned; i++)
		rc = hash_str_put(names, b.owned[i], 0, err);
	binary_release(&b);
	return rc;
}

static int ours_read(struct hash_str *names, enum can_run_kind kind, const char *folder,
                     struct err *err)
{
	static const char *const files[][3] = {
	    [CAN_RUN_OPENMPI] = {"openmpi/libmpi.so.40", "openmpi/libmpi_mpifh.so.40", NULL},
	    [CAN_RUN_MPICH] = {"mpich/libmpich.so.12", NULL, NULL},
	    [CAN_RUN_ABI] = {"abi/libmpi_abi.so.0", NULL, NULL},
	};
	static const char *const on_top[] = {"libmpi_usempif08.so.40",
	                                     "libmpi_usempi_ignore_tkr.so.40", "libmpi_cxx.so.40",
	                                     "libmpichfort.so.12", "libmpichcxx.so.12"};
	static const struct search nobody = {.file = ""};
	char path[PATH_MAX];

	for (int i = 0; i < 3 && files[kind][i]; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, files[kind][i]);
		if (names_add(names, path, err) < 0)
			return -1;
	}
	for (size_t i = 0; i < sizeof on_top / sizeof *on_top; i++) {
		int found = search_library(&nobody, on_top[i], path, err);

		if (found < 0 || (found && names_add(names, path, err) < 0))
			return -1;
	}
	return 0;
}

static void functions_compare(struct can_run *c, const struct walk *w, const struct hash_str *ours)
{
	for (uint32_t i = 0; c->functions.n && i <= c->functions.mask; i++) {
		const char *name = c->functions.slots[i].key;

		if (!name || hash_str_find(&w->seen, name) == 1)
			continue;
		if (hash_str_find(ours, name) == HASH_NONE)
			str_printf(&c->missing, "%s\n", name);
	}
}

static int walk_files(struct walk *w, const char *path, struct err *err)
{
	int rc = file_take(w, path, err);

	for (; rc == 0 && w->done < w->n; w->done++)
		rc = file_take(w, w->queue[w->done], err);
	return rc;
}

/* Does it get other rights than its caller's? The loader then takes nothing from LD_LIBRARY_PATH,
 * LD_PRELOAD and LD_AUDIT (ld.so(8)), so that it would run with the real MPI. */
static int has_own_rights(const char *path)
{
	struct statvfs fs;
	struct stat st;
	char value[64];

	if (stat(path, &st) < 0 || statvfs(path, &fs) < 0 || (fs.f_flag & ST_NOSUID))
		return 0;
	return ((st.st_mode & S_ISUID) && st.st_uid != getuid()) ||
	       ((st.st_mode & S_ISGID) && (st.st_mode & S_IXGRP) && st.st_gid != getgid()) ||
	       (getuid() != 0 && getxattr(path, "security.capability", value, sizeof value) > 0);
}

/* A text that was cut would say that less is missing. */
static int texts_failed(const struct can_run *c)
{
	return c->library.failed || c->another.failed || c->missing.failed || c->lost.failed ||
	       c->alone.failed || c->rpath.failed;
}

int can_run_check(const char *path, const char *library, struct can_run *out, struct err *err)
{
	struct walk w = {.out = out, .program = path};
	struct hash_str ours;
	const char init[] = "\0MPI_Init"; /* with the zero bytes around it */
	struct binary b;
	int rc;
	const char *other = binary_other_processor(path);

	*out = (struct can_run){.kind = CAN_RUN_NO_MPI};
	if (other)
		return err_set(err, ERR_INPUT,
		               "%s is a program for another processor, %s: compile it for this one",
		               path, other);
	hash_str_init(&out->functions);
	hash_str_init(&w.seen);
	hash_str_init(&ours);
	rc = binary_open(path, &b, err);
	if (rc == 0) {
		out->is_relocatable = b.is_relocatable;
		out->has_own_rights = has_own_rights(path);
		out->kind = b.is_static ? CAN_RUN_STATIC : CAN_RUN_NO_MPI;
		out->names_init = memmem(b.map, b.size, init, sizeof init) != NULL;
		if (b.rpath && !b.runpath && !(w.rpath = strdup(b.rpath)))
			rc = err_nomem(err, "path of a program", strlen(b.rpath));
		binary_release(&b);
	} else if (rc > 0) {
		out->kind = CAN_RUN_NO_PROGRAM;
		rc = 0;
	}
	if (rc == 0 && out->kind == CAN_RUN_NO_MPI)
		rc = walk_files(&w, path, err);
	if (rc == 0 && out->kind >= CAN_RUN_OPENMPI)
		rc = ours_read(&ours, out->kind, library, err);
	if (rc == 0 && out->kind >= CAN_RUN_OPENMPI)
		functions_compare(out, &w, &ours);
	for (uint32_t i = 0; i < w.n; i++)
		free(w.queue[i]);
	free(w.queue);
	free(w.rpath);
	hash_str_release(&w.seen);
	hash_str_release(&ours);
	if (rc == 0 && texts_failed(out))
		rc = err_nomem(err, "what a program needs", 1);
	if (rc < 0)
		can_run_release(out);
	return rc;
}

static int names_one(const struct can_run *c, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (hash_str_find(&c->functions, names[i]) != HASH_NONE)
			return 1;
	return 0;
}

int can_run_spawns(const struct can_run *c)
{
	static const char *const names[] = {"MPI_Comm_spawn", "MPI_Comm_spawn_multiple",
	                                    "mpi_comm_spawn_", "mpi_comm_spawn_multiple_"};

	return names_one(c, names, sizeof names / sizeof names[0]);
}

int can_run_threads(const struct can_run *c)
{
	static const char *const names[] = {"MPI_Init_thread", "mpi_init_thread_",
	                                    "MPI_Session_init", "mpi_session_init_"};

	return c->has_threads && names_one(c, names, sizeof names / sizeof names[0]);
}

int can_run_names(const struct can_run *c, const char *function)
{
	char path[PATH_MAX];
	int found = 0;

	for (const char *p = c->files.n > 0 ? c->files.s : ""; !found && *p;
	     p += strcspn(p, "\n") + 1) {
		struct err ignored = {0};
		struct binary b;

		snprintf(path, sizeof path, "%.*s", (int)strcspn(p, "\n"), p);
		if (binary_open(path, &b, &ignored) != 0)
			continue;
		found = binary_names(&b, function);
		binary_release(&b);
	}
	return found;
}

void can_run_release(struct can_run *c)
{
	hash_str_release(&c->functions);
	str_release(&c->library);
	str_release(&c->another);
	str_release(&c->missing);
	str_release(&c->lost);
	str_release(&c->files);
	str_release(&c->alone);
	str_release(&c->rpath);
}
