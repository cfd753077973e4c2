package density

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Condensed is the condensed tree: the components of a minimal size as the distance falls and λ = 1/distance rises. A component lasts while it loses
// fewer samples than that at a time, and ends where two or more of that size remain. Component 0 is all samples; the others follow their parent, by
// their smallest sample.
type Condensed struct {
	MinSize int
	Parent  []int32   // of each component; −1 for component 0
	Birth   []float64 // λ at which its parent ends
	Death   []float64 // λ at which its last samples leave it
	Size    []int32   // samples at its birth

	Of     []int32   // the component from which each sample leaves into none
	Lambda []float64 // λ at which it does; 0 for a sample that nothing joins, +Inf among duplicates
}

// Condense keeps the components of at least minSize ≥ 2 samples. O(n).
func (h *Hierarchy) Condense(ctx context.Context, minSize int) (*Condensed, error) {
	if minSize < 2 {
		return nil, fmt.Errorf("density: clusters of at least %d samples; give a number ≥ 2", minSize)
	}
	t := &Condensed{MinSize: minSize, Of: make([]int32, h.Samples), Lambda: make([]float64, h.Samples)}
	starts := []int32{-1} // the node of each component; −1: all roots
	t.add(-1, 0, h.Samples)
	if len(h.roots) == 1 {
		starts[0] = h.roots[0]
	}
	var parts, stack []int32
	steps := 0
	for c := 0; c < len(starts); c++ {
		for node, last := starts[c], false; !last; {
			if steps++; steps%checkEvery == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			lambda := 0.0
			if parts = parts[:0]; node < 0 {
				parts = append(parts, h.roots...)
			} else if int(node) < h.Samples { // the only sample
				t.Of[node], t.Lambda[node] = int32(c), 0
				break
			} else {
				parts, lambda = h.parts(node, parts), density(h.heightOf(node))
			}
			t.Death[c] = lambda
			large := parts[:0]
			for _, v := range parts {
				if int(h.sizeOf(v)) >= minSize {
					large = append(large, v)
					continue
				}
				stack = h.each(v, stack, func(i int32) { t.Of[i], t.Lambda[i] = int32(c), lambda })
			}
			if last = len(large) != 1; !last {
				node = large[0]
				continue
			}
			slices.SortFunc(large, func(a, b int32) int { return cmp.Compare(h.firstOf(a), h.firstOf(b)) })
			for _, v := range large {
				t.add(int32(c), lambda, int(h.sizeOf(v)))
				starts = append(starts, v)
			}
		}
	}
	return t, nil
}

func (t *Condensed) add(parent int32, birth float64, size int) {
	t.Parent, t.Birth = append(t.Parent, parent), append(t.Birth, birth)
	t.Death, t.Size = append(t.Death, birth), append(t.Size, int32(size))
}

// Components returns the number of components, all samples included.
func (t *Condensed) Components() int { return len(t.Parent) }

// Table returns the tree as rows of four numbers, in the form of the package hdbscan: the parent, the child, the λ at which the child leaves it, and the child's
// samples. Samples are numbered from 0, and component c is n + c. The samples come first, then the components but for component 0.
func (t *Condensed) Table() []float64 {
	n := len(t.Of)
	table := make([]float64, 0, 4*(n+len(t.Parent)-1))
	for i, c := range t.Of {
		table = append(table, float64(n+int(c)), float64(i), t.Lambda[i], 1)
	}
	for c := 1; c < len(t.Parent); c++ {
		table = append(table, float64(n+int(t.Parent[c])), float64(n+c), t.Birth[c], float64(t.Size[c]))
	}
	return table
}

// Stabilities returns Σ (λ at which a sample leaves the component − λ of its birth), the excess of mass of each component; +Inf with
// enough duplicates.
func (t *Condensed) Stabilities() []float64 {
	s := make([]float64, len(t.Parent))
	for i, c := range t.Of {
		s[c] += t.Lambda[i] - t.Birth[c]
	}
	for c, up := range t.Parent {
		if up >= 0 {
			s[up] += float64(float64(t.Size[c]) * (t.Birth[c] - t.Birth[up]))
		}
	}
	return s
}
