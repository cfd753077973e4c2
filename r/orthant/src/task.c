/* Tasks: they are started, waited for in turns between which R handles Ctrl-C, and released. */

#include <stdlib.h>
#include <string.h>

#include "rorthant.h"

task *rorthant_task(SEXP handle) {
  task *t = TYPEOF(handle) == EXTPTRSXP ? R_ExternalPtrAddr(handle) : NULL;
  if (t == NULL) Rf_error("the result has been released");
  return t;
}

/* Ends a task: one still at work is cancelled and waited for, since it reads R's memory until then. */
static void release(SEXP handle) {
  task *t = R_ExternalPtrAddr(handle);
  if (t == NULL) return;
  if (t->result != NULL) rorthant_library()->result_free(t->result);
  if (t->quiet) rorthant_loud();
  R_ClearExternalPtr(handle);
  R_SetExternalPtrProtected(handle, R_NilValue);
  free(t);
}

SEXP C_release(SEXP handle) {
  release(handle);
  return R_NilValue;
}

SEXP C_task(void) {
  SEXP handle;
  task *t;
  rorthant_library();
  handle = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
  t = calloc(1, sizeof *t);
  if (t == NULL) Rf_error("there is no memory for a task");
  R_SetExternalPtrAddr(handle, t);
  R_RegisterCFinalizerEx(handle, release, FALSE);
  UNPROTECT(1);
  return handle;
}

SEXP rorthant_said(orthant_status status, const char *text, const char *phase, double share) {
  const char *names[] = {"status", "text", "phase", "share", ""};
  SEXP said = PROTECT(Rf_mkNamed(VECSXP, names));
  SET_VECTOR_ELT(said, 0, Rf_ScalarInteger(status));
  SET_VECTOR_ELT(said, 1, Rf_ScalarString(Rf_mkCharCE(text, CE_UTF8)));
  SET_VECTOR_ELT(said, 2, Rf_ScalarString(Rf_mkCharCE(phase == NULL ? "" : phase, CE_UTF8)));
  SET_VECTOR_ELT(said, 3, Rf_ScalarReal(share));
  UNPROTECT(1);
  return said;
}

static const char *words(SEXP text) { return text == R_NilValue ? NULL : CHAR(STRING_ELT(text, 0)); }

/* Begins a task of the given name. The inputs stay with the handle until the task is released. */
SEXP C_start(SEXP handle, SEXP name, SEXP method, SEXP count, SEXP parameters, SEXP inputs, SEXP model) {
  const library *with = rorthant_library();
  task *t = rorthant_task(handle);
  const char *what = words(name), *by = words(method), *object = words(parameters);
  int64_t number = (int64_t)Rf_asReal(count);
  char room[4096] = "";
  orthant_text error = {room, sizeof room, 0};
  const orthant_matrix *x = rorthant_inputs(t, inputs);
  orthant_status status;
  R_SetExternalPtrProtected(handle, inputs);
  rorthant_quiet();
  t->quiet = 1;
  if (strcmp(what, "embed") == 0)
    status = with->embed(by, object, x, &t->options, &t->result, &error);
  else if (strcmp(what, "factorize") == 0)
    status = with->factorize(by, number, object, x, &t->options, &t->result, &error);
  else if (strcmp(what, "cluster") == 0)
    status = with->cluster(by, number, object, x, &t->options, &t->result, &error);
  else if (strcmp(what, "neighbors") == 0)
    status = with->neighbors(number, object, x, &t->options, &t->result, &error);
  else if (strcmp(what, "transform") == 0)
    status = with->transform(rorthant_model(model), object, x, &t->options, &t->result, &error);
  else if (strcmp(what, "evaluate") == 0)
    status = with->evaluate(by, object, &t->evaluation, &t->options, &t->result, &error);
  else if (strcmp(what, "eigsh") == 0)
    status = with->eigsh_of(number, object, &t->eigsh, &t->options, &t->result, &error);
  else if (strcmp(what, "largest") == 0)
    status = with->largest_of(number, object, &t->largest, &t->options, &t->result, &error);
  else if (strcmp(what, "svds") == 0)
    status = with->svds_of(number, object, &t->svds, &t->options, &t->result, &error);
  else if (strcmp(what, "ldlt") == 0)
    status = with->ldlt_of(object, &t->ldlt, &t->options, &t->result, &error);
  else
    Rf_error("there is no task %s", what);
  return rorthant_said(status, room, NULL, 0);
}

/* Waits at most so long. An interrupt leaves this function by a jump, and the caller's on.exit releases the task. */
SEXP C_wait(SEXP handle, SEXP milliseconds) {
  char room[4096] = "", name[64] = "";
  orthant_text error = {room, sizeof room, 0}, phase = {name, sizeof name, 0};
  double share = 0;
  orthant_status status;
  R_CheckUserInterrupt();
  rorthant_sample();
  status = rorthant_library()->wait(rorthant_task(handle)->result, Rf_asInteger(milliseconds), &share, &phase, &error);
  return rorthant_said(status, room, name, share);
}
