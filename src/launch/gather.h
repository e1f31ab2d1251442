/* gather.h: the files that processes of a run left on their hosts, brought together. Part of the
 * face.
 *
 * Sources form a tree: the first of each group packs its own files, and gathers the others of its
 * group, through the remote shell; packed files go up as a stream of blocks
 * (trace/compressed/block.h), each with its checksum, and are unpacked at the top only. */
#ifndef ORRERY_LAUNCH_GATHER_H
#define ORRERY_LAUNCH_GATHER_H

#include "base/base.h"

enum { GATHER_FANOUT = 4 };

struct gather {
	const char *const *sources; /* "host:folder", or "folder": on this one */
	int n;
	int fanout;
	const char *shell; /* remote shell, words; it gets the host and a command */
	/* What this program is called there, words; NULL: orrery, and here the file that runs. */
	const char *orrery;
};
/* The stream of all sources to a descriptor. */
int gather_pack(const struct gather *g, int out, struct err *err);
/* Such a stream, from a descriptor, as files of a folder (a descriptor). */
int gather_unpack(int in, int dir, struct err *err);
/* All sources as one trace, the folder `to`. What was found is appended to *notices. */
int gather_run(const struct gather *g, const char *to, int overwrite, struct str *notices,
               struct err *err);

#endif
