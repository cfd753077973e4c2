package engine

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/selective"
	"github.com/orthant-go/orthant/sparse"
)

// Selected is what a selective method learned of the samples besides its factors. The
// Storage of its matrices is that of github.com/james-bowman/sparse.
type Selected struct {
	// Exemplars are the samples whose neighbourhoods regularise the factors, ascending.
	Exemplars []int
	// Learned is Ẑ: row i has the affinities of exemplar i to its neighbours; the rows of
	// other samples are empty.
	Learned *sparse.CSR
	// Encoding is Z, of which Learned is a part: column j says who stands for sample j.
	Encoding *sparse.CSR
}

// checkSelection refuses numbers of neighbours and exemplars that n samples do not
// have, and a bound on the rows that no encoding meets.
func checkSelection(name string, k *int, exemplars int, norm string, n int) error {
	if n < 2 {
		return fmt.Errorf("%s: %d sample; give at least 2", name, n)
	}
	if err := (neighborhood.RootNearest{K: k}).Check(name, n, n-1); err != nil {
		return err
	}
	if exemplars > n {
		return fmt.Errorf("%s: %d exemplars asked of %d samples; give a number from 1 to %d", name, exemplars, n, n)
	}
	tau := exemplars
	if tau == 0 {
		tau = selective.Tenth(n)
	}
	if norm == "2" && float64(tau)*float64(tau) < float64(n) {
		return wording.Errorf("%s: with ‹p=2› the columns of an encoding by %d exemplars cannot sum to 1: give at least %.0f exemplars for %d samples, or ‹p=inf›",
			name, tau, math.Ceil(math.Sqrt(float64(n))), n)
	}
	return nil
}
