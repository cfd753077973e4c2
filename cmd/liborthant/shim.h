/* What shim.c and problems.c share. */
#ifndef ORTHANT_SHIM_H
#define ORTHANT_SHIM_H

#include <signal.h>
#include <stdint.h>

#include "_cgo_export.h"

/* Not 0 in the child of a fork. */
extern volatile sig_atomic_t orthantinternal_forked;

/* Writes a text and returns the status. */
orthant_status orthantinternal_say(orthant_status status, const char *text, orthant_text *to);

/* Says that the process is a fork. */
orthant_status orthantinternal_refuse(orthant_text *error);

#define LEAVE_IF_FORKED(error) \
  if (orthantinternal_forked) return orthantinternal_refuse(error)

/* Calls the function of the same name in Go: its arguments in the order of the header, P of pointers and N of numbers. */
#define P(pointer) (uint64_t)(uintptr_t)(pointer)
#define N(number) (uint64_t)(int64_t)(number)
#define CALL(error, ...)                                        \
  LEAVE_IF_FORKED(error);                                       \
  uint64_t arguments[] = {__VA_ARGS__};                         \
  return (orthant_status)orthantinternal_call(__func__, arguments)

/* A place for a handle is empty unless the call succeeds. */
#define EMPTY(place) \
  if ((place) != NULL) *(place) = NULL

#endif
