/* fake_request.c: requests of fake_mpi.h, and what waits for them. A request becomes complete
 * when somebody waits for it, or by chance when somebody looks. */
#include "fake_mpi.h"

#include <stdlib.h>

enum { REQUEST_BASE = (int)0xac000000, REQUEST_SHARED = 0x6c000001 };

struct fake_request *fake_request(MPI_Request r)
{
	int i = r - REQUEST_BASE;

	return r == MPI_REQUEST_NULL || r == REQUEST_SHARED          ? NULL
	       : i >= 0 && i < FAKE_REQUESTS && fake.request[i].used ? &fake.request[i]
	                                                             : (abort(), NULL);
}

void fake_match(MPI_Comm c, int source, int tag, int *sender, int *found)
{
	struct fake_comm *p = fake_comm(c);
	int n = p->inter ? p->remote.n : p->members.n;

	*sender = source == MPI_ANY_SOURCE ? (int)fake_below((uint32_t)n) : source;
	*found = source == MPI_PROC_NULL ? MPI_ANY_TAG
	         : tag == MPI_ANY_TAG    ? (int)fake_below(1000)
	                                 : tag;
}

void fake_status(MPI_Status *s, int source, int tag)
{
	if (s == MPI_STATUS_IGNORE)
		return;
	*s = (MPI_Status){.MPI_SOURCE = source, .MPI_TAG = tag, .MPI_ERROR = MPI_SUCCESS};
}

int fake_request_new(MPI_Request *r, MPI_Comm c, int source, int tag, int persistent)
{
	int rc = fake_result();

	if (rc != MPI_SUCCESS)
		return rc;
	if (fake.at_once && !persistent && source == MPI_PROC_NULL &&
	    (int)fake_below(100) < fake.at_once) {
		*r = REQUEST_SHARED;
		return rc;
	}
	for (int i = 0; i < FAKE_REQUESTS; i++) {
		struct fake_request *q = &fake.request[i];

		if (q->used)
			continue;
		*q = (struct fake_request){
		    .used = 1, .persistent = persistent, .active = !persistent};
		fake_match(c, source, tag, &q->source, &q->tag);
		*r = REQUEST_BASE + i;
		return rc;
	}
	abort();
}

/* Nothing to wait for. */
static int is_idle(MPI_Request r)
{
	struct fake_request *q = fake_request(r);

	return r == MPI_REQUEST_NULL || (q && !q->active);
}

static int is_complete(MPI_Request r)
{
	struct fake_request *q = fake_request(r);

	return !q || q->complete;
}

/* What happens of itself while the program is in the library. */
static void progress(int n, const MPI_Request r[])
{
	for (int i = 0; i < n && !fake.still; i++)
		if (!is_idle(r[i]) && fake_request(r[i]) && fake_once_in(3))
			fake_request(r[i])->complete = 1;
}

static void finish(MPI_Request *r, MPI_Status *s)
{
	struct fake_request *q = fake_request(*r);

	if (is_idle(*r)) {
		fake_status(s, MPI_ANY_SOURCE, MPI_ANY_TAG);
		return;
	}
	if (!q) {
		fake_status(s, 0, 0);
		*r = MPI_REQUEST_NULL;
		return;
	}
	fake_status(s, q->source, q->tag);
	if (q->cancelled && s != MPI_STATUS_IGNORE)
		s->count_hi_and_cancelled = 1;
	if (q->later)
		*q->later = q->later_comm;
	q->active = q->complete = q->cancelled = 0;
	if (q->persistent)
		return;
	q->used = 0;
	*r = MPI_REQUEST_NULL;
}

static MPI_Status *at(MPI_Status *s, int i)
{
	return s == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &s[i];
}

/* One of the requests that are complete, or of those that could be, drawn; -1: all are idle. */
static int one_of(int n, const MPI_Request r[], int only_complete)
{
	int found = -1, seen = 0;

	for (int i = 0; i < n; i++)
		if (!is_idle(r[i]) && (is_complete(r[i]) || !only_complete) &&
		    fake_once_in((uint32_t)++seen))
			found = i;
	return found;
}

static int all_idle(int n, const MPI_Request r[])
{
	for (int i = 0; i < n; i++)
		if (!is_idle(r[i]))
			return 0;
	return 1;
}

/* An error among several (MPI 4.1, 3.7.5): those of fake.pending have neither failed nor completed.
 * What else there is in their statuses is of no meaning. */
static int all_but_pending(int n, MPI_Request r[], MPI_Status s[])
{
	for (int i = 0; i < n; i++)
		if (!(fake.pending >> i & 1))
			finish(&r[i], at(s, i));
		else if (s != MPI_STATUSES_IGNORE)
			s[i] = (MPI_Status){.MPI_SOURCE = 77, .MPI_ERROR = MPI_ERR_PENDING};
	fake.pending = 0;
	return MPI_ERR_IN_STATUS;
}

int PMPI_Wait(MPI_Request *r, MPI_Status *s)
{
	int rc = fake_result();

	if (rc == MPI_SUCCESS)
		finish(r, s);
	return rc;
}

int PMPI_Waitall(int n, MPI_Request r[], MPI_Status s[])
{
	int rc = fake_result();

	if (fake.pending)
		return all_but_pending(n, r, s);
	for (int i = 0; i < n && rc == MPI_SUCCESS; i++)
		finish(&r[i], at(s, i));
	return rc;
}

int PMPI_Waitany(int n, MPI_Request r[], int *index, MPI_Status *s)
{
	int rc = fake_result(), i;

	if (rc != MPI_SUCCESS)
		return rc;
	progress(n, r);
	i = one_of(n, r, 1);
	if (i < 0)
		i = one_of(n, r, 0);
	*index = i < 0 ? MPI_UNDEFINED : i;
	if (i < 0)
		fake_status(s, MPI_ANY_SOURCE, MPI_ANY_TAG);
	else
		finish(&r[i], s);
	return rc;
}

/* Those that are complete; blocking: at least one. In an order of the library's own. */
static int some(int n, MPI_Request r[], int *count, int indices[], MPI_Status s[], int blocking)
{
	int rc = fake_result();

	if (rc != MPI_SUCCESS)
		return rc;
	*count = MPI_UNDEFINED;
	if (all_idle(n, r))
		return rc;
	progress(n, r);
	if (blocking && one_of(n, r, 1) < 0)
		fake_request(r[one_of(n, r, 0)])->complete = 1;
	*count = 0;
	for (int i; (i = one_of(n, r, 1)) >= 0; (*count)++) {
		indices[*count] = i;
		finish(&r[i], at(s, *count));
	}
	return rc;
}

int PMPI_Waitsome(int n, MPI_Request r[], int *count, int indices[], MPI_Status s[])
{
	return some(n, r, count, indices, s, 1);
}

int PMPI_Testsome(int n, MPI_Request r[], int *count, int indices[], MPI_Status s[])
{
	return some(n, r, count, indices, s, 0);
}

int PMPI_Testall(int n, MPI_Request r[], int *flag, MPI_Status s[])
{
	int rc = fake_result();

	*flag = rc == MPI_SUCCESS;
	if (fake.pending)
		return all_but_pending(n, r, s);
	progress(n, r);
	for (int i = 0; i < n && *flag; i++)
		*flag = is_idle(r[i]) || is_complete(r[i]);
	for (int i = 0; i < n && *flag; i++)
		finish(&r[i], at(s, i));
	return rc;
}

int PMPI_Test(MPI_Request *r, int *flag, MPI_Status *s)
{
	return PMPI_Testall(1, r, flag, s == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : s);
}

int PMPI_Testany(int n, MPI_Request r[], int *index, int *flag, MPI_Status *s)
{
	int rc = fake_result(), i;

	*index = MPI_UNDEFINED;
	*flag = rc == MPI_SUCCESS && all_idle(n, r);
	if (*flag)
		fake_status(s, MPI_ANY_SOURCE, MPI_ANY_TAG);
	if (*flag || rc != MPI_SUCCESS)
		return rc;
	progress(n, r);
	i = one_of(n, r, 1);
	*flag = i >= 0;
	if (i >= 0) {
		finish(&r[i], s);
		*index = i;
	}
	return rc;
}

int PMPI_Request_get_status(MPI_Request r, int *flag, MPI_Status *s)
{
	progress(1, &r);
	*flag = is_idle(r) || is_complete(r);
	if (*flag && fake_request(r))
		fake_status(s, fake_request(r)->source, fake_request(r)->tag);
	return fake_result();
}

int PMPI_Start(MPI_Request *r)
{
	struct fake_request *q = fake_request(*r);
	int rc = fake_result();

	if (!q || !q->persistent || q->active)
		return MPI_ERR_REQUEST;
	if (rc == MPI_SUCCESS)
		q->active = 1;
	return rc;
}

int PMPI_Startall(int n, MPI_Request r[])
{
	for (int i = 0; i < n; i++)
		if (PMPI_Start(&r[i]) != MPI_SUCCESS)
			return MPI_ERR_REQUEST;
	return MPI_SUCCESS;
}

int PMPI_Cancel(MPI_Request *r)
{
	int rc = fake_result();

	/* what has not come by now never will */
	if (rc == MPI_SUCCESS && fake_request(*r) && fake_request(*r)->active &&
	    !fake_request(*r)->complete)
		fake_request(*r)->cancelled = 1;
	return rc;
}

int PMPI_Request_free(MPI_Request *r)
{
	int rc = fake_result();

	if (rc != MPI_SUCCESS)
		return rc;
	if (fake_request(*r))
		fake_request(*r)->used = 0;
	*r = MPI_REQUEST_NULL;
	return rc;
}

int PMPI_Test_cancelled(const MPI_Status *s, int *flag)
{
	*flag = s->count_hi_and_cancelled & 1;
	return MPI_SUCCESS;
}
