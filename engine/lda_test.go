package engine

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/engine/measures"
)

// clouds are normal clouds of unequal width about random centres: n samples of c
// classes in m columns, with labels that are not numbers from 0.
func labeledClouds(n, m, c int, seed uint64) (*mat.Dense, []int64) {
	s := blas.NewStream(seed)
	centres, x, labels := make([]float64, c*m), mat.NewDense(n, m, nil), make([]int64, n)
	s.Normals(centres)
	for i := range n {
		class := (i * i) % c
		if i < c {
			class = i
		}
		labels[i] = int64(10*class - 7)
		s.Normals(x.RawRowView(i))
		blas.Axpy(2, centres[class*m:(class+1)*m], x.RawRowView(i))
	}
	return x, labels
}

// scatters are S_b and S_w, computed plainly.
func scatters(x *mat.Dense, labels []int64) (between, within *mat.Dense) {
	n, m := x.Dims()
	mean := samples.Of(x).Mean()
	means, counts := map[int64][]float64{}, map[int64]float64{}
	for i := range n {
		if means[labels[i]] == nil {
			means[labels[i]] = make([]float64, m)
		}
		blas.Axpy(1, x.RawRowView(i), means[labels[i]])
		counts[labels[i]]++
	}
	between, within = mat.NewDense(m, m, nil), mat.NewDense(m, m, nil)
	add := func(to *mat.Dense, weight float64, a, b []float64) {
		d := mat.NewVecDense(m, slices.Clone(a))
		d.SubVec(d, mat.NewVecDense(m, b))
		var outer mat.Dense
		outer.Outer(weight, d, d)
		to.Add(to, &outer)
	}
	for label, count := range counts {
		blas.Scale(1/count, means[label])
		add(between, count, means[label], mean)
	}
	for i := range n {
		add(within, 1, x.RawRowView(i), means[labels[i]])
	}
	return between, within
}

func TestDiscriminants(t *testing.T) {
	x, labels := labeledClouds(200, 6, 4, 1)
	r := embed(t, x, LDA{Dim: 3}, Options{Labels: labels})
	between, within := scatters(x, labels)
	v := projectionOf(r)
	one, ratio := inner(v, within), inner(v, between)
	for i := range 3 {
		for j := range 3 {
			want, value := 0.0, 0.0
			if i == j {
				want, value = 1, r.Values[i]
			}
			if got := one.At(i, j); math.Abs(got-want) > 1e-11 {
				t.Errorf("VᵀS_wV has %g at (%d, %d)", got, i, j)
			}
			if got := ratio.At(i, j); math.Abs(got-value) > 1e-10*r.Values[0] {
				t.Errorf("VᵀS_bV has %g at (%d, %d), the eigenvalue is %g", got, i, j, value)
			}
		}
		column := mat.Col(nil, i, r.Y)
		if math.Abs(vector.Sum(column)) > 1e-10 {
			t.Errorf("coordinate %d is not centred: %g", i, vector.Sum(column)/200)
		}
	}
	if !slices.IsSortedFunc(r.Values, func(a, b float64) int { return int(math.Copysign(1, b-a)) }) || !r.Converged {
		t.Errorf("eigenvalues %g, residuals %g", r.Values, r.Residuals)
	}
	var product, inverse mat.Dense
	if err := inverse.Inverse(within); err != nil {
		t.Fatal(err)
	}
	product.Mul(&inverse, between)
	trace := mat.Trace(&product)
	shares := r.Details["explained_variance_ratio"].([]float64)
	expectClose(t, "shares", []float64{vector.Sum(shares), shares[0]}, []float64{1, r.Values[0] / trace}, 1e-10)
	if !math.IsNaN(r.Next) { // classes − 1 = 3 directions are all
		t.Errorf("next eigenvalue %g", r.Next)
	}
	if two := embed(t, x, LDA{Dim: 2}, Options{Labels: labels}); math.Abs(two.Next-r.Values[2]) > 1e-10*r.Values[0] {
		t.Errorf("next eigenvalue %g, the third is %g", two.Next, r.Values[2])
	}
}

// Where the scatter within the classes is singular, the problem is restricted to
// its range: that of the same data in coordinates of that range.
func TestDiscriminantsOfWideData(t *testing.T) {
	x, labels := labeledClouds(40, 70, 5, 2)
	r := embed(t, x, LDA{Dim: 4}, Options{Labels: labels})
	if r.Details["rank"] != 35 {
		t.Errorf("rank %v, want 40 − 5", r.Details["rank"])
	}
	between, within := scatters(x, labels)
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(70, within.RawMatrix().Data), true) {
		t.Fatal("no eigenvectors")
	}
	var vectors, inside mat.Dense
	eigen.VectorsTo(&vectors)
	inside.Mul(x, vectors.Slice(0, 70, 35, 70))
	second := embed(t, &inside, LDA{Dim: 4}, Options{Labels: labels})
	if d := farthest(r.Y, second.Y); d > 1e-9 {
		t.Errorf("not what LDA makes of the coordinates in the range: off by %g", d)
	}
	v := projectionOf(r)
	for j, value := range r.Values {
		if got := inner(v, between).At(j, j) / inner(v, within).At(j, j); math.Abs(got-value) > 1e-10*value {
			t.Errorf("direction %d has the quotient %g, the eigenvalue is %g", j, got, value)
		}
	}
	// A class of one sample counts for the means alone.
	alone := slices.Clone(labels)
	alone[7] = 999
	if r := embed(t, x, LDA{Dim: 5}, Options{Labels: alone}); !r.Converged || r.Details["rank"] != 34 {
		t.Errorf("a class of one sample: rank %v, residuals %g", r.Details["rank"], r.Residuals)
	}
	// A column that only differs between classes has no scatter within them.
	step, steps := labeledClouds(60, 3, 3, 3)
	for i := range 60 {
		step.Set(i, 2, float64(steps[i]))
	}
	if r := embed(t, step, LDA{Dim: 1}, Options{Labels: steps}); !r.Converged || slices.ContainsFunc(r.Y.RawMatrix().Data, math.IsNaN) {
		t.Errorf("a column without scatter in the classes: %g", r.Values)
	}
}

func TestDiscriminantsRefuse(t *testing.T) {
	x, labels := labeledClouds(30, 4, 3, 4)
	own := make([]int64, 30)
	points := mat.NewDense(30, 4, nil) // each class at one place
	for i := range 30 {
		own[i] = int64(i)
		points.SetRow(i, []float64{float64(labels[i]), float64(labels[i] * labels[i]), 1, 0})
	}
	copied, other := mat.DenseCopyOf(x), slices.Clone(labels)
	copied.SetRow(9, copied.RawRowView(2))
	other[9] = other[2] + 1
	r := refusing(t)
	r.embed("", x, LDA{}, Options{Labels: own, Duplicates: ""})
	r.embed("", points, LDA{}, Options{Labels: labels, Duplicates: ""})
	r.embed("", copied, LDA{}, Options{Labels: other, Duplicates: "merge"})
	other[9] = other[2]
	if r := embed(t, copied, LDA{}, Options{Labels: other, Duplicates: "merge"}); !slices.Equal(r.Y.RawRowView(9), r.Y.RawRowView(2)) {
		t.Error("a merged copy has other coordinates")
	}
	if entry := Methods()[slices.IndexFunc(Methods(), func(e Entry) bool { return e.Name == "lda" })]; !entry.Supervised {
		t.Error("lda is not listed as supervised")
	}
}

// On real images, projections learned on half of the samples separate the other half's
// classes apart: far better than chance.
func TestProjectionsOfRealImages(t *testing.T) {
	dir := golden.Data(t)
	for _, set := range []struct {
		name    string
		classes int
		// the most that the error of a method may be: half as much again as was found
		limits map[string]float64
	}{
		{"orl32", 40, map[string]float64{"lda": 0.1, "lpp": 0.6, "npp": 0.55, "olpp-cai": 0.7, "pca": 0.2}},
		{"coil20", 20, map[string]float64{"lda": 0.1, "lpp": 0.3, "npp": 0.35, "pca": 0.05}},
	} {
		t.Run(set.name, func(t *testing.T) {
			if testing.Short() && set.name == "coil20" {
				t.Skip("a large set, left out by -short")
			}
			x := dataset(t, set.name+".X.npy")
			labels := must(files.ReadLabels(filepath.Join(dir, set.name+".y.npy"), files.Options{}))(t)
			train, test := halves(x, labels)
			for name, limit := range set.limits {
				m := named(t, name)
				if err := Set(m, "dim", "19"); err != nil {
					t.Fatal(err)
				}
				r := embed(t, train.x, m, Options{Components: "joint", Labels: train.labels})
				model := must(r.Model())(t)
				y := transformed(t, model, test.x, Options{})
				predicted := must(measures.ClassifyNN(context.Background(), r.Y, train.labels, y, measures.Options{}))(t)
				wrong := must(measures.ErrorRate(test.labels, predicted))(t)
				chance := 1 - 1/float64(set.classes)
				t.Logf("%s, %s: error %.3f (chance %.3f)", set.name, name, wrong, chance)
				if wrong > limit {
					t.Errorf("%s, %s: nearest-neighbour error %.3f, above %.3f", set.name, name, wrong, limit)
				}
			}
		})
	}
}

type half struct {
	x      *mat.Dense
	labels []int64
}

// halves deals the samples of every class to two sets in turn.
func halves(x *mat.Dense, labels []int64) (a, b half) {
	_, m := x.Dims()
	var rows [2][]float64
	var kept [2][]int64
	seen := map[int64]int{}
	for i, l := range labels {
		side := seen[l] % 2
		seen[l]++
		rows[side] = append(rows[side], x.RawRowView(i)...)
		kept[side] = append(kept[side], l)
	}
	return half{mat.NewDense(len(kept[0]), m, rows[0]), kept[0]}, half{mat.NewDense(len(kept[1]), m, rows[1]), kept[1]}
}

func BenchmarkProjections(b *testing.B) {
	dir := golden.Data(b)
	for _, c := range []struct{ method, set string }{
		{"lpp", "usps"}, {"npp", "usps"}, {"lpp", "coil20"}, {"onpp", "coil20"}, {"olpp-cai", "coil20"}, {"lda", "coil20"}, {"pca", "coil20"}, {"lpp", "orl64"}, {"lda", "orl64"},
	} {
		b.Run(fmt.Sprintf("%s/%s", c.method, c.set), func(b *testing.B) {
			x, err := files.ReadMatrix(filepath.Join(dir, c.set+".X.npy"), files.Options{})
			if err != nil {
				b.Fatal(err)
			}
			labels, err := files.ReadLabels(filepath.Join(dir, c.set+".y.npy"), files.Options{})
			if err != nil {
				b.Fatal(err)
			}
			m, err := New(c.method)
			if err != nil {
				b.Fatal(err)
			}
			phases := map[string]float64{}
			for b.Loop() {
				r := embed(b, x, m, Options{Components: "joint", Labels: labels})
				for phase, s := range r.Seconds {
					phases[phase] += s
				}
			}
			for phase, s := range phases {
				b.ReportMetric(s/float64(b.N), phase+"-s")
			}
		})
	}
}
