/* Every function that counts, with numbers that are none, and with NULL in the place of every pointer. Prints what does
 * not hold and ends with the number of such lines. */
#include <stdio.h>
#include <string.h>

#include "orthant.h"

enum { N = 40, M = 6 };

static int failures;
static double x[N * M], a[M * M];
static char room[600];
static orthant_text error = {room, sizeof room, 0};
static orthant_matrix samples = {x, N, M, M, ORTHANT_FLOAT64}, square = {a, M, M, M, ORTHANT_FLOAT64};

static void refused(const char *what, long long with, orthant_status got, orthant_result r) {
  if (got != ORTHANT_INVALID || r != NULL || room[0] == 0) {
    printf("%s of %lld: status %d, \"%s\"\n", what, with, (int)got, room);
    failures++;
  }
  orthant_result_free(r);
  memset(room, 0, sizeof room);
}

static void counts(int64_t n) {
  orthant_eigsh_problem pairs = ORTHANT_EIGSH_PROBLEM;
  orthant_largest_problem top = ORTHANT_LARGEST_PROBLEM;
  orthant_svds_problem triplets = ORTHANT_SVDS_PROBLEM;
  orthant_graph_problem weights = ORTHANT_GRAPH_PROBLEM;
  orthant_nearest_problem queries = ORTHANT_NEAREST_PROBLEM;
  orthant_paths_problem paths = ORTHANT_PATHS_PROBLEM;
  orthant_csr graph = {a, NULL, NULL, M, M, n, ORTHANT_INT32, ORTHANT_FLOAT64};
  orthant_evaluation e = ORTHANT_EVALUATION;
  orthant_components runs = ORTHANT_COMPONENTS;
  orthant_options o = ORTHANT_OPTIONS;
  orthant_matrix s = samples;
  orthant_result r = NULL;
  int64_t two[] = {2}, labels[N] = {0};
  pairs.a_dense = top.a_dense = triplets.a_dense = &square, queries.samples_dense = queries.queries_dense = &samples;
  runs.components = &square;
#define TRY(what, call) r = NULL, refused(what, n, call, r)
  if (n != ORTHANT_AUTO) TRY("factorize", orthant_factorize("nmf", n, NULL, &s, NULL, &r, &error));
  TRY("learn", orthant_learn("nmf", n, "{\"solver\": \"minibatch\"}", &s, NULL, &r, &error));
  TRY("cluster", orthant_cluster("kmeans", n, NULL, &s, NULL, &r, &error));
  TRY("select", orthant_select("ds3", n, NULL, &s, NULL, &r, &error));
  TRY("neighbors", orthant_neighbors(n, NULL, &s, NULL, &r, &error));
  TRY("denoise", orthant_denoise(n, NULL, &s, NULL, &r, &error));
  TRY("runs", orthant_factorize_runs("nmf", two, 1, n, NULL, &s, NULL, &r, &error));
  TRY("ranks", orthant_factorize_runs("nmf", &n, 1, 2, NULL, &s, NULL, &r, &error));
  if (n < 1 || n > 1 << 20) TRY("as many ranks", orthant_factorize_runs("nmf", two, n, 2, NULL, &s, NULL, &r, &error));
  TRY("consensus", orthant_consensus(n, NULL, &runs, &s, NULL, &r, &error));
  TRY("eigsh", orthant_eigsh_of(n, NULL, &pairs, NULL, &r, &error));
  TRY("largest", orthant_largest_of(n, NULL, &top, NULL, &r, &error));
  TRY("svds", orthant_svds_of(n, NULL, &triplets, NULL, &r, &error));
  TRY("spectral_init", orthant_spectral_init_of(n, NULL, &weights, NULL, &r, &error));
  TRY("nearest", orthant_nearest_of(n, NULL, &queries, NULL, &r, &error));
  /* Lengths. */
  o.labels = labels, o.labels_count = n;
  TRY("labels", orthant_embed("lda", NULL, &s, &o, &r, &error));
  if (n != 0) {
    paths.graph = &graph, paths.sources = labels, paths.sources_count = n;
    TRY("sources", orthant_shortest_paths_of(NULL, &paths, NULL, &r, &error));
    e.labels = labels, e.labels_count = n, e.predicted = labels, e.predicted_count = N;
    TRY("classes", orthant_evaluate("nmi", NULL, &e, NULL, &r, &error));
    e.labels_count = N, e.predicted_count = n;
    TRY("predicted classes", orthant_evaluate("nmi", NULL, &e, NULL, &r, &error));
  }
  if (n < 1 || n == INT64_MAX) { /* of other numbers nobody knows that the memory is not there */
    s.rows = n;
    TRY("rows", orthant_embed("pca", NULL, &s, NULL, &r, &error));
    s = samples, s.cols = n;
    TRY("columns", orthant_embed("pca", NULL, &s, NULL, &r, &error));
    s = samples;
  }
  triplets.a_dense = NULL, triplets.a = &graph;
  TRY("entries", orthant_svds_of(2, NULL, &triplets, NULL, &r, &error));
  if (n != 0) {
    graph.entries = 0, graph.rows = n;
    TRY("rows of a sparse matrix", orthant_svds_of(2, NULL, &triplets, NULL, &r, &error));
  }
  if (orthant_set_num_threads(n, &error) == ORTHANT_OK ? n < 0 : n >= 0) {
    printf("%lld threads: \"%s\"\n", (long long)n, room);
    failures++;
  }
}

static void nulls(void) {
  orthant_eigsh_problem pairs = ORTHANT_EIGSH_PROBLEM;
  orthant_result r = NULL;
  orthant_model m = NULL;
  int64_t two[] = {2}, n = 0;
  pairs.a_dense = &square;
  n = 2;
  TRY("factorize without a method", orthant_factorize(NULL, n, NULL, &samples, NULL, &r, &error));
  TRY("learn without a method", orthant_learn(NULL, n, NULL, &samples, NULL, &r, &error));
  TRY("cluster without a method", orthant_cluster(NULL, n, NULL, &samples, NULL, &r, &error));
  TRY("select without a method", orthant_select(NULL, n, NULL, &samples, NULL, &r, &error));
  TRY("runs without a method", orthant_factorize_runs(NULL, two, 1, 2, NULL, &samples, NULL, &r, &error));
  TRY("runs without ranks", orthant_factorize_runs("nmf", NULL, 1, 2, NULL, &samples, NULL, &r, &error));
  TRY("evaluate without a metric", orthant_evaluate(NULL, NULL, NULL, NULL, &r, &error));
  TRY("evaluate nothing", orthant_evaluate("nmi", NULL, NULL, NULL, &r, &error));
  TRY("factorize nothing", orthant_factorize("nmf", n, NULL, NULL, NULL, &r, &error));
  TRY("cluster nothing", orthant_cluster("kmeans", n, NULL, NULL, NULL, &r, &error));
  TRY("neighbors of nothing", orthant_neighbors(n, NULL, NULL, NULL, &r, &error));
  TRY("denoise nothing", orthant_denoise(n, NULL, NULL, NULL, &r, &error));
  TRY("select nothing", orthant_select("ds3", n, NULL, NULL, NULL, &r, &error));
  TRY("learn nothing", orthant_learn("nmf", n, NULL, NULL, NULL, &r, &error));
  TRY("runs of nothing", orthant_factorize_runs("nmf", two, 1, 2, NULL, NULL, NULL, &r, &error));
  TRY("consensus of nothing", orthant_consensus(n, NULL, NULL, &samples, NULL, &r, &error));
  TRY("transform nothing", orthant_transform(NULL, NULL, &samples, NULL, &r, &error));
  TRY("eigsh of nothing", orthant_eigsh_of(n, NULL, NULL, NULL, &r, &error));
  TRY("largest of nothing", orthant_largest_of(n, NULL, NULL, NULL, &r, &error));
  TRY("svds of nothing", orthant_svds_of(n, NULL, NULL, NULL, &r, &error));
  TRY("spectral_init of nothing", orthant_spectral_init_of(n, NULL, NULL, NULL, &r, &error));
  TRY("lloyd of nothing", orthant_lloyd_of(NULL, NULL, NULL, &r, &error));
  TRY("nearest of nothing", orthant_nearest_of(n, NULL, NULL, NULL, &r, &error));
  TRY("cholesky of nothing", orthant_cholesky_of(NULL, NULL, NULL, &r, &error));
  TRY("ldlt of nothing", orthant_ldlt_of(NULL, NULL, NULL, &r, &error));
  TRY("shortest_paths of nothing", orthant_shortest_paths_of(NULL, NULL, NULL, &r, &error));
  TRY("connected_components of nothing", orthant_connected_components_of(NULL, NULL, NULL, &r, &error));
  TRY("eigsh without a place", orthant_eigsh_of(n, NULL, &pairs, NULL, NULL, &error));
  TRY("solve nothing", orthant_solve(NULL, NULL, &error));
  TRY("log_det of nothing", orthant_log_det(NULL, NULL, &error));
  TRY("slogdet of nothing", orthant_slogdet(NULL, NULL, NULL, &error));
  TRY("apply nothing", orthant_apply(NULL, "L", NULL, &error));
  TRY("parts of nothing", orthant_parts_of(NULL, NULL, NULL, &r, &error));
  TRY("inverse of nothing", orthant_inverse_of(NULL, NULL, NULL, NULL, &r, &error));
  TRY("update nothing", orthant_update_rank_of(NULL, NULL, NULL, NULL, &r, &error));
  TRY("shape of nothing", orthant_shape(NULL, NULL, NULL, NULL, NULL, &error));
  TRY("copy of nothing", orthant_copy(NULL, NULL, NULL, &error));
  TRY("number of nothing", orthant_number(NULL, NULL, NULL, &error));
  TRY("report of nothing", orthant_report(NULL, NULL, &error));
  TRY("wait for nothing", orthant_wait(NULL, 0, NULL, NULL, &error));
  TRY("cancel nothing", orthant_cancel(NULL, &error));
  TRY("the model of nothing", orthant_model_of(NULL, &m, &error));
  TRY("save nothing", orthant_save(NULL, NULL, &error));
  TRY("load nothing", orthant_load(NULL, &m, &error));
  TRY("methods without a place", orthant_methods(NULL, &error));
  TRY("info without a place", orthant_info(NULL, &error));
  TRY("explain nothing", orthant_explain(NULL, NULL, &error));
  TRY("explain without a place", orthant_explain("E0001", NULL, &error));
  TRY("threads without a place", orthant_get_num_threads(NULL, &error));
}

int main(void) {
  static const int64_t wrong[] = {-1, 0, INT64_MIN, (int64_t)1 << 31, ((int64_t)1 << 32) + 3, ((int64_t)1 << 53) + 1, INT64_MAX};
  size_t i;
  for (i = 0; i < N * M; i++) x[i] = (double)(i * i % 97);
  for (i = 0; i < M; i++) a[i * M + i] = 1.0 + (double)i;
  for (i = 0; i < sizeof wrong / sizeof *wrong; i++) counts(wrong[i]);
  orthant_set_num_threads(0, NULL);
  nulls();
  printf("%d failures\n", failures);
  return failures != 0;
}
