/* merged.c: what the file says that the ranks of a traced run were merged into (trace.h). */
#include "compressed/block.h"
#include "compressed/chapter.h"
#include "trace_int.h"

/* Regions are defined by events; their names are among the texts of a chapter, which are counted
 * from 1 and also have names of files: that these are no sites is found where addresses are looked
 * up. */
static int texts_look(const struct chapter *c, struct trace_sites *sites, struct err *err)
{
	for (uint32_t i = 1; i <= c->texts; i++)
		if (strstr(c->text[i], "+0x") && trace_sites_region(sites, c->text[i], err) < 0)
			return -1;
	return 0;
}

static int modules_look(const char *notes, struct trace_sites *sites, struct err *err)
{
	for (const char *p = notes; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL)
		if (trace_sites_module(sites, p, err) < 0)
			return -1;
	return 0;
}

int trace_folder_merged(const char *dir, struct str *notes, uint64_t *events,
                        struct trace_sites *sites, struct err *err)
{
	int r = compressed_block(dir, BLOCK_NOTES, notes, err);
	struct trace *t;

	if (r <= 0)
		return r;
	t = trace_open(dir, 0, err);
	if (!t)
		return -1;
	*events = trace_actions_hint(t);
	for (uint32_t i = 0; sites && i < compressed_chapters(t) && r >= 0; i++)
		r = texts_look(compressed_chapter(t, i), sites, err);
	if (sites && r >= 0)
		r = modules_look(notes->s, sites, err);
	trace_close(t);
	return r < 0 ? -1 : 1;
}
