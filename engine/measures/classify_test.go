package measures

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// lineByFractions returns the squared distance to the line through a and b in
// exact arithmetic.
func lineByFractions(x, a, b []float64) *big.Rat {
	f := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	uu, uv, vv := new(big.Rat), new(big.Rat), new(big.Rat)
	for i := range x {
		u, v := new(big.Rat).Sub(f(x[i]), f(a[i])), new(big.Rat).Sub(f(b[i]), f(a[i]))
		uu.Add(uu, new(big.Rat).Mul(u, u))
		uv.Add(uv, new(big.Rat).Mul(u, v))
		vv.Add(vv, new(big.Rat).Mul(v, v))
	}
	if vv.Sign() == 0 {
		return uu
	}
	uv.Mul(uv, uv)
	return uu.Sub(uu, uv.Quo(uv, vv))
}

// TestNFLExactly compares with exact arithmetic. Nearly equal pairs make lines
// whose short formula is all rounding; where two classes are equally near to
// rounding, either will do.
func TestNFLExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		n, m := rapid.IntRange(3, 28).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "m") // rows of lines are scanned eight at a time
		closeness := rapid.SampledFrom([]float64{1, 1e-4, 1e-9, 0}).Draw(t, "closeness")
		train, test := normal(seed, n, m), normal(seed+1, 5, m)
		classes := rapid.SampledFrom([]int{1, 3}).Draw(t, "classes")
		if rapid.Bool().Draw(t, "outlier") { // which loosens the bound of every row
			for j := range m {
				train.Set(0, j, 1e5*train.At(0, j))
			}
		}
		labels, rng := make([]int64, n), blas.NewStream(seed+2)
		for i := range labels {
			labels[i] = int64(rng.Below(classes)) - 1
			if i%2 == 1 {
				for j := range m {
					train.Set(i, j, train.At(i-1, j)+closeness*train.At(i, j))
				}
			}
		}
		got := must.Get(ClassifyNFL(context.Background(), train, labels, test, Options{}))(t)
		for i := range 5 {
			x, nearest := test.RawRowView(i), map[int64]float64{}
			for a := range n {
				for b := range a + 1 {
					if labels[a] != labels[b] {
						continue
					}
					d, _ := lineByFractions(x, train.RawRowView(a), train.RawRowView(b)).Float64()
					if old, there := nearest[labels[a]]; !there || d < old {
						nearest[labels[a]] = d
					}
				}
			}
			best := math.Inf(1)
			for _, d := range nearest {
				best = math.Min(best, d)
			}
			// The full formula is right to about 1e-15 of the squared distance to the nearer end of a
			// line, times that distance over the length of the line; 30 bounds the former here, and
			// pairs 1e-9 apart the latter.
			if over := nearest[got[i]] - best; over > 1e-5 || (closeness != 1e-9 && over > 1e-10) {
				t.Fatalf("point %d: class %d at %v, nearest %v", i, got[i], nearest[got[i]], best)
			}
		}
	})
}

func TestNFLByHand(t *testing.T) {
	// Class 5: the line y = 0, by points far from the test point; class 2: one
	// point; class 3: a pair of equal points.
	train := matrix([][]float64{{100, 0}, {101, 0}, {0, 2}, {0, -3}, {0, -3}})
	labels := []int64{5, 5, 2, 3, 3}
	test := matrix([][]float64{{0, 0.9}, {0, 1.2}, {0, -2}, {0, 1}, {0, -1.5}})
	// (0, 1) is as near to class 2 as to class 5, (0, −1.5) to 3 as to 5: the smaller label.
	got, err := ClassifyNFL(context.Background(), train, labels, test, Options{})
	if want := []int64{5, 2, 3, 2, 3}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v (%v), want %v", got, err, want)
	}
}

func TestNNByHand(t *testing.T) {
	train := matrix([][]float64{{0}, {2}, {2}, {5}})
	got, err := ClassifyNN(context.Background(), train, []int64{7, 4, 1, 2}, matrix([][]float64{{1}, {2}, {1.5}, {9}}), Options{})
	if want := []int64{7, 4, 4, 2}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%v (%v), want %v", got, err, want)
	}
	// Squares of these numbers overflow, or vanish.
	for _, scale := range []float64{1e200, 1e-200} {
		t.Run(fmt.Sprintf("scale %g", scale), func(t *testing.T) {
			far := mat.DenseCopyOf(train)
			far.Scale(scale, far)
			got, err := ClassifyNN(context.Background(), far, []int64{7, 4, 1, 2}, matrix([][]float64{{0.9 * scale}, {4 * scale}}), Options{})
			if want := []int64{7, 2}; err != nil || !slices.Equal(got, want) {
				t.Errorf("scale %v: %v (%v), want %v", scale, got, err, want)
			}
		})
	}
	if rate, err := ErrorRate([]int64{1, 2, 3, 4}, []int64{1, 2, 4, 3}); err != nil || rate != 0.5 {
		t.Errorf("error rate %v (%v), want 0.5", rate, err)
	}
}

func TestClassifyErrors(t *testing.T) {
	x := normal(1, 4, 2)
	bad := normal(1, 4, 2)
	bad.Set(0, 0, math.NaN())
	labels := []int64{0, 1, 0, 1}
	ctx := context.Background()
	for name, f := range map[string]func(ctx context.Context, a mat.Matrix, l []int64, b mat.Matrix, o Options) ([]int64, error){"nn": ClassifyNN, "nfl": ClassifyNFL} {
		t.Run(name, func(t *testing.T) {
			_, err := f(ctx, x, labels, normal(1, 4, 3), Options{})
			refuses(t, err, name+": the training data has 2 columns and the test data 3")
			_, err = f(ctx, x, labels[:3], x, Options{})
			refuses(t, err, name+": 3 labels for 4 training points")
			_, err = f(ctx, bad, labels, x, Options{})
			refuses(t, err, "training data has NaN")
			_, err = f(ctx, x, labels, bad, Options{})
			refuses(t, err, "test data has NaN")
		})
	}
	_, err := ClassifyNFL(context.Background(), mat.NewDense(maxInClass+1, 1, nil), make([]int64, maxInClass+1), mat.NewDense(1, 1, nil), Options{})
	refuses(t, err, "class 0 has 32769 training points")
}

// TestClassifyAnyThreads also holds the backends to the same answers, and stops
// when it is requested.
func TestClassifyAnyThreads(t *testing.T) {
	train, test, labels := normal(1, 400, 20), normal(2, 150, 20), make([]int64, 400)
	for i := range labels {
		labels[i] = int64(i % 3)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	for name, f := range map[string]func(ctx context.Context, a mat.Matrix, l []int64, b mat.Matrix, o Options) ([]int64, error){"nn": ClassifyNN, "nfl": ClassifyNFL} {
		t.Run(name, func(t *testing.T) {
			want := must.Get(f(context.Background(), train, labels, test, Options{Threads: 1}))(t)
			for _, o := range []Options{{Threads: 2}, {Threads: 5}, {Kernels: blas.MustSelect("gonum")}, {Kernels: blas.MustSelect("native")}} {
				if got, err := f(context.Background(), train, labels, test, o); err != nil || !slices.Equal(got, want) {
					t.Errorf("%s: %+v gives other labels (%v)", name, o, err)
				}
			}
			if _, err := f(stopped, train, labels, test, Options{}); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: a cancelled context gives %v", name, err)
			}
		})
	}
}

// BenchmarkClassifyNFL is one split of USPS 6000 after projection (Wang and
// Zhang 2010, Fig. 7): 1.35·10⁹ pairs of a line and a point.
func BenchmarkClassifyNFL(b *testing.B) {
	const n, classes = 3000, 10
	labels := make([]int64, n)
	for i := range labels {
		labels[i] = int64(i % classes)
	}
	for _, d := range []int{3, 9, 17} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("n=%d/d=%d/threads=%d", n, d, threads), func(b *testing.B) {
				train, test := normal(1, n, d), normal(2, n, d)
				for b.Loop() {
					if _, err := ClassifyNFL(context.Background(), train, labels, test, Options{Threads: threads}); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(n*classes*(n/classes)*(n/classes-1)/2), "ns/line")
			})
		}
	}
}
