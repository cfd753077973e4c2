package draw

import "slices"

// Panels divides the curves among diagrams of the same axes, so that none has more colours
// than told: beyond some eight, colours are not told apart, and lines cover each other. A
// dashed curve stays with the solid one whose colour it has, and panels have about as many
// colours each.
func (l *Lines) Panels(most int) []*Lines {
	colors := l.colorsOf()
	count := 0
	if len(colors) > 0 {
		count = slices.Max(colors) + 1
	}
	parts := (count + most - 1) / most
	if parts <= 1 {
		return []*Lines{l}
	}
	panels := make([]*Lines, parts)
	for p := range panels {
		one := *l
		one.Curves, one.beside = nil, l.Curves
		for i, c := range l.Curves {
			if colors[i]*parts/count == p {
				one.Curves = append(one.Curves, c)
			}
		}
		panels[p] = &one
	}
	return panels
}
