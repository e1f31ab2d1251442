/* command.h: the user's command (mpirun … program …), understood as far as is needed to load
 * the tracer into its ranks. */
#ifndef ORRERY_LAUNCH_COMMAND_H
#define ORRERY_LAUNCH_COMMAND_H

#include "base/base.h"
#include "elf.h"

/* How the environment gets to the ranks. */
enum launch_way {
	LAUNCH_OPENMPI, /* mpirun -x NAME=VALUE */
	LAUNCH_HYDRA,   /* mpiexec -genv NAME VALUE */
	LAUNCH_SRUN,    /* env NAME=VALUE srun --export=ALL,NAME=VALUE (srun.c) */
	LAUNCH_ENV,     /* another launcher, or none: `env NAME=VALUE` before the program */
};

struct command {
	const char *const *argv; /* the user's; NULL-terminated */
	int argc;
	int program; /* index of the first MPI program in argv, or -1 */
	int srun;    /* index of srun in argv, or -1 */
	enum launch_way way;
	enum mpi_family family;
};

struct setting {
	const char *name, *value;
};

/* Of a launcher, by what it says of itself (--version). *err is set where it could not be asked,
 * zero where it was. */
enum mpi_family command_launcher_family(const char *word, struct err *err);
/* Finds the program, the launcher and the MPI family: from the program's needed libraries, else
 * from what the launcher says of itself, else as told (MPI_UNKNOWN: nobody did), else from programs
 * that scripts name. An error if they contradict each other, or nobody tells. Where neither program
 * nor launcher is known the settings are for all that the command starts. */
int command_understand(struct command *c, const char *const *argv, int argc, enum mpi_family told,
                       struct err *err);
/* The command with the settings in it, NULL-terminated; words and array are freed by the caller. */
char **command_with(const struct command *c, const struct setting *settings, int n,
                    struct err *err);

#endif
