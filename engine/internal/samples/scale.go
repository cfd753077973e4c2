package samples

import "slices"

// Scaled returns a copy of dense samples as a method with an augmented Lagrangian
// sees them: every feature from 0 to 1 (minmax; 0 where it is constant), every
// feature from 0 (shift), or the samples as they are (none).
func (x Samples) Scaled(how string) Samples {
	scaled := Samples{n: x.n, m: x.m, data: slices.Clone(x.data), labels: x.labels, numbers: x.numbers}
	if how == "none" {
		return scaled
	}
	least, most := slices.Clone(x.Row(0)), slices.Clone(x.Row(0))
	for i := range x.n {
		for j, v := range x.Row(i) {
			least[j], most[j] = min(least[j], v), max(most[j], v)
		}
	}
	for i := range x.n {
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
	return scaled
}
