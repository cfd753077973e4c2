//go:build cgo

/* The solvers of orthant.h. Each fills the fields of orthantinternal_inputs with its inputs. The functions that are
 * kept until 2.0 convert orthant_problem to the struct of their solver. */

#include <stdio.h>

#include "shim.h"

int orthantinternal_multiply(orthant_product multiply, void *user, int transposed, int64_t width, const double *x,
                             double *y) {
  return multiply(user, transposed, width, x, y);
}

/* The rows of problems in problem.go. */
enum { EIGSH, LARGEST, SVDS, CHOLESKY, UPDATE_VALUES, SHORTEST_PATHS, CONNECTED_COMPONENTS, SPECTRAL_INIT, LLOYD, NEAREST, LDLT, LAPLACIAN,
       UPDATE_RANK, INVERSE, PARTS };

static orthant_status solve(int task, int64_t count, const char *parameters, orthant_result factor,
                            const orthantinternal_inputs *in, const orthant_options *options, orthant_result *result,
                            orthant_text *error) {
  uintptr_t handle = 0;
  orthant_status status =
      (orthant_status)orthantinternal_problem(task, count, parameters, (uintptr_t)factor, in, options, &handle, error);
  *result = (orthant_result)handle;
  return status;
}

static orthant_status too_small(size_t size, size_t needed, const char *type, orthant_text *error) {
  char text[200];
  snprintf(text, sizeof text, "the problem: struct_size is %zu where version %d has %zu; set it to sizeof(%s)", size,
           ORTHANT_ABI, needed, type);
  return orthantinternal_say(ORTHANT_INVALID, text, error);
}

/* Every solver first checks its result pointer and its problem. */
#define BEGIN_RESULT                                                                                              \
  if (result == NULL) return orthantinternal_say(ORTHANT_INVALID, "the place of the result is NULL", error);      \
  *result = NULL;                                                                                                 \
  LEAVE_IF_FORKED(error)

#define BEGIN(type)                                                                                               \
  BEGIN_RESULT;                                                                                                   \
  if (problem == NULL) return orthantinternal_say(ORTHANT_INVALID, "the problem is NULL", error);                 \
  if (problem->struct_size < sizeof(type)) return too_small(problem->struct_size, sizeof(type), #type, error)

orthant_status orthant_eigsh_of(int64_t count, const char *parameters, const orthant_eigsh_problem *problem,
                                const orthant_options *options, orthant_result *result, orthant_text *error) {
  orthantinternal_inputs in = {0};
  BEGIN(orthant_eigsh_problem);
  in.a = problem->a, in.dense = problem->a_dense, in.products = problem->a_products;
  in.m = problem->m, in.m_dense = problem->m_dense, in.null_vectors = problem->null_vectors;
  in.start = problem->start;
  return solve(EIGSH, count, parameters, NULL, &in, options, result, error);
}

orthant_status orthant_largest_of(int64_t count, const char *parameters, const orthant_largest_problem *problem,
                                  const orthant_options *options, orthant_result *result, orthant_text *error) {
  orthantinternal_inputs in = {0};
  BEGIN(orthant_largest_problem);
  in.a = problem->a, in.dense = problem->a_dense, in.products = problem->a_products;
  return solve(LARGEST, count, parameters, NULL, &in, options, result, error);
}

orthant_status orthant_svds_of(int64_t count, const char *parameters, const orthant_svds_problem *problem,
                               const orthant_options *options, orthant_result *result, orthant_text *error) {
  orthantinternal_inputs in = {0};
  BEGIN(orthant_svds_problem);
  in.a = problem->a, in.dense = problem->a_dense, in.products = problem->a_products;
  return solve(SVDS, count, parameters, NULL, &in, options, result, error);
}

orthant_status orthant_cholesky_of(const char *parameters, const orthant_factor_problem *problem,
                                   const orthant_options *options, orthant_result *result, orthant_text *error) {
  orthantinternal_inputs in = {0};
  BEGIN(orthant_factor_problem);
  in.a = problem->a, in.dense = problem->a_dense;
  return solve(CHOLESKY, 0, parameters, NULL, &in, options, result, error);
}

orthant_status orthant_ldlt_of(const char *parameters, const orthant_factor_problem *problem,
                               const orthant_options *options, orthant_result *result, orthant_text *error) {
  orthantinternal_inputs in = {0};
  BEGIN(orthant_factor_problem);
  in.a = problem->a, in.dense = problem->a_dense;
  return solve(LDLT, 0, parameters, NULL, &in, options, result, error);
}

orthant_status orthant_laplacian_of(const char *parameters, const orthant_factor_problem *problem,
                                    const orthant_options *options, orthant_result *result, orthant_text *error) {
  orthantinternal_inputs in = {0};
  BEGIN(orthant_factor_problem);
  in.a = problem->a, in.dense = problem->a_dense;
  return solve(LAPLACIAN, 0, parameters, NULL, &in, options, result, error);
}

orthant_status orthant_update_values_of(orthant_result factor, const char *parameters,
                                        const orthant_factor_problem *problem, const orthant_options *options,
                                        orthant_result *result, orthant_text *error) {
  orthantinternal_inputs in = {0};
  BEGIN(orthant_factor_problem);
  in.a = problem->a, in.dense = problem->a_dense;
  return solve(UPDATE_VALUES, 0, parameters, factor, &in, options, result, error);
}

orthant_status orthant_update_rank_of(orthant_result factor, const char *parameters,
                                      const orthant_factor_problem *problem, const orthant_options *options,
                                      orthant_result *result, orthant_text *error) {
  orthantinternal_inputs in = {0};
  BEGIN(orthant_factor_problem);
  in.a = problem->a, in.dense = problem->a_dense;
  return solve(UPDATE_RANK, 0, parameters, factor, &in, options, result, error);
}

orthant_status orthant_inverse_of(orthant_result factor, const char *parameters, const orthant_csr *pattern,
                                  const orthant_options *options, orthant_result *result, orthant_text *error) {
  orthantinternal_inputs in = {0};
  BEGIN_RESULT;
  in.a = pattern;
  return solve(INVERSE, 0, parameters, factor, &in, options, result, error);
}

orthant_status orthant_parts_of(orthant_result factor, const char *parameters, const orthant_options *options,
                                orthant_result *result, orthant_text *error) {
  orthantinternal_inputs in = {0};
  BEGIN_RESULT;
  return solve(PARTS, 0, parameters, factor, &in, options, result, error);
}

orthant_status orthant_shortest_paths_of(const char *parameters, const orthant_paths_problem *problem,
                                         const orthant_options *options, orthant_result *result, orthant_text *error) {
  orthantinternal_inputs in = {0};
  BEGIN(orthant_paths_problem);
  in.a = problem->graph, in.sources = problem->sources, in.sources_count = problem->sources_count;
  return solve(SHORTEST_PATHS, 0, parameters, NULL, &in, options, result, error);
}

orthant_status orthant_connected_components_of(const char *parameters, const orthant_graph_problem *problem,
                                               const orthant_options *options, orthant_result *result,
                                               orthant_text *error) {
  orthantinternal_inputs in = {0};
  BEGIN(orthant_graph_problem);
  in.a = problem->graph;
  return solve(CONNECTED_COMPONENTS, 0, parameters, NULL, &in, options, result, error);
}

orthant_status orthant_spectral_init_of(int64_t dim, const char *parameters, const orthant_graph_problem *problem,
                                        const orthant_options *options, orthant_result *result, orthant_text *error) {
  orthantinternal_inputs in = {0};
  BEGIN(orthant_graph_problem);
  in.a = problem->graph;
  return solve(SPECTRAL_INIT, dim, parameters, NULL, &in, options, result, error);
}

orthant_status orthant_lloyd_of(const char *parameters, const orthant_lloyd_problem *problem,
                                const orthant_options *options, orthant_result *result, orthant_text *error) {
  orthantinternal_inputs in = {0};
  BEGIN(orthant_lloyd_problem);
  in.a = problem->samples, in.dense = problem->samples_dense, in.weights = problem->weights;
  in.centers = problem->centers, in.draws = problem->draws;
  return solve(LLOYD, 0, parameters, NULL, &in, options, result, error);
}

orthant_status orthant_nearest_of(int64_t k, const char *parameters, const orthant_nearest_problem *problem,
                                  const orthant_options *options, orthant_result *result, orthant_text *error) {
  orthantinternal_inputs in = {0};
  BEGIN(orthant_nearest_problem);
  in.a = problem->samples, in.dense = problem->samples_dense, in.queries = problem->queries;
  in.queries_dense = problem->queries_dense;
  return solve(NEAREST, k, parameters, NULL, &in, options, result, error);
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

#define BEGIN_OLD(solver, takes)  \
  BEGIN(orthant_problem);         \
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
