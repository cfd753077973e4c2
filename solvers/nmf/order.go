package nmf

// The order [WFirst] follows scikit-learn's _fit_multiplicative_update and
// _fit_coordinate_descent: from the same start, after the same number of iterations, the
// factors are the same but for rounding.
//
//   - W is updated, then H with the new W. Nothing scales the factors, neither the start nor
//     the end.
//   - A multiplicative step is A ∘ N/(D + l1 + l2·A), also where the loss is a divergence with
//     an l2 and β < 2, for which the other orders minimize a majorizer: with WFirst nothing promises
//     that the objective falls then.
//   - A denominator of zero belongs to an entry that is zero or becomes it; scikit-learn puts
//     2⁻²³ in its place, here it is anything below 1e-150. No other denominator is changed.
//   - Of divergences with β ≤ 1 entries of H below 2⁻⁵² become zero, with β < 1 also entries of W.
//   - Coordinate descent has no floor: its zeros are zeros. A coordinate without curvature
//     stays. There is one sweep unless Options.Sweeps says otherwise.
const (
	doubleEpsilon = 1.0 / (1 << 52) // below it entries become zero
	singleEpsilon = 1.0 / (1 << 23) // WH is that, in a divergence, where it is zero
)

// beginWithW sets up the order WFirst.
func (f *factorization) beginWithW() {
	f.wFirst = true
	f.floor, f.least = vanished, 0
	if f.loss == KL || f.loss == Beta && f.shape <= 1 {
		f.minH = doubleEpsilon
	}
	if f.loss == Beta && f.shape < 1 {
		f.minW = doubleEpsilon
	}
}

// divideBySlope is the step of an entry z of a factor by the ratio of the two parts of the
// slope of a divergence, num and den; 0 where it leads below least.
func (f *factorization) divideBySlope(z, num, den, least float64) float64 {
	if z *= num / max(den, f.floor); !(z >= least) {
		return 0
	}
	return z
}

// quotientOf is the quotient x/WH of which the divergence takes the logarithm: with the order
// WFirst WH is 2⁻²³ where it is zero.
func (f *factorization) quotientOf(x, quotient float64) float64 {
	if f.wFirst && quotient >= x/f.floor {
		return x / singleEpsilon
	}
	return quotient
}
