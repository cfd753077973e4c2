package neighbors

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// sampleRows draws `count` of n rows without replacement.
func sampleRows(n, count int, seed uint64) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = int32(i)
	}
	rng := blas.NewStream(seed)
	for i := range count {
		j := i + rng.Below(n-i)
		all[i], all[j] = all[j], all[i]
	}
	return all[:count]
}

// recallTile is the number of rows swept for one stretch of sampled rows before
// the next: some hundred KiB of typical data.
const (
	recallTile  = 512
	recallBlock = 32
)

// measureRecall returns the share of the listed neighbours (squared distances in
// g.Dist) that are true ones, over the sampled rows: those not further away than
// the true k-th neighbour, so that among ties any choice is right. Exact: single
// precision only rules out what is further away than the listed k-th by more than
// its rounding; what is left is measured by direct differences in double
// precision. O(|sample| nm).
func measureRecall(ctx context.Context, x Points, s *sheet, g *Graph, sample []int32, threads int) (float64, error) {
	place := make([]int32, s.n)
	for p, i := range s.label {
		place[i] = int32(p)
	}
	hits := make([]int, len(sample))
	err := blas.For(ctx, threads, len(sample), recallBlock, func(_, lo, hi int) {
		trials := make([]*trial, hi-lo)
		for c := range trials {
			trials[c] = newTrial(x, s, g, sample[lo+c])
		}
		at, square := make([]int32, recallTile), make([]float32, recallTile)
		for from := 0; from < s.n && ctx.Err() == nil; from += recallTile {
			to := min(from+recallTile, s.n)
			for p := range at {
				at[p] = int32(min(from+p, s.n-1))
			}
			for _, c := range trials {
				s.squares(s.row(int(place[c.sample])), at[:padded(to-from)], square)
				for p, v := range square[:to-from] {
					if v <= c.reach {
						c.measure(x, s.label[from+p])
					}
				}
			}
		}
		for c := range trials {
			hits[lo+c] = trials[c].hits(g)
		}
	})
	if err != nil {
		return 0, err
	}
	var right, listed int
	for c, i := range sample {
		right += hits[c]
		listed += len(g.Of(int(i)))
	}
	return float64(right) / float64(listed), nil
}

// trial is the search for the true neighbours of one sampled row.
type trial struct {
	sample int32
	reach  float32
	found  nearest
}

func newTrial(x Points, s *sheet, g *Graph, i int32) *trial {
	listed := g.Distances(int(i))
	k := len(listed)
	// A single-precision row is off by at most 2⁻²⁴ of its norm (and what is lost
	// below the least normal number), a sum of m squares by m+2 roundings; in double
	// precision only what is lost below the least number matters here.
	const unit = 0x1p-24
	square := listed[k-1] + float64(x.M)*math.SmallestNonzeroFloat64
	size := math.Sqrt(square)*s.scale + 4*unit*(s.radius+0x1p-60)
	return &trial{
		sample: i,
		reach:  math.Nextafter32(float32(size*size*(1+2*float64(x.M+8)*unit)), float32(math.Inf(1))),
		found:  nearest{square: make([]float64, k), index: make([]int32, k)},
	}
}

func (c *trial) measure(x Points, j int32) {
	if j != c.sample {
		c.found.offer(blas.SquaredDistance(x.Row(int(c.sample)), x.Row(int(j))), j)
	}
}

// hits counts the listed neighbours not further away than the true k-th.
func (c *trial) hits(g *Graph) int {
	if !c.found.full() {
		return 0 // the sweep was cut short by a cancellation
	}
	var count int
	for _, square := range g.Distances(int(c.sample)) {
		if square <= c.found.bound() {
			count++
		}
	}
	return count
}
