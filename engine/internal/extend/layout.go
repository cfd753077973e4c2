package extend

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/solvers/layout"
	"github.com/orthant-go/orthant/sparse"
)

// Layouts keep the positions of the training samples. The rule of the method places each new sample by its nearest
// training samples, independently of the other new samples. A new sample that equals a training
// sample gets its position.

// UMAPMap places new samples by the rule of UMAP.
type UMAPMap struct {
	Training
	Fuzzy  patch.Fuzzy
	Layout layout.UMAP
}

// Kind returns "umap".
func (UMAPMap) Kind() string { return "umap" }

// TSNEMap places new samples by the rule of t-SNE.
type TSNEMap struct {
	Training
	Perplexity patch.Perplexity
	Late       float64 // the final exaggeration of the probabilities
}

// Kind returns "tsne".
func (TSNEMap) Kind() string { return "tsne" }

// PaCMAPMap places new samples by the rule of PaCMAP.
type PaCMAPMap struct {
	Training
	Near   int
	Widths []float64 // local widths σ of the training samples
}

// Kind returns "pacmap".
func (PaCMAPMap) Kind() string { return "pacmap" }

// newEpochs is the number of epochs for a new sample, as a share of the layout's epochs.
const newEpochs = 3

// Bounds of the work for a new sample, within the bounds of umap's parameters. Models that exceed them are refused.
const (
	MaxEpochs    = MaxFitEpochs / newEpochs
	MaxNegatives = 100

	MaxFitEpochs = 30_000 // the layout's own epochs
)

// UMAP returns the rule of UMAP with the k nearest samples.
func UMAP(k int, fuzzy patch.Fuzzy, of layout.UMAP) Rule[*solve.Solution] {
	return func(f Fit, s *solve.Solution) (*Extension, string, error) {
		of.Epochs = max(s.Iterations/newEpochs, 1)
		return &Extension{Map: UMAPMap{f.nearest(k).in(s.Y), fuzzy, of}}, "", nil
	}
}

// TSNE returns the rule of t-SNE.
func TSNE(perplexity patch.Perplexity, late float64) Rule[*solve.Solution] {
	return func(f Fit, s *solve.Solution) (*Extension, string, error) {
		perplexity = perplexity.For(f.X.N())
		return &Extension{Map: TSNEMap{f.nearest(perplexity.Lists()).in(s.Y), perplexity, late}}, "", nil
	}
}

// PaCMAP returns the rule of PaCMAP with the given number of near pairs.
func PaCMAP(pairs patch.ControlledPairs) Rule[*solve.Solution] {
	return func(f Fit, s *solve.Solution) (*Extension, string, error) {
		return &Extension{Map: PaCMAPMap{f.nearest(pairs.Lists()).in(s.Y), pairs.Near, patch.LocalWidths(f.Found.Graph)}}, "", nil
	}
}

func (m UMAPMap) prepare(r Resources) (*Mapping, error) {
	m.Layout.Threads = r.Threads
	place, err := m.Layout.Among(m.Embedding)
	return m.placed(r, place, err, func(_ []int32, d, w []float64) { m.Fuzzy.List(d, w) })
}

func (m TSNEMap) prepare(r Resources) (*Mapping, error) {
	place, err := layout.TSNE{Late: m.Late, Threads: r.Threads}.Among(m.Embedding)
	return m.placed(r, place, err, func(_ []int32, d, w []float64) { m.Perplexity.List(d, w) })
}

func (m PaCMAPMap) prepare(r Resources) (*Mapping, error) {
	place, err := layout.NearAmong(r.Threads, m.Embedding)
	return m.placed(r, place, err, func(list []int32, d, w []float64) {
		patch.ControlledPairs{Near: m.Near}.List(list, d, m.Widths, w)
	})
}

// placed prepares a mapping that weights the nearest samples of each new sample, and places it by them.
func (t Training) placed(r Resources, place layout.Placement, err error, weigh func(list []int32, d, w []float64)) (*Mapping, error) {
	if err != nil {
		return nil, err
	}
	own, err := t.search(r)
	if err != nil {
		return nil, err
	}
	return own.layout(weigh, place), nil
}

// layout is a mapping that weights the nearest samples of each new sample, and places it by them.
func (t *training) layout(weigh func(list []int32, d, w []float64), place layout.Placement) *Mapping {
	return t.mapping(func(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
		g, err := t.index.Search(ctx, points, t.k)
		if err != nil {
			return err
		}
		w := sparse.Edges{Ptr: make([]int, 1, points.N()+1), Index: make([]int32, 0, len(g.Index)), Weight: make([]float64, 0, len(g.Index))}
		var fresh []int // new samples that equal no training sample
		for i := range points.N() {
			list, d := g.Of(i), g.Distances(i)
			if d[0] == 0 {
				dst.SetRow(i, t.y.RawRowView(int(list[0])))
				continue
			}
			fresh = append(fresh, i)
			w.Index = append(w.Index, list...)
			w.Weight = w.Weight[:len(w.Index)]
			weigh(list, d, w.Weight[len(w.Index)-len(list):])
			w.Ptr = append(w.Ptr, len(w.Index))
		}
		if len(fresh) == 0 {
			return nil
		}
		_, dim := t.y.Dims()
		y := mat.NewDense(len(fresh), dim, nil)
		if err := place(ctx, w, y); err != nil {
			return err
		}
		for at, i := range fresh {
			dst.SetRow(i, y.RawRowView(at))
		}
		return nil
	})
}
