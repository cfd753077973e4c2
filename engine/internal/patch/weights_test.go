package patch

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/steptest"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
)

// bowl draws n samples of the graph of ½(a² + b²) over the unit square.
func bowl(n int, seed uint64) *mat.Dense {
	places, x := make([]float64, 2*n), mat.NewDense(n, 3, nil)
	blas.NewStream(seed).Uniforms(places)
	for i := range n {
		a, b := places[2*i], places[2*i+1]
		x.SetRow(i, []float64{a, b, 0.5 * (a*a + b*b)})
	}
	return x
}

// misses returns, for each sample of a bowl, the error of its weights along the tangent
// plane, divided by the distance to its farthest neighbour.
func misses(t *testing.T, x *mat.Dense, k int, by Regularization) []float64 {
	in := Local{Run: steptest.Run(t), X: samples.Of(x)}
	g := must.Get(neighbors.Exact(t.Context(), in.X.Points(), k, neighbors.Options{}))(t)
	in.Graph = g
	w := must.Get(Reconstruction(by).Weights(in))(t)
	all := make([]float64, g.Len())
	for i := range all {
		sum, missed, own := 0.0, make([]float64, 3), w[g.Ptr[i]:g.Ptr[i+1]]
		for a, j := range g.Of(i) {
			sum += own[a]
			for c := range missed {
				missed[c] += own[a] * (x.At(int(j), c) - x.At(i, c))
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("the weights of sample %d sum to %v", i, sum)
		}
		normal := []float64{x.At(i, 0), x.At(i, 1), -1}
		blas.Axpy(-blas.Dot(missed, normal)/blas.Dot(normal, normal), normal, missed)
		all[i] = math.Sqrt(blas.Dot(missed, missed)) / g.Distances(i)[k-1]
	}
	return all
}

// For a given γ the error of the weights along the tangents is about γ times the radius, at any density.
// With auto the error decreases as the samples become denser.
func TestAutomaticWeightsReproduceTangents(t *testing.T) {
	var last float64
	for _, n := range []int{1000, 16000} {
		x := bowl(n, 1)
		given := median(misses(t, x, 12, Regularized(PaperGamma, 2)))
		auto := median(misses(t, x, 12, Regularized(0, 2)))
		if given < PaperGamma/5 || auto > given/4 {
			t.Errorf("%d samples: auto misses %.2g of the radius, γ = 0.001 %.2g", n, auto, given)
		}
		if n > 1000 && auto > last/4 {
			t.Errorf("auto misses %.2g of the radius with 1000 samples and %.2g with %d", last, auto, n)
		}
		last = auto
	}
}

func median(v []float64) float64 { return slices.Sorted(slices.Values(v))[len(v)/2] }

// Auto is γ = 0.001, to the bit, if the spectra show no tangent plane: in wide data,
// with as many tangents as neighbours, and with more tangents than columns.
func TestAutomaticWeightsOfWideData(t *testing.T) {
	cloud := mat.NewDense(200, 40, nil)
	blas.NewStream(3).Normals(cloud.RawMatrix().Data)
	narrow := mat.DenseCopyOf(cloud.Slice(0, 200, 0, 3))
	for _, c := range []struct {
		x      *mat.Dense
		k, dim int
	}{{cloud, 12, 2}, {cloud, 12, 11}, {cloud, 5, 5}, {cloud, 5, 9}, {narrow, 6, 4}} {
		in := Local{Run: steptest.Run(t), X: samples.Of(c.x)}
		g := must.Get(neighbors.Exact(t.Context(), in.X.Points(), c.k, neighbors.Options{}))(t)
		in.Graph = g
		auto := must.Get(Reconstruction(Regularized(0, c.dim)).Weights(in))(t)
		given := must.Get(Reconstruction(Regularized(PaperGamma, c.dim)).Weights(in))(t)
		for i := range auto {
			if auto[i] != given[i] {
				t.Errorf("%d columns, k = %d, d = %d: weight %d is %v, with γ = 0.001 %v", c.x.RawMatrix().Cols, c.k, c.dim, i, auto[i], given[i])
				break
			}
		}
	}
}

// The bound that avoids computing the spectra of wide data rejects no spectrum with a clear tangent plane.
func TestBoundOfClearSpectra(t *testing.T) {
	stream := blas.NewStream(5)
	clear := 0
	for range 20000 {
		k := 3 + stream.Below(12)
		d := 1 + stream.Below(k-1)
		lambda, gram, trace := make([]float64, k), make([]float64, k*k), 0.0
		for j := range lambda {
			lambda[j] = math.Pow(10, -4*stream.Uniform())
			if j >= d {
				lambda[j] *= 1e-2
			}
		}
		slices.SortFunc(lambda, func(a, b float64) int { return cmp.Compare(b, a) })
		for j, v := range lambda {
			gram[j*k+j] = v
			trace += v
		}
		if clarity(spectralGap(lambda, d)) == 1 {
			continue
		}
		clear++
		if !canBeClear(gram, k, d, trace) {
			t.Fatalf("λ %v with d = %d: a gap of %g was rejected", lambda, d, spectralGap(lambda, d))
		}
	}
	if clear < 100 {
		t.Errorf("%d spectra with a clear tangent plane were tried; too few to decide", clear)
	}
}

// Neighbours in a plane, on a line, and at one place: the weights are finite, sum
// to 1, and reproduce the sample as far as its neighbours can.
func TestAutomaticWeightsOfFlatNeighbours(t *testing.T) {
	stream := blas.NewStream(7)
	for rank := range 4 {
		const k, m = 8, 5
		var coordinates, basis, g mat.Dense
		if rank > 0 {
			c, b := mat.NewDense(k, rank, nil), mat.NewDense(rank, m, nil)
			stream.Normals(c.RawMatrix().Data)
			stream.Normals(b.RawMatrix().Data)
			coordinates.CloneFrom(c)
			basis.CloneFrom(b)
			g.Mul(&coordinates, &basis)
		} else {
			g = *mat.NewDense(k, m, nil)
		}
		solver := NewWeightSolver(blas.MustSelect("auto"), k, Regularized(0, 2))
		w := solver.Solve(g.RawMatrix().Data, k, m)
		var sum, largest float64
		for _, v := range w {
			sum += v
			largest = max(largest, math.Abs(v))
		}
		if !(math.Abs(sum-1) < 1e-9) {
			t.Errorf("rank %d: the weights %v sum to %v", rank, w, sum)
		}
		if rank == 2 { // a plane of two tangents: nothing is missed
			var missed mat.VecDense
			missed.MulVec(g.T(), mat.NewVecDense(k, w))
			if mat.Norm(&missed, 2) > 1e-9*largest*mat.Norm(&g, 2) {
				t.Errorf("rank 2: the weights miss the sample by %g", mat.Norm(&missed, 2))
			}
		}
	}
}
