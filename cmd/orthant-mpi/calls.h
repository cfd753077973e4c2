// What orthant-mpi asks of MPI, PETSc and SLEPc. Every function returns 0, or a code of
// PETSc's after which message() says what went wrong. All are called from one thread.
#ifndef ORTHANT_CALLS_H
#define ORTHANT_CALLS_H

#include <stdint.h>

typedef struct matrix matrix; // a symmetric matrix in rows over the processes, with its factor

typedef struct {
	double entries, flops;        // of the factor, and to make it
	double most, total;           // MB of the process that takes most, and of all
	double own;                   // MB of this one
	int ordering, parallel, code; // by MUMPS' numbers
} estimate;

const char *message(void);

int start(int argc, char **argv);
int finish(void);
void quit(int status);
int place(int *rank, int *size);

int reduce_numbers(double *x, int n, int op); // 0 sum, 1 largest, 2 least
int reduce_counts(int64_t *x, int n, int op);
int broadcast(void *x, int n, int root);
int shift_around(const void *out, int64_t n_out, void *in, int64_t n_in, int to, int from, int width);
int send_to(const void *x, int64_t n, int to, int width);
int receive_from(void *x, int64_t n, int from, int width);
int scatter_all(const void *out, const int *n_out, const int *at_out, void *in, const int *n_in, const int *at_in, int width);

int matrix_new(int own, int all, matrix **made);
int matrix_add(matrix *m, int rows, const int *row, const int64_t *ptr, const int *col, const double *val);
int matrix_rows(matrix *m, double *diagonal, double *sums, int *entries, double *nonzeros);
int matrix_scale(matrix *m, const double *scale);
int matrix_multiply(matrix *m, const double *x, double *y);
int matrix_analyze(matrix *m, double shift, int parallel, estimate *e);
int matrix_factor(matrix *m, int *indefinite);
int matrix_solve(matrix *m, const double *x, double *y);
int matrix_lowest(matrix *m, int wanted, double shift, double tolerance, int most, const double *null, const double *begin,
	int *found, double *values, double *vectors, int *solves, int *missed);

#endif
