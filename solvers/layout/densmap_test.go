package layout

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// radiiOf are local radii in an original space in which rings have different widths.
func radiiOf(w *sparse.CSR) []float64 {
	squared := make([]float64, w.NNZ())
	for i := range w.Rows {
		for q := w.Ptr[i]; q < w.Ptr[i+1]; q++ {
			squared[q] = float64(1+i*4/w.Rows) * (1 + math.Abs(float64(i-int(w.Col[q]))))
		}
	}
	radii, err := LocalRadii(w, squared)
	if err != nil {
		panic(err)
	}
	return radii
}

func TestLocalRadii(t *testing.T) {
	w := &sparse.CSR{Rows: 4, Cols: 4, Ptr: []int{0, 2, 4, 6, 6}, Col: []int32{1, 2, 0, 2, 0, 1}, Val: []float64{1, .5, 1, .25, .5, .25}}
	got := must.Get(LocalRadii(w, []float64{1, 4, 1, 9, 4, 9}))(t)
	want := []float64{math.Log(3 / 1.5), math.Log(3.25 / 1.25), math.Log(4.25 / .75)}
	want = append(want, (want[0]+want[1]+want[2])/3)
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-7 {
			t.Errorf("vertex %d: %g, want %g", i, got[i], want[i])
		}
	}
	if _, err := LocalRadii(w, nil); err == nil {
		t.Error("no error for edges without distances")
	}
}

// The map's local radii come to be correlated with those of the original space.
func TestDensityCorrelates(t *testing.T) {
	w := rings(8, 60)
	radii := radiiOf(w)
	curve := must.Get(NewCurve(0.1, 1))(t)
	for _, dim := range []int{2, 3} {
		var correlation [2]float64
		for k, density := range []*Density{nil, {Radii: radii}} {
			y := scattered(w.Rows, dim, 1)
			must.Do(t, (UMAP{Curve: curve, Epochs: 300, Seed: 1, Density: density}).Arrange(t.Context(), w, y))
			correlation[k] = stat.Correlation(radii, curve.LocalRadii(w, y), nil)
		}
		if !(correlation[1] > 0.7 && correlation[1] > correlation[0]+0.3) {
			t.Errorf("%d columns: the correlation is %.3f with the density and %.3f without", dim, correlation[1], correlation[0])
		}
	}
}

// The pulls along edges are the gradient of the correlation that they raise,
// covariance/sqrt(variance + shift), times λ.
func TestDensityPullsUpTheGradient(t *testing.T) {
	w := rings(2, 12)
	n := w.Rows
	curve := must.Get(NewCurve(0.1, 1))(t)
	y := scattered(n, 2, 2)
	b := newBlocks(y, 1)
	d := must.Get(newDensity(Density{Radii: radiiOf(w)}, curve, w, &b, 1000))(t)
	at, err := single(y, b.order)
	if err == nil {
		err = d.update(t.Context(), 2, 2, at)
	}
	if err != nil {
		t.Fatal(err)
	}
	standard := make([]float64, n)
	for p, i := range b.order {
		standard[i] = d.given[p]
	}
	correlation := func(y *mat.Dense) float64 {
		logs := curve.LocalRadii(w, y)
		mean := stat.Mean(logs, nil)
		var variance, covariance float64
		for i, v := range logs {
			variance += (v - mean) * (v - mean) / float64(n)
			covariance += (v - mean) * standard[i] / float64(n)
		}
		return covariance / math.Sqrt(variance+d.Shift)
	}
	attraction := newForce(curve.attraction)
	var off, all float64
	for p, v := range b.order {
		for m := range 2 {
			const h = 1e-5
			up, down := mat.DenseCopyOf(y), mat.DenseCopyOf(y)
			up.Set(int(v), m, y.At(int(v), m)+h)
			down.Set(int(v), m, y.At(int(v), m)-h)
			want := (correlation(up) - correlation(down)) / (2 * h)
			var got float64
			cols, vals := w.Row(int(v))
			for q, j := range cols {
				o := int(b.place[j])
				s := squared(at[2*p:2*p+2], at[2*o:2*o+2])
				// A pull counts edge weight/most of the epochs, from both ends.
				pull := d.pull(ends{int32(p), int32(o)}, float32(d.most/vals[q]), s, attraction.at(s))
				got += 2 * vals[q] / d.most * float64(pull) * float64(at[2*p+m]-at[2*o+m])
			}
			got /= d.Weight * d.total / d.most
			off += (got - want) * (got - want)
			all += want * want
		}
	}
	if math.Sqrt(off/all) > 0.02 {
		t.Errorf("off by %g of the gradient", math.Sqrt(off/all))
	}
}
