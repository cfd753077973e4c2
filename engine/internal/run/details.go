package run

import (
	"cmp"
	"slices"
)

// Unit is the power of the unit of the data that a figure has.
type Unit float64

const (
	NoUnit Unit = 0
	Length Unit = 1
	Square Unit = 2
	Fourth Unit = 4 // of products of squares
)

// Detail is a figure that was found on the way to a result, for the caller alone: no step
// reads it.
type Detail struct {
	Name  string
	Value any  // with a unit a float64 or a []float64
	Unit  Unit // as long as the figure is that of samples that were divided
}

// Numbers are those of a detail with a unit, copied.
func (d Detail) Numbers() []float64 {
	if list, is := d.Value.([]float64); is {
		return slices.Clone(list)
	}
	return []float64{d.Value.(float64)}
}

// With is the detail with other numbers, as many as it has, and no unit.
func (d Detail) With(numbers []float64) Detail {
	if _, single := d.Value.(float64); single {
		return Detail{Name: d.Name, Value: numbers[0]}
	}
	return Detail{Name: d.Name, Value: numbers}
}

// Details are figures by their names, each once.
type Details []Detail

// with is the list with one more, or in place of the one of that name.
func (d Details) with(one Detail) Details {
	if at := slices.IndexFunc(d, func(of Detail) bool { return of.Name == one.Name }); at >= 0 {
		d[at] = one
		return d
	}
	return append(d, one)
}

// InUnit gives the figures the unit of the data, by what multiplies numbers by a power of it; false:
// a number would be beyond the range. The names of figures that are left out for that are sorted.
func (d Details) InUnit(multiply func(power float64, numbers []float64) bool) (all Details, omitted []string) {
	for _, one := range d {
		if one.Unit != NoUnit {
			numbers := one.Numbers()
			if !multiply(float64(one.Unit), numbers) {
				omitted = append(omitted, one.Name)
				continue
			}
			one = one.With(numbers)
		}
		all = append(all, one)
	}
	slices.SortFunc(omitted, cmp.Compare[string])
	return all, omitted
}

// Map is what callers get, and JSON.
func (d Details) Map() map[string]any {
	all := make(map[string]any, len(d))
	for _, one := range d {
		all[one.Name] = one.Value
	}
	return all
}
