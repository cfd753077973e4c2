package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

// inBatches reports whether the samples are read batch by batch: not from standard input,
// which is read once, nor if the start covers all of them.
func (f *factorization) inBatches(method engine.Method) bool {
	return engine.InBatches(method) && f.in != "-" && f.initW == "" && f.blocks == "" && f.datasets == "" && !f.structured()
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

// collecting says of which matrices the samples are put together.
type collecting struct {
	blocks, datasets         string
	blockNames, datasetNames []string // of labels that are texts
	outOwn                   string
}

// datasetNamesKey is where the report and a model have the names of datasets.
const datasetNamesKey = "dataset_names"

// addCollectionFlags adds them.
func (f *factorization) addCollectionFlags(flags *pflag.FlagSet) {
	c := &f.options.Collection
	flags.StringVar(&f.blocks, "blocks", "", "`FILE` with the block of each column, a whole number or a text: the columns are several matrices of the same samples (nmf, nmf-kl, nmf-beta, l21-nmf)")
	flags.StringVar(&c.BlockWeights, "block-weights", "", "how much the blocks count: `WHAT` is auto, so that all count equally, equal, or their weights in the order of the labels, W1,W2,… (default auto)")
	flags.StringVar(&f.datasets, "datasets", "", "`FILE` with the dataset of each sample, a whole number or a text (FILE:column of a table, :column of the input): the samples are several matrices of the same columns, which share components (nmf)")
	flags.StringVar(&c.DatasetWeights, "dataset-weights", "", "how much the datasets count: `WHAT` is equal, auto or their weights in the order of the labels, W1,W2,… (default equal)")
	flags.Float64Var(&c.OwnPenalty, "own-penalty", 0, "`λ` > 0, the penalty on the own parts of datasets (default 5)")
}

// readCollection reads the labels.
func (f *factorization) readCollection() (err error) {
	c := &f.options.Collection
	if f.blocks != "" {
		if c.Blocks, f.blockNames, err = files.ReadClasses(f.blocks, f.readingOf(f.blocks)); err != nil {
			return err
		}
	}
	if f.datasets != "" {
		c.Datasets, f.datasetNames, err = f.readLabels(&f.table, f.datasets, f.in, f.table.total)
	}
	return err
}

// blockReport is a block in the report.
type blockReport struct {
	engine.FactorBlock
	Name string `json:"name,omitempty"`
}

// datasetReport is a dataset in the report.
type datasetReport struct {
	engine.FactorDataset
	Name string `json:"name,omitempty"`
}

// labelText is the text of a label, "" of a number.
func labelText(names []string, label int64) string {
	if label >= 0 && label < int64(len(names)) {
		return names[label]
	}
	return ""
}

func (f *factorization) blockReports(r *engine.Factorization) (all []blockReport) {
	for _, b := range r.Blocks {
		all = append(all, blockReport{b, labelText(f.blockNames, b.Label)})
	}
	return all
}

func (f *factorization) datasetReports(r *engine.Factorization) (all []datasetReport) {
	for _, d := range r.Datasets {
		all = append(all, datasetReport{d, labelText(f.datasetNames, d.Label)})
	}
	return all
}

// writeCollection writes a line for each block and each dataset.
func (f *factorization) writeCollection(w io.Writer, r *engine.Factorization) {
	for _, b := range f.blockReports(r) {
		lacking := ""
		if b.Lacking > 0 {
			lacking = fmt.Sprintf(", which %s lack", counted(b.Lacking, "sample"))
		}
		line(w, "block", "%s: %s%s, weight %.4g, error %.6g", cmp.Or(b.Name, strconv.FormatInt(b.Label, 10)), counted(b.Columns, "column"), lacking, b.Weight, b.RelativeError)
	}
	for _, d := range f.datasetReports(r) {
		line(w, "dataset", "%s: %s, weight %.4g, error %.6g, own part %.4g %%", cmp.Or(d.Name, strconv.FormatInt(d.Label, 10)), counted(d.Samples, "sample"), d.Weight, d.RelativeError, 100*d.OwnShare)
	}
}
