package sparse

// forwardTop1 solves with the triangle on top of a panel, as wide as top is long.
func forwardTop1(top, values []float64) {
	width := len(top)
	for j := range top {
		row := values[j*width : j*width+j+1]
		s := top[j]
		for k, v := range row[:j] {
			s -= v * top[k]
		}
		top[j] = s * row[j]
	}
}

// backwardTop1 solves with the transposed triangle.
func backwardTop1(top, values []float64) {
	width := len(top)
	for j := width - 1; j >= 0; j-- {
		row := values[j*width : j*width+j+1]
		x := top[j] * row[j]
		top[j] = x
		for k, v := range row[:j] {
			top[k] -= v * x
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
