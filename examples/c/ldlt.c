/* Counts the modes of a string of beads below a frequency, and solves at that frequency: a matrix that is not definite.
 *
 *     make lib
 *     cc -Icmd/liborthant -o ldlt examples/c/ldlt.c -Lbin/lib -lorthant -lm -Wl,-rpath,$PWD/bin/lib
 *     ./ldlt
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "orthant.h"

enum { N = 1000 };

/* Ends the program by the text of an error. */
static void need(orthant_status status, const orthant_text *error) {
  if (status == ORTHANT_OK) return;
  fprintf(stderr, "status %d: %s\n", (int)status, error->data);
  exit(1);
}

/* The second differences of N beads between fixed ends, in compressed rows. Returns the number of entries. */
static int64_t string(int64_t *indptr, int64_t *indices, double *data) {
  int64_t i, j, entries = 0;
  for (i = 0; i < N; i++) {
    indptr[i] = entries;
    for (j = i > 0 ? i - 1 : 0; j <= i + 1 && j < N; j++) {
      indices[entries] = j;
      data[entries++] = i == j ? 2 : -1;
    }
  }
  return indptr[N] = entries;
}

/* The largest entry of b - (A - shift I) x. */
static double residual(const double *x, const double *b, double shift) {
  double most = 0;
  int i;
  for (i = 0; i < N; i++) {
    double r = b[i] - (2 - shift) * x[i] + (i > 0 ? x[i - 1] : 0) + (i < N - 1 ? x[i + 1] : 0);
    most = fmax(most, fabs(r));
  }
  return most;
}

int main(void) {
  static int64_t indptr[N + 1], indices[3 * N];
  static double data[3 * N], b[N], x[N];
  char room[512];
  orthant_text error = {room, sizeof room, 0};
  orthant_csr a = {0};
  orthant_factor_problem problem = ORTHANT_FACTOR_PROBLEM;
  orthant_buffer sides = {x, N, 1, 1, ORTHANT_FLOAT64};
  orthant_result factor = NULL, told = NULL;
  double negative, bound, sign, size;
  int i;

  a.rows = a.cols = N;
  a.entries = string(indptr, indices, data);
  a.data = data;
  a.indices = indices;
  a.indptr = indptr;
  a.index_type = ORTHANT_INT64;
  a.type = ORTHANT_FLOAT64;
  problem.a = &a;
  for (i = 0; i < N; i++) x[i] = b[i] = i % 7 - 3;

  /* The eigenvalues of A below 1.5 are the negative ones of A - 1.5 I. */
  need(orthant_ldlt_of("{\"shift\": -1.5}", &problem, NULL, &factor, &error), &error);
  need(orthant_number(factor, "negative", &negative, &error), &error);
  need(orthant_number(factor, "bound", &bound, &error), &error);
  need(orthant_number(factor, "sign", &sign, &error), &error);
  need(orthant_log_det(factor, &size, &error), &error);
  need(orthant_solve(factor, &sides, &error), &error);
  printf("%.0f modes below 1.5, sure beyond %.0e of it\n", negative, bound);
  printf("determinant %s exp(%.6f)\n", sign < 0 ? "-" : "+", size);
  printf("residual %s\n", residual(x, b, 1.5) < 1e-10 ? "small" : "LARGE");

  /* Another shift: the same analysis, in the same memory. */
  need(orthant_update_values_of(factor, "{\"shift\": -3}", &problem, NULL, &told, &error), &error);
  need(orthant_number(told, "negative", &negative, &error), &error);
  printf("%.0f modes below 3\n", negative);
  orthant_result_free(told);
  orthant_result_free(factor);
  return 0;
}
