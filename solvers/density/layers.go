package density

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// Layer is the clustering of one resolution: the components that contain no other once components of fewer than MinSize samples are none.
type Layer struct {
	MinSize, MaxSize int // the first and the last minimal size with these clusters
	// Persistence is Σ over the clusters of the number of minimal sizes at which each contains no other.
	Persistence int64
	Chosen      []int32 // the component of each cluster, by its label
	Labels      []int32 // of each sample, from 0 in the order of each cluster's first sample; −1: noise
}

// Lifetimes returns the barcode of the components: the first and the last minimal size at which each exists and contains no other. A component exists
// up to the size of the second largest that its parent divides into, or its own size if that is smaller, and contains no other above all sizes
// at which something inside it is divided. It never does both if last < first. Component 0 lasts up to all samples. O(components).
func (t *Condensed) Lifetimes() (first, last []int32) {
	k := len(t.Parent)
	first, last = make([]int32, k), make([]int32, k)
	largest, second := make([]int32, k), make([]int32, k) // of the parts of each component
	for c := 1; c < k; c++ {
		up, size := t.Parent[c], t.Size[c]
		largest[up], second[up] = max(largest[up], size), max(second[up], min(largest[up], size))
	}
	for c := range first {
		first[c] = int32(t.MinSize)
	}
	last[0] = int32(len(t.Of))
	for c := k - 1; c >= 0; c-- { // parts come after their parent
		first[c] = max(first[c], second[c]+1)
		if up := t.Parent[c]; up >= 0 {
			last[c] = min(t.Size[c], second[up])
			first[up] = max(first[up], first[c])
		}
	}
	return first, last
}

// sameLayer is the share of components in common from which two layers say the same.
const sameLayer = 0.2

// Layers returns at most that many clusterings of different resolutions, the finest first (Bot, McInnes and Aerts 2025). The minimal size of a component is
// varied from MinSize on, and the total persistence of the components that contain no other is a function of it. Layers are at its peaks, the largest
// first; a peak is left out if more than a fifth of its components and those of a layer before it, together, are in both (as in EVoC). Component 0 is in no
// layer. The labels are those of [Condensed.Select] by [Leaves] in a tree of that minimal size. O(n log n) in all, and O(n) for each layer.
func (t *Condensed) Layers(ctx context.Context, most int) ([]Layer, error) {
	if most < 0 {
		return nil, fmt.Errorf("density: %d layers; give a number ≥ 0", most)
	}
	first, last := t.Lifetimes()
	peaks := peaksOf(first, last)
	slices.SortStableFunc(peaks, func(a, b Layer) int { return cmp.Compare(b.Persistence, a.Persistence) })
	byLast := make([]int32, 0, len(last)) // but for component 0
	for c := 1; c < len(last); c++ {
		byLast = append(byLast, int32(c))
	}
	slices.SortStableFunc(byLast, func(a, b int32) int { return cmp.Compare(last[b], last[a]) })
	in := func(c int32, l Layer) bool { return int(first[c]) <= l.MinSize && l.MinSize <= int(last[c]) }
	var list []Layer
	for _, l := range peaks {
		if len(list) == most {
			break
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, c := range byLast { // at most 2n/MinSize
			if int(last[c]) < l.MinSize {
				break
			}
			if in(c, l) {
				l.Chosen = append(l.Chosen, c)
			}
		}
		if !slices.ContainsFunc(list, func(other Layer) bool {
			both := 0
			for _, c := range l.Chosen {
				if in(c, other) {
					both++
				}
			}
			return float64(both) > sameLayer*float64(len(l.Chosen)+len(other.Chosen)-both)
		}) {
			list = append(list, l)
		}
	}
	slices.SortFunc(list, func(a, b Layer) int { return cmp.Compare(a.MinSize, b.MinSize) })
	for q := range list {
		found := t.Assign(list[q].Chosen, 0)
		list[q].Chosen, list[q].Labels = found.Chosen, found.Labels
	}
	return list, nil
}

// peaksOf returns the minimal sizes at which the total persistence is larger than before and after, ascending; of several sets of clusters in a row with
// the same total, the finest.
func peaksOf(first, last []int32) []Layer {
	type change struct {
		size int32
		by   int64
	}
	var changes []change
	for c := 1; c < len(first); c++ {
		if life := int64(last[c]) - int64(first[c]) + 1; life > 0 {
			changes = append(changes, change{first[c], life}, change{last[c] + 1, -life})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.size, b.size) })
	var steps []Layer // the function, and at its end 0
	for at := 0; at < len(changes); {
		l := Layer{MinSize: int(changes[at].size)}
		if k := len(steps) - 1; k >= 0 {
			l.Persistence = steps[k].Persistence
			if steps[k].MaxSize == 0 {
				steps[k].MaxSize = l.MinSize - 1
			}
		}
		before := l.Persistence
		for ; at < len(changes) && int(changes[at].size) == l.MinSize; at++ {
			l.Persistence += changes[at].by
		}
		if l.Persistence != before {
			steps = append(steps, l)
		}
	}
	var peaks []Layer
	for k, l := range steps {
		if (k == 0 || l.Persistence > steps[k-1].Persistence) && k+1 < len(steps) && l.Persistence > steps[k+1].Persistence {
			peaks = append(peaks, l)
		}
	}
	return peaks
}
