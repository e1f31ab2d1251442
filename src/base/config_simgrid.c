/* config_simgrid.c: SimGrid's settings that have no counterpart here, so that its command lines and
 * platform files can be used unchanged. The list is that of SimGrid 3.32 (what it prints when it
 * meets an unknown one) plus the names of 3.3 to 4.1. A setting that would change SimGrid's times
 * is accepted only with a value that changes nothing. */
#include "config_int.h"
#include "letters.h"

#include <string.h>

static const char internals[] = "it tunes SimGrid's own machinery";
static const char online[] = "it only matters when an application runs live";
static const char exact[] = "dates are computed without such a tolerance here";
static const char output[] = "pictures and tables come from `orrery export`";
static const char one_model[] = "there is one model of that here, and this is it";

static const struct config_foreign foreigns[] = {
    {"bmf/", NULL, internals},
    {"clean-atexit", NULL, internals},
    {"cmonkey/", NULL, internals},
    {"contexts/", NULL, internals},
    {"coordinates", NULL, internals},
    {"cpu/maxmin-selective-update", NULL, internals},
    {"cpu/maxmin_selective_update", NULL, internals},
    {"cpu/model", "Cas01 default", one_model},
    {"cpu/optim", NULL, internals},
    {"cpu/solver", "maxmin default", one_model},
    {"debug/", NULL, internals},
    {"disk/", NULL, "disks have one model here"},
    {"exception/", NULL, internals},
    {"help-nostop", NULL, internals},
    {"host/model", "default compound", one_model},
    {"host/solver", NULL, internals},
    {"maxmin/concurrency-limit", "-1", "no limit, as here"},
    {"maxmin/concurrency_limit", "-1", "no limit, as here"},
    {"model-check", NULL, internals},
    {"model-check/", NULL, internals},
    {"network/coordinates", NULL, "coordinates are read wherever they stand"},
    {"network/sender-gap", "0 0.0", "SimGrid has had none since 3.13"},
    {"network/sender_gap", "0 0.0", "SimGrid has had none since 3.13"},
    {"network/solver", "maxmin default", one_model},
    {"ns3/", NULL, internals},
    {"plugin", "host_energy host_load link_energy link_energy_wifi link_load cmonkey",
     "it only watches"},
    {"plugin/", NULL, "plugins of SimGrid cannot be loaded"},
    {"precision/", NULL, exact},
    {"smpi/auto-shared-malloc-thresh", NULL, online},
    {"smpi/barrier-collectives", "no off false 0", "its default"},
    {"smpi/buffering", NULL, online},
    {"smpi/comp-adjustment-file", "", "it is not set"},
    {"smpi/cpu-threshold", NULL, online},
    {"smpi/cpu_threshold", NULL, online},
    {"smpi/display-allocs", NULL, output},
    {"smpi/display-timing", NULL, output},
    {"smpi/display_timing", NULL, output},
    {"smpi/errors-are-fatal", NULL, online},
    {"smpi/host-speed", NULL, online},
    {"smpi/hostfile", NULL, "the option --hostfile gives it"},
    {"smpi/iprobe-cpu-usage", "1 1.0", "its default"},
    {"smpi/keep-temps", NULL, online},
    {"smpi/list-leaks", NULL, online},
    {"smpi/map", NULL, output},
    {"smpi/np", NULL, "the option --np gives it"},
    {"smpi/papi-events", NULL, online},
    {"smpi/pedantic", NULL, online},
    {"smpi/privatization", NULL, online},
    {"smpi/privatize-global-variables", NULL, online},
    {"smpi/privatize_global_variables", NULL, online},
    {"smpi/privatize-libs", NULL, online},
    {"smpi/replay", NULL, "the trace is an argument of the command"},
    {"smpi/running-power", NULL, online},
    {"smpi/running_power", NULL, online},
    {"smpi/shared-malloc", NULL, online},
    {"smpi/shared-malloc-blocksize", NULL, online},
    {"smpi/shared-malloc-hugepage", NULL, online},
    {"smpi/shared_malloc", NULL, online},
    {"smpi/tmpdir", NULL, online},
    {"smpi/trace-call-location", NULL, online},
    {"smpi/trace-call-use-absolute-path", NULL, online},
    {"smpi/use-shared-malloc", NULL, online},
    {"smpi/use_shared_malloc", NULL, online},
    {"storage/", NULL, "how many files are open is not limited"},
    {"tracing", NULL, output},
    {"tracing/", NULL, output},
    {"triva/", NULL, output},
    {"verbose-exit", NULL, internals},
    {"viva/", NULL, output},
    {"workstation/model", "default compound", one_model},
};

static int foreign_is(const struct config_foreign *f, const char *name)
{
	size_t n = strlen(f->name);

	return f->name[n - 1] == '/' ? strncmp(f->name, name, n) == 0 : strcmp(f->name, name) == 0;
}

const struct config_foreign *config_foreign_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof foreigns / sizeof *foreigns; i++)
		if (foreign_is(&foreigns[i], name))
			return &foreigns[i];
	return NULL;
}

int config_foreign_harmless(const struct config_foreign *f, const char *value)
{
	size_t n = strlen(value), length;
	const char *word;

	if (n == 0)
		return 1;
	for (word = f->only; *word; word += length + (word[length] == ' ')) {
		length = strcspn(word, " ");
		if (length == n && text_same_n(word, value, n))
			return 1;
	}
	return 0;
}
