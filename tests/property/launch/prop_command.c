/* prop_command.c: commands drawn at random: one of the known launchers, another one, or none;
 * options with values; one or more programs, with arguments that look like options; settings with
 * odd values. The command with the settings in it is read as the launcher would read it (mpirun(1)
 * of Open MPI: -x holds for the program that follows; mpiexec(1) of Hydra: -genv for all; srun(1):
 * --export for the program that follows, and what env(1) puts before it; env(1) else): each program
 * starts as the user wrote it, and gets every setting, once, to the letter. */
#include "property/prop.h"
#include "unit/launch/elf_file.h"

#include "launch/command.h"

enum { WORDS = 128, PROGRAMS = 3, SETTINGS = 4, TEXT = 160 };

struct here {
	struct tmp tmp;
	char hydra[TEXT], openmpi[TEXT], other[TEXT], srun[TEXT], mpich_program[TEXT],
	    openmpi_program[TEXT];
};

struct drawn {
	char word[WORDS][TEXT];
	const char *argv[WORDS + 1];
	int n, programs, family;
	enum launch_way way;
	char value[SETTINGS][TEXT];
	struct setting settings[SETTINGS];
	int n_settings;
};

static void script(struct here *h, const char *name, const char *says, char *out)
{
	char text[256];

	snprintf(text, sizeof text, "#!/bin/sh\necho '%s'\n", says);
	snprintf(out, TEXT, "%s", tmp_write(&h->tmp, name, text));
	assert_int_equal(chmod(out, 0755), 0);
}

static void program(struct here *h, const char *name, const char *library, char *out)
{
	struct elf_file e;

	elf_make(&e, &library, 1);
	snprintf(out, TEXT, "%s", elf_write(&h->tmp, name, &e, ELF_SIZE));
}

static void here_init(struct here *h)
{
	tmp_init(&h->tmp);
	script(h, "mpiexec.hydra", "HYDRA build details:", h->hydra);
	script(h, "mpirun.any", "mpirun (Open MPI) 4.1.4", h->openmpi);
	script(h, "aprun", "ALPS", h->other);
	script(h, "srun", "slurm 22.05", h->srun);
	program(h, "a.out", "libmpich.so.12", h->mpich_program);
	program(h, "b.out", "libmpi.so.40", h->openmpi_program);
}

static void word_put(struct drawn *d, const char *text)
{
	assert_true(d->n < WORDS);
	snprintf(d->word[d->n], TEXT, "%s", text);
	d->argv[d->n] = d->word[d->n];
	d->argv[++d->n] = NULL;
}

static const char *one_of(struct rng *r, const char *const *texts, uint32_t n)
{
	return texts[prop_from(r, 0, n - 1)];
}

/* One program with the launcher's options before it and its own arguments behind it. */
static void program_put(struct drawn *d, struct rng *r, const char *path)
{
	static const char *const arguments[] = {"-x", "A=1",   "-genv", "input file", "",   "-n",
	                                        "--", "$HOME", "é",     "-",          "a:b"};

	if (prop_once_in(r, 2) || d->way == LAUNCH_ENV) {
		word_put(d, "-n");
		word_put(d, "4");
	}
	if (prop_once_in(r, 3)) {
		word_put(d, "--wdir");
		word_put(d, "/tmp");
	}
	word_put(d, path);
	for (int i = (int)prop_from(r, 0, 3); i > 0; i--)
		word_put(d, one_of(r, arguments, sizeof arguments / sizeof *arguments));
}

static void settings_draw(struct drawn *d, struct rng *r)
{
	static const char *const names[SETTINGS] = {"LD_PRELOAD", "ORRERY_TRACE_DIR", "A", "B_2"};
	static const char *const values[] = {"",   "a b",         "x=y",        "-n",
	                                     ":",  "a;b",         "\"quoted\"", "'one'",
	                                     "\\", "line\nbreak", "%s",         "*"};

	d->n_settings = (int)prop_from(r, 0, SETTINGS);
	for (int i = 0; i < d->n_settings; i++) {
		snprintf(d->value[i], TEXT, "%s",
		         one_of(r, values, sizeof values / sizeof *values));
		d->settings[i] = (struct setting){names[i], d->value[i]};
	}
}

static void draw(struct drawn *d, struct rng *r, const struct here *h)
{
	int mpich = prop_once_in(r, 2), known = !prop_once_in(r, 3);
	const char *path = mpich ? h->mpich_program : h->openmpi_program;

	memset(d, 0, sizeof *d);
	d->family = mpich ? MPI_MPICH : MPI_OPENMPI;
	d->way = !known               ? LAUNCH_ENV
	         : prop_once_in(r, 3) ? LAUNCH_SRUN
	         : mpich              ? LAUNCH_HYDRA
	                              : LAUNCH_OPENMPI;
	d->programs = known ? (int)prop_from(r, 1, PROGRAMS) : 1;
	if (known)
		word_put(d, d->way == LAUNCH_SRUN ? h->srun : mpich ? h->hydra : h->openmpi);
	else if (prop_once_in(r, 2))
		word_put(d, h->other);
	for (int i = 0; i < d->programs; i++) {
		if (i > 0)
			word_put(d, ":");
		if (d->n == 0)
			word_put(d, path); /* no launcher */
		else
			program_put(d, r, path);
	}
	settings_draw(d, r);
}

/* The settings that word v[*at] and those that follow are; how many. Passes over them. */
static int settings_take(const struct drawn *d, char **v, int *at)
{
	char wanted[2 * TEXT];
	int n = 0;

	while (n < d->n_settings) {
		const struct setting *s = &d->settings[n];

		snprintf(wanted, sizeof wanted, "%s=%s", s->name, s->value);
		if (d->way == LAUNCH_HYDRA) {
			if (!v[*at] || strcmp(v[*at], "-genv") != 0)
				return n;
			assert_string_equal(v[*at + 1], s->name);
			assert_string_equal(v[*at + 2], s->value);
			*at += 3;
		} else if (d->way == LAUNCH_OPENMPI) {
			if (!v[*at] || strcmp(v[*at], "-x") != 0)
				return n;
			assert_string_equal(v[*at + 1], wanted);
			*at += 2;
		} else {
			assert_string_equal(v[*at], wanted);
			*at += 1;
		}
		n++;
	}
	return n;
}

/* Before srun: its environment, without what is to be in the ranks only. */
static void environment_take(const struct drawn *d, char **v, int *at)
{
	char wanted[2 * TEXT];

	assert_string_equal(v[(*at)++], "env");
	assert_string_equal(v[(*at)++], "-u");
	assert_string_equal(v[(*at)++], "LD_PRELOAD");
	for (int i = 0; i < d->n_settings; i++) {
		snprintf(wanted, sizeof wanted, "%s=%s", d->settings[i].name, d->settings[i].value);
		if (strcmp(d->settings[i].name, "LD_PRELOAD") != 0)
			assert_string_equal(v[(*at)++], wanted);
	}
}

/* --export=ALL, then each setting, by its name where srun has it already; how many. No value drawn
 * has a comma. */
static int export_take(const struct drawn *d, char **v, int *at)
{
	char wanted[SETTINGS * 2 * TEXT] = "--export=ALL";

	for (int i = 0; i < d->n_settings; i++) {
		int there = strcmp(d->settings[i].name, "LD_PRELOAD") != 0;
		size_t n = strlen(wanted);

		snprintf(wanted + n, sizeof wanted - n, ",%s%s%s", d->settings[i].name,
		         there ? "" : "=", there ? "" : d->settings[i].value);
	}
	assert_string_equal(v[(*at)++], wanted);
	return d->n_settings;
}

/* Its --export takes no value with a quote: is there one? */
static int is_refused(const struct drawn *d)
{
	return d->way == LAUNCH_SRUN && d->n_settings > 0 && strpbrk(d->value[0], "'\"");
}

/* Reads the words as the launcher does, beside those of the user. */
static void compare(const struct drawn *d, const struct here *h, char **v)
{
	int at = 0, given = 0;

	for (int i = 0; i < d->n; i++) {
		int begins = i == 1 || (i > 1 && strcmp(d->argv[i - 1], ":") == 0),
		    is_program = strcmp(d->argv[i], h->mpich_program) == 0 ||
		                 strcmp(d->argv[i], h->openmpi_program) == 0;

		if (d->way == LAUNCH_SRUN && i == 0)
			environment_take(d, v, &at);
		if (d->way == LAUNCH_SRUN && begins)
			given += export_take(d, v, &at);
		if (d->way == LAUNCH_ENV && is_program) {
			assert_string_equal(v[at++], "env");
			given += settings_take(d, v, &at);
		} else if ((d->way == LAUNCH_OPENMPI && begins) ||
		           (d->way == LAUNCH_HYDRA && i == 1)) {
			given += settings_take(d, v, &at);
		}
		assert_string_equal(v[at++], d->argv[i]);
	}
	assert_null(v[at]);
	assert_int_equal(given,
	                 d->n_settings *
	                     (d->way == LAUNCH_OPENMPI || d->way == LAUNCH_SRUN ? d->programs : 1));
}

static void test_random_commands(void **state)
{
	struct prop_run run = prop_begin(120);
	struct here h;

	(void)state;
	here_init(&h);
	unsetenv("SLURM_EXPORT_ENV");
	for (uint64_t i = 0; i < run.cases; i++) {
		struct command c;
		struct drawn d;
		struct rng r;
		struct err err = {0};
		char **v;

		rng_init(&r, run.seed, "commands", i);
		draw(&d, &r, &h);
		assert_ok(command_understand(&c, d.argv, d.n, MPI_UNKNOWN, &err), err);
		assert_int_equal(c.way, d.way);
		assert_int_equal(c.family, d.family);
		v = command_with(&c, d.settings, d.n_settings, &err);
		if (is_refused(&d)) {
			assert_null(v);
			assert_int_equal(err.kind, ERR_INPUT);
			continue;
		}
		assert_non_null(v);
		compare(&d, &h, v);
		for (char **w = v; *w; w++)
			free(*w);
		free(v);
	}
	tmp_release(&h.tmp);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random_commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
