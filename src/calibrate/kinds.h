/* kinds.h: files of measurements given to the wrong kind of calibration. */
#ifndef ORRERY_CALIBRATE_KINDS_H
#define ORRERY_CALIBRATE_KINDS_H

/* What the columns of a first line are measurements of, as the end of an error's text, with the
 * command that takes them: ": these are …". "": of nothing that is known. */
const char *kind_told(char *const *field, int fields);

#endif
