package picture

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/draw"
)

// Scatter shows samples as points: two coordinates as they are, three as a view of the
// space, more as pairs, and a single one over what colours it, the value, the class, or
// failing both the number of the sample. Rows that are not finite are left out.
type Scatter struct {
	Title  string
	Y      *mat.Dense
	Colors *draw.Coloring // nil: one colour
	Equal  bool           // the coordinates are lengths: a unit is as long on each axis
	Axes   string         // what a coordinate is called; empty: coordinate
	Shares []float64      // of the variance in each coordinate, if they are principal components: they are called "PC1, 41 %"
	Small  bool           // one of many on a page
	Bare   bool           // one of a few on a page, which explains the colours

	Marked []int    // rows that are ringed, such as exemplars
	IDs    []string // of the samples; nil: their numbers, from 1
	Images *Images  // of the samples; nil: they are not images

	// What only a page of HTML shows. It takes Groups, Neighbors, IDs and Images from its first panel of points. Panels whose Colors differ
	// are coloured by their own classes, and those with other Colorings than the first by their own values, on one scale.
	Groups    *draw.Coloring // classes of the samples where Colors are values, or the classes of one panel; nil: there are none
	Colorings []Coloring     // what can colour the samples as well
	Neighbors []int32        // of the samples, the same number for each, −1 for none: lines from the one that is pointed at; nil: none
}

func (s *Scatter) check() error {
	if s.Points() == 0 {
		return errors.New("plot: no sample has finite coordinates")
	}
	return nil
}

// Points counts the samples that have coordinates.
func (s *Scatter) Points() int {
	count := 0
	n, _ := s.Y.Dims()
	for i := range n {
		if s.finite(i) {
			count++
		}
	}
	return count
}

func (s *Scatter) finite(i int) bool {
	for _, v := range s.Y.RawRowView(i) {
		if v-v != 0 {
			return false
		}
	}
	_, d := s.Y.Dims()
	return d > 1 || s.Colors == nil || s.Colors.Classes != nil || s.Colors.Values[i]-s.Colors.Values[i] == 0 // which the only coordinate is drawn over
}

// at returns where sample i is drawn by the coordinates a and b.
func (s *Scatter) at(i, a, b int) (x, y float64) {
	if _, d := s.Y.Dims(); d > 1 {
		return s.Y.At(i, a), s.Y.At(i, b)
	}
	switch {
	case s.Colors == nil:
		x = float64(i + 1)
	case s.Colors.Classes == nil:
		x = s.Colors.Values[i]
	default:
		// A strip a class, over whose width the golden ratio spreads the samples.
		_, spread := math.Modf(float64(i) * math.Phi)
		x = float64(s.Colors.Classes[i]) + 0.6*(spread-0.5)
	}
	return x, s.Y.At(i, 0)
}

// axisName is what coordinate j is called.
func (s *Scatter) axisName(j int) string {
	if j < len(s.Shares) {
		percent := fmt.Sprintf("%.2g", 100*s.Shares[j])
		if s.Shares[j] > 0.0995 {
			percent = fmt.Sprintf("%.0f", 100*s.Shares[j])
		}
		return fmt.Sprintf("PC%d, %s %%", j+1, percent)
	}
	name := s.Axes
	if name == "" {
		name = "coordinate"
	}
	return fmt.Sprintf("%s %d", name, j+1)
}

// names returns what the axes of coordinates a and b show.
func (s *Scatter) names(a, b int) (x, y string) {
	switch _, d := s.Y.Dims(); {
	case d > 1:
		return s.axisName(a), s.axisName(b)
	case s.Colors == nil:
		return "sample", s.axisName(0)
	case s.Colors.Classes == nil:
		return "colour", s.axisName(0)
	}
	return "class", s.axisName(0)
}
