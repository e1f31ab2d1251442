/* catalogue.c: machines by name: files machines/NAME.xml of the data (base/data.h). Each file
 * begins with a comment
 *
 *     <!--
 *       name: graphene
 *       title: one line
 *       source: where the figures come from; further lines are indented more
 *       calibration: what is measured, what is nominal or unknown
 *       bandwidth: STATE: source; STATE is measured, fitted, published, nominal or assumed
 *       latency: the same
 *       processor: model, as in data/processors.txt
 *       speed: what the speed of hosts counts: instructions, flops, seconds or volumes; then how
 * far programs are from it, and whose figure it is: "instructions ±30 %: LU of NPB, thesis"
 *       rate-UNIT: as many of another unit: "3.1e9 ±30 %: source", or "none: why"
 *     -->
 */
#include "platform/platform_int.h"

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_LEN = 4096, HEADER_BYTES = 16384 };

/* What can be read: 1, 0, -1. */
static int is_file(const char *path, struct err *err)
{
	struct stat st;
	int there = there_stat(path, &st, err);
	return there > 0 ? !S_ISDIR(st.st_mode) : there;
}

static int catalogue_folder(char *out, struct err *err)
{
	return data_find("machines", out, PATH_LEN, err);
}

static int is_machine(const struct dirent *d);

/* "did you mean graphene? " of the names in the folder, or "". */
static void nearest_machine(const char *folder, const char *machine, char *out, size_t n)
{
	struct dirent **files;
	struct nearest near;
	int k = scandir(folder, &files, is_machine, alphasort);
	*out = 0;
	nearest_init(&near, machine);
	for (int i = 0; i < k; i++) {
		files[i]->d_name[strlen(files[i]->d_name) - 4] = 0;
		nearest_offer(&near, files[i]->d_name);
	}
	if (near.best)
		snprintf(out, n, "; did you mean %.200s?", near.best);
	for (int i = 0; i < k; i++)
		free(files[i]);
	if (k >= 0)
		free(files);
}

/* A symbolic link that leads nowhere; errno says why. */
static int is_broken_link(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && stat(path, &st) < 0;
}

char *catalogue_find(const char *machine, struct err *err)
{
	char folder[PATH_LEN], path[2 * PATH_LEN];
	struct err why;
	int is = strchr(machine, '/') ? 1 : is_file(machine, err);
	if (is < 0)
		return NULL;
	if (is) {
		char *copy = strdup(machine);
		if (!copy)
			err_nomem(err, "a path", strlen(machine) + 1);
		return copy;
	}
	if (!*machine || catalogue_folder(folder, &why) < 0) {
		err_set(err, *machine ? why.kind : ERR_INPUT,
		        "no platform file is named '%s'; it may be a catalogue name, but %s",
		        machine, *machine ? why.text : "it is empty");
		return NULL;
	}
	snprintf(path, sizeof path, "%s/%.200s.xml", folder, machine);
	is = is_file(path, err);
	if (is < 0)
		return NULL;
	if (!is && access(machine, F_OK) == 0) {
		err_set(
		    err, ERR_INPUT,
		    "'%s' is a folder: a platform file is wanted, or a name of `orrery platform "
		    "list`",
		    machine);
		return NULL;
	}
	if (!is && is_broken_link(machine)) {
		err_sys(err, errno, "cannot open the platform file %s", machine);
		return NULL;
	}
	if (!is) {
		char near[256];
		nearest_machine(folder, machine, near, sizeof near);
		err_set(err, ERR_INPUT,
		        "no platform file and no machine of the catalogue is named '%s'%s (`orrery "
		        "platform list` shows those of %s)",
		        machine, near, folder);
		return NULL;
	}
	char *copy = strdup(path);
	if (!copy)
		err_nomem(err, "a path", strlen(path) + 1);
	return copy;
}

/* --- the comment header --- */

static const struct {
	const char *key;
	size_t offset;
} header_fields[] = {
    {"name:", offsetof(struct machine_header, name)},
    {"title:", offsetof(struct machine_header, title)},
    {"source:", offsetof(struct machine_header, source)},
    {"calibration:", offsetof(struct machine_header, calibration)},
    {"bandwidth:", offsetof(struct machine_header, bandwidth)},
    {"latency:", offsetof(struct machine_header, latency)},
    {"processor:", offsetof(struct machine_header, processor)},
    {"speed:", offsetof(struct machine_header, speed)},
    {"rate-instructions:", offsetof(struct machine_header, rate[VOLUME_INSTRUCTIONS])},
    {"rate-flops:", offsetof(struct machine_header, rate[VOLUME_FLOPS])},
};
enum { HEADER_FIELDS = sizeof header_fields / sizeof *header_fields };

static char **header_field(struct machine_header *h, size_t k)
{
	return (char **)(void *)((char *)h + header_fields[k].offset);
}

static char *text_dup(const char *s, size_t n, struct err *err)
{
	char *copy = strndup(s, n);
	if (!copy)
		err_nomem(err, "a machine's description", n + 1);
	return copy;
}

/* The value of "key:" in the comment, its lines joined by single blanks; "" if absent. Lines that
 * are indented more go on with it, whatever they begin with; any other ends it. */
static char *field_get(const char *comment, const char *key, struct err *err)
{
	struct str out;
	size_t indent = SIZE_MAX; /* of the line that others go on */
	int inside = 0;
	str_init(&out);
	str_puts(&out, "");
	for (const char *line = comment; *line;) {
		size_t n = strcspn(line, "\n");
		size_t skip = strspn(line, " \t");
		const char *s = line + (skip < n ? skip : n);
		const char *end = line + n;
		while (end > s && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
			end--;
		if (end > s && skip <= indent) {
			size_t kn = strlen(key);
			inside = (size_t)(end - s) >= kn && strncmp(s, key, kn) == 0;
			s += inside ? kn + strspn(s + kn, " \t") : 0;
			/* behind "<!--" a line stands at any place */
			indent = line == comment ? SIZE_MAX : skip;
		}
		if (inside && end > s) {
			str_puts(&out, out.n ? " " : "");
			str_putn(&out, s, (size_t)(end - s));
		}
		line += n + (line[n] == '\n');
	}
	char *text = out.failed ? NULL : text_dup(out.n ? out.s : "", out.n, err);
	if (out.failed)
		err_nomem(err, "a machine's description", 0);
	str_release(&out);
	return text;
}

void machine_header_release(struct machine_header *h)
{
	for (size_t k = 0; k < HEADER_FIELDS; k++)
		free(*header_field(h, k));
	*h = (struct machine_header){0};
}

/* Without "name:" the file's own name without folder and ".xml". */
static int name_complete(const char *path, struct machine_header *h, struct err *err)
{
	if (*h->name)
		return 0;
	const char *base = strrchr(path, '/');
	base = base ? base + 1 : path;
	size_t n = strlen(base);
	if (n > 4 && strcmp(base + n - 4, ".xml") == 0)
		n -= 4;
	free(h->name);
	h->name = text_dup(base, n, err);
	return h->name ? 0 : -1;
}

static int header_parse(char *text, const char *path, struct machine_header *h, struct err *err)
{
	char *comment = strstr(text, "<!--");
	char *tag = strstr(text, "<platform");
	char *end = comment ? strstr(comment, "-->") : NULL;
	if (!end || (tag && tag < comment))
		comment = text + strlen(text);
	else
		*end = 0;
	comment += *comment ? 4 : 0;
	*h = (struct machine_header){0};
	for (size_t k = 0; k < HEADER_FIELDS; k++) {
		*header_field(h, k) = field_get(comment, header_fields[k].key, err);
		if (!*header_field(h, k)) {
			machine_header_release(h);
			return -1;
		}
	}
	if (name_complete(path, h, err) == 0)
		return 0;
	machine_header_release(h);
	return -1;
}

/* "±30 %", with or without sign and blanks: the part after it, or NULL. */
static const char *percent_parse(const char *s, double *out)
{
	size_t n;

	s += strspn(s, " ");
	s += strncmp(s, "±", 2) == 0 ? 2 : strncmp(s, "+-", 2) == 0 ? 2 : 0;
	s += strspn(s, " ");
	n = strspn(s, "0123456789.");
	if (n == 0 || num_parse_double(s, n, out) < 0)
		return NULL;
	*out /= 100;
	s += n + strspn(s + n, " ");
	return *s == '%' ? s + 1 : NULL;
}

int machine_rate_parse(const char *text, struct platform_rate *out, struct err *err)
{
	const char *s = text + strspn(text, " "), *after;
	size_t n = strcspn(s, " :");

	*out = (struct platform_rate){.source = ""};
	if (n == 0 || (n == 4 && strncmp(s, "none", 4) == 0))
		return 0;
	if (num_parse_double(s, n, &out->rate) < 0 || !(out->rate > 0))
		return err_set(err, ERR_INPUT,
		               "expected a rate per second, \"±N %%: source\", or none; found '%s'",
		               text);
	s += n + strspn(s + n, " ");
	after = *s == ':' || !*s ? s : percent_parse(s, &out->deviation);
	after = after ? after + strspn(after, " ") : "?";
	if (*after != ':' && *after)
		return err_set(err, ERR_INPUT,
		               "expected \"±N %%: source\" after the rate, found '%s'", s);
	out->source = *after ? after + 1 + strspn(after + 1, " ") : "";
	return 1;
}

int machine_header_read(const char *path, struct machine_header *h, struct err *err)
{
	if (input_regular(path, err) < 0)
		return -1;
	FILE *f = fopen(path, "re");
	if (!f)
		return err_sys(err, errno, "%s", path);
	char text[HEADER_BYTES];
	size_t n = fread(text, 1, sizeof text - 1, f);
	int failed = ferror(f) ? errno : 0;
	fclose(f);
	if (failed == EISDIR)
		return err_set(err, ERR_INPUT,
		               "%s is a folder, and a machine is a file, or a name of 'orrery "
		               "platform list'",
		               path);
	if (failed)
		return err_sys(err, failed, "%s", path);
	if (input_unpacker(text, n))
		return err_set(err, ERR_INPUT,
		               "%s is packed, and machines are read as they are: unpack it first "
		               "(%s)",
		               path, input_unpacker(text, n));
	text[n] = 0;
	return header_parse(text, path, h, err);
}

/* --- the list --- */

static int is_machine(const struct dirent *d)
{
	size_t n = strlen(d->d_name);
	return n > 4 && d->d_name[0] != '.' && strcmp(d->d_name + n - 4, ".xml") == 0;
}

void catalogue_free(struct catalogue_entry *list, int n)
{
	for (int i = 0; i < n; i++) {
		free(list[i].name);
		free(list[i].path);
		free(list[i].title);
		free(list[i].source);
		free(list[i].calibration);
	}
	free(list);
}

static int entry_read(const char *folder, const char *file, struct catalogue_entry *e,
                      struct err *err)
{
	char path[2 * PATH_LEN];
	struct machine_header h;
	snprintf(path, sizeof path, "%s/%s", folder, file);
	char *copy = text_dup(path, strlen(path), err);
	if (!copy || machine_header_read(path, &h, err) < 0) {
		free(copy);
		return -1;
	}
	*e = (struct catalogue_entry){h.name, copy, h.title, h.source, h.calibration};
	h.name = h.title = h.source = h.calibration = NULL;
	machine_header_release(&h);
	return 0;
}

static int entries_read(const char *folder, struct dirent **files, int n,
                        struct catalogue_entry **out, struct err *err)
{
	struct catalogue_entry *list = calloc((size_t)n + 1, sizeof *list);
	if (!list)
		return err_nomem(err, "the catalogue", (size_t)n * sizeof *list);
	for (int i = 0; i < n; i++) {
		if (entry_read(folder, files[i]->d_name, &list[i], err) < 0) {
			catalogue_free(list, i);
			return -1;
		}
	}
	*out = list;
	return n;
}

int catalogue_list(struct catalogue_entry **out, struct err *err)
{
	char folder[PATH_LEN];
	struct dirent **files;
	if (catalogue_folder(folder, err) < 0)
		return -1;
	int n = scandir(folder, &files, is_machine, alphasort);
	if (n < 0)
		return err_sys(err, errno, "%s", folder);
	int got = entries_read(folder, files, n, out, err);
	for (int i = 0; i < n; i++)
		free(files[i]);
	free(files);
	return got;
}
