package model_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/modelfile"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/engine/model"
	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/faults"
	"github.com/orthant-go/orthant/internal/must"
)

func saved(t testing.TB, m *model.Model) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, m.Save(&b))
	return b.Bytes()
}

// Every flipped byte is an error, and so is every truncation and every addition.
func TestDamagedModelIsRefused(t *testing.T) {
	_, m := fittedModel(t, generate(t, "swiss-roll", 12, 1).X, engine.LE{Neighbors: 5}, engine.Options{})
	file := saved(t, m)
	for at := range file {
		for _, flip := range []byte{1, 0x80, 0xff} {
			bad := slices.Clone(file)
			bad[at] ^= flip
			for _, r := range []io.Reader{bytes.NewReader(bad), io.MultiReader(bytes.NewReader(bad))} {
				if got, err := model.Load(r); err == nil || got != nil || strings.Contains(err.Error(), "\n") {
					t.Fatalf("byte %d of %d flipped by %x: %v", at, len(file), flip, err)
				}
			}
		}
	}
	for cut := range file {
		for _, r := range []io.Reader{bytes.NewReader(file[:cut]), io.MultiReader(bytes.NewReader(file[:cut]))} {
			if _, err := model.Load(r); err == nil || !strings.Contains(err.Error(), "the file ends") {
				t.Fatalf("cut after %d of %d bytes: %v", cut, len(file), err)
			}
		}
	}
	longer := append(slices.Clone(file), 0)
	for _, r := range []io.Reader{bytes.NewReader(longer), io.MultiReader(bytes.NewReader(longer))} {
		must.Refuse(t, "damaged")(model.Load(r))
	}
}

func FuzzLoadModel(f *testing.F) {
	_, m := fittedModel(f, generate(f, "swiss-roll", 12, 1).X, engine.LE{Neighbors: 5}, engine.Options{})
	file := saved(f, m)
	f.Add(file)
	linear := extend.LinearMap{Mean: make([]float64, 3), Projection: mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})}
	f.Add(saved(f, model.New(*m, &extend.Extension{Map: linear})))
	f.Add(file[:40])
	f.Add([]byte(modelfile.Magic))
	f.Fuzz(func(t *testing.T, b []byte) {
		files := [][]byte{b}
		if len(b) > modelfile.PreambleSize+modelfile.SumSize { // past the checksum
			sealed := slices.Clone(b)
			copy(sealed, modelfile.Magic)
			files = append(files, sealedAgain(sealed))
		}
		for _, file := range files {
			for _, r := range []io.Reader{bytes.NewReader(file), io.MultiReader(bytes.NewReader(file))} {
				m, err := model.Load(r)
				if err != nil {
					continue
				}
				if tr, err := m.Prepare(engine.Options{Threads: 1}); err == nil && m.Features < 1000 {
					_, _ = tr.Apply(context.Background(), mat.NewDense(1, m.Features, nil))
				}
			}
		}
	})
}

// sealedAgain makes the lengths and the checksum of a file right, whatever else
// is in it.
func sealedAgain(file []byte) []byte {
	binary.LittleEndian.PutUint32(file[8:], modelfile.Version)
	binary.LittleEndian.PutUint64(file[16:], uint64(len(file)))
	clear(file[24:32])
	sum := sha256.Sum256(file[:len(file)-modelfile.SumSize])
	copy(file[len(file)-modelfile.SumSize:], sum[:])
	return file
}

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
	_, m := fittedModel(t, generate(t, "swiss-roll", 3000, 1).X, engine.LLE{Neighbors: 8}, engine.Options{}) // arrays of more than one write
	var whole bytes.Buffer
	must.Do(t, m.Save(&whole))
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
	_, m := fittedModel(t, generate(t, "swiss-roll", 100, 1).X, engine.PCA{}, engine.Options{})
	for want, value := range map[string]any{"its parameters cannot be written": math.Inf(1), "its header would take": strings.Repeat("x", modelfile.MaxHeader)} {
		bad := *m
		bad.Params = map[string]any{"value": value}
		var out bytes.Buffer
		if err := bad.Save(&out); err == nil || !strings.Contains(err.Error(), want) || out.Len() > 0 {
			t.Errorf("%d bytes, %v", out.Len(), err)
		}
	}
}

// Whichever call fails while a model is read, Load says that it was the disk.
func TestLoadModelWithFaults(t *testing.T) {
	_, m := fittedModel(t, generate(t, "swiss-roll", 3000, 1).X, engine.LLE{Neighbors: 8}, engine.Options{})
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
		var got *model.Model
		calls := faults.Every(t, how, func() {
			got = nil
			var f disk.File
			if f, err = disk.Open(path); err == nil {
				defer f.Close()
				got, err = model.Load(f)
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

// A reader that is past its end has nothing left, and a model that is none says so.
func TestLoadModelOfOddities(t *testing.T) {
	r := bytes.NewReader([]byte("12"))
	must.Get(r.Seek(5, io.SeekStart))(t)
	must.Refuse(t, "ends within its first bytes")(model.Load(r))
	var none model.Model
	if none.Kind() != "" || none.Bytes() != 0 {
		t.Errorf("a model that was not fitted has the rule %q and %d bytes", none.Kind(), none.Bytes())
	}
	must.Refuse(t, "neither fitted nor loaded")(none.Transform(t.Context(), nil, engine.Options{}))
	_, m := fittedModel(t, generate(t, "swiss-roll", 100, 1).X, engine.PCA{}, engine.Options{})
	if _, err := m.Prepare(engine.Options{Backend: "none"}); err == nil {
		t.Error("no error of a backend that there is not")
	}
}

// limitedTo is the memory that edited models may take.
const limitedTo = 200 << 20

// A model from a file may ask for any neighbours, rank or columns: within a limit of memory it
// maps a row, or is refused, and soon.
func TestEditedModelsStayWithinTheirMemory(t *testing.T) {
	line := func(n, m int) *mat.Dense {
		x := mat.NewDense(n, m, nil)
		for i := range n {
			x.Set(i, 0, float64(i))
		}
		return x
	}
	// Each of n samples lists n/8 others, so that most are joined.
	wide := mat.NewDense(6000, 750, nil)
	for i := range 6000 {
		for q := range 750 {
			wide.Set(i, q, float64((i+1+7*q)%6000))
		}
	}
	for name, p := range map[string]*modelfile.Parts{
		"a graph of 4.5 million edges": {Kind: "geodesic", Arrays: map[string]*mat.Dense{"samples": line(6000, 1), "projection": line(6000, 1), "mean": mat.NewDense(1, 6000, nil),
			"neighbors": wide, "lengths": wide}, Numbers: map[string]float64{"neighbors": 5}},
		"a million neighbours": {Kind: "barycentric", Arrays: map[string]*mat.Dense{"samples": line(1000000, 1), "embedding": line(1000000, 1)},
			Numbers: map[string]float64{"neighbors": 999999, "gamma": 1e-3}},
		"15000 neighbours": {Kind: "barycentric", Arrays: map[string]*mat.Dense{"samples": line(15000, 1), "embedding": line(15000, 1)},
			Numbers: map[string]float64{"neighbors": 14999, "gamma": 1e-3}},
		"1000 neighbours": {Kind: "barycentric", Arrays: map[string]*mat.Dense{"samples": line(15000, 1), "embedding": line(15000, 1)},
			Numbers: map[string]float64{"neighbors": 1000, "gamma": 1e-3}},
		"two million columns": {Kind: "linear", Arrays: map[string]*mat.Dense{"mean": line(1, 1), "projection": mat.NewDense(1, 2000000, nil)}},
		"20000 neighbours by Nyström": {Kind: "nystrom", Arrays: map[string]*mat.Dense{"samples": line(20000, 1), "embedding": line(20000, 1), "values": line(1, 1)},
			Numbers: map[string]float64{"neighbors": 19999, "weights": 0}},
		"rank 3000": {Kind: "factors", Arrays: map[string]*mat.Dense{"components": line(3000, 1)},
			Numbers: map[string]float64{"loss": 0, "hals": 0, "iterations": 1e6, "theta": 0.5, "sigma2": 0}},
		"rank 2500 of 2000 samples": {Kind: "factors", Arrays: map[string]*mat.Dense{"components": line(2500, 1)},
			Numbers: map[string]float64{"loss": 0, "hals": 0, "iterations": 200, "theta": 0.5, "sigma2": 0}},
		"planes of 3000": {Kind: "linear", Arrays: map[string]*mat.Dense{"mean": line(1, 3), "projection": line(3, 1), "smoothing_samples": line(3000, 3)},
			Numbers: map[string]float64{"smoothing_neighbors": 3000, "smoothing_dim": 1, "smoothing_passes": 16, "smoothing_variance": 1, "smoothing_radius": 1}},
	} {
		about := modelfile.About{Method: name, Samples: 2000}
		if x := p.Arrays["samples"]; x != nil {
			_, about.Features = x.Dims()
			y := p.Arrays["embedding"]
			if y == nil {
				y = p.Arrays["projection"] // of a geodesic model
			}
			_, about.Dim = y.Dims()
		} else if a := p.Arrays["projection"]; a != nil {
			about.Features, about.Dim = a.Dims()
		} else {
			about.Dim, about.Features = p.Arrays["components"].Dims()
		}
		var file bytes.Buffer
		must.Do(t, modelfile.Write(&file, about, p))
		began, before := time.Now(), memory.Peak()
		m, err := model.LoadWithin(bytes.NewReader(file.Bytes()), limitedTo)
		if err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		y, err := m.Transform(context.Background(), mat.NewDense(1, m.Features, nil), engine.Options{Threads: 1, Memory: limitedTo})
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s: %v", name, took)
		}
		if grown := memory.Peak() - before; grown > limitedTo {
			t.Errorf("%s: the process grew by %d MiB", name, grown>>20)
		}
		t.Logf("%s: %v", name, err)
		if strings.HasPrefix(name, "rank") && err == nil {
			t.Errorf("%s: it is mapped", name)
		}
		if err == nil && y.At(0, 0)-y.At(0, 0) != 0 {
			t.Errorf("%s: %v", name, y.At(0, 0))
		}
	}
}
