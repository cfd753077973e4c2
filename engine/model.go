package engine

import (
	"io"

	"github.com/orthant-go/orthant/engine/model"
	"github.com/orthant-go/orthant/engine/wording"
)

// Models and their transformers, from package [model].
type (
	// Model is a fitted method, which gives new samples coordinates or labels.
	Model = model.Model
	// Transformer is a model that is ready to map samples, block after block.
	Transformer = model.Transformer
	// Streamed describes a finished stream.
	Streamed = model.Streamed
	// RowSource gives the rows of a matrix in order.
	RowSource = model.RowSource
	// SparseRowSource is a RowSource that may already hold all its rows in compressed form.
	SparseRowSource = model.SparseRowSource
	// RowSink takes the rows of a matrix in order.
	RowSink = model.RowSink
)

// LoadModel reads a model written by [Model.Save]: see [model.Load].
func LoadModel(r io.Reader) (*Model, error) { return model.Load(r) }

// LoadModelWithin is [LoadModel] with a memory limit in bytes, 0 for none: see [model.LoadWithin].
func LoadModelWithin(r io.Reader, limit int64) (*Model, error) { return model.LoadWithin(r, limit) }

// Model returns the fitted model of an embedding. It shares the storage of the
// samples and of Y, which must not change while the model is in use. A method without a
// rule for new samples is an error; with Options.Model that error comes before the work.
func (r *Result) Model() (*Model, error) {
	if r.extension == nil {
		return nil, wording.Errorf("%s: there is no rule for new samples%s; embed them together with the others", r.Method, r.noExtension)
	}
	return model.New(Model{Method: r.Method, Params: r.Params, Samples: r.Samples, Features: r.Features, Dim: r.Dim}, r.extension), nil
}
