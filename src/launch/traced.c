/* traced.c: see traced.h: before the run, and the run. */
#include "traced_int.h"

#include "launch.h"
#include "trace/trace.h"

#include <stdlib.h>
#include <sys/stat.h>

static void setting_add(struct traced *t, const char *name, const char *value)
{
	if (value)
		t->settings[t->n_settings++] = (struct setting){name, value};
}

/* The folder is there. */
static void settings_add(struct traced *t, const struct traced_options *o)
{
	t->folder = t->place.path;
	setting_add(t, "LD_PRELOAD", t->preload.value);
	setting_add(t, "LD_LIBRARY_PATH", t->preload.search);
	setting_add(t, "ASAN_OPTIONS", t->sanitizer);
	setting_add(t, "ORRERY_TRACE_DIR", t->folder);
	for (int i = 0; i < o->n_settings; i++)
		setting_add(t, o->settings[i].name, o->settings[i].value);
}

static int preloads_find(struct traced *t, enum mpi_family family, struct err *err)
{
	if (preload_init(&t->preload, family, err) < 0)
		return -1;
	t->sanitizer = preload_sanitizer(err);
	return t->sanitizer ? 0 : -1;
}

int traced_prepare(struct traced *t, const struct traced_options *o, struct err *err)
{
	*t = (struct traced){.place.beside.lock = -1};
	if (command_understand(&t->command, o->words, o->n_words, o->mpi, err) < 0)
		return -1;
	if (preloads_find(t, t->command.family, err) < 0)
		return -1;
	if (place_prepare(&t->place, o->folder, o->overwrite, &t->untraced) < 0) {
		if (t->untraced.number)
			return 0; /* no folder: the program runs all the same */
		*err = t->untraced;
		return -1;
	}
	t->profile = o->profile;
	t->ended = o->ended;
	t->self = o->self;
	setting_add(t, "ORRERY_PROFILE", o->profile ? "1" : NULL);
	settings_add(t, o);
	return 0;
}

int traced_begin(struct traced *t, const struct traced_options *o, enum mpi_family family,
                 struct err *err)
{
	*t = (struct traced){.place.beside.lock = -1,
	                     .ours = 1,
	                     .command = {.argv = o->words, .argc = o->n_words, .family = family}};
	if (preloads_find(t, family, err) < 0 ||
	    place_prepare(&t->place, o->folder, o->overwrite, err) < 0) {
		traced_release(t);
		return -1;
	}
	settings_add(t, o);
	return 0;
}

static void words_free(char **words)
{
	for (char **w = words; w && *w; w++)
		free(*w);
	free(words);
}

void traced_release(struct traced *t)
{
	place_release(&t->place);
	preload_release(&t->preload);
	free(t->sanitizer);
	t->sanitizer = NULL;
}

int traced_end(struct traced *t, uint32_t ranks, int code, struct str *notices, struct err *err)
{
	mode_t before = umask(077);
	struct err unjoined;
	int joined = ranks ? trace_folder_join(t->folder, ranks, &unjoined) : 0, r;

	umask(before);
	r = traced_folder_finish(t, ranks, code, notices, err);
	if (joined < 0 && r == 0) {
		*err = unjoined;
		err_append(
		    err,
		    "; %s is a trace all the same, with a file for each rank: everything can "
		    "be read from it",
		    t->folder);
		return -1;
	}
	return r;
}

/* The program ended well, and what was to be written of it is not there. */
static int lost(const struct err *e, int code, struct str *notices, struct err *err)
{
	if (code == 0) {
		*err = *e;
		return -1;
	}
	str_printf(notices, "%s\n", e->text);
	return code;
}

int traced_run(struct traced *t, struct str *notices, struct err *err)
{
	char **words = command_with(&t->command, t->settings, t->n_settings, err);
	struct launch_command c = {.words = (const char *const *)words};
	int code = words ? launch_run(&c, err) : -1;
	struct err e;

	words_free(words);
	if (code >= 0 && t->folder && t->ended)
		t->ended(t->self, t->folder);
	if (code >= 0 && t->folder && traced_folder_finish(t, 0, code, notices, &e) < 0)
		return lost(&e, code, notices, err);
	return code == 0 && !t->folder ? lost(&t->untraced, code, notices, err) : code;
}
