/* fake_p2p.c: messages and collectives of fake_mpi.h: what does nothing but be called. */
#include "fake_mpi.h"

#include <stdlib.h>
#include <string.h>

#define UNUSED(...) unused(0, __VA_ARGS__)
#define BUFFER const void *p, int n, MPI_Datatype t

static void unused(int first, ...)
{
	(void)first;
}

/* --- sends --- */

#define SEND(name) \
	int PMPI_##name(BUFFER, int dest, int tag, MPI_Comm c) \
	{ \
		UNUSED(p, n, t, dest, tag, c); \
		return fake_result(); \
	}
SEND(Ssend)
SEND(Bsend)
SEND(Rsend)

int PMPI_Send(BUFFER, int dest, int tag, MPI_Comm c)
{
	UNUSED(tag);
	if (!fake.wired || c == MPI_COMM_WORLD)
		return fake_result();
	fake_wire_send(dest, p, (size_t)(n * fake_type_size(t)));
	return MPI_SUCCESS;
}

#define ISEND(name, persistent) \
	int PMPI_##name(BUFFER, int dest, int tag, MPI_Comm c, MPI_Request *r) \
	{ \
		UNUSED(p, n, t, dest, tag); \
		return fake_request_new(r, c, MPI_PROC_NULL, 0, persistent); \
	}
ISEND(Isend, 0)
ISEND(Issend, 0)
ISEND(Ibsend, 0)
ISEND(Irsend, 0)
ISEND(Send_init, 1)
ISEND(Ssend_init, 1)
ISEND(Bsend_init, 1)
ISEND(Rsend_init, 1)

int PMPI_Buffer_detach(void *p, int *n)
{
	UNUSED(p, n);
	return fake_result();
}

/* --- receives --- */

static int receive(int source, int tag, MPI_Comm c, MPI_Status *s)
{
	int rc = fake_result(), sender, found;

	if (rc != MPI_SUCCESS)
		return rc;
	fake_match(c, source, tag, &sender, &found);
	fake_status(s, sender, found);
	return rc;
}

int PMPI_Recv(void *p, int n, MPI_Datatype t, int source, int tag, MPI_Comm c, MPI_Status *s)
{
	if (fake.wired && c != MPI_COMM_WORLD)
		return fake_wire_recv(source, p, (size_t)(n * fake_type_size(t)));
	return receive(source, tag, c, s);
}

int PMPI_Irecv(void *p, int n, MPI_Datatype t, int source, int tag, MPI_Comm c, MPI_Request *r)
{
	UNUSED(p, n, t);
	/* one from nobody is a request like others: it is told from a send by its tag */
	return fake_request_new(r, c, source, tag, 0);
}

int PMPI_Recv_init(void *p, int n, MPI_Datatype t, int source, int tag, MPI_Comm c, MPI_Request *r)
{
	UNUSED(p, n, t);
	return fake_request_new(r, c, source, tag, 1);
}

int PMPI_Sendrecv(BUFFER, int dest, int tag, void *p2, int n2, MPI_Datatype t2, int source,
                  int tag2, MPI_Comm c, MPI_Status *s)
{
	UNUSED(p, n, t, dest, tag, p2, n2, t2);
	return receive(source, tag2, c, s);
}

int PMPI_Sendrecv_replace(void *p, int n, MPI_Datatype t, int dest, int tag, int source, int tag2,
                          MPI_Comm c, MPI_Status *s)
{
	UNUSED(p, n, t, dest, tag);
	return receive(source, tag2, c, s);
}

int PMPI_Isendrecv(BUFFER, int dest, int tag, void *p2, int n2, MPI_Datatype t2, int source,
                   int tag2, MPI_Comm c, MPI_Request *r)
{
	UNUSED(p, n, t, dest, tag, p2, n2, t2);
	return fake_request_new(r, c, source, tag2, 0);
}

/* --- probes --- */

int PMPI_Probe(int source, int tag, MPI_Comm c, MPI_Status *s)
{
	return receive(source, tag, c, s);
}

int PMPI_Iprobe(int source, int tag, MPI_Comm c, int *flag, MPI_Status *s)
{
	*flag = fake_once_in(2);
	return *flag ? receive(source, tag, c, s) : fake_result();
}

static MPI_Message message_new(int source, int tag)
{
	if (source == MPI_PROC_NULL)
		return MPI_MESSAGE_NO_PROC;
	for (int i = 0; i < FAKE_REQUESTS; i++)
		if (!fake.message[i].used) {
			fake.message[i] = (struct fake_message){1, source, tag};
			return i + 1;
		}
	abort();
}

int PMPI_Mprobe(int source, int tag, MPI_Comm c, MPI_Message *m, MPI_Status *s)
{
	int rc = receive(source, tag, c, s);

	if (rc == MPI_SUCCESS) /* the tracer gives a status where the program gives none */
		*m = message_new(source == MPI_PROC_NULL ? source : s->MPI_SOURCE, s->MPI_TAG);
	return rc;
}

int PMPI_Improbe(int source, int tag, MPI_Comm c, int *flag, MPI_Message *m, MPI_Status *s)
{
	*flag = fake_once_in(2);
	return *flag ? PMPI_Mprobe(source, tag, c, m, s) : fake_result();
}

static void message_take(MPI_Message *m, int *source, int *tag)
{
	*source = MPI_PROC_NULL;
	*tag = MPI_ANY_TAG;
	if (*m != MPI_MESSAGE_NO_PROC) {
		struct fake_message *q = &fake.message[*m - 1];

		*source = q->source;
		*tag = q->tag;
		q->used = 0;
	}
	*m = MPI_MESSAGE_NULL;
}

int PMPI_Mrecv(void *p, int n, MPI_Datatype t, MPI_Message *m, MPI_Status *s)
{
	int rc = fake_result(), source, tag;

	UNUSED(p, n, t);
	message_take(m, &source, &tag);
	fake_status(s, source, tag);
	return rc;
}

int PMPI_Imrecv(void *p, int n, MPI_Datatype t, MPI_Message *m, MPI_Request *r)
{
	int source, tag;

	UNUSED(p, n, t);
	message_take(m, &source, &tag);
	return fake_request_new(r, MPI_COMM_WORLD, source, tag, 0);
}

/* --- partitioned --- */

int PMPI_Psend_init(const void *p, int parts, MPI_Count n, MPI_Datatype t, int dest, int tag,
                    MPI_Comm c, MPI_Info info, MPI_Request *r)
{
	UNUSED(p, parts, n, t, dest, tag, info);
	return fake_request_new(r, c, MPI_PROC_NULL, 0, 1);
}

int PMPI_Precv_init(void *p, int parts, MPI_Count n, MPI_Datatype t, int dest, int tag, MPI_Comm c,
                    MPI_Info info, MPI_Request *r)
{
	UNUSED(p, parts, n, t, dest, tag, info);
	return fake_request_new(r, c, MPI_PROC_NULL, 0, 1);
}

int PMPI_Pready(int part, MPI_Request r)
{
	UNUSED(part, r);
	return fake_result();
}

int PMPI_Pready_range(int low, int high, MPI_Request r)
{
	UNUSED(low, high, r);
	return fake_result();
}

#if MPICH_NUMVERSION >= 40100000 /* what MPICH 4.0 forgot */
int PMPI_Pready_list(int n, const int parts[], MPI_Request r)
#else
int PMPI_Pready_list(int n, int parts[], MPI_Request r)
#endif
{
	UNUSED(n, parts, r);
	return fake_result();
}

int PMPI_Parrived(MPI_Request r, int part, int *flag)
{
	int rc = fake_result();

	UNUSED(r, part);
	if (rc == MPI_SUCCESS)
		*flag = fake_once_in(2);
	return rc;
}

/* --- collectives --- */

int PMPI_Barrier(MPI_Comm c)
{
	UNUSED(c);
	return fake_result();
}

/* Where another is the root it says who the communicator is, as its tracer would. */
int PMPI_Bcast(void *p, int n, MPI_Datatype t, int root, MPI_Comm c)
{
	struct fake_comm *q = fake_comm(c);
	int world = root >= 0 ? q->members.world[root] : -1;

	if (fake.wired && p) {
		fake_wire_bcast(root, p, (size_t)(n * fake_type_size(t)));
		return MPI_SUCCESS;
	}
	if (p && n == 8 && world >= 0 && world != fake.rank) {
		fake.told = (uint64_t)(uint32_t)world << 32 | (1000 + fake.identities[world]++);
		memcpy(p, &fake.told, 8);
	}
	return fake_result();
}

int PMPI_Ibcast(void *p, int n, MPI_Datatype t, int root, MPI_Comm c, MPI_Request *r)
{
	int rc = p && n == 8 ? PMPI_Bcast(p, n, t, root, c) : MPI_SUCCESS;

	return rc == MPI_SUCCESS ? fake_request_new(r, c, MPI_PROC_NULL, 0, 0) : rc;
}

int PMPI_Allreduce(const void *in, void *out, int n, MPI_Datatype t, MPI_Op op, MPI_Comm c)
{
	int rc = fake_result();

	UNUSED(op);
	if (!in || !out)
		return rc;
	if (fake.wired && t == MPI_INT) {
		fake_wire_allreduce(in, out, n, op);
		return rc;
	}
	if (fake_comm(c)->inter && t == MPI_UINT64_T)
		memcpy(out, &fake.inter[fake.inter_times++ % 2], 8);
	else if (in != MPI_IN_PLACE)
		memcpy(out, in, (size_t)(n * fake_type_size(t)));
	return rc;
}

int PMPI_Comm_set_errhandler(MPI_Comm c, MPI_Errhandler h)
{
	UNUSED(c, h);
	return MPI_SUCCESS;
}

int PMPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op)
{
	UNUSED(function, commutes);
	*op = (MPI_Op)0x98000001;
	return MPI_SUCCESS;
}

int PMPI_Op_commutative(MPI_Op op, int *commutes)
{
	if (op == MPI_OP_NULL)
		return MPI_ERR_OP;
	*commutes = op != (MPI_Op)0x98000001; /* the first that a program makes does not */
	return MPI_SUCCESS;
}

/* A collective, its non-blocking and its persistent form. */
#define INIT(Name, parameters, arguments) \
	int PMPI_##Name(STRIP parameters, MPI_Comm c, MPI_Info info, MPI_Request *r) \
	{ \
		UNUSED(STRIP arguments, info); \
		return fake_request_new(r, c, MPI_PROC_NULL, 0, 1); \
	}
#define STRIP(...) __VA_ARGS__

#define ALL3(Name, lower, parameters, arguments) \
	int PMPI_##Name(STRIP parameters, MPI_Comm c) \
	{ \
		UNUSED(STRIP arguments, c); \
		return fake_result(); \
	} \
	int PMPI_I##lower(STRIP parameters, MPI_Comm c, MPI_Request *r) \
	{ \
		UNUSED(STRIP arguments); \
		return fake_request_new(r, c, MPI_PROC_NULL, 0, 0); \
	} \
	INIT(Name##_init, parameters, arguments)

#define TWO const void *p, int n, MPI_Datatype t, void *p2, int n2, MPI_Datatype t2
#define TWO_ARGS p, n, t, p2, n2, t2
ALL3(Gather, gather, (TWO, int root), (TWO_ARGS, root))
ALL3(Scatter, scatter, (TWO, int root), (TWO_ARGS, root))
ALL3(Allgather, allgather, (TWO), (TWO_ARGS))
ALL3(Alltoall, alltoall, (TWO), (TWO_ARGS))
ALL3(Neighbor_allgather, neighbor_allgather, (TWO), (TWO_ARGS))
ALL3(Neighbor_alltoall, neighbor_alltoall, (TWO), (TWO_ARGS))

#define TO_MANY \
	const void *p, int n, MPI_Datatype t, void *p2, const int n2[], const int at[], \
	    MPI_Datatype t2
#define TO_MANY_ARGS p, n, t, p2, n2, at, t2
ALL3(Gatherv, gatherv, (TO_MANY, int root), (TO_MANY_ARGS, root))
ALL3(Allgatherv, allgatherv, (TO_MANY), (TO_MANY_ARGS))
ALL3(Neighbor_allgatherv, neighbor_allgatherv, (TO_MANY), (TO_MANY_ARGS))
ALL3(Scatterv, scatterv,
     (const void *p, const int n[], const int at[], MPI_Datatype t, void *p2, int n2,
      MPI_Datatype t2, int root),
     (p, n, at, t, p2, n2, t2, root))

#define MANY \
	const void *p, const int n[], const int at[], MPI_Datatype t, void *p2, const int n2[], \
	    const int at2[], MPI_Datatype t2
#define MANY_ARGS p, n, at, t, p2, n2, at2, t2
ALL3(Alltoallv, alltoallv, (MANY), (MANY_ARGS))
ALL3(Neighbor_alltoallv, neighbor_alltoallv, (MANY), (MANY_ARGS))
ALL3(Alltoallw, alltoallw,
     (const void *p, const int n[], const int at[], const MPI_Datatype t[], void *p2,
      const int n2[], const int at2[], const MPI_Datatype t2[]),
     (p, n, at, t, p2, n2, at2, t2))
ALL3(Neighbor_alltoallw, neighbor_alltoallw,
     (const void *p, const int n[], const MPI_Aint at[], const MPI_Datatype t[], void *p2,
      const int n2[], const MPI_Aint at2[], const MPI_Datatype t2[]),
     (p, n, at, t, p2, n2, at2, t2))

#define REDUCTION const void *p, void *p2, int n, MPI_Datatype t, MPI_Op op
#define REDUCTION_ARGS p, p2, n, t, op
ALL3(Reduce, reduce, (REDUCTION, int root), (REDUCTION_ARGS, root))
ALL3(Scan, scan, (REDUCTION), (REDUCTION_ARGS))
ALL3(Exscan, exscan, (REDUCTION), (REDUCTION_ARGS))
ALL3(Reduce_scatter_block, reduce_scatter_block, (REDUCTION), (REDUCTION_ARGS))
ALL3(Reduce_scatter, reduce_scatter,
     (const void *p, void *p2, const int n[], MPI_Datatype t, MPI_Op op), (p, p2, n, t, op))

int PMPI_Iallreduce(REDUCTION, MPI_Comm c, MPI_Request *r)
{
	UNUSED(REDUCTION_ARGS);
	return fake_request_new(r, c, MPI_PROC_NULL, 0, 0);
}
INIT(Allreduce_init, (REDUCTION), (REDUCTION_ARGS))
INIT(Bcast_init, (void *p, int n, MPI_Datatype t, int root), (p, n, t, root))

int PMPI_Ibarrier(MPI_Comm c, MPI_Request *r)
{
	return fake_request_new(r, c, MPI_PROC_NULL, 0, 0);
}

int PMPI_Barrier_init(MPI_Comm c, MPI_Info info, MPI_Request *r)
{
	UNUSED(info);
	return fake_request_new(r, c, MPI_PROC_NULL, 0, 1);
}
