package smacof

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// Ties says what non-metric scaling makes of equal dissimilarities (Kruskal 1964).
type Ties int

const (
	// Primary ties may have different targets: only the order of different dissimilarities is kept.
	Primary Ties = iota
	// Secondary ties have the same target.
	Secondary
)

// monotone holds the targets of non-metric scaling: the monotone regression of the distances on the dissimilarities, scaled
// to a constant sum of squares, without which all coordinates would shrink to 0.
type monotone struct {
	ties     Ties
	rank     []uint32  // of each pair, its place among all by dissimilarity; unknown pairs come last
	known    int       // number of pairs with a weight above 0
	value    []float64 // by place: distances, then targets
	weight   []float64 // by place; nil: all are 1
	starts   []uint32  // of the groups of equal dissimilarities, by place, with the end; nil: all differ
	unsorted []float64 // by place, of primary ties: the distances before the sort within ties; nil: there is no such sort
	sorted   []float64 // the weights after that sort; nil: all are 1
	ends     []uint32  // of the blocks of the regression
	masses   []float64 // the weights of the blocks; nil: their sizes
	square   float64   // the sum of squares of targets
}

// monotoneBytes bounds the memory of the targets and of their preparation, for a number of pairs.
func monotoneBytes(pairs int64, weighted bool) int64 {
	bytes := 32 * pairs // rank, value, starts, unsorted, ends, and the order before that
	if weighted {
		bytes += 24 * pairs
	}
	return bytes
}

func newMonotone(p *Pairs, ties Ties) *monotone {
	count := len(p.Delta)
	m := &monotone{ties: ties, rank: make([]uint32, count), value: make([]float64, count)}
	order := make([]uint32, 0, count)
	p.each(func(_, _, at int) {
		order = append(order, uint32(at))
		d := p.Delta[at]
		m.square += float64(float64(p.weight(at)*d) * d)
	})
	m.known = len(order)
	slices.SortFunc(order, func(a, b uint32) int { return cmp.Or(cmp.Compare(p.Delta[a], p.Delta[b]), cmp.Compare(a, b)) })
	rest := uint32(m.known)
	for at := range m.rank {
		if p.weight(at) == 0 {
			m.rank[at] = rest
			rest++
		}
	}
	tied := false
	for place, at := range order {
		m.rank[at] = uint32(place)
		tied = tied || place > 0 && p.Delta[at] == p.Delta[order[place-1]]
	}
	if p.Weight != nil {
		m.weight, m.masses = make([]float64, m.known), make([]float64, m.known)
		for place, at := range order {
			m.weight[place] = p.Weight[at]
		}
	}
	if tied {
		for place, at := range order {
			if place == 0 || p.Delta[at] != p.Delta[order[place-1]] {
				m.starts = append(m.starts, uint32(place))
			}
		}
		m.starts = append(m.starts, uint32(m.known))
		if ties == Primary {
			m.unsorted, m.sorted = make([]float64, m.known), slices.Clone(m.weight)
		}
	}
	m.ends = order // of the same length, and not used any more
	return m
}

// fit replaces the distances by targets.
func (m *monotone) fit(ctx context.Context, threads int) error {
	v := m.value[:m.known]
	if m.unsorted != nil {
		if err := m.sortTies(ctx, threads); err != nil {
			return err
		}
	}
	blocks := 0
	push := func(value, mass float64, end int) {
		v[blocks], m.ends[blocks] = value, uint32(end)
		if m.masses != nil {
			m.masses[blocks] = mass
		}
		blocks++
		for blocks > 1 && v[blocks-2] >= v[blocks-1] {
			a, b := m.mass(blocks-2), m.mass(blocks-1)
			v[blocks-2] = (float64(a*v[blocks-2]) + float64(b*v[blocks-1])) / (a + b)
			m.ends[blocks-2] = m.ends[blocks-1]
			if m.masses != nil {
				m.masses[blocks-2] = a + b
			}
			blocks--
		}
	}
	if m.ties == Secondary && m.starts != nil {
		for g := range len(m.starts) - 1 {
			lo, hi := int(m.starts[g]), int(m.starts[g+1])
			var sum, mass float64
			for k := lo; k < hi; k++ {
				w := m.weightAt(k)
				sum += float64(w * v[k])
				mass += w
			}
			push(sum/mass, mass, hi)
		}
	} else {
		for k, value := range v {
			push(value, m.weightAt(k), k+1)
		}
	}
	var square float64
	for b := range blocks {
		square += float64(float64(m.mass(b)*v[b]) * v[b])
	}
	scale := 1.0
	if square > 0 {
		scale = math.Sqrt(m.square / square)
	}
	for b := blocks - 1; b >= 0; b-- { // from the back: block b lies in front of its places
		lo := 0
		if b > 0 {
			lo = int(m.ends[b-1])
		}
		value := scale * v[b]
		for k := lo; k < int(m.ends[b]); k++ {
			v[k] = value
		}
	}
	if m.unsorted == nil {
		return nil
	}
	// Sorted distances violate the order at most at the ends of their group, which are pooled with other groups: the target of a
	// distance is the distance itself between the targets of the least and of the largest of the group.
	return m.groups(ctx, threads, func(lo, hi int) {
		least, most := v[lo], v[hi-1]
		for k, d := range m.unsorted[lo:hi] {
			v[lo+k] = min(max(scale*d, least), most)
		}
	})
}

// mass returns the weight of a block.
func (m *monotone) mass(block int) float64 {
	switch {
	case m.masses != nil:
		return m.masses[block]
	case block == 0:
		return float64(m.ends[0])
	}
	return float64(m.ends[block] - m.ends[block-1])
}

// weightAt returns the weight of the pair in a place after the sort within ties.
func (m *monotone) weightAt(place int) float64 {
	switch {
	case m.weight == nil:
		return 1
	case m.sorted != nil:
		return m.sorted[place]
	}
	return m.weight[place]
}

// sortTies sorts the distances within each group of equal dissimilarities.
func (m *monotone) sortTies(ctx context.Context, threads int) error {
	copy(m.unsorted, m.value[:m.known])
	return m.groups(ctx, threads, func(lo, hi int) {
		if m.weight == nil {
			slices.Sort(m.value[lo:hi])
			return
		}
		type pair struct{ distance, weight float64 }
		group := make([]pair, hi-lo)
		for k := range group {
			group[k] = pair{m.value[lo+k], m.weight[lo+k]}
		}
		slices.SortStableFunc(group, func(a, b pair) int { return cmp.Compare(a.distance, b.distance) })
		for k, p := range group {
			m.value[lo+k], m.sorted[lo+k] = p.distance, p.weight
		}
	})
}

// groups calls do for the places of each group of equal dissimilarities.
func (m *monotone) groups(ctx context.Context, threads int, do func(lo, hi int)) error {
	return blas.For(ctx, threads, len(m.starts)-1, 64, func(_, first, end int) {
		for g := first; g < end; g++ {
			do(int(m.starts[g]), int(m.starts[g+1]))
		}
	})
}

// Curve is the monotone function from dissimilarities to targets that non-metric scaling has found, by its corners, between
// which it is linear. Beyond the last corner it is constant, and from 0 to the first it is a line from the origin.
type Curve struct{ Delta, Target []float64 }

// At returns the target of a dissimilarity.
func (c Curve) At(delta float64) float64 {
	if len(c.Delta) == 0 {
		return delta
	}
	k, _ := slices.BinarySearch(c.Delta, delta)
	switch {
	case k == len(c.Delta):
		return c.Target[k-1]
	case c.Delta[k] == delta:
		return c.Target[k]
	case k == 0:
		return c.Target[0] * (delta / c.Delta[0])
	}
	share := (delta - c.Delta[k-1]) / (c.Delta[k] - c.Delta[k-1])
	return c.Target[k-1] + float64(share*(c.Target[k]-c.Target[k-1]))
}

// curve returns the function that the targets are of; equal dissimilarities have their mean.
func (m *monotone) curve(p *Pairs) Curve {
	delta := make([]float64, m.known)
	for at, place := range m.rank {
		if int(place) < m.known {
			delta[place] = p.Delta[at]
		}
	}
	var c Curve
	for lo := 0; lo < m.known; {
		var sum, mass float64
		hi := lo
		for ; hi < m.known && delta[hi] == delta[lo]; hi++ {
			w := 1.0
			if m.weight != nil {
				w = m.weight[hi]
			}
			sum += float64(w * m.value[hi])
			mass += w
		}
		target := sum / mass
		if k := len(c.Target); k > 0 {
			target = max(target, c.Target[k-1]) // but for rounding it is
		}
		// A third corner at one height replaces the second.
		if k := len(c.Target); k > 1 && c.Target[k-1] == target && c.Target[k-2] == target {
			c.Delta[k-1] = delta[lo]
		} else {
			c.Delta, c.Target = append(c.Delta, delta[lo]), append(c.Target, target)
		}
		lo = hi
	}
	return c
}
