// Package solving is the suite that measures the eigensolver and the Cholesky
// and LDLᵀ factorisations alone, beside SciPy, SLEPc, CHOLMOD and MUMPS.
package solving

import (
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/bench"
)

// Suite measures the solvers beside those that others use.
var Suite = bench.Suite{
	Name:  "solvers",
	Title: "Smallest eigenpairs and sparse Cholesky, beside SciPy, SLEPc, CHOLMOD and MUMPS",
	About: `The 50 smallest eigenpairs beyond the constant, at σ = 0, of alignment matrices, of Laplacians of graphs, and of pairs of stiffness and mass
matrices of finite elements on surfaces. SciPy's eigsh is given the factor of the shifted matrix by SuperLU, SLEPc that by MUMPS; both find the constant, too, which ours
is given. One thread each, factorisation and all, and a process of its own for each, whose peak of memory is shown: that of the peers has Python in it.

The Cholesky factorisation of the same matrices with a small multiple of the identity, on one thread and on two by the clock: analysis and factorisation, a solution, and the factorisation
of other values with the same pattern. CHOLMOD and MUMPS are called through PETSc, as they are set there; MUMPS takes two threads in its matrix products alone.

Vertices are numbered at random, so that no program finds an order in the input. Beside the seconds stands the error: the largest residual, ‖Ax − λMx‖ over
(|A| + λ|M|)‖x‖ in row sums, of all pairs, and the backward error of the solution, ‖b − Ax‖ over |A|‖x‖ + ‖b‖, both measured by this program for all of them.

The social network has no small separator: the factor of 100 000 vertices has hundreds of millions of entries. The peers are
given 20 000 vertices of it; ours takes 100 000, too. SciPy's factor of these 20 000 was not done after 18 minutes, and is left out.

Of four of the matrices the 50 pairs nearest to a shift inside the spectrum are found in the same way, and A − σI, which is indefinite there, is factorised beside MUMPS.`,
	Speed:  true,
	Cases:  func(e *bench.Env) []bench.Case { return slices.Concat(pairCases(e), factorCases(e), insideCases()) },
	Claims: slices.Concat(pairClaims(), factorClaims(), insideClaims()),
	Versus: versus,
	Sections: func(r *bench.Records) []bench.Section {
		return []bench.Section{pairSection(r), factorSection(r), insideSection(r), indefiniteSection(r)}
	},
}

// versus are the comparisons on one thread.
func versus() []bench.Versus {
	var list []bench.Versus
	for i := range problems {
		p := &problems[i]
		for _, side := range pairSides[1:] {
			if p.takenBy(side.peer) {
				list = append(list, bench.Versus{What: fmt.Sprintf("%d eigenpairs, %s", pairs, p.title), Program: side.title, Ours: p.pairGroup() + ours, Theirs: p.pairGroup() + side.side})
			}
		}
		for _, side := range factorSides[1:] {
			if !p.alone {
				list = append(list, bench.Versus{What: "Cholesky, " + p.title, Program: side.title, Ours: p.factorGroup(1) + ours, Theirs: p.factorGroup(1) + side.side})
			}
		}
	}
	return list
}
