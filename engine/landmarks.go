package engine

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/cover"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// landmarks picks Options.Landmarks of the samples of a method with neighbourhoods, or
// takes those that Options.LandmarkRows names, in ascending order; nil where all are to
// be embedded.
func (b begun) landmarks(x samples.Samples, method row, c samples.Copies) ([]int, error) {
	if method.neighbors == nil {
		if b.options.Landmarks > 0 || b.options.LandmarkRows != nil {
			b.Warn("%s has no neighbourhoods: landmarks do nothing", b.Method())
		}
		return nil, nil
	}
	if b.options.LandmarkRows != nil {
		return b.givenLandmarks(x, c)
	}
	count := b.options.Landmarks
	switch {
	case count == 0:
		return nil, nil
	case count < 2:
		return nil, fmt.Errorf("%s: %d landmarks; give at least 2", b.Method(), count)
	case count >= x.N():
		b.Warn("%d landmarks of %d samples: all samples are embedded", count, x.N())
		return nil, nil
	}
	defer b.Phase("landmarks")()
	choice := b.landmarkChoice(method)
	b.Explain("landmarks: %d of %d samples, %s", count, x.N(), choice)
	if choice == "random" {
		return randomSubset(x.N(), count, b.Seed()), nil
	}
	return farthestPoints(b.Run, x, count)
}

// landmarkChoice is how landmarks are chosen. Those of isomap stand for all samples in the
// scaling, and should be distributed as these are: the farthest samples are the outliers of
// noisy data, whose paths say little of the others. Where every component is embedded by
// landmarks of its own, a small one might get none at random.
func (b begun) landmarkChoice(method row) string {
	switch {
	case b.options.LandmarkChoice != "auto":
		return b.options.LandmarkChoice
	case method.ownLandmarks && b.options.Components != "each":
		return "random"
	}
	return "farthest"
}

// givenLandmarks checks the rows that were named. Where copies have been merged
// they stand for the distinct samples.
func (b begun) givenLandmarks(x samples.Samples, c samples.Copies) ([]int, error) {
	rows := slices.Clone(b.options.LandmarkRows)
	for at, i := range rows {
		if i < 0 || i >= max(len(c.Of), x.N()) {
			return nil, fmt.Errorf("%s: landmark row %d of %d samples; rows count from 0", b.Method(), i, max(len(c.Of), x.N()))
		}
		if x.N() < len(c.Of) {
			rows[at] = int(c.Of[i])
		}
	}
	slices.Sort(rows)
	if distinct := slices.Compact(slices.Clone(rows)); len(distinct) < len(rows) {
		return nil, fmt.Errorf("%s: %d of the %d landmark rows are there twice; name each sample once", b.Method(), len(rows)-len(distinct), len(rows))
	}
	if len(rows) < 2 {
		return nil, fmt.Errorf("%s: %d landmarks; give at least 2", b.Method(), len(rows))
	}
	return rows, nil
}

// randomSubset draws count of n numbers, each set of them equally likely.
func randomSubset(n, count int, seed uint64) []int {
	s := blas.NewStream(seed)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	for i := range count {
		j := i + s.Below(n-i)
		order[i], order[j] = order[j], order[i]
	}
	return slices.Sorted(slices.Values(order[:count]))
}

// farthestPoints picks one sample by the seed and then, again and again, the one
// farthest from those picked: see [cover.Farthest].
func farthestPoints(job *run.Run, x samples.Samples, count int) ([]int, error) {
	first := blas.NewStream(job.Seed()).Below(x.N())
	chosen, err := cover.Farthest(job.Context(), x, job.Threads(), first, count, job.Counting("landmarks", "landmarks", count))
	if err != nil {
		return nil, err
	}
	if len(chosen) < count {
		return nil, fmt.Errorf("%s: %d landmarks asked of data with %d distinct samples; give at most as many", job.Method(), count, len(chosen))
	}
	slices.Sort(chosen)
	return chosen, nil
}

// others are the samples that are no landmarks, to be placed beside those.
type others struct {
	all       samples.Samples
	landmarks []int // ascending
}

// extend gives every sample that is no landmark coordinates: by the projection
// that the landmarks found, where the method is linear, otherwise those that its
// barycentric weights on its k nearest landmarks make of theirs. Where landmarks were
// left out, as those of smaller components, so are the samples that are nearest to them.
func (l *others) extend(job *run.Run, s *outcome, k int, gamma float64) (*mat.Dense, error) {
	defer job.Phase("extension")()
	_, dim := s.Y.Dims()
	n := l.all.N()
	// The samples apart, their neighbours among the landmarks, and the coordinates.
	bytes := l.all.Bytes() + 8*int64(n)*int64(3*dim+2) + neighbors.GraphBytes(n, k)
	if err := job.Fit(bytes, fmt.Sprintf("placing %d samples beside the landmarks needs", n), "take fewer neighbours or samples, or raise the limit"); err != nil {
		return nil, err
	}
	var rows []int
	full := mat.NewDense(l.all.N(), dim, nil)
	at := 0
	for i := range l.all.N() {
		if at < len(l.landmarks) && l.landmarks[at] == i {
			full.SetRow(i, s.Y.RawRowView(at))
			at++
			continue
		}
		rows = append(rows, i)
	}
	rows, err := l.beside(job, s.Y, rows, full)
	if err != nil || len(rows) == 0 {
		return full, err
	}
	rule := s.extension
	if rule == nil || rule.Kind != "linear" {
		placed, y := l.placed(s.Y)
		rule = extend.ByNeighbors(l.all.Subset(placed), y, k, gamma)
	}
	mapping, err := rule.Prepare(extend.Resources{Kernels: job.Kernels(), Threads: job.Threads()})
	if err != nil {
		return nil, err
	}
	z := mat.NewDense(len(rows), dim, nil)
	if err := mapping.Map(job.Context(), l.all.Subset(rows), z); err != nil {
		return nil, err
	}
	for q, i := range rows {
		full.SetRow(i, z.RawRowView(q))
	}
	return full, nil
}

// placed are the landmarks that have coordinates, and those.
func (l *others) placed(y *mat.Dense) ([]int, *mat.Dense) {
	var rows []int
	var entries []float64
	for at, i := range l.landmarks {
		if row := y.RawRowView(at); !math.IsNaN(row[0]) {
			rows, entries = append(rows, i), append(entries, row...)
		}
	}
	if len(rows) == len(l.landmarks) {
		return rows, y
	}
	return rows, mat.NewDense(len(rows), len(entries)/len(rows), entries)
}

// beside returns those of the rows whose nearest landmark has coordinates; the others
// become NaN in full.
func (l *others) beside(job *run.Run, y *mat.Dense, rows []int, full *mat.Dense) ([]int, error) {
	if placed, _ := l.placed(y); len(placed) == len(l.landmarks) || len(rows) == 0 {
		return rows, nil
	}
	nearest, err := samples.Search(job.Context(), l.all.Subset(l.landmarks), l.all.Subset(rows), 1,
		neighbors.Options{Kernels: job.Kernels(), Threads: job.Threads()})
	if err != nil {
		return nil, err
	}
	_, dim := full.Dims()
	var kept []int
	for q, i := range rows {
		if math.IsNaN(y.At(int(nearest.Of(q)[0]), 0)) {
			full.SetRow(i, slices.Repeat([]float64{math.NaN()}, dim))
			continue
		}
		kept = append(kept, i)
	}
	return kept, nil
}
