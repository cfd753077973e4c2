package solve

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/solvers"
)

// Spectrum is what the eigenvalues say of the embedding.
type Spectrum struct {
	Doubt    string // what they say against it, as measured; empty: nothing
	IfUneven bool   // nothing is wrong if the coordinates stretch the data evenly
}

// refinedLevel times ‖B‖ is the rounding of the least singular values of B.
const refinedLevel = 10 * solvers.RoundingLevel

// doubt says where the eigenvalues make the embedding doubtful. It tells no cause: a
// diagnosis looks for that.
func doubt(e *solvers.Eigen, norm, gapExpected float64) (text string, ifUneven bool) {
	d := len(e.Values)
	last := e.Values[d-1]
	level := solvers.RoundingLevel * norm
	if e.Refinements > 0 {
		// Those of BBᵀ: the rounding of singular values of B, squared.
		level = refinedLevel * refinedLevel * norm
	}
	switch {
	case e.Values[0] <= level && last > level:
		return fmt.Sprintf("the smallest eigenvalue, %.3g, is at rounding level: the first coordinates may mix", e.Values[0]), true
	case math.IsNaN(e.Next):
		return "", false
	case e.Next <= level:
		return fmt.Sprintf("eigenvalues 1 to %d, one more than the coordinates, are all at rounding level (the last is %.3g): to rounding the embedding is not determined", d+1, e.Next), false
	case last <= level:
		return "", false // flat to rounding
	case e.Next < 1.01*last:
		return fmt.Sprintf("eigenvalues %d and %d agree to %.2g: the embedding is not determined", d, d+1, e.Next/last-1), false
	case e.Next < gapExpected*last:
		return fmt.Sprintf("the gap behind the eigenvalues is small (ratio %.2f)", e.Next/last), true
	}
	return "", false
}
