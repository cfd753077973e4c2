package nmf

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// betaRule is what depends on β alone: powers, the divergence of one entry, a step.
type betaRule struct {
	beta, gamma float64
	// Models y below least count as instead: powers of them would be infinite.
	least, instead float64
	slopes         bool                    // a step divides the slopes whatever is penalised, as scikit-learn's
	power          func(y float64) float64 // y^(β−2)
	powers         func(dst, y []float64)  // and of many, y within the range
	lifted         func(dst, y []float64)  // y^(β−1) of many, likewise
	roots          bool                    // that is √y, of which y^(β−2) is the inverse
	root           func(q float64) float64 // q^γ
}

const (
	// betaRange bounds y^(β−2) for β < 2.
	betaRange = 1e200
	// betaRounds bounds the steps of Newton's rule, which converges from above.
	betaRounds = 60
)

func newBetaRule(beta float64, wFirst bool) betaRule {
	b := betaRule{beta: beta, gamma: 1, slopes: wFirst}
	switch {
	case beta < 1:
		b.gamma = 1 / (2 - beta)
	case beta > 2:
		b.gamma = 1 / (beta - 1)
	}
	if beta < 2 {
		b.least = max(vanished, math.Pow(betaRange, -1/(2-beta)))
		if b.instead = singleEpsilon; !wFirst {
			b.least = max(b.least, denominator)
			b.instead = b.least
		}
	}
	power := powerOf(beta - 2)
	b.power = func(y float64) float64 { return power(b.model(y)) }
	b.powers, b.lifted = powersOf(beta-2), powersOf(beta-1)
	b.roots = beta == 1.5 && b.instead == b.least
	b.root = powerOf(b.gamma)
	return b
}

// powerOf is y^e for y ≥ 0: by products and roots where e is a small multiple of a half.
func powerOf(e float64) func(y float64) float64 {
	switch e {
	case 0:
		return func(float64) float64 { return 1 }
	case 0.5:
		return math.Sqrt
	case 1:
		return func(y float64) float64 { return y }
	case 2:
		return func(y float64) float64 { return y * y }
	case -0.5:
		return func(y float64) float64 { return 1 / math.Sqrt(y) }
	case -1:
		return func(y float64) float64 { return 1 / y }
	case -1.5:
		return func(y float64) float64 { return 1 / (y * math.Sqrt(y)) }
	case -2:
		return func(y float64) float64 { return 1 / (y * y) }
	}
	return func(y float64) float64 { return math.Pow(y, e) }
}

// powersOf is powerOf for many numbers, by logarithms where e is no small multiple of a half.
// The logarithm of zero is −∞, whose exponential is the zero of e > 0.
func powersOf(e float64) func(dst, y []float64) {
	switch e {
	case 0:
		return func(dst, y []float64) {
			for i := range y {
				dst[i] = 1
			}
		}
	case -1:
		return func(dst, y []float64) {
			for i, v := range y {
				dst[i] = 1 / v
			}
		}
	case 0.5:
		return func(dst, y []float64) { blas.Roots(dst, 0, y) }
	case 1:
		return func(dst, y []float64) { copy(dst, y) }
	case 2:
		return func(dst, y []float64) { blas.Multiply(dst, y, y) }
	case -0.5:
		return func(dst, y []float64) {
			for i, v := range y {
				dst[i] = 1 / math.Sqrt(v)
			}
		}
	case -1.5:
		return func(dst, y []float64) {
			for i, v := range y {
				dst[i] = 1 / (v * math.Sqrt(v))
			}
		}
	case -2:
		return func(dst, y []float64) {
			for i, v := range y {
				dst[i] = 1 / (v * v)
			}
		}
	}
	return func(dst, y []float64) {
		dst = dst[:len(y)]
		for i, v := range y {
			dst[i] = e * math.Log(v)
		}
		blas.Exp(dst, dst)
	}
}

// model is y as it counts.
func (b *betaRule) model(y float64) float64 {
	if y < b.least {
		return b.instead
	}
	return y
}

// weigh writes X∘Y^(β−2) and Y^(β−1) of a row of the data.
func (b *betaRule) weigh(data, model, left, right []float64) {
	right = right[:len(data)]
	if b.roots {
		blas.Roots(right, b.least, model[:len(data)])
		blas.Quotients(left, 0, data, right)
		return
	}
	for j, y := range model[:len(data)] {
		right[j] = b.model(y)
	}
	b.powers(left, right)
	for j, p := range left[:len(data)] {
		left[j], right[j] = data[j]*p, right[j]*p
	}
}

// pullOf is x·y^(β−2).
func (b *betaRule) pullOf(_ int, x, y float64) float64 { return x * b.power(y) }

// pushOf is y^(β−1).
func (b *betaRule) pushOf(_ int, _, y float64) float64 {
	y = b.model(y)
	return y * b.power(y)
}

func (b *betaRule) pushKnowsData() bool { return false }
func (b *betaRule) zeros() bool         { return b.beta > 0 }

// bend is y^(β−3)((β−1)y + (2−β)x) without its parts below zero, which β < 1 and β > 2 have.
func (b *betaRule) bend(_ int, x, y float64) float64 {
	y = b.model(y)
	t := b.power(y)
	return max(0, (b.beta-1)*t) + max(0, (2-b.beta)*x*t/y)
}

// pushZeros makes Y^(β−1) of Y.
func (b *betaRule) pushZeros(model []float64) {
	if b.roots {
		blas.Roots(model, b.least, model)
		return
	}
	for j, y := range model {
		model[j] = b.model(y)
	}
	b.lifted(model, model)
}

// of is d(x|y).
func (b *betaRule) of(_ int, x, y float64) float64 {
	if x == 0 {
		return b.ofZero(y)
	}
	y = b.model(y)
	switch beta := b.beta; beta {
	case 0:
		return x/y - math.Log(x/y) - 1
	case 1:
		return x*math.Log(x/y) - x + y
	default:
		p := b.power(y)
		return math.Pow(x, beta)/(beta*(beta-1)) + y*y*p/beta - x*y*p/(beta-1)
	}
}

// ofZero is d(0|y), of β > 0.
func (b *betaRule) ofZero(y float64) float64 {
	if y < b.least {
		return math.Pow(y, b.beta) / b.beta
	}
	return y * y * b.power(y) / b.beta
}

// ofZeros is the sum of d(0|y). It overwrites lifted.
func (b *betaRule) ofZeros(model, lifted []float64) (sum float64) {
	for len(model) > 0 {
		y := model[:min(len(model), len(lifted))]
		p := lifted[:len(y)]
		copy(p, y)
		b.pushZeros(p)
		for j, v := range y {
			if v < b.least {
				sum += b.ofZero(v)
			} else {
				sum += v * p[j] / b.beta
			}
		}
		model = model[len(y):]
	}
	return sum
}

// move is the step of entries z of a factor, of which num and den are the two parts of the
// slope of the divergence. Those that it leads below least become zero.
//
// The majorizer of the penalised divergence, in u = z'/z, has the slope
// −num·u^(β−2) + (den + l1)·u^(β−1) + l2·z·u for 1 ≤ β ≤ 2; for β < 1 it has u⁰ in place of
// u^(β−1), and for β > 2 −num + (den + l1 + l2·z)·u^(β−1). With l2 = 0, or β ≥ 2, it vanishes at
// u = (num/(den + l1 + l2·z))^γ.
func (b *betaRule) move(z, num, den []float64, p penalty, least float64) {
	newton := p.l2 > 0 && b.beta < 2 && !b.slopes
	for j, v := range z {
		if v == 0 {
			continue
		}
		a, q := den[j]+p.l1, p.l2*v
		if newton {
			v *= b.root(b.ratio(num[j], a, q))
		} else {
			v *= b.root(num[j] / max(a+q, vanished))
		}
		if !(v >= least) {
			v = 0
		}
		z[j] = v
	}
}

// ratio is the root t ≥ 0 of a·t + q·t^s = c, where s is 1 + γ for β < 1 and 3 − β for 1 ≤ β <
// 2; u is t^γ. The left side is convex, so that Newton's rule comes down to it from above.
func (b *betaRule) ratio(c, a, q float64) float64 {
	s := 3 - b.beta
	if b.beta < 1 {
		s = 1 + b.gamma
	}
	if c <= 0 {
		return 0
	}
	t := math.Pow(c/q, 1/s)
	if a > 0 {
		t = min(t, c/a)
	}
	for range betaRounds {
		power := q * math.Pow(t, s-1)
		next := t - (a*t+power*t-c)/(a+s*power)
		if !(next < t && next > 0) {
			break
		}
		t = next
	}
	return t
}
