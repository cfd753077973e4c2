//go:build cgo

/* The solvers of orthant.h. The functions that are kept until 2.0 convert orthant_problem to the struct of their solver. */

#include <stdio.h>

#include "shim.h"

orthant_status orthant_eigsh_of(int64_t count, const char *parameters, const orthant_eigsh_problem *problem,
                                const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, N(count), P(parameters), P(problem), P(options), P(result), P(error));
}

orthant_status orthant_largest_of(int64_t count, const char *parameters, const orthant_largest_problem *problem,
                                  const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, N(count), P(parameters), P(problem), P(options), P(result), P(error));
}

orthant_status orthant_svds_of(int64_t count, const char *parameters, const orthant_svds_problem *problem,
                               const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, N(count), P(parameters), P(problem), P(options), P(result), P(error));
}

orthant_status orthant_cholesky_of(const char *parameters, const orthant_factor_problem *problem,
                                   const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, P(parameters), P(problem), P(options), P(result), P(error));
}

orthant_status orthant_ldlt_of(const char *parameters, const orthant_factor_problem *problem,
                               const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, P(parameters), P(problem), P(options), P(result), P(error));
}

orthant_status orthant_update_values_of(orthant_result factor, const char *parameters,
                                        const orthant_factor_problem *problem, const orthant_options *options,
                                        orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, P(factor), P(parameters), P(problem), P(options), P(result), P(error));
}

orthant_status orthant_solve(orthant_result factor, const orthant_buffer *x, orthant_text *error) {
  CALL(error, P(factor), P(x), P(error));
}

orthant_status orthant_laplacian_of(const char *parameters, const orthant_factor_problem *problem,
                                    const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, P(parameters), P(problem), P(options), P(result), P(error));
}

orthant_status orthant_solve_measured(orthant_result solver, const orthant_buffer *x, int64_t *iterations,
                                      double *residual, orthant_text *error) {
  CALL(error, P(solver), P(x), P(iterations), P(residual), P(error));
}

orthant_status orthant_slogdet(orthant_result factor, double *sign, double *logarithm, orthant_text *error) {
  CALL(error, P(factor), P(sign), P(logarithm), P(error));
}

orthant_status orthant_apply(orthant_result factor, const char *parts, const orthant_buffer *x, orthant_text *error) {
  CALL(error, P(factor), P(parts), P(x), P(error));
}

orthant_status orthant_parts_of(orthant_result factor, const char *parameters, const orthant_options *options,
                                orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, P(factor), P(parameters), P(options), P(result), P(error));
}

orthant_status orthant_inverse_of(orthant_result factor, const char *parameters, const orthant_csr *pattern,
                                  const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, P(factor), P(parameters), P(pattern), P(options), P(result), P(error));
}

orthant_status orthant_update_rank_of(orthant_result factor, const char *parameters, const orthant_factor_problem *problem,
                                      const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, P(factor), P(parameters), P(problem), P(options), P(result), P(error));
}

orthant_status orthant_shortest_paths_of(const char *parameters, const orthant_paths_problem *problem,
                                         const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, P(parameters), P(problem), P(options), P(result), P(error));
}

orthant_status orthant_connected_components_of(const char *parameters, const orthant_graph_problem *problem,
                                               const orthant_options *options, orthant_result *result,
                                               orthant_text *error) {
  EMPTY(result);
  CALL(error, P(parameters), P(problem), P(options), P(result), P(error));
}

orthant_status orthant_spectral_init_of(int64_t dim, const char *parameters, const orthant_graph_problem *problem,
                                        const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, N(dim), P(parameters), P(problem), P(options), P(result), P(error));
}

orthant_status orthant_lloyd_of(const char *parameters, const orthant_lloyd_problem *problem,
                                const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, P(parameters), P(problem), P(options), P(result), P(error));
}

orthant_status orthant_nearest_of(int64_t k, const char *parameters, const orthant_nearest_problem *problem,
                                  const orthant_options *options, orthant_result *result, orthant_text *error) {
  EMPTY(result);
  CALL(error, N(k), P(parameters), P(problem), P(options), P(result), P(error));
}

orthant_status orthant_log_det(orthant_result factor, double *value, orthant_text *error) {
  LEAVE_IF_FORKED(error);
  if (value == NULL) return orthantinternal_say(ORTHANT_INVALID, "the place of the number is NULL", error);
  return orthant_slogdet(factor, NULL, value, error);
}

/* The fields of an orthant_problem that a solver takes, in addition to a. */
enum { DENSE = 1, PRODUCTS = 2, M = 4, M_DENSE = 8, NULLS = 16, START = 32, SOURCES = 64 };

/* Refuses fields that a solver does not take. */
static orthant_status only(int takes, const char *solver, const orthant_problem *p, orthant_text *error) {
  const struct {
    int field, there;
    const char *name;
  } fields[] = {{DENSE, p->dense != NULL, "dense"},       {PRODUCTS, p->products != NULL, "products"},
                {M, p->m != NULL, "m"},                   {M_DENSE, p->m_dense != NULL, "m_dense"},
                {NULLS, p->null != NULL, "null"},         {START, p->start != NULL, "start"},
                {SOURCES, p->sources != NULL || p->sources_count != 0, "sources"}};
  char text[200];
  size_t i;
  for (i = 0; i < sizeof fields / sizeof *fields; i++) {
    if (!fields[i].there || (takes & fields[i].field)) continue;
    snprintf(text, sizeof text, "%s: the problem has %s, which it does not take; leave it out", solver, fields[i].name);
    return orthantinternal_say(ORTHANT_INVALID, text, error);
  }
  return ORTHANT_OK;
}

static orthant_status too_small(size_t size, orthant_text *error) {
  char text[200];
  snprintf(text, sizeof text, "the problem: struct_size is %zu where version %d has %zu; set it to sizeof(orthant_problem)", size,
           ORTHANT_ABI, sizeof(orthant_problem));
  return orthantinternal_say(ORTHANT_INVALID, text, error);
}

#define BEGIN_OLD(solver, takes)                                                                                  \
  if (result == NULL) return orthantinternal_say(ORTHANT_INVALID, "the place of the result is NULL", error);      \
  *result = NULL;                                                                                                 \
  LEAVE_IF_FORKED(error);                                                                                         \
  if (problem == NULL) return orthantinternal_say(ORTHANT_INVALID, "the problem is NULL", error);                 \
  if (problem->struct_size < sizeof *problem) return too_small(problem->struct_size, error);                      \
  if (only(takes, solver, problem, error) != ORTHANT_OK) return ORTHANT_INVALID

orthant_status orthant_eigsh(int64_t count, const char *parameters, const orthant_problem *problem,
                             const orthant_options *options, orthant_result *result, orthant_text *error) {
  orthant_eigsh_problem own = ORTHANT_EIGSH_PROBLEM;
  BEGIN_OLD("eigsh", DENSE | PRODUCTS | M | M_DENSE | NULLS | START);
  own.a = problem->a, own.a_dense = problem->dense, own.a_products = problem->products;
  own.m = problem->m, own.m_dense = problem->m_dense, own.null_vectors = problem->null;
  own.start = problem->start;
  return orthant_eigsh_of(count, parameters, &own, options, result, error);
}

orthant_status orthant_largest(int64_t count, const char *parameters, const orthant_problem *problem,
                               const orthant_options *options, orthant_result *result, orthant_text *error) {
  orthant_largest_problem own = ORTHANT_LARGEST_PROBLEM;
  BEGIN_OLD("largest", DENSE | PRODUCTS);
  own.a = problem->a, own.a_dense = problem->dense, own.a_products = problem->products;
  return orthant_largest_of(count, parameters, &own, options, result, error);
}

orthant_status orthant_svds(int64_t count, const char *parameters, const orthant_problem *problem,
                            const orthant_options *options, orthant_result *result, orthant_text *error) {
  orthant_svds_problem own = ORTHANT_SVDS_PROBLEM;
  BEGIN_OLD("svds", DENSE | PRODUCTS);
  own.a = problem->a, own.a_dense = problem->dense, own.a_products = problem->products;
  return orthant_svds_of(count, parameters, &own, options, result, error);
}

orthant_status orthant_cholesky(const char *parameters, const orthant_problem *problem, const orthant_options *options,
                                orthant_result *result, orthant_text *error) {
  orthant_factor_problem own = ORTHANT_FACTOR_PROBLEM;
  BEGIN_OLD("cholesky", DENSE);
  own.a = problem->a, own.a_dense = problem->dense;
  return orthant_cholesky_of(parameters, &own, options, result, error);
}

orthant_status orthant_ldlt(const char *parameters, const orthant_problem *problem, const orthant_options *options,
                            orthant_result *result, orthant_text *error) {
  orthant_factor_problem own = ORTHANT_FACTOR_PROBLEM;
  BEGIN_OLD("ldlt", DENSE);
  own.a = problem->a, own.a_dense = problem->dense;
  return orthant_ldlt_of(parameters, &own, options, result, error);
}

orthant_status orthant_update_values(orthant_result factor, const char *parameters, const orthant_problem *problem,
                                     const orthant_options *options, orthant_result *result, orthant_text *error) {
  orthant_factor_problem own = ORTHANT_FACTOR_PROBLEM;
  BEGIN_OLD("update_values", DENSE);
  own.a = problem->a, own.a_dense = problem->dense;
  return orthant_update_values_of(factor, parameters, &own, options, result, error);
}

orthant_status orthant_shortest_paths(const char *parameters, const orthant_problem *problem,
                                      const orthant_options *options, orthant_result *result, orthant_text *error) {
  orthant_paths_problem own = ORTHANT_PATHS_PROBLEM;
  BEGIN_OLD("shortest_paths", SOURCES);
  own.graph = problem->a, own.sources = problem->sources, own.sources_count = problem->sources_count;
  return orthant_shortest_paths_of(parameters, &own, options, result, error);
}

orthant_status orthant_connected_components(const char *parameters, const orthant_problem *problem,
                                            const orthant_options *options, orthant_result *result,
                                            orthant_text *error) {
  orthant_graph_problem own = ORTHANT_GRAPH_PROBLEM;
  BEGIN_OLD("connected_components", 0);
  own.graph = problem->a;
  return orthant_connected_components_of(parameters, &own, options, result, error);
}

orthant_status orthant_spectral_init(int64_t dim, const char *parameters, const orthant_problem *problem,
                                     const orthant_options *options, orthant_result *result, orthant_text *error) {
  orthant_graph_problem own = ORTHANT_GRAPH_PROBLEM;
  BEGIN_OLD("spectral_init", 0);
  own.graph = problem->a;
  return orthant_spectral_init_of(dim, parameters, &own, options, result, error);
}

orthant_status orthant_lloyd(const char *parameters, const orthant_problem *problem, const orthant_options *options,
                             orthant_result *result, orthant_text *error) {
  orthant_lloyd_problem own = ORTHANT_LLOYD_PROBLEM;
  BEGIN_OLD("lloyd", DENSE | M_DENSE | NULLS | START);
  own.samples = problem->a, own.samples_dense = problem->dense, own.weights = problem->m_dense;
  own.centers = problem->start, own.draws = problem->null;
  return orthant_lloyd_of(parameters, &own, options, result, error);
}

orthant_status orthant_nearest(int64_t k, const char *parameters, const orthant_problem *problem,
                               const orthant_options *options, orthant_result *result, orthant_text *error) {
  orthant_nearest_problem own = ORTHANT_NEAREST_PROBLEM;
  BEGIN_OLD("nearest", DENSE | M | M_DENSE);
  own.samples = problem->a, own.samples_dense = problem->dense, own.queries = problem->m;
  own.queries_dense = problem->m_dense;
  return orthant_nearest_of(k, parameters, &own, options, result, error);
}
