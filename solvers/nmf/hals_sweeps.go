package nmf

import "github.com/orthant-go/orthant/blas"

// sweepRows minimizes over a block of rows of W, transposed so that its columns are
// contiguous, by HHᵀ with the penalty on its diagonal.
func (u *coordinateDescent) sweepRows(worker, lo, hi int, gram []float64) {
	r, rows := u.r, hi-lo
	s, p := &u.scratch[worker], &u.panels[worker]
	num := s.num[:rows*r]
	u.dataProducts(s, lo, hi, num)
	w := u.w[lo*r : hi*r]
	transpose(rows, r, num, p.num)
	transpose(rows, r, w, p.wt)
	v := u.sweep(rows, p.wt, rows, p.num, rows, gram, u.penaltyW.l1, u.sweepsW, p.t)
	if u.violations != nil {
		u.violations.w[lo/u.block] = v
	}
	transpose(r, rows, p.wt, w)
}

// transpose writes the transpose of a rows × cols matrix.
func transpose(rows, cols int, from, to []float64) {
	for i := range rows {
		for j, v := range from[i*cols : (i+1)*cols] {
			to[j*rows+i] = v
		}
	}
}

// sweep lowers ½ tr(ZᵀGZ) − tr(NᵀZ) + l1·ΣZ over the rows of the r × width matrix Z, one after
// the other, entries ≥ 1e-16 (0 with the order WFirst), until a sweep moves Z by little, at
// most so many times. It returns the violation of the first sweep where that is asked for (see [Violation]).
func (f *factorization) sweep(width int, z []float64, ldz int, num []float64, ldn int, gram []float64, l1 float64, most int, t []float64) (violation float64) {
	r := f.r
	t = t[:width]
	var first float64
	for sweep := range most {
		var moved float64
		for k := range r {
			copy(t, num[k*ldn:k*ldn+width])
			f.kernels.Gemv(true, r, width, -1, z, ldz, gram[k*r:(k+1)*r], 1, t)
			inverse := 1 / max(gram[k*r+k], f.floor)
			row := z[k*ldz : k*ldz+width]
			if sweep == 0 && f.violations != nil {
				violation += violationOf(t, row, l1, f.least)
			}
			if f.wFirst && gram[k*r+k] == 0 {
				continue // without curvature an entry stays
			}
			for j, v := range t {
				old := row[j]
				now := max(f.least, old+(v-l1)*inverse)
				moved += (now - old) * (now - old)
				row[j] = now
			}
		}
		if sweep == 0 {
			first = moved
		}
		if moved <= sweepSettle*sweepSettle*first {
			break
		}
	}
	return violation
}

// encodeSettle ends the sweeps over a new sample: one that moves it by less than this
// fraction of what the first did is the last.
const encodeSettle = 1e-12

// encodeByDescent minimizes over the coordinates one after the other, sample by sample,
// until a sweep moves the sample by little.
func encodeByDescent(e *Encoder, f *factorization, s *scratch, lo, hi int) {
	r := f.r
	num := s.num[:(hi-lo)*r]
	f.dataProducts(s, lo, hi, num)
	f.penaltyW.takeFrom(num)
	for i := lo; i < hi; i++ {
		w, x := f.w[i*r:(i+1)*r], num[(i-lo)*r:(i-lo+1)*r]
		var first float64
		for sweep := range e.options.Iterations {
			if f.stopped() {
				return
			}
			var moved float64
			for k, old := range w {
				g := e.ridged[k*r : (k+1)*r]
				now := max(denominator, old+(x[k]-blas.Dot(g, w))/max(g[k], denominator))
				moved += (now - old) * (now - old)
				w[k] = now
			}
			if sweep == 0 {
				first = moved
			}
			if moved <= encodeSettle*encodeSettle*first {
				break
			}
		}
	}
}
