package engine

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	storage "github.com/james-bowman/sparse"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// inPieces gives a matrix in coordinates, last entry first, each as two entries whose sum
// has its bits.
func inPieces(a *sparse.CSR) *storage.COO {
	var rows, cols []int
	var vals []float64
	a.DoNonZero(func(i, j int, v float64) {
		rows, cols, vals = append(rows, i, i), append(cols, j, j), append(vals, v/2, v/2)
	})
	slices.Reverse(rows)
	slices.Reverse(cols)
	slices.Reverse(vals)
	return storage.NewCOO(a.Rows, a.Cols, rows, cols, vals)
}

// storages are the same samples in every type.
func storages(a *sparse.CSR) map[string]mat.Matrix {
	return map[string]mat.Matrix{
		"own": a, "csr": a.Storage(), "csc": a.Storage().ToCSC(), "coo": inPieces(a), "dok": a.Storage().ToDOK(),
		"unmerged": inPieces(a).ToCSR(), "transpose": a.Storage().ToCSC().T().T(), "view": mat.Transpose{Matrix: a.T()},
	}
}

// The entries other than the tasks, which TestStages has, find the same bits whatever the samples
// are stored in.
func TestStorageChangesNoBit(t *testing.T) {
	a, labels := topics(60, 30, 8)
	first := a.Ptr[1] // the first sample becomes one of zeros
	a = &sparse.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: slices.Clone(a.Ptr), Col: a.Col[first:], Val: a.Val[first:]}
	for i := range a.Ptr {
		a.Ptr[i] = max(a.Ptr[i]-first, 0)
	}
	ctx, dense, o := t.Context(), a.Dense(), Options{Components: "joint", Seed: 1, Threads: 2}
	g := must(Represent(ctx, dense, LLE{Neighbors: 6}, o))(t)
	models := map[string]*Model{}
	for name, r := range map[string]interface{ Model() (*Model, error) }{"pca": embed(t, dense, PCA{}, o), "nmf": factorized(t, a, NMF{}, FactorizeOptions{Options: o})} {
		models[name] = must(r.Model())(t)
	}
	transform := func(name string) func(x mat.Matrix) (any, error) {
		return func(x mat.Matrix) (any, error) { return models[name].Transform(ctx, x, o) }
	}
	for name, c := range map[string]struct {
		asDense bool // the own compressed rows are made dense, which is the reference
		run     func(x mat.Matrix) (any, error)
	}{
		"represent": {true, func(x mat.Matrix) (any, error) {
			g, err := Represent(ctx, x, LLE{Neighbors: 6}, o)
			return []any{g.Index, g.Weight}, err
		}},
		"weights": {true, func(x mat.Matrix) (any, error) { return ReconstructionWeights(ctx, x, g, 1e-3, o) }},
		"alignment": {true, func(x mat.Matrix) (any, error) {
			phi, err := Alignment(ctx, x, LE{Neighbors: 6}, o)
			return phi.Val, err
		}},
		"transform pca": {false, transform("pca")},
		"transform nmf": {false, transform("nmf")},
		"separate": {true, func(x mat.Matrix) (any, error) {
			return SeparateErrors(ctx, x, labels, PCA{}, o, measures.Trial{Splits: 2}, measures.NN)
		}},
		"trustworthiness": {true, func(x mat.Matrix) (any, error) { return measures.Trustworthiness(ctx, x, dense, 5, measures.Options{}) }},
	} {
		t.Run(name, func(t *testing.T) {
			var reference mat.Matrix = a
			if c.asDense {
				reference = dense
			}
			want := must(c.run(reference))(t)
			for stored, x := range storages(a) {
				if got, err := c.run(x); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("%s: another result: %v", stored, err)
				}
			}
		})
	}
	if !mat.Equal(dense, a.Dense()) {
		t.Error("the samples were changed")
	}
}

// Rows in order are used where they lie.
func TestStorageIsShared(t *testing.T) {
	a, _ := topics(60, 30, 8)
	raw := a.Storage()
	s, x, err := state{Run: method.NewRun(t.Context(), "nmf", nil, Options{}, NewClock()), method: NMF{}}.hold(raw)
	if err != nil {
		t.Fatal(err)
	}
	if s, _, err = through(s, read{data: x}, densify{}); err != nil {
		t.Fatal(err)
	}
	got, from := s.x.Compressed(), raw.RawMatrix()
	if &got.Val[0] != &from.Data[0] || &got.Ptr[0] != &from.Indptr[0] {
		t.Error("the values or row pointers are copied")
	}
}

// What is held, the copy in compressed rows and the dense one are estimated and, where
// they do not fit, refused before they are made.
func TestStorageWithinMemory(t *testing.T) {
	a, _ := topics(800, 600, 150)
	few := NMF{Updates: Updates{Iterations: 2}}
	own := must(estimatedMemory(t.Context(), "factorize", a, few, Options{Threads: 2}))(t)
	for name, x := range storages(a) {
		t.Run(name, func(t *testing.T) {
			held, copied, _ := sparse.OfBytes(x)
			bytes := must(estimatedMemory(t.Context(), "factorize", x, few, Options{Threads: 2}))(t)
			// Repeats that are added leave room that was estimated.
			if want := own + held + copied - a.Bytes(); bytes < want || bytes > want+want/8 {
				t.Errorf("%d bytes estimated, where the own type takes %d, %d are held and %d copied", bytes, own, held, copied)
			}
			if copied > 0 {
				limit := memory.Process(held + copied - 1)
				_, err := estimatedMemory(t.Context(), "factorize", x, few, Options{Memory: limit})
				if !IsMemory(err) || !strings.HasPrefix(err.Error(), "nmf: the sparse data in compressed rows need about ") {
					t.Errorf("error %v of a copy that does not fit", err)
				}
			}
			for task, m := range map[string]Method{"cluster": RMNMF{}, "embed": NPCA{Iterations: 3}, "select": DPP{}} {
				_, err := estimatedMemory(t.Context(), task, x, m, Options{Memory: memory.Process(held + copied + 8*800*600 - 1)})
				if !IsMemory(err) || !strings.Contains(err.Error(), "this method needs the 800 × 600 sparse data dense, which takes about ") {
					t.Errorf("%s: error %v of dense data that do not fit", task, err)
				}
			}
			if !slices.Contains([]string{"csr", "coo", "dok"}, name) {
				return
			}
			estimate := must(estimatedMemory(t.Context(), "embed", x, NPCA{Iterations: 3}, Options{Threads: 2}))(t)
			var again int64
			var err error
			live := peakOf(t, func() {
				again, err = estimatedMemory(t.Context(), "embed", x, NPCA{Iterations: 3}, Options{Threads: 2, Memory: estimate})
			})
			if err != nil || again != estimate || live+held > estimate-memory.Program {
				t.Errorf("%d bytes live and %d held of %d estimated, %v", live, held, estimate, err)
			}
		})
	}
	// A shape that no machine holds dense, without a limit and with one.
	huge := storage.NewDOK(1<<14, 1<<30)
	if _, err := Embed(t.Context(), huge, NPCA{Iterations: 3}, Options{}); !IsMemory(err) || !strings.Contains(err.Error(), "which no machine holds") {
		t.Errorf("error %v", err)
	}
	if _, err := Embed(t.Context(), huge, NPCA{Iterations: 3}, Options{Memory: 1 << 10}); !IsMemory(err) {
		t.Errorf("error %v", err)
	}
}

func TestStorageRefusals(t *testing.T) {
	a, _ := topics(12, 30, 4)
	spoiled := func(v float64) *storage.COO {
		coo := inPieces(a)
		coo.Set(2, 21, v)
		return coo
	}
	r := refusing(t)
	r.embed("", spoiled(math.NaN()), PCA{}, Options{})
	r.factorize("", spoiled(math.Inf(1)), NMF{}, FactorizeOptions{})
	r.factorize("negative", spoiled(-100), NMF{}, FactorizeOptions{})
	r.embed("outside", storage.NewCOO(2, 3, []int{1}, []int{3}, []float64{1}), PCA{}, Options{})
	r.factorize("2 pointers", storage.NewCSR(2, 3, []int{0, 1}, []int{0}, []float64{1}), NMF{}, FactorizeOptions{})
	r.embed("no rows", storage.NewCOO(0, 3, nil, nil, nil), PCA{}, Options{})
	r.factorize("no columns", storage.NewDOK(4, 0), NMF{}, FactorizeOptions{})
	r.embed("nothing", (*storage.CSC)(nil), PCA{}, Options{})
	_, model := fittedModel(t, a, PCA{}, Options{})
	r.transform("outside", model, storage.NewCOO(1, 30, []int{1}, []int{0}, []float64{1}))
}

// halved are data in float32, and the same numbers in float64.
func halved(x *mat.Dense) (*Single, *mat.Dense) {
	n, m := x.Dims()
	s, same := &Single{n, m, make([]float32, n*m)}, mat.NewDense(n, m, nil)
	for i, v := range x.RawMatrix().Data {
		s.Data[i] = float32(v)
		same.RawMatrix().Data[i] = float64(s.Data[i])
	}
	return s, same
}

// Data in float32 of no ordinary size, and with negative entries, have the factors of the same
// numbers in float64, to the bit, and are refused in the same words; others are of TestStages.
func TestSingle(t *testing.T) {
	x, _ := groups(200, 40)
	huge, negative := scaledBy(x, 1e34), changedAt(x, 3, 2, -1)
	for name, c := range map[string]struct {
		x *mat.Dense
		m Method
	}{"huge": {huge, NMF{}}, "shifted": {negative, NMF{Updates: Updates{Shift: "columns"}}}} {
		s, same := halved(c.x)
		a, b := factorized(t, s, c.m, FactorizeOptions{}), factorized(t, same, c.m, FactorizeOptions{})
		if !mat.Equal(a.W, b.W) || !mat.Equal(a.H, b.H) || !reflect.DeepEqual(a.Trace, b.Trace) || a.Duplicates != b.Duplicates || !reflect.DeepEqual(a.Offset, b.Offset) {
			t.Errorf("%s: other factors", name)
		}
	}
	s, same := halved(negative)
	r := refusing(t)
	r.factorize("float32", s, NMF{}, FactorizeOptions{})
	r.factorize("float64", same, NMF{}, FactorizeOptions{})
}

// Data in float32 take half: no copy in float64 is made of them, and none is estimated.
func TestSingleMemory(t *testing.T) {
	const n, m = 4000, 500
	s := &Single{n, m, make([]float32, n*m)}
	for i := range s.Data {
		s.Data[i] = float32(i*7919%1000) / 1000
	}
	var r *Factorization
	held := peakOf(t, func() {
		r = factorized(t, s, NMF{Updates: Updates{Iterations: 20}}, FactorizeOptions{Rank: 5})
	})
	if held > 4*n*m {
		t.Errorf("%d bytes in addition to the data, which have %d", held, 4*n*m)
	}
	d := mat.NewDense(n, m, nil)
	for i, v := range s.Data {
		d.RawMatrix().Data[i] = float64(v)
	}
	if twice := factorized(t, d, NMF{Updates: Updates{Iterations: 1}}, FactorizeOptions{Rank: 5}); twice.EstimatedBytes-r.EstimatedBytes < 4*n*m {
		t.Errorf("%d bytes are estimated, of float64 %d", r.EstimatedBytes, twice.EstimatedBytes)
	}
}

// Samples in a smaller type give the same bits as in float64, and those in float64 are not copied.
func TestStoredTypesChangeNoBit(t *testing.T) {
	a, _ := topics(60, 30, 8)
	dense := mat.DenseCopyOf(a)
	single := make([]float32, 0, 60*30)
	for i := range 60 {
		for j, v := range dense.RawRowView(i) {
			single = append(single, float32(v))
			dense.Set(i, j, float64(float32(v)))
		}
	}
	want := embed(t, dense, LLE{Neighbors: 6}, Options{Components: "joint"})
	for _, x := range []*neighbors.Stored{neighbors.StoredOf(60, 30, single), neighbors.StoredOf(60, 30, dense.RawMatrix().Data)} {
		if r := embed(t, x, LLE{Neighbors: 6}, Options{Components: "joint"}); !mat.Equal(r.Y, want.Y) {
			t.Errorf("%s changes the map", x.Type())
		}
	}
}
