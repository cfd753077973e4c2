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
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// landmarks embeds a part of the samples, for a method with neighbourhoods, and places the
// others by them. A method with landmarks of its own keeps all samples.
type landmarks struct {
	count      int
	rows       []int  // given rows, in place of a choice
	choice     string // auto, farthest or random
	components string // the policy for several components
}

func landmarksOf(o Options) landmarks {
	return landmarks{o.Landmarks, o.LandmarkRows, o.LandmarkChoice, o.Components}
}

// asked reports whether landmarks are requested.
func (g landmarks) asked() bool { return g.count > 0 || g.rows != nil }

func (g landmarks) apply(s state) (state, undo, error) {
	chosen, err := g.of(s)
	if err != nil || chosen == nil {
		return s, nil, err
	}
	if method.RowOf(s.method).OwnLandmarks {
		s.landmarks = chosen
		return s, nil, nil
	}
	rest := placed{s.x, chosen}
	s.x = s.x.Subset(chosen)
	return s, rest, nil
}

// of returns the landmarks in ascending order; nil: all samples are embedded.
func (g landmarks) of(s state) ([]int, error) {
	row := method.RowOf(s.method)
	switch n := s.x.N(); {
	case row.Neighbors == nil && !row.Places:
		if g.asked() {
			s.Warn("%s has no neighbourhoods: landmarks do nothing", s.Method())
		}
		return nil, nil
	case g.rows != nil:
		return g.named(s)
	case g.count == 0:
		return nil, nil
	case g.count < 2:
		return nil, fmt.Errorf("%s: %d landmarks; give at least 2", s.Method(), g.count)
	case g.count >= n:
		s.Warn("%d landmarks of %d samples: all samples are embedded", g.count, n)
		return nil, nil
	}
	defer s.Phase("landmarks")()
	choice := g.choiceFor(row)
	s.Explain("landmarks: %d of %d samples, %s", g.count, s.x.N(), choice)
	if choice == "random" {
		return randomSubset(blas.NewStream(s.Seed()), s.x.N(), g.count), nil
	}
	return farthestPoints(s.Run, s.x, g.count)
}

// choiceFor returns how to choose the landmarks of a method. The landmarks of isomap represent all samples
// in the scaling, and should have the same distribution: the farthest samples are outliers of
// noisy data, whose paths are not representative; the same holds for distances. If every component is embedded by
// landmarks of its own, a random choice might leave a small one without.
func (g landmarks) choiceFor(row method.Row) string {
	switch {
	case g.choice != "auto":
		return g.choice
	case row.OwnLandmarks && g.components != "each", row.Places:
		return "random"
	}
	return "farthest"
}

// named checks and returns the given rows. If copies have been merged, the rows are mapped to the
// distinct samples.
func (g landmarks) named(s state) ([]int, error) {
	rows, n, copies := slices.Clone(g.rows), s.x.N(), s.copies.Of
	for at, i := range rows {
		if i < 0 || i >= max(len(copies), n) {
			return nil, fmt.Errorf("%s: landmark row %d of %d samples; rows count from 0", s.Method(), i, max(len(copies), n))
		}
		if n < len(copies) {
			rows[at] = int(copies[i])
		}
	}
	slices.Sort(rows)
	if distinct := slices.Compact(slices.Clone(rows)); len(distinct) < len(rows) {
		return nil, fmt.Errorf("%s: %d of the %d landmark rows are there twice; name each sample once", s.Method(), len(rows)-len(distinct), len(rows))
	}
	if len(rows) < 2 {
		return nil, fmt.Errorf("%s: %d landmarks; give at least 2", s.Method(), len(rows))
	}
	return rows, nil
}

// randomSubset draws count of n numbers, ascending; every subset is equally likely.
func randomSubset(s *blas.Stream, n, count int) []int {
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

// farthestPoints picks one sample at random and then repeatedly the one
// farthest from those picked: see [cover.Farthest].
func farthestPoints(job *run.Run, x samples.Samples, count int) ([]int, error) {
	first := blas.NewStream(job.Seed()).Below(x.N())
	chosen, err := cover.Farthest(job.Context(), x, job.Threads(), first, count, job.Counting("landmarks", "landmarks", count))
	if err != nil {
		return nil, err
	}
	if len(chosen) < count {
		return nil, fmt.Errorf("%s: %d landmarks requested of data with %d distinct samples; give at most as many", job.Method(), count, len(chosen))
	}
	slices.Sort(chosen)
	return chosen, nil
}

// placed places the samples that are not landmarks.
type placed struct {
	all       samples.Samples
	landmarks []int // ascending
}

// back gives coordinates to every sample that is not a landmark: by the projection of a linear method,
// by the forces of a layout, by the least stress, or otherwise as the mean of its k nearest landmarks' coordinates with
// barycentric weights. If landmarks have no coordinates, such as those of smaller
// components, the samples nearest to them have none either.
func (l placed) back(f *fitted) (err error) {
	row := method.RowOf(f.method)
	f.coordinates.Y, err = l.place(f.Run, f.coordinates, row)
	f.coordinates.trust.among(l.landmarks, l.all.N())
	return err
}

func (l placed) place(job *run.Run, s *outcome, row method.Row) (*mat.Dense, error) {
	k, gamma := 1, row.Embed().Gamma
	if row.Neighbors != nil {
		k = *row.Neighbors
	}
	defer job.Phase("extension")()
	_, dim := s.Y.Dims()
	n := l.all.N()
	// The other samples, their neighbours among the landmarks, and the coordinates.
	bytes := l.all.Bytes() + 8*int64(n)*int64(3*dim+2) + neighbors.GraphBytes(n, k)
	if err := job.Fit(bytes, fmt.Sprintf("placing %d samples that are not landmarks needs", n), "take fewer neighbours or samples, or raise the limit"); err != nil {
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
	rows, err := l.nearPlaced(job, s.Y, rows, full)
	if err != nil || len(rows) == 0 {
		return full, err
	}
	rule := s.Extension
	own := row.Layout || row.Places
	if rule != nil && !own {
		_, own = rule.Map.(extend.LinearMap)
	}
	if rule == nil || !own {
		known, y := l.withCoordinates(s.Y)
		rule = extend.ByNeighbors(extend.Searched{Samples: l.all.Subset(known), Neighbors: k, Metric: job.Metric()}, y, gamma)
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

// withCoordinates returns the landmarks that have coordinates, and these coordinates.
func (l placed) withCoordinates(y *mat.Dense) ([]int, *mat.Dense) {
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

// nearPlaced returns the rows whose nearest landmark has coordinates; the other rows
// of full become NaN.
func (l placed) nearPlaced(job *run.Run, y *mat.Dense, rows []int, full *mat.Dense) ([]int, error) {
	if known, _ := l.withCoordinates(y); len(known) == len(l.landmarks) || len(rows) == 0 {
		return rows, nil
	}
	nearest, err := samples.Search(job.Context(), l.all.Subset(l.landmarks), l.all.Subset(rows), 1, job.Metric(),
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
