package engine

import "github.com/orthant-go/orthant/engine/neighbors"

// FeatureScale says how the features are scaled before anything else.
type FeatureScale struct {
	Scale string `json:"scale" default:"minmax" allowed:"minmax|shift|none" doc:"of the features: to [0, 1] (constant ones to 0), to a least value of 0, or as they are"`
}

// scaleFeatures replaces the samples, in a copy, by what a method with an augmented
// Lagrangian sees of them: every feature from 0 to 1 (minmax; 0 where it is
// constant), every feature from 0 (shift), or the samples as they are (none).
func (p *problem) scaleFeatures(how string) {
	n, m := p.x.N, p.x.M
	scaled := neighbors.Points{N: n, M: m, Data: append([]float64(nil), p.x.Data[:n*m]...)}
	p.x = scaled
	if how == "none" {
		return
	}
	least, most := append([]float64(nil), scaled.Row(0)...), append([]float64(nil), scaled.Row(0)...)
	for i := range n {
		for j, v := range scaled.Row(i) {
			least[j], most[j] = min(least[j], v), max(most[j], v)
		}
	}
	for i := range n {
		row := scaled.Row(i)
		for j, v := range row {
			switch {
			case least[j] == most[j]:
				row[j] = 0
			case how == "shift":
				row[j] = v - least[j]
			default: // by halves, so that no difference overflows
				row[j] = (v/2 - least[j]/2) / (most[j]/2 - least[j]/2)
			}
		}
	}
}
