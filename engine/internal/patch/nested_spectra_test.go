package patch

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// Maps of prefixes agree with plain formulas by a singular value decomposition: for few and
// many columns, dense and compressed, far from 0, with fewer directions than requested.
func TestTangentMapsByPlainFormulas(t *testing.T) {
	const n, p, dim = 40, 2, 3
	job := run.New(context.Background(), "test", run.Settings{Kernels: blas.MustSelect(""), Threads: 1, Seed: 1})
	for _, m := range []int{2, 3, 5, 16, 38, 300} {
		for _, offset := range []float64{0, 1e4} {
			rng := blas.NewStream(uint64(m))
			normal := func() float64 {
				one := make([]float64, 1)
				rng.Normals(one)
				return one[0]
			}
			x, y := mat.NewDense(60, m, nil), mat.NewDense(60, p, nil)
			var entries []sparse.Triplet
			for i := range 60 {
				for c := range m {
					if v := offset + float64(1+c%4)*normal(); rng.Uniform() < 0.7 {
						x.Set(i, c, v)
						entries = append(entries, sparse.Triplet{Row: i, Col: c, Val: v})
					}
				}
				y.SetRow(i, []float64{offset + x.At(i, 0)/10 + normal(), normal()})
			}
			compressed := must.Get(sparse.FromTriplets(60, m, entries))(t)
			set := make([]int32, n)
			for a := range set {
				set[a] = int32((7*a + 3) % 60)
			}
			for form, points := range map[string]samples.Samples{"dense": samples.Of(x), "compressed": samples.OfCompressed(compressed)} {
				mapper := NewTangentMapper(Local{Run: job, X: points})
				for range 2 { // a list does not affect the next one
					mapper.Begin(set, y)
					for _, size := range []int{4, 10, 20, n} {
						got := NewTangentMap(p)
						thin, off := mapper.Find(size, dim, got)
						want, thinWant, offWant := plainMap(x, y, set[:size], dim)
						where := fmt.Sprintf("%s, %d samples of %d columns about %g", form, size, m, offset)
						near(t, where+": thin", []float64{thin}, []float64{thinWant}, 1e-12)
						near(t, where+": off", []float64{off}, []float64{offWant}, 1e-12)
						near(t, where+": metric", got.Metric, want.Metric, 1e-9)
						near(t, where+": whole", got.Whole, want.Whole, 1e-9)
						near(t, where+": left", got.Left, want.Left, 1e-9)
					}
				}
				mapper.Begin(set[:13], nil)
				_, _, offWant := plainMap(x, y, set[:13], dim)
				near(t, "off alone", []float64{mapper.UnexplainedShare(13, dim)}, []float64{offWant}, 1e-12)
			}
		}
	}
}

// near compares numbers relative to the largest of them, or to 1 if that is less.
func near(t *testing.T, what string, got, want []float64, most float64) {
	t.Helper()
	scale := 1.0
	for _, v := range want {
		scale = max(scale, math.Abs(v))
	}
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= most*scale) {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}

// plainMap returns a tangent map with the shares of variance outside dim − 1 and dim directions.
func plainMap(x, y *mat.Dense, set []int32, dim int) (into TangentMap, thin, off float64) {
	centred := func(of *mat.Dense) *mat.Dense {
		_, cols := of.Dims()
		out := mat.NewDense(len(set), cols, nil)
		for c := range cols {
			var mean float64
			for _, i := range set {
				mean += of.At(int(i), c) / float64(len(set))
			}
			for a, i := range set {
				out.Set(a, c, of.At(int(i), c)-mean)
			}
		}
		return out
	}
	z, v := centred(x), centred(y)
	var svd mat.SVD
	svd.Factorize(z, mat.SVDThin)
	values := svd.Values(nil)
	var u, along, whole mat.Dense
	svd.UTo(&u)
	along.Mul(u.T(), v)
	whole.Mul(v.T(), v)
	_, p := y.Dims()
	into = NewTangentMap(p)
	tail := func(j int) (share float64) {
		var sum float64
		for r, s := range values {
			if sum += s * s; r >= j {
				share += s * s
			}
		}
		return share / sum
	}
	for r := range min(dim, len(values), len(set)-1) {
		for f := range p {
			for g := range p {
				into.Metric[f*p+g] += along.At(r, f) * along.At(r, g) / (values[r] * values[r])
				into.Left[f*p+g] -= along.At(r, f) * along.At(r, g)
			}
		}
	}
	for f := range p {
		for g := range p {
			into.Whole[f*p+g] = whole.At(f, g)
			into.Left[f*p+g] += whole.At(f, g)
		}
	}
	return into, tail(dim - 1), tail(dim)
}
