/* command_int.h: a command as it is put together; what its files share. */
#ifndef ORRERY_LAUNCH_COMMAND_INT_H
#define ORRERY_LAUNCH_COMMAND_INT_H

#include "command.h"

struct words {
	char **v; /* NULL-terminated */
	uint32_t n, cap;
	int failed;
};

/* Takes the word; NULL: there was no memory for it. */
void word_add(struct words *w, char *word);
void word_copy(struct words *w, const char *word);
/* NAME=VALUE */
void word_setting(struct words *w, const struct setting *s);

/* The family of the program that a word names. */
enum mpi_family command_word_family(const char *word);

/* Of the first program linked with one that a script among the words names (script.c). */
enum mpi_family script_family(const struct command *c);

/* --- srun.c --- */

/* Which word is Slurm's srun; -1: none. */
int srun_of(const char *const *argv, int argc);
/* Of the mpirun that is in PATH. */
enum mpi_family srun_family(void);
/* Can it be given them? An error, if not. */
int srun_takes(const struct setting *s, int n, struct err *err);
/* The whole command. */
void srun_words(const struct command *c, const struct setting *s, int n, struct words *w);

#endif
