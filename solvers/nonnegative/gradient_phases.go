package nonnegative

import (
	"math"

	"github.com/orthant-go/orthant/blas"
)

// bind makes the functions of the phases once, so that no step allocates. Those
// that over runs leave sums of their block: two Grams, the squares of columns, and four
// numbers.
func (g *gradient) bind() {
	w, p, block := g.w, g.p, g.c.block()
	rows := func(b int) (lo, hi int) { return b * block, min((b+1)*block, g.n) }
	sums := func(b int) []float64 { return g.partial[b*len(g.sums) : (b+1)*len(g.sums)] }
	g.multiplyBlock = func(worker, b int) {
		lo, hi := rows(b)
		g.multiply(worker, lo, hi)
	}
	g.gramBlock = func(_, b int) {
		lo, hi := rows(b)
		to := sums(b)
		clear(to)
		blas.PanelGrams(w, lo, hi, g.u, g.au, nil, to[:2*w*w])
		for i := lo; i < hi; i++ {
			for q, v := range g.au[i*w : i*w+p] {
				to[2*w*w+q] += v * v
			}
		}
	}
	g.lookBlock = func(_, b int) {
		lo, hi := rows(b)
		g.lookAt(lo, hi, sums(b))
	}
	g.stepBlock = func(_, b int) {
		lo, hi := rows(b)
		for i := lo; i < hi; i++ {
			length := g.step / g.metric[i]
			for q := i * w; q < i*w+p; q++ {
				g.d[q] = max(g.u[q]-length*g.half[q], 0) - g.u[q]
			}
		}
	}
	g.lineBlock = func(worker, b int) {
		lo, hi := rows(b)
		g.multiply(worker, lo, hi)
		to := sums(b)
		clear(to)
		blas.PanelGrams(w, lo, hi, g.d, g.u, nil, to[:2*w*w])
		slope, curve := 0.0, 0.0
		for i := lo; i < hi; i++ {
			for q, s := range g.scale {
				at := i*w + q
				slope += s * g.d[at] * g.au[at]
				curve += s * g.d[at] * g.ad[at]
			}
		}
		to[2*w*w+w], to[2*w*w+w+1] = slope, curve
	}
	g.moveBlock = func(worker, b int) {
		lo, hi := rows(b)
		t := g.moved
		for at := lo * w; at < hi*w; at++ {
			g.u[at] = max(g.u[at]+t*g.d[at], 0)
			g.au[at] += t * g.ad[at]
		}
		g.gramBlock(worker, b)
	}
}

// multiply computes rows of A times the panel productOf.
func (g *gradient) multiply(worker, lo, hi int) {
	g.c.rows(worker, lo, hi, g.productOf, g.product, g.minus)
	to := g.product[lo*g.w : hi*g.w]
	if g.minus == nil {
		blas.Scale(g.factor, to)
		return
	}
	for i, v := range g.minus[lo*g.w : hi*g.w] {
		to[i] = g.factor * (to[i] - v)
	}
}

// over runs a phase and adds its sums up in the order of the blocks, whoever computed them.
func (g *gradient) over(phase func(worker, block int)) {
	g.pool.run(g.blocks, phase)
	clear(g.sums)
	for b := range g.blocks {
		for i, v := range g.partial[b*len(g.sums) : (b+1)*len(g.sums)] {
			g.sums[i] += v
		}
	}
}

// look computes half of the gradient, the residual, and the next step.
func (g *gradient) look() {
	for q := range g.p {
		for r, v := range g.inner[q*g.w : q*g.w+g.p] {
			g.pull[q*g.p+r] = 2 * g.omega[q*g.p+r] * v
		}
	}
	g.over(g.lookBlock)
	s := g.sums[2*g.w*g.w+g.w:]
	g.residual = math.Sqrt(s[0]) / g.ownTerm()
	if g.moved == 0 {
		return
	}
	// The two steps of Barzilai and Borwein in turn, in the metric.
	curvature, length, change := s[1], s[2], s[3]
	switch g.taken++; {
	case !(curvature > 0):
		g.step *= 2
	case g.taken%2 == 0:
		g.step = length / curvature
	default:
		g.step = curvature / change
	}
}

// ownTerm is ‖AUS‖_F, or where that is less a thousandth of ‖A‖‖US‖_F.
func (g *gradient) ownTerm() float64 {
	var product, size float64
	for q, s := range g.scale {
		product += s * s * g.columns[q]
		size += s * s * g.inner[q*g.w+q]
	}
	return ownTerm(product, size, math.Abs(g.factor)*g.Norm)
}

func (g *gradient) lookAt(lo, hi int, to []float64) {
	clear(to)
	w := g.w
	var norm float64
	for q := range g.p {
		norm += g.inner[q*w+q]
	}
	var weight float64
	if norm > 0 { // a panel that has vanished is multiplied by it
		weight = g.ownTerm() / math.Sqrt(norm)
	}
	var residual, curvature, length, change float64
	for i := lo; i < hi; i++ {
		u := g.u[i*w : i*w+g.p]
		for q, s := range g.scale {
			at := i*w + q
			h := s*g.au[at] - g.alpha*u[q] + blas.Dot(g.pull[q*g.p:(q+1)*g.p], u)
			d, y := g.moved*g.d[at], h-g.half[at]
			curvature += d * y
			length += d * d * g.metric[i]
			change += y * y / g.metric[i]
			g.half[at] = h
			e := min(weight*u[q], h)
			residual += e * e
		}
	}
	copy(to[2*w*w+w:], []float64{residual, curvature, length, change})
}

// line returns where F is least along the step from 0 to 1, 0 where it does not fall. It
// is slope and curve of the term with A, and the quartic Σ ω(G + tB + t²C)² − αt(trB + t·trC).
func (g *gradient) line() float64 {
	w := g.w
	squares, crossed, s := g.sums[:w*w], g.sums[w*w:2*w*w], g.sums[2*w*w+w:]
	c := [4]float64{2 * s[0], s[1], 0, 0}
	for q := range g.p {
		c[0] -= 2 * g.alpha * crossed[q*w+q]
		c[1] -= g.alpha * squares[q*w+q]
		for r := range g.p {
			weight := g.omega[q*g.p+r]
			gram, b, d := g.inner[q*w+r], crossed[q*w+r]+crossed[r*w+q], squares[q*w+r]
			c[0] += 2 * weight * gram * b
			c[1] += weight * (b*b + 2*gram*d)
			c[2] += 2 * weight * b * d
			c[3] += weight * d * d
		}
	}
	return minOfQuartic(c)
}

// minOfQuartic returns where c₀t + c₁t² + c₂t³ + c₃t⁴ is least for 0 ≤ t ≤ 1.
func minOfQuartic(c [4]float64) float64 {
	value := func(t float64) float64 { return t * (c[0] + t*(c[1]+t*(c[2]+t*c[3]))) }
	slope := func(t float64) float64 { return c[0] + t*(2*c[1]+t*(3*c[2]+t*4*c[3])) }
	// Between the zeros of the second derivative the slope is monotone.
	ends := []float64{0}
	for _, t := range zerosOfQuadratic(12*c[3], 6*c[2], 2*c[1]) {
		if t > ends[len(ends)-1] && t < 1 {
			ends = append(ends, t)
		}
	}
	ends = append(ends, 1)
	best, least := 0.0, 0.0
	try := func(t float64) {
		if v := value(t); v < least {
			best, least = t, v
		}
	}
	try(1)
	for i := range ends[1:] {
		lo, hi := ends[i], ends[i+1]
		if slope(lo) >= 0 || slope(hi) <= 0 {
			continue
		}
		for range 60 {
			if t := (lo + hi) / 2; slope(t) < 0 {
				lo = t
			} else {
				hi = t
			}
		}
		try(hi)
	}
	return best
}

// zerosOfQuadratic returns the real zeros of at² + bt + c, ascending.
func zerosOfQuadratic(a, b, c float64) []float64 {
	root := b*b - 4*a*c
	if !(root >= 0) {
		return nil
	}
	q := -(b + math.Copysign(math.Sqrt(root), b)) / 2
	var zeros []float64
	if a != 0 {
		zeros = append(zeros, q/a)
	}
	if q != 0 {
		zeros = append(zeros, c/q)
	}
	if len(zeros) == 2 && zeros[0] > zeros[1] {
		zeros[0], zeros[1] = zeros[1], zeros[0]
	}
	return zeros
}
