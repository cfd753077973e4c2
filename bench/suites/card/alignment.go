package card

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/sparse"
)

// neighborhoods are the sets of the 12 nearest samples of each and itself, on a swiss roll.
type neighborhoods struct {
	x, truth *mat.Dense
	sets     [][]int32
}

const nearest = 12

func rollNeighborhoods(ctx context.Context, n int) (*neighborhoods, error) {
	set, err := datasets.Generate("swiss-roll", n, 1, map[string]string{"params": "isometric"})
	if err != nil {
		return nil, err
	}
	g, err := bench.NearestNeighbors(ctx, set.X, nearest)
	if err != nil {
		return nil, err
	}
	s := &neighborhoods{x: set.X, truth: set.Params, sets: make([][]int32, n)}
	for i := range s.sets {
		s.sets[i] = append(append([]int32(nil), g.Of(i)...), int32(i))
	}
	return s, nil
}

// patches stores what patch writes into a lower triangle for each set.
func (s *neighborhoods) patches(patch func(set []int32, lower []float64) error) (*sparse.Patches, error) {
	ptr, index := make([]int, len(s.sets)+1), make([]int32, 0, len(s.sets)*(nearest+1))
	for i, set := range s.sets {
		index = append(index, set...)
		ptr[i+1] = len(index)
	}
	p := sparse.NewPatches(1, ptr, index)
	lower := make([]float64, (nearest+1)*(nearest+2)/2)
	for i, set := range s.sets {
		if err := patch(set, lower); err != nil {
			return nil, err
		}
		p.Store(i, lower)
	}
	return p, nil
}

// tangent is the patch of local tangent space alignment, I − QQᵀ, Q = [1/√k, the two main
// directions among the centred samples] (Zhang, Zha 2004).
func (s *neighborhoods) tangent(set []int32, lower []float64) error {
	k := len(set)
	local := mat.NewDense(k, 3, nil)
	for a, i := range set {
		local.SetRow(a, s.x.RawRowView(int(i)))
	}
	for j := range 3 {
		mean := 0.0
		for a := range k {
			mean += local.At(a, j) / float64(k)
		}
		for a := range k {
			local.Set(a, j, local.At(a, j)-mean)
		}
	}
	var svd mat.SVD
	if !svd.Factorize(local, mat.SVDThin) {
		return fmt.Errorf("a neighbourhood has no singular values")
	}
	var u mat.Dense
	svd.UTo(&u)
	at := 0
	for a := range k {
		for b := range a + 1 {
			lower[at] = -1/float64(k) - u.At(a, 0)*u.At(b, 0) - u.At(a, 1)*u.At(b, 1)
			if a == b {
				lower[at]++
			}
			at++
		}
	}
	return nil
}

// star is the patch of a graph's Laplacian: the edges from the last sample to the others.
func star(set []int32, lower []float64) error {
	clear(lower)
	k, at := len(set), 0
	for a := range k {
		for b := range a + 1 {
			switch {
			case a == b && a == k-1:
				lower[at] = float64(k - 1)
			case a == b:
				lower[at] = 1
			case a == k-1:
				lower[at] = -1
			}
			at++
		}
	}
	return nil
}

// reciprocal is 1/(1 + a + b) at the places a and b of a set, which the peer forms, too.
func reciprocal(_ []int32, lower []float64) error {
	at := 0
	for a := range nearest + 1 {
		for b := range a + 1 {
			lower[at] = 1 / float64(1+a+b)
			at++
		}
	}
	return nil
}

// probe is what matrices are multiplied by, to compare them.
func probe(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Sin(float64(i))
	}
	return x
}

// scattered is the sum of the reciprocal patches times the probe, without a matrix.
func (s *neighborhoods) scattered() []float64 {
	y, x := make([]float64, len(s.sets)), probe(len(s.sets))
	for _, set := range s.sets {
		for a, i := range set {
			for b, j := range set {
				y[i] += x[j] / float64(1+a+b)
			}
		}
	}
	return y
}

// difference is ‖got − want‖ relative to ‖want‖.
func difference(got, want []float64) float64 {
	rest := append([]float64(nil), got...)
	blas.Axpy(-1, want, rest)
	return math.Sqrt(blas.Dot(rest, rest) / blas.Dot(want, want))
}
