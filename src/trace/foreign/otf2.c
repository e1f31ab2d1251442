/* otf2.c: archives of Score-P, EZTrace and others in OTF2, read with libotf2: definitions. What a
 * call was comes from otf2_events.c.
 *
 * Definitions are collected first and tied together at the end, because some writers put them in
 * any order and twice. Ranks are the members of the MPI group of locations, in its order. */
#ifdef ORRERY_HAVE_OTF2
#include "bytes.h"
#include "otf2_int.h"

#include "base/input.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* libotf2 wants to know whether to go on: not after an error. */
static OTF2_CallbackCode go_on(int result)
{
	return result < 0 ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

/* Room for one more item of an array of o; NULL with o->err set. */
#define ROOM(items, n, cap, what) \
	vec_grow(items, &(cap), sizeof *(items), (size_t)(n) + 1, what, o->err)

static OTF2_CallbackCode on_string(void *user, OTF2_StringRef self, const char *text)
{
	struct otf2 *o = user;
	char **all = ROOM(o->string, o->n_strings, o->cap_strings, "names");

	if (!all)
		return OTF2_CALLBACK_INTERRUPT;
	o->string = all;
	all[o->n_strings] = strdup(text);
	if (!all[o->n_strings])
		return go_on(err_nomem(o->err, "a name", strlen(text)));
	if (!strcmp(text, "PAPI_TOT_INS"))
		o->counter_name = self;
	return go_on(hash64_put(&o->strings, self, o->n_strings++, o->err));
}

/* The attributes by which we tell of what a collective's blocks are made. */
static OTF2_CallbackCode on_attribute(void *user, OTF2_AttributeRef self, OTF2_StringRef name,
                                      OTF2_StringRef description, OTF2_Type type)
{
	struct otf2 *o = user;
	uint32_t at = hash64_find(&o->strings, name);

	(void)description, (void)type;
	if (at != HASH_NONE && !strcmp(o->string[at], "ORRERY::DATATYPE"))
		o->type = self;
	if (at != HASH_NONE && !strcmp(o->string[at], "ORRERY::DATATYPE_SIZE")) {
		o->type_size = self;
		o->typed = 1;
	}
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_clock(void *user, uint64_t resolution, uint64_t offset, uint64_t length,
                                  uint64_t realtime)
{
	struct otf2 *o = user;

	(void)offset;
	(void)length;
	(void)realtime;
	o->frequency = resolution > 0 ? (double)resolution : 1e9;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_region(void *user, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t begin,
                                   uint32_t end)
{
	struct otf2 *o = user;
	struct otf2_region *all = ROOM(o->region, o->n_regions, o->cap_regions, "regions");

	(void)canonical, (void)description, (void)role, (void)paradigm, (void)flags;
	(void)file, (void)begin, (void)end;
	if (!all)
		return OTF2_CALLBACK_INTERRUPT;
	o->region = all;
	all[o->n_regions] = (struct otf2_region){.id = self, .name = name};
	return go_on(hash64_put(&o->regions, self, o->n_regions++, o->err));
}

static OTF2_CallbackCode on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t events,
                                     OTF2_LocationGroupRef group)
{
	struct otf2 *o = user;
	struct otf2_location *all = ROOM(o->location, o->n_locations, o->cap_locations,
	                                 "locations");

	(void)name;
	if (!all)
		return OTF2_CALLBACK_INTERRUPT;
	o->location = all;
	if (type != OTF2_LOCATION_TYPE_CPU_THREAD || hash64_find(&o->locations, self) != HASH_NONE)
		return OTF2_CALLBACK_SUCCESS;
	all[o->n_locations] = (struct otf2_location){
	    .id = self, .group = group, .events = events, .rank = HASH_NONE};
	return go_on(hash64_put(&o->locations, self, o->n_locations++, o->err));
}

static OTF2_CallbackCode on_group(void *user, OTF2_GroupRef self, OTF2_StringRef name,
                                  OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
                                  uint32_t n, const uint64_t *members)
{
	struct otf2 *o = user;
	struct otf2_group *all = ROOM(o->group, o->n_groups, o->cap_groups, "groups"), *g;

	(void)name;
	if (!all)
		return OTF2_CALLBACK_INTERRUPT;
	o->group = all;
	g = &all[o->n_groups];
	*g = (struct otf2_group){.id = self,
	                         .type = type,
	                         .mpi = paradigm == OTF2_PARADIGM_MPI,
	                         .global = (flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS) != 0,
	                         .n = n};
	g->members = malloc((n + 1) * sizeof *members);
	if (!g->members)
		return go_on(err_nomem(o->err, "a group", n * sizeof *members));
	if (n)
		memcpy(g->members, members, n * sizeof *members);
	return go_on(hash64_put(&o->groups, self, o->n_groups++, o->err));
}

static OTF2_CallbackCode on_comm(void *user, OTF2_CommRef self, OTF2_StringRef name,
                                 OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
	struct otf2 *o = user;
	struct otf2_comm *all = ROOM(o->comm, o->n_comms, o->cap_comms, "communicators");

	(void)name, (void)parent, (void)flags;
	if (!all)
		return OTF2_CALLBACK_INTERRUPT;
	o->comm = all;
	all[o->n_comms] = (struct otf2_comm){
	    .id = self, .group = group, .other = UINT64_MAX, .index = -1};
	return go_on(hash64_put(&o->comms, self, o->n_comms++, o->err));
}

static OTF2_CallbackCode on_intercomm(void *user, OTF2_CommRef self, OTF2_StringRef name,
                                      OTF2_GroupRef first, OTF2_GroupRef second,
                                      OTF2_CommRef common, OTF2_CommFlag flags)
{
	struct otf2 *o = user;

	(void)common;
	if (on_comm(user, self, name, first, self, flags) != OTF2_CALLBACK_SUCCESS)
		return OTF2_CALLBACK_INTERRUPT;
	o->comm[o->n_comms - 1].other = second;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_member(void *user, OTF2_MetricMemberRef self, OTF2_StringRef name,
                                   OTF2_StringRef description, OTF2_MetricType type,
                                   OTF2_MetricMode mode, OTF2_Type value, OTF2_Base base,
                                   int64_t exponent, OTF2_StringRef unit)
{
	struct otf2 *o = user;

	(void)description, (void)type, (void)value, (void)base, (void)exponent, (void)unit;
	if (name == o->counter_name && mode == OTF2_METRIC_ACCUMULATED_START)
		o->counter_member = self;
	return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_class(void *user, OTF2_MetricRef self, uint8_t n,
                                  const OTF2_MetricMemberRef *members,
                                  OTF2_MetricOccurrence occurrence, OTF2_RecorderKind kind)
{
	struct otf2 *o = user;

	(void)occurrence, (void)kind;
	for (uint8_t i = 0; i < n; i++) {
		if (members[i] == o->counter_member) {
			o->counter_class = self;
			o->counter_at = i;
		}
	}
	return OTF2_CALLBACK_SUCCESS;
}

static int otf2_fault(struct otf2 *o, OTF2_ErrorCode code, const char *what, struct err *err)
{
	if (o->err && o->err->kind != ERR_NONE)
		return -1;
	return err_set(err, ERR_INPUT, "%s: %s: libotf2 says: %s", o->f->path, what,
	               OTF2_Error_GetDescription(code));
}

static int definitions_read(struct otf2 *o, struct err *err)
{
	OTF2_GlobalDefReader *defs = OTF2_Reader_GetGlobalDefReader(o->reader);
	OTF2_GlobalDefReaderCallbacks *c = OTF2_GlobalDefReaderCallbacks_New();
	OTF2_ErrorCode code = OTF2_ERROR_MEM_FAULT;
	uint64_t read;

	if (defs && c) {
		OTF2_GlobalDefReaderCallbacks_SetStringCallback(c, on_string);
		OTF2_GlobalDefReaderCallbacks_SetAttributeCallback(c, on_attribute);
		OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(c, on_clock);
		OTF2_GlobalDefReaderCallbacks_SetRegionCallback(c, on_region);
		OTF2_GlobalDefReaderCallbacks_SetLocationCallback(c, on_location);
		OTF2_GlobalDefReaderCallbacks_SetGroupCallback(c, on_group);
		OTF2_GlobalDefReaderCallbacks_SetCommCallback(c, on_comm);
		OTF2_GlobalDefReaderCallbacks_SetInterCommCallback(c, on_intercomm);
		OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(c, on_member);
		OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(c, on_class);
		code = OTF2_Reader_RegisterGlobalDefCallbacks(o->reader, defs, c, o);
		if (code == OTF2_SUCCESS)
			code = OTF2_Reader_ReadAllGlobalDefinitions(o->reader, defs, &read);
	}
	if (c)
		OTF2_GlobalDefReaderCallbacks_Delete(c);
	return code == OTF2_SUCCESS ? 0
	                            : otf2_fault(o, code, "its definitions cannot be read", err);
}

/* --- tying together --- */

/* The region's operation, by the name of its function. */
static void otf2_region_name(struct otf2_region *r, const char *name)
{
	r->op = foreign_op(name, strlen(name));
	r->started = foreign_op_started(name, strlen(name));
	r->mpi = r->op != FOREIGN_NOT_MPI;
}

/* Each process's first thread is a rank. */
static int threads_first(struct otf2 *o, uint32_t *n, struct err *err)
{
	struct hash64 seen;
	int r = 0;

	hash64_init(&seen);
	for (uint32_t i = 0; i < o->n_locations && r == 0; i++) {
		if (hash64_find(&seen, o->location[i].group) != HASH_NONE)
			continue;
		o->location[i].rank = *n;
		r = hash64_put(&seen, o->location[i].group, (*n)++, err);
	}
	hash64_release(&seen);
	return r;
}

/* The locations that are ranks: those of MPI's group; without one, each process's first thread. */
static int ranks_find(struct otf2 *o, struct err *err)
{
	const struct otf2_group *g = NULL;
	uint32_t n = 0;

	for (uint32_t i = 0; i < o->n_groups; i++)
		if (o->group[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS && o->group[i].mpi)
			g = &o->group[i];
	for (uint32_t i = 0; g && i < g->n; i++) {
		uint32_t at = hash64_find(&o->locations, g->members[i]);

		if (at == HASH_NONE)
			return err_set(err, ERR_INPUT,
			               "%s: rank %u is at a location that is not defined",
			               o->f->path, i);
		o->location[at].rank = n++;
	}
	if (!g && threads_first(o, &n, err) < 0)
		return -1;
	return foreign_ranks(o->f, n, err);
}

static uint32_t group_rank(const struct otf2 *o, const struct otf2_group *g, uint32_t i)
{
	uint32_t at;

	if (!g->global)
		return (uint32_t)g->members[i];
	at = hash64_find(&o->locations, g->members[i]);
	return at == HASH_NONE ? HASH_NONE : o->location[at].rank;
}

/* Appends the world ranks of a group; how many, or -1: it is no group of MPI's ranks. */
static int group_members(const struct otf2 *o, uint64_t id, int32_t *members)
{
	uint32_t at = hash64_find(&o->groups, id);
	const struct otf2_group *g = at == HASH_NONE ? NULL : &o->group[at];

	if (!g || g->type != OTF2_GROUP_TYPE_COMM_GROUP || !g->mpi)
		return -1;
	for (uint32_t i = 0; members && i < g->n; i++)
		members[i] = (int32_t)group_rank(o, g, i);
	return (int)g->n;
}

static int comm_tie(struct otf2 *o, struct otf2_comm *c, struct err *err)
{
	uint32_t at = hash64_find(&o->groups, c->group);
	int n = group_members(o, c->group, NULL), other = 0;
	int32_t *members;

	if (at != HASH_NONE && o->group[at].type == OTF2_GROUP_TYPE_COMM_SELF)
		c->index = 1;
	if (c->other != UINT64_MAX)
		other = group_members(o, c->other, NULL);
	if (n <= 0 || other < 0)
		return 0;
	members = malloc((size_t)(n + other) * sizeof *members);
	if (!members)
		return err_nomem(err, "a communicator", (size_t)(n + other) * sizeof *members);
	group_members(o, c->group, members);
	if (other > 0)
		group_members(o, c->other, members + n);
	c->index = other > 0 ? foreign_intercomm_add(o->f, members, (uint32_t)(n + other),
	                                             (uint32_t)n, err)
	                     : foreign_comm_add(o->f, members, (uint32_t)n, err);
	free(members);
	return c->index < 0 ? -1 : 0;
}

/* Without a function of MPI there is nothing to replay: a time of 0 would be a lie. */
static int regions_name(struct otf2 *o, struct err *err)
{
	int mpi = 0;

	for (uint32_t i = 0; i < o->n_regions; i++) {
		uint32_t name = hash64_find(&o->strings, o->region[i].name);

		otf2_region_name(&o->region[i], name == HASH_NONE ? "" : o->string[name]);
		mpi |= o->region[i].mpi;
	}
	return mpi ? 0
	           : err_set(err, ERR_INPUT,
	                     "%s: no function of MPI is in this archive: its program did not use "
	                     "MPI, or MPI was not measured (Score-P: scorep --mpp=mpi)",
	                     o->f->path);
}

static int definitions_tie(struct otf2 *o, struct err *err)
{
	if (ranks_find(o, err) < 0)
		return -1;
	for (uint32_t i = 0; i < o->n_comms; i++)
		if (comm_tie(o, &o->comm[i], err) < 0)
			return -1;
	if (regions_name(o, err) < 0)
		return -1;
	o->rank = calloc(o->f->ranks, sizeof *o->rank);
	return o->rank ? 0 : err_nomem(err, "ranks", o->f->ranks * sizeof *o->rank);
}

/* libotf2 would print; what it says is in our own errors. */
static OTF2_ErrorCode quiet(void *user, const char *file, uint64_t line, const char *function,
                            OTF2_ErrorCode code, const char *format, va_list arguments)
{
	(void)user, (void)file, (void)line, (void)function, (void)format, (void)arguments;
	return code;
}

/* The anchor in a folder, as Score-P names it: 1, with *path to be freed; 0: there is none; -1. */
static int anchor_in(const char *folder, char **path, struct err *err)
{
	int there;

	if (asprintf(path, "%s/traces.otf2", folder) < 0) {
		*path = NULL;
		return err_nomem(err, "a file name", strlen(folder));
	}
	there = there_is(*path, err);
	if (there <= 0) {
		free(*path);
		*path = NULL;
	}
	return there;
}

/* libotf2 3.0 believes how many properties an anchor has, and looks for each: with four wrong bytes
 * for hours. Each takes two bytes at least. Before them are 46 bytes of figures, the second of
 * which tells the order of bytes, and three texts (OTF2_AnchorFile_Load). */
static int anchor_check(const char *path, struct err *err)
{
	enum { FIGURES = 46, TEXTS = 3 };
	size_t n;
	char *text = input_read_all(path, &n, err);
	struct bytes b = {.at = (const unsigned char *)text};
	uint64_t properties;

	if (!text)
		return -1;
	b.end = b.at + n;
	b.big = n > 1 && text[1] != 'B';
	bytes_skip(&b, FIGURES);
	for (int i = 0; i < TEXTS; i++)
		while (bytes_take(&b, 1) != 0)
			;
	properties = bytes_take(&b, 4);
	n = (size_t)(b.end - b.at);
	free(text);
	return properties > n / 2
	           ? err_set(err, ERR_INPUT,
	                     "%s is damaged: %llu properties are to be in its last %zu bytes", path,
	                     (unsigned long long)properties, n)
	           : 0;
}

static int archive_open(struct otf2 *o, struct err *err)
{
	char *creator = NULL;
	OTF2_ErrorCode code;

	if (anchor_in(o->f->path, &o->anchor, err) < 0 ||
	    anchor_check(o->anchor ? o->anchor : o->f->path, err) < 0)
		return -1;
	OTF2_Error_RegisterCallback(quiet, NULL);
	o->reader = OTF2_Reader_Open(o->anchor ? o->anchor : o->f->path);
	if (!o->reader)
		return err_set(err, ERR_INPUT,
		               "%s: libotf2 cannot open the archive: are the folder and the .def "
		               "file beside it?",
		               o->f->path);
	code = OTF2_Reader_SetSerialCollectiveCallbacks(o->reader);
	if (code != OTF2_SUCCESS) /* it makes a buffer of the size that the anchor says */
		return err_set(err, code == OTF2_ERROR_MEM_FAULT ? ERR_LIMIT : ERR_INPUT,
		               "%s: the archive cannot be opened, perhaps as its anchor file is "
		               "damaged: libotf2 says: %s",
		               o->f->path, OTF2_Error_GetDescription(code));
	if (OTF2_Reader_GetCreator(o->reader, &creator) == OTF2_SUCCESS && creator)
		o->scorep = strstr(creator, "Score-P") != NULL;
	if (creator && !strncmp(creator, "orrery ", 7))
		OTF2_Reader_GetProperty(o->reader, "ORRERY::MANIFEST", &o->f->manifest);
	free(creator);
	return 0;
}

static int otf2_open(struct foreign *f, struct err *err)
{
	struct otf2 *o = f->impl = calloc(1, sizeof *o);

	if (!o)
		return err_nomem(err, "an OTF2 archive", sizeof *o);
	o->f = f;
	o->err = err;
	o->counter_at = -1;
	o->counter_name = o->counter_member = o->counter_class = UINT64_MAX;
	o->frequency = 1e9;
	err->kind = ERR_NONE;
	if (archive_open(o, err) < 0 || definitions_read(o, err) < 0 || definitions_tie(o, err) < 0)
		return -1;
	if (o->counter_at >= 0)
		f->counter = "papi";
	return 0;
}

static void rank_release(struct otf2_rank *r)
{
	free(r->request);
	free(r->done);
	hash64_release(&r->open);
}

static void otf2_close(struct foreign *f)
{
	struct otf2 *o = f->impl;

	if (!o)
		return;
	if (o->reader)
		OTF2_Reader_Close(o->reader);
	for (uint32_t i = 0; i < o->n_strings; i++)
		free(o->string[i]);
	for (uint32_t i = 0; i < o->n_groups; i++)
		free(o->group[i].members);
	for (uint32_t i = 0; o->rank && i < f->ranks; i++)
		rank_release(&o->rank[i]);
	hash64_release(&o->strings);
	hash64_release(&o->regions);
	hash64_release(&o->comms);
	hash64_release(&o->groups);
	hash64_release(&o->locations);
	free(o->anchor);
	free(o->string);
	free(o->region);
	free(o->group);
	free(o->comm);
	free(o->location);
	free(o->rank);
	free(o);
}

/* The anchor file: a kind of record, an order of bytes, "OTF2". */
static int otf2_probe(const char *path, const unsigned char *head, size_t n, struct err *err)
{
	char *anchor;
	int there;

	if (n > 0)
		return n > 6 && head[0] == 3 && !memcmp(head + 2, "OTF2", 4);
	there = anchor_in(path, &anchor, err);
	free(anchor);
	return there;
}

const struct foreign_format foreign_otf2 = {
    .name = "OTF2",
    .probe = otf2_probe,
    .open = otf2_open,
    .read = otf2_events_read,
    .close = otf2_close,
    .passes = 2,
    .beside = ".otf2 .def .evt",
};
#endif
