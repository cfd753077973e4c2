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
_Static_assert(sizeof(uintptr_t) == sizeof(orthant_result) && sizeof(int) == 4, "see exports.go");

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

int orthantinternal_tell(orthant_progress progress, void *user, const char *phase, double done) {
  return progress(user, phase, done);
}

enum { EMBED, FACTORIZE, CLUSTER, NEIGHBORS, TRANSFORM, SELECT, DENOISE, LEARN }; /* the rows of tasks in task.go */

static orthant_status run(int task, const char *method, const char *parameters, int64_t count, orthant_model model,
                          const orthant_matrix *x, const orthant_options *options, orthant_result *result,
                          orthant_text *error) {
  uintptr_t handle = 0;
  orthant_status status;
  if (result == NULL) return orthantinternal_say(ORTHANT_INVALID, "the place of the result is NULL", error);
  *result = NULL;
  LEAVE_IF_FORKED(error);
  status = (orthant_status)orthantinternal_run(task, method, parameters, count, (uintptr_t)model, x, options, &handle, error);
  *result = (orthant_result)handle;
  return status;
}

orthant_status orthant_embed(const char *method, const char *parameters, const orthant_matrix *x,
                             const orthant_options *options, orthant_result *result, orthant_text *error) {
  return run(EMBED, method, parameters, 0, NULL, x, options, result, error);
}

orthant_status orthant_factorize(const char *method, int64_t rank, const char *parameters, const orthant_matrix *x,
                                 const orthant_options *options, orthant_result *result, orthant_text *error) {
  return run(FACTORIZE, method, parameters, rank, NULL, x, options, result, error);
}

orthant_status orthant_learn(const char *method, int64_t rank, const char *parameters, const orthant_matrix *x,
                             const orthant_options *options, orthant_result *result, orthant_text *error) {
  return run(LEARN, method, parameters, rank, NULL, x, options, result, error);
}

orthant_status orthant_cluster(const char *method, int64_t clusters, const char *parameters, const orthant_matrix *x,
                               const orthant_options *options, orthant_result *result, orthant_text *error) {
  return run(CLUSTER, method, parameters, clusters, NULL, x, options, result, error);
}

orthant_status orthant_select(const char *method, int64_t count, const char *parameters, const orthant_matrix *x,
                              const orthant_options *options, orthant_result *result, orthant_text *error) {
  return run(SELECT, method, parameters, count, NULL, x, options, result, error);
}

orthant_status orthant_neighbors(int64_t k, const char *parameters, const orthant_matrix *x,
                                 const orthant_options *options, orthant_result *result, orthant_text *error) {
  return run(NEIGHBORS, NULL, parameters, k, NULL, x, options, result, error);
}

orthant_status orthant_denoise(int64_t dim, const char *parameters, const orthant_matrix *x,
                               const orthant_options *options, orthant_result *result, orthant_text *error) {
  return run(DENOISE, NULL, parameters, dim, NULL, x, options, result, error);
}

orthant_status orthant_transform(orthant_model model, const char *parameters, const orthant_matrix *x,
                                 const orthant_options *options, orthant_result *result, orthant_text *error) {
  return run(TRANSFORM, NULL, parameters, 0, model, x, options, result, error);
}

orthant_status orthant_factorize_runs(const char *method, const int64_t *ranks, int64_t ranks_count, int64_t runs,
                                      const char *parameters, const orthant_matrix *x, const orthant_options *options,
                                      orthant_result *result, orthant_text *error) {
  uintptr_t handle = 0;
  orthant_status status;
  if (result == NULL) return orthantinternal_say(ORTHANT_INVALID, "the place of the result is NULL", error);
  *result = NULL;
  LEAVE_IF_FORKED(error);
  status = (orthant_status)orthantinternal_runs(method, ranks, ranks_count, runs, parameters, x, options, &handle, error);
  *result = (orthant_result)handle;
  return status;
}

orthant_status orthant_consensus(int64_t rank, const char *parameters, const orthant_components *components,
                                 const orthant_matrix *x, const orthant_options *options, orthant_result *result,
                                 orthant_text *error) {
  uintptr_t handle = 0;
  orthant_status status;
  if (result == NULL) return orthantinternal_say(ORTHANT_INVALID, "the place of the result is NULL", error);
  *result = NULL;
  LEAVE_IF_FORKED(error);
  status = (orthant_status)orthantinternal_consensus(rank, parameters, components, x, options, &handle, error);
  *result = (orthant_result)handle;
  return status;
}

orthant_status orthant_evaluate(const char *metric, const char *parameters, const orthant_evaluation *evaluation,
                                const orthant_options *options, orthant_result *result, orthant_text *error) {
  uintptr_t handle = 0;
  orthant_status status;
  if (result == NULL) return orthantinternal_say(ORTHANT_INVALID, "the place of the result is NULL", error);
  *result = NULL;
  LEAVE_IF_FORKED(error);
  status = (orthant_status)orthantinternal_evaluate(metric, parameters, evaluation, options, &handle, error);
  *result = (orthant_result)handle;
  return status;
}

/* The questions of factor.go, in its order. */
enum { SOLVE, SOLVE_MEASURED, APPLY, LOG_DET };

/* Asks a factor; there is not 0 if there are numbers in found. */
static orthant_status ask(int what, orthant_result factor, const char *parts, const orthant_buffer *x, double found[2],
                          int *there, orthant_text *error) {
  LEAVE_IF_FORKED(error);
  return (orthant_status)orthantinternal_ask(what, (uintptr_t)factor, parts, x, found, there, error);
}

orthant_status orthant_solve(orthant_result factor, const orthant_buffer *x, orthant_text *error) {
  double found[2];
  int there = 0;
  return ask(SOLVE, factor, NULL, x, found, &there, error);
}

orthant_status orthant_solve_measured(orthant_result solver, const orthant_buffer *x, int64_t *iterations,
                                      double *residual, orthant_text *error) {
  double found[2];
  int there = 0;
  orthant_status status = ask(SOLVE_MEASURED, solver, NULL, x, found, &there, error);
  if (there && iterations != NULL) *iterations = (int64_t)found[0];
  if (there && residual != NULL) *residual = found[1];
  return status;
}

orthant_status orthant_apply(orthant_result factor, const char *parts, const orthant_buffer *x, orthant_text *error) {
  double found[2];
  int there = 0;
  return ask(APPLY, factor, parts, x, found, &there, error);
}

orthant_status orthant_slogdet(orthant_result factor, double *sign, double *logarithm, orthant_text *error) {
  double found[2];
  int there = 0;
  orthant_status status = ask(LOG_DET, factor, NULL, NULL, found, &there, error);
  if (there && sign != NULL) *sign = found[0];
  if (there && logarithm != NULL) *logarithm = found[1];
  return status;
}

orthant_status orthant_log_det(orthant_result factor, double *value, orthant_text *error) {
  LEAVE_IF_FORKED(error);
  if (value == NULL) return orthantinternal_say(ORTHANT_INVALID, "the place of the number is NULL", error);
  return orthant_slogdet(factor, NULL, value, error);
}

int orthant_abi_version(void) { return ORTHANT_ABI; }

orthant_status orthant_methods(orthant_text *json, orthant_text *error) {
  LEAVE_IF_FORKED(error);
  return (orthant_status)orthantinternal_describe(0, 0, json, error);
}

orthant_status orthant_info(orthant_text *json, orthant_text *error) {
  LEAVE_IF_FORKED(error);
  return (orthant_status)orthantinternal_describe(1, 0, json, error);
}

orthant_status orthant_explain(const char *message, orthant_text *json, orthant_text *error) {
  LEAVE_IF_FORKED(error);
  return (orthant_status)orthantinternal_explain(message, json, error);
}

orthant_status orthant_set_num_threads(int64_t threads, orthant_text *error) {
  LEAVE_IF_FORKED(error);
  return (orthant_status)orthantinternal_set_num_threads(threads, error);
}

orthant_status orthant_get_num_threads(int64_t *threads, orthant_text *error) {
  LEAVE_IF_FORKED(error);
  return (orthant_status)orthantinternal_get_num_threads(threads, error);
}

orthant_status orthant_report(orthant_result result, orthant_text *json, orthant_text *error) {
  LEAVE_IF_FORKED(error);
  return (orthant_status)orthantinternal_describe(2, (uintptr_t)result, json, error);
}

orthant_status orthant_model_info(orthant_model model, orthant_text *json, orthant_text *error) {
  LEAVE_IF_FORKED(error);
  return (orthant_status)orthantinternal_describe(3, (uintptr_t)model, json, error);
}

orthant_status orthant_wait(orthant_result result, int64_t milliseconds, double *share, orthant_text *phase,
                            orthant_text *error) {
  LEAVE_IF_FORKED(error);
  return (orthant_status)orthantinternal_wait((uintptr_t)result, milliseconds, share, phase, error);
}

orthant_status orthant_cancel(orthant_result result, orthant_text *error) {
  LEAVE_IF_FORKED(error);
  return (orthant_status)orthantinternal_cancel((uintptr_t)result, error);
}

orthant_status orthant_shape(orthant_result result, const char *name, int64_t *rows, int64_t *cols, int32_t *type,
                             orthant_text *error) {
  LEAVE_IF_FORKED(error);
  return (orthant_status)orthantinternal_shape((uintptr_t)result, name, rows, cols, type, error);
}

orthant_status orthant_copy(orthant_result result, const char *name, const orthant_buffer *to, orthant_text *error) {
  LEAVE_IF_FORKED(error);
  return (orthant_status)orthantinternal_copy((uintptr_t)result, name, to, error);
}

orthant_status orthant_number(orthant_result result, const char *name, double *value, orthant_text *error) {
  LEAVE_IF_FORKED(error);
  return (orthant_status)orthantinternal_number((uintptr_t)result, name, value, error);
}

orthant_status orthant_result_free(orthant_result result) {
  LEAVE_IF_FORKED(NULL);
  return (orthant_status)orthantinternal_free(0, (uintptr_t)result);
}

orthant_status orthant_model_free(orthant_model model) {
  LEAVE_IF_FORKED(NULL);
  return (orthant_status)orthantinternal_free(1, (uintptr_t)model);
}

orthant_status orthant_model_of(orthant_result result, orthant_model *model, orthant_text *error) {
  uintptr_t handle = 0;
  orthant_status status;
  if (model == NULL) return orthantinternal_say(ORTHANT_INVALID, "the place of the model is NULL", error);
  *model = NULL;
  LEAVE_IF_FORKED(error);
  status = (orthant_status)orthantinternal_model_of((uintptr_t)result, &handle, error);
  *model = (orthant_model)handle;
  return status;
}

orthant_status orthant_save(orthant_model model, const char *path, orthant_text *error) {
  LEAVE_IF_FORKED(error);
  return (orthant_status)orthantinternal_save((uintptr_t)model, path, error);
}

orthant_status orthant_load(const char *path, orthant_model *model, orthant_text *error) {
  uintptr_t handle = 0;
  orthant_status status;
  if (model == NULL) return orthantinternal_say(ORTHANT_INVALID, "the place of the model is NULL", error);
  *model = NULL;
  LEAVE_IF_FORKED(error);
  status = (orthant_status)orthantinternal_load(path, &handle, error);
  *model = (orthant_model)handle;
  return status;
}

orthant_status orthant_save_bytes(orthant_model model, void *buffer, size_t size, size_t *needed, orthant_text *error) {
  LEAVE_IF_FORKED(error);
  return (orthant_status)orthantinternal_save_bytes((uintptr_t)model, buffer, size, needed, error);
}

orthant_status orthant_load_bytes(const void *bytes, size_t size, orthant_model *model, orthant_text *error) {
  uintptr_t handle = 0;
  orthant_status status;
  if (model == NULL) return orthantinternal_say(ORTHANT_INVALID, "the place of the model is NULL", error);
  *model = NULL;
  LEAVE_IF_FORKED(error);
  status = (orthant_status)orthantinternal_load_bytes((void *)bytes, size, &handle, error);
  *model = (orthant_model)handle;
  return status;
}
