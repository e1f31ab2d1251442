/* analyzer.h: included before every file by `make lint` only: tells the static analyser what err.h
 * says, that these return -1. */
#include "base/err.h"
#define err_set(...) ((err_set)(__VA_ARGS__), -1)
#define err_setv(...) ((err_setv)(__VA_ARGS__), -1)
#define err_at(...) ((err_at)(__VA_ARGS__), -1)
#define err_sys(...) ((err_sys)(__VA_ARGS__), -1)
#define err_nomem(...) ((err_nomem)(__VA_ARGS__), -1)
