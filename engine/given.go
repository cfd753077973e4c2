package engine

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/sparse"
)

// given takes the data at the boundary: a sparse matrix of any type comes back as a
// [*sparse.CSR], any other as it is. It counts what is held, and refuses a copy that there
// is no room for.
func (b *begun) given(x mat.Matrix) (mat.Matrix, error) {
	held, copied, isSparse := sparse.OfBytes(x)
	if !isSparse {
		b.Run = b.Holding(heldDense(x))
		return x, nil
	}
	b.Run = b.Holding(held)
	if copied > 0 {
		if err := b.Fit(copied, "the sparse data in compressed rows need", "give a sparse.CSR with the columns of each row ascending and distinct, or raise the limit"); err != nil {
			return nil, err
		}
	}
	a, _, err := sparse.Of(x)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.Method(), err)
	}
	b.Run = b.Holding(copied)
	return a, nil
}

// heldDense is the memory of data that are not sparse: 8nm bytes, of which a copy is made
// where the rows have gaps or are in another form.
func heldDense(x mat.Matrix) int64 {
	n, m := x.Dims()
	if _, is := x.(*Single); is {
		return 4 * int64(n) * int64(m)
	}
	bytes := 8 * int64(n) * int64(m)
	if raw, is := x.(mat.RawMatrixer); !is || raw.RawMatrix().Stride != m {
		bytes *= 2
	}
	return bytes
}

// What helps where sparse data do not fit when they are made dense.
const (
	fewerEntries = "take fewer samples or columns, or raise the limit"
	staysSparse  = "take a method that keeps them sparse (kmeans, nmf, gnmf, cim-nmf, spectral …), or raise the limit"
)

// mostDense is the size of dense data, in bytes, that no address reaches.
const mostDense = 1 << 47

// data keeps sparse data sparse where the method can. Otherwise they are made dense, where
// there is room for it; mend says what helps where there is none.
func (b *begun) data(x mat.Matrix, staySparse bool, mend string) (samples.Samples, error) {
	if n, unknown := x.(unknownRows); unknown {
		return samples.Unknown(int(n)), nil
	}
	if s, is := x.(*Single); is {
		need := 8 * int64(s.Rows) * int64(s.Cols)
		if err := b.Fit(need, "this method needs the float32 data in float64, which takes", "take fewer samples, or raise the limit"); err != nil {
			return samples.Samples{}, err
		}
		b.Run = b.Holding(need)
	}
	a, isSparse := x.(*sparse.CSR)
	if !isSparse {
		return b.standardized(samples.Of(x), copiedFrom(x))
	}
	if b.options.Standardize != "none" && b.options.Standardize != "" {
		scaled, err := b.standardized(samples.OfCompressed(a), false)
		if err != nil {
			return scaled, err
		}
		a = scaled.Compressed()
	}
	if staySparse {
		b.Explain("data: sparse, %d entries in compressed rows, which stay so", a.NNZ())
	}
	if staySparse || a.Rows == 0 || a.Cols == 0 { // which is refused for its shape
		return samples.OfCompressed(a), nil
	}
	need := 8 * float64(a.Rows) * float64(a.Cols)
	if need >= mostDense {
		return samples.Samples{}, b.Refuse("this method needs the %d × %d sparse data dense, which no machine holds; take fewer samples or columns", a.Rows, a.Cols)
	}
	if err := b.Fit(int64(need), fmt.Sprintf("this method needs the %d × %d sparse data dense, which takes", a.Rows, a.Cols), mend); err != nil {
		return samples.Samples{}, err
	}
	b.Explain("data: sparse, made dense, as %s centres, scales or compares every entry", b.Method())
	b.Run = b.Holding(int64(need))
	return samples.Of(a.Dense()), nil
}

// dense takes data of any type dense, for what has no other form.
func (b *begun) dense(x mat.Matrix) (samples.Samples, error) {
	x, err := b.given(x)
	if err != nil {
		return samples.Samples{}, err
	}
	return b.data(x, false, fewerEntries)
}
