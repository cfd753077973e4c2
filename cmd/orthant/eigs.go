package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// eigenpairs is one "orthant eigs".
type eigenpairs struct {
	*invocation
	working
	in, mass              string
	outValues, outVectors string
	count                 int
	sigma, tolerance      float64
	interval              string
	low, high             float64
	largest, certify      bool
}

func newEigs(inv *invocation) *cobra.Command {
	e := &eigenpairs{invocation: inv}
	cmd := &cobra.Command{
		Use:   "eigs --in A --count C [--mass M] [--sigma S | --interval LOW:HIGH | --largest] --out-values V [flags]",
		Short: "Find eigenpairs of a sparse symmetric matrix",
		Long: `Eigs finds eigenpairs of A x = λ M x, for a symmetric A, which stays sparse, and a positive
definite M, the identity if it is left out:

  --count C                 the C smallest above --sigma, below which no eigenvalue lies (0
                            suits Laplacians and stiffness matrices), or, if sigma is inside
                            the spectrum, the C nearest to it
  --interval LOW:HIGH       all from LOW to HIGH, counted before they are searched for
  --count C --largest       the C largest, without M

Values and vectors are in ascending order (--largest: descending), one vector a column. The
vectors are M-orthonormal. Rows of M without entries are infinite eigenvalues, which are left
out and counted. --json has the residual of each pair, the digits of its value that are sure,
and the next eigenvalue. --certify counts the eigenvalues by one more factorisation and
searches for those that were missed.`,
		Example: `  orthant generate swiss-roll --samples 400 --out x.npy
  orthant neighbors --in x.npy --radius 3 --out a.mtx
  orthant eigs --in a.mtx --largest --count 3 --out-values v.csv
  orthant eigs --in a.mtx --interval -1:1 --out-values v.csv --out-vectors q.npy`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return e.run(cmd.Context(), cmd.Flags()) },
	}
	addGroup(cmd, "What to do", func(f *pflag.FlagSet) {
		f.IntVarP(&e.count, "count", "c", 0, "the number `C` of pairs")
		f.Float64Var(&e.sigma, "sigma", 0, "the shift `S`: no eigenvalue lies below it, or the nearest to it are wanted")
		f.StringVar(&e.interval, "interval", "", "all pairs from `LOW:HIGH`, in place of a count")
		f.BoolVar(&e.largest, "largest", false, "the largest eigenvalues in place of the smallest")
		f.Float64Var(&e.tolerance, "tolerance", 0, "the residual `T` of a pair of the inverse relative to its eigenvalue 1/(λ − S), 1e-14 to 0.1 (default 1e-10)")
		f.BoolVar(&e.certify, "certify", false, "count the eigenvalues below the last one by the inertia of one more factorisation, and search for those that were missed")
		e.strictFlag(f, "pairs")
	})
	addGroup(cmd, "Input and output", func(f *pflag.FlagSet) {
		f.StringVarP(&e.in, "in", "i", "", "`FILE` with A, symmetric: .mtx, SciPy's .npz or .mat, sparse, or any matrix")
		f.StringVar(&e.mass, "mass", "", "`FILE` with M, symmetric and positive definite, but for rows of zeros (default: the identity)")
		f.StringVarP(&e.outValues, "out-values", "o", "", "`FILE` for the eigenvalues, one a row")
		f.StringVar(&e.outVectors, "out-vectors", "", "`FILE` for the eigenvectors, n × C")
		f.BoolVar(&inv.float32, "float32", false, "write values and vectors as float32 in place of float64")
	})
	reads(cmd, "in", "mass")
	writes(cmd, "out-values", "out-vectors")
	usual(cmd, "count", "sigma", "interval", "largest", "in", "mass", "out-values", "out-vectors")
	return cmd
}

// check refuses flags that contradict each other, before anything is read.
func (e *eigenpairs) check(flags *pflag.FlagSet) error {
	ways := 0
	for _, name := range []string{"sigma", "interval", "largest"} {
		if flags.Changed(name) {
			ways++
		}
	}
	switch {
	case e.in == "":
		return wrong("--in is missing: the file with the matrix, or - for standard input")
	case e.outValues == "" && e.outVectors == "":
		return wrong("--out-values is missing: the file for the eigenvalues, or - for standard output")
	case ways > 1:
		return wrong("--sigma, --interval and --largest exclude each other; give one of them")
	case e.interval == "" && !flags.Changed("count"):
		return wrong("--count is missing: the number of pairs, or give --interval LOW:HIGH")
	case e.interval == "" && e.count < 1:
		return wrong("--count is %d; give a whole number ≥ 1", e.count)
	case e.interval != "" && flags.Changed("count"):
		return wrong("--interval has as many pairs as there are; leave --count out")
	case e.largest && e.mass != "":
		return wrong("--largest takes no --mass; leave one of them out")
	case e.largest && e.certify:
		return wrong("--certify counts the smallest eigenvalues or those of an interval; leave --largest or it out")
	case e.largest && flags.Changed("tolerance"):
		return wrong("--largest has a tolerance of its own; leave --tolerance out")
	case math.IsNaN(e.sigma) || math.IsInf(e.sigma, 0):
		return wrong("--sigma is %v; give a finite number", e.sigma)
	}
	if e.interval != "" {
		low, high, two := strings.Cut(e.interval, ":")
		var first, second error
		e.low, first = strconv.ParseFloat(low, 64)
		e.high, second = strconv.ParseFloat(high, 64)
		if !two || first != nil || second != nil {
			return wrong("--interval is %q; give two numbers with a colon between them, such as 0:2.5", e.interval)
		}
	}
	return oneStandardInput("--in", e.in, "--mass", e.mass)
}

func (e *eigenpairs) run(ctx context.Context, flags *pflag.FlagSet) error {
	if err := e.check(flags); err != nil {
		return err
	}
	values, err := e.create(e.outValues)
	if err != nil {
		return err
	}
	vectors, err := e.create(e.outVectors)
	if err != nil {
		return err
	}
	endRead := e.clock.Phase("read")
	p := eigen.Pencil{Sigma: e.sigma, Tolerance: e.tolerance}
	a, err := files.ReadSparse(e.in, e.reading())
	if err != nil {
		return err
	}
	p.A = a
	held := a.Bytes()
	if e.mass != "" {
		m, err := files.ReadSparse(e.mass, e.reading())
		if err != nil {
			return err
		}
		p.M, held = m, held+m.Bytes()
	}
	endRead()
	if n, m := a.Dims(); n != m {
		return wrong("%s is %d × %d; give a symmetric matrix", e.in, n, m)
	}
	progress := e.progressOf()
	defer progress.end()
	o := e.solver(held, progress)
	o.Certified = e.certify
	found, err := e.solve(ctx, p, a, o)
	progress.end()
	if err != nil {
		return fromWork(e.refusal(err, held))
	}
	if len(found.Values) == 0 {
		return wrong("no eigenvalue of %s lies from %g to %g; take another interval", e.in, e.low, e.high)
	}
	for _, text := range found.Warnings() {
		e.warn("%s", text)
	}
	endWrite := e.clock.Phase("write")
	if err := e.writeMatrix(values, columnsOf([][]float64{found.Values}, len(found.Values))); err != nil {
		return err
	}
	if err := e.writeMatrix(vectors, columnsOf(found.Vectors, a.Rows)); err != nil {
		return err
	}
	if err := e.commit(); err != nil {
		return err
	}
	endWrite()
	if err := e.report(a, found); err != nil {
		return err
	}
	return e.sure("eigs", "pairs", found.Converged, found.Warnings())
}

// solve finds the pairs that the flags ask for.
func (e *eigenpairs) solve(ctx context.Context, p eigen.Pencil, a *sparse.CSR, o eigen.Options) (*eigen.Eigen, error) {
	defer e.clock.Phase("solve")()
	switch {
	case e.interval != "":
		return p.Between(ctx, e.low, e.high, o)
	case e.largest:
		return eigen.LargestOf(ctx, a, e.count, o)
	}
	return p.Pairs(ctx, e.count, o)
}

// solver returns the options of a solver, beside what is held already.
func (inv *invocation) solver(held int64, p *progressLine) eigen.Options {
	o := eigen.Options{Kernels: inv.kernels, Threads: blas.Threads(inv.threads), Seed: max(inv.seed, 1)}
	if inv.memory > 0 {
		o.Memory = max(memory.Live(int64(inv.memory))-held, 1)
	}
	if report := p.reporting(); report != nil {
		o.Progress = func(done float64) { report(engine.Progress{Phase: "solve", Done: done}) }
	}
	return o
}

// refusal words the refusal of work beyond the limit by what the process would take.
func (inv *invocation) refusal(err error, held int64) error {
	what, need, remedy := "the solver", int64(0), "ask for less, or raise the limit (--memory)"
	if e, is := errors.AsType[*eigen.IntervalError](err); is {
		what, need, remedy = fmt.Sprintf("the %d pairs of the interval", e.Count), e.Need, "take a shorter interval, or raise the limit (--memory)"
	} else if e, is := errors.AsType[*eigen.MemoryError](err); is {
		need = e.Need
	} else if e, is := errors.AsType[*sparse.MemoryError](err); is {
		what, need, remedy = e.What, e.Need, e.Remedy+" (--memory)"
	} else {
		return &inputError{Err: err}
	}
	return wrong("%s: about %s of memory where the limit is %s; %s", what, limits.FormatBytes(memory.Process(held+need)), limits.FormatBytes(int64(inv.memory)), remedy)
}

// columnsOf returns vectors as the columns of a matrix of n rows.
func columnsOf(vectors [][]float64, n int) mat.Matrix {
	if len(vectors) == 0 || n == 0 {
		return &mat.Dense{}
	}
	x := mat.NewDense(n, len(vectors), nil)
	for j, v := range vectors {
		x.SetCol(j, v)
	}
	return x
}

// eigsReport is what --json prints of eigenpairs.
type eigsReport struct {
	Order       int                 `json:"order"`
	Entries     int                 `json:"entries"`
	Count       int                 `json:"count"`
	Eigenvalues []number            `json:"eigenvalues"`
	Residuals   []number            `json:"residuals"`
	Errors      []number            `json:"errors"` // how far each value may be off
	Digits      []int               `json:"digits"` // of each value, those that are sure
	Next        number              `json:"next_eigenvalue"`
	Infinite    int                 `json:"infinite_eigenvalues"`
	Certificate *sparse.Certificate `json:"certificate,omitempty"`
	Converged   bool                `json:"converged"`
	Plan        eigen.Plan          `json:"plan"`
	OutValues   string              `json:"out_values"`
	OutVectors  string              `json:"out_vectors"`
	cost
	machine
}

func (e *eigenpairs) report(a *sparse.CSR, r *eigen.Eigen) error {
	if e.json {
		return e.printJSON(eigsReport{
			Order: a.Rows, Entries: a.NNZ(), Count: len(r.Values), Eigenvalues: numbers(r.Values), Residuals: numbers(r.Residuals), Errors: numbers(r.Errors), Digits: list(r.Digits()),
			Next: number(r.Next), Infinite: r.Infinite, Certificate: r.Certificate, Converged: r.Converged, Plan: r.Plan,
			OutValues: e.outValues, OutVectors: e.outVectors, cost: e.spent(), machine: e.machine(),
		})
	}
	w := e.say()
	line(w, "matrix", "order %d, %d entries", a.Rows, a.NNZ())
	line(w, "eigen", "%.6g  then %.6g", r.Values[:min(len(r.Values), 8)], r.Next)
	line(w, "residual", "at most %.2g", slices.Max(append(r.Residuals, 0)))
	if r.Infinite > 0 {
		line(w, "infinite", "%s left out, one for each row of the mass without entries", counted(r.Infinite, "eigenvalue"))
	}
	writeCost(w, e.spent())
	writeWritten(w, e.outValues, e.outVectors)
	return nil
}

// triplets is one "orthant svds".
type triplets struct {
	*invocation
	working
	in                           string
	outValues, outLeft, outRight string
	count                        int
}

func newSvds(inv *invocation) *cobra.Command {
	s := &triplets{invocation: inv}
	cmd := &cobra.Command{
		Use:   "svds --in A --count C --out-values V [flags]",
		Short: "Find the largest singular triplets of a matrix",
		Long: `Svds finds the C largest singular values of any matrix and their vectors: A v = σ u and
Aᵀ u = σ v. A sparse matrix stays sparse, and nothing is centred. Values are descending; vector
j is column j of --out-left (u) and of --out-right (v). --json has the residual of each triplet
and the next singular value.`,
		Example: `  orthant generate faces --samples 60 --out x.npy
  orthant svds --in x.npy --count 4 --out-values s.csv --out-left u.npy --out-right v.npy`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context(), cmd.Flags()) },
	}
	addGroup(cmd, "What to do", func(f *pflag.FlagSet) {
		f.IntVarP(&s.count, "count", "c", 0, "the number `C` of triplets")
		s.strictFlag(f, "triplets")
	})
	addGroup(cmd, "Input and output", func(f *pflag.FlagSet) {
		f.StringVarP(&s.in, "in", "i", "", "`FILE` with the matrix, sparse (.mtx, SciPy's .npz, .mat) or not")
		f.StringVarP(&s.outValues, "out-values", "o", "", "`FILE` for the singular values, one a row")
		f.StringVar(&s.outLeft, "out-left", "", "`FILE` for the left singular vectors, rows × C")
		f.StringVar(&s.outRight, "out-right", "", "`FILE` for the right singular vectors, columns × C")
		f.BoolVar(&inv.float32, "float32", false, "write values and vectors as float32 in place of float64")
	})
	reads(cmd, "in")
	writes(cmd, "out-values", "out-left", "out-right")
	usual(cmd, "count", "in", "out-values", "out-left", "out-right")
	return cmd
}

func (s *triplets) check(flags *pflag.FlagSet) error {
	switch {
	case s.in == "":
		return wrong("--in is missing: the file with the matrix, or - for standard input")
	case s.outValues == "" && s.outLeft == "" && s.outRight == "":
		return wrong("--out-values is missing: the file for the singular values, or - for standard output")
	case !flags.Changed("count"):
		return wrong("--count is missing: the number of triplets")
	case s.count < 1:
		return wrong("--count is %d; give a whole number ≥ 1", s.count)
	}
	return nil
}

func (s *triplets) run(ctx context.Context, flags *pflag.FlagSet) error {
	if err := s.check(flags); err != nil {
		return err
	}
	var to outputs
	for _, path := range []string{s.outValues, s.outLeft, s.outRight} {
		o, err := s.create(path)
		if err != nil {
			return err
		}
		to = append(to, o)
	}
	endRead := s.clock.Phase("read")
	a, err := files.ReadAny(s.in, s.reading())
	if err != nil {
		return err
	}
	endRead()
	rows, cols := a.Dims()
	held := 8 * int64(rows) * int64(cols)
	if kept, is := a.(*sparse.CSR); is {
		held = kept.Bytes()
	}
	progress := s.progressOf()
	defer progress.end()
	endSolve := s.clock.Phase("solve")
	found, err := eigen.SVD(ctx, a, s.count, s.solver(held, progress))
	endSolve()
	progress.end()
	if err != nil {
		return fromWork(s.refusal(err, held))
	}
	for _, text := range found.Warnings() {
		s.warn("%s", text)
	}
	endWrite := s.clock.Phase("write")
	for i, x := range []mat.Matrix{columnsOf([][]float64{found.Values}, len(found.Values)), columnsOf(found.Left, rows), columnsOf(found.Right, cols)} {
		if err := s.writeMatrix(to[i], x); err != nil {
			return err
		}
	}
	if err := s.commit(); err != nil {
		return err
	}
	endWrite()
	if err := s.report(rows, cols, found); err != nil {
		return err
	}
	return s.sure("svds", "triplets", found.Converged, found.Warnings())
}

// sure is the error after pairs or triplets were written: of residuals that are too large, or of --strict where there
// is a doubt.
func (w *working) sure(command, what string, converged bool, warnings []string) error {
	switch {
	case !converged:
		return &notConverged{Text: command + ": a residual did not reach the tolerance; the " + what + " written are the best found (see residuals in --json)"}
	case w.strict && len(warnings) > 0:
		return &notConverged{Text: command + ": there is a doubt about these " + what + ", which are written all the same (--strict; the warning says which)"}
	}
	return nil
}

// svdsReport is what --json prints of singular triplets.
type svdsReport struct {
	Rows      int        `json:"rows"`
	Columns   int        `json:"columns"`
	Count     int        `json:"count"`
	Values    []number   `json:"singular_values"`
	Residuals []number   `json:"residuals"`
	Errors    []number   `json:"errors"` // how far each value may be off
	Next      number     `json:"next_singular_value"`
	Converged bool       `json:"converged"`
	Plan      eigen.Plan `json:"plan"`
	OutValues string     `json:"out_values"`
	OutLeft   string     `json:"out_left"`
	OutRight  string     `json:"out_right"`
	cost
	machine
}

func (s *triplets) report(rows, cols int, r *eigen.Singular) error {
	if s.json {
		return s.printJSON(svdsReport{
			Rows: rows, Columns: cols, Count: len(r.Values), Values: numbers(r.Values), Residuals: numbers(r.Residuals), Errors: numbers(r.Errors), Next: number(r.Next),
			Converged: r.Converged, Plan: r.Plan, OutValues: s.outValues, OutLeft: s.outLeft, OutRight: s.outRight, cost: s.spent(), machine: s.machine(),
		})
	}
	w := s.say()
	line(w, "matrix", "%d × %d", rows, cols)
	line(w, "singular", "%.6g  then %.6g", r.Values[:min(len(r.Values), 8)], r.Next)
	line(w, "residual", "at most %.2g", slices.Max(r.Residuals))
	writeCost(w, s.spent())
	writeWritten(w, s.outValues, s.outLeft, s.outRight)
	return nil
}
