package nmf

import (
	"context"
	"fmt"

	"github.com/orthant-go/orthant/blas"
)

// Smooth components (Options.Smooth), for columns in an order, as the bands of a spectrum are. The term added to ½‖X − WH‖² or to
// the divergence is
//
//	s/2 Σₖ ‖wₖ‖² Σⱼ (hₖⱼ − hₖ,ⱼ₊₁)²,   of the divergence over mean(X):
//
// the squared differences of the components that have coordinates of unit length. ‖wₖ‖² is the curvature of the squared error in hₖⱼ, so that s has
// no unit, means the same for any number of samples, and nothing is gained by a small H beside a large W. A component by itself, given the others, is
// the smoother of Whittaker (1923) with differences of order one, under h ≥ 0. Mean(X) gives the term the unit of the divergence.
//
//   - A step of H moves the entries of a row one after the other, forth and back, each to the minimum given its neighbours: of the squared error
//     with [HALS], else of the function that lies above the loss in a multiplicative step and has no products of entries.
//   - In W the term is s‖Dhₖ‖²/2·‖wₖ‖², D the differences: a ridge of each component, as of an L2 penalty.
//
// Neither raises the objective.

// MostSmooth is the largest Options.Smooth: beyond it rounding loses the data beside the term.
const MostSmooth = 1e12

// checkSmooth refuses options that do not go with smooth components.
func (o Options) checkSmooth(m int) error {
	switch {
	case !(o.Smooth >= 0 && o.Smooth <= MostSmooth):
		return fmt.Errorf("nmf: the weight of smooth components is %v; give a number from 0 to %v", o.Smooth, MostSmooth)
	case o.Smooth == 0:
		return nil
	case o.Loss != Frobenius && o.Loss != KL || o.Solver == MiniBatch:
		return fmt.Errorf("nmf: smooth components are for losses %s and %s with solver %s or %s; take these", Frobenius, KL, Multiplicative, HALS)
	case o.Lambda > 0 && o.Graph.present():
		return fmt.Errorf("nmf: smooth components go with no graph term; leave out one of them")
	case o.Extrapolate:
		return fmt.Errorf("nmf: smooth components go with no extrapolation; leave out one of them")
	case o.Order != BasisFirst:
		return fmt.Errorf("nmf: smooth components go with order %s; leave out the order", BasisFirst)
	case o.Stop == Violation && o.Tolerance > 0:
		return fmt.Errorf("nmf: smooth components go with stop %s or %s; take one of these", Change, RelativeDecrease)
	case o.Fixed == HFixed && o.keptComponents(m) == 0:
		return fmt.Errorf("nmf: fixed components are as smooth as they are given; leave out the weight of smooth ones")
	}
	return nil
}

// smoothness is the term of smooth components.
type smoothness struct {
	weight         float64   // s, or s/mean(X)
	ridges         []float64 // the curvature of the term in the entries of wₖ, weight·‖Dhₖ‖²; 0 of components that stay
	gram           []float64 // r × r: HHᵀ with the ridges
	target, before []float64 // m: of a row of H
}

func newSmoothness(f *factorization, weight float64) *smoothness {
	if f.loss == KL && weight > 0 {
		weight /= max(f.totals.mean(f.data), vanished)
	}
	if weight == 0 || f.totals.squares == 0 {
		return nil
	}
	return &smoothness{weight: weight, ridges: make([]float64, f.r), gram: make([]float64, f.r*f.r),
		target: make([]float64, f.m), before: make([]float64, f.m)}
}

// measure brings the ridges up to date with H.
func (s *smoothness) measure(f *factorization) {
	if s == nil {
		return
	}
	_ = blas.For(context.Background(), f.threads, f.r-f.kept, 1, func(_, k, _ int) {
		k += f.kept
		row, sum := f.h[k*f.m:(k+1)*f.m], 0.0
		for j := 1; j < len(row); j++ {
			d := row[j] - row[j-1]
			sum += float64(d * d)
		}
		s.ridges[k] = s.weight * sum
	})
}

// ridge is that of component k; 0 of no term.
func (s *smoothness) ridge(k int) float64 {
	if s == nil {
		return 0
	}
	return s.ridges[k]
}

// ridged is HHᵀ with the ridges on its diagonal: a copy.
func (s *smoothness) ridged(r int, gram []float64) []float64 {
	if s == nil {
		return gram
	}
	copy(s.gram, gram)
	for k := range r {
		s.gram[k*r+k] += s.ridges[k]
	}
	return s.gram
}

// addTo adds the slope of the term to the denominators of a row of W.
func (s *smoothness) addTo(den, w []float64) {
	if s == nil {
		return
	}
	r := len(s.ridges)
	for at, v := range w {
		den[at] += float64(s.ridges[at%r] * v)
	}
}

// value is the term.
func (s *smoothness) value(f *factorization) (sum float64) {
	if s == nil {
		return 0
	}
	for k, square := range f.columnSquares() {
		sum += float64(s.ridges[k] * square)
	}
	return sum / 2
}

// columnSquares are ‖wₖ‖².
func (f *factorization) columnSquares() []float64 {
	squares := make([]float64, f.r)
	for i := 0; i < len(f.w); i += f.r {
		for k, v := range f.w[i : i+f.r] {
			squares[k] += float64(v * v)
		}
	}
	return squares
}

// relax moves the entries of a row one after the other, forth and back. The function gives entry j the minimum for the sum of its
// neighbours, of which there are this many.
func relax(row []float64, minimum func(j int, neighbours, many float64) float64) {
	last := len(row) - 1
	if last == 0 {
		row[0] = minimum(0, 0, 0)
		return
	}
	row[0] = minimum(0, row[1], 1)
	for j := 1; j < last; j++ {
		row[j] = minimum(j, row[j-1]+row[j+1], 2)
	}
	row[last] = minimum(last, row[last-1], 1)
	for j := last - 1; j > 0; j-- {
		row[j] = minimum(j, row[j-1]+row[j+1], 2)
	}
	row[0] = minimum(0, row[1], 1)
}

// sweepSmooth is [factorization.sweep] over the components with the term: rows of H by coordinate descent, their neighbours included.
func (u *coordinateDescent) sweepSmooth(ctx context.Context, gram []float64) error {
	m, r, s := u.m, u.r, u.smooth
	var first float64
	for sweep := range u.sweepsH {
		var moved float64
		for k := u.kept; k < r; k++ {
			err := blas.For(ctx, u.threads, m, u.columns, func(_, lo, hi int) {
				t := s.target[lo:hi]
				copy(t, u.sums.num[k*m+lo:k*m+hi])
				u.kernels.Gemv(true, r, hi-lo, -1, u.h[lo:], m, gram[k*r:(k+1)*r], 1, t)
			})
			if err != nil {
				return err
			}
			row, curvature, c := u.h[k*m:(k+1)*m], gram[k*r+k], s.weight*u.sums.gram[k*r+k]
			if !(curvature > u.floor) {
				continue // without coordinates a component stays
			}
			copy(s.before, row)
			for j, v := range row {
				s.target[j] += float64(curvature*v) - u.penaltyH.l1
			}
			ends, between := 1/(curvature+c), 1/(curvature+2*c)
			relax(row, func(j int, neighbours, many float64) float64 {
				inverse := between
				if many < 2 {
					inverse = ends
				}
				return max(u.least, (s.target[j]+float64(c*neighbours))*inverse)
			})
			moved += blas.SquaredDistance(row, s.before)
		}
		if sweep == 0 {
			first = moved
		}
		if moved <= sweepSettle*sweepSettle*first {
			break
		}
	}
	return nil
}

// stepSmooth is the multiplicative step of H for the squared error with the term: the minimum of Σ ½(den/h°)z² − num·z + the term. den is
// overwritten.
func (u *squaredError) stepSmooth(den []float64) {
	m := u.m
	_ = blas.For(context.Background(), u.threads, u.r-u.kept, 1, func(_, k, _ int) {
		k += u.kept
		row, num, a, c := u.h[k*m:(k+1)*m], u.sums.num[k*m:(k+1)*m], den[k*m:(k+1)*m], u.smooth.weight*u.sums.gram[k*u.r+k]
		for j, v := range row {
			if v > 0 {
				a[j] /= v
			} else {
				a[j] = -1 // zeros stay
			}
		}
		relax(row, func(j int, neighbours, many float64) float64 {
			if a[j] < 0 {
				return 0
			}
			return flushTiny((num[j] + float64(c*neighbours)) / max(a[j]+float64(many*c), u.floor))
		})
	})
	u.updateGram()
}

// stepSmooth is the step of H for the divergence with the term: the minimum of Σ az − b log z + l2/2·z² + the term. b takes the place of the
// numerators.
func (u *divergence) stepSmooth() {
	m, squares := u.m, u.columnSquares()
	_ = blas.For(context.Background(), u.threads, u.r-u.kept, 1, func(_, k, _ int) {
		k += u.kept
		row, b := u.h[k*m:(k+1)*m], u.sums.num[k*m:(k+1)*m]
		a, c := u.sums.columnSums[k]+u.penaltyH.l1, u.smooth.weight*squares[k]
		for j, v := range row {
			b[j] *= v
		}
		relax(row, func(j int, neighbours, many float64) float64 {
			return divergenceMinimum(a-float64(c*neighbours), b[j], float64(many*c)+u.penaltyH.l2)
		})
	})
	u.updateGram()
	u.rowSumsH = u.rowSums()
}
