package picture

import (
	"cmp"
	"hash/fnv"
	"slices"
	"strconv"

	"github.com/orthant-go/orthant/internal/draw"
)

// MaxNamed is the number of classes up to which a picture names each next to its colour
// and shape.
const MaxNamed = 40

// ByClasses colours samples by their labels; names[l] is the name of class l, and without names
// the labels are their own. Classes are in their natural order, and a class has its colour by its
// name ([stylesOf]), but −1 without names may be noise ([draw.HasNoise]). Numbers of which nearly every sample has its own are a scale.
func ByClasses(labels []int64, names []string) *draw.Coloring {
	distinct := slices.Clone(labels)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	if names == nil && len(distinct) > MaxNamed && 2*len(distinct) > len(labels) {
		return draw.ByLabels(labels)
	}
	if names != nil {
		slices.SortStableFunc(distinct, func(a, b int64) int { return natural(names[a], names[b]) })
	}
	c, class := &draw.Coloring{Classes: make([]int, len(labels))}, make(map[int64]int, len(distinct))
	for k, l := range distinct {
		name := strconv.FormatInt(l, 10)
		if names != nil {
			name = names[l]
		}
		c.Names, class[l] = append(c.Names, name), k
	}
	for i, l := range labels {
		c.Classes[i] = class[l]
	}
	if names == nil {
		c.Styles = stylesOf(c.Names)
		if draw.HasNoise(distinct) {
			c.Names[0], c.Styles[0] = "noise", draw.NoClass
		}
		return c
	}
	styles := stylesOf(names) // of all, also those that no sample has
	for _, l := range distinct {
		c.Styles = append(c.Styles, styles[l])
	}
	return c
}

// stylesOf gives every class a colour and a shape by its name, so that it has the same in another
// picture, also where other classes are absent: whole numbers in their order, over and over, and words by
// a hash. Where two words of a picture share one, the one with the larger hash has the next that is free: where
// one of eight words is absent, about a tenth of the others have another colour.
func stylesOf(names []string) []int {
	colours, all := len(draw.ClassColors), len(draw.ClassColors)*shapesOfClasses
	hashes := make([]uint32, len(names))
	order := make([]int, len(names))
	for k, name := range names {
		sum := fnv.New32a()
		sum.Write([]byte(name))
		hashes[k], order[k] = sum.Sum32(), k
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(hashes[a], hashes[b]), cmp.Compare(names[a], names[b])) })
	styles, taken := make([]int, len(names)), make(map[int]bool, len(names))
	for _, k := range order {
		if len(taken) == all { // the next round
			clear(taken)
		}
		want, round := int(hashes[k]%uint32(colours)), colours
		if v, err := strconv.ParseInt(names[k], 10, 64); err == nil {
			want, round = int((v%int64(all)+int64(all))%int64(all)), all
		}
		style := want
		for try := 1; taken[style] && try < all; try++ {
			if style = (want + try) % round; try >= round { // all dots are taken
				style = try
			}
		}
		styles[k], taken[style] = style, true
	}
	return styles
}

// shapeOf is the shape of a style: a dot in the first round of colours.
func shapeOf(style int) int { return max(style, 0) / len(draw.ClassColors) % shapesOfClasses }

// shapesOfClasses distinguish the classes that share a colour.
const shapesOfClasses = 4
