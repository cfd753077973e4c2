package restarts_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/restarts"
	"github.com/orthant-go/orthant/internal/must"
)

// programmesOf are counts with known programmes, and the components of some runs of nmf.
func programmesOf(t testing.TB, n, rank, runs int, set map[string]string) (*datasets.Programmes, *mat.Dense) {
	t.Helper()
	p := must.Get(datasets.GenerateProgrammes(n, 5, set))(t)
	_, m := p.Counts.Dims()
	spectra := mat.NewDense(runs*rank, m, nil)
	must.Get(engine.FactorizeRuns(context.Background(), p.Counts, engine.NMF{LeastSquares: engine.LeastSquares{Solver: "hals"}, Updates: engine.Updates{Iterations: 60}},
		engine.RunsOptions{Ranks: []int{rank}, Runs: runs, Each: func(r *engine.FactorRun) error {
			spectra.Slice(r.Run*rank, (r.Run+1)*rank, 0, m).(*mat.Dense).Copy(r.H)
			return nil
		}}))(t)
	return p, spectra
}

// The published algorithm, plain and dense, finds the same: components of unit length, the
// density filter, the best of many starts of Lloyd's iteration, medians, coordinates by
// trying every set of components, scores by a singular value decomposition, levels.
func TestConsensusIsThatOfThePlainAlgorithm(t *testing.T) {
	const n, rank, runs = 120, 3, 12
	p, spectra := programmesOf(t, n, rank, runs, map[string]string{"programmes": "3", "dims": "25", "depth": "150"})
	s := blas.NewStream(3)
	for _, i := range []int{4, 17} { // components that no other run has
		s.Uniforms(spectra.RawRowView(i))
		for j := range spectra.RawRowView(i) {
			if (j+i)%5 > 0 {
				spectra.Set(i, j, 0)
			}
		}
	}
	x := mat.DenseCopyOf(p.Counts)
	for _, data := range []mat.Matrix{p.Counts, x} {
		for _, threads := range []int{1, 3} {
			got := must.Get(restarts.FindConsensus(context.Background(), data, spectra, rank, restarts.ConsensusOptions{Threads: threads, Threshold: 0.4}))(t)
			want := plainConsensus(x, spectra, rank, 0.4, 0.3)
			if got.Kept != want.Kept || got.Kept == got.Components || got.Runs != runs {
				t.Fatalf("%d of %d components are kept, want %d", got.Kept, got.Components, want.Kept)
			}
			for name, v := range map[string][2]float64{"stability": {got.Stability, want.Stability}, "error": {got.Error, want.Error},
				"stability of all": {got.StabilityOfAll, want.StabilityOfAll}, "error of all": {got.ErrorOfAll, want.ErrorOfAll}, "relative error": {got.RelativeError, want.RelativeError}} {
				if math.Abs(v[0]-v[1]) > 1e-7*(1+math.Abs(v[1])) {
					t.Errorf("%s: %v, want %v", name, v[0], v[1])
				}
			}
			for name, v := range map[string][2]*mat.Dense{"spectra": {got.Spectra, want.Spectra}, "usages": {got.Usages, want.Usages}, "scores": {got.Scores, want.Scores}, "levels": {got.Levels, want.Levels}} {
				same := func(_, _ int, v float64) float64 { // NaN of a column of zeros
					if v != v {
						return 0
					}
					return v
				}
				v[0].Apply(same, v[0])
				v[1].Apply(same, v[1])
				var e mat.Dense
				e.Sub(v[0], v[1])
				if off, size := mat.Norm(&e, 2), mat.Norm(v[1], 2); !(off <= 1e-5*size) {
					t.Errorf("%s differ by %v of %v", name, off, size)
				}
			}
		}
	}
}

// matched is the mean, over known programmes, of the cosine with the component that is
// nearest, each component taken once, best pairs first.
func matched(known, found mat.Matrix) float64 {
	k, m := known.Dims()
	r, _ := found.Dims()
	unit := func(x mat.Matrix, i int) []float64 {
		row := mat.Row(nil, i, x)
		blas.Scale(1/math.Sqrt(blas.Dot(row, row)), row)
		return row[:m]
	}
	type pair struct {
		i, j   int
		cosine float64
	}
	var pairs []pair
	for i := range k {
		for j := range r {
			pairs = append(pairs, pair{i, j, blas.Dot(unit(known, i), unit(found, j))})
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int {
		if a.cosine > b.cosine {
			return -1
		}
		return 1
	})
	doneK, doneR := map[int]bool{}, map[int]bool{}
	var sum float64
	for _, p := range pairs {
		if !doneK[p.i] && !doneR[p.j] {
			doneK[p.i], doneR[p.j] = true, true
			sum += p.cosine
		}
	}
	return sum / float64(k)
}

// The consensus of many runs is nearer to the programmes that counts were drawn from than
// the runs are, and it says at which rank they agree.
func TestConsensusFindsTheProgrammes(t *testing.T) {
	const rank, runs = 12, 30
	set := map[string]string{"programmes": "12", "dims": "150", "depth": "100", "mixing": "0.6"}
	p, spectra := programmesOf(t, 400, rank, runs, set)
	got := must.Get(restarts.FindConsensus(context.Background(), p.Counts, spectra, rank, restarts.ConsensusOptions{}))(t)
	consensus := matched(p.Spectra, got.Spectra)
	var single, best float64
	for run := range runs {
		v := matched(p.Spectra, spectra.Slice(run*rank, (run+1)*rank, 0, 150))
		single, best = single+v/runs, max(best, v)
	}
	t.Logf("cosine with the programmes: %.4f by consensus, %.4f by a run, %.4f by the best; %d of %d components kept, stability %.3f",
		consensus, single, best, got.Kept, got.Components, got.Stability)
	if consensus < 0.9 || consensus < single+0.005 {
		t.Errorf("the cosine with the programmes is %v by consensus, %v by single runs", consensus, single)
	}
	_, more := programmesOf(t, 400, rank+4, runs, set)
	worse := must.Get(restarts.FindConsensus(context.Background(), p.Counts, more, rank+4, restarts.ConsensusOptions{Threshold: 2}))(t)
	if worse.StabilityOfAll >= got.StabilityOfAll {
		t.Errorf("rank %d is as stable (%v) as the number of programmes (%v)", rank+4, worse.StabilityOfAll, got.StabilityOfAll)
	}
}

// The divergence finds the coordinates of its own runs, and levels of other data have their
// columns.
func TestConsensusOfDivergenceAndOtherLevels(t *testing.T) {
	p, spectra := programmesOf(t, 200, 3, 8, map[string]string{"programmes": "3", "dims": "30"})
	other := mat.NewDense(200, 4, nil)
	for i := range 200 {
		for j := range 3 {
			other.Set(i, j, 10*p.Usages.At(i, j))
		}
		other.Set(i, 3, 7)
	}
	got := must.Get(restarts.FindConsensus(context.Background(), p.Counts, spectra, 3, restarts.ConsensusOptions{Divergence: true, PerMillion: other}))(t)
	if r, g := got.Levels.Dims(); r != 3 || g != 4 {
		t.Fatalf("levels are %d × %d", r, g)
	}
	for k := range 3 {
		if !math.IsNaN(got.Scores.At(k, 3)) || math.Abs(got.Levels.At(k, 3)-7) > 1e-4 {
			t.Errorf("of a constant column the score is %v and the level %v", got.Scores.At(k, 3), got.Levels.At(k, 3))
		}
	}
	for i := range 200 { // of the divergence, what is expected has the sum of the sample
		var want, sum float64
		cols, vals := p.Counts.Row(i)
		for q := range cols {
			want += vals[q]
		}
		for k := range 3 {
			sum += got.Usages.At(i, k)
		}
		if math.Abs(sum-want) > 1e-3*(1+want) {
			t.Fatalf("sample %d has usages of the sum %v, want %v", i, sum, want)
		}
	}
}

func TestCopheneticCorrelation(t *testing.T) {
	const samples = 40
	s := blas.NewStream(12)
	for _, noise := range []float64{0, 0.1, 0.4} {
		labels := make([][]int64, 25)
		shares := mat.NewDense(samples, samples, nil)
		for r := range labels {
			labels[r] = make([]int64, samples)
			for i := range samples {
				labels[r][i] = int64(i % 4)
				if s.Uniform() < noise {
					labels[r][i] = int64(s.Below(4))
				}
			}
			for i, a := range labels[r] {
				for j, b := range labels[r] {
					if a == b {
						shares.Set(i, j, shares.At(i, j)+1./25)
					}
				}
			}
		}
		got, err := restarts.CopheneticCorrelation(labels)
		want := plainCophenetic(shares)
		// Ties may be joined in another order.
		if err != nil || math.Abs(got-want) > 0.02 || noise == 0 && math.Abs(got-1) > 1e-12 {
			t.Errorf("noise %v: %v (%v), want %v", noise, got, err, want)
		}
	}
	if v, err := restarts.CopheneticCorrelation([][]int64{{1, 1, 1}}); err != nil || !math.IsNaN(v) {
		t.Errorf("of one cluster: %v, %v", v, err)
	}
	if _, err := restarts.CopheneticCorrelation([][]int64{{1, 2, 1}, {1, 2}}); err == nil {
		t.Error("labels of another length are taken")
	}
}

// The published consensus, written again: plain, dense, and step by step.

func plainConsensus(x, spectra *mat.Dense, rank int, threshold, share float64) *restarts.Consensus {
	unit := mat.DenseCopyOf(spectra)
	rows, m := unit.Dims()
	for i := range rows {
		row := mat.NewVecDense(m, unit.RawRowView(i))
		row.ScaleVec(1/mat.Norm(row, 2), row)
	}
	neighbors := int(share * float64(rows) / float64(rank))
	var kept []int
	for i := range rows {
		d := plainDistances(unit, i)
		slices.Sort(d)
		if stat.Mean(d[1:neighbors+1], nil) < threshold {
			kept = append(kept, i)
		}
	}
	filtered := mat.NewDense(len(kept), m, nil)
	for q, i := range kept {
		filtered.SetRow(q, unit.RawRowView(i))
	}
	c := &restarts.Consensus{Rank: rank, Kept: len(kept)}
	_, _, c.StabilityOfAll, c.ErrorOfAll = plainClusters(x, unit, rank)
	c.Spectra, c.Usages, c.Stability, c.Error = plainClusters(x, filtered, rank)
	c.RelativeError = math.Sqrt(c.Error) / mat.Norm(x, 2)
	n, _ := x.Dims()
	tpm, z, shares := mat.DenseCopyOf(x), mat.NewDense(n, m, nil), mat.DenseCopyOf(c.Usages)
	for i := range n {
		for _, p := range []struct {
			of  *mat.Dense
			sum float64
		}{{tpm, 1e6}, {shares, 1}} {
			row := p.of.RawRowView(i)
			var sum float64
			for _, v := range row {
				sum += v
			}
			for j, v := range row {
				if sum > 0 {
					row[j] = v / sum * p.sum
				}
			}
		}
	}
	for j := range m {
		column := mat.Col(nil, j, tpm)
		mean, deviation := stat.PopMeanStdDev(column, nil)
		for i, v := range column {
			z.Set(i, j, (v-mean)/deviation)
		}
	}
	var svd mat.SVD
	svd.Factorize(c.Usages, mat.SVDThin)
	c.Scores = new(mat.Dense)
	svd.SolveTo(c.Scores, z, rank)
	for i := range rank {
		for j := range m {
			if math.IsNaN(z.At(0, j)) {
				c.Scores.Set(i, j, math.NaN())
			}
		}
	}
	c.Levels = mat.DenseCopyOf(plainNonnegative(mat.DenseCopyOf(tpm.T()), mat.DenseCopyOf(shares.T())).T())
	return c
}

func plainDistances(x *mat.Dense, i int) []float64 {
	rows, _ := x.Dims()
	d := make([]float64, rows)
	for j := range d {
		var v mat.VecDense
		v.SubVec(x.RowView(i), x.RowView(j))
		d[j] = mat.Norm(&v, 2)
	}
	return d
}

// plainClusters clusters the rows of unit, and returns medians, coordinates under them, the
// silhouette and the error.
func plainClusters(x, unit *mat.Dense, rank int) (medians, usages *mat.Dense, stability, squares float64) {
	rows, m := unit.Dims()
	labels := plainKMeans(unit, rank)
	for i := range rows {
		sums, sizes := make([]float64, rank), make([]float64, rank)
		for j, d := range plainDistances(unit, i) {
			if j != i {
				sums[labels[j]] += d
				sizes[labels[j]]++
			}
		}
		a, b := sums[labels[i]]/sizes[labels[i]], math.Inf(1)
		for c := range rank {
			if c != labels[i] {
				b = min(b, sums[c]/sizes[c])
			}
		}
		if sizes[labels[i]] > 0 {
			stability += (b - a) / max(a, b) / float64(rows)
		}
	}
	medians = mat.NewDense(rank, m, nil)
	for c := range rank {
		var sum float64
		for j := range m {
			var v []float64
			for i, l := range labels {
				if l == c {
					v = append(v, unit.At(i, j))
				}
			}
			slices.Sort(v)
			medians.Set(c, j, (v[(len(v)-1)/2]+v[len(v)/2])/2)
			sum += medians.At(c, j)
		}
		for j := range m {
			medians.Set(c, j, medians.At(c, j)/sum)
		}
	}
	usages = plainNonnegative(x, medians)
	var e mat.Dense
	e.Mul(usages, medians)
	e.Sub(x, &e)
	return medians, usages, stability, math.Pow(mat.Norm(&e, 2), 2)
}

// plainKMeans is the best of 60 starts from rows drawn at random.
func plainKMeans(x *mat.Dense, clusters int) []int {
	rows, m := x.Dims()
	s := blas.NewStream(8)
	var best []int
	least := math.Inf(1)
	for range 60 {
		centers := mat.NewDense(clusters, m, nil)
		for c := range clusters {
			centers.SetRow(c, x.RawRowView(s.Below(rows)))
		}
		labels := make([]int, rows)
		var cost float64
		for range 100 {
			cost = 0
			for i := range rows {
				nearest := math.Inf(1)
				for c := range clusters {
					if d := blas.SquaredDistance(x.RawRowView(i), centers.RawRowView(c)); d < nearest {
						nearest, labels[i] = d, c
					}
				}
				cost += nearest
			}
			for c := range clusters {
				sum, size := make([]float64, m), 0.0
				for i, l := range labels {
					if l == c {
						blas.Axpy(1, x.RawRowView(i), sum)
						size++
					}
				}
				if size > 0 {
					blas.Scale(1/size, sum)
					centers.SetRow(c, sum)
				}
			}
		}
		if cost < least-1e-12 {
			least, best = cost, labels
		}
	}
	order := map[int]int{}
	for i, l := range best {
		if _, seen := order[l]; !seen {
			order[l] = len(order)
		}
		best[i] = order[l]
	}
	return best
}

// plainNonnegative is the nearest nonnegative combination of the rows of h to each row of x:
// the best of those of every set of rows that has no negative coordinate.
func plainNonnegative(x, h *mat.Dense) *mat.Dense {
	n, m := x.Dims()
	r, _ := h.Dims()
	w := mat.NewDense(n, r, nil)
	for i := range n {
		least := math.Pow(mat.Norm(x.RowView(i), 2), 2)
		for set := 1; set < 1<<r; set++ {
			var rows []int
			for k := range r {
				if set>>k&1 == 1 {
					rows = append(rows, k)
				}
			}
			a := mat.NewDense(m, len(rows), nil)
			for q, k := range rows {
				a.SetCol(q, h.RawRowView(k))
			}
			var v, e mat.VecDense
			if v.SolveVec(a, x.RowView(i)) != nil || mat.Min(&v) < 0 {
				continue
			}
			e.MulVec(a, &v)
			e.SubVec(x.RowView(i), &e)
			if d := math.Pow(mat.Norm(&e, 2), 2); d < least {
				least = d
				for k := range r {
					w.Set(i, k, 0)
				}
				for q, k := range rows {
					w.Set(i, k, v.AtVec(q))
				}
			}
		}
	}
	return w
}

// plainCophenetic joins the nearest two clusters, again and again.
func plainCophenetic(shares *mat.Dense) float64 {
	s, _ := shares.Dims()
	clusters := make([][]int, s)
	for i := range clusters {
		clusters[i] = []int{i}
	}
	height := mat.NewDense(s, s, nil)
	for len(clusters) > 1 {
		a, b, least := 0, 0, math.Inf(1)
		for p := range clusters {
			for q := range p {
				var sum float64
				for _, i := range clusters[p] {
					for _, j := range clusters[q] {
						sum += 1 - shares.At(i, j)
					}
				}
				if sum /= float64(len(clusters[p]) * len(clusters[q])); sum < least {
					a, b, least = q, p, sum
				}
			}
		}
		for _, i := range clusters[a] {
			for _, j := range clusters[b] {
				height.Set(i, j, least)
				height.Set(j, i, least)
			}
		}
		clusters[a] = append(clusters[a], clusters[b]...)
		clusters = slices.Delete(clusters, b, b+1)
	}
	var x, y []float64
	for i := range s {
		for j := range i {
			x, y = append(x, 1-shares.At(i, j)), append(y, height.At(i, j))
		}
	}
	return stat.Correlation(x, y, nil)
}
