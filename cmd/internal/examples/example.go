// Package examples has one example of every method: the data, what is run on them, and what the picture of the result shows. Each is
// written for the shell, Python, R and Go from that one source, for the pages and the site, and the tests run all of them.
package examples

import (
	"fmt"
	"slices"
	"strings"
)

// Example is one run of a method. Samples and results are CSV files, which all four languages read to the same bits.
type Example struct {
	Data  Data
	Task  string    // embed, factorize, cluster or select
	Count int       // of components, clusters or exemplars; 0: the task or the method has none
	Set   []Setting // parameters in place of their defaults
	// Labels says that the method learns from the classes. Otherwise they only colour the picture.
	Labels bool
	// Picture and Also are further arguments of the command: for its picture, and for more files that it writes.
	Picture, Also string
	Shows         string // what the picture shows, in Markdown
}

// Data are the samples of an example, x.csv, and what is known of them.
type Data struct {
	Generate string // arguments of orthant generate; empty: the table in testdata is there already
	Truth    string // t.csv: what the samples were made of; y.csv: their classes
}

// Setting is a parameter by its key, and its value.
type Setting struct{ Key, Value string }

// Result is the file that the example of a task writes in the shell.
var Result = map[string]string{"embed": "embedding.csv", "factorize": "w.csv", "cluster": "clusters.csv", "select": "exemplars.csv"}

// Table is the table in testdata.
const Table = "testdata/wdbc.csv"

// Input is the file of the samples.
func (x Example) Input() string {
	if x.Data.Generate == "" {
		return Table
	}
	return "x.csv"
}

// Of returns the example of a method: its own, or that of its family.
func Of(name string) (Example, error) {
	if own, ok := ofMethods[name]; ok {
		return own, nil
	}
	for _, f := range Families {
		if slices.Contains(f.Names, name) && f.example.Task != "" {
			return f.example, nil
		}
	}
	return Example{}, fmt.Errorf("%s has no example: add one to cmd/internal/examples/methods.go", name)
}

// counts are the options and arguments that give the count of a task.
var counts = map[string]struct{ flag, field string }{"factorize": {"--rank", "Rank"}, "cluster": {"--clusters", "Clusters"}, "select": {"--count", "Count"}}

// flags are parameters that have an option of their own in the command.
var flags = map[string]string{"standardize": "--scale", "dim": "--dim"}

// Shell are the commands that make the data, run the method and draw NAME.png.
func (x Example) Shell(name string) []string {
	var lines []string
	if x.Data.Generate != "" {
		line := "orthant generate " + x.Data.Generate + " --out x.csv"
		switch x.Data.Truth {
		case "t.csv":
			line += " --out-params t.csv"
		case "y.csv":
			line += " --out-labels y.csv"
		}
		lines = append(lines, line)
	}
	words := []string{"orthant", x.Task, "--method", name}
	if x.Count > 0 {
		words = append(words, counts[x.Task].flag, fmt.Sprint(x.Count))
	}
	for _, s := range x.Set {
		if flag := flags[s.Key]; flag != "" {
			words = append(words, flag, s.Value)
		} else {
			words = append(words, "--set", s.Key+"="+s.Value)
		}
	}
	words = append(words, "--in", x.Input())
	if x.Labels {
		words = append(words, "--labels", "y.csv")
	}
	if x.Picture != "" {
		words = append(words, x.Picture)
	}
	switch x.Task {
	case "factorize":
		words = append(words, "--out-w w.csv --out-h h.csv")
	default:
		words = append(words, "--out", Result[x.Task])
	}
	if x.Also != "" {
		words = append(words, x.Also)
	}
	return append(lines, strings.Join(words, " ")+" --plot "+name+".png")
}
