package nmf

// sides are U = X ∘ P and V = WH ∘ P of a row of a block, next to each other: the
// block is both [U V] with rows of 2m, whose product with Wᵀ is all that the step
// of H needs, and a stack of rows of m for the product with Hᵀ.
func (f *factorization) sides(s *scratch, i int) (left, right []float64) {
	m := f.m
	return s.tile[2*i*m : (2*i+1)*m], s.tile[(2*i+1)*m : (2*i+2)*m]
}

// weightedProducts multiplies the sides of a block with Hᵀ.
func (f *factorization) weightedProducts(s *scratch, rows int, num, den []float64) {
	m, r := f.m, f.r
	f.kernels.Gemm(false, false, 2*rows, r, m, 1, s.tile, m, f.ht, r, 0, s.products, r)
	for i := range rows {
		copy(num[i*r:(i+1)*r], s.products[2*i*r:])
		copy(den[i*r:(i+1)*r], s.products[(2*i+1)*r:])
	}
}
