package engine

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Samples that come in pieces of whole batches teach what they teach in one go, and their
// components are near those of all samples together.
func TestLearn(t *testing.T) {
	x, _ := groups(600, 30)
	for _, m := range []Method{
		NMF{LeastSquares: LeastSquares{Solver: "minibatch"}, MiniBatch: MiniBatch{Batch: 50}},
		NMFKL{DivergenceSolver: DivergenceSolver{Solver: "minibatch"}, MiniBatch: MiniBatch{Batch: 50}},
	} {
		t.Run(m.Name(), func(t *testing.T) {
			o := FactorizeOptions{Rank: 3, Options: Options{Model: true}}
			whole, all, err := Learn(context.Background(), x, m, o, nil)
			if err != nil {
				t.Fatal(err)
			}
			var known Learning
			var r *Factorization
			for lo := 0; lo < 600; lo += 150 {
				if r, known, err = Learn(context.Background(), x.Slice(lo, lo+150, 0, 30), m, o, known); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(known, all) || !slices.Equal(r.H.RawMatrix().Data, whole.H.RawMatrix().Data) {
				t.Error("pieces teach other components")
			}
			if known[0] != 600 || r.W != nil || r.Samples != 150 {
				t.Errorf("%v samples seen, %d of the last call", known[0], r.Samples)
			}
			wrong := func(r *Factorization) float64 {
				model := must(r.Model())(t)
				w := transformed(t, model, x, Options{})
				var rest mat.Dense
				rest.Mul(w, r.H)
				rest.Sub(x, &rest)
				return mat.Norm(&rest, 2) / mat.Norm(x, 2)
			}
			first := wrong(r)
			for range 20 { // and the same again
				if r, known, err = Learn(context.Background(), x, m, o, known); err != nil {
					t.Fatal(err)
				}
			}
			method, most := Method(NMF{}), 1.1
			if m.Name() == "nmf-kl" { // multiplicative steps, which get smaller and smaller
				method, most = NMFKL{}, 2
			}
			best := factorized(t, x, method, FactorizeOptions{Rank: 3}).RelativeError
			if last := wrong(r); last > first || last > most*best {
				t.Errorf("an error of %.4g, after the first samples %.4g, where all together come to %.4g", last, first, best)
			}
		})
	}
}

// What does not go on is refused.
func TestLearnRefuses(t *testing.T) {
	x, _ := groups(60, 10)
	m := NMF{LeastSquares: LeastSquares{Solver: "minibatch"}, MiniBatch: MiniBatch{Batch: 20}}
	o := FactorizeOptions{Rank: 2}
	_, known, err := Learn(context.Background(), x, m, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	negative := mat.DenseCopyOf(x)
	negative.Set(47, 3, -1)
	huge := mat.DenseCopyOf(x)
	huge.Scale(1e100, huge)
	broken := slices.Clone(known)
	broken[5] = math.NaN()
	for want, c := range map[string]struct {
		x      mat.Matrix
		m      Method
		o      FactorizeOptions
		before Learning
	}{
		`Solver: "minibatch"`:             {x, NMF{}, o, nil},
		"of another rank":                 {x, m, FactorizeOptions{Rank: 3}, known},
		"number of columns; begin anew":   {x.Slice(0, 60, 0, 9), m, o, known},
		"row 48, column 4 (counting from": {negative, m, o, known},
		"of another size":                 {huge, m, o, known},
		"given components is NaN":         {x, m, o, broken},
		"damaged":                         {x, m, o, append(Learning{0}, known[1:]...)},
		"leave out the start":             {x, m, FactorizeOptions{Rank: 2, InitH: mat.NewDense(2, 10, nil)}, nil},
	} {
		if _, _, err := Learn(context.Background(), c.x, c.m, c.o, c.before); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", want, err)
		}
	}
}
