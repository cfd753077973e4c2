package blas

// Gram–Schmidt against an orthonormal basis, vector after vector and twice: once leaves
// what cancellation has spoilt, twice leaves rounding only (Giraud, Langou and
// Rozložník 2005). The basis is a list of vectors, or the rows of a matrix. None of these
// allocates.

// Orthogonalize removes from v its components along the basis.
func Orthogonalize(basis [][]float64, v []float64) {
	for range 2 {
		OrthogonalizeOnce(basis, v)
	}
}

// OrthogonalizeOnce is one of the two passes of [Orthogonalize], for callers that do
// something between them.
func OrthogonalizeOnce(basis [][]float64, v []float64) {
	for _, q := range basis {
		Axpy(-Dot(q, v), q, v)
	}
}

// OrthogonalizeQR is [Orthogonalize] that adds the coefficient of basis vector i to
// r[i·stride]: a column of R in a QR factorization.
func OrthogonalizeQR(basis [][]float64, v, r []float64, stride int) {
	for range 2 {
		for i, q := range basis {
			c := Dot(q, v)
			Axpy(-c, q, v)
			r[i*stride] += c
		}
	}
}

// OrthogonalizeRows is [Orthogonalize] against rows of len(v) numbers each.
func OrthogonalizeRows(rows, v []float64) {
	n := len(v)
	for range 2 {
		for at := 0; at < len(rows); at += n {
			q := rows[at : at+n]
			Axpy(-Dot(q, v), q, v)
		}
	}
}

// OrthogonalizeRowsQR is [OrthogonalizeQR] against rows of len(v) numbers each.
func OrthogonalizeRowsQR(rows, v, r []float64, stride int) {
	n := len(v)
	for range 2 {
		for i := range len(rows) / n {
			q := rows[i*n : (i+1)*n]
			c := Dot(q, v)
			Axpy(-c, q, v)
			r[i*stride] += c
		}
	}
}
