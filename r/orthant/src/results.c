/* What a task made, as R's matrices, numbers and texts. */

#include <limits.h>

#include "rorthant.h"

static SEXP numbers(orthant_result result, const char *name, int64_t rows, int64_t cols) {
  char room[1024] = "";
  orthant_text error = {room, sizeof room, 0};
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, (int)rows, (int)cols));
  double *to = REAL(out), *from = to;
  int64_t i, j;
  if (rows > 1 && cols > 1) from = (double *)R_alloc(rows * cols, sizeof(double)); /* rows, which are turned below */
  if (rows * cols > 0) {
    orthant_buffer buffer = {from, rows, cols, cols, ORTHANT_FLOAT64};
    orthant_status status = rorthant_library()->copy(result, name, &buffer, &error);
    if (status != ORTHANT_OK) {
      UNPROTECT(1);
      return rorthant_said(status, room, NULL, 0);
    }
  }
  if (from != to)
    for (i = 0; i < rows; i++)
      for (j = 0; j < cols; j++) to[j * rows + i] = from[i * cols + j];
  UNPROTECT(1);
  return out;
}

static SEXP wholes(orthant_result result, const char *name, int64_t rows, int64_t cols, int64_t offset) {
  char room[1024] = "";
  orthant_text error = {room, sizeof room, 0};
  SEXP out = PROTECT(Rf_allocMatrix(INTSXP, (int)rows, (int)cols));
  int *to = INTEGER(out);
  int64_t i, j, *from = (int64_t *)R_alloc(rows * cols + 1, sizeof(int64_t));
  if (rows * cols > 0) {
    orthant_buffer buffer = {from, rows, cols, cols, ORTHANT_INT64};
    orthant_status status = rorthant_library()->copy(result, name, &buffer, &error);
    if (status != ORTHANT_OK) {
      UNPROTECT(1);
      return rorthant_said(status, room, NULL, 0);
    }
  }
  for (i = 0; i < rows; i++)
    for (j = 0; j < cols; j++) {
      int64_t v = from[i * cols + j] + offset;
      if (v > INT_MAX || v <= INT_MIN) Rf_error("the array %s has %.0f, which is no integer of R", name, (double)v);
      to[j * rows + i] = (int)v;
    }
  UNPROTECT(1);
  return out;
}

/* An array by its name, NULL where the result has none. The offset is added to whole numbers. */
SEXP C_array(SEXP handle, SEXP name, SEXP offset) {
  orthant_result result = rorthant_task(handle)->result;
  const char *array = CHAR(STRING_ELT(name, 0));
  int64_t rows = 0, cols = 0;
  int32_t type = 0;
  if (rorthant_library()->shape(result, array, &rows, &cols, &type, NULL) != ORTHANT_OK) return R_NilValue;
  if (rows > INT_MAX || cols > INT_MAX) Rf_error("the array %s has more rows or columns than a matrix of R can have", array);
  if (type == ORTHANT_INT64) return wholes(result, array, rows, cols, Rf_asInteger(offset));
  return numbers(result, array, rows, cols);
}

SEXP C_number(SEXP handle, SEXP name) {
  double value = NA_REAL;
  rorthant_library()->number(rorthant_task(handle)->result, CHAR(STRING_ELT(name, 0)), &value, NULL);
  return Rf_ScalarReal(value);
}

SEXP rorthant_text(rorthant_writer writer, void *of) {
  char room[4096] = "";
  orthant_text error = {room, sizeof room, 0}, length = {NULL, 0, 0}, to;
  orthant_status status = writer(of, &length, &error);
  if (status == ORTHANT_OK) {
    to.size = length.needed;
    to.data = R_alloc(to.size, 1);
    status = writer(of, &to, &error);
  }
  if (status != ORTHANT_OK) return rorthant_said(status, room, NULL, 0);
  return Rf_ScalarString(Rf_mkCharCE(to.data, CE_UTF8));
}

static orthant_status report(void *of, orthant_text *to, orthant_text *error) {
  return rorthant_library()->report(of, to, error);
}

SEXP C_report(SEXP handle) { return rorthant_text(report, rorthant_task(handle)->result); }

static orthant_status methods(void *of, orthant_text *to, orthant_text *error) {
  return rorthant_library()->methods(to, error);
}

static orthant_status info(void *of, orthant_text *to, orthant_text *error) {
  return rorthant_library()->info(to, error);
}

static orthant_status explained(void *of, orthant_text *to, orthant_text *error) {
  return rorthant_library()->explain(of, to, error);
}

SEXP C_explain(SEXP message) { return rorthant_text(explained, (void *)CHAR(STRING_ELT(message, 0))); }

SEXP C_describe(SEXP of_methods) { return rorthant_text(Rf_asLogical(of_methods) ? methods : info, NULL); }
