package sparse

import "math"

// equilibrations is the number of rounds of [equilibrate]; entries are then within a small power of
// two of what more would bring.
const equilibrations = 6

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
				v *= own * scale[j]
			}
			visit(i, j, v)
		}
		if !stored {
			visit(i, int32(i), shift*own*own)
		}
	}
}

// equilibrate finds powers of two by which rows and columns are multiplied so that the largest entry
// of every row is near 1: symmetric scaling in the largest norm (Ruiz 2001). Powers of two round
// nothing.
func equilibrate(a *CSR, shift float64, scale []float64) {
	for i := range scale {
		scale[i] = 1
	}
	for range equilibrations {
		moved := false
		for i := range a.Rows {
			cols, vals := a.Row(i)
			most, own := 0.0, math.Abs(shift)
			for p, j := range cols {
				if int(j) == i {
					own = math.Abs(vals[p] + shift)
					continue
				}
				most = max(most, math.Abs(vals[p])*scale[j])
			}
			most = max(most, own*scale[i])
			_, exponent := math.Frexp(most * scale[i])
			if most == 0 || exponent >= 0 && exponent <= 1 {
				continue
			}
			scale[i] = math.Ldexp(scale[i], -exponent/2)
			moved = moved || exponent/2 != 0
		}
		if !moved {
			break
		}
	}
}
