package picture

import (
	"slices"
	"strconv"

	"github.com/orthant-go/orthant/internal/draw"
)

// MostNamed is the number of classes up to which a picture names each beside its colour
// and shape.
const MostNamed = 40

// ByClasses colours samples by their labels; names[l] is the name of class l, and without names
// the labels are their own. Numbers of which nearly every sample has its own are a scale.
func ByClasses(labels []int64, names []string) *draw.Coloring {
	distinct := slices.Clone(labels)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	if names == nil && len(distinct) > MostNamed && 2*len(distinct) > len(labels) {
		return draw.ByLabels(labels)
	}
	c := &draw.Coloring{Classes: make([]int, len(labels))}
	for _, l := range distinct {
		name := strconv.FormatInt(l, 10)
		if names != nil {
			name = names[l]
		}
		c.Names = append(c.Names, name)
	}
	for i, l := range labels {
		c.Classes[i], _ = slices.BinarySearch(distinct, l)
	}
	return c
}

// shapeOf is the shape of a class: that of the first round of colours is a dot.
func shapeOf(class int) int { return class / len(draw.ClassColors) % len(shapes) }
