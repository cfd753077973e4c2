package blas

// rankTwoTerms is the length from which a row pays for the call of the kernel.
const rankTwoTerms = 8

// rankTwo subtracts a·x + b·y from row. The bits are the same with and without the kernel
// unless the compiler fuses products and sums (GOAMD64=v3).
func rankTwo(row []float64, a float64, x []float64, b float64, y []float64) {
	x, y = x[:len(row)], y[:len(row)]
	i := 0
	if q := len(row) &^ 3; isa >= isaAVX2 && q >= rankTwoTerms {
		for ; i < q; i += spanTerms {
			rankTwoAVX2(min(q-i, spanTerms), a, &x[i], b, &y[i], &row[i])
		}
		i = q
	}
	for ; i < len(row); i++ {
		row[i] -= a*x[i] + b*y[i]
	}
}
