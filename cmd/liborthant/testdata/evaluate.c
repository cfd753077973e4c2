/* Measures from C, with what can be done wrong. Prints what does not hold and ends with the number of such lines. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "orthant.h"

enum { N = 60, M = 4 };

static int failures;
static double x[N * M];
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

static void measure(const char *what, const char *metric, const char *parameters, const orthant_evaluation *of,
                    orthant_status want, const char *phrase) {
  orthant_result r = (orthant_result)&failures;
  orthant_status got = orthant_evaluate(metric, parameters, of, NULL, &r, &error);
  check("the result is NULL after an error", (r == NULL) == (got != ORTHANT_OK));
  expect(what, got, want, phrase);
  orthant_result_free(r);
}

int main(void) {
  static int64_t classes[N + 1], clusters[N];
  orthant_matrix s = samples(), first = samples();
  orthant_evaluation of = ORTHANT_EVALUATION, none = ORTHANT_EVALUATION;
  orthant_options o = ORTHANT_OPTIONS;
  orthant_result r = NULL;
  double value = 0;
  int i;
  for (i = 0; i < N * M; i++) x[i] = sin(1.7 * i) + 0.01 * (i % 13);
  for (i = 0; i < N; i++) classes[i] = i % 2, clusters[i] = 1 - i % 2;
  first.cols = 2; /* two of the four columns, where they lie */
  of.x = &s, of.embedding = &first;
  of.labels = classes, of.labels_count = N;
  of.predicted = clusters, of.predicted_count = N;
  measure("no metric", NULL, NULL, &of, ORTHANT_INVALID, "the metric is NULL");
  measure("no evaluation", "acc", NULL, NULL, ORTHANT_INVALID, "the evaluation is NULL");
  measure("an empty evaluation", "acc", NULL, &none, ORTHANT_INVALID, "acc needs labels");
  none.struct_size = 8;
  measure("an evaluation of another size", "acc", NULL, &none, ORTHANT_INVALID, "struct_size is 8");
  of.labels_count = -1;
  measure("a negative count", "acc", NULL, &of, ORTHANT_INVALID, "-1 labels");
  of.labels = (const int64_t *)((const char *)classes + 1), of.labels_count = N;
  measure("labels that are not aligned", "acc", NULL, &of, ORTHANT_INVALID, "aligned");
  of.labels = classes;
  s.data = NULL;
  measure("no data", "trustworthiness", NULL, &of, ORTHANT_INVALID, "NULL");
  s = samples();
  expect("no place", orthant_evaluate("acc", NULL, &of, NULL, NULL, &error), ORTHANT_INVALID, "place of the result");
  expect("in the background", orthant_evaluate("acc", NULL, &of, (o.patience = 60000, &o), &r, &error), ORTHANT_OK, "");
  expect("its value", orthant_number(r, "value", &value, &error), ORTHANT_OK, "");
  check("clusters by other names are the classes", value == 1);
  expect("no rates", orthant_shape(r, "rates", NULL, NULL, NULL, &error), ORTHANT_INVALID, "no array");
  orthant_result_free(r);
  printf("%d failures\n", failures);
  return failures != 0;
}
