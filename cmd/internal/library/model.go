package library

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/memory"
)

// model is a fitted model that C holds.
type model struct {
	model    *engine.Model
	poisoned atomic.Bool // a panic came out of it

	mu       sync.Mutex
	prepared *engine.Transformer // the last one, kept for the next call
	backend  string              // for which it was prepared
	threads  int
	memory   int64
}

// transformer returns the model ready for use. It is prepared once for each backend, number of
// threads and limit, because preparing it may take as long as mapping many samples.
func (m *model) transformer(o engine.Options) (*engine.Transformer, error) {
	if m.poisoned.Load() {
		return nil, &failure{statusInternal, "the model is unusable after an internal error; load or fit it again"}
	}
	if o.Dataset != nil {
		return m.model.Prepare(engine.Options{Backend: o.Backend, Threads: o.Threads, Memory: o.Memory, Dataset: o.Dataset})
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.prepared == nil || m.backend != o.Backend || m.threads != o.Threads || m.memory != o.Memory {
		t, err := m.model.Prepare(engine.Options{Backend: o.Backend, Threads: o.Threads, Memory: o.Memory})
		if err != nil {
			return nil, err
		}
		m.prepared, m.backend, m.threads, m.memory = t, o.Backend, o.Threads, o.Memory
	}
	return m.prepared, nil
}

// describe returns the description of the model as JSON.
func (m *model) describe() (string, error) {
	return toJSON(map[string]any{
		"method": m.model.Method, "params": finite(m.model.Params), "samples": m.model.Samples, "features": m.model.Features,
		"dim": m.model.Dim, "clusters": m.model.Clusters(), "kind": m.model.Kind(), "program": m.model.Program,
	})
}

// program is the writer that model files name.
func program() string { return "liborthant " + VersionText() }

func (m *model) write(w io.Writer) error {
	named := *m.model
	named.Program = program()
	return named.Save(w)
}

// save writes the file, which is replaced as a whole or not at all.
func (m *model) save(path string) error {
	if path == "-" {
		path = "./-" // a file named "-": the library must not write to the caller's standard output
	}
	out, err := files.CreateRaw(path, nil)
	if err == nil {
		err = m.write(out)
		if err == nil {
			err = out.Commit()
		}
		out.Discard()
	}
	return fileError(err)
}

func (m *model) bytes() ([]byte, error) {
	var b bytes.Buffer
	err := m.write(&b)
	return b.Bytes(), err
}

// load reads a file.
func load(path string) (*model, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(err)
	}
	defer f.Close()
	if about, err := f.Stat(); err == nil && about.IsDir() {
		return nil, fileError(fmt.Errorf("%s is a folder", path))
	}
	loaded, err := engine.LoadModelWithin(f, available())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &model{model: loaded}, nil
}

func loadBytes(b []byte) (*model, error) {
	loaded, err := engine.LoadModelWithin(bytes.NewReader(b), available())
	if err != nil {
		return nil, err
	}
	return &model{model: loaded}, nil
}

// fileError gives an error the status of files.
func fileError(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return &failure{statusFailed, err.Error()}
}

// transform prepares to map new samples by a model.
func (g given) transform() (work, error) {
	p, err := readParameters("transform", g.parameters)
	if err != nil {
		return nil, err
	}
	var o engine.Options
	if o.Threads, err = p.threads(); err != nil {
		return nil, err
	}
	limit, err := p.whole("memory", 1<<62)
	if err != nil {
		return nil, err
	}
	o.Memory = int64(limit)
	o.Backend, _ = p.take("backend")
	if text, given := p.take("dataset"); given {
		label, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("transform: dataset is %q; give the whole number of a dataset of the fit", text)
		}
		o.Dataset = &label
	}
	if err := p.rest(); err != nil {
		return nil, err
	}
	if err := g.read(o.Memory); err != nil {
		return nil, err
	}
	return func(ctx context.Context, progress func(engine.Progress)) (made *made, err error) {
		defer func() {
			if err != nil && statusOf(err) == statusInternal {
				g.model.poisoned.Store(true)
			}
		}()
		defer caught(&err)
		return g.model.transform(ctx, g, o, progress)
	}, nil
}

// transform maps new samples: to coordinates, or by the model of a clustering to labels.
func (m *model) transform(ctx context.Context, g given, o engine.Options, progress func(engine.Progress)) (*made, error) {
	clock := engine.NewClock()
	defer bounded(o.Memory)()
	if err := m.fits(g, o.Memory); err != nil {
		return nil, err
	}
	t, err := m.transformer(o)
	if err != nil {
		return nil, err
	}
	x, _ := g.samples()
	t = t.Reporting(progress)
	arrays := map[string]array{}
	if m.model.Clusters() > 0 {
		labels, err := t.Predict(ctx, x)
		if err != nil {
			return nil, err
		}
		arrays["labels"] = array{rows: len(labels), cols: 1, integers: labels}
	} else {
		y, err := t.Apply(ctx, x)
		if err != nil {
			return nil, err
		}
		arrays["embedding"] = arrayOf(y)
	}
	return madeOfMapping(m.model, arrays, x, clock), nil
}

// fits refuses samples that, together with the model and their coordinates, exceed the limit; 0 means no
// limit. The other memory of the mapping is checked when the model is prepared.
func (m *model) fits(g given, limit int64) error {
	if limit == 0 {
		return nil
	}
	n, _ := g.dims()
	need := memory.Process(2*m.model.Bytes() + g.bytes() + 8*int64(n)*int64(m.model.Dim))
	if need > limit {
		return &failure{statusNoMemory, fmt.Sprintf("%s: the model, %d samples and their coordinates need about %s where the limit is %s; map fewer at a time, or raise the limit",
			m.model.Method, n, limits.FormatBytes(need), limits.FormatBytes(limit))}
	}
	return nil
}

func madeOfMapping(m *engine.Model, arrays map[string]array, x mat.Matrix, clock *engine.Clock) *made {
	seconds, cpu := clock.Seconds()
	n, _ := x.Dims()
	return &made{
		arrays:  arrays,
		numbers: map[string]float64{"warnings": 0, "seconds": seconds["total"]},
		report: func() map[string]any {
			return map[string]any{"method": m.Method, "samples": n, "features": m.Features, "dim": m.Dim, "clusters": m.Clusters(), "kind": m.Kind(),
				"seconds": seconds, "cpu_seconds": cpu, "warnings": []string{}}
		},
		noModel: "it was made by one",
	}
}
