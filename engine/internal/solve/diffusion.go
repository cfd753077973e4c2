package solve

import (
	"math"

	"github.com/orthant-go/orthant/engine/internal/align"
)

// Diffused is the solution of diffusion maps. Values are eigenvalues λ of the random walk,
// descending.
type Diffused struct {
	*Solution
	Density []float64 // divisor of the kernel
}

// DiffusionCoordinates computes the eigenvectors ψ of the random walk for the largest
// eigenvalues λ, without the constant one, with Σᵢ πᵢψᵢ² = 1 for the stationary
// distribution π. Coordinates after time t of the walk are λᵗψ, whose Euclidean
// distances are the diffusion distances (Coifman and Lafon 2006, section 2.2).
func DiffusionCoordinates(dim, time int) Rule[*align.Diffusion, *Diffused] {
	return func(in Input, a *align.Diffusion) (*Diffused, error) {
		s, err := BottomEigenvectors(dim, 0)(in, a.Sum)
		if err != nil {
			return nil, err
		}
		var total float64 // sum of the degrees
		for _, v := range a.Scale {
			total += 1 / (v * v)
		}
		for j, mu := range s.Values {
			lambda := 1 - mu
			s.Values[j] = lambda
			column := s.Y.ColView(j)
			factor := math.Sqrt(total) * math.Abs(math.Pow(lambda, float64(time)))
			for i := range column.Len() {
				s.Y.Set(i, j, factor*column.AtVec(i))
			}
		}
		s.Next = 1 - s.Next
		return &Diffused{Solution: s, Density: a.Density}, nil
	}
}
