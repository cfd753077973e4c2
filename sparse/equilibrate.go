package sparse

import "math"

const (
	// equilibrations is the number of rounds of [equilibrate] at most: each about halves the digits by which rows
	// differ, of saddle points fewer. Cut short, scaling makes weak diagonal entries that there need not be.
	equilibrations = 30
	// alike is the ratio of the norms of rows up to which none is scaled; scaled is the ratio at which rounds end.
	alike, scaled = 16, 1.1
	// ordinary is the size, or its reciprocal, up to which entries are taken as they are: products of entries of L neither
	// overflow nor lose digits.
	ordinary = 0x1p300
)

// twoSided is v·r·s, also where the product of the scales r and s overflows.
func twoSided(v, r, s float64) float64 {
	if both := r * s; both >= 0x1p-1000 && both <= 0x1p1000 {
		return v * both
	}
	return v * r * s
}

// eachScaled visits the entries of S(A + shift·I)S, the diagonal among them whether it is stored or not.
// S nil is the identity.
func eachScaled(a *CSR, shift float64, scale []float64, visit func(i int, j int32, v float64)) {
	for i := range a.Rows {
		cols, vals := a.Row(i)
		own, stored := 1.0, false
		if scale != nil {
			own = scale[i]
		}
		for p, j := range cols {
			v := vals[p]
			if int(j) == i {
				v, stored = v+shift, true
			}
			if scale != nil && v != 0 {
				v = twoSided(v, own, scale[j])
			}
			visit(i, j, v)
		}
		if !stored {
			visit(i, int32(i), twoSided(shift, own, own))
		}
	}
}

// rowSizes visits the rows of A + shift·I with the largest size of an entry and the sum of all.
func rowSizes(a *CSR, shift float64, visit func(i int, largest, sum float64)) {
	for i := range a.Rows {
		cols, vals := a.Row(i)
		vals = vals[:len(cols)]
		largest, sum, stored := 0.0, 0.0, false
		for p, j := range cols {
			v := vals[p]
			if int(j) == i {
				v, stored = v+shift, true
			}
			v = math.Abs(v)
			if sum += v; v > largest {
				largest = v
			}
		}
		if !stored {
			largest, sum = max(largest, math.Abs(shift)), sum+math.Abs(shift)
		}
		visit(i, largest, sum)
	}
}

// Equilibration returns powers of two by which the rows and columns of a symmetric matrix are multiplied so that
// its rows have sums of sizes near 1, which rounds nothing. Where rows differ little, or are zero, it is 1.
func (a *CSR) Equilibration() []float64 {
	scale := make([]float64, a.Rows)
	equilibrate(a, 0, scale, make([]float64, a.Rows))
	return scale
}

// Scaled returns a copy of S·A·S for the diagonal matrix S, which is the identity where it is nil, times a number.
func (a *CSR) Scaled(scale []float64, by float64) *CSR {
	out := *a
	out.Val = make([]float64, len(a.Val))
	for i := range a.Rows {
		for p := a.Ptr[i]; p < a.Ptr[i+1]; p++ {
			v := a.Val[p] * by
			if scale != nil {
				v = v * scale[i] * scale[a.Col[p]]
			}
			out.Val[p] = v
		}
	}
	return &out
}

// equilibrate finds powers of two by which rows and columns are multiplied so that the rows have sums of sizes
// near 1: symmetric scaling, a round in the largest norm and then in sums, whose limit is unique, unlike the limit for
// largest entries (Ruiz 2001; Knight, Ruiz and Uçar 2014). Powers of two round nothing.
// Where rows differ little all scales are 1, and nil is returned, else scale; entries that are far from 1 have one scale then.
// room has a number a row.
func equilibrate(a *CSR, shift float64, scale, room []float64) []float64 {
	for i := range scale {
		scale[i] = 1
	}
	for round := range equilibrations {
		clear(room)
		low, high := math.Inf(1), 0.0
		if round == 0 {
			rowSizes(a, shift, func(i int, largest, _ float64) { room[i] = largest })
		} else {
			eachScaled(a, shift, scale, func(i int, _ int32, v float64) { room[i] += math.Abs(v) })
		}
		for _, v := range room {
			if v > 0 {
				low, high = min(low, v), max(high, v)
			}
		}
		if round == 0 && high <= alike*low {
			if high == 0 || low >= 1/ordinary && high <= ordinary {
				return nil
			}
			_, exponent := math.Frexp(high)
			for i := range scale {
				scale[i] = math.Ldexp(1, -exponent/2)
			}
			return scale
		}
		if high <= scaled*low {
			break
		}
		for i, v := range room {
			if v > 0 {
				scale[i] /= math.Sqrt(v)
			}
		}
	}
	for i, v := range scale {
		_, exponent := math.Frexp(v * math.Sqrt2)
		scale[i] = math.Ldexp(1, exponent-1)
	}
	return scale
}
