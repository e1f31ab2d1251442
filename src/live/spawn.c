/* spawn.c: dynamic processes (MPI 4.0, chapter 11). A spawned process is a rank of mp that was not
 * there: one of the spare ones, on the host where a further rank of the program would be; one that
 * ended leaves its place to others when there is no place left that nobody had. Ports are
 * where one rank accepts and another connects: they meet in the order in which they come. */
#include "live_int.h"
#include "starting.h"

#include <stdlib.h>
#include <string.h>

enum { WORDS_MAX = 4096 };

/* --- spawning --- */

/* The strings of an item: folder and soft, which come before its words, NULL-terminated. 0, or -1:
 * they do not end. */
enum { FOLDER, SOFT, BEFORE_WORDS };
static int item_read(const struct wire_item *item, const char *words[], const char *before[])
{
	const char *p = (const char *)(item + 1), *end = (const char *)item + item->size;

	if (item->words == 0 || item->words >= WORDS_MAX)
		return -1;
	for (uint32_t i = 0; i < BEFORE_WORDS + item->words; i++) {
		size_t n = strnlen(p, (size_t)(end - p));

		if (p + n >= end)
			return -1;
		*(i < BEFORE_WORDS ? &before[i] : &words[i - BEFORE_WORDS]) = p;
		p += n + 1;
	}
	words[item->words] = NULL;
	return 0;
}

/* The largest number of "3,5:9,1:7:2" (MPI 4.0, 11.3.4) that is at most `most`; -1: there is none,
 * or the text is of another form. */
static int64_t soft_largest(const char *soft, int64_t most)
{
	int64_t largest = -1;

	while (*soft) {
		int64_t v[3] = {0, 0, 1};
		int n = 0;

		do {
			size_t digits = num_take_digits(soft, &v[n]);

			if (!digits)
				return -1;
			soft += digits;
			n++;
		} while (*soft == ':' && n < 3 && soft++);
		if ((*soft && *soft++ != ',') || v[2] < 1)
			return -1;
		if (n == 1)
			v[1] = v[0];
		if (v[1] > most)
			v[1] = most;
		if (v[0] <= v[1] && v[0] + (v[1] - v[0]) / v[2] * v[2] > largest)
			largest = v[0] + (v[1] - v[0]) / v[2] * v[2];
	}
	return largest;
}

/* How many processes an item gets, of so many places; -1: it cannot. */
static int64_t item_count(const struct wire_item *item, int64_t free_places)
{
	const char *words[WORDS_MAX + 1], *before[BEFORE_WORDS];
	int64_t most = item->count < free_places ? item->count : free_places;

	if (item_read(item, words, before) < 0)
		return -1;
	if (*before[SOFT])
		return soft_largest(before[SOFT], most);
	return most == item->count ? most : -1;
}

static const struct wire_item *item_next(const struct wire_item *item)
{
	return (const void *)((const char *)item + item->size);
}

/* How many processes in all; -1: what it told makes no sense. */
static int64_t items_check(const struct live *l, const struct wire_spawn *w)
{
	const struct wire_item *item = wire_at(l->head, w->items);
	uint64_t at = 0;
	int64_t n = 0;

	if (!wire_block_holds(l->head, w->items, w->bytes) ||
	    !wire_block_holds(l->head, w->parents, (uint64_t)w->n_parents * sizeof(uint32_t)))
		return -1;
	for (uint32_t i = 0; i < w->n_items; i++, item = item_next(item)) {
		if (w->bytes - at < sizeof *item || item->size < sizeof *item ||
		    item->size % 8 != 0 || item->size > w->bytes - at)
			return -1;
		at += item->size;
		n += item->count;
	}
	return n;
}

/* World ranks for n more processes, in order; how many there were. Places that nobody had first, so
 * that a run is the same with a trace, whose ranks they are, and without. */
static uint32_t places_find(struct live *l, uint32_t *place, uint32_t n)
{
	uint32_t found = 0;

	for (uint32_t i = l->places; i < l->ranks && found < n; i++)
		place[found++] = i;
	for (uint32_t i = l->head->world; i < l->places && found < n && !l->o.traced; i++)
		if (process_is_free(l, i))
			place[found++] = i;
	return found;
}

static int is_soft(const struct live *l, const struct wire_spawn *w)
{
	const struct wire_item *item = wire_at(l->head, w->items);
	const char *words[WORDS_MAX + 1], *before[BEFORE_WORDS];
	int soft = 0;

	for (uint32_t i = 0; i < w->n_items && !soft; i++, item = item_next(item))
		soft = item_read(item, words, before) == 0 && *before[SOFT];
	return soft;
}

/* Whether a run that is not traced may have places for more of it. */
static int is_short_by_trace(struct live *l, const struct wire_spawn *w, uint32_t n, uint32_t found)
{
	uint32_t more = 0;

	if (!l->o.traced || found >= n)
		return 0;
	for (uint32_t i = l->head->world; i < l->places; i++)
		more += process_is_free(l, i) != 0;
	return is_soft(l, w) ? more > 0 : found + more >= n;
}

static uint64_t world_make(struct live *l, const struct wire_spawn *w, const uint32_t *place,
                           uint32_t n)
{
	uint64_t block = wire_block_new(&l->heap, sizeof(struct wire_world) +
	                                              ((uint64_t)n + w->n_parents) * sizeof *place);
	struct wire_world *world;
	uint32_t *to;

	if (!block)
		return 0;
	world = wire_at(l->head, block);
	*world = (struct wire_world){
	    .number = ++l->worlds, .n = n, .n_parents = w->n_parents, .root = w->root};
	atomic_store(&world->left, n);
	to = (uint32_t *)(world + 1);
	memcpy(to, place, n * sizeof *to);
	memcpy(to + n, wire_at(l->head, w->parents), w->n_parents * sizeof *to);
	return block;
}

/* 0, or -1: one could not be started (those before it are there, and will be killed). */
static int all_start(struct live *l, const struct wire_spawn *w, uint64_t world,
                     const uint32_t *place)
{
	const struct wire_item *item = wire_at(l->head, w->items);
	const char *words[WORDS_MAX + 1], *before[BEFORE_WORDS];
	struct err ignored;
	uint32_t next = 0;

	for (uint32_t i = 0; i < w->n_items; i++, item = item_next(item)) {
		struct spawned s = {.words = words, .world = world, .appnum = i};

		if (item_read(item, words, before) < 0)
			return -1;
		s.folder = *before[FOLDER] ? before[FOLDER] : NULL;
		for (uint32_t k = 0; k < item->count; k++, next++) {
			if (process_spawn(l, place[next], &s, &ignored) < 0)
				return -1;
			if (place[next] >= l->places)
				l->places = place[next] + 1;
			l->rank[place[next]].over = 0;
			mp_rank_begin(l->mp, place[next]);
		}
	}
	return 0;
}

/* The items' counts become those that there are places for, and are written to `count`: in order,
 * each as many as it may have. How many in all; -1: one cannot be. */
static int64_t items_settle(struct live *l, const struct wire_spawn *w, uint32_t places,
                            uint32_t *count)
{
	struct wire_item *item = wire_at(l->head, w->items);
	int64_t n, all = 0;

	for (uint32_t i = 0; i < w->n_items; i++) {
		n = item_count(item, places - all);
		if (n < 0)
			return -1;
		item->count = count[i] = (uint32_t)n;
		all += n;
		item = (void *)((char *)item + item->size);
	}
	return all;
}

static int spawn(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_spawn *w = op_body(op);
	struct lrank *r = &l->rank[rank];
	int64_t n = items_check(l, w), asked;
	uint32_t *place, *count;
	uint64_t world;

	if (n < 0 || n > INT32_MAX)
		return live_broken(l, rank, err, "processes to spawn");
	r->spawn = wire_block_new(&l->heap, ((uint64_t)n + w->n_items + 1) * sizeof *place);
	if (!r->spawn)
		return err_set(err, ERR_LIMIT, "%lld processes have no room", (long long)n);
	place = wire_at(l->head, r->spawn);
	r->spawns = places_find(l, place, (uint32_t)n);
	if (is_short_by_trace(l, w, (uint32_t)n, r->spawns))
		return live_error(l, rank, err,
		                  "spawns more processes in all than --universe has places for: "
		                  "with --trace each needs one of its own");
	count = malloc(((size_t)w->n_items + 1) * sizeof *count);
	if (!count)
		return err_nomem(err, "processes", w->n_items);
	asked = n;
	n = items_settle(l, w, r->spawns, count);
	if (n == 0 && asked > 0) /* a group of nobody is no world */
		n = -1;
	r->spawns = n > 0 ? (uint32_t)n : 0;
	memcpy(place + r->spawns, count, w->n_items * sizeof *count);
	free(count);
	world = n >= 0 ? world_make(l, w, place, (uint32_t)n) : 0;
	if (!world)
		r->error = WIRE_ERR_SPAWN;
	else if (all_start(l, w, world, place) < 0)
		return live_error(l, rank, err, "a process that it spawned could not be started");
	r->value = l->worlds;
	wire_block_free(&l->heap, w->items);
	wire_block_free(&l->heap, w->parents);
	return MP_DONE;
}

static void spawned_answer(struct lrank *r, struct wire_answer *a)
{
	a->list = r->spawn;
	a->n = r->spawns;
	a->value = r->value;
}

/* --- ports --- */

enum { PORT_GONE, PORT_WAITS, PORT_HELD, PORT_MET, PORT_LATE };
struct port_side {
	uint64_t name, data; /* what it brings; once met, what the other side brought */
	uint32_t bytes, rank, number;
	uint8_t connects, state;
};

static uint32_t port_other(const struct live *l, uint64_t name, int connects)
{
	for (uint32_t i = 0; i < l->n_port; i++) {
		const struct port_side *p = &l->port[i];

		if ((p->state == PORT_WAITS || p->state == PORT_HELD) && p->name == name &&
		    p->connects != connects)
			return i;
	}
	return NO_SIDE;
}

static uint32_t port_add(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_port *w = op_body(op);
	struct port_side *p;
	uint32_t i = 0;

	while (i < l->n_port && l->port[i].state != PORT_GONE)
		i++;
	p = vec_grow(l->port, &l->cap_port, sizeof *p, (size_t)i + 1, "ports", err);
	if (!p)
		return NO_SIDE;
	l->port = p;
	l->n_port = i < l->n_port ? l->n_port : i + 1;
	p[i] = (struct port_side){.name = w->name,
	                          .data = w->data,
	                          .bytes = w->bytes,
	                          .rank = rank,
	                          .connects = op->b != 0,
	                          .state = PORT_WAITS};
	return i;
}

static void port_meet(struct live *l, struct port_side *a, struct port_side *b)
{
	uint64_t data = a->data;
	uint32_t bytes = a->bytes;

	a->data = b->data;
	a->bytes = b->bytes;
	b->data = data;
	b->bytes = bytes;
	a->number = b->number = ++l->ports_met;
	if (b->state == PORT_HELD)
		mp_go_on(l->mp, b->rank);
	a->state = b->state = PORT_MET;
}

static int port(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_port *w = op_body(op);
	uint32_t other, mine = op->a;

	if (op->mode == WIRE_LOOKS_AGAIN) {
		if (mine >= l->n_port || l->port[mine].rank != rank ||
		    l->port[mine].state == PORT_GONE)
			return live_error(l, rank, err, "looks at a port where it is not");
		l->rank[rank].value = mine;
		return MP_DONE;
	}
	if (w->bytes && !wire_block_holds(l->head, w->data, w->bytes))
		return live_broken(l, rank, err, "the data of a port");
	other = port_other(l, w->name, op->b != 0);
	mine = port_add(l, rank, op, err);
	if (mine == NO_SIDE)
		return MP_ERROR;
	if (other != NO_SIDE)
		port_meet(l, &l->port[mine], &l->port[other]);
	l->rank[rank].value = mine;
	return MP_DONE;
}

/* Nothing else can happen: nobody will accept what connects, and its time is over (MPI 4.0, 11.9.4:
 * eventually). */
int ports_late(struct live *l)
{
	int n = 0;

	for (uint32_t i = 0; i < l->n_port; i++) {
		struct port_side *p = &l->port[i];

		if (p->state != PORT_HELD || !p->connects)
			continue;
		p->state = PORT_LATE;
		mp_go_on(l->mp, p->rank);
		n++;
	}
	return n;
}

static int port_answer(struct live *l, uint32_t rank, const struct wire_op *op)
{
	struct port_side *p = &l->port[l->rank[rank].value];
	struct wire_answer *a = &l->rank[rank].c->answer;

	a->flag = p->state >= PORT_MET;
	if (p->state == PORT_LATE)
		l->rank[rank].error = WIRE_ERR_PORT;
	a->value = l->rank[rank].value;
	a->list = 0;
	if (!a->flag) {
		if (op->mode != WIRE_MEETS)
			return MP_DONE;
		p->state = PORT_HELD;
		return LIVE_HELD;
	}
	a->value = p->number;
	a->list = p->data; /* late: its own */
	a->n = p->bytes;
	p->state = PORT_GONE;
	return MP_DONE;
}

/* --- names --- */

static uint32_t name_find(const struct live *l, const char *text, size_t n)
{
	uint32_t i = 0;

	while (i < l->n_names &&
	       (strlen(l->names[2 * i].s) != n || memcmp(l->names[2 * i].s, text, n) != 0))
		i++;
	return i;
}

static int publish(struct live *l, const char *service, const struct wire_text *w, struct err *err)
{
	struct str *p = vec_grow(l->names, &l->cap_names, 2 * sizeof *p, (size_t)l->n_names + 1,
	                         "names of services", err);

	if (!p)
		return MP_ERROR;
	l->names = p;
	p += 2 * (size_t)l->n_names++;
	str_init(&p[0]);
	str_init(&p[1]);
	str_printf(&p[0], "%.*s", (int)w->n, service);
	str_printf(&p[1], "%.*s", (int)w->m, service + w->n);
	return p[0].failed || p[1].failed ? err_nomem(err, "names of services", w->n + w->m)
	                                  : MP_DONE;
}

static int name(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	const struct wire_text *w = op_body(op);
	const char *text = (const char *)(w + 1);
	struct lrank *r = &l->rank[rank];
	uint32_t i;

	if (sizeof *op + sizeof *w + (uint64_t)w->n + w->m > op->size)
		return live_broken(l, rank, err, "the name of a service");
	i = name_find(l, text, w->n);
	r->value = i;
	if (op->b == WIRE_PUBLISH) {
		if (i == l->n_names)
			return publish(l, text, w, err);
		r->error = WIRE_ERR_SERVICE;
	} else if (i == l->n_names) {
		r->error = op->b == WIRE_LOOKUP ? WIRE_ERR_NAME : WIRE_ERR_SERVICE;
	} else if (op->b == WIRE_UNPUBLISH) {
		str_release(&l->names[2 * i]);
		str_release(&l->names[2 * i + 1]);
		l->n_names--;
		memmove(&l->names[2 * i], &l->names[2 * l->n_names], 2 * sizeof *l->names);
	}
	return MP_DONE;
}

static int name_answer(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	struct wire_answer *a = &l->rank[rank].c->answer;
	const struct str *s;

	a->list = 0;
	a->n = 0;
	if (op->b != WIRE_LOOKUP || l->rank[rank].error)
		return MP_DONE;
	s = &l->names[2 * l->rank[rank].value + 1];
	a->list = wire_block_new(&l->heap, s->n + 1);
	if (!a->list)
		return err_set(err, ERR_LIMIT, "the name of a port has no room");
	memcpy(wire_at(l->head, a->list), s->s ? s->s : "", s->n + 1);
	a->n = (uint32_t)s->n;
	return MP_DONE;
}

/* --- all --- */

int spawn_issue(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	return op->kind == WIRE_SPAWN  ? spawn(l, rank, op, err)
	       : op->kind == WIRE_PORT ? port(l, rank, op, err)
	                               : name(l, rank, op, err);
}

int spawn_answer(struct live *l, uint32_t rank, const struct wire_op *op, struct err *err)
{
	if (op->kind == WIRE_PORT)
		return port_answer(l, rank, op);
	if (op->kind == WIRE_SERVICE)
		return name_answer(l, rank, op, err);
	spawned_answer(&l->rank[rank], &l->rank[rank].c->answer);
	return MP_DONE;
}

void spawn_release(struct live *l)
{
	for (uint32_t i = 0; i < 2 * l->n_names; i++)
		str_release(&l->names[i]);
	free(l->names);
	free(l->port);
}
