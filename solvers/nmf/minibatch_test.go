package nmf

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// planted is X = WH without noise, where each component has columns of its own.
func planted(n, m, r int, seed uint64) Data {
	random := blas.NewStream(seed)
	w, h, x := make([]float64, n*r), make([]float64, r*m), make([]float64, n*m)
	for i := range w {
		if v := random.Uniform(); v > 0.4 {
			w[i] = v
		}
	}
	for k := range r {
		for j := range m {
			if v := random.Uniform(); v > 0.6 || j%r == k {
				h[k*m+j] = v + 0.1
			}
		}
	}
	for j := range r { // alone in its column
		for k := range r {
			if k != j {
				h[k*m+j] = 0
			}
		}
	}
	blas.MustSelect("").Gemm(false, false, n, m, r, 1, w, r, h, m, 0, x, m)
	return Dense(n, m, x)
}

// A planted factorisation is found again, out of batches.
func TestMiniBatchFindsPlantedFactors(t *testing.T) {
	d := planted(3000, 40, 5, 1)
	for _, c := range []struct {
		loss  *Loss
		limit float64
	}{{Frobenius, 1e-3}, {KL, 2e-2}} {
		r := factorize(t, d, Options{Rank: 5, Loss: c.loss, Solver: MiniBatch, Iterations: 60, Seed: 2, Batches: Batches{Rows: 128}})
		if last := r.Trace[len(r.Trace)-1]; !(last.Residual < c.limit) {
			t.Errorf("%s: a residual of %.3g", c.loss, last.Residual)
		}
	}
}

// After its passes the objective is within 1 % of what all samples together lead to, also of
// samples that are sorted.
func TestMiniBatchComesNearTheWhole(t *testing.T) {
	d := lowRankData(2500, 60, 6, 9)
	n, m := d.Rows, d.Cols
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(math.Copysign(1, d.Dense[a*m]-d.Dense[b*m])) })
	sorted := make([]float64, n*m)
	for at, i := range order {
		copy(sorted[at*m:], d.Dense[i*m:(i+1)*m])
	}
	d.Dense = sorted
	for loss, solver := range map[*Loss]string{Frobenius: HALS, KL: Multiplicative} {
		whole := factorize(t, d, Options{Rank: 6, Loss: loss, Solver: solver, Iterations: 300})
		batches := factorize(t, d, Options{Rank: 6, Loss: loss, Solver: MiniBatch, Iterations: 20, Batches: Batches{Rows: 256}})
		a, b := whole.Trace[len(whole.Trace)-1].Objective, batches.Trace[len(batches.Trace)-1].Objective
		if !(b < 1.01*a) {
			t.Errorf("%s: an objective of %.6g where all samples together come to %.6g", loss, b, a)
		}
	}
}

// Sparse data lead to the same as dense ones, within rounding.
func TestMiniBatchSparseIsDense(t *testing.T) {
	d := lowRankData(500, 33, 4, 7)
	for _, loss := range []*Loss{Frobenius, KL} {
		o := Options{Rank: 4, Loss: loss, Solver: MiniBatch, Iterations: 3, Batches: Batches{Rows: 500}} // one batch: the strips differ
		a := factorize(t, d, o)
		b := factorize(t, Sparse(compressed(t, d.Rows, d.Cols, d.Dense)), o)
		if far := distance(b.H, a.H); !(far < 1e-9) {
			t.Errorf("%s: H differs by %.3g", loss, far)
		}
		if far := distance(b.W, a.W); !(far < 1e-5) {
			t.Errorf("%s: W differs by %.3g", loss, far)
		}
		p, q := a.Trace[len(a.Trace)-1], b.Trace[len(b.Trace)-1]
		if math.Abs(p.Objective-q.Objective) > 1e-8*p.Objective || math.Abs(p.Residual-q.Residual) > 1e-8 {
			t.Errorf("%s: measured as %v and %v", loss, p, q)
		}
	}
}

// The number of threads changes no bit.
func TestMiniBatchThreadsChangeNoBit(t *testing.T) {
	d := lowRankData(700, 90, 6, 3)
	for _, loss := range []*Loss{Frobenius, KL} {
		for _, d := range []Data{d, Sparse(compressed(t, d.Rows, d.Cols, d.Dense))} {
			o := Options{Rank: 6, Loss: loss, Solver: MiniBatch, Iterations: 3, Batches: Batches{Rows: 200}, Threads: 1}
			a := factorize(t, d, o)
			o.Threads = 5
			b := factorize(t, d, o)
			if !slices.Equal(a.W, b.W) || !slices.Equal(a.H, b.H) {
				t.Errorf("%s: another number of threads has other bits", loss)
			}
		}
	}
}

// The trace ends with the objective of the factors that are returned.
func TestMiniBatchMeasuresItsFactors(t *testing.T) {
	d := lowRankData(300, 20, 3, 3)
	for _, loss := range []*Loss{Frobenius, KL} {
		r := factorize(t, d, Options{Rank: 3, Loss: loss, Solver: MiniBatch, Iterations: 4, Batches: Batches{Rows: 64}})
		model := make([]float64, len(d.Dense))
		blas.MustSelect("").Gemm(false, false, d.Rows, d.Cols, 3, 1, r.W, 3, r.H, d.Cols, 0, model, d.Cols)
		squares, want := blas.SquaredDistance(d.Dense, model), 0.0
		if want = squares; loss == KL {
			want = divergenceOf(d.Dense, model)
		}
		last := r.Trace[len(r.Trace)-1]
		if math.Abs(last.Objective-want) > 1e-10*want {
			t.Errorf("%s: the objective is reported as %v, and is %v", loss, last.Objective, want)
		}
		if residual := math.Sqrt(squares / blas.Dot(d.Dense, d.Dense)); math.Abs(last.Residual-residual) > 1e-12 {
			t.Errorf("%s: the residual is reported as %v, and is %v", loss, last.Residual, residual)
		}
		if last.Iteration != 4 || len(r.Trace) != 5 {
			t.Errorf("%s: the trace is %v", loss, r.Trace)
		}
	}
}

// grouped is a source that can be read from the beginning of groups alone, and gives few rows
// at a time.
type grouped struct {
	memorySource
	groups []int
	unsure bool // of the number of rows
	visits []int
	fail   error
}

func (g *grouped) Starts() []int { return g.groups }

func (g *grouped) Rows() int {
	if g.unsure {
		return -1
	}
	return g.data.Rows
}

func (g *grouped) Seek(row int) error {
	if !slices.Contains(g.groups, row) {
		return errors.New("no group begins there")
	}
	g.visits = append(g.visits, row)
	return g.memorySource.Seek(row)
}

func (g *grouped) Next(dst []float64) (int, error) {
	if g.fail != nil && g.at > g.data.Rows/2 {
		return 0, g.fail
	}
	return g.memorySource.Next(dst[:min(len(dst), 7*g.data.Cols)])
}

// A source of groups is read group by group, in another order in each pass, and W comes in the
// order of the samples.
func TestSourceOfGroups(t *testing.T) {
	d := lowRankData(500, 20, 3, 3)
	for _, unsure := range []bool{false, true} {
		src := &grouped{memorySource: memorySource{data: d}, groups: []int{0, 90, 100, 300}, unsure: unsure}
		if unsure {
			src.groups = []int{0}
		}
		o := Options{Rank: 3, Iterations: 3, Batches: Batches{Rows: 64}}
		var w []float64
		r := must.Get(FactorizeSource(context.Background(), src, o, 1e-6, func(rows []float64, n int) error {
			w = append(w, rows...)
			return nil
		}))(t)
		if r.Samples != 500 {
			t.Fatalf("%d samples", r.Samples)
		}
		e := must.Get(NewEncoder(r.H, d.Cols, Options{Tolerance: 1e-6}))(t)
		want := must.Get(e.Encode(context.Background(), d))(t)
		if !slices.Equal(w, want) {
			t.Error("W is not what an encoder finds")
		}
		if passes := 4; !unsure && len(src.visits) != passes*len(src.groups) {
			t.Errorf("%d pieces were read in %d passes", len(src.visits), passes)
		} else if !unsure && slices.Equal(src.visits[:4], src.visits[4:8]) && slices.Equal(src.visits[:4], src.visits[8:12]) {
			t.Errorf("all passes have the same order: %v", src.visits)
		}
	}
}

// Errors in the data are reported with the row in the source, and errors of the source are
// returned.
func TestSourceRefusals(t *testing.T) {
	d := lowRankData(400, 12, 3, 3)
	d.Dense = slices.Clone(d.Dense)
	d.Dense[317*12+5] = -2
	none := func([]float64, int) error { return nil }
	o := Options{Rank: 3, Batches: Batches{Rows: 64}}
	for _, src := range []Source{Memory(d), Memory(Sparse(compressed(t, 400, 12, d.Dense))), &grouped{memorySource: memorySource{data: d}, groups: []int{0, 130, 300}}} {
		_, err := FactorizeSource(context.Background(), src, o, 1e-6, none)
		bad, is := errors.AsType[*NegativeError](err)
		if !is || bad.Row != 317 || bad.Col != 5 || bad.Value != -2 {
			t.Errorf("the error is %v", err)
		}
	}
	d.Dense[317*12+5] = 1
	lost := errors.New("the disk is gone")
	if _, err := FactorizeSource(context.Background(), &grouped{memorySource: memorySource{data: d}, groups: []int{0}, fail: lost}, o, 1e-6, none); !errors.Is(err, lost) {
		t.Errorf("the error of the source comes as %v", err)
	}
	if _, err := FactorizeSource(context.Background(), Memory(d), o, 1e-6, func([]float64, int) error { return lost }); !errors.Is(err, lost) {
		t.Errorf("the error of the sink comes as %v", err)
	}
	short := &grouped{memorySource: memorySource{data: Dense(300, 12, d.Dense[:300*12])}, groups: []int{0}}
	if _, err := FactorizeSource(context.Background(), announced{short, 400}, o, 1e-6, none); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a source that ends early: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := FactorizeSource(ctx, Memory(d), o, 1e-6, none); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for what, set := range map[string]func(*Options){
		"rank":      func(o *Options) { o.Rank = 0 },
		"forget":    func(o *Options) { o.Batches.Forget = 1.5 },
		"batches":   func(o *Options) { o.Batches.Rows = -1 },
		"penalties": func(o *Options) { o.Penalties.W = 1 },
		"normalis":  func(o *Options) { o.Normalize = EachIteration },
		"stop":      func(o *Options) { o.Stop = RelativeDecrease },
		"solver":    func(o *Options) { o.Loss = L21 },
		"graph":     func(o *Options) { o.Lambda, o.Graph = 1, Graph{Sparse: &sparse.CSR{}} },
		"init":      func(o *Options) { o.Loss, o.Init = KL, NNDSVD },
	} {
		o := o
		set(&o)
		must.Refuse(t, what)(FactorizeSource(context.Background(), Memory(d), o, 1e-6, none))
	}
}

// announced claims another number of rows.
type announced struct {
	*grouped
	rows int
}

func (a announced) Rows() int { return a.rows }

// Data that are zero throughout have zero factors.
func TestMiniBatchOfZeros(t *testing.T) {
	for _, loss := range []*Loss{Frobenius, KL} {
		r := factorize(t, Dense(50, 6, make([]float64, 300)), Options{Rank: 2, Loss: loss, Solver: MiniBatch, Batches: Batches{Rows: 10}})
		if last := r.Trace[len(r.Trace)-1]; last.Objective != 0 || total(r.W) != 0 {
			t.Errorf("%s: %v", loss, last)
		}
	}
}

// A tolerance and a patience end the passes.
func TestMiniBatchStops(t *testing.T) {
	d := lowRankData(600, 20, 3, 3)
	for name, o := range map[string]Options{"tolerance": {Tolerance: 0.1}, "patience": {Batches: Batches{Patience: 5}}} {
		o.Rank, o.Solver, o.Iterations, o.Batches.Rows = 3, MiniBatch, 500, 100
		if r := factorize(t, d, o); !r.Converged || r.Iterations >= 500 {
			t.Errorf("%s: %d passes, converged %v", name, r.Iterations, r.Converged)
		}
	}
}
