package engine

import (
	"cmp"
	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/sparse"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// twoBlocks are samples of r parts seen by two blocks of 20 and 180 columns with noise; the second has numbers a hundred times as
// large. truth are the coordinates.
func twoBlocks(n, r int) (x *mat.Dense, blocks []int64, truth *mat.Dense) {
	const first, m = 20, 200
	random := blas.NewStream(11)
	truth, blocks = mat.NewDense(n, r, nil), make([]int64, m)
	h := mat.NewDense(r, m, nil)
	for i := range n {
		for k := range r {
			truth.Set(i, k, max(0, random.Uniform()-0.4))
		}
	}
	for j := range m {
		unit := 1.0
		if j >= first {
			blocks[j], unit = 7, 100
		}
		for k := range r {
			h.Set(k, j, unit*max(0, random.Uniform()-0.3))
		}
		// Each block does not tell two of the parts apart.
		a, b := 0, 1
		if j >= first {
			a, b = 2, 3
		}
		h.Set(b, j, h.At(a, j))
	}
	x = mat.NewDense(n, m, nil)
	x.Mul(truth, h)
	x.Apply(func(_, j int, v float64) float64 { return v * (0.7 + 0.6*random.Uniform()) }, x)
	return x, blocks, truth
}

// recovered is the mean over the true parts of the cosine of their coordinates to the nearest found.
func recovered(truth, w *mat.Dense) (mean float64) {
	_, r := truth.Dims()
	_, found := w.Dims()
	for k := range r {
		a, best := mat.Col(nil, k, truth), 0.0
		for l := range found {
			if b := mat.Col(nil, l, w); blas.Dot(b, b) > 0 {
				best = max(best, blas.Dot(a, b)/math.Sqrt(blas.Dot(a, a)*blas.Dot(b, b)))
			}
		}
		mean += best / float64(r)
	}
	return mean
}

func columnsOf(x *mat.Dense, blocks []int64, label int64) *mat.Dense {
	n, _ := x.Dims()
	var part [][]float64
	for j, b := range blocks {
		if b == label {
			part = append(part, mat.Col(nil, j, x))
		}
	}
	y := mat.NewDense(n, len(part), nil)
	for j, c := range part {
		y.SetCol(j, c)
	}
	return y
}

// Two blocks with equal say find the parts that neither finds alone, nor both where the one with large numbers decides.
func TestJointBlocksRecoverMore(t *testing.T) {
	x, blocks, truth := twoBlocks(300, 4)
	fit := func(x *mat.Dense, c Collection) float64 {
		return recovered(truth, factorized(t, x, NMF{Updates: Updates{Iterations: 400}}, FactorizeOptions{Rank: 4, Collection: c}).W)
	}
	both := fit(x, Collection{Blocks: blocks})
	for what, other := range map[string]float64{
		"the first block":  fit(columnsOf(x, blocks, 0), Collection{}),
		"the second block": fit(columnsOf(x, blocks, 7), Collection{}),
		"equal weights":    fit(x, Collection{Blocks: blocks, BlockWeights: "equal"}),
	} {
		t.Logf("%s: %.3f, both %.3f", what, other, both)
		if !(both > other+0.01) {
			t.Errorf("both blocks recover %.3f, %s %.3f", both, what, other)
		}
	}
}

// Weighted blocks are the objective of their definition: that of columns multiplied by the root of the weight, of KL and β by
// their own powers. More weight lowers the error of a block; sparse data give the same.
func TestBlockWeightsAreTheObjective(t *testing.T) {
	x, blocks, _ := twoBlocks(80, 4)
	beta, few := 1.5, Updates{Iterations: 30}
	for _, c := range []struct {
		m      Method
		degree float64
	}{{NMF{Updates: few}, 2}, {NMF{LeastSquares: LeastSquares{Solver: "mu"}, Updates: few}, 2}, {NMFKL{Updates: few}, 1}, {NMFBeta{Beta: &beta, Updates: few}, 1.5}, {L21NMF{Updates: few}, 2}} {
		scaled := mat.DenseCopyOf(x)
		weights := map[int64]float64{0: 9, 7: 0.25}
		scaled.Apply(func(_, j int, v float64) float64 { return v * math.Pow(weights[blocks[j]], 1/c.degree) }, scaled)
		for what, data := range map[string]mat.Matrix{"dense": x, "sparse": compressedOf(t, x)} {
			var by mat.Matrix = scaled
			if what == "sparse" {
				by = compressedOf(t, scaled)
			}
			want := factorized(t, by, c.m, FactorizeOptions{Rank: 3})
			got := must(Factorize(t.Context(), data, c.m, FactorizeOptions{Rank: 3, Collection: Collection{Blocks: blocks, BlockWeights: "9, 0.25"}}))(t)
			h := mat.DenseCopyOf(got.H)
			h.Apply(func(_, j int, v float64) float64 { return v * math.Pow(weights[blocks[j]], 1/c.degree) }, h)
			if d := relativeDistance(h, want.H, 1) + relativeDistance(got.W, want.W, 1); !(d < 1e-6) {
				t.Errorf("%s, %s: %g off the factors of scaled columns", got.Method, what, d)
			}
		}
	}
	var errors [2]float64
	for i, text := range []string{"equal", "1e6,1"} {
		r := factorized(t, x, NMF{}, FactorizeOptions{Rank: 3, Collection: Collection{Blocks: blocks, BlockWeights: text}})
		errors[i] = r.Blocks[0].RelativeError
		part := columnsOf(x, blocks, 0)
		whole := mat.NewDense(80, 20, nil)
		whole.Mul(r.W, columnsOf(r.H, blocks, 0))
		whole.Sub(whole, part)
		if off := mat.Norm(whole, 2) / mat.Norm(part, 2); math.Abs(off-errors[i]) > 1e-9 {
			t.Errorf("the first block has the error %v, by its definition %v", errors[i], off)
		}
	}
	if !(errors[1] < 0.95*errors[0]) {
		t.Errorf("with a million times the weight the first block has the error %v, before %v", errors[1], errors[0])
	}
	auto := factorized(t, x, NMF{}, FactorizeOptions{Rank: 3, Collection: Collection{Blocks: blocks}})
	a, b := mat.Norm(columnsOf(x, blocks, 0), 2), mat.Norm(columnsOf(x, blocks, 7), 2)
	if got := auto.Blocks[0].Weight * a * a / (auto.Blocks[1].Weight * b * b); math.Abs(got-1) > 1e-9 {
		t.Errorf("the automatic weights count the blocks as %v : 1", got)
	}
}

// Samples that lack a block, which is imputed; a model maps new samples that lack one. Nothing of n × m numbers is made for the gaps.
func TestMissingBlocksAreImputed(t *testing.T) {
	x, blocks, _ := twoBlocks(300, 4)
	holes := mat.DenseCopyOf(x)
	holes.Apply(func(i, j int, v float64) float64 {
		if i%3 == 0 && blocks[j] == 0 || i%5 == 1 && blocks[j] == 7 && i%3 != 0 {
			return math.NaN()
		}
		return v
	}, holes)
	for _, m := range []Method{NMF{MissingEntries: MissingEntries{Missing: "weight"}, Updates: Updates{Iterations: 500}}, NMFKL{MissingEntries: MissingEntries{Missing: "weight"}}} {
		o := FactorizeOptions{Rank: 4, Impute: true, Collection: Collection{Blocks: blocks}, Options: Options{Model: true}}
		r := factorized(t, holes, m, o)
		var off, size, plain float64
		for j := range 200 {
			var mean, count float64
			for i := range 300 {
				if v := holes.At(i, j); !math.IsNaN(v) {
					mean, count = mean+v, count+1
				}
			}
			mean /= count
			for i := range 300 {
				if v := x.At(i, j); math.IsNaN(holes.At(i, j)) {
					unit := math.Pow(100, -float64(blocks[j]/7))
					off += math.Pow(unit*(r.Imputed.At(i, j)-v), 2)
					plain += math.Pow(unit*(mean-v), 2)
					size += math.Pow(unit*v, 2)
				} else if r.Imputed.At(i, j) != v {
					t.Fatalf("%s: entry %d, %d changed", r.Method, i, j)
				}
			}
		}
		t.Logf("%s: imputed blocks are off by %.3f, by the means of columns %.3f", r.Method, math.Sqrt(off/size), math.Sqrt(plain/size))
		if !(off < 0.75*plain) {
			t.Errorf("%s: imputed blocks are off by %.3f, by the means of columns %.3f", r.Method, math.Sqrt(off/size), math.Sqrt(plain/size))
		}
		if _, is := m.(NMF); is && (r.Blocks[0].Lacking != 100 || r.Blocks[1].Lacking != 40) {
			t.Errorf("%d and %d samples lack a block", r.Blocks[0].Lacking, r.Blocks[1].Lacking)
		}
		codes := transformed(t, loaded(t, saved(t, must(r.Model())(t))), holes, Options{})
		if d := relativeDistance(codes, r.W, 1); !(d < 0.25) {
			t.Errorf("%s: the codes of the samples of the fit are %v off", r.Method, d)
		}
		three := o
		three.Threads = 3
		if again := factorized(t, holes, m, three); !sameEntries(again.W, r.W) || !sameEntries(again.H, r.H) {
			t.Errorf("%s: other bits by three threads", r.Method)
		}
	}
}

// twoDatasets are mixtures of three parts, one of which prevails, in two datasets, of which the second has more in a third of the
// columns of each part.
func twoDatasets(n, m int) (x *mat.Dense, datasets, kinds []int64) {
	random := blas.NewStream(5)
	x, datasets, kinds = mat.NewDense(n, m, nil), make([]int64, n), make([]int64, n)
	parts := mat.NewDense(6, m, nil) // of both datasets
	for k := range 3 {
		for j := range m {
			v := 0.1 * random.Uniform()
			if j%4 == k {
				v += 0.7 + 0.6*random.Uniform()
			}
			parts.Set(k, j, v)
			if random.Below(3) == 0 {
				v += random.Uniform()
			}
			parts.Set(3+k, j, v)
		}
	}
	for i := range n {
		datasets[i], kinds[i] = int64(3+4*(i%2)), int64(i/2%3)
		for k := range 3 {
			w := random.Uniform()
			if k == int(kinds[i]) {
				w += 2
			}
			for j := range m {
				x.Set(i, j, x.At(i, j)+w*parts.At(3*(i%2)+k, j))
			}
		}
		for j := range m {
			x.Set(i, j, x.At(i, j)*(0.6+0.8*random.Uniform()))
		}
	}
	return x, datasets, kinds
}

// agreement is the share of the nearest rows, of ten a row, that have its label.
func agreement(t *testing.T, w *mat.Dense, labels []int64) float64 {
	t.Helper()
	n, _ := w.Dims()
	unit := mat.DenseCopyOf(w)
	for i := range n {
		if row := unit.RawRowView(i); blas.Dot(row, row) > 0 {
			blas.Scale(1/math.Sqrt(blas.Dot(row, row)), row)
		}
	}
	g := must(neighbors.Exact(t.Context(), neighbors.Points{Data: unit.RawMatrix().Data, N: n, M: unit.RawMatrix().Cols}, 10, neighbors.Options{}))(t)
	same := 0
	for i := range n {
		for _, j := range g.Index[g.Ptr[i]:g.Ptr[i+1]] {
			if labels[i] == labels[j] {
				same++
			}
		}
	}
	return float64(same) / float64(10*n)
}

// Own parts take the effect of the dataset, so that samples are near their kind and not their dataset.
func TestDatasetsShareComponents(t *testing.T) {
	x, datasets, kinds := twoDatasets(240, 60)
	fit := func(c Collection) *Factorization {
		return factorized(t, x, NMF{}, FactorizeOptions{Rank: 3, Collection: c, Options: Options{Model: true}})
	}
	plain, own := fit(Collection{}), fit(Collection{Datasets: datasets, OwnPenalty: 0.03})
	mixed, apart := agreement(t, own.W, datasets), agreement(t, plain.W, datasets)
	if !(mixed < 0.56 && apart > 0.6) {
		t.Errorf("%.2f of the neighbours are of the same dataset, without own parts %.2f", mixed, apart)
	}
	if of := agreement(t, own.W, kinds); !(of > 0.95) {
		t.Errorf("%.2f of the neighbours are of the same kind", of)
	}
	if !(own.Datasets[1].OwnShare > 0.05) || own.Datasets[0].Label != 3 || own.Datasets[1].Samples != 120 {
		t.Errorf("datasets: %+v", own.Datasets)
	}
	strict := fit(Collection{Datasets: datasets, OwnPenalty: 1e4})
	if !(strict.Datasets[1].OwnShare < 0.1*own.Datasets[1].OwnShare) {
		t.Errorf("a penalty of 1e4 leaves an own share of %v", strict.Datasets[1].OwnShare)
	}
	for d, set := range own.Datasets {
		var off, size float64
		for i, label := range datasets {
			if label != set.Label {
				continue
			}
			for j := range 60 {
				y := 0.0
				for k := range 3 {
					y += own.W.At(i, k) * (own.H.At(k, j) + own.Own.At(3*d+k, j))
				}
				off += math.Pow(x.At(i, j)-y, 2)
				size += math.Pow(x.At(i, j), 2)
			}
		}
		if e := math.Sqrt(off / size); math.Abs(e-set.RelativeError) > 1e-9 {
			t.Errorf("dataset %d has the error %v, by its definition %v", set.Label, set.RelativeError, e)
		}
	}
}

// A model keeps H and the own parts: samples of a dataset of the fit get the coordinates that the fit gave them, and those
// of another one are mapped by H.
func TestModelOfDatasets(t *testing.T) {
	x, datasets, _ := twoDatasets(120, 30)
	scale := make([]int64, 30)
	for j := range 10 {
		scale[j] = 1
	}
	for _, c := range []Collection{{Datasets: datasets, OwnPenalty: 0.5}, {Datasets: datasets, OwnPenalty: 2, Blocks: scale, BlockWeights: "3,0.5"}} {
		r := factorized(t, x, NMF{Updates: Updates{Iterations: 3000, Tolerance: 1e-9}}, FactorizeOptions{Rank: 3, Collection: c, Options: Options{Model: true}})
		model := loaded(t, saved(t, must(r.Model())(t)))
		for _, label := range []int64{3, 7} {
			for what, data := range map[string]mat.Matrix{"dense": x, "sparse": compressedOf(t, x)} {
				codes := must(model.Transform(t.Context(), data, Options{Dataset: &label}))(t)
				var off, size float64
				for i, of := range datasets {
					if of == label {
						for k := range 3 {
							off += math.Pow(codes.At(i, k)-r.W.At(i, k), 2)
							size += math.Pow(r.W.At(i, k), 2)
						}
					}
				}
				if d := math.Sqrt(off / size); !(d < 1e-3) {
					t.Errorf("dataset %d, %s: the codes of the samples of the fit are %v off", label, what, d)
				}
			}
		}
		shared := must(NNLSOf(t, r, x, c))(t)
		if d := relativeDistance(must(model.Transform(t.Context(), x, Options{}))(t), shared, 1); !(d < 1e-3) {
			t.Errorf("samples of no dataset are %v off the minimum with H alone", d)
		}
	}
	other := int64(5)
	r := factorized(t, x, NMF{}, FactorizeOptions{Rank: 3, Collection: Collection{Datasets: datasets}, Options: Options{Model: true}})
	_, err := must(r.Model())(t).Transform(t.Context(), x, Options{Dataset: &other})
	refused(t, err, "no dataset 5 was fitted, only [3 7]")
	plain := factorized(t, x, NMF{}, FactorizeOptions{Rank: 3, Options: Options{Model: true}})
	_, err = must(plain.Model())(t).Transform(t.Context(), x, Options{Dataset: &other})
	refused(t, err, "fitted to no datasets")
}

// NNLSOf are the coordinates by H alone, found by many steps of one coordinate at a time.
func NNLSOf(t *testing.T, r *Factorization, x *mat.Dense, c Collection) (*mat.Dense, error) {
	t.Helper()
	n, m := x.Dims()
	w := mat.NewDense(n, r.Rank, nil)
	weight := func(j int) float64 {
		if c.Blocks == nil {
			return 1
		}
		return r.Blocks[c.Blocks[j]].Weight
	}
	for i := range n {
		for range 600 {
			for k := range r.Rank {
				var slope, curvature float64
				for j := range m {
					e := x.At(i, j)
					for l := range r.Rank {
						e -= w.At(i, l) * r.H.At(l, j)
					}
					slope += weight(j) * e * r.H.At(k, j)
					curvature += weight(j) * r.H.At(k, j) * r.H.At(k, j)
				}
				if curvature > 0 {
					w.Set(i, k, max(0, w.At(i, k)+slope/curvature))
				}
			}
		}
	}
	return w, nil
}

// Cells of two made datasets, of real counts: with own parts they mix across the datasets and stay with their kind.
func TestDatasetsOfCells(t *testing.T) {
	x, batch, kinds := cellsOfTwoBatches(t)
	n, _ := x.Dims()
	cases := []Collection{{}, {Datasets: batch, OwnPenalty: 0.3}}
	ranks := []int{5}
	if os.Getenv("ORTHANT_TABLE") != "" {
		cases, ranks = append(cases, Collection{Datasets: batch, OwnPenalty: 0.1}, Collection{Datasets: batch, OwnPenalty: 1}, Collection{Datasets: batch}), []int{5, 10, 20}
	}
	var same, kind []float64
	for _, rank := range ranks {
		for _, c := range cases {
			r := must(Factorize(t.Context(), x, NMF{Updates: Updates{Iterations: 60}}, FactorizeOptions{Rank: rank, Collection: c}))(t)
			unit := mat.DenseCopyOf(r.W)
			for i := range n {
				row := unit.RawRowView(i)
				blas.Scale(1/math.Sqrt(blas.Dot(row, row)+1e-300), row)
			}
			found := must(Cluster(t.Context(), unit, KMeans{}, ClusterOptions{Clusters: 5}))(t)
			same, kind = append(same, agreement(t, r.W, batch)), append(kind, agreement(t, r.W, kinds))
			t.Logf("rank %d, λ = %v of %d datasets: same dataset %.3f, same kind %.3f, ARI %.3f, error %.4f, %.2f s", rank, c.OwnPenalty, len(r.Datasets), same[len(same)-1], kind[len(kind)-1],
				must(measures.AdjustedRand(found.Labels, kinds))(t), r.RelativeError, r.Seconds["total"])
		}
	}
	if !(same[0] > 0.9 && same[1] < 0.75 && kind[1] > 0.95) {
		t.Errorf("%.3f of the neighbours are of the same dataset, with own parts %.3f, and %.3f of the same kind", same[0], same[1], kind[1])
	}
}

func TestCollectionIsRefused(t *testing.T) {
	x, datasets, _ := twoDatasets(20, 8)
	holes := mat.DenseCopyOf(x)
	holes.Set(3, 3, math.NaN())
	blocks := []int64{1, 1, 1, 1, 2, 2, 2, 2}
	zero := 0.0
	for _, c := range []struct {
		words string
		m     Method
		of    Collection
		rank  int
		x     *mat.Dense
	}{
		{words: "7 labels for 8 columns", of: Collection{Blocks: blocks[:7]}},
		{words: "19 labels for 20 samples", of: Collection{Datasets: datasets[:19]}},
		{words: "one label for all", of: Collection{Datasets: make([]int64, 20)}},
		{words: "3 numbers for 2 blocks", of: Collection{Blocks: blocks, BlockWeights: "1,2,3"}},
		{words: "BlockWeights has \"0\"", of: Collection{Blocks: blocks, BlockWeights: "1,0"}},
		{words: "are of Blocks and Datasets", of: Collection{BlockWeights: "auto"}},
		{words: "are of Datasets", of: Collection{Blocks: blocks, OwnPenalty: 2}},
		{words: "OwnPenalty is -1", of: Collection{Datasets: datasets, OwnPenalty: -1}},
		{words: "are for nmf with Solver: \"hals\"", m: NMF{LeastSquares: LeastSquares{Solver: "mu"}}, of: Collection{Datasets: datasets}},
		{words: "are for nmf with Solver: \"hals\"", m: NMFKL{}, of: Collection{Datasets: datasets}},
		{words: "Beta above 0", m: NMFBeta{Beta: &zero}, of: Collection{Blocks: blocks}},
		{words: "are for nmf, nmf-kl", m: GNMF{}, of: Collection{Blocks: blocks}},
		{words: "goes with no Blocks and Datasets; shift", m: NMF{Updates: Updates{Shift: "columns"}}, of: Collection{Blocks: blocks}},
		{words: "goes with no Blocks and Datasets; choose another solver", m: NMF{LeastSquares: LeastSquares{Solver: "minibatch"}}, of: Collection{Blocks: blocks}},
		{words: "SumToOne goes with no Datasets", m: NMF{Abundances: Abundances{SumToOne: true}}, of: Collection{Datasets: datasets}},
		{words: "SmoothH goes with no Datasets", m: NMF{Smoothness: Smoothness{SmoothH: 1}}, of: Collection{Datasets: datasets}},
		{words: "Extrapolate goes with no Datasets", m: NMF{Extrapolate: true}, of: Collection{Datasets: datasets}},
		{words: "only where a sample lacks a whole block", m: NMF{MissingEntries: MissingEntries{Missing: "weight"}}, of: Collection{Datasets: datasets, Blocks: blocks}, x: holes},
		{words: "have no search for the rank", of: Collection{Blocks: blocks}, rank: Auto},
	} {
		if c.m == nil {
			c.m = NMF{}
		}
		if c.x == nil {
			c.x = x
		}
		if c.rank == 0 {
			c.rank = 2
		}
		_, err := Factorize(t.Context(), c.x, c.m, FactorizeOptions{Rank: c.rank, Collection: c.of})
		refused(t, err, c.words)
	}
	if !slices.Equal(blocks, []int64{1, 1, 1, 1, 2, 2, 2, 2}) {
		t.Error("the labels changed")
	}
}

// cellsOfTwoBatches are the log counts of sorted blood cells over the 1000 most variable genes. Every second cell gets the effects of
// another batch: each gene has a share of its counts that is captured, from 0.2 to 1, and a tenth of a cell's counts come
// from all cells.
func cellsOfTwoBatches(t *testing.T) (x *mat.Dense, batch, kinds []int64) {
	t.Helper()
	every, genes := 12, 1000
	if os.Getenv("ORTHANT_TABLE") != "" {
		every = 1
	}
	read := must(files.ReadAny(filepath.Join(golden.Data(t), "pbmc-facs.X.npz"), files.Options{}))(t)
	counts := read.(*sparse.CSR)
	labels := must(files.ReadLabels(filepath.Join(golden.Data(t), "pbmc-facs.y.npy"), files.Options{}))(t)
	random := blas.NewStream(9)
	m := counts.Cols
	captured := make([]float64, m)
	for j := range m {
		captured[j] = 0.2 + 0.8*random.Uniform()
	}
	var rows [][]float64
	for i := 0; i < counts.Rows; i += every {
		cols, vals := counts.Row(i)
		row := make([]float64, m)
		var sum float64
		for p, j := range cols {
			row[j] = vals[p]
			sum += vals[p]
		}
		effect := int64(len(rows) % 2)
		if effect == 1 {
			for j, v := range row {
				var kept float64
				for range int(v) {
					if random.Uniform() < captured[j] {
						kept++
					}
				}
				row[j] = kept
			}
			for c := 0.0; c < 0.1*sum; c++ { // from all cells
				row[counts.Col[random.Below(counts.NNZ())]]++
			}
		}
		sum = 0
		for _, v := range row {
			sum += v
		}
		for j, v := range row {
			row[j] = math.Log1p(v * 1000 / sum)
		}
		rows, batch, kinds = append(rows, row), append(batch, effect), append(kinds, labels[i])
	}
	order, spread := make([]int, m), make([]float64, m)
	for j := range m {
		var sum, squares float64
		for _, row := range rows {
			sum += row[j]
			squares += row[j] * row[j]
		}
		order[j], spread[j] = j, squares-sum*sum/float64(len(rows))
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(spread[b], spread[a]) })
	x = mat.NewDense(len(rows), genes, nil)
	for i, row := range rows {
		for q, j := range order[:genes] {
			x.Set(i, q, row[j])
		}
	}
	return x, batch, kinds
}
