package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

// model is a fitted model that C holds.
type model struct {
	model    *engine.Model
	poisoned atomic.Bool // a panic came out of it

	mu       sync.Mutex
	prepared *engine.Transformer // the last one, kept for the next call
	backend  string              // that it was prepared for
	threads  int
	memory   int64
}

// transformer returns the model ready for use. It is prepared once for the same
// backend, threads and limit, since that may take as long as many samples.
func (m *model) transformer(o engine.Options) (*engine.Transformer, error) {
	if m.poisoned.Load() {
		return nil, &failure{statusInternal, "the model is unusable after an internal error; load or fit it again"}
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

// describe returns what is known of the model as JSON.
func (m *model) describe() (string, error) {
	return toJSON(map[string]any{
		"method": m.model.Method, "params": finite(m.model.Params), "samples": m.model.Samples, "features": m.model.Features,
		"dim": m.model.Dim, "clusters": m.model.Clusters(), "kind": m.model.Kind(), "program": m.model.Program,
	})
}

// program is what stands in the files of models as their writer.
func program() string { return "liborthant " + versionText() }

func (m *model) write(w io.Writer) error {
	named := *m.model
	named.Program = program()
	return named.Save(w)
}

// save writes the file, which is replaced as a whole or not at all.
func (m *model) save(path string) error {
	if path == "-" {
		path = "./-" // a file: the caller's standard output is none of ours
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
