package engine

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// Beside a huge entry, others count as what they are to it, and sparse data stay sparse.
func TestMixedMagnitudes(t *testing.T) {
	x, _ := ordinaryData()
	y := mat.DenseCopyOf(x)
	for i := range 40 {
		y.Set(i, 2, math.Ldexp(y.At(i, 2), 664))
		x.Set(i, 0, 0)
		x.Set(i, 1, 0)
		x.Set(i, 3, 0)
		x.Set(i, 4, 0)
	}
	got := embed(t, y, LE{}, Options{Components: "largest"})
	want := embed(t, x, LE{}, Options{Components: "largest"})
	expectMatrix(t, "coordinate", 664, 0, got.Y, want.Y)
}

func TestMagnitudesOfSparseData(t *testing.T) {
	x, _ := ordinaryData()
	for i := range 40 {
		x.Set(i, i%5, 0)
	}
	for _, m := range []Method{NMFKL{}, NMF{}, GNMF{Lambda: new(float64)}} {
		want := factorized(t, compressedOf(t, x), m, FactorizeOptions{Rank: 2})
		model := must(want.Model())(t)
		mapped := transformed(t, model, compressedOf(t, x), Options{})
		for _, e := range []int{-466, 466} {
			y := compressedOf(t, timesPower(e, x))
			before := slices.Clone(y.Val)
			got := factorized(t, y, m, FactorizeOptions{Rank: 2})
			if !got.Sparse || !slices.Equal(y.Val, before) {
				t.Errorf("%s: the data became dense, or others", m.Name())
			}
			expectMatrix(t, "coordinate", e, 1, got.W, want.W)
			model = must(got.Model())(t)
			again := transformed(t, model, y, Options{})
			expectMatrix(t, "coordinate of the model", e, 1, again, mapped)
		}
	}
}

// Among subnormal numbers the samples have few digits. What is found of them is finite or
// refused, and what is refused of the smallest is so by the entry.
func TestSubnormalData(t *testing.T) {
	x, labels := ordinaryData()
	o := Options{Labels: labels, Components: "largest"}
	for _, entry := range Methods() {
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			for _, e := range []int{-1060, 1023} {
				y := timesPower(e, x)
				m := named(t, entry.Name)
				var found []*mat.Dense
				var err error
				switch entry.Tasks[0] {
				case "embed":
					var r *Result
					if r, err = Embed(context.Background(), y, m, o); err == nil {
						found = append(found, r.Y)
					}
				case "factorize":
					var f *Factorization
					if f, err = Factorize(context.Background(), y, m, FactorizeOptions{Options: o, Rank: 2}); err == nil {
						found = append(found, f.W, f.H)
					}
				default:
					continue
				}
				if err != nil && !refusal.MatchString(err.Error()) {
					t.Errorf("2^%d: %v", e, err)
				}
				for _, a := range found {
					largest := 0.0
					for _, v := range mat.DenseCopyOf(a).RawMatrix().Data {
						if math.IsNaN(v) || math.IsInf(v, 0) {
							t.Fatalf("2^%d: %v", e, v)
						}
						largest = max(largest, math.Abs(v))
					}
					if largest == 0 {
						t.Errorf("2^%d: nothing but zeros", e)
					}
				}
			}
		})
	}
}

// The policies around a method see divided samples too: landmarks, components, copies,
// and the approximate search.
func TestMagnitudesOfPolicies(t *testing.T) {
	x := mat.NewDense(120, 3, nil)
	s := blas.NewStream(5)
	for i := range 120 {
		for j := range 3 {
			x.Set(i, j, math.Round(0x1p25*(0.2*s.Uniform()+0.7*float64(i%2)))/0x1p25)
		}
	}
	x.SetRow(7, x.RawRowView(3))
	for _, m := range []Method{LLE{}, Isomap{}, OLPPCai{}, LTSA{}, DiffusionMaps{}, SMCE{}} {
		for _, o := range []Options{
			{Components: "each", Landmarks: 60}, {Components: "each", Landmarks: 80, LandmarkChoice: "random"},
			{Components: "each"}, {Components: "largest", Duplicates: "merge"}, {Components: "largest", Neighbors: "approximate"},
		} {
			want := embed(t, x, m, o)
			p := embeddingPowers[m.Name()]
			for _, e := range []int{-400, 400} {
				y := timesPower(e, x)
				got := embed(t, y, m, o)
				expectMatrix(t, "coordinate", e, p.y, got.Y, want.Y)
				if got.Duplicates != 1 || got.Components != want.Components {
					t.Errorf("2^%d: %d duplicates, %d components", e, got.Duplicates, got.Components)
				}
				before, err := want.Model()
				if err != nil {
					continue
				}
				model := must(got.Model())(t)
				expectMatrix(t, "coordinate of the model", e, p.y, transformed(t, model, y, Options{}), transformed(t, before, x, Options{}))
			}
		}
	}
}

// A stream divides its blocks as a whole matrix is divided, on any number of threads.
func TestStreamOfDividedModels(t *testing.T) {
	x, _ := ordinaryData()
	y := timesPower(700, x)
	for _, m := range []Method{LTSA{}, OLPPCai{}, LE{}} {
		_, model := fittedModel(t, y, m, Options{Components: "largest"})
		want := transformed(t, model, y, Options{Threads: 1})
		p := must(model.Prepare(Options{Threads: 3}))(t)
		g := &rowSource{x: y, step: 7}
		if _, err := p.Stream(context.Background(), g, g); err != nil {
			t.Fatal(err)
		}
		expectScaled(t, m.Name(), 0, 0, g.written, want.RawMatrix().Data)
	}
}

// Data of ordinary size are used in place.
func TestOrdinaryDataAreNotCopied(t *testing.T) {
	x, _ := ordinaryData()
	began := state{Run: newRun(context.Background(), "pca", nil, Options{}, NewClock())}
	began.x = samples.Of(x)
	s, _, err := rescale{}.apply(began)
	if err != nil || s.unit.exponent != 0 || &s.x.Data()[0] != &x.RawMatrix().Data[0] {
		t.Errorf("exponent %d, error %v, or a copy", s.unit.exponent, err)
	}
	y := timesPower(300, x)
	began.x = samples.Of(y)
	if s, _, err = (rescale{}).apply(began); err != nil || s.unit.exponent != 300 || s.x.Row(3)[2] != x.At(3, 2) || y.At(3, 2) != math.Ldexp(x.At(3, 2), 300) {
		t.Errorf("exponent %d, error %v, or others", s.unit.exponent, err)
	}
}
