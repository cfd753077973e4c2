package solvers

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// divergedAt is the size of an entry from which an iteration counts as diverged.
const divergedAt = 1e100

// bind makes the functions of the phases once, so that no step allocates.
func (it *iteration) bind() {
	w, block := it.w, it.c.block()
	rows := func(b int) (lo, hi int) { return b * block, min((b+1)*block, it.n) }
	it.evaluateBlock = func(worker, b int) {
		lo, hi := rows(b)
		it.c.rows(worker, lo, hi, it.u, it.a, it.b)
		blas.PanelGrams(w, lo, hi, it.u, it.a, it.b, it.partial[b*3*w*w:(b+1)*3*w*w])
	}
	it.updatePaper = func(_, b int) {
		lo, hi := rows(b)
		it.moved[b] = [4]float64{}
		blas.PanelRatio(w, it.p, lo, hi, it.u, it.a, it.b, it.gram(1), it.gram(2), it.floor, &it.moved[b])
	}
	it.updatePenalty = func(_, b int) {
		lo, hi := rows(b)
		it.moved[b] = [4]float64{}
		blas.PanelQuartic(w, it.p, lo, hi, it.u, it.a, it.b, it.quartic, it.scale, it.floor, it.linear, &it.moved[b])
	}
	it.normalizeBlock = func(_, b int) {
		lo, hi := rows(b)
		for _, panel := range [][]float64{it.u, it.a, it.b} {
			if panel == nil {
				continue
			}
			for i := lo; i < hi; i++ {
				for q := range it.p {
					panel[i*w+q] *= it.unit(q)
				}
			}
		}
	}
}

// gram returns UᵀU, UᵀC⁺U or UᵀC⁻U.
func (it *iteration) gram(which int) []float64 {
	size := it.w * it.w
	return it.grams[which*size : (which+1)*size]
}

// trace is tr(UᵀCU), norm is tr(UᵀU).
func (it *iteration) trace() float64 {
	var t float64
	for q := range it.p {
		t += it.gram(1)[q*it.w+q] - it.gram(2)[q*it.w+q]
	}
	return t
}

func (it *iteration) norm() float64 {
	var t float64
	for q := range it.p {
		t += it.gram(0)[q*it.w+q]
	}
	return t
}

// orthogonality is ‖UᵀU − I‖_F.
func (it *iteration) orthogonality() float64 {
	var t float64
	for q := range it.p {
		for r, v := range it.gram(0)[q*it.w : q*it.w+it.p] {
			if r == q {
				v--
			}
			t += v * v
		}
	}
	return math.Sqrt(t)
}

// unit is the factor that scales column q to unit length.
func (it *iteration) unit(q int) float64 { return 1 / math.Sqrt(it.gram(0)[q*it.w+q]) }

// evaluate computes the products and Grams of the panel as it stands and records
// what they tell.
func (it *iteration) evaluate(r *Nonnegative, first bool) error {
	it.c.begin(it.w, it.pool.size(), it.u)
	it.pool.run(it.blocks, it.evaluateBlock)
	// Sums of partial Grams in the order of the blocks, whoever computed them.
	clear(it.grams)
	used := it.grams
	if it.b == nil {
		used = used[:2*it.w*it.w]
	}
	for b := range it.blocks {
		for i, v := range it.partial[b*len(it.grams) : b*len(it.grams)+len(used)] {
			used[i] += v
		}
	}
	norm, trace := it.norm(), it.trace()
	if !(norm < divergedAt*divergedAt) || trace-trace != 0 {
		return fmt.Errorf("solvers: the update diverged after %d iterations (entries beyond %g); take update=%s, or %s with a shift that makes the problem a maximisation",
			len(r.Objective)-1, float64(divergedAt), UpdatePenalty, UpdatePaper)
	}
	if it.Normalize {
		it.pool.run(it.blocks, it.normalizeBlock)
		it.normalizeGrams()
	}
	if it.after != nil {
		it.after(first)
	}
	r.Objective = append(r.Objective, it.objective())
	r.Orthogonality = append(r.Orthogonality, it.orthogonality())
	return nil
}

func (it *iteration) normalizeGrams() {
	scale := it.spare[:0]
	for q := range it.p {
		scale = append(scale, it.unit(q))
	}
	for which := range 3 {
		g := it.gram(which)
		for q, s := range scale {
			for r, t := range scale {
				g[q*it.w+r] *= s * t
			}
		}
	}
}

// step replaces the panel and returns ‖U′ − U‖_F/‖U‖_F.
func (it *iteration) step(s stage) float64 {
	norm := it.norm()
	s.prepare()
	it.pool.run(it.blocks, s.update)
	it.u, it.a = it.a, it.u
	var moved float64
	for _, m := range it.moved {
		moved += (m[0] + m[1]) + (m[2] + m[3])
	}
	return math.Sqrt(moved / norm)
}

func (it *iteration) preparePaper() {}

// preparePenalty sets the quartic majoriser of −tr(UᵀCU) + (α/2)‖UᵀU − I‖² up.
func (it *iteration) preparePenalty(alpha float64) {
	for i, v := range it.gram(0) {
		it.quartic[i] = alpha * v
	}
	it.linear = alpha
}
