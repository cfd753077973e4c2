/* What the files of the package share. */
#ifndef RORTHANT_H
#define RORTHANT_H

#define R_NO_REMAP /* error and length are words of orthant.h */
#include <R.h>
#include <Rinternals.h>

#include "orthant.h"

/* The functions of the library, found when the first of them is called (library.c). */
typedef struct library {
  __typeof__(orthant_abi_version) *abi_version;
  __typeof__(orthant_info) *info;
  __typeof__(orthant_methods) *methods;
  __typeof__(orthant_explain) *explain;
  __typeof__(orthant_embed) *embed;
  __typeof__(orthant_factorize) *factorize;
  __typeof__(orthant_cluster) *cluster;
  __typeof__(orthant_neighbors) *neighbors;
  __typeof__(orthant_transform) *transform;
  __typeof__(orthant_evaluate) *evaluate;
  __typeof__(orthant_eigsh_of) *eigsh_of;
  __typeof__(orthant_largest_of) *largest_of;
  __typeof__(orthant_svds_of) *svds_of;
  __typeof__(orthant_ldlt_of) *ldlt_of;
  __typeof__(orthant_solve) *solve;
  __typeof__(orthant_log_det) *log_det;
  __typeof__(orthant_wait) *wait;
  __typeof__(orthant_shape) *shape;
  __typeof__(orthant_copy) *copy;
  __typeof__(orthant_number) *number;
  __typeof__(orthant_report) *report;
  __typeof__(orthant_result_free) *result_free;
  __typeof__(orthant_model_of) *model_of;
  __typeof__(orthant_model_info) *model_info;
  __typeof__(orthant_save) *save;
  __typeof__(orthant_load) *load;
  __typeof__(orthant_model_free) *model_free;
} library;

/* Returns the library, which the first call loads; what is wrong is an R error. */
const library *rorthant_library(void);

/* Keeps R's handlers of signals off the threads of Go while tasks are at work: at the start of each task, during it, and
 * at its end. */
void rorthant_quiet(void);
void rorthant_sample(void);
void rorthant_loud(void);

/* A task: what it was given, which must stay until it has ended, and its result. */
typedef struct task {
  orthant_result result;
  int quiet; /* whether it asked for quiet */
  orthant_options options;
  orthant_eigsh_problem eigsh;
  orthant_largest_problem largest;
  orthant_svds_problem svds;
  orthant_factor_problem ldlt;
  orthant_evaluation evaluation;
  orthant_matrix matrices[14]; /* as many as inputs.c reads at most */
  orthant_csr compressed[5];
} task;

task *rorthant_task(SEXP handle);

/* Reads the inputs of a task into it, by their names. Returns the samples, NULL where there are none. */
const orthant_matrix *rorthant_inputs(task *t, SEXP inputs);

/* The entry of a list by its name, R_NilValue where there is none. */
SEXP rorthant_entry(SEXP list, const char *name);

/* list(status, text), and besides phase and share where phase is not NULL. */
SEXP rorthant_said(orthant_status status, const char *text, const char *phase, double share);

/* Writes a text by a function of the library, as an R string; what is wrong is list(status, text). */
typedef orthant_status (*rorthant_writer)(void *of, orthant_text *to, orthant_text *error);
SEXP rorthant_text(rorthant_writer writer, void *of);

/* The functions that R calls. */
SEXP C_task(void);
SEXP C_start(SEXP handle, SEXP name, SEXP method, SEXP count, SEXP parameters, SEXP inputs, SEXP model);
SEXP C_wait(SEXP handle, SEXP milliseconds);
SEXP C_release(SEXP handle);
SEXP C_keep(SEXP handle);
SEXP C_solve(SEXP handle, SEXP b);
SEXP C_log_det(SEXP handle);
SEXP C_array(SEXP handle, SEXP name, SEXP offset);
SEXP C_number(SEXP handle, SEXP name);
SEXP C_report(SEXP handle);
SEXP C_turn(SEXP x);
SEXP C_whole(SEXP x, SEXP offset);
SEXP C_describe(SEXP methods);
SEXP C_explain(SEXP message);
SEXP C_model(SEXP handle);
SEXP C_model_info(SEXP model);
SEXP C_save(SEXP model, SEXP path);
SEXP C_load(SEXP path);
SEXP C_flags(void);

orthant_model rorthant_model(SEXP model);

#endif
