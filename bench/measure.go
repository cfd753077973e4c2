package bench

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/measures"
)

// Measure looks at the embedding y of a data set and adds what it sees to the
// outcome: a quality, a picture. Its time is no part of the case's.
type Measure func(ctx context.Context, d *Data, y *mat.Dense, out *Outcome) error

// quality makes a measure of a function with one value.
func quality(name string, of func(ctx context.Context, d *Data, y *mat.Dense) (float64, error)) Measure {
	return func(ctx context.Context, d *Data, y *mat.Dense, out *Outcome) error {
		v, err := of(ctx, d, y)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if out.Quality == nil {
			out.Quality = map[string]float64{}
		}
		out.Quality[name] = v
		return nil
	}
}

// The measures. Dev is the relative error of the best affine map to the true
// coordinates (see [measures.Deviation]), CentredDev its centred form.
var (
	Dev         = quality("dev", deviation(false))
	CenteredDev = quality("dev-centred", deviation(true))
	AUC         = quality("roc-auc", areaUnderROC)
)

func deviation(centered bool) func(context.Context, *Data, *mat.Dense) (float64, error) {
	return func(_ context.Context, d *Data, y *mat.Dense) (float64, error) {
		if d.Truth == nil {
			return 0, fmt.Errorf("the true coordinates of this set are not known")
		}
		plain, c, err := measures.Deviation(d.Truth, y)
		if centered {
			return c, err
		}
		return plain, err
	}
}

// Trustworthiness measures whether neighbours in the embedding are neighbours in
// the data, k of them.
func Trustworthiness(k int) Measure {
	return quality("trustworthiness", func(ctx context.Context, d *Data, y *mat.Dense) (float64, error) {
		return measures.Trustworthiness(ctx, d.X, y, k, measures.Options{})
	})
}

// Continuity measures whether neighbours in the data stay neighbours.
func Continuity(k int) Measure {
	return quality("continuity", func(ctx context.Context, d *Data, y *mat.Dense) (float64, error) {
		return measures.Continuity(ctx, d.X, y, k, measures.Options{})
	})
}

// areaUnderROC takes the first coordinate as the score of the larger of two
// classes; which end of it is which does not count.
func areaUnderROC(_ context.Context, d *Data, y *mat.Dense) (float64, error) {
	if len(d.Labels) == 0 {
		return 0, fmt.Errorf("this set has no classes")
	}
	top := slices.Max(d.Labels)
	positive := make([]bool, len(d.Labels))
	for i, class := range d.Labels {
		positive[i] = class == top
	}
	curve, err := measures.ROC(mat.Col(nil, 0, y), positive)
	if err != nil {
		return 0, err
	}
	return curve.RankAUC(), nil
}

// Draw keeps the embedding as a picture of that name, coloured by the classes, or
// else by the first true coordinate.
func Draw(name string) Measure {
	return func(_ context.Context, d *Data, y *mat.Dense, out *Outcome) error {
		p := &Picture{Points: y, Labels: d.Labels}
		if d.Labels == nil && d.Truth != nil {
			p.Color = mat.Col(nil, 0, d.Truth)
		}
		if out.Pictures == nil {
			out.Pictures = map[string]*Picture{}
		}
		out.Pictures[name] = p
		return nil
	}
}

// assess applies the measures to the embedding of a case's first repeat, on all
// cores: the others would give the same.
func assess(ctx context.Context, c *Case, list []Measure, d *Data, y *mat.Dense, out *Outcome) error {
	if !c.FirstRepeat() {
		return nil
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.NumCPU()))
	before := CostSoFar()
	defer func() { out.aside = CostSoFar().Sub(before) }()
	for _, measure := range list {
		if err := measure(ctx, d, y, out); err != nil {
			return err
		}
	}
	return nil
}

// MeasureOptions are those of the measures of a case: its threads, and its backend.
func MeasureOptions(c *Case) (measures.Options, error) {
	kernels, err := blas.Select(c.Backend)
	return measures.Options{Kernels: kernels, Threads: c.Threads}, err
}
