/* verb_cc.c: `orrery cc`, `orrery fc`: compilers for MPI programs where no MPI is installed: the
 * system's, with our headers and libraries (live/compile.h). What they make runs under `orrery run`
 * alone.
 *
 * Configure scripts and CMake ask a compiler of MPI what it does: -show, -showme. The program is
 * also installed under the names orrery-cc, orrery-c++ and orrery-fc (main.c), as makefiles quote
 * $(CC), or look whether it is there. */
#include "launch/launch.h"
#include "live/live.h"
#include "verbs.h"

#include <stdlib.h>
#include <string.h>

static const char *compiler(const char *variable, const char *initial)
{
	const char *given = getenv(variable);

	return given && *given ? given : initial;
}

/* A word as a shell reads it back. */
static void word_put(struct str *s, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	                            "%+,-./:=@_^";

	if (*word && word[strspn(word, plain)] == '\0') {
		str_puts(s, word);
		return;
	}
	str_putc(s, '\'');
	for (; *word; word++)
		if (*word == '\'')
			str_puts(s, "'\\''");
		else
			str_putc(s, *word);
	str_putc(s, '\'');
}

static int show(char *const *words, struct err *err)
{
	struct str s;
	int r;

	str_init(&s);
	for (char *const *word = words; *word; word++) {
		if (word != words)
			str_putc(&s, ' ');
		word_put(&s, *word);
	}
	str_putc(&s, '\n');
	r = print_stdout(&s, err);
	str_release(&s);
	return r;
}

/* Runs it, or shows it. */
static int compile(const struct compile *c, struct err *err)
{
	char **words = compile_command(c, err);
	const struct launch_command run = {.words = (const char *const *)words};
	int r = -1;

	if (words)
		r = compile_shows(c) ? show(words, err) : launch_run(&run, err);
	compile_free(words);
	return r;
}

static struct compile asked(const struct args *a, const char *library)
{
	return (struct compile){
	    .library = library, .words = (const char *const *)a->rest, .n = a->n_rest};
}

static int cc_run(const struct args *a, struct err *err)
{
	char library[4096];
	struct compile c = asked(a, library);

	if (live_library(library, sizeof library, err) < 0)
		return -1;
	c.compiler = compile_is_cxx(c.words, c.n) ? compiler("ORRERY_CXX", "c++")
	                                          : compiler("ORRERY_CC", "cc");
	return compile(&c, err);
}

static int cxx_run(const struct args *a, struct err *err)
{
	char library[4096];
	struct compile c = asked(a, library);

	if (live_library(library, sizeof library, err) < 0)
		return -1;
	c.compiler = compiler("ORRERY_CXX", "c++");
	return compile(&c, err);
}

static int fc_run(const struct args *a, struct err *err)
{
	char library[4096];
	struct compile c = asked(a, library);
	struct str modules;
	int r = -1;

	str_init(&modules);
	c.compiler = compiler("ORRERY_FC", "gfortran");
	if (live_library(library, sizeof library, err) == 0 &&
	    compile_modules(library, c.compiler, &modules, err) == 0) {
		c.modules = modules.s;
		r = compile(&c, err);
	}
	str_release(&modules);
	return r;
}

#define SHOWS \
	"With -show or -showme, the command is printed; with -showme:compile and -showme:link, " \
	"what it adds to compile and to link (also: :command, :incdirs, :libdirs, -compile_info, " \
	"-link_info). "

static const struct option_row none[] = {{0, 0, NULL, NULL, NULL}};

const struct verb verb_cc = {
    .name = "cc",
    .synopsis = "ARGUMENTS",
    .summary = "compiles a C or C++ program for 'orrery run', where no MPI is installed",
    .text =
        "The arguments are those of the compiler, which is cc, or c++ if a source or an "
        "object is of C++ (other compilers: environment variables ORRERY_CC, ORRERY_CXX). " SHOWS
        "make, configure and CMake are given CC=orrery-cc CXX=orrery-c++, which "
        "are names of 'orrery cc' and 'orrery cxx' in one word.",
    .options = none,
    .run = cc_run,
    .raw = 1,
};

const struct verb verb_cxx = {
    .name = "cxx",
    .synopsis = "ARGUMENTS",
    .summary = "compiles a C++ program for 'orrery run', where no MPI is installed",
    .text = "The arguments are those of the compiler, which is c++ (another compiler: environment "
            "variable ORRERY_CXX). " SHOWS "In one word: orrery-c++.",
    .options = none,
    .run = cxx_run,
    .raw = 1,
};

const struct verb verb_fc = {
    .name = "fc",
    .synopsis = "ARGUMENTS",
    .summary = "compiles a Fortran program for 'orrery run', where no MPI is installed",
    .text = "The arguments are those of the compiler, which is gfortran (another compiler: "
            "environment variable ORRERY_FC). Programs include mpif.h or use the module mpi; "
            "those that use mpi_f08 need the compiler of an MPI (mpif90). " SHOWS
            "In one word: orrery-fc.",
    .options = none,
    .run = fc_run,
    .raw = 1,
};
