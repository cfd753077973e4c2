package engine

import (
	"context"
	"runtime"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

// A panic of the reading, the mapping or the writing side comes up where Stream was
// called, when nobody reads or writes any more.
func TestStreamPassesPanicsOn(t *testing.T) {
	_, m := fittedModel(t, generate(t, "swiss-roll", 200, 2).X, LTSA{}, Options{})
	p := must(m.Prepare(Options{Threads: 1}))(t)
	x := generate(t, "swiss-roll", 50, 1).X
	for name, c := range map[string]struct {
		p   *Transformer
		in  RowSource
		out RowSink
	}{
		"reading": {p, &buggy{rowSource{x: x}}, &rowSource{}},
		"writing": {p, &rowSource{x: x, step: 10}, &buggy{}},
		"mapping": {p.Reporting(func(Progress) { panic("a bug") }), &rowSource{x: x, step: 10}, &rowSource{}},
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
