package bench

import (
	"bytes"
	"context"
	_ "embed" // of peers.py
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

//go:embed peers.py
var peersScript []byte

// PeerCall is a call of a method of peers.py, which runs scikit-learn, SciPy, SLEPc, umap-learn, openTSNE and PaCMAP.
type PeerCall struct {
	Method  string
	Params  map[string]any
	In, Out string // files, or folders where the method says so; Out may be empty where there is no result to read back
	Threads int
	Today   bool // by the Python of $ORTHANT_PYTHON_TODAY
}

// PeerRun is what a call cost and said.
type PeerRun struct {
	CPU, Wall float64 // around the call alone, after all imports
	Peak      int64   // of the process
	Version   string  // of the program, with its name
	Quality   map[string]float64
	process   spent
}

// CallPeer runs a method of peers.py in a process of its own, whose script it puts into
// the folder.
func CallPeer(ctx context.Context, dir string, call PeerCall) (*PeerRun, error) {
	python, err := call.python()
	if err != nil {
		return nil, err
	}
	script := filepath.Join(dir, "peers.py")
	if err := os.WriteFile(script, peersScript, 0o666); err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	request, err := json.Marshal(map[string]any{"method": call.Method, "params": call.Params, "in": call.In, "out": call.Out})
	if err != nil {
		return nil, fmt.Errorf("bench: %w", err)
	}
	p := process{args: append(python, script), in: bytes.NewReader(request), env: ThreadLimits(call.Threads)}
	cost, err := p.run(ctx)
	if err != nil {
		return nil, err
	}
	said := &PeerRun{process: cost}
	if err := json.Unmarshal(cost.out, said); err != nil {
		return nil, fmt.Errorf("%s printed %q: %w", call.Method, cost.out, err)
	}
	return said, nil
}

// python is the command that runs the script.
func (c *PeerCall) python() ([]string, error) {
	if c.Today {
		return pythonToday()
	}
	python, err := pythonWithSklearn()
	return []string{python}, err
}

// pythonToday is the command in $ORTHANT_PYTHON_TODAY, words apart.
func pythonToday() ([]string, error) {
	words := strings.Fields(os.Getenv("ORTHANT_PYTHON_TODAY"))
	if len(words) == 0 {
		return nil, fmt.Errorf("ORTHANT_PYTHON_TODAY is not set")
	}
	return words, nil
}

// ThreadLimits set the number of threads of the libraries of a peer.
func ThreadLimits(threads int) []string {
	var env []string
	for _, name := range []string{"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"} {
		env = append(env, name+"="+strconv.Itoa(max(threads, 1)))
	}
	return env
}

// Outcome is the outcome of a case which is one call.
func (p *PeerRun) Outcome() *Outcome {
	return &Outcome{
		Seconds:    engine.Seconds{"total": p.Wall, "process": p.process.wall},
		CPUSeconds: engine.Seconds{"total": p.CPU, "process": p.process.cpu},
		PeakBytes:  p.Peak, Backend: p.Version, Quality: p.Quality,
	}
}

// Process is the cost of the whole process.
func (p *PeerRun) Process() Cost { return Cost{p.process.wall, p.process.cpu} }

// Sklearn is a case that runs a method of scikit-learn on a data set, in a
// process of its own: lle, mlle, hlle, ltsa, le, isomap, pca (params neighbors,
// dim, gamma), neighbors, kmeans (clusters, starts, iterations, tolerance), nmf-mu
// or nmf-cd (rank, iterations, tolerance, init_w, init_h). The totals are around
// the call alone, after Python's imports; the phase "process" is all of it. The
// measures look at the result of the first repeat: the embedding, or the
// distances, labels or factor W.
func Sklearn(name string, data Source, method string, params map[string]any, list ...Measure) Case {
	return sklearnCase(name, data, method, params, false, list)
}

// SklearnToday is [Sklearn] by the newer scikit-learn that $ORTHANT_PYTHON_TODAY names the
// Python of.
func SklearnToday(name string, data Source, method string, params map[string]any, list ...Measure) Case {
	return sklearnCase(name, data, method, params, true, list)
}

func sklearnCase(name string, data Source, method string, params map[string]any, today bool, list []Measure) Case {
	need := "peer:sklearn"
	if today {
		need = "peer:sklearn-today"
	}
	return Case{
		Name: name, Data: data.Name(), N: data.N, Method: "scikit-learn " + method, Params: params,
		Needs: append(data.Needs(), need),
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
			return runSklearn(ctx, c, d, dir, PeerCall{Method: method, Today: today}, list)
		},
	}
}

func runSklearn(ctx context.Context, c *Case, d *Data, dir string, call PeerCall, list []Measure) (*Outcome, error) {
	result := filepath.Join(dir, "y.npy")
	in := d.Path
	if ext := filepath.Ext(in); ext != ".npy" && ext != ".mtx" {
		var err error
		if in, err = d.saved(dir, ".npy"); err != nil {
			return nil, err
		}
	}
	call.Params, call.In, call.Out, call.Threads = c.Params, in, result, c.ThreadCount()
	peer, err := CallPeer(ctx, dir, call)
	if err != nil {
		return nil, err
	}
	y, err := files.ReadMatrix(result, files.Options{AllowNonFinite: true})
	if err != nil {
		return nil, err
	}
	n, m := d.X.Dims()
	out := peer.Outcome()
	out.Samples, out.Features, out.DataHash = n, m, d.Hash
	return out, assess(ctx, c, list, d, y, out)
}

// tapkeeMethods are the names that Tapkee gives to methods of ours.
var tapkeeMethods = map[string]string{
	"lle": "lle", "ltsa": "ltsa", "hlle": "hlle", "isomap": "isomap", "pca": "pca", "mds": "mds", "le": "la", "lpp": "lpp", "npp": "npe",
}

// Tapkee is a case that runs Tapkee's command on a data set, with params
// neighbors and dim and otherwise what Tapkee takes by itself, but for the vantage
// point tree that finds its neighbours. Times are for the whole process,
// which reads and writes text: compare it with a [Command] that does so, too.
// It writes six digits.
func Tapkee(name string, data Source, method string, params map[string]any, list ...Measure) Case {
	return Case{
		Name: name, Data: data.Name(), N: data.N, Method: "Tapkee " + method, Params: params,
		Needs: append(data.Needs(), "peer:tapkee"),
		Run: func(ctx context.Context, e *Env, c *Case) (*Outcome, error) {
			known, found := tapkeeMethods[method]
			if !found {
				return nil, fmt.Errorf("tapkee has no method %s here", method)
			}
			args := []string{e.Tapkee, "--method", known, "--neighbors-method", "vptree"}
			for key, flag := range map[string]string{"neighbors": "--num-neighbors", "dim": "--target-dimension"} {
				if v, given := c.Params[key]; given {
					args = append(args, flag, fmt.Sprint(v))
				}
			}
			out, _, err := runWhole(ctx, e, c, data, ".csv", list, func(in, out string) process {
				return process{args: append(args, "--input-file", in, "--output-file", out), env: []string{fmt.Sprintf("OMP_NUM_THREADS=%d", c.ThreadCount())}}
			})
			if out != nil {
				out.Backend = "Tapkee"
			}
			return out, err
		},
	}
}

// runWhole runs a process that reads the samples from one file and writes the
// embedding to another, and returns what it printed, too.
func runWhole(ctx context.Context, e *Env, c *Case, data Source, extension string, list []Measure, command func(in, out string) process) (*Outcome, []byte, error) {
	d, err := data.Load(e)
	if err != nil {
		return nil, nil, err
	}
	dir, err := e.folder()
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	in, err := d.saved(dir, extension)
	if err != nil {
		return nil, nil, err
	}
	result := filepath.Join(dir, "y"+extension)
	cost, err := command(in, result).run(ctx)
	if err != nil {
		return nil, nil, err
	}
	y, err := files.ReadMatrix(result, files.Options{AllowNonFinite: true})
	if err != nil {
		return nil, nil, err
	}
	n, m := d.X.Dims()
	if rows, cols := y.Dims(); rows != n && cols == n {
		y = mat.DenseCopyOf(y.T()) // older versions of Tapkee write a column a sample
	}
	out := &Outcome{
		Seconds: engine.Seconds{"total": cost.wall}, CPUSeconds: engine.Seconds{"total": cost.cpu},
		PeakBytes: cost.peak, Samples: n, Features: m, DataHash: d.Hash,
	}
	return out, cost.out, assess(ctx, c, list, d, y, out)
}
