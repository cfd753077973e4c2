package engine

import (
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
