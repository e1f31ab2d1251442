/* traced.c: what the library and a tracer in the same rank tell each other (trace/simulated.h). */
#include "link_int.h"

void link_made(uint64_t identity, const int32_t *remote)
{
	link_traced()->made = identity;
	link_traced()->remote = remote;
}

static void flush(void)
{
	link_enter();
	if (link_now->running && !link_now->ended && link_now->computed > 0)
		link_put(link_room(WIRE_COMPUTE, 0));
	else if (link_now->running && !link_now->ended && link_now->read > 0)
		link_readings_put(link_now);
	link_leave();
}

static void called(const void *site)
{
	link_traced()->called = (uintptr_t)site;
}

static uint64_t made(void)
{
	return link_traced()->made;
}

static int32_t remote(int32_t i)
{
	return link_traced()->remote[i];
}

static int32_t world_first(void)
{
	return link_now->first_rank;
}

static int32_t spawner(void)
{
	return link_now->spawner;
}

static void trace_set(const struct simulated_trace *t)
{
	link_now->trace = t;
}

static double operated(void)
{
	double volume = *link_operated();

	*link_operated() = -1;
	return volume;
}

extern const struct simulated orrery_simulated;
__attribute__((visibility("default"))) const struct simulated orrery_simulated = {
    SIMULATED_VERSION, link_time_stop, link_time_start, called,   flush, made, remote,
    world_first,       spawner,        operated,        trace_set};
