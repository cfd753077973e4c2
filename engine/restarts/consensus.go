package restarts

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/consensus"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/solvers/kmeans"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// ConsensusOptions configure [FindConsensus].
type ConsensusOptions struct {
	Backend string
	Threads int // 0: all cores
	Seed    uint64
	// Threshold is the mean distance to the nearest components, at unit length, from which a component
	// is left out; 0: 0.5. A threshold of 2 or more leaves out none.
	Threshold float64
	// Share is the number of nearest components to examine, as a share of the number of runs; 0: 0.3.
	Share float64
	// Divergence refits the usages by the Kullback–Leibler divergence, for
	// runs of nmf-kl, instead of the squared error.
	Divergence bool
	// PerMillion, n × g, are the data for Scores, and their unit is that of Levels:
	// for counts of all genes, transcripts per million. nil: x with every row scaled
	// to sum 10⁶.
	PerMillion mat.Matrix
}

// Consensus is the result of [FindConsensus].
type Consensus struct {
	Rank, Runs int
	Components int // of all runs
	Kept       int // components kept by the density filter

	Stability     float64 // mean silhouette of the kept components; NaN for rank 1
	Error         float64 // ‖X − Usages·Spectra‖²
	RelativeError float64 // ‖X − Usages·Spectra‖/‖X‖

	// Without the filter, for comparing ranks.
	StabilityOfAll, ErrorOfAll float64

	Parts []ConsensusPart // how reliable each component is, and what it contributes

	Spectra *mat.Dense // R × m: medians of the clusters, scaled to sum 1
	Usages  *mat.Dense // n × R: coordinates with respect to them
	Scores  *mat.Dense // R × g: coefficients by which the usages predict the columns of PerMillion, scaled to mean 0 and deviation 1; NaN for constant columns
	Levels  *mat.Dense // R × g: spectra in the unit of PerMillion, for usages that sum to 1
}

// FindConsensus combines the components of many runs of rank R by consensus NMF (Kotliar et al.
// 2019, eLife 8:e43803). Components are scaled to unit length, and those far from all others are left
// out. The rest are divided into R clusters by k-means (10 starts). The spectra are the medians of the
// clusters, scaled to sum 1. The usages of the samples are refitted to the spectra,
// and scores and levels of all columns are computed from them.
//
// spectra has the components of all runs, runs·R × m, those of one run together. It returns an error
// if rank does not match spectra, if there are too few runs for one neighbour, if the filter
// leaves fewer components than clusters, if data or components are negative or not
// finite, if levels are not finite, and if shapes differ. O(N²m) for N = runs·R components, and O(R)
// for each entry of the data.
func FindConsensus(ctx context.Context, x mat.Matrix, spectra *mat.Dense, rank int, o ConsensusOptions) (*Consensus, error) {
	c, err := newConsensusWork(x, spectra, rank, o)
	if err != nil {
		return nil, err
	}
	r := &Consensus{Rank: rank, Components: c.spectra.N, Runs: c.spectra.N / rank}
	all, err := c.cluster(ctx, c.spectra)
	if err != nil {
		return nil, err
	}
	r.StabilityOfAll, r.ErrorOfAll = all.stability, all.squares
	kept, err := c.filter(ctx)
	if err != nil {
		return nil, err
	}
	r.Kept = kept.N
	if kept.N < c.spectra.N {
		if all, err = c.cluster(ctx, kept); err != nil {
			return nil, err
		}
	}
	r.Stability, r.Error = all.stability, all.squares
	if c.total > 0 {
		r.RelativeError = math.Sqrt(all.squares / c.total)
	}
	r.Spectra, r.Usages = mat.NewDense(rank, c.x.Cols, all.medians), mat.NewDense(c.x.Rows, rank, all.usages)
	if err := c.judgeParts(ctx, r, all); err != nil {
		return nil, err
	}
	return r, c.describe(ctx, r)
}

// consensusWork is the state of one [FindConsensus].
type consensusWork struct {
	ConsensusOptions
	kernels       *blas.Kernels
	x, perMillion consensus.Data
	total         float64 // ‖X‖²
	spectra       consensus.Spectra
	rank          int
	neighbors     int
}

func newConsensusWork(x mat.Matrix, spectra *mat.Dense, rank int, o ConsensusOptions) (*consensusWork, error) {
	c := &consensusWork{ConsensusOptions: o, rank: rank}
	var err error
	if c.kernels, err = blas.Select(o.Backend); err != nil {
		return nil, err
	}
	if c.Threshold == 0 {
		c.Threshold = 0.5
	}
	if c.Share == 0 {
		c.Share = 0.3
	}
	if !(c.Threshold > 0) || !(c.Share > 0 && c.Share <= 1) {
		return nil, fmt.Errorf("consensus: a threshold of %v and %v of the runs; give a threshold > 0 and a share above 0 and up to 1", c.Threshold, c.Share)
	}
	n, m := x.Dims()
	rows, cols := spectra.Dims()
	switch {
	case rank < 1 || rows%max(1, rank) != 0:
		return nil, fmt.Errorf("consensus: %d components are not runs of rank %d", rows, rank)
	case cols != m:
		return nil, fmt.Errorf("consensus: components of %d columns for data of %d", cols, m)
	}
	if c.neighbors = int(c.Share * float64(rows/rank)); c.neighbors < 1 {
		return nil, fmt.Errorf("consensus: %v of %d runs of rank %d are no neighbour; make at least %d runs", c.Share, rows/rank, rank, int(math.Ceil(1/c.Share)))
	}
	if c.x, err = consensusData(x); err != nil {
		return nil, err
	}
	c.perMillion = c.x.PerMillion()
	if o.PerMillion != nil {
		if c.perMillion, err = consensusData(o.PerMillion); err != nil {
			return nil, err
		}
		if c.perMillion.Rows != n {
			return nil, fmt.Errorf("consensus: the levels per million have %d rows for %d samples; give one for each", c.perMillion.Rows, n)
		}
		if err := finiteLevels(c.perMillion); err != nil {
			return nil, err
		}
	}
	c.spectra = consensus.Spectra{N: rows, M: m, X: mat.DenseCopyOf(spectra).RawMatrix().Data}
	for i, v := range c.spectra.X {
		if !(v >= 0 && v <= math.MaxFloat64) {
			return nil, fmt.Errorf("consensus: component %d, column %d (counting from 1) is %v; give finite numbers ≥ 0", i/m+1, i%m+1, v)
		}
	}
	c.spectra.Normalize()
	return c, nil
}

// consensusData converts a matrix without changing its storage.
func consensusData(x mat.Matrix) (consensus.Data, error) {
	n, m := x.Dims()
	a, isSparse, err := sparse.Of(x)
	if isSparse {
		return consensus.Data{Rows: n, Cols: m, Sparse: a}, err
	}
	d, is := x.(*mat.Dense)
	if !is || d.RawMatrix().Stride != m {
		d = mat.DenseCopyOf(x)
	}
	return consensus.Data{Rows: n, Cols: m, Dense: d.RawMatrix().Data}, nil
}

// finiteLevels returns an error for levels from which no scores can be computed.
func finiteLevels(d consensus.Data) error {
	values := d.Dense
	if d.Sparse != nil {
		values = d.Sparse.Val
	}
	for i, v := range values {
		if v-v == 0 {
			continue
		}
		row, col := 0, 0
		if d.Sparse == nil {
			row, col = i/d.Cols, i%d.Cols
		} else {
			for d.Sparse.Ptr[row+1] <= i {
				row++
			}
			col = int(d.Sparse.Col[i])
		}
		return fmt.Errorf("consensus: row %d, column %d (counting from 1) of the levels per million is %v; give finite numbers", row+1, col+1, v)
	}
	return nil
}

// filter leaves out the components that are far from all others.
func (c *consensusWork) filter(ctx context.Context) (consensus.Spectra, error) {
	if c.Threshold >= 2 {
		return c.spectra, nil
	}
	density, err := c.spectra.Density(ctx, c.kernels, c.Threads, c.neighbors)
	if err != nil {
		return c.spectra, err
	}
	keep := make([]bool, len(density))
	for i, v := range density {
		keep[i] = v < c.Threshold
	}
	kept := c.spectra.Rows(keep)
	if kept.N < c.rank {
		return kept, fmt.Errorf("consensus: of the %d components of rank %d the density threshold %v leaves %d, fewer than clusters; give a larger one, or 2 to leave out none",
			c.spectra.N, c.rank, c.Threshold, kept.N)
	}
	return kept, nil
}

// clustered is the consensus of a set of components.
type clustered struct {
	stability, squares float64
	medians, usages    []float64
	labels             []int
	silhouettes        []float64 // of its members
}

// cluster computes the medians of the clusters and the usages for them.
func (c *consensusWork) cluster(ctx context.Context, s consensus.Spectra) (*clustered, error) {
	parts, err := kmeans.KMeans(ctx, s.X, s.N, s.M, c.rank, kmeans.KMeansOptions{Seed: c.Seed, Threads: c.Threads})
	if err != nil {
		return nil, err
	}
	r := &clustered{labels: parts.Labels}
	if r.silhouettes, err = s.Silhouettes(ctx, c.kernels, c.Threads, parts.Labels, c.rank); err != nil {
		return nil, err
	}
	for _, v := range r.silhouettes {
		r.stability += v
	}
	r.stability /= float64(s.N)
	zero := 0
	if r.medians, zero = s.Medians(parts.Labels, c.rank); zero >= 0 {
		return nil, fmt.Errorf("consensus: the components of a cluster of rank %d have medians of zero; take a smaller rank, or more runs", c.rank)
	}
	return r, c.refit(ctx, r)
}

// refitTolerance is the residual at which the refit stops.
const refitTolerance = 1e-6

// refit computes the usages of the samples for the medians, and the error.
func (c *consensusWork) refit(ctx context.Context, r *clustered) error {
	d := nmf.Data{Rows: c.x.Rows, Cols: c.x.Cols, Dense: c.x.Dense, Sparse: c.x.Sparse}
	o := nmf.Options{Iterations: 200, Tolerance: refitTolerance, Threads: c.Threads, Kernels: c.kernels}
	if c.Divergence {
		o.Loss = nmf.KL
	}
	e, err := nmf.NewEncoder(r.medians, d.Cols, o)
	if err != nil {
		return err
	}
	if r.usages, err = e.Encode(ctx, d); err != nil {
		return err
	}
	sums, err := c.x.SumsWith(ctx, c.Threads, r.usages, c.rank)
	if err != nil {
		return err
	}
	c.total = 0
	for _, v := range sums.Squares {
		c.total += v
	}
	var cross float64
	for j := range d.Cols {
		for k := range c.rank {
			cross += sums.Products[j*c.rank+k] * r.medians[k*d.Cols+j]
		}
	}
	r.squares = max(0, c.total-2*cross+blas.Dot(gramOf(r.usages, c.rank), gramOfRows(r.medians, c.rank)))
	return nil
}

// gramOf returns UᵀU for rows of length r.
func gramOf(u []float64, r int) []float64 {
	gram := make([]float64, r*r)
	for at := 0; at < len(u); at += r {
		for k, v := range u[at : at+r] {
			blas.Axpy(v, u[at:at+r], gram[k*r:(k+1)*r])
		}
	}
	return gram
}

// gramOfRows returns HHᵀ for r rows.
func gramOfRows(h []float64, r int) []float64 {
	gram := make([]float64, r*r)
	m := len(h) / r
	for k := range r {
		for l := range r {
			gram[k*r+l] = blas.Dot(h[k*m:(k+1)*m], h[l*m:(l+1)*m])
		}
	}
	return gram
}

// describe computes scores and levels from the usages.
func (c *consensusWork) describe(ctx context.Context, r *Consensus) error {
	n, rank, g := c.x.Rows, c.rank, c.perMillion.Cols
	u := r.Usages.RawMatrix().Data
	sums, err := c.perMillion.SumsWith(ctx, c.Threads, u, rank)
	if err != nil {
		return err
	}
	r.Scores = mat.NewDense(rank, g, sums.Scores(u, n, rank))
	shares := make([]float64, len(u))
	for i := 0; i < len(u); i += rank {
		var sum float64
		for _, v := range u[i : i+rank] {
			sum += v
		}
		if sum > 0 {
			for k, v := range u[i : i+rank] {
				shares[i+k] = v / sum
			}
		}
	}
	if sums, err = c.perMillion.SumsWith(ctx, c.Threads, shares, rank); err != nil {
		return err
	}
	levels, err := nmf.SolveProducts(ctx, gramOf(shares, rank), sums.Products, sums.Squares, rank, refitTolerance, c.Threads)
	if err != nil {
		return err
	}
	r.Levels = mat.DenseCopyOf(mat.NewDense(g, rank, levels).T())
	return nil
}

// MaxLabels is the number of samples for which the labels of every run should be kept, for
// [CopheneticCorrelation], which compares all pairs of them.
const MaxLabels = 1000

// LabelledSamples returns the samples, out of n, whose labels to keep: all, or [MaxLabels] evenly
// spaced ones.
func LabelledSamples(n int) []int { return quality.Spread(n, MaxLabels) }

// CopheneticCorrelation measures how consistently runs group the samples (Brunet et
// al. 2004, PNAS 101:4164): the correlation of 1 − C with the heights of its average linkage, where C
// is the share of the runs that give two samples the same label. It is 1 if all runs agree, and NaN if
// all pairs of samples have the same distance. labels has one list for each run, over the same samples.
// O(S²) memory for S samples.
func CopheneticCorrelation(labels [][]int64) (float64, error) {
	if len(labels) == 0 || len(labels[0]) < 3 {
		return math.NaN(), fmt.Errorf("consensus: labels of fewer than one run or three samples; give more")
	}
	for i, run := range labels {
		if len(run) != len(labels[0]) {
			return math.NaN(), fmt.Errorf("consensus: %d labels of run %d where the first has %d", len(run), i+1, len(labels[0]))
		}
	}
	return consensus.Cophenetic(consensus.Together(labels), len(labels[0])), nil
}

// ConsensusBytes returns the memory of [FindConsensus] and [CopheneticCorrelation] in addition to the
// data: the components of all runs of a rank in three forms, the coordinates of the samples
// in four, the sums over the samples for the columns of the data or of the levels, whichever
// are more, and the comparison of labels. It is at most 2⁶² bytes.
func ConsensusBytes(components, rank, samples, columns, levels, labels int64) int64 {
	f := func(v int64) float64 { return float64(v) }
	widest := math.Max(f(columns), f(levels))
	need := 8 * (3*f(components)*f(columns) + 4*f(samples)*f(rank) + 16*(f(rank)+2)*widest + 3*f(labels)*f(labels))
	return int64(math.Min(need, 1<<62))
}
