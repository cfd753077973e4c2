package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
)

// tableFlags say which columns of a table are the samples, or how images become rows, and
// keep what is known of the samples beside their numbers.
type tableFlags struct {
	columns, drop columnList
	id            string
	classes       bool   // the command takes the classes of the samples
	missing       string // error, drop or mean; empty: the command has no such flag
	resize        imageSize
	grey          bool

	names  []string // of the columns; nil: they have none
	ids    []string // of the samples that are kept; nil: they have none
	idName string
	titled bool  // outputs have a header
	kept   []int // of the rows that were read; nil: all
	total  int   // rows that were read
	told   bool  // that an output holds no ids
}

// addFlags adds them to the flags of inputs.
func (t *tableFlags) addFlags(inv *invocation, f *pflag.FlagSet) {
	f.Var(&t.columns, "columns", "read these `COLUMNS` alone, by name or by number from 1, as in height,width,3-7 (or behind a colon: --in file.csv:height,width)")
	f.Var(&t.drop, "drop", "leave these `COLUMNS` out")
	f.StringVar(&t.id, "id", "", "the `COLUMN` that names the samples: it is no feature, and becomes the first column of .csv and .tsv outputs")
	f.Var(&inv.delimiter, "delimiter", "the `CHARACTER` between the fields of .csv and .tsv inputs, such as ; or tab")
	f.Var(&t.resize, "resize", "bring images to `HxW` pixels, such as 32x32")
	f.BoolVar(&t.grey, "grey", false, "read coloured images as grey ones")
}

// ofInput is the path of a column of the samples' own table: ":species" means it.
func ofInput(path, in string) (string, error) {
	if !strings.HasPrefix(path, ":") {
		return path, nil
	}
	if in == "" || in == "-" || files.IsImages(in) {
		return "", wrong("%s means a column of --in, which is no table here; name the file before the colon", path)
	}
	return files.FileOf(in) + path, nil
}

// options are those by which the samples are read: without the columns that are their
// classes and their names.
func (t *tableFlags) options(inv *invocation, in, labels string) files.Options {
	o := inv.reading()
	o.Columns, o.Drop = t.columns, slices.Clone([]string(t.drop))
	if len(t.columns) == 0 && !files.Selects(in) {
		if named := files.Selection(labels); files.FileOf(labels) == files.FileOf(in) && len(named) == 1 && !slices.Contains(o.Drop, named[0]) {
			o.Drop = append(o.Drop, named[0])
		}
		if t.id != "" && !slices.Contains(o.Drop, t.id) {
			o.Drop = append(o.Drop, t.id)
		}
	}
	o.Missing = t.missing == "drop" || t.missing == "mean"
	return o
}

// read reads the samples by a function, or as images, and what goes with them. labels is
// the path of their classes, which may be a column of the same table.
func (t *tableFlags) read(inv *invocation, in, labels string, by func(o files.Options) (mat.Matrix, error)) (mat.Matrix, error) {
	if files.IsImages(in) {
		return t.readImages(inv, in)
	}
	if t.resize.height > 0 || t.grey {
		return nil, wrong("--resize and --grey are for images, and %s is none; leave them out", in)
	}
	o := t.options(inv, in, labels)
	if err := t.readAbout(inv, in, o); err != nil {
		return nil, err
	}
	x, err := by(o)
	if err != nil {
		return nil, t.remedy(in, o, err)
	}
	if x, err = t.choose(in, o, x); err != nil {
		return nil, err
	}
	t.total, _ = x.Dims()
	if t.ids != nil && len(t.ids) != t.total {
		return nil, wrong("%s has %d ids for %d samples; mend the file", in, len(t.ids), t.total)
	}
	if o.Missing {
		if err := t.complete(inv, in, x); err != nil {
			return nil, err
		}
	}
	t.recognise(inv, in, labels, x)
	return x, nil
}

// readAbout reads the names of columns and samples.
func (t *tableFlags) readAbout(inv *invocation, in string, o files.Options) (err error) {
	if in == "-" || !files.HasColumns(in) {
		if t.id != "" {
			return wrong("--id names a column of a table, and %s is none; give a .csv or .tsv, or leave it out", in)
		}
		return nil
	}
	gaps := o
	gaps.Missing = true // they are told when the numbers are read
	if t.names, err = files.ColumnNames(in, gaps); err != nil {
		return t.remedy(in, o, err)
	}
	t.titled, inv.features = t.names != nil, t.names
	if t.id == "" {
		return nil
	}
	own := o
	own.Columns, own.Drop = []string{t.id}, nil
	if t.ids, t.idName, err = files.ReadTexts(files.FileOf(in), own); err != nil {
		return err
	}
	if t.titled = true; t.idName == "" {
		t.idName = "id"
	}
	return nil
}

// checkRows refuses columns that are chosen of samples that are read by rows from a file
// without names.
func (t *tableFlags) checkRows(in string) error {
	if len(t.columns)+len(t.drop) > 0 && !files.HasColumns(in) {
		return wrong("--columns and --drop need a table here (.csv, .tsv, .parquet), and %s is none; leave them out", in)
	}
	return nil
}

// choose takes the columns of a matrix without names, by their numbers.
func (t *tableFlags) choose(in string, o files.Options, x mat.Matrix) (mat.Matrix, error) {
	choice := files.Choice{Columns: o.Columns, Drop: o.Drop}
	if files.HasColumns(in) || len(choice.Columns)+len(choice.Drop) == 0 {
		return x, nil
	}
	dense, ok := x.(*mat.Dense)
	if !ok {
		return nil, wrong("--columns and --drop take columns of dense samples, and those of %s are sparse; leave them out", in)
	}
	rows, cols := dense.Dims()
	places, err := choice.Places(nil, cols)
	if err != nil {
		return nil, wrong("%s: %w", in, err)
	}
	raw, row := dense.RawMatrix().Data, make([]float64, cols)
	for i := range rows {
		copy(row, dense.RawRowView(i))
		for j, at := range places {
			raw[i*len(places)+j] = row[at] // never behind the row that was read
		}
	}
	return mat.NewDense(rows, len(places), raw[:rows*len(places)]), nil
}

// columnAt names a column for a message.
func (t *tableFlags) columnAt(j int) string {
	if t.names == nil {
		return fmt.Sprintf("column %d", j+1)
	}
	return fmt.Sprintf("column %d (%s)", j+1, t.names[j])
}

// nameAt is how a flag names a column.
func (t *tableFlags) nameAt(j int) string {
	if t.names == nil {
		return strconv.Itoa(j + 1)
	}
	return t.names[j]
}

// keptOf are what goes with the rows that are kept.
func keptOf[T any](t *tableFlags, all []T) []T {
	if t.kept == nil || len(all) != t.total {
		return all
	}
	some := make([]T, len(t.kept))
	for at, i := range t.kept {
		some[at] = all[i]
	}
	return some
}

// row is the row of the input that a sample was, counted from 0.
func (t *tableFlags) row(i int) int {
	if t.kept == nil {
		return i
	}
	return t.kept[i]
}

// rows are the rows of the input that some samples were.
func (t *tableFlags) rows(samples []int) []int {
	if t.kept == nil {
		return samples
	}
	rows := make([]int, len(samples))
	for at, i := range samples {
		rows[at] = t.row(i)
	}
	return rows
}

// title gives an output the names of its columns, and the ids of its rows; nil: rows have
// none.
func (t *tableFlags) title(inv *invocation, out *files.Output, columns, ids []string) {
	if out == nil || !t.titled {
		return
	}
	if taken := out.Name(columns, ids, t.idName); !taken && ids != nil && t.id != "" && !t.told {
		t.told = true
		inv.warn("the ids (--id) are written to .csv and .tsv outputs alone")
	}
}

// coordinateNames are the names of coordinates by a method: neml1, neml2 …
func coordinateNames(method string, n int) []string {
	names := make([]string, n)
	for j := range names {
		names[j] = method + strconv.Itoa(j+1)
	}
	return names
}
