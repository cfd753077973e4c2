package engine

import (
	"bytes"
	"context"
	"math"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/files"
)

// Training samples that come again land near their places, new samples of the
// same roll among those of their neighbours.
func TestTransformOfTrainingSamples(t *testing.T) {
	x := generate(t, "swiss-roll", 1500, 1).X
	for _, c := range []struct {
		method Method
		want   float64 // the largest distance from the old place, of the largest coordinate
	}{
		{PCA{}, 1e-12},
		{NEML{Neighbors: 12}, 0.01}, {LTSA{Neighbors: 12}, 0.01}, {LLE{Neighbors: 12}, 0.01},
		{LE{Neighbors: 12}, 0.15}, {LE{Neighbors: 12, Weights: "heat"}, 0.05},
	} {
		t.Run(c.method.Name(), func(t *testing.T) {
			r, m := fittedModel(t, x, c.method, Options{})
			y := transformed(t, m, x, Options{})
			var worst, largest float64
			for p, v := range r.Y.RawMatrix().Data {
				worst, largest = max(worst, math.Abs(v-y.RawMatrix().Data[p])), max(largest, math.Abs(v))
			}
			t.Logf("%s: %.2g of the largest coordinate", m.Method, worst/largest)
			if worst > c.want*largest {
				t.Errorf("%s: training samples come back up to %g away, %g is the largest coordinate", m.Method, worst, largest)
			}
		})
	}
}

// PCA of more columns than samples, whose axes come from the other Gram matrix,
// projects the training samples onto their scores as well.
func TestLinearModelOfWideData(t *testing.T) {
	data := make([]float64, 20*50)
	blas.NewStream(2).Normals(data)
	r, m := fittedModel(t, mat.NewDense(20, 50, data), PCA{Dim: 19}, Options{})
	y := transformed(t, m, mat.NewDense(20, 50, data), Options{})
	for p, v := range r.Y.RawMatrix().Data {
		if math.Abs(v-y.RawMatrix().Data[p]) > 1e-11 {
			t.Fatalf("score %d is %g, projected it is %g", p, v, y.RawMatrix().Data[p])
		}
	}
}

// Each component on its own: samples of the second land among it, where the method has a rule
// for several.
func TestModelsOfComponents(t *testing.T) {
	two := twoRolls(t)
	r, each := fittedModel(t, two, LTSA{Neighbors: 9}, Options{Components: "each", Model: true})
	if y := transformed(t, each, two, Options{}); !mat.EqualApprox(y, r.Y, 0.1) {
		t.Error("samples of the fit are mapped elsewhere")
	}
	refused := refusing(t)
	refused.of("a model", failed(embed(t, two, LE{Neighbors: 9}, Options{Components: "each"}).Model()))
	refused.embed("a model in advance", two, LE{Neighbors: 9}, Options{Components: "each", Model: true})
	// A model of landmarks holds these, and counts all samples.
	_, few := fittedModel(t, generate(t, "swiss-roll", 900, 1).X, LTSA{Neighbors: 10}, Options{Landmarks: 300})
	if rows, _ := partsOf(few.extension).arrays["samples"].Dims(); rows != 300 || few.Samples != 900 {
		t.Errorf("%d samples in the model, fitted to %d", rows, few.Samples)
	}
}

func TestTransformRefuses(t *testing.T) {
	x := generate(t, "swiss-roll", 100, 1).X
	r := refusing(t)
	for _, method := range []Method{LTSA{}, LE{}, PCA{}} {
		_, m := fittedModel(t, x, method, Options{})
		r.transform(m.Method, m, mat.NewDense(4, 2, nil))
		r.transform(m.Method, m, mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, math.NaN()}))
		r.transform(m.Method, m, mat.NewDense(1, 3, []float64{1e200, 0, 0}))
		r.of("backend", failed(m.Transform(t.Context(), x, Options{Backend: "mkl"})))
	}
	// A sample that points away from all others has no weight by the cosine.
	away := mat.NewDense(50, 2, nil)
	for i := range 50 {
		away.SetRow(i, []float64{1 + float64(i%7), 1 + float64(i)/10})
	}
	_, m := fittedModel(t, away, LE{Weights: "cosine", Neighbors: 8}, Options{})
	r.transform("away", m, mat.NewDense(3, 2, []float64{1, 1, -1, -1, -2, -2}))
	// One far from all others has, by the heat kernel.
	_, m = fittedModel(t, away, LE{Weights: "heat", Neighbors: 8}, Options{})
	if y := transformed(t, m, mat.NewDense(1, 2, []float64{1e6, -1e6}), Options{}); !(math.Abs(y.At(0, 0)) < 10) {
		t.Errorf("a far sample is mapped to %v", y.RawRowView(0))
	}
}

// The separate projection on real data: half of the digits are fitted, the other
// half mapped, and each of them takes the label of its nearest fitted one. 3.6 %
// to 4.9 % are wrong at d = 9, where the raw pixels have 2 %.
func TestSeparateProjectionOfDigits(t *testing.T) {
	dir := golden.Data(t)
	x := dataset(t, "mfeat-pix.X.npy")
	labels := must(files.ReadLabels(filepath.Join(dir, "mfeat-pix.y.npy"), files.Options{}))(t)
	n, cols := x.Dims()
	var halves [2]*mat.Dense
	var names [2][]int64
	for part := range halves {
		var rows []float64
		for i := part; i < n; i += 2 {
			rows = append(rows, x.RawRowView(i)...)
			names[part] = append(names[part], labels[i])
		}
		halves[part] = mat.NewDense(len(names[part]), cols, rows)
	}
	for _, method := range []Method{NEML{Neighbors: 20, Dim: 9}, LE{Neighbors: 20, Dim: 9}, PCA{Dim: 9}} {
		r, m := fittedModel(t, halves[0], method, Options{Components: "joint"})
		y := transformed(t, m, halves[1], Options{})
		wrong := 0
		for i := range names[1] {
			best, at := math.Inf(1), 0
			for j := range names[0] {
				if d := blas.SquaredDistance(y.RawRowView(i), r.Y.RawRowView(j)); d < best {
					best, at = d, j
				}
			}
			if names[0][at] != names[1][i] {
				wrong++
			}
		}
		rate := float64(wrong) / float64(len(names[1]))
		t.Logf("%s: %.1f %% wrong", m.Method, 100*rate)
		if rate > 0.07 {
			t.Errorf("%s: %.1f %% of the digits take a wrong label", m.Method, 100*rate)
		}
	}
}

// A new sample of the roll lands where its parameters say, by the affine map that
// fits the training samples.
func TestTransformOfNewSamplesOfTheRoll(t *testing.T) {
	train, test := generate(t, "swiss-roll-hole", 2000, 1), generate(t, "swiss-roll-hole", 500, 2)
	r, m := fittedModel(t, train.X, NEML{Neighbors: 12}, Options{})
	y := transformed(t, m, test.X, Options{})
	var params, all mat.Dense
	params.Stack(train.Params, test.Params)
	all.Stack(r.Y, y)
	alone := deviationOf(t, train.Params, r.Y)
	both := deviationOf(t, &params, &all)
	if both > 1.1*alone {
		t.Errorf("dev %g with the new samples, %g without", both, alone)
	}
}

// A clone keeps its numbers when the samples of the fit are overwritten; the model
// itself, which shares them, does not.
func TestCloneOwnsItsArrays(t *testing.T) {
	x := mat.DenseCopyOf(generate(t, "swiss-roll", 120, 1).X)
	_, model := fittedModel(t, x, LLE{Neighbors: 8}, Options{})
	clone := model.Clone()
	var before, after, shared bytes.Buffer
	if err := clone.Save(&before); err != nil {
		t.Fatal(err)
	}
	x.Set(3, 1, 1e6)
	if err := clone.Save(&after); err != nil {
		t.Fatal(err)
	}
	if err := model.Save(&shared); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before.Bytes(), after.Bytes()) {
		t.Error("the clone changed with the samples")
	}
	if bytes.Equal(before.Bytes(), shared.Bytes()) {
		t.Error("the model no longer shares the samples: the test shows nothing")
	}
}

// Work beyond the limit is told from other errors, by the steps and by the solver.
func TestIsMemory(t *testing.T) {
	x := generate(t, "swiss-roll", 300, 1).X
	refused := 0
	for limit := int64(1000); limit < 1<<30; limit += limit / 4 { // those of the steps are below those of the solver
		if _, err := Embed(t.Context(), x, LLE{}, Options{Memory: limit}); err != nil {
			refused++
			if !IsMemory(err) {
				t.Errorf("limit %d: %v is not said to be about memory", limit, err)
			}
		}
	}
	if refused < 2 {
		t.Errorf("only %d limits were refused", refused)
	}
	if _, err := Embed(t.Context(), x, LLE{Neighbors: 300}, Options{}); err == nil || IsMemory(err) {
		t.Errorf("an error about neighbours is said to be about memory: %v", err)
	}
}

// Which methods leave a rule for new samples is told without a fit.
func TestExtends(t *testing.T) {
	want := map[string]bool{"lle": true, "pca": true, "nmms": true, "nmf": true, "sp-rna": true, "dsmf": false, "rmnmf": false, "apmf": false, "smrmf": false, "dpp": false, "kmeans": false, "spectral": false}
	for _, e := range Methods() {
		t.Run(e.Name, func(t *testing.T) {
			if expected, listed := want[e.Name]; listed && e.Extends != expected {
				t.Errorf("%s: extends is %v", e.Name, e.Extends)
			}
		})
	}
}

// A linear model maps by its projection, and no other model has one.
func TestProjectionOfModels(t *testing.T) {
	x := mat.NewDense(40, 4, nil)
	for i := range 40 {
		for j := range 4 {
			x.Set(i, j, math.Sin(float64(1+3*i+7*j*j))+float64(j))
		}
	}
	for _, method := range []Method{PCA{}, LPP{}, LLE{}} {
		r, err := Embed(context.Background(), x, method, Options{Model: true})
		if err != nil {
			t.Fatal(err)
		}
		m, err := r.Model()
		if err != nil {
			t.Fatal(err)
		}
		mean, projection := m.Projection()
		if linear := m.Kind() == "linear"; linear != (projection != nil) || linear != (mean != nil) {
			t.Fatalf("%s, of kind %s: %v", m.Method, m.Kind(), projection)
		}
		if projection == nil {
			continue
		}
		want, err := m.Transform(context.Background(), x, Options{})
		if err != nil {
			t.Fatal(err)
		}
		centred := mat.DenseCopyOf(x)
		for i := range 40 {
			for j, v := range mean {
				centred.Set(i, j, centred.At(i, j)-v)
			}
		}
		var got mat.Dense
		got.Mul(centred, projection)
		if got.Sub(&got, want); mat.Norm(&got, 2) > 1e-12*mat.Norm(want, 2) {
			t.Errorf("%s: off by %g", m.Method, mat.Norm(&got, 2))
		}
	}
}
