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
		"paper": {Loss: Correntropy}, "refresh": {Loss: Correntropy, Schedule: Refresh}, "warm": {Loss: Correntropy, Warm: 4}, "fixed": {Loss: Correntropy, Sigma: Sigma{Fixed: 2}},
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

// randomSparse are n × m data with one entry in so many, and one at least in every row and
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

// Sparse data have the factors of the same data made dense, by every loss, schedule, solver
// and start, and the same bits on any number of threads.
func TestSparseEqualsDenseOfEveryLoss(t *testing.T) {
	d := randomSparse(330, 50, 12, 3)
	dense := madeDense(d)
	_, with := sample(d.Rows, 1, 1, 5) // its graph
	for name, o := range sparseOptions() {
		t.Run(name, func(t *testing.T) {
			o.Rank, o.Iterations, o.TraceEvery, o.Seed, o.Graph = 4, 12, 3, 9, with.Graph
			want, got := factorize(t, dense, o), factorize(t, d, o)
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
