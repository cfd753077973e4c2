/* What shim.c and problems.c share. */
#ifndef ORTHANT_SHIM_H
#define ORTHANT_SHIM_H

#include <signal.h>

#include "_cgo_export.h"

/* Not 0 in the child of a fork. */
extern volatile sig_atomic_t orthantinternal_forked;

/* Writes a text and returns the status. */
orthant_status orthantinternal_say(orthant_status status, const char *text, orthant_text *to);

/* Says that the process is a fork. */
orthant_status orthantinternal_refuse(orthant_text *error);

#define LEAVE_IF_FORKED(error) \
  if (orthantinternal_forked) return orthantinternal_refuse(error)

#endif
