package samples

import "slices"

// Scaling is how a method with an augmented Lagrangian, or a selection, sees the features:
// every one from 0 to 1 (minmax; 0 where it is constant), every one from 0 (shift), or
// as they are (none).
type Scaling struct {
	How         string
	Least, Most []float64 // of each feature in the samples of the fit; nil: none is scaled
}

// ScalingOf finds the scaling of dense samples.
func (x Samples) ScalingOf(how string) Scaling {
	if how == "none" {
		return Scaling{How: how}
	}
	s := Scaling{how, slices.Clone(x.Row(0)), slices.Clone(x.Row(0))}
	for i := range x.n {
		for j, v := range x.Row(i) {
			s.Least[j], s.Most[j] = min(s.Least[j], v), max(s.Most[j], v)
		}
	}
	return s
}

// Scale scales one sample in its place.
func (s Scaling) Scale(row []float64) {
	for j, least := range s.Least {
		switch most := s.Most[j]; {
		case least == most:
			row[j] = 0
		case s.How == "shift":
			row[j] -= least
		default: // by halves, so that no difference overflows
			row[j] = (row[j]/2 - least/2) / (most/2 - least/2)
		}
	}
}

// Scaled returns a copy of dense samples as a scaling of their own makes them.
func (x Samples) Scaled(how string) Samples { return x.ScaledBy(x.ScalingOf(how)) }

// ScaledBy returns a copy of dense samples as a scaling makes them.
func (x Samples) ScaledBy(s Scaling) Samples {
	scaled := Samples{n: x.n, m: x.m, data: slices.Clone(x.Data()), labels: x.labels, numbers: x.numbers}
	for i := range x.n {
		s.Scale(scaled.Row(i))
	}
	return scaled
}
