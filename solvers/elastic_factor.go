package solvers

import (
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// supportFactor is the Cholesky factor of G + ℓ2I over some of the samples, which
// follows as samples leave and enter.
type supportFactor struct {
	kernels  *blas.Kernels
	order    []int // the samples, in the order of the factor's rows
	ld       int
	factor   []float64 // lower triangle, in rows of ld
	member   []bool
	solution []float64
	panel    []float64
	turns    []rotation
}

// begin forgets the factor, for problems of n samples.
func (f *supportFactor) begin(n int) {
	f.order, f.member, f.solution, f.turns = f.order[:0], grownTo(f.member, n), grownTo(f.solution, n), grownTo(f.turns, n)
	clear(f.member)
}

// follow brings the factor to the wanted samples; false: their matrix is not positive
// definite to rounding.
func (f *supportFactor) follow(gram []float64, n int, ridge float64, wanted []bool) bool {
	leave, enter, size := 0, 0, 0
	for j, w := range wanted {
		switch {
		case w && !f.member[j]:
			enter++
		case !w && f.member[j]:
			leave++
		}
		if w {
			size++
		}
	}
	// A third of a factor's s³/3 operations, at the speed of products, is about what s/8
	// samples cost that enter, or a third as many that leave, in rotations.
	if len(f.order) > 0 && len(f.order)+enter <= f.ld && 3*leave+enter <= size/8 {
		for r := len(f.order) - 1; r >= 0; r-- {
			if j := f.order[r]; !wanted[j] {
				choleskyDelete(len(f.order), f.ld, f.factor, r, f.turns)
				f.order, f.member[j] = slices.Delete(f.order, r, r+1), false
			}
		}
		whole := true
		for j, w := range wanted {
			if w && !f.member[j] {
				whole = whole && f.enter(gram, n, ridge, j)
			}
		}
		if whole {
			return true
		}
	}
	return f.renew(gram, n, ridge, wanted, size)
}

// enter adds a row for one sample; false: what is left of its pivot is rounding.
func (f *supportFactor) enter(gram []float64, n int, ridge float64, j int) bool {
	s := len(f.order)
	row := f.factor[s*f.ld : s*f.ld+s+1]
	for r, k := range f.order {
		above := f.factor[r*f.ld : r*f.ld+r+1]
		row[r] = (gram[j*n+k] - blas.Dot(above[:r], row)) / above[r]
	}
	pivot := gram[j*n+j] + ridge - blas.Dot(row[:s], row)
	if !(pivot > 0) {
		return false
	}
	row[s] = math.Sqrt(pivot)
	f.order, f.member[j] = append(f.order, j), true
	return true
}

// renew factorises from the start.
func (f *supportFactor) renew(gram []float64, n int, ridge float64, wanted []bool, size int) bool {
	f.order = f.order[:0]
	for j, w := range wanted {
		if f.member[j] = w; w {
			f.order = append(f.order, j)
		}
	}
	f.ld = min(size+size/8+8, n)
	f.factor = grownTo(f.factor, f.ld*f.ld)
	for r, j := range f.order {
		row, dst := gram[j*n:(j+1)*n], f.factor[r*f.ld:r*f.ld+r+1]
		for c, k := range f.order[:r+1] {
			dst[c] = row[k]
		}
		dst[r] += ridge
	}
	return choleskyFactor(f.kernels, size, f.ld, f.factor, &f.panel)
}

// solve overwrites x, in the factor's order, with (G + ℓ2I)⁻¹x.
func (f *supportFactor) solve(x []float64) { choleskySubstitute(len(f.order), f.ld, f.factor, x) }
