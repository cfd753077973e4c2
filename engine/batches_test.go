package engine

import (
	"context"
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// gathered keeps the rows given to a sink.
type gathered struct{ data []float64 }

func (g *gathered) Write(rows *mat.Dense) error {
	g.data = append(g.data, rows.RawMatrix().Data...)
	return nil
}

// Samples from a source have the factors of the same samples in memory, and a model of the
// components that gives W again.
func TestFactorizeSource(t *testing.T) {
	x, _ := groups(400, 30)
	src := func() nmf.Source { return nmf.Memory(nmf.Dense(400, 30, x.RawMatrix().Data)) }
	for _, m := range []Method{
		NMF{LeastSquares: LeastSquares{Solver: "minibatch"}, MiniBatch: MiniBatch{Batch: 90}, Updates: Updates{Iterations: 4}},
		NMFKL{DivergenceSolver: DivergenceSolver{Solver: "minibatch"}, MiniBatch: MiniBatch{Batch: 90}, Updates: Updates{Iterations: 4}},
	} {
		t.Run(m.Name(), func(t *testing.T) {
			o := FactorizeOptions{Rank: 3}
			whole := factorized(t, x, m, o)
			o.Model = true
			var w gathered
			r := must(FactorizeSource(context.Background(), src(), m, o, &w))(t)
			if !slices.Equal(r.H.RawMatrix().Data, whole.H.RawMatrix().Data) || !slices.Equal(w.data, whole.W.RawMatrix().Data) {
				t.Error("other factors than in memory")
			}
			if r.W != nil || r.Samples != 400 || r.RelativeError != whole.RelativeError || r.Params["iterations"] != 4 || r.Params["solver"] != "minibatch" || r.EstimatedBytes == 0 {
				t.Errorf("%+v", r)
			}
			model := must(r.Model())(t)
			again := transformed(t, model, x, Options{})
			if !slices.Equal(again.RawMatrix().Data, w.data) {
				t.Error("the model gives other coordinates than W")
			}
			if _, err := FactorizeSource(context.Background(), src(), m, FactorizeOptions{Rank: 3}, nil); err != nil {
				t.Errorf("without a sink: %v", err)
			}
		})
	}
}

// Options incompatible with batches are refused before anything is read.
func TestFactorizeSourceRefusals(t *testing.T) {
	x, _ := groups(50, 10)
	src := nmf.Memory(nmf.Dense(50, 10, x.RawMatrix().Data))
	batches := NMF{LeastSquares: LeastSquares{Solver: "minibatch"}}
	r := refusing(t)
	r.of("", failed(FactorizeSource(t.Context(), src, NMF{}, FactorizeOptions{Rank: 2}, nil)))
	r.of("", failed(FactorizeSource(t.Context(), src, GNMF{}, FactorizeOptions{Rank: 2}, nil)))
	r.of("", failed(FactorizeSource(t.Context(), src, batches, FactorizeOptions{}, nil)))
	r.of("", failed(FactorizeSource(t.Context(), src, batches, FactorizeOptions{Rank: 2, InitH: mat.NewDense(2, 10, nil)}, nil)))
	r.of("", failed(FactorizeSource(t.Context(), src, batches, FactorizeOptions{Rank: 2, Options: Options{Memory: 1 << 20}}, nil)))
	r.of("", failed(FactorizeSource(t.Context(), src, NMF{LeastSquares: batches.LeastSquares, Updates: Updates{Shift: "global"}}, FactorizeOptions{Rank: 2}, nil)))
	r.of("", failed(FactorizeSource(t.Context(), src, NMF{LeastSquares: batches.LeastSquares, Penalties: Penalties{AlphaW: 1}}, FactorizeOptions{Rank: 2}, nil)))
	r.of("", failed(FactorizeSource(t.Context(), src, NMF{LeastSquares: batches.LeastSquares, MiniBatch: MiniBatch{Forget: 2}}, FactorizeOptions{Rank: 2}, nil)))
	r.of("", failed(FactorizeSource(t.Context(), src, NMF{LeastSquares: batches.LeastSquares, Updates: Updates{Normalize: "each"}}, FactorizeOptions{Rank: 2}, nil)))
	r.of("", failed(FactorizeSource(t.Context(), src, NMF{LeastSquares: batches.LeastSquares, Stopping: Stopping{Stop: "violation"}}, FactorizeOptions{Rank: 2}, nil)))
	r.of("", failed(FactorizeSource(t.Context(), src, NMF{LeastSquares: batches.LeastSquares, Order: "codes-first"}, FactorizeOptions{Rank: 2}, nil)))
	if _, err := FactorizeSource(context.Background(), nil, batches, FactorizeOptions{Rank: 2}, nil); err == nil {
		t.Error("no source is taken")
	}
	var none context.Context
	if _, err := FactorizeSource(none, src, batches, FactorizeOptions{Rank: 2}, nil); err == nil {
		t.Error("no context is taken")
	}
}

// vast is a source with more rows than fit into memory.
type vast struct {
	rows, cols, at int
}

func (e *vast) Rows() int          { return e.rows }
func (e *vast) Cols() int          { return e.cols }
func (e *vast) Sparse() bool       { return false }
func (e *vast) Starts() []int      { return nil }
func (e *vast) Seek(row int) error { e.at = row; return nil }
func (e *vast) Next(dst []float64) (int, error) {
	n := min(len(dst)/e.cols, e.rows-e.at)
	for i := range n * e.cols {
		dst[i] = float64((i*7+(e.at+i/e.cols)%3*11)%5 + 1)
	}
	e.at += n
	return n, nil
}
func (e *vast) Append(*sparse.CSR, int) (int, error) { panic("it is dense") }

// Memory does not grow with the number of samples, and is that of the estimate.
func TestFactorizeSourceMemory(t *testing.T) {
	const cols = 400
	m := NMF{LeastSquares: LeastSquares{Solver: "minibatch"}, Updates: Updates{Iterations: 1}}
	run := func(rows int) int64 {
		return peakOf(t, func() {
			if _, err := FactorizeSource(context.Background(), &vast{rows: rows, cols: cols}, m, FactorizeOptions{Rank: 10}, &ignored{}); err != nil {
				t.Error(err)
			}
		})
	}
	estimated := nmf.SourceBytes(1024, cols, 0, nmf.Options{Rank: 10})
	few, many := run(4_000), run(40_000)
	runtime.GC()
	if many > few+few/4 || many > estimated+estimated/16+1<<20 {
		t.Errorf("%d bytes for 40 000 samples, %d for 4 000, where %d are estimated", many, few, estimated)
	}
	if estimated > 2*many {
		t.Errorf("%d bytes are estimated where %d are held", estimated, many)
	}
}

type ignored struct{}

func (*ignored) Write(*mat.Dense) error { return nil }

// Samples in pieces of whole batches give the same result as in one call, and their
// components are close to those of all samples together.
func TestLearn(t *testing.T) {
	x, _ := groups(600, 30)
	for _, m := range []Method{
		NMF{LeastSquares: LeastSquares{Solver: "minibatch"}, MiniBatch: MiniBatch{Batch: 50}},
		NMFKL{DivergenceSolver: DivergenceSolver{Solver: "minibatch"}, MiniBatch: MiniBatch{Batch: 50}},
	} {
		t.Run(m.Name(), func(t *testing.T) {
			o := FactorizeOptions{Rank: 3, Options: Options{Model: true}}
			whole, all, err := Learn(context.Background(), x, m, o, nil)
			if err != nil {
				t.Fatal(err)
			}
			var known Learning
			var r *Factorization
			for lo := 0; lo < 600; lo += 150 {
				if r, known, err = Learn(context.Background(), x.Slice(lo, lo+150, 0, 30), m, o, known); err != nil {
					t.Fatal(err)
				}
			}
			if !slices.Equal(known, all) || !slices.Equal(r.H.RawMatrix().Data, whole.H.RawMatrix().Data) {
				t.Error("pieces teach other components")
			}
			if known[0] != 600 || r.W != nil || r.Samples != 150 {
				t.Errorf("%v samples seen, %d of the last call", known[0], r.Samples)
			}
			wrong := func(r *Factorization) float64 {
				model := must(r.Model())(t)
				w := transformed(t, model, x, Options{})
				var rest mat.Dense
				rest.Mul(w, r.H)
				rest.Sub(x, &rest)
				return mat.Norm(&rest, 2) / mat.Norm(x, 2)
			}
			first := wrong(r)
			for range 20 { // and the same again
				if r, known, err = Learn(context.Background(), x, m, o, known); err != nil {
					t.Fatal(err)
				}
			}
			method, most := Method(NMF{}), 1.1
			if m.Name() == "nmf-kl" { // multiplicative steps, which become smaller and smaller
				method, most = NMFKL{}, 2
			}
			best := factorized(t, x, method, FactorizeOptions{Rank: 3}).RelativeError
			if last := wrong(r); last > first || last > most*best {
				t.Errorf("an error of %.4g, after the first samples %.4g, where all together come to %.4g", last, first, best)
			}
		})
	}
}

// Invalid continuations are refused.
func TestLearnRefuses(t *testing.T) {
	x, _ := groups(60, 10)
	m := NMF{LeastSquares: LeastSquares{Solver: "minibatch"}, MiniBatch: MiniBatch{Batch: 20}}
	o := FactorizeOptions{Rank: 2}
	_, known, err := Learn(t.Context(), x, m, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	broken := slices.Clone(known)
	broken[5] = math.NaN()
	r := refusing(t)
	refuse := func(what string, x mat.Matrix, m Method, o FactorizeOptions, before Learning) {
		_, _, err := Learn(t.Context(), x, m, o, before)
		r.of(what, err)
	}
	refuse("no batches", x, NMF{}, o, nil)
	refuse("another rank", x, m, FactorizeOptions{Rank: 3}, known)
	refuse("fewer columns", x.Slice(0, 60, 0, 9), m, o, known)
	refuse("negative", changedAt(x, 47, 3, -1), m, o, known)
	refuse("huge", scaledBy(x, 1e100), m, o, known)
	refuse("NaN", x, m, o, broken)
	refuse("damaged", x, m, o, append(Learning{0}, known[1:]...))
	refuse("a start", x, m, FactorizeOptions{Rank: 2, InitH: mat.NewDense(2, 10, nil)}, nil)
}
