package files

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// maxExact is 2⁵³: beyond it a float64 no longer distinguishes integers.
const maxExact = 1 << 53

// ReadLabels reads integers, one for each sample: an array of any integer
// type or of floating-point numbers without fractions, or a column of a CSV file;
// n, n × 1 or 1 × n. Integers of .npy and .npz are exact for all of int64;
// numbers stored as text or floating point must be within ±2⁵³.
//
// Every error is an [*Error] with [OpRead].
func ReadLabels(path string, o Options) ([]int64, error) {
	v, err := readLabels(path, o)
	if err != nil {
		return nil, failure(path, OpRead, err)
	}
	return v, nil
}

// ReadClasses reads the class of each sample: integers as in [ReadLabels], with nil
// for their names, or the texts of a column of a .csv or .tsv file. These are numbered from
// 0 in alphabetical order, and names[c] is the text of class c. A sample without a
// class is an error. Every error is an [*Error] with [OpRead].
func ReadClasses(path string, o Options) (classes []int64, names []string, err error) {
	classes, err = readLabels(path, o)
	if _, text := errors.AsType[*TextError](err); err == nil || !text {
		return classes, nil, failure(path, OpRead, err)
	}
	c, err := readTexts(path, o)
	if err != nil {
		return nil, nil, failure(path, OpRead, err)
	}
	for i, text := range c.texts {
		if isMissing([]byte(text)) && c.number == 0 {
			return nil, nil, failure(path, OpRead, missingClass(i))
		}
		if isMissing([]byte(text)) {
			return nil, nil, failure(path, OpRead, &MissingError{fmt.Sprintf("line %d, column %d is %q, and every sample needs its class: fill it in, or leave the sample out", c.line+i, c.number, text)})
		}
	}
	names = slices.Clone(c.texts)
	slices.Sort(names)
	names = slices.Compact(names)
	classes = make([]int64, len(c.texts))
	for i, text := range c.texts {
		at, _ := slices.BinarySearch(names, text)
		classes[i] = int64(at)
	}
	return classes, names, nil
}

func readLabels(path string, o Options) ([]int64, error) {
	loc, err := locate(path)
	if err != nil {
		return nil, err
	}
	return loc.format.readLabels(loc, o)
}

// readMatrixLabels reads a matrix of numbers as labels.
func readMatrixLabels(loc location, o Options) ([]int64, error) {
	m, err := readDense(loc, o)
	if err != nil {
		return nil, err
	}
	rows, cols := m.Dims()
	if err := oneLine(rows, cols); err != nil {
		return nil, err
	}
	return wholeNumbers(m.RawMatrix().Data)
}

func oneLine(rows, cols int) error {
	if rows != 1 && cols != 1 {
		return fmt.Errorf("labels are one number for each sample, not a %d × %d matrix", rows, cols)
	}
	return nil
}

// wholeNumbers converts numbers that must have no fraction.
func wholeNumbers(v []float64) ([]int64, error) {
	labels := make([]int64, len(v))
	for i, x := range v {
		switch {
		case x != math.Trunc(x) || math.IsInf(x, 0): // NaN differs from itself
			return nil, fmt.Errorf("entry %d (counting from 1) is %v, and labels are whole numbers", i+1, x)
		case math.Abs(x) > maxExact:
			return nil, fmt.Errorf("entry %d (counting from 1) is %v, beyond ±2⁵³: store such labels as an integer .npy", i+1, x)
		}
		labels[i] = int64(x)
	}
	if len(labels) == 0 {
		return nil, errors.New("there are no labels")
	}
	return labels, nil
}
