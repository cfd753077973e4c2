package engine

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/layout"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// embedBridged links the components by their shortest edges and embeds all as one
// problem; or, by a method whose patches would let a component at the end of one edge
// shrink to a point, embeds each on its own and places it where its edge leads.
func (b begun) embedBridged(at locality, m Method, s steps, label []int, sizes []int) (*outcome, error) {
	method := rowOf(m)
	text := fmt.Sprintf("the neighbour graph has %d components (%s)", len(sizes), neighborhood.ListSizes(align.Descending(sizes)))
	if method.alone {
		var classes int
		if at.found.Graph, classes = neighborhood.Basins(at.found.Graph); classes > len(sizes) {
			label, sizes = at.found.Graph.Components()
			text += fmt.Sprintf(", in which %d closed classes of samples have their neighbours among themselves", classes)
		}
	}
	bridges, err := neighborhood.Bridges(b.Run, at.x, label, len(sizes))
	if err != nil {
		return nil, err
	}
	longest := magnitude.Times(neighborhood.Longest(bridges), at.x.Exponent())
	b.Note("bridges", len(bridges))
	b.Note("longest_bridge", longest)
	edges := "edges"
	if len(bridges) == 1 {
		edges = "edge"
	}
	text += b.joinedBy(at, bridges) + fmt.Sprintf(": %d %s between nearest samples, the longest of length %.4g, ", len(bridges), edges, longest)
	if !method.alone {
		b.Warn("%s", text+"were added; relative positions of components depend on these alone")
		// The lists with the bridges, and with each of them once.
		more := 2 * at.found.Graph.Bytes()
		if err := b.Fit(more, fmt.Sprintf("the neighbour graph of %d samples with its bridges needs", at.x.N()), "take fewer neighbours, fewer samples, or raise the limit"); err != nil {
			return nil, err
		}
		at.found = at.found.Linked(bridges, label)
		b.Run = b.Holding(more)
		return s.take(b.Run, at, b.options.Init)
	}
	b.Warn("%s", text+"say where each part, embedded on its own, is placed; eigenvalues are the largest one's")
	return b.layOut(at, m, bridges, neighborhood.Members(label, sizes))
}

// layOut embeds every component on its own, in fewer dimensions where it has no more
// samples, and lays them out by the bridges.
func (b begun) layOut(at locality, m Method, bridges []neighborhood.Bridge, lists [][]int) (*outcome, error) {
	method := rowOf(m)
	var first *outcome
	pieces := make([]layout.Piece, len(lists))
	means := make([]float64, 0, len(lists)*at.x.M())
	converged, told, others := true, "", 0
	for c, list := range lists {
		pieces[c] = layout.Piece{Rows: list}
		own := at.component(list)
		mean := own.x.Mean()
		means = append(means, mean...)
		if len(list) == 1 {
			continue
		}
		job := b.Part()
		part, err := b.stepsIn(m, min(method.dim, len(list)-1)).take(job, own, b.options.Init)
		if err != nil {
			return nil, err
		}
		if c == 0 {
			first = part
			b.Adopt(job)
		} else {
			first.quality.beside(c+1, len(list), part.quality)
		}
		converged = converged && part.Converged
		for _, w := range job.Warnings() {
			if told == "" {
				told = fmt.Sprintf("component %d (%d samples): %s", c+1, len(list), w)
			} else {
				others++
			}
		}
		pieces[c].Y, pieces[c].Spread = part.Y, own.x.Spread(mean)
	}
	if told != "" {
		if others > 0 {
			told += fmt.Sprintf("; and %d more warnings of components", others)
		}
		b.Warn("%s", told)
	}
	axes, err := b.axes(samples.OfRows(len(lists), at.x.M(), means), method.dim)
	if err != nil {
		return nil, err
	}
	if first.Y, err = layout.Place(b.Kernels(), at.x.N(), method.dim, pieces, axes, bridges); err != nil {
		return nil, err
	}
	for len(first.Values) < method.dim { // the largest has no more samples than that
		first.Values, first.Residuals = append(first.Values, math.NaN()), append(first.Residuals, 0)
	}
	first.Converged = converged
	first.extension, first.reason, err = method.placed(extend.Fit{Run: b.Run, X: at.x, Found: at.found}, first.Solution)
	return first, err
}

// axes are the means of the components on their principal axes, a row each.
func (b begun) axes(means samples.Samples, dim int) (*mat.Dense, error) {
	if err := b.Fit(8*int64(means.N())*int64(means.M()), fmt.Sprintf("the layout of %d components needs", means.N()), "choose ‹components=largest›, or raise the limit"); err != nil {
		return nil, err
	}
	found, err := PCA{Dim: min(dim, means.N()-1, means.M())}.steps().take(b.Within(), locality{x: means}, nil)
	if err != nil {
		return nil, err
	}
	return found.Y, nil
}
