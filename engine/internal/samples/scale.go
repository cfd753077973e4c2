package samples

import "slices"

// Scaling is the scaling of features for augmented Lagrangian methods and selections:
// each to the range from 0 to 1 (minmax; 0 if it is constant), each to minimum 0 (shift), or
// unchanged (none).
type Scaling struct {
	How         string
	Least, Most []float64 // minimum and maximum of each feature in the samples of the fit; nil: no scaling
}

// ScalingOf computes the scaling of dense samples.
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

// Scale scales one sample in place.
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

// Scaled returns a copy of dense samples with their own scaling.
func (x Samples) Scaled(how string) Samples { return x.ScaledBy(x.ScalingOf(how)) }

// ScaledBy returns a copy of dense samples with the given scaling.
func (x Samples) ScaledBy(s Scaling) Samples {
	scaled := Samples{n: x.n, m: x.m, data: slices.Clone(x.Data()), labels: x.labels, numbers: x.numbers}
	for i := range x.n {
		s.Scale(scaled.Row(i))
	}
	return scaled
}
