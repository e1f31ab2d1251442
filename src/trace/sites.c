/* sites.c: call sites. The tracer names one by module and address ("ring+0x11f3"), which is the
 * same on every rank and in every run of a build; where the traced program was run there may also
 * be its source lines. These are in the file `sites` of a folder, one site a line:
 *
 *   # orrery-sites 1
 *   ring+0x11f3 ring.c:120 main
 *
 * and stand for it whenever the trace is read: another build of the program has other addresses,
 * and the same lines. */
#include "text/text_put.h"
#include "trace_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char mark[] = "# orrery-sites 1";

/* The sites that a name of a region is made of, one after the other: where it begins and how long
 * it is; 0 at the end. Separators: ">" between the two ends, "<" between a site and the one it was
 * called from. */
static size_t site_next(const char **p)
{
	if (**p == '>' || **p == '<')
		++*p;
	return strcspn(*p, "<>");
}

/* --- the table, written --- */

void trace_sites_release(struct trace_sites *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		free(s->site[i].name);
		free(s->site[i].place);
		free(s->site[i].function);
	}
	for (uint32_t i = 0; i < s->modules; i++) {
		free(s->module[i].name);
		free(s->module[i].path);
	}
	free(s->site);
	free(s->module);
	hash_str_release(&s->index);
	*s = (struct trace_sites){0};
}

int trace_sites_write(const char *dir, const struct trace_sites *s, struct err *err)
{
	struct str out;
	char *path = NULL;
	int result;

	str_init(&out);
	str_printf(&out, "%s\n", mark);
	for (uint32_t i = 0; i < s->n; i++) {
		if (!s->site[i].place)
			continue;
		str_put_word(&out, s->site[i].name);
		str_putc(&out, ' ');
		str_put_word(&out, s->site[i].place);
		str_putc(&out, ' ');
		str_put_word(&out, s->site[i].function && *s->site[i].function ? s->site[i].function
		                                                               : "?");
		str_putc(&out, '\n');
	}
	if (out.failed || asprintf(&path, "%s/sites", dir) < 0)
		result = err_nomem(err, "the call sites of a trace", out.n);
	else
		result = output_file(path, out.s, out.n, err);
	free(path);
	str_release(&out);
	return result;
}

/* --- what a trace names --- */

static int site_add(struct trace_sites *s, const char *name, size_t n, struct err *err)
{
	struct trace_site *all;

	if (n == 0 || hash_str_findn(&s->index, name, n) != HASH_NONE)
		return 0;
	all = vec_grow(s->site, &s->cap, sizeof *all, (size_t)s->n + 1, "call sites", err);
	if (!all)
		return -1;
	s->site = all;
	all[s->n] = (struct trace_site){.name = strndup(name, n)};
	if (!all[s->n].name)
		return err_nomem(err, "a call site", n);
	s->n++;
	return hash_str_put(&s->index, all[s->n - 1].name, s->n - 1, err);
}

int trace_sites_region(struct trace_sites *s, const char *name, struct err *err)
{
	for (const char *p = name; *p;) {
		size_t n = site_next(&p);

		if (site_add(s, p, n, err) < 0)
			return -1;
		p += n;
	}
	return 0;
}

int trace_sites_module(struct trace_sites *s, const char *note, struct err *err)
{
	static const char word[] = "module ";
	const char *name, *blank, *end = note + strcspn(note, "\n");
	struct trace_module *all;

	note += strspn(note, " ");
	name = note + sizeof word - 1;
	if (strncmp(note, word, sizeof word - 1) != 0 ||
	    !(blank = memchr(name, ' ', (size_t)(end - name))))
		return 0;
	for (uint32_t i = 0; i < s->modules; i++)
		if (strlen(s->module[i].name) == (size_t)(blank - name) &&
		    strncmp(s->module[i].name, name, (size_t)(blank - name)) == 0)
			return 0;
	all = vec_grow(s->module, &s->modules_cap, sizeof *all, (size_t)s->modules + 1, "modules",
	               err);
	if (!all)
		return -1;
	s->module = all;
	all[s->modules] = (struct trace_module){strndup(name, (size_t)(blank - name)),
	                                        strndup(blank + 1, (size_t)(end - blank - 1))};
	s->modules++;
	return all[s->modules - 1].name && all[s->modules - 1].path
	           ? 0
	           : err_nomem(err, "a module", (size_t)(end - name));
}

/* --- the table, read: names of sites and of regions to what they are called --- */

struct site_names {
	struct hash_str site, region; /* to texts */
	char **text;
	uint32_t n, cap;
};

void site_names_free(struct site_names *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < s->n; i++)
		free(s->text[i]);
	free(s->text);
	hash_str_release(&s->site);
	hash_str_release(&s->region);
	free(s);
}

/* Keeps a text (n bytes) under a key. */
static const char *text_keep(struct site_names *s, struct hash_str *table, const char *key,
                             const char *text, size_t n, struct err *err)
{
	char **all = vec_grow(s->text, &s->cap, sizeof *all, (size_t)s->n + 1, "call sites", err);

	if (!all)
		return NULL;
	s->text = all;
	all[s->n] = strndup(text, n);
	if (!all[s->n]) {
		err_nomem(err, "a call site", n);
		return NULL;
	}
	s->n++;
	return hash_str_put(table, key, s->n - 1, err) < 0 ? NULL : all[s->n - 1];
}

static int line_read(struct site_names *s, const struct input *in, char *line, struct err *err)
{
	char *place = strchr(line, ' '), *end = place ? strchr(place + 1, ' ') : NULL;

	if (!line[0] || line[0] == '#')
		return 0;
	if (!end || place == line || end == place + 1)
		return err_at(err, input_name(in), input_lineno(in), 0,
		              "expected 'site place function', found '%s'", line);
	*place++ = '\0';
	*end = '\0';
	word_decode_in_place(line);
	word_decode_in_place(place);
	return text_keep(s, &s->site, line, place, strlen(place), err) ? 0 : -1;
}

int site_names_read(struct site_names **out, const char *dir, struct err *err)
{
	struct site_names *s;
	struct input *in;
	char *path, *line;
	size_t n;
	int more;

	if (asprintf(&path, "%s/sites", dir) < 0)
		return err_nomem(err, "a file name", strlen(dir));
	more = there_is(path, err);
	if (more <= 0) {
		free(path);
		return more;
	}
	s = calloc(1, sizeof *s);
	in = s ? input_open(path, 0, err) : NULL;
	free(path);
	if (!in) {
		free(s);
		return s ? -1 : err_nomem(err, "call sites", sizeof *s);
	}
	hash_str_init(&s->site);
	hash_str_init(&s->region);
	while ((more = input_line(in, &line, &n, err)) > 0) {
		if (input_lineno(in) == 1 && strcmp(line, mark) != 0)
			more = err_at(err, input_name(in), 1, 0,
			              "not a table of call sites of this version: expected '%s'",
			              mark);
		else
			more = line_read(s, in, line, err);
		if (more < 0)
			break;
	}
	input_close(in);
	if (more < 0)
		site_names_free(s);
	else
		*out = s;
	return more < 0 ? -1 : 0;
}

const char *site_names_region(struct site_names *s, const char *region, struct err *err)
{
	uint32_t i = hash_str_find(&s->region, region);
	struct str text;
	const char *kept = NULL;

	if (i != HASH_NONE)
		return s->text[i];
	str_init(&text);
	for (const char *p = region; *p;) {
		const char *start = p;
		size_t n = site_next(&p);

		str_putn(&text, start, (size_t)(p - start));
		i = hash_str_findn(&s->site, p, n);
		str_putn(&text, i != HASH_NONE ? s->text[i] : p,
		         i != HASH_NONE ? strlen(s->text[i]) : n);
		p += n;
	}
	if (text.failed)
		err_nomem(err, "the name of a region", text.n);
	else
		kept = text_keep(s, &s->region, region, text.s ? text.s : "", text.n, err);
	str_release(&text);
	return kept;
}
