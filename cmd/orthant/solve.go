package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/solvers"
	"github.com/orthant-go/orthant/solvers/sddm"
	"github.com/orthant-go/orthant/sparse"
)

// equations is one "orthant solve".
type equations struct {
	*invocation
	working
	in, rhs, out string
	shift        float64
}

func newSolve(inv *invocation) *cobra.Command {
	e := &equations{invocation: inv}
	cmd := &cobra.Command{
		Use:   "solve --in A --rhs B --out X [flags]",
		Short: "Solve sparse symmetric systems of equations",
		Long: `Solve finds X with (A + S·I) X = B for a sparse symmetric A, definite or not, by one
factorisation LDLᵀ, and refines each solution until its backward error is rounding. A diagonally
dominant A whose factor takes more than 1e12 operations, such as the Laplacian of a social network, is
solved by conjugate gradients with an approximate factor, to a residual of 1e-10. --rhs has
a right-hand side in each column, one row for each row of A. --json has the backward error and
the inertia: how many eigenvalues of A + S·I are positive, negative and zero.`,
		Example: `  orthant generate swiss-roll --samples 400 --out x.npy
  orthant neighbors --in x.npy --radius 3 --out a.mtx
  orthant solve --in a.mtx --shift 60 --rhs x.npy --out y.npy`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.run(cmd.Context()) },
	}
	addGroup(cmd, "What to do", func(f *pflag.FlagSet) {
		f.Float64Var(&e.shift, "shift", 0, "add `S` to the diagonal of A")
		e.strictFlag(f, "inertia")
	})
	addGroup(cmd, "Input and output", func(f *pflag.FlagSet) {
		f.StringVarP(&e.in, "in", "i", "", "`FILE` with A, symmetric: .mtx, SciPy's .npz or .mat, sparse, or any matrix")
		f.StringVar(&e.rhs, "rhs", "", "`FILE` with the right-hand sides, one a column")
		f.StringVarP(&e.out, "out", "o", "", "`FILE` for the solutions, one a column")
		f.BoolVar(&inv.float32, "float32", false, "write solutions as float32 in place of float64")
	})
	reads(cmd, "in", "rhs")
	writes(cmd, "out")
	usual(cmd, "shift", "in", "rhs", "out")
	return cmd
}

func (e *equations) check() error {
	switch {
	case e.in == "":
		return wrong("--in is missing: the file with the matrix, or - for standard input")
	case e.rhs == "":
		return wrong("--rhs is missing: the file with the right-hand sides, one a column, or - for standard input")
	case e.out == "":
		return wrong("--out is missing: the file for the solutions, or - for standard output")
	}
	return oneStandardInput("--in", e.in, "--rhs", e.rhs)
}

func (e *equations) run(ctx context.Context) error {
	if err := e.check(); err != nil {
		return err
	}
	to, err := e.create(e.out)
	if err != nil {
		return err
	}
	endRead := e.clock.Phase("read")
	a, err := files.ReadSparse(e.in, e.reading())
	if err != nil {
		return err
	}
	x, err := files.ReadMatrix(e.rhs, e.reading())
	if err != nil {
		return err
	}
	endRead()
	rows, sides := x.Dims()
	switch n, m := a.Dims(); {
	case n != m:
		return wrong("%s is %d × %d; give a symmetric matrix", e.in, n, m)
	case rows != n:
		return wrong("%s has %d rows, and %s is of order %d; give right-hand sides of %d rows, one a column", e.rhs, rows, e.in, n, n)
	}
	held := a.Bytes() + 8*int64(rows)*int64(sides)
	o := sparse.CholeskyOptions{Kernels: e.kernels, Threads: blas.Threads(e.threads)}
	if e.memory > 0 {
		o.Memory = max(memory.Live(int64(e.memory))-held, 1)
	}
	endSolve := e.clock.Phase("solve")
	if dominant, err := e.fills(ctx, a, o); err != nil {
		return fromWork(e.refusal(err, held))
	} else if dominant != nil {
		return e.iterate(ctx, dominant, a, x, to, endSolve)
	}
	f, err := sparse.NewLDLT(ctx, a, e.shift, o)
	if err != nil {
		return fromWork(e.refusal(err, held))
	}
	inertia, err := f.Inertia()
	if err != nil {
		return fromWork(err)
	}
	if inertia.Zero > 0 {
		return wrong("%s is singular: %d of its %d eigenvalues are zero to rounding; add a shift (--shift), or leave out the rows that determine nothing", e.in, inertia.Zero, a.Rows)
	}
	solution := mat.NewDense(rows, sides, nil)
	solution.Copy(x)
	backward, err := f.Solve(solution.RawMatrix().Data, sides)
	inexact, doubtful := errors.AsType[*sparse.BackwardError](err)
	if err != nil && !doubtful {
		return fromWork(err)
	}
	endSolve()
	if text := inertia.Doubt(); text != "" {
		e.warn("%s", text)
	}
	endWrite := e.clock.Phase("write")
	if err := e.writeMatrix(to, solution); err != nil {
		return err
	}
	if err := e.commit(); err != nil {
		return err
	}
	endWrite()
	if err := e.report(a, sides, backward, inertia, f); err != nil {
		return err
	}
	if doubtful {
		return &notConverged{Text: "solve: " + inexact.Error() + "; the best solutions found are written"}
	}
	return e.sure("solve", "solutions", true, e.doubts(inertia))
}

const (
	// fillingRows is the number of rows from which a matrix is looked at for a factor that takes more than fillingFlops operations.
	fillingRows, fillingFlops = 20_000, 1e12
	// iteratedTolerance is that of the residuals of solutions without a factor.
	iteratedTolerance = 1e-10
)

// fills returns a solver without a factor where A + shift·I is diagonally dominant and its factor takes too many operations; otherwise nil.
func (e *equations) fills(ctx context.Context, a *sparse.CSR, o sparse.CholeskyOptions) (*solvers.LaplacianSolver, error) {
	if a.Rows < fillingRows || e.shift < 0 {
		return nil, nil
	}
	full, err := a.Symmetric()
	if err != nil {
		return nil, nil // named by the factorisation
	}
	diagonal := sddm.Options{Preconditioner: sddm.Diagonal, Threads: o.Threads, Memory: o.Memory}
	if quick, err := sddm.NewPreconditioner(ctx, full, nil, diagonal); err != nil || !quick.Fills(full) {
		_, err = sparse.AnalyzeWithin(ctx, full, o.Threads, fillingFlops)
		if _, is := errors.AsType[*sparse.FillError](err); !is {
			return nil, ctx.Err()
		}
	}
	if e.shift > 0 {
		identity := &sparse.CSR{Rows: a.Rows, Cols: a.Rows, Ptr: make([]int, a.Rows+1), Col: make([]int32, a.Rows), Val: make([]float64, a.Rows)}
		for i := range a.Rows {
			identity.Ptr[i+1], identity.Col[i], identity.Val[i] = i+1, int32(i), 1
		}
		if full, err = sparse.Add(1, full, e.shift, identity); err != nil {
			return nil, err
		}
	}
	s, err := solvers.NewLaplacian(ctx, full, solvers.LaplacianOptions{Threads: o.Threads, Memory: o.Memory, Tolerance: iteratedTolerance})
	if _, is := errors.AsType[*sddm.DominanceError](err); is {
		return nil, nil
	}
	return s, err
}

// iterate solves without a factor.
func (e *equations) iterate(ctx context.Context, s *solvers.LaplacianSolver, a *sparse.CSR, x mat.Matrix, to *files.Output, endSolve func()) error {
	rows, sides := x.Dims()
	solution := mat.NewDense(rows, sides, nil)
	solution.Copy(x)
	found, err := s.Solve(ctx, solution.RawMatrix().Data, sides)
	missed, inexact := errors.AsType[*sddm.NotConvergedError](err)
	if err != nil && !inexact {
		return fromWork(err)
	}
	endSolve()
	endWrite := e.clock.Phase("write")
	if err := e.writeMatrix(to, solution); err != nil {
		return err
	}
	if err := e.commit(); err != nil {
		return err
	}
	endWrite()
	plan, zero := s.Plan(), s.Nullity()
	inertia := sparse.Inertia{Positive: rows - zero, Zero: zero, Certain: zero == 0}
	if e.json {
		err = e.printJSON(solveReport{Order: a.Rows, Entries: a.NNZ(), Sides: sides, BackwardError: number(found.Residual), Inertia: inertia, FactorEntries: plan.FactorEntries, Ordering: plan.Preconditioner,
			Iterations: found.Iterations, Residual: number(found.Residual), Plan: &plan, Out: e.out, cost: e.spent(), machine: e.machine()})
	} else {
		w := e.say()
		line(w, "matrix", "order %d, %d entries; %s", a.Rows, a.NNZ(), inertia)
		line(w, "solver", "conjugate gradients with the %s: a factor takes more than %.0e operations", plan.Preconditioner, fillingFlops)
		line(w, "solutions", "%d, residual at most %.2g of the right-hand side, in %d iterations", sides, found.Residual, found.Iterations)
		writeCost(w, e.spent())
		writeWritten(w, e.out)
	}
	if err == nil && inexact {
		return &notConverged{Text: "solve: " + missed.Error() + "; the best solutions found are written"}
	}
	return err
}

func (e *equations) doubts(inertia sparse.Inertia) []string {
	if text := inertia.Doubt(); text != "" {
		return []string{text}
	}
	return nil
}

// solveReport is what --json prints of a solved system.
type solveReport struct {
	Order         int            `json:"order"`
	Entries       int            `json:"entries"`
	Sides         int            `json:"right_hand_sides"`
	BackwardError number         `json:"backward_error"`
	Inertia       sparse.Inertia `json:"inertia"`
	FactorEntries int64          `json:"factor_entries"`
	Ordering      string         `json:"ordering"`
	Iterations    int            `json:"iterations,omitempty"` // without a factor: of the right-hand side that took most
	Residual      number         `json:"residual,omitempty"`   // without a factor: the largest ‖b − Ax‖ over ‖b‖
	Plan          *sddm.Plan     `json:"plan,omitempty"`       // without a factor: what took its place
	Out           string         `json:"out"`
	cost
	machine
}

func (e *equations) report(a *sparse.CSR, sides int, backward float64, inertia sparse.Inertia, f *sparse.LDLT) error {
	if e.json {
		return e.printJSON(solveReport{Order: a.Rows, Entries: a.NNZ(), Sides: sides, BackwardError: number(backward), Inertia: inertia, FactorEntries: f.Entries(), Ordering: f.Ordering(),
			Out: e.out, cost: e.spent(), machine: e.machine()})
	}
	w := e.say()
	line(w, "matrix", "order %d, %d entries; %s", a.Rows, a.NNZ(), inertia)
	line(w, "solutions", "%d, backward error at most %.2g", sides, backward)
	writeCost(w, e.spent())
	writeWritten(w, e.out)
	return nil
}
