package align

// Gram is the smaller of the two products of the centred data with itself:
// XcᵀXc (m × m) or XcXcᵀ (n × n). Both have the same nonzero eigenvalues. Of compressed
// samples neither is made: the centred data are known by their products, XcV = XV − 1(μᵀV).
type Gram struct {
	Mean     []float64 // m
	Centered []float64 // n × m; nil: the samples are compressed
	Product  []float64 // order × order, both triangles; nil likewise
	Order    int
	Columns  bool // Product is XcᵀXc
}

// CenteredGram aligns nothing: every sample is local to every other.
func CenteredGram(in Input) (*Gram, error) {
	defer in.Phase("alignment")()
	n, m := in.X.N(), in.X.M()
	if in.X.Compressed() != nil {
		if err := roomForDense(in, 8*int64(m)); err != nil {
			return nil, err
		}
		in.Explain("alignment: products with the centred samples, %d × %d, which stay sparse", n, m)
		return &Gram{Mean: in.X.Mean(), Order: min(n, m), Columns: m <= n}, in.Err()
	}
	// The centred samples, the product, a copy of it and what the eigensolver takes.
	if err := roomForDense(in, numbersOf(n, m)+eigenBytes(min(n, m))+numbersOf(min(n, m), min(n, m))); err != nil {
		return nil, err
	}
	g := &Gram{Mean: in.X.Mean(), Order: min(n, m), Columns: m <= n}
	g.Centered = in.X.Centered(g.Mean).Data()
	if err := in.Err(); err != nil {
		return nil, err
	}
	g.Product = GramOf(in.Run, g.Centered, n, m, g.Columns)
	in.Explain("alignment: Gram matrix of order %d", g.Order)
	return g, in.Err()
}

// FeatureGram is C = XcᵀXc, m × m, whichever of the two Gram matrices is smaller:
// methods that look at the signs of its entries need them.
func FeatureGram(in Input) (*Projection, error) {
	defer in.Phase("alignment")()
	n, m := in.X.N(), in.X.M()
	if err := roomForDense(in, numbersOf(n, m)+numbersOf(m, m)); err != nil {
		return nil, err
	}
	mean := in.X.Mean()
	q := GramOf(in.Run, in.X.Centered(mean).Data(), n, m, true)
	in.Explain("alignment: Gram matrix of the columns, order %d", m)
	return &Projection{Order: m, Q: q, Mean: mean}, in.Err()
}
