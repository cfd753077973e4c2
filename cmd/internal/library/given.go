package library

import (
	"fmt"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/sparse"
)

// given holds the inputs of a task as C passes them.
type given struct {
	method     string
	parameters []byte
	count      int64     // rank, clusters or k
	x          view      // the samples; the zero view if there are none or they are in compressed rows
	compressed *csrView  // the samples in compressed rows; nil: none
	near       structure // neighbours or distances that replace the search
	labels     []int64   // nil: none
	targets    *view     // nil: none
	weights    *view     // of the samples; nil: none
	start      *view     // nil: none
	startH     *view
	model      *model // for transform

	sparse *sparse.CSR // compressed, once it has been read
	single bool        // float32 samples stay so
}

// check refuses samples with an impossible layout, and samples in a form that the task does not take.
func (g given) check(task string) error {
	dense := g.x != view{}
	switch {
	case dense && g.compressed != nil:
		return fmt.Errorf("x and options.samples are both given; give the samples once")
	case !g.near.absent() && !slices.Contains([]string{"embed", "factorize", "cluster"}, task):
		return fmt.Errorf("%s: it takes no neighbour graph; leave it out of the options", task)
	case dense && task == "neighbors":
		return g.x.check("x", searched...)
	case dense:
		return g.x.check("x", typeFloat64, typeFloat32, typeUint8)
	case g.compressed == nil && g.near.absent():
		return fmt.Errorf("x is NULL; give the samples")
	case g.compressed == nil:
		return nil
	case task == "neighbors":
	case task == "select":
		return fmt.Errorf("%s: it needs dense samples, but these are sparse; make them dense", task)
	case task != "transform" && !keepingSparse()[g.method]:
		if _, err := engine.NewFor(task, g.method); err != nil {
			return err
		}
		return fmt.Errorf("%s: it needs dense samples, and these are sparse; make them dense, or choose a method that keeps them sparse", g.method)
	}
	return g.compressed.check("options.samples")
}

// read reads sparse samples, if there is memory for the parts that have to be converted.
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

// samples returns the samples to read: the caller's memory itself (shared) or a copy; nil if there
// are none.
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

// dims are the dimensions of the samples, or of the graph or matrix that replaces them.
func (g given) dims() (rows, cols int64) {
	switch {
	case g.compressed != nil:
		return g.compressed.rows, g.compressed.cols
	case g.x == view{}:
		return g.near.len(), 0
	}
	return g.x.rows, g.x.cols
}

// bytes are the caller's bytes that the engine counts as its own.
func (g given) bytes() int64 {
	held := g.near.bytes()
	if g.compressed != nil {
		return held + g.compressed.held()
	}
	return held + 8*g.x.rows*g.x.cols
}
