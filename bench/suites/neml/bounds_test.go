package neml

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/internal/must"
)

// One ratio above 1 anywhere breaks a bound, and nothing else does.
func TestBoundClaims(t *testing.T) {
	with := func(last float64) *bench.Records {
		r := &bench.Records{}
		for _, surface := range boundSurfaces {
			one := made(boundName(surface.name), nil)
			one.Series = map[string][]float64{}
			for _, b := range bounds {
				for _, noise := range boundNoises {
					one.Series[boundKey(b.name, noise)] = []float64{0.5, 0.9, last}
				}
			}
			r.List = append(r.List, one)
		}
		return r
	}
	partly := with(1)
	partly.List = partly.List[1:]
	without := with(1)
	for _, one := range without.List {
		one.Series = nil
	}
	for i, c := range boundClaims {
		kept, broken := bench.Reproduces, bench.DoesNot
		if bounds[i].source == "orthant" {
			kept, broken = bench.TargetReached, bench.TargetMissed
		}
		for _, x := range []struct {
			name string
			r    *bench.Records
			want bench.Verdict
		}{
			{"kept", with(1), kept}, {"broken", with(1.01), broken}, {"not run", partly, bench.NotRun},
			{"without ratios", without, bench.NotRun},
			{"failed", failed(&bench.Records{}, boundName("swiss-roll")), bench.CannotCheck},
		} {
			if f := c.Check(x.r); f.Verdict != x.want {
				t.Errorf("%s: %s: %+v, want %s", c.Name, x.name, f, x.want)
			}
		}
	}
}

// The sides are those of the formulas: columns sum to 1, H turns V₀ᵀ1 to equal sums,
// GW = X̄ᵀ[W; −1ᵀ], and a flat neighbourhood has an angle of 0.
func TestSidesOfBounds(t *testing.T) {
	s := must.Get(datasets.Generate("swiss-roll", 60, 1, nil))(t)
	g := must.Get(bench.NearestNeighbors(context.Background(), s.X, 10))(t)
	w := must.Get(lleWeights(context.Background(), s.X, g, 1e-3))(t)
	l, _ := newLocal(s.X, 7, g.Of(7), 2)
	for _, count := range []int{1, 4, 8} {
		family, alpha := l.family(w.RawRowView(7), count)
		for j := range count {
			if sum := total(mat.Col(nil, j, family)); math.Abs(sum-1) > 1e-12 {
				t.Errorf("s = %d: column %d sums to %v", count, j, sum)
			}
		}
		if alpha < 0 || alpha > math.Sqrt(10/float64(count)) {
			t.Errorf("s = %d: α = %v", count, alpha)
		}
	}
	if l.rank() != 3 || l.vectors(l.tailShare()) != 8 || l.vectors(0) < 1 {
		t.Errorf("rank %d, %d vectors at its own η", l.rank(), l.vectors(l.tailShare()))
	}
	exact := l.limitWeights(l.rank())
	var residual mat.VecDense
	residual.MulVec(l.g, mat.NewVecDense(l.k, exact))
	if mat.Norm(&residual, 2) > 1e-12*math.Sqrt(l.squares) || math.Abs(total(exact)-1) > 1e-12 {
		t.Errorf("w* has the residual %v and the sum %v", mat.Norm(&residual, 2), total(exact))
	}
	if err := flatAngle(); err != "" {
		t.Error(err)
	}
}

// flatAngle measures a neighbourhood in a plane of space.
func flatAngle() string {
	x := mat.NewDense(8, 3, []float64{0, 0, 0, 1, 0, 1, 0, 1, 1, -1, .5, -.5, .3, -1, -.7, -.6, -.4, -1, .9, .8, 1.7, -.2, .7, .5})
	l, _ := newLocal(x, 0, []int32{1, 2, 3, 4, 5, 6, 7}, 2)
	family, _ := l.family(l.limitWeights(2), 5)
	r := ratios{}
	r.angles(l, family)
	if r["angle"] != 0 {
		return "a flat neighbourhood has an angle"
	}
	return ""
}
