package sparse

// SolveWork is the scratch space of [Factor.Solve]. It grows to what a call
// needs and is then reused. The zero value is ready; it belongs to one
// goroutine at a time.
type SolveWork struct{ x []float64 }

// Solve replaces x by (A + shift·I)⁻¹·x for nrhs right-hand sides, n × nrhs
// row-major. Each pass over the factor serves up to eight of them, and costs
// little more for four than for one; the result for one does not depend on the
// others. work may be nil. It panics where x is shorter than n·nrhs.
func (f *Factor) Solve(x []float64, nrhs int, work *SolveWork) {
	if len(x) < f.symbolic.n*nrhs {
		panic("sparse: Solve: x is shorter than n · nrhs")
	}
	if work == nil {
		work = new(SolveWork)
	}
	for lo := 0; lo < nrhs; {
		// Two or three go as four, five to seven as eight, with columns of zeros.
		n, lanes := min(8, nrhs-lo), 8
		switch {
		case n == 1:
			lanes = 1
		case n <= 4:
			lanes = 4
		}
		if need := f.symbolic.n * lanes; cap(work.x) < need {
			work.x = make([]float64, need)
		}
		b := work.x[:f.symbolic.n*lanes]
		f.gather(b, x, lo, n, nrhs, lanes)
		switch lanes {
		case 1:
			f.solve1(b)
		case 4:
			f.solve4(b)
		default:
			f.solve8(b)
		}
		for k, i := range f.symbolic.perm {
			copy(x[int(i)*nrhs+lo:int(i)*nrhs+lo+n], b[k*lanes:])
		}
		lo += n
	}
}

// gather copies n columns of x from lo on, in the order of elimination, into
// rows of the given number of lanes.
func (f *Factor) gather(b, x []float64, lo, n, nrhs, lanes int) {
	for k, i := range f.symbolic.perm {
		row := b[k*lanes : k*lanes+lanes]
		copy(row, x[int(i)*nrhs+lo:int(i)*nrhs+lo+n])
		clear(row[n:])
	}
}

// solve1 solves L·Lᵀ·x = b in place.
func (f *Factor) solve1(b []float64) {
	s := f.symbolic
	count := int32(len(s.rowLo))
	for p := range count {
		rows, width := s.panel(p)
		values := f.panelValues(p)
		top := b[rows[0]:][:width]
		for j := range top {
			row := values[j*width : j*width+j+1]
			s := top[j]
			for k, v := range row[:j] {
				s -= v * top[k]
			}
			top[j] = s * row[j]
		}
		forward1(b, top, values[width*width:], rows[width:])
	}
	for p := count - 1; p >= 0; p-- {
		rows, width := s.panel(p)
		values := f.panelValues(p)
		top := b[rows[0]:][:width]
		backward1(b, top, values[width*width:], rows[width:])
		for j := width - 1; j >= 0; j-- {
			row := values[j*width : j*width+j+1]
			x := top[j] * row[j]
			top[j] = x
			for k, v := range row[:j] {
				top[k] -= v * x
			}
		}
	}
}

// forward1 subtracts L·top from the given rows of b.
func forward1(b, top, values []float64, rows []int32) {
	width := len(top)
	i := 0
	for ; i+4 <= len(rows); i += 4 {
		l := values[i*width : (i+4)*width]
		l0, l1, l2, l3 := l[:width], l[width:][:width], l[2*width:][:width], l[3*width:][:width]
		var s0, s1, s2, s3 float64
		for k, t := range top {
			s0 += l0[k] * t
			s1 += l1[k] * t
			s2 += l2[k] * t
			s3 += l3[k] * t
		}
		r := rows[i : i+4]
		b[r[0]] -= s0
		b[r[1]] -= s1
		b[r[2]] -= s2
		b[r[3]] -= s3
	}
	for ; i < len(rows); i++ {
		var s float64
		for k, v := range values[i*width : i*width+width] {
			s += v * top[k]
		}
		b[rows[i]] -= s
	}
}

// backward1 subtracts from top the product of Lᵀ with the given rows of b.
func backward1(b, top, values []float64, rows []int32) {
	width := len(top)
	i := 0
	for ; i+4 <= len(rows); i += 4 {
		l := values[i*width : (i+4)*width]
		l0, l1, l2, l3 := l[:width], l[width:][:width], l[2*width:][:width], l[3*width:][:width]
		r := rows[i : i+4]
		x0, x1, x2, x3 := b[r[0]], b[r[1]], b[r[2]], b[r[3]]
		for k := range top {
			top[k] -= (l0[k]*x0 + l1[k]*x1) + (l2[k]*x2 + l3[k]*x3)
		}
	}
	for ; i < len(rows); i++ {
		x := b[rows[i]]
		for k, v := range values[i*width : i*width+width] {
			top[k] -= v * x
		}
	}
}
