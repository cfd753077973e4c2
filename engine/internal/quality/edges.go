package quality

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

const (
	// mostEdges: of more, the lengths are not kept.
	mostEdges    = 1 << 17
	blockOfEdges = 64 // samples
)

// edges tells how far the neighbours of a sample are. The distances of a graph may be of another
// metric, or left out. It is one worker's scratch.
type edges struct {
	in      patch.Local
	laid    *samples.Laid
	known   []float64 // the lengths of all edges, in the order of the graph; nil: they are not known
	lengths []float64
}

func newEdges(in patch.Local, known []float64) *edges {
	return &edges{in: in, laid: samples.NewLaid(in.X), known: known, lengths: make([]float64, in.Graph.MaxDegree())}
}

// of are the lengths to the neighbours of a sample. They are valid up to the next call.
func (e *edges) of(i int) []float64 {
	if e.known != nil {
		return e.known[e.in.Graph.Ptr[i]:e.in.Graph.Ptr[i+1]]
	}
	lengths := e.lengths[:len(e.in.Graph.Of(i))]
	e.measure(i, lengths)
	return lengths
}

func (e *edges) measure(i int, into []float64) { e.lengthsTo(i, e.in.Graph.Of(i), into) }

// lengthsTo fills in the distances of a sample to others.
func (e *edges) lengthsTo(i int, list []int32, into []float64) {
	if e.in.X.Compressed() == nil {
		data, m := e.in.X.Data(), e.in.X.M()
		row := data[i*m : i*m+m]
		for a, j := range list {
			into[a] = math.Sqrt(blas.SquaredDistance(data[int(j)*m:int(j)*m+m], row))
		}
		return
	}
	rows, m := e.laid.Differences(i, list)
	for a := range list {
		row := rows[a*m : a*m+m]
		into[a] = math.Sqrt(blas.Dot(row, row))
	}
}

// keptEdges is the number of edges whose lengths are kept for walks that visit so many samples in
// all: none where most samples are visited once at most.
func keptEdges(in patch.Local, visits int) int {
	if count := len(in.Graph.Index); visits >= in.Graph.Len() && count <= mostEdges {
		return count
	}
	return 0
}

// allEdges are the lengths of so many edges; nil: of none.
func allEdges(in patch.Local, count int) ([]float64, error) {
	if count == 0 {
		return nil, nil
	}
	known := make([]float64, count)
	workers := make([]*edges, blas.Threads(in.Threads()))
	return known, blas.For(in.Context(), in.Threads(), in.Graph.Len(), blockOfEdges, func(w, lo, hi int) {
		if workers[w] == nil {
			workers[w] = newEdges(in, nil)
		}
		for i := lo; i < hi; i++ {
			workers[w].measure(i, known[in.Graph.Ptr[i]:in.Graph.Ptr[i+1]])
		}
	})
}
