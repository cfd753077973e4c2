/* What a task is given, read where it lies in R's memory.
 *
 * A matrix arrives as list(data, rows, cols), row after row, or compressed as list(data, indices, indptr,
 * rows, cols); whole numbers of 64 bits are the bytes of a raw vector (C_whole). */

#include <string.h>

#include "rorthant.h"

SEXP rorthant_entry(SEXP list, const char *name) {
  SEXP names = Rf_getAttrib(list, R_NamesSymbol);
  R_xlen_t i;
  for (i = 0; i < Rf_xlength(list) && names != R_NilValue; i++)
    if (strcmp(CHAR(STRING_ELT(names, i)), name) == 0) return VECTOR_ELT(list, i);
  return R_NilValue;
}

static int64_t whole(SEXP list, const char *name) { return (int64_t)Rf_asReal(rorthant_entry(list, name)); }

static const orthant_matrix *matrix(task *t, int *used, SEXP inputs, const char *name) {
  SEXP list = rorthant_entry(inputs, name), data;
  orthant_matrix *m;
  if (list == R_NilValue) return NULL;
  m = &t->matrices[(*used)++];
  data = rorthant_entry(list, "data");
  m->rows = whole(list, "rows");
  m->cols = whole(list, "cols");
  m->stride = m->cols;
  if (TYPEOF(data) == RAWSXP) {
    m->data = RAW(data);
    m->type = ORTHANT_INT64;
  } else {
    m->data = REAL(data);
    m->type = ORTHANT_FLOAT64;
  }
  return m;
}

static const orthant_csr *compressed(task *t, int *used, SEXP inputs, const char *name) {
  SEXP list = rorthant_entry(inputs, name);
  orthant_csr *a;
  if (list == R_NilValue) return NULL;
  a = &t->compressed[(*used)++];
  a->data = REAL(rorthant_entry(list, "data"));
  a->indices = INTEGER(rorthant_entry(list, "indices"));
  a->indptr = INTEGER(rorthant_entry(list, "indptr"));
  a->rows = whole(list, "rows");
  a->cols = whole(list, "cols");
  a->entries = Rf_xlength(rorthant_entry(list, "data"));
  a->index_type = ORTHANT_INT32;
  a->type = ORTHANT_FLOAT64;
  return a;
}

static const int64_t *classes(SEXP inputs, const char *name, int64_t *count) {
  SEXP list = rorthant_entry(inputs, name);
  if (list == R_NilValue) return NULL;
  *count = Rf_xlength(list) / 8;
  return (const int64_t *)RAW(list);
}

/* What orthant_evaluate takes; x is read as the samples of a task. */
static void measured(task *t, int *used, SEXP inputs) {
  orthant_evaluation evaluation = ORTHANT_EVALUATION;
  evaluation.embedding = matrix(t, used, inputs, "embedding");
  evaluation.truth = matrix(t, used, inputs, "truth");
  evaluation.w = matrix(t, used, inputs, "w");
  evaluation.h = matrix(t, used, inputs, "h");
  evaluation.labels = classes(inputs, "labels", &evaluation.labels_count);
  evaluation.predicted = classes(inputs, "predicted", &evaluation.predicted_count);
  evaluation.x = matrix(t, used, inputs, "x");
  t->evaluation = evaluation;
}

/* What the solvers take, the matrix in one of its forms. */
static void problems(task *t, int *matrices, int *sparse, SEXP inputs) {
  orthant_eigsh_problem eigsh = ORTHANT_EIGSH_PROBLEM;
  orthant_largest_problem largest = ORTHANT_LARGEST_PROBLEM;
  orthant_svds_problem svds = ORTHANT_SVDS_PROBLEM;
  orthant_factor_problem ldlt = ORTHANT_FACTOR_PROBLEM;
  eigsh.a = largest.a = svds.a = ldlt.a = compressed(t, sparse, inputs, "a");
  eigsh.a_dense = largest.a_dense = svds.a_dense = ldlt.a_dense = matrix(t, matrices, inputs, "dense");
  eigsh.m = compressed(t, sparse, inputs, "m");
  eigsh.m_dense = matrix(t, matrices, inputs, "m_dense");
  eigsh.null_vectors = matrix(t, matrices, inputs, "null");
  eigsh.start = matrix(t, matrices, inputs, "start_vectors");
  t->eigsh = eigsh;
  t->largest = largest;
  t->svds = svds;
  t->ldlt = ldlt;
}

const orthant_matrix *rorthant_inputs(task *t, SEXP inputs) {
  orthant_options options = ORTHANT_OPTIONS;
  int matrices = 0, sparse = 0;
  options.patience = 1;
  options.labels = classes(inputs, "labels", &options.labels_count);
  options.start = matrix(t, &matrices, inputs, "start");
  options.start_h = matrix(t, &matrices, inputs, "start_h");
  options.samples = compressed(t, &sparse, inputs, "samples");
  options.graph = compressed(t, &sparse, inputs, "graph");
  options.graph_indices = matrix(t, &matrices, inputs, "graph_indices");
  options.graph_distances = matrix(t, &matrices, inputs, "graph_distances");
  options.affinities = compressed(t, &sparse, inputs, "affinities");
  options.distances = matrix(t, &matrices, inputs, "distances");
  options.targets = matrix(t, &matrices, inputs, "targets");
  options.weights = matrix(t, &matrices, inputs, "weights");
  t->options = options;
  if (rorthant_entry(inputs, "a") != R_NilValue || rorthant_entry(inputs, "dense") != R_NilValue) {
    problems(t, &matrices, &sparse, inputs);
    return NULL;
  }
  measured(t, &matrices, inputs);
  return t->evaluation.x;
}

/* Turns a matrix of columns into one of rows, some columns at a time, whose parts stay in the cache. */
SEXP C_turn(SEXP x) {
  const R_xlen_t block = 32;
  R_xlen_t n = Rf_nrows(x), m = Rf_ncols(x), i, j, from, to;
  SEXP turned = PROTECT(Rf_allocVector(REALSXP, n * m));
  double *out = REAL(turned);
  for (from = 0; from < n; from += block) {
    to = from + block < n ? from + block : n;
    if (TYPEOF(x) == REALSXP) {
      const double *in = REAL(x);
      for (j = 0; j < m; j++)
        for (i = from; i < to; i++) out[i * m + j] = in[j * n + i];
    } else {
      const int *in = TYPEOF(x) == LGLSXP ? LOGICAL(x) : INTEGER(x);
      for (j = 0; j < m; j++)
        for (i = from; i < to; i++) out[i * m + j] = in[j * n + i] == NA_INTEGER ? NA_REAL : in[j * n + i];
    }
  }
  UNPROTECT(1);
  return turned;
}

/* Whole numbers as 64 bits, less an offset: R counts from one, the library from zero. */
SEXP C_whole(SEXP x, SEXP offset) {
  R_xlen_t n = Rf_xlength(x), i;
  int64_t less = (int64_t)Rf_asInteger(offset), *out;
  SEXP bytes;
  x = PROTECT(Rf_coerceVector(x, REALSXP));
  bytes = PROTECT(Rf_allocVector(RAWSXP, 8 * n));
  out = (int64_t *)RAW(bytes);
  for (i = 0; i < n; i++) out[i] = (int64_t)REAL(x)[i] - less;
  UNPROTECT(2);
  return bytes;
}
