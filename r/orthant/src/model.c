/* Models: handles that R's collector frees. */

#include "rorthant.h"

static void release(SEXP model) {
  orthant_model m = R_ExternalPtrAddr(model);
  if (m == NULL) return;
  rorthant_library()->model_free(m);
  R_ClearExternalPtr(model);
}

orthant_model rorthant_model(SEXP model) {
  orthant_model m = TYPEOF(model) == EXTPTRSXP ? R_ExternalPtrAddr(model) : NULL;
  if (m == NULL) Rf_error("the model is not of this session: keep models by save_model() and load_model(), not by saveRDS() or save()");
  return m;
}

static SEXP held(orthant_model m) {
  SEXP model = PROTECT(R_MakeExternalPtr(m, R_NilValue, R_NilValue));
  R_RegisterCFinalizerEx(model, release, FALSE);
  UNPROTECT(1);
  return model;
}

/* The model of a result, else list(status, text). */
SEXP C_model(SEXP handle) {
  char room[4096] = "";
  orthant_text error = {room, sizeof room, 0};
  orthant_model m = NULL;
  orthant_status status = rorthant_library()->model_of(rorthant_task(handle)->result, &m, &error);
  return status == ORTHANT_OK ? held(m) : rorthant_said(status, room, NULL, 0);
}

static orthant_status info(void *of, orthant_text *to, orthant_text *error) {
  return rorthant_library()->model_info(of, to, error);
}

SEXP C_model_info(SEXP model) { return rorthant_text(info, rorthant_model(model)); }

SEXP C_save(SEXP model, SEXP path) {
  char room[4096] = "";
  orthant_text error = {room, sizeof room, 0};
  orthant_status status = rorthant_library()->save(rorthant_model(model), R_ExpandFileName(Rf_translateChar(STRING_ELT(path, 0))), &error);
  return rorthant_said(status, room, NULL, 0);
}

SEXP C_load(SEXP path) {
  char room[4096] = "";
  orthant_text error = {room, sizeof room, 0};
  orthant_model m = NULL;
  orthant_status status = rorthant_library()->load(R_ExpandFileName(Rf_translateChar(STRING_ELT(path, 0))), &m, &error);
  return status == ORTHANT_OK ? held(m) : rorthant_said(status, room, NULL, 0);
}
