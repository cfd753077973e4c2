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
factorisation LDLᵀ, and refines each solution until its backward error is rounding. --rhs has
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
