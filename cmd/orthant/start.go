package main

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/assign"
	"github.com/orthant-go/orthant/engine/files"
)

// startFlags name the given start of an iterative method.
type startFlags struct {
	init      string // the file, or that of a model whose coordinates of the samples are the start
	reference string // the same for a map near whose places the samples stay
	gaps      bool   // samples may have no place
}

func (s *startFlags) define(f *pflag.FlagSet) {
	f.StringVar(&s.init, "init", "", "`FILE` with the start of an iterative method, D columns, a row for each sample (projections: for each feature); of umap, tsne and pacmap also a model, for its coordinates of the samples, and NaN in the rows of samples that start among their neighbours. Where both files have a column --id, rows are matched by it")
	f.StringVar(&s.reference, "reference", "", "`FILE` as of --init, near whose coordinates the samples stay, so that maps of versions of the data can be compared; --set reference_weight=W weighs it (default 5)")
}

// path is the file, of either flag, with the flag.
func (s *startFlags) path() (flag, path string) {
	if s.reference != "" {
		return "--reference", s.reference
	}
	return "--init", s.init
}

const referenceKey = "reference_weight"

// check refuses what a method does not take. given are the parameters of --set.
func (s *startFlags) check(inv *invocation, method engine.Method, given map[string]string) error {
	keys := assign.Keys(engine.Parameters(method))
	s.gaps = slices.Contains(keys, referenceKey)
	switch {
	case s.init != "" && s.reference != "":
		return wrong("--init and --reference are both given, and a reference is also the start; leave --init out")
	case s.reference != "" && !s.gaps:
		return wrong("--reference is for maps (umap, tsne, pacmap), not for %s; leave it out", method.Name())
	case s.init != "" && !slices.Contains(keys, "init"):
		inv.warn("%s does not start from a given point: --init does nothing", method.Name())
		s.init = ""
	}
	if _, set := given[referenceKey]; s.reference != "" && !set {
		given[referenceKey] = "5"
	}
	return nil
}

// readStart reads the start for x, or nil.
func (e *embedding) readStart(ctx context.Context, x mat.Matrix) (*mat.Dense, error) {
	flag, path := e.start.path()
	switch {
	case path == "":
		return nil, nil
	case !files.IsMatrix(path):
		return e.startOfModel(ctx, flag, path, x)
	}
	o := e.readingOf(path)
	o.Missing = e.start.gaps
	byID := e.table.id != "" && files.HasColumns(path)
	if byID {
		o.Drop = []string{e.table.id}
	}
	y, err := files.ReadMatrix(path, o)
	if err != nil || !byID {
		return y, err
	}
	o.Columns, o.Drop = []string{e.table.id}, nil
	ids, _, err := files.ReadTexts(path, o)
	if err != nil {
		return nil, err
	}
	return e.table.matched(path, y, ids)
}

// matched returns the rows of y that have the ids of the samples; NaN: there is none.
func (t *tableFlags) matched(path string, y *mat.Dense, ids []string) (*mat.Dense, error) {
	row := make(map[string]int, len(ids))
	for i, id := range ids {
		if first, twice := row[id]; twice {
			return nil, wrong("%s has the %s %q in the rows %d and %d (counting from 1); correct it", path, t.idName, id, first+1, i+1)
		}
		row[id] = i
	}
	_, cols := y.Dims()
	matched := mat.NewDense(len(t.ids), cols, nil)
	for i, id := range t.ids {
		if at, has := row[id]; has {
			matched.SetRow(i, y.RawRowView(at))
			continue
		}
		for c := range cols {
			matched.Set(i, c, math.NaN())
		}
	}
	return matched, nil
}

// startOfModel returns the coordinates that a model gives to the samples.
func (e *embedding) startOfModel(ctx context.Context, flag, path string, x mat.Matrix) (*mat.Dense, error) {
	if x == nil {
		return nil, wrong("%s %s is a model, which needs the samples; give --in", flag, path)
	}
	file, size, err := files.OpenRaw(path, e.reading())
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if err := e.fits(path+" needs", size, "give the coordinates (.npy) in place of the model"); err != nil {
		return nil, err
	}
	model, err := engine.LoadModelWithin(file, e.room())
	if err != nil {
		return nil, &files.Error{Path: path, Op: files.OpRead, Err: fmt.Errorf("%w; %s takes coordinates (.npy, .csv, …), or a model that \"orthant embed --model\" wrote", err, flag)}
	}
	if model.Clusters() > 0 {
		return nil, wrong("%s is a model of clusters, which gives no coordinates; give one of a map", path)
	}
	return model.Transform(ctx, x, engine.Options{Backend: e.backend, Threads: e.threads, Memory: int64(e.memory)})
}
