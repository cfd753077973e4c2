package engine

import (
	"bytes"
	"context"
	"crypto/sha256"
	"math"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/memory"
)

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
	for name, e := range map[string]*extend.Extension{
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
		m := &Model{Method: name, Samples: 2000, extension: e}
		if x := e.Arrays["samples"]; x != nil {
			_, m.Features = x.Dims()
			y := e.Arrays["embedding"]
			if y == nil {
				y = e.Arrays["projection"] // of a geodesic model
			}
			_, m.Dim = y.Dims()
		} else if p := e.Arrays["projection"]; p != nil {
			m.Features, m.Dim = p.Dims()
		} else {
			m.Dim, m.Features = e.Arrays["components"].Dims()
		}
		began, before := time.Now(), memory.Peak()
		y, err := m.Transform(context.Background(), mat.NewDense(1, m.Features, nil), Options{Threads: 1, Memory: limitedTo})
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

// A model with one number edited maps a sample to finite coordinates or labels of clusters,
// or is an error.
func TestEditedNumbersOfModels(t *testing.T) {
	x, _ := ordinaryData()
	some := x.Slice(0, 2, 0, 5).(*mat.Dense)
	values := []float64{math.SmallestNonzeroFloat64, -1, 3, 1e300}
	if !testing.Short() {
		values = append(values, 1e-300, 0, 0.5, 1, 2200, 1e6, math.MaxFloat64)
	}
	modelsOf(t, 300, func(name string, m *Model) {
		for key := range m.extension.Numbers {
			for _, v := range values {
				var file bytes.Buffer
				edited := *m
				e := *m.extension
				e.Numbers = map[string]float64{}
				for k, own := range m.extension.Numbers {
					e.Numbers[k] = own
				}
				e.Numbers[key] = v
				edited.extension = &e
				if err := edited.Save(&file); err != nil {
					continue
				}
				expectSoundTransform(t, name+" with "+key, file.Bytes(), some)
			}
		}
	})
}

// expectSoundTransform maps samples by the model of a file, which may be refused.
func expectSoundTransform(t *testing.T, what string, file []byte, x *mat.Dense) {
	t.Helper()
	m, err := LoadModelWithin(bytes.NewReader(file), limitedTo)
	if err != nil {
		return
	}
	ctx, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	began := time.Now()
	rows, cols := x.Dims()
	if cols != m.Features {
		if m.Features > 1<<16 {
			return
		}
		x = mat.NewDense(rows, m.Features, nil)
	}
	y, err := m.Transform(ctx, x, Options{Threads: 1, Memory: limitedTo})
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("%s took %v", what, took)
	}
	if err != nil {
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: an error of several lines: %v", what, err)
		}
		return
	}
	for _, v := range y.RawMatrix().Data {
		if c := m.Clusters(); v-v != 0 || c > 0 && !(v >= 0 && v < float64(c)) {
			t.Errorf("%s: %v", what, v)
			return
		}
	}
}

// FuzzEditedModel edits the bytes of a model's file, one of each kind, and signs it again: what loads maps
// samples to finite coordinates or labels of clusters, or is refused, within 200 MiB.
func FuzzEditedModel(f *testing.F) {
	x, _ := ordinaryData()
	some := x.Slice(0, 2, 0, 5).(*mat.Dense)
	var files [][]byte
	kinds := map[string]bool{}
	for _, line := range []string{"embed lle", "embed le", "embed isomap", "embed pca", "embed lnp", "embed smce", "embed diffusion-maps",
		"factorize nmf", "factorize nmf-kl", "factorize cim-nmf", "factorize nmf-beta",
		"cluster kmeans", "cluster spectral", "cluster ds3", "cluster esc-ffs", "cluster lnp", "cluster smce"} {
		task, name, _ := strings.Cut(line, " ")
		m, err := NewFor(task, name)
		if err != nil {
			f.Fatal(err)
		}
		o := Options{Components: "largest", Threads: 1}
		var found interface{ Model() (*Model, error) }
		switch task {
		case "embed":
			found, err = Embed(context.Background(), x, m, o)
		case "factorize":
			found, err = Factorize(context.Background(), x, m, FactorizeOptions{Rank: 2, Options: Options{Threads: 1}})
		default:
			found, err = Cluster(context.Background(), x, m, ClusterOptions{Clusters: 3, Options: o})
		}
		if err != nil {
			f.Fatalf("%s: %v", line, err)
		}
		model, err := found.Model()
		if err != nil {
			f.Fatal(err)
		}
		kinds[model.Kind()] = true
		var file bytes.Buffer
		if err := model.Save(&file); err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(len(files)), uint32(40), []byte("9"))
		files = append(files, file.Bytes())
	}
	if len(kinds) != 14 {
		f.Errorf("models of %d kinds: %v", len(kinds), kinds)
	}
	within := heldTo(f, limitedTo)
	f.Fuzz(func(t *testing.T, which uint8, at uint32, with []byte) {
		file := bytes.Clone(files[int(which)%len(files)])
		copy(file[int(at)%(len(file)-sumSize):len(file)-sumSize], with)
		sum := sha256.Sum256(file[:len(file)-sumSize])
		copy(file[len(file)-sumSize:], sum[:])
		within(t, func() { expectSoundTransform(t, "edited", file, some) })
	})
}

// heldTo measures what work adds to the resident memory of this process, as the kernel counts it: of
// a process of the command with that limit it is all but its program. The runtime is held to the limit
// as the command holds it.
func heldTo(t testing.TB, limit int64) func(t *testing.T, work func()) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	memory.Bound(limit)
	return func(t *testing.T, work func()) {
		resets, began := memory.BeginPeak(), memory.Resident()
		work()
		if took := memory.Peak() - began; resets && took > limit-memory.Program {
			t.Errorf("it took %d MiB more than the %d before it, beyond a limit of %d with the program's %d", took>>20, began>>20, limit>>20, int64(memory.Program)>>20)
		}
	}
}
