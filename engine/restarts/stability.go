package restarts

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/consensus"
	"github.com/orthant-go/orthant/engine/internal/quality"
	"github.com/orthant-go/orthant/engine/measures"
)

// PartStability says how reliably runs find one component again.
type PartStability struct {
	// Cosine is the mean over the runs of the cosine of the component with the one of the run that it is
	// matched with ([measures.MatchComponents]), and Least the least of them.
	Cosine, Least float64
	// Silhouette is the mean silhouette of the components that are one: near 1 if they are close to each other and far from all
	// others, below 0 if they are nearer to those of another one (Alexandrov et al. 2013, Cell Reports 3:246). NaN
	// for rank 1.
	Silhouette float64
}

// ConsensusPart is one component of a [Consensus]. Its Silhouette is that of the kept components of its cluster.
type ConsensusPart struct {
	PartStability
	Kept       int     // components in its cluster; of runs that agree, one of each
	Share      float64 // of Usages·Spectra, Σᵢ usageᵢₖ / Σᵢₗ usageᵢₗ
	Sparseness float64 // of its spectrum, Hoyer's: see [measures.Sparseness]; NaN for one column
}

// StabilityOptions configure [StabilityOfParts].
type StabilityOptions struct {
	Backend string
	Threads int // 0: all cores
}

// StabilityOfParts says of each component of one run, counted from 0, how reliably the other runs find it again. spectra has the
// components of all runs, runs·R × m, those of one run together. The components of each run are matched with those of
// the given one; components that match the same one are a cluster, of which the silhouettes are taken, by distances at unit length.
//
// It returns an error if rank does not match spectra, if there are fewer than two runs or not the given one, and for components
// that are not finite. O(N²m + N·R²) for N = runs·R.
func StabilityOfParts(ctx context.Context, spectra *mat.Dense, rank, run int, o StabilityOptions) ([]PartStability, error) {
	rows, m := spectra.Dims()
	if rank < 1 || rows%max(1, rank) != 0 {
		return nil, fmt.Errorf("stability: %d components are not runs of rank %d", rows, rank)
	}
	if runs := rows / rank; runs < 2 || run < 0 || run >= runs {
		return nil, fmt.Errorf("stability: run %d of %d is compared with the others; give two runs at least, and one of them, counting from 0", run, runs)
	}
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	parts, labels, err := matchRuns(ctx, spectra, spectra.Slice(run*rank, (run+1)*rank, 0, m), run)
	if err != nil {
		return nil, err
	}
	unit := consensus.Spectra{N: rows, M: m, X: mat.DenseCopyOf(spectra).RawMatrix().Data}
	unit.Normalize()
	widths, err := unit.Silhouettes(ctx, kernels, o.Threads, labels, rank)
	if err != nil {
		return nil, err
	}
	for k, v := range meansOf(widths, labels, rank) {
		parts[k].Silhouette = v
	}
	return parts, nil
}

// maxCompared bounds the numbers of the components that [ComparedRuns] leaves: 64 MiB.
const maxCompared = 1 << 23

// ComparedRuns returns the runs, counted from 0, to compare by [StabilityOfParts] with one of them, ascending: all, or so many
// evenly spaced ones, two at least, that their components of that many columns take 64 MiB.
func ComparedRuns(runs, rank, columns, with int) []int {
	some := quality.Spread(runs, max(2, maxCompared/max(1, rank*columns)))
	if at, found := slices.BinarySearch(some, with); !found && at > 0 {
		some[at-1] = with
	}
	return some
}

// matchRuns matches the components of every run with as many of a reference, and returns for each component which one it is. The
// cosines are those of all runs but one; −1: of all.
func matchRuns(ctx context.Context, spectra *mat.Dense, reference mat.Matrix, without int) ([]PartStability, []int, error) {
	rows, m := spectra.Dims()
	rank, _ := reference.Dims()
	parts := make([]PartStability, rank)
	for k := range parts {
		parts[k].Least = math.Inf(1)
	}
	labels := make([]int, 0, rows)
	others := rows / rank
	if without >= 0 {
		others--
	}
	for run := range rows / rank {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		match, err := measures.MatchComponents(spectra.Slice(run*rank, (run+1)*rank, 0, m), reference)
		if err != nil {
			return nil, nil, fmt.Errorf("stability: run %d: %w", run, err)
		}
		labels = append(labels, match.Of...)
		if run == without {
			continue
		}
		for i, k := range match.Of {
			parts[k].Cosine += match.Cosine[i] / float64(others)
			parts[k].Least = min(parts[k].Least, match.Cosine[i])
		}
	}
	return parts, labels, nil
}

// meansOf is the mean of the values of each label; NaN where there are none.
func meansOf(values []float64, labels []int, clusters int) []float64 {
	means, counts := make([]float64, clusters), make([]int, clusters)
	for i, c := range labels {
		means[c] += values[i]
		counts[c]++
	}
	for c := range means {
		means[c] /= float64(counts[c])
	}
	return means
}

// judgeParts says of each component of the consensus how reliable it is.
func (c *consensusWork) judgeParts(ctx context.Context, r *Consensus, of *clustered) error {
	stable, _, err := matchRuns(ctx, mat.NewDense(c.spectra.N, c.spectra.M, c.spectra.X), r.Spectra, -1)
	if err != nil {
		return err
	}
	r.Parts = make([]ConsensusPart, r.Rank)
	for k, v := range meansOf(of.silhouettes, of.labels, r.Rank) {
		r.Parts[k].PartStability, r.Parts[k].Sparseness = stable[k], math.NaN()
		r.Parts[k].Silhouette = v
	}
	for _, k := range of.labels {
		r.Parts[k].Kept++
	}
	if c.x.Cols > 1 {
		sparseness, err := measures.Sparseness(r.Spectra)
		if err != nil {
			return err
		}
		for k, v := range sparseness {
			r.Parts[k].Sparseness = v
		}
	}
	var whole float64
	for i := range c.x.Rows {
		for k, v := range r.Usages.RawRowView(i) { // the spectra have the sum 1
			r.Parts[k].Share += v
			whole += v
		}
	}
	for k := range r.Parts {
		r.Parts[k].Share /= whole
	}
	return nil
}
