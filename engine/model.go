package engine

import (
	"io"

	"github.com/orthant-go/orthant/engine/model"
	"github.com/orthant-go/orthant/engine/wording"
)

// Models and what maps samples by them are those of package [model].
type (
	// Model is a fitted method, which gives new samples coordinates or labels.
	Model = model.Model
	// Transformer is a model made ready to map samples, block after block.
	Transformer = model.Transformer
	// Streamed is what a stream did.
	Streamed = model.Streamed
	// RowSource gives the rows of a matrix in order.
	RowSource = model.RowSource
	// SparseRowSource is a RowSource that may hold all its rows compressed already.
	SparseRowSource = model.SparseRowSource
	// RowSink takes the rows of a matrix in order.
	RowSink = model.RowSink
)

// LoadModel reads a model that [Model.Save] wrote: see [model.Load].
func LoadModel(r io.Reader) (*Model, error) { return model.Load(r) }

// LoadModelWithin is [LoadModel] within a limit of memory in bytes, 0 for none: see [model.LoadWithin].
func LoadModelWithin(r io.Reader, limit int64) (*Model, error) { return model.LoadWithin(r, limit) }

// Model returns the fitted model of an embedding. It shares the storage of the
// samples and of Y, which must not change while it is in use. A method without a
// rule for new samples is an error (Options.Model makes it one before the work).
func (r *Result) Model() (*Model, error) {
	if r.extension == nil {
		return nil, wording.Errorf("%s: there is no rule for new samples%s; embed them together with the others", r.Method, r.noExtension)
	}
	return model.New(Model{Method: r.Method, Params: r.Params, Samples: r.Samples, Features: r.Features, Dim: r.Dim}, r.extension), nil
}
