package examples

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/engine"
)

// Python is the example as a program of Python.
func (x Example) Python(name string) string {
	var b strings.Builder
	b.WriteString("import numpy, orthant\n\n")
	header := ""
	if x.Data.Generate == "" {
		header = ", skiprows=1"
	}
	fmt.Fprintf(&b, "x = numpy.loadtxt(%q, delimiter=\",\"%s)\n", x.Input(), header)
	if x.Labels {
		b.WriteString("y = numpy.loadtxt(\"y.csv\", dtype=int)\n")
	}
	call := "orthant." + x.call(name, "=")
	switch x.Task {
	case "embed":
		b.WriteString("embedding = " + call + ".embedding\n")
	case "factorize":
		b.WriteString("result = " + call + "\nw, h = result.w, result.h\n")
	case "cluster":
		b.WriteString("labels = " + call + ".labels\n")
	case "select":
		b.WriteString("exemplars = " + call + "\n")
	}
	return b.String()
}

// R is the example as a program of R; empty: the R package does not have the task.
func (x Example) R(name string) string {
	if x.Task == "select" {
		return ""
	}
	var b strings.Builder
	b.WriteString("library(orthant)\n\n")
	header := ", header = FALSE"
	if x.Data.Generate == "" {
		header = ""
	}
	fmt.Fprintf(&b, "x <- as.matrix(read.csv(%q%s))\n", x.Input(), header)
	if x.Labels {
		b.WriteString("y <- scan(\"y.csv\", quiet = TRUE)\n")
	}
	call := x.call(name, " = ")
	switch x.Task {
	case "embed":
		b.WriteString("embedding <- " + call + "$embedding\n")
	case "factorize":
		b.WriteString("result <- " + call + "\nw <- result$w\nh <- result$h\n")
	case "cluster":
		b.WriteString("labels <- " + call + "$labels\n")
	}
	return b.String()
}

// call is the call of the task, which Python and R write alike but for the sign between a parameter and its value.
func (x Example) call(name, is string) string {
	args := []string{"x", strconv.Quote(name)}
	if x.Count > 0 {
		args = append(args, strconv.Itoa(x.Count))
	}
	for _, s := range x.Set {
		args = append(args, s.Key+is+literal(s.Value))
	}
	if x.Labels {
		args = append(args, "labels"+is+"y")
	}
	return x.Task + "(" + strings.Join(args, ", ") + ")"
}

// literal is a value as all three languages write it.
func literal(value string) string {
	if _, err := strconv.ParseFloat(value, 64); err == nil {
		return value
	}
	return strconv.Quote(value)
}

// tasksInGo are the functions of the engine, their options and the results that a program prints.
var tasksInGo = map[string]struct{ call, options, shown string }{
	"embed":     {"Embed", "Options", "mat.Formatted(r.Y, mat.Excerpt(3))"},
	"factorize": {"Factorize", "FactorizeOptions", "mat.Formatted(r.W, mat.Excerpt(3))"},
	"cluster":   {"Cluster", "ClusterOptions", "r.Labels"},
	"select":    {"Select", "SelectOptions", "r.Indices"},
}

// Go is the example as a program of Go.
func (x Example) Go(name string) (string, error) {
	method, err := engine.New(name)
	if err != nil {
		return "", err
	}
	is := reflect.Indirect(reflect.ValueOf(method)).Type()
	var own, common, options []string
	for _, s := range x.Set {
		if field, found := fieldOf(is, s.Key); found {
			own = append(own, field+": "+literal(s.Value))
		} else if field, found := fieldOf(reflect.TypeFor[engine.Options](), s.Key); found {
			common = append(common, field+": "+literal(s.Value))
		} else {
			return "", fmt.Errorf("%s has no parameter %s", name, s.Key)
		}
	}
	if x.Labels {
		common = append(common, "Labels: y")
	}
	task := tasksInGo[x.Task]
	options = common
	if task.options != "Options" {
		options = nil
		if len(common) > 0 {
			options = append(options, "Options: engine.Options{"+strings.Join(common, ", ")+"}")
		}
		if x.Count > 0 {
			options = append(options, counts[x.Task].field+": "+strconv.Itoa(x.Count))
		}
	}
	var b strings.Builder
	b.WriteString("package main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"log\"\n\n")
	imports := []string{"github.com/orthant-go/orthant/engine", "github.com/orthant-go/orthant/engine/files"}
	if strings.HasPrefix(task.shown, "mat.") {
		b.WriteString("\t\"gonum.org/v1/gonum/mat\"\n\n")
	}
	for _, path := range slices.Sorted(slices.Values(imports)) {
		fmt.Fprintf(&b, "\t%q\n", path)
	}
	const failed = "\tif err != nil {\n\t\tlog.Fatal(err)\n\t}\n"
	fmt.Fprintf(&b, ")\n\nfunc main() {\n\tx, err := files.ReadMatrix(%q, files.Options{})\n%s", x.Input(), failed)
	if x.Labels {
		b.WriteString("\ty, err := files.ReadLabels(\"y.csv\", files.Options{})\n" + failed)
	}
	fmt.Fprintf(&b, "\tr, err := engine.%s(context.Background(), x, engine.%s{%s}, engine.%s{%s})\n%s", task.call, is.Name(), strings.Join(own, ", "), task.options, strings.Join(options, ", "), failed)
	fmt.Fprintf(&b, "\tfmt.Println(%s)\n}\n", task.shown)
	return b.String(), nil
}

// fieldOf finds the field of a parameter by its key. A struct that is embedded has its fields too.
func fieldOf(in reflect.Type, key string) (string, bool) {
	for _, f := range reflect.VisibleFields(in) {
		if tag, _, _ := strings.Cut(f.Tag.Get("json"), ","); tag == key && len(f.Index) == 1 {
			return f.Name, true
		}
	}
	return "", false
}
