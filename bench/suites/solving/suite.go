// Package solving is the suite that measures the eigensolver and the Cholesky
// and LDLᵀ factorisations alone, against SciPy, SLEPc, CHOLMOD and MUMPS.
package solving

import (
	"fmt"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
)

// Suite compares the solvers with the ones that others use.
var Suite = bench.Suite{
	Name:  "solvers",
	Title: "Smallest eigenpairs and sparse Cholesky, compared with SciPy, SLEPc, CHOLMOD and MUMPS",
	About: `The 50 smallest eigenpairs beyond the constant, at σ = 0, of alignment matrices, of Laplacians of graphs, and of pairs of stiffness and mass
matrices of finite elements on surfaces. SciPy's eigsh is given the factor of the shifted matrix by SuperLU, SLEPc that by MUMPS; both find the constant, too, which ours
is given. One thread each, factorisation and all, and a process of its own for each, whose peak of memory is shown; Python is included in the peak of the peers.

The Cholesky factorisation of the same matrices with a small multiple of the identity, on one thread and on two by the clock: analysis and factorisation, a solution, and the factorisation
of other values with the same pattern. Of the same matrices the diagonal of the inverse. CHOLMOD and MUMPS are called through PETSc, as they are set there; MUMPS takes two threads in its matrix products alone.

Vertices are numbered at random, so that no program finds an order in the input. Next to the seconds is the error: the largest residual, ‖Ax − λMx‖ over
(|A| + λ|M|)‖x‖ in row sums, of all pairs, and the backward error of the solution, ‖b − Ax‖ over |A|‖x‖ + ‖b‖, both measured by this program for all of them.

The social network has no small separator: the factor of 100 000 vertices has hundreds of millions of entries. The peers are
given 20 000 vertices of it; ours takes 100 000, too. SciPy's factor of these 20 000 was not done after 18 minutes, and is left out.

Graphs of a million vertices and ten million edges are solved without a factor, on two threads by the clock: the 10 smallest pairs and one system, beside SciPy's LOBPCG and conjugate gradients
and SLEPc's generalized Davidson, with the diagonal or PETSc's algebraic multigrid (GAMG) as preconditioner. The networks are those of Holme and Kim and R-MAT, with the parameters of the Graph500 benchmark.

Of four of the matrices the 50 pairs nearest to a shift inside the spectrum are found in the same way, and A − σI, which is indefinite there, is factorised by MUMPS, too.`,
	Speed: true,
	Cases: func(e *bench.Env) []bench.Case {
		return slices.Concat(pairCases(e), fillCases(e), factorCases(e), inverseCases(e), insideCases())
	},
	Claims: slices.Concat(pairClaims(), fillClaims(), factorClaims(), insideClaims()),
	Versus: versus,
	Sections: func(r *bench.Records) []bench.Section {
		return slices.Concat([]bench.Section{pairSection(r)}, fillSections(r), []bench.Section{factorSection(r), inverseSection(r), insideSection(r), indefiniteSection(r)})
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

// pairClaims: this many times as fast as a peer on every problem that both take, in less
// memory.
func pairClaims() []bench.Claim {
	var list []bench.Claim
	for _, c := range []struct {
		peer, program string
		factor        float64
	}{{"arpack", "SciPy's eigsh", 5}, {"slepc", "SLEPc with MUMPS", 1.5}} {
		list = append(list, bench.Claim{
			Name: "pairs/" + c.peer, Source: "orthant", Paper: fmt.Sprintf("at least %g times as fast, in less memory", c.factor),
			Statement: fmt.Sprintf("The 50 smallest eigenpairs of every matrix that both take need at most 1/%g of the processor time of %s, and less memory, with residuals of 1e-9 at most.", c.factor, c.program),
			Check: func(r *bench.Records) bench.Finding {
				return faster(r, both(c.peer, (*problem).pairGroup, func(p *problem) bool { return p.takenBy(c.peer) }), c.factor, true)
			},
		})
	}
	return list
}

// insideClaims are the same of pairs inside the spectrum, and of the LDLᵀ factor.
func insideClaims() []bench.Claim {
	var list []bench.Claim
	for _, c := range []struct {
		peer, program string
		factor        float64
	}{{"arpack", "SciPy's eigsh", 4}, {"slepc", "SLEPc with MUMPS", 1.2}} {
		list = append(list, bench.Claim{
			Name: "inside/" + c.peer, Source: "orthant", Paper: fmt.Sprintf("at least %g times as fast", c.factor),
			Statement: fmt.Sprintf("The 50 eigenpairs nearest to a shift inside the spectrum need at most 1/%g of the processor time of %s, with residuals of 1e-11 at most.", c.factor, c.program),
			Check: func(r *bench.Records) bench.Finding {
				return faster(r, both(c.peer, (*problem).insideGroup, (*problem).asked), c.factor, false)
			},
		})
	}
	return append(list, bench.Claim{
		Name: "indefinite/mumps", Source: "orthant", Paper: "at least as fast",
		Statement: "The LDLᵀ factorisation of a matrix shifted into its spectrum, a refined solution and a factorisation of the same pattern need no more processor time than by MUMPS, with backward errors of 1e-13 at most.",
		Check: func(r *bench.Records) bench.Finding {
			return faster(r, both("mumps", (*problem).indefiniteGroup, (*problem).single), 1, false)
		},
	})
}

// both are the names of our case and the peer's of every problem that is taken.
func both(peer string, group func(*problem) string, taken func(*problem) bool) []string {
	var all []string
	for i := range problems {
		if p := &problems[i]; taken(p) {
			all = append(all, group(p)+ours, group(p)+"/"+peer)
		}
	}
	return all
}

// faster compares pairs of cases, ours first.
func faster(r *bench.Records, all []string, factor float64, less bool) bench.Finding {
	var text, why []string
	f, ready := r.Sound(all...)
	if !ready {
		return f
	}
	for i := 0; i < len(all); i += 2 {
		name := strings.Split(all[i], "/")[1]
		a, _ := r.CPU(all[i])
		b, _ := r.CPU(all[i+1])
		text = append(text, fmt.Sprintf("%s %.3g times, %s to %s; %s to %s", name, b/a, r.AccuracyCell(all[i]).Text, r.AccuracyCell(all[i+1]).Text, bench.PeakText(r.Get(all[i])), bench.PeakText(r.Get(all[i+1]))))
		if b < factor*a {
			why = append(why, fmt.Sprintf("%s %.2f times", name, b/a))
		}
		if less && r.Get(all[i]).PeakBytes > r.Get(all[i+1]).PeakBytes {
			why = append(why, name+" takes more memory")
		}
	}
	return r.SpeedFinding(len(why) == 0, strings.Join(text, "; "), all, why...)
}

// factorClaims: on one thread within a fifth of CHOLMOD, on two ahead of it by the clock.
func factorClaims() []bench.Claim {
	var list []bench.Claim
	for _, c := range []struct {
		threads int
		most    float64
		words   string
	}{{1, 1.2, "at most 1.2 times that of CHOLMOD"}, {2, 1, "no more than that of CHOLMOD"}} {
		list = append(list, bench.Claim{
			Name: fmt.Sprintf("factor/cholmod/threads=%d", c.threads), Source: "orthant", Paper: c.words,
			Statement: fmt.Sprintf("The Cholesky factorisation of every matrix, a solution and a factorisation of the same pattern take on %d thread(s) a time by the clock of %s, with backward errors of 1e-14 at most.", c.threads, c.words),
			Check:     func(r *bench.Records) bench.Finding { return noSlower(r, c.threads, c.most) },
		})
	}
	return list
}

func noSlower(r *bench.Records, threads int, most float64) bench.Finding {
	var all, text, why []string
	for i := range problems {
		if p := &problems[i]; !p.alone {
			all = append(all, p.factorGroup(threads)+ours, p.factorGroup(threads)+"/cholmod")
		}
	}
	f, ready := r.Sound(all...)
	if !ready {
		return f
	}
	for i := 0; i < len(all); i += 2 {
		name := strings.Split(all[i], "/")[1]
		a, b := r.Get(all[i]).Seconds["total"].Median, r.Get(all[i+1]).Seconds["total"].Median
		text = append(text, fmt.Sprintf("%s %.2f of the time, %s to %s", name, a/b, r.AccuracyCell(all[i]).Text, r.AccuracyCell(all[i+1]).Text))
		if a > most*b {
			why = append(why, fmt.Sprintf("%s %.2f", name, a/b))
		}
	}
	return r.SpeedFinding(len(why) == 0, strings.Join(text, "; "), all, why...)
}

func pairSection(r *bench.Records) bench.Section {
	t := &bench.Table{Columns: []string{"matrix", "by", "order", "CPU and residual", "right-hand sides", "peak of memory"}}
	for i := range problems {
		p := &problems[i]
		for _, side := range pairSides {
			if !p.takenBy(side.peer) {
				continue
			}
			name := p.pairGroup() + side.side
			t.Rows = append(t.Rows, []bench.Cell{{Text: p.title}, {Text: side.title}, r.Cell(name, orderText), r.TimedCell(name, "total"), r.QualityCell(name, "solves", "%.0f"), r.Cell(name, bench.PeakText)})
		}
	}
	return bench.Section{Title: fmt.Sprintf("The %d smallest eigenpairs, one thread", pairs), Table: t,
		Text: "Right-hand sides are those that are solved for; ours are solved for eight at a time."}
}

// orderText is the order of the matrix of a record.
func orderText(one *bench.Record) string { return fmt.Sprint(one.Samples) }

func factorSection(r *bench.Records) bench.Section {
	t := &bench.Table{Columns: []string{"matrix", "threads", "by", "order", "analysis and factor (wall)", "a solution", "factor again", "CPU of all and backward error", "peak of memory"}}
	for i := range problems {
		p := &problems[i]
		if p.alone {
			continue
		}
		for _, threads := range []int{1, 2} {
			for _, side := range factorSides {
				name := p.factorGroup(threads) + side.side
				row := []bench.Cell{{Text: p.title}, {Text: fmt.Sprint(threads)}, {Text: side.title}, r.Cell(name, orderText)}
				for _, phase := range []string{"factor", "solve", "again"} {
					row = append(row, r.Cell(name, func(one *bench.Record) string { return bench.MedianText(one.Seconds[phase]) }))
				}
				t.Rows = append(t.Rows, append(row, r.TimedCell(name, "total"), r.Cell(name, bench.PeakText)))
			}
		}
	}
	return bench.Section{Title: "Cholesky factorisation", Table: t}
}
