/* verb_cc.c: `orrery cc`, `orrery fc`: compilers for MPI programs where no MPI is installed: the
 * system's, with our headers and libraries. C and C++ get the standard's ABI, Fortran that of Open
 * MPI. What they make runs under `orrery run` alone.
 *
 * Configure scripts and CMake ask a compiler of MPI what it does: -show. */
#include "launch/launch.h"
#include "live/live.h"
#include "verbs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ADDED = 12, TEXT = 4096 + 64 };

struct compile {
	const struct args *args;
	const char **words;
	int n;
	char library[4096];
	char include[TEXT], path[TEXT], one[TEXT], two[TEXT], modules[TEXT];
};

static void word(struct compile *c, const char *text)
{
	c->words[c->n++] = text;
}

static int ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && strcmp(s + n - m, end) == 0;
}

static int is_given(const struct args *a, const char *option)
{
	for (int i = 0; i < a->n_rest; i++)
		if (strcmp(a->rest[i], option) == 0)
			return 1;
	return 0;
}

static int is_cxx(const struct args *a)
{
	static const char *const ends[] = {".cc", ".cpp", ".cxx", ".C", ".c++"};

	for (int i = 0; i < a->n_rest; i++)
		for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
			if (ends_with(a->rest[i], ends[k]))
				return 1;
	return 0;
}

static const char *compiler(const char *variable, const char *initial)
{
	const char *given = getenv(variable);

	return given && *given ? given : initial;
}

/* No linking: nothing but the headers. */
static int links(const struct args *a)
{
	static const char *const not [] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"};

	for (size_t i = 0; i < sizeof not / sizeof *not ; i++)
		if (is_given(a, not [i]))
			return 0;
	return a->n_rest > 0;
}

static int compile_begin(struct compile *c, const struct args *a, struct err *err)
{
	*c = (struct compile){.args = a};
	c->words = calloc((size_t)a->n_rest + ADDED, sizeof *c->words);
	if (!c->words)
		return err_nomem(err, "a command",
		                 (unsigned long long)a->n_rest * sizeof *c->words);
	if (live_library(c->library, sizeof c->library, err) < 0)
		return -1;
	snprintf(c->include, sizeof c->include, "-I%s/include", c->library);
	return 0;
}

static void arguments(struct compile *c)
{
	for (int i = 0; i < c->args->n_rest; i++)
		if (strcmp(c->args->rest[i], "-show") != 0)
			word(c, c->args->rest[i]);
}

/* Runs it, or shows it. */
static int compile_end(struct compile *c, struct err *err)
{
	const struct launch_command run = {.words = c->words};
	struct str s;
	int r;

	if (!is_given(c->args, "-show")) {
		r = launch_run(&run, err);
	} else {
		str_init(&s);
		for (int i = 0; i < c->n; i++)
			str_printf(&s, "%s%s", i ? " " : "", c->words[i]);
		str_putc(&s, '\n');
		r = print_stdout(&s, err);
		str_release(&s);
	}
	free(c->words);
	return r;
}

static int cc_run(const struct args *a, struct err *err)
{
	struct compile c;

	if (compile_begin(&c, a, err) < 0) {
		free(c.words);
		return -1;
	}
	word(&c, is_cxx(a) ? compiler("ORRERY_CXX", "c++") : compiler("ORRERY_CC", "cc"));
	word(&c, c.include);
	arguments(&c);
	snprintf(c.one, sizeof c.one, "%s/abi/libmpi_abi.so.0", c.library);
	snprintf(c.path, sizeof c.path, "-Wl,--enable-new-dtags,-rpath,%s/abi", c.library);
	if (links(a)) {
		word(&c, c.one);
		word(&c, c.path);
	}
	return compile_end(&c, err);
}

/* The user's cache, and in it a folder of ours: of nobody else, who could put another module there.
 */
static int cache_folder(char *folder, size_t n, struct err *err)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char into[TEXT];
	struct stat st;

	if (!(cache && *cache) && !(home && *home))
		return err_set(err, ERR_INPUT,
		               "fc: the module mpi is made in the user's cache, and neither "
		               "XDG_CACHE_HOME nor HOME is set: set one of them");
	if (cache && *cache)
		snprintf(into, sizeof into, "%s", cache);
	else
		snprintf(into, sizeof into, "%s/.cache", home);
	mkdir(into, 0777);
	if ((size_t)snprintf(folder, n, "%s/orrery", into) >= n)
		return err_sys(err, ENAMETOOLONG, "fc: %.100s…", into);
	if ((mkdir(folder, 0777) < 0 && errno != EEXIST) || stat(folder, &st) < 0 ||
	    access(folder, W_OK) < 0)
		return err_sys(err, errno,
		               "fc: the module mpi cannot be made in %s (XDG_CACHE_HOME chooses "
		               "where)",
		               folder);
	if (st.st_uid != geteuid())
		return err_set(err, ERR_INPUT, "fc: %s belongs to another user: set XDG_CACHE_HOME",
		               folder);
	return 0;
}

/* The module's file depends on the compiler. */
static int module_make(struct compile *c, const char *fc, struct err *err)
{
	char folder[4096], source[TEXT], module[TEXT];
	const char *const make[] = {fc,     "-w",       "-fsyntax-only", "-J",
	                            folder, c->include, source,          NULL};
	const struct launch_command run = {.words = make};

	if (cache_folder(folder, sizeof folder, err) < 0)
		return -1;
	snprintf(module, sizeof module, "%s/mpi.mod", folder);
	snprintf(source, sizeof source, "%s/include/mpi.f90", c->library);
	snprintf(c->modules, sizeof c->modules, "-I%s", folder);
	return access(module, R_OK) == 0 ? 0 : launch_must(&run, err);
}

static int fc_run(const struct args *a, struct err *err)
{
	const char *fc = compiler("ORRERY_FC", "gfortran");
	struct compile c;

	if (compile_begin(&c, a, err) < 0 || module_make(&c, fc, err) < 0) {
		free(c.words);
		return -1;
	}
	word(&c, fc);
	word(&c, "-fallow-argument-mismatch");
	word(&c, c.include);
	word(&c, c.modules);
	arguments(&c);
	snprintf(c.one, sizeof c.one, "%s/openmpi/libmpi_mpifh.so.40", c.library);
	snprintf(c.two, sizeof c.two, "%s/openmpi/libmpi.so.40", c.library);
	snprintf(c.path, sizeof c.path, "-Wl,--enable-new-dtags,-rpath,%s/openmpi", c.library);
	if (links(a)) {
		word(&c, c.one);
		word(&c, c.two);
		word(&c, c.path);
	}
	return compile_end(&c, err);
}

static const struct option_row none[] = {{0, 0, NULL, NULL, NULL}};

const struct verb verb_cc = {
    .name = "cc",
    .synopsis = "ARGUMENTS",
    .summary = "compiles a C or C++ program for 'orrery run', where no MPI is installed",
    .text = "The arguments are those of the compiler, which is cc, or c++ if a source is of C++ "
            "(ORRERY_CC, ORRERY_CXX: others). "
            "With -show,\nthe command is printed.",
    .options = none,
    .run = cc_run,
    .raw = 1,
};

const struct verb verb_fc = {
    .name = "fc",
    .synopsis = "ARGUMENTS",
    .summary = "compiles a Fortran program for 'orrery run', where no MPI is installed",
    .text = "The arguments are those of the compiler, which is gfortran (ORRERY_FC: another one). "
            "Programs include mpif.h or use the "
            "module mpi.\nWith -show, the command is printed.",
    .options = none,
    .run = fc_run,
    .raw = 1,
};
