package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

// inBatches reports whether the samples are read batch by batch: not from standard input,
// which is read once, nor if the start covers all of them.
func (f *factorization) inBatches(method engine.Method) bool {
	return engine.InBatches(method) && f.in != "-" && f.initW == "" && !f.structured()
}

// runInBatches factorises samples that are never in memory as a whole.
func (f *factorization) runInBatches(ctx context.Context, method engine.Method) error {
	out, err := f.createOutputs()
	if err != nil {
		return err
	}
	if err := f.checkBlocks(); err != nil {
		return err
	}
	o := f.table.options(f.invocation, f.in, "")
	if err := f.table.readAbout(f.invocation, f.in, o); err != nil {
		return err
	}
	samples, err := files.OpenBlocks(f.in, o)
	if err != nil {
		return f.table.remedy(f.in, o, err)
	}
	defer samples.Close()
	if why := samples.Whole(); why != "" {
		f.warn("%s is read as a whole: %s", f.in, why)
	}
	sink := &coordinateSink{}
	f.table.title(f.invocation, out.w, coordinateNames(method.Name(), f.options.Rank), f.table.ids)
	if out.w != nil {
		if sink.rows, err = out.w.Rows(samples.Rows(), f.options.Rank, f.writing()); err != nil {
			return err
		}
	}
	result, err := f.factorizeInBatches(ctx, samples, sink, method)
	if err != nil {
		return fromWork(err)
	}
	if err := sink.close(); err != nil {
		return err
	}
	out.w = nil // it is written
	return f.conclude(ctx, result, out)
}

// checkBlocks refuses what needs all samples at once.
func (f *factorization) checkBlocks() error {
	switch {
	case f.table.missing == "drop" || f.table.missing == "mean":
		return wrong("--missing %s needs all samples in memory, and solver=minibatch reads them batch by batch; fill them in first, or take another solver", f.table.missing)
	case files.IsImages(f.in):
		return wrong("solver=minibatch reads samples batch by batch from a file, and %s means images; take another solver", f.in)
	}
	return f.table.checkRows(f.in)
}

func (f *factorization) factorizeInBatches(ctx context.Context, samples *files.Blocks, sink *coordinateSink, method engine.Method) (*engine.Factorization, error) {
	progress := f.progressOf()
	defer progress.end()
	o := f.options
	o.Options, o.Model = f.running(o.Options, &f.working, progress), f.model != ""
	result, err := engine.FactorizeSource(ctx, samples, method, o, sink)
	if err != nil {
		return nil, err
	}
	f.worked(progress, result.Warnings)
	return result, nil
}

// coordinateSink is where W goes, block by block; the zero value is nowhere.
type coordinateSink struct{ rows *files.RowWriter }

func (s *coordinateSink) Write(w *mat.Dense) error {
	if s.rows == nil {
		return nil
	}
	return s.rows.Write(w)
}

func (s *coordinateSink) close() error {
	if s.rows == nil {
		return nil
	}
	return s.rows.Close()
}

// weighting is what a factorisation is given as weights of its entries.
type weighting struct {
	missing      string
	entryWeights string
	outImputed   string
	takes, lacks bool       // the method takes missing entries, and is asked to
	weights      mat.Matrix // nil: none were given
}

// addWeightFlags adds them.
func (w *weighting) addWeightFlags(f *pflag.FlagSet) {
	f.StringVar(&w.missing, "missing", "error", "what empty fields, NA and NaN mean: `WHAT` is error; drop: leave out the rows that have one; mean: take the mean of the column; or weight: they have the weight 0 (nmf, nmf-kl, l21-nmf)")
	f.StringVar(&w.entryWeights, "entry-weights", "", "`FILE` with a weight ≥ 0 for each entry of the samples; what a sparse one does not store has the weight 0")
}

// takeMissing makes the flag the parameter of the method, and refuses it where that has none.
func (f *factorization) takeMissing(method engine.Method, given settings, flags *pflag.FlagSet) error {
	f.takes = takesMissing(engine.Parameters(method))
	for _, name := range []string{missingKey, "entry-weights", "out-imputed"} {
		if flags.Changed(name) && !f.takes && !(name == missingKey && f.missing != "weight") {
			return wrong("--%s is for %s; leave it out for %s", name, strings.Join(takingMissing("factorize"), ", "), method.Name())
		}
	}
	if f.takes {
		if err := refuseMissing(given); err != nil {
			return err
		}
	}
	f.table.missing = "error"
	if !flags.Changed(missingKey) {
		return nil
	}
	switch f.missing {
	case "drop", "mean":
		f.table.missing = f.missing
		return nil
	case "error", "weight":
	default:
		return wrong("--missing is %q; give error, drop, mean or weight", f.missing)
	}
	if !f.takes { // error is what it has
		return nil
	}
	given[missingKey] = f.missing
	return nil
}

// readWeighted reads the samples, of which entries may be missing, and the weights.
func (f *factorization) readWeighted(single bool) (mat.Matrix, error) {
	x, err := f.table.read(f.invocation, f.in, f.labels, func(o files.Options) (mat.Matrix, error) {
		if single && f.entryWeights == "" && !o.Missing && len(o.Columns)+len(o.Drop) == 0 {
			rows, cols, data, is, err := files.ReadSingle(f.in, o)
			if is || err != nil {
				return &engine.Single{Rows: rows, Cols: cols, Data: data}, err
			}
		}
		o.Missing = o.Missing || f.lacks
		return files.ReadAny(f.in, o)
	})
	if err != nil {
		return nil, f.sayMissing(err)
	}
	f.options.Overwrite = true // it is this run's alone
	if f.entryWeights == "" {
		return x, nil
	}
	f.weights, err = files.ReadAny(f.entryWeights, f.reading())
	return x, err
}

// sayMissing adds the remedy for values that are missing of methods with weights.
func (f *factorization) sayMissing(err error) error {
	if !f.takes {
		return err
	}
	return sayWeight(err)
}

// sayWeight adds the remedy for missing values of a method that takes them.
func sayWeight(err error) error {
	of, is := errors.AsType[*files.Error](err)
	if !is || !strings.HasSuffix(err.Error(), meanRemedy) {
		return err
	}
	return &files.Error{Path: of.Path, Op: of.Op, Err: errors.New(of.Err.Error() + ", or give them the weight 0 (--missing weight)")}
}
