package method

import (
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// MissingEntries says which entries of the data are missing. A factorisation gives them the
// weight 0: see [nmf.Weights].
type MissingEntries struct {
	Missing  string `json:"missing" default:"error" allowed:"error|weight" doc:"in a factorisation: an entry NaN is an error, or is missing and has the weight 0"`
	Unstored string `json:"unstored" default:"zero" allowed:"zero|missing" doc:"in a factorisation of sparse data with missing=weight: an entry that is not stored is 0, or is missing"`
}

func (g MissingEntries) give(r *factor.ByNMF) {
	r.Missing, r.Unstored = g.Missing == "weight", g.Unstored == "missing"
}

// keepsSingle reports whether a factorisation by a start keeps samples in float32. Where entries
// may be missing it does not.
func keepsSingle(init string, u Updates, g MissingEntries) bool {
	return g.Missing != "weight" && (init == "" || init == nmf.RandomStart) && (u.Shift == "" || u.Shift == "none")
}
