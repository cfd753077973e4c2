/* Everything that a caller can do wrong, one error code each. Prints what does not hold
 * and ends with the number of such lines. */
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orthant.h"

enum { N = 60, M = 4 };

static int failures;
static double x[N * M], y[N * 2];
static char room[600];
static orthant_text error = {room, sizeof room, 0};

/* Sees that a call has a status and that its text holds a phrase. */
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

static orthant_matrix samples(void) {
  orthant_matrix s = {x, N, M, M, ORTHANT_FLOAT64};
  return s;
}

static void embed(const char *what, const char *method, const char *parameters, orthant_matrix s, orthant_status want,
                  const char *phrase) {
  orthant_result r = (orthant_result)&failures;
  orthant_status got = orthant_embed(method, parameters, &s, NULL, &r, &error);
  check("the result is NULL after an error", (r == NULL) == (got != ORTHANT_OK && got != ORTHANT_NOT_CONVERGED));
  expect(what, got, want, phrase);
  orthant_result_free(r);
}

static void matrices(void) {
  static float odd[N * M + 1];
  orthant_matrix s = samples();
  orthant_result r = NULL;
  s.data = NULL, embed("no data", "pca", NULL, s, ORTHANT_INVALID, "NULL"), s = samples();
  s.rows = -1, embed("negative rows", "pca", NULL, s, ORTHANT_INVALID, "-1 × 4"), s = samples();
  s.cols = 0, embed("no columns", "pca", NULL, s, ORTHANT_INVALID, "60 × 0"), s = samples();
  s.rows = 1, embed("one sample", "pca", NULL, s, ORTHANT_INVALID, "at least 2 samples"), s = samples();
  s.stride = 3, embed("a stride below the columns", "pca", NULL, s, ORTHANT_INVALID, "stride"), s = samples();
  s.stride = -4, embed("a negative stride", "pca", NULL, s, ORTHANT_INVALID, "stride"), s = samples();
  s.stride = 0, embed("no stride", "pca", NULL, s, ORTHANT_INVALID, "stride"), s = samples();
  s.rows = INT64_MAX, embed("endless rows", "pca", NULL, s, ORTHANT_INVALID, "more than memory"), s = samples();
  s.stride = INT64_MAX, embed("an endless stride", "pca", NULL, s, ORTHANT_INVALID, "more than memory"), s = samples();
  s.type = 17, embed("a type that is none", "pca", NULL, s, ORTHANT_INVALID, "17"), s = samples();
  s.type = ORTHANT_INT64, embed("a type for labels", "pca", NULL, s, ORTHANT_INVALID, "int64"), s = samples();
  s.data = (char *)x + 4, embed("data off their alignment", "pca", NULL, s, ORTHANT_INVALID, "aligned"), s = samples();
  s.data = odd + 1, s.type = ORTHANT_FLOAT32, embed("floats at an odd float", "pca", NULL, s, ORTHANT_OK, ""), s = samples();
  expect("x is NULL", orthant_embed("pca", NULL, NULL, NULL, &r, &error), ORTHANT_INVALID, "x is NULL");
  expect("no place for the result", orthant_embed("pca", NULL, &s, NULL, NULL, &error), ORTHANT_INVALID, "result is NULL");
}

static void parameters(void) {
  orthant_matrix s = samples();
  embed("no method", NULL, NULL, s, ORTHANT_INVALID, "method is NULL");
  embed("no JSON", "lle", "neighbors=5", s, ORTHANT_INVALID, "no JSON object");
  embed("a list", "lle", "[5]", s, ORTHANT_INVALID, "no JSON object");
  embed("a list inside", "lle", "{\"neighbors\": [5]}", s, ORTHANT_INVALID, "list");
  embed("more behind the object", "lle", "{} {}", s, ORTHANT_INVALID, "no JSON object");
  embed("negative threads", "lle", "{\"threads\": -1}", s, ORTHANT_INVALID, "threads");
  embed("null is the default", "lle", "{\"neighbors\": null, \"seed\": 3}", s, ORTHANT_OK, "");
}

static void options(void) {
  orthant_matrix s = samples();
  orthant_options o = ORTHANT_OPTIONS;
  orthant_result r = NULL;
  int64_t labels[N];
  int i, flag = 1;
  for (i = 0; i < N; i++) labels[i] = i % 3;
  o.labels = labels, o.labels_count = 7;
  expect("seven labels", orthant_embed("lda", NULL, &s, &o, &r, &error), ORTHANT_INVALID, "7 labels of 60 samples");
  o.labels_count = N;
  expect("lda", orthant_embed("lda", NULL, &s, &o, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  o.labels = NULL;
  expect("labels at NULL", orthant_embed("lda", NULL, &s, &o, &r, &error), ORTHANT_INVALID, "at NULL");
  memset(&o, 0, sizeof o);
  expect("options without a size", orthant_embed("pca", NULL, &s, &o, &r, &error), ORTHANT_INVALID, "struct_size");
  o.struct_size = sizeof o, o.cancel = &flag;
  expect("a flag that is up", orthant_embed("pca", NULL, &s, &o, &r, &error), ORTHANT_CANCELED, "cancel");
  o.patience = 1;
  expect("a flag in the background", orthant_embed("pca", NULL, &s, &o, &r, &error), ORTHANT_INVALID, "background");
  check("there is no result", r == NULL);
}

static void arrays(void) {
  orthant_matrix s = samples();
  orthant_result r = NULL;
  orthant_buffer to = {y, N, 2, 2, ORTHANT_FLOAT64};
  orthant_model m = NULL;
  int64_t rows, cols;
  int32_t type;
  double v;
  char tiny[4];
  orthant_text cut = {tiny, sizeof tiny, 0}, none = {NULL, 0, 0};
  expect("pca", orthant_embed("pca", NULL, &s, NULL, &r, &error), ORTHANT_OK, "");
  expect("shape", orthant_shape(r, "embedding", &rows, &cols, &type, &error), ORTHANT_OK, "");
  check("60 x 2 float64", rows == N && cols == 2 && type == ORTHANT_FLOAT64);
  expect("an unknown array", orthant_shape(r, "embeding", &rows, &cols, &type, &error), ORTHANT_INVALID, "it has");
  expect("an array without a name", orthant_copy(r, NULL, &to, &error), ORTHANT_INVALID, "NULL");
  expect("copy", orthant_copy(r, "embedding", &to, &error), ORTHANT_OK, "");
  expect("copy to nowhere", orthant_copy(r, "embedding", NULL, &error), ORTHANT_INVALID, "NULL");
  to.rows = 59;
  expect("another shape", orthant_copy(r, "embedding", &to, &error), ORTHANT_INVALID, "59 × 2");
  to.rows = N, to.stride = 1;
  expect("another stride", orthant_copy(r, "embedding", &to, &error), ORTHANT_INVALID, "stride");
  to.stride = 2, to.type = ORTHANT_INT64;
  expect("another type", orthant_copy(r, "embedding", &to, &error), ORTHANT_INVALID, "int64");
  to.type = ORTHANT_FLOAT64, to.data = NULL;
  expect("a buffer at NULL", orthant_copy(r, "embedding", &to, &error), ORTHANT_INVALID, "NULL");
  expect("a number", orthant_number(r, "converged", &v, &error), ORTHANT_OK, "");
  check("pca converges", v == 1);
  expect("an unknown number", orthant_number(r, "luck", &v, &error), ORTHANT_INVALID, "luck");
  expect("nowhere for a number", orthant_number(r, "converged", NULL, &error), ORTHANT_INVALID, "NULL");
  expect("a short text", orthant_report(r, &cut, &error), ORTHANT_OK, "");
  check("a short text ends", strlen(tiny) <= 3 && cut.needed > 100);
  expect("the length of a text", orthant_report(r, &none, &error), ORTHANT_OK, "");
  check("texts have one length", none.needed == cut.needed);
  expect("nowhere for a text", orthant_report(r, NULL, &error), ORTHANT_INVALID, "NULL");
  expect("a model not asked for", orthant_model_of(r, &m, &error), ORTHANT_INVALID, "\"model\": true");
  expect("nowhere for a model", orthant_model_of(r, NULL, &error), ORTHANT_INVALID, "NULL");
  expect("errors need no text", orthant_shape(r, "embeding", NULL, NULL, NULL, NULL), ORTHANT_INVALID, "");
  orthant_result_free(r);
}

static void handles(void) {
  orthant_matrix s = samples();
  orthant_result r = NULL, mapped = NULL;
  orthant_model m = NULL;
  double v;
  size_t needed = 0;
  char small[10], *bytes;
  expect("fit", orthant_embed("lle", "{\"model\": true}", &s, NULL, &r, &error), ORTHANT_OK, "");
  expect("model", orthant_model_of(r, &m, &error), ORTHANT_OK, "");
  expect("a model for a result", orthant_number((orthant_result)m, "converged", &v, &error), ORTHANT_INVALID, "is a model where a result");
  expect("a result for a model", orthant_save((orthant_model)r, "/dev/null", &error), ORTHANT_INVALID, "is a result where a model");
  expect("no handle", orthant_number((orthant_result)&v, "converged", &v, &error), ORTHANT_INVALID, "not one of this library");
  expect("NULL", orthant_number(NULL, "converged", &v, &error), ORTHANT_INVALID, "NULL");
  expect("free NULL", orthant_result_free(NULL), ORTHANT_OK, "");
  expect("free", orthant_result_free(r), ORTHANT_OK, "");
  room[0] = 0;
  check("a second free is refused", orthant_result_free(r) == ORTHANT_INVALID);
  expect("a freed handle", orthant_number(r, "converged", &v, &error), ORTHANT_INVALID, "was freed");
  expect("the wrong free", orthant_result_free((orthant_result)m) == ORTHANT_INVALID ? ORTHANT_OK : ORTHANT_INVALID, ORTHANT_OK, "");
  expect("a model outlives its result", orthant_transform(m, NULL, &s, NULL, &mapped, &error), ORTHANT_OK, "");
  orthant_result_free(mapped);
  expect("an unknown key of transform", orthant_transform(m, "{\"thread\": 1}", &s, NULL, &mapped, &error), ORTHANT_INVALID, "threads");
  expect("no path", orthant_save(m, NULL, &error), ORTHANT_INVALID, "NULL");
  expect("a path that cannot be", orthant_save(m, "/nonexistent/m", &error), ORTHANT_FAILED, "nonexistent");
  expect("the length of a model", orthant_save_bytes(m, NULL, 0, &needed, &error), ORTHANT_OK, "");
  expect("too small a buffer", orthant_save_bytes(m, small, sizeof small, NULL, &error), ORTHANT_INVALID, "10 bytes");
  bytes = malloc(needed);
  expect("bytes", orthant_save_bytes(m, bytes, needed, &needed, &error), ORTHANT_OK, "");
  orthant_model_free(m);
  expect("back", orthant_load_bytes(bytes, needed, &m, &error), ORTHANT_OK, "");
  orthant_model_free(m);
  bytes[needed / 2] ^= 1;
  expect("a flipped bit", orthant_load_bytes(bytes, needed, &m, &error), ORTHANT_INVALID, "model");
  expect("a part", orthant_load_bytes(bytes, 40, &m, &error), ORTHANT_INVALID, "truncated");
  expect("no bytes", orthant_load_bytes(NULL, 9, &m, &error), ORTHANT_INVALID, "no bytes");
  expect("no file", orthant_load("/nonexistent", &m, &error), ORTHANT_FAILED, "nonexistent");
  check("no model after an error", m == NULL);
  free(bytes);
}

/* A graph, affinities and sparse samples come in the options, with x NULL. */
static void structures(void) {
  static double weights[2 * N], again[N * 2], far[N * N];
  static int32_t indptr[N + 1], indices[2 * N];
  static int64_t near[N * 2];
  orthant_matrix s = samples(), lists = {near, N, 2, 2, ORTHANT_INT64}, lengths = {weights, N, 2, 2, ORTHANT_FLOAT64}, all = {far, N, N, N, ORTHANT_FLOAT64};
  orthant_csr ring = {weights, indices, indptr, N, N, 2 * N, ORTHANT_INT32, ORTHANT_FLOAT64}, none;
  orthant_options o = ORTHANT_OPTIONS;
  orthant_buffer to = {again, N, 2, 2, ORTHANT_FLOAT64};
  orthant_result r = NULL;
  orthant_model m = NULL;
  int i;
  for (i = 0; i < N; i++) {
    int a = (i + N - 1) % N, b = (i + 1) % N;
    near[2 * i] = indices[2 * i] = a < b ? a : b, near[2 * i + 1] = indices[2 * i + 1] = a < b ? b : a;
    indptr[i + 1] = 2 * i + 2, weights[2 * i] = weights[2 * i + 1] = 1;
  }
  expect("nothing at all", orthant_embed("le", NULL, NULL, &o, &r, &error), ORTHANT_INVALID, "x is NULL");
  o.graph = &ring;
  expect("a graph alone", orthant_embed("isomap", NULL, NULL, &o, &r, &error), ORTHANT_OK, "");
  expect("its embedding", orthant_copy(r, "embedding", &to, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  memcpy(y, again, sizeof again);
  o.graph = NULL, o.graph_indices = &lists, o.graph_distances = &lengths;
  expect("the same as lists", orthant_embed("isomap", NULL, NULL, &o, &r, &error), ORTHANT_OK, "");
  expect("its embedding", orthant_copy(r, "embedding", &to, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  check("a matrix and lists are one graph", memcmp(y, again, sizeof again) == 0);
  o.graph = &ring;
  expect("two graphs", orthant_embed("isomap", NULL, NULL, &o, &r, &error), ORTHANT_INVALID, "more than one");
  o.graph_indices = o.graph_distances = NULL;
  expect("a graph with the samples", orthant_embed("lle", NULL, &s, &o, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  expect("a graph for lle alone", orthant_embed("lle", NULL, NULL, &o, &r, &error), ORTHANT_INVALID, "needs the samples");
  s.rows = N - 1;
  expect("a graph of other samples", orthant_embed("le", NULL, &s, &o, &r, &error), ORTHANT_INVALID, "graph of 60 samples for data of 59");
  expect("a graph for a search", orthant_neighbors(3, NULL, &s, &o, &r, &error), ORTHANT_INVALID, "no neighbour graph");
  s = samples();
  expect("a radius with k", orthant_neighbors(3, "{\"radius\": 1}", &s, NULL, &r, &error), ORTHANT_INVALID, "k is 3 together with a radius");
  expect("no metric", orthant_neighbors(3, "{\"metric\": \"angle\"}", &s, NULL, &r, &error), ORTHANT_INVALID, "no metric \"angle\"");
  expect("a radius", orthant_neighbors(0, "{\"radius\": 1e9, \"metric\": \"chebyshev\"}", &s, NULL, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  s = samples(), indices[3] = N;
  expect("an index beyond the samples", orthant_embed("le", NULL, NULL, &o, &r, &error), ORTHANT_INVALID, "column 60");
  indices[3] = indices[2];
  expect("a neighbour twice", orthant_embed("le", NULL, NULL, &o, &r, &error), ORTHANT_INVALID, "twice");
  indices[3] = 2, weights[5] = -1;
  expect("a negative distance", orthant_embed("le", NULL, NULL, &o, &r, &error), ORTHANT_INVALID, "-1");
  weights[5] = 1, none = ring, none.indptr = NULL, o.graph = &none;
  expect("a graph without indptr", orthant_embed("le", NULL, NULL, &o, &r, &error), ORTHANT_INVALID, "indptr is NULL");
  o.graph = NULL, o.affinities = &ring;
  expect("affinities", orthant_embed("le", NULL, NULL, &o, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  expect("labels of another number", (o.labels = near, o.labels_count = 7, orthant_embed("le", NULL, NULL, &o, &r, &error)), ORTHANT_INVALID, "7 labels of 60");
  o.labels = NULL, o.labels_count = 0, weights[5] = 4;
  expect("affinities that are not symmetric", orthant_embed("le", NULL, NULL, &o, &r, &error), ORTHANT_INVALID, "not symmetric");
  o.affinities = NULL, o.distances = &all, weights[5] = 1;
  for (i = 0; i < N * N; i++) far[i] = fabs((double)(i / N - i % N));
  expect("all distances", orthant_embed("mds", "{\"dim\": 1}", NULL, &o, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  far[N + 2] = 7;
  expect("distances that are not symmetric", orthant_embed("mds", NULL, NULL, &o, &r, &error), ORTHANT_INVALID, "symmetric");
  far[N + 2] = NAN;
  expect("a distance that is none", orthant_embed("isomap", NULL, NULL, &o, &r, &error), ORTHANT_INVALID, "NaN");
  all.rows = 7;
  expect("distances that are not square", orthant_embed("isomap", NULL, NULL, &o, &r, &error), ORTHANT_INVALID, "7 × 60");
  o.distances = NULL, o.samples = &ring;
  expect("sparse samples", orthant_embed("le", "{\"model\": true}", NULL, &o, &r, &error), ORTHANT_OK, "");
  expect("their model", orthant_model_of(r, &m, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  expect("sparse samples to map", orthant_transform(m, NULL, NULL, &o, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  orthant_model_free(m);
  expect("sparse samples for lda", orthant_embed("lda", NULL, NULL, &o, &r, &error), ORTHANT_INVALID, "lda: it needs dense samples");
  expect("samples twice", orthant_embed("le", NULL, &s, &o, &r, &error), ORTHANT_INVALID, "both given");
  o.struct_size = offsetof(orthant_options, samples); /* of a program built with the first header */
  expect("options of the first version", orthant_embed("pca", NULL, &s, &o, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  o.struct_size--;
  expect("options too short", orthant_embed("pca", NULL, &s, &o, &r, &error), ORTHANT_INVALID, "struct_size");
}

/* The model of a clustering is one like any other, and gives labels. */
static void clusterings(void) {
  orthant_matrix s = samples();
  orthant_result r = NULL, mapped = NULL;
  orthant_model m = NULL;
  int64_t found[N], again[N];
  orthant_buffer to = {found, N, 1, 1, ORTHANT_INT64}, labels = {again, N, 1, 1, ORTHANT_INT64};
  expect("kmeans", orthant_cluster("kmeans", 3, "{\"model\": true}", &s, NULL, &r, &error), ORTHANT_OK, "");
  expect("its model", orthant_model_of(r, &m, &error), ORTHANT_OK, "");
  expect("its labels", orthant_copy(r, "labels", &to, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  expect("labels by the model", orthant_transform(m, NULL, &s, NULL, &mapped, &error), ORTHANT_OK, "");
  expect("no coordinates", orthant_copy(mapped, "embedding", &labels, &error), ORTHANT_INVALID, "it has labels");
  expect("labels", orthant_copy(mapped, "labels", &labels, &error), ORTHANT_OK, "");
  check("samples of the fit keep their labels", memcmp(found, again, sizeof found) == 0);
  orthant_result_free(mapped);
  orthant_model_free(m);
}

/* Many runs, and their consensus. */
#define BATCHES "{\"solver\": \"minibatch\", \"batch\": 3}"
static void runs(void) {
  static double known[1 + 2 * M + 4 + 2 * M];
  orthant_buffer to_known = {known, 1 + 2 * M + 4 + 2 * M, 1, 1, ORTHANT_FLOAT64};
  const orthant_matrix was_known = {known, 1 + 2 * M + 4 + 2 * M, 1, 1, ORTHANT_FLOAT64};
  static double counts[N * M], found[8 * 2 * M], alone[2 * M];
  static int64_t kept[8 * N];
  const int64_t ranks[2] = {2, 3}, twice[2] = {3, 3}, above[1] = {M + 1};
  orthant_matrix s = {counts, N, M, M, ORTHANT_FLOAT64}, h = {found, 16, M, M, ORTHANT_FLOAT64}, l = {kept, 8, N, N, ORTHANT_INT64};
  orthant_buffer to = {found, 16, M, M, ORTHANT_FLOAT64}, to_labels = {kept, 8, N, N, ORTHANT_INT64}, to_alone = {alone, 2, M, M, ORTHANT_FLOAT64};
  orthant_components of = ORTHANT_COMPONENTS;
  orthant_options o = ORTHANT_OPTIONS;
  orthant_result r = NULL;
  double value;
  int i;
  for (i = 0; i < N * M; i++) counts[i] = (i * 7919LL % 101) / 50 + (i / M % 2 == i % M / 2);
  expect("no ranks", orthant_factorize_runs("nmf", NULL, 2, 8, NULL, &s, NULL, &r, &error), ORTHANT_INVALID, "ranks");
  expect("a negative number of ranks", orthant_factorize_runs("nmf", ranks, -1, 8, NULL, &s, NULL, &r, &error), ORTHANT_INVALID, "-1 ranks");
  expect("ranks that are not aligned", orthant_factorize_runs("nmf", (const int64_t *)((const char *)ranks + 4), 1, 8, NULL, &s, NULL, &r, &error), ORTHANT_INVALID, "aligned");
  expect("a rank twice", orthant_factorize_runs("nmf", twice, 2, 8, NULL, &s, NULL, &r, &error), ORTHANT_INVALID, "rank 3 is given twice");
  expect("a rank above the columns", orthant_factorize_runs("nmf", above, 1, 8, NULL, &s, NULL, &r, &error), ORTHANT_INVALID, "give ranks from 1 to 4");
  expect("no runs", orthant_factorize_runs("nmf", ranks, 2, 0, NULL, &s, NULL, &r, &error), ORTHANT_INVALID, "runs is 0");
  expect("no method", orthant_factorize_runs(NULL, ranks, 2, 8, NULL, &s, NULL, &r, &error), ORTHANT_INVALID, "method is NULL");
  expect("no samples", orthant_factorize_runs("nmf", ranks, 2, 8, NULL, NULL, NULL, &r, &error), ORTHANT_INVALID, "x is NULL");
  expect("no place", orthant_factorize_runs("nmf", ranks, 2, 8, NULL, &s, NULL, NULL, &error), ORTHANT_INVALID, "place of the result");
  o.start = &s;
  expect("a start", orthant_factorize_runs("nmf", ranks, 2, 8, NULL, &s, &o, &r, &error), ORTHANT_INVALID, "starts");
  counts[5] = -1;
  expect("a negative entry", orthant_factorize_runs("nmf", ranks, 2, 8, NULL, &s, NULL, &r, &error), ORTHANT_INVALID, "row 2, column 2");
  counts[5] = NAN;
  expect("an entry that is none", orthant_factorize_runs("nmf", ranks, 2, 8, NULL, &s, NULL, &r, &error), ORTHANT_INVALID, "NaN");
  counts[5] = 1;
  check("no result after errors", r == NULL);
  expect("runs", orthant_factorize_runs("nmf", ranks, 2, 8, "{\"iterations\": 40}", &s, NULL, &r, &error), ORTHANT_OK, "");
  expect("no w", orthant_copy(r, "w_2", &to, &error), ORTHANT_INVALID, "it has errors, h_2, h_3");
  expect("their components", orthant_copy(r, "h_2", &to, &error), ORTHANT_OK, "");
  expect("their labels", orthant_copy(r, "labels_2", &to_labels, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  expect("one of them", orthant_factorize("nmf", 2, "{\"iterations\": 40, \"seed\": 8}", &s, NULL, &r, &error), ORTHANT_OK, "");
  expect("its components", orthant_copy(r, "h", &to_alone, &error), ORTHANT_OK, "");
  for (i = 0; i < 2 * M; i++) check("a run finds what it finds alone", fabs(alone[i] - found[7 * 2 * M + i]) < 1e-9);
  orthant_result_free(r);
  o.start = NULL;
  expect("learning all at once", orthant_learn("nmf", 2, NULL, &s, &o, &r, &error), ORTHANT_INVALID, "choose that solver");
  expect("learning", orthant_learn("nmf", 2, BATCHES, &s, &o, &r, &error), ORTHANT_OK, "");
  expect("no w", orthant_copy(r, "w", &to, &error), ORTHANT_INVALID, "it has h, learned, objective, offset");
  expect("what was learnt", orthant_copy(r, "learned", &to_known, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  o.start = &was_known;
  expect("going on", orthant_learn("nmf", 2, BATCHES, &s, &o, &r, &error), ORTHANT_OK, "");
  expect("what is known then", orthant_copy(r, "learned", &to_known, &error), ORTHANT_OK, "");
  check("all samples were seen", known[0] == 2 * N);
  orthant_result_free(r);
  expect("another rank", orthant_learn("nmf", 3, BATCHES, &s, &o, &r, &error), ORTHANT_INVALID, "of another rank");
  known[3] = NAN;
  expect("what is damaged", orthant_learn("nmf", 2, BATCHES, &s, &o, &r, &error), ORTHANT_INVALID, "NaN");
  o.start = NULL;
  expect("no components", orthant_consensus(2, NULL, &of, &s, NULL, &r, &error), ORTHANT_INVALID, "components are NULL");
  expect("no struct", orthant_consensus(2, NULL, NULL, &s, NULL, &r, &error), ORTHANT_INVALID, "components are NULL");
  of.components = &h, of.labels = &l;
  expect("components of another rank", orthant_consensus(3, NULL, &of, &s, NULL, &r, &error), ORTHANT_INVALID, "are not runs of rank 3");
  expect("no samples of theirs", orthant_consensus(2, NULL, &of, NULL, NULL, &r, &error), ORTHANT_INVALID, "x is NULL");
  l.rows = 7;
  expect("labels of fewer runs", orthant_consensus(2, NULL, &of, &s, NULL, &r, &error), ORTHANT_INVALID, "labels of 7 runs");
  l.rows = 8, of.struct_size--;
  expect("components too short", orthant_consensus(2, NULL, &of, &s, NULL, &r, &error), ORTHANT_INVALID, "struct_size");
  of.struct_size++;
  expect("a consensus", orthant_consensus(2, "{\"local_density_threshold\": 2}", &of, &s, NULL, &r, &error), ORTHANT_OK, "");
  expect("its agreement", orthant_number(r, "cophenetic_correlation", &value, &error), ORTHANT_OK, "");
  check("a correlation", value > 0 && value <= 1 + 1e-12);
  expect("its spectra", orthant_copy(r, "spectra", &to_alone, &error), ORTHANT_OK, "");
  check("spectra of sum 1", fabs(alone[0] + alone[1] + alone[2] + alone[3] - 1) < 1e-12);
  orthant_result_free(r);
}

static int refuse(void *user, const char *phase, double done) {
  check("a phase has a name and a share", strlen(phase) > 0 && done >= 0 && done <= 1);
  check("the callback is on the caller's thread", pthread_equal(pthread_self(), *(pthread_t *)user));
  return 1;
}

static volatile int stop;

static int raise_flag(void *user, const char *phase, double done) {
  (void)user, (void)phase, (void)done;
  stop = 1;
  return 0;
}

/* Work that would take minutes. */
enum { BIG = 3000, WIDE = 60 };
static double big[BIG * WIDE];
#define LONG "cim-nmf", 40, "{\"iterations\": 10000000}"

static void cancellation(void) {
  orthant_matrix s = {big, BIG, WIDE, WIDE, ORTHANT_FLOAT64};
  orthant_options o = ORTHANT_OPTIONS;
  orthant_result r = NULL;
  orthant_buffer to = {y, N, 2, 2, ORTHANT_FLOAT64};
  orthant_model m = NULL;
  pthread_t self = pthread_self();
  int i;
  double share;
  char name[32];
  orthant_text phase = {name, sizeof name, 0};
  for (i = 0; i < BIG * WIDE; i++) big[i] = (i * 7919LL % 1009) / 1009.0;
  o.progress = refuse, o.user = &self;
  expect("a callback that refuses", orthant_factorize(LONG, &s, &o, &r, &error), ORTHANT_CANCELED, "cancel");
  o.progress = raise_flag, o.cancel = &stop;
  expect("a flag that is raised", orthant_factorize(LONG, &s, &o, &r, &error), ORTHANT_CANCELED, "cancel");
  check("the callback raised it", stop == 1);
  o.progress = NULL, o.cancel = NULL, o.patience = 1;
  expect("in the background", orthant_factorize(LONG, &s, &o, &r, &error), ORTHANT_BUSY, "at work");
  expect("still at work", orthant_wait(r, 20, &share, &phase, &error), ORTHANT_BUSY, "at work");
  expect("a negative wait", orthant_wait(r, -5, NULL, NULL, &error), ORTHANT_BUSY, "at work");
  expect("arrays of work", orthant_copy(r, "w", &to, &error), ORTHANT_BUSY, "orthant_wait");
  expect("a model of work", orthant_model_of(r, &m, &error), ORTHANT_BUSY, "orthant_wait");
  expect("cancel", orthant_cancel(r, &error), ORTHANT_OK, "");
  expect("cancelled", orthant_wait(r, INT64_MAX, &share, &phase, &error), ORTHANT_CANCELED, "cancel");
  expect("cancelled, once more", orthant_wait(r, 0, NULL, NULL, &error), ORTHANT_CANCELED, "cancel");
  expect("arrays of what was cancelled", orthant_copy(r, "w", &to, &error), ORTHANT_CANCELED, "cancel");
  orthant_result_free(r);
  expect("in the background again", orthant_factorize(LONG, &s, &o, &r, &error), ORTHANT_BUSY, "at work");
  expect("free ends it", orthant_result_free(r), ORTHANT_OK, "");
  s.rows = 40, o.patience = 60000;
  expect("patience that suffices", orthant_embed("pca", NULL, &s, &o, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  expect("patience with an error", orthant_embed("pca", "{\"dim\": 99}", &s, &o, &r, &error), ORTHANT_INVALID, "99");
  check("no result after it", r == NULL);
}

/* Two threads on one model, and on one result that a third one frees. */
static orthant_model shared_model;
static orthant_result shared_result;
static int uses;

static void *use(void *unused) {
  int i;
  double here[N * 2];
  orthant_matrix s = samples();
  orthant_buffer to = {here, N, 2, 2, ORTHANT_FLOAT64};
  (void)unused;
  for (i = 0; i < 200; i++) {
    orthant_result r = NULL;
    orthant_status status = orthant_transform(shared_model, NULL, &s, NULL, &r, NULL);
    if (status == ORTHANT_OK) status = orthant_copy(r, "embedding", &to, NULL);
    if (status != ORTHANT_OK || memcmp(here, y, sizeof here) != 0) {
      __atomic_add_fetch(&uses, 1000, __ATOMIC_RELAXED);
      return &failures;
    }
    orthant_result_free(r);
    status = orthant_copy(shared_result, "embedding", &to, NULL);
    if (status != ORTHANT_OK && status != ORTHANT_INVALID) return &failures;
    __atomic_add_fetch(&uses, 1, __ATOMIC_RELAXED);
  }
  return NULL;
}

static void threads(void) {
  enum { COUNT = 4 };
  orthant_matrix s = samples();
  orthant_buffer to = {y, N, 2, 2, ORTHANT_FLOAT64};
  orthant_result r = NULL;
  pthread_t t[COUNT];
  void *wrong;
  int i;
  expect("fit", orthant_embed("pca", "{\"model\": true}", &s, NULL, &shared_result, &error), ORTHANT_OK, "");
  expect("model", orthant_model_of(shared_result, &shared_model, &error), ORTHANT_OK, "");
  expect("transform", orthant_transform(shared_model, NULL, &s, NULL, &r, &error), ORTHANT_OK, "");
  expect("copy", orthant_copy(r, "embedding", &to, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  for (i = 0; i < COUNT; i++) pthread_create(&t[i], NULL, use, NULL);
  while (__atomic_load_n(&uses, __ATOMIC_RELAXED) < COUNT) sched_yield();
  orthant_result_free(shared_result); /* in the midst of it */
  for (i = 0; i < COUNT; i++) {
    pthread_join(t[i], &wrong);
    check("threads get the same numbers", wrong == NULL);
  }
  orthant_model_free(shared_model);
}

/* A limit of threads holds for whatever a call asks, changes no bit, and can be taken back. */
static void limits_of_threads(void) {
  orthant_matrix s = samples();
  orthant_result r = NULL;
  double first[N * 2], here[N * 2];
  orthant_buffer to = {first, N, 2, 2, ORTHANT_FLOAT64}, again = {here, N, 2, 2, ORTHANT_FLOAT64};
  int64_t before = 0, now = 0;
  char said[4096];
  orthant_text json = {said, sizeof said, 0};
  expect("threads at first", orthant_get_num_threads(&before, &error), ORTHANT_OK, "");
  check("some threads", before >= 1);
  expect("free threads", orthant_embed("lle", "{\"neighbors\": 6, \"threads\": 8}", &s, NULL, &r, &error), ORTHANT_OK, "");
  expect("copy", orthant_copy(r, "embedding", &to, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  expect("one thread", orthant_set_num_threads(1, &error), ORTHANT_OK, "");
  expect("threads now", orthant_get_num_threads(&now, &error), ORTHANT_OK, "");
  check("one", now == 1);
  expect("eight of one", orthant_embed("lle", "{\"neighbors\": 6, \"threads\": 8}", &s, NULL, &r, &error), ORTHANT_OK, "");
  expect("copy", orthant_copy(r, "embedding", &again, &error), ORTHANT_OK, "");
  check("the same bits", memcmp(first, here, sizeof first) == 0);
  expect("its report", orthant_report(r, &json, &error), ORTHANT_OK, "");
  check("one thread took part", strstr(said, "\"threads\":1,") != NULL);
  orthant_result_free(r);
  expect("fewer than none", orthant_set_num_threads(-1, &error), ORTHANT_INVALID, "is -1; give one");
  expect("no place", orthant_get_num_threads(NULL, &error), ORTHANT_INVALID, "NULL");
  expect("no limit", orthant_set_num_threads(0, &error), ORTHANT_OK, "");
  expect("threads again", orthant_get_num_threads(&now, &error), ORTHANT_OK, "");
  check("as before", now == before);
  expect("more than there are", orthant_set_num_threads(INT64_MAX, &error), ORTHANT_OK, "");
  expect("threads of many", orthant_get_num_threads(&now, &error), ORTHANT_OK, "");
  check("those there are", now == before);
  expect("no limit", orthant_set_num_threads(0, &error), ORTHANT_OK, "");
}

static void forks(void) {
  orthant_matrix s = samples();
  orthant_result r = NULL, held = NULL;
  int status = 0;
  pid_t child;
  expect("before the fork", orthant_embed("pca", NULL, &s, NULL, &held, &error), ORTHANT_OK, "");
  fflush(stdout);
  child = fork();
  if (child == 0) {
    alarm(20); /* a hang is a failure */
    failures = 0;
    expect("embed in a fork", orthant_embed("pca", NULL, &s, NULL, &r, &error), ORTHANT_FORKED, "spawn");
    expect("a result in a fork", orthant_wait(held, 10, NULL, NULL, &error), ORTHANT_FORKED, "fork");
    expect("runs in a fork", orthant_factorize_runs("nmf", NULL, 0, 0, NULL, &s, NULL, &r, &error), ORTHANT_FORKED, "fork");
    expect("a consensus in a fork", orthant_consensus(2, NULL, NULL, &s, NULL, &r, &error), ORTHANT_FORKED, "fork");
    expect("threads in a fork", orthant_set_num_threads(1, &error), ORTHANT_FORKED, "loky");
    check("free in a fork", orthant_result_free(held) == ORTHANT_FORKED);
    check("the version in a fork", orthant_abi_version() == ORTHANT_ABI);
    fflush(stdout);
    _exit(failures != 0);
  }
  waitpid(child, &status, 0);
  check("the fork ends well", WIFEXITED(status) && WEXITSTATUS(status) == 0);
  expect("after the fork", orthant_embed("pca", NULL, &s, NULL, &r, &error), ORTHANT_OK, "");
  orthant_result_free(r);
  orthant_result_free(held);
}

int main(void) {
  int i;
  for (i = 0; i < N * M; i++) x[i] = sin(1.7 * i) + 0.01 * (i % 13);
  matrices();
  parameters();
  options();
  arrays();
  handles();
  clusterings();
  runs();
  structures();
  cancellation();
  threads();
  limits_of_threads();
  forks();
  printf("%d failures\n", failures);
  return failures != 0;
}
