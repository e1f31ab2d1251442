/* port.c: processes that do not know each other connect (MPI 4.0, 11.9): at a port, whose name they
 * may have published, or through a socket of the program. */
#include "outcome.h"
#include "spawn.h"

#include "base/num.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "meet.h"
#include "objects/core.h"
#include "objects/errhandler.h"
#include "orr_mpi.h"

_Static_assert((int)WIRE_ERR_NAME == MPI_ERR_NAME && (int)WIRE_ERR_SERVICE == MPI_ERR_SERVICE &&
                   (int)WIRE_ERR_PORT == MPI_ERR_PORT,
               "as in mpi_abi.h");

#define PORT "orrery-port-"

int orr_Open_port(MPI_Info info, char *port_name)
{
	struct link *l = link_state();

	(void)info;
	link_enter();
	snprintf(port_name, MPI_MAX_PORT_NAME, PORT "%u-%u", l->rank, spawn_count(SPAWN_PORTS));
	link_leave();
	return MPI_SUCCESS;
}

/* The name as a number; 0: it is none of a port. */
static uint64_t port_number(const char *name)
{
	int64_t rank, number;
	size_t n = sizeof PORT - 1, digits;

	if (!name || strncmp(name, PORT, n) != 0)
		return 0;
	digits = num_take_digits(name + n, &rank);
	if (digits == 0 || name[n += digits] != '-' || rank >= link_state()->head->ranks)
		return 0;
	digits = num_take_digits(name + n + 1, &number);
	if (digits == 0 || name[n + 1 + digits] != '\0' || number > UINT32_MAX)
		return 0;
	return name_mix(name_mix(NAME_PORT, (uint64_t)rank), (uint64_t)number);
}

int orr_Close_port(const char *port_name)
{
	return port_number(port_name) ? MPI_SUCCESS : MPI_ERR_PORT;
}

static struct wire_op *port_op(const struct wire_port *w, int connects)
{
	struct wire_op *op = link_room(WIRE_PORT, sizeof *w);

	memcpy(op + 1, w, sizeof *w);
	op->b = (uint32_t)connects;
	return op;
}

/* The root of one side meets that of the other, and learns who is there. */
static struct outcome *port_meet(const struct orr_comm *c, uint64_t name, int connects)
{
	struct wire_port w = {.name = name, .bytes = (uint32_t)c->size * sizeof(int32_t)};
	struct wire_op *op;
	struct wire_answer *a;
	struct outcome *o;
	double pause = 0;

	if (!name)
		return outcome_new(MPI_ERR_PORT, 0, NULL, 0);
	w.data = link_block(w.bytes + 1);
	memcpy(link_at(w.data), c->local->member, w.bytes);
	op = port_op(&w, connects);
	op->mode = link_several() ? WIRE_LOOKS : WIRE_MEETS;
	a = link_ask(op);
	while (!a->flag) {
		uint32_t mine = a->value;

		link_pause(&pause);
		op = port_op(&w, connects);
		op->mode = WIRE_LOOKS_AGAIN;
		op->a = mine;
		a = link_ask(op);
	}
	if (a->error)
		orr_error_note(a->error, "no rank accepts there, and none will: all others wait, "
		                         "or have ended");
	o = outcome_new(a->error, a->value, link_at(a->list), a->n / (uint32_t)sizeof(int32_t));
	link_block_free(a->list);
	return o;
}

static int meet_at_port(const char *port_name, int root, MPI_Comm comm, int connects, MPI_Comm *out)
{
	struct orr_comm *c = orr_comm_of(comm);
	struct outcome *o = NULL;
	int code = outcome_check(c, root);

	*out = MPI_COMM_NULL;
	if (code != MPI_SUCCESS)
		return code;
	link_enter();
	if (c->rank == root)
		o = port_meet(c, port_number(port_name), connects);
	o = outcome_tell(c, root, o);
	code = outcome_join(c, NAME_PORT, o, out);
	link_leave();
	free(o);
	return code;
}

int orr_Comm_accept(const char *port_name, MPI_Info info, int root, MPI_Comm comm,
                    MPI_Comm *newcomm)
{
	(void)info;
	return meet_at_port(port_name, root, comm, 0, newcomm);
}

int orr_Comm_connect(const char *port_name, MPI_Info info, int root, MPI_Comm comm,
                     MPI_Comm *newcomm)
{
	(void)info;
	return meet_at_port(port_name, root, comm, 1, newcomm);
}

/* --- names of services --- */

static int name_ask(enum wire_name what, const char *service, const char *port, char *out)
{
	struct wire_text w = {.n = (uint32_t)strlen(service),
	                      .m = port ? (uint32_t)strlen(port) : 0};
	struct wire_answer *a;
	struct wire_op *op;
	int code;

	if (w.n + w.m > WIRE_RING / 4)
		return MPI_ERR_ARG;
	link_enter();
	op = link_room(WIRE_SERVICE, sizeof w + w.n + w.m);
	op->b = what;
	memcpy(op + 1, &w, sizeof w);
	memcpy((char *)(op + 1) + sizeof w, service, w.n);
	if (port)
		memcpy((char *)(op + 1) + sizeof w + w.n, port, w.m);
	a = link_ask(op);
	code = a->error;
	if (a->list && out)
		snprintf(out, MPI_MAX_PORT_NAME, "%s", (const char *)link_at(a->list));
	link_block_free(a->list);
	link_leave();
	return code;
}

int orr_Publish_name(const char *service_name, MPI_Info info, const char *port_name)
{
	(void)info;
	return name_ask(WIRE_PUBLISH, service_name, port_name, NULL);
}

int orr_Unpublish_name(const char *service_name, MPI_Info info, const char *port_name)
{
	(void)info;
	(void)port_name;
	return name_ask(WIRE_UNPUBLISH, service_name, NULL, NULL);
}

int orr_Lookup_name(const char *service_name, MPI_Info info, char *port_name)
{
	(void)info;
	return name_ask(WIRE_LOOKUP, service_name, NULL, port_name);
}

/* --- joining through a socket of the program --- */

struct joins {
	uint32_t rank, count;
};

/* The other process may not have come so far in simulated time: it is looked for. -1: it is gone.
 */
static int fd_read(int fd, void *to, size_t n)
{
	char *p = to;
	double pause = 0;

	while (n > 0) {
		ssize_t got = recv(fd, p, n, MSG_DONTWAIT);

		if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
			return -1;
		if (got < 0) {
			link_pause(&pause);
			continue;
		}
		p += got;
		n -= (size_t)got;
	}
	return 0;
}

int orr_Comm_join(int fd, MPI_Comm *intercomm)
{
	struct orr_comm *self = orr_comm_of(MPI_COMM_SELF), *made;
	struct joins mine = {link_state()->rank, spawn_count(SPAWN_JOINS)}, other;
	const struct joins *low, *high;
	struct orr_group *remote;
	int32_t member;
	int code;

	*intercomm = MPI_COMM_NULL;
	if (send(fd, &mine, sizeof mine, MSG_NOSIGNAL) != (ssize_t)sizeof mine)
		return MPI_ERR_ARG;
	link_enter();
	if (fd_read(fd, &other, sizeof other) < 0 || other.rank >= link_state()->head->ranks) {
		link_leave();
		return MPI_ERR_OTHER;
	}
	if (other.rank == mine.rank) {
		link_leave();
		return MPI_ERR_INTERN;
	}
	low = mine.rank < other.rank ? &mine : &other;
	high = low == &mine ? &other : &mine;
	member = (int32_t)other.rank;
	remote = orr_group_new(1, &member);
	code = remote ? groups_meet(name_mix(name_mix(name_mix(NAME_JOIN, low->rank), low->count),
	                                     name_mix(high->rank, high->count)),
	                            self->local, remote, &made)
	              : MPI_ERR_NO_MEM;
	if (remote)
		orr_group_drop(remote);
	link_leave();
	if (code == MPI_SUCCESS)
		*intercomm = orr_handle(made);
	return code;
}
