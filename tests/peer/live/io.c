/* io.c: files with views, collective or not, and shared pointers. */
#include "play.h"

static MPI_File file_new(struct play *p)
{
	char name[400];
	MPI_File f;
	snprintf(name, sizeof name, "%s.play", p->folder);
	if (p->rank == 0)
		MPI_File_delete(name, MPI_INFO_NULL);
	MPI_Barrier(p->comm);
	MPI_File_open(p->comm, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
	              MPI_INFO_NULL, &f);
	return f;
}

static void form_of_type(struct form *f, struct rng *unused, struct rng *data, MPI_Datatype base,
                         int n)
{
	(void)unused;
	form_plain(f, data, base, n);
}

static void file_write(MPI_File f, int how, int block, struct form *form, MPI_Status *s)
{
	MPI_Request q;

	switch (how) {
	case 0:
		MPI_File_write(f, form->at, form->count, form->type, s);
		break;
	case 1:
		MPI_File_write_all(f, form->at, form->count, form->type, s);
		break;
	case 2:
		MPI_File_write_at(f, block, form->at, form->count, form->type, s);
		break;
	case 3:
		MPI_File_write_at_all(f, block, form->at, form->count, form->type, s);
		break;
	case 4:
		MPI_File_iwrite(f, form->at, form->count, form->type, &q);
		MPI_Wait(&q, s);
		break;
	case 5:
		MPI_File_write_all_begin(f, form->at, form->count, form->type);
		MPI_File_write_all_end(f, form->at, s);
		break;
	default:
		MPI_File_iwrite_at_all(f, block, form->at, form->count, form->type, &q);
		MPI_Wait(&q, s);
	}
}

static void file_read(MPI_File f, int how, struct form *form, MPI_Status *s)
{
	MPI_Request q;

	switch (how) {
	case 0:
		MPI_File_read(f, form->at, form->count, form->type, s);
		break;
	case 1:
		MPI_File_read_all(f, form->at, form->count, form->type, s);
		break;
	case 2:
		MPI_File_iread(f, form->at, form->count, form->type, &q);
		MPI_Wait(&q, s);
		break;
	case 3:
		MPI_File_read_all_begin(f, form->at, form->count, form->type);
		MPI_File_read_all_end(f, form->at, s);
		break;
	default:
		MPI_File_read_at(f, 0, form->at, form->count, form->type, s);
	}
}

/* A view of every n-th block; written and read again in one of many ways. */
void part_file(struct play *p)
{
	MPI_File f = file_new(p);
	struct rng *r = &p->shared;
	int block = 1 + rng_upto(r, 40), n = block * (1 + rng_upto(r, 20)),
	    skip = rng_upto(r, 3) * 4;
	MPI_Datatype view, inner;
	MPI_Status s;
	struct form a, b;
	/* ROMIO of MPICH 4.0.2 is wrong with some layouts */
	(ON_MPICH ? form_of_type : form_make)(&a, &p->own, &p->own, MPI_INT, n);
	(ON_MPICH ? form_of_type : form_make)(&b, &p->own, &p->own, MPI_INT, n);
	memset(&s, 0, sizeof s);
	switch (rng_upto(r, 3)) {
	case 0: {
		int size = block * p->n, sub = block, start = block * p->rank;
		MPI_Type_create_subarray(1, &size, &sub, &start, MPI_ORDER_C, MPI_INT, &view);
		break;
	}
	case 1:
		MPI_Type_contiguous(block, MPI_INT, &inner);
		MPI_Type_create_resized(inner, 0, (MPI_Aint)block * p->n * 4, &view);
		MPI_Type_free(&inner);
		skip += block * p->rank * 4;
		break;
	default: {
		int length = block, at = block * p->rank;
		MPI_Type_indexed(1, &length, &at, MPI_INT, &inner);
		MPI_Type_create_resized(inner, 0, (MPI_Aint)block * p->n * 4, &view);
		MPI_Type_free(&inner);
	}
	}
	MPI_Type_commit(&view);
	int how = rng_upto(r, 7);
	MPI_File_set_view(f, skip, MPI_INT, view, "native", MPI_INFO_NULL);
	file_write(f, how, block, &a, &s);
	int count;
	MPI_Get_count(&s, a.type, &count);
	play_number(p, count);
	MPI_Offset where, end;
	MPI_File_get_position(f, &where);
	play_number(p, where);
	MPI_File_sync(f);
	MPI_Barrier(p->comm);
	MPI_File_sync(f);
	MPI_File_get_size(f, &end);
	play_number(p, end);
	MPI_Barrier(p->comm);
	MPI_File_seek(f, how == 2 || how == 3 || how == 6 ? block : 0, MPI_SEEK_SET);
	memset(&s, 0, sizeof s);
	file_read(f, rng_upto(r, 5), &b, &s);
	MPI_Get_count(&s, b.type, &count);
	play_number(p, count);
	play_form(p, &b);
	MPI_File_get_position(f, &where);
	play_number(p, where);
	MPI_File_get_byte_offset(f, 3 * block + 1, &where);
	play_number(p, where);
	/* the bytes of all */
	MPI_File_set_view(f, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
	char *whole = calloc(1, end + 1);
	MPI_File_read_at_all(f, 0, whole, (int)end, MPI_BYTE, &s);
	play_bytes(p, whole, end);
	free(whole);
	MPI_Barrier(p->comm);
	MPI_File_close(&f);
	MPI_Type_free(&view);
	form_free(&a);
	form_free(&b);
}

/* Shared pointers: in order, or in any, where only the sum is said. */
void part_file_shared(struct play *p)
{
	MPI_File f = file_new(p);
	MPI_Status s;
	int n = 1 + rng_upto(&p->own, 50), x[50], y[50] = {0}, count;
	for (int i = 0; i < 50; i++)
		x[i] = p->rank * 100 + i;
	MPI_File_write_ordered(f, x, n, MPI_INT, &s);
	MPI_Get_count(&s, MPI_INT, &count);
	play_number(p, count);
	MPI_Offset where;
	MPI_Barrier(p->comm);
	MPI_File_get_position_shared(f, &where);
	play_number(p, where);
	MPI_Barrier(p->comm);
	MPI_File_seek_shared(f, 0, MPI_SEEK_SET);
	if (rng_coin(&p->shared)) {
		MPI_File_read_ordered(f, y, n, MPI_INT, &s);
	} else {
		MPI_File_read_ordered_begin(f, y, n, MPI_INT);
		MPI_File_read_ordered_end(f, y, &s);
	}
	play_bytes(p, y, sizeof y);
	MPI_Barrier(p->comm);
	MPI_File_seek_shared(f, 0, MPI_SEEK_SET);
	MPI_File_write_shared(f, x, 3, MPI_INT, &s);
	MPI_Barrier(p->comm);
	MPI_File_get_position_shared(f, &where);
	play_number(p, where);
	long long sum = 0;
	MPI_File_read_at(f, 0, y, 3, MPI_INT, &s);
	MPI_File_read_at_all(f, 0, y, 3, MPI_INT, &s);
	int *all = calloc(3 * p->n, sizeof(int));
	MPI_File_read_at(f, 0, all, 3 * p->n * 4, MPI_BYTE, &s);
	for (int i = 0; i < 3 * p->n; i++)
		sum += all[i];
	play_number(p, sum);
	free(all);
	MPI_Barrier(p->comm);
	MPI_File_close(&f);
}
