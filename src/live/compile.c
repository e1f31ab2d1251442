/* compile.c: the command behind `orrery cc` and `orrery fc`. */
#include "compile.h"

#include "base/hash.h"
#include "launch/launch.h"

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n > m && strcmp(s + n - m, end) == 0;
}

/* Is one of the words one of the list, or does it end with one? */
static int any(const char *const *words, int n, const char *const *list,
               int (*fits)(const char *word, const char *of))
{
	for (int i = 0; i < n; i++)
		for (const char *const *of = list; *of; of++)
			if (fits(words[i], *of))
				return 1;
	return 0;
}

static int is_same(const char *word, const char *of)
{
	return strcmp(word, of) == 0;
}

static enum compile_show shows(const char *word)
{
	static const struct {
		const char *word;
		enum compile_show show;
	} all[] = {{"-show", COMPILE_COMMAND},
	           {"-showme", COMPILE_COMMAND},
	           {"-showme:command", COMPILE_COMPILER},
	           {"-showme:compile", COMPILE_FLAGS},
	           {"-showme:link", COMPILE_LIBRARIES},
	           {"-showme:incdirs", COMPILE_INCLUDES},
	           {"-showme:libdirs", COMPILE_FOLDERS},
	           {"-compile_info", COMPILE_COMPILES},
	           {"-compile-info", COMPILE_COMPILES},
	           {"-link_info", COMPILE_LINKS},
	           {"-link-info", COMPILE_LINKS}};

	if (word[0] == '-' && word[1] == '-') /* Open MPI's take both */
		word++;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (strcmp(word, all[i].word) == 0)
			return all[i].show;
	return COMPILE_RUNS;
}

enum compile_show compile_shows(const struct compile *c)
{
	enum compile_show show = COMPILE_RUNS;

	for (int i = 0; i < c->n && show == COMPILE_RUNS; i++)
		show = shows(c->words[i]);
	return show;
}

/* Nothing but the headers is needed where nothing is linked. */
static int links(const struct compile *c)
{
	static const char *const stops[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", NULL};

	return c->n > 0 && !any(c->words, c->n, stops, is_same);
}

/* ---- C or C++ ---- */

static int has(const char *const *words, int n, const char *const *ends)
{
	return any(words, n, ends, ends_with);
}

/* Is there a mangled name: _Z at the start of a string of a symbol table? (Itanium C++ ABI, 5.1) */
static int names_cxx(FILE *f)
{
	int seen = 0, c; /* seen: of a NUL, _ and Z */

	while ((c = getc_unlocked(f)) != EOF) {
		if (seen == 3 && c > ' ')
			return 1;
		if (c == 0)
			seen = 1;
		else if ((seen == 1 && c == '_') || (seen == 2 && c == 'Z'))
			seen++;
		else
			seen = 0;
	}
	return 0;
}

/* What cannot be read is the linker's to tell. */
static int is_object_of_cxx(const char *path)
{
	FILE *f = fopen(path, "rbe");
	int is = f && names_cxx(f);

	if (f)
		fclose(f);
	return is;
}

/* Do the arguments link objects, and some of C++, and compile no C, which c++ takes for C++? */
static int links_cxx(const char *const *words, int n)
{
	static const char *const sources[] = {".c", ".i", NULL};
	static const char *const objects[] = {".o", ".a", ".lo", ".obj", NULL};
	const struct compile c = {.words = words, .n = n};

	if (!links(&c) || has(words, n, sources))
		return 0;
	for (int i = 0; i < n; i++)
		if (has(&words[i], 1, objects) && is_object_of_cxx(words[i]))
			return 1;
	return 0;
}

int compile_is_cxx(const char *const *words, int n)
{
	static const char *const ends[] = {".cc",  ".cp",  ".cpp", ".CPP",
	                                   ".cxx", ".c++", ".C",   NULL};

	return has(words, n, ends) || links_cxx(words, n);
}

/* ---- the words ---- */

struct words {
	char **v;
	int n, failed;
};

/* One more, of a folder or a text, and what follows it. */
static void add(struct words *w, const char *before, const char *text, const char *after)
{
	size_t n = strlen(before) + strlen(text) + strlen(after) + 1;
	char *word = malloc(n);

	if (!word) {
		w->failed = 1;
		return;
	}
	snprintf(word, n, "%s%s%s", before, text, after);
	w->v[w->n++] = word;
}

static const char *folder_of(const struct compile *c)
{
	return c->modules ? "/openmpi" : "/abi";
}

/* C beside Fortran: our mpi.h, the standard's interface, tells what of it is not to be used. */
static int has_c(const struct compile *c)
{
	static const char *const sources[] = {".c", ".cc", ".cpp", ".cxx", ".C", NULL};

	return has(c->words, c->n, sources);
}

static void add_flags(struct words *w, const struct compile *c)
{
	if (c->modules)
		add(w, "-fallow-argument-mismatch", "", "");
	if (c->modules && has_c(c))
		add(w, "-DORRERY_FC", "", "");
	add(w, "-I", c->library, "/include");
	if (c->modules)
		add(w, "-I", c->modules, "");
}

static void add_libraries(struct words *w, const struct compile *c)
{
	if (!c->modules) {
		add(w, "", c->library, "/abi/libmpi_abi.so");
	} else {
		add(w, "", c->library, "/openmpi/libmpi_mpifh.so");
		add(w, "", c->library, "/openmpi/libmpi.so");
	}
	add(w, "-Wl,--enable-new-dtags,-rpath,", c->library, folder_of(c));
}

static void add_command(struct words *w, const struct compile *c)
{
	add(w, "", c->compiler, "");
	add_flags(w, c);
	for (int i = 0; i < c->n; i++)
		if (shows(c->words[i]) == COMPILE_RUNS)
			add(w, "", c->words[i], "");
	if (links(c))
		add_libraries(w, c);
}

static void add_shown(struct words *w, const struct compile *c, enum compile_show show)
{
	if (show == COMPILE_COMPILER || show == COMPILE_COMPILES || show == COMPILE_LINKS)
		add(w, "", c->compiler, "");
	if (show == COMPILE_COMPILES || show == COMPILE_LINKS || show == COMPILE_FLAGS)
		add_flags(w, c);
	if (show == COMPILE_LINKS || show == COMPILE_LIBRARIES)
		add_libraries(w, c);
	if (show == COMPILE_INCLUDES)
		add(w, "", c->library, "/include");
	if (show == COMPILE_INCLUDES && c->modules)
		add(w, "", c->modules, "");
	if (show == COMPILE_FOLDERS)
		add(w, "", c->library, folder_of(c));
}

char **compile_command(const struct compile *c, struct err *err)
{
	enum { ADDED = 9 };
	enum compile_show show = compile_shows(c);
	struct words w = {0};

	w.v = calloc((size_t)c->n + ADDED, sizeof *w.v);
	if (w.v && show <= COMPILE_COMMAND)
		add_command(&w, c);
	else if (w.v)
		add_shown(&w, c, show);
	if (w.v && !w.failed)
		return w.v;
	compile_free(w.v);
	err_nomem(err, "a command", ((unsigned long long)c->n + ADDED) * sizeof *w.v);
	return NULL;
}

void compile_free(char **command)
{
	for (char **word = command; word && *word; word++)
		free(*word);
	free(command);
}

/* ---- modules ---- */

static void make_folder(const struct str *path)
{
	if (!path->failed)
		mkdir(path->s, 0777); /* where it cannot be made, module_make says so */
}

/* The user's own cache: what others could write to would be compiled into the user's programs. */
static int cache_base(struct str *out, struct err *err)
{
	const char *given = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	const struct passwd *me;

	if (given && *given) {
		str_puts(out, given);
		return 0;
	}
	if (!home || !*home) {
		me = getpwuid(geteuid());
		home = me ? me->pw_dir : NULL;
	}
	if (!home || !*home)
		return err_set(err, ERR_INPUT, "no folder for modules: set HOME or XDG_CACHE_HOME");
	str_printf(out, "%s/.cache", home);
	return 0;
}

/* The folder of the modules of a compiler, made where it is not there. Versions of a compiler,
 * which have one name, do not read each other's: its own words on its version are part of it. */
static int cache(const char *compiler, struct str *out, struct err *err)
{
	const char *const words[] = {compiler, "--version", NULL};
	const struct launch_command ask = {.words = words, .err = LAUNCH_WITH_OUT};
	const char *name = strrchr(compiler, '/');
	char version[4096];

	if (launch_output(&ask, version, sizeof version, err) < 0 || cache_base(out, err) < 0)
		return -1;
	make_folder(out);
	str_puts(out, "/orrery");
	make_folder(out);
	str_printf(out, "/%s-%016" PRIx64, name ? name + 1 : compiler,
	           hash_text(version, strlen(version)));
	make_folder(out);
	return out->failed ? err_nomem(err, "the name of a folder", 1) : 0;
}

static int is_younger(const char *module, const char *source)
{
	struct stat m, s;

	return stat(module, &m) == 0 && stat(source, &s) == 0 && m.st_mtime >= s.st_mtime;
}

/* A module is compiled in a folder of its own and then moved: commands of one `make -j` would write
 * and read the same file at once. */
static int module_make(const char *compiler, const char *folder, const char *include,
                       const char *source, const char *made, struct err *err)
{
	struct str own = {0}, there = {0};
	int r;

	str_printf(&own, "%s/XXXXXX", folder);
	if (own.failed)
		return err_nomem(err, "the name of a folder", 1);
	if (!mkdtemp(own.s)) {
		r = err_sys(err, errno, "%s cannot be written", folder);
		err_append(err, " (XDG_CACHE_HOME names another folder than ~/.cache)");
	} else {
		const char *const make[] = {compiler, "-w",    "-fsyntax-only", "-J",
		                            own.s,    include, source,          NULL};
		const struct launch_command run = {.words = make};

		str_printf(&there, "%s%s", own.s, strrchr(made, '/'));
		r = there.failed ? err_nomem(err, "a file name", 1) : launch_must(&run, err);
		if (r == 0 && rename(there.s, made) < 0)
			r = err_sys(err, errno, "%s", made);
		if (r < 0 && !there.failed)
			unlink(there.s);
		rmdir(own.s);
	}
	str_release(&own);
	str_release(&there);
	return r;
}

/* One module, unless it is there. What goes wrong is the compiler's to say. */
static int module(const char *library, const char *compiler, const char *folder, const char *name,
                  struct err *err)
{
	struct str source = {0}, made = {0}, include = {0};
	int r = 0;

	str_printf(&source, "%s/include/%s.f90", library, name);
	str_printf(&made, "%s/%s.mod", folder, name);
	str_printf(&include, "-I%s/include", library);
	if (source.failed || made.failed || include.failed) {
		r = err_nomem(err, "the name of a module", 1);
	} else if (!is_younger(made.s, source.s)) {
		r = module_make(compiler, folder, include.s, source.s, made.s, err);
	}
	str_release(&source);
	str_release(&made);
	str_release(&include);
	return r;
}

int compile_modules(const char *library, const char *compiler, struct str *out, struct err *err)
{
	if (cache(compiler, out, err) < 0)
		return -1;
	return module(library, compiler, out->s, "mpi", err);
}
