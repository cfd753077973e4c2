package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
)

// hasID tells whether a file is a table with the column that --id names.
func (t *tableFlags) hasID(path string) bool {
	if t.id == "" || path == "" || path == "-" || !files.HasColumns(path) {
		return false
	}
	names, err := files.ColumnNames(files.FileOf(path), files.Options{})
	if _, number := strconv.Atoi(t.id); err == nil && names == nil {
		return number == nil
	}
	return err == nil && slices.Contains(names, t.id)
}

// besideOptions are those by which a file is read that goes with the samples, such as their
// embedding or their clusters: without the column of the ids, where it has that.
func (t *tableFlags) besideOptions(inv *invocation, path string) files.Options {
	o := inv.reading()
	if !files.Selects(path) && t.hasID(path) {
		o.Drop = []string{t.id}
	}
	return o
}

// readBeside reads numbers that go with the samples. A first column of texts of which no two
// are equal names the samples, as this command writes them, and is passed over.
func (t *tableFlags) readBeside(inv *invocation, path string) (*mat.Dense, error) {
	return t.readBesideWith(inv, path, func(*files.Options) {})
}

// readBesideWith is readBeside with options of its own.
func (t *tableFlags) readBesideWith(inv *invocation, path string, own func(o *files.Options)) (*mat.Dense, error) {
	o := t.besideOptions(inv, path)
	own(&o)
	x, err := files.ReadMatrix(path, o)
	if text, is := errors.AsType[*files.TextError](err); is && path != "-" {
		columns, other := files.TextColumns(path, o)
		if other != nil || len(columns) != 1 || columns[0].Number != 1 || !columns[0].Unique || len(o.Drop) > 0 || files.Selects(path) {
			return nil, &files.Error{Path: path, Op: files.OpRead, Err: fmt.Errorf("%s; name the columns of numbers behind a colon, as in %s:2-3", text.Error(), files.FileOf(path))}
		}
		if o.Drop = []string{"1"}; columns[0].Name != "" {
			o.Drop[0] = columns[0].Name
		}
		x, err = files.ReadMatrix(path, o)
	}
	if err != nil || t.kept == nil {
		return x, err
	}
	rows, cols := x.Dims()
	if rows != t.total {
		return x, nil
	}
	some := mat.NewDense(len(t.kept), cols, nil)
	for at, i := range t.kept {
		some.SetRow(at, x.RawRowView(i))
	}
	return some, nil
}
