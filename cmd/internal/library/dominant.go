package library

import (
	"context"
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/solvers/sddm"
	"github.com/orthant-go/orthant/sparse"
)

// dominant is a solver of diagonally dominant systems that a result holds, as it holds a factor.
type dominant struct{ *sddm.Solver }

func (f dominant) Entries() int64   { return f.Plan().FactorEntries }
func (f dominant) Ordering() string { return f.Plan().Preconditioner }

func (f dominant) solve(x []float64, sides int) error {
	_, err := f.Solve(context.Background(), x, sides)
	return err
}

func (f dominant) report(numbers map[string]float64, report map[string]any) error {
	p := f.Plan()
	numbers["components"], numbers["singular_components"] = float64(p.Components), float64(p.Singular)
	report["plan"] = p
	return nil
}

// laplacian prepares a solver of diagonally dominant systems, which the result holds with a copy of the matrix.
func (q problem) laplacian() (work, error) {
	q.count = 1 // there is nothing to count
	var o sddm.Options
	s, err := q.begin(func(p *parameters) (err error) {
		if o.Preconditioner, err = p.word("preconditioner", sddm.Auto, sddm.Diagonal, sddm.Sampled); err != nil {
			return err
		}
		if o.Tolerance, err = p.real("tolerance"); err != nil {
			return err
		}
		splits, err := p.whole("splits", 1<<20)
		if err != nil {
			return err
		}
		most, err := p.whole("iterations", 1<<30)
		o.Splits, o.Iterations = int(splits), int(most)
		return err
	})
	if err != nil {
		return nil, err
	}
	given, err := q.matrix("A", s.limit)
	if err != nil {
		return nil, err
	}
	a := withoutZeros(given)
	if _, lent := given.(*sparse.CSR); lent { // the caller's
		a = &sparse.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: slices.Clone(a.Ptr), Col: slices.Clone(a.Col), Val: slices.Clone(a.Val)}
	}
	return s.under(func(ctx context.Context) (*made, error) {
		o.Threads, o.Seed, o.Memory = s.Threads, s.Seed, s.Memory
		f, err := sddm.New(ctx, a, o)
		if err != nil {
			return nil, err
		}
		return s.madeOfFactor(dominant{f})
	}), nil
}

// solveMeasured solves, and returns the iterations and the residual of a solver of Laplacians.
func solveMeasured(f factor, v view) (found []float64, err error) {
	d, is := f.(dominant)
	if !is {
		return nil, fmt.Errorf("the result has no solver of Laplacians; give one of orthant_laplacian_of")
	}
	err = replace(d, v, "solve", func(x []float64, sides int) error {
		s, err := d.Solve(context.Background(), x, sides)
		if s != nil {
			found = []float64{float64(s.Iterations), s.Residual}
		}
		return err
	})
	return found, err
}
