package nmf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// countData are n × m counts of few programmes, sparse, with a sample and a feature that are
// zero throughout. With real they are not numbers of single precision.
func countData(n, m int, seed uint64, real bool) Data {
	random := blas.NewStream(seed)
	const programmes = 4
	w, h := make([]float64, n*programmes), make([]float64, programmes*m)
	for i := range w {
		w[i] = math.Pow(random.Uniform(), 4)
	}
	for i := range h {
		h[i] = 3 * math.Pow(random.Uniform(), 6)
	}
	x := &sparse.CSR{Rows: n, Cols: m, Ptr: []int{0}}
	for i := range n {
		for j := range m {
			var mean float64
			for k := range programmes {
				mean += w[i*programmes+k] * h[k*m+j]
			}
			v := math.Floor(mean + random.Uniform())
			if v > 0 && i != 5 && j != 3 {
				if real {
					v *= 1 + float64(j)/7
				}
				x.Col, x.Val = append(x.Col, int32(j)), append(x.Val, v)
			}
		}
		x.Ptr = append(x.Ptr, len(x.Val))
	}
	return Sparse(x)
}

func madeDense(d Data) Data {
	x := make([]float64, d.Rows*d.Cols)
	for i := range d.Rows {
		cols, vals := d.Sparse.Row(i)
		for p, j := range cols {
			x[i*d.Cols+int(j)] = vals[p]
		}
	}
	return Dense(d.Rows, d.Cols, x)
}

var manyRuns = []Run{{3, 1}, {7, 2}, {3, 3}, {40, 4}, {7, 5}, {1, 6}, {3, 7}, {12, 8}, {3, 11}, {3, 13}}

// stacked makes the runs in a stack of this many columns; 0: as many as it takes by itself.
func stacked(t *testing.T, d Data, o Options, runs []Run, columns int) []*Result {
	t.Helper()
	list := make([]*Result, len(runs))
	each := func(run int, r *Result) error {
		if list[run] != nil {
			t.Errorf("run %d is given twice", run)
		}
		list[run] = r
		return nil
	}
	var err error
	if columns == 0 {
		err = FactorizeRuns(context.Background(), d, runs, o, each)
	} else {
		totals, _ := d.inspect()
		o.Rank = 1
		o, _ = o.withDefaults(d)
		s := newStack(d, o, totals, len(runs), each)
		s.columns = columns
		err = s.run(context.Background(), runs)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range list {
		if r == nil {
			t.Fatalf("run %d is never given", i)
		}
	}
	return list
}

// Every run of many has the factors that it has alone, to the bit where the squared error is
// lowered with products whose bits are defined.
func TestRunsEqualSingleOnes(t *testing.T) {
	counts, odd := countData(700, 60, 1, false), countData(700, 60, 2, true)
	kernels := must.Get(blas.Select("native"))(t)
	for _, c := range []struct {
		name  string
		data  Data
		o     Options
		exact bool
	}{
		{"mu", counts, Options{Iterations: 23}, true},
		{"mu, codes first", counts, Options{Iterations: 12, Order: CodesFirst}, true},
		{"mu, no counts", odd, Options{Iterations: 12}, true},
		{"mu, dense", madeDense(odd), Options{Iterations: 12}, true},
		{"mu, tolerance", counts, Options{Iterations: 120, Tolerance: 3e-3}, true},
		{"mu, dense, tolerance", madeDense(counts), Options{Iterations: 120, Tolerance: 3e-3}, true},
		{"mu, settle", counts, Options{Iterations: 300, Settle: 1e-4}, true},
		{"hals", counts, Options{Iterations: 15, Solver: HALS}, true},
		{"hals, dense", madeDense(counts), Options{Iterations: 15, Solver: HALS}, true},
		{"hals, settle", odd, Options{Iterations: 200, Solver: HALS, Settle: 1e-4}, true},
		{"nndsvdar", counts, Options{Iterations: 7, Init: NNDSVDRandom}, true},
		{"nnsvd-lrc", counts, Options{Iterations: 5, Init: LowRankSVD, Solver: HALS}, true},
		{"rows", counts, Options{Iterations: 5, Init: Rows}, true},
		{"kmeans", madeDense(counts), Options{Iterations: 5, Init: Centres, Solver: HALS}, true},
		{"spa", counts, Options{Iterations: 5, Init: Extremes}, true},
		{"kl", counts, Options{Iterations: 20, Loss: KL}, false},
		{"kl, no counts", odd, Options{Iterations: 12, Loss: KL}, false},
		{"kl, tolerance", odd, Options{Iterations: 60, Loss: KL, Tolerance: 1e-2}, false},
		{"kl, settle", counts, Options{Iterations: 60, Loss: KL, Settle: 1e-3}, false},
		{"kl, dense", madeDense(counts), Options{Iterations: 6, Loss: KL}, true},
		{"l21", madeDense(counts), Options{Iterations: 4, Loss: L21}, true},
		{"penalties", counts, Options{Iterations: 6, Penalties: Penalties{0.01, 0.02, 0.5}}, true},
		{"penalties, dense", madeDense(counts), Options{Iterations: 12, Penalties: Penalties{0.01, 0.02, 0.5}}, true},
		{"penalties, tolerance", counts, Options{Iterations: 120, Tolerance: 3e-3, Penalties: Penalties{0.01, 0.02, 0}}, true},
		{"kl, penalties", counts, Options{Iterations: 16, Loss: KL, Penalties: Penalties{0.01, 0.02, 0.5}}, false},
		{"kl, L1", odd, Options{Iterations: 16, Loss: KL, Penalties: Penalties{0.01, 0.02, 1}}, false},
		{"hals, L1, dense", madeDense(odd), Options{Iterations: 12, Solver: HALS, Penalties: Penalties{0.01, 0.02, 1}}, true},
		{"relative decrease, dense", madeDense(odd), Options{Iterations: 60, Stop: RelativeDecrease, Tolerance: 1e-2, TraceEvery: 7}, true},
		{"violation, dense, penalties", madeDense(odd), Options{Iterations: 30, Solver: HALS, Stop: Violation, Tolerance: 0.2, Penalties: Penalties{0.01, 0.02, 0.5}}, true},
		{"relative decrease, hals, penalties", counts, Options{Iterations: 60, Solver: HALS, Stop: RelativeDecrease, Tolerance: 1e-3, Penalties: Penalties{0.01, 0.02, 0.5}}, true},
		{"w-first", counts, Options{Iterations: 12, Order: WFirst, Stop: RelativeDecrease, Tolerance: 1e-2}, true},
		{"w-first, dense", madeDense(counts), Options{Iterations: 12, Order: WFirst, Penalties: Penalties{0.01, 0.02, 0.5}}, true},
		{"w-first, hals", odd, Options{Iterations: 40, Order: WFirst, Solver: HALS, Stop: Violation, Tolerance: 0.1, Penalties: Penalties{0.01, 0.02, 0.5}}, true},
		{"w-first, kl", counts, Options{Iterations: 6, Order: WFirst, Loss: KL}, true},
		{"hals, penalties", counts, Options{Iterations: 6, Solver: HALS, Penalties: Penalties{0.01, 0.02, 0.5}}, true},
		{"relative decrease", counts, Options{Iterations: 60, Stop: RelativeDecrease, Tolerance: 1e-2}, true},
		{"kl, relative decrease", counts, Options{Iterations: 60, Loss: KL, Stop: RelativeDecrease, Tolerance: 1e-2}, false},
		{"violation", counts, Options{Iterations: 30, Solver: HALS, Stop: Violation, Tolerance: 0.2}, true},
		{"each", counts, Options{Iterations: 6, Normalize: EachIteration}, true},
	} {
		if testing.Short() && c.o.Iterations >= 60 {
			continue // long ways through the same code, which the race detector makes ten times longer
		}
		t.Run(c.name, func(t *testing.T) {
			c.o.Kernels = kernels
			var want []*Result
			for _, run := range manyRuns {
				o := c.o
				o.Rank, o.Seed = run.Rank, run.Seed
				r := must.Get(Factorize(context.Background(), c.data, o))(t)
				want = append(want, r)
			}
			for _, how := range []struct{ threads, columns int }{{1, 0}, {5, 64}, {2, 8}} {
				o := c.o
				o.Threads = how.threads
				if how.columns > 0 && !func() bool { o, _ := withRank(o).withDefaults(c.data); return o.stacks(c.data) }() {
					continue
				}
				got := stacked(t, c.data, o, manyRuns, how.columns)
				for i := range manyRuns {
					checkRun(t, fmt.Sprintf("%v, run %d", how, i), got[i], want[i], c.exact)
				}
			}
		})
	}
}

func withRank(o Options) Options {
	o.Rank = 1
	return o
}

func checkRun(t *testing.T, what string, got, want *Result, exact bool) {
	t.Helper()
	if got.Iterations != want.Iterations || got.Converged != want.Converged {
		t.Fatalf("%s: %d iterations, converged %v; want %d, %v", what, got.Iterations, got.Converged, want.Iterations, want.Converged)
	}
	for _, x := range [][2][]float64{{got.W, want.W}, {got.H, want.H}} {
		var size, off float64
		for i, v := range x[1] {
			size = max(size, math.Abs(v))
			off = max(off, math.Abs(x[0][i]-v))
		}
		if len(x[0]) != len(x[1]) || exact && off > 0 || off > 1e-9*size {
			t.Fatalf("%s: factors differ by %g of %g", what, off, size)
		}
	}
	if len(got.Trace) != len(want.Trace) {
		t.Fatalf("%s: %d points of the trace, want %d", what, len(got.Trace), len(want.Trace))
	}
	for i, p := range want.Trace {
		q := got.Trace[i]
		if q.Iteration != p.Iteration || exact && q.Objective != p.Objective || math.Abs(q.Objective-p.Objective) > 1e-9*p.Objective || math.Abs(q.Residual-p.Residual) > 1e-9 {
			t.Fatalf("%s: point %d is %+v, want %+v", what, i, q, p)
		}
	}
}

func TestRunsRefuse(t *testing.T) {
	d := countData(60, 20, 1, false)
	negative := madeDense(d)
	negative.Dense[7] = -1
	none := func(int, *Result) error { return nil }
	for _, c := range []struct {
		name string
		data Data
		runs []Run
		o    Options
		says string
	}{
		{"negative", negative, []Run{{2, 1}}, Options{}, "row 1, column 8"},
		{"rank", d, []Run{{2, 1}, {0, 1}}, Options{}, "run 2: nmf: rank 0"},
		{"given", d, []Run{{2, 1}}, Options{Init: Given}, "given start"},
		{"svd", d, []Run{{21, 1}}, Options{Init: NNDSVDMean}, "at most 20"},
	} {
		err := FactorizeRuns(context.Background(), c.data, c.runs, c.o, none)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	full := errors.New("full")
	if err := FactorizeRuns(context.Background(), d, manyRuns, Options{Iterations: 2}, func(int, *Result) error { return full }); !errors.Is(err, full) {
		t.Errorf("an error of the caller is lost: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := FactorizeRuns(ctx, d, manyRuns, Options{}, none); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := FactorizeRuns(context.Background(), d, nil, Options{}, none); err != nil {
		t.Errorf("no runs: %v", err)
	}
}

// The sum of logarithms by products equals the sum of the logarithms.
func TestLogSum(t *testing.T) {
	random := blas.NewStream(6)
	logs, want := logSum{product: 1}, 0.0
	for i := range 20000 {
		x := float64(1 + random.Below(12))
		if i%7 == 0 {
			x += random.Uniform()
		}
		q := math.Pow(10, 34*random.Uniform()-17)
		logs.add(x, q)
		want += x * math.Log(q)
	}
	if got := logs.value(); !(math.Abs(got-want) <= 1e-9*math.Abs(want)+1e-6) {
		t.Errorf("%v, want %v", got, want)
	}
}
