package nmf

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
)

// signedData has entries of both signs, of low rank and with noise.
func signedData(n, m, r int, seed uint64) Data {
	random := blas.NewStream(seed)
	w, h, x := make([]float64, n*r), make([]float64, r*m), make([]float64, n*m)
	random.Uniforms(w)
	random.Normals(h)
	random.Normals(x)
	blas.MustSelect("").Gemm(false, false, n, m, r, 1, w, r, h, m, 0.2, x, m)
	return Dense(n, m, x)
}

func TestGoldenDSMF(t *testing.T) {
	golden.Cases(t, "smrmf-baselines", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			X    [][]float64
			DSMF struct {
				Layers   []int
				Pretrain int         `json:"pretrain_iters"`
				Finetune int         `json:"finetune_iters"`
				Last     [][]float64 `json:"H_last"`
				Errors   []float64
				Tol      float64
			}
		}
		must.Do(t, json.Unmarshal(raw, &c))
		n, m, x := transposedRows(c.X)
		g := c.DSMF
		unit, _ := must.Two(Dense(n, m, x).unitRows())(t)
		data, codes := unit, []float64(nil)
		o := Options{Kernels: blas.MustSelect("")}
		for _, r := range g.Layers {
			o.Rank = r
			u := newSemi(data, o)
			trained(t, u, nil, g.Pretrain)
			data, codes = Dense(n, r, u.w), u.w
		}
		u := newSemi(unit, o)
		errors := trained(t, u, codes, g.Finetune)
		for i, want := range g.Errors {
			if !golden.Close(errors[i], want, g.Tol) {
				t.Errorf("error of sweep %d is %v, want %v", i+1, errors[i], want)
			}
		}
		golden.Expect(t, "the paper's H", u.w, golden.ColumnMajor(g.Last), g.Tol)
		// The same by the function, which trains and tunes by one limit.
		if g.Pretrain >= g.Finetune {
			got := must.Get(Deep(context.Background(), Dense(n, m, x), DeepOptions{Layers: g.Layers, Iterations: g.Pretrain, Never: true}))(t)
			for i, want := range g.Errors {
				if !golden.Close(got.Errors[i], want, g.Tol) {
					t.Errorf("error of sweep %d is %v by Deep, want %v", i+1, got.Errors[i], want)
				}
			}
		}
	})
}

// trained takes this many iterations from a start, or from the singular vectors.
func trained(t *testing.T, u *semi, start []float64, iterations int) (errors []float64) {
	t.Helper()
	ctx := context.Background()
	if start == nil {
		must.Do(t, u.startFromSVD(ctx))
	} else {
		copy(u.w, start)
	}
	must.Do(t, u.prepare(ctx))
	for range iterations {
		must.Do(t, u.step(ctx))
		errors = append(errors, u.error())
	}
	return errors
}

// pinv is the pseudo-inverse by the singular value decomposition.
func pinv(a mat.Matrix) *mat.Dense {
	var svd mat.SVD
	if !svd.Factorize(a, mat.SVDThin) {
		panic("no SVD")
	}
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	s := svd.Values(nil)
	for j, x := range s {
		for i := range u.RawMatrix().Rows {
			if x > 1e-12*s[0] {
				u.Set(i, j, u.At(i, j)/x)
			} else {
				u.Set(i, j, 0)
			}
		}
	}
	var out mat.Dense
	out.Mul(&v, u.T())
	return &out
}

func product(list ...mat.Matrix) *mat.Dense {
	out := mat.DenseCopyOf(list[0])
	for _, a := range list[1:] {
		var next mat.Dense
		next.Mul(out, a)
		out = &next
	}
	return out
}

// semiRule is the rule for codes, as printed: samples in columns.
func semiRule(z, x, h *mat.Dense) {
	a, b := product(z.T(), x), product(z.T(), z)
	part := func(m *mat.Dense, sign float64) *mat.Dense {
		var out mat.Dense
		out.Apply(func(_, _ int, v float64) float64 { return max(0, sign*v) }, m)
		return &out
	}
	var num, den mat.Dense
	num.Add(part(a, 1), product(part(b, -1), h))
	den.Add(part(a, -1), product(part(b, 1), h))
	h.Apply(func(i, j int, v float64) float64 {
		return v * math.Sqrt(num.At(i, j)/math.Max(den.At(i, j), semiFloor))
	}, h)
}

// The sweeps of the paper, with every Z of every layer, give the codes and errors of
// iterations without them: the identity that Deep relies on.
func TestDeepEqualsPaperSweeps(t *testing.T) {
	const n, m, sweeps = 60, 15, 12
	for at, layers := range [][]int{{3}, {6, 3}, {9, 5, 3}, {4, 4, 4}, {6, 3}, {2}} {
		d := signedData(n, m, 4, 7)
		if at > 3 { // of one sign: the first singular vector has nothing to lift the zeros of the start
			for i, v := range d.Dense {
				d.Dense[i] = math.Abs(v)
			}
		}
		got := must.Get(Deep(context.Background(), d, DeepOptions{Layers: layers, Iterations: sweeps, Never: true}))(t)
		unit, _ := must.Two(d.unitRows())(t)
		x := mat.DenseCopyOf(mat.NewDense(n, m, unit.Dense).T())
		var z, h []*mat.Dense
		data := unit
		for _, r := range layers {
			u := newSemi(data, Options{Rank: r, Kernels: blas.MustSelect("")})
			trained(t, u, nil, sweeps)
			z = append(z, mat.DenseCopyOf(mat.NewDense(r, u.m, slices.Clone(u.h)).T()))
			h = append(h, mat.DenseCopyOf(mat.NewDense(n, r, slices.Clone(u.w)).T()))
			data = Dense(n, r, u.w)
		}
		last := h[len(h)-1]
		for s := range sweeps {
			behind := make([]*mat.Dense, len(z)) // Z_i+1⋯Z_lH_l
			behind[len(z)-1] = mat.DenseCopyOf(last)
			for i := len(z) - 2; i >= 0; i-- {
				behind[i] = product(z[i+1], behind[i+1])
			}
			var psi *mat.Dense
			for i := range z {
				if i == 0 {
					z[i] = product(x, pinv(behind[i]))
					psi = z[i]
				} else {
					z[i] = product(pinv(psi), x, pinv(behind[i]))
					psi = product(psi, z[i])
				}
				semiRule(psi, x, h[i])
			}
			var rest mat.Dense
			rest.Sub(x, product(psi, last))
			if want := mat.Norm(&rest, 2); math.Abs(got.Errors[s]-want) > 1e-8*want {
				t.Errorf("%v, sweep %d: error %v, want %v", layers, s+1, got.Errors[s], want)
			}
		}
		closeTo(t, "codes", got.Codes, mat.DenseCopyOf(last.T()).RawMatrix().Data, 1e-6)
	}
}

// No step raises the error of a layer, coordinates are nonnegative, threads change no
// bit, and the product is in the scale of the samples.
func TestDeep(t *testing.T) {
	const n, m = 257, 23
	d := signedData(n, m, 5, 3)
	blas.Scale(40, d.Dense[:5*m])
	o := DeepOptions{Layers: []int{8, 4}, Tolerance: 1e-4, Threads: 1}
	got := must.Get(Deep(context.Background(), d, o))(t)
	for i := 1; i < len(got.Errors); i++ {
		if got.Errors[i] > got.Errors[i-1]*(1+1e-9) {
			t.Errorf("the error rises from %v to %v", got.Errors[i-1], got.Errors[i])
		}
	}
	if !got.Converged || len(got.Errors) != got.Iterations || len(got.Trained) != 2 || got.Trained[0]%deepEvery != 0 {
		t.Errorf("%d errors of %d iterations, trained %v, converged %v", len(got.Errors), got.Iterations, got.Trained, got.Converged)
	}
	if slices.Min(got.W) < 0 {
		t.Errorf("a coordinate is %v", slices.Min(got.W))
	}
	o.Threads = 3
	again, err := Deep(context.Background(), d, o)
	if err != nil || !slices.Equal(again.W, got.W) || !slices.Equal(again.H, got.H) {
		t.Errorf("three threads give other bits (%v)", err)
	}
	// Relative to its length every sample is met as well, long ones too.
	model := make([]float64, n*m)
	blas.MustSelect("").Gemm(false, false, n, m, 4, 1, got.W, 4, got.H, m, 0, model, m)
	var squares float64
	for i := range n {
		s := got.Lengths[i]
		squares += blas.SquaredDistance(model[i*m:(i+1)*m], d.Dense[i*m:(i+1)*m]) / (s * s)
	}
	if e := math.Sqrt(squares); e > got.Errors[len(got.Errors)-1] {
		t.Errorf("error %v of the factors, %v before the last fit of the components", e, got.Errors[len(got.Errors)-1])
	}
}

// Sparse data have the factors of the same data made dense, and the same bits on any number
// of threads.
func TestDeepOfSparseData(t *testing.T) {
	const n, m = 250, 40
	d := signedData(n, m, 5, 3)
	random := blas.NewStream(4)
	for at := range d.Dense {
		if random.Below(4) > 0 || at/m == 17 {
			d.Dense[at] = 0
		}
	}
	o := DeepOptions{Layers: []int{8, 4}, Iterations: 40, Never: true, Threads: 2}
	want := must.Get(Deep(context.Background(), d, o))(t)
	a := compressed(t, n, m, d.Dense)
	values := slices.Clone(a.Val)
	got := must.Get(Deep(context.Background(), Sparse(a), o))(t)
	closeTo(t, "coordinates", got.W, want.W, 1e-8)
	closeTo(t, "components", got.H, want.H, 1e-8)
	closeTo(t, "lengths", got.Lengths, want.Lengths, 1e-15)
	closeTo(t, "errors", got.Errors, want.Errors, 1e-10)
	if !slices.Equal(a.Val, values) {
		t.Error("the data were written to")
	}
	o.Threads = 3
	again, err := Deep(context.Background(), Sparse(a), o)
	if err != nil || !slices.Equal(again.W, got.W) || !slices.Equal(again.H, got.H) {
		t.Errorf("three threads give other bits (%v)", err)
	}
}

func TestDeepOfOddData(t *testing.T) {
	zero := Dense(6, 4, make([]float64, 24))
	equal := Dense(6, 4, slices.Repeat([]float64{1, -2, 3, 0}, 6))
	one := signedData(6, 4, 2, 1)
	clear(one.Dense[8:12]) // a sample of zeros
	huge := Dense(2, 2, []float64{1e300, 1e299, 1e-300, 1e-301})
	for name, c := range map[string]struct {
		d      Data
		layers []int
	}{"zeros": {zero, []int{3, 2}}, "equal": {equal, []int{4, 2}}, "a zero row": {one, []int{3, 1}}, "huge": {huge, []int{2, 1}}} {
		got, err := Deep(context.Background(), c.d, DeepOptions{Layers: c.layers})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for _, x := range [][]float64{got.W, got.H, got.Errors, got.Codes} {
			for _, v := range x {
				if v-v != 0 {
					t.Fatalf("%s: %v", name, v)
				}
			}
		}
	}
	for name, c := range map[string]struct {
		d Data
		o DeepOptions
	}{
		"no layers": {one, DeepOptions{}}, "rising": {one, DeepOptions{Layers: []int{2, 3}}}, "rank": {one, DeepOptions{Layers: []int{5}}},
		"nought": {one, DeepOptions{Layers: []int{2, 0}}}, "tolerance": {one, DeepOptions{Layers: []int{2}, Tolerance: math.NaN()}},
		"NaN":   {Dense(2, 2, []float64{1, math.NaN(), 1, 1}), DeepOptions{Layers: []int{1}}},
		"shape": {Dense(2, 3, []float64{1}), DeepOptions{Layers: []int{1}}}, "sparse NaN": {Sparse(compressed(t, 2, 2, []float64{1, 0, 0, math.NaN()})), DeepOptions{Layers: []int{1}}},
		"long": {Dense(1, 2, []float64{math.MaxFloat64, math.MaxFloat64}), DeepOptions{Layers: []int{1}}},
	} {
		if _, err := Deep(context.Background(), c.d, c.o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Deep(ctx, one, DeepOptions{Layers: []int{2}}); err != context.Canceled {
		t.Errorf("after a cancellation: %v", err)
	}
}

// shapes are the shapes of COIL-20 and of a dense matrix of 4000 × 2000.
var shapes = []struct{ n, m, r int }{{1440, 1024, 20}, {4000, 2000, 40}}

func BenchmarkDeep(b *testing.B) {
	for _, s := range shapes {
		d := signedData(s.n, s.m, 2*s.r, 1)
		b.Run("", func(b *testing.B) {
			for b.Loop() {
				if _, err := Deep(context.Background(), d, DeepOptions{Layers: []int{2 * s.r, s.r}, Iterations: 10, Never: true}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
