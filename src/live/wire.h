/* wire.h: what the simulator and the processes of a live program share: one segment of memory.
 *
 *   head | channels, one per rank, each with its ring | heap of blocks
 *
 * A rank writes operations into its ring; nobody waits for that. An operation that ASKS makes it
 * wait for the answer, and the simulator reads what is in the ring when it wants to know how the
 * rank goes on. So a process switch costs only what needs an answer.
 *
 *   rank:  op_begin .. op_commit (head moves) --asks--> bell rings at the simulator; waits on its
 *          group's bell until `answered` is the number of what it asked
 *   simulator: reads from tail to head; ring empty: waits on its bell of this rank; answer written:
 *          `answered` moves, rings the bell of its group: once for all who were answered
 *
 * Payload travels in blocks of the heap: who fills a block says so in an operation or an answer,
 * whose reader owns it from then on, and gives it back to the rank that made it (block_free).
 *
 * Invariants
 *  1. `head` is written by the rank alone, `tail` and the answer by the simulator alone.
 *  2. An operation lies in one piece: WIRE_SKIP fills the end of the ring.
 *  3. Places are offsets in the segment, never addresses: each process maps it elsewhere.
 *  4. While the simulator works for a rank that asked, that rank writes nothing.
 */
#ifndef ORRERY_LIVE_WIRE_H
#define ORRERY_LIVE_WIRE_H

#include <stdatomic.h>
#include <stdint.h>

enum {
	WIRE_MAGIC = 0x4f525259,
	WIRE_VERSION = 10,
	WIRE_RING = 1 << 15,   /* bytes of a ring */
	WIRE_INLINE = 1 << 10, /* lists longer than this are in a block */
	WIRE_DONES = 12,       /* completions in an answer; more: in a block */
	WIRE_CLASSES = 40,     /* block sizes: powers of two from 64 bytes on */
	WIRE_CLASS_FIRST = 6,
	WIRE_LINE = 64,
	WIRE_GROUP = 32, /* ranks whose bells are one futex */
};
/* Environment of a rank. */
#define WIRE_ENV_SEGMENT "ORRERY_LIVE" /* a path to open */
#define WIRE_ENV_RANK "ORRERY_LIVE_RANK"
#define WIRE_ENV_WORLD "ORRERY_LIVE_WORLD" /* of a spawned one: its struct wire_world:appnum */

/* World ranks and tags as mp has them. */
enum { WIRE_ANY = -1, WIRE_NOBODY = -2 };
#define WIRE_NONE 0xffffffffu /* no request, no communicator */
#define WIRE_SELF 0xfffffffeu /* MPI_COMM_SELF */

enum wire_kind {
	WIRE_SKIP,
	WIRE_INIT,     /* the program is in MPI from here on; a: enum wire_family */
	WIRE_FINALIZE, /* and out of it */
	WIRE_ABORT,    /* a: the code; text */
	WIRE_COMPUTE,  /* only what was computed */
	WIRE_SLEEP,    /* x: seconds; a: 1: other threads, or what is no call of MPI, may go on */
	WIRE_CLOCK,    /* asks for the date; x: seconds that pass; a: 1: a clock was read */
	/* point-to-point: struct wire_message */
	WIRE_SEND,
	WIRE_ISEND,
	WIRE_SEND_INIT,
	WIRE_RECV,
	WIRE_IRECV,
	WIRE_RECV_INIT,
	WIRE_SENDRECV, /* two of them */
	WIRE_PROBE,
	WIRE_IPROBE,
	WIRE_MPROBE,
	WIRE_IMPROBE,
	WIRE_MRECV, /* message.block: number of the matched message */
	WIRE_IMRECV,
	WIRE_PSEND_INIT, /* message.partitions of message.bytes each; block: all of them */
	WIRE_PRECV_INIT,
	WIRE_PREADY,   /* a: request; list of partitions, int64_t */
	WIRE_PARRIVED, /* a: request, b: partition; flag: it is there */
	/* requests: list of numbers, or of struct wire_start */
	WIRE_START,
	WIRE_WAIT, /* mode: enum wire_wait */
	WIRE_TEST,
	WIRE_REQUEST_FREE, /* a */
	WIRE_CANCEL,       /* a */
	WIRE_BUFFER_DETACH,
	WIRE_BUFFER_IFLUSH, /* a */
	WIRE_BUFFER_FILL,   /* done[0].bytes: of messages of more than a bytes in the buffer */
	/* communicators */
	WIRE_COMM_AGREE, /* struct wire_agree, then data: all members give bytes and get everybody's
	                  */
	/* a: the number that the rank gives it; mode 1: no call of the program makes or frees it;
	 * struct wire_comm, then members */
	WIRE_COMM_MAKE,
	WIRE_COMM_FREE,  /* a */
	WIRE_COMM_CART,  /* a; list: dims, then periods */
	WIRE_COMM_GRAPH, /* a; b: sources; list: sources, then destinations */
	WIRE_COLL, /* struct wire_coll, then counts; mode BESIDE: it has a request, and yet its call
	              blocks: a thread's */
	/* windows and files, each as mp has it */
	WIRE_WIN_MAKE,  /* a: communicator; value: the window */
	WIRE_RMA,       /* struct wire_rma */
	WIRE_WIN_SYNC,  /* a: window, mode: enum mp_win_sync, b: target */
	WIRE_WIN_GROUP, /* a: window, b: 1: post; list: world ranks */
	WIRE_FILE_OPEN, /* a: communicator, or WIRE_NONE: alone; n, list: the name; value: the file
	                 */
	WIRE_FILE_ACCESS, /* struct wire_access */
	WIRE_FILE_SYNC,   /* a */
	WIRE_FILE_CLOSE,  /* a */
	WIRE_FILE_UNLINK, /* n, list: the name */
	/* dynamic processes */
	WIRE_SPAWN,   /* struct wire_spawn; list: n world ranks, then how many of each item; value:
	                 the number of their world */
	WIRE_PORT,    /* a: what value said, if it looks again; b: 1: connects; struct wire_port;
	                 list: what the other side brought, n bytes; value: the meeting's number */
	WIRE_LEFT,    /* with --checks, at the end: n of struct wire_left */
	WIRE_STACK,   /* with --checks: a: its number, from 1 on; list: return addresses, uint64_t,
	                 the innermost first. No call of its own. */
	WIRE_SERVICE, /* b: enum wire_name; struct wire_text: the service, the port */
	WIRE_WRONG,   /* with --checks: struct wire_wrong. No call of its own, as TOUCH is none: */
	WIRE_TOUCH,   /* struct wire_touch, behind a WIRE_RMA */
	WIRE_KINDS
};

enum wire_flag {
	WIRE_ASKS = 1,    /* the rank waits for the answer */
	WIRE_PACKED = 2,  /* the type has gaps */
	WIRE_LISTED = 4,  /* the list is in the block `list`, not behind the operation */
	WIRE_RESTS = 8,   /* nonblocking: has a request */
	WIRE_BEGINS = 16, /* the first operation of a call of MPI */
	WIRE_LENT = 32, /* of coroutines: `list` is an address, and all who name it mean the same */
	WIRE_TIMED = 64 /* the program has read the clock since the operation before */
};
enum wire_mode { WIRE_STANDARD, WIRE_SYNCHRONOUS, WIRE_BUFFERED, WIRE_READY };
enum wire_wait { WIRE_ONE, WIRE_ALL, WIRE_SOME_ONE, WIRE_SOME };
enum { WIRE_CALL_NAME = 40 };
enum wire_family { WIRE_OTHER, WIRE_MPICH, WIRE_OPENMPI }; /* whose ABI the library has */
enum { WIRE_PEEK = 4 };                                    /* a test that completes nothing */

/* What every operation begins with; a multiple of 8 bytes long. */
struct wire_op {
	uint32_t size;
	uint8_t kind, flags, mode;
	uint8_t named;   /* its last WIRE_CALL_NAME bytes are what its call of MPI is called */
	double computed; /* volume since the last operation; 0: none */
	uint64_t site;   /* of the call, address in the program; 0: not known */
	uint64_t list;   /* block, if LISTED */
	uint32_t a, b;
	uint32_t n;      /* elements of the list */
	uint32_t thread; /* who calls, 0: the first */
	double x;
	uint32_t stack; /* number of a WIRE_STACK before: from where the call is; 0: not told */
	uint32_t pad2;
};

/* One side of a message. */
struct wire_message {
	int32_t peer; /* world rank, WIRE_ANY, WIRE_NOBODY */
	int32_t tag;
	uint32_t comm;
	uint32_t request; /* number given by the rank; WIRE_NONE: blocks */
	uint64_t bytes;   /* receive: capacity */
	uint64_t block;   /* send: data, 0: none */
	uint32_t types;   /* enum coll_types: what the elements are */
	uint32_t partitions;
	int32_t trace_type; /* for the trace: number of a predefined type, or -1 */
	uint32_t element;   /* bytes of one element */
	uint64_t count;     /* elements */
};
struct wire_start {
	uint32_t request, pad;
	uint64_t block;
};

/* The members of a communicator tell each other something: mp_comm_agree. */
struct wire_agree {
	uint32_t comm;    /* over whose members; WIRE_NONE: those in the list */
	uint32_t what;    /* enum mp_agreement, or WIRE_FREE: takes no time */
	uint64_t key;     /* tells apart what is under way at once; 0: nothing is told */
	uint32_t request; /* non-blocking; WIRE_NONE: blocks */
	uint32_t n;       /* members given */
	uint64_t data;    /* block, 0: nothing is told */
	uint64_t bytes;   /* of it */
	uint32_t told;    /* WIRE_TOLD_ */
	uint32_t turn, leader, local, remote; /* BRIDGE: struct mp_bridge */
};
/* Of whom a member is told: of all, in their order; of those whose data begin with the same int32_t
 * as its own, in the order of the int32_t that follows, then of all; of nobody. */
enum { WIRE_TOLD_ALL, WIRE_TOLD_ALIKE, WIRE_TOLD_NOBODY };
/* In no time; TURN: and one after the other: what a rank is told of first was complete first.
 * BRIDGE: a turn of mp_comm_bridge. */
enum { WIRE_AGREE_NO_TIME = 100, WIRE_AGREE_TURN = 101, WIRE_AGREE_BRIDGE = 102 };
/* Modes of an agreement in no time: the rank is held until all have come, or looks whether they
 * have (flag), and looks again (a: what value said), as its other threads go on, or as something
 * else takes the time that all need to come; MEETS_AGAIN: is held now. */
enum { WIRE_MEETS, WIRE_LOOKS, WIRE_LOOKS_AGAIN, WIRE_MEETS_AGAIN };
enum { WIRE_BESIDE = 1 };
struct wire_comm {
	uint64_t key;
	uint32_t n, n_remote; /* world ranks follow: of the first group, of the second */
};

struct wire_coll {
	uint32_t comm, kind; /* enum coll_kind */
	uint32_t root;       /* COLL_ROOT, COLL_NO_ROOT */
	uint32_t request;    /* WIRE_NONE: blocks */
	int64_t count, count2, type_size, type_size2;
	uint32_t n_counts, n_counts2; /* which follow, int64_t */
	uint64_t send, recv;          /* blocks of packed data; 0: none */
	uint64_t send_bytes, recv_bytes;
	uint32_t op, element; /* the operator and what it is applied to (reduce.h) */
	uint32_t user; /* 1 + the rank's number of it, if the operator is the program's; or 0 */
	uint8_t commutative, in_place, basic_type, types;
	int32_t trace_type, trace_type2;
};

struct wire_rma {
	uint32_t win, kind; /* enum mp_rma */
	int32_t target;     /* world rank */
	uint32_t request;   /* WIRE_NONE: none */
	uint64_t bytes;
};
struct wire_spawn {
	uint64_t items;   /* block of struct wire_item, each with its strings behind it */
	uint64_t parents; /* block of the world ranks of the group that spawns */
	uint32_t bytes;   /* of all items */
	uint32_t n_items, n_parents, root; /* root: who spawns, of these */
};
struct wire_item {     /* behind it: folder, soft, words; each ends with a zero byte */
	uint32_t size; /* bytes, with its strings; a multiple of 8 */
	uint32_t count, words;
	uint32_t pad;
};
/* What spawned processes find out of themselves. Members and parents follow: world ranks. */
struct wire_world {
	uint32_t number, n, n_parents, root; /* root: of the parents */
	_Atomic uint32_t left;               /* members that have not read it */
};
struct wire_port {
	uint64_t name; /* what the port's name is mixed to */
	uint64_t data; /* a block for the other side */
	uint32_t bytes, pad;
};
/* Error classes of an answer, as mpi_abi.h has them. */
enum { WIRE_ERR_NAME = 38, WIRE_ERR_PORT = 43, WIRE_ERR_SERVICE = 51, WIRE_ERR_SPAWN = 53 };
enum wire_name { WIRE_PUBLISH, WIRE_UNPUBLISH, WIRE_LOOKUP };
struct wire_text {
	uint32_t n, m; /* bytes of the two texts that follow */
};
/* Objects of a kind that the rank made at one place and never freed. */
struct wire_left {
	uint64_t site;
	uint32_t kind; /* enum wire_left_kind */
	uint32_t n;
};
enum wire_left_kind {
	WIRE_LEFT_COMM = 1, /* as enum orr_kind of libmpi/objects/object.h */
	WIRE_LEFT_TYPE,
	WIRE_LEFT_OP,
	WIRE_LEFT_GROUP,
	WIRE_LEFT_INFO,
	WIRE_LEFT_ERRHANDLER,
	WIRE_LEFT_REQUEST,
	WIRE_LEFT_WIN,
	WIRE_LEFT_FILE,
	WIRE_LEFT_MESSAGE,
	WIRE_LEFT_SESSION,
	WIRE_LEFT_KINDS
};
/* What the library has found wrong with the program, in the call that op.site and op.stack name: a
 * buffer has changed before its operation was complete, or a thread may not call. */
enum wire_wrong_kind {
	WIRE_WRONG_SEND = 1,
	WIRE_WRONG_RECV,
	WIRE_WRONG_COLL, /* of: enum coll_kind */
	WIRE_WRONG_RMA,
	WIRE_WRONG_STRAY,   /* another thread than that of MPI_Init; of: enum wire_level */
	WIRE_WRONG_AT_ONCE, /* two threads at once; of: likewise */
	WIRE_WRONG_KINDS
};
/* Memory of a one-sided operation: pieces of the target's, then of the rank's own that it reads,
 * that it writes. */
enum { WIRE_RUNS = 64 };
struct wire_run {
	uint64_t from, to; /* addresses */
};
struct wire_touch {
	uint32_t win, kind; /* as in struct wire_rma */
	int32_t target;
	uint32_t n_target, n_read, n_written; /* of struct wire_run behind it */
};
/* What MPI_Init_thread has given. */
enum wire_level { WIRE_SINGLE, WIRE_FUNNELED, WIRE_SERIALIZED };
struct wire_wrong {
	uint64_t site;  /* where the operation began, */
	uint32_t stack; /* as in struct wire_op; 0: nowhere */
	uint32_t kind;  /* enum wire_wrong_kind */
	uint32_t of, pad;
};
struct wire_access {
	uint32_t file, way, write, request; /* way: enum mp_file_way */
	uint64_t bytes;
};

/* A request, a receive or a probe is complete. */
enum wire_done_flag { WIRE_CANCELLED = 1, WIRE_TRUNCATED = 2, WIRE_FOUND = 4 };
struct wire_done {
	uint32_t index; /* in the list given */
	uint32_t flags;
	int32_t source, tag;
	uint64_t bytes;
	uint64_t block; /* data received, 0: none */
};

/* What the simulator wants of a rank that waits. */
enum wire_command { WIRE_NO_COMMAND, WIRE_REDUCE };

enum wire_look { WIRE_NO_LOOK, WIRE_MISSED, WIRE_HIT };
struct wire_answer {
	double date;    /* simulated, s, */
	uint32_t early; /* which it is not yet: the rank was told before */
	int32_t error;  /* 0, or an error class of MPI */
	uint32_t flag;  /* of tests and probes */
	uint32_t look;  /* enum wire_look */
	double looked;  /* MISSED: what the look took, s; HIT: what those before it have taken since
	                   something had happened that they may have found */
	uint32_t value; /* comm, message */
	uint32_t n;
	uint64_t list; /* block of struct wire_done, or of data; 0: done[] */
	struct wire_done done[WIRE_DONES];
};

#define WIRE_REFUSAL 244
struct wire_order { /* with a command */
	uint32_t what;
	uint32_t user;         /* WIRE_REDUCE: the operator's number, */
	uint32_t element, pad; /* the type's */
	uint64_t in, inout;    /* blocks of packed data */
	uint64_t bytes;
	uint32_t ended;          /* the rank's answer: it cannot go on, */
	char text[WIRE_REFUSAL]; /* for this */
};

#define WIRE_FAULT_PATH 240
struct wire_code {                  /* an instruction: */
	uint64_t place;             /* in the file */
	char path[WIRE_FAULT_PATH]; /* as the kernel tells it; "": not known */
};
struct wire_fault { /* fault.c: what the rank did when a signal ended it */
	uint32_t rank, signal;
	uint32_t called; /* 1: `at` has called what had the fault, a function without a file or of
	                    the C library */
	uint32_t in_mpi; /* what had it moves data of a call of MPI */
	struct wire_code at, call; /* and from where that call, or the one before, was */
};

/* Why a rank that shares a process may have ended, where its channel has less_threads. */
#define WIRE_LESS_THREADS \
	" (MPI_Init_thread gave it MPI_THREAD_FUNNELED, less than it had asked for, as ranks " \
	"share a process: --hold processes gives what is asked for)"

struct wire_channel {
	/* the rank's */
	_Alignas(WIRE_LINE) _Atomic uint64_t head;
	_Atomic uint32_t asked; /* how many operations ASKed; even if it only waits for room */
	_Atomic uint32_t pid;   /* 0: not there yet */
	_Atomic uint32_t state; /* enum wire_state */
	uint64_t site; /* of the call of MPI that began last (as in struct wire_op), for faults */
	uint32_t less_threads; /* its level of threads is less than what the program asked for */
	/* s of this computer that other threads of the rank computed, long pieces alone, while one
	 * looked for messages */
	double beside;
	_Atomic uint64_t freed[WIRE_CLASSES];      /* blocks of this rank that others gave back */
	_Alignas(WIRE_LINE) _Atomic uint32_t bell; /* futex: the simulator waits on it, */
	_Atomic uint32_t watched;                  /* if this is set */
	_Atomic uint32_t full;                     /* the rank waits for room in its ring */
	_Atomic uint64_t overflow; /* the stack overflowed that had so many bytes; 0: none did */
	struct wire_fault fault;
	double volume; /* of computation in a second of this computer, once and for all; */
	double work;   /* and for a flop that the program tells; */
	double takes;  /* s that a volume of 1 takes there, if nobody disturbs; 0: not so simple */
	/* the simulator's */
	_Alignas(WIRE_LINE) _Atomic uint64_t tail;
	_Atomic uint32_t answered; /* of `asked` */
	_Atomic uint32_t command;
	_Atomic uint32_t passed; /* time went on while the rank was in the operating system */
	struct wire_order order;
	struct wire_answer answer;
	_Alignas(WIRE_LINE) unsigned char ring[WIRE_RING];
};
enum wire_state { WIRE_OUTSIDE, WIRE_INSIDE, WIRE_OVER };

enum wire_computation { WIRE_MEASURED, WIRE_COMPUTES_NOTHING };
struct wire_head {
	uint32_t magic, version;
	uint32_t ranks;     /* channels: those of the world, then those that may be spawned */
	uint32_t world;     /* how many begin at first */
	int32_t universe;   /* how many may be there at once, as the user said it; 0: not said */
	uint32_t simulator; /* pid */
	uint32_t computation;
	uint64_t channels; /* offset of the first, */
	uint64_t stride;   /* and from one to the next */
	uint64_t freed;    /* by class: the simulator's blocks that others gave back */
	uint64_t bells;    /* of groups of ranks, WIRE_LINE bytes apart: futexes */
	uint64_t hosts;    /* uint32_t by rank: the number of its host */
	uint64_t names;    /* char[WIRE_NAME] by rank: its host's name */
	uint64_t heap, heap_end;
	_Atomic uint64_t heap_top; /* what is above was never used */
	uint64_t payload;    /* a rank whose blocks out hold more than this waits when it sends */
	double thread_cores; /* what a rank's threads compute takes: 0: as the longest of them; -1:
	                        as the one that calls MPI; else shared by so many cores */
	double epoch;        /* date of the day at which the simulation begins, s */
	double reading;      /* s that a reading of the clock takes, besides what is measured */
	double tick;         /* ns of the time-stamp counter's, 0: it is no clock here */
	uint64_t checks;     /* ranks tell what they never freed */
	uint64_t bridge_turns; /* of MPI_Intercomm_create (mp_bridge_turns) */
};
enum { WIRE_NAME = 128 };

/* A block: its size class and its maker before its data. The simulator is rank `ranks`. */
struct wire_block {
	uint32_t owner, class;
	_Atomic uint64_t next; /* in a list of freed blocks */
	uint64_t sparse;       /* data begin with struct wire_pieces */
	_Atomic uint32_t more; /* owners beside the first one: each gives it back */
	uint32_t pad;          /* data are aligned for all types */
};

/* What of a message has values that matter, where memory is folded: between the pieces the receiver
 * keeps what it has. The data of those that are not zero follow, in order. */
struct wire_piece {
	uint64_t at, bytes; /* in the packed message */
	uint64_t zero;
};
struct wire_pieces {
	uint64_t n;
	struct wire_piece piece[];
};

struct wire_heap { /* of one process */
	struct wire_head *head;
	uint32_t owner;
	uint64_t free[WIRE_CLASSES]; /* first of a list, 0: none */
	_Atomic uint64_t *freed;     /* those that others gave back */
	uint64_t out;                /* bytes of blocks made and not come back */
};

static inline void *wire_at(const struct wire_head *h, uint64_t place)
{
	return (char *)(uintptr_t)h + place;
}
static inline struct wire_channel *wire_channel(const struct wire_head *h, uint32_t rank)
{
	return wire_at(h, h->channels + rank * h->stride);
}
static inline uint64_t wire_place(const struct wire_head *h, const void *p)
{
	return (uint64_t)((const char *)p - (const char *)h);
}
static inline struct wire_block *wire_block(const struct wire_head *h, uint64_t block)
{
	return (struct wire_block *)wire_at(h, block) - 1;
}

/* wire.c, which both sides compile. The bytes of the whole segment. */
uint64_t wire_size(uint32_t ranks, uint64_t heap);
/* A segment that is all zero becomes one for so many ranks. */
void wire_layout(struct wire_head *h, uint32_t ranks, uint64_t heap);
void wire_heap_init(struct wire_heap *heap, struct wire_head *h, uint32_t owner);
/* A block of so many bytes, or 0: the heap is full. */
uint64_t wire_block_new(struct wire_heap *heap, uint64_t bytes);
/* Whether this, which may be anything, is a block of so many bytes at least. */
int wire_block_holds(const struct wire_head *h, uint64_t block, uint64_t bytes);
/* One owner more of a block, which from then on nobody writes. */
void wire_block_share(const struct wire_head *h, uint64_t block);
/* By anybody; 0 is none, and nothing happens to what is no block. */
void wire_block_free(struct wire_heap *heap, uint64_t block);

/* Room for an operation of `size` bytes at the head, with what fills the end of the ring before it,
 * or NULL: the ring is full. *at: the head, which the operation moves on to when it is committed.
 */
struct wire_op *wire_op_room(struct wire_channel *c, uint64_t *at, uint32_t size);
/* The next operation, or NULL; to be given back with wire_op_done. One of no kind: the rank has
 * written what is none. */
const struct wire_op *wire_op_next(struct wire_channel *c);
void wire_op_done(struct wire_channel *c, const struct wire_op *op);

/* fault.c, likewise. In the handler of a signal, whose context that is: fills f but the rank and
 * the signal. */
void wire_fault_take(struct wire_fault *f, const void *context, uint64_t site);

/* Waits until *word is no longer `value`, at most `seconds`: -1 with errno if it still is. */
int wire_wait(_Atomic uint32_t *word, uint32_t value, double seconds);
void wire_wake(_Atomic uint32_t *word);
struct timespec;
/* A rank's bell is that of its group, so that one call wakes all whom it is for. The rank rests
 * until it rings: `seen` is what it said before the rank last looked whether there is a reason to
 * rest. -1: CLOCK_MONOTONIC has come to `until`. */
int wire_rest(_Atomic uint32_t *bell, uint32_t rank, uint32_t seen, const struct timespec *until);
/* Rings for the ranks of the group in the mask, one bit each (wire_group_bit). */
void wire_ring(_Atomic uint32_t *bell, uint32_t mask);
static inline _Atomic uint32_t *wire_bell(const struct wire_head *h, uint32_t rank)
{
	return wire_at(h, h->bells + (uint64_t)(rank / WIRE_GROUP) * WIRE_LINE);
}
static inline uint32_t wire_group_bit(uint32_t rank)
{
	return (uint32_t)1 << rank % WIRE_GROUP;
}

#endif
