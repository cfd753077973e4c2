/* Loads liborthant when it is first used, so that a process may load the package, fork, and
 * use it in the children: a library of Go does not work in the fork of a process that loaded it. */

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "rorthant.h"

/* The threads of Go inherit the mask of the thread that loads the library. With these signals blocked they
 * are delivered to R's own thread alone, whose handlers neither expect another thread nor the small
 * stack of one. Go unblocks what it needs by itself. */
static void *quietly_loaded(const char *path) {
  sigset_t all, before;
  static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
  size_t i;
  void *loaded;
  sigfillset(&all);
  for (i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  loaded = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return loaded;
}

/* The library of $ORTHANT_LIB, a folder, else the one that was found when the package was installed. */
static void place(char *path, size_t size) {
  const char *folder = getenv("ORTHANT_LIB");
  if (folder != NULL && folder[0] != 0)
    snprintf(path, size, "%s/liborthant.so.1", folder);
  else
    snprintf(path, size, "%s", ORTHANT_LIBRARY);
}

static void *function(void *loaded, const char *name, const char *path) {
  char full[64];
  void *found;
  snprintf(full, sizeof full, "orthant_%s", name);
  found = dlsym(loaded, full);
  if (found == NULL) Rf_error("%s has no function %s: build library and package from one version", path, full);
  return found;
}

/* ISO C has no conversion from void * to a function: its bytes are copied. */
#define FIND(name)                                   \
  do {                                               \
    void *found = function(loaded, #name, path);     \
    memcpy(&with.name, &found, sizeof found);        \
  } while (0)

const library *rorthant_library(void) {
  static library with;
  static int ready;
  char path[4096];
  void *loaded;
  if (ready) return &with;
  place(path, sizeof path);
  loaded = quietly_loaded(path);
  if (loaded == NULL)
    Rf_error("liborthant cannot be loaded (%s): build it by 'make lib', and name its folder by the environment variable ORTHANT_LIB", dlerror());
  FIND(abi_version);
  if (with.abi_version() != ORTHANT_ABI)
    Rf_error("%s has ABI %d where this package needs %d: build both from one version", path, with.abi_version(), ORTHANT_ABI);
  FIND(info);
  FIND(methods);
  FIND(explain);
  FIND(embed);
  FIND(factorize);
  FIND(cluster);
  FIND(neighbors);
  FIND(transform);
  FIND(evaluate);
  FIND(eigsh_of);
  FIND(largest_of);
  FIND(svds_of);
  FIND(ldlt_of);
  FIND(solve);
  FIND(log_det);
  FIND(wait);
  FIND(shape);
  FIND(copy);
  FIND(number);
  FIND(report);
  FIND(result_free);
  FIND(model_of);
  FIND(model_info);
  FIND(save);
  FIND(load);
  FIND(model_free);
  ready = 1;
  return &with;
}

/* The numbers of statuses that R asks about. */
SEXP C_flags(void) {
  const char *names[] = {"ok", "not_converged", "busy", ""};
  SEXP flags = PROTECT(Rf_mkNamed(INTSXP, names));
  INTEGER(flags)[0] = ORTHANT_OK;
  INTEGER(flags)[1] = ORTHANT_NOT_CONVERGED;
  INTEGER(flags)[2] = ORTHANT_BUSY;
  UNPROTECT(1);
  return flags;
}
