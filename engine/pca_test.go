package engine

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// planted are samples with a few components in noise.
func planted(n, m, d int, noise float64, seed uint64) *mat.Dense {
	random := blas.NewStream(seed)
	z, w, x := mat.NewDense(n, d, nil), mat.NewDense(d, m, nil), mat.NewDense(n, m, nil)
	random.Normals(z.RawMatrix().Data)
	random.Normals(w.RawMatrix().Data)
	for k := range d { // of unequal size
		for j := range m {
			w.Set(k, j, w.At(k, j)/float64(1+k))
		}
	}
	random.Normals(x.RawMatrix().Data)
	x.Scale(noise, x)
	var signal mat.Dense
	signal.Mul(z, w)
	x.Add(x, &signal)
	for i := range n {
		for j := range m {
			x.Set(i, j, x.At(i, j)+float64(j)/3)
		}
	}
	return x
}

// plainPCA are the mean, the variances and the axes by a full covariance matrix.
func plainPCA(x *mat.Dense, weights []float64) (mean, variances []float64, axes *mat.Dense) {
	n, m := x.Dims()
	var sum, squares float64
	mean = make([]float64, m)
	for i := range n {
		sum, squares = sum+weights[i], squares+weights[i]*weights[i]
		for j := range m {
			mean[j] += weights[i] * x.At(i, j)
		}
	}
	blas.Scale(1/sum, mean)
	cov := mat.NewSymDense(m, nil)
	for i := range n {
		for j := range m {
			for l := range j + 1 {
				cov.SetSym(j, l, cov.At(j, l)+weights[i]*(x.At(i, j)-mean[j])*(x.At(i, l)-mean[l])/(sum-squares/sum))
			}
		}
	}
	var eigen mat.EigenSym
	eigen.Factorize(cov, true)
	values := eigen.Values(nil)
	slices.Reverse(values)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	axes = mat.NewDense(m, m, nil)
	for j := range m {
		axes.SetCol(j, mat.Col(nil, m-1-j, &vectors))
	}
	return mean, values, axes
}

// alongAxes reports how far the columns of y are from those of (x − mean)·axes, up to their signs.
func alongAxes(x, y *mat.Dense, mean []float64, axes *mat.Dense) float64 {
	n, d := y.Dims()
	_, m := x.Dims()
	var worst float64
	for k := range d {
		var same, other float64
		for i := range n {
			var score float64
			for j := range m {
				score += (x.At(i, j) - mean[j]) * axes.At(j, k)
			}
			same, other = max(same, math.Abs(score-y.At(i, k))), max(other, math.Abs(score+y.At(i, k)))
		}
		worst = max(worst, min(same, other))
	}
	return worst
}

func someWeights(n int, seed uint64) []float64 {
	random, weights := blas.NewStream(seed), make([]float64, n)
	random.Uniforms(weights)
	weights[n/2], weights[n/3] = 0, 7
	return weights
}

func TestPCAWithWeights(t *testing.T) {
	for _, size := range [][2]int{{80, 9}, {12, 20}} {
		n, m := size[0], size[1]
		x, weights := planted(n, m, 3, 0.1, 4), someWeights(n, 5)
		mean, variances, axes := plainPCA(x, weights)
		for _, data := range []mat.Matrix{x, compressedOf(t, x)} {
			r := embed(t, data, PCA{Dim: 3}, Options{Weights: weights, Threads: 1})
			if off := alongAxes(x, r.Y, mean, axes); off > 1e-9 {
				t.Errorf("%d × %d, %T: coordinates are off by %g", n, m, data, off)
			}
			var total float64
			for _, v := range variances {
				total += v
			}
			for j, v := range r.Values {
				share := r.Details["explained_variance_ratio"].([]float64)[j]
				if math.Abs(v-variances[j]) > 1e-10*variances[0] || math.Abs(share-variances[j]/total) > 1e-10 {
					t.Errorf("%d × %d, %T: variance %d is %v (a share of %v), want %v", n, m, data, j, v, share, variances[j])
				}
			}
			again := embed(t, data, PCA{Dim: 3}, Options{Weights: weights, Threads: 3})
			if !mat.Equal(r.Y, again.Y) {
				t.Errorf("%d × %d, %T: other bits with 3 threads", n, m, data)
			}
			model := must(r.Model())(t)
			if y := transformed(t, loaded(t, saved(t, model)), data, Options{}); !mat.Equal(y, r.Y) {
				t.Errorf("%d × %d, %T: the model gives training samples other coordinates", n, m, data)
			}
			equal := embed(t, data, PCA{Dim: 3}, Options{Weights: slices.Repeat([]float64{5}, n)})
			plain := embed(t, data, PCA{Dim: 3}, Options{})
			if !mat.EqualApprox(equal.Y, plain.Y, 1e-10) || math.Abs(equal.Values[2]-plain.Values[2]) > 1e-10 {
				t.Errorf("%d × %d, %T: equal weights change the result", n, m, data)
			}
		}
	}
}

// A sample of weight 3 counts like three equal ones, and one of weight 0 like none, also where duplicates are merged.
func TestWeightsCountSamples(t *testing.T) {
	x := planted(30, 6, 2, 0.2, 8)
	weights, copies := make([]float64, 30), [][]float64{}
	for i := range weights {
		weights[i] = float64(i % 4)
		for range i % 4 {
			copies = append(copies, x.RawRowView(i))
		}
	}
	repeated := mat.NewDense(len(copies), 6, slices.Concat(copies...))
	r, all := embed(t, x, PCA{Dim: 2}, Options{Weights: weights}), embed(t, repeated, PCA{Dim: 2}, Options{})
	merged := embed(t, repeated, PCA{Dim: 2}, Options{Weights: slices.Repeat([]float64{1}, len(copies)), Duplicates: "merge"})
	if !mat.EqualApprox(all.Y, merged.Y, 1e-10) {
		t.Error("merged copies do not count as often as they are there")
	}
	at := 0
	for i := range weights {
		for range i % 4 {
			for k := range 2 {
				if math.Abs(r.Y.At(i, k)-all.Y.At(at, k)) > 1e-10 {
					t.Fatalf("sample %d: %v, among copies %v", i, r.Y.RawRowView(i), all.Y.RawRowView(at))
				}
			}
			at++
		}
	}
	one, other := must(Cluster(t.Context(), x, KMeans{}, ClusterOptions{Clusters: 3, Options: Options{Weights: weights, Threads: 1}}))(t),
		must(Cluster(t.Context(), x, KMeans{}, ClusterOptions{Clusters: 3, Options: Options{Weights: weights, Threads: 3}}))(t)
	if !slices.Equal(one.Labels, other.Labels) || one.Cost != other.Cost || !mat.Equal(one.Centers, other.Centers) {
		t.Error("kmeans: other bits with 3 threads")
	}
	whole := must(Cluster(t.Context(), repeated, KMeans{}, ClusterOptions{Clusters: 3}))(t)
	sparse := must(Cluster(t.Context(), compressedOf(t, x), KMeans{}, ClusterOptions{Clusters: 3, Options: Options{Weights: weights}}))(t)
	for _, r := range []*Clustering{one, sparse} {
		if math.Abs(r.Cost-whole.Cost) > 1e-9*whole.Cost {
			t.Errorf("kmeans: cost %v, among copies %v", r.Cost, whole.Cost)
		}
	}
	model := must(one.Model())(t)
	if labels := must(model.Predict(t.Context(), x, Options{}))(t); !slices.Equal(labels, one.Labels) {
		t.Errorf("kmeans: the model gives %v, the fit %v", labels, one.Labels)
	}
}

func TestWeightsRefuse(t *testing.T) {
	x := planted(6, 4, 2, 0.1, 1)
	for _, c := range []struct {
		weights []float64
		m       Method
		words   string
	}{
		{[]float64{1, 2, 3}, PCA{}, "3 weights of 6 samples; give one for each"},
		{[]float64{1, 1, -2, 1, 1, 1}, PCA{}, "the weight of sample 3 (counting from 1) is -2; give 0, or a number from 1e-100 to 1e+100"},
		{[]float64{1, 1, 1, math.NaN(), 1, 1}, PCA{}, "the weight of sample 4 (counting from 1) is NaN"},
		{make([]float64, 6), PCA{}, "0 of 6 samples have a weight above 0; give at least 2 such weights, or leave the weights out"},
		{[]float64{0, 0, 1, 0, 0, 0}, PCA{}, "1 of 6 samples have a weight above 0"},
		{slices.Repeat([]float64{1}, 6), MDS{}, "it takes no weights of the samples; leave them out, or take pca or kmeans"},
		{slices.Repeat([]float64{1}, 6), PCA{DimRule: "parallel"}, "parallel analysis takes no weights of the samples; give a number"},
	} {
		if _, err := Embed(t.Context(), x, c.m, Options{Weights: c.weights}); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%v: %v", c.weights, err)
		}
	}
	if _, err := Factorize(t.Context(), x, NMF{}, FactorizeOptions{Rank: 2, Options: Options{Weights: make([]float64, 6)}}); err == nil || !strings.Contains(err.Error(), "nmf: it takes no weights of the samples") {
		t.Error(err)
	}
	if _, err := Cluster(t.Context(), x, KMeans{}, ClusterOptions{Clusters: 2, Options: Options{Weights: make([]float64, 5)}}); err == nil || !strings.Contains(err.Error(), "kmeans: 5 weights of 6 samples") {
		t.Error(err)
	}
}

func TestPCAWhitens(t *testing.T) {
	x := planted(50, 8, 3, 0.1, 2)
	for _, data := range []mat.Matrix{x, compressedOf(t, x), x.Slice(0, 6, 0, 8)} {
		n, _ := data.Dims()
		white, plain := embed(t, data, PCA{Dim: 3, Whiten: true}, Options{}), embed(t, data, PCA{Dim: 3}, Options{})
		for k, v := range plain.Values {
			var square float64
			for i := range n {
				square += white.Y.At(i, k) * white.Y.At(i, k)
				if off := white.Y.At(i, k)*math.Sqrt(v) - plain.Y.At(i, k); math.Abs(off) > 1e-10 {
					t.Fatalf("%T: coordinate %d of sample %d is off by %g", data, k, i, off)
				}
			}
			if math.Abs(square/float64(n-1)-1) > 1e-9 || white.Values[k] != v {
				t.Errorf("%T: variance %v, value %v where %v", data, square/float64(n-1), white.Values[k], v)
			}
		}
		if white.Quality.Verdict != plain.Quality.Verdict || math.Abs(white.Quality.VarianceKept-plain.Quality.VarianceKept) > 1e-9 {
			t.Errorf("%T: %v keeps %v of the variance, and %v %v", data, white.Quality.Verdict, white.Quality.VarianceKept, plain.Quality.Verdict, plain.Quality.VarianceKept)
		}
		if y := transformed(t, must(white.Model())(t), data, Options{Threads: 3}); !mat.Equal(y, white.Y) {
			t.Errorf("%T: the model gives training samples other coordinates", data)
		}
	}
	var large mat.Dense
	large.Scale(0x1p400, x)
	if a, b := embed(t, &large, PCA{Dim: 2, Whiten: true}, Options{}), embed(t, x, PCA{Dim: 2, Whiten: true}, Options{}); !mat.EqualApprox(a.Y, b.Y, 1e-10) {
		t.Error("whitened coordinates depend on the unit of the data")
	}
	flat := mat.NewDense(20, 3, nil)
	for i := range 20 {
		flat.Set(i, 0, float64(i))
	}
	r := embed(t, flat, PCA{Dim: 2, Whiten: true}, Options{})
	if mat.Norm(r.Y.ColView(1), 2) != 0 || !strings.Contains(strings.Join(r.Warnings, " "), "do not vary along 1 of 2 axes") {
		t.Errorf("an axis without extent: %v, %q", r.Y.ColView(1), r.Warnings)
	}
}

// likelihood is the log-likelihood of a normal distribution for samples with missing entries, up to a constant, and where
// the entries that are missing are expected.
func likelihood(x *mat.Dense, mean []float64, cov *mat.SymDense, weights []float64) (sum float64, filled *mat.Dense) {
	n, m := x.Dims()
	filled = mat.DenseCopyOf(x)
	for i := range n {
		var at, gone []int
		for j := range m {
			if math.IsNaN(x.At(i, j)) {
				gone = append(gone, j)
			} else {
				at = append(at, j)
			}
		}
		part, off := mat.NewSymDense(len(at), nil), mat.NewVecDense(len(at), nil)
		for a, j := range at {
			off.SetVec(a, x.At(i, j)-mean[j])
			for b, l := range at[:a+1] {
				part.SetSym(a, b, cov.At(j, l))
			}
		}
		var chol mat.Cholesky
		if !chol.Factorize(part) {
			return math.Inf(-1), nil
		}
		var solved mat.VecDense
		chol.SolveVecTo(&solved, off)
		sum -= weights[i] / 2 * (chol.LogDet() + mat.Dot(off, &solved))
		for _, j := range gone {
			expected := mean[j]
			for b, l := range at {
				expected += cov.At(j, l) * solved.AtVec(b)
			}
			filled.Set(i, j, expected)
		}
	}
	return sum, filled
}

// likeliest returns the mean and the covariance of the model that was found.
func likeliest(t *testing.T, r *Result, dim int) (mean []float64, cov *mat.SymDense) {
	model := must(r.Model())(t)
	mean, axes := model.Projection()
	noise := r.Details["noise_variance"].(float64)
	m := len(mean)
	cov = mat.NewSymDense(m, nil)
	for j := range m {
		for l := range j + 1 {
			var v float64
			for k := range dim {
				v += axes.At(j, k) * axes.At(l, k) * (r.Values[k]*r.Details["likelihood_share"].(float64) - noise)
			}
			if j == l {
				v += noise
			}
			cov.SetSym(j, l, v)
		}
	}
	return mean, cov
}

func TestPCAWithMissingEntries(t *testing.T) {
	const n, m, d = 60, 7, 2
	whole := planted(n, m, d, 0.3, 6)
	random := blas.NewStream(9)
	x := mat.DenseCopyOf(whole)
	for i := range n {
		for j := range m {
			if random.Below(5) == 0 && i%m != j {
				x.Set(i, j, math.NaN())
			}
		}
	}
	method := PCA{Dim: d, Missing: "weight"}
	ones := slices.Repeat([]float64{1}, n)
	for _, weights := range [][]float64{nil, someWeights(n, 3)} {
		by, sum, squares := weights, 0.0, 0.0
		if by == nil {
			by = ones
		}
		for _, w := range by {
			sum, squares = sum+w, squares+w*w
		}
		r := embed(t, x, method, Options{Weights: weights, Threads: 1})
		if !r.Converged || slices.Max(r.Residuals) > 1e-8 {
			t.Errorf("not converged: %v", r.Residuals)
		}
		if again := embed(t, x, method, Options{Weights: weights, Threads: 3}); !mat.Equal(again.Y, r.Y) || again.Values[0] != r.Values[0] {
			t.Error("other bits with 3 threads")
		}
		r.Details["likelihood_share"] = (sum - squares/sum) / sum
		mean, cov := likeliest(t, r, d)
		best, filled := likelihood(x, mean, cov, by)
		// No mean, direction or noise near it is likelier.
		change := mat.NewSymDense(m, nil)
		for trial := range 200 {
			other, moved := slices.Clone(mean), mat.NewSymDense(m, nil)
			size := []float64{1e-2, 1e-3, 1e-4}[trial%3]
			model := must(r.Model())(t)
			_, axes := model.Projection()
			w := mat.NewDense(m, d, nil)
			noise := r.Details["noise_variance"].(float64)
			for j := range m {
				for k := range d {
					w.Set(j, k, axes.At(j, k)*math.Sqrt(r.Values[k]*r.Details["likelihood_share"].(float64)-noise)+size*(random.Uniform()-0.5))
				}
				other[j] += size * (random.Uniform() - 0.5)
			}
			noise *= 1 + size*(random.Uniform()-0.5)
			change.SymOuterK(1, w)
			moved.CopySym(change)
			for j := range m {
				moved.SetSym(j, j, moved.At(j, j)+noise)
			}
			if near, _ := likelihood(x, other, moved, by); near > best+1e-9*math.Abs(best) {
				t.Fatalf("a model nearby is likelier: %v, found %v", near, best)
			}
		}
		if off := alongAxes(filled, r.Y, mean, func() *mat.Dense { _, a := must(r.Model())(t).Projection(); return a }()); off > 1e-9 {
			t.Errorf("coordinates are off by %g from those of samples with the expected entries", off)
		}
		// The model maps new samples one by one, with and without gaps.
		model := loaded(t, saved(t, must(r.Model())(t)))
		if y := transformed(t, model, x, Options{Threads: 3}); !mat.Equal(y, r.Y) {
			t.Error("the model gives training samples other coordinates")
		}
		y := transformed(t, model, whole, Options{})
		if off := alongAxes(whole, y, mean, func() *mat.Dense { _, a := model.Projection(); return a }()); off > 1e-9 {
			t.Errorf("whole samples are off by %g", off)
		}
		mixed := mat.DenseCopyOf(whole)
		mixed.SetRow(3, x.RawRowView(3))
		if z := transformed(t, model, mixed, Options{}); !slices.Equal(z.RawRowView(3), r.Y.RawRowView(3)) || !slices.Equal(z.RawRowView(4), y.RawRowView(4)) {
			t.Error("a sample is mapped otherwise among others")
		}
		white := embed(t, x, PCA{Dim: d, Missing: "weight", Whiten: true}, Options{Weights: weights})
		for i := range n {
			for k := range d {
				if off := white.Y.At(i, k)*math.Sqrt(r.Values[k]) - r.Y.At(i, k); math.Abs(off) > 1e-9 {
					t.Fatalf("whitened: off by %g", off)
				}
			}
		}
	}
	r := embed(t, whole, method, Options{})
	plain := embed(t, whole, PCA{Dim: d}, Options{})
	if !mat.Equal(r.Y, plain.Y) || !slices.Equal(r.Values, plain.Values) || r.Details["missing_share"] != nil {
		t.Error("with nothing missing the result is not that of pca")
	}
	if y := transformed(t, must(r.Model())(t), whole, Options{}); !mat.Equal(y, r.Y) {
		t.Error("with nothing missing the model gives other coordinates")
	}
	var large mat.Dense
	large.Scale(0x1p400, x)
	a, b := embed(t, &large, method, Options{}), embed(t, x, method, Options{})
	a.Y.Scale(0x1p-400, a.Y)
	if !mat.EqualApprox(a.Y, b.Y, 1e-9) {
		t.Error("the unit of the data matters")
	}
}

func TestPCAWithMissingEntriesRefuses(t *testing.T) {
	holes := func(change func(x *mat.Dense)) *mat.Dense {
		x := planted(20, 5, 2, 0.1, 3)
		x.Set(4, 1, math.NaN())
		change(x)
		return x
	}
	plain := holes(func(*mat.Dense) {})
	for _, c := range []struct {
		x     *mat.Dense
		m     PCA
		o     Options
		words string
	}{
		{plain, PCA{}, Options{}, "row 5, column 2 (counting from 1) is NaN"},
		{holes(func(x *mat.Dense) { x.SetRow(6, slices.Repeat([]float64{math.NaN()}, 5)) }), PCA{Missing: "weight"}, Options{}, "row 7 (counting from 1) has no entry that is known; leave it out"},
		{holes(func(x *mat.Dense) { x.SetCol(2, slices.Repeat([]float64{math.NaN()}, 20)) }), PCA{Missing: "weight"}, Options{}, "column 3 (counting from 1) has no entry that is known and counts; leave it out"},
		{holes(func(x *mat.Dense) { x.Set(0, 0, math.Inf(1)) }), PCA{Missing: "weight"}, Options{}, "row 1, column 1 (counting from 1) is +Inf, which is not a missing value"},
		{plain, PCA{Dim: 5, Missing: "weight"}, Options{}, "dim 5 of data with 5 columns of which entries are missing; give at most 4"},
		{plain, PCA{Dim: Auto, Missing: "weight"}, Options{}, "needs every entry of the samples, and some are missing; leave it out, or fill them in first"},
		{plain, PCA{Missing: "weight"}, Options{Denoise: "8"}, "needs every entry"},
		{plain, PCA{Missing: "weight"}, Options{Reduce: "3"}, "needs every entry"},
		{planted(20, 5, 2, 0.1, 3), PCA{Dim: 3, DimRule: "parallel"}, Options{}, "finds the number of components"},
	} {
		if _, err := Embed(t.Context(), c.x, c.m, c.o); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%+v: %v, want %q", c.m, err, c.words)
		}
	}
	r := embed(t, plain, PCA{Missing: "weight"}, Options{})
	gone := mat.NewDense(1, 5, slices.Repeat([]float64{math.NaN()}, 5))
	if _, err := must(r.Model())(t).Transform(t.Context(), gone, Options{}); err == nil || !strings.Contains(err.Error(), "row 1 (counting from 1) has no entry that is known; leave it out") {
		t.Error(err)
	}
}

func TestParallelAnalysisFindsPlantedComponents(t *testing.T) {
	for _, c := range []struct{ n, m, d int }{{300, 20, 3}, {60, 90, 2}, {200, 12, 1}} {
		x := planted(c.n, c.m, 1, 1, 11)
		for k := 1; k < c.d; k++ {
			x.Add(x, planted(c.n, c.m, 1, 0, uint64(20+k)))
		}
		r := embed(t, x, PCA{DimRule: "parallel"}, Options{Threads: 1})
		if r.Dim != c.d || r.Params["dim"] != c.d {
			t.Errorf("%+v: %d components: %v of %v", c, r.Dim, r.Details["dim_thresholds"].([]float64)[:4], r.Details["dim_variances"].([]float64)[:4])
		}
		again := embed(t, x, PCA{Dim: Auto, DimRule: "parallel"}, Options{Threads: 3})
		if !slices.Equal(again.Details["dim_thresholds"].([]float64), r.Details["dim_thresholds"].([]float64)) {
			t.Errorf("%+v: other bits with 3 threads", c)
		}
	}
	noise := mat.NewDense(200, 10, nil)
	blas.NewStream(2).Normals(noise.RawMatrix().Data)
	r := embed(t, noise, PCA{DimRule: "parallel"}, Options{})
	if reason, _ := r.Details["dim_reason"].(string); r.Dim != 1 || !strings.Contains(reason, "no component") {
		t.Errorf("noise has %d components: %s", r.Dim, reason)
	}
}
