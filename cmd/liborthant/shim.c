//go:build cgo

/* The functions of orthant.h. Each first checks whether the process is a fork. In the child of
 * fork() only the calling thread is left and the Go runtime has no threads, so a call into Go would
 * wait for ever with all signals blocked. The check is therefore made here, in C, before any Go
 * code runs. */

#ifndef _WIN32 /* which has no fork */
#include <pthread.h>
#endif
#include <string.h>

#include "shim.h"

volatile sig_atomic_t orthantinternal_forked;

#ifndef _WIN32
static void in_child(void) { orthantinternal_forked = 1; }

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }
#endif

/* The numbers of status.go. */
_Static_assert(ORTHANT_OK == 0 && ORTHANT_INVALID == 1 && ORTHANT_CANCELED == 2 && ORTHANT_NOT_CONVERGED == 3 &&
               ORTHANT_NOMEM == 5 && ORTHANT_INTERNAL == 6 && ORTHANT_BUSY == 7 && ORTHANT_FAILED == 8 &&
               ORTHANT_NOT_DEFINITE == 9, "see status.go");
_Static_assert(ORTHANT_ABI == 1, "see version.go");
_Static_assert(sizeof(uintptr_t) == sizeof(orthant_result) && sizeof(int) == 4, "see calls.go");

orthant_status orthantinternal_say(orthant_status status, const char *text, orthant_text *to) {
  if (to != NULL) {
    size_t length = strlen(text);
    to->needed = length + 1;
    if (to->data != NULL && to->size > 0) {
      if (length >= to->size) length = to->size - 1;
      memcpy(to->data, text, length);
      to->data[length] = 0;
    }
  }
  return status;
}

orthant_status orthantinternal_refuse(orthant_text *error) {
  return orthantinternal_say(ORTHANT_FORKED,
             "this process is a fork of the one that loaded the library, and the library does not work in forks: "
             "load it after fork(), or start processes anew (multiprocessing: \"forkserver\" or \"spawn\"; joblib: \"loky\")",
             error);
}

int orthantinternal_tell(uintptr_t progress, uintptr_t user, const char *phase, double done) {
  return ((orthant_progress)progress)((void *)user, phase, done);
}

int orthantinternal_multiply(uintptr_t multiply, uintptr_t user, int transposed, int64_t width, const double *x, double *y) {
  return ((orthant_product)multiply)((void *)user, transposed, width, x, y);
}

int orthant_abi_version(void) { return ORTHANT_ABI; }

orthant_status orthant_info(orthant_text *json, orthant_text *error) {
  CALL(error, P(json), P(error));
}

orthant_status orthant_set_num_threads(int64_t threads, orthant_text *error) {
  CALL(error, N(threads), P(error));
}

orthant_status orthant_get_num_threads(int64_t *threads, orthant_text *error) {
  CALL(error, P(threads), P(error));
}

orthant_status orthant_methods(orthant_text *json, orthant_text *error) {
  CALL(error, P(json), P(error));
}

orthant_status orthant_explain(const char *message, orthant_text *json, orthant_text *error) {
  CALL(error, P(message), P(json), P(error));
}

orthant_status orthant_embed(const char *method, const char *parameters, const orthant_matrix *x,
                             const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, P(method), P(parameters), P(x), P(options), P(result), P(error));
}

orthant_status orthant_factorize(const char *method, int64_t rank, const char *parameters, const orthant_matrix *x,
                                 const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, P(method), N(rank), P(parameters), P(x), P(options), P(result), P(error));
}

orthant_status orthant_learn(const char *method, int64_t rank, const char *parameters, const orthant_matrix *x,
                             const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, P(method), N(rank), P(parameters), P(x), P(options), P(result), P(error));
}

orthant_status orthant_cluster(const char *method, int64_t clusters, const char *parameters, const orthant_matrix *x,
                               const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, P(method), N(clusters), P(parameters), P(x), P(options), P(result), P(error));
}

orthant_status orthant_neighbors(int64_t k, const char *parameters, const orthant_matrix *x,
                                 const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, N(k), P(parameters), P(x), P(options), P(result), P(error));
}

orthant_status orthant_denoise(int64_t dim, const char *parameters, const orthant_matrix *x,
                               const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, N(dim), P(parameters), P(x), P(options), P(result), P(error));
}

orthant_status orthant_select(const char *method, int64_t count, const char *parameters, const orthant_matrix *x,
                              const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, P(method), N(count), P(parameters), P(x), P(options), P(result), P(error));
}

orthant_status orthant_transform(orthant_model model, const char *parameters, const orthant_matrix *x,
                                 const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, P(model), P(parameters), P(x), P(options), P(result), P(error));
}

orthant_status orthant_factorize_runs(const char *method, const int64_t *ranks, int64_t ranks_count, int64_t runs,
                                      const char *parameters, const orthant_matrix *x, const orthant_options *options,
                                      orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, P(method), P(ranks), N(ranks_count), N(runs), P(parameters), P(x), P(options), P(result), P(error));
}

orthant_status orthant_consensus(int64_t rank, const char *parameters, const orthant_components *components,
                                 const orthant_matrix *x, const orthant_options *options, orthant_result *result,
                                 orthant_text *error) {
  EMPTY(result);
  CALL(error, N(rank), P(parameters), P(components), P(x), P(options), P(result), P(error));
}

orthant_status orthant_evaluate(const char *metric, const char *parameters, const orthant_evaluation *evaluation,
                                const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, P(metric), P(parameters), P(evaluation), P(options), P(result), P(error));
}

orthant_status orthant_wait(orthant_result result, int64_t milliseconds, double *share, orthant_text *phase,
                            orthant_text *error) {
  CALL(error, P(result), N(milliseconds), P(share), P(phase), P(error));
}

orthant_status orthant_cancel(orthant_result result, orthant_text *error) {
  CALL(error, P(result), P(error));
}

orthant_status orthant_shape(orthant_result result, const char *name, int64_t *rows, int64_t *cols, int32_t *type,
                             orthant_text *error) {
  CALL(error, P(result), P(name), P(rows), P(cols), P(type), P(error));
}

orthant_status orthant_copy(orthant_result result, const char *name, const orthant_buffer *to, orthant_text *error) {
  CALL(error, P(result), P(name), P(to), P(error));
}

orthant_status orthant_number(orthant_result result, const char *name, double *value, orthant_text *error) {
  CALL(error, P(result), P(name), P(value), P(error));
}

orthant_status orthant_report(orthant_result result, orthant_text *json, orthant_text *error) {
  CALL(error, P(result), P(json), P(error));
}

orthant_status orthant_result_free(orthant_result result) {
  CALL(NULL, P(result));
}

orthant_status orthant_model_of(orthant_result result, orthant_model *model, orthant_text *error) {
  EMPTY(model);
  CALL(error, P(result), P(model), P(error));
}

orthant_status orthant_model_info(orthant_model model, orthant_text *json, orthant_text *error) {
  CALL(error, P(model), P(json), P(error));
}

orthant_status orthant_save(orthant_model model, const char *path, orthant_text *error) {
  CALL(error, P(model), P(path), P(error));
}

orthant_status orthant_load(const char *path, orthant_model *model, orthant_text *error) {
  EMPTY(model);
  CALL(error, P(path), P(model), P(error));
}

orthant_status orthant_save_bytes(orthant_model model, void *buffer, size_t size, size_t *needed, orthant_text *error) {
  CALL(error, P(model), P(buffer), N(size), P(needed), P(error));
}

orthant_status orthant_load_bytes(const void *bytes, size_t size, orthant_model *model, orthant_text *error) {
  EMPTY(model);
  CALL(error, P(bytes), N(size), P(model), P(error));
}

orthant_status orthant_model_free(orthant_model model) {
  CALL(NULL, P(model));
}
