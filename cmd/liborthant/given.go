package main

import (
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/sparse"
)

// given is what a task takes, as C hands it over.
type given struct {
	method     string
	parameters []byte
	count      int64     // rank, clusters or k
	x          view      // the samples; the zero view: none, or in compressed rows
	compressed *csrView  // the samples in compressed rows; nil: none
	near       structure // what is given in place of a search
	labels     []int64   // nil: none
	start      *view     // nil: none
	startH     *view
	model      *model // of transform

	sparse *sparse.CSR // compressed, once it was read
	single bool        // float32 samples stay so
}

// check refuses samples that no memory could hold, and those that a task takes in no such form.
func (g given) check(task string) error {
	dense := g.x != view{}
	switch {
	case dense && g.compressed != nil:
		return fmt.Errorf("x and options.samples are both given; give the samples once")
	case !g.near.absent() && !slices.Contains([]string{"embed", "factorize", "cluster"}, task):
		return fmt.Errorf("%s: it takes no neighbour graph; leave it out of the options", task)
	case dense:
		return g.x.check("x", typeFloat64, typeFloat32, typeUint8)
	case g.compressed == nil && g.near.absent():
		return fmt.Errorf("x is NULL; give the samples")
	case g.compressed == nil:
		return nil
	case task == "neighbors":
	case task == "select":
		return fmt.Errorf("%s: it takes dense samples, and these are sparse; make them dense", task)
	case task != "transform" && !keepingSparse()[g.method]:
		if _, err := engine.NewFor(task, g.method); err != nil {
			return err
		}
		return fmt.Errorf("%s: it needs dense samples, and these are sparse; make them dense, or choose a method that keeps them sparse", g.method)
	}
	return g.compressed.check("options.samples")
}

// read reads sparse samples, where there is room for what has to be converted.
func (g *given) read(limit int64) (err error) {
	if g.compressed == nil {
		return nil
	}
	g.sparse, err = g.compressed.within("options.samples", limit)
	return err
}

// keepingSparse reports which methods never make sparse samples dense.
var keepingSparse = sync.OnceValue(func() map[string]bool {
	keeping := map[string]bool{}
	for _, e := range engine.Methods() {
		keeping[e.Name] = e.KeepsSparse
	}
	return keeping
})

// samples returns the samples to read: the caller's memory itself (shared), or numbers of
// their own. Where there are none they are nil.
func (g given) samples() (x mat.Matrix, shared bool) {
	switch {
	case g.sparse != nil:
		return g.sparse, true
	case g.x == view{}:
		return nil, true
	}
	if g.single && g.x.kind == typeFloat32 && g.x.stride == g.x.cols {
		return &engine.Single{Rows: int(g.x.rows), Cols: int(g.x.cols), Data: entries[float32](g.x)}, true
	}
	return g.x.dense()
}

// dims are those of the samples, or of what stands in their place.
func (g given) dims() (rows, cols int64) {
	switch {
	case g.compressed != nil:
		return g.compressed.rows, g.compressed.cols
	case g.x == view{}:
		return g.near.len(), 0
	}
	return g.x.rows, g.x.cols
}

// bytes are those of the caller that the engine counts as its own.
func (g given) bytes() int64 {
	held := g.near.bytes()
	if g.compressed != nil {
		return held + g.compressed.held()
	}
	return held + 8*g.x.rows*g.x.cols
}
