//go:build mpi

#include <slepceps.h>
#include <stdio.h>
#include <string.h>

#include "calls.h"

// The first thing that went wrong.
static char said[512];

// keep stores the first message of an error in place of printing a trace of all callers.
static PetscErrorCode keep(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code, PetscErrorType type, const char *text, void *ctx)
{
	if (said[0] == 0 && text != NULL && text[0] != 0) {
		snprintf(said, sizeof said, "%s", text);
	}
	return code;
}

const char *message(void) { return said; }

// OpenBLAS, where it is what BLAS is: the processes share the cores already.
extern void openblas_set_num_threads(int) __attribute__((weak));

int start(int argc, char **argv)
{
	PetscErrorCode code = SlepcInitialize(&argc, &argv, NULL, NULL);
	if (code) {
		return code;
	}
	if (openblas_set_num_threads) {
		openblas_set_num_threads(1);
	}
	MPI_Comm_set_errhandler(PETSC_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	return PetscPushErrorHandler(keep, NULL);
}

int finish(void) { return SlepcFinalize(); }

void quit(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

int place(int *rank, int *size)
{
	PetscCallMPI(MPI_Comm_rank(PETSC_COMM_WORLD, rank));
	PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, size));
	return 0;
}

static MPI_Op operation(int op) { return op == 0 ? MPI_SUM : op == 1 ? MPI_MAX : MPI_MIN; }

int reduce_numbers(double *x, int n, int op)
{
	PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE, operation(op), PETSC_COMM_WORLD));
	return 0;
}

int reduce_counts(int64_t *x, int n, int op)
{
	PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_INT64_T, operation(op), PETSC_COMM_WORLD));
	return 0;
}

int broadcast(void *x, int n, int root)
{
	PetscCallMPI(MPI_Bcast(x, n, MPI_BYTE, root, PETSC_COMM_WORLD));
	return 0;
}

// items is a type of the given number of bytes, so that counts of items fit where counts of bytes do not.
static int items(int width, MPI_Datatype *type)
{
	PetscCallMPI(MPI_Type_contiguous(width, MPI_BYTE, type));
	PetscCallMPI(MPI_Type_commit(type));
	return 0;
}

int shift_around(const void *out, int64_t n_out, void *in, int64_t n_in, int to, int from, int width)
{
	MPI_Datatype type;
	PetscCall(items(width, &type));
	PetscCallMPI(MPI_Sendrecv(out, (int)n_out, type, to, 1, in, (int)n_in, type, from, 1, PETSC_COMM_WORLD, MPI_STATUS_IGNORE));
	PetscCallMPI(MPI_Type_free(&type));
	return 0;
}

int send_to(const void *x, int64_t n, int to, int width)
{
	MPI_Datatype type;
	PetscCall(items(width, &type));
	PetscCallMPI(MPI_Send(x, (int)n, type, to, 2, PETSC_COMM_WORLD));
	PetscCallMPI(MPI_Type_free(&type));
	return 0;
}

int receive_from(void *x, int64_t n, int from, int width)
{
	MPI_Datatype type;
	PetscCall(items(width, &type));
	PetscCallMPI(MPI_Recv(x, (int)n, type, from, 2, PETSC_COMM_WORLD, MPI_STATUS_IGNORE));
	PetscCallMPI(MPI_Type_free(&type));
	return 0;
}

int scatter_all(const void *out, const int *n_out, const int *at_out, void *in, const int *n_in, const int *at_in, int width)
{
	MPI_Datatype type;
	PetscCall(items(width, &type));
	PetscCallMPI(MPI_Alltoallv(out, n_out, at_out, type, in, n_in, at_in, type, PETSC_COMM_WORLD));
	PetscCallMPI(MPI_Type_free(&type));
	return 0;
}

struct matrix {
	Mat a, counter, shifted, factor;
	Vec x, y;
	double shift;
	int own, solves, parallel;
	int most, missed; // restarts of the search, and whether they were not enough
};

int matrix_new(int own, int all, matrix **made)
{
	matrix *m;
	PetscCall(PetscNew(&m));
	m->own = own;
	PetscCall(MatCreate(PETSC_COMM_WORLD, &m->a));
	PetscCall(MatSetSizes(m->a, own, own, all, all));
	PetscCall(MatSetType(m->a, MATAIJ));
	PetscCall(MatCreate(PETSC_COMM_WORLD, &m->counter));
	PetscCall(MatSetSizes(m->counter, own, own, all, all));
	PetscCall(MatSetType(m->counter, MATPREALLOCATOR));
	PetscCall(MatSetUp(m->counter));
	PetscCall(VecCreateMPI(PETSC_COMM_WORLD, own, all, &m->x));
	PetscCall(VecDuplicate(m->x, &m->y));
	*made = m;
	return 0;
}

static int add_rows(Mat a, int rows, const int *row, const int64_t *ptr, const int *col, const double *val)
{
	for (int i = 0; i < rows; i++) {
		PetscCall(MatSetValues(a, 1, row + i, (int)(ptr[i + 1] - ptr[i]), col + ptr[i], val + ptr[i], ADD_VALUES));
	}
	PetscCall(MatAssemblyBegin(a, MAT_FINAL_ASSEMBLY));
	PetscCall(MatAssemblyEnd(a, MAT_FINAL_ASSEMBLY));
	return 0;
}

// matrix_add adds rows, of whichever process, to the matrix: once to count its entries, once
// for good.
int matrix_add(matrix *m, int rows, const int *row, const int64_t *ptr, const int *col, const double *val)
{
	PetscCall(add_rows(m->counter, rows, row, ptr, col, val));
	PetscCall(MatPreallocatorPreallocate(m->counter, PETSC_FALSE, m->a));
	PetscCall(MatDestroy(&m->counter));
	PetscCall(MatSetOption(m->a, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_TRUE));
	PetscCall(add_rows(m->a, rows, row, ptr, col, val));
	PetscCall(MatSetOption(m->a, MAT_SYMMETRIC, PETSC_TRUE));
	PetscCall(MatSetOption(m->a, MAT_SPD, PETSC_TRUE));
	return 0;
}

// matrix_rows returns the diagonal, the sum of the absolute entries and their number of each
// own row, and the number of all entries.
int matrix_rows(matrix *m, double *diagonal, double *sums, int *entries, double *nonzeros)
{
	PetscInt lo, hi, n;
	const PetscInt *col;
	const PetscScalar *val;
	MatInfo info;
	PetscCall(MatGetOwnershipRange(m->a, &lo, &hi));
	for (PetscInt i = lo; i < hi; i++) {
		PetscCall(MatGetRow(m->a, i, &n, &col, &val));
		diagonal[i - lo] = sums[i - lo] = 0;
		entries[i - lo] = n;
		for (PetscInt q = 0; q < n; q++) {
			sums[i - lo] += PetscAbsScalar(val[q]);
			if (col[q] == i) {
				diagonal[i - lo] = val[q];
			}
		}
		PetscCall(MatRestoreRow(m->a, i, &n, &col, &val));
	}
	PetscCall(MatGetInfo(m->a, MAT_GLOBAL_SUM, &info));
	*nonzeros = info.nz_used;
	return 0;
}

// over makes a vector of numbers that the caller holds.
static int over(Vec v, const double *x) { return VecPlaceArray(v, x); }

// matrix_scale is A → SAS with ones in the diagonal.
int matrix_scale(matrix *m, const double *scale)
{
	PetscCall(over(m->x, scale));
	PetscCall(MatDiagonalScale(m->a, m->x, m->x));
	PetscCall(VecResetArray(m->x));
	PetscCall(VecSet(m->y, 1));
	PetscCall(MatDiagonalSet(m->a, m->y, INSERT_VALUES));
	return 0;
}

int matrix_multiply(matrix *m, const double *x, double *y)
{
	PetscCall(over(m->x, x));
	PetscCall(over(m->y, y));
	PetscCall(MatMult(m->a, m->x, m->y));
	PetscCall(VecResetArray(m->x));
	PetscCall(VecResetArray(m->y));
	return 0;
}

// set gives MUMPS a number of its control, which PETSc 3.18 passes on only as an option.
static int set(int icntl, int value)
{
	char name[40], text[20];
	snprintf(name, sizeof name, "-mat_mumps_icntl_%d", icntl);
	snprintf(text, sizeof text, "%d", value);
	PetscCall(PetscOptionsSetValue(NULL, name, text));
	return 0;
}

// prepare makes the factor's object, which keeps MUMPS quiet. more is the share, in per cent,
// by which its workspace is larger than estimated.
static int prepare(matrix *m, int more)
{
	PetscCall(MatDestroy(&m->factor));
	for (int i = 1; i <= 4; i++) {
		PetscCall(set(i, i < 4 ? -1 : 0));
	}
	PetscCall(set(14, more));
	PetscCall(set(28, m->parallel ? 2 : 1));
	if (m->parallel) {
		PetscCall(set(29, m->parallel));
	} else {
		PetscCall(set(7, 7));
	}
	PetscCall(MatGetFactor(m->shifted, MATSOLVERMUMPS, MAT_FACTOR_CHOLESKY, &m->factor));
	return 0;
}

static int symbolic(matrix *m)
{
	MatFactorInfo info;
	IS rows, cols;
	PetscCall(MatFactorInfoInitialize(&info));
	info.fill = 1;
	PetscCall(MatGetOrdering(m->shifted, MATORDERINGEXTERNAL, &rows, &cols));
	PetscCall(MatCholeskyFactorSymbolic(m->factor, m->shifted, rows, &info));
	PetscCall(ISDestroy(&rows));
	PetscCall(ISDestroy(&cols));
	return 0;
}

// matrix_analyze orders A + shift·I and finds the structure of its factor. parallel: 0, or
// MUMPS' number of the tool that orders in parallel.
int matrix_analyze(matrix *m, double shift, int parallel, estimate *e)
{
	PetscInt v;
	PetscReal r;
	MatFactorError failed;
	m->parallel = parallel;
	m->shift = shift;
	PetscCall(MatDestroy(&m->shifted));
	PetscCall(MatDuplicate(m->a, MAT_COPY_VALUES, &m->shifted));
	PetscCall(MatSetOption(m->shifted, MAT_SPD, PETSC_TRUE));
	PetscCall(MatShift(m->shifted, shift));
	PetscCall(prepare(m, 20));
	PetscCall(symbolic(m));
	PetscCall(MatFactorGetError(m->factor, &failed));
	PetscCall(MatMumpsGetInfog(m->factor, 1, &v));
	e->code = failed ? (v ? v : -1) : 0;
	PetscCall(MatMumpsGetInfog(m->factor, 3, &v));
	e->entries = v < 0 ? -1e6 * v : v;
	PetscCall(MatMumpsGetRinfog(m->factor, 1, &r));
	e->flops = r;
	PetscCall(MatMumpsGetInfog(m->factor, 16, &v));
	e->most = v;
	PetscCall(MatMumpsGetInfog(m->factor, 17, &v));
	e->total = v;
	PetscCall(MatMumpsGetInfo(m->factor, 15, &v));
	e->own = v;
	PetscCall(MatMumpsGetInfog(m->factor, 7, &v));
	e->ordering = v;
	PetscCall(MatMumpsGetInfog(m->factor, 32, &v));
	e->parallel = v;
	return 0;
}

// matrix_factor makes the factor. Where the estimate of its workspace was too small it tries
// with more.
int matrix_factor(matrix *m, int *indefinite)
{
	MatFactorInfo info;
	MatFactorError failed = MAT_FACTOR_NOERROR;
	PetscInt code = 0;
	PetscCall(MatFactorInfoInitialize(&info));
	info.fill = 1;
	*indefinite = 0;
	for (int more = 40;; more *= 2) {
		PetscCall(MatCholeskyFactorNumeric(m->factor, m->shifted, &info));
		PetscCall(MatFactorGetError(m->factor, &failed));
		PetscCall(MatMumpsGetInfog(m->factor, 1, &code));
		if (!failed || (code != -8 && code != -9) || more > 320) {
			break;
		}
		PetscCall(prepare(m, more));
		PetscCall(symbolic(m));
	}
	if (!failed) {
		PetscCall(MatMumpsGetInfog(m->factor, 12, &code));
		*indefinite = code > 0;
		PetscCall(MatDestroy(&m->shifted));
		return 0;
	}
	if (code == -10 || code == -40) {
		*indefinite = 1;
		return 0;
	}
	snprintf(said, sizeof said, "MUMPS cannot make the factor (error %d%s)", (int)code,
		code == -13 || code == -11 || code == -19 ? ": there is too little memory" : "");
	return PETSC_ERR_LIB;
}

int matrix_solve(matrix *m, const double *x, double *y)
{
	PetscCall(over(m->x, x));
	PetscCall(over(m->y, y));
	PetscCall(MatSolve(m->factor, m->x, m->y));
	PetscCall(VecResetArray(m->x));
	PetscCall(VecResetArray(m->y));
	m->solves++;
	return 0;
}

// apply is the preconditioner of the shift-and-invert transformation: the factor.
static PetscErrorCode apply(PC pc, Vec x, Vec y)
{
	matrix *m;
	PetscCall(PCShellGetContext(pc, &m));
	PetscCall(MatSolve(m->factor, x, y));
	m->solves++;
	return 0;
}

// small returns the residual of a pair of the inverse over its eigenvalue 1/(λ + shift), which
// is never zero; over λ itself the search would not end on a null eigenvalue.
static PetscErrorCode small(EPS eps, PetscScalar re, PetscScalar im, PetscReal residual, PetscReal *error, void *ctx)
{
	matrix *m = ctx;
	PetscInt restarts;
	PetscReal tolerance;
	*error = residual * PetscAbsReal(re + m->shift);
	PetscCall(EPSGetIterationNumber(eps, &restarts));
	PetscCall(EPSGetTolerances(eps, &tolerance, NULL));
	if (restarts >= m->most && *error >= tolerance) { // the best found is taken
		m->missed = 1;
		*error = 0;
	}
	return 0;
}

int matrix_lowest(matrix *m, int wanted, double shift, double tolerance, int most, const double *null, const double *begin,
	int *found, double *values, double *vectors, int *solves, int *missed)
{
	EPS eps;
	ST st;
	KSP ksp;
	PC pc;
	Vec v, w;
	PetscInt converged;
	PetscScalar value;
	PetscCall(VecDuplicate(m->x, &v));
	PetscCall(VecDuplicate(m->x, &w));
	PetscCall(EPSCreate(PETSC_COMM_WORLD, &eps));
	PetscCall(EPSSetOperators(eps, m->a, NULL));
	PetscCall(EPSSetProblemType(eps, EPS_HEP));
	PetscCall(EPSSetType(eps, EPSKRYLOVSCHUR));
	PetscCall(EPSSetWhichEigenpairs(eps, EPS_TARGET_MAGNITUDE));
	PetscCall(EPSSetTarget(eps, -shift));
	PetscCall(EPSSetDimensions(eps, wanted, PETSC_DEFAULT, PETSC_DEFAULT));
	PetscCall(EPSSetTolerances(eps, tolerance, most + 10));
	m->shift = shift;
	m->most = most;
	m->missed = 0;
	PetscCall(EPSSetConvergenceTestFunction(eps, small, m, NULL));
	PetscCall(EPSGetST(eps, &st));
	PetscCall(STSetType(st, STSINVERT));
	PetscCall(STSetMatMode(st, ST_MATMODE_SHELL));
	PetscCall(STGetKSP(st, &ksp));
	PetscCall(KSPSetType(ksp, KSPPREONLY));
	PetscCall(KSPGetPC(ksp, &pc));
	PetscCall(PCSetType(pc, PCSHELL));
	PetscCall(PCShellSetContext(pc, m));
	PetscCall(PCShellSetApply(pc, apply));
	PetscScalar *to;
	PetscCall(VecGetArray(v, &to));
	memcpy(to, null, m->own * sizeof *to);
	PetscCall(VecRestoreArray(v, &to));
	PetscCall(EPSSetDeflationSpace(eps, 1, &v));
	PetscCall(VecGetArray(w, &to));
	memcpy(to, begin, m->own * sizeof *to);
	PetscCall(VecRestoreArray(w, &to));
	PetscCall(EPSSetInitialSpace(eps, 1, &w));
	m->solves = 0;
	PetscCall(EPSSolve(eps));
	PetscCall(EPSGetConverged(eps, &converged));
	*found = converged < wanted ? converged : wanted;
	for (int j = 0; j < *found; j++) {
		const PetscScalar *from;
		PetscCall(EPSGetEigenpair(eps, j, &value, NULL, w, NULL));
		values[j] = value;
		PetscCall(VecGetArrayRead(w, &from));
		memcpy(vectors + (size_t)j * m->own, from, m->own * sizeof *from);
		PetscCall(VecRestoreArrayRead(w, &from));
	}
	*solves = m->solves;
	*missed = m->missed;
	PetscCall(EPSDestroy(&eps));
	PetscCall(VecDestroy(&v));
	PetscCall(VecDestroy(&w));
	return 0;
}
