package solvers

// zero is a step at which a term vanishes; the slope of the cost grows there.
type zero struct {
	at, growth float64
	term       int
}

// lowest returns the zero at which a slope that is negative becomes none: a
// weighted median, found by partition.
func lowest(zeros []zero, slope float64) (zero, bool) {
	var at zero
	found := false
	for len(zeros) > 0 {
		pivot := medianOf(zeros[0], zeros[len(zeros)/2], zeros[len(zeros)-1])
		below := 0
		var growth float64
		for i, z := range zeros {
			if precedes(z, pivot) {
				growth += z.growth
				zeros[i], zeros[below] = zeros[below], z
				below++
			}
		}
		if slope+growth >= 0 {
			zeros = zeros[:below]
			// The pivot itself is not below; where the rest is used up it was met before.
			continue
		}
		slope += growth
		rest := zeros[below:]
		for i, z := range rest {
			if z.term == pivot.term {
				rest[0], rest[i] = rest[i], rest[0]
				break
			}
		}
		slope += pivot.growth
		at, found = pivot, true
		if slope >= 0 {
			return at, true
		}
		zeros = rest[1:]
	}
	return at, found
}

// precedes orders zeros, ties by the term.
func precedes(a, b zero) bool { return a.at < b.at || a.at == b.at && a.term < b.term }

func medianOf(a, b, c zero) zero {
	if precedes(b, a) {
		a, b = b, a
	}
	if precedes(c, b) {
		b = c
		if precedes(b, a) {
			b = a
		}
	}
	return b
}
