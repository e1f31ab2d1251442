/* read_profiles.c: availability profiles of SimGrid's format: the *_file attributes of hosts and
 * links, <trace> and <trace_connect>.
 *
 * A profile file is looked for beside the platform's file, then in the folder of the setting
 * `path`, then where the program runs. Connections are made when all of the file is read, for an
 * element may be declared after its <trace_connect>. */
#include "platform/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX = 4096 };

/* A new profile without rows, the last of platform.profiles, which owns it. name is kept. */
static struct profile *profile_add(struct build *b, const char *name, struct err *err)
{
	struct platform *p = b->p;
	struct profile **grown = vec_grow(p->profiles, &p->profiles_cap, sizeof *grown,
	                                  (size_t)p->profiles_n + 1, "profiles", err);
	if (!grown)
		return NULL;
	p->profiles = grown;
	struct profile *new = arena_alloc(&p->arena, sizeof *new, err);
	if (!new || !(new->name = arena_strndup(&p->arena, name, strlen(name), err)))
		return NULL;
	p->profiles[p->profiles_n++] = new;
	return new;
}

/* A path of so many bytes: is it a file? 1, 0, -1. */
static int is_file(const char *path, int bytes, struct err *err)
{
	struct stat st;
	int there = bytes < FILE_MAX ? there_stat(path, &st, err) : 0;
	return there > 0 ? !S_ISDIR(st.st_mode) : there;
}

/* The file of that name, in path (FILE_MAX bytes): 1; 0 if there is none; -1. */
static int file_find(const struct reader *r, const char *name, char *path, struct err *err)
{
	const char *slash = strrchr(r->b.file, '/'), *folder = config_text(r->b.cfg, CFG_PATH);
	int beside = slash ? (int)(slash - r->b.file + 1) : 0, is = 0;
	if (*name != '/') {
		is = is_file(path, snprintf(path, FILE_MAX, "%.*s%s", beside, r->b.file, name),
		             err);
		if (is == 0 && *folder)
			is = is_file(path, snprintf(path, FILE_MAX, "%s/%s", folder, name), err);
	}
	return is ? is : is_file(path, snprintf(path, FILE_MAX, "%s", name), err);
}

/* The profile in a file, read once: its index; period: as profile_parse. NONE32 on error. */
static uint32_t profile_load(struct reader *r, const struct xml *x, const char *attr,
                             const char *name, double period, struct err *err)
{
	char path[FILE_MAX];
	size_t n;
	uint32_t known = hash_str_find(&r->profile_files, name);
	if (known != HASH_NONE)
		return known;
	int found = file_find(r, name, path, err);
	if (found < 0)
		return NONE32;
	if (!found) {
		xml_error(x, xml_place_of(x, attr), err,
		          "%s of <%s>: there is no file '%s', neither beside the platform nor in "
		          "the folder of the setting path",
		          attr, xml_tag(x), name);
		return NONE32;
	}
	char *text = input_read_all(path, &n, err);
	if (!text)
		return NONE32;
	struct profile *p = input_is_text(path, text, n, err) == 0 ? profile_add(&r->b, path, err)
	                                                           : NULL;
	int got = p ? profile_parse(p, text, path, (struct place){1, 1}, period, err) : -1;
	free(text);
	if (p)
		p->is_file = 1;
	if (got < 0 || hash_str_put(&r->profile_files, name, r->b.p->profiles_n - 1, err) < 0)
		return NONE32;
	return r->b.p->profiles_n - 1;
}

static int profile_attach(struct reader *r, enum profile_kind kind, uint32_t target,
                          uint32_t profile, struct place at, struct err *err)
{
	struct platform *p = r->b.p;
	uint64_t key = (uint64_t)kind << 32 | target;
	uint32_t before = hash64_find(&r->profiled, key);
	if (before != HASH_NONE)
		return build_error(&r->b, at, err,
		                   "the %s of this element already follows the profile %s",
		                   profile_kind_word(kind), p->profile_uses[before].profile->name);
	const struct profile *f = p->profiles[profile];
	if (f->negative.line && kind != PROFILE_HOST && kind != PROFILE_LINK)
		return err_at(err, f->is_file ? f->name : r->b.file, f->negative.line,
		              f->negative.column, "the value of a %s cannot be negative",
		              profile_kind_word(kind));
	struct profile_use *grown = vec_grow(p->profile_uses, &p->profile_uses_cap, sizeof *grown,
	                                     (size_t)p->profile_uses_n + 1, "profiles", err);
	if (!grown)
		return -1;
	p->profile_uses = grown;
	p->profile_uses[p->profile_uses_n++] = (struct profile_use){kind, target,
	                                                            p->profiles[profile]};
	return hash64_put(&r->profiled, key, p->profile_uses_n - 1, err);
}

int profile_read(struct reader *r, const struct xml *x, const char *attr, enum profile_kind kind,
                 uint32_t target, struct err *err)
{
	if (!xml_given(x, attr) || !*xml_get(x, attr))
		return 0;
	uint32_t p = profile_load(r, x, attr, xml_get(x, attr), 0, err);
	return p == NONE32 ? -1 : profile_attach(r, kind, target, p, xml_place_of(x, attr), err);
}

int profile_read_state(struct reader *r, const struct xml *x, enum profile_kind kind,
                       uint32_t target, struct err *err)
{
	char name[64];
	if (!xml_given(x, "state") || strcmp(xml_get(x, "state"), "OFF") != 0)
		return profile_read(r, x, "state_file", kind, target, err);
	if (*xml_get(x, "state_file"))
		return xml_error(
		    x, xml_place_of(x, "state"), err,
		    "state=\"OFF\" beside a state_file: let the file begin with '0 0' instead");
	snprintf(name, sizeof name, "state=\"OFF\", line %u", xml_place_of(x, "state").line);
	struct profile *p = profile_add(&r->b, name, err);
	if (!p || profile_parse(p, "0 0", r->b.file, xml_place_of(x, "state"), 0, err) < 0)
		return -1;
	return profile_attach(r, kind, target, r->b.p->profiles_n - 1, xml_place_of(x, "state"),
	                      err);
}

int profile_read_host(struct reader *r, const struct xml *x, uint32_t host, struct err *err)
{
	/* availability_file is the old name; a speed_file beside it counts */
	const char *attr = xml_given(x, "speed_file") && *xml_get(x, "speed_file")
	                       ? "speed_file"
	                       : "availability_file";
	return profile_read(r, x, attr, PROFILE_SPEED, host, err) < 0
	           ? -1
	           : profile_read_state(r, x, PROFILE_HOST, host, err);
}

/* --- clusters of version 3: one file per host --- */

/* name with ${radical}, ${id}, ${prefix} and ${suffix} replaced (or without braces). */
static void name_expand(const struct xml *x, const char *name, uint32_t number, struct str *out)
{
	static const char *const words[] = {"radical", "id", "prefix", "suffix"};
	while (*name) {
		int brace = name[0] == '$' && name[1] == '{';
		const char *word = name + 1 + brace;
		size_t i = 0, n = 0;
		for (; *name == '$' && i < 4; i++) {
			n = strlen(words[i]);
			if (strncmp(word, words[i], n) == 0 && (!brace || word[n] == '}'))
				break;
		}
		if (*name != '$' || i == 4) {
			str_putc(out, *name++);
			continue;
		}
		if (i == 0)
			str_printf(out, "%u", number);
		else
			str_puts(out, xml_get(x, words[i]));
		name = word + n + brace;
	}
}

int profiles_read_cluster(struct reader *r, const struct xml *x, const char *attr,
                          enum profile_kind kind, struct err *err)
{
	const struct host_block *k = &r->b.p->host_blocks[r->b.p->host_blocks_n - 1];
	struct str name;
	int got = 0;
	if (!xml_given(x, attr) || !*xml_get(x, attr))
		return 0;
	str_init(&name);
	for (uint32_t i = 0; i < k->n && got == 0; i++) {
		str_clear(&name);
		name_expand(x, xml_get(x, attr), radical_number(&k->radical, i), &name);
		uint32_t p = name.failed ? NONE32 : profile_load(r, x, attr, name.s, 0, err);
		got = p == NONE32
		          ? -1
		          : profile_attach(r, kind, k->first + i, p, xml_place_of(x, attr), err);
	}
	if (name.failed)
		err_nomem(err, "the name of a profile", name.n);
	str_release(&name);
	return got;
}

/* --- <trace> --- */

int read_trace(struct reader *r, struct xml *x, struct err *err)
{
	char name[FILE_MAX];
	const char *id = xml_get(x, "id"), *text = xml_get(x, "periodicity");
	uint32_t p = NONE32;
	r->trace_period = 0;
	if (*text && num_parse_double(text, strlen(text), &r->trace_period) < 0)
		return xml_error(x, xml_place_of(x, "periodicity"), err,
		                 "periodicity of <trace> is '%.100s', expected seconds", text);
	if (hash_str_find(&r->trace_ids, id) != HASH_NONE)
		return xml_error(x, xml_place_of(x, "id"), err,
		                 "a <trace> of the name '%.100s' is already there", id);
	str_clear(&r->trace_text);
	r->trace = NULL;
	if (*xml_get(x, "file")) {
		/* quirk: SimGrid's periodicity goes with a text, not with a file */
		p = profile_load(r, x, "file", xml_get(x, "file"),
		                 r->b.p->compat ? 0 : r->trace_period, err);
	} else {
		snprintf(name, sizeof name, "<trace id=\"%.100s\">, %.3800s:%u", id, r->b.file,
		         xml_place(x).line);
		r->trace_at = xml_place(x);
		r->trace = profile_add(&r->b, name, err);
		p = r->trace ? r->b.p->profiles_n - 1 : NONE32;
	}
	return p == NONE32 ? -1 : hash_str_put(&r->trace_ids, id, p, err);
}

int read_trace_text(struct reader *r, const struct xml *x, const char *s, size_t n, struct err *err)
{
	if (!r->trace_text.n)
		r->trace_at = xml_place(x);
	str_putn(&r->trace_text, s, n);
	return r->trace_text.failed ? err_nomem(err, "the text of a <trace>", n) : 0;
}

int read_trace_end(struct reader *r, struct xml *x, struct err *err)
{
	(void)x;
	if (!r->trace) { /* from a file: text inside would be forgotten */
		if (strspn(r->trace_text.n ? r->trace_text.s : "", " \t\r\n") < r->trace_text.n)
			return build_error(&r->b, r->trace_at, err,
			                   "a <trace> has a file or a text, not both");
		return 0;
	}
	return profile_parse(r->trace, r->trace_text.n ? r->trace_text.s : "", r->b.file,
	                     r->trace_at, r->trace_period, err);
}

/* --- <trace_connect> --- */

static const struct connect_kind {
	const char *word;
	enum profile_kind kind;
} connect_kinds[] = {
    {"HOST_AVAIL", PROFILE_HOST}, {"SPEED", PROFILE_SPEED},         {"POWER", PROFILE_SPEED},
    {"LINK_AVAIL", PROFILE_LINK}, {"BANDWIDTH", PROFILE_BANDWIDTH}, {"LATENCY", PROFILE_LATENCY},
};

int read_trace_connect(struct reader *r, struct xml *x, struct err *err)
{
	size_t i = 0;
	struct connection *grown = vec_grow(r->connections, &r->connections_cap, sizeof *grown,
	                                    (size_t)r->connections_n + 1, "connected profiles",
	                                    err);
	if (!grown)
		return -1;
	r->connections = grown;
	while (strcmp(connect_kinds[i].word, xml_get(x, "kind")) != 0)
		i++;
	struct connection *c = &grown[r->connections_n];
	*c = (struct connection){.kind = connect_kinds[i].kind,
	                         .trace = hash_str_find(&r->trace_ids, xml_get(x, "trace")),
	                         .trace_at = xml_place_of(x, "trace"),
	                         .at = xml_place_of(x, "element")};
	if (c->trace == HASH_NONE)
		return xml_error(x, c->trace_at, err, "no <trace> is named '%.100s' so far",
		                 xml_get(x, "trace"));
	c->element = arena_strndup(&r->b.p->arena, xml_get(x, "element"),
	                           strlen(xml_get(x, "element")), err);
	if (!c->element)
		return -1;
	r->connections_n++;
	return 0;
}

static int connect_host(struct reader *r, const struct connection *c, struct err *err)
{
	struct host_id h;
	if (platform_host_find(r->b.p, c->element, &h) < 0)
		return build_error(&r->b, c->at, err, "no host is named '%.100s'", c->element);
	return profile_attach(r, c->kind, h.v, c->trace, c->at, err);
}

/* Both ways of a split link, when its own name is given. */
static int connect_link(struct reader *r, const struct connection *c, struct err *err)
{
	struct link_id l = link_find(r->b.p, c->element), pair;
	if (l.v != NONE32)
		return profile_attach(r, c->kind, l.v, c->trace, c->at, err);
	pair = link_find_pair(r->b.p, c->element);
	if (pair.v == NONE32)
		return build_error(&r->b, c->at, err, "no link is named '%.100s'", c->element);
	if (profile_attach(r, c->kind, pair.v, c->trace, c->at, err) < 0)
		return -1;
	return profile_attach(r, c->kind, pair.v + 1, c->trace, c->at, err);
}

/* Quirk: SimGrid keeps, for each kind, the first element that a trace is connected to, and forgets
 * the others. */
static int connect(struct reader *r, const struct connection *c, struct hash64 *seen,
                   struct err *err)
{
	uint64_t key = (uint64_t)c->kind << 32 | c->trace;
	if (hash64_find(seen, key) != HASH_NONE) {
		r->b.p->trace_twice = c->at;
		if (r->b.p->compat)
			return 0;
	} else if (hash64_put(seen, key, 0, err) < 0) {
		return -1;
	}
	return c->kind <= PROFILE_HOST ? connect_host(r, c, err) : connect_link(r, c, err);
}

int profiles_connect(struct reader *r, struct err *err)
{
	struct hash64 seen;
	int got = 0;
	hash64_init(&seen);
	for (uint32_t i = 0; i < r->connections_n && got == 0; i++)
		got = connect(r, &r->connections[i], &seen, err);
	hash64_release(&seen);
	return got;
}
