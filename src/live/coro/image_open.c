/* image_open.c: what a rank opens while it runs (dlopen): read and bound when the first rank asks,
 * laid into the slot of each that does, at the same offset of all. */
#include "image_int.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Parts whose names the modules of a new one see. */
static void needs_take(struct image *im, uint32_t part, uint32_t slot)
{
	struct part *p = &im->part[part];

	for (uint32_t k = 1; k < part; k++)
		p->needs[k] = im->part[k].is_global && slot_has(im, slot, k);
	for (uint32_t i = p->first; i < im->n; i++)
		for (uint32_t k = 0; k < im->module[i].n_needed; k++) {
			uint32_t other = im->module[im->module[i].needed[k]].part;

			if (other && other != part)
				p->needs[other] = 1;
		}
	for (uint32_t k = part; k-- > 1;) /* and what those need */
		for (uint32_t j = 1; p->needs[k] && j < k; j++)
			p->needs[j] |= im->part[k].needs[j];
}

static int part_make(struct image *im, uint32_t first, const struct image_name *what,
                     struct err *err)
{
	uint32_t part = im->n_parts + 1;
	uint64_t size = im->size, swap = im->swap, tls = im->tls;

	if (part == IMAGE_PARTS)
		return err_set(
		    err, ERR_LIMIT,
		    "more than %d libraries are opened: --hold processes has no such limit",
		    IMAGE_PARTS - 1);
	im->part[part] = (struct part){.first = first,
	                               .n = im->n - first,
	                               .fix_from = im->n_fix,
	                               .is_global = what->is_global};
	for (uint32_t i = first; i < im->n; i++)
		im->module[i].part = part;
	needs_take(im, part, what->slot);
	image_order(im, first);
	image_places(im, first);
	if (im->size + im->stack > im->pitch)
		err_set(err, ERR_LIMIT, "libraries that are opened take more than %llu MiB%s",
		        (unsigned long long)(im->room >> 20),
		        im->room < IMAGE_ROOM ? ", as a limit (ulimit -v) leaves no more" : "");
	else if (image_bind(im, first, err) == 0) {
		im->part[part].fix_to = im->n_fix;
		im->n_parts = part;
		return 0;
	}
	image_fixes_drop(im, im->part[part].fix_from);
	im->size = size;
	im->swap = swap;
	im->tls = tls;
	return -1;
}

const struct module *image_open(struct image *im, const struct image_name *what, void **shared,
                                struct err *err)
{
	uint32_t first = im->n, index = 0;
	char path[PATH_MAX];
	int rc = image_mpi(im, base_name(what->name), what->library, err);

	*shared = rc > 0 ? im->mpi : NULL;
	if (rc == 0 && image_is_common(base_name(what->name)))
		rc = image_share(im, what->name, shared, err);
	if (rc < 0 || *shared)
		return NULL;
	if (image_library(im, what->from, what->name, path, err) < 0)
		return NULL;
	rc = image_module_read(im, path, what->library, &index, err);
	if (rc == 0 && im->n > first)
		rc = what->only_if_there ? -1 : part_make(im, first, what, err);
	if (rc < 0) {
		image_modules_drop(im, first);
		return NULL;
	}
	if (what->is_global && im->module[index].part)
		im->part[im->module[index].part].is_global = 1;
	return &im->module[index];
}
