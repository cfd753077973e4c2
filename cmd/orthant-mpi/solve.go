//go:build mpi

package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/cmd/internal/outcome"
	"github.com/orthant-go/orthant/engine/memory"
)

// parallelEntries is the number of entries of the matrix from which it is ordered in parallel:
// of smaller ones one process finds better orders, and sooner.
const parallelEntries = 1e7

// solve makes the factor and finds the lowest eigenvectors.
func (inv *invocation) solve(p *problem, r *result) error {
	defer inv.phase("solve")()
	a, err := inv.analyze(p, float64(r.plan.MatrixEntries))
	if err != nil {
		return err
	}
	r.plan.Solver = "krylov-schur, shift and invert by MUMPS"
	r.plan.Reason = fmt.Sprintf("the samples are shared by %d processes", inv.size)
	r.plan.Ordering, r.plan.FactorEntries, r.plan.Flops = a.ordering, int64(a.entries), a.flops
	basis := 8 * int64(p.part.own) * int64(2*(p.count+1+guards)+15+8)
	own := int64(a.own*1e6) + basis
	r.plan.Bytes = int64(inv.number(largest, float64(own)))
	r.estimate = int64(inv.number(largest, float64(memory.Resident()+own)))
	total := int64(inv.number(sum, float64(memory.Resident()+own)))
	inv.explains("solve: %s, because %s", r.plan.Solver, r.plan.Reason)
	inv.explains("  Cholesky by %s: %.0f entries for the matrix's %d, %.3g flops", a.ordering, a.entries, r.plan.MatrixEntries, a.flops)
	inv.explains("  memory: at most %s a process, %s in all", limits.FormatBytes(r.estimate), limits.FormatBytes(total))
	if inv.memory > 0 && r.estimate > int64(inv.memory) {
		return inv.agree(outcome.Wrong("%s: the eigensolver needs about %s in a process where the limit is %s; take more processes or fewer neighbours, embed landmarks on one machine (\"orthant embed --set landmarks=M\"), or raise the limit",
			inv.method, limits.FormatBytes(r.estimate), limits.FormatBytes(int64(inv.memory))))
	}
	inv.fault("factor")
	for most := 1e-7 / shiftScale * p.shift; ; p.shift *= 100 {
		definite, err := p.factor()
		if err = inv.agree(err); err != nil {
			return err
		}
		if definite {
			break
		}
		if p.shift > most {
			return inv.agree(errors.New(inv.method + ": the alignment matrix is far from semidefinite; please report it"))
		}
		if _, err := p.analyze(100*p.shift, serial); err != nil {
			panic(err)
		}
	}
	inv.fault("eigenvectors")
	inv.show("solve", 0.5)
	r.found, err = p.find()
	if err = inv.agree(err); err != nil {
		return err
	}
	_, warnings := r.shared.Found()
	for _, text := range warnings {
		inv.warn("%s", text)
	}
	if !r.converged {
		inv.warn("some eigenpairs missed their residual: the embedding is the best found")
	}
	return nil
}

// analyze orders the matrix, in parallel where that is requested and available.
func (inv *invocation) analyze(p *problem, entries float64) (analysis, error) {
	tools := []int{serial}
	if inv.ordering == "parallel" || inv.ordering == "auto" && entries >= parallelEntries {
		if inv.size > 1 {
			tools = []int{ptScotch, parMetis, serial}
		}
	}
	var a analysis
	var err error
	for _, tool := range tools {
		if a, err = p.analyze(p.shift, tool); err != nil || a.failed == 0 {
			break
		}
	}
	if err == nil && a.failed != 0 {
		err = fmt.Errorf("%s: MUMPS cannot order the matrix (error %d)", inv.method, a.failed)
	}
	return a, inv.agree(err)
}

// missed words a result whose pairs are not good enough.
func missed(method string, r *result) string {
	return fmt.Sprintf("%s: an eigenpair missed its residual (%.2g is the largest); the best embedding found is written", method, slices.Max(r.residuals))
}
