package align

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// sparseShapes are samples with many zeros, of which odd has one of zeros alone and one that
// shares no column with any other: all others are equally far from these.
func sparseShapes(t *testing.T, odd bool) (*mat.Dense, *sparse.CSR, []int64) {
	const n, m = 45, 30
	shapes, labels := steptest.Shapes(n, 20)
	x := mat.NewDense(n, m, nil)
	var entries []sparse.Triplet
	for i := range n {
		for j := range 20 {
			if v := shapes.At(i, j); (3*i+2*j)%5 <= 1 && !(odd && (i == 7 || i == 11)) {
				x.Set(i, j, v)
			}
		}
		if odd && i == 11 {
			x.Set(i, 25, 3)
		}
		for j := range m {
			if v := x.At(i, j); v != 0 {
				entries = append(entries, sparse.Triplet{Row: i, Col: j, Val: v})
			}
		}
	}
	a := must.Get(sparse.FromTriplets(n, m, entries))(t)
	return x, a, labels
}

// Compressed samples have the graphs of the same samples made dense, and the same bits on
// any number of threads.
func TestGraphsOfCompressedSamples(t *testing.T) {
	for name, rule := range graphRules {
		t.Run(name, func(t *testing.T) {
			x, a, labels := sparseShapes(t, !slices.Contains([]string{"sp", "sp-ridge", "ndla"}, name))
			dense := must.Get(rule(inputOf(t.Context(), x, labels, run.Settings{})))(t)
			want := entriesOf(dense)
			var first []float64
			for _, threads := range []int{1, 2, 5} {
				in := inputOf(t.Context(), x, labels, run.Settings{Threads: threads})
				in.X = samples.OfCompressed(a).Labeled(labels)
				phi := must.Get(rule(in))(t)
				got := entriesOf(phi)
				if first == nil {
					first = got
				} else if !slices.Equal(got, first) {
					t.Errorf("%d threads change bits", threads)
				}
			}
			off, most := 0.0, 0.0
			for at, v := range want {
				most, off = max(most, math.Abs(v)), max(off, math.Abs(first[at]-v))
			}
			if most == 0 || !(off <= 1e-9*most) {
				t.Errorf("Φ is off by %.3g, its largest entry is %.3g", off, most)
			}
		})
	}
}

// The Gram matrix of compressed samples is that of dense ones.
func TestGramOfCompressedSamples(t *testing.T) {
	stream, m := blas.NewStream(3), 23
	x := mat.NewDense(90, m, nil)
	a := &sparse.CSR{Rows: 90, Cols: m, Ptr: []int{0}}
	for i := range 90 {
		for j := range m {
			if stream.Below(4) == 0 && i != 4 {
				x.Set(i, j, stream.Uniform())
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, x.At(i, j))
			}
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	in := inputOf(t.Context(), x, nil, run.Settings{})
	got := must.Get(gramOfSamples(in.Run, samples.OfCompressed(a)))(t)
	for at, v := range GramOf(in.Run, x.RawMatrix().Data, 90, m, false) {
		if math.Abs(got[at]-v) > 1e-15*float64(m) || got[at] != got[at%90*90+at/90] {
			t.Fatalf("entry %d is %v, not %v", at, got[at], v)
		}
	}
}
