/* fuzz_settings.c: any settings, line by line, and in the first line what --explain is asked.
 * Whatever is accepted makes models that move a message and explain it, or say why not; noise and
 * overheads, penalties, curves, growths and fans included. */
#include "mp/mp.h"
#include "observe/observe.h"

#include "fuzz/fuzz.h"
#include "net/ports.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char machine[] =
    "<platform version='4.1'><zone id='z' routing='Full'><host id='a' speed='1Gf'/>"
    "<host id='b' speed='1Gf'/><link id='l' bandwidth='1GBps' latency='1us'/>"
    "<route src='a' dst='b'><link_ctn id='l'/></route></zone></platform>";

/* The value names no file. */
static int is_harmless(const char *line)
{
	const char *value = strchr(line, ':');

	return value && !strchr(value, '/') && !strstr(value, ".so") && !strstr(value, "file:");
}

static void settings_read(struct config *cfg, char *text)
{
	struct err err;
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (is_harmless(line))
			config_set_all(cfg, line, CFG_FROM_USER, &err);
	}
}

static void message_send(struct net *n)
{
	struct host_id hosts[] = {{0}, {1}};
	struct net_send send = {hosts[0], hosts[1], 1000, 1.5, 1, NULL};
	struct net_sent sent;
	struct completion c;
	struct err err = {0};
	struct str s;
	double seconds;
	void *memo = NULL;
	struct net_collective coll = {.kind = NET_ALLREDUCE,
	                              .n = 2,
	                              .host = hosts,
	                              .sent = 1000,
	                              .received = 1000,
	                              .memo = &memo};

	if (net_message(n, &send, &sent, &err) == 0 && net_next(n, &c, &err) == 1 &&
	    (c.user != 1 || isnan(engine_now(net_engine(n)))))
		abort();
	if (net_collective(n, &coll, &seconds, &err) == 0 && !(seconds >= 0))
		abort();
	free(memo);
	str_init(&s);
	net_explain(n, hosts[0], hosts[1], 1000, &s);
	str_release(&s);
}

static void models_make(const struct platform *p, const struct config *cfg, const char *what)
{
	struct host_id hosts[] = {{0}, {1}};
	struct err err = {0};
	struct net *n = net_new(p, cfg, &err);
	struct mp *mp = n ? mp_new(n, cfg, hosts, 2, &err) : NULL;
	struct explainer *x = mp ? explainer_new(mp, what, &err) : NULL;

	if (!x && !err.text[0])
		abort();
	explainer_free(x);
	mp_free(mp);
	if (n && !net_ports(n))
		message_send(n);
	net_free(n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1), *rest, path[64];
	int fd = memfd_create("machine", 0);
	struct platform *p;
	struct config cfg;
	struct err err;

	if (!text || fd < 0 || write(fd, machine, sizeof machine - 1) < 0 ||
	    config_init(&cfg, &err) < 0)
		abort();
	if (size)
		memcpy(text, data, size);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	rest = strchr(text, '\n');
	if (rest) {
		*rest++ = '\0';
		settings_read(&cfg, rest);
	}
	p = platform_read(path, &cfg, &err);
	if (p)
		models_make(p, &cfg, text);
	platform_free(p);
	config_release(&cfg);
	close(fd);
	free(text);
	return 0;
}
