// Package card is the suite that judges what the project's own card promises: batches,
// new samples, factorisations, threads, assembly, eigenpairs, and the choice of backends.
package card

import (
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/bench"
)

// Suite compares each part of the project with what else there is for it.
var Suite = bench.Suite{
	Name:  "card",
	Title: "The parts of the project compared with other programs",
	About: `Batches of small embeddings, compared with scikit-learn by joblib in one Python and with a process for each job: jobs a second by the clock, on all cores.
New samples mapped by a model, from a file and from a pipe, compared with scikit-learn's transform. Factorisations from the same start, compared with
scikit-learn: the time of a sweep, and the time to the error that its coordinate descent has after 20 and 200 sweeps. Multiplicative
updates on one thread and on two, by the clock. Sums of patches into an alignment matrix, compared with SciPy's coo → csr and a plain copy in memory.
The smallest eigenpairs of an alignment matrix and of a graph Laplacian, compared with ARPACK through SciPy and SLEPc with MUMPS. And the choice of a
backend at each instruction level, compared with every backend of the build.

Every case has its error next to its seconds: dev, the relative error of the best affine map to the true coordinates; the relative error of a
factorisation; the residual of eigenpairs; the number of entries that differ where the same bits are promised; and the relative difference from
what was computed another way. A speed counts only where the error is no more than 1.2 times the other's, or within its limit.

Targets are the figures of the README as it was when this suite was written, with a tenth to spare; where the README is silent, to be
no slower than the other program. Times by the clock want an idle machine of at least two cores.`,
	Speed:    true,
	Cases:    cases,
	Claims:   slices.Concat(rollClaims(), batchClaims(), transformClaims(), sweepClaims(), threadClaims(), assemblyClaims(), eigenClaims(), choiceClaims()),
	Versus:   versus,
	Sections: sections,
}

// versus are the comparisons of processor seconds for the same work.
func versus() []bench.Versus {
	var list []bench.Versus
	for i := range nmfSets {
		s := &nmfSets[i]
		for _, l := range losses {
			list = append(list, bench.Versus{What: s.name + ", an NMF sweep, " + l.name, Program: "scikit-learn", Ours: s.sweepGroup(l.name) + oursSide, Theirs: s.sweepGroup(l.name) + sklearnSide})
		}
		for _, d := range descents() {
			group := s.descentGroup(d.sweeps, d.start)
			list = append(list, bench.Versus{What: fmt.Sprintf("%s, NMF to the error of %d sweeps, start %d", s.name, d.sweeps, d.start), Program: "scikit-learn", Ours: group + "/hals" + oursSide, Theirs: group + sklearnSide})
		}
	}
	for _, rows := range []int{fewRows, quickRows} {
		list = append(list, bench.Versus{What: fmt.Sprintf("%d new samples by a model of LLE", rows), Program: "scikit-learn", Ours: transformName("file/orthant", rows), Theirs: transformName("scikit-learn", rows)})
	}
	list = append(list, bench.Versus{What: "sum of patches into a matrix", Program: "SciPy", Ours: ourAssembly, Theirs: scipyAssembly})
	for i := range eigenMatrices {
		m := &eigenMatrices[i]
		for _, side := range solverSides[1:] {
			list = append(list, bench.Versus{What: m.title, Program: solverTitles[side.peer], Ours: m.group() + oursSide, Theirs: m.group() + side.side})
		}
	}
	return list
}

// solverTitles are the peers that find eigenpairs.
var solverTitles = map[string]string{"arpack": "SciPy (ARPACK)", "slepc": "SLEPc with MUMPS"}

// The last parts of the names of cases: ours, and a peer's.
const (
	oursSide    = "/orthant"
	sklearnSide = "/scikit-learn"
)

func cases(e *bench.Env) []bench.Case {
	return slices.Concat(rollCases(), batchCases(), transformCases(), sweepCases(), threadCases(), assemblyCases(), eigenCases(e), choiceCases())
}

func sections(r *bench.Records) []bench.Section {
	return slices.Concat(rollSections(r), batchSections(r), transformSections(r), sweepSections(r), threadSections(r), assemblySections(r), eigenSections(r), choiceSections(r))
}

// wall is the median time of a case by the clock.
func wall(r *bench.Records, name string) float64 {
	if one := r.Get(name); one != nil {
		return one.Seconds["total"].Median
	}
	return 0
}

// rate is how many samples, jobs or entries a second a case did by the clock.
func rate(r *bench.Records, name string) float64 {
	one, seconds := r.Get(name), wall(r, name)
	if one == nil || !(seconds > 0) {
		return 0
	}
	return float64(one.Samples) / seconds
}
