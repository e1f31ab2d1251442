/* info.c: infos (MPI 4.0, chapter 10). Keys keep the order in which they were first set. */
#include "info.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core.h"
#include "local.h"
#include "orr_mpi.h"

static struct orr_info *info_new(void)
{
	return orr_object_new(ORR_INFO, sizeof(struct orr_info));
}

void orr_info_drop(struct orr_info *info)
{
	if (!orr_object_drop(info))
		return;
	for (int i = 0; i < info->n; i++) {
		free(info->entry[i].key);
		free(info->entry[i].value);
	}
	free(info->entry);
	orr_object_end(info);
}

static struct orr_info_entry *entry_find(const struct orr_info *info, const char *key)
{
	for (int i = 0; i < info->n; i++)
		if (strcmp(info->entry[i].key, key) == 0)
			return &info->entry[i];
	return NULL;
}

const char *orr_info_find(const struct orr_info *info, const char *key)
{
	const struct orr_info_entry *e = info ? entry_find(info, key) : NULL;
	return e ? e->value : NULL;
}

static int entry_add(struct orr_info *info, const char *key, char *value)
{
	if (info->n == info->room) {
		int room = info->room ? 2 * info->room : 8;
		struct orr_info_entry *e = realloc(info->entry, (size_t)room * sizeof *e);
		if (!e)
			return MPI_ERR_NO_MEM;
		info->entry = e;
		info->room = room;
	}
	char *copy = strdup(key);
	if (!copy)
		return MPI_ERR_NO_MEM;
	info->entry[info->n++] = (struct orr_info_entry){copy, value};
	return MPI_SUCCESS;
}

int orr_info_put(struct orr_info *info, const char *key, const char *value)
{
	char *copy = strdup(value);
	if (!copy)
		return MPI_ERR_NO_MEM;
	struct orr_info_entry *e = entry_find(info, key);
	if (e) {
		free(e->value);
		e->value = copy;
		return MPI_SUCCESS;
	}
	int code = entry_add(info, key, copy);
	if (code)
		free(copy);
	return code;
}

struct orr_info *orr_info_copy(const struct orr_info *from)
{
	struct orr_info *to = info_new();
	for (int i = 0; to && from && i < from->n; i++)
		if (orr_info_put(to, from->entry[i].key, from->entry[i].value)) {
			orr_info_drop(to);
			to = NULL;
		}
	return to;
}

int orr_object_info_set(struct orr_object *o, MPI_Info info)
{
	return orr_object_info_set_known(o, info, "");
}

int orr_object_info_set_known(struct orr_object *o, MPI_Info info, const char *prefix)
{
	if (info == MPI_INFO_NULL)
		return MPI_SUCCESS;
	const struct orr_info *from = orr_info_of(info);
	if (!from)
		return MPI_ERR_INFO;
	if (!o->info)
		o->info = info_new();
	if (!o->info)
		return MPI_ERR_NO_MEM;
	int code = MPI_SUCCESS;
	for (int i = 0; !code && i < from->n; i++)
		if (prefix ? strncmp(from->entry[i].key, prefix, strlen(prefix)) == 0
		           : entry_find(o->info, from->entry[i].key) != NULL)
			code = orr_info_put(o->info, from->entry[i].key, from->entry[i].value);
	return code;
}

int orr_object_info_get(const struct orr_object *o, MPI_Info *out)
{
	struct orr_info *copy = orr_info_copy(o->info);
	if (!copy)
		return MPI_ERR_NO_MEM;
	*out = orr_handle(copy);
	return MPI_SUCCESS;
}

/* --- the environment --- */

/* What /proc tells of the command, with blanks between the arguments. */
static void own_command(char *command, size_t room, char *arguments, size_t more)
{
	char line[4096], *const *words = orr_core_words();
	if (words) {
		snprintf(command, room, "%s", words[0]);
		arguments[0] = 0;
		for (size_t at = 0, i = 1; words[i] && at + strlen(words[i]) + 2 < more; i++)
			at += (size_t)snprintf(arguments + at, more - at, at ? " %s" : "%s",
			                       words[i]);
		return;
	}
	ssize_t n = readlink("/proc/self/exe", command, room - 1);
	command[n > 0 ? n : 0] = 0;
	arguments[0] = 0;
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	n = fd < 0 ? -1 : read(fd, line, sizeof line);
	if (fd >= 0)
		close(fd);
	size_t have = n > 0 ? (size_t)n : 0, first = strnlen(line, have) + 1;
	for (size_t i = first; i < have && i - first + 1 < more; i++) {
		arguments[i - first] = line[i] ? line[i] : i + 1 < have ? ' ' : '\0';
		arguments[i - first + 1] = 0;
	}
}

static int environment_fill(struct orr_info *info)
{
	char command[1024], arguments[MPI_MAX_INFO_VAL], folder[1024] = "", ranks[16];
	struct utsname machine;
	own_command(command, sizeof command, arguments, sizeof arguments);
	orr_core_attach(); /* the host is known before MPI_Init, too */
	int code = uname(&machine) ? MPI_SUCCESS : orr_info_put(info, "arch", machine.machine);
	if (!code)
		code = orr_info_put(info, "host", orr_core_host());
	if (!code && command[0])
		code = orr_info_put(info, "command", command);
	if (!code && arguments[0])
		code = orr_info_put(info, "argv", arguments);
	snprintf(ranks, sizeof ranks, "%d", orr_core_processes());
	if (!code)
		code = orr_info_put(info, "maxprocs", ranks);
	if (!code && getcwd(folder, sizeof folder))
		code = orr_info_put(info, "wdir", folder);
	return code;
}

int orr_infos_start(void)
{
	struct orr_info *info = info_new();
	if (!info)
		return MPI_ERR_NO_MEM;
	orr_predefine((uint32_t)(uintptr_t)MPI_INFO_ENV, info);
	return environment_fill(info);
}

/* --- the functions of MPI --- */

static int key_check(const char *key)
{
	size_t n = key ? strnlen(key, MPI_MAX_INFO_KEY) : 0;
	return n == 0 || n >= MPI_MAX_INFO_KEY ? MPI_ERR_INFO_KEY : MPI_SUCCESS;
}

int orr_Info_create(MPI_Info *info)
{
	struct orr_info *i = info_new();
	if (!i)
		return MPI_ERR_NO_MEM;
	*info = orr_handle(i);
	return MPI_SUCCESS;
}

int orr_Info_create_env(int argc, char *argv[], MPI_Info *info)
{
	(void)argc;
	(void)argv;
	int code = orr_Info_create(info);
	return code ? code : environment_fill(orr_info_of(*info));
}

int orr_Info_free(MPI_Info *info)
{
	struct orr_info *i = info ? orr_info_of(*info) : NULL;
	if (!i || orr_is_predefined(&i->o))
		return MPI_ERR_INFO;
	orr_handle_hide(i);
	orr_info_drop(i);
	*info = MPI_INFO_NULL;
	return MPI_SUCCESS;
}

int orr_Info_dup(MPI_Info info, MPI_Info *newinfo)
{
	const struct orr_info *from = orr_info_of(info);
	if (!from)
		return MPI_ERR_INFO;
	struct orr_info *to = orr_info_copy(from);
	if (!to)
		return MPI_ERR_NO_MEM;
	*newinfo = orr_handle(to);
	return MPI_SUCCESS;
}

int orr_Info_set(MPI_Info info, const char *key, const char *value)
{
	struct orr_info *i = orr_info_of(info);
	if (!i || orr_is_predefined(&i->o))
		return MPI_ERR_INFO;
	if (key_check(key))
		return MPI_ERR_INFO_KEY;
	if (!value || strnlen(value, MPI_MAX_INFO_VAL) >= MPI_MAX_INFO_VAL)
		return MPI_ERR_INFO_VALUE;
	return orr_info_put(i, key, value);
}

int orr_Info_delete(MPI_Info info, const char *key)
{
	struct orr_info *i = orr_info_of(info);
	if (!i || orr_is_predefined(&i->o))
		return MPI_ERR_INFO;
	if (key_check(key))
		return MPI_ERR_INFO_KEY;
	struct orr_info_entry *e = entry_find(i, key);
	if (!e)
		return MPI_ERR_INFO_NOKEY;
	free(e->key);
	free(e->value);
	i->n--;
	memmove(e, e + 1, (size_t)(i->entry + i->n - e) * sizeof *e);
	return MPI_SUCCESS;
}

int orr_Info_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag)
{
	const struct orr_info *i = orr_info_of(info);
	if (!i)
		return MPI_ERR_INFO;
	if (key_check(key))
		return MPI_ERR_INFO_KEY;
	if (valuelen < 0)
		return MPI_ERR_ARG;
	const char *found = orr_info_find(i, key);
	*flag = found != NULL;
	if (found) {
		size_t n = strnlen(found, (size_t)valuelen);
		memcpy(value, found, n);
		value[n] = 0; /* valuelen does not count the end: MPI 4.0, 10 */
	}
	return MPI_SUCCESS;
}

int orr_Info_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag)
{
	const struct orr_info *i = orr_info_of(info);
	if (!i)
		return MPI_ERR_INFO;
	if (key_check(key))
		return MPI_ERR_INFO_KEY;
	if (*buflen < 0)
		return MPI_ERR_ARG;
	const char *found = orr_info_find(i, key);
	*flag = found != NULL;
	if (!found)
		return MPI_SUCCESS;
	size_t whole = strlen(found) + 1;
	if (*buflen > 0) {
		size_t n = whole - 1 < (size_t)*buflen - 1 ? whole - 1 : (size_t)*buflen - 1;
		memcpy(value, found, n);
		value[n] = 0;
	}
	*buflen = (int)whole;
	return MPI_SUCCESS;
}

int orr_Info_get_valuelen(MPI_Info info, const char *key, int *valuelen, int *flag)
{
	const struct orr_info *i = orr_info_of(info);
	if (!i)
		return MPI_ERR_INFO;
	if (key_check(key))
		return MPI_ERR_INFO_KEY;
	const char *found = orr_info_find(i, key);
	*flag = found != NULL;
	if (found)
		*valuelen = (int)strlen(found);
	return MPI_SUCCESS;
}

int orr_Info_get_nkeys(MPI_Info info, int *nkeys)
{
	const struct orr_info *i = orr_info_of(info);
	if (!i)
		return MPI_ERR_INFO;
	*nkeys = i->n;
	return MPI_SUCCESS;
}

int orr_Info_get_nthkey(MPI_Info info, int n, char *key)
{
	const struct orr_info *i = orr_info_of(info);
	if (!i)
		return MPI_ERR_INFO;
	if (n < 0 || n >= i->n)
		return MPI_ERR_ARG;
	memcpy(key, i->entry[n].key, strlen(i->entry[n].key) + 1);
	return MPI_SUCCESS;
}
