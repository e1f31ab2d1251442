/* config.c: the values of settings. Their table is in config_rows.c; SimGrid's settings that mean
 * nothing here are in config_simgrid.c. */
#include "config.h"

#include "config_int.h"
#include "input.h"
#include "letters.h"
#include "nearest.h"
#include "num.h"
#include "units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is name[0..n) one of the blank-separated words? */
static int word_among(const char *name, const char *words)
{
	size_t n = strlen(name), length;

	for (; *words; words += length + (words[length] == ' ')) {
		length = strcspn(words, " ");
		if (length == n && memcmp(words, name, n) == 0)
			return 1;
	}
	return 0;
}

static const struct config_row *row_find(const char *name)
{
	int i;

	for (i = 0; i < CFG_COUNT; i++)
		if (strcmp(config_table[i].name, name) == 0 ||
		    word_among(name, config_table[i].aliases))
			return &config_table[i];
	return NULL;
}

static int bool_parse(const char *text, double *out)
{
	static const char *const words[] = {"no", "yes", "off", "on", "false", "true", "0", "1"};
	int i;

	for (i = 0; i < 8; i++) {
		if (text_same(text, words[i])) {
			*out = i % 2;
			return 0;
		}
	}
	return -1;
}

/* Of things that there are one by one. */
static int is_whole(enum config_id id)
{
	static const enum config_id whole[] = {CFG_BUS_BUSSES,         CFG_BUS_IN_LINKS,
	                                       CFG_BUS_OUT_LINKS,      CFG_DIMEMAS_LOCAL_BUSES,
	                                       CFG_DIMEMAS_LOCAL_IN,   CFG_DIMEMAS_LOCAL_OUT,
	                                       CFG_NOISE_SEED,         CFG_STORAGE_AGGREGATORS,
	                                       CFG_VIRTUAL_PROCESSORS, CFG_MEMORY_SOCKETS};

	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (whole[i] == id)
			return 1;
	return 0;
}

/* A number of things, or a part. Whole ones are small enough that a double has them and the ones
 * after them. */
static int plain_parse(const struct config_row *row, const char *text, double *out, struct err *err)
{
	double v;

	if (num_parse_double(text, strlen(text), &v) < 0 || !isfinite(v))
		return err_set(err, ERR_INPUT, "setting %s takes a number, not \"%s\"", row->name,
		               text);
	if (v < 0)
		return err_set(err, ERR_INPUT,
		               "setting %s takes a number, not a negative one: \"%s\"", row->name,
		               text);
	if (is_whole(row->id) && (v != floor(v) || v >= 0x1p53))
		return err_set(err, ERR_INPUT,
		               "setting %s takes a whole number below 2^53, not \"%s\"", row->name,
		               text);
	*out = v;
	return 0;
}

/* Numbers may carry a unit of the setting's kind, and none is negative: but platform files of
 * SimGrid, StarPU's among them, say by a TCP window of -1 that there is none. */
static int number_parse(const struct config_row *row, const char *text, double *out,
                        struct err *err)
{
	enum unit_kind kind = row->unit[0] == 's'               ? UNIT_TIME
	                      : strcmp(row->unit, "bytes") == 0 ? UNIT_SIZE
	                                                        : UNIT_BANDWIDTH;
	const char *unit = kind == UNIT_TIME ? "seconds" : row->unit;
	struct err why;
	double v;

	if (units_parse(text, kind, &v, &why) < 0)
		return err_set(err, ERR_INPUT, "setting %s takes a number of %s: %s", row->name,
		               unit, why.text);
	if (v < 0 && row->id == CFG_NET_TCP_GAMMA)
		v = 0;
	if (v < 0)
		return err_set(err, ERR_INPUT,
		               "setting %s takes a number of %s, not a negative one: \"%s\"",
		               row->name, unit, text);
	*out = v;
	return 0;
}

/* Checks a value and gives what is kept of it as a number. An empty text is the model's default. */
static int value_parse(const struct config_row *row, const char *text, double *out, struct err *err)
{
	*out = 0;
	if (text[0] == '\0' && (row->initial[0] == '\0' || row->type == CFG_STRING))
		return 0;
	switch (row->type) {
	case CFG_BOOL:
		if (bool_parse(text, out) < 0)
			return err_set(err, ERR_INPUT, "setting %s takes yes or no, not \"%s\"",
			               row->name, text);
		return 0;
	case CFG_DOUBLE:
		return row->unit[0] ? number_parse(row, text, out, err)
		                    : plain_parse(row, text, out, err);
	case CFG_TABLE:
		return config_table_check(row, text, err);
	case CFG_STRING:
		break;
	}
	if (row->id == CFG_COMPAT && strcmp(text, "simgrid-3.32") != 0)
		return err_set(err, ERR_INPUT,
		               "setting compat knows \"simgrid-3.32\" only, not \"%s\"", text);
	return 0;
}

static int value_set(struct config_value *value, const char *text, double number,
                     enum config_source from, struct err *err)
{
	char *copy = strdup(text);

	if (!copy)
		return err_nomem(err, "a setting", strlen(text) + 1);
	free(value->text);
	*value = (struct config_value){copy, number, from};
	return 0;
}

int config_init(struct config *c, struct err *err)
{
	double number;
	int i;

	memset(c, 0, sizeof *c);
	str_init(&c->notices);
	for (i = 0; i < CFG_COUNT; i++) {
		BUG_ON((int)config_table[i].id != i);
		if (value_parse(&config_table[i], config_table[i].initial, &number, err) < 0 ||
		    value_set(&c->value[i], config_table[i].initial, number, CFG_FROM_DEFAULT,
		              err) < 0) {
			config_release(c);
			return -1;
		}
	}
	return 0;
}

void config_release(struct config *c)
{
	int i;

	for (i = 0; i < CFG_COUNT; i++)
		free(c->value[i].text);
	for (i = 0; i < 4; i++)
		free(c->family[i / 2][i % 2].text);
	str_release(&c->notices);
	memset(c, 0, sizeof *c);
}

static int unknown_setting(const char *name, struct err *err)
{
	struct nearest near;
	int i;

	nearest_init(&near, name);
	for (i = 0; i < CFG_COUNT; i++)
		nearest_offer(&near, config_table[i].name);
	err_set(err, ERR_INPUT, "unknown setting \"%s\"", name);
	if (near.best)
		err_append(err, ": did you mean %s?", near.best);
	else
		err_append(err, "; `orrery help settings` lists them");
	return -1;
}

/* A name that is not in the table: SimGrid's, or nobody's. */
static int foreign_set(struct config *c, const char *name, const char *value, struct err *err)
{
	const struct config_foreign *f = config_foreign_find(name);

	if (!f)
		return unknown_setting(name, err);
	if (f->only && !config_foreign_harmless(f, value))
		return err_set(
		    err, ERR_INPUT,
		    "setting %s:%s would change SimGrid's times, and is not supported%s%s", name,
		    value, f->only[0] ? "; supported: " : "", f->only);
	str_printf(&c->notices, "setting %s is accepted for SimGrid's sake: %s\n", name, f->why);
	return c->notices.failed ? err_nomem(err, "notices on settings", c->notices.n + 1) : 0;
}

/* What was given under names of that family, or NULL: not a setting with two. */
static struct config_value *family_factor(struct config *c, enum config_id id, int smpi)
{
	if (id != CFG_NET_LATENCY_FACTOR && id != CFG_NET_BANDWIDTH_FACTOR)
		return NULL;
	return &c->family[id == CFG_NET_BANDWIDTH_FACTOR][smpi];
}

static int family_set(struct config *c, const char *name, enum config_id id, const char *value,
                      double number, enum config_source from, struct err *err)
{
	struct config_value *v = family_factor(c, id, strncmp(name, "smpi/", 5) == 0);

	return v && from >= v->source ? value_set(v, value, number, from, err) : 0;
}

int config_set(struct config *c, const char *name, const char *value, enum config_source from,
               struct err *err)
{
	const struct config_row *row = row_find(name);
	double number;

	if (!row)
		return foreign_set(c, name, value, err);
	if (row->type == CFG_STRING && !row->initial[0] && strcmp(value, "none") == 0)
		value = ""; /* as help and docs/settings.md have this default */
	if (value_parse(row, value, &number, err) < 0)
		return -1;
	if (family_set(c, name, row->id, value, number, from, err) < 0)
		return -1;
	if (from < c->value[row->id].source)
		return 0;
	return value_set(&c->value[row->id], value, number, from, err);
}

int config_factors_of(struct config *c, int smpi, struct err *err)
{
	static const enum config_id ids[] = {CFG_NET_LATENCY_FACTOR, CFG_NET_BANDWIDTH_FACTOR};

	for (int i = 0; i < 2; i++) {
		const struct config_value *v = family_factor(c, ids[i], smpi);

		if ((v->text ? value_set(&c->value[ids[i]], v->text, v->number, v->source, err)
		             : config_unset(c, ids[i], err)) < 0)
			return -1;
	}
	return 0;
}

/* One "name:value" of n bytes. */
static int setting_parse(struct config *c, const char *s, size_t n, enum config_source from,
                         struct err *err)
{
	const char *colon = memchr(s, ':', n);
	char *copy;
	int result;

	if (!colon || colon == s)
		return err_set(err, ERR_INPUT, "\"%.*s\" is not a setting: name:value was expected",
		               (int)n, s);
	copy = strndup(s, n);
	if (!copy)
		return err_nomem(err, "a setting", n + 1);
	copy[colon - s] = '\0';
	result = config_set(c, copy, copy + (colon - s) + 1, from, err);
	free(copy);
	return result;
}

/* A shared object is code: only the command line may name one, no file. */
static int object_refuse(const char *word, size_t n, struct err *err)
{
	static const char name[] = "network/model:";
	size_t k = sizeof name - 1, end;

	if (n < k || strncmp(word, name, k) != 0)
		return 0;
	end = k + strcspn(word + k, ":, \t\r\n");
	if (!memchr(word + k, '/', n - k) &&
	    (end < k + 3 || strncmp(word + end - 3, ".so", 3) != 0))
		return 0;
	return err_set(
	    err, ERR_INPUT,
	    "network/model: a shared object is code, which no file may load: give it with --model");
}

/* At an error *at is the setting at fault. */
static int words_set(struct config *c, const char **at, enum config_source from, int in_file,
                     struct err *err);

/* Settings of a file, a line or several to a line; '#' begins a comment line. */
static int file_read(struct config *c, const char *path, enum config_source from, struct err *err)
{
	struct input *in = input_open(path, 0, err);
	struct err why;
	const char *at;
	char *line;
	size_t n;
	int more = -1;

	while (in && (more = input_line(in, &line, &n, err)) > 0) {
		at = line + strspn(line, " \t");
		if (*at != '#' && words_set(c, &at, from, 1, &why) < 0) {
			more = err_placed(err, path, input_lineno(in), at - line + 1, &why);
			break;
		}
	}
	if (in)
		input_close(in);
	return more;
}

static int word_set(struct config *c, const char *s, size_t n, enum config_source from, int in_file,
                    struct err *err)
{
	char *path;
	int r;

	if (in_file && *s == '@')
		return err_set(err, ERR_INPUT, "a file of settings does not name another one");
	if (in_file && object_refuse(s, n, err) < 0)
		return -1;
	if (*s != '@')
		return setting_parse(c, s, n, from, err);
	path = strndup(s + 1, n - 1);
	if (!path)
		return err_nomem(err, "a setting", n);
	r = file_read(c, path, from, err);
	free(path);
	return r;
}

static const char separators[] = " \t\r\n,";

/* "name: value", as in many other programs' files: two words. */
static int blank_refuse(const char *s, size_t n, struct err *err)
{
	const char *next = s + n + strspn(s + n, " \t");
	size_t k = strcspn(next, separators);

	if (n < 2 || s[n - 1] != ':' || next == s + n || k == 0 || memchr(next, ':', k))
		return 0;
	return err_set(err, ERR_INPUT, "a blank after \"%.*s\": %.*s%.*s was expected", (int)n, s,
	               (int)n, s, (int)k, next);
}

static int words_set(struct config *c, const char **at, enum config_source from, int in_file,
                     struct err *err)
{
	for (*at += strspn(*at, separators); **at; *at += strspn(*at, separators)) {
		size_t n = strcspn(*at, separators);

		if (blank_refuse(*at, n, err) < 0 || word_set(c, *at, n, from, in_file, err) < 0)
			return -1;
		*at += n;
	}
	return 0;
}

int config_set_all(struct config *c, const char *settings, enum config_source from, struct err *err)
{
	/* a name may have blanks and commas */
	if (*settings == '@' && access(settings + 1, F_OK) == 0)
		return file_read(c, settings + 1, from, err);
	return words_set(c, &settings, from, 0, err);
}

int config_unset(struct config *c, enum config_id id, struct err *err)
{
	const struct config_row *row = &config_table[id];
	double number;

	if (value_parse(row, row->initial, &number, err) < 0)
		return -1;
	return value_set(&c->value[id], row->initial, number, CFG_FROM_DEFAULT, err);
}

enum config_id config_find(const char *name)
{
	const struct config_row *row = row_find(name);

	return row ? row->id : CFG_COUNT;
}

const char *config_text(const struct config *c, enum config_id id)
{
	return c->value[id].text;
}

double config_number(const struct config *c, enum config_id id)
{
	BUG_ON(config_table[id].type != CFG_DOUBLE && config_table[id].type != CFG_BOOL);
	return c->value[id].number;
}

int config_bool(const struct config *c, enum config_id id)
{
	BUG_ON(config_table[id].type != CFG_BOOL);
	return c->value[id].number != 0;
}

enum config_source config_from(const struct config *c, enum config_id id)
{
	return c->value[id].source;
}

int config_compat(const struct config *c)
{
	return c->value[CFG_COMPAT].text[0] != '\0';
}
