/* sites.c: see sites.h. A return address is the one behind the call: one less is inside
 * it. */
#include "sites.h"

#include "debug.h"
#include "demangle.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int place_set(struct trace_site *site, const struct debug_place *at, struct err *err)
{
	const char *slash = at->file ? strrchr(at->file, '/') : NULL,
	           *file = slash ? slash + 1 : at->file;
	char name[256];

	if ((file ? asprintf(&site->place, "%s:%d", file, at->line)
	          : asprintf(&site->place, "%s@%s", demangle_site(at->function, name, sizeof name),
	                     site->name)) < 0) {
		site->place = NULL;
		return err_nomem(err, "call sites", strlen(site->name));
	}
	site->function = strdup(at->function ? at->function : "?");
	return site->function ? 1 : err_nomem(err, "call sites", strlen(site->name));
}

static unsigned long long hexadecimal(const char *text)
{
	uint64_t v = 0;

	num_take_hex(text, &v);
	return v;
}

/* The address in "ring+0x11f3", or 0. */
static unsigned long long address_last(const struct trace_site *site)
{
	const char *plus = strrchr(site->name, '+');

	return plus && strncmp(plus, "+0x", 3) == 0 ? hexadecimal(plus + 3) : 0;
}

/* The same of that module, or 0. */
static unsigned long long address_in(const struct trace_site *site, const struct trace_module *m)
{
	size_t n = strlen(m->name);

	return strncmp(site->name, m->name, n) == 0 && strncmp(site->name + n, "+0x", 3) == 0
	           ? hexadecimal(site->name + n + 3)
	           : 0;
}

static int by_place(const void *a, const void *b)
{
	const struct trace_site *x = *(struct trace_site *const *)a,
	                        *y = *(struct trace_site *const *)b;
	unsigned long long at = address_last(x), other = address_last(y);
	int r = strcmp(x->place, y->place);

	return r ? r : at != other ? (at > other) - (at < other) : strcmp(x->name, y->name);
}

/* Several calls of a line: "two.c:8", "two.c:8.2", …, in the order of their addresses. */
static int places_number(struct trace_sites *s, struct err *err)
{
	struct trace_site **known = calloc((size_t)s->n + 1, sizeof *known), *first = NULL;
	uint32_t n = 0, same = 0;
	int r = 0;

	if (!known)
		return err_nomem(err, "call sites", s->n * sizeof *known);
	for (uint32_t i = 0; i < s->n; i++)
		if (s->site[i].place)
			known[n++] = &s->site[i];
	qsort(known, n, sizeof *known, by_place);
	for (uint32_t i = 0; i < n && r == 0; i++) {
		char *numbered;

		same = first && !strcmp(first->place, known[i]->place) ? same + 1 : 1;
		if (same == 1) {
			first = known[i];
		} else if (asprintf(&numbered, "%s.%u", first->place, same) < 0) {
			r = err_nomem(err, "call sites", strlen(first->place));
		} else {
			free(known[i]->place);
			known[i]->place = numbered;
		}
	}
	free(known);
	return r;
}

static int module_resolve(struct trace_sites *s, const struct trace_module *m, struct err *err)
{
	struct debug *debug = debug_open(m->path);
	int found = 0, r = 0;

	for (uint32_t i = 0; debug && i < s->n && r >= 0; i++) {
		unsigned long long at = s->site[i].place ? 0 : address_in(&s->site[i], m);
		struct debug_place place;

		if (at > 0 && debug_find(debug, at - 1, &place)) {
			r = place_set(&s->site[i], &place, err);
			found++;
		}
	}
	debug_close(debug);
	return r < 0 ? -1 : found;
}

int sites_resolve(struct trace_sites *s, struct err *err)
{
	int found = 0;

	for (uint32_t m = 0; m < s->modules; m++) {
		int r = module_resolve(s, &s->module[m], err);

		if (r < 0)
			return -1;
		found += r;
	}
	return places_number(s, err) < 0 ? -1 : found;
}
