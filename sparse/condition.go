package sparse

import "math"

const (
	// suspectPivot is the share of its diagonal entry below which a pivot makes the
	// condition worth an estimate. Where A + shift·I is singular, the pivot of the last
	// vertex that its null vector reaches is rounding, n·ε of that entry and less.
	suspectPivot = 0x1p-26
	// singularCondition is the reciprocal condition below which a factor tells nothing of
	// the matrix (LAPACK's xPOSVX).
	singularCondition = 0x1p-52
)

// Definite returns a [*NotPositiveDefiniteError] where A + shift·I, of which this is the
// factor, is singular within rounding: where the positive pivots that were found are what
// cancellation has left, such as in the Laplacian of a graph. The reciprocal condition is
// then below 2⁻⁵², as estimated by at most eleven solutions (Hager 1984; Higham 1988); they
// are only made where a pivot has lost half of its digits. work may be nil.
func (f *Factor) Definite(a *CSR, shift float64, work *SolveWork) error {
	column, least, pivot := f.leastPivot(a, shift)
	if least >= suspectPivot {
		return nil
	}
	if work == nil {
		work = new(SolveWork)
	}
	norm, size := a.RowSumNorm()+math.Abs(shift), 1.0
	if !(norm >= 1/ordinary && norm <= ordinary) {
		_, exponent := math.Frexp(min(norm, math.MaxFloat64))
		size = math.Ldexp(1, max(-1000, min(exponent, 1000)))
	}
	if f.inverseNorm(size, work)*(norm/size) < 1/singularCondition {
		return nil
	}
	return &NotPositiveDefiniteError{Column: column, Pivot: pivot, Singular: true}
}

// leastPivot finds the pivot that is the smallest share of its diagonal entry.
func (f *Factor) leastPivot(a *CSR, shift float64) (column int, share, pivot float64) {
	s := f.symbolic
	share = math.Inf(1)
	for p := range int32(len(s.rowLo)) {
		rows, width := s.panel(p)
		values := f.panelValues(p)
		for j, row := range rows[:width] {
			inverse := values[j*width+j] // 1/Lⱼⱼ
			i := int(s.perm[row])
			of := a.At(i, i) + shift
			if found := 1 / inverse / inverse; found < share*of {
				column, share, pivot = i, found/of, found
			}
		}
	}
	return column, share, pivot
}

// inverseNorm estimates size·‖(A + shift·I)⁻¹‖₁ from below, nearly always within a factor of
// three (Higham 1988, algorithm 4.1).
func (f *Factor) inverseNorm(size float64, work *SolveWork) float64 {
	n := f.symbolic.n
	work.probe = grown(work.probe, n)
	x := work.probe
	for i := range x {
		x[i] = size / float64(n)
	}
	f.Solve(x, 1, work)
	norm, at := oneNorm(x), -1
	for range 4 {
		for i, v := range x {
			x[i] = math.Copysign(size, v)
		}
		f.Solve(x, 1, work)
		next := largestEntry(x)
		if next == at {
			break
		}
		at = next
		clear(x)
		x[at] = size
		f.Solve(x, 1, work)
		found := oneNorm(x)
		if !(found > norm) {
			break
		}
		norm = found
	}
	for i := range x {
		x[i] = size * (1 + float64(i)/float64(max(n-1, 1)))
		if i%2 == 1 {
			x[i] = -x[i]
		}
	}
	f.Solve(x, 1, work)
	return max(norm, 2*oneNorm(x)/(3*float64(n)))
}

func oneNorm(x []float64) float64 {
	var sum float64
	for _, v := range x {
		sum += math.Abs(v)
	}
	return sum
}

// largestEntry returns the place of the entry of largest size, the first on ties.
func largestEntry(x []float64) int {
	at := 0
	for i, v := range x {
		if math.Abs(v) > math.Abs(x[at]) {
			at = i
		}
	}
	return at
}
