package engine

import (
	"context"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// gapped are samples of a low rank, and the same with NaN in a fifth of the entries.
func gapped(n, m, r int, seed uint64) (whole, holes *mat.Dense) {
	random := blas.NewStream(seed)
	w, h := mat.NewDense(n, r, nil), mat.NewDense(r, m, nil)
	random.Uniforms(w.RawMatrix().Data)
	random.Uniforms(h.RawMatrix().Data)
	whole = mat.NewDense(n, m, nil)
	whole.Mul(w, h)
	holes = mat.DenseCopyOf(whole)
	for i := range n {
		for j := range m {
			if random.Below(5) == 0 && i%m != j && j%n != i {
				holes.Set(i, j, math.NaN())
			}
		}
	}
	return whole, holes
}

// weighingMethods are the methods with missing entries.
func weighingMethods() []Method {
	return []Method{
		NMF{LeastSquares: LeastSquares{Solver: "hals"}, MissingEntries: MissingEntries{Missing: "weight"}},
		NMF{LeastSquares: LeastSquares{Solver: "mu"}, MissingEntries: MissingEntries{Missing: "weight"}},
		NMFKL{MissingEntries: MissingEntries{Missing: "weight"}},
		L21NMF{MissingEntries: MissingEntries{Missing: "weight"}},
	}
}

// Missing entries are imputed by the model, others stay; entry weights of 0 do the same, and
// so do the entries that sparse data store as NaN or, where that is asked for, do not store.
func TestMissingEntriesAreImputed(t *testing.T) {
	const n, m, r = 60, 40, 3
	whole, holes := gapped(n, m, r, 3)
	weights := mat.NewDense(n, m, nil)
	var gaps int
	for i := range n {
		for j := range m {
			if !math.IsNaN(holes.At(i, j)) {
				weights.Set(i, j, 1)
			} else {
				gaps++
			}
		}
	}
	for _, method := range weighingMethods() {
		o := FactorizeOptions{Rank: r, Impute: true}
		found := factorized(t, holes, method, o)
		if share := found.Details["missing_share"].(float64); math.Abs(share-float64(gaps)/(n*m)) > 1e-12 {
			t.Errorf("%s: missing_share %v", method.Name(), share)
		}
		var off, size, plain float64
		means := make([]float64, m)
		for j := range m {
			var count float64
			for i := range n {
				if v := holes.At(i, j); !math.IsNaN(v) {
					means[j], count = means[j]+v, count+1
				}
			}
			means[j] /= count
		}
		for i := range n {
			for j := range m {
				if !math.IsNaN(holes.At(i, j)) {
					if found.Imputed.At(i, j) != holes.At(i, j) {
						t.Fatalf("%s: an entry that is known changes from %v to %v", method.Name(), holes.At(i, j), found.Imputed.At(i, j))
					}
					continue
				}
				e := found.Imputed.At(i, j) - whole.At(i, j)
				p := means[j] - whole.At(i, j)
				off, plain, size = off+e*e, plain+p*p, size+whole.At(i, j)*whole.At(i, j)
			}
		}
		if off > 0.09*plain {
			t.Errorf("%s: imputed entries are off by %.3g of their size, column means by %.3g", method.Name(), math.Sqrt(off/size), math.Sqrt(plain/size))
		}
		o.EntryWeights = weights
		again := factorized(t, whole, method, o)
		if !mat.Equal(again.W, found.W) || !mat.Equal(again.H, found.H) || !mat.Equal(again.Imputed, found.Imputed) {
			t.Errorf("%s: weights of 0 are not missing entries", method.Name())
		}
	}
}

// Sparse data lack the entries that they do not store, or only those that are NaN.
func TestMissingEntriesOfSparseData(t *testing.T) {
	const n, m, r = 50, 30, 3
	_, holes := gapped(n, m, r, 4)
	var known, all []sparse.Triplet
	for i := range n {
		for j := range m {
			v := holes.At(i, j)
			all = append(all, sparse.Triplet{Row: i, Col: j, Val: v})
			if !math.IsNaN(v) {
				known = append(known, sparse.Triplet{Row: i, Col: j, Val: v})
			}
		}
	}
	stored, _ := sparse.FromTriplets(n, m, known)
	full, _ := sparse.FromTriplets(n, m, all)
	missing, both := MissingEntries{Missing: "weight"}, MissingEntries{Missing: "weight", Unstored: "missing"}
	descent := LeastSquares{Solver: "hals", Sweeps: 1}
	for _, pair := range [][2]Method{
		{NMF{LeastSquares: descent, MissingEntries: missing}, NMF{LeastSquares: descent, MissingEntries: both}},
		{NMFKL{MissingEntries: missing}, NMFKL{MissingEntries: both}},
	} {
		method := pair[0]
		o := FactorizeOptions{Rank: r}
		dense := factorized(t, holes, method, o)
		fromNaN := factorized(t, full, method, o)
		unstored := factorized(t, stored, pair[1], o)
		for name, found := range map[string]*Factorization{"NaN": fromNaN, "unstored": unstored} {
			if !found.Sparse {
				t.Errorf("%s, %s: sparse data were made dense", method.Name(), name)
			}
			if !mat.EqualApprox(found.W, dense.W, 1e-6) || !mat.EqualApprox(found.H, dense.H, 1e-6) {
				t.Errorf("%s, %s: other factors than of dense data", method.Name(), name)
			}
		}
	}
}

// A model maps samples with missing entries, and whole ones as it would without them; that
// survives a file. A model of whole data refuses them.
func TestModelsOfMissingEntries(t *testing.T) {
	const n, m, r = 50, 30, 3
	whole, holes := gapped(n, m, r, 5)
	for _, method := range weighingMethods() {
		found := factorized(t, holes, method, FactorizeOptions{Rank: r})
		model := must(found.Model())(t)
		loaded := loaded(t, saved(t, model))
		if loaded.Params["missing"] != "weight" {
			t.Errorf("%s: the model says missing=%v", method.Name(), loaded.Params["missing"])
		}
		mixed := mat.DenseCopyOf(holes)
		mixed.SetRow(7, whole.RawRowView(7))
		y := transformed(t, loaded, mixed, Options{})
		own, err := model.Transform(context.Background(), mixed, Options{Threads: 3})
		if err != nil || !mat.Equal(y, own) {
			t.Errorf("%s: the loaded model gives other coordinates (%v)", method.Name(), err)
		}
		all, err := loaded.Transform(context.Background(), whole, Options{})
		if err != nil || !slices.Equal(all.RawRowView(7), y.RawRowView(7)) {
			t.Errorf("%s: a whole sample gets other coordinates among others (%v)", method.Name(), err)
		}
		var back mat.Dense
		back.Mul(y, found.H)
		back.Sub(&back, whole)
		if e := mat.Norm(&back, 2) / mat.Norm(whole, 2); e > 0.05 {
			t.Errorf("%s: new samples with gaps are %.3g away from their model", method.Name(), e)
		}
		mixed.SetRow(2, slices.Repeat([]float64{math.NaN()}, m))
		if _, err := loaded.Transform(context.Background(), mixed, Options{}); err == nil || err.Error() != method.Name()+": row 3 (counting from 1) has no entry that is known; leave it out" {
			t.Errorf("%s: a row without an entry: %v", method.Name(), err)
		}
		plain := factorized(t, whole, method, FactorizeOptions{Rank: r})
		if plain.Details["missing_share"] != nil {
			t.Errorf("%s: whole data have a share of missing entries", method.Name())
		}
	}
	found := factorized(t, whole, NMF{}, FactorizeOptions{Rank: r})
	model, _ := found.Model()
	if _, err := model.Transform(context.Background(), holes, Options{}); err == nil || !strings.Contains(err.Error(), "has NaN in column") {
		t.Errorf("a model of whole data takes NaN: %v", err)
	}
}

// Data of any unit and with a shift lack entries as well.
func TestMissingEntriesScaledAndShifted(t *testing.T) {
	const n, m, r = 40, 25, 2
	_, holes := gapped(n, m, r, 6)
	method := NMF{MissingEntries: MissingEntries{Missing: "weight"}}
	want := factorized(t, holes, method, FactorizeOptions{Rank: r, Impute: true})
	var large mat.Dense
	large.Scale(math.Ldexp(1, 300), holes)
	got := factorized(t, &large, method, FactorizeOptions{Rank: r, Impute: true})
	got.Imputed.Scale(math.Ldexp(1, -300), got.Imputed)
	if !mat.EqualApprox(got.Imputed, want.Imputed, 1e-9) {
		t.Error("data times 2^300 are imputed otherwise")
	}
	var lower mat.Dense
	lower.Apply(func(_, j int, v float64) float64 { return v - float64(j) }, holes)
	method.Shift = "columns"
	shifted := factorized(t, &lower, method, FactorizeOptions{Rank: r, Impute: true})
	for i := range n {
		for j := range m {
			v := shifted.Imputed.At(i, j)
			if math.IsNaN(v) || !math.IsNaN(lower.At(i, j)) && v != lower.At(i, j) || v < -float64(j)-0.5 || v > 2-float64(j) {
				t.Fatalf("row %d, column %d of shifted data is imputed as %v", i, j, v)
			}
		}
	}
}

// What cannot be weighed is refused in one line that says what would mend it.
func TestMissingEntriesRefused(t *testing.T) {
	x := mat.NewDense(3, 4, []float64{1, 2, 3, 4, 5, 6, math.NaN(), 8, 9, 1, 2, 3})
	whole := mat.NewDense(3, 4, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3})
	below := mat.NewDense(3, 4, []float64{1, 2, 3, 4, 5, -6, 7, 8, 9, 1, 2, 3})
	endless := mat.NewDense(3, 4, []float64{1, 2, 3, 4, 5, math.Inf(1), 7, 8, 9, 1, 2, 3})
	sparseX, _ := sparse.FromTriplets(3, 4, []sparse.Triplet{{Row: 0, Col: 0, Val: 1}, {Row: 1, Col: 1, Val: 2}, {Row: 2, Col: 2, Val: 3}})
	weights := func(change map[int]float64) *mat.Dense {
		v := mat.NewDense(3, 4, slices.Repeat([]float64{1}, 12))
		for at, w := range change {
			v.Set(at/4, at%4, w)
		}
		return v
	}
	by := NMF{MissingEntries: MissingEntries{Missing: "weight"}}
	unstored := by
	unstored.Unstored = "missing"
	alone := NMF{MissingEntries: MissingEntries{Unstored: "missing"}}
	r := refusing(t)
	r.factorize("", x, NMF{}, FactorizeOptions{Rank: 2, EntryWeights: nil})
	r.factorize("", x, NMF{}, FactorizeOptions{Rank: 2, EntryWeights: weights(map[int]float64{6: 0})})
	r.factorize("", x, GNMF{}, FactorizeOptions{Rank: 2, EntryWeights: nil})
	r.factorize("", whole, GNMF{}, FactorizeOptions{Rank: 2, EntryWeights: weights(nil)})
	r.factorize("", endless, by, FactorizeOptions{Rank: 2, EntryWeights: nil})
	r.factorize("", whole, by, FactorizeOptions{Rank: 2, EntryWeights: mat.NewDense(2, 4, make([]float64, 8))})
	r.factorize("", whole, by, FactorizeOptions{Rank: 2, EntryWeights: weights(map[int]float64{6: -1})})
	r.factorize("", whole, by, FactorizeOptions{Rank: 2, EntryWeights: weights(map[int]float64{6: math.NaN()})})
	r.factorize("", whole, by, FactorizeOptions{Rank: 2, EntryWeights: weights(map[int]float64{4: 0, 5: 0, 6: 0, 7: 0})})
	r.factorize("", x, by, FactorizeOptions{Rank: 2, EntryWeights: weights(map[int]float64{2: 0, 10: 0})})
	r.factorize("", below, by, FactorizeOptions{Rank: 2, EntryWeights: weights(nil)})
	r.factorize("", whole, unstored, FactorizeOptions{Rank: 2, EntryWeights: nil})
	r.factorize("", sparseX, alone, FactorizeOptions{Rank: 2, EntryWeights: nil})
	r.factorize("", sparseX, unstored, FactorizeOptions{Rank: 2, EntryWeights: nil})
	for _, c := range []struct {
		method NMF
		says   string
	}{
		{NMF{LeastSquares: LeastSquares{Solver: "hals"}, Extrapolate: true}, "Extrapolate goes with no weights"},
		{NMF{LeastSquares: LeastSquares{Solver: "mu"}, Order: "codes-first"}, "Order: \"codes-first\" goes with no weights"},
		{NMF{Stopping: Stopping{Stop: "violation"}, Updates: Updates{Tolerance: 1e-3}}, "Stop: \"violation\" goes with no weights"},
		{NMF{Start: Start{Init: "nndsvda"}}, "Init: \"nndsvda\" needs data that are known throughout"},
	} {
		c.method.Missing = "weight"
		if _, err := Factorize(context.Background(), x, c.method, FactorizeOptions{Rank: 2}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("got %v, want %s", err, c.says)
		}
	}
	if _, err := Cluster(context.Background(), whole, by, ClusterOptions{Clusters: 2}); err == nil || !strings.Contains(err.Error(), "are of a factorisation") {
		t.Errorf("a clustering takes Missing: \"weight\": %v", err)
	}
	// Without weights a negative entry of weight 0 is one of none.
	if _, err := Factorize(context.Background(), below, by, FactorizeOptions{Rank: 2, EntryWeights: weights(map[int]float64{5: 0})}); err != nil {
		t.Error(err)
	}
}

// Entries that the known ones do not determine are imputed far off, which is warned of; a
// penalty mends it.
func TestImputedFarOff(t *testing.T) {
	// The last sample is known where the second group of columns is hardly there, and lacks it.
	x := mat.NewDense(5, 4, []float64{
		4, 4, 0, 0,
		5, 4, 0, 0,
		0, 0.001, 8, 8,
		0, 0.002, 9, 9,
		0, 3, math.NaN(), math.NaN(),
	})
	method := NMF{LeastSquares: LeastSquares{Solver: "hals"}, MissingEntries: MissingEntries{Missing: "weight"}, Updates: Updates{Iterations: 2000}}
	warned := func() bool {
		r := factorized(t, x, method, FactorizeOptions{Rank: 2, Impute: true})
		return slices.ContainsFunc(r.Warnings, func(s string) bool { return strings.Contains(s, "the known entries do not determine it") })
	}
	if !warned() {
		t.Error("no warning of entries that are imputed far off")
	}
	method.AlphaW = 0.05
	if warned() {
		t.Error("with a penalty entries are imputed far off")
	}
}

// hidden are data with NaN in a share of their entries, and these.
func hidden(t *testing.T, x *mat.Dense, share float64, seed uint64) (*mat.Dense, *nmf.HeldOut) {
	t.Helper()
	n, m := x.Dims()
	held := must(nmf.HoldOut(nmf.Dense(n, m, x.RawMatrix().Data), share, seed))(t)
	holes := mat.DenseCopyOf(x)
	for i := range n {
		cols, _ := held.Values.Row(i)
		for _, j := range cols {
			holes.Set(i, int(j), math.NaN())
		}
	}
	return holes, held
}

// imputationError is ‖X − X̂‖/‖X‖ over the hidden entries.
func imputationError(held *nmf.HeldOut, imputed *mat.Dense) float64 {
	var off, size float64
	for i := range held.Values.Rows {
		cols, vals := held.Values.Row(i)
		for p, j := range cols {
			e := vals[p] - imputed.At(i, int(j))
			off, size = off+e*e, size+vals[p]*vals[p]
		}
	}
	return math.Sqrt(off / size)
}

// byMeans fills holes with the means of the columns.
func byMeans(holes *mat.Dense) *mat.Dense {
	n, m := holes.Dims()
	filled := mat.DenseCopyOf(holes)
	for j := range m {
		var sum, count float64
		for i := range n {
			if v := holes.At(i, j); !math.IsNaN(v) {
				sum, count = sum+v, count+1
			}
		}
		for i := range n {
			if math.IsNaN(holes.At(i, j)) {
				filled.Set(i, j, sum/count)
			}
		}
	}
	return filled
}

// bySVD fills holes by the product of the leading singular vectors, again and again, from the
// means of the columns (the iteration of softImpute, Mazumder et al. 2010, without its
// shrinkage).
func bySVD(holes *mat.Dense, rank, rounds int) *mat.Dense {
	n, m := holes.Dims()
	filled := byMeans(holes)
	model := mat.NewDense(n, m, nil)
	for range rounds {
		var gram mat.SymDense
		gram.SymOuterK(1, filled.T())
		var e mat.EigenSym
		e.Factorize(&gram, true)
		var all mat.Dense
		e.VectorsTo(&all)
		leading := all.Slice(0, m, m-rank, m)
		var scores mat.Dense
		scores.Mul(filled, leading)
		model.Mul(&scores, leading.T())
		for i := range n {
			for j := range m {
				if math.IsNaN(holes.At(i, j)) {
					filled.Set(i, j, model.At(i, j))
				}
			}
		}
	}
	return filled
}

// Hidden entries of real data are imputed with less than four fifths of the error of column means, and
// with ORTHANT_LONG set the errors of other ranks and shares are printed, too.
func TestImputationOfRealData(t *testing.T) {
	if testing.Short() {
		t.Skip("takes many seconds")
	}
	for _, set := range []struct {
		file  string
		every int
		ranks []int
	}{{"mfeat-fac.X.npy", 1, []int{10, 20, 40}}, {"usps.X.npy", 5, []int{10, 20, 40}}} {
		if set.every > 1 && os.Getenv("ORTHANT_LONG") == "" {
			continue
		}
		all := dataset(t, set.file)
		rows, m := all.Dims()
		x := mat.NewDense(rows/set.every, m, nil)
		for i := range rows / set.every {
			x.SetRow(i, all.RawRowView(i*set.every))
		}
		for _, share := range []float64{0.1, 0.3, 0.5} {
			holes, held := hidden(t, x, share, 1)
			means := imputationError(held, byMeans(holes))
			for _, rank := range set.ranks {
				if os.Getenv("ORTHANT_LONG") == "" && (rank != 20 || share != 0.3) {
					continue // these are printed, and nothing is held to them
				}
				errorOf := func(m Method) float64 {
					return imputationError(held, factorized(t, holes, m, FactorizeOptions{Rank: rank, Impute: true}).Imputed)
				}
				missing := MissingEntries{Missing: "weight"}
				least := errorOf(NMF{LeastSquares: LeastSquares{Solver: "hals"}, MissingEntries: missing})
				if rank == 20 && share == 0.3 && !(least < 0.8*means) {
					t.Errorf("%s, %g %% hidden: error %.4f by nmf, %.4f by column means", set.file, 100*share, least, means)
				}
				if os.Getenv("ORTHANT_LONG") != "" {
					t.Logf("%s, %g %% hidden, rank %d: nmf %.4f, nmf-kl %.4f, singular vectors %.4f, column means %.4f", set.file, 100*share, rank,
						least, errorOf(NMFKL{Updates: Updates{Iterations: 200}, MissingEntries: missing}), imputationError(held, bySVD(holes, rank, 40)), means)
				}
			}
		}
	}
}
