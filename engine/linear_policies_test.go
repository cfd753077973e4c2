package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/memory"
)

// Columns of zeros change nothing.
func TestLinearMethodsOnColumnsOfZeros(t *testing.T) {
	x := steptest.Sheet(90, 5, 12)
	padded := mat.NewDense(90, 8, nil)
	for i := range 90 {
		padded.SetRow(i, append(slices.Clone(x.RawRowView(i)), 0, 0, 0))
	}
	each(t, linearMethods(t), nil, func(t *testing.T, m Method) {
		a := embed(t, x, m, Options{Labels: thirds(90)})
		b := embed(t, padded, m, Options{Labels: thirds(90)})
		if d := farthest(a.Y, b.Y); d > 1e-9 {
			t.Errorf("%s: columns of zeros change the embedding by %g", m.Name(), d)
		}
		if rank, known := b.Details["rank"]; known && rank != 5 {
			t.Errorf("%s: rank %v of data with 5 columns and zeros", m.Name(), rank)
		}
	})
}

// Constant columns and copies of columns leave finite coordinates, and no direction
// without data counts as perfect.
func TestLinearMethodsOnDependentColumns(t *testing.T) {
	x := steptest.Sheet(90, 5, 12)
	padded := mat.NewDense(90, 8, nil)
	for i := range 90 {
		padded.SetRow(i, append(slices.Clone(x.RawRowView(i)), 4, x.At(i, 0), 0))
	}
	each(t, linearMethods(t), nil, func(t *testing.T, m Method) {
		r := embed(t, padded, m, Options{Labels: thirds(90)})
		if !r.Converged || slices.ContainsFunc(r.Y.RawMatrix().Data, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
			t.Errorf("%s: constant and copied columns give %v", m.Name(), r.Residuals)
		}
		if name := m.Name(); (name == "onpp" || name == "olpp") && r.Values[0] < 1e-8 {
			t.Errorf("%s: a direction without data counts as perfect: %g", name, r.Values)
		}
	})
	// A constant column combines to the trivial coordinate, which is said.
	for _, m := range []Method{LPP{Neighbors: 8, Dim: 2}, NPP{Neighbors: 8, Dim: 2}} {
		t.Run(m.Name()+" with a constant", func(t *testing.T) {
			if r := embed(t, padded, m, Options{}); !strings.Contains(fmt.Sprint(r.Warnings), "coordinate 1 is constant") {
				t.Errorf("%s: warnings %q", m.Name(), r.Warnings)
			}
		})
	}
	r := embed(t, padded, LPP{Neighbors: 8, Dim: 1, Skip: 1}, Options{})
	whole := embed(t, padded, LPP{Neighbors: 8, Dim: 2}, Options{})
	if len(r.Warnings) > 0 || !slices.Equal(mat.Col(nil, 0, r.Y), mat.Col(nil, 1, whole.Y)) {
		t.Errorf("Skip: 1 is not the second coordinate; warnings %q", r.Warnings)
	}
}

// Two clouds far apart: the policies of the local methods.
func TestProjectionsOfComponents(t *testing.T) {
	x := steptest.Sheet(120, 5, 13)
	for i := 70; i < 120; i++ {
		x.Set(i, 1, x.At(i, 1)+200)
	}
	each(t, projections(t, "2"), nil, func(t *testing.T, m Method) {
		if _, err := Embed(context.Background(), x, m, Options{Components: "error"}); err == nil || !strings.Contains(err.Error(), "2 components") {
			t.Errorf("%s: got %v", m.Name(), err)
		}
		largest := embed(t, x, m, Options{Components: "largest"})
		alone := embed(t, x.Slice(0, 70, 0, 5), m, Options{})
		if !mat.Equal(largest.Y.Slice(0, 70, 0, 2), alone.Y) || !math.IsNaN(largest.Y.At(70, 0)) {
			t.Errorf("%s: the largest component is not embedded as it is alone", m.Name())
		}
		if _, err := largest.Model(); err != nil {
			t.Errorf("%s: %v", m.Name(), err)
		}
		if _, err := embed(t, x, m, Options{Components: "each"}).Model(); err == nil || !strings.Contains(err.Error(), `Components: "each"`) {
			t.Errorf("%s: a model of several projections: %v", m.Name(), err)
		}
		if joint := embed(t, x, m, Options{Components: "joint"}); !joint.Converged {
			t.Errorf("%s: joint residuals %g", m.Name(), joint.Residuals)
		}
	})
}

// Duplicates are a data set with repeated rows, or merged.
func TestProjectionsOfDuplicates(t *testing.T) {
	var twice mat.Dense
	y := steptest.Sheet(80, 5, 14)
	twice.Stack(y, y.Slice(0, 30, 0, 5))
	each(t, projections(t, "2"), nil, func(t *testing.T, m Method) {
		alone, merged := embed(t, y, m, Options{}), embed(t, &twice, m, Options{Duplicates: "merge"})
		if !mat.Equal(merged.Y.Slice(0, 80, 0, 2), alone.Y) || !mat.Equal(merged.Y.Slice(80, 110, 0, 2), alone.Y.Slice(0, 30, 0, 2)) {
			t.Errorf("%s: merged duplicates change the embedding", m.Name())
		}
		if r := embed(t, &twice, m, Options{}); !r.Converged || r.Duplicates != 30 {
			t.Errorf("%s: %d duplicates, residuals %g", m.Name(), r.Duplicates, r.Residuals)
		}
	})
}

// Landmarks learn the projection, which then maps all samples.
func TestProjectionsOfLandmarks(t *testing.T) {
	z := steptest.Sheet(400, 5, 15)
	each(t, projections(t, "2"), nil, func(t *testing.T, m Method) {
		r := embed(t, z, m, Options{Landmarks: 150})
		model := must(r.Model())(t)
		all := transformed(t, model, z, Options{})
		if !mat.Equal(all, r.Y) {
			t.Errorf("%s: samples beyond the landmarks are not mapped by the projection", m.Name())
		}
	})
}

func TestProjectionsOfEveryWeight(t *testing.T) {
	x := steptest.Sheet(100, 6, 16)
	var every []string
	for _, graph := range []string{"union", "mutual", "average"} {
		for _, weights := range []string{"binary", "heat", "heat_norm", "cosine"} {
			every = append(every, "neighbors=10 graph="+graph+" weights="+weights)
		}
	}
	weighted := func(e Entry) bool { return isProjection(e) && has(e, "weights") }
	each(t, trials(t, weighted, settings{"": every}), nil, func(t *testing.T, m Method) {
		r := embed(t, x, m, Options{})
		_, q, b := denseReference(t, x, m)
		for j := range 2 {
			v := projectionOf(r).Slice(0, 6, j, j+1)
			if got := inner(v, q).At(0, 0) / inner(v, b).At(0, 0); math.Abs(got-r.Values[j]) > 1e-9*math.Abs(got) {
				t.Errorf("quotient %g, eigenvalue %g", got, r.Values[j])
			}
		}
	})
}

func TestLinearMethodsRefuse(t *testing.T) {
	x := steptest.Sheet(40, 4, 18)
	flat := mat.NewDense(40, 4, nil) // rank 2
	for i := range 40 {
		flat.SetRow(i, []float64{x.At(i, 0), x.At(i, 1), x.At(i, 0) + x.At(i, 1), x.At(i, 0) - x.At(i, 1)})
	}
	constant := mat.NewDense(30, 3, slices.Repeat([]float64{2}, 90))
	zero := mat.NewDense(30, 3, nil)
	tenths := mat.NewDense(30, 3, slices.Repeat([]float64{0.1}, 90)) // whose mean rounds
	tiny := 1e-300
	negative := -1.0
	nan := mat.DenseCopyOf(x)
	nan.Set(3, 2, math.NaN())
	for _, c := range []struct {
		x    mat.Matrix
		m    Method
		o    Options
		want string
	}{
		{x, LPP{Dim: 5}, Options{}, "lpp: dim 5 of data with 4 columns; give at most 4"},
		{x, ONPP{Dim: 3, Skip: 2}, Options{}, "onpp: dim 3 after skip 2 of data with 4 columns; both together are at most 4"},
		{x, OLPPCai{Dim: 5}, Options{}, "data with 4 columns"},
		{flat, LPP{Dim: 3}, Options{}, "lpp: dim 3 of data of rank 2; give at most 2"},
		{flat, NPP{Dim: 3}, Options{}, "rank 2"},
		{flat, ONPP{Dim: 3}, Options{}, "rank 2"},
		{flat, OLPP{Dim: 1, Skip: 2}, Options{}, "dim 1 after skip 2 of data of rank 2; both together are at most 2"},
		{flat, OLPPCai{Dim: 3}, Options{}, "rank 2"},
		{constant, ONPP{}, Options{}, "all samples are equal"},
		{tenths, OLPP{}, Options{}, "all samples are equal"},
		{constant, LPP{}, Options{}, "rank 1"},
		{zero, NPP{}, Options{}, "all samples are equal"},
		{zero, OLPPCai{Weights: "cosine"}, Options{}, "is the origin"},
		{x, LPP{T: &tiny}, Options{}, "all edges of the neighbour graph have weight 0"},
		{x, LPP{T: &negative}, Options{}, "T is -1; give a number > 0, or auto"},
		{x, OLPP{Weights: "warm"}, Options{}, "Weights is warm"},
		{x, NPP{Gamma: -1}, Options{}, "Gamma is -1"},
		{x, LPP{Skip: -1}, Options{}, "Skip is -1; give a whole number ≥ 0"},
		{x, ONPP{Neighbors: 40}, Options{}, "40 neighbours asked of 40 samples"},
		{nan, LPP{}, Options{}, "row 4, column 3 (counting from 1) is NaN"},
		{x, LPP{}, Options{Memory: 1000}, "the limit is 1000 B"},
		{mat.NewDense(30, 5000, slices.Repeat([]float64{1, 2, 5}, 50000)), LPP{}, Options{Memory: memory.Program + 12<<20}, "for the projection"},
		{x, LDA{}, Options{}, "lda: this method learns from labels and there are none"},
		{x, LDA{}, Options{Labels: thirds(39)}, "39 labels of 40 samples"},
		{x, LPP{}, Options{Labels: thirds(39)}, "39 labels of 40 samples"},
		{x, LDA{}, Options{Labels: make([]int64, 40)}, "one class"},
		{x, LDA{Dim: 3}, Options{Labels: thirds(40)}, "dim 3 of 3 classes, whose means differ in 2 direction(s); give at most 2"},
		{x, LDA{Dim: 5}, Options{Labels: thirds(40)}, "data with 4 columns"},
		{constant, LDA{}, Options{Labels: thirds(30)}, "all samples are equal"},
	} {
		_, err := Embed(context.Background(), c.x, c.m, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v, want one line with %q", c.m.Name(), err, c.want)
		}
	}
}

func TestProjectionsStopWhenCancelled(t *testing.T) {
	x := steptest.Sheet(2000, 12, 19)
	for _, phase := range []string{"neighbors", "patches"} {
		t.Run(phase, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			_, err := Embed(ctx, x, OLPPCai{}, Options{Progress: func(p Progress) {
				if p.Phase == phase {
					cancel()
				}
			}})
			cancel()
			if err != context.Canceled {
				t.Errorf("cancelled during %s: %v", phase, err)
			}
		})
	}
}
