/* The solvers from C, and everything that a caller can do wrong with them. Prints what does
 * not hold and ends with the number of such lines. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orthant.h"

enum { N = 60 };

static int failures;
static char room[600];
static orthant_text error = {room, sizeof room, 0};

/* A string of N beads between walls: 2 on the diagonal and -1 next to it. */
static double data[3 * N];
static int32_t indices[3 * N];
static int32_t indptr[N + 1];

static void expect(const char *what, orthant_status got, orthant_status want, const char *phrase) {
  if (got != want || (want != ORTHANT_OK && strstr(room, phrase) == NULL)) {
    printf("%s: status %d where %d was expected, \"%s\" (\"%s\")\n", what, (int)got, (int)want, room, phrase);
    failures++;
  }
  memset(room, 0, sizeof room);
}

static void check(const char *what, int holds) {
  if (!holds) {
    printf("%s does not hold\n", what);
    failures++;
  }
}

static orthant_csr beads(void) {
  orthant_csr a = {data, indices, indptr, N, N, 0, ORTHANT_INT32, ORTHANT_FLOAT64};
  int32_t at = 0;
  int i, j;
  indptr[0] = 0;
  for (i = 0; i < N; i++) {
    for (j = i - 1; j <= i + 1; j++) {
      if (j < 0 || j >= N) continue;
      indices[at] = j;
      data[at++] = i == j ? 2 : -1;
    }
    indptr[i + 1] = at;
  }
  a.entries = at;
  return a;
}

static double eigenvalue(int j) { return 2 - 2 * cos(j * acos(-1.0) / (N + 1)); }

static int products;

static int multiply(void *user, int transposed, int64_t width, const double *x, double *y) {
  int64_t i, c;
  (void)transposed; /* it is symmetric */
  products++;
  for (i = 0; i < N; i++) {
    for (c = 0; c < width; c++) {
      double v = 2 * x[i * width + c];
      if (i > 0) v -= x[(i - 1) * width + c];
      if (i + 1 < N) v -= x[(i + 1) * width + c];
      y[i * width + c] = v;
    }
  }
  return user == NULL ? 0 : *(int *)user;
}

/* A diagonal matrix whose eigenvalues take very many products, each of them slow. */
static int endless(void *user, int transposed, int64_t width, const double *x, double *y) {
  int64_t i, n = N * 100;
  (void)user, (void)transposed;
  usleep(2000);
  for (i = 0; i < n * width; i++) y[i] = x[i] * exp(-20.0 * (double)(i / width) / (double)n);
  return 0;
}

static double column[N];

static void read_column(orthant_result r, const char *name, int64_t count) {
  orthant_buffer to = {column, count, 1, 1, ORTHANT_FLOAT64};
  expect(name, orthant_copy(r, name, &to, &error), ORTHANT_OK, "");
}

static void pairs(void) {
  orthant_csr a = beads();
  orthant_operator by = {N, N, multiply, NULL};
  orthant_eigsh_problem p = ORTHANT_EIGSH_PROBLEM;
  orthant_largest_problem top = ORTHANT_LARGEST_PROBLEM;
  orthant_svds_problem triplets = ORTHANT_SVDS_PROBLEM;
  orthant_matrix start = {column, N, 1, 1, ORTHANT_FLOAT64}, mass;
  orthant_result r = NULL;
  static double vectors[N * 3], twos[N];
  orthant_buffer to = {vectors, N, 3, 3, ORTHANT_FLOAT64};
  double next = 0;
  int i, j;
  p.a = &a;
  expect("eigsh", orthant_eigsh_of(3, "{\"seed\": 2}", &p, NULL, &r, &error), ORTHANT_OK, "");
  read_column(r, "eigenvalues", 3);
  for (j = 0; j < 3; j++) check("an eigenvalue", fabs(column[j] - eigenvalue(j + 1)) < 1e-12);
  expect("next", orthant_number(r, "next_eigenvalue", &next, &error), ORTHANT_OK, "");
  check("the next eigenvalue", fabs(next - eigenvalue(4)) < 1e-6);
  read_column(r, "residuals", 3);
  for (j = 0; j < 3; j++) check("a residual", column[j] < 1e-12);
  expect("vectors", orthant_copy(r, "vectors", &to, &error), ORTHANT_OK, "");
  for (i = 0; i < N; i++) check("the first vector", fabs(fabs(vectors[3 * i]) - sqrt(2.0 / (N + 1)) * sin((i + 1) * acos(-1.0) / (N + 1))) < 1e-10);
  orthant_result_free(r);

  for (i = 0; i < N; i++) twos[i] = 2, column[i] = vectors[3 * i];
  mass.data = twos, mass.rows = N, mass.cols = 1, mass.stride = 1, mass.type = ORTHANT_FLOAT64;
  p.m_dense = &mass, p.start = &start;
  expect("a mass and a start", orthant_eigsh_of(1, NULL, &p, NULL, &r, &error), ORTHANT_OK, "");
  read_column(r, "eigenvalues", 1);
  check("half the eigenvalue", fabs(column[0] - eigenvalue(1) / 2) < 1e-12);
  orthant_result_free(r);

  p.m_dense = NULL, p.start = NULL, p.a = NULL, p.a_products = top.a_products = triplets.a_products = &by;
  expect("products", orthant_eigsh_of(2, NULL, &p, NULL, &r, &error), ORTHANT_OK, "");
  read_column(r, "eigenvalues", 2);
  check("an eigenvalue by products", fabs(column[1] - eigenvalue(2)) < 1e-8 && products > 0);
  orthant_result_free(r);
  expect("largest", orthant_largest_of(2, NULL, &top, NULL, &r, &error), ORTHANT_OK, "");
  read_column(r, "eigenvalues", 2);
  check("the largest eigenvalue", fabs(column[0] - eigenvalue(N)) < 1e-8);
  orthant_result_free(r);
  expect("svds", orthant_svds_of(2, NULL, &triplets, NULL, &r, &error), ORTHANT_OK, "");
  read_column(r, "singular_values", 2);
  check("a singular value", fabs(column[1] - eigenvalue(N - 1)) < 1e-8);
  orthant_result_free(r);
}

/* What a factor of the beads does besides solving. Entry i, j >= i of the inverse is (i + 1)(N - j) / (N + 1). */
static void tools(orthant_result f) {
  static double entries[3 * N];
  orthant_csr a = beads();
  orthant_factor_problem w = ORTHANT_FACTOR_PROBLEM;
  orthant_matrix full = {column, N, 1, 1, ORTHANT_FLOAT64};
  orthant_buffer x = {column, N, 1, 1, ORTHANT_FLOAT64}, to = {entries, a.entries, 1, 1, ORTHANT_FLOAT64};
  orthant_result r = NULL;
  double sign = 0, before = 0, after = 0;
  int64_t rows = 0, cols = 0;
  int i;
  expect("slogdet", orthant_slogdet(f, &sign, &before, &error), ORTHANT_OK, "");
  check("the sign", sign == 1 && fabs(before - log(N + 1.0)) < 1e-12);
  for (i = 0; i < N; i++) column[i] = i == 0 || i == N - 1;
  expect("white", orthant_apply(f, "L^-1 P", &x, &error), ORTHANT_OK, "");
  expect("and solved", orthant_apply(f, "P^T L^-T", &x, &error), ORTHANT_OK, "");
  for (i = 0; i < N; i++) check("a solution in two steps", fabs(column[i] - 1) < 1e-12);
  expect("no such part", orthant_apply(f, "L U", &x, &error), ORTHANT_INVALID, "there is no part \"U\"");
  expect("no D", orthant_apply(f, "D", &x, &error), ORTHANT_INVALID, "LL");
  expect("no parts", orthant_apply(f, NULL, &x, &error), ORTHANT_INVALID, "the parts are NULL");
  expect("parts of nothing", orthant_apply(f, "L", NULL, &error), ORTHANT_INVALID, "x is NULL");
  expect("the diagonal of the inverse", orthant_inverse_of(f, NULL, NULL, NULL, &r, &error), ORTHANT_OK, "");
  read_column(r, "diagonal", N);
  for (i = 0; i < N; i++) check("an entry of it", fabs(column[i] - (i + 1.0) * (N - i) / (N + 1)) < 1e-12);
  orthant_result_free(r);
  expect("entries of the inverse", orthant_inverse_of(f, NULL, &a, NULL, &r, &error), ORTHANT_OK, "");
  expect("their values", orthant_copy(r, "data", &to, &error), ORTHANT_OK, "");
  check("the entry in row 0, column 1", fabs(entries[1] - (N - 1.0) / (N + 1)) < 1e-12);
  orthant_result_free(r);
  expect("parts", orthant_parts_of(f, NULL, NULL, &r, &error), ORTHANT_OK, "");
  expect("the order", orthant_shape(r, "order", &rows, &cols, NULL, &error), ORTHANT_OK, "");
  check("its length", rows == N && cols == 1);
  expect("there is no D", orthant_shape(r, "d_data", &rows, &cols, NULL, &error), ORTHANT_INVALID, "d_data");
  orthant_result_free(r);
  for (i = 0; i < N; i++) column[i] = i == 5 ? 2 : i == 6 ? -1 : 0;
  w.a_dense = &full;
  expect("a vector more", orthant_update_rank_of(f, NULL, &w, NULL, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  expect("a larger determinant", orthant_slogdet(f, NULL, &after, &error), ORTHANT_OK, "");
  check("that it is larger", after > before + 0.1);
  expect("and back", orthant_update_rank_of(f, "{\"subtract\": true}", &w, NULL, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  expect("the same", orthant_slogdet(f, NULL, &after, &error), ORTHANT_OK, "");
  check("that it is", fabs(after - before) < 1e-12);
  expect("too much", orthant_update_rank_of(f, "{\"subtract\": true}", &w, NULL, &r, &error), ORTHANT_NOT_DEFINITE, "the factor is as it was");
  column[50] = 1;
  expect("apart", orthant_update_rank_of(f, NULL, &w, NULL, &r, &error), ORTHANT_INVALID, "joins rows");
  expect("of nothing", orthant_inverse_of(NULL, NULL, NULL, NULL, &r, &error), ORTHANT_INVALID, "NULL");
}

static void factors(void) {
  orthant_csr a = beads();
  orthant_factor_problem p = ORTHANT_FACTOR_PROBLEM;
  orthant_result f = NULL, r = NULL;
  orthant_buffer x = {column, N, 1, 1, ORTHANT_FLOAT64};
  double value = 0;
  int i;
  p.a = &a;
  expect("cholesky", orthant_cholesky_of(NULL, &p, NULL, &f, &error), ORTHANT_OK, "");
  expect("log det", orthant_log_det(f, &value, &error), ORTHANT_OK, "");
  check("the determinant of beads", fabs(value - log(N + 1.0)) < 1e-12);
  for (i = 0; i < N; i++) column[i] = i == 0 || i == N - 1;
  expect("solve", orthant_solve(f, &x, &error), ORTHANT_OK, "");
  for (i = 0; i < N; i++) check("a solution of ones", fabs(column[i] - 1) < 1e-12);
  tools(f);
  expect("update", orthant_update_values_of(f, "{\"shift\": 1}", &p, NULL, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  expect("not definite", orthant_update_values_of(f, "{\"shift\": -1}", &p, NULL, &r, &error), ORTHANT_NOT_DEFINITE, "pivot");
  check("there is no result", r == NULL);
  expect("without a factor", orthant_solve(f, &x, &error), ORTHANT_NOT_DEFINITE, "no factor");
  expect("back", orthant_update_values_of(f, NULL, &p, NULL, &r, &error), ORTHANT_OK, "");
  expect("no factor", orthant_solve(r, &x, &error), ORTHANT_INVALID, "no factor");
  orthant_result_free(r);
  x.rows = 3;
  expect("three rows", orthant_solve(f, &x, &error), ORTHANT_INVALID, "of order 60");
  x.rows = N, x.type = ORTHANT_INT64;
  expect("whole numbers", orthant_solve(f, &x, &error), ORTHANT_INVALID, "int64");
  x.type = ORTHANT_FLOAT64, column[7] = NAN;
  expect("a NaN", orthant_solve(f, &x, &error), ORTHANT_INVALID, "row 7");
  expect("x is NULL", orthant_solve(f, NULL, &error), ORTHANT_INVALID, "x is NULL");
  expect("no place", orthant_log_det(f, NULL, &error), ORTHANT_INVALID, "NULL");
  expect("a factor that is NULL", orthant_update_values_of(NULL, NULL, &p, NULL, &r, &error), ORTHANT_INVALID, "NULL");
  orthant_result_free(f);
  expect("a freed factor", orthant_solve(f, &x, &error), ORTHANT_INVALID, "freed");
}

static void dominant(void) {
  orthant_csr a = beads();
  orthant_factor_problem p = ORTHANT_FACTOR_PROBLEM;
  orthant_result f = NULL;
  orthant_buffer x = {column, N, 1, 1, ORTHANT_FLOAT64};
  int64_t iterations = 0;
  double residual = 1;
  int i;
  p.a = &a;
  expect("a word", orthant_laplacian_of("{\"preconditioner\": \"none\"}", &p, NULL, &f, &error), ORTHANT_INVALID, "approximate cholesky");
  expect("laplacian", orthant_laplacian_of("{\"tolerance\": 1e-12, \"preconditioner\": \"approximate cholesky\"}", &p, NULL, &f, &error), ORTHANT_OK, "");
  for (i = 0; i < N; i++) column[i] = i == 0 || i == N - 1;
  expect("solve without a factor", orthant_solve_measured(f, &x, &iterations, &residual, &error), ORTHANT_OK, "");
  for (i = 0; i < N; i++) check("a solution of ones without a factor", fabs(column[i] - 1) < 1e-9);
  check("it is measured", iterations > 0 && residual < 1e-12);
  expect("neither is wanted", orthant_solve_measured(f, &x, NULL, NULL, &error), ORTHANT_OK, "");
  expect("no determinant", orthant_log_det(f, &residual, &error), ORTHANT_INVALID, "orthant_cholesky_of");
  x.rows = 3;
  expect("three rows without a factor", orthant_solve_measured(f, &x, NULL, NULL, &error), ORTHANT_INVALID, "of order 60");
  orthant_result_free(f);
  f = NULL, x.rows = N;
  expect("few iterations", orthant_laplacian_of("{\"iterations\": 2, \"preconditioner\": \"diagonal\"}", &p, NULL, &f, &error), ORTHANT_OK, "");
  for (i = 0; i < N; i++) column[i] = 1;
  expect("it has not converged", orthant_solve_measured(f, &x, &iterations, &residual, &error), ORTHANT_INVALID, "residual");
  orthant_result_free(f);
}

static void graphs(void) {
  static double lengths[] = {2, 0.5};
  static int64_t from[] = {0, 1, 2, 2, 2}, to[] = {1, 2}, sources[] = {2};
  static double found[4];
  static int64_t labels[4];
  orthant_csr g = {lengths, to, from, 4, 4, 2, ORTHANT_INT64, ORTHANT_FLOAT64};
  orthant_paths_problem p = ORTHANT_PATHS_PROBLEM;
  orthant_graph_problem q = ORTHANT_GRAPH_PROBLEM;
  orthant_result r = NULL;
  orthant_buffer paths = {found, 1, 4, 4, ORTHANT_FLOAT64}, parts = {labels, 4, 1, 1, ORTHANT_INT64};
  double count = 0;
  p.graph = q.graph = &g, p.sources = sources, p.sources_count = 1;
  expect("paths", orthant_shortest_paths_of(NULL, &p, NULL, &r, &error), ORTHANT_OK, "");
  expect("lengths", orthant_copy(r, "lengths", &paths, &error), ORTHANT_OK, "");
  check("the lengths", found[0] == 2.5 && found[1] == 0.5 && found[2] == 0 && isinf(found[3]));
  orthant_result_free(r);
  sources[0] = 4;
  expect("no such vertex", orthant_shortest_paths_of(NULL, &p, NULL, &r, &error), ORTHANT_INVALID, "vertex 4");
  p.sources_count = 0;
  expect("no sources", orthant_shortest_paths_of(NULL, &p, NULL, &r, &error), ORTHANT_INVALID, "at least one");
  p.sources = NULL;
  expect("components", orthant_connected_components_of(NULL, &q, NULL, &r, &error), ORTHANT_OK, "");
  expect("labels", orthant_copy(r, "labels", &parts, &error), ORTHANT_OK, "");
  check("the labels", labels[0] == 0 && labels[2] == 0 && labels[3] == 1);
  expect("count", orthant_number(r, "components", &count, &error), ORTHANT_OK, "");
  check("two components", count == 2);
  orthant_result_free(r);
  lengths[0] = lengths[1] = 1;
  expect("an asymmetric graph", orthant_spectral_init_of(1, NULL, &q, NULL, &r, &error), ORTHANT_INVALID, "not symmetric");
  {
    static double weights[] = {1, 1, 1, 1}, start[6];
    static int64_t all[] = {0, 1, 3, 4}, near[] = {1, 0, 2, 1};
    orthant_csr w = {weights, near, all, 3, 3, 4, ORTHANT_INT64, ORTHANT_FLOAT64};
    orthant_buffer to = {start, 3, 1, 1, ORTHANT_FLOAT64};
    q.graph = &w;
    expect("a start", orthant_spectral_init_of(1, "{\"scale\": \"umap\"}", &q, NULL, &r, &error), ORTHANT_OK, "");
    expect("coordinates", orthant_copy(r, "embedding", &to, &error), ORTHANT_OK, "");
    check("the ends of a path lie opposite", fabs(fabs(start[0]) - 10) < 1e-9 && fabs(start[0] + start[2]) < 1e-9 && fabs(start[1]) < 1e-9);
    orthant_result_free(r);
  }
  lengths[1] = -1;
  expect("a negative length", orthant_shortest_paths_of(NULL, &p, NULL, &r, &error), ORTHANT_INVALID, "length -1");
}

static void points(void) {
  static double x[] = {0, 1, 2, 10, 11, 12}, near[] = {1, 11}, draw[] = {0.5}, heavy[] = {1, 1, 4, 1, 1, 1}, found[2];
  orthant_matrix samples = {x, 6, 1, 1, ORTHANT_FLOAT64}, two = {near, 2, 1, 1, ORTHANT_FLOAT64}, one = {draw, 1, 1, 1, ORTHANT_FLOAT64},
                 weights = {heavy, 6, 1, 1, ORTHANT_FLOAT64};
  orthant_lloyd_problem p = ORTHANT_LLOYD_PROBLEM;
  orthant_nearest_problem q = ORTHANT_NEAREST_PROBLEM;
  orthant_buffer centers = {found, 2, 1, 1, ORTHANT_FLOAT64};
  orthant_result r = NULL;
  p.samples_dense = q.samples_dense = &samples, p.centers = q.queries_dense = &two, p.weights = &weights;
  expect("lloyd", orthant_lloyd_of("{\"iterations\": 5}", &p, NULL, &r, &error), ORTHANT_OK, "");
  expect("centers", orthant_copy(r, "centers", &centers, &error), ORTHANT_OK, "");
  check("the means of both clouds", found[0] == 1.5 && found[1] == 11);
  orthant_result_free(r);
  p.draws = &one;
  expect("centres and draws", orthant_lloyd_of(NULL, &p, NULL, &r, &error), ORTHANT_INVALID, "both centers and draws");
  p.centers = NULL, p.weights = NULL;
  expect("draws", orthant_lloyd_of("{\"iterations\": 5}", &p, NULL, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  p.draws = NULL;
  expect("neither", orthant_lloyd_of(NULL, &p, NULL, &r, &error), ORTHANT_INVALID, "without centers");
  expect("nearest", orthant_nearest_of(1, NULL, &q, NULL, &r, &error), ORTHANT_OK, "");
  expect("distances", orthant_copy(r, "distances", &centers, &error), ORTHANT_OK, "");
  check("queries among the samples", found[0] == 0 && found[1] == 0);
  orthant_result_free(r);
  q.queries_dense = NULL;
  expect("no queries", orthant_nearest_of(1, NULL, &q, NULL, &r, &error), ORTHANT_INVALID, "without the queries");
}

/* The functions that are kept until 2.0 give the same results as the others, and refuse fields that their solver does not take. */
static void old(void) {
  static double x[] = {0, 1, 2, 10, 11, 12}, near[] = {1, 11}, found[2];
  static int64_t source[] = {0};
  orthant_csr a = beads();
  orthant_matrix samples = {x, 6, 1, 1, ORTHANT_FLOAT64}, two = {near, 2, 1, 1, ORTHANT_FLOAT64};
  orthant_buffer to = {found, 2, 1, 1, ORTHANT_FLOAT64};
  orthant_problem p = ORTHANT_PROBLEM, q = ORTHANT_PROBLEM;
  orthant_result r = NULL, f = NULL;
  double value = 0;
  int32_t i;
  p.a = &a, p.start = &two;
  expect("largest", orthant_largest(2, NULL, &p, NULL, &r, &error), ORTHANT_INVALID, "largest: the problem has start, which it does not take");
  p.start = NULL, p.sources = source, p.sources_count = 1;
  expect("eigsh", orthant_eigsh(2, NULL, &p, NULL, &r, &error), ORTHANT_INVALID, "eigsh: the problem has sources");
  p.sources = NULL, p.sources_count = 0, p.struct_size--;
  expect("svds", orthant_svds(2, NULL, &p, NULL, &r, &error), ORTHANT_INVALID, "set it to sizeof(orthant_problem)");
  p.struct_size++;
  expect("two pairs", orthant_eigsh(2, NULL, &p, NULL, &r, &error), ORTHANT_OK, "");
  read_column(r, "eigenvalues", 2);
  check("an eigenvalue", fabs(column[1] - eigenvalue(2)) < 1e-12);
  orthant_result_free(r);
  expect("the largest", orthant_largest(1, NULL, &p, NULL, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  expect("triplets", orthant_svds(1, NULL, &p, NULL, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  expect("cholesky", orthant_cholesky(NULL, &p, NULL, &f, &error), ORTHANT_OK, "");
  orthant_result_free(f);
  expect("ldlt", orthant_ldlt(NULL, &p, NULL, &f, &error), ORTHANT_OK, "");
  expect("update", orthant_update_values(f, "{\"shift\": -1}", &p, NULL, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  orthant_result_free(f);
  for (i = 0; i < indptr[N]; i++) data[i] = 1;
  p.sources = source, p.sources_count = 1;
  expect("paths", orthant_shortest_paths(NULL, &p, NULL, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  p.sources = NULL, p.sources_count = 0;
  expect("components", orthant_connected_components(NULL, &p, NULL, &r, &error), ORTHANT_OK, "");
  expect("count", orthant_number(r, "components", &value, &error), ORTHANT_OK, "");
  check("one component", value == 1);
  orthant_result_free(r);
  expect("a start", orthant_spectral_init(1, NULL, &p, NULL, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  q.dense = &samples, q.start = &two;
  expect("lloyd", orthant_lloyd("{\"iterations\": 5}", &q, NULL, &r, &error), ORTHANT_OK, "");
  expect("centers", orthant_copy(r, "centers", &to, &error), ORTHANT_OK, "");
  check("the means", found[0] == 1 && found[1] == 11);
  orthant_result_free(r);
  q.start = NULL, q.m_dense = &two;
  expect("nearest", orthant_nearest(1, NULL, &q, NULL, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
}

static void misuse(void) {
  orthant_csr a = beads();
  orthant_operator by = {N, N, multiply, NULL};
  orthant_eigsh_problem p = ORTHANT_EIGSH_PROBLEM;
  orthant_options o = ORTHANT_OPTIONS;
  orthant_result r = (orthant_result)&failures;
  int ends = 5, flag = 1;
  p.a = &a;
  expect("no problem", orthant_eigsh_of(2, NULL, NULL, NULL, &r, &error), ORTHANT_INVALID, "problem is NULL");
  check("the result is NULL after an error", r == NULL);
  expect("no place for the result", orthant_eigsh_of(2, NULL, &p, NULL, NULL, &error), ORTHANT_INVALID, "result is NULL");
  p.struct_size = 0;
  expect("a problem without a size", orthant_eigsh_of(2, NULL, &p, NULL, &r, &error), ORTHANT_INVALID, "set it to sizeof(orthant_eigsh_problem)");
  p.struct_size = sizeof p;
  expect("as many pairs as rows", orthant_eigsh_of(N, NULL, &p, NULL, &r, &error), ORTHANT_INVALID, "60 eigenpairs requested");
  expect("inside the spectrum", orthant_eigsh_of(2, "{\"sigma\": 1, \"certified\": true}", &p, NULL, &r, &error), ORTHANT_INVALID, "below sigma = 1");
  expect("an unknown key", orthant_eigsh_of(2, "{\"sigmas\": 1}", &p, NULL, &r, &error), ORTHANT_INVALID, "did you mean \"sigma\"");
  expect("too little memory", orthant_eigsh_of(2, "{\"memory\": 1000}", &p, NULL, &r, &error), ORTHANT_NOMEM, "limit");
  indices[0] = N;
  expect("an index beyond", orthant_eigsh_of(2, NULL, &p, NULL, &r, &error), ORTHANT_INVALID, "row 0 has an entry in column 60");
  a = beads(), indices[1] = 0;
  expect("a place twice", orthant_eigsh_of(2, NULL, &p, NULL, &r, &error), ORTHANT_INVALID, "column 0 twice");
  a = beads(), data[1] = 4;
  expect("not symmetric", orthant_eigsh_of(2, NULL, &p, NULL, &r, &error), ORTHANT_INVALID, "row 0, column 1");
  a = beads(), p.a_products = &by;
  expect("two matrices", orthant_eigsh_of(2, NULL, &p, NULL, &r, &error), ORTHANT_INVALID, "give one of them");
  p.a = NULL, by.user = &ends;
  expect("products that end it", orthant_eigsh_of(2, NULL, &p, NULL, &r, &error), ORTHANT_CANCELED, "returned 5");
  by.multiply = NULL;
  expect("no function", orthant_eigsh_of(2, NULL, &p, NULL, &r, &error), ORTHANT_INVALID, "function is NULL");
  p.a = &a, p.a_products = NULL, o.cancel = &flag;
  expect("a flag that is up", orthant_eigsh_of(2, NULL, &p, &o, &r, &error), ORTHANT_CANCELED, "cancel");
  o.struct_size = 3;
  expect("options without a size", orthant_eigsh_of(2, NULL, &p, &o, &r, &error), ORTHANT_INVALID, "struct_size");
}

/* In the child of a fork every function returns at once. */
static void forks(void) {
  orthant_csr a = beads();
  orthant_eigsh_problem p = ORTHANT_EIGSH_PROBLEM;
  orthant_factor_problem q = ORTHANT_FACTOR_PROBLEM;
  orthant_result f = NULL, r = NULL;
  orthant_buffer x = {column, N, 1, 1, ORTHANT_FLOAT64};
  double value = 0;
  int status = 0;
  pid_t child;
  p.a = q.a = &a;
  expect("before the fork", orthant_cholesky_of(NULL, &q, NULL, &f, &error), ORTHANT_OK, "");
  fflush(stdout);
  child = fork();
  if (child == 0) {
    alarm(20); /* a hang is a failure */
    failures = 0;
    expect("eigsh in a fork", orthant_eigsh_of(2, NULL, &p, NULL, &r, &error), ORTHANT_FORKED, "spawn");
    expect("solve in a fork", orthant_solve(f, &x, &error), ORTHANT_FORKED, "fork");
    expect("log det in a fork", orthant_log_det(f, &value, &error), ORTHANT_FORKED, "fork");
    fflush(stdout);
    _exit(failures != 0);
  }
  waitpid(child, &status, 0);
  check("the fork ends well", WIFEXITED(status) && WEXITSTATUS(status) == 0);
  orthant_result_free(f);
}

/* A solver goes on in the background, and ends when it is asked to. */
static void background(void) {
  orthant_csr a = beads();
  orthant_eigsh_problem p = ORTHANT_EIGSH_PROBLEM;
  orthant_options o = ORTHANT_OPTIONS;
  orthant_result r = NULL;
  orthant_operator by = {N * 100, N * 100, endless, NULL};
  p.a = &a, o.patience = 10000;
  expect("in time", orthant_eigsh_of(2, NULL, &p, &o, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  p.a = NULL, p.a_products = &by, o.patience = 1;
  expect("still at work", orthant_eigsh_of(2, NULL, &p, &o, &r, &error), ORTHANT_BUSY, "still at work");
  expect("no arrays yet", orthant_shape(r, "vectors", NULL, NULL, NULL, &error), ORTHANT_BUSY, "wait");
  expect("cancel", orthant_cancel(r, &error), ORTHANT_OK, "");
  expect("the end", orthant_wait(r, 60000, NULL, NULL, &error), ORTHANT_CANCELED, "cancel");
  orthant_result_free(r);
}

int main(void) {
  pairs();
  factors();
  dominant();
  graphs();
  points();
  misuse();
  old();
  background();
  forks();
  printf("%d failures\n", failures);
  return failures != 0;
}
