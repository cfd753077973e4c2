package nmf

import (
	"context"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// Starts of [Options].
const (
	RandomStart  = "random"   // 2·√(mean(X)/r)·uniform(0.001, 1) in both factors, W first
	NNDSVD       = "nndsvd"   // Boutsidis and Gallopoulos 2008; has zeros, hence for HALS
	NNDSVDMean   = "nndsvda"  // its zeros filled with mean(X)
	NNDSVDRandom = "nndsvdar" // its zeros filled with uniform(0, mean(X)/100), W first
	Given        = "given"    // W and H of the options, or one of them
)

// start fills both factors.
func (f *factorization) start(ctx context.Context, o Options, res *Result) error {
	mean := f.totals.mean(f.data)
	if mean == 0 {
		res.Warnings = append(res.Warnings, "the data are zero throughout")
	}
	random := blas.NewStream(o.Seed)
	switch o.Init {
	case Given:
		return f.givenStart(o, mean, random, res)
	case RandomStart:
		if f.r > min(f.n, f.m) {
			res.Warnings = append(res.Warnings, fmt.Sprintf("rank %d exceeds the smaller side of the %d × %d data", f.r, f.n, f.m))
		}
		if f.codesFirst {
			random.Uniforms(f.w)
			random.Uniforms(f.h)
			f.unitStart()
			return nil
		}
		scale := 2 * math.Sqrt(mean/float64(f.r))
		for _, x := range [][]float64{f.w, f.h} {
			for i := range x {
				x[i] = scale * (0.001 + 0.999*random.Uniform())
			}
		}
		return nil
	}
	if _, err := f.nndsvd(ctx); err != nil {
		return err
	}
	for _, x := range [][]float64{f.w, f.h} {
		for i, v := range x {
			switch {
			case v != 0:
			case o.Init == NNDSVDMean:
				x[i] = mean
			case o.Init == NNDSVDRandom:
				x[i] = mean / 100 * random.Uniform()
			}
		}
	}
	f.unitStart()
	return nil
}

// unitStart scales the components of the start to unit length where the order asks
// for it, and the coordinates against them.
func (f *factorization) unitStart() {
	if !f.codesFirst {
		return
	}
	for k, s := range f.norms() {
		blas.Scale(1/s, f.h[k*f.m:(k+1)*f.m])
		for i := k; i < len(f.w); i += f.r {
			f.w[i] *= s
		}
	}
}

func givenFactor(name string, x []float64, rows, cols int) error {
	if len(x) != rows*cols {
		return fmt.Errorf("nmf: init %s wants %d × %d %s, not %d numbers", Given, rows, cols, name, len(x))
	}
	for i, v := range x {
		if !(v >= 0) || v-v != 0 {
			return fmt.Errorf("nmf: row %d, column %d (counting from 1) of the given %s is %v; give finite numbers ≥ 0", i/cols+1, i%cols+1, name, v)
		}
	}
	return nil
}

// nndsvd fills both factors from the leading singular triplets: of each but the
// first, whichever of the positive and the negative parts has the larger product
// of lengths. It returns the singular values.
func (f *factorization) nndsvd(ctx context.Context) ([]float64, error) {
	if f.r > min(f.n, f.m) {
		return nil, fmt.Errorf("nmf: an SVD start of rank %d for %d × %d data; give at most %d, or init %s", f.r, f.n, f.m, min(f.n, f.m), RandomStart)
	}
	s, u, v, err := f.leadingTriplets(ctx)
	if err != nil {
		return nil, err
	}
	for k, value := range s {
		left, right := u[k], v[k]
		if k == 0 {
			for i, x := range left {
				f.w[i*f.r] = math.Sqrt(value) * math.Abs(x)
			}
			for j, x := range right {
				f.h[j] = math.Sqrt(value) * math.Abs(x)
			}
			continue
		}
		sign := 1.0
		ul, vl := partLength(left, 1), partLength(right, 1)
		if un, vn := partLength(left, -1), partLength(right, -1); un*vn > ul*vl {
			sign, ul, vl = -1, un, vn
		}
		if ul*vl == 0 { // a singular value of zero: no direction to take
			continue
		}
		scale := math.Sqrt(value * ul * vl)
		for i, x := range left {
			f.w[i*f.r+k] = scale * max(0, sign*x) / ul
		}
		for j, x := range right {
			f.h[k*f.m+j] = scale * max(0, sign*x) / vl
		}
	}
	return s, nil
}

// partLength is the length of the positive or negative part of x.
func partLength(x []float64, sign float64) float64 {
	var sum float64
	for _, v := range x {
		p := max(0, sign*v)
		sum += p * p
	}
	return math.Sqrt(sum)
}
