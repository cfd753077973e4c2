package nmf

import (
	"math"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// nearlyFitted are sparse samples that given factors fit up to a share of their length that
// falls from 1 to 0, sample by sample, with one of zeros.
func nearlyFitted(t *testing.T, n, m, r int) (d Data, w, h []float64) {
	random := blas.NewStream(7)
	w, h = make([]float64, n*r), make([]float64, r*m)
	random.Uniforms(w)
	random.Uniforms(h)
	for i := range h {
		if random.Below(3) > 0 {
			h[i] = 0
		}
	}
	x := plainProduct(n, m, r, w, h)
	for i := range n {
		row := x[i*m : (i+1)*m]
		share := math.Pow(10, -17*float64(i)/float64(n-2))
		for j, v := range row {
			if i == n-1 {
				row[j] = 0
			} else if v > 0 {
				row[j] = v * (1 + share*(random.Uniform()-0.5))
			}
		}
	}
	return Dense(n, m, x), w, h
}

// Residuals of compressed rows agree with the residuals of dense rows, to nearly all digits,
// however small they are; below the accuracy of the samples' own digits they are rounding.
func TestCompressedResiduals(t *testing.T) {
	const n, m, r = 203, 60, 3
	d, w, h := nearlyFitted(t, n, m, r)
	residuals := func(d Data) []float64 {
		f := newFactorization(d, Options{Rank: r, Loss: L21, Kernels: blas.MustSelect("")}, dataSums{})
		copy(f.w, w)
		copy(f.h, h)
		f.updateGram()
		var all []float64
		for lo := 0; lo < n; lo += f.block {
			s, hi := &f.scratch[0], min(lo+f.block, n)
			if d.Sparse != nil {
				f.dataProducts(s, lo, hi, s.products)
			}
			f.residuals(s, lo, hi)
			all = append(all, s.weights[:hi-lo]...)
		}
		return all
	}
	want, got := residuals(d), residuals(Sparse(compressed(t, n, m, d.Dense)))
	gram, formed := 0, 0
	for i, e := range want {
		x := math.Sqrt(blas.Dot(d.Dense[i*m:(i+1)*m], d.Dense[i*m:(i+1)*m]))
		if e*e > 2*cancelled*x*x {
			gram++
		} else if e > 0 {
			formed++
		}
		if !(math.Abs(got[i]-e) <= 1e-11*e+1e-15*x) {
			t.Errorf("sample %d: the residual is %v, %v of dense samples of length %v", i, got[i], e, x)
		}
	}
	if gram < 15 || formed < 100 {
		t.Errorf("%d samples by Gram forms and %d formed: the test shows little", gram, formed)
	}
	if got[n-1] != want[n-1] {
		t.Errorf("a sample of zeros has the residual %v, dense %v", got[n-1], want[n-1])
	}
}
