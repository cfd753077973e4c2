package engine

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// affine tells whether affinities can be given in place of a method's own edges for a task:
// it makes a Laplacian of weighted edges, and no kernel of its own.
func (r row) affine(task string) bool {
	if r.searches(task) == nil || r.kernel {
		return false
	}
	switch task {
	case "embed":
		return r.embed().patch.AnyLists
	case "factorize":
		return r.factorize().Patch.AnyLists
	}
	plan := r.cluster(2).Plan
	if plan.Factors != nil {
		return plan.Factors.Patch.AnyLists
	}
	return plan.Edges.AnyLists
}

// edges is the patch of a method, or that of the affinities in its place.
func (b begun) edges(rule patch.Rule) patch.Rule {
	if b.options.Affinities == nil {
		return rule
	}
	return patch.Affinities()
}

// largestAffinity is the largest weight of an edge among affinities.
func largestAffinity(w mat.Matrix) (row, col int, value float64) {
	if absent(w) {
		return 0, 0, 0
	}
	a, _, err := sparse.Of(w)
	if err != nil {
		return 0, 0, 0
	}
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for q, j := range cols {
			if int(j) != i && vals[q] > value {
				row, col, value = i, int(j), vals[q]
			}
		}
	}
	return row, col, value
}

// leastAffinity is the least size of the largest affinity, and its reciprocal the greatest, whose products with samples and
// parameters are numbers.
const leastAffinity = 0x1p-300

// affinitiesExponent is that of the power of two by which affinities are divided.
func affinitiesExponent(w mat.Matrix) int {
	_, _, value := largestAffinity(w)
	return magnitude.Exponent(value)
}

// ordinaryAffinities divides the weights of affinities of no ordinary size by a power of two,
// where that changes nothing but the unit of coordinates.
func (b *begun) ordinaryAffinities(task string, r row, g *neighbors.Graph) error {
	row, col, value := largestAffinity(b.options.Affinities)
	e := magnitude.Exponent(value)
	if e == 0 {
		return nil
	}
	normalized := task == "cluster" && r.cluster(2).Plan.Factors == nil || task == "embed" && r.unitsOf().affinities != 0
	if !normalized && value >= leastAffinity && value <= 1/leastAffinity {
		return nil
	}
	if !normalized {
		s := scaling{value: value}
		return fmt.Errorf("%s: row %d, column %d (counting from 1) of the affinities is %.4g, the largest, and results would be beyond the range of numbers; %s",
			b.Method(), row+1, col+1, value, strings.Replace(s.remedy(), "the data", "the affinities", 1))
	}
	magnitude.Scale(-e, g.Weight)
	return nil
}

// graphOfAffinities checks a matrix of affinities and returns its positive entries off the
// diagonal as lists.
func (b *begun) graphOfAffinities(w mat.Matrix) (*neighbors.Graph, error) {
	held, copied, isSparse := sparse.OfBytes(w)
	if !isSparse {
		return nil, fmt.Errorf("%s: the affinities are not sparse; give a sparse.CSR or a matrix of github.com/james-bowman/sparse", b.Method())
	}
	b.Run = b.Holding(held)
	need := copied + 20*held/12 // the lists have an index, a weight and a distance for each entry
	if err := b.Fit(need, "the lists of the affinities need", "give fewer entries, or raise the limit"); err != nil {
		return nil, err
	}
	b.Run = b.Holding(need)
	a, _, err := sparse.Of(w)
	if err != nil {
		return nil, fmt.Errorf("%s: the affinities: %w", b.Method(), err)
	}
	if a.Rows != a.Cols {
		return nil, fmt.Errorf("%s: the affinities are %d × %d; give a square matrix, with a row and a column for each sample", b.Method(), a.Rows, a.Cols)
	}
	g := &neighbors.Graph{Ptr: make([]int, 1, a.Rows+1), Index: make([]int32, 0, a.NNZ()), Weight: make([]float64, 0, a.NNZ())}
	loops := 0
	for i := range a.Rows {
		cols, vals := a.Row(i)
		for q, j := range cols {
			v := vals[q]
			if !(v >= 0) || math.IsInf(v, 1) {
				return nil, fmt.Errorf("%s: row %d, column %d (counting from 1) of the affinities is %v; give finite numbers ≥ 0", b.Method(), i+1, j+1, v)
			}
			if v > 0 && int(j) == i {
				loops++
			} else if v > 0 {
				g.Index, g.Weight = append(g.Index, j), append(g.Weight, v)
			}
		}
		g.Ptr = append(g.Ptr, len(g.Index))
	}
	if loops > 0 {
		b.Warn("%d entries on the diagonal of the affinities do not count: an edge from a sample to itself changes neither D − W nor, here, D", loops)
	}
	if err := a.CheckSymmetric(); err != nil {
		if e, is := errors.AsType[*sparse.AsymmetryError](err); is {
			return nil, fmt.Errorf("%s: the affinities are not symmetric: row %d, column %d (counting from 1) is %v and its mirror is %v; give (W + Wᵀ)/2",
				b.Method(), e.Row+1, e.Column+1, e.Value, e.Mirror)
		}
		return nil, fmt.Errorf("%s: the affinities: %w", b.Method(), err)
	}
	g.Dist = make([]float64, len(g.Index)) // affinities have none
	return g, nil
}
