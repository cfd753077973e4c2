package bench

import (
	"context"
	_ "embed" // of peers.py
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

//go:embed peers.py
var peersScript []byte

// Sklearn is a case that runs a method of scikit-learn on a data set, in a
// process of its own: lle, mlle, hlle, ltsa, le, isomap, pca (params neighbors,
// dim, gamma), neighbors, kmeans (clusters, starts, iterations, tolerance), nmf-mu
// or nmf-cd (rank, iterations, tolerance, init_w, init_h). The totals are around
// the call alone, after Python's imports; the phase "process" is all of it. The
// measures look at the result of the first repeat: the embedding, or the
// distances, labels or factor W.
func Sklearn(name string, data Source, method string, params map[string]any, list ...Measure) Case {
	return Case{
		Name: name, Data: data.Name(), N: data.N, Method: "scikit-learn " + method, Params: params,
		Needs: append(data.Needs(), "peer:sklearn"),
		Run: func(ctx context.Context, e *Env, c *Case) (*Outcome, error) {
			d, err := data.Load(e)
			if err != nil {
				return nil, err
			}
			dir, err := e.folder()
			if err != nil {
				return nil, err
			}
			defer os.RemoveAll(dir)
			return runSklearn(ctx, c, d, dir, method, list)
		},
	}
}

func runSklearn(ctx context.Context, c *Case, d *Data, dir, method string, list []Measure) (*Outcome, error) {
	python, err := pythonWithSklearn()
	if err != nil {
		return nil, err
	}
	script, result := filepath.Join(dir, "peers.py"), filepath.Join(dir, "y.npy")
	if err := os.WriteFile(script, peersScript, 0o666); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	in := d.Path
	if ext := filepath.Ext(in); ext != ".npy" && ext != ".mtx" {
		if in, err = d.saved(dir, ".npy"); err != nil {
			return nil, err
		}
	}
	request, err := json.Marshal(map[string]any{"method": method, "params": c.Params, "in": in, "out": result})
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	threads := strconv.Itoa(c.ThreadCount())
	cost, err := process{
		args: []string{python, script}, in: request,
		env: []string{"OMP_NUM_THREADS=" + threads, "OPENBLAS_NUM_THREADS=" + threads, "MKL_NUM_THREADS=" + threads},
	}.run(ctx)
	if err != nil {
		return nil, err
	}
	var said struct {
		CPU, Wall float64
		Peak      int64
		Version   string
		Quality   map[string]float64
	}
	if err := json.Unmarshal(cost.out, &said); err != nil {
		return nil, fmt.Errorf("scikit-learn printed %q: %w", cost.out, err)
	}
	y, err := files.ReadMatrix(result, files.Options{AllowNonFinite: true})
	if err != nil {
		return nil, err
	}
	n, m := d.X.Dims()
	out := &Outcome{
		Seconds:    engine.Seconds{"total": said.Wall, "process": cost.wall},
		CPUSeconds: engine.Seconds{"total": said.CPU, "process": cost.cpu},
		PeakBytes:  said.Peak, Samples: n, Features: m, DataHash: d.Hash,
		Backend: "scikit-learn " + said.Version, Quality: said.Quality,
	}
	return out, assess(ctx, c, list, d, y, out)
}
