/* Embeds a swiss roll by NEML, maps points that were not part of it, and keeps the model.
 *
 *     make lib
 *     cc -Icmd/liborthant -o embed examples/c/embed.c -Lbin/lib -lorthant -lm -Wl,-rpath,$PWD/bin/lib
 *     ./embed roll.model
 *
 * Once installed (make install): cc embed.c $(pkg-config --cflags --libs orthant) -lm
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "orthant.h"

enum { N = 800, M = 3, D = 2, NEW = 5 };

/* Ends the program by the text of an error. */
static void need(orthant_status status, const orthant_text *error) {
  if (status == ORTHANT_OK) return;
  fprintf(stderr, "status %d: %s\n", (int)status, error->data);
  exit(1);
}

/* A roll with known coordinates: the length t along it and the height h. */
static void roll(double *x, int n, unsigned seed) {
  int i;
  for (i = 0; i < n; i++) {
    double t, h;
    seed = seed * 1664525u + 1013904223u;
    t = 4.7 + 9.4 * (seed >> 8) / 16777216.0;
    seed = seed * 1664525u + 1013904223u;
    h = 21.0 * (seed >> 8) / 16777216.0;
    x[i * M] = t * cos(t);
    x[i * M + 1] = h;
    x[i * M + 2] = t * sin(t);
  }
}

/* Prints how the work goes on; returning anything but 0 would cancel it. */
static int progress(void *user, const char *phase, double done) {
  (void)user;
  fprintf(stderr, "%s %3.0f %%\n", phase, 100 * done);
  return 0;
}

int main(int argc, char **argv) {
  static double x[N * M], y[N * D], new_x[NEW * M], new_y[NEW * D];
  char room[512];
  orthant_text error = {room, sizeof room, 0};
  orthant_options options = ORTHANT_OPTIONS;
  orthant_matrix samples = {x, N, M, M, ORTHANT_FLOAT64}, later = {new_x, NEW, M, M, ORTHANT_FLOAT64};
  orthant_buffer out = {y, N, D, D, ORTHANT_FLOAT64}, new_out = {new_y, NEW, D, D, ORTHANT_FLOAT64};
  orthant_result fit = NULL, mapped = NULL;
  orthant_model model = NULL;
  int i;

  if (orthant_abi_version() != ORTHANT_ABI) {
    fprintf(stderr, "built for ABI %d, the library has %d\n", ORTHANT_ABI, orthant_abi_version());
    return 1;
  }
  roll(x, N, 1);
  for (i = 0; i < NEW * M; i++) new_x[i] = x[i]; /* samples of the fit, to see them again */
  options.progress = progress;

  need(orthant_embed("neml", "{\"neighbors\": 12, \"dim\": 2, \"model\": true}", &samples, &options, &fit, &error), &error);
  need(orthant_copy(fit, "embedding", &out, &error), &error);
  need(orthant_model_of(fit, &model, &error), &error);
  need(orthant_transform(model, NULL, &later, NULL, &mapped, &error), &error);
  need(orthant_copy(mapped, "embedding", &new_out, &error), &error);
  for (i = 0; i < NEW * D; i++) {
    if (fabs(new_y[i] - y[i]) > 1e-4) {
      fprintf(stderr, "a sample of the fit was mapped elsewhere: %g, %g\n", new_y[i], y[i]);
      return 1;
    }
  }
  if (argc > 1) need(orthant_save(model, argv[1], &error), &error);
  printf("%d samples embedded in %d dimensions; the first is at (%.4f, %.4f)\n", N, D, y[0], y[1]);

  orthant_model_free(model);
  orthant_result_free(mapped);
  orthant_result_free(fit);
  return 0;
}
