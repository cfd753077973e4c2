package engine

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/datasets"
)

// programmesOf are counts with known programmes, and the components of some runs of nmf.
func programmesOf(t testing.TB, n, rank, runs int, set map[string]string) (*datasets.Programmes, *mat.Dense) {
	t.Helper()
	p := must(datasets.GenerateProgrammes(n, 5, set))(t)
	_, m := p.Counts.Dims()
	spectra := mat.NewDense(runs*rank, m, nil)
	_, err := FactorizeRuns(context.Background(), p.Counts, NMF{LeastSquares: LeastSquares{Solver: "hals"}, Updates: Updates{Iterations: 60}},
		RunsOptions{Ranks: []int{rank}, Runs: runs, Each: func(r *FactorRun) error {
			spectra.Slice(r.Run*rank, (r.Run+1)*rank, 0, m).(*mat.Dense).Copy(r.H)
			return nil
		}})
	if err != nil {
		t.Fatal(err)
	}
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
			got := must(FindConsensus(context.Background(), data, spectra, rank, ConsensusOptions{Threads: threads, Threshold: 0.4}))(t)
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
	got := must(FindConsensus(context.Background(), p.Counts, spectra, rank, ConsensusOptions{}))(t)
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
	worse := must(FindConsensus(context.Background(), p.Counts, more, rank+4, ConsensusOptions{Threshold: 2}))(t)
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
	got := must(FindConsensus(context.Background(), p.Counts, spectra, 3, ConsensusOptions{Divergence: true, PerMillion: other}))(t)
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

func TestConsensusRefuses(t *testing.T) {
	x, _ := groups(40, 9)
	random := mat.NewDense(40, 9, nil)
	blas.NewStream(1).Uniforms(random.RawMatrix().Data)
	with := func(v float64) *mat.Dense {
		d := mat.DenseCopyOf(random)
		d.Set(7, 3, v)
		return d
	}
	for _, c := range []struct {
		name    string
		spectra *mat.Dense
		rank    int
		o       ConsensusOptions
		says    string
	}{
		{"rank", random, 3, ConsensusOptions{}, "no runs of rank 3"},
		{"columns", mat.NewDense(8, 5, nil), 2, ConsensusOptions{}, "5 columns for data of 9"},
		{"few runs", random, 20, ConsensusOptions{}, "make at least 4 runs"},
		{"filter", random, 5, ConsensusOptions{Threshold: 1e-6}, "leaves 0"},
		{"threshold", random, 5, ConsensusOptions{Threshold: -1}, "threshold > 0"},
		{"levels", random, 5, ConsensusOptions{PerMillion: random.Slice(0, 3, 0, 9)}, "3 rows for 40 samples"},
		{"negative component", with(-1), 5, ConsensusOptions{}, "component 8, column 4 (counting from 1) is -1"},
		{"component that is no number", with(math.NaN()), 5, ConsensusOptions{}, "component 8, column 4 (counting from 1) is NaN"},
		{"infinite level", random, 5, ConsensusOptions{PerMillion: with(math.Inf(1))}, "row 8, column 4 (counting from 1) of the levels per million is +Inf"},
		{"sparse level", random, 5, ConsensusOptions{PerMillion: compressedOf(t, with(math.NaN()))}, "row 8, column 4 (counting from 1) of the levels per million is NaN"},
	} {
		_, err := FindConsensus(context.Background(), x, c.spectra, c.rank, c.o)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
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
		got, err := CopheneticCorrelation(labels)
		want := plainCophenetic(shares)
		// Ties may be joined in another order.
		if err != nil || math.Abs(got-want) > 0.02 || noise == 0 && math.Abs(got-1) > 1e-12 {
			t.Errorf("noise %v: %v (%v), want %v", noise, got, err, want)
		}
	}
	if v, err := CopheneticCorrelation([][]int64{{1, 1, 1}}); err != nil || !math.IsNaN(v) {
		t.Errorf("of one cluster: %v, %v", v, err)
	}
	if _, err := CopheneticCorrelation([][]int64{{1, 2, 1}, {1, 2}}); err == nil {
		t.Error("labels of another length are taken")
	}
}
