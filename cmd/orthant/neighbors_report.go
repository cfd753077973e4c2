package main

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// searchReport is what --json prints of a search.
type searchReport struct {
	Samples      int    `json:"samples"`
	Features     int    `json:"features"`
	Sparse       bool   `json:"sparse"`
	Neighbors    int    `json:"neighbors"` // 0: within a radius
	Radius       number `json:"radius"`    // null: the nearest
	Metric       string `json:"metric"`
	Least        int    `json:"least_neighbors"`
	Most         int    `json:"most_neighbors"`
	Isolated     int    `json:"isolated"` // samples without neighbours
	Edges        int    `json:"edges"`    // entries of all lists
	Method       string `json:"method"`
	Recall       number `json:"recall"`      // 1 of an exact search
	RecallRows   int    `json:"recall_rows"` // on which it was measured
	Components   int    `json:"components"`
	Sizes        []int  `json:"component_sizes"`
	Out          string `json:"out"`
	OutIndices   string `json:"out_indices"`
	OutDistances string `json:"out_distances"`
	cost
	machine
}

func (s *search) report(x mat.Matrix, g *neighbors.Graph, found *neighbors.Report) error {
	method, recall, rows := "exact", 1.0, 0
	if found != nil {
		recall, rows = found.Recall, found.Rows
		if !found.Exact {
			method = "approximate"
		}
	}
	n, m := x.Dims()
	_, sizes := g.Components()
	slices.SortFunc(sizes, func(a, b int) int { return b - a })
	c := s.spent()
	if s.json {
		r := searchReport{Samples: n, Features: m, Neighbors: s.k, Radius: number(math.NaN()), Metric: string(s.metric), Isolated: isolated(g), Edges: len(g.Index),
			Method: method, Recall: number(recall), RecallRows: rows, Components: len(sizes), Sizes: sizes, Out: s.out, OutIndices: s.outIndices, OutDistances: s.outDistances, cost: c, machine: s.machine()}
		if _, r.Sparse = x.(*sparse.CSR); s.within {
			r.Neighbors, r.Radius = 0, number(s.radius)
		}
		r.Least, _, r.Most = g.Degrees()
		return s.printJSON(r)
	}
	w := s.say()
	by := ""
	if s.metric != neighbors.Euclidean {
		by = ", " + string(s.metric)
	}
	if least, mean, most := g.Degrees(); s.within {
		line(w, "neighbors", "within %v of each of %s in %s%s: %d to %d, %d in the mean", s.radius, counted(n, "sample"), counted(m, "feature"), by, least, most, mean)
	} else {
		line(w, "neighbors", "the %d nearest of each of %s in %s%s", s.k, counted(n, "sample"), counted(m, "feature"), by)
	}
	if alone := isolated(g); alone > 0 {
		line(w, "isolated", "%s without neighbours", counted(alone, "sample"))
	}
	if rows > 0 {
		line(w, "recall", "%.4f of the true neighbours, measured on %s (%s)", recall, counted(rows, "sample"), method)
	}
	writeComponents(w, len(sizes), sizes)
	writeCost(w, c)
	writeWritten(w, s.out, s.outIndices, s.outDistances)
	return nil
}

// isolated counts the samples that list no others.
func isolated(g *neighbors.Graph) (count int) {
	for i := range g.Len() {
		if len(g.Of(i)) == 0 {
			count++
		}
	}
	return count
}

// standardOutputs counts the outputs that go to standard output.
func standardOutputs(paths ...string) int {
	count := 0
	for _, p := range paths {
		if p == "-" {
			count++
		}
	}
	return count
}
