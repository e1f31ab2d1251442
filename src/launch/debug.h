/* debug.h: which source line and function an address of a program file belongs to. */
#ifndef ORRERY_LAUNCH_DEBUG_H
#define ORRERY_LAUNCH_DEBUG_H

/* Either may not be known: NULL. Texts belong to the struct debug. */
struct debug_place {
	const char *function, *file;
	int line;
};

struct debug;
int debug_supported(void);                  /* was libdw there when this was built? */
struct debug *debug_open(const char *path); /* NULL: no such file, or nothing to be known of it */
void debug_close(struct debug *l);
/* address: as in the file's own headers. 1 if anything is known. */
int debug_find(struct debug *l, unsigned long long address, struct debug_place *out);

#endif
