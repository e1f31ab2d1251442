/* fuzz_replay.c: a trace of any lines is simulated: what a program does is not what MPI allows, nor
 * what a traced one does. The first byte says with which settings. The run ends with a message, or
 * with figures that fit together and are the same in a second run; nothing may crash, leak, or not
 * come to its end or to where it is asked whether to go on (with compat, a probe polls for ever).
 */
#include "base/rng.h"
#include "fuzz/fuzz.h"
#include "orrery/orrery.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RANKS_MOST = 64, ACTIONS_MOST = 20000, ASKED_MOST = 50, SIZE_MOST = 8192 };

static const char machine[] =
    "<?xml version='1.0'?>\n"
    "<platform version=\"4.1\">\n"
    "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-7\" speed=\"1Gf\" core=\"2\""
    " bw=\"1GBps\" lat=\"10us\"/>\n"
    "</platform>\n";

static const char *const settings[] = {
    "",
    "network/model:loggps",
    "network/model:dimemas",
    "network/model:IB",
    "network/model:LV08",
    "network/model:constant",
    "compat:simgrid-3.32",
    "smpi/coll-selector:mpich",
    "smpi/coll-selector:impi",
    "smpi/async-small-thresh:0 smpi/send-is-detached-thresh:0",
    "smpi/os:0:1e-6:1e-9 smpi/or:0:1e-6:1e-9 smpi/ois:0:1e-6:1e-9",
    "noise/network:0:1:1:0.1 noise/seed:3"};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* --- lines are changed as lines, numbers as numbers --- */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most) __attribute__((weak));
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static const char *const numbers[] = {
    "0",     "1",        "2",        "3",         "4",          "-1",         "-2",  "7",
    "100",   "1e9",      "100000",   "65536",     "2147483647", "4294967296", "1.5", "0.0",
    "req=0", "reqs=0-3", "comm=1.0", "comm=self", "any=source", "members=0-3"};

/* data[from, to) becomes n bytes of with; the new size, or the old one where there is no room. */
static size_t put(uint8_t *data, size_t size, size_t most, size_t from, size_t to, const void *with,
                  size_t n)
{
	if (size - (to - from) + n > most)
		return size;
	memmove(data + from + n, data + to, size - to);
	memcpy(data + from, with, n);
	return size - (to - from) + n;
}

static size_t line_begin(const uint8_t *data, size_t at)
{
	while (at > 1 && data[at - 1] != '\n')
		at--;
	return at;
}

static size_t line_end(const uint8_t *data, size_t size, size_t at)
{
	while (at < size && data[at] != '\n')
		at++;
	return at < size ? at + 1 : size;
}

static size_t word_change(uint8_t *data, size_t size, size_t most, size_t at, unsigned random)
{
	const char *with = numbers[random % (sizeof numbers / sizeof *numbers)];
	size_t from = at, to = at;

	while (from > 1 && data[from - 1] != ' ' && data[from - 1] != '\n')
		from--;
	while (to < size && data[to] != ' ' && data[to] != '\n')
		to++;
	return put(data, size, most, from, to, with, strlen(with));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	uint8_t line[256];
	size_t at, from, to, n;
	struct rng rng;

	if (size < 3 || seed % 4 == 0)
		return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, size, most) : size;
	rng_init(&rng, seed, "mutator", 0);
	at = 1 + rng_below(&rng, size - 1);
	from = line_begin(data, at);
	to = line_end(data, size, at);
	if (seed % 4 == 1)
		return word_change(data, size, most, at, (unsigned)rng_below(&rng, UINT32_MAX));
	n = to - from < sizeof line ? to - from : sizeof line;
	memcpy(line, data + from, n);
	if (seed % 8 < 4) /* it is somewhere else, or gone */
		size = put(data, size, most, from, to, "", 0);
	at = line_begin(data, 1 + rng_below(&rng, size));
	return seed % 16 == 2 ? size : put(data, size, most, at, at, line, n);
}

/* --- a run --- */

struct outcome {
	int result;
	double time;
	struct orrery_totals totals;
	char error[512];
};

static int is_long(void *self, uint64_t actions, double date)
{
	(void)date; /* each few thousand events */
	return actions > ACTIONS_MOST || ++*(int *)self > ASKED_MOST;
}

static void file_make(char path[static 64], const char *name, const void *data, size_t n, int *fd)
{
	*fd = memfd_create(name, MFD_CLOEXEC);
	if (*fd < 0 || write(*fd, data, n) != (ssize_t)n)
		abort();
	snprintf(path, 64, "/proc/self/fd/%d", *fd);
}

static void figures_check(struct orrery_sim *s, const struct outcome *o)
{
	double ends[RANKS_MOST], classes[RANKS_MOST * ORRERY_CLASSES];
	double last = 0;

	if (!isfinite(o->time) || o->time < 0 || o->totals.ranks > RANKS_MOST ||
	    orrery_sim_ends(s, ends) != 0 || orrery_sim_classes(s, classes) != 0)
		abort();
	for (uint32_t r = 0; r < o->totals.ranks; r++) {
		double sum = 0;

		for (int c = 0; c < ORRERY_CLASSES; c++)
			sum += classes[r * ORRERY_CLASSES + c];
		if (fabs(sum - o->time) > 1e-9 * o->time)
			abort();
		last = ends[r] > last ? ends[r] : last;
	}
	if (fabs(last - o->time) > 1e-9 * o->time)
		abort();
}

static void run(const char *trace, const char *platform, int setting, struct outcome *o)
{
	struct orrery_sim *s = orrery_sim_new(ORRERY_API);
	int asked = 0;

	memset(o, 0, sizeof *o);
	o->totals.size = sizeof o->totals;
	if (!s)
		abort();
	orrery_sim_machine(s, platform);
	orrery_sim_trace(s, trace);
	orrery_sim_oversubscribe(s);
	orrery_sim_progress(s, is_long, &asked);
	if (*settings[setting])
		orrery_sim_setting(s, NULL, settings[setting]);
	o->result = orrery_sim_run(s);
	snprintf(o->error, sizeof o->error, "%s", orrery_sim_error(s));
	if ((o->result != 0) != (*o->error != '\0'))
		abort();
	if (o->result == 0) {
		o->time = orrery_sim_time(s);
		if (orrery_sim_totals(s, &o->totals) != 0)
			abort();
		if (o->totals.ranks <= RANKS_MOST)
			figures_check(s, o);
		o->totals.wall = 0;
	}
	orrery_sim_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char trace[64], platform[64];
	struct outcome first, second;
	int fds[2];

	if (size < 1 || size > SIZE_MOST)
		return 0;
	file_make(trace, "trace", data + 1, size - 1, &fds[0]);
	file_make(platform, "platform", machine, sizeof machine - 1, &fds[1]);
	run(trace, platform, data[0] % SETTINGS, &first);
	run(trace, platform, data[0] % SETTINGS, &second);
	if (first.result != second.result || first.time != second.time ||
	    strcmp(first.error, second.error) != 0 ||
	    memcmp(&first.totals, &second.totals, sizeof first.totals) != 0)
		abort();
	close(fds[0]);
	close(fds[1]);
	return 0;
}
