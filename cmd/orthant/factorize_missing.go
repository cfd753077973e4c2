package main

import (
	"errors"
	"strings"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

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
			return wrong("--%s is for %s; leave it out for %s", name, strings.Join(takingMissing(), ", "), method.Name())
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
	if text, twice := given[missingKey]; twice && text != f.missing {
		return wrong("--missing %s and --set missing=%s contradict each other; give one of them", f.missing, text)
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
	of, is := errors.AsType[*files.Error](err)
	if !is || !f.takes || !strings.HasSuffix(err.Error(), meanRemedy) {
		return err
	}
	return &files.Error{Path: of.Path, Op: of.Op, Err: errors.New(of.Err.Error() + ", or give them the weight 0 (--missing weight)")}
}
