package engine

import (
	"bytes"
	"errors"
	"io"
	"math"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/faults"
)

// fillsUp is a disk that is full after this many bytes.
type fillsUp struct{ left int }

func (f *fillsUp) Write(p []byte) (int, error) {
	if len(p) > f.left {
		n := f.left
		f.left = 0
		return n, syscall.ENOSPC
	}
	f.left -= len(p)
	return len(p), nil
}

// Wherever the disk becomes full, Save says so.
func TestSaveModelOnAFullDisk(t *testing.T) {
	_, m := fittedModel(t, generate(t, "swiss-roll", 3000, 1).X, LLE{Neighbors: 8}, Options{}) // arrays of more than one write
	var whole bytes.Buffer
	if err := m.Save(&whole); err != nil {
		t.Fatal(err)
	}
	for room := 0; room < whole.Len(); room += 1 + whole.Len()/97 {
		if err := m.Save(&fillsUp{room}); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("room for %d of %d bytes: %v", room, whole.Len(), err)
		}
	}
	if err := m.Save(&fillsUp{whole.Len()}); err != nil {
		t.Error(err)
	}
}

// A model whose header cannot be written is not begun.
func TestSaveModelWithImpossibleParams(t *testing.T) {
	_, m := fittedModel(t, generate(t, "swiss-roll", 100, 1).X, PCA{}, Options{})
	for want, value := range map[string]any{"its parameters cannot be written": math.Inf(1), "its header would take": strings.Repeat("x", maxModelHeader)} {
		bad := *m
		bad.Params = map[string]any{"value": value}
		var out bytes.Buffer
		if err := bad.Save(&out); err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0 {
			t.Errorf("%d bytes, %v", out.Len(), err)
		}
	}
}

// Whichever call fails while a model is read, LoadModel says that it was the disk.
func TestLoadModelWithFaults(t *testing.T) {
	_, m := fittedModel(t, generate(t, "swiss-roll", 3000, 1).X, LLE{Neighbors: 8}, Options{})
	path := filepath.Join(t.TempDir(), "m.model")
	out, err := files.CreateRaw(path, nil)
	if err == nil {
		err = m.Save(out)
	}
	if err == nil {
		err = out.Commit()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, how := range []faults.How{faults.Passing, faults.Short} {
		var err error
		var got *Model
		calls := faults.Every(t, how, func() {
			got = nil
			var f disk.File
			if f, err = disk.Open(path); err == nil {
				defer f.Close()
				got, err = LoadModel(f)
			}
		}, func(call string) {
			// Where the length cannot be asked for, memory comes as the bytes do.
			if err == nil && (!strings.Contains(call, "seek") || got.Samples != m.Samples) || err != nil && !errors.Is(err, syscall.EIO) {
				t.Error(err)
			}
		})
		if err != nil || got == nil || len(calls) < 8 {
			t.Errorf("after %d calls: %v", len(calls), err)
		}
	}
}

// A reader that is past its end has nothing left, and a header may name an array once.
func TestLoadModelOfOddities(t *testing.T) {
	r := bytes.NewReader([]byte("12"))
	if _, err := r.Seek(5, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if _, err := LoadModel(r); err == nil || !strings.Contains(err.Error(), "ends within its first bytes") {
		t.Error(err)
	}
	one := modelArray{"a", 1, 1, "|u1", 0, 1}
	again := one
	again.Offset = modelAlignment
	h := modelHeader{Method: "pca", Samples: 1, Features: 1, Dim: 1, Arrays: []modelArray{one, again}}
	if err := h.check(2 * modelAlignment); err == nil || !strings.Contains(err.Error(), "comes twice") {
		t.Error(err)
	}
	var none Model
	if none.Kind() != "" || none.Bytes() != 0 {
		t.Errorf("a model that was not fitted has the rule %q and %d bytes", none.Kind(), none.Bytes())
	}
	if _, err := none.Transform(t.Context(), nil, Options{}); !errors.Is(err, errNoModel) {
		t.Error(err)
	}
	_, m := fittedModel(t, generate(t, "swiss-roll", 100, 1).X, PCA{}, Options{})
	if _, err := m.Prepare(Options{Backend: "none"}); err == nil {
		t.Error("no error of a backend that there is not")
	}
}
