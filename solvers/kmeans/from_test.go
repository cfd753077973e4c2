package kmeans

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// plainLloyd is the iteration of [KMeansFrom] without bounds, products or parts.
func plainLloyd(x, start *mat.Dense, weights []float64, iterations int, tolerance float64) *Refined {
	n, m := x.Dims()
	k, _ := start.Dims()
	centers := mat.DenseCopyOf(start)
	square := func(i, c int) (d float64) {
		for j := range m {
			d += (x.At(i, j) - centers.At(c, j)) * (x.At(i, j) - centers.At(c, j))
		}
		return d
	}
	out := &Refined{Labels: make([]int32, n)}
	for i := range n {
		out.Labels[i] = -1
	}
	assign := func() (changed int) {
		for i := range n {
			best := 0
			for c := range k {
				if square(i, c) < square(i, best) {
					best = c
				}
			}
			if out.Labels[i] != int32(best) {
				changed++
				out.Labels[i] = int32(best)
			}
		}
		return changed
	}
	for out.Iterations < iterations {
		changed := assign()
		out.Iterations++
		sums, total := mat.NewDense(k, m, nil), make([]float64, k)
		for i, c := range out.Labels {
			total[c] += weights[i]
			for j := range m {
				sums.Set(int(c), j, sums.At(int(c), j)+weights[i]*x.At(i, j))
			}
		}
		order := make([]int, n)
		for i := range n {
			order[i] = n - 1 - i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			da, db := square(a, int(out.Labels[a])), square(b, int(out.Labels[b]))
			if da > db {
				return -1
			} else if da < db {
				return 1
			}
			return 0
		})
		for c, w := range slices.Clone(total) {
			if w != 0 {
				continue
			}
			i := order[0]
			order = order[1:]
			for j := range m {
				was := int(out.Labels[i])
				sums.Set(was, j, sums.At(was, j)-weights[i]*x.At(i, j))
				sums.Set(c, j, weights[i]*x.At(i, j))
			}
			total[out.Labels[i]] -= weights[i]
			total[c] = weights[i]
		}
		out.Moved = 0
		for c := range k {
			for j := range m {
				v := sums.At(c, j)
				if total[c] > 0 {
					v /= total[c]
				}
				out.Moved += (v - centers.At(c, j)) * (v - centers.At(c, j))
				centers.Set(c, j, v)
			}
		}
		if out.Settled = changed == 0 && out.Iterations > 1; out.Settled || out.Moved <= tolerance {
			break
		}
	}
	if !out.Settled {
		assign()
	}
	for i, c := range out.Labels {
		out.Cost += weights[i] * square(i, int(c))
	}
	out.Centers = centers.RawMatrix().Data
	return out
}

// blobs are n samples around k places, some columns of them zero.
func blobs(random *rand.Rand, n, m, k int, spread float64) *mat.Dense {
	places := make([]float64, k*m)
	for at := range places {
		places[at] = 4 * random.NormFloat64()
	}
	x := mat.NewDense(n, m, nil)
	for i := range n {
		c := random.IntN(k)
		for j := range m {
			if random.Float64() < 0.7 {
				x.Set(i, j, places[c*m+j]+spread*random.NormFloat64())
			}
		}
	}
	return x
}

func TestKMeansFromIsPlainLloyd(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		n, m, k, iterations int
		spread, tolerance   float64
		far                 int // centres of the start beyond all samples
	}{
		{300, 2, 3, 100, 1, 0, 0}, {900, 5, 8, 100, 3, 0, 0}, {3000, 7, 20, 200, 6, 0, 0}, {2500, 40, 15, 100, 4, 1e-3, 0},
		{1500, 3, 1, 10, 1, 0, 0}, {700, 4, 6, 3, 2, 0, 0}, {800, 3, 7, 60, 2, 0, 3}, {400, 3, 5, 0, 1, 0, 0},
	} {
		x := blobs(random, c.n, c.m, c.k, c.spread)
		weights, start := make([]float64, c.n), mat.NewDense(c.k, c.m, nil)
		for i := range weights {
			weights[i] = float64(random.IntN(4)) * random.Float64()
		}
		for q := range c.k {
			start.SetRow(q, x.RawRowView(random.IntN(c.n)))
			if q < c.far {
				start.Set(q, 0, 1e3*float64(q+1))
			}
		}
		ones := slices.Repeat([]float64{1}, c.n)
		for _, given := range [][]float64{nil, weights} {
			by := given
			if given == nil {
				by = ones
			}
			want := plainLloyd(x, start, by, c.iterations, c.tolerance)
			for _, samples := range []mat.Matrix{x, withoutZerosOf(x)} {
				var first *Refined
				for _, threads := range []int{1, 3} {
					got := must.Get(KMeansFrom(context.Background(), samples, start, KMeansFromOptions{
						Weights: given, Iterations: c.iterations, Tolerance: c.tolerance, Threads: threads}))(t)
					if !slices.Equal(got.Labels, want.Labels) || got.Iterations != want.Iterations || got.Settled != want.Settled {
						t.Fatalf("%+v, %T: %d iterations (settled %v) and cost %v, want %d (%v) and %v", c, samples, got.Iterations, got.Settled, got.Cost, want.Iterations, want.Settled, want.Cost)
					}
					if math.Abs(got.Cost-want.Cost) > 1e-11*want.Cost+1e-12 {
						t.Errorf("%+v, %T: cost %v, want %v", c, samples, got.Cost, want.Cost)
					}
					for at, v := range got.Centers {
						if math.Abs(v-want.Centers[at]) > 1e-11*(1+math.Abs(v)) {
							t.Fatalf("%+v, %T: centre entry %d is %v, want %v", c, samples, at, v, want.Centers[at])
						}
					}
					if first == nil {
						first = got
					} else if first.Cost != got.Cost || !slices.Equal(first.Centers, got.Centers) {
						t.Errorf("%+v, %T: other bits with %d threads", c, samples, threads)
					}
				}
			}
		}
	}
}

// TestKMeansFromTakesTheLowerOfTiedCentres has samples midway between centres, and centres
// that are equal, far from the origin, where products cancel.
func TestKMeansFromTakesTheLowerOfTiedCentres(t *testing.T) {
	const away = 1 << 20
	x := mat.NewDense(3, 2, []float64{away + 1, away, away + 1, away + 2, away + 4, away})
	start := mat.NewDense(4, 2, []float64{away + 2, away, away, away, away + 2, away, away + 4, away})
	got := must.Get(KMeansFrom(context.Background(), x, start, KMeansFromOptions{}))(t)
	if want := []int32{0, 0, 3}; !slices.Equal(got.Labels, want) || got.Cost != 6 {
		t.Errorf("labels %v at cost %v, want %v at 6", got.Labels, got.Cost, want)
	}
}

func TestKMeansFromPutsEmptiedClusters(t *testing.T) {
	// The far sample is taken from the second cluster, which had no other.
	x, start := mat.NewDense(5, 1, []float64{-14, -14, -4, -4, 36}), mat.NewDense(3, 1, []float64{-14, 26, 986})
	for _, c := range []struct {
		x       *mat.Dense
		start   []float64
		most    int
		heavy   bool
		centers []float64
	}{
		{x, start.RawMatrix().Data, 1, false, []float64{-9, 0, 36}},
		{x, start.RawMatrix().Data, 1, true, []float64{-9, -9, 36}},
		{mat.NewDense(3, 1, []float64{1, 1, 2}), []float64{1, 2, 5}, 5, false, []float64{1, 0, 2}}, // takes the last, which was at its centre
		{mat.NewDense(3, 1, []float64{1, 1, 2}), []float64{1, 2, 5}, 5, true, []float64{1, 2, 1}},
	} {
		got, err := KMeansFrom(context.Background(), c.x, mat.NewDense(3, 1, c.start), KMeansFromOptions{Iterations: c.most, Heaviest: c.heavy})
		if err != nil || !slices.Equal(got.Centers, c.centers) {
			t.Errorf("%+v: centres %v (%v)", c, got.Centers, err)
		}
	}
}

func TestKMeansFromReportsItsCosts(t *testing.T) {
	x := blobs(rand.New(rand.NewPCG(5, 5)), 600, 4, 6, 3)
	got := must.Get(KMeansFrom(context.Background(), x, mat.DenseCopyOf(x.Slice(0, 6, 0, 4)), KMeansFromOptions{Iterations: 100, Trace: true}))(t)
	if len(got.Costs) != got.Iterations || !slices.IsSortedFunc(got.Costs, func(a, b float64) int { return int(math.Copysign(1, b-a)) }) || got.Cost > got.Costs[len(got.Costs)-1] {
		t.Errorf("costs %v and at last %v of %d iterations do not descend", got.Costs, got.Cost, got.Iterations)
	}
}

func TestKMeansFromRefusals(t *testing.T) {
	x, nan := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}), mat.NewDense(1, 2, []float64{math.NaN(), 0})
	start := mat.NewDense(1, 2, nil)
	for name, c := range map[string]struct {
		x     mat.Matrix
		start *mat.Dense
		o     KMeansFromOptions
	}{
		"columns":        {x, mat.NewDense(1, 3, nil), KMeansFromOptions{}},
		"weights":        {x, start, KMeansFromOptions{Weights: []float64{1}}},
		"a weight":       {x, start, KMeansFromOptions{Weights: []float64{1, -1, 1}}},
		"iterations":     {x, start, KMeansFromOptions{Iterations: -1}},
		"tolerance":      {x, start, KMeansFromOptions{Tolerance: math.NaN()}},
		"a sample":       {nan, start, KMeansFromOptions{}},
		"a sparse entry": {&sparse.CSR{Rows: 1, Cols: 2, Ptr: []int{0, 1}, Col: []int32{0}, Val: []float64{math.Inf(1)}}, start, KMeansFromOptions{}},
		"a start":        {x, nan, KMeansFromOptions{}},
		"a type":         {mat.NewDiagDense(2, nil), start, KMeansFromOptions{}},
	} {
		if _, err := KMeansFrom(context.Background(), c.x, c.start, c.o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// withoutZerosOf is x in compressed rows.
func withoutZerosOf(x *mat.Dense) *sparse.CSR {
	n, m := x.Dims()
	a := &sparse.CSR{Rows: n, Cols: m, Ptr: []int{0}}
	for i := range n {
		for j := range m {
			if v := x.At(i, j); v != 0 {
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, v)
			}
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return a
}
