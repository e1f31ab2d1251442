/* debug.c: see debug.h. Debugging information (DWARF 5, "DWARF Debugging Information Format", and
 * its symbols) is read by libdw of elfutils, which finds what lies in files of its own
 * (/usr/lib/debug) too. */
#include "debug.h"

#include <stddef.h>

#if ORRERY_HAVE_DW
#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>

struct debug {
	Dwfl *session;
	Dwfl_Module *module;
	GElf_Addr bias; /* libdwfl moves a file that is not loaded */
};

int debug_supported(void)
{
	return 1;
}

struct debug *debug_open(const char *path)
{
	static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf,
	                                         .find_debuginfo = dwfl_standard_find_debuginfo,
	                                         .section_address = dwfl_offline_section_address};
	struct debug *l = calloc(1, sizeof *l);

	if (!l)
		return NULL;
	l->session = dwfl_begin(&callbacks);
	if (l->session)
		l->module = dwfl_report_offline(l->session, path, path, -1);
	if (l->module && dwfl_report_end(l->session, NULL, NULL) == 0 &&
	    dwfl_module_getelf(l->module, &l->bias))
		return l;
	debug_close(l);
	return NULL;
}

void debug_close(struct debug *l)
{
	if (!l)
		return;
	if (l->session)
		dwfl_end(l->session);
	free(l);
}

/* The unit of compilation that the address is of, or NULL: by the table of addresses
 * (.debug_aranges), else by asking each unit, as clang and the compilers that are made of it
 * (Intel's, AMD's) write no such table. */
static Dwarf_Die *unit_around(struct debug *l, GElf_Addr at, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dwfl_module_addrdie(l->module, at, bias);

	if (unit && dwarf_haspc(unit, at - *bias) > 0)
		return unit;
	unit = NULL;
	while ((unit = dwfl_module_nextcu(l->module, unit, bias)) &&
	       dwarf_haspc(unit, at - *bias) <= 0)
		;
	return unit;
}

/* The innermost function around the address, inlined ones too; NULL without debugging
 * information. */
static const char *function_around(Dwarf_Die *unit, Dwarf_Addr at)
{
	Dwarf_Die *scopes = NULL;
	int n = unit ? dwarf_getscopes(unit, at, &scopes) : 0;
	const char *name = NULL;

	for (int i = 0; i < n && !name; i++) {
		int tag = dwarf_tag(&scopes[i]);

		if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine)
			name = dwarf_diename(&scopes[i]);
	}
	free(scopes);
	return name;
}

int debug_find(struct debug *l, unsigned long long address, struct debug_place *out)
{
	GElf_Addr at = address + l->bias;
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = unit_around(l, at, &bias);
	Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, at - bias) : NULL;

	*out = (struct debug_place){.function = function_around(unit, at - bias)};
	if (!out->function)
		out->function = dwfl_module_addrname(l->module, at);
	if (line && dwarf_lineno(line, &out->line) == 0)
		out->file = dwarf_linesrc(line, NULL, NULL);
	if (out->line <= 0)
		out->file = NULL;
	return out->function || out->file;
}

#else

int debug_supported(void)
{
	return 0;
}

struct debug *debug_open(const char *path)
{
	(void)path;
	return NULL;
}

void debug_close(struct debug *l)
{
	(void)l;
}

int debug_find(struct debug *l, unsigned long long address, struct debug_place *out)
{
	(void)l, (void)address;
	*out = (struct debug_place){NULL, NULL, 0};
	return 0;
}
#endif
