/* lines.h: see lines.c. */
#ifndef ORRERY_CORE_LINES_H
#define ORRERY_CORE_LINES_H

/* Where the process is an interpreter of Python: it has streams of its own. */
void lines_of_python(void);

#endif
