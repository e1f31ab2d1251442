/* program.c: what a program's file says of it: which MPI library it wants and how it would find it,
 * whether it spawns others, whether it folds memory itself. */
#include "run_int.h"

#include "base/program.h"
#include "launch/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int mentions(const char *path, const char *name)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), found = 0;
	struct stat st;
	void *p;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0) {
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (p != MAP_FAILED) {
			found = memmem(p, (size_t)st.st_size, name, strlen(name)) != NULL;
			munmap(p, (size_t)st.st_size);
		}
	}
	if (fd >= 0)
		close(fd);
	return found;
}

/* The version is that of the library found here, or else the one whose interfaces ours are. */
static void family_take(struct running *r, enum can_run_kind kind, const char *version)
{
	if (kind == CAN_RUN_MPICH) {
		r->family = MPI_MPICH;
		r->mpi = "MPICH 4.0";
	} else if (kind == CAN_RUN_OPENMPI) {
		r->family = MPI_OPENMPI;
		r->mpi = "Open MPI 4.1";
	}
	if (r->mpi && version[0]) {
		snprintf(r->mpi_name, sizeof r->mpi_name, "%s %s", mpi_family_title(r->family),
		         version);
		r->mpi = r->mpi_name;
	}
}

/* What a script or an interpreter loads is known when it runs, too late for the algorithms of the
 * collectives: they are those of the library that its trace names, too. A file that names one of
 * MPICH's libraries, and none of Open MPI's, is taken to load that. */
static void script_take(struct running *r, const char *program)
{
	int names_mpich = mentions(program, "libmpich.so.12") || mentions(program, "libmpi.so.12");

	if (!r->plan->family_told && names_mpich && !mentions(program, "libmpi.so.40"))
		r->family = MPI_MPICH;
	if (r->family == MPI_MPICH)
		r->mpi = "MPICH 4.0";
	else
		r->mpi = r->plan->family_told ? "Open MPI 4.1"
		                              : "Open MPI 4.1 (unless --mpi says another)";
}

/* An option that names a function which is nowhere does nothing. Libraries that the program opens
 * while it runs are not known. */
static void function_look(struct running *r, const struct can_run *c, const char *option,
                          const char *text)
{
	char name[256];
	size_t n = strcspn(text, "(=");

	if (!strchr(text, '=') || n >= sizeof name)
		return;
	snprintf(name, sizeof name, "%.*s", (int)n, text);
	if (!can_run_names(c, name))
		str_printf(&r->said,
		           "--%s %s has no effect: neither %s nor a library that it is linked with "
		           "has a function %s (or the compiler put it into its callers)\n",
		           option, text, r->plan->command[0], name);
}

static void functions_look(struct running *r, const struct can_run *c)
{
	for (uint32_t i = 0; i < r->plan->n_kernels; i++)
		function_look(r, c, "kernel", r->plan->kernel[i]);
	for (uint32_t i = 0; i < r->plan->n_folds; i++)
		function_look(r, c, "fold-memory", r->plan->fold[i]);
}

static int file_read(struct running *r, const char *program, struct err *err)
{
	struct can_run c;
	int rc = 0;

	if (can_run_check(program, r->library, &c, err) < 0)
		return -1;
	r->spawns = can_run_spawns(&c);
	r->needs_mpi = c.kind >= CAN_RUN_OPENMPI;
	r->is_static = c.kind == CAN_RUN_STATIC || (c.kind == CAN_RUN_NO_MPI && c.names_init);
	r->found = (c.kind == CAN_RUN_MPICH || c.kind == CAN_RUN_OPENMPI ||
	            c.kind == CAN_RUN_ABI) &&
	           c.rpath.n == 0;
	if (c.kind == CAN_RUN_ABI && r->plan->trace)
		rc = err_set(err, ERR_INPUT,
		             "%s is of the standard's ABI ('orrery cc'), which the tracer does not "
		             "know: for --trace compile it by mpicc of Open MPI or MPICH",
		             program);
	if (rc == 0 && c.has_own_rights && r->plan->holding != LIVE_COROUTINES)
		rc = err_set(err, ERR_INPUT,
		             "%s gets other rights than its caller's (setuid, setgid, "
		             "capabilities), so that the loader takes no library of ours: run a "
		             "copy without them, or with --hold coroutines",
		             program);
	if (rc == 0 && c.another.n > 0)
		rc = err_set(err, ERR_INPUT,
		             "%s needs two MPI libraries: %s; and %s: compile all of it with the "
		             "same mpicc",
		             program, c.library.s, c.another.s);
	if (c.kind == CAN_RUN_NO_PROGRAM || c.kind == CAN_RUN_NO_MPI)
		script_take(r, program);
	else
		family_take(r, c.kind, c.version);
	if (c.kind == CAN_RUN_MPICH || c.kind == CAN_RUN_OPENMPI || c.kind == CAN_RUN_ABI)
		functions_look(r, &c);
	can_run_release(&c);
	r->folds_itself = mentions(program, "smpi_shared_malloc");
	r->options.folds |= r->folds_itself;
	return rc;
}

/* What starts ranks itself, by its name: mpirun, mpirun.openmpi, mpiexec.hydra. */
static int is_launcher(const char *command)
{
	static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun",
	                                    "prun",   "srun",    "aprun",   "jsrun"};
	const char *slash = strrchr(command, '/'), *name = slash ? slash + 1 : command;

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0 &&
		    (name[strlen(names[i])] == '\0' || name[strlen(names[i])] == '.'))
			return 1;
	return 0;
}

/* What no process can be started of, told before one is. */
static int command_check(const char *command, struct err *err)
{
	struct stat st;

	if (!command[0])
		return err_set(err, ERR_INPUT,
		               "run: the name of the program is empty (an unset variable in the "
		               "command?)");
	if (is_launcher(command))
		return err_set(
		    err, ERR_INPUT,
		    "run: %s starts ranks of its own, as 'orrery run' does: give the program "
		    "alone: orrery run -np N -p MACHINE -- PROGRAM [ARGUMENTS]",
		    command);
	if (!strchr(command, '/') || stat(command, &st) < 0)
		return 0; /* found in PATH, or not there, which is told where it is started */
	if (S_ISDIR(st.st_mode))
		return err_set(err, ERR_INPUT, "run: %s is a folder, where a program is wanted",
		               command);
	return access(command, X_OK) == 0 || errno != EACCES
	           ? 0
	           : err_set(err, ERR_INPUT,
	                     "run: %s is not executable: compile the program, put its interpreter "
	                     "before it (python3 %s), or chmod +x",
	                     command, command);
}

/* 1; 0: there is none, or it may be run and not read; -1: that cannot be known. */
static int is_readable(const char *program, struct err *err)
{
	if (access(program, R_OK) == 0)
		return 1;
	return there_is_none(errno) || errno == EACCES
	           ? 0
	           : err_sys(err, errno, "cannot look at %s", program);
}

/* Of a script nothing is known. */
int program_read(struct running *r, struct err *err)
{
	char *program = program_file(r->plan->command[0]);
	int rc = 0;

	if (!program && errno == ENOMEM)
		return err_nomem(err, "the name of the program", strlen(r->plan->command[0]));
	r->family = r->plan->family;
	rc = command_check(r->plan->command[0], err);
	if (rc == 0 && program)
		rc = is_readable(program, err);
	if (rc > 0)
		rc = file_read(r, program, err);
	free(program);
	r->options.mpich = r->family == MPI_MPICH;
	return rc;
}
