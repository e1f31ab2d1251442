/* lib.h: shorthands of the platform tests: a platform from a text, and a route as one line of
 * names. */
#ifndef ORRERY_TESTS_UNIT_PLATFORM_LIB_H
#define ORRERY_TESTS_UNIT_PLATFORM_LIB_H

#include "test.h"

#include "base/base.h"
#include "platform/platform.h"

#include <unistd.h>

struct fixture {
	struct config cfg;
	struct err err;
	struct platform *p;
	char path[64];
};

static inline void fixture_write(struct fixture *f, const char *text)
{
	snprintf(f->path, sizeof f->path, "/tmp/orrery-platform-XXXXXX");
	int fd = mkstemp(f->path);
	assert_true(fd >= 0);
	size_t n = strlen(text);
	assert_int_equal(write(fd, text, n), (ssize_t)n);
	close(fd);
}

/* Reads the text of a file; f->p is NULL on error, f->err says why. settings: as --cfg, or NULL. */
static inline void fixture_read(struct fixture *f, const char *text, const char *settings)
{
	memset(f, 0, sizeof *f);
	assert_ok(config_init(&f->cfg, &f->err), f->err);
	if (settings)
		assert_ok(config_set_all(&f->cfg, settings, CFG_FROM_USER, &f->err), f->err);
	fixture_write(f, text);
	f->p = platform_read(f->path, &f->cfg, &f->err);
	unlink(f->path);
}

static inline void fixture_must_read(struct fixture *f, const char *text, const char *settings)
{
	fixture_read(f, text, settings);
	if (!f->p)
		fail_msg("%s", f->err.text);
}

static inline void fixture_release(struct fixture *f)
{
	platform_free(f->p);
	config_release(&f->cfg);
}

static inline struct host_id host_named(const struct platform *p, const char *name)
{
	struct host_id h;
	if (platform_host_find(p, name, &h) < 0)
		fail_msg("no host %s", name);
	return h;
}

/* "link link link" from a to b, in buf; the latency in *latency if not NULL. */
static inline const char *route_text(const struct platform *p, const char *a, const char *b,
                                     double *latency)
{
	static char buf[4096];
	struct route r;
	struct err err;
	route_init(&r);
	assert_ok(route_find(p, host_named(p, a), host_named(p, b), &r, &err), err);
	buf[0] = 0;
	for (uint32_t i = 0; i < r.n; i++) {
		char name[256];
		snprintf(buf + strlen(buf), sizeof buf - strlen(buf), "%s%s", i ? " " : "",
		         platform_link_name(p, r.links[i], name, sizeof name));
	}
	if (latency)
		*latency = r.latency;
	route_release(&r);
	return buf;
}

/* The text must be refused at line:column with a message that holds `part`. */
static inline void assert_refused(const char *text, long line, long column, const char *part)
{
	struct fixture f;
	char place[96];
	fixture_read(&f, text, NULL);
	assert_null(f.p);
	assert_int_equal(f.err.kind, ERR_INPUT);
	snprintf(place, sizeof place, "%s:%ld:%ld: ", f.path, line, column);
	if (strncmp(f.err.text, place, strlen(place)) != 0 || !strstr(f.err.text, part))
		fail_msg("expected \"%s...%s\", got: %s", place, part, f.err.text);
	fixture_release(&f);
}

#endif
