/* platform.c: reading a machine, from its name to an immutable platform, and freeing it. */
#include "platform/platform_int.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct platform *platform_new(struct err *err)
{
	struct platform *p = calloc(1, sizeof *p);
	if (!p) {
		err_nomem(err, "a platform", sizeof *p);
		return NULL;
	}
	p->latency_scale = p->bandwidth_scale = p->speed_scale = 1;
	arena_init(&p->arena);
	names_init(&p->names);
	hash_str_init(&p->link_names);
	hash_str_init(&p->pair_names);
	return p;
}

void platform_free(struct platform *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->zones_n; i++) {
		if (p->zones[i]->kind->release)
			p->zones[i]->kind->release(p->zones[i]);
		if (p->zones[i]->bypass)
			hop_table_release(p->zones[i]->bypass);
	}
	for (uint32_t i = 0; i < p->host_blocks_n; i++)
		radical_release(&p->host_blocks[i].radical);
	for (uint32_t i = 0; i < p->profiles_n; i++)
		profile_release(p->profiles[i]);
	names_release(&p->names);
	hash_str_release(&p->link_names);
	hash_str_release(&p->pair_names);
	free(p->changes);
	free(p->host_changes);
	free(p->disks);
	free(p->profiles);
	free(p->profile_uses);
	free(p->zones);
	free(p->host_blocks);
	free(p->hosts);
	free(p->routers);
	free(p->link_blocks);
	free(p->links);
	free(p->hop_links);
	free(p->map.node);
	arena_release(&p->arena);
	free(p);
}

static const char *keep(struct platform *p, const char *text, struct err *err)
{
	return arena_strndup(&p->arena, text, strlen(text), err);
}

/* A line of the header that tells a rate; the text is kept for its source. */
static int rate_keep(struct platform *p, enum volume_unit unit, const char *line, const char *text,
                     const char *path, struct err *err)
{
	const char *kept = keep(p, text, err);
	struct err why;
	if (!kept)
		return -1;
	if (machine_rate_parse(kept, &p->rate[unit], &why) < 0)
		return err_at(err, path, 0, 0, "%s: %s", line, why.text);
	return 0;
}

/* "speed: instructions ±30 %: source": the figure itself is that of the first host. */
static int speed_keep(struct platform *p, const struct machine_header *h, const char *path,
                      struct err *err)
{
	char word[32];
	size_t n = strcspn(h->speed, " :,");
	struct str text;

	snprintf(word, sizeof word, "%.*s", (int)(n < sizeof word ? n : sizeof word - 1), h->speed);
	p->speed_unit = volume_unit_find(word);
	if (p->speed_unit == VOLUME_UNITS || p->speed_unit == VOLUME_MADE_UP ||
	    p->speed_unit == VOLUME_ELAPSED)
		return err_at(err, path, 0, 0,
		              "speed: expected instructions, flops, seconds or volumes, found '%s'",
		              word);
	for (int u = 0; u < VOLUME_UNITS; u++)
		if (h->rate[u] && *h->rate[u] &&
		    rate_keep(p, (enum volume_unit)u, "rate", h->rate[u], path, err) < 0)
			return -1;
	if (!*word)
		return 0;
	str_init(&text);
	str_printf(&text, "1 %s", h->speed + n); /* the figure is the first host's */
	int r = text.failed ? err_nomem(err, "a machine's description", n)
	                    : rate_keep(p, p->speed_unit, "speed", text.s, path, err);
	str_release(&text);
	return r;
}

static int header_keep(struct platform *p, const char *path, struct err *err)
{
	struct machine_header h;
	if (machine_header_read(path, &h, err) < 0)
		return -1;
	p->path = keep(p, path, err);
	p->name = p->path ? keep(p, h.name, err) : NULL;
	p->title = p->name ? keep(p, h.title, err) : NULL;
	p->source = p->title ? keep(p, h.source, err) : NULL;
	p->calibration = p->source ? keep(p, h.calibration, err) : NULL;
	p->bandwidth = p->calibration ? keep(p, h.bandwidth, err) : NULL;
	p->latency = p->bandwidth ? keep(p, h.latency, err) : NULL;
	p->processor = p->latency ? keep(p, h.processor, err) : NULL;
	int r = p->processor ? speed_keep(p, &h, path, err) : -1;
	machine_header_release(&h);
	return r;
}

/* The folder that a user names is there, whether or not the platform wants a profile of it. */
static int path_check(const struct config *cfg, struct err *err)
{
	const char *folder = config_text(cfg, CFG_PATH);
	struct stat st;
	if (!*folder || config_from(cfg, CFG_PATH) != CFG_FROM_USER)
		return 0;
	if (stat(folder, &st) < 0)
		return err_sys(err, errno, "the setting path: %s", folder);
	return S_ISDIR(st.st_mode)
	           ? 0
	           : err_set(err, ERR_INPUT, "the setting path: %s is no folder", folder);
}

static int platform_fill(struct platform *p, const char *path, struct config *cfg, struct err *err)
{
	struct build b = {.p = p, .cfg = cfg};
	if (path_check(cfg, err) < 0)
		return -1;
	int psins = header_keep(p, path, err) < 0 ? -1 : psins_machine_is(path, err);
	if (psins < 0 || (psins ? psins_machine_read : simgrid_read)(&b, p->path, err) < 0)
		return -1;
	b.file = p->path;
	if (!p->host_count)
		return err_at(err, p->path, p->zones_n ? p->zones[0]->at.line : 1,
		              p->zones_n ? p->zones[0]->at.column : 1,
		              "the platform has no host (a deployment file has none: give the "
		              "platform file)");
	while (p->first_computing.v + 1 < p->host_count &&
	       !platform_computes(p, p->first_computing))
		p->first_computing.v++;
	if (!platform_computes(p, p->first_computing))
		return err_at(err, p->path, p->zones[0]->at.line, p->zones[0]->at.column,
		              "no host of the platform computes: all have speed 0");
	if (names_check(&b, err) < 0)
		return -1;
	return link_check_names(&b, err);
}

struct platform *platform_read(const char *machine, struct config *cfg, struct err *err)
{
	char *path = catalogue_find(machine, err);
	if (!path)
		return NULL;
	struct platform *p = platform_new(err);
	if (p && platform_fill(p, path, cfg, err) < 0) {
		platform_free(p);
		p = NULL;
	}
	free(path);
	return p;
}

int platform_files_each(const struct platform *p, int (*each)(void *self, const char *file),
                        void *self)
{
	int r = each(self, p->path);

	for (uint32_t i = 0; i < p->profiles_n && r == 0; i++)
		if (p->profiles[i]->is_file)
			r = each(self, p->profiles[i]->name);
	return r;
}

const char *platform_name(const struct platform *p)
{
	return p->name;
}

const char *platform_title(const struct platform *p)
{
	return p->title;
}

const char *platform_source(const struct platform *p)
{
	return p->source;
}

const char *platform_calibration(const struct platform *p)
{
	return p->calibration;
}

const char *platform_bandwidth_source(const struct platform *p)
{
	return p->bandwidth;
}

const char *platform_latency_source(const struct platform *p)
{
	return p->latency;
}

enum volume_unit platform_speed_unit(const struct platform *p)
{
	return p->speed_unit;
}

const char *platform_processor(const struct platform *p)
{
	return p->processor ? p->processor : "";
}

int platform_rate(const struct platform *p, enum volume_unit unit, struct platform_rate *out)
{
	struct host_info first;

	*out = p->rate[unit];
	if (!out->source)
		out->source = "";
	if (unit != VOLUME_UNKNOWN && unit == p->speed_unit) {
		const struct host_id of = platform_first_computing(p);

		platform_host(p, of, &first);
		out->rate = first.speed / platform_speed_scale(p, of);
	}
	return out->rate > 0;
}

const char *platform_path(const struct platform *p)
{
	return p->path;
}
