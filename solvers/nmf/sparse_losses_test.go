package nmf

import (
	"fmt"
	"math"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// sparseOptions are every loss × schedule × solver that sparse data go to, with a graph
// where there is room for one.
func sparseOptions() map[string]Options {
	all := map[string]Options{}
	for name, o := range map[string]Options{
		"frobenius": {}, "hals": {Solver: HALS, Sweeps: 2}, "codes-first": {Order: CodesFirst}, "kl": {Loss: KL}, "l21": {Loss: L21},
		"paper": {Loss: Correntropy}, "refresh": {Loss: Correntropy, Schedule: Refresh}, "warm": {Loss: Correntropy, Warm: 4, Sweeps: 2}, "median": {Loss: Correntropy, Sigma: Sigma{Scale: MedianScale, Theta: 4.5}}, "fixed": {Loss: Correntropy, Sigma: Sigma{Fixed: 2}},
		"frozen": {Loss: Correntropy, Schedule: Refresh, Sigma: Sigma{FreezeAfter: 3, KernelConstant: true}},
	} {
		for _, start := range []string{RandomStart, NNDSVDMean} {
			for _, each := range []string{AtEnd, EachIteration} {
				o.Init, o.Normalize = start, each
				all[fmt.Sprintf("%s/%s/%s", name, start, each)] = o
				for _, balanced := range []bool{false, true} {
					if each == EachIteration {
						continue
					}
					graph := o
					graph.Lambda, graph.Balanced = 0.2, balanced
					all[fmt.Sprintf("%s/%s/%s/balanced=%v", name, start, each, balanced)] = graph
				}
			}
		}
	}
	return all
}

// randomSparse are n × m data with one entry in this many, and one at least in every row and
// column.
func randomSparse(n, m, oneIn int, seed uint64) Data {
	random := blas.NewStream(seed)
	x := &sparse.CSR{Rows: n, Cols: m, Ptr: []int{0}}
	for i := range n {
		for j := range m {
			if random.Below(oneIn) == 0 || j == i%m {
				x.Col, x.Val = append(x.Col, int32(j)), append(x.Val, math.Ceil(5*random.Uniform())+random.Uniform())
			}
		}
		x.Ptr = append(x.Ptr, len(x.Val))
	}
	return Sparse(x)
}

// Sparse data and a sparse Φ have the factors of the same made dense, by every loss, schedule, solver
// and start, and the same bits on any number of threads.
func TestSparseEqualsDenseOfEveryLoss(t *testing.T) {
	d := randomSparse(150, 50, 12, 3)
	dense := madeDense(d)
	_, with := sample(d.Rows, 1, 1, 5) // its graph
	for name, o := range sparseOptions() {
		t.Run(name, func(t *testing.T) {
			o.Rank, o.Iterations, o.TraceEvery, o.Seed, o.Graph = 4, 12, 3, 9, with.Graph
			want := factorize(t, dense, o)
			o.Graph = Graph{Sparse: compressed(t, d.Rows, d.Rows, o.Graph.Dense)}
			got := factorize(t, d, o)
			closeTo(t, "coordinates", got.W, want.W, 1e-10)
			closeTo(t, "components", got.H, want.H, 1e-10)
			if len(got.Trace) != len(want.Trace) {
				t.Fatalf("%d points, dense %d", len(got.Trace), len(want.Trace))
			}
			for i, p := range want.Trace {
				q := got.Trace[i]
				for what, pair := range map[string][2]float64{"objective": {q.Objective, p.Objective}, "surrogate": {q.Surrogate, p.Surrogate}, "residual": {q.Residual, p.Residual},
					"σ²": {q.Sigma2, p.Sigma2}, "held before": {q.HeldBefore, p.HeldBefore}, "held": {q.Held, p.Held}, "graph term": {q.Regularizer, p.Regularizer}} {
					if !(math.Abs(pair[0]-pair[1]) <= 1e-10*math.Abs(pair[1])) {
						t.Errorf("point %d: the %s is %v, dense %v", i, what, pair[0], pair[1])
					}
				}
			}
			for _, threads := range []int{1, 3} {
				o.Threads = threads
				sameBits(t, fmt.Sprint(threads, " threads"), factorize(t, d, o), got)
			}
		})
	}
}

// Sparse data that are odd: of zeros throughout, of one sample or feature, with samples and
// features of zeros, exactly fitted, with more components than either side.
func TestOddSparseData(t *testing.T) {
	some := madeDense(randomSparse(20, 9, 5, 3)).Dense
	holes := append([]float64(nil), some...)
	clear(holes[9:18])
	for i := range 20 {
		holes[9*i+4] = 0
	}
	outer := make([]float64, 180)
	for i := 0; i < 20; i += 3 {
		for j := 0; j < 9; j += 2 {
			outer[9*i+j] = float64((i + 1) * (j + 1))
		}
	}
	for what, d := range map[string]Data{"zeros": Dense(20, 9, make([]float64, 180)), "one sample": Dense(1, 9, some[:9]), "one feature": Dense(20, 1, some[:20]),
		"holes": Dense(20, 9, holes), "of rank one": Dense(20, 9, outer)} {
		for name, o := range sparseOptions() {
			if o.Init != RandomStart || o.Lambda > 0 {
				continue
			}
			for _, rank := range []int{1, 25} {
				o.Rank, o.Iterations, o.Seed = rank, 40, 5
				r, want := factorize(t, Sparse(compressed(t, d.Rows, d.Cols, d.Dense)), o), factorize(t, d, o)
				for _, x := range [][]float64{r.W, r.H} {
					for _, v := range x {
						if v-v != 0 || v < 0 {
							t.Fatalf("%s, %s, rank %d: an entry is %v", what, name, rank, v)
						}
					}
				}
				got, of := r.Trace[len(r.Trace)-1].Residual, want.Trace[len(want.Trace)-1].Residual
				if math.Abs(got-of) > 1e-5+1e-6*of {
					t.Errorf("%s, %s, rank %d: the residual is %v, dense %v", what, name, rank, got, of)
				}
			}
		}
	}
}
