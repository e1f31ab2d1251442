/* verb.h: a verb run in this process; what it prints on both streams goes into memory. And a small
 * machine with a trace, whose times are known by hand. */
#ifndef ORRERY_TESTS_VERB_H
#define ORRERY_TESTS_VERB_H

#include "cli/verbs.h"

#include "test.h"
#include "tmp.h"

struct ran {
	int code; /* of the verb; -1: err */
	struct err err;
	char out[65536], told[8192]; /* standard output; what -q would keep back */
};

/* One stream, led into a file without a name while a verb runs. */
struct led {
	int stream, fd, before;
};

static inline void led_away(struct led *l, int stream)
{
	char path[] = "/tmp/orrery-test-out-XXXXXX";

	*l = (struct led){.stream = stream, .fd = mkstemp(path), .before = dup(stream)};
	assert_true(l->fd >= 0 && l->before >= 0);
	unlink(path);
	dup2(l->fd, stream);
}

static inline void led_back(struct led *l, char *text, size_t n)
{
	ssize_t got = pread(l->fd, text, n - 1, 0);

	dup2(l->before, l->stream);
	close(l->before);
	close(l->fd);
	assert_true(got >= 0);
	text[got] = '\0';
}

/* Runs "verb word word …"; words end with NULL. */
static inline void run(struct ran *r, const char *const *words)
{
	const struct verb *v = verb_find(*words);
	struct led out, told;
	char *argv[32];
	int argc = 0;
	struct args a;

	assert_non_null(v);
	for (words++; words[argc]; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc];
	argv[argc] = NULL;
	memset(r, 0, sizeof *r);
	fflush(NULL);
	led_away(&out, STDOUT_FILENO);
	led_away(&told, STDERR_FILENO);
	r->code = args_parse(v, argc, argv, &a, &r->err);
	if (r->code == 0) {
		r->code = v->run(&a, &r->err);
		args_release(&a);
	}
	fflush(NULL);
	led_back(&told, r->told, sizeof r->told);
	led_back(&out, r->out, sizeof r->out);
}
#define RUN(r, ...) run(r, (const char *const[]){__VA_ARGS__, NULL})
/* It runs well. */
#define RUNS(r, ...) \
	do { \
		RUN(r, __VA_ARGS__); \
		if ((r)->code != 0) \
			fail_msg("%d, %s", (r)->code, (r)->err.text); \
	} while (0)
#define REFUSED(r, words, ...) \
	do { \
		RUN(r, __VA_ARGS__); \
		assert_int_equal((r)->code, -1); \
		assert_int_equal((r)->err.kind, ERR_INPUT); \
		if (!strstr((r)->err.text, words)) \
			fail_msg("\"%s\" is not in: %s", words, (r)->err.text); \
		assert_string_equal((r)->out, ""); \
	} while (0)
#define PRINTS(text, words) \
	do { \
		if (!strstr(text, words)) \
			fail_msg("\"%s\" is not in: %s", words, text); \
	} while (0)
#define PRINTS_NOT(text, words) \
	do { \
		if (strstr(text, words)) \
			fail_msg("\"%s\" is in: %s", words, text); \
	} while (0)

/* The number behind `key` in a text. */
static inline double number_after(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	if (!at)
		fail_msg("\"%s\" is not in: %s", key, text);
	return strtod(at + strlen(key), NULL);
}

/* The whole of a file. */
static inline const char *file_text(const char *path, char *buf, size_t n)
{
	FILE *f = fopen(path, "r");
	size_t got;

	if (!f)
		fail_msg("%s was not written", path);
	got = fread(buf, 1, n - 1, f);
	fclose(f);
	buf[got] = '\0';
	return buf;
}

/* Two hosts, 1 us and 1 GB/s apart; a rank of each; 2e9 flops, and a message of 1000 bytes. Without
 * factors it ends at 2 s + 1e-6 + (1000 + 16) / 1e9. */
struct files {
	struct tmp tmp;
	char machine[256], trace[256];
};

static inline void files_init(struct files *f)
{
	tmp_init(&f->tmp);
	snprintf(
	    f->machine, sizeof f->machine, "%s",
	    tmp_write(
	        &f->tmp, "p.xml",
	        "<platform version='4.1'><zone id='z' routing='Full'><host id='a' speed='1Gf'/>"
	        "<host id='b' speed='1Gf'/><link id='w' bandwidth='1GBps' latency='1us'/>"
	        "<route src='a' dst='b'><link_ctn id='w'/></route></zone></platform>"));
	snprintf(
	    f->trace, sizeof f->trace, "%s",
	    tmp_write(&f->tmp, "t.tit", "0 compute 2e9\n0 send 1 7 1000 6\n1 recv 0 7 1000 6\n"));
}
#define PLAIN "network/model:CM02 network/crosstraffic:no network/TCP-gamma:0 smpi/os:0 smpi/or:0"

#endif
