package main

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

// weightsFlag adds the flag for the weights of the samples.
func (t *tableFlags) weightsFlag(f *pflag.FlagSet, methods string) {
	f.StringVar(&t.weights, "weights", "", "`FILE` with the weight of each sample, a number ≥ 0 (FILE:column of a table, :column of the input), of "+methods)
}

// weighing names the methods that take weights of the samples.
func weighing() (names []string) {
	for _, e := range engine.Methods() {
		if e.Weighted {
			names = append(names, e.Name)
		}
	}
	return names
}

// checkWeights refuses weights for a method that takes none, before anything is read, and finds the column of the input
// that they may be.
func (t *tableFlags) checkWeights(method, in string) (err error) {
	if t.weights != "" && !slices.Contains(weighing(), method) {
		return wrong("--weights is for %s; leave it out for %s", strings.Join(weighing(), " and "), method)
	}
	t.weights, err = ofInput(t.weights, in)
	return err
}

// readWeights reads the weights of the samples that are kept, of those that a file has; nil: there are none.
func (t *tableFlags) readWeights(inv *invocation, of string) ([]float64, error) {
	if t.weights == "" {
		return nil, nil
	}
	w, err := files.ReadMatrix(t.weights, inv.readingOf(t.weights))
	if err != nil {
		return nil, err
	}
	rows, cols := w.Dims()
	if rows == 1 && cols == t.total {
		rows, cols, w = cols, 1, mat.DenseCopyOf(w.T())
	}
	switch {
	case cols != 1:
		return nil, wrong("%s has %s, and a sample has one weight; name the column behind a colon", t.weights, counted(cols, "column"))
	case rows != t.total:
		return nil, wrong("%s has %s for the %d samples of %s; give one for each", t.weights, counted(rows, "row"), t.total, of)
	}
	return keptOf(t, mat.Col(nil, 0, w)), nil
}
