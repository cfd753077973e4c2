package model_test

import (
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/model"
	"github.com/orthant-go/orthant/internal/must"
)

// rowSource is a RowSource of a matrix, a few rows at a time, and a RowSink.
type rowSource struct {
	x       *mat.Dense
	step    int // rows a call, at most
	hidden  bool
	at      int
	fail    error // in place of the end
	refuse  int   // fail to write at this row; 0: never
	written []float64
}

func (g *rowSource) Cols() int { return g.x.RawMatrix().Cols }

func (g *rowSource) Rows() int {
	if g.hidden {
		return -1
	}
	return g.x.RawMatrix().Rows
}

func (g *rowSource) Next(dst []float64) (int, error) {
	cols := g.Cols()
	n := min(len(dst)/cols, g.step, g.x.RawMatrix().Rows-g.at)
	if n == 0 {
		if g.fail != nil {
			return 0, g.fail
		}
		return 0, io.EOF
	}
	copy(dst, g.x.RawMatrix().Data[g.at*cols:(g.at+n)*cols])
	g.at += n
	return n, nil
}

func (g *rowSource) Write(rows *mat.Dense) error {
	n, d := rows.Dims()
	for i := range n {
		g.written = append(g.written, rows.RawRowView(i)...)
		if g.refuse > 0 && len(g.written)/d >= g.refuse {
			return errRefused
		}
	}
	return nil
}

var errRefused = errors.New("the disk is full")

// However the rows come and on however many threads, a stream maps them to the
// bits of one piece.
func TestStreamEqualsTheWhole(t *testing.T) {
	train := generate(t, "swiss-roll", 400, 1).X
	wide := wideSamples(300, 40, 1)
	steps, backends := []int{1, 1000, 9001}, []string{"auto", "gonum"}
	if testing.Short() { // under the race detector
		steps, backends = []int{1000}, []string{"auto"}
	}
	for _, c := range []struct {
		x      *mat.Dense
		method engine.Method
	}{
		{train, engine.LTSA{}}, {train, engine.LE{Weights: "heat"}}, {train, engine.PCA{}},
		{train, engine.Isomap{}}, {train, engine.HLLE{}}, {train, engine.MDS{}}, {train, engine.LPP{}}, {train, engine.LNP{}}, {train, engine.SMCE{}},
		{wide, engine.LLE{Neighbors: 15, Dim: 3}}, {wide, engine.LE{}}, {wide, engine.PCA{Dim: 5}},
	} {
		t.Run(c.method.Name(), func(t *testing.T) {
			_, m := fittedModel(t, c.x, c.method, engine.Options{})
			_, cols := c.x.Dims()
			x := wideSamples(9001, cols, 2) // two blocks and more
			for _, backend := range backends {
				want := transformed(t, m, x, engine.Options{Backend: backend, Threads: 1})
				for _, step := range steps {
					if backend == "gonum" && step != 1000 {
						continue // slow, and the same
					}
					for _, threads := range []int{1, 4} {
						p := must.Get(m.Prepare(engine.Options{Backend: backend, Threads: threads}))(t)
						g := &rowSource{x: x, step: step, hidden: step == 1000}
						s, err := p.Stream(context.Background(), g, g)
						if err != nil || s.Rows != 9001 || len(s.Seconds) != 3 {
							t.Fatalf("%s: %+v, error %v", m.Method, s, err)
						}
						if !slices.Equal(g.written, want.RawMatrix().Data) {
							t.Errorf("%s by %s: %d rows a call on %d threads are mapped to other bits", m.Method, backend, step, threads)
						}
					}
				}
			}
		})
	}
}

func wideSamples(n, m int, seed uint64) *mat.Dense {
	data := make([]float64, n*m)
	blas.NewStream(seed).Normals(data)
	return mat.NewDense(n, m, data)
}

// endless gives the same rows again and again and forgets what is written.
type endless struct {
	block   []float64
	left    int
	cols    int
	written int
	heap    []uint64
}

func (e *endless) Cols() int { return e.cols }
func (e *endless) Rows() int { return -1 }

func (e *endless) Next(dst []float64) (int, error) {
	n := min(len(dst), len(e.block)) / e.cols
	if n = min(n, e.left); n == 0 {
		return 0, io.EOF
	}
	copy(dst[:n*e.cols], e.block)
	e.left -= n
	return n, nil
}

func (e *endless) Write(rows *mat.Dense) error {
	n, _ := rows.Dims()
	e.written += n
	var s runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&s)
	e.heap = append(e.heap, s.HeapAlloc)
	return nil
}

// What is alive does not grow with the rows: 200 000 of 20 columns are 32 MB, of
// which the blocks hold some 5.
func TestStreamTakesConstantMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("200 collections, which the race detector slows down")
	}
	_, m := fittedModel(t, wideSamples(300, 20, 1), engine.LTSA{}, engine.Options{})
	p := must.Get(m.Prepare(engine.Options{Threads: 2}))(t)
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	e := &endless{block: wideSamples(1000, 20, 3).RawMatrix().Data, left: 200_000, cols: 20}
	s, err := p.Stream(context.Background(), e, e)
	if err != nil || s.Rows != 200_000 || e.written != s.Rows {
		t.Fatalf("%+v, %d rows written, error %v", s, e.written, err)
	}
	// The least of the second half: what others allocate between the collection and the reading is not alive.
	if grown := int64(slices.Min(e.heap[len(e.heap)/2:])) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("%d bytes are alive during a stream", grown)
	}
}

func TestStreamStops(t *testing.T) {
	x := generate(t, "swiss-roll", 9001, 1).X
	_, m := fittedModel(t, generate(t, "swiss-roll", 200, 2).X, engine.LTSA{}, engine.Options{})
	p := must.Get(m.Prepare(engine.Options{}))(t)
	bad := mat.DenseCopyOf(x)
	bad.Set(8000, 1, 1e200)
	broken := errors.New("the line is dead")
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		g    *rowSource
		ctx  context.Context
		want string
	}{
		"reading":   {&rowSource{x: x, step: 100, fail: broken}, context.Background(), "the line is dead"},
		"writing":   {&rowSource{x: x, step: 5000, refuse: 4500}, context.Background(), "the disk is full"},
		"mapping":   {&rowSource{x: bad, step: 3000, fail: broken}, context.Background(), "ltsa: row 8001 (counting from 1) has 1e+200 in column 2"},
		"columns":   {&rowSource{x: wideSamples(10, 4, 1), step: 3}, context.Background(), "4 columns where the model was fitted to 3"},
		"cancelled": {&rowSource{x: x, step: 3000}, cancelled, "canceled"},
	} {
		t.Run(name, func(t *testing.T) {
			for range 5 {
				g := *c.g
				must.Refuse(t, c.want)(p.Stream(c.ctx, &g, &g))
			}
		})
	}
}

// BenchmarkTransform maps 100 000 samples of 50 columns against a model of 20 000.
func BenchmarkTransform(b *testing.B) {
	const rows = 100_000
	for _, method := range []engine.Method{engine.LLE{Neighbors: 12}, engine.LE{Neighbors: 12, Weights: "heat"}, engine.PCA{Dim: 10}} {
		b.Run(method.Name(), func(b *testing.B) {
			x := wideSamples(20_000, 50, 1)
			fit := model.Model{Method: method.Name(), Samples: 20_000, Features: 50, Dim: 2}
			var m *model.Model
			switch method.(type) {
			case engine.PCA:
				_, m = fittedModel(b, x, method, engine.Options{})
			case engine.LE:
				m = model.New(fit, &extend.Extension{Map: extend.NystromMap{Training: extend.Training{Searched: extend.Searched{Samples: samples.Of(x), Neighbors: 12},
					Embedding: wideSamples(20_000, 2, 2)}, Values: []float64{0.1, 0.2}, Weights: "heat", T: 80}})
			default: // the coordinates do not matter, and need no fit
				m = model.New(fit, extend.ByNeighbors(extend.Searched{Samples: samples.Of(x), Neighbors: 12}, wideSamples(20_000, 2, 2), 1e-3))
			}
			p, err := m.Prepare(engine.Options{})
			if err != nil {
				b.Fatal(err)
			}
			block := wideSamples(10_000, 50, 3).RawMatrix().Data
			for b.Loop() {
				e := &endless{block: block, left: rows, cols: 50}
				if _, err := p.Stream(context.Background(), e, forgetting{}); err != nil {
					b.Fatal(err)
				}
			}
			var s runtime.MemStats
			runtime.ReadMemStats(&s)
			b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(s.HeapSys)/(1<<20), "heap-MiB")
		})
	}
}

type forgetting struct{}

func (forgetting) Write(*mat.Dense) error { return nil }

// A panic of the reading, the mapping or the writing side comes up where Stream was
// called, when nobody reads or writes any more.
func TestStreamPassesPanicsOn(t *testing.T) {
	_, m := fittedModel(t, generate(t, "swiss-roll", 200, 2).X, engine.LTSA{}, engine.Options{})
	p := must.Get(m.Prepare(engine.Options{Threads: 1}))(t)
	x := generate(t, "swiss-roll", 50, 1).X
	for name, c := range map[string]struct {
		p   *model.Transformer
		in  model.RowSource
		out model.RowSink
	}{
		"reading": {p, &buggy{rowSource{x: x}}, &rowSource{}},
		"writing": {p, &rowSource{x: x, step: 10}, &buggy{}},
		"mapping": {p.Reporting(func(engine.Progress) { panic("a bug") }), &rowSource{x: x, step: 10}, &rowSource{}},
	} {
		t.Run(name, func(t *testing.T) {
			before := runtime.NumGoroutine()
			defer func() {
				if crash := recover(); crash != "a bug" {
					t.Errorf("recovered %v", crash)
				}
				// A busy machine may take its time before it runs the last instructions of
				// a goroutine that has done its work.
				for limit := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; runtime.Gosched() {
					if time.Now().After(limit) {
						t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
					}
				}
			}()
			_, _ = c.p.Stream(context.Background(), c.in, c.out)
		})
	}
}

type buggy struct{ rowSource }

func (*buggy) Next([]float64) (int, error) { panic("a bug") }
func (*buggy) Write(*mat.Dense) error      { panic("a bug") }
