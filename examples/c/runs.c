/* Factorises mixtures of three parts sixty times, and finds how many parts the runs agree on.
 *
 *     make lib
 *     cc -Icmd/liborthant -o runs examples/c/runs.c -Lbin/lib -lorthant -lm -Wl,-rpath,$PWD/bin/lib
 *     ./runs
 */
#include <stdio.h>
#include <stdlib.h>

#include "orthant.h"

enum { N = 200, M = 12, RANKS = 3, RUNS = 20, MOST = 4 };

/* Ends the program by the text of an error. */
static void need(orthant_status status, const orthant_text *error) {
  if (status == ORTHANT_OK) return;
  fprintf(stderr, "status %d: %s\n", (int)status, error->data);
  exit(1);
}

static double uniform(void) {
  static unsigned seed = 1;
  seed = seed * 1664525u + 1013904223u;
  return (seed >> 8) / 16777216.0;
}

/* Part k has the columns 4k to 4k + 3; every sample has much of one part and little of the others. */
static void mix(double *x) {
  int i, j;
  for (i = 0; i < N; i++) {
    double of[3];
    for (j = 0; j < 3; j++) of[j] = 0.2 * uniform() + (i % 3 == j);
    for (j = 0; j < M; j++) x[i * M + j] = of[j / 4] * (1 + j % 4) + 0.3 * uniform();
  }
}

int main(void) {
  static double x[N * M], h[RUNS * MOST * M];
  static int64_t labels[RUNS * N];
  const int64_t ranks[RANKS] = {2, 3, 4};
  char room[512];
  orthant_text error = {room, sizeof room, 0};
  orthant_matrix samples = {x, N, M, M, ORTHANT_FLOAT64};
  orthant_result runs = NULL;
  int i;

  mix(x);
  need(orthant_factorize_runs("nmf", ranks, RANKS, RUNS, "{\"iterations\": 100}", &samples, NULL, &runs, &error), &error);
  for (i = 0; i < RANKS; i++) {
    orthant_buffer to = {h, RUNS * ranks[i], M, M, ORTHANT_FLOAT64}, to_labels = {labels, RUNS, N, N, ORTHANT_INT64};
    orthant_matrix of = {h, RUNS * ranks[i], M, M, ORTHANT_FLOAT64}, of_labels = {labels, RUNS, N, N, ORTHANT_INT64};
    orthant_components components = ORTHANT_COMPONENTS;
    orthant_result found = NULL;
    double stability = 0, relative = 0, agreement = 0;
    char name[32];
    sprintf(name, "h_%d", (int)ranks[i]);
    need(orthant_copy(runs, name, &to, &error), &error);
    sprintf(name, "labels_%d", (int)ranks[i]);
    need(orthant_copy(runs, name, &to_labels, &error), &error);
    components.components = &of;
    components.labels = &of_labels;
    need(orthant_consensus(ranks[i], "{\"local_density_threshold\": 2}", &components, &samples, NULL, &found, &error), &error);
    need(orthant_number(found, "stability", &stability, &error), &error);
    need(orthant_number(found, "relative_error", &relative, &error), &error);
    need(orthant_number(found, "cophenetic_correlation", &agreement, &error), &error);
    printf("rank %d: stability %.3f, error %.4f, cophenetic correlation %.3f\n", (int)ranks[i], stability, relative, agreement);
    orthant_result_free(found);
  }
  orthant_result_free(runs);
  return 0;
}
