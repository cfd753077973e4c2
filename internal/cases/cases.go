// Package cases reads testdata/cases.json: what the command, C, Python and R all have to give, and to refuse, in the same
// way. Each runs every case in its own tests.
package cases

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
)

// Case is one call, with what must come of it.
type Case struct {
	Name, Task, Method string
	Count              *int64 // rank, clusters or k
	Parameters         json.RawMessage
	X, Embedding, W, H string // names of inputs
	Targets            string // numbers that are known of the samples
	Weights            string // of the samples
	Distances          string // in place of samples
	New                string // samples that the model of the fit maps; they make the array "new"
	Labels, Predicted  string // names of labels

	Arrays  map[string]Array
	Report  map[string]json.RawMessage // a value, or its range
	Warning string                     // a part of one
	Refused string                     // a part of the error
	Status  string                     // "memory" where the refusal is for want of it
}

// Array is the shape of an array and the sizes of some of its entries, as row, column, size.
type Array struct {
	Shape   [2]int
	Entries [][3]float64
}

// All are the cases with their inputs.
type All struct {
	Inputs map[string]*mat.Dense
	Labels map[string][]int64
	Cases  []Case
}

// folder is testdata as the tests of a command see it.
var folder = filepath.Join("..", "..", "testdata")

// Read reads the cases.
func Read() (*All, error) {
	text, err := os.ReadFile(filepath.Join(folder, "cases.json"))
	if err != nil {
		return nil, err
	}
	var of struct {
		Inputs map[string]json.RawMessage
		Labels map[string][]int64
		Cases  []Case
	}
	if err := json.Unmarshal(text, &of); err != nil {
		return nil, err
	}
	all := &All{map[string]*mat.Dense{}, of.Labels, of.Cases}
	for name, given := range of.Inputs {
		if all.Inputs[name], err = input(given); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return all, nil
}

// input is a file in testdata, or rows in which null is a NaN.
func input(given json.RawMessage) (*mat.Dense, error) {
	var file string
	if json.Unmarshal(given, &file) == nil {
		return files.ReadMatrix(filepath.Join(folder, file), files.Options{})
	}
	var rows [][]*float64
	if err := json.Unmarshal(given, &rows); err != nil {
		return nil, err
	}
	x := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		for j, v := range row {
			if x.Set(i, j, math.NaN()); v != nil {
				x.Set(i, j, *v)
			}
		}
	}
	return x, nil
}

// slack is how far a number may be off, and of sizes above 1 relatively.
const slack = 1e-6

// Check compares an array.
func (a Array) Check(got mat.Matrix) error {
	rows, cols := got.Dims()
	if rows != a.Shape[0] || cols != a.Shape[1] {
		return fmt.Errorf("it is %d × %d where %d × %d was expected", rows, cols, a.Shape[0], a.Shape[1])
	}
	for _, e := range a.Entries {
		i, j := int(e[0]), int(e[1])
		if v := math.Abs(got.At(i, j)); !(math.Abs(v-e[2]) <= slack*max(1, e[2])) {
			return fmt.Errorf("entry (%d, %d) has the size %v where %v was expected", i, j, v, e[2])
		}
	}
	return nil
}

// CheckReport compares what is reported: numbers within their range, true and false.
func (c Case) CheckReport(report map[string]any) error {
	for key, want := range c.Report {
		got, is := report[key].(float64)
		if yes, word := report[key].(bool); word {
			is = true
			if got = 0; yes {
				got = 1
			}
		}
		low, high, err := bounds(want)
		if err != nil {
			return err
		}
		if !is || !(low-slack <= got && got <= high+slack) {
			return fmt.Errorf("%s is %v where %s was expected", key, report[key], want)
		}
	}
	return nil
}

// bounds are the bounds of a number, of a range, or of true and false as 1 and 0.
func bounds(want json.RawMessage) (low, high float64, err error) {
	var between [2]float64
	if json.Unmarshal(want, &between) == nil {
		return between[0], between[1], nil
	}
	switch string(want) {
	case "true":
		return 1, 1, nil
	case "false":
		return 0, 0, nil
	}
	err = json.Unmarshal(want, &low)
	return low, low, err
}
