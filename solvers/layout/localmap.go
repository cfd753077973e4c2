package layout

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// Local is what LocalMAP (Wang, Sun, Huang and Rudin 2025) changes in the third phase of [PaCMAP], so
// that clusters come apart: near pairs weigh Distance/(2√d), those that are far apart in the map hence
// less, and every 10 iterations further pairs are drawn anew, among vertices within Distance of each
// other in the map.
type Local struct {
	Distance float64 // in the map; 0: 10
	Seed     uint64
}

const (
	localEvery = 10  // iterations for which further pairs stay
	localTries = 100 // draws of a further pair, after which the one before stays
)

// local is a Local in one Arrange.
type local struct {
	Local
	in            *incident
	near, further directed // pairs by their first ends
}

// directed has the second ends of the pairs whose first is vertex i in other[ptr[i]:ptr[i+1]].
type directed adjacency

func (d *directed) of(i int) []int32 { return d.other[d.ptr[i]:d.ptr[i+1]] }

func newLocal(l Local, in *incident, pairs Pairs) (*local, error) {
	if l.Distance == 0 {
		l.Distance = 10
	}
	if !(l.Distance > 0) || math.IsInf(l.Distance, 1) {
		return nil, errors.New("layout: the distance within which further pairs are drawn has to be finite and above 0")
	}
	return &local{l, in, newDirected(in, pairs.Near), newDirected(in, pairs.Further)}, nil
}

// newDirected lists pairs by their first ends.
func newDirected(in *incident, pairs []Pair) directed {
	d := directed{ptr: make([]int, len(in.order)+1), other: make([]int32, len(pairs))}
	for _, q := range pairs {
		d.ptr[in.number[q.I]+1]++
	}
	for i := range in.order {
		d.ptr[i+1] += d.ptr[i]
	}
	next := slices.Clone(d.ptr)
	for _, q := range pairs {
		i := in.number[q.I]
		d.other[next[i]] = in.number[q.J]
		next[i]++
	}
	return d
}

// draw draws the further pairs anew, at places of dim columns. What a vertex draws follows from the
// seed, the iteration and the vertex.
func (l *local) draw(ctx context.Context, threads, iteration, dim int, at []float32) error {
	n, limit := len(l.in.order), float32(l.Distance*l.Distance)
	err := blas.For(ctx, threads, n, layoutRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			place := at[i*dim : (i+1)*dim]
			draws := draws(l.Seed ^ uint64(iteration)<<32 ^ uint64(l.in.order[i]+1)*0xD1342543DE82EF95)
			own, near := l.further.of(i), l.near.of(i)
			for q := range own {
				for range localTries {
					var j int
					draws, j = draws.below(uint64(n))
					if squared(place, at[j*dim:(j+1)*dim]) <= limit && j != i && !slices.Contains(own[:q], int32(j)) && !slices.Contains(near, int32(j)) {
						own[q] = int32(j)
						break
					}
				}
			}
		}
	})
	if err == nil {
		l.in.kinds[further].fill(func(yield func(i, j int32)) {
			for i := range n {
				for _, j := range l.further.of(i) {
					yield(int32(i), j)
				}
			}
		})
	}
	return err
}
