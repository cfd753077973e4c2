package main

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

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
