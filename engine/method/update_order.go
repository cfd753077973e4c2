package method

import (
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

const (
	// Iterations and the share of the objective below which a change ends them, where
	// the codes are updated first (Cai et al. 2011).
	codesFirstIterations = 500
	codesFirstTolerance  = 1e-5
)

// settleOrder fills in the order of the updates, the solver and what depends on them: in a
// clustering by multiplicative updates the codes come first, else the components.
func settleOrder(task string, p Protocol, least *LeastSquares, order *string, u *Updates) {
	least.settle(p, *order == nmf.CodesFirst)
	if *order == "" || *order == "auto" {
		*order = nmf.BasisFirst
		if task == "cluster" && least.Solver == nmf.Multiplicative {
			*order = nmf.CodesFirst
		}
	}
	if *order != nmf.CodesFirst {
		return
	}
	if u.Iterations == 0 {
		u.Iterations = codesFirstIterations
	}
	if u.Tolerance == 0 {
		u.Tolerance = codesFirstTolerance
	}
}

// checkOrder refuses an order that the solver does not have.
func checkOrder(method, solver, order string) error {
	if order == nmf.CodesFirst && solver != nmf.Multiplicative {
		return wording.Errorf("%s: ‹order=%s› is for ‹solver=%s›", method, order, nmf.Multiplicative)
	}
	return nil
}

// ordered is the solver with an order of its updates and the rule to stop that goes
// with it: by the change of WH, or with the codes first by that of the objective, unless
// another rule is given. With W first the factors keep their scale.
func ordered(r factor.ByNMF, order string) factor.ByNMF {
	r.Order = order
	if order == nmf.WFirst && r.Normalize == "" {
		r.Normalize = nmf.Never
	}
	if order == nmf.CodesFirst && (r.Stop == "" || r.Stop == nmf.Change) {
		r.Settle, r.Tolerance = r.Tolerance, 0
	}
	return r
}
