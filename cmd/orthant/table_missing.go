package main

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"
)

// addMissing adds the flag for missing values.
func (t *tableFlags) addMissing(f *pflag.FlagSet) {
	f.StringVar(&t.missing, missingKey, "error", "what empty fields, NA and NaN mean: `WHAT` is error; drop: leave out the rows that have one; mean: take the mean of the column")
}

// checkMissing refuses words that mean nothing here.
func (t *tableFlags) checkMissing(method string) error {
	switch t.missing {
	case "", "error", "drop", "mean":
		return nil
	case "weight":
		return wrong("--missing weight is for %s of \"orthant factorize\", and %s has no weights; give drop or mean", strings.Join(takingMissing(), ", "), method)
	}
	return wrong("--missing is %q; give error, drop or mean", t.missing)
}

// checkDropped refuses rows to be left out where another input goes by them.
func (t *tableFlags) checkDropped(flagsAndPaths ...string) error {
	for i := 0; i < len(flagsAndPaths); i += 2 {
		if t.missing == "drop" && flagsAndPaths[i+1] != "" {
			return wrong("--missing drop leaves rows out, and %s would no longer go with them; give --missing mean, or leave %s out", flagsAndPaths[i], flagsAndPaths[i])
		}
	}
	return nil
}

// complete leaves out the rows that lack a value, or fills it in, in the place of x.
func (t *tableFlags) complete(inv *invocation, in string, m mat.Matrix) error {
	x, dense := m.(*mat.Dense)
	if !dense {
		return wrong("--missing %s is for dense samples, and those of %s are sparse; fill them in first", t.missing, in)
	}
	rows, cols := x.Dims()
	if at := slices.IndexFunc(x.RawMatrix().Data, func(v float64) bool { return math.IsInf(v, 0) }); at >= 0 {
		return wrong("%s: row %d, column %d (counting from 1) is %v, which is not a missing value; mend it first", in, at/cols+1, at%cols+1, x.At(at/cols, at%cols))
	}
	if t.missing == "mean" {
		return t.fill(inv, in, x)
	}
	kept := make([]int, 0, rows)
	for i := range rows {
		if !slices.ContainsFunc(x.RawRowView(i), math.IsNaN) {
			kept = append(kept, i)
		}
	}
	switch {
	case len(kept) == rows:
		return nil
	case len(kept) == 0:
		return wrong("every row of %s lacks a value, so that --missing drop leaves none; give --missing mean, or leave out the columns with gaps (--drop)", in)
	}
	for to, from := range kept {
		copy(x.RawRowView(to), x.RawRowView(from))
	}
	*x = *mat.NewDense(len(kept), cols, x.RawMatrix().Data[:len(kept)*cols])
	t.kept = kept
	if t.ids != nil {
		t.ids = keptOf(t, t.ids)
	} else if t.titled {
		t.idName = "row"
		for _, i := range kept {
			t.ids = append(t.ids, strconv.Itoa(i+1))
		}
	}
	inv.warn("left out by --missing drop: %d of %d rows of %s, which lack a value; outputs have %d rows", rows-len(kept), rows, in, len(kept))
	return nil
}

// fill puts the mean of its column in the place of each missing value.
func (t *tableFlags) fill(inv *invocation, in string, x *mat.Dense) error {
	rows, cols := x.Dims()
	sums, counts := make([]float64, cols), make([]int, cols)
	for i := range rows {
		for j, v := range x.RawRowView(i) {
			if v == v {
				counts[j]++
				sums[j] += (v - sums[j]) / float64(counts[j]) // the mean so far, so that nothing overflows
			}
		}
	}
	filled := 0
	for i := range rows {
		row := x.RawRowView(i)
		for j, v := range row {
			if v == v {
				continue
			}
			if counts[j] == 0 {
				return wrong("%s: %s has no value in any row, and so no mean; leave it out (--drop %s)", in, t.columnAt(j), t.nameAt(j))
			}
			row[j] = sums[j]
			filled++
		}
	}
	if filled > 0 {
		inv.warn("%s of %s filled in by the mean of the column (--missing mean)", counted(filled, "missing value"), in)
	}
	return nil
}
