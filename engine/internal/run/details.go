package run

import (
	"cmp"
	"slices"
)

// Unit is the power of the unit of the data in a number.
type Unit float64

const (
	NoUnit Unit = 0
	Length Unit = 1
	Square Unit = 2
	Fourth Unit = 4 // of products of squares
)

// Detail is a finding for the caller. No step
// reads it.
type Detail struct {
	Name  string
	Value any  // a float64 or a []float64 if it has a unit
	Unit  Unit // while the value refers to divided samples
}

// Numbers returns a copy of the numbers of a detail with a unit.
func (d Detail) Numbers() []float64 {
	if list, is := d.Value.([]float64); is {
		return slices.Clone(list)
	}
	return []float64{d.Value.(float64)}
}

// With returns the detail with other numbers, the same count, and no unit.
func (d Detail) With(numbers []float64) Detail {
	if _, single := d.Value.(float64); single {
		return Detail{Name: d.Name, Value: numbers[0]}
	}
	return Detail{Name: d.Name, Value: numbers}
}

// Details are findings with distinct names.
type Details []Detail

// with adds a detail, or replaces the one with its name.
func (d Details) with(one Detail) Details {
	if at := slices.IndexFunc(d, func(of Detail) bool { return of.Name == one.Name }); at >= 0 {
		d[at] = one
		return d
	}
	return append(d, one)
}

// InUnit converts the details to the unit of the data. multiply multiplies numbers by a power of it, and
// returns false if one overflows. The names of details left out for that reason are sorted.
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

// Map returns the details in the form that callers and JSON get.
func (d Details) Map() map[string]any {
	all := make(map[string]any, len(d))
	for _, one := range d {
		all[one.Name] = one.Value
	}
	return all
}
