package nmf

import (
	"fmt"
	"math"
)

// The volume of the components (Options.Volume), for samples that mix few materials in shares that sum to one. Many
// simplexes hold the samples; the one of least volume has the materials as its corners where enough samples are
// near its facets (Lin et al. 2015; Leplat, Gillis and Ang 2020, IEEE Transactions on Signal Processing 68:3400). The
// term added to ‖X − WH‖² is
//
//	v‖X‖² log det(I + HHᵀ/(δs²)),   s² = ‖X‖²/n, δ = 0.1,
//
// which has no unit and is zero for H = 0. The logarithm is concave: it lies below its tangent tr(Y·HHᵀ), Y = (δs²I + HHᵀ)⁻¹ at the
// present H, up to a constant. A step of coordinate descent with WᵀW + v‖X‖²Y in place of WᵀW therefore never raises the objective.

// volumeFloor is δ.
const volumeFloor = 0.1

// checkVolume refuses options that do not go with the volume.
func (o Options) checkVolume(m int) error {
	switch {
	case !(o.Volume >= 0) || o.Volume-o.Volume != 0:
		return fmt.Errorf("nmf: the weight of the volume is %v; give a finite number ≥ 0", o.Volume)
	case o.Volume == 0:
		return nil
	case o.Loss != Frobenius || o.Solver != HALS || !o.SumToOne:
		return fmt.Errorf("nmf: the volume is for loss %s, solver %s and rows of W that sum to one; take these", Frobenius, HALS)
	case o.Fixed == HFixed && o.keptComponents(m) == 0:
		return fmt.Errorf("nmf: the volume of fixed components stays as it is; leave it out")
	}
	return nil
}

// volume is the term of the volume.
type volume struct {
	weight   float64   // v‖X‖²
	scale    float64   // δs²
	lower, y []float64 // r × r: the factor of δs²I + HHᵀ, and v‖X‖² times its inverse
}

func newVolume(f *factorization, weight float64) *volume {
	if weight == 0 || f.totals.squares == 0 {
		return nil
	}
	return &volume{weight: weight * f.totals.squares, scale: volumeFloor * f.totals.squares / float64(f.n),
		lower: make([]float64, f.r*f.r), y: make([]float64, f.r*f.r)}
}

// factorize makes the lower factor of δs²I + HHᵀ, and returns log det(I + HHᵀ/(δs²)).
func (v *volume) factorize(r int, gram []float64) float64 {
	var log float64
	for k := range r {
		for l := range k + 1 {
			s := gram[k*r+l]
			if k == l {
				s += v.scale
			}
			for q := range l {
				s -= float64(v.lower[k*r+q] * v.lower[l*r+q])
			}
			if k > l {
				v.lower[k*r+l] = s / v.lower[l*r+l]
				continue
			}
			s = max(s, v.scale*0x1p-40) // rounding
			v.lower[k*r+k] = math.Sqrt(s)
			log += math.Log(s / v.scale)
		}
	}
	return log
}

// value is the term at the components with this Gram matrix; 0 of none.
func (v *volume) value(r int, gram []float64) float64 {
	if v == nil {
		return 0
	}
	return v.weight * v.factorize(r, gram)
}

// addTo is the Gram matrix of the coordinates with the tangent of the term at the components with the Gram matrix hh: a copy.
func (v *volume) addTo(r int, gram, hh []float64) []float64 {
	if v == nil {
		return gram
	}
	v.factorize(r, hh)
	column := make([]float64, r)
	for c := range r {
		for k := range r { // L·z = e, then Lᵀ·y = z
			s := 0.0
			if k == c {
				s = 1
			}
			for q := range k {
				s -= float64(v.lower[k*r+q] * column[q])
			}
			column[k] = s / v.lower[k*r+k]
		}
		for k := r - 1; k >= 0; k-- {
			s := column[k]
			for q := k + 1; q < r; q++ {
				s -= float64(v.lower[q*r+k] * column[q])
			}
			column[k] = s / v.lower[k*r+k]
		}
		for k, y := range column {
			v.y[k*r+c] = v.weight * y
		}
	}
	mirror(r, v.y)
	for at, g := range gram {
		v.y[at] += g
	}
	return v.y
}
