//go:build mpi

package main

/*
#include "calls.h"
*/
import "C"

import (
	"math"

	"github.com/orthant-go/orthant/sparse"
)

// matrix is the alignment matrix in the own rows of all processes.
type matrix struct {
	of  *C.matrix
	own int
}

// assembled adds up the shares of all processes.
func assembled(a *part, phi *sparse.CSR) (*matrix, error) {
	m := &matrix{own: a.own}
	if err := called(C.matrix_new(C.int(a.own), C.int(a.where.all()), &m.of)); err != nil {
		return nil, err
	}
	col := make([]int32, len(phi.Col))
	for q, j := range phi.Col {
		col[q] = a.rows[j]
	}
	return m, called(C.matrix_add(m.of, C.int(len(a.rows)), (*C.int)(pointer(a.rows)), (*C.int64_t)(pointer(phi.Ptr)),
		(*C.int)(pointer(col)), (*C.double)(pointer(phi.Val))))
}

// doubles is the first of some numbers as C has it.
func doubles(x []float64) *C.double { return (*C.double)(pointer(x)) }

// about are the diagonal, the sum of the absolute entries and their number of each own row, and
// how many entries all rows have.
func (m *matrix) about() (diagonal, sums []float64, entries []int32, all float64, err error) {
	diagonal, sums, entries = make([]float64, m.own), make([]float64, m.own), make([]int32, m.own)
	var nonzeros C.double
	err = called(C.matrix_rows(m.of, doubles(diagonal), doubles(sums), (*C.int)(pointer(entries)), &nonzeros))
	return diagonal, sums, entries, float64(nonzeros), err
}

// scale is A → SAS with ones in the diagonal.
func (m *matrix) scale(s []float64) error { return called(C.matrix_scale(m.of, doubles(s))) }

// multiply is A·x.
func (m *matrix) multiply(x []float64) ([]float64, error) {
	y := make([]float64, m.own)
	return y, called(C.matrix_multiply(m.of, doubles(x), doubles(y)))
}

// analysis is what is known of the factor before it is made.
type analysis struct {
	entries, flops   float64
	most, total, own float64 // MB that MUMPS takes on the process that takes most, on all, and on this one
	ordering         string
	failed           int // MUMPS' error; 0: none
}

// The tools that order in parallel, by MUMPS' numbers.
const (
	serial   = 0
	ptScotch = 1
	parMetis = 2
)

// analyze orders A + shift·I and finds the structure of its factor.
func (m *matrix) analyze(shift float64, tool int) (analysis, error) {
	var e C.estimate
	err := called(C.matrix_analyze(m.of, C.double(shift), C.int(tool), &e))
	a := analysis{entries: float64(e.entries), flops: float64(e.flops), most: float64(e.most), total: float64(e.total), own: float64(e.own), failed: int(e.code)}
	switch {
	case e.parallel == 2 && tool == ptScotch:
		a.ordering = "PT-Scotch"
	case e.parallel == 2 && tool == parMetis:
		a.ordering = "ParMETIS"
	default:
		a.ordering = map[C.int]string{0: "AMD", 2: "AMF", 3: "Scotch", 4: "PORD", 5: "METIS", 6: "QAMD"}[e.ordering]
	}
	return a, err
}

// factor makes the factor. definite: all its pivots are positive.
func (m *matrix) factor() (definite bool, err error) {
	var indefinite C.int
	err = called(C.matrix_factor(m.of, &indefinite))
	return indefinite == 0, err
}

// solve is (A + shift·I)⁻¹x.
func (m *matrix) solve(x []float64) ([]float64, error) {
	y := make([]float64, m.own)
	return y, called(C.matrix_solve(m.of, doubles(x), doubles(y)))
}

// lowest finds the wanted lowest pairs on the complement of the null vector, or, after this many
// restarts, the best there are: these did not all converge.
func (m *matrix) lowest(wanted, restarts int, shift float64, null, begin []float64) (f *found, err error) {
	f = &found{values: make([]float64, wanted), angle: math.NaN(), next: math.NaN()}
	all := make([]float64, wanted*m.own+1)
	var n, solves, missed C.int
	err = called(C.matrix_lowest(m.of, C.int(wanted), C.double(shift), ritzTolerance, C.int(restarts), doubles(null), doubles(begin),
		&n, doubles(f.values), doubles(all), &solves, &missed))
	f.values, f.solves, f.converged = f.values[:n], int(solves), missed == 0 && int(n) == wanted
	for j := range f.values {
		f.vectors = append(f.vectors, all[j*m.own:(j+1)*m.own:(j+1)*m.own])
	}
	return f, err
}

// The search ends where the residual of every pair of the inverse is this share of its
// eigenvalue, or after this many restarts.
const (
	ritzTolerance = 1e-10
	maxRestarts   = 100
)
