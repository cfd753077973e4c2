package align

import (
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/layout"
	"github.com/orthant-go/orthant/sparse"
)

// Graph is the symmetric matrix W of the weights of all edges, without a diagonal. A layout uses the
// graph itself; an eigenproblem uses its Laplacian D − W.
type Graph struct {
	W     *sparse.CSR
	Radii []float64 // logarithms of the local radii of the samples; nil: not requested
}

// Bytes returns its memory.
func (g *Graph) Bytes() int64 { return g.W.Bytes() + numbers(g.Radii) }

// Matrix returns W.
func (g *Graph) Matrix() *sparse.CSR { return g.W }

// WeightedGraph returns the graph of patches that are edges. A sample without an edge has an empty row.
func WeightedGraph(in Input) (*Graph, error) {
	a, err := laplacianOf(in)
	if err != nil {
		return nil, err
	}
	if err := offDiagonal(in, a); err != nil {
		return nil, err
	}
	in.Explain("alignment: a graph of %d edges", a.NNZ()/2)
	return &Graph{W: a}, nil
}

// offDiagonal converts a Laplacian D − W to W. Edges of weight 0 are dropped.
func offDiagonal(in Input, a *sparse.CSR) error {
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for q, j := range cols {
			if vals[q] = -vals[q]; int(j) == i {
				vals[q] = 0
			}
			if v := vals[q]; v-v != 0 {
				return fmt.Errorf("%s: the weight between the samples %d and %d (counting from 1) is %v; change the parameters of the weights", in.Method(), in.X.Number(i), in.X.Number(int(j)), v)
			}
		}
	}
	withoutZeros(a)
	return in.Err()
}

// Adjacency is a graph whose normalised matrix D^−½WD^−½ an eigenproblem takes by products, without making it. W must not be changed.
type Adjacency struct {
	Graph
	Scale []float64 // D^−½; coordinates are Scale ∘ eigenvector
	given bool      // W shares the lists that were given, which are counted
}

// Bytes returns the memory that the run does not count yet.
func (a *Adjacency) Bytes() int64 {
	if a.given {
		return numbers(a.Scale)
	}
	return a.Graph.Bytes() + numbers(a.Scale)
}

// Adjacent returns the graph of patches that are edges. Affinities are not copied. A sample without an edge is an error.
func Adjacent(in Input) (*Adjacency, error) {
	a, err := AdjacentLoose(in)
	if err != nil {
		return nil, err
	}
	return a, attached(in, a.W, 0)
}

// AdjacentLoose is Adjacent for a graph in which samples may have no edges: D is 1 there.
func AdjacentLoose(in Input) (*Adjacency, error) {
	a := &Adjacency{}
	if g := in.Graph; in.Patch.Whole {
		in.Explain("alignment: a graph of %d edges", len(g.Index)/2)
		a.W, a.given = &sparse.CSR{Rows: g.Len(), Cols: g.Len(), Ptr: g.Ptr, Col: g.Index, Val: g.Weight}, true
	} else {
		made, err := WeightedGraph(in)
		if err != nil {
			return nil, err
		}
		a.Graph = *made
	}
	defer in.Phase("alignment")()
	a.Scale = make([]float64, a.W.Rows)
	inRows(in, a.W.Rows, func(i int) {
		_, vals := a.W.Row(i)
		var degree float64
		for _, v := range vals {
			degree += v
		}
		if degree == 0 {
			degree = 1
		}
		a.Scale[i] = 1 / math.Sqrt(degree)
	})
	return a, in.Err()
}

// ProbabilityGraph is [WeightedGraph] with weights that sum to 1.
func ProbabilityGraph(in Input) (*Graph, error) {
	g, err := WeightedGraph(in)
	if err != nil {
		return nil, err
	}
	var sum float64
	for _, v := range g.W.Val {
		sum += v
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return nil, fmt.Errorf("%s: the weights of all edges sum to %v and cannot be scaled to probabilities; give other weights", in.Method(), sum)
	}
	blas.Scale(1/sum, g.W.Val)
	return g, nil
}

// WithRadii returns a rule that also computes the local radii of the samples from the distances to their
// neighbours.
func WithRadii(rule Rule[*Graph]) Rule[*Graph] {
	return func(in Input) (*Graph, error) {
		if in.Graph.Weight != nil {
			return nil, wording.Errorf("%s: ‹density› needs distances, and affinities have none; give the graph of distances, or leave it out", in.Method())
		}
		g, err := rule(in)
		if err != nil {
			return nil, err
		}
		squared := make([]float64, g.W.NNZ())
		for i := range g.W.Rows {
			cols, _ := g.W.Row(i)
			for q, j := range cols {
				d := distance(in, i, int(j))
				squared[g.W.Ptr[i]+q] = float64(d * d)
			}
		}
		g.Radii, err = layout.LocalRadii(g.W, squared)
		return g, err
	}
}

// distance returns the distance of two samples, one of which lists the other.
func distance(in Input, i, j int) float64 {
	if at := slices.Index(in.Graph.Of(i), int32(j)); at >= 0 {
		return in.Graph.Distances(i)[at]
	}
	return in.Graph.Distances(j)[slices.Index(in.Graph.Of(j), int32(i))]
}

// withoutZeros drops the entries that are 0.
func withoutZeros(a *sparse.CSR) {
	to := 0
	for i := range a.Rows {
		from := a.Ptr[i]
		a.Ptr[i] = to
		for q := from; q < a.Ptr[i+1]; q++ {
			if a.Val[q] != 0 {
				a.Col[to], a.Val[to] = a.Col[q], a.Val[q]
				to++
			}
		}
	}
	a.Ptr[a.Rows] = to
	a.Col, a.Val = a.Col[:to], a.Val[:to]
}

// Pairs are pairs of samples that attract or repel each other.
type Pairs struct{ layout.Pairs }

// Bytes returns their memory.
func (p *Pairs) Bytes() int64 {
	return 8 * int64(len(p.Near)+len(p.MidNear)+len(p.Further))
}

// Edges is the graph of the near pairs of n samples, each of weight 1.
func (p *Pairs) Edges(n int) *sparse.CSR {
	near := &sparse.CSR{Rows: n, Cols: n, Ptr: make([]int, n+1), Col: make([]int32, len(p.Near)), Val: make([]float64, len(p.Near))}
	for q, pair := range p.Near { // one sample after the other
		near.Ptr[pair.I+1]++
		near.Col[q], near.Val[q] = pair.J, 1
	}
	for i := range n {
		near.Ptr[i+1] += near.Ptr[i]
	}
	other := near.Transposed()
	return joined(other.Transposed(), other, 0, 0, func(float64, float64) float64 { return 1 })
}

// ControlledPairs returns the pairs of a rule.
func ControlledPairs(rule patch.ControlledPairs) Rule[*Pairs] {
	return func(in Input) (*Pairs, error) {
		defer in.Phase("patches")()
		bytes := 8 * int64(in.X.N()) * int64(rule.Near+rule.MidNear+rule.Further)
		if rule.MidNear > 0 && rule.Distances.N() == 0 {
			bytes += in.X.PairDistancesBytes(in.Metric())
		}
		if err := in.Fit(bytes, fmt.Sprintf("the pairs of %d samples need", in.X.N()), "take fewer pairs or samples, or raise the limit"); err != nil {
			return nil, err
		}
		all, err := rule.Of(in.Local)
		if err != nil {
			return nil, err
		}
		in.Explain("patches: %d near, %d mid-near and %d further pairs", len(all.Near), len(all.MidNear), len(all.Further))
		return &Pairs{all}, nil
	}
}
