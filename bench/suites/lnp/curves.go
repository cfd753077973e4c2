package lnp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// closedCurve is a set of samples along a closed curve, in their order, that is
// embedded by every method at every K.
type closedCurve struct {
	prefix string
	title  string // in claims
	data   string
	load   func(e *bench.Env) (*datasets.Set, error)
	params map[string]any // of the data
	drawn  []int          // the K of which pictures are kept
}

func (q closedCurve) name(x chooser) string { return q.prefix + "/" + x.key }

func (q closedCurve) asCase(x chooser, sizes []int) bench.Case {
	more := map[string]any{"dim": 2}
	for key, v := range q.params {
		more[key] = v
	}
	return bench.Case{
		Name: q.name(x), Data: q.data, Method: x.method, Params: x.recorded(sizes, more), Repeats: 1, Needs: append(bench.SelectionNeeds(q.data), "method:"+x.method),
		Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
			s, err := q.load(e)
			if err != nil {
				return nil, err
			}
			n, m := s.X.Dims()
			out := &bench.Outcome{Samples: n, Features: m, DataHash: bench.HashMatrix(s.X), Quality: map[string]float64{}, Series: map[string][]float64{}, Pictures: map[string]*bench.Picture{}}
			for _, k := range sizes {
				y, err := addCurve(out, ctx, x, s, k, engine.Options{Threads: max(c.Threads, 1), Backend: c.Backend, Components: "joint"})
				if err != nil {
					return nil, fmt.Errorf("%d neighbours: %w", k, err)
				}
				if slices.Contains(q.drawn, k) {
					out.Pictures[pictureOf(k)] = &bench.Picture{Points: y, Color: mat.Col(nil, 0, s.Params)}
				}
			}
			return out, nil
		},
	}
}

func pictureOf(k int) string { return fmt.Sprintf("K=%d", k) }

// addCurve embeds a closed curve at one K, and adds what it measures to the
// series.
func addCurve(out *bench.Outcome, ctx context.Context, x chooser, s *datasets.Set, k int, o engine.Options) (*mat.Dense, error) {
	m, err := x.with(k, nil)
	if err != nil {
		return nil, err
	}
	g, err := engine.Represent(ctx, s.X, m, o)
	if err != nil {
		return nil, err
	}
	r, err := engine.Embed(ctx, s.X, m, o)
	if err != nil {
		return nil, err
	}
	found, err := x.lists(ctx, r.Y, k, o)
	if err != nil {
		return nil, fmt.Errorf("in the embedding: %w", err)
	}
	first, second := listsOf(g), listsOf(found)
	nalac, err := measures.Nalac(first, second)
	if err != nil {
		return nil, err
	}
	soft, err := measures.SoftNalac(first, second)
	if err != nil {
		return nil, err
	}
	ring, err := ringShare(ctx, r.Y)
	if err != nil {
		return nil, err
	}
	cited, err := citedMeasures(ctx, s.X, r.Y, o)
	if err != nil {
		return nil, err
	}
	weights := make([][]float64, g.Len())
	for i := range weights {
		weights[i] = g.Weights(i)
	}
	gap, support := measures.GapDimension(measures.WeightProfile(weights)), measures.SupportDimension(weights)
	if x.method == "lnp" { // its dimension is that of the uncapped lists
		gap, support = r.Details["gap_dimension"].(int), r.Details["support_dimension"].(int)
	}
	values := map[string]float64{
		"K": float64(k), "nalac": nalac, "soft-nalac": soft, "ring": ring, "gap": float64(gap), "support": float64(support),
		"least-weight": slices.Min(g.Weight), "most-neighbours": float64(g.MaxDegree()),
	}
	maps.Copy(values, cited)
	for key, v := range values {
		out.Series[key] = append(out.Series[key], v)
	}
	return r.Y, nil
}

// lists are the neighbours that the method takes in an embedding.
func (x chooser) lists(ctx context.Context, y *mat.Dense, k int, o engine.Options) (*neighbors.Graph, error) {
	if !x.own {
		return bench.NearestNeighbors(ctx, y, k)
	}
	m, err := x.with(k, nil)
	if err != nil {
		return nil, err
	}
	return engine.Represent(ctx, y, m, o)
}

func listsOf(g *neighbors.Graph) [][]int {
	lists := make([][]int, g.Len())
	for i := range lists {
		for _, j := range g.Of(i) {
			lists[i] = append(lists[i], int(j))
		}
	}
	return lists
}

// ringShare is the share of samples, in their order along a closed curve, whose two
// nearest in the embedding are the two beside them.
func ringShare(ctx context.Context, y *mat.Dense) (float64, error) {
	g, err := bench.NearestNeighbors(ctx, y, 2)
	if err != nil {
		return 0, err
	}
	n, kept := g.Len(), 0
	for i := range n {
		if slices.Contains(g.Of(i), int32((i+n-1)%n)) && slices.Contains(g.Of(i), int32((i+1)%n)) {
			kept++
		}
	}
	return float64(kept) / float64(n), nil
}

// pictures are those of the given K, method by method.
func (q closedCurve) pictures(color string, methods []chooser) []bench.Figure {
	var list []bench.Figure
	for _, x := range methods {
		for _, k := range q.drawn {
			list = append(list, bench.Figure{Case: q.name(x), Picture: pictureOf(k), Caption: fmt.Sprintf("%s, K = %d, coloured by %s", x.name, k, color), Cyclic: true})
		}
	}
	return list
}

// rangesText writes the K of a list, runs of those that were measured one after
// the other as ranges.
func rangesText(some, all []float64) string {
	var parts []string
	for i := 0; i < len(all); i++ {
		from := i
		for i < len(all) && slices.Contains(some, all[i]) {
			i++
		}
		switch {
		case i == from:
		case i == from+1:
			parts = append(parts, fmt.Sprint(all[from]))
		default:
			parts = append(parts, fmt.Sprintf("%v–%v", all[from], all[i-1]))
		}
	}
	return strings.Join(parts, ", ")
}
