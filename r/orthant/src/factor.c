/* Factors: results that stay, and solve. */

#include <string.h>

#include "rorthant.h"

/* Lets go of what a task that has ended was given, so that its result may stay as long as R holds the handle. */
SEXP C_keep(SEXP handle) {
  task *t = rorthant_task(handle);
  if (t->quiet) rorthant_loud();
  t->quiet = 0;
  R_SetExternalPtrProtected(handle, R_NilValue);
  return R_NilValue;
}

/* The solutions for the columns of b, a matrix of numbers. */
SEXP C_solve(SEXP handle, SEXP b) {
  char room[1024] = "";
  orthant_text error = {room, sizeof room, 0};
  int rows = Rf_nrows(b), cols = Rf_ncols(b), i, j;
  SEXP out = PROTECT(Rf_allocMatrix(REALSXP, rows, cols));
  const double *from = REAL(b);
  double *to = REAL(out), *x = to;
  orthant_status status;
  if (cols > 1 && rows > 0) x = (double *)R_alloc((size_t)rows * cols, sizeof(double)); /* by rows */
  for (i = 0; i < rows; i++)
    for (j = 0; j < cols; j++) x[(size_t)i * cols + j] = from[(size_t)j * rows + i];
  {
    orthant_buffer buffer = {x, rows, cols, cols, ORTHANT_FLOAT64};
    status = rorthant_library()->solve(rorthant_task(handle)->result, &buffer, &error);
  }
  if (status != ORTHANT_OK) {
    UNPROTECT(1);
    return rorthant_said(status, room, NULL, 0);
  }
  if (x != to)
    for (i = 0; i < rows; i++)
      for (j = 0; j < cols; j++) to[(size_t)j * rows + i] = x[(size_t)i * cols + j];
  UNPROTECT(1);
  return out;
}

SEXP C_log_det(SEXP handle) {
  double value = NA_REAL;
  char room[1024] = "";
  orthant_text error = {room, sizeof room, 0};
  orthant_status status = rorthant_library()->log_det(rorthant_task(handle)->result, &value, &error);
  return status == ORTHANT_OK ? Rf_ScalarReal(value) : rorthant_said(status, room, NULL, 0);
}
