package engine

import (
	"fmt"

	"github.com/orthant-go/orthant/solvers/nmf"
)

// tasked is a method some of whose defaults depend on the task.
type tasked interface {
	Method
	// forTask fills these in, before the other defaults.
	forTask(task string) Method
}

// settledFor is the method with those of its defaults that depend on the task.
func settledFor(task string, m Method) Method {
	if t, ok := m.(tasked); ok {
		return t.forTask(task)
	}
	return m
}

const (
	// Iterations and the share of the objective below which a change ends them, where
	// the codes are updated first (Cai et al. 2011).
	codesFirstIterations = 500
	codesFirstTolerance  = 1e-5
)

// settleOrder fills in the order of the updates and what depends on it: in a
// clustering by multiplicative updates the codes come first, else the components.
func settleOrder(task, solver string, order *string, iterations *int, tolerance *float64) {
	if *order == "" || *order == "auto" {
		*order = nmf.BasisFirst
		if task == "cluster" && (solver == "" || solver == nmf.Multiplicative) {
			*order = nmf.CodesFirst
		}
	}
	if *order != nmf.CodesFirst {
		return
	}
	if *iterations == 0 {
		*iterations = codesFirstIterations
	}
	if *tolerance == 0 {
		*tolerance = codesFirstTolerance
	}
}

// checkOrder refuses an order that the solver does not have.
func checkOrder(method, solver, order string) error {
	if order == nmf.CodesFirst && solver != nmf.Multiplicative {
		return fmt.Errorf("%s: order=%s is for solver=%s", method, order, nmf.Multiplicative)
	}
	return nil
}

// stopping are an order and its rule to stop: by the change of WH, or with the codes
// first by that of the objective.
func stopping(o nmf.Options, order string, tolerance float64) nmf.Options {
	o.Order, o.Tolerance = order, tolerance
	if order == nmf.CodesFirst {
		o.Tolerance, o.Settle = 0, tolerance
	}
	return o
}
