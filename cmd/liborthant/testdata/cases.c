/* Runs calls that are read from standard input, one a line, and prints what comes of each: its status and error, its
 * report, and arrays. cases_test.go writes the lines from testdata/cases.json. The fields of a line, divided by tabs:
 *     TASK METHOD COUNT PARAMETERS ARRAYS INPUT ...
 * "-" means none; ARRAYS are names separated by commas, an INPUT is NAME:ROWS:COLUMNS:FILE with float64 numbers, int64 for labels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "orthant.h"

enum { INPUTS = 6 };

static char room[2000];
static orthant_text error = {room, sizeof room, 0};

typedef struct input {
  char name[16];
  int64_t rows, cols;
  void *data;
} input;

static void *contents(const char *path, size_t size) {
  FILE *f = fopen(path, "rb");
  void *data = malloc(size);
  if (f == NULL || data == NULL || fread(data, 1, size, f) != size) exit(2);
  fclose(f);
  return data;
}

static const char *given(const char *field) { return strcmp(field, "-") == 0 ? NULL : field; }

static void print_array(orthant_result r, const char *name, const char *as) {
  int64_t rows, cols, i;
  int32_t type;
  double *numbers;
  orthant_buffer to;
  if (orthant_shape(r, name, &rows, &cols, &type, &error) != ORTHANT_OK) {
    printf("no array %s: %s\n", as, room);
    return;
  }
  numbers = malloc((size_t)(rows * cols) * sizeof *numbers);
  to.data = numbers, to.rows = rows, to.cols = cols, to.stride = cols, to.type = type;
  if (numbers == NULL || orthant_copy(r, name, &to, &error) != ORTHANT_OK) exit(3);
  printf("array %s %lld %lld", as, (long long)rows, (long long)cols);
  for (i = 0; i < rows * cols; i++) printf(" %.17g", type == ORTHANT_INT64 ? (double)((int64_t *)numbers)[i] : numbers[i]);
  printf("\n");
  free(numbers);
}

static void print_report(orthant_result r) {
  orthant_text json = {NULL, 0, 0};
  orthant_report(r, &json, NULL);
  json.data = malloc(json.needed), json.size = json.needed;
  if (orthant_report(r, &json, NULL) != ORTHANT_OK) exit(4);
  printf("report %s\n", json.data);
  free(json.data);
}

/* Maps samples by the model of a fit. */
static orthant_status map(orthant_result fit, const orthant_matrix *x, orthant_result *mapped) {
  orthant_model model = NULL;
  orthant_status status = orthant_model_of(fit, &model, &error);
  if (status == ORTHANT_OK) status = orthant_transform(model, NULL, x, NULL, mapped, &error);
  orthant_model_free(model);
  return status;
}

static void run(char *line) {
  char *fields[5], *name;
  const char *task, *method, *parameters;
  int64_t count;
  input of[INPUTS];
  orthant_matrix matrices[INPUTS];
  orthant_options options = ORTHANT_OPTIONS;
  orthant_evaluation evaluation = ORTHANT_EVALUATION;
  const orthant_matrix *x = NULL, *beyond = NULL;
  orthant_result r = NULL, mapped = NULL;
  orthant_status status = ORTHANT_INVALID;
  int inputs = 0, i;
  for (i = 0; i < 5; i++) fields[i] = strtok(i == 0 ? line : NULL, "\t\n");
  task = fields[0], method = given(fields[1]), count = atoll(fields[2]), parameters = given(fields[3]);
  while ((name = strtok(NULL, "\t\n")) != NULL) {
    input *p = &of[inputs];
    orthant_matrix *m = &matrices[inputs++];
    long long rows, cols;
    char path[1000];
    if (sscanf(name, "%15[^:]:%lld:%lld:%999s", p->name, &rows, &cols, path) != 4) exit(5);
    p->data = contents(path, (size_t)(rows * cols) * 8);
    m->data = p->data, m->rows = rows, m->cols = m->stride = cols, m->type = ORTHANT_FLOAT64;
    if (strcmp(p->name, "x") == 0) evaluation.x = x = m;
    if (strcmp(p->name, "new") == 0) beyond = m;
    if (strcmp(p->name, "distances") == 0) options.distances = m;
    if (strcmp(p->name, "targets") == 0) options.targets = m;
    if (strcmp(p->name, "weights") == 0) options.weights = m;
    if (strcmp(p->name, "embedding") == 0) evaluation.embedding = m;
    if (strcmp(p->name, "w") == 0) evaluation.w = m;
    if (strcmp(p->name, "h") == 0) evaluation.h = m;
    if (strcmp(p->name, "labels") == 0) evaluation.labels = options.labels = p->data, evaluation.labels_count = options.labels_count = rows;
    if (strcmp(p->name, "predicted") == 0) evaluation.predicted = p->data, evaluation.predicted_count = rows;
  }
  room[0] = 0;
  if (strcmp(task, "embed") == 0) status = orthant_embed(method, parameters, x, &options, &r, &error);
  if (strcmp(task, "factorize") == 0) status = orthant_factorize(method, count, parameters, x, &options, &r, &error);
  if (strcmp(task, "cluster") == 0) status = orthant_cluster(method, count, parameters, x, &options, &r, &error);
  if (strcmp(task, "neighbors") == 0) status = orthant_neighbors(count, parameters, x, &options, &r, &error);
  if (strcmp(task, "evaluate") == 0) status = orthant_evaluate(method, parameters, &evaluation, NULL, &r, &error);
  if (status == ORTHANT_OK && beyond != NULL) status = map(r, beyond, &mapped);
  printf("status %d %s\n", (int)status, room);
  if (status == ORTHANT_OK) {
    print_report(r);
    for (name = strtok(fields[4], ",-"); name != NULL; name = strtok(NULL, ","))
      if (strcmp(name, "new") == 0)
        print_array(mapped, strcmp(task, "cluster") == 0 ? "labels" : "embedding", name);
      else
        print_array(r, name, name);
  }
  orthant_result_free(mapped);
  orthant_result_free(r);
  for (i = 0; i < inputs; i++) free(of[i].data);
  printf("end\n");
}

int main(void) {
  static char line[10000];
  while (fgets(line, sizeof line, stdin) != NULL) run(line);
  return 0;
}
