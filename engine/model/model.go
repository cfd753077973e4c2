package model

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/modelfile"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/engine/method"
)

// Model is a fitted method. It gives new samples coordinates consistent with those of the training
// samples or, if the method is a clustering, labels. [Model.Save] writes it to a file, and [Load]
// reads it.
type Model struct {
	Method   string
	Params   map[string]any // of the fit, defaults included
	Samples  int            // number of training samples
	Features int            // number of columns that new samples must have
	Dim      int            // number of coordinates; 1 for labels
	Program  string         // program that wrote the file; if empty, Save fills in a name

	extension *extend.Extension
}

// New returns the model of a fit with the given rule for new samples. Package engine uses it.
func New(fit Model, rule *extend.Extension) *Model {
	fit.extension = rule
	return &fit
}

var errNoModel = errors.New("model: it was neither fitted nor loaded")

// Save writes the model to w in the format of docs/model-format.md, which
// [Load] reads. Arrays are stored as float64, float32 or bytes, whichever is the smallest
// without loss. The same model gives the same bytes.
func (m *Model) Save(w io.Writer) error {
	if m.extension == nil {
		return errNoModel
	}
	about := modelfile.About{Program: m.Program, Method: m.Method, Params: m.Params, Samples: m.Samples, Features: m.Features, Dim: m.Dim}
	if about.Program == "" {
		about.Program = "orthant/engine"
	}
	return modelfile.Write(w, about, modelfile.PartsOf(m.extension))
}

// Load reads a model written by [Model.Save], to the end of r. A file holds only numbers and their
// description; nothing in it is executed. The checksum is verified before the model is returned.
// Memory is allocated as bytes are read, or at once if r is a regular file of the right length. Errors
// are an unknown version of the format, a damaged or truncated file, an unknown rule for new
// samples, and inconsistent parts.
func Load(r io.Reader) (*Model, error) { return LoadWithin(r, 0) }

// LoadWithin is [Load] with a memory limit in bytes, 0 for none. A model
// whose arrays would exceed it is refused from its header (engine.IsMemory); other models
// are allocated at once.
func LoadWithin(r io.Reader, limit int64) (*Model, error) {
	about, rule, err := modelfile.Read(r, limit)
	if err != nil {
		return nil, err
	}
	return New(Model{Method: about.Method, Params: about.Params, Samples: about.Samples, Features: about.Features, Dim: about.Dim, Program: about.Program}, rule), nil
}

// Kind returns the name of the rule for new samples, such as "barycentric" for weights on the nearest
// training samples, "nystrom" for graph Laplacians, "linear" for a projection, "factors"
// for fixed components, and "centers" for the nearest centre of a clustering.
func (m *Model) Kind() string {
	if m.extension == nil {
		return ""
	}
	return m.extension.Map.Kind()
}

// Bytes returns the memory of the model's arrays.
func (m *Model) Bytes() int64 {
	if m.extension == nil {
		return 0
	}
	return modelfile.PartsOf(m.extension).Bytes()
}

// Transform returns the coordinates of the rows of x, one row each. It is
// [Model.Prepare] and [Transformer.Apply] in one; for several blocks of samples,
// prepare once.
func (m *Model) Transform(ctx context.Context, x mat.Matrix, o method.Options) (*mat.Dense, error) {
	t, err := m.Prepare(o)
	if err != nil {
		return nil, err
	}
	return t.Apply(ctx, x)
}

// Prepare makes the model ready to map samples. It builds the index of the
// training samples, which takes about as much memory as they do. A map that needs more memory than
// the limit in the options, or without a limit more than is available, is refused (engine.IsMemory)
// before the allocation.
func (m *Model) Prepare(o method.Options) (*Transformer, error) {
	if m == nil || m.extension == nil {
		return nil, errNoModel
	}
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	if o.Memory <= 0 {
		if free := memory.Available(); free > 0 {
			o.Memory = memory.Process(m.Bytes()) + free
		}
	}
	job := method.NewRun(context.Background(), m.Method, kernels, o, run.NewClock())
	held := 2 * m.Bytes() // including the index
	fit := func(bytes int64) error {
		held += bytes
		return job.Holding(held).Fit(0, "the mapping of the model needs", "raise the limit, take fewer threads, or fit the model with fewer neighbours or landmarks (‹landmarks=M›)")
	}
	mapping, err := m.extension.Prepare(extend.Resources{Kernels: job.Kernels(), Threads: job.Threads(), Samples: m.Samples, Dataset: o.Dataset, Fit: fit})
	if err != nil {
		return nil, err
	}
	if features, dim := mapping.Features, mapping.Dim; features != m.Features || dim != m.Dim {
		return nil, fmt.Errorf("model: its arrays map %d columns to %d, its header says %d to %d", features, dim, m.Features, m.Dim)
	}
	t := &Transformer{model: m, mapping: mapping, run: job, options: o}
	return t, fit(int64(t.BlockRows()) * (streamBlocks*t.rowBytes() + mapping.RowBytes)) // for Stream
}

// Clusters returns the number of clusters of a model that gives labels, and 0 for a model that gives
// coordinates.
func (m *Model) Clusters() int {
	if m.extension == nil {
		return 0
	}
	return m.extension.Clusters()
}

// Predict returns the labels of the rows of x. It is [Model.Prepare] and
// [Transformer.Predict] in one; for several blocks of samples, prepare once.
func (m *Model) Predict(ctx context.Context, x mat.Matrix, o method.Options) ([]int64, error) {
	t, err := m.Prepare(o)
	if err != nil {
		return nil, err
	}
	return t.Predict(ctx, x)
}

// Predict returns the labels of the rows of x by the model of a clustering: numbers of
// clusters from 0. x may be any matrix that [Transformer.Apply] accepts; Apply returns the same labels
// as a column of numbers. A model that gives coordinates is an error.
func (t *Transformer) Predict(ctx context.Context, x mat.Matrix) ([]int64, error) {
	if t.model.Clusters() == 0 {
		return nil, fmt.Errorf("%s: its model gives new samples coordinates and no labels; transform by it, or fit the model of a clustering", t.model.Method)
	}
	y, err := t.Apply(ctx, x)
	if err != nil {
		return nil, err
	}
	labels := make([]int64, len(y.RawMatrix().Data))
	for i, v := range y.RawMatrix().Data {
		labels[i] = int64(v)
	}
	return labels, nil
}

// Clone returns a model with its own arrays, for callers that change or free the samples or coordinates
// while they keep the model. O([Model.Bytes]).
func (m *Model) Clone() *Model {
	c := *m
	c.Params = maps.Clone(m.Params)
	if m.extension != nil {
		// The parts come from a valid extension, so this cannot fail.
		e, err := modelfile.PartsOf(m.extension).Copied().Extension(m.Features)
		if err != nil {
			e = nil // using the model is then an error
		}
		c.extension = e
	}
	return &c
}

// Projection returns the parts of a linear model, y = (x − mean) projection: the mean, with an entry
// for each column of the samples (zeros if the method does not centre), and the projection, columns ×
// dimensions. Both are nil for other kinds of model. They are shared with the model and must
// not be changed.
func (m *Model) Projection() (mean []float64, projection *mat.Dense) {
	if m.extension == nil {
		return nil, nil
	}
	switch by := m.extension.Map.(type) {
	case extend.LinearMap:
		return by.Mean, by.Projection
	case extend.ConditionalMap:
		return by.Mean, by.Projection
	}
	return nil, nil
}
