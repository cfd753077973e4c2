package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/wording"
)

// transform is one "orthant transform".
type transform struct {
	*invocation
	model, in, out string
	dataset        string
	table          tableFlags
}

func newTransform(inv *invocation) *cobra.Command {
	t := &transform{invocation: inv}
	cmd := &cobra.Command{
		Use:   "transform --model M --in X --out Y [flags]",
		Short: "Map new samples by a fitted model",
		Long: `Transform gives new samples coordinates among the samples that a model
was fitted to ("orthant embed --model M", "orthant factorize --model M"), or the
labels of its clusters ("orthant cluster --model M"). The model holds the rule:

  barycentric    the weights that reconstruct a sample from its nearest training
                 samples, applied to their coordinates (lle, neml, ltsa, …)
  nystrom        the mean of the nearest training samples' coordinates by their
                 weights in the graph, divided by 1 − μ (le)
  diffusion      the same with the densities of the fit, divided by λ
                 (diffusion-maps)
  geodesic       the lengths of paths along the graph to the training samples or
                 landmarks (isomap)
  pursuit,       the non-negative weights that the method itself would choose
  sparse-affine  among the nearest training samples (lnp, smce)
  linear         a projection (pca, mds, lda, lpp, …)
  factors        nonnegative coordinates under the components of a factorisation,
                 each sample as though it were alone (nmf, gnmf, lp-rna, …)
  centers        the label of the nearest centre (kmeans), or exemplar (ds3)
  neighbor-labels  the label with the most weight among the k nearest
  same-codes     the label of those whose codes over the exemplars are most alike
                 (esc-ffs)

Samples are read, mapped and written block by block, from pipes and from files, so
that memory does not grow with their number. Only labels, 8 bytes a sample, are kept
until the end. The coordinates of a sample depend neither on the other samples nor on
--threads. Some formats have to be read as a whole, and a warning says so: .mtx,
compressed or sparse .mat, and arrays in Fortran order from a pipe, an .npz or a
compressed file. Sparse samples stay sparse if the samples of the fit did, and in models of
nonnegative factorisations, pca, mds and kmeans.

"--out -" writes block by block if the input contains the number of its rows (.npy,
.npz, .mtx, .mat, .parquet). .csv and .tsv do not, so the coordinates wait in a
temporary file until the header can be written. A run that fails leaves no file; on a
pipe, the output then has fewer rows than its header says.`,
		Example: `  orthant generate swiss-roll --samples 1500 --out train.npy
  orthant generate swiss-roll --samples 400 --seed 2 --out new.npy
  orthant embed --method neml --in train.npy --out y.npy --model roll.model
  orthant transform --model roll.model --in new.npy --out z.npy
  orthant transform --model roll.model --in - --out - < new.npy > z.npy`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return t.run(cmd.Context()) },
	}
	addGroup(cmd, "Input and output", func(f *pflag.FlagSet) {
		f.StringVarP(&t.model, "model", "M", "", "`FILE` of the fitted model")
		f.StringVarP(&t.in, "in", "i", "", "`FILE` with the samples, one a row, of the columns that the model was fitted to, or images of the same size")
		t.table.addFlags(inv, f)
		f.StringVar(&t.dataset, "dataset", "", "`LABEL` of the dataset of the samples, among those of \"orthant factorize --datasets\"; without it they are mapped by the shared components")
		f.StringVarP(&t.out, "out", "o", "", "`FILE` for the coordinates, one row a sample, or the labels, an integer a sample")
		f.BoolVar(&inv.float32, "float32", false, "write float32 in place of float64")
		inv.safeFlag(f)
	})
	reads(cmd, "model", "in")
	writes(cmd, "out")
	return cmd
}

func (t *transform) run(ctx context.Context) error {
	if err := t.check(); err != nil {
		return err
	}
	out, err := t.create(t.out)
	if err != nil {
		return err
	}
	model, ready, err := t.load()
	if err != nil {
		return err
	}
	rows, err := t.open(model)
	if err != nil {
		return err
	}
	defer rows.Close()
	if rows.Cols() != model.Features && t.images != nil {
		return wrong("the images of %s have %d pixels and channels where %s was fitted to %d; bring them to the size of the fit (--resize HxW), grey or coloured as there (--grey)", t.in, rows.Cols(), t.model, model.Features)
	}
	if rows.Cols() != model.Features {
		return wrong("%s has %s where %s was fitted to %d; give the same columns in the same order", t.in, counted(rows.Cols(), "column"), t.model, model.Features)
	}
	if why := rows.Whole(); why != "" {
		t.warn("%s is read as a whole: %s", t.in, why)
	}
	t.table.title(t.invocation, out, t.columnNames(model), t.table.ids)
	sink, err := t.sink(out, model, rows.Rows())
	if err != nil {
		return err
	}
	progress := t.progressOf()
	defer progress.end()
	done, err := ready(progress.reporting()).Stream(ctx, rows, sink)
	if err != nil {
		return fromWork(err)
	}
	progress.end()
	if err := sink.Close(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	end := t.clock.Phase("commit")
	if err := t.commit(); err != nil {
		return err
	}
	end()
	return t.report(model, done)
}

// rowSource gives the samples.
type rowSource interface {
	engine.RowSource
	Whole() string
	Close() error
}

// open begins to read the samples.
func (t *transform) open(model *engine.Model) (rowSource, error) {
	if files.IsImages(t.in) {
		x, err := t.table.read(t.invocation, t.in, "", nil)
		if err != nil {
			return nil, err
		}
		return &heldRows{x: x.(*mat.Dense)}, nil
	}
	if err := t.table.checkRows(t.in); err != nil {
		return nil, err
	}
	o := t.table.options(t.invocation, t.in, "")
	o.Missing = model.Params[missingKey] == "weight"
	if err := t.table.readAbout(t.invocation, t.in, o); err != nil {
		return nil, err
	}
	rows, err := files.OpenRows(t.in, o)
	if err != nil {
		return nil, t.table.remedy(t.in, o, err)
	}
	return rows, nil
}

// columnNames are the names of the columns written.
func (t *transform) columnNames(m *engine.Model) []string {
	if m.Clusters() > 0 {
		return []string{"cluster"}
	}
	return coordinateNames(m.Method, m.Dim)
}

// heldRows are samples that are in memory.
type heldRows struct {
	x  *mat.Dense
	at int
}

func (r *heldRows) Cols() int     { return r.x.RawMatrix().Cols }
func (r *heldRows) Rows() int     { return r.x.RawMatrix().Rows }
func (r *heldRows) Whole() string { return "" }
func (r *heldRows) Close() error  { return nil }

func (r *heldRows) Next(dst []float64) (int, error) {
	n := min(len(dst)/r.Cols(), r.Rows()-r.at)
	if n == 0 {
		return 0, io.EOF
	}
	copy(dst, r.x.RawMatrix().Data[r.at*r.Cols():(r.at+n)*r.Cols()])
	r.at += n
	return n, nil
}

// rowSink takes coordinates, or labels.
type rowSink interface {
	engine.RowSink
	Close() error
}

// sink is where this many rows go, −1: any number.
func (t *transform) sink(out *files.Output, model *engine.Model, rows int) (rowSink, error) {
	if model.Clusters() == 0 {
		return out.Rows(rows, model.Dim, t.writing())
	}
	const each = 16 // bytes a label, with the room that a growing list takes
	if err := t.fits("the labels need", each*int64(max(rows, 0)), "take fewer samples at a time"); err != nil {
		return nil, err
	}
	return &labelSink{out: out}, nil
}

// labelSink gathers labels, which are written once all are known.
type labelSink struct {
	out    *files.Output
	labels []int64
}

func (s *labelSink) Write(rows *mat.Dense) error {
	n, _ := rows.Dims()
	for i := range n {
		s.labels = append(s.labels, int64(rows.At(i, 0)))
	}
	return nil
}

func (s *labelSink) Close() error { return s.out.WriteLabels(s.labels) }

func (t *transform) check() error {
	switch {
	case t.model == "":
		return wrong(`--model is missing: the file that "orthant embed --model", "orthant factorize --model" or "orthant cluster --model" wrote`)
	case t.in == "":
		return wrong("--in is missing: the file with the samples, or - for standard input")
	case t.out == "":
		return wrong("--out is missing: the file for the coordinates or labels, or - for standard output")
	}
	return oneStandardInput("--model", t.model, "--in", t.in)
}

// load reads the model and returns it with what makes it ready, which waits for
// the callback of the progress.
func (t *transform) load() (*engine.Model, func(func(engine.Progress)) *engine.Transformer, error) {
	defer t.clock.Phase("load")()
	file, size, err := files.OpenRaw(t.model, t.reading())
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	if err := t.fits(t.model+" needs", size, "fit fewer samples"); err != nil {
		return nil, nil, err
	}
	model, err := engine.LoadModelWithin(file, t.room())
	if err != nil {
		return nil, nil, t.ofModel(err)
	}
	// The model, its index, and the blocks on their way.
	const blocks = 32 << 20
	if err := t.fits(fmt.Sprintf("a model of %s needs", counted(model.Samples, "sample")), 2*model.Bytes()+blocks, "fit it with --set landmarks=M"); err != nil {
		return nil, nil, err
	}
	dataset, err := t.datasetOf(model)
	if err != nil {
		return nil, nil, err
	}
	prepared, err := model.Prepare(engine.Options{Backend: t.backend, Threads: t.threads, Memory: int64(t.memory), Dataset: dataset})
	if err != nil {
		return nil, nil, t.ofModel(err)
	}
	return model, prepared.Reporting, nil
}

// datasetOf is the label of --dataset; nil: it was not given.
func (t *transform) datasetOf(model *engine.Model) (*int64, error) {
	if t.dataset == "" {
		return nil, nil
	}
	names, _ := model.Params[datasetNamesKey].([]any)
	for i, name := range names {
		if name == t.dataset {
			label := int64(i)
			return &label, nil
		}
	}
	label, err := strconv.ParseInt(t.dataset, 10, 64)
	switch {
	case len(names) > 0:
		return nil, wrong("--dataset is %q, and %s was fitted to the datasets %v; give one of these, or leave it out", t.dataset, t.model, names)
	case err != nil:
		return nil, wrong("--dataset is %q; give the whole number of a dataset, or leave it out", t.dataset)
	}
	return &label, nil
}

// ofModel makes an error about the model one of its file.
func (t *transform) ofModel(err error) error {
	if e, ok := errors.AsType[*files.Error](err); ok {
		return e
	}
	return &files.Error{Path: t.model, Op: files.OpRead, Err: wording.Errorf("%s", strings.TrimPrefix(wording.Keep(err), "model: "))}
}

// transformReport is what --json prints of a transform.
type transformReport struct {
	Method   string         `json:"method"`
	Params   map[string]any `json:"params"`
	Rule     string         `json:"rule"`
	Samples  int            `json:"samples"`
	Features int            `json:"features"`
	Dim      int            `json:"dim"`
	Clusters int            `json:"clusters"` // of a model that gives labels; 0: it gives coordinates
	Fitted   int            `json:"fitted_samples"`
	Speed    number         `json:"rows_per_second"`
	Model    string         `json:"model"`
	Out      string         `json:"out"`
	cost
	machine
}

func (t *transform) report(m *engine.Model, done engine.Streamed) error {
	c := t.spent()
	c.Add(done.Seconds, nil)
	speed := float64(done.Rows) / c.Seconds["total"]
	if t.json {
		return t.printJSON(transformReport{m.Method, finite(m.Params), m.Kind(), done.Rows, m.Features, m.Dim, m.Clusters(), m.Samples, number(speed), t.model, t.out, c, t.machine()})
	}
	t.reportImages()
	w := t.say()
	line(w, m.Method, "fitted to %s by %s; rule %s", counted(m.Samples, "sample"), m.Program, m.Kind())
	to := counted(m.Dim, "dimension")
	if m.Clusters() > 0 {
		to = "labels of " + counted(m.Clusters(), "cluster")
	}
	line(w, "data", "%s × %s → %s, %.0f a second", counted(done.Rows, "sample"), counted(m.Features, "feature"), to, speed)
	writeCost(w, c)
	line(w, "written", "%s", t.out)
	return nil
}

// saveModel writes the model of an embedding, a factorisation or a clustering; nil: it was not asked for.
func saveModel(r interface{ Model() (*engine.Model, error) }, out *files.Output) error {
	if out == nil {
		return nil
	}
	model, err := r.Model()
	if err != nil {
		return &inputError{Err: err}
	}
	model.Program = "orthant " + versionText()
	return model.Save(out)
}
